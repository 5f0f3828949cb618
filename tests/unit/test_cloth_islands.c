// What does not touch runs on its own: which islands there are, what is rolled back, and that none of it shows.
#include "check.h"

#include "cloth/ticks.h"

enum { SIDE = 5, COUNT = SIDE * SIDE };

static nc_cloth_world *make_world(nc_cloth_finder finder, int workers)
{
    nc_cloth_world_def settings = nc_cloth_world_def_default();
    nc_cloth_world *world;
    nc_error err;
    settings.finder = finder;
    settings.workers = workers;
    settings.frame_dt = 1.0 / 96;
    check_ok(nc_cloth_world_create(&settings, &world, &err), err);
    return world;
}

// A square of 0.2 m, lying and slightly bent; `turned` in its plane by a little.
static void add_sheet(nc_cloth_world *world, nc_vec3 at, nc_vec3 velocity, double turned, const nc_cloth_script *script,
                      double stiffness)
{
    nc_vec3 x[COUNT];
    int t[2 * COUNT][3], triangles = 0, out;
    for (int i = 0; i < COUNT; i++) {
        const int row = i / SIDE - 2, column = i % SIDE - 2;
        const double s = 0.05 * row, r = 0.05 * column;
        x[i] = nc_add(at, nc_v3(s + turned * r, 0.3 * s * r, r - turned * s));
    }
    for (int i = 0; i + SIDE + 1 < COUNT; i++) {
        if (i % SIDE == SIDE - 1)
            continue;
        memcpy(t[triangles++], (int[3]){i, i + 1, i + SIDE}, sizeof t[0]);
        memcpy(t[triangles++], (int[3]){i + 1, i + SIDE + 1, i + SIDE}, sizeof t[0]);
    }
    nc_cloth_def def = nc_cloth_def_default();
    nc_error err;
    def.vertices = x;
    def.vertex_count = COUNT;
    def.triangles = (const int(*)[3])t;
    def.triangle_count = triangles;
    def.velocity = velocity;
    def.stretch_stiffness = stiffness;
    def.contact.friction = 0.2;
    def.scripts = script;
    def.script_count = script != NULL;
    check_ok(nc_cloth_add(world, &def, &out, &err), err);
}

static void step(nc_cloth_world *world, int frames)
{
    nc_error err;
    for (int f = 0; f < frames; f++)
        check_ok(nc_cloth_step(world, NULL, &err), err);
}

static void sheets_far_apart_are_islands_and_those_that_meet_are_one(void **state)
{
    (void)state;
    nc_cloth_world *world = make_world(NC_FINDER_SPECULATIVE, 1);
    add_sheet(world, nc_v3(0, 0, 0), nc_v3(0, 0, 0), 0, NULL, 1000);
    add_sheet(world, nc_v3(5, 0, 0), nc_v3(0, 0, 0), 0, NULL, 1000);
    add_sheet(world, nc_v3(0, 0.1, 0), nc_v3(0, -4, 0), 0.3, NULL, 1000);
    step(world, 1);
    assert_int_equal(world->elastic.components.count, 3);
    assert_int_equal(world->islands.count, 3);
    assert_int_equal(world->counts.islands, 3 * world->counts.windows);
    step(world, 2);
    print_message("%lld islands in %lld windows\n", (long long)world->counts.islands, (long long)world->counts.windows);
    assert_true(world->counts.kicks > 0);
    assert_true(world->counts.islands < 3 * world->counts.windows);  // two of them were one
    assert_true(world->counts.islands >= 2 * world->counts.windows); // the one far away never was
    nc_cloth_world_destroy(world);
}

static void pins_cut_a_sheet_in_two_until_they_let_go(void **state)
{
    (void)state;
    int middle[SIDE];
    for (int i = 0; i < SIDE; i++)
        middle[i] = SIDE * (SIDE / 2) + i;
    const nc_cloth_script pin = {.vertices = middle, .vertex_count = SIDE, .end = 2.0 / 96};
    nc_cloth_world *world = make_world(NC_FINDER_SPECULATIVE, 1);
    add_sheet(world, nc_v3(0, 0, 0), nc_v3(0, 0, 0), 0, &pin, 1000);
    step(world, 1);
    // Hinges across the pinned line have a wing on each side of it only where they lie along it: those join the halves.
    assert_int_equal(world->elastic.components.count, 1);
    nc_cloth_world_destroy(world);

    int wide[2 * SIDE];
    for (int i = 0; i < 2 * SIDE; i++)
        wide[i] = SIDE + i;
    const nc_cloth_script band = {.vertices = wide, .vertex_count = 2 * SIDE, .end = 2.0 / 96};
    world = make_world(NC_FINDER_SPECULATIVE, 1);
    add_sheet(world, nc_v3(0, 0, 0), nc_v3(0, 0, 0), 0, &band, 1000);
    step(world, 1);
    assert_int_equal(world->elastic.components.count, 2);
    assert_int_equal(world->elastic.components.data[0].vertex_count, SIDE);
    assert_int_equal(world->elastic.component[SIDE], -1);
    step(world, 2);
    assert_int_equal(world->elastic.components.count, 1);
    assert_int_equal(world->elastic.components.data[0].vertex_count, COUNT);
    nc_cloth_world_destroy(world);
}

static void a_contact_found_late_rolls_back_its_islands_only(void **state)
{
    (void)state;
    enum { FRAMES = 4 };
    nc_cloth_world *world = make_world(NC_FINDER_SPECULATIVE, 1);
    add_sheet(world, nc_v3(5, 0, 0), nc_v3(0, 0, 0), 0, NULL, 1000); // the first island always: it meets nothing
    add_sheet(world, nc_v3(0, 0, 0), nc_v3(0, 0, 0), 0, NULL, 1000);
    add_sheet(world, nc_v3(0, 0.1, 0), nc_v3(0, -9, 0), 0.3, NULL, 1000);
    int64_t rollbacks = 0, reruns = 0;
    for (int f = 0; f < FRAMES; f++) {
        step(world, 1);
        rollbacks += world->counts.rollbacks;
        reruns += world->counts.island_reruns;
        assert_int_equal(world->window_level, NC_CLOTH_SCRIPT_LEVEL); // no window was cut: that would undo all
    }
    print_message("%lld rollbacks, %lld islands run again\n", (long long)rollbacks, (long long)reruns);
    assert_true(rollbacks > 0 && reruns >= rollbacks && reruns <= 2 * rollbacks);
    const nc_cloth_island *far = &world->islands.data[0];
    assert_int_equal(far->component_count, 1);
    assert_int_equal(far->ticks, FRAMES * ((int64_t)1 << far->finest)); // each tick once
    assert_true(world->islands.data[1].ticks > far->ticks);             // here some were run more than once
    nc_cloth_world_destroy(world);
}

// A grain that lands on pinned vertices only: which of the features there acts is decided by their neighbours, too.
static void a_contact_with_pins_joins_what_lies_next_to_them(void **state)
{
    (void)state;
    static const int corner[3] = {0, 1, SIDE};
    const nc_cloth_script pin = {.vertices = corner, .vertex_count = 3};
    const nc_vec3 above = {-0.09, 0.03, -0.09};
    nc_cloth_world *world = make_world(NC_FINDER_SPECULATIVE, 1);
    nc_cloth_def grain = nc_cloth_def_default();
    nc_error err;
    int out;
    add_sheet(world, nc_v3(0, 0, 0), nc_v3(0, 0, 0), 0, &pin, 1000);
    grain.type = NC_CLOTH_PARTICLES;
    grain.vertices = &above;
    grain.vertex_count = 1;
    grain.velocity = nc_v3(0, -1, 0);
    check_ok(nc_cloth_add(world, &grain, &out, &err), err);
    step(world, 1);
    assert_int_equal(world->counts.islands, 2 * world->counts.windows);
    for (int f = 0; f < 4 && world->counts.kicks == 0; f++)
        step(world, 1);
    assert_true(world->counts.kicks > 0);
    assert_true(world->counts.islands < 2 * world->counts.windows);
    nc_cloth_world_destroy(world);
}

// Sheets that fall on each other, one of them held at vertices that the other lands on, and one far away.
static uint64_t run_pile(nc_cloth_finder finder, int workers, int64_t *kicks)
{
    static const int held[3] = {0, 2, 12};
    const nc_cloth_script pin = {.vertices = held, .vertex_count = 3};
    nc_cloth_world *world = make_world(finder, workers);
    add_sheet(world, nc_v3(0, 0, 0), nc_v3(0, 0, 0), 0, &pin, 2e4);
    add_sheet(world, nc_v3(0.02, 0.05, 0.01), nc_v3(0, -6, 0), 0.3, NULL, 2e4);
    add_sheet(world, nc_v3(0.01, 0.12, 0.02), nc_v3(0, -8, 0), -0.2, NULL, 2e4);
    add_sheet(world, nc_v3(5, 0, 0), nc_v3(0, 1, 0), 0, NULL, 2e4);
    add_sheet(world, nc_v3(5, 0.04, 0), nc_v3(0, -3, 0), 0.5, NULL, 2e4);
    add_sheet(world, nc_v3(9, 0, 0), nc_v3(0, 0, 0), 0, NULL, 2e4);
    *kicks = 0;
    for (int f = 0; f < 4; f++) {
        step(world, 1);
        *kicks += world->counts.kicks;
    }
    assert_int_equal(world->islands.shared_runs > 0, finder == NC_FINDER_SPECULATIVE && workers > 1);
    const uint64_t hash = nc_cloth_hash(world);
    nc_cloth_world_destroy(world);
    return hash;
}

static void islands_are_the_same_for_all_workers_and_finders(void **state)
{
    (void)state;
    int64_t kicks, other;
    const uint64_t one = run_pile(NC_FINDER_SPECULATIVE, 1, &kicks);
    assert_true(kicks > 100);
    assert_true(run_pile(NC_FINDER_SPECULATIVE, 2, &other) == one && other == kicks);
    assert_true(run_pile(NC_FINDER_SPECULATIVE, 8, &other) == one && other == kicks);
    assert_true(run_pile(NC_FINDER_KINETIC, 1, &other) == one && other == kicks);
}

// ---- the run before -----------------------------------------------------------------------------------------

// Keeps the window as it was, and a copy of it as its run again.
static void keep_and_copy(nc_cloth_world *world)
{
    nc_cloth_trace *t = &world->trace;
    nc_cloth_rollback_diff_keep(world);
    nc_cloth_rollback_diff_take_pieces(world);
    assert_true(world->rollback_diff.is_kept);
    assert_true(nc_grow(&world->allocator, (void **)&t->pieces, &t->capacity, t->count, sizeof *t->pieces));
    memcpy(t->pieces, world->rollback_diff.pieces, (size_t)t->count * sizeof *t->pieces);
}

// Do all vertices go as before but for this one? -1: all do.
static bool all_go_as_before_but(nc_cloth_world *world, int other)
{
    bool right = true;
    nc_cloth_rollback_diff_compare(world);
    for (int v = 0; v < world->model.vertex_count; v++)
        right = right && world->trace.same[v] == (v != other);
    return right;
}

static void check_change(nc_cloth_world *world, int vertex, double *number)
{
    const double was = *number;
    *number = nextafter(was, INFINITY);
    assert_true(all_go_as_before_but(world, vertex));
    *number = was;
    assert_true(all_go_as_before_but(world, -1));
}

static void check_time(nc_cloth_world *world, int vertex, int64_t *time)
{
    ++*time;
    assert_true(all_go_as_before_but(world, vertex));
    --*time;
}

static void the_last_bit_of_a_way_makes_it_another(void **state)
{
    (void)state;
    const int vertex = 7;
    nc_cloth_world *world = make_world(NC_FINDER_SPECULATIVE, 1);
    add_sheet(world, nc_v3(0, 0, 0), nc_v3(1, 2, 3), 0, NULL, 1000);
    step(world, 1);
    nc_cloth_trace *t = &world->trace;
    keep_and_copy(world);
    assert_true(all_go_as_before_but(world, -1));
    nc_cloth_state *s = &world->states[vertex];
    check_change(world, vertex, &s->x.y);
    check_change(world, vertex, &s->v.z);
    check_time(world, vertex, &s->t);
    int pieces = 0;
    for (int row = t->last[vertex]; row >= 0; row = t->pieces[row].before, pieces++) {
        check_change(world, vertex, &t->pieces[row].x.x);
        check_change(world, vertex, &t->pieces[row].v.y);
        check_time(world, vertex, &t->pieces[row].t);
    }
    assert_true(pieces > 1);
    t->pieces[t->last[vertex]].before = -1; // all but the last one are missing
    assert_true(all_go_as_before_but(world, vertex));
    t->last[vertex] = -1;
    assert_true(all_go_as_before_but(world, vertex));
    nc_cloth_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sheets_far_apart_are_islands_and_those_that_meet_are_one),
        cmocka_unit_test(pins_cut_a_sheet_in_two_until_they_let_go),
        cmocka_unit_test(a_contact_found_late_rolls_back_its_islands_only),
        cmocka_unit_test(a_contact_with_pins_joins_what_lies_next_to_them),
        cmocka_unit_test(islands_are_the_same_for_all_workers_and_finders),
        cmocka_unit_test(the_last_bit_of_a_way_makes_it_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
