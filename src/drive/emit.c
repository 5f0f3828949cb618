// Bodies that appear during a run.
#include "drive/session.h"

// What emitters say goes to the run file; a step that is done again after a resume was told before.
typedef struct telling {
    nc_session *session;
    nc_code code;
    nc_error *err;
} telling;

static void tell(const char *text, void *ctx)
{
    telling *t = ctx;
    nc_run_info info;
    const int64_t step = nc_model_step_count(t->session->model);
    if (t->session->run == NULL) // at the start
        nc_session_message(t->session, NC_MESSAGE_NOTE, "%s", text);
    if (t->session->run == NULL || t->code != NC_OK)
        return;
    t->code = nc_run_read_info(t->session->run, &info, t->err);
    if (t->code == NC_OK && step > info.last_step)
        t->code = nc_run_log(t->session->run, step, "emitter", text, t->err);
}

nc_code nc_session_emit(nc_session *session, nc_error *err)
{
    telling t = {session, NC_OK, err};
    if (session->scene == NULL || nc_scene_emitter_count(session->scene) == 0)
        return NC_OK;
    const nc_code code = nc_scene_emit(session->scene, session->model, tell, &t, err);
    return code == NC_OK ? t.code : code;
}
