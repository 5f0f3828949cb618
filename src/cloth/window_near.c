// Speculative finding: what came near over a window that has been run.
//
// A candidate is clear when one direction keeps its corners' differences, at both ends of the window, beyond its
// thickness, the reach and what the paths stray from their chords: n . w is linear between the ends. The direction that
// did so last time mostly does again; else the nearest points give a new one. What is left is bounded with care.
// The same direction is asked about the next window, in which all goes straight on: what comes near there will be
// examined from its start, and need not be found after it.
#include "cloth/window.h"

#define STRAYS_AHEAD 2.0

// ---- one candidate ------------------------------------------------------------------------------------------

typedef struct looking {
    nc_cloth_search *search;
    double reach, rounding; // [m]
} looking;

typedef struct view {
    nc_hull_kind kind;
    nc_vec3 from[4], to[4], ahead[4]; // differences of corners
    double stray;                     // [m] of differences from their chords
    double apart;                     // [m] farther than this along one direction, at all three times: clear
} view;

static view view_candidate(const looking *l, const nc_candidate *c)
{
    const nc_window_vertex *v[4];
    view out = {.kind = c->pair.kind == NC_CLOTH_EDGE_EDGE ? NC_HULL_PARALLELOGRAM : NC_HULL_TRIANGLE};
    for (int i = 0; i < 4; i++)
        v[i] = &l->search->vertices[c->vertex[i]];
    if (out.kind == NC_HULL_TRIANGLE) {
        out.stray = v[0]->stray + fmax(fmax(v[1]->stray, v[2]->stray), v[3]->stray);
        for (int i = 0; i < 3; i++) {
            out.from[i] = nc_sub(v[0]->from, v[1 + i]->from);
            out.to[i] = nc_sub(v[0]->to, v[1 + i]->to);
            out.ahead[i] = nc_sub(v[0]->ahead, v[1 + i]->ahead);
        }
    } else {
        out.stray = fmax(v[0]->stray, v[1]->stray) + fmax(v[2]->stray, v[3]->stray);
        for (int i = 0; i < 4; i++) {
            out.from[i] = nc_sub(v[i / 2]->from, v[2 + i % 2]->from);
            out.to[i] = nc_sub(v[i / 2]->to, v[2 + i % 2]->to);
            out.ahead[i] = nc_sub(v[i / 2]->ahead, v[2 + i % 2]->ahead);
        }
    }
    out.apart = (c->thickness + l->reach + out.stray) * (1 + 0x1p-40) + l->rounding;
    return out;
}

static bool direction_separates(const view *v, nc_vec3 n)
{
    double least = INFINITY;
    for (int i = 0; i < (int)v->kind; i++) {
        const double a = nc_dot(n, v->from[i]), b = nc_dot(n, v->to[i]), c = nc_dot(n, v->ahead[i]);
        least = a < least ? a : least;
        least = b < least ? b : least;
        least = c < least ? c : least;
    }
    return least > 0 && least * least > v->apart * v->apart * nc_norm2(n) * (1 + 0x1p-40);
}

// How far beyond what it must keep the direction n shows the pair to be at the end of the window.
static double margin_at_end(const view *v, nc_vec3 n, double keep)
{
    double least = INFINITY;
    for (int i = 0; i < (int)v->kind; i++)
        least = nc_lesser_of(least, nc_dot(n, v->to[i]));
    return least / nc_norm(n) * (1 - 0x1p-40) - keep;
}

// Only the candidate is written.
static void test_candidate(const looking *l, const nc_cluster_pair *p, nc_candidate *c)
{
    const view v = view_candidate(l, c);
    c->near = c->known = false;
    if (!direction_separates(&v, c->n)) {
        c->n = nc_hull_nearest_checked(v.kind, v.to);
        c->near = !direction_separates(&v, c->n);
    }
    const double keep = (c->thickness + l->reach) * (1 + 0x1p-40) + l->rounding;
    c->until = c->near ? -INFINITY : p->path + margin_at_end(&v, c->n, keep);
}

static void test_clusters(int begin, int end, void *ctx)
{
    const looking *l = ctx;
    for (int i = begin; i < end; i++) {
        nc_cluster_pair *p = &l->search->pairs.data[i];
        const double foreseen = p->path + p->step;
        if (p->same)
            continue;
        p->near_count = 0;
        if (foreseen < p->least_until)
            continue;
        p->least_until = INFINITY;
        for (int k = 0; k < p->candidates.count; k++) {
            nc_candidate *c = &p->candidates.data[k];
            if (!(foreseen < c->until))
                test_candidate(l, p, c);
            p->near_count += c->near;
            p->least_until = nc_lesser_of(p->least_until, c->until);
        }
    }
}

// How near it comes if all goes straight on.
static double look_ahead(const view *v, double size)
{
    const nc_vec3 n_a = nc_hull_nearest_checked(v->kind, v->to), n_b = nc_hull_nearest_checked(v->kind, v->ahead);
    const nc_points hull = {v->to, v->ahead, (int)v->kind};
    return nc_certificate_bound_hull(hull, n_a, n_b, 2 * size, INFINITY) - STRAYS_AHEAD * v->stray;
}

static void bound_candidates(int begin, int end, void *ctx)
{
    const looking *l = ctx;
    for (int i = begin; i < end; i++) {
        nc_candidate *c = l->search->near.data[i];
        if (!c->known) {
            const view v = view_candidate(l, c);
            const double enough = c->thickness + l->reach;
            c->distance = fmin(enough, nc_window_bound(l->search, v.kind, c->vertex, enough));
            c->ahead = look_ahead(&v, l->search->paths.size);
            c->known = true;
        }
        l->search->bounds[i] = (nc_cloth_near_pair){c->pair, c->distance, c->ahead};
    }
}

// ---- the window ---------------------------------------------------------------------------------------------

// Those that are not clear, and the vertices whose ways matter for them. False when out of memory.
static bool gather_near(nc_cloth_search *search)
{
    search->near.count = 0;
    for (int v = 0; v < search->paths.vertex_count; v++)
        search->wanted[v] = false;
    for (int i = 0; i < search->pairs.count; i++) {
        const nc_cluster_pair *p = &search->pairs.data[i];
        for (int k = 0; p->near_count > 0 && k < p->candidates.count; k++) {
            if (!p->candidates.data[k].near)
                continue;
            if (!nc_array_push(&search->allocator, &search->near, &p->candidates.data[k]))
                return false;
            for (int j = 0; !p->candidates.data[k].known && j < 4; j++)
                search->wanted[p->candidates.data[k].vertex[j]] = true;
        }
    }
    return nc_grow(&search->allocator, (void **)&search->bounds, &search->bound_capacity, search->near.count,
                   sizeof *search->bounds);
}

static bool need_less(const void *a, const void *b, const void *ctx)
{
    (void)ctx;
    return nc_cloth_pair_less(((const nc_cloth_near_pair *)a)->pair, ((const nc_cloth_near_pair *)b)->pair);
}

static nc_code append_needs(const nc_cloth_search *search, double reach, nc_cloth_near_pairs *out, nc_error *err)
{
    const int first = out->count;
    for (int i = 0; i < search->near.count; i++) {
        const double enough = search->near.data[i]->thickness + reach;
        const nc_cloth_near_pair *need = &search->bounds[i];
        if (!(need->distance >= enough && need->ahead >= enough) && !nc_array_push(&search->allocator, out, *need))
            return nc_fail_memory(err, sizeof *need);
    }
    if (out->count > first && !nc_sort(&search->allocator, out->data + first, (size_t)(out->count - first),
                                       sizeof *out->data, need_less, NULL))
        return nc_fail_memory(err, (size_t)out->count * sizeof *out->data);
    return NC_OK;
}

nc_code nc_cloth_window_find(nc_cloth_search *search, const nc_cloth_model *model, const nc_cloth_state *states,
                             const nc_cloth_trace *trace, double reach, nc_cloth_near_pairs *out, nc_error *err)
{
    nc_search_vertices(search, states, trace, model->unit);
    if (!(search->paths.size <= NC_COORDINATE_MAX))
        return nc_fail(err, NC_BAD_ARGUMENT, "a vertex has left the range of coordinates");
    if (!nc_window_list_update(search, model, reach, trace->same))
        return nc_fail_memory(err, sizeof(nc_candidate));
    looking l = {search, reach, 8 * NC_PATH_ROUNDING * search->paths.size};
    nc_parallel_for(search->workers, search->pairs.count, 16, test_clusters, &l);
    if (!gather_near(search))
        return nc_fail_memory(err, sizeof(nc_cloth_near_pair));
    if (search->near.count == 0)
        return NC_OK;
    if (!nc_paths_fill(&search->paths, states, trace, model->unit, search->wanted))
        return nc_fail_memory(err, (size_t)trace->count * sizeof(nc_knot));
    nc_parallel_for(search->workers, search->near.count, 16, bound_candidates, &l);
    return append_needs(search, reach, out, err);
}
