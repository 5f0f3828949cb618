// Steps 2 to 4: half-step velocities, resting contact where bodies are now, proposed motions.
#include "step/step.h"

static nc_vec3 acceleration(const nc_world *world, int i)
{
    const nc_bodies *bodies = &world->state.bodies;
    return nc_madd(world->settings.gravity, bodies->inv_mass[i], bodies->force[i]);
}

static bool is_zero(nc_vec3 v)
{
    return v.x == 0 && v.y == 0 && v.z == 0;
}

// v_half = v_hat + dt/2 a, and the same for rotation; into the solver's columns. Scripted bodies keep their velocities
// there from step 1.
static void accelerate(nc_step *step, int i)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    nc_workspace *w = step->work;
    const nc_vec3 momentum = nc_madd(w->momentum[i], 0.5 * step->dt, bodies->torque[i]);
    w->v[i] = nc_madd(w->v_hat[i], 0.5 * step->dt, acceleration(step->world, i));
    w->w[i] = nc_inertia_spin(&bodies->inertia[i], bodies->pose[i].q, momentum);
}

// The solver's targets: come to exactly the rest distance at the end of the step (eq. 16).
static void aim_at_rest_distance(nc_step *step)
{
    nc_workspace *w = step->work;
    for (int k = 0; k < w->contacts.count; k++) {
        nc_contact *contact = &w->contacts.data[k];
        contact->target = nc_step_to_rest(step, contact, contact->distance);
        step->report.depth = fmax(step->report.depth, step->dt * contact->target);
    }
}

static nc_code resting_contact(nc_step *step, nc_error *err)
{
    nc_workspace *w = step->work;
    w->contacts.count = 0;
    nc_code code = nc_step_find_contacts(step, step->world->state.bodies.pose, err);
    if (code != NC_OK || w->contacts.count == 0)
        return code;
    aim_at_rest_distance(step);
    code = nc_step_recall(step, NC_SOLVE_PREDICT, err);
    if (code != NC_OK)
        return code;
    nc_solve_settings solve = nc_step_solve_settings(step);
    solve.clamp = false; // these velocities are thrown away; pushing apart may add energy to them
    const nc_solver_bodies bodies = nc_step_solver_bodies(step);
    nc_step_round_contacts(step, &bodies);
    nc_solve_report report;
    const double begin = nc_wall_clock();
    code = nc_contact_solve(w->solver, &bodies, w->contacts.data, w->contacts.count, &solve, &report, err);
    step->report.seconds_solve += nc_wall_clock() - begin;
    step->report.contacts = w->contacts.count;
    step->report.contact_iterations = report.iterations;
    step->report.unconverged += report.unconverged;
    step->report.shocks += report.shocks;
    step->report.residual = report.residual;
    return code == NC_OK ? nc_step_keep(step, NC_SOLVE_PREDICT, err) : code;
}

// A proposal with the velocities that the solver left. Without contact and torque, free flight keeps its energy.
static void propose(nc_step *step, int i, nc_vec3 v_before, nc_vec3 w_before)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    nc_workspace *w = step->work;
    nc_candidates *next = &step->world->candidates;
    const nc_quat q = bodies->pose[i].q;
    nc_step_bound_proposal(step, i);
    const bool pushed = !is_zero(nc_sub(w->v[i], v_before)) || !is_zero(nc_sub(w->w[i], w_before));
    nc_vec3 momentum = nc_madd(w->momentum[i], 0.5 * step->dt, bodies->torque[i]);
    double energy = w->energy[i];
    if (pushed)
        momentum = nc_inertia_momentum(&bodies->inertia[i], q, w->w[i]);
    if (pushed || !is_zero(bodies->torque[i]))
        energy = nc_inertia_energy(&bodies->inertia[i], q, momentum);
    next->flags[i] |= pushed ? NC_STEP_PUSHED : 0;
    next->path[i] = nc_step_free_path(step, i, w->v[i], momentum, energy, &next->flags[i]);
}

nc_code nc_step_predict(nc_step *step, nc_error *err)
{
    const double begin = nc_wall_clock();
    const nc_bodies *bodies = &step->world->state.bodies;
    nc_workspace *w = step->work;
    nc_candidates *next = &step->world->candidates;
    for (int i = 0; i < bodies->count; i++)
        if (bodies->alive[i] && bodies->type[i] == NC_DYNAMIC) {
            accelerate(step, i);
            next->v[i] = w->v[i]; // kept to see what contact changes
            next->spin[i] = w->w[i];
        }
    const double contact_begin = nc_wall_clock();
    const nc_code code = resting_contact(step, err);
    step->report.seconds_contact += nc_wall_clock() - contact_begin;
    if (code != NC_OK)
        return code;
    for (int i = 0; i < bodies->count; i++) {
        if (!bodies->alive[i])
            continue;
        next->flags[i] = 0;
        if (bodies->type[i] == NC_DYNAMIC)
            propose(step, i, next->v[i], next->spin[i]);
        else
            next->path[i] = w->flight[i]; // scripts and statics go where they went in step 1
        nc_step_judge(step, i, &next->path[i], &next->flags[i]);
    }
    step->report.seconds_predict = nc_wall_clock() - begin;
    return NC_OK;
}
