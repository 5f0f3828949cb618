// Which edges and vertices lie inside a flat part of a surface, so that how the part was cut into triangles shows
// nowhere: contacts at such features would say nothing that the part's rim does not say.
//
// An edge is flat when it has exactly two triangles, one on either side, in one plane up to FLAT radians. A vertex is
// flat when all its edges are. Rims, folds, free edges, points and triangles without area are never flat.
//
// A flat edge whose two triangles have no other flat edge cuts a quadrilateral. When that is in one plane up to
// rounding, nothing is nearer to the cut than to the rim, or to the vertex that is near (docs/theory/proximity.md).
#include "geom/mesh.h"

#define FLAT 1e-6 // [rad]
#define EVEN 8    // [unit roundoffs of its size] how far a quadrilateral seems off a plane

typedef struct edge_sides {
    int apex[2]; // the third corners of its first two triangles
    int count;   // of triangles
} edge_sides;

static bool lies_flat(const nc_mesh *mesh, int edge, const edge_sides *sides)
{
    if (sides->count != 2)
        return false;
    const nc_vec3 from = mesh->vertices[mesh->edges[edge][0]];
    const nc_vec3 along = nc_sub(mesh->vertices[mesh->edges[edge][1]], from);
    const nc_vec3 left = nc_cross(along, nc_sub(mesh->vertices[sides->apex[0]], from));
    const nc_vec3 right = nc_cross(nc_sub(mesh->vertices[sides->apex[1]], from), along);
    const double sizes = nc_norm2(left) * nc_norm2(right);
    return nc_dot(left, right) > 0 && nc_norm2(nc_cross(left, right)) <= FLAT * FLAT * sizes;
}

static void find_sides(const nc_mesh *mesh, edge_sides *sides)
{
    for (int slot = 0; slot < mesh->tree.count; slot++) {
        const nc_element_features *f = &mesh->features[slot];
        for (int k = 0; f->corners == 3 && k < 3; k++) {
            edge_sides *s = &sides[f->edge[k]];
            if (s->count < 2)
                s->apex[s->count] = f->vertex[k == 0 ? 2 : k - 1];
            s->count++;
        }
    }
}

// edge_flat[e] and vertex_sharp[v] from the sides.
static void judge(const nc_mesh *mesh, const edge_sides *sides, uint8_t *edge_flat, uint8_t *vertex_sharp)
{
    for (int e = 0; e < mesh->edge_count; e++) {
        edge_flat[e] = lies_flat(mesh, e, &sides[e]);
        if (!edge_flat[e])
            vertex_sharp[mesh->edges[e][0]] = vertex_sharp[mesh->edges[e][1]] = 1;
    }
}

// Is the second apex of a flat edge in the plane of its first triangle, but for rounding? Never of slivers, whose
// normals are off: with a sine of 1/8 the height is wrong by at most 8 x 8 unit roundoffs of the diameter: 144 of the
// radius in all.
static bool lies_even(const nc_mesh *mesh, int edge, const edge_sides *sides)
{
    const nc_vec3 from = mesh->vertices[mesh->edges[edge][0]];
    const nc_vec3 along = nc_sub(mesh->vertices[mesh->edges[edge][1]], from);
    const nc_vec3 aside = nc_sub(mesh->vertices[sides->apex[0]], from), normal = nc_cross(along, aside);
    const double off = fabs(nc_dot(normal, nc_sub(mesh->vertices[sides->apex[1]], from)));
    return nc_norm2(normal) >= 0x1p-6 * nc_norm2(along) * nc_norm2(aside) &&
           off <= EVEN * NC_UNIT_ROUNDOFF * nc_norm(aside) * nc_norm(normal);
}

// A triangle's flat edges, as a mask.
static int flat_edges(const nc_element_features *f, const uint8_t *edge_flat)
{
    return edge_flat[f->edge[0]] | edge_flat[f->edge[1]] << 1 | edge_flat[f->edge[2]] << 2;
}

// edge_cuts[e] ends up as the number of e's triangles that have no other flat edge.
static void count_whole(const nc_mesh *mesh, const uint8_t *edge_flat, uint8_t *edge_cuts)
{
    for (int slot = 0; slot < mesh->tree.count; slot++) {
        const nc_element_features *f = &mesh->features[slot];
        const int flat = f->corners == 3 ? flat_edges(f, edge_flat) : 0;
        for (int k = 0; k < 3; k++)
            if (flat == 1 << k)
                edge_cuts[f->edge[k]]++; // a flat edge has two triangles
    }
}

static void mark_cuts(nc_mesh *mesh, const edge_sides *sides, const uint8_t *edge_flat, uint8_t *edge_cuts)
{
    count_whole(mesh, edge_flat, edge_cuts);
    for (int slot = 0; slot < mesh->tree.count; slot++) {
        nc_element_features *f = &mesh->features[slot];
        for (int k = 0; f->corners == 3 && k < 3; k++)
            if (edge_cuts[f->edge[k]] == 2 && lies_even(mesh, f->edge[k], &sides[f->edge[k]]))
                f->cut_edges |= (uint8_t)(1 << k);
    }
}

static void mark(nc_mesh *mesh, const uint8_t *edge_flat, const uint8_t *vertex_sharp)
{
    for (int slot = 0; slot < mesh->tree.count; slot++) {
        nc_element_features *f = &mesh->features[slot];
        for (int k = 0; f->corners == 3 && k < 3; k++) {
            f->flat_edges |= (uint8_t)(edge_flat[f->edge[k]] << k);
            f->flat_vertices |= (uint8_t)(!vertex_sharp[f->vertex[k]] << k);
        }
    }
}

bool nc_mesh_find_flat(nc_mesh *mesh)
{
    const nc_allocator *allocator = &mesh->allocator;
    edge_sides *sides = NULL;
    uint8_t *edge_flat = NULL, *edge_cuts = NULL, *vertex_sharp = NULL;
    const bool room = nc_take(allocator, (void **)&sides, mesh->edge_count, sizeof *sides) &&
                      nc_take(allocator, (void **)&edge_flat, mesh->edge_count, 1) &&
                      nc_take(allocator, (void **)&edge_cuts, mesh->edge_count, 1) &&
                      nc_take(allocator, (void **)&vertex_sharp, mesh->vertex_count, 1);
    if (room) {
        find_sides(mesh, sides);
        judge(mesh, sides, edge_flat, vertex_sharp);
        mark(mesh, edge_flat, vertex_sharp);
        mark_cuts(mesh, sides, edge_flat, edge_cuts);
    }
    nc_free(allocator, sides, (size_t)mesh->edge_count, sizeof *sides);
    nc_free(allocator, edge_flat, (size_t)mesh->edge_count, 1);
    nc_free(allocator, edge_cuts, (size_t)mesh->edge_count, 1);
    nc_free(allocator, vertex_sharp, (size_t)mesh->vertex_count, 1);
    return room;
}
