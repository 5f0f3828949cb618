// Rotations: rotation vectors, quaternions, matrices. Error bounds: docs/theory/arithmetic.md, "Rotations".
#include "math/math.h"

// The power of two that brings the largest of the sizes given into [1/2, 1); 0 stays as it is.
// Sizes whose squares are far from overflow and underflow are left alone: scaling them would give the same bits.
static int scale_of(double size)
{
    int exponent = 0;
    const bool harmless = size > 0x1p-200 && size < 0x1p+200;
    if (size > 0 && isfinite(size) && !harmless)
        frexp(size, &exponent);
    return -exponent;
}

// a 2^exponent
static nc_vec3 shift(nc_vec3 a, int exponent)
{
    return exponent == 0 ? a : nc_v3(ldexp(a.x, exponent), ldexp(a.y, exponent), ldexp(a.z, exponent));
}

nc_quat nc_quat_from_rotation_vector(nc_vec3 v)
{
    // Squares of the scaled vector neither overflow nor vanish, so any finite v has its direction and its length.
    const int scale = scale_of(nc_max3(v));
    const nc_vec3 axis = shift(v, scale);
    const double length = nc_norm(axis);
    if (length == 0)
        return nc_quat_identity();
    double sine, cosine;
    nc_sincos(ldexp(length, -scale - 1), &sine, &cosine);
    const double s = sine / length;
    return nc_q4(cosine, s * axis.x, s * axis.y, s * axis.z);
}

nc_vec3 nc_quat_rotation_vector(nc_quat q)
{
    const nc_vec3 imaginary = nc_v3(q.x, q.y, q.z);
    const int scale = scale_of(nc_max3(imaginary));
    const nc_vec3 axis = shift(imaginary, scale);
    const double length = nc_norm(axis);
    if (length == 0)
        return nc_v3(0, 0, 0);
    // q and -q are one rotation: the one with w >= 0 turns by at most pi.
    const double half_angle = nc_atan2(ldexp(length, -scale), fabs(q.w));
    return nc_scale((signbit(q.w) ? -2.0 : 2.0) * half_angle / length, axis);
}

nc_mat3 nc_mat3_transpose(nc_mat3 m)
{
    nc_mat3 t;
    t.row[0] = nc_v3(m.row[0].x, m.row[1].x, m.row[2].x);
    t.row[1] = nc_v3(m.row[0].y, m.row[1].y, m.row[2].y);
    t.row[2] = nc_v3(m.row[0].z, m.row[1].z, m.row[2].z);
    return t;
}

nc_mat3 nc_mat3_multiply(nc_mat3 a, nc_mat3 b)
{
    nc_mat3 product;
    for (int i = 0; i < 3; i++)
        product.row[i] = nc_mat3_tmul(b, a.row[i]);
    return product;
}

// Each of the four formulas is 4 c (w, x, y, z) for one component c of the quaternion; the largest c is taken, so
// nothing cancels.
nc_quat nc_quat_from_matrix(nc_mat3 m)
{
    const double xx = m.row[0].x, yy = m.row[1].y, zz = m.row[2].z;
    const nc_vec3 sum = nc_v3(m.row[2].y + m.row[1].z, m.row[0].z + m.row[2].x, m.row[1].x + m.row[0].y);
    const nc_vec3 turn = nc_v3(m.row[2].y - m.row[1].z, m.row[0].z - m.row[2].x, m.row[1].x - m.row[0].y);
    nc_quat q;
    if (xx + yy + zz > 0)
        q = nc_q4(1.0 + (xx + yy + zz), turn.x, turn.y, turn.z);
    else if (xx >= yy && xx >= zz)
        q = nc_q4(turn.x, 1.0 + (xx - yy - zz), sum.z, sum.y);
    else if (yy >= zz)
        q = nc_q4(turn.y, sum.z, 1.0 + (yy - zz - xx), sum.x);
    else
        q = nc_q4(turn.z, sum.y, sum.x, 1.0 + (zz - xx - yy));
    if (q.w < 0)
        q = nc_q4(-q.w, -q.x, -q.y, -q.z);
    return nc_quat_normalize(q);
}
