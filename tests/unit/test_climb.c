// What contact lifts, and what drives groups of bodies: climb.c, floating.c and the frames of energy.c.
#include "check.h"
#include "scene_text.h"

#include "nacre/world.h"

#include "base/base.h"
#include "step/step.h"

#define GAIN 1e-9 // [1] of the energy that was turned over

typedef struct stage {
    nc_scene *scene;
    nc_world *world;
    nc_step_report report;
    double least, rise, turned, work; // [J] of energy less work; turned: the most that was ever kinetic
} stage;

static stage enter(const char *text)
{
    stage s = {.least = INFINITY};
    s.scene = scene_of(text);
    s.world = world_of(s.scene);
    return s;
}

static void leave(stage *s)
{
    nc_world_destroy(s->world);
    nc_scene_destroy(s->scene);
}

static void step_once(stage *s, double dt)
{
    nc_error err;
    check_ok(nc_world_step(s->world, dt, &s->report, &err), err);
    s->work += s->report.force_work + s->report.kinematic_work;
    const double energy = s->report.kinetic + s->report.potential - s->work;
    s->least = fmin(s->least, energy);
    s->rise = fmax(s->rise, energy - s->least);
    s->turned = fmax(s->turned, fmax(s->report.kinetic, fabs(s->work)));
}

// ---- dynamic contact -------------------------------------------------------------------------------------------

// The phases of a step up to where dynamic contact begins, of a crate at rest on the ground.
static void begin_step(nc_world *world, nc_step *step)
{
    nc_error err;
    check_ok(nc_step_begin(step, world, 0.01, &err), err);
    check_ok(nc_step_collide(step, &err), err);
    check_ok(nc_step_accelerate(step, &err), err);
    check_ok(nc_step_rest_at_start(step, &err), err);
    check_ok(nc_step_propose(step, &err), err);
    check_ok(nc_certify_begin(step->work->motions, &step->motions, &step->certify, &err), err);
}

// Dynamic contact lifts a crate by `lift` [m] that has the kinetic energy of a fall by `has` [m]. Returns how high it
// is still to go.
static double lifted(double lift, double has, bool pushed)
{
    stage s = enter("nacre: 1\nworld: {friction: 0}\n"
                    "shapes: {ground: {generate: plane, size: 9}, crate: {generate: box, size: 1, density: 100}}\n"
                    "bodies: [{name: ground, shape: ground, type: static}, "
                    "{name: crate, shape: crate, position: [0, 0.501732, 0]}]\n");
    for (int k = 0; k < 3; k++)
        step_once(&s, 0.01);
    nc_step step;
    begin_step(s.world, &step);
    const int row = (int)nc_world_find(s.world, "crate").index;
    nc_path *path = &s.world->candidates.path[row];
    s.world->state.bodies.v[row] = nc_v3(0, -sqrt(2 * 9.8 * has), 0);
    path->segments[0].d = nc_v3(0, lift, 0);
    s.world->candidates.flags[row] |= pushed ? NC_STEP_DEFERRED : 0;
    nc_error err;
    check_ok(nc_step_limit_climb(&step, &err), err);
    const double height = nc_sub(nc_path_pose(path, 1).x, path->start.x).y;
    leave(&s);
    return height;
}

static void dynamic_contact_lifts_only_what_kinetic_energy_pays_for(void **state)
{
    (void)state;
    check_near(lifted(0.003, 0, true), 0, 1e-12);
    check_near(lifted(0.003, 0.001, true), 0.001, 1e-9);
    check_near(lifted(0.003, 0.004, true), 0.003, 1e-9);
    check_near(lifted(0.003, 0, false), 0.003, 1e-9); // something else pushed it
    check_near(lifted(-0.0001, 0, true), -0.0001, 1e-9);
}

// ---- resting contact -------------------------------------------------------------------------------------------

// Solves leave nanometres. A crate at rest on a slope went up and down by them.
static void a_crate_at_rest_on_a_slope_gains_nothing(void **state)
{
    (void)state;
    stage s = enter("nacre: 1\nworld: {friction: 1, restitution: 0}\n"
                    "shapes: {slope: {generate: plane, size: 20}, crate: {generate: box, size: 1, density: 1000}}\n"
                    "bodies: [{shape: slope, type: static, rotation: {euler: [0, 0, 26]}}, "
                    "{name: crate, shape: crate, rotation: {euler: [0, 0, 26]}, position: [-0.2227, 0.4565, 0]}]\n");
    int contacts = 0;
    for (int step = 0; step < 100; step++) {
        step_once(&s, 1.0 / 40);
        contacts += s.report.contacts;
    }
    print_message("on a slope: rises by %.2g of %.3g J\n", s.rise, s.turned);
    assert_true(contacts > 40);
    check_at_most(s.rise, GAIN * s.turned);
    check_at_most(s.report.kinetic, 1e-12 * s.turned);
    leave(&s);
}

// ---- floating groups -------------------------------------------------------------------------------------------

// Two plates that forces press against a crate, skew: nothing is fixed. Dynamic contact stops the plates before they
// hit, while forces work on them over the whole step.
static void plates_that_close_on_a_crate_gain_no_more_than_the_work_of_their_forces(void **state)
{
    (void)state;
    stage s = enter("nacre: 1\nworld: {gravity: [0, 0, 0], friction: 0, restitution: 0}\n"
                    "shapes: {plate: {generate: box, width: 0.2, height: 2, depth: 2, density: 2000}, "
                    "crate: {generate: box, size: 1, density: 1000}}\n"
                    "bodies: [{name: left, shape: plate, position: [-2.03, 0.1, 0], force: [40000, 0, 0]}, "
                    "{name: right, shape: plate, position: [2.4, 0, 0.2], force: [-40000, 300, 0]}, "
                    "{name: crate, shape: crate, position: [0, 0, 0.1], spin: [0, 0.1, 0.05]}]\n");
    nc_error err;
    check_ok(nc_world_measure(s.world, &s.report, &err), err);
    const nc_vec3 before = s.report.momentum;
    int contacts = 0;
    for (int step = 1; step <= 120; step++) {
        step_once(&s, 0.01);
        contacts += s.report.contacts;
        const nc_vec3 wanted = nc_add(before, nc_v3(0, 300 * 0.01 * step, 0));
        check_near(nc_norm(nc_sub(s.report.momentum, wanted)) / 1600, 0, 1e-9); // [m/s] of a plate
    }
    print_message("plates: rise by %.2g of %.3g J\n", s.rise, s.turned);
    assert_true(contacts > 100);
    check_at_most(s.rise, GAIN * s.turned);
    leave(&s);
}

// ---- what moves on without turning -----------------------------------------------------------------------------

// A force drives a crate against a wall that a script moves towards it: it may have the work of both.
static void a_crate_that_meets_a_moving_wall_gains_no_more_than_the_work_of_force_and_wall(void **state)
{
    (void)state;
    static const double gaps[] = {0.31, 0.317, 0.3235, 0.33};
    for (int k = 0; k < 4; k++) {
        char text[600];
        snprintf(text, sizeof text,
                 "nacre: 1\nworld: {gravity: [0, 0, 0], friction: 0, restitution: 0}\n"
                 "shapes: {wall: {generate: box, width: 0.1, height: 5, depth: 5}, "
                 "crate: {generate: box, size: 1, density: 10000}}\n"
                 "bodies: [{shape: wall, type: kinematic, position: [%.17g, 0, 0], velocity: [1, 0, 0]}, "
                 "{name: crate, shape: crate, velocity: [-2, 0, 0], force: [-1000000, 0, 0]}]\n",
                 -0.55 - gaps[k]);
        stage s = enter(text);
        for (int step = 0; step < 40; step++)
            step_once(&s, 0.01);
        print_message("wall: rises by %.2g of %.3g J\n", s.rise, s.turned);
        assert_true(s.report.contacts > 0);
        check_at_most(s.rise, GAIN * s.turned);
        leave(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dynamic_contact_lifts_only_what_kinetic_energy_pays_for),
        cmocka_unit_test(a_crate_at_rest_on_a_slope_gains_nothing),
        cmocka_unit_test(plates_that_close_on_a_crate_gain_no_more_than_the_work_of_their_forces),
        cmocka_unit_test(a_crate_that_meets_a_moving_wall_gains_no_more_than_the_work_of_force_and_wall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
