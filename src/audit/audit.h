// The exact audit: which of many posed meshes share a point? No tolerance, no skipped pair. And the same for meshes on
// their way through a step, at many times of it.
#ifndef NC_AUDIT_AUDIT_H
#define NC_AUDIT_AUDIT_H

#include "broad/broad.h"
#include "motion/motion.h"
#include "world/world.h"

typedef struct nc_audit_item {
    const nc_mesh *mesh;
    nc_pose pose;
} nc_audit_item;

typedef struct nc_audit_hit {
    int a, b; // items, a < b
    nc_intersection where;
} nc_audit_hit;

// Who does the tests.
typedef struct nc_audit_workers {
    int threads;     // as in nc_parallel_for
    nc_share *share; // ranks that make the same audit, and have a part of the pairs each; NULL: none
} nc_audit_workers;

// Calls for every pair (a < b): false leaves it out. NULL: all pairs matter.
typedef bool (*nc_audit_filter)(int a, int b, void *ctx);

// Finds all intersecting pairs in (a, b) order. Writes up to `capacity` of them; `*out_count` is their number.
// Every pair whose boxes overlap and that passes the filter gets the exact test. A NULL allocator is malloc.
// Ranks of `share` (NULL: none) have a part of the pairs each.
nc_code nc_audit_poses(const nc_audit_item *items, int count, nc_audit_filter filter, void *ctx, nc_share *share,
                       const nc_allocator *allocator, nc_audit_hit *out, int capacity, int *out_count, nc_error *err);

// ---- paths --------------------------------------------------------------------------------------------------

#define NC_AUDIT_SAMPLES 64 // poses of a step, and as many again around the time at which a pair is nearest

// A body over a step.
typedef struct nc_audit_mover {
    const nc_mesh *mesh;
    const nc_path *path;
} nc_audit_mover;

typedef struct nc_path_hit {
    int a, b; // movers, a < b
    double t; // [1] part of the step
    nc_intersection where;
} nc_path_hit;

// Finds pairs that share a point at one of the times it examines, in (a, b) order, each with the first such time.
// Every pair whose swept boxes overlap and that passes the filter is examined at t = k / 64 (k = 1 .. 64, the end of
// the step included) and at 64 times around the one of these at which the two are nearest: it proves what it finds, and
// proves nothing where it finds nothing. A look is the exact test; it is left out where the pair was seen farther apart
// at another of these times than it has moved since, but never at every eighth of the 64. `filter` is called from the
// calling thread; what comes out does not depend on `workers`.
nc_code nc_audit_paths(const nc_audit_mover *movers, int count, nc_audit_filter filter, void *ctx,
                       nc_audit_workers workers, const nc_allocator *allocator, nc_path_hit *out, int capacity,
                       int *out_count, nc_error *err);

// ---- ranks --------------------------------------------------------------------------------------------------

// Gives the others the findings of this rank's pairs, and takes theirs: `found` has one of `size` bytes for each.
nc_code nc_audit_exchange(nc_share *share, void *found, int count, size_t size, nc_error *err);

// ---- inside audit -------------------------------------------------------------------------------------------

// Drops pairs that the filter leaves out.
void nc_audit_keep_pairs(nc_pairs *pairs, nc_audit_filter filter, void *ctx);

#endif
