// What a step says about itself: energies that add up, motion wanted and kept, passes.
#include "check.h"

#include "nacre/nacre.h"

#include "base/base.h"
#include "scene_text.h"

static nc_step_report step_once(nc_world *world, double dt)
{
    nc_step_report report;
    nc_error err;
    check_ok(nc_world_step(world, dt, &report, &err), err);
    return report;
}

typedef struct stage {
    nc_scene *scene;
    nc_world *world;
} stage;

static stage enter(const char *text)
{
    stage s = {.scene = scene_of(text)};
    s.world = world_of(s.scene);
    return s;
}

static void leave(stage *s)
{
    nc_world_destroy(s->world);
    nc_scene_destroy(s->scene);
}

// E after - E before = bounces + positions + forces - turn loss + the last contact solve.
static void check_accounts(const nc_step_report *r)
{
    const double total = r->kinetic + r->potential - r->kinetic_before - r->potential_before;
    const double parts = r->kinetic_collided - r->kinetic_before + r->position_energy + r->force_work - r->turn_loss +
                         r->kinetic - r->kinetic_moved;
    const double scale = fabs(r->kinetic) + fabs(r->potential) + fabs(r->kinetic_before) + fabs(r->kinetic_moved) +
                         fabs(r->potential_before);
    check_near(total, parts, 1e-11 * (scale + 1e-9));
}

static void energy_accounts_add_up_in_a_pile_that_is_hit(void **state)
{
    (void)state;
    stage s = enter("nacre: 1\n"
                    "shapes: {ground: {generate: plane, size: 30}, crate: {generate: box}, "
                    "ball: {generate: sphere, splits: 2, radius: 0.7}, boat: {generate: boat}}\n"
                    "bodies:\n"
                    "  - {shape: ground, type: static}\n"
                    "  - {shape: crate, wall: {count: [3, 3], spacing: [1.05, 1.02], base: [0, 0.52, 0]}}\n"
                    "  - {shape: boat, position: [0, 5, 0], spin: [3, 9, 1], force: [0, 30, 10], torque: [0, 5, 0]}\n"
                    "  - {shape: ball, position: [6, 1.5, 0.2], velocity: [-15, 0, 0]}\n");
    bool bounced = false, rested = false;
    for (int i = 0; i < 36; i++) {
        const nc_step_report r = step_once(s.world, 1.0 / 24);
        check_accounts(&r);
        bounced = bounced || (r.collisions > 0 && r.collision_passes > 0);
        rested = rested || (r.final_contacts > 0 && r.final_iterations > 0);
        check_at_most(r.kinetic_collided, r.kinetic_before * (1 + 1e-9) + 1e-9);
        check_at_most(r.kinetic, r.kinetic_moved * (1 + 1e-9) + 1e-9);
        check_at_most(r.kept_motion, r.wanted_motion);
    }
    assert_true(bounced && rested);
    leave(&s);
}

static void free_flight_adds_no_energy_and_keeps_all_that_was_wanted(void **state)
{
    (void)state;
    stage s = enter("nacre: 1\nshapes: {boat: {generate: boat}}\n"
                    "bodies: [{shape: boat, velocity: [1, 7, 2], spin: [3, 1, 2]}]\n");
    for (int i = 0; i < 48; i++) {
        const nc_step_report r = step_once(s.world, 1.0 / 24);
        check_accounts(&r);
        check_near(r.position_energy, 0, 1e-11 * r.kinetic_moved);
        check_near(r.kinetic_collided, r.kinetic_before, 1e-14 * r.kinetic);
        check_near(r.kept_motion, r.wanted_motion, 1e-15);
        assert_true(r.wanted_motion > 0.01);
        assert_int_equal(r.collision_passes + r.dynamic_passes + r.final_contacts, 0);
    }
    leave(&s);
}

static void work_of_a_force_is_force_times_way(void **state)
{
    (void)state;
    stage s = enter("nacre: 1\nworld: {gravity: [0, 0, 0]}\nshapes: {crate: {generate: box, density: 3}}\n"
                    "bodies: [{shape: crate, velocity: [0, 2, 0], force: [6, 3, 0], torque: [0, 0, 2]}]\n");
    nc_error err;
    nc_body_state before, after;
    const nc_body_id id = nc_world_find(s.world, "crate");
    check_ok(nc_body_read(s.world, id, &before, &err), err);
    const nc_step_report r = step_once(s.world, 0.1);
    check_ok(nc_body_read(s.world, id, &after, &err), err);
    const nc_vec3 way = nc_sub(after.pose.x, before.pose.x);
    check_near(r.force_work, 6 * way.x + 3 * way.y + 0.5 * 0.1 * 2 * after.spin.z, 1e-12);
    check_near(r.position_energy, 0, 1e-12);
    check_near(r.kinetic - r.kinetic_before, r.force_work, 1e-12);
    leave(&s);
}

// The crate starts at rest, 6 mm above the ground; then it is asked to rest at 10 mm. What lies 4 mm too low is pushed
// up by that, and held up against the 1/2 g dt^2 it would have fallen.
static void energy_of_positions_is_the_lift_of_what_was_pushed_apart(void **state)
{
    (void)state;
    const double dt = 1.0 / 24, g = 9.8, mass = 500;
    stage s = enter("nacre: 1\nworld: {rest_distance: 0.005, friction: 0}\n"
                    "shapes: {ground: {generate: plane, size: 30}, crate: {generate: box, density: 500}}\n"
                    "bodies: [{shape: ground, type: static}, {shape: crate, position: [0, 0.506, 0]}]\n");
    nc_error err;
    nc_world_def settings = nc_world_settings(s.world);
    settings.rest_distance = 0.01;
    settings.proximity = 0.02;
    check_ok(nc_world_set_settings(s.world, &settings, &err), err);
    const nc_step_report r = step_once(s.world, dt);
    check_accounts(&r);
    check_near(r.position_energy, mass * g * 0.004 + 0.5 * mass * (g * dt) * (g * dt), 1e-4);
    check_near(r.potential - r.potential_before, mass * g * 0.004, 1e-4);
    check_near(r.kinetic, 0, 1e-6);
    check_at_most(r.residual, 1e-5);
    leave(&s);
}

static void motion_that_is_held_back_is_not_kept(void **state)
{
    (void)state;
    stage s = enter("nacre: 1\nworld: {gravity: [0, 0, 0], collision_iterations: 0, dynamic_iterations: 0}\n"
                    "shapes: {crate: {generate: box}}\n"
                    "bodies: [{shape: crate, type: static}, "
                    "{name: runner, shape: crate, position: [-3, 0, 0], velocity: [4, 0, 0]}]\n");
    const nc_step_report r = step_once(s.world, 1);
    check_near(r.wanted_motion, 4, 1e-12);
    check_near(r.kept_motion, 2, 1e-3);
    assert_int_equal(r.sticks, 1);
    leave(&s);
}

// The same by other means: 10^4 points of the segment instead of a projection, and rotation from the quaternion's
// parts.
static double velocity_error_of(const nc_body_state *before, const nc_body_state *after, double radius, double dt)
{
    const nc_vec3 v = nc_scale(1 / dt, nc_sub(after->pose.x, before->pose.x));
    const nc_quat q = nc_quat_mul(after->pose.q, nc_quat_conj(before->pose.q));
    const nc_vec3 axis = {q.x, q.y, q.z};
    const double sine = nc_norm(axis), angle = 2 * atan2(sine, fabs(q.w)) * (q.w < 0 ? -1 : 1);
    const nc_vec3 w = sine > 0 ? nc_scale(angle / (sine * dt), axis) : axis;
    double linear = INFINITY, angular = INFINITY;
    for (int k = 0; k <= 10000; k++) {
        const double s = 1e-4 * k;
        const nc_vec3 at = nc_add(nc_scale(1 - s, before->velocity), nc_scale(s, after->velocity));
        const nc_vec3 spin = nc_add(nc_scale(1 - s, before->spin), nc_scale(s, after->spin));
        linear = fmin(linear, nc_norm(nc_sub(v, at)));
        angular = fmin(angular, nc_norm(nc_sub(w, spin)));
    }
    const bool fast = fmax(nc_norm(before->spin), nc_norm(after->spin)) * dt > 1;
    return linear + (fast ? 0 : radius * angular);
}

static void velocity_error_is_what_poses_and_velocities_before_and_after_say(void **state)
{
    (void)state;
    const double dt = 1.0 / 24;
    stage s = enter("nacre: 1\nworld: {dynamic_iterations: 1, contact_iterations: 1}\n"
                    "shapes: {ground: {generate: plane, size: 30}, crate: {generate: box}}\n"
                    "bodies:\n"
                    "  - {shape: ground, type: static}\n"
                    "  - {shape: crate, wall: {count: [3, 3], spacing: [1.05, 1.02], base: [0, 0.52, 0]}}\n"
                    "  - {shape: crate, position: [6, 1.5, 0.2], velocity: [-15, 0, 0], spin: [3, 9, 1]}\n");
    nc_error err;
    nc_body_id ids[16];
    nc_body_state before[16], after[16];
    const int count = nc_world_bodies(s.world, ids, 16);
    const double radius = 0.5 * sqrt(3.0);
    double most = 0;
    for (int step = 0; step < 36; step++) {
        double expected = 0;
        int body = -1;
        for (int i = 0; i < count; i++)
            check_ok(nc_body_read(s.world, ids[i], &before[i], &err), err);
        const nc_step_report r = step_once(s.world, dt);
        for (int i = 0; i < count; i++) {
            check_ok(nc_body_read(s.world, ids[i], &after[i], &err), err);
            const double error = velocity_error_of(&before[i], &after[i], radius, dt);
            body = after[i].type == NC_DYNAMIC && error > expected ? i : body;
            expected = after[i].type == NC_DYNAMIC ? fmax(error, expected) : expected;
        }
        check_near(r.velocity_error, expected, 2e-3);
        if (expected > 4e-3)
            assert_int_equal(r.velocity_error_body, body);
        most = fmax(most, expected);
    }
    assert_true(most > 0.01); // or this shows nothing
    leave(&s);
}

static void free_flight_without_spin_has_no_velocity_error(void **state)
{
    (void)state;
    stage s = enter("nacre: 1\nshapes: {boat: {generate: boat}}\n"
                    "bodies: [{shape: boat, velocity: [1, 7, 2]}]\n");
    for (int i = 0; i < 48; i++)
        check_at_most(step_once(s.world, 1.0 / 24).velocity_error, 1e-12);
    leave(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_accounts_add_up_in_a_pile_that_is_hit),
        cmocka_unit_test(free_flight_adds_no_energy_and_keeps_all_that_was_wanted),
        cmocka_unit_test(work_of_a_force_is_force_times_way),
        cmocka_unit_test(energy_of_positions_is_the_lift_of_what_was_pushed_apart),
        cmocka_unit_test(motion_that_is_held_back_is_not_kept),
        cmocka_unit_test(velocity_error_is_what_poses_and_velocities_before_and_after_say),
        cmocka_unit_test(free_flight_without_spin_has_no_velocity_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
