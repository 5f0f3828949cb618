// Memory: the allocator, growing arrays, byte buffers.
#include "base/base.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static void *default_resize(void *ctx, void *ptr, size_t old_size, size_t new_size)
{
    (void)ctx;
    (void)old_size;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    return realloc(ptr, new_size);
}

nc_allocator nc_allocator_default(void)
{
    nc_allocator allocator = {default_resize, NULL};
    return allocator;
}

nc_allocator nc_allocator_or_default(const nc_allocator *allocator)
{
    return allocator != NULL && allocator->resize != NULL ? *allocator : nc_allocator_default();
}

static bool multiply_overflows(size_t a, size_t b)
{
    return b != 0 && a > SIZE_MAX / b;
}

void *nc_alloc(const nc_allocator *allocator, size_t count, size_t item_size)
{
    if (count == 0 || item_size == 0 || multiply_overflows(count, item_size))
        return NULL;
    void *ptr = allocator->resize(allocator->ctx, NULL, 0, count * item_size);
    if (ptr != NULL)
        memset(ptr, 0, count * item_size);
    return ptr;
}

void *nc_realloc(const nc_allocator *allocator, void *ptr, size_t old_count, size_t new_count, size_t item_size)
{
    if (new_count == 0 || item_size == 0 || multiply_overflows(new_count, item_size))
        return NULL;
    uint8_t *moved = allocator->resize(allocator->ctx, ptr, old_count * item_size, new_count * item_size);
    if (moved != NULL && new_count > old_count)
        memset(moved + old_count * item_size, 0, (new_count - old_count) * item_size);
    return moved;
}

void nc_free(const nc_allocator *allocator, void *ptr, size_t count, size_t item_size)
{
    if (ptr != NULL)
        allocator->resize(allocator->ctx, ptr, count * item_size, 0);
}

#define LARGE ((size_t)1 << 16) // [bytes]

// What an array with room for `capacity` items grows to, unless it must hold more. Large ones grow by a quarter, so
// that little of their memory is never used.
static int grown(int capacity, size_t item_size)
{
    const int more = (size_t)capacity < LARGE / item_size ? capacity : capacity / 4;
    return capacity > INT_MAX - more ? INT_MAX : capacity + more;
}

bool nc_grow(const nc_allocator *allocator, void **ptr, int *capacity, int need, size_t item_size)
{
    if (need < 0)
        return false;
    if (need <= *capacity)
        return true;
    const int least = grown(*capacity, item_size);
    int wanted = need > least ? need : least;
    if (wanted < 8)
        wanted = 8;
    void *moved = nc_realloc(allocator, *ptr, (size_t)*capacity, (size_t)wanted, item_size);
    if (moved == NULL)
        return false;
    *ptr = moved;
    *capacity = wanted;
    return true;
}

nc_buffer nc_buffer_create(const nc_allocator *allocator)
{
    nc_buffer buffer = {NULL, 0, 0, nc_allocator_or_default(allocator)};
    return buffer;
}

void nc_buffer_free(nc_buffer *buffer)
{
    nc_free(&buffer->allocator, buffer->data, buffer->capacity, 1);
    buffer->data = NULL;
    buffer->size = 0;
    buffer->capacity = 0;
}

bool nc_buffer_append(nc_buffer *buffer, const void *bytes, size_t size)
{
    if (size == 0)
        return true;
    if (size > SIZE_MAX / 2 - buffer->size)
        return false;
    if (buffer->size + size > buffer->capacity) {
        size_t wanted = buffer->capacity * 2;
        if (wanted < buffer->size + size)
            wanted = buffer->size + size;
        if (wanted < 256)
            wanted = 256;
        uint8_t *moved = nc_realloc(&buffer->allocator, buffer->data, buffer->capacity, wanted, 1);
        if (moved == NULL)
            return false;
        buffer->data = moved;
        buffer->capacity = wanted;
    }
    memcpy(buffer->data + buffer->size, bytes, size);
    buffer->size += size;
    return true;
}
