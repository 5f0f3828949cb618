// Contact where play is small, bodies turn, or forces are large: what scenes/tight shows at length, in few steps.
#include "check.h"
#include "scene_text.h"

#include "nacre/world.h"

typedef struct outcome {
    nc_body_state body;
    int sticks, halts;
    int passes;          // of dynamic contact
    double kinetic;      // [J] at the end
    double largest_gain; // [J] largest rise of kinetic and potential energy over the start
} outcome;

static outcome run(const char *text, const char *name, double dt, int steps)
{
    nc_scene *scene = scene_of(text);
    nc_world *world = world_of(scene);
    nc_error err;
    outcome out = {.sticks = 0};
    nc_step_report report;
    check_ok(nc_world_measure(world, &report, &err), err);
    const double start = report.kinetic + report.potential;
    for (int step = 0; step < steps; step++) {
        check_ok(nc_world_step(world, dt, &report, &err), err);
        out.sticks += report.sticks;
        out.halts += report.halts;
        out.passes += report.dynamic_passes;
        out.kinetic = report.kinetic;
        out.largest_gain = fmax(out.largest_gain, report.kinetic + report.potential - start);
    }
    check_ok(nc_body_read(world, nc_world_find(world, name), &out.body, &err), err);
    nc_world_destroy(world);
    nc_scene_destroy(scene);
    return out;
}

// ---- play ----------------------------------------------------------------------------------------------------

// A box between two fixed plates with 0.4 mm of play in all: it lies on the lower one, at a quarter of that.
static void a_box_in_a_slot_rests_at_a_quarter_of_its_play(void **state)
{
    (void)state;
    const outcome out = run("nacre: 1\n"
                            "world: {friction: 0, restitution: 0}\n"
                            "shapes: {plate: {generate: box, width: 1, height: 0.1, depth: 1}, "
                            "box: {generate: box, size: 0.2}}\n"
                            "bodies: [{shape: plate, type: static, position: [0, -0.15, 0]}, "
                            "{shape: plate, type: static, position: [0, 0.1504, 0]}, "
                            "{name: box, shape: box, position: [0, 0.0002, 0]}]\n",
                            "box", 1.0 / 100, 100);
    check_near(out.body.pose.x.y, 0.0001, 2e-6);
    check_at_most(nc_norm(out.body.velocity), 1e-6);
    assert_int_equal(out.sticks, 0);
}

// Boxes in a stack give way: their distances are no play, and the stack does not sink.
static void boxes_of_a_stack_keep_their_rest_distance(void **state)
{
    (void)state;
    const outcome out = run("nacre: 1\n"
                            "world: {friction: 0.5, restitution: 0, rest_distance: 0.002}\n"
                            "shapes: {ground: {generate: plane, size: 10}, box: {generate: box, size: 0.2}}\n"
                            "bodies: [{shape: ground, type: static}, "
                            "{shape: box, position: [0, 0.102, 0]}, {shape: box, position: [0, 0.304, 0]}, "
                            "{name: top, shape: box, position: [0, 0.506, 0]}]\n",
                            "top", 1.0 / 100, 100);
    check_near(out.body.pose.x.y, 0.506, 1e-5);
}

// Two scripted fingers that close until 0.1 mm is left on each side of a cup, then rise; or until 4 mm inside of it.
static outcome grip(double friction, double from, double to)
{
    char text[1200];
    snprintf(text, sizeof text,
             "nacre: 1\n"
             "world: {friction: %g, restitution: 0}\n"
             "shapes: {table: {generate: plane, size: 4}, cup: {generate: cylinder, radius: 0.04, height: 0.1}, "
             "finger: {generate: box, width: 0.02, height: 0.06, depth: 0.06}}\n"
             "bodies:\n"
             "  - {shape: table, type: static}\n"
             "  - {name: cup, shape: cup, position: [0, 0.0505, 0]}\n"
             "  - {name: left, shape: finger, type: kinematic, keyframes: [{time: 0, position: [%g, 0.06, 0]}, "
             "{time: 0.5, position: [%g, 0.06, 0]}, {time: 1, position: [%g, 0.16, 0]}]}\n"
             "  - {name: right, shape: finger, type: kinematic, keyframes: [{time: 0, position: [%g, 0.06, 0]}, "
             "{time: 0.5, position: [%g, 0.06, 0]}, {time: 1, position: [%g, 0.16, 0]}]}\n",
             friction, -from, -to, -to, from, to, to);
    return run(text, "cup", 1.0 / 240, 264);
}

static void a_cup_without_friction_slides_out_of_two_fingers(void **state)
{
    (void)state;
    const outcome out = grip(0, 0.06, 0.0501);
    check_near(out.body.pose.x.y, 0.05015, 1e-5); // 0.1% of its diagonal above the table
    check_at_most(out.kinetic, 1e-6);
    assert_int_equal(out.sticks, 0);
}

static void fingers_that_close_too_far_lift_a_cup_only_with_friction(void **state)
{
    (void)state;
    const outcome rough = grip(0.8, 0.06, 0.046), slick = grip(0, 0.06, 0.046);
    check_near(rough.body.pose.x.y, 0.1505, 3e-3); // fingers that waited set off slowly
    check_near(slick.body.pose.x.y, 0.0505, 1e-3);
    assert_true(rough.halts > 0); // the fingers had to wait on the way in
    check_at_most(rough.kinetic, 1e-6);
    check_at_most(slick.kinetic, 1e-6);
}

// ---- turning -------------------------------------------------------------------------------------------------

static void a_rider_keeps_its_place_on_a_turntable(void **state)
{
    (void)state;
    const double steps[] = {24, 60};
    for (int k = 0; k < 2; k++) {
        const outcome out = run("nacre: 1\n"
                                "world: {friction: 1, restitution: 0}\n"
                                "shapes: {table: {generate: cylinder, radius: 0.5, height: 0.1, segments: 32}, "
                                "cube: {generate: box, size: 0.05}}\n"
                                "bodies: [{shape: table, type: kinematic, spin: [0, 6.283185307179586, 0]}, "
                                "{name: cube, shape: cube, position: [0.2, 0.0752, 0], "
                                "velocity: [0, 0, -1.2566370614359172], spin: [0, 6.283185307179586, 0]}]\n",
                                "cube", 1 / steps[k], (int)(3 * steps[k]));
        const double radius = sqrt(out.body.pose.x.x * out.body.pose.x.x + out.body.pose.x.z * out.body.pose.x.z);
        print_message("1/%g s: radius %.9g after 3 turns\n", steps[k], radius);
        check_near(radius, 0.2, 2e-6);
        check_near(nc_norm(out.body.velocity), 1.2566370614359172, 1e-5);
    }
}

// A bar with a hole on a fixed pin, let go when it is level: without the velocities of its motion it kept half of its
// energy.
static void a_pendulum_on_a_pin_keeps_its_energy(void **state)
{
    (void)state;
    const outcome out = run("nacre: 1\n"
                            "world: {gravity: [0, -9.8, 0], friction: 0, restitution: 0}\n"
                            "shapes: {bar: {generate: flat_bar, length: 0.3, width: 0.06, depth: 0.02, hole: 0.0105, "
                            "segments: 48, mass: 1}, "
                            "pin: {generate: cylinder, radius: 0.0103, height: 0.1, segments: 48}}\n"
                            "bodies: [{shape: pin, type: static, rotation: {euler: [90, 0, 0]}}, "
                            "{name: bar, shape: bar, position: [0.15, 0, 0]}]\n",
                            "bar", 1.0 / 100, 100);
    const double lost = -(out.kinetic + 9.8 * out.body.pose.x.y) / (9.8 * 0.15);
    print_message("a pendulum on a pin lost %.3g of its energy in 1 s\n", lost);
    check_at_most(lost, 0.12);
    check_at_most(out.largest_gain, 1e-9);
}

// ---- light bodies under large forces -------------------------------------------------------------------------

static void a_load_of_a_thousand_links_hangs_still(void **state)
{
    (void)state;
    const outcome out = run("nacre: 1\n"
                            "world: {friction: 0.3, restitution: 0}\n"
                            "shapes: {link: {generate: link, length: 0.06, radius: 0.025, bar: 0.008, segments: 8, "
                            "sides: 10, density: 7800}}\n"
                            "bodies:\n"
                            "  - {shape: link, type: static, rotation: {euler: [0, 0, -90]}}\n"
                            "  - {shape: link, rotation: {euler: [90, 0, -90]}, chain: {count: 3, spacing: 0.09395, "
                            "start: [0, -0.09395, 0], direction: [0, -1, 0]}}\n"
                            "  - {name: load, shape: link, mass: 400, position: [0, -0.3758, 0], "
                            "rotation: {euler: [0, 0, -90]}}\n",
                            "load", 1.0 / 100, 150);
    check_at_most(out.kinetic, 4e-4);
    check_near(out.body.pose.x.y, -0.3758, 1e-3);
    assert_int_equal(out.sticks, 0);
}

// ---- taut chains ---------------------------------------------------------------------------------------------

// A straight chain between two fixed links, 0.01 mm of play per joint: it falls by that, tautens, and comes to rest.
// Its joints slide from facet to facet; no link is ever held.
static void links_of_a_straight_chain_are_not_held(void **state)
{
    (void)state;
    const outcome out =
        run("nacre: 1\n"
            "world: {friction: 0.3, restitution: 0}\n"
            "shapes: {link: {generate: link, length: 0.06, radius: 0.025, bar: 0.008, segments: 8, "
            "sides: 10, density: 7800}}\n"
            "bodies:\n"
            "  - {shape: link, type: static, position: [-0.986895, 0, 0]}\n"
            "  - {name: link, shape: link, rotation: {euler: [90, 0, 0]}, "
            "chain: {count: 20, spacing: 0.09399, start: [-0.892905, 0, 0]}}\n"
            "  - {shape: link, type: static, position: [0.986895, 0, 0], rotation: {euler: [90, 0, 0]}}\n",
            "link.10", 1.0 / 100, 120);
    assert_int_equal(out.sticks, 0);
    assert_int_equal(out.halts, 0);
    print_message("a straight chain of 20 links: %d passes of dynamic contact\n", out.passes);
    assert_in_range(out.passes, 1, 16); // 26 where every solve went on from the last one's velocities
    check_at_most(out.kinetic, 8.68e-6);
    check_at_most(out.largest_gain, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_in_a_slot_rests_at_a_quarter_of_its_play),
        cmocka_unit_test(boxes_of_a_stack_keep_their_rest_distance),
        cmocka_unit_test(a_cup_without_friction_slides_out_of_two_fingers),
        cmocka_unit_test(fingers_that_close_too_far_lift_a_cup_only_with_friction),
        cmocka_unit_test(a_rider_keeps_its_place_on_a_turntable),
        cmocka_unit_test(a_pendulum_on_a_pin_keeps_its_energy),
        cmocka_unit_test(a_load_of_a_thousand_links_hangs_still),
        cmocka_unit_test(links_of_a_straight_chain_are_not_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
