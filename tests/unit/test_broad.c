// The broad phase finds exactly the pairs that brute force finds, in order.
#include "check.h"
#include "fail_allocator.h"

#include "broad/broad.h"

static nc_box random_box(nc_random *random, double spread)
{
    const double size = nc_random_unit(random) < 0.02 ? spread : 1.0;
    const nc_vec3 lo = {nc_random_range(random, 0, spread), nc_random_range(random, 0, 0.3 * spread),
                        nc_random_range(random, 0, 0.7 * spread)};
    return (nc_box){lo, nc_madd(lo, size, nc_v3(nc_random_unit(random), nc_random_unit(random), 1))};
}

static void sweep_agrees_with_brute_force(void **state)
{
    (void)state;
    nc_random random = {check_seed("sweep", 40)};
    const nc_allocator allocator = nc_allocator_default();
    nc_pairs pairs = {NULL, 0, 0};
    nc_error err;
    long found = 0;
    const int cases = check_effort(300);
    for (int i = 0; i < cases; i++) {
        nc_box boxes[200];
        const int count = (int)nc_random_range(&random, 0, 201);
        for (int k = 0; k < count; k++) {
            boxes[k] = random_box(&random, nc_random_range(&random, 1, 30));
            if (k % 50 == 49)
                boxes[k] = nc_box_empty();
            if (k % 7 == 6) // exactly touching its neighbour
                boxes[k].lo.x = boxes[k - 1].hi.x;
        }
        check_ok(nc_broad_overlaps(boxes, count, &allocator, &pairs, &err), err);
        int next = 0;
        for (int a = 0; a < count; a++) {
            for (int b = a + 1; b < count; b++) {
                if (!nc_box_overlap(boxes[a], boxes[b]) || boxes[a].lo.x > boxes[a].hi.x ||
                    boxes[b].lo.x > boxes[b].hi.x)
                    continue;
                assert_true(next < pairs.count);
                assert_int_equal(pairs.data[next].a, a);
                assert_int_equal(pairs.data[next++].b, b);
            }
        }
        assert_int_equal(next, pairs.count);
        found += next;
    }
    print_message("%ld pairs\n", found);
    assert_true(found > cases);
    nc_pairs_free(&pairs, &allocator);
}

static nc_code trial(const nc_allocator *allocator, void *ctx)
{
    (void)ctx;
    nc_box boxes[20];
    nc_random random = {41};
    for (int i = 0; i < 20; i++)
        boxes[i] = random_box(&random, 2);
    nc_pairs pairs = {NULL, 0, 0};
    const nc_code code = nc_broad_overlaps(boxes, 20, allocator, &pairs, NULL);
    nc_pairs_free(&pairs, allocator);
    return code;
}

static void memory_may_fail(void **state)
{
    (void)state;
    assert_true(fail_at_every_call(trial, NULL) >= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sweep_agrees_with_brute_force),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
