// Distances against exact rational arithmetic, on random and on nasty features.
#include "check.h"

#include "geom/geom.h"

#include <gmp.h>
#include <mpfr.h>

// ---- exact squared distances --------------------------------------------------------------------------------
// The nearest points minimise |w + sum x_k e_k|^2 over a box or a triangle of parameters. Each subset of free
// parameters, the others at a corner, is solved exactly; the smallest feasible value is the answer.

typedef struct rational3 {
    mpq_t c[3];
} rational3;

static void r3_init(rational3 *v)
{
    for (int i = 0; i < 3; i++)
        mpq_init(v->c[i]);
}

static void r3_clear(rational3 *v)
{
    for (int i = 0; i < 3; i++)
        mpq_clear(v->c[i]);
}

static void r3_difference(rational3 *out, nc_vec3 a, nc_vec3 b)
{
    const double x[3] = {a.x, a.y, a.z}, y[3] = {b.x, b.y, b.z};
    mpq_t q;
    mpq_init(q);
    for (int i = 0; i < 3; i++) {
        mpq_set_d(out->c[i], x[i]);
        mpq_set_d(q, y[i]);
        mpq_sub(out->c[i], out->c[i], q);
    }
    mpq_clear(q);
}

static void r3_dot(mpq_t out, const rational3 *a, const rational3 *b)
{
    mpq_t q, sum;
    mpq_inits(q, sum, NULL);
    for (int i = 0; i < 3; i++) {
        mpq_mul(q, a->c[i], b->c[i]);
        mpq_add(sum, sum, q);
    }
    mpq_set(out, sum);
    mpq_clears(q, sum, NULL);
}

// out = w + x e
static void r3_along(rational3 *out, const rational3 *w, mpq_t x, const rational3 *e)
{
    mpq_t q;
    mpq_init(q);
    for (int i = 0; i < 3; i++) {
        mpq_mul(q, x, e->c[i]);
        mpq_add(out->c[i], w->c[i], q);
    }
    mpq_clear(q);
}

static void keep_least(mpq_t best, const rational3 *r)
{
    mpq_t q;
    mpq_init(q);
    r3_dot(q, r, r);
    if (mpq_sgn(best) < 0 || mpq_cmp(q, best) < 0)
        mpq_set(best, q);
    mpq_clear(q);
}

// Squared distance of p from the segment s, kept in `best` (negative: none yet).
static void exact_point_segment(mpq_t best, nc_vec3 p, nc_vec3 s0, nc_vec3 s1)
{
    rational3 w, e, r;
    mpq_t t, ee;
    mpq_inits(t, ee, NULL);
    r3_init(&w), r3_init(&e), r3_init(&r);
    r3_difference(&w, s0, p);
    r3_difference(&e, s1, s0);
    r3_dot(ee, &e, &e);
    if (mpq_sgn(ee) > 0) {
        r3_dot(t, &w, &e);
        mpq_div(t, t, ee);
        mpq_neg(t, t);
    }
    if (mpq_sgn(t) < 0)
        mpq_set_si(t, 0, 1);
    if (mpq_cmp_si(t, 1, 1) > 0)
        mpq_set_si(t, 1, 1);
    r3_along(&r, &w, t, &e);
    keep_least(best, &r);
    r3_clear(&w), r3_clear(&e), r3_clear(&r);
    mpq_clears(t, ee, NULL);
}

// Stationary point of |w + x e + y g|; kept when x, y >= 0 and (triangle: x + y <= 1; box: x, y <= 1).
static void exact_inside(mpq_t best, const rational3 *w, const rational3 *e, const rational3 *g, bool triangle)
{
    mpq_t ee, eg, gg, we, wg, det, x, y, q;
    mpq_inits(ee, eg, gg, we, wg, det, x, y, q, NULL);
    r3_dot(ee, e, e), r3_dot(eg, e, g), r3_dot(gg, g, g), r3_dot(we, w, e), r3_dot(wg, w, g);
    mpq_mul(det, ee, gg), mpq_mul(q, eg, eg), mpq_sub(det, det, q);
    if (mpq_sgn(det) != 0) {
        mpq_mul(x, eg, wg), mpq_mul(q, gg, we), mpq_sub(x, x, q), mpq_div(x, x, det);
        mpq_mul(y, eg, we), mpq_mul(q, ee, wg), mpq_sub(y, y, q), mpq_div(y, y, det);
        mpq_add(q, x, y);
        const bool inside =
            mpq_sgn(x) >= 0 && mpq_sgn(y) >= 0 &&
            (triangle ? mpq_cmp_si(q, 1, 1) <= 0 : mpq_cmp_si(x, 1, 1) <= 0 && mpq_cmp_si(y, 1, 1) <= 0);
        if (inside) {
            rational3 r;
            r3_init(&r);
            r3_along(&r, w, x, e);
            r3_along(&r, &r, y, g);
            keep_least(best, &r);
            r3_clear(&r);
        }
    }
    mpq_clears(ee, eg, gg, we, wg, det, x, y, q, NULL);
}

static void exact_distance2(mpq_t best, const nc_vec3 *a, int na, const nc_vec3 *b, int nb)
{
    rational3 w, e, g;
    r3_init(&w), r3_init(&e), r3_init(&g);
    mpq_set_si(best, -1, 1);
    r3_difference(&w, b[0], a[0]);
    if (na == 2) {
        for (int i = 0; i < 2; i++) {
            exact_point_segment(best, a[i], b[0], b[1]);
            exact_point_segment(best, b[i], a[0], a[1]);
        }
        r3_difference(&e, b[1], b[0]);
        r3_difference(&g, a[0], a[1]);
        exact_inside(best, &w, &e, &g, false);
    } else {
        for (int i = 0; i < nb; i++)
            exact_point_segment(best, a[0], b[i], b[(i + 1) % nb]);
        r3_difference(&e, b[1], b[0]);
        r3_difference(&g, b[nb - 1], b[0]);
        if (nb == 3)
            exact_inside(best, &w, &e, &g, true);
    }
    r3_clear(&w), r3_clear(&e), r3_clear(&g);
}

// ---- nasty features -----------------------------------------------------------------------------------------

enum { PLAIN, FAR, SLIVER, NEAR, FLAT, REPEATED, PARALLEL, LATTICE, REMOTE, FAMILIES };
static const char *const family_names[FAMILIES] = {"plain",    "far",      "sliver",  "near",  "flat",
                                                   "repeated", "parallel", "lattice", "remote"};

static nc_vec3 random_in(nc_random *random, double size)
{
    return nc_v3(nc_random_range(random, -size, size), nc_random_range(random, -size, size),
                 nc_random_range(random, -size, size));
}

static double random_power(nc_random *random, int low, int high)
{
    return ldexp(1, low + (int)(nc_random_u64(random) % (uint64_t)(high - low + 1)));
}

// Moves b (three corners) so that the features come close: a point of b onto a point of a, and a little off it.
static void bring_near(nc_random *random, nc_vec3 a[2], int na, nc_vec3 b[3], int nb)
{
    nc_vec3 on_a = a[0], on_b = b[0];
    if (na == 2)
        on_a = nc_madd(a[0], nc_random_unit(random), nc_sub(a[1], a[0]));
    for (int i = 1; i < nb; i++)
        on_b = nc_madd(on_b, nc_random_unit(random), nc_sub(b[i], on_b));
    const nc_vec3 u = na == 2 ? nc_sub(a[1], a[0]) : nc_sub(b[nb - 1], b[0]), v = nc_sub(b[1], b[0]);
    nc_vec3 normal = nc_cross(u, v);
    if (nb == 2 && na == 1)
        normal = nc_cross(v, random_in(random, 1));
    const double size = nc_norm(normal) > 0 ? random_power(random, -60, -1) / nc_norm(normal) : 0;
    const nc_vec3 move = nc_madd(nc_sub(on_a, on_b), size, normal);
    for (int i = 0; i < nb; i++)
        b[i] = nc_add(b[i], move);
}

static void make_features(nc_random *random, int family, nc_vec3 a[2], int na, nc_vec3 b[3], int nb)
{
    for (int i = 0; i < 2; i++)
        a[i] = random_in(random, 1);
    for (int i = 0; i < 3; i++)
        b[i] = random_in(random, 1);
    const nc_vec3 along = nc_sub(b[1], b[0]);
    const double part =
        nc_random_range(random, -0.5, 1.5) * (nc_random_u64(random) % 2 ? 1 : random_power(random, -40, 0));
    if (family == SLIVER || family == FLAT || family == PARALLEL) {
        const double off = family == FLAT ? 0 : random_power(random, -60, -1);
        b[2] = nc_add(nc_madd(b[0], part, along), random_in(random, off));
        a[1] = nc_add(nc_madd(a[0], part * 2, along), random_in(random, family == PARALLEL ? off : 0));
    }
    if (family == REPEATED) {
        b[1 + nc_random_u64(random) % 2] = b[0];
        a[1] = nc_random_u64(random) % 2 ? a[0] : a[1];
    }
    if (family == LATTICE)
        for (int i = 0; i < 5; i++) {
            nc_vec3 *v = i < 3 ? &b[i] : &a[i - 3];
            *v = nc_v3(floor(2 * v->x), floor(2 * v->y), floor(2 * v->z));
        }
    if (family == REMOTE)
        for (int i = 0; i < 3; i++)
            b[i] = nc_add(nc_scale(random_power(random, -50, 0), b[i]), nc_v3(1, 2, 3));
    if (family == NEAR || ((family == SLIVER || family == PARALLEL) && nc_random_u64(random) % 2))
        bring_near(random, a, na, b, nb);
    for (uint64_t turns = nc_random_u64(random) % 3; nb == 3 && turns > 0; turns--) { // any side may be the long one
        const nc_vec3 first = b[0];
        b[0] = b[1], b[1] = b[2], b[2] = first;
    }
    if (nc_random_u64(random) % 2 && na == 2)
        for (int i = 0; i < 2; i++) {
            const nc_vec3 swap = a[i];
            a[i] = b[i], b[i] = swap;
        }
    const nc_vec3 far = family == FAR ? random_in(random, random_power(random, 1, 40)) : nc_v3(0, 0, 0);
    const double scale = nc_random_u64(random) % 4 ? 1 : random_power(random, -1065, 50);
    for (int i = 0; i < 5; i++) {
        nc_vec3 *v = i < 3 ? &b[i] : &a[i - 3];
        *v = nc_scale(scale, nc_add(*v, far));
    }
}

// ---- checks -------------------------------------------------------------------------------------------------

typedef struct worst_case {
    double error, gap; // of the distance and of the lower bound below it, in u L
} worst_case;

static double longest_difference(const nc_vec3 *a, int na, const nc_vec3 *b, int nb)
{
    double longest = 0;
    for (int i = 0; i < na + nb; i++)
        for (int j = 0; j < i; j++) {
            const nc_vec3 v = i < na ? a[i] : b[i - na], w = j < na ? a[j] : b[j - na];
            longest = fmax(longest, hypot(hypot(v.x - w.x, v.y - w.y), v.z - w.z));
        }
    return longest;
}

static nc_distance measure(const nc_vec3 *a, int na, const nc_vec3 *b, int nb)
{
    if (na == 2)
        return nc_distance_segment_segment(a, b);
    return nb == 3 ? nc_distance_point_triangle(a[0], b) : nc_distance_point_segment(a[0], b);
}

static void complain(const char *what, const nc_vec3 *a, int na, const nc_vec3 *b, int nb, nc_distance d, double truth)
{
    print_error("%s: distance %.17g, lower bound %.17g, truth %.17g\n", what, d.distance, d.lower_bound, truth);
    for (int i = 0; i < na; i++)
        print_error("  a%d = (%a, %a, %a)\n", i, a[i].x, a[i].y, a[i].z);
    for (int i = 0; i < nb; i++)
        print_error("  b%d = (%a, %a, %a)\n", i, b[i].x, b[i].y, b[i].z);
    fail();
}

// In u L. docs/theory/distance.md proves 128; no case was seen above 4.
#define ERROR_BOUND 16.0
// How far below the distance the lower bound may be, in u L, on these features. Measured, not proved.
#define GAP_BOUND 4096.0

static void check_case(const nc_vec3 *a, int na, const nc_vec3 *b, int nb, worst_case *worst)
{
    const nc_distance d = measure(a, na, b, nb);
    mpq_t truth2, bound;
    mpfr_t truth, error;
    mpq_inits(truth2, bound, NULL);
    mpfr_inits2(400, truth, error, (mpfr_ptr)NULL);
    exact_distance2(truth2, a, na, b, nb);
    mpfr_set_q(truth, truth2, MPFR_RNDN);
    mpfr_sqrt(truth, truth, MPFR_RNDN);
    // One-sided: the square of the lower bound against the exact square, no tolerance.
    mpq_set_d(bound, d.lower_bound);
    mpq_mul(bound, bound, bound);
    if (!(d.lower_bound >= 0) || mpq_cmp(bound, truth2) > 0)
        complain("the lower bound is above the distance", a, na, b, nb, d, mpfr_get_d(truth, MPFR_RNDN));
    mpfr_sub_d(error, truth, d.distance, MPFR_RNDN);
    const double unit = longest_difference(a, na, b, nb) * NC_UNIT_ROUNDOFF;
    const double size = fabs(mpfr_get_d(error, MPFR_RNDN));
    if (size > ERROR_BOUND * unit + 0x1p-1070)
        complain("the distance is wrong", a, na, b, nb, d, mpfr_get_d(truth, MPFR_RNDN));
    if (unit > 0x1p-1000) {
        worst->error = fmax(worst->error, size / unit);
        worst->gap = fmax(worst->gap, (d.distance - d.lower_bound) / unit);
    }
    mpq_clears(truth2, bound, NULL);
    mpfr_clears(truth, error, (mpfr_ptr)NULL);
}

static void check_kind(const char *name, int na, int nb, uint64_t seed)
{
    nc_random random = {check_seed(name, seed)};
    const int count = check_effort(2500);
    for (int family = 0; family < FAMILIES; family++) {
        worst_case worst = {0, 0};
        for (int n = 0; n < count; n++) {
            nc_vec3 a[2], b[3];
            make_features(&random, family, a, na, b, nb);
            check_case(a, na, b, nb, &worst);
        }
        print_message("  %-8s distance within %.2g u L, lower bound within %.2g u L\n", family_names[family],
                      worst.error, worst.gap);
        check_at_most(worst.gap, GAP_BOUND);
    }
}

static void point_segment_is_right_to_rounding_and_its_bound_is_certified(void **state)
{
    (void)state;
    check_kind("point and segment", 1, 2, 21);
}

static void point_triangle_is_right_to_rounding_and_its_bound_is_certified(void **state)
{
    (void)state;
    check_kind("point and triangle", 1, 3, 22);
}

static void segment_segment_is_right_to_rounding_and_its_bound_is_certified(void **state)
{
    (void)state;
    check_kind("segment and segment", 2, 2, 23);
}

static void known_distances_are_exact(void **state)
{
    (void)state;
    const nc_vec3 t[3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
    nc_distance d = nc_distance_point_triangle(nc_v3(1, 1, 3), t);
    assert_true(d.distance == 3 && d.on_b.x == 1 && d.on_b.y == 1 && d.on_b.z == 0 && d.on_a.z == 3);
    check_near(d.lower_bound, 3, 1e-14);
    d = nc_distance_point_triangle(nc_v3(1, 1, 0x1p-500), t); // far below the squares of doubles
    assert_true(d.distance == 0x1p-500);
    check_near(d.lower_bound / 0x1p-500, 1, 1e-14);
    d = nc_distance_point_triangle(nc_v3(4, 0, 0), t);
    assert_true(d.distance == 0 && d.lower_bound == 0 && d.on_b.x == 4);
    d = nc_distance_point_triangle(nc_v3(7, -4, 0), t);
    assert_true(d.distance == 5 && d.on_b.x == 4 && d.on_b.y == 0);
    const nc_vec3 x[2] = {{-1, 0, 0}, {1, 0, 0}}, y[2] = {{0, -1, 2}, {0, 1, 2}}, p[2] = {{-3, 1, 0}, {9, 1, 0}};
    d = nc_distance_segment_segment(x, y);
    assert_true(d.distance == 2 && d.on_a.x == 0 && d.on_b.z == 2);
    d = nc_distance_segment_segment(x, p); // parallel
    assert_true(d.distance == 1 && d.on_a.x == d.on_b.x);
    const nc_vec3 s[2] = {{3, 4, 0}, {3, 4, 0}}; // of no length
    d = nc_distance_point_segment(nc_v3(0, 0, 0), s);
    assert_true(d.distance == 5);
    check_near(d.lower_bound, 5, 1e-13);
}

// Within a relative error of 2^-30 down to gaps of 2^-20 of the size: what separation is measured with.
static void lower_bound_is_tight_for_well_shaped_features(void **state)
{
    (void)state;
    nc_random random = {check_seed("tight", 24)};
    for (int n = 0; n < check_effort(100000); n++) {
        const double gap = random_power(&random, -20, 3);
        const nc_vec3 t[3] = {{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}};
        nc_vec3 s[2] = {{nc_random_range(&random, -0.4, 0.4), nc_random_range(&random, -0.4, 0.4), gap}, {0, 0, 0}};
        s[1] = nc_add(s[0], nc_v3(0.3, nc_random_range(&random, -1, 1), 1));
        nc_vec3 v[6] = {t[0], t[1], t[2], s[0], s[1], {0, 0, 0}};
        const nc_pose pose = {random_in(&random, 10), nc_q4(1, 0.3, nc_random_unit(&random), 0.2)};
        for (int i = 0; i < 6; i++)
            v[i] = nc_pose_apply(pose, v[i]);
        nc_distance d = nc_distance_point_triangle(v[3], v);
        check_at_most(d.distance - d.lower_bound, 0x1p-48 * 16 + 0x1p-45 * d.distance);
        d = nc_distance_point_segment(v[3], v);
        check_at_most(d.distance - d.lower_bound, 0x1p-48 * 16 + 0x1p-45 * d.distance);
        d = nc_distance_segment_segment(v, v + 3);
        check_at_most(d.distance - d.lower_bound, 0x1p-48 * 16 + 0x1p-45 * d.distance);
    }
}

static void numbers_out_of_range_have_no_certified_distance(void **state)
{
    (void)state;
    const double bad[] = {0x1.1p100, 1e200, 1e308, INFINITY, NAN};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const nc_vec3 t[3] = {{0, 0, 0}, {bad[i], 0, 0}, {0, 4, 0}};
        assert_true(nc_distance_point_triangle(nc_v3(1, 1, 3), t).lower_bound == 0);
        assert_true(nc_distance_point_segment(nc_v3(1, 1, 3), t).lower_bound == 0);
        assert_true(nc_distance_segment_segment(t, t).lower_bound == 0);
    }
}

// ---- four at a time -----------------------------------------------------------------------------------------------

// Corners of boxes: ties, places at corners and on sides, zeros of both signs.
static void make_on_grid(nc_random *random, nc_vec3 *v, int count)
{
    static const double at[] = {-1, -0.0, 0, 0.5, 1, 1};
    for (int i = 0; i < count; i++)
        v[i] = nc_v3(at[nc_random_u64(random) % 6], at[nc_random_u64(random) % 6], at[nc_random_u64(random) % 6]);
}

// A needle whose normal has squares that underflow, and a point so near it that rounding has the nearest direction.
static void make_on_needle(nc_random *random, nc_vec3 *p, nc_vec3 t[3])
{
    const double length = nc_random_range(random, 0.5, 4), at = nc_random_range(random, 0, length);
    const int across = -350 - (int)(nc_random_u64(random) % 400), above = -60 - (int)(nc_random_u64(random) % 80);
    t[0] = nc_v3(0, 0, 0);
    t[1] = nc_v3(length, 0, 0);
    t[2] = nc_v3(nc_random_range(random, 0, length), ldexp(1, across), 0);
    *p = nc_v3(at, 0, ldexp(1, above));
}

static void make_lane(nc_random *random, int family, nc_vec3 p[2], nc_vec3 t[3])
{
    static const double bad[] = {0x1.1p100, 1e300, INFINITY, NAN, 0x1p-1074};
    if (family < FAMILIES)
        make_features(random, family, p, 1, t, 3);
    else if (family == FAMILIES + 1)
        make_on_needle(random, p, t);
    else {
        make_on_grid(random, p, 1);
        make_on_grid(random, t, 3);
    }
    if (nc_random_u64(random) % 64 != 0)
        return;
    const uint64_t corner = nc_random_u64(random) % 4, axis = nc_random_u64(random) % 3;
    nc_vec3 *v = corner < 3 ? &t[corner] : p;
    *(axis == 0 ? &v->x : axis == 1 ? &v->y : &v->z) = bad[nc_random_u64(random) % 5];
}

static void put(nc_point_triangles *in, int k, nc_vec3 p, const nc_vec3 t[3])
{
    for (int j = 0; j < 4; j++) {
        const nc_vec3 v = j < 3 ? t[j] : p;
        double(*to)[NC_LANES] = j < 3 ? in->t[j] : in->p;
        to[0][k] = v.x;
        to[1][k] = v.y;
        to[2][k] = v.z;
    }
}

static void four_triangles_at_a_time_have_the_bits_of_each_alone(void **state)
{
    (void)state;
    nc_random random = {check_seed("four", 25)};
    for (int n = 0; n < check_effort(20000); n++)
        for (int family = 0; family <= FAMILIES + 1; family++) {
            nc_point_triangles in = {0};
            nc_distance alone[NC_LANES], out[NC_LANES];
            const int count = n % 8 == 7 ? 1 + n / 8 % NC_LANES : NC_LANES;
            for (int k = 0; k < count; k++) {
                nc_vec3 p[2], t[3];
                make_lane(&random, family, p, t);
                put(&in, k, p[0], t);
                alone[k] = nc_distance_point_triangle(p[0], t);
            }
            for (int copy = 0; copy < NC_COPIES; copy++) {
                if (!nc_has_copy((nc_copy)copy))
                    continue;
                nc_distance_point_triangles_by((nc_copy)copy, &in, count, out);
                assert_memory_equal(out, alone, (size_t)count * sizeof *out);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_distances_are_exact),
        cmocka_unit_test(point_segment_is_right_to_rounding_and_its_bound_is_certified),
        cmocka_unit_test(point_triangle_is_right_to_rounding_and_its_bound_is_certified),
        cmocka_unit_test(segment_segment_is_right_to_rounding_and_its_bound_is_certified),
        cmocka_unit_test(lower_bound_is_tight_for_well_shaped_features),
        cmocka_unit_test(four_triangles_at_a_time_have_the_bits_of_each_alone),
        cmocka_unit_test(numbers_out_of_range_have_no_certified_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
