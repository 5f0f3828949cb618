// Knots of ribbons at the end of a run: their middle lines, closed far away.
#include "scene/description.h"

#include "geom/geom.h"

#include <math.h>
#include <string.h>

int nc_scene_ribbon_columns(const nc_scene *scene, int shape)
{
    static const struct {
        const char *shape, *across;
    } ribbons[] = {{"reef_bight", "strips"}, {"bowline", "strips"}, {"sheet", "rows"}};
    const nc_node *map = scene->shapes.data[shape].node, *made = nc_node_find(map, "generate");
    int count;
    const nc_shape_info *list = nc_shape_list(&count);
    for (size_t i = 0; made != NULL && i < sizeof ribbons / sizeof ribbons[0]; i++) {
        double value = NAN;
        if (strcmp(made->text, ribbons[i].shape) != 0)
            continue;
        for (int k = 0; k < count; k++)
            for (int p = 0; strcmp(list[k].name, made->text) == 0 && p < list[k].parameter_count; p++)
                if (strcmp(list[k].parameters[p].name, ribbons[i].across) == 0)
                    value = list[k].parameters[p].fallback;
        const nc_node *given = nc_node_find(map, ribbons[i].across);
        if (given != NULL)
            nc_number_parse(given->text, &value);
        return (int)value + 1;
    }
    return 0;
}

static int find_body(const nc_scene *scene, const char *name)
{
    for (int i = 0; i < scene->bodies.count; i++)
        if (strcmp(scene->bodies.data[i].name, name) == 0)
            return i;
    return -1;
}

static nc_code check_ribbon(const nc_scene *scene, const nc_node *name, nc_error *err)
{
    const int body = find_body(scene, name->text);
    if (body < 0)
        return nc_node_fail(err, name, "there is no body \"%.64s\"", name->text);
    if (scene->bodies.data[body].cloth == NULL || nc_scene_ribbon_columns(scene, scene->bodies.data[body].shape) == 0)
        return nc_node_fail(err, name,
                            "\"%.64s\" is no ribbon; allowed: a cloth of the shape reef_bight, bowline or sheet",
                            name->text);
    return NC_OK;
}

nc_code nc_scene_read_knot(const nc_scene *scene, const nc_node *map, nc_knot_keys *out, nc_error *err)
{
    nc_key_block_defaults(&nc_knot_block, out);
    nc_code code = nc_key_block_read(&nc_knot_block, map, out, err);
    if (code != NC_OK)
        return code;
    const nc_node *ribbons = out->ribbons;
    if (ribbons->kind == NC_NODE_SCALAR)
        return check_ribbon(scene, ribbons, err);
    if (ribbons->count < 1 || ribbons->count > 2)
        return nc_node_fail(err, ribbons, "found a list of %d; allowed: one or two names", ribbons->count);
    for (const nc_node *node = ribbons->first; node != NULL && code == NC_OK; node = node->next)
        code = check_ribbon(scene, node, err);
    if (code == NC_OK && !(nc_dot(out->up, out->up) > 0))
        code = nc_node_fail(err, map, "up is 0; allowed: any other direction");
    return code;
}

// ---- measuring ----------------------------------------------------------------------------------------------

// Middle lines of one or two ribbons, with room for the closing corners.
typedef struct lines {
    nc_vec3 *points;
    int capacity;
    int start[3]; // of each line; start[lines] is the end
    int count;    // of lines
} lines;

// The middle of each row of vertices.
static nc_code add_line(const nc_scene *scene, nc_model model, int body, lines *out, nc_error *err)
{
    const nc_body_id id = {(uint32_t)body, 0}; // objects of cloth are numbered as the scene's bodies
    nc_model_body view;
    nc_code code = nc_model_read_body(model, id, &view, err);
    if (code != NC_OK)
        return code;
    const int columns = nc_scene_ribbon_columns(scene, scene->bodies.data[body].shape);
    NC_ASSERT(columns > 0); // the reader has seen that it is a ribbon
    const int rows = columns > 0 ? view.vertex_count / columns : 0, low = (columns - 1) / 2, high = columns / 2;
    nc_vec3 *all = nc_alloc(&scene->allocator, (size_t)view.vertex_count, sizeof *all);
    const int at = out->start[out->count], need = at + rows + 16;
    if (all == NULL || !nc_grow(&scene->allocator, (void **)&out->points, &out->capacity, need, sizeof *out->points))
        code = nc_fail_memory(err, (size_t)view.vertex_count * sizeof *all);
    else
        code = nc_model_read_vertices(model, id, all, NULL, err);
    for (int i = 0; i < rows && code == NC_OK; i++)
        out->points[at + i] = nc_scale(0.5, nc_add(all[i * columns + low], all[i * columns + high]));
    nc_free(&scene->allocator, all, (size_t)view.vertex_count, sizeof *all);
    out->count++;
    out->start[out->count] = at + rows;
    return code;
}

// From one end to another: straight out, over the side of `up`, and straight in again.
static int close_over(nc_vec3 *out, nc_vec3 from, nc_vec3 to, nc_vec3 center, nc_vec3 up)
{
    const double away = 20;
    out[0] = nc_madd(center, away, nc_sub(from, center));
    out[1] = nc_add(out[0], up);
    out[3] = nc_madd(center, away, nc_sub(to, center));
    out[2] = nc_add(out[3], up);
    return 4;
}

// Far enough above everything.
static nc_vec3 far_above(const lines *l, nc_vec3 up, nc_vec3 *center)
{
    const int count = l->start[l->count];
    double far = 0;
    *center = nc_v3(0, 0, 0);
    for (int i = 0; i < count; i++)
        *center = nc_madd(*center, 1.0 / count, l->points[i]);
    for (int i = 0; i < count; i++) {
        const nc_vec3 d = nc_sub(l->points[i], *center);
        far = fmax(far, nc_dot(d, d));
    }
    return nc_scale(100 * sqrt(far) / sqrt(nc_dot(up, up)), up);
}

// Of two lines the second is run through from that of its ends which is on the same side as the end of the first.
static bool runs_backwards(const lines *l, nc_vec3 up)
{
    const nc_vec3 *p = l->points;
    const nc_vec3 a = nc_sub(p[l->start[1] - 1], p[0]), b = nc_sub(p[l->start[2] - 1], p[l->start[1]]);
    return (nc_dot(a, up) > 0) == (nc_dot(b, up) > 0);
}

// All lines in one closed polygon; `out` has room for them and 8 corners.
static int close_lines(const lines *l, nc_vec3 up, nc_vec3 *out)
{
    nc_vec3 center;
    const nc_vec3 above = far_above(l, up, &center), *p = l->points;
    const int a = l->start[1], all = l->start[l->count];
    int used = 0;
    for (int i = 0; i < a; i++)
        out[used++] = p[i];
    if (l->count == 1)
        return used + close_over(out + used, p[a - 1], p[0], center, above);
    const bool backwards = runs_backwards(l, up);
    const nc_vec3 side = nc_dot(nc_sub(p[a - 1], p[0]), up) > 0 ? above : nc_scale(-1, above);
    used += close_over(out + used, p[a - 1], backwards ? p[all - 1] : p[a], center, side);
    for (int i = a; i < all; i++)
        out[used++] = backwards ? p[all - 1 - (i - a)] : p[i];
    return used + close_over(out + used, backwards ? p[a] : p[all - 1], p[0], center, nc_scale(-1, side));
}

nc_code nc_scene_measure_knot(const nc_scene *scene, const nc_knot_keys *keys, nc_model end, nc_knot_measures *out,
                              nc_error *err)
{
    lines l = {0};
    nc_code code = NC_OK;
    const nc_node *ribbons = keys->ribbons;
    const nc_node *node = ribbons->kind == NC_NODE_SCALAR ? ribbons : ribbons->first;
    for (; node != NULL && code == NC_OK; node = ribbons->kind == NC_NODE_SCALAR ? NULL : node->next)
        code = add_line(scene, end, find_body(scene, node->text), &l, err);
    const size_t room = (size_t)l.start[l.count] + 8;
    nc_vec3 *closed = code == NC_OK && l.points != NULL ? nc_alloc(&scene->allocator, room, sizeof *closed) : NULL;
    if (code == NC_OK && closed == NULL)
        code = nc_fail_memory(err, room * sizeof *closed);
    if (code == NC_OK && l.points != NULL) {
        const int count = close_lines(&l, keys->up, closed);
        out->writhe = nc_polygon_writhe(closed, count);
        out->linking =
            l.count < 2 ? NAN : nc_linking_number(l.points, l.start[1], l.points + l.start[1], l.start[2] - l.start[1]);
        code = nc_knot_determinant(closed, count, &scene->allocator, &out->determinant, err);
    }
    nc_free(&scene->allocator, closed, room, sizeof *closed);
    nc_free(&scene->allocator, l.points, (size_t)l.capacity, sizeof *l.points);
    return code;
}
