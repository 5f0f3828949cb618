// Mechanisms: entries with `ragdoll`, `door` or `wheel` become groups of bodies and joints before anything else is
// read. Each is written as text of the format and parsed; errors in it name the entry's own line.
#include "scene/description.h"

#include "math/math.h"

#include <math.h>
#include <string.h>

#define RAGDOLL_HEIGHT 1.56 // [m] of the figure that the numbers below describe
#define RAGDOLL_MASS   71.4 // [kg]
#define POST           0.12 // [m] side of the posts of a door, and of its lintel

typedef struct expanding {
    nc_scene *scene;
    nc_node *shapes;              // of the scene, where those of mechanisms go
    int own_shapes;               // that it has without them, the first ones
    int last[NC_MECHANISM_COUNT]; // number in the names of the newest mechanism's shapes
    nc_error *err;
} expanding;

// What a mechanism writes: the text, and what its shapes begin with.
typedef struct writing {
    nc_buffer *out;
    const char *own;
    bool ok;
} writing;

// Prints on; failures are kept for the end.
#define PRINT(w, ...) ((w)->ok = (w)->ok && nc_buffer_print((w)->out, __VA_ARGS__))

// ---- ragdoll --------------------------------------------------------------------------------------------------

typedef struct part {
    const char *name, *shape;
    double y, z; // [m] of its middle
} part;

static const part parts[] = {
    {"torso", "torso", 0.28, 0},
    {"head", "head", 0.67, 0},
    {"upper_arm_l", "upper_arm", 0.35, 0.22},
    {"upper_arm_r", "upper_arm", 0.35, -0.22},
    {"lower_arm_l", "lower_arm", 0.06, 0.22},
    {"lower_arm_r", "lower_arm", 0.06, -0.22},
    {"upper_leg_l", "upper_leg", -0.18, 0.09},
    {"upper_leg_r", "upper_leg", -0.18, -0.09},
    {"lower_leg_l", "lower_leg", -0.58, 0.09},
    {"lower_leg_r", "lower_leg", -0.58, -0.09},
};

typedef struct limb {
    const char *name;
    double size[3]; // [m]
    double mass;    // [kg]
} limb;

static const limb limbs[] = {
    {"torso", {0.2, 0.5, 0.32}, 35},        {"upper_arm", {0.08, 0.28, 0.08}, 2.2},
    {"lower_arm", {0.07, 0.26, 0.07}, 1.5}, {"upper_leg", {0.13, 0.38, 0.13}, 8},
    {"lower_leg", {0.1, 0.4, 0.1}, 4},
};

// A joint on both sides, hinges about z: bodies without _l and _r, "torso" stands in the middle.
typedef struct bend {
    const char *name, *body, *to;
    double y, z, low, high; // [m], [rad]
} bend;

static const bend bends[] = {
    {"elbow", "lower_arm", "upper_arm_", 0.2, 0.22, 0, 2.4},
    {"hip", "upper_leg", "torso", 0.02, 0.09, -0.5, 1.8},
    {"knee", "lower_leg", "upper_leg_", -0.375, 0.09, -2.2, 0},
};

static void write_ragdoll_joints(writing *w, double scale, double friction)
{
    PRINT(w,
          "joints:\n- {kind: ball, name: neck, body: head, to: torso, anchor: [0, %.17g, 0], axis: [0, 1, 0], "
          "cone: 0.7, twist: {min: -0.9, max: 0.9}}\n",
          0.545 * scale);
    for (int side = 0; side < 2; side++) {
        const char *letter = side == 0 ? "l" : "r";
        const double sign = side == 0 ? scale : -scale;
        PRINT(w,
              "- {kind: ball, name: shoulder_%s, body: upper_arm_%s, to: torso, anchor: [0, %.17g, %.17g], "
              "axis: [0, -1, 0], cone: 2.4, twist: {min: -1.2, max: 1.2}}\n",
              letter, letter, 0.47 * scale, 0.19 * sign);
        for (size_t i = 0; i < sizeof bends / sizeof bends[0]; i++) {
            const bend *b = &bends[i];
            PRINT(w,
                  "- {kind: hinge, name: %s_%s, body: %s_%s, to: %s%s, anchor: [0, %.17g, %.17g], axis: [0, 0, 1], "
                  "limits: {min: %.17g, max: %.17g}, friction: %.17g}\n",
                  b->name, letter, b->body, letter, b->to, strcmp(b->to, "torso") == 0 ? "" : letter, b->y * scale,
                  b->z * sign, b->low, b->high, friction);
        }
    }
}

static nc_code write_ragdoll(writing *w, const nc_node *map, nc_error *err)
{
    nc_ragdoll_keys keys;
    nc_key_block_defaults(&nc_mechanism_blocks[NC_RAGDOLL], &keys);
    const nc_code code = nc_key_block_read(&nc_mechanism_blocks[NC_RAGDOLL], map, &keys, err);
    if (code != NC_OK)
        return code;
    const double scale = keys.height / RAGDOLL_HEIGHT, mass = keys.mass / RAGDOLL_MASS;
    PRINT(w, "shapes:\n  %shead: {generate: sphere, radius: %.17g, splits: 4, mass: %.17g}\n", w->own, 0.11 * scale,
          5 * mass);
    for (size_t i = 0; i < sizeof limbs / sizeof limbs[0]; i++)
        PRINT(w, "  %s%s: {generate: box, width: %.17g, height: %.17g, depth: %.17g, mass: %.17g}\n", w->own,
              limbs[i].name, limbs[i].size[0] * scale, limbs[i].size[1] * scale, limbs[i].size[2] * scale,
              limbs[i].mass * mass);
    PRINT(w, "bodies:\n");
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        PRINT(w, "- {shape: %s%s, name: %s, position: [0, %.17g, %.17g]}\n", w->own, parts[i].shape, parts[i].name,
              parts[i].y * scale, parts[i].z * scale);
    write_ragdoll_joints(w, scale, keys.friction);
    return NC_OK;
}

// ---- door -----------------------------------------------------------------------------------------------------

// Posts that the edge of the leaf turns free of: half its thickness and a gap away.
static void write_frame(writing *w, const nc_door_keys *keys)
{
    const double side = keys->width / 2 + keys->thickness / 2 + keys->gap + POST / 2;
    const double top = keys->height + 2 * keys->gap;
    PRINT(w, "- {shape: %spost, name: post_l, type: static, position: [%.17g, %.17g, 0]}\n", w->own, -side, top / 2);
    PRINT(w, "- {shape: %spost, name: post_r, type: static, position: [%.17g, %.17g, 0]}\n", w->own, side, top / 2);
    PRINT(w, "- {shape: %slintel, name: lintel, type: static, position: [0, %.17g, 0]}\n", w->own, top + POST / 2);
}

static void write_leaf(writing *w, const nc_door_keys *keys)
{
    const double top = keys->height + 2 * keys->gap;
    PRINT(w, "shapes:\n  %sleaf: {generate: box, width: %.17g, height: %.17g, depth: %.17g, mass: %.17g}\n", w->own,
          keys->width, keys->height, keys->thickness, keys->mass);
    if (keys->frame) {
        PRINT(w, "  %spost: {generate: box, width: %.17g, height: %.17g, depth: %.17g}\n", w->own, POST, top, POST);
        PRINT(w, "  %slintel: {generate: box, width: %.17g, height: %.17g, depth: %.17g}\n", w->own,
              keys->width + keys->thickness + 2 * keys->gap + 2 * POST, POST, POST);
    }
    PRINT(w, "bodies:\n- {shape: %sleaf, name: leaf, position: [0, %.17g, 0]}\n", w->own, keys->gap + keys->height / 2);
    if (keys->frame)
        write_frame(w, keys);
}

static nc_code write_door(writing *w, const nc_node *map, nc_error *err)
{
    nc_door_keys keys;
    nc_key_block_defaults(&nc_mechanism_blocks[NC_DOOR], &keys);
    const nc_code code = nc_key_block_read(&nc_mechanism_blocks[NC_DOOR], map, &keys, err);
    if (code != NC_OK)
        return code;
    const double edge = (keys.hinge == 0 ? -0.5 : 0.5) * keys.width, open = keys.open * (NC_PI / 180);
    const double middle = keys.gap + keys.height / 2;
    write_leaf(w, &keys);
    PRINT(w,
          "joints:\n- {kind: hinge, name: hinge, body: leaf, anchor: [%.17g, %.17g, 0], axis: [0, 1, 0], limits: "
          "{min: %.17g, max: %.17g}, friction: %.17g, stiffness: %.17g, damping: %.17g}\n",
          edge, middle, -open, open, keys.friction, keys.stiffness, keys.damping);
    if (keys.bolt > 0)
        PRINT(w,
              "- {kind: generic, name: bolt, body: leaf, anchor: [%.17g, %.17g, 0], axis: [0, 0, 1], axes: {x: "
              "{locked: true}}, break_force: %.17g}\n",
              -edge, middle, keys.bolt);
    return NC_OK;
}

// ---- wheel ----------------------------------------------------------------------------------------------------

static nc_code write_wheel(writing *w, const nc_node *map, nc_error *err)
{
    nc_wheel_keys keys;
    nc_key_block_defaults(&nc_mechanism_blocks[NC_WHEEL], &keys);
    const nc_code code = nc_key_block_read(&nc_mechanism_blocks[NC_WHEEL], map, &keys, err);
    if (code != NC_OK)
        return code;
    PRINT(w, "shapes:\n  %swheel: {generate: cylinder, radius: %.17g, height: %.17g, segments: %d, mass: %.17g}\n",
          w->own, keys.radius, keys.width, (int)keys.segments, keys.mass);
    PRINT(w, "bodies:\n- {shape: %swheel, name: wheel, rotation: {euler: [90, 0, 0]}}\n", w->own);
    PRINT(w, "joints:\n- {kind: generic, name: axle, body: wheel, anchor: [0, 0, 0], axis: [0, 0, 1], axis_y: "
             "[0, 1, 0], axes: {x: {locked: true}, z: {locked: true}, turn_y: {locked: true}, turn_z: {locked: true}");
    if (keys.travel > 0)
        PRINT(w, ", y: {stiffness: %.17g, damping: %.17g, rest: %.17g, limits: {min: %.17g, max: %.17g}}",
              keys.stiffness, keys.damping, -keys.load / keys.stiffness, -keys.travel, keys.travel);
    else
        PRINT(w, ", y: {locked: true}");
    if (keys.max_torque > 0)
        PRINT(w, ", turn_x: {drive: {mode: velocity, target: %.17g, max_force: %.17g}}", -keys.speed, keys.max_torque);
    PRINT(w, "}}\n");
    return NC_OK;
}

// ---- into the tree --------------------------------------------------------------------------------------------

// Everything of a mechanism stands where its entry says so.
static void set_position(nc_node *node, const nc_node *at)
{
    node->file = at->file;
    node->line = node->key_line = at->line;
    node->column = node->key_column = at->column;
    for (nc_node *entry = node->first; entry != NULL; entry = entry->next)
        set_position(entry, at);
}

// Moves the entries of `from` behind those of `onto`.
static void move_entries(nc_node *from, nc_node *onto)
{
    for (nc_node *entry = from->first, *next; entry != NULL; entry = next) {
        next = entry->next;
        nc_node_append(onto, entry);
    }
}

static nc_code add_text(expanding *x, nc_node *map, const char *key, const char *text)
{
    nc_node *node = nc_node_create(&x->scene->pool, NC_NODE_SCALAR, map->file, map->line, map->column);
    const char *copy = nc_pool_text(&x->scene->pool, text, strlen(text));
    if (node == NULL || copy == NULL)
        return nc_fail_memory(x->err, sizeof *node);
    node->key = key;
    node->text = copy;
    nc_node_append(map, node);
    return NC_OK;
}

// The body that carries a mechanism, as the file gives it: of all its joints.
static nc_code add_carrier(expanding *x, const nc_node *map, nc_node *joints)
{
    const nc_node *to = nc_node_find(map, "to");
    nc_code code = NC_OK;
    for (nc_node *joint = joints->first; to != NULL && joint != NULL && code == NC_OK; joint = joint->next) {
        code = add_text(x, joint, "to", to->text);
        if (code == NC_OK)
            set_position(joint->last, to);
    }
    return code;
}

static bool has_entry_named(const nc_node *list, const char *name)
{
    for (const nc_node *entry = list->first; entry != NULL; entry = entry->next) {
        const nc_node *node = nc_node_find(entry, "name");
        if (node != NULL && node->kind == NC_NODE_SCALAR && strcmp(node->text, name) == 0)
            return true;
    }
    return false;
}

// A name for an entry that has none: "ragdoll", "ragdoll-2", the first that no entry of its list has.
static nc_code name_entry(expanding *x, const nc_node *list, nc_node *entry, const char *base)
{
    const char *name = base;
    for (int number = 2; name != NULL && has_entry_named(list, name); number++)
        name = nc_pool_format(&x->scene->pool, "%s-%d", base, number);
    return name != NULL ? add_text(x, entry, "name", name) : nc_fail_memory(x->err, sizeof "ragdoll-2");
}

// Puts shapes, bodies and joints of a mechanism where they belong; joints that the entry has itself come after.
static nc_code attach(expanding *x, const nc_node *list, nc_node *entry, nc_node *map, nc_node *made)
{
    nc_node *shapes = nc_node_find(made, "shapes"), *bodies = nc_node_find(made, "bodies");
    nc_node *joints = nc_node_find(made, "joints"), *own = nc_node_find(entry, "joints");
    set_position(made, map);
    nc_code code = add_carrier(x, map, joints);
    if (code == NC_OK && nc_node_find(entry, "name") == NULL)
        code = name_entry(x, list, entry, map->key);
    if (code != NC_OK)
        return code;
    move_entries(shapes, x->shapes);
    nc_node_remove(entry, map);
    nc_node_append(entry, bodies);
    if (own != NULL && own->kind == NC_NODE_LIST) {
        nc_node_remove(entry, own);
        move_entries(own, joints);
    }
    nc_node_append(entry, joints);
    return NC_OK;
}

// Does one of the scene's own shapes have a name that begins so?
static bool is_taken(const expanding *x, const char *name)
{
    const nc_node *shape = x->shapes->first;
    for (int i = 0; i < x->own_shapes; i++, shape = shape->next)
        if (strncmp(shape->key, name, strlen(name)) == 0)
            return true;
    return false;
}

// What the shapes of a mechanism begin with: "door-2-", the first number that no shape has.
static const char *free_name(expanding *x, nc_mechanism kind)
{
    const char *name;
    do
        name = nc_pool_format(&x->scene->pool, "%s-%d-", nc_mechanism_blocks[kind].name, ++x->last[kind]);
    while (name != NULL && is_taken(x, name));
    return name;
}

static nc_code expand_one(expanding *x, const nc_node *list, nc_node *entry, nc_node *map, nc_mechanism kind)
{
    static nc_code (*const writers[NC_MECHANISM_COUNT])(writing *, const nc_node *, nc_error *) = {
        [NC_RAGDOLL] = write_ragdoll, [NC_DOOR] = write_door, [NC_WHEEL] = write_wheel};
    static const char *const instead[] = {"bodies", "group", "shape"};
    for (int i = 0; i < 3; i++)
        if (nc_node_find(entry, instead[i]) != NULL)
            return nc_node_fail(x->err, map, "found %s and %s; allowed: one of them", instead[i], map->key);
    nc_buffer text = nc_buffer_create(&x->scene->allocator);
    writing w = {&text, free_name(x, kind), true};
    nc_node *made = NULL;
    nc_code code = w.own != NULL ? writers[kind](&w, map, x->err) : nc_fail_memory(x->err, 1);
    if (code == NC_OK && !w.ok)
        code = nc_fail_memory(x->err, text.size);
    if (code == NC_OK)
        code = nc_node_parse(&x->scene->pool, map->file, (const char *)text.data, text.size, &made, x->err);
    nc_buffer_free(&text);
    return code == NC_OK ? attach(x, list, entry, map, made) : code;
}

static nc_code expand_list(expanding *x, nc_node *list)
{
    nc_code code = NC_OK;
    if (list == NULL || list->kind != NC_NODE_LIST)
        return NC_OK;
    for (nc_node *entry = list->first; entry != NULL && code == NC_OK; entry = entry->next) {
        if (entry->kind != NC_NODE_MAP)
            continue;
        for (int i = 0; i < NC_MECHANISM_COUNT && code == NC_OK; i++) {
            nc_node *map = nc_node_find(entry, nc_mechanism_blocks[i].name);
            if (map != NULL && map->kind == NC_NODE_MAP) // what is none is refused when the entry is read
                code = expand_one(x, list, entry, map, (nc_mechanism)i);
        }
        if (code == NC_OK)
            code = expand_list(x, nc_node_find(entry, "bodies"));
    }
    return code;
}

static bool has_mechanism(const nc_node *node)
{
    for (int i = 0; node->key != NULL && i < NC_MECHANISM_COUNT; i++)
        if (strcmp(node->key, nc_mechanism_blocks[i].name) == 0)
            return true;
    for (const nc_node *entry = node->first; entry != NULL; entry = entry->next)
        if (has_mechanism(entry))
            return true;
    return false;
}

nc_code nc_scene_expand_mechanisms(nc_scene *scene, nc_error *err)
{
    nc_node *root = scene->root, *groups = nc_node_find(root, "groups");
    expanding x = {.scene = scene, .shapes = nc_node_find(root, "shapes"), .err = err};
    if (root->kind != NC_NODE_MAP || !has_mechanism(root))
        return NC_OK;
    if (x.shapes != NULL && x.shapes->kind != NC_NODE_MAP)
        return NC_OK; // refused when it is read
    if (x.shapes == NULL) {
        x.shapes = nc_node_create(&scene->pool, NC_NODE_MAP, root->file, root->line, root->column);
        if (x.shapes == NULL)
            return nc_fail_memory(err, sizeof *x.shapes);
        x.shapes->key = "shapes";
        nc_node_append(root, x.shapes);
    }
    x.own_shapes = x.shapes->count;
    nc_code code = expand_list(&x, nc_node_find(root, "bodies"));
    for (nc_node *group = groups != NULL ? groups->first : NULL; group != NULL && code == NC_OK; group = group->next)
        code = expand_list(&x, nc_node_find(group, "bodies"));
    return code;
}
