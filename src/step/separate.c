// Step 5: dynamic contact (English 4.1, Algorithm 2) makes better proposals; certify makes them motions.
#include "step/step.h"

#include <stdio.h>

// Aims at the rest distance at the end of the step, from the distance that the contact had at its start: the distance
// at the time of impact, and what was lost on the way there. Paths of several segments do not approach with the
// velocities in the solver's columns, which are means: they aim at the rest distance at the time of impact.
void nc_aim_contacts(const nc_near *near, const nc_arcs *arcs, double dt, const nc_solver_bodies *bodies, double toi,
                     nc_contact_list *contacts)
{
    for (int k = 0; k < contacts->count; k++) {
        nc_contact *contact = &contacts->data[k];
        const double speed = nc_dot(contact->normal, nc_contact_velocity(bodies, contact));
        const double start = contact->distance - toi * dt * speed;
        contact->target =
            nc_arcs_has(arcs, contact->a) || nc_arcs_has(arcs, contact->b)
                ? speed + nc_near_to_rest(near, dt, contact, contact->distance) / fmax(toi, NC_SEPARATE_EARLIEST_AIM)
                : nc_near_to_rest(near, dt, contact, start);
    }
}

nc_code nc_step_take_proposal(nc_step *step, int i, nc_error *err)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    nc_workspace *w = step->work;
    nc_candidates *next = &step->world->candidates;
    if (!nc_row_is_free(w->role, i))
        return NC_OK;
    nc_step_bound_proposal(step, i);
    const nc_vec3 momentum = nc_inertia_momentum(&bodies->inertia[i], bodies->pose[i].q, w->w[i]);
    const double energy = nc_inertia_energy(&bodies->inertia[i], bodies->pose[i].q, momentum);
    if ((next->flags[i] & NC_STEP_DEFERRED) == 0)
        w->predicted[i] = next->path[i];
    next->flags[i] |= NC_STEP_PUSHED | NC_STEP_DEFERRED;
    next->path[i] = nc_arcs_has(&w->arcs, i) ? nc_arcs_bend(&w->arcs, i, &w->predicted[i], w->v[i], w->w[i], step->dt)
                                             : nc_step_free_path(step, i, w->v[i], momentum, energy, &next->flags[i]);
    nc_judge_path(step->world, i, &next->path[i], &next->flags[i]);
    return nc_certify_change(w->motions, i, err);
}

// Solves the contacts found for a pair; says whether that changed a velocity.
static nc_code push_apart(nc_step *step, const nc_collision *hit, bool *done, nc_error *err)
{
    nc_workspace *w = step->work;
    const nc_solver_bodies bodies = nc_step_solver_bodies(step);
    nc_solve_settings settings = nc_solve_settings_default();
    settings.friction = step->world->settings.friction_model;
    settings.iterations = NC_SEPARATE_PAIR_SWEEPS;
    settings.clamp = false;
    nc_aim_contacts(&w->near, &w->arcs, step->dt, &bodies, hit->toi, &w->contacts);
    const nc_vec3 v_i = w->v[hit->i], w_i = w->w[hit->i], v_j = w->v[hit->j], w_j = w->w[hit->j];
    const nc_code code = nc_step_run_solver(step, nc_separate_patch, w->contacts.data, w->contacts.count, &settings,
                                            &step->report.seconds_respond, NULL, err);
    nc_step_tie_contacts(step, false);
    *done = nc_norm2(nc_sub(w->v[hit->i], v_i)) + nc_norm2(nc_sub(w->w[hit->i], w_i)) +
                nc_norm2(nc_sub(w->v[hit->j], v_j)) + nc_norm2(nc_sub(w->w[hit->j], w_j)) >
            0;
    return code;
}

// Neither approaches: let path and velocity agree.
static nc_code make_plain(nc_step *step, const nc_collision *hit, bool *done, nc_error *err)
{
    nc_workspace *w = step->work;
    nc_code code = NC_OK;
    for (int k = 0; code == NC_OK && k < 2; k++) {
        const int row = k == 0 ? hit->i : hit->j;
        if (w->role[row] != NC_ROLE_FREE || w->plain[row])
            continue;
        w->plain[row] = 1;
        *done = true;
        code = nc_step_take_proposal(step, row, err);
    }
    return code;
}

static nc_code respond(nc_step *step, const nc_collision *hit, bool *done, nc_error *err)
{
    nc_workspace *w = step->work;
    const nc_path *path = step->world->candidates.path;
    const nc_pose pose_i = nc_path_pose(&path[hit->i], hit->toi), pose_j = nc_path_pose(&path[hit->j], hit->toi);
    const double slack = NC_PATCH_SLACK_RESTS * nc_world_common_rest(step->world, hit->i, hit->j);
    *done = false;
    w->contacts.count = 0;
    nc_code code = nc_near_patch(&w->near, hit, pose_i, pose_j, slack, &w->contacts, err);
    if (code == NC_OK)
        code = push_apart(step, hit, done, err);
    if (code == NC_OK && !*done) { // what met is not among the contacts
        w->contacts.count = 0;
        code = nc_near_feature(&w->near, hit, pose_i, pose_j, &w->contacts, err);
        if (code == NC_OK && w->contacts.count > 0)
            code = push_apart(step, hit, done, err);
    }
    if (code == NC_OK && !*done)
        return make_plain(step, hit, done, err);
    if (code != NC_OK)
        return code;
    step->report.dynamic_contacts++;
    code = nc_step_take_proposal(step, hit->i, err);
    return code != NC_OK ? code : nc_step_take_proposal(step, hit->j, err);
}

// ---- all at once --------------------------------------------------------------------------------------------

// Contacts of a hit that come nearer than they should; whether there are any.
static bool is_violated(const nc_solver_bodies *bodies, const nc_contact *contacts, int count)
{
    for (int k = 0; k < count; k++)
        if (nc_dot(contacts[k].normal, nc_contact_velocity(bodies, &contacts[k])) < contacts[k].target)
            return true;
    return false;
}

static nc_code collect(nc_step *step, const nc_collision *hit, bool *done, nc_error *err)
{
    nc_workspace *w = step->work;
    const nc_solver_bodies bodies = nc_step_solver_bodies(step);
    const nc_path *path = step->world->candidates.path;
    const nc_pose pose_i = nc_path_pose(&path[hit->i], hit->toi), pose_j = nc_path_pose(&path[hit->j], hit->toi);
    w->contacts.count = 0;
    nc_code code =
        nc_near_patch(&w->near, hit, pose_i, pose_j,
                      NC_PATCH_SLACK_RESTS * nc_world_common_rest(step->world, hit->i, hit->j), &w->contacts, err);
    nc_aim_contacts(&w->near, &w->arcs, step->dt, &bodies, hit->toi, &w->contacts);
    if (code == NC_OK && !is_violated(&bodies, w->contacts.data, w->contacts.count)) {
        w->contacts.count = 0;
        code = nc_near_feature(&w->near, hit, pose_i, pose_j, &w->contacts, err);
        nc_aim_contacts(&w->near, &w->arcs, step->dt, &bodies, hit->toi, &w->contacts);
    }
    if (code == NC_OK && !is_violated(&bodies, w->contacts.data, w->contacts.count))
        return make_plain(step, hit, done, err);
    nc_step_aim_tight(step, &bodies, hit->toi);
    for (int k = 0; code == NC_OK && k < w->contacts.count; k++)
        if (!nc_array_push(&w->allocator, &w->batch, w->contacts.data[k]))
            code = nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for dynamic contact");
    step->report.dynamic_contacts++;
    return code;
}

// Sweeps that fail, under a body that is a thousand times as heavy as what it lies on, are followed by shock
// propagation: what it drops are reactions to proposals, and the shell pipeline solves for velocities again in step 7.
static nc_code solve_batch(nc_step *step, nc_error *err)
{
    nc_workspace *w = step->work;
    nc_solve_settings settings = nc_resting_settings(&step->world->settings, step->dt);
    settings.iterations = NC_SEPARATE_BATCH_SWEEPS;
    settings.tolerance = NC_SEPARATE_BATCH_TOLERANCE;
    settings.warm = settings.clamp = false;
    settings.newton = 0; // paths are examined again after it: sweeps are enough
    int near = 0;
    nc_code code = nc_step_list_batch(step, &near, err);
    if (code != NC_OK)
        return code;
    for (int k = 0; k < near; k++)
        w->contacts.data[k].target = nc_step_near_target(step, &w->contacts.data[k]);
    nc_step_remember_velocities(step);
    int loose = 0;
    code = nc_step_sort_tight(step, &loose, err);
    if (code == NC_OK)
        code = nc_step_run_solver(step, nc_contact_solve, w->contacts.data, loose, &settings,
                                  &step->report.seconds_respond, NULL, err);
    if (code == NC_OK && loose < w->contacts.count)
        code = nc_step_solve_tight(step, loose, err);
    nc_step_tie_contacts(step, false);
    if (code == NC_OK)
        nc_step_bound_mechanisms(step);
    for (int i = 0; code == NC_OK && i < step->world->state.bodies.count; i++)
        if (w->role[i] == NC_ROLE_FREE && nc_step_velocity_changed(step, i)) {
            code = nc_step_take_proposal(step, i, err);
            nc_components_ladder(&w->components, i, i)->changed++;
        }
    return code;
}

static const char *name_of(const nc_bodies *bodies, int i, char out[32])
{
    if (bodies->name[i] != NULL)
        return bodies->name[i];
    snprintf(out, 32, "body %d", i);
    return out;
}

// The error of a world that is to stop where a scripted body cannot continue.
static nc_code refuse_jam(const nc_bodies *bodies, double time, double dt, const nc_certify_report *report,
                          nc_error *err)
{
    char text[3][32];
    return nc_fail(err, NC_JAMMED,
                   "\"%.100s\" is blocked: \"%.100s\" and \"%.100s\" collide in the step from %.9g s to %.9g s",
                   name_of(bodies, report->stalled, text[0]), name_of(bodies, report->stalled_by[0], text[1]),
                   name_of(bodies, report->stalled_by[1], text[2]), time, time + dt);
}

nc_code nc_step_separate(nc_step *step, nc_error *err)
{
    nc_workspace *w = step->work;
    const bool batches = step->world->settings.collide_in_batches;
    const nc_rounds rounds = {.limit = step->world->settings.dynamic_iterations,
                              .pair_limit = step->world->settings.pair_dynamic_iterations,
                              .respond = respond,
                              .collect = collect,
                              .solve_batch = solve_batch,
                              .tight_bodies = batches ? NC_TIGHT_MAX_BODIES : 0,
                              .one_by_one = !batches};
    nc_step_begin_tight(step);
    nc_step_joints_for_proposals(step);
    step->certify.earlier = step->world->settings.pipeline == NC_PIPELINE_SHELL ? w->flights : NULL;
    nc_code code = nc_certify_begin(w->motions, &step->motions, &step->certify, err);
    if (code == NC_OK && step->world->settings.pipeline == NC_PIPELINE_SHELL)
        code = nc_step_split_colliding(step, err);
    if (code == NC_OK)
        code = nc_step_rounds(step, w->motions, &rounds, err);
    nc_certify_report report;
    if (code == NC_OK && step->world->settings.failsafe == NC_FAILSAFE_NONE)
        code = nc_step_retreat(step, err);
    if (code == NC_OK && step->world->settings.pipeline == NC_PIPELINE_SHELL)
        code = nc_step_limit_climb(step, err);
    if (code == NC_OK)
        code = nc_step_record_proposals(step, err);
    if (code == NC_OK)
        code = nc_step_failsafe(step, err);
    if (code == NC_OK)
        code = nc_certify_end(w->motions, w->fate, &report, err);
    if (code == NC_OK && report.stalled >= 0 && step->world->settings.on_jam == NC_JAM_STOP)
        code = refuse_jam(&step->world->state.bodies, step->time, step->dt, &report, err);
    if (code != NC_OK)
        return code;
    step->report.pairs = report.pairs;
    step->report.sweeps += report.sweeps;
    step->report.evaluations += report.evaluations;
    step->report.sticks = report.sticks;
    step->report.halts = report.halts;
    step->report.stalls = report.stalls;
    step->report.stalled_body = report.stalled;
    if (report.stalled >= 0)
        step->report.stalled_by = report.stalled_by[report.stalled_by[0] == report.stalled ? 1 : 0];
    step->report.jams = report.jams;
    step->report.undecided = report.undecided;
    step->report.smallest_distance = report.smallest_distance;
    const nc_bodies *bodies = &step->world->state.bodies;
    nc_candidates *next = &step->world->candidates;
    for (int i = 0; i < bodies->count; i++)
        if (bodies->alive[i]) {
            next->pose[i] = w->role[i] == NC_ROLE_FIXED ? bodies->pose[i] : nc_path_pose(&next->path[i], 1.0);
            next->blocker[i] = w->fate[i].blocker;
        }
    nc_step_carry_tight(step);
    nc_step_record_clusters(step);
    nc_step_account_for_proposals(step);
    return NC_OK;
}
