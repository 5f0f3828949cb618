// Which boxes overlap: the pairs that finer tests must look at.
#ifndef NC_BROAD_BROAD_H
#define NC_BROAD_BROAD_H

#include "geom/geom.h"

typedef struct nc_pair {
    int a, b; // a < b
} nc_pair;

typedef struct nc_pairs {
    nc_pair *data;
    int count;
    int capacity;
} nc_pairs;

// All pairs (a, b), a < b, of boxes that overlap or touch, in ascending order of (a, b). Empty boxes overlap nothing.
// Appends nothing: `out` is overwritten, its memory reused; free it with nc_pairs_free.
// Sort and sweep along the axis on which the centres spread most.
nc_code nc_broad_overlaps(const nc_box *boxes, int count, const nc_allocator *allocator, nc_pairs *out, nc_error *err);
void nc_pairs_free(nc_pairs *pairs, const nc_allocator *allocator);

#endif
