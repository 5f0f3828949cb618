// Numbers: elementary functions (declared in nacre/vec.h), symmetric eigen decomposition, exact predicates.
#ifndef NC_MATH_MATH_H
#define NC_MATH_MATH_H

#include "nacre/vec.h"

#include "base/base.h"
#include "math/lanes.h"
#include "math/twofold.h"

#define NC_UNIT_ROUNDOFF 0x1p-53
#define NC_PI            3.14159265358979323846

// Eigenvalues (ascending) and eigenvectors of a symmetric matrix (its upper triangle is read). The columns of
// R(*axes) are the eigenvectors: m = R diag(values) R^T, R a proper rotation.
// Jacobi sweeps; |m - R diag R^T| <= 16 u |m|. Deterministic in sign and order for distinct eigenvalues.
void nc_symmetric_eigen(nc_mat3 m, nc_vec3 *values, nc_quat *axes);

// atan2 for inner loops: within 4 u of the angle, but not rounded as carefully as nc_atan2, and several times faster.
// Finite arguments of sizes in [2^-500, 2^500] or 0; 0 for (0, 0).
double nc_atan2_quick(double y, double x);
// The same of `count` pairs, a multiple of four, to the bit. Not (0, 0).
void nc_atan2_quick_many(const double *y, const double *x, double *out, int count);

nc_mat3 nc_mat3_multiply(nc_mat3 a, nc_mat3 b);
nc_mat3 nc_mat3_transpose(nc_mat3 m);
// The quaternion of a proper rotation matrix, normalised, w >= 0.
nc_quat nc_quat_from_matrix(nc_mat3 m);

// ---- exact predicates: the sign is that of exact arithmetic on the doubles given ----------------------------
// Exact for all finite doubles, subnormal ones included, so world coordinates need no further care: whatever finite
// number nc_pose_apply rounds to is taken for what it is. (The result for infinities and NaN means nothing.)

// The sign (-1, 0, 1) of det[a-d, b-d, c-d]: positive when d lies below the plane of a, b, c seen counterclockwise
// from above. Adaptive: a floating-point filter first, two-term expansions when it cannot tell, whole numbers last.
int nc_orient3d(nc_vec3 a, nc_vec3 b, nc_vec3 c, nc_vec3 d);
// The sign of the twice-area of the triangle a, b, c in the plane left when coordinate `drop` (0, 1, 2) is left out:
// of component `drop` of (b - a) x (c - a).
int nc_orient2d(nc_vec3 a, nc_vec3 b, nc_vec3 c, int drop);

#endif
