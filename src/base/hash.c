// 64-bit hashes of state, and the random generator. Both give the same numbers on every machine.
#include "base/base.h"

// The finaliser of splitmix64: a bijection that mixes every bit into every other.
static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t nc_hash_u64(uint64_t state, uint64_t value)
{
    return mix(state * UINT64_C(0x9e3779b97f4a7c15) + value + 1);
}

// Words are read little-endian, so the hash does not depend on the machine's byte order.
uint64_t nc_hash(uint64_t state, const void *bytes, size_t size)
{
    const uint8_t *cursor = bytes;
    state = nc_hash_u64(state, (uint64_t)size);
    for (; size >= 8; size -= 8, cursor += 8)
        state = nc_hash_u64(state, nc_word_read(cursor, 8));
    return size > 0 ? nc_hash_u64(state, nc_word_read(cursor, size)) : state;
}

uint64_t nc_hash_double(uint64_t state, double value)
{
    return nc_hash_u64(state, nc_double_bits(value));
}

uint64_t nc_random_u64(nc_random *random)
{
    random->state += UINT64_C(0x9e3779b97f4a7c15);
    return mix(random->state);
}

double nc_random_unit(nc_random *random)
{
    return (double)(nc_random_u64(random) >> 11) * 0x1p-53;
}

double nc_random_range(nc_random *random, double low, double high)
{
    return low + (high - low) * nc_random_unit(random);
}
