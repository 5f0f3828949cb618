// Steps 6 and 7: velocities at the end of the step, and resting contact where bodies have come to be.
#include "step/step.h"

static bool stays(const nc_candidates *next, int i)
{
    return (next->flags[i] & (NC_STEP_NOT_FINITE | NC_STEP_TOO_FAR)) != 0;
}

static bool is_zero(nc_vec3 v)
{
    return v.x == 0 && v.y == 0 && v.z == 0;
}

// Being turned by a contact must not add energy: L moves to the nearest point of the ellipsoid of the energy before, in
// the principal frame L_k / (1 + nu / I_k) with the nu that gives that energy.
static nc_vec3 keep_energy(const nc_inertia *inertia, nc_quat q, nc_vec3 momentum, double energy)
{
    const nc_mat3 frame = nc_quat_matrix(nc_quat_mul(q, inertia->axes));
    const nc_vec3 p = nc_mat3_tmul(frame, momentum), m = inertia->moments;
    double low = 0, high = m.z;
    nc_vec3 best = {0, 0, 0};
    for (int k = 0; k < 200; k++) {
        const bool widening = k < 100 && best.x == 0 && best.y == 0 && best.z == 0;
        const double nu = widening ? high : 0.5 * (low + high);
        const nc_vec3 s = {p.x / (1 + nu / m.x), p.y / (1 + nu / m.y), p.z / (1 + nu / m.z)};
        const double e = 0.5 * (s.x * s.x / m.x + s.y * s.y / m.y + s.z * s.z / m.z);
        if (e <= energy) {
            best = s;
            high = nu;
        } else if (widening) {
            low = high;
            high *= 4;
        } else {
            low = nu;
        }
        if (!(high - low > 1e-15 * high))
            break;
    }
    return nc_mat3_mul(frame, best);
}

// v = v_hat + tau dt a. A body that had to stay, and one whose sum overflows, keeps what it had.
static void settle_dynamic(nc_step *step, int i)
{
    const nc_world *world = step->world;
    const nc_bodies *bodies = &world->state.bodies;
    nc_workspace *w = step->work;
    nc_candidates *next = &step->world->candidates;
    const nc_inertia *inertia = &bodies->inertia[i];
    const double t = (next->flags[i] & NC_STEP_SETTLED) != 0 ? 0 : step->dt * w->fate[i].ran_until;
    const nc_vec3 a = nc_madd(world->settings.gravity, bodies->inv_mass[i], bodies->force[i]);
    const nc_vec3 v = nc_madd(w->v_hat[i], t, a), momentum = nc_madd(w->momentum[i], t, bodies->torque[i]);
    const bool keep = stays(next, i) || !nc_finite3(v) || !nc_finite3(momentum);
    const bool free = (next->flags[i] & NC_STEP_PUSHED) == 0 && !w->plain[i] && !w->fate[i].stuck && !w->fate[i].halted;
    next->v[i] = keep ? w->v_hat[i] : v;
    next->momentum[i] = keep ? w->momentum[i] : momentum;
    next->spin_energy[i] = w->energy[i];
    const double energy = nc_inertia_energy(inertia, next->pose[i].q, next->momentum[i]);
    if (!is_zero(bodies->torque[i]))
        next->spin_energy[i] = energy;
    else if (!free && energy > w->energy[i] && world->settings.energy_corrections) {
        next->momentum[i] = keep_energy(inertia, next->pose[i].q, next->momentum[i], w->energy[i]);
        step->report.turn_loss += energy - w->energy[i];
    }
    if (!free || !world->settings.energy_corrections)
        next->spin_energy[i] = nc_inertia_energy(inertia, next->pose[i].q, next->momentum[i]);
    next->spin[i] = nc_inertia_spin(inertia, next->pose[i].q, next->momentum[i]);
}

static void settle_fixed(const nc_bodies *bodies, nc_candidates *next, int i)
{
    next->v[i] = next->spin[i] = nc_v3(0, 0, 0);
    next->momentum[i] = bodies->momentum[i];
    next->spin_energy[i] = 0;
}

// What a scripted body really did, averaged over the step.
static void settle_scripted(const nc_bodies *bodies, nc_candidates *next, double dt, int i)
{
    const nc_path *path = &next->path[i];
    const double rate = 1.0 / dt;
    next->v[i] = nc_scale(rate, nc_sub(next->pose[i].x, bodies->pose[i].x));
    next->momentum[i] = bodies->momentum[i];
    next->spin_energy[i] = 0;
    next->spin[i] =
        path->count == 1
            ? nc_scale(rate, path->segments[0].theta)
            : nc_scale(rate, nc_quat_rotation_vector(nc_quat_mul(next->pose[i].q, nc_quat_conj(bodies->pose[i].q))));
}

static bool has_bounced(const nc_workspace *w, int i, int j)
{
    return nc_pair_map_find(w->bounces.pairs.data, w->bounces.pairs.count, sizeof(uint64_t), nc_pair_key(i, j)) >= 0;
}

// Displacement [m] over this step of a material point of row i, which is at `arm` [m] from the centre at its end.
static nc_vec3 displacement(const nc_world *world, int i, nc_vec3 arm)
{
    const nc_pose from = world->state.bodies.pose[i], to = world->candidates.pose[i];
    const nc_vec3 arm_before = nc_mat3_mul(nc_quat_matrix(from.q), nc_mat3_tmul(nc_quat_matrix(to.q), arm));
    return nc_sub(nc_add(to.x, arm), nc_add(from.x, arm_before));
}

// Was the motion of a contact that approaches at `speed` [m/s] stopped in this step, by whatever phase?
static bool was_stopped(const nc_world *world, double dt, const nc_contact *contact, double speed)
{
    const nc_vec3 made =
        nc_sub(displacement(world, contact->a, contact->arm_a), displacement(world, contact->b, contact->arm_b));
    return nc_dot(contact->normal, made) > NC_SETTLE_STOPPED_SHARE * speed * dt;
}

// What a contact that approaches fast and did not bounce in step 1 is to do. It is left alone when it will hit in the
// next step's flight, or will not come to the rest distance there. In between, resting contact would hold the bodies
// and nothing would ever stop their velocities: it bounces here. So does a contact whose motion was stopped in this
// step: the velocity of an impact must not outlive the motion.
static bool bounces_now(const nc_near *near, double dt, const nc_contact *contact, double speed)
{
    if (was_stopped(near->world, dt, contact, speed))
        return true;
    const double next = contact->distance + speed * dt;
    return next > NC_SETTLE_HIT_FLOORS * near->world->settings.floor_distance &&
           next < nc_near_pair_rest(near, contact->a, contact->b);
}

// Turning that carries a contact apart again within the next step lets it close until then; turning that closes it is
// for the next step's proposals.
static void allow_turning(const nc_near *near, double dt, const nc_solver_bodies *bodies, const nc_pose *pose,
                          nc_contact_list *contacts)
{
    for (int k = 0; k < contacts->count; k++) {
        nc_contact *contact = &contacts->data[k];
        const nc_vec3 bias = nc_chord_bias(near, dt, bodies, contact, pose);
        contact->bias = nc_scale(fmax(0, nc_dot(bias, contact->normal)), contact->normal);
    }
}

// Keeps contacts of pairs that bounced in step 1 and of pairs that approach slowly: those that come fast will bounce in
// the next step (English section 2, step 7) or bounce now. Other targets let a contact close to the rest distance, and
// never push.
static void choose_contacts(nc_step *step)
{
    nc_workspace *w = step->work;
    const nc_solver_bodies bodies = nc_step_solver_bodies(step);
    const double rest_speed = nc_rest_speed(&step->world->settings, step->dt);
    int kept = 0;
    nc_round_contacts(step->world, step->dt, &bodies, &w->contacts);
    for (int k = 0; k < w->contacts.count; k++) {
        nc_contact contact = w->contacts.data[k];
        const double speed = nc_dot(contact.normal, nc_contact_velocity(&bodies, &contact));
        const bool fast = speed < -rest_speed && !has_bounced(w, contact.a, contact.b);
        if (fast && !bounces_now(&w->near, step->dt, &contact, speed))
            continue;
        contact.impact = fast;
        if (fast)
            nc_ties_strike(&w->ties, contact.a, contact.b);
        contact.target = fast ? -contact.restitution * speed
                              : fmin(0, nc_near_to_rest(&w->near, step->dt, &contact, contact.distance));
        w->contacts.data[kept++] = contact;
    }
    w->contacts.count = kept;
    allow_turning(&w->near, step->dt, &bodies, step->world->candidates.pose, &w->contacts);
}

static void read_solver(const nc_bodies *bodies, const nc_solver_bodies *solved, nc_candidates *next, int i)
{
    if (is_zero(nc_sub(solved->v[i], next->v[i])) && is_zero(nc_sub(solved->w[i], next->spin[i])))
        return;
    next->v[i] = solved->v[i];
    next->momentum[i] = nc_inertia_momentum(&bodies->inertia[i], next->pose[i].q, solved->w[i]);
    next->spin[i] = solved->w[i];
    next->spin_energy[i] = nc_inertia_energy(&bodies->inertia[i], next->pose[i].q, next->momentum[i]);
}

nc_vec3 nc_contacts_support(const uint8_t *role, const nc_contact_list *contacts)
{
    nc_vec3 sum = {0, 0, 0};
    for (int k = 0; k < contacts->count; k++) {
        const nc_contact *contact = &contacts->data[k];
        const bool moves_a = nc_row_is_free(role, contact->a), moves_b = nc_row_is_free(role, contact->b);
        if (moves_a != moves_b)
            sum = nc_madd(sum, moves_a ? 1 : -1, nc_contact_impulse_vector(contact));
    }
    return sum;
}

// The velocity that made the motion, and the second half of the forces. A body that turns far in the step does not have
// the energy that its momentum would have where it has come to be.
static void take_carried(nc_step *step, int i)
{
    const nc_world *world = step->world;
    const nc_bodies *bodies = &world->state.bodies;
    nc_workspace *w = step->work;
    const nc_inertia *inertia = &bodies->inertia[i];
    const nc_quat from = bodies->pose[i].q, to = world->candidates.pose[i].q;
    const nc_carried_velocity carried = nc_carry_velocity(step, i);
    nc_vec3 momentum = carried.momentum;
    const double energy = nc_inertia_energy(inertia, from, momentum);
    if (world->settings.energy_corrections && !nc_step_is_jointed(step, i) &&
        step->dt * nc_norm(w->carry.w.data[i]) > NC_COLLIDE_RESTING_TURN &&
        nc_inertia_energy(inertia, to, momentum) > energy)
        momentum = keep_energy(inertia, to, momentum, energy);
    w->v[i] = carried.v;
    w->w[i] = nc_inertia_spin(inertia, to, momentum);
}

// [J] what bodies of infinite mass gave, by the contacts' impulses.
static double kinematic_work(const nc_solver_bodies *bodies, const nc_contact_list *contacts)
{
    double sum = 0;
    for (int k = 0; k < contacts->count; k++) {
        const nc_contact *contact = &contacts->data[k];
        sum += nc_contact_kinematic_work(bodies, contact, nc_contact_impulse_vector(contact));
    }
    return sum;
}

static void take_worst(nc_solve_report *report, const nc_solve_report *last)
{
    report->clamps += last->clamps;
    report->shocks += last->shocks;
    report->unconverged = last->unconverged > report->unconverged ? last->unconverged : report->unconverged;
    report->iterations = last->iterations > report->iterations ? last->iterations : report->iterations;
    report->residual = fmax(report->residual, last->residual);
}

// Bodies of marked islands have the velocities before contact again.
static void recall_velocities(nc_step *step)
{
    nc_workspace *w = step->work;
    for (int i = 0; i < step->world->state.bodies.count; i++)
        if (w->role[i] == NC_ROLE_FREE && w->islands.marked.data[w->islands.of.data[i]]) {
            w->v[i] = w->v_before[i];
            w->w[i] = w->w_before[i];
        }
}

// Gathers the contacts of marked islands and solves them.
static nc_code solve_marked(nc_step *step, const nc_solve_settings *settings, nc_solve_report *report, nc_error *err)
{
    nc_workspace *w = step->work;
    nc_solve_report last;
    nc_code code = nc_step_gather_active(step, true, err);
    if (code == NC_OK)
        code = nc_step_run_solver(step, nc_contact_solve, w->batch.data, w->batch.count, settings,
                                  &step->report.seconds_solve, &last, err);
    if (code == NC_OK)
        take_worst(report, &last);
    return code;
}

// Islands with joints that gained energy by being carried, once more: with the velocities of the start of the step and
// all forces of it, which loses energy instead.
static nc_code solve_released(nc_step *step, const nc_solve_settings *settings, nc_solve_report *report, nc_error *err)
{
    nc_code code = nc_step_joints_for_released(step, err);
    if (code == NC_OK)
        code = solve_marked(step, settings, report, err);
    if (code == NC_OK)
        nc_step_scatter_active(step, true);
    return code;
}

// Islands whose drives gave more than their force times the way, once more without these, to go only a part of the way
// to what was found with them.
static nc_code solve_overdriven(nc_step *step, const nc_solve_settings *settings, nc_solve_report *report,
                                nc_error *err)
{
    int count;
    nc_code code = nc_step_mark_overdriven_joints(step, &count, err);
    if (code == NC_OK && count > 0)
        code = solve_marked(step, settings, report, err);
    if (code != NC_OK || count == 0)
        return code;
    nc_step_limit_drives(step);
    nc_step_scatter_active(step, true);
    return NC_OK;
}

// Solves the contacts that touch, then again with those that would come too near in the next step, island by island.
static nc_code solve_active(nc_step *step, nc_solve_report *report, nc_error *err)
{
    nc_workspace *w = step->work;
    const nc_pose *pose = step->world->candidates.pose;
    const nc_solve_settings settings = nc_resting_settings(&step->world->settings, step->dt);
    const nc_solver_bodies bodies = nc_step_solver_bodies(step);
    nc_step_remember_velocities(step);
    nc_code code = nc_step_choose_idle(step, pose, err);
    if (code == NC_OK)
        nc_islands_mark_all(&w->islands, bodies.count, 1);
    *report = (nc_solve_report){0};
    for (int round = 0; code == NC_OK; round++) {
        nc_solve_report last;
        code = nc_step_gather_active(step, true, err);
        if (code == NC_OK)
            code = nc_step_run_solver(step, nc_contact_solve, w->batch.data, w->batch.count, &settings,
                                      &step->report.seconds_solve, &last, err);
        if (code != NC_OK)
            break;
        take_worst(report, &last);
        nc_step_scatter_active(step, true);
        nc_islands_mark_all(&w->islands, bodies.count, 0);
        if (round + 1 == NC_SETTLE_SOLVES || nc_step_activate(step, pose) == 0)
            break;
        recall_velocities(step);
    }
    if (code == NC_OK && w->joints.on && nc_step_release_risen_joints(step) > 0)
        code = solve_released(step, &settings, report, err);
    if (code == NC_OK && w->joints.on)
        code = solve_overdriven(step, &settings, report, err);
    if (code == NC_OK) {
        report->clamps += settings.clamp ? nc_step_clamp_stiff(step) : 0;
        report->work = kinematic_work(&bodies, &w->contacts);
    }
    return code;
}

// What the report says of the last solve.
static void report_end(nc_step *step, const nc_solve_report *report)
{
    const nc_workspace *w = step->work;
    step->report.clamps += report->clamps;
    step->report.kinematic_work += report->work;
    step->report.unconverged += report->unconverged;
    step->report.shocks += report->shocks;
    step->report.residual = fmax(step->report.residual, report->residual);
    step->report.final_contacts = w->contacts.count;
    step->report.support = nc_contacts_support(w->role, &w->contacts);
    step->report.final_iterations = report->iterations;
}

nc_code nc_step_hold_at_end(nc_step *step, nc_error *err)
{
    nc_workspace *w = step->work;
    const nc_bodies *bodies = &step->world->state.bodies;
    nc_candidates *next = &step->world->candidates;
    const nc_solver_bodies solved = nc_step_solver_bodies(step);
    for (int i = 0; i < bodies->count; i++) {
        w->v[i] = next->v[i];
        w->w[i] = next->spin[i];
    }
    nc_place_inertia(bodies, w->role, next->pose, w->inv_inertia);
    nc_step_stiffen(step, NC_SOLVE_SETTLE);
    nc_step_choose_carry(step);
    for (int i = 0; i < bodies->count; i++)
        if (nc_carry_has(&w->carry, i))
            take_carried(step, i);
    choose_contacts(step);
    nc_code code = nc_step_recall(step, NC_SOLVE_SETTLE, err);
    if (code == NC_OK && w->joints.on)
        code = nc_step_joints_for_end(step, err);
    if (code != NC_OK)
        return code;
    nc_solve_report report;
    code = solve_active(step, &report, err);
    report_end(step, &report);
    for (int i = 0; code == NC_OK && i < bodies->count; i++)
        if (nc_row_is_free(w->role, i))
            read_solver(bodies, &solved, next, i);
    nc_step_tie_contacts(step, false);
    nc_step_record_carried(step);
    nc_step_record_contacts(step, NC_CONTACT_REST, next->pose);
    return code;
}

nc_code nc_step_rest_at_end(nc_step *step, nc_error *err)
{
    nc_workspace *w = step->work;
    w->contacts.count = 0;
    nc_code code = nc_near_contacts(&w->near, step->world->candidates.pose, &w->contacts, err);
    if (code != NC_OK || (w->contacts.count == 0 && !w->joints.on))
        return code;
    code = nc_step_hold_at_end(step, err);
    return code == NC_OK ? nc_step_keep(step, NC_SOLVE_SETTLE, err) : code;
}

nc_code nc_step_settle(nc_step *step, nc_error *err)
{
    (void)err;
    const nc_bodies *bodies = &step->world->state.bodies;
    for (int i = 0; i < bodies->count; i++) {
        if (!bodies->alive[i])
            continue;
        if (nc_row_is_free(step->work->role, i))
            settle_dynamic(step, i);
        else if (step->work->role[i] == NC_ROLE_FIXED)
            settle_fixed(bodies, &step->world->candidates, i);
        else
            settle_scripted(bodies, &step->world->candidates, step->dt, i);
    }
    nc_step_account_for_motion(step);
    return NC_OK;
}

nc_code nc_step_limit(nc_step *step, nc_error *err)
{
    (void)err;
    nc_step_follow_held(step);
    if (step->world->settings.energy_corrections)
        nc_step_limit_energy(step);
    return NC_OK;
}
