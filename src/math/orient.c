// Exact signs of determinants of coordinate differences, in three stages that each either prove the sign or pass on:
//   1  plain doubles with an error bound                               (a few nanoseconds; nearly all calls)
//   2  differences as exact two-term expansions, twofold arithmetic    (rounding 2^-46 times smaller)
//   3  whole numbers: no rounding                                      (also what is exactly degenerate)
// The bounds below are proved in docs/theory/arithmetic.md, "Predicates". Comparisons that accept a sign are false
// when anything overflowed to infinity or NaN.
#include "math/exact.h"
#include "math/math.h"
#include "math/twofold.h"

// Stage 1. |computed - true| <= BOUND x permanent when no product was damaged by underflow: the permanent is at
// least 2^-700 and no factor that multiplies a damaged product exceeds 2^300.
#define PLAIN_BOUND_3D 0x1.1p-50 // 8.5 u
#define PLAIN_BOUND_2D 0x1.1p-51 // 4.25 u
#define MIN_PERMANENT  0x1p-700
#define LARGEST_FACTOR 0x1p+300

// Stage 2. Holds for coordinates that are 0 or in [2^-300, 2^300]: then all products of three are far from the ends
// of the range of doubles.
#define TWOFOLD_BOUND    0x1p-94
#define TWOFOLD_SMALLEST 0x1p-300
#define TWOFOLD_LARGEST  0x1p+300

static int sign_of(double a)
{
    return (a > 0) - (a < 0);
}

static bool in_twofold_range(const double *values, int count)
{
    for (int i = 0; i < count; i++) {
        const double size = fabs(values[i]);
        if (size != 0 && !(size >= TWOFOLD_SMALLEST && size <= TWOFOLD_LARGEST))
            return false;
    }
    return true;
}

// a b - c d
static twofold twofold_minor(twofold a, twofold b, twofold c, twofold d)
{
    return twofold_subtract(twofold_multiply(a, b), twofold_multiply(c, d));
}

// ---- three dimensions; p holds a, b, c, d --------------------------------------------------------------------

// Rows a - d, b - d, c - d; p has the 12 coordinates of a, b, c, d.
static bool twofold_orient3d(const double p[12], double permanent, int *sign)
{
    twofold m[3][3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            m[i][k] = two_sum(p[3 * i + k], -p[9 + k]);
    twofold sum = twofold_of(0, 0);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, l = (i + 2) % 3;
        const twofold minor = twofold_minor(m[j][1], m[l][2], m[j][2], m[l][1]);
        sum = twofold_add(sum, twofold_multiply(m[i][0], minor));
    }
    *sign = sign_of(sum.hi);
    return fabs(sum.hi) > TWOFOLD_BOUND * permanent;
}

// out = a b - c d
static void whole_minor(nc_whole *out, const nc_whole *a, const nc_whole *b, const nc_whole *c, const nc_whole *d)
{
    nc_whole ab, cd;
    nc_whole_multiply(&ab, a, b);
    nc_whole_multiply(&cd, c, d);
    nc_whole_subtract(out, &ab, &cd);
}

// out[k] = (p[k] - q[k]) / 2^unit for the coordinates of two points
static void whole_differences(nc_whole *out, const double *p, const double *q, int count, int unit)
{
    nc_whole a, b;
    for (int k = 0; k < count; k++) {
        nc_whole_set(&a, p[k], unit);
        nc_whole_set(&b, q[k], unit);
        nc_whole_subtract(&out[k], &a, &b);
    }
}

static int whole_orient3d(const double p[12])
{
    const int unit = nc_whole_unit(p, 12);
    nc_whole m[3][3], term[3], minor, two_terms, sum;
    for (int i = 0; i < 3; i++)
        whole_differences(m[i], p + 3 * i, p + 9, 3, unit);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, l = (i + 2) % 3;
        whole_minor(&minor, &m[j][1], &m[l][2], &m[j][2], &m[l][1]);
        nc_whole_multiply(&term[i], &m[i][0], &minor);
    }
    term[1].sign = -term[1].sign; // t0 - (-t1) - (-t2)
    term[2].sign = -term[2].sign;
    nc_whole_subtract(&two_terms, &term[0], &term[1]);
    nc_whole_subtract(&sum, &two_terms, &term[2]);
    return sum.sign;
}

int nc_orient3d(nc_vec3 a, nc_vec3 b, nc_vec3 c, nc_vec3 d)
{
    const nc_vec3 ad = nc_sub(a, d), bd = nc_sub(b, d), cd = nc_sub(c, d);
    const double bycz = bd.y * cd.z, bzcy = bd.z * cd.y, cyaz = cd.y * ad.z, czay = cd.z * ad.y;
    const double aybz = ad.y * bd.z, azby = ad.z * bd.y;
    const double det = ad.x * (bycz - bzcy) + bd.x * (cyaz - czay) + cd.x * (aybz - azby);
    const double permanent = fabs(ad.x) * (fabs(bycz) + fabs(bzcy)) + fabs(bd.x) * (fabs(cyaz) + fabs(czay)) +
                             fabs(cd.x) * (fabs(aybz) + fabs(azby));
    if (fabs(det) > PLAIN_BOUND_3D * permanent && permanent >= MIN_PERMANENT &&
        fabs(ad.x) + fabs(bd.x) + fabs(cd.x) <= LARGEST_FACTOR)
        return sign_of(det);
    const double p[12] = {a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z, d.x, d.y, d.z};
    int sign;
    if (in_twofold_range(p, 12) && twofold_orient3d(p, permanent, &sign))
        return sign;
    return whole_orient3d(p);
}

// ---- two dimensions; p holds the six coordinates of a, b, c ---------------------------------------------------

static bool twofold_orient2d(const double p[6], double permanent, int *sign)
{
    const twofold au = two_sum(p[0], -p[4]), av = two_sum(p[1], -p[5]);
    const twofold bu = two_sum(p[2], -p[4]), bv = two_sum(p[3], -p[5]);
    const twofold det = twofold_minor(au, bv, av, bu);
    *sign = sign_of(det.hi);
    return fabs(det.hi) > TWOFOLD_BOUND * permanent;
}

static int whole_orient2d(const double p[6])
{
    const int unit = nc_whole_unit(p, 6);
    nc_whole a[2], b[2], det;
    whole_differences(a, p, p + 4, 2, unit);
    whole_differences(b, p + 2, p + 4, 2, unit);
    whole_minor(&det, &a[0], &b[1], &a[1], &b[0]);
    return det.sign;
}

// The coordinate of a vector by number, counted on from `drop`.
static double coordinate(nc_vec3 a, int number)
{
    const double values[3] = {a.x, a.y, a.z};
    return values[number % 3];
}

int nc_orient2d(nc_vec3 a, nc_vec3 b, nc_vec3 c, int drop)
{
    const double p[6] = {coordinate(a, drop + 1), coordinate(a, drop + 2), coordinate(b, drop + 1),
                         coordinate(b, drop + 2), coordinate(c, drop + 1), coordinate(c, drop + 2)};
    const double left = (p[0] - p[4]) * (p[3] - p[5]), right = (p[1] - p[5]) * (p[2] - p[4]);
    const double det = left - right, permanent = fabs(left) + fabs(right);
    if (fabs(det) > PLAIN_BOUND_2D * permanent && permanent >= MIN_PERMANENT)
        return sign_of(det);
    int sign;
    if (in_twofold_range(p, 6) && twofold_orient2d(p, permanent, &sign))
        return sign;
    return whole_orient2d(p);
}
