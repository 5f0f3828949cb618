// nc_sincos, nc_atan2 and nc_acos against MPFR. The bounds asserted are those of docs/theory/arithmetic.md.
#include "check.h"

#include <mpfr.h>

#include "math/math.h"

#define SINCOS_ULPS 0.52
#define ATAN2_ULPS  0.51
#define ACOS_ULPS   0.51

// |value - exact| in units in the last place of the exact result (of the smallest normal where it is smaller).
static double error_in_ulps(double value, mpfr_t exact)
{
    if (mpfr_zero_p(exact))
        return value == 0 ? 0 : INFINITY;
    mpfr_exp_t exponent = mpfr_get_exp(exact); // |exact| in [2^(e-1), 2^e)
    if (exponent < -1021)
        exponent = -1021;
    mpfr_t difference;
    mpfr_init2(difference, 256);
    mpfr_set_d(difference, value, MPFR_RNDN);
    mpfr_sub(difference, difference, exact, MPFR_RNDN);
    mpfr_mul_2si(difference, difference, 53 - (long)exponent, MPFR_RNDN);
    const double ulps = fabs(mpfr_get_d(difference, MPFR_RNDN));
    mpfr_clear(difference);
    return ulps;
}

static double any_finite(nc_random *random)
{
    for (;;) {
        const uint64_t bits = nc_random_u64(random);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value))
            return value;
    }
}

// Angles of every kind: small, ordinary, near multiples of pi/2, huge.
static double any_angle(nc_random *random, int kind)
{
    const double unit = nc_random_range(random, -1, 1);
    switch (kind % 4) {
    case 0:
        return 10 * unit;
    case 1:
        return floor(0x1p+30 * unit) * (NC_PI / 2);
    case 2:
        return ldexp(unit, (int)nc_random_range(random, -30, 60));
    default:
        return any_finite(random);
    }
}

static void check_sincos(double angle, double *worst)
{
    double sine, cosine;
    nc_sincos(angle, &sine, &cosine);
    mpfr_t s, c;
    mpfr_init2(s, 256);
    mpfr_init2(c, 256);
    mpfr_set_d(s, angle, MPFR_RNDN);
    mpfr_sin_cos(s, c, s, MPFR_RNDN);
    const double error = fmax(error_in_ulps(sine, s), error_in_ulps(cosine, c));
    if (!(error <= SINCOS_ULPS))
        print_error("angle %a: sine %a, cosine %a, %g ulps\n", angle, sine, cosine, error);
    check_at_most(error, SINCOS_ULPS);
    *worst = fmax(*worst, error);
    mpfr_clear(s);
    mpfr_clear(c);
}

static void sincos_is_within_its_bound_for_all_angles(void **state)
{
    (void)state;
    nc_random random = {check_seed("sincos", 1)};
    double worst = 0;
    for (int i = check_effort(400000); i > 0; i--)
        check_sincos(any_angle(&random, i), &worst);
    print_message("sincos: worst %.4f ulps\n", worst);
}

// The doubles nearest to a multiple of pi/2: what range reductions fail on.
static void sincos_is_within_its_bound_at_the_hardest_angles(void **state)
{
    (void)state;
    static const double angles[] = {0x1.6ac5b262ca1ffp+849,
                                    0x1.921fb54442d18p+0,
                                    0x1.921fb54442d18p+1,
                                    0x1.921fb54442d18p+40,
                                    0x1.fffffffffffffp+1023,
                                    0x1p+1023,
                                    0x1p-28,
                                    0x1.fffffffffffffp-29,
                                    0.75,
                                    0x1.8000000000001p-1,
                                    0x1.921fb54442d18p-1,
                                    0x1.921fb54442d19p-1,
                                    0x1p-1022,
                                    0x0.0000000000001p-1022,
                                    0x1.45f306dc9c883p+79,
                                    0x1.1fb5e8f6d1b13p+87,
                                    0x1.0b3366508957ep+525,
                                    0x1.6e87e2dce24f5p+3};
    double worst = 0;
    for (size_t i = 0; i < sizeof angles / sizeof angles[0]; i++) {
        check_sincos(angles[i], &worst);
        check_sincos(-angles[i], &worst);
    }
}

static void sincos_keeps_signs_of_zero_and_refuses_what_is_not_finite(void **state)
{
    (void)state;
    double s, c;
    nc_sincos(0.0, &s, &c);
    assert_true(s == 0 && !signbit(s) && c == 1);
    nc_sincos(-0.0, &s, &c);
    assert_true(s == 0 && signbit(s) && c == 1);
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        nc_sincos(bad[i], &s, &c);
        assert_true(isnan(s) && isnan(c));
    }
}

static void check_atan2(double y, double x, double *worst)
{
    const double angle = nc_atan2(y, x);
    mpfr_t my, mx;
    mpfr_init2(my, 256);
    mpfr_init2(mx, 256);
    mpfr_set_d(my, y, MPFR_RNDN);
    mpfr_set_d(mx, x, MPFR_RNDN);
    mpfr_atan2(my, my, mx, MPFR_RNDN);
    const double error = error_in_ulps(angle, my);
    if (!(error <= ATAN2_ULPS) || (angle == 0 && signbit(angle) != signbit(y)))
        print_error("atan2(%a, %a) = %a, %g ulps\n", y, x, angle, error);
    assert_true(angle != 0 || signbit(angle) == signbit(y));
    check_at_most(error, ATAN2_ULPS);
    *worst = fmax(*worst, error);
    mpfr_clear(my);
    mpfr_clear(mx);
}

static void atan2_is_within_its_bound_in_all_quadrants(void **state)
{
    (void)state;
    nc_random random = {check_seed("atan2", 2)};
    double worst = 0;
    for (int i = check_effort(300000); i > 0; i--) {
        double y = nc_random_range(&random, -1, 1), x = nc_random_range(&random, -1, 1);
        if (i % 3 == 1)
            y = ldexp(y, (int)nc_random_range(&random, -70, 70));
        if (i % 3 == 2) {
            y = any_finite(&random);
            x = any_finite(&random);
        }
        check_atan2(y, x, &worst);
    }
    print_message("atan2: worst %.4f ulps\n", worst);
}

static void quick_atan2_is_within_its_bound_of_the_careful_one(void **state)
{
    (void)state;
    nc_random random = {check_seed("quick atan2", 3)};
    for (int i = check_effort(1000000); i > 0; i--) {
        const double y = ldexp(nc_random_range(&random, -1, 1), (int)nc_random_range(&random, -400, 400) * (i % 2));
        double x = ldexp(nc_random_range(&random, -1, 1), (int)nc_random_range(&random, -400, 400) * (i % 3 == 0));
        if (i % 5 == 0) // near the places where the reduction changes
            x = y * floor(nc_random_range(&random, -40, 40)) / 16 * (1 + nc_random_range(&random, -1e-15, 1e-15));
        const double careful = nc_atan2(y, x);
        check_near(nc_atan2_quick(y, x), careful, 4.5 * NC_UNIT_ROUNDOFF * fabs(careful));
    }
    assert_true(nc_atan2_quick(0, 0) == 0 && nc_atan2_quick(0, 2) == 0 && isnan(nc_atan2_quick(NAN, 1)));
}

static void quick_atan2_of_many_is_that_of_each_to_the_bit(void **state)
{
    (void)state;
    nc_random random = {check_seed("quick atan2 of many", 4)};
    for (int i = check_effort(200000); i > 0; i--) {
        double y[8], x[8], many[8];
        for (int k = 0; k < 8; k++) {
            y[k] = ldexp(nc_random_range(&random, -1, 1), (int)nc_random_range(&random, -400, 400) * (i % 2));
            x[k] = ldexp(nc_random_range(&random, -1, 1), (int)nc_random_range(&random, -400, 400) * (i % 3 == 0));
            if (i % 5 == 0)
                x[k] = y[k] * floor(nc_random_range(&random, -40, 40)) / 16;
            if (i % 7 == 0)
                (k % 2 == 0 ? y : x)[k] = k % 4 < 2 ? 0.0 : -0.0;
            x[k] = x[k] == 0 && y[k] == 0 ? 1 : x[k];
        }
        nc_atan2_quick_many(y, x, many, 8);
        for (int k = 0; k < 8; k++) {
            const double one = nc_atan2_quick(y[k], x[k]);
            assert_memory_equal(&one, &many[k], sizeof one);
        }
    }
}

static void atan2_is_right_at_zeros_and_infinities(void **state)
{
    (void)state;
    static const double values[] = {0.0, -0.0, 1, -1, INFINITY, -INFINITY, 0x1p-1074, -0x1p-1074, 0x1p+1023, 0x1p-1022};
    const size_t count = sizeof values / sizeof values[0];
    double worst = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            check_atan2(values[i], values[j], &worst);
    assert_true(isnan(nc_atan2(NAN, 1)) && isnan(nc_atan2(1, NAN)));
}

static void check_acos(double c, double *worst)
{
    mpfr_t exact;
    mpfr_init2(exact, 256);
    mpfr_set_d(exact, c, MPFR_RNDN);
    mpfr_acos(exact, exact, MPFR_RNDN);
    const double error = error_in_ulps(nc_acos(c), exact);
    if (!(error <= ACOS_ULPS))
        print_error("acos(%a) = %a, %g ulps\n", c, nc_acos(c), error);
    check_at_most(error, ACOS_ULPS);
    *worst = fmax(*worst, error);
    mpfr_clear(exact);
}

static void acos_is_within_its_bound_also_near_one(void **state)
{
    (void)state;
    nc_random random = {check_seed("acos", 3)};
    double worst = 0;
    for (int i = check_effort(200000); i > 0; i--) {
        const int exponent = (int)nc_random_range(&random, -60, 0);
        const double tiny = ldexp(nc_random_unit(&random), exponent);
        const double sign = i % 2 ? 1 : -1;
        check_acos(i % 3 == 0 ? sign * (1 - tiny) : sign * tiny, &worst);
    }
    const double corners[] = {1, -1, 0, -0.0, 0x1.fffffffffffffp-1, -0x1.fffffffffffffp-1, 0x1p-1074, 0.5};
    for (int i = 0; i < 8; i++)
        check_acos(corners[i], &worst);
    print_message("acos: worst %.4f ulps\n", worst);
    assert_true(isnan(nc_acos(0x1.0000000000001p+0)) && isnan(nc_acos(-2)) && isnan(nc_acos(NAN)));
}

// The same bits everywhere: a hash of many results, written down once.
static void elementary_functions_give_the_same_bits_in_every_build(void **state)
{
    (void)state;
    nc_random random = {7};
    uint64_t hash = NC_HASH_START;
    for (int i = 0; i < 20000; i++) {
        const double a = any_angle(&random, i), b = nc_random_range(&random, -1, 1);
        double s, c;
        nc_sincos(a, &s, &c);
        hash = nc_hash_double(nc_hash_double(hash, s), c);
        hash = nc_hash_double(nc_hash_double(hash, nc_atan2(a, b)), nc_acos(b));
    }
    assert_int_equal(hash, UINT64_C(0x4ada3d8178f2237e));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sincos_is_within_its_bound_for_all_angles),
        cmocka_unit_test(sincos_is_within_its_bound_at_the_hardest_angles),
        cmocka_unit_test(sincos_keeps_signs_of_zero_and_refuses_what_is_not_finite),
        cmocka_unit_test(atan2_is_within_its_bound_in_all_quadrants),
        cmocka_unit_test(quick_atan2_is_within_its_bound_of_the_careful_one),
        cmocka_unit_test(quick_atan2_of_many_is_that_of_each_to_the_bit),
        cmocka_unit_test(atan2_is_right_at_zeros_and_infinities),
        cmocka_unit_test(acos_is_within_its_bound_also_near_one),
        cmocka_unit_test(elementary_functions_give_the_same_bits_in_every_build),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
