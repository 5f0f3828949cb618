// Erleben's complementarity problem: iterates and merit against dense matrices, dynamics and correction against closed
// forms, layers that hold.
#include "contact_bodies.h"
#include "fail_allocator.h"

#define DENSE 36

// A crowd with everything nc_ncp_world points to.
typedef struct site {
    body_set *c;
    nc_ncp *ncp;
    nc_vec3 linear[MAX_BODIES], angular[MAX_BODIES], travel[MAX_BODIES], turn[MAX_BODIES];
    double gap[MAX_CONTACTS], bounce[MAX_CONTACTS];
} site;

static site *site_create(void)
{
    site *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->c = body_set_create();
    s->ncp = nc_ncp_create(NULL);
    assert_non_null(s->ncp);
    return s;
}

static void site_destroy(site *s)
{
    nc_ncp_destroy(s->ncp);
    free(s->c);
    free(s);
}

static nc_ncp_world site_world(site *s)
{
    nc_error err;
    check_ok(nc_ncp_reserve(s->ncp, s->c->count, s->c->contact_count, &err), err);
    return (nc_ncp_world){.bodies = body_set_bodies(s->c),
                          .linear = s->linear,
                          .angular = s->angular,
                          .travel = s->travel,
                          .turn = s->turn,
                          .contacts = s->c->contacts,
                          .count = s->c->contact_count,
                          .gap = s->gap,
                          .bounce = s->bounce};
}

static void site_gravity(site *s, double g)
{
    for (int i = 0; i < s->c->count; i++)
        s->linear[i] = nc_v3(0, 0, s->c->mass[i] > 0 ? -g : 0);
}

// ---- dense ------------------------------------------------------------------------------------------------------

typedef struct dense {
    int n; // rows: 3 per contact (normal, t1, t2)
    double a[DENSE][DENSE], b[DENSE], friction[DENSE], lambda[DENSE];
} dense;

// A = J M^-1 J^T and b = J V - target, column by column from unit impulses.
static void dense_build(body_set *c, dense *d)
{
    const nc_solver_bodies bodies = body_set_bodies(c);
    static nc_vec3 v[MAX_BODIES], w[MAX_BODIES];
    memset(d, 0, sizeof *d);
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
            const double value = row % 3 == 0 ? u.x : (row % 3 == 1 ? u.y : u.z);
            if (column < 0)
                d->b[row] = value;
            else
                d->a[row][column] = value - d->b[row];
        }
        memcpy(c->v, v, sizeof v);
        memcpy(c->w, w, sizeof w);
    }
    for (int row = 0; row < d->n; row++)
        d->friction[row] = c->contacts[row / 3].friction;
}

static double dense_w(const dense *d, int row, double gamma)
{
    double w = d->b[row] + gamma * d->lambda[row];
    for (int j = 0; j < d->n; j++)
        w += d->a[row][j] * d->lambda[j];
    return w;
}

// The bounds of eq. 29.
static void bounds(const dense *d, int row, double *low, double *high)
{
    *low = 0;
    *high = INFINITY;
    if (row % 3 != 0) {
        *high = d->friction[row] * d->lambda[row - row % 3];
        *low = -*high;
    }
}

// Eq. 28 to 30, word for word, on A + gamma 1.
static void dense_iterate(dense *d, double gamma)
{
    for (int i = 0; i < d->n; i++) {
        if (d->a[i - i % 3][i - i % 3] <= 0)
            continue;
        double sum = -d->b[i], low, high;
        for (int j = 0; j < d->n; j++)
            sum -= j == i ? 0 : d->a[i][j] * d->lambda[j];
        bounds(d, i, &low, &high);
        d->lambda[i] = fmin(fmax(low, sum / (d->a[i][i] + gamma)), high);
    }
}

// Eq. 37 and 38, word for word.
static double dense_merit(const dense *d, double gamma)
{
    double sum = 0;
    for (int i = 0; i < d->n; i++) {
        double low, high;
        bounds(d, i, &low, &high);
        if (d->a[i - i % 3][i - i % 3] <= 0)
            continue;
        const double h = fmin(d->lambda[i] - low, fmax(d->lambda[i] - high, dense_w(d, i, gamma)));
        sum += h * h;
    }
    return 0.5 * sum;
}

static double scale_of(const dense *d)
{
    double most = 1e-3;
    for (int i = 0; i < d->n; i++)
        most = fmax(most, fabs(d->lambda[i]));
    return most;
}

static nc_ncp_settings plain_settings(int iterations)
{
    nc_ncp_settings settings = nc_ncp_settings_default();
    settings.iterations = iterations;
    settings.tolerance = 0;
    settings.clamp = false;
    return settings;
}

// A few random bodies in random contacts at no distance, and their dense twin.
static site *random_site(nc_random *random, dense *d)
{
    site *s = site_create();
    body_set_fill_random(s->c, random, 6, DENSE / 3, 0.2, 0.8);
    dense_build(s->c, d);
    return s;
}

static void iterates_and_merit_are_those_of_dense_matrices(void **state)
{
    (void)state;
    nc_random random = {check_seed("dense", 1)};
    static dense d;
    for (int n = check_effort(200); n > 0; n--) {
        site *s = random_site(&random, &d);
        const int iterations = 1 + (int)(nc_random_u64(&random) % 12);
        nc_ncp_settings settings = plain_settings(iterations);
        settings.damping = n % 3 == 0 ? 0 : nc_random_range(&random, 0, 3);
        settings.damping_falls = n % 2 == 0;
        double values[16];
        nc_merit_trace trace = {values, 16, 0};
        nc_ncp_report report = {0};
        const nc_ncp_world world = site_world(s);
        nc_dynamics(s->ncp, &world, NULL, 1, &settings, &report, &trace);
        assert_int_equal(trace.count, report.iterations + 1);
        assert_true(report.iterations == iterations || report.unconverged == 0); // to rounding
        for (int k = 0; k <= report.iterations; k++) {
            const double falls = iterations > 1 ? (double)(iterations - 1 - (k > 0 ? k - 1 : 0)) / (iterations - 1) : 0;
            const double gamma = settings.damping_falls ? settings.damping * falls : settings.damping;
            if (k > 0)
                dense_iterate(&d, gamma);
            const double merit = dense_merit(&d, gamma);
            check_near(values[k], merit, 1e-9 * (merit + scale_of(&d)));
        }
        for (int k = 0; k < s->c->contact_count; k++) {
            const nc_vec3 impulse = s->c->contacts[k].impulse;
            check_near(impulse.x, d.lambda[3 * k], 1e-9 * scale_of(&d));
            check_near(impulse.y, d.lambda[3 * k + 1], 1e-9 * scale_of(&d));
            check_near(impulse.z, d.lambda[3 * k + 2], 1e-9 * scale_of(&d));
        }
        site_destroy(s);
    }
}

// Gauss-Seidel does not see a scaling of rows and columns; what it changes is the measure, and what damping means.
static void scaling_changes_the_measure_and_not_the_iterates(void **state)
{
    (void)state;
    nc_random random = {check_seed("scaling", 2)};
    static dense d;
    for (int n = check_effort(50); n > 0; n--) {
        const nc_random start = random;
        double merit[2] = {0}, impulse[2][DENSE];
        for (int scaled = 0; scaled < 2; scaled++) {
            random = start;
            site *s = random_site(&random, &d);
            nc_ncp_settings settings = plain_settings(7);
            settings.scaling = scaled == 1;
            double values[16];
            nc_merit_trace trace = {values, 16, 0};
            nc_ncp_report report = {0};
            const nc_ncp_world world = site_world(s);
            nc_dynamics(s->ncp, &world, NULL, 1, &settings, &report, &trace);
            merit[scaled] = values[7];
            for (int k = 0; k < s->c->contact_count; k++)
                memcpy(&impulse[scaled][3 * k], &s->c->contacts[k].impulse, sizeof(nc_vec3));
            site_destroy(s);
        }
        assert_memory_equal(impulse[0], impulse[1], sizeof impulse[0]);
        assert_true(merit[0] != merit[1]);
    }
}

static void a_solution_has_no_merit_and_no_violation(void **state)
{
    (void)state;
    site *s = site_create();
    body_set_stack(s->c, 3, 0, 0.5);
    site_gravity(s, 10);
    static double values[3001];
    nc_merit_trace trace = {values, 3001, 0};
    nc_ncp_settings settings = plain_settings(3000);
    settings.symmetric = true;
    for (int model = 0; model < 2; model++) {
        settings.friction = model == 0 ? NC_FRICTION_CONE : NC_FRICTION_PYRAMID;
        for (int i = 0; i < s->c->count; i++)
            s->c->v[i] = s->c->w[i] = nc_v3(0, 0, 0);
        nc_ncp_report report = {0};
        trace.count = 0;
        const nc_ncp_world world = site_world(s);
        nc_dynamics(s->ncp, &world, NULL, 0.01, &settings, &report, &trace);
        check_at_most(values[trace.count - 1], 1e-20);
        assert_true(values[0] > 1e-3);
        check_at_most(nc_contact_residual(&world.bodies, s->c->contacts, s->c->contact_count, settings.friction), 1e-9);
        double weight = 0;
        for (int k = 0; k < 4; k++)
            weight += s->c->contacts[k].impulse.x;
        check_near(weight, 3 * 10 * 0.01, 1e-9);
    }
    site_destroy(s);
}

// ---- dynamics -----------------------------------------------------------------------------------------------------

static void a_box_closes_to_the_distance_of_rest_and_no_farther(void **state)
{
    (void)state;
    site *s = site_create();
    body_set_stack(s->c, 1, 0.3, 0.5);
    const double gap = 0.001;
    for (int k = 0; k < 4; k++)
        s->gap[k] = gap;
    nc_ncp_report report = {0};
    const nc_ncp_settings settings = plain_settings(200);
    const nc_ncp_world world = site_world(s);
    nc_dynamics(s->ncp, &world, NULL, 0.01, &settings, &report, NULL);
    check_near(s->travel[1].z, -gap, 1e-12);
    check_near(s->c->v[1].z, -0.1, 1e-10);
    nc_dynamics(s->ncp, &world, NULL, 0.01, &settings, &report, NULL); // where it is now there is no way left
    check_near(s->travel[1].z, -gap, 1e-10);
    check_near(s->c->v[1].z, 0, 1e-10);
    site_destroy(s);
}

static void bounce_is_a_lower_bound(void **state)
{
    (void)state;
    site *s = site_create();
    body_set_stack(s->c, 1, 2, 0);
    for (int k = 0; k < 4; k++)
        s->bounce[k] = 0.5 * 2;
    nc_ncp_report report = {0};
    const nc_ncp_settings settings = plain_settings(200);
    const nc_ncp_world world = site_world(s);
    nc_dynamics(s->ncp, &world, NULL, 0.01, &settings, &report, NULL);
    check_near(s->c->v[1].z, 1, 1e-10);
    site_destroy(s);
}

static void energy_does_not_rise_where_it_is_clamped(void **state)
{
    (void)state;
    nc_random random = {check_seed("clamp", 3)};
    int clamps = 0;
    for (int n = check_effort(300); n > 0; n--) {
        site *s = site_create();
        body_set_fill_random(s->c, &random, 8, 20, 0, 1);
        for (int k = 0; k < s->c->contact_count; k++)
            s->bounce[k] = nc_random_unit(&random) < 0.5 ? nc_random_range(&random, 0, 5) : 0;
        nc_ncp_settings settings = plain_settings(1 + (int)(nc_random_u64(&random) % 10));
        settings.clamp = true;
        settings.solver = n % 2 == 0 ? NC_SOLVER_PGS : NC_SOLVER_SEQUENTIAL;
        settings.friction = n % 3 == 0 ? NC_FRICTION_CONE : NC_FRICTION_PYRAMID;
        nc_ncp_report report = {0};
        const double before = body_set_energy(s->c);
        const nc_ncp_world world = site_world(s);
        nc_dynamics(s->ncp, &world, NULL, 0, &settings, &report, NULL);
        check_at_most(body_set_energy(s->c), before * (1 + 1e-12));
        clamps += report.clamps;
        site_destroy(s);
    }
    assert_true(clamps > 0);
}

static void warm_starts_go_on_where_the_last_solve_ended(void **state)
{
    (void)state;
    site *s = site_create();
    body_set_stack(s->c, 10, 0.1, 0.5);
    nc_vec3 v[16];
    memcpy(v, s->c->v, sizeof v);
    nc_ncp_settings settings = plain_settings(40);
    double residual[6];
    for (int n = 0; n < 6; n++) {
        settings.warm = n > 0;
        memcpy(s->c->v, v, sizeof v);
        memset(s->c->w, 0, sizeof s->c->w);
        nc_ncp_report report = {0};
        const nc_ncp_world world = site_world(s);
        nc_dynamics(s->ncp, &world, NULL, 0.01, &settings, &report, NULL);
        residual[n] = report.residual;
    }
    for (int n = 1; n < 6; n++)
        assert_true(residual[n] < residual[n - 1]);
    site_destroy(s);
}

// ---- correction and layers ------------------------------------------------------------------------------------------

static nc_contact_graph layers_of(nc_contact_work *work, site *s)
{
    const nc_solver_bodies bodies = body_set_bodies(s->c);
    nc_contact_graph graph;
    nc_error err;
    check_ok(nc_contact_graph_build(work, &bodies, s->c->contacts, s->c->contact_count, &graph, &err), err);
    return graph;
}

typedef struct correcting {
    site *s;
    nc_ncp_world world;
    nc_ncp_settings settings;
    nc_ncp_report report;
} correcting;

static void correct_layer(const nc_layer *layer, void *ctx)
{
    correcting *c = ctx;
    nc_correction(c->s->ncp, &c->world, layer, 0, &c->settings, &c->report);
}

// The deepest contact after what was moved [m].
static double depth_now(const nc_ncp_world *world)
{
    double depth = -INFINITY;
    for (int k = 0; k < world->count; k++)
        depth = fmax(depth, -(world->gap[k] + nc_ncp_closing(world, &world->contacts[k])));
    return depth;
}

// Fig. 13: with five iterations, correction fails without shock propagation and is complete with it.
static void layers_push_a_column_out_of_the_envelope(void **state)
{
    (void)state;
    const double depth = 0.004;
    double left[2];
    nc_contact_work *work = nc_contact_work_create(NULL);
    for (int layered = 0; layered < 2; layered++) {
        site *s = site_create();
        body_set_stack(s->c, 25, 0, 0.5);
        for (int k = 0; k < s->c->contact_count; k++)
            s->gap[k] = -depth;
        correcting c = {.s = s, .world = site_world(s), .settings = plain_settings(5)};
        if (layered == 1) {
            const nc_contact_graph graph = layers_of(work, s);
            assert_int_equal(graph.layer_count, 25);
            nc_shock_propagate(&graph, correct_layer, &c);
        } else {
            nc_correction(s->ncp, &c.world, NULL, 0, &c.settings, &c.report);
        }
        left[layered] = depth_now(&c.world);
        for (int i = 1; layered == 1 && i <= 25; i++)
            check_near(s->travel[i].z, i * depth, 0.05 * depth * i);
        for (int i = 0; i < s->c->count; i++)
            assert_true(nc_norm(s->c->v[i]) == 0);
        site_destroy(s);
    }
    nc_contact_work_destroy(work);
    check_at_most(left[1], 0.05 * depth);
    assert_true(left[0] > 0.5 * depth);
}

// Frictionless corrections are the displacements of least energy that leave nothing inside: two boxes share a depth by
// their masses.
static void correction_shares_a_depth_by_mass(void **state)
{
    (void)state;
    site *s = site_create();
    body_set_add_box(s->c, 1, nc_v3(1, 1, 1), nc_v3(0, 0, 0.5));
    body_set_add_box(s->c, 3, nc_v3(1, 1, 1), nc_v3(0, 0, 1.5));
    body_set_touch_square(s->c, 1, 0, 1, nc_v3(0, 0, 1), 0.5);
    for (int k = 0; k < 4; k++)
        s->gap[k] = -0.008;
    nc_ncp_report report = {0};
    const nc_ncp_settings settings = plain_settings(500);
    const nc_ncp_world world = site_world(s);
    nc_correction(s->ncp, &world, NULL, 0, &settings, &report);
    check_near(s->travel[0].z, -0.006, 1e-12);
    check_near(s->travel[1].z, 0.002, 1e-12);
    check_near(nc_norm(s->turn[0]) + nc_norm(s->turn[1]), 0, 1e-12);
    // What is out of the envelope, or within the slack, is left alone.
    nc_correction(s->ncp, &world, NULL, 0.001, &settings, &report);
    assert_int_equal(report.solves, 1);
    site_destroy(s);
}

static void held_bodies_keep_velocity_and_place(void **state)
{
    (void)state;
    site *s = site_create();
    body_set_stack(s->c, 3, 0.1, 0.5);
    site_gravity(s, 10);
    for (int k = 0; k < s->c->contact_count; k++)
        s->gap[k] = -0.001;
    nc_contact_work *work = nc_contact_work_create(NULL);
    const nc_contact_graph graph = layers_of(work, s);
    const nc_layer middle = {1, graph.contacts + graph.layer_begin[1], graph.layer_begin[2] - graph.layer_begin[1],
                             graph.height};
    const nc_ncp_settings settings = plain_settings(50);
    nc_ncp_report report = {0};
    const nc_vec3 lower = s->c->v[1], upper = s->c->v[3];
    const nc_ncp_world world = site_world(s);
    nc_dynamics(s->ncp, &world, &middle, 0.01, &settings, &report, NULL);
    nc_correction(s->ncp, &world, &middle, 0, &settings, &report);
    assert_memory_equal(&lower, &s->c->v[1], sizeof lower);
    assert_memory_equal(&upper, &s->c->v[3], sizeof upper);
    assert_true(nc_norm(s->travel[1]) == 0 && nc_norm(s->travel[3]) == 0);
    check_near(s->c->v[2].z, lower.z, 1e-9); // rests on a body that falls: it falls as fast
    check_near(s->travel[2].z, 0.01 * lower.z + 0.001 - 0.01 * lower.z, 1e-9);
    nc_contact_work_destroy(work);
    site_destroy(s);
}

// 700 columns of two boxes: more contacts than one thread takes for itself.
static uint64_t hash_of_columns(int workers)
{
    site *s = site_create();
    nc_random random = {5};
    for (int k = 0; k < 700; k++) {
        const int first = s->c->count;
        body_set_stack(s->c, 2, nc_random_range(&random, 0.1, 1), 0.5);
        s->c->w[first + 2] = random_vector(&random, 0.3);
    }
    site_gravity(s, 10);
    for (int k = 0; k < s->c->contact_count; k++)
        s->gap[k] = nc_random_range(&random, -0.002, 0.001);
    nc_ncp_settings settings = plain_settings(10);
    settings.workers = workers;
    settings.clamp = true;
    nc_ncp_report report = {0};
    const nc_ncp_world world = site_world(s);
    nc_dynamics(s->ncp, &world, NULL, 0.01, &settings, &report, NULL);
    nc_correction(s->ncp, &world, NULL, 0, &settings, &report);
    assert_int_equal(report.solves, 1400);
    uint64_t hash = body_set_hash(s->c);
    hash = nc_hash(hash, s->travel, (size_t)s->c->count * sizeof *s->travel);
    site_destroy(s);
    return hash;
}

static void bits_are_the_same_for_any_number_of_workers(void **state)
{
    (void)state;
    const uint64_t one = hash_of_columns(1);
    assert_true(one == hash_of_columns(2));
    assert_true(one == hash_of_columns(7));
}

static nc_code reserve_once(const nc_allocator *allocator, void *ctx)
{
    (void)ctx;
    nc_ncp *ncp = nc_ncp_create(allocator);
    nc_error err;
    const nc_code code = ncp != NULL ? nc_ncp_reserve(ncp, 100, 400, &err) : NC_OUT_OF_MEMORY;
    nc_ncp_destroy(ncp);
    return code;
}

static void running_out_of_memory_leaves_nothing_behind(void **state)
{
    (void)state;
    fail_at_every_call(reserve_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(iterates_and_merit_are_those_of_dense_matrices),
        cmocka_unit_test(scaling_changes_the_measure_and_not_the_iterates),
        cmocka_unit_test(a_solution_has_no_merit_and_no_violation),
        cmocka_unit_test(a_box_closes_to_the_distance_of_rest_and_no_farther),
        cmocka_unit_test(bounce_is_a_lower_bound),
        cmocka_unit_test(energy_does_not_rise_where_it_is_clamped),
        cmocka_unit_test(warm_starts_go_on_where_the_last_solve_ended),
        cmocka_unit_test(layers_push_a_column_out_of_the_envelope),
        cmocka_unit_test(correction_shares_a_depth_by_mass),
        cmocka_unit_test(held_bodies_keep_velocity_and_place),
        cmocka_unit_test(bits_are_the_same_for_any_number_of_workers),
        cmocka_unit_test(running_out_of_memory_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
