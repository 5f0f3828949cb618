// Four points and their triangles at a time: the arithmetic of nc_distance_point_triangle, lane by lane, with the same
// bits (distance.c has the reasons). What that does only for very small or wrong numbers is left to it.
#include "geom/geom.h"
#include "math/math.h"

#define U NC_UNIT_ROUNDOFF

#define LEAST_DIFFERENCE 0x1p-280 // [m] below it, differences would be scaled
#define LEAST_DIRECTION  0x1p-200 // below it, a direction would be scaled

typedef struct lanes3 {
    nc_lanes c[3];
} lanes3;

NC_INLINE lanes3 load3(const double from[3][NC_LANES])
{
    return (lanes3){{nc_lanes_load(from[0]), nc_lanes_load(from[1]), nc_lanes_load(from[2])}};
}

NC_INLINE lanes3 sub3(lanes3 a, lanes3 b)
{
    return (lanes3){{a.c[0] - b.c[0], a.c[1] - b.c[1], a.c[2] - b.c[2]}};
}

NC_INLINE lanes3 madd3(lanes3 a, nc_lanes s, lanes3 b)
{
    return (lanes3){{a.c[0] + s * b.c[0], a.c[1] + s * b.c[1], a.c[2] + s * b.c[2]}};
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

NC_INLINE nc_lanes largest(lanes3 v)
{
    return nc_lanes_max(nc_lanes_max(nc_lanes_abs(v.c[0]), nc_lanes_abs(v.c[1])), nc_lanes_abs(v.c[2]));
}

NC_INLINE nc_lane_mask in_range(lanes3 v)
{
    const nc_lanes most = nc_lanes_all(NC_COORDINATE_MAX);
    return (nc_lanes_abs(v.c[0]) <= most) & (nc_lanes_abs(v.c[1]) <= most) & (nc_lanes_abs(v.c[2]) <= most);
}

// v made perpendicular to e, where e is not 0.
NC_INLINE lanes3 straightened(lanes3 v, lanes3 e)
{
    const nc_lanes ee = dot3(e, e);
    return choose3(ee > nc_lanes_all(0), madd3(v, -dot3(v, e) / ee, e), v);
}

// The certified bound along n; meaningless where n is shorter than LEAST_DIRECTION.
NC_INLINE nc_lanes separation(lanes3 n, const lanes3 d[3])
{
    const nc_lanes tiny = nc_lanes_all(0x1p-1070);
    nc_lanes least = nc_lanes_all(INFINITY);
    nc_lane_mask apart = tiny == tiny;
    for (int i = 0; i < 3; i++) {
        const nc_lanes x = n.c[0] * d[i].c[0], y = n.c[1] * d[i].c[1], z = n.c[2] * d[i].c[2];
        const nc_lanes value = x + y + z - nc_lanes_all(8 * U) * (nc_lanes_abs(x) + nc_lanes_abs(y) + nc_lanes_abs(z));
        apart &= value > tiny;
        least = nc_lanes_choose(value < least, value, least);
    }
    const nc_lanes bound =
        (least - tiny) / (nc_lanes_sqrt(dot3(n, n)) * nc_lanes_all(1 + 8 * U)) * nc_lanes_all(1 - 8 * U);
    return nc_lanes_choose(apart, bound, nc_lanes_all(0));
}

// The nearest point so far: the difference, its square, the place, the side that it is inside of.
typedef struct nearest {
    lanes3 r, on, side;
    nc_lanes norm2;
} nearest;

// The side from `from`, which is d away and whose end is d_end away, along e.
NC_INLINE void try_side(nearest *best, lanes3 d, lanes3 d_end, lanes3 e, lanes3 from, lanes3 end)
{
    const nc_lanes zero = nc_lanes_all(0), one = nc_lanes_all(1);
    const nc_lanes ee = dot3(e, e), we = -dot3(d, e);
    const nc_lanes t = nc_lanes_choose(we > zero, nc_lanes_choose(we >= ee, one, we / ee), zero);
    const nc_lane_mask at_start = t == zero, at_end = t == one;
    const lanes3 r = choose3(at_start, d, choose3(at_end, d_end, madd3(d, t, e)));
    const nc_lanes norm2 = dot3(r, r);
    const nc_lane_mask better = norm2 < best->norm2;
    const lanes3 none = {{zero, zero, zero}};
    best->r = choose3(better, r, best->r);
    best->on = choose3(better, choose3(at_end, end, madd3(from, t, e)), best->on);
    best->side = choose3(better, choose3(at_start | at_end, none, e), best->side);
    best->norm2 = nc_lanes_choose(better, norm2, best->norm2);
}

// The inside, from the first corner along e and g.
NC_INLINE void try_inside(nearest *best, lanes3 d, lanes3 e, lanes3 g, const lanes3 b[3])
{
    const nc_lanes zero = nc_lanes_all(0), one = nc_lanes_all(1), ee = dot3(e, e);
    const nc_lanes along_g = dot3(g, e) / ee, along_w = -dot3(d, e) / ee;
    const lanes3 across_g = madd3(g, -along_g, e), across_w = madd3(d, along_w, e);
    const nc_lanes gg = dot3(across_g, across_g), y = -dot3(across_w, across_g) / gg, x = along_w - y * along_g;
    const lanes3 r = madd3(madd3(d, x, e), y, g);
    const nc_lanes norm2 = dot3(r, r);
    const nc_lane_mask better =
        (ee > zero) & (gg > zero) & (x >= zero) & (y >= zero) & (x + y <= one) & (norm2 < best->norm2);
    const lanes3 none = {{zero, zero, zero}}, on_e = madd3(b[0], x, e);
    const lanes3 on = choose3(y == zero, choose3(x == one, b[1], on_e), madd3(on_e, y, g));
    best->r = choose3(better, r, best->r);
    best->on = choose3(better, on, best->on);
    best->side = choose3(better, none, best->side);
}

// Four distances; returns for which lanes they are as nc_distance_point_triangle has them.
NC_INLINE nc_lane_mask four(const nc_point_triangles *in, nc_lanes *distance, nc_lanes *bound, lanes3 *on)
{
    const lanes3 p = load3(in->p), b[3] = {load3(in->t[0]), load3(in->t[1]), load3(in->t[2])};
    const lanes3 d[3] = {sub3(b[0], p), sub3(b[1], p), sub3(b[2], p)}, e = sub3(b[1], b[0]), g = sub3(b[2], b[0]);
    nearest best = {.r = d[0], .on = b[0], .side = {{nc_lanes_all(0)}}, .norm2 = nc_lanes_all(INFINITY)};
    try_side(&best, d[0], d[1], e, b[0], b[1]);
    try_side(&best, d[1], d[2], sub3(b[2], b[1]), b[1], b[2]);
    try_side(&best, d[2], d[0], sub3(b[0], b[2]), b[2], b[0]);
    try_inside(&best, d[0], e, g, b);
    *distance = nc_lanes_sqrt(dot3(best.r, best.r));
    *on = best.on;
    const lanes3 n = straightened(best.r, best.side);
    nc_lanes most = separation(n, d);
    nc_lane_mask plain = in_range(p) & in_range(b[0]) & in_range(b[1]) & in_range(b[2]) &
                         (largest(d[0]) >= nc_lanes_all(LEAST_DIFFERENCE)) &
                         (largest(best.r) >= nc_lanes_all(LEAST_DIRECTION)) &
                         (largest(n) >= nc_lanes_all(LEAST_DIRECTION));
    const nc_lane_mask poor = most < *distance * nc_lanes_all(1 - 0x1p-47);
    if (nc_lanes_any(poor)) {
        const lanes3 normal = straightened(cross3(e, g), e);
        const lanes3 minus = {{-normal.c[0], -normal.c[1], -normal.c[2]}};
        const nc_lanes more = separation(choose3(dot3(normal, best.r) < nc_lanes_all(0), minus, normal), d);
        most = nc_lanes_choose(poor & (more > most), more, most);
        plain &= ~poor | (largest(normal) >= nc_lanes_all(LEAST_DIRECTION));
    }
    *bound = nc_lanes_choose(most < *distance, most, *distance);
    return plain;
}

NC_INLINE void find_four(const nc_point_triangles *in, int count, nc_distance *out)
{
    nc_lanes distance, bound;
    lanes3 on;
    const nc_lane_mask plain = four(in, &distance, &bound, &on);
    for (int k = 0; k < count; k++) {
        const nc_vec3 p = {in->p[0][k], in->p[1][k], in->p[2][k]};
        out[k].distance = distance[k];
        out[k].lower_bound = bound[k];
        out[k].on_a = nc_madd(p, 0, nc_sub(p, p)); // as every place is worked out
        out[k].on_b = nc_v3(on.c[0][k], on.c[1][k], on.c[2][k]);
        if (plain[k])
            continue;
        nc_vec3 t[3];
        for (int i = 0; i < 3; i++)
            t[i] = nc_v3(in->t[i][0][k], in->t[i][1][k], in->t[i][2][k]);
        out[k] = nc_distance_point_triangle(p, t);
    }
}

#ifdef NC_AVX2
NC_AVX2 static void find_four_avx2(const nc_point_triangles *in, int count, nc_distance *out)
{
    find_four(in, count, out);
}
#endif

void nc_distance_point_triangles_by(nc_copy copy, const nc_point_triangles *in, int count, nc_distance *out)
{
#ifdef NC_AVX2
    if (copy != NC_COPY_PLAIN) {
        find_four_avx2(in, count, out);
        return;
    }
#endif
    (void)copy;
    find_four(in, count, out);
}

void nc_distance_point_triangles(const nc_point_triangles *in, int count, nc_distance *out)
{
    nc_distance_point_triangles_by(nc_best_copy(), in, count, out);
}
