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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_a_number_proves_nothing),
        cmocka_unit_test(the_nearest_point_of_a_simplex_is_its_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
