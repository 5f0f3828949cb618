// Components with little play: the joints of a taut chain, a pin in its hole.
//
// Resting contact knows the features that are near where the step begins. A joint that slides by its play in a step
// comes to the next flank, and what collides there cannot be resolved pair by pair: every push of a link pushes the
// next one, and sweeps pass on a part of it only. So a component with a colliding pair that rests nearer than its sizes
// say is solved as a whole at once, with Newton's method, and as often as new flanks are met. Not so where a script
// drives it: gears and cranks are brought by their contacts to where they can go, and easing those makes them jam.
//
// What was stopped like that within the step is not seen by the contacts at its end either: a straight chain that falls
// by its play is stopped by the second order of its motion alone. It would keep the velocity with which it fell, for
// ever. So its velocity is the motion that it made, where that has less energy.
//
// Every solve of such a component begins with the velocities that it had before the first one, and with the impulses of
// the one before. So its answer is always the nearest motion to the proposal that all flanks met so far allow, a push
// that a later flank makes needless is taken back, and little is left to find.
#include "step/step.h"

bool nc_pair_is_tight(const nc_near *near, int i, int j)
{
    return nc_near_pair_rest(near, i, j) < NC_TIGHT_RESTS * nc_world_common_rest(near->world, i, j);
}

static bool is_tight_contact(nc_step *step, const nc_contact *contact)
{
    return nc_components_ladder(&step->work->components, contact->a, contact->b)->tight;
}

nc_code nc_step_sort_tight(nc_step *step, int *loose, nc_error *err)
{
    nc_workspace *w = step->work;
    const int count = w->contacts.count;
    *loose = 0;
    nc_contact_list *sorted = &w->tight.sorted;
    if (!nc_array_reserve(&w->allocator, sorted, count))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for %d contacts of colliding bodies", count);
    sorted->count = 0;
    for (int k = 0; k < count; k++) {
        const nc_contact contact = w->contacts.data[k];
        if (is_tight_contact(step, &contact))
            sorted->data[sorted->count++] = contact;
        else
            w->contacts.data[(*loose)++] = contact;
    }
    for (int k = 0; k < sorted->count; k++)
        w->contacts.data[*loose + k] = sorted->data[k];
    return NC_OK;
}

// Opening contacts to their rest distance would lift a chain of 65 links, which falls in the next step, for ever. So
// what is near is only not to come nearer, and what collides is to be clear of the floor distance when it does.
void nc_step_aim_tight(nc_step *step, const nc_solver_bodies *bodies, double toi)
{
    nc_workspace *w = step->work;
    for (int k = 0; k < w->contacts.count; k++) {
        nc_contact *contact = &w->contacts.data[k];
        const double rest = nc_near_pair_rest(&w->near, contact->a, contact->b);
        const double clear = fmin(rest, NC_TIGHT_CLEAR_FLOORS * step->world->settings.floor_distance);
        const double speed = nc_dot(contact->normal, nc_contact_velocity(bodies, contact));
        const double opened = speed + (clear - contact->distance) / (step->dt * fmax(toi, NC_SEPARATE_EARLIEST_AIM));
        if (is_tight_contact(step, contact))
            contact->target = fmax(fmin(0, contact->target), opened);
    }
}

double nc_step_near_target(nc_step *step, const nc_contact *contact)
{
    const double target = nc_near_to_rest(&step->work->near, step->dt, contact, contact->distance);
    return is_tight_contact(step, contact) ? fmin(0, target) : target;
}

static bool is_of_tight(nc_step *step, int i)
{
    return step->work->role[i] == NC_ROLE_FREE && nc_components_ladder(&step->work->components, i, i)->tight;
}

// ---- solves ----------------------------------------------------------------------------------------------------

void nc_tight_free(nc_tight *tight, const nc_allocator *allocator)
{
    nc_array_free(allocator, &tight->sorted);
    nc_array_free(allocator, &tight->solved);
    nc_array_free(allocator, &tight->merged);
    nc_array_free(allocator, &tight->proposed);
}

// Bodies of tight components that are solved in this round have the velocities of their proposals before the first
// solve of the phase.
static nc_code recall_proposals(nc_step *step, nc_error *err)
{
    nc_workspace *w = step->work;
    nc_tight *tight = &w->tight;
    const int rows = step->world->state.bodies.count;
    if (!nc_array_reserve(&w->allocator, &tight->proposed, rows))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for the proposals of %d bodies", rows);
    for (; tight->proposed.count < rows; tight->proposed.count++)
        tight->proposed.data[tight->proposed.count].known = false;
    for (int i = 0; i < rows; i++) {
        nc_tight_proposal *proposal = &tight->proposed.data[i];
        if (!is_of_tight(step, i) || !nc_components_ladder(&w->components, i, i)->collected)
            continue;
        if (!proposal->known)
            *proposal = (nc_tight_proposal){w->v[i], w->w[i], true};
        w->v[i] = proposal->v;
        w->w[i] = proposal->w;
    }
    return NC_OK;
}

static bool is_same_contact(const nc_contact *p, const nc_contact *q)
{
    return p->a == q->a && p->b == q->b && p->feature.kind == q->feature.kind && p->feature.a == q->feature.a &&
           p->feature.b == q->feature.b && p->distance == q->distance;
}

// Contacts are listed in the same order in every round, and none is left out of a component that is solved again. So
// those that have been solved before are met one after the other. What belongs to components that are not solved in
// this round is passed on to the next one.
static nc_code recall_impulses(nc_step *step, int first, nc_error *err)
{
    nc_workspace *w = step->work;
    const nc_contact_list *solved = &w->tight.solved;
    nc_contact_list *merged = &w->tight.merged;
    int next = 0;
    if (!nc_array_reserve(&w->allocator, merged, solved->count + w->contacts.count - first))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for %d contacts of colliding bodies", w->contacts.count);
    merged->count = 0;
    for (int k = first; k <= w->contacts.count; k++) {
        for (; next < solved->count; next++) {
            const nc_contact *old = &solved->data[next];
            if (nc_components_ladder(&w->components, old->a, old->b)->collected)
                break;
            merged->data[merged->count++] = *old;
        }
        if (k == w->contacts.count)
            break;
        nc_contact *contact = &w->contacts.data[k];
        const bool known = next < solved->count && is_same_contact(&solved->data[next], contact);
        contact->impulse = known ? solved->data[next++].impulse : nc_v3(0, 0, 0);
        merged->data[merged->count++] = *contact;
    }
    return NC_OK;
}

// The impulses of this round, for the next one.
static void keep_impulses(nc_step *step, int first)
{
    nc_workspace *w = step->work;
    const nc_contact_list merged = w->tight.merged;
    for (int k = 0, next = first; k < merged.count; k++)
        if (nc_components_ladder(&w->components, merged.data[k].a, merged.data[k].b)->collected)
            merged.data[k].impulse = w->contacts.data[next++].impulse;
    w->tight.merged = w->tight.solved;
    w->tight.solved = merged;
}

void nc_step_begin_tight(nc_step *step)
{
    step->work->tight.solved.count = step->work->tight.proposed.count = 0;
}

nc_code nc_step_solve_tight(nc_step *step, int loose, nc_error *err)
{
    nc_workspace *w = step->work;
    nc_solve_settings settings = nc_resting_settings(&step->world->settings, step->dt);
    settings.clamp = false;
    nc_code code = recall_proposals(step, err);
    if (code == NC_OK)
        code = recall_impulses(step, loose, err);
    if (code == NC_OK)
        code = nc_step_run_solver(step, nc_contact_solve, w->contacts.data + loose, w->contacts.count - loose,
                                  &settings, &step->report.seconds_respond, NULL, err);
    if (code == NC_OK)
        keep_impulses(step, loose);
    return code;
}

// ---- velocities ------------------------------------------------------------------------------------------------

typedef struct velocities {
    nc_vec3 v, w; // [m/s], [rad/s]
} velocities;

static velocities motion_made(const nc_step *step, int i)
{
    const nc_pose from = step->world->state.bodies.pose[i], to = step->world->candidates.pose[i];
    const double rate = 1.0 / step->dt;
    return (velocities){nc_scale(rate, nc_sub(to.x, from.x)),
                        nc_scale(rate, nc_quat_rotation_vector(nc_quat_mul(to.q, nc_quat_conj(from.q))))};
}

// What step 7 would begin with, but for half of the forces.
static velocities velocity_kept(const nc_step *step, int i)
{
    const nc_workspace *w = step->work;
    const nc_bodies *bodies = &step->world->state.bodies;
    if (w->carry.rows.data[i])
        return (velocities){w->carry.v.data[i], w->carry.w.data[i]};
    const nc_vec3 a = nc_madd(step->world->settings.gravity, bodies->inv_mass[i], bodies->force[i]);
    const nc_vec3 momentum = nc_madd(w->momentum[i], 0.5 * step->dt, bodies->torque[i]);
    return (velocities){nc_madd(w->v_hat[i], 0.5 * step->dt, a),
                        nc_inertia_spin(&bodies->inertia[i], bodies->pose[i].q, momentum)};
}

static double energy_of(const nc_step *step, int i, velocities u)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    const nc_vec3 momentum = nc_inertia_momentum(&bodies->inertia[i], bodies->pose[i].q, u.w);
    return nc_body_kinetic(bodies, i, bodies->pose[i], u.v, momentum);
}

// [J] of the motion made (now), and of the velocities kept (allowed); by lowest row of a component.
static void compare_energies(nc_step *step)
{
    nc_workspace *w = step->work;
    const int rows = step->world->state.bodies.count;
    for (int i = 0; i < rows; i++)
        w->ties.sums.data[i] = (nc_tied_sum){0};
    for (int i = 0; i < rows; i++) {
        if (!is_of_tight(step, i))
            continue;
        nc_tied_sum *sum = &w->ties.sums.data[nc_forest_root(w->components.parent.data, i)];
        sum->now += energy_of(step, i, motion_made(step, i));
        sum->allowed += energy_of(step, i, velocity_kept(step, i));
    }
}

void nc_step_carry_tight(nc_step *step)
{
    nc_workspace *w = step->work;
    if (!step->any_tight || w->carry.rows.count == 0 || step->report.contacts == 0)
        return;
    compare_energies(step);
    for (int i = 0; i < step->world->state.bodies.count; i++) {
        if (!is_of_tight(step, i))
            continue;
        const nc_tied_sum *sum = &w->ties.sums.data[nc_forest_root(w->components.parent.data, i)];
        if (!(sum->now < NC_TIGHT_STOPPED_SHARE * sum->allowed))
            continue;
        const velocities made = motion_made(step, i);
        w->carry.rows.data[i] = 1;
        w->carry.v.data[i] = made.v;
        w->carry.w.data[i] = made.w;
    }
}
