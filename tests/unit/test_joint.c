// Joints against closed forms.
#include "joint_bodies.h"

#include "fail_allocator.h"

// ---- pendulum -------------------------------------------------------------------------------------------------

typedef struct swing {
    double period; // [s] of the first two zero crossings
    double drift;  // [1] largest change of the energy over its span
    double error;  // [m]
} swing;

// A rod of 1 m and 1 kg that turns about its end, let go 1 rad from hanging.
static swing swing_rod(double dt, double seconds)
{
    nc_world *world = new_world(9.8, 0, 0, 1);
    const double angle = 1.0;
    const nc_quat q = nc_quat_from_rotation_vector(nc_v3(0, 0, angle));
    const nc_shape_parameter sides[] = {{"width", 0.02}, {"height", 1}, {"depth", 0.02}};
    nc_body_def def = nc_body_def_default();
    def.type = NC_DYNAMIC;
    def.mass.mass = 1;
    def.orientation = q;
    def.position = nc_v3(0.5 * sin(angle), -0.5 * cos(angle), 0);
    const nc_body_id rod = add(world, "box", sides, 3, def);
    const nc_joint_def hinge = hold(NC_JOINT_HINGE, rod, nc_v3(0, 0, 0), nc_v3(0, 0, 1));
    const nc_joint_id id = join(world, &hinge);
    swing out = {0, 0, 0};
    double first = -1, before = 0, energy = 0, span = 1 * 9.8 * 0.5 * (1 - cos(angle));
    int crossings = 0;
    const int steps = (int)(seconds / dt + 0.5);
    for (int k = 0; k < steps; k++) {
        const nc_step_report report = step(world, dt);
        const double turned = read_joint(world, id).position[3] + angle;
        const double now = report.kinetic + report.potential;
        energy = k == 0 ? report.kinetic_before + report.potential_before : energy;
        out.drift = fmax(out.drift, fabs(now - energy) / span);
        out.error = fmax(out.error, report.joint_error);
        if (k > 0 && before * turned < 0) {
            const double at = (k + 1) * dt - dt * turned / (turned - before);
            if (crossings == 0)
                first = at;
            if (crossings == 2)
                out.period = at - first;
            crossings++;
        }
        before = turned;
    }
    nc_world_destroy(world);
    return out;
}

// T = 4 sqrt(I / (m g d)) K(sin(a/2)), by the arithmetic-geometric mean.
static double rod_period(double angle)
{
    const double inertia = (1 + 0.02 * 0.02) / 12 + 0.25;
    double a = 1, b = cos(angle / 2);
    for (int k = 0; k < 20; k++) {
        const double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return 2 * PI * sqrt(inertia / (9.8 * 0.5)) / a;
}

static void a_rod_on_a_hinge_swings_with_its_period_to_second_order(void **state)
{
    (void)state;
    const double wanted = rod_period(1.0);
    const swing coarse = swing_rod(1.0 / 60, 4), fine = swing_rod(1.0 / 240, 4);
    print_message("period error %.3g, %.3g; energy %.3g, %.3g; joint error %.3g, %.3g m\n", coarse.period / wanted - 1,
                  fine.period / wanted - 1, coarse.drift, fine.drift, coarse.error, fine.error);
    check_at_most(fabs(fine.period / wanted - 1), 2e-4);
    check_at_most(fabs(coarse.period / wanted - 1), 2e-3);
    check_at_most(fine.drift, coarse.drift / 10);
    check_at_most(fine.drift, 1e-3);
    check_at_most(fmax(coarse.error, fine.error), 1e-8);
}

// ---- slider ---------------------------------------------------------------------------------------------------

static void a_slider_on_an_incline_falls_by_half_g_sine_t_squared(void **state)
{
    (void)state;
    const double angle = 0.5, dt = 1.0 / 120;
    nc_world *world = new_world(9.8, 0, 0, 1);
    const nc_body_id box = add_box(world, nc_v3(0.2, 0.1, 0.3), nc_v3(0, 0, 0), 3);
    const nc_vec3 axis = nc_v3(cos(angle), -sin(angle), 0);
    const nc_joint_def def = hold(NC_JOINT_SLIDER, box, nc_v3(0.3, 0.2, 0.1), axis);
    const nc_joint_id id = join(world, &def);
    for (int k = 0; k < 120; k++)
        step(world, dt);
    const nc_joint_state slid = read_joint(world, id);
    check_near(slid.position[0], 0.5 * 9.8 * sin(angle), 1e-9);
    check_near(slid.velocity[0], 9.8 * sin(angle), 1e-9);
    check_at_most(slid.error + slid.error_angle, 1e-9);
    check_near(nc_norm(slid.force), 3 * 9.8 * cos(angle), 1e-6);
    nc_world_destroy(world);
}

// ---- chain ----------------------------------------------------------------------------------------------------

static void a_chain_of_100_links_holds_1000_times_a_link(void **state)
{
    (void)state;
    nc_world *world = new_world(9.8, 0, 0, 1);
    nc_body_id before = {0, 0};
    nc_joint_id top = {0, 0};
    const int links = 100;
    nc_body_id load = {0, 0};
    for (int k = 0; k <= links; k++) {
        const bool last = k == links;
        const nc_vec3 anchor = nc_v3(0, -0.1 * k, 0);
        const nc_vec3 size = last ? nc_v3(0.5, 0.5, 0.5) : nc_v3(0.03, 0.08, 0.03);
        const nc_body_id link =
            add_box(world, size, nc_v3(0, anchor.y - (last ? 0.3 : 0.05), 0), last ? 1000 * 0.1 : 0.1);
        nc_joint_def def = hold(NC_JOINT_HINGE, link, anchor, nc_v3(k % 2, 0, (k + 1) % 2));
        def.body_b = before;
        const nc_joint_id id = join(world, &def);
        top = k == 0 ? id : top;
        before = load = link;
    }
    double worst = 0;
    const double start = read_body(world, load).pose.x.y;
    for (int k = 0; k < 120; k++)
        worst = fmax(worst, step(world, 1.0 / 240).joint_error);
    const nc_body_state end = read_body(world, load);
    const nc_joint_state held = read_joint(world, top);
    print_message("stretch %.3g m, joint error %.3g m, speed %.3g m/s, force %.12g N of %.12g N\n",
                  start - end.pose.x.y, worst, nc_norm(end.velocity), held.force.y, (1000 + 100) * 0.1 * 9.8);
    check_at_most(fabs(start - end.pose.x.y), 1e-7);
    check_at_most(worst, 1e-8);
    check_at_most(nc_norm(end.velocity), 1e-6);
    check_near(held.force.y / (1100 * 0.1 * 9.8), 1, 1e-6);
    nc_world_destroy(world);
}

// ---- momentum -------------------------------------------------------------------------------------------------

static void a_free_pair_keeps_momentum_and_energy(void **state)
{
    (void)state;
    nc_world *world = new_world(0, 0, 0, 1);
    const nc_body_id a = add_box(world, nc_v3(0.2, 0.3, 0.1), nc_v3(0.3, 0, 0), 2);
    const nc_body_id b = add_box(world, nc_v3(0.1, 0.3, 0.4), nc_v3(-0.3, 0, 0), 5);
    nc_error err;
    nc_joint_def def = hold(NC_JOINT_BALL, a, nc_v3(0, 0.2, 0), nc_v3(1, 0, 0));
    def.body_b = b;
    def.collide = NC_JOINT_COLLIDE_NO;
    join(world, &def);
    check_ok(nc_body_set_velocity(world, a, nc_v3(1, 0.5, 0.2), nc_v3(3, 2, -1), &err), err);
    const nc_step_report first = step(world, 1.0 / 240); // the joint stops what it does not allow
    nc_step_report last = first;
    double error = 0;
    for (int k = 0; k < 480; k++) {
        last = step(world, 1.0 / 240);
        error = fmax(error, last.joint_error);
    }
    print_message("energy %.3g, momentum %.3g, angular %.3g, joint error %.3g m\n", last.kinetic / first.kinetic - 1,
                  nc_norm(nc_sub(last.momentum, first.momentum)) / nc_norm(first.momentum),
                  nc_norm(nc_sub(last.angular_momentum, first.angular_momentum)) / nc_norm(first.angular_momentum),
                  error);
    check_at_most(nc_norm(nc_sub(last.momentum, first.momentum)), 1e-12 * nc_norm(first.momentum));
    check_at_most(nc_norm(nc_sub(last.angular_momentum, first.angular_momentum)),
                  1e-10 * nc_norm(first.angular_momentum));
    check_near(last.kinetic / first.kinetic, 1, 2e-3);
    check_at_most(error, 1e-8);
    nc_world_destroy(world);
}

// ---- snapshots ------------------------------------------------------------------------------------------------

static void a_restored_mechanism_moves_to_the_same_bits(void **state)
{
    (void)state;
    nc_world *world = new_world(9.8, 0.3, 0, 1);
    const nc_drive_key keys[] = {{0, 0}, {0.5, 1}};
    nc_body_id before = {0, 0};
    for (int k = 0; k < 4; k++) {
        const nc_body_id link = add_box(world, nc_v3(0.4, 0.1, 0.1), nc_v3(0.25 + 0.5 * k, 0, 0), 1);
        nc_joint_def def = hold(NC_JOINT_HINGE, link, nc_v3(0.5 * k, 0, 0), nc_v3(0, 0, 1));
        def.body_b = before;
        def.name = k == 2 ? "elbow" : NULL;
        def.axes[3].stiffness = 2;
        def.axes[3].damping = 0.1;
        if (k == 1)
            def.axes[3].drive =
                (nc_joint_drive){.mode = NC_DRIVE_POSITION, .max_force = 5, .keys = keys, .key_count = 2};
        join(world, &def);
        before = link;
    }
    for (int k = 0; k < 20; k++)
        step(world, 1.0 / 120);
    nc_buffer saved = nc_buffer_create(NULL);
    nc_error err;
    check_ok(nc_world_save(world, &saved, &err), err);
    const uint64_t hash = nc_world_hash(world);
    for (int k = 0; k < 40; k++)
        step(world, 1.0 / 120);
    const uint64_t wanted = nc_world_hash(world);
    check_ok(nc_world_restore(world, saved.data, saved.size, &err), err);
    assert_true(nc_world_hash(world) == hash);
    assert_true(nc_world_find_joint(world, "elbow").generation == 1);
    for (int k = 0; k < 40; k++)
        step(world, 1.0 / 120);
    assert_true(nc_world_hash(world) == wanted);
    nc_buffer_free(&saved);
    nc_world_destroy(world);
}

// ---- memory ---------------------------------------------------------------------------------------------------

// A pair of bodies on a driven hinge, stepped with an allocator that refuses one request.
static nc_code swing_with(const nc_allocator *allocator)
{
    const nc_drive_key keys[] = {{0, 0}, {1, 1}};
    nc_world_def def = nc_world_def_default();
    def.allocator = *allocator;
    def.workers = 1;
    nc_world *world = NULL;
    nc_code code = nc_world_create(&def, &world, NULL);
    nc_mesh *mesh = NULL;
    nc_body_id bodies[2] = {{0, 0}, {0, 0}};
    assert_int_equal(nc_shape_create("box", NULL, 0, NULL, &mesh, NULL), NC_OK);
    for (int k = 0; k < 2 && code == NC_OK; k++) {
        nc_body_def body = nc_body_def_default();
        body.type = NC_DYNAMIC;
        body.mesh = mesh;
        body.position = nc_v3(2.0 * k, 0, 0);
        code = nc_body_create(world, &body, &bodies[k], NULL);
    }
    nc_mesh_release(mesh);
    nc_joint_def hinge = hold(NC_JOINT_HINGE, bodies[0], nc_v3(1, 0, 0), nc_v3(0, 0, 1));
    hinge.body_b = bodies[1];
    hinge.axes[3].drive = (nc_joint_drive){.mode = NC_DRIVE_POSITION, .keys = keys, .key_count = 2};
    if (code == NC_OK)
        code = nc_joint_create(world, &hinge, NULL, NULL);
    for (int k = 0; k < 2 && code == NC_OK; k++)
        code = nc_world_step(world, 0.01, NULL, NULL);
    nc_world_destroy(world);
    return code;
}

static void out_of_memory_is_an_error_and_leaks_nothing(void **state)
{
    (void)state;
    bool refused = true;
    for (long k = 1; refused && k < 2000; k++) {
        fail_allocator memory;
        const nc_allocator allocator = fail_allocator_start(&memory, k);
        const nc_code code = swing_with(&allocator);
        refused = memory.failures > 0;
        assert_int_equal(code, refused ? NC_OUT_OF_MEMORY : NC_OK);
        fail_allocator_check_clean(&memory);
    }
    assert_false(refused);
}

// ---- which surfaces collide ---------------------------------------------------------------------------------

// Do two boxes, `gap` apart or overlapping, still have to stay apart once a joint with this choice connects them?
static bool still_collide(double gap, nc_joint_collide collide, bool destroy)
{
    nc_world *world = new_world(0, 0, 0, 1);
    const nc_body_id a = add_box(world, nc_v3(0.2, 0.2, 0.2), nc_v3(0.2 + gap, 0, 0), 1);
    const nc_body_id b = add_box(world, nc_v3(0.2, 0.2, 0.2), nc_v3(0, 0, 0), 1);
    const nc_body_id other = add_box(world, nc_v3(0.2, 0.2, 0.2), nc_v3(0, 1, 0), 1);
    nc_joint_def def = hold(NC_JOINT_HINGE, a, nc_v3(0.1, 0, 0), nc_v3(0, 0, 1));
    def.body_b = b;
    def.collide = collide;
    const nc_joint_id id = join(world, &def);
    const nc_joint_def to_world = hold(NC_JOINT_BALL, other, nc_v3(0, 1, 0), nc_v3(1, 0, 0));
    join(world, &to_world);
    nc_error err;
    if (destroy)
        check_ok(nc_joint_destroy(world, id, &err), err);
    // No joint concerns any other pair.
    assert_true(nc_world_pair_matters(world, a, other));
    assert_true(nc_world_pair_matters(world, b, other));
    const bool matters = nc_world_pair_matters(world, a, b);
    nc_world_destroy(world);
    return matters;
}

// A pair that is exempt is never looked at again, not by certify and not by the audit: no other test would see it.
static void only_bodies_that_start_intersecting_are_exempt_by_default(void **state)
{
    (void)state;
    assert_true(still_collide(1e-3, NC_JOINT_COLLIDE_AUTO, false));
    assert_true(still_collide(1e-9, NC_JOINT_COLLIDE_AUTO, false));
    assert_true(still_collide(1e-3, NC_JOINT_COLLIDE_YES, false));
    assert_true(still_collide(-0.05, NC_JOINT_COLLIDE_YES, false)); // the check at the start refuses it
    assert_false(still_collide(-0.05, NC_JOINT_COLLIDE_AUTO, false));
    assert_false(still_collide(1e-3, NC_JOINT_COLLIDE_NO, false));
    assert_false(still_collide(-0.05, NC_JOINT_COLLIDE_AUTO, true)); // they still intersect
}

// A heavy drive presses two jointed bodies against each other: the contact holds, and the drive gets no farther.
static void jointed_bodies_that_start_apart_never_cross(void **state)
{
    (void)state;
    nc_world *world = new_world(0, 0, 0, 1);
    const nc_body_id a = add_box(world, nc_v3(0.2, 0.2, 0.2), nc_v3(0.3, 0, 0), 1);
    const nc_body_id b = add_box(world, nc_v3(0.2, 0.2, 0.2), nc_v3(0, 0, 0), 1);
    nc_joint_def def = hold(NC_JOINT_SLIDER, a, nc_v3(0.3, 0, 0), nc_v3(1, 0, 0));
    def.body_b = b;
    def.axes[0].drive = (nc_joint_drive){.mode = NC_DRIVE_POSITION, .target = -0.3, .max_force = 1e4};
    const nc_joint_id id = join(world, &def);
    nc_error err;
    nc_crossing crossing;
    for (int k = 0; k < 120; k++) {
        step(world, 1.0 / 60);
        int count = 0;
        check_ok(nc_world_audit_step(world, &crossing, 1, &count, &err), err);
        assert_int_equal(count, 0);
    }
    const double position = read_joint(world, id).position[0];
    assert_true(position > -0.1 && position < -0.09);
    nc_world_destroy(world);
}

// A box on a vertical slider lies on the ground: its island is carried, and contacts bear the weight in two halves.
static void recorded_contacts_bear_the_weight_of_a_jointed_body(void **state)
{
    (void)state;
    const double g = 9.8, mass = 3, dt = 1.0 / 120;
    nc_world *world = new_world(g, 0.3, 0, 1);
    add_ground(world, nc_quat_identity());
    const nc_body_id box = add_box(world, nc_v3(0.2, 0.2, 0.2), nc_v3(0, 0.101, 0), mass);
    const nc_joint_def def = hold(NC_JOINT_SLIDER, box, nc_v3(0, 0, 0), nc_v3(0, 1, 0));
    join(world, &def);
    nc_world_trace_contacts(world, true);
    for (int i = 0; i < 30; i++)
        step(world, dt);
    nc_contact_point points[64];
    const int count = nc_world_contacts(world, points, 64);
    double force = 0;
    assert_in_range(count, 1, 64);
    for (int k = 0; k < count; k++)
        force += fabs(points[k].impulse.y) / dt;
    check_near(force / (mass * g), 1, 1e-6);
    nc_world_destroy(world);
}

// Two boxes that overlap, on a slider along x.
static nc_joint_id slide_overlapping(nc_world *world, nc_body_id boxes[2])
{
    boxes[0] = add_box(world, nc_v3(0.2, 0.2, 0.2), nc_v3(0, 0, 0), 1);
    boxes[1] = add_box(world, nc_v3(0.2, 0.2, 0.2), nc_v3(0.1, 0.02, 0.01), 1);
    nc_joint_def def = hold(NC_JOINT_SLIDER, boxes[1], nc_v3(0.1, 0, 0), nc_v3(1, 0, 0));
    def.body_b = boxes[0];
    return join(world, &def);
}

// An exemption may end only when the two surfaces are proven to be apart.
static void a_destroyed_joint_exempts_its_bodies_only_while_they_intersect(void **state)
{
    (void)state;
    nc_error err;
    for (int apart = 0; apart < 2; apart++) {
        nc_world *world = new_world(0, 0, 0, 1);
        nc_body_id boxes[2];
        const nc_joint_id slider = slide_overlapping(world, boxes);
        check_ok(nc_body_set_velocity(world, boxes[1], nc_v3(1, 0, 0), nc_v3(0, 0, 0), &err), err);
        check_ok(nc_body_set_velocity(world, boxes[0], nc_v3(-1, 0, 0), nc_v3(0, 0, 0), &err), err);
        for (int i = 0; i < (apart ? 24 : 6); i++)
            step(world, 1.0 / 120);
        assert_false(nc_world_pair_matters(world, boxes[0], boxes[1]));
        check_ok(nc_joint_destroy(world, slider, &err), err);
        assert_int_equal(nc_world_pair_matters(world, boxes[0], boxes[1]), apart);
        check_ok(nc_body_set_velocity(world, boxes[1], nc_v3(-1, 0, 0), nc_v3(0, 0, 0), &err), err);
        check_ok(nc_body_set_velocity(world, boxes[0], nc_v3(1, 0, 0), nc_v3(0, 0, 0), &err), err);
        for (int i = 0; i < 60; i++)
            step(world, 1.0 / 120);
        const double between = read_body(world, boxes[1]).pose.x.x - read_body(world, boxes[0]).pose.x.x;
        if (apart)
            check_at_most(0.2, between); // they collided
        else
            check_at_most(between, -0.2); // they passed through each other
        nc_world_destroy(world);
    }
}

static void an_exemption_stays_while_another_joint_connects_the_pair(void **state)
{
    (void)state;
    nc_error err;
    nc_world *world = new_world(0, 0, 0, 1);
    nc_body_id boxes[2];
    const nc_joint_id slider = slide_overlapping(world, boxes);
    nc_joint_def def = hold(NC_JOINT_DISTANCE, boxes[1], nc_v3(0.1, 0, 0), nc_v3(1, 0, 0));
    def.body_b = boxes[0];
    def.length_min = 0;
    def.length_max = 5;
    join(world, &def);
    check_ok(nc_body_set_velocity(world, boxes[1], nc_v3(3, 0, 0), nc_v3(0, 0, 0), &err), err);
    for (int i = 0; i < 24; i++)
        step(world, 1.0 / 120);
    check_ok(nc_joint_destroy(world, slider, &err), err);
    assert_false(nc_world_pair_matters(world, boxes[0], boxes[1]));
    nc_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(out_of_memory_is_an_error_and_leaks_nothing),
        cmocka_unit_test(a_slider_on_an_incline_falls_by_half_g_sine_t_squared),
        cmocka_unit_test(a_chain_of_100_links_holds_1000_times_a_link),
        cmocka_unit_test(a_free_pair_keeps_momentum_and_energy),
        cmocka_unit_test(a_restored_mechanism_moves_to_the_same_bits),
        cmocka_unit_test(a_rod_on_a_hinge_swings_with_its_period_to_second_order),
        cmocka_unit_test(only_bodies_that_start_intersecting_are_exempt_by_default),
        cmocka_unit_test(recorded_contacts_bear_the_weight_of_a_jointed_body),
        cmocka_unit_test(a_destroyed_joint_exempts_its_bodies_only_while_they_intersect),
        cmocka_unit_test(an_exemption_stays_while_another_joint_connects_the_pair),
        cmocka_unit_test(jointed_bodies_that_start_apart_never_cross),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
