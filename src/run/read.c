// Reading what a run is: its head, its scene, its events, its size.
#include "run/run.h"

#include <string.h>
#include <sys/stat.h>

void nc_run_copy_text(char *out, size_t out_size, const char *text)
{
    size_t size = strlen(text);
    if (size >= out_size)
        for (size = out_size - 1; size > 0 && ((unsigned char)text[size] & 0xc0) == 0x80;)
            size--;
    memcpy(out, text, size);
    out[size] = '\0';
}

static int64_t size_of(const char *path, const char *suffix)
{
    char name[PATH_MAX];
    struct stat status;
    return nc_run_sibling(path, suffix, name) && stat(name, &status) == 0 ? (int64_t)status.st_size : 0;
}

static nc_code read_head_info(nc_run *run, nc_run_info *out, nc_error *err)
{
    nc_row row;
    nc_run_head head;
    const nc_code code = nc_run_read_head(run, &row, &head, err);
    if (code != NC_OK)
        return code;
    nc_run_copy_text(out->title, sizeof out->title, head.title);
    nc_run_copy_text(out->scene_path, sizeof out->scene_path, head.scene_path);
    out->timestep = head.timestep;
    out->steps_wanted = head.steps_wanted;
    out->output_every = (int)head.output_every;
    out->store = (unsigned)head.store;
    nc_run_copy_text(out->pipeline, sizeof out->pipeline, head.pipeline);
    const nc_model_kind *kind = nc_model_kind_of(head.pipeline);
    out->needs_scene = kind->create == NULL;
    out->deforms = kind->deforms;
    out->has_cloth = kind->has_cloth;
    nc_row_close(&row);
    return NC_OK;
}

static nc_code read_counts(nc_run *run, nc_run_info *out, nc_error *err)
{
    nc_run_progress progress;
    int64_t version = 0;
    nc_code code = nc_run_read_progress(run, &progress, err);
    if (code == NC_OK)
        code = nc_sql_query_int(run, "select coalesce(max(step), -1) from checkpoint", &out->checkpoint_step, err);
    if (code == NC_OK)
        code = nc_sql_query_int(run, "pragma user_version", &version, err);
    if (code != NC_OK)
        return code;
    out->format_version = (int)version;
    out->frame_count = progress.frame_count;
    out->last_step = progress.last_step;
    out->finished = progress.finished;
    out->body_count = (int)progress.body_count;
    out->mesh_count = (int)progress.mesh_count;
    out->event_count = progress.event_count;
    out->fracture_count = progress.fracture_count;
    out->contact_count = progress.contact_count;
    out->path_count = progress.path_count;
    return NC_OK;
}

nc_code nc_run_read_info(nc_run *run, nc_run_info *out, nc_error *err)
{
    memset(out, 0, sizeof *out);
    // One read transaction, so that the numbers are of one moment.
    nc_code code = nc_sql_exec(run, "begin", "reading", err);
    if (code != NC_OK)
        return code;
    code = read_head_info(run, out, err);
    if (code == NC_OK)
        code = read_counts(run, out, err);
    out->file_size = size_of(run->path, "") + size_of(run->path, "-wal");
    return nc_sql_end(run, code, err);
}

nc_code nc_run_scene_text(nc_run *run, const char **out, nc_error *err)
{
    nc_row row;
    nc_run_head head;
    if (run->scene == NULL) {
        const nc_code code = nc_run_read_head(run, &row, &head, err);
        if (code != NC_OK)
            return code;
        run->scene_size = strlen(head.scene) + 1;
        run->scene = nc_alloc(&run->allocator, run->scene_size, 1);
        if (run->scene != NULL)
            memcpy(run->scene, head.scene, run->scene_size);
        nc_row_close(&row);
        if (run->scene == NULL)
            return nc_fail_memory(err, run->scene_size);
    }
    *out = run->scene;
    return NC_OK;
}

nc_code nc_run_read_event(nc_run *run, int64_t event, nc_run_event *out, nc_error *err)
{
    nc_row row;
    bool found;
    nc_code code = nc_row_open(run, NC_SQL_SELECT_EVENT, &row, err);
    if (code != NC_OK)
        return code;
    nc_row_bind(&row, event);
    code = nc_row_next(&row, &found, "reading an event", err);
    if (code != NC_OK)
        return code;
    if (!found)
        return nc_fail_at(err, NC_NOT_FOUND, run->path, 0, 0, "it has no event %lld", (long long)event);
    (void)nc_row_take_int(&row);
    out->step = nc_row_take_int(&row);
    nc_run_copy_text(out->kind, sizeof out->kind, nc_row_take_text(&row));
    nc_run_copy_text(out->text, sizeof out->text, nc_row_take_text(&row));
    code = nc_row_check(&row, "event", event, err);
    nc_row_close(&row);
    return code;
}

static int64_t mesh_size(nc_model model, int row)
{
    const nc_allocator allocator = nc_allocator_default();
    nc_mesh *mesh = NULL;
    if (nc_model_make_mesh(model, row, &allocator, &mesh, NULL) != NC_OK)
        return 0;
    const nc_mesh_data data = nc_mesh_view(mesh);
    const int64_t size =
        24 * (int64_t)data.vertex_count + 12 * (int64_t)data.triangle_count + 8 * (int64_t)data.edge_count + 100;
    nc_mesh_release(mesh);
    return size;
}

// The constants were measured: docs/run-file.md.
int64_t nc_run_estimate_size(nc_model model, int64_t frames)
{
    const int64_t bodies = nc_model_body_count(model);
    int64_t size = 80 * 1024 + bodies * 100;
    for (int i = 0; i < nc_model_mesh_count(model); i++)
        size += mesh_size(model, i);
    const int64_t vertices = nc_model_moving_vertices(model);
    return size + 3 * (bodies * 250 + vertices * 64) + frames * (bodies * 146 + vertices * 24 + 340);
}
