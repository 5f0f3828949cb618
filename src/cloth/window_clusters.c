// Clusters: small groups of neighbouring vertices of one object, with the features that start at them. What is in a
// cluster moves alike, so two clusters change their distances slowly however fast both go.
#include "cloth/places.h"
#include "cloth/window.h"

#include <string.h>

#define CLUSTER_VERTICES 24

// ---- which vertices -----------------------------------------------------------------------------------------

// Halves the places until they are few enough for a cluster. False when out of memory.
static bool halve(nc_window_clusters *c, const nc_allocator *allocator, nc_cloth_place *places, int count)
{
    if (count <= CLUSTER_VERTICES) {
        for (int i = 0; i < count; i++)
            c->of_vertex[places[i].vertex] = c->count;
        c->count++;
        return true;
    }
    const int half = count / 2;
    return nc_cloth_places_sort(places, count, allocator) && halve(c, allocator, places, half) &&
           halve(c, allocator, places + half, count - half);
}

static bool group_vertices(nc_window_clusters *c, const nc_cloth_model *m, const nc_allocator *allocator)
{
    nc_cloth_place *places = nc_alloc(allocator, (size_t)m->vertex_count, sizeof *places);
    bool done = places != NULL || m->vertex_count == 0;
    for (int o = 0; done && o < m->objects.count; o++) {
        const nc_cloth_object *object = &m->objects.data[o];
        for (int i = 0; i < object->vertex_count; i++)
            places[i] = (nc_cloth_place){m->start[object->first_vertex + i], object->first_vertex + i};
        done = object->vertex_count == 0 || halve(c, allocator, places, object->vertex_count);
    }
    nc_free(allocator, places, (size_t)m->vertex_count, sizeof *places);
    return done;
}

// ---- which rows ---------------------------------------------------------------------------------------------

static bool rows_room(nc_cluster_rows *r, const nc_allocator *allocator, int clusters, int rows)
{
    r->start_capacity = clusters + 2;
    r->row_capacity = rows + 1;
    r->start = nc_alloc(allocator, (size_t)r->start_capacity, sizeof *r->start);
    r->rows = nc_alloc(allocator, (size_t)r->row_capacity, sizeof *r->rows);
    return r->start != NULL && r->rows != NULL;
}

static void rows_free(nc_cluster_rows *r, const nc_allocator *allocator)
{
    nc_free(allocator, r->start, (size_t)r->start_capacity, sizeof *r->start);
    nc_free(allocator, r->rows, (size_t)r->row_capacity, sizeof *r->rows);
}

// Rows in order of clusters; row i belongs to the cluster of vertex first[i * stride].
static bool rows_fill(nc_cluster_rows *r, const nc_window_clusters *c, const nc_allocator *allocator, const int *first,
                      int stride, int count)
{
    if (!rows_room(r, allocator, c->count, count))
        return false;
    for (int i = 0; i < count; i++)
        r->start[c->of_vertex[first != NULL ? first[i * stride] : i] + 2]++;
    for (int k = 0; k < c->count; k++)
        r->start[k + 2] += r->start[k + 1];
    for (int i = 0; i < count; i++)
        r->rows[r->start[c->of_vertex[first != NULL ? first[i * stride] : i] + 1]++] = i;
    return true;
}

// Adds a vertex to the halo of a cluster once; `seen` holds the last cluster that has it.
static void add_to_halo(nc_cluster_rows *halo, int *count, int *seen, int cluster, int vertex)
{
    if (seen[vertex] == cluster)
        return;
    seen[vertex] = cluster;
    halo->rows[(*count)++] = vertex;
}

// The vertices of each cluster's features.
static bool fill_halo(nc_window_clusters *c, const nc_cloth_model *m, const nc_allocator *allocator)
{
    const int most = m->vertex_count + 3 * m->triangles.count + 2 * m->edges.count;
    int *seen = nc_alloc(allocator, (size_t)m->vertex_count, sizeof *seen), count = 0;
    if (!rows_room(&c->halo, allocator, c->count, most) || seen == NULL) {
        nc_free(allocator, seen, (size_t)m->vertex_count, sizeof *seen);
        return m->vertex_count == 0;
    }
    for (int v = 0; v < m->vertex_count; v++)
        seen[v] = -1;
    for (int k = 0; k < c->count; k++) {
        c->halo.start[k] = count;
        for (int i = c->vertices.start[k]; i < c->vertices.start[k + 1]; i++)
            add_to_halo(&c->halo, &count, seen, k, c->vertices.rows[i]);
        for (int i = c->triangles.start[k]; i < c->triangles.start[k + 1]; i++)
            for (int j = 0; j < 3; j++)
                add_to_halo(&c->halo, &count, seen, k, m->triangles.data[c->triangles.rows[i]].v[j]);
        for (int i = c->edges.start[k]; i < c->edges.start[k + 1]; i++)
            for (int j = 0; j < 2; j++)
                add_to_halo(&c->halo, &count, seen, k, m->edges.data[c->edges.rows[i]].v[j]);
    }
    c->halo.start[c->count] = count;
    nc_free(allocator, seen, (size_t)m->vertex_count, sizeof *seen);
    return true;
}

static void name_objects(nc_window_clusters *c, const nc_cloth_model *m)
{
    for (int v = 0; v < m->vertex_count; v++) {
        const nc_cloth_object *object = &m->objects.data[m->object[v]];
        c->data[c->of_vertex[v]].obstacle = object->type == NC_CLOTH_OBSTACLE;
        c->data[c->of_vertex[v]].particles = object->type == NC_CLOTH_PARTICLES;
    }
}

bool nc_window_clusters_build(nc_window_clusters *c, const nc_cloth_model *m, const nc_allocator *allocator)
{
    memset(c, 0, sizeof *c);
    c->vertex_capacity = m->vertex_count;
    c->of_vertex = nc_alloc(allocator, (size_t)m->vertex_count, sizeof *c->of_vertex);
    if (m->vertex_count == 0)
        return true;
    if (c->of_vertex == NULL || !group_vertices(c, m, allocator))
        return false;
    c->data = nc_alloc(allocator, (size_t)c->count, sizeof *c->data);
    c->boxes = nc_alloc(allocator, (size_t)c->count, sizeof *c->boxes);
    if (c->data == NULL || c->boxes == NULL || !rows_fill(&c->vertices, c, allocator, NULL, 1, m->vertex_count) ||
        !rows_fill(&c->triangles, c, allocator, (const int *)m->triangles.data, 3, m->triangles.count) ||
        !rows_fill(&c->edges, c, allocator, (const int *)m->edges.data, 2, m->edges.count) ||
        !fill_halo(c, m, allocator))
        return false;
    name_objects(c, m);
    return true;
}

void nc_window_clusters_free(nc_window_clusters *c, const nc_allocator *allocator)
{
    nc_free(allocator, c->of_vertex, (size_t)c->vertex_capacity, sizeof *c->of_vertex);
    nc_free(allocator, c->data, (size_t)c->count, sizeof *c->data);
    nc_free(allocator, c->boxes, (size_t)c->count, sizeof *c->boxes);
    rows_free(&c->vertices, allocator);
    rows_free(&c->triangles, allocator);
    rows_free(&c->edges, allocator);
    rows_free(&c->halo, allocator);
    memset(c, 0, sizeof *c);
}

// ---- how they move ------------------------------------------------------------------------------------------

// The mean of the vertices' chords, and how far each may be from going along with it at any time of the window.
static void move_cluster(const nc_cloth_search *search, int k, double reach, const bool *same)
{
    const nc_window_clusters *c = &search->clusters;
    nc_window_cluster *cluster = &c->data[k];
    const int first = c->halo.start[k], last = c->halo.start[k + 1];
    nc_vec3 sum = {0, 0, 0}, jump = {0, 0, 0};
    nc_box box = nc_box_empty();
    double thickness = 0, most = 0, most_jump = 0;
    cluster->same = same != NULL;
    for (int i = first; i < last; i++) {
        const int v = c->halo.rows[i];
        cluster->same = cluster->same && same[v];
        const nc_window_vertex *w = &search->vertices[v];
        const nc_vec3 pad = nc_v3(w->stray, w->stray, w->stray);
        sum = nc_add(sum, nc_sub(w->to, w->from));
        jump = nc_add(jump, w->jump);
        box =
            nc_box_union(box, (nc_box){nc_sub(nc_min_v3(w->from, w->to), pad), nc_add(nc_max_v3(w->from, w->to), pad)});
        thickness = fmax(thickness, search->thickness[v]);
    }
    cluster->mean = nc_scale(1.0 / (last - first), sum);
    cluster->jump = nc_scale(1.0 / (last - first), jump);
    for (int i = first; i < last; i++) {
        const nc_window_vertex *w = &search->vertices[c->halo.rows[i]];
        most = fmax(most, nc_norm(nc_sub(nc_sub(w->to, w->from), cluster->mean)) + w->stray);
        most_jump = fmax(most_jump, nc_norm(nc_sub(w->jump, cluster->jump)));
    }
    cluster->jump_spread = most_jump * (1 + 0x1p-40);
    cluster->spread = most * (1 + 0x1p-40);
    cluster->thickness = thickness;
    // Half of what a pair must keep, for each of its sides.
    const double r = 0.5 * (thickness + reach) * (1 + 0x1p-40) + 8 * NC_PATH_ROUNDING * search->paths.size;
    c->boxes[k] = (nc_box){nc_sub(box.lo, nc_v3(r, r, r)), nc_add(box.hi, nc_v3(r, r, r))};
}

typedef struct moving {
    const nc_cloth_search *search;
    double reach; // [m]
    const bool *same;
} moving;

static void move_clusters(int begin, int end, void *ctx)
{
    const moving *m = ctx;
    for (int k = begin; k < end; k++)
        move_cluster(m->search, k, m->reach, m->same);
}

void nc_window_clusters_move(nc_cloth_search *search, double reach, const bool *same)
{
    moving m = {search, reach, same};
    nc_parallel_for(search->workers, search->clusters.count, 64, move_clusters, &m);
}
