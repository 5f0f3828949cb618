// Random cluttered scenes: thin bodies that fall into a tube. No body leaps, and no energy comes from nowhere.
//
// Scene k of a run has seed (first seed + k); a failure prints it, and NACRE_SEED=that NACRE_EFFORT=0.01 repeats it.
#include "check.h"

#include "nacre/nacre.h"

#include "base/base.h"
#include "geom/geom.h"

#define MOST   64
#define SHAPES 5

// A rod that turned by 3 rad in a step, among bodies that rubbed: its velocity was carried to where it had 400 J more;
// and a body that was struck and stopped within one step, once 1.04 times as far as is allowed.
static const uint64_t HARD[] = {16102, 16162};

#define LIFT        3  // [d_rest] per step
#define PRINTED_MAX 20 // failures that are printed

typedef struct clutter {
    uint64_t seed;
    nc_random random;
    nc_world *world;
    nc_mesh *shapes[SHAPES], *tube, *ground;
    double dt;
    double mass;   // [kg] of all
    double energy; // [J] at the start
    const char *kind;
} clutter;

static double pick(clutter *c, double low, double high)
{
    return nc_random_range(&c->random, low, high);
}

static nc_mesh *shape(const char *name, const nc_shape_parameter *parameters, int count)
{
    nc_mesh *mesh = NULL;
    nc_error err;
    check_ok(nc_shape_create(name, parameters, count, NULL, &mesh, &err), err);
    return mesh;
}

static void make_shapes(clutter *c)
{
    const nc_shape_parameter rod[] = {{"width", 0.04}, {"height", 1.2}, {"depth", 0.04}};
    const nc_shape_parameter sheet[] = {{"width", 0.7}, {"height", 0.015}, {"depth", 0.5}};
    const nc_shape_parameter wall[] = {{"radius", 1.1}, {"height", 3}};
    const nc_shape_parameter floor[] = {{"size", 30}};
    c->shapes[0] = shape("ring", NULL, 0);
    c->shapes[1] = shape("boat", NULL, 0);
    c->shapes[2] = shape("box", rod, 3);
    c->shapes[3] = shape("box", sheet, 3);
    c->shapes[4] = shape("triangle", NULL, 0);
    c->tube = shape("tube", wall, 2);
    c->ground = shape("plane", floor, 1);
}

static void add_fixed(clutter *c, nc_mesh *mesh, double height)
{
    nc_body_def def = nc_body_def_default();
    nc_error err;
    def.type = NC_STATIC;
    def.mesh = mesh;
    def.position = nc_v3(0, height, 0);
    check_ok(nc_body_create(c->world, &def, NULL, &err), err);
}

// On top of what is there, whatever its orientation; *height [m] is raised.
static void add_thin(clutter *c, double *height)
{
    nc_body_def def = nc_body_def_default();
    nc_body_state state;
    nc_body_id id;
    nc_error err;
    def.mesh = c->shapes[nc_random_u64(&c->random) % SHAPES];
    const double x = pick(c, -0.4, 0.4), z = pick(c, -0.4, 0.4), reach = nc_mesh_radius(def.mesh);
    def.position = nc_v3(x, *height + reach, z);
    *height += 2 * reach + 0.02;
    const double a = pick(c, -3, 3), b = pick(c, -3, 3);
    def.orientation = nc_quat_from_rotation_vector(nc_v3(a, b, pick(c, -3, 3)));
    const double down = pick(c, -8, 0), u = pick(c, -4, 4), v = pick(c, -4, 4);
    def.velocity = nc_v3(0.1 * u, down, 0.1 * v);
    def.spin = nc_v3(u, v, pick(c, -4, 4));
    check_ok(nc_body_create(c->world, &def, &id, &err), err);
    check_ok(nc_body_read(c->world, id, &state, &err), err);
    c->mass += state.mass;
}

static void build(clutter *c, uint64_t seed)
{
    static const char *const kinds[] = {"shell", "few iterations", "vsp"};
    *c = (clutter){.seed = seed, .random = {seed}};
    nc_world_def def = nc_world_def_default();
    nc_error err;
    const int kind = (int)(seed % 3);
    c->kind = kinds[kind];
    c->dt = 1.0 / pick(c, 8, 100);
    if (kind == 1) {
        def.collision_iterations = def.dynamic_iterations = 1;
        def.contact_iterations = 2;
    } else if (kind == 2) {
        def.pipeline = NC_PIPELINE_VSP;
        c->dt = 1.0 / pick(c, 100, 240); // above 0.01 s its energies are not reliable, and it says so
    }
    check_ok(nc_world_create(&def, &c->world, &err), err);
    make_shapes(c);
    add_fixed(c, c->ground, 0);
    add_fixed(c, c->tube, 1.6);
    const int count = 15 + (int)(nc_random_u64(&c->random) % 36);
    double height = 4;
    for (int i = 0; i < count; i++)
        add_thin(c, &height);
}

static void demolish(clutter *c)
{
    nc_world_destroy(c->world);
    for (int i = 0; i < SHAPES; i++)
        nc_mesh_release(c->shapes[i]);
    nc_mesh_release(c->tube);
    nc_mesh_release(c->ground);
}

static void read_all(const clutter *c, nc_body_state *out, int *count)
{
    nc_body_id ids[MOST];
    nc_error err;
    *count = nc_world_bodies(c->world, ids, MOST);
    for (int i = 0; i < *count; i++)
        check_ok(nc_body_read(c->world, ids[i], &out[i], &err), err);
}

typedef struct tally {
    int scenes, steps;
    long bounded, sticks;
    double farthest; // [1] of what is allowed
    double rise;     // [1] of what is allowed
    int leaps, rises;
} tally;

static void check_leaps(const clutter *c, int step, const nc_body_state *before, const nc_body_state *after, int count,
                        tally *sum)
{
    const double g = 9.8, rest = nc_world_settings(c->world).rest_distance;
    for (int i = 0; i < count; i++) {
        const double way = nc_norm(nc_sub(after[i].pose.x, before[i].pose.x));
        const double speed = fmax(nc_norm(before[i].velocity), nc_norm(after[i].velocity));
        const double allowed = 3 * (speed * c->dt + g * c->dt * c->dt) + LIFT * rest;
        sum->farthest = fmax(sum->farthest, way / allowed);
        if (way > allowed && sum->leaps++ < PRINTED_MAX)
            print_error("scene %llu (%s, dt %g), step %d: body %d goes %g m, at most %g m are explained\n",
                        (unsigned long long)c->seed, c->kind, c->dt, step, i, way, allowed);
    }
}

// Positions may lift each body by as many rest distances as a leap may have (LIFT), and give nothing for it; all else
// loses energy. So no step adds more than that, and no state has more than the start.
static void check_energy(const clutter *c, int step, const nc_step_report *r, tally *sum)
{
    const double rise = r->kinetic + r->potential - r->kinetic_before - r->potential_before;
    const double scale = r->kinetic_before + fabs(r->potential_before);
    const double allowed = 1e-9 * scale + LIFT * c->mass * 9.8 * nc_world_settings(c->world).rest_distance;
    sum->rise = fmax(sum->rise, rise / allowed);
    sum->rises += r->kinetic + r->potential > c->energy + allowed;
    if (rise > allowed && sum->rises++ < PRINTED_MAX)
        print_error("scene %llu (%s, dt %g), step %d: energy rises by %g J, at most %g J are explained\n",
                    (unsigned long long)c->seed, c->kind, c->dt, step, rise, allowed);
}

static double energy_of(const nc_world *world)
{
    nc_step_report now;
    nc_error err;
    check_ok(nc_world_measure(world, &now, &err), err);
    return now.kinetic + now.potential;
}

static void run_scene(uint64_t seed, tally *sum)
{
    static nc_body_state before[MOST], after[MOST];
    clutter c;
    int count;
    build(&c, seed);
    c.energy = energy_of(c.world);
    read_all(&c, before, &count);
    sum->scenes++;
    const int steps = (int)(2.5 / c.dt); // [s] by then most have come to rest in the tube
    for (int step = 1; step <= steps; step++) {
        nc_step_report report;
        nc_error err;
        check_ok(nc_world_step(c.world, c.dt, &report, &err), err);
        read_all(&c, after, &count);
        check_leaps(&c, step, before, after, count, sum);
        check_energy(&c, step, &report, sum);
        sum->steps++;
        sum->bounded += report.bounded;
        sum->sticks += report.sticks;
        memcpy(before, after, sizeof before);
    }
    demolish(&c);
}

static void no_body_leaps_and_no_energy_appears(void **state)
{
    (void)state;
    const uint64_t first = check_seed("clutter", 16000);
    const int scenes = check_effort(9);
    tally sum = {0};
    for (int k = 0; k < (int)(sizeof HARD / sizeof HARD[0]); k++)
        run_scene(HARD[k], &sum);
    for (int k = 0; k < (scenes > 0 ? scenes : 1); k++)
        run_scene(first + (uint64_t)k, &sum);
    print_message(
        "%d scenes, %d steps: %ld proposals shortened, %ld sticks; farthest %.2f of what is explained, energy "
        "rises by %.2g of it\n",
        sum.scenes, sum.steps, sum.bounded, sum.sticks, sum.farthest, sum.rise);
    assert_int_equal(sum.leaps, 0);
    assert_int_equal(sum.rises, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_body_leaps_and_no_energy_appears),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
