// Starting from any layout: which bodies touch or overlap, how deep and which way out; and moving them apart.
//
// A layout from another program has bodies that touch exactly or overlap a little, which a world refuses. What is found
// and what is left is decided by the test that nc_world_check makes: exact intersection, and a distance that doubles
// can tell from touching. docs/theory/repair.md says how bodies are moved.
#ifndef NACRE_REPAIR_H
#define NACRE_REPAIR_H

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum nc_conflict_kind {
    NC_CONFLICT_TOUCHING,    // the smallest translation that frees the pair is below 2^-16 of the smaller body's size
    NC_CONFLICT_OVERLAPPING, // surfaces cross, deeper than that
    NC_CONFLICT_INSIDE       // one is inside the closed surface of the other, and nothing crosses: a world accepts it
} nc_conflict_kind;

// Two bodies that must stay apart, and are not. Sizes of bodies are the diagonals of their meshes' boxes.
typedef struct nc_conflict {
    nc_body_id a, b; // a.index < b.index; of kind inside: A or B is in the other one
    nc_conflict_kind kind;
    bool a_is_inside;      // of kind inside: A is in B
    double depth;          // [m] A moved along `direction` by this is free of B. Of touching pairs 0; infinite when no
                           //     translation of up to a quarter of the smaller body was found; NaN when not measured
    nc_vec3 direction;     // [1] unit; 0 where the depth is infinite or not measured
    double allowed;        // [m] by how much the pair may be moved against each other: nc_repair_def.limit
    nc_intersection where; // elements and place; of pairs that share no point the elements are 0
} nc_conflict;

// A body that was moved: y -> to.x + R(rotation) (y - from.x).
typedef struct nc_repair_move {
    nc_body_id body;
    nc_pose from, to; // [m] of the centre of mass, as in nc_body_state
    nc_vec3 travel;   // [m] of the centre of mass
    nc_vec3 rotation; // [rad] vector; 0 for most
} nc_repair_move;

typedef struct nc_repair_def {
    double limit; // [1] above 0: bodies that touch or overlap may be moved against each other, along the way out, by
                  //     this part of the smaller one's size, and by their rest distance; across it by this part of the
                  //     size of all that are connected by such pairs
    int rounds;   // [1] 1 to 10,000: examines the layout, each followed by a solve for the least motion
    const nc_body_id *pinned; // dynamic bodies that stay, as static and kinematic ones do; borrowed
    int pinned_count;
} nc_repair_def;
nc_repair_def nc_repair_def_default(void); // limit 0.02, 60 rounds, nothing pinned

// What was found and done. Free it with nc_repair_free in any case; the lists are in the order of bodies.
typedef struct nc_repair {
    nc_conflict *conflicts; // at the start
    int conflict_count, conflict_capacity;
    nc_repair_move *moves; // empty when the repair was refused
    int move_count, move_capacity;
    nc_conflict *left; // what was not repaired; of pairs above the limit `depth` is what they need or have been moved
    int left_count, left_capacity;
    int rounds; // made
    nc_allocator allocator;
} nc_repair;
void nc_repair_free(nc_repair *repair);

// Finds all pairs that touch or overlap, and those of which one is inside the other: out->conflicts. Depths of the
// first `measured` are measured, negative: of all. Cost: the start check, and some hundred exact tests per pair that is
// measured. Errors: NC_BAD_ARGUMENT, NC_OUT_OF_MEMORY.
nc_code nc_world_find_conflicts(const nc_world *world, const nc_repair_def *def, int measured, nc_repair *out,
                                nc_error *err);

// Finds pairs of which one body is inside the closed surface of the other, of a world whose bodies share no point:
// out->conflicts. Cost: boxes, and a pass over the triangles of surfaces whose box encloses another body's.
nc_code nc_world_find_inside(const nc_world *world, nc_repair *out, nc_error *err);

// Moves bodies that touch or overlap apart, to their rest distance: by the least motion, weighted by mass, that a solve
// finds; by translations alone where these suffice, so that stacks stay upright. Bodies that touch nothing and are in
// nobody's way keep their bits. Pairs that are nearer than they rest, but apart, do not come nearer than they are.
// Then nc_world_check accepts the world. NC_INTERSECTING when that cannot be done within the limit: out->left says what
// is left, and the world is as it was. Pairs of kind inside are found and reported, and left alone. A world that was
// checked or stepped has nothing to repair. The same bits on every run. `def` may be NULL.
nc_code nc_world_repair(nc_world *world, const nc_repair_def *def, nc_repair *out, nc_error *err);

// "0.9 mm", "12 um", "1.5 m" into `out`; returns `out`.
const char *nc_length_text(double metres, char *out, size_t out_size);
// Where a direction goes, in words: "up", "down" (against and along gravity), "+x", "-z", or "(0.6, 0.8, 0)".
const char *nc_direction_text(nc_vec3 direction, nc_vec3 gravity, char *out, size_t out_size);

#ifdef __cplusplus
}
#endif
#endif
