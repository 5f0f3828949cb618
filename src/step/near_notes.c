// Notes about pairs of bodies that rest: which of their elements are near each other.
#include "step/near_notes.h"

#include <string.h>

// Of the distance: pairs of elements that are farther apart are not found, however it is rounded.
#define BEYOND 1.02

void nc_near_notes_free(nc_near_notes *notes, const nc_allocator *allocator)
{
    for (int b = 0; b < notes->blocks.count; b++)
        nc_array_free(allocator, &notes->blocks.data[b]);
    nc_array_free(allocator, &notes->blocks);
    nc_array_free(allocator, &notes->heads);
}

bool nc_near_notes_begin(nc_near_notes *notes, int rows, const nc_allocator *allocator)
{
    if (!nc_array_reserve(allocator, &notes->heads, rows))
        return false;
    notes->heads.count = rows;
    for (int k = 0; k < rows; k++)
        notes->heads.data[k].count = 0;
    const nc_notes none = {.data = NULL};
    while (notes->blocks.count * NC_EFFORT_NEAR_BLOCK < rows)
        if (!nc_array_push(allocator, &notes->blocks, none))
            return false;
    for (int b = 0; b * NC_EFFORT_NEAR_BLOCK < rows; b++) {
        nc_notes *block = &notes->blocks.data[b];
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

static bool holds(const nc_near_note *note, const nc_near_place *place, double distance)
{
    return note->count > 0 && note->mesh[0] == nc_mesh_hash(place->mesh[0]) &&
           note->mesh[1] == nc_mesh_hash(place->mesh[1]) &&
           note->reach - nc_near_moved(place, note->a, note->b) > BEYOND * distance;
}

bool nc_near_notes_recall(const nc_near_notes *old, int before, nc_near_notes *notes, int row,
                          const nc_near_place *place, double distance, nc_notes *out)
{
    if (before < 0 || before >= old->heads.count || !holds(&old->heads.data[before], place, distance))
        return false;
    const nc_near_note *note = &old->heads.data[before];
    const nc_notes *from = &old->blocks.data[before / NC_EFFORT_NEAR_BLOCK];
    nc_notes *to = &notes->blocks.data[row / NC_EFFORT_NEAR_BLOCK];
    *out = (nc_notes){from->data + note->first, note->count, note->count};
    if (to->count + note->count <= to->capacity) {
        memcpy(to->data + to->count, out->data, (size_t)note->count * sizeof *out->data);
        notes->heads.data[row] = *note;
        notes->heads.data[row].first = to->count;
    }
    to->count += note->count; // beyond the capacity, it says how much room there must be the next time
    return true;
}

bool nc_near_notes_take(nc_near_notes *notes, int row, const nc_near_place *place, double distance, nc_notes *out)
{
    nc_notes *block = &notes->blocks.data[row / NC_EFFORT_NEAR_BLOCK];
    const int first = block->count < block->capacity ? block->count : block->capacity;
    *out = (nc_notes){block->data + first, 0, block->capacity - first};
    const bool noted = nc_proximity_note(place->mesh[0], place->pose[0], place->mesh[1], place->pose[1],
                                         NC_EFFORT_REST_REACH * distance, out);
    if (out->count > NC_EFFORT_REST_MAX_ELEMENTS)
        return false;
    block->count += out->count;
    if (noted) {
        const uint64_t hash[2] = {nc_mesh_hash(place->mesh[0]), nc_mesh_hash(place->mesh[1])};
        notes->heads.data[row] = (nc_near_note){
            place->pose[0], place->pose[1], {hash[0], hash[1]}, NC_EFFORT_REST_REACH * distance, first, out->count};
    }
    return noted;
}
