// What joints bear in impacts, against momentum balance; joints that break by them, and bodies that break with them.
#include "fail_allocator.h"
#include "joint_bodies.h"

#define ROD_MASS   3.0  // [kg]
#define ROD_LENGTH 1.0  // [m] along y, from the hinge at the origin downwards
#define ROD_WIDTH  0.04 // [m]
#define CUBE_MASS  0.5  // [kg]
#define CUBE_SIDE  0.1  // [m] of a cube that flies with an edge ahead: it hits as a point mass does
#define SPEED      4.0  // [m/s] along x

// [kg m^2] of the rod about its hinge.
static double rod_inertia(void)
{
    return ROD_MASS * (ROD_LENGTH * ROD_LENGTH / 3 + ROD_WIDTH * ROD_WIDTH / 12);
}

typedef struct strike {
    nc_world *world;
    nc_body_id rod;
    nc_joint_id hinge;
} strike;

// A cube is about to hit a rod that hangs from a hinge, `depth` [m] below it. No gravity, no friction.
static strike make_strike(double depth, double restitution, double break_force)
{
    strike s = {.world = new_world(0, 0, restitution, 1)};
    nc_error err;
    s.rod = add_box(s.world, nc_v3(ROD_WIDTH, ROD_LENGTH, ROD_WIDTH), nc_v3(0, -0.5 * ROD_LENGTH, 0), ROD_MASS);
    const nc_shape_parameter sides[] = {{"width", CUBE_SIDE}, {"height", CUBE_SIDE}, {"depth", CUBE_SIDE}};
    nc_body_def ahead = nc_body_def_default();
    ahead.type = NC_DYNAMIC;
    ahead.position = nc_v3(-0.5 * ROD_WIDTH - sqrt(0.5) * CUBE_SIDE - 0.05, -depth, 0);
    ahead.orientation = (nc_quat){cos(PI / 8), 0, 0, sin(PI / 8)};
    ahead.mass.mass = CUBE_MASS;
    const nc_body_id cube = add(s.world, "box", sides, 3, ahead);
    check_ok(nc_body_set_velocity(s.world, cube, nc_v3(SPEED, 0, 0), nc_v3(0, 0, 0), &err), err);
    nc_joint_def def = hold(NC_JOINT_HINGE, s.rod, nc_v3(0, 0, 0), nc_v3(0, 0, 1));
    def.break_force = break_force;
    s.hinge = join(s.world, &def);
    return s;
}

// [N s] that the rod gets from a point mass at `depth`, and then from the hinge, along x.
static double impulse_of_hit(double depth, double restitution)
{
    return (1 + restitution) * SPEED / (1 / CUBE_MASS + depth * depth / rod_inertia());
}

static double impulse_of_hinge(double depth, double restitution)
{
    const double spin = impulse_of_hit(depth, restitution) * depth / rod_inertia();
    return ROD_MASS * spin * 0.5 * ROD_LENGTH - impulse_of_hit(depth, restitution);
}

// [N s] of the hinge along x in the step in which the rod is hit.
static double impulse_at_hit(const strike *s, double dt)
{
    for (int k = 0; k < 100; k++) {
        step(s->world, dt);
        if (read_body(s->world, s->rod).spin.z > 0.1)
            return read_joint(s->world, s->hinge).force.x * dt;
    }
    return NAN;
}

// [N s] what the hinge gives along x to keep the rod on its arc, when it has turned for one step.
static double turning(double depth, double restitution, double dt)
{
    const double spin = impulse_of_hit(depth, restitution) * depth / rod_inertia();
    return ROD_MASS * 0.5 * ROD_LENGTH * spin * spin * spin * dt * dt;
}

static void a_hinge_bears_the_impulse_that_momentum_balance_says(void **state)
{
    (void)state;
    const double depths[] = {0.2, 0.5, 0.9}, steps[] = {1e-3, 1.0 / 240};
    for (int k = 0; k < 3; k++)
        for (int e = 0; e < 2; e++)
            for (int h = 0; h < 2; h++) {
                const strike s = make_strike(depths[k], 0.5 * e, 0);
                check_near(impulse_at_hit(&s, steps[h]), impulse_of_hinge(depths[k], 0.5 * e),
                           turning(depths[k], 0.5 * e, steps[h]));
                nc_world_destroy(s.world);
            }
}

// A cube that hits a rod which hits another one, far from everything else: its collisions take more solves than one.
static void add_knock_on(nc_world *world, double z)
{
    const nc_vec3 size = {ROD_WIDTH, ROD_LENGTH, ROD_WIDTH};
    nc_error err;
    for (int k = 0; k < 3; k++) {
        const double x = k * (ROD_WIDTH + 0.006); // [m] not near each other before the first one turns
        const nc_body_id rod = add_box(world, size, nc_v3(x, -0.5 * ROD_LENGTH, z), ROD_MASS);
        const nc_joint_def def = hold(NC_JOINT_HINGE, rod, nc_v3(x, 0, z), nc_v3(0, 0, 1));
        join(world, &def);
    }
    const nc_body_id cube = add_box(world, nc_v3(CUBE_SIDE, CUBE_SIDE, CUBE_SIDE),
                                    nc_v3(-0.5 * (ROD_WIDTH + CUBE_SIDE) - 0.05, -0.9, z), CUBE_MASS);
    check_ok(nc_body_set_velocity(world, cube, nc_v3(SPEED, 0, 0), nc_v3(0, 0, 0), &err), err);
}

// The impulse of a solve counts once, however many solves of others follow in the step.
static void what_happens_far_away_does_not_load_a_hinge(void **state)
{
    (void)state;
    const double dt = 1.0 / 120;
    double impulse[2];
    for (int k = 0; k < 2; k++) {
        const strike s = make_strike(0.2, 0.5, 0);
        if (k == 1)
            add_knock_on(s.world, 10);
        impulse[k] = impulse_at_hit(&s, dt);
        nc_world_destroy(s.world);
    }
    check_near(impulse[1], impulse[0], 1e-9);
    check_near(impulse[0], impulse_of_hinge(0.2, 0.5), turning(0.2, 0.5, dt));
}

// A scripted body with a maximum force that carries the hinge bears what the hinge bears, impacts included.
static void what_carries_a_hinge_bears_the_impulse_of_an_impact(void **state)
{
    (void)state;
    const double dt = 1.0 / 240;
    const strike s = make_strike(0.2, 0.5, 0);
    const nc_shape_parameter side[] = {{"size", 0.2}};
    nc_body_def carrier = nc_body_def_default();
    nc_error err;
    nc_body_load load;
    carrier.type = NC_KINEMATIC;
    carrier.position = nc_v3(0, 1, 0);
    if (WORLD_PIPELINE == NC_PIPELINE_SHELL) // others refuse it, and know no loads
        carrier.max_force = 1e9;
    check_ok(nc_joint_destroy(s.world, s.hinge, &err), err);
    nc_joint_def def = hold(NC_JOINT_HINGE, s.rod, nc_v3(0, 0, 0), nc_v3(0, 0, 1));
    def.body_b = add(s.world, "box", side, 1, carrier);
    const strike carried = {s.world, s.rod, join(s.world, &def)};
    const double impulse = impulse_at_hit(&carried, dt);
    check_ok(nc_body_read_load(s.world, def.body_b, &load, &err), err);
    check_near(impulse, impulse_of_hinge(0.2, 0.5), turning(0.2, 0.5, dt));
    if (WORLD_PIPELINE == NC_PIPELINE_SHELL)
        check_near(load.force.x * dt, -impulse, 1e-9);
    nc_world_destroy(s.world);
}

// A gear of ratio 1 between equal wheels gives the one the half of the torque on the other.
static void a_gear_breaks_above_its_torque(void **state)
{
    (void)state;
    for (int strong = 0; strong < 2; strong++) {
        nc_world *world = new_world(0, 0, 0, 1);
        nc_joint_def gear = nc_joint_def_default(NC_JOINT_GEAR);
        nc_error err;
        nc_body_id wheel[2];
        for (int k = 0; k < 2; k++) {
            wheel[k] = add_box(world, nc_v3(0.2, 0.2, 0.2), nc_v3(k, 0, 0), 1);
            const nc_joint_def hinge = hold(NC_JOINT_HINGE, wheel[k], nc_v3(k, 0, 0), nc_v3(0, 0, 1));
            *(k == 0 ? &gear.joint_1 : &gear.joint_2) = join(world, &hinge);
        }
        gear.break_torque = strong ? 1.001 : 0.999;
        const nc_joint_id id = join(world, &gear);
        check_ok(nc_body_set_force(world, wheel[0], nc_v3(0, 0, 0), nc_v3(0, 0, 2), &err), err);
        assert_int_equal(step(world, 1e-3).joint_breaks, !strong);
        assert_int_equal(read_joint(world, id).broken, !strong);
        nc_world_destroy(world);
    }
}

// At the centre of percussion a hit turns the rod about the hinge by itself.
static void a_hit_at_the_centre_of_percussion_does_not_load_the_hinge(void **state)
{
    (void)state;
    const double depth = 2 * rod_inertia() / (ROD_MASS * ROD_LENGTH);
    const strike s = make_strike(depth, 0.5, 0);
    check_near(impulse_at_hit(&s, 1e-3), 0, turning(depth, 0.5, 1e-3));
    nc_world_destroy(s.world);
}

// The force of an impact is its impulse over the step.
static void an_impact_alone_breaks_a_joint_above_its_force(void **state)
{
    (void)state;
    const double dt = 1.0 / 240, force = fabs(impulse_of_hinge(0.2, 0.5)) / dt;
    for (int strong = 0; strong < 2; strong++) {
        const strike s = make_strike(0.2, 0.5, force * (strong ? 1.001 : 0.999));
        int breaks = 0;
        for (int k = 0; k < 100; k++)
            breaks += step(s.world, dt).joint_breaks;
        assert_int_equal(breaks, !strong);
        nc_joint_break event;
        assert_int_equal(nc_world_joint_breaks(s.world, &event, 1), breaks);
        if (!strong)
            check_near(event.force, force, 1e-5 * force); // and what keeps the rod on its arc
        nc_world_destroy(s.world);
    }
}

// Of two boxes that are welded together one is hit: the weld gives the other one its momentum.
static void a_weld_passes_on_the_share_of_the_other_body(void **state)
{
    (void)state;
    const double dt = 1.0 / 240, mass[2] = {2, 3}, speed = 5;
    nc_world *world = new_world(0, 0, 0, 1);
    nc_error err;
    nc_body_id box[3];
    for (int k = 0; k < 2; k++)
        box[k] = add_box(world, nc_v3(0.2, 0.2, 0.2), nc_v3(0.3 * k, 0, 0), mass[k]);
    box[2] = add_box(world, nc_v3(0.1, 0.1, 0.1), nc_v3(-0.2, 0, 0), 1);
    check_ok(nc_body_set_velocity(world, box[2], nc_v3(speed, 0, 0), nc_v3(0, 0, 0), &err), err);
    nc_joint_def def = hold(NC_JOINT_FIXED, box[1], nc_v3(0.15, 0, 0), nc_v3(1, 0, 0));
    def.body_b = box[0];
    const nc_joint_id id = join(world, &def);
    double sum = 0;
    for (int k = 0; k < 40; k++) {
        step(world, dt);
        sum += read_joint(world, id).force.x * dt;
    }
    check_near(sum, mass[1] * speed / (1 + mass[0] + mass[1]), 1e-9); // all three go on together
    nc_world_destroy(world);
}

// ---- bodies that break with a joint -----------------------------------------------------------------------------

// A bar hangs from the world by a joint that its weight breaks; it would need an impact of 1e9 N s to break by itself.
static nc_world *hang_bar(nc_joint_breaking breaks, double break_force, bool breakable, nc_body_id *bar)
{
    nc_world *world = new_world(9.8, 0, 0, 1);
    nc_error err;
    *bar = add_box(world, nc_v3(0.2, 1, 0.2), nc_v3(0, -0.5, 0), 10);
    nc_fracture_def fracture = nc_fracture_def_default();
    fracture.threshold = 1e9;
    fracture.pattern = "graded";
    if (breakable)
        check_ok(nc_body_set_fracture(world, *bar, &fracture, &err), err);
    nc_joint_def def = hold(NC_JOINT_FIXED, *bar, nc_v3(0, -0.1, 0), nc_v3(1, 0, 0));
    def.name = "hook";
    def.break_force = break_force;
    def.breaks = breaks;
    join(world, &def);
    return world;
}

static void a_joint_that_breaks_breaks_its_body_where_it_holds_it(void **state)
{
    (void)state;
    nc_body_id bar;
    nc_world *world = hang_bar(NC_JOINT_BREAKS_BODY, 90, true, &bar);
    const nc_step_report report = step(world, 1.0 / 240);
    nc_fracture_event event;
    nc_joint_break joint;
    assert_int_equal(report.joint_breaks, 1);
    assert_int_equal(report.fractures, 1);
    assert_int_equal(nc_world_fractures(world, 0, &event, 1), 1);
    assert_int_equal(nc_world_joint_breaks(world, &joint, 1), 1);
    assert_true(event.by_joint && event.pieces > 1 && event.pieces == report.pieces);
    assert_true(event.step == joint.step && event.step == 1);
    assert_string_equal(joint.name, "hook");
    check_near(joint.force, 98, 1e-6);
    check_near(event.impulse, 98.0 / 240, 1e-8);
    check_near(event.threshold, 90.0 / 240, 1e-12);
    check_near(nc_norm(nc_sub(event.place, nc_v3(0, -0.1, 0))), 0, 1e-12);
    check_near(event.normal.y, 1, 1e-9);              // the joint pulled it up
    assert_int_equal(nc_world_joint_count(world), 0); // it went with the body
    check_near(report.momentum.y, -98.0 / 240, 1e-6); // pieces fall freely
    nc_world_destroy(world);
}

static void only_what_a_joint_names_and_can_break_breaks_with_it(void **state)
{
    (void)state;
    static const nc_joint_breaking ways[] = {NC_JOINT_BREAKS_ALONE, NC_JOINT_BREAKS_TO, NC_JOINT_BREAKS_BOTH};
    for (int k = 0; k < 3; k++) { // to: the world
        nc_body_id bar;
        nc_world *world = hang_bar(ways[k], 90, k < 2, &bar);
        const nc_step_report report = step(world, 1.0 / 240);
        assert_int_equal(report.joint_breaks, 1);
        assert_int_equal(report.fractures + report.unbroken, 0);
        assert_int_equal(nc_world_joint_count(world), 1);
        nc_world_destroy(world);
    }
    nc_body_id bar;
    nc_world *world = hang_bar(NC_JOINT_BREAKS_BODY, 99, true, &bar); // it bears the weight
    const nc_step_report report = step(world, 1.0 / 240);
    assert_int_equal(report.joint_breaks + report.fractures, 0);
    nc_world_destroy(world);
}

// A pattern of one cell does not divide the bar: it stays whole, and the joint breaks all the same.
static void a_joint_breaks_alone_where_its_body_cannot(void **state)
{
    (void)state;
    const nc_shape_parameter one[] = {{"count", 1}};
    nc_body_id bar;
    nc_error err;
    nc_world *world = hang_bar(NC_JOINT_BREAKS_BODY, 90, false, &bar);
    nc_fracture_def fracture = nc_fracture_def_default();
    fracture.threshold = 1e9;
    fracture.parameters = one;
    fracture.parameter_count = 1;
    check_ok(nc_body_set_fracture(world, bar, &fracture, &err), err);
    const nc_step_report report = step(world, 1.0 / 240);
    nc_fracture_event event;
    assert_int_equal(report.joint_breaks, 1);
    assert_int_equal(report.fractures, 0);
    assert_int_equal(report.unbroken, 1);
    assert_int_equal(nc_world_fractures(world, 0, &event, 1), 1);
    assert_true(event.by_joint && event.pieces == 0 && event.reason[0] != '\0');
    assert_true(read_joint(world, nc_world_find_joint(world, "hook")).broken);
    nc_world_destroy(world);
}

// Two bars side by side: the upper one is held by the world, the lower one hangs from it by a joint that breaks.
static nc_code hang_two(const nc_allocator *allocator, nc_joint_breaking breaks, int breakable, nc_world **out,
                        nc_error *err)
{
    const nc_shape_parameter sides[] = {{"width", 0.2}, {"height", 1}, {"depth", 0.2}};
    nc_world_def settings = nc_world_def_default();
    nc_mesh *mesh = NULL;
    nc_body_id bar[2];
    settings.gravity = nc_v3(0, -9.8, 0);
    settings.workers = 1;
    settings.allocator = *allocator;
    *out = NULL;
    nc_code code = nc_world_create(&settings, out, err);
    if (code == NC_OK)
        code = nc_shape_create("box", sides, 3, allocator, &mesh, err);
    for (int k = 0; k < 2 && code == NC_OK; k++) {
        nc_body_def def = nc_body_def_default();
        def.mesh = mesh;
        def.type = k == 0 ? NC_STATIC : NC_DYNAMIC;
        def.mass.mass = 10;
        def.position = nc_v3(0, -1.1 * k, 0);
        nc_fracture_def fracture = nc_fracture_def_default();
        fracture.threshold = 1e9;
        fracture.pattern = "graded";
        fracture.mass.mass = 10;
        code = nc_body_create(*out, &def, &bar[k], err);
        if (code == NC_OK && (breakable >> k & 1) != 0)
            code = nc_body_set_fracture(*out, bar[k], &fracture, err);
    }
    if (code == NC_OK) {
        nc_joint_def def = hold(NC_JOINT_FIXED, bar[1], nc_v3(0, -0.55, 0), nc_v3(1, 0, 0));
        def.body_b = bar[0];
        def.break_force = 90;
        def.breaks = breaks;
        code = nc_joint_create(*out, &def, NULL, err);
    }
    nc_mesh_release(mesh);
    return code;
}

// Which of the two bars broke with the joint: bit 0 the one that holds, bit 1 the one that hangs.
static void each_body_that_a_joint_names_breaks_with_it_and_the_joint_once(void **state)
{
    (void)state;
    static const nc_joint_breaking ways[] = {NC_JOINT_BREAKS_BODY, NC_JOINT_BREAKS_TO, NC_JOINT_BREAKS_BOTH};
    static const int named[] = {2, 1, 3};
    const nc_allocator memory = nc_allocator_default();
    for (int k = 0; k < 3; k++)
        for (int breakable = 0; breakable < 4; breakable++) {
            nc_world *world;
            nc_error err;
            nc_fracture_event events[2];
            check_ok(hang_two(&memory, ways[k], breakable, &world, &err), err);
            const nc_step_report report = step(world, 1.0 / 240);
            const int breaks = (named[k] & 1 & breakable) + (named[k] >> 1 & breakable >> 1);
            assert_int_equal(report.joint_breaks, 1);
            assert_int_equal(nc_world_joint_breaks(world, NULL, 0), 1);
            assert_int_equal(report.fractures, breaks);
            assert_int_equal(nc_world_joint_count(world), breaks == 0);
            assert_int_equal(nc_world_fractures(world, 0, events, 2), breaks);
            for (int e = 0; e < breaks; e++) {
                const bool upper = (named[k] & breakable & 1) != 0 && e == 0;
                assert_true(events[e].by_joint && events[e].pieces > 1);
                check_near(events[e].impulse, 98.0 / 240, 1e-8);
                check_near(events[e].threshold, 90.0 / 240, 1e-12);
                check_near(events[e].normal.y, upper ? -1 : 1, 1e-9);
                check_near(nc_norm(nc_sub(events[e].place, nc_v3(0, -0.55, 0))), 0, 1e-12);
            }
            nc_world_destroy(world);
        }
}

// A step that fails leaves the world as it was, also when a joint had broken a body already. 60 of the requests of the
// step are refused, one at a time and, in other tries, with all later ones.
static void memory_may_fail_while_a_joint_breaks_its_bodies(void **state)
{
    (void)state;
    enum { TRIES = 60 };
    long before = 0, all = 0;
    int refused = 0;
    for (int k = 0; k <= TRIES; k++) {
        fail_allocator memory;
        const nc_allocator allocator = fail_allocator_start(&memory, k == 0 ? 0 : before + k * (all - before) / TRIES);
        nc_world *world;
        nc_error err;
        memory.keep_failing = k % 2 == 1;
        check_ok(hang_two(&allocator, NC_JOINT_BREAKS_BOTH, 3, &world, &err), err);
        check_ok(nc_world_check(world, NULL, &err), err);
        const uint64_t hash = nc_world_hash(world);
        before = k == 0 ? memory.calls : before;
        const nc_code code = nc_world_step(world, 1.0 / 240, NULL, &err);
        all = k == 0 ? memory.calls : all;
        assert_int_equal(code, k == 0 ? NC_OK : NC_OUT_OF_MEMORY);
        assert_int_equal(nc_world_joint_count(world), k > 0);
        assert_int_equal(nc_world_joint_breaks(world, NULL, 0), k == 0);
        assert_true(k == 0 || nc_world_hash(world) == hash);
        refused += code == NC_OUT_OF_MEMORY;
        nc_world_destroy(world);
        fail_allocator_check_clean(&memory);
    }
    assert_int_equal(refused, TRIES);
}

// Snapshots keep what breaks with a joint.
static void a_restored_world_breaks_alike(void **state)
{
    (void)state;
    nc_body_id bar;
    nc_error err;
    nc_world *worlds[2] = {hang_bar(NC_JOINT_BREAKS_BODY, 90, true, &bar), NULL};
    nc_buffer saved = nc_buffer_create(NULL);
    check_ok(nc_world_save(worlds[0], &saved, &err), err);
    worlds[1] = hang_bar(NC_JOINT_BREAKS_ALONE, 90, true, &bar);
    check_ok(nc_world_restore(worlds[1], saved.data, saved.size, &err), err);
    for (int k = 0; k < 2; k++) {
        const nc_step_report report = step(worlds[k], 1.0 / 240);
        assert_int_equal(report.fractures, 1);
        assert_int_equal(report.joint_breaks, 1);
    }
    assert_true(nc_world_hash(worlds[0]) == nc_world_hash(worlds[1]));
    nc_buffer_free(&saved);
    for (int k = 0; k < 2; k++)
        nc_world_destroy(worlds[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hinge_bears_the_impulse_that_momentum_balance_says),
        cmocka_unit_test(what_happens_far_away_does_not_load_a_hinge),
        cmocka_unit_test(what_carries_a_hinge_bears_the_impulse_of_an_impact),
        cmocka_unit_test(a_gear_breaks_above_its_torque),
        cmocka_unit_test(a_hit_at_the_centre_of_percussion_does_not_load_the_hinge),
        cmocka_unit_test(an_impact_alone_breaks_a_joint_above_its_force),
        cmocka_unit_test(a_weld_passes_on_the_share_of_the_other_body),
        cmocka_unit_test(a_joint_that_breaks_breaks_its_body_where_it_holds_it),
        cmocka_unit_test(only_what_a_joint_names_and_can_break_breaks_with_it),
        cmocka_unit_test(a_joint_breaks_alone_where_its_body_cannot),
        cmocka_unit_test(each_body_that_a_joint_names_breaks_with_it_and_the_joint_once),
        cmocka_unit_test(memory_may_fail_while_a_joint_breaks_its_bodies),
        cmocka_unit_test(a_restored_world_breaks_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
