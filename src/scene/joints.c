// Joints: entries of the list `joints` become definitions, one or one per body of a pattern.
#include "scene/description.h"

#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NC_SCENE_MAX_JOINTS 1000000

// An entry that is being read.
typedef struct reading {
    const nc_joint_source *at;
    nc_joint_keys keys;
    nc_joint_def def; // but for its bodies
} reading;

// ---- axes -----------------------------------------------------------------------------------------------------

static double given_or(double value, double fallback)
{
    return isnan(value) ? fallback : value;
}

static nc_code read_keys(nc_scene *scene, const nc_node *list, nc_joint_drive *drive, nc_error *err)
{
    if (list == NULL || list->count == 0)
        return NC_OK;
    nc_drive_key *keys = nc_pool_take(&scene->pool, (size_t)list->count, sizeof *keys);
    if (keys == NULL)
        return nc_fail_memory(err, (size_t)list->count * sizeof *keys);
    for (const nc_node *node = list->first; node != NULL; node = node->next) {
        nc_drive_key_keys key;
        nc_key_block_defaults(&nc_drive_key_block, &key);
        const nc_code code = nc_key_block_read(&nc_drive_key_block, node, &key, err);
        if (code != NC_OK)
            return code;
        if (drive->key_count > 0 && !(key.time > keys[drive->key_count - 1].time))
            return nc_node_fail(err, node, "the time %g s does not come after %g s; allowed: ascending times", key.time,
                                keys[drive->key_count - 1].time);
        keys[drive->key_count++] = (nc_drive_key){key.time, key.value};
    }
    drive->keys = keys;
    return NC_OK;
}

static nc_code read_drive(nc_scene *scene, const nc_node *map, nc_joint_drive *out, nc_error *err)
{
    nc_drive_keys_of_scene keys;
    nc_key_block_defaults(&nc_drive_block, &keys);
    const nc_code code = nc_key_block_read(&nc_drive_block, map, &keys, err);
    if (code != NC_OK)
        return code;
    *out = (nc_joint_drive){.mode = (nc_drive_mode)(keys.mode + 1),
                            .target = keys.target,
                            .amplitude = keys.amplitude,
                            .frequency = keys.frequency,
                            .phase = keys.phase,
                            .stiffness = keys.stiffness,
                            .damping = keys.damping,
                            .max_force = keys.max_force};
    if (keys.table == NULL)
        return read_keys(scene, keys.keyframes, out, err);
    if (keys.keyframes != NULL)
        return nc_node_fail(err, map, "allowed: keyframes or table, not both");
    return nc_scene_read_drive_table(scene, nc_node_find(map, "table"), out, err);
}

static bool is_plain(const nc_axis_keys *keys)
{
    return !keys->limits.given && isnan(keys->restitution) && isnan(keys->friction) && isnan(keys->stiffness) &&
           isnan(keys->damping) && isnan(keys->rest) && keys->drive == NULL;
}

static nc_code read_axis(nc_scene *scene, const nc_axis_keys *keys, nc_joint_axis *out, nc_error *err)
{
    if (keys->limits.given) {
        if (!isfinite(keys->limits.min) || !isfinite(keys->limits.max))
            return nc_node_fail(err, keys->node, "limits need min and max");
        out->limited = true;
        out->lower = keys->limits.min;
        out->upper = keys->limits.max;
    }
    out->restitution = given_or(keys->restitution, 0);
    out->friction = given_or(keys->friction, 0);
    out->stiffness = given_or(keys->stiffness, 0);
    out->damping = given_or(keys->damping, 0);
    out->rest = given_or(keys->rest, 0);
    return keys->drive != NULL ? read_drive(scene, keys->drive, &out->drive, err) : NC_OK;
}

// The one axis that a joint moves along, or -1.
static int main_axis(nc_joint_kind kind)
{
    return kind == NC_JOINT_HINGE ? 3 : kind == NC_JOINT_SLIDER ? 0 : -1;
}

// Swing and twist of a ball: short for limits in axes.
static nc_code read_cone(const nc_joint_keys *keys, nc_joint_def *def, nc_error *err)
{
    if (isnan(keys->cone) && !keys->twist.given)
        return NC_OK;
    if (def->kind != NC_JOINT_BALL)
        return nc_node_fail(err, keys->node, "cone and twist are of joints of kind ball");
    if (keys->twist.given && (!isfinite(keys->twist.min) || !isfinite(keys->twist.max)))
        return nc_node_fail(err, keys->node, "twist needs min and max");
    if (!isnan(keys->cone))
        def->axes[4] = (nc_joint_axis){.limited = true, .upper = keys->cone};
    if (keys->twist.given)
        def->axes[3] = (nc_joint_axis){.limited = true, .lower = keys->twist.min, .upper = keys->twist.max};
    return NC_OK;
}

static nc_code read_axes(nc_scene *scene, const nc_joint_keys *keys, nc_joint_def *def, nc_error *err)
{
    nc_axes_keys axes;
    nc_code code = NC_OK;
    const int main = main_axis(def->kind);
    if (!is_plain(&keys->own) && main < 0)
        return nc_node_fail(err, keys->node,
                            "a joint of kind %s has no axis of its own for limits, springs and drives; allowed: these "
                            "in axes",
                            nc_joint_kind_names[def->kind]);
    if (main >= 0)
        code = read_axis(scene, &keys->own, &def->axes[main], err);
    if (code == NC_OK)
        code = read_cone(keys, def, err);
    if (code != NC_OK || keys->axes == NULL)
        return code;
    nc_key_block_defaults(&nc_axes_block, &axes);
    code = nc_key_block_read(&nc_axes_block, keys->axes, &axes, err);
    const nc_node *const each[6] = {axes.x, axes.y, axes.z, axes.turn_x, axes.turn_y, axes.turn_z};
    for (int k = 0; k < 6 && code == NC_OK; k++) {
        nc_one_axis_keys one;
        if (each[k] == NULL)
            continue;
        nc_key_block_defaults(&nc_axis_block, &one);
        code = nc_key_block_read(&nc_axis_block, each[k], &one, err);
        one.own.node = each[k];
        def->axes[k].locked = one.locked;
        if (code == NC_OK)
            code = read_axis(scene, &one.own, &def->axes[k], err);
    }
    return code;
}

// ---- places ---------------------------------------------------------------------------------------------------

static bool is_given(nc_vec3 v)
{
    return !isnan(v.x);
}

static nc_vec3 turn_vector(nc_pose frame, nc_vec3 v)
{
    return nc_mat3_mul(nc_quat_matrix(frame.q), v);
}

static nc_code name_joint(nc_scene *scene, const reading *r, int copy, const char **out, nc_error *err)
{
    const char *name = r->keys.name, *prefix = r->at->prefix;
    *out = NULL;
    if (name == NULL)
        return NC_OK;
    *out = copy < 0 ? nc_pool_format(&scene->pool, "%s%s", prefix, name)
                    : nc_pool_format(&scene->pool, "%s%s.%d", prefix, name, copy);
    return *out != NULL ? NC_OK : nc_fail_memory(err, strlen(name));
}

// One joint of body row a, and b or the world (-1).
static nc_code add_joint(nc_scene *scene, const reading *r, nc_body_pair pair, int copy, nc_error *err)
{
    const nc_joint_keys *keys = &r->keys;
    const nc_scene_body *bodies = scene->bodies.data, *body = &bodies[pair.a];
    const nc_pose frame = keys->frame == 1 ? (nc_pose){body->position, body->orientation} : r->at->frame;
    nc_scene_joint joint = {.node = keys->node, .def = r->def, .pair = pair};
    if (is_given(keys->anchor))
        joint.def.anchor = nc_pose_apply(frame, keys->anchor);
    else if (keys->chain != NULL || r->at->count > 0)
        joint.def.anchor = nc_scale(0.5, nc_add(bodies[pair.a].position, bodies[pair.b].position));
    else
        return nc_node_fail(err, keys->node, "a joint needs an anchor");
    joint.def.anchor_b = is_given(keys->anchor_b) ? nc_pose_apply(frame, keys->anchor_b)
                         : pair.b >= 0            ? bodies[pair.b].position
                                                  : joint.def.anchor;
    joint.def.axis = turn_vector(frame, keys->axis);
    joint.def.axis_y = is_given(keys->axis_y) ? turn_vector(frame, keys->axis_y) : nc_v3(0, 0, 0);
    const nc_code code = name_joint(scene, r, copy, &joint.def.name, err);
    if (code != NC_OK)
        return code;
    if (scene->joints.count >= NC_SCENE_MAX_JOINTS)
        return nc_node_fail(err, keys->node, "a scene has at most %d joints", NC_SCENE_MAX_JOINTS);
    return nc_array_push(&scene->allocator, &scene->joints, joint) ? NC_OK : nc_fail_memory(err, sizeof joint);
}

// ---- entries --------------------------------------------------------------------------------------------------

// The length of the next prefix outwards: "car/wheel.0/" to "car/", that to "". -1 when there is none.
static int outer_length(const char *prefix, int length)
{
    if (length == 0)
        return -1;
    for (length--; length > 0 && prefix[length - 1] != '/';)
        length--;
    return length;
}

// A body by its name in the group that the joint stands in, or in the groups around it.
static nc_code find_one(const nc_scene *scene, const reading *r, const char *key, const char *name, int *out,
                        nc_error *err)
{
    const char *prefix = r->at->prefix;
    char full[256];
    for (int length = (int)strlen(prefix); length >= 0; length = outer_length(prefix, length)) {
        snprintf(full, sizeof full, "%.*s%s", length, prefix, name);
        *out = nc_scene_find_body(scene, full);
        if (*out >= 0)
            return NC_OK;
    }
    return nc_scene_find_listed(scene, nc_node_find(r->keys.node, key), "", out, err);
}

static nc_code read_matches(nc_scene *scene, const reading *r, nc_error *err)
{
    const bool chain = r->keys.chain != NULL;
    const char *text = chain ? r->keys.chain : r->keys.body;
    const char *pattern = nc_pool_format(&scene->pool, "%s%s", r->at->prefix, text);
    int to = -1, before = -1, found = 0, made = 0;
    if (pattern == NULL)
        return nc_fail_memory(err, strlen(text));
    nc_code code = r->keys.to != NULL ? find_one(scene, r, "to", r->keys.to, &to, err) : NC_OK;
    for (int i = 0; i < scene->bodies.count && code == NC_OK; i++) {
        if (!nc_pattern_match(pattern, scene->bodies.data[i].name) || i == to)
            continue;
        found++;
        if (!chain)
            code = add_joint(scene, r, (nc_body_pair){i, to}, made++, err);
        else if (before >= 0)
            code = add_joint(scene, r, (nc_body_pair){i, before}, made++, err);
        before = i;
    }
    if (code == NC_OK && found < (chain ? 2 : 1))
        return nc_node_fail(err, nc_node_find(r->keys.node, chain ? "chain" : "body"),
                            "%d bodies have a name like \"%.80s\"; allowed: %s", found, pattern,
                            chain ? "a chain of two or more" : "one or more");
    return code;
}

static bool is_pattern(const char *text)
{
    return strpbrk(text, "*?") != NULL;
}

static nc_code read_bodies(nc_scene *scene, const reading *r, nc_error *err)
{
    const nc_joint_keys *keys = &r->keys;
    nc_body_pair pair = {-1, -1};
    if (keys->chain != NULL && keys->body != NULL)
        return nc_node_fail(err, keys->node, "allowed: body or chain, not both");
    if (keys->chain == NULL && keys->body == NULL)
        return nc_node_fail(err, keys->node, "a joint needs a body, or a chain");
    if (keys->chain != NULL || is_pattern(keys->body))
        return read_matches(scene, r, err);
    nc_code code = find_one(scene, r, "body", keys->body, &pair.a, err);
    if (code == NC_OK && keys->to != NULL)
        code = find_one(scene, r, "to", keys->to, &pair.b, err);
    return code == NC_OK ? add_joint(scene, r, pair, -1, err) : code;
}

static int joint_row(const nc_scene *scene, const char *name)
{
    for (int i = 0; i < scene->joints.count; i++)
        if (scene->joints.data[i].def.name != NULL && strcmp(scene->joints.data[i].def.name, name) == 0)
            return i;
    return -1;
}

// The joint of a name that stands before this entry, by its name in the group or in the groups around it.
static nc_code find_joint(const nc_scene *scene, const reading *r, const char *key, const char *name, int *out,
                          nc_error *err)
{
    const nc_node *node = nc_node_find(r->keys.node, key);
    const char *prefix = r->at->prefix;
    char full[256];
    *out = -1;
    for (int length = (int)strlen(prefix); name != NULL && *out < 0 && length >= 0;
         length = outer_length(prefix, length)) {
        snprintf(full, sizeof full, "%.*s%s", length, prefix, name);
        *out = joint_row(scene, full);
    }
    return *out >= 0 ? NC_OK
                     : nc_node_fail(err, node != NULL ? node : r->keys.node,
                                    "a gear needs the names of two joints that stand before it: first and second");
}

static nc_code read_gear(nc_scene *scene, const reading *r, nc_error *err)
{
    nc_body_pair pair = {-1, -1};
    nc_code code = find_joint(scene, r, "first", r->keys.first, &pair.a, err);
    if (code == NC_OK)
        code = find_joint(scene, r, "second", r->keys.second, &pair.b, err);
    nc_scene_joint joint = {.node = r->keys.node, .def = r->def, .pair = pair};
    if (code == NC_OK)
        code = name_joint(scene, r, -1, &joint.def.name, err);
    if (code != NC_OK)
        return code;
    return nc_array_push(&scene->allocator, &scene->joints, joint) ? NC_OK : nc_fail_memory(err, sizeof joint);
}

// A joint between neighbours of a generator has no bodies of its own.
static nc_code check_link_keys(const nc_node *map, nc_error *err)
{
    static const char *const others[] = {"body", "to", "chain", "first", "second"};
    for (int i = 0; i < 5; i++) {
        const nc_node *node = nc_node_find(map, others[i]);
        if (node != NULL)
            return nc_node_fail(err, node, "the joint connects neighbours of the generator and takes no bodies");
    }
    return NC_OK;
}

// Joins neighbours of a generator.
static nc_code read_links(nc_scene *scene, const reading *r, nc_error *err)
{
    const int first = r->at->first, count = r->at->count;
    nc_code code = r->def.kind != NC_JOINT_GEAR ? check_link_keys(r->keys.node, err)
                                                : nc_node_fail(err, r->keys.node, "a gear couples joints, not bodies");
    for (int i = 1; i < count && code == NC_OK; i++)
        code = add_joint(scene, r, (nc_body_pair){first + i, first + i - 1}, i - 1, err);
    if (code == NC_OK && r->at->closed)
        code = add_joint(scene, r, (nc_body_pair){first, first + count - 1}, count - 1, err);
    return code;
}

static nc_code read_joint(nc_scene *scene, const nc_node *node, const nc_joint_source *at, nc_error *err)
{
    reading r = {.at = at};
    nc_joint_keys *keys = &r.keys;
    nc_key_block_defaults(&nc_joint_block, keys);
    nc_code code = nc_key_block_read(&nc_joint_block, node, keys, err);
    if (code != NC_OK)
        return code;
    keys->own.node = node;
    r.def = nc_joint_def_default((nc_joint_kind)keys->kind);
    r.def.ratio = keys->ratio;
    r.def.break_force = keys->break_force;
    r.def.break_torque = keys->break_torque;
    r.def.breaks = (nc_joint_breaking)keys->breaks;
    r.def.collide = (nc_joint_collide)keys->collide;
    if (keys->length.given) {
        r.def.length_min = isfinite(keys->length.min) ? keys->length.min : 0;
        r.def.length_max = isfinite(keys->length.max) ? keys->length.max : -1;
    }
    code = read_axes(scene, keys, &r.def, err);
    if (code != NC_OK)
        return code;
    if (at->count > 0)
        return read_links(scene, &r, err);
    return r.def.kind == NC_JOINT_GEAR ? read_gear(scene, &r, err) : read_bodies(scene, &r, err);
}

static nc_code read_source(nc_scene *scene, const nc_joint_source *at, nc_error *err)
{
    nc_code code = NC_OK;
    if (at->node == NULL || at->node->count == 0)
        return NC_OK;
    if (scene->settings.is_cloth)
        return nc_node_fail(err, at->node, "joints need world.pipeline: shell, vsp or isp");
    if (at->count > 0)
        return read_joint(scene, at->node, at, err);
    for (const nc_node *node = at->node->first; node != NULL && code == NC_OK; node = node->next)
        code = read_joint(scene, node, at, err);
    return code;
}

nc_code nc_scene_read_joints(nc_scene *scene, nc_error *err)
{
    nc_code code = NC_OK;
    for (int i = 0; i < scene->joint_sources.count && code == NC_OK; i++)
        code = read_source(scene, &scene->joint_sources.data[i], err);
    const nc_joint_source list = {.node = scene->keys.joints, .frame = {.q = nc_quat_identity()}, .prefix = ""};
    return code == NC_OK ? read_source(scene, &list, err) : code;
}

nc_code nc_scene_check_joint_keys(const nc_joint_source *source, nc_error *err)
{
    nc_joint_keys keys;
    nc_key_block_defaults(&nc_joint_block, &keys);
    if (source->count > 0)
        return nc_key_block_read(&nc_joint_block, source->node, &keys, err);
    nc_code code = NC_OK;
    for (const nc_node *node = source->node->first; node != NULL && code == NC_OK; node = node->next)
        code = nc_key_block_read(&nc_joint_block, node, &keys, err);
    return code;
}

// ---- building -------------------------------------------------------------------------------------------------

nc_code nc_scene_create_joints(const nc_scene *scene, nc_world *world, const nc_body_id *ids, nc_error *err)
{
    const size_t count = (size_t)scene->joints.count;
    nc_joint_id *made = nc_alloc(&scene->allocator, count + 1, sizeof *made);
    nc_code code = made != NULL ? NC_OK : nc_fail_memory(err, count * sizeof *made);
    for (size_t i = 0; i < count && code == NC_OK; i++) {
        const nc_scene_joint *joint = &scene->joints.data[i];
        nc_joint_def def = joint->def;
        if (def.kind == NC_JOINT_GEAR) {
            def.joint_1 = made[joint->pair.a];
            def.joint_2 = made[joint->pair.b];
        } else {
            def.body_a = ids[joint->pair.a];
            def.body_b = joint->pair.b >= 0 ? ids[joint->pair.b] : (nc_body_id){0, 0};
        }
        nc_error cause = {0};
        code = nc_joint_create(world, &def, &made[i], &cause);
        if (code == NC_OUT_OF_MEMORY && err != NULL)
            *err = cause;
        else if (code != NC_OK)
            code = nc_node_fail(err, joint->node, "%.500s", cause.text);
    }
    nc_free(&scene->allocator, made, count + 1, sizeof *made);
    return code;
}
