// Step 1: bounces. Along the flight without forces, hits get impulses with restitution and friction; flights are made
// again from the start of the step (English 3.2, Algorithm 1).
#include "step/step.h"

static void begin_flight(nc_step *step, int i)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    nc_workspace *w = step->work;
    uint8_t flags = 0;
    w->plain[i] = 0;
    w->v_hat[i] = bodies->v[i];
    w->momentum[i] = bodies->momentum[i];
    w->energy[i] = bodies->spin_energy[i];
    w->v[i] = bodies->v[i];
    w->w[i] = bodies->spin[i];
    switch ((nc_role)w->role[i]) {
    case NC_ROLE_ABSENT:
        break;
    case NC_ROLE_FIXED:
        nc_stay(&w->flight[i], &bodies->pose[i]);
        break;
    case NC_ROLE_SCRIPTED: { // seen by contacts with the velocity that it is about to have
        w->flight[i] = nc_step_script_path(step, i);
        nc_judge_path(step->world, i, &w->flight[i], &flags);
        const nc_segment *s = &w->flight[i].segments[0];
        w->v[i] = nc_scale(1.0 / step->dt, s->d);
        w->w[i] = nc_scale(1.0 / step->dt, s->theta);
        break;
    }
    case NC_ROLE_FREE:
        w->flight[i] = nc_step_free_path(step, i, w->v_hat[i], w->momentum[i], w->energy[i], &flags);
        nc_judge_path(step->world, i, &w->flight[i], &flags);
        break;
    }
}

static nc_code restart_flight(nc_step *step, int i, nc_error *err)
{
    nc_workspace *w = step->work;
    uint8_t flags = 0;
    w->flight[i] = nc_step_free_path(step, i, w->v_hat[i], w->momentum[i], w->energy[i], &flags);
    nc_judge_path(step->world, i, &w->flight[i], &flags);
    return nc_certify_change(w->flights, i, err);
}

// After an impulse: the body flies on with what the solver left.
static nc_code take_velocity(nc_step *step, int i, nc_error *err)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    nc_workspace *w = step->work;
    if (!nc_row_is_free(w->role, i))
        return NC_OK;
    w->v_hat[i] = w->v[i];
    w->momentum[i] = nc_inertia_momentum(&bodies->inertia[i], bodies->pose[i].q, w->w[i]);
    w->energy[i] = nc_inertia_energy(&bodies->inertia[i], bodies->pose[i].q, w->momentum[i]);
    return restart_flight(step, i, err);
}

// For a pair that met without approaching. *done is false when both turn plainly already.
static nc_code make_plain(nc_step *step, const nc_collision *hit, bool *done, nc_error *err)
{
    nc_workspace *w = step->work;
    const int row[2] = {hit->i, hit->j};
    for (int k = 0; k < 2; k++) {
        if (w->role[row[k]] != NC_ROLE_FREE || w->plain[row[k]])
            continue;
        w->plain[row[k]] = 1;
        *done = true;
        const nc_code code = restart_flight(step, row[k], err);
        if (code != NC_OK)
            return code;
    }
    return NC_OK;
}

// Does a contact approach faster than `speed` [m/s]?
static bool approaches(const nc_solver_bodies *bodies, const nc_contact *contacts, int count, double speed)
{
    for (int k = 0; k < count; k++)
        if (nc_dot(contacts[k].normal, nc_contact_velocity(bodies, &contacts[k])) < -speed)
            return true;
    return false;
}

// The contacts of a hit that approach: the patch at the time of impact. What the sweep found near each other is in it,
// or is passed by on the way along what is: the last corner of an edge that slides over a seam is near the seam's other
// side too, askew, and an impulse in that direction would stop the slide.
static nc_code find_approach(nc_step *step, const nc_collision *hit, const nc_solver_bodies *bodies, bool *found,
                             nc_error *err)
{
    nc_workspace *w = step->work;
    const nc_pose pose_i = nc_path_pose(&w->flight[hit->i], hit->toi);
    const nc_pose pose_j = nc_path_pose(&w->flight[hit->j], hit->toi);
    const double slack = NC_PATCH_SLACK_RESTS * nc_world_common_rest(step->world, hit->i, hit->j);
    w->contacts.count = 0;
    const nc_code code = nc_near_patch(&w->near, hit, pose_i, pose_j, slack, &w->contacts, err);
    *found = approaches(bodies, w->contacts.data, w->contacts.count, 0);
    return code;
}

static nc_vec3 turn_back(nc_pose start, nc_pose now, nc_vec3 arm)
{
    return nc_mat3_mul(nc_quat_matrix(start.q), nc_mat3_tmul(nc_quat_matrix(now.q), arm));
}

// [m/s] a contact's speed along its normal where the step began: the same points, turned back along the flights.
static double speed_at_start(const nc_path *flight, const nc_solver_bodies *bodies, const nc_contact *contact,
                             double toi)
{
    const nc_path *path_a = &flight[contact->a], *path_b = &flight[contact->b];
    nc_contact there = *contact;
    there.arm_a = turn_back(path_a->start, nc_path_pose(path_a, toi), contact->arm_a);
    there.arm_b = turn_back(path_b->start, nc_path_pose(path_b, toi), contact->arm_b);
    return nc_dot(contact->normal, nc_contact_velocity(bodies, &there));
}

// Bodies that rest on each other and turn, such as a pendulum on its pin, come together on their free flights only
// because nothing keeps those on their arcs. That is no impact: it is left to resting contact.
static bool turns_while_resting(const nc_step *step, const nc_collision *hit, const nc_solver_bodies *bodies)
{
    const nc_workspace *w = step->work;
    const nc_near_row *row = nc_near_table_find(&w->near.table, hit->i, hit->j);
    const double rest_speed = nc_rest_speed(&step->world->settings, step->dt);
    const double turn = step->dt * (nc_norm(bodies->w[hit->i]) + nc_norm(bodies->w[hit->j]));
    if (!(turn < NC_COLLIDE_RESTING_TURN))
        return false;
    for (int k = 0; k < w->contacts.count; k++)
        if (speed_at_start(w->flight, bodies, &w->contacts.data[k], hit->toi) < -rest_speed)
            return false;
    return row != NULL && row->count > 0;
}

// Did one of the pair break? Then the collision did not happen: it will, with the pieces, in the next start of the
// step.
static nc_code find_impacts(nc_step *step, const nc_collision *hit, const nc_vec3 before[4], bool *noted, nc_error *err)
{
    nc_workspace *w = step->work;
    const nc_pose pose_i = nc_path_pose(&w->flight[hit->i], hit->toi);
    const nc_pose pose_j = nc_path_pose(&w->flight[hit->j], hit->toi);
    const nc_code code = nc_step_record_impact(step, w->contacts.data, w->contacts.count, pose_i, pose_j, noted, err);
    if (*noted) {
        w->v[hit->i] = before[0];
        w->w[hit->i] = before[1];
        w->v[hit->j] = before[2];
        w->w[hit->j] = before[3];
    }
    return code;
}

// How often a solve may go over its contacts: as often as a number of updates allows, and no less than before.
static int sweeps_for(int contacts, int updates)
{
    return contacts * NC_COLLIDE_MIN_SWEEPS < updates ? updates / contacts : NC_COLLIDE_MIN_SWEEPS;
}

// The response to one hit. *done says whether anything changed. A pair that does not approach, although it met on its
// curved way, is left to resting contact and certify.
static nc_code respond(nc_step *step, const nc_collision *hit, bool *done, nc_error *err)
{
    nc_workspace *w = step->work;
    const nc_solver_bodies bodies = nc_step_solver_bodies(step);
    nc_solve_settings settings = nc_solve_settings_default();
    settings.friction = step->world->settings.friction_model;
    settings.clamp = step->world->settings.energy_corrections;
    settings.tolerance = NC_COLLIDE_PAIR_TOLERANCE;
    const uint64_t key = (uint64_t)hit->i << 32 | (uint64_t)hit->j;
    *done = false;
    if (!nc_array_push(&w->allocator, &w->bounces.pairs, key))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for collisions");
    bool found;
    nc_code code = find_approach(step, hit, &bodies, &found, err);
    if (code != NC_OK || !found)
        return code != NC_OK ? code : make_plain(step, hit, done, err);
    if (turns_while_resting(step, hit, &bodies))
        return NC_OK;
    if (approaches(&bodies, w->contacts.data, w->contacts.count, nc_rest_speed(&step->world->settings, step->dt)))
        nc_ties_strike(&w->ties, hit->i, hit->j);
    settings.iterations = sweeps_for(w->contacts.count, NC_COLLIDE_PAIR_UPDATES);
    nc_solve_report report;
    const nc_vec3 before[4] = {w->v[hit->i], w->w[hit->i], w->v[hit->j], w->w[hit->j]};
    code = nc_step_run_solver(step, nc_collide_patch, w->contacts.data, w->contacts.count, &settings,
                              &step->report.seconds_respond, &report, err);
    bool broken = false;
    if (code == NC_OK && nc_fracture_can_break(&w->fracture, &step->world->state, hit->i, hit->j))
        code = find_impacts(step, hit, before, &broken, err);
    if (code != NC_OK || broken)
        return code;
    nc_step_tie_contacts(step, false);
    nc_step_record_hit(step, hit);
    *done = true;
    step->report.collisions++;
    step->report.clamps += report.clamps;
    step->report.kinematic_work += report.work;
    code = take_velocity(step, hit->i, err);
    return code != NC_OK ? code : take_velocity(step, hit->j, err);
}

// ---- all at once --------------------------------------------------------------------------------------------

// Every point of a patch bounces with its restitution, if it comes faster than rest.
static nc_code collect(nc_step *step, const nc_collision *hit, bool *done, nc_error *err)
{
    nc_workspace *w = step->work;
    const nc_solver_bodies bodies = nc_step_solver_bodies(step);
    const double rest_speed = nc_rest_speed(&step->world->settings, step->dt);
    const uint64_t key = (uint64_t)hit->i << 32 | (uint64_t)hit->j;
    bool found;
    const nc_code code = find_approach(step, hit, &bodies, &found, err);
    if (code != NC_OK || !found)
        return code != NC_OK ? code : make_plain(step, hit, done, err);
    bool kept = nc_array_push(&w->allocator, &w->bounces.pairs, key);
    if (kept && turns_while_resting(step, hit, &bodies))
        return NC_OK;
    for (int k = 0; kept && k < w->contacts.count; k++) {
        nc_contact contact = w->contacts.data[k];
        const double speed = nc_dot(contact.normal, nc_contact_velocity(&bodies, &contact));
        contact.target = speed < -rest_speed ? -contact.restitution * speed : 0;
        if (speed < -rest_speed)
            nc_ties_strike(&w->ties, hit->i, hit->j);
        kept = nc_array_push(&w->allocator, &w->batch, contact);
    }
    step->report.collisions++;
    return kept ? NC_OK : nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for collisions");
}

// Impacts among the contacts from `begin` on; those of a pair follow each other. Their positions are taken as if the
// bodies had not turned since the start of the step.
static nc_code look_at_batch(nc_step *step, int begin, nc_error *err)
{
    const nc_workspace *w = step->work;
    const nc_pose *pose = step->world->state.bodies.pose;
    nc_code code = NC_OK;
    bool noted = false;
    for (int k = begin, end; k < w->contacts.count && code == NC_OK; k = end) {
        const nc_contact *first = &w->contacts.data[k];
        for (end = k + 1; end < w->contacts.count; end++)
            if (w->contacts.data[end].a != first->a || w->contacts.data[end].b != first->b)
                break;
        if (nc_fracture_can_break(&w->fracture, &step->world->state, first->a, first->b))
            code = nc_step_record_impact(step, first, end - k, pose[first->a], pose[first->b], &noted, err);
    }
    return code;
}

static nc_solve_settings batch_settings(const nc_world_def *def, double dt)
{
    nc_solve_settings settings = nc_resting_settings(def, dt);
    settings.warm = settings.shock = false;
    settings.iterations = NC_COLLIDE_MIN_SWEEPS;
    settings.tolerance = NC_COLLIDE_BATCH_TOLERANCE;
    settings.few_updates = NC_COLLIDE_SMALL_UPDATES;
    settings.few_tolerance = NC_COLLIDE_SMALL_TOLERANCE;
    return settings;
}

static nc_code solve_batch(nc_step *step, nc_error *err)
{
    nc_workspace *w = step->work;
    const nc_solve_settings settings = batch_settings(&step->world->settings, step->dt);
    int near = 0;
    nc_code code = nc_step_list_batch(step, &near, err);
    if (code != NC_OK)
        return code;
    for (int k = 0; k < near; k++) { // they may come to the rest distance
        nc_contact *contact = &w->contacts.data[k];
        contact->target = fmin(0, nc_near_to_rest(&w->near, step->dt, contact, contact->distance));
    }
    nc_step_remember_velocities(step);
    nc_step_begin_joint_impacts(step);
    nc_solve_report report;
    code = nc_step_run_solver(step, nc_contact_solve, w->contacts.data, w->contacts.count, &settings,
                              &step->report.seconds_respond, &report, err);
    step->report.clamps += code == NC_OK ? report.clamps : 0;
    step->report.kinematic_work += code == NC_OK ? report.work : 0;
    nc_step_add_joint_impacts(step);
    nc_step_tie_contacts(step, false);
    nc_step_record_contacts(step, NC_CONTACT_IMPACT, step->world->state.bodies.pose);
    if (code == NC_OK)
        code = look_at_batch(step, near, err);
    for (int i = 0; code == NC_OK && i < step->world->state.bodies.count; i++)
        if (w->role[i] == NC_ROLE_FREE && nc_step_velocity_changed(step, i)) {
            code = take_velocity(step, i, err);
            nc_components_ladder(&w->components, i, i)->changed++;
        }
    for (int k = 0; k < w->batch.count; k++) // they have bounced
        w->batch.data[k].target = 0;
    return code;
}

static bool key_less(const void *a, const void *b, const void *ctx)
{
    (void)ctx;
    return *(const uint64_t *)a < *(const uint64_t *)b;
}

static nc_code sort_bounced(nc_workspace *w, nc_error *err)
{
    if (!nc_array_reserve(&w->allocator, &w->bounces.spare, w->bounces.pairs.count))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for collisions");
    nc_sort_in(w->bounces.pairs.data, w->bounces.spare.data, (size_t)w->bounces.pairs.count,
               sizeof *w->bounces.pairs.data, key_less, NULL);
    return NC_OK;
}

// Sweeps all flights. When a body breaks, the step is started again, and most flights will be what they were. (In the
// pipelines of stack layers it is not said of the same pairs then that they matter.)
static nc_code begin_flights(nc_step *step, nc_error *err)
{
    nc_certifier *flights = step->work->flights;
    const bool again = step->again && step->world->settings.pipeline == NC_PIPELINE_SHELL;
    const nc_code code = again ? nc_certify_restart(flights, &step->flights, &step->certify, err)
                               : nc_certify_begin(flights, &step->flights, &step->certify, err);
    return code == NC_OK && nc_fracture_may_break(&step->work->fracture, &step->world->state)
               ? nc_certify_store_verdicts(flights, err)
               : code;
}

nc_code nc_step_collide(nc_step *step, nc_error *err)
{
    nc_workspace *w = step->work;
    const nc_bodies *bodies = &step->world->state.bodies;
    nc_place_inertia(bodies, w->role, bodies->pose, w->inv_inertia);
    w->bounces.pairs.count = 0;
    for (int i = 0; i < bodies->count; i++)
        if (bodies->alive[i])
            begin_flight(step, i);
    const nc_rounds rounds = {.limit = step->world->settings.collision_iterations,
                              .pair_limit = step->world->settings.pair_collision_iterations,
                              .respond = respond,
                              .collect = collect,
                              .solve_batch = solve_batch,
                              .one_by_one = !step->world->settings.collide_in_batches};
    nc_code code = nc_ties_begin(&w->ties, step->world->state.bodies.count, &w->allocator, err);
    if (code == NC_OK)
        code = nc_near_update(&w->near, bodies->pose, err);
    if (code == NC_OK)
        code = begin_flights(step, err);
    if (code == NC_OK && w->joints.on)
        code = nc_step_joints_for_impacts(step, err);
    if (code == NC_OK)
        code = nc_step_rounds(step, w->flights, &rounds, err);
    if (code == NC_OK)
        code = sort_bounced(w, err);
    step->report.sweeps += nc_certify_so_far(w->flights)->sweeps;
    step->report.evaluations += nc_certify_so_far(w->flights)->evaluations;
    step->report.kinetic_collided = nc_bodies_kinetic(bodies, w->role, bodies->pose, w->v_hat, w->momentum);
    return code;
}
