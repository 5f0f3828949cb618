// A simulation on its way: step, audit, store, until the end or a wish to stop.
#include "drive/audit.h"
#include "drive/dump.h"
#include "drive/session.h"
#include "reel/reel.h"

#include <inttypes.h>

static nc_code audit_step(nc_session *session, nc_error *err)
{
    const double begin = nc_clock();
    const nc_code code = nc_audit_motion(session->world, &session->tracker, err);
    session->phases[NC_PHASE_AUDIT] += nc_clock() - begin;
    return code;
}

static nc_code step_once(nc_session *session, nc_error *err)
{
    nc_step_report *report = &session->reports[session->report_count];
    session->step_is_done = false;
    nc_code code = nc_dump_remember(session, err);
    nc_session_losable(session, true);
    if (code == NC_OK)
        code = nc_world_step(session->world, session->timestep, report, err);
    nc_session_losable(session, false); // what is done is stored
    if (code != NC_OK)
        return code;
    session->step_is_done = true;
    if (session->settings->audit && (code = audit_step(session, err)) != NC_OK)
        return code;
    session->report_count++;
    if ((code = nc_merit_write(&session->merit, session->world, err)) != NC_OK)
        return code;
    double *seconds = session->phases;
    seconds[NC_PHASE_COLLIDE] += report->seconds_collide;
    seconds[NC_PHASE_PREDICT] += report->seconds_predict;
    seconds[NC_PHASE_SEPARATE] += report->seconds_separate;
    seconds[NC_PHASE_SETTLE] += report->seconds_settle;
    seconds[NC_PHASE_COMMIT] += report->seconds_commit;
    nc_tracker_add_report(&session->tracker, report);
    return NC_OK;
}

// A frame is due at every output step, and at the end of the run.
static bool frame_is_due(const nc_session *session)
{
    const int64_t step = nc_world_step_count(session->world);
    return step % session->output_every == 0 || step == session->steps_planned;
}

// A frame that intersects is not stored.
static nc_code audit_frame(nc_session *session, nc_error *err)
{
    const double begin = nc_clock();
    const int64_t before = session->tracker.summary.intersecting_pairs;
    nc_code code = nc_audit_present(session, session->frame + 1, err);
    session->phases[NC_PHASE_AUDIT] += nc_clock() - begin;
    const int64_t found = session->tracker.summary.intersecting_pairs - before;
    if (code == NC_OK && found > 0)
        code = nc_fail(err, NC_BROKEN_PROMISE, "%" PRId64 " pair%s of bodies intersect after step %" PRId64, found,
                       found == 1 ? "" : "s", nc_world_step_count(session->world));
    return code;
}

static nc_code store_frame(nc_session *session, nc_error *err)
{
    nc_code code = session->audited ? audit_frame(session, err) : NC_OK;
    if (code != NC_OK)
        return code;
    const double begin = nc_clock();
    code = nc_run_append(session->run, session->world, session->reports, session->report_count, err);
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
    while (code == NC_OK && nc_world_step_count(session->world) < session->steps_wanted && !nc_session_stops(session)) {
        code = step_once(session, err);
        if (code == NC_OK && frame_is_due(session))
            code = store_frame(session, err);
        nc_session_show(session, nc_world_body_count(session->world));
    }
    return code;
}

// Is the simulation in the state of the last frame that is stored? Not while reports wait for the next frame, and not
// while a resumed run goes through frames that were stored after its checkpoint.
static nc_code is_at_end(const nc_session *session, bool *out, nc_error *err)
{
    nc_run_info info;
    const nc_code code = nc_run_read_info(session->run, &info, err);
    *out = code == NC_OK && session->report_count == 0 && info.last_step == nc_session_step(session);
    return code;
}

nc_code nc_session_checkpoint(nc_session *session, nc_error *err)
{
    bool at_end = false;
    const nc_code code = is_at_end(session, &at_end, err);
    if (code != NC_OK || !at_end)
        return code;
    return session->cloth != NULL ? nc_run_checkpoint_cloth(session->run, session->cloth, err)
                                  : nc_run_checkpoint(session->run, session->world, err);
}

nc_code nc_session_conclude(nc_session *session, nc_error *err)
{
    const int64_t step = nc_session_step(session);
    const bool stepped = step > session->first_step;
    session->finished = step >= session->steps_planned;
    session->interrupted = step < session->steps_wanted;
    if (session->finished && !stepped && session->was_finished)
        return NC_OK;
    if (session->finished)
        return session->cloth != NULL ? nc_run_finish_cloth(session->run, session->cloth, err)
                                      : nc_run_finish(session->run, session->world, err);
    nc_code code = NC_OK;
    if (session->interrupted)
        code = nc_run_log(session->run, step, "interrupted", "stopped by a signal", err);
    return code == NC_OK && stepped ? nc_session_checkpoint(session, err) : code;
}

static bool is_asked(void *ctx)
{
    return nc_session_stops(ctx);
}

// What a run that ended with an error leaves behind.
static void note_failure(nc_session *session, const nc_error *cause)
{
    const char *kind = cause->code == NC_JAMMED ? "jammed" : "error";
    nc_run_log(session->run, nc_world_step_count(session->world), kind, cause->text, NULL);
    if (cause->code == NC_BROKEN_PROMISE)
        nc_dump_step(session);
}

nc_code nc_session_run(nc_session *session, nc_error *err)
{
    nc_error own = {0};
    if (err == NULL) // what happened is noted in the run
        err = &own;
    if (session->cloth != NULL)
        return nc_session_run_cloth(session, err);
    const double begin = nc_clock();
    const nc_session_def *s = session->settings;
    nc_code code = NC_OK;
    if (s->merit != NULL && session->merit.out == NULL)
        code = nc_merit_open(&session->merit, s->merit, s->resume, session->world, &session->allocator, err);
    if (code != NC_OK)
        return code;
    nc_world_set_interrupt(session->world, is_asked, session);
    code = advance(session, err);
    session->seconds += nc_clock() - begin;
    if (code == NC_INTERRUPTED) // the step was given up: the run ends at the one before
        code = NC_OK;
    if (code != NC_OK) {
        note_failure(session, err);
        return code;
    }
    return nc_session_conclude(session, err);
}
