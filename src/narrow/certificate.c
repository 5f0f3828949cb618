// The certificate: one idea decides, at every level, that things stay apart. Proofs: docs/theory/detection.md.
//
// Each function computes the three Bernstein coefficients of n(s).w(s) for the worst w, takes off a bound on all
// rounding, and divides by the length of n.
#include "narrow/narrow.h"

// In units of u, times |n|_1 times size: the theory page counts 14 for points and 19 for boxes. Underflow adds less
// than ABSOLUTE. Up to LARGEST no product overflows, so there is no NaN to be lost in a minimum.
#define ROUNDING 24.0
#define ABSOLUTE 1e-300
#define LARGEST  1e120
#define SHORTEST 1e-140 // of n: squares of much shorter ones underflow, and their length is not known

static double least(double a, double b)
{
    return b < a ? b : a;
}

static double norm1(nc_vec3 v)
{
    return fabs(v.x) + fabs(v.y) + fabs(v.z);
}

// From the least coefficient to a distance, rounded down.
static double finish(double coefficient, nc_vec3 n_a, nc_vec3 n_b, double size)
{
    if (!(coefficient > 0))
        return -1.0;
    const double a1 = norm1(n_a), b1 = norm1(n_b);
    if (!(a1 <= LARGEST && b1 <= LARGEST && size <= LARGEST))
        return -1.0;
    const double safe = coefficient - ROUNDING * NC_UNIT_ROUNDOFF * (a1 > b1 ? a1 : b1) * size - ABSOLUTE;
    if (!(safe > 0))
        return -1.0;
    const double a2 = nc_norm2(n_a), b2 = nc_norm2(n_b), longest2 = a2 > b2 ? a2 : b2;
    if (!(longest2 > SHORTEST * SHORTEST))
        return -1.0;
    const double length = sqrt(longest2) * (1.0 + 8.0 * NC_UNIT_ROUNDOFF);
    return safe / length * (1.0 - 8.0 * NC_UNIT_ROUNDOFF);
}

// The coefficients of one point: first, twice the middle, last.
typedef struct coefficients {
    double first, middle, last;
} coefficients;

static coefficients of_point(nc_vec3 from, nc_vec3 to, nc_vec3 n_a, nc_vec3 n_b)
{
    coefficients c = {nc_dot(n_a, from), nc_dot(n_a, to) + nc_dot(n_b, from), nc_dot(n_b, to)};
    return c;
}

double nc_certificate_bound(nc_points a, nc_points b, nc_vec3 n_a, nc_vec3 n_b, double size)
{
    coefficients low = of_point(a.from[0], a.to[0], n_a, n_b), high = of_point(b.from[0], b.to[0], n_a, n_b);
    for (int i = 1; i < a.count; i++) {
        const coefficients c = of_point(a.from[i], a.to[i], n_a, n_b);
        low = (coefficients){least(low.first, c.first), least(low.middle, c.middle), least(low.last, c.last)};
    }
    for (int i = 1; i < b.count; i++) {
        const coefficients c = of_point(b.from[i], b.to[i], n_a, n_b);
        high =
            (coefficients){-least(-high.first, -c.first), -least(-high.middle, -c.middle), -least(-high.last, -c.last)};
    }
    const double ends = least(low.first - high.first, low.last - high.last);
    return finish(least(ends, 0.5 * (low.middle - high.middle)), n_a, n_b, size);
}

// With B at the origin there is nothing to take off, and the coefficients of the two directions share their products.
// For the direction that stays, the middle coefficient lies between the ends, however it is rounded.
double nc_certificate_bound_hull(nc_points hull, nc_vec3 n_a, nc_vec3 n_b, double size, double enough)
{
    double first = nc_dot(n_a, hull.from[0]), stays = nc_dot(n_a, hull.to[0]);
    double middle = stays + nc_dot(n_b, hull.from[0]), last = nc_dot(n_b, hull.to[0]);
    for (int i = 1; i < hull.count; i++) {
        const double to = nc_dot(n_a, hull.to[i]);
        first = least(first, nc_dot(n_a, hull.from[i]));
        stays = least(stays, to);
        middle = least(middle, to + nc_dot(n_b, hull.from[i]));
        last = least(last, nc_dot(n_b, hull.to[i]));
    }
    const double turning = finish(least(least(first, last), 0.5 * middle), n_a, n_b, size);
    if (turning > enough)
        return turning;
    const double still = finish(least(first, stays), n_a, n_a, size);
    return still > turning ? still : turning;
}

// What a box takes off each coefficient of its centre.
static coefficients of_axes(const nc_moving_box *box, nc_vec3 n_a, nc_vec3 n_b)
{
    coefficients c = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        const coefficients axis = of_point(box->axis_from[k], box->axis_to[k], n_a, n_b);
        c.first += fabs(axis.first);
        c.middle += fabs(axis.middle);
        c.last += fabs(axis.last);
    }
    return c;
}

double nc_certificate_bound_boxes(const nc_moving_box *a, const nc_moving_box *b, nc_vec3 center_from,
                                  nc_vec3 center_to, nc_vec3 n_a, nc_vec3 n_b, double size)
{
    const coefficients c = of_point(center_from, center_to, n_a, n_b);
    const coefficients in_a = of_axes(a, n_a, n_b), in_b = of_axes(b, n_a, n_b);
    const double ends = least(c.first - in_a.first - in_b.first, c.last - in_a.last - in_b.last);
    return finish(least(ends, 0.5 * (c.middle - in_a.middle - in_b.middle)), n_a, n_b, size);
}
