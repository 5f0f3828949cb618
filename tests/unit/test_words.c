// Little-endian words: the bytes are those that the format says, and reading gives back what was written.
#include "check.h"

#include "base/base.h"

static void words_are_written_with_the_lowest_byte_first(void **state)
{
    (void)state;
    static const uint8_t wanted[8] = {0xf0, 0xde, 0xbc, 0x9a, 0x78, 0x56, 0x34, 0x12};
    uint8_t bytes[8] = {0};
    nc_word_write(UINT64_C(0x123456789abcdef0), 8, bytes);
    assert_memory_equal(bytes, wanted, 8);
    for (size_t size = 0; size <= 8; size++) {
        const uint64_t low = size == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1;
        assert_true(nc_word_read(wanted, size) == (UINT64_C(0x123456789abcdef0) & low));
    }
}

static void numbers_survive_as_bits(void **state)
{
    (void)state;
    static const double numbers[] = {0.0, -0.0, 1.0 / 3, -1e-310, 1e300, INFINITY};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const double back = nc_double_of_bits(nc_double_bits(numbers[i]));
        assert_memory_equal(&back, &numbers[i], sizeof back);
        const float narrow = (float)numbers[i], narrow_back = nc_float_of_bits(nc_float_bits(narrow));
        assert_memory_equal(&narrow_back, &narrow, sizeof narrow);
    }
    assert_true(nc_double_bits(1) == UINT64_C(0x3ff0000000000000) && nc_float_bits(1) == 0x3f800000U);
}

static void a_writer_hashes_the_same_with_and_without_a_buffer(void **state)
{
    (void)state;
    nc_buffer buffer = nc_buffer_create(NULL);
    nc_word_writer both = {.buffer = &buffer, .hash = NC_HASH_START}, hash_only = {.hash = NC_HASH_START};
    uint64_t hash = NC_HASH_START;
    for (uint64_t i = 0; i < 100; i++) {
        nc_word_put(&both, i * i);
        nc_word_put_double(&both, (double)i / 7);
        nc_word_put(&hash_only, i * i);
        nc_word_put_double(&hash_only, (double)i / 7);
    }
    assert_true(!both.full && buffer.size == 1600 && both.hash == hash_only.hash);
    for (size_t at = 0; at < buffer.size; at += 8)
        hash = nc_hash_u64(hash, nc_word_read(buffer.data + at, 8));
    assert_true(hash == both.hash);
    nc_buffer_free(&buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_written_with_the_lowest_byte_first),
        cmocka_unit_test(numbers_survive_as_bits),
        cmocka_unit_test(a_writer_hashes_the_same_with_and_without_a_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
