// The point of a hull of differences nearest the origin: a triangle, or a parallelogram.
//
// Inside the hull's face the answer is taken along the face's normal, which keeps its direction however close the
// origin is; elsewhere from the nearest corner or side.
#include "narrow/narrow.h"

// The point of the segment p, p + d nearest the origin.
static nc_vec3 on_segment(nc_vec3 p, nc_vec3 d)
{
    const double along = -nc_dot(p, d), length2 = nc_norm2(d);
    if (!(along > 0))
        return p;
    if (!(along < length2))
        return nc_add(p, d);
    return nc_madd(p, along / length2, d);
}

static nc_vec3 shorter(nc_vec3 a, nc_vec3 b)
{
    return nc_norm2(b) < nc_norm2(a) ? b : a;
}

// The foot of the perpendicular from the origin on the plane through p with normal n (not 0).
static nc_vec3 on_plane(nc_vec3 p, nc_vec3 n)
{
    return nc_scale(nc_dot(p, n) / nc_norm2(n), n);
}

static nc_vec3 on_triangle(const nc_vec3 *w)
{
    const nc_vec3 ab = nc_sub(w[1], w[0]), ac = nc_sub(w[2], w[0]), bc = nc_sub(w[2], w[1]);
    const nc_vec3 n = nc_cross(ab, ac);
    // The origin is above the face when it lies on the inner side of all three sides.
    const bool inside_ab = nc_dot(nc_cross(ab, n), w[0]) > 0;
    const bool inside_bc = nc_dot(nc_cross(bc, n), w[1]) > 0;
    const bool inside_ca = nc_dot(nc_cross(ac, n), w[2]) < 0;
    if (inside_ab && inside_bc && inside_ca)
        return on_plane(w[0], n);
    // Otherwise the nearest point is on a side that faces it. Without area all three do.
    nc_vec3 best = {INFINITY, INFINITY, INFINITY};
    if (!inside_ab)
        best = on_segment(w[0], ab);
    if (!inside_bc)
        best = shorter(on_segment(w[1], bc), best);
    if (!inside_ca)
        best = shorter(on_segment(w[0], ac), best);
    return best;
}

#define ALMOST_PARALLEL 1e-20 // of the sine's square: below it, which sides face the origin is not known

// w = 00, 01, 10, 11; w11 = w01 + w10 - w00 up to rounding. Sides: 00-01, 10-11 along the second edge, 00-10, 01-11.
static nc_vec3 on_parallelogram(const nc_vec3 *w)
{
    const nc_vec3 e = nc_sub(w[2], w[0]), f = nc_sub(w[1], w[0]);
    const nc_vec3 n = nc_cross(e, f);
    const double n2 = nc_norm2(n);
    // w00 + s e + t f is nearest the origin where s, t solve the normal equations; Cramer by the normal.
    const double s = -nc_dot(nc_cross(w[0], f), n), t = -nc_dot(nc_cross(e, w[0]), n);
    const bool any = !(n2 > ALMOST_PARALLEL * nc_norm2(e) * nc_norm2(f)); // then n is rounding
    if (!any && s > 0 && s < n2 && t > 0 && t < n2)
        return on_plane(w[0], n);
    // Otherwise the nearest point is on a side that faces it: at most one of two opposite ones.
    nc_vec3 best = {INFINITY, INFINITY, INFINITY};
    if (any || !(s > 0))
        best = on_segment(w[0], f);
    if (any || !(s < n2))
        best = shorter(on_segment(w[2], nc_sub(w[3], w[2])), best);
    if (any || !(t > 0))
        best = shorter(on_segment(w[0], e), best);
    if (any || !(t < n2))
        best = shorter(on_segment(w[1], nc_sub(w[3], w[1])), best);
    return best;
}

nc_vec3 nc_hull_nearest(nc_hull_kind kind, const nc_vec3 *w)
{
    return kind == NC_HULL_TRIANGLE ? on_triangle(w) : on_parallelogram(w);
}
