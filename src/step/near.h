// Inside step only: what is near what at one set of poses, for resting contact and as a head start for certify.
//
// The table is a function of the poses alone: it is kept from the end of one step to the start of the next, and a world
// that was restored, or whose bodies were moved, rebuilds it with the same bits.
#ifndef NC_STEP_NEAR_H
#define NC_STEP_NEAR_H

#include "broad/broad.h"
#include "narrow/narrow.h"
#include "step/near_cache.h"

// A pair was once found so far apart: it is still, but for what the bodies moved since.
typedef struct nc_near_apart {
    double distance;  // [m] 0: nothing is known
    nc_pose i, j;     // where they were
    uint64_t mesh[2]; // hashes of the meshes
} nc_near_apart;

// A pair of bodies whose boxes are within the distance of each other.
typedef struct nc_near_row {
    int i, j;         // i < j
    int block;        // whose list has its features
    int first, count; // in that list
    double distance;  // [m] below which its features are near; at most the table's
    double clearance; // [m] no two features of the pair are nearer; at most the distance
    // What spares the search of a pair without near features. The search would find none, so no result depends on it.
    nc_near_apart apart;
    nc_whole_hint hint; // a direction that kept the whole bodies apart
    int idle;           // steps for which nothing is tried again
    int before;         // row in the table before, -1: it was not there
} nc_near_row;

typedef NC_ARRAY(nc_near_row) nc_near_rows;
typedef NC_ARRAY(nc_proximity_list) nc_near_lists;

typedef struct nc_near_table {
    bool made;       // for the bodies below
    int body_count;  //
    double distance; // [m] the largest of any pair
    uint64_t signature;
    nc_pose *pose, *old_pose; // row i: body i; now, and in the table before
    const nc_mesh **mesh;
    uint64_t *hash; // of the mesh
    uint8_t *same;  // it has the mesh and the pose that it had in the table before
    nc_box *box;    // [m]
    nc_box *shown;  // [m] what the broad phase sees of them
    int *begin;     // rows of pairs with i as their lower body: begin[i] .. begin[i + 1]
    struct {
        int pose, old_pose, mesh, hash, same, box, shown, begin;
    } capacity;
    nc_broad *broad;     // of the boxes
    nc_pairs pairs;      // of boxes that overlap
    nc_near_rows rows;   // by (i, j)
    NC_ARRAY(int) high;  // by row: its j, side by side for those who look for one
    nc_near_lists lists; // their features, by block
    nc_near_cache cache;
    NC_ARRAY(int) next;          // by block: its first row that is not filled yet
    NC_ARRAY(int) cached_needed; // by block: room for cached candidates that this row needs
    // Those of the table before: for hints and, of pairs that are where they were, for all that was found.
    nc_near_rows old;
    nc_near_lists old_lists;
    nc_near_cache old_cache;
    nc_share *share; // other ranks that make the same table; borrowed, NULL: none
} nc_near_table;

// How contacts are searched for, everywhere in the step.
nc_proximity_options nc_contact_options(void);

void nc_near_table_free(nc_near_table *table, const nc_allocator *allocator);

// What the table is made of. `wanted` says which pairs belong into it.
typedef struct nc_near_bodies {
    int count;
    const nc_pose *pose;
    const nc_mesh *const *mesh; // NULL: no body in this row
    const uint8_t *kind;        // by row, as in nc_broad_within_reach: no pair of two that stay is wanted; NULL: any is
    uint64_t signature;         // of what else `wanted` depends on
    bool (*wanted)(int i, int j, const void *ctx);
    // [m] below which the features of a pair are near: at most that of the table, and a function of their meshes. May
    // be NULL: that of the table.
    double (*distance)(int i, int j, const void *ctx);
    const void *ctx;
} nc_near_bodies;

// Makes the table for these bodies, unless it is theirs already. `allocator` is called from this thread only.
nc_code nc_near_table_make(nc_near_table *table, const nc_near_bodies *bodies, double distance, int workers,
                           const nc_allocator *allocator, nc_error *err);

// The row of a pair, or NULL when its boxes are farther apart than the distance, or it is not wanted.
const nc_near_row *nc_near_table_find(const nc_near_table *table, int i, int j);

static inline const nc_proximity *nc_near_features(const nc_near_table *table, const nc_near_row *row)
{
    return table->lists.data[row->block].data + row->first;
}

#endif
