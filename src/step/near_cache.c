// Cached candidates of resting pairs: which of their elements are near each other.
#include "step/near_cache.h"

#include <string.h>

// Of the distance: pairs of elements that are farther apart are not found, however it is rounded.
#define NOT_FOUND_BEYOND 1.02

void nc_near_cache_free(nc_near_cache *cache, const nc_allocator *allocator)
{
    for (int b = 0; b < cache->blocks.count; b++)
        nc_array_free(allocator, &cache->blocks.data[b]);
    nc_array_free(allocator, &cache->blocks);
    nc_array_free(allocator, &cache->heads);
}

bool nc_near_cache_begin(nc_near_cache *cache, int rows, const nc_allocator *allocator)
{
    if (!nc_array_reserve(allocator, &cache->heads, rows))
        return false;
    cache->heads.count = rows;
    for (int k = 0; k < rows; k++)
        cache->heads.data[k].count = 0;
    const nc_cached_pairs none = {.data = NULL};
    while (cache->blocks.count * NC_EFFORT_NEAR_BLOCK < rows)
        if (!nc_array_push(allocator, &cache->blocks, none))
            return false;
    for (int b = 0; b * NC_EFFORT_NEAR_BLOCK < rows; b++) {
        nc_cached_pairs *block = &cache->blocks.data[b];
        if (!nc_array_reserve(allocator, block,
                              block->count > NC_EFFORT_REST_ELEMENTS ? block->count : NC_EFFORT_REST_ELEMENTS))
            return false;
        block->count = 0;
    }
    return true;
}

// |R v - R' v| <= 2 |q - q'| |v| for unit quaternions, and q and -q are one rotation; a tenth more for lengths down to
// 0.954, and no bound for shorter ones.
static double turned(nc_quat q, nc_quat before)
{
    if (!(nc_quat_norm2(q) > 0.91 && nc_quat_norm2(before) > 0.91))
        return INFINITY;
    const double dot = q.w * before.w + q.x * before.x + q.y * before.y + q.z * before.z;
    const double s = dot < 0 ? -1 : 1;
    const double w = q.w - s * before.w, x = q.x - s * before.x, y = q.y - s * before.y, z = q.z - s * before.z;
    return 2.2 * sqrt(w * w + x * x + y * y + z * z);
}

double nc_near_moved(const nc_near_place *now, nc_pose a, nc_pose b)
{
    const nc_vec3 moved = nc_sub(nc_sub(now->pose[0].x, a.x), nc_sub(now->pose[1].x, b.x));
    return nc_norm(moved) + turned(now->pose[0].q, a.q) * nc_mesh_radius(now->mesh[0]) +
           turned(now->pose[1].q, b.q) * nc_mesh_radius(now->mesh[1]);
}

// [m] how far the bodies have moved since; infinite when the entry says nothing about them.
static double moved_since(const nc_near_cache_entry *entry, const nc_near_place *place)
{
    const bool theirs = entry->count > 0 && entry->mesh[0] == nc_mesh_hash(place->mesh[0]) &&
                        entry->mesh[1] == nc_mesh_hash(place->mesh[1]);
    return theirs ? nc_near_moved(place, entry->a, entry->b) : INFINITY;
}

bool nc_near_cache_reuse(const nc_near_cache *old, int before, nc_near_cache *cache, int row,
                         const nc_near_place *place, double distance, nc_cached_pairs *out)
{
    if (before < 0 || before >= old->heads.count)
        return false;
    const nc_near_cache_entry *entry = &old->heads.data[before];
    const double moved = moved_since(entry, place);
    if (!(entry->reach - moved > NOT_FOUND_BEYOND * distance))
        return false;
    const nc_cached_pairs *from = &old->blocks.data[before / NC_EFFORT_NEAR_BLOCK];
    nc_cached_pairs *to = &cache->blocks.data[row / NC_EFFORT_NEAR_BLOCK];
    *out = (nc_cached_pairs){from->data + entry->first, entry->count, entry->count,
                             moved <= NC_EFFORT_REST_END_MOTION * distance};
    if (to->count + entry->count <= to->capacity) {
        memcpy(to->data + to->count, out->data, (size_t)entry->count * sizeof *out->data);
        cache->heads.data[row] = *entry;
        cache->heads.data[row].first = to->count;
    }
    to->count += entry->count; // beyond the capacity, it says how much room there must be the next time
    return true;
}

bool nc_near_cache_store(nc_near_cache *cache, int row, const nc_near_place *place, double distance,
                         nc_cached_pairs *out)
{
    nc_cached_pairs *block = &cache->blocks.data[row / NC_EFFORT_NEAR_BLOCK];
    const int first = block->count < block->capacity ? block->count : block->capacity;
    *out = (nc_cached_pairs){block->data + first, 0, block->capacity - first, true};
    const bool noted =
        nc_proximity_list_candidates(place->mesh[0], place->pose[0], place->mesh[1], place->pose[1],
                                     NC_EFFORT_REST_REACH * distance, NC_EFFORT_REST_END_MOTION * distance, out);
    if (out->count > NC_EFFORT_REST_MAX_ELEMENTS)
        return false;
    block->count += out->count;
    if (noted) {
        const uint64_t hash[2] = {nc_mesh_hash(place->mesh[0]), nc_mesh_hash(place->mesh[1])};
        cache->heads.data[row] = (nc_near_cache_entry){
            place->pose[0], place->pose[1], {hash[0], hash[1]}, NC_EFFORT_REST_REACH * distance, first, out->count};
    }
    return noted;
}
