// Joints in the pipelines of stack layers, beside and among bodies without joints. (Their closed forms are those of
// test_joint, test_joint_drive, test_joint_impact and test_joint_limits, which are built for these pipelines, too.)
#define WORLD_PIPELINE NC_PIPELINE_VSP
#include "random_mechanism.h"

#include "fail_allocator.h"

#define DT 0.01

static nc_world *world_with(nc_pipeline pipeline, double friction, double restitution)
{
    nc_world *world = new_world(9.8, friction, restitution, 1);
    nc_world_def settings = nc_world_settings(world);
    nc_error err;
    settings.pipeline = pipeline;
    check_ok(nc_world_set_settings(world, &settings, &err), err);
    return world;
}

static void check_apart(nc_world *world)
{
    nc_error err;
    nc_crossing crossing;
    int count = 0;
    check_ok(nc_world_audit_step(world, &crossing, 1, &count, &err), err);
    assert_int_equal(count, 0);
}

// Two rods that hang from each other, let go sideways, at x [m].
static nc_joint_id add_double_pendulum(nc_world *world, double x, nc_body_id rods[2])
{
    nc_joint_id hinges[2];
    for (int k = 0; k < 2; k++) {
        rods[k] = add_box(world, nc_v3(0.5, 0.05, 0.05), nc_v3(x + 0.25 + 0.55 * k, 3, 0), 1);
        nc_joint_def def = hold(NC_JOINT_HINGE, rods[k], nc_v3(x - 0.025 + 0.55 * k, 3, 0), nc_v3(0, 0, 1));
        if (k == 1)
            def.body_b = rods[0];
        hinges[k] = join(world, &def);
    }
    return hinges[0];
}

#define STACK 10

static void add_stack(nc_world *world, nc_body_id boxes[STACK])
{
    for (int k = 0; k < STACK; k++)
        boxes[k] = add_box(world, nc_v3(0.4, 0.4, 0.4), nc_v3(0, 0.203 + 0.403 * k, 0), 5);
}

// ---- beside each other ------------------------------------------------------------------------------------------

static void a_mechanism_alone_moves_to_the_same_bits_as_in_the_shell(void **state)
{
    (void)state;
    static const nc_pipeline pipelines[] = {NC_PIPELINE_SHELL, NC_PIPELINE_VSP, NC_PIPELINE_ISP};
    nc_body_state wanted = {0};
    for (int k = 0; k < 3; k++) {
        nc_body_id rods[2];
        nc_world *world = world_with(pipelines[k], 0.5, 0.5);
        add_double_pendulum(world, 0, rods);
        nc_body_def wall = nc_body_def_default(); // it is in their way
        wall.type = NC_STATIC;
        wall.position = nc_v3(-0.8, 2.4, 0);
        const nc_shape_parameter sides[] = {{"width", 1}, {"height", 1}, {"depth", 1}};
        add(world, "box", sides, 3, wall);
        int collisions = 0;
        for (int i = 0; i < 200; i++)
            collisions += step(world, DT).collisions;
        assert_true(collisions > 0);
        const nc_body_state found = read_body(world, rods[1]);
        if (k == 0)
            wanted = found;
        assert_memory_equal(&found.pose, &wanted.pose, sizeof wanted.pose);
        assert_memory_equal(&found.velocity, &wanted.velocity, sizeof wanted.velocity);
        nc_world_destroy(world);
    }
}

static void layers_carry_a_stack_beside_a_mechanism_as_if_it_were_not_there(void **state)
{
    (void)state;
    nc_world *world[2];
    nc_body_id boxes[2][STACK], rods[2];
    nc_step_report report[2];
    for (int k = 0; k < 2; k++) {
        world[k] = world_with(NC_PIPELINE_VSP, 0.5, 0);
        add_ground(world[k], nc_quat_identity());
        add_stack(world[k], boxes[k]);
        if (k == 1)
            add_double_pendulum(world[k], 5, rods);
        for (int i = 0; i < 40; i++) // they are not asleep yet
            report[k] = step(world[k], DT);
    }
    for (int b = 0; b < STACK; b++) {
        const nc_body_state alone = read_body(world[0], boxes[0][b]), beside = read_body(world[1], boxes[1][b]);
        assert_memory_equal(&alone.pose, &beside.pose, sizeof alone.pose);
        assert_memory_equal(&alone.velocity, &beside.velocity, sizeof alone.velocity);
    }
    assert_int_equal(report[1].shocks, STACK);
    assert_int_equal(report[1].contacts, report[0].contacts);
    assert_int_equal(report[1].joints, 2);
    check_near(report[1].support.y, report[0].support.y, 1e-12);
    check_at_most(report[1].joint_error, 1e-9);
    nc_world_destroy(world[0]);
    nc_world_destroy(world[1]);
}

// ---- on each other ------------------------------------------------------------------------------------------------

// A table on a spring, with boxes on it: it comes to rest where the spring bears all weights.
static void a_spring_under_a_table_bears_the_stack_on_it(void **state)
{
    (void)state;
    const double stiffness = 4000, table = 10, box = 2;
    const int boxes = 4;
    for (int k = 0; k < 2; k++) {
        nc_world *world = world_with(k == 0 ? NC_PIPELINE_VSP : NC_PIPELINE_ISP, 0.5, 0);
        const nc_body_id plate = add_box(world, nc_v3(1, 0.1, 1), nc_v3(0, 1, 0), table);
        nc_joint_def def = hold(NC_JOINT_SLIDER, plate, nc_v3(0, 1, 0), nc_v3(0, 1, 0));
        def.axes[0].stiffness = stiffness;
        def.axes[0].damping = 300;
        const nc_joint_id id = join(world, &def);
        for (int b = 0; b < boxes; b++)
            add_box(world, nc_v3(0.2, 0.2, 0.2), nc_v3(0, 1.152 + 0.202 * b, 0), box);
        for (int i = 0; i < 500; i++) {
            step(world, DT);
            check_apart(world);
        }
        check_near(read_joint(world, id).position[0], -9.8 * (table + boxes * box) / stiffness, 1e-6);
        nc_world_destroy(world);
    }
}

// A box that lies on the ground in a slider, x [m] from the origin.
static nc_body_id add_guided(nc_world *world, double x)
{
    const nc_body_id box = add_box(world, nc_v3(0.2, 0.2, 0.2), nc_v3(x, 0.101, 0), 3);
    const nc_joint_def slider = hold(NC_JOINT_SLIDER, box, nc_v3(x, 0.101, 0), nc_v3(0, 1, 0));
    join(world, &slider);
    return box;
}

// A heavy rod swings into a stack: bricks fly, nothing crosses, energy is not made. Another mechanism has contacts,
// too.
static nc_world *wreck(int workers, nc_body_id boxes[STACK])
{
    nc_world *world = new_world(9.8, 0.5, 0.2, workers);
    add_ground(world, nc_quat_identity());
    add_guided(world, 3); // before the stack: its contacts are the first
    add_stack(world, boxes);
    const nc_shape_parameter sides[] = {{"width", 0.1}, {"height", 3}, {"depth", 0.1}};
    nc_body_def def = nc_body_def_default();
    def.type = NC_DYNAMIC;
    def.mass.mass = 60;
    def.orientation = nc_quat_from_rotation_vector(nc_v3(0, 0, -1));
    def.position = nc_v3(-0.5 - 1.5 * sin(1), 4 - 1.5 * cos(1), 0);
    const nc_body_id rod = add(world, "box", sides, 3, def);
    const nc_joint_def turns = hold(NC_JOINT_HINGE, rod, nc_v3(-0.5, 4, 0), nc_v3(0, 0, 1));
    join(world, &turns);
    return world;
}

static void a_wrecking_rod_crosses_nothing_and_makes_no_energy(void **state)
{
    (void)state;
    nc_body_id boxes[STACK];
    nc_world *world = wreck(1, boxes);
    double energy = INFINITY, most = 0;
    for (int k = 0; k < 150; k++) {
        const nc_step_report report = step(world, DT);
        const double now = report.kinetic + report.potential;
        check_apart(world);
        check_at_most(report.joint_error, 1e-3);
        most = k > 0 ? fmax(most, now - energy) : 0;
        energy = k > 0 ? fmin(energy, now) : now;
    }
    print_message("wrecking rod: energy rises by at most %.3g J\n", most);
    assert_true(read_body(world, boxes[2]).pose.x.x > 1);
    check_at_most(most, 0.01 * 60 * 9.8 * 1.5 * (1 - cos(1)));
    nc_world_destroy(world);
}

static void hashes_are_equal_for_1_and_8_workers_and_after_a_restore(void **state)
{
    (void)state;
    nc_body_id boxes[STACK];
    nc_world *world[2] = {wreck(1, boxes), wreck(8, boxes)};
    nc_error err;
    for (int k = 0; k < 120; k++) {
        step(world[0], DT);
        step(world[1], DT);
        assert_true(nc_world_hash(world[0]) == nc_world_hash(world[1]));
        if (k != 20 && k != 75) // layers carry the stack; the rod has hit it
            continue;
        nc_buffer saved = nc_buffer_create(NULL);
        check_ok(nc_world_save(world[0], &saved, &err), err);
        check_ok(nc_world_restore(world[1], saved.data, saved.size, &err), err);
        nc_buffer_free(&saved);
    }
    nc_world_destroy(world[0]);
    nc_world_destroy(world[1]);
}

// ---- random -----------------------------------------------------------------------------------------------------

#define RANDOM_STEPS 40

static void random_mechanisms_among_stacks_cross_nothing(void **state)
{
    (void)state;
    const uint64_t seed = check_seed("mechanisms among stacks", 1);
    const int cases = check_effort(10);
    for (int k = 0; k < cases; k++) {
        drives all;
        nc_world *world[2];
        for (int w = 0; w < 2; w++) {
            world[w] = random_mechanism(seed + (uint64_t)k, w == 0 ? 1 : 8, &all);
            for (int b = 0; b < 18; b++)
                add_box(world[w], nc_v3(0.4, 0.1, 0.4), nc_v3(-0.6 - 0.45 * (b % 3), 0.055 + 0.105 * (b / 3), 0.1), 1);
        }
        for (int i = 0; i < RANDOM_STEPS; i++) {
            step(world[0], DT);
            step(world[1], DT);
            check_apart(world[0]);
            if (nc_world_hash(world[0]) != nc_world_hash(world[1]))
                fail_msg("seed %llu, step %d: other bits with 8 workers", (unsigned long long)seed + (unsigned)k, i);
        }
        nc_world_destroy(world[0]);
        nc_world_destroy(world[1]);
    }
}

// ---- sleep ------------------------------------------------------------------------------------------------------

// A plumb that hangs still and a stack beside it sleep, and so does a box that lies on the ground in a slider.
static void what_hangs_and_what_stands_falls_asleep(void **state)
{
    (void)state;
    nc_world *world = world_with(NC_PIPELINE_VSP, 0.5, 0);
    nc_body_id boxes[STACK];
    add_ground(world, nc_quat_identity());
    add_stack(world, boxes);
    const nc_body_id plumb = add_box(world, nc_v3(0.1, 1, 0.1), nc_v3(3, 2, 0), 4);
    const nc_joint_def hinge = hold(NC_JOINT_HINGE, plumb, nc_v3(3, 2.6, 0), nc_v3(0, 0, 1));
    join(world, &hinge);
    add_guided(world, -3);
    nc_step_report report = {0};
    for (int i = 0; i < 400 && report.sleeping < STACK + 2; i++)
        report = step(world, DT);
    assert_int_equal(report.sleeping, STACK + 2);
    nc_error err;
    check_ok(nc_body_set_velocity(world, plumb, nc_v3(0.1, 0, 0), nc_v3(0, 0, 0), &err), err);
    report = step(world, DT);
    assert_int_equal(report.sleeping, STACK + 1); // it wakes alone
    nc_world_destroy(world);
}

// ---- fracture ---------------------------------------------------------------------------------------------------

// [kg] a bullet hits a tile of the same mass, which is alone, or welded to a wall: then the tile cannot give way.
static int fractures_of_hit(bool welded, double threshold)
{
    const double speed = 5;
    nc_world *world = new_world(0, 0, 0, 1);
    const nc_body_id tile = add_box(world, nc_v3(0.1, 1, 1), nc_v3(0, 0, 0), 1);
    const nc_body_id bullet = add_box(world, nc_v3(0.2, 0.2, 0.2), nc_v3(-0.3, 0, 0), 1);
    nc_fracture_def fracture = nc_fracture_def_default();
    nc_error err;
    fracture.threshold = threshold;
    check_ok(nc_body_set_fracture(world, tile, &fracture, &err), err);
    check_ok(nc_body_set_velocity(world, bullet, nc_v3(speed, 0, 0), nc_v3(0, 0, 0), &err), err);
    nc_joint_def weld = hold(NC_JOINT_FIXED, tile, nc_v3(0, 0, 0), nc_v3(1, 0, 0));
    if (welded)
        join(world, &weld);
    int fractures = 0;
    for (int k = 0; k < 20; k++)
        fractures += step(world, DT).fractures;
    nc_world_destroy(world);
    return fractures;
}

// Two equal masses share the momentum 5 N s; a wall takes all of it.
static void a_welded_body_breaks_by_the_impulse_that_its_weld_makes_it_bear(void **state)
{
    (void)state;
    assert_int_equal(fractures_of_hit(false, 2.4), 1);
    assert_int_equal(fractures_of_hit(false, 2.6), 0);
    assert_int_equal(fractures_of_hit(true, 4.9), 1);
    assert_int_equal(fractures_of_hit(true, 5.1), 0);
}

// ---- memory -----------------------------------------------------------------------------------------------------

// A box on a slider, one that stands on it, and one that stands alone.
static nc_code step_with(const nc_allocator *allocator)
{
    nc_world_def def = nc_world_def_default();
    def.allocator = *allocator;
    def.workers = 1;
    def.pipeline = NC_PIPELINE_VSP;
    nc_world *world = NULL;
    nc_code code = nc_world_create(&def, &world, NULL);
    nc_mesh *mesh = NULL;
    nc_body_id bodies[4];
    assert_int_equal(nc_shape_create("box", NULL, 0, NULL, &mesh, NULL), NC_OK);
    for (int k = 0; k < 4 && code == NC_OK; k++) {
        nc_body_def body = nc_body_def_default();
        body.type = k == 0 ? NC_STATIC : NC_DYNAMIC;
        body.mesh = mesh;
        body.position = k < 2 ? nc_v3(0, 1.005 * k, 0) : nc_v3(3, 1.005 * (k - 2), 0);
        code = nc_body_create(world, &body, &bodies[k], NULL);
    }
    nc_mesh_release(mesh);
    const nc_joint_def slider = hold(NC_JOINT_SLIDER, bodies[2], nc_v3(3, 0, 0), nc_v3(1, 0, 0));
    if (code == NC_OK)
        code = nc_joint_create(world, &slider, NULL, NULL);
    for (int k = 0; k < 2 && code == NC_OK; k++)
        code = nc_world_step(world, DT, NULL, NULL);
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
        const nc_code code = step_with(&allocator);
        refused = memory.failures > 0;
        assert_int_equal(code, refused ? NC_OUT_OF_MEMORY : NC_OK);
        fail_allocator_check_clean(&memory);
    }
    assert_false(refused);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mechanism_alone_moves_to_the_same_bits_as_in_the_shell),
        cmocka_unit_test(layers_carry_a_stack_beside_a_mechanism_as_if_it_were_not_there),
        cmocka_unit_test(a_spring_under_a_table_bears_the_stack_on_it),
        cmocka_unit_test(a_wrecking_rod_crosses_nothing_and_makes_no_energy),
        cmocka_unit_test(hashes_are_equal_for_1_and_8_workers_and_after_a_restore),
        cmocka_unit_test(random_mechanisms_among_stacks_cross_nothing),
        cmocka_unit_test(what_hangs_and_what_stands_falls_asleep),
        cmocka_unit_test(a_welded_body_breaks_by_the_impulse_that_its_weld_makes_it_bear),
        cmocka_unit_test(out_of_memory_is_an_error_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
