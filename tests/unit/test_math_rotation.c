// Rotation vectors, quaternions, matrices and eigen decomposition. Bounds as in docs/theory/arithmetic.md.
#include "check.h"

#include <mpfr.h>

#include "math/math.h"

#define U NC_UNIT_ROUNDOFF

// ---- rotation vectors against MPFR --------------------------------------------------------------------------

typedef struct precise {
    mpfr_t length, part, sine, cosine, t;
} precise;

static void precise_init(precise *m)
{
    mpfr_inits2(256, m->length, m->part, m->sine, m->cosine, m->t, (mpfr_ptr)0);
}

static void precise_clear(precise *m)
{
    mpfr_clears(m->length, m->part, m->sine, m->cosine, m->t, (mpfr_ptr)0);
}

static void precise_norm(precise *m, nc_vec3 v)
{
    const double part[3] = {v.x, v.y, v.z};
    mpfr_set_zero(m->length, 1);
    for (int i = 0; i < 3; i++) {
        mpfr_set_d(m->t, part[i], MPFR_RNDN);
        mpfr_sqr(m->t, m->t, MPFR_RNDN);
        mpfr_add(m->length, m->length, m->t, MPFR_RNDN);
    }
    mpfr_sqrt(m->length, m->length, MPFR_RNDN);
}

// |value - factor x| / size, for a factor and a size given as mpfr.
static double error_of(precise *m, double value, mpfr_t factor, double x, mpfr_t size)
{
    mpfr_mul_d(m->t, factor, x, MPFR_RNDN);
    mpfr_d_sub(m->t, value, m->t, MPFR_RNDN);
    mpfr_div(m->t, m->t, size, MPFR_RNDN);
    return fabs(mpfr_get_d(m->t, MPFR_RNDU));
}

static nc_vec3 any_vector(nc_random *random, double size)
{
    const double x = nc_random_range(random, -1, 1), y = nc_random_range(random, -1, 1);
    return nc_scale(size, nc_v3(x, y, nc_random_range(random, -1, 1)));
}

static double largest3(double a, double b, double c)
{
    return fmax(fmax(a, b), c);
}

// The largest error of a component of q, relative to |sin(|v| / 2)| for x, y, z and to 1 for w.
static double exp_error(precise *m, nc_vec3 v)
{
    const nc_quat q = nc_quat_from_rotation_vector(v);
    precise_norm(m, v);
    mpfr_div_2ui(m->part, m->length, 1, MPFR_RNDN);
    mpfr_sin_cos(m->sine, m->cosine, m->part, MPFR_RNDN);
    mpfr_sub_d(m->t, m->cosine, q.w, MPFR_RNDN);
    const double w_error = fabs(mpfr_get_d(m->t, MPFR_RNDU));
    mpfr_div(m->part, m->sine, m->length, MPFR_RNDN);
    return fmax(w_error, largest3(error_of(m, q.x, m->part, v.x, m->sine), error_of(m, q.y, m->part, v.y, m->sine),
                                  error_of(m, q.z, m->part, v.z, m->sine)));
}

static void exponential_is_relatively_accurate_for_angles_up_to_pi(void **state)
{
    (void)state;
    nc_random random = {check_seed("exp", 21)};
    precise m;
    precise_init(&m);
    double worst = 0;
    for (int i = check_effort(60000); i > 0; i--) {
        const double size = i % 2 ? 1.8 : ldexp(1.0, (int)nc_random_range(&random, -1000, 0));
        const double error = exp_error(&m, any_vector(&random, size));
        check_at_most(error, 8 * U);
        worst = fmax(worst, error);
    }
    print_message("exp: worst %.2f u\n", worst / U);
    precise_clear(&m);
}

// Angles are not reduced before the sine: the error grows with the angle, and only so.
static void exponential_of_large_angles_has_its_stated_error(void **state)
{
    (void)state;
    nc_random random = {check_seed("exp of large angles", 22)};
    precise m;
    precise_init(&m);
    for (int i = check_effort(30000); i > 0; i--) {
        const nc_vec3 v = any_vector(&random, ldexp(1.0, (int)nc_random_range(&random, 0, 40)));
        const nc_quat q = nc_quat_from_rotation_vector(v);
        precise_norm(&m, v);
        mpfr_div_2ui(m.part, m.length, 1, MPFR_RNDN);
        mpfr_sin_cos(m.sine, m.cosine, m.part, MPFR_RNDN);
        mpfr_div(m.part, m.sine, m.length, MPFR_RNDN);
        mpfr_set_ui(m.sine, 1, MPFR_RNDN);
        const double error = largest3(error_of(&m, q.x, m.part, v.x, m.sine), error_of(&m, q.y, m.part, v.y, m.sine),
                                      error_of(&m, q.z, m.part, v.z, m.sine));
        check_at_most(error, (1.25 * nc_norm(v) + 8) * U);
        mpfr_sub_d(m.t, m.cosine, q.w, MPFR_RNDN);
        check_at_most(fabs(mpfr_get_d(m.t, MPFR_RNDU)), (1.25 * nc_norm(v) + 8) * U);
    }
    precise_clear(&m);
}

static double log_error(precise *m, nc_quat q)
{
    const nc_vec3 v = nc_quat_rotation_vector(q), axis = nc_v3(q.x, q.y, q.z);
    precise_norm(m, axis);
    mpfr_set_d(m->t, fabs(q.w), MPFR_RNDN);
    mpfr_atan2(m->part, m->length, m->t, MPFR_RNDN);
    mpfr_mul_si(m->sine, m->part, 2, MPFR_RNDN); // the angle
    mpfr_div(m->part, m->sine, m->length, MPFR_RNDN);
    if (signbit(q.w))
        mpfr_neg(m->part, m->part, MPFR_RNDN);
    return largest3(error_of(m, v.x, m->part, q.x, m->sine), error_of(m, v.y, m->part, q.y, m->sine),
                    error_of(m, v.z, m->part, q.z, m->sine));
}

static void logarithm_is_relatively_accurate_for_tiny_angles_and_near_pi(void **state)
{
    (void)state;
    nc_random random = {check_seed("log", 23)};
    precise m;
    precise_init(&m);
    double worst = 0;
    for (int i = check_effort(60000); i > 0; i--) {
        const double length = ldexp(1.0, (int)nc_random_range(&random, -200, 200));
        const double axis_size = i % 3 == 0 ? 1 : ldexp(1.0, (int)nc_random_range(&random, -500, 0));
        const double w_size = i % 3 == 2 ? 1 : ldexp(1.0, (int)nc_random_range(&random, -500, 0));
        const nc_vec3 axis = any_vector(&random, length * axis_size);
        const double w = length * w_size * nc_random_range(&random, -1, 1);
        const double error = log_error(&m, nc_q4(w, axis.x, axis.y, axis.z));
        check_at_most(error, 8 * U);
        worst = fmax(worst, error);
    }
    print_message("log: worst %.2f u\n", worst / U);
    precise_clear(&m);
}

static void no_rotation_is_exact(void **state)
{
    (void)state;
    const nc_quat q = nc_quat_from_rotation_vector(nc_v3(0, -0.0, 0));
    assert_true(q.w == 1 && q.x == 0 && q.y == 0 && q.z == 0);
    const nc_vec3 v = nc_quat_rotation_vector(nc_q4(-3, 0, 0, 0));
    assert_true(v.x == 0 && v.y == 0 && v.z == 0);
}

static void half_a_turn_has_length_pi_and_the_axis_given(void **state)
{
    (void)state;
    const nc_vec3 v = nc_quat_rotation_vector(nc_q4(0, 0, -2, 0));
    assert_true(v.x == 0 && v.y == -NC_PI && v.z == 0);
    const nc_vec3 back = nc_quat_rotation_vector(nc_quat_from_rotation_vector(nc_v3(1.5 * NC_PI, 0, 0)));
    check_near(back.x, -0.5 * NC_PI, 8 * U * NC_PI);
}

static void what_is_not_finite_stays_visible(void **state)
{
    (void)state;
    assert_false(nc_finite4(nc_quat_from_rotation_vector(nc_v3(NAN, 1, 1))));
    assert_false(nc_finite4(nc_quat_from_rotation_vector(nc_v3(1, INFINITY, 1))));
    assert_false(nc_finite3(nc_quat_rotation_vector(nc_q4(1, NAN, 1, 1))));
    assert_false(nc_finite3(nc_quat_rotation_vector(nc_q4(NAN, 1, 1, 1))));
}

// ---- matrices -----------------------------------------------------------------------------------------------

static nc_quat any_rotation(nc_random *random, int kind)
{
    const nc_vec3 axis = any_vector(random, 1);
    nc_quat q = nc_q4(nc_random_range(random, -1, 1), axis.x, axis.y, axis.z);
    if (kind % 5 == 1)
        q.w *= 1e-9; // near half a turn
    if (kind % 5 == 2)
        q = nc_q4(q.w, 1e-9 * q.x, 1e-9 * q.y, 1e-9 * q.z);
    if (kind % 5 == 3) // about an axis of the frame
        q = kind % 2 ? nc_q4(q.w, q.x, 0, 0) : nc_q4(0, 0, 0, q.z);
    return nc_quat_normalize(q);
}

static void matrix_and_quaternion_give_each_other_back(void **state)
{
    (void)state;
    nc_random random = {check_seed("matrices", 24)};
    double worst = 0;
    for (int i = check_effort(200000); i > 0; i--) {
        nc_quat q = any_rotation(&random, i);
        if (q.w < 0)
            q = nc_q4(-q.w, -q.x, -q.y, -q.z);
        const nc_quat r = nc_quat_from_matrix(nc_quat_matrix(q));
        const double same = largest3(fabs(q.x - r.x), fabs(q.y - r.y), fmax(fabs(q.z - r.z), fabs(q.w - r.w)));
        const double other = largest3(fabs(q.x + r.x), fabs(q.y + r.y), fmax(fabs(q.z + r.z), fabs(q.w + r.w)));
        const double error = q.w < 1e-8 ? fmin(same, other) : same; // at half a turn either sign is right
        assert_true(r.w >= 0);
        check_at_most(error, 16 * U);
        worst = fmax(worst, error);
    }
    print_message("matrix to quaternion: worst %.2f u\n", worst / U);
}

static void product_and_transpose_are_those_of_the_textbook(void **state)
{
    (void)state;
    const nc_mat3 a = {{{1, 2, 3}, {4, 5, 6}, {7, 8, 10}}}, b = {{{-1, 0, 2}, {3, 1, -2}, {5, 4, 1}}};
    const nc_mat3 ab = {{{20, 14, 1}, {41, 29, 4}, {67, 48, 8}}}, c = nc_mat3_multiply(a, b);
    assert_memory_equal(&ab, &c, sizeof c);
    const nc_mat3 at = {{{1, 4, 7}, {2, 5, 8}, {3, 6, 10}}}, t = nc_mat3_transpose(a);
    assert_memory_equal(&at, &t, sizeof t);
}

// ---- eigen decomposition ------------------------------------------------------------------------------------

// R(q) with the rounding of long doubles.
static void precise_matrix(nc_quat q, long double r[3][3])
{
    const long double w = q.w, x = q.x, y = q.y, z = q.z, s = 2 / (w * w + x * x + y * y + z * z);
    const long double m[3][3] = {{1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)},
                                 {s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)},
                                 {s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)}};
    memcpy(r, m, sizeof m);
}

// R diag(values) R^T
static void compose(nc_quat q, nc_vec3 values, long double out[3][3])
{
    long double r[3][3];
    precise_matrix(q, r);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[i][j] = r[i][0] * values.x * r[j][0] + r[i][1] * values.y * r[j][1] + r[i][2] * values.z * r[j][2];
}

// |m - R diag R^T| / |m|, Frobenius norms.
static double eigen_error(nc_mat3 m, nc_vec3 values, nc_quat axes)
{
    long double back[3][3], square = 0, size = 0;
    compose(axes, values, back);
    for (int i = 0; i < 3; i++) {
        const double row[3] = {m.row[i].x, m.row[i].y, m.row[i].z};
        for (int j = 0; j < 3; j++) {
            const long double d = row[j] - back[i][j];
            square += d * d;
            size += (long double)row[j] * row[j];
        }
    }
    return size == 0 ? (double)square : (double)sqrtl(square / size);
}

static nc_mat3 any_symmetric(nc_random *random, int kind)
{
    nc_vec3 values = any_vector(random, 1);
    if (kind % 4 == 1)
        values = nc_v3(values.x, 1000 * values.x, 1000 * values.x);
    if (kind % 4 == 2)
        values = nc_v3(1, 1, 1e-6);
    if (kind % 4 == 3)
        values = nc_v3(values.x, values.x * (1 + 1e-15), values.z * 1e-12);
    long double full[3][3];
    compose(any_rotation(random, kind / 4), values, full);
    const double size = ldexp(1.0, (int)nc_random_range(random, -300, 300));
    nc_mat3 m;
    m.row[0] = nc_scale(size, nc_v3((double)full[0][0], (double)full[0][1], (double)full[0][2]));
    m.row[1] = nc_scale(size, nc_v3((double)full[0][1], (double)full[1][1], (double)full[1][2]));
    m.row[2] = nc_scale(size, nc_v3((double)full[0][2], (double)full[1][2], (double)full[2][2]));
    return m;
}

static void eigenvectors_and_values_give_the_matrix_back(void **state)
{
    (void)state;
    nc_random random = {check_seed("eigen", 25)};
    double worst = 0;
    for (int i = check_effort(200000); i > 0; i--) {
        const nc_mat3 m = any_symmetric(&random, i);
        nc_vec3 values;
        nc_quat axes;
        nc_symmetric_eigen(m, &values, &axes);
        const double error = eigen_error(m, values, axes);
        check_at_most(error, 16 * U);
        worst = fmax(worst, error);
        assert_true(values.x <= values.y && values.y <= values.z && axes.w >= 0.5 - 8 * U);
        check_near(nc_quat_norm2(axes), 1, 8 * U);
    }
    print_message("eigen: worst %.2f u\n", worst / U);
}

static void diagonal_matrices_come_back_as_they_are(void **state)
{
    (void)state;
    const nc_mat3 sorted = {{{1, 0, 0}, {0, 2, 0}, {0, 0, 1e-300}}}, zero = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
    nc_vec3 values;
    nc_quat axes;
    nc_symmetric_eigen(sorted, &values, &axes);
    assert_true(values.x == 1e-300 && values.y == 1 && values.z == 2);
    check_at_most(eigen_error(sorted, values, axes), 8 * U);
    nc_symmetric_eigen(zero, &values, &axes);
    assert_true(nc_max3(values) == 0 && axes.w == 1 && axes.x == 0 && axes.y == 0 && axes.z == 0);
    const nc_mat3 one = {{{3, 0, 0}, {0, 3, 0}, {0, 0, 3}}};
    nc_symmetric_eigen(one, &values, &axes);
    assert_true(values.x == 3 && values.y == 3 && values.z == 3 && axes.w == 1);
}

static void eigen_reads_the_upper_triangle_only(void **state)
{
    (void)state;
    const nc_mat3 full = {{{2, 1, 0.5}, {1, 3, -1}, {0.5, -1, 1}}}, upper = {{{2, 1, 0.5}, {9, 3, -1}, {NAN, 7, 1}}};
    nc_vec3 values[2];
    nc_quat axes[2];
    nc_symmetric_eigen(full, &values[0], &axes[0]);
    nc_symmetric_eigen(upper, &values[1], &axes[1]);
    assert_memory_equal(&values[0], &values[1], sizeof values[0]);
    assert_memory_equal(&axes[0], &axes[1], sizeof axes[0]);
}

// The same bits everywhere: a hash of many results, written down once.
static void rotations_give_the_same_bits_in_every_build(void **state)
{
    (void)state;
    nc_random random = {8};
    uint64_t hash = NC_HASH_START;
    for (int i = 0; i < 5000; i++) {
        const nc_quat q = nc_quat_from_rotation_vector(any_vector(&random, i % 7));
        const nc_vec3 v = nc_quat_rotation_vector(q);
        const nc_mat3 r = nc_quat_matrix(q), symmetric = nc_mat3_multiply(r, nc_mat3_transpose(r));
        const nc_quat back = nc_quat_from_matrix(r);
        nc_vec3 values;
        nc_quat axes;
        const nc_vec3 a = nc_scale(2, r.row[0]), b = nc_v3(a.y, r.row[1].x, v.z),
                      c = nc_v3(a.z, b.z, symmetric.row[0].y);
        const nc_mat3 m = {{a, b, c}};
        nc_symmetric_eigen(m, &values, &axes);
        const double all[] = {q.w, q.x, v.x, v.z, back.w, back.y, values.x, values.z, axes.w, axes.z};
        for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
            hash = nc_hash_double(hash, all[k]);
    }
    assert_int_equal(hash, UINT64_C(0x807f847287086e11));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exponential_is_relatively_accurate_for_angles_up_to_pi),
        cmocka_unit_test(exponential_of_large_angles_has_its_stated_error),
        cmocka_unit_test(logarithm_is_relatively_accurate_for_tiny_angles_and_near_pi),
        cmocka_unit_test(no_rotation_is_exact),
        cmocka_unit_test(half_a_turn_has_length_pi_and_the_axis_given),
        cmocka_unit_test(what_is_not_finite_stays_visible),
        cmocka_unit_test(matrix_and_quaternion_give_each_other_back),
        cmocka_unit_test(product_and_transpose_are_those_of_the_textbook),
        cmocka_unit_test(eigenvectors_and_values_give_the_matrix_back),
        cmocka_unit_test(diagonal_matrices_come_back_as_they_are),
        cmocka_unit_test(eigen_reads_the_upper_triangle_only),
        cmocka_unit_test(rotations_give_the_same_bits_in_every_build),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
