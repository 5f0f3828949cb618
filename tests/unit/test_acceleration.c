// Accelerations of bodies: of the last step, and from frame to frame of a run.
#include "joint_bodies.h"
#include "run_fixture.h"

#include "run/run.h"

#include <string.h>

#define G  9.81
#define DT (1.0 / 120)

static nc_body_acceleration acceleration_of(const nc_world *world, nc_body_id body)
{
    nc_body_acceleration a;
    nc_error err;
    check_ok(nc_body_read_acceleration(world, body, &a, &err), err);
    return a;
}

static nc_body_id add_cube(nc_world *world, nc_vec3 at)
{
    return add_box(world, nc_v3(0.4, 0.4, 0.4), at, 2);
}

static void free_fall_gives_gravity(void **state)
{
    (void)state;
    nc_world *world = new_world(G, 0, 0, 1);
    nc_error err;
    const nc_body_id body = add_cube(world, nc_v3(0, 5, 0));
    check_ok(nc_body_set_velocity(world, body, nc_v3(3, 1, 0), nc_v3(0, 2, 0), &err), err);
    assert_false(acceleration_of(world, body).known);
    for (int i = 0; i < 60; i++) {
        step(world, DT);
        const nc_body_acceleration a = acceleration_of(world, body);
        assert_true(a.known);
        check_near(a.linear.x, 0, 1e-12);
        check_near(a.linear.y, -G, 1e-11);
        check_near(nc_norm(a.angular), 0, 1e-11);
    }
    nc_world_destroy(world);
}

// F / m and M / I of a cube of 2 kg and 0.4 m: I = m s^2 / 6.
static void a_force_and_a_torque_give_their_accelerations(void **state)
{
    (void)state;
    nc_world *world = new_world(0, 0, 0, 1);
    nc_error err;
    const nc_body_id body = add_cube(world, nc_v3(0, 0, 0));
    check_ok(nc_body_set_force(world, body, nc_v3(3, 0, 0), nc_v3(0, 0.1, 0), &err), err);
    for (int i = 0; i < 10; i++) {
        step(world, DT);
        check_near(acceleration_of(world, body).linear.x, 1.5, 1e-11);
        check_near(acceleration_of(world, body).angular.y, 0.1 / (2 * 0.16 / 6), 1e-9);
    }
    nc_world_destroy(world);
}

// An impact is a change of velocity within one step; what the caller sets between steps is none.
static void it_is_the_change_of_velocity_over_the_step(void **state)
{
    (void)state;
    nc_world *world = new_world(G, 0.3, 0.8, 1);
    nc_error err;
    const nc_body_id ground = add_ground(world, nc_q4(1, 0, 0, 0)), body = add_cube(world, nc_v3(0, 0.5, 0));
    check_ok(nc_body_set_velocity(world, body, nc_v3(1, 0, 0), nc_v3(1, 2, 3), &err), err);
    double most = 0;
    for (int i = 0; i < 240; i++) {
        if (i == 200)
            check_ok(nc_body_apply_impulse(world, body, nc_v3(0, 4, 0), read_body(world, body).pose.x, &err), err);
        const nc_body_state before = read_body(world, body);
        step(world, DT);
        const nc_body_state after = read_body(world, body);
        const nc_body_acceleration a = acceleration_of(world, body);
        const nc_vec3 linear = nc_scale(1 / DT, nc_sub(after.velocity, before.velocity)),
                      angular = nc_scale(1 / DT, nc_sub(after.spin, before.spin));
        assert_memory_equal(&a.linear, &linear, sizeof linear);
        assert_memory_equal(&a.angular, &angular, sizeof angular);
        assert_true(acceleration_of(world, ground).known);
        check_near(nc_norm(acceleration_of(world, ground).linear), 0, 0);
        most = fmax(most, a.linear.y);
    }
    check_at_most(100, most); // a bounce at about 2 m/s in a step of 1/120 s
    nc_world_destroy(world);
}

static void a_body_at_rest_has_none_awake_or_asleep(void **state)
{
    (void)state;
    for (int sleeps = 0; sleeps < 2; sleeps++) {
        nc_world *world = new_world(G, 0.5, 0, 1);
        nc_world_def def = nc_world_settings(world);
        nc_error err;
        def.sleep = sleeps != 0;
        check_ok(nc_world_set_settings(world, &def, &err), err);
        add_ground(world, nc_q4(1, 0, 0, 0));
        const nc_body_id body = add_cube(world, nc_v3(0, 0.201, 0));
        for (int i = 0; i < 480; i++)
            step(world, DT);
        assert_int_equal(nc_body_sleeps(world, body), sleeps);
        check_near(nc_norm(acceleration_of(world, body).linear), 0, sleeps ? 0 : 1e-6);
        check_near(nc_norm(acceleration_of(world, body).angular), 0, sleeps ? 0 : 1e-6);
        nc_world_destroy(world);
    }
}

// It is no state: after a restore it is unknown until the next step, and then what it would have been.
static void a_restored_world_has_the_same_after_its_next_step(void **state)
{
    (void)state;
    nc_world *world = new_world(G, 0.3, 0.5, 1), *other = new_world(G, 0.3, 0.5, 1);
    nc_error err;
    nc_buffer bytes = nc_buffer_create(NULL);
    add_ground(world, nc_q4(1, 0, 0, 0));
    const nc_body_id body = add_cube(world, nc_v3(0, 0.5, 0));
    check_ok(nc_body_set_velocity(world, body, nc_v3(1, 0, 0), nc_v3(1, 2, 3), &err), err);
    for (int i = 0; i < 40; i++)
        step(world, DT);
    check_ok(nc_world_save(world, &bytes, &err), err);
    add_ground(other, nc_q4(1, 0, 0, 0));
    add_cube(other, nc_v3(0, 0.5, 0));
    check_ok(nc_world_restore(other, bytes.data, bytes.size, &err), err);
    assert_true(acceleration_of(world, body).known);
    assert_false(acceleration_of(other, body).known);
    for (int i = 0; i < 60; i++) {
        step(world, DT);
        step(other, DT);
        const nc_body_acceleration a = acceleration_of(world, body), b = acceleration_of(other, body);
        assert_true(a.known && b.known);
        assert_memory_equal(&a.linear, &b.linear, sizeof a.linear);
        assert_memory_equal(&a.angular, &b.angular, sizeof a.angular);
    }
    nc_buffer_free(&bytes);
    nc_world_destroy(world);
    nc_world_destroy(other);
}

static void it_is_unknown_after_a_change_of_bodies_and_of_none_for_stale_handles(void **state)
{
    (void)state;
    nc_world *world = new_world(G, 0, 0, 1);
    nc_error err;
    nc_body_acceleration a;
    const nc_body_id body = add_cube(world, nc_v3(0, 0, 0)), gone = add_cube(world, nc_v3(3, 0, 0));
    step(world, DT);
    assert_true(acceleration_of(world, body).known);
    check_ok(nc_body_destroy(world, gone, &err), err);
    assert_false(acceleration_of(world, body).known);
    check_near(nc_norm(acceleration_of(world, body).linear), 0, 0);
    assert_int_equal(nc_body_read_acceleration(world, gone, &a, &err), NC_BAD_ARGUMENT);
    nc_world_destroy(world);
}

// ---- runs ---------------------------------------------------------------------------------------------------

// The sum over the columns of the view, where the library has `a`.
static void check_view(nc_run *run, int64_t frame, const nc_run_acceleration *a)
{
    sqlite3_stmt *stmt = NULL;
    const double expected[6] = {a->linear.x, a->linear.y, a->linear.z, a->angular.x, a->angular.y, a->angular.z};
    assert_int_equal(sqlite3_prepare_v2(
                         run->db,
                         "select ax, ay, az, alpha_x, alpha_y, alpha_z from acceleration where frame = ? and body = ?",
                         -1, &stmt, NULL),
                     SQLITE_OK);
    sqlite3_bind_int64(stmt, 1, frame);
    sqlite3_bind_int(stmt, 2, a->body);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    for (int k = 0; k < 6; k++)
        check_near(sqlite3_column_double(stmt, k), expected[k], 1e-12 * fabs(expected[k]));
    sqlite3_finalize(stmt);
}

// The mean over the frame is that of the steps; the view has the same.
static void frames_have_the_mean_of_their_steps(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    nc_world *world = new_world(G, 0.3, 0.8, 1);
    nc_error err = {0};
    nc_run *run = NULL;
    add_ground(world, nc_q4(1, 0, 0, 0));
    const nc_body_id body = add_cube(world, nc_v3(0, 0.5, 0));
    check_ok(nc_body_set_velocity(world, body, nc_v3(1, 0, 0), nc_v3(1, 2, 3), &err), err);
    nc_run_def def = fixture_def(f.path);
    def.timestep = DT;
    def.steps_wanted = 0;
    def.output_every = 4;
    check_ok(nc_run_create(&def, nc_model_of_world(world), &run, &err), err);
    nc_run_acceleration found[4];
    int count = -1;
    check_ok(nc_run_read_accelerations(run, 0, found, 4, &count, &err), err);
    assert_int_equal(count, 0);
    for (int frame = 1; frame <= 20; frame++) {
        nc_vec3 linear = {0, 0, 0}, angular = {0, 0, 0};
        nc_model_report reports[4];
        for (int k = 0; k < 4; k++) {
            check_ok(nc_model_step(nc_model_of_world(world), DT, &reports[k], &err), err);
            linear = nc_madd(linear, 0.25, acceleration_of(world, body).linear);
            angular = nc_madd(angular, 0.25, acceleration_of(world, body).angular);
        }
        check_ok(nc_run_append(run, nc_model_of_world(world), reports, 4, &err), err);
        check_ok(nc_run_read_accelerations(run, frame, found, 4, &count, &err), err);
        assert_int_equal(count, 2);
        check_near(nc_norm(nc_sub(found[1].linear, linear)), 0, 1e-9);
        check_near(nc_norm(nc_sub(found[1].angular, angular)), 0, 1e-9);
        check_view(run, frame, &found[1]);
    }
    assert_int_equal(nc_run_read_accelerations(run, 21, found, 4, &count, &err), NC_NOT_FOUND);
    nc_run_close(run, NULL);
    nc_world_destroy(world);
    fixture_leave(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_fall_gives_gravity),
        cmocka_unit_test(a_force_and_a_torque_give_their_accelerations),
        cmocka_unit_test(it_is_the_change_of_velocity_over_the_step),
        cmocka_unit_test(a_body_at_rest_has_none_awake_or_asleep),
        cmocka_unit_test(a_restored_world_has_the_same_after_its_next_step),
        cmocka_unit_test(it_is_unknown_after_a_change_of_bodies_and_of_none_for_stale_handles),
        cmocka_unit_test(frames_have_the_mean_of_their_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
