// A session: opened, closed, examined.
#include "drive/session.h"
#include "drive/ranks.h"

nc_session_def nc_session_def_default(void)
{
    return (nc_session_def){.steps = -1, .until = -1};
}

static nc_code make_room(nc_session *session, nc_error *err)
{
    const size_t count = (size_t)session->output_every;
    session->reports = nc_alloc(&session->allocator, count, sizeof *session->reports);
    if (session->reports == NULL)
        return nc_fail_memory(err, count * sizeof *session->reports);
    return NC_OK;
}

nc_code nc_session_open(const nc_session_def *def, nc_session **out, nc_refusal *out_refusal, nc_error *err)
{
    const nc_allocator allocator = nc_allocator_or_default(def->allocator);
    *out = NULL;
    if (out_refusal != NULL)
        *out_refusal = NC_REFUSED_NOT;
    if (def->input == NULL)
        return nc_fail(err, NC_BAD_ARGUMENT, "a session needs a scene or a run file as its input");
    nc_session *session = nc_alloc(&allocator, 1, sizeof *session);
    if (session == NULL)
        return nc_fail_memory(err, sizeof *session);
    session->def = *def;
    session->settings = &session->def;
    session->allocator = allocator;
    session->audited = def->audit || def->expect;
    session->before = nc_buffer_create(&allocator);
    nc_code code = nc_ranks_join(session, err);
    if (code == NC_OK)
        code = nc_session_start(session, def->input, err);
    if (code == NC_OK)
        code = make_room(session, err);
    if (code == NC_OK)
        code = nc_ranks_begin(session, err);
    if (code != NC_OK)
        nc_ranks_leave(session, err);
    if (code != NC_OK) {
        if (out_refusal != NULL)
            *out_refusal = session->refusal;
        (void)nc_session_close(session, NULL);
        return code;
    }
    session->first_step = nc_model_step_count(session->model);
    *out = session;
    return NC_OK;
}

nc_code nc_session_close(nc_session *session, nc_error *err)
{
    if (session == NULL)
        return NC_OK;
    const nc_allocator allocator = session->allocator;
    const size_t reports = (size_t)session->output_every;
    nc_code code = session->run != NULL ? nc_run_close(session->run, err) : NC_OK;
    const nc_code closed = nc_merit_close(&session->merit, code == NC_OK ? err : NULL);
    nc_ranks_leave(session, NULL);
    nc_model_destroy(session->model);
    nc_scene_destroy(session->scene);
    nc_free(&allocator, session->reports, reports, sizeof *session->reports);
    nc_buffer_free(&session->before);
    nc_free(&allocator, session, 1, sizeof *session);
    return code == NC_OK ? closed : code;
}

nc_model nc_session_model(const nc_session *session)
{
    return session->model;
}
