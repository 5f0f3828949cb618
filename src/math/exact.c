// Whole numbers of many 32-bit limbs, least limb first, sign apart.
#include "math/exact.h"

#include <string.h>

// |a| = mantissa 2^exponent, read off the bits; exponent >= -1074.
static uint64_t take_apart(double a, int *exponent)
{
    const uint64_t bits = nc_double_bits(a);
    const int field = (int)(bits >> 52 & 0x7ff);
    const uint64_t fraction = bits & UINT64_C(0xfffffffffffff);
    *exponent = (field == 0 ? 1 : field) - 1075;
    return field == 0 ? fraction : fraction | UINT64_C(0x10000000000000);
}

int nc_whole_unit(const double *values, int count)
{
    int least = 0;
    bool found = false;
    for (int i = 0; i < count; i++) {
        int exponent;
        if (take_apart(values[i], &exponent) != 0 && (!found || exponent < least)) {
            least = exponent;
            found = true;
        }
    }
    return least;
}

static void trim(nc_whole *a)
{
    while (a->count > 0 && a->limb[a->count - 1] == 0)
        a->count--;
    if (a->count == 0)
        a->sign = 0;
}

void nc_whole_set(nc_whole *out, double a, int unit)
{
    out->sign = a > 0 ? 1 : -1;
    out->count = 0;
    int exponent;
    const uint64_t mantissa = take_apart(a, &exponent);
    if (mantissa != 0) {
        const int place = exponent - unit, first = place / 32, shift = place % 32;
        const uint64_t low = mantissa << shift;
        memset(out->limb, 0, (size_t)first * sizeof out->limb[0]);
        out->limb[first] = (uint32_t)low;
        out->limb[first + 1] = (uint32_t)(low >> 32);
        out->limb[first + 2] = shift == 0 ? 0 : (uint32_t)(mantissa >> (64 - shift));
        out->count = first + 3;
    }
    trim(out);
}

// The sign of |a| - |b|.
static int compare_size(const nc_whole *a, const nc_whole *b)
{
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (int i = a->count - 1; i >= 0; i--)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

// |a| + |b| for |a| having at least as many limbs.
static void add_sizes(nc_whole *out, const nc_whole *a, const nc_whole *b)
{
    uint64_t carry = 0;
    for (int i = 0; i < a->count; i++) {
        carry += (uint64_t)a->limb[i] + (i < b->count ? b->limb[i] : 0);
        out->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    out->limb[a->count] = (uint32_t)carry;
    out->count = a->count + 1;
}

// |a| - |b| for |a| >= |b|.
static void subtract_sizes(nc_whole *out, const nc_whole *a, const nc_whole *b)
{
    uint32_t borrow = 0;
    for (int i = 0; i < a->count; i++) {
        const uint64_t taken = (uint64_t)(i < b->count ? b->limb[i] : 0) + borrow;
        borrow = a->limb[i] < taken;
        out->limb[i] = (uint32_t)(a->limb[i] - taken);
    }
    out->count = a->count;
}

void nc_whole_subtract(nc_whole *out, const nc_whole *a, const nc_whole *b)
{
    const int order = compare_size(a, b);
    const nc_whole *large = order < 0 ? b : a, *small = order < 0 ? a : b;
    out->sign = order < 0 ? -b->sign : a->sign;
    if (a->sign * b->sign < 0)
        add_sizes(out, large, small);
    else
        subtract_sizes(out, large, small);
    trim(out);
}

void nc_whole_multiply(nc_whole *out, const nc_whole *a, const nc_whole *b)
{
    out->sign = a->sign * b->sign;
    out->count = a->count + b->count;
    if (out->sign == 0)
        out->count = 0;
    memset(out->limb, 0, (size_t)out->count * sizeof out->limb[0]);
    for (int i = 0; i < a->count && out->count > 0; i++) {
        if (a->limb[i] == 0)
            continue;
        uint64_t carry = 0;
        for (int j = 0; j < b->count; j++) {
            carry += (uint64_t)a->limb[i] * b->limb[j] + out->limb[i + j];
            out->limb[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
        out->limb[i + b->count] = (uint32_t)carry;
    }
    trim(out);
}
