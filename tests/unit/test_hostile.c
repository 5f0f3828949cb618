// Random hostile scenes: whatever is thrown at the step, nothing crosses, every step ends, and energy does not appear.
//
// Scene k of a run has seed (first seed + k); a failure prints it, and NACRE_SEED=that NACRE_EFFORT=0.01 repeats it.
#include "check.h"

#include "nacre/nacre.h"

#include "base/base.h"
#include "world/world.h"

#include <limits.h>
#include <time.h>

#define MAX_EVALUATIONS 1e8 // of all sweeps of a step
#define MAX_BODIES      24
// Of the kinetic energy before a step: rounding of the sums, and what the energy fix of free rotation leaves.
#define ENERGY_TOLERANCE 1e-9

typedef struct hostile {
    uint64_t seed;
    nc_random random;
    nc_world *world;
    double dt;
    double extent; // [m] of the space bodies start in
    nc_vec3 middle;
    bool scripted; // crushers: their work is in the report, gravity is off
    double mass;   // [kg] of all dynamic bodies
} hostile;

typedef struct tally {
    int scenes, steps, bodies;
    int64_t evaluations; // most per step
    int64_t collisions, dynamic, sticks, halts, stalls, jams, undecided, unconverged, stays, clamps;
    double smallest;   // [m] certified, over all
    double worst_gain; // part of the energy before
    double turn_loss;  // [J]
} tally;

static double pick(hostile *h, double low, double high)
{
    return nc_random_range(&h->random, low, high);
}

// Between 10^low and 10^high, every decade equally likely.
static double pick_decade(hostile *h, double low, double high)
{
    return pow(10.0, pick(h, low, high));
}

static bool chance(hostile *h, double part)
{
    return nc_random_unit(&h->random) < part;
}

static nc_vec3 direction(hostile *h)
{
    for (;;) {
        const double x = pick(h, -1, 1), y = pick(h, -1, 1), z = pick(h, -1, 1);
        const nc_vec3 v = nc_v3(x, y, z);
        const double n = nc_norm(v);
        if (n > 0.1 && n <= 1)
            return nc_scale(1 / n, v);
    }
}

static nc_vec3 anywhere(hostile *h, double size)
{
    const double x = pick(h, -size, size), y = pick(h, -size, size), z = pick(h, -size, size);
    return nc_add(h->middle, nc_v3(x, y, z));
}

// ---- shells ---------------------------------------------------------------------------------------------------

// A crumpled soup: random triangles, with a free edge and a free point.
static nc_mesh *soup(hostile *h, double size)
{
    nc_vec3 vertices[9];
    const nc_vec3 keep = h->middle;
    h->middle = nc_v3(0, 0, 0);
    for (int i = 0; i < 9; i++)
        vertices[i] = anywhere(h, 0.5 * size);
    h->middle = keep;
    const int triangles[][3] = {{0, 1, 2}, {2, 1, 3}, {3, 4, 5}, {0, 4, 2}};
    const int edges[][2] = {{5, 6}, {6, 7}};
    const int points[] = {8};
    const nc_mesh_def def = {vertices, 9, triangles, 4, edges, chance(h, 0.5) ? 2 : 1, points, chance(h, 0.5) ? 1 : 0};
    nc_mesh *mesh = NULL;
    nc_error err;
    check_ok(nc_mesh_create(&def, NULL, &mesh, &err), err);
    return mesh;
}

static nc_mesh *shape(const char *name, const nc_shape_parameter *parameters, int count)
{
    nc_mesh *mesh = NULL;
    nc_error err;
    check_ok(nc_shape_create(name, parameters, count, NULL, &mesh, &err), err);
    return mesh;
}

static nc_mesh *random_mesh(hostile *h, double size)
{
    const nc_shape_parameter needle[] = {
        {"radius", fmax(1e-6, size * pick_decade(h, -4, -1))}, {"height", size}, {"segments", 3}};
    const nc_shape_parameter plate[] = {{"radius", 0.5 * size}, {"sides", floor(pick(h, 3, 9))}};
    const nc_shape_parameter ball[] = {{"radius", 0.5 * size}, {"splits", floor(pick(h, 1, 3))}};
    const nc_shape_parameter slab[] = {{"size", size}, {"height", size * pick_decade(h, -3, 0)}};
    const nc_shape_parameter ring[] = {{"radius", 0.5 * size}, {"width", 0.1 * size}, {"segments", 8}};
    const nc_shape_parameter tube[] = {{"radius", 0.3 * size}, {"height", size}, {"segments", 7}};
    const nc_shape_parameter boat[] = {{"length", size}};
    const nc_shape_parameter triangle[] = {{"size", size}};
    switch (nc_random_u64(&h->random) % 9) {
    case 0:
        return shape("spike", needle, 3);
    case 1:
        return shape("plate", plate, 2);
    case 2:
        return shape("sphere", ball, 2);
    case 3:
        return shape("box", slab, 2);
    case 4:
        return shape("ring", ring, 3);
    case 5:
        return shape("tube", tube, 3);
    case 6:
        return shape("boat", boat, 1);
    case 7:
        return shape("triangle", triangle, 1);
    default:
        return soup(h, size);
    }
}

// ---- scenes ---------------------------------------------------------------------------------------------------

static int overlaps(const nc_world *world)
{
    int count = 0;
    nc_error err;
    check_ok(nc_world_audit(world, NULL, 0, &count, &err), err);
    return count;
}

// Adds a body; takes it away again when it would start inside another.
static bool add(hostile *h, nc_body_def def, nc_mesh *mesh)
{
    nc_body_id id;
    nc_error err;
    def.mesh = mesh;
    check_ok(nc_body_create(h->world, &def, &id, &err), err);
    nc_mesh_release(mesh);
    if (overlaps(h->world) > 0) {
        check_ok(nc_body_destroy(h->world, id, &err), err);
        return false;
    }
    if (def.type == NC_DYNAMIC)
        h->mass += def.mass.mass;
    return true;
}

static void add_dynamic(hostile *h)
{
    const double size = h->extent * pick_decade(h, -2.5, -0.3);
    nc_body_def def = nc_body_def_default();
    def.mass.mass = pick_decade(h, -3, 3);
    def.mass.matter = NC_MATTER_SHELL;
    def.position = anywhere(h, 0.5 * h->extent);
    def.orientation = nc_quat_from_rotation_vector(nc_scale(pick(h, 0, 3), direction(h)));
    const double speed = pick_decade(h, -2, 4), spin = pick_decade(h, -2, 3);
    def.velocity = chance(h, 0.2) ? nc_v3(0, 0, 0) : nc_scale(speed, direction(h));
    def.spin = chance(h, 0.2) ? nc_v3(0, 0, 0) : nc_scale(spin, direction(h));
    def.friction = pick(h, 0, 1.5);
    def.restitution = chance(h, 0.3) ? floor(pick(h, 0, 2)) : pick(h, 0, 1);
    add(h, def, random_mesh(h, size));
}

// Static surroundings: a closed shell around everything, a ground, or nothing.
static void add_surroundings(hostile *h)
{
    nc_body_def def = nc_body_def_default();
    def.type = NC_STATIC;
    def.position = h->middle;
    if (chance(h, 0.6)) {
        const nc_shape_parameter shell[] = {{"size", 2.2 * h->extent}};
        add(h, def, shape("box", shell, 1));
    } else if (chance(h, 0.7)) {
        const nc_shape_parameter ground[] = {{"size", 20 * h->extent}};
        def.position.y -= 1.05 * h->extent;
        add(h, def, shape("plane", ground, 1));
    }
}

// Two plates that close in on the middle and turn.
static void add_crushers(hostile *h)
{
    const double speed = pick_decade(h, -1, 2) * h->extent;
    const nc_shape_parameter slab[] = {{"size", 1.1 * h->extent}, {"height", 0.05 * h->extent}};
    for (int side = -1; side <= 1; side += 2) {
        nc_body_def def = nc_body_def_default();
        def.type = NC_KINEMATIC;
        def.position = nc_add(h->middle, nc_v3(0, 0.6 * side * h->extent, 0));
        def.velocity = nc_v3(0, -speed * side, 0);
        def.spin = chance(h, 0.3) ? nc_scale(pick_decade(h, -1, 3), direction(h)) : nc_v3(0, 0, 0);
        add(h, def, shape("box", slab, 2));
    }
}

// Every choice that changes what a step does, in turn; in two scenes of five contact is given up so early that the
// failsafe, or certify, has to see to everything.
static void choose_settings(nc_world_def *def, uint64_t seed)
{
    def->failsafe = (nc_failsafe)(seed % 3);
    if (seed % 5 < 2)
        def->collision_iterations = def->dynamic_iterations = (int)(seed % 5);
    def->friction_model = seed % 7 == 0 ? NC_FRICTION_PYRAMID : NC_FRICTION_CONE;
    def->contact_solver = seed % 11 == 0 ? NC_SOLVER_SEQUENTIAL : NC_SOLVER_PGS;
    def->friction_rule = def->restitution_rule = (nc_combination)(seed % 5);
}

static void build(hostile *h, uint64_t seed)
{
    *h = (hostile){.seed = seed, .random = {seed * 2654435761u + 1}};
    for (int i = 0; i < 4; i++)
        nc_random_u64(&h->random);
    h->extent = pick_decade(h, -0.5, 2.5);
    h->dt = pick_decade(h, -3, -0.301);
    h->scripted = chance(h, 0.35);
    if (chance(h, 0.2))
        h->middle = nc_scale(1e6, direction(h));
    nc_world_def def = nc_world_def_default();
    def.workers = 1;
    choose_settings(&def, seed);
    if (h->scripted || chance(h, 0.5))
        def.gravity = nc_v3(0, 0, 0);
    nc_error err;
    check_ok(nc_world_create(&def, &h->world, &err), err);
    add_surroundings(h);
    if (h->scripted)
        add_crushers(h);
    for (int i = 2 + (int)(nc_random_u64(&h->random) % 12); i > 0; i--)
        add_dynamic(h);
}

// ---- what must hold ---------------------------------------------------------------------------------------------

// How much more kinetic energy there is than collisions, forces and scripts can explain [J]. By the triangle
// inequality in the norm sqrt(2 K), gravity adds at most g dt sqrt(M) to it; impulses and turning add nothing.
static double unexplained(const hostile *h, const nc_step_report *report)
{
    const double pull = nc_norm(h->world->settings.gravity) * h->dt * sqrt(h->mass);
    const double root = sqrt(2 * report->kinetic_before) + pull;
    return report->kinetic - 0.5 * root * root - report->kinematic_work;
}

static void fail_scene(const hostile *h, int step, const char *what, double value)
{
    print_error("scene %llu, step %d (dt %g, extent %g, %d bodies%s%s): %s %g\n", (unsigned long long)h->seed, step,
                h->dt, h->extent, nc_world_body_count(h->world), h->scripted ? ", crushers" : "",
                nc_norm(h->middle) > 0 ? ", far away" : "", what, value);
    _fail(__FILE__, __LINE__);
}

// At 64 times of the step and 64 more where a pair is nearest; and at its end, all pairs.
static void check_paths(const hostile *h, int step)
{
    int count = 0;
    nc_error err;
    check_ok(nc_world_audit_step(h->world, NULL, 0, &count, &err), err);
    if (count > 0)
        fail_scene(h, step, "pairs that cross on their way:", count);
    count = overlaps(h->world);
    if (count > 0)
        fail_scene(h, step, "pairs that cross:", count);
}

static void check_finite(const hostile *h, int step)
{
    const nc_bodies *bodies = &h->world->state.bodies;
    for (int i = 0; i < bodies->count; i++)
        if (bodies->alive[i] && (!nc_finite3(bodies->pose[i].x) || !nc_finite4(bodies->pose[i].q) ||
                                 !nc_finite3(bodies->v[i]) || !nc_finite3(bodies->momentum[i])))
            fail_scene(h, step, "not finite: body", i);
}

static void check_numbers(const hostile *h, int step, const nc_step_report *report, tally *sum)
{
    check_finite(h, step);
    if ((double)report->evaluations > MAX_EVALUATIONS)
        fail_scene(h, step, "evaluations", (double)report->evaluations);
    if (!(report->smallest_distance > 0))
        fail_scene(h, step, "smallest distance", report->smallest_distance);
    const double gain = unexplained(h, report), scale = report->kinetic_before + fabs(report->kinematic_work);
    if (scale > 0)
        sum->worst_gain = fmax(sum->worst_gain, gain / scale);
    if (gain > ENERGY_TOLERANCE * scale)
        fail_scene(h, step, "energy from nowhere, as a part of what there was:", gain / scale);
}

static void count_step(tally *sum, const nc_step_report *report)
{
    sum->steps++;
    sum->collisions += report->collisions;
    sum->dynamic += report->dynamic_contacts;
    sum->sticks += report->sticks;
    sum->halts += report->halts;
    sum->stalls += report->stalls;
    sum->jams += report->jams;
    sum->undecided += report->undecided;
    sum->unconverged += report->unconverged;
    sum->clamps += report->clamps;
    sum->stays += report->not_finite + report->too_far;
    sum->turn_loss += report->turn_loss;
    sum->evaluations = report->evaluations > sum->evaluations ? report->evaluations : sum->evaluations;
    sum->smallest = fmin(sum->smallest, report->smallest_distance);
}

static void run_scene(uint64_t seed, int steps, tally *sum)
{
    hostile h;
    build(&h, seed);
    sum->scenes++;
    sum->bodies += nc_world_body_count(h.world);
    for (int step = 1; step <= steps; step++) {
        nc_step_report report;
        nc_error err = {.code = NC_OK};
        if (nc_world_step(h.world, h.dt, &report, &err) != NC_OK) {
            print_error("%s\n", err.text);
            fail_scene(&h, step, "the step failed with code", err.code);
        }
        check_paths(&h, step);
        check_numbers(&h, step, &report, sum);
        count_step(sum, &report);
    }
    nc_world_destroy(h.world);
}

// Sanitizers take ten times as long.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SCENES      25
#define MAX_SECONDS 40 // [s] of processor time per step
#else
#define SCENES      200
#define MAX_SECONDS 2
#endif

static void nothing_crosses_in_random_hostile_scenes(void **state)
{
    (void)state;
    const uint64_t first = check_seed("hostile", 1000);
    const int scenes = check_effort(SCENES);
    tally sum = {.smallest = INFINITY};
    for (int k = 0; k < (scenes > 0 ? scenes : 1); k++)
        run_scene(first + (uint64_t)k, 8, &sum);
    print_message("%d scenes, %d bodies, %d steps: %lld collisions, %lld dynamic contacts, %lld sticks, %lld halts, "
                  "%lld stalls, %lld jams, %lld undecided, %lld unconverged, %lld stays, %lld clamps\n",
                  sum.scenes, sum.bodies, sum.steps, (long long)sum.collisions, (long long)sum.dynamic,
                  (long long)sum.sticks, (long long)sum.halts, (long long)sum.stalls, (long long)sum.jams,
                  (long long)sum.undecided, (long long)sum.unconverged, (long long)sum.stays, (long long)sum.clamps);
    print_message("at most %lld evaluations per step\n", (long long)sum.evaluations);
    print_message("smallest distance %g m; largest unexplained energy %g of what there was; turn loss %g J\n",
                  sum.smallest, sum.worst_gain, sum.turn_loss);
    assert_true(sum.collisions > 0);
}

// A rod in a duct that it nearly fills, at 1e7 rad/s: 1.7e5 rad per step, any of which may hit the wall. A sweep of the
// whole step takes minutes; its budget ends it, and the rod is held.
static void a_step_ends_however_fast_a_rod_spins_in_its_duct(void **state)
{
    (void)state;
    const double spins[] = {1e3, 1e5, 1e7, 1e9};
    const nc_shape_parameter wall[] = {{"radius", 0.6}, {"height", 3}};
    const nc_shape_parameter sides[] = {{"width", 0.05}, {"height", 1}, {"depth", 0.05}};
    nc_mesh *duct, *rod;
    nc_error err;
    check_ok(nc_shape_create("tube", wall, 2, NULL, &duct, &err), err);
    check_ok(nc_shape_create("box", sides, 3, NULL, &rod, &err), err);
    for (int k = 0; k < 4; k++) {
        nc_world_def def = nc_world_def_default();
        nc_world *world;
        nc_body_def fixed = nc_body_def_default(), moving = nc_body_def_default();
        nc_body_id id;
        check_ok(nc_world_create(&def, &world, &err), err);
        fixed.type = NC_STATIC;
        fixed.mesh = duct;
        moving.mesh = rod;
        moving.spin = nc_v3(0, 0, spins[k]);
        check_ok(nc_body_create(world, &fixed, NULL, &err), err);
        check_ok(nc_body_create(world, &moving, &id, &err), err);
        for (int step = 0; step < 2; step++) {
            nc_step_report report;
            const clock_t begin = clock();
            check_ok(nc_world_step(world, 1.0 / 60, &report, &err), err);
            const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
            print_message("%g rad/s: %lld evaluations, %.2f s\n", spins[k], (long long)report.evaluations, seconds);
            check_at_most((double)report.evaluations, MAX_EVALUATIONS);
            check_at_most(seconds, MAX_SECONDS);
            assert_int_equal(overlaps(world), 0);
        }
        nc_world_destroy(world);
    }
    nc_mesh_release(duct);
    nc_mesh_release(rod);
}

typedef struct patience {
    int polls, limit;
} patience;

static bool is_over(void *ctx)
{
    patience *p = ctx;
    return ++p->polls > p->limit;
}

// Wherever it comes, an interrupt leaves the world as it was; without one, asking changes nothing.
static void an_interrupted_step_leaves_the_world_as_it_was(void **state)
{
    (void)state;
    int given_up = 0;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        hostile h, plain;
        build(&h, seed);
        build(&plain, seed);
        nc_step_report report;
        nc_error err;
        patience p = {.limit = INT_MAX};
        nc_world_def settings = nc_world_settings(h.world);
        settings.workers = 1; // the polls are counted
        check_ok(nc_world_set_settings(h.world, &settings, &err), err);
        nc_world_set_interrupt(h.world, is_over, &p);
        check_ok(nc_world_step(h.world, h.dt, &report, &err), err);
        check_ok(nc_world_step(plain.world, h.dt, &report, &err), err);
        assert_true(nc_world_hash(h.world) == nc_world_hash(plain.world));
        const uint64_t before = nc_world_hash(h.world);
        for (int limit = 0;; limit = 2 * limit + 1) {
            p = (patience){.limit = limit};
            const nc_code code = nc_world_step(h.world, h.dt, &report, &err);
            if (code == NC_OK)
                break;
            given_up++;
            assert_int_equal(code, NC_INTERRUPTED);
            assert_true(nc_world_hash(h.world) == before);
        }
        check_ok(nc_world_step(plain.world, h.dt, &report, &err), err);
        assert_true(nc_world_hash(h.world) == nc_world_hash(plain.world));
        nc_world_destroy(h.world);
        nc_world_destroy(plain.world);
    }
    print_message("%d steps were given up\n", given_up);
    assert_true(given_up > 12);
}

// Forces up to the largest numbers there are: what cannot be computed stays where it is, and says so.
static void absurd_forces_break_nothing(void **state)
{
    (void)state;
    static const double sizes[] = {1e6, 1e20, 1e100, 1e200, 1e308};
    for (int k = 0; k < 10; k++) {
        hostile h = {.seed = (uint64_t)k, .random = {77 + (uint64_t)k}, .dt = 1.0 / 24, .extent = 4};
        nc_world_def def = nc_world_def_default();
        nc_error err;
        choose_settings(&def, (uint64_t)k);
        check_ok(nc_world_create(&def, &h.world, &err), err);
        add_surroundings(&h);
        for (int i = 0; i < 5; i++)
            add_dynamic(&h);
        nc_body_id id[MAX_BODIES];
        const int count = nc_world_bodies(h.world, id, MAX_BODIES);
        for (int i = 0; i < count; i++) {
            const double size = sizes[(i + k) % 5];
            nc_body_set_force(h.world, id[i], nc_scale(size, direction(&h)), nc_scale(size, direction(&h)), &err);
        }
        for (int step = 1; step <= 4; step++) {
            nc_step_report report;
            check_ok(nc_world_step(h.world, h.dt, &report, &err), err);
            check_paths(&h, step);
            check_finite(&h, step);
        }
        nc_world_destroy(h.world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_crosses_in_random_hostile_scenes),
        cmocka_unit_test(a_step_ends_however_fast_a_rod_spins_in_its_duct),
        cmocka_unit_test(an_interrupted_step_leaves_the_world_as_it_was),
        cmocka_unit_test(absurd_forces_break_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
