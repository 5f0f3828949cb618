// Physics against closed forms, at 24 and at 240 steps per second. NACRE_EFFORT makes the runs longer, up to the
// durations named in docs/results/english.md.
#include "check.h"
#include "world_bodies.h"

#include "base/base.h"

#define G  9.8
#define PI 3.14159265358979323846

static const double rates[2] = {24, 240}; // [1/s]

// ---- worlds -------------------------------------------------------------------------------------------------

static nc_body_id add_box(nc_world *world, double width, double height, double depth, nc_vec3 position)
{
    const nc_shape_parameter sizes[] = {{"width", width}, {"height", height}, {"depth", depth}};
    nc_body_def def = nc_body_def_default();
    def.position = position;
    return add(world, "box", sizes, 3, def);
}

static nc_step_report step_times(nc_world *world, double dt, int count)
{
    nc_step_report report = {0};
    nc_error err;
    for (int i = 0; i < count; i++)
        check_ok(nc_world_step(world, dt, &report, &err), err);
    return report;
}

static double distance(const nc_world *world, nc_body_id id, nc_vec3 from)
{
    return nc_norm(nc_sub(read_body(world, id).pose.x, from));
}

// ---- friction -----------------------------------------------------------------------------------------------

typedef struct slide {
    double gained; // [m/s] in the second half of a second
    double way;    // [m] in that time
} slide;

// A block on an incline. `heading` turns the incline about the vertical, `twist` the block about the incline's normal.
static slide slide_down(double slope, double friction, double heading, double twist, double rate)
{
    nc_world *world = new_world(G, friction, 0, 1);
    const nc_quat tilt = nc_quat_mul(nc_quat_from_rotation_vector(nc_v3(0, heading, 0)),
                                     nc_quat_from_rotation_vector(nc_v3(0, 0, slope)));
    add_ground(world, tilt);
    const nc_shape_parameter sizes[] = {{"size", 1}, {"height", 0.2}};
    nc_body_def def = nc_body_def_default();
    def.position = nc_mat3_mul(nc_quat_matrix(tilt), nc_v3(0, 0.105, 0));
    def.orientation = nc_quat_mul(tilt, nc_quat_from_rotation_vector(nc_v3(0, twist, 0)));
    const nc_body_id block = add(world, "box", sizes, 2, def);
    step_times(world, 1 / rate, (int)(rate / 2));
    const nc_body_state before = read_body(world, block);
    step_times(world, 1 / rate, (int)(rate / 2));
    const nc_body_state after = read_body(world, block);
    nc_world_destroy(world);
    return (slide){nc_norm(after.velocity) - nc_norm(before.velocity), nc_norm(nc_sub(after.pose.x, before.pose.x))};
}

static void a_block_slides_alike_in_all_directions_as_coulomb_says(void **state)
{
    (void)state;
    const double slope = 0.5, friction = 0.3, wanted = G * (sin(slope) - friction * cos(slope));
    const int directions = check_effort(6);
    for (int k = 0; k < 2; k++) {
        double least = INFINITY, most = 0;
        for (int i = 0; i < directions; i++) {
            const double heading = 2 * PI * i / directions;
            const double acceleration = 2 * slide_down(slope, friction, heading, 0.7 * heading, rates[k]).gained;
            least = fmin(least, acceleration);
            most = fmax(most, acceleration);
        }
        print_message("dt 1/%g: %.6f to %.6f m/s^2, wanted %.6f, in %d directions\n", rates[k], least, most, wanted,
                      directions);
        check_near(least / wanted, 1, 0.01);
        check_near(most / wanted, 1, 0.01);
    }
}

static void a_block_holds_to_the_angle_of_friction_and_slides_beyond(void **state)
{
    (void)state;
    const double limit = 0.4;
    const int directions = check_effort(3);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < directions; i++) {
            const double turn = 2 * PI * i / directions;
            check_at_most(slide_down(atan(limit) - 0.002, limit, turn, turn, rates[k]).way, 1e-5);
            assert_true(slide_down(atan(limit) + 0.004, limit, turn, turn, rates[k]).way > 1e-3);
        }
}

// ---- restitution --------------------------------------------------------------------------------------------

static void restitution_is_the_ratio_of_velocities_to_nine_digits(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++)
        for (int j = 0; j <= 10; j++) {
            nc_world *world = new_world(0, 0.3, 0.1 * j, 1);
            add_ground(world, nc_quat_identity());
            nc_body_def def = nc_body_def_default();
            def.position = nc_v3(0, 1, 0);
            def.velocity = nc_v3(0, -4, 0);
            const nc_body_id box = add(world, "box", NULL, 0, def);
            step_times(world, 1 / rates[k], (int)(0.3 * rates[k]));
            check_near(read_body(world, box).velocity.y / 4, 0.1 * j, 1e-9);
            nc_world_destroy(world);
        }
}

// [m] How high a box rises after it fell from `height` to a ground with restitution 0.7.
static double rebound(double height, double rate)
{
    nc_world *world = new_world(G, 0, 0.7, 1);
    add_ground(world, nc_quat_identity());
    const nc_body_id box = add_box(world, 1, 1, 1, nc_v3(0, 0.5 + height, 0));
    double highest = 0;
    bool fell = false;
    for (int i = 0; i < (int)(1.6 * rate); i++) {
        step_times(world, 1 / rate, 1);
        const nc_body_state body = read_body(world, box);
        fell = fell || body.velocity.y > 0;
        highest = fmax(highest, fell ? body.pose.x.y - 0.5 : 0);
    }
    nc_world_destroy(world);
    return highest;
}

static void the_height_of_a_rebound_converges_with_the_step(void **state)
{
    (void)state;
    const double height = 2, speed = sqrt(2 * G * height);
    for (int k = 0; k < 3; k++) {
        const double rate = 24 * pow(10, k), error = rebound(height, rate) - 0.49 * height;
        print_message("dt 1/%g: rebound off by %g m\n", rate, error);
        // the flight restarts from the start of the step; and small steps turn round at the rest distance
        check_at_most(fabs(error), 0.7 * speed / rate + 0.51 * 0.005);
    }
}

// ---- rolling ------------------------------------------------------------------------------------------------

static void a_ball_of_20480_triangles_rolls_at_five_sevenths_of_its_speed(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        nc_world *world = new_world(G, 0.5, 0, 1);
        add_ground(world, nc_quat_identity());
        const nc_shape_parameter sizes[] = {{"radius", 0.5}, {"splits", 32}};
        nc_body_def def = nc_body_def_default();
        def.position = nc_v3(0, 0.505, 0);
        def.velocity = nc_v3(3, 0, 0);
        const nc_body_id ball = add(world, "sphere", sizes, 2, def);
        double least = INFINITY, most = 0;
        for (int i = 1; i <= (int)(2 * rates[k]); i++) {
            step_times(world, 1 / rates[k], 1);
            const double speed = read_body(world, ball).velocity.x / (3 * 5.0 / 7);
            least = i > 0.3 * rates[k] ? fmin(least, speed) : least;
            most = i > 0.3 * rates[k] ? fmax(most, speed) : most;
        }
        print_message("dt 1/%g: from 0.3 to 2 s, %.4f to %.4f of 5/7\n", rates[k], least, most);
        check_near(least, 1, 0.02);
        check_near(most, 1, 0.02);
        check_near(read_body(world, ball).velocity.z, 0, 0.03);
        nc_world_destroy(world);
    }
}

// ---- collisions of two --------------------------------------------------------------------------------------

static nc_vec3 momentum_of(const nc_world *world)
{
    nc_step_report report;
    nc_error err;
    check_ok(nc_world_measure(world, &report, &err), err);
    return report.momentum;
}

// [1] The largest change of momentum when two balls meet, as a part of what one of them carries.
static double momentum_change(double offset, double friction, double restitution, double rate)
{
    nc_world *world = new_world(0, friction, restitution, 1);
    const nc_shape_parameter ball[] = {{"splits", 3}};
    nc_body_def def = nc_body_def_default();
    def.mass.mass = 2;
    def.velocity = nc_v3(3, 0, 0);
    def.position = nc_v3(-1, 0, 0);
    add(world, "sphere", ball, 1, def);
    def.mass.mass = 5;
    def.velocity = nc_v3(-1, 0.2, 0);
    def.position = nc_v3(1, offset, 0.1);
    def.spin = nc_v3(1, 5, 3);
    add(world, "sphere", ball, 1, def);
    const nc_vec3 before = momentum_of(world);
    int collisions = 0;
    double change = 0;
    for (int i = 0; i < (int)(0.6 * rate); i++) {
        const nc_step_report report = step_times(world, 1 / rate, 1);
        collisions += report.collisions;
        change = fmax(change, nc_norm(nc_sub(report.momentum, before)) / 6);
    }
    assert_true(collisions > 0);
    nc_world_destroy(world);
    return change;
}

static void head_on_and_glancing_collisions_keep_momentum(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 4; i++) {
            check_at_most(momentum_change(0, 0.3 * i, 0.3 * i, rates[k]), 1e-12);
            check_at_most(momentum_change(0.6, 0.3 * i, 0.5, rates[k]), 1e-12);
            check_at_most(momentum_change(0.7, 0.5, 0.3 * i, rates[k]), 1e-12);
        }
}

static void a_needle_turned_by_contact_gains_nothing(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        nc_world *world = new_world(0, 0.5, 0, 1);
        add_ground(world, nc_quat_identity());
        const nc_shape_parameter sizes[] = {{"radius", 0.001}, {"height", 1}};
        nc_body_def def = nc_body_def_default();
        def.position = nc_v3(0, 0.6, 0);
        def.orientation = nc_quat_from_rotation_vector(nc_v3(0, 0, 2.8));
        def.velocity = nc_v3(1, -3, 0);
        def.spin = nc_v3(0, 300, 2); // mostly about its own axis, where it has next to no inertia
        add(world, "spike", sizes, 2, def);
        for (int i = 0; i < (int)(2 * rates[k]); i++) {
            const nc_step_report report = step_times(world, 1 / rates[k], 1);
            check_at_most(report.kinetic, report.kinetic_before * (1 + 1e-12));
        }
        nc_world_destroy(world);
    }
}

// ---- rest ---------------------------------------------------------------------------------------------------

static void a_box_at_rest_has_no_velocity_in_any_frame(void **state)
{
    (void)state;
    const int seconds = check_effort(1);
    for (int k = 0; k < 2; k++)
        for (int variant = 0; variant < 3; variant++) {
            nc_world *world = new_world(G, 0.3, 0.1 * variant, 1);
            const nc_shape_parameter plain[] = {{"size", 20}, {"splits", 1 + 15.0 * variant}};
            nc_body_def def = nc_body_def_default();
            def.type = NC_STATIC;
            add(world, "plane", plain, 2, def);
            def.type = NC_DYNAMIC;
            def.position = nc_v3(0.3, 0.6 + 0.2 * variant, 0.1);
            def.orientation = nc_quat_from_rotation_vector(nc_v3(0.1 * variant, 0.4, 0.07 * variant));
            const nc_body_id box = add(world, "box", NULL, 0, def);
            step_times(world, 1 / rates[k], (int)(2 * rates[k]));
            double fastest = 0;
            for (int i = 0; i < seconds * (int)rates[k]; i++) {
                step_times(world, 1 / rates[k], 1);
                const nc_body_state body = read_body(world, box);
                fastest = fmax(fastest, fmax(nc_norm(body.velocity), nc_norm(body.spin)));
            }
            print_message("dt 1/%g, variant %d: fastest %g\n", rates[k], variant, fastest);
            check_at_most(fastest, 1e-6);
            nc_world_destroy(world);
        }
}

#define STACK 25

static void a_stack_of_25_boxes_stands_still(void **state)
{
    (void)state;
    const int seconds = check_effort(1);
    for (int k = 0; k < 2; k++) {
        nc_world *world = new_world(G, 0.5, 0, 1);
        add_ground(world, nc_quat_identity());
        nc_body_id box[STACK];
        nc_vec3 before[STACK];
        for (int i = 0; i < STACK; i++) {
            before[i] = nc_v3(0.01 * (i % 2), 0.505 + 1.005 * i, 0);
            box[i] = add_box(world, 1, 1, 1, before[i]);
        }
        step_times(world, 1 / rates[k], k == 0 ? 24 * seconds : 48 * seconds);
        double drift = 0;
        for (int i = 0; i < STACK; i++)
            drift = fmax(drift, distance(world, box[i], before[i]));
        print_message("dt 1/%g: drift %g m\n", rates[k], drift);
        check_at_most(drift, 0.01);
        nc_world_destroy(world);
    }
}

#define COLUMNS 10
#define ROWS    20

static void a_wall_of_200_bricks_stands_still(void **state)
{
    (void)state;
    const int steps = check_effort(3);
    for (int k = 0; k < 2; k++) {
        nc_world *world = new_world(G, 0.5, 0, 1);
        add_ground(world, nc_quat_identity());
        nc_body_id brick[COLUMNS * ROWS];
        nc_vec3 before[COLUMNS * ROWS];
        for (int i = 0; i < COLUMNS * ROWS; i++) {
            const int row = i / COLUMNS;
            before[i] = nc_v3(2.05 * (i % COLUMNS) + 0.6 * (row % 2), 0.305 + 0.605 * row, 0);
            brick[i] = add_box(world, 2, 0.6, 1, before[i]);
        }
        step_times(world, 1 / rates[k], steps);
        double drift = 0;
        for (int i = 0; i < COLUMNS * ROWS; i++)
            drift = fmax(drift, distance(world, brick[i], before[i]));
        print_message("dt 1/%g: drift %g m in %d steps\n", rates[k], drift, steps);
        check_at_most(drift, 0.01 * 0.6);
        nc_world_destroy(world);
    }
}

#define STONES 25

// [m] How far the highest stone of a semicircular arch of radius 2 m sinks in `seconds`.
static double arch_sinks(double friction, double rate, double seconds)
{
    nc_world_def settings = nc_world_def_default();
    settings.gravity = nc_v3(0, -G, 0);
    settings.friction = friction;
    settings.restitution = 0;
    settings.rest_distance = 0.001;
    settings.proximity = 0.002;
    settings.floor_distance = 1e-5;
    settings.workers = 1;
    nc_world *world = NULL;
    nc_error err;
    check_ok(nc_world_create(&settings, &world, &err), err);
    add_ground(world, nc_quat_identity());
    const nc_shape_parameter sizes[] = {{"radius", 2}, {"wall", 0.4}, {"angle", PI / STONES}, {"gap", 0.001}};
    const nc_quat lay = nc_quat_from_rotation_vector(nc_v3(0.5 * PI, 0, 0));
    nc_body_id top = {0, 0};
    for (int i = 0; i < STONES; i++) {
        const double angle = PI * (i + 0.5) / STONES;
        nc_body_def def = nc_body_def_default();
        def.position = nc_v3(2 * cos(angle), 2 * sin(angle) + 0.0005, 0);
        def.orientation = nc_quat_mul(nc_quat_from_rotation_vector(nc_v3(0, 0, angle)), lay);
        const nc_body_id stone = add(world, "stone", sizes, 4, def);
        top = i == STONES / 2 ? stone : top;
    }
    const double before = read_body(world, top).pose.x.y;
    step_times(world, 1 / rate, (int)(seconds * rate));
    const double after = read_body(world, top).pose.x.y;
    nc_world_destroy(world);
    return before - after;
}

static void an_arch_stands_with_friction_and_falls_without_enough(void **state)
{
    (void)state;
    const double stands = arch_sinks(0.7, 24, 0.5 * check_effort(2)), stands_fine = arch_sinks(0.7, 240, 0.2);
    const double falls = arch_sinks(0.2, 24, 1);
    print_message("the top sinks by %g m, %g m (dt 1/240), and %g m with friction 0.2\n", stands, stands_fine, falls);
    check_at_most(fabs(stands), 2e-3);
    check_at_most(fabs(stands_fine), 2e-3);
    assert_true(falls > 0.1);
}

// ---- weight -------------------------------------------------------------------------------------------------

static void a_bowl_bears_the_weight_of_what_lies_in_it(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        nc_world *world = new_world(G, 0.5, 0, 1);
        const nc_shape_parameter bowl[] = {{"radius", 4}, {"segments", 24}, {"rings", 8}};
        nc_body_def def = nc_body_def_default();
        def.type = NC_STATIC;
        add(world, "bowl", bowl, 3, def);
        double mass = 0;
        for (int i = 0; i < 12; i++) {
            const int layer = i / 4, row = i / 2 % 2;
            const nc_vec3 at = nc_v3(1.1 * (i % 2) - 0.5, -2.5 + 0.9 * layer, 1.1 * row - 0.5);
            const nc_body_id box = add_box(world, 0.8, 0.5 + 0.02 * i, 0.6, at);
            mass += read_body(world, box).mass;
        }
        step_times(world, 1 / rates[k], (int)(4 * rates[k]));
        nc_vec3 sum = {0, 0, 0};
        const int steps = (int)(0.5 * rates[k]);
        for (int i = 0; i < steps; i++)
            sum = nc_add(sum, step_times(world, 1 / rates[k], 1).support);
        const nc_vec3 force = nc_scale(rates[k] / steps, sum);
        print_message("dt 1/%g: %.2f N up for %.2f N, %.3g N aside\n", rates[k], force.y, mass * G,
                      hypot(force.x, force.z));
        check_near(force.y / (mass * G), 1, 0.01);
        check_at_most(hypot(force.x, force.z) / (mass * G), 0.01);
        nc_world_destroy(world);
    }
}

#define SLIDERS 200

// Boxes that slide on the ground, and where they are after a step, perhaps while a block of 8 t comes down on a brick
// far from them.
static nc_step_report slide_beside(bool blow, nc_body_state out[SLIDERS])
{
    nc_world *world = new_world(G, 0.3, 0, 1);
    add_ground(world, nc_quat_identity());
    nc_body_id box[SLIDERS];
    nc_error err;
    for (int i = 0; i < SLIDERS; i++) {
        const int column = i % 10, row = i / 10;
        box[i] = add_box(world, 0.5, 0.5, 0.5, nc_v3(2 * column, 0.2505, 2 * row));
        check_ok(nc_body_set_velocity(world, box[i], nc_v3(1, 0, 0.3), nc_v3(0, 0.2, 0), &err), err);
    }
    if (blow) {
        const nc_vec3 tilt = nc_v3(0.02, 0, 0.03);
        const nc_body_id brick = add_box(world, 0.3, 0.2, 0.3, nc_v3(-30, 0.12, 0));
        const nc_body_id block = add_box(world, 2, 2, 2, nc_v3(-30.02, 1.24, 0.01));
        check_ok(nc_body_set_velocity(world, brick, nc_v3(0, -1, 0), tilt, &err), err);
        check_ok(nc_body_set_velocity(world, block, nc_v3(0, -2, 0), tilt, &err), err);
    }
    const nc_step_report report = step_times(world, 1 / rates[0], 1);
    for (int i = 0; i < SLIDERS; i++)
        out[i] = read_body(world, box[i]);
    nc_world_destroy(world);
    return report;
}

static void two_that_cannot_settle_it_alone_are_no_matter_of_others(void **state)
{
    (void)state;
    static nc_body_state with[SLIDERS], without[SLIDERS];
    const nc_step_report quiet = slide_beside(false, without), loud = slide_beside(true, with);
    print_message("passes: %d and %d, then %d and %d\n", quiet.collision_passes, quiet.dynamic_passes,
                  loud.collision_passes, loud.dynamic_passes);
    assert_true(loud.collision_passes > 3); // one response to the pair is not enough
    for (int i = 0; i < SLIDERS; i++) {
        assert_memory_equal(&with[i].pose, &without[i].pose, sizeof with[i].pose);
        assert_memory_equal(&with[i].velocity, &without[i].velocity, sizeof with[i].velocity);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_slides_alike_in_all_directions_as_coulomb_says),
        cmocka_unit_test(a_block_holds_to_the_angle_of_friction_and_slides_beyond),
        cmocka_unit_test(restitution_is_the_ratio_of_velocities_to_nine_digits),
        cmocka_unit_test(the_height_of_a_rebound_converges_with_the_step),
        cmocka_unit_test(a_ball_of_20480_triangles_rolls_at_five_sevenths_of_its_speed),
        cmocka_unit_test(head_on_and_glancing_collisions_keep_momentum),
        cmocka_unit_test(a_needle_turned_by_contact_gains_nothing),
        cmocka_unit_test(a_box_at_rest_has_no_velocity_in_any_frame),
        cmocka_unit_test(a_stack_of_25_boxes_stands_still),
        cmocka_unit_test(a_wall_of_200_bricks_stands_still),
        cmocka_unit_test(an_arch_stands_with_friction_and_falls_without_enough),
        cmocka_unit_test(a_bowl_bears_the_weight_of_what_lies_in_it),
        cmocka_unit_test(two_that_cannot_settle_it_alone_are_no_matter_of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
