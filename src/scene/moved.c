// The list `moved`: bodies that are elsewhere than their entries and generators put them. Read after all bodies are
// there; written by repair.
#include "scene/description.h"
#include "scene/scene.h"
#include "scene/units.h"

#include "math/math.h"

#include <stdio.h>
#include <string.h>

// ---- reading ------------------------------------------------------------------------------------------------

// The row of the body that an entry names, and that can be moved.
static nc_code find_moved(const nc_scene *scene, const nc_moved_keys *keys, int *out_row, nc_error *err)
{
    const nc_node *name = nc_node_find(keys->node, "body");
    const int row = nc_scene_find_body(scene, keys->body);
    if (row < 0)
        return nc_node_fail(err, name, "there is no body \"%.100s\"", keys->body);
    const nc_scene_body *body = &scene->bodies.data[row];
    if (body->keyframe_count > 0)
        return nc_node_fail(err, name, "\"%.100s\" follows keyframes; allowed: bodies without", keys->body);
    if (body->cloth != NULL)
        return nc_node_fail(err, name, "\"%.100s\" is cloth; allowed: rigid bodies", keys->body);
    *out_row = row;
    return NC_OK;
}

static nc_code read_moved(nc_scene *scene, const nc_node *node, nc_error *err)
{
    nc_moved_keys keys;
    int row = 0;
    nc_key_block_defaults(&nc_moved_block, &keys);
    nc_code code = nc_key_block_read(&nc_moved_block, node, &keys, err);
    if (code == NC_OK)
        code = find_moved(scene, &keys, &row, err);
    if (code != NC_OK)
        return code;
    nc_scene_body *body = &scene->bodies.data[row];
    const bool moved = nc_node_find(node, "position") != NULL, turned = nc_node_find(node, "rotation") != NULL;
    if (!moved && !turned)
        return nc_node_fail(err, node, "allowed: position, rotation or both beside body");
    if (moved)
        body->position = keys.position;
    if (turned)
        body->orientation = keys.rotation;
    body->moved = body->moved || moved;
    body->turned = body->turned || turned;
    return NC_OK;
}

nc_code nc_scene_read_moved(nc_scene *scene, nc_error *err)
{
    nc_code code = NC_OK;
    const nc_node *list = scene->keys.moved;
    for (const nc_node *node = list != NULL ? list->first : NULL; node != NULL && code == NC_OK; node = node->next)
        code = read_moved(scene, node, err);
    return code;
}

// ---- writing ------------------------------------------------------------------------------------------------

static bool put(nc_buffer *out, const char *text)
{
    return nc_buffer_append(out, text, strlen(text));
}

// Where the mesh's origin is after a move: the centre of mass takes it along.
static nc_vec3 moved_position(const nc_scene_body *body, const nc_repair_move *move, bool turns)
{
    if (!turns)
        return nc_add(body->position, move->travel);
    const nc_mat3 turn = nc_quat_matrix(nc_quat_from_rotation_vector(move->rotation));
    return nc_add(move->to.x, nc_mat3_mul(turn, nc_sub(body->position, move->from.x)));
}

// {"body": "cup", "position": [0, 1, 0]}: a line of JSON, and of YAML; lengths in `unit`. `move` may be NULL.
static bool write_entry(const nc_scene_body *body, const nc_repair_move *move, int unit, nc_buffer *out)
{
    char text[512];
    const bool turns = move != NULL && nc_norm2(move->rotation) > 0;
    const nc_vec3 x = move != NULL ? moved_position(body, move, turns) : body->position;
    nc_quat q = body->orientation;
    if (turns)
        q = nc_quat_normalize(nc_quat_mul(nc_quat_from_rotation_vector(move->rotation), q));
    snprintf(text, sizeof text, "{\"body\": \"%s\", \"position\": [%.17g, %.17g, %.17g]", body->name,
             nc_unit_from_metres(unit, x.x), nc_unit_from_metres(unit, x.y), nc_unit_from_metres(unit, x.z));
    bool done = put(out, text);
    if (turns || body->turned) {
        snprintf(text, sizeof text, ", \"rotation\": {\"quaternion\": [%.17g, %.17g, %.17g, %.17g]}", q.w, q.x, q.y,
                 q.z);
        done = done && put(out, text);
    }
    return done && put(out, "}");
}

// Every body that was moved, now or before; `first`, `next` and `last` stand around the entries.
static bool write_list(const nc_scene *scene, const nc_repair *repair, int unit, const char *first, const char *next,
                       const char *last, nc_buffer *out)
{
    int at = 0, written = 0;
    bool done = true;
    for (int i = 0; i < scene->bodies.count && done; i++) {
        const nc_scene_body *body = &scene->bodies.data[i];
        const bool now = at < repair->move_count && (int)repair->moves[at].body.index == i;
        if (!now && !body->moved && !body->turned)
            continue;
        done = put(out, written++ == 0 ? first : next) && write_entry(body, now ? &repair->moves[at] : NULL, unit, out);
        at += now;
    }
    return done && (written == 0 || put(out, last));
}

static bool write_text(const nc_scene *scene, const nc_repair *repair, nc_buffer *out)
{
    bool done = put(out, "{\n");
    for (const nc_node *entry = scene->root->first; entry != NULL && done; entry = entry->next) {
        if (strcmp(entry->key, "moved") == 0)
            continue;
        done = put(out, "\"") && put(out, entry->key) && put(out, "\": ") && nc_node_write(entry, out) && put(out, ",");
    }
    return done && put(out, "\"moved\": [") && write_list(scene, repair, NC_UNIT_M, "\n  ", ",\n  ", "\n", out) &&
           put(out, "]}\n");
}

nc_code nc_scene_write_moved(const nc_scene *scene, const nc_repair *repair, nc_buffer *block, nc_buffer *text,
                             nc_error *err)
{
    if (block != NULL && !write_list(scene, repair, scene->unit, "moved:\n  - ", "\n  - ", "\n", block))
        return nc_fail_memory(err, block->size);
    if (text != NULL && !write_text(scene, repair, text))
        return nc_fail_memory(err, text->size);
    return NC_OK;
}

// ---- repair -------------------------------------------------------------------------------------------------

static nc_code reload(nc_scene **scene, const nc_repair *repair, nc_error *err)
{
    nc_buffer text = nc_buffer_create(&(*scene)->allocator);
    nc_scene *moved = NULL;
    nc_code code = nc_scene_write_moved(*scene, repair, NULL, &text, err);
    if (code == NC_OK) {
        const nc_scene_def def = {.path = (*scene)->path,
                                  .text = (const char *)text.data,
                                  .text_size = text.size,
                                  .allocator = &(*scene)->allocator};
        code = nc_scene_load(&def, &moved, err);
    }
    nc_buffer_free(&text);
    if (code == NC_OK) {
        moved->unit = (*scene)->unit; // of the file, which `moved` is written for
        nc_scene_destroy(*scene);
        *scene = moved;
    }
    return code;
}

nc_code nc_scene_repair(nc_scene **scene, const nc_repair_def *def, nc_repair *out, nc_error *err)
{
    nc_model model = {NULL, NULL};
    *out = (nc_repair){0};
    if ((*scene)->settings.is_cloth)
        return NC_OK;
    nc_code code = nc_scene_build_unchecked(*scene, NULL, &model, err);
    if (code == NC_OK)
        code = nc_world_repair(nc_model_world(model), def, out, err);
    nc_model_destroy(model);
    return code == NC_OK && out->move_count > 0 ? reload(scene, out, err) : code;
}
