// The ways of vertices over a window, from the trace of its kicks.
#include "cloth/contact_search.h"

#include <string.h>

bool nc_paths_create(nc_paths *paths, int vertex_count, const nc_allocator *allocator)
{
    memset(paths, 0, sizeof *paths);
    paths->allocator = *allocator;
    paths->vertex_count = vertex_count;
    paths->first = nc_alloc(allocator, (size_t)vertex_count + 1, sizeof *paths->first);
    return paths->first != NULL;
}

void nc_paths_free(nc_paths *paths)
{
    nc_free(&paths->allocator, paths->first, (size_t)paths->vertex_count + 1, sizeof *paths->first);
    nc_free(&paths->allocator, paths->knots, (size_t)paths->knot_capacity, sizeof *paths->knots);
    memset(paths, 0, sizeof *paths);
}

// Rows of each vertex: its pieces, which ended in kicks, and both ends of the window.
static void count_knots(nc_paths *paths, const nc_cloth_trace *trace, const bool *wanted)
{
    int *first = paths->first;
    memset(first, 0, ((size_t)paths->vertex_count + 1) * sizeof *first);
    for (int i = 0; i < trace->count; i++)
        first[trace->pieces[i].vertex + 1]++;
    for (int v = 0; v < paths->vertex_count; v++)
        first[v + 1] = wanted == NULL || wanted[v] ? first[v] + first[v + 1] + 2 : first[v];
}

static nc_knot knot_at(const nc_cloth_state *state, int64_t tick, double unit)
{
    const nc_knot k = {tick, nc_cloth_position_at(state, tick, unit)};
    return k;
}

// From the trace, which knows of each piece the one before, to the knots of one vertex, last to first.
static void fill_vertex(nc_paths *paths, const nc_cloth_state *states, const nc_cloth_trace *trace, int v, double unit)
{
    nc_knot *at = &paths->knots[paths->first[v + 1]];
    const nc_cloth_state *state = &states[v];
    *--at = knot_at(state, paths->end, unit);
    int row = trace->count > 0 ? trace->last[v] : -1;
    if (row < 0) {
        *--at = knot_at(state, paths->begin, unit);
        return;
    }
    *--at = (nc_knot){state->t, state->x};
    for (; trace->pieces[row].before >= 0; row = trace->pieces[row].before)
        *--at = (nc_knot){trace->pieces[row].t, trace->pieces[row].x};
    const nc_cloth_state oldest = {.x = trace->pieces[row].x, .v = trace->pieces[row].v, .t = trace->pieces[row].t};
    *--at = knot_at(&oldest, paths->begin, unit);
}

bool nc_paths_fill(nc_paths *paths, const nc_cloth_state *states, const nc_cloth_trace *trace, double unit,
                   const bool *wanted)
{
    paths->begin = trace->begin;
    paths->end = trace->end;
    count_knots(paths, trace, wanted);
    const int total = paths->first[paths->vertex_count];
    if (!nc_grow(&paths->allocator, (void **)&paths->knots, &paths->knot_capacity, total, sizeof *paths->knots))
        return false;
    for (int v = 0; v < paths->vertex_count; v++)
        if (paths->first[v + 1] > paths->first[v])
            fill_vertex(paths, states, trace, v, unit);
    return true;
}

// The last knot at or before the tick, but not the end.
static int knot_before(const nc_paths *paths, int vertex, int64_t tick)
{
    int lo = paths->first[vertex], hi = paths->first[vertex + 1] - 2;
    while (lo < hi) {
        const int mid = hi - (hi - lo) / 2;
        if (paths->knots[mid].t <= tick)
            lo = mid;
        else
            hi = mid - 1;
    }
    return lo;
}

static double part_of(int64_t tick, int64_t ta, int64_t tb)
{
    return tb > ta ? (double)(tick - ta) / (double)(tb - ta) : 0;
}

nc_vec3 nc_paths_at(const nc_paths *paths, int vertex, int64_t tick)
{
    const nc_knot *a = &paths->knots[knot_before(paths, vertex, tick)], *b = a + 1;
    return tick >= b->t ? b->x : nc_madd(a->x, part_of(tick, a->t, b->t), nc_sub(b->x, a->x));
}

double nc_paths_stray(const nc_paths *paths, int vertex, int64_t ta, int64_t tb, nc_vec3 from, nc_vec3 to)
{
    double most = 0;
    const nc_vec3 d = nc_sub(to, from);
    const int last = paths->first[vertex + 1];
    for (int k = knot_before(paths, vertex, ta) + 1; k < last && paths->knots[k].t < tb; k++) {
        const nc_vec3 on_chord = nc_madd(from, part_of(paths->knots[k].t, ta, tb), d);
        most = fmax(most, nc_norm2(nc_sub(paths->knots[k].x, on_chord)));
    }
    return sqrt(most);
}

int64_t nc_paths_kick_inside(const nc_paths *paths, const int vertex[4], int64_t ta, int64_t tb)
{
    const int64_t middle = ta + (tb - ta) / 2;
    int64_t best = -1, nearest = INT64_MAX;
    for (int i = 0; i < 4; i++) {
        const int before = knot_before(paths, vertex[i], middle);
        for (int k = before; k <= before + 1; k++) {
            const int64_t t = paths->knots[k].t, away = t < middle ? middle - t : t - middle;
            if (ta < t && t < tb && away < nearest) {
                best = t;
                nearest = away;
            }
        }
    }
    return best;
}

nc_chords nc_paths_chords(const nc_paths *paths, nc_hull_kind kind, const int vertex[4], int64_t ta, int64_t tb)
{
    nc_chords c = {.kind = kind};
    double stray[4];
    for (int i = 0; i < 4; i++) {
        c.from[i] = nc_paths_at(paths, vertex[i], ta);
        c.to[i] = nc_paths_at(paths, vertex[i], tb);
        stray[i] = nc_paths_stray(paths, vertex[i], ta, tb, c.from[i], c.to[i]);
    }
    c.stray = kind == NC_HULL_TRIANGLE ? stray[0] + fmax(fmax(stray[1], stray[2]), stray[3])
                                       : fmax(stray[0], stray[1]) + fmax(stray[2], stray[3]);
    c.stray *= 1 + 0x1p-40;
    return c;
}

nc_hull_kind nc_cloth_pair_hull(const nc_cloth_model *model, nc_cloth_pair pair, int vertex[4])
{
    const int count = nc_cloth_pair_vertices(model, pair, vertex);
    for (int i = count; i < 4; i++)
        vertex[i] = vertex[count - 1];
    return pair.kind == NC_CLOTH_EDGE_EDGE ? NC_HULL_PARALLELOGRAM : NC_HULL_TRIANGLE;
}
