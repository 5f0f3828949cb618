// How bodies break: `fracture` blocks of shapes and bodies.
#include "fracture/fracture.h"
#include "scene/description.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_PARAMETERS 16

static const nc_pattern_info *find_pattern(const char *name)
{
    int count;
    const nc_pattern_info *list = nc_pattern_list(&count);
    for (int i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return &list[i];
    return NULL;
}

static nc_code unknown_pattern(const nc_node *node, nc_error *err)
{
    const char *names[32];
    int count;
    const nc_pattern_info *all = nc_pattern_list(&count);
    const int known = count < 32 ? count : 32;
    for (int i = 0; i < known; i++)
        names[i] = all[i].name;
    return nc_fail_unknown_name(node, "pattern", names, known, err);
}

// ---- parameters ---------------------------------------------------------------------------------------------

static nc_code read_parameters(nc_scene *scene, const nc_node *map, const nc_pattern_info *info, nc_fracture_def *out,
                               nc_error *err)
{
    nc_shape_parameter *parameters = nc_pool_take(&scene->pool, MAX_PARAMETERS, sizeof *parameters);
    if (parameters == NULL)
        return nc_fail_memory(err, MAX_PARAMETERS * sizeof *parameters);
    out->parameters = parameters;
    for (int i = 0; i < info->parameter_count && out->parameter_count < MAX_PARAMETERS; i++) {
        const nc_node *node = nc_node_find(map, info->parameters[i].name);
        if (node == NULL)
            continue;
        nc_shape_parameter *parameter = &parameters[out->parameter_count++];
        parameter->name = info->parameters[i].name;
        const nc_code code = nc_parameter_read(&info->parameters[i], node, &parameter->value, err);
        if (code != NC_OK)
            return code;
    }
    return NC_OK;
}

// ---- files --------------------------------------------------------------------------------------------------

static nc_code keep_tiles(nc_scene *scene, const nc_mesh_list *list, nc_fracture_def *out, nc_error *err)
{
    nc_mesh **tiles = nc_pool_take(&scene->pool, (size_t)list->count, sizeof *tiles);
    if (tiles == NULL || !nc_array_reserve(&scene->allocator, &scene->tiles, scene->tiles.count + list->count))
        return nc_fail_memory(err, (size_t)list->count * sizeof *tiles);
    for (int i = 0; i < list->count; i++)
        scene->tiles.data[scene->tiles.count++] = tiles[i] = nc_mesh_retain(list->meshes[i]);
    out->meshes = tiles;
    out->mesh_count = list->count;
    return NC_OK;
}

static nc_code load_tiles(nc_scene *scene, const nc_node *node, nc_fracture_def *out, nc_error *err)
{
    const char *slash = strrchr(scene->path, '/');
    const int directory = node->text[0] == '/' || slash == NULL ? 0 : (int)(slash - scene->path) + 1;
    const char *path = nc_pool_format(&scene->pool, "%.*s%s", directory, scene->path, node->text);
    nc_mesh_list list;
    if (path == NULL)
        return nc_fail_memory(err, strlen(node->text));
    nc_code code = nc_mesh_load_all(path, &scene->allocator, &list, err);
    if (code == NC_OK)
        code = keep_tiles(scene, &list, out, err);
    nc_mesh_list_free(&list);
    if (code == NC_OK || code == NC_OUT_OF_MEMORY)
        return code;
    const nc_error cause = err != NULL ? *err : (nc_error){0};
    return nc_node_fail(err, node, "\"%.200s\": %.400s", path, cause.text);
}

// ---- a block ------------------------------------------------------------------------------------------------

static nc_fracture_def definition(const nc_fracture_keys *keys)
{
    nc_fracture_def def = nc_fracture_def_default();
    def.threshold = keys->threshold;
    if (keys->pattern != NULL || keys->file != NULL)
        def.pattern = keys->pattern;
    def.seed = (uint64_t)keys->seed;
    def.center = keys->center;
    def.normal = keys->normal;
    def.way = (nc_fracture_method)keys->way;
    def.cells = (int)keys->cells;
    def.gap = isnan(keys->gap) ? 0 : keys->gap;
    def.crumb = keys->crumb;
    def.aligned = keys->aligned;
    def.generations = (int)keys->generations;
    return def;
}

static nc_code check_keys(const nc_node *map, const nc_fracture_keys *keys, nc_error *err)
{
    static const char *const of_files[] = {"center", "normal"};
    if (keys->pattern != NULL && keys->file != NULL)
        return nc_node_fail(err, map, "found pattern and file; allowed: one of them");
    for (int i = 0; i < 2 && keys->file == NULL; i++)
        if (nc_node_find(map, of_files[i]) != NULL)
            return nc_node_fail(err, nc_node_find(map, of_files[i]),
                                "a built-in pattern has the impact at its origin, along z; allowed with file");
    if (keys->file != NULL && nc_node_find(map, "seed") != NULL)
        return nc_node_fail(err, nc_node_find(map, "seed"), "a file has no random numbers; allowed with pattern");
    if (keys->file != NULL && !(nc_norm2(keys->normal) > 0))
        return nc_node_fail(err, nc_node_find(map, "normal"), "found (0, 0, 0); allowed: any length but 0");
    return NC_OK;
}

static nc_code read_block(nc_scene *scene, const nc_node *map, nc_scene_fracture *out, nc_error *err)
{
    const char *names[MAX_PARAMETERS];
    int count = 0;
    nc_fracture_keys keys;
    const nc_node *named = nc_node_find(map, "pattern"), *file = nc_node_find(map, "file");
    const bool has_text = named != NULL && named->kind == NC_NODE_SCALAR;
    const nc_pattern_info *info = file != NULL ? NULL : find_pattern(has_text ? named->text : "graded");
    if (has_text && file == NULL && info == NULL)
        return unknown_pattern(named, err);
    for (int i = 0; info != NULL && i < info->parameter_count && i < MAX_PARAMETERS; i++)
        names[count++] = info->parameters[i].name;
    nc_key_block_defaults(&nc_fracture_block, &keys);
    nc_code code = nc_key_block_read_with(&nc_fracture_block, map, names, count, &keys, err);
    if (code == NC_OK)
        code = check_keys(map, &keys, err);
    if (code != NC_OK)
        return code;
    *out = (nc_scene_fracture){map, definition(&keys)};
    if (file != NULL)
        return load_tiles(scene, file, &out->def, err);
    return info != NULL ? read_parameters(scene, map, info, &out->def, err) : NC_OK;
}

// The block that was read from a node, read now if need be.
static nc_code get_block(nc_scene *scene, const nc_node *node, const nc_scene_fracture **out, nc_error *err)
{
    nc_scene_fracture block;
    for (int i = 0; i < scene->fractures.count; i++)
        if (scene->fractures.data[i].node == node) {
            *out = &scene->fractures.data[i];
            return NC_OK;
        }
    const nc_code code = read_block(scene, node, &block, err);
    if (code != NC_OK)
        return code;
    if (!nc_array_push(&scene->allocator, &scene->fractures, block))
        return nc_fail_memory(err, sizeof block);
    *out = &scene->fractures.data[scene->fractures.count - 1];
    return NC_OK;
}

nc_code nc_scene_fracture_of(nc_scene *scene, int shape, const nc_node *own, const nc_mass_def *mass,
                             const nc_fracture_def **out, nc_error *err)
{
    const nc_node *node = own != NULL ? own : scene->shapes.data[shape].fracture;
    const nc_scene_fracture *block = NULL;
    *out = NULL;
    if (node == NULL)
        return NC_OK;
    const nc_code code = get_block(scene, node, &block, err);
    if (code != NC_OK || !(block->def.threshold > 0))
        return code;
    nc_fracture_def *def = nc_pool_take(&scene->pool, 1, sizeof *def);
    if (def == NULL)
        return nc_fail_memory(err, sizeof *def);
    *def = block->def;
    if (mass != NULL)
        def->mass = *mass;
    *out = def;
    return NC_OK;
}
