// A run file opened for reading, with its meshes and bodies at hand.
#include "reel/reel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Meshes of bodies that deform are rebuilt for every frame: the stored ones are kept beside them.
static nc_code keep_first(nc_reel *reel, nc_error *err)
{
    reel->first = nc_alloc(&reel->allocator, (size_t)reel->info.mesh_count + 1, sizeof(void *));
    if (reel->first == NULL)
        return nc_fail_memory(err, (size_t)reel->info.mesh_count * sizeof(void *));
    for (int i = 0; i < reel->info.mesh_count; i++)
        reel->first[i] = nc_mesh_retain(reel->meshes[i]);
    return NC_OK;
}

static nc_code read_tables(nc_reel *reel, nc_error *err)
{
    nc_code code = nc_run_read_info(reel->run, &reel->info, err);
    if (code != NC_OK)
        return code;
    reel->meshes = nc_alloc(&reel->allocator, (size_t)reel->info.mesh_count + 1, sizeof(void *));
    reel->bodies = nc_alloc(&reel->allocator, (size_t)reel->info.body_count + 1, sizeof *reel->bodies);
    if (reel->meshes == NULL || reel->bodies == NULL)
        return nc_fail_memory(err, (size_t)reel->info.body_count * sizeof *reel->bodies);
    for (int i = 0; i < reel->info.mesh_count && code == NC_OK; i++)
        code = nc_run_read_mesh(reel->run, i, &reel->meshes[i], err);
    bool deforms = false;
    for (int i = 0; i < reel->info.body_count && code == NC_OK; i++) {
        code = nc_run_read_body(reel->run, i, &reel->bodies[i], err);
        deforms = deforms || reel->bodies[i].deforms;
    }
    return code == NC_OK && deforms ? keep_first(reel, err) : code;
}

nc_code nc_reel_attach(nc_run *run, const nc_allocator *allocator, nc_reel *out, nc_error *err)
{
    *out = (nc_reel){.run = run, .allocator = nc_allocator_or_default(allocator)};
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
    code = nc_reel_attach(run, NULL, out, err);
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
    for (int i = 0; reel->first != NULL && i < reel->info.mesh_count; i++)
        nc_mesh_release(reel->first[i]);
    const size_t meshes = (size_t)reel->info.mesh_count + 1, bodies = (size_t)reel->info.body_count + 1;
    nc_free(&reel->allocator, reel->meshes, meshes, sizeof(void *));
    nc_free(&reel->allocator, reel->first, meshes, sizeof(void *));
    nc_free(&reel->allocator, reel->bodies, bodies, sizeof *reel->bodies);
    nc_free(&reel->allocator, reel->hidden, bodies, sizeof *reel->hidden);
    if (reel->owns_run)
        nc_run_close(reel->run, NULL);
    *reel = (nc_reel){0};
}

// ---- hiding -------------------------------------------------------------------------------------------------

nc_code nc_reel_hide(nc_reel *reel, const char *names, nc_error *err)
{
    const size_t bodies = (size_t)reel->info.body_count;
    if (reel->hidden == NULL)
        reel->hidden = nc_alloc(&reel->allocator, bodies + 1, sizeof *reel->hidden);
    if (reel->hidden == NULL)
        return nc_fail_memory(err, bodies);
    for (const char *name = names; *name != '\0';) {
        const size_t length = strcspn(name, ",");
        bool found = false;
        for (size_t i = 0; i < bodies; i++)
            if (strlen(reel->bodies[i].name) == length && strncmp(reel->bodies[i].name, name, length) == 0)
                reel->hidden[i] = found = true;
        if (!found)
            return nc_fail(err, NC_BAD_ARGUMENT, "there is no body \"%.*s\" to hide", (int)length, name);
        name += name[length] == ',' ? length + 1 : length;
    }
    return NC_OK;
}

bool nc_reel_hides(const nc_reel *reel, int body)
{
    return reel->hidden != NULL && reel->hidden[body];
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

// Coordinates that a mesh cannot have (docs/theory/arithmetic.md) are taken for 0.
static double tame(double c)
{
    return fabs(c) < NC_COORDINATE_MIN ? 0 : c;
}

nc_code nc_mesh_with_vertices(const nc_mesh *like, const nc_vec3 *vertices, const nc_allocator *allocator,
                              nc_mesh **out, nc_error *err)
{
    const nc_allocator from = nc_allocator_or_default(allocator);
    const nc_mesh_data data = nc_mesh_view(like);
    int(*edges)[2] = nc_alloc(&from, (size_t)data.edge_count + 1, sizeof *edges);
    if (edges == NULL)
        return nc_fail_memory(err, (size_t)data.edge_count * sizeof *edges);
    nc_mesh_def def = {.vertices = vertices,
                       .vertex_count = data.vertex_count,
                       .triangles = data.triangles,
                       .triangle_count = data.triangle_count,
                       .edges = (const int(*)[2])edges,
                       .points = data.points,
                       .point_count = data.point_count};
    for (int i = 0; i < data.edge_count; i++)
        if (data.edge_is_free[i])
            memcpy(edges[def.edge_count++], data.edges[i], sizeof edges[0]);
    const nc_code code = nc_mesh_create(&def, &from, out, err);
    nc_free(&from, edges, (size_t)data.edge_count + 1, sizeof *edges);
    return code;
}

// Puts a mesh with other vertices, rounded or not (NULL), in the place of *mesh.
static nc_code replace_mesh(const nc_reel *reel, nc_mesh **mesh, const nc_vec3 *from, const nc_rounding *how,
                            nc_error *err)
{
    const nc_mesh_data base = nc_mesh_view(*mesh);
    const int count = base.vertex_count;
    nc_vec3 *vertices = nc_alloc(&reel->allocator, (size_t)count + 1, sizeof *vertices);
    if (vertices == NULL)
        return nc_fail_memory(err, (size_t)count * sizeof *vertices);
    for (int i = 0; i < count; i++) {
        nc_vec3 v = how != NULL ? round_vec3(nc_sub(from[i], how->origin)) : from[i];
        if (how != NULL && how->morph) {
            const nc_vec3 first = round_vec3(base.vertices[i]);
            v = round_vec3(nc_add(first, round_vec3(nc_sub(v, first))));
        }
        vertices[i] = nc_v3(tame(v.x), tame(v.y), tame(v.z));
    }
    nc_mesh *made = NULL;
    const nc_code code = nc_mesh_with_vertices(*mesh, vertices, &reel->allocator, &made, err);
    if (code == NC_OK) {
        nc_mesh_release(*mesh);
        *mesh = made;
    }
    nc_free(&reel->allocator, vertices, (size_t)count + 1, sizeof *vertices);
    return code;
}

static nc_code round_mesh(const nc_reel *reel, nc_mesh **mesh, nc_error *err)
{
    const nc_rounding plain = {0};
    return replace_mesh(reel, mesh, nc_mesh_view(*mesh).vertices, &plain, err);
}

nc_code nc_reel_round(nc_reel *reel, const nc_rounding *rounding, nc_error *err)
{
    nc_code code = NC_OK;
    for (int i = 0; i < reel->info.mesh_count && code == NC_OK; i++)
        code = round_mesh(reel, &reel->meshes[i], err);
    reel->rounding = *rounding;
    reel->rounded = true;
    return code;
}

// ---- frames -------------------------------------------------------------------------------------------------

const nc_vec3 *nc_reel_shape(const nc_reel *reel, int body)
{
    for (int i = 0; i < reel->frame.shape_count; i++)
        if (reel->frame.shapes[i].body == body)
            return reel->frame.shapes[i].vertices;
    return reel->first != NULL ? nc_mesh_view(reel->first[reel->bodies[body].mesh]).vertices : NULL;
}

nc_vec3 nc_reel_place(const nc_reel *reel, const nc_run_pose *pose)
{
    const nc_run_body *body = &reel->bodies[pose->body];
    if (!body->deforms)
        return pose->pose.x;
    const nc_vec3 *vertices = nc_reel_shape(reel, pose->body);
    const int count = nc_mesh_view(reel->first[body->mesh]).vertex_count;
    nc_vec3 sum = {0, 0, 0};
    for (int i = 0; i < count; i++)
        sum = nc_add(sum, vertices[i]);
    return nc_scale(1.0 / count, sum);
}

// The meshes of the frame that was read.
static nc_code shape_meshes(nc_reel *reel, nc_error *err)
{
    nc_code code = NC_OK;
    for (int body = 0; body < reel->info.body_count && code == NC_OK; body++) {
        const int mesh = reel->bodies[body].mesh;
        if (!reel->bodies[body].deforms)
            continue;
        nc_mesh_release(reel->meshes[mesh]);
        reel->meshes[mesh] = nc_mesh_retain(reel->first[mesh]);
        code = replace_mesh(reel, &reel->meshes[mesh], nc_reel_shape(reel, body),
                            reel->rounded ? &reel->rounding : NULL, err);
    }
    return code;
}

nc_code nc_reel_seek(nc_reel *reel, int64_t frame, nc_error *err)
{
    nc_code code = nc_run_read_frame(reel->run, frame, &reel->frame, err);
    if (code == NC_OK && reel->first != NULL)
        code = shape_meshes(reel, err);
    for (int i = 0; code == NC_OK && reel->rounded && i < reel->frame.pose_count; i++) {
        nc_run_pose *pose = &reel->frame.poses[i];
        const bool moving = reel->bodies[pose->body].type != NC_STATIC;
        if (reel->bodies[pose->body].deforms)
            continue; // rounded vertex by vertex
        if (reel->rounding.poses == NC_ROUND_ALL || (moving && reel->rounding.poses == NC_ROUND_MOVING))
            pose->pose = round_pose(pose->pose, reel->rounding.origin);
    }
    return code;
}

// ---- contacts -----------------------------------------------------------------------------------------------

nc_code nc_reel_contacts(nc_reel *reel, int64_t frame, nc_run_contact **out, int *out_count, nc_error *err)
{
    int count = 0;
    *out = NULL;
    *out_count = 0;
    nc_code code = nc_run_read_contacts(reel->run, frame, NULL, 0, &count, err);
    if (code != NC_OK || count == 0)
        return code;
    nc_run_contact *found = nc_alloc(&reel->allocator, (size_t)count, sizeof *found);
    if (found == NULL)
        return nc_fail_memory(err, (size_t)count * sizeof *found);
    *out_count = count;
    code = nc_run_read_contacts(reel->run, frame, found, count, &count, err);
    *out = found;
    return code;
}

nc_code nc_reel_accelerations(nc_reel *reel, int64_t frame, nc_run_acceleration **out, int *out_count, nc_error *err)
{
    int count = 0;
    *out = NULL;
    *out_count = 0;
    nc_code code = nc_run_read_accelerations(reel->run, frame, NULL, 0, &count, err);
    if (code != NC_OK || count == 0)
        return code;
    nc_run_acceleration *found = nc_alloc(&reel->allocator, (size_t)count, sizeof *found);
    if (found == NULL)
        return nc_fail_memory(err, (size_t)count * sizeof *found);
    *out_count = count;
    code = nc_run_read_accelerations(reel->run, frame, found, count, &count, err);
    *out = found;
    return code;
}

nc_code nc_reel_forces(nc_reel *reel, int64_t frame, nc_run_force **out, int *out_count, nc_error *err)
{
    int count = 0;
    *out = NULL;
    *out_count = 0;
    nc_code code = nc_run_read_forces(reel->run, frame, NULL, 0, &count, err);
    if (code != NC_OK || count == 0)
        return code;
    nc_run_force *found = nc_alloc(&reel->allocator, (size_t)count, sizeof *found);
    if (found == NULL)
        return nc_fail_memory(err, (size_t)count * sizeof *found);
    *out_count = count;
    code = nc_run_read_forces(reel->run, frame, found, count, &count, err);
    *out = found;
    return code;
}

// A run without a checkpoint (none is made so) has the defaults.
nc_world_def nc_run_world_settings(nc_run *run)
{
    nc_model model;
    nc_world_def settings = nc_world_def_default();
    if (nc_run_restore(run, 1, &model, NULL) == NC_OK)
        settings = nc_world_settings(nc_model_world(model));
    nc_model_destroy(model);
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

nc_code nc_reel_joints(nc_reel *reel, int64_t frame, nc_run_joint **out, int *out_count, nc_error *err)
{
    int count = 0;
    *out = NULL;
    *out_count = 0;
    nc_code code = nc_run_read_joints(reel->run, frame, NULL, 0, &count, err);
    if (code != NC_OK || count == 0)
        return code;
    *out = nc_alloc(&reel->allocator, (size_t)count, sizeof **out);
    if (*out == NULL)
        return nc_fail_memory(err, (size_t)count * sizeof **out);
    *out_count = count;
    return nc_run_read_joints(reel->run, frame, *out, count, &count, err);
}
