// Several processes (ranks) that compute the same, and share the expensive parts of it.
//
// All ranks hold the same data and make the same calls. A piece of work is a list of items: each rank computes the
// items that were dealt to it, writes their results, and after the exchange reads those of the others, in the order of
// the items. Who has which item follows from counted costs, never from times, so all ranks agree on it, and since a
// result is the same bytes wherever it was computed, nothing depends on the number of ranks.
//
// Every message begins with what it is about. When ranks disagree, or one has left, or an exchange fails, the share has
// failed: for good, on all ranks, and a step that was about to be committed must not be (nc_share_check).
#ifndef NC_BASE_SHARE_H
#define NC_BASE_SHARE_H

#include "base/base.h"

typedef enum nc_share_kind {
    NC_SHARE_CONTROL, // what is to be done next, and what became of it
    NC_SHARE_NEAR,    // near features, by block of pairs
    NC_SHARE_SWEEP,   // sweeps, by pair
    NC_SHARE_SOLVE,   // contact solves, by island
    NC_SHARE_AUDIT,   // exact tests, by pair
    NC_SHARE_KINDS
} nc_share_kind;

// Of this rank.
typedef struct nc_share_use {
    int64_t exchanges;
    int64_t bytes;  // that all ranks together gave
    double seconds; // [s] processor time of the own items (nc_exchange.seconds)
    double slowest; // [s] that of the slowest rank in each exchange, added up
} nc_share_use;

typedef struct nc_share {
    nc_exchange exchange;
    nc_allocator allocator;
    NC_ARRAY(uint8_t) given; // the message that is being written
    NC_ARRAY(int) rank_of;   // by item of the work going on
    NC_ARRAY(int64_t) load;  // by rank, while items are dealt
    NC_ARRAY(size_t) sizes;  // by rank: of the last messages
    NC_ARRAY(size_t) at;     // by rank: where reading continues in `received`
    NC_ARRAY(size_t) end;
    const uint8_t *received;
    double begin;    // [s] when the own items were begun; negative: there are none
    double slowest;  // [s] in the last exchange
    nc_error failed; // its code is NC_OK while all is well
    bool left;       // this rank has said farewell
    nc_share_use use[NC_SHARE_KINDS];
} nc_share;

nc_code nc_share_create(const nc_exchange *exchange, const nc_allocator *allocator, nc_share **out, nc_error *err);
void nc_share_destroy(nc_share *share); // NULL is allowed

// Is there anybody to share with? False for NULL, too.
static inline bool nc_share_is_on(const nc_share *share)
{
    return share != NULL && share->exchange.count > 1;
}

// NC_OK, or why the share has failed.
nc_code nc_share_check(const nc_share *share, nc_error *err);

// ---- work ---------------------------------------------------------------------------------------------------

// [1] what an item costs, in units of its kind; at least 0.
typedef int64_t (*nc_share_cost)(int item, const void *ctx);

// Deals items to ranks and begins a message. `cost` NULL: all cost the same. Dealt in order, each to the rank that has
// least so far; or, `contiguous`, in ranges of about the same cost, so that from one call to the next few items
// change hands. False when it has failed.
bool nc_share_deal(nc_share *share, int count, bool contiguous, nc_share_cost cost, const void *ctx);
static inline bool nc_share_is_mine(const nc_share *share, int item)
{
    return share->rank_of.data[item] == share->exchange.rank;
}

// ---- messages -----------------------------------------------------------------------------------------------

// An empty message; nc_share_deal begins one, too.
void nc_share_begin(nc_share *share);
// Adds bytes to it. False when out of memory; then the share has failed.
bool nc_share_write(nc_share *share, const void *bytes, size_t size);
// Gives the message to all ranks, and gets theirs. `check` must be the same on all ranks, a count for example.
bool nc_share_exchange(nc_share *share, nc_share_kind kind, uint64_t check);
// The next bytes of a rank's message. False, and the share has failed, when there are not so many.
bool nc_share_read(nc_share *share, int rank, void *out, size_t size);
// Bytes of it that are left to read; and these, in place until the next exchange.
size_t nc_share_left(const nc_share *share, int rank);
const void *nc_share_view(const nc_share *share, int rank);

// Tells the others that this rank leaves with this error, if it has not failed by them; whatever they are exchanging
// fails. For the end of one that cannot go on.
void nc_share_leave(nc_share *share, const nc_error *why);

#endif
