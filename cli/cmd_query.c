// nacre query: answers one question about two meshes.
#include "cli.h"

#include "narrow/narrow.h"
#include "scene/scene.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define MAX_BYTES (16 * 1024 * 1024)

static int query(const nc_command *command, int argc, char **argv);

const nc_command nc_command_query = {
    .name = "query",
    .arguments = "[QUESTION]",
    .about = "Answers a question about two meshes: distance, proximity, sweep, trajectory, contacts, intersection.",
    .details =
        "QUESTION is a JSON (or YAML) file; without one, or with -, it is read from the standard input. It names\n"
        "the query, the meshes (files or procedural shapes), their poses and their motions:\n"
        "\n"
        "  {\"ask\": \"sweep\", \"a\": {\"file\": \"hull.obj\"}, \"b\": {\"generate\": \"ring\", \"radius\": 0.3},\n"
        "   \"pose_a\": {\"position\": [2, 0, 0]}, \"motion_a\": {\"travel\": [-4, 0, 0]}, \"gap\": 1e-4}\n"
        "\n"
        "B may also be a solid of primitives (csg), which trajectory and contacts take exactly, as an implicit\n"
        "function or as a level set (target), or a bicubic patch.\n"
        "\n"
        "The answer is one JSON object. The exit code is 0 whatever the result.\n",
    .examples = "nacre query question.json\n"
                "echo '{ask: distance, a: {generate: boat}, b: {generate: box}}' | nacre query\n",
    .options = NULL,
    .option_count = 0,
    .min_arguments = 0,
    .max_arguments = 1,
    .run = query,
};

// ---- telling ------------------------------------------------------------------------------------------------

static void write_feature(nc_json *json, nc_feature_id feature)
{
    static const char *const names[] = {
        [NC_VERTEX_FACE] = "vertex_face", [NC_FACE_VERTEX] = "face_vertex", [NC_EDGE_EDGE] = "edge_edge",
        [NC_VERTEX_EDGE] = "vertex_edge", [NC_EDGE_VERTEX] = "edge_vertex", [NC_VERTEX_VERTEX] = "vertex_vertex"};
    nc_json_begin(json, "feature", '{');
    nc_json_text(json, "kind", names[feature.kind]);
    nc_json_whole(json, "a", feature.a);
    nc_json_whole(json, "b", feature.b);
    nc_json_end(json, '}');
}

static void write_verdict(nc_json *json, nc_verdict verdict, double time)
{
    nc_json_text(json, "verdict", verdict == NC_CLEAR ? "clear" : verdict == NC_HIT ? "hit" : "undecided");
    nc_json_number(json, "time", time);
}

static void write_near(nc_json *json, const nc_proximity *p)
{
    nc_json_number(json, "distance", p->distance);
    nc_json_number(json, "lower_bound", p->lower_bound);
    nc_json_vec3(json, "on_a", p->on_a);
    nc_json_vec3(json, "on_b", p->on_b);
    nc_json_vec3(json, "normal", p->normal);
    write_feature(json, p->feature);
}

static void begin_result(nc_json *json, const nc_question *q)
{
    nc_json_begin(json, NULL, '{');
    nc_json_text(json, "ask", nc_question_names[q->ask]);
}

// ---- answering ----------------------------------------------------------------------------------------------

static nc_code query_distance(const nc_question *q, nc_json *json, nc_error *err)
{
    nc_proximity nearest;
    const nc_code code = nc_mesh_distance(q->a, q->motion_a.start, q->b, q->motion_b.start, &nearest, err);
    if (code != NC_OK)
        return code;
    begin_result(json, q);
    write_near(json, &nearest);
    nc_json_end(json, '}');
    return NC_OK;
}

static nc_code query_proximity(const nc_question *q, nc_json *json, nc_error *err)
{
    const nc_allocator allocator = nc_allocator_default();
    nc_proximity_list near = {.allocator = &allocator};
    nc_proximity_options options = nc_proximity_defaults();
    options.every_pair = q->every_pair;
    options.angle = isnan(q->angle) ? options.angle : q->angle;
    const nc_code code =
        nc_proximity_find(q->a, q->motion_a.start, q->b, q->motion_b.start, q->within, &options, &near, err);
    if (code == NC_OK) {
        begin_result(json, q);
        nc_json_whole(json, "count", near.count);
        nc_json_begin(json, q->every_pair ? "pairs" : "contacts", '[');
        for (int i = 0; i < near.count; i++) {
            nc_json_begin(json, NULL, '{');
            write_near(json, &near.data[i]);
            nc_json_end(json, '}');
        }
        nc_json_end(json, ']');
        nc_json_end(json, '}');
    }
    nc_proximity_list_free(&near);
    return code;
}

static nc_code query_sweep(const nc_question *q, nc_json *json, nc_error *err)
{
    nc_sweep_result r;
    const nc_code code = nc_mesh_sweep(q->a, &q->motion_a, q->b, &q->motion_b, &q->sweep, &r, err);
    if (code != NC_OK)
        return code;
    begin_result(json, q);
    write_verdict(json, r.verdict, r.toi);
    nc_json_number(json, "distance_bound", r.distance);
    if (r.verdict != NC_CLEAR) {
        write_feature(json, r.feature);
        nc_json_vec3(json, "nearest", r.nearest);
    }
    nc_json_begin(json, "work", '{');
    nc_json_whole(json, "node_tests", r.counts.node_tests);
    nc_json_whole(json, "element_tests", r.counts.element_tests);
    nc_json_whole(json, "feature_tests", r.counts.feature_tests);
    nc_json_whole(json, "evaluations", r.counts.evaluations);
    nc_json_end(json, '}');
    nc_json_end(json, '}');
    return NC_OK;
}

static void write_trajectory(const nc_question *q, const nc_trajectory_result *r, int points, nc_json *json)
{
    begin_result(json, q);
    write_verdict(json, r->verdict, r->toi);
    nc_json_whole(json, "points", points);
    if (r->verdict != NC_CLEAR) {
        nc_json_whole(json, "point", r->point);
        nc_json_vec3(json, "place", r->place);
        nc_json_vec3(json, "normal", r->normal);
    }
    nc_json_whole(json, "queries", r->queries);
    nc_json_end(json, '}');
}

// ---- targets ----

// What a target is made from, as long as it is used.
typedef struct target_parts {
    nc_allocator allocator;
    nc_csg csg;
    nc_implicit implicit;
    nc_level_set set;
    double *values;
    size_t value_count;
    nc_parametric surface;
    nc_target target;
} target_parts;

static double solid_value(const void *ctx, nc_vec3 p)
{
    return nc_csg_value(ctx, p);
}

#define LEVEL_CELLS 48.0  // along the longest side of a level set whose cell is not given
#define LEVEL_MAX   1.6e7 // samples

// Samples over the mesh's box and two cells more on every side.
static nc_code make_level_set(const nc_question *q, target_parts *parts, nc_error *err)
{
    const nc_box box = nc_mesh_view(q->b).box;
    const nc_vec3 size = nc_sub(box.hi, box.lo);
    const double cell = isnan(q->cell) ? fmax(size.x, fmax(size.y, size.z)) / LEVEL_CELLS : q->cell;
    const double n[3] = {ceil(size.x / cell) + 5, ceil(size.y / cell) + 5, ceil(size.z / cell) + 5};
    if (!(n[0] * n[1] * n[2] <= LEVEL_MAX))
        return nc_fail(err, NC_BAD_ARGUMENT, "a level set with cells of %g m has more than %g samples", cell,
                       LEVEL_MAX);
    parts->set = (nc_level_set){.origin = nc_sub(box.lo, nc_scale(2 * cell, nc_v3(1, 1, 1))),
                                .spacing = cell,
                                .count = {(int)n[0], (int)n[1], (int)n[2]}};
    parts->value_count = (size_t)(n[0] * n[1] * n[2]);
    parts->values = nc_alloc(&parts->allocator, parts->value_count, sizeof *parts->values);
    if (parts->values == NULL)
        return nc_fail_memory(err, parts->value_count * sizeof *parts->values);
    size_t row = 0;
    for (int k = 0; k < parts->set.count[2]; k++)
        for (int j = 0; j < parts->set.count[1]; j++)
            for (int i = 0; i < parts->set.count[0]; i++)
                parts->values[row++] = nc_csg_value(&parts->csg, nc_madd(parts->set.origin, cell, nc_v3(i, j, k)));
    parts->set.values = parts->values;
    return nc_target_level_set(&parts->set, &parts->target, err);
}

static nc_code make_target(const nc_question *q, nc_target_kind kind, const nc_mesh *mesh, const nc_solid *solid,
                           target_parts *parts, nc_error *err)
{
    nc_code code = NC_OK;
    *parts = (target_parts){.allocator = nc_allocator_default(), .csg = {solid->nodes, solid->count}};
    if (kind == NC_TARGET_MESH) {
        parts->target = nc_target_mesh(mesh);
        return NC_OK;
    }
    if (kind == NC_TARGET_PATCH) {
        code = nc_bezier_parametric(&q->patch, &parts->surface, err);
        return code == NC_OK ? nc_target_parametric(&parts->surface, &parts->target, err) : code;
    }
    code = nc_target_csg(&parts->csg, &parts->target, err);
    if (code == NC_OK && kind == NC_TARGET_LEVEL_SET)
        return make_level_set(q, parts, err);
    if (code == NC_OK && kind == NC_TARGET_IMPLICIT) {
        const double size = nc_norm(nc_sub(nc_mesh_view(mesh).box.hi, nc_mesh_view(mesh).box.lo));
        parts->implicit = (nc_implicit){
            .value = solid_value, .ctx = &parts->csg, .slope = 1, .error = 1e-12 * size, .step = 1e-6 * size};
        return nc_target_implicit(&parts->implicit, &parts->target, err);
    }
    return code;
}

static void free_target(target_parts *parts)
{
    nc_free(&parts->allocator, parts->values, parts->value_count, sizeof *parts->values);
}

typedef struct samples {
    nc_vec3 *points;
    int count, capacity;
} samples;

static nc_code sample(const nc_mesh *mesh, double spacing, samples *out, nc_error *err)
{
    const nc_allocator allocator = nc_allocator_default();
    nc_code code = nc_mesh_sample(mesh, spacing, NULL, 0, &out->capacity, err);
    if (code != NC_OK)
        return code;
    out->points = nc_alloc(&allocator, (size_t)out->capacity, sizeof *out->points);
    if (out->points == NULL)
        return nc_fail_memory(err, (size_t)out->capacity * sizeof *out->points);
    return nc_mesh_sample(mesh, spacing, out->points, out->capacity, &out->count, err);
}

static void free_samples(samples *s)
{
    const nc_allocator allocator = nc_allocator_default();
    nc_free(&allocator, s->points, (size_t)s->capacity, sizeof *s->points);
}

// Points of A on their trajectories, against all of B.
static nc_code query_trajectory(const nc_question *q, nc_json *json, nc_error *err)
{
    samples of_a = {0};
    target_parts parts = {0};
    nc_trajectory_result r;
    nc_code code = sample(q->a, q->spacing, &of_a, err);
    if (code == NC_OK)
        code = make_target(q, q->target, q->b, q->solid_b, &parts, err);
    if (code == NC_OK)
        code = nc_trajectory_contact(of_a.points, of_a.count, &q->motion_a, &parts.target, &q->motion_b, &q->trajectory,
                                     &r, err);
    if (code == NC_OK)
        write_trajectory(q, &r, of_a.count, json);
    free_samples(&of_a);
    free_target(&parts);
    return code;
}

static void write_contacts(const nc_question *q, const nc_trajectory_list *list, nc_json *json)
{
    begin_result(json, q);
    write_verdict(json, list->count > 0 ? NC_HIT : NC_CLEAR, list->toi);
    nc_json_whole(json, "count", list->count);
    nc_json_begin(json, "contacts", '[');
    for (int i = 0; i < list->count; i++) {
        const nc_trajectory_point *p = &list->data[i];
        nc_json_begin(json, NULL, '{');
        nc_json_text(json, "body", p->body == 0 ? "a" : "b");
        nc_json_whole(json, "point", p->point);
        write_verdict(json, p->verdict, p->toi);
        nc_json_vec3(json, "place", p->place);
        nc_json_vec3(json, "normal", p->normal);
        nc_json_end(json, '}');
    }
    nc_json_end(json, ']');
    nc_json_whole(json, "queries", list->queries);
    nc_json_end(json, '}');
}

// Points of A against B, and points of B, if it has any, against A.
static nc_code query_contacts(const nc_question *q, nc_json *json, nc_error *err)
{
    const nc_allocator allocator = nc_allocator_default();
    const nc_target_kind kind_a = q->solid_a->count > 0 ? NC_TARGET_SOLID : NC_TARGET_MESH;
    samples of_a = {0}, of_b = {0};
    target_parts part_a = {0}, part_b = {0};
    nc_trajectory_list list = {.allocator = &allocator};
    nc_code code = sample(q->a, q->spacing, &of_a, err);
    if (code == NC_OK && q->b != NULL)
        code = sample(q->b, q->spacing, &of_b, err);
    if (code == NC_OK)
        code = make_target(q, kind_a, q->a, q->solid_a, &part_a, err);
    if (code == NC_OK)
        code = make_target(q, q->target, q->b, q->solid_b, &part_b, err);
    if (code == NC_OK) {
        const nc_trajectory_body a = {of_a.points, of_a.count, &part_a.target, q->motion_a};
        const nc_trajectory_body b = {of_b.points, of_b.count, &part_b.target, q->motion_b};
        code = nc_trajectory_contacts(&a, &b, &q->trajectory, q->window, &list, err);
    }
    if (code == NC_OK)
        write_contacts(q, &list, json);
    nc_trajectory_list_free(&list);
    free_samples(&of_a);
    free_samples(&of_b);
    free_target(&part_a);
    free_target(&part_b);
    return code;
}

static void write_element(nc_json *json, const char *key, nc_element kind, int row)
{
    static const char *const names[] = {"triangle", "edge", "point"};
    nc_json_begin(json, key, '{');
    nc_json_text(json, "kind", names[kind]);
    nc_json_whole(json, "row", row);
    nc_json_end(json, '}');
}

static nc_code query_intersection(const nc_question *q, nc_json *json, nc_error *err)
{
    bool hit;
    nc_intersection where;
    const nc_code code = nc_mesh_intersect(q->a, q->motion_a.start, q->b, q->motion_b.start, &hit, &where, err);
    if (code != NC_OK)
        return code;
    begin_result(json, q);
    nc_json_flag(json, "intersects", hit);
    if (hit) {
        write_element(json, "element_a", where.kind_a, where.element_a);
        write_element(json, "element_b", where.kind_b, where.element_b);
        nc_json_vec3(json, "place", where.place);
    }
    nc_json_end(json, '}');
    return NC_OK;
}

static nc_code run_query(const nc_question *question, nc_error *err)
{
    static nc_code (*const query_functions[NC_QUESTION_COUNT])(const nc_question *, nc_json *, nc_error *) = {
        [NC_QUESTION_DISTANCE] = query_distance, [NC_QUESTION_PROXIMITY] = query_proximity,
        [NC_QUESTION_SWEEP] = query_sweep,       [NC_QUESTION_TRAJECTORY] = query_trajectory,
        [NC_QUESTION_CONTACTS] = query_contacts, [NC_QUESTION_INTERSECTION] = query_intersection,
    };
    nc_json json = {.out = stdout};
    return query_functions[question->ask](question, &json, err);
}

// ---- the command --------------------------------------------------------------------------------------------

static nc_code read_stream(FILE *file, const char *name, nc_buffer *out, nc_error *err)
{
    char block[16384];
    size_t size;
    while ((size = fread(block, 1, sizeof block, file)) > 0) {
        if (out->size + size > MAX_BYTES)
            return nc_fail_at(err, NC_BAD_SCENE, name, 0, 0, "more than %d bytes; a question has at most that",
                              MAX_BYTES);
        if (!nc_buffer_append(out, block, size))
            return nc_fail_memory(err, out->size + size);
    }
    return ferror(file) ? nc_fail(err, NC_IO, "cannot read '%s': %s", name, strerror(errno)) : NC_OK;
}

static nc_code read_text(const char *path, nc_buffer *out, nc_error *err)
{
    if (strcmp(path, "-") == 0)
        return read_stream(stdin, "standard input", out, err);
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return nc_fail(err, errno == ENOENT ? NC_NOT_FOUND : NC_IO, "cannot read '%s': %s", path, strerror(errno));
    const nc_code code = read_stream(file, path, out, err);
    fclose(file);
    return code;
}

static nc_exit ask(const nc_words *arguments, void *ctx)
{
    (void)ctx;
    const char *path = arguments->count > 0 ? arguments->items[0] : "-";
    const nc_allocator allocator = nc_allocator_default();
    nc_error err = {0};
    nc_question question = {.ask = NC_QUESTION_DISTANCE};
    nc_buffer text = nc_buffer_create(&allocator);
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    nc_code code = read_text(path, &text, &err);
    if (code == NC_OK)
        code =
            nc_question_read(name, text.data != NULL ? (const char *)text.data : "", text.size, NULL, &question, &err);
    if (code == NC_OK)
        code = run_query(&question, &err);
    nc_question_free(&question);
    nc_buffer_free(&text);
    return code == NC_OK ? NC_EXIT_DONE : nc_complain(&err);
}

static int query(const nc_command *command, int argc, char **argv)
{
    return nc_command_work(command, argc, argv, NULL, ask);
}
