// Bodies of type cloth: material, vertices that are held or pulled, and what a scene of cloth cannot have.
#include "scene/description.h"

#include <math.h>
#include <string.h>

// ---- chosen vertices ----------------------------------------------------------------------------------------

static nc_code choose_by_number(nc_scene *scene, const nc_node *list, int vertex_count, const int **out, int *out_count,
                                nc_error *err)
{
    if (list->count == 0)
        return nc_node_fail(err, list, "found an empty list; allowed: at least one vertex");
    int *rows = nc_pool_take(&scene->pool, (size_t)list->count, sizeof *rows), count = 0;
    if (rows == NULL)
        return nc_fail_memory(err, (size_t)list->count * sizeof *rows);
    for (const nc_node *node = list->first; node != NULL; node = node->next) {
        double value;
        if (!nc_number_parse(node->text, &value) || value != floor(value) || value < 0 || value >= vertex_count)
            return nc_node_fail(err, node, "found \"%.40s\"; allowed: a whole number from 0 to %d", node->text,
                                vertex_count - 1);
        rows[count++] = (int)value;
    }
    *out = rows;
    *out_count = count;
    return NC_OK;
}

static nc_code choose_by_box(nc_scene *scene, const nc_hold_keys *keys, const nc_mesh_data *mesh, const int **out,
                             int *out_count, nc_error *err)
{
    int *rows = nc_pool_take(&scene->pool, (size_t)mesh->vertex_count, sizeof *rows), count = 0;
    if (rows == NULL)
        return nc_fail_memory(err, (size_t)mesh->vertex_count * sizeof *rows);
    for (int i = 0; i < mesh->vertex_count; i++) {
        const nc_vec3 v = mesh->vertices[i], low = keys->low, high = keys->high;
        if (v.x >= low.x && v.x <= high.x && v.y >= low.y && v.y <= high.y && v.z >= low.z && v.z <= high.z)
            rows[count++] = i;
    }
    if (count == 0)
        return nc_node_fail(err, keys->node,
                            "no vertex of the mesh is in this box: it goes from (%g, %g, %g) to (%g, "
                            "%g, %g)",
                            mesh->box.lo.x, mesh->box.lo.y, mesh->box.lo.z, mesh->box.hi.x, mesh->box.hi.y,
                            mesh->box.hi.z);
    *out = rows;
    *out_count = count;
    return NC_OK;
}

// NULL and all of them when nothing is chosen.
static nc_code choose(nc_scene *scene, const nc_hold_keys *keys, const nc_mesh_data *mesh, const int **out,
                      int *out_count, nc_error *err)
{
    const bool low = !isnan(keys->low.x), high = !isnan(keys->high.x);
    if (low != high || (low && keys->vertices != NULL))
        return nc_node_fail(err, keys->node, "allowed: vertices, or low and high, or none of them for all vertices");
    *out = NULL;
    *out_count = mesh->vertex_count;
    if (keys->vertices != NULL)
        return choose_by_number(scene, keys->vertices, mesh->vertex_count, out, out_count, err);
    return low ? choose_by_box(scene, keys, mesh, out, out_count, err) : NC_OK;
}

// ---- pins and forces ----------------------------------------------------------------------------------------

static nc_vec3 turned(nc_pose frame, nc_vec3 v)
{
    return nc_mat3_mul(nc_quat_matrix(frame.q), v);
}

static nc_code read_pin(nc_scene *scene, const nc_node *map, nc_pose frame, const nc_mesh_data *mesh,
                        nc_cloth_script *out, nc_error *err)
{
    nc_hold_keys keys;
    nc_key_block_defaults(&nc_pin_block, &keys);
    keys.force = nc_v3(0, 0, 0);
    nc_code code = nc_key_block_read(&nc_pin_block, map, &keys, err);
    if (code == NC_OK)
        code = choose(scene, &keys, mesh, &out->vertices, &out->vertex_count, err);
    if (code == NC_OK && keys.keyframes != NULL && nc_node_find(map, "velocity") != NULL)
        code = nc_node_fail(err, map, "found velocity and keyframes; allowed: one of them");
    if (code == NC_OK && keys.keyframes != NULL)
        code = nc_scene_read_keyframes(scene, keys.keyframes, frame, &out->keyframes, &out->keyframe_count, err);
    out->velocity = turned(frame, keys.velocity);
    out->end = isnan(keys.end) ? 0 : keys.end;
    return code;
}

static nc_code read_force(nc_scene *scene, const nc_node *map, nc_pose frame, const nc_mesh_data *mesh,
                          nc_cloth_force *out, nc_error *err)
{
    nc_hold_keys keys;
    nc_key_block_defaults(&nc_force_block, &keys);
    nc_code code = nc_key_block_read(&nc_force_block, map, &keys, err);
    if (code == NC_OK)
        code = choose(scene, &keys, mesh, &out->vertices, &out->vertex_count, err);
    if (code != NC_OK)
        return code;
    if (!isnan(keys.end) && !(keys.end > keys.start))
        return nc_node_fail(err, map, "found end %g at or before start %g", keys.end, keys.start);
    out->force = nc_scale(1.0 / out->vertex_count, turned(frame, keys.force));
    out->start = keys.start;
    out->end = isnan(keys.end) ? 0 : keys.end;
    return NC_OK;
}

static nc_code read_holds(nc_scene *scene, const nc_body_keys *keys, nc_pose frame, const nc_mesh_data *mesh,
                          nc_scene_cloth *out, nc_error *err)
{
    const size_t pins = keys->pins != NULL ? (size_t)keys->pins->count : 0;
    const size_t forces = keys->forces != NULL ? (size_t)keys->forces->count : 0;
    nc_cloth_script *scripts = nc_pool_take(&scene->pool, pins + 1, sizeof *scripts);
    nc_cloth_force *pulls = nc_pool_take(&scene->pool, forces + 1, sizeof *pulls);
    if (scripts == NULL || pulls == NULL)
        return nc_fail_memory(err, (pins + 1) * sizeof *scripts);
    memset(scripts, 0, (pins + 1) * sizeof *scripts);
    memset(pulls, 0, (forces + 1) * sizeof *pulls);
    nc_code code = NC_OK;
    for (const nc_node *node = pins > 0 ? keys->pins->first : NULL; node != NULL && code == NC_OK; node = node->next)
        code = read_pin(scene, node, frame, mesh, &scripts[out->script_count++], err);
    for (const nc_node *node = forces > 0 ? keys->forces->first : NULL; node != NULL && code == NC_OK;
         node = node->next)
        code = read_force(scene, node, frame, mesh, &pulls[out->force_count++], err);
    out->scripts = scripts;
    out->forces = pulls;
    return code;
}

// ---- a body -------------------------------------------------------------------------------------------------

// Keys that only make sense in one of the two kinds of scenes.
static nc_code check_keys(const nc_scene *scene, const nc_body_keys *keys, nc_error *err)
{
    const bool cloth = keys->type == NC_BODY_CLOTH;
    const nc_node *type = nc_node_find(keys->node, "type"), *at = type != NULL ? type : keys->node;
    if (cloth && !scene->settings.is_cloth)
        return nc_node_fail(err, at, "cloth needs world.pipeline: acm");
    if (scene->settings.is_cloth && keys->type == NC_DYNAMIC)
        return nc_node_fail(err, at,
                            "a rigid body that physics moves cannot be in a scene of cloth; allowed with "
                            "world.pipeline: acm: static, kinematic, cloth");
    static const char *const only_cloth[] = {"pins", "forces"};
    for (int i = 0; i < 2; i++)
        if (!cloth && nc_node_find(keys->node, only_cloth[i]) != NULL)
            return nc_node_fail(err, nc_node_find(keys->node, only_cloth[i]), "only a body of type cloth has them");
    static const char *const never[] = {"spin",   "torque",       "force",     "keyframes", "mass",   "density",
                                        "matter", "area_density", "thickness", "center",    "inertia"};
    for (size_t i = 0; cloth && i < sizeof never / sizeof never[0]; i++)
        if (nc_node_find(keys->node, never[i]) != NULL)
            return nc_node_fail(err, nc_node_find(keys->node, never[i]),
                                "a cloth has no such key; see cloth, contact, pins and forces");
    return NC_OK;
}

static nc_code read_material(const nc_body_keys *keys, nc_cloth_keys *out, nc_error *err)
{
    nc_key_block_defaults(&nc_cloth_block, out);
    return keys->cloth != NULL ? nc_key_block_read(&nc_cloth_block, keys->cloth, out, err) : NC_OK;
}

nc_code nc_scene_read_cloth(nc_scene *scene, const nc_body_keys *keys, nc_pose frame, int shape, nc_scene_body *out,
                            nc_error *err)
{
    nc_code code = check_keys(scene, keys, err);
    nc_key_block_defaults(&nc_contact_block, &out->contact);
    if (code == NC_OK && keys->contact != NULL)
        code = nc_key_block_read(&nc_contact_block, keys->contact, &out->contact, err);
    if (code != NC_OK || keys->type != NC_BODY_CLOTH)
        return code;
    nc_scene_cloth *cloth = nc_pool_take(&scene->pool, 1, sizeof *cloth);
    if (cloth == NULL)
        return nc_fail_memory(err, sizeof *cloth);
    memset(cloth, 0, sizeof *cloth);
    out->cloth = cloth;
    const nc_mesh_data mesh = nc_mesh_view(scene->shapes.data[shape].mesh);
    code = read_material(keys, &cloth->keys, err);
    return code == NC_OK ? read_holds(scene, keys, frame, &mesh, cloth, err) : code;
}

// ---- the scene ----------------------------------------------------------------------------------------------

static nc_code check_body(const nc_scene *scene, const nc_scene_body *body, nc_error *err)
{
    const nc_mesh_data mesh = nc_mesh_view(scene->shapes.data[body->shape].mesh);
    const bool spins = nc_dot(body->spin, body->spin) > 0;
    for (int i = 0; i < mesh.edge_count; i++)
        if (mesh.edge_is_free[i])
            return nc_node_fail(err, body->node, "the mesh has edges without a triangle, which cloth does not support");
    if (mesh.triangle_count > 0 && mesh.point_count > 0)
        return nc_node_fail(err, body->node, "the mesh has triangles and loose points; allowed: one kind");
    if (mesh.triangle_count == 0 && body->cloth == NULL)
        return nc_node_fail(err, body->node, "an obstacle needs triangles");
    if (body->cloth == NULL && spins)
        return nc_node_fail(err, body->node,
                            "with world.pipeline: acm a kinematic body turns by keyframes, not by spin");
    return NC_OK;
}

nc_code nc_scene_check_cloth(nc_scene *scene, nc_error *err)
{
    if (!scene->settings.is_cloth)
        return NC_OK;
    if (scene->keys.filters != NULL && scene->keys.filters->count > 0)
        return nc_node_fail(err, scene->keys.filters, "world.pipeline: acm has no filters: every pair stays apart");
    if (scene->keys.pairs != NULL && scene->keys.pairs->count > 0)
        return nc_node_fail(err, scene->keys.pairs,
                            "world.pipeline: acm has no pairs: friction and restitution are the means of two objects");
    nc_code code = NC_OK;
    for (int i = 0; i < scene->bodies.count && code == NC_OK; i++)
        code = check_body(scene, &scene->bodies.data[i], err);
    return code;
}
