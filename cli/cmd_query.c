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
    .about = "Answers a question about two meshes: distance, proximity, sweep, trajectory, intersection.",
    .details =
        "QUESTION is a JSON (or YAML) file; without one, or with -, it is read from the standard input. It names\n"
        "the query, the meshes (files or procedural shapes), their poses and their motions:\n"
        "\n"
        "  {\"ask\": \"sweep\", \"a\": {\"file\": \"hull.obj\"}, \"b\": {\"generate\": \"ring\", \"radius\": 0.3},\n"
        "   \"pose_a\": {\"position\": [2, 0, 0]}, \"motion_a\": {\"travel\": [-4, 0, 0]}, \"gap\": 1e-4}\n"
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

// Points of A on their trajectories, against all of B.
static nc_code query_trajectory(const nc_question *q, nc_json *json, nc_error *err)
{
    const nc_allocator allocator = nc_allocator_default();
    int count = 0;
    nc_code code = nc_mesh_sample(q->a, q->spacing, NULL, 0, &count, err);
    if (code != NC_OK)
        return code;
    const int capacity = count;
    nc_vec3 *points = nc_alloc(&allocator, (size_t)capacity, sizeof *points);
    if (points == NULL)
        return nc_fail_memory(err, (size_t)capacity * sizeof *points);
    nc_trajectory_result r;
    const nc_target target = nc_target_mesh(q->b);
    code = nc_mesh_sample(q->a, q->spacing, points, capacity, &count, err);
    if (code == NC_OK)
        code = nc_trajectory_contact(points, count, &q->motion_a, &target, &q->motion_b, &q->trajectory, &r, err);
    if (code == NC_OK)
        write_trajectory(q, &r, count, json);
    nc_free(&allocator, points, (size_t)capacity, sizeof *points);
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
        [NC_QUESTION_DISTANCE] = query_distance,
        [NC_QUESTION_PROXIMITY] = query_proximity,
        [NC_QUESTION_SWEEP] = query_sweep,
        [NC_QUESTION_TRAJECTORY] = query_trajectory,
        [NC_QUESTION_INTERSECTION] = query_intersection,
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
