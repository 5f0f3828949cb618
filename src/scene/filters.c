// Filters: pairs of bodies, by name or pattern, that may pass through each other.
#include "scene/model.h"

#include <string.h>

typedef NC_ARRAY(int) rows;

static nc_code no_match(const nc_scene *scene, const nc_node *node, nc_error *err)
{
    const char *names[256];
    int count = 0;
    for (int i = 0; i < scene->bodies.count && count < 256; i++)
        names[count++] = scene->bodies.data[i].name;
    const int nearest = nc_nearest_name(node->text, names, count);
    return nc_node_fail(err, node, "no body has a name like \"%.80s\"%s%s%s", node->text,
                        nearest >= 0 ? "; did you mean \"" : "", nearest >= 0 ? names[nearest] : "",
                        nearest >= 0 ? "\"?" : "");
}

static nc_code find_matches(const nc_scene *scene, const nc_node *node, rows *out, nc_error *err)
{
    if (node->kind != NC_NODE_SCALAR)
        return nc_node_fail(err, node, "allowed: a body name or a pattern with * and ?");
    for (int i = 0; i < scene->bodies.count; i++)
        if (nc_pattern_match(node->text, scene->bodies.data[i].name) && !nc_array_push(&scene->allocator, out, i))
            return nc_fail_memory(err, sizeof i);
    return out->count > 0 ? NC_OK : no_match(scene, node, err);
}

static nc_code add_pairs(nc_scene *scene, const nc_node *node, const rows *a, const rows *b, nc_error *err)
{
    if ((double)a->count * (double)b->count + scene->exempt.count > NC_SCENE_MAX_PAIRS)
        return nc_node_fail(err, node, "filters exempt more than %d pairs", NC_SCENE_MAX_PAIRS);
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count; j++) {
            const nc_body_pair pair = {a->data[i], b->data[j]};
            if (pair.a != pair.b && !nc_array_push(&scene->allocator, &scene->exempt, pair))
                return nc_fail_memory(err, sizeof pair);
        }
    return NC_OK;
}

static nc_code read_filter(nc_scene *scene, const nc_node *node, nc_error *err)
{
    if (node->count != 2)
        return nc_node_fail(err, node, "found a list of %d; allowed: a pair of body names", node->count);
    rows a = {0}, b = {0};
    nc_code code = find_matches(scene, node->first, &a, err);
    if (code == NC_OK)
        code = find_matches(scene, node->last, &b, err);
    if (code == NC_OK)
        code = add_pairs(scene, node, &a, &b, err);
    nc_array_free(&scene->allocator, &a);
    nc_array_free(&scene->allocator, &b);
    return code;
}

nc_code nc_scene_read_filters(nc_scene *scene, nc_error *err)
{
    nc_code code = NC_OK;
    const nc_node *list = scene->keys.filters;
    for (const nc_node *node = list != NULL ? list->first : NULL; node != NULL && code == NC_OK; node = node->next)
        code = read_filter(scene, node, err);
    return code;
}
