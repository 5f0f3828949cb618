// What lies around an edge or a vertex of a surface, and whether another feature there is nearer.
//
// A pair whose nearest point is on the rim of a feature stands for more than one pair: seen from a point above a flat
// part, the triangle next to the one below it is a slanted contact with their common edge. Acting, it would hold up
// whatever slides across. So a nearest point on an edge or a corner counts only if no triangle or edge that meets there
// reaches nearer: if the other side's point lies in its Voronoi region. The nearest pair of all always does, so what
// keeps surfaces apart is never left out. A pair that comes out of cover comes with energy: contacts that are to give
// back most of theirs (restitution above NC_CLOTH_COVER_RESTITUTION) all act all the time (docs/theory/acm.md).
#include "cloth/contact.h"

#define VORONOI_TOLERANCE 1e-3 // [rad] how far a point may lean out of a Voronoi region: far above rounding

// ---- building -----------------------------------------------------------------------------------------------

// The row of the edge between two vertices: edges are sorted object by object.
static int edge_row(const nc_cloth_model *m, int a, int b)
{
    const int low_vertex = a < b ? a : b, high_vertex = a < b ? b : a;
    const nc_cloth_object *o = &m->objects.data[m->object[a]];
    int low = o->first_edge, high = o->first_edge + o->edge_count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        const int *v = m->edges.data[middle].v;
        if (v[0] < low_vertex || (v[0] == low_vertex && v[1] < high_vertex))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void fill_wings(nc_cloth_model *m)
{
    nc_cloth_surface *s = &m->surface;
    for (int i = 0; i < 2 * m->edges.count; i++)
        s->wings[i] = -1;
    for (int t = 0; t < m->triangles.count; t++) {
        const int *v = m->triangles.data[t].v;
        for (int k = 0; k < 3; k++) {
            const int row = edge_row(m, v[k], v[(k + 1) % 3]), third = v[(k + 2) % 3];
            s->triangle_edges[3 * t + k] = row;
            int *wing = &s->wings[2 * row];
            if (wing[0] < 0)
                wing[0] = third;
            else if (wing[1] < 0)
                wing[1] = third;
        }
    }
}

static void fill_neighbours(nc_cloth_model *m)
{
    nc_cloth_surface *s = &m->surface;
    for (int i = 0; i < m->edges.count; i++)
        for (int k = 0; k < 2; k++)
            s->first_neighbour[m->edges.data[i].v[k] + 1]++;
    for (int v = 0; v < m->vertex_count; v++)
        s->first_neighbour[v + 1] += s->first_neighbour[v];
    for (int i = m->edges.count - 1; i >= 0; i--) // places are given from the end, then the starts are right again
        for (int k = 0; k < 2; k++)
            s->neighbours[--s->first_neighbour[m->edges.data[i].v[k] + 1]] = m->edges.data[i].v[1 - k];
    for (int v = 0; v < m->vertex_count; v++)
        s->first_neighbour[v] = s->first_neighbour[v + 1];
    s->first_neighbour[m->vertex_count] = 2 * m->edges.count;
}

nc_code nc_cloth_surface_build(nc_cloth_model *m, nc_error *err)
{
    nc_cloth_surface *s = &m->surface;
    const size_t edges = (size_t)m->edges.count, triangles = (size_t)m->triangles.count;
    const size_t vertices = (size_t)m->vertex_count;
    *s = (nc_cloth_surface){.edges = m->edges.count, .triangles = m->triangles.count, .vertices = m->vertex_count};
    s->wings = nc_alloc(&m->allocator, 2 * edges, sizeof(int));
    s->triangle_edges = nc_alloc(&m->allocator, 3 * triangles, sizeof(int));
    s->neighbours = nc_alloc(&m->allocator, 2 * edges, sizeof(int));
    s->first_neighbour = nc_alloc(&m->allocator, vertices + 1, sizeof(int));
    const bool ok = s->first_neighbour != NULL && (edges == 0 || (s->wings != NULL && s->neighbours != NULL)) &&
                    (triangles == 0 || s->triangle_edges != NULL);
    if (!ok) {
        nc_cloth_surface_free(m);
        return nc_fail_memory(err, edges * sizeof(int));
    }
    fill_wings(m);
    fill_neighbours(m);
    return NC_OK;
}

void nc_cloth_surface_free(nc_cloth_model *m)
{
    nc_cloth_surface *s = &m->surface;
    nc_free(&m->allocator, s->wings, 2 * (size_t)s->edges, sizeof(int));
    nc_free(&m->allocator, s->triangle_edges, 3 * (size_t)s->triangles, sizeof(int));
    nc_free(&m->allocator, s->neighbours, 2 * (size_t)s->edges, sizeof(int));
    nc_free(&m->allocator, s->first_neighbour, (size_t)s->vertices + 1, sizeof(int));
    *s = (nc_cloth_surface){0};
}

// ---- asking -------------------------------------------------------------------------------------------------

typedef struct asking {
    const nc_cloth_model *model;
    const nc_cloth_state *states;
    int64_t now;
    const int *other; // vertices of the other feature: what contains one of them does not stand for this pair
    int other_count;
    nc_vec3 point; // [m] the nearest point of the other feature
    double distance;
} asking;

static bool is_others(const asking *q, int vertex)
{
    for (int k = 0; k < q->other_count; k++)
        if (q->other[k] == vertex)
            return true;
    return false;
}

static nc_vec3 position(const asking *q, int vertex)
{
    return nc_cloth_position_at(&q->states[vertex], q->now, q->model->unit);
}

static bool leans(const asking *q, nc_vec3 from, nc_vec3 along)
{
    return nc_dot(nc_sub(q->point, from), along) > VORONOI_TOLERANCE * q->distance * nc_norm(along);
}

static bool vertex_is_covered(const asking *q, int vertex, nc_vec3 x)
{
    const nc_cloth_surface *s = &q->model->surface;
    for (int i = s->first_neighbour[vertex]; i < s->first_neighbour[vertex + 1]; i++)
        if (!is_others(q, s->neighbours[i]) && leans(q, x, nc_sub(position(q, s->neighbours[i]), x)))
            return true;
    return false;
}

static bool edge_is_covered(const asking *q, int edge, nc_vec3 a, nc_vec3 b)
{
    const nc_vec3 e = nc_sub(b, a);
    for (int k = 0; k < 2; k++) {
        const int wing = q->model->surface.wings[2 * edge + k];
        if (wing < 0 || is_others(q, wing))
            continue;
        const nc_vec3 w = nc_sub(position(q, wing), a);
        if (leans(q, a, nc_madd(w, -nc_dot(w, e) / nc_norm2(e), e)))
            return true;
    }
    return false;
}

// A triangle's edge or corner with weights b; nothing covers its inside.
static bool triangle_is_covered(const asking *q, int triangle, const nc_vec3 *x, const double *b)
{
    const int *v = q->model->triangles.data[triangle].v;
    for (int k = 0; k < 3; k++) {
        const int next = k == 2 ? 0 : k + 1, last = k == 0 ? 2 : k - 1;
        if (b[k] == 0 && b[next] == 0)
            return vertex_is_covered(q, v[last], x[last]);
    }
    for (int k = 0; k < 3; k++) {
        const int next = k == 2 ? 0 : k + 1, last = k == 0 ? 2 : k - 1;
        if (b[last] == 0)
            return edge_is_covered(q, q->model->surface.triangle_edges[3 * triangle + k], x[k], x[next]);
    }
    return false;
}

// One of two edges, with weight s of its second end.
static bool end_or_edge_is_covered(const asking *q, int edge, const nc_vec3 *x, double s)
{
    const int *v = q->model->edges.data[edge].v;
    if (s == 0 || s == 1)
        return vertex_is_covered(q, v[s == 1], x[s == 1]);
    return edge_is_covered(q, edge, x[0], x[1]);
}

bool nc_cloth_contact_is_covered(const nc_cloth_model *model, const nc_cloth_state *states, int64_t now,
                                 const nc_cloth_active_contact *c, const nc_vec3 *x, const nc_cloth_gap *gap)
{
    asking q = {.model = model, .states = states, .now = now, .distance = gap->distance};
    if (c->pair.kind == NC_CLOTH_POINT_POINT || c->restitution > NC_CLOTH_COVER_RESTITUTION)
        return false;
    if (c->pair.kind == NC_CLOTH_VERTEX_TRIANGLE) {
        const double b[3] = {-gap->w[1], -gap->w[2], -gap->w[3]};
        if (b[0] != 0 && b[1] != 0 && b[2] != 0)
            return false;
        q.other = c->v;
        q.other_count = 1;
        q.point = x[0];
        if (triangle_is_covered(&q, c->pair.b, x + 1, b))
            return true;
        q.other = c->v + 1;
        q.other_count = 3;
        q.point = nc_madd(x[0], -gap->distance, gap->n);
        return vertex_is_covered(&q, c->v[0], x[0]);
    }
    const nc_vec3 on_a = nc_madd(x[0], gap->w[1], nc_sub(x[1], x[0]));
    q.other = c->v;
    q.other_count = 2;
    q.point = on_a;
    if (end_or_edge_is_covered(&q, c->pair.b, x + 2, -gap->w[3]))
        return true;
    q.other = c->v + 2;
    q.point = nc_madd(on_a, -gap->distance, gap->n);
    return end_or_edge_is_covered(&q, c->pair.a, x, gap->w[1]);
}
