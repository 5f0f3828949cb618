// Numbers of two doubles: hi + lo, unevaluated, |lo| <= ulp(hi) / 2 unless said otherwise.
//
// two_sum and two_product are exact (no rounding at all) while nothing overflows and the low part of a product
// does not underflow. They use plain IEEE additions and multiplications, so a fused multiply-add is neither needed
// nor allowed to sneak in: -ffp-contract=off sees to that, and where a build can fuse all the same, `rounded` does.
#ifndef NC_MATH_TWOFOLD_H
#define NC_MATH_TWOFOLD_H

typedef struct twofold {
    double hi, lo;
} twofold;

static inline twofold twofold_of(double hi, double lo)
{
    twofold r;
    r.hi = hi;
    r.lo = lo;
    return r;
}

// A product as a rounded double, also where the compiler would rather fuse it with the sum it goes into.
static inline double rounded(double product)
{
#ifdef __FMA__
    volatile double kept = product;
    return kept;
#else
    return product;
#endif
}

// a + b exactly, for |a| >= |b| or a = 0.
static inline twofold fast_two_sum(double a, double b)
{
    const double hi = a + b;
    return twofold_of(hi, b - (hi - a));
}

// a + b exactly.
static inline twofold two_sum(double a, double b)
{
    const double hi = a + b;
    const double b_part = hi - a;
    const double a_part = hi - b_part;
    return twofold_of(hi, (a - a_part) + (b - b_part));
}

// The upper 26 bits of a; the rest, a - upper, has 26 bits too. |a| < 2^996.
static inline double upper_half(double a)
{
    const double c = rounded(0x1.0000002p+27 * a);
    return c - (c - a);
}

// a b exactly. |a|, |b| < 2^996 and the product's last bit at least 2^-1074.
static inline twofold two_product(double a, double b)
{
    const double hi = rounded(a * b);
    const double au = upper_half(a), bu = upper_half(b);
    const double al = a - au, bl = b - bu;
    return twofold_of(hi, ((au * bu - hi) + au * bl + al * bu) + al * bl);
}

// Sums, products and quotients of twofolds, with their errors (proved in docs/theory/arithmetic.md):
// sum 2^-104 (|a| + |b|), product 2^-102 |a b|, product with a double 2^-104 |s a|, quotient 2^-101 |a / b|.
static inline twofold twofold_add(twofold a, twofold b)
{
    const twofold high = two_sum(a.hi, b.hi), low = two_sum(a.lo, b.lo);
    const twofold s = fast_two_sum(high.hi, high.lo + low.hi);
    return fast_two_sum(s.hi, s.lo + low.lo);
}

static inline twofold twofold_negate(twofold a)
{
    return twofold_of(-a.hi, -a.lo);
}

static inline twofold twofold_subtract(twofold a, twofold b)
{
    return twofold_add(a, twofold_negate(b));
}

static inline twofold twofold_multiply(twofold a, twofold b)
{
    const twofold p = two_product(a.hi, b.hi);
    return fast_two_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

static inline twofold twofold_scale(double s, twofold a)
{
    const twofold p = two_product(s, a.hi);
    return fast_two_sum(p.hi, p.lo + s * a.lo);
}

static inline twofold twofold_divide(twofold a, twofold b)
{
    const double q = a.hi / b.hi;
    const twofold rest = twofold_subtract(a, twofold_scale(q, b));
    return fast_two_sum(q, rest.hi / b.hi);
}

#endif
