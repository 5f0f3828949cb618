// The start of a world, and bodies put into it later: nobody meets, nobody touches, and what is near stays as near.
#include "check.h"

#include "nacre/nacre.h"

#include "base/base.h"
#include "world/world.h"

#include "fail_allocator.h"

#define STEP (1.0 / 24)

static nc_world *new_world(const nc_allocator *allocator)
{
    nc_world_def def = nc_world_def_default();
    def.workers = 1;
    if (allocator != NULL)
        def.allocator = *allocator;
    nc_world *world = NULL;
    nc_error err;
    const nc_code code = nc_world_create(&def, &world, &err);
    assert_true(code == NC_OK || code == NC_OUT_OF_MEMORY);
    return world;
}

static nc_code put(nc_world *world, const char *shape, nc_body_type type, const char *name, nc_vec3 position,
                   nc_body_id *id, nc_error *err)
{
    const nc_shape_parameter size = {"size", type == NC_STATIC ? 20 : 1};
    nc_body_def def = nc_body_def_default();
    const nc_allocator allocator = world->settings.allocator;
    nc_code code = nc_shape_create(shape, &size, 1, &allocator, &def.mesh, err);
    if (code != NC_OK)
        return code;
    def.type = type;
    def.name = name;
    def.position = position;
    code = nc_body_create(world, &def, id, err);
    nc_mesh_release(def.mesh);
    return code;
}

static nc_body_id put_box(nc_world *world, const char *name, nc_vec3 position)
{
    nc_body_id id = {0, 0};
    nc_error err;
    check_ok(put(world, "box", NC_DYNAMIC, name, position, &id, &err), err);
    return id;
}

static nc_body_id put_ground(nc_world *world)
{
    nc_body_id id = {0, 0};
    nc_error err;
    check_ok(put(world, "plane", NC_STATIC, "ground", nc_v3(0, 0, 0), &id, &err), err);
    return id;
}

static void step_times(nc_world *world, int count)
{
    nc_error err;
    for (int i = 0; i < count; i++)
        check_ok(nc_world_step(world, STEP, NULL, &err), err);
}

static nc_pose at(double x, double y, double z)
{
    return (nc_pose){nc_v3(x, y, z), nc_quat_identity()};
}

static double height(const nc_world *world, nc_body_id id)
{
    nc_body_state body;
    nc_error err;
    check_ok(nc_body_read(world, id, &body, &err), err);
    return body.pose.x.y;
}

// ---- meeting ------------------------------------------------------------------------------------------------

static void the_first_step_refuses_bodies_that_meet_and_names_both(void **state)
{
    (void)state;
    nc_world *world = new_world(NULL);
    put_box(world, "left", nc_v3(0, 0, 0));
    const nc_body_id right = put_box(world, "right", nc_v3(0.9, 0.1, 0)); // as yet nobody looks
    const uint64_t before = nc_world_hash(world);
    nc_error err;
    assert_int_equal(nc_world_step(world, STEP, NULL, &err), NC_INTERSECTING);
    assert_non_null(strstr(err.text, "\"left\""));
    assert_non_null(strstr(err.text, "\"right\""));
    nc_start_report report;
    assert_int_equal(nc_world_check(world, &report, &err), NC_INTERSECTING);
    assert_int_equal(report.b.index, right.index);
    assert_true(nc_world_hash(world) == before);
    check_ok(nc_body_move(world, right, at(1.2, 0, 0), &err), err);
    step_times(world, 1);
    nc_world_destroy(world);
}

static void a_body_is_not_created_into_another(void **state)
{
    (void)state;
    nc_world *world = new_world(NULL);
    put_box(world, "old", nc_v3(0, 0, 0));
    step_times(world, 2);
    const uint64_t before = nc_world_hash(world);
    const int meshes = nc_world_mesh_count(world);
    nc_error err;
    nc_body_id id = {0, 0};
    assert_int_equal(put(world, "box", NC_DYNAMIC, "new", nc_v3(0.3, 0.2, 0.9), &id, &err), NC_INTERSECTING);
    assert_non_null(strstr(err.text, "\"new\""));
    assert_non_null(strstr(err.text, "\"old\""));
    assert_int_equal(put(world, "box", NC_STATIC, NULL, nc_v3(0, -10, 0), &id, &err), NC_INTERSECTING);
    assert_non_null(strstr(err.text, "the new body"));
    assert_true(nc_world_hash(world) == before);
    assert_int_equal(nc_world_mesh_count(world), meshes);
    assert_int_equal(nc_world_body_count(world), 1);
    check_ok(put(world, "box", NC_DYNAMIC, "new", nc_v3(0.3, 1.2, 0.9), &id, &err), err);
    step_times(world, 2);
    nc_world_destroy(world);
}

static void a_body_is_not_moved_into_another(void **state)
{
    (void)state;
    nc_world *world = new_world(NULL);
    put_box(world, "still", nc_v3(0, 0, 0));
    const nc_body_id id = put_box(world, "moved", nc_v3(5, 0, 0));
    nc_error err;
    check_ok(nc_world_check(world, NULL, &err), err);
    const uint64_t before = nc_world_hash(world);
    assert_int_equal(nc_body_move(world, id, at(0.5, 0.5, 0.5), &err), NC_INTERSECTING);
    assert_non_null(strstr(err.text, "\"still\""));
    assert_non_null(strstr(err.text, "\"moved\""));
    assert_true(nc_world_hash(world) == before);
    check_ok(nc_body_move(world, id, at(-5, 0, 0), &err), err); // right through it, but not into it
    check_ok(nc_body_move(world, id, at(-5, 0, 0), &err), err); // it is not in its own way
    nc_world_destroy(world);
}

static void pairs_that_may_meet_may_be_put_into_each_other(void **state)
{
    (void)state;
    nc_world *world = new_world(NULL);
    nc_error err;
    const nc_body_id a = put_box(world, "a", nc_v3(0, 5, 0)), b = put_box(world, "b", nc_v3(0.5, 5, 0));
    put_ground(world);
    nc_body_id wall;
    check_ok(put(world, "plane", NC_STATIC, "wall", nc_v3(1, 0, 0), &wall, &err), err); // coplanar, both static
    check_ok(nc_world_exempt_pair(world, a, b, &err), err);
    check_ok(nc_world_check(world, NULL, &err), err);
    check_ok(nc_body_move(world, b, at(0.1, 5, 0.1), &err), err);
    check_ok(nc_body_move(world, wall, at(2, 0, 0), &err), err);
    step_times(world, 1);
    nc_world_destroy(world);
}

// A random crowd: whatever is created or moved, the audit never finds anything, and what is refused would be found.
static void what_is_refused_is_what_the_audit_would_find(void **state)
{
    (void)state;
    nc_random random = {check_seed("crowd", 12)};
    nc_world *world = new_world(NULL), *free_world = new_world(NULL);
    nc_error err;
    check_ok(nc_world_check(world, NULL, &err), err);
    int refused = 0;
    for (int i = 0; i < 200; i++) {
        const double x = nc_random_range(&random, -4, 4), y = nc_random_range(&random, -4, 4);
        const double z = nc_random_range(&random, -4, 4);
        nc_body_id id, other;
        const nc_code code = put(world, "box", NC_DYNAMIC, NULL, nc_v3(x, y, z), &id, &err);
        assert_true(code == NC_OK || code == NC_INTERSECTING);
        refused += code != NC_OK;
        check_ok(put(free_world, "box", NC_DYNAMIC, NULL, nc_v3(x, y, z), &other, &err), err);
        int found = 0;
        check_ok(nc_world_audit(free_world, NULL, 0, &found, &err), err);
        assert_int_equal(found > 0, code != NC_OK);
        if (found > 0)
            check_ok(nc_body_destroy(free_world, other, &err), err);
    }
    assert_true(refused > 20 && refused < 180);
    nc_world_destroy(world);
    nc_world_destroy(free_world);
}

// ---- touching, and distances --------------------------------------------------------------------------------

static void bodies_that_all_but_touch_are_refused(void **state)
{
    (void)state;
    nc_world *world = new_world(NULL);
    put_ground(world);
    const nc_body_id id = put_box(world, "box", nc_v3(0, 0.5 + 1e-11, 0));
    nc_error err;
    assert_int_equal(nc_world_step(world, STEP, NULL, &err), NC_INTERSECTING);
    assert_non_null(strstr(err.text, "touching"));
    check_ok(nc_body_move(world, id, at(0, 2, 0), &err), err);
    check_ok(nc_world_check(world, NULL, &err), err);
    assert_int_equal(nc_body_move(world, id, at(0, 0.5 + 1e-11, 0), &err), NC_INTERSECTING);
    assert_non_null(strstr(err.text, "\"ground\""));
    check_ok(nc_body_move(world, id, at(0, 0.5 + 1e-8, 0), &err), err);
    step_times(world, 10);
    nc_world_destroy(world);
}

static void the_floor_is_lowered_to_an_eighth_of_the_smallest_start_distance(void **state)
{
    (void)state;
    nc_world *world = new_world(NULL);
    put_ground(world);
    put_box(world, "low", nc_v3(0, 0.5 + 2e-5, 0));
    put_box(world, "near", nc_v3(3, 0.5 + 1e-3, 0));
    put_box(world, "far", nc_v3(6, 0.5 + 1e-2, 0));
    nc_error err;
    nc_start_report report;
    check_ok(nc_world_check(world, &report, &err), err);
    check_near(report.nearest, 2e-5, 1e-12);
    check_near(report.floor_asked, 5e-5, 0);
    check_near(report.floor_distance, report.nearest / 8, 0);
    check_near(nc_world_settings(world).floor_distance, report.nearest / 8, 0);
    assert_int_equal(report.capped_pairs, 2);
    assert_string_equal(nc_body_name(world, report.a), "ground");
    assert_string_equal(nc_body_name(world, report.b), "low");
    check_near(report.float_floor, 6.5 * 0x1p-20, 1e-20); // of the box that is farthest out
    nc_start_report again;
    check_ok(nc_world_check(world, &again, &err), err);
    assert_memory_equal(&again.nearest, &report.nearest, sizeof report.nearest);
    nc_world_destroy(world);

    world = new_world(NULL);
    put_ground(world);
    put_box(world, "far", nc_v3(6, 0.5 + 1e-2, 0));
    check_ok(nc_world_check(world, &report, &err), err);
    assert_true(isinf(report.nearest));
    check_near(report.floor_distance, 5e-5, 0);
    nc_world_destroy(world);
}

// At 5 mm rest the world's other bodies; this one was put at 1 mm, another at 20 micrometres, below the floor.
static void a_pair_rests_at_the_distance_it_starts_at(void **state)
{
    (void)state;
    nc_world *world = new_world(NULL);
    put_ground(world);
    const nc_body_id tight = put_box(world, "tight", nc_v3(0, 0.501, 0));
    const nc_body_id hair = put_box(world, "hair", nc_v3(3, 0.50002, 0));
    const nc_body_id dropped = put_box(world, "dropped", nc_v3(6, 0.55, 0));
    for (int k = 0; k < 48; k++) {
        step_times(world, 1);
        check_near(height(world, tight), 0.501, 1e-6);
        check_near(height(world, hair), 0.50002, 1e-6);
    }
    check_near(height(world, dropped), 0.505, 1e-5);
    nc_world_destroy(world);
}

static void a_body_put_near_another_later_rests_there_until_it_is_moved_away(void **state)
{
    (void)state;
    nc_world *world = new_world(NULL);
    put_ground(world);
    const nc_body_id first = put_box(world, "first", nc_v3(0, 0.6, 0));
    step_times(world, 1);
    const nc_body_id late = put_box(world, "late", nc_v3(3, 0.502, 0));
    nc_error err;
    check_ok(nc_body_move(world, first, at(0, 0.503, 0), &err), err);
    check_ok(nc_body_set_velocity(world, first, nc_v3(0, 0, 0), nc_v3(0, 0, 0), &err), err);
    step_times(world, 24);
    check_near(height(world, late), 0.502, 1e-6);
    check_near(height(world, first), 0.503, 1e-6);
    assert_int_equal(world->state.cap_count, 2);
    check_ok(nc_body_move(world, first, at(0, 0.6, 0), &err), err);
    assert_int_equal(world->state.cap_count, 1);
    step_times(world, 24);
    check_near(height(world, first), 0.505, 1e-5);
    check_ok(nc_body_destroy(world, late, &err), err);
    assert_int_equal(world->state.cap_count, 0);
    nc_world_destroy(world);
}

// ---- snapshots, failures ------------------------------------------------------------------------------------

static void a_snapshot_holds_the_near_pairs(void **state)
{
    (void)state;
    nc_world *world = new_world(NULL), *other = new_world(NULL);
    put_ground(world);
    for (int i = 0; i < 4; i++)
        put_box(world, NULL, nc_v3(0, 0.501 + 1.001 * i, 0)); // a stack, all of it nearer than the rest distance
    nc_error err;
    nc_buffer bytes = nc_buffer_create(NULL);
    for (int i = 0; i < nc_world_mesh_count(world); i++)
        check_ok(nc_world_add_mesh(other, nc_world_mesh(world, i), &err), err);
    for (int steps = 0; steps < 2; steps++) { // before the start was checked, and after two steps
        step_times(world, 2 * steps);
        assert_int_equal(world->state.cap_count, 4 * steps);
        bytes.size = 0;
        check_ok(nc_world_save(world, &bytes, &err), err);
        check_ok(nc_world_restore(other, bytes.data, bytes.size, &err), err);
        assert_true(nc_world_hash(world) == nc_world_hash(other));
    }
    const uint64_t before = nc_world_hash(world);
    world->state.caps[1].distance *= 1.5;
    assert_true(nc_world_hash(world) != before);
    world->state.caps[1].distance /= 1.5;
    step_times(world, 10);
    step_times(other, 10);
    assert_true(nc_world_hash(world) == nc_world_hash(other));
    nc_buffer_free(&bytes);
    nc_world_destroy(world);
    nc_world_destroy(other);
}

// Checks, steps, creates and moves with near pairs; a call that failed changed nothing.
static nc_code careful_run(const nc_allocator *allocator, void *ctx)
{
    (void)ctx;
    nc_world *world = new_world(allocator);
    if (world == NULL)
        return NC_OUT_OF_MEMORY;
    nc_body_id ids[3] = {{0, 0}};
    nc_code code = put(world, "plane", NC_STATIC, NULL, nc_v3(0, 0, 0), &ids[0], NULL);
    if (code == NC_OK)
        code = put(world, "box", NC_DYNAMIC, "low", nc_v3(0, 0.50001, 0), &ids[1], NULL);
    uint64_t before = nc_world_hash(world);
    if (code == NC_OK && (code = nc_world_step(world, STEP, NULL, NULL)) != NC_OK)
        assert_true(nc_world_hash(world) == before);
    before = nc_world_hash(world);
    if (code == NC_OK && (code = put(world, "box", NC_DYNAMIC, "late", nc_v3(3, 0.501, 0), &ids[2], NULL)) != NC_OK)
        assert_true(nc_world_hash(world) == before);
    before = nc_world_hash(world);
    if (code == NC_OK && (code = nc_body_move(world, ids[1], at(5, 0.502, 0), NULL)) != NC_OK)
        assert_true(nc_world_hash(world) == before);
    nc_world_destroy(world);
    return code;
}

static void memory_may_fail_at_every_call(void **state)
{
    (void)state;
    print_message("%ld requests, each refused once\n", fail_at_every_call(careful_run, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_step_refuses_bodies_that_meet_and_names_both),
        cmocka_unit_test(a_body_is_not_created_into_another),
        cmocka_unit_test(a_body_is_not_moved_into_another),
        cmocka_unit_test(pairs_that_may_meet_may_be_put_into_each_other),
        cmocka_unit_test(what_is_refused_is_what_the_audit_would_find),
        cmocka_unit_test(bodies_that_all_but_touch_are_refused),
        cmocka_unit_test(the_floor_is_lowered_to_an_eighth_of_the_smallest_start_distance),
        cmocka_unit_test(a_pair_rests_at_the_distance_it_starts_at),
        cmocka_unit_test(a_body_put_near_another_later_rests_there_until_it_is_moved_away),
        cmocka_unit_test(a_snapshot_holds_the_near_pairs),
        cmocka_unit_test(memory_may_fail_at_every_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
