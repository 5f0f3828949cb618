// Inside kinetic_*.c: certificates that fail at known times, and what must be examined again when a vertex is kicked.
//
// Two kinds of certificates (Harmon et al. 4 and 5.2):
//   of a vertex  it stays inside its k-DOP. Support: the vertex.
//   of a pair    a slab keeps its features farther apart than eta. Support: its four vertices.
// Invariants:
//   1. Every pair that applies and whose k-DOPs are nearer than its objects' thickness has a row in `pairs`.
//   2. A pair's eta is its thickness (group -1), or that of the first layer beyond its active group.
//   3. The queue has every certificate at a tick at or before its failure, for any velocities within the bounds of the
//      vertices that support it. A kick that leaves its vertex's bound changes the failure times of the certificates it
//      supports, and no others: the vertex's own, and those in its list. Other kicks change none.
#ifndef NC_CLOTH_KINETIC_H
#define NC_CLOTH_KINETIC_H

#include "cloth/contact_search.h"

// ---- the queue ----------------------------------------------------------------------------------------------

// Certificates by (tick, id). One entry an id, which can be moved.
typedef struct nc_queue {
    NC_ARRAY(int) heap;     // ids
    NC_ARRAY(int64_t) tick; // of each id; INT64_MAX: not in the heap
    NC_ARRAY(int) place;    // of each id in the heap
} nc_queue;

bool nc_queue_reserve(nc_queue *queue, const nc_allocator *allocator, int ids);
void nc_queue_free(nc_queue *queue, const nc_allocator *allocator);
void nc_queue_set(nc_queue *queue, int id, int64_t tick); // INT64_MAX takes it out
int nc_queue_first(const nc_queue *queue);                // -1 when empty

// ---- k-DOPs -------------------------------------------------------------------------------------------------

#define NC_DOP_AXES 9 // 18-DOPs: the coordinates, and sums and differences of two
typedef struct nc_dop {
    double lo[NC_DOP_AXES], hi[NC_DOP_AXES]; // [m]
} nc_dop;

nc_dop nc_dop_around(nc_vec3 x, double margin);
nc_dop nc_dop_union(const nc_dop *a, const nc_dop *b);
// False only if no two points of them are within `reach` [m].
bool nc_dop_near(const nc_dop *a, const nc_dop *b, double reach);
// Seconds during which what starts at x stays inside by `rounding` [m] with velocities no farther than `room` [m/s]
// from v, rounded down; 0 when it is not inside now.
double nc_dop_exit(const nc_dop *dop, nc_vec3 x, nc_vec3 v, double room, double rounding);

// A tree over k-DOPs of rows, of fixed shape.
typedef struct nc_dop_tree {
    nc_bvh shape;
    nc_dop *nodes;
    nc_dop *rows;
    int *parent; // of each node, -1: the root
    int *leaf;   // of each row
    int count;   // of rows
} nc_dop_tree;

// From the rows' k-DOPs, which it takes over (nc_alloc, `count` of them). False when out of memory.
bool nc_dop_tree_build(nc_dop_tree *tree, const nc_allocator *allocator, nc_dop *rows, int count);
void nc_dop_tree_free(nc_dop_tree *tree, const nc_allocator *allocator);
void nc_dop_tree_set(nc_dop_tree *tree, int row, const nc_dop *dop);
typedef bool (*nc_dop_visit)(int row, void *ctx); // false: stop
bool nc_dop_tree_find(const nc_dop_tree *tree, const nc_dop *dop, double reach, nc_dop_visit visit, void *ctx);

// ---- pairs --------------------------------------------------------------------------------------------------

typedef struct nc_kinetic_pair {
    nc_cloth_pair pair;
    int vertex[4], count; // count: without repetitions
    nc_hull_kind hull;
    int group;        // -1: nothing of it is active
    double eta;       // [m] certified by the slab
    double thickness; // [m]
    nc_slab slab;
    int next[4], before[4]; // in the lists of its vertices: 4 row + corner, -1: none
    int64_t mark;           // of the last call that rescheduled it
    bool used;
} nc_kinetic_pair;

// What failure times of a vertex's certificates allow for: velocities no farther than `room` from v.
typedef struct nc_velocity_bound {
    nc_vec3 v;    // [m/s]
    double room;  // [m/s] 0: it was never kicked
    int kicks;    // since then; NC_KICKS_PER_BOUND at most
    int64_t mark; // of the call that set it last
} nc_velocity_bound;

struct nc_cloth_kinetic {
    nc_allocator allocator;
    const nc_cloth_model *model;
    nc_dop_tree vertices, triangles, edges; // the last two may be empty
    double *thickness;                      // [vertex_count] [m] largest of its object with any other
    nc_velocity_bound *bound;               // [vertex_count]
    NC_ARRAY(nc_kinetic_pair) pairs;
    NC_ARRAY(int) unused;              // rows of `pairs`
    int *list;                         // [vertex_count] first of the pairs it supports: 4 row + corner, -1: none
    int *triangle_start, *triangle_of; // rows of triangles around each vertex
    int *edge_start, *edge_of;         // the same of edges
    int64_t *seen;                     // [largest count of rows] marks of the current question
    int64_t mark;
    nc_queue queue; // ids: vertices, then pairs
    int64_t certificates, reschedules, tree_events;
};

// A new row for the pair, in the lists of its vertices; -1 when out of memory.
int nc_kinetic_pair_add(nc_cloth_kinetic *kinetic, nc_cloth_pair pair);
void nc_kinetic_pair_remove(nc_cloth_kinetic *kinetic, int row);
// The row of the pair, -1 when there is none.
int nc_kinetic_pair_find(const nc_cloth_kinetic *kinetic, nc_cloth_pair pair);
// Are the k-DOPs of its features near enough for it to be kept?
bool nc_kinetic_pair_near(const nc_cloth_kinetic *kinetic, nc_cloth_pair pair);

#endif
