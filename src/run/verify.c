// Reading everything there is, to find damage.
#include "run/run.h"

#include <string.h>

static nc_code count_rows(nc_run *run, const char *sql, const char *what, int64_t wanted, nc_error *err)
{
    int64_t count = 0;
    const nc_code code = nc_sql_query_int(run, sql, &count, err);
    if (code != NC_OK || count == wanted)
        return code;
    return nc_fail_at(err, NC_BAD_FILE, run->path, 0, 0, "it is damaged: it has %lld %s, but should have %lld",
                      (long long)count, what, (long long)wanted);
}

static nc_code verify_counts(nc_run *run, const nc_run_progress *progress, nc_error *err)
{
    nc_code code = count_rows(run, "select count(*) from mesh", "meshes", progress->mesh_count, err);
    if (code == NC_OK)
        code = count_rows(run, "select count(*) from body", "bodies", progress->body_count, err);
    if (code == NC_OK)
        code = count_rows(run, "select count(*) from exempt", "exempt pairs", progress->exempt_count, err);
    if (code == NC_OK)
        code = count_rows(run, "select count(*) from frame", "frames", progress->frame_count, err);
    if (code == NC_OK)
        code = count_rows(run, "select count(*) from report", "reports", progress->frame_count, err);
    if (code == NC_OK)
        code = count_rows(run, "select count(*) from event", "events", progress->event_count, err);
    if (code == NC_OK)
        code = count_rows(run, "select count(*) from cluster", "rows of clusters", progress->cluster_count, err);
    if (code == NC_OK)
        code = count_rows(run, "select count(*) from fracture", "fractures", progress->fracture_count, err);
    if (code == NC_OK)
        code = count_rows(run, "select count(*) from piece", "pieces", progress->piece_count, err);
    if (code == NC_OK)
        code = count_rows(run, "select count(*) from contact", "contacts", progress->contact_count, err);
    if (code == NC_OK)
        code = count_rows(run, "select count(*) from path", "segments of paths", progress->path_count, err);
    return code;
}

static nc_code verify_meshes(nc_run *run, int64_t count, nc_error *err)
{
    nc_code code = NC_OK;
    for (int64_t row = 0; row < count && code == NC_OK; row++) {
        nc_mesh *mesh = NULL;
        code = nc_run_read_mesh(run, (int)row, &mesh, err);
        nc_mesh_release(mesh);
    }
    return code;
}

static nc_code verify_frames(nc_run *run, int64_t count, nc_error *err)
{
    nc_run_frame frame = {0};
    nc_model_report report;
    nc_code code = NC_OK;
    int64_t step = -1;
    for (int64_t i = 0; i < count && code == NC_OK; i++) {
        code = nc_run_read_frame(run, i, &frame, err);
        if (code == NC_OK)
            code = nc_run_read_report(run, i, &report, err);
        int members = 0;
        if (code == NC_OK)
            code = nc_run_read_clusters(run, i, NULL, 0, &members, err);
        if (code == NC_OK)
            code = nc_run_read_contacts(run, i, NULL, 0, &members, err);
        for (int64_t s = step + 1; code == NC_OK && s <= frame.step; s++)
            code = nc_run_read_paths(run, s, NULL, 0, &members, err);
        if (code == NC_OK && frame.step <= step)
            code = nc_fail_at(err, NC_BAD_FILE, run->path, 0, 0, "it is damaged: frame %lld is out of order",
                              (long long)i);
        step = frame.step;
    }
    nc_run_frame_free(run, &frame);
    return code;
}

static nc_code verify_events(nc_run *run, int64_t count, nc_error *err)
{
    nc_run_event event;
    nc_code code = NC_OK;
    for (int64_t i = 0; i < count && code == NC_OK; i++)
        code = nc_run_read_event(run, i, &event, err);
    return code;
}

static nc_code verify_fractures(nc_run *run, int64_t count, nc_error *err)
{
    nc_run_fracture fracture;
    nc_code code = NC_OK;
    int pieces = 0;
    for (int64_t i = 0; i < count && code == NC_OK; i++) {
        code = nc_run_read_fracture(run, i, &fracture, err);
        if (code == NC_OK)
            code = nc_run_read_pieces(run, i, NULL, 0, &pieces, err);
    }
    return code;
}

static nc_code verify_structure(nc_run *run, nc_error *err)
{
    char answer[256];
    const nc_code code = nc_sql_query_text(run, "pragma integrity_check(1)", answer, sizeof answer, err);
    if (code != NC_OK || strcmp(answer, "ok") == 0)
        return code;
    return nc_fail_at(err, NC_BAD_FILE, run->path, 0, 0, "it is damaged: %s", answer);
}

static nc_code verify_rows(nc_run *run, nc_error *err)
{
    nc_run_progress progress;
    nc_run_head head;
    nc_row row;
    nc_code code = nc_run_read_head(run, &row, &head, err);
    nc_row_close(&row);
    if (code == NC_OK)
        code = nc_run_read_progress(run, &progress, err);
    if (code == NC_OK)
        code = verify_counts(run, &progress, err);
    nc_registry_forget(run);
    if (code == NC_OK)
        code = nc_registry_load(run, err);
    if (code == NC_OK)
        code = nc_run_each_appearance(run, NULL, NULL, err);
    if (code == NC_OK)
        code = verify_meshes(run, progress.mesh_count, err);
    if (code == NC_OK)
        code = verify_frames(run, progress.frame_count, err);
    if (code == NC_OK)
        code = verify_events(run, progress.event_count, err);
    if (code == NC_OK)
        code = verify_fractures(run, progress.fracture_count, err);
    return code == NC_OK ? nc_run_verify_checkpoints(run, err) : code;
}

nc_code nc_run_verify(nc_run *run, nc_error *err)
{
    nc_run_pages_close(run); // what SQL reads is judged
    // One read transaction: a writer may continue meanwhile.
    nc_code code = nc_sql_exec(run, "begin", "reading", err);
    if (code != NC_OK)
        return code;
    code = verify_structure(run, err);
    if (code == NC_OK)
        code = verify_rows(run, err);
    run->pages.off = false;
    return nc_sql_end(run, code, err);
}
