// The inside of nc_broad, shared by the files of this folder.
//
// Two boxes of doubles are compared through floats: every coordinate goes through one monotone map (nc_broad_round), so
//   lo <= hi  implies  map(lo) <= map(hi),  and  map(lo) < map(hi)  implies  lo < hi.
// Boxes that are apart in floats are apart; boxes that overlap strictly in floats overlap; only where two floats are
// equal are the doubles examined. Boxes of nodes are least and largest of floats, which rounds nothing.
//
// Invariants, between calls:
//   1. boxes[i] is the box of body i, cleaned: a NaN made it infinite, lo > hi made it nc_box_empty().
//   2. place[i] >= 0: body i is in lane place[i] % 4 of leaf place[i] / 4, and in no other; place[i] == NOWHERE: its
//   box
//      is empty; else it is loose[LOOSE(place[i])], and that box is not.
//   3. A lane without a body, or with one whose box is empty, is an empty box of floats: it overlaps no lane and no
//   node.
//   4. A node's box contains the boxes below it; children come after their parent, two siblings side by side.
#ifndef NC_BROAD_TREE_H
#define NC_BROAD_TREE_H

#include "broad/broad.h"

typedef struct tree_leaf {
    nc_float_lanes lo[3], hi[3];
    int body[NC_LANES]; // -1: none
} tree_leaf;

typedef struct tree_node {
    float lo[3];
    int child; // inner: the first of its two children; leaf: number of the leaf
    float hi[3];
    int is_leaf;
} tree_node;

typedef struct tree_parent {
    int node;         // -1: the root
    float inv_extent; // 1 / extent of the node when the tree was built
} tree_parent;

// A box on its way into the tree. Lane 3 is 0.
typedef struct tree_ref {
    nc_float_lanes lo, hi;
} tree_ref;

// The map to floats: (x - origin) * scale, held within +-FLOAT_LIMIT, rounded to nearest. Each step is monotone.
typedef struct float_frame {
    nc_vec3 origin;
    double scale; // a power of 2, above 0
} float_frame;
#define FLOAT_LIMIT 1e18F
#define FLOAT_EMPTY 4e18F // lo of an empty box, and -hi

// Two nodes whose bodies are to be compared; a == b: the node with itself.
typedef struct tree_task {
    int a, b;
} tree_task;

#define NOWHERE  (-1)
#define LOOSE(k) (-2 - (k)) // its own inverse

typedef struct pair_block {
    NC_ARRAY(nc_pair) room; // the pairs, unordered; `count` is not used
    int64_t found;          // how many there are: more than the room holds when it is not done
    int64_t work;           // how many nodes were compared
    bool done;
} pair_block;

struct nc_broad {
    nc_allocator allocator;
    int workers;

    int count;                   // bodies
    int known;                   // bodies that may still have a lane; the boxes of those from `count` on are empty
    NC_ARRAY(nc_box) boxes;      // [m] cleaned
    NC_ARRAY(int) place;         // see invariant 2
    NC_ARRAY(int) loose;         // bodies outside the tree
    NC_ARRAY(tree_ref) refs;     // while building
    NC_ARRAY(int) order;         // while building: body numbers
    NC_ARRAY(int) cuts;          // while building: where ranges of boxes are cut
    float_frame frame;           // chosen when the tree is built
    NC_ARRAY(tree_node) nodes;   // 0 is the root; count 0: no tree
    NC_ARRAY(tree_parent) above; // of each node
    NC_ARRAY(tree_leaf) leaves;
    NC_ARRAY(int) leaf_node; // the node of each leaf

    int64_t work_when_new; // nodes compared by the first search for pairs after the tree was built; -1: none yet
    int64_t work_wasted;   // what later searches took beyond that, in all

    tree_task tasks[NC_EFFORT_TREE_TASKS];
    int task_count;
    pair_block blocks[NC_EFFORT_TREE_BLOCKS];
    NC_ARRAY(int) row_start; // while ordering: where each body's row of partners begins
    NC_ARRAY(int) partners;  // the rows
    NC_ARRAY(int) spare;     // room for sorting them
};

// ---- clean.c
nc_box nc_broad_clean(nc_box box);
static inline bool nc_broad_is_empty(const nc_box *clean_box)
{
    return clean_box->lo.x > clean_box->hi.x;
}
tree_ref nc_broad_round(const float_frame *frame, const nc_box *clean_box);
float_frame nc_broad_choose_frame(const nc_box *clean_boxes, int count);

// ---- build.c
// Room for `count` bodies and any tree over them. False: out of memory.
bool nc_broad_reserve(nc_broad *broad, int count);
// A tree over all bodies whose boxes are not empty; none is loose after that. The room is there.
void nc_broad_build(nc_broad *broad);

// ---- refit.c
void nc_broad_fit_leaf(nc_broad *broad, int leaf);
void nc_broad_fit_node(nc_broad *broad, int node);
// Takes all boxes into the tree as it is. Returns how much the nodes have grown since it was built: 1 is not at all.
double nc_broad_refit(nc_broad *broad);
// The same after one body's box changed.
void nc_broad_refit_body(nc_broad *broad, int body);

// ---- query.c: calls `visit` for every body in the tree whose box overlaps a clean box.
typedef void (*visit_body)(void *ctx, int body);
void nc_broad_walk(const nc_broad *broad, const nc_box *clean_box, visit_body visit, void *ctx);

// ---- order.c
// Sorts numbers in [0, limit), without equal ones. `spare` has room for as many.
void nc_broad_sort_numbers(int *numbers, int *spare, int count, int limit);
// The pairs of all blocks, in order. False: out of memory.
bool nc_broad_order_pairs(nc_broad *broad, nc_pairs *out);

static inline float node_extent(const tree_node *node)
{
    const float e = (node->hi[0] - node->lo[0]) + (node->hi[1] - node->lo[1]) + (node->hi[2] - node->lo[2]);
    return e > 0 ? e : 0;
}

static inline bool nodes_overlap(const tree_node *a, const tree_node *b)
{
    return (a->lo[0] <= b->hi[0]) & (b->lo[0] <= a->hi[0]) & (a->lo[1] <= b->hi[1]) & (b->lo[1] <= a->hi[1]) &
           (a->lo[2] <= b->hi[2]) & (b->lo[2] <= a->hi[2]);
}

#endif
