// Appending: each call is one transaction that is on the disk when it returns.
#include "run/run.h"

#include <string.h>

// NC_BAD_ARGUMENT for a run that was opened for reading.
static nc_code must_append(nc_run *run, nc_error *err)
{
    if (run->mode == NC_RUN_APPEND)
        return NC_OK;
    return nc_fail_at(err, NC_BAD_ARGUMENT, run->path, 0, 0, "it was opened for reading only");
}

// After a failure the file is as before, and what is in memory must be fetched again.
static nc_code end(nc_run *run, nc_code code, nc_error *err)
{
    code = nc_sql_end(run, code, err);
    if (code != NC_OK) {
        nc_registry_forget(run);
        nc_run_forget_first(run);
    }
    return code;
}

const nc_model_kind *nc_run_kind(nc_run *run)
{
    nc_row row;
    nc_run_head head;
    if (run->kind == NULL && nc_run_read_head(run, &row, &head, NULL) == NC_OK) {
        run->kind = nc_model_kind_of(head.pipeline);
        nc_row_close(&row);
    }
    return run->kind != NULL ? run->kind : nc_model_kind_of("");
}

// ---- frames -------------------------------------------------------------------------------------------------

static nc_code write_frame(nc_run *run, nc_model model, int64_t frame, nc_error *err)
{
    nc_run_frame content = {0};
    nc_code code = nc_run_gather(run, model, frame, &content, err);
    if (code == NC_OK)
        code = nc_run_write_frame(run, &content, err);
    nc_run_free_shapes(run, &content);
    return code;
}

static nc_code append_new(nc_run *run, nc_model model, const nc_model_report *reports, int report_count,
                          nc_run_progress progress, nc_error *err)
{
    const int64_t frame = progress.frame_count;
    nc_code code = nc_sql_begin(run, err);
    if (code != NC_OK)
        return code;
    code = nc_registry_update(run, model, &progress, err);
    if (code == NC_OK)
        code = write_frame(run, model, frame, err);
    if (code == NC_OK)
        code = nc_run_write_report(run, model, frame, reports, report_count, err);
    if (code == NC_OK)
        code = nc_run_write_clusters(run, model, frame, &progress, err);
    if (code == NC_OK)
        code = nc_run_write_joints(run, model, frame, err);
    if (code == NC_OK)
        code = nc_run_write_fractures(run, model, frame, progress.last_step, &progress, err);
    if (code == NC_OK)
        code = nc_run_write_records(run, frame, &progress, err);
    if (code == NC_OK && frame % run->checkpoint_every == 0)
        code = nc_run_write_checkpoint(run, model, frame, err);
    progress.frame_count = frame + 1;
    progress.last_step = nc_model_step_count(model);
    progress.finished = false;
    if (code == NC_OK)
        code = nc_run_write_progress(run, &progress, err);
    return end(run, code, err);
}

// The frame of a step; -1 when there is none.
static nc_code frame_of_step(nc_run *run, int64_t step, int64_t *out, nc_error *err)
{
    nc_row row;
    bool found = false;
    *out = -1;
    nc_code code = nc_row_open(run, NC_SQL_FRAME_OF_STEP, &row, err);
    if (code != NC_OK)
        return code;
    nc_row_bind(&row, step);
    code = nc_row_next(&row, &found, "looking for a frame", err);
    if (found)
        *out = nc_row_take_int(&row);
    nc_row_close(&row);
    return code;
}

// The stored frame of a step that was done again. The caller frees it, after a failure too.
static nc_code read_step(nc_run *run, int64_t step, nc_run_frame *out, nc_error *err)
{
    int64_t frame;
    const nc_code code = frame_of_step(run, step, &frame, err);
    if (code != NC_OK)
        return code;
    if (frame < 0)
        return nc_fail_at(err, NC_BAD_ARGUMENT, run->path, 0, 0,
                          "step %lld lies before the last frame, and no frame of that step is stored", (long long)step);
    return nc_run_read_frame(run, frame, out, err);
}

static nc_code differs(nc_run *run, const nc_run_frame *stored, const char *what, nc_error *err)
{
    return nc_fail_at(err, NC_BROKEN_PROMISE, run->path, 0, 0,
                      "step %lld was done again and came out different from frame %lld (%s)", (long long)stored->step,
                      (long long)stored->frame, what);
}

// A step that is done again must give the bits that are stored.
static nc_code compare(nc_run *run, const nc_run_frame *again, const nc_run_frame *stored, nc_error *err)
{
    if (again->pose_count != stored->pose_count)
        return differs(run, stored, "another number of bodies", err);
    if (again->hash != stored->hash)
        return differs(run, stored, "another state hash", err);
    if (nc_run_frame_sum(again) != nc_run_frame_sum(stored))
        return differs(run, stored, "other poses", err);
    return NC_OK;
}

static nc_code append_again(nc_run *run, nc_model model, nc_error *err)
{
    nc_run_frame stored = {0}, again = {0};
    nc_code code = read_step(run, nc_model_step_count(model), &stored, err);
    for (int i = 0; i < run->handles.count && code == NC_OK; i++)
        if (nc_registry_find(&run->registry, run->handles.data[i]) < 0)
            code = differs(run, &stored, "it has a body that is not in the file", err);
    if (code == NC_OK)
        code = nc_run_gather(run, model, stored.frame, &again, err);
    if (code == NC_OK)
        code = compare(run, &again, &stored, err);
    nc_run_frame_free(run, &stored);
    nc_run_free_shapes(run, &again);
    return code;
}

// Fails where the run was opened for reading, is of another kind of model, or the last report of another step.
static nc_code check_append(nc_run *run, nc_model model, int64_t reported, nc_error *err)
{
    const int64_t step = nc_model_step_count(model);
    const nc_code code = must_append(run, err);
    if (code == NC_OK && reported != step)
        return nc_fail_at(err, NC_BAD_ARGUMENT, run->path, 0, 0,
                          "the last report is of step %lld, but the world is at step %lld", (long long)reported,
                          (long long)step);
    if (code == NC_OK && model.kind != nc_run_kind(run))
        return nc_fail_at(err, NC_BAD_ARGUMENT, run->path, 0, 0, "it is no run of the pipeline %s",
                          nc_model_pipeline(model));
    return code;
}

nc_code nc_run_append(nc_run *run, nc_model model, const nc_model_report *reports, int report_count, nc_error *err)
{
    const int64_t step = nc_model_step_count(model);
    const int64_t reported = report_count > 0 ? reports[report_count - 1].common.step : step;
    nc_run_progress progress;
    nc_code code = check_append(run, model, reported, err);
    if (code == NC_OK)
        code = nc_run_read_progress(run, &progress, err);
    if (code == NC_OK)
        code = nc_registry_load(run, err);
    if (code == NC_OK)
        code = nc_run_list_bodies(run, model, err);
    if (code == NC_OK && report_count > 0 && run->recorded_step != step)
        code = nc_run_record_step(run, model, err);
    if (code != NC_OK)
        return code;
    const bool is_new = progress.frame_count == 0 || step > progress.last_step;
    code = is_new ? append_new(run, model, reports, report_count, progress, err) : append_again(run, model, err);
    if (code == NC_OK)
        nc_run_drop_records(run);
    return code;
}

// ---- the rest -----------------------------------------------------------------------------------------------

// Reads the progress, and fails unless the model is in the state of the last frame.
static nc_code must_be_at_end(nc_run *run, nc_model model, nc_run_progress *progress, nc_error *err)
{
    nc_run_frame last = {0};
    nc_code code = must_append(run, err);
    if (code == NC_OK)
        code = nc_run_read_progress(run, progress, err);
    if (code == NC_OK)
        code = nc_run_read_frame(run, progress->frame_count - 1, &last, err);
    if (code == NC_OK && (last.step != nc_model_step_count(model) || last.hash != nc_model_hash(model)))
        code = nc_fail_at(err, NC_BAD_ARGUMENT, run->path, 0, 0,
                          "a checkpoint is taken at the last frame (step %lld), but the world is at step %lld",
                          (long long)last.step, (long long)nc_model_step_count(model));
    nc_run_frame_free(run, &last);
    return code;
}

static nc_code checkpoint_now(nc_run *run, nc_model model, bool finish, nc_error *err)
{
    nc_run_progress progress;
    nc_code code = must_be_at_end(run, model, &progress, err);
    if (code == NC_OK)
        code = nc_sql_begin(run, err);
    if (code != NC_OK)
        return code;
    code = nc_run_write_checkpoint(run, model, progress.frame_count - 1, err);
    progress.finished = progress.finished || finish;
    if (code == NC_OK)
        code = nc_run_write_progress(run, &progress, err);
    return end(run, code, err);
}

nc_code nc_run_checkpoint(nc_run *run, nc_model model, nc_error *err)
{
    return checkpoint_now(run, model, false, err);
}

nc_code nc_run_finish(nc_run *run, nc_model model, nc_error *err)
{
    return checkpoint_now(run, model, true, err);
}

// Writes the run's row again. Its texts are borrowed from the statement that read it, and live in `texts` from then on.
static nc_code rewrite_head(nc_run *run, int64_t steps_wanted, nc_error *err)
{
    nc_row row;
    nc_run_head head;
    nc_code code = nc_run_read_head(run, &row, &head, err);
    if (code != NC_OK)
        return code;
    const char **const text[] = {&head.title, &head.scene_path, &head.scene, &head.pipeline};
    enum { TEXTS = sizeof text / sizeof *text };
    nc_buffer texts = nc_buffer_create(&run->allocator);
    size_t size[TEXTS], all = 0;
    bool copied = true;
    for (int k = 0; k < TEXTS; k++) {
        size[k] = strlen(*text[k]) + 1;
        all += size[k];
        copied = copied && nc_buffer_append(&texts, *text[k], size[k]);
    }
    nc_row_close(&row);
    const char *place = (const char *)texts.data;
    for (int k = 0; copied && k < TEXTS; k++, place += size[k - 1])
        *text[k] = place;
    head.steps_wanted = steps_wanted;
    code = copied ? nc_run_write_head(run, &head, err) : nc_fail_memory(err, all);
    nc_buffer_free(&texts);
    return code;
}

nc_code nc_run_extend(nc_run *run, int64_t steps_wanted, nc_error *err)
{
    nc_run_progress progress;
    nc_code code = must_append(run, err);
    if (code == NC_OK && steps_wanted < 0)
        code = nc_fail_at(err, NC_BAD_ARGUMENT, run->path, 0, 0, "steps_wanted is %lld, but must not be negative",
                          (long long)steps_wanted);
    if (code == NC_OK)
        code = nc_run_read_progress(run, &progress, err);
    if (code == NC_OK)
        code = nc_sql_begin(run, err);
    if (code != NC_OK)
        return code;
    progress.finished = progress.finished && steps_wanted > 0 && progress.last_step >= steps_wanted;
    code = rewrite_head(run, steps_wanted, err);
    if (code == NC_OK)
        code = nc_run_write_progress(run, &progress, err);
    return end(run, code, err);
}

static nc_code write_event(nc_run *run, int64_t id, int64_t step, const char *kind, const char *text, nc_error *err)
{
    nc_row row;
    const nc_code code = nc_row_open(run, NC_SQL_INSERT_EVENT, &row, err);
    if (code != NC_OK)
        return code;
    nc_row_put_int(&row, id);
    nc_row_put_int(&row, step);
    nc_row_put_text(&row, kind);
    nc_row_put_text(&row, text);
    return nc_row_write(&row, "storing an event", err);
}

nc_code nc_run_log(nc_run *run, int64_t step, const char *kind, const char *text, nc_error *err)
{
    nc_run_progress progress;
    nc_code code = must_append(run, err);
    if (code == NC_OK && (kind == NULL || text == NULL))
        code = nc_fail_at(err, NC_BAD_ARGUMENT, run->path, 0, 0, "an event needs a kind and a text");
    if (code == NC_OK)
        code = nc_run_read_progress(run, &progress, err);
    if (code == NC_OK)
        code = nc_sql_begin(run, err);
    if (code != NC_OK)
        return code;
    code = write_event(run, progress.event_count++, step, kind, text, err);
    if (code == NC_OK)
        code = nc_run_write_progress(run, &progress, err);
    return end(run, code, err);
}
