// One box against the four of a leaf.
#ifndef NC_BROAD_LANES_H
#define NC_BROAD_LANES_H

#include "broad/tree.h"

typedef int64_t mask_halves __attribute__((vector_size(16)));

static inline bool any(lane_mask mask)
{
    const mask_halves halves = (mask_halves)mask;
    return (halves[0] | halves[1]) != 0;
}

static inline lanes all_lanes(float x)
{
    return (lanes){x, x, x, x};
}

// Which lanes of `leaf` overlap a box or touch it, and which only touch it, both in floats.
typedef struct meeting {
    lane_mask touch, edge;
} meeting;

static inline meeting meet(const tree_leaf *leaf, const lanes lo[3], const lanes hi[3])
{
    const lane_mask touch = (lo[0] <= leaf->hi[0]) & (leaf->lo[0] <= hi[0]) & (lo[1] <= leaf->hi[1]) &
                            (leaf->lo[1] <= hi[1]) & (lo[2] <= leaf->hi[2]) & (leaf->lo[2] <= hi[2]);
    const lane_mask inside = (lo[0] < leaf->hi[0]) & (leaf->lo[0] < hi[0]) & (lo[1] < leaf->hi[1]) &
                             (leaf->lo[1] < hi[1]) & (lo[2] < leaf->hi[2]) & (leaf->lo[2] < hi[2]);
    return (meeting){touch, touch & ~inside};
}

// Where floats are equal, the doubles decide.
static inline lane_mask settle(const nc_broad *broad, const tree_leaf *leaf, const nc_box *box, meeting m)
{
    for (int k = 0; k < LANES; k++)
        if (m.edge[k] != 0 && !nc_box_overlap(*box, broad->boxes.data[leaf->body[k]]))
            m.touch[k] = 0;
    return m.touch;
}

#endif
