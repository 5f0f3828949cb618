// Which pairs may come near: pairs of clusters whose boxes overlap, and for each of them a list of candidates.
//
// Let `path` of two clusters be the sum, over windows, of how far the difference of any two of their vertices can have
// got from where it was when the window began: |mean_a - mean_b| + spread_a + spread_b. A pair of features that at the
// end of some window is farther apart than it must keep by m cannot come near until path has grown by m. That is why a
// candidate is not examined again before path reaches its `until`, and why a list holds until path has used its skin.
// A window that is run again begins where the one before it did, not where that ended: the way back is part of path.
// Most of what is run again goes as it did before; two clusters of which all vertices do are not examined again.
#include "cloth/window.h"

#include "broad/broad.h"

#include <string.h>

#define MIN_SKIN      0.25 // of the thickness
#define WINDOWS_AHEAD 8.0  // or for so many windows like the current one

// ---- lists --------------------------------------------------------------------------------------------------

typedef struct listing {
    nc_cloth_search *search;
    const nc_cloth_model *model;
    double reach; // [m]
    nc_cluster_pair *clusters;
    double need; // [m] besides the thickness: reach, skin, the current window, rounding
} listing;

static bool boxes_near(nc_box a, nc_box b, double distance)
{
    return a.lo.x - b.hi.x <= distance && b.lo.x - a.hi.x <= distance && a.lo.y - b.hi.y <= distance &&
           b.lo.y - a.hi.y <= distance && a.lo.z - b.hi.z <= distance && b.lo.z - a.hi.z <= distance;
}

// What the direction n proves of the distance.
static double proven(nc_hull_kind kind, const nc_vec3 w[4], nc_vec3 n)
{
    double least = INFINITY;
    for (int i = 0; i < (int)kind; i++)
        least = nc_lesser_of(least, nc_dot(n, w[i]));
    const double length = nc_norm(n);
    return length > 0 ? least / length : 0;
}

// Adds the pair when it may come near. Where there is no room it is only counted.
static void list_pair(const listing *l, nc_cloth_pair pair)
{
    const nc_cloth_search *search = l->search;
    nc_candidate c = {.pair = pair, .until = -INFINITY};
    if (!nc_cloth_pair_applies(l->model, pair))
        return;
    const nc_hull_kind hull = nc_cloth_pair_hull(l->model, pair, c.vertex);
    nc_vec3 at[4], w[4];
    for (int i = 0; i < 4; i++)
        at[i] = search->vertices[c.vertex[i]].to;
    nc_corner_differences(hull, at, w);
    c.n = nc_hull_nearest_checked(hull, w);
    const double spare = proven(hull, w, c.n) - l->need;
    if (spare > l->clusters->thickness)
        return;
    c.thickness = nc_cloth_pair_thickness(l->model, pair);
    if (spare > c.thickness * (1 + 0x1p-40))
        return;
    nc_cluster_pair *p = l->clusters;
    if (p->candidates.count < p->candidates.capacity)
        p->candidates.data[p->candidates.count] = c;
    p->candidates.count++;
}

// The vertices of one cluster and the triangles of another.
static void list_vertex_triangle(const listing *l, int vertices, int triangles)
{
    const nc_window_clusters *c = &l->search->clusters;
    const double far = l->clusters->thickness + l->need;
    for (int i = c->vertices.start[vertices]; i < c->vertices.start[vertices + 1]; i++) {
        const int v = c->vertices.rows[i];
        const nc_box at = {l->search->vertices[v].to, l->search->vertices[v].to};
        for (int j = c->triangles.start[triangles]; j < c->triangles.start[triangles + 1]; j++) {
            const int t = c->triangles.rows[j];
            if (boxes_near(at, l->search->triangle_boxes[t], far))
                list_pair(l, (nc_cloth_pair){NC_CLOTH_VERTEX_TRIANGLE, v, t});
        }
    }
}

static void list_edges(const listing *l, int a, int b)
{
    const nc_window_clusters *c = &l->search->clusters;
    const double far = l->clusters->thickness + l->need;
    for (int i = c->edges.start[a]; i < c->edges.start[a + 1]; i++)
        for (int j = a == b ? i + 1 : c->edges.start[b]; j < c->edges.start[b + 1]; j++) {
            const int e = c->edges.rows[i], f = c->edges.rows[j];
            if (boxes_near(l->search->edge_boxes[e], l->search->edge_boxes[f], far))
                list_pair(l, (nc_cloth_pair){NC_CLOTH_EDGE_EDGE, e < f ? e : f, e < f ? f : e});
        }
}

static void list_points(const listing *l, int a, int b)
{
    const nc_window_clusters *c = &l->search->clusters;
    if (!c->data[a].particles || !c->data[b].particles)
        return;
    for (int i = c->vertices.start[a]; i < c->vertices.start[a + 1]; i++)
        for (int j = a == b ? i + 1 : c->vertices.start[b]; j < c->vertices.start[b + 1]; j++) {
            const int v = c->vertices.rows[i], w = c->vertices.rows[j];
            list_pair(l, (nc_cloth_pair){NC_CLOTH_POINT_POINT, v < w ? v : w, v < w ? w : v});
        }
}

// Around the end of the current window. Only the pair of clusters is written.
static void build_list(const listing *all, nc_cluster_pair *p)
{
    const double skin = fmax(MIN_SKIN * p->thickness, WINDOWS_AHEAD * p->step);
    listing l = *all;
    l.clusters = p;
    l.need = (l.reach + skin + p->step) * (1 + 0x1p-40) + 16 * NC_PATH_ROUNDING * l.search->paths.size;
    p->candidates.count = 0;
    p->holds_until = p->path + skin;
    p->reach = l.reach;
    p->least_until = -INFINITY;
    list_vertex_triangle(&l, p->a, p->b);
    if (p->a != p->b)
        list_vertex_triangle(&l, p->b, p->a);
    list_edges(&l, p->a, p->b);
    list_points(&l, p->a, p->b);
}

static void build_lists(int begin, int end, void *ctx)
{
    const listing *l = ctx;
    for (int i = begin; i < end; i++)
        build_list(l, &l->search->pairs.data[l->search->stale.data[i]]);
}

// All that are out of date, on several threads; those that had too little room once more. False when out of memory.
static bool build_stale(nc_cloth_search *search, const nc_cloth_model *model, double reach)
{
    listing l = {.search = search, .model = model, .reach = reach};
    search->lists_built += search->stale.count;
    while (search->stale.count > 0) {
        int left = 0;
        nc_parallel_for(search->workers, search->stale.count, 4, build_lists, &l);
        for (int i = 0; i < search->stale.count; i++) {
            nc_cluster_pair *p = &search->pairs.data[search->stale.data[i]];
            const int need = p->candidates.count;
            if (need <= p->candidates.capacity)
                continue;
            p->candidates.count = 0;
            if (!nc_array_reserve(&search->allocator, &p->candidates, need))
                return false;
            search->stale.data[left++] = search->stale.data[i];
        }
        search->stale.count = left;
    }
    return true;
}

// Where features are at the end of the window.
static void place_features(nc_cloth_search *search, const nc_cloth_model *model)
{
    for (int v = 0; v < model->vertex_count; v++)
        search->vertex_boxes[v] = (nc_box){search->vertices[v].to, search->vertices[v].to};
    nc_search_boxes(search, model);
}

// ---- pairs of clusters --------------------------------------------------------------------------------------

static bool pair_before(const nc_cluster_pair *p, int a, int b)
{
    return p->a != a ? p->a < a : p->b < b;
}

// The next pair of clusters in order: overlaps, and each cluster with itself.
typedef struct overlaps {
    const nc_pairs *pairs;
    int at, self, clusters;
} overlaps;

static bool next_overlap(overlaps *o, int *a, int *b)
{
    const nc_pair *p = o->at < o->pairs->count ? &o->pairs->data[o->at] : NULL;
    if (o->self < o->clusters && (p == NULL || o->self <= p->a)) {
        *a = *b = o->self++;
        return true;
    }
    if (p == NULL)
        return false;
    *a = p->a;
    *b = p->b;
    o->at++;
    return true;
}

// Those that overlap now: known ones keep what they know, others are forgotten. False when out of memory.
static bool merge_pairs(nc_cloth_search *search)
{
    const nc_window_clusters *c = &search->clusters;
    overlaps o = {&search->overlaps, 0, 0, c->count};
    int a, b, old = 0;
    search->next_pairs.count = 0;
    while (next_overlap(&o, &a, &b)) {
        if (c->data[a].obstacle && c->data[b].obstacle)
            continue;
        nc_cluster_pair pair = {.a = a, .b = b, .holds_until = -INFINITY};
        for (; old < search->pairs.count && pair_before(&search->pairs.data[old], a, b); old++)
            nc_array_free(&search->allocator, &search->pairs.data[old].candidates);
        if (old < search->pairs.count && search->pairs.data[old].a == a && search->pairs.data[old].b == b) {
            pair = search->pairs.data[old++];
        }
        if (!nc_array_push(&search->allocator, &search->next_pairs, pair)) {
            nc_array_free(&search->allocator, &pair.candidates);
            for (; old < search->pairs.count; old++)
                nc_array_free(&search->allocator, &search->pairs.data[old].candidates);
            search->pairs.count = 0;
            return false;
        }
    }
    for (; old < search->pairs.count; old++)
        nc_array_free(&search->allocator, &search->pairs.data[old].candidates);
    const nc_cluster_pairs swap = search->pairs;
    search->pairs = search->next_pairs;
    search->next_pairs = swap;
    search->next_pairs.count = 0;
    return true;
}

// What the pairs know, brought up to the current window; those with lists that no longer hold are stale.
static bool find_stale(nc_cloth_search *search, double reach)
{
    const nc_window_clusters *c = &search->clusters;
    search->stale.count = 0;
    if (!nc_array_reserve(&search->allocator, &search->stale, search->pairs.count))
        return false;
    for (int i = 0; i < search->pairs.count; i++) {
        nc_cluster_pair *p = &search->pairs.data[i];
        const nc_window_cluster *a = &c->data[p->a], *b = &c->data[p->b];
        p->same = p->known && a->same && b->same && reach == search->last_reach;
        p->known = true;
        if (p->same)
            continue;
        p->thickness = fmax(a->thickness, b->thickness);
        p->step = (nc_norm(nc_sub(a->mean, b->mean)) + a->spread + b->spread) * (1 + 0x1p-40);
        const double back = nc_norm(nc_sub(a->jump, b->jump)) + a->jump_spread + b->jump_spread;
        p->path = (p->path + p->step + back) * (1 + 0x1p-40);
        if (!(p->path <= p->holds_until && reach <= p->reach))
            search->stale.data[search->stale.count++] = i;
    }
    search->last_reach = reach;
    return true;
}

static void forget_pairs(nc_cloth_search *search)
{
    for (int i = 0; i < search->pairs.count; i++)
        nc_array_free(&search->allocator, &search->pairs.data[i].candidates);
    search->pairs.count = 0;
}

bool nc_window_list_update(nc_cloth_search *search, const nc_cloth_model *model, double reach, const bool *same)
{
    const nc_window_clusters *c = &search->clusters;
    nc_window_clusters_move(search, reach, same);
    bool done = nc_broad_overlaps(c->boxes, c->count, &search->allocator, &search->overlaps, NULL) == NC_OK &&
                merge_pairs(search) && find_stale(search, reach);
    if (done && search->stale.count > 0) {
        place_features(search, model);
        done = build_stale(search, model, reach);
    }
    if (!done) // paths without this window would promise too much
        forget_pairs(search);
    return done;
}

void nc_window_list_free(nc_cloth_search *search)
{
    forget_pairs(search);
    nc_array_free(&search->allocator, &search->pairs);
    for (int i = 0; i < search->next_pairs.count; i++)
        nc_array_free(&search->allocator, &search->next_pairs.data[i].candidates);
    nc_array_free(&search->allocator, &search->next_pairs);
    nc_array_free(&search->allocator, &search->stale);
    nc_pairs_free(&search->overlaps, &search->allocator);
}
