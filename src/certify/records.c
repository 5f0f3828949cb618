// Records of pairs: a table by pair, and a heap of those that are not clear until the end.
#include "certify/state.h"

#include <string.h>

static uint32_t slot_of(const nc_certifier *c, int i, int j)
{
    const uint64_t hash = nc_hash_u64((uint64_t)i, (uint64_t)j);
    return (uint32_t)hash & (uint32_t)(c->table_size - 1);
}

void nc_records_begin(nc_certifier *c)
{
    c->records.count = 0;
    c->heap.count = 0;
    if (c->table_size > 0)
        memset(c->table, 0, (size_t)c->table_size * sizeof *c->table);
}

// The slot of a pair, or the empty one where it belongs.
static uint32_t find_slot(const nc_certifier *c, int i, int j)
{
    uint32_t slot = slot_of(c, i, j);
    while (c->table[slot] != 0) {
        const nc_record *record = &c->records.data[c->table[slot] - 1];
        if (record->i == i && record->j == j)
            break;
        slot = (slot + 1) & (uint32_t)(c->table_size - 1);
    }
    return slot;
}

// Twice as large at least, so that no more than half of it is in use.
static bool grow_table(nc_certifier *c)
{
    const int size = c->table_size == 0 ? 256 : 2 * c->table_size;
    int *table = nc_alloc(&c->allocator, (size_t)size, sizeof *table);
    if (table == NULL)
        return false;
    nc_free(&c->allocator, c->table, (size_t)c->table_size, sizeof *c->table);
    c->table = table;
    c->table_size = size;
    for (int k = 0; k < c->records.count; k++)
        c->table[find_slot(c, c->records.data[k].i, c->records.data[k].j)] = k + 1;
    return true;
}

int nc_records_find(const nc_certifier *c, int i, int j)
{
    const int low = i < j ? i : j, high = i < j ? j : i;
    return c->table_size == 0 ? -1 : c->table[find_slot(c, low, high)] - 1;
}

int nc_records_of(nc_certifier *c, int i, int j)
{
    const int low = i < j ? i : j, high = i < j ? j : i;
    if (2 * (c->records.count + 1) > c->table_size && !grow_table(c))
        return -1;
    const uint32_t slot = find_slot(c, low, high);
    if (c->table[slot] != 0)
        return c->table[slot] - 1;
    const nc_record record = {.i = low, .j = high, .distance = INFINITY};
    if (!nc_array_push(&c->allocator, &c->records, record))
        return -1;
    c->table[slot] = c->records.count;
    return c->records.count - 1;
}

// ---- the heap -----------------------------------------------------------------------------------------------

static bool earlier(const nc_certifier *c, const nc_event *a, const nc_event *b)
{
    const nc_record *p = &c->records.data[a->record], *q = &c->records.data[b->record];
    if (a->time != b->time)
        return a->time < b->time;
    return p->i != q->i ? p->i < q->i : p->j < q->j;
}

static void swap(nc_event *a, nc_event *b)
{
    const nc_event kept = *a;
    *a = *b;
    *b = kept;
}

bool nc_heap_push(nc_certifier *c, int record)
{
    const nc_record *r = &c->records.data[record];
    const nc_event event = {r->clear_until, record, r->verdicts};
    if (!nc_array_push(&c->allocator, &c->heap, event))
        return false;
    nc_event *heap = c->heap.data;
    for (int at = c->heap.count - 1; at > 0 && earlier(c, &heap[at], &heap[(at - 1) / 2]); at = (at - 1) / 2)
        swap(&heap[at], &heap[(at - 1) / 2]);
    return true;
}

// Puts the top of the heap where it belongs.
static void sink(nc_certifier *c)
{
    nc_event *heap = c->heap.data;
    for (int at = 0;;) {
        int least = at;
        for (int child = 2 * at + 1; child <= 2 * at + 2 && child < c->heap.count; child++)
            if (earlier(c, &heap[child], &heap[least]))
                least = child;
        if (least == at)
            return;
        swap(&heap[at], &heap[least]);
        at = least;
    }
}

int nc_heap_pop(nc_certifier *c)
{
    while (c->heap.count > 0) {
        const nc_event top = c->heap.data[0];
        c->heap.data[0] = c->heap.data[--c->heap.count];
        sink(c);
        if (c->records.data[top.record].verdicts == top.verdict)
            return top.record;
    }
    return -1;
}
