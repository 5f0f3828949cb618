// The step with contact, against closed forms and conservation laws.
#include "check.h"
#include "world_bodies.h"

#include "base/base.h"
#include "world/world.h"

#define G 9.8

static const double steps_per_second[2] = {24, 240};

static nc_body_id add_box(nc_world *world, double width, double height, nc_body_def def)
{
    const nc_shape_parameter sizes[] = {{"size", width}, {"height", height}};
    return add(world, "box", sizes, 2, def);
}

static nc_step_report step_once(nc_world *world, double dt)
{
    nc_step_report report;
    nc_error err;
    check_ok(nc_world_step(world, dt, &report, &err), err);
    return report;
}

static void step_times(nc_world *world, double dt, int count)
{
    for (int i = 0; i < count; i++)
        step_once(world, dt);
}

static int overlaps(const nc_world *world)
{
    int count = 0;
    nc_error err;
    check_ok(nc_world_audit(world, NULL, 0, &count, &err), err);
    return count;
}

// ---- friction -----------------------------------------------------------------------------------------------

// How far a block slides down an incline in a second after a second of settling, [m] past what it did by then.
// `heading` turns the incline about the vertical, `twist` the block about the incline's normal.
static double slide(double slope, double friction, double heading, double twist, double rate, double *out_speed)
{
    nc_world *world = new_world(G, friction, 0, 1);
    const nc_quat tilt = nc_quat_mul(nc_quat_from_rotation_vector(nc_v3(0, heading, 0)),
                                     nc_quat_from_rotation_vector(nc_v3(0, 0, slope)));
    const nc_vec3 normal = nc_mat3_mul(nc_quat_matrix(tilt), nc_v3(0, 1, 0));
    add_ground(world, tilt);
    nc_body_def def = nc_body_def_default();
    def.position = nc_scale(0.1 + 0.005, normal);
    def.orientation = nc_quat_mul(tilt, nc_quat_from_rotation_vector(nc_v3(0, twist, 0)));
    const nc_body_id block = add_box(world, 1, 0.2, def);
    step_times(world, 1 / rate, (int)rate);
    const nc_body_state before = read_body(world, block);
    step_times(world, 1 / rate, (int)rate);
    const nc_body_state after = read_body(world, block);
    *out_speed = nc_norm(after.velocity) - nc_norm(before.velocity);
    assert_int_equal(overlaps(world), 0);
    nc_world_destroy(world);
    return nc_norm(nc_sub(after.pose.x, before.pose.x));
}

static void a_block_slides_down_an_incline_as_coulomb_says(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++)
        for (int heading = 0; heading < 3; heading++) {
            const double slope = 0.5, friction = 0.3, angle = 0.4 * heading,
                         wanted = G * (sin(slope) - friction * cos(slope));
            double gained;
            slide(slope, friction, angle, 0.7 * angle, steps_per_second[k], &gained);
            print_message("dt 1/%g, heading %g: acceleration %.4f of %.4f\n", steps_per_second[k], angle, gained,
                          wanted);
            check_near(gained / wanted, 1, 0.01);
        }
}

static void a_block_holds_below_the_angle_of_friction_and_slides_above(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++)
        for (int heading = 0; heading < 3; heading++) {
            double speed;
            const double limit = 0.4, turn = 0.3 * heading;
            check_at_most(slide(atan(limit) - 0.01, limit, turn, turn, steps_per_second[k], &speed), 1e-4);
            assert_true(slide(atan(limit) + 0.02, limit, turn, turn, steps_per_second[k], &speed) > 0.1);
        }
}

// ---- rest ---------------------------------------------------------------------------------------------------

static void a_box_at_rest_has_no_velocity_in_any_frame(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double rate = steps_per_second[k];
        nc_world *world = new_world(G, 0.3, 0.1, 1);
        add_ground(world, nc_quat_identity());
        nc_body_def def = nc_body_def_default();
        def.position = nc_v3(0, 0.6, 0);
        const nc_body_id box = add_box(world, 1, 1, def);
        step_times(world, 1 / rate, (int)(2 * rate));
        const nc_pose before = read_body(world, box).pose;
        double fastest = 0;
        for (int i = 0; i < 3 * (int)rate; i++) {
            step_once(world, 1 / rate);
            const nc_body_state body = read_body(world, box);
            fastest = fmax(fastest, fmax(nc_norm(body.velocity), nc_norm(body.spin)));
        }
        print_message("dt 1/%g: fastest %g m/s\n", rate, fastest);
        check_at_most(fastest, 1e-6);
        check_at_most(nc_norm(nc_sub(read_body(world, box).pose.x, before.x)), 1e-5);
        nc_world_destroy(world);
    }
}

static void a_stack_of_5_boxes_stands_still(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double rate = steps_per_second[k];
        nc_world *world = new_world(G, 0.5, 0, 1);
        add_ground(world, nc_quat_identity());
        nc_body_id box[5];
        for (int i = 0; i < 5; i++) {
            nc_body_def def = nc_body_def_default();
            def.position = nc_v3(0.01 * (i % 2), 0.506 + 1.006 * i, 0);
            box[i] = add_box(world, 1, 1, def);
        }
        step_times(world, 1 / rate, (int)rate);
        nc_vec3 before[5];
        for (int i = 0; i < 5; i++)
            before[i] = read_body(world, box[i]).pose.x;
        step_times(world, 1 / rate, (int)rate);
        double drift = 0, fastest = 0;
        for (int i = 0; i < 5; i++) {
            drift = fmax(drift, nc_norm(nc_sub(read_body(world, box[i]).pose.x, before[i])));
            fastest = fmax(fastest, nc_norm(read_body(world, box[i]).velocity));
        }
        print_message("dt 1/%g: drift %g m in a second, fastest %g m/s\n", rate, drift, fastest);
        check_at_most(drift, 1e-3);
        check_at_most(fastest, 1e-3);
        nc_world_destroy(world);
    }
}

// ---- collisions -----------------------------------------------------------------------------------------------

static void restitution_is_the_ratio_of_velocities(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++)
        for (int j = 0; j <= 4; j++) {
            const double restitution = 0.25 * j;
            nc_world *world = new_world(0, 0, restitution, 1);
            add_ground(world, nc_quat_identity());
            nc_body_def def = nc_body_def_default();
            def.position = nc_v3(0, 1, 0);
            def.velocity = nc_v3(0, -4, 0);
            const nc_body_id box = add_box(world, 1, 1, def);
            step_times(world, 1 / steps_per_second[k], (int)(0.3 * steps_per_second[k]));
            check_near(read_body(world, box).velocity.y, 4 * restitution, 4e-9);
            nc_world_destroy(world);
        }
}

// Two bodies meet; what they had together they must have afterwards.
static void check_pair_collision(double offset, double friction, double restitution)
{
    nc_world *world = new_world(0, friction, restitution, 1);
    nc_body_def def = nc_body_def_default();
    def.mass.mass = 2;
    def.velocity = nc_v3(3, 0, 0);
    def.position = nc_v3(-1, 0, 0);
    const nc_shape_parameter ball[] = {{"splits", 2}};
    add(world, "sphere", ball, 1, def);
    def.mass.mass = 5;
    def.velocity = nc_v3(-1, 0, 0);
    def.position = nc_v3(1, offset, 0.1);
    add(world, "sphere", ball, 1, def);
    nc_step_report first, last = {0};
    nc_error err;
    check_ok(nc_world_measure(world, &first, &err), err);
    int collisions = 0;
    for (int i = 0; i < 20; i++) {
        last = step_once(world, 1.0 / 24);
        collisions += last.collisions;
    }
    assert_true(collisions > 0);
    check_at_most(nc_norm(nc_sub(last.momentum, first.momentum)), 1e-12 * 11);
    check_at_most(nc_norm(nc_sub(last.angular_momentum, first.angular_momentum)), 0.05 * 11);
    check_at_most(last.kinetic, first.kinetic * (1 + 1e-12));
    nc_world_destroy(world);
}

static void head_on_and_glancing_collisions_keep_linear_momentum(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        check_pair_collision(0, 0.3, 0.3 * k);
        check_pair_collision(0.6, 0.3 * k, 0.5);
        check_pair_collision(0.9, 0.5, 0.3 * k);
    }
}

static nc_vec3 random_vector(nc_random *random, double size)
{
    const double x = nc_random_range(random, -size, size), y = nc_random_range(random, -size, size);
    return nc_v3(x, y, nc_random_range(random, -size, size));
}

static void kinetic_energy_never_rises_through_collisions_of_random_pairs(void **state)
{
    (void)state;
    static const char *const shapes[] = {"box", "spike", "plate", "t_handle", "ring", "triangle"};
    nc_random random = {check_seed("pairs", 41)};
    int collisions = 0;
    double worst = 0;
    for (int k = check_effort(60); k > 0; k--) {
        nc_world *world = new_world(0, nc_random_range(&random, 0, 1), nc_random_range(&random, 0, 1), 1);
        for (int i = -1; i <= 1; i += 2) {
            nc_body_def def = nc_body_def_default();
            def.mass.mass = exp(nc_random_range(&random, -3, 3));
            def.position = nc_v3(1.2 * i, 0, 0);
            def.orientation = nc_quat_from_rotation_vector(random_vector(&random, 2));
            def.velocity = nc_add(nc_v3(-3.0 * i, 0, 0), random_vector(&random, 1));
            def.spin = random_vector(&random, 15);
            add(world, shapes[nc_random_u64(&random) % 6], NULL, 0, def);
        }
        if (overlaps(world) == 0)
            for (int i = 0; i < 20; i++) {
                const nc_step_report report = step_once(world, 1.0 / 24);
                collisions += report.collisions;
                worst = fmax(worst, report.kinetic / report.kinetic_before - 1);
            }
        nc_world_destroy(world);
    }
    print_message("%d collisions; largest gain %g of the energy\n", collisions, worst);
    assert_true(collisions > 20);
    check_at_most(worst, 1e-11);
}

static void a_needle_turned_by_contact_gains_nothing(void **state)
{
    (void)state;
    nc_world *world = new_world(0, 0.5, 0, 1);
    add_ground(world, nc_quat_identity());
    const nc_shape_parameter sizes[] = {{"radius", 0.001}, {"height", 1}};
    nc_body_def def = nc_body_def_default();
    def.position = nc_v3(0, 0.6, 0);
    def.orientation = nc_quat_from_rotation_vector(nc_v3(0, 0, 2.8));
    def.velocity = nc_v3(1, -3, 0);
    def.spin = nc_v3(0, 300, 2); // mostly about its own axis, where it has next to no inertia
    add(world, "spike", sizes, 2, def);
    nc_step_report report = {0};
    for (int i = 0; i < 48; i++) {
        report = step_once(world, 1.0 / 24);
        check_at_most(report.kinetic, report.kinetic_before * (1 + 1e-12));
    }
    nc_world_destroy(world);
}

// ---- fast and thin ---------------------------------------------------------------------------------------------

static void a_needle_at_500_metres_a_second_does_not_pass_a_plate(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        nc_world *world = new_world(G, 0.3, 0.1, 1);
        const nc_shape_parameter wall[] = {{"size", 10}};
        nc_body_def def = nc_body_def_default();
        def.type = NC_STATIC;
        def.orientation = nc_quat_from_rotation_vector(nc_v3(0, 0, 1.5707));
        add(world, "plane", wall, 1, def);
        const nc_shape_parameter sizes[] = {{"radius", 0.002}, {"height", 0.5}};
        def.type = NC_DYNAMIC;
        def.orientation = nc_quat_from_rotation_vector(nc_v3(0, 0, -1.5));
        def.position = nc_v3(-2, 0, 0);
        def.velocity = nc_v3(500, 0, 0);
        const nc_body_id needle = add(world, "spike", sizes, 2, def);
        for (int i = 0; i < 24; i++) {
            step_once(world, 1 / steps_per_second[k]);
            assert_int_equal(overlaps(world), 0);
            assert_true(read_body(world, needle).pose.x.x < 0.5);
        }
        nc_world_destroy(world);
    }
}

static void a_spinning_plate_over_a_plane_stays_above_it(void **state)
{
    (void)state;
    nc_world *world = new_world(G, 0.3, 0.2, 1);
    add_ground(world, nc_quat_identity());
    nc_body_def def = nc_body_def_default();
    def.position = nc_v3(0, 0.7, 0);
    def.spin = nc_v3(30, 3, 20);
    const nc_body_id plate = add(world, "plate", NULL, 0, def);
    for (int i = 0; i < 72; i++) {
        step_once(world, 1.0 / 24);
        assert_int_equal(overlaps(world), 0);
        assert_true(read_body(world, plate).pose.x.y > 0);
    }
    nc_world_destroy(world);
}

// ---- rolling -----------------------------------------------------------------------------------------------------

// A sliding ball ends up rolling at 5/7 of its speed, at 2 v / (7 mu g) = 0.175 s. It has facets and takes them without
// bouncing, so it loses a little more with every one.
static void a_sliding_ball_comes_to_roll(void **state)
{
    (void)state;
    nc_world *world = new_world(G, 0.5, 0, 1);
    add_ground(world, nc_quat_identity());
    const nc_shape_parameter sizes[] = {{"radius", 0.5}, {"splits", 16}};
    nc_body_def def = nc_body_def_default();
    def.position = nc_v3(0, 0.505, 0);
    def.velocity = nc_v3(3, 0, 0);
    const nc_body_id ball = add(world, "sphere", sizes, 2, def);
    step_times(world, 1.0 / 96, 18);
    const nc_body_state body = read_body(world, ball);
    print_message("speed %g of %g, slip %g\n", body.velocity.x, 3 * 5.0 / 7, body.velocity.x + 0.5 * body.spin.z);
    check_near(body.velocity.x / 3, 5.0 / 7, 0.03);
    check_near(body.velocity.x, -0.5 * body.spin.z, 0.1);
    nc_world_destroy(world);
}

// ---- scripts ---------------------------------------------------------------------------------------------------

static void an_elevator_lifts_a_box(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double rate = steps_per_second[k];
        nc_world *world = new_world(G, 0.3, 0, 1);
        nc_body_def def = nc_body_def_default();
        def.type = NC_KINEMATIC;
        def.velocity = nc_v3(0, 1, 0);
        const nc_body_id lift = add_box(world, 3, 0.2, def);
        def.type = NC_DYNAMIC;
        def.position = nc_v3(0, 0.61, 0);
        const nc_body_id box = add_box(world, 1, 1, def);
        step_times(world, 1 / rate, (int)(2 * rate));
        check_near(read_body(world, lift).pose.x.y, 2, 1e-9);
        check_near(read_body(world, box).velocity.y, 1, 1e-3);
        check_near(read_body(world, box).pose.x.y, 2.6 + 0.005, 0.01);
        nc_world_destroy(world);
    }
}

static void a_piston_pushes_a_plate_and_stalls_at_the_wall(void **state)
{
    (void)state;
    nc_world *world = new_world(0, 0.3, 0, 1);
    nc_body_def def = nc_body_def_default();
    def.type = NC_STATIC;
    def.position = nc_v3(2, 0, 0);
    add_box(world, 1, 1, def);
    def.type = NC_DYNAMIC;
    def.position = nc_v3(0, 0, 0);
    def.orientation = nc_quat_from_rotation_vector(nc_v3(0, 0, 1.5707));
    const nc_body_id plate = add(world, "plate", NULL, 0, def);
    def.type = NC_KINEMATIC;
    def.position = nc_v3(-1, 0, 0);
    def.orientation = nc_quat_identity();
    def.velocity = nc_v3(1, 0, 0);
    const nc_body_id piston = add_box(world, 1, 1, def);
    int stalls = 0;
    for (int i = 0; i < 96; i++) {
        stalls += step_once(world, 1.0 / 24).stalls;
        assert_int_equal(overlaps(world), 0);
    }
    assert_true(stalls > 10);
    assert_true(read_body(world, plate).pose.x.x > 1.4);
    assert_true(read_body(world, piston).pose.x.x < 1);
    nc_world_destroy(world);
}

// Of two scripted bodies the later halts; when that one stands still already, the other must.
static void a_moving_script_stops_at_one_that_stands_still(void **state)
{
    (void)state;
    for (int first = 0; first < 2; first++) {
        nc_world *world = new_world(0, 0.3, 0, 1);
        nc_body_id id[2];
        for (int i = 0; i < 2; i++) {
            nc_body_def def = nc_body_def_default();
            def.type = NC_KINEMATIC;
            def.position = nc_v3(i == first ? -2 : 0, 0, 0);
            def.velocity = nc_v3(i == first ? 1 : 0, 0, 0);
            id[i] = add_box(world, 1, 1, def);
        }
        step_times(world, 1.0 / 24, 48);
        assert_int_equal(overlaps(world), 0);
        check_near(read_body(world, id[first]).pose.x.x, -1, 0.01);
        check_near(read_body(world, id[1 - first]).pose.x.x, 0, 0);
        nc_world_destroy(world);
    }
}

// ---- the same bits ---------------------------------------------------------------------------------------------

static nc_world *boats(int count, int workers)
{
    nc_world *world = new_world(G, 0.3, 0.1, workers);
    add_ground(world, nc_quat_identity());
    for (int i = 0; i < count; i++) {
        nc_body_def def = nc_body_def_default();
        def.position = nc_v3(1.1 * (i % 4), 0.3 + 0.35 * (i / 16), 1.1 * (i / 4 % 4));
        def.orientation = nc_quat_from_rotation_vector(nc_v3(0, i, 0.1));
        def.velocity = nc_v3(0, -2, 0);
        add(world, "boat", NULL, 0, def);
    }
    return world;
}

static void hash_of_60_boats_in_contact_is_equal_for_1_to_8_workers(void **state)
{
    (void)state;
    const int workers[] = {1, 2, 3, 8};
    uint64_t first = 0;
    for (int k = 0; k < 4; k++) {
        nc_world *world = boats(60, workers[k]);
        assert_int_equal(overlaps(world), 0);
        int contacts = 0;
        for (int i = 0; i < 8; i++)
            contacts += step_once(world, 1.0 / 24).contacts;
        assert_true(contacts > 0);
        first = k == 0 ? nc_world_hash(world) : first;
        assert_true(nc_world_hash(world) == first);
        nc_world_destroy(world);
    }
}

static void a_world_restored_in_contact_goes_on_to_the_same_bits(void **state)
{
    (void)state;
    nc_world *world = boats(12, 1);
    nc_error err;
    nc_buffer bytes = nc_buffer_create(NULL);
    step_times(world, 1.0 / 24, 12);
    check_ok(nc_world_save(world, &bytes, &err), err);
    nc_world *other = new_world(0, 0, 0, 2);
    for (int i = 0; i < nc_world_mesh_count(world); i++)
        check_ok(nc_world_add_mesh(other, nc_world_mesh(world, i), &err), err);
    check_ok(nc_world_restore(other, bytes.data, bytes.size, &err), err);
    step_times(world, 1.0 / 24, 12);
    step_times(other, 1.0 / 24, 12);
    assert_true(nc_world_hash(world) == nc_world_hash(other));
    nc_buffer_free(&bytes);
    nc_world_destroy(world);
    nc_world_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_slides_down_an_incline_as_coulomb_says),
        cmocka_unit_test(a_block_holds_below_the_angle_of_friction_and_slides_above),
        cmocka_unit_test(a_box_at_rest_has_no_velocity_in_any_frame),
        cmocka_unit_test(a_stack_of_5_boxes_stands_still),
        cmocka_unit_test(restitution_is_the_ratio_of_velocities),
        cmocka_unit_test(head_on_and_glancing_collisions_keep_linear_momentum),
        cmocka_unit_test(kinetic_energy_never_rises_through_collisions_of_random_pairs),
        cmocka_unit_test(a_needle_turned_by_contact_gains_nothing),
        cmocka_unit_test(a_needle_at_500_metres_a_second_does_not_pass_a_plate),
        cmocka_unit_test(a_spinning_plate_over_a_plane_stays_above_it),
        cmocka_unit_test(a_sliding_ball_comes_to_roll),
        cmocka_unit_test(an_elevator_lifts_a_box),
        cmocka_unit_test(a_piston_pushes_a_plate_and_stalls_at_the_wall),
        cmocka_unit_test(a_moving_script_stops_at_one_that_stands_still),
        cmocka_unit_test(hash_of_60_boats_in_contact_is_equal_for_1_to_8_workers),
        cmocka_unit_test(a_world_restored_in_contact_goes_on_to_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
