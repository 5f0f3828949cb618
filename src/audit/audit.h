// The exact audit: which of many posed meshes share a point? No tolerance, no skipped pair.
#ifndef NC_AUDIT_AUDIT_H
#define NC_AUDIT_AUDIT_H

#include "broad/broad.h"
#include "world/world.h"

typedef struct nc_audit_item {
    const nc_mesh *mesh;
    nc_pose pose;
} nc_audit_item;

typedef struct nc_audit_hit {
    int a, b; // items, a < b
    nc_intersection where;
} nc_audit_hit;

// Calls for every pair (a < b): false leaves it out. NULL: all pairs matter.
typedef bool (*nc_audit_filter)(int a, int b, void *ctx);

// Finds all intersecting pairs in (a, b) order. Writes up to `capacity` of them; `*out_count` is their number.
// Every pair whose boxes overlap and that passes the filter gets the exact test. A NULL allocator is malloc.
nc_code nc_audit_poses(const nc_audit_item *items, int count, nc_audit_filter filter, void *ctx,
                       const nc_allocator *allocator, nc_audit_hit *out, int capacity, int *out_count, nc_error *err);

#endif
