// The public face of the swept tests.
#include "narrow/narrow.h"

nc_sweep_def nc_sweep_def_default(void)
{
    const nc_sweep_def def = {
        .gap = 0, .tolerance = 1e-6, .t_max = 1, .limit = 1000, .budget = 100000000, .chords = false};
    return def;
}

static nc_code check_def(const nc_sweep_def *def, nc_error *err)
{
    if (!(def->gap >= 0 && def->gap < INFINITY))
        return nc_fail(err, NC_BAD_ARGUMENT, "the gap is %g m; it must be at least 0 and finite", def->gap);
    if (!(def->tolerance > 0 && def->tolerance < INFINITY))
        return nc_fail(err, NC_BAD_ARGUMENT, "the tolerance is %g m; it must be above 0 and finite", def->tolerance);
    if (!(def->t_max > 0 && def->t_max <= 1))
        return nc_fail(err, NC_BAD_ARGUMENT, "t_max is %g; it must lie in (0, 1]", def->t_max);
    if (def->limit < 2)
        return nc_fail(err, NC_BAD_ARGUMENT, "the limit is %d; it must be at least 2", def->limit);
    if (def->budget < 1)
        return nc_fail(err, NC_BAD_ARGUMENT, "the budget is %d evaluations; it must be at least 1", def->budget);
    return NC_OK;
}

static nc_code check_motion(const nc_motion *motion, const char *which, nc_error *err)
{
    const double q2 = nc_quat_norm2(motion->start.q);
    if (!nc_finite3(motion->start.x) || !(q2 > 0x1p-200 && q2 < INFINITY) || !nc_finite3(motion->travel) ||
        !nc_finite3(motion->rotation))
        return nc_fail(err, NC_BAD_ARGUMENT, "the motion of mesh %s is not finite, or its orientation is no rotation",
                       which);
    return NC_OK;
}

nc_path nc_motion_path(const nc_motion *motion)
{
    return nc_path_free(motion->start, motion->travel, motion->rotation, nc_v3(0, 0, 0));
}

// Features can be apart although surfaces cross (an edge through the middle of a face), so the start is examined
// first.
static nc_code sweep_from_start(const nc_mesh *a, const nc_motion *motion_a, const nc_mesh *b,
                                const nc_motion *motion_b, bool *meet, nc_sweep_result *out, nc_error *err)
{
    const nc_code code = nc_mesh_intersect(a, motion_a->start, b, motion_b->start, meet, NULL, err);
    const nc_sweep_result start = {.verdict = NC_HIT, .feature = {NC_VERTEX_FACE, -1, -1}};
    if (code == NC_OK && *meet)
        *out = start;
    return code;
}

nc_code nc_mesh_sweep(const nc_mesh *a, const nc_motion *motion_a, const nc_mesh *b, const nc_motion *motion_b,
                      const nc_sweep_def *def, nc_sweep_result *out, nc_error *err)
{
    nc_code code = check_def(def, err);
    if (code == NC_OK)
        code = check_motion(motion_a, "A", err);
    if (code == NC_OK)
        code = check_motion(motion_b, "B", err);
    bool meet = false;
    if (code == NC_OK)
        code = sweep_from_start(a, motion_a, b, motion_b, &meet, out, err);
    if (code != NC_OK || meet)
        return code;
    const nc_path path_a = nc_motion_path(motion_a), path_b = nc_motion_path(motion_b);
    const nc_mesh_sweep_options options = {.gap = {def->gap, 0, 0},
                                           .tolerance = def->tolerance,
                                           .limit = def->limit,
                                           .budget = def->budget,
                                           .chords = def->chords};
    *out = nc_sweep_meshes(a, &path_a, b, &path_b, 0, def->t_max, &options, NULL);
    return NC_OK;
}

static nc_sweep_result sweep_corners(nc_hull_kind kind, const nc_vec3 start[4], const nc_vec3 end[4],
                                     const nc_sweep_def *def)
{
    const nc_sweep_options options = {
        .gap = def->gap, .tolerance = def->tolerance, .limit = def->limit, .exact = def->exact};
    const nc_feature_sweep found = nc_sweep_linear(kind, start, end, &options);
    nc_sweep_result result = {.verdict = found.verdict, .toi = found.toi, .nearest = found.nearest};
    result.feature.kind = kind == NC_HULL_TRIANGLE ? NC_VERTEX_FACE : NC_EDGE_EDGE;
    result.distance = def->gap;
    result.start_distance = -1;
    result.counts = (nc_sweep_counts){0, 0, 1, found.evaluations};
    if (result.verdict != NC_CLEAR && result.toi > def->t_max) { // clear for as long as was asked
        result.verdict = NC_CLEAR;
        result.toi = def->t_max;
    }
    return result;
}

nc_sweep_result nc_ccd_vertex_triangle(const nc_vec3 start[4], const nc_vec3 end[4], const nc_sweep_def *def)
{
    return sweep_corners(NC_HULL_TRIANGLE, start, end, def);
}

nc_sweep_result nc_ccd_edge_edge(const nc_vec3 start[4], const nc_vec3 end[4], const nc_sweep_def *def)
{
    return sweep_corners(NC_HULL_PARALLELOGRAM, start, end, def);
}

const char *nc_feature_kind_name(nc_feature_kind kind)
{
    static const char *const names[] = {"vertex-face", "face-vertex", "edge-edge",
                                        "vertex-edge", "edge-vertex", "vertex-vertex"};
    return names[kind];
}
