// Geometric questions that need no world: distances, and exact intersection.
#ifndef NACRE_QUERY_H
#define NACRE_QUERY_H

#include "mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nc_distance {
    double distance;    // [m] between the two points below, before those are rounded
    double lower_bound; // [m] the true distance of the exact inputs is not below this; at least 0
    nc_vec3 on_a, on_b; // [m] nearest points
} nc_distance;

// Distances between simplices given by world coordinates. Right to rounding for parallel edges, slivers and
// features of zero length or area: `distance` is within 2^-46 L of the true distance, L being the largest distance
// between two of the corners, and `lower_bound` never exceeds the true distance (docs/theory/distance.md). For
// coordinates above NC_COORDINATE_MAX in size, infinite or NaN, `lower_bound` is 0 and the rest means nothing.
// `on_a` and `on_b` are rounded to doubles, so far from the origin they are known less well than the distance.
nc_distance nc_distance_point_segment(nc_vec3 p, const nc_vec3 s[2]);
nc_distance nc_distance_point_triangle(nc_vec3 p, const nc_vec3 t[3]);
nc_distance nc_distance_segment_segment(const nc_vec3 a[2], const nc_vec3 b[2]);

// Kinds of elements of a mesh, and how an element is named in reports.
typedef enum nc_element { NC_ELEMENT_TRIANGLE, NC_ELEMENT_EDGE, NC_ELEMENT_POINT } nc_element;

typedef struct nc_intersection {
    nc_element kind_a, kind_b;
    int element_a, element_b; // row of nc_mesh_data's triangles, edges (a free one) or points
    nc_vec3 place;            // [m] where they meet, rounded; in the overlap of the two elements' boxes
} nc_intersection;

// Exactly decides whether two meshes at given poses share a point. Touching counts. World vertices are the
// doubles that nc_pose_apply gives; on those the answer is exact, without any tolerance.
// Cost: a tree descent; linear in the sizes when all of both is near each other.
// `out` (may be NULL) gets the first pair met in tree order: the same one on every run.
// Allocates nothing. Errors: NC_BAD_ARGUMENT when a world coordinate is not finite or above NC_COORDINATE_MAX in
// size. Tiny coordinates, subnormal ones included, are exact too.
nc_code nc_mesh_intersect(const nc_mesh *a, nc_pose pose_a, const nc_mesh *b, nc_pose pose_b, bool *out_hit,
                          nc_intersection *out, nc_error *err);

// ---- swept tests: when do moving things first meet? ---------------------------------------------------------

// Rigid motion over t in [0, 1]: y(t) = x + t travel + R(t rotation) (y(0) - x), x the start position. The rotation
// vector [rad] is not reduced: many turns are real.
typedef struct nc_motion {
    nc_pose start;
    nc_vec3 travel;   // [m]
    nc_vec3 rotation; // [rad]
} nc_motion;

typedef enum nc_verdict {
    NC_CLEAR,    // proven: farther apart than the gap all the time
    NC_HIT,      // at `toi` they are within gap and tolerance; clear before
    NC_UNDECIDED // clear until `toi`; what comes after could not be settled within the limit of work
} nc_verdict;

// Which features of two meshes; rows of vertices, triangles or edges (nc_mesh_data).
typedef enum nc_feature_kind {
    NC_VERTEX_FACE, // A's vertex, B's triangle
    NC_FACE_VERTEX, // A's triangle, B's vertex
    NC_EDGE_EDGE,
    NC_VERTEX_EDGE, // codimensional: A's lone point, B's edge
    NC_EDGE_VERTEX,
    NC_VERTEX_VERTEX
} nc_feature_kind;

typedef struct nc_feature_id {
    nc_feature_kind kind;
    int a, b;
} nc_feature_id;

typedef struct nc_sweep_counts {
    int node_tests, element_tests, feature_tests, evaluations;
} nc_sweep_counts;

typedef struct nc_sweep_result {
    nc_verdict verdict;
    double toi;            // [1] clear until then; the end of the interval when clear
    nc_feature_id feature; // of a hit or an undecided pair
    nc_vec3 nearest;       // [m] from B's feature to A's at toi
    double distance;       // [m] a lower bound of the distance until toi; at least the gap
    double start_distance; // [m] of a hit or undecided pair: a lower bound of its features' distance at the start;
                           //     -1 when it was not needed
    nc_sweep_counts counts;
} nc_sweep_result;

typedef struct nc_sweep_def {
    double gap;       // [m] >= 0: how far apart they must stay
    double tolerance; // [m] > 0: how near to the gap counts as a hit
    double t_max;     // [1] in (0, 1]
    int limit;        // evaluations of the motion a pair of features, >= 2
    bool chords;      // every point in a straight line from start to end (English 3.1) instead of the true path
} nc_sweep_def;
// gap 0, tolerance 1e-6 m, t_max 1, limit 1000, true paths.
nc_sweep_def nc_sweep_def_default(void);

// The first time in [0, t_max] at which two meshes come within the gap of each other.
// Guarantee: conservative. If on the exact motions two points come within the gap, the verdict is not NC_CLEAR and toi
// is no later than the first time they do. It may report a hit that is only near (within gap, tolerance and rounding).
// Cost: a descent of both trees for each piece of the motion; microseconds for meshes of a hundred triangles.
// Errors: NC_BAD_ARGUMENT for numbers that are not finite or out of range.
nc_code nc_mesh_sweep(const nc_mesh *a, const nc_motion *motion_a, const nc_mesh *b, const nc_motion *motion_b,
                      const nc_sweep_def *def, nc_sweep_result *out, nc_error *err);

// Corners that move in straight lines from start (t = 0) to end (t = 1). The same guarantee, for the exact linear
// motion; feature ids are 0. Numbers that are not finite are never called clear.
nc_sweep_result nc_ccd_vertex_triangle(const nc_vec3 start[4], const nc_vec3 end[4],
                                       const nc_sweep_def *def); // p, t0-t2
nc_sweep_result nc_ccd_edge_edge(const nc_vec3 start[4], const nc_vec3 end[4],
                                 const nc_sweep_def *def); // a0, a1, b0, b1

#ifdef __cplusplus
}
#endif
#endif
