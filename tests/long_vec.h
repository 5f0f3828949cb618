// Vectors in long double: oracles for what is computed in doubles.
#ifndef NC_TESTS_LONG_VEC_H
#define NC_TESTS_LONG_VEC_H

#include "nacre/vec.h"

#include <math.h>

typedef struct lvec {
    long double x, y, z;
} lvec;

static inline lvec widen(nc_vec3 v)
{
    return (lvec){v.x, v.y, v.z};
}

// a + s b
static inline lvec ladd(lvec a, long double s, lvec b)
{
    return (lvec){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline long double ldot(lvec a, lvec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline long double ldistance(lvec a, lvec b)
{
    const lvec d = ladd(a, -1, b);
    return sqrtl(ldot(d, d));
}

static inline lvec lcross(lvec a, lvec b)
{
    return (lvec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// Rodrigues' formula: p turned by h |v| about v.
static inline lvec lturn(nc_vec3 v, long double h, lvec p)
{
    const lvec w = widen(v);
    const long double length = sqrtl(ldot(w, w));
    if (length == 0)
        return p;
    const lvec k = {w.x / length, w.y / length, w.z / length};
    const long double c = cosl(h * length), s = sinl(h * length);
    const lvec turned = ladd((lvec){c * p.x, c * p.y, c * p.z}, s, lcross(k, p));
    return ladd(turned, (1 - c) * ldot(k, p), k);
}

#endif
