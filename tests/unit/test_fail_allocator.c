// The failing allocator that other tests rely on: does it see what it claims to see?
#include "check.h"
#include "fail_allocator.h"

#include "base/base.h"

static nc_code fill_two_arrays(const nc_allocator *allocator, void *ctx)
{
    (void)ctx;
    nc_code code = NC_OK;
    NC_ARRAY(int) first = {0};
    NC_ARRAY(double) second = {0};
    for (int i = 0; i < 40 && code == NC_OK; i++)
        if (!nc_array_push(allocator, &first, i) || !nc_array_push(allocator, &second, 0.5 * i))
            code = NC_OUT_OF_MEMORY;
    nc_array_free(allocator, &first);
    nc_array_free(allocator, &second);
    return code;
}

static void every_request_of_a_trial_is_refused_once(void **state)
{
    (void)state;
    // 40 items from 8 by doubling: 8, 16, 32, 64, for each of the two arrays.
    assert_int_equal(fail_at_every_call(fill_two_arrays, NULL), 8);
}

static void only_the_chosen_request_is_refused(void **state)
{
    (void)state;
    fail_allocator memory;
    const nc_allocator allocator = fail_allocator_start(&memory, 2);
    void *first = nc_alloc(&allocator, 3, 8);
    assert_non_null(first);
    assert_null(nc_alloc(&allocator, 3, 8));
    void *third = nc_alloc(&allocator, 5, 8);
    assert_non_null(third);
    assert_int_equal(memory.live_blocks, 2);
    assert_int_equal(memory.live_bytes, 64);
    nc_free(&allocator, first, 3, 8);
    nc_free(&allocator, third, 5, 8);
    assert_int_equal(memory.peak_bytes, 64);
    fail_allocator_check_clean(&memory);
}

static void refused_resize_leaves_the_block_alone(void **state)
{
    (void)state;
    fail_allocator memory;
    const nc_allocator allocator = fail_allocator_start(&memory, 2);
    int *numbers = nc_alloc(&allocator, 4, sizeof *numbers);
    numbers[3] = 42;
    assert_null(nc_realloc(&allocator, numbers, 4, 8, sizeof *numbers));
    assert_int_equal(numbers[3], 42);
    int *moved = nc_realloc(&allocator, numbers, 4, 8, sizeof *numbers);
    assert_int_equal(moved[3], 42);
    assert_int_equal(moved[7], 0);
    nc_free(&allocator, moved, 8, sizeof *numbers);
    fail_allocator_check_clean(&memory);
}

static void leak_is_seen(void **state)
{
    (void)state;
    fail_allocator memory;
    const nc_allocator allocator = fail_allocator_start(&memory, 0);
    void *block = nc_alloc(&allocator, 1, 10);
    assert_false(fail_allocator_is_clean(&memory));
    nc_free(&allocator, block, 1, 10);
    assert_true(fail_allocator_is_clean(&memory));
}

static void wrong_old_size_is_seen(void **state)
{
    (void)state;
    fail_allocator memory;
    const nc_allocator allocator = fail_allocator_start(&memory, 0);
    void *block = nc_alloc(&allocator, 1, 10);
    nc_free(&allocator, block, 1, 11);
    assert_int_equal(memory.wrong_sizes, 1);
    assert_false(fail_allocator_is_clean(&memory));
}

static void write_past_the_end_is_seen(void **state)
{
    (void)state;
    fail_allocator memory;
    const nc_allocator allocator = fail_allocator_start(&memory, 0);
    uint8_t *block = nc_alloc(&allocator, 1, 10);
    block[10] = 0;
    nc_free(&allocator, block, 1, 10);
    assert_int_equal(memory.overruns, 1);
}

static void *allocate_elsewhere(void *ctx)
{
    const nc_allocator *allocator = ctx;
    return nc_alloc(allocator, 1, 10);
}

static void use_from_another_thread_is_seen(void **state)
{
    (void)state;
    fail_allocator memory;
    nc_allocator allocator = fail_allocator_start(&memory, 0);
    pthread_t thread;
    void *block = NULL;
    assert_int_equal(pthread_create(&thread, NULL, allocate_elsewhere, &allocator), 0);
    assert_int_equal(pthread_join(thread, &block), 0);
    nc_free(&allocator, block, 1, 10);
    assert_int_equal(memory.other_thread_uses, 1);
    assert_false(fail_allocator_is_clean(&memory));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_request_of_a_trial_is_refused_once),
        cmocka_unit_test(only_the_chosen_request_is_refused),
        cmocka_unit_test(refused_resize_leaves_the_block_alone),
        cmocka_unit_test(leak_is_seen),
        cmocka_unit_test(wrong_old_size_is_seen),
        cmocka_unit_test(write_past_the_end_is_seen),
        cmocka_unit_test(use_from_another_thread_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
