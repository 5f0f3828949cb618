// Steps 2 to 4: half-step velocities, resting contact where bodies are now, proposed motions.
#include "step/step.h"

static bool is_zero(nc_vec3 v)
{
    return v.x == 0 && v.y == 0 && v.z == 0;
}

// v_half = v_hat + dt/2 a, and the same for rotation; into the solver's columns. Scripted bodies keep their velocities
// there from step 1.
void nc_step_accelerate_body(nc_step *step, int i)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    nc_workspace *w = step->work;
    nc_candidates *next = &step->world->candidates;
    const nc_vec3 momentum = nc_madd(w->momentum[i], 0.5 * step->dt, bodies->torque[i]);
    w->v[i] = nc_madd(w->v_hat[i], 0.5 * step->dt, nc_outer_acceleration(step->world, i));
    w->w[i] = nc_inertia_spin(&bodies->inertia[i], bodies->pose[i].q, momentum);
    next->v[i] = w->v[i]; // kept to see what contact changes
    next->spin[i] = w->w[i];
}

nc_code nc_step_accelerate(nc_step *step, nc_error *err)
{
    (void)err;
    const nc_bodies *bodies = &step->world->state.bodies;
    for (int i = 0; i < bodies->count; i++)
        if (nc_row_is_free(step->work->role, i))
            nc_step_accelerate_body(step, i);
    return NC_OK;
}

// The solver's targets: come to exactly the rest distance at the end of the step (eq. 16). Returns the largest depth
// [m] below it, at least 0.
static double aim_at_rest_distance(const nc_near *near, double dt, nc_contact_list *contacts)
{
    double depth = 0;
    for (int k = 0; k < contacts->count; k++) {
        nc_contact *contact = &contacts->data[k];
        contact->target = nc_near_to_rest(near, dt, contact, contact->distance);
        depth = fmax(depth, dt * contact->target);
    }
    return depth;
}

// Everything that the report says of this solve.
static void report_solve(nc_step_report *out, const nc_solve_report *report)
{
    out->unconverged += report->unconverged;
    out->shocks += report->shocks;
    out->residual = fmax(out->residual, report->residual);
    if (report->iterations > out->contact_iterations)
        out->contact_iterations = report->iterations;
}

static nc_code solve(nc_step *step, nc_contact *contacts, int count, nc_solve_report *report, nc_error *err)
{
    nc_solve_settings settings = nc_resting_settings(&step->world->settings, step->dt);
    settings.clamp = false; // these velocities are thrown away; pushing apart may add energy to them
    return nc_step_run_solver(step, nc_contact_solve, contacts, count, &settings, &step->report.seconds_solve, report,
                              err);
}

// ---- bodies that turn ------------------------------------------------------------------------------------------

static void set_bias(const nc_near *near, double dt, const nc_solver_bodies *bodies, const nc_pose *pose,
                     nc_contact_list *contacts)
{
    for (int k = 0; k < contacts->count; k++)
        contacts->data[k].bias = nc_chord_bias(near, dt, bodies, &contacts->data[k], pose);
}

static int unmark_all(nc_step *step)
{
    nc_islands_mark_all(&step->work->islands, step->world->state.bodies.count, 0);
    return 0;
}

// Marks the islands whose bodies turn otherwise than their rows were told, large ones once. Returns how many rows.
static int mark_turned(nc_step *step, int round)
{
    nc_workspace *w = step->work;
    const nc_solver_bodies bodies = nc_step_solver_bodies(step);
    int marked = unmark_all(step);
    for (int k = 0; k < w->contacts.count; k++) {
        nc_contact *contact = &w->contacts.data[k];
        if (w->islands.idle.data[k] || (round > 0 && !nc_islands_is_small(&w->islands, w->role, contact)))
            continue;
        const nc_vec3 bias = nc_chord_bias(&w->near, step->dt, &bodies, contact, step->at);
        const double least =
            NC_PREDICT_BIAS_TOLERANCE_RESTS * nc_near_pair_rest(&w->near, contact->a, contact->b) / step->dt;
        if (!(nc_norm2(nc_sub(bias, contact->bias)) > least * least))
            continue;
        *nc_islands_mark(&w->islands, w->role, contact) = 1;
        marked++;
    }
    return marked;
}

// The contacts of marked islands that act, with the current bias if it is to be renewed, and their bodies with the
// velocities before contact.
static nc_code gather_marked(nc_step *step, bool renew, nc_error *err)
{
    nc_workspace *w = step->work;
    const nc_candidates *next = &step->world->candidates;
    const nc_solver_bodies bodies = nc_step_solver_bodies(step);
    for (int k = 0; renew && k < w->contacts.count; k++) {
        nc_contact *contact = &w->contacts.data[k];
        if (*nc_islands_mark(&w->islands, w->role, contact))
            contact->bias = nc_chord_bias(&w->near, step->dt, &bodies, contact, step->at);
    }
    const nc_code code = nc_step_gather_active(step, true, err);
    for (int i = 0; code == NC_OK && i < bodies.count; i++)
        if (w->role[i] == NC_ROLE_FREE && w->islands.marked.data[w->islands.of.data[i]]) {
            w->v[i] = next->v[i];
            w->w[i] = next->spin[i];
        }
    return code;
}

// Contact may have changed how bodies turn, and whom they come near: islands where that matters are solved again with
// what they do now.
static nc_code refine(nc_step *step, nc_solve_report *report, nc_error *err)
{
    nc_code code = NC_OK;
    for (int round = 0; code == NC_OK && round < NC_PREDICT_SOLVES; round++) {
        const int turned = round < NC_PREDICT_BIAS_SOLVES ? mark_turned(step, round) : unmark_all(step);
        if (turned + nc_step_activate(step, step->at) == 0)
            break;
        code = gather_marked(step, true, err);
        if (code == NC_OK)
            code = solve(step, step->work->batch.data, step->work->batch.count, report, err);
        if (code == NC_OK)
            nc_step_scatter_active(step, true);
    }
    return code;
}

// Turning and redundant joints make proposals end elsewhere than rows say, to second order: islands with joints are
// solved again with targets that take it into account.
static nc_code follow_joints(nc_step *step, nc_solve_report *report, nc_error *err)
{
    nc_code code = nc_step_begin_aims(step, err);
    for (int round = 0; code == NC_OK && round < NC_JOINT_AIM_SOLVES && nc_step_aim_joints(step) > 0; round++) {
        code = gather_marked(step, false, err);
        if (code == NC_OK)
            code = solve(step, step->work->batch.data, step->work->batch.count, report, err);
        if (code == NC_OK)
            nc_step_scatter_active(step, true);
    }
    return code;
}

// Where removing errors of joints would make larger ones, or a leap, as much of them is removed as does neither.
static nc_code ease_joints(nc_step *step, nc_solve_report *report, nc_error *err)
{
    if (nc_step_mark_strained_joints(step) == 0)
        return NC_OK;
    nc_step_correct_joints(step, false);
    nc_code code = gather_marked(step, false, err);
    if (code == NC_OK)
        code = solve(step, step->work->batch.data, step->work->batch.count, report, err);
    nc_step_correct_joints(step, true);
    if (code != NC_OK)
        return code;
    nc_step_scatter_active(step, true);
    nc_step_ease_joints(step);
    return NC_OK;
}

nc_code nc_step_solve_targets(nc_step *step, nc_error *err)
{
    nc_workspace *w = step->work;
    nc_solve_report report;
    const nc_code code = solve(step, w->contacts.data, w->contacts.count, &report, err);
    nc_step_tie_contacts(step, false);
    return code;
}

nc_code nc_step_solve_without_pushing(nc_step *step, nc_error *err)
{
    nc_workspace *w = step->work;
    nc_solve_report report;
    nc_code code = gather_marked(step, false, err);
    for (int k = 0; k < w->batch.count; k++)
        w->batch.data[k].target = fmin(0, w->batch.data[k].target);
    nc_step_correct_joints(step, false);
    if (code == NC_OK)
        code = solve(step, w->batch.data, w->batch.count, &report, err);
    if (code == NC_OK)
        code = nc_step_keep_joints(step, err);
    if (code == NC_OK)
        code = nc_step_keep_carried_contacts(step, err);
    nc_step_correct_joints(step, true);
    return code;
}

nc_code nc_step_solve_resting(nc_step *step, nc_solve_report *report, nc_error *err)
{
    nc_workspace *w = step->work;
    *report = (nc_solve_report){0};
    nc_step_stiffen(step, NC_SOLVE_PREDICT);
    step->report.depth = fmax(step->report.depth, aim_at_rest_distance(&w->near, step->dt, &w->contacts));
    nc_code code = nc_step_recall(step, NC_SOLVE_PREDICT, err);
    if (code != NC_OK)
        return code;
    const nc_solver_bodies bodies = nc_step_solver_bodies(step);
    nc_round_contacts(step->world, step->dt, &bodies, &w->contacts);
    set_bias(&w->near, step->dt, &bodies, step->at, &w->contacts);
    code = nc_step_choose_idle(step, step->at, err);
    if (code == NC_OK)
        code = nc_step_gather_active(step, false, err);
    if (code == NC_OK)
        code = solve(step, w->batch.data, w->batch.count, report, err);
    if (code == NC_OK) {
        nc_step_scatter_active(step, false);
        code = refine(step, report, err);
    }
    if (code == NC_OK && w->joints.on && !step->within)
        code = follow_joints(step, report, err);
    if (code == NC_OK && w->joints.on && !step->within)
        code = ease_joints(step, report, err);
    nc_step_tie_contacts(step, false);
    return code;
}

nc_code nc_step_hold_at_start(nc_step *step, nc_error *err)
{
    nc_workspace *w = step->work;
    nc_code code = nc_carry_begin(&w->carry, step->world->state.bodies.count, &w->allocator, err);
    if (code == NC_OK && w->joints.on)
        code = nc_step_joints_for_start(step, err);
    if (code != NC_OK || (w->contacts.count == 0 && !w->joints.on))
        return code;
    nc_solve_report report;
    step->report.contacts += w->contacts.count;
    code = nc_step_solve_resting(step, &report, err);
    report_solve(&step->report, &report);
    return code == NC_OK ? nc_step_find_carry(step, nc_step_solve_without_pushing, err) : code;
}

nc_code nc_step_rest_at_start(nc_step *step, nc_error *err)
{
    nc_workspace *w = step->work;
    w->contacts.count = 0;
    nc_code code = nc_arcs_begin(&w->arcs, step->world->state.bodies.count, &w->allocator, err);
    if (code == NC_OK)
        code = nc_near_contacts(&w->near, step->at, &w->contacts, err);
    if (code == NC_OK)
        code = nc_step_hold_at_start(step, err);
    return code == NC_OK ? nc_step_keep(step, NC_SOLVE_PREDICT, err) : code;
}

// Without contact and torque, free flight keeps its energy.
void nc_step_propose_body(nc_step *step, int i)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    nc_workspace *w = step->work;
    nc_candidates *next = &step->world->candidates;
    const nc_vec3 v_before = next->v[i], w_before = next->spin[i];
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

nc_code nc_step_propose(nc_step *step, nc_error *err)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    const nc_workspace *w = step->work;
    nc_candidates *next = &step->world->candidates;
    nc_step_limit_lift(step);
    nc_step_bound_mechanisms(step);
    for (int i = 0; i < bodies->count; i++) {
        if (!bodies->alive[i])
            continue;
        next->flags[i] = 0;
        if (w->role[i] == NC_ROLE_FIXED) {
            nc_stay(&next->path[i], &bodies->pose[i]);
            continue;
        }
        if (nc_row_is_free(w->role, i))
            nc_step_propose_body(step, i);
        else
            next->path[i] = w->flight[i]; // scripts go where they went in step 1
        nc_judge_path(step->world, i, &next->path[i], &next->flags[i]);
    }
    return nc_step_follow_arcs(step, err);
}
