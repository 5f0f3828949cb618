#include "acm/gap.h"

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

// ---- a point and a triangle ---------------------------------------------------------------------------------

// Barycentric coordinates of the nearest point on the boundary.
static void on_boundary(nc_vec3 p, const nc_vec3 *t, double b[3])
{
    double best = INFINITY;
    for (int k = 0; k < 3; k++) {
        const int next = k == 2 ? 0 : k + 1;
        const double s = on_segment(p, t[k], t[next]);
        const double d = nc_norm2(nc_sub(p, nc_madd(t[k], s, nc_sub(t[next], t[k]))));
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
    if (!(det > 0x1p-40 * a * c) || b1 < 0 || b2 < 0 || b1 + b2 > det)
        return false;
    const double inv = 1 / det;
    b[1] = b1 * inv;
    b[2] = b2 * inv;
    b[0] = 1 - b[1] - b[2];
    return true;
}

static void point_triangle(const nc_vec3 x[4], double w[4])
{
    double b[3] = {1, 0, 0};
    if (!on_face(x[0], x + 1, b))
        on_boundary(x[0], x + 1, b);
    w[0] = 1;
    for (int k = 0; k < 3; k++)
        w[k + 1] = -b[k];
}

// ---- two segments -------------------------------------------------------------------------------------------

static nc_vec3 between(nc_vec3 a, nc_vec3 b, double s)
{
    return nc_madd(a, s, nc_sub(b, a));
}

// The best of the four ends against the other segment: the answer for parallel ones, and whenever no inner point is.
static void segment_ends(const nc_vec3 x[4], double *s, double *t)
{
    double best = INFINITY;
    for (int k = 0; k < 4; k++) {
        const double on = k < 2 ? on_segment(x[k], x[2], x[3]) : on_segment(x[k], x[0], x[1]);
        const double sk = k < 2 ? (double)k : on, tk = k < 2 ? on : (double)(k - 2);
        const double d = nc_norm2(nc_sub(between(x[0], x[1], sk), between(x[2], x[3], tk)));
        if (d < best) {
            best = d;
            *s = sk;
            *t = tk;
        }
    }
}

static void segment_segment(const nc_vec3 x[4], double w[4])
{
    const nc_vec3 d1 = nc_sub(x[1], x[0]), d2 = nc_sub(x[3], x[2]), r = nc_sub(x[0], x[2]);
    const double a = nc_norm2(d1), e = nc_norm2(d2), m = nc_dot(d1, d2), c = nc_dot(d1, r), f = nc_dot(d2, r);
    const double det = a * e - m * m;
    const double ns = m * f - c * e, nt = a * f - m * c;
    double s = 0, t = 0;
    if (det > 0x1p-40 * a * e && ns >= 0 && ns <= det && nt >= 0 && nt <= det) {
        s = ns / det;
        t = nt / det;
    } else {
        segment_ends(x, &s, &t);
    }
    w[0] = 1 - s;
    w[1] = s;
    w[2] = t - 1;
    w[3] = -t;
}

nc_acm_gap nc_acm_gap_of(nc_acm_kind kind, const nc_vec3 x[4])
{
    nc_acm_gap gap = {.w = {1, -1, 0, 0}};
    nc_vec3 d;
    if (kind == NC_ACM_VERTEX_TRIANGLE) {
        point_triangle(x, gap.w);
        // Relative to the vertex: far from the origin that keeps the digits.
        d = nc_scale(-gap.w[1], nc_sub(x[0], x[1]));
        d = nc_madd(d, -gap.w[2], nc_sub(x[0], x[2]));
        d = nc_madd(d, -gap.w[3], nc_sub(x[0], x[3]));
    } else if (kind == NC_ACM_EDGE_EDGE) {
        segment_segment(x, gap.w);
        d = nc_sub(x[0], x[2]);
        d = nc_madd(d, gap.w[1], nc_sub(x[1], x[0]));
        d = nc_madd(d, gap.w[3], nc_sub(x[3], x[2]));
    } else {
        d = nc_sub(x[0], x[1]);
    }
    gap.distance = nc_norm(d);
    gap.n = nc_scale(1 / gap.distance, d);
    return gap;
}
