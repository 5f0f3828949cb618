// Errors, memory, order, hashes, random numbers, parallel loops.
#include "check.h"

#include <limits.h>

#include "base/base.h"

// ---- errors -------------------------------------------------------------------------------------------------

static void every_code_has_a_name_of_its_own(void **state)
{
    (void)state;
    for (int a = 0; a < NC_CODE_COUNT; a++) {
        const char *name = nc_code_name((nc_code)a);
        assert_non_null(name);
        assert_int_equal(strncmp(name, "NC_", 3), 0);
        assert_string_not_equal(name, "NC_UNKNOWN");
        for (int b = 0; b < a; b++)
            assert_string_not_equal(name, nc_code_name((nc_code)b));
    }
    assert_string_equal(nc_code_name(NC_OK), "NC_OK");
    assert_string_equal(nc_code_name(NC_UNSUPPORTED), "NC_UNSUPPORTED");
    assert_string_equal(nc_code_name(NC_CODE_COUNT), "NC_UNKNOWN");
}

static void failing_fills_the_error_and_returns_the_code(void **state)
{
    (void)state;
    nc_error err;
    memset(&err, 0x55, sizeof err);
    assert_int_equal(nc_fail(&err, NC_IO, "disk %d of %s", 3, "five"), NC_IO);
    assert_int_equal(err.code, NC_IO);
    assert_string_equal(err.text, "disk 3 of five");
    assert_true(err.line == 0 && err.column == 0 && err.file[0] == '\0');
    assert_int_equal(nc_fail(NULL, NC_BAD_FILE, "nobody listens"), NC_BAD_FILE);
    assert_int_equal(nc_fail_at(NULL, NC_BAD_FILE, "f", 1, 1, "nobody listens"), NC_BAD_FILE);
    assert_int_equal(nc_fail_memory(&err, 77), NC_OUT_OF_MEMORY);
    assert_non_null(strstr(err.text, "77"));
}

static void formatted_errors_name_the_place_that_is_known(void **state)
{
    (void)state;
    nc_error err;
    char out[64];
    nc_fail_at(&err, NC_BAD_SCENE, "a.yaml", 3, 7, "no");
    assert_string_equal(nc_error_format(&err, out, sizeof out), "a.yaml:3:7: no");
    nc_fail_at(&err, NC_BAD_SCENE, "a.yaml", 3, 0, "no");
    assert_string_equal(nc_error_format(&err, out, sizeof out), "a.yaml:3: no");
    nc_fail_at(&err, NC_BAD_SCENE, "a.yaml", 0, 0, "no");
    assert_string_equal(nc_error_format(&err, out, sizeof out), "a.yaml: no");
    nc_fail_at(&err, NC_BAD_SCENE, NULL, 0, 0, "no");
    assert_string_equal(nc_error_format(&err, out, sizeof out), "no");
    assert_string_equal(nc_error_format(&err, out, 2), "n");
    out[0] = 'x';
    nc_error_format(&err, out, 0);
    assert_int_equal(out[0], 'x');
}

static void overlong_sentences_and_paths_are_cut_not_overrun(void **state)
{
    (void)state;
    char text[3000];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    nc_error err;
    nc_fail_at(&err, NC_IO, text, 1, 1, "%s", text);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    assert_int_equal(strlen(err.file), sizeof err.file - 1);
    char out[2000];
    assert_int_equal(strlen(nc_error_format(&err, out, sizeof out)), sizeof err.text + sizeof err.file - 2 + 6);
}

static void version_names_number_and_compiler(void **state)
{
    (void)state;
    assert_int_equal(strncmp(nc_version(), "0.2.0 (", 7), 0);
}

// ---- memory -------------------------------------------------------------------------------------------------

// Counts bytes in use, and fails at the k-th call that asks for memory (0: never).
typedef struct ledger {
    size_t in_use;
    int calls, fail_at;
} ledger;

static void *ledger_resize(void *ctx, void *ptr, size_t old_size, size_t new_size)
{
    ledger *l = ctx;
    if (new_size == 0) {
        l->in_use -= old_size;
        free(ptr);
        return NULL;
    }
    if (++l->calls == l->fail_at)
        return NULL;
    void *moved = realloc(ptr, new_size);
    if (moved != NULL)
        l->in_use += new_size - old_size;
    return moved;
}

static nc_allocator ledger_allocator(ledger *l)
{
    const nc_allocator allocator = {ledger_resize, l};
    return allocator;
}

static void allocation_is_zeroed_and_checks_for_overflow(void **state)
{
    (void)state;
    ledger l = {0, 0, 0};
    const nc_allocator allocator = ledger_allocator(&l);
    uint8_t *bytes = nc_alloc(&allocator, 100, 3);
    for (int i = 0; i < 300; i++)
        assert_int_equal(bytes[i], 0);
    memset(bytes, 1, 300);
    bytes = nc_realloc(&allocator, bytes, 100, 200, 3);
    for (int i = 0; i < 600; i++)
        assert_int_equal(bytes[i], i < 300);
    assert_int_equal(l.in_use, 600);
    nc_free(&allocator, bytes, 200, 3);
    nc_free(&allocator, NULL, 5, 5);
    assert_int_equal(l.in_use, 0);
    assert_null(nc_alloc(&allocator, SIZE_MAX / 2, 3));
    assert_null(nc_alloc(&allocator, 0, 3));
    assert_null(nc_alloc(&allocator, 3, 0));
    assert_null(nc_realloc(&allocator, NULL, 0, SIZE_MAX / 2, 3));
    assert_int_equal(l.calls, 2);
}

static void no_allocator_means_malloc(void **state)
{
    (void)state;
    const nc_allocator none = {NULL, NULL}, standard = nc_allocator_default();
    assert_true(nc_allocator_or_default(NULL).resize == standard.resize);
    assert_true(nc_allocator_or_default(&none).resize == standard.resize);
    ledger l = {0, 0, 0};
    const nc_allocator own = ledger_allocator(&l);
    assert_true(nc_allocator_or_default(&own).resize == ledger_resize);
    assert_true(nc_allocator_or_default(&own).ctx == &l);
    int *number = nc_alloc(&standard, 1, sizeof *number);
    assert_non_null(number);
    nc_free(&standard, number, 1, sizeof *number);
}

static void arrays_keep_their_items_when_growth_fails(void **state)
{
    (void)state;
    ledger l = {0, 0, 3};
    const nc_allocator allocator = ledger_allocator(&l);
    NC_ARRAY(int) array = {0};
    int pushed = 0;
    while (pushed < 1000 && nc_array_push(&allocator, &array, pushed))
        pushed++;
    assert_int_equal(pushed, 16); // room for 8, then 16; the third growth failed
    assert_int_equal(array.count, 16);
    for (int i = 0; i < array.count; i++)
        assert_int_equal(array.data[i], i);
    assert_true(nc_array_push(&allocator, &array, 16)); // and it continues when there is memory again
    assert_int_equal(array.data[16], 16);
    assert_true(array.capacity >= 32);
    nc_array_free(&allocator, &array);
    assert_true(array.data == NULL && array.count == 0 && array.capacity == 0);
    assert_int_equal(l.in_use, 0);
}

static void large_arrays_have_little_spare_room_and_grow_seldom(void **state)
{
    (void)state;
    const nc_allocator allocator = nc_allocator_or_default(NULL);
    NC_ARRAY(double) doubles = {0};
    int growths = 0;
    for (int i = 0; i < 1000000; i++) {
        const int before = doubles.capacity;
        assert_true(nc_array_push(&allocator, &doubles, i));
        growths += doubles.capacity > before;
        assert_true(doubles.capacity <= (i < 8192 ? 8 + 2 * i : i + 1 + i / 4));
    }
    assert_true(growths < 40);
    nc_array_free(&allocator, &doubles);
}

static void growth_refuses_sizes_that_cannot_be(void **state)
{
    (void)state;
    const nc_allocator allocator = nc_allocator_default();
    void *ptr = NULL;
    int capacity = 0;
    assert_false(nc_grow(&allocator, &ptr, &capacity, -1, 8));
    assert_false(nc_grow(&allocator, &ptr, &capacity, INT_MAX, SIZE_MAX / 8));
    assert_true(nc_grow(&allocator, &ptr, &capacity, 0, 8));
    assert_true(ptr == NULL && capacity == 0);
}

static void buffers_grow_and_survive_failure(void **state)
{
    (void)state;
    ledger l = {0, 0, 4};
    const nc_allocator allocator = ledger_allocator(&l);
    nc_buffer buffer = nc_buffer_create(&allocator);
    uint8_t bytes[100];
    int appended = 0;
    for (int i = 0; i < 100; i++)
        bytes[i] = (uint8_t)i;
    while (nc_buffer_append(&buffer, bytes, sizeof bytes))
        appended++;
    assert_int_equal(buffer.size, (size_t)appended * sizeof bytes);
    for (size_t i = 0; i < buffer.size; i++)
        assert_int_equal(buffer.data[i], i % 100);
    assert_true(nc_buffer_append(&buffer, NULL, 0));
    assert_false(nc_buffer_append(&buffer, bytes, SIZE_MAX));
    assert_true(nc_buffer_append(&buffer, bytes, sizeof bytes));
    nc_buffer_free(&buffer);
    assert_true(buffer.data == NULL && buffer.size == 0 && buffer.capacity == 0);
    assert_int_equal(l.in_use, 0);
}

// ---- order --------------------------------------------------------------------------------------------------

typedef struct item {
    int key, place;
} item;

static bool key_less(const void *a, const void *b, const void *ctx)
{
    const int direction = ctx == NULL ? 1 : *(const int *)ctx;
    return direction * ((const item *)a)->key < direction * ((const item *)b)->key;
}

// The slow twin: insertion, which moves an item only past greater ones.
static void insertion_sort(item *items, int count, const int *direction)
{
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && key_less(&items[j], &items[j - 1], direction); j--) {
            const item swap = items[j];
            items[j] = items[j - 1];
            items[j - 1] = swap;
        }
}

static void sorting_is_stable_and_equals_insertion(void **state)
{
    (void)state;
    nc_random random = {check_seed("sort", 31)};
    const nc_allocator allocator = nc_allocator_default();
    item fast[300], slow[300];
    for (int round = check_effort(600); round > 0; round--) {
        const int count = round < 70 ? round - 1 : (int)(nc_random_u64(&random) % 300), keys = 1 + round % 40;
        for (int i = 0; i < count; i++)
            fast[i] = slow[i] = (item){(int)(nc_random_u64(&random) % (uint64_t)keys), i};
        const int direction = round % 2 ? 1 : -1;
        assert_true(nc_sort(&allocator, fast, (size_t)count, sizeof fast[0], key_less, &direction));
        insertion_sort(slow, count, &direction);
        assert_memory_equal(fast, slow, (size_t)count * sizeof fast[0]);
    }
}

static void sorting_without_memory_touches_nothing(void **state)
{
    (void)state;
    ledger l = {0, 0, 1};
    const nc_allocator allocator = ledger_allocator(&l);
    item items[3] = {{3, 0}, {2, 1}, {1, 2}};
    assert_false(nc_sort(&allocator, items, 3, sizeof items[0], key_less, NULL));
    assert_true(items[0].key == 3 && items[1].key == 2 && items[2].key == 1);
    assert_true(nc_sort(&allocator, items, 1, sizeof items[0], key_less, NULL));
    assert_true(nc_sort(&allocator, items, 3, sizeof items[0], key_less, NULL));
    assert_true(items[0].key == 1 && items[2].key == 3);
    assert_int_equal(l.in_use, 0);
}

static void nearest_name_finds_the_slip_and_no_more(void **state)
{
    (void)state;
    static const char *const names[] = {"gravity", "timestep", "friction", "restitution", "x"};
    assert_int_equal(nc_nearest_name("gravty", names, 5), 0);
    assert_int_equal(nc_nearest_name("time_step", names, 5), 1);
    assert_int_equal(nc_nearest_name("frictoin", names, 5), 2);
    assert_int_equal(nc_nearest_name("friction", names, 5), 2);
    assert_int_equal(nc_nearest_name("velocity", names, 5), -1);
    assert_int_equal(nc_nearest_name("gravity", names, 0), -1);
    char longest[200];
    memset(longest, 'g', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_int_equal(nc_nearest_name(longest, names, 5), -1);
    const char *const one[] = {longest};
    assert_int_equal(nc_nearest_name("g", one, 1), -1);
    static const char *const ties[] = {"abcd", "abce", "abcf"};
    assert_int_equal(nc_nearest_name("abcx", ties, 3), 0); // the first of equals
}

// ---- hashes and random numbers ------------------------------------------------------------------------------

// Written down once: snapshots and run files hold these numbers, so they may never change.
static void hashes_are_those_of_every_other_build(void **state)
{
    (void)state;
    const uint8_t bytes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    assert_int_equal(nc_hash(NC_HASH_START, NULL, 0), UINT64_C(0x33701998ba713ca4));
    assert_int_equal(nc_hash(NC_HASH_START, bytes, 8), UINT64_C(0x75806e5de011c200));
    assert_int_equal(nc_hash(NC_HASH_START, bytes, 11), UINT64_C(0xdcce7892d5e56118));
    assert_int_equal(nc_hash_u64(NC_HASH_START, 0), UINT64_C(0x33701998ba713ca4));
    assert_int_equal(nc_hash_double(NC_HASH_START, 1.5), UINT64_C(0x4a17e3d1d17a5b89));
    assert_true(nc_hash_double(NC_HASH_START, 0.0) != nc_hash_double(NC_HASH_START, -0.0));
}

static void hash_sees_every_bit_and_every_length(void **state)
{
    (void)state;
    uint8_t bytes[40] = {0};
    uint64_t seen[41 + 8 * 40];
    int count = 0;
    for (size_t size = 0; size <= sizeof bytes; size++)
        seen[count++] = nc_hash(NC_HASH_START, bytes, size);
    for (size_t bit = 0; bit < 8 * sizeof bytes; bit++) {
        bytes[bit / 8] = (uint8_t)(1U << (bit % 8));
        seen[count++] = nc_hash(NC_HASH_START, bytes, sizeof bytes);
        bytes[bit / 8] = 0;
    }
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
            assert_true(seen[i] != seen[j]);
}

static void random_numbers_are_those_of_every_other_build(void **state)
{
    (void)state;
    nc_random random = {42};
    assert_int_equal(nc_random_u64(&random), UINT64_C(0xbdd732262feb6e95));
    double sum = 0;
    for (int i = 0; i < 100000; i++) {
        const double unit = nc_random_unit(&random), range = nc_random_range(&random, -3, 5);
        assert_true(unit >= 0 && unit < 1 && range >= -3 && range < 5);
        sum += unit;
    }
    check_near(sum / 100000, 0.5, 0.01);
}

// ---- parallel loops -----------------------------------------------------------------------------------------

#define LOOP_COUNT 10007
#define LOOP_GRAIN 64

typedef struct loop {
    double *values;
    int *begins; // of the block that wrote each index
} loop;

static void loop_body(int begin, int end, void *ctx)
{
    loop *l = ctx;
    double sum = 0; // depends on the block's begin: would show moved boundaries
    for (int i = begin; i < end; i++) {
        sum += 1.0 / (1.0 + i);
        l->values[i] += sum;
        l->begins[i] = begin;
    }
}

static uint64_t run_loop(int workers)
{
    static double values[LOOP_COUNT];
    static int begins[LOOP_COUNT];
    memset(values, 0, sizeof values);
    loop l = {values, begins};
    nc_parallel_for(workers, LOOP_COUNT, LOOP_GRAIN, loop_body, &l);
    for (int i = 0; i < LOOP_COUNT; i++)
        assert_int_equal(begins[i], i / LOOP_GRAIN * LOOP_GRAIN);
    return nc_hash(NC_HASH_START, values, sizeof values);
}

static void loops_give_the_same_bits_for_1_to_8_workers(void **state)
{
    (void)state;
    const uint64_t serial = run_loop(1);
    for (int workers = 0; workers <= 8; workers++)
        for (int again = 0; again < 5; again++)
            assert_int_equal(run_loop(workers), serial);
}

static void count_body(int begin, int end, void *ctx)
{
    *(int *)ctx += end - begin;
}

static void loops_of_no_or_few_items_do_what_they_say(void **state)
{
    (void)state;
    int seen = 0;
    nc_parallel_for(4, 0, 16, count_body, &seen);
    nc_parallel_for(4, -5, 16, count_body, &seen);
    assert_int_equal(seen, 0);
    nc_parallel_for(4, 3, 16, count_body, &seen); // one block: one thread
    assert_int_equal(seen, 3);
    seen = 0;
    nc_parallel_for(1, INT_MAX, INT_MAX - 1, count_body, &seen);
    assert_int_equal(seen, INT_MAX);
}

// Part i of a phase reads all that the phase before wrote, and writes its own place.
#define PHASES 400

typedef struct phase_test {
    double value[2][NC_MAX_PARTS];
    int runs[NC_MAX_PARTS]; // of the parts of this phase
    int phase, parts, before;
} phase_test;

static int begin_phase(void *ctx)
{
    phase_test *t = ctx;
    for (int i = 0; i < t->parts; i++) {
        assert_int_equal(t->runs[i], 1);
        t->runs[i] = 0;
    }
    t->before = t->parts;
    t->parts = t->phase++ < PHASES ? 1 + t->phase * 7 % NC_MAX_PARTS : 0;
    return t->parts;
}

static void run_phase_part(int index, void *ctx)
{
    phase_test *t = ctx;
    const double *read = t->value[t->phase % 2];
    double sum = index;
    for (int i = 0; i < t->before; i++)
        sum = 0.5 * sum + read[i] / (1 + i);
    t->value[1 - t->phase % 2][index] = sum;
    t->runs[index]++;
}

static void phases_wait_for_all_parts_of_the_one_before(void **state)
{
    (void)state;
    uint64_t alone = 0;
    for (int workers = 1; workers <= 8; workers++) {
        for (int again = 0; again < 5; again++) {
            phase_test t = {.phase = 0};
            const nc_phases phases = {begin_phase, run_phase_part, &t};
            nc_parallel_phases(workers, &phases);
            assert_int_equal(t.phase, PHASES + 1);
            const uint64_t hash = nc_hash(NC_HASH_START, t.value, sizeof t.value);
            alone = workers == 1 ? hash : alone;
            assert_true(hash == alone);
        }
    }
}

static int no_phase(void *ctx)
{
    ++*(int *)ctx;
    return 0;
}

static void no_phases_are_over_at_once(void **state)
{
    (void)state;
    int asked = 0;
    const nc_phases phases = {no_phase, run_phase_part, &asked};
    nc_parallel_phases(1, &phases);
    nc_parallel_phases(4, &phases);
    assert_int_equal(asked, 2);
}

static void worker_count_has_limits(void **state)
{
    (void)state;
    assert_true(nc_worker_count(0) >= 1);
    assert_int_equal(nc_worker_count(3), 3);
    assert_int_equal(nc_worker_count(100000), NC_MAX_WORKERS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_has_a_name_of_its_own),
        cmocka_unit_test(failing_fills_the_error_and_returns_the_code),
        cmocka_unit_test(formatted_errors_name_the_place_that_is_known),
        cmocka_unit_test(overlong_sentences_and_paths_are_cut_not_overrun),
        cmocka_unit_test(version_names_number_and_compiler),
        cmocka_unit_test(allocation_is_zeroed_and_checks_for_overflow),
        cmocka_unit_test(no_allocator_means_malloc),
        cmocka_unit_test(arrays_keep_their_items_when_growth_fails),
        cmocka_unit_test(large_arrays_have_little_spare_room_and_grow_seldom),
        cmocka_unit_test(growth_refuses_sizes_that_cannot_be),
        cmocka_unit_test(buffers_grow_and_survive_failure),
        cmocka_unit_test(sorting_is_stable_and_equals_insertion),
        cmocka_unit_test(sorting_without_memory_touches_nothing),
        cmocka_unit_test(nearest_name_finds_the_slip_and_no_more),
        cmocka_unit_test(hashes_are_those_of_every_other_build),
        cmocka_unit_test(hash_sees_every_bit_and_every_length),
        cmocka_unit_test(random_numbers_are_those_of_every_other_build),
        cmocka_unit_test(loops_give_the_same_bits_for_1_to_8_workers),
        cmocka_unit_test(loops_of_no_or_few_items_do_what_they_say),
        cmocka_unit_test(phases_wait_for_all_parts_of_the_one_before),
        cmocka_unit_test(no_phases_are_over_at_once),
        cmocka_unit_test(worker_count_has_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
