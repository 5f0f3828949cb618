// Sleep: what has come to rest stays where it is until something concerns it, what creeps is never frozen, and nothing
// crosses anything whatever sleeps.
#include "world_bodies.h"

#include "base/base.h"
#include "world/world.h"

#define DT       (1.0 / 60.0)
#define MAX_PILE 64

static nc_world *sleeping_world(nc_pipeline pipeline, int workers)
{
    nc_world_def def = nc_world_def_default();
    def.gravity = nc_v3(0, -9.8, 0);
    def.friction = 0.5;
    def.restitution = 0;
    def.rest_distance = 0.001;
    def.proximity = 0.004;
    def.floor_distance = 0.00003;
    def.pipeline = pipeline;
    def.workers = workers;
    nc_world *world = NULL;
    nc_error err;
    check_ok(nc_world_create(&def, &world, &err), err);
    return world;
}

static nc_step_report step_once(nc_world *world)
{
    nc_step_report report;
    nc_error err;
    check_ok(nc_world_step(world, DT, &report, &err), err);
    return report;
}

static nc_step_report steps(nc_world *world, double seconds)
{
    nc_step_report report = {0};
    for (int k = 0; k < (int)(seconds / DT + 0.5); k++)
        report = step_once(world);
    return report;
}

static nc_body_id add_box(nc_world *world, nc_body_type type, nc_vec3 size, nc_vec3 at)
{
    const nc_shape_parameter sizes[] = {{"width", size.x}, {"height", size.y}, {"depth", size.z}};
    nc_body_def def = nc_body_def_default();
    def.type = type;
    def.position = at;
    return add(world, "box", sizes, 3, def);
}

static nc_quat no_turn(void)
{
    return (nc_quat){1, 0, 0, 0};
}

// Boxes of 0.5 m on each other, on whatever is at y [m].
static void add_stack(nc_world *world, int count, double x, double y, nc_body_id *out)
{
    for (int k = 0; k < count; k++)
        out[k] = add_box(world, NC_DYNAMIC, nc_v3(0.5, 0.5, 0.5), nc_v3(x, y + 0.251 + 0.501 * k, 0));
}

static bool all_sleep(const nc_world *world, const nc_body_id *bodies, int count, bool wanted)
{
    for (int k = 0; k < count; k++)
        if (nc_body_sleeps(world, bodies[k]) != wanted)
            return false;
    return true;
}

static const nc_pipeline pipelines[] = {NC_PIPELINE_SHELL, NC_PIPELINE_VSP};

// ---- rest ---------------------------------------------------------------------------------------------------

static void a_stack_at_rest_sleeps_and_costs_no_contact(void **state)
{
    (void)state;
    for (int p = 0; p < 2; p++) {
        nc_world *world = sleeping_world(pipelines[p], 1);
        nc_body_id boxes[5];
        add_ground(world, no_turn());
        add_stack(world, 5, 0, 0, boxes);
        steps(world, 4);
        assert_true(all_sleep(world, boxes, 5, true));
        const nc_pose top = read_body(world, boxes[4]).pose;
        const nc_step_report report = steps(world, 2);
        const nc_pose later = read_body(world, boxes[4]).pose;
        assert_memory_equal(&top, &later, sizeof top);
        assert_int_equal(report.sleeping, 5);
        assert_int_equal(report.contacts, 0);
        assert_int_equal(report.sweeps, 0);
        assert_true(report.kinetic == 0);
        check_near(report.support.y, 5 * 125.0 * 9.8 * DT, 1e-9 * 5 * 125.0);
        check_at_most(report.smallest_distance, 0.0011);
        assert_true(report.smallest_distance > 0.0005);
        nc_world_destroy(world);
    }
}

static void nobody_sleeps_where_it_is_switched_off(void **state)
{
    (void)state;
    nc_world *world = sleeping_world(NC_PIPELINE_SHELL, 1);
    nc_world_def def = nc_world_settings(world);
    nc_body_id boxes[2];
    nc_error err;
    add_ground(world, no_turn());
    add_stack(world, 2, 0, 0, boxes);
    steps(world, 3);
    assert_true(all_sleep(world, boxes, 2, true));
    def.sleep = false;
    check_ok(nc_world_set_settings(world, &def, &err), err);
    assert_true(all_sleep(world, boxes, 2, false));
    assert_int_equal(steps(world, 3).sleeping, 0);
    nc_world_destroy(world);
}

// ---- waking -------------------------------------------------------------------------------------------------

typedef void (*disturbance)(nc_world *world, nc_body_id ground, const nc_body_id *boxes);

static void push_top(nc_world *world, nc_body_id ground, const nc_body_id *boxes)
{
    nc_error err;
    (void)ground;
    check_ok(nc_body_set_force(world, boxes[2], nc_v3(5000, 0, 0), nc_v3(0, 0, 0), &err), err);
}

static void kick_top(nc_world *world, nc_body_id ground, const nc_body_id *boxes)
{
    nc_error err;
    (void)ground;
    check_ok(nc_body_set_velocity(world, boxes[2], nc_v3(2, 0, 0), nc_v3(0, 0, 0), &err), err);
}

static void strike_top(nc_world *world, nc_body_id ground, const nc_body_id *boxes)
{
    nc_error err;
    (void)ground;
    check_ok(nc_body_apply_impulse(world, boxes[2], nc_v3(200, 0, 0), read_body(world, boxes[2]).pose.x, &err), err);
}

static void tilt_gravity(nc_world *world, nc_body_id ground, const nc_body_id *boxes)
{
    nc_error err;
    (void)ground, (void)boxes;
    check_ok(nc_world_set_gravity(world, nc_v3(8, -4, 0), &err), err);
}

static void remove_lowest(nc_world *world, nc_body_id ground, const nc_body_id *boxes)
{
    nc_error err;
    (void)ground;
    check_ok(nc_body_destroy(world, boxes[0], &err), err);
}

static void remove_ground(nc_world *world, nc_body_id ground, const nc_body_id *boxes)
{
    nc_error err;
    (void)boxes;
    check_ok(nc_body_destroy(world, ground, &err), err);
}

static void lower_ground(nc_world *world, nc_body_id ground, const nc_body_id *boxes)
{
    nc_error err;
    nc_pose pose = read_body(world, ground).pose;
    (void)boxes;
    pose.x.y -= 1;
    check_ok(nc_body_move(world, ground, pose, &err), err);
}

static void move_lowest(nc_world *world, nc_body_id ground, const nc_body_id *boxes)
{
    nc_error err;
    nc_pose pose = read_body(world, boxes[0]).pose;
    (void)ground;
    pose.x.x += 3;
    check_ok(nc_body_move(world, boxes[0], pose, &err), err);
}

static void exempt_two(nc_world *world, nc_body_id ground, const nc_body_id *boxes)
{
    nc_error err;
    (void)ground;
    check_ok(nc_world_exempt_pair(world, boxes[1], boxes[2], &err), err);
}

// The top box of a sleeping stack moves, after each of these, as it would had nothing ever slept.
static void what_is_changed_wakes_what_it_concerns(void **state)
{
    (void)state;
    static const disturbance changes[] = {push_top,      kick_top,     strike_top,  tilt_gravity, remove_lowest,
                                          remove_ground, lower_ground, move_lowest, exempt_two};
    for (int p = 0; p < 2; p++)
        for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
            nc_world *world = sleeping_world(pipelines[p], 1);
            nc_body_id boxes[3];
            const nc_body_id ground = add_ground(world, no_turn());
            add_stack(world, 3, 0, 0, boxes);
            steps(world, 3);
            assert_true(all_sleep(world, boxes, 3, true));
            const nc_vec3 before = read_body(world, boxes[2]).pose.x;
            changes[k](world, ground, boxes);
            steps(world, 0.5);
            const double moved = nc_norm(nc_sub(read_body(world, boxes[2]).pose.x, before));
            if (!(moved > 0.05))
                fail_msg("pipeline %d, change %zu: the top box moved by %g m", p, k, moved);
            nc_world_destroy(world);
        }
}

// A force that is set to what it is, and threads, are no change.
static void what_changes_nothing_wakes_nobody(void **state)
{
    (void)state;
    nc_world *world = sleeping_world(NC_PIPELINE_SHELL, 1);
    const nc_vec3 zero = {0, 0, 0};
    nc_body_id boxes[3];
    nc_error err;
    add_ground(world, no_turn());
    add_stack(world, 3, 0, 0, boxes);
    steps(world, 3);
    nc_world_def def = nc_world_settings(world);
    def.workers = 2;
    check_ok(nc_world_set_settings(world, &def, &err), err);
    check_ok(nc_body_set_force(world, boxes[1], zero, zero, &err), err);
    check_ok(nc_body_set_velocity(world, boxes[1], zero, zero, &err), err);
    add_box(world, NC_DYNAMIC, nc_v3(0.5, 0.5, 0.5), nc_v3(20, 0.251, 0));
    steps(world, 0.1);
    assert_true(all_sleep(world, boxes, 3, true));
    nc_world_destroy(world);
}

// A platform that has stood for two seconds goes down, or up, or aside: what sleeps on it goes with it.
static void a_script_that_begins_to_move_wakes_what_is_on_it(void **state)
{
    (void)state;
    static const nc_vec3 to[] = {{0, -0.5, 0}, {0, 0.5, 0}, {0.5, 0, 0}};
    for (int p = 0; p < 2; p++)
        for (int k = 0; k < 3; k++) {
            nc_world *world = sleeping_world(pipelines[p], 1);
            const nc_keyframe keys[] = {
                {0, {0, 0, 0}, {1, 0, 0, 0}}, {4, {0, 0, 0}, {1, 0, 0, 0}}, {5, to[k], {1, 0, 0, 0}}};
            const nc_shape_parameter sizes[] = {{"width", 3}, {"height", 0.2}, {"depth", 3}};
            nc_body_def def = nc_body_def_default();
            nc_body_id boxes[2];
            def.type = NC_KINEMATIC;
            def.keyframes = keys;
            def.keyframe_count = 3;
            add(world, "box", sizes, 3, def);
            add_stack(world, 2, 0, 0.1, boxes);
            steps(world, 3.5);
            assert_true(all_sleep(world, boxes, 2, true));
            const nc_vec3 before = read_body(world, boxes[1]).pose.x;
            steps(world, 2);
            const nc_vec3 moved = nc_sub(read_body(world, boxes[1]).pose.x, before);
            check_at_most(nc_norm(nc_sub(moved, to[k])), 0.03); // it slips until it is as fast
            nc_world_destroy(world);
        }
}

// A belt moves under a box that leans against a wall: the box stays, and rubs, and must not sleep.
static void what_a_script_rubs_does_not_sleep(void **state)
{
    (void)state;
    for (int p = 0; p < 2; p++) {
        nc_world *world = sleeping_world(pipelines[p], 1);
        const nc_shape_parameter sizes[] = {{"width", 20}, {"height", 0.2}, {"depth", 3}};
        nc_body_def def = nc_body_def_default();
        def.type = NC_KINEMATIC;
        def.velocity = nc_v3(-0.3, 0, 0);
        add(world, "box", sizes, 3, def);
        add_box(world, NC_STATIC, nc_v3(0.5, 1, 2), nc_v3(-0.501, 0.65, 0));
        const nc_body_id box = add_box(world, NC_DYNAMIC, nc_v3(0.5, 0.5, 0.5), nc_v3(0, 0.351, 0));
        for (int k = 0; k < 240; k++) {
            assert_int_equal(step_once(world).sleeping, 0);
            check_at_most(fabs(read_body(world, box).pose.x.x), 0.005);
        }
        nc_world_destroy(world);
    }
}

// The step in which a ball hits a sleeping row of boxes is the step of boxes that never slept, to the momentum.
static void a_collision_finds_the_mass_of_what_sleeps(void **state)
{
    (void)state;
    for (int p = 0; p < 2; p++) {
        nc_world *world = sleeping_world(pipelines[p], 1);
        const nc_shape_parameter size[] = {{"radius", 0.2}};
        nc_body_def def = nc_body_def_default();
        nc_body_id box[1];
        nc_error err;
        add_ground(world, no_turn());
        add_stack(world, 1, 0, 0, box);
        steps(world, 3);
        assert_true(all_sleep(world, box, 1, true));
        def.position = nc_v3(-3, 0.25, 0);
        const nc_body_id ball = add(world, "sphere", size, 1, def);
        check_ok(nc_body_set_velocity(world, ball, nc_v3(15, 0.8, 0), nc_v3(0, 0, 0), &err), err);
        int wakings = 0;
        double lost = 0, gained = 0;
        for (int k = 0; k < 30 && !(fabs(gained) > 1e-3); k++) { // more than resting contact errs by
            const double before = read_body(world, ball).velocity.x;
            wakings += step_once(world).wakings;
            gained = read_body(world, box[0]).velocity.x * read_body(world, box[0]).mass;
            lost = (before - read_body(world, ball).velocity.x) * read_body(world, ball).mass;
        }
        assert_int_equal(wakings, 1);
        assert_true(gained > 0);
        check_at_most(fabs(lost - gained), 2 * 0.5 * 125 * 9.8 * DT); // friction of one step, and of the impact
        nc_world_destroy(world);
    }
}

// Without a round of responses, certify holds what collides: what it is held by wakes in that very step.
static void what_something_is_held_by_wakes(void **state)
{
    (void)state;
    for (int p = 0; p < 2; p++) {
        nc_world *world = sleeping_world(pipelines[p], 1);
        nc_world_def def = nc_world_settings(world);
        nc_body_id box[1];
        nc_error err;
        def.collision_iterations = def.dynamic_iterations = 0;
        check_ok(nc_world_set_settings(world, &def, &err), err);
        add_ground(world, no_turn());
        add_stack(world, 1, 0, 0, box);
        steps(world, 3);
        assert_true(all_sleep(world, box, 1, true));
        const nc_body_id ball = add_box(world, NC_DYNAMIC, nc_v3(0.2, 0.2, 0.2), nc_v3(-3, 0.3, 0));
        check_ok(nc_body_set_velocity(world, ball, nc_v3(40, 0, 0), nc_v3(0, 0, 0), &err), err);
        nc_step_report report = {0};
        for (int k = 0; k < 20 && report.sticks == 0; k++) {
            assert_true(all_sleep(world, box, 1, true));
            report = step_once(world);
        }
        assert_true(report.sticks > 0);
        assert_int_equal(report.wakings, 1);
        nc_world_destroy(world);
    }
}

// ---- what must not be frozen --------------------------------------------------------------------------------

// Where a body of a scene is after some seconds, with sleep and without; and how far apart the two are [m].
typedef nc_body_id (*scene)(nc_world *world);
static double error_of_sleep(nc_pipeline pipeline, scene build, double seconds, nc_vec3 *out)
{
    nc_vec3 end[2];
    for (int sleep = 0; sleep < 2; sleep++) {
        nc_world *world = sleeping_world(pipeline, 1);
        nc_world_def def = nc_world_settings(world);
        nc_error err;
        def.sleep = sleep == 1;
        check_ok(nc_world_set_settings(world, &def, &err), err);
        const nc_body_id body = build(world);
        steps(world, seconds);
        end[sleep] = read_body(world, body).pose.x;
        nc_world_destroy(world);
    }
    *out = end[1];
    return nc_norm(nc_sub(end[1], end[0]));
}

static nc_body_id add_on_incline(nc_world *world, double angle, double speed)
{
    const nc_quat turn = nc_quat_from_rotation_vector(nc_v3(0, 0, -angle));
    const nc_shape_parameter sizes[] = {{"width", 0.5}, {"height", 0.5}, {"depth", 0.5}};
    nc_body_def def = nc_body_def_default();
    add_ground(world, turn);
    def.orientation = turn;
    def.position = nc_v3(0.251 * sin(angle), 0.251 * cos(angle), 0);
    def.velocity = nc_v3(speed * cos(angle), -speed * sin(angle), 0);
    return add(world, "box", sizes, 3, def);
}

// A thousandth above its friction angle.
static nc_body_id box_on_incline(nc_world *world)
{
    return add_on_incline(world, atan(0.5 * 1.001), 0);
}

// At its friction angle: it slides on as slowly as it began, by half its rest distance per second.
static nc_body_id box_that_creeps(nc_world *world)
{
    return add_on_incline(world, atan(0.5), 0.0005);
}

// On its edge. (A tenth of a second is its time scale.)
static nc_body_id add_pencil(nc_world *world, double off_balance)
{
    const nc_shape_parameter sizes[] = {{"width", 0.01}, {"height", 0.2}, {"depth", 0.01}};
    const double lean = atan(0.01 / 0.2) + off_balance; // beyond where its centre is above the edge
    nc_body_def def = nc_body_def_default();
    def.orientation = nc_quat_from_rotation_vector(nc_v3(0, 0, -lean));
    add_ground(world, no_turn());
    def.position = nc_v3(0, 0.0002 + 0.5 * sqrt(0.2 * 0.2 + 0.01 * 0.01), 0);
    return add(world, "box", sizes, 3, def);
}

static nc_body_id leaning_pencil(nc_world *world)
{
    return add_pencil(world, 1e-5);
}

// It has not left its tolerance after a second, but is fast by then.
static nc_body_id balanced_pencil(nc_world *world)
{
    return add_pencil(world, 3e-6);
}

// Three boxes of which each juts out a little more than the ones below it can carry.
static nc_body_id leaning_stack(nc_world *world)
{
    add_ground(world, no_turn());
    add_box(world, NC_DYNAMIC, nc_v3(0.5, 0.5, 0.5), nc_v3(0, 0.251, 0));
    add_box(world, NC_DYNAMIC, nc_v3(0.5, 0.5, 0.5), nc_v3(0.12, 0.752, 0));
    return add_box(world, NC_DYNAMIC, nc_v3(0.5, 0.5, 0.5), nc_v3(0.3705, 1.253, 0));
}

static void what_slides_or_topples_slowly_is_not_frozen(void **state)
{
    (void)state;
    nc_vec3 end;
    for (int p = 0; p < 2; p++) {
        check_at_most(error_of_sleep(pipelines[p], box_on_incline, 12, &end), 0.001);
        check_at_most(end.x, 0.55);
        assert_true(end.x > 0.251 * 0.447 + 0.2);
        check_at_most(error_of_sleep(pipelines[p], box_that_creeps, 12, &end), 0.0005);
        check_at_most(error_of_sleep(pipelines[p], leaning_pencil, 6, &end), 0.001);
        check_at_most(error_of_sleep(pipelines[p], leaning_stack, 6, &end), 0.001);
    }
    error_of_sleep(NC_PIPELINE_SHELL, leaning_pencil, 6, &end);
    check_at_most(end.y, 0.01);
    error_of_sleep(NC_PIPELINE_SHELL, balanced_pencil, 6, &end);
    check_at_most(end.y, 0.01);
    error_of_sleep(NC_PIPELINE_SHELL, leaning_stack, 6, &end);
    check_at_most(end.y, 0.8);
}

// A thing in free fall, slow as it may be at first, and one at the top of its throw, go on.
static void what_hangs_in_the_air_for_an_instant_is_not_frozen(void **state)
{
    (void)state;
    nc_world *world = sleeping_world(NC_PIPELINE_SHELL, 1);
    nc_error err;
    check_ok(nc_world_set_gravity(world, nc_v3(0, -0.01, 0), &err), err);
    const nc_body_id box = add_box(world, NC_DYNAMIC, nc_v3(0.5, 0.5, 0.5), nc_v3(0, 10, 0));
    check_ok(nc_body_set_velocity(world, box, nc_v3(0, 0.02, 0), nc_v3(0, 0, 0), &err), err);
    steps(world, 10);
    check_near(read_body(world, box).pose.x.y, 10 + 0.2 - 0.5, 1e-3);
    nc_world_destroy(world);
}

// A tenth of the tolerance per second: in free flight, beside a wall that it does not press, and on ice.
static void what_nothing_stops_goes_on_however_slowly(void **state)
{
    (void)state;
    const double speed = 0.1 * 0.25 * 0.001;
    for (int p = 0; p < 2; p++)
        for (int k = 0; k < 3; k++) {
            nc_world *world = sleeping_world(pipelines[p], 1);
            nc_world_def def = nc_world_settings(world);
            nc_error err;
            def.gravity = nc_v3(0, k < 2 ? 0 : -9.8, 0);
            def.friction = k < 2 ? 0.5 : 0;
            check_ok(nc_world_set_settings(world, &def, &err), err);
            add_ground(world, no_turn());
            const nc_body_id box = add_box(world, NC_DYNAMIC, nc_v3(0.5, 0.5, 0.5),
                                           nc_v3(0,
                                                 k == 0   ? 3
                                                 : k == 1 ? 0.2515
                                                          : 0.251,
                                                 0));
            check_ok(nc_body_set_velocity(world, box, nc_v3(speed, 0, 0), nc_v3(0, 0, 0), &err), err);
            steps(world, 10);
            check_near(read_body(world, box).pose.x.x, 10 * speed, 0.05 * 10 * speed);
            nc_world_destroy(world);
        }
}

// ---- piles that are hit -------------------------------------------------------------------------------------

typedef struct body_pile {
    nc_body_id bodies[MAX_PILE];
    int count;
} body_pile;

static nc_vec3 random_vector(nc_random *random, double size)
{
    const double x = nc_random_unit(random), y = nc_random_unit(random), z = nc_random_unit(random);
    return nc_v3(size * (2 * x - 1), size * (2 * y - 1), size * (2 * z - 1));
}

static void throw_one(nc_world *world, nc_random *random, body_pile *out)
{
    const nc_shape_parameter sizes[] = {{"width", 0.3}, {"height", 0.2}, {"depth", 0.25}}, side[] = {{"size", 0.35}};
    nc_body_def def = nc_body_def_default();
    nc_error err;
    const nc_vec3 side_way = random_vector(random, 1);
    const nc_vec3 from = nc_v3(4 * (side_way.x < 0 ? -1 : 1), 0.6 + 1.0 * nc_random_unit(random), side_way.z);
    def.position = from;
    def.orientation = nc_quat_from_rotation_vector(random_vector(random, 2));
    const bool flat = nc_random_unit(random) < 0.4;
    const nc_body_id id = add(world, flat ? "plane" : "box", flat ? side : sizes, flat ? 1 : 3, def);
    const nc_vec3 v = nc_scale(6 + 30 * nc_random_unit(random), nc_scale(-1 / nc_norm(from), from));
    check_ok(nc_body_set_velocity(world, id, nc_add(v, nc_v3(0, 1.5, 0)), random_vector(random, 10), &err), err);
    out->bodies[out->count++] = id;
}

static void drop_pile(nc_world *world, nc_random *random, int count, body_pile *out)
{
    const nc_shape_parameter sizes[] = {{"width", 0.3}, {"height", 0.2}, {"depth", 0.25}}, side[] = {{"size", 0.35}};
    add_ground(world, no_turn());
    for (int i = 0; i < count; i++) {
        nc_body_def def = nc_body_def_default();
        def.position = nc_v3(0.5 * (i % 2), 0.3 + 0.45 * (i / 4), 0.5 * (i / 2 % 2));
        def.orientation = nc_quat_from_rotation_vector(random_vector(random, 1.5));
        const bool flat = i % 3 == 2;
        out->bodies[out->count++] = add(world, flat ? "plane" : "box", flat ? side : sizes, flat ? 1 : 3, def);
    }
}

static void check_apart(const nc_world *world)
{
    int overlaps = 0, crossings = 0;
    nc_error err;
    check_ok(nc_world_audit(world, NULL, 0, &overlaps, &err), err);
    check_ok(nc_world_audit_step(world, NULL, 0, &crossings, &err), err);
    assert_int_equal(overlaps, 0);
    assert_int_equal(crossings, 0);
}

static double distance_of(const nc_world *world, nc_body_id a, nc_pose pose_a, nc_body_id b, nc_pose pose_b)
{
    nc_proximity near;
    nc_error err;
    check_ok(nc_mesh_distance(nc_body_mesh(world, a), pose_a, nc_body_mesh(world, b), pose_b, &near, &err), err);
    return near.distance;
}

// After a step: who sleeps has not moved in it and has no velocity; and no body that was awake when the step began was
// then near one that slept and sleeps still, nor is it now where resting contact is solved at the end of a step.
static void check_sleepers(const nc_world *world, const body_pile *pile, const bool *slept, const nc_pose *before)
{
    const nc_world_def def = nc_world_settings(world);
    const double near = 0.9 * def.proximity;
    for (int i = 0; i < pile->count; i++) {
        const nc_body_id id = pile->bodies[i];
        const nc_body_state body = read_body(world, id);
        const bool sleeps = nc_body_sleeps(world, id);
        if (sleeps)
            assert_true(nc_norm(body.velocity) == 0 && nc_norm(body.spin) == 0 && body.kinetic == 0);
        if (!sleeps || !slept[i])
            continue;
        assert_memory_equal(&body.pose, &before[i], sizeof body.pose);
        for (int j = 0; j < pile->count; j++) {
            const nc_body_id other = pile->bodies[j];
            if (slept[j])
                continue;
            if (distance_of(world, id, body.pose, other, before[j]) < near)
                fail_msg("body %d sleeps beside body %d, which was awake and near", i, j);
            if (def.pipeline == NC_PIPELINE_SHELL &&
                distance_of(world, id, body.pose, other, read_body(world, other).pose) < near)
                fail_msg("body %d sleeps beside body %d, which is awake and has come near", i, j);
        }
    }
}

// One pile that sleeps and is hit again and again; returns how many bodies woke.
static int run_pile(nc_pipeline pipeline, uint64_t seed)
{
    nc_world *world = sleeping_world(pipeline, 1);
    nc_random random = {seed};
    body_pile pile = {.count = 0};
    int wakings = 0, most = 0;
    drop_pile(world, &random, 10, &pile);
    for (int k = 0; k < 760; k++) {
        bool slept[MAX_PILE];
        nc_pose before[MAX_PILE];
        if (k >= 340 && k % 140 == 60)
            throw_one(world, &random, &pile);
        for (int i = 0; i < pile.count; i++) {
            slept[i] = nc_body_sleeps(world, pile.bodies[i]);
            before[i] = read_body(world, pile.bodies[i]).pose;
        }
        const nc_step_report report = step_once(world);
        wakings += report.wakings;
        most = report.sleeping > most ? report.sleeping : most;
        if (report.wakings > 0 || k % 10 == 0)
            check_apart(world);
        check_sleepers(world, &pile, slept, before);
    }
    if (most < 6)
        fail_msg("seed %llu: at most %d bodies slept at once", (unsigned long long)seed, most);
    nc_world_destroy(world);
    return wakings;
}

static void piles_that_are_hit_wake_and_stay_apart(void **state)
{
    (void)state;
    const uint64_t seed = check_seed("piles_that_are_hit_wake_and_stay_apart", 61);
    for (int p = 0; p < 2; p++) {
        int wakings = 0;
        for (int k = 0; k < check_effort(2); k++)
            wakings += run_pile(pipelines[p], seed + (uint64_t)k);
        assert_true(wakings > 0);
    }
}

// ---- the same bits ------------------------------------------------------------------------------------------

// Two stacks and something thrown at one of them while both sleep; `resume_at` >= 0: the world is saved and restored
// there.
static uint64_t hash_of(nc_pipeline pipeline, int workers, int resume_at)
{
    nc_world *world = sleeping_world(pipeline, workers);
    nc_random random = {5};
    body_pile pile = {.count = 0};
    nc_error err;
    drop_pile(world, &random, 12, &pile);
    add_stack(world, 3, 8, 0, pile.bodies + pile.count);
    pile.count += 3;
    for (int k = 0; k < 390; k++) {
        if (k == 300)
            throw_one(world, &random, &pile);
        if (k == resume_at) {
            nc_buffer bytes = nc_buffer_create(NULL);
            check_ok(nc_world_save(world, &bytes, &err), err);
            steps(world, 0.05);
            check_ok(nc_world_restore(world, bytes.data, bytes.size, &err), err);
            nc_buffer_free(&bytes);
        }
        step_once(world);
    }
    const uint64_t hash = nc_world_hash(world);
    nc_world_destroy(world);
    return hash;
}

static void bits_do_not_depend_on_threads_or_a_resume(void **state)
{
    (void)state;
    static const int workers[] = {2, 3, 8}, resumes[] = {150, 260, 310};
    for (int p = 0; p < 2; p++) {
        const uint64_t wanted = hash_of(pipelines[p], 1, -1);
        for (int k = 0; k < 3; k++)
            assert_true(hash_of(pipelines[p], workers[k], -1) == wanted);
        for (int k = 0; k < 3; k++)
            assert_true(hash_of(pipelines[p], 1, resumes[k]) == wanted);
    }
}

// The height of the top of a stack of ten, 0.2 s after a touch woke it; and the impulses it had after the first step.
static double wake_stack(nc_pipeline pipeline, double factor, double *sum)
{
    nc_world *world = sleeping_world(pipeline, 1);
    nc_body_id boxes[10];
    nc_error err;
    add_ground(world, no_turn());
    add_stack(world, 10, 0, 0, boxes);
    steps(world, 4);
    assert_true(all_sleep(world, boxes, 10, true));
    const double top = read_body(world, boxes[9]).pose.x.y;
    const nc_kept_impulses *resting = &world->state.resting[NC_SOLVE_PREDICT];
    const nc_kept_impulses *kept = &world->state.kept[NC_SOLVE_PREDICT];
    assert_int_equal(kept->count, 0);
    assert_true(resting->count >= 40);
    for (int k = 0; k < resting->count; k++)
        resting->data[k].impulse = nc_scale(factor, resting->data[k].impulse);
    check_ok(nc_body_set_force(world, boxes[9], nc_v3(0, 1e-3, 0), nc_v3(0, 0, 0), &err), err);
    step_once(world);
    assert_int_equal(resting->count, 0);
    assert_true(kept->count >= 40);
    *sum = 0;
    for (int k = 0; k < kept->count; k++)
        *sum += kept->data[k].impulse.y;
    steps(world, 0.2);
    const double sagged = top - read_body(world, boxes[9]).pose.x.y;
    nc_world_destroy(world);
    return sagged;
}

// Woken contacts start from the impulses they fell asleep with (others would give other bits), so a stack that is woken
// by a touch does not sag.
static void a_stack_that_wakes_does_not_jump(void **state)
{
    (void)state;
    for (int p = 0; p < 2; p++) {
        double own, others;
        check_at_most(fabs(wake_stack(pipelines[p], 1, &own)), 2e-5);
        wake_stack(pipelines[p], 0.5, &others);
        assert_true(own != others);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stack_at_rest_sleeps_and_costs_no_contact),
        cmocka_unit_test(nobody_sleeps_where_it_is_switched_off),
        cmocka_unit_test(what_is_changed_wakes_what_it_concerns),
        cmocka_unit_test(what_changes_nothing_wakes_nobody),
        cmocka_unit_test(a_script_that_begins_to_move_wakes_what_is_on_it),
        cmocka_unit_test(what_a_script_rubs_does_not_sleep),
        cmocka_unit_test(a_collision_finds_the_mass_of_what_sleeps),
        cmocka_unit_test(what_something_is_held_by_wakes),
        cmocka_unit_test(what_slides_or_topples_slowly_is_not_frozen),
        cmocka_unit_test(what_hangs_in_the_air_for_an_instant_is_not_frozen),
        cmocka_unit_test(what_nothing_stops_goes_on_however_slowly),
        cmocka_unit_test(piles_that_are_hit_wake_and_stay_apart),
        cmocka_unit_test(bits_do_not_depend_on_threads_or_a_resume),
        cmocka_unit_test(a_stack_that_wakes_does_not_jump),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
