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
