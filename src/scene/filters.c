// Pairs of bodies, by name or pattern: those that may pass through each other (filters), and those with a friction or a
// restitution of their own (pairs).
#include "scene/emit.h"

#include <math.h>
#include <stdio.h>
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
    for (int i = 0; i < scene->emitters.count; i++) {
        char name[160];
        snprintf(name, sizeof name, "%s.0", scene->emitters.data[i]->name);
        if (nc_pattern_match(node->text, name))
            return nc_node_fail(
                err, node,
                "\"%.80s\" names bodies of the emitter \"%s\", which are not there at the start; allowed: "
                "bodies of the start",
                node->text, scene->emitters.data[i]->name);
    }
    for (int i = 0; i < scene->bodies.count; i++)
        if (nc_pattern_match(node->text, scene->bodies.data[i].name) && !nc_array_push(&scene->allocator, out, i))
            return nc_fail_memory(err, sizeof i);
    return out->count > 0 ? NC_OK : no_match(scene, node, err);
}

// What is to be done with each pair that two patterns name.
typedef nc_code (*pair_visitor)(nc_scene *scene, nc_body_pair pair, const void *ctx, nc_error *err);

static nc_code add_exempt(nc_scene *scene, nc_body_pair pair, const void *ctx, nc_error *err)
{
    if (scene->exempt.count >= NC_SCENE_MAX_PAIRS)
        return nc_node_fail(err, ctx, "filters exempt more than %d pairs", NC_SCENE_MAX_PAIRS);
    return nc_array_push(&scene->allocator, &scene->exempt, pair) ? NC_OK : nc_fail_memory(err, sizeof pair);
}

static nc_code add_surface(nc_scene *scene, nc_body_pair pair, const void *ctx, nc_error *err)
{
    const nc_pair_keys *keys = ctx;
    if (scene->surfaces.count >= NC_SCENE_MAX_PAIRS)
        return nc_node_fail(err, keys->node, "pairs name more than %d pairs of bodies", NC_SCENE_MAX_PAIRS);
    const nc_scene_surface surface = {pair, keys->node, isnan(keys->friction) ? -1 : keys->friction,
                                      isnan(keys->restitution) ? -1 : keys->restitution};
    return nc_array_push(&scene->allocator, &scene->surfaces, surface) ? NC_OK : nc_fail_memory(err, sizeof surface);
}

// `node` is a list of two patterns. Calls `visit` for every pair of different bodies that match them.
static nc_code visit_pairs(nc_scene *scene, const nc_node *node, pair_visitor visit, const void *ctx, nc_error *err)
{
    rows a = {0}, b = {0};
    nc_code code = find_matches(scene, node->first, &a, err);
    if (code == NC_OK)
        code = find_matches(scene, node->last, &b, err);
    for (int i = 0; code == NC_OK && i < a.count; i++)
        for (int j = 0; code == NC_OK && j < b.count; j++)
            if (a.data[i] != b.data[j])
                code = visit(scene, (nc_body_pair){a.data[i], b.data[j]}, ctx, err);
    nc_array_free(&scene->allocator, &a);
    nc_array_free(&scene->allocator, &b);
    return code;
}

static nc_code read_filter(nc_scene *scene, const nc_node *node, nc_error *err)
{
    if (node->count != 2)
        return nc_node_fail(err, node, "found a list of %d; allowed: a pair of body names", node->count);
    return visit_pairs(scene, node, add_exempt, node, err);
}

nc_code nc_scene_read_filters(nc_scene *scene, nc_error *err)
{
    nc_code code = NC_OK;
    const nc_node *list = scene->keys.filters;
    for (const nc_node *node = list != NULL ? list->first : NULL; node != NULL && code == NC_OK; node = node->next)
        code = read_filter(scene, node, err);
    return code;
}

static nc_code read_pair(nc_scene *scene, const nc_node *node, nc_error *err)
{
    nc_pair_keys keys;
    nc_key_block_defaults(&nc_pair_block, &keys);
    const nc_code code = nc_key_block_read(&nc_pair_block, node, &keys, err);
    if (code != NC_OK)
        return code;
    if (isnan(keys.friction) && isnan(keys.restitution))
        return nc_node_fail(err, node, "allowed: friction, restitution or both beside between");
    return visit_pairs(scene, keys.between, add_surface, &keys, err);
}

nc_code nc_scene_read_pairs(nc_scene *scene, nc_error *err)
{
    nc_code code = NC_OK;
    const nc_node *list = scene->keys.pairs;
    for (const nc_node *node = list != NULL ? list->first : NULL; node != NULL && code == NC_OK; node = node->next)
        code = read_pair(scene, node, err);
    return code;
}
