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

#ifdef __cplusplus
}
#endif
#endif
