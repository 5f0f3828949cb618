// A simulation on its way: step, audit, store, until the end or a signal.
#include "session.h"

#include "audit_now.h"
#include "dump.h"
#include "interrupt.h"

#include <inttypes.h>
#include <stdlib.h>

static nc_code audit_step(nc_session *session, nc_error *err)
{
    const double begin = nc_clock();
    const nc_code code = nc_audit_motion(session->world, &session->tracker, err);
    session->progress.seconds[NC_PHASE_AUDIT] += nc_clock() - begin;
    return code;
}

static nc_code step_once(nc_session *session, nc_error *err)
{
    nc_step_report *report = &session->reports[session->report_count];
    session->step_is_done = false;
    nc_code code = nc_dump_remember(session, err);
    nc_interrupt_limit(true);
    if (code == NC_OK)
        code = nc_world_step(session->world, session->timestep, report, err);
    nc_interrupt_limit(false); // what is done is stored
    if (code != NC_OK)
        return code;
    session->step_is_done = true;
    if (session->settings->audit && (code = audit_step(session, err)) != NC_OK)
        return code;
    session->report_count++;
    if ((code = nc_merit_write(&session->merit, session->world, err)) != NC_OK)
        return code;
    double *seconds = session->progress.seconds;
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
    nc_progress_clear(&session->progress);
    nc_code code =
        nc_audit_present(session->world, session->frame + 1, session->settings->quiet, &session->tracker, err);
    session->progress.seconds[NC_PHASE_AUDIT] += nc_clock() - begin;
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
    session->progress.seconds[NC_PHASE_WRITE] += nc_clock() - begin;
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
    while (code == NC_OK && nc_world_step_count(session->world) < session->steps_wanted && !nc_interrupted()) {
        code = step_once(session, err);
        if (code == NC_OK && frame_is_due(session))
            code = store_frame(session, err);
        nc_progress_update(&session->progress, nc_world_step_count(session->world),
                           nc_world_body_count(session->world));
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

int64_t nc_session_step(const nc_session *session)
{
    return session->cloth != NULL ? nc_cloth_frame(session->cloth) : nc_world_step_count(session->world);
}

double nc_session_time(const nc_session *session)
{
    return session->cloth != NULL ? nc_cloth_time(session->cloth) : nc_world_time(session->world);
}

uint64_t nc_session_hash(const nc_session *session)
{
    return session->cloth != NULL ? nc_cloth_hash(session->cloth) : nc_world_hash(session->world);
}

nc_exit nc_session_advance(nc_session *session)
{
    if (session->cloth != NULL)
        return nc_session_advance_cloth(session);
    nc_error err = {0};
    session->progress = nc_progress_start(session->settings->quiet, session->first_step, session->steps_wanted);
    nc_code code = NC_OK;
    if (session->settings->merit != NULL)
        code =
            nc_merit_open(&session->merit, session->settings->merit, session->settings->resume, session->world, &err);
    if (code != NC_OK)
        return nc_complain(&err);
    nc_world_set_interrupt(session->world, nc_interrupt_of_step, NULL);
    code = advance(session, &err);
    session->seconds = nc_clock() - session->progress.start;
    nc_progress_clear(&session->progress);
    if (code == NC_INTERRUPTED) // the step was given up: the run ends at the one before
        code = NC_OK;
    if (code != NC_OK) {
        const char *kind = code == NC_JAMMED ? "jammed" : "error";
        nc_run_log(session->run, nc_world_step_count(session->world), kind, err.text, NULL);
        const nc_exit result = nc_complain(&err);
        if (code == NC_BROKEN_PROMISE)
            nc_dump_step(session);
        return result;
    }
    return nc_session_conclude(session, &err) == NC_OK ? NC_EXIT_DONE : nc_complain(&err);
}

nc_exit nc_session_close(nc_session *session)
{
    nc_error err = {0};
    nc_exit code = NC_EXIT_DONE;
    if (session->run != NULL && nc_run_close(session->run, &err) != NC_OK)
        code = nc_complain(&err);
    if (nc_merit_close(&session->merit, &err) != NC_OK)
        code = nc_complain(&err);
    nc_world_destroy(session->world);
    nc_cloth_world_destroy(session->cloth);
    nc_scene_destroy(session->scene);
    free(session->reports);
    free(session->cloth_reports);
    session->cloth = NULL;
    session->cloth_reports = NULL;
    nc_buffer_free(&session->before);
    session->run = NULL;
    session->world = NULL;
    session->scene = NULL;
    session->reports = NULL;
    return code;
}
