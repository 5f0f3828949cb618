// Which boxes overlap: the pairs that finer tests must examine.
//
// Guarantee: exact. The pairs are those whose boxes overlap or touch by the doubles given, no more and no fewer, in
// ascending order, whatever was done before and on however many threads. Boxes of any kind are taken:
//   a box with lo > hi along some axis is empty and overlaps nothing (nc_box_empty is one);
//   a box with a NaN anywhere overlaps everything that is not empty: what is not known is not ruled out;
//   points, flat boxes and infinite ones are boxes like any other.
// docs/theory/broad.md says how, why it is exact, and what else was measured.
#ifndef NC_BROAD_BROAD_H
#define NC_BROAD_BROAD_H

#include "geom/geom.h"

typedef struct nc_pair {
    int a, b; // a < b
} nc_pair;

typedef struct nc_pairs {
    nc_pair *data;
    int count;
    int capacity;
} nc_pairs;
void nc_pairs_free(nc_pairs *pairs, const nc_allocator *allocator);

// Body numbers, ascending.
typedef struct nc_body_list {
    int *data;
    int count;
    int capacity;
} nc_body_list;
void nc_body_list_free(nc_body_list *list, const nc_allocator *allocator);

// All pairs (a, b), a < b, of boxes that overlap or touch, in ascending order of (a, b).
// Appends nothing: `out` is overwritten, its memory reused; free it with nc_pairs_free.
// For one look at one set of boxes; when the same bodies are examined again and again, keep an nc_broad.
nc_code nc_broad_overlaps(const nc_box *boxes, int count, const nc_allocator *allocator, nc_pairs *out, nc_error *err);

// ---- boxes that move ----------------------------------------------------------------------------------------

// A tree over the boxes of bodies 0 .. count - 1. It keeps its shape while boxes move a little and is rebuilt when
// they have moved much; which of the two happened cannot be seen in the answers. Once it has seen as many bodies and
// pairs as there will be, it allocates nothing.
typedef struct nc_broad nc_broad;

// `allocator` may be NULL; it is called from the calling thread only. `workers` as in nc_parallel_for.
nc_code nc_broad_create(const nc_allocator *allocator, int workers, nc_broad **out, nc_error *err);
void nc_broad_destroy(nc_broad *broad);

// The boxes of all bodies at once; `count` may differ from before. When out of memory, `broad` has no bodies.
nc_code nc_broad_set(nc_broad *broad, const nc_box *boxes, int count, nc_error *err);

// One body's box. body == nc_broad_count adds a body; an empty box removes one (its number stays). Costs the depth of
// the tree, but that every so many additions one rebuilds it. When out of memory, nothing changed.
nc_code nc_broad_move(nc_broad *broad, int body, nc_box box, nc_error *err);

int nc_broad_count(const nc_broad *broad);

// All pairs of the current boxes, as nc_broad_overlaps gives them. `out` is overwritten; its memory is from the
// allocator of `broad`.
nc_code nc_broad_pairs(nc_broad *broad, nc_pairs *out, nc_error *err);

// nc_broad_overlaps with memory that is kept: *broad is made when it is NULL, and serves the next call.
nc_code nc_broad_overlaps_again(nc_broad **broad, const nc_box *boxes, int count, const nc_allocator *allocator,
                                nc_pairs *out, nc_error *err);

// Kinds of bodies; all larger numbers: it may move.
enum { NC_BROAD_NOBODY = 0, NC_BROAD_STAYS = 1 };
// Boxes for pairs of which at least one may move: `boxes`, or `shown` (as many), in which those of bodies that stay are
// empty where they are outside the box around all that may move. Nothing is hidden when the box of one of these is not
// known (a NaN) or empty. `kind` by body.
const nc_box *nc_broad_within_reach(const nc_box *boxes, const uint8_t *kind, int count, nc_box *shown);

// The bodies whose boxes overlap that of `body`, without itself; and those that overlap any box. `out` is overwritten.
// Reads only: several threads may ask at once, each with a list of its own, as long as the allocator allows it.
nc_code nc_broad_partners(const nc_broad *broad, int body, nc_body_list *out, nc_error *err);
nc_code nc_broad_query(const nc_broad *broad, nc_box box, nc_body_list *out, nc_error *err);

#endif
