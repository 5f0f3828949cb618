// A step that broke a promise, kept as a run file of that one step.
#include "drive/dump.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

nc_code nc_dump_remember(nc_session *session, nc_error *err)
{
    if (!session->audited)
        return NC_OK;
    session->before.size = 0;
    return nc_model_save(session->model, &session->before, err);
}

// The model as it was before the step. A step that fails by itself leaves it so; an audit comes after the step.
static nc_code go_back(nc_session *session, nc_error *err)
{
    if (!session->step_is_done)
        return NC_OK;
    return nc_model_restore(session->model, session->before.data, session->before.size, err);
}

// "boats.step-17.nacre" for "boats.nacre"; `step` is the one that failed.
static void name_dump(const nc_session *session, int64_t step, char *out, size_t out_size)
{
    const size_t length = strlen(session->path), tail = strlen(".nacre");
    const bool known = length > tail && strcmp(session->path + length - tail, ".nacre") == 0;
    snprintf(out, out_size, "%.*s.step-%" PRId64 ".nacre", (int)(known ? length - tail : length), session->path, step);
}

static nc_code write_dump(nc_session *session, const char *path, int64_t step, nc_error *err)
{
    const char *text = "";
    nc_run_info info;
    nc_code code = nc_run_read_info(session->run, &info, err);
    if (code == NC_OK)
        code = nc_run_scene_text(session->run, &text, err);
    if (code != NC_OK)
        return code;
    const nc_run_def def = {.path = path,
                            .overwrite = true,
                            .scene_text = text,
                            .scene_path = info.scene_path,
                            .title = info.title,
                            .timestep = session->timestep,
                            .steps_wanted = step,
                            .output_every = 1};
    nc_run *run = NULL;
    code = nc_run_create(&def, session->model, &run, err);
    return code == NC_OK ? nc_run_close(run, err) : code;
}

// Does the session's own file hold the state before the step, that step, and nothing else?
static bool is_dump_itself(nc_session *session, int64_t step)
{
    nc_run_info info;
    return nc_run_read_info(session->run, &info, NULL) == NC_OK && info.frame_count == 1 &&
           info.last_step == step - 1 && info.steps_wanted == step;
}

void nc_dump_step(nc_session *session)
{
    nc_session_dump *dump = &session->dump;
    if (session->step_is_done && session->before.size == 0)
        return; // what was before the step is not known
    session->dumped = true;
    if (go_back(session, &dump->err) != NC_OK)
        return;
    dump->step = nc_model_step_count(session->model) + 1;
    if (is_dump_itself(session, dump->step)) {
        snprintf(dump->path, sizeof dump->path, "%s", session->path);
    } else {
        name_dump(session, dump->step, dump->path, sizeof dump->path);
        (void)write_dump(session, dump->path, dump->step, &dump->err);
    }
}
