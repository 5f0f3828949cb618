// Inside fracture: meshes that are being cut by planes, and what they weigh.
#ifndef NC_FRACTURE_CUT_H
#define NC_FRACTURE_CUT_H

#include "fracture/fracture.h"

// ---- meshes in the making -----------------------------------------------------------------------------------

typedef struct nc_cut_triangle {
    int v[3];
    int plane; // that made it, as the caller numbers them; -1 - n: of flat face n of the body's own surface
} nc_cut_triangle;

typedef struct nc_cut_mesh {
    NC_ARRAY(nc_vec3) vertices; // [m]
    NC_ARRAY(nc_cut_triangle) triangles;
} nc_cut_mesh;

bool nc_cut_mesh_take(const nc_allocator *allocator, nc_cut_mesh *to, const nc_mesh_data *from);
bool nc_cut_mesh_copy(const nc_allocator *allocator, nc_cut_mesh *to, const nc_cut_mesh *from);
// Appends the triangles whose row of `label` is `wanted` (all of them for a label of NULL), with their vertices in
// order, moved by -center. `row_of` holds an int per vertex of `from`.
bool nc_cut_mesh_append(const nc_allocator *allocator, nc_cut_mesh *to, const nc_cut_mesh *from, const int *label,
                        int wanted, nc_vec3 center, int *row_of);
void nc_cut_mesh_free(const nc_allocator *allocator, nc_cut_mesh *mesh);
nc_box nc_cut_mesh_box(const nc_cut_mesh *mesh);
nc_code nc_cut_mesh_finish(const nc_allocator *allocator, const nc_cut_mesh *mesh, nc_mesh **out, nc_error *err);

// A mesh by its flat faces: rows of triangles of one face are neighbours.
typedef struct nc_cut_facets {
    nc_cut_mesh mesh;
    NC_ARRAY(nc_vec3) normals; // of the faces; 0 for one without area
} nc_cut_facets;
bool nc_cut_facets_find(const nc_allocator *allocator, const nc_cut_mesh *mesh, nc_cut_facets *out);
void nc_cut_facets_free(const nc_allocator *allocator, nc_cut_facets *facets);

// nc_level_set_contour before it is a mesh; empty when no sample is below 0. Each triangle is a face of its own.
bool nc_level_set_surface(const nc_level_set *set, bool sharp, const nc_allocator *allocator, nc_cut_mesh *out);

// ---- cutting ------------------------------------------------------------------------------------------------

typedef struct nc_cut_edge {
    int outside, vertex, next; // the other end; the new vertex; the next of the same inside end, -1: none
} nc_cut_edge;

typedef struct nc_cut_loop {
    int first, count; // rows of `ring`
    double area;      // [m^2] about the plane's normal; below 0: a hole
    int outer;        // of a hole: the loop around it; of another: itself
    int far;          // of a hole: the corner farthest along the first axis of the plane
} nc_cut_loop;

// Scratch for cuts, and how they are made. Zeroed but for the first four.
typedef struct nc_cutter {
    nc_allocator allocator;
    bool solid;      // close what is cut with a cap in the plane
    double on_plane; // [m] nearer to a plane counts as on it
    double overlap;  // [1] so much larger than what a loop encloses may its triangles be together
    bool bad;        // a cap could not be made right: the surface crosses itself
    NC_ARRAY(double) value;
    NC_ARRAY(int) sign;
    NC_ARRAY(int) row_of;
    NC_ARRAY(int) first_cut;
    NC_ARRAY(nc_cut_edge) cuts;
    NC_ARRAY(int) link; // of the cap: the vertex after each new one
    NC_ARRAY(int) ring; // corners of the cap's loops
    NC_ARRAY(nc_cut_loop) loops;
    NC_ARRAY(int) polygon;
    NC_ARRAY(int) merged;
    NC_ARRAY(nc_vec3) corners;
    NC_ARRAY(int) scratch;
    nc_cut_mesh out;
} nc_cutter;

void nc_cutter_free(nc_cutter *cutter);
// Keeps what lies in the half-space. Of the two sides of a plane, whose normals are opposite, exactly one gets what
// lies in it. A closed mesh stays closed when the cutter is for solids; new triangles have the number `plane`.
// False when out of memory.
bool nc_cut(nc_cutter *cutter, nc_cut_mesh *mesh, const nc_plane *half_space, int plane);
// Closes the hole in cutter->out along the cutter's links of vertices from `first` on.
bool nc_cut_cap(nc_cutter *cutter, int first, const nc_plane *half_space, int plane);
// Cuts the loops of the cutter, which lie in a plane of cutter->out, into triangles of it.
bool nc_cut_fill(nc_cutter *cutter, nc_vec3 normal, int plane);
// Puts caps and flat faces together again, of as few triangles as their outlines need. `planes` has a row for every
// number of a plane, `normals` for every face. Rows of triangles of one plane or face must be neighbours. A mesh that
// would not stay closed, or whose faces cross themselves, is left as it is.
bool nc_cut_tidy(nc_cutter *cutter, nc_cut_mesh *mesh, const nc_plane *planes, const nc_vec3 *normals);

// ---- weighing -----------------------------------------------------------------------------------------------

// Volume (or area) and its moments about a place.
typedef struct nc_weight {
    double measure; // [m^3] or [m^2]
    nc_vec3 center; // [m]
    nc_mat3 second; // [m^5] or [m^4] integral of x x^T about the centre
} nc_weight;

nc_weight nc_cut_mesh_weight(const nc_cut_mesh *mesh, bool solid);
nc_weight nc_weight_add(nc_weight a, nc_weight b);
// Principal moments [measure m^2], ascending, and axes.
void nc_weight_inertia(const nc_weight *weight, nc_vec3 *principal, nc_quat *axes);

#endif
