// The nearest points of a pair of features, fast: what penalty forces see. The points lie on the features whatever the
// rounding, so the distance is never below the true one by more than rounding (docs/theory/acm.md).
#ifndef NC_CLOTH_GAP_H
#define NC_CLOTH_GAP_H

#include "cloth/cloth.h"

typedef struct nc_cloth_gap {
    double distance; // [m]
    nc_vec3 n;       // unit, from the second feature to the first; meaningless at distance 0
    double w[4];     // gradient of the distance: w[i] n for corner i; the sum is 0
} nc_cloth_gap;

// x: p, t0, t1, t2, or a0, a1, b0, b1, or p, q.
nc_cloth_gap nc_cloth_gap_of(nc_cloth_pair_kind kind, const nc_vec3 x[4]);

#endif
