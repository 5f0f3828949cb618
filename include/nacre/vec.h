// Vectors, quaternions, 3x3 matrices, poses. Doubles throughout; lengths in metres, angles in radians.
//
// Every operation here has one fixed order of roundings, so the same input gives the same bits in every
// build (the library and its users compile with -ffp-contract=off for that; it is not needed for safety).
#ifndef NACRE_VEC_H
#define NACRE_VEC_H

#include <math.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nc_vec3 {
    double x, y, z;
} nc_vec3;

// w + xi + yj + zk. Any non-zero quaternion is an orientation: R(q) v = q v q* / |q|^2.
typedef struct nc_quat {
    double w, x, y, z;
} nc_quat;

// Rows: (M v).x = row[0] . v
typedef struct nc_mat3 {
    nc_vec3 row[3];
} nc_mat3;

// Where a rigid thing is: y = x + R(q) v.
typedef struct nc_pose {
    nc_vec3 x; // [m]
    nc_quat q;
} nc_pose;

// A pose with its rotation worked out once, for many points.
typedef struct nc_frame {
    nc_vec3 x; // [m]
    nc_mat3 rotation;
} nc_frame;

// An axis-aligned box; empty when lo > hi in any coordinate.
typedef struct nc_box {
    nc_vec3 lo, hi; // [m]
} nc_box;

static inline nc_vec3 nc_v3(double x, double y, double z)
{
    nc_vec3 v;
    v.x = x;
    v.y = y;
    v.z = z;
    return v;
}
static inline nc_vec3 nc_add(nc_vec3 a, nc_vec3 b)
{
    return nc_v3(a.x + b.x, a.y + b.y, a.z + b.z);
}
static inline nc_vec3 nc_sub(nc_vec3 a, nc_vec3 b)
{
    return nc_v3(a.x - b.x, a.y - b.y, a.z - b.z);
}
static inline nc_vec3 nc_scale(double s, nc_vec3 a)
{
    return nc_v3(s * a.x, s * a.y, s * a.z);
}
static inline nc_vec3 nc_neg(nc_vec3 a)
{
    return nc_v3(-a.x, -a.y, -a.z);
}
// a + s b
static inline nc_vec3 nc_madd(nc_vec3 a, double s, nc_vec3 b)
{
    return nc_v3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}
static inline double nc_dot(nc_vec3 a, nc_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline nc_vec3 nc_cross(nc_vec3 a, nc_vec3 b)
{
    return nc_v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline double nc_norm2(nc_vec3 a)
{
    return nc_dot(a, a);
}
static inline double nc_norm(nc_vec3 a)
{
    return sqrt(nc_dot(a, a));
}
static inline double nc_max3(nc_vec3 a)
{
    return fmax(fmax(fabs(a.x), fabs(a.y)), fabs(a.z));
}
static inline bool nc_finite3(nc_vec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}
static inline nc_vec3 nc_min_v3(nc_vec3 a, nc_vec3 b)
{
    return nc_v3(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z);
}
static inline nc_vec3 nc_max_v3(nc_vec3 a, nc_vec3 b)
{
    return nc_v3(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z);
}

static inline nc_quat nc_q4(double w, double x, double y, double z)
{
    nc_quat q;
    q.w = w;
    q.x = x;
    q.y = y;
    q.z = z;
    return q;
}
static inline nc_quat nc_quat_identity(void)
{
    return nc_q4(1, 0, 0, 0);
}
static inline nc_quat nc_quat_conj(nc_quat q)
{
    return nc_q4(q.w, -q.x, -q.y, -q.z);
}
static inline double nc_quat_norm2(nc_quat q)
{
    return q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
}
// The rotation b followed by a.
static inline nc_quat nc_quat_mul(nc_quat a, nc_quat b)
{
    return nc_q4(a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                 a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w);
}
static inline nc_quat nc_quat_normalize(nc_quat q)
{
    const double s = 1.0 / sqrt(nc_quat_norm2(q));
    return nc_q4(s * q.w, s * q.x, s * q.y, s * q.z);
}
static inline bool nc_finite4(nc_quat q)
{
    return isfinite(q.w) && isfinite(q.x) && isfinite(q.y) && isfinite(q.z);
}

static inline nc_vec3 nc_mat3_mul(nc_mat3 m, nc_vec3 v)
{
    return nc_v3(nc_dot(m.row[0], v), nc_dot(m.row[1], v), nc_dot(m.row[2], v));
}
// transpose(m) v
static inline nc_vec3 nc_mat3_tmul(nc_mat3 m, nc_vec3 v)
{
    return nc_v3(m.row[0].x * v.x + m.row[1].x * v.y + m.row[2].x * v.z,
                 m.row[0].y * v.x + m.row[1].y * v.y + m.row[2].y * v.z,
                 m.row[0].z * v.x + m.row[1].z * v.y + m.row[2].z * v.z);
}

// R(q), with q of any length: the products are divided by |q|^2, so scaling q changes nothing but rounding.
static inline nc_mat3 nc_quat_matrix(nc_quat q)
{
    const double s = 2.0 / nc_quat_norm2(q);
    const double xx = s * q.x * q.x, yy = s * q.y * q.y, zz = s * q.z * q.z;
    const double xy = s * q.x * q.y, xz = s * q.x * q.z, yz = s * q.y * q.z;
    const double wx = s * q.w * q.x, wy = s * q.w * q.y, wz = s * q.w * q.z;
    nc_mat3 m;
    m.row[0] = nc_v3(1.0 - (yy + zz), xy - wz, xz + wy);
    m.row[1] = nc_v3(xy + wz, 1.0 - (xx + zz), yz - wx);
    m.row[2] = nc_v3(xz - wy, yz + wx, 1.0 - (xx + yy));
    return m;
}

// World vertices are what these two functions give, bit for bit: step, audit, check and export all use them.
static inline nc_frame nc_pose_frame(nc_pose pose)
{
    nc_frame f;
    f.x = pose.x;
    f.rotation = nc_quat_matrix(pose.q);
    return f;
}
static inline nc_vec3 nc_frame_apply(nc_frame frame, nc_vec3 v)
{
    return nc_add(frame.x, nc_mat3_mul(frame.rotation, v));
}
// The world position of body point v. Equal, bit for bit, to nc_frame_apply(nc_pose_frame(pose), v).
static inline nc_vec3 nc_pose_apply(nc_pose pose, nc_vec3 v)
{
    return nc_frame_apply(nc_pose_frame(pose), v);
}

static inline nc_box nc_box_empty(void)
{
    nc_box b;
    b.lo = nc_v3(INFINITY, INFINITY, INFINITY);
    b.hi = nc_v3(-INFINITY, -INFINITY, -INFINITY);
    return b;
}
static inline nc_box nc_box_add(nc_box b, nc_vec3 p)
{
    b.lo = nc_min_v3(b.lo, p);
    b.hi = nc_max_v3(b.hi, p);
    return b;
}
static inline nc_box nc_box_union(nc_box a, nc_box b)
{
    a.lo = nc_min_v3(a.lo, b.lo);
    a.hi = nc_max_v3(a.hi, b.hi);
    return a;
}
// Touching counts as overlapping.
static inline bool nc_box_overlap(nc_box a, nc_box b)
{
    return a.lo.x <= b.hi.x && b.lo.x <= a.hi.x && a.lo.y <= b.hi.y && b.lo.y <= a.hi.y && a.lo.z <= b.hi.z &&
           b.lo.z <= a.hi.z;
}

// Nacre's own elementary functions: the same bits on every machine. The error bounds, in units in the last
// place of the result, are stated in docs/theory/arithmetic.md and tested against MPFR.
void nc_sincos(double angle, double *sine, double *cosine); // any finite angle [rad]
double nc_atan2(double y, double x);                        // [rad], (-pi, pi]
double nc_acos(double c);                                   // [rad], c in [-1, 1]

// The rotation by |v| radians about v: exp. Exact identity for v = 0.
nc_quat nc_quat_from_rotation_vector(nc_vec3 v);
// The shortest rotation vector of q (|result| <= pi): log.
nc_vec3 nc_quat_rotation_vector(nc_quat q);

#ifdef __cplusplus
}
#endif
#endif
