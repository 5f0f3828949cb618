// Gathers what a run showed, step by step, for the judgement of a scene's `expect` block.
#include "drive/tracker.h"

#include "base/base.h"

#include <math.h>

nc_tracker nc_tracker_start(const nc_step_report *start, bool audited)
{
    nc_tracker tracker = {.energy_start = start->kinetic + start->potential,
                          .angular_start = start->angular_momentum,
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

static void add_wait(nc_tracker *t, const nc_step_report *report)
{
    int k = 0;
    while (k < t->wait_count && (t->waits[k].body != report->stalled_body || t->waits[k].by != report->stalled_by))
        k++;
    if (k == NC_SESSION_WAITS)
        return;
    if (k == t->wait_count)
        t->waits[t->wait_count++] =
            (nc_wait){.body = report->stalled_body, .by = report->stalled_by, .from = t->steps_begin};
    t->waits[k].to = report->time;
    t->waits[k].steps++;
}

void nc_tracker_add_report(nc_tracker *tracker, const nc_step_report *report)
{
    nc_run_summary *s = &tracker->summary;
    nc_run_summary_add(s, report);
    const double change = fabs(report->kinetic + report->potential - tracker->energy_start);
    const double energy = relative(change, fmax(fabs(tracker->energy_start), report->kinetic));
    s->energy_drift = fmax(s->energy_drift, energy);
    const double turn = nc_norm(nc_sub(report->angular_momentum, tracker->angular_start));
    s->momentum_drift = fmax(s->momentum_drift, relative(turn, nc_norm(tracker->angular_start)));
    if (report->stalls > 0)
        add_wait(tracker, report);
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

nc_code nc_tracker_finish(nc_tracker *tracker, const nc_world *world, nc_box bounds, const nc_allocator *allocator,
                          nc_error *err)
{
    tracker->summary.steps = nc_world_step_count(world);
    tracker->summary.escaped = 0;
    const int count = nc_world_bodies(world, NULL, 0);
    nc_body_id *ids = nc_alloc(allocator, (size_t)count + 1, sizeof *ids);
    if (ids == NULL)
        return nc_fail_memory(err, (size_t)count * sizeof *ids);
    nc_world_bodies(world, ids, count);
    nc_code code = NC_OK;
    for (int i = 0; i < count && code == NC_OK; i++) {
        nc_body_state state;
        code = nc_body_read(world, ids[i], &state, err);
        if (code == NC_OK && state.type == NC_DYNAMIC && !inside(bounds, state.pose.x))
            tracker->summary.escaped++;
    }
    nc_free(allocator, ids, (size_t)count + 1, sizeof *ids);
    return code;
}
