// Lengths of a file to metres, by the units in the tables of keys.
#include "scene/units.h"

#include "fracture/fracture.h"

#include <stdio.h>
#include <string.h>

const char *const nc_unit_names[NC_UNIT_COUNT] = {"m", "cm", "mm", "in", "ft"};

// Exact ratios: 20 mm are the double nearest to 0.02 m.
static const double ratios[NC_UNIT_COUNT][2] = {{1, 1}, {1, 100}, {1, 1000}, {127, 5000}, {381, 1250}};

double nc_unit_to_metres(int unit, double length)
{
    return unit > NC_UNIT_M && unit < NC_UNIT_COUNT ? length * ratios[unit][0] / ratios[unit][1] : length;
}

double nc_unit_from_metres(int unit, double metres)
{
    return unit > NC_UNIT_M && unit < NC_UNIT_COUNT ? metres * ratios[unit][1] / ratios[unit][0] : metres;
}

typedef struct converting {
    nc_pool *pool;
    int unit;
    nc_error *err;
} converting;

static nc_code convert_block(const converting *c, const nc_key_block *block, nc_node *map);

// ---- numbers ------------------------------------------------------------------------------------------------

static nc_code convert_number(const converting *c, nc_node *node)
{
    double value;
    if (c->unit <= NC_UNIT_M || !nc_number_parse(node->text, &value))
        return NC_OK;
    const char *text = nc_pool_format(c->pool, "%.17g", nc_unit_to_metres(c->unit, value));
    if (text == NULL)
        return nc_fail_memory(c->err, 32);
    node->given = node->text;
    node->given_unit = nc_unit_names[c->unit];
    node->text = text;
    return NC_OK;
}

// All numbers of a value: a vector, a range, a list of points.
static nc_code convert_numbers(const converting *c, nc_node *node)
{
    if (node->kind == NC_NODE_SCALAR)
        return convert_number(c, node);
    nc_code code = NC_OK;
    for (nc_node *entry = node->first; entry != NULL && code == NC_OK; entry = entry->next)
        code = convert_numbers(c, entry);
    return code;
}

static bool has_length(const char *unit)
{
    return strcmp(unit, "m") == 0 || strcmp(unit, "m/s") == 0;
}

// ---- shapes -------------------------------------------------------------------------------------------------

// The unit of a parameter of a procedural shape or a pattern; "" when there is no such parameter.
static const char *parameter_unit(const nc_shape_parameter_info *list, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return list[i].unit;
    return "";
}

static const char *text_of(const nc_node *map, const char *key, const char *fallback)
{
    const nc_node *node = nc_node_find(map, key);
    return node != NULL && node->kind == NC_NODE_SCALAR ? node->text : fallback;
}

// The unit of a key that the table of its block does not have.
static const char *unit_of_parameter(const nc_key_block *block, const nc_node *map, const char *name)
{
    int count = 0;
    if (block == &nc_shape_block) {
        const nc_shape_info *list = nc_shape_list(&count);
        const char *shape = text_of(map, "generate", "");
        for (int i = 0; i < count; i++)
            if (strcmp(list[i].name, shape) == 0)
                return parameter_unit(list[i].parameters, list[i].parameter_count, name);
    } else if (block == &nc_fracture_block) {
        const nc_pattern_info *list = nc_pattern_list(&count);
        const char *pattern = text_of(map, "pattern", "graded");
        for (int i = 0; i < count; i++)
            if (strcmp(list[i].name, pattern) == 0)
                return parameter_unit(list[i].parameters, list[i].parameter_count, name);
    }
    return "";
}

static bool is_gltf(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL && (strcmp(dot, ".glb") == 0 || strcmp(dot, ".gltf") == 0 || strcmp(dot, ".GLB") == 0);
}

// A mesh file has no keys that could be converted: its coordinates get the factor by `scale`.
static nc_code scale_file(const converting *c, nc_node *map)
{
    nc_node *scale = nc_node_find(map, "scale");
    if (c->unit <= NC_UNIT_M)
        return NC_OK;
    if (scale != NULL)
        return convert_numbers(c, scale);
    scale = nc_node_create(c->pool, NC_NODE_SCALAR, map->file, map->line, map->column);
    if (scale == NULL)
        return nc_fail_memory(c->err, sizeof *scale);
    scale->key = "scale";
    scale->plain = true;
    scale->text = "1";
    nc_node_append(map, scale);
    return convert_number(c, scale);
}

static int find_unit(const nc_node *node)
{
    for (int i = 0; node->kind == NC_NODE_SCALAR && i < NC_UNIT_COUNT; i++)
        if (strcmp(node->text, nc_unit_names[i]) == 0)
            return i;
    return -1;
}

nc_code nc_units_convert_shape(nc_pool *pool, nc_node *map, int unit, nc_error *err)
{
    converting c = {pool, unit, err};
    if (map->kind != NC_NODE_MAP)
        return NC_OK;
    nc_node *own = nc_node_find(map, "unit");
    if (own != NULL && (c.unit = find_unit(own)) < 0)
        return nc_node_fail(err, own, "found \"%.60s\"; allowed: m, cm, mm, in, ft",
                            own->kind == NC_NODE_SCALAR ? own->text : "");
    nc_code code = NC_OK;
    for (nc_node *entry = map->first; entry != NULL && code == NC_OK; entry = entry->next)
        if (has_length(unit_of_parameter(&nc_shape_block, map, entry->key)))
            code = convert_numbers(&c, entry);
    if (code == NC_OK)
        code = convert_block(&c, &nc_shape_block, map);
    const char *file = text_of(map, "file", "");
    if (code == NC_OK && file[0] != '\0' && (own != NULL || !is_gltf(file)))
        code = scale_file(&c, map);
    if (own != NULL)
        nc_node_remove(map, own);
    return code;
}

// ---- maps ---------------------------------------------------------------------------------------------------

static const nc_key *find_key(const nc_key_block *block, const char *name)
{
    for (int i = 0; i < block->key_count; i++)
        if (strcmp(block->keys[i].name, name) == 0)
            return &block->keys[i];
    return NULL;
}

// A map that is the value of a key, or an entry of its list or table.
static nc_code convert_map(const converting *c, const nc_key_block *block, nc_node *map)
{
    if (map->kind != NC_NODE_MAP)
        return NC_OK;
    if (block == &nc_shape_block)
        return nc_units_convert_shape(c->pool, map, c->unit, c->err);
    const bool group = block == &nc_body_block && nc_entry_is_group(map);
    return convert_block(c, group ? &nc_group_block : block, map);
}

static nc_code convert_value(const converting *c, const nc_key *key, nc_node *node)
{
    if (has_length(key->unit))
        return convert_numbers(c, node);
    if (key->kind == NC_KEY_BLOCK)
        return convert_map(c, key->block, node);
    nc_code code = NC_OK;
    if (key->kind == NC_KEY_BLOCKS || key->kind == NC_KEY_TABLE)
        for (nc_node *entry = node->first; entry != NULL && code == NC_OK; entry = entry->next)
            code = convert_map(c, key->block, entry);
    return code;
}

static nc_code convert_block(const converting *c, const nc_key_block *block, nc_node *map)
{
    nc_code code = NC_OK;
    for (nc_node *entry = map->first; entry != NULL && code == NC_OK; entry = entry->next) {
        const nc_key *key = find_key(block, entry->key);
        if (key != NULL)
            code = convert_value(c, key, entry);
        else if (block == &nc_fracture_block && has_length(unit_of_parameter(block, map, entry->key)))
            code = convert_numbers(c, entry);
    }
    return code;
}

nc_code nc_units_convert(nc_pool *pool, nc_node *root, nc_error *err)
{
    nc_node *units = nc_node_find(root, "units");
    const converting c = {pool, units != NULL ? find_unit(units) : NC_UNIT_M, err};
    const nc_code code = convert_block(&c, &nc_root_block, root);
    if (units != NULL)
        nc_node_remove(root, units);
    return code;
}
