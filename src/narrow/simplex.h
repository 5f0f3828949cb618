// The point of a simplex nearest the origin (the inner step of GJK: Gilbert, Johnson and Keerthi 1988; regions of a
// triangle as in Ericson 2005, 5.1). Nothing here proves anything: rounding costs steps, never safety.
#ifndef NC_NARROW_SIMPLEX_H
#define NC_NARROW_SIMPLEX_H

#include "nacre/vec.h"

#define NC_SIMPLEX_INLINE static inline __attribute__((always_inline))

// Up to four points [m]. Finding the nearest point leaves those that carry it.
typedef struct nc_simplex {
    int count;
    nc_vec3 p[4];
} nc_simplex;

NC_SIMPLEX_INLINE nc_vec3 nc_simplex_keep_one(nc_simplex *s, nc_vec3 a)
{
    s->count = 1;
    s->p[0] = a;
    return a;
}

NC_SIMPLEX_INLINE nc_vec3 nc_simplex_keep_two(nc_simplex *s, nc_vec3 a, nc_vec3 b, double part)
{
    s->count = 2;
    s->p[0] = a;
    s->p[1] = b;
    return nc_madd(a, part, nc_sub(b, a));
}

NC_SIMPLEX_INLINE nc_vec3 nc_simplex_segment(nc_simplex *s, nc_vec3 a, nc_vec3 b)
{
    const nc_vec3 d = nc_sub(b, a);
    const double along = -nc_dot(a, d), length2 = nc_norm2(d);
    if (!(along > 0))
        return nc_simplex_keep_one(s, a);
    return along < length2 ? nc_simplex_keep_two(s, a, b, along / length2) : nc_simplex_keep_one(s, b);
}

NC_SIMPLEX_INLINE nc_vec3 nc_simplex_triangle(nc_simplex *s, nc_vec3 a, nc_vec3 b, nc_vec3 c)
{
    const nc_vec3 ab = nc_sub(b, a), ac = nc_sub(c, a);
    const double d1 = -nc_dot(ab, a), d2 = -nc_dot(ac, a), d3 = -nc_dot(ab, b), d4 = -nc_dot(ac, b);
    const double d5 = -nc_dot(ab, c), d6 = -nc_dot(ac, c);
    const double vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
    if (d1 <= 0 && d2 <= 0)
        return nc_simplex_keep_one(s, a);
    if (d3 >= 0 && d4 <= d3)
        return nc_simplex_keep_one(s, b);
    if (vc <= 0 && d1 >= 0 && d3 <= 0)
        return nc_simplex_keep_two(s, a, b, d1 / (d1 - d3));
    if (d6 >= 0 && d5 <= d6)
        return nc_simplex_keep_one(s, c);
    if (vb <= 0 && d2 >= 0 && d6 <= 0)
        return nc_simplex_keep_two(s, a, c, d2 / (d2 - d6));
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
        return nc_simplex_keep_two(s, b, c, (d4 - d3) / ((d4 - d3) + (d5 - d6)));
    const double inv = 1.0 / (va + vb + vc);
    s->count = 3;
    s->p[0] = a;
    s->p[1] = b;
    s->p[2] = c;
    return nc_madd(nc_madd(a, vb * inv, ab), vc * inv, ac);
}

// The nearest of the faces that have the origin on their outer side; the origin itself where none has (count stays 4).
NC_SIMPLEX_INLINE nc_vec3 nc_simplex_tetrahedron(nc_simplex *s)
{
    static const int face[4][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {1, 3, 2, 0}}; // three corners, the other
    const nc_simplex whole = *s;
    nc_vec3 best = nc_v3(0, 0, 0);
    double least = INFINITY;
    for (int k = 0; k < 4; k++) {
        const nc_vec3 a = whole.p[face[k][0]], b = whole.p[face[k][1]], c = whole.p[face[k][2]];
        const nc_vec3 n = nc_cross(nc_sub(b, a), nc_sub(c, a));
        const double inner = nc_dot(n, nc_sub(whole.p[face[k][3]], a)), origin = -nc_dot(n, a);
        if (inner * origin > 0)
            continue;
        nc_simplex of_face;
        const nc_vec3 v = nc_simplex_triangle(&of_face, a, b, c);
        if (nc_norm2(v) < least) {
            least = nc_norm2(v);
            best = v;
            *s = of_face;
        }
    }
    return best;
}

NC_SIMPLEX_INLINE nc_vec3 nc_simplex_nearest(nc_simplex *s)
{
    switch (s->count) {
    case 1:
        return s->p[0];
    case 2:
        return nc_simplex_segment(s, s->p[0], s->p[1]);
    case 3:
        return nc_simplex_triangle(s, s->p[0], s->p[1], s->p[2]);
    default:
        return nc_simplex_tetrahedron(s);
    }
}

#endif
