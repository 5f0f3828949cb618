// Limits, springs, friction, drives, couplings and breaking of joints against closed forms.
#include "joint_bodies.h"

// A mass [kg] on a slider along x, without gravity.
static nc_joint_id slide_mass(nc_world *world, double mass, const nc_joint_axis *axis, nc_body_id *out)
{
    const nc_body_id box = add_box(world, nc_v3(0.1, 0.1, 0.1), nc_v3(0, 0, 0), mass);
    nc_joint_def def = hold(NC_JOINT_SLIDER, box, nc_v3(0, 0, 0), nc_v3(1, 0, 0));
    def.axes[0] = *axis;
    if (out != NULL)
        *out = box;
    return join(world, &def);
}

// Error [m] of a spring's oscillation after one second, from 0.1 m, with damping.
static double spring_error(double dt)
{
    const double m = 2, k = 200, c = 4, x0 = 0.1;
    nc_world *world = new_world(0, 0, 0, 1);
    const nc_joint_axis axis = {.stiffness = k, .damping = c, .rest = x0};
    const nc_joint_id id = slide_mass(world, m, &axis, NULL);
    for (int i = 0; i < (int)(1 / dt + 0.5); i++)
        step(world, dt);
    const double g = c / (2 * m), w = sqrt(k / m - g * g);
    const double wanted = x0 - x0 * exp(-g) * (cos(w) + g / w * sin(w));
    const double error = fabs(read_joint(world, id).position[0] - wanted);
    nc_world_destroy(world);
    return error;
}

static void a_damped_spring_oscillates_to_second_order(void **state)
{
    (void)state;
    const double coarse = spring_error(1.0 / 60), fine = spring_error(1.0 / 240);
    print_message("spring: error %.3g m at 1/60 s, %.3g m at 1/240 s\n", coarse, fine);
    check_at_most(fine, 2e-4);
    check_at_most(fine, coarse / 12);
}

static void a_driven_oscillator_has_the_amplitude_of_its_closed_form(void **state)
{
    (void)state;
    const double m = 1, k = 100, c = 2, f = 10, hz = 1, dt = 1.0 / 480;
    nc_world *world = new_world(0, 0, 0, 1);
    const nc_joint_axis axis = {
        .stiffness = k, .damping = c, .drive = {.mode = NC_DRIVE_FORCE, .amplitude = f, .frequency = hz}};
    const nc_joint_id id = slide_mass(world, m, &axis, NULL);
    double most = 0;
    for (int i = 0; i < 10 * 480; i++) {
        step(world, dt);
        most = i > 8 * 480 ? fmax(most, fabs(read_joint(world, id).position[0])) : 0;
    }
    const double w = 2 * PI * hz, wanted = f / sqrt((k - m * w * w) * (k - m * w * w) + c * c * w * w);
    print_message("driven oscillator: amplitude %.6g m, wanted %.6g m\n", most, wanted);
    check_near(most / wanted, 1, 2e-3);
    nc_world_destroy(world);
}

static void a_limit_bounces_with_its_restitution(void **state)
{
    (void)state;
    nc_world *world = new_world(0, 0, 0, 1);
    const nc_joint_axis axis = {.limited = true, .lower = -1, .upper = 0.25, .restitution = 0.5};
    nc_body_id box;
    const nc_joint_id id = slide_mass(world, 1, &axis, &box);
    nc_error err;
    check_ok(nc_body_set_velocity(world, box, nc_v3(2, 0, 0), nc_v3(0, 0, 0), &err), err);
    double most = 0;
    for (int i = 0; i < 48; i++) {
        step(world, 1.0 / 240);
        most = fmax(most, read_joint(world, id).position[0]);
    }
    check_at_most(most, 0.25 + 1e-9);
    check_near(read_joint(world, id).velocity[0], -1, 1e-9);
    nc_world_destroy(world);
}

static void dry_friction_stops_a_slider_where_it_should(void **state)
{
    (void)state;
    nc_world *world = new_world(0, 0, 0, 1);
    const nc_joint_axis axis = {.friction = 4};
    nc_body_id box;
    const nc_joint_id id = slide_mass(world, 2, &axis, &box);
    nc_error err;
    check_ok(nc_body_set_velocity(world, box, nc_v3(1, 0, 0), nc_v3(0, 0, 0), &err), err);
    for (int i = 0; i < 240; i++)
        step(world, 1.0 / 240);
    check_near(read_joint(world, id).position[0], 0.25, 3e-3); // v^2 m / (2 f)
    check_at_most(fabs(read_joint(world, id).velocity[0]), 1e-12);
    nc_world_destroy(world);
}

static void a_drive_reaches_its_velocity_with_no_more_than_its_force(void **state)
{
    (void)state;
    nc_world *world = new_world(0, 0, 0, 1);
    const nc_joint_axis axis = {.drive = {.mode = NC_DRIVE_VELOCITY, .target = 3, .max_force = 6}};
    const nc_joint_id id = slide_mass(world, 4, &axis, NULL);
    for (int i = 0; i < 240; i++) {
        step(world, 1.0 / 240);
        check_at_most(read_joint(world, id).drive_force[0], 6 * (1 + 1e-9));
    }
    check_near(read_joint(world, id).velocity[0], 1.5, 1e-6); // f t / m
    for (int i = 0; i < 480; i++)
        step(world, 1.0 / 240);
    check_near(read_joint(world, id).velocity[0], 3, 1e-9);
    nc_world_destroy(world);
}

static void a_position_drive_follows_its_keys(void **state)
{
    (void)state;
    nc_world *world = new_world(9.8, 0, 0, 1);
    const nc_drive_key keys[] = {{0.1, 0}, {0.6, 1}};
    const nc_body_id arm = add_box(world, nc_v3(0.6, 0.1, 0.1), nc_v3(0.4, 0, 0), 2);
    nc_joint_def def = hold(NC_JOINT_HINGE, arm, nc_v3(0, 0, 0), nc_v3(0, 0, 1));
    def.axes[3].drive = (nc_joint_drive){.mode = NC_DRIVE_POSITION, .keys = keys, .key_count = 2};
    const nc_joint_id id = join(world, &def);
    for (int i = 0; i < 60; i++)
        step(world, 1.0 / 120);
    check_near(read_joint(world, id).position[3], 0.8, 1e-9);
    for (int i = 0; i < 60; i++)
        step(world, 1.0 / 120);
    check_near(read_joint(world, id).position[3], 1, 1e-9);
    check_near(read_joint(world, id).drive_force[3], 2 * 9.8 * 0.4 * cos(1.0), 1e-6);
    nc_world_destroy(world);
}

static void a_joint_breaks_above_its_force_and_says_so(void **state)
{
    (void)state;
    for (int strong = 0; strong < 2; strong++) {
        nc_world *world = new_world(9.8, 0, 0, 1);
        const nc_body_id box = add_box(world, nc_v3(0.1, 0.1, 0.1), nc_v3(0, -1, 0), 3);
        nc_joint_def def = hold(NC_JOINT_BALL, box, nc_v3(0, 0, 0), nc_v3(1, 0, 0));
        def.break_force = 3 * 9.8 * (strong ? 1.01 : 0.99);
        const nc_joint_id id = join(world, &def);
        int breaks = 0;
        for (int i = 0; i < 24; i++)
            breaks += step(world, 1.0 / 240).joint_breaks;
        nc_joint_break event;
        assert_int_equal(breaks, strong ? 0 : 1);
        assert_int_equal(nc_world_joint_breaks(world, &event, 1), breaks);
        assert_int_equal(read_joint(world, id).broken, !strong);
        if (!strong) {
            check_near(event.force, 3 * 9.8, 1e-6);
            check_at_most(read_body(world, box).velocity.y, -0.8);
        }
        nc_world_destroy(world);
    }
}

static void gears_turn_against_each_other_by_their_ratio(void **state)
{
    (void)state;
    nc_world *world = new_world(9.8, 0, 0, 1);
    nc_joint_id hinge[2];
    for (int k = 0; k < 2; k++) {
        const nc_body_id wheel = add_box(world, nc_v3(0.4, 0.4, 0.1), nc_v3(1.5 * k, 0, 0), 1 + k);
        nc_joint_def def = hold(NC_JOINT_HINGE, wheel, nc_v3(1.5 * k, 0, 0), nc_v3(0, 0, 1));
        if (k == 0)
            def.axes[3].drive = (nc_joint_drive){.mode = NC_DRIVE_VELOCITY, .target = 20};
        hinge[k] = join(world, &def);
    }
    nc_joint_def gear = nc_joint_def_default(NC_JOINT_GEAR);
    gear.joint_1 = hinge[0];
    gear.joint_2 = hinge[1];
    gear.ratio = 2.5;
    const nc_joint_id id = join(world, &gear);
    for (int i = 0; i < 240; i++)
        step(world, 1.0 / 240);
    check_near(read_joint(world, hinge[0]).position[3], 20, 0.1);
    check_near(read_joint(world, hinge[1]).position[3], -read_joint(world, hinge[0]).position[3] / 2.5, 1e-9);
    check_at_most(read_joint(world, id).error_angle, 1e-9);
    nc_world_destroy(world);
}

static void a_rope_holds_at_its_length_and_not_before(void **state)
{
    (void)state;
    nc_world *world = new_world(9.8, 0, 0, 1);
    const nc_body_id box = add_box(world, nc_v3(0.1, 0.1, 0.1), nc_v3(0, -0.5, 0), 1);
    nc_joint_def def = hold(NC_JOINT_DISTANCE, box, nc_v3(0, -0.5, 0), nc_v3(1, 0, 0));
    def.anchor_b = nc_v3(0, 0, 0);
    def.length_min = 0;
    def.length_max = 1;
    const nc_joint_id id = join(world, &def);
    for (int i = 0; i < 48; i++)
        step(world, 1.0 / 240);
    check_near(read_joint(world, id).position[0], 0.5 + 0.5 * 9.8 * 0.04, 1e-9); // it falls
    double most = 0;
    for (int i = 0; i < 240; i++) {
        step(world, 1.0 / 240);
        most = fmax(most, read_joint(world, id).position[0]);
    }
    check_at_most(most, 1 + 1e-9);
    check_near(read_joint(world, id).force.y, 9.8, 1e-6);
    nc_world_destroy(world);
}

static void joints_that_make_no_sense_are_refused_with_a_sentence(void **state)
{
    (void)state;
    nc_world *world = new_world(9.8, 0, 0, 1);
    const nc_body_id box = add_box(world, nc_v3(0.1, 0.1, 0.1), nc_v3(0, 0, 0), 1);
    nc_error err;
    nc_joint_def def = hold(NC_JOINT_BALL, box, nc_v3(0, 0, 0), nc_v3(1, 0, 0));
    def.axes[5].limited = true;
    assert_int_equal(nc_joint_create(world, &def, NULL, &err), NC_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "axis 5 of a joint of kind ball"));
    def = hold(NC_JOINT_HINGE, box, nc_v3(0, 0, 0), nc_v3(0, 0, 0));
    assert_int_equal(nc_joint_create(world, &def, NULL, &err), NC_BAD_ARGUMENT);
    def = hold(NC_JOINT_GENERIC, box, nc_v3(0, 0, 0), nc_v3(1, 0, 0));
    def.axes[4].locked = true;
    assert_int_equal(nc_joint_create(world, &def, NULL, &err), NC_BAD_ARGUMENT);
    assert_int_equal(nc_world_joint_count(world), 0);
    nc_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_damped_spring_oscillates_to_second_order),
        cmocka_unit_test(a_driven_oscillator_has_the_amplitude_of_its_closed_form),
        cmocka_unit_test(a_limit_bounces_with_its_restitution),
        cmocka_unit_test(dry_friction_stops_a_slider_where_it_should),
        cmocka_unit_test(a_drive_reaches_its_velocity_with_no_more_than_its_force),
        cmocka_unit_test(a_position_drive_follows_its_keys),
        cmocka_unit_test(a_joint_breaks_above_its_force_and_says_so),
        cmocka_unit_test(gears_turn_against_each_other_by_their_ratio),
        cmocka_unit_test(a_rope_holds_at_its_length_and_not_before),
        cmocka_unit_test(joints_that_make_no_sense_are_refused_with_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
