// Swept queries of two features on straight paths, for measuring: the public benchmark's, or made ones.
#ifndef NC_BENCH_QUERIES_H
#define NC_BENCH_QUERIES_H

#include "cli/cli.h"

#include "narrow/narrow.h"

typedef struct nc_swept_query {
    nc_hull_kind kind;
    nc_vec3 start[4], end[4]; // [m] p, t0, t1, t2, or a0, a1, b0, b1
    bool collides;            // the truth
} nc_swept_query;

typedef struct nc_swept_queries {
    nc_swept_query *items;
    int count, capacity;
    int colliding;
} nc_swept_queries;

// Reads `<root>/<set>/<vertex-face|edge-edge>/*.csv` in the order of the names: 8 rows per query, each of three ratios
// of whole numbers and the truth. NC_NOT_FOUND when there is no such folder or no query in it.
nc_code nc_queries_load(const char *root, nc_swept_queries *out, nc_error *err);
// Made queries of the same character: features of whole coordinates, one in ten colliding exactly, of
// which some touch only at the start or the end, some stay in a plane, some have parallel edges.
nc_code nc_queries_make(int count, nc_swept_queries *out, nc_error *err);
void nc_queries_free(nc_swept_queries *queries);

// The yardstick: the times at which four corners are coplanar are the roots of a cubic; a collision is a root (or the
// end) at which the features are within `tolerance` [m] (Provot 1997, Bridson 2002). Plain doubles: it promises
// nothing.
bool nc_cubic_collides(const nc_swept_query *query, double tolerance);

#endif
