// Sine and cosine: one exact range reduction for every angle, then Taylor series in one and a half times double
// precision. Bounds and their proof: docs/theory/arithmetic.md, "Sine and cosine".
#include "math/math.h"
#include "math/twofold.h"

// 2/pi = sum of limb[i + 3] 2^(-32 (i + 1)); the three zeros in front let small angles use the same window.
static const uint32_t two_over_pi[44] = {
    0,          0,          0,          0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041,
    0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5,
    0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7,
    0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20, 0x9af4361d, 0xa9e39161,
};

static const twofold half_pi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

#define WINDOW 8

// angle 2/pi modulo 2^32 in fixed point: limb i counts units of 2^(-32 i). angle >= 1/2; error below 2^-139.
static void quarter_turns(double angle, uint32_t out[WINDOW])
{
    int exponent;
    const uint64_t mantissa = (uint64_t)ldexp(frexp(angle, &exponent), 53);
    const int place = exponent - 53 + 64; // angle = mantissa 2^(place - 64), place >= 11
    const int first = place / 32, shift = place % 32;
    const uint64_t low = mantissa << shift;
    const uint32_t factor[3] = {(uint32_t)low, (uint32_t)(low >> 32),
                                shift == 0 ? 0 : (uint32_t)(mantissa >> (64 - shift))};
    for (int i = 0; i < WINDOW; i++)
        out[i] = 0;
    for (int a = 0; a < 3; a++) {
        uint64_t carry = 0;
        for (int i = WINDOW - 1 - a; i >= 0; i--) {
            carry += (uint64_t)factor[a] * two_over_pi[first + i + a] + out[i];
            out[i] = (uint32_t)carry;
            carry >>= 32;
        }
    }
}

// The value of limbs 1 .. WINDOW - 1 as a twofold: the sum from the small end gives hi, what hi leaves over gives lo.
static twofold fraction(const uint32_t limbs[WINDOW])
{
    static const double weight[WINDOW] = {1, 0x1p-32, 0x1p-64, 0x1p-96, 0x1p-128, 0x1p-160, 0x1p-192, 0x1p-224};
    double term[WINDOW], hi = 0;
    for (int i = WINDOW - 1; i >= 1; i--) {
        term[i] = limbs[i] * weight[i];
        hi += term[i];
    }
    double lo = -hi;
    for (int i = 1; i < WINDOW; i++)
        lo += term[i];
    return twofold_of(hi, lo);
}

// angle = quadrant pi/2 + result, |result| <= pi/4 (1 + 2^-50), for angle >= 1/2.
static twofold reduce(double angle, int *quadrant)
{
    uint32_t turns[WINDOW];
    quarter_turns(angle, turns);
    const bool above = turns[1] >> 31; // the nearest quarter turn is the next one
    *quadrant = (int)((turns[0] + above) & 3U);
    if (above)
        for (int i = 1; i < WINDOW; i++)
            turns[i] = ~turns[i];
    const twofold r = twofold_multiply(fraction(turns), half_pi);
    return above ? twofold_negate(r) : r;
}

// sin(r) = r + r z (-1/3! + z / 5! - ...), z = r^2. Only the tail from z / 5! on is in plain doubles.
static double sine_series(twofold r, twofold z)
{
    static const twofold third = {-0x1.5555555555555p-3, -0x1.5555555555555p-57};
    const double t = z.hi;
    double p = 0x1.952c77030ad4ap-49; // 1/17!
    p = p * t - 0x1.ae7f3e733b81fp-41;
    p = p * t + 0x1.6124613a86d09p-33;
    p = p * t - 0x1.ae64567f544e4p-26;
    p = p * t + 0x1.71de3a556c734p-19;
    p = p * t - 0x1.a01a01a01a01ap-13;
    p = p * t + 0x1.1111111111111p-7; // 1/5!
    const twofold head = two_sum(third.hi, p * t);
    const twofold factor = fast_two_sum(head.hi, head.lo + third.lo);
    const twofold s = twofold_multiply(twofold_multiply(r, z), factor);
    const twofold sum = fast_two_sum(r.hi, s.hi);
    return sum.hi + (sum.lo + (r.lo + s.lo));
}

// cos(r) = 1 - z / 2 + z^2 (1/4! - z / 6! + ...). Only the tail from z / 6! on is in plain doubles.
static double cosine_series(twofold z)
{
    static const twofold fourth = {0x1.5555555555555p-5, 0x1.5555555555555p-59};
    const double t = z.hi;
    double p = -0x1.6827863b97d97p-53; // 1/18!
    p = p * t + 0x1.ae7f3e733b81fp-45;
    p = p * t - 0x1.93974a8c07c9dp-37;
    p = p * t + 0x1.1eed8eff8d898p-29;
    p = p * t - 0x1.27e4fb7789f5cp-22;
    p = p * t + 0x1.a01a01a01a01ap-16;
    p = p * t - 0x1.6c16c16c16c17p-10; // 1/6!
    const twofold head = two_sum(fourth.hi, p * t);
    const twofold factor = fast_two_sum(head.hi, head.lo + fourth.lo);
    const twofold c = twofold_multiply(twofold_multiply(z, z), factor);
    const twofold sum = twofold_add(fast_two_sum(1.0, -0.5 * z.hi), twofold_of(c.hi, c.lo - 0.5 * z.lo));
    return sum.hi + sum.lo;
}

void nc_sincos(double angle, double *sine, double *cosine)
{
    const double size = fabs(angle);
    if (!(size <= 0x1.fffffffffffffp+1023)) {
        *sine = *cosine = NAN;
        return;
    }
    if (size < 0x1p-28) {
        *sine = angle;
        *cosine = 1.0;
        return;
    }
    int quadrant = 0;
    const twofold r = size <= 0.75 ? twofold_of(size, 0) : reduce(size, &quadrant);
    const twofold z = twofold_multiply(r, r);
    const double s = sine_series(r, z), c = cosine_series(z);
    const double sin_size = (quadrant & 1) ? c : s, cos_size = (quadrant & 1) ? s : c;
    *sine = ((quadrant & 2) != 0) != (angle < 0) ? -sin_size : sin_size;
    *cosine = quadrant == 1 || quadrant == 2 ? -cos_size : cos_size;
}
