// Contacts that act and contacts that are idle (active.c): what only passes is not stopped, what would hit is.
#include "check.h"
#include "scene_text.h"

#include "nacre/world.h"

#include "base/base.h"

typedef struct stage {
    nc_scene *scene;
    nc_world *world;
    nc_step_report report;
    int contacts, unsolved; // [1] seen so far: resting contacts; sticks, halts and dynamic contacts
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

static void step_once(stage *s, double dt)
{
    nc_error err;
    check_ok(nc_world_step(s->world, dt, &s->report, &err), err);
    s->contacts += s->report.contacts;
    s->unsolved += s->report.sticks + s->report.halts + s->report.dynamic_contacts;
}

static nc_body_state find(const stage *s, const char *name)
{
    nc_body_state body;
    nc_error err;
    check_ok(nc_body_read(s->world, nc_world_find(s->world, name), &body, &err), err);
    return body;
}

// ---- what passes -----------------------------------------------------------------------------------------------

// A bar that moves over the end of another one, 0.5 mm higher than it would rest. Their edges are near each other on
// the way, first with normals that point forward.
static void a_bar_that_slides_over_anothers_end_keeps_its_speed(void **state)
{
    (void)state;
    static const char *const lower[] = {"static", "dynamic"};
    static const double steps[] = {1.0 / 100, 1.0 / 24};
    for (int k = 0; k < 4; k++) {
        char text[600];
        snprintf(text, sizeof text,
                 "nacre: 1\n"
                 "world: {gravity: [0, 0, 0], friction: 0, restitution: 0, rest_distance: 0.002}\n"
                 "shapes: {bar: {generate: box, width: 0.4, height: 0.04, depth: 0.1}}\n"
                 "bodies: [{name: lower, shape: bar, type: %s}, "
                 "{name: upper, shape: bar, position: [-0.411, 0.0425, 0.03], velocity: [0.3, 0, 0.02]}]\n",
                 lower[k % 2]);
        stage s = enter(text);
        for (int step = 0; step < 1.5 / steps[k / 2]; step++) {
            step_once(&s, steps[k / 2]);
            const nc_body_state bar = find(&s, "upper");
            check_near(bar.velocity.x, 0.3, 1e-9);
            check_near(bar.velocity.y, 0, 1e-9);
            check_near(bar.velocity.z, 0.02, 1e-9);
            check_at_most(nc_norm(bar.spin), 1e-9);
            check_at_most(nc_norm(find(&s, "lower").velocity), 1e-9);
        }
        assert_true(s.contacts > 0); // or this shows nothing
        assert_int_equal(s.unsolved, 0);
        leave(&s);
    }
}

// A sled that lies on bars of one height and slides over them: its front edge comes to the next bar at its rest
// distance to rounding, a little higher or lower, and there are contacts ahead on the way whose normals point back.
static void a_sled_that_slides_over_bars_keeps_its_speed(void **state)
{
    (void)state;
    static const double speeds[] = {0.03, 0.1, 0.3, 0.37, 0.5, 0.8, 1.3}, steps[] = {1.0 / 100, 1.0 / 24};
    for (int k = 0; k < 14; k++) {
        const double speed = speeds[k / 2], dt = steps[k % 2];
        char text[3000];
        int size = snprintf(text, sizeof text,
                            "nacre: 1\n"
                            "world: {friction: 0, restitution: 0, rest_distance: 0.002}\n"
                            "shapes: {sled: {generate: box, width: 0.5, height: 0.05, depth: 0.2}, "
                            "bar: {generate: box, width: 0.02, height: 0.02, depth: 0.6}}\n"
                            "bodies: [{name: sled, shape: sled, position: [0, 0.027, 0], rotation: {euler: [0, 5, 0]}, "
                            "velocity: [%g, 0, 0]}",
                            speed);
        for (int bar = 0; bar < 14; bar++)
            size += snprintf(text + size, sizeof text - (size_t)size,
                             ", {shape: bar, type: static, position: [%g, -0.01, %g]}", 0.15 * bar - 0.3, 0.013 * bar);
        size += snprintf(text + size, sizeof text - (size_t)size, "]\n");
        assert_true(size < (int)sizeof text);
        stage s = enter(text);
        for (int step = 0; step * dt * speed < 0.35 && step * dt < 3; step++) {
            step_once(&s, dt);
            const nc_body_state sled = find(&s, "sled");
            check_near(sled.velocity.x / speed, 1, 1e-5);
            check_near(sled.pose.x.y, 0.027, 1e-6);
            check_at_most(nc_norm(sled.spin), 1e-5);
        }
        assert_int_equal(s.unsolved, 0);
        leave(&s);
    }
}

// A bar that turns above another one, its edges passing over the other's.
static void a_bar_that_turns_above_another_keeps_its_spin(void **state)
{
    (void)state;
    static const double spins[] = {1.5, 3, 6};
    for (int k = 0; k < 6; k++) {
        char text[600];
        const nc_vec3 spin = nc_v3(0, spins[k % 3], 0);
        snprintf(text, sizeof text,
                 "nacre: 1\n"
                 "world: {gravity: [0, 0, 0], friction: 0, restitution: 0, rest_distance: 0.002}\n"
                 "shapes: {bar: {generate: box, width: 0.4, height: 0.04, depth: 0.1}}\n"
                 "bodies: [{shape: bar, type: static}, "
                 "{name: upper, shape: bar, position: [0.15, 0.0422, 0.11], spin: [0, %g, 0]}]\n",
                 spin.y);
        stage s = enter(text);
        const double dt = k < 3 ? 1.0 / 100 : 1.0 / 24;
        for (int step = 0; step * dt * spin.y < 6.3; step++) { // [rad] a turn
            step_once(&s, dt);
            const nc_body_state bar = find(&s, "upper");
            check_at_most(nc_norm(nc_sub(bar.spin, spin)), 1e-9);
            check_at_most(nc_norm(bar.velocity), 1e-9);
        }
        assert_true(s.contacts > 0);
        assert_int_equal(s.unsolved, 0);
        leave(&s);
    }
}

// scenes/tight/hinge.yaml from shortly before the leaf comes over the fixed one until it is above it.
static void the_leaf_of_a_hinge_keeps_its_spin(void **state)
{
    (void)state;
    stage s = enter("nacre: 1\n"
                    "world: {gravity: [0, 0, -9.8], friction: 0, restitution: 0}\n"
                    "shapes:\n"
                    "  leaf: {generate: flat_bar, length: 0.15, width: 0.04, depth: 0.02, hole: 0.0105, segments: 48, "
                    "density: 2700}\n"
                    "  rivet: {generate: spool, radius: 0.0103, height: 0.0403, flange: 0.018, rim: 0.004, "
                    "segments: 48, density: 2700}\n"
                    "bodies:\n"
                    "  - {name: fixed, shape: leaf, type: static, position: [-0.075, 0, -0.01005]}\n"
                    "  - {name: leaf, shape: leaf, position: [-0.06495190528, 0.0375, 0.01005], "
                    "rotation: {euler: [0, 0, 150]}, velocity: [-0.075, -0.12990381057, 0], "
                    "spin: [0, 0, 2]}\n"
                    "  - {name: rivet, shape: rivet, rotation: {euler: [90, 0, 0]}}\n");
    for (int step = 0; step < 40; step++)
        step_once(&s, 1.0 / 100);
    const nc_body_state leaf = find(&s, "leaf");
    print_message("the leaf turns with %.4f of 2 rad/s\n", leaf.spin.z);
    check_near(leaf.spin.z, 2, 0.15); // all contacts acting, it stops
    check_near(leaf.pose.x.z, 0.01005, 1e-4);
    leave(&s);
}

// A crate that falls beside a wall, nearer to it than it rests: whatever height above the rim a step ends at, it falls
// freely. The rows of its corners at the rim point up, and would stop it.
static void a_crate_falls_past_a_rim_nearer_than_it_rests(void **state)
{
    (void)state;
    static const double beside[] = {0.3, 0.6, 0.9}; // [rest distance]
    const double rest = 0.001 * sqrt(3), dt = 1.0 / 60;
    int contacts = 0;
    for (int k = 0; k < 60; k++) {
        char text[600];
        const double gap = beside[k % 3] * rest, above = 0.1 + 0.0033 * (k / 3); // [m] a step falls by up to 0.05 m
        snprintf(text, sizeof text,
                 "nacre: 1\n"
                 "world: {friction: 0, restitution: 0}\n"
                 "shapes: {wall: {generate: box, width: 1, height: 1, depth: 4}, crate: {generate: box, size: 1}}\n"
                 "bodies: [{shape: wall, type: static}, "
                 "{name: crate, shape: crate, position: [%.9f, %.9f, 0], velocity: [0, -3, 0]}]\n",
                 1 + gap, 1 + above);
        stage s = enter(text);
        for (int step = 0; step < 8; step++)
            step_once(&s, dt);
        const nc_body_state crate = find(&s, "crate");
        check_near(crate.velocity.y, -3 - 9.8 * 8 * dt, 1e-3);
        check_at_most(fabs(crate.velocity.x), 0.02);
        check_at_most(nc_norm(crate.spin), 0.02);
        contacts += s.contacts;
        leave(&s);
    }
    assert_true(contacts > 100); // or this shows nothing
}

// A crate that slides on a wall of its size and starts level with its rims, so that corners are straight above corners
// and a contact of a corner may be listed with a side: the rim is no reason to let it go.
static void a_crate_whose_corners_are_above_a_rim_stays_on_the_wall(void **state)
{
    (void)state;
    static const double shift[] = {0, 0x1p-12, -0x1p-12}; // [rest distance]
    static const double speed[4][2] = {{2, 0}, {1, 1}, {-3, 1}, {0.7, -2}};
    const double rest = 0.001 * sqrt(3), dt = 1.0 / 60;
    for (int k = 0; k < 12; k++) {
        char text[600];
        snprintf(text, sizeof text,
                 "nacre: 1\n"
                 "world: {friction: 0, restitution: 0}\n"
                 "shapes: {box: {generate: box, size: 1}}\n"
                 "bodies: [{shape: box, type: static}, "
                 "{name: crate, shape: box, position: [%.12f, %.12f, 0], velocity: [%g, 0, %g]}]\n",
                 shift[k % 3] * rest, 1 + rest, speed[k / 3][0], speed[k / 3][1]);
        stage s = enter(text);
        for (int step = 0; step < 6; step++) {
            step_once(&s, dt);
            const nc_body_state crate = find(&s, "crate");
            check_near(crate.velocity.x, speed[k / 3][0], 1e-5);
            check_near(crate.velocity.z, speed[k / 3][1], 1e-5);
            check_at_most(fabs(crate.velocity.y), 1e-5);
            check_at_most(nc_norm(crate.spin), 1e-5);
        }
        assert_int_equal(s.unsolved, 0);
        leave(&s);
    }
}

// ---- what would hit --------------------------------------------------------------------------------------------

// A box that slides at a wall, slowly enough to rest there, from farther than it rests: the contact comes to act, and
// neither dynamic contact nor certify has anything to do.
static void a_box_that_slides_at_a_wall_is_stopped_at_its_rest_distance(void **state)
{
    (void)state;
    static const double steps[] = {1.0 / 100, 1.0 / 24};
    for (int k = 0; k < 2; k++) {
        stage s = enter("nacre: 1\n"
                        "world: {friction: 0, restitution: 0, rest_distance: 0.002}\n"
                        "shapes: {ground: {generate: plane, size: 4}, box: {generate: box, size: 0.2}, "
                        "wall: {generate: box, width: 0.1, height: 1, depth: 1}}\n"
                        "bodies: [{shape: ground, type: static}, "
                        "{shape: wall, type: static, position: [0.15, 0.6, 0]}, "
                        "{name: box, shape: box, position: [-0.01, 0.102, 0], velocity: [0.15, 0, 0]}]\n");
        for (int step = 0; step < 0.5 / steps[k]; step++) {
            step_once(&s, steps[k]);
            check_at_most(find(&s, "box").pose.x.x, -0.002 + 1e-6); // the wall begins at 0.1
        }
        check_near(find(&s, "box").pose.x.x, -0.002, 1e-5);
        check_near(find(&s, "box").velocity.x, 0, 1e-6);
        assert_int_equal(s.unsolved, 0);
        leave(&s);
    }
}

// Fast: it would pass the wall's far side within a step.
static void a_box_that_is_shot_at_a_wall_stays_before_it(void **state)
{
    (void)state;
    stage s =
        enter("nacre: 1\n"
              "world: {gravity: [0, 0, 0], friction: 0, restitution: 0.5, rest_distance: 0.002}\n"
              "shapes: {box: {generate: box, size: 0.2}, wall: {generate: box, width: 0.1, height: 1, depth: 1}}\n"
              "bodies: [{shape: wall, type: static, position: [0.15, 0, 0]}, "
              "{name: box, shape: box, position: [-0.0025, 0, 0], velocity: [20, 0, 0]}]\n");
    step_once(&s, 1.0 / 24);
    check_at_most(find(&s, "box").pose.x.x, 0);
    check_near(find(&s, "box").velocity.x, -10, 1e-6);
    leave(&s);
}

// ---- nothing crosses -------------------------------------------------------------------------------------------

// Thin bodies thrown at each other in a tube: many pass close by, and no path crosses another.
static int run_random(uint64_t seed)
{
    static const char *const shapes[] = {"rod", "sheet", "ring"};
    nc_random random = {seed};
    char text[6000];
    int size = snprintf(text, sizeof text,
                        "nacre: 1\n"
                        "world: {pipeline: %s, friction: 0.2, restitution: 0.2}\n"
                        "shapes: {ground: {generate: plane, size: 10}, tube: {generate: tube, radius: 0.9, height: 1}, "
                        "rod: {generate: box, width: 0.03, height: 0.6, depth: 0.03}, "
                        "sheet: {generate: box, width: 0.4, height: 0.01, depth: 0.3}, "
                        "ring: {generate: ring, radius: 0.3, width: 0.08}}\n"
                        "bodies: [{shape: ground, type: static}, "
                        "{shape: tube, type: static, position: [0, 0.51, 0]}",
                        seed % 3 == 2 ? "vsp" : "shell");
    for (int k = 0; k < 9; k++) {
        double a[6];
        for (int i = 0; i < 6; i++)
            a[i] = nc_random_range(&random, -1, 1);
        size += snprintf(text + size, sizeof text - (size_t)size,
                         ", {shape: %s, position: [%.4f, %g, %.4f], rotation: {euler: [%.3f, %.3f, %.3f]}, "
                         "velocity: [%.3f, %g, %.3f], spin: [%.3f, %.3f, %.3f]}",
                         shapes[k % 3], 0.1 * a[0], 0.6 + 1.1 * k, 0.1 * a[1], 180 * a[2], 90 * a[3], 180 * a[4], a[1],
                         -1.5 * k, a[0], 4 * a[3], 4 * a[4], 4 * a[5]);
    }
    size += snprintf(text + size, sizeof text - (size_t)size, "]\n");
    assert_true(size < (int)sizeof text);
    stage s = enter(text);
    for (int step = 0; step < 24; step++) {
        int crossings = 0, overlaps = 0;
        nc_error err;
        step_once(&s, 1.0 / 24);
        check_ok(nc_world_audit_step(s.world, NULL, 0, &crossings, &err), err);
        check_ok(nc_world_audit(s.world, NULL, 0, &overlaps, &err), err);
        if (crossings + overlaps > 0)
            print_error("scene %llu, step %d: %d crossings, %d overlaps\n", (unsigned long long)seed, step, crossings,
                        overlaps);
        assert_int_equal(crossings + overlaps, 0);
    }
    leave(&s);
    return s.contacts;
}

static void idle_contacts_let_nothing_cross(void **state)
{
    (void)state;
    const uint64_t first = check_seed("crossings", 2703);
    int contacts = 0;
    for (int k = 0; k < check_effort(5); k++)
        contacts += run_random(first + (uint64_t)k);
    print_message("%d contacts\n", contacts);
    assert_true(contacts > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bar_that_slides_over_anothers_end_keeps_its_speed),
        cmocka_unit_test(a_sled_that_slides_over_bars_keeps_its_speed),
        cmocka_unit_test(a_bar_that_turns_above_another_keeps_its_spin),
        cmocka_unit_test(the_leaf_of_a_hinge_keeps_its_spin),
        cmocka_unit_test(a_crate_falls_past_a_rim_nearer_than_it_rests),
        cmocka_unit_test(a_crate_whose_corners_are_above_a_rim_stays_on_the_wall),
        cmocka_unit_test(a_box_that_slides_at_a_wall_is_stopped_at_its_rest_distance),
        cmocka_unit_test(a_box_that_is_shot_at_a_wall_stays_before_it),
        cmocka_unit_test(idle_contacts_let_nothing_cross),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
