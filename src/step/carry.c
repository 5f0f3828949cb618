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
// moves by a script, and if no torque acts. energy.c limits what the last solve leaves, and gives back what turning
// normals took.
//
// Islands with joints are always carried, unless a contact in them approaches as an impact does: RATTLE.
//
// Riders. An island that touches nothing of infinite mass is carried if a contact rubs that turning moves sideways: a
// cube on a table that turns freely. The cube is led along a chord, and with the velocity of the start at the end of
// it, it has lost angular momentum, which friction then takes from the table. Carried, both solves give and take at one
// place and time. The energy of such islands is not limited afterwards, since their momentum must not change; so they
// are carried only where that does not raise it.
#include "step/step.h"

static bool is_zero(nc_vec3 v)
{
    return v.x == 0 && v.y == 0 && v.z == 0;
}

// A body of infinite mass that moves.
static bool is_driven(const uint8_t *role, const nc_solver_bodies *bodies, int i)
{
    return !nc_row_is_free(role, i) && (!is_zero(bodies->v[i]) || !is_zero(bodies->w[i]));
}

void nc_carry_free(nc_carry *carry, const nc_allocator *allocator)
{
    nc_array_free(allocator, &carry->rows);
    nc_array_free(allocator, &carry->v);
    nc_array_free(allocator, &carry->w);
}

nc_code nc_carry_begin(nc_carry *carry, int rows, const nc_allocator *allocator, nc_error *err)
{
    if (!nc_array_reserve(allocator, &carry->rows, rows) || !nc_array_reserve(allocator, &carry->v, rows) ||
        !nc_array_reserve(allocator, &carry->w, rows))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for the velocities of %d bodies", rows);
    carry->rows.count = rows;
    for (int i = 0; i < rows; i++)
        carry->rows.data[i] = 0;
    return NC_OK;
}

// ---- which islands -------------------------------------------------------------------------------------------

// What an island's lowest row is marked with, until it is CARRIED, RIDING or 0.
enum { TURNS = 1, HELD = 2, FORBIDDEN = 4, RIDES = 8, DRIVEN = 16, TIED_BY_JOINTS = 32 };
// What carried rows are marked with.
enum { CARRIED = 1, RIDING = 2, JOINTED = 4 };

static bool screws(const nc_near *near, double dt, const nc_solver_bodies *before, const nc_contact *contact)
{
    const nc_vec3 turn = nc_sub(before->w[contact->a], before->w[contact->b]);
    const double about = fabs(nc_dot(turn, contact->normal));
    const double slide = nc_norm(nc_contact_velocity(before, contact));
    return !(contact->friction > 0) && dt * about > NC_CARRY_SCREW_ANGLE &&
           about > NC_CARRY_SCREW_SHARE * nc_norm(turn) &&
           dt * slide > NC_CARRY_SLIDE_RESTS * nc_near_pair_rest(near, contact->a, contact->b);
}

// Does a contact of two free bodies rub that turning moves sideways?
static bool rides(const nc_near *near, double dt, const nc_contact *contact)
{
    const nc_vec3 n = contact->normal, aside = nc_madd(contact->bias, -nc_dot(contact->bias, n), n);
    return contact->impulse.x > 0 && contact->friction > 0 &&
           dt * nc_norm(aside) > NC_CARRY_TURN_RESTS * nc_near_pair_rest(near, contact->a, contact->b);
}

// `before` are bodies with their velocities before contact.
static unsigned mark_of(const nc_step *step, const nc_solver_bodies *before, const nc_contact *contact)
{
    const uint8_t *role = step->work->role;
    const double turning = -nc_dot(contact->bias, contact->normal) * step->dt; // [m] that closes it
    const double speed = nc_dot(contact->normal, nc_contact_velocity(before, contact));
    const bool among = nc_row_is_free(role, contact->a) && nc_row_is_free(role, contact->b);
    unsigned mark = among || !(contact->impulse.x > 0) ? 0 : HELD;
    if (contact->impulse.x > 0 &&
        (turning > NC_CARRY_TURN_RESTS * nc_near_pair_rest(&step->work->near, contact->a, contact->b) ||
         screws(&step->work->near, step->dt, before, contact)))
        mark |= TURNS;
    if (among && rides(&step->work->near, step->dt, contact))
        mark |= RIDES;
    if ((contact->impulse.x > 0 && speed < -nc_rest_speed(&step->world->settings, step->dt)) ||
        is_driven(role, before, contact->a) || is_driven(role, before, contact->b))
        mark |= FORBIDDEN;
    return mark;
}

static uint8_t kind_of(unsigned marks)
{
    const bool rides = (marks & RIDES) != 0;
    if (marks & TIED_BY_JOINTS)
        return marks & FORBIDDEN ? 0 : JOINTED;
    if (!(marks & HELD) && !(marks & FORBIDDEN))
        return rides ? RIDING : 0;
    return (marks & ~(unsigned)RIDES) == (TURNS | HELD) ? CARRIED : 0;
}

// Marks the lowest rows of islands that are carried. Returns how many.
static int mark_carried(nc_step *step, const nc_solver_bodies *before)
{
    nc_workspace *w = step->work;
    int marked = 0;
    nc_islands_mark_all(&w->islands, before->count, 0);
    for (int k = 0; k < w->contacts.count; k++) {
        const nc_contact *contact = &w->contacts.data[k];
        *nc_islands_mark(&w->islands, w->role, contact) |= (uint8_t)mark_of(step, before, contact);
    }
    for (int i = 0; i < before->count; i++)
        if (nc_row_is_free(w->role, i) && !is_zero(step->world->state.bodies.torque[i]))
            w->islands.marked.data[w->islands.of.data[i]] |= DRIVEN;
    for (int i = 0; i < before->count; i++)
        if (nc_row_is_free(w->role, i) && nc_step_is_jointed(step, i))
            w->islands.marked.data[w->islands.of.data[i]] |=
                TIED_BY_JOINTS | (nc_step_aims_roughly(step, i) ? FORBIDDEN : 0);
    for (int i = 0; i < before->count; i++) {
        w->islands.marked.data[i] = kind_of(w->islands.marked.data[i]);
        marked += w->islands.marked.data[i] != 0;
    }
    return marked;
}

static void take_velocities(nc_carry *carry, const nc_islands *islands, const uint8_t *role,
                            const nc_solver_bodies *bodies)
{
    for (int i = 0; i < bodies->count; i++)
        if (nc_row_is_free(role, i) && islands->marked.data[islands->of.data[i]]) {
            carry->rows.data[i] = islands->marked.data[islands->of.data[i]];
            carry->v.data[i] = bodies->v[i];
            carry->w.data[i] = bodies->w[i];
        }
}

nc_code nc_step_find_carry(nc_step *step, nc_resolve_marked resolve, nc_error *err)
{
    nc_workspace *w = step->work;
    const nc_candidates *next = &step->world->candidates;
    nc_solver_bodies before = nc_step_solver_bodies(step);
    nc_step_remember_velocities(step);
    for (int i = 0; i < before.count; i++)
        if (nc_row_is_free(w->role, i)) {
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
        take_velocities(&w->carry, &w->islands, w->role, &before);
    for (int i = 0; i < before.count; i++) { // proposals do push
        w->v[i] = w->v_before[i];
        w->w[i] = w->w_before[i];
    }
    return code;
}

// ---- at the end of the step ------------------------------------------------------------------------------------

bool nc_carry_has(const nc_carry *carry, int i)
{
    return carry->rows.count > 0 && carry->rows.data[i];
}

nc_carried_velocity nc_carry_velocity(const nc_step *step, int i)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    const nc_carry *carry = &step->work->carry;
    const nc_vec3 momentum = nc_inertia_momentum(&bodies->inertia[i], bodies->pose[i].q, carry->w.data[i]);
    const double half = 0.5 * step->dt, turned = carry->rows.data[i] == CARRIED ? 0 : half;
    return (nc_carried_velocity){nc_madd(carry->v.data[i], half, nc_outer_acceleration(step->world, i)),
                                 nc_madd(momentum, turned, bodies->torque[i])};
}

// Without one, the islands of the start of the step may be unknown: there was no contact then.
static bool any_carried(const nc_carry *carry)
{
    bool any = false;
    for (int i = 0; i < carry->rows.count; i++)
        any = any || carry->rows.data[i];
    return any;
}

// A body's island is not carried any more.
static void release(nc_islands *islands, const uint8_t *role, int i)
{
    if (nc_row_is_free(role, i))
        islands->marked.data[islands->of.data[i]] = 0;
}

// [J] what carrying adds to the kinetic energy of a body before the last solve.
static double energy_added(const nc_step *step, int i)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    const nc_candidates *next = &step->world->candidates;
    const nc_carried_velocity now = nc_carry_velocity(step, i);
    return nc_body_kinetic(bodies, i, next->pose[i], now.v, now.momentum) -
           nc_body_kinetic(bodies, i, next->pose[i], next->v[i], next->momentum[i]);
}

// Riders are carried where that does not raise the energy of their island.
static void release_risen(nc_step *step)
{
    nc_workspace *w = step->work;
    const int rows = step->world->state.bodies.count;
    for (int i = 0; i < rows; i++)
        w->ties.sums.data[i] = (nc_tied_sum){0};
    for (int i = 0; i < rows; i++)
        if (w->carry.rows.data[i] == RIDING)
            w->ties.sums.data[w->islands.of.data[i]].now += energy_added(step, i);
    for (int i = 0; i < rows; i++)
        if (w->carry.rows.data[i] == RIDING && !(w->ties.sums.data[w->islands.of.data[i]].now <= 0))
            w->carry.rows.data[i] = 0;
}

// Dynamic contact changed the motion of a body with joints: its velocities are found at the end of the step alone.
static bool is_deferred_joint(const nc_step *step, int i)
{
    return step->work->carry.rows.data[i] == JOINTED &&
           (step->world->candidates.flags[i] & (NC_STEP_DEFERRED | NC_STEP_NOT_FINITE | NC_STEP_TOO_FAR)) != 0;
}

// Contacts at the end of the step tie an island to others, or to what a script moves: then it is not carried.
void nc_step_choose_carry(nc_step *step)
{
    nc_workspace *w = step->work;
    const int rows = step->world->state.bodies.count;
    const nc_solver_bodies bodies = nc_step_solver_bodies(step);
    if (!any_carried(&w->carry))
        return;
    nc_islands_mark_all(&w->islands, rows, 1);
    for (int i = 0; i < rows; i++)
        if (w->carry.rows.data[i] && (w->fate[i].stuck || w->fate[i].halted || is_deferred_joint(step, i)))
            w->islands.marked.data[w->islands.of.data[i]] = 0;
    for (int k = 0; k < w->contacts.count; k++) {
        const nc_contact *contact = &w->contacts.data[k];
        const int a = contact->a, b = contact->b;
        const bool apart =
            nc_row_is_free(w->role, a) && nc_row_is_free(w->role, b) && w->islands.of.data[a] != w->islands.of.data[b];
        const bool arced = nc_arcs_has(&w->arcs, nc_finite_row(w->role, contact));
        const bool driven = is_driven(w->role, &bodies, a) || is_driven(w->role, &bodies, b);
        if (!(apart && !(nc_arcs_has(&w->arcs, a) && nc_arcs_has(&w->arcs, b))) && !(driven && !arced))
            continue;
        release(&w->islands, w->role, a);
        release(&w->islands, w->role, b);
    }
    for (int i = 0; i < rows; i++)
        if (!w->islands.marked.data[w->islands.of.data[i]])
            w->carry.rows.data[i] = 0;
    release_risen(step);
}
