// Inside geom only: what a mesh is made of, and the pieces that make one.
#ifndef NC_GEOM_MESH_H
#define NC_GEOM_MESH_H

#include "geom/geom.h"

#include <stdatomic.h>

// Written by nc_mesh_create, never changed after. Only the count of references is.
struct nc_mesh {
    atomic_int references;
    nc_allocator allocator;
    int vertex_count, triangle_count, edge_count, free_edge_count, point_count;
    nc_vec3 *vertices;             // [m]
    int (*triangles)[3];           //     vertex rows
    int (*edges)[2];               //     lower vertex first, sorted
    uint8_t *edge_is_free;         //     1 where no triangle has this edge
    int *free_edges;               //     rows of `edges`
    int *points;                   //     vertex rows, ascending
    nc_bvh tree;                   //     over triangles, free edges, points, in this order
    nc_node_shape *shapes;         //     of the tree's nodes
    nc_four_points *fours;         // [m] of the patches, then of the whole
    int four_count, whole_count;   //     in all, and of the whole
    nc_element_features *features; // of the element in each slot of the tree's order
    nc_box box;                    // [m]
    double radius;                 // [m] about the origin, rounded up
    bool closed;
    uint64_t hash;
};

// Fills `edges`, `edge_is_free`, `free_edges` and `closed` from the triangles and the definition's edges; `row_of`
// turns the definition's vertex numbers into the mesh's. False when out of memory.
bool nc_mesh_find_edges(nc_mesh *mesh, const nc_mesh_def *def, const int *row_of);

// Fills `features`, when the tree stands. False when out of memory.
bool nc_mesh_find_features(nc_mesh *mesh);
// Marks the flat ones among them. False when out of memory.
bool nc_mesh_find_flat(nc_mesh *mesh);

// Fills `fours` and the shapes' patches, when the shapes stand. False when out of memory.
bool nc_mesh_find_patches(nc_mesh *mesh);

// nc_alloc, but true for a count of 0 (and then *out is NULL).
bool nc_take(const nc_allocator *allocator, void **out, int count, size_t item_size);

#endif
