// The expect block: reading it, and judging a run by it.
#include "scene/model.h"
#include "scene/scene.h"

#include "math/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static nc_code read_place(const nc_node *map, nc_place_keys *out, nc_error *err)
{
    nc_key_block_defaults(&nc_place_block, out);
    return nc_key_block_read(&nc_place_block, map, out, err);
}

static nc_code read_turn(const nc_node *map, nc_turn_keys *out, nc_error *err)
{
    nc_key_block_defaults(&nc_turn_block, out);
    return nc_key_block_read(&nc_turn_block, map, out, err);
}

static nc_code read_body(const nc_node *map, nc_expect_body_keys *out, nc_error *err)
{
    nc_place_keys place;
    nc_turn_keys turn;
    nc_key_block_defaults(&nc_expect_body_block, out);
    if (map->count == 0)
        return nc_node_fail(err, map, "found an empty map; allowed: at least one thing to expect of this body");
    nc_code code = nc_key_block_read(&nc_expect_body_block, map, out, err);
    if (code == NC_OK && out->position != NULL)
        code = read_place(out->position, &place, err);
    return code == NC_OK && out->orientation != NULL ? read_turn(out->orientation, &turn, err) : code;
}

nc_code nc_scene_read_expect(nc_scene *scene, nc_error *err)
{
    const nc_node *map = scene->keys.expect;
    nc_key_block_defaults(&nc_expect_block, &scene->expect);
    if (map == NULL)
        return NC_OK;
    nc_code code = nc_key_block_read(&nc_expect_block, map, &scene->expect, err);
    const nc_node *bodies = scene->expect.bodies;
    for (const nc_node *node = bodies != NULL ? bodies->first : NULL; node != NULL && code == NC_OK;
         node = node->next) {
        nc_expect_body_keys keys;
        code = read_body(node, &keys, err);
    }
    const nc_node *knots = scene->expect.knots;
    for (const nc_node *node = knots != NULL ? knots->first : NULL; node != NULL && code == NC_OK; node = node->next) {
        nc_knot_keys keys;
        code = nc_scene_read_knot(scene, node, &keys, err);
    }
    scene->settings.has_expectations = map->count > 0;
    return code;
}

#define RANGE_OF_STORED(range)  NULL
#define RANGE_OF_JUDGED(range)  (range)
#define RANGE_OF_SUMMARY(range) (range)

// ---- judging ------------------------------------------------------------------------------------------------

typedef struct judging {
    const nc_run_summary *run;
    const nc_world *end;         // one of the two
    const nc_cloth_world *cloth; //
    nc_buffer *out;              // NULL: no lines wanted
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

static const char *describe(const nc_range *range, char *out, size_t out_size)
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

// One value against its range; NaN stands for "not measured" and fails. Rows that were not asked for are ok.
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
    return say(j, ok, nc_node_find(map, key), what, measured, describe(range, allowed, sizeof allowed));
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
        {"body_count", &keys->body_count, j->cloth != NULL ? nc_cloth_count(j->cloth) : nc_world_body_count(j->end)},
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

// A number of the reports; NaN where nothing was measured.
static double reported(const nc_run_summary *run, int row)
{
    const nc_report_field field = nc_run_summary_field(row);
    const double value = nc_field_value(&field, run);
    return field.rule == NC_FIELD_LEAST && value < 0 ? (double)NAN : value;
}

static nc_code judge_reports(judging *j, const nc_expect_keys *keys)
{
    // The range of each row, NULL for those that `expect` has not; in the order of nc_run_summary_field.
    const nc_range *const ranges[] = {
#define NC_REPORT(column, field, kind, rule, told, ...) RANGE_OF_##told(&keys->column),
#include "nacre/report.def"
#define NC_CLOTH_REPORT(column, field, kind, rule, told, ...) RANGE_OF_##told(&keys->column),
#include "nacre/cloth_report.def"
    };
    nc_code code = NC_OK;
    for (int i = 0; i < (int)(sizeof ranges / sizeof ranges[0]) && code == NC_OK; i++)
        if (ranges[i] != NULL)
            code = judge_value(j, keys->node, "", nc_run_summary_field(i).name, ranges[i], reported(j->run, i));
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
    const nc_code code = read_place(map, &place, j->err);
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
    const nc_code code = read_turn(map, &turn, j->err);
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

static nc_code judge_body(judging *j, const nc_expect_body_keys *keys, nc_body_id id)
{
    nc_body_state state;
    nc_code code = nc_body_read(j->end, id, &state, j->err);
    if (code != NC_OK)
        return code;
    const nc_vec3 x = state.pose.x;
    const struct {
        const char *key;
        const nc_range *range;
        double value;
    } rows[] = {
        {"speed", &keys->speed, sqrt(nc_dot(state.velocity, state.velocity))},
        {"spin", &keys->spin, sqrt(nc_dot(state.spin, state.spin))},
        {"height", &keys->height, height(nc_world_settings(j->end).gravity, x)},
        {"x", &keys->x, x.x},
        {"y", &keys->y, x.y},
        {"z", &keys->z, x.z},
        {"vx", &keys->vx, state.velocity.x},
        {"vy", &keys->vy, state.velocity.y},
        {"vz", &keys->vz, state.velocity.z},
        {"wx", &keys->wx, state.spin.x},
        {"wy", &keys->wy, state.spin.y},
        {"wz", &keys->wz, state.spin.z},
        {"kinetic", &keys->kinetic, state.kinetic},
    };
    char prefix[160];
    snprintf(prefix, sizeof prefix, "bodies.%.130s.", nc_body_name(j->end, id));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && code == NC_OK; i++)
        code = judge_value(j, keys->node, prefix, rows[i].key, rows[i].range, rows[i].value);
    if (code == NC_OK && keys->orientation != NULL)
        code = judge_turn(j, prefix, keys->orientation, &state.pose.q);
    return code == NC_OK && keys->position != NULL ? judge_place(j, prefix, keys->position, x) : code;
}

// A name has a line for each key; a pattern one line for all that passed, and one for each failure.
static nc_code judge_pattern(judging *j, const nc_node *node, const nc_body_id *ids, int count)
{
    nc_expect_body_keys keys;
    nc_code code = read_body(node, &keys, j->err);
    int matches = 0;
    const int failed = j->failed;
    j->quiet = strpbrk(node->key, "*?") != NULL;
    for (int i = 0; i < count && code == NC_OK; i++) {
        const char *name = nc_body_name(j->end, ids[i]);
        if (name == NULL || !nc_pattern_match(node->key, name))
            continue;
        matches++;
        code = judge_body(j, &keys, ids[i]);
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

static nc_code judge_bodies(judging *j, const nc_scene *scene)
{
    const nc_node *bodies = scene->expect.bodies;
    const int count = nc_world_body_count(j->end);
    if (bodies == NULL)
        return NC_OK;
    nc_body_id *ids = nc_alloc(&scene->allocator, (size_t)count, sizeof *ids);
    if (count > 0 && ids == NULL)
        return nc_fail_memory(j->err, (size_t)count * sizeof *ids);
    nc_world_bodies(j->end, ids, count);
    nc_code code = NC_OK;
    for (const nc_node *node = bodies->first; node != NULL && code == NC_OK; node = node->next)
        code = judge_pattern(j, node, ids, count);
    nc_free(&scene->allocator, ids, (size_t)count, sizeof *ids);
    return code;
}

nc_code nc_scene_judge(const nc_scene *scene, const nc_run_summary *summary, const nc_world *end, int *out_failed,
                       nc_buffer *out, nc_error *err)
{
    judging j = {summary, end, NULL, out, err, 0, false};
    nc_code code = judge_separation(&j, &scene->expect);
    if (code == NC_OK)
        code = judge_totals(&j, &scene->expect);
    if (code == NC_OK)
        code = judge_bodies(&j, scene);
    *out_failed = j.failed;
    return code;
}

// ---- cloth at the end ---------------------------------------------------------------------------------------

// Where the vertices of an object are; release with nc_free.
static nc_code read_vertices(judging *j, const nc_scene *scene, int object, nc_vec3 **out, nc_vec3 **out_velocities,
                             int *out_count)
{
    nc_cloth_view view;
    nc_code code = nc_cloth_view_object(j->cloth, object, &view, j->err);
    if (code != NC_OK)
        return code;
    const size_t count = (size_t)view.vertex_count;
    *out_count = view.vertex_count;
    *out = nc_alloc(&scene->allocator, count, sizeof **out);
    *out_velocities = nc_alloc(&scene->allocator, count, sizeof **out_velocities);
    if (*out == NULL || *out_velocities == NULL)
        return nc_fail_memory(j->err, count * sizeof **out);
    return nc_cloth_read(j->cloth, object, *out, *out_velocities, j->err);
}

// The means and extremes of an object's vertices.
static nc_code judge_vertices(judging *j, const nc_scene *scene, const nc_expect_body_keys *keys, const char *name,
                              const nc_vec3 *vertices, const nc_vec3 *velocities, int count)
{
    nc_vec3 x = {0, 0, 0}, v = {0, 0, 0};
    double lowest = INFINITY, highest = -INFINITY;
    for (int i = 0; i < count; i++) {
        const double h = height(scene->world.gravity, vertices[i]);
        x = nc_madd(x, 1.0 / count, vertices[i]);
        v = nc_madd(v, 1.0 / count, velocities[i]);
        lowest = fmin(lowest, h);
        highest = fmax(highest, h);
    }
    const struct {
        const char *key;
        const nc_range *range;
        double value;
    } rows[] = {
        {"speed", &keys->speed, sqrt(nc_dot(v, v))},
        {"spin", &keys->spin, NAN},
        {"height", &keys->height, height(scene->world.gravity, x)},
        {"x", &keys->x, x.x},
        {"y", &keys->y, x.y},
        {"z", &keys->z, x.z},
        {"vx", &keys->vx, v.x},
        {"vy", &keys->vy, v.y},
        {"vz", &keys->vz, v.z},
        {"wx", &keys->wx, NAN},
        {"wy", &keys->wy, NAN},
        {"wz", &keys->wz, NAN},
        {"kinetic", &keys->kinetic, NAN},
        {"lowest", &keys->lowest, lowest},
        {"highest", &keys->highest, highest},
    };
    char prefix[160];
    snprintf(prefix, sizeof prefix, "bodies.%.130s.", name);
    nc_code code = NC_OK;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && code == NC_OK; i++)
        code = judge_value(j, keys->node, prefix, rows[i].key, rows[i].range, rows[i].value);
    if (code == NC_OK && keys->orientation != NULL)
        code = judge_turn(j, prefix, keys->orientation, NULL);
    return code == NC_OK && keys->position != NULL ? judge_place(j, prefix, keys->position, x) : code;
}

static nc_code judge_object(judging *j, const nc_scene *scene, const nc_expect_body_keys *keys, int object,
                            const char *name)
{
    nc_vec3 *vertices = NULL, *velocities = NULL;
    int count = 0;
    nc_code code = read_vertices(j, scene, object, &vertices, &velocities, &count);
    if (code == NC_OK)
        code = judge_vertices(j, scene, keys, name, vertices, velocities, count);
    nc_free(&scene->allocator, vertices, (size_t)count, sizeof *vertices);
    nc_free(&scene->allocator, velocities, (size_t)count, sizeof *velocities);
    return code;
}

static nc_code judge_cloth_pattern(judging *j, const nc_scene *scene, const nc_node *node)
{
    nc_expect_body_keys keys;
    nc_code code = read_body(node, &keys, j->err);
    int matches = 0;
    const int failed = j->failed;
    j->quiet = strpbrk(node->key, "*?") != NULL;
    for (int i = 0; i < scene->bodies.count && code == NC_OK; i++) {
        if (!nc_pattern_match(node->key, scene->bodies.data[i].name))
            continue;
        matches++;
        code = judge_object(j, scene, &keys, i, scene->bodies.data[i].name);
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

static nc_code judge_knot(judging *j, const nc_scene *scene, const nc_node *node)
{
    nc_knot_keys keys;
    nc_knot_measures found;
    nc_code code = nc_scene_read_knot(scene, node, &keys, j->err);
    if (code == NC_OK)
        code = nc_scene_measure_knot(scene, &keys, j->cloth, &found, j->err);
    if (code == NC_OK)
        code = judge_value(j, node, "knot.", "determinant", &keys.determinant, (double)found.determinant);
    if (code == NC_OK)
        code = judge_value(j, node, "knot.", "writhe", &keys.writhe, found.writhe);
    if (code == NC_OK)
        code = judge_value(j, node, "knot.", "linking", &keys.linking, found.linking);
    return code;
}

nc_code nc_scene_judge_cloth(const nc_scene *scene, const nc_run_summary *summary, const nc_cloth_world *end,
                             int *out_failed, nc_buffer *out, nc_error *err)
{
    judging j = {summary, NULL, end, out, err, 0, false};
    const nc_node *knots = scene->expect.knots, *bodies = scene->expect.bodies;
    nc_code code = judge_separation(&j, &scene->expect);
    if (code == NC_OK)
        code = judge_totals(&j, &scene->expect);
    for (const nc_node *node = knots != NULL ? knots->first : NULL; node != NULL && code == NC_OK; node = node->next)
        code = judge_knot(&j, scene, node);
    for (const nc_node *node = bodies != NULL ? bodies->first : NULL; node != NULL && code == NC_OK; node = node->next)
        code = judge_cloth_pattern(&j, scene, node);
    *out_failed = j.failed;
    return code;
}
