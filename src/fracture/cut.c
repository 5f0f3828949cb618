// Meshes cut by a plane.
//
// A vertex is inside, outside or (of a shell) on the plane. A crossed edge gets one new vertex, which all triangles of
// the edge share, so what was joined stays joined. A solid has no vertices on the plane: those near it count as inside
// or outside. Then every new vertex of a closed mesh is where exactly one of the cut triangles is left and exactly one
// is entered, and the edges to the hole form loops without common vertices, whatever the rounding: nc_cut_cap.
#include "fracture/cut.h"

void nc_cutter_free(nc_cutter *c)
{
    nc_array_free(&c->allocator, &c->value);
    nc_array_free(&c->allocator, &c->sign);
    nc_array_free(&c->allocator, &c->row_of);
    nc_array_free(&c->allocator, &c->first_cut);
    nc_array_free(&c->allocator, &c->cuts);
    nc_array_free(&c->allocator, &c->link);
    nc_array_free(&c->allocator, &c->ring);
    nc_array_free(&c->allocator, &c->loops);
    nc_array_free(&c->allocator, &c->polygon);
    nc_array_free(&c->allocator, &c->merged);
    nc_array_free(&c->allocator, &c->corners);
    nc_array_free(&c->allocator, &c->scratch);
    nc_cut_mesh_free(&c->allocator, &c->out);
}

// ---- sides --------------------------------------------------------------------------------------------------

// Of the two sides of a plane, whose normals are opposite, exactly one has what lies in it.
static bool owns_its_crack(const nc_plane *plane)
{
    const nc_vec3 n = plane->normal;
    const double leading = fabs(n.x) > 0.5 ? n.x : fabs(n.y) > 0.5 ? n.y : n.z;
    return leading > 0;
}

typedef struct sides {
    bool inside, outside, on; // there are such vertices
} sides;

// Fills `value` and `sign`: below 0 inside, above 0 outside, 0 on the plane.
static bool find_sides(nc_cutter *c, const nc_cut_mesh *mesh, const nc_plane *plane, sides *out)
{
    const int count = mesh->vertices.count;
    if (!nc_array_reserve(&c->allocator, &c->value, count) || !nc_array_reserve(&c->allocator, &c->sign, count))
        return false;
    const int on = !c->solid ? 0 : owns_its_crack(plane) ? -1 : 1;
    *out = (sides){false, false, false};
    for (int i = 0; i < count; i++) {
        const double value = nc_plane_value(plane, mesh->vertices.data[i]);
        const bool is_on = fabs(value) <= c->on_plane;
        c->value.data[i] = is_on ? 0.0 : value;
        c->sign.data[i] = is_on ? on : value < 0 ? -1 : 1;
        out->inside |= c->sign.data[i] < 0;
        out->outside |= c->sign.data[i] > 0;
        out->on |= c->sign.data[i] == 0;
    }
    return true;
}

// ---- new vertices -------------------------------------------------------------------------------------------

// Gives the vertices that stay their new rows.
static bool keep_vertices(nc_cutter *c, const nc_cut_mesh *mesh)
{
    const int count = mesh->vertices.count;
    if (!nc_array_reserve(&c->allocator, &c->row_of, count) || !nc_array_reserve(&c->allocator, &c->first_cut, count) ||
        !nc_array_reserve(&c->allocator, &c->out.vertices, count))
        return false;
    c->out.vertices.count = c->out.triangles.count = c->cuts.count = 0;
    for (int i = 0; i < count; i++) {
        c->row_of.data[i] = c->out.vertices.count;
        c->first_cut.data[i] = -1;
        if (c->sign.data[i] <= 0)
            c->out.vertices.data[c->out.vertices.count++] = mesh->vertices.data[i];
    }
    return true;
}

static nc_vec3 crossing(const nc_cutter *c, const nc_cut_mesh *mesh, int inside, int outside)
{
    const double a = c->value.data[inside], b = c->value.data[outside];
    const nc_vec3 from = mesh->vertices.data[inside], to = mesh->vertices.data[outside];
    return b == 0 ? to : nc_madd(from, a / (a - b), nc_sub(to, from));
}

// The new vertex on an edge; -1 when out of memory.
static int cut_vertex(nc_cutter *c, const nc_cut_mesh *mesh, int inside, int outside)
{
    for (int i = c->first_cut.data[inside]; i >= 0; i = c->cuts.data[i].next)
        if (c->cuts.data[i].outside == outside)
            return c->cuts.data[i].vertex;
    const nc_cut_edge cut = {outside, c->out.vertices.count, c->first_cut.data[inside]};
    const nc_vec3 at = crossing(c, mesh, inside, outside);
    if (!nc_array_push(&c->allocator, &c->cuts, cut) || !nc_array_push(&c->allocator, &c->out.vertices, at))
        return -1;
    c->first_cut.data[inside] = c->cuts.count - 1;
    return cut.vertex;
}

// ---- triangles ----------------------------------------------------------------------------------------------

// What a plane leaves of a triangle.
typedef struct remains {
    int v[4], count;
    int entry, leave; // new vertices where it is entered and left, -1: nowhere
} remains;

static bool cut_triangle(nc_cutter *c, const nc_cut_mesh *mesh, const nc_cut_triangle *t, remains *out)
{
    *out = (remains){.count = 0, .entry = -1, .leave = -1};
    for (int k = 0; k < 3; k++) {
        const int u = t->v[k], w = t->v[(k + 1) % 3];
        const int from = c->sign.data[u], to = c->sign.data[w];
        if (from <= 0)
            out->v[out->count++] = c->row_of.data[u];
        if (from * to >= 0)
            continue;
        const int vertex = from < 0 ? cut_vertex(c, mesh, u, w) : cut_vertex(c, mesh, w, u);
        if (vertex < 0)
            return false;
        out->v[out->count++] = vertex;
        *(from < 0 ? &out->leave : &out->entry) = vertex;
    }
    return true;
}

static bool add_triangle(nc_cutter *c, int i, int j, int k, int plane)
{
    const nc_cut_triangle t = {{i, j, k}, plane};
    return nc_array_push(&c->allocator, &c->out.triangles, t);
}

// A quadrilateral is cut along the shorter diagonal.
static bool add_remains(nc_cutter *c, const remains *r, int plane)
{
    const nc_vec3 *p = c->out.vertices.data;
    const int *v = r->v;
    if (r->count == 3)
        return add_triangle(c, v[0], v[1], v[2], plane);
    const int s = nc_norm2(nc_sub(p[v[0]], p[v[2]])) <= nc_norm2(nc_sub(p[v[1]], p[v[3]])) ? 0 : 1;
    return add_triangle(c, v[s], v[s + 1], v[s + 2], plane) && add_triangle(c, v[s], v[s + 2], v[(s + 3) % 4], plane);
}

static bool add_link(nc_cutter *c, int first, const remains *r)
{
    const int need = c->out.vertices.count - first;
    if (!nc_array_reserve(&c->allocator, &c->link, need))
        return false;
    for (; c->link.count < need; c->link.count++)
        c->link.data[c->link.count] = -1;
    c->link.data[r->entry - first] = r->leave;
    return true;
}

static bool cut_triangles(nc_cutter *c, const nc_cut_mesh *mesh, const nc_plane *half_space)
{
    const bool owns = owns_its_crack(half_space);
    const int first = c->out.vertices.count;
    c->link.count = 0;
    for (int i = 0; i < mesh->triangles.count; i++) {
        const nc_cut_triangle *t = &mesh->triangles.data[i];
        const int a = c->sign.data[t->v[0]], b = c->sign.data[t->v[1]], d = c->sign.data[t->v[2]];
        const bool inside = a < 0 || b < 0 || d < 0, in_plane = a == 0 && b == 0 && d == 0;
        if (!inside && !(in_plane && owns))
            continue;
        remains r;
        if (!cut_triangle(c, mesh, t, &r) || !add_remains(c, &r, t->plane))
            return false;
        if (c->solid && r.entry >= 0 && !add_link(c, first, &r))
            return false;
    }
    return true;
}

bool nc_cut(nc_cutter *c, nc_cut_mesh *mesh, const nc_plane *half_space, int plane)
{
    sides found;
    if (!find_sides(c, mesh, half_space, &found))
        return false;
    if (!found.outside && !(found.on && !owns_its_crack(half_space)))
        return true;
    if (!found.inside && !found.on) {
        mesh->vertices.count = mesh->triangles.count = 0;
        return true;
    }
    if (!keep_vertices(c, mesh))
        return false;
    const int first = c->out.vertices.count;
    if (!cut_triangles(c, mesh, half_space) || (c->solid && !nc_cut_cap(c, first, half_space, plane)))
        return false;
    const nc_cut_mesh kept = c->out;
    c->out = *mesh;
    *mesh = kept;
    return true;
}
