// Rigid motion over one step: paths with an exact meaning, their evaluation, and bounds on them.
//
// A path over the step, t in [0, 1], is a chain of at most NC_MAX_SEGMENTS segments. On a segment [s, e]
//
//     y(t) = a + (t-s) d + R((t-s) eps) R((t-s) theta) (y(s) - a)
//
// for every point y of the body; R(v) turns by |v| radians about v, and |v| may be many turns. The path is an exact
// object defined by the stored doubles; only what is computed from it is rounded (nc_path_error bounds by how much).
// Derivations and proofs: docs/theory/motion.md.
#ifndef NC_MOTION_MOTION_H
#define NC_MOTION_MOTION_H

#include "nacre/vec.h"

#include "geom/geom.h"

#define NC_MAX_SEGMENTS 8

typedef struct nc_segment {
    double begin;  // [1]   start s of the segment in [0, 1]; it ends where the next begins, the last at 1
    nc_vec3 a;     // [m]   the point the rotation is about, at the start of the segment
    nc_vec3 d;     // [m]   travel of that point over a whole step
    nc_vec3 theta; // [rad] rotation over a whole step, not reduced mod 2 pi
    nc_vec3 eps;   // [rad] second rotation (the energy fix), applied after theta
} nc_segment;

typedef struct nc_path {
    nc_pose start; // the pose at t = 0, bit for bit
    int count;     // segments, 1 .. NC_MAX_SEGMENTS
    nc_segment segments[NC_MAX_SEGMENTS];
} nc_path;

// The path that stays at `pose`.
nc_path nc_path_still(nc_pose pose);
// One segment about the body's own centre.
nc_path nc_path_free(nc_pose pose, nc_vec3 d, nc_vec3 theta, nc_vec3 eps);
// Adds a segment that begins at segment.begin, after all others. False when the path is full.
bool nc_path_extend(nc_path *path, nc_segment segment);

// The pose at t in [0, 1], rounded. While a body has not moved, its bits are those of `start`.
nc_pose nc_path_pose(const nc_path *path, double t);

// Is it the path of a body that stays at its start?
bool nc_path_stays(const nc_path *path);

// Are all numbers of the path finite?
bool nc_path_finite(const nc_path *path);

// E: bounds, for any point of the body within `radius` [m] of its centre, the sum of the error of evaluating it at
// any t (nc_path_pose, then nc_pose_apply), the jump from the exact end of the path to the stored pose, and the
// rounding of world vertices at the stored pose. Rounded up; infinite or NaN when the path is not finite.
double nc_path_error(const nc_path *path, double radius);

// Upper bounds for any point of the body within `radius` [m] of its centre, on the exact path, over [t0, t1] within
// [0, 1]. Rounded up.
// How far it travels (length of its curve).
double nc_path_travel(const nc_path *path, double radius, double t0, double t1);
// How much the distance of a point of A and a point of B can change over the whole step.
double nc_path_approach(const nc_path *a, double radius_a, const nc_path *b, double radius_b);
// One segment about the body's own centre.
bool nc_path_is_free(const nc_path *path);
// How much nearer a point of A and a point of B can be, at equal times, than on other free paths from the same starts,
// which have the segments before_a and before_b.
double nc_path_difference(const nc_path *a, const nc_segment *before_a, double radius_a, const nc_path *b,
                          const nc_segment *before_b, double radius_b);
// How far it is, at equal times, from the straight chord between its exact positions at t0 and t1.
// [t0, t1] must not straddle a segment end; the bound is infinite when it does.
double nc_path_chord_deviation(const nc_path *path, double radius, double t0, double t1);
// The distance of the body's centre from the turning point of segment i; it does not change within the segment.
double nc_path_arm(const nc_path *path, int i);
// A box that holds every such point at every time of [t0, t1], E included.
nc_box nc_path_swept_box(const nc_path *path, double radius, double t0, double t1);
// The same for the points of a box in the body's frame (a mesh's, a tree node's, a triangle's) that lie within `radius`
// of the body's centre. Tighter for anything that is not round.
nc_box nc_path_swept_box_of(const nc_path *path, nc_box box, double radius, double t0, double t1);

// ---- orientation of free bodies: English eq. 4, Su sections 2.2 to 2.4 ----------------------------------------

// The inertia of a body in its principal frame.
typedef struct nc_inertia {
    nc_vec3 moments; // [kg m^2] ascending, all above 0
    nc_quat axes;    // turns principal axes into body axes
} nc_inertia;

// omega = I^-1 L at orientation q, in world axes.
nc_vec3 nc_inertia_spin(const nc_inertia *inertia, nc_quat q, nc_vec3 angular_momentum);
// L = I omega.
nc_vec3 nc_inertia_momentum(const nc_inertia *inertia, nc_quat q, nc_vec3 spin);
// 1/2 L . I^-1 L [J].
double nc_inertia_energy(const nc_inertia *inertia, nc_quat q, nc_vec3 angular_momentum);

typedef struct nc_free_turn {
    nc_vec3 theta; // [rad] English eq. 4
    nc_vec3 eps;   // [rad] Su's energy fix; 0 when none was needed
    int fixes;     // corrections made (0 .. a few)
    bool fallback; // one of them about a principal axis
} nc_free_turn;

// How a body with angular momentum L turns in dt [s]. With `fix`, the orientation at the end has rotational energy
// `energy` [J] as far as rounding and the body's range of energies for this L allow.
nc_free_turn nc_free_turn_compute(const nc_inertia *inertia, nc_quat q, nc_vec3 angular_momentum, double dt, bool fix,
                                  double energy);

// The rotation vector, orthogonal to L, that turns a body at orientation q so that its rotational energy becomes
// `energy`. `axis` says which axis was used.
typedef enum nc_fix_axis { NC_FIX_NONE, NC_FIX_LOCAL, NC_FIX_MAX, NC_FIX_MIN } nc_fix_axis;
nc_vec3 nc_energy_fix(const nc_inertia *inertia, nc_quat q, nc_vec3 angular_momentum, double energy, nc_fix_axis *axis);

#endif
