// Decimal text to double, correctly rounded and the same in every locale.
//
// A number is m x 10^e. When m has at most 19 digits and e is small, integers give the answer:
//   m <= 2^53 and |e| <= 22     m and 10^|e| are doubles, so one multiplication or division rounds once (Clinger)
//   -21 <= e < 0                a 128-bit quotient with its remainder, rounded half to even
// Everything else goes to the C library's strtod, which rounds correctly too, only slower.
#include "io/file.h"

#include <math.h>
#include <stdlib.h>

bool nc_c_locale_enter(nc_c_locale *state)
{
    state->c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (state->c == (locale_t)0)
        return false;
    state->before = uselocale(state->c);
    return true;
}

void nc_c_locale_leave(nc_c_locale *state)
{
    uselocale(state->before);
    freelocale(state->c);
}

typedef struct decimal {
    bool negative;
    uint64_t digits; // the first 19 significant ones
    int digit_count; // significant ones seen, capped
    int exponent;    // of the last digit kept
    const char *end;
} decimal;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void add_digit(decimal *number, char c, bool after_point)
{
    if (number->digit_count < 19)
        number->digits = number->digits * 10 + (uint64_t)(c - '0');
    number->exponent -= after_point && number->digit_count < 19;
    // leading zeros are not significant; the count stops where it no longer matters
    if ((number->digits != 0 || number->digit_count > 0) && number->digit_count < 1000)
        number->digit_count++;
}

// The exponent after 'e', when there is one; large ones are capped, strtod will see the whole text.
static const char *scan_exponent(const char *at, int *exponent)
{
    if (*at != 'e' && *at != 'E')
        return at;
    const char *digits = at + 1;
    const bool negative = *digits == '-';
    digits += *digits == '-' || *digits == '+';
    if (!is_digit(*digits))
        return at;
    int value = 0;
    for (; is_digit(*digits); digits++)
        value = value < 100000 ? value * 10 + (*digits - '0') : value;
    *exponent += negative ? -value : value;
    return digits;
}

static bool scan_decimal(const char *at, decimal *number)
{
    number->negative = *at == '-';
    at += *at == '-' || *at == '+';
    const char *first = at;
    for (; is_digit(*at); at++)
        add_digit(number, *at, false);
    long count = at - first;
    if (*at == '.') {
        const char *fraction = ++at;
        for (; is_digit(*at); at++)
            add_digit(number, *at, true);
        count += at - fraction;
    }
    if (count == 0)
        return false;
    number->end = scan_exponent(at, &number->exponent);
    return true;
}

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 wide;

static int leading_zeros(uint64_t x)
{
    int count = 0;
    for (uint64_t bit = (uint64_t)1 << 63; bit != 0 && (x & bit) == 0; bit >>= 1)
        count++;
    return count;
}

// m / 10^k for 0 < m < 10^19, 0 < k <= 21: the quotient has at least 55 bits, and the remainder breaks ties.
static double divide_by_power(uint64_t m, int k)
{
    wide power = 1;
    for (int i = 0; i < k; i++)
        power *= 10;
    const int shift = 64 + leading_zeros(m);
    const wide numerator = (wide)m << shift, quotient = numerator / power;
    const bool inexact = quotient * power != numerator;
    const uint64_t high = (uint64_t)(quotient >> 64);
    const int bits = high != 0 ? 128 - leading_zeros(high) : 64 - leading_zeros((uint64_t)quotient);
    // one bit below the last place, and one that says whether anything non-zero is below that
    const int cut = bits - 55;
    uint64_t top = (uint64_t)(quotient >> cut);
    const bool rest = inexact || (quotient & (((wide)1 << cut) - 1)) != 0;
    top |= rest;
    uint64_t rounded = top >> 2;
    const uint64_t tail = top & 3;
    rounded += tail == 3 || (tail == 2 && (rounded & 1));
    return ldexp((double)rounded, cut + 2 - shift);
}
#endif

static bool convert_fast(const decimal *number, double *out)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (number->digit_count > 19)
        return false;
    if (number->digits == 0) {
        *out = 0;
        return true;
    }
    const int e = number->exponent;
    if (number->digits <= (uint64_t)1 << 53 && e >= -22 && e <= 22) {
        const double m = (double)number->digits;
        *out = e < 0 ? m / powers[-e] : m * powers[e];
        return true;
    }
#ifdef __SIZEOF_INT128__
    if (e < 0 && e >= -21) {
        *out = divide_by_power(number->digits, -e);
        return true;
    }
#endif
    return false;
}

const char *nc_number_scan(const char *text, double *out)
{
    decimal number = {0};
    if (!scan_decimal(text, &number))
        return NULL;
    double size = 0;
    if (!convert_fast(&number, &size)) {
        // "0x10" cannot get here: its '0' is a number that ends before the 'x'
        *out = strtod(text, NULL);
        return number.end;
    }
    *out = number.negative ? -size : size;
    return number.end;
}
