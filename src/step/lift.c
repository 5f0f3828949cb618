// What an impact leaves nearer than it rests keeps the energy of its way back.
//
// An impact can end below the rest distance of a pair: a body that was not near when the step began, or a stack that a
// blow compresses. The next step pushes such contacts to their rest distance, against gravity and forces. Bodies that
// came to rest first have no kinetic energy to pay for that way, and the total energy would rise by it. So a group of
// bodies that lost energy in an impact (energy.c) keeps as much of it as the way back will take and it does not have
// otherwise: the velocities of that push, by one factor. The next step moves the bodies to
// their rest distance, and the limit on energy takes those velocities away there.
#include "step/step.h"

static double way_to_rest(const nc_near *near, const nc_contact *contact)
{
    return nc_near_pair_rest(near, contact->a, contact->b) - contact->distance;
}

static nc_tied_sum *group_of(nc_workspace *w, const nc_contact *contact)
{
    const int row = nc_row_is_free(w->role, contact->a) ? contact->a : contact->b;
    return &w->ties.sums.data[nc_forest_root(w->ties.to.data, row)];
}

// Marks the groups that lost energy in an impact and have a contact nearer than it rests. Returns whether there are
// any.
static bool mark_groups(nc_step *step)
{
    nc_workspace *w = step->work;
    bool any = false;
    for (int k = 0; k < w->contacts.count; k++) {
        const nc_contact *contact = &w->contacts.data[k];
        nc_tied_sum *group = group_of(w, contact);
        const double least = NC_LIFT_MIN_RESTS * nc_near_pair_rest(&w->near, contact->a, contact->b);
        if (!(way_to_rest(&w->near, contact) > least) || !(nc_ties_lost_in_impact(&w->ties, group) > 0))
            continue;
        group->lifted = true;
        any = true;
    }
    for (int i = 0; any && i < step->world->state.bodies.count; i++) // what certify held will not be pushed either
        if (nc_row_is_free(w->role, i) && (w->fate[i].stuck || w->fate[i].halted))
            w->ties.sums.data[nc_forest_root(w->ties.to.data, i)].lifted = false;
    return any;
}

static bool is_lifted(const nc_workspace *w, int row)
{
    return nc_row_is_free(w->role, row) && w->ties.sums.data[nc_forest_root(w->ties.to.data, row)].lifted;
}

// At rest, seen from what acts on it.
static void rest_in_frame(nc_step *step, int i)
{
    step->work->v[i] = nc_ties_frame(step, i);
    step->work->w[i] = nc_v3(0, 0, 0);
}

// The contacts of those groups, to be pushed to the rest distance within a step, and their bodies at rest.
static nc_code gather(nc_step *step, nc_error *err)
{
    nc_workspace *w = step->work;
    w->batch.count = 0;
    for (int k = 0; k < w->contacts.count; k++) {
        nc_contact contact = w->contacts.data[k];
        if (!group_of(w, &contact)->lifted)
            continue;
        contact.target = way_to_rest(&w->near, &contact) / step->dt;
        contact.impulse = contact.bias = nc_v3(0, 0, 0);
        contact.impact = false;
        if (!nc_array_push(&w->allocator, &w->batch, contact))
            return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for contacts of lifted bodies");
    }
    for (int i = 0; i < step->world->state.bodies.count; i++)
        if (is_lifted(w, i))
            rest_in_frame(step, i);
    return NC_OK;
}

// Sums over the bodies of a group, at its lowest row, of the push in the solver's columns, seen from what acts on it.
static void add_push(nc_step *step, int i)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    const nc_candidates *next = &step->world->candidates;
    nc_workspace *w = step->work;
    nc_tied_sum *sum = &w->ties.sums.data[nc_forest_root(w->ties.to.data, i)];
    const nc_vec3 frame = nc_ties_frame(step, i), v = nc_sub(next->v[i], frame);
    w->v[i] = nc_sub(w->v[i], frame);
    const nc_vec3 momentum = nc_inertia_momentum(&bodies->inertia[i], next->pose[i].q, w->w[i]);
    const nc_vec3 force = nc_madd(bodies->force[i], bodies->mass[i], step->world->settings.gravity);
    sum->push += nc_body_kinetic(bodies, i, next->pose[i], w->v[i], momentum);
    sum->work -= step->dt * nc_dot(force, w->v[i]);
    sum->mixed += bodies->mass[i] * nc_dot(v, w->v[i]) + nc_dot(next->spin[i], momentum);
}

// [1] the part s of the push that a group keeps: with what it adds, s mixed + s^2 push, the group has the energy of the
// way, and a little more; unless that is more than it lost, or it has that much anyway.
static double share(const nc_ties *ties, const nc_tied_sum *sum)
{
    const double missing = NC_LIFT_WORK_MARGIN * sum->work - nc_ties_energy(sum);
    if (!(missing > 0) || !(sum->push > 0))
        return 0;
    const double half = 0.5 * sum->mixed / sum->push;
    const double added = fmin(missing, nc_ties_lost_in_impact(ties, sum));
    return fmax(0, sqrt(half * half + added / sum->push) - half);
}

static void take_push(nc_step *step, int i)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    nc_candidates *next = &step->world->candidates;
    const nc_workspace *w = step->work;
    const nc_tied_sum *sum = &w->ties.sums.data[nc_forest_root(w->ties.to.data, i)];
    const double s = share(&w->ties, sum);
    if (!(s > 0))
        return;
    step->report.kinematic_work += s * bodies->mass[i] * nc_dot(nc_ties_frame(step, i), w->v[i]);
    next->v[i] = nc_madd(next->v[i], s, w->v[i]);
    next->spin[i] = nc_madd(next->spin[i], s, w->w[i]);
    next->momentum[i] = nc_inertia_momentum(&bodies->inertia[i], next->pose[i].q, next->spin[i]);
    next->spin_energy[i] = nc_inertia_energy(&bodies->inertia[i], next->pose[i].q, next->momentum[i]);
}

nc_code nc_step_lift(nc_step *step, nc_error *err)
{
    nc_workspace *w = step->work;
    if (!step->world->settings.energy_corrections || !mark_groups(step))
        return NC_OK;
    nc_solve_settings settings = nc_resting_settings(&step->world->settings, step->dt);
    settings.clamp = settings.warm = settings.shock = false;
    nc_solve_report report;
    nc_code code = gather(step, err);
    if (code == NC_OK)
        code = nc_step_begin_lifted_joints(step, err);
    if (code != NC_OK)
        return code;
    code = nc_step_run_solver(step, nc_contact_solve, w->batch.data, w->batch.count, &settings,
                              &step->report.seconds_solve, &report, err);
    nc_step_end_lifted_joints(step);
    for (int i = 0; code == NC_OK && i < step->world->state.bodies.count; i++)
        if (is_lifted(w, i))
            add_push(step, i);
    for (int i = 0; code == NC_OK && i < step->world->state.bodies.count; i++)
        if (is_lifted(w, i))
            take_push(step, i);
    return code;
}
