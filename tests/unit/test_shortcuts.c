// What spares the step swept tests must never call a pair clear that is not: random worlds of small shells around a
// large concave surface, edited between steps, with every pair's distance measured along the way.
//
// World k of a run has seed (first seed + k); a failure prints it, and NACRE_SEED=that NACRE_EFFORT=0.01 repeats it.
#include "check.h"
#include "fail_allocator.h"

#include "nacre/nacre.h"

#include "base/base.h"
#include "narrow/narrow.h"
#include "step/step.h"
#include "world/world.h"

#define MAX_BODIES 24
#define GRID       14 // squares per side: more vertices than NC_WHOLE_VERTICES
#define SAMPLES    8  // times of a step at which distances are measured

typedef struct stage {
    uint64_t seed;
    nc_random random;
    nc_world *world;
    double dt;
    nc_vec3 middle;
    fail_allocator memory; // it tells whether a worker asked for memory, and spoils what is freed
    nc_buffer saved;       // a snapshot of the world as it was some steps ago
    nc_pose before[MAX_BODIES];
} stage;

typedef struct tally {
    int worlds, steps, edits, refused, copies;
    int64_t pairs, sweeps, contacts, sticks, near;
} tally;

static double pick(stage *s, double low, double high)
{
    return nc_random_range(&s->random, low, high);
}

static double pick_decade(stage *s, double low, double high)
{
    return pow(10.0, pick(s, low, high));
}

static bool chance(stage *s, double part)
{
    return nc_random_unit(&s->random) < part;
}

static nc_vec3 random_vector(stage *s, double size)
{
    const double x = pick(s, -size, size), y = pick(s, -size, size), z = pick(s, -size, size);
    return nc_v3(x, y, z);
}

static nc_quat random_turn(stage *s)
{
    return nc_quat_from_rotation_vector(random_vector(s, 3));
}

// ---- meshes -----------------------------------------------------------------------------------------------------

static nc_mesh *make_mesh(const nc_mesh_def *def)
{
    nc_mesh *mesh = NULL;
    nc_error err;
    check_ok(nc_mesh_create(def, NULL, &mesh, &err), err);
    return mesh;
}

// A few triangles on random corners; or wires alone; or points alone; or some of each.
static nc_mesh *crumple(stage *s, double size)
{
    nc_vec3 v[9];
    for (int i = 0; i < 9; i++)
        v[i] = random_vector(s, 0.5 * size);
    const int t[][3] = {{0, 1, 2}, {2, 1, 3}, {3, 4, 5}, {0, 4, 2}}, e[][2] = {{5, 6}, {6, 7}, {0, 7}}, p[] = {8, 6, 4};
    const int kind = (int)(nc_random_u64(&s->random) % 5);
    const nc_mesh_def def = {.vertices = v,
                             .vertex_count = 9,
                             .triangles = t,
                             .triangle_count = kind < 3 ? 4 - kind : 0,
                             .edges = e,
                             .edge_count = kind == 4 ? 0 : kind,
                             .points = p,
                             .point_count = kind == 4 ? 3 : 1};
    return make_mesh(&def);
}

static nc_mesh *shape(const char *name, const nc_shape_parameter *parameters, int count)
{
    nc_mesh *mesh = NULL;
    nc_error err;
    check_ok(nc_shape_create(name, parameters, count, NULL, &mesh, &err), err);
    return mesh;
}

static nc_mesh *random_shell(stage *s)
{
    const double size = pick_decade(s, -1, 0);
    const nc_shape_parameter slab[] = {{"size", size}, {"height", 0.2 * size}};
    const nc_shape_parameter ring[] = {{"radius", 0.5 * size}, {"width", 0.1 * size}, {"segments", 8}};
    const nc_shape_parameter ball[] = {{"radius", 0.5 * size}, {"splits", floor(pick(s, 1, 4))}}; // small or large
    switch (nc_random_u64(&s->random) % 6) {
    case 0:
        return shape("box", slab, 2);
    case 1:
        return shape("ring", ring, 3);
    case 2:
        return shape("sphere", ball, 2);
    default:
        return crumple(s, size);
    }
}

// A bowl with waves in it, 4 m across: it wraps around what lies in it.
static nc_mesh *canyon(void)
{
    static nc_vec3 v[(GRID + 1) * (GRID + 1)];
    static int t[2 * GRID * GRID][3];
    for (int i = 0; i <= GRID; i++)
        for (int j = 0; j <= GRID; j++) {
            const double x = 4.0 * i / GRID - 2, z = 4.0 * j / GRID - 2;
            v[i * (GRID + 1) + j] =
                nc_v3(x, 0.5 * (x * x + z * z) + (i % 3 == 1 ? 0.25 : 0) - (j % 4 == 2 ? 0.2 : 0), z);
        }
    for (int k = 0; k < GRID * GRID; k++) {
        const int at = k / GRID * (GRID + 1) + k % GRID;
        const int two[2][3] = {{at, at + 1, at + GRID + 1}, {at + 1, at + GRID + 2, at + GRID + 1}};
        memcpy(t[2 * k], two, sizeof two);
    }
    const nc_mesh_def def = {.vertices = v,
                             .vertex_count = (GRID + 1) * (GRID + 1),
                             .triangles = (const int(*)[3])t,
                             .triangle_count = 2 * GRID * GRID};
    return make_mesh(&def);
}

// ---- worlds -----------------------------------------------------------------------------------------------------

static void set_moving(stage *s, nc_vec3 *velocity, nc_vec3 *spin)
{
    // Most go about as far in a step as things are apart: there a bound that is a little too large would show.
    const double far = chance(s, 0.8) ? pick_decade(s, -4, -1.5) / s->dt : pick_decade(s, -2, 2);
    *velocity = random_vector(s, far);
    *spin = random_vector(s, chance(s, 0.2) ? pick_decade(s, 1, 3) : far);
}

// True when it was made; what would start in another body is refused.
static bool add_body(stage *s, nc_pose pose, nc_body_type type, nc_body_id *id)
{
    nc_body_def def = nc_body_def_default();
    nc_error err;
    def.type = type;
    def.mass.mass = pick_decade(s, -1, 2);
    def.mass.thickness = 0.01;
    def.position = pose.x;
    def.orientation = pose.q;
    set_moving(s, &def.velocity, &def.spin);
    def.restitution = pick(s, 0, 1);
    def.mesh = random_shell(s);
    const nc_code code = nc_body_create(s->world, &def, id, &err);
    nc_mesh_release(def.mesh);
    if (code != NC_INTERSECTING)
        check_ok(code, err);
    return code == NC_OK;
}

static nc_pose somewhere(stage *s)
{
    const nc_vec3 x = random_vector(s, 1.2);
    return (nc_pose){nc_add(s->middle, nc_v3(x.x, x.y + 1.6, x.z)), random_turn(s)};
}

static nc_body_type random_type(stage *s)
{
    return chance(s, 0.85) ? NC_DYNAMIC : chance(s, 0.5) ? NC_KINEMATIC : NC_STATIC;
}

static void build(stage *s, uint64_t seed)
{
    *s = (stage){.seed = seed, .random = {seed * 2654435761u + 1}, .dt = 1.0 / 60};
    s->saved = nc_buffer_create(NULL);
    if (seed % 5 == 4)
        s->middle = nc_v3(6e5, -7e5, 4e5);
    nc_world_def def = nc_world_def_default();
    def.workers = seed % 8 == 0 ? 2 : 1;
    if (def.workers > 1)
        def.allocator = fail_allocator_start(&s->memory, 0);
    def.failsafe = (nc_failsafe)(seed % 3);
    def.pipeline = seed % 7 == 5 ? NC_PIPELINE_VSP : seed % 7 == 6 ? NC_PIPELINE_ISP : NC_PIPELINE_SHELL;
    if (seed % 2 == 0)
        def.floor_distance = 0.4 * def.rest_distance;
    if (seed % 4 == 1)
        def.collision_iterations = def.dynamic_iterations = 1;
    nc_error err;
    check_ok(nc_world_create(&def, &s->world, &err), err);
    nc_body_def ground = nc_body_def_default();
    nc_body_id id;
    ground.type = NC_STATIC;
    ground.position = s->middle;
    ground.mesh = canyon();
    check_ok(nc_body_create(s->world, &ground, &id, &err), err);
    nc_mesh_release(ground.mesh);
    check_ok(nc_world_check(s->world, NULL, &err), err); // from now on bodies in bodies are refused
    for (int i = 0; i < 16; i++)
        add_body(s, somewhere(s), random_type(s), &id);
}

// ---- edits ------------------------------------------------------------------------------------------------------

static nc_body_id some_body(stage *s)
{
    nc_body_id all[MAX_BODIES];
    const int count = nc_world_bodies(s->world, all, MAX_BODIES);
    return all[nc_random_u64(&s->random) % (uint64_t)count];
}

// Another mesh, just where the body was: the same row, the same bits of its pose.
static bool replace(stage *s, nc_body_id id)
{
    nc_body_state body;
    nc_error err;
    check_ok(nc_body_read(s->world, id, &body, &err), err);
    if (nc_world_body_count(s->world) < 4)
        return false;
    check_ok(nc_body_destroy(s->world, id, &err), err);
    return add_body(s, body.pose, body.type, &id) && nc_body_move(s->world, id, body.pose, &err) == NC_OK;
}

static bool move(stage *s, nc_body_id id)
{
    nc_body_state body;
    nc_error err;
    check_ok(nc_body_read(s->world, id, &body, &err), err);
    nc_pose pose = somewhere(s);
    if (chance(s, 0.7))
        pose = (nc_pose){nc_add(body.pose.x, random_vector(s, pick_decade(s, -5, -1))), body.pose.q};
    const nc_code code = nc_body_move(s->world, id, pose, &err);
    if (code != NC_INTERSECTING)
        check_ok(code, err);
    return code == NC_OK;
}

static bool change_settings(stage *s)
{
    nc_world_def def = nc_world_settings(s->world);
    const double scale = chance(s, 0.5) ? 1 : pick(s, 0.5, 4);
    nc_error err;
    def.rest_distance = scale * nc_world_def_default().rest_distance;
    def.proximity = chance(s, 0.5) ? 2 * def.rest_distance : scale * nc_world_def_default().proximity;
    def.floor_distance = fmin(def.floor_distance, 0.5 * def.rest_distance);
    return nc_world_set_settings(s->world, &def, &err) == NC_OK;
}

static bool go_back(stage *s)
{
    nc_error err;
    if (s->saved.size > 0 && chance(s, 0.5)) {
        check_ok(nc_world_restore(s->world, s->saved.data, s->saved.size, &err), err);
        return true;
    }
    s->saved.size = 0;
    check_ok(nc_world_save(s->world, &s->saved, &err), err);
    return true;
}

static bool edit(stage *s)
{
    nc_body_id id = some_body(s), other = some_body(s);
    nc_vec3 velocity, spin;
    nc_error err;
    switch (nc_random_u64(&s->random) % 9) {
    case 0:
        return move(s, id);
    case 1:
        return replace(s, id);
    case 2:
        return nc_world_body_count(s->world) > 6 && nc_body_destroy(s->world, id, &err) == NC_OK;
    case 3:
        return nc_world_body_count(s->world) < MAX_BODIES - 4 && add_body(s, somewhere(s), random_type(s), &id);
    case 4:
        return chance(s, 0.3) && nc_world_exempt_pair(s->world, id, other, &err) == NC_OK;
    case 5:
        s->dt = pick_decade(s, -4, -1);
        return true;
    case 6:
        return change_settings(s);
    case 7:
        return go_back(s);
    default:
        set_moving(s, &velocity, &spin);
        return nc_body_set_velocity(s->world, id, velocity, spin, &err) == NC_OK;
    }
}

// ---- what must hold ---------------------------------------------------------------------------------------------

static double distance(const stage *s, int i, nc_pose pose_i, int j, nc_pose pose_j, double limit)
{
    const nc_bodies *bodies = &s->world->state.bodies;
    nc_proximity nearest;
    nc_error err;
    check_ok(nc_mesh_distance_within(s->world->meshes.data[bodies->mesh[i]].mesh, pose_i,
                                     s->world->meshes.data[bodies->mesh[j]].mesh, pose_j, limit, &nearest, &err),
             err);
    return nearest.distance;
}

// A pair keeps the floor, or three quarters of the distance it began with, but for the rounding of both paths.
static void check_pair(const stage *s, int step, int i, int j, tally *sum)
{
    const nc_path *path_i = &s->world->candidates.path[i], *path_j = &s->world->candidates.path[j];
    const nc_bodies *bodies = &s->world->state.bodies;
    const double floor = s->world->settings.floor_distance;
    const double error = nc_path_error(path_i, s->world->meshes.data[bodies->mesh[i]].radius) +
                         nc_path_error(path_j, s->world->meshes.data[bodies->mesh[j]].radius);
    for (int k = 1; k <= SAMPLES; k++) {
        const double t = (double)k / SAMPLES;
        const double d = distance(s, i, nc_path_pose(path_i, t), j, nc_path_pose(path_j, t), 4 * floor);
        sum->near += d < 4 * floor;
        if (d >= floor - error)
            continue;
        const double began = distance(s, i, s->before[i], j, s->before[j], 4 * floor);
        if (d >= fmin(floor, 0.75 * began) - 2 * error)
            continue;
        print_error("world %llu, step %d: bodies %d and %d are %.17g m apart at %g, but began with %.17g; the floor is "
                    "%g, rounding %g\n",
                    (unsigned long long)s->seed, step, i, j, d, t, began, floor, error);
        fail();
    }
}

static void check_step(const stage *s, int step, tally *sum)
{
    const nc_state *state = &s->world->state;
    int crossings = 0, overlaps = 0;
    nc_error err;
    check_ok(nc_world_audit_step(s->world, NULL, 0, &crossings, &err), err);
    check_ok(nc_world_audit(s->world, NULL, 0, &overlaps, &err), err);
    if (crossings + overlaps > 0) {
        print_error("world %llu, step %d: %d pairs cross on their way, %d at the end\n", (unsigned long long)s->seed,
                    step, crossings, overlaps);
        fail();
    }
    for (int i = 0; i < state->bodies.count; i++)
        for (int j = i + 1; j < state->bodies.count; j++)
            if (state->bodies.alive[i] && state->bodies.alive[j] && nc_state_pair_matters(state, i, j))
                check_pair(s, step, i, j, sum);
}

// A world with the same state that knows nothing of the steps before: no table of near pairs, no directions.
static nc_world *fresh_copy(const nc_world *world)
{
    const nc_world_def def = nc_world_settings(world);
    nc_buffer bytes = nc_buffer_create(NULL);
    nc_world *copy = NULL;
    nc_error err;
    check_ok(nc_world_create(&def, &copy, &err), err);
    for (int i = 0; i < nc_world_mesh_count(world); i++)
        check_ok(nc_world_add_mesh(copy, nc_world_mesh(world, i), &err), err);
    check_ok(nc_world_save(world, &bytes, &err), err);
    check_ok(nc_world_restore(copy, bytes.data, bytes.size, &err), err);
    nc_buffer_free(&bytes);
    return copy;
}

// What is kept from step to step saves time and changes no bit.
static void check_copy(const stage *s, nc_world *copy, int step, tally *sum)
{
    nc_error err;
    check_ok(nc_world_step(copy, s->dt, NULL, &err), err);
    if (nc_world_hash(copy) != nc_world_hash(s->world)) {
        print_error("world %llu, step %d: a copy that knew nothing of earlier steps went another way\n",
                    (unsigned long long)s->seed, step);
        fail();
    }
    nc_world_destroy(copy);
    sum->copies++;
}

static void run_world(uint64_t seed, int steps, tally *sum)
{
    stage s;
    build(&s, seed);
    sum->worlds++;
    for (int step = 1; step <= steps; step++) {
        const nc_bodies *bodies = &s.world->state.bodies;
        nc_step_report report;
        nc_error err;
        assert_true(bodies->count <= MAX_BODIES);
        memcpy(s.before, bodies->pose, (size_t)bodies->count * sizeof *s.before);
        nc_world *copy = chance(&s, 0.25) ? fresh_copy(s.world) : NULL;
        check_ok(nc_world_step(s.world, s.dt, &report, &err), err);
        check_step(&s, step, sum);
        if (copy != NULL)
            check_copy(&s, copy, step, sum);
        sum->steps++;
        sum->pairs += report.pairs;
        sum->sweeps += report.sweeps;
        sum->contacts += report.contacts;
        sum->sticks += report.sticks;
        for (int k = (int)(nc_random_u64(&s.random) % 3); k > 0; k--)
            *(edit(&s) ? &sum->edits : &sum->refused) += 1;
    }
    nc_buffer_free(&s.saved);
    nc_world_destroy(s.world);
    fail_allocator_check_clean(&s.memory);
}

static void nothing_is_called_clear_wrongly_while_the_world_is_edited(void **state)
{
    (void)state;
    const uint64_t first = check_seed("shortcuts", 400);
    const int worlds = check_effort(40);
    tally sum = {0};
    for (int k = 0; k < (worlds > 0 ? worlds : 1); k++)
        run_world(first + (uint64_t)k, 24, &sum);
    print_message(
        "%d worlds, %d steps, %d edits (%d refused), %d copies: %lld pairs, %lld sweeps, %lld contacts, %lld sticks, "
        "%lld times a pair was within four floors\n",
        sum.worlds, sum.steps, sum.edits, sum.refused, sum.copies, (long long)sum.pairs, (long long)sum.sweeps,
        (long long)sum.contacts, (long long)sum.sticks, (long long)sum.near);
    assert_true(sum.near > 0 && sum.copies > 0);
}

// ---- worlds at rest ---------------------------------------------------------------------------------------------

// Small shells that fall onto each other and lie still, by either pipeline; some of them in a heap.
static void build_heap(stage *s, uint64_t seed)
{
    *s = (stage){.seed = seed, .random = {seed * 2654435761u + 1}, .dt = 1.0 / 120, .saved = nc_buffer_create(NULL)};
    nc_world_def def = nc_world_def_default();
    nc_body_def ground = nc_body_def_default();
    nc_body_id id;
    nc_error err;
    def.pipeline = seed % 2 == 0 ? NC_PIPELINE_SHELL : NC_PIPELINE_VSP;
    def.workers = 1 + (int)(seed % 3);
    check_ok(nc_world_create(&def, &s->world, &err), err);
    ground.type = NC_STATIC;
    ground.mesh = seed % 4 < 2 ? shape("plane", (const nc_shape_parameter[]){{"size", 8}}, 1) : canyon();
    check_ok(nc_body_create(s->world, &ground, &id, &err), err);
    nc_mesh_release(ground.mesh);
    check_ok(nc_world_check(s->world, NULL, &err), err);
    for (int i = 0; i < 8; i++) {
        const nc_vec3 x = random_vector(s, 0.5);
        if (add_body(s, (nc_pose){{x.x, 0.6 + 0.3 * i, x.z}, random_turn(s)}, NC_DYNAMIC, &id))
            check_ok(nc_body_set_velocity(s->world, id, nc_v3(0, -4, 0), nc_v3(0, 0, 0), &err), err);
    }
}

static int count_notes(const nc_world *world)
{
    const nc_near_cache *cache = &((const nc_workspace *)world->workspace)->near.table.cache;
    int count = 0;
    for (int k = 0; k < cache->heads.count; k++)
        count += cache->heads.data[k].count > 0;
    return count;
}

static int run_heap(uint64_t seed, int steps, tally *sum)
{
    stage s;
    int cache = 0;
    build_heap(&s, seed);
    for (int step = 1; step <= steps; step++) {
        nc_error err;
        memcpy(s.before, s.world->state.bodies.pose, (size_t)s.world->state.bodies.count * sizeof *s.before);
        nc_world *copy = step % 5 == 0 ? fresh_copy(s.world) : NULL;
        check_ok(nc_world_step(s.world, s.dt, NULL, &err), err);
        if (step % 20 == 0)
            check_step(&s, step, sum);
        if (copy != NULL)
            check_copy(&s, copy, step, sum);
        cache += count_notes(s.world);
        if (step > steps / 2 && step % 7 == 0) {
            const double dt = s.dt;
            *(edit(&s) ? &sum->edits : &sum->refused) += 1;
            s.dt = dt;
        }
    }
    nc_buffer_free(&s.saved);
    nc_world_destroy(s.world);
    return cache;
}

// Notes about bodies that rest come into being, are used and become void: a copy that has none goes the same way.
static void worlds_at_rest_go_on_like_copies_without_notes(void **state)
{
    (void)state;
    const uint64_t first = check_seed("heaps", 600);
    const int worlds = check_effort(4);
    tally sum = {0};
    int cache = 0;
    for (int k = 0; k < (worlds > 0 ? worlds : 1); k++)
        cache += run_heap(first + (uint64_t)k, 120, &sum);
    print_message("%d notes, %d copies, %d edits (%d refused)\n", cache, sum.copies, sum.edits, sum.refused);
    assert_true(cache > 0);
}

// ---- single cases -----------------------------------------------------------------------------------------------

static nc_mesh *cube(double size)
{
    const nc_shape_parameter p[] = {{"size", size}};
    return shape("box", p, 1);
}

// A plate and a cube above it, without gravity; the cube's centre is 1 m up.
static void build_plate(stage *s, double size, nc_vec3 velocity, nc_body_id *id)
{
    *s = (stage){.dt = 1.0 / 64, .saved = nc_buffer_create(NULL)};
    const nc_shape_parameter plane[] = {{"size", 4}};
    nc_world_def def = nc_world_def_default();
    nc_body_def ground = nc_body_def_default(), body = nc_body_def_default();
    nc_error err;
    def.gravity = nc_v3(0, 0, 0);
    def.floor_distance = 0.4 * def.rest_distance;
    def.workers = 1;
    check_ok(nc_world_create(&def, &s->world, &err), err);
    ground.type = NC_STATIC;
    ground.mesh = shape("plane", plane, 1);
    body.mesh = cube(size);
    body.mass.mass = 1;
    body.position = nc_v3(0, 1, 0);
    body.velocity = velocity;
    check_ok(nc_body_create(s->world, &ground, id, &err), err);
    check_ok(nc_body_create(s->world, &body, id, &err), err);
    nc_mesh_release(ground.mesh);
    nc_mesh_release(body.mesh);
}

static void take_step(stage *s, int step, tally *sum)
{
    const nc_bodies *bodies = &s->world->state.bodies;
    nc_error err;
    memcpy(s->before, bodies->pose, (size_t)bodies->count * sizeof *s->before);
    check_ok(nc_world_step(s->world, s->dt, NULL, &err), err);
    check_step(s, step, sum);
}

// From no travel to twice the gap, straight on, in steps small enough to hit every bound.
static void a_body_that_goes_straight_at_another_keeps_the_floor(void **state)
{
    (void)state;
    tally sum = {0};
    for (int k = 0; k <= 200; k++) {
        const double gap = 0.006, travel = gap * k / 100;
        stage s;
        nc_body_id id;
        build_plate(&s, 2 * (1 - gap), nc_v3(0, -travel * 64, 0), &id);
        take_step(&s, k, &sum);
        nc_world_destroy(s.world);
    }
    assert_true(sum.near > 0);
}

// A larger mesh in the same row, at the same pose to the bit: what was known of the one before is void.
static void a_body_that_takes_the_place_of_another_is_measured_anew(void **state)
{
    (void)state;
    tally sum = {0};
    nc_body_id id;
    nc_error err;
    stage s;
    build_plate(&s, 0.5, nc_v3(0, 0, 0), &id);
    take_step(&s, 1, &sum);
    const nc_pose pose = s.world->state.bodies.pose[1];
    check_ok(nc_body_destroy(s.world, id, &err), err);
    nc_body_def body = nc_body_def_default();
    body.mesh = cube(2 * (1 - 0.006));
    body.mass.mass = 1;
    body.position = pose.x;
    body.velocity = nc_v3(0, -0.0065 * 64, 0);
    check_ok(nc_body_create(s.world, &body, &id, &err), err);
    nc_mesh_release(body.mesh);
    assert_memory_equal(&s.world->state.bodies.pose[1], &pose, sizeof pose);
    take_step(&s, 2, &sum);
    nc_world_destroy(s.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_that_goes_straight_at_another_keeps_the_floor),
        cmocka_unit_test(a_body_that_takes_the_place_of_another_is_measured_anew),
        cmocka_unit_test(worlds_at_rest_go_on_like_copies_without_notes),
        cmocka_unit_test(nothing_is_called_clear_wrongly_while_the_world_is_edited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
