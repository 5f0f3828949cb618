// Newton's method on islands that sweeps do not solve: its factorisation, its answers, its promises.
#include "contact_bodies.h"

#include "contact/block_cholesky.h"
#include "contact/block_lu.h"

static nc_solve_settings newton_settings(void)
{
    nc_solve_settings settings = nc_solve_settings_default();
    settings.iterations = 100;
    settings.newton = 300;
    settings.compliance = 1e-4;
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

static double residual(body_set *c)
{
    const nc_solver_bodies bodies = body_set_bodies(c);
    return nc_contact_residual(&bodies, c->contacts, c->contact_count, NC_FRICTION_CONE);
}

// ---- factorisation ------------------------------------------------------------------------------------------

#define NODES 24
#define ROWS  (NODES * NC_BLOCK)

static double dense[ROWS][ROWS + 1];

// Elimination without pivoting: the matrix is positive definite.
static void solve_dense(int n, double *x)
{
    for (int j = 0; j < n; j++) {
        for (int i = j + 1; i < n; i++) {
            const double factor = dense[i][j] / dense[j][j];
            for (int k = j; k <= n; k++)
                dense[i][k] -= factor * dense[j][k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        x[i] = dense[i][n];
        for (int k = i + 1; k < n; k++)
            x[i] -= dense[i][k] * x[k];
        x[i] /= dense[i][i];
    }
}

typedef struct sparse {
    uint64_t bits[NODES];
    int place[NODES], degree[NODES], begin[NODES + 1], rows[NODES * NODES];
    double blocks[NODES * NODES * NC_BLOCK * NC_BLOCK], upper[NODES * NODES * NC_BLOCK * NC_BLOCK];
    nc_cholesky_plan plan;
} sparse;

// Both matrices get v w^T over the rows of two nodes, v random: an edge. w differs from v by `skew` of it at most.
static void add_edge(sparse *s, nc_random *random, int a, int b, double skew)
{
    const int p = s->plan.place[a], q = s->plan.place[b], ends[2] = {p < q ? p : q, p < q ? q : p};
    double v[2][NC_BLOCK], w[2][NC_BLOCK];
    for (int i = 0; i < 2 * NC_BLOCK; i++) {
        const double here = nc_random_range(random, -3, 3);
        v[i / NC_BLOCK][i % NC_BLOCK] = here;
        w[i / NC_BLOCK][i % NC_BLOCK] = here * (1 + skew * nc_random_range(random, -1, 1));
    }
    for (int x = 0; x < 2; x++) {
        for (int y = 0; y < 2; y++) {
            for (int i = 0; i < NC_BLOCK * NC_BLOCK; i++) {
                const int row = i / NC_BLOCK, column = i % NC_BLOCK;
                const double value = v[x][row] * w[y][column];
                dense[ends[x] * NC_BLOCK + row][ends[y] * NC_BLOCK + column] += value;
                if (x >= y)
                    s->blocks[NC_BLOCK * NC_BLOCK * nc_cholesky_block_at(&s->plan, ends[y], ends[x]) + i] += value;
                else
                    s->upper[NC_BLOCK * NC_BLOCK * nc_cholesky_block_at(&s->plan, ends[x], ends[y]) + i] += value;
            }
        }
    }
}

// Random structures: symmetric matrices by Cholesky (skew 0), others by LU.
static void check_sparse(nc_random random, double skew)
{
    static sparse s;
    for (int round = 0; round < 60; round++) {
        const int n = 1 + round % NODES, edges = n < 2 ? 0 : (round / 3) % (2 * n);
        int ends[2 * NODES][2];
        memset(&s, 0, sizeof s);
        memset(dense, 0, sizeof dense);
        for (int e = 0; e < edges; e++) {
            ends[e][0] = (int)(nc_random_u64(&random) % (uint64_t)n);
            ends[e][1] = (ends[e][0] + 1 + (int)(nc_random_u64(&random) % (uint64_t)(n - 1))) % n;
            nc_cholesky_connect(s.bits, n, ends[e][0], ends[e][1]);
        }
        assert_true(nc_cholesky_order(s.bits, n, INT64_MAX, s.place, s.degree, &s.plan));
        nc_cholesky_rows(s.bits, s.degree, &s.plan, s.begin, s.rows);
        double x[ROWS], y[ROWS];
        for (int i = 0; i < n * NC_BLOCK; i++) {
            const int column = i / NC_BLOCK;
            dense[i][i] = 1;
            s.blocks[NC_BLOCK * NC_BLOCK * nc_cholesky_block_at(&s.plan, column, column) +
                     (NC_BLOCK + 1) * (i % NC_BLOCK)] = 1;
        }
        for (int e = 0; e < edges; e++)
            add_edge(&s, &random, ends[e][0], ends[e][1], skew);
        for (int i = 0; i < n * NC_BLOCK; i++)
            x[i] = dense[i][n * NC_BLOCK] = nc_random_range(&random, -1, 1);
        assert_true(skew > 0 ? nc_lu_factor(&s.plan, s.blocks, s.upper) : nc_cholesky_factor(&s.plan, s.blocks));
        if (skew > 0)
            nc_lu_solve(&s.plan, s.blocks, s.upper, x);
        else
            nc_cholesky_solve(&s.plan, s.blocks, x);
        solve_dense(n * NC_BLOCK, y);
        for (int i = 0; i < n * NC_BLOCK; i++)
            check_near(x[i], y[i], 1e-10);
    }
}

static void block_cholesky_solves_as_dense_elimination_does(void **state)
{
    (void)state;
    check_sparse((nc_random){check_seed("cholesky", 31)}, 0);
}

static void block_lu_solves_as_dense_elimination_does(void **state)
{
    (void)state;
    check_sparse((nc_random){check_seed("lu", 33)}, 0.2);
}

// A chain needs no fill, whatever the order of its nodes; a matrix that is not positive definite is refused.
static void minimum_degree_leaves_a_chain_without_fill(void **state)
{
    (void)state;
    static sparse s;
    const int order[6] = {3, 0, 5, 1, 4, 2};
    memset(&s, 0, sizeof s);
    for (int i = 0; i + 1 < 6; i++)
        nc_cholesky_connect(s.bits, 6, order[i], order[i + 1]);
    assert_true(nc_cholesky_order(s.bits, 6, INT64_MAX, s.place, s.degree, &s.plan));
    assert_int_equal(s.plan.block_count, 11);
    nc_cholesky_rows(s.bits, s.degree, &s.plan, s.begin, s.rows);
    assert_false(nc_cholesky_factor(&s.plan, s.blocks)); // all 0
    assert_false(nc_lu_factor(&s.plan, s.blocks, s.upper));
    assert_false(nc_cholesky_order(s.bits, 6, 10, s.place, s.degree, &s.plan));
}

// ---- answers ------------------------------------------------------------------------------------------------

#define HOOKS 12

// Links in a row between two that are fixed, each held by the next at points whose normals lie on a cone about the row;
// every second one is heavy. All have fallen for a step.
static void links(body_set *c, int count, double x, double friction)
{
    const int first = body_set_add(c, 0, nc_v3(0, 0, 0), nc_quat_identity(), nc_v3(x, 0, 0));
    for (int i = 1; i <= count + 1; i++) {
        const double mass = i > count ? 0 : (i % 2 == 0 ? 50 : 1);
        const int link = body_set_add(c, mass, nc_v3(0.1 * mass, 0.2 * mass, 0.2 * mass), nc_quat_identity(),
                                      nc_v3(x + i, 0.02 * (i % 3), 0));
        if (i <= count)
            c->v[link] = nc_v3(0, 0, -0.1);
        for (int k = 0; k < HOOKS; k++) {
            double sine, cosine;
            nc_sincos(2 * NC_PI * k / HOOKS, &sine, &cosine);
            const nc_vec3 normal = nc_v3(-1, 0.3 * cosine, 0.3 * sine);
            const nc_vec3 point = nc_v3(x + i - 0.5, 0.05 * cosine, 0.05 * sine);
            body_set_touch(c, link, link - 1, point, nc_scale(1 / nc_norm(normal), normal), friction, 0);
        }
    }
    assert_int_equal(c->count, first + count + 2);
}

static void taut_links_are_solved_where_sweeps_fail(void **state)
{
    (void)state;
    body_set *c = body_set_create();
    for (int i = 0; i < 2; i++) {
        const int count = i == 0 ? 4 : 40;
        nc_solve_settings sweeps = newton_settings(), settings = newton_settings();
        sweeps.newton = 0;
        c->count = c->contact_count = 0;
        links(c, count, 0, 0);
        solve(c, &sweeps);
        const double swept = residual(c);
        c->count = c->contact_count = 0;
        links(c, count, 0, 0);
        const nc_solve_report report = solve(c, &settings);
        print_message("%d links: %.1e m/s after 100 sweeps; %.1e after %d sweeps and %d factorisations\n", count, swept,
                      residual(c), report.iterations, report.newtons);
        assert_true(swept > 1e-4);
        assert_true(report.newtons > 0 && report.unconverged == 0 && report.shocks == 0);
        check_at_most(residual(c), 1e-6);
        for (int b = 1; b <= count; b++)
            check_at_most(nc_norm(c->v[b]), 0.2);
    }
    free(c);
}

// A ball between two walls that both ask for more room than there is.
static void squeeze(body_set *c, double left, double right)
{
    c->count = c->contact_count = 0;
    body_set_add(c, 0, nc_v3(0, 0, 0), nc_quat_identity(), nc_v3(-2, 0, 0));
    body_set_add(c, 2, nc_v3(1, 1, 1), nc_quat_identity(), nc_v3(0, 0, 0));
    body_set_add(c, 0, nc_v3(0, 0, 0), nc_quat_identity(), nc_v3(2, 0, 0));
    body_set_touch(c, 1, 0, nc_v3(-1, 0, 0), nc_v3(1, 0, 0), 0, 0)->target = left;
    body_set_touch(c, 1, 2, nc_v3(1, 0, 0), nc_v3(-1, 0, 0), 0, 0)->target = right;
}

static void targets_that_cannot_be_met_get_least_squares_and_bounded_impulses(void **state)
{
    (void)state;
    body_set *c = body_set_create();
    nc_solve_settings settings = newton_settings();
    settings.clamp = false;
    settings.warm = true;
    squeeze(c, 0.3, 0.1);
    nc_vec3 impulse[2];
    for (int step = 0; step < 50; step++) { // a warm start does not pile impulses up
        c->v[1] = c->w[1] = nc_v3(0, 0, 0);
        const nc_solve_report report = solve(c, &settings);
        assert_int_equal(report.unconverged, 0);
        check_near(c->v[1].x, 0.1, 1e-4);
        for (int k = 0; k < 2; k++) {
            // What is missing, 0.2 m/s, over the compliance of 1e-4 times 1/(2 kg).
            check_near(c->contacts[k].impulse.x, 0.2 / (1e-4 / 2), 1);
            impulse[k] = c->contacts[k].impulse;
        }
    }
    squeeze(c, 0.1, 0.3);
    solve(c, &settings);
    check_near(c->contacts[0].impulse.x, impulse[1].x, 1e-6 * impulse[1].x);
    check_near(c->contacts[1].impulse.x, impulse[0].x, 1e-6 * impulse[0].x);
    free(c);
}

// Compliance of what can be met shows nowhere.
// Boxes in a row between two fixed ones, all of which are to move apart, one pair by much more than the others. There
// is no room for that; compliance would close the others. With two bodies and more, less is requested instead.
static void what_cannot_open_does_not_close(void **state)
{
    (void)state;
    body_set *c = body_set_create();
    const nc_vec3 size = nc_v3(0.1, 0.1, 0.1), along = nc_v3(1, 0, 0);
    const int boxes = 8;
    for (int i = 0; i < boxes + 2; i++)
        body_set_add_box(c, i == 0 || i == boxes + 1 ? 0 : 1 + 0.1 * i, size, nc_v3(0.1 * i, 0, 0));
    for (int i = 0; i < boxes + 1; i++)
        for (int k = 0; k < 4; k++) {
            const nc_vec3 point = nc_v3(0.1 * i + 0.05, k % 2 ? 0.05 : -0.05, k / 2 ? 0.05 : -0.05);
            body_set_touch(c, i + 1, i, point, along, 0.3, 0)->target = i == 3 ? 0.02 : 0.002;
        }
    nc_solve_settings settings = newton_settings();
    settings.clamp = false;
    const nc_solve_report report = solve(c, &settings);
    assert_int_equal(report.unconverged, 0);
    const nc_solver_bodies bodies = body_set_bodies(c);
    for (int k = 0; k < c->contact_count; k++)
        check_at_most(-nc_dot(c->contacts[k].normal, nc_contact_velocity(&bodies, &c->contacts[k])), NC_RESIDUAL_SMALL);
    free(c);
}

static void a_heavy_plate_does_not_sink_into_light_boxes(void **state)
{
    (void)state;
    body_set *c = body_set_create();
    body_set_add(c, 0, nc_v3(0, 0, 0), nc_quat_identity(), nc_v3(0, 0, 0));
    for (int i = 0; i < 4; i++) {
        const nc_vec3 at = nc_v3(i % 2 == 0 ? -1 : 1, i < 2 ? -1 : 1, 0.5);
        const int box = body_set_add_box(c, 1, nc_v3(1, 1, 1), at);
        body_set_touch_square(c, box, 0, 1, nc_v3(at.x, at.y, 0), 0.5);
    }
    const int plate = body_set_add_box(c, 1000, nc_v3(4, 4, 0.1), nc_v3(0, 0, 1.05));
    for (int i = 0; i < 4; i++)
        body_set_touch_square(c, plate, 1 + i, 1, nc_v3(c->x[1 + i].x, c->x[1 + i].y, 1), 0.5);
    for (int b = 1; b < c->count; b++)
        c->v[b].z = -0.4;
    const nc_solve_settings settings = newton_settings();
    const nc_solve_report report = solve(c, &settings);
    print_message("plate: %.1e m/s after %d factorisations\n", c->v[plate].z, report.newtons);
    assert_true(report.unconverged == 0 && report.newtons > 0);
    for (int b = 1; b < c->count; b++)
        check_at_most(nc_norm(c->v[b]), 1e-6);
    free(c);
}

// A wedge between two steep walls, held by friction alone, with a load on it; and one that friction does not hold.
static void a_wedge_holds_by_friction_or_slides(void **state)
{
    (void)state;
    body_set *c = body_set_create();
    for (int slick = 0; slick < 2; slick++) {
        const double friction = slick ? 0.05 : 0.5;
        c->count = c->contact_count = 0;
        body_set_add(c, 0, nc_v3(0, 0, 0), nc_quat_identity(), nc_v3(0, 0, 0));
        const int wedge = body_set_add_box(c, 1, nc_v3(1, 1, 1), nc_v3(0, 0, 0));
        const int load = body_set_add_box(c, 30, nc_v3(1, 1, 1), nc_v3(0, 0, 1));
        body_set_touch_square(c, load, wedge, 1, nc_v3(0, 0, 0.5), friction);
        for (int i = 0; i < 8; i++) {
            const double side = i < 4 ? 1 : -1;
            const nc_vec3 point = nc_v3(-0.5 * side, i % 2 == 0 ? -0.4 : 0.4, i % 4 < 2 ? -0.4 : 0.4);
            body_set_touch(c, wedge, 0, point, nc_scale(1 / sqrt(1.01), nc_v3(side, 0, 0.1)), friction, 0);
        }
        c->v[wedge].z = c->v[load].z = -0.4;
        const nc_solve_settings settings = newton_settings();
        const nc_solve_report report = solve(c, &settings);
        print_message("wedge, friction %g: falls at %.1e m/s, residual %.1e\n", friction, -c->v[wedge].z, residual(c));
        assert_int_equal(report.unconverged, 0);
        check_at_most(residual(c), 1e-6);
        check_near(c->v[wedge].z, c->v[load].z, 1e-5);
        if (slick)
            check_near(c->v[wedge].x, 0, 1e-5); // both walls hold it, and it cannot go down between them
        check_at_most(fabs(c->v[wedge].z), 1e-5);
    }
    free(c);
}

// Without friction the velocities are unique.
static void newton_agrees_with_very_many_sweeps(void **state)
{
    (void)state;
    body_set *c = body_set_create(), *slow = body_set_create();
    nc_random random = {check_seed("newton", 32)};
    int newtons = 0;
    for (int round = 0; round < 60; round++) {
        c->count = c->contact_count = 0;
        body_set_fill_random(c, &random, 8, 14, 0.2, 0);
        for (int b = 0; b < c->count; b++) { // at rest, so that all targets can be met
            if (c->mass[b] == 0)
                c->v[b] = c->w[b] = nc_v3(0, 0, 0);
        }
        memcpy(slow, c, sizeof *c);
        nc_solve_settings settings = newton_settings(), sweeps = settings;
        settings.iterations = 5; // so that little comes from sweeps
        settings.tolerance = 1e-11;
        sweeps.newton = 0;
        sweeps.shock = settings.shock = false;
        sweeps.iterations = 200000;
        sweeps.tolerance = 1e-12;
        newtons += solve(c, &settings).newtons;
        solve(slow, &sweeps);
        for (int b = 0; b < c->count; b++) {
            check_at_most(nc_norm(nc_sub(c->v[b], slow->v[b])), 1e-5);
            check_at_most(nc_norm(nc_sub(c->w[b], slow->w[b])), 1e-4);
        }
    }
    assert_true(newtons > 100);
    free(c);
    free(slow);
}

// Sliding along a groove of two walls at `angle` to the vertical: walls press with what gravity gave over sin(angle),
// and friction takes mu times that off the speed, however pressure is spread.
static void a_block_slides_along_a_groove_as_the_closed_form_says(void **state)
{
    (void)state;
    body_set *c = body_set_create();
    const double fall = 0.4, mu = 0.3, speed = 2, sine = 0.6, cosine = 0.8;
    c->count = c->contact_count = 0;
    body_set_add(c, 0, nc_v3(0, 0, 0), nc_quat_identity(), nc_v3(0, 0, 0));
    const int block = body_set_add_box(c, 3, nc_v3(4, 1, 0.5), nc_v3(0, 0, 0));
    for (int i = 0; i < 8; i++) {
        const double side = i < 4 ? 1 : -1;
        const nc_vec3 point = nc_v3(i % 2 == 0 ? -2 : 2, -0.5 * side, i % 4 < 2 ? -0.25 : 0.1);
        body_set_touch(c, block, 0, point, nc_v3(0, side * cosine, sine), mu, 0);
    }
    c->v[block] = nc_v3(speed, 0, -fall);
    nc_solve_settings settings = newton_settings();
    settings.iterations = 3; // so that little comes from sweeps
    const nc_solve_report report = solve(c, &settings);
    assert_true(report.newtons > 0 && report.unconverged == 0);
    check_near(c->v[block].x, speed - mu * fall / sine, 1e-6);
    check_near(c->v[block].z, 0, 1e-6);
    check_at_most(nc_norm(c->w[block]), 1e-6);
    check_at_most(residual(c), 1e-6);
    free(c);
}

// A ball of a bearing between its races, from a run: it jams until one of three contacts slides and one lets go. The
// residual has to rise on the way.
static void ball(body_set *c)
{
    c->count = c->contact_count = 0;
    body_set_add(c, 0, nc_v3(0, 0, 0), nc_quat_identity(), nc_v3(0, 0, 0));
    const double moment = 1 / 24531.5783;
    const int ball = body_set_add(c, 1 / 3.88508751, nc_v3(moment, moment, moment), nc_quat_identity(),
                                  nc_v3(-0.024, 0.097, -0.0013));
    const int race = body_set_add(c, 0, nc_v3(0, 0, 0), nc_quat_identity(), nc_v3(0, 0, 0));
    c->v[ball] = nc_v3(-0.103904947, -0.0181962561, -0.104548486);
    c->w[ball] = nc_v3(-3.49401261, 12.9277964, -16.3121659);
    c->w[race] = nc_v3(0, 0, 6.28318531);
    const struct {
        int other;
        nc_vec3 normal, arm, arm_other, bias;
        double target;
    } rows[3] = {{0,
                  {-0.149827584, 0.753234131, -0.640460802},
                  {-0.00477567697, 0.0153768502, -0.011921162},
                  {-0.0287875959, 0.112427295, -0.0132293794},
                  {-0.000298777862, 0.00150205775, -0.00127717143},
                  0},
                 {race,
                  {0.169493614, -0.749053987, -0.640460802},
                  {0.00406210685, -0.0160821957, -0.0113854316},
                  {-0.0199498121, 0.0809682488, -0.012693649},
                  {0, 0, 0},
                  -0.0203472664},
                 {race,
                  {0.169987288, -0.751235713, -0.637768944},
                  {0.00359027331, -0.014281949, -0.0136237642},
                  {-0.0204216456, 0.0827684954, -0.0149319816},
                  {0, 0, 0},
                  -0.0193398119}};
    for (int k = 0; k < 3; k++) {
        nc_contact *contact = body_set_touch(c, rows[k].other, ball, nc_v3(0, 0, 0), rows[k].normal, 0.3, 0);
        contact->arm_a = rows[k].arm_other;
        contact->arm_b = rows[k].arm;
        contact->bias = rows[k].bias;
        contact->target = rows[k].target;
    }
    c->contacts[0].impulse =
        nc_contact_impulse_parts(&c->contacts[0], nc_v3(-0.00651635192, 0.023207831, -0.0105074723));
}

static void a_ball_that_jams_between_its_races_is_solved(void **state)
{
    (void)state;
    body_set *c = body_set_create();
    nc_solve_settings sweeps = newton_settings(), settings = newton_settings();
    sweeps.warm = settings.warm = true;
    sweeps.newton = 0;
    ball(c);
    solve(c, &sweeps);
    const double swept = residual(c);
    ball(c);
    const nc_solve_report report = solve(c, &settings);
    print_message("ball: %.1e m/s after 100 sweeps; %.1e after %d factorisations\n", swept, residual(c),
                  report.newtons);
    assert_true(swept > 1e-4);
    assert_true(report.newtons > 0 && report.newtons <= 20 && report.unconverged == 0);
    check_at_most(residual(c), 1e-8);
    free(c);
}

// With friction velocities need not be unique, but each answer is one.
static void random_islands_with_friction_are_solved(void **state)
{
    (void)state;
    body_set *c = body_set_create();
    nc_random random = {check_seed("newton", 34)};
    int newtons = 0;
    for (int round = 0; round < 60; round++) {
        c->count = c->contact_count = 0;
        body_set_fill_random(c, &random, 8, 14, 0.2, 0);
        for (int k = 0; k < c->contact_count; k++)
            c->contacts[k].friction = nc_random_range(&random, 0, 0.6);
        for (int b = 0; b < c->count; b++) { // at rest, so that all targets can be met
            if (c->mass[b] == 0)
                c->v[b] = c->w[b] = nc_v3(0, 0, 0);
        }
        nc_solve_settings settings = newton_settings();
        settings.iterations = 5; // so that little comes from sweeps
        settings.shock = false;
        const nc_solve_report report = solve(c, &settings);
        newtons += report.newtons;
        assert_int_equal(report.unconverged, 0);
        check_at_most(residual(c), NC_RESIDUAL_SMALL);
    }
    assert_true(newtons > 100);
    free(c);
}

// ---- promises -----------------------------------------------------------------------------------------------

static void newton_is_the_same_bits_for_1_to_8_workers_and_next_to_others(void **state)
{
    (void)state;
    body_set *c = body_set_create();
    const int workers[] = {1, 2, 3, 8};
    uint64_t first = 0;
    nc_vec3 alone[4], among[4];
    for (int i = 0; i < 4; i++) {
        c->count = c->contact_count = 0;
        for (int k = 0; k < 20; k++)
            links(c, 3 + k % 4, 20 * k, k % 2 == 0 ? 0 : 0.3);
        nc_solve_settings settings = newton_settings();
        settings.workers = workers[i];
        const nc_solve_report report = solve(c, &settings);
        assert_true(report.islands == 20 && report.newtons > 20);
        const uint64_t hash = nc_hash_double(nc_hash_double(body_set_hash(c), report.energy), report.residual);
        first = i == 0 ? hash : first;
        assert_true(hash == first);
    }
    memcpy(among, &c->v[1], 3 * sizeof *among);
    c->count = c->contact_count = 0;
    links(c, 3, 0, 0);
    const nc_solve_settings settings = newton_settings();
    solve(c, &settings);
    memcpy(alone, &c->v[1], 3 * sizeof *alone);
    assert_memory_equal(alone, among, 3 * sizeof *alone);
    free(c);
}

static void report_names_the_bodies_and_the_true_residual(void **state)
{
    (void)state;
    body_set *c = body_set_create();
    links(c, 6, 0, 0.2);
    nc_solve_settings settings = newton_settings();
    settings.newton = 0;
    settings.iterations = 3;
    const nc_solve_report report = solve(c, &settings);
    assert_int_equal(report.unconverged, 1);
    check_near(report.residual, residual(c), 1e-12);
    assert_true(report.worst_a >= 0 && abs(report.worst_a - report.worst_b) == 1);
    settings = newton_settings();
    c->count = c->contact_count = 0;
    links(c, 6, 0, 0);
    assert_int_equal(solve(c, &settings).unconverged, 0);
    free(c);
}

static void nothing_that_is_not_finite_is_applied(void **state)
{
    (void)state;
    body_set *c = body_set_create();
    const double bad[] = {NAN, INFINITY, 1e300};
    for (int i = 0; i < 3; i++) {
        c->count = c->contact_count = 0;
        links(c, 4, 0, 0.3);
        c->contacts[17].target = bad[i];
        const nc_solve_settings settings = newton_settings();
        solve(c, &settings);
        for (int b = 0; b < c->count; b++)
            assert_true(nc_finite3(c->v[b]) && nc_finite3(c->w[b]));
    }
    free(c);
}

// Two walls that both ask for more room than there is: impulses grow for ever, velocities do not move.
static void sweeps_stop_when_velocities_do(void **state)
{
    (void)state;
    body_set *c = body_set_create();
    nc_solve_report report[2];
    for (int i = 0; i < 2; i++) {
        squeeze(c, 0.3, 0.1);
        for (int k = 0; k < 20; k++) { // wider than high
            c->contacts[2 + k] = c->contacts[k % 2];
            c->contact_count++;
        }
        nc_solve_settings settings = nc_solve_settings_default();
        settings.clamp = settings.accelerate = settings.shock = false;
        settings.plateau = i == 0 ? 0 : 1e-6;
        report[i] = solve(c, &settings);
    }
    print_message("%d sweeps; %d with a plateau\n", report[0].iterations, report[1].iterations);
    assert_true(report[0].iterations == 500 && report[0].unconverged == 1);
    assert_true(report[1].iterations <= 16 && report[1].unconverged == 0);
    free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_cholesky_solves_as_dense_elimination_does),
        cmocka_unit_test(block_lu_solves_as_dense_elimination_does),
        cmocka_unit_test(minimum_degree_leaves_a_chain_without_fill),
        cmocka_unit_test(taut_links_are_solved_where_sweeps_fail),
        cmocka_unit_test(targets_that_cannot_be_met_get_least_squares_and_bounded_impulses),
        cmocka_unit_test(what_cannot_open_does_not_close),
        cmocka_unit_test(a_heavy_plate_does_not_sink_into_light_boxes),
        cmocka_unit_test(a_wedge_holds_by_friction_or_slides),
        cmocka_unit_test(newton_agrees_with_very_many_sweeps),
        cmocka_unit_test(a_block_slides_along_a_groove_as_the_closed_form_says),
        cmocka_unit_test(a_ball_that_jams_between_its_races_is_solved),
        cmocka_unit_test(random_islands_with_friction_are_solved),
        cmocka_unit_test(newton_is_the_same_bits_for_1_to_8_workers_and_next_to_others),
        cmocka_unit_test(report_names_the_bodies_and_the_true_residual),
        cmocka_unit_test(nothing_that_is_not_finite_is_applied),
        cmocka_unit_test(sweeps_stop_when_velocities_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
