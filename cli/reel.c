// A run file opened for reading, with its meshes and bodies at hand.
#include "reel.h"

#include <stdlib.h>
#include <string.h>

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

// ---- rounding -----------------------------------------------------------------------------------------------

static nc_vec3 round_vec3(nc_vec3 v)
{
    return nc_v3((float)v.x, (float)v.y, (float)v.z);
}

static nc_pose round_pose(nc_pose pose, nc_vec3 origin)
{
    const nc_quat q = nc_quat_normalize(pose.q);
    const nc_pose rounded = {round_vec3(nc_sub(pose.x, origin)), {(float)q.w, (float)q.x, (float)q.y, (float)q.z}};
    return rounded;
}

static nc_code round_mesh(nc_mesh **mesh, nc_error *err)
{
    const nc_mesh_data data = nc_mesh_view(*mesh);
    nc_vec3 *vertices = calloc((size_t)data.vertex_count + 1, sizeof *vertices);
    int(*edges)[2] = calloc((size_t)data.edge_count + 1, sizeof *edges);
    nc_code code =
        vertices != NULL && edges != NULL ? NC_OK : nc_fail_memory(err, (size_t)data.vertex_count * sizeof *vertices);
    nc_mesh_def def = {.vertices = vertices,
                       .vertex_count = data.vertex_count,
                       .triangles = data.triangles,
                       .triangle_count = data.triangle_count,
                       .edges = (const int(*)[2])edges,
                       .points = data.points,
                       .point_count = data.point_count};
    for (int i = 0; i < data.vertex_count && code == NC_OK; i++)
        vertices[i] = round_vec3(data.vertices[i]);
    for (int i = 0; i < data.edge_count && code == NC_OK; i++)
        if (data.edge_is_free[i])
            memcpy(edges[def.edge_count++], data.edges[i], sizeof edges[0]);
    nc_mesh *rounded = NULL;
    if (code == NC_OK)
        code = nc_mesh_create(&def, NULL, &rounded, err);
    if (code == NC_OK) {
        nc_mesh_release(*mesh);
        *mesh = rounded;
    }
    free(vertices);
    free(edges);
    return code;
}

nc_code nc_reel_round(nc_reel *reel, const nc_rounding *rounding, nc_error *err)
{
    nc_code code = NC_OK;
    for (int i = 0; i < reel->info.mesh_count && code == NC_OK; i++)
        code = round_mesh(&reel->meshes[i], err);
    reel->rounding = *rounding;
    reel->rounded = true;
    return code;
}

// ---- frames -------------------------------------------------------------------------------------------------

nc_code nc_reel_seek(nc_reel *reel, int64_t frame, nc_error *err)
{
    const nc_code code = nc_run_read_frame(reel->run, frame, &reel->frame, err);
    for (int i = 0; code == NC_OK && reel->rounded && i < reel->frame.pose_count; i++) {
        nc_run_pose *pose = &reel->frame.poses[i];
        const bool moving = reel->bodies[pose->body].type != NC_STATIC;
        if (reel->rounding.poses == NC_ROUND_ALL || (moving && reel->rounding.poses == NC_ROUND_MOVING))
            pose->pose = round_pose(pose->pose, reel->rounding.origin);
    }
    return code;
}

// A run without a checkpoint (none is made so) has the defaults.
nc_world_def nc_run_world_settings(nc_run *run)
{
    nc_world *world = NULL;
    nc_world_def settings = nc_world_def_default();
    if (nc_run_restore(run, 1, &world, NULL) == NC_OK)
        settings = nc_world_settings(world);
    nc_world_destroy(world);
    return settings;
}

const char *nc_reel_body_name(const nc_reel *reel, int body, char *out, size_t out_size)
{
    if (body < 0 || body >= reel->info.body_count || reel->bodies[body].name[0] == '\0')
        snprintf(out, out_size, "body %d", body);
    else
        snprintf(out, out_size, "%s", reel->bodies[body].name);
    return out;
}
