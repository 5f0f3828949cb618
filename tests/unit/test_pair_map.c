// Arrays sorted by pairs of rows, against a plain table of all pairs.
#include "check.h"

#include "base/base.h"

#define ROWS 12

typedef struct item {
    uint64_t key;
    int value;
} item;

typedef struct oracle {
    int value[ROWS][ROWS]; // 0: no such pair
} oracle;

static void a_key_is_the_same_for_both_orders_and_sorts_by_the_lower_row(void **state)
{
    (void)state;
    const uint64_t key = nc_pair_key(7, 3);
    assert_true(key == nc_pair_key(3, 7));
    assert_int_equal(nc_pair_lower(key), 3);
    assert_int_equal(nc_pair_upper(key), 7);
    assert_true(nc_pair_has(key, 3) && nc_pair_has(key, 7) && !nc_pair_has(key, 4));
    assert_true(nc_pair_key(2, 9) < key && key < nc_pair_key(3, 8) && nc_pair_key(3, 8) < nc_pair_key(4, 5));
    assert_int_equal(nc_pair_upper(nc_pair_key(0, INT32_MAX)), INT32_MAX);
}

static void check_same(const item *items, int count, const oracle *plain)
{
    int known = 0;
    for (int i = 0; i < ROWS; i++)
        for (int j = i + 1; j < ROWS; j++) {
            const int slot = nc_pair_map_find(items, count, sizeof *items, nc_pair_key(j, i));
            assert_int_equal(slot >= 0 ? items[slot].value : 0, plain->value[i][j]);
            known += slot >= 0;
        }
    assert_int_equal(count, known);
    for (int k = 1; k < count; k++)
        assert_true(items[k - 1].key < items[k].key);
}

static void a_sorted_array_of_pairs_holds_what_was_put_and_not_removed(void **state)
{
    (void)state;
    nc_random random = {check_seed("pair map", 5)};
    for (int round = 0; round < check_effort(200); round++) {
        item items[ROWS * ROWS];
        oracle plain = {{{0}}};
        int count = 0;
        for (int k = 1; k <= 60; k++) {
            const int i = (int)(nc_random_u64(&random) % ROWS), j = (int)(nc_random_u64(&random) % ROWS);
            const item new_item = {nc_pair_key(i, j), k};
            const int slot = nc_pair_map_find(items, count, sizeof *items, new_item.key);
            int *value = &plain.value[i < j ? i : j][i < j ? j : i];
            if (k % 20 == 0) {
                nc_pair_map_forget(items, &count, sizeof *items, i);
                for (int other = 0; other < ROWS; other++)
                    plain.value[i][other] = plain.value[other][i] = 0;
            } else if (slot >= 0) {
                nc_pair_map_remove(items, &count, sizeof *items, slot);
                *value = 0;
            } else if (i != j) {
                nc_pair_map_insert(items, &count, sizeof *items, &new_item);
                *value = k;
            }
            check_same(items, count, &plain);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_is_the_same_for_both_orders_and_sorts_by_the_lower_row),
        cmocka_unit_test(a_sorted_array_of_pairs_holds_what_was_put_and_not_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
