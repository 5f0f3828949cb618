// Energy of what contact acted on, and velocities of what certify held (energy.c, held.c).
//
// Random scene k of a run has seed (first seed + k); a failure prints it.
#include "check.h"
#include "scene_text.h"

#include "nacre/world.h"

#include "base/base.h"
#include "step/step.h"

#define MOST 32 // [1] bodies of a scene

typedef struct stage {
    nc_scene *scene;
    nc_world *world;
    int count;
    nc_body_id ids[MOST];
    nc_body_state before[MOST], after[MOST]; // of the last step
    nc_step_report report;
} stage;

static void enter(stage *s, const char *text)
{
    s->scene = scene_of(text);
    s->world = world_of(s->scene);
    s->count = nc_world_bodies(s->world, s->ids, MOST);
    assert_true(s->count <= MOST);
}

static void leave(stage *s)
{
    nc_world_destroy(s->world);
    nc_scene_destroy(s->scene);
}

static void read_all(const stage *s, nc_body_state *out)
{
    nc_error err;
    for (int i = 0; i < s->count; i++)
        check_ok(nc_body_read(s->world, s->ids[i], &out[i], &err), err);
}

static void step_once(stage *s, double dt)
{
    nc_error err;
    read_all(s, s->before);
    check_ok(nc_world_step(s->world, dt, &s->report, &err), err);
    read_all(s, s->after);
}

static nc_body_state find(const stage *s, const char *name)
{
    nc_body_state body;
    nc_error err;
    check_ok(nc_body_read(s->world, nc_world_find(s->world, name), &body, &err), err);
    return body;
}

// ---- random scenes -------------------------------------------------------------------------------------------

typedef struct draft {
    char text[8000];
    size_t size;
    nc_random random;
} draft;

static double pick(draft *d, double low, double high)
{
    return nc_random_range(&d->random, low, high);
}

#define put(d, ...)                                                                                                    \
    do {                                                                                                               \
        (d)->size += (size_t)snprintf((d)->text + (d)->size, sizeof(d)->text - (d)->size, __VA_ARGS__);                \
        assert_true((d)->size < sizeof(d)->text);                                                                      \
    } while (0)

// A box, a rod or a ball with any orientation and motion.
static void write_body(draft *d, int k, nc_vec3 at)
{
    static const char *const shapes[] = {"box", "rod", "ball"};
    const double a = pick(d, -180, 180), b = pick(d, -180, 180), u = pick(d, -3, 3), w = pick(d, -3, 3);
    const double down = pick(d, -4, 1);
    put(d,
        "  - {shape: %s, position: [%.6f, %.6f, %.6f], rotation: {euler: [%.3f, %.3f, 20]}, "
        "velocity: [%.3f, %.3f, %.3f], spin: [%.3f, %.3f, %.3f]}\n",
        shapes[k % 3], at.x, at.y, at.z, a, b, 0.3 * u, down, 0.3 * w, w, down, u);
}

static void write_head(draft *d, const char *pipeline, const char *gravity)
{
    const double friction = nc_random_u64(&d->random) % 2 == 0 ? 0 : 0.5;
    const double restitution = nc_random_u64(&d->random) % 2 == 0 ? 0 : 0.6;
    put(d, "nacre: 1\nworld: {pipeline: %s, gravity: %s, friction: %g, restitution: %g}\n", pipeline, gravity, friction,
        restitution);
    put(d, "shapes: {ground: {generate: plane, size: 20}, tube: {generate: tube, radius: 0.6, height: 1.5}, "
           "box: {generate: box, width: 0.3, height: 0.2, depth: 0.25}, "
           "rod: {generate: box, width: 0.05, height: 0.5, depth: 0.05}, "
           "ball: {generate: sphere, radius: 0.12, splits: 1}, "
           "side: {generate: box, width: 0.1, height: 0.6, depth: 1.2}}\nbodies:\n");
}

// Bodies that fall on the ground, into a tube, or into a box without a lid.
static void write_fall(draft *d, uint64_t seed, const char *pipeline)
{
    *d = (draft){.random = {seed}};
    write_head(d, pipeline, "[0, -9.8, 0]");
    put(d, "  - {shape: ground, type: static}\n");
    const int kind = (int)(nc_random_u64(&d->random) % 3);
    if (kind == 1)
        put(d, "  - {shape: tube, type: static, position: [0, 0.8, 0]}\n");
    for (int k = 0; kind == 2 && k < 4; k++) {
        const double way = k % 2 == 0 ? 0.8 : -0.8;
        put(d, "  - {shape: side, type: static, position: [%g, 0.35, %g], rotation: {euler: [0, %d, 0]}}\n",
            k < 2 ? way : 0, k < 2 ? 0 : way, k < 2 ? 0 : 90);
    }
    for (int k = 0; k < 8; k++) {
        const double x = pick(d, -0.2, 0.2), z = pick(d, -0.2, 0.2);
        write_body(d, k, nc_v3(x, (kind == 1 ? 1.9 : 0.4) + 0.55 * k, z));
    }
}

// ---- no group gains energy -----------------------------------------------------------------------------------

#define GAIN 1e-9 // [1] of what was turned over

// Bodies that contact acted between in the last step; at its lowest slot.
typedef struct group {
    bool held, moved; // by a fixed body; by anything
    bool stuck;       // certify joined members
    double rise;      // [J] of kinetic and potential energy
    double inner;     // [J] kinetic energy but for what the ground cannot take: horizontal motion
    double mass;      // [kg]
    nc_vec3 momentum; // [kg m/s] gained, without what gravity gave
} group;

enum { HELD_BY_FIXED = 2 }; // of energy.c

static int group_of(const nc_workspace *w, int i)
{
    while (w->ties.to.data[i] != i)
        i = w->ties.to.data[i];
    return i;
}

static void add_up(const stage *s, double dt, group *groups)
{
    const nc_vec3 gravity = nc_world_settings(s->world).gravity;
    const nc_workspace *w = s->world->workspace;
    memset(groups, 0, MOST * sizeof *groups);
    for (int i = 0; i < s->count; i++) {
        const nc_body_state *a = &s->before[i], *b = &s->after[i];
        if (b->type != NC_DYNAMIC)
            continue;
        group *g = &groups[group_of(w, i)];
        const nc_vec3 way = nc_sub(b->pose.x, a->pose.x);
        g->held = g->held || (w->ties.marks.data[i] & HELD_BY_FIXED) != 0;
        g->moved = g->moved || w->ties.marks.data[i] != 0;
        g->stuck = g->stuck || w->fate[i].stuck;
        g->rise += b->kinetic - a->kinetic - b->mass * nc_dot(gravity, way);
        g->inner += b->kinetic - 0.5 * b->mass * (b->velocity.x * b->velocity.x + b->velocity.z * b->velocity.z);
        g->mass += b->mass;
        const nc_vec3 gained = nc_sub(nc_sub(b->velocity, a->velocity), nc_scale(dt, gravity));
        g->momentum = nc_madd(g->momentum, b->mass, gained);
    }
}

typedef struct tally {
    int held, floating, exhausted, failures;
    double rise;     // [1] largest of a group, of what was turned over
    double momentum; // [m/s] largest that a floating group gained, of its mass
} tally;

// A group that a fixed body acted on gains nothing, unless all it could give is used up: pushed to its rest distance,
// it lies higher than it has energy for. A group that floats keeps its momentum, unless certify joins it: then it moves
// as one. A body that nothing acted on gains nothing.
static void check_group(const group *g, double turned, tally *sum)
{
    if (!g->held && g->moved) {
        sum->floating++;
        if (!g->stuck)
            sum->momentum = fmax(sum->momentum, nc_norm(g->momentum) / g->mass);
        return;
    }
    sum->held += g->held;
    if (g->rise > GAIN * turned && g->held && g->inner < 1e-12 * turned) {
        sum->exhausted++;
        return;
    }
    sum->rise = fmax(sum->rise, g->rise / turned);
}

static void run_fall(uint64_t seed, const char *pipeline, double dt, double seconds, tally *sum)
{
    static draft d;
    static stage s;
    group groups[MOST];
    nc_error err;
    write_fall(&d, seed, pipeline);
    enter(&s, d.text);
    check_ok(nc_world_measure(s.world, &s.report, &err), err);
    double turned = s.report.kinetic;
    for (int step = 0; step < seconds / dt; step++) {
        step_once(&s, dt);
        turned += fabs(s.report.potential - s.report.potential_before);
        add_up(&s, dt, groups);
        const tally before = *sum;
        for (int i = 0; i < s.count; i++)
            if (groups[i].mass > 0)
                check_group(&groups[i], turned, sum);
        if (sum->rise > fmax(GAIN, before.rise) || sum->momentum > fmax(1e-12, before.momentum)) {
            print_error("scene %llu (%s, dt %g), step %d: a group gains %g of the energy, or %g m/s\n",
                        (unsigned long long)seed, pipeline, dt, step, sum->rise, sum->momentum);
            sum->failures++;
        }
    }
    leave(&s);
}

static void bodies_that_fixed_ones_act_on_gain_no_energy(void **state)
{
    (void)state;
    static const char *const pipelines[] = {"shell", "vsp"};
    static const double steps[] = {1.0 / 100, 1.0 / 24};
    const uint64_t first = check_seed("falls", 2701);
    tally sum = {0};
    for (int k = 0; k < check_effort(16); k++)
        run_fall(first + (uint64_t)k, pipelines[k % 2], steps[k / 2 % 2], 1.2, &sum);
    print_message("%d groups held, %d of them with no energy left to give, %d floating; rises at most %.2g of what was "
                  "turned over; floating groups gain at most %.2g m/s\n",
                  sum.held, sum.exhausted, sum.floating, sum.rise, sum.momentum);
    assert_true(sum.held > 500 && sum.floating > 10);
    check_at_most(sum.exhausted, 0.02 * sum.held);
    assert_int_equal(sum.failures, 0);
}

// ---- what nothing acts on is kept ------------------------------------------------------------------------------

// On a plane without friction: its weight is carried, and its horizontal velocity stays.
static void a_slider_without_friction_keeps_its_horizontal_velocity(void **state)
{
    (void)state;
    static const double steps[] = {1.0 / 100, 1.0 / 24};
    for (int k = 0; k < 2; k++) {
        draft d = {.size = 0};
        put(&d, "nacre: 1\nworld: {friction: 0, restitution: 0}\n");
        put(&d, "shapes: {ground: {generate: plane, size: 40}, box: {generate: box, size: 0.4}}\n"
                "bodies: [{shape: ground, type: static}, "
                "{name: box, shape: box, position: [0, 0.2007, 0], velocity: [2, 0, 0.5], spin: [0, 1, 0]}]\n");
        static stage s;
        enter(&s, d.text);
        for (int step = 0; step < 1 / steps[k]; step++) {
            step_once(&s, steps[k]);
            check_near(s.after[1].velocity.x, s.before[1].velocity.x, 1e-11);
            check_near(s.after[1].velocity.z, s.before[1].velocity.z, 1e-11);
        }
        check_near(find(&s, "box").velocity.x, 2, 1e-9);
        check_near(find(&s, "box").velocity.y, 0, 1e-6);
        leave(&s);
    }
}

// A tumbling box and a rod on it, both over a plane without friction: what they lose is not taken from the horizontal
// velocity of their common centre of mass. (Normals have the rounding of places over the distance at an impact.)
static void tumblers_without_friction_keep_their_horizontal_momentum(void **state)
{
    (void)state;
    static const double steps[] = {1.0 / 100, 1.0 / 24};
    for (int k = 0; k < 2; k++) {
        draft d = {.size = 0};
        put(&d, "nacre: 1\nworld: {friction: 0, restitution: 0}\n");
        put(&d, "shapes: {ground: {generate: plane, size: 40}, box: {generate: box, size: 0.4}, "
                "rod: {generate: box, width: 0.1, height: 0.1, depth: 0.6}}\n"
                "bodies:\n"
                "  - {shape: ground, type: static}\n"
                "  - {name: box, shape: box, position: [0, 0.35, 0], rotation: {euler: [10, 5, 20]}, "
                "velocity: [2, -1, 0.5], spin: [1, 2, 3]}\n"
                "  - {name: rod, shape: rod, position: [0, 0.7, 0], velocity: [2, -1, 0.5]}\n");
        static stage s;
        enter(&s, d.text);
        double lost = 0;
        for (int step = 0; step < 1.5 / steps[k]; step++) {
            step_once(&s, steps[k]);
            const nc_body_state box = find(&s, "box"), rod = find(&s, "rod");
            const double mass = box.mass + rod.mass;
            check_near((box.mass * box.velocity.x + rod.mass * rod.velocity.x) / mass, 2, 1e-9);
            check_near((box.mass * box.velocity.z + rod.mass * rod.velocity.z) / mass, 0.5, 1e-9);
            lost += s.report.kinetic_before + s.report.potential_before - s.report.kinetic - s.report.potential;
        }
        check_at_most(-lost, -10); // [J] or this shows nothing
        leave(&s);
    }
}

// Without gravity and with nothing fixed, collisions keep linear and angular momentum, whatever they do to the energy.
static void floating_bodies_that_collide_keep_their_momentum(void **state)
{
    (void)state;
    const uint64_t first = check_seed("floating", 2702);
    int collisions = 0;
    for (int k = 0; k < check_effort(8); k++) {
        static draft d;
        static stage s;
        d = (draft){.random = {first + (uint64_t)k}};
        write_head(&d, k % 2 == 0 ? "shell" : "vsp", "[0, 0, 0]");
        for (int i = 0; i < 8; i++) // the upper ones follow faster
            write_body(&d, i, nc_v3(pick(&d, -0.1, 0.1), 0.55 * i, pick(&d, -0.1, 0.1)));
        enter(&s, d.text);
        nc_error err;
        check_ok(nc_world_measure(s.world, &s.report, &err), err);
        const nc_vec3 momentum = s.report.momentum;
        for (int step = 0; step < 60; step++) {
            step_once(&s, 1.0 / 100);
            collisions += s.report.collisions + s.report.contacts;
            if (s.report.sticks > 0) // certify joined bodies: they follow their common motion
                break;
            check_near(nc_norm(nc_sub(s.report.momentum, momentum)) / nc_norm(momentum), 0, 1e-12);
        }
        leave(&s);
    }
    assert_true(collisions > 20);
}

// ---- what is given back ----------------------------------------------------------------------------------------

// Two cubes ride on a table that floats, held up by a force on it, and turns freely: what friction gives to the cubes
// it takes from the table, at the same place and time.
static void cubes_on_a_table_that_turns_freely_keep_the_angular_momentum(void **state)
{
    (void)state;
    static const double steps[] = {1.0 / 24, 1.0 / 100}, spins[] = {0.8, 2};
    for (int k = 0; k < 4; k++) {
        const double dt = steps[k % 2], spin = spins[k / 2];
        char text[1200];
        // the table has 200 kg, a cube 8 kg
        snprintf(text, sizeof text,
                 "nacre: 1\n"
                 "world: {friction: 0.8, restitution: 0, gravity: [0, -9.8, 0], rest_distance: 0.001}\n"
                 "shapes: {table: {generate: box, width: 2, height: 0.1, depth: 2, mass: 200}, "
                 "cube: {generate: box, size: 0.2, mass: 8}}\n"
                 "bodies: [{name: table, shape: table, spin: [0, %g, 0], force: [0, %.17g, 0]}, "
                 "{name: cube, shape: cube, position: [0.8, 0.151, 0], velocity: [0, 0, %g], spin: [0, %g, 0]}, "
                 "{shape: cube, position: [-0.8, 0.151, 0], velocity: [0, 0, %g], spin: [0, %g, 0]}]\n",
                 spin, 216 * 9.8, -0.8 * spin, spin, 0.8 * spin, spin);
        stage s;
        enter(&s, text);
        double first = 0, energy = 0;
        for (int step = 0; step * dt < 4; step++) {
            step_once(&s, dt);
            first = step == 0 ? s.report.angular_momentum.y : first;
            energy = step == 0 ? s.report.kinetic : energy;
            check_near(s.report.angular_momentum.y / first, 1, 1e-7);
            check_at_most(s.report.kinetic, energy * (1 + 1e-9));
        }
        const nc_body_state cube = find(&s, "cube");
        check_near(sqrt(cube.pose.x.x * cube.pose.x.x + cube.pose.x.z * cube.pose.x.z), 0.8, 1e-4);
        check_near(find(&s, "table").spin.y / spin, 1, 1e-4);
        leave(&s);
    }
}

static void a_pendulum_on_a_pin_keeps_97_percent_and_never_gains(void **state)
{
    (void)state;
    static stage s;
    enter(&s, "nacre: 1\n"
              "world: {friction: 0, restitution: 0}\n"
              "shapes: {arm: {generate: flat_bar, length: 0.3, width: 0.04, depth: 0.02, hole: 0.0105, segments: 48}, "
              "pin: {generate: cylinder, radius: 0.0103, height: 0.06, segments: 48}}\n"
              "bodies: [{shape: pin, type: static, position: [0, 0.15, 0], rotation: {euler: [90, 0, 0]}}, "
              "{name: arm, shape: arm, position: [0.15, 0.15, 0]}]\n"); // its lowest position has energy 0
    nc_error err;
    check_ok(nc_world_measure(s.world, &s.report, &err), err);
    const double start = s.report.kinetic + s.report.potential;
    double before = start;
    for (int step = 0; step < 250; step++) {
        step_once(&s, 1.0 / 100);
        const double now = s.report.kinetic + s.report.potential;
        check_at_most(now - before, 1e-12 * start);
        before = now;
    }
    print_message("a pendulum keeps %.5f of its energy in 2.5 s\n", before / start);
    check_at_most(0.97, before / start);
    leave(&s);
}

// Dropped by 1 mm without restitution, flat or on an edge: the energy of the fall is gone, and nothing gives it back.
static void a_soft_landing_loses_its_energy(void **state)
{
    (void)state;
    static const double tilts[] = {0, 0.05, 3};
    for (int k = 0; k < 3; k++) {
        draft d = {.size = 0};
        put(&d, "nacre: 1\nworld: {friction: 0, restitution: 0}\n"
                "shapes: {ground: {generate: plane, size: 4}, box: {generate: box, size: 0.2}}\n");
        const double turn = tilts[k] * NC_PI / 180, low = 0.1 * (cos(turn) + sin(turn));
        put(&d,
            "bodies: [{shape: ground, type: static}, {name: box, shape: box, position: [0, %.9f, 0], rotation: "
            "{euler: [0, 0, %g]}}]\n",
            low + 0.001 + 0.00034641, tilts[k]); // 0.1% of its diagonal
        static stage s;
        enter(&s, d.text);
        double lowest = find(&s, "box").pose.x.y;
        for (int step = 0; step < 200; step++) {
            step_once(&s, 1.0 / 100);
            const double height = find(&s, "box").pose.x.y;
            check_at_most(height - lowest, k < 2 ? 2e-6 : 1e-4); // [m] no bounce
            lowest = fmin(lowest, height);
        }
        check_at_most(s.report.kinetic, 1e-9 * 8 * 9.8 * 0.001);
        check_near(find(&s, "box").pose.x.y, 0.1 + 0.00034641, 1e-6);
        leave(&s);
    }
}

// Cubes that fall on each other at up to 8 m/s, without restitution: impacts leave some nearer than they rest, and the
// way back is paid for by the impact.
static void a_stack_that_lands_gains_no_energy_on_the_way_to_its_rest_distance(void **state)
{
    (void)state;
    static stage s;
    enter(&s, "nacre: 1\nworld: {friction: 0, restitution: 0}\n"
              "shapes: {ground: {generate: plane, size: 4}, box: {generate: box, size: 1}}\n"
              "bodies: [{shape: ground, type: static}, {shape: box, position: [0, 2, 0]}, "
              "{shape: box, position: [0, 4, 0]}, {shape: box, position: [0, 6, 0]}, "
              "{shape: box, position: [0, 8, 0]}]\n");
    double least = INFINITY, rise = 0, turned = 0, nearest = INFINITY;
    for (int step = 0; step < 300; step++) {
        step_once(&s, 1.0 / 100);
        const double energy = s.report.kinetic + s.report.potential;
        least = fmin(least, energy);
        rise = fmax(rise, energy - least);
        turned = fmax(turned, s.report.kinetic);
        nearest = fmin(nearest, s.report.smallest_distance);
    }
    print_message("rises by %.2g of the energy; nearest %g m\n", rise / turned, nearest);
    check_at_most(nearest, 0.9 * 0.001 * sqrt(3)); // some did come nearer than they rest
    check_at_most(rise, GAIN * turned);
    check_at_most(s.report.kinetic, 1e-9 * turned);
    leave(&s);
}

// ---- held ------------------------------------------------------------------------------------------------------

// Two scripted plates that close too far on a falling box without friction: certify holds it, step after step.
static void a_body_that_is_held_has_the_velocity_of_its_motion(void **state)
{
    (void)state;
    static stage s;
    const double dt = 1.0 / 240;
    enter(&s, "nacre: 1\n"
              "world: {friction: 0, restitution: 0}\n"
              "shapes: {box: {generate: box, size: 0.08}, "
              "plate: {generate: box, width: 0.02, height: 0.6, depth: 0.06}}\n"
              "bodies:\n"
              "  - {name: box, shape: box}\n"
              "  - {shape: plate, type: kinematic, keyframes: [{time: 0, position: [-0.0502, 0, 0]}, "
              "{time: 0.5, position: [-0.046, 0, 0]}]}\n"
              "  - {shape: plate, type: kinematic, keyframes: [{time: 0, position: [0.0502, 0, 0]}, "
              "{time: 0.5, position: [0.046, 0, 0]}]}\n");
    int held = 0, longest = 0;
    for (int step = 0; step < 200; step++) {
        step_once(&s, dt);
        const nc_workspace *w = s.world->workspace;
        const nc_body_state *a = &s.before[0], *b = &s.after[0];
        held = w->fate[0].stuck || w->fate[0].halted ? held + 1 : 0;
        longest = held > longest ? held : longest;
        if (held < 2) // a single step says little
            continue;
        const nc_vec3 made = nc_scale(1 / dt, nc_sub(b->pose.x, a->pose.x));
        check_at_most(nc_norm(nc_sub(b->velocity, made)), 1e-9);
        check_at_most(s.report.velocity_error, 1e-6);
    }
    print_message("held in %d steps in a row\n", longest);
    assert_true(longest > 20); // or this shows nothing
    leave(&s);
}

typedef struct held_tally {
    int held;     // bodies that certify held in two steps in a row and that moved little in both
    double worst; // [m/s] difference of velocity and motion
} held_tally;

// Motion [m/s] of the centre, and of the farthest point by turning; and how far the stored velocities are from both.
typedef struct motion_in_step {
    double size, error;
} motion_in_step;

static motion_in_step motion_in(const stage *s, int i, double dt)
{
    const nc_body_state *a = &s->before[i], *b = &s->after[i];
    const nc_workspace *work = s->world->workspace;
    const double radius = nc_mesh_radius(work->mesh[i]);
    const nc_vec3 v = nc_scale(1 / dt, nc_sub(b->pose.x, a->pose.x));
    const nc_vec3 turn = nc_quat_rotation_vector(nc_quat_mul(b->pose.q, nc_quat_conj(a->pose.q)));
    const nc_vec3 w = nc_scale(1 / dt, turn);
    return (motion_in_step){fmax(nc_norm(v), radius * nc_norm(w)),
                            fmax(nc_norm(nc_sub(b->velocity, v)), radius * nc_norm(nc_sub(b->spin, w)))};
}

static void tally_held(const stage *s, double dt, int *in_a_row, held_tally *sum)
{
    const nc_workspace *w = s->world->workspace;
    for (int i = 0; i < s->count; i++) {
        const motion_in_step motion = motion_in(s, i, dt);
        const bool held = (w->fate[i].stuck || w->fate[i].halted) && w->role[i] == NC_ROLE_FREE;
        in_a_row[i] = held && motion.size < 0.1 * 9.8 * dt ? in_a_row[i] + 1 : 0;
        if (in_a_row[i] < 2)
            continue;
        sum->held++;
        sum->worst = fmax(sum->worst, motion.error);
    }
}

// Boats and boxes that fall into a bowl, with next to no iterations: certify has to hold them, for steps on end, while
// others join them. None keeps a velocity that it does not have (7.7 g dt when bodies waited for all that they stuck
// to).
static void a_pile_that_is_held_keeps_no_velocity(void **state)
{
    (void)state;
    static stage s;
    const double dt = 1.0 / 15;
    enter(&s, "nacre: 1\nseed: 3\n"
              "world: {collision_iterations: 2, dynamic_iterations: 2}\n"
              "shapes:\n"
              "  bowl: {generate: bowl, radius: 4, segments: 24, rings: 8}\n"
              "  boat: {generate: boat, length: 1, thickness: 0.01, density: 600}\n"
              "  box: {generate: box, size: 0.5, density: 600}\n"
              "bodies:\n"
              "  - {shape: bowl, type: static}\n"
              "  - {shape: boat, pile: {count: [2, 3, 2], spacing: 1.2, center: [0, -0.5, 0]}}\n"
              "  - {shape: box, pile: {count: [1, 6, 1], spacing: 0.95, center: [0, 4.5, 0]}}\n");
    int in_a_row[MOST] = {0};
    held_tally sum = {0};
    for (int step = 0; step < 100; step++) {
        step_once(&s, dt);
        tally_held(&s, dt, in_a_row, &sum);
    }
    print_message("%d held: velocity and motion differ by %.2g g dt at most\n", sum.held, sum.worst / (9.8 * dt));
    assert_true(sum.held > 30); // or this shows nothing
    check_at_most(sum.worst, 0.5 * 9.8 * dt);
    leave(&s);
}

// Sums over the candidates of a step's two bodies.
typedef struct momenta {
    nc_vec3 linear, angular; // [kg m/s], [kg m^2/s] about the origin
    double energy;           // [J]
} momenta;

static momenta momenta_of(const nc_world *world)
{
    const nc_bodies *bodies = &world->state.bodies;
    const nc_candidates *next = &world->candidates;
    momenta sum = {{0, 0, 0}, {0, 0, 0}, 0};
    for (int i = 0; i < bodies->count; i++) {
        const nc_vec3 p = nc_scale(bodies->mass[i], next->v[i]);
        sum.linear = nc_add(sum.linear, p);
        sum.angular = nc_add(sum.angular, nc_add(nc_cross(next->pose[i].x, p), next->momentum[i]));
        sum.energy += nc_body_kinetic(bodies, i, next->pose[i], next->v[i], next->momentum[i]);
    }
    return sum;
}

// What certify joined, in the step before as well, to nothing of infinite mass: two boxes with any velocities.
static void bodies_that_stick_to_each_other_move_on_as_one_and_keep_both_momenta(void **state)
{
    (void)state;
    static stage s;
    enter(&s, "nacre: 1\nworld: {gravity: [0, 0, 0]}\nshapes: {box: {generate: box, width: 0.3, height: 0.5}}\n"
              "bodies: [{shape: box, position: [1, 0, 0], velocity: [1, 2, 0], spin: [1, 0, 3]}, "
              "{shape: box, position: [3, 1, 0], velocity: [-1, 0, 2], spin: [0, -2, 1]}]\n");
    step_once(&s, 0.01);
    nc_workspace *w = s.world->workspace;
    nc_bodies *bodies = &s.world->state.bodies;
    const nc_candidates *next = &s.world->candidates;
    nc_step step = {.world = s.world, .work = w, .dt = 0.01};
    const momenta before = momenta_of(s.world);
    for (int held = 0; held < 2; held++) { // the first step changes nothing
        const momenta now = momenta_of(s.world);
        for (int i = 0; i < 2; i++) {
            w->fate[i] = (nc_fate){.ran_until = 1, .group = 0, .stuck = true, .blocker = -1};
            bodies->held[i] = held;
        }
        nc_step_follow_held(&step);
        assert_true(held > 0 || momenta_of(s.world).energy == now.energy);
    }
    const momenta after = momenta_of(s.world);
    check_at_most(nc_norm(nc_sub(after.linear, before.linear)), 1e-12 * nc_norm(before.linear));
    check_at_most(nc_norm(nc_sub(after.angular, before.angular)), 1e-12 * nc_norm(before.angular));
    check_at_most(after.energy, 0.9 * before.energy);
    const nc_vec3 arm = nc_sub(next->pose[1].x, next->pose[0].x);
    check_at_most(nc_norm(nc_sub(next->spin[0], next->spin[1])), 1e-12);
    check_at_most(nc_norm(nc_sub(nc_sub(next->v[1], next->v[0]), nc_cross(next->spin[0], arm))), 1e-12);
    leave(&s);
}

// Without gravity rest is slow in name only: the force gives 1 m/s per step, and every contact approaches fast. The
// wall stops it in every step, so the crate has the wall's velocity at the end of each.
static void a_body_that_a_force_presses_against_a_moving_wall_has_its_velocity(void **state)
{
    (void)state;
    static stage s;
    const double dt = 0.01;
    enter(&s, "nacre: 1\nworld: {gravity: [0, 0, 0], friction: 0, restitution: 0}\n"
              "shapes: {crate: {generate: box}}\n"
              "bodies: [{name: crate, shape: crate, density: 1000, force: [-1e5, 0, 0]}, "
              "{shape: crate, type: kinematic, position: [-1.5, 0, 0], velocity: [1, 0, 0]}]\n");
    for (int step = 0; step < 100; step++) {
        step_once(&s, dt);
        if (step < 60) // it has met the wall by then
            continue;
        check_near(find(&s, "crate").velocity.x, 1, 1e-6);
        check_at_most(s.report.velocity_error, 1e-6);
    }
    leave(&s);
}

// With no rounds of bounces, certify is the first to see the wall: the body stops there, and leaves as from an impact.
static void a_body_that_is_held_before_contact_acted_bounces(void **state)
{
    (void)state;
    static stage s;
    enter(&s, "nacre: 1\nworld: {gravity: [0, 0, 0], collision_iterations: 0, dynamic_iterations: 0}\n"
              "shapes: {crate: {generate: box}}\n"
              "bodies: [{shape: crate, type: static}, "
              "{name: runner, shape: crate, position: [-3, 0, 0], velocity: [4, 0, 0]}]\n");
    step_once(&s, 1);
    assert_int_equal(s.report.sticks, 1);
    check_at_most(find(&s, "runner").pose.x.x, -1);
    check_near(find(&s, "runner").velocity.x, -4 * nc_world_def_default().restitution, 1e-6);
    leave(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_that_fixed_ones_act_on_gain_no_energy),
        cmocka_unit_test(a_slider_without_friction_keeps_its_horizontal_velocity),
        cmocka_unit_test(tumblers_without_friction_keep_their_horizontal_momentum),
        cmocka_unit_test(floating_bodies_that_collide_keep_their_momentum),
        cmocka_unit_test(cubes_on_a_table_that_turns_freely_keep_the_angular_momentum),
        cmocka_unit_test(a_pendulum_on_a_pin_keeps_97_percent_and_never_gains),
        cmocka_unit_test(a_soft_landing_loses_its_energy),
        cmocka_unit_test(a_stack_that_lands_gains_no_energy_on_the_way_to_its_rest_distance),
        cmocka_unit_test(a_body_that_is_held_has_the_velocity_of_its_motion),
        cmocka_unit_test(a_pile_that_is_held_keeps_no_velocity),
        cmocka_unit_test(bodies_that_stick_to_each_other_move_on_as_one_and_keep_both_momenta),
        cmocka_unit_test(a_body_that_is_held_before_contact_acted_bounces),
        cmocka_unit_test(a_body_that_a_force_presses_against_a_moving_wall_has_its_velocity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
