// The exact predicates against GMP. The file under test is included, so that each of its stages can be asked alone.
#include "check.h"

#include <gmp.h>

#include "math/orient.c" // NOLINT: on purpose, see above

// ---- the oracle ---------------------------------------------------------------------------------------------

// p[i] / 2^unit as a whole number.
static void whole_of(mpz_t out, double value, int unit)
{
    int exponent;
    mpz_set_d(out, ldexp(frexp(value, &exponent), 53));
    mpz_mul_2exp(out, out, (mp_bitcnt_t)(value == 0 ? 0 : exponent - 53 - unit));
}

typedef struct exact {
    mpz_t m[9], minor, term, sum;
} exact;

static void exact_init(exact *e)
{
    for (int i = 0; i < 9; i++)
        mpz_init(e->m[i]);
    mpz_inits(e->minor, e->term, e->sum, NULL);
}

static void exact_clear(exact *e)
{
    for (int i = 0; i < 9; i++)
        mpz_clear(e->m[i]);
    mpz_clears(e->minor, e->term, e->sum, NULL);
}

static int least_unit(const double *p, int count)
{
    int unit = 2000;
    for (int i = 0; i < count; i++) {
        int exponent = 2000;
        if (p[i] != 0)
            frexp(p[i], &exponent);
        if (exponent - 53 < unit)
            unit = exponent - 53;
    }
    return unit;
}

// The sign of det[a-d, b-d, c-d] over the rationals (times a common denominator).
static int exact_orient3d(exact *e, const double p[12])
{
    const int unit = least_unit(p, 12);
    for (int i = 0; i < 9; i++) {
        whole_of(e->term, p[i], unit);
        whole_of(e->minor, p[9 + i % 3], unit);
        mpz_sub(e->m[i], e->term, e->minor);
    }
    mpz_set_ui(e->sum, 0);
    for (int i = 0; i < 3; i++) {
        const int j = 3 * ((i + 1) % 3), k = 3 * ((i + 2) % 3);
        mpz_mul(e->minor, e->m[j + 1], e->m[k + 2]);
        mpz_submul(e->minor, e->m[j + 2], e->m[k + 1]);
        mpz_addmul(e->sum, e->m[3 * i], e->minor);
    }
    return mpz_sgn(e->sum);
}

// The same by mpq, without any thought about units: the oracle's oracle.
static int rational_orient3d(const double p[12])
{
    mpq_t m[9], a, b, sum;
    mpq_inits(a, b, sum, NULL);
    for (int i = 0; i < 9; i++) {
        mpq_init(m[i]);
        mpq_set_d(a, p[i]);
        mpq_set_d(b, p[9 + i % 3]);
        mpq_sub(m[i], a, b);
    }
    for (int i = 0; i < 3; i++) {
        const int j = 3 * ((i + 1) % 3), k = 3 * ((i + 2) % 3);
        mpq_mul(a, m[j + 1], m[k + 2]);
        mpq_mul(b, m[j + 2], m[k + 1]);
        mpq_sub(a, a, b);
        mpq_mul(a, a, m[3 * i]);
        mpq_add(sum, sum, a);
    }
    const int sign = mpq_sgn(sum);
    for (int i = 0; i < 9; i++)
        mpq_clear(m[i]);
    mpq_clears(a, b, sum, NULL);
    return sign;
}

static int exact_orient2d(exact *e, const double p[6])
{
    const int unit = least_unit(p, 6);
    for (int i = 0; i < 4; i++) {
        whole_of(e->term, p[i], unit);
        whole_of(e->minor, p[4 + i % 2], unit);
        mpz_sub(e->m[i], e->term, e->minor);
    }
    mpz_mul(e->sum, e->m[0], e->m[3]);
    mpz_submul(e->sum, e->m[1], e->m[2]);
    return mpz_sgn(e->sum);
}

// ---- cases --------------------------------------------------------------------------------------------------

static double any_number(nc_random *random, int spread)
{
    const int exponent = (int)nc_random_range(random, -spread, spread + 1);
    return ldexp(nc_random_range(random, -1, 1), exponent);
}

static double few_steps_away(nc_random *random, double value)
{
    const int steps = (int)(nc_random_u64(random) % 5) - 2;
    for (int i = 0; i < abs(steps); i++)
        value = nextafter(value, steps < 0 ? -INFINITY : INFINITY);
    return value;
}

// d in the plane of a, b, c, rounded, then moved by up to two steps of the last place.
static void rounded_into_the_plane(nc_random *random, double p[12])
{
    for (int i = 0; i < 9; i++)
        p[i] = nc_random_range(random, -1, 1);
    const double s = nc_random_range(random, -1, 2), t = nc_random_range(random, -1, 2);
    for (int k = 0; k < 3; k++)
        p[9 + k] = few_steps_away(random, p[k] + s * (p[3 + k] - p[k]) + t * (p[6 + k] - p[k]));
}

// Small whole numbers far from the origin, in a random order of size: many are exactly degenerate.
static void lattice_with_offset(nc_random *random, double p[12])
{
    const double offset = ldexp(1.0, (int)nc_random_range(random, 0, 50));
    for (int i = 0; i < 12; i++)
        p[i] = (double)(nc_random_u64(random) % 4) + (i % 3 == 0 ? offset : 0.0);
    const uint64_t moved = nc_random_u64(random) % 24;
    if (moved < 12)
        p[moved] += ldexp(1.0, (int)nc_random_range(random, -100, -40));
}

// Four points within a few units in the last place of each other: every difference is a few bits.
static void clustered(nc_random *random, double p[12])
{
    for (int k = 0; k < 3; k++) {
        const double center = nc_random_range(random, -1, 1);
        for (int i = 0; i < 4; i++)
            p[3 * i + k] = few_steps_away(random, center);
    }
}

// Three points on a line, rounded, and any fourth.
static void nearly_collinear(nc_random *random, double p[12])
{
    const double s = nc_random_range(random, -2, 2);
    for (int k = 0; k < 3; k++) {
        p[k] = any_number(random, 3);
        p[3 + k] = any_number(random, 3);
        p[6 + k] = few_steps_away(random, p[k] + s * (p[3 + k] - p[k]));
        p[9 + k] = any_number(random, 3);
    }
}

// The plane z = y moved far out, where z - y is lost in rounding but not quite.
static void thin_wedge(nc_random *random, double p[12])
{
    for (int i = 0; i < 4; i++) {
        p[3 * i] = any_number(random, 20);
        p[3 * i + 1] = any_number(random, 20);
        p[3 * i + 2] = few_steps_away(random, p[3 * i + 1]);
    }
}

static void mixed_sizes(nc_random *random, double p[12])
{
    for (int i = 0; i < 12; i++)
        p[i] = nc_random_u64(random) % 8 == 0 ? 0.0 : any_number(random, 90);
}

typedef void (*make_case)(nc_random *random, double p[12]);
static const make_case kinds[] = {rounded_into_the_plane, lattice_with_offset, clustered,
                                  nearly_collinear,       thin_wedge,          mixed_sizes};
#define KIND_COUNT 6

static nc_vec3 point(const double p[12], int i)
{
    return nc_v3(p[3 * i], p[3 * i + 1], p[3 * i + 2]);
}

static int sign_by_nacre(const double p[12])
{
    return nc_orient3d(point(p, 0), point(p, 1), point(p, 2), point(p, 3));
}

static void fail_with(const double p[12], int found, int wanted)
{
    for (int i = 0; i < 4; i++)
        print_error("%a %a %a\n", p[3 * i], p[3 * i + 1], p[3 * i + 2]);
    print_error("found %d, exact %d\n", found, wanted);
    fail();
}

// ---- tests --------------------------------------------------------------------------------------------------

static double permanent_of(const double p[12])
{
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        const int j = 3 * ((i + 1) % 3), k = 3 * ((i + 2) % 3);
        const double x = fabs(p[3 * i] - p[9]);
        sum += x * fabs((p[j + 1] - p[10]) * (p[k + 2] - p[11])) + x * fabs((p[j + 2] - p[11]) * (p[k + 1] - p[10]));
    }
    return sum;
}

static void orient3d_agrees_with_gmp_in_near_degenerate_cases(void **state)
{
    (void)state;
    nc_random random = {check_seed("orient3d", 11)};
    exact e;
    exact_init(&e);
    int by_sign[3] = {0}, by_twofolds = 0;
    const int count = check_effort(3000000);
    for (int i = 0; i < count; i++) {
        double p[12];
        kinds[i % KIND_COUNT](&random, p);
        const int wanted = exact_orient3d(&e, p), found = sign_by_nacre(p);
        if (found != wanted)
            fail_with(p, found, wanted);
        int stage_two = 0;
        if (twofold_orient3d(p, permanent_of(p), &stage_two)) {
            by_twofolds++;
            assert_int_equal(stage_two, wanted);
        }
        if (i % 16 == 0)
            assert_int_equal(whole_orient3d(p), wanted);
        by_sign[wanted + 1]++;
    }
    print_message("orient3d: %d cases: %d negative, %d zero, %d positive; twofolds would decide %d\n", count,
                  by_sign[0], by_sign[1], by_sign[2], by_twofolds);
    assert_true(by_sign[0] > count / 25 && by_sign[1] > count / 25 && by_sign[2] > count / 25);
    exact_clear(&e);
}

// Determinants whose size is within a factor of a few of stage 1's and stage 2's error bounds.
static void no_stage_accepts_a_wrong_sign_near_its_own_bound(void **state)
{
    (void)state;
    nc_random random = {check_seed("orient3d bounds", 12)};
    exact e;
    exact_init(&e);
    for (int i = check_effort(400000); i > 0; i--) {
        double p[12];
        rounded_into_the_plane(&random, p);
        const int depth = i % 2 ? -50 : -96;
        const int k = 9 + (int)(nc_random_u64(&random) % 3);
        p[k] += ldexp(nc_random_range(&random, -4, 4), depth);
        for (int j = 0; j < 3 && depth == -96; j++) // room for tiny differences: a plane through the origin's corner
            p[3 * j + k - 9] = ldexp(p[3 * j + k - 9], -46);
        const int wanted = exact_orient3d(&e, p), found = sign_by_nacre(p);
        if (found != wanted)
            fail_with(p, found, wanted);
    }
    exact_clear(&e);
}

static double any_double(nc_random *random)
{
    for (;;) {
        const uint64_t bits = nc_random_u64(random);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value))
            return value;
    }
}

// Subnormal, huge and mixed: outside the range of stages 1 and 2 the whole numbers decide.
static void orient3d_is_exact_for_all_finite_doubles(void **state)
{
    (void)state;
    nc_random random = {check_seed("orient3d extremes", 13)};
    static const double corners[] = {
        0,  -0.0, 0x1p-1074, -0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp+1023, 0x1p-300, 0x1p-301, 0x1p+300, 0x1p+301,
        -1, 1,    0x1p-537,  -0x1p-358,  0x1p+511,  -0x1.fffffffffffffp+1023};
    for (int i = check_effort(12000); i > 0; i--) {
        double p[12];
        const int small = (int)nc_random_range(&random, -1074, -900);
        for (int k = 0; k < 12; k++) {
            if (i % 3 == 0)
                p[k] = any_double(&random);
            else if (i % 3 == 1)
                p[k] = corners[nc_random_u64(&random) % 16];
            else
                p[k] = ldexp((double)(nc_random_u64(&random) % 5) - 2, small + k % 4);
        }
        const int wanted = rational_orient3d(p), found = sign_by_nacre(p);
        if (found != wanted)
            fail_with(p, found, wanted);
        exact e;
        exact_init(&e);
        assert_int_equal(exact_orient3d(&e, p), wanted);
        exact_clear(&e);
    }
}

// Near-degenerate cases shrunk or blown up until products leave the range of doubles.
static void near_degenerate_cases_are_exact_at_every_scale(void **state)
{
    (void)state;
    nc_random random = {check_seed("orient3d scales", 16)};
    exact e;
    exact_init(&e);
    for (int i = check_effort(300000); i > 0; i--) {
        double p[12];
        kinds[i % KIND_COUNT](&random, p);
        const int scale = (int)nc_random_range(&random, i % 2 ? -420 : -1074, i % 4 ? -180 : 900);
        for (int k = 0; k < 12; k++)
            p[k] = ldexp(p[k], scale);
        const int wanted = exact_orient3d(&e, p), found = sign_by_nacre(p);
        if (found != wanted)
            fail_with(p, found, wanted);
        const double plane[6] = {p[0], p[1], p[3], p[4], p[6], p[7]};
        assert_int_equal(nc_orient2d(point(p, 0), point(p, 1), point(p, 2), 2), exact_orient2d(&e, plane));
    }
    exact_clear(&e);
}

// A product that underflows must not decide anything, however large its partner.
static void underflow_and_overflow_do_not_fool_the_filter(void **state)
{
    (void)state;
    const double t = 0x1p-540;
    const double cases[][12] = {
        {0x1p+1000, 0, 0, 0, t, t, 0, t * 0x1.0000000000001p+0, t, 0, 0, 0},
        {0x1p+1000, 0, 0, 0, t, t, 0, t, t * 0x1.0000000000001p+0, 0, 0, 0},
        {0x1p+1023, 0, 0, 0, 0x1p+1023, 0, 0, 0, 0x1p+1023, -0x1p+1023, -0x1p+1023, -0x1p+1023},
        {0x1p-1074, 0, 0, 0, 0x1p-1074, 0, 0, 0, 0x1p-1074, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(sign_by_nacre(cases[i]), rational_orient3d(cases[i]));
}

static void orient3d_changes_sign_with_every_swap(void **state)
{
    (void)state;
    nc_random random = {check_seed("orient3d swaps", 14)};
    for (int i = 0; i < 100000; i++) {
        double p[12];
        kinds[i % KIND_COUNT](&random, p);
        const nc_vec3 a = point(p, 0), b = point(p, 1), c = point(p, 2), d = point(p, 3);
        const int sign = nc_orient3d(a, b, c, d);
        assert_int_equal(nc_orient3d(b, a, c, d), -sign);
        assert_int_equal(nc_orient3d(b, c, a, d), sign);
        assert_int_equal(nc_orient3d(a, b, d, c), -sign);
        assert_int_equal(nc_orient3d(d, b, c, a), -sign);
    }
}

static void orient2d_agrees_with_gmp_in_every_plane(void **state)
{
    (void)state;
    nc_random random = {check_seed("orient2d", 15)};
    exact e;
    exact_init(&e);
    int zeros = 0;
    const int count = check_effort(1000000);
    for (int i = 0; i < count; i++) {
        double p[12];
        kinds[i % KIND_COUNT](&random, p);
        if (i % 7 == 0) // on a line, rounded
            for (int k = 0; k < 3; k++)
                p[6 + k] = few_steps_away(&random, p[k] + 0.37 * (p[3 + k] - p[k]));
        if (i % 101 == 0)
            p[i % 9] = i % 2 ? any_double(&random) : 0x1p-1074;
        const int drop = i % 3, u = (drop + 1) % 3, v = (drop + 2) % 3;
        const double plane[6] = {p[u], p[v], p[3 + u], p[3 + v], p[6 + u], p[6 + v]};
        const int wanted = exact_orient2d(&e, plane);
        const int found = nc_orient2d(point(p, 0), point(p, 1), point(p, 2), drop);
        if (found != wanted)
            fail_with(p, found, wanted);
        zeros += wanted == 0;
    }
    print_message("orient2d: %d cases, %d zero\n", count, zeros);
    exact_clear(&e);
}

static void signs_follow_the_right_hand(void **state)
{
    (void)state;
    const nc_vec3 o = {0, 0, 0}, x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    assert_int_equal(nc_orient3d(o, x, y, z), -1); // z is above the plane that o, x, y run round counterclockwise
    assert_int_equal(nc_orient3d(o, x, y, nc_neg(z)), 1);
    assert_int_equal(nc_orient2d(o, x, y, 2), 1);
    assert_int_equal(nc_orient2d(o, y, z, 0), 1);
    assert_int_equal(nc_orient2d(o, z, x, 1), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signs_follow_the_right_hand),
        cmocka_unit_test(orient3d_agrees_with_gmp_in_near_degenerate_cases),
        cmocka_unit_test(no_stage_accepts_a_wrong_sign_near_its_own_bound),
        cmocka_unit_test(orient3d_is_exact_for_all_finite_doubles),
        cmocka_unit_test(near_degenerate_cases_are_exact_at_every_scale),
        cmocka_unit_test(underflow_and_overflow_do_not_fool_the_filter),
        cmocka_unit_test(orient3d_changes_sign_with_every_swap),
        cmocka_unit_test(orient2d_agrees_with_gmp_in_every_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
