// Bodies that certify held: their velocity is the motion they made.
//
// Bodies that stick to each other, and bodies that are halted, do not go where their velocities say. Kept, such a
// velocity would grow by gravity in every step that holds the body, and it would leave with it when it is released. So
// the velocities of all that was joined become the motion made, travel and turn over the step, where that has less
// energy together. What a body of infinite mass holds gives its momentum to it; bodies that stick to each other only
// keep their velocities, and their momentum.
//
// Being held once says little: a fast body that nothing was left for by the limits of iteration is still to collide,
// and a mechanism that stuck in one step goes on in the next. So only what was held in the step before, too, follows.
#include "step/step.h"

typedef struct motion_made {
    nc_vec3 v, w;     // [m/s], [rad/s]
    nc_vec3 momentum; // [kg m^2/s] angular
    double energy;    // [J]
} motion_made;

static motion_made motion_of(const nc_step *step, int i)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    const nc_pose from = bodies->pose[i], to = step->world->candidates.pose[i];
    const double rate = 1.0 / step->dt;
    motion_made made;
    made.v = nc_scale(rate, nc_sub(to.x, from.x));
    made.w = nc_scale(rate, nc_quat_rotation_vector(nc_quat_mul(to.q, nc_quat_conj(from.q))));
    made.momentum = nc_inertia_momentum(&bodies->inertia[i], to.q, made.w);
    made.energy = nc_step_body_kinetic(step, i, to, made.v, made.momentum);
    return made;
}

static bool is_held(const nc_step *step, int i)
{
    const nc_workspace *w = step->work;
    return w->role[i] == NC_ROLE_FREE && (w->fate[i].stuck || w->fate[i].halted);
}

// Energies by lowest row of what was joined: stored (allowed) and made (now); and how many were not held before.
static void compare_energies(nc_step *step)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    const nc_candidates *next = &step->world->candidates;
    nc_workspace *w = step->work;
    nc_tied_sum *sums = w->tied_sums.data;
    for (int i = 0; i < bodies->count; i++)
        sums[i] = (nc_tied_sum){0};
    for (int i = 0; i < bodies->count; i++)
        if (w->role[i] != NC_ROLE_FREE && w->role[i] != NC_ROLE_ABSENT && w->fate[i].stuck)
            sums[w->fate[i].group].mass = INFINITY;
    for (int i = 0; i < bodies->count; i++)
        if (is_held(step, i)) {
            nc_tied_sum *sum = &sums[w->fate[i].group];
            sum->allowed += nc_step_body_kinetic(step, i, next->pose[i], next->v[i], next->momentum[i]);
            sum->now += motion_of(step, i).energy;
            sum->newly += bodies->held[i] >= NC_HELD_STEPS ? 0 : 1;
        }
}

void nc_step_follow_held(nc_step *step)
{
    nc_candidates *next = &step->world->candidates;
    const nc_workspace *w = step->work;
    compare_energies(step);
    for (int i = 0; i < step->world->state.bodies.count; i++) {
        if (!is_held(step, i))
            continue;
        const nc_tied_sum *sum = &w->tied_sums.data[w->fate[i].group];
        if (!(sum->now < sum->allowed && sum->newly == 0 && (sum->mass == INFINITY || w->fate[i].halted)))
            continue;
        const motion_made made = motion_of(step, i);
        next->v[i] = made.v;
        next->momentum[i] = made.momentum;
        next->spin[i] = made.w;
        next->spin_energy[i] = nc_inertia_energy(&step->world->state.bodies.inertia[i], next->pose[i].q, made.momentum);
    }
}
