// Bodies: create, destroy, read, move, push; scripts; pairs; measures; what is refused and how.
#include "check.h"

#include "nacre/nacre.h"

#include "world/world.h"

#define STEP (1.0 / 24.0)

static nc_mesh *shape(const char *name)
{
    nc_mesh *mesh = NULL;
    nc_error err;
    check_ok(nc_shape_create(name, NULL, 0, NULL, &mesh, &err), err);
    return mesh;
}

static nc_world *new_world(void)
{
    nc_world_def def = nc_world_def_default();
    nc_world *world = NULL;
    nc_error err;
    check_ok(nc_world_create(&def, &world, &err), err);
    return world;
}

// A body of a shape; the mesh is shared with no one.
static nc_body_id add(nc_world *world, const char *shape_name, nc_body_def def)
{
    nc_body_id id = {0, 0};
    nc_error err;
    nc_mesh *mesh = shape(shape_name);
    def.mesh = mesh;
    check_ok(nc_body_create(world, &def, &id, &err), err);
    nc_mesh_release(mesh);
    return id;
}

static nc_body_state read_body(const nc_world *world, nc_body_id id)
{
    nc_body_state body;
    nc_error err;
    check_ok(nc_body_read(world, id, &body, &err), err);
    return body;
}

static void step_times(nc_world *world, double dt, int count)
{
    nc_error err;
    for (int i = 0; i < count; i++)
        check_ok(nc_world_step(world, dt, NULL, &err), err);
}

static void thrown_body_follows_the_parabola(void **state)
{
    (void)state;
    nc_world *world = new_world();
    nc_body_def def = nc_body_def_default();
    def.velocity = nc_v3(3, 8, -1);
    const nc_body_id id = add(world, "box", def);
    step_times(world, STEP, 48);
    const nc_body_state body = read_body(world, id);
    const double t = 48 * STEP;
    check_near(body.pose.x.x, 3 * t, 1e-12);
    check_near(body.pose.x.y, 8 * t - 0.5 * 9.8 * t * t, 1e-12); // the half-step velocity makes it exact
    check_near(body.velocity.y, 8 - 9.8 * t, 1e-12);
    check_near(nc_world_time(world), t, 0);
    nc_world_destroy(world);
}

static void a_steady_force_and_torque_do_what_newton_says(void **state)
{
    (void)state;
    nc_world *world = new_world();
    nc_error err;
    check_ok(nc_world_set_gravity(world, nc_v3(0, 0, 0), &err), err);
    nc_body_def def = nc_body_def_default();
    def.mass.mass = 2;
    const nc_body_id id = add(world, "sphere", def);
    check_ok(nc_body_set_force(world, id, nc_v3(4, 0, 0), nc_v3(0, 0, 6), &err), err);
    step_times(world, 0.01, 100);
    const nc_body_state body = read_body(world, id);
    check_near(body.velocity.x, 2.0, 1e-12);
    check_near(body.angular_momentum.z, 6.0, 1e-12);
    check_near(body.pose.x.x, 1.0, 1e-12);
    nc_world_destroy(world);
}

static void an_impulse_off_centre_moves_and_turns(void **state)
{
    (void)state;
    nc_world *world = new_world();
    nc_error err;
    nc_body_def def = nc_body_def_default();
    def.mass.mass = 2;
    const nc_body_id id = add(world, "box", def);
    check_ok(nc_body_apply_impulse(world, id, nc_v3(0, 3, 0), nc_v3(2, 0, 0), &err), err);
    const nc_body_state body = read_body(world, id);
    check_near(body.velocity.y, 1.5, 1e-15);
    check_near(body.angular_momentum.z, 6.0, 1e-15);
    assert_true(body.spin.z > 0);
    assert_int_equal(nc_body_apply_impulse(world, id, nc_v3(NAN, 0, 0), nc_v3(0, 0, 0), &err), NC_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "impulse"));
    nc_world_destroy(world);
}

static void position_places_the_mesh_origin_not_the_centre_of_mass(void **state)
{
    (void)state;
    nc_world *world = new_world();
    nc_error err;
    const nc_vec3 corners[3] = {{0, 0, 0}, {3, 0, 0}, {0, 3, 0}};
    const int triangle[1][3] = {{0, 1, 2}};
    const nc_mesh_def mesh_def = {.vertices = corners, .vertex_count = 3, .triangles = triangle, .triangle_count = 1};
    nc_mesh *mesh;
    check_ok(nc_mesh_create(&mesh_def, NULL, &mesh, &err), err);
    nc_body_def def = nc_body_def_default();
    def.mesh = mesh;
    def.position = nc_v3(10, 20, 30);
    nc_body_id id;
    check_ok(nc_body_create(world, &def, &id, &err), err);
    const nc_body_state body = read_body(world, id);
    check_near(body.pose.x.x, 11, 1e-14);
    check_near(body.pose.x.y, 21, 1e-14);
    const nc_vec3 corner = nc_pose_apply(body.pose, nc_mesh_view(nc_body_mesh(world, id)).vertices[0]);
    check_near(corner.x, 10, 1e-14);
    check_near(corner.y, 20, 1e-14);
    // A second body of the same mesh shares the recentred copy.
    nc_body_id twin;
    check_ok(nc_body_create(world, &def, &twin, &err), err);
    assert_int_equal(nc_world_mesh_count(world), 1);
    assert_ptr_equal(nc_body_mesh(world, id), nc_body_mesh(world, twin));
    nc_mesh_release(mesh);
    nc_world_destroy(world);
}

static void handles_go_stale_and_rows_are_reused(void **state)
{
    (void)state;
    nc_world *world = new_world();
    nc_error err;
    nc_body_def def = nc_body_def_default();
    def.name = "first";
    const nc_body_id a = add(world, "box", def);
    def.name = "second";
    const nc_body_id b = add(world, "box", def);
    check_ok(nc_body_destroy(world, a, &err), err);
    nc_body_state body;
    assert_int_equal(nc_body_read(world, a, &body, &err), NC_BAD_ARGUMENT);
    assert_int_equal(nc_body_destroy(world, a, &err), NC_BAD_ARGUMENT);
    assert_null(nc_body_name(world, a));
    assert_null(nc_body_mesh(world, a));
    assert_int_equal(nc_world_body_count(world), 1);
    def.name = "third";
    const nc_body_id c = add(world, "box", def);
    assert_int_equal(c.index, a.index);
    assert_int_not_equal(c.generation, a.generation);
    assert_string_equal(nc_body_name(world, c), "third");
    nc_body_id all[4];
    assert_int_equal(nc_world_bodies(world, all, 4), 2);
    assert_int_equal(nc_world_find(world, "second").index, b.index);
    assert_int_equal(nc_world_find(world, "first").generation, 0);
    const nc_body_id none = {0, 0};
    assert_int_equal(nc_body_read(world, none, &body, &err), NC_BAD_ARGUMENT);
    nc_world_destroy(world);
}

static void keyframes_are_met_inside_and_at_the_end_of_steps(void **state)
{
    (void)state;
    nc_world *world = new_world();
    // Down and up again within one step: the path must go through the keyframe between.
    const nc_keyframe keys[] = {
        {0, {0, 0, 0}, {1, 0, 0, 0}}, {0.25, {0, -1, 0}, {1, 0, 0, 1}}, {1, {0, 2, 0}, {0, 0, 0, 1}}};
    nc_body_def def = nc_body_def_default();
    def.type = NC_KINEMATIC;
    def.keyframes = keys;
    def.keyframe_count = 3;
    const nc_body_id id = add(world, "box", def);
    step_times(world, 0.5, 1);
    const nc_path *taken = &world->candidates.path[id.index];
    assert_int_equal(taken->count, 2);
    check_near(nc_path_pose(taken, 0.5).x.y, -1, 1e-15);
    check_near(nc_path_pose(taken, 1.0).x.y, 0, 1e-15);
    check_near(read_body(world, id).velocity.y, 0, 1e-15);
    step_times(world, 0.5, 1);
    check_near(read_body(world, id).pose.x.y, 2, 1e-15);
    check_near(fabs(read_body(world, id).pose.q.z), 1, 1e-15);
    step_times(world, 0.5, 2); // after the last keyframe it stays, bit for bit
    const nc_pose before = read_body(world, id).pose;
    step_times(world, 0.5, 3);
    const nc_pose after = read_body(world, id).pose;
    assert_memory_equal(&before, &after, sizeof before);
    check_near(nc_norm(read_body(world, id).velocity), 0, 0);
    nc_world_destroy(world);
}

static void more_keyframes_than_segments_still_end_where_they_should(void **state)
{
    (void)state;
    nc_world *world = new_world();
    nc_keyframe keys[101];
    for (int k = 0; k <= 100; k++)
        keys[k] = (nc_keyframe){0.01 * k, {0.01 * k, k % 2, 0}, {1, 0, 0, 0}};
    nc_body_def def = nc_body_def_default();
    def.type = NC_KINEMATIC;
    def.keyframes = keys;
    def.keyframe_count = 101;
    const nc_body_id id = add(world, "box", def);
    step_times(world, 0.5, 1);
    assert_true(world->candidates.path[id.index].count <= NC_MAX_SEGMENTS);
    check_near(read_body(world, id).pose.x.x, 0.5, 1e-12);
    step_times(world, 0.5, 1);
    check_near(read_body(world, id).pose.x.x, 1.0, 1e-12);
    nc_world_destroy(world);
}

static void scripted_spin_of_many_turns_is_not_reduced(void **state)
{
    (void)state;
    nc_world *world = new_world();
    nc_body_def def = nc_body_def_default();
    def.type = NC_KINEMATIC;
    def.velocity = nc_v3(2, 0, 0);
    def.spin = nc_v3(0, 100, 0);
    const nc_body_id id = add(world, "box", def);
    step_times(world, 0.5, 4);
    const nc_body_state body = read_body(world, id);
    check_near(body.pose.x.x, 4, 1e-14);
    check_near(body.spin.y, 100, 1e-12);
    check_near(world->candidates.path[id.index].segments[0].theta.y, 50, 0);
    check_near(body.kinetic, 0, 0);
    nc_world_destroy(world);
}

static void pairs_are_exempted_and_forgotten_with_their_body(void **state)
{
    (void)state;
    nc_world *world = new_world();
    nc_error err;
    nc_body_id id[6];
    nc_body_def def = nc_body_def_default();
    for (int i = 0; i < 6; i++) {
        def.type = i < 2 ? NC_STATIC : NC_DYNAMIC;
        id[i] = add(world, "box", def);
    }
    assert_false(nc_world_pair_matters(world, id[0], id[1])); // both static
    assert_false(nc_world_pair_matters(world, id[2], id[2]));
    assert_true(nc_world_pair_matters(world, id[0], id[2]));
    check_ok(nc_world_exempt_pair(world, id[4], id[2], &err), err);
    check_ok(nc_world_exempt_pair(world, id[2], id[4], &err), err);
    check_ok(nc_world_exempt_pair(world, id[2], id[3], &err), err);
    assert_int_equal(world->state.exempt_count, 2);
    assert_false(nc_world_pair_matters(world, id[2], id[4]));
    assert_false(nc_world_pair_matters(world, id[3], id[2]));
    assert_true(nc_world_pair_matters(world, id[3], id[4]));
    check_ok(nc_body_destroy(world, id[4], &err), err);
    assert_int_equal(world->state.exempt_count, 1);
    const nc_body_id again = add(world, "box", def);
    assert_int_equal(again.index, id[4].index);
    assert_true(nc_world_pair_matters(world, id[2], again));
    assert_int_equal(nc_world_exempt_pair(world, id[2], id[2], &err), NC_BAD_ARGUMENT);
    nc_world_destroy(world);
}

static void bad_definitions_are_refused_with_a_sentence(void **state)
{
    (void)state;
    nc_world *world = new_world();
    nc_mesh *mesh = shape("box");
    nc_error err;
    nc_body_def good = nc_body_def_default();
    good.mesh = mesh;
    const nc_keyframe backwards[] = {{1, {0, 0, 0}, {1, 0, 0, 0}}, {0, {0, 0, 0}, {1, 0, 0, 0}}};
    nc_body_def bad[9];
    for (int i = 0; i < 9; i++)
        bad[i] = good;
    bad[0].mesh = NULL;
    bad[1].position.x = NAN;
    bad[2].orientation = nc_q4(0, 0, 0, 0);
    bad[3].velocity.z = INFINITY;
    bad[4].restitution = 2;
    bad[5].mass.density = -1;
    bad[6].keyframes = backwards; // on a dynamic body
    bad[6].keyframe_count = 2;
    bad[7] = bad[6];
    bad[7].type = NC_KINEMATIC;
    bad[8].type = (nc_body_type)7;
    const uint64_t before = nc_world_hash(world);
    for (int i = 0; i < 9; i++) {
        err = (nc_error){.code = NC_OK};
        const nc_code code = nc_body_create(world, &bad[i], NULL, &err);
        if (code != NC_BAD_ARGUMENT)
            print_error("definition %d was taken\n", i);
        assert_int_equal(code, NC_BAD_ARGUMENT);
        assert_int_equal(err.code, NC_BAD_ARGUMENT);
        assert_true(strlen(err.text) > 10);
    }
    assert_true(nc_world_hash(world) == before);
    nc_world_def defs[5];
    for (int i = 0; i < 5; i++)
        defs[i] = nc_world_def_default();
    defs[0].gravity.y = NAN;
    defs[1].proximity = 0;
    defs[2].friction = -1;
    defs[3].restitution = 1.5;
    defs[4].workers = 1000;
    for (int i = 0; i < 5; i++) {
        nc_world *none;
        assert_int_equal(nc_world_create(&defs[i], &none, &err), NC_BAD_ARGUMENT);
        assert_null(none);
    }
    nc_mesh_release(mesh);
    nc_world_destroy(world);
}

static void wrong_kinds_of_bodies_refuse_forces_and_velocities(void **state)
{
    (void)state;
    nc_world *world = new_world();
    nc_error err;
    nc_body_def def = nc_body_def_default();
    def.type = NC_STATIC;
    const nc_body_id rock = add(world, "box", def);
    const nc_vec3 zero = {0, 0, 0};
    assert_int_equal(nc_body_set_force(world, rock, zero, zero, &err), NC_BAD_ARGUMENT);
    assert_int_equal(nc_body_apply_impulse(world, rock, zero, zero, &err), NC_BAD_ARGUMENT);
    assert_int_equal(nc_body_set_velocity(world, rock, zero, zero, &err), NC_BAD_ARGUMENT);
    def.type = NC_DYNAMIC;
    const nc_body_id ball = add(world, "sphere", def);
    assert_int_equal(nc_body_set_force(world, ball, nc_v3(NAN, 0, 0), zero, &err), NC_BAD_ARGUMENT);
    assert_int_equal(nc_body_set_velocity(world, ball, nc_v3(NAN, 0, 0), zero, &err), NC_BAD_ARGUMENT);
    assert_int_equal(nc_body_move(world, ball, (nc_pose){{0, NAN, 0}, {1, 0, 0, 0}}, &err), NC_BAD_ARGUMENT);
    assert_int_equal(nc_world_step(world, 0, NULL, &err), NC_BAD_ARGUMENT);
    assert_int_equal(nc_world_step(world, NAN, NULL, &err), NC_BAD_ARGUMENT);
    nc_world_destroy(world);
}

static void moved_and_set_bodies_report_what_was_set(void **state)
{
    (void)state;
    nc_world *world = new_world();
    nc_error err;
    nc_body_def def = nc_body_def_default();
    def.spin = nc_v3(1, 2, 3);
    const nc_body_id id = add(world, "torus", def);
    check_ok(nc_body_move(world, id, (nc_pose){{1, 2, 3}, {0, 2, 0, 0}}, &err), err);
    nc_body_state body = read_body(world, id);
    check_near(body.pose.x.z, 3, 0);
    check_near(body.pose.q.x, 1, 1e-15);
    check_near(body.spin.y, 2, 1e-12); // it keeps its angular velocity
    check_ok(nc_body_set_velocity(world, id, nc_v3(0, 0, 7), nc_v3(0, -4, 0), &err), err);
    body = read_body(world, id);
    check_near(body.velocity.z, 7, 0);
    check_near(body.spin.y, -4, 1e-12);
    nc_world_destroy(world);
}

static void a_body_too_far_away_stays_and_is_reported(void **state)
{
    (void)state;
    nc_world *world = new_world();
    nc_error err;
    nc_body_def def = nc_body_def_default();
    def.position = nc_v3(1e13, 0, 0);
    def.velocity = nc_v3(1, 0, 0);
    const nc_body_id far = add(world, "box", def);
    def.position = nc_v3(0, 0, 0);
    def.velocity = nc_v3(1e200, 0, 0);
    const nc_body_id fast = add(world, "box", def);
    const nc_pose far_before = read_body(world, far).pose, fast_before = read_body(world, fast).pose;
    nc_step_report report;
    check_ok(nc_world_step(world, STEP, &report, &err), err);
    const nc_pose far_after = read_body(world, far).pose, fast_after = read_body(world, fast).pose;
    assert_memory_equal(&far_before, &far_after, sizeof far_before);
    assert_memory_equal(&fast_before, &fast_after, sizeof fast_before);
    assert_int_equal(report.too_far + report.not_finite, 2);
    nc_world_destroy(world);
}

static void measures_agree_with_their_definitions(void **state)
{
    (void)state;
    nc_world *world = new_world();
    nc_error err;
    nc_body_def def = nc_body_def_default();
    def.mass.mass = 3;
    def.position = nc_v3(0, 5, 0);
    def.velocity = nc_v3(2, 0, 0);
    add(world, "sphere", def);
    nc_step_report report;
    check_ok(nc_world_measure(world, &report, &err), err);
    check_near(report.kinetic, 6, 1e-14);
    check_near(report.potential, 3 * 9.8 * 5, 1e-12);
    check_near(report.momentum.x, 6, 1e-15);
    check_near(report.angular_momentum.z, -30, 1e-13);
    check_ok(nc_world_step(world, STEP, &report, &err), err);
    check_near(report.kinetic + report.potential, 6 + 3 * 9.8 * 5, 1e-11); // exact for a parabola
    check_near(report.kinetic_before, 6, 1e-14);
    assert_int_equal(report.step, 1);
    nc_world_destroy(world);
}

static void audit_names_the_bodies_that_meet(void **state)
{
    (void)state;
    nc_world *world = new_world();
    nc_error err;
    nc_body_def def = nc_body_def_default();
    nc_body_id id[4];
    const double x[4] = {0, 10, 10.5, 30};
    for (int i = 0; i < 4; i++) {
        def.position = nc_v3(x[i], 0, 0);
        id[i] = add(world, "box", def);
    }
    nc_overlap overlap[2];
    int count;
    check_ok(nc_world_audit(world, overlap, 2, &count, &err), err);
    assert_int_equal(count, 1);
    assert_int_equal(overlap[0].a.index, id[1].index);
    assert_int_equal(overlap[0].b.index, id[2].index);
    check_ok(nc_world_exempt_pair(world, id[1], id[2], &err), err);
    check_ok(nc_world_audit(world, overlap, 2, &count, &err), err);
    assert_int_equal(count, 0);
    nc_world_destroy(world);
}

static void changing_the_time_step_keeps_the_clock(void **state)
{
    (void)state;
    nc_world *world = new_world();
    step_times(world, 0.1, 30);
    check_near(nc_world_time(world), 30 * 0.1, 0);
    step_times(world, 0.25, 4);
    check_near(nc_world_time(world), 30 * 0.1 + 1.0, 0);
    assert_int_equal(nc_world_step_count(world), 34);
    nc_world_destroy(world);
}

static bool same3(nc_vec3 a, nc_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static void columns_show_what_every_body_reads(void **state)
{
    (void)state;
    nc_world *world = new_world();
    assert_int_equal(nc_world_view(world).count, 0);
    nc_body_def def = nc_body_def_default();
    nc_body_id id[3];
    nc_error err;
    for (int i = 0; i < 3; i++) {
        def.position = nc_v3(4.0 * i, 1, 0);
        def.spin = nc_v3(1, i, 2);
        id[i] = add(world, "box", def);
        check_ok(nc_body_set_force(world, id[i], nc_v3(i, 2, 3), nc_v3(0, i, 1), &err), err);
    }
    step_times(world, STEP, 5);
    check_ok(nc_body_destroy(world, id[1], &err), err);
    const nc_world_data data = nc_world_view(world);
    assert_int_equal(data.count, 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(data.alive[i], i != 1);
        if (i == 1)
            continue;
        const nc_body_state body = read_body(world, id[i]);
        assert_int_equal(data.generation[id[i].index], id[i].generation);
        assert_true(same3(data.pose[i].x, body.pose.x) && data.pose[i].q.w == body.pose.q.w);
        assert_true(same3(data.velocity[i], body.velocity) && same3(data.spin[i], body.spin));
        assert_true(same3(data.force[i], nc_v3(i, 2, 3)) && same3(data.torque[i], nc_v3(0, i, 1)));
        assert_true(data.mass[i] == body.mass);
    }
    const nc_pose *before = data.pose; // steps write in place
    step_times(world, STEP, 1);
    assert_ptr_equal(nc_world_view(world).pose, before);
    nc_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thrown_body_follows_the_parabola),
        cmocka_unit_test(a_steady_force_and_torque_do_what_newton_says),
        cmocka_unit_test(an_impulse_off_centre_moves_and_turns),
        cmocka_unit_test(position_places_the_mesh_origin_not_the_centre_of_mass),
        cmocka_unit_test(handles_go_stale_and_rows_are_reused),
        cmocka_unit_test(keyframes_are_met_inside_and_at_the_end_of_steps),
        cmocka_unit_test(more_keyframes_than_segments_still_end_where_they_should),
        cmocka_unit_test(scripted_spin_of_many_turns_is_not_reduced),
        cmocka_unit_test(pairs_are_exempted_and_forgotten_with_their_body),
        cmocka_unit_test(bad_definitions_are_refused_with_a_sentence),
        cmocka_unit_test(wrong_kinds_of_bodies_refuse_forces_and_velocities),
        cmocka_unit_test(moved_and_set_bodies_report_what_was_set),
        cmocka_unit_test(a_body_too_far_away_stays_and_is_reported),
        cmocka_unit_test(measures_agree_with_their_definitions),
        cmocka_unit_test(audit_names_the_bodies_that_meet),
        cmocka_unit_test(changing_the_time_step_keeps_the_clock),
        cmocka_unit_test(columns_show_what_every_body_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
