// A simulation of cloth on its way: start, frame after frame, the end. What differs from rigid bodies.
#include "drive/audit.h"
#include "drive/session.h"
#include "reel/reel.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

// ---- looking ------------------------------------------------------------------------------------------------

// The part of a report that rigid bodies have, too.
static nc_step_report common_part(const nc_cloth_report *r)
{
    return (nc_step_report){.step = r->frame,
                            .time = r->time,
                            .kinetic = r->kinetic,
                            .potential = r->gravity_energy + r->stretch_energy + r->bend_energy + r->contact_energy,
                            .momentum = r->momentum,
                            .angular_momentum = r->angular_momentum,
                            .contacts = r->contacts,
                            .smallest_distance = r->smallest_distance};
}

static void add_report(nc_tracker *tracker, const nc_cloth_report *r)
{
    const nc_step_report common = common_part(r);
    nc_tracker_add_report(tracker, &common);
    nc_run_summary_add_cloth(&tracker->summary, r);
}

static const char *object_name(const nc_cloth_world *world, int object, char *out, size_t out_size)
{
    nc_cloth_view view;
    if (nc_cloth_view_object(world, object, &view, NULL) == NC_OK && view.name[0] != '\0')
        snprintf(out, out_size, "%s", view.name);
    else
        snprintf(out, out_size, "object %d", object);
    return out;
}

#define PAIRS_NAMED 20

// Tests the present exactly, self-intersection included, and counts it as `frame`.
static nc_code audit_present(nc_session *session, int64_t frame, nc_error *err)
{
    nc_cloth_overlap found[PAIRS_NAMED];
    int count = 0;
    const double begin = nc_clock();
    const nc_code code = nc_cloth_audit(session->cloth, found, PAIRS_NAMED, &count, err);
    session->phases[NC_PHASE_AUDIT] += nc_clock() - begin;
    if (code != NC_OK)
        return code;
    nc_tracker_add_audit(&session->tracker, frame, count);
    for (int i = 0; i < count && i < PAIRS_NAMED; i++) {
        char a[80], b[80];
        nc_session_tell(session, NC_TELL_FOUND,
                        "frame %" PRId64 ": triangle %d of %s meets triangle %d of %s near (%g, %g, %g)", frame,
                        found[i].triangle_a, object_name(session->cloth, found[i].object_a, a, sizeof a),
                        found[i].triangle_b, object_name(session->cloth, found[i].object_b, b, sizeof b),
                        found[i].place.x, found[i].place.y, found[i].place.z);
    }
    return NC_OK;
}

// ---- start --------------------------------------------------------------------------------------------------

static nc_code build(nc_session *session, nc_error *err)
{
    nc_cloth_world_def def = nc_scene_view(session->scene).cloth_world;
    def.workers = session->settings->workers;
    def.allocator = session->allocator;
    const nc_code code = nc_scene_build_cloth(session->scene, &def, &session->cloth, err);
    if (code == NC_OK && session->settings->audit)
        nc_cloth_trace_audit(session->cloth, true);
    return code;
}

static int64_t count_vertices(const nc_cloth_world *world)
{
    int64_t sum = 0;
    nc_cloth_view view;
    for (int i = 0; i < nc_cloth_count(world); i++)
        if (nc_cloth_view_object(world, i, &view, NULL) == NC_OK && view.type != NC_CLOTH_OBSTACLE)
            sum += view.vertex_count;
    return sum;
}

// A start with intersections is refused before a file is made.
static nc_code check_start(nc_session *session, nc_error *err)
{
    nc_cloth_overlap first;
    int count = 0;
    const nc_code code = nc_cloth_audit(session->cloth, &first, 1, &count, err);
    if (code != NC_OK || count == 0)
        return code;
    char a[80], b[80];
    return nc_fail(err, NC_INTERSECTING,
                   "the scene starts intersecting: triangle %d of \"%s\" and triangle %d of \"%s\" meet near (%.6g, "
                   "%.6g, %.6g) (%d pair%s in all)",
                   first.triangle_a, object_name(session->cloth, first.object_a, a, sizeof a), first.triangle_b,
                   object_name(session->cloth, first.object_b, b, sizeof b), first.place.x, first.place.y,
                   first.place.z, count, count == 1 ? "" : "s");
}

static nc_code track_start(nc_session *session, nc_error *err)
{
    nc_cloth_report report = {0};
    const nc_code code = nc_cloth_measure(session->cloth, &report, err);
    if (code != NC_OK)
        return code;
    const nc_step_report start = common_part(&report);
    session->tracker = nc_tracker_start(&start, session->audited);
    if (session->audited)
        nc_tracker_add_audit(&session->tracker, 0, 0); // check_start has just looked
    return NC_OK;
}

nc_code nc_session_start_cloth(nc_session *session, const char *input, nc_error *err)
{
    if (session->settings->merit != NULL) {
        session->refusal = NC_REFUSED_MERIT;
        return nc_fail(err, NC_BAD_ARGUMENT,
                       "the merit function is for world.pipeline vsp, and this scene is of cloth");
    }
    nc_code code = build(session, err);
    if (code == NC_OK)
        code = check_start(session, err);
    if (code != NC_OK)
        return code;
    nc_session_tell(session, NC_TELL_INFO,
                    "%s: %d objects, %" PRId64 " vertices of cloth, %" PRId64 " frames of %.6g s", session->path,
                    nc_cloth_count(session->cloth), count_vertices(session->cloth), session->steps_wanted,
                    session->timestep);
    code = nc_session_create_run(session, input, err);
    return code == NC_OK ? track_start(session, err) : code;
}

// What the stored frames up to the restored one showed.
static nc_code track_stored(nc_session *session, nc_error *err)
{
    nc_step_report start = {0};
    nc_cloth_report report;
    nc_run_info info;
    nc_code code = nc_run_read_report(session->run, 0, &start, err);
    if (code == NC_OK)
        code = nc_run_read_info(session->run, &info, err);
    if (code != NC_OK)
        return code;
    session->tracker = nc_tracker_start(&start, session->audited);
    for (int64_t frame = 1; frame < info.frame_count && code == NC_OK; frame++) {
        code = nc_run_read_cloth_report(session->run, frame, &report, err);
        if (code != NC_OK || report.frame > nc_cloth_frame(session->cloth))
            break;
        add_report(&session->tracker, &report);
        session->tracker.summary.frames++;
        session->frame = frame;
    }
    if (code == NC_OK && session->audited)
        code = nc_audit_stored(session, session->frame, err);
    return code;
}

nc_code nc_session_resume_cloth(nc_session *session, nc_error *err)
{
    nc_code code = build(session, err);
    if (code == NC_OK)
        code = nc_run_restore_cloth(session->run, session->cloth, err);
    if (code == NC_OK)
        code = track_stored(session, err);
    if (code != NC_OK)
        return code;
    const int64_t frame = nc_cloth_frame(session->cloth);
    nc_session_tell(session, NC_TELL_INFO, "%s: resuming at frame %" PRId64 " of %" PRId64, session->path, frame,
                    session->steps_wanted);
    return frame < session->steps_wanted ? nc_run_log(session->run, frame, "resumed", nc_version(), err) : NC_OK;
}

// ---- frame after frame --------------------------------------------------------------------------------------

static nc_code step_once(nc_session *session, nc_error *err)
{
    nc_cloth_report *report = &session->cloth_reports[session->report_count];
    nc_session_losable(session, true);
    const nc_code code = nc_cloth_step(session->cloth, report, err);
    nc_session_losable(session, false); // what is done is stored
    if (code != NC_OK)
        return code;
    session->report_count++;
    session->phases[NC_PHASE_PREDICT] += report->seconds_elastic;
    session->phases[NC_PHASE_SEPARATE] += report->seconds_contact;
    session->phases[NC_PHASE_COLLIDE] += report->seconds_find;
    session->phases[NC_PHASE_AUDIT] += report->seconds_audit;
    add_report(&session->tracker, report);
    if (report->crossings > 0)
        return nc_fail(err, NC_BROKEN_PROMISE,
                       "%" PRId64 " meeting%s on the way of frame %" PRId64 ", between two kicks", report->crossings,
                       report->crossings == 1 ? "" : "s", report->frame);
    return NC_OK;
}

static bool frame_is_due(const nc_session *session)
{
    const int64_t step = nc_cloth_frame(session->cloth);
    return step % session->output_every == 0 || step == session->steps_planned;
}

static nc_code store_frame(nc_session *session, nc_error *err)
{
    const int64_t before = session->tracker.summary.intersecting_pairs;
    nc_code code = session->audited ? audit_present(session, session->frame + 1, err) : NC_OK;
    const int64_t found = session->tracker.summary.intersecting_pairs - before;
    if (code == NC_OK && found > 0)
        code = nc_fail(err, NC_BROKEN_PROMISE, "%" PRId64 " pair%s of triangles intersect after frame %" PRId64, found,
                       found == 1 ? "" : "s", nc_cloth_frame(session->cloth));
    const double begin = nc_clock();
    if (code == NC_OK)
        code = nc_run_append_cloth(session->run, session->cloth, session->cloth_reports, session->report_count, err);
    session->phases[NC_PHASE_WRITE] += nc_clock() - begin;
    if (code != NC_OK)
        return code;
    session->report_count = 0;
    session->frame++;
    session->tracker.summary.frames++;
    return NC_OK;
}

static nc_code advance(nc_session *session, nc_error *err)
{
    nc_code code = NC_OK;
    while (code == NC_OK && nc_cloth_frame(session->cloth) < session->steps_wanted && !nc_session_stops(session)) {
        code = step_once(session, err);
        if (code == NC_OK && frame_is_due(session))
            code = store_frame(session, err);
        nc_session_show(session, nc_cloth_count(session->cloth));
    }
    return code;
}

// "vertex 12 of a and triangle (3, 4, 5) of b", in the objects' own numbers.
static void describe_jam(const nc_cloth_world *world, const nc_cloth_jam *jam, char *out, size_t out_size)
{
    nc_cloth_view a = {0}, b = {0};
    char name_a[80], name_b[80];
    (void)nc_cloth_view_object(world, jam->object_a, &a, NULL);
    (void)nc_cloth_view_object(world, jam->object_b, &b, NULL);
    object_name(world, jam->object_a, name_a, sizeof name_a);
    object_name(world, jam->object_b, name_b, sizeof name_b);
    const int *v = jam->vertices;
    if (jam->edges)
        snprintf(out, out_size, "edge (%d, %d) of \"%s\" and edge (%d, %d) of \"%s\"", v[0] - a.first_vertex,
                 v[1] - a.first_vertex, name_a, v[2] - b.first_vertex, v[3] - b.first_vertex, name_b);
    else if (v[2] < 0)
        snprintf(out, out_size, "particle %d of \"%s\" and particle %d of \"%s\"", v[0] - a.first_vertex, name_a,
                 v[1] - b.first_vertex, name_b);
    else
        snprintf(out, out_size, "vertex %d of \"%s\" and triangle (%d, %d, %d) of \"%s\"", v[0] - a.first_vertex,
                 name_a, v[1] - b.first_vertex, v[2] - b.first_vertex, v[3] - b.first_vertex, name_b);
}

// A run that cannot go on keeps what it has, and says where it is stuck.
static nc_code end_jammed(nc_session *session, nc_error *err)
{
    nc_cloth_jam jam;
    char place[320], text[512];
    session->jammed = true;
    session->tracker.summary.jammed = true;
    if (nc_cloth_jammed(session->cloth, &jam)) {
        session->tracker.summary.jam_time = jam.time;
        describe_jam(session->cloth, &jam, place, sizeof place);
        snprintf(text, sizeof text,
                 "nothing can go on at %.6g s: %.300s near (%.6g, %.6g, %.6g) would have to be kept apart by layer %d",
                 jam.time, place, jam.place.x, jam.place.y, jam.place.z, jam.layer);
    } else {
        snprintf(text, sizeof text, "%.500s", err->text);
    }
    const int64_t frame = nc_cloth_frame(session->cloth);
    nc_code code = nc_run_log(session->run, frame, "jammed", text, err);
    if (code == NC_OK)
        code = nc_session_checkpoint(session, err);
    if (code == NC_OK)
        nc_session_tell(session, NC_TELL_JAMMED, "%s; %" PRId64 " frames are in %s", text, session->frame + 1,
                        session->path);
    return code;
}

nc_code nc_session_run_cloth(nc_session *session, nc_error *err)
{
    const double begin = nc_clock();
    session->tracker.summary.jam_time = NAN;
    const nc_code code = advance(session, err);
    session->seconds += nc_clock() - begin;
    if (code == NC_JAMMED)
        return end_jammed(session, err);
    if (code != NC_OK) {
        nc_run_log(session->run, nc_cloth_frame(session->cloth), "error", err->text, NULL);
        return code;
    }
    return nc_session_conclude(session, err);
}

// ---- the end ------------------------------------------------------------------------------------------------

static bool inside(nc_box box, nc_vec3 p)
{
    return p.x >= box.lo.x && p.x <= box.hi.x && p.y >= box.lo.y && p.y <= box.hi.y && p.z >= box.lo.z &&
           p.z <= box.hi.z;
}

// Cloths with a vertex outside the bounds have escaped.
nc_code nc_session_finish_cloth(nc_session *session, nc_error *err)
{
    nc_run_summary *s = &session->tracker.summary;
    const nc_box bounds = nc_scene_view(session->scene).bounds;
    nc_code code = NC_OK;
    s->steps = nc_cloth_frame(session->cloth);
    s->escaped = 0;
    for (int i = 0; i < nc_cloth_count(session->cloth) && code == NC_OK; i++) {
        nc_cloth_view view;
        code = nc_cloth_view_object(session->cloth, i, &view, err);
        if (code != NC_OK || view.type == NC_CLOTH_OBSTACLE)
            continue;
        nc_vec3 *at = nc_alloc(&session->allocator, (size_t)view.vertex_count, sizeof *at);
        code = at != NULL ? nc_cloth_read(session->cloth, i, at, NULL, err)
                          : nc_fail_memory(err, (size_t)view.vertex_count * sizeof *at);
        bool out = false;
        for (int k = 0; k < view.vertex_count && code == NC_OK; k++)
            out = out || !inside(bounds, at[k]);
        s->escaped += out;
        nc_free(&session->allocator, at, (size_t)view.vertex_count, sizeof *at);
    }
    return code;
}
