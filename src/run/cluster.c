// Which bodies were joined in the step that led to a frame (nc_body_cluster). Most frames have none of these rows.
#include "run/run.h"

static nc_code write_member(nc_run *run, int64_t frame, int body, int cluster, nc_error *err)
{
    nc_row row;
    const nc_code code = nc_row_open(run, NC_SQL_INSERT_CLUSTER, &row, err);
    if (code != NC_OK)
        return code;
    nc_row_put_int(&row, frame);
    nc_row_put_int(&row, body);
    nc_row_put_int(&row, cluster);
    return nc_row_write(&row, "storing a cluster", err);
}

nc_code nc_run_write_clusters(nc_run *run, nc_model model, int64_t frame, nc_run_progress *progress, nc_error *err)
{
    nc_code code = NC_OK;
    for (int i = 0; i < run->handles.count && code == NC_OK; i++) {
        const nc_body_id first = nc_model_cluster(model, run->handles.data[i]);
        if (first.generation == 0)
            continue;
        const int body = nc_registry_find(&run->registry, run->handles.data[i]);
        const int cluster = nc_registry_find(&run->registry, first);
        NC_ASSERT(body >= 0 && cluster >= 0);
        code = write_member(run, frame, body, cluster, err);
        progress->cluster_count++;
    }
    return code;
}

nc_code nc_run_read_clusters(nc_run *run, int64_t frame, nc_run_member *out, int capacity, int *out_count,
                             nc_error *err)
{
    nc_row row;
    bool found = true;
    *out_count = 0;
    nc_code code = nc_row_open(run, NC_SQL_SELECT_CLUSTERS, &row, err);
    if (code != NC_OK)
        return code;
    nc_row_bind(&row, frame);
    while (code == NC_OK) {
        code = nc_row_next(&row, &found, "reading clusters", err);
        if (code != NC_OK || !found)
            return code;
        (void)nc_row_take_int(&row);
        const int64_t body = nc_row_take_int(&row), cluster = nc_row_take_int(&row);
        row.bad = row.bad || body < 0 || body > INT_MAX || cluster < 0 || cluster > INT_MAX;
        code = nc_row_check(&row, "cluster of frame", frame, err);
        if (code == NC_OK && *out_count < capacity)
            out[*out_count] = (nc_run_member){(int)body, (int)cluster};
        *out_count += code == NC_OK;
    }
    nc_row_close(&row);
    return code;
}
