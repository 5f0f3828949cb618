// A pool: blocks of memory that are filled from the front and freed all at once.
#include "scene/node.h"

#include <stdio.h>
#include <string.h>

#define BLOCK_SIZE ((size_t)16 * 1024)

struct nc_pool_block {
    nc_pool_block *older;
    size_t size; // of the whole block, this header included
};

#define HEADER ((sizeof(nc_pool_block) + 15U) & ~(size_t)15U)

static bool add_block(nc_pool *pool, size_t need)
{
    const size_t size = need + HEADER > BLOCK_SIZE ? need + HEADER : BLOCK_SIZE;
    nc_pool_block *block = nc_alloc(&pool->allocator, 1, size);
    if (block == NULL)
        return false;
    block->older = pool->blocks;
    block->size = size;
    pool->blocks = block;
    pool->used = HEADER;
    return true;
}

void *nc_pool_take(nc_pool *pool, size_t count, size_t item_size)
{
    if (count == 0 || item_size == 0 || count > (SIZE_MAX / 2) / item_size)
        return NULL;
    const size_t need = (count * item_size + 15U) & ~(size_t)15U;
    if ((pool->blocks == NULL || pool->blocks->size - pool->used < need) && !add_block(pool, need))
        return NULL;
    void *taken = (uint8_t *)pool->blocks + pool->used;
    pool->used += need;
    return taken;
}

char *nc_pool_text(nc_pool *pool, const char *text, size_t size)
{
    char *copy = nc_pool_take(pool, size + 1, 1);
    if (copy != NULL && size > 0)
        memcpy(copy, text, size);
    return copy;
}

char *nc_pool_format(nc_pool *pool, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int size = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = size < 0 ? NULL : nc_pool_take(pool, (size_t)size + 1, 1);
    if (text != NULL)
        vsnprintf(text, (size_t)size + 1, format, again);
    va_end(again);
    return text;
}

void nc_pool_free(nc_pool *pool)
{
    for (nc_pool_block *block = pool->blocks; block != NULL;) {
        nc_pool_block *older = block->older;
        nc_free(&pool->allocator, block, 1, block->size);
        block = older;
    }
    pool->blocks = NULL;
    pool->used = 0;
}
