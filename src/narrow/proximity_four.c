// Four triangles of a mesh at a time, seen from a point: the arithmetic of nc_hull_nearest, of boxes and of the way on
// a surface, lane by lane, with the same bits.
#include "narrow/proximity.h"

#include "math/math.h"

typedef struct lanes3 {
    nc_lanes c[3];
} lanes3;

NC_INLINE lanes3 load3(const double from[3][NC_LANES])
{
    return (lanes3){{nc_lanes_load(from[0]), nc_lanes_load(from[1]), nc_lanes_load(from[2])}};
}

NC_INLINE lanes3 all3(nc_vec3 v)
{
    return (lanes3){{nc_lanes_all(v.x), nc_lanes_all(v.y), nc_lanes_all(v.z)}};
}

NC_INLINE lanes3 add3(lanes3 a, lanes3 b)
{
    return (lanes3){{a.c[0] + b.c[0], a.c[1] + b.c[1], a.c[2] + b.c[2]}};
}

NC_INLINE lanes3 sub3(lanes3 a, lanes3 b)
{
    return (lanes3){{a.c[0] - b.c[0], a.c[1] - b.c[1], a.c[2] - b.c[2]}};
}

NC_INLINE lanes3 scale3(nc_lanes s, lanes3 a)
{
    return (lanes3){{s * a.c[0], s * a.c[1], s * a.c[2]}};
}

NC_INLINE nc_lanes dot3(lanes3 a, lanes3 b)
{
    return nc_lanes_dot(a.c, b.c);
}

NC_INLINE lanes3 cross3(lanes3 a, lanes3 b)
{
    return (lanes3){
        {a.c[1] * b.c[2] - a.c[2] * b.c[1], a.c[2] * b.c[0] - a.c[0] * b.c[2], a.c[0] * b.c[1] - a.c[1] * b.c[0]}};
}

NC_INLINE lanes3 choose3(nc_lane_mask mask, lanes3 yes, lanes3 no)
{
    return (lanes3){{nc_lanes_choose(mask, yes.c[0], no.c[0]), nc_lanes_choose(mask, yes.c[1], no.c[1]),
                     nc_lanes_choose(mask, yes.c[2], no.c[2])}};
}

// The point of the segment p, p + d nearest the origin.
NC_INLINE lanes3 on_segment(lanes3 p, lanes3 d)
{
    const nc_lanes along = -dot3(p, d), length2 = dot3(d, d);
    const lanes3 inside = add3(p, scale3(along / length2, d));
    const lanes3 beyond_start = choose3(along < length2, inside, add3(p, d));
    return choose3(along > nc_lanes_all(0), beyond_start, p);
}

// Of those that face the origin, the shorter one; `best` where the side does not.
NC_INLINE lanes3 shorter(nc_lane_mask inside, lanes3 side, lanes3 best)
{
    const nc_lane_mask kept = inside | (dot3(best, best) < dot3(side, side));
    return choose3(kept, best, side);
}

// From the triangle's point nearest to q, to q: nc_hull_nearest of a triangle.
NC_INLINE lanes3 from_triangle(const nc_near_four *four, lanes3 q)
{
    const lanes3 w[3] = {sub3(q, load3(four->corner[0])), sub3(q, load3(four->corner[1])),
                         sub3(q, load3(four->corner[2]))};
    const lanes3 ab = sub3(w[1], w[0]), ac = sub3(w[2], w[0]), bc = sub3(w[2], w[1]), n = cross3(ab, ac);
    const nc_lanes zero = nc_lanes_all(0), infinite = nc_lanes_all(INFINITY);
    const nc_lane_mask inside_ab = dot3(cross3(ab, n), w[0]) > zero, inside_bc = dot3(cross3(bc, n), w[1]) > zero;
    const nc_lane_mask inside_ca = dot3(cross3(ac, n), w[2]) < zero;
    const lanes3 none = {{infinite, infinite, infinite}};
    lanes3 best = choose3(inside_ab, none, on_segment(w[0], ab));
    best = shorter(inside_bc, on_segment(w[1], bc), best);
    best = shorter(inside_ca, on_segment(w[0], ac), best);
    const lanes3 foot = scale3(dot3(w[0], n) / dot3(n, n), n);
    return choose3(inside_ab & inside_bc & inside_ca, foot, best);
}

NC_INLINE void store3(double to[3][NC_LANES], lanes3 v)
{
    for (int i = 0; i < 3; i++)
        nc_lanes_store(to[i], v.c[i]);
}

// Bit k for lane k of a mask.
NC_INLINE int bits_of(nc_lane_mask mask)
{
    return (int)((mask[0] & 1) | (mask[1] & 2) | (mask[2] & 4) | (mask[3] & 8));
}

NC_INLINE nc_lanes positive(nc_lanes x)
{
    return nc_lanes_all(0.5) * (x + nc_lanes_abs(x));
}

// ---- what is asked ------------------------------------------------------------------------------------------

NC_INLINE int nearer(const nc_near_four *four, nc_vec3 q, double limit2, nc_near_from *out)
{
    const nc_lanes limit = nc_lanes_all(limit2);
    const lanes3 at = all3(q);
    nc_lanes gap[3];
    for (int i = 0; i < 3; i++)
        gap[i] = positive(nc_lanes_load(four->low[i]) - at.c[i]) + positive(at.c[i] - nc_lanes_load(four->high[i]));
    const nc_lane_mask near = nc_lanes_dot(gap, gap) < limit;
    if (!nc_lanes_any(near))
        return 0;
    const lanes3 from = from_triangle(four, at);
    store3(out->from, from);
    return bits_of(near & (dot3(from, from) < limit));
}

NC_INLINE int climb(const nc_near_four *four, nc_vec3 p, nc_vec3 q, double small, nc_near_from *out)
{
    const lanes3 at = all3(p), to = all3(q);
    const nc_lanes half = nc_lanes_all(small), small2 = nc_lanes_all(small * small);
    nc_lane_mask overlap = half == half;
    for (int i = 0; i < 3; i++)
        overlap &= (at.c[i] - half <= nc_lanes_load(four->high[i])) & (nc_lanes_load(four->low[i]) <= at.c[i] + half);
    if (!nc_lanes_any(overlap))
        return 0;
    const lanes3 aside = from_triangle(four, at);
    const nc_lanes aside2 = dot3(aside, aside);
    const nc_lane_mask beside = overlap & ~(aside2 > small2);
    if (!nc_lanes_any(beside))
        return 0;
    const lanes3 from = from_triangle(four, to), way = sub3(add3(sub3(to, at), aside), from);
    store3(out->from, from);
    nc_lanes_store(out->gain, dot3(way, way) - aside2);
    return bits_of(beside);
}

#ifdef NC_AVX2
NC_AVX2 static int nearer_avx2(const nc_near_four *four, nc_vec3 q, double limit2, nc_near_from *out)
{
    return nearer(four, q, limit2, out);
}

NC_AVX2 static int climb_avx2(const nc_near_four *four, nc_vec3 p, nc_vec3 q, double small, nc_near_from *out)
{
    return climb(four, p, q, small, out);
}
#endif

int nc_near_four_nearer(nc_copy copy, const nc_near_four *four, nc_vec3 q, double limit2, nc_near_from *out)
{
#ifdef NC_AVX2
    if (copy != NC_COPY_PLAIN)
        return nearer_avx2(four, q, limit2, out);
#endif
    (void)copy;
    return nearer(four, q, limit2, out);
}

int nc_near_four_climb(nc_copy copy, const nc_near_four *four, nc_vec3 p, nc_vec3 q, double small, nc_near_from *out)
{
#ifdef NC_AVX2
    if (copy != NC_COPY_PLAIN)
        return climb_avx2(four, p, q, small, out);
#endif
    (void)copy;
    return climb(four, p, q, small, out);
}

// ---- how they are filled ------------------------------------------------------------------------------------

void nc_near_four_put(nc_near_four *four, int lane, const nc_vec3 corner[3], const nc_box *box)
{
    for (int i = 0; i < 3; i++) {
        four->corner[i][0][lane] = corner[i].x;
        four->corner[i][1][lane] = corner[i].y;
        four->corner[i][2][lane] = corner[i].z;
    }
    const nc_vec3 ends[2] = {box->lo, box->hi};
    for (int i = 0; i < 2; i++) {
        double(*to)[NC_LANES] = i == 0 ? four->low : four->high;
        to[0][lane] = ends[i].x;
        to[1][lane] = ends[i].y;
        to[2][lane] = ends[i].z;
    }
}
