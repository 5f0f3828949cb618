// One box against the four of a leaf.
#ifndef NC_BROAD_LANES_H
#define NC_BROAD_LANES_H

#include "broad/tree.h"

// Which lanes of `leaf` overlap a box or touch it, and which only touch it, both in floats.
typedef struct lane_overlap {
    nc_float_mask touch, edge;
} lane_overlap;

static inline lane_overlap overlap_lanes(const tree_leaf *leaf, const nc_float_lanes lo[3], const nc_float_lanes hi[3])
{
    const nc_float_mask touch = (lo[0] <= leaf->hi[0]) & (leaf->lo[0] <= hi[0]) & (lo[1] <= leaf->hi[1]) &
                                (leaf->lo[1] <= hi[1]) & (lo[2] <= leaf->hi[2]) & (leaf->lo[2] <= hi[2]);
    const nc_float_mask inside = (lo[0] < leaf->hi[0]) & (leaf->lo[0] < hi[0]) & (lo[1] < leaf->hi[1]) &
                                 (leaf->lo[1] < hi[1]) & (lo[2] < leaf->hi[2]) & (leaf->lo[2] < hi[2]);
    return (lane_overlap){touch, touch & ~inside};
}

// Where floats are equal, the doubles decide.
static inline nc_float_mask settle(const nc_broad *broad, const tree_leaf *leaf, const nc_box *box, lane_overlap m)
{
    for (int k = 0; k < NC_LANES; k++)
        if (m.edge[k] != 0 && !nc_box_overlap(*box, broad->boxes.data[leaf->body[k]]))
            m.touch[k] = 0;
    return m.touch;
}

#endif
