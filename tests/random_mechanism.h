// Random mechanisms: trees and loops of bodies with joints, drives that fight each other, and contacts. Include after
// check.h.
#ifndef NC_TESTS_RANDOM_MECHANISM_H
#define NC_TESTS_RANDOM_MECHANISM_H

#include "joint_bodies.h"

typedef struct draw {
    uint64_t state;
} draw;

static inline double uniform(draw *d, double low, double high)
{
    d->state = d->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (high - low) * (double)(d->state >> 11) * 0x1p-53;
}

static inline int below(draw *d, int count)
{
    return (int)uniform(d, 0, count);
}

static inline nc_vec3 somewhere(draw *d, double size)
{
    const double x = uniform(d, -size, size), y = uniform(d, -size, size), z = uniform(d, -size, size);
    return nc_v3(x, y, z);
}

#define MOST_BODIES 30
#define MOST_DRIVES (2 * MOST_BODIES)

// A driven axis: its drive does no more work than its largest force times the way.
typedef struct driven_axis {
    nc_joint_id joint;
    int axis;
    double max_force, position;
} driven_axis;

typedef struct drives {
    driven_axis each[MOST_DRIVES];
    int count;
} drives;

// [J] the work of all drives in a step, at most.
static inline double work_at_most(const nc_world *world, drives *all)
{
    double work = 0;
    for (int k = 0; k < all->count; k++) {
        driven_axis *one = &all->each[k];
        const double now = read_joint(world, one->joint).position[one->axis];
        work += one->max_force * fabs(now - one->position);
        one->position = now;
    }
    return work;
}

// A joint of a random kind between two bodies (b: {0, 0} is the world), half way between them.
static inline void join_at_random(nc_world *world, draw *d, nc_body_id a, nc_body_id b, bool driven, drives *all)
{
    static const nc_joint_kind kinds[] = {NC_JOINT_HINGE,       NC_JOINT_BALL,   NC_JOINT_FIXED,    NC_JOINT_SLIDER,
                                          NC_JOINT_UNIVERSAL,   NC_JOINT_PLANAR, NC_JOINT_DISTANCE, NC_JOINT_HINGE,
                                          NC_JOINT_CYLINDRICAL, NC_JOINT_BALL};
    const nc_joint_kind kind = kinds[below(d, 10)];
    const nc_vec3 from = read_body(world, a).pose.x;
    const nc_vec3 to = b.generation != 0 ? read_body(world, b).pose.x : nc_add(from, somewhere(d, 0.3));
    nc_joint_def def = hold(kind, a, nc_scale(0.5, nc_add(from, to)), somewhere(d, 1));
    def.body_b = b;
    def.anchor_b = nc_add(to, nc_v3(0.01, 0, 0));
    const int axis = kind == NC_JOINT_HINGE ? 3 : kind == NC_JOINT_SLIDER ? 0 : -1;
    if (axis >= 0 && below(d, 2)) {
        def.axes[axis].limited = true;
        def.axes[axis].lower = -uniform(d, 0, 0.5);
        def.axes[axis].upper = uniform(d, 0, 0.5);
    }
    if (axis >= 0 && below(d, 2))
        def.axes[axis].friction = uniform(d, 0, 1);
    if (kind == NC_JOINT_BALL && below(d, 2)) {
        def.axes[3] = (nc_joint_axis){.limited = true, .lower = -uniform(d, 0, 1), .upper = uniform(d, 0, 1)};
        def.axes[4] = (nc_joint_axis){.limited = true, .upper = uniform(d, 0.1, 1)};
    }
    const bool drives_it = axis >= 0 && driven && below(d, 2);
    if (drives_it) {
        const nc_drive_mode mode = below(d, 2) ? NC_DRIVE_POSITION : NC_DRIVE_VELOCITY;
        def.axes[axis].drive = (nc_joint_drive){.mode = mode,
                                                .target = uniform(d, -2, 2),
                                                .amplitude = uniform(d, 0, 1),
                                                .frequency = uniform(d, 0, 2),
                                                .max_force = uniform(d, 1, 50)};
    }
    const nc_joint_id id = join(world, &def);
    if (drives_it)
        all->each[all->count++] = (driven_axis){id, axis, def.axes[axis].drive.max_force, 0};
}

// Bodies in a row of boxes above a floor; each is joined to one before it, and some pairs once more: loops.
static inline nc_world *random_mechanism(uint64_t seed, int workers, drives *all)
{
    draw d = {seed * UINT64_C(0x9E3779B97F4A7C15) + 1};
    nc_world *world = new_world(9.8, uniform(&d, 0, 1), uniform(&d, 0, 1), workers);
    const int count = 2 + below(&d, MOST_BODIES - 1);
    const bool driven = below(&d, 2) != 0;
    nc_body_id bodies[MOST_BODIES];
    all->count = 0;
    nc_error err;
    if (below(&d, 3))
        add_ground(world, nc_quat_identity());
    for (int k = 0; k < count; k++) {
        const nc_vec3 at = nc_v3(0.6 * (k % 4), 0.5 + 0.6 * (k / 4), 0.1 * (k % 2));
        const nc_vec3 size = nc_v3(uniform(&d, 0.1, 0.4), uniform(&d, 0.1, 0.4), uniform(&d, 0.1, 0.4));
        bodies[k] = add_box(world, size, at, exp(uniform(&d, -2, 3)));
        check_ok(nc_body_set_velocity(world, bodies[k], somewhere(&d, 1), somewhere(&d, 2), &err), err);
    }
    if (below(&d, 2))
        join_at_random(world, &d, bodies[0], (nc_body_id){0, 0}, driven, all);
    for (int k = 1; k < count; k++)
        if (below(&d, 8) > 0)
            join_at_random(world, &d, bodies[k], bodies[below(&d, k)], driven, all);
    for (int k = 0; k < count / 4; k++) {
        const int a = below(&d, count), b = below(&d, count);
        if (a != b)
            join_at_random(world, &d, bodies[a], bodies[b], driven, all);
    }
    return world;
}

#endif
