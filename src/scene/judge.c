// Judging a run by the scene's expect block.
#include "scene/description.h"
#include "scene/scene.h"

#include "math/math.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RANGE_OF_STORED(range)  NULL
#define RANGE_OF_JUDGED(range)  (range)
#define RANGE_OF_SUMMARY(range) (range)

typedef struct judging {
    const nc_run_summary *run;
    const nc_scene *scene;
    nc_model end;
    nc_buffer *out; // NULL: no lines wanted
    nc_error *err;
    int failed;
    bool quiet; // say only what failed
} judging;

static nc_code say(judging *j, bool ok, const nc_node *node, const char *what, const char *measured,
                   const char *allowed)
{
    char line[512], allowed_part[128] = "";
    if (ok && j->quiet)
        return NC_OK;
    if (!ok)
        snprintf(allowed_part, sizeof allowed_part, " (allowed: %s)", allowed);
    snprintf(line, sizeof line, "%-4s  %.200s: %s%s  %.80s:%d\n", ok ? "ok" : "FAIL", what, measured, allowed_part,
             node->file, node->line);
    j->failed += !ok;
    if (j->out != NULL && !nc_buffer_append(j->out, line, strlen(line)))
        return nc_fail_memory(j->err, strlen(line));
    return NC_OK;
}

const char *nc_range_text(const nc_range *range, char *out, size_t out_size)
{
    if (range->min == range->max)
        snprintf(out, out_size, "%.9g", range->min);
    else if (isinf(range->max))
        snprintf(out, out_size, "at least %.9g", range->min);
    else if (isinf(range->min))
        snprintf(out, out_size, "at most %.9g", range->max);
    else
        snprintf(out, out_size, "%.9g to %.9g", range->min, range->max);
    return out;
}

// One value against its range; NaN stands for "not measured" and fails. Rows that were not requested are ok.
static nc_code judge_value(judging *j, const nc_node *map, const char *prefix, const char *key, const nc_range *range,
                           double value)
{
    char what[200], measured[48], allowed[96];
    if (!range->given)
        return NC_OK;
    snprintf(what, sizeof what, "%s%s", prefix, key);
    if (isnan(value))
        snprintf(measured, sizeof measured, "not measured");
    else
        snprintf(measured, sizeof measured, "%.9g", value + 0.0);
    const bool ok = value >= range->min && value <= range->max;
    return say(j, ok, nc_node_find(map, key), what, measured, nc_range_text(range, allowed, sizeof allowed));
}

static nc_code judge_separation(judging *j, const nc_expect_keys *keys)
{
    char measured[64];
    if (!keys->separation)
        return NC_OK;
    if (j->run->intersecting_pairs < 0)
        snprintf(measured, sizeof measured, "not audited");
    else
        snprintf(measured, sizeof measured, "%lld intersecting pairs", (long long)j->run->intersecting_pairs);
    return say(j, j->run->intersecting_pairs == 0, nc_node_find(keys->node, "separation"), "separation", measured,
               "0 intersecting pairs in audited frames");
}

static double kinetic_drift(const nc_run_summary *run)
{
    const double change = fabs(run->kinetic - run->kinetic_start);
    return change > 0 ? change / run->kinetic_start : 0;
}

// What is not the number of a report.
static nc_code judge_run(judging *j, const nc_expect_keys *keys)
{
    const nc_run_summary *run = j->run;
    const struct {
        const char *key;
        const nc_range *range;
        double value;
    } rows[] = {
        {"escaped", &keys->escaped, run->escaped},
        {"steps", &keys->steps, (double)run->steps},
        {"frames", &keys->frames, (double)run->frames},
        {"body_count", &keys->body_count, nc_model_body_count(j->end)},
        {"energy", &keys->energy, run->kinetic + run->potential},
        {"energy_drift", &keys->energy_drift, run->energy_drift},
        {"kinetic_drift", &keys->kinetic_drift, kinetic_drift(run)},
        {"momentum_drift", &keys->momentum_drift, run->momentum_drift},
        {"jammed", &keys->jammed, run->jammed},
        {"jam_time", &keys->jam_time, run->jam_time},
    };
    nc_code code = NC_OK;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && code == NC_OK; i++)
        code = judge_value(j, keys->node, "", rows[i].key, rows[i].range, rows[i].value);
    return code;
}

// A number of the reports; NaN where nothing was measured. Crossings of cloth are looked for in an audit only.
static double reported(const nc_run_summary *run, int row)
{
    const nc_report_field field = nc_run_summary_field(row, NULL);
    if (strcmp(field.name, "crossings") == 0 && run->has_cloth && run->audited_pieces == 0 && run->steps > 0)
        return NAN;
    const double value = nc_field_value(&field, run);
    return field.rule == NC_FIELD_LEAST && value < 0 ? (double)NAN : value;
}

static nc_code judge_reports(judging *j, const nc_expect_keys *keys)
{
    // The range of each row, NULL for those that `expect` has not; in the order of nc_run_summary_field.
    const nc_range *const ranges[] = {
#define NC_REPORT(column, field, kind, rule, use, ...) RANGE_OF_##use(&keys->column),
#include "nacre/report.def"
#define NC_CLOTH_REPORT(column, field, kind, rule, use, ...) RANGE_OF_##use(&keys->column),
#include "nacre/cloth_report.def"
    };
    nc_code code = NC_OK;
    for (int i = 0; i < (int)(sizeof ranges / sizeof ranges[0]) && code == NC_OK; i++)
        if (ranges[i] != NULL)
            code = judge_value(j, keys->node, "", nc_run_summary_field(i, NULL).name, ranges[i], reported(j->run, i));
    return code;
}

static nc_code judge_totals(judging *j, const nc_expect_keys *keys)
{
    const nc_code code = judge_run(j, keys);
    return code == NC_OK ? judge_reports(j, keys) : code;
}

// ---- bodies at the end --------------------------------------------------------------------------------------

static double height(nc_vec3 gravity, nc_vec3 x)
{
    const double g = sqrt(nc_dot(gravity, gravity));
    return g > 0 ? -nc_dot(gravity, x) / g : x.y;
}

static nc_code judge_place(judging *j, const char *prefix, const nc_node *map, nc_vec3 x)
{
    nc_place_keys place;
    const nc_code code = nc_expect_read_place(map, &place, j->err);
    if (code != NC_OK)
        return code;
    const nc_vec3 d = nc_sub(x, place.near);
    const double distance = sqrt(nc_dot(d, d));
    char what[200], measured[160], allowed[64];
    snprintf(what, sizeof what, "%sposition", prefix);
    snprintf(measured, sizeof measured, "[%.9g, %.9g, %.9g], %.9g m away", x.x, x.y, x.z, distance);
    snprintf(allowed, sizeof allowed, "at most %.9g m away", place.within);
    return say(j, distance <= place.within, map, what, measured, allowed);
}

// The angle between two orientations; `q` is NULL for what has none.
static nc_code judge_turn(judging *j, const char *prefix, const nc_node *map, const nc_quat *q)
{
    nc_turn_keys turn;
    const nc_code code = nc_expect_read_turn(map, &turn, j->err);
    if (code != NC_OK)
        return code;
    char what[200], measured[64] = "not measured", allowed[64];
    double angle = NAN;
    if (q != NULL) {
        const nc_quat r = nc_quat_mul(nc_quat_conj(turn.near), *q);
        angle = 2 * nc_atan2(sqrt(r.x * r.x + r.y * r.y + r.z * r.z), fabs(r.w)) * (180 / NC_PI);
        snprintf(measured, sizeof measured, "%.9g degrees away", angle);
    }
    snprintf(what, sizeof what, "%sorientation", prefix);
    snprintf(allowed, sizeof allowed, "at most %.9g degrees away", turn.within);
    return say(j, angle <= turn.within, map, what, measured, allowed);
}

// What is expected of a body is measured so; NaN where it has no meaning. Of what is placed vertex by vertex the means.
typedef struct measures {
    nc_vec3 x, v, w;            // [m], [m/s], [rad/s]
    const nc_quat *orientation; // NULL: it has none
    double kinetic;             // [J]
    double lowest, highest;     // [m] heights of vertices
} measures;

static measures measure_vertices(const nc_vec3 *vertices, const nc_vec3 *velocities, int count, nc_vec3 gravity)
{
    measures m = {.w = {NAN, NAN, NAN}, .kinetic = NAN, .lowest = INFINITY, .highest = -INFINITY};
    for (int i = 0; i < count; i++) {
        const double h = height(gravity, vertices[i]);
        m.x = nc_madd(m.x, 1.0 / count, vertices[i]);
        m.v = nc_madd(m.v, 1.0 / count, velocities[i]);
        m.lowest = fmin(m.lowest, h);
        m.highest = fmax(m.highest, h);
    }
    return m;
}

static nc_code measure_shape(judging *j, nc_body_id id, int vertex_count, measures *out)
{
    const nc_allocator *allocator = &j->scene->allocator;
    const size_t count = (size_t)vertex_count;
    nc_vec3 *vertices = nc_alloc(allocator, 2 * count, sizeof *vertices);
    if (vertices == NULL)
        return nc_fail_memory(j->err, 2 * count * sizeof *vertices);
    const nc_code code = nc_model_read_vertices(j->end, id, vertices, vertices + count, j->err);
    if (code == NC_OK)
        *out = measure_vertices(vertices, vertices + count, vertex_count, nc_model_gravity(j->end));
    nc_free(allocator, vertices, 2 * count, sizeof *vertices);
    return code;
}

static nc_code judge_measures(judging *j, const nc_expect_body_keys *keys, const char *name, const measures *m)
{
    const struct {
        const char *key;
        const nc_range *range;
        double value;
    } rows[] = {
        {"speed", &keys->speed, sqrt(nc_dot(m->v, m->v))},
        {"spin", &keys->spin, sqrt(nc_dot(m->w, m->w))},
        {"height", &keys->height, height(nc_model_gravity(j->end), m->x)},
        {"x", &keys->x, m->x.x},
        {"y", &keys->y, m->x.y},
        {"z", &keys->z, m->x.z},
        {"vx", &keys->vx, m->v.x},
        {"vy", &keys->vy, m->v.y},
        {"vz", &keys->vz, m->v.z},
        {"wx", &keys->wx, m->w.x},
        {"wy", &keys->wy, m->w.y},
        {"wz", &keys->wz, m->w.z},
        {"kinetic", &keys->kinetic, m->kinetic},
        {"lowest", &keys->lowest, m->lowest},
        {"highest", &keys->highest, m->highest},
    };
    nc_code code = NC_OK;
    char prefix[160];
    snprintf(prefix, sizeof prefix, "bodies.%.130s.", name);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && code == NC_OK; i++)
        code = judge_value(j, keys->node, prefix, rows[i].key, rows[i].range, rows[i].value);
    if (code == NC_OK && keys->orientation != NULL)
        code = judge_turn(j, prefix, keys->orientation, m->orientation);
    return code == NC_OK && keys->position != NULL ? judge_place(j, prefix, keys->position, m->x) : code;
}

static nc_code judge_body(judging *j, const nc_expect_body_keys *keys, nc_body_id id, const nc_model_body *body)
{
    measures m = {.x = body->pose.x,
                  .v = body->velocity,
                  .w = body->spin,
                  .orientation = &body->pose.q,
                  .kinetic = body->kinetic,
                  .lowest = NAN,
                  .highest = NAN};
    const nc_code code = body->vertex_count > 0 ? measure_shape(j, id, body->vertex_count, &m) : NC_OK;
    return code == NC_OK ? judge_measures(j, keys, body->name, &m) : code;
}

// A name has a line for each key; a pattern one line for all that passed, and one for each failure.
static nc_code judge_pattern(judging *j, const nc_node *node, const nc_body_id *ids, int count)
{
    nc_expect_body_keys keys;
    nc_code code = nc_expect_read_body(node, &keys, j->err);
    int matches = 0;
    const int failed = j->failed;
    j->quiet = strpbrk(node->key, "*?") != NULL;
    for (int i = 0; i < count && code == NC_OK; i++) {
        nc_model_body body;
        code = nc_model_read_body(j->end, ids[i], &body, j->err);
        if (code != NC_OK || !nc_pattern_match(node->key, body.name))
            continue;
        matches++;
        code = judge_body(j, &keys, ids[i], &body);
    }
    const bool summary = j->quiet && j->failed == failed;
    j->quiet = false;
    if (code != NC_OK || (matches > 0 && !summary))
        return code;
    char what[120], measured[48];
    snprintf(what, sizeof what, "bodies.%.100s", node->key);
    snprintf(measured, sizeof measured, "%d bodies", matches);
    return say(j, matches > 0, node, what, matches > 0 ? measured : "no such body at the end", "at least one");
}

static nc_code judge_bodies(judging *j, const nc_node *bodies)
{
    const nc_allocator *allocator = &j->scene->allocator;
    const int count = nc_model_body_count(j->end);
    if (bodies == NULL)
        return NC_OK;
    nc_body_id *ids = nc_alloc(allocator, (size_t)count, sizeof *ids);
    if (count > 0 && ids == NULL)
        return nc_fail_memory(j->err, (size_t)count * sizeof *ids);
    nc_model_bodies(j->end, ids, count);
    nc_code code = NC_OK;
    for (const nc_node *node = bodies->first; node != NULL && code == NC_OK; node = node->next)
        code = judge_pattern(j, node, ids, count);
    nc_free(allocator, ids, (size_t)count, sizeof *ids);
    return code;
}

// ---- knots --------------------------------------------------------------------------------------------------

static nc_code judge_knot(judging *j, const nc_node *node)
{
    nc_knot_keys keys;
    nc_knot_measures found;
    nc_code code = nc_scene_read_knot(j->scene, node, &keys, j->err);
    if (code == NC_OK)
        code = nc_scene_measure_knot(j->scene, &keys, j->end, &found, j->err);
    if (code == NC_OK)
        code = judge_value(j, node, "knot.", "determinant", &keys.determinant, (double)found.determinant);
    if (code == NC_OK)
        code = judge_value(j, node, "knot.", "writhe", &keys.writhe, found.writhe);
    if (code == NC_OK)
        code = judge_value(j, node, "knot.", "linking", &keys.linking, found.linking);
    return code;
}

nc_code nc_scene_judge(const nc_scene *scene, const nc_run_summary *summary, nc_model end, int *out_failed,
                       nc_buffer *out, nc_error *err)
{
    judging j = {summary, scene, end, out, err, 0, false};
    const nc_node *knots = scene->expect.knots;
    nc_code code = judge_separation(&j, &scene->expect);
    if (code == NC_OK)
        code = judge_totals(&j, &scene->expect);
    for (const nc_node *node = knots != NULL ? knots->first : NULL; node != NULL && code == NC_OK; node = node->next)
        code = judge_knot(&j, node);
    if (code == NC_OK)
        code = judge_bodies(&j, scene->expect.bodies);
    *out_failed = j.failed;
    return code;
}
