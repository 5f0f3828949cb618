// The exact test of a run on its way.
#include "drive/audit.h"

#include "drive/ranks.h"
#include "reel/reel.h"

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

static void report_hit(nc_session *session, const nc_moment *when, const nc_overlap *found)
{
    char text[1024];
    nc_model_body a = {.name = ""}, b = {.name = ""};
    (void)nc_model_read_body(session->model, found->a, &a, NULL);
    (void)nc_model_read_body(session->model, found->b, &b, NULL);
    const char *bodies[2] = {a.name, b.name};
    nc_session_message(session, NC_MESSAGE_INTERSECTION, "%s",
                       nc_hit_text(when, bodies, &found->where, text, sizeof text));
}

nc_code nc_audit_present(nc_session *session, int64_t frame, nc_error *err)
{
    nc_overlap found[PAIRS_NAMED_PRESENT];
    nc_tracker *tracker = &session->tracker;
    int count = 0;
    nc_code code = nc_ranks_order(session, NC_ORDER_AUDIT, err);
    if (code == NC_OK)
        code = nc_ranks_agree(session, nc_model_audit(session->model, found, PAIRS_NAMED_PRESENT, &count, err), err);
    if (code != NC_OK)
        return code;
    const nc_moment when = {frame, nc_model_time(session->model), NULL};
    const int64_t before = tracker->summary.intersecting_pairs;
    for (int i = 0; i < count && before + i < PAIRS_NAMED_PRESENT; i++)
        report_hit(session, &when, &found[i]);
    nc_tracker_add_audit(tracker, frame, count);
    if (before < PAIRS_NAMED_PRESENT && tracker->summary.intersecting_pairs >= PAIRS_NAMED_PRESENT)
        nc_session_message(session, NC_MESSAGE_INFO,
                           "More intersecting pairs are counted, not named: nacre check names them.");
    return NC_OK;
}
