// Distances of points, segments and triangles: nearest points, and a lower bound that is certified.
//
// Nearest points: every kind of candidate (corners, sides, inside) is worked out on differences of coordinates, and
// the one whose distance is smallest wins. Each candidate is a point of the feature, so none can be better than the
// truth by more than rounding; that the best one is not worse by more either is shown in docs/theory/distance.md.
//
// Lower bound: for any direction n, the distance is at least min n.(b_j - a_i) / |n| over the corners, because the
// features are the hulls of their corners. So a bad n makes a bad bound, never a wrong one. The allowance for
// rounding is in `separation`; nothing else needs to be trusted.
#include "geom/geom.h"

#define U NC_UNIT_ROUNDOFF

// Differences below SMALL are scaled up by 2^STEP, so that squares cannot underflow.
#define SMALL 0x1p-280
#define STEP  400

// The largest coordinate, without a call. NaN may be lost; what is made of it is 0 or out of range all the same.
static double largest(nc_vec3 v)
{
    const double x = fabs(v.x), y = fabs(v.y), z = fabs(v.z), xy = x > y ? x : y;
    return xy > z ? xy : z;
}

// A point of a feature: v[i] + x (v[j] - v[i]) + y (v[k] - v[i]).
typedef struct place {
    int i, j, k;
    double x, y;
} place;

// A pair of points, one of each feature.
typedef struct candidate {
    nc_vec3 r; // from the point of A to the point of B
    double norm2;
    place on_a, on_b;
    nc_vec3 side; // r is perpendicular to it but for rounding; 0 for none
} candidate;

// Two features and the best candidate so far.
typedef struct search {
    const nc_vec3 *a, *b;
    int corners_a, corners_b;
    nc_vec3 d[4]; // b[j] - a[i] at i * corners_b + j
    candidate best;
} search;

static place corner(int i)
{
    const place p = {i, i, i, 0, 0};
    return p;
}

static place on_side(int i, int j, double x)
{
    const place p = {i, j, i, x, 0};
    return p;
}

static nc_vec3 find_place(const nc_vec3 *v, place p)
{
    if (p.x == 1 && p.y == 0)
        return v[p.j];
    nc_vec3 out = nc_madd(v[p.i], p.x, nc_sub(v[p.j], v[p.i]));
    return p.y == 0 ? out : nc_madd(out, p.y, nc_sub(v[p.k], v[p.i]));
}

static void offer(search *s, nc_vec3 r, place on_a, place on_b, nc_vec3 side)
{
    const double norm2 = nc_norm2(r);
    if (!(norm2 < s->best.norm2))
        return;
    const candidate c = {r, norm2, on_a, on_b, side};
    s->best = c;
}

// The point nearest to the origin on the segment from w0 to w1 = w0 + e; its parameter goes to *t.
static nc_vec3 foot(nc_vec3 w0, nc_vec3 w1, nc_vec3 e, double *t)
{
    const double ee = nc_dot(e, e), we = -nc_dot(w0, e);
    *t = !(we > 0) ? 0 : we >= ee ? 1 : we / ee;
    return *t == 0 ? w0 : *t == 1 ? w1 : nc_madd(w0, *t, e);
}

static nc_vec3 side_if_inside(nc_vec3 e, double t)
{
    return t > 0 && t < 1 ? e : nc_v3(0, 0, 0);
}

// Corner i of A against the side from b[j] to b[k].
static void offer_corner_of_a(search *s, int i, int j, int k)
{
    double t;
    const nc_vec3 e = nc_sub(s->b[k], s->b[j]);
    const nc_vec3 *d = s->d + i * s->corners_b;
    const nc_vec3 r = foot(d[j], d[k], e, &t);
    offer(s, r, corner(i), on_side(j, k, t), side_if_inside(e, t));
}

// Corner j of B against the segment A.
static void offer_corner_of_b(search *s, int j)
{
    double t;
    const nc_vec3 e = nc_sub(s->a[1], s->a[0]);
    const nc_vec3 r = foot(nc_neg(s->d[j]), nc_neg(s->d[s->corners_b + j]), e, &t);
    offer(s, nc_neg(r), on_side(0, 1, t), corner(j), side_if_inside(e, t));
}

// Minimises |w + x e + y g| over the plane: what is along e is taken out first. False when e and g are parallel as far
// as doubles can tell.
static bool foot_in_plane(nc_vec3 w, nc_vec3 e, nc_vec3 g, double *x, double *y)
{
    const double ee = nc_dot(e, e);
    if (!(ee > 0))
        return false;
    const double along_g = nc_dot(g, e) / ee, along_w = -nc_dot(w, e) / ee;
    const nc_vec3 across_g = nc_madd(g, -along_g, e), across_w = nc_madd(w, along_w, e);
    const double gg = nc_dot(across_g, across_g);
    if (!(gg > 0))
        return false;
    *y = -nc_dot(across_w, across_g) / gg;
    *x = along_w - *y * along_g;
    return true;
}

// v made perpendicular to e. A direction that has an error along a long side makes a poor lower bound; without that
// error it makes a good one.
static nc_vec3 straightened(nc_vec3 v, nc_vec3 e)
{
    const double ee = nc_norm2(e);
    return ee > 0 ? nc_madd(v, -nc_dot(v, e) / ee, e) : v;
}

// ---- pairs of features with a segment ----------------------------------------------------------------------------

static void search_segment_segment(search *s)
{
    offer_corner_of_a(s, 0, 0, 1);
    offer_corner_of_a(s, 1, 0, 1);
    offer_corner_of_b(s, 0);
    offer_corner_of_b(s, 1);
    const nc_vec3 ea = nc_sub(s->a[1], s->a[0]), eb = nc_sub(s->b[1], s->b[0]), w = s->d[0];
    double x, y;
    if (foot_in_plane(w, nc_neg(ea), eb, &x, &y) && x >= 0 && x <= 1 && y >= 0 && y <= 1)
        offer(s, nc_madd(nc_madd(w, -x, ea), y, eb), on_side(0, 1, x), on_side(0, 1, y), nc_v3(0, 0, 0));
}

// ---- the certified lower bound ------------------------------------------------------------------------------

// A lower bound of min n.d / |n| over the exact differences, at least 0.
//
// Each computed d is within u of the exact one in every coordinate, a dot product of three within 3 u of the sum of
// the sizes of its terms: together less than 5 u, and 8 u covers that this sum is rounded too. Products that underflow
// lose at most 2^-1075 each, which `tiny` covers. The factor of |n| covers its rounding, the last factor that of the
// subtractions, the products and the division.
static double separation(nc_vec3 n, const nc_vec3 *d, int count)
{
    const double size = largest(n), tiny = 0x1p-1070;
    if (!(size > 0))
        return 0;
    if (size < 0x1p-200) {
        int exponent;
        frexp(size, &exponent);
        n = nc_v3(ldexp(n.x, -exponent), ldexp(n.y, -exponent), ldexp(n.z, -exponent));
    }
    double least = INFINITY;
    for (int i = 0; i < count; i++) {
        const double x = n.x * d[i].x, y = n.y * d[i].y, z = n.z * d[i].z;
        const double value = x + y + z - 8 * U * (fabs(x) + fabs(y) + fabs(z));
        if (!(value > tiny)) // NaN too
            return 0;
        least = value < least ? value : least;
    }
    return (least - tiny) / (nc_norm(n) * (1 + 8 * U)) * (1 - 8 * U);
}

// The better of a bound along r, from one feature's nearest point to the other's, without what it has along `side`, and
// one along the normal of two edges; the second is worked out only where the first is not good enough.
static inline double lower_bound(const nc_vec3 *d, int count, nc_vec3 r, nc_vec3 side, nc_vec3 e, nc_vec3 g,
                                 double distance)
{
    const double bound = separation(straightened(r, side), d, count);
    if (!(bound < distance * (1 - 0x1p-47)))
        return fmin(bound, distance);
    const nc_vec3 normal = straightened(nc_cross(e, g), e);
    const nc_vec3 n = nc_dot(normal, r) < 0 ? nc_neg(normal) : normal;
    return fmin(fmax(bound, separation(n, d, count)), distance);
}

// ---- putting it together ------------------------------------------------------------------------------------

static double norm_of(nc_vec3 r)
{
    const double size = largest(r);
    if (size >= 0x1p-400 || size == 0)
        return nc_norm(r);
    int exponent;
    frexp(size, &exponent);
    return ldexp(nc_norm(nc_v3(ldexp(r.x, -exponent), ldexp(r.y, -exponent), ldexp(r.z, -exponent))), exponent);
}

static inline nc_distance run_segments(const nc_vec3 *a, int corners_a, const nc_vec3 *b)
{
    const nc_vec3 none = {0, 0, 0};
    search s; // of which d has more room than a point needs
    s.a = a;
    s.b = b;
    s.corners_a = corners_a;
    s.corners_b = 2;
    s.best.side = none;
    s.best.on_a = s.best.on_b = corner(0);
    for (int i = 0; i < corners_a; i++)
        for (int j = 0; j < 2; j++)
            s.d[i * 2 + j] = nc_sub(b[j], a[i]);
    s.best.r = s.d[0];
    s.best.norm2 = INFINITY;
    if (corners_a == 2)
        search_segment_segment(&s);
    else
        offer_corner_of_a(&s, 0, 0, 1);
    nc_distance out;
    out.distance = norm_of(s.best.r);
    const nc_vec3 ea = corners_a == 2 ? nc_sub(a[1], a[0]) : none, eb = corners_a == 2 ? nc_sub(b[1], b[0]) : none;
    out.lower_bound = lower_bound(s.d, corners_a * 2, s.best.r, s.best.side, ea, eb, out.distance);
    out.on_a = find_place(a, s.best.on_a);
    out.on_b = find_place(b, s.best.on_b);
    return out;
}

// The best of the three sides, k from corner k on: a place on it, and its edge if that is inside. Of equal ones the
// first.
static inline void search_sides(const nc_vec3 d[3], const nc_vec3 e[3], nc_vec3 *r, double *norm2, place *on,
                                nc_vec3 *side)
{
    int best = -1;
    double at = 0;
    for (int k = 0; k < 3; k++) {
        double t;
        const nc_vec3 here = foot(d[k], d[k == 2 ? 0 : k + 1], e[k], &t);
        const double here2 = nc_norm2(here);
        if (here2 < *norm2) {
            *r = here;
            *norm2 = here2;
            best = k;
            at = t;
        }
    }
    if (best < 0)
        return;
    *on = on_side(best, best == 2 ? 0 : best + 1, at);
    *side = side_if_inside(e[best], at);
}

static inline nc_distance run_point_triangle(const nc_vec3 *a, const nc_vec3 *b)
{
    const nc_vec3 d[3] = {nc_sub(b[0], a[0]), nc_sub(b[1], a[0]), nc_sub(b[2], a[0])};
    const nc_vec3 e[3] = {nc_sub(b[1], b[0]), nc_sub(b[2], b[1]), nc_sub(b[0], b[2])}, g = nc_sub(b[2], b[0]);
    nc_vec3 r = d[0], side = {0, 0, 0};
    place on = corner(0);
    double norm2 = INFINITY, x, y;
    search_sides(d, e, &r, &norm2, &on, &side);
    if (foot_in_plane(d[0], e[0], g, &x, &y) && x >= 0 && y >= 0 && x + y <= 1) {
        const nc_vec3 inner = nc_madd(nc_madd(d[0], x, e[0]), y, g);
        if (nc_norm2(inner) < norm2) {
            r = inner;
            side = nc_v3(0, 0, 0);
            on = (place){0, 1, 2, x, y};
        }
    }
    nc_distance out;
    out.distance = norm_of(r);
    out.lower_bound = lower_bound(d, 3, r, side, e[0], g, out.distance);
    out.on_a = find_place(a, corner(0));
    out.on_b = find_place(b, on);
    return out;
}

static inline nc_distance run_search(const nc_vec3 *a, int corners_a, const nc_vec3 *b, int corners_b)
{
    return corners_b == 3 ? run_point_triangle(a, b) : run_segments(a, corners_a, b);
}

// The largest coordinate of a difference of two corners.
static double spread_of(const nc_vec3 *a, int corners_a, const nc_vec3 *b, int corners_b)
{
    nc_vec3 lo = a[0], hi = a[0];
    for (int i = 0; i < corners_a + corners_b; i++) {
        const nc_vec3 v = i < corners_a ? a[i] : b[i - corners_a];
        lo = nc_min_v3(lo, v);
        hi = nc_max_v3(hi, v);
    }
    return nc_max3(nc_sub(hi, lo));
}

// Are all differences of corners so small that squares would underflow? Most often one of them says no.
static bool is_tiny(const nc_vec3 *a, int corners_a, const nc_vec3 *b, int corners_b, double *spread)
{
    if (largest(nc_sub(b[0], a[0])) >= SMALL)
        return false;
    *spread = spread_of(a, corners_a, b, corners_b);
    return *spread > 0 && *spread < SMALL;
}

static nc_vec3 shifted(nc_vec3 v, int exponent)
{
    return nc_v3(ldexp(v.x, exponent), ldexp(v.y, exponent), ldexp(v.z, exponent));
}

// Features so close together that squares would underflow, scaled up by a power of two (exactly) and back.
static nc_distance run_scaled(const nc_vec3 *a, int corners_a, const nc_vec3 *b, int corners_b, double spread)
{
    nc_vec3 big_a[3], big_b[3];
    int exponent = 0;
    while (spread > 0 && ldexp(spread, exponent) < SMALL)
        exponent += STEP;
    for (int i = 0; i < corners_a; i++)
        big_a[i] = shifted(a[i], exponent);
    for (int i = 0; i < corners_b; i++)
        big_b[i] = shifted(b[i], exponent);
    nc_distance out = run_search(big_a, corners_a, big_b, corners_b);
    out.distance = ldexp(out.distance, -exponent);
    out.lower_bound = fmax(0, ldexp(out.lower_bound, -exponent) - 0x1p-1074); // ldexp may have rounded up
    out.on_a = shifted(out.on_a, -exponent);
    out.on_b = shifted(out.on_b, -exponent);
    return out;
}

static bool in_range(const nc_vec3 *v, int count)
{
    for (int i = 0; i < count; i++)
        if (!(fabs(v[i].x) <= NC_COORDINATE_MAX && fabs(v[i].y) <= NC_COORDINATE_MAX &&
              fabs(v[i].z) <= NC_COORDINATE_MAX)) // NaN too
            return false;
    return true;
}

static inline nc_distance distance_of(const nc_vec3 *a, int corners_a, const nc_vec3 *b, int corners_b)
{
    double spread;
    if (is_tiny(a, corners_a, b, corners_b, &spread))
        return run_scaled(a, corners_a, b, corners_b, spread);
    nc_distance out = run_search(a, corners_a, b, corners_b);
    if (!in_range(a, corners_a) || !in_range(b, corners_b))
        out.lower_bound = 0;
    return out;
}

nc_distance nc_distance_point_segment(nc_vec3 p, const nc_vec3 s[2])
{
    return distance_of(&p, 1, s, 2);
}

nc_distance nc_distance_point_triangle(nc_vec3 p, const nc_vec3 t[3])
{
    return distance_of(&p, 1, t, 3);
}

nc_distance nc_distance_segment_segment(const nc_vec3 a[2], const nc_vec3 b[2])
{
    return distance_of(a, 2, b, 2);
}
