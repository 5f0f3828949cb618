// Velocities that come from the motion: islands whose bodies turn on each other without impact or drive.
//
// The paper throws the velocities of step 3 away and projects v_hat + dt a onto the contacts at the end of the step. A
// pendulum that turns by phi in a step keeps cos(phi) of its speed that way: it loses most of its energy in seconds.
// Half of what holds a body on its arc belongs to the start of the step and half to its end. So in islands that turn,
// the velocities that resting contact at x_n found (without what only pushes bodies apart), and the second half of the
// forces, go into the last solve: the scheme RATTLE, for contacts.
//
// An island is carried if some contact that presses is closed by turning (chord.c) or slides while it turns about its
// normal, if none that presses approaches as an impact does, if it touches a body of infinite mass but nothing that
// moves by a script, and if no torque acts. (What floats freely is not: its momentum must not change when its energy is
// limited.) energy.c limits what the last solve leaves, and gives back what turning normals took.
#include "step/step.h"

static bool is_zero(nc_vec3 v)
{
    return v.x == 0 && v.y == 0 && v.z == 0;
}

static bool is_free(const nc_step *step, int i)
{
    return step->work->role[i] == NC_ROLE_FREE;
}

// A body of infinite mass that moves.
static bool is_driven(const nc_step *step, int i)
{
    return !is_free(step, i) && (!is_zero(step->work->v[i]) || !is_zero(step->work->w[i]));
}

nc_code nc_step_reserve_carry(nc_step *step, nc_error *err)
{
    nc_workspace *w = step->work;
    const int rows = step->world->state.bodies.count;
    if (!nc_array_reserve(&w->allocator, &w->carried, rows) || !nc_array_reserve(&w->allocator, &w->carry_v, rows) ||
        !nc_array_reserve(&w->allocator, &w->carry_w, rows) || !nc_array_reserve(&w->allocator, &w->stiffness, rows))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for the velocities of %d bodies", rows);
    w->carried.count = rows;
    for (int i = 0; i < rows; i++)
        w->carried.data[i] = 0;
    return NC_OK;
}

// ---- which islands -------------------------------------------------------------------------------------------

// What an island's lowest row is marked with, until it is 1: carried, or 0.
enum { TURNS = 1, HELD = 2, FORBIDDEN = 4 };

static bool screws(const nc_step *step, const nc_solver_bodies *before, const nc_contact *contact)
{
    const nc_vec3 turn = nc_sub(before->w[contact->a], before->w[contact->b]);
    const double about = fabs(nc_dot(turn, contact->normal));
    const double slide = nc_norm(nc_contact_velocity(before, contact));
    return !(contact->friction > 0) && step->dt * about > NC_CARRY_SCREW_ANGLE &&
           about > NC_CARRY_SCREW_SHARE * nc_norm(turn) &&
           step->dt * slide > NC_CARRY_SLIDE_RESTS * nc_step_pair_rest(step, contact->a, contact->b);
}

// `before` are bodies with their velocities before contact.
static unsigned mark_of(const nc_step *step, const nc_solver_bodies *before, const nc_contact *contact)
{
    const double turning = -nc_dot(contact->bias, contact->normal) * step->dt; // [m] that closes it
    const double speed = nc_dot(contact->normal, nc_contact_velocity(before, contact));
    const bool among = is_free(step, contact->a) && is_free(step, contact->b);
    unsigned mark = among || !(contact->impulse.x > 0) ? 0 : HELD;
    if (contact->impulse.x > 0 && (turning > NC_CARRY_TURN_RESTS * nc_step_pair_rest(step, contact->a, contact->b) ||
                                   screws(step, before, contact)))
        mark |= TURNS;
    if ((contact->impulse.x > 0 && speed < -nc_step_rest_speed(step)) || is_driven(step, contact->a) ||
        is_driven(step, contact->b))
        mark |= FORBIDDEN;
    return mark;
}

// Marks the lowest rows of islands that are carried. Returns how many.
static int mark_carried(nc_step *step, const nc_solver_bodies *before)
{
    nc_workspace *w = step->work;
    int marked = 0;
    for (int i = 0; i < before->count; i++)
        w->marked.data[i] = 0;
    for (int k = 0; k < w->contacts.count; k++) {
        const nc_contact *contact = &w->contacts.data[k];
        w->marked.data[w->island.data[nc_step_finite_row(step, contact)]] |= (uint8_t)mark_of(step, before, contact);
    }
    for (int i = 0; i < before->count; i++)
        if (is_free(step, i) && !is_zero(step->world->state.bodies.torque[i]))
            w->marked.data[w->island.data[i]] |= FORBIDDEN;
    for (int i = 0; i < before->count; i++) {
        w->marked.data[i] = w->marked.data[i] == (TURNS | HELD);
        marked += w->marked.data[i];
    }
    return marked;
}

static void take_velocities(nc_step *step)
{
    nc_workspace *w = step->work;
    for (int i = 0; i < step->world->state.bodies.count; i++)
        if (is_free(step, i) && w->marked.data[w->island.data[i]]) {
            w->carried.data[i] = 1;
            w->carry_v.data[i] = w->v[i];
            w->carry_w.data[i] = w->w[i];
        }
}

nc_code nc_step_find_carry(nc_step *step, nc_resolve_marked resolve, nc_error *err)
{
    nc_workspace *w = step->work;
    const nc_candidates *next = &step->world->candidates;
    nc_solver_bodies before = nc_step_solver_bodies(step);
    nc_step_remember_velocities(step);
    for (int i = 0; i < before.count; i++)
        if (is_free(step, i)) {
            w->v[i] = next->v[i];
            w->w[i] = next->spin[i];
        }
    const int marked = mark_carried(step, &before);
    for (int i = 0; i < before.count; i++) {
        w->v[i] = w->v_before[i];
        w->w[i] = w->w_before[i];
    }
    if (marked == 0)
        return NC_OK;
    const nc_code code = resolve(step, err); // without what only pushes
    if (code == NC_OK)
        take_velocities(step);
    for (int i = 0; i < before.count; i++) { // proposals do push
        w->v[i] = w->v_before[i];
        w->w[i] = w->w_before[i];
    }
    return code;
}

// ---- at the end of the step ------------------------------------------------------------------------------------

bool nc_step_is_carried(const nc_step *step, int i)
{
    const nc_workspace *w = step->work;
    return w->carried.count > 0 && w->carried.data[i];
}

// Without one, the islands of the start of the step may be unknown: there was no contact then.
static bool any_carried(const nc_step *step)
{
    bool any = false;
    for (int i = 0; i < step->work->carried.count; i++)
        any = any || step->work->carried.data[i];
    return any;
}

// Contacts at the end of the step tie an island to others, or to what a script moves: then it is not carried.
void nc_step_choose_carry(nc_step *step)
{
    nc_workspace *w = step->work;
    const int rows = step->world->state.bodies.count;
    if (!any_carried(step))
        return;
    for (int i = 0; i < rows; i++)
        w->marked.data[i] = 1;
    for (int i = 0; i < rows; i++)
        if (w->carried.data[i] && (w->fate[i].stuck || w->fate[i].halted))
            w->marked.data[w->island.data[i]] = 0;
    for (int k = 0; k < w->contacts.count; k++) {
        const nc_contact *contact = &w->contacts.data[k];
        const int a = contact->a, b = contact->b;
        const bool apart = is_free(step, a) && is_free(step, b) && w->island.data[a] != w->island.data[b];
        const bool arced = nc_step_is_arced(step, nc_step_finite_row(step, contact));
        const bool driven = is_driven(step, a) || is_driven(step, b);
        if (!(apart && !(nc_step_is_arced(step, a) && nc_step_is_arced(step, b))) && !(driven && !arced))
            continue;
        w->marked.data[w->island.data[a]] = is_free(step, a) ? 0 : w->marked.data[w->island.data[a]];
        w->marked.data[w->island.data[b]] = is_free(step, b) ? 0 : w->marked.data[w->island.data[b]];
    }
    for (int i = 0; i < rows; i++)
        w->carried.data[i] = w->carried.data[i] && w->marked.data[w->island.data[i]];
}
