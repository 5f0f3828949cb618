// Layouts in which bodies touch or overlap: finding the pairs, how deep and which way out, and moving them apart.
//
// Nothing here is trusted: where bodies end up is judged by the exact test of the start check (nc_layout_look).
#ifndef NC_REPAIR_REPAIR_H
#define NC_REPAIR_REPAIR_H

#include "nacre/repair.h"

#include "broad/broad.h"
#include "contact/contact.h"
#include "world/world.h"

// ---- two posed meshes ---------------------------------------------------------------------------------------

typedef struct nc_posed_pair {
    const nc_mesh *a, *b;
    nc_pose pose_a, pose_b;
    double gap;     // [m] above 0: the pair is free when it is that far apart
    nc_vec3 prefer; // [1] unit: tried first, and taken unless another direction is clearly shorter; 0: none
} nc_posed_pair;

// A point that both surfaces have, and the unit normals of the elements there (0: edges and points).
typedef struct nc_shared_point {
    nc_vec3 place;   // [m]
    nc_vec3 segment; // [m] of the common segment of two triangles, along normal_a x normal_b; 0: not known
    nc_vec3 normal_a, normal_b;
} nc_shared_point;

// Points of all over the pair: when there are too many, every second, fourth, ... one.
#define NC_SHARED_POINTS 128
typedef struct nc_shared_points {
    nc_shared_point data[NC_SHARED_POINTS];
    int count;
    int stride; // one of so many is kept
    int met;
} nc_shared_points;
// Bounded work: examines no more than some million pairs of elements. Proposals only: rounding is not accounted for.
void nc_shared_points_find(const nc_posed_pair *pair, nc_shared_points *out);

// Every pair of elements (nc_mesh_element) that share a point, in the same bounds.
typedef void (*nc_shared_visit)(int element_a, int element_b, void *ctx);
void nc_shared_elements_visit(const nc_posed_pair *pair, nc_shared_visit visit, void *ctx);

// Which way out of each other, and how far.
typedef struct nc_way_out {
    double travel;     // [m] A moved by it is `gap` away from B, by the exact test; infinite when none was found
    nc_vec3 direction; // [1] unit; A's
    nc_vec3 place;     // [m] the middle of what they share
} nc_way_out;
// Tries directions that the surfaces suggest, up to travels of a quarter of the smaller body.
nc_code nc_way_out_find(const nc_posed_pair *pair, nc_way_out *out, nc_error *err);

// Of two meshes that share no point: is one inside the closed surface of the other? By the winding number of a vertex.
typedef enum nc_inside { NC_INSIDE_NEITHER, NC_INSIDE_A_IN_B, NC_INSIDE_B_IN_A } nc_inside;
nc_inside nc_pair_inside(const nc_posed_pair *pair);

// ---- a layout -----------------------------------------------------------------------------------------------

// The bodies of a world while they are moved. Row i of every array is row i of the world.
typedef struct nc_layout {
    const nc_world *world;
    nc_allocator allocator;
    size_t count;
    nc_pose *start, *pose; // as they were, as they are
    nc_vec3 *travel;       // [m]   of the centre of mass since the start
    nc_vec3 *turn;         // [rad] since the start
    double *inv_mass;      // [1/kg] 0: it stays
    nc_mat3 *inv_inertia;  // [1/(kg m^2)] in world axes; 0 while bodies do not turn
    double reach;          // [m] pairs that are nearer than they rest and this are examined
} nc_layout;
nc_code nc_layout_create(const nc_world *world, const nc_repair_def *def, nc_layout *out, nc_error *err);
void nc_layout_free(nc_layout *layout);
const nc_mesh *nc_layout_mesh(const nc_layout *layout, int row);
nc_posed_pair nc_layout_pair(const nc_layout *layout, int i, int j);
// Poses follow from travel and turn; those of bodies that did not move are the start's, bit for bit.
void nc_layout_place(nc_layout *layout);
// May bodies turn from now on?
void nc_layout_set_turning(nc_layout *layout, bool on);

// Pairs that matter whose boxes, grown by rest distance and reach, overlap; in order.
nc_code nc_layout_near_pairs(const nc_layout *layout, nc_pairs *out, nc_error *err);

// A pair as it is: the start check's two questions.
typedef struct nc_pair_look {
    int i, j;
    bool crosses;          // shares a point
    bool conflicts;        // or is nearer than doubles can tell
    nc_intersection where; // of a pair that crosses
    double distance;       // [m] 0 of one that crosses, infinite beyond `within`
    double rest;           // [m] the pair's rest distance by its sizes
} nc_pair_look;
nc_code nc_layout_look(const nc_layout *layout, int i, int j, double within, nc_pair_look *out, nc_error *err);

// Appends the conflicts of a layout as it is; depths of the first `measured`, negative: of all.
typedef NC_ARRAY(nc_conflict) nc_conflicts;
nc_code nc_layout_find_conflicts(const nc_layout *layout, double limit, int measured, nc_conflicts *out, nc_error *err);

// Appends the conflicts of the start whose bodies were moved farther against each other than the limit [1] allows.
nc_code nc_layout_judge_motion(const nc_layout *layout, const nc_conflicts *conflicts, double limit, nc_conflicts *left,
                               nc_error *err);

// Appends the pairs of kind inside alone, of a layout that is free of others.
nc_code nc_layout_find_inside(const nc_layout *layout, nc_conflicts *out, nc_error *err);

// ---- moving -------------------------------------------------------------------------------------------------

// What a pair must keep: pairs in conflict at the start the rest distance, others what they had, up to about that.
typedef struct nc_pair_wish {
    uint64_t key;      // nc_pair_key
    double distance;   // [m]
    bool conflict;     // at the start
    double depth;      // [m] of a conflict
    nc_vec3 direction; // [1]
} nc_pair_wish;

typedef struct nc_mover {
    nc_layout *layout;
    NC_ARRAY(nc_pair_wish) wishes; // ascending; pairs that are not there are to keep their rest distance
    NC_ARRAY(nc_contact) rows;     // velocities are displacements since the start: dt = 1
    nc_proximity_list near;
    nc_contact_work *work;
    nc_vec3 *v, *w;  // displacements of a solve
    int unsatisfied; // pairs that do not have their distance
    int looks;       // made so far: at the first one the conflicts are as they were found
} nc_mover;
nc_code nc_mover_create(nc_layout *layout, const nc_conflicts *conflicts, nc_mover *out, nc_error *err);
void nc_mover_free(nc_mover *mover);
// Examines all near pairs: rows, and how many are unsatisfied.
nc_code nc_mover_look(nc_mover *mover, nc_error *err);
// The least motion that satisfies the rows, measured from the start or, with `go_on`, from where bodies are.
nc_code nc_mover_solve(nc_mover *mover, bool go_on, nc_error *err);

// Moves the bodies of a layout, whose conflicts are given, in at most `most` rounds. *out_gave_up: not all pairs have
// the distance they are to have. Proposals only: the exact test judges the result.
nc_code nc_layout_move_apart(nc_layout *layout, const nc_conflicts *conflicts, int most, int *out_rounds,
                             bool *out_gave_up, nc_error *err);

#endif
