// Numbers of scene text: decimals and rationals, the same in every locale.
#include "scene/node.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_NUMBER 200

static const char *skip_digits(const char *s)
{
    while (*s >= '0' && *s <= '9')
        s++;
    return s;
}

// The end of a decimal number at `s` (sign, digits, point, exponent), or NULL when there is none.
static const char *scan_decimal(const char *s)
{
    if (*s == '+' || *s == '-')
        s++;
    const char *whole = s;
    s = skip_digits(s);
    size_t digits = (size_t)(s - whole);
    if (*s == '.') {
        const char *part = ++s;
        s = skip_digits(s);
        digits += (size_t)(s - part);
    }
    if (digits == 0)
        return NULL;
    if (*s == 'e' || *s == 'E') {
        const char *power = s + 1;
        if (*power == '+' || *power == '-')
            power++;
        const char *end = skip_digits(power);
        return end > power ? end : NULL;
    }
    return s;
}

// strtod wants the locale's decimal point, scene text always has a dot.
static double convert(const char *begin, const char *end)
{
    char copy[LONGEST_NUMBER + 16];
    const char *point = localeconv()->decimal_point;
    size_t used = 0;
    for (const char *s = begin; s < end; s++) {
        if (*s != '.') {
            copy[used++] = *s;
            continue;
        }
        for (const char *p = point; *p != '\0' && p < point + 8; p++)
            copy[used++] = *p;
    }
    copy[used] = '\0';
    return strtod(copy, NULL);
}

bool nc_number_parse(const char *text, double *out)
{
    if (strlen(text) > LONGEST_NUMBER)
        return false;
    const char *end = scan_decimal(text);
    if (end == NULL)
        return false;
    double value = convert(text, end);
    if (*end == '/') {
        const char *below = end + 1;
        end = scan_decimal(below);
        if (end == NULL)
            return false;
        value /= convert(below, end);
    }
    if (*end != '\0' || !isfinite(value))
        return false;
    *out = value;
    return true;
}
