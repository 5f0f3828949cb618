// Meshes: soups of triangles, edges and points in a body's own frame, with the tree that queries use.
//
// A mesh is immutable and shared by reference count. It may be open, non-manifold, flat, self-intersecting.
// Isolated edges and points are legal (codimensional bodies). Vertices that no element uses are dropped.
#ifndef NACRE_MESH_H
#define NACRE_MESH_H

#include "appearance.h"
#include "base.h"
#include "vec.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nc_mesh nc_mesh;

// Mesh coordinates must be 0 or lie in [NC_COORDINATE_MIN, NC_COORDINATE_MAX] in size: there squares, volumes and
// inertias neither overflow nor vanish (docs/theory/arithmetic.md). Smaller ones are rounded to 0 by the loaders,
// larger ones refused. The exact predicates themselves are exact for every finite double.
#define NC_COORDINATE_MAX 0x1p+100
#define NC_COORDINATE_MIN 0x1p-100

typedef struct nc_mesh_def {
    const nc_vec3 *vertices; // [m]
    int vertex_count;
    const int (*triangles)[3];
    int triangle_count;
    const int (*edges)[2]; // free edges; edges of triangles are found by themselves
    int edge_count;
    const int *points; // free vertices
    int point_count;
} nc_mesh_def;

// Copies the definition, drops unused vertices (order kept), finds unique edges, builds the tree.
// Errors: NC_BAD_ARGUMENT for an index out of range, a coordinate that is not finite or out of range, an
// element that uses a vertex twice, or no element at all.
nc_code nc_mesh_create(const nc_mesh_def *def, const nc_allocator *allocator, nc_mesh **out, nc_error *err);
nc_mesh *nc_mesh_retain(nc_mesh *mesh);
void nc_mesh_release(nc_mesh *mesh); // NULL is allowed

// What a mesh holds; pointers live as long as the mesh.
typedef struct nc_mesh_data {
    int vertex_count, triangle_count, edge_count, point_count;
    const nc_vec3 *vertices;     // [m] body frame
    const int (*triangles)[3];   // vertex indices
    const int (*edges)[2];       // unique edges of triangles and free ones, lower vertex first, sorted
    const uint8_t *edge_is_free; // 1 where no triangle has this edge
    const int *points;           // vertices that no triangle and no edge uses
    nc_box box;                  // [m] of the vertices
    double radius;               // [m] largest distance of a vertex from the origin, rounded up
    bool closed;                 // every edge has exactly two triangles that run along it in opposite directions
    uint64_t hash;               // of the content: equal meshes have equal hashes
} nc_mesh_data;
nc_mesh_data nc_mesh_view(const nc_mesh *mesh);

// A copy with every vertex moved by -center.
nc_code nc_mesh_recenter(const nc_mesh *mesh, nc_vec3 center, nc_mesh **out, nc_error *err);

// How matter is spread over a mesh.
typedef enum nc_matter {
    NC_MATTER_AUTO, // solid when closed, shell when open, wire when there are only edges, dust when only points
    NC_MATTER_SOLID,
    NC_MATTER_SHELL,
    NC_MATTER_WIRE,
    NC_MATTER_DUST
} nc_matter;

typedef struct nc_mass_def {
    nc_matter matter;
    double density;      // [kg/m^3] solids, and shells, wires and dust with a thickness; 0: use `mass`
    double area_density; // [kg/m^2] shells; 0: density x thickness
    double thickness;    // [m] of a shell; diameter of a wire or a grain. Mass only: collision stays at zero thickness.
    double mass;         // [kg] total; above 0 it overrides the densities (uniform spread)
    bool has_inertia;    // take center and inertia from below instead of from the geometry (needs mass)
    nc_vec3 center;      // [m]
    nc_mat3 inertia;     // [kg m^2] about the centre, in mesh axes
} nc_mass_def;

typedef struct nc_mass {
    double mass;         // [kg]
    nc_vec3 center;      // [m] centre of mass in mesh coordinates
    nc_mat3 inertia;     // [kg m^2] about the centre, in mesh axes
    nc_vec3 principal;   // [kg m^2] principal moments, ascending
    nc_quat principal_q; // turns principal axes into mesh axes
    nc_matter matter;    // what was taken
} nc_mass;

// Errors: NC_BAD_ARGUMENT when the mass, or a requested volume, is not positive (an inside-out or empty solid);
// when an explicit inertia is not one a rigid body can have (symmetric, positive, triangle inequality).
// A body whose geometry has no inertia about some axis (a point, a straight wire) is given that of a thin rod or
// grain of its thickness; see docs/theory/mass.md.
nc_code nc_mesh_mass(const nc_mesh *mesh, const nc_mass_def *def, nc_mass *out, nc_error *err);

// Reads a mesh. OBJ in double precision by Nacre's own reader; STL, PLY, OFF, glTF and the rest through assimp
// (float32), in a child process with limits. `out_info` may be NULL.
typedef struct nc_mesh_file_info {
    char format[16];          // "obj", "stl", ...
    bool single_precision;    // coordinates passed through float32
    int dropped_elements;     // degenerate elements (a vertex used twice) left out
    nc_appearance appearance; // of the material that most of its triangles have; all zero when the file has none
} nc_mesh_file_info;
nc_code nc_mesh_load(const char *path, const nc_allocator *allocator, nc_mesh **out, nc_mesh_file_info *out_info,
                     nc_error *err);
// All meshes of a .glb (every node with a mesh, at its pose), an .obj (every object), another file (its one mesh),
// or of the files in a folder, in the order of their names. Free the list in any case.
typedef struct nc_mesh_list {
    nc_allocator allocator;
    nc_mesh **meshes; // retained
    int count, capacity;
} nc_mesh_list;
nc_code nc_mesh_load_all(const char *path, const nc_allocator *allocator, nc_mesh_list *out, nc_error *err);
void nc_mesh_list_free(nc_mesh_list *list);
// Writes OBJ with 17 significant digits: loading it gives the same bits.
nc_code nc_mesh_save(const nc_mesh *mesh, const char *path, nc_error *err);

// Procedural shapes. A shape has a name and named numbers; what is not given takes its default.
typedef struct nc_shape_parameter {
    const char *name;
    double value;
} nc_shape_parameter;

typedef struct nc_shape_parameter_info {
    const char *name;
    const char *unit;  // "m", "1" (a count or a ratio), "rad"
    const char *about; // one short sentence
    double fallback, low, high;
    bool whole; // a whole number
} nc_shape_parameter_info;

typedef struct nc_shape_info {
    const char *name;  // "box", "boat", ...
    const char *about; // one sentence
    const nc_shape_parameter_info *parameters;
    int parameter_count;
} nc_shape_info;

// All shapes, in alphabetical order.
const nc_shape_info *nc_shape_list(int *out_count);
// Errors: NC_NOT_FOUND for an unknown shape or parameter (the nearest name is suggested), NC_BAD_ARGUMENT for a
// value out of range or a combination that makes no mesh.
nc_code nc_shape_create(const char *name, const nc_shape_parameter *parameters, int parameter_count,
                        const nc_allocator *allocator, nc_mesh **out, nc_error *err);

#ifdef __cplusplus
}
#endif
#endif
