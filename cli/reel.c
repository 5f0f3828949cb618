// A run file opened for reading, with its meshes and bodies at hand.
#include "reel.h"

#include <stdlib.h>

static nc_code read_tables(nc_reel *reel, nc_error *err)
{
    nc_code code = nc_run_read_info(reel->run, &reel->info, err);
    if (code != NC_OK)
        return code;
    reel->meshes = calloc((size_t)reel->info.mesh_count + 1, sizeof(void *));
    reel->bodies = calloc((size_t)reel->info.body_count + 1, sizeof *reel->bodies);
    if (reel->meshes == NULL || reel->bodies == NULL)
        return nc_fail_memory(err, (size_t)reel->info.body_count * sizeof *reel->bodies);
    for (int i = 0; i < reel->info.mesh_count && code == NC_OK; i++)
        code = nc_run_read_mesh(reel->run, i, &reel->meshes[i], err);
    for (int i = 0; i < reel->info.body_count && code == NC_OK; i++)
        code = nc_run_read_body(reel->run, i, &reel->bodies[i], err);
    return code;
}

nc_code nc_reel_attach(nc_run *run, nc_reel *out, nc_error *err)
{
    *out = (nc_reel){.run = run};
    const nc_code code = read_tables(out, err);
    if (code != NC_OK)
        nc_reel_close(out);
    return code;
}

nc_code nc_reel_open(const char *path, nc_reel *out, nc_error *err)
{
    nc_run *run = NULL;
    *out = (nc_reel){0};
    nc_code code = nc_run_open(path, NC_RUN_READ, NULL, &run, err);
    if (code != NC_OK)
        return code;
    code = nc_reel_attach(run, out, err);
    if (code != NC_OK)
        nc_run_close(run, NULL);
    else
        out->owns_run = true;
    return code;
}

void nc_reel_close(nc_reel *reel)
{
    if (reel->run != NULL)
        nc_run_frame_free(reel->run, &reel->frame);
    for (int i = 0; reel->meshes != NULL && i < reel->info.mesh_count; i++)
        nc_mesh_release(reel->meshes[i]);
    free(reel->meshes);
    free(reel->bodies);
    if (reel->owns_run)
        nc_run_close(reel->run, NULL);
    *reel = (nc_reel){0};
}

nc_code nc_reel_seek(nc_reel *reel, int64_t frame, nc_error *err)
{
    return nc_run_read_frame(reel->run, frame, &reel->frame, err);
}

const char *nc_reel_body_name(const nc_reel *reel, int body, char *out, size_t out_size)
{
    if (body < 0 || body >= reel->info.body_count || reel->bodies[body].name[0] == '\0')
        snprintf(out, out_size, "body %d", body);
    else
        snprintf(out, out_size, "%s", reel->bodies[body].name);
    return out;
}
