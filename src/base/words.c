// Little-endian words into buffers.
#include "base/base.h"

bool nc_buffer_append_word(nc_buffer *buffer, uint64_t word, size_t size)
{
    uint8_t bytes[8];
    nc_word_write(word, size, bytes);
    return nc_buffer_append(buffer, bytes, size);
}

void nc_word_put(nc_word_writer *writer, uint64_t word)
{
    writer->hash = nc_hash_u64(writer->hash, word);
    if (writer->buffer != NULL && !writer->full)
        writer->full = !nc_buffer_append_word(writer->buffer, word, 8);
}

uint64_t nc_words_hash(nc_word_source put, const void *state)
{
    nc_word_writer writer = {.hash = NC_HASH_START};
    put(&writer, state);
    return writer.hash;
}

bool nc_words_save(nc_word_source put, const void *state, nc_buffer *out)
{
    const size_t before = out->size;
    nc_word_writer writer = {.buffer = out, .hash = NC_HASH_START};
    put(&writer, state);
    nc_word_put(&writer, writer.hash);
    if (writer.full)
        out->size = before;
    return !writer.full;
}
