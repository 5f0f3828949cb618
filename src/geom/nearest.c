// Nearest points of a point and a triangle, and of two segments, as weights of their corners.
#include "geom/geom.h"

// Of the product of the squared sides: what is thinner has no inside that doubles can tell.
#define THIN 0x1p-40

static double clamp_unit(double s)
{
    return s > 0 ? (s < 1 ? s : 1) : 0; // 0 for NaN
}

// Where on the segment from a to b the point nearest to p is, in [0, 1].
static double on_segment(nc_vec3 p, nc_vec3 a, nc_vec3 b)
{
    const nc_vec3 e = nc_sub(b, a);
    return clamp_unit(nc_dot(nc_sub(p, a), e) / nc_norm2(e));
}

static nc_vec3 between(nc_vec3 a, nc_vec3 b, double s)
{
    return nc_madd(a, s, nc_sub(b, a));
}

// ---- a point and a triangle ---------------------------------------------------------------------------------

// Barycentric coordinates of the nearest point on the boundary.
static void on_boundary(nc_vec3 p, const nc_vec3 *t, double b[3])
{
    double best = INFINITY;
    for (int k = 0; k < 3; k++) {
        const int next = k == 2 ? 0 : k + 1;
        const double s = on_segment(p, t[k], t[next]);
        const double d = nc_norm2(nc_sub(p, between(t[k], t[next], s)));
        if (d < best) {
            best = d;
            b[k] = 1 - s;
            b[next] = s;
            b[k == 0 ? 2 : k - 1] = 0;
        }
    }
}

// Of the nearest point of the plane, if that is inside the triangle and the triangle is none too thin to tell.
static bool on_face(nc_vec3 p, const nc_vec3 *t, double b[3])
{
    const nc_vec3 e1 = nc_sub(t[1], t[0]), e2 = nc_sub(t[2], t[0]), q = nc_sub(p, t[0]);
    const double a = nc_norm2(e1), c = nc_norm2(e2), m = nc_dot(e1, e2), u = nc_dot(e1, q), v = nc_dot(e2, q);
    const double det = a * c - m * m;
    const double b1 = c * u - m * v, b2 = a * v - m * u;
    if (!(det > THIN * a * c) || b1 < 0 || b2 < 0 || b1 + b2 > det)
        return false;
    const double inv = 1 / det;
    b[1] = b1 * inv;
    b[2] = b2 * inv;
    b[0] = 1 - b[1] - b[2];
    return true;
}

void nc_nearest_on_triangle(nc_vec3 p, const nc_vec3 t[3], double weights[3])
{
    weights[0] = 1;
    weights[1] = weights[2] = 0;
    if (!on_face(p, t, weights))
        on_boundary(p, t, weights);
}

// ---- two segments -------------------------------------------------------------------------------------------

// The best of the four ends against the other segment: the answer for parallel ones, and whenever no inner point is.
static void segment_ends(const nc_vec3 a[2], const nc_vec3 b[2], double *s, double *t)
{
    double best = INFINITY;
    for (int k = 0; k < 4; k++) {
        const double on = k < 2 ? on_segment(a[k], b[0], b[1]) : on_segment(b[k - 2], a[0], a[1]);
        const double sk = k < 2 ? (double)k : on, tk = k < 2 ? on : (double)(k - 2);
        const double d = nc_norm2(nc_sub(between(a[0], a[1], sk), between(b[0], b[1], tk)));
        if (d < best) {
            best = d;
            *s = sk;
            *t = tk;
        }
    }
}

void nc_nearest_on_segments(const nc_vec3 a[2], const nc_vec3 b[2], double *s, double *t)
{
    const nc_vec3 d1 = nc_sub(a[1], a[0]), d2 = nc_sub(b[1], b[0]), r = nc_sub(a[0], b[0]);
    const double aa = nc_norm2(d1), bb = nc_norm2(d2), m = nc_dot(d1, d2), c = nc_dot(d1, r), f = nc_dot(d2, r);
    const double det = aa * bb - m * m;
    const double ns = m * f - c * bb, nt = aa * f - m * c;
    *s = *t = 0;
    if (det > THIN * aa * bb && ns >= 0 && ns <= det && nt >= 0 && nt <= det) {
        *s = ns / det;
        *t = nt / det;
    } else {
        segment_ends(a, b, s, t);
    }
}
