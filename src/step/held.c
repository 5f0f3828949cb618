// Bodies that certify held: their velocity is the motion they made.
//
// Bodies that stick to each other, and bodies that are halted, do not go where their velocities say. Kept, such a
// velocity would grow by gravity in every step that holds the body, and it would leave with it when it is released. So
// - what a body of infinite mass holds, and what was halted, gets the velocity of the motion it made, travel and turn
//   over the step, where that has less energy; its momentum goes to what held it;
// - bodies that stick to each other only move on as one body: both of their momenta are kept, and the energy of their
//   motion against each other is lost.
//
// Being held once says little: a fast body that nothing was left for by the limits of iteration is still to collide,
// and a mechanism that stuck in one step continues in the next. So only what was held in some steps before, too,
// follows.
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

static bool is_held(const nc_step *step, int i)
{
    const nc_fate *fate = &step->work->fate[i];
    return nc_row_is_free(step->work->role, i) && (fate->stuck || fate->halted);
}

static bool was_held(const nc_bodies *bodies, int i)
{
    return bodies->held[i] >= NC_HELD_STEPS;
}

static double stored_energy(const nc_step *step, int i)
{
    const nc_candidates *next = &step->world->candidates;
    return nc_body_kinetic(&step->world->state.bodies, i, next->pose[i], next->v[i], next->momentum[i]);
}

static void set_velocity(nc_step *step, int i, nc_vec3 v, nc_vec3 spin)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    nc_candidates *next = &step->world->candidates;
    next->v[i] = v;
    next->spin[i] = spin;
    next->momentum[i] = nc_inertia_momentum(&bodies->inertia[i], next->pose[i].q, spin);
    next->spin_energy[i] = nc_inertia_energy(&bodies->inertia[i], next->pose[i].q, next->momentum[i]);
}

// ---- what is held by something of infinite mass ----------------------------------------------------------------

// Energies by lowest row of what was joined: stored (allowed) and made (now); how many were not held before; and an
// infinite mass where something of infinite mass is among it.
static void compare_energies(nc_step *step)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    nc_workspace *w = step->work;
    nc_tied_sum *sums = w->ties.sums.data;
    for (int i = 0; i < bodies->count; i++)
        sums[i] = (nc_tied_sum){0};
    for (int i = 0; i < bodies->count; i++)
        if (w->role[i] != NC_ROLE_FREE && w->role[i] != NC_ROLE_ABSENT && w->fate[i].stuck)
            sums[w->fate[i].group].mass = INFINITY;
    for (int i = 0; i < bodies->count; i++)
        if (is_held(step, i)) {
            nc_tied_sum *sum = &sums[w->fate[i].group];
            sum->allowed += stored_energy(step, i);
            sum->now += motion_of(bodies, step->world->candidates.pose[i], step->dt, i).energy;
            sum->newly += was_held(bodies, i) ? 0 : 1;
        }
}

// All that is joined follows if that takes energy; where others joined lately, a body for itself.
static bool follows(const nc_step *step, const motion_made *made, int i)
{
    const nc_fate *fate = &step->work->fate[i];
    const nc_tied_sum *sum = &step->work->ties.sums.data[fate->group];
    if (!(sum->mass == INFINITY || fate->halted) || !was_held(&step->world->state.bodies, i))
        return false;
    return sum->newly == 0 ? sum->now < sum->allowed : made->energy < stored_energy(step, i);
}

static void follow_motion(nc_step *step)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    for (int i = 0; i < bodies->count; i++) {
        if (!is_held(step, i))
            continue;
        const motion_made made = motion_of(bodies, step->world->candidates.pose[i], step->dt, i);
        if (follows(step, &made, i))
            set_velocity(step, i, made.v, made.w);
    }
}

// ---- what sticks to each other only ------------------------------------------------------------------------------

// What full rigidification made one body (English 4.2.1) keeps its velocities, as in the paper: it is released in the
// next step, where they collide again.
static bool is_rigidified(const nc_step *step, int i)
{
    const nc_clusters *clusters = step->report.full_clusters > 0 ? step->work->failsafe.clusters : NULL;
    return clusters != NULL && nc_clusters_view(clusters, nc_clusters_root(clusters, i))->kind == NC_CLUSTER_FULL;
}

static bool moves_as_one(const nc_step *step, int i)
{
    const nc_fate *fate = &step->work->fate[i];
    return is_held(step, i) && !fate->halted && was_held(&step->world->state.bodies, i) &&
           step->work->ties.sums.data[fate->group].mass < INFINITY && !is_rigidified(step, i);
}

static nc_tied_sum *group_of(nc_step *step, int i)
{
    return &step->work->ties.sums.data[step->work->fate[i].group];
}

static void move_as_one(nc_step *step)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    const nc_candidates *next = &step->world->candidates;
    for (int i = 0; i < bodies->count; i++)
        if (moves_as_one(step, i)) {
            nc_tied_sum *sum = group_of(step, i);
            sum->mass += bodies->mass[i];
            sum->momentum = nc_madd(sum->momentum, bodies->mass[i], next->v[i]);
            sum->members++;
        }
    for (int i = 0; i < bodies->count; i++)
        if (moves_as_one(step, i))
            nc_tied_add_centre(group_of(step, i), bodies->mass[i], next->pose[i].x);
    for (int i = 0; i < bodies->count; i++)
        if (moves_as_one(step, i))
            nc_tied_add_spin(group_of(step, i), bodies, next, i);
    for (int i = 0; i < bodies->count; i++)
        if (step->work->ties.sums.data[i].members > 1)
            nc_tied_end_spin(&step->work->ties.sums.data[i]);
    for (int i = 0; i < bodies->count; i++)
        if (moves_as_one(step, i) && group_of(step, i)->members > 1)
            set_velocity(step, i, nc_tied_velocity(group_of(step, i), next->pose[i].x), group_of(step, i)->spin);
}

void nc_step_follow_held(nc_step *step)
{
    compare_energies(step);
    follow_motion(step);
    move_as_one(step);
}
