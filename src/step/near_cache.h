// Inside step only: cached candidates (pairs of elements) for the search of near features, kept while bodies rest.
//
// Once a pair of bodies has barely moved from one table of near pairs to the next, all pairs of elements within a fifth
// more than the distance are cached. Until the bodies have moved by most of that fifth, no other pair of elements
// can be near, and the search examines these alone. It finds the same, to the bit (docs/theory/proximity.md).
#ifndef NC_STEP_NEAR_CACHE_H
#define NC_STEP_NEAR_CACHE_H

#include "narrow/narrow.h"

// Of one pair of bodies.
typedef struct nc_near_cache_entry {
    nc_pose a, b;     // where the bodies were
    uint64_t mesh[2]; // hashes of the meshes
    double reach;     // [m] no other pair of elements was as near as this
    int first, count; // in the pairs of the row's block; count 0: there is none
} nc_near_cache_entry;

typedef struct nc_near_cache {
    NC_ARRAY(nc_near_cache_entry) heads; // by row
    NC_ARRAY(nc_cached_pairs) blocks;    // of NC_EFFORT_NEAR_BLOCK rows each
} nc_near_cache;

// Two meshes at poses.
typedef struct nc_near_place {
    const nc_mesh *mesh[2];
    nc_pose pose[2];
} nc_near_place;

void nc_near_cache_free(nc_near_cache *cache, const nc_allocator *allocator);

// Empties the cache and makes room for as many rows, and for what did not fit the last time. False when out of memory.
bool nc_near_cache_begin(nc_near_cache *cache, int rows, const nc_allocator *allocator);

// [m] no point of one body moves against any point of the other by more, between two placements.
double nc_near_moved(const nc_near_place *now, nc_pose a, nc_pose b);

// What was cached in row `before` of `old` and is still valid is copied to row `row` of `cache`, if there is room.
// False when there is nothing. Needs rounding that is small against `distance` [m], that of the search.
bool nc_near_cache_reuse(const nc_near_cache *old, int before, nc_near_cache *cache, int row,
                         const nc_near_place *place, double distance, nc_cached_pairs *out);
// Caches the pairs of elements of row `row`; false when there is no room.
bool nc_near_cache_store(nc_near_cache *cache, int row, const nc_near_place *place, double distance,
                         nc_cached_pairs *out);

#endif
