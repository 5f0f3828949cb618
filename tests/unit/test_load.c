// Kinematic bodies with a maximum force: they lift what they can, stop where springs balance them, and go on later.
#include "joint_bodies.h"

static nc_body_id add_moved(nc_world *world, nc_vec3 size, nc_vec3 at, nc_vec3 velocity, double max_force)
{
    const nc_shape_parameter sides[] = {{"width", size.x}, {"height", size.y}, {"depth", size.z}};
    nc_body_def def = nc_body_def_default();
    def.type = NC_KINEMATIC;
    def.position = at;
    def.velocity = velocity;
    def.max_force = max_force;
    return add(world, "box", sides, 3, def);
}

static nc_body_load load_of(const nc_world *world, nc_body_id body)
{
    nc_body_load load;
    nc_error err;
    check_ok(nc_body_read_load(world, body, &load, &err), err);
    return load;
}

static nc_vec3 position_of(const nc_world *world, nc_body_id body)
{
    nc_body_state s;
    nc_error err;
    check_ok(nc_body_read(world, body, &s, &err), err);
    return s.pose.x;
}

#define MASS       10.0 // [kg] of a crate
#define CRATES     3
#define WEIGHT     (CRATES * MASS * 9.8)
#define SPEED      0.2 // [m/s]
#define PER_SECOND 120

// [m] how far a lift with a maximum force takes three crates in a second. Its largest load goes to *most [N].
static double lift_crates(double max_force, double *most, int *waits)
{
    const double rest = nc_world_def_default().rest_distance;
    nc_world *world = new_world(9.8, 0.3, 0, 1);
    const nc_body_id lift = add_moved(world, nc_v3(1, 0.1, 1), nc_v3(0, -0.05, 0), nc_v3(0, SPEED, 0), max_force);
    for (int i = 0; i < CRATES; i++)
        add_box(world, nc_v3(0.4, 0.4, 0.4), nc_v3(0, 0.2 + rest + i * (0.4 + rest), 0), MASS);
    const double from = position_of(world, lift).y;
    *most = 0;
    *waits = 0;
    for (int i = 0; i < PER_SECOND; i++) {
        *waits += step(world, 1.0 / PER_SECOND).waits;
        *most = fmax(*most, -load_of(world, lift).force.y);
        assert_true(load_of(world, lift).pace >= 0 && load_of(world, lift).pace <= 1);
    }
    const double way = position_of(world, lift).y - from;
    nc_world_destroy(world);
    return way;
}

static void a_lift_stops_when_the_weight_is_above_its_force(void **state)
{
    (void)state;
    double most;
    int waits;
    const double way = lift_crates(0.95 * WEIGHT, &most, &waits);
    print_message("0.95 of the weight: lifts by %.3g m, waits in %d steps\n", way, waits);
    check_at_most(way, 1e-3);
    check_at_most(0, way);
    check_at_most(PER_SECOND - 4, waits);
}

// The force that is left accelerates: a = F / m - g; half of the speed is lost until it is reached.
static void a_lift_accelerates_its_load_with_the_force_that_is_left(void **state)
{
    (void)state;
    const double force = 1.15 * WEIGHT, a = force / (CRATES * MASS) - 9.8;
    double most;
    int waits;
    const double way = lift_crates(force, &most, &waits), wanted = SPEED - 0.5 * SPEED * SPEED / a;
    print_message("1.15 of the weight: lifts by %.5g m, closed form %.5g m; largest load %.4g of the maximum\n", way,
                  wanted, most / force);
    check_near(way, wanted, 0.03 * wanted);
    check_at_most(most, force * (1 + 1e-6));
    check_at_most(1, waits);
}

static void without_a_maximum_it_goes_as_its_script_says(void **state)
{
    (void)state;
    double most;
    int waits;
    check_near(lift_crates(0, &most, &waits), SPEED, 1e-12);
    assert_int_equal(waits, 0);
}

// A piston pushes a plate on a slider with a spring: it stops where k x is its force, or where the plate's own momentum
// takes it, which is no more than v sqrt(m / k) farther.
static void a_piston_stops_where_a_spring_balances_its_force(void **state)
{
    (void)state;
    const double k = 1000, force = 50, dt = 1.0 / 120, speed = 0.02;
    nc_world *world = new_world(0, 0, 0, 1);
    const nc_body_id plate = add_box(world, nc_v3(0.1, 0.4, 0.4), nc_v3(0, 0, 0), 1);
    nc_joint_def def = hold(NC_JOINT_SLIDER, plate, nc_v3(0, 0, 0), nc_v3(1, 0, 0));
    def.axes[0] = (nc_joint_axis){.stiffness = k, .damping = 20};
    const nc_joint_id slider = join(world, &def);
    const nc_body_id piston = add_moved(world, nc_v3(0.2, 0.2, 0.2), nc_v3(-0.155, 0, 0), nc_v3(speed, 0, 0), force);
    double last = 0;
    for (int i = 0; i < 4 * 120; i++) {
        step(world, dt);
        last = -load_of(world, piston).force.x;
        if (load_of(world, piston).pace > 0) // at rest it bears what there is
            check_at_most(last, force * (1 + 1e-6));
    }
    const double x = read_joint(world, slider).position[0];
    print_message("piston: stops at %.6g m with %.6g N, closed form %.6g m\n", x, last, force / k);
    check_at_most(x, force / k + speed * sqrt(1 / k));
    check_at_most(force / k - 2 * speed * dt, x);
    check_near(load_of(world, piston).pace, 0, 0);
    nc_world_destroy(world);
}

// A shaft turns a door with a spring through a rigid drive: it stops where k angle is its torque.
static void a_shaft_stops_where_a_spring_balances_its_torque(void **state)
{
    (void)state;
    const double k = 40, torque = 10, dt = 1.0 / 120, speed = 0.1, inertia = 2 * (0.6 * 0.6 + 1.01 / 12);
    nc_world *world = new_world(0, 0, 0, 1);
    const nc_body_id door = add_box(world, nc_v3(1, 0.1, 0.3), nc_v3(0.6, 0, 0), 2);
    nc_body_id shaft = add_moved(world, nc_v3(0.1, 0.1, 0.1), nc_v3(0, 0, 1), nc_v3(0, 0, 0), 0);
    nc_error err;
    check_ok(nc_body_set_velocity(world, shaft, nc_v3(0, 0, 0), nc_v3(0, 0, speed), &err), err);
    check_ok(nc_body_set_max_force(world, shaft, 0, torque, &err), err);
    nc_joint_def hinge = hold(NC_JOINT_HINGE, door, nc_v3(0, 0, 0), nc_v3(0, 0, 1));
    hinge.axes[3] = (nc_joint_axis){.stiffness = k, .damping = 4};
    const nc_joint_id id = join(world, &hinge);
    nc_joint_def clutch = nc_joint_def_default(NC_JOINT_HINGE);
    clutch.body_a = door;
    clutch.body_b = shaft;
    clutch.anchor = nc_v3(0, 0, 0);
    clutch.axis = nc_v3(0, 0, 1);
    clutch.axes[3] = (nc_joint_axis){.drive = {.mode = NC_DRIVE_POSITION}};
    join(world, &clutch);
    for (int i = 0; i < 4 * 120; i++) {
        step(world, dt);
        if (load_of(world, shaft).pace > 0)
            check_at_most(fabs(load_of(world, shaft).torque.z), torque * (1 + 1e-6));
    }
    const double angle = read_joint(world, id).position[3];
    print_message("shaft: stops at %.6g rad, closed form %.6g rad\n", angle, torque / k);
    check_at_most(angle, torque / k + speed * sqrt(inertia / k));
    check_at_most(torque / k - 2 * speed * dt - 4 * speed / k, angle); // its damper resists, too
    nc_world_destroy(world);
}

// Keyframes go on where they waited, and end where they should, as much later as they waited.
static void a_script_goes_on_when_the_load_is_taken_away(void **state)
{
    (void)state;
    const double dt = 1.0 / 120;
    const nc_keyframe keys[] = {{0, {0, 0, 0}, {1, 0, 0, 0}}, {1, {0, 0.5, 0}, {1, 0, 0, 0}}};
    const nc_shape_parameter sides[] = {{"width", 1}, {"height", 0.1}, {"depth", 1}};
    nc_world *world = new_world(9.8, 0.3, 0, 1);
    nc_body_def def = nc_body_def_default();
    def.type = NC_KINEMATIC;
    def.keyframes = keys;
    def.keyframe_count = 2;
    def.max_force = 50;
    const nc_body_id lift = add(world, "box", sides, 3, def);
    const nc_body_id crate = add_box(world, nc_v3(0.4, 0.4, 0.4), nc_v3(0, 0.255, 0), 10);
    for (int i = 0; i < 60; i++)
        step(world, dt);
    check_at_most(position_of(world, lift).y, 5e-3);
    const double lag = load_of(world, lift).lag;
    check_near(position_of(world, lift).y, 0.5 * (0.5 - lag), 1e-9);
    nc_error err;
    check_ok(nc_body_destroy(world, crate, &err), err);
    nc_buffer saved = nc_buffer_create(NULL);
    check_ok(nc_world_save(world, &saved, &err), err);
    for (int i = 0; i < 120 + 10; i++)
        step(world, dt);
    check_near(position_of(world, lift).y, 0.5, 1e-9);
    check_near(load_of(world, lift).lag, lag, 1e-12);
    const uint64_t hash = nc_world_hash(world);
    check_ok(nc_world_restore(world, saved.data, saved.size, &err), err);
    check_near(load_of(world, lift).max_force, 50, 0);
    for (int i = 0; i < 120 + 10; i++)
        step(world, dt);
    assert_true(nc_world_hash(world) == hash);
    nc_buffer_free(&saved);
    nc_world_destroy(world);
}

// A press comes down on a crate on the floor: it waits, nothing is crushed, and its force is not exceeded.
static void a_press_waits_on_what_it_cannot_crush(void **state)
{
    (void)state;
    nc_world *world = new_world(9.8, 0.3, 0, 1);
    const nc_shape_parameter floor_sides[] = {{"width", 4}, {"height", 0.2}, {"depth", 4}};
    nc_body_def def = nc_body_def_default();
    def.type = NC_STATIC;
    def.position = nc_v3(0, -0.1, 0);
    add(world, "box", floor_sides, 3, def);
    const nc_body_id crate = add_box(world, nc_v3(0.4, 0.4, 0.4), nc_v3(0, 0.2025, 0), 10);
    const nc_body_id press = add_moved(world, nc_v3(0.6, 0.1, 0.6), nc_v3(0, 0.5, 0), nc_v3(0, -0.5, 0), 200);
    int waits = 0, stalls = 0;
    for (int i = 0; i < 120; i++) {
        const nc_step_report report = step(world, 1.0 / 120);
        waits += report.waits;
        stalls += report.stalls;
        if (load_of(world, press).pace > 0)
            check_at_most(load_of(world, press).force.y, 200 * (1 + 1e-6));
    }
    print_message("press: %d waits, %d stalls, crate at %.6g m\n", waits, stalls, position_of(world, crate).y);
    check_at_most(80, waits);
    assert_int_equal(stalls, 0);
    check_at_most(0.45, position_of(world, press).y);
    nc_world_destroy(world);
}

static void bad_maxima_are_refused(void **state)
{
    (void)state;
    nc_world *world = new_world(0, 0, 0, 1);
    const nc_body_id box = add_box(world, nc_v3(1, 1, 1), nc_v3(0, 0, 0), 1);
    const nc_body_id moved = add_moved(world, nc_v3(1, 1, 1), nc_v3(3, 0, 0), nc_v3(0, 0, 0), 1);
    nc_error err;
    assert_int_equal(nc_body_set_max_force(world, moved, -1, 0, &err), NC_BAD_ARGUMENT);
    assert_int_equal(nc_body_set_max_force(world, moved, 0, NAN, &err), NC_BAD_ARGUMENT);
    assert_int_equal(nc_body_set_max_force(world, box, 1, 0, &err), NC_BAD_ARGUMENT);
    assert_int_equal(nc_body_set_max_force(world, box, 0, 0, &err), NC_OK);
    assert_int_equal(nc_world_step(world, 0.01, NULL, &err), NC_OK);
    nc_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lift_stops_when_the_weight_is_above_its_force),
        cmocka_unit_test(a_lift_accelerates_its_load_with_the_force_that_is_left),
        cmocka_unit_test(without_a_maximum_it_goes_as_its_script_says),
        cmocka_unit_test(a_piston_stops_where_a_spring_balances_its_force),
        cmocka_unit_test(a_shaft_stops_where_a_spring_balances_its_torque),
        cmocka_unit_test(a_script_goes_on_when_the_load_is_taken_away),
        cmocka_unit_test(a_press_waits_on_what_it_cannot_crush),
        cmocka_unit_test(bad_maxima_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
