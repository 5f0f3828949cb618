// Finding contacts of deforming surfaces: when do features whose corners drift in straight lines come near each other?
//
// Everything here is one-sided. It may say "near" too often or too early, and that costs time: a clock that ticks
// without an impulse changes nothing. It never says so too rarely or too late, all rounding included: that would cost
// the guarantee. docs/theory/acm.md, "Finding", has the bounds.
#ifndef NC_CLOTH_CONTACT_SEARCH_H
#define NC_CLOTH_CONTACT_SEARCH_H

#include "cloth/cloth.h"

// fmin without a call, for numbers.
static inline double nc_lesser_of(double a, double b)
{
    return b < a ? b : a;
}

// ---- features on straight paths -----------------------------------------------------------------------------

// A vertex between two kicks: at time t it is where x + (t - t0) v rounds to.
typedef struct nc_drift {
    nc_vec3 x; // [m] at t0
    nc_vec3 v; // [m/s]
    double t0; // [s]
} nc_drift;

static inline nc_vec3 nc_drift_at(const nc_drift *drift, double t)
{
    return nc_madd(drift->x, t - drift->t0, drift->v);
}

// Two features: p, t0, t1, t2 of NC_HULL_TRIANGLE; a0, a1, b0, b1 of NC_HULL_PARALLELOGRAM. A vertex against an edge or
// a vertex is a vertex against a triangle of repeated corners.
typedef struct nc_drift_pair {
    nc_hull_kind kind;
    nc_drift corner[4];
} nc_drift_pair;

// A bound of everything that rounding can do to a distance of the pair at any time of [ta, tb]: where corners are, and
// what nc_distance_* makes of it.
double nc_drift_rounding(const nc_drift_pair *pair, double ta, double tb);

// The point of a hull of differences nearest the origin: nc_hull_nearest, and where that is far from what its own
// direction proves (slivers, needles), the nearest point by nc_distance_*.
nc_vec3 nc_hull_nearest_checked(nc_hull_kind kind, const nc_vec3 w[4]);
// The differences of corners: p - t_i, or a_i - b_j.
void nc_corner_differences(nc_hull_kind kind, const nc_vec3 corner[4], nc_vec3 w[4]);

// The nearest points' difference at time t, from the second feature to the first.
nc_vec3 nc_drift_nearest(const nc_drift_pair *pair, double t);

// The first time in [ta, tb] at which the features may be nearer than eta [m]; INFINITY: they stay farther apart.
// Guarantee: at every earlier double t >= ta, a distance computed as nc_distance_* does from the rounded corners is
// above eta. Tight: at the time given they are within eta and `tolerance` [m] (or looking for longer was not worth it).
// `stray` [m] says how far the corners may be from their drifts, summed over the pair's worst two.
double nc_drift_first_within(const nc_drift_pair *pair, double eta, double stray, double tolerance, double ta,
                             double tb);

// ---- separating slabs ---------------------------------------------------------------------------------------

// Harmon et al. 4.1: a slab across n, eta thick, between the two features. In terms of the differences w_i(t) of their
// corners: n . w_i >= eta |n| for all i. A slab that moves along n is the same statement, so none needs a velocity.
typedef struct nc_slab {
    nc_vec3 n; // from the second feature to the first, of any length but 0
} nc_slab;

// The slab across the nearest points at time t. False when they are within eta and `tolerance` [m]: there is none, or
// none that would last.
bool nc_slab_between(const nc_drift_pair *pair, double eta, double tolerance, double t, nc_slab *out);

// The time from which on the slab may be entered, at least `from`; INFINITY: never while the drifts last.
double nc_slab_failure(const nc_drift_pair *pair, const nc_slab *slab, double eta, double from);
// The same while corners may be kicked, NC_KICKS_PER_BOUND times each at most, and no corner's velocity is farther than
// its `room` [m/s] from that of its drift.
#define NC_KICKS_PER_BOUND 4096
double nc_slab_failure_within(const nc_drift_pair *pair, const double room[4], const nc_slab *slab, double eta,
                              double from);

// ---- paths over a window ------------------------------------------------------------------------------------

// A point on the path of a vertex, which moves in straight lines from knot to knot.
typedef struct nc_knot {
    int64_t t; // [ticks]
    nc_vec3 x; // [m]
} nc_knot;

// The paths of vertices over a window: where each is at its begin, at its kicks, and at the end.
typedef struct nc_paths {
    nc_allocator allocator;
    int vertex_count;
    int *
        first; // [vertex_count + 1] rows of `knots`; at least two knots a vertex, none where its path was not requested
    nc_knot *knots;
    int knot_capacity;
    int64_t begin, end; // [ticks]
    double size;        // [m] not below any coordinate
} nc_paths;

bool nc_paths_create(nc_paths *paths, int vertex_count, const nc_allocator *allocator);
void nc_paths_free(nc_paths *paths);
// Of the vertices with `wanted` (NULL: all). `size` is the caller's to set. False when out of memory.
bool nc_paths_fill(nc_paths *paths, const nc_cloth_state *states, const nc_cloth_trace *trace, double unit,
                   const bool *wanted);

// Where forces see a vertex at a time of the window is within NC_PATH_ROUNDING size of this, in each coordinate, and so
// is what is computed of pairs from it.
#define NC_PATH_ROUNDING 0x1p-44
nc_vec3 nc_paths_at(const nc_paths *paths, int vertex, int64_t tick);
// How far the path strays from the chord `from`, `to` over [ta, tb].
double nc_paths_stray(const nc_paths *paths, int vertex, int64_t ta, int64_t tb, nc_vec3 from, nc_vec3 to);
// A kick of one of the four strictly inside (ta, tb), near its middle; -1 when there is none.
int64_t nc_paths_kick_inside(const nc_paths *paths, const int vertex[4], int64_t ta, int64_t tb);

// A pair over [ta, tb] of the window: chords of its corners, and how far the differences of corners stray from theirs.
typedef struct nc_chords {
    nc_hull_kind kind;
    nc_vec3 from[4], to[4]; // [m]
    double stray;           // [m]
} nc_chords;
nc_chords nc_paths_chords(const nc_paths *paths, nc_hull_kind kind, const int vertex[4], int64_t ta, int64_t tb);

// What a pair is to the tests: its hull and four corners, repeated where it has fewer.
nc_hull_kind nc_cloth_pair_hull(const nc_cloth_model *model, nc_cloth_pair pair, int vertex[4]);

// ---- the audit of a window ----------------------------------------------------------------------------------

// Crossings of one row of the model with others.
typedef struct nc_path_crossing {
    int64_t count;
    nc_cloth_crossing first;
} nc_path_crossing;

#endif
