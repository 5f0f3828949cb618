// Resting contact: the solvers against dense and slow oracles, closed forms, and their promises.
#include "contact_bodies.h"

static nc_solve_settings exact_settings(void)
{
    nc_solve_settings settings = nc_solve_settings_default();
    settings.tolerance = 1e-13;
    settings.iterations = 200000;
    settings.shock = false;
    return settings;
}

static nc_solve_report solve(body_set *c, const nc_solve_settings *settings)
{
    const nc_solver_bodies bodies = body_set_bodies(c);
    nc_contact_work *work = nc_contact_work_create(NULL);
    nc_solve_report report;
    nc_error err;
    check_ok(nc_contact_solve(work, &bodies, c->contacts, c->contact_count, settings, &report, &err), err);
    nc_contact_work_destroy(work);
    return report;
}

static void random_targets(body_set *c, nc_random *random)
{
    for (int k = 0; k < c->contact_count; k++)
        c->contacts[k].target = nc_random_unit(random) < 0.5 ? 0 : nc_random_range(random, -1, 0);
}

// ---- dense oracles ------------------------------------------------------------------------------------------

#define DENSE 48

typedef struct dense {
    int n; // rows: 3 per contact (normal, t1, t2)
    double a[DENSE][DENSE], b[DENSE];
} dense;

// A = J M^-1 J^T and b = J V - target, column by column from unit impulses.
static void dense_build(body_set *c, dense *d)
{
    const nc_solver_bodies bodies = body_set_bodies(c);
    static nc_vec3 v[MAX_BODIES], w[MAX_BODIES];
    d->n = 3 * c->contact_count;
    assert_true(d->n <= DENSE);
    for (int column = -1; column < d->n; column++) {
        memcpy(v, c->v, sizeof v);
        memcpy(w, c->w, sizeof w);
        if (column >= 0) {
            nc_contact unit = c->contacts[column / 3];
            unit.impulse = nc_v3(column % 3 == 0, column % 3 == 1, column % 3 == 2);
            nc_contact_apply(&bodies, &unit, nc_contact_impulse_vector(&unit));
        }
        for (int row = 0; row < d->n; row++) {
            const nc_contact *k = &c->contacts[row / 3];
            const nc_vec3 u = nc_contact_impulse_parts(k, nc_contact_velocity(&bodies, k));
            const double value = row % 3 == 0 ? u.x - k->target : (row % 3 == 1 ? u.y : u.z);
            if (column < 0)
                d->b[row] = value;
            else
                d->a[row][column] = value - d->b[row];
        }
        memcpy(c->v, v, sizeof v);
        memcpy(c->w, w, sizeof w);
    }
}

// Solves the rows and columns of `set` (normals only) of A x = -b by elimination. False when singular.
static bool dense_active(const dense *d, unsigned set, double *x)
{
    double m[DENSE / 3][DENSE / 3 + 1];
    int rows[DENSE / 3], n = 0;
    for (int k = 0; k < d->n / 3; k++) {
        if (set >> k & 1)
            rows[n++] = 3 * k;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            m[i][j] = d->a[rows[i]][rows[j]];
        m[i][n] = -d->b[rows[i]];
    }
    for (int p = 0; p < n; p++) { // positive definite, so no pivoting
        if (!(m[p][p] > 1e-9))
            return false;
        for (int i = 0; i < n; i++) {
            const double f = i == p ? 0 : m[i][p] / m[p][p];
            for (int j = p; j <= n && i != p; j++)
                m[i][j] -= f * m[p][j];
        }
    }
    memset(x, 0, sizeof(double) * DENSE);
    for (int i = 0; i < n; i++)
        x[rows[i]] = m[i][n] / m[i][i];
    return true;
}

// The frictionless LCP by trying every active set. Exactly one velocity solves it.
static bool lcp_by_enumeration(const dense *d, double *x)
{
    const int m = d->n / 3;
    for (unsigned set = 0; set < 1u << m; set++) {
        bool good = dense_active(d, set, x);
        for (int k = 0; good && k < m; k++) {
            double w = d->b[3 * k];
            for (int j = 0; j < d->n; j++)
                w += d->a[3 * k][j] * x[j];
            good = x[3 * k] >= -1e-9 && w >= -1e-9;
        }
        if (good)
            return true;
    }
    return false;
}

static void frictionless_solution_is_that_of_the_lcp(void **state)
{
    (void)state;
    nc_random random = {check_seed("lcp", 1)};
    body_set *c = body_set_create();
    dense d;
    double x[DENSE];
    for (int i = 0; i < check_effort(200); i++) {
        c->count = c->contact_count = 0;
        body_set_fill_random(c, &random, 5, 1 + (int)(nc_random_u64(&random) % 8), 0.3, 0);
        random_targets(c, &random);
        int m = 0; // contacts of two infinite bodies are none
        for (int k = 0; k < c->contact_count; k++) {
            if (c->mass[c->contacts[k].a] > 0 || c->mass[c->contacts[k].b] > 0)
                c->contacts[m++] = c->contacts[k];
        }
        c->contact_count = m;
        dense_build(c, &d);
        if (!lcp_by_enumeration(&d, x))
            continue; // degenerate within the oracle's tolerance
        nc_vec3 wanted[5], before[5];
        const nc_solver_bodies bodies = body_set_bodies(c);
        memcpy(before, c->v, sizeof before);
        nc_vec3 spins[5];
        memcpy(spins, c->w, sizeof spins);
        for (int k = 0; k < m; k++)
            nc_contact_apply(&bodies, &c->contacts[k], nc_scale(x[3 * k], c->contacts[k].normal));
        memcpy(wanted, c->v, sizeof wanted);
        memcpy(c->v, before, sizeof before);
        memcpy(c->w, spins, sizeof spins);
        nc_solve_settings settings = exact_settings();
        settings.clamp = false;
        solve(c, &settings);
        for (int b = 0; b < 5; b++)
            check_near(nc_norm(nc_sub(c->v[b], wanted[b])), 0, 1e-7);
    }
    free(c);
}

// Erleben eq. 28-30 word for word on the dense matrix.
static void dense_sweep(const body_set *c, const dense *d, double *x)
{
    for (int i = 0; i < d->n; i++) {
        double w = d->b[i];
        for (int j = 0; j < d->n; j++)
            w += d->a[i][j] * x[j];
        const double mu = c->contacts[i / 3].friction;
        const double hi = i % 3 == 0 ? INFINITY : mu * x[i - i % 3], lo = i % 3 == 0 ? 0 : -hi;
        x[i] = fmin(fmax(x[i] - w / d->a[i][i], lo), hi);
    }
}

static void pyramid_sweeps_are_row_by_row_gauss_seidel(void **state)
{
    (void)state;
    nc_random random = {check_seed("dense", 2)};
    body_set *c = body_set_create();
    dense d;
    for (int i = 0; i < check_effort(200); i++) {
        c->count = c->contact_count = 0;
        body_set_fill_random(c, &random, 5, 12, 0, 1);
        for (int b = 0; b < 2; b++) { // bodies 0 and 1 infinite and moving; no contact between them
            c->mass[b] = c->inv_mass[b] = 0;
            memset(&c->inv_inertia[b], 0, sizeof c->inv_inertia[b]);
        }
        for (int k = 0; k < 12; k++) {
            if (c->contacts[k].a < 2 && c->contacts[k].b < 2)
                c->contacts[k].a = 4;
        }
        random_targets(c, &random);
        dense_build(c, &d);
        double x[DENSE] = {0};
        nc_solve_settings settings = exact_settings();
        settings.friction = NC_FRICTION_PYRAMID;
        settings.accelerate = false;
        settings.clamp = false;
        settings.tolerance = 0;
        settings.iterations = 1 + i % 7;
        for (int sweep = 0; sweep < settings.iterations; sweep++)
            dense_sweep(c, &d, x);
        solve(c, &settings);
        for (int k = 0; k < 12; k++) {
            const nc_vec3 wanted = nc_v3(x[3 * k], x[3 * k + 1], x[3 * k + 2]);
            check_near(nc_norm(nc_sub(c->contacts[k].impulse, wanted)), 0, 1e-10 * (1 + nc_norm(wanted)));
        }
    }
    free(c);
}

// ---- the laws themselves ------------------------------------------------------------------------------------

// Complementarity, and Coulomb's law in the round: |l_t| <= mu l_n; sticking or sliding straight against l_t.
static void check_cone_law(const nc_solver_bodies *bodies, const nc_contact *k, double tolerance)
{
    const nc_vec3 u = nc_contact_impulse_parts(k, nc_contact_velocity(bodies, k));
    const double pressure = k->impulse.x, gap = u.x - k->target;
    check_at_most(-pressure, 0);
    check_at_most(-gap, tolerance);
    check_at_most(pressure * gap, tolerance * (1 + pressure));
    const double pull = sqrt(k->impulse.y * k->impulse.y + k->impulse.z * k->impulse.z);
    const double slip = sqrt(u.y * u.y + u.z * u.z), limit = k->friction * pressure;
    check_at_most(pull, limit * (1 + 1e-12) + 1e-15);
    if (pull < limit * (1 - 1e-6) - 1e-6)
        check_at_most(slip, tolerance);
    check_near(u.y * k->impulse.y + u.z * k->impulse.z, -slip * limit, tolerance * (1 + limit));
}

static void cone_solution_obeys_coulomb(void **state)
{
    (void)state;
    nc_random random = {check_seed("coulomb", 3)};
    body_set *c = body_set_create();
    int solved = 0;
    for (int i = 0; i < check_effort(100); i++) {
        c->count = c->contact_count = 0;
        body_set_fill_random(c, &random, 6, 10, 0.3, 0.8);
        random_targets(c, &random);
        nc_solve_settings settings = exact_settings();
        settings.iterations = 20000;
        settings.clamp = false;
        const nc_solver_bodies bodies = body_set_bodies(c);
        const nc_solve_report report = solve(c, &settings);
        if (report.unconverged > 0)
            continue; // random normals may have no solution with friction
        solved++;
        check_at_most(nc_contact_residual(&bodies, c->contacts, c->contact_count, NC_FRICTION_CONE), 1e-10);
        for (int k = 0; k < c->contact_count; k++) {
            if (c->mass[c->contacts[k].a] > 0 || c->mass[c->contacts[k].b] > 0)
                check_cone_law(&bodies, &c->contacts[k], 1e-9);
        }
    }
    print_message("%d of %d random problems with friction solved\n", solved, check_effort(100));
    assert_true(solved > check_effort(100) / 2);
    free(c);
}

// The tangential part of a block is solved exactly, however unequal its two directions are: one sweep stops all slip.
static void one_sweep_of_one_contact_stops_its_slip(void **state)
{
    (void)state;
    nc_random random = {check_seed("slip", 31)};
    body_set *c = body_set_create();
    for (int i = 0; i < 500; i++) {
        c->count = c->contact_count = 0;
        body_set_fill_random(c, &random, 2, 1, 0, 0);
        c->contacts[0].friction = 1e6;
        nc_solve_settings settings = exact_settings();
        settings.iterations = 1;
        settings.clamp = false;
        const nc_solver_bodies bodies = body_set_bodies(c);
        solve(c, &settings);
        if (c->contacts[0].impulse.x == 0)
            continue;
        const nc_vec3 u = nc_contact_impulse_parts(c->contacts, nc_contact_velocity(&bodies, c->contacts));
        check_near(fmax(fabs(u.y), fabs(u.z)), 0, 1e-12);
    }
    free(c);
}

// With friction the final energy of a converged solve is not above the first, targets <= 0, nobody pushed.
static void converged_friction_needs_no_clamp(void **state)
{
    (void)state;
    nc_random random = {check_seed("dissipation", 4)};
    body_set *c = body_set_create();
    for (int i = 0; i < check_effort(100); i++) {
        c->count = c->contact_count = 0;
        body_set_fill_random(c, &random, 6, 8, 0.3, 0.5);
        for (int b = 0; b < c->count; b++) {
            if (c->mass[b] == 0)
                c->v[b] = c->w[b] = nc_v3(0, 0, 0);
        }
        random_targets(c, &random);
        nc_solve_settings settings = exact_settings();
        settings.iterations = 20000;
        settings.clamp = false;
        const double before = body_set_energy(c);
        const nc_solve_report report = solve(c, &settings);
        if (report.unconverged == 0)
            check_at_most(body_set_energy(c), before * (1 + 1e-10));
        check_near(body_set_energy(c) - before, report.energy, 1e-10 * (1 + before));
    }
    free(c);
}

static void cold_frictionless_sweeps_never_add_energy(void **state)
{
    (void)state;
    nc_random random = {check_seed("cold", 5)};
    body_set *c = body_set_create();
    for (int i = 0; i < check_effort(2000); i++) {
        c->count = c->contact_count = 0;
        body_set_fill_random(c, &random, 8, 20, 0.2, 0);
        for (int b = 0; b < c->count; b++) {
            if (c->mass[b] == 0)
                c->v[b] = c->w[b] = nc_v3(0, 0, 0);
        }
        random_targets(c, &random);
        nc_solve_settings settings = exact_settings();
        settings.iterations = 1 + i % 20;
        settings.accelerate = false;
        settings.clamp = false;
        const double before = body_set_energy(c);
        solve(c, &settings);
        check_at_most(body_set_energy(c), before * (1 + 1e-13));
    }
    free(c);
}

// Anything at all as a warm start, any limit, any solver, shock propagation, moving infinite bodies.
static void clamped_solve_never_adds_more_than_infinite_bodies_give(void **state)
{
    (void)state;
    nc_random random = {check_seed("warm", 6)};
    body_set *c = body_set_create();
    int restarts = 0, clamps = 0, shocks = 0;
    for (int i = 0; i < check_effort(2000); i++) {
        c->count = c->contact_count = 0;
        body_set_fill_random(c, &random, 10, 30, 0.2, 1.5);
        for (int k = 0; k < 30; k++) {
            c->contacts[k].impulse = random_vector(&random, i % 3 == 0 ? 5 : 0.1);
            c->contacts[k].target = nc_random_range(&random, -1, i % 4 == 0 ? 5 : 0);
        }
        nc_solve_settings settings = nc_solve_settings_default();
        settings.warm = true;
        settings.accelerate = i % 7 < 4;
        settings.iterations = 1 + i % 10;
        settings.friction = i % 2 == 0 ? NC_FRICTION_CONE : NC_FRICTION_PYRAMID;
        settings.solver = i % 5 == 0 ? NC_SOLVER_SEQUENTIAL : NC_SOLVER_PGS;
        const double before = body_set_energy(c);
        const nc_solve_report report = solve(c, &settings);
        const double rise = body_set_energy(c) - before;
        check_at_most(rise, report.work + 1e-11 * (1 + before + fabs(report.work)));
        check_near(rise, report.energy, 1e-10 * (1 + before));
        restarts += report.restarts;
        clamps += report.clamps;
        shocks += report.shocks;
        for (int k = 0; k < 30; k++) {
            const nc_vec3 l = c->contacts[k].impulse;
            const double mu = c->contacts[k].friction, limit = mu * l.x * (1 + 1e-9) + 1e-12;
            check_at_most(-l.x, 0);
            if (settings.solver == NC_SOLVER_PGS && settings.friction == NC_FRICTION_CONE)
                check_at_most(sqrt(l.y * l.y + l.z * l.z), limit);
            if (settings.solver == NC_SOLVER_PGS && settings.friction == NC_FRICTION_PYRAMID)
                check_at_most(fmax(fabs(l.y), fabs(l.z)), limit);
        }
    }
    print_message("%d restarts, %d clamps, %d shocks\n", restarts, clamps, shocks);
    assert_true(restarts > 10 && clamps > 10 && shocks > 10);
    free(c);
}

// Needles and pebbles and boulders at all speeds: whatever comes out is finite, and energy obeys.
static void hostile_bodies_stay_finite_and_gain_nothing(void **state)
{
    (void)state;
    nc_random random = {check_seed("hostile", 62)};
    body_set *c = body_set_create();
    for (int i = 0; i < check_effort(500); i++) {
        c->count = c->contact_count = 0;
        body_set_fill_random(c, &random, 8, 24, 0.2, 2);
        for (int b = 0; b < 8; b++) {
            const double mass = ldexp(1, (int)(nc_random_u64(&random) % 20)),
                         size = ldexp(1, -(int)(nc_random_u64(&random) % 12));
            const nc_vec3 thin = nc_v3(mass * size * size, mass * size * size, mass * size * size * 1e-6);
            const nc_quat q = random_turn(&random);
            if (c->mass[b] == 0)
                continue;
            c->mass[b] = mass;
            c->inv_mass[b] = 1 / mass;
            c->inertia[b] = turned_diagonal(q, thin);
            c->inv_inertia[b] = turned_diagonal(q, nc_v3(1 / thin.x, 1 / thin.y, 1 / thin.z));
            c->v[b] = random_vector(&random, 1e4);
            c->w[b] = random_vector(&random, 1e3);
        }
        nc_solve_settings settings = nc_solve_settings_default();
        settings.iterations = 1 + i % 30;
        const double before = body_set_energy(c);
        const nc_solve_report report = solve(c, &settings);
        check_at_most(body_set_energy(c) - before, report.work + 1e-9 * (before + fabs(report.work)));
        for (int b = 0; b < 8; b++)
            assert_true(nc_finite3(c->v[b]) && nc_finite3(c->w[b]));
    }
    free(c);
}

// Clamped or not, velocities and impulses tell the same story.
static void velocities_change_by_the_impulses_that_are_reported(void **state)
{
    (void)state;
    nc_random random = {check_seed("story", 61)};
    body_set *c = body_set_create(), *applied = body_set_create();
    int clamps = 0;
    for (int i = 0; i < check_effort(200); i++) {
        c->count = c->contact_count = 0;
        body_set_fill_random(c, &random, 8, 20, 0.2, 1.5);
        for (int k = 0; k < 20; k++)
            c->contacts[k].target = nc_random_range(&random, -1, i % 2 == 0 ? 5 : 0);
        *applied = *c;
        nc_solve_settings settings = nc_solve_settings_default();
        settings.shock = false; // drops reactions
        settings.iterations = 1 + i % 10;
        clamps += solve(c, &settings).clamps;
        const nc_solver_bodies bodies = body_set_bodies(applied);
        for (int k = 0; k < 20; k++)
            nc_contact_apply(&bodies, &applied->contacts[k], nc_contact_impulse_vector(&c->contacts[k]));
        for (int b = 0; b < 8; b++) {
            check_near(nc_norm(nc_sub(c->v[b], applied->v[b])), 0, 1e-11 * (1 + nc_norm(c->v[b])));
            check_near(nc_norm(nc_sub(c->w[b], applied->w[b])), 0, 1e-11 * (1 + nc_norm(c->w[b])));
        }
    }
    assert_true(clamps > 0);
    free(c);
    free(applied);
}

// ---- closed forms -------------------------------------------------------------------------------------------

static void stack_carries_its_weight_at_every_level(void **state)
{
    (void)state;
    body_set *c = body_set_create();
    const double speed = 9.8 / 24;
    const int heights[] = {1, 2, 5, 25};
    for (int i = 0; i < 4; i++) {
        const int n = heights[i];
        c->count = c->contact_count = 0;
        body_set_stack(c, n, speed, 0);
        const nc_solve_settings settings = exact_settings();
        const nc_solve_report report = solve(c, &settings);
        print_message("%d boxes: %d sweeps from cold, residual %.1e m/s\n", n, report.iterations, report.residual);
        for (int level = 0; level < n; level++) {
            double sum = 0;
            for (int k = 0; k < 4; k++)
                sum += c->contacts[4 * level + k].impulse.x;
            check_near(sum, speed * (n - level), 1e-9 * n);
        }
        for (int b = 1; b <= n; b++)
            check_near(nc_norm(c->v[b]), 0, 1e-9);
    }
    free(c);
}

// A low block on a plane tilted by theta towards azimuth phi, after one step of gravity. Returns its velocity.
static nc_vec3 on_incline(body_set *c, double slope, double phi, double mu, nc_friction_model friction)
{
    const double g_dt = 0.4, cosine = 1 / sqrt(1 + slope * slope), sine = slope * cosine;
    double s, o;
    nc_sincos(phi, &s, &o);
    c->count = c->contact_count = 0;
    body_set_add(c, 0, nc_v3(0, 0, 0), nc_quat_identity(), nc_v3(0, 0, 0));
    body_set_add_box(c, 2, nc_v3(1, 1, 0.2), nc_v3(0, 0, 0.1));
    c->v[1] = nc_v3(g_dt * sine * o, g_dt * sine * s, -g_dt * cosine);
    body_set_touch_square(c, 1, 0, 1, nc_v3(0, 0, 0), mu);
    nc_solve_settings settings = exact_settings();
    settings.friction = friction;
    const nc_solve_report report = solve(c, &settings);
    assert_int_equal(report.unconverged, 0);
    check_near(report.factor, 1, 1e-9);
    return c->v[1];
}

static void block_on_an_incline_holds_and_slides_alike_in_all_directions(void **state)
{
    (void)state;
    body_set *c = body_set_create();
    const double mu = 0.5;
    for (int i = 0; i < 24; i++) {
        const double phi = i * 2 * NC_PI / 24 + 0.01;
        check_near(nc_norm(on_incline(c, mu * 0.999, phi, mu, NC_FRICTION_CONE)), 0, 1e-9);
        const double slope = mu * 1.5, cosine = 1 / sqrt(1 + slope * slope);
        const nc_vec3 v = on_incline(c, slope, phi, mu, NC_FRICTION_CONE);
        double s, o;
        nc_sincos(phi, &s, &o);
        const double wanted = 0.4 * cosine * (slope - mu); // g dt (sin - mu cos)
        check_near(v.x, wanted * o, 1e-9);
        check_near(v.y, wanted * s, 1e-9);
        check_near(v.z, 0, 1e-9);
        check_near(nc_norm(on_incline(c, mu * 1.001, phi, mu, NC_FRICTION_CONE)), 0.4 * mu * 0.001 * 0.894, 1e-6);
    }
    free(c);
}

// What the four-sided pyramid of eq. 18-20 does instead: sqrt(2) too strong between its axes.
static void pyramid_holds_too_much_between_its_axes(void **state)
{
    (void)state;
    body_set *c = body_set_create();
    check_near(nc_norm(on_incline(c, 0.5 * 1.3, NC_PI / 4, 0.5, NC_FRICTION_PYRAMID)), 0, 1e-9);
    assert_true(nc_norm(on_incline(c, 0.5 * 1.3, 0, 0.5, NC_FRICTION_PYRAMID)) > 0.01);
    assert_true(nc_norm(on_incline(c, 0.5 * 1.3, NC_PI / 4, 0.5, NC_FRICTION_CONE)) > 0.01);
    free(c);
}

static void conveyor_drags_a_box_to_its_own_speed_and_no_further(void **state)
{
    (void)state;
    body_set *c = body_set_create();
    body_set_stack(c, 1, 0.5, 1);
    c->v[0] = nc_v3(0.1, 0.2, 0); // slow enough for the grip mu 0.5
    const nc_solve_settings settings = exact_settings();
    const nc_solve_report report = solve(c, &settings);
    check_near(c->v[1].x, 0.1, 1e-10);
    check_near(c->v[1].y, 0.2, 1e-10);
    check_near(c->v[1].z, 0, 1e-10);
    check_near(report.work, 0.1 * 0.1 + 0.2 * 0.2, 1e-10);
    check_at_most(report.energy, report.work);
    free(c);
}

// Eq. 16: what is nearer than the rest distance is pushed out, what is farther may come.
static void target_above_or_below_zero_is_met(void **state)
{
    (void)state;
    body_set *c = body_set_create();
    for (int i = -1; i <= 1; i++) {
        c->count = c->contact_count = 0;
        body_set_stack(c, 1, 1, 0);
        for (int k = 0; k < 4; k++)
            c->contacts[k].target = 0.3 * i;
        nc_solve_settings settings = exact_settings();
        settings.clamp = i <= 0;
        solve(c, &settings);
        check_near(c->v[1].z, 0.3 * i, 1e-10);
    }
    free(c);
}

// 1000 : 1, the heavy one on top.
static void heavy_plate_on_light_boxes_is_held(void **state)
{
    (void)state;
    body_set *c = body_set_create();
    body_set_add(c, 0, nc_v3(0, 0, 0), nc_quat_identity(), nc_v3(0, 0, 0));
    const int plate = body_set_add_box(c, 1000, nc_v3(4, 4, 1), nc_v3(0, 0, 1.5));
    for (int i = 0; i < 4; i++) {
        const nc_vec3 at = nc_v3((i & 1) ? 1.5 : -1.5, (i & 2) ? 1.5 : -1.5, 0);
        const int box = body_set_add_box(c, 1, nc_v3(1, 1, 1), nc_add(at, nc_v3(0, 0, 0.5)));
        body_set_touch_square(c, box, 0, 1, at, 0.5);
        body_set_touch_square(c, plate, box, 1, nc_add(at, nc_v3(0, 0, 1)), 0.5);
    }
    for (int b = 1; b < c->count; b++)
        c->v[b].z = -0.4;
    nc_solve_settings settings = nc_solve_settings_default();
    settings.iterations = 50;
    const nc_solve_report report = solve(c, &settings);
    assert_int_equal(report.shocks, 1);
    for (int b = 1; b < c->count; b++)
        check_at_most(-c->v[b].z, 1e-4);
    free(c);
}

// ---- warm starts, islands, order ----------------------------------------------------------------------------

static void acceleration_changes_the_sweeps_and_not_the_answer(void **state)
{
    (void)state;
    body_set *plain = body_set_create(), *fast = body_set_create();
    nc_solve_settings settings = exact_settings();
    settings.tolerance = 1e-9;
    body_set_stack(fast, 25, 0.4, 0);
    fast->v[25] = nc_v3(0.1, 0.2, -0.3);
    fast->w[25] = nc_v3(0.1, 0, 0.3);
    *plain = *fast;
    const nc_solve_report quick = solve(fast, &settings);
    settings.accelerate = false;
    const nc_solve_report slow = solve(plain, &settings);
    print_message("25 boxes to 1e-9: %d sweeps, accelerated %d\n", slow.iterations, quick.iterations);
    assert_int_equal(quick.unconverged + slow.unconverged, 0);
    assert_true(quick.iterations < slow.iterations / 4);
    for (int b = 0; b <= 25; b++) {
        check_near(nc_norm(nc_sub(plain->v[b], fast->v[b])), 0, 1e-6);
        check_near(nc_norm(nc_sub(plain->w[b], fast->w[b])), 0, 1e-6);
    }
    free(plain);
    free(fast);
}

static void warm_start_from_the_solution_is_done_at_once(void **state)
{
    (void)state;
    body_set *c = body_set_create();
    body_set_stack(c, 10, 0.4, 0);
    nc_solve_settings settings = nc_solve_settings_default();
    settings.iterations = 20000;
    const nc_solve_report cold = solve(c, &settings);
    for (int b = 1; b <= 10; b++) {
        c->v[b] = nc_v3(0, 0, -0.4);
        c->w[b] = nc_v3(0, 0, 0);
    }
    settings.warm = true;
    const nc_solve_report warm = solve(c, &settings);
    print_message("cold %d sweeps, warm %d\n", cold.iterations, warm.iterations);
    assert_true(cold.iterations > 50 && warm.iterations <= 3);
    assert_int_equal(warm.restarts, 0);
    free(c);
}

// The second attempt is a cold one to the bit, and without friction it needs no clamp.
static void warm_start_that_adds_energy_is_forgotten(void **state)
{
    (void)state;
    body_set *warm = body_set_create(), *cold = body_set_create();
    body_set_stack(warm, 6, 0.4, 0);
    *cold = *warm;
    nc_solve_settings settings = nc_solve_settings_default();
    settings.accelerate = settings.shock = false;
    settings.iterations = 5;
    solve(cold, &settings);
    for (int k = 0; k < warm->contact_count; k++)
        warm->contacts[k].impulse = nc_v3(100 + k, 1, 2);
    settings.warm = true;
    const nc_solve_report report = solve(warm, &settings);
    assert_int_equal(report.restarts, 1);
    assert_int_equal(report.clamps, 0);
    assert_true(body_set_hash(warm) == body_set_hash(cold));
    free(warm);
    free(cold);
}

// Coefficients may have changed since the impulses were found.
static void warm_start_is_brought_into_the_cone(void **state)
{
    (void)state;
    body_set *c = body_set_create();
    body_set_stack(c, 1, 0.4, 0);
    for (int k = 0; k < 4; k++)
        c->contacts[k].impulse = nc_v3(0.1, 0.02, -0.01);
    c->contacts[3].impulse = nc_v3(-1, NAN, INFINITY);
    nc_solve_settings settings = exact_settings();
    settings.warm = true;
    const nc_solve_report report = solve(c, &settings);
    assert_int_equal(report.restarts, 0);
    for (int k = 0; k < 4; k++)
        assert_true(c->contacts[k].impulse.y == 0 && c->contacts[k].impulse.z == 0);
    check_near(nc_norm(c->v[1]), 0, 1e-12);
    free(c);
}

// Stacks of one to `most` boxes, side by side on one ground.
static void city(body_set *c, int stacks, int most)
{
    c->count = c->contact_count = 0;
    body_set_add(c, 0, nc_v3(0, 0, 0), nc_quat_identity(), nc_v3(0, 0, 0));
    for (int s = 0; s < stacks; s++) {
        int below = 0;
        for (int i = 0; i <= s % most; i++) {
            const int box = body_set_add_box(c, 1 + 0.1 * (s % 7), nc_v3(1, 1, 1), nc_v3(3 * s, 0, i + 0.5));
            c->v[box] = nc_v3(0.01 * (s % 5), -0.02 * (i % 3), -0.4);
            c->w[box] = nc_v3(0.01 * (i % 4), 0, 0.02 * (s % 3));
            body_set_touch_square(c, box, below, 1, nc_v3(3 * s, 0, i), 0.3);
            below = box;
        }
    }
}

static void result_is_the_same_bits_for_1_to_8_workers(void **state)
{
    (void)state;
    body_set *c = body_set_create();
    const int workers[] = {1, 2, 3, 8};
    for (int kind = 0; kind < 4; kind++) { // of the last, many islands are large enough for groups
        uint64_t first = 0;
        for (int i = 0; i < 4; i++) {
            city(c, 60, kind == 3 ? 24 : 6);
            nc_solve_settings settings = nc_solve_settings_default();
            settings.workers = workers[i];
            settings.iterations = kind == 0 ? 200 : 10;
            settings.solver = kind == 2 ? NC_SOLVER_SEQUENTIAL : NC_SOLVER_PGS;
            const nc_solve_report report = solve(c, &settings);
            assert_int_equal(report.islands, 60);
            uint64_t hash = nc_hash_double(body_set_hash(c), report.energy);
            hash = nc_hash_double(nc_hash_double(hash, report.residual), report.factor);
            if (i == 0)
                first = hash;
            assert_true(hash == first);
        }
    }
    free(c);
}

static void island_alone_gives_the_same_bits_as_among_others(void **state)
{
    (void)state;
    body_set *all = body_set_create(), *one = body_set_create();
    city(all, 12, 6);
    city(one, 12, 6);
    const nc_solve_settings settings = nc_solve_settings_default();
    solve(all, &settings);
    int kept = 0; // the contacts of the last stack
    for (int k = 0; k < one->contact_count; k++) {
        if (one->x[one->contacts[k].a].x == 33)
            one->contacts[kept++] = one->contacts[k];
    }
    one->contact_count = kept;
    const nc_solve_report report = solve(one, &settings);
    assert_int_equal(report.islands, 1);
    assert_int_equal(kept, 24);
    for (int b = 0; b < all->count; b++) {
        if (all->x[b].x != 33)
            continue;
        assert_memory_equal(&all->v[b], &one->v[b], sizeof all->v[b]);
        assert_memory_equal(&all->w[b], &one->w[b], sizeof all->w[b]);
    }
    free(all);
    free(one);
}

static void bodies_that_need_nothing_keep_their_bits(void **state)
{
    (void)state;
    body_set *c = body_set_create();
    body_set_stack(c, 2, -0.4, 0.5); // the whole stack rises
    c->v[1].x = c->v[2].x = -0.0;
    c->w[1] = nc_v3(-0.0, 0, 0);
    body_set_add_box(c, 1, nc_v3(1, 1, 1), nc_v3(9, 9, 9)); // touches nobody
    c->v[3] = nc_v3(-0.0, 1, 2);
    const uint64_t before = body_set_hash(c);
    const nc_solve_settings settings = nc_solve_settings_default();
    const nc_solve_report report = solve(c, &settings);
    assert_true(body_set_hash(c) == before);
    assert_int_equal(report.iterations, 1);
    free(c);
}

static void contacts_of_two_infinite_bodies_are_left_out(void **state)
{
    (void)state;
    body_set *c = body_set_create();
    body_set_add(c, 0, nc_v3(0, 0, 0), nc_quat_identity(), nc_v3(0, 0, 0));
    body_set_add(c, 0, nc_v3(0, 0, 0), nc_quat_identity(), nc_v3(0, 0, 1));
    c->v[1].z = -1;
    body_set_touch(c, 1, 0, nc_v3(0, 0, 0.5), nc_v3(0, 0, 1), 0.5, 0)->impulse = nc_v3(1, 2, 3);
    const nc_solve_settings settings = nc_solve_settings_default();
    const nc_solve_report report = solve(c, &settings);
    assert_true(report.islands == 0 && report.contacts == 0 && report.factor == 1);
    assert_true(c->v[1].z == -1 && c->contacts[0].impulse.x == 0);
    free(c);
}

// A crate on a support whose surface moves by `bias` over the step, though its velocity at this instant is 0.
static void bias_acts_as_a_velocity_of_the_support(void **state)
{
    (void)state;
    body_set *moving = body_set_create(), *biased = body_set_create();
    body_set_stack(moving, 3, 0.4, 0.3);
    body_set_stack(biased, 3, 0.4, 0.3);
    const nc_vec3 drift = nc_v3(0.3, -0.1, 0.05);
    moving->v[0] = nc_neg(drift);
    for (int k = 0; k < 4; k++)
        biased->contacts[k].bias = drift;
    nc_solve_settings settings = exact_settings();
    settings.clamp = false; // the moving support does work, the bias does none
    solve(moving, &settings);
    const nc_solve_report report = solve(biased, &settings);
    const nc_solver_bodies bodies = body_set_bodies(biased);
    check_at_most(nc_contact_residual(&bodies, biased->contacts, biased->contact_count, NC_FRICTION_CONE), 1e-8);
    assert_true(report.work == 0);
    for (int i = 1; i <= 3; i++) {
        check_at_most(nc_norm(nc_sub(moving->v[i], biased->v[i])), 1e-13);
        check_at_most(nc_norm(nc_sub(moving->w[i], biased->w[i])), 1e-13);
    }
    assert_true(nc_contact_velocity(&bodies, &biased->contacts[0]).z < -0.04);
    free(moving);
    free(biased);
}

// ---- the second solver --------------------------------------------------------------------------------------

// The largest speed at which a contact opens.
static double opening(body_set *c)
{
    const nc_solver_bodies bodies = body_set_bodies(c);
    double speed = 0;
    for (int k = 0; k < c->contact_count; k++)
        speed = fmax(speed, nc_dot(nc_contact_velocity(&bodies, &c->contacts[k]), c->contacts[k].normal));
    return speed;
}

// English 4.3.2: too much is applied at some contacts, so that bodies separate instead of staying in contact; a small
// epsilon mitigates it, at the price of sweeps. Gauss-Seidel takes back what was too much.
static void sequential_impulses_open_contacts_and_a_small_epsilon_costs_sweeps(void **state)
{
    (void)state;
    body_set *c = body_set_create();
    double open[4];
    int sweeps[4];
    for (int i = 0; i < 4; i++) {
        nc_solve_settings settings = exact_settings();
        settings.tolerance = 1e-6;
        settings.solver = i < 3 ? NC_SOLVER_SEQUENTIAL : NC_SOLVER_PGS;
        settings.epsilon = i == 0 ? 1 : (i == 1 ? 0.1 : 0.01);
        c->count = c->contact_count = 0;
        body_set_stack(c, 3, 0.4, 0);
        const nc_solve_report report = solve(c, &settings);
        assert_int_equal(report.unconverged, 0);
        for (int b = 1; b <= 3; b++)
            check_at_most(-c->v[b].z, 1e-5);
        open[i] = opening(c);
        sweeps[i] = report.iterations;
        print_message("%s, epsilon %g: %d sweeps, a contact opens at %.1e m/s\n", i < 3 ? "sequential" : "pgs",
                      settings.epsilon, sweeps[i], open[i]);
    }
    check_at_most(open[3], 1e-6);
    assert_true(open[0] > 1e-4 && open[2] < 1e-5);
    assert_true(sweeps[1] > 4 * sweeps[0] && sweeps[2] > 4 * sweeps[1]);
    free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frictionless_solution_is_that_of_the_lcp),
        cmocka_unit_test(pyramid_sweeps_are_row_by_row_gauss_seidel),
        cmocka_unit_test(cone_solution_obeys_coulomb),
        cmocka_unit_test(one_sweep_of_one_contact_stops_its_slip),
        cmocka_unit_test(converged_friction_needs_no_clamp),
        cmocka_unit_test(cold_frictionless_sweeps_never_add_energy),
        cmocka_unit_test(clamped_solve_never_adds_more_than_infinite_bodies_give),
        cmocka_unit_test(hostile_bodies_stay_finite_and_gain_nothing),
        cmocka_unit_test(velocities_change_by_the_impulses_that_are_reported),
        cmocka_unit_test(stack_carries_its_weight_at_every_level),
        cmocka_unit_test(block_on_an_incline_holds_and_slides_alike_in_all_directions),
        cmocka_unit_test(pyramid_holds_too_much_between_its_axes),
        cmocka_unit_test(conveyor_drags_a_box_to_its_own_speed_and_no_further),
        cmocka_unit_test(target_above_or_below_zero_is_met),
        cmocka_unit_test(heavy_plate_on_light_boxes_is_held),
        cmocka_unit_test(acceleration_changes_the_sweeps_and_not_the_answer),
        cmocka_unit_test(warm_start_from_the_solution_is_done_at_once),
        cmocka_unit_test(warm_start_that_adds_energy_is_forgotten),
        cmocka_unit_test(warm_start_is_brought_into_the_cone),
        cmocka_unit_test(result_is_the_same_bits_for_1_to_8_workers),
        cmocka_unit_test(island_alone_gives_the_same_bits_as_among_others),
        cmocka_unit_test(bodies_that_need_nothing_keep_their_bits),
        cmocka_unit_test(contacts_of_two_infinite_bodies_are_left_out),
        cmocka_unit_test(bias_acts_as_a_velocity_of_the_support),
        cmocka_unit_test(sequential_impulses_open_contacts_and_a_small_epsilon_costs_sweeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
