// The audit of paths: what it must see, what it must leave alone, and what a world's last step gives it.
#include "check.h"

#include "nacre/nacre.h"

#include "audit/audit.h"
#include "base/base.h"
#include "world/world.h"

#include "fail_allocator.h"

static nc_mesh *make_shape(const char *name, double size)
{
    const nc_shape_parameter parameter = {"size", size};
    nc_mesh *mesh = NULL;
    nc_error err;
    check_ok(nc_shape_create(name, &parameter, 1, NULL, &mesh, &err), err);
    return mesh;
}

static nc_path fly(nc_vec3 from, nc_vec3 travel, nc_vec3 turn)
{
    const nc_pose pose = {from, nc_quat_identity()};
    return nc_path_free(pose, travel, turn, nc_v3(0, 0, 0));
}

static int audit(const nc_audit_mover *movers, int count, int workers, nc_path_hit *out, int capacity)
{
    int found = -1;
    nc_error err;
    check_ok(
        nc_audit_paths(movers, count, NULL, NULL, (nc_audit_workers){workers, NULL}, NULL, out, capacity, &found, &err),
        err);
    return found;
}

// ---- paths --------------------------------------------------------------------------------------------------

// Both ends are free of intersections, and so are the 64 samples: the bullet is through the plate between two of them.
static void a_plate_pierced_between_two_samples_is_seen(void **state)
{
    (void)state;
    nc_mesh *plate = make_shape("plane", 4), *bullet = make_shape("box", 0.02);
    const nc_path rest = nc_path_still((nc_pose){nc_v3(0, 0, 0), nc_quat_identity()});
    const double met = 20.5 / 64;
    const nc_path shot = fly(nc_v3(0.1, 10 * met, 0.2), nc_v3(0, -10, 0), nc_v3(0, 0, 0));
    const nc_audit_mover movers[2] = {{plate, &rest}, {bullet, &shot}};
    for (int k = 0; k <= NC_AUDIT_SAMPLES; k++) {
        bool hit = true;
        nc_error err;
        const nc_pose pose = nc_path_pose(&shot, (double)k / NC_AUDIT_SAMPLES);
        check_ok(nc_mesh_intersect(plate, rest.start, bullet, pose, &hit, NULL, &err), err);
        assert_false(hit);
    }
    nc_path_hit found;
    assert_int_equal(audit(movers, 2, 1, &found, 1), 1);
    assert_int_equal(found.a, 0);
    assert_int_equal(found.b, 1);
    check_near(found.t, met, 0.0011 + 1.0 / (64 * 32));
    check_near(found.where.place.y, 0, 0.02);
    nc_mesh_release(plate);
    nc_mesh_release(bullet);
}

// It comes near slowly, so that most samples are passed over, and is through the plate and far from it one sample
// later.
static void a_plate_pierced_by_a_sudden_jump_is_seen(void **state)
{
    (void)state;
    nc_mesh *plate = make_shape("plane", 4), *bullet = make_shape("box", 0.2);
    const nc_path rest = nc_path_still((nc_pose){nc_v3(0, 0, 0), nc_quat_identity()});
    nc_path shot = fly(nc_v3(0.1, 1, 0.2), nc_v3(0, -0.2, 0), nc_v3(0, 0, 0));
    nc_segment jump = shot.segments[0];
    jump.begin = 36.0 / 64;
    jump.d = nc_v3(0, -3 * 64, 0);
    assert_true(nc_path_extend(&shot, jump));
    const nc_audit_mover movers[2] = {{plate, &rest}, {bullet, &shot}};
    nc_path_hit found;
    assert_int_equal(audit(movers, 2, 1, &found, 1), 1);
    check_near(found.t, 36.3 / 64, 0.1 / 64);
    nc_mesh_release(plate);
    nc_mesh_release(bullet);
}

static void a_blade_that_turns_through_a_plate_is_seen_at_its_first_sample(void **state)
{
    (void)state;
    nc_mesh *plate = make_shape("plane", 4), *blade = make_shape("box", 1);
    const nc_path rest = nc_path_still((nc_pose){nc_v3(0, 0, 0), nc_quat_identity()});
    // Its faces reach 0.5 down, its corners 0.707: half a turn about x, from flat to flat, dips in and out.
    const nc_path turn = fly(nc_v3(0, 0.6, 0), nc_v3(0, 0, 0), nc_v3(3.14159265358979, 0, 0));
    const nc_audit_mover movers[2] = {{blade, &turn}, {plate, &rest}};
    nc_path_hit found;
    assert_int_equal(audit(movers, 2, 1, &found, 1), 1);
    // 0.5 (cos a + sin a) = 0.6 at a = 0.2318.
    const double first = ceil(64 * 0.231849 / 3.14159265358979) / 64;
    check_near(found.t, first, 1e-12);
    nc_mesh_release(plate);
    nc_mesh_release(blade);
}

static void paths_that_pass_near_each_other_are_clear(void **state)
{
    (void)state;
    nc_mesh *box = make_shape("box", 1);
    const nc_path a = fly(nc_v3(-5, 0, 0), nc_v3(10, 0, 0), nc_v3(20, 0, 0));
    const nc_path b = fly(nc_v3(0, 1.25, -5), nc_v3(0, 0, 10), nc_v3(0, 0, 0));
    const nc_path c = fly(nc_v3(-5, 3, 0), nc_v3(10, 0, 0), nc_v3(0, 0, 0)); // where b was, at another time
    const nc_audit_mover movers[3] = {{box, &a}, {box, &b}, {box, &c}};
    nc_path_hit found;
    assert_int_equal(audit(movers, 3, 1, &found, 1), 0);
    assert_int_equal(audit(movers, 1, 1, &found, 1), 0);
    assert_int_equal(audit(movers, 0, 1, &found, 1), 0);
    nc_mesh_release(box);
}

static bool not_the_first_two(int a, int b, void *ctx)
{
    (void)ctx;
    return !(a == 0 && b == 1);
}

static void what_the_filter_leaves_out_is_not_looked_at(void **state)
{
    (void)state;
    nc_mesh *box = make_shape("box", 1);
    const nc_path rest = nc_path_still((nc_pose){nc_v3(0, 0, 0), nc_quat_identity()});
    const nc_path through = fly(nc_v3(-5, 0.1, 0.2), nc_v3(10, 0, 0), nc_v3(0, 0, 0));
    const nc_audit_mover movers[3] = {{box, &rest}, {box, &through}, {box, &through}};
    nc_path_hit found[3];
    int count = 0;
    nc_error err;
    check_ok(
        nc_audit_paths(movers, 3, not_the_first_two, NULL, (nc_audit_workers){1, NULL}, NULL, found, 3, &count, &err),
        err);
    assert_int_equal(count, 2); // 0 and 2, and 1 and 2, which are in one place
    assert_int_equal(found[0].a, 0);
    assert_int_equal(found[0].b, 2);
    assert_int_equal(found[1].a, 1);
    check_near(found[1].t, 1.0 / 64, 0);
    nc_mesh_release(box);
}

// ---- many -------------------------------------------------------------------------------------------------

#define MANY 60

static void random_paths(nc_random *random, nc_path *paths, int count)
{
    for (int i = 0; i < count; i++) {
        double v[9];
        for (int k = 0; k < 9; k++)
            v[k] = nc_random_range(random, -1, 1);
        paths[i] = fly(nc_v3(6 * v[0], 6 * v[1], 6 * v[2]), nc_v3(3 * v[3], 3 * v[4], 3 * v[5]),
                       nc_v3(4 * v[6], 4 * v[7], 4 * v[8]));
    }
}

// Against brute force at the 64 samples: no pair that collides at one of them is missed, and none is found any earlier.
static void every_pair_that_meets_at_a_sample_is_found(void **state)
{
    (void)state;
    nc_random random = {check_seed("paths", 4711)};
    nc_mesh *mesh = make_shape("box", 1);
    nc_path paths[MANY];
    random_paths(&random, paths, MANY);
    nc_audit_mover movers[MANY];
    for (int i = 0; i < MANY; i++)
        movers[i] = (nc_audit_mover){mesh, &paths[i]};
    nc_path_hit found[MANY * MANY];
    const int count = audit(movers, MANY, 1, found, MANY * MANY);
    int met = 0, at = 0;
    for (int i = 0; i < MANY; i++)
        for (int j = i + 1; j < MANY; j++) {
            bool hit = false;
            int k = 0;
            nc_error err;
            while (!hit && k++ < NC_AUDIT_SAMPLES) {
                const double t = (double)k / NC_AUDIT_SAMPLES;
                check_ok(nc_mesh_intersect(mesh, nc_path_pose(&paths[i], t), mesh, nc_path_pose(&paths[j], t), &hit,
                                           NULL, &err),
                         err);
            }
            const bool named = at < count && found[at].a == i && found[at].b == j;
            if (hit) {
                assert_true(named);
                check_near(found[at].t, (double)k / NC_AUDIT_SAMPLES, 0);
            }
            met += hit;
            at += named;
        }
    assert_int_equal(at, count);
    assert_true(met > 20);
    nc_mesh_release(mesh);
}

static void findings_are_equal_for_1_and_4_workers(void **state)
{
    (void)state;
    nc_random random = {check_seed("workers", 99)};
    nc_mesh *mesh = make_shape("box", 1);
    nc_path paths[MANY];
    random_paths(&random, paths, MANY);
    nc_audit_mover movers[MANY];
    for (int i = 0; i < MANY; i++)
        movers[i] = (nc_audit_mover){mesh, &paths[i]};
    nc_path_hit one[MANY * MANY], four[MANY * MANY];
    memset(one, 0, sizeof one);
    memset(four, 0, sizeof four);
    const int count = audit(movers, MANY, 1, one, MANY * MANY);
    assert_true(count > 5);
    assert_int_equal(audit(movers, MANY, 4, four, MANY * MANY), count);
    for (int k = 0; k < count; k++) {
        assert_int_equal(one[k].a, four[k].a);
        assert_int_equal(one[k].b, four[k].b);
        check_near(one[k].t, four[k].t, 0);
        assert_int_equal(one[k].where.element_a, four[k].where.element_a);
    }
    nc_mesh_release(mesh);
}

static nc_code audit_with(const nc_allocator *allocator, void *ctx)
{
    int count = 0;
    nc_path_hit found;
    const nc_code code =
        nc_audit_paths(ctx, 2, NULL, NULL, (nc_audit_workers){1, NULL}, allocator, &found, 1, &count, NULL);
    assert_int_equal(count, code == NC_OK);
    return code;
}

static void running_out_of_memory_is_an_error_and_nothing_leaks(void **state)
{
    (void)state;
    nc_mesh *box = make_shape("box", 1);
    const nc_path path = fly(nc_v3(0, 0, 0), nc_v3(1, 0, 0), nc_v3(0, 0, 0));
    nc_audit_mover movers[2] = {{box, &path}, {box, &path}};
    fail_at_every_call(audit_with, movers);
    nc_mesh_release(box);
}

// ---- a world's last step ------------------------------------------------------------------------------------

static nc_world *two_boxes(nc_body_id ids[2])
{
    nc_world_def def = nc_world_def_default();
    def.workers = 1;
    nc_world *world = NULL;
    nc_error err;
    check_ok(nc_world_create(&def, &world, &err), err);
    nc_body_def body = nc_body_def_default();
    body.mesh = make_shape("box", 1);
    for (int i = 0; i < 2; i++) {
        body.position = nc_v3(0, 2.0 * i, 0);
        body.velocity = nc_v3(0, -4.0 * i, 0);
        body.name = i == 0 ? "lower" : "upper";
        check_ok(nc_body_create(world, &body, &ids[i], &err), err);
    }
    nc_mesh_release(body.mesh);
    return world;
}

static nc_code audit_world(const nc_world *world, int *count)
{
    nc_error err;
    return nc_world_audit_step(world, NULL, 0, count, &err);
}

static void a_step_is_audited_until_the_bodies_change(void **state)
{
    (void)state;
    nc_body_id ids[2];
    nc_world *world = two_boxes(ids);
    nc_error err;
    int count = -1;
    assert_int_equal(audit_world(world, &count), NC_NOT_FOUND);
    check_ok(nc_world_step(world, 0.1, NULL, &err), err);
    assert_int_equal(audit_world(world, &count), NC_OK);
    assert_int_equal(count, 0);
    check_ok(nc_body_move(world, ids[1], (nc_pose){nc_v3(0, 7, 0), nc_quat_identity()}, &err), err);
    assert_int_equal(audit_world(world, &count), NC_NOT_FOUND);
    check_ok(nc_world_step(world, 0.1, NULL, &err), err);
    assert_int_equal(audit_world(world, &count), NC_OK);
    assert_int_equal(nc_world_step(world, -1, NULL, &err), NC_BAD_ARGUMENT); // refused before anything was touched
    assert_int_equal(audit_world(world, &count), NC_OK);
    check_ok(nc_body_destroy(world, ids[1], &err), err);
    assert_int_equal(audit_world(world, &count), NC_NOT_FOUND);
    nc_world_destroy(world);
}

// The paths are those that were committed: they start where the bodies were and end, bit for bit, where they are.
static void the_paths_lead_from_the_old_poses_to_the_new_ones(void **state)
{
    (void)state;
    nc_body_id ids[2];
    nc_world *world = two_boxes(ids);
    nc_error err;
    for (int step = 0; step < 12; step++) {
        nc_pose before[2];
        for (int i = 0; i < 2; i++)
            before[i] = world->state.bodies.pose[i];
        check_ok(nc_world_step(world, 0.1, NULL, &err), err);
        for (int i = 0; i < 2; i++) {
            const nc_path *path = &world->candidates.path[i];
            const nc_pose end = nc_path_pose(path, 1);
            assert_memory_equal(&path->start, &before[i], sizeof before[i]);
            assert_memory_equal(&end, &world->state.bodies.pose[i], sizeof end);
        }
    }
    nc_world_destroy(world);
}

static void a_path_that_crosses_is_named_with_its_bodies_and_its_time(void **state)
{
    (void)state;
    nc_body_id ids[2];
    nc_world *world = two_boxes(ids);
    nc_error err;
    check_ok(nc_world_step(world, 0.1, NULL, &err), err);
    // A defect: the upper box goes through the lower one and comes out below it.
    nc_path *path = &world->candidates.path[1];
    *path = nc_path_free(path->start, nc_v3(0, -4, 0), nc_v3(0, 0, 0), nc_v3(0, 0, 0));
    nc_crossing found;
    int count = 0;
    check_ok(nc_world_audit_step(world, &found, 1, &count, &err), err);
    assert_int_equal(count, 1);
    assert_string_equal(nc_body_name(world, found.a), "lower");
    assert_string_equal(nc_body_name(world, found.b), "upper");
    check_near(found.t, 0.25, 0.04);
    check_ok(nc_world_exempt_pair(world, ids[0], ids[1], &err), err);
    check_ok(nc_world_audit_step(world, &found, 1, &count, &err), err);
    assert_int_equal(count, 0);
    nc_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plate_pierced_between_two_samples_is_seen),
        cmocka_unit_test(a_plate_pierced_by_a_sudden_jump_is_seen),
        cmocka_unit_test(a_blade_that_turns_through_a_plate_is_seen_at_its_first_sample),
        cmocka_unit_test(paths_that_pass_near_each_other_are_clear),
        cmocka_unit_test(what_the_filter_leaves_out_is_not_looked_at),
        cmocka_unit_test(every_pair_that_meets_at_a_sample_is_found),
        cmocka_unit_test(findings_are_equal_for_1_and_4_workers),
        cmocka_unit_test(running_out_of_memory_is_an_error_and_nothing_leaks),
        cmocka_unit_test(a_step_is_audited_until_the_bodies_change),
        cmocka_unit_test(the_paths_lead_from_the_old_poses_to_the_new_ones),
        cmocka_unit_test(a_path_that_crosses_is_named_with_its_bodies_and_its_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
