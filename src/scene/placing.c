// What generators that find room share: mixes of shapes, orientations, up.
#include "scene/placing.h"
#include "scene/rotation.h"

#include <math.h>

const char *const nc_orient_names[NC_ORIENT_COUNT] = {"random", "upright", "fixed"};

static nc_code add_part(const nc_scene *scene, const nc_node *node, nc_mix *out, nc_error *err)
{
    nc_mix_keys keys;
    nc_mix_part part;
    nc_key_block_defaults(&nc_mix_block, &keys);
    nc_code code = nc_key_block_read(&nc_mix_block, node, &keys, err);
    if (code == NC_OK)
        code = nc_scene_find_shape(scene, nc_node_find(node, "shape"), keys.shape, &part.shape, err);
    part.weight = keys.weight;
    out->total += keys.weight;
    if (code == NC_OK && !nc_array_push(&scene->allocator, &out->parts, part))
        code = nc_fail_memory(err, sizeof part);
    return code;
}

nc_code nc_mix_read(const nc_scene *scene, const nc_node *shapes, const nc_body_keys *entry, nc_mix *out, nc_error *err)
{
    *out = (nc_mix){.total = 0};
    const nc_node *own = nc_node_find(entry->node, "shape");
    if ((shapes != NULL) == (own != NULL) && (shapes != NULL || entry->shape == NULL))
        return nc_node_fail(err, entry->node,
                            "allowed: one of shape (bodies of one shape) and shapes (a mix, in the generator)");
    if (shapes == NULL) {
        nc_mix_part part = {.weight = 1};
        const nc_code code =
            nc_scene_find_shape(scene, own != NULL ? own : entry->node, entry->shape, &part.shape, err);
        out->total = 1;
        if (code != NC_OK || nc_array_push(&scene->allocator, &out->parts, part))
            return code;
        return nc_fail_memory(err, sizeof part);
    }
    nc_code code = NC_OK;
    for (const nc_node *node = shapes->first; node != NULL && code == NC_OK; node = node->next)
        code = add_part(scene, node, out, err);
    if (code == NC_OK && out->parts.count == 0)
        return nc_node_fail(err, shapes, "found an empty list; allowed: at least one shape");
    return code;
}

void nc_mix_free(nc_mix *mix, const nc_allocator *allocator)
{
    nc_array_free(allocator, &mix->parts);
}

int nc_mix_take(const nc_mix *mix, nc_random *random)
{
    double left = nc_random_range(random, 0, mix->total);
    int k = 0;
    while (k + 1 < mix->parts.count && left >= mix->parts.data[k].weight)
        left -= mix->parts.data[k++].weight;
    return mix->parts.data[k].shape;
}

nc_quat nc_orient_take(nc_orient orient, nc_vec3 up, nc_random *random)
{
    if (orient == NC_ORIENT_RANDOM)
        return nc_rotation_random(random, 1);
    return orient == NC_ORIENT_UPRIGHT ? nc_rotation_about(up, nc_random_range(random, 0, 360)) : nc_quat_identity();
}

nc_vec3 nc_scene_up(const nc_scene *scene)
{
    const nc_vec3 g = scene->world.gravity;
    const double size = nc_norm(g);
    return size > 0 ? nc_scale(-1 / size, g) : nc_v3(0, 1, 0);
}

nc_box nc_turned_box(const nc_mesh *mesh, nc_quat q)
{
    const nc_mesh_data data = nc_mesh_view(mesh);
    const nc_mat3 turn = nc_quat_matrix(q);
    nc_box box = nc_box_empty();
    for (int i = 0; i < data.vertex_count; i++)
        box = nc_box_add(box, nc_mat3_mul(turn, data.vertices[i]));
    return box;
}
