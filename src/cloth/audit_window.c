// The audit of every straight piece of a window: all pairs of features whose swept boxes overlap are proven to stay
// apart. It shares nothing with the finders but the paths and the geometry below.
//
// A pair is examined over the whole window first: four chords, widened by how far the true paths stray from them. What
// is not clear is halved at a kick, down to pieces on which all four corners go straight; those are decided in twofold
// arithmetic. Not clear then means: the features cross, or come within NC_PATH_ROUNDING of their coordinates' size.
#include "cloth/window.h"

#include <string.h>

#define EVALUATIONS 200

typedef struct moving_pair {
    const nc_paths *paths;
    nc_hull_kind kind;
    int vertex[4];
} moving_pair;

// Proven clear over [ta, tb] by its chords?
static bool chords_clear(const moving_pair *pair, int64_t ta, int64_t tb, bool straight)
{
    const nc_chords c = nc_paths_chords(pair->paths, pair->kind, pair->vertex, ta, tb);
    double size = 0;
    for (int i = 0; i < 4; i++)
        size = fmax(size, fmax(nc_max3(c.from[i]), nc_max3(c.to[i])));
    const double rounding = NC_PATH_ROUNDING * size;
    const nc_sweep_options options = {
        .gap = c.stray + rounding,
        .tolerance = straight ? rounding : 0.25 * c.stray + rounding,
        .limit = straight ? EVALUATIONS : 8,
        .exact = straight,
    };
    return nc_sweep_linear(pair->kind, c.from, c.to, &options).verdict == NC_CLEAR;
}

// The end of the first piece in [ta, tb] on which the pair is not proven clear; -1 when there is none.
static int64_t first_doubt(const moving_pair *pair, int64_t ta, int64_t tb)
{
    const int64_t kick = nc_paths_kick_inside(pair->paths, pair->vertex, ta, tb);
    if (chords_clear(pair, ta, tb, kick < 0))
        return -1;
    if (kick < 0)
        return tb;
    const int64_t early = first_doubt(pair, ta, kick);
    return early >= 0 ? early : first_doubt(pair, kick, tb);
}

typedef struct auditing {
    const nc_cloth_search *search;
    const nc_cloth_model *model;
    const nc_bvh *tree;
    nc_cloth_pair_kind kind;
    int row; // of the query
} auditing;

static bool audit_pair(int other, void *ctx)
{
    const auditing *a = ctx;
    const nc_cloth_search *search = a->search;
    const nc_cloth_pair which = {a->kind, a->row, other};
    if ((a->kind == NC_CLOTH_EDGE_EDGE && other <= a->row) || !nc_cloth_pair_applies(a->model, which))
        return true;
    moving_pair pair = {.paths = &search->paths};
    pair.kind = nc_cloth_pair_hull(a->model, which, pair.vertex);
    const int64_t tick = first_doubt(&pair, search->paths.begin, search->paths.end);
    const int row = a->kind == NC_CLOTH_EDGE_EDGE ? search->paths.vertex_count + a->row : a->row;
    nc_path_crossing *crossing = &search->crossings[row];
    if (tick < 0)
        return true;
    crossing->count++;
    if (crossing->count == 1 || tick < crossing->first.tick ||
        (tick == crossing->first.tick && other < crossing->first.pair.b))
        crossing->first = (nc_cloth_crossing){which, tick, nc_paths_at(&search->paths, pair.vertex[0], tick)};
    return true;
}

static void audit_rows(int begin, int end, void *ctx)
{
    auditing a = *(const auditing *)ctx;
    const bool edges = a.kind == NC_CLOTH_EDGE_EDGE;
    const nc_box *queries = edges ? a.search->edge_boxes : a.search->vertex_boxes;
    const nc_box *boxes = edges ? a.search->edge_boxes : a.search->triangle_boxes;
    for (a.row = begin; a.row < end; a.row++)
        nc_search_tree(a.tree, boxes, queries[a.row], audit_pair, &a);
}

static void measure_paths(nc_paths *paths)
{
    paths->size = 0;
    for (int k = 0; k < paths->first[paths->vertex_count]; k++) {
        const double size = nc_max3(paths->knots[k].x);
        paths->size = size <= paths->size ? paths->size : size; // keeps NaN
    }
}

static void sweep_boxes(nc_cloth_search *search, const nc_cloth_model *model)
{
    const nc_paths *paths = &search->paths;
    const double r = 4 * NC_PATH_ROUNDING * paths->size;
    const nc_vec3 pad = nc_v3(r, r, r);
    for (int v = 0; v < paths->vertex_count; v++) {
        nc_box box = nc_box_empty();
        for (int k = paths->first[v]; k < paths->first[v + 1]; k++)
            box = nc_box_add(box, paths->knots[k].x);
        search->vertex_boxes[v] = (nc_box){nc_sub(box.lo, pad), nc_add(box.hi, pad)};
    }
    nc_search_boxes(search, model);
}

static bool audit_kind(nc_cloth_search *search, const nc_cloth_model *model, nc_cloth_pair_kind kind)
{
    const bool edges = kind == NC_CLOTH_EDGE_EDGE;
    const int count = edges ? model->edges.count : model->triangles.count;
    nc_bvh tree;
    if (count == 0)
        return true;
    if (!nc_bvh_build(&search->allocator, edges ? search->edge_boxes : search->triangle_boxes, count, &tree))
        return false;
    auditing a = {search, model, &tree, kind, 0};
    nc_parallel_for(search->workers, edges ? count : model->vertex_count, 64, audit_rows, &a);
    nc_bvh_free(&search->allocator, &tree);
    return true;
}

// Rows in their order: the earliest crossing, of those the lowest pair.
static void collect(const nc_cloth_search *search, int rows, int64_t *crossings, nc_cloth_crossing *first)
{
    int64_t found = 0;
    nc_cloth_crossing earliest = {0};
    for (int i = 0; i < rows; i++) {
        const nc_path_crossing *c = &search->crossings[i];
        if (c->count > 0 && (found == 0 || c->first.tick < earliest.tick))
            earliest = c->first;
        found += c->count;
    }
    if (found > 0 && *crossings == 0 && first != NULL)
        *first = earliest;
    *crossings += found;
}

nc_code nc_cloth_audit_window(nc_cloth_search *search, const nc_cloth_model *model, const nc_cloth_state *states,
                              const nc_cloth_trace *trace, int64_t *pieces, int64_t *crossings,
                              nc_cloth_crossing *first, nc_error *err)
{
    const int rows = model->vertex_count + model->edges.count;
    if (!nc_paths_fill(&search->paths, states, trace, model->unit, NULL))
        return nc_fail_memory(err, (size_t)trace->count * sizeof(nc_knot));
    measure_paths(&search->paths);
    if (!(search->paths.size <= NC_COORDINATE_MAX))
        return nc_fail(err, NC_BAD_ARGUMENT, "a vertex has left the range of coordinates");
    sweep_boxes(search, model);
    memset(search->crossings, 0, (size_t)rows * sizeof *search->crossings);
    if (!audit_kind(search, model, NC_CLOTH_VERTEX_TRIANGLE) || !audit_kind(search, model, NC_CLOTH_EDGE_EDGE))
        return nc_fail_memory(err, (size_t)rows * sizeof(nc_bvh_node));
    *pieces += trace->count + model->vertex_count;
    collect(search, rows, crossings, first);
    return NC_OK;
}
