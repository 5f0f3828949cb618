// What is wrong with the start of a scene that is refused: pairs that touch or overlap, and where.
#include "view/view.h"

#include "model/model.h"
#include "reel/reel.h"
#include "repair/repair.h"

#include <math.h>
#include <stdlib.h>

#define OVERLAPS_MAX 100000 // of cloth: pairs of triangles that are looked at

// Elements of a body that are to be shown: ascending and each once, when they are written.
typedef struct parts {
    int data[4 * NC_VIEW_REFUSED_PARTS];
    int count;
} parts;

typedef struct refusal {
    nc_model model;
    nc_json json;
} refusal;

static void add_part(parts *list, int element)
{
    if (element >= 0 && list->count < 4 * NC_VIEW_REFUSED_PARTS)
        list->data[list->count++] = element;
}

static int by_number(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static void sort_parts(parts *list)
{
    qsort(list->data, (size_t)list->count, sizeof *list->data, by_number);
    int kept = 0;
    for (int i = 0; i < list->count && kept < NC_VIEW_REFUSED_PARTS; i++)
        if (i == 0 || list->data[i] != list->data[i - 1])
            list->data[kept++] = list->data[i];
    list->count = kept;
}

// ---- elements -----------------------------------------------------------------------------------------------

// The corners of each element in the world: nine numbers of a triangle, six of an edge, three of a point.
static nc_code write_parts(refusal *r, const char *key, nc_body_id id, parts *list, nc_error *err)
{
    nc_model_body body;
    nc_mesh *mesh = NULL;
    const nc_allocator allocator = nc_allocator_or_default(NULL);
    nc_code code = nc_model_read_body(r->model, id, &body, err);
    if (code == NC_OK)
        code = nc_model_make_mesh(r->model, body.mesh, &allocator, &mesh, err);
    if (code != NC_OK)
        return code;
    const nc_vec3 *vertices = nc_mesh_view(mesh).vertices;
    sort_parts(list);
    nc_json_begin(&r->json, key, '[');
    for (int i = 0; i < list->count; i++) {
        int v[3];
        const int corners = nc_mesh_element(mesh, list->data[i], v);
        nc_json_begin(&r->json, NULL, '[');
        for (int k = 0; k < corners; k++) {
            const nc_vec3 at = nc_pose_apply(body.pose, vertices[v[k]]);
            nc_json_number(&r->json, NULL, at.x);
            nc_json_number(&r->json, NULL, at.y);
            nc_json_number(&r->json, NULL, at.z);
        }
        nc_json_end(&r->json, ']');
    }
    nc_json_end(&r->json, ']');
    nc_mesh_release(mesh);
    return NC_OK;
}

// ---- rigid bodies -------------------------------------------------------------------------------------------

typedef struct two_sides {
    parts a, b;
} two_sides;

static void add_elements(int element_a, int element_b, void *ctx)
{
    two_sides *sides = ctx;
    add_part(&sides->a, element_a);
    add_part(&sides->b, element_b);
}

// "0.5 mm deep; apart when \"cup\" moves up", for the one of the two that can be moved.
static void describe(const nc_world *world, const nc_conflict *c, char *out, size_t size)
{
    const nc_bodies *bodies = &world->state.bodies;
    const bool b_moves = bodies->inv_mass[c->b.index] > 0;
    char depth[32], direction[64];
    const char *name = nc_body_name(world, b_moves ? c->b : c->a);
    nc_direction_text(b_moves ? nc_neg(c->direction) : c->direction, world->settings.gravity, direction,
                      sizeof direction);
    if (c->kind == NC_CONFLICT_INSIDE)
        snprintf(out, size, "\"%.100s\" is inside the closed surface of \"%.100s\"",
                 nc_body_name(world, c->a_is_inside ? c->a : c->b), nc_body_name(world, c->a_is_inside ? c->b : c->a));
    else if (isnan(c->depth))
        snprintf(out, size, "not measured");
    else if (!(c->depth < INFINITY))
        snprintf(out, size, "deeper than a quarter of the smaller one");
    else if (c->kind == NC_CONFLICT_TOUCHING)
        snprintf(out, size, "apart when \"%.100s\" moves %s", name, direction);
    else
        snprintf(out, size, "%s deep; apart when \"%.100s\" moves %s", nc_length_text(c->depth, depth, sizeof depth),
                 name, direction);
}

static nc_code write_conflict(refusal *r, const nc_world *world, const nc_conflict *c, nc_error *err)
{
    static const char *const kinds[] = {"touching", "overlapping", "inside"};
    char text[400];
    two_sides *sides = calloc(1, sizeof *sides);
    if (sides == NULL)
        return nc_fail_memory(err, sizeof *sides);
    const nc_posed_pair pair = {.a = nc_body_mesh(world, c->a),
                                .b = nc_body_mesh(world, c->b),
                                .pose_a = world->state.bodies.pose[c->a.index],
                                .pose_b = world->state.bodies.pose[c->b.index]};
    if (c->kind != NC_CONFLICT_INSIDE)
        nc_shared_elements_visit(&pair, add_elements, sides);
    describe(world, c, text, sizeof text);
    nc_json_begin(&r->json, NULL, '{');
    nc_json_whole(&r->json, "a", c->a.index);
    nc_json_whole(&r->json, "b", c->b.index);
    nc_json_text(&r->json, "kind", kinds[c->kind]);
    nc_json_number(&r->json, "depth", c->depth);
    nc_json_vec3(&r->json, "direction", c->direction);
    nc_json_text(&r->json, "text", text);
    nc_json_vec3(&r->json, "place", c->where.place);
    nc_code code = write_parts(r, "partsA", c->a, &sides->a, err);
    if (code == NC_OK)
        code = write_parts(r, "partsB", c->b, &sides->b, err);
    nc_json_end(&r->json, '}');
    free(sides);
    return code;
}

// Bodies inside others do not keep a scene from starting: they come last, where there is room.
static nc_code write_bodies(refusal *r, const nc_world *world, nc_error *err)
{
    nc_repair found;
    nc_code code = nc_world_find_conflicts(world, NULL, NC_VIEW_REFUSED_PAIRS, &found, err);
    int count = 0, written = 0;
    for (int k = 0; k < found.conflict_count; k++)
        count += found.conflicts[k].kind != NC_CONFLICT_INSIDE;
    nc_json_whole(&r->json, "count", count);
    nc_json_begin(&r->json, "pairs", '[');
    for (int inside = 0; inside < 2; inside++)
        for (int k = 0; k < found.conflict_count && code == NC_OK && written < NC_VIEW_REFUSED_PAIRS; k++)
            if ((found.conflicts[k].kind == NC_CONFLICT_INSIDE) == (inside == 1)) {
                code = write_conflict(r, world, &found.conflicts[k], err);
                written++;
            }
    nc_json_end(&r->json, ']');
    nc_repair_free(&found);
    return code;
}

// ---- cloth --------------------------------------------------------------------------------------------------

static bool same_objects(const nc_overlap *a, const nc_overlap *b)
{
    return a->a.index == b->a.index && a->b.index == b->b.index;
}

// All overlaps of the objects that the first one is of.
static nc_code write_objects(refusal *r, const nc_overlap *all, int first, int count, nc_error *err)
{
    two_sides *sides = calloc(1, sizeof *sides);
    char text[64];
    int pairs = 0;
    if (sides == NULL)
        return nc_fail_memory(err, sizeof *sides);
    for (int k = first; k < count; k++)
        if (same_objects(&all[first], &all[k])) {
            add_part(&sides->a, all[k].where.element_a);
            add_part(&sides->b, all[k].where.element_b);
            pairs++;
        }
    snprintf(text, sizeof text, "%d pair%s of triangles", pairs, pairs == 1 ? "" : "s");
    nc_json_begin(&r->json, NULL, '{');
    nc_json_whole(&r->json, "a", all[first].a.index);
    nc_json_whole(&r->json, "b", all[first].b.index);
    nc_json_text(&r->json, "kind", "overlapping");
    nc_json_number(&r->json, "depth", NAN);
    nc_json_vec3(&r->json, "direction", nc_v3(0, 0, 0));
    nc_json_text(&r->json, "text", text);
    nc_json_vec3(&r->json, "place", all[first].where.place);
    nc_code code = write_parts(r, "partsA", all[first].a, &sides->a, err);
    if (code == NC_OK)
        code = write_parts(r, "partsB", all[first].b, &sides->b, err);
    nc_json_end(&r->json, '}');
    free(sides);
    return code;
}

static bool is_first(const nc_overlap *all, int k)
{
    for (int i = 0; i < k; i++)
        if (same_objects(&all[i], &all[k]))
            return false;
    return true;
}

static nc_code write_cloth(refusal *r, nc_error *err)
{
    nc_overlap *all = calloc(OVERLAPS_MAX, sizeof *all);
    if (all == NULL)
        return nc_fail_memory(err, OVERLAPS_MAX * sizeof *all);
    int count = 0, written = 0;
    nc_code code = nc_model_audit(r->model, all, OVERLAPS_MAX, &count, err);
    const int looked_at = count < OVERLAPS_MAX ? count : OVERLAPS_MAX;
    nc_json_begin(&r->json, "pairs", '[');
    for (int k = 0; k < looked_at && code == NC_OK && written < NC_VIEW_REFUSED_PAIRS; k++)
        if (is_first(all, k)) {
            code = write_objects(r, all, k, looked_at, err);
            written++;
        }
    nc_json_end(&r->json, ']');
    nc_json_whole(&r->json, "count", written);
    free(all);
    return code;
}

// ---- all of it ----------------------------------------------------------------------------------------------

nc_code nc_view_write_refusal(nc_model model, const char *sentence, const char *command, nc_buffer *out, nc_error *err)
{
    char *text = NULL;
    size_t size = 0;
    refusal r = {.model = model, .json = {.out = open_memstream(&text, &size), .one_line = true}};
    if (r.json.out == NULL)
        return nc_fail_memory(err, 4096);
    nc_json_begin(&r.json, NULL, '{');
    nc_json_text(&r.json, "sentence", sentence);
    nc_json_text(&r.json, "command", command);
    const nc_world *world = nc_model_world(model);
    const nc_code code = world != NULL ? write_bodies(&r, world, err) : write_cloth(&r, err);
    nc_json_end(&r.json, '}');
    const bool done = fclose(r.json.out) == 0 && nc_buffer_append(out, text, size);
    free(text);
    return code == NC_OK && !done ? nc_fail_memory(err, size) : code;
}
