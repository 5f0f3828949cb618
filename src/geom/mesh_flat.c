// Which edges and vertices lie inside a flat part of a surface, so that how the part was cut into triangles shows
// nowhere: contacts at such features would say nothing that the part's rim does not say.
//
// An edge is flat when it has exactly two triangles, one on either side, in one plane up to FLAT radians. A vertex is
// flat when all its edges are. Rims, folds, free edges, points and triangles without area are never flat.
#include "geom/mesh.h"

#define FLAT 1e-6 // [rad]

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
    uint8_t *edge_flat = NULL, *vertex_sharp = NULL;
    const bool room = nc_take(allocator, (void **)&sides, mesh->edge_count, sizeof *sides) &&
                      nc_take(allocator, (void **)&edge_flat, mesh->edge_count, 1) &&
                      nc_take(allocator, (void **)&vertex_sharp, mesh->vertex_count, 1);
    if (room) {
        find_sides(mesh, sides);
        judge(mesh, sides, edge_flat, vertex_sharp);
        mark(mesh, edge_flat, vertex_sharp);
    }
    nc_free(allocator, sides, (size_t)mesh->edge_count, sizeof *sides);
    nc_free(allocator, edge_flat, (size_t)mesh->edge_count, 1);
    nc_free(allocator, vertex_sharp, (size_t)mesh->vertex_count, 1);
    return room;
}
