// The contact graph: stack heights, layers, shock propagation.
#include "contact_bodies.h"
#include "fail_allocator.h"

static nc_contact_graph build(nc_contact_work *work, body_set *c)
{
    const nc_solver_bodies bodies = body_set_bodies(c);
    nc_contact_graph graph;
    nc_error err;
    check_ok(nc_contact_graph_build(work, &bodies, c->contacts, c->contact_count, &graph, &err), err);
    return graph;
}

// Heights by relaxing all contacts until nothing changes; -1: no fixed body reached.
static void slow_heights(const body_set *c, int *height)
{
    for (int i = 0; i < c->count; i++)
        height[i] = c->mass[i] > 0 ? -1 : 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (int k = 0; k < c->contact_count; k++) {
            for (int side = 0; side < 2; side++) {
                const int from = side == 0 ? c->contacts[k].a : c->contacts[k].b;
                const int to = side == 0 ? c->contacts[k].b : c->contacts[k].a;
                if (height[from] >= 0 && (height[to] < 0 || height[to] > height[from] + 1)) {
                    height[to] = height[from] + 1;
                    changed = true;
                }
            }
        }
    }
}

static void check_layers(const body_set *c, const nc_contact_graph *graph)
{
    static int seen[MAX_CONTACTS];
    memset(seen, 0, sizeof seen);
    for (int layer = 0; layer < graph->layer_count; layer++) {
        for (int i = graph->layer_begin[layer]; i < graph->layer_begin[layer + 1]; i++) {
            const nc_contact *contact = &c->contacts[graph->contacts[i]];
            const int a = graph->height[contact->a], b = graph->height[contact->b];
            assert_int_equal(a > b ? a : b, layer + 1);
            assert_true((a < b ? a : b) >= layer);
            seen[graph->contacts[i]]++;
            if (i > graph->layer_begin[layer])
                assert_true(graph->contacts[i - 1] < graph->contacts[i]);
        }
    }
    for (int k = 0; k < c->contact_count; k++) {
        const bool fixed = c->mass[c->contacts[k].a] == 0 && c->mass[c->contacts[k].b] == 0;
        assert_int_equal(seen[k], fixed ? 0 : 1);
    }
}

static void heights_are_those_of_a_slow_search(void **state)
{
    (void)state;
    nc_random random = {check_seed("heights", 1)};
    body_set *c = body_set_create();
    nc_contact_work *work = nc_contact_work_create(NULL);
    static int wanted[MAX_BODIES];
    int floating = 0;
    for (int i = 0; i < check_effort(500); i++) {
        c->count = c->contact_count = 0;
        const int n = 2 + (int)(nc_random_u64(&random) % 60), m = (int)(nc_random_u64(&random) % (uint64_t)(2 * n));
        body_set_fill_random(c, &random, n, m, 0.1 * (i % 3), 0);
        const nc_contact_graph graph = build(work, c);
        slow_heights(c, wanted);
        int largest = 1;
        for (int b = 0; b < n; b++)
            largest = wanted[b] > largest ? wanted[b] : largest;
        for (int b = 0; b < n; b++) {
            floating += wanted[b] < 0;
            assert_int_equal(graph.height[b], wanted[b] < 0 ? largest : wanted[b]);
        }
        check_layers(c, &graph);
    }
    assert_true(floating > 0);
    nc_contact_work_destroy(work);
    free(c);
}

static void heights_of_a_stack_count_from_the_ground(void **state)
{
    (void)state;
    body_set *c = body_set_create();
    nc_contact_work *work = nc_contact_work_create(NULL);
    body_set_stack(c, 25, 0, 0);
    const nc_contact_graph graph = build(work, c);
    assert_int_equal(graph.layer_count, 25);
    for (int i = 0; i <= 25; i++)
        assert_int_equal(graph.height[i], i);
    for (int i = 0; i < 25; i++)
        assert_int_equal(graph.layer_begin[i + 1] - graph.layer_begin[i], 4);
    nc_contact_work_destroy(work);
    free(c);
}

static void layer_is_visited(const nc_layer *layer, void *ctx)
{
    int *visits = ctx;
    assert_int_equal(visits[0], layer->index); // bottom up, none left out
    visits[0]++;
    visits[1] += layer->contact_count;
}

static void shock_propagation_visits_layers_bottom_up(void **state)
{
    (void)state;
    body_set *c = body_set_create();
    nc_contact_work *work = nc_contact_work_create(NULL);
    body_set_stack(c, 7, 0, 0);
    const nc_contact_graph graph = build(work, c);
    int visits[2] = {0, 0};
    nc_shock_propagate(&graph, layer_is_visited, visits);
    assert_int_equal(visits[0], 7);
    assert_int_equal(visits[1], 28);
    nc_contact_work_destroy(work);
    free(c);
}

// The speed at which the fastest body falls.
static double fall(const body_set *c)
{
    double speed = 0;
    for (int i = 0; i < c->count; i++)
        speed = fmax(speed, -c->v[i].z);
    return speed;
}

static nc_solve_report solve(nc_contact_work *work, body_set *c, const nc_solve_settings *settings)
{
    const nc_solver_bodies bodies = body_set_bodies(c);
    nc_solve_report report;
    nc_error err;
    check_ok(nc_contact_solve(work, &bodies, c->contacts, c->contact_count, settings, &report, &err), err);
    return report;
}

// One step of gravity on a resting stack, and twenty sweeps: far too few without shock propagation.
static void shock_propagation_stops_a_stack_that_sweeps_do_not(void **state)
{
    (void)state;
    body_set *c = body_set_create();
    nc_contact_work *work = nc_contact_work_create(NULL);
    for (int solver = 0; solver < 2; solver++) {
        nc_solve_settings settings = nc_solve_settings_default();
        settings.iterations = solver == 0 ? 20 : 100;
        settings.solver = solver == 0 ? NC_SOLVER_PGS : NC_SOLVER_SEQUENTIAL;
        settings.shock = false;
        c->count = c->contact_count = 0;
        body_set_stack(c, 25, 9.8 / 24, 0.5);
        nc_solve_report report = solve(work, c, &settings);
        const double without = fall(c);
        assert_int_equal(report.unconverged, 1);
        settings.shock = true;
        c->count = c->contact_count = 0;
        body_set_stack(c, 25, 9.8 / 24, 0.5);
        const double before = body_set_energy(c);
        report = solve(work, c, &settings);
        print_message("solver %d: boxes fall at %.2e m/s without, %.2e with shock propagation\n", solver, without,
                      fall(c));
        assert_int_equal(report.shocks, 1);
        assert_true(without > 0.1);
        check_at_most(fall(c), 1e-6);
        for (int b = 1; b <= 25 && solver == 0; b++)
            check_at_most(nc_norm(c->v[b]), 1e-3);
        check_near(body_set_energy(c) - before, report.energy, 1e-12);
        for (int k = 0; k < c->contact_count; k++)
            assert_true(c->contacts[k].impulse.x >= 0);
    }
    nc_contact_work_destroy(work);
    free(c);
}

// Twenty sweeps per step and warm starts, the geometry held: what English's step 7 does to a stack at rest.
static void stack_of_25_boxes_stays_still_for_200_steps(void **state)
{
    (void)state;
    body_set *c = body_set_create();
    nc_contact_work *work = nc_contact_work_create(NULL);
    body_set_stack(c, 25, 0, 0.5);
    double worst = 0;
    for (int step = 0; step < 200; step++) {
        for (int b = 1; b <= 25; b++)
            c->v[b].z -= 9.8 / 24;
        nc_solve_settings settings = nc_solve_settings_default();
        settings.iterations = 20;
        settings.warm = true;
        solve(work, c, &settings);
        for (int b = 1; b <= 25; b++)
            worst = fmax(worst, nc_norm(c->v[b]));
    }
    print_message("the fastest box of 200 steps: %.1e m/s\n", worst);
    check_at_most(worst, 1e-5);
    nc_contact_work_destroy(work);
    free(c);
}

// A slab of 3 t on pebbles of 10 g; one of its corners touches the floor too, so all of them are at height 1. Gravity
// of one step.
static void lay_slab(body_set *c, double speed)
{
    body_set_add(c, 0, nc_v3(0, 0, 0), nc_quat_identity(), nc_v3(0, 0, 0));
    const int slab = body_set_add_box(c, 3000, nc_v3(2, 2, 0.3), nc_v3(0, 0, 0.2));
    for (int i = 0; i < 25; i++) {
        const nc_vec3 at = nc_v3(0.45 * (i % 5 - 2), 0.45 * (i / 5 - 2), 0.025);
        const int pebble = body_set_add_box(c, 0.01, nc_v3(0.05, 0.05, 0.05), at);
        body_set_touch_square(c, pebble, 0, 0.05, nc_add(at, nc_v3(0, 0, -0.025)), 0.5);
        body_set_touch(c, slab, pebble, nc_add(at, nc_v3(0.01, 0, 0.025)), nc_v3(0, 0, 1), 0.5, 0);
    }
    body_set_touch(c, slab, 0, nc_v3(1, 1, 0), nc_v3(0, 0, 1), 0.5, 0);
    for (int i = 1; i < c->count; i++)
        c->v[i].z = -speed;
}

static double fall_of_slab(bool shock, nc_solve_report *report, uint64_t *impulses)
{
    body_set *c = body_set_create();
    nc_contact_work *work = nc_contact_work_create(NULL);
    lay_slab(c, 9.8 / 60);
    nc_solve_settings settings = nc_solve_settings_default();
    settings.iterations = 100;
    settings.shock = shock;
    *report = solve(work, c, &settings);
    const double speed = fall(c);
    *impulses = NC_HASH_START;
    for (int k = 0; k < c->contact_count; k++)
        *impulses = nc_hash(*impulses, &c->contacts[k].impulse, sizeof c->contacts[k].impulse);
    nc_contact_work_destroy(work);
    free(c);
    return speed;
}

static void a_heavy_slab_comes_to_rest_on_light_pebbles(void **state)
{
    (void)state;
    nc_solve_report without, with;
    uint64_t impulses_without, impulses_with;
    const double speed_without = fall_of_slab(false, &without, &impulses_without);
    const double speed_with = fall_of_slab(true, &with, &impulses_with);
    print_message("the slab falls at %.1e m/s without, %.1e with shock propagation\n", speed_without, speed_with);
    assert_true(speed_without > 0.1);
    assert_int_equal(with.shocks, 1);
    assert_true(with.residual < without.residual / 10);
    assert_true(impulses_with == impulses_without); // those of the sweeps: every action has its reaction
    check_at_most(speed_with, 0.01);
}

// A free-floating clump has one layer, in which nobody is held: its momentum stays.
static void shock_propagation_of_a_floating_clump_keeps_momentum(void **state)
{
    (void)state;
    body_set *c = body_set_create();
    nc_contact_work *work = nc_contact_work_create(NULL);
    nc_random random = {check_seed("clump", 2)};
    for (int i = 0; i < 50; i++) {
        c->count = c->contact_count = 0;
        body_set_fill_random(c, &random, 12, 40, 0, 0.5);
        const nc_vec3 p = body_set_momentum(c), l = body_set_angular_momentum(c);
        nc_solve_settings settings = nc_solve_settings_default();
        settings.iterations = 2;
        const nc_solve_report report = solve(work, c, &settings);
        assert_true(report.shocks > 0);
        check_near(nc_norm(nc_sub(body_set_momentum(c), p)), 0, 1e-11);
        check_near(nc_norm(nc_sub(body_set_angular_momentum(c), l)), 0, 1e-11);
    }
    nc_contact_work_destroy(work);
    free(c);
}

static nc_code trial(const nc_allocator *allocator, void *ctx)
{
    body_set *c = ctx;
    const nc_solver_bodies bodies = body_set_bodies(c);
    nc_contact_work *work = nc_contact_work_create(allocator);
    if (work == NULL)
        return NC_OUT_OF_MEMORY;
    const nc_solve_settings settings = nc_solve_settings_default();
    nc_contact_graph graph;
    const uint64_t before = body_set_hash(c);
    nc_code code = nc_contact_graph_build(work, &bodies, c->contacts, c->contact_count, &graph, NULL);
    if (code == NC_OK)
        code = nc_contact_solve(work, &bodies, c->contacts, c->contact_count, &settings, NULL, NULL);
    else
        assert_true(body_set_hash(c) == before);
    nc_contact_work_destroy(work);
    return code;
}

static void memory_may_fail(void **state)
{
    (void)state;
    body_set *c = body_set_create();
    body_set_stack(c, 25, 1, 0.5);
    assert_true(fail_at_every_call(trial, c) >= 10);
    free(c);
}

// A large island is swept in groups of contacts; only the first solve needs memory for them.
static void reserved_work_allocates_nothing_twice(void **state)
{
    (void)state;
    fail_allocator memory;
    const nc_allocator allocator = fail_allocator_start(&memory, 0);
    body_set *c = body_set_create();
    nc_contact_work *work = nc_contact_work_create(&allocator);
    assert_int_equal(nc_contact_work_reserve(work, 26, 100, NULL), NC_OK);
    nc_solve_settings settings = nc_solve_settings_default();
    settings.iterations = 5; // shock propagation too
    long calls = memory.calls;
    body_set_stack(c, 10, 1, 0.5);
    solve(work, c, &settings);
    assert_int_equal(memory.calls, calls);
    c->count = c->contact_count = 0;
    body_set_stack(c, 25, 1, 0.5);
    solve(work, c, &settings);
    calls = memory.calls;
    const size_t bytes = memory.live_bytes;
    solve(work, c, &settings);
    build(work, c);
    assert_int_equal(memory.calls, calls);
    assert_int_equal(memory.live_bytes, bytes);
    nc_contact_work_destroy(work);
    fail_allocator_check_clean(&memory);
    free(c);
}

static void absurd_sizes_are_refused(void **state)
{
    (void)state;
    nc_contact_work *work = nc_contact_work_create(NULL);
    assert_int_equal(nc_contact_work_reserve(work, -1, 0, NULL), NC_BAD_ARGUMENT);
    assert_int_equal(nc_contact_work_reserve(work, 0, INT32_MAX, NULL), NC_BAD_ARGUMENT);
    nc_contact_work_destroy(work);
    nc_contact_work_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heights_are_those_of_a_slow_search),
        cmocka_unit_test(heights_of_a_stack_count_from_the_ground),
        cmocka_unit_test(shock_propagation_visits_layers_bottom_up),
        cmocka_unit_test(shock_propagation_stops_a_stack_that_sweeps_do_not),
        cmocka_unit_test(stack_of_25_boxes_stays_still_for_200_steps),
        cmocka_unit_test(a_heavy_slab_comes_to_rest_on_light_pebbles),
        cmocka_unit_test(shock_propagation_of_a_floating_clump_keeps_momentum),
        cmocka_unit_test(memory_may_fail),
        cmocka_unit_test(reserved_work_allocates_nothing_twice),
        cmocka_unit_test(absurd_sizes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
