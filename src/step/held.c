// Bodies that certify held: their velocity is the motion they made.
//
// Bodies that stick to each other, and bodies that are halted, do not go where their velocities say. Kept, such a
// velocity would grow by gravity in every step that holds the body, and it would leave with it when it is released. So
// the velocities of all that was joined become the motion made, travel and turn over the step, where that has less
// energy together. What a body of infinite mass holds gives its momentum to it; bodies that stick to each other only
// keep their velocities, and their momentum.
//
// Being held once says little: a fast body that nothing was left for by the limits of iteration is still to collide,
// and a mechanism that stuck in one step continues in the next. So only what was held in the step before, too, follows.
#include "step/step.h"

typedef struct motion_made {
    nc_vec3 v, w;     // [m/s], [rad/s]
    nc_vec3 momentum; // [kg m^2/s] angular
    double energy;    // [J]
} motion_made;

static motion_made motion_of(const nc_bodies *bodies, nc_pose to, double dt, int i)
{
    const nc_pose from = bodies->pose[i];
    const double rate = 1.0 / dt;
    motion_made made;
    made.v = nc_scale(rate, nc_sub(to.x, from.x));
    made.w = nc_scale(rate, nc_quat_rotation_vector(nc_quat_mul(to.q, nc_quat_conj(from.q))));
    made.momentum = nc_inertia_momentum(&bodies->inertia[i], to.q, made.w);
    made.energy = nc_body_kinetic(bodies, i, to, made.v, made.momentum);
    return made;
}

static bool is_held(const uint8_t *role, const nc_fate *fate, int i)
{
    return nc_row_is_free(role, i) && (fate[i].stuck || fate[i].halted);
}

// Energies by lowest row of what was joined: stored (allowed) and made (now); and how many were not held before.
static void compare_energies(nc_step *step)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    const nc_candidates *next = &step->world->candidates;
    nc_workspace *w = step->work;
    nc_tied_sum *sums = w->ties.sums.data;
    for (int i = 0; i < bodies->count; i++)
        sums[i] = (nc_tied_sum){0};
    for (int i = 0; i < bodies->count; i++)
        if (w->role[i] != NC_ROLE_FREE && w->role[i] != NC_ROLE_ABSENT && w->fate[i].stuck)
            sums[w->fate[i].group].mass = INFINITY;
    for (int i = 0; i < bodies->count; i++)
        if (is_held(w->role, w->fate, i)) {
            nc_tied_sum *sum = &sums[w->fate[i].group];
            sum->allowed += nc_body_kinetic(bodies, i, next->pose[i], next->v[i], next->momentum[i]);
            sum->now += motion_of(bodies, next->pose[i], step->dt, i).energy;
            sum->newly += bodies->held[i] >= NC_HELD_STEPS ? 0 : 1;
        }
}

void nc_step_follow_held(nc_step *step)
{
    nc_candidates *next = &step->world->candidates;
    const nc_bodies *bodies = &step->world->state.bodies;
    const nc_workspace *w = step->work;
    compare_energies(step);
    for (int i = 0; i < bodies->count; i++) {
        if (!is_held(w->role, w->fate, i))
            continue;
        const nc_tied_sum *sum = &w->ties.sums.data[w->fate[i].group];
        if (!(sum->now < sum->allowed && sum->newly == 0 && (sum->mass == INFINITY || w->fate[i].halted)))
            continue;
        const motion_made made = motion_of(bodies, next->pose[i], step->dt, i);
        next->v[i] = made.v;
        next->momentum[i] = made.momentum;
        next->spin[i] = made.w;
        next->spin_energy[i] = nc_inertia_energy(&bodies->inertia[i], next->pose[i].q, made.momentum);
    }
}
