// Solids of primitives, as scenes and questions describe them.
#include "scene/description.h"
#include "scene/rotation.h"
#include "scene/scene.h"

#include <math.h>
#include <string.h>

#define DEPTH_MAX 32 // solids within solids

// What each primitive takes besides position and rotation; of these `top` and `level` have defaults.
static const char *const primitive_keys[][4] = {
    [NC_CSG_SPHERE] = {"radius"},
    [NC_CSG_BOX] = {"size"},
    [NC_CSG_HALF_SPACE] = {NULL},
    [NC_CSG_CYLINDER] = {"radius", "height"},
    [NC_CSG_CAPSULE] = {"radius", "height"},
    [NC_CSG_CONE] = {"radius", "height", "top"},
    [NC_CSG_TORUS] = {"radius", "tube"},
    [NC_CSG_GYROID] = {"period", "level"},
};

static bool takes(const nc_solid_keys *keys, const char *name)
{
    static const char *const common[] = {"solid", "union", "intersection", "difference", "position", "rotation"};
    for (int i = 0; i < 6; i++)
        if (strcmp(common[i], name) == 0)
            return true;
    if (keys->solid < 0)
        return strcmp(name, "blend") == 0 && keys->unite != NULL;
    for (int i = 0; i < 4 && primitive_keys[keys->solid][i] != NULL; i++)
        if (strcmp(primitive_keys[keys->solid][i], name) == 0)
            return true;
    return false;
}

static nc_code check_solid(const nc_node *map, const nc_solid_keys *keys, nc_error *err)
{
    const int kinds = (keys->solid >= 0) + (keys->unite != NULL) + (keys->intersect != NULL) + (keys->subtract != NULL);
    if (kinds != 1)
        return nc_node_fail(err, map, "allowed: one of solid (a primitive), union, intersection and difference");
    const nc_node *kind = nc_node_find(map, "solid");
    for (const nc_node *entry = map->first; entry != NULL; entry = entry->next)
        if (!takes(keys, entry->key))
            return nc_node_fail(err, entry, "this key is not used by %s", kind != NULL ? kind->text : "this operation");
    for (int i = 0; keys->solid >= 0 && i < 4 && primitive_keys[keys->solid][i] != NULL; i++) {
        const char *name = primitive_keys[keys->solid][i];
        if (strcmp(name, "top") != 0 && strcmp(name, "level") != 0 && nc_node_find(map, name) == NULL)
            return nc_node_fail(err, map, "the key \"%s\" is missing; %s needs it", name, kind->text);
    }
    return NC_OK;
}

// Sizes as nc_csg_kind has them; what a primitive does not have is 0.
static nc_vec3 size_of(const nc_solid_keys *keys)
{
    const double half = 0.5 * keys->height;
    switch (keys->solid) {
    case NC_CSG_SPHERE:
        return nc_v3(keys->radius, 0, 0);
    case NC_CSG_BOX: // its y is the primitive's z
        return nc_v3(0.5 * keys->size.x, 0.5 * keys->size.z, 0.5 * keys->size.y);
    case NC_CSG_CYLINDER:
    case NC_CSG_CAPSULE:
        return nc_v3(keys->radius, 0, half);
    case NC_CSG_CONE:
        return nc_v3(keys->radius, keys->top, half);
    case NC_CSG_TORUS:
        return nc_v3(keys->radius, keys->tube, 0);
    case NC_CSG_GYROID:
        return nc_v3(keys->period, keys->level, 0);
    default:
        return nc_v3(0, 0, 0);
    }
}

static nc_code add_node(const nc_node *map, nc_csg_node node, nc_solid *out, nc_error *err)
{
    if (out->count == NC_CSG_MAX)
        return nc_node_fail(err, map, "more than %d primitives and operations; allowed: at most that", NC_CSG_MAX);
    out->nodes[out->count++] = node;
    return NC_OK;
}

static nc_code read_solid(const nc_node *map, nc_pose frame, int depth, nc_solid *out, nc_error *err);

// A list of solids, put together from the left.
static nc_code read_operation(const nc_node *list, const nc_csg_node *operation, nc_pose frame, int depth,
                              nc_solid *out, nc_error *err)
{
    nc_code code = NC_OK;
    int whole = -1;
    if (list->first == NULL || list->first->next == NULL)
        return nc_node_fail(err, list, "an operation takes two solids or more");
    for (const nc_node *entry = list->first; entry != NULL && code == NC_OK; entry = entry->next) {
        code = read_solid(entry, frame, depth + 1, out, err);
        if (code != NC_OK || whole < 0) {
            whole = out->count - 1;
            continue;
        }
        nc_csg_node node = *operation;
        node.a = whole;
        node.b = out->count - 1;
        code = add_node(entry, node, out, err);
        whole = out->count - 1;
    }
    return code;
}

static nc_code read_solid(const nc_node *map, nc_pose frame, int depth, nc_solid *out, nc_error *err)
{
    nc_solid_keys keys;
    char found[96];
    if (map->kind != NC_NODE_MAP)
        return nc_node_fail(err, map, "found %s; allowed: a map", nc_node_describe(map, found, sizeof found));
    if (depth > DEPTH_MAX)
        return nc_node_fail(err, map, "solids within solids are %d deep; allowed: %d", depth, DEPTH_MAX);
    nc_key_block_defaults(&nc_solid_block, &keys);
    nc_code code = nc_key_block_read(&nc_solid_block, map, &keys, err);
    if (code == NC_OK)
        code = check_solid(map, &keys, err);
    if (code != NC_OK)
        return code;
    const nc_pose here = {nc_pose_apply(frame, keys.position), nc_quat_mul(frame.q, keys.rotation)};
    // Round primitives of the library are about z, those of scenes about y.
    const nc_quat z_to_y = nc_rotation_about(nc_v3(1, 0, 0), -90);
    nc_csg_node node = {.kind = keys.subtract != NULL    ? NC_CSG_DIFFERENCE
                                : keys.intersect != NULL ? NC_CSG_INTERSECTION
                                                         : NC_CSG_UNION,
                        .pose = {.q = {1, 0, 0, 0}}};
    if (keys.solid < 0) {
        const nc_node *list = keys.subtract != NULL    ? keys.subtract
                              : keys.intersect != NULL ? keys.intersect
                                                       : keys.unite;
        node.size.x = isnan(keys.blend) ? 0 : keys.blend;
        return read_operation(list, &node, here, depth, out, err);
    }
    node.kind = (nc_csg_kind)keys.solid;
    node.pose = (nc_pose){here.x, node.kind == NC_CSG_GYROID ? here.q : nc_quat_mul(here.q, z_to_y)};
    node.size = size_of(&keys);
    return add_node(map, node, out, err);
}

nc_code nc_solid_read(const nc_node *map, nc_solid *out, nc_error *err)
{
    const nc_pose origin = {.q = {1, 0, 0, 0}};
    out->count = 0;
    return read_solid(map, origin, 0, out, err);
}
