// Several processes that share work: who has which item, and what each message is about.
#include "base/share.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define LEAVING UINT32_MAX // instead of a kind

// At the beginning of each message.
typedef struct head {
    uint32_t kind;
    uint32_t number; // of the exchange
    uint64_t check;
    // What is before this is the same on all ranks.
    double seconds; // [s] of the own items
    uint64_t sum;   // of the bytes that follow
} head;
#define SAME_BYTES offsetof(head, seconds)

// A sum of bytes that no change of a few of them leaves as it is; much faster than nc_hash.
static uint64_t sum_of(const uint8_t *bytes, size_t size)
{
    uint64_t sum = size, word = 0;
    for (; size >= sizeof word; size -= sizeof word, bytes += sizeof word) {
        memcpy(&word, bytes, sizeof word);
        sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        sum ^= sum >> 32;
    }
    return nc_hash(sum, bytes, size);
}

nc_code nc_share_create(const nc_exchange *exchange, const nc_allocator *allocator, nc_share **out, nc_error *err)
{
    const nc_allocator memory = nc_allocator_or_default(allocator);
    const int ranks = exchange->count;
    if (ranks < 1 || exchange->rank < 0 || exchange->rank >= ranks || exchange->gather == NULL)
        return nc_fail(err, NC_BAD_ARGUMENT, "rank %d of %d cannot exchange anything", exchange->rank, ranks);
    nc_share *share = nc_alloc(&memory, 1, sizeof *share);
    if (share == NULL)
        return nc_fail_memory(err, sizeof *share);
    share->exchange = *exchange;
    share->allocator = memory;
    if (!nc_array_reserve(&memory, &share->load, ranks) || !nc_array_reserve(&memory, &share->sizes, ranks) ||
        !nc_array_reserve(&memory, &share->at, ranks) || !nc_array_reserve(&memory, &share->end, ranks)) {
        nc_share_destroy(share);
        return nc_fail_memory(err, (size_t)ranks * sizeof(size_t));
    }
    *out = share;
    return NC_OK;
}

void nc_share_destroy(nc_share *share)
{
    if (share == NULL)
        return;
    const nc_allocator memory = share->allocator;
    nc_array_free(&memory, &share->given);
    nc_array_free(&memory, &share->rank_of);
    nc_array_free(&memory, &share->load);
    nc_array_free(&memory, &share->sizes);
    nc_array_free(&memory, &share->at);
    nc_array_free(&memory, &share->end);
    nc_free(&memory, share, 1, sizeof *share);
}

nc_code nc_share_check(const nc_share *share, nc_error *err)
{
    if (!nc_share_is_on(share) || share->failed.code == NC_OK)
        return NC_OK;
    return nc_fail(err, share->failed.code, "%s", share->failed.text);
}

static bool fails_for_memory(nc_share *share)
{
    if (share->failed.code == NC_OK)
        (void)nc_fail(&share->failed, NC_OUT_OF_MEMORY, "out of memory for what rank %d shares", share->exchange.rank);
    return false;
}

static double seconds_now(const nc_share *share)
{
    return share->exchange.seconds != NULL ? share->exchange.seconds(share->exchange.ctx) : 0;
}

// ---- work ---------------------------------------------------------------------------------------------------

// Each item to who has least so far; the lowest of these.
static void deal_in_turn(nc_share *share, int count, nc_share_cost cost, const void *ctx)
{
    const int ranks = share->exchange.count;
    for (int r = 0; r < ranks; r++)
        share->load.data[r] = 0;
    for (int k = 0; k < count; k++) {
        int least = 0;
        if (cost == NULL) {
            least = k % ranks;
        } else {
            for (int r = 1; r < ranks; r++)
                least = share->load.data[r] < share->load.data[least] ? r : least;
        }
        share->rank_of.data[k] = least;
        share->load.data[least] += cost != NULL ? cost(k, ctx) : 1;
    }
}

// An item belongs to the rank in whose part of the sum of all costs its middle is.
static void deal_ranges(nc_share *share, int count, nc_share_cost cost, const void *ctx)
{
    const int ranks = share->exchange.count;
    int64_t sum = 0, before = 0;
    for (int k = 0; k < count; k++)
        sum += cost != NULL ? cost(k, ctx) : 1;
    for (int k = 0; k < count; k++) {
        const int64_t own = cost != NULL ? cost(k, ctx) : 1;
        const int64_t rank = sum > 0 ? (2 * before + own) * ranks / (2 * sum) : 0;
        share->rank_of.data[k] = rank < ranks ? (int)rank : ranks - 1;
        before += own;
    }
}

bool nc_share_deal(nc_share *share, int count, bool contiguous, nc_share_cost cost, const void *ctx)
{
    if (share->failed.code != NC_OK)
        return false;
    if (!nc_array_reserve(&share->allocator, &share->rank_of, count))
        return fails_for_memory(share);
    share->rank_of.count = count;
    if (contiguous)
        deal_ranges(share, count, cost, ctx);
    else
        deal_in_turn(share, count, cost, ctx);
    nc_share_begin(share);
    share->begin = seconds_now(share);
    return true;
}

// ---- messages -----------------------------------------------------------------------------------------------

void nc_share_begin(nc_share *share)
{
    const head empty = {.kind = 0};
    share->given.count = 0;
    share->begin = -1;
    (void)nc_share_write(share, &empty, sizeof empty);
}

bool nc_share_write(nc_share *share, const void *bytes, size_t size)
{
    if (size > (size_t)(INT32_MAX / 2 - share->given.count) ||
        !nc_array_reserve(&share->allocator, &share->given, share->given.count + (int)size))
        return fails_for_memory(share);
    if (size > 0)
        memcpy(share->given.data + share->given.count, bytes, size);
    share->given.count += (int)size;
    return true;
}

// What a message of a rank that is not as it must be says about that rank.
static bool fails_by(nc_share *share, int rank, const head *theirs, const head *mine)
{
    if (theirs->kind == LEAVING) {
        char why[sizeof share->failed.text] = "";
        const size_t left = nc_share_left(share, rank);
        memcpy(why, nc_share_view(share, rank), left < sizeof why - 1 ? left : sizeof why - 1);
        (void)nc_fail(&share->failed, NC_IO, "rank %d ended: %s", rank, why);
        share->left = true; // it hears nothing any more
    } else {
        (void)nc_fail(&share->failed, NC_BROKEN_PROMISE,
                      "ranks disagree: in exchange %u rank %d is at work %u of %llu, rank %d at work %u of %llu",
                      mine->number, rank, theirs->kind, (unsigned long long)theirs->check, share->exchange.rank,
                      mine->kind, (unsigned long long)mine->check);
    }
    return false;
}

// All messages have come: are they about the same?
static bool open_messages(nc_share *share, const head *mine)
{
    size_t at = 0;
    int odd = -1;
    head theirs, odd_head = {.kind = 0};
    share->slowest = 0;
    for (int r = 0; r < share->exchange.count; r++) {
        share->at.data[r] = at;
        at += share->sizes.data[r];
        share->end.data[r] = at;
        if (!nc_share_read(share, r, &theirs, sizeof theirs))
            return false;
        if (theirs.sum != sum_of(nc_share_view(share, r), nc_share_left(share, r))) {
            (void)nc_fail(&share->failed, NC_IO, "the message of rank %d came to rank %d with other bytes", r,
                          share->exchange.rank);
            return false;
        }
        const bool leaves = theirs.kind == LEAVING;
        share->slowest = fmax(share->slowest, theirs.seconds);
        if ((odd < 0 || leaves) && (leaves || memcmp(&theirs, mine, SAME_BYTES) != 0)) {
            odd = r;
            odd_head = theirs;
        }
    }
    return odd < 0 || fails_by(share, odd, &odd_head, mine);
}

static uint64_t sum_of_given(const nc_share *share)
{
    return sum_of(share->given.data + sizeof(head), (size_t)share->given.count - sizeof(head));
}

static bool gather(nc_share *share, const head *mine)
{
    const nc_exchange *x = &share->exchange;
    const void *received = NULL;
    memcpy(share->given.data, mine, sizeof *mine);
    nc_error err = {0};
    const nc_code code =
        x->gather(x->ctx, share->given.data, (size_t)share->given.count, &received, share->sizes.data, &err);
    share->received = received;
    if (code == NC_OK)
        return open_messages(share, mine);
    share->failed = err;
    share->failed.code = code;
    share->left = true; // nobody to talk to
    return false;
}

bool nc_share_exchange(nc_share *share, nc_share_kind kind, uint64_t check)
{
    if (share->failed.code != NC_OK)
        return false;
    nc_share_use *use = &share->use[kind];
    int64_t number = 0;
    for (int k = 0; k < NC_SHARE_KINDS; k++)
        number += share->use[k].exchanges;
    const double seconds = share->begin >= 0 ? seconds_now(share) - share->begin : 0;
    const head mine = {(uint32_t)kind, (uint32_t)number, check, seconds, sum_of_given(share)};
    use->seconds += seconds;
    use->exchanges++;
    if (!gather(share, &mine))
        return false;
    use->slowest += share->slowest;
    use->bytes += (int64_t)share->end.data[share->exchange.count - 1];
    return true;
}

bool nc_share_read(nc_share *share, int rank, void *out, size_t size)
{
    if (size > nc_share_left(share, rank)) {
        (void)nc_fail(&share->failed, NC_BROKEN_PROMISE, "the message of rank %d is too short", rank);
        return false;
    }
    if (size > 0)
        memcpy(out, share->received + share->at.data[rank], size);
    share->at.data[rank] += size;
    return true;
}

size_t nc_share_left(const nc_share *share, int rank)
{
    return share->end.data[rank] - share->at.data[rank];
}

const void *nc_share_view(const nc_share *share, int rank)
{
    return share->received + share->at.data[rank];
}

void nc_share_leave(nc_share *share, const nc_error *why)
{
    if (share->left)
        return;
    share->left = true;
    nc_share_begin(share);
    if (share->given.count < (int)sizeof(head) || !nc_share_write(share, why->text, strlen(why->text)))
        return;
    const head leaving = {LEAVING, 0, 0, 0, sum_of_given(share)};
    (void)gather(share, &leaving);
}
