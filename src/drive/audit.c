// The exact test of a run on its way.
#include "drive/audit.h"

#include "reel/reel.h"

#include <inttypes.h>
#include <stdio.h>

#define PAIRS_NAMED_PRESENT 20

// ---- what is stored -----------------------------------------------------------------------------------------

static void count_frame(const nc_frame_audit *audit, void *ctx)
{
    nc_tracker_add_audit(ctx, audit->frame, audit->hit_count);
}

nc_code nc_audit_stored(nc_session *session, int64_t last_frame, nc_error *err)
{
    nc_reel reel;
    nc_code code = nc_reel_attach(session->run, &session->allocator, &reel, err);
    if (code != NC_OK)
        return code;
    const nc_audit_source source = nc_reel_source(&reel);
    code = nc_audit_frames(&source, 0, last_frame, session->settings->workers, count_frame, &session->tracker, err);
    nc_reel_close(&reel);
    return code;
}

// ---- the present --------------------------------------------------------------------------------------------

nc_code nc_audit_present(nc_session *session, int64_t frame, nc_error *err)
{
    nc_overlap found[PAIRS_NAMED_PRESENT];
    nc_tracker *tracker = &session->tracker;
    const nc_world *world = session->world;
    int count = 0;
    const nc_code code = nc_world_audit(world, found, PAIRS_NAMED_PRESENT, &count, err);
    if (code != NC_OK)
        return code;
    const nc_moment when = {frame, nc_world_time(world), NULL};
    const int64_t before = tracker->summary.intersecting_pairs;
    for (int i = 0; i < count && before + i < PAIRS_NAMED_PRESENT; i++) {
        char text[1024];
        const char *bodies[2] = {nc_body_name(world, found[i].a), nc_body_name(world, found[i].b)};
        nc_session_tell(session, NC_TELL_FOUND, "%s", nc_hit_text(&when, bodies, &found[i].where, text, sizeof text));
    }
    nc_tracker_add_audit(tracker, frame, count);
    if (before < PAIRS_NAMED_PRESENT && tracker->summary.intersecting_pairs >= PAIRS_NAMED_PRESENT)
        nc_session_tell(session, NC_TELL_INFO,
                        "More intersecting pairs are counted, not named: nacre check names them.");
    return NC_OK;
}

nc_code nc_audit_motion(const nc_world *world, nc_tracker *tracker, nc_error *err)
{
    nc_crossing first;
    int count = 0;
    const nc_code code = nc_world_audit_step(world, &first, 1, &count, err);
    if (code != NC_OK)
        return code;
    tracker->audited_steps++;
    if (count == 0)
        return NC_OK;
    char a[48], b[48], more[64] = "";
    const nc_intersection *where = &first.where;
    if (count > 1)
        snprintf(more, sizeof more, " (%d pairs in all)", count);
    return nc_fail(err, NC_BROKEN_PROMISE,
                   "%s of %.100s meets %s of %.100s near (%.6g, %.6g, %.6g) on the way of step %" PRId64
                   ", at %.6g of it%s",
                   nc_element_text(where->kind_a, where->element_a, a, sizeof a), nc_body_name(world, first.a),
                   nc_element_text(where->kind_b, where->element_b, b, sizeof b), nc_body_name(world, first.b),
                   where->place.x, where->place.y, where->place.z, nc_world_step_count(world), first.t, more);
}
