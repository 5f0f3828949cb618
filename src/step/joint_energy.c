// What a step may do to the energy of islands with joints.
//
// What drives and springs give in a step is their force times the way of their axis. An island that is carried and
// gains more than that and what the integrator explains is released: solved again without being carried, which loses
// energy.
//
// Where proposals do not end as joints want (a mechanism turns far in a step, or passes a singular position), an island
// is not carried, and the speed at which a drive acts at the end of the step may be far from the one that it had on the
// way. Where such an island, or one that was released, still gained more than force times way, it is solved once more
// without drives and springs, and goes from there only the part s of the way to the velocities with them, so that its
// energy, a square in s, is no more than s times what they gave. Both ends fulfil joints and contacts and have the same
// momentum, and so does what lies between.
#include "step/step.h"

// [J] of gravity and a body's force on its way.
static double work_on(const nc_step *step, int i)
{
    const nc_world *world = step->world;
    const nc_bodies *bodies = &world->state.bodies;
    const nc_vec3 way = nc_sub(world->candidates.pose[i].x, bodies->pose[i].x);
    return nc_dot(nc_madd(bodies->force[i], bodies->mass[i], world->settings.gravity), way);
}

// [J] of a free body after the last solve, less what it had after collisions and what gravity and its force did on the
// way.
static double energy_gained(const nc_step *step, int i)
{
    const nc_world *world = step->world;
    const nc_bodies *bodies = &world->state.bodies;
    const nc_workspace *w = step->work;
    const nc_pose to = world->candidates.pose[i];
    const nc_vec3 momentum = nc_inertia_momentum(&bodies->inertia[i], to.q, w->w[i]);
    return nc_body_kinetic(bodies, i, to, w->v[i], momentum) -
           nc_body_kinetic(bodies, i, bodies->pose[i], w->v_hat[i], w->momentum[i]) - work_on(step, i);
}

// Islands that something moves by a script get an infinite allowance.
static void excuse_moved(const nc_step *step)
{
    const nc_workspace *w = step->work;
    nc_tied_sum *sums = w->ties.sums.data;
    for (int k = 0; k < w->joints.rows.count; k++) {
        const nc_joint_row *row = &w->joints.rows.data[k];
        int free = -1;
        bool moved = false;
        for (int e = 0; e < 4; e++) {
            const int body = row->end[e].body;
            if (body >= 0 && nc_row_is_free(w->role, body))
                free = body;
            moved = moved || (body >= 0 && w->role[body] == NC_ROLE_SCRIPTED);
        }
        if (moved && free >= 0)
            sums[w->islands.of.data[free]].allowed = INFINITY;
    }
    for (int k = 0; k < w->contacts.count; k++) {
        const nc_contact *contact = &w->contacts.data[k];
        if (w->role[contact->a] == NC_ROLE_SCRIPTED || w->role[contact->b] == NC_ROLE_SCRIPTED)
            sums[w->islands.of.data[nc_finite_row(w->role, contact)]].allowed = INFINITY;
    }
}

// [m] or [rad] the way that the axis of a row of a drive or spring made in the step.
static double way_of(const nc_step *step, const nc_joint_row *row)
{
    const nc_joint *joint = &step->world->state.joints.data[row->joint];
    const int axis = row->demand % 6;
    const nc_joint_place from = nc_joint_find_place(joint, step->world->state.bodies.pose),
                         to = nc_joint_find_place(joint, step->world->candidates.pose);
    return nc_joint_coordinate(joint, &to, axis, joint->turns) - nc_joint_coordinate(joint, &from, axis, joint->turns);
}

// [J] that drives and springs gave, by their forces and ways, to the allowance of their islands. A way is known to what
// proposals may miss. Those that brake do not count: they take less than their force times the way, since they act on
// the velocities of the end of the step.
static void allow_row(const nc_step *step, const nc_joint_row *row)
{
    if (!row->drives)
        return;
    nc_tied_sum *sum = &step->work->ties.sums.data[nc_step_joint_island(step, row)];
    const double force = row->impulse / step->dt, work = force * way_of(step, row);
    sum->allowed += fmax(0, work) + fabs(force) * NC_JOINT_AIM;
    sum->driven += fabs(work);
}

// In islands that are carried, those of the start count, too.
static void allow_drives(const nc_step *step)
{
    const nc_step_joints *joints = &step->work->joints;
    for (int k = 0; k < joints->start.count; k++)
        if (nc_step_row_is_carried(step, &joints->start.data[k]))
            allow_row(step, &joints->start.data[k]);
    for (int k = 0; k < joints->rows.count; k++)
        allow_row(step, &joints->rows.data[k]);
}

// [J] that an island may gain since the work of gravity is taken along the way, which was not straight, by the angle
// turned. By the velocities of the start of the step it gains no more.
static double path_error(const nc_tied_sum *sum)
{
    return NC_JOINT_ENERGY_ROUNDING * sum->push + NC_JOINT_TURN_ENERGY * sum->turning * sum->work;
}

// [J] and that one that is carried may gain by the integrator: of the energy the square of the angle turned, of the
// work of drives the angle.
static double integration_error(const nc_tied_sum *sum)
{
    return NC_JOINT_TURN_ENERGY * sum->turning * (sum->turning * sum->push + sum->driven) + path_error(sum);
}

// What the bodies of islands gained, of those that are carried or of the others, to the sums of their lowest rows.
static void sum_energy(const nc_step *step, bool carried)
{
    const nc_workspace *w = step->work;
    const nc_bodies *bodies = &step->world->state.bodies;
    nc_tied_sum *sums = w->ties.sums.data;
    for (int i = 0; i < bodies->count; i++)
        sums[i] = (nc_tied_sum){0};
    for (int i = 0; i < bodies->count; i++) {
        if (!nc_row_is_free(w->role, i) || nc_carry_has(&w->carry, i) != carried)
            continue;
        const double turn = step->dt * nc_norm(w->w[i]);
        const double before = nc_body_kinetic(bodies, i, bodies->pose[i], w->v_hat[i], w->momentum[i]);
        const double gained = energy_gained(step, i);
        nc_tied_sum *sum = &sums[w->islands.of.data[i]];
        sum->now += gained;
        sum->push += fmax(before, before + gained);
        sum->work += fabs(work_on(step, i));
        sum->turning = fmax(sum->turning, turn); // here: [rad]
        if (nc_norm2(bodies->torque[i]) > 0)
            sum->allowed = INFINITY;
    }
}

int nc_step_release_risen_joints(nc_step *step)
{
    nc_workspace *w = step->work;
    const nc_bodies *bodies = &step->world->state.bodies;
    nc_tied_sum *sums = w->ties.sums.data;
    int released = 0;
    if (!step->world->settings.energy_corrections)
        return 0;
    nc_islands_mark_all(&w->islands, bodies->count, 0);
    sum_energy(step, true);
    excuse_moved(step);
    allow_drives(step);
    for (int i = 0; i < bodies->count; i++) {
        const nc_tied_sum *sum = nc_row_is_free(w->role, i) ? &sums[w->islands.of.data[i]] : NULL;
        if (sum == NULL || !nc_step_is_jointed(step, i) || !nc_carry_has(&w->carry, i) ||
            sum->now <= sum->allowed + integration_error(sum))
            continue;
        w->islands.marked.data[w->islands.of.data[i]] = 1;
        released++;
    }
    for (int i = 0; i < bodies->count; i++)
        if (nc_row_is_free(w->role, i) && w->islands.marked.data[w->islands.of.data[i]]) {
            w->carry.rows.data[i] = 0;
            w->v[i] = w->v_before[i] = step->world->candidates.v[i];
            w->w[i] = w->w_before[i] = step->world->candidates.spin[i];
        }
    return released;
}

// ---- drives ---------------------------------------------------------------------------------------------------

// The velocities there are become those with drives, the impulses of rows too.
static void keep_driven(nc_step *step)
{
    nc_workspace *w = step->work;
    for (int i = 0; i < step->world->state.bodies.count; i++) {
        w->joints.eager.data[i] = w->v[i];
        w->joints.eager_turn.data[i] = w->w[i];
        if (nc_row_is_free(w->role, i) && w->islands.marked.data[w->islands.of.data[i]]) {
            w->v[i] = w->v_before[i];
            w->w[i] = w->w_before[i];
        }
    }
    for (int k = 0; k < w->joints.rows.count; k++) {
        nc_joint_row *row = &w->joints.rows.data[k];
        w->joints.best.data[k] = row->impulse;
        if (row->drives && w->islands.marked.data[nc_step_joint_island(step, row)])
            row->low = row->high = 0;
    }
}

nc_code nc_step_mark_overdriven_joints(nc_step *step, int *count, nc_error *err)
{
    nc_workspace *w = step->work;
    const int rows = step->world->state.bodies.count;
    *count = 0;
    if (!step->world->settings.energy_corrections)
        return NC_OK;
    if (!nc_array_reserve(&w->allocator, &w->joints.best, w->joints.rows.count))
        return nc_fail_memory(err, (size_t)w->joints.rows.count * sizeof(double));
    nc_islands_mark_all(&w->islands, rows, 0);
    sum_energy(step, false);
    excuse_moved(step);
    allow_drives(step);
    for (int k = 0; k < w->joints.rows.count; k++) {
        const nc_joint_row *row = &w->joints.rows.data[k];
        const int island = nc_step_joint_island(step, row);
        nc_tied_sum *sum = &w->ties.sums.data[island];
        if (!row->drives || w->islands.marked.data[island] || nc_step_row_is_carried(step, row) ||
            sum->now <= sum->allowed + path_error(sum))
            continue;
        w->islands.marked.data[island] = 1;
        ++*count;
    }
    if (*count > 0)
        keep_driven(step);
    return NC_OK;
}

// The largest s in [0, 1] with at + s (slope + s curve) <= max(0, at).
static double part_of(double at, double slope, double curve)
{
    const double c = at - fmax(0, at), root = sqrt(fmax(0, slope * slope - 4 * curve * c));
    const double s = curve > 0 ? (root - slope) / (2 * curve) : 0;
    return s > 0 ? fmin(1, s) : 0;
}

// To the sums of marked islands: the part of the way to the velocities with drives, in `turning`. Those without are
// there now.
static void find_parts(const nc_step *step)
{
    const nc_workspace *w = step->work;
    const nc_bodies *bodies = &step->world->state.bodies;
    nc_tied_sum *sums = w->ties.sums.data;
    for (int i = 0; i < bodies->count; i++) {
        if (!nc_row_is_free(w->role, i) || !w->islands.marked.data[w->islands.of.data[i]])
            continue;
        const nc_pose to = step->world->candidates.pose[i];
        const nc_vec3 dv = nc_sub(w->joints.eager.data[i], w->v[i]), dw = nc_sub(w->joints.eager_turn.data[i], w->w[i]);
        nc_tied_sum *sum = &sums[w->islands.of.data[i]];
        sum->mixed += energy_gained(step, i);
        sum->inner += nc_body_kinetic(bodies, i, to, dv, nc_inertia_momentum(&bodies->inertia[i], to.q, dw));
    }
    for (int i = 0; i < bodies->count; i++)
        if (w->islands.marked.data[i]) {
            nc_tied_sum *sum = &sums[i];
            const double slope = sum->now - sum->mixed - sum->inner - sum->allowed;
            sum->turning = part_of(sum->mixed - path_error(sum), slope, sum->inner);
        }
}

void nc_step_limit_drives(nc_step *step)
{
    nc_workspace *w = step->work;
    find_parts(step);
    for (int i = 0; i < step->world->state.bodies.count; i++) {
        const int island = nc_row_is_free(w->role, i) ? w->islands.of.data[i] : -1;
        if (island < 0 || !w->islands.marked.data[island])
            continue;
        const double part = w->ties.sums.data[island].turning;
        w->v[i] = nc_madd(w->v[i], part, nc_sub(w->joints.eager.data[i], w->v[i]));
        w->w[i] = nc_madd(w->w[i], part, nc_sub(w->joints.eager_turn.data[i], w->w[i]));
    }
    for (int k = 0; k < w->joints.rows.count; k++) {
        nc_joint_row *row = &w->joints.rows.data[k];
        const int island = nc_step_joint_island(step, row);
        if (w->islands.marked.data[island])
            row->impulse += w->ties.sums.data[island].turning * (w->joints.best.data[k] - row->impulse);
    }
    for (int k = 0, at = 0; k < w->contacts.count; k++) { // in the order of nc_step_gather_active
        const int island = w->islands.of.data[nc_finite_row(w->role, &w->contacts.data[k])];
        if (w->islands.idle.data[k] || !w->islands.marked.data[island])
            continue;
        nc_vec3 *now = &w->batch.data[at++].impulse;
        *now = nc_madd(*now, w->ties.sums.data[island].turning, nc_sub(w->contacts.data[k].impulse, *now));
    }
}
