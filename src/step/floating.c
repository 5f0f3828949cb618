// The energy of groups that float never rises, and they keep both momenta.
//
// Contact between bodies that nothing of infinite mass acts on changes neither the momentum of all of them nor their
// angular momentum. Their energy is that of one rigid body with these momenta, which must stay, and that of their
// motion against each other. What the group has at the end of a step beyond the energy of its start and the work of
// gravity and forces on the way made (energy.c) is taken from the second part, by one factor. Where that comes from: a
// body that dynamic contact stopped before an impact has the velocity that forces gave it over the whole step; contacts
// that turn or slide around what bends are linear in a step.
#include "step/step.h"

static nc_tied_sum *group_of(nc_workspace *w, int row)
{
    return &w->ties.sums.data[nc_forest_root(w->ties.to.data, row)];
}

// [J] too much, beyond rounding.
static double excess(const nc_tied_sum *sum)
{
    return sum->now - sum->allowed > sum->rounding ? sum->now - sum->allowed : 0;
}

static bool is_too_fast(const nc_workspace *w, int row)
{
    if (!nc_row_is_free(w->role, row) || w->ties.marks.data[row] == 0)
        return false;
    const nc_tied_sum *sum = &w->ties.sums.data[nc_forest_root(w->ties.to.data, row)];
    return excess(sum) > 0 && nc_ties_floats(&w->ties, sum);
}

static void add_inertia(nc_mat3 *sum, const nc_inertia *inertia, nc_quat q, double mass, nc_vec3 arm)
{
    for (int k = 0; k < 3; k++) {
        const nc_vec3 axis = nc_v3(k == 0, k == 1, k == 2);
        const nc_vec3 orbit = nc_cross(arm, nc_cross(axis, arm));
        const nc_vec3 column = nc_madd(nc_inertia_momentum(inertia, q, axis), mass, orbit);
        sum->row[k] = nc_add(sum->row[k], column); // it is symmetric
    }
}

// The spin with an angular momentum; 0 about axes about which there is no inertia.
static nc_vec3 spin_with(nc_mat3 inertia, nc_vec3 momentum)
{
    nc_vec3 moments;
    nc_quat axes;
    nc_symmetric_eigen(inertia, &moments, &axes);
    const nc_mat3 frame = nc_quat_matrix(axes);
    const nc_vec3 local = nc_mat3_tmul(frame, momentum);
    const double least = NC_FLOATING_MIN_INERTIA * moments.z;
    return nc_mat3_mul(frame,
                       nc_v3(moments.x > least ? local.x / moments.x : 0, moments.y > least ? local.y / moments.y : 0,
                             moments.z > least ? local.z / moments.z : 0));
}

void nc_tied_add_centre(nc_tied_sum *sum, double mass, nc_vec3 x)
{
    sum->centre = nc_madd(sum->centre, mass / sum->mass, x);
}

void nc_tied_add_spin(nc_tied_sum *sum, const nc_bodies *bodies, const nc_candidates *next, int i)
{
    const nc_vec3 arm = nc_sub(next->pose[i].x, sum->centre);
    const nc_vec3 orbit = nc_cross(arm, nc_scale(bodies->mass[i], next->v[i]));
    sum->spin = nc_add(sum->spin, nc_add(orbit, next->momentum[i]));
    add_inertia(&sum->inertia, &bodies->inertia[i], next->pose[i].q, bodies->mass[i], arm);
}

void nc_tied_end_spin(nc_tied_sum *sum)
{
    sum->spin = spin_with(sum->inertia, sum->spin);
}

nc_vec3 nc_tied_velocity(const nc_tied_sum *sum, nc_vec3 x)
{
    return nc_madd(nc_cross(sum->spin, nc_sub(x, sum->centre)), 1 / sum->mass, sum->momentum);
}

static void add_centres(nc_step *step)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    nc_workspace *w = step->work;
    for (int i = 0; i < bodies->count; i++)
        if (is_too_fast(w, i))
            nc_tied_add_centre(group_of(w, i), bodies->mass[i], step->world->candidates.pose[i].x);
}

static void add_spins(nc_step *step)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    nc_workspace *w = step->work;
    for (int i = 0; i < bodies->count; i++)
        if (is_too_fast(w, i))
            nc_tied_add_spin(group_of(w, i), bodies, &step->world->candidates, i);
    for (int i = 0; i < bodies->count; i++)
        if (is_too_fast(w, i) && nc_forest_root(w->ties.to.data, i) == i)
            nc_tied_end_spin(group_of(w, i));
}

static void add_inner(nc_step *step, int i)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    const nc_candidates *next = &step->world->candidates;
    nc_tied_sum *sum = group_of(step->work, i);
    const nc_vec3 v = nc_sub(next->v[i], nc_tied_velocity(sum, next->pose[i].x));
    const nc_vec3 spin = nc_sub(next->spin[i], sum->spin);
    const nc_vec3 momentum = nc_inertia_momentum(&bodies->inertia[i], next->pose[i].q, spin);
    sum->inner += nc_body_kinetic(bodies, i, next->pose[i], v, momentum);
}

static void scale_inner(nc_step *step, int i)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    nc_candidates *next = &step->world->candidates;
    const nc_tied_sum *sum = group_of(step->work, i);
    const double left = sum->inner - excess(sum);
    const double factor = left > 0 ? sqrt(left / sum->inner) : 0;
    const nc_vec3 common = nc_tied_velocity(sum, next->pose[i].x);
    next->v[i] = nc_madd(common, factor, nc_sub(next->v[i], common));
    next->spin[i] = nc_madd(sum->spin, factor, nc_sub(next->spin[i], sum->spin));
    next->momentum[i] = nc_inertia_momentum(&bodies->inertia[i], next->pose[i].q, next->spin[i]);
    next->spin_energy[i] = nc_inertia_energy(&bodies->inertia[i], next->pose[i].q, next->momentum[i]);
}

void nc_step_limit_floating(nc_step *step)
{
    const int rows = step->world->state.bodies.count;
    add_centres(step);
    add_spins(step);
    for (int i = 0; i < rows; i++)
        if (is_too_fast(step->work, i))
            add_inner(step, i);
    for (int i = 0; i < rows; i++)
        if (is_too_fast(step->work, i))
            scale_inner(step, i);
}
