// Checkpoints: the whole state of a model, packed by zstd, from which a run resumes to the same bits.
#include "run/run.h"

#include <string.h>

static nc_code write_row(nc_run *run, const int64_t stamp[3], const char *packing, size_t size, const nc_buffer *bytes,
                         nc_error *err)
{
    nc_row row;
    const nc_code code = nc_row_open(run, NC_SQL_REPLACE_CHECKPOINT, &row, err);
    if (code != NC_OK)
        return code;
    for (int i = 0; i < 3; i++)
        nc_row_put_int(&row, stamp[i]);
    nc_row_put_text(&row, packing);
    nc_row_put_int(&row, (int64_t)size);
    nc_row_put_blob(&row, bytes->data, bytes->size);
    return nc_row_write(&row, "storing a checkpoint", err);
}

// The last two are kept, so that one can be damaged.
static nc_code delete_old(nc_run *run, nc_error *err)
{
    nc_row row;
    bool found;
    const nc_code code = nc_row_open(run, NC_SQL_DELETE_CHECKPOINTS, &row, err);
    return code == NC_OK ? nc_row_next(&row, &found, "dropping old checkpoints", err) : code;
}

nc_code nc_run_write_checkpoint(nc_run *run, nc_model model, int64_t frame, nc_error *err)
{
    const int64_t stamp[3] = {nc_model_step_count(model), frame, nc_model_mesh_count(model)};
    nc_buffer state = nc_buffer_create(&run->allocator), packed = nc_buffer_create(&run->allocator);
    nc_code code = nc_model_save(model, &state, err);
    const char *packing = code == NC_OK ? nc_run_pack(state.data, state.size, &packed) : NULL;
    if (code == NC_OK)
        code = packing != NULL ? write_row(run, stamp, packing, state.size, &packed, err)
                               : nc_fail_memory(err, state.size);
    nc_buffer_free(&packed);
    nc_buffer_free(&state);
    return code == NC_OK ? delete_old(run, err) : code;
}

// ---- reading ------------------------------------------------------------------------------------------------

typedef struct checkpoint {
    int64_t step, frame, meshes;
    nc_buffer state; // unpacked
} checkpoint;

static nc_code damaged(nc_run *run, int64_t step, nc_error *err)
{
    return nc_fail_at(err, NC_BAD_FILE, run->path, 0, 0, "the checkpoint of step %lld is damaged", (long long)step);
}

// Takes and unpacks the row that `row` stands on. The buffer is freed by the caller, also on error.
static nc_code take_checkpoint(nc_row *row, checkpoint *out, nc_error *err)
{
    out->step = nc_row_take_int(row);
    out->frame = nc_row_take_int(row);
    out->meshes = nc_row_take_int(row);
    const char *packing = nc_row_take_text(row);
    const int64_t size = nc_row_take_int(row);
    size_t byte_count;
    const void *bytes = nc_row_take_blob(row, &byte_count);
    row->bad = row->bad || out->meshes < 0 || out->meshes > INT_MAX;
    const nc_code code = nc_row_check(row, "the checkpoint of step", out->step, err);
    if (code != NC_OK)
        return code;
    const nc_code unpacked = nc_run_unpack(packing, bytes, byte_count, size, &out->state);
    return unpacked == NC_OUT_OF_MEMORY ? nc_fail_memory(err, (size_t)size)
           : unpacked != NC_OK          ? damaged(row->run, out->step, err)
                                        : NC_OK;
}

// The newest checkpoint that is whole. NC_BAD_FILE when there is none.
static nc_code find_checkpoint(nc_run *run, checkpoint *out, nc_error *err)
{
    nc_row row;
    bool found;
    nc_code worst = NC_OK;
    nc_code code = nc_row_open(run, NC_SQL_SELECT_CHECKPOINTS, &row, err);
    while (code == NC_OK) {
        code = nc_row_next(&row, &found, "reading a checkpoint", err);
        if (code == NC_OK && !found)
            code = worst != NC_OK ? worst : nc_fail_at(err, NC_BAD_FILE, run->path, 0, 0, "it has no checkpoint");
        if (code != NC_OK)
            break;
        const nc_code taken = take_checkpoint(&row, out, err);
        if (taken == NC_OK)
            break;
        nc_buffer_free(&out->state);
        if (taken == NC_BAD_FILE)
            worst = taken;
        else
            code = taken;
    }
    nc_row_close(&row);
    return code;
}

// Meshes that the model has not yet.
static nc_code add_meshes(nc_run *run, nc_model model, int64_t count, nc_error *err)
{
    nc_code code = NC_OK;
    for (int64_t row = nc_model_mesh_count(model); row < count && code == NC_OK; row++) {
        nc_mesh *mesh = NULL;
        code = nc_run_read_mesh(run, (int)row, &mesh, err);
        if (code == NC_OK)
            code = nc_model_add_mesh(model, mesh, err);
        nc_mesh_release(mesh);
    }
    return code;
}

// A restored model must be the one that was saved.
static nc_code compare_with_frame(nc_run *run, nc_model model, int64_t frame, nc_error *err)
{
    nc_run_frame stored = {0};
    nc_code code = nc_run_read_frame(run, frame, &stored, err);
    if (code == NC_OK && (stored.hash != nc_model_hash(model) || stored.step != nc_model_step_count(model)))
        code = nc_fail_at(err, NC_BROKEN_PROMISE, run->path, 0, 0,
                          "the checkpoint of step %lld restores to another state than the frame of that step has",
                          (long long)stored.step);
    nc_run_frame_free(run, &stored);
    return code;
}

nc_code nc_run_restore_into(nc_run *run, nc_model model, nc_error *err)
{
    checkpoint from = {.state = nc_buffer_create(&run->allocator)};
    nc_code code = find_checkpoint(run, &from, err);
    if (code == NC_OK)
        code = add_meshes(run, model, from.meshes, err);
    if (code == NC_OK)
        code = nc_model_restore(model, from.state.data, from.state.size, err);
    if (code == NC_OK)
        code = compare_with_frame(run, model, from.frame, err);
    if (code == NC_OK)
        code = nc_run_restore_appearances(run, model, err);
    nc_buffer_free(&from.state);
    return code;
}

nc_code nc_run_restore(nc_run *run, int workers, nc_model *out, nc_error *err)
{
    const nc_model_kind *kind = nc_run_kind(run);
    *out = (nc_model){NULL, NULL};
    if (kind->create == NULL)
        return nc_fail_at(err, NC_UNSUPPORTED, run->path, 0, 0,
                          "its checkpoints leave out what the scene says: build that first, then restore into it");
    nc_model model;
    nc_code code = nc_model_create(kind, workers, &run->allocator, &model, err);
    if (code == NC_OK)
        code = nc_run_restore_into(run, model, err);
    if (code != NC_OK) {
        nc_model_destroy(model);
        return code;
    }
    *out = model;
    return NC_OK;
}

nc_code nc_run_verify_checkpoints(nc_run *run, nc_error *err)
{
    nc_row row;
    bool found = true;
    int count = 0;
    nc_code code = nc_row_open(run, NC_SQL_SELECT_CHECKPOINTS, &row, err);
    while (code == NC_OK) {
        code = nc_row_next(&row, &found, "reading a checkpoint", err);
        if (code != NC_OK || !found)
            break;
        checkpoint each = {.state = nc_buffer_create(&run->allocator)};
        code = take_checkpoint(&row, &each, err);
        nc_buffer_free(&each.state);
        count++;
    }
    nc_row_close(&row);
    if (code == NC_OK && count == 0)
        code = nc_fail_at(err, NC_BAD_FILE, run->path, 0, 0, "it is damaged: it has no checkpoint");
    return code;
}
