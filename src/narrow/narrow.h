// Near things and moving things: certificates of separation, swept tests of features and of meshes, proximity.
//
// The one idea. Let w_i(t) be the differences between the corners of two features (three for a vertex and a triangle,
// four for two edges). The features are apart as long as some direction n has n.w_i > 0 for all i. Over an interval of
// time [ta, tb] take n(s) linear from n_a to n_b and each w_i linear between its ends: n(s).w_i(s) is a quadratic, and
// positive when its three Bernstein coefficients are. Compare them with the gap requested, with how far the true curved
// motion strays from the linear one, and with a bound on all rounding: if every one is larger, nothing can come closer
// than the gap at any time of the interval. Where n comes from does not matter; a bad one costs time, never safety.
// docs/theory/detection.md has the proofs.
#ifndef NC_NARROW_NARROW_H
#define NC_NARROW_NARROW_H

#include "motion/motion.h"

// ---- distance -----------------------------------------------------------------------------------------------

// nc_mesh_distance for those who are interested in what is nearer than `limit` [m]: farther apart, `distance` may be
// infinite, and `lower_bound` then is `limit` up to rounding. The less there is within the limit, the cheaper it is.
nc_code nc_mesh_distance_within(const nc_mesh *a, nc_pose pose_a, const nc_mesh *b, nc_pose pose_b, double limit,
                                nc_proximity *out, nc_error *err);

// ---- hulls of differences -----------------------------------------------------------------------------------

typedef enum nc_hull_kind {
    NC_HULL_TRIANGLE = 3,     // w_i = p - t_i: a vertex against a triangle
    NC_HULL_PARALLELOGRAM = 4 // w = a_i - b_j in the order 00, 01, 10, 11: two edges
} nc_hull_kind;

// The point of the hull nearest the origin, as well as doubles find it. It is a point of the hull up to rounding, so
// its length is never below the distance by more than rounding.
nc_vec3 nc_hull_nearest(nc_hull_kind kind, const nc_vec3 *w);

// ---- certificates -------------------------------------------------------------------------------------------

// Points of one side at both ends of an interval; between them every point moves linearly.
typedef struct nc_points {
    const nc_vec3 *from, *to; // [m] at ta and tb
    int count;
} nc_points;

// A lower bound [m] of the distance between the hulls of A and B at all times of the interval, as seen from the
// direction that goes linearly from n_a to n_b; negative when that direction does not separate them all the time.
// `size` [m] is not below any coordinate of any point, and is NaN if one of them is: then the answer is negative.
// The points are computed values: they may be off by 4 u size in each coordinate; what they are off beyond that the
// caller takes from the bound.
double nc_certificate_bound(nc_points a, nc_points b, nc_vec3 n_a, nc_vec3 n_b, double size);

// The same for a hull of differences against the origin, for the direction that goes from n_a to n_b and the one that
// stays at n_a: the first bound above `enough` [m], or else the larger one.
double nc_certificate_bound_hull(nc_points hull, nc_vec3 n_a, nc_vec3 n_b, double size, double enough);

// The same for two boxes, given by the difference of their centres (A - B) and their half axes at both ends; `size` is
// not below the sum of the coordinates' sizes of all of these.
typedef struct nc_moving_box {
    nc_vec3 axis_from[3], axis_to[3]; // [m]
} nc_moving_box;
double nc_certificate_bound_boxes(const nc_moving_box *a, const nc_moving_box *b, nc_vec3 center_from,
                                  nc_vec3 center_to, nc_vec3 n_a, nc_vec3 n_b, double size);

// ---- features on straight paths -----------------------------------------------------------------------------

typedef struct nc_sweep_options {
    double gap;       // [m] at least 0
    double tolerance; // [m] above 0: how near to the gap counts as a hit
    int limit;        // evaluations of the motion before it gives up; at least 2
    bool exact;       // repeat in twofold arithmetic what is not clear: `tolerance` is then that of twofolds
} nc_sweep_options;

typedef struct nc_feature_sweep {
    nc_verdict verdict;
    double toi;      // [1] in [0, 1]; 1 when clear. Never later than the true first time within the gap.
    nc_vec3 nearest; // [m] from the second feature to the first at toi
    int evaluations;
    double start_distance; // [m] lower bound of the distance at the start; -1 when the gap did not depend on it
} nc_feature_sweep;

// Corners at t = 0 and t = 1 that move in straight lines. For a triangle hull: p, t0, t1, t2. For two edges:
// a0, a1, b0, b1.
nc_feature_sweep nc_sweep_linear(nc_hull_kind kind, const nc_vec3 start[4], const nc_vec3 end[4],
                                 const nc_sweep_options *options);

// The same in twofold arithmetic (106 bits): a hit is then within rounding of that, not within options->tolerance.
// Tens of times slower; nc_sweep_linear calls it for what is not clear when options->exact is set.
nc_feature_sweep nc_sweep_linear_exact(nc_hull_kind kind, const nc_vec3 start[4], const nc_vec3 end[4],
                                       const nc_sweep_options *options);

// The path of a public motion: one segment about the start position.
nc_path nc_motion_path(const nc_motion *motion);

// ---- two rigid bodies on their paths ------------------------------------------------------------------------

// Where two bodies are at a time, seen from B's centre: A's points are x + ra v, B's are rb v.
typedef struct nc_pair_pose {
    double t;
    nc_vec3 x; // [m] A's centre minus B's, computed from the difference so that its rounding does not grow with the
               //     distance from the world's origin
    nc_mat3 ra, rb;
    nc_mat3 turn_size; // sizes of the entries of ra^T rb; for proposals only
} nc_pair_pose;

// A body's path at its two ends, worked out once for all pairs that it is in.
typedef struct nc_path_ends {
    nc_pose pose[2];     // at t = 0 and 1
    nc_mat3 rotation[2]; // the matrices of their quaternions
} nc_path_ends;
void nc_path_ends_read(const nc_path *path, nc_path_ends *out);
// Are they still the path's? Stale ones would make a wrong proof.
bool nc_path_ends_hold(const nc_path *path, const nc_path_ends *ends);

// Two bodies over a step. Placements are kept: the same times are requested by many features.
typedef struct nc_pair_motion {
    const nc_path *a, *b;
    double radius_a, radius_b; // [m] of the meshes about their centres
    double error;              // [m] E_A + E_B
    // Of the segments in which the current interval lies:
    double turn_a, turn_b; // [rad] |theta| + |eps|
    double arm_a, arm_b;   // [m] of the centre about the turning point
    bool chords;           // every point goes straight from its start to its end, as in English 3.1: for comparison
    const nc_path_ends *ends_a, *ends_b; // of the paths as they are; both NULL: not known
    nc_pair_pose kept[NC_EFFORT_PLACEMENTS];
} nc_pair_motion;

// With `chords` both paths have one segment. The ends are left unknown.
void nc_pair_begin(nc_pair_motion *pair, const nc_path *a, double radius_a, const nc_path *b, double radius_b,
                   bool chords);
// Chooses the segments that hold [t0, t1]; no end of a segment lies inside.
void nc_pair_interval(nc_pair_motion *pair, double t0, double t1);
// The placement at t; borrowed until NC_EFFORT_PLACEMENTS other times were requested.
const nc_pair_pose *nc_pair_at(nc_pair_motion *pair, double t);
// How far points within `a` [m] of A's centre and within `b` of B's stray from their chords over a time h, together.
double nc_pair_deviation(const nc_pair_motion *pair, double a, double b, double h);
// The first end of a segment of either path after t; at most 1.
double nc_pair_next_break(const nc_pair_motion *pair, double t);

// ---- features on curved paths -------------------------------------------------------------------------------

// A pair of features in the frames of their bodies. The hull is first minus second: `first_in_a` says whose is which.
typedef struct nc_feature_pair {
    nc_hull_kind kind;
    bool first_in_a;   // triangle hulls: the vertex is A's
    nc_vec3 corner[4]; // p, t0, t1, t2, or a0, a1, b0, b1 (edges: the first is always A's)
} nc_feature_pair;

// The gap a pair must keep, from a lower bound of its distance at the start of the step (DESIGN: distances). With
// delta = 0 it is always the floor.
typedef struct nc_gap_rule {
    double floor; // [m]
    double delta; // [m] below this a pair may lose at most sigma per step
    double sigma; // [m]
} nc_gap_rule;
double nc_gap_for(const nc_gap_rule *rule, double start_distance);

typedef struct nc_mesh_sweep_options {
    nc_gap_rule gap;
    double tolerance;                    // [m] how near to the gap counts as a hit
    int limit;                           // evaluations per feature pair
    int budget;                          // evaluations of all kinds (nc_sweep_cost) in all; 0: no limit
    bool chords;                         // straight paths from start to end instead of the true ones
    const nc_interrupt *interrupt;       // polled now and then; NULL: never
    const nc_path_ends *ends_a, *ends_b; // of the two paths as they are; both NULL: not known
} nc_mesh_sweep_options;

// Sweeps over [t0, t1], which lies in the interval of nc_pair_interval. The gap comes from the rule: the floor is tried
// first, and where that fails, the start of the step is examined. *distance_bound is lowered to what was certified.
nc_feature_sweep nc_sweep_curved(nc_pair_motion *pair, const nc_feature_pair *features, double t0, double t1,
                                 const nc_mesh_sweep_options *options, double *distance_bound);
// A lower bound of the features' distance at time t, E included; at least 0.
double nc_feature_distance(nc_pair_motion *pair, const nc_feature_pair *features, double t);

// ---- features that stay near --------------------------------------------------------------------------------

typedef enum nc_cached_pair_kind {
    NC_CACHED_ELEMENT_A, // of mesh A, near some element of B
    NC_CACHED_ELEMENT_B,
    NC_CACHED_VERTEX_A, // a corner of A's element, near B's element
    NC_CACHED_VERTEX_B,
    NC_CACHED_EDGES,     // an edge of each element
    NC_CACHED_END_EDGES, // the same, surely nearest at an end of one of them, until there was much motion
} nc_cached_pair_kind;

typedef struct nc_cached_pair {
    int a, b;                   // slots in the orders of the two meshes' trees
    uint8_t kind;               // nc_cached_pair_kind
    uint8_t corner_a, corner_b; // of the elements; an edge leads from its corner to the next one
} nc_cached_pair;

typedef struct nc_cached_pairs {
    nc_cached_pair *data;
    int count, capacity; // a count above the capacity is how much room is needed
    bool without_ends;   // there was little motion: NC_CACHED_END_EDGES are left out
} nc_cached_pairs;

// Appends every pair of features, and every element with a partner, that are not surely farther apart than `distance`
// [m]. Edges are marked that are surely nearest at an end of one of them as long as points of the meshes move against
// each other by at most `motion` [m]. False when there is no room, or the poses mean nothing to the search.
bool nc_proximity_list_candidates(const nc_mesh *a, nc_pose pose_a, const nc_mesh *b, nc_pose pose_b, double distance,
                                  double motion, nc_cached_pairs *out);
// nc_proximity_find (with options->local, without flat_too or every_pair) that examines these features only. When all
// others are farther apart than the distance and all rounding, the result is the same, to the bit.
nc_code nc_proximity_find_among(const nc_mesh *a, nc_pose pose_a, const nc_mesh *b, nc_pose pose_b, double distance,
                                const nc_proximity_options *options, const nc_cached_pairs *among,
                                nc_proximity_list *list, nc_error *err);
// nc_proximity_find that leaves out no pair of edges early: the same contacts, to the bit, slowly. For tests.
nc_code nc_proximity_find_plainly(const nc_mesh *a, nc_pose pose_a, const nc_mesh *b, nc_pose pose_b, double distance,
                                  const nc_proximity_options *options, nc_proximity_list *list, nc_error *err);

// ---- clouds of points ---------------------------------------------------------------------------------------

// Searches for a direction along which all points of A are more than `need` [m] beyond all of B at both ends, in at
// most `steps` steps from *direction (any length but 0). True: *direction is it, of length 1, and *bound [m] the least
// difference; false: *direction is the last one tried, of any length. `to` may be `from`. Rounding is below 128 u (|a|
// + |b| + |from.x| + |to.x|), for the farthest points.
bool nc_clouds_stay_apart(nc_cloud a, nc_cloud b, const nc_pair_pose *from, const nc_pair_pose *to, double need,
                          int steps, nc_vec3 *direction, double *bound);
// The same by one of its copies, which this processor can run: they give the same bits.
bool nc_clouds_stay_apart_by(nc_copy copy, nc_cloud a, nc_cloud b, const nc_pair_pose *from, const nc_pair_pose *to,
                             double need, int steps, nc_vec3 *direction, double *bound);

// The least of n . v over the points v; NaN if n has one.
double nc_cloud_lowest(nc_cloud cloud, nc_vec3 n);

// ---- whole bodies -------------------------------------------------------------------------------------------

// What is known of a pair from earlier looks. It costs or saves time and proves nothing; all zero: nothing yet.
typedef struct nc_whole_hint {
    nc_vec3 direction; // from B to A
    bool known;        // `direction` has kept the pair apart before
    int failures;      // looks that found no direction
} nc_whole_hint;

// Searches for a direction that keeps all points of A and B (nc_mesh_tree.whole, not empty) more than `floor` and all
// errors apart over [t0, t1], which lies in the interval of nc_pair_interval. True: it is certified, and *distance is
// lowered to what is.
bool nc_whole_stay_apart(nc_pair_motion *pair, nc_cloud a, nc_cloud b, double t0, double t1, double floor,
                         nc_whole_hint *hint, double *distance);

// The same for bodies at rest: are all points of A and B farther apart than `distance` [m] and all errors? False for
// meshes that are no clouds.
bool nc_whole_apart(const nc_mesh *a, nc_pose pose_a, const nc_mesh *b, nc_pose pose_b, double distance,
                    nc_whole_hint *hint);

// What a sweep cost, in evaluations: tests of nodes and of elements, and evaluations of features.
static inline int nc_sweep_cost(const nc_sweep_counts *counts)
{
    return counts->node_tests + counts->element_tests + counts->evaluations;
}

// ---- meshes on curved paths ---------------------------------------------------------------------------------

// The first time in [t0, t1] at which features of A and B come within their gap.
// Guarantee: if the meshes do not intersect at t0, then on the exact paths no two points of A and B are within the gap
// (plus E of both) before toi. Meshes that cross already can have all their features apart: that is for the caller.
// When the budget is used up, or an interrupt requests it, what has not been examined counts as undecided from its
// start on: the verdict is then not clear, and toi no later than it would have been. `hint` may be NULL.
nc_sweep_result nc_sweep_meshes(const nc_mesh *a, const nc_path *path_a, const nc_mesh *b, const nc_path *path_b,
                                double t0, double t1, const nc_mesh_sweep_options *options, nc_whole_hint *hint);

#endif
