// Packing of large blobs by zstd.
#include "run/run.h"

#include <string.h>
#include <zstd.h>

// The most a packed blob may claim to unpack to: a damaged or hostile file must not cost all memory.
#define LARGEST_BLOB (INT64_C(1) << 36)

const char *nc_run_pack(const void *bytes, size_t size, nc_buffer *out)
{
    const size_t bound = ZSTD_compressBound(size);
    out->data = nc_alloc(&out->allocator, bound, 1);
    if (out->data == NULL)
        return NULL;
    out->capacity = bound;
    out->size = ZSTD_compress(out->data, bound, bytes, size, 1);
    if (!ZSTD_isError(out->size) && out->size < size)
        return "zstd";
    out->size = 0;
    return nc_buffer_append(out, bytes, size) ? "raw" : NULL;
}

nc_code nc_run_unpack(const char *packing, const void *bytes, size_t byte_count, int64_t size, nc_buffer *out)
{
    if (strcmp(packing, "raw") == 0) {
        if (size != (int64_t)byte_count)
            return NC_BAD_FILE;
        return nc_buffer_append(out, bytes, byte_count) ? NC_OK : NC_OUT_OF_MEMORY;
    }
    const bool known = strcmp(packing, "zstd") == 0 && size > 0 && size <= LARGEST_BLOB;
    if (!known || ZSTD_getFrameContentSize(bytes, byte_count) != (unsigned long long)size)
        return NC_BAD_FILE;
    out->data = nc_alloc(&out->allocator, (size_t)size, 1);
    if (out->data == NULL)
        return NC_OUT_OF_MEMORY;
    out->capacity = (size_t)size;
    out->size = ZSTD_decompress(out->data, (size_t)size, bytes, byte_count);
    return out->size == (size_t)size ? NC_OK : NC_BAD_FILE;
}
