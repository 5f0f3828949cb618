// Pairs in ascending order: dealt out to the rows of their first bodies, then each row sorted by itself.
#include "broad/tree.h"

#include <limits.h>
#include <string.h>

// Every number goes where as many smaller ones are: no branch to guess wrong, and the compiler makes lanes of it.
static void rank_sort(int *numbers, int *spare, int count)
{
    memcpy(spare, numbers, (size_t)count * sizeof *numbers);
    for (int i = 0; i < count; i++) {
        const int x = spare[i];
        int rank = 0;
        for (int k = 0; k < count; k++)
            rank += spare[k] < x;
        numbers[rank] = x;
    }
}

// Deals by eight bits, from the lowest.
static void radix_pass(const int *from, int *to, int count, int shift)
{
    int start[257] = {0};
    for (int i = 0; i < count; i++)
        start[((from[i] >> shift) & 255) + 1]++;
    for (int b = 0; b < 256; b++)
        start[b + 1] += start[b];
    for (int i = 0; i < count; i++)
        to[start[(from[i] >> shift) & 255]++] = from[i];
}

void nc_broad_sort_numbers(int *numbers, int *spare, int count, int limit)
{
    if (count < 2)
        return;
    if (count <= NC_EFFORT_TREE_RANKED) {
        rank_sort(numbers, spare, count);
        return;
    }
    int *from = numbers, *to = spare;
    for (int shift = 0; shift < 31 && ((limit - 1) >> shift) > 0; shift += 8) {
        radix_pass(from, to, count, shift);
        int *swap = from;
        from = to;
        to = swap;
    }
    if (from != numbers)
        memcpy(numbers, from, (size_t)count * sizeof *numbers);
}

// After this, row a ends at row_start[a] (it began where row a - 1 ends).
static void deal_out(nc_broad *broad)
{
    int *start = broad->row_start.data, *partners = broad->partners.data;
    memset(start, 0, ((size_t)broad->count + 1) * sizeof *start);
    for (int k = 0; k < NC_EFFORT_TREE_BLOCKS; k++)
        for (int64_t i = 0; i < broad->blocks[k].found; i++)
            start[broad->blocks[k].room.data[i].a + 1]++;
    for (int a = 0; a < broad->count; a++)
        start[a + 1] += start[a];
    for (int k = 0; k < NC_EFFORT_TREE_BLOCKS; k++)
        for (int64_t i = 0; i < broad->blocks[k].found; i++) {
            const nc_pair pair = broad->blocks[k].room.data[i];
            partners[start[pair.a]++] = pair.b;
        }
}

typedef struct row_work {
    nc_broad *broad;
    nc_pair *out;
} row_work;

static void sort_rows(int begin, int end, void *ctx)
{
    const row_work *work = ctx;
    const nc_broad *broad = work->broad;
    for (int a = begin; a < end; a++) {
        const int first = a > 0 ? broad->row_start.data[a - 1] : 0, last = broad->row_start.data[a];
        int *row = broad->partners.data + first;
        nc_broad_sort_numbers(row, broad->spare.data + first, last - first, broad->count);
        for (int i = 0; i < last - first; i++)
            work->out[first + i] = (nc_pair){a, row[i]};
    }
}

bool nc_broad_order_pairs(nc_broad *broad, nc_pairs *out)
{
    const nc_allocator *allocator = &broad->allocator;
    int64_t total = 0;
    for (int k = 0; k < NC_EFFORT_TREE_BLOCKS; k++)
        total += broad->blocks[k].found;
    if (total == 0)
        return true;
    if (total > INT_MAX || !nc_array_reserve(allocator, &broad->row_start, broad->count + 1) ||
        !nc_array_reserve(allocator, &broad->partners, (int)total) ||
        !nc_array_reserve(allocator, &broad->spare, (int)total) || !nc_array_reserve(allocator, out, (int)total))
        return false;
    row_work work = {broad, out->data};
    deal_out(broad);
    nc_parallel_for(broad->workers, broad->count, NC_EFFORT_TREE_ROW_GRAIN, sort_rows, &work);
    out->count = (int)total;
    return true;
}
