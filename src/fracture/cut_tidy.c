// Flat faces, whole again after many cuts, of as few triangles as they need.
//
// A face (a cap, or a flat face of the body) that was cut by many planes is full of vertices that its shape does not
// need: on its edges with other faces, which are straight, and inside of it. Its outline is found, the vertices that
// are not needed are left out, and what remains is cut into triangles again.
// Of a solid a vertex is needed when three faces have it: two planes meet in a straight line. Both faces leave out the
// same vertices, so a closed mesh stays closed. Of a shell, whose faces have free edges, a vertex is left out when one
// face alone has it and the outline is straight there.
#include "fracture/cut.h"

enum { NOWHERE = INT32_MIN, SEVERAL }; // for the faces of a vertex: none yet; too many to be left out

// Finds the faces of each vertex: `first_cut` becomes SEVERAL where it is needed.
static void find_needed(nc_cutter *c, const nc_cut_mesh *mesh)
{
    int *first = c->row_of.data, *second = c->first_cut.data;
    for (int i = 0; i < mesh->vertices.count; i++)
        first[i] = second[i] = NOWHERE;
    for (int t = 0; t < mesh->triangles.count; t++) {
        const int plane = mesh->triangles.data[t].plane;
        for (int k = 0; k < 3; k++) {
            const int v = mesh->triangles.data[t].v[k];
            if (first[v] == NOWHERE)
                first[v] = plane;
            else if (first[v] != plane && second[v] != plane)
                second[v] = c->solid && second[v] == NOWHERE ? plane : SEVERAL;
        }
    }
}

static bool is_needed(const nc_cutter *c, int vertex)
{
    return c->first_cut.data[vertex] == SEVERAL;
}

// ---- outlines -----------------------------------------------------------------------------------------------

// Lists the edges of triangles by the vertex they start from; `link` holds the first of each.
static bool list_edges(nc_cutter *c, const nc_cut_mesh *mesh)
{
    c->cuts.count = 0;
    for (int i = 0; i < mesh->vertices.count; i++)
        c->link.data[i] = -1;
    for (int t = 0; t < mesh->triangles.count; t++) {
        const nc_cut_triangle *triangle = &mesh->triangles.data[t];
        for (int k = 0; k < 3; k++) {
            const int from = triangle->v[k];
            const nc_cut_edge edge = {triangle->v[(k + 1) % 3], triangle->plane, c->link.data[from]};
            if (!nc_array_push(&c->allocator, &c->cuts, edge))
                return false;
            c->link.data[from] = c->cuts.count - 1;
        }
    }
    return true;
}

// The edge between two vertices in a face; -1: there is none.
static int find_edge(const nc_cutter *c, int from, int to, int plane)
{
    int e = c->link.data[from];
    while (e >= 0 && !(c->cuts.data[e].outside == to && c->cuts.data[e].vertex == plane))
        e = c->cuts.data[e].next;
    return e;
}

// Takes an edge out of its face.
static void use_edge(nc_cutter *c, int edge)
{
    c->cuts.data[edge].vertex = NOWHERE;
}

// Leaves the edges of outlines: those inside of a face are there in both directions.
static void find_outlines(nc_cutter *c, const nc_cut_mesh *mesh)
{
    for (int e = 0; e < c->cuts.count; e++) {
        const nc_cut_edge *edge = &c->cuts.data[e];
        const int from = mesh->triangles.data[e / 3].v[e % 3];
        const int back = edge->vertex == NOWHERE ? -1 : find_edge(c, edge->outside, from, edge->vertex);
        if (back >= 0) {
            use_edge(c, e);
            use_edge(c, back);
        }
    }
}

// An edge of a face's outline that starts at a vertex; -1: none is left.
static int outline_from(const nc_cutter *c, int from, int plane)
{
    int e = c->link.data[from];
    while (e >= 0 && c->cuts.data[e].vertex != plane)
        e = c->cuts.data[e].next;
    return e;
}

// Leaves out the vertices of a shell's outline where it is straight, from row `first` of the ring on.
static void straighten(nc_cutter *c, int first)
{
    const nc_vec3 *p = c->out.vertices.data;
    int kept = first;
    for (int i = first; i < c->ring.count; i++) {
        const int here = c->ring.data[i];
        const int before = kept > first ? c->ring.data[kept - 1] : c->ring.data[c->ring.count - 1];
        const int after = i + 1 < c->ring.count ? c->ring.data[i + 1] : c->ring.data[first];
        const nc_vec3 in = nc_sub(p[here], p[before]), out = nc_sub(p[after], p[here]);
        const bool straight =
            nc_norm(nc_cross(in, out)) <= c->on_plane * nc_norm(nc_sub(p[after], p[before])) && nc_dot(in, out) > 0;
        if (is_needed(c, here) || !straight)
            c->ring.data[kept++] = here;
    }
    c->ring.count = kept;
}

// Follows outlines from a vertex on, around and back, as often as there is one.
static bool follow(nc_cutter *c, int start, int plane)
{
    for (int e = outline_from(c, start, plane); e >= 0; e = outline_from(c, start, plane)) {
        nc_cut_loop loop = {.first = c->ring.count, .outer = c->loops.count};
        for (int at = start; e >= 0; e = at == start ? -1 : outline_from(c, at, plane)) {
            if ((!c->solid || is_needed(c, at)) && !nc_array_push(&c->allocator, &c->ring, at))
                return false;
            at = c->cuts.data[e].outside;
            use_edge(c, e);
        }
        if (!c->solid)
            straighten(c, loop.first);
        loop.count = c->ring.count - loop.first;
        if (loop.count < 3)
            c->ring.count = loop.first;
        else if (!nc_array_push(&c->allocator, &c->loops, loop))
            return false;
    }
    return true;
}

// The face of the triangles [begin, end).
static bool redo_face(nc_cutter *c, const nc_cut_mesh *mesh, int begin, int end, nc_vec3 normal)
{
    const int plane = mesh->triangles.data[begin].plane;
    if (end == begin + 1) // as simple as can be
        return nc_array_push(&c->allocator, &c->out.triangles, mesh->triangles.data[begin]);
    c->ring.count = c->loops.count = 0;
    for (int t = begin; t < end; t++)
        for (int k = 0; k < 3; k++) {
            const int v = mesh->triangles.data[t].v[k];
            if ((!c->solid || is_needed(c, v)) && !follow(c, v, plane))
                return false;
        }
    return nc_cut_fill(c, normal, plane);
}

// Whether every edge of the new mesh has one triangle on each side.
static bool is_closed(nc_cutter *c, bool *out)
{
    *out = true;
    if (!list_edges(c, &c->out))
        return false;
    for (int v = 0; v < c->out.vertices.count; v++)
        for (int e = c->link.data[v]; e >= 0 && *out; e = c->cuts.data[e].next) {
            const int to = c->cuts.data[e].outside;
            int there = 0, back = 0;
            for (int i = c->link.data[v]; i >= 0; i = c->cuts.data[i].next)
                there += c->cuts.data[i].outside == to;
            for (int i = c->link.data[to]; i >= 0; i = c->cuts.data[i].next)
                back += c->cuts.data[i].outside == v;
            *out = there == 1 && back == 1;
        }
    return true;
}

static bool redo_faces(nc_cutter *c, const nc_cut_mesh *mesh, const nc_plane *planes, const nc_vec3 *normals)
{
    const int count = mesh->vertices.count;
    if (!nc_array_reserve(&c->allocator, &c->row_of, count) || !nc_array_reserve(&c->allocator, &c->first_cut, count) ||
        !nc_array_reserve(&c->allocator, &c->link, count) || !nc_array_reserve(&c->allocator, &c->out.vertices, count))
        return false;
    c->out.vertices.count = count;
    c->out.triangles.count = 0;
    for (int i = 0; i < count; i++)
        c->out.vertices.data[i] = mesh->vertices.data[i];
    find_needed(c, mesh);
    if (!list_edges(c, mesh))
        return false;
    find_outlines(c, mesh);
    for (int begin = 0, end; begin < mesh->triangles.count; begin = end) {
        const int plane = mesh->triangles.data[begin].plane;
        for (end = begin + 1; end < mesh->triangles.count && mesh->triangles.data[end].plane == plane; end++)
            continue;
        if (!redo_face(c, mesh, begin, end, plane >= 0 ? planes[plane].normal : normals[-1 - plane]))
            return false;
    }
    return true;
}

bool nc_cut_tidy(nc_cutter *c, nc_cut_mesh *mesh, const nc_plane *planes, const nc_vec3 *normals)
{
    const bool bad = c->bad;
    bool good = true;
    c->bad = false;
    const bool ok = redo_faces(c, mesh, planes, normals) && (!c->solid || is_closed(c, &good));
    good = good && !c->bad;
    c->bad = bad;
    if (!ok || !good)
        return ok;
    mesh->vertices.count = mesh->triangles.count = 0;
    return nc_cut_mesh_append(&c->allocator, mesh, &c->out, NULL, 0, nc_v3(0, 0, 0), c->row_of.data);
}
