// A running simulation: step, audit, store, until the end or a request to stop.
#include "drive/audit.h"
#include "drive/dump.h"
#include "drive/ranks.h"
#include "drive/session.h"
#include "reel/reel.h"

#include <inttypes.h>

static nc_code audit_step(nc_session *session, const nc_model_report *report, nc_error *err)
{
    const double begin = nc_clock();
    nc_code code = nc_ranks_order(session, NC_ORDER_AUDIT_STEP, err);
    if (code == NC_OK)
        code = nc_ranks_agree(session, nc_model_audit_step(session->model, report, err), err);
    session->phases[NC_PHASE_AUDIT] += nc_clock() - begin + report->cloth.seconds_audit;
    session->tracker.audited_steps++;
    return code;
}

static void add_phases(double seconds[NC_PHASE_COUNT], const nc_step_report *report)
{
    seconds[NC_PHASE_COLLIDE] += report->seconds_collide;
    seconds[NC_PHASE_PREDICT] += report->seconds_predict;
    seconds[NC_PHASE_SEPARATE] += report->seconds_separate;
    seconds[NC_PHASE_SETTLE] += report->seconds_settle;
    seconds[NC_PHASE_COMMIT] += report->seconds_commit;
}

static nc_code step_once(nc_session *session, nc_error *err)
{
    nc_model_report *report = &session->reports[session->report_count];
    session->step_is_done = false;
    nc_code code = nc_dump_remember(session, err);
    nc_session_losable(session, true);
    if (code == NC_OK)
        code = nc_ranks_order(session, NC_ORDER_STEP, err);
    if (code == NC_OK)
        code = nc_ranks_agree(session, nc_model_step(session->model, session->timestep, report, err), err);
    nc_session_losable(session, false); // what is done is stored
    if (code != NC_OK)
        return code;
    session->step_is_done = true;
    if (session->settings->audit && (code = audit_step(session, report, err)) != NC_OK)
        return code;
    session->report_count++;
    if ((code = nc_run_record_step(session->run, session->model, err)) != NC_OK)
        return code;
    if ((code = nc_merit_write(&session->merit, session->model, err)) != NC_OK)
        return code;
    add_phases(session->phases, &report->common);
    code = nc_tracker_add_waits(&session->tracker, session->model, report, &session->allocator, err);
    nc_tracker_add_report(&session->tracker, report);
    return code == NC_OK ? nc_ranks_emit(session, err) : code;
}

// A frame is due at every output step, and at the end of the run.
static bool frame_is_due(const nc_session *session)
{
    const int64_t step = nc_model_step_count(session->model);
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
                       found == 1 ? "" : "s", nc_model_step_count(session->model));
    return code;
}

static nc_code store_frame(nc_session *session, nc_error *err)
{
    nc_code code = session->audited ? audit_frame(session, err) : NC_OK;
    if (code != NC_OK)
        return code;
    const double begin = nc_clock();
    code = nc_run_append(session->run, session->model, session->reports, session->report_count, err);
    session->phases[NC_PHASE_WRITE] += nc_clock() - begin;
    if (code == NC_OK)
        code = nc_session_log_breaks(session, err);
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
    while (code == NC_OK && nc_model_step_count(session->model) < session->steps_wanted && !nc_session_stops(session)) {
        code = step_once(session, err);
        if (code == NC_OK && frame_is_due(session))
            code = store_frame(session, err);
        nc_session_show(session);
    }
    return code;
}

// Is the simulation in the state of the last frame that is stored? Not while reports wait for the next frame, and not
// while a resumed run goes through frames that were stored after its checkpoint.
static nc_code is_at_end(const nc_session *session, bool *out, nc_error *err)
{
    nc_run_info info;
    const nc_code code = nc_run_read_info(session->run, &info, err);
    *out = code == NC_OK && session->report_count == 0 && info.last_step == nc_model_step_count(session->model);
    return code;
}

// A checkpoint, where the simulation is in the state of the last frame that is stored; else nothing.
static nc_code checkpoint(nc_session *session, nc_error *err)
{
    bool at_end = false;
    const nc_code code = is_at_end(session, &at_end, err);
    return code == NC_OK && at_end ? nc_run_checkpoint(session->run, session->model, err) : code;
}

// ---- the end ------------------------------------------------------------------------------------------------

// Bodies that were to appear, and found no room.
static void tell_emitters(const nc_session *session)
{
    const int count = session->scene != NULL ? nc_scene_emitter_count(session->scene) : 0;
    for (int i = 0; i < count; i++) {
        const nc_emitter_state state = nc_scene_emitter(session->scene, session->model, i);
        if (state.appeared < state.due)
            nc_session_message(session, NC_MESSAGE_NOTE,
                               "emitter %s: %" PRId64 " of %" PRId64 " bodies appeared, %" PRId64
                               " still wait for room at the end",
                               state.name, state.appeared, state.planned, state.due - state.appeared);
    }
}

// Notes why the run ends.
static nc_code conclude(nc_session *session, nc_error *err)
{
    const int64_t step = nc_model_step_count(session->model);
    const bool stepped = step > session->first_step;
    session->finished = step >= session->steps_planned;
    tell_emitters(session);
    session->interrupted = step < session->steps_wanted;
    if (session->finished && !stepped && session->was_finished)
        return NC_OK;
    if (session->finished)
        return nc_run_finish(session->run, session->model, err);
    nc_code code = NC_OK;
    if (session->interrupted)
        code = nc_run_log(session->run, step, "interrupted", "stopped by a signal", err);
    return code == NC_OK && stepped ? checkpoint(session, err) : code;
}

// Nothing can ever continue: the run ends with what it has.
static nc_code conclude_jammed(nc_session *session, double time, const char *text, nc_error *err)
{
    session->jammed = true;
    session->tracker.summary.jammed = true;
    session->tracker.summary.jam_time = time;
    nc_code code = nc_run_log(session->run, nc_model_step_count(session->model), "jammed", text, err);
    if (code == NC_OK)
        code = checkpoint(session, err);
    if (code == NC_OK)
        nc_session_message(session, NC_MESSAGE_JAMMED, "%s; %" PRId64 " frames are in %s", text, session->frame + 1,
                           session->path);
    return code;
}

// What a run that ended with an error leaves behind.
static void note_failure(nc_session *session, const nc_error *cause)
{
    const char *kind = cause->code == NC_JAMMED ? "jammed" : "error";
    nc_run_log(session->run, nc_model_step_count(session->model), kind, cause->text, NULL);
    if (cause->code == NC_BROKEN_PROMISE)
        nc_dump_step(session);
}

static bool is_asked(void *ctx)
{
    return nc_session_stops(ctx);
}

nc_code nc_session_run(nc_session *session, nc_error *err)
{
    nc_error own = {0};
    if (err == NULL) // what happened is noted in the run
        err = &own;
    const double begin = nc_clock();
    const nc_session_def *s = session->settings;
    nc_code code = NC_OK;
    if (s->merit != NULL && session->merit.out == NULL)
        code = nc_merit_open(&session->merit, s->merit, s->resume, &session->allocator, err);
    if (code != NC_OK)
        return code;
    if (session->share == NULL) // else all ranks would have to be interrupted at the same place
        nc_model_set_interrupt(session->model, is_asked, session);
    code = advance(session, err);
    nc_ranks_end(session);
    session->seconds += nc_clock() - begin;
    char text[512];
    double time;
    if (code == NC_JAMMED && nc_model_jammed(session->model, &time, text, sizeof text))
        return conclude_jammed(session, time, text, err);
    if (code == NC_INTERRUPTED) // the step was given up: the run ends at the one before
        code = NC_OK;
    if (code != NC_OK) {
        note_failure(session, err);
        return code;
    }
    return conclude(session, err);
}
