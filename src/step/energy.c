// Contact does no work on a closed system: the energy of bodies that touched each other in a step never rises.
//
// Positions and velocities are solved for one after the other, with the normals of the start of the step and with those
// of its end. Where bodies turn, slide along what bends, or are pushed to their rest distance, the kinetic energy at
// the end and the potential energy of the poses do not add up to what there was, to second order in the step. What is
// too much is taken from the velocities of all bodies that touched, by one factor; but not from the velocity of their
// common centre of mass across all impulses that fixed bodies gave them: nothing acts on that.
//
// The other way round: where velocities come from the motion (carry.c) and nothing rubs, smooth motion keeps its
// energy, but the facets of a round pin in a round hole do not meet the arcs of the step to second order. What is
// missing is given back there, and no more of it than normals that turn with their bodies can have taken: an impulse
// `f` at a contact that slides by `u` while its normal turns by `w dt` takes at most `f u w dt`. Bodies that come
// together without turning lose their energy for good.
//
// Bodies are tied in a step when a contact between them has an impulse in any solve of any phase, or when certify joins
// them. A group is limited if something of infinite mass acted on it, all of that moves on alike without turning
// (energy is that seen from there: a platform that rises at one speed does no work on what stands on it, seen from it),
// and none of its bodies has a torque. (What floats keeps its momentum: see floating.c. What a script, a joint or a
// torque drives gets its energy from there.) A body at rest that is pushed to its rest distance gains m g times the
// way: it has no velocity to take that from.
#include "step/step.h"

enum { TIED = 1, HELD = 2, DRIVEN = 4, STRUCK = 8, TORQUE = 16 };

static bool is_zero(nc_vec3 v)
{
    return v.x == 0 && v.y == 0 && v.z == 0;
}

void nc_ties_free(nc_ties *ties, const nc_allocator *allocator)
{
    nc_array_free(allocator, &ties->to);
    nc_array_free(allocator, &ties->marks);
    nc_array_free(allocator, &ties->spans);
    nc_array_free(allocator, &ties->drivers);
    nc_array_free(allocator, &ties->sums);
}

nc_code nc_ties_begin(nc_ties *ties, int rows, const nc_allocator *allocator, nc_error *err)
{
    if (!nc_array_reserve(allocator, &ties->to, rows) || !nc_array_reserve(allocator, &ties->marks, rows) ||
        !nc_array_reserve(allocator, &ties->spans, rows) || !nc_array_reserve(allocator, &ties->drivers, rows) ||
        !nc_array_reserve(allocator, &ties->sums, rows))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for the groups of %d bodies", rows);
    ties->to.count = ties->marks.count = ties->spans.count = ties->drivers.count = ties->sums.count = rows;
    for (int i = 0; i < rows; i++) {
        ties->to.data[i] = i;
        ties->marks.data[i] = 0;
        ties->spans.data[i].count = 0;
        ties->drivers.data[i] = -1;
    }
    return NC_OK;
}

// Adds the direction of `v` to a span of directions, if it is not in it yet.
static void widen(nc_span *span, nc_vec3 v)
{
    const double size = nc_norm(v);
    if (span->count == 3 || !(size > 0))
        return;
    nc_vec3 rest = nc_scale(1 / size, v);
    for (int k = 0; k < span->count; k++)
        rest = nc_madd(rest, -nc_dot(rest, span->axis[k]), span->axis[k]);
    const double left = nc_norm(rest);
    if (left > NC_ENERGY_SPAN_ANGLE)
        span->axis[span->count++] = nc_scale(1 / left, rest);
}

static nc_vec3 across(const nc_span *span, nc_vec3 v)
{
    if (span->count == 3)
        return nc_v3(0, 0, 0);
    for (int k = 0; k < span->count; k++)
        v = nc_madd(v, -nc_dot(v, span->axis[k]), span->axis[k]);
    return v;
}

static bool is_same(nc_vec3 a, nc_vec3 b)
{
    return is_zero(nc_sub(a, b));
}

// The row `fixed`, of infinite mass, acts on a row. Bodies are limited as seen from what acts on them, if that moves on
// without turning, and all that acts on them moves alike.
static void drive(nc_ties *ties, const nc_vec3 *v, const nc_vec3 *w, int row, int fixed)
{
    int *driver = &ties->drivers.data[row];
    ties->marks.data[row] |= HELD;
    if (!is_zero(w[fixed]) || (*driver >= 0 && !is_same(v[*driver], v[fixed])))
        ties->marks.data[row] |= DRIVEN;
    *driver = fixed;
}

nc_vec3 nc_ties_frame(const nc_step *step, int row)
{
    const nc_workspace *w = step->work;
    const int driver = w->ties.drivers.data[nc_forest_root(w->ties.to.data, row)];
    return driver >= 0 ? w->v[driver] : nc_v3(0, 0, 0);
}

// An impulse between two bodies, in its direction; 0 where that is not known.
static void tie(nc_ties *ties, const uint8_t *role, const nc_solver_bodies *bodies, int i, int j, nc_vec3 impulse)
{
    ties->marks.data[i] |= TIED;
    ties->marks.data[j] |= TIED;
    if (nc_row_is_free(role, i) && nc_row_is_free(role, j)) {
        nc_forest_join(ties->to.data, i, j);
        return;
    }
    const int fixed = nc_row_is_free(role, i) ? j : i, other = fixed == i ? j : i;
    drive(ties, bodies->v, bodies->w, other, fixed);
    if (is_zero(impulse)) // from any direction
        ties->spans.data[other].count = 3;
    widen(&ties->spans.data[other], impulse);
}

// The direction of a contact's impulse; 0 where it is not known.
static nc_vec3 direction_of(const nc_contact *contact, bool unknown)
{
    if (!unknown)
        return nc_contact_impulse_vector(contact);
    return contact->friction > 0 ? nc_v3(0, 0, 0) : contact->normal;
}

void nc_step_tie_contacts(nc_step *step, bool all)
{
    nc_workspace *w = step->work;
    const nc_solver_bodies bodies = nc_step_solver_bodies(step);
    for (int k = 0; k < w->contacts.count; k++)
        if (all || !is_zero(w->contacts.data[k].impulse))
            tie(&w->ties, w->role, &bodies, w->contacts.data[k].a, w->contacts.data[k].b,
                direction_of(&w->contacts.data[k], all));
}

void nc_ties_strike(nc_ties *ties, int i, int j)
{
    ties->marks.data[i] |= STRUCK;
    ties->marks.data[j] |= STRUCK;
}

static void tie_clustered(nc_step *step)
{
    nc_workspace *w = step->work;
    const nc_solver_bodies bodies = nc_step_solver_bodies(step);
    for (int i = 0; i < step->world->state.bodies.count; i++)
        if (w->role[i] != NC_ROLE_ABSENT && w->fate[i].stuck && w->fate[i].group != i)
            tie(&w->ties, w->role, &bodies, i, w->fate[i].group, nc_v3(0, 0, 0));
}

// [J] kinetic energy at the start of the step, and what gravity and forces did on the way; as seen from what moves with
// `frame` [m/s].
static double energy_allowed(const nc_step *step, nc_vec3 frame, int i)
{
    const nc_world *world = step->world;
    const nc_bodies *bodies = &world->state.bodies;
    const nc_vec3 way = nc_madd(nc_sub(world->candidates.pose[i].x, bodies->pose[i].x), -step->dt, frame);
    const nc_vec3 force = nc_madd(bodies->force[i], bodies->mass[i], world->settings.gravity);
    const nc_vec3 v = nc_sub(bodies->v[i], frame);
    return nc_body_kinetic(bodies, i, bodies->pose[i], v, bodies->momentum[i]) + nc_dot(force, way);
}

// [J] rounding of that work: coordinates are rounded, and differences of them are taken.
static double rounding_of_work(const nc_world *world, int i)
{
    const nc_bodies *bodies = &world->state.bodies;
    const nc_vec3 force = nc_madd(bodies->force[i], bodies->mass[i], world->settings.gravity);
    return 4 * NC_UNIT_ROUNDOFF * (nc_norm(bodies->force[i]) + nc_norm(force)) * nc_norm(bodies->pose[i].x);
}

// [J] of its torque, as in the report: by the mean of the spins before and after the forces of the step.
static double torque_work(const nc_step *step, int i)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    const nc_workspace *w = step->work;
    const nc_vec3 torque = bodies->torque[i];
    if (is_zero(torque))
        return 0;
    const double time = step->dt * w->fate[i].ran_until;
    const nc_vec3 after = nc_madd(w->momentum[i], time, torque);
    const nc_vec3 spins = nc_add(nc_inertia_spin(&bodies->inertia[i], bodies->pose[i].q, w->momentum[i]),
                                 nc_inertia_spin(&bodies->inertia[i], step->world->candidates.pose[i].q, after));
    return 0.5 * time * nc_dot(torque, spins);
}

static double energy_now(const nc_bodies *bodies, const nc_candidates *next, nc_vec3 frame, int i)
{
    return nc_body_kinetic(bodies, i, next->pose[i], nc_sub(next->v[i], frame), next->momentum[i]);
}

// What is allowed and what there is, of a group; at its lowest row.
typedef struct group_of_bodies {
    nc_vec3 frame;  // [m/s] velocity of what acted on it
    nc_vec3 keeps;  // [m/s] velocity of its centre of mass, in that frame, across the impulses of fixed bodies
    double factor;  // [1] for all velocities against that one
    bool is_scaled; // its energy is to change
} group_of_bodies;

static bool is_limited(unsigned marks)
{
    return (marks & HELD) != 0 && (marks & (DRIVEN | TORQUE)) == 0; // the work of a torque is that on a free body
}

// No more than is allowed; and what turning normals took is given back.
double nc_ties_energy(const nc_tied_sum *sum)
{
    const double may_have = sum->loose > 0 ? sum->now : fmin(sum->allowed, sum->now + sum->turning);
    return fmin(sum->allowed, fmax(sum->now, may_have));
}

bool nc_ties_is_limited(const nc_ties *ties, const nc_tied_sum *sum)
{
    return is_limited(ties->marks.data[sum - ties->sums.data]);
}

bool nc_ties_floats(const nc_ties *ties, const nc_tied_sum *sum)
{
    return ties->marks.data[sum - ties->sums.data] != 0 &&
           (ties->marks.data[sum - ties->sums.data] & (HELD | DRIVEN)) == 0;
}

nc_vec3 nc_ties_across(const nc_ties *ties, const nc_tied_sum *sum, nc_vec3 v)
{
    return across(&ties->spans.data[sum - ties->sums.data], v);
}

double nc_ties_lost_in_impact(const nc_ties *ties, const nc_tied_sum *sum)
{
    const unsigned marks = ties->marks.data[sum - ties->sums.data];
    return is_limited(marks) && (marks & STRUCK) != 0 ? sum->allowed - nc_ties_energy(sum) : 0;
}

static group_of_bodies judge_group(const nc_step *step, int root)
{
    const nc_ties *ties = &step->work->ties;
    const nc_tied_sum *sum = &ties->sums.data[root];
    const unsigned marks = ties->marks.data[root];
    const double allowed = nc_ties_energy(sum);
    group_of_bodies group = {.is_scaled = is_limited(marks) && sum->now != allowed, .frame = nc_ties_frame(step, root)};
    if (!group.is_scaled)
        return group;
    group.keeps = across(&ties->spans.data[root], nc_scale(1 / sum->mass, sum->momentum));
    const double kept = 0.5 * sum->mass * nc_norm2(group.keeps);
    const double have = sum->now - kept, may = allowed - kept;
    group.factor = may > 0 && have > 0 ? sqrt(may / have) : 0;
    return group;
}

// Returns the work [J] that what moves with the frame does by it.
static double scale_velocity(const nc_bodies *bodies, nc_candidates *next, int i, const group_of_bodies *group)
{
    const nc_vec3 kept = nc_add(group->frame, group->keeps), before = next->v[i];
    next->v[i] = nc_madd(kept, group->factor, nc_sub(before, kept));
    next->momentum[i] = nc_scale(group->factor, next->momentum[i]);
    next->spin[i] = nc_scale(group->factor, next->spin[i]);
    next->spin_energy[i] = nc_inertia_energy(&bodies->inertia[i], next->pose[i].q, next->momentum[i]);
    return bodies->mass[i] * nc_dot(group->frame, nc_sub(next->v[i], before));
}

// What a contact of the last solve that turns can have taken; a contact that rubs takes nothing that is given back.
static void add_turning(nc_ties *ties, const uint8_t *role, const nc_solver_bodies *bodies, double dt,
                        const nc_contact *contact)
{
    const int root = nc_forest_root(ties->to.data, nc_row_is_free(role, contact->a) ? contact->a : contact->b);
    nc_tied_sum *sum = &ties->sums.data[root];
    const double turn = dt * nc_norm(nc_sub(bodies->w[contact->a], bodies->w[contact->b]));
    const double slide = nc_norm(nc_contact_velocity(bodies, contact));
    if (contact->friction > 0 && contact->impulse.x > 0)
        sum->loose++;
    sum->turning += 2 * contact->impulse.x * slide * fmin(turn, 1); // in the solve of the start, and in the last one
}

void nc_step_collect_ties(nc_step *step)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    nc_ties *ties = &step->work->ties;
    for (int i = 0; i < bodies->count; i++) {
        if (!nc_row_is_free(step->work->role, i) || ties->marks.data[i] == 0)
            continue;
        const bool turned = !is_zero(bodies->torque[i]);
        const bool jointed = nc_step_is_jointed(step, i); // joints and their drives do work that is not added up here
        const int root = nc_forest_root(ties->to.data, i);
        ties->marks.data[root] |= (uint8_t)(ties->marks.data[i] | (turned ? TORQUE : 0) | (jointed ? DRIVEN : 0));
        for (int k = 0; root != i && k < ties->spans.data[i].count; k++)
            widen(&ties->spans.data[root], ties->spans.data[i].axis[k]);
        if (root != i && ties->drivers.data[i] >= 0)
            drive(ties, step->work->v, step->work->w, root, ties->drivers.data[i]);
    }
}

// Energies of all members go to the lowest row of a group.
static void add_up(nc_step *step)
{
    nc_workspace *w = step->work;
    const nc_bodies *bodies = &step->world->state.bodies;
    const nc_solver_bodies solved = nc_step_solver_bodies(step);
    for (int i = 0; i < bodies->count; i++)
        w->ties.sums.data[i] = (nc_tied_sum){0};
    nc_step_collect_ties(step);
    for (int k = 0; k < w->contacts.count; k++)
        add_turning(&w->ties, w->role, &solved, step->dt, &w->contacts.data[k]);
    for (int i = 0; i < bodies->count; i++) {
        if (!nc_row_is_free(w->role, i) || w->ties.marks.data[i] == 0)
            continue;
        const int root = nc_forest_root(w->ties.to.data, i);
        nc_tied_sum *sum = &w->ties.sums.data[root];
        const nc_vec3 frame = nc_ties_frame(step, i);
        sum->allowed += energy_allowed(step, frame, i) + torque_work(step, i);
        sum->now += energy_now(bodies, &step->world->candidates, frame, i);
        sum->loose += nc_carry_has(&w->carry, i) ? 0 : 1;
        sum->mass += bodies->mass[i];
        sum->momentum = nc_madd(sum->momentum, bodies->mass[i], nc_sub(step->world->candidates.v[i], frame));
        sum->rounding += rounding_of_work(step->world, i);
    }
}

void nc_step_limit_energy(nc_step *step)
{
    nc_workspace *w = step->work;
    const nc_bodies *bodies = &step->world->state.bodies;
    for (int i = 0; i < bodies->count; i++) // of infinite mass: what they really did
        if (w->role[i] == NC_ROLE_SCRIPTED) {
            w->v[i] = step->world->candidates.v[i];
            w->w[i] = step->world->candidates.spin[i];
        }
    tie_clustered(step);
    add_up(step);
    for (int i = 0; i < bodies->count; i++) {
        if (!nc_row_is_free(w->role, i) || w->ties.marks.data[i] == 0)
            continue;
        const group_of_bodies group = judge_group(step, nc_forest_root(w->ties.to.data, i));
        if (group.is_scaled)
            step->report.kinematic_work += scale_velocity(bodies, &step->world->candidates, i, &group);
    }
    nc_step_limit_floating(step);
}
