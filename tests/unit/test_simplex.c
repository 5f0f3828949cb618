// The nearest point of a simplex: no point of it is nearer, and what is kept carries it. And the search that uses it.
#include "check.h"

#include "base/base.h"
#include "narrow/narrow.h"
#include "narrow/simplex.h"

static nc_vec3 random_point(nc_random *random)
{
    const double x = nc_random_range(random, -0.5, 1.5), y = nc_random_range(random, -1, 1);
    return nc_v3(x, y, nc_random_range(random, -1, 1));
}

// A point v of a convex set is its nearest to the origin exactly if v.p >= v.v for all its points p.
static void the_nearest_point_of_a_simplex_is_its_nearest(void **state)
{
    (void)state;
    nc_random random = {(uint64_t)check_seed("simplex", 3)};
    int inside = 0;
    for (int k = 0; k < check_effort(200000); k++) {
        nc_simplex s = {.count = 1 + k % 4};
        for (int i = 0; i < s.count; i++)
            s.p[i] = random_point(&random);
        const nc_simplex whole = s;
        const nc_vec3 v = nc_simplex_nearest(&s);
        inside += s.count == 4;
        if (s.count == 4) {
            assert_true(nc_norm2(v) == 0);
            continue;
        }
        for (int i = 0; i < whole.count; i++)
            assert_true(nc_dot(v, nc_sub(whole.p[i], v)) > -1e-9);
        for (int i = 0; i < s.count; i++)
            assert_true(nc_dot(v, nc_sub(s.p[i], v)) < 1e-9);
    }
    print_message("%d tetrahedra had the origin inside\n", inside);
    assert_true(inside > 100);
}

// Two points a metre apart along x, at rest but for one coordinate at the end of the interval.
static bool points_stay_apart(double last)
{
    const nc_four_points fours = {{0}, {0}, {0}};
    const nc_cloud point = {&fours, 1};
    nc_pair_pose from = {.x = {1, 0, 0}};
    from.ra = from.rb = nc_quat_matrix(nc_quat_identity());
    nc_pair_pose to = from;
    to.x.x = last;
    nc_vec3 direction = {1, 0, 0};
    double bound;
    return nc_clouds_stay_apart(point, point, &from, &to, 0.1, 16, &direction, &bound);
}

static void what_is_not_a_number_proves_nothing(void **state)
{
    (void)state;
    assert_true(points_stay_apart(1));
    assert_true(points_stay_apart(0.2));
    assert_false(points_stay_apart(0.05));
    assert_false(points_stay_apart(NAN));
}

// Two clouds, about as often apart as not, that turn and move a little.
static void copies_of_the_search_give_the_same_bits(void **state)
{
    (void)state;
    nc_random random = {check_seed("copies", 74)};
    int apart = 0, compared = 0;
    const int rounds = check_effort(2000);
    for (int i = 0; i < rounds; i++) {
        nc_four_points fours[2][3];
        double *numbers = (double *)fours;
        for (size_t k = 0; k < sizeof fours / sizeof(double); k++)
            numbers[k] = nc_random_range(&random, -1, 1);
        const nc_cloud a = {fours[0], 1 + i % 3}, b = {fours[1], 1 + i / 3 % 3};
        nc_pair_pose from = {.x = nc_scale(1.8, random_point(&random))};
        from.ra = nc_quat_matrix(nc_quat_from_rotation_vector(random_point(&random)));
        from.rb = nc_quat_matrix(nc_quat_from_rotation_vector(random_point(&random)));
        nc_pair_pose to = from;
        to.x = nc_madd(to.x, 0.1, random_point(&random));
        const nc_vec3 first = random_point(&random);
        nc_vec3 plain = first;
        double least = 0;
        const bool clear = nc_clouds_stay_apart_by(NC_COPY_PLAIN, a, b, &from, &to, 0.01, 16, &plain, &least);
        apart += clear;
        for (int copy = NC_COPY_PLAIN + 1; copy < NC_COPIES; copy++) {
            if (!nc_has_copy((nc_copy)copy))
                continue;
            nc_vec3 direction = first;
            double bound = 0;
            assert_int_equal(nc_clouds_stay_apart_by((nc_copy)copy, a, b, &from, &to, 0.01, 16, &direction, &bound),
                             clear);
            assert_memory_equal(&direction, &plain, sizeof plain);
            assert_memory_equal(&bound, &least, sizeof least);
            compared++;
        }
    }
    print_message("%d of %d pairs of clouds are apart, %d comparisons\n", apart, rounds, compared);
    assert_true(apart > rounds / 8 && apart < rounds - rounds / 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_of_the_search_give_the_same_bits),
        cmocka_unit_test(what_is_not_a_number_proves_nothing),
        cmocka_unit_test(the_nearest_point_of_a_simplex_is_its_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
