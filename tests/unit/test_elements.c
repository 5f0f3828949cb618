// Deforming surfaces against themselves: exactly which elements share more than their common corners.
#include "check.h"

#include "geom/geom.h"

static int64_t collisions(const nc_vec3 *x, int n, const int (*t)[3], int count, nc_intersection *first)
{
    nc_error err;
    int64_t found = -1;
    const nc_element_set set = {.vertices = x, .vertex_count = n, .triangles = t, .triangle_count = count};
    check_ok(nc_elements_intersect(&set, NULL, 1, first, first != NULL, &found, &err), err);
    return found;
}

static nc_vec3 whole_vector(nc_random *random, double size)
{
    const double x = floor(nc_random_range(random, -size, size + 1)),
                 y = floor(nc_random_range(random, -size, size + 1));
    return nc_v3(x, y, floor(nc_random_range(random, -size, size + 1)));
}

static void neighbours_meet_only_when_folded(void **state)
{
    (void)state;
    const int two[2][3] = {{0, 1, 2}, {1, 0, 3}};
    nc_vec3 x[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.3, -1, 0}};
    assert_int_equal(collisions(x, 4, two, 2, NULL), 0);
    x[3] = nc_v3(0.3, 1, 0x1p-1000); // all but folded
    assert_int_equal(collisions(x, 4, two, 2, NULL), 0);
    x[3] = nc_v3(0.3, 1, 0);
    assert_int_equal(collisions(x, 4, two, 2, NULL), 1);
    x[3] = nc_v3(0.5, 0, 0); // on the edge: nothing beyond it
    assert_int_equal(collisions(x, 4, two, 2, NULL), 0);
    const int twice[2][3] = {{0, 1, 2}, {2, 1, 0}};
    assert_int_equal(collisions(x, 4, twice, 2, NULL), 1);
}

// Triangles with the common corner 0, on both sides of a plane through it, and then one through the other.
static void corners_of_a_fan_meet_only_when_pierced(void **state)
{
    (void)state;
    nc_random random = {check_seed("fan", 811)};
    const int fan[2][3] = {{1, 0, 2}, {3, 4, 0}};
    const int cases = check_effort(20000);
    for (int i = 0; i < cases; i++) {
        nc_vec3 x[5];
        const nc_vec3 n = whole_vector(&random, 9);
        for (int k = 0; k < 5; k++) {
            x[k] = whole_vector(&random, 99);
            const double side = nc_dot(n, nc_sub(x[k], x[0]));
            if (k > 0 && (side == 0 || (side > 0) != (k < 3)))
                x[k] = nc_sub(nc_scale(2, x[0]), x[k]);
        }
        bool strict = true; // apart but for the corner
        for (int k = 1; k < 5; k++)
            strict = strict && nc_dot(n, nc_sub(x[k], x[0])) != 0;
        if (strict)
            assert_int_equal(collisions(x, 5, fan, 2, NULL), 0);
        // Now a point of the first is one of the second: 3 + 4 - 0 lies opposite the corner in the second.
        const nc_vec3 inside = nc_add(nc_sub(x[1], x[0]), nc_sub(x[2], x[0]));
        const nc_vec3 across = whole_vector(&random, 50);
        x[3] = nc_add(nc_add(x[0], inside), across);
        x[4] = nc_sub(nc_add(x[0], inside), across);
        assert_int_equal(collisions(x, 5, fan, 2, NULL), 1);
    }
}

// A crumpled sheet with rows of boxes apart and near: every pair by itself gives the same count, on 1, 2 and 8 workers.
static void a_soup_is_counted_like_its_pairs_by_workers(void **state)
{
    (void)state;
    nc_random random = {check_seed("soup", 812)};
    enum { VERTICES = 60, TRIANGLES = 40, LISTED = 100 };
    nc_vec3 x[VERTICES];
    int t[TRIANGLES][3];
    int64_t total = 0;
    for (int round = 0; round < check_effort(20); round++) {
        for (int i = 0; i < VERTICES; i++)
            x[i] = nc_scale(1.0 / 64, whole_vector(&random, 64));
        for (int i = 0; i < TRIANGLES; i++) {
            t[i][0] = (int)(nc_random_u64(&random) % VERTICES);
            t[i][1] = (t[i][0] + 1 + (int)(nc_random_u64(&random) % 5)) % VERTICES;
            t[i][2] = (t[i][1] + 1 + (int)(nc_random_u64(&random) % 5)) % VERTICES;
        }
        int64_t one_by_one = 0;
        nc_intersection lowest[LISTED], listed[LISTED];
        for (int i = 0; i < TRIANGLES; i++)
            for (int j = i + 1; j < TRIANGLES; j++) {
                const int two[2][3] = {{t[i][0], t[i][1], t[i][2]}, {t[j][0], t[j][1], t[j][2]}};
                const int64_t meets = collisions(x, VERTICES, two, 2, NULL);
                if (meets > 0 && one_by_one < LISTED) {
                    lowest[one_by_one].element_a = i;
                    lowest[one_by_one].element_b = j;
                }
                one_by_one += meets;
            }
        for (int workers = 1; workers <= 8; workers *= 2) {
            nc_error err;
            int64_t found;
            const nc_element_set set = {
                .vertices = x, .vertex_count = VERTICES, .triangles = (const int(*)[3])t, .triangle_count = TRIANGLES};
            check_ok(nc_elements_intersect(&set, NULL, workers, listed, LISTED, &found, &err), err);
            assert_true(found == one_by_one);
            for (int i = 0; i < LISTED && i < found; i++) {
                assert_int_equal(listed[i].element_a, lowest[i].element_a);
                assert_int_equal(listed[i].element_b, lowest[i].element_b);
            }
        }
        total += one_by_one;
    }
    print_message("%lld meetings\n", (long long)total);
    assert_true(total > 100);
}

static void edges_and_points_meet_triangles_and_each_other(void **state)
{
    (void)state;
    const nc_vec3 x[] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, -1}, {1, 1, 1}, {1, 1, 0}, {2, 0, 0}, {9, 9, 9}};
    const int triangle[1][3] = {{0, 1, 2}}, edges[2][2] = {{3, 4}, {0, 6}};
    const int points[2] = {5, 7};
    nc_error err;
    int64_t count;
    nc_intersection first;
    nc_element_set set = {x, 8, triangle, 1, edges, 1, points, 2};
    check_ok(nc_elements_intersect(&set, NULL, 1, &first, 1, &count, &err), err);
    assert_int_equal(count, 3); // edge with triangle, point with triangle, point with edge
    assert_int_equal(first.kind_b, NC_ELEMENT_EDGE);
    check_near(nc_norm(nc_sub(first.place, x[5])), 0, 1e-12);
    set.edge_count = 2; // an edge that starts in a corner and lies along the triangle's side
    check_ok(nc_elements_intersect(&set, NULL, 1, &first, 1, &count, &err), err);
    assert_int_equal(count, 4);
}

static void vertices_out_of_range_are_named(void **state)
{
    (void)state;
    const nc_vec3 x[] = {{0, 0, 0}, {1, 0, 0}, {0, NAN, 0}};
    const int triangle[1][3] = {{0, 1, 2}};
    nc_error err;
    int64_t count;
    const nc_element_set set = {.vertices = x, .vertex_count = 3, .triangles = triangle, .triangle_count = 1};
    assert_int_equal(nc_elements_intersect(&set, NULL, 1, NULL, 0, &count, &err), NC_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "vertex 2"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_meet_only_when_folded),
        cmocka_unit_test(corners_of_a_fan_meet_only_when_pierced),
        cmocka_unit_test(a_soup_is_counted_like_its_pairs_by_workers),
        cmocka_unit_test(edges_and_points_meet_triangles_and_each_other),
        cmocka_unit_test(vertices_out_of_range_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
