// The plain cubic-root test: the yardstick of the feature tests, written the usual way.
#include "bench/kernels/queries.h"

#include <math.h>

typedef struct cubic {
    double c[4]; // c0 + c1 t + c2 t^2 + c3 t^3
} cubic;

static double value(const cubic *f, double t)
{
    return ((f->c[3] * t + f->c[2]) * t + f->c[1]) * t + f->c[0];
}

static double slope(const cubic *f, double t)
{
    return (3 * f->c[3] * t + 2 * f->c[2]) * t + f->c[1];
}

static double triple(nc_vec3 a, nc_vec3 b, nc_vec3 c)
{
    return nc_dot(a, nc_cross(b, c));
}

// The volume of the corners 1, 2, 3 as seen from corner 0, in time.
static cubic coplanarity(const nc_swept_query *q)
{
    nc_vec3 x[3], v[3];
    for (int i = 0; i < 3; i++) {
        x[i] = nc_sub(q->start[i + 1], q->start[0]);
        v[i] = nc_sub(nc_sub(q->end[i + 1], q->end[0]), x[i]);
    }
    const nc_vec3 xx = nc_cross(x[1], x[2]), vv = nc_cross(v[1], v[2]);
    const nc_vec3 xv = nc_add(nc_cross(x[1], v[2]), nc_cross(v[1], x[2]));
    const cubic f = {{nc_dot(x[0], xx), nc_dot(v[0], xx) + nc_dot(x[0], xv), nc_dot(v[0], xv) + nc_dot(x[0], vv),
                      triple(v[0], v[1], v[2])}};
    return f;
}

// Where the slope is 0 within (0, 1), ascending.
static int turning_points(const cubic *f, double *out)
{
    const double a = 3 * f->c[3], b = f->c[2], c = f->c[1], d = b * b - a * c;
    if (!(d > 0))
        return 0;
    const double q = b > 0 ? -(b + sqrt(d)) : -b + sqrt(d);
    double r0 = a != 0 ? q / a : -1, r1 = q != 0 ? c / q : -1;
    if (r0 > r1) {
        const double swap = r0;
        r0 = r1;
        r1 = swap;
    }
    int count = 0;
    if (r0 > 0 && r0 < 1)
        out[count++] = r0;
    if (r1 > 0 && r1 < 1)
        out[count++] = r1;
    return count;
}

// The root in [lo, hi], where f changes its sign once: Newton's method, kept inside by bisection.
static double root_between(const cubic *f, double lo, double hi, double at_lo)
{
    double t = at_lo == 0 ? lo : 0.5 * (lo + hi);
    for (int i = 0; at_lo != 0 && i < 60 && hi - lo > 1e-14; i++) {
        const double now = value(f, t);
        if ((now < 0) == (at_lo < 0))
            lo = t;
        else
            hi = t;
        const double next = t - now / slope(f, t);
        if (fabs(next - t) < 1e-14)
            break;
        t = next > lo && next < hi ? next : 0.5 * (lo + hi);
    }
    return t;
}

// ---- are the features near each other at a root? ------------------------------------------------------------

static double clamp(double s)
{
    return s < 0 ? 0 : s > 1 ? 1 : s;
}

// The squared distance of two segments from x0, x1 and x2, x3.
static double edges_distance2(nc_vec3 x0, nc_vec3 x1, nc_vec3 x2, nc_vec3 x3)
{
    const nc_vec3 e = nc_sub(x1, x0), f = nc_sub(x3, x2), r = nc_sub(x0, x2);
    const double a = nc_norm2(e), b = nc_dot(e, f), c = nc_norm2(f), p = nc_dot(e, r), q = nc_dot(f, r);
    const double det = a * c - b * b;
    double s = det > 0 ? clamp((b * q - c * p) / det) : 0, t = c > 0 ? (b * s + q) / c : 0;
    if (t < 0 || t > 1) {
        t = clamp(t);
        s = a > 0 ? clamp((b * t - p) / a) : 0;
    }
    return nc_norm2(nc_add(r, nc_sub(nc_scale(s, e), nc_scale(t, f))));
}

static bool near_triangle(const nc_vec3 *x, double tolerance)
{
    const nc_vec3 e = nc_sub(x[2], x[1]), f = nc_sub(x[3], x[1]), p = nc_sub(x[0], x[1]);
    const double a = nc_norm2(e), b = nc_dot(e, f), c = nc_norm2(f), g = nc_dot(e, p), h = nc_dot(f, p);
    const double det = a * c - b * b, u = c * g - b * h, v = a * h - b * g, most = tolerance * tolerance;
    if (u >= 0 && v >= 0 && u + v <= det && det > 0)
        return nc_norm2(nc_sub(p, nc_add(nc_scale(u / det, e), nc_scale(v / det, f)))) <= most;
    return edges_distance2(x[0], x[0], x[1], x[2]) <= most || edges_distance2(x[0], x[0], x[2], x[3]) <= most ||
           edges_distance2(x[0], x[0], x[3], x[1]) <= most;
}

static bool near_edges(const nc_vec3 *x, double tolerance)
{
    return edges_distance2(x[0], x[1], x[2], x[3]) <= tolerance * tolerance;
}

static bool near_at(const nc_swept_query *q, double t, double tolerance)
{
    nc_vec3 x[4];
    for (int i = 0; i < 4; i++)
        x[i] = nc_add(nc_scale(1 - t, q->start[i]), nc_scale(t, q->end[i]));
    return q->kind == NC_HULL_TRIANGLE ? near_triangle(x, tolerance) : near_edges(x, tolerance);
}

bool nc_cubic_collides(const nc_swept_query *q, double tolerance)
{
    const cubic f = coplanarity(q);
    double ends[4] = {0, 0, 0, 0};
    const int pieces = 1 + turning_points(&f, ends + 1);
    ends[pieces] = 1;
    double at_lo = value(&f, 0);
    for (int i = 0; i < pieces; i++) {
        const double at_hi = value(&f, ends[i + 1]);
        const bool crosses = (at_lo <= 0 && at_hi >= 0) || (at_lo >= 0 && at_hi <= 0);
        if (crosses && near_at(q, root_between(&f, ends[i], ends[i + 1], at_lo), tolerance))
            return true;
        at_lo = at_hi;
    }
    return near_at(q, 1, tolerance);
}
