// Swing and twist of ball joints, both angles of universal joints: closed forms.
#include "joint_bodies.h"

// A rod held at its end, along x, in a cone about x: it comes to rest on the cone, which bears the moment of its
// weight.
static void a_cone_bears_the_moment_of_a_rod(void **state)
{
    (void)state;
    const double cone = 0.3, mass = 2, half = 0.5, g = 9.8;
    nc_world *world = new_world(g, 0, 0, 1);
    const nc_body_id rod = add_box(world, nc_v3(2 * half, 0.05, 0.05), nc_v3(half, 0, 0), mass);
    nc_joint_def def = hold(NC_JOINT_BALL, rod, nc_v3(0, 0, 0), nc_v3(1, 0, 0));
    def.axes[4] = (nc_joint_axis){.limited = true, .upper = cone};
    const nc_joint_id id = join(world, &def);
    double most = 0;
    for (int i = 0; i < 240; i++) {
        step(world, 1.0 / 240);
        most = fmax(most, read_joint(world, id).position[4]);
    }
    const nc_joint_state s = read_joint(world, id);
    print_message("cone: swing %.12g of %g rad, at most %.12g; moment %.9g N m, closed form %.9g\n", s.position[4],
                  cone, most, nc_norm(s.torque), mass * g * half * cos(cone));
    check_near(s.position[4], cone, 1e-9);
    check_at_most(most, cone + 1e-9);
    check_near(nc_norm(s.torque), mass * g * half * cos(cone), 1e-6);
    check_at_most(s.error, 1e-10);
    nc_world_destroy(world);
}

// A torque about the axis is borne by the limit of the twist, also when the body is swung aside.
static void a_limit_of_the_twist_bears_a_torque(void **state)
{
    (void)state;
    const double limit = 0.7, torque = 3;
    nc_world *world = new_world(0, 0, 0, 1);
    const nc_body_id box = add_box(world, nc_v3(0.4, 0.2, 0.2), nc_v3(0, 0, 0), 1);
    nc_joint_def def = hold(NC_JOINT_BALL, box, nc_v3(0, 0, 0), nc_v3(1, 0, 0));
    def.axes[3] = (nc_joint_axis){.limited = true, .lower = -limit, .upper = limit, .damping = 0.05};
    def.axes[4] = (nc_joint_axis){.damping = 0.05};
    const nc_joint_id id = join(world, &def);
    nc_error err;
    check_ok(nc_body_set_force(world, box, nc_v3(0, 0, 0), nc_v3(torque, 0, 0), &err), err);
    for (int i = 0; i < 480; i++)
        step(world, 1.0 / 240);
    const nc_joint_state s = read_joint(world, id);
    check_near(s.position[3], limit, 1e-9);
    check_near(s.torque.x, -torque, 1e-6);
    nc_world_destroy(world);
}

static void the_twist_bounces_with_its_restitution(void **state)
{
    (void)state;
    nc_world *world = new_world(0, 0, 0, 1);
    const nc_body_id box = add_box(world, nc_v3(0.4, 0.2, 0.2), nc_v3(0, 0, 0), 1);
    nc_joint_def def = hold(NC_JOINT_BALL, box, nc_v3(0, 0, 0), nc_v3(1, 0, 0));
    def.axes[3] = (nc_joint_axis){.limited = true, .lower = -1, .upper = 0.25, .restitution = 0.5};
    const nc_joint_id id = join(world, &def);
    nc_error err;
    check_ok(nc_body_set_velocity(world, box, nc_v3(0, 0, 0), nc_v3(2, 0, 0), &err), err);
    for (int i = 0; i < 48; i++)
        step(world, 1.0 / 240);
    check_near(read_joint(world, id).velocity[3], -1, 1e-9);
    nc_world_destroy(world);
}

// A conical pendulum that is thrown at its cone stays in it from all sides, and never gains energy.
static void a_pendulum_stays_in_its_cone(void **state)
{
    (void)state;
    const double cone = 0.5, g = 9.8;
    nc_world *world = new_world(g, 0, 0, 1);
    const nc_body_id rod = add_box(world, nc_v3(0.05, 1, 0.05), nc_v3(0, -0.5, 0), 1);
    nc_joint_def def = hold(NC_JOINT_BALL, rod, nc_v3(0, 0, 0), nc_v3(0, -1, 0));
    def.axes[4] = (nc_joint_axis){.limited = true, .upper = cone, .restitution = 0.5};
    const nc_joint_id id = join(world, &def);
    nc_error err;
    check_ok(nc_body_set_velocity(world, rod, nc_v3(3, 0, 1), nc_v3(-2, 0, 6), &err), err);
    double most = 0, energy = INFINITY, rise = 0;
    for (int i = 0; i < 480; i++) {
        const nc_step_report report = step(world, 1.0 / 240);
        const double now = report.kinetic + report.potential;
        most = fmax(most, read_joint(world, id).position[4]);
        rise = fmax(rise, now - energy);
        energy = fmin(energy, now);
        check_at_most(report.joint_error, 1e-9);
    }
    print_message("pendulum in a cone of %g rad: at most %.9g; energy rises by %.3g J\n", cone, most, rise);
    check_at_most(most, cone + 1e-6);
    check_at_most(rise, 2e-3); // of about 2 J: what the integrator lets oscillate
    nc_world_destroy(world);
}

// Drives of both angles turn the body by R_x(first) R_y(second).
static void the_angles_of_a_universal_joint_are_those_of_its_cross(void **state)
{
    (void)state;
    const double first = 0.8, second = -0.5;
    nc_world *world = new_world(0, 0, 0, 1);
    const nc_body_id box = add_box(world, nc_v3(0.4, 0.3, 0.2), nc_v3(0.3, 0, 0), 1);
    nc_joint_def def = hold(NC_JOINT_UNIVERSAL, box, nc_v3(0, 0, 0), nc_v3(1, 0, 0));
    def.axis_y = nc_v3(0, 1, 0);
    def.axes[3].drive = (nc_joint_drive){.mode = NC_DRIVE_POSITION, .target = first, .stiffness = 50, .damping = 5};
    def.axes[4].drive = (nc_joint_drive){.mode = NC_DRIVE_POSITION, .target = second, .stiffness = 50, .damping = 5};
    const nc_joint_id id = join(world, &def);
    for (int i = 0; i < 5 * 240; i++)
        step(world, 1.0 / 240);
    const nc_joint_state s = read_joint(world, id);
    check_near(s.position[3], first, 1e-6);
    check_near(s.position[4], second, 1e-6);
    // x of the body: R_x(first) (cos second, 0, -sin second)
    const nc_quat q = read_body(world, box).pose.q;
    const nc_vec3 x = nc_v3(1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y + q.w * q.z), 2 * (q.x * q.z - q.w * q.y));
    const nc_vec3 wanted = nc_v3(cos(second), sin(first) * sin(second), -cos(first) * sin(second));
    check_at_most(nc_norm(nc_sub(x, wanted)), 1e-6);
    check_at_most(s.error_angle, 1e-9);
    nc_world_destroy(world);
}

static void limits_of_a_universal_joint_hold_on_both_sides(void **state)
{
    (void)state;
    nc_world *world = new_world(9.8, 0, 0, 1);
    const nc_body_id rod = add_box(world, nc_v3(1, 0.05, 0.05), nc_v3(0.5, 0, 0), 1);
    nc_joint_def def = hold(NC_JOINT_UNIVERSAL, rod, nc_v3(0, 0, 0), nc_v3(1, 0, 0));
    def.axis_y = nc_v3(0, 0, 1);
    def.axes[3] = (nc_joint_axis){.limited = true, .lower = -0.2, .upper = 0.1};
    def.axes[4] = (nc_joint_axis){.limited = true, .lower = -0.4, .upper = 0.6};
    const nc_joint_id id = join(world, &def);
    nc_error err;
    check_ok(nc_body_set_force(world, rod, nc_v3(0, 0, 0), nc_v3(0.5, 0, 0), &err), err);
    for (int i = 0; i < 480; i++)
        step(world, 1.0 / 240);
    const nc_joint_state s = read_joint(world, id); // gravity turns it about -z, the torque about x
    check_near(s.position[3], 0.1, 1e-9);
    check_near(s.position[4], -0.4, 1e-9);
    nc_world_destroy(world);
}

// Two rods nearly in one line, each 1 mm too short for its length: that asks for a leap of metres sideways, which no
// point of the mechanism and no error that is removed explains. The error goes in small steps instead.
static void an_error_near_a_singular_position_is_no_leap(void **state)
{
    (void)state;
    const double dt = 1.0 / 240, offset = 1e-5;
    nc_world *world = new_world(0, 0, 0, 1);
    const nc_body_id box = add_box(world, nc_v3(0.1, 0.1, 0.1), nc_v3(0, offset, 0), 1);
    nc_joint_id rods[2];
    for (int k = 0; k < 2; k++) {
        nc_joint_def def = hold(NC_JOINT_DISTANCE, box, nc_v3(0, offset, 0), nc_v3(1, 0, 0));
        def.anchor_b = nc_v3(k == 0 ? -1 : 1, 0, 0);
        def.length_min = def.length_max = 1.001;
        rods[k] = join(world, &def);
    }
    double farthest = 0;
    nc_vec3 before = read_body(world, box).pose.x;
    for (int i = 0; i < 480; i++) {
        step(world, dt);
        const nc_vec3 now = read_body(world, box).pose.x;
        farthest = fmax(farthest, nc_norm(nc_sub(now, before)));
        before = now;
    }
    const double error = fmax(read_joint(world, rods[0]).error, read_joint(world, rods[1]).error);
    print_message("largest way in a step %g m, error at the end %g m, at y = %g\n", farthest, error, before.y);
    check_at_most(farthest, 0.02);
    check_at_most(error, 1e-9);
    check_near(fabs(before.y), sqrt(1.001 * 1.001 - 1), 1e-6); // on either side
    nc_world_destroy(world);
}

// The same rods 0.1 mm too short; the box spins so fast that going far sideways is no leap. To first order the error
// asks for 0.1 m, which would leave one of 5 mm.
static void removing_an_error_makes_no_larger_one(void **state)
{
    (void)state;
    const double dt = 1.0 / 240, offset = 1e-3;
    nc_world *world = new_world(0, 0, 0, 1);
    const nc_body_id box = add_box(world, nc_v3(0.1, 0.1, 0.1), nc_v3(0, offset, 0), 1);
    nc_joint_id rods[2];
    nc_error err;
    check_ok(nc_body_set_velocity(world, box, nc_v3(0, 0, 0), nc_v3(0, 0, 100), &err), err);
    for (int k = 0; k < 2; k++) {
        nc_joint_def def = hold(NC_JOINT_DISTANCE, box, nc_v3(0, offset, 0), nc_v3(1, 0, 0));
        def.anchor_b = nc_v3(k == 0 ? -1 : 1, 0, 0);
        def.length_min = def.length_max = 1.0001;
        rods[k] = join(world, &def);
    }
    double largest = 0, last = 1;
    for (int i = 0; i < 240; i++) {
        step(world, dt);
        last = fmax(read_joint(world, rods[0]).error, read_joint(world, rods[1]).error);
        largest = fmax(largest, last);
    }
    print_message("largest error %g m, at the end %g m\n", largest, last);
    check_at_most(largest, 1e-4);
    check_at_most(last, 1e-9);
    nc_world_destroy(world);
}

// A drive of 1000 N that starts from rest with a box before it: no body has a speed yet that explains the motion, the
// force does, in dynamic contact too. The sledge closes the gap of 2 cm and pushes on; how far the box goes in this
// step is bounded by its own rest distance (5 mm).
static void a_strong_drive_reaches_what_it_pushes(void **state)
{
    (void)state;
    const double dt = 1.0 / 60;
    nc_world *world = new_world(0, 0, 0, 1);
    const nc_body_id sledge = add_box(world, nc_v3(0.2, 0.2, 0.2), nc_v3(0, 0, 0), 1);
    const nc_body_id box = add_box(world, nc_v3(0.2, 0.2, 0.2), nc_v3(0.22, 0, 0), 1);
    nc_joint_def def = hold(NC_JOINT_SLIDER, sledge, nc_v3(0, 0, 0), nc_v3(1, 0, 0));
    def.axes[0].drive = (nc_joint_drive){.mode = NC_DRIVE_FORCE, .target = 1000, .max_force = 1000};
    join(world, &def);
    step(world, dt);
    const double way = read_body(world, sledge).pose.x.x, pushed = read_body(world, box).pose.x.x - 0.22;
    print_message("in the first step: sledge %g m, box %g m\n", way, pushed);
    check_at_most(0.02, way);
    check_at_most(1e-3, pushed);
    nc_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cone_bears_the_moment_of_a_rod),
        cmocka_unit_test(a_limit_of_the_twist_bears_a_torque),
        cmocka_unit_test(the_twist_bounces_with_its_restitution),
        cmocka_unit_test(a_pendulum_stays_in_its_cone),
        cmocka_unit_test(the_angles_of_a_universal_joint_are_those_of_its_cross),
        cmocka_unit_test(limits_of_a_universal_joint_hold_on_both_sides),
        cmocka_unit_test(an_error_near_a_singular_position_is_no_leap),
        cmocka_unit_test(removing_an_error_makes_no_larger_one),
        cmocka_unit_test(a_strong_drive_reaches_what_it_pushes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
