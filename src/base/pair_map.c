// Arrays sorted by the keys of pairs.
#include "base/base.h"

static uint64_t key_at(const void *items, size_t item_size, int slot)
{
    uint64_t key;
    memcpy(&key, (const uint8_t *)items + (size_t)slot * item_size, sizeof key);
    return key;
}

static uint8_t *at(void *items, size_t item_size, int slot)
{
    return (uint8_t *)items + (size_t)slot * item_size;
}

int nc_pair_map_slot(const void *items, int count, size_t item_size, uint64_t key)
{
    int begin = 0, end = count;
    while (begin < end) {
        const int middle = begin + (end - begin) / 2;
        if (key_at(items, item_size, middle) < key)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

int nc_pair_map_find(const void *items, int count, size_t item_size, uint64_t key)
{
    const int slot = nc_pair_map_slot(items, count, item_size, key);
    return slot < count && key_at(items, item_size, slot) == key ? slot : -1;
}

void nc_pair_map_insert(void *items, int *count, size_t item_size, const void *item)
{
    const int slot = nc_pair_map_slot(items, *count, item_size, key_at(item, item_size, 0));
    uint8_t *to = at(items, item_size, slot);
    memmove(to + item_size, to, (size_t)(*count - slot) * item_size);
    memcpy(to, item, item_size);
    ++*count;
}

void nc_pair_map_remove(void *items, int *count, size_t item_size, int slot)
{
    uint8_t *to = at(items, item_size, slot);
    --*count;
    memmove(to, to + item_size, (size_t)(*count - slot) * item_size);
}

void nc_pair_map_forget(void *items, int *count, size_t item_size, int row)
{
    int kept = 0;
    for (int k = 0; k < *count; k++)
        if (!nc_pair_has(key_at(items, item_size, k), row))
            memmove(at(items, item_size, kept++), at(items, item_size, k), item_size);
    *count = kept;
}
