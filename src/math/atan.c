// Arc tangent of two arguments and arc cosine, through one arc tangent of a quotient of twofolds.
// Bounds and their proof: docs/theory/arithmetic.md, "Arc tangent and arc cosine".
#include "math/math.h"
#include "math/twofold.h"

#include <string.h>

static const twofold pi = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
static const twofold half_pi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

// atan(i / 16)
static const twofold table[17] = {
    {0x0.0p+0, 0x0.0p+0},
    {0x1.ff55bb72cfdeap-5, -0x1.c934d86d23f1dp-60},
    {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
    {0x1.7b97b4bce5b02p-3, 0x1.347b0b4f881cap-58},
    {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
    {0x1.362773707ebccp-2, -0x1.963a544b672d8p-57},
    {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
    {0x1.a64eec3cc23fdp-2, -0x1.24dec1b50b7ffp-56},
    {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
    {0x1.0657e94db30d0p-1, -0x1.d5b495f6349e6p-56},
    {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
    {0x1.345f01cce37bbp-1, 0x1.1021137c71102p-55},
    {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
    {0x1.5d58987169b18p-1, 0x1.0028e4bc5e7cap-57},
    {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
    {0x1.819d0b7158a4dp-1, -0x1.bf76229d3b917p-56},
    {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
};

// atan(b / a) for 0 <= b <= a, 1/4 <= a <= 2: with c = i / 16 near b / a,
// atan(b / a) = atan(c) + atan(u), u = (b - c a) / (a + c b), |u| <= 1/31.
static twofold atan_quotient(twofold b, twofold a)
{
    const int i = (int)(16.0 * (b.hi / a.hi) + 0.5);
    const double c = i / 16.0;
    const twofold above = twofold_subtract(b, twofold_scale(c, a)), below = twofold_add(a, twofold_scale(c, b));
    const twofold u = twofold_divide(above, below);
    // atan(u) - u = u z (-1/3 + z / 5 - ...), z = u^2
    const double z = u.hi * u.hi;
    const double p = -1.0 / 3 + z * (1.0 / 5 + z * (-1.0 / 7 + z * (1.0 / 9 + z * (-1.0 / 11 + z * (1.0 / 13)))));
    const twofold atan_u = fast_two_sum(u.hi, u.lo + u.hi * z * p);
    return twofold_add(table[i], atan_u);
}

// The angle of the point (x, y), y >= 0, not both 0, the larger size in [1/4, 2]: in [0, pi].
static double angle_of(twofold y, twofold x)
{
    const bool left = x.hi < 0;
    const twofold width = left ? twofold_negate(x) : x;
    const bool steep = y.hi > width.hi || (y.hi == width.hi && y.lo > width.lo);
    twofold angle = steep ? twofold_subtract(half_pi, atan_quotient(width, y)) : atan_quotient(y, width);
    if (left)
        angle = twofold_subtract(pi, angle);
    return angle.hi + angle.lo;
}

// y >= 0, not NaN; x not NaN. The four corners where a quotient makes no sense or does not matter.
static double atan2_upper(double y, double x)
{
    if (y == 0)
        return signbit(x) ? pi.hi : 0.0;
    if (isinf(x) || isinf(y)) {
        if (!isinf(x))
            return half_pi.hi;
        if (!isinf(y))
            return x < 0 ? pi.hi : 0.0;
        return x < 0 ? 0x1.2d97c7f3321d2p+1 : 0x1.921fb54442d18p-1; // 3 pi / 4, pi / 4
    }
    int y_exponent, x_exponent = -4096;
    frexp(y, &y_exponent);
    if (x != 0)
        frexp(x, &x_exponent);
    if (y_exponent - x_exponent > 64)
        return half_pi.hi;
    if (x_exponent - y_exponent > 64)
        return x < 0 ? pi.hi : y / x;
    const int scale = y_exponent > x_exponent ? -y_exponent : -x_exponent;
    return angle_of(twofold_of(ldexp(y, scale), 0), twofold_of(ldexp(x, scale), 0));
}

double nc_atan2(double y, double x)
{
    if (isnan(y) || isnan(x))
        return NAN;
    return copysign(atan2_upper(fabs(y), x), y);
}

// The same reduction in doubles.
double nc_atan2_quick(double y, double x)
{
    const double height = fabs(y), width = fabs(x);
    const bool steep = height > width;
    const double a = steep ? height : width, b = steep ? width : height;
    if (!(b <= a && a < INFINITY))
        return NAN;
    if (a == 0)
        return 0;
    const int i = 32 * b < a ? 0 : (int)(16.0 * (b / a) + 0.5);
    const double c = i / 16.0, u = (b - c * a) / (a + c * b), z = u * u;
    const double p = -1.0 / 3 + z * (1.0 / 5 + z * (-1.0 / 7 + z * (1.0 / 9 + z * (-1.0 / 11 + z * (1.0 / 13)))));
    double angle = table[i].hi + (u + (table[i].lo + u * z * p));
    if (steep)
        angle = half_pi.hi - (angle - half_pi.lo);
    if (x < 0)
        angle = pi.hi - (angle - pi.lo);
    return y < 0 ? -angle : angle;
}

// ---- four at a time -----------------------------------------------------------------------------------------

typedef int lane_rows __attribute__((vector_size(16)));

// nc_atan2_quick, lane by lane. Lanes of NaN would look beyond the table: they are given its first row.
NC_INLINE void atan2_lanes(const double *ys, const double *xs, double *out)
{
    const nc_lanes y = nc_lanes_load(ys), x = nc_lanes_load(xs);
    const nc_lanes height = nc_lanes_abs(y), width = nc_lanes_abs(x);
    const nc_lane_mask steep = height > width;
    const nc_lanes a = nc_lanes_choose(steep, height, width), b = nc_lanes_choose(steep, width, height);
    const nc_lanes near = nc_lanes_all(16.0) * (b / a) + nc_lanes_all(0.5);
    const lane_rows i = __builtin_convertvector(
        nc_lanes_choose((nc_lanes_all(32) * b < a) | ~(near < nc_lanes_all(17)), nc_lanes_all(0), near), lane_rows);
    const nc_lanes c = __builtin_convertvector(i, nc_lanes) * nc_lanes_all(1 / 16.0), u = (b - c * a) / (a + c * b),
                   z = u * u;
    const nc_lanes p =
        nc_lanes_all(-1.0 / 3) +
        z * (nc_lanes_all(1.0 / 5) +
             z * (nc_lanes_all(-1.0 / 7) +
                  z * (nc_lanes_all(1.0 / 9) + z * (nc_lanes_all(-1.0 / 11) + z * nc_lanes_all(1.0 / 13)))));
    const nc_lanes hi = {table[i[0]].hi, table[i[1]].hi, table[i[2]].hi, table[i[3]].hi};
    const nc_lanes lo = {table[i[0]].lo, table[i[1]].lo, table[i[2]].lo, table[i[3]].lo};
    nc_lanes angle = hi + (u + (lo + u * z * p));
    angle = nc_lanes_choose(steep, nc_lanes_all(half_pi.hi) - (angle - nc_lanes_all(half_pi.lo)), angle);
    angle = nc_lanes_choose(x < nc_lanes_all(0), nc_lanes_all(pi.hi) - (angle - nc_lanes_all(pi.lo)), angle);
    angle = nc_lanes_choose(y < nc_lanes_all(0), -angle, angle);
    nc_lanes_store(out, angle);
}

NC_INLINE void atan2_all(const double *y, const double *x, double *out, int count)
{
    for (int i = 0; i < count; i += 4)
        atan2_lanes(y + i, x + i, out + i);
}

// Compiled twice where the machine may have wider registers than the compiler was told of; products are not fused, so
// both give the same bits.
#ifdef NC_AVX2
NC_AVX2 static void atan2_avx2(const double *y, const double *x, double *out, int count)
{
    atan2_all(y, x, out, count);
}
#endif

void nc_atan2_quick_many(const double *y, const double *x, double *out, int count)
{
#ifdef NC_AVX2
    if (nc_has_avx2()) {
        atan2_avx2(y, x, out, count);
        return;
    }
#endif
    atan2_all(y, x, out, count);
}

// ---- arc cosine ---------------------------------------------------------------------------------------------

// acos(c) = the angle of (c, sqrt((1 - c)(1 + c))); both factors are exact as twofolds.
double nc_acos(double c)
{
    if (!(fabs(c) <= 1.0))
        return NAN;
    const twofold square = twofold_multiply(two_sum(1.0, -c), two_sum(1.0, c));
    if (square.hi == 0)
        return c > 0 ? 0.0 : pi.hi;
    // one Newton step from the rounded root: s + (square - s^2) / (2 s)
    const double s = sqrt(square.hi);
    const twofold rest = twofold_subtract(square, two_product(s, s));
    return angle_of(fast_two_sum(s, rest.hi / (2.0 * s)), twofold_of(c, 0));
}
