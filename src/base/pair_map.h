// Pairs of rows as one number, and arrays that are sorted by it.
#ifndef NC_BASE_PAIR_MAP_H
#define NC_BASE_PAIR_MAP_H

#include "nacre/base.h"

// The pair of rows i and j, in either order: the lower row in the high half, so that keys sort by (lower, upper).
static inline uint64_t nc_pair_key(int i, int j)
{
    const uint64_t low = (uint64_t)(i < j ? i : j), high = (uint64_t)(i < j ? j : i);
    return low << 32 | high;
}

static inline int nc_pair_lower(uint64_t key)
{
    return (int)(key >> 32);
}

static inline int nc_pair_upper(uint64_t key)
{
    return (int)(key & UINT32_MAX);
}

static inline bool nc_pair_has(uint64_t key, int row)
{
    return nc_pair_lower(key) == row || nc_pair_upper(key) == row;
}

// Arrays of items that begin with their key (a uint64_t, which may be all of it), ascending, no key twice.

// The first slot whose key is not below `key`.
int nc_pair_map_slot(const void *items, int count, size_t item_size, uint64_t key);
// The slot of `key`; -1 when there is none.
int nc_pair_map_find(const void *items, int count, size_t item_size, uint64_t key);
// Puts an item where it belongs; there is room for it, and none with its key.
void nc_pair_map_insert(void *items, int *count, size_t item_size, const void *item);
void nc_pair_map_remove(void *items, int *count, size_t item_size, int slot);
// Removes all pairs of a row.
void nc_pair_map_forget(void *items, int *count, size_t item_size, int row);

#endif
