// Near things and moving things: certificates of separation, swept tests of features and of meshes, proximity.
//
// The one idea. Let w_i(t) be the differences between the corners of two features (three for a vertex and a triangle,
// four for two edges). The features are apart as long as some direction n has n.w_i > 0 for all i. Over an interval of
// time [ta, tb] take n(s) linear from n_a to n_b and each w_i linear between its ends: n(s).w_i(s) is a quadratic, and
// positive when its three Bernstein coefficients are. Compare them with the gap asked for, with how far the true curved
// motion strays from the linear one, and with a bound on all rounding: if every one is larger, nothing can come closer
// than the gap at any time of the interval. Where n comes from does not matter; a bad one costs time, never safety.
// docs/theory/detection.md has the proofs.
#ifndef NC_NARROW_NARROW_H
#define NC_NARROW_NARROW_H

#include "motion/motion.h"

// ---- hulls of differences -----------------------------------------------------------------------------------

typedef enum nc_hull_kind {
    NC_HULL_TRIANGLE = 3,     // w_i = p - t_i: a vertex against a triangle
    NC_HULL_PARALLELOGRAM = 4 // w = a_i - b_j in the order 00, 01, 10, 11: two edges
} nc_hull_kind;

// The point of the hull nearest the origin, as well as doubles find it. It is a point of the hull up to rounding, so
// its length is never below the distance by more than rounding.
nc_vec3 nc_hull_nearest(nc_hull_kind kind, const nc_vec3 *w);

// ---- certificates -------------------------------------------------------------------------------------------

// Does the direction that goes from n_a to n_b keep all w_i farther than `margin` [m] from the origin, while each goes
// linearly from wa_i to wb_i? The w are computed values; every coordinate of them is within NC_CERTIFICATE_INPUT u
// times the matching coordinate of `size` of its true value. True is a proof; false says nothing. NaN gives false.
#define NC_CERTIFICATE_INPUT 4.0
bool nc_certificate_holds(int count, const nc_vec3 *wa, const nc_vec3 *wb, nc_vec3 n_a, nc_vec3 n_b, nc_vec3 size,
                          double margin);

// ---- features on straight paths -----------------------------------------------------------------------------

typedef enum nc_verdict {
    NC_CLEAR,    // proven: farther apart than the gap all the time
    NC_HIT,      // at `toi` they are within gap + tolerance of each other; clear before
    NC_UNDECIDED // clear until `toi`; what comes after could not be settled within the limit
} nc_verdict;

typedef struct nc_sweep_options {
    double gap;       // [m] at least 0
    double tolerance; // [m] above 0: how near to the gap counts as a hit
    int limit;        // evaluations of the motion before it gives up; at least 2
    bool exact;       // settle what is undecided, or a hit at the tolerance, in double-double
} nc_sweep_options;

typedef struct nc_feature_sweep {
    nc_verdict verdict;
    double toi;      // [1] in [0, 1]; 1 when clear. Never later than the true first time within the gap.
    nc_vec3 nearest; // [m] from the second feature to the first at toi
    int evaluations;
} nc_feature_sweep;

// Corners at t = 0 and t = 1 that move in straight lines. For a triangle hull: p, t0, t1, t2. For two edges:
// a0, a1, b0, b1.
nc_feature_sweep nc_sweep_linear(nc_hull_kind kind, const nc_vec3 start[4], const nc_vec3 end[4],
                                 const nc_sweep_options *options);

#endif
