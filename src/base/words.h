// Numbers as little-endian bytes, whatever the machine's order is.
#ifndef NC_BASE_WORDS_H
#define NC_BASE_WORDS_H

#include "nacre/base.h"

#include <string.h>

// The word of `size` bytes (at most 8), the lowest first.
static inline uint64_t nc_word_read(const void *bytes, size_t size)
{
    const uint8_t *b = bytes;
    uint64_t word = 0;
    for (size_t i = 0; i < size; i++)
        word |= (uint64_t)b[i] << (8 * i);
    return word;
}

// The lowest `size` bytes of a word (at most 8), the lowest first.
static inline void nc_word_write(uint64_t word, size_t size, uint8_t *out)
{
    for (size_t i = 0; i < size; i++)
        out[i] = (uint8_t)(word >> (8 * i));
}

static inline uint64_t nc_double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double nc_double_of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t nc_float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float nc_float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Appends the lowest `size` bytes of a word; false when out of memory.
bool nc_buffer_append_word(nc_buffer *buffer, uint64_t word, size_t size);

// Words of a state on their way into bytes, a hash, or both: one writer for both, so that they cannot disagree.
typedef struct nc_word_writer {
    nc_buffer *buffer; // NULL: only the hash is needed
    uint64_t hash;     // of all words so far; begin with NC_HASH_START
    bool full;         // out of memory: words are missing in the buffer
} nc_word_writer;

void nc_word_put(nc_word_writer *writer, uint64_t word);

static inline void nc_word_put_double(nc_word_writer *writer, double value)
{
    nc_word_put(writer, nc_double_bits(value));
}

// Writes all words of a state.
typedef void (*nc_word_source)(nc_word_writer *writer, const void *state);
uint64_t nc_words_hash(nc_word_source put, const void *state);
// Appends all words and then their hash. False when out of memory, and then `out` holds what it held.
bool nc_words_save(nc_word_source put, const void *state, nc_buffer *out);

#endif
