// Geometric questions that need no world: distances, exact intersection, swept tests, trajectories of points.
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
    nc_vec3 place;            // [m] where they intersect, rounded; in the overlap of the two elements' boxes
} nc_intersection;

// Exactly decides whether two meshes at given poses share a point. Touching counts. World vertices are the
// doubles that nc_pose_apply gives; on those the result is exact, without any tolerance.
// Cost: a tree descent; linear in the sizes when all of both is near each other.
// `out` (may be NULL) gets the first pair found in tree order: the same one on every run.
// Allocates nothing. Errors: NC_BAD_ARGUMENT when a world coordinate is not finite or above NC_COORDINATE_MAX in
// size. Tiny coordinates, subnormal ones included, are exact too.
nc_code nc_mesh_intersect(const nc_mesh *a, nc_pose pose_a, const nc_mesh *b, nc_pose pose_b, bool *out_hit,
                          nc_intersection *out, nc_error *err);

// ---- swept tests: when do moving bodies first collide? ------------------------------------------------------

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

// "vertex-face", "face-vertex", "edge-edge", "vertex-edge", "edge-vertex", "vertex-vertex".
const char *nc_feature_kind_name(nc_feature_kind kind);

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
    int limit;        // evaluations of the motion per pair of features, >= 2
    int budget;  // evaluations of a sweep of meshes in all (counts but for feature_tests), >= 1; then it is undecided
    bool chords; // every point in a straight line from start to end (English 3.1) instead of the true path
    bool exact;  // nc_ccd_*: repeat in 106 bits what is not clear, so that near is distinguished from touching
} nc_sweep_def;
// gap 0, tolerance 1e-6 m, t_max 1, limit 1000, budget 100,000,000, true paths.
nc_sweep_def nc_sweep_def_default(void);

// The first time in [0, t_max] at which two meshes come within the gap of each other.
// Guarantee: conservative. If on the exact motions two points come within the gap, the verdict is not NC_CLEAR and toi
// is no later than the first time they do. It may report a hit that is only near (within gap, tolerance and rounding).
// Meshes that share a point at the start are a hit at 0 with feature rows -1: that is decided exactly.
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

// ---- proximity: what is near what, now ----------------------------------------------------------------------
// docs/theory/proximity.md has the rules, the reasons and the proofs.

// Two features that are near each other.
typedef struct nc_proximity {
    nc_feature_id feature;
    int link;           //     used while finding
    double distance;    // [m] between the two points
    double lower_bound; // [m] the features' true distance is not below this; at least 0
    nc_vec3 on_a, on_b; // [m] nearest points, in the world
    nc_vec3 normal; //     unit, from B to A: between the points; of a vertex beside the border of a face straightened
                    //     (see the rules). Of touching features (distance 0): across them, towards A's centre
} nc_proximity;

typedef struct nc_proximity_options {
    bool every_pair; // every pair of features that is near enough; the rest of the options means nothing then
    double angle;    // [rad] theta_proximity of English 4.3.1, in [0, pi/2): how far a contact's direction may be
                     //       from that of the nearest point of the body
    bool flat_too;   // contacts also at vertices and edges inside flat parts of a surface
    bool local;      // judge a point by the surface around it, not by what else of the body is near: a vertex in a
                     // corner touches every wall, a sheet in a slot both
} nc_proximity_options;

// Contacts as in the paper: 3 degrees, only the nearest face of a vertex.
nc_proximity_options nc_proximity_defaults(void);

// Where results go. Fill in data and capacity, or an allocator, or both.
typedef struct nc_proximity_list {
    nc_proximity *data;
    int count, capacity;
    const nc_allocator *allocator; // NULL: the list cannot grow, and nothing is ever allocated
    int needed;                    // a capacity with which the last call has room enough; above `capacity` after one
                                   // that had not
    double
        clearance; // [m] after a call: no two features of A and B are nearer than this; at most the requested distance
} nc_proximity_list;
void nc_proximity_list_free(nc_proximity_list *list);

// Appends the pairs of features of A and B that are nearer than `distance` [m], in the order of their ids.
//
// Pairs are: every vertex with every triangle and every free edge; every edge with every edge; lone points with lone
// points. With `every_pair`, all of them.
// Guarantee: every pair whose true distance, at the exact poses, is below `distance` is there; none is there whose
// lower_bound is above it. Otherwise these make contacts, at most one for each point: see the theory page for which
// pairs do. The nearest of all pairs always is among them (or one as near, up to the flatness of flat parts). Swapping
// A and B gives the same set to the last bit, with the sides exchanged.
//
// Errors: NC_BAD_ARGUMENT for a pose or a distance without meaning; NC_OUT_OF_MEMORY when the list cannot hold all,
// and then nothing was appended and list->needed is the capacity that is needed.
// Cost: a descent of two trees. Allocates nothing when the list has room.
nc_code nc_proximity_find(const nc_mesh *a, nc_pose pose_a, const nc_mesh *b, nc_pose pose_b, double distance,
                          const nc_proximity_options *options, nc_proximity_list *list, nc_error *err);

// The smallest distance of two meshes: a pair of features that has it, and a lower bound that the true distance of the
// exact meshes at the exact poses does not fall below. Touching and crossing meshes have distance 0 up to rounding
// when surfaces cross transversally, but only nc_mesh_intersect decides whether they share a point: the distance of
// boundaries does not detect a mesh inside another.
// Errors: NC_BAD_ARGUMENT for a pose without meaning. Cost: branch and bound on two trees. Allocates nothing.
nc_code nc_mesh_distance(const nc_mesh *a, nc_pose pose_a, const nc_mesh *b, nc_pose pose_b, nc_proximity *out,
                         nc_error *err);

// ---- trajectories: when does a point of a moving body first touch anything? -----------------------------------

// The points center + s0 axis[0] + s1 axis[1] + s2 axis[2] with every |s| <= 1, exactly as the doubles say. The axes
// are orthogonal up to rounding; no guarantee of Nacre rests on that.
typedef struct nc_oriented_box {
    nc_vec3 center;  // [m]
    nc_vec3 axis[3]; // [m] half axes; they may be zero
} nc_oriented_box;

// Any geometry that implements these queries, in its own frame: a closed set of points, solid or thin. The functions
// must not keep what they are given and must be deterministic.
typedef struct nc_target {
    // False only if no point of the set lies in the box. True means "maybe": too many of them cost time, and make a hit
    // of what is only near; they never make a miss. Needed for boxes; may be NULL for segments.
    bool (*may_intersect_box)(const void *ctx, const nc_oriented_box *box);
    // The first s in [0, 1] at which from + s (to - from) is in the set: NC_HIT. It may be early by `precision` [m],
    // and overlook a stretch shorter than that. NC_UNDECIDED: gave up at s. Needed for segments; may be NULL for boxes.
    nc_verdict (*intersect_segment)(const void *ctx, nc_vec3 from, nc_vec3 to, double precision, double *s);
    // Unit outward normal of the surface near p; 0 where there is none. May be NULL.
    nc_vec3 (*normal)(const void *ctx, nc_vec3 p);
    const void *ctx; // borrowed
} nc_target;

typedef struct nc_trajectory_def {
    double epsilon; // [m] > 0: the precision; where doubles cannot resolve it, the result is NC_UNDECIDED
    double t_max;   // [1] in (0, 1]
    int limit;      // pieces of a point's trajectory that are tested, >= 2
    bool segments;  // straight pieces within epsilon of the curve instead of boxes around it
} nc_trajectory_def;
// epsilon 1e-6 m, t_max 1, limit 10000, boxes.
nc_trajectory_def nc_trajectory_def_default(void);

typedef struct nc_trajectory_result {
    nc_verdict verdict;
    double toi;      // [1] all points clear until then; t_max when clear
    int point;       // which point; -1 when clear
    nc_vec3 place;   // [m] where it is at toi, in the world
    nc_vec3 normal;  // [1] of the target there, in the world; 0 when not a hit or not known
    int64_t queries; // box and segment queries made
} nc_trajectory_result;

// The first time in [0, t_max] at which one of the points, fixed to a body on its true curved motion, touches the
// target on its own (Shell and Drumwright). `target_motion` NULL: the target's frame is the world's. Only these points
// are covered: edges and faces between them may pass through the target (nc_mesh_sweep covers all of a mesh;
// nc_mesh_sample gives points of one). Guarantee with boxes: conservative. If on the exact motions a point is in the
// target, the verdict is not NC_CLEAR and toi is no later. At a hit, a box that reaches no farther than epsilon (and
// rounding) from the point is not ruled out. With segments: a target that the curve enters by less than epsilon can be
// missed, and toi can be late by as much. Cost: a few queries for each halving of the trajectory, point by point; after
// a hit only what is earlier is searched. Errors: NC_BAD_ARGUMENT for numbers that are not finite or out of range, or a
// target that lacks the query needed.
nc_code nc_trajectory_contact(const nc_vec3 *points, int point_count, const nc_motion *motion, const nc_target *target,
                              const nc_motion *target_motion, const nc_trajectory_def *def, nc_trajectory_result *out,
                              nc_error *err);

// ---- the contacts of a pair ----

// One body of a pair: points that are followed, and what the other's points may touch.
typedef struct nc_trajectory_body {
    const nc_vec3 *points; // [m] in the body's frame; may be NULL for 0
    int point_count;
    const nc_target *target; // NULL: the other's points are not followed
    nc_motion motion;
} nc_trajectory_body;

typedef struct nc_trajectory_point {
    int body;  // 0: a point of A that touches B, 1: a point of B that touches A
    int point; // row of that body's points
    nc_verdict verdict;
    double toi;     // [1] clear until then
    nc_vec3 place;  // [m] where the point is then, in the world
    nc_vec3 normal; // [1] from B to A, in the world; 0 when it is not a hit or not known
} nc_trajectory_point;

// Where contacts go. Fill in data and capacity, or an allocator, or both.
typedef struct nc_trajectory_list {
    nc_trajectory_point *data; // by body, then by point
    int count, capacity;
    const nc_allocator *allocator; // NULL: the list cannot grow
    double toi;      // [1] written: all points of both bodies are clear until then; t_max when there is none
    int64_t queries; // written: box and segment queries made
} nc_trajectory_list;
void nc_trajectory_list_free(nc_trajectory_list *list);

// All points of A that touch B, and of B that touch A, no later than `window` [1] after the first of them does: the
// contacts of the pair (Shell and Drumwright). Replaces what the list holds. Guarantee with boxes, on the exact
// motions: every point that is in the other's target at a time up to the list's toi + window (and t_max) is in the
// list, with a toi that is no later; none is there whose toi is more than the window after the list's. Points that
// cannot be settled are there as NC_UNDECIDED. Errors as of nc_trajectory_contact; NC_OUT_OF_MEMORY when the list
// cannot hold all, and then count is 0.
nc_code nc_trajectory_contacts(const nc_trajectory_body *a, const nc_trajectory_body *b, const nc_trajectory_def *def,
                               double window, nc_trajectory_list *list, nc_error *err);

// Points of a mesh, in its frame: its vertices (point i is vertex i), then points on edges and faces, so that every
// point of the mesh is within `spacing` [m] of one; INFINITY: vertices only. Writes up to `capacity` of them to `out`
// (may be NULL for 0) and their number to *out_count. Errors: NC_BAD_ARGUMENT when spacing is not above 0 or there
// would be more than 2^31 - 1 points.
nc_code nc_mesh_sample(const nc_mesh *mesh, double spacing, nc_vec3 *out, int capacity, int *out_count, nc_error *err);

// Targets. What they are made from is borrowed and must outlive them.

// The triangles, free edges and points of a mesh: surfaces without thickness. The box query is exact up to rounding;
// the segment query is exact for the segment given. The normal is that of the nearest triangle, on the side of p.
nc_target nc_target_mesh(const nc_mesh *mesh);

// Where a function of position, given by samples on a grid and trilinear in between, is at most 0. Outside the grid
// there is nothing.
typedef struct nc_level_set {
    nc_vec3 origin;       // [m] of sample 0
    double spacing;       // [m] above 0
    int count[3];         // samples along x, y, z; at least 2
    const double *values; // sample (i, j, k) is values[i + count[0] * (j + count[1] * k)]
    double slope, size;   // written by nc_target_level_set: bounds of the gradient's length and of the values
} nc_level_set;
// Errors: NC_BAD_ARGUMENT for a grid without cells or values that are not finite.
nc_code nc_target_level_set(nc_level_set *set, nc_target *out, nc_error *err);

// Solids put together from primitives. Operations refer to earlier rows; the last row is the whole. Every solid is
// where a function of slope at most 1 is at most 0; the function is no distance, but never exceeds it.
typedef enum nc_csg_kind {
    NC_CSG_SPHERE,       // radius size.x
    NC_CSG_BOX,          // half sizes
    NC_CSG_HALF_SPACE,   // z <= 0
    NC_CSG_CYLINDER,     // along z: radius size.x, half height size.z
    NC_CSG_CAPSULE,      // along z: radius size.x about a segment of half length size.z
    NC_CSG_CONE,         // along z: radius size.x at the bottom, size.y at the top, half height size.z
    NC_CSG_TORUS,        // about z: radius size.x of the ring, size.y of the tube
    NC_CSG_GYROID,       // |sin x cos y + sin y cos z + sin z cos x| <= size.y, period size.x; in all of space
    NC_CSG_UNION,        // a or b; with size.x > 0 blended where both are nearer than this (polynomial smooth minimum)
    NC_CSG_INTERSECTION, // a and b
    NC_CSG_DIFFERENCE    // a without the inside of b
} nc_csg_kind;
typedef struct nc_csg_node {
    nc_csg_kind kind;
    nc_pose pose; // primitives: where their own frame is
    nc_vec3 size; // [m] primitives, as above (a gyroid's size.y is a pure number); the blend of a union
    int a, b;     // operations: earlier rows
} nc_csg_node;
#define NC_CSG_MAX 256
typedef struct nc_csg {
    const nc_csg_node *nodes;
    int count; // 1 .. NC_CSG_MAX
} nc_csg;
// Errors: NC_BAD_ARGUMENT for a row that refers to itself or a later one, or numbers that are not finite.
nc_code nc_target_csg(const nc_csg *csg, nc_target *out, nc_error *err);

// The function of a solid at p [m], up to rounding: at most 0 inside. `csg` has passed nc_target_csg.
double nc_csg_value(const nc_csg *csg, nc_vec3 p);
// Bounds of the function over a box: for certain, rounding included.
void nc_csg_range(const nc_csg *csg, const nc_oriented_box *box, double *low, double *high);

// A solid as a closed mesh: dual contouring on a grid of cubes, with the crossings and normals of the solid itself.
typedef struct nc_csg_mesh_def {
    double cell;  // [m] side of a cube; 0: 1/48 of the longest side of the solid's box
    double proof; // [m] radius of the boxes that the proof of the error ends with; 0: cell / 4. Smaller is sharper, and
                  //     costs with its inverse square
} nc_csg_mesh_def;
typedef struct nc_csg_mesh_info {
    double cell;   // [m] as used
    double beyond; // [m] proven: no point of the solid's surface is farther from the mesh than this
    double off;    // [m] proven: no point of the mesh is farther from the solid's surface than this
    nc_box box;    // [m] holds the solid
    int64_t evaluations;
} nc_csg_mesh_info;
// Guarantee: the mesh is closed and manifold, whatever the solid; parts that are thinner than a cell may be missing
// from it, and `beyond` says how far from it they can be. It may cross itself. `info` may be NULL: then nothing is
// proven, which is faster. Errors: NC_BAD_ARGUMENT for what nc_target_csg refuses, a solid without bounds (a half-space
// or a gyroid that nothing cuts off), one that has no inside on the grid, or more than 64 million samples.
nc_code nc_csg_mesh(const nc_csg *csg, const nc_csg_mesh_def *def, const nc_allocator *allocator, nc_mesh **out,
                    nc_csg_mesh_info *info, nc_error *err);

// A parametric surface: where a function maps the rectangle u[0] <= u <= u[1], v[0] <= v <= v[1].
typedef struct nc_parametric {
    // The point of u, v [m]; its derivatives go to du, dv where those are not NULL.
    nc_vec3 (*point)(const void *ctx, double u, double v, nc_vec3 *du, nc_vec3 *dv);
    const void *ctx;
    double u[2], v[2];
    double slope_u, slope_v; // [m] bounds of the lengths of the derivatives
    double error;            // [m] of the computed point, at least 0
} nc_parametric;
// A surface without thickness. The guarantee is as good as the slopes and the error. The normal is that of the nearest
// point, on the side of p. Errors: NC_BAD_ARGUMENT for a missing function or numbers out of range.
nc_code nc_target_parametric(const nc_parametric *surface, nc_target *out, nc_error *err);

// A bicubic Bezier patch over [0, 1] x [0, 1].
typedef struct nc_bezier_patch {
    nc_vec3 control[16]; // [m] row by row: control[4 i + j] has the weights B_i(u) B_j(v)
} nc_bezier_patch;
// Fills `out`, which borrows the patch. Errors: NC_BAD_ARGUMENT for control points that are not finite or out of range.
nc_code nc_bezier_parametric(const nc_bezier_patch *patch, nc_parametric *out, nc_error *err);

// Where a function is at most 0. `slope` bounds how fast it changes: |value(p) - value(q)| <= slope |p - q|; what is
// computed is within `error` of it. The guarantee is as good as these two.
typedef struct nc_implicit {
    double (*value)(const void *ctx, nc_vec3 p);
    const void *ctx;
    double slope; // [1/m] above 0
    double error; // at least 0
    double step;  // [m] above 0: of the differences that give the normal
} nc_implicit;
// Errors: NC_BAD_ARGUMENT for a missing function or numbers out of range.
nc_code nc_target_implicit(const nc_implicit *implicit, nc_target *out, nc_error *err);

#ifdef __cplusplus
}
#endif
#endif
