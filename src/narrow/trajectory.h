// What the files of the trajectory query share: the curve of a point seen from a moving target, boxes, fields.
// Proofs: docs/theory/trajectory.md.
#ifndef NC_NARROW_TRAJECTORY_H
#define NC_NARROW_TRAJECTORY_H

#include "narrow/narrow.h"

// ---- curves in the target's frame ---------------------------------------------------------------------------

// A body and a target, both on one segment about their own centres. Bounds are rounded up.
typedef struct nc_relative_motion {
    nc_pair_motion pair;         // A is the body, B the target
    double speed;                // [m]   |d_A - d_B|
    double reach;                // [m]   of the distance of the centres at any time
    double turn_body, turn_goal; // [rad] |theta| of the body and of the target
} nc_relative_motion;
void nc_relative_begin(nc_relative_motion *motion, const nc_path *body, const nc_path *target);

// A point of the body. Bounds are rounded up.
typedef struct nc_tracked_point {
    nc_vec3 place; // [m] in the body's frame
    double arm;    // [m] its distance from the centre
    double lever;  // [m] its distance from the body's axis of rotation
    double error;  // [m] of its computed position in the target's frame at any time
} nc_tracked_point;
nc_tracked_point nc_tracked_point_make(nc_relative_motion *motion, nc_vec3 place);

// A point of the curve.
typedef struct nc_curve_point {
    double t;
    nc_vec3 at;      // [m] in the target's frame, within `error` of the exact place
    double distance; // [m] of the two centres; a bound, rounded up
} nc_curve_point;
nc_curve_point nc_relative_point(nc_relative_motion *motion, const nc_tracked_point *point, double t);

// How far the exact curve is, at equal times, from the straight line between its exact ends.
double nc_relative_deviation(const nc_relative_motion *motion, const nc_tracked_point *point,
                             const nc_curve_point *from, const nc_curve_point *to);
// A box that holds every point within `spread` [m] of the straight line from a to b.
nc_oriented_box nc_box_around_segment(nc_vec3 a, nc_vec3 b, double spread);

// ---- boxes --------------------------------------------------------------------------------------------------

// The axis-aligned box of a box, rounded outward.
nc_box nc_oriented_box_bounds(const nc_oriented_box *box);
// The largest distance of a point of the box from its centre; rounded up.
double nc_oriented_box_radius(const nc_oriented_box *box);

// A box made ready for many tests. "Misses" is a proof, rounding included; the contrary means that they collide, or
// nearly.
#define NC_BOX_DIRECTIONS 15
typedef struct nc_box_test {
    nc_oriented_box box;
    nc_vec3 direction[NC_BOX_DIRECTIONS];
    double extent[NC_BOX_DIRECTIONS]; // how far the box reaches from its centre along each
    double slack[NC_BOX_DIRECTIONS];  // rounding, for each unit of size
    double size;                      // [m]
} nc_box_test;
void nc_box_test_prepare(nc_box_test *test, const nc_oriented_box *box);
bool nc_box_test_misses_box(const nc_box_test *test, nc_box other);
bool nc_box_test_misses_simplex(const nc_box_test *test, const nc_vec3 *corners, int count);

// ---- fields -------------------------------------------------------------------------------------------------

// A number for each place, above 0 outside a set: no point of the set is nearer to p than (value(p) - error) / slope.
typedef struct nc_field {
    double (*value)(const void *ctx, nc_vec3 p);
    const void *ctx;
    double slope, error;
} nc_field;
// The segment query of a target, by steps that are as long as the field allows, and at least `precision`.
nc_verdict nc_field_trace(const nc_field *field, nc_vec3 from, nc_vec3 to, double precision, double *s);

// The distance [m] of a place from a mesh, up to 2^-46 of the sizes involved.
double nc_mesh_point_distance(const nc_mesh *mesh, nc_vec3 p);

// Unit vector, or 0 when v is 0 or not finite.
nc_vec3 nc_direction(nc_vec3 v);

#endif
