// Lists of bodies: entries, copies by generators, groups in groups, to one flat list in world coordinates.
#include "scene/emit.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEEPEST_GROUP 16

// Where a list of bodies stands.
typedef struct spot {
    nc_pose pose;       // of the list's frame in the world
    nc_vec3 velocity;   // [m/s] in the world, added to every member's
    const char *prefix; // of names
    nc_body_keys defaults;
    int depth;
} spot;

static nc_code place_list(nc_scene *scene, const nc_node *list, const spot *at, nc_error *err);

static nc_vec3 turn(nc_quat q, nc_vec3 v)
{
    return nc_mat3_mul(nc_quat_matrix(q), v);
}

static bool is_zero(nc_vec3 v)
{
    return v.x == 0 && v.y == 0 && v.z == 0;
}

nc_pose nc_placing_pose(const nc_placing *at, const nc_placement *copy)
{
    nc_pose pose;
    pose.x = nc_pose_apply(at->frame, nc_add(at->keys->position, copy->position));
    pose.q = nc_quat_mul(at->frame.q, nc_quat_mul(copy->rotation, at->keys->rotation));
    return pose;
}

// The frame of a copy of an entry, inside the frame it is listed in.
static nc_pose copy_pose(const spot *at, const nc_body_keys *keys, const nc_placement *copy)
{
    return nc_placing_pose(&(nc_placing){at->pose, keys, at->prefix}, copy);
}

// ---- names --------------------------------------------------------------------------------------------------

#define LONGEST_NAME 120

// "prefix" + base + ".7" for copies.
static nc_code make_name(nc_scene *scene, const spot *at, const nc_node *node, const char *base, int copy,
                         const char *end, const char **out, nc_error *err)
{
    *out = copy >= 0 ? nc_pool_format(&scene->pool, "%s%s.%d%s", at->prefix, base, copy, end)
                     : nc_pool_format(&scene->pool, "%s%s%s", at->prefix, base, end);
    if (*out == NULL)
        return nc_fail_memory(err, strlen(at->prefix) + strlen(base));
    if (strlen(*out) > LONGEST_NAME)
        return nc_node_fail(err, node, "the name \"%.130s\" is longer than %d letters", *out, LONGEST_NAME);
    return NC_OK;
}

// Enters the name of the newest body. A name that the scene gives must be free; a made-up one gets ~2, ~3, ...
static nc_code claim_name(nc_scene *scene, bool given, nc_error *err)
{
    if (scene->dry)
        return NC_OK;
    const int row = scene->bodies.count - 1;
    nc_scene_body *body = &scene->bodies.data[row];
    const char *wanted = body->name;
    for (int number = 2;; number++) {
        int taken;
        const nc_code code = nc_scene_claim_name(scene, row, &taken, err);
        if (code != NC_OK || taken < 0)
            return code;
        const nc_node *first = scene->bodies.data[taken].node;
        if (given)
            return nc_node_fail(err, body->node, "the name \"%s\" is taken by the body in %s line %d", wanted,
                                first->file, first->line);
        body->name = nc_pool_format(&scene->pool, "%s~%d", wanted, number);
        if (body->name == NULL)
            return nc_fail_memory(err, strlen(wanted));
    }
}

// ---- a body -------------------------------------------------------------------------------------------------

static nc_code read_keyframe(const nc_node *node, nc_pose frame, nc_keyframe *out, nc_error *err)
{
    nc_keyframe_keys keys;
    nc_key_block_defaults(&nc_keyframe_block, &keys);
    const nc_code code = nc_key_block_read(&nc_keyframe_block, node, &keys, err);
    out->time = keys.time;
    out->position = nc_pose_apply(frame, keys.position);
    out->orientation = nc_quat_mul(frame.q, keys.rotation);
    return code;
}

nc_code nc_scene_read_keyframes(nc_scene *scene, const nc_node *list, nc_pose frame, const nc_keyframe **out,
                                int *out_count, nc_error *err)
{
    if (list->count == 0)
        return nc_node_fail(err, list, "found an empty list; allowed: at least one keyframe");
    nc_keyframe *frames = nc_pool_take(&scene->pool, (size_t)list->count, sizeof *frames);
    if (frames == NULL)
        return nc_fail_memory(err, (size_t)list->count * sizeof *frames);
    int count = 0;
    for (const nc_node *node = list->first; node != NULL; node = node->next, count++) {
        const nc_code code = read_keyframe(node, frame, &frames[count], err);
        if (code != NC_OK)
            return code;
        if (count > 0 && !(frames[count].time > frames[count - 1].time))
            return nc_node_fail(err, node, "found time %g after %g; allowed: times that ascend", frames[count].time,
                                frames[count - 1].time);
    }
    *out = frames;
    *out_count = count;
    return NC_OK;
}

static nc_code read_keyframes(nc_scene *scene, const nc_node *list, const spot *at, nc_scene_body *body, nc_error *err)
{
    const nc_code code = nc_scene_read_keyframes(scene, list, at->pose, &body->keyframes, &body->keyframe_count, err);
    if (code != NC_OK)
        return code;
    body->position = body->keyframes[0].position;
    body->orientation = body->keyframes[0].orientation;
    return NC_OK;
}

// Keys that the body's type cannot have; said in the entry itself they are mistakes, in defaults they do not matter.
static nc_code check_type(const nc_body_keys *keys, nc_error *err)
{
    static const char *const moving[] = {"velocity", "spin"};
    static const char *const dynamic[] = {"force", "torque"};
    for (int i = 0; i < 2; i++) {
        const nc_node *node = nc_node_find(keys->node, moving[i]);
        if (node != NULL && keys->type == NC_STATIC)
            return nc_node_fail(err, node, "a static body does not move; allowed for kinematic and dynamic bodies");
        node = nc_node_find(keys->node, dynamic[i]);
        if (node != NULL && keys->type != NC_DYNAMIC)
            return nc_node_fail(err, node, "only dynamic bodies are moved by it");
    }
    if (keys->keyframes == NULL)
        return NC_OK;
    if (keys->type != NC_KINEMATIC)
        return nc_node_fail(err, keys->keyframes, "only kinematic bodies follow keyframes; say type: kinematic");
    static const char *const instead[] = {"position", "rotation", "velocity", "spin"};
    for (int i = 0; i < 4; i++)
        if (nc_node_find(keys->node, instead[i]) != NULL)
            return nc_node_fail(err, nc_node_find(keys->node, instead[i]),
                                "a body with keyframes takes this from them; allowed: one or the other");
    return NC_OK;
}

// Can it break? Only static and dynamic bodies do; in defaults and shapes it does not matter for others.
static nc_code check_fracture(nc_scene *scene, const nc_body_keys *keys, nc_scene_body *body, nc_error *err)
{
    const nc_node *own = nc_node_find(keys->node, "fracture");
    if (scene->settings.is_cloth)
        return own != NULL ? nc_node_fail(err, own, "nothing breaks with world.pipeline: acm") : NC_OK;
    if (keys->type == NC_KINEMATIC)
        return own != NULL ? nc_node_fail(err, own, "a kinematic body does not break; allowed for static and dynamic")
                           : NC_OK;
    return nc_scene_fracture_of(scene, body->shape, keys->fracture, body->mass, &body->fracture, err);
}

static nc_code check_body(nc_scene *scene, const nc_body_keys *keys, bool copies, int *out_shape,
                          const nc_mass_def **out_mass, nc_error *err)
{
    if (keys->shape == NULL)
        return nc_node_fail(err, keys->node,
                            "the key \"shape\" is missing; it takes a name of shapes (a group has "
                            "\"bodies\" or \"group\" instead)");
    const nc_node *node = nc_node_find(keys->node, "shape");
    nc_code code = nc_scene_find_shape(scene, node != NULL ? node : keys->node, keys->shape, out_shape, err);
    if (code == NC_OK)
        code = check_type(keys, err);
    if (code == NC_OK && keys->keyframes != NULL && copies)
        code = nc_node_fail(err, keys->keyframes, "copies of a generator cannot share keyframes; use a group");
    *out_mass = NULL;
    const bool breakable = keys->fracture != NULL || (code == NC_OK && scene->shapes.data[*out_shape].fracture != NULL);
    if (code != NC_OK || scene->settings.is_cloth ||
        (keys->type != NC_DYNAMIC && !(keys->type == NC_STATIC && breakable)))
        return code;
    nc_mass_def *mass = nc_pool_take(&scene->pool, 1, sizeof *mass);
    if (mass == NULL)
        return nc_fail_memory(err, sizeof *mass);
    *out_mass = mass;
    return nc_scene_mass(scene, *out_shape, keys, mass, err);
}

static void set_motion(const spot *at, const nc_body_keys *keys, const nc_placement *copy, nc_scene_body *body)
{
    if (keys->type != NC_STATIC) {
        body->velocity = nc_add(at->velocity, turn(at->pose.q, nc_add(keys->velocity, copy->velocity)));
        body->spin = turn(at->pose.q, nc_add(keys->spin, copy->spin));
    }
    if (keys->type == NC_DYNAMIC) {
        body->force = turn(at->pose.q, keys->force);
        body->torque = turn(at->pose.q, keys->torque);
    }
}

static nc_code place_body(nc_scene *scene, const spot *at, const nc_body_keys *keys, const nc_placement *copy,
                          const nc_scene_body *common, nc_error *err)
{
    nc_scene_body body = *common;
    const nc_pose pose = copy_pose(at, keys, copy);
    body.position = pose.x;
    body.orientation = pose.q;
    set_motion(at, keys, copy, &body);
    if (keys->keyframes != NULL) {
        const nc_code code = read_keyframes(scene, keys->keyframes, at, &body, err);
        if (code != NC_OK)
            return code;
    }
    if (scene->bodies.count >= NC_SCENE_MAX_BODIES)
        return nc_node_fail(err, keys->node, "more than %d bodies", NC_SCENE_MAX_BODIES);
    if (!nc_array_push(&scene->allocator, &scene->bodies, body))
        return nc_fail_memory(err, sizeof body);
    return claim_name(scene, keys->name != NULL, err);
}

// What all bodies of an entry have in common that are of a shape.
static nc_code read_common(nc_scene *scene, const spot *at, const nc_body_keys *keys, bool many, nc_scene_body *out,
                           nc_error *err)
{
    *out = (nc_scene_body){.node = keys->node,
                           .type = keys->type == NC_BODY_CLOTH ? NC_DYNAMIC : (nc_body_type)keys->type};
    nc_code code = check_body(scene, keys, many, &out->shape, &out->mass, err);
    if (code == NC_OK)
        code = nc_scene_read_cloth(scene, keys, at->pose, out->shape, out, err);
    if (code == NC_OK)
        code = check_fracture(scene, keys, out, err);
    if (code == NC_OK)
        out->appearance =
            nc_appearance_merge(scene->shapes.data[out->shape].appearance, nc_look_appearance(&keys->look));
    out->friction = isnan(keys->friction) ? -1 : keys->friction;
    out->restitution = isnan(keys->restitution) ? -1 : keys->restitution;
    out->max_force = keys->max_force;
    out->max_torque = keys->max_torque;
    return code;
}

// One copy; commons[row + 1] is what bodies of a mix's shape have in common, commons[0] what those of the entry's have,
// and is filled here when it is needed.
static nc_code place_copy(nc_scene *scene, const spot *at, const nc_body_keys *keys, const nc_placement *copy,
                          int number, nc_scene_body *commons, nc_error *err)
{
    nc_scene_body *common = &commons[copy->shape];
    nc_body_keys own = *keys;
    nc_code code = NC_OK;
    if (copy->shape > 0)
        own.shape = scene->shapes.data[copy->shape - 1].name;
    if (common->node == NULL)
        code = read_common(scene, at, &own, number >= 0, common, err);
    if (code != NC_OK)
        return code;
    if (keys->type == NC_STATIC && !(is_zero(copy->velocity) && is_zero(copy->spin)))
        return nc_node_fail(err, keys->node, "burst and spin_jitter move bodies, and static bodies do not move");
    code = make_name(scene, at, keys->node, own.name != NULL ? own.name : own.shape, number, "", &common->name, err);
    return code == NC_OK ? place_body(scene, at, &own, copy, common, err) : code;
}

static nc_code place_bodies(nc_scene *scene, const spot *at, const nc_body_keys *keys, const nc_placements *copies,
                            bool many, int *starts, nc_error *err)
{
    const size_t shapes = (size_t)scene->shapes.count + 1;
    nc_scene_body *commons = nc_alloc(&scene->allocator, shapes, sizeof *commons);
    if (commons == NULL)
        return nc_fail_memory(err, shapes * sizeof *commons);
    nc_code code = NC_OK;
    for (int i = 0; i < copies->count && code == NC_OK; i++) {
        starts[i] = scene->bodies.count;
        code = place_copy(scene, at, keys, &copies->data[i], many ? i : -1, commons, err);
    }
    nc_free(&scene->allocator, commons, shapes, sizeof *commons);
    return code;
}

// ---- groups -------------------------------------------------------------------------------------------------

static nc_code read_defaults(const nc_node *node, nc_body_keys *defaults, nc_error *err)
{
    const nc_code code = node != NULL ? nc_key_block_read(&nc_defaults_block, node, defaults, err) : NC_OK;
    defaults->node = NULL;
    return code;
}

static nc_code find_group(const nc_scene *scene, const nc_body_keys *keys, nc_body_keys *out, nc_error *err)
{
    const nc_node *groups = scene->keys.groups, *group = nc_node_find(groups, keys->group);
    const char *names[64];
    int count = 0;
    if (group != NULL)
        return nc_key_block_read(&nc_named_group_block, group, out, err);
    for (const nc_node *node = groups != NULL ? groups->first : NULL; node != NULL && count < 64; node = node->next)
        names[count++] = node->key;
    const int nearest = nc_nearest_name(keys->group, names, count);
    return nc_node_fail(err, nc_node_find(keys->node, "group"), "there is no group \"%s\" under groups%s%s%s",
                        keys->group, nearest >= 0 ? "; did you mean \"" : "", nearest >= 0 ? names[nearest] : "",
                        nearest >= 0 ? "\"?" : "");
}

// The members and defaults of a group entry: its own, or those of the group it names with its own on top.
static nc_code open_group(const nc_scene *scene, const spot *at, const nc_body_keys *keys, spot *inner,
                          const nc_node **out_list, const nc_node **out_joints, nc_error *err)
{
    nc_code code = NC_OK;
    *inner = *at;
    inner->depth = at->depth + 1;
    *out_list = keys->bodies;
    *out_joints = NULL;
    if ((keys->bodies != NULL) == (keys->group != NULL))
        return nc_node_fail(err, keys->node, "allowed: one of bodies and group");
    if (inner->depth > DEEPEST_GROUP)
        return nc_node_fail(err, keys->node, "groups are nested deeper than %d (does one contain itself?)",
                            DEEPEST_GROUP);
    if (keys->group != NULL) {
        nc_body_keys named = {0};
        code = find_group(scene, keys, &named, err);
        *out_list = named.bodies;
        *out_joints = named.joints;
        if (code == NC_OK && named.bodies == NULL)
            return nc_node_fail(err, named.node, "the key \"bodies\" is missing; it takes a list of maps");
        if (code == NC_OK)
            code = read_defaults(named.defaults, &inner->defaults, err);
    }
    if (code == NC_OK && (*out_list)->count == 0)
        code = nc_node_fail(err, *out_list, "found an empty list; allowed: at least one body");
    return code == NC_OK ? read_defaults(keys->defaults, &inner->defaults, err) : code;
}

// Keeps joints for when all bodies are placed; of a group that is only checked, their keys are checked now.
static nc_code keep_joints(nc_scene *scene, const nc_joint_source *source, nc_error *err)
{
    if (source->node == NULL)
        return NC_OK;
    if (scene->dry)
        return nc_scene_check_joint_keys(source, err);
    return nc_array_push(&scene->allocator, &scene->joint_sources, *source) ? NC_OK
                                                                            : nc_fail_memory(err, sizeof *source);
}

static nc_code keep_group_joints(nc_scene *scene, const spot *inner, const nc_node *named, const nc_node *own,
                                 nc_error *err)
{
    const nc_code code = keep_joints(scene, &(nc_joint_source){named, inner->pose, inner->prefix, 0, 0, false}, err);
    if (code != NC_OK)
        return code;
    return keep_joints(scene, &(nc_joint_source){own, inner->pose, inner->prefix, 0, 0, false}, err);
}

// Would bodies or joints of a second group of this name have names of the first one?
static bool must_be_told_apart(const nc_node *list, const nc_node *joints, const nc_node *own)
{
    bool named = joints != NULL || own != NULL;
    for (const nc_node *entry = list != NULL ? list->first : NULL; entry != NULL; entry = entry->next)
        named = named || nc_node_find(entry, "name") != NULL;
    return named;
}

// The largest number of a group called `base` there is, by the names of its bodies: 0 for none, 1 for "base/...", 3 for
// "base~3/...". `many`: of copies of a group, "base.7/..." and "base~3.7/...".
static int last_number(const nc_scene *scene, const char *base, bool many)
{
    const size_t length = strlen(base);
    int last = 0;
    for (int i = 0; i < scene->bodies.count; i++) {
        const char *name = scene->bodies.data[i].name;
        if (strncmp(name, base, length) != 0)
            continue;
        char *end = (char *)name + length;
        const long number = *end == '~' ? strtol(end + 1, &end, 10) : 1;
        const bool copied = *end == '.';
        if (copied)
            end += 1 + strspn(end + 1, "0123456789");
        if (*end == '/' && copied == many && number > last && number < INT_MAX)
            last = (int)number;
    }
    return last;
}

// What the names in a group begin with, without the prefix around it: its name, or that of the group it places, with
// ~2, ~3 where that is taken. NULL for a group that has neither.
static nc_code find_base(nc_scene *scene, const spot *at, const nc_body_keys *keys, bool apart, bool many,
                         const char **out, nc_error *err)
{
    *out = keys->name != NULL ? keys->name : keys->group;
    if (keys->name != NULL || keys->group == NULL || !apart || scene->dry)
        return NC_OK;
    const char *full = nc_pool_format(&scene->pool, "%s%s", at->prefix, keys->group);
    if (full == NULL)
        return nc_fail_memory(err, strlen(at->prefix) + strlen(keys->group));
    const int last = last_number(scene, full, many);
    if (last > 0)
        *out = nc_pool_format(&scene->pool, "%s~%d", keys->group, last + 1);
    return *out != NULL ? NC_OK : nc_fail_memory(err, strlen(keys->group));
}

static nc_code place_groups(nc_scene *scene, const spot *at, const nc_body_keys *keys, const nc_placements *copies,
                            bool many, int *starts, nc_error *err)
{
    const nc_node *list = NULL, *joints = NULL;
    spot inner;
    nc_code code = open_group(scene, at, keys, &inner, &list, &joints, err);
    const char *base = NULL;
    if (code == NC_OK)
        code = find_base(scene, at, keys, must_be_told_apart(list, joints, keys->joints), many, &base, err);
    for (int i = 0; i < copies->count && code == NC_OK; i++) {
        const nc_placement *copy = &copies->data[i];
        if (!is_zero(copy->spin))
            return nc_node_fail(err, keys->node, "spin_jitter is for copies of a body, not of a group");
        starts[i] = scene->bodies.count;
        inner.pose = copy_pose(at, keys, copy);
        inner.velocity = nc_add(at->velocity, turn(at->pose.q, copy->velocity));
        if (base != NULL || many)
            code =
                make_name(scene, at, keys->node, base != NULL ? base : "group", many ? i : -1, "/", &inner.prefix, err);
        if (code == NC_OK)
            code = place_list(scene, list, &inner, err);
        if (code == NC_OK)
            code = keep_group_joints(scene, &inner, joints, keys->joints, err);
    }
    return code;
}

// ---- entries ------------------------------------------------------------------------------------------------

// The one generator of an entry, or -1.
static nc_code find_generator(const nc_body_keys *keys, int *out, nc_error *err)
{
    int kind = -1;
    for (int i = 0; i < NC_GENERATOR_COUNT; i++) {
        if (keys->generators[i] == NULL)
            continue;
        if (kind >= 0)
            return nc_node_fail(err, keys->node, "found %s and %s; allowed: one generator",
                                nc_generator_blocks[kind].name, nc_generator_blocks[i].name);
        kind = i;
    }
    *out = kind;
    return NC_OK;
}

// Runs a generator; without one there is a single copy where the entry is.
static nc_code find_copies(nc_scene *scene, const nc_body_keys *keys, int kind, nc_placements *out, nc_error *err)
{
    if (kind >= 0)
        return nc_generator_run(scene, (nc_generator)kind, keys->generators[kind], out, err);
    const nc_placement here = {.rotation = nc_quat_identity()};
    return nc_array_push(&scene->allocator, out, here) ? NC_OK : nc_fail_memory(err, sizeof here);
}

// Bodies or groups at the copies; `many`: they are numbered; `found`: they have room, others may be crowded.
static nc_code place_copies(nc_scene *scene, const spot *at, const nc_body_keys *keys, const nc_placements *copies,
                            bool many, bool found, nc_error *err)
{
    const bool group = keys->bodies != NULL || keys->group != NULL;
    const size_t start_count = (size_t)copies->count + 1;
    int *starts = nc_alloc(&scene->allocator, start_count, sizeof *starts);
    if (starts == NULL)
        return nc_fail_memory(err, start_count * sizeof *starts);
    nc_code code = (group ? place_groups : place_bodies)(scene, at, keys, copies, many, starts, err);
    if (code == NC_OK && many && !found && !scene->dry) {
        starts[copies->count] = scene->bodies.count;
        code = nc_scene_warn_overlap(scene, keys->node, starts, copies->count, err);
    }
    nc_free(&scene->allocator, starts, start_count, sizeof *starts);
    return code;
}

// ---- entries that find room ---------------------------------------------------------------------------------

// An entry that is placed when all others are.
typedef struct nc_late_entry {
    nc_body_keys keys;
    spot at;
    int kind; // nc_generator
    uint64_t seed;
} nc_late_entry;

static nc_code check_late(const nc_scene *scene, const nc_body_keys *keys, int kind, nc_error *err)
{
    if (scene->settings.is_cloth)
        return nc_node_fail(err, keys->generators[kind], "it places rigid bodies; not with world.pipeline: acm");
    if (keys->keyframes != NULL)
        return nc_node_fail(err, keys->keyframes, "copies of a generator cannot share keyframes; use a group");
    return NC_OK;
}

static nc_code run_late(nc_scene *scene, const nc_late_entry *entry, nc_placements *out, nc_error *err)
{
    const nc_placing at = {entry->at.pose, &entry->keys, entry->at.prefix};
    return (entry->kind == NC_POUR ? nc_pour_run : nc_scatter_run)(scene, &at, entry->keys.generators[entry->kind],
                                                                   entry->seed, out, err);
}

// What bodies of an emitter have in common, for every part of its mix.
static nc_code fill_emitter(nc_scene *scene, const nc_late_entry *entry, nc_emitter *e, nc_error *err)
{
    const int parts = e->mix.parts.count;
    const nc_placement still = {.rotation = nc_quat_identity()};
    nc_scene_body *commons = nc_pool_take(&scene->pool, (size_t)parts, sizeof *commons);
    if (commons == NULL)
        return nc_fail_memory(err, (size_t)parts * sizeof *commons);
    nc_code code = NC_OK;
    for (int k = 0; k < parts && code == NC_OK; k++) {
        nc_body_keys own = entry->keys;
        own.shape = scene->shapes.data[e->mix.parts.data[k].shape].name;
        code = read_common(scene, &entry->at, &own, true, &commons[k], err);
        set_motion(&entry->at, &own, &still, &commons[k]);
    }
    e->commons = commons;
    const char *base = entry->keys.name != NULL ? entry->keys.name : entry->keys.shape;
    return code == NC_OK ? make_name(scene, &entry->at, entry->keys.node, base, -1, "", &e->name, err) : code;
}

static nc_code read_emitter(nc_scene *scene, const nc_late_entry *entry, nc_error *err)
{
    const nc_placing at = {entry->at.pose, &entry->keys, entry->at.prefix};
    nc_emitter *e = nc_pool_take(&scene->pool, 1, sizeof *e);
    if (e == NULL)
        return nc_fail_memory(err, sizeof *e);
    nc_code code = nc_emitter_read(scene, &at, entry->keys.generators[NC_EMIT], entry->seed, e, err);
    if (code == NC_OK)
        code = fill_emitter(scene, entry, e, err);
    if (code == NC_OK && !scene->dry && !nc_array_push(&scene->allocator, &scene->emitters, e))
        code = nc_fail_memory(err, sizeof e);
    if (code != NC_OK || scene->dry)
        nc_mix_free(&e->mix, &scene->allocator);
    return code;
}

static nc_code place_late(nc_scene *scene, const nc_late_entry *entry, nc_error *err)
{
    if (entry->kind == NC_EMIT)
        return read_emitter(scene, entry, err);
    nc_placements copies = {0};
    nc_code code = run_late(scene, entry, &copies, err);
    if (code == NC_OK)
        code = place_copies(scene, &entry->at, &entry->keys, &copies, true, true, err);
    nc_array_free(&scene->allocator, &copies);
    return code;
}

// Keeps an entry for later; of a group that is only checked, its keys are checked now.
static nc_code defer(nc_scene *scene, const spot *at, const nc_body_keys *keys, int kind, nc_error *err)
{
    nc_code code = check_late(scene, keys, kind, err);
    if (code != NC_OK)
        return code;
    nc_late_entry *entry = nc_pool_take(&scene->pool, 1, sizeof *entry);
    if (entry == NULL)
        return nc_fail_memory(err, sizeof *entry);
    *entry = (nc_late_entry){*keys, *at, kind, nc_scene_next_seed(scene)};
    if (scene->dry)
        return place_late(scene, entry, err);
    return nc_array_push(&scene->allocator, &scene->late, entry) ? NC_OK : nc_fail_memory(err, sizeof entry);
}

// ---- joints between copies ------------------------------------------------------------------------------------

// Keeps the joint that a generator puts between neighbours; `first` is the row of the first copy.
static nc_code link_copies(nc_scene *scene, const spot *at, const nc_body_keys *keys, int kind, int first,
                           nc_error *err)
{
    nc_generator_keys own;
    memset(&own, 0, sizeof own);
    nc_key_block_defaults(&nc_generator_blocks[kind], &own);
    const nc_code code = nc_key_block_read(&nc_generator_blocks[kind], keys->generators[kind], &own, err);
    if (code != NC_OK || own.joint == NULL)
        return code;
    if (keys->bodies != NULL || keys->group != NULL) // with or without a shape among its defaults
        return nc_node_fail(err, own.joint, "it connects copies of a body, not of a group; allowed: joints");
    const int count = scene->bodies.count - first;
    const bool closed = own.closed || (kind == NC_RING && own.arc == 360);
    if (count < 2)
        return nc_node_fail(err, own.joint, "%d copies have no neighbours to be joined; allowed: two or more", count);
    return keep_joints(scene, &(nc_joint_source){own.joint, at->pose, at->prefix, first, count, closed && count > 2},
                       err);
}

// ---- lists --------------------------------------------------------------------------------------------------

static nc_code place_entry(nc_scene *scene, const nc_node *node, const spot *at, nc_error *err)
{
    const bool group = nc_entry_is_group(node);
    const int first = scene->bodies.count;
    nc_body_keys keys = at->defaults;
    int kind = -1;
    nc_code code = nc_key_block_read(group ? &nc_group_block : &nc_body_block, node, &keys, err);
    if (code == NC_OK)
        code = find_generator(&keys, &kind, err);
    if (code != NC_OK)
        return code;
    if (kind >= NC_POUR)
        return defer(scene, at, &keys, kind, err);
    nc_placements copies = {0};
    code = find_copies(scene, &keys, kind, &copies, err);
    if (code == NC_OK)
        code = place_copies(scene, at, &keys, &copies, kind >= 0, false, err);
    if (code == NC_OK && kind >= 0)
        code = link_copies(scene, at, &keys, kind, first, err);
    nc_array_free(&scene->allocator, &copies);
    return code;
}

static nc_code place_list(nc_scene *scene, const nc_node *list, const spot *at, nc_error *err)
{
    nc_code code = NC_OK;
    for (const nc_node *node = list != NULL ? list->first : NULL; node != NULL && code == NC_OK; node = node->next)
        code = place_entry(scene, node, at, err);
    return code;
}

static void world_spot(spot *at)
{
    memset(at, 0, sizeof *at);
    at->pose.q = nc_quat_identity();
    at->prefix = "";
    // The group block first: it covers the fields that the body block does not have.
    nc_key_block_defaults(&nc_group_block, &at->defaults);
    nc_key_block_defaults(&nc_body_block, &at->defaults);
}

// Groups that nothing places must be right as well.
static nc_code check_group(nc_scene *scene, const nc_node *group, nc_error *err)
{
    spot at;
    world_spot(&at);
    nc_body_keys keys = at.defaults;
    nc_code code = nc_name_check(group, group->key, err);
    if (code == NC_OK)
        code = nc_key_block_read(&nc_named_group_block, group, &keys, err);
    if (code == NC_OK && keys.bodies == NULL)
        code = nc_node_fail(err, group, "the key \"bodies\" is missing; it takes a list of maps");
    if (code == NC_OK)
        code = read_defaults(keys.defaults, &at.defaults, err);
    scene->dry = true;
    if (code == NC_OK)
        code = keep_group_joints(scene, &at, keys.joints, NULL, err);
    scene->dry = false;
    if (code != NC_OK)
        return code;
    const int generators = scene->generators;
    scene->dry = true;
    code = place_list(scene, keys.bodies, &at, err);
    scene->dry = false;
    scene->generators = generators;
    scene->bodies.count = 0;
    return code;
}

nc_code nc_scene_read_bodies(nc_scene *scene, nc_error *err)
{
    nc_code code = NC_OK;
    const nc_node *groups = scene->keys.groups;
    for (const nc_node *node = groups != NULL ? groups->first : NULL; node != NULL && code == NC_OK; node = node->next)
        code = check_group(scene, node, err);
    spot at;
    world_spot(&at);
    if (code == NC_OK && scene->keys.bodies != NULL)
        code = place_list(scene, scene->keys.bodies, &at, err);
    for (int i = 0; i < scene->late.count && code == NC_OK; i++)
        code = place_late(scene, scene->late.data[i], err);
    return code == NC_OK ? nc_scene_check_emitters(scene, err) : code;
}
