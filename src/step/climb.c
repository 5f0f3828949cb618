// Contact lifts no group of bodies higher than its kinetic energy does.
//
// Dynamic contact pushes pairs that collide to their rest distance, and what rests on them with them. Where little is
// moving, as in a net of rings that hangs still, that is motion against gravity that nothing pays for. So after dynamic
// contact the motion of a whole group (energy.c) whose members it pushed is shortened, by one factor, until the work of
// gravity and forces on it is paid by the kinetic energy that the group began the step with. No motion at all is always
// possible; what parts goes on parting, in more steps.
//
// Resting contact at the start of the step pushes, too, where a group moves by its velocities before they become
// proposals:
// - By what its solve leaves, nanometres up or down in every step of a body at rest. A lift of next to nothing
//   (NC_CLIMB_MIN_RESTS) is taken back: all of the group moves by as much along the force on it.
// - Where bodies that swing turn back, by more than the energy that they have left. The velocities are shortened by one
//   factor, all but that of the centre of mass across the impulses of fixed bodies, if that energy pays for half of the
//   way, or if contacts are not so much too near that they need it.
// A contact below its rest distance is pushed to it even where no kinetic energy pays for that.
#include "step/step.h"

static nc_tied_sum *group_of(nc_workspace *w, int row)
{
    return &w->ties.sums.data[nc_forest_root(w->ties.to.data, row)];
}

static bool is_tied(const nc_workspace *w, int row)
{
    return nc_row_is_free(w->role, row) && w->ties.marks.data[row] != 0;
}

static nc_vec3 outer_force(const nc_world *world, int i)
{
    return nc_madd(world->state.bodies.force[i], world->state.bodies.mass[i], world->settings.gravity);
}

// ---- resting contact -------------------------------------------------------------------------------------------

// [m/s] velocity of the group's centre of mass, seen from what acts on it, across the impulses of fixed bodies.
static nc_vec3 kept_velocity(const nc_ties *ties, const nc_tied_sum *sum)
{
    return nc_ties_across(ties, sum, nc_scale(1 / sum->mass, sum->momentum));
}

// Kinetic energy (allowed), mass and momentum at the start of the step.
static void add_start(nc_step *step)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    nc_workspace *w = step->work;
    for (int i = 0; i < bodies->count; i++)
        w->ties.sums.data[i] = (nc_tied_sum){0};
    nc_step_collect_ties(step);
    for (int i = 0; i < bodies->count; i++)
        if (is_tied(w, i)) {
            nc_tied_sum *sum = group_of(w, i);
            const nc_vec3 v = nc_sub(bodies->v[i], nc_ties_frame(step, i));
            sum->allowed += nc_body_kinetic(bodies, i, bodies->pose[i], v, bodies->momentum[i]);
            sum->mass += bodies->mass[i];
            sum->members++;
            sum->momentum = nc_madd(sum->momentum, bodies->mass[i], v);
        }
}

// The work of gravity and forces on the solver's velocities but the kept one; their sum; and (push) their work on a way
// of next to nothing.
static void add_lift(nc_step *step, int i)
{
    nc_workspace *w = step->work;
    nc_tied_sum *sum = group_of(w, i);
    const nc_vec3 force = outer_force(step->world, i);
    const nc_vec3 kept = nc_add(nc_ties_frame(step, i), kept_velocity(&w->ties, sum));
    sum->work += step->dt * nc_dot(force, nc_sub(w->v[i], kept));
    sum->force = nc_add(sum->force, force);
    sum->weight += nc_norm(force);
    sum->push += nc_norm(force) * NC_CLIMB_MIN_RESTS * nc_world_body_rest(step->world, i);
}

// How much too near the contacts of groups are, at most; if that is more than next to nothing.
static void add_depths(nc_step *step)
{
    nc_workspace *w = step->work;
    for (int k = 0; k < w->contacts.count; k++) {
        const nc_contact *contact = &w->contacts.data[k];
        nc_tied_sum *sum = group_of(w, nc_row_is_free(w->role, contact->a) ? contact->a : contact->b);
        const double rest = nc_near_pair_rest(&w->near, contact->a, contact->b), depth = rest - contact->distance;
        if (depth > NC_CLIMB_MIN_RESTS * rest)
            sum->depth = fmax(sum->depth, depth);
    }
}

// [1] what is left of a group's velocities. In a stack, the way of the topmost body is that of all contacts below it.
static double paid_share(const nc_ties *ties, const nc_tied_sum *sum)
{
    const double kept = 0.5 * sum->mass * nc_norm2(kept_velocity(ties, sum));
    const double pays = fmax(0, sum->allowed - kept), lift = -sum->work;
    const double needs = sum->weight * sum->members * sum->depth;
    if (!(lift > pays))
        return 1;
    return lift < NC_CLIMB_PAID_TIMES * pays ? pays / lift : fmin(1, (pays + needs) / lift);
}

// [m/s] along the force, as far as fixed bodies can push against it, that takes back a lift of next to nothing.
static nc_vec3 taken_back(const nc_ties *ties, const nc_tied_sum *sum, double dt)
{
    const nc_vec3 force = nc_sub(sum->force, nc_ties_across(ties, sum, sum->force));
    return nc_scale(-sum->work / (dt * nc_norm2(force)), force);
}

// Is there a force to lift against, and not only forces against each other? `lift` [J] is next to nothing on a way that
// is longer by no more than this.
static bool is_next_to_nothing(const nc_ties *ties, const nc_tied_sum *sum)
{
    const nc_vec3 force = nc_sub(sum->force, nc_ties_across(ties, sum, sum->force));
    return sum->work < 0 && -sum->work < sum->push && nc_norm(force) > 0.25 * sum->weight;
}

static void limit_body(nc_step *step, int i)
{
    nc_workspace *w = step->work;
    const nc_tied_sum *sum = group_of(w, i);
    if (!nc_ties_is_limited(&w->ties, sum))
        return;
    if (is_next_to_nothing(&w->ties, sum)) {
        w->v[i] = nc_add(w->v[i], taken_back(&w->ties, sum, step->dt));
        return;
    }
    const double share = paid_share(&w->ties, sum);
    if (!(share < 1))
        return;
    const nc_vec3 kept = nc_add(nc_ties_frame(step, i), kept_velocity(&w->ties, sum));
    w->v[i] = nc_madd(kept, share, nc_sub(w->v[i], kept));
    w->w[i] = nc_scale(share, w->w[i]);
}

void nc_step_limit_lift(nc_step *step)
{
    const int rows = step->world->state.bodies.count;
    if (!step->world->settings.energy_corrections)
        return;
    add_start(step);
    add_depths(step);
    for (int i = 0; i < rows; i++)
        if (is_tied(step->work, i))
            add_lift(step, i);
    for (int i = 0; i < rows; i++)
        if (is_tied(step->work, i))
            limit_body(step, i);
}

// ---- dynamic contact -------------------------------------------------------------------------------------------

// Sums of kinetic energy at the start (allowed) and of the work of gravity and forces on the proposals (work); and
// whether dynamic contact pushed a member (lifted) of motions of one segment each (loose counts others).
static void add_up(nc_step *step)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    const nc_candidates *next = &step->world->candidates;
    nc_workspace *w = step->work;
    for (int i = 0; i < bodies->count; i++)
        w->ties.sums.data[i] = (nc_tied_sum){0};
    nc_step_collect_ties(step);
    for (int i = 0; i < bodies->count; i++) {
        if (!nc_row_is_free(w->role, i))
            continue;
        nc_tied_sum *sum = group_of(w, i);
        const nc_vec3 frame = nc_ties_frame(step, i), v = nc_sub(bodies->v[i], frame);
        const nc_vec3 to = nc_path_pose(&next->path[i], 1.0).x;
        const nc_vec3 way = nc_madd(nc_sub(to, bodies->pose[i].x), -step->dt, frame);
        sum->allowed += nc_body_kinetic(bodies, i, bodies->pose[i], v, bodies->momentum[i]);
        sum->work += nc_dot(outer_force(step->world, i), way);
        sum->lifted |= (next->flags[i] & NC_STEP_DEFERRED) != 0;
        sum->loose += next->path[i].count != 1;
    }
}

// What it moves by beyond `frame` [m].
static void shorten(nc_path *path, double factor, nc_vec3 frame)
{
    nc_segment *segment = &path->segments[0];
    segment->d = nc_madd(frame, factor, nc_sub(segment->d, frame));
    segment->theta = nc_scale(factor, segment->theta);
    segment->eps = nc_scale(factor, segment->eps);
}

nc_code nc_step_limit_climb(nc_step *step, nc_error *err)
{
    nc_workspace *w = step->work;
    nc_candidates *next = &step->world->candidates;
    nc_code code = NC_OK;
    if (!step->world->settings.energy_corrections)
        return NC_OK;
    add_up(step);
    for (int i = 0; code == NC_OK && i < step->world->state.bodies.count; i++) {
        if (!nc_row_is_free(w->role, i))
            continue;
        const nc_tied_sum *sum = group_of(w, i);
        if (!sum->lifted || sum->loose > 0 || !nc_ties_is_limited(&w->ties, sum) || !(sum->allowed + sum->work < 0))
            continue;
        shorten(&next->path[i], sum->allowed / -sum->work, nc_scale(step->dt, nc_ties_frame(step, i)));
        nc_judge_path(step->world, i, &next->path[i], &next->flags[i]);
        code = nc_certify_change(w->motions, i, err);
    }
    return code;
}
