// Fracture: bodies that break where they are hit. docs/fracture.md.
//
// A body with a threshold breaks when one collision gives it a larger impulse: it is replaced by the pieces that a
// pattern, aligned with it at the point of impact, makes of it, and the collision continues with them in the same step.
// The pieces start apart from each other and from all other bodies; where that cannot be done the body stays whole, and
// an event says so. All pipelines of rigid bodies (shell, VSP, ISP) break bodies.
#ifndef NACRE_FRACTURE_H
#define NACRE_FRACTURE_H

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

// How the pieces of a solid are made. Shells are always cut.
typedef enum nc_fracture_method {
    NC_FRACTURE_AUTO, // by cutting where that can be done, else by level sets
    NC_FRACTURE_CUT,  // the mesh itself is cut at the planes of the pattern, whose regions must be convex
    NC_FRACTURE_LEVEL // as in the paper: the surface of what is in the body and in the region
} nc_fracture_method;

// How a body breaks. Get it from nc_fracture_def_default and change what you need.
typedef struct nc_fracture_def {
    double threshold;                     // [N s] impulse of one collision above which the body breaks; above 0
    const char *pattern;                  // of the built-in ones; NULL: `meshes` are the pattern
    const nc_shape_parameter *parameters; // of the pattern; what is not given takes its default
    int parameter_count;                  //
    uint64_t seed;                        // of the pattern
    nc_mesh *const *meshes;               // retained: closed meshes that tile a box
    int mesh_count;                       //
    nc_vec3 center, normal; // of `meshes`: the point of impact in their box, from -1/2 to 1/2, and along what
    nc_fracture_method way; //
    int cells;              // [1] of the level set along the longest side of a solid
    double gap;             // [m] between pieces at birth; 0: the world's rest distance
    double crumb;           // [1] pieces with a smaller part of the body's mass go to a neighbour
    bool aligned;           // the pattern keeps the axes of the body and is moved to its grid: faster, and coarser
    int generations;        // [1] breaks in a row: 1 when pieces do not break again
    nc_mass_def mass;       // its matter says what the body is; static bodies: also what the pieces are made of
} nc_fracture_def;

// "graded", 55 cells, crumbs of 1e-4, 4 generations; no threshold.
nc_fracture_def nc_fracture_def_default(void);

// Makes a static or dynamic body breakable, or, with NULL, unbreakable. What the pattern needs is prepared here, and
// shared with bodies of the same mesh, so that a step that breaks it does not have to. Errors: NC_BAD_ARGUMENT (a field
// out of range is named; a kinematic body; a mesh that cannot be broken), NC_NOT_FOUND for an unknown pattern or
// parameter, NC_OUT_OF_MEMORY.
nc_code nc_body_set_fracture(nc_world *world, nc_body_id body, const nc_fracture_def *def, nc_error *err);
// [N s] 0 when the body does not break, or not any more (it is a piece of the last generation).
double nc_body_threshold(const nc_world *world, nc_body_id body);

typedef struct nc_fracture_event {
    int64_t step;          // the first one that the pieces are in
    nc_body_id body;       // that was hit; gone, if it broke
    char name[128];        // of the body; cut to fit
    double impulse;        // [N s] along the normal, by the collision; by a joint: its reaction times dt
    double threshold;      // [N s] of the body; by a joint: its break_force times dt
    bool by_joint;         // a joint broke and broke the body with it (nc_joint_def.breaks)
    nc_vec3 place, normal; // [m], [1] of the impact, in the world, at its time; the normal points into the body
    char pattern[32];      // "" for meshes
    int pieces;            // 0: it stayed whole
    char reason[256];      // why it stayed whole; cut to fit
} nc_fracture_event;

// What broke or stayed whole in the steps since the world was created or restored, in order. Writes up to `capacity` of
// them, from number `first` on; returns how many there are in all. They are no part of snapshots.
int nc_world_fractures(const nc_world *world, int first, nc_fracture_event *out, int capacity);
// The pieces of event number `event`, some of which may be gone by now. Writes up to `capacity` handles; returns how
// many there are.
int nc_world_fracture_pieces(const nc_world *world, int event, nc_body_id *out, int capacity);

#ifdef __cplusplus
}
#endif
#endif
