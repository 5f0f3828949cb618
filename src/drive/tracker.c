// Gathers what a run showed, step by step, for the judgement of a scene's `expect` block.
#include "drive/tracker.h"

#include "base/base.h"
#include "model/model.h"

#include <math.h>

nc_tracker nc_tracker_start(const nc_model_report *start, bool audited)
{
    nc_tracker tracker = {.energy_start = start->common.kinetic + start->common.potential,
                          .angular_start = start->common.angular_momentum,
                          .first_intersecting = -1,
                          .left_body = -1};
    tracker.summary = nc_run_summary_start(start);
    tracker.summary.intersecting_pairs = audited ? 0 : -1;
    tracker.summary.frames = 1;
    return tracker;
}

// |change| / scale, or the change itself where there is no scale.
static double relative(double change, double scale)
{
    return scale > 0 ? change / scale : change;
}

// `body` waited for `by` in the steps from steps_begin to `time` [s].
static void add_wait(nc_tracker *t, int body, int by, double time)
{
    int k = 0;
    while (k < t->wait_count && (t->waits[k].body != body || t->waits[k].by != by))
        k++;
    if (k == NC_SESSION_WAITS)
        return;
    if (k == t->wait_count)
        t->waits[t->wait_count++] = (nc_wait){.body = body, .by = by, .from = t->steps_begin};
    t->waits[k].to = time;
    t->waits[k].steps++;
}

nc_code nc_tracker_add_waits(nc_tracker *tracker, nc_model model, const nc_model_report *all,
                             const nc_allocator *allocator, nc_error *err)
{
    const nc_step_report *report = &all->common;
    const int count = report->stalls > 0 ? nc_model_body_count(model) : 0;
    nc_body_id *ids = nc_alloc(allocator, (size_t)count + 1, sizeof *ids);
    if (ids == NULL)
        return nc_fail_memory(err, (size_t)count * sizeof *ids);
    nc_model_bodies(model, ids, count);
    for (int i = 0; i < count; i++) {
        const nc_body_id by = nc_model_blocker(model, ids[i]);
        if (by.generation != 0)
            add_wait(tracker, (int)ids[i].index, (int)by.index, report->time);
    }
    nc_free(allocator, ids, (size_t)count + 1, sizeof *ids);
    return NC_OK;
}

void nc_tracker_add_stored_wait(nc_tracker *tracker, const nc_model_report *all)
{
    if (all->common.stalls > 0)
        add_wait(tracker, all->common.stalled_body, all->common.stalled_by, all->common.time);
}

void nc_tracker_add_report(nc_tracker *tracker, const nc_model_report *all)
{
    nc_run_summary *s = &tracker->summary;
    const nc_step_report *report = &all->common;
    nc_run_summary_add(s, all);
    const double change = fabs(report->kinetic + report->potential - tracker->energy_start);
    const double energy = relative(change, fmax(fabs(tracker->energy_start), report->kinetic));
    s->energy_drift = fmax(s->energy_drift, energy);
    const double turn = nc_norm(nc_sub(report->angular_momentum, tracker->angular_start));
    s->momentum_drift = fmax(s->momentum_drift, relative(turn, nc_norm(tracker->angular_start)));
    if (tracker->left_body < 0 && report->left_body >= 0) {
        tracker->left_body = report->left_body;
        tracker->left_time = tracker->steps_begin;
    }
    tracker->steps_begin = report->time;
}

void nc_tracker_add_audit(nc_tracker *tracker, int64_t frame, int64_t pairs)
{
    tracker->audited_frames++;
    tracker->summary.intersecting_pairs += pairs;
    if (pairs == 0)
        return;
    tracker->intersecting_frames++;
    if (tracker->first_intersecting < 0)
        tracker->first_intersecting = frame;
}

static bool inside(nc_box box, nc_vec3 p)
{
    return p.x >= box.lo.x && p.x <= box.hi.x && p.y >= box.lo.y && p.y <= box.hi.y && p.z >= box.lo.z &&
           p.z <= box.hi.z;
}

// Is the centre of the body outside, or one of its own vertices?
static nc_code is_outside(nc_model model, nc_body_id id, const nc_model_body *body, nc_box bounds,
                          const nc_allocator *allocator, bool *out, nc_error *err)
{
    const size_t count = (size_t)body->vertex_count;
    *out = count == 0 && !inside(bounds, body->pose.x);
    if (count == 0)
        return NC_OK;
    nc_vec3 *at = nc_alloc(allocator, count, sizeof *at);
    const nc_code code =
        at != NULL ? nc_model_read_vertices(model, id, at, NULL, err) : nc_fail_memory(err, count * sizeof *at);
    for (size_t k = 0; k < count && code == NC_OK; k++)
        *out = *out || !inside(bounds, at[k]);
    nc_free(allocator, at, count, sizeof *at);
    return code;
}

nc_code nc_tracker_finish(nc_tracker *tracker, nc_model model, nc_box bounds, const nc_allocator *allocator,
                          nc_error *err)
{
    tracker->summary.steps = nc_model_step_count(model);
    tracker->summary.escaped = 0;
    const int count = nc_model_body_count(model);
    nc_body_id *ids = nc_alloc(allocator, (size_t)count + 1, sizeof *ids);
    if (ids == NULL)
        return nc_fail_memory(err, (size_t)count * sizeof *ids);
    nc_model_bodies(model, ids, count);
    nc_code code = NC_OK;
    for (int i = 0; i < count && code == NC_OK; i++) {
        nc_model_body body;
        bool outside = false;
        code = nc_model_read_body(model, ids[i], &body, err);
        if (code == NC_OK && body.type == NC_DYNAMIC)
            code = is_outside(model, ids[i], &body, bounds, allocator, &outside, err);
        tracker->summary.escaped += outside;
    }
    nc_free(allocator, ids, (size_t)count + 1, sizeof *ids);
    return code;
}
