// Bodies that break within a step: when, into what, and what stays the same.
#include "check.h"
#include "fail_allocator.h"

#include "nacre/nacre.h"

#include "base/base.h"
#include "fracture/fracture.h"
#include "world/world.h"

#define DT (1.0 / 60)

static nc_world *new_world(int workers, const nc_allocator *allocator, nc_vec3 gravity)
{
    nc_world_def def = nc_world_def_default();
    def.gravity = gravity;
    def.rest_distance = 0.002;
    def.proximity = 0.004;
    def.floor_distance = 0.00002;
    def.workers = workers;
    if (allocator != NULL)
        def.allocator = *allocator;
    nc_world *world = NULL;
    nc_error err;
    return nc_world_create(&def, &world, &err) == NC_OK ? world : NULL;
}

static nc_mesh *shape(const char *name, const nc_shape_parameter *parameters, int count)
{
    nc_mesh *mesh = NULL;
    nc_error err;
    check_ok(nc_shape_create(name, parameters, count, NULL, &mesh, &err), err);
    return mesh;
}

static nc_mesh *slab_mesh(void)
{
    const nc_shape_parameter sizes[] = {{"width", 1}, {"height", 1}, {"depth", 0.1}};
    return shape("box", sizes, 3);
}

static nc_mesh *cube_mesh(double size)
{
    const nc_shape_parameter sizes[] = {{"size", size}};
    return shape("box", sizes, 1);
}

static nc_fracture_def add_breakable(double threshold, int count)
{
    static nc_shape_parameter parameters[1];
    nc_fracture_def def = nc_fracture_def_default();
    parameters[0] = (nc_shape_parameter){"count", count};
    def.threshold = threshold;
    def.pattern = "graded";
    def.parameters = parameters;
    def.parameter_count = 1;
    return def;
}

typedef struct scene {
    nc_world *world;
    nc_body_id wall, ball;
} scene;

// A wall of 100 kg hit by a cube of 1 kg at 10 m/s, head on: without restitution the impulse is 10 x 100/101 N s.
#define IMPULSE (1000.0 / 101)

static nc_code make_scene(const nc_allocator *allocator, nc_body_type type, double threshold, int pieces, int workers,
                          scene *out, nc_error *err)
{
    nc_mesh *slab = slab_mesh(), *cube = cube_mesh(0.1);
    nc_body_def wall = nc_body_def_default(), ball = nc_body_def_default();
    nc_fracture_def fracture = add_breakable(threshold, pieces);
    *out = (scene){.world = new_world(workers, allocator, nc_v3(0, 0, 0))};
    wall.type = type;
    wall.name = "wall";
    wall.mesh = slab;
    wall.restitution = ball.restitution = 0;
    ball.name = "ball";
    ball.mesh = cube;
    ball.position = nc_v3(0.1, 0.05, 0.2);
    ball.velocity = nc_v3(0, 0, -10);
    nc_code code = out->world != NULL ? NC_OK : NC_OUT_OF_MEMORY;
    if (code == NC_OK)
        code = nc_body_create(out->world, &wall, &out->wall, err);
    if (code == NC_OK)
        code = nc_body_create(out->world, &ball, &out->ball, err);
    if (code == NC_OK)
        code = nc_body_set_fracture(out->world, out->wall, &fracture, err);
    nc_mesh_release(slab);
    nc_mesh_release(cube);
    return code;
}

static scene new_scene(nc_body_type type, double threshold, int workers)
{
    scene s;
    nc_error err;
    check_ok(make_scene(NULL, type, threshold, 25, workers, &s, &err), err);
    return s;
}

static nc_step_report step_once(nc_world *world)
{
    nc_step_report report;
    nc_error err;
    check_ok(nc_world_step(world, DT, &report, &err), err);
    return report;
}

// Steps until something breaks; the report of that step.
static nc_step_report step_to_break(nc_world *world, int most)
{
    nc_step_report report = {0};
    for (int i = 0; i < most && report.fractures == 0; i++)
        report = step_once(world);
    return report;
}

static void check_apart(const nc_world *world)
{
    int count = -1;
    nc_error err;
    check_ok(nc_world_audit(world, NULL, 0, &count, &err), err);
    assert_int_equal(count, 0);
    check_ok(nc_world_audit_step(world, NULL, 0, &count, &err), err);
    assert_int_equal(count, 0);
}

// ---- when ---------------------------------------------------------------------------------------------------

static void a_body_breaks_above_its_threshold_and_not_below(void **state)
{
    (void)state;
    const double thresholds[2] = {0.7 * IMPULSE, 1.01 * IMPULSE};
    for (int k = 0; k < 2; k++) {
        scene s = new_scene(NC_DYNAMIC, thresholds[k], 1);
        const nc_step_report report = step_to_break(s.world, 5);
        nc_body_state gone;
        nc_error err;
        assert_int_equal(report.fractures, k == 0);
        assert_int_equal(nc_body_read(s.world, s.wall, &gone, &err), k == 0 ? NC_BAD_ARGUMENT : NC_OK);
        assert_int_equal(nc_world_fractures(s.world, 0, NULL, 0), k == 0);
        if (k == 0)
            assert_in_range(report.pieces, 5, 25);
        nc_world_destroy(s.world);
    }
}

static void the_event_says_what_happened(void **state)
{
    (void)state;
    scene s = new_scene(NC_DYNAMIC, 5, 1);
    const nc_step_report report = step_to_break(s.world, 5);
    nc_fracture_event event;
    nc_body_id pieces[64];
    assert_int_equal(nc_world_fractures(s.world, 0, &event, 1), 1);
    assert_int_equal(event.step, report.step);
    assert_int_equal(event.body.index, s.wall.index);
    assert_string_equal(event.name, "wall");
    assert_string_equal(event.pattern, "graded");
    assert_string_equal(event.reason, "");
    assert_int_equal(event.pieces, report.pieces);
    check_near(event.impulse, IMPULSE, 0.05 * IMPULSE); // off the centre it is a little less
    check_near(event.threshold, 5, 0);
    check_near(event.place.x, 0.1, 0.051);
    check_near(event.place.y, 0.05, 0.051);
    check_near(event.place.z, 0.05, 0.003);
    check_near(event.normal.z, -1, 1e-9);
    assert_int_equal(nc_world_fracture_pieces(s.world, 0, pieces, 64), event.pieces);
    for (int k = 0; k < event.pieces; k++) {
        char name[32];
        snprintf(name, sizeof name, "wall/%d", k);
        assert_string_equal(nc_body_name(s.world, pieces[k]), name);
    }
    nc_world_destroy(s.world);
}

// ---- what stays the same --------------------------------------------------------------------------------------

static double mass_of_all(const nc_world *world)
{
    double sum = 0;
    nc_body_id ids[2048];
    const int count = nc_world_bodies(world, ids, 2048);
    assert_in_range(count, 1, 2048);
    for (int i = 0; i < count; i++) {
        nc_body_state body;
        nc_error err;
        check_ok(nc_body_read(world, ids[i], &body, &err), err);
        sum += body.mass;
    }
    return sum;
}

// Replaces the wall by its pieces, as a step would, with no collision besides.
static int break_wall(const scene *s)
{
    nc_error err;
    nc_breakable *add_breakable = NULL;
    nc_pattern *pattern = NULL;
    nc_pieces pieces;
    nc_birth births[64] = {0};
    nc_body_id ids[64];
    nc_piece_motion motions[64];
    const nc_bodies *bodies = &s->world->state.bodies;
    const int row = (int)s->wall.index;
    const nc_allocator memory = nc_allocator_default();
    const nc_breakable_def how = nc_breakable_def_default();
    nc_break_def def = nc_break_def_default();
    check_ok(nc_breakable_create(nc_world_mesh(s->world, bodies->mesh[row]), &how, &memory, &add_breakable, &err), err);
    check_ok(nc_pattern_create("graded", NULL, 0, 3, &memory, &pattern, &err), err);
    def.pattern = pattern;
    def.place = nc_v3(0.1, 0.2, 0.05);
    def.normal = nc_v3(0, 0, -1);
    def.mass = bodies->mass[row];
    def.gap = 0.002;
    check_ok(nc_break(add_breakable, &def, &memory, &pieces, &err), err);
    const int count = pieces.list.count;
    assert_in_range(count, 10, 64);
    const nc_parent_motion parent = {bodies->pose[row], bodies->v[row], bodies->spin[row], bodies->momentum[row]};
    nc_pieces_move(&pieces, &parent, motions);
    for (int k = 0; k < count; k++) {
        births[k] = (nc_birth){.mesh = pieces.list.data[k].mesh,
                               .pose = motions[k].pose,
                               .velocity = motions[k].v,
                               .momentum = motions[k].momentum};
        births[k].mass.mass = pieces.list.data[k].mass;
        births[k].mass.principal = pieces.list.data[k].principal;
        births[k].mass.principal_q = pieces.list.data[k].principal_q;
    }
    check_ok(nc_body_replace(s->world, NULL, row, births, count, ids, &err), err);
    nc_pieces_free(&pieces);
    nc_pattern_destroy(pattern);
    nc_breakable_destroy(add_breakable);
    return count;
}

static void mass_and_momenta_of_the_pieces_are_those_of_the_body(void **state)
{
    (void)state;
    scene s = new_scene(NC_DYNAMIC, 5, 1);
    nc_error err;
    nc_step_report before, after;
    check_ok(nc_body_set_velocity(s.world, s.wall, nc_v3(0.2, -0.1, 0.3), nc_v3(0.3, 0.8, -0.5), &err), err);
    check_ok(nc_world_check(s.world, NULL, &err), err);
    check_ok(nc_world_measure(s.world, &before, &err), err);
    const double mass = mass_of_all(s.world);
    const int count = break_wall(&s);
    check_ok(nc_world_measure(s.world, &after, &err), err);
    assert_int_equal(nc_world_body_count(s.world), 1 + count);
    check_near(mass_of_all(s.world), mass, 1e-9 * mass);
    check_at_most(nc_norm(nc_sub(after.momentum, before.momentum)), 1e-9 * nc_norm(before.momentum));
    check_at_most(nc_norm(nc_sub(after.angular_momentum, before.angular_momentum)),
                  1e-9 * nc_norm(before.angular_momentum));
    check_near(after.kinetic, before.kinetic, 1e-9 * before.kinetic);
    nc_world_destroy(s.world);
}

// Steps until the wall breaks: mass and momentum are kept, and energy does not rise. The report of that step.
static nc_step_report check_break(nc_world *world)
{
    nc_error err;
    nc_step_report before;
    check_ok(nc_world_measure(world, &before, &err), err);
    const double mass = mass_of_all(world);
    const nc_step_report after = step_to_break(world, 5);
    assert_int_equal(after.fractures, 1);
    check_near(mass_of_all(world), mass, 1e-9 * mass);
    check_at_most(nc_norm(nc_sub(after.momentum, before.momentum)), 1e-9 * nc_norm(before.momentum));
    check_at_most(fabs(after.fracture_energy), 1e-9 * before.kinetic);
    check_at_most(after.kinetic, before.kinetic * (1 + 1e-9));
    check_apart(world);
    return after;
}

static void a_step_that_breaks_a_body_keeps_mass_and_momentum(void **state)
{
    (void)state;
    scene s = new_scene(NC_DYNAMIC, 5, 1);
    check_break(s.world);
    nc_world_destroy(s.world);
}

static void pieces_stay_apart_while_they_fly(void **state)
{
    (void)state;
    const nc_body_type types[2] = {NC_DYNAMIC, NC_STATIC};
    for (int k = 0; k < 2; k++) {
        scene s = new_scene(types[k], 5, 1);
        int fractures = 0;
        for (int i = 0; i < 12; i++) {
            fractures += step_once(s.world).fractures;
            check_apart(s.world);
        }
        assert_true(fractures > 0);
        nc_world_destroy(s.world);
    }
}

static void the_collision_goes_on_with_the_pieces(void **state)
{
    (void)state;
    scene s = new_scene(NC_DYNAMIC, 5, 1);
    const nc_step_report report = step_to_break(s.world, 5);
    nc_body_state ball;
    nc_error err;
    check_ok(nc_body_read(s.world, s.ball, &ball, &err), err);
    assert_true(report.collisions > 0);
    assert_true(ball.velocity.z > -9.99); // it met a piece in this very step
    nc_world_destroy(s.world);
}

// ---- level sets -----------------------------------------------------------------------------------------------------

// The wall with a level set of 30 cells, hit after its ball went `aside` [m/s] for a hundredth of a second.
static scene level_scene(double aside, bool aligned)
{
    scene s = new_scene(NC_DYNAMIC, 5, 1);
    nc_fracture_def fracture = add_breakable(5, 25);
    nc_error err;
    fracture.way = NC_FRACTURE_LEVEL;
    fracture.cells = 30;
    fracture.aligned = aligned;
    check_ok(nc_body_set_fracture(s.world, s.wall, &fracture, &err), err);
    check_ok(nc_body_set_velocity(s.world, s.ball, nc_v3(aside, 0, -10), nc_v3(0, 0, 0), &err), err);
    return s;
}

static int triangles_of_all(const nc_world *world)
{
    int sum = 0;
    nc_body_id ids[256];
    const int count = nc_world_bodies(world, ids, 256);
    assert_in_range(count, 1, 256);
    for (int i = 0; i < count; i++)
        sum += nc_mesh_view(nc_body_mesh(world, ids[i])).triangle_count;
    return sum;
}

static void level_sets_break_a_body_within_a_step_as_cuts_do(void **state)
{
    (void)state;
    scene cut = new_scene(NC_DYNAMIC, 5, 1);
    assert_int_equal(step_to_break(cut.world, 5).fractures, 1);
    for (int aligned = 0; aligned < 2; aligned++) {
        scene s = level_scene(0, aligned == 1);
        assert_true(check_break(s.world).pieces > 5);
        assert_true(triangles_of_all(s.world) > 2 * triangles_of_all(cut.world)); // surfaces of a grid, not cuts
        for (int i = 0; i < 6; i++) {
            step_once(s.world);
            check_apart(s.world);
        }
        nc_world_destroy(s.world);
    }
    nc_world_destroy(cut.world);
}

// The masses of the pieces after a break, in their order.
static int break_and_weigh(double aside, bool aligned, double *masses, int capacity)
{
    scene s = level_scene(aside, aligned);
    nc_body_id ids[256];
    assert_int_equal(step_to_break(s.world, 5).fractures, 1);
    const int count = nc_world_fracture_pieces(s.world, 0, ids, 256);
    assert_in_range(count, 2, capacity);
    for (int i = 0; i < count; i++) {
        nc_body_state body;
        nc_error err;
        check_ok(nc_body_read(s.world, ids[i], &body, &err), err);
        masses[i] = body.mass;
    }
    nc_world_destroy(s.world);
    return count;
}

// The paper's fast path: the impact is moved to a sample, so impacts near the same sample make the same pieces.
static void an_aligned_pattern_breaks_alike_for_impacts_within_a_cell(void **state)
{
    (void)state;
    for (int aligned = 0; aligned < 2; aligned++) {
        double here[256], beside[256];
        const int count = break_and_weigh(0, aligned == 1, here, 256);
        const bool same = break_and_weigh(0.2, aligned == 1, beside, 256) == count &&
                          memcmp(here, beside, (size_t)count * sizeof *here) == 0;
        assert_true(same == (aligned == 1));
    }
}

// ---- determinism ------------------------------------------------------------------------------------------------

static void the_hash_is_equal_for_1_2_and_8_workers(void **state)
{
    (void)state;
    uint64_t hash[3];
    const int workers[3] = {1, 2, 8};
    for (int k = 0; k < 3; k++) {
        scene s = new_scene(NC_DYNAMIC, 5, workers[k]);
        for (int i = 0; i < 8; i++)
            step_once(s.world);
        assert_true(nc_world_fractures(s.world, 0, NULL, 0) > 0);
        hash[k] = nc_world_hash(s.world);
        nc_world_destroy(s.world);
    }
    assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
}

static nc_world *restore(const nc_world *from, int workers)
{
    nc_buffer bytes = nc_buffer_create(NULL);
    nc_error err;
    nc_world *world = new_world(workers, NULL, nc_v3(0, 0, 0));
    check_ok(nc_world_save(from, &bytes, &err), err);
    for (int i = 0; i < nc_world_mesh_count(from); i++)
        check_ok(nc_world_add_mesh(world, nc_world_mesh(from, i), &err), err);
    check_ok(nc_world_restore(world, bytes.data, bytes.size, &err), err);
    nc_buffer_free(&bytes);
    assert_true(nc_world_hash(world) == nc_world_hash(from));
    return world;
}

static void a_restored_world_breaks_to_the_same_bits(void **state)
{
    (void)state;
    for (int saved = 0; saved < 4; saved++) { // before the break, and after
        scene s = new_scene(NC_DYNAMIC, 5, 1);
        for (int i = 0; i < saved; i++)
            step_once(s.world);
        nc_world *again = restore(s.world, 2);
        for (int i = 0; i < 6; i++) {
            step_once(s.world);
            step_once(again);
            assert_true(nc_world_hash(s.world) == nc_world_hash(again));
        }
        assert_true(nc_world_fractures(s.world, 0, NULL, 0) > 0);
        nc_world_destroy(again);
        nc_world_destroy(s.world);
    }
}

// ---- what does not break ------------------------------------------------------------------------------------------

static void a_body_that_has_no_pattern_to_break_by_stays_whole_and_says_so(void **state)
{
    (void)state;
    scene s = new_scene(NC_DYNAMIC, 5, 1);
    nc_fracture_def one = add_breakable(5, 1); // a pattern of one region
    nc_error err;
    nc_fracture_event event;
    check_ok(nc_body_set_fracture(s.world, s.wall, &one, &err), err);
    nc_step_report report = {0};
    for (int i = 0; i < 5 && report.unbroken == 0; i++)
        report = step_once(s.world);
    assert_int_equal(report.unbroken, 1);
    assert_int_equal(report.fractures, 0);
    assert_int_equal(nc_world_fractures(s.world, 0, &event, 1), 1);
    assert_int_equal(event.pieces, 0);
    assert_true(event.reason[0] != '\0');
    nc_body_state ball;
    check_ok(nc_body_read(s.world, s.ball, &ball, &err), err);
    assert_true(fabs(ball.velocity.z) < 1); // it bounced off, in that same step
    nc_world_destroy(s.world);
}

// Two static bodies may share space; the pieces of one would be inside of the other.
static void a_body_that_is_wedged_stays_whole_and_says_so(void **state)
{
    (void)state;
    scene s = new_scene(NC_STATIC, 5, 1);
    nc_mesh *cube = cube_mesh(0.3);
    nc_body_def wedge = nc_body_def_default();
    nc_fracture_event event;
    nc_error err;
    wedge.type = NC_STATIC;
    wedge.mesh = cube;
    wedge.position = nc_v3(-0.4, 0, 0);
    check_ok(nc_body_create(s.world, &wedge, NULL, &err), err);
    nc_mesh_release(cube);
    nc_step_report report = {0};
    for (int i = 0; i < 5 && report.unbroken == 0; i++) {
        report = step_once(s.world);
        check_apart(s.world);
    }
    assert_int_equal(report.unbroken, 1);
    assert_int_equal(nc_world_fractures(s.world, 0, &event, 1), 1);
    assert_int_equal(event.pieces, 0);
    assert_non_null(strstr(event.reason, "another body"));
    assert_int_equal(nc_world_body_count(s.world), 3);
    check_ok(nc_body_read(s.world, s.wall, &(nc_body_state){0}, &err), err);
    nc_world_destroy(s.world);
}

static void the_limit_of_a_step_is_kept(void **state)
{
    (void)state;
    scene s = new_scene(NC_DYNAMIC, 5, 1);
    nc_world_def settings = nc_world_settings(s.world);
    nc_error err;
    settings.fracture_limit = 0;
    check_ok(nc_world_set_settings(s.world, &settings, &err), err);
    for (int i = 0; i < 5; i++)
        assert_int_equal(step_once(s.world).fractures, 0);
    assert_true(nc_world_fractures(s.world, 0, NULL, 0) > 0);
    nc_world_destroy(s.world);
}

// A wall is broken twice: pieces of the last generation survive any impact.
static void pieces_break_again_up_to_their_last_generation(void **state)
{
    (void)state;
    for (int generations = 1; generations < 3; generations++) {
        scene s = new_scene(NC_DYNAMIC, 5, 1);
        nc_fracture_def def = add_breakable(0.5, 6);
        nc_error err;
        int most = 0;
        def.generations = generations;
        check_ok(nc_body_set_fracture(s.world, s.wall, &def, &err), err);
        nc_mesh *cube = cube_mesh(0.1);
        nc_body_def ball = nc_body_def_default();
        ball.mesh = cube;
        ball.position = nc_v3(-0.3, -0.3, 0.6);
        ball.velocity = nc_v3(0, 0, -10);
        check_ok(nc_body_create(s.world, &ball, NULL, &err), err);
        nc_mesh_release(cube);
        for (int i = 0; i < 8; i++) {
            step_once(s.world);
            check_apart(s.world);
        }
        for (int i = 0; i < s.world->state.bodies.count; i++)
            if (s.world->state.bodies.alive[i] && s.world->state.bodies.cracks[i] > most)
                most = s.world->state.bodies.cracks[i];
        assert_int_equal(most, generations);
        nc_world_destroy(s.world);
    }
}

static void pieces_pass_through_what_the_body_passed_through(void **state)
{
    (void)state;
    scene s = new_scene(NC_DYNAMIC, 5, 1);
    nc_mesh *cube = cube_mesh(0.3);
    nc_body_def ghost = nc_body_def_default();
    nc_body_id id, pieces[64];
    nc_error err;
    ghost.type = NC_STATIC;
    ghost.mesh = cube;
    ghost.position = nc_v3(-0.4, 0, 0);
    check_ok(nc_body_create(s.world, &ghost, &id, &err), err);
    check_ok(nc_world_exempt_pair(s.world, s.wall, id, &err), err);
    check_ok(nc_world_set_pair(s.world, s.wall, s.ball, 0.77, -1, &err), err);
    nc_mesh_release(cube);
    assert_int_equal(step_to_break(s.world, 5).fractures, 1);
    const int count = nc_world_fracture_pieces(s.world, 0, pieces, 64);
    for (int k = 0; k < count; k++) {
        double friction = 0;
        assert_false(nc_world_pair_matters(s.world, id, pieces[k]));
        check_ok(nc_world_read_pair(s.world, s.ball, pieces[k], &friction, NULL, &err), err);
        check_near(friction, 0.77, 0);
    }
    nc_world_destroy(s.world);
}

// ---- what is refused ------------------------------------------------------------------------------------------------

static void bad_definitions_are_named(void **state)
{
    (void)state;
    scene s = new_scene(NC_DYNAMIC, 5, 1);
    nc_error err;
    nc_fracture_def def = add_breakable(0, 5);
    assert_int_equal(nc_body_set_fracture(s.world, s.wall, &def, &err), NC_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "threshold"));
    def = add_breakable(1, 5);
    def.crumb = 1;
    assert_int_equal(nc_body_set_fracture(s.world, s.wall, &def, &err), NC_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "crumb"));
    def = add_breakable(1, 5);
    def.pattern = "grated";
    assert_int_equal(nc_body_set_fracture(s.world, s.wall, &def, &err), NC_NOT_FOUND);
    assert_non_null(strstr(err.text, "graded"));
    def = add_breakable(1, 5);
    def.generations = 0;
    assert_int_equal(nc_body_set_fracture(s.world, s.wall, &def, &err), NC_BAD_ARGUMENT);
    check_near(nc_body_threshold(s.world, s.wall), 5, 0); // as before
    check_ok(nc_body_set_fracture(s.world, s.wall, NULL, &err), err);
    check_near(nc_body_threshold(s.world, s.wall), 0, 0);
    nc_world_destroy(s.world);
}

// ---- at random ----------------------------------------------------------------------------------------------------

typedef struct dice {
    uint64_t state;
} dice;

static double roll(dice *d, double low, double high)
{
    d->state = nc_hash_u64(d->state, 1);
    return low + (high - low) * (double)(d->state >> 11) * 0x1p-53;
}

static nc_vec3 roll_vec(dice *d, double size)
{
    const double x = roll(d, -size, size), y = roll(d, -size, size);
    return nc_v3(x, y, roll(d, -size, size));
}

static nc_mesh *random_mesh(dice *d)
{
    static const char *const names[] = {"box", "plane", "cylinder", "sphere", "band"};
    const int kind = (int)roll(d, 0, 4.999);
    const nc_shape_parameter box[] = {{"width", roll(d, 0.2, 0.6)}, {"height", roll(d, 0.05, 0.6)}, {"depth", 0.4}};
    const nc_shape_parameter plane[] = {{"width", roll(d, 0.3, 0.8)}, {"depth", roll(d, 0.3, 0.8)}};
    const nc_shape_parameter round[] = {{"radius", roll(d, 0.15, 0.3)}, {"height", 0.4}, {"segments", 9}};
    const nc_shape_parameter ball[] = {{"radius", roll(d, 0.15, 0.3)}, {"splits", 1}};
    switch (kind) {
    case 0:
        return shape(names[kind], box, 3);
    case 1:
        return shape(names[kind], plane, 2);
    case 3:
        return shape(names[kind], ball, 2);
    default:
        return shape(names[kind], round, 3);
    }
}

static nc_fracture_def random_fracture(dice *d)
{
    static const char *const names[] = {"glass", "graded", "voronoi", "shards", "splinters", "bricks"};
    nc_fracture_def def = nc_fracture_def_default();
    def.pattern = names[(int)roll(d, 0, 5.999)];
    def.threshold = roll(d, 0.5, 20);
    def.seed = (uint64_t)roll(d, 0, 1e6);
    def.generations = 1 + (int)roll(d, 0, 2);
    def.crumb = 1e-3;
    return def;
}

// Bodies on a sphere that fly to its middle.
static void add_random_bodies(nc_world *world, dice *d)
{
    nc_error err;
    for (int i = 0; i < 5; i++) {
        nc_mesh *mesh = random_mesh(d);
        nc_body_def def = nc_body_def_default();
        const nc_fracture_def fracture = random_fracture(d);
        nc_body_id id;
        const nc_vec3 at = nc_v3(0.9 * (i - 2), roll(d, -0.3, 0.3), 0.9 * (i % 2));
        def.mesh = mesh;
        def.position = at;
        def.orientation = nc_quat_normalize(nc_q4(1, roll(d, -1, 1), roll(d, -1, 1), roll(d, -1, 1)));
        def.velocity = nc_add(nc_scale(-6, at), roll_vec(d, 3));
        def.spin = roll_vec(d, 20);
        check_ok(nc_body_create(world, &def, &id, &err), err);
        check_ok(nc_body_set_fracture(world, id, &fracture, &err), err);
        nc_mesh_release(mesh);
    }
}

static void whatever_breaks_stays_apart_and_keeps_its_mass(void **state)
{
    (void)state;
    dice d = {check_seed("whatever_breaks_stays_apart_and_keeps_its_mass", 7)};
    int fractures = 0, pieces = 0, unbroken = 0;
    double change = 0;
    for (int k = 0; k < check_effort(2); k++) {
        nc_world *world = new_world(1, NULL, nc_v3(0, 0, 0));
        add_random_bodies(world, &d);
        const double mass = mass_of_all(world);
        for (int i = 0; i < 9; i++) {
            const nc_step_report report = step_once(world);
            fractures += report.fractures;
            pieces += report.pieces;
            unbroken += report.unbroken;
            change = fmax(change, fabs(report.fracture_energy) / (1 + report.kinetic));
            if (report.fractures > 0)
                check_apart(world);
        }
        check_near(mass_of_all(world), mass, 1e-9 * mass);
        nc_world_destroy(world);
    }
    print_message("%d bodies broke into %d pieces, %d stayed whole; energy by breaking: %g of it\n", fractures, pieces,
                  unbroken, change);
    assert_true(fractures > 0);
    check_at_most(change, 1e-2);
}

// ---- births ---------------------------------------------------------------------------------------------------

#define REST 0.002 // [m] of new_world

// Two cubes of 0.4 m in the place of one of 1 m at the origin; a post stands with its face at x = 0.8.
typedef struct nursery {
    nc_world *world;
    nc_body_id body, post;
    nc_mesh *cube;
} nursery;

static nursery new_nursery(void)
{
    nursery n = {.world = new_world(1, NULL, nc_v3(0, 0, 0)), .cube = cube_mesh(0.4)};
    nc_mesh *large = cube_mesh(1);
    nc_body_def body = nc_body_def_default(), post = nc_body_def_default();
    nc_error err;
    body.name = "body";
    body.mesh = post.mesh = large;
    post.name = "post";
    post.type = NC_STATIC;
    post.position = nc_v3(1.3, 0, 0);
    check_ok(nc_body_create(n.world, &body, &n.body, &err), err);
    check_ok(nc_body_create(n.world, &post, &n.post, &err), err);
    nc_mesh_release(large);
    return n;
}

static void nursery_free(nursery *n)
{
    nc_mesh_release(n->cube);
    nc_world_destroy(n->world);
}

// The two cubes with their middles at x0 and x1.
static nc_code bear_two(nursery *n, double x0, double x1, double mass, nc_body_id ids[2], nc_error *err)
{
    const double x[2] = {x0, x1};
    nc_birth births[2] = {0};
    for (int k = 0; k < 2; k++) {
        births[k].mesh = n->cube;
        births[k].pose = (nc_pose){nc_v3(x[k], 0, 0), {1, 0, 0, 0}};
        births[k].mass.mass = mass;
        births[k].mass.principal = nc_v3(1, 1, 1);
        births[k].mass.principal_q = (nc_quat){1, 0, 0, 0};
    }
    return nc_body_replace(n->world, NULL, (int)n->body.index, births, 2, ids, err);
}

static void births_that_meet_or_touch_anything_are_refused_and_nothing_changes(void **state)
{
    (void)state;
    static const struct {
        double x0, x1, mass;
        const char *says;
    } rows[] = {
        {-0.1, 0.1, 1, "piece 1"},         // through each other
        {-0.2, 0.2 + 1e-16, 1, "piece 1"}, // face to face
        {-0.3, 0.7, 1, "post"},            // into the post
        {-0.3, 0.6 - 1e-16, 1, "post"},    // at the post
        {-0.3, 0.3, 0, "no mass"},
    };
    nursery n = new_nursery();
    const uint64_t hash = nc_world_hash(n.world);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        nc_body_id ids[2];
        nc_error err = {0};
        assert_int_equal(bear_two(&n, rows[i].x0, rows[i].x1, rows[i].mass, ids, &err), NC_INTERSECTING);
        if (strstr(err.text, rows[i].says) == NULL)
            fail_msg("row %d: %s", (int)i, err.text);
        assert_true(nc_world_hash(n.world) == hash);
        assert_int_equal(nc_world_body_count(n.world), 2);
    }
    nursery_free(&n);
}

static double cap_of(const nc_world *world, nc_body_id a, nc_body_id b)
{
    const nc_state *state = &world->state;
    const uint64_t key = nc_pair_key((int)a.index, (int)b.index);
    for (int k = 0; k < state->cap_count; k++)
        if (state->caps[k].key == key)
            return state->caps[k].distance;
    return INFINITY;
}

// What is born nearer than the rest distance is not pushed apart: the distance at birth is its own.
static void births_nearer_than_the_rest_distance_keep_their_distance(void **state)
{
    (void)state;
    const double gaps[] = {0.25 * REST, 2 * REST};
    for (int i = 0; i < 2; i++) {
        nursery n = new_nursery();
        nc_body_id ids[2];
        nc_error err;
        check_ok(bear_two(&n, 0.2 - 2 * gaps[i], 0.6 - gaps[i], 1, ids, &err), err);
        assert_int_equal(nc_world_body_count(n.world), 3);
        if (i == 0) {
            check_near(cap_of(n.world, ids[0], ids[1]), gaps[i], 1e-12);
            check_near(cap_of(n.world, ids[1], n.post), gaps[i], 1e-12);
        } else {
            assert_true(cap_of(n.world, ids[0], ids[1]) == INFINITY);
            assert_true(cap_of(n.world, ids[1], n.post) == INFINITY);
        }
        nursery_free(&n);
    }
}

// ---- who may be near --------------------------------------------------------------------------------------------

static nc_vec3 random_direction(nc_random *random)
{
    const double z = nc_random_range(random, -1, 1), turn = nc_random_range(random, 0, 2 * NC_PI);
    double sine, cosine;
    nc_sincos(turn, &sine, &cosine);
    return nc_v3(sqrt(1 - z * z) * cosine, sqrt(1 - z * z) * sine, z);
}

static nc_body_id put_at(nc_world *world, nc_mesh *mesh, nc_vec3 x)
{
    nc_body_def def = nc_body_def_default();
    nc_body_id id = {0, 0};
    nc_error err;
    def.mesh = mesh;
    def.position = x;
    check_ok(nc_body_create(world, &def, &id, &err), err);
    return id;
}

// Where a mesh is `gap` [m] from another one, somewhere on the way out.
static nc_vec3 place_beyond(nc_mesh *mesh, nc_mesh *piece, nc_pose pose, nc_vec3 out, double gap)
{
    const nc_pose far = {nc_madd(pose.x, 5, out), nc_quat_identity()};
    nc_proximity nearest;
    nc_error err;
    check_ok(nc_mesh_distance(piece, pose, mesh, far, &nearest, &err), err);
    return nc_madd(far.x, nearest.distance - gap, nearest.normal);
}

// A piece at a ball's edge, on this side or that, and a body farther out which it just reaches or just does not: what
// is free among neighbours is free among all, and the other way round.
static void a_look_at_neighbours_is_a_look_at_all(void **state)
{
    (void)state;
    nc_random random = {check_seed("neighbours", 8)};
    nc_mesh *piece = shape("sphere", (const nc_shape_parameter[]){{"radius", 0.1}}, 1);
    nc_mesh *others[2] = {shape("sphere", (const nc_shape_parameter[]){{"radius", 1.5}}, 1), slab_mesh()};
    int inside = 0, free_ones = 0, left_out = 0;
    const int trials = check_effort(600);
    for (int k = 0; k < trials; k++) {
        nc_world *world = new_world(1, NULL, nc_v3(0, 0, 0));
        const nc_vec3 center = nc_scale(nc_random_range(&random, 0, 20), random_direction(&random));
        const nc_vec3 out = random_direction(&random);
        nc_mesh *other = others[k % 2];
        const double radius = nc_random_range(&random, 0.2, 1), reach = nc_mesh_radius(piece) + REST;
        const double at = radius - reach * nc_random_range(&random, 0.95, 1.1);
        const nc_pose pose = {nc_madd(center, at, out), nc_quat_identity()};
        nc_neighbours near;
        nc_error err;
        bool among = false, all = false;
        put_at(world, piece, nc_madd(center, 50, out)); // the parent
        put_at(world, other, place_beyond(other, piece, pose, out, nc_random_range(&random, 0.5, 1.5) * REST));
        put_at(world, other, nc_madd(center, -50, out));
        check_ok(nc_neighbours_find(world, center, radius, &near, &err), err);
        check_ok(nc_birth_is_free(world, &near, 0, piece, pose, REST, &among, &err), err);
        check_ok(nc_birth_is_free(world, NULL, 0, piece, pose, REST, &all, &err), err);
        assert_int_equal(among, all);
        inside += at + reach < radius;
        free_ones += all;
        left_out += 3 - near.rows.count;
        nc_neighbours_free(&near, &world->settings.allocator);
        nc_world_destroy(world);
    }
    print_message("%d inside, %d free, %d left out\n", inside, free_ones, left_out);
    assert_true(inside > trials / 4 && inside < trials && free_ones > trials / 8 && free_ones < 7 * trials / 8);
    assert_true(left_out >= 2 * trials);
    nc_mesh_release(piece);
    nc_mesh_release(others[0]);
    nc_mesh_release(others[1]);
}

// ---- the pipelines of stack layers ------------------------------------------------------------------------------

static const nc_pipeline layered[] = {NC_PIPELINE_VSP, NC_PIPELINE_ISP};

static void bodies_break_with_the_pipelines_of_stack_layers_too(void **state)
{
    (void)state;
    for (int p = 0; p < 2; p++) {
        scene s = new_scene(NC_DYNAMIC, 0.9 * IMPULSE, 1);
        nc_fracture_event event;
        nc_error err;
        nc_step_report before, report;
        s.world->settings.pipeline = layered[p];
        check_ok(nc_world_measure(s.world, &before, &err), err);
        report = step_to_break(s.world, 6);
        assert_int_equal(report.fractures, 1);
        assert_int_equal(nc_world_fractures(s.world, 0, &event, 1), 1);
        check_near(event.impulse, IMPULSE, 0.05 * IMPULSE);
        check_near(event.place.x, 0.1, 0.051);
        check_near(event.normal.z, -1, 1e-6);
        check_apart(s.world);
        for (int k = 0; k < 5; k++) {
            report = step_once(s.world);
            check_apart(s.world);
        }
        check_at_most(nc_norm(nc_sub(report.momentum, before.momentum)), 1e-9 * nc_norm(before.momentum));
        check_at_most(report.kinetic, before.kinetic * (1 + 1e-9));
        nc_world_destroy(s.world);
    }
}

// An impact that is stood leaves no trace: everything is as if the wall could not break at all.
static void a_blow_that_is_stood_changes_nothing_with_stack_layers(void **state)
{
    (void)state;
    for (int p = 0; p < 2; p++) {
        nc_body_state wall[2], ball[2];
        for (int k = 0; k < 2; k++) {
            scene s = new_scene(NC_DYNAMIC, 1.01 * IMPULSE, 1);
            nc_error err;
            if (k == 1)
                check_ok(nc_body_set_fracture(s.world, s.wall, NULL, &err), err);
            s.world->settings.pipeline = layered[p];
            for (int i = 0; i < 6; i++)
                assert_int_equal(step_once(s.world).fractures, 0);
            check_ok(nc_body_read(s.world, s.wall, &wall[k], &err), err);
            check_ok(nc_body_read(s.world, s.ball, &ball[k], &err), err);
            nc_world_destroy(s.world);
        }
        assert_true(wall[0].velocity.z < 0); // it was hit
        assert_memory_equal(&wall[0].pose, &wall[1].pose, sizeof wall[0].pose);
        assert_memory_equal(&ball[0].pose, &ball[1].pose, sizeof ball[0].pose);
        assert_memory_equal(&wall[0].velocity, &wall[1].velocity, sizeof wall[0].velocity);
        assert_memory_equal(&ball[0].velocity, &ball[1].velocity, sizeof ball[0].velocity);
    }
}

// A cube of 1000 kg on a plate gives it 160 N s in every step.
static void a_load_breaks_nothing_with_stack_layers(void **state)
{
    (void)state;
    for (int p = 0; p < 2; p++) {
        nc_world *world = new_world(1, NULL, nc_v3(0, 0, -9.8));
        nc_mesh *slab = slab_mesh(), *cube = cube_mesh(1);
        nc_body_def plate = nc_body_def_default(), load = nc_body_def_default();
        const nc_fracture_def fracture = add_breakable(20, 25);
        nc_body_id id;
        nc_error err;
        world->settings.pipeline = layered[p];
        plate.type = NC_STATIC;
        plate.mesh = slab;
        load.mesh = cube;
        load.position = nc_v3(0, 0, 0.05 + 0.5 + REST);
        check_ok(nc_body_create(world, &plate, &id, &err), err);
        check_ok(nc_body_set_fracture(world, id, &fracture, &err), err);
        check_ok(nc_body_create(world, &load, &id, &err), err);
        for (int i = 0; i < 20; i++) {
            const nc_step_report report = step_once(world);
            assert_int_equal(report.fractures + report.unbroken, 0);
        }
        nc_mesh_release(slab);
        nc_mesh_release(cube);
        nc_world_destroy(world);
    }
}

// ---- memory -----------------------------------------------------------------------------------------------------

// A step that fails leaves the world as it was, also when it had broken a body already.
static nc_code try_to_break(const nc_allocator *allocator, void *ctx)
{
    (void)ctx;
    scene s;
    nc_error err;
    nc_step_report report;
    nc_code code = make_scene(allocator, NC_DYNAMIC, 5, 3, 1, &s, &err);
    for (int i = 0; i < 2 && code == NC_OK; i++) {
        const uint64_t hash = nc_world_hash(s.world);
        const int meshes = nc_world_mesh_count(s.world), events = nc_world_fractures(s.world, 0, NULL, 0);
        code = nc_world_step(s.world, DT, &report, &err);
        if (code != NC_OK && s.world->state.checked) {
            assert_true(nc_world_hash(s.world) == hash);
            assert_int_equal(nc_world_mesh_count(s.world), meshes);
            assert_int_equal(nc_world_fractures(s.world, 0, NULL, 0), events);
        }
    }
    nc_world_destroy(s.world);
    return code;
}

static void memory_may_fail_at_every_call_of_a_break(void **state)
{
    (void)state;
    print_message("%ld requests, each refused once\n", fail_at_every_call(try_to_break, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_breaks_above_its_threshold_and_not_below),
        cmocka_unit_test(the_event_says_what_happened),
        cmocka_unit_test(mass_and_momenta_of_the_pieces_are_those_of_the_body),
        cmocka_unit_test(a_step_that_breaks_a_body_keeps_mass_and_momentum),
        cmocka_unit_test(pieces_stay_apart_while_they_fly),
        cmocka_unit_test(the_collision_goes_on_with_the_pieces),
        cmocka_unit_test(level_sets_break_a_body_within_a_step_as_cuts_do),
        cmocka_unit_test(an_aligned_pattern_breaks_alike_for_impacts_within_a_cell),
        cmocka_unit_test(the_hash_is_equal_for_1_2_and_8_workers),
        cmocka_unit_test(a_restored_world_breaks_to_the_same_bits),
        cmocka_unit_test(a_body_that_has_no_pattern_to_break_by_stays_whole_and_says_so),
        cmocka_unit_test(a_body_that_is_wedged_stays_whole_and_says_so),
        cmocka_unit_test(the_limit_of_a_step_is_kept),
        cmocka_unit_test(pieces_break_again_up_to_their_last_generation),
        cmocka_unit_test(pieces_pass_through_what_the_body_passed_through),
        cmocka_unit_test(bad_definitions_are_named),
        cmocka_unit_test(whatever_breaks_stays_apart_and_keeps_its_mass),
        cmocka_unit_test(births_that_meet_or_touch_anything_are_refused_and_nothing_changes),
        cmocka_unit_test(births_nearer_than_the_rest_distance_keep_their_distance),
        cmocka_unit_test(a_look_at_neighbours_is_a_look_at_all),
        cmocka_unit_test(bodies_break_with_the_pipelines_of_stack_layers_too),
        cmocka_unit_test(a_blow_that_is_stood_changes_nothing_with_stack_layers),
        cmocka_unit_test(a_load_breaks_nothing_with_stack_layers),
        cmocka_unit_test(memory_may_fail_at_every_call_of_a_break),
    };
    return cmocka_run_group_tests_name("fracture_step", tests, NULL, NULL);
}
