// What came of a session: the judgement, warnings, numbers.
#include "drive/session.h"
#include "scene/scene.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

nc_code nc_session_judge(nc_session *session, int *out_failed, nc_buffer *lines, nc_error *err)
{
    *out_failed = -1;
    if (!session->settings->expect)
        return nc_fail(err, NC_BAD_ARGUMENT, "the session was opened without 'expect'");
    const nc_scene_settings view = nc_scene_view(session->scene);
    if (!view.has_expectations)
        return NC_OK;
    const nc_code code = nc_tracker_finish(&session->tracker, session->model, view.bounds, &session->allocator, err);
    if (code != NC_OK)
        return code;
    const nc_code judged =
        nc_scene_judge(session->scene, &session->tracker.summary, session->model, out_failed, lines, err);
    return judged == NC_OK && nc_scene_watches(session->scene) ? nc_session_judge_watch(session, out_failed, lines, err)
                                                               : judged;
}

// ---- who waited, who was left -------------------------------------------------------------------------------

static const char *name_of(const nc_session *session, int slot, char out[32])
{
    const int count = nc_model_body_count(session->model);
    nc_body_id *ids = nc_alloc(&session->allocator, (size_t)count + 1, sizeof *ids);
    nc_model_body body = {.name = ""};
    nc_model_bodies(session->model, ids, ids != NULL ? count : 0);
    for (int i = 0; i < count && ids != NULL; i++)
        if ((int)ids[i].index == slot)
            (void)nc_model_read_body(session->model, ids[i], &body, NULL);
    nc_free(&session->allocator, ids, (size_t)count + 1, sizeof *ids);
    if (body.name[0] != '\0')
        return body.name;
    snprintf(out, 32, "body %d", slot);
    return out;
}

// Two that waited for the same body at the same time, give or take two steps: one sentence.
static bool waited_together(const nc_session *session, const nc_wait *a, const nc_wait *b)
{
    const double near = 2.5 * session->timestep;
    return a->by == b->by && fabs(a->from - b->from) < near && fabs(a->to - b->to) < near;
}

// "left" and "right" waited for "cup" from 0.9 s to the end, in 66 steps: ...
static void tell_wait(nc_session *session, int first, bool told[NC_SESSION_WAITS])
{
    const nc_tracker *t = &session->tracker;
    const nc_wait *wait = &t->waits[first];
    char text[768], who[300] = "", name[32], end[32];
    int count = 0;
    size_t used = 0;
    for (int k = first; k < t->wait_count; k++) {
        if (told[k] || !waited_together(session, wait, &t->waits[k]))
            continue;
        told[k] = true;
        const int length = snprintf(who + used, sizeof who - used, "%s\"%.30s\"", count++ > 0 ? " and " : "",
                                    name_of(session, t->waits[k].body, name));
        used += length > 0 && used + (size_t)length < sizeof who ? (size_t)length : 0;
    }
    snprintf(end, sizeof end, "%.4g s", wait->to);
    const bool to_end = wait->to > nc_model_time(session->model) - 0.5 * session->timestep;
    snprintf(text, sizeof text,
             "%s waited for \"%.100s\" from %.4g s to %s, in %" PRId64
             " step%s: %s; see on_jam in docs/scene-format.md",
             who, name_of(session, wait->by, name), wait->from, to_end ? "the end" : end, wait->steps,
             wait->steps == 1 ? "" : "s",
             to_end ? "what the script asks for was not reached" : "the script runs late from then on");
    nc_session_message(session, NC_MESSAGE_WARNING, "%s", text);
    nc_run_log(session->run, nc_model_step_count(session->model), "stalled", text, NULL);
}

// What the counts alone would hide: who waited for whom and when, and who was left where it is. Events too.
void nc_session_warn(nc_session *session)
{
    const nc_tracker *t = &session->tracker;
    const nc_run_summary *s = &t->summary;
    char text[512], name[32];
    bool told[NC_SESSION_WAITS] = {false};
    for (int k = 0; k < t->wait_count; k++)
        if (!told[k])
            tell_wait(session, k, told);
    if (s->too_far + s->not_finite == 0)
        return;
    snprintf(text, sizeof text,
             "\"%.100s\" was left where it is from %.4g s on (%" PRId64
             " bodies and steps in all): it is too far away, "
             "or too fast, for the rounding of its motion to be small against floor_distance",
             name_of(session, t->left_body, name), t->left_time, s->too_far + s->not_finite);
    nc_session_message(session, NC_MESSAGE_WARNING, "%s", text);
    nc_run_log(session->run, nc_model_step_count(session->model), "left", text, NULL);
}

// ---- numbers ------------------------------------------------------------------------------------------------

const char *nc_session_status_name(nc_session_status status)
{
    static const char *const names[] = {"stopped", "finished", "interrupted", "jammed"};
    return status >= NC_SESSION_STOPPED && status <= NC_SESSION_JAMMED ? names[status] : "unknown";
}

static nc_session_status status_of(const nc_session *session)
{
    return session->jammed        ? NC_SESSION_JAMMED
           : session->interrupted ? NC_SESSION_INTERRUPTED
           : session->finished    ? NC_SESSION_FINISHED
                                  : NC_SESSION_STOPPED;
}

static void summarize_waits(nc_session *session, nc_session_summary *out)
{
    out->ranks = session->ranks;
    out->wait_count = session->tracker.wait_count;
    for (int k = 0; k < out->wait_count; k++) {
        const nc_wait *wait = &session->tracker.waits[k];
        out->waits[k] = (nc_session_wait){.body = name_of(session, wait->body, session->wait_names[k][0]),
                                          .by = name_of(session, wait->by, session->wait_names[k][1]),
                                          .from = wait->from,
                                          .to = wait->to,
                                          .steps = wait->steps};
    }
}

void nc_session_summarize(nc_session *session, nc_session_summary *out)
{
    const nc_tracker *t = &session->tracker;
    *out = (nc_session_summary){
        .path = session->path,
        .status = status_of(session),
        .bodies = nc_model_body_count(session->model),
        .steps = nc_model_step_count(session->model),
        .steps_here = nc_model_step_count(session->model) - session->first_step,
        .steps_wanted = session->steps_wanted,
        .steps_planned = session->steps_planned,
        .frames = session->frame + 1,
        .time = nc_model_time(session->model),
        .seconds = session->seconds,
        .hash = nc_model_hash(session->model),
        .audited = session->audited,
        .audited_frames = t->audited_frames,
        .audited_steps = t->audited_steps,
        .audited_pieces = t->summary.audited_pieces,
        .intersecting_frames = t->intersecting_frames,
        .first_intersecting = t->first_intersecting,
        .run = t->summary,
    };
    nc_body_id pair[2];
    out->exempt_pairs = nc_model_exempt_pairs(session->model, 0, pair);
    out->moving = nc_session_count_moving(session, &out->dynamic);
    summarize_waits(session, out);
}

bool nc_session_dumped(const nc_session *session, nc_session_dump *out)
{
    if (session->dumped)
        *out = session->dump;
    return session->dumped;
}
