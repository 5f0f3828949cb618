// Dynamic contact lifts no group of bodies higher than its kinetic energy does.
//
// Dynamic contact pushes pairs that collide to their rest distance, and what rests on them with them. Where little is
// moving, as in a net of rings that hangs still, that is motion against gravity that nothing pays for. So after dynamic
// contact the motion of a whole group (energy.c) whose members it pushed is shortened, by one factor, until the work of
// gravity and forces on it is paid by the kinetic energy that the group began the step with. No motion at all is always
// possible; what parts goes on parting, in more steps.
#include "step/step.h"

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
        nc_tied_sum *sum = &w->ties.sums.data[nc_forest_root(w->ties.to.data, i)];
        const nc_vec3 way = nc_sub(nc_path_pose(&next->path[i], 1.0).x, bodies->pose[i].x);
        const nc_vec3 force = nc_madd(bodies->force[i], bodies->mass[i], step->world->settings.gravity);
        sum->allowed += nc_body_kinetic(bodies, i, bodies->pose[i], bodies->v[i], bodies->momentum[i]);
        sum->work += nc_dot(force, way);
        sum->lifted |= (next->flags[i] & NC_STEP_DEFERRED) != 0;
        sum->loose += next->path[i].count != 1;
    }
}

static void shorten(nc_path *path, double factor)
{
    nc_segment *segment = &path->segments[0];
    segment->d = nc_scale(factor, segment->d);
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
        const nc_tied_sum *sum = &w->ties.sums.data[nc_forest_root(w->ties.to.data, i)];
        if (!sum->lifted || sum->loose > 0 || !nc_ties_is_limited(&w->ties, sum) || !(sum->allowed + sum->work < 0))
            continue;
        shorten(&next->path[i], sum->allowed / -sum->work);
        nc_judge_path(step->world, i, &next->path[i], &next->flags[i]);
        code = nc_certify_change(w->motions, i, err);
    }
    return code;
}
