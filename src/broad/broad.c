// The broad phase as an object: bodies come, move and go; the tree follows.
#include "broad/tree.h"

#include <string.h>

nc_code nc_broad_create(const nc_allocator *allocator, int workers, nc_broad **out, nc_error *err)
{
    const nc_allocator own = nc_allocator_or_default(allocator);
    *out = nc_alloc(&own, 1, sizeof **out);
    if (*out == NULL)
        return nc_fail_memory(err, sizeof **out);
    (*out)->allocator = own;
    (*out)->workers = workers;
    return NC_OK;
}

void nc_broad_destroy(nc_broad *broad)
{
    if (broad == NULL)
        return;
    const nc_allocator allocator = broad->allocator;
    nc_array_free(&allocator, &broad->boxes);
    nc_array_free(&allocator, &broad->place);
    nc_array_free(&allocator, &broad->loose);
    nc_array_free(&allocator, &broad->refs);
    nc_array_free(&allocator, &broad->order);
    nc_array_free(&allocator, &broad->cuts);
    nc_array_free(&allocator, &broad->nodes);
    nc_array_free(&allocator, &broad->above);
    nc_array_free(&allocator, &broad->leaves);
    nc_array_free(&allocator, &broad->leaf_node);
    for (int i = 0; i < NC_EFFORT_TREE_BLOCKS; i++)
        nc_array_free(&allocator, &broad->blocks[i].room);
    nc_array_free(&allocator, &broad->row_start);
    nc_array_free(&allocator, &broad->partners);
    nc_array_free(&allocator, &broad->spare);
    nc_free(&allocator, broad, 1, sizeof *broad);
}

int nc_broad_count(const nc_broad *broad)
{
    return broad->count;
}

// ---- all boxes ----------------------------------------------------------------------------------------------

typedef struct box_work {
    nc_broad *broad;
    const nc_box *from;
} box_work;

static void clean_boxes(int begin, int end, void *ctx)
{
    const box_work *work = ctx;
    for (int i = begin; i < end; i++)
        work->broad->boxes.data[i] = nc_broad_clean(work->from[i]);
}

// Bodies beyond the count lose their boxes, new ones start nowhere.
static void change_count(nc_broad *broad, int count)
{
    for (int i = count; i < broad->count; i++)
        broad->boxes.data[i] = nc_box_empty();
    for (; broad->known < count; broad->known++)
        broad->place.data[broad->known] = NOWHERE;
    broad->count = count;
}

// Who is outside the tree, from the boxes.
static void list_loose(nc_broad *broad)
{
    broad->loose.count = 0;
    for (int i = 0; i < broad->known; i++) {
        if (broad->place.data[i] >= 0)
            continue;
        const bool loose = i < broad->count && !nc_broad_is_empty(&broad->boxes.data[i]);
        broad->place.data[i] = loose ? LOOSE(broad->loose.count) : NOWHERE;
        if (loose)
            broad->loose.data[broad->loose.count++] = i;
    }
}

static bool too_many_loose(const nc_broad *broad, int loose)
{
    return loose > NC_EFFORT_TREE_LOOSE_MIN + broad->count / NC_EFFORT_TREE_LOOSE_SHARE;
}

static void forget_all(nc_broad *broad)
{
    broad->count = broad->known = broad->loose.count = broad->nodes.count = broad->leaves.count = 0;
}

nc_code nc_broad_set(nc_broad *broad, const nc_box *boxes, int count, nc_error *err)
{
    NC_ASSERT(count >= 0);
    if (!nc_broad_reserve(broad, count)) {
        forget_all(broad);
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for the boxes of %d bodies", count);
    }
    box_work work = {broad, boxes};
    change_count(broad, count);
    nc_parallel_for(broad->workers, count, NC_EFFORT_TREE_BOX_GRAIN, clean_boxes, &work);
    list_loose(broad);
    // The tree is rebuilt when the searches since it was built have cost as much more than the first as building
    // costs, since waiting longer would waste more than it saves; and when boxes jumped.
    if (broad->nodes.count == 0 || broad->work_wasted > NC_EFFORT_TREE_BUILD_WORK * (int64_t)count ||
        too_many_loose(broad, broad->loose.count) || nc_broad_refit(broad) > NC_EFFORT_TREE_GROWTH)
        nc_broad_build(broad);
    return NC_OK;
}

// ---- one box ------------------------------------------------------------------------------------------------

static void add_loose(nc_broad *broad, int body)
{
    broad->place.data[body] = LOOSE(broad->loose.count);
    broad->loose.data[broad->loose.count++] = body;
    if (too_many_loose(broad, broad->loose.count))
        nc_broad_build(broad);
}

// The last one takes its place.
static void remove_loose(nc_broad *broad, int body)
{
    const int index = LOOSE(broad->place.data[body]), last = broad->loose.data[--broad->loose.count];
    broad->loose.data[index] = last;
    broad->place.data[last] = LOOSE(index);
    broad->place.data[body] = NOWHERE;
}

nc_code nc_broad_move(nc_broad *broad, int body, nc_box box, nc_error *err)
{
    NC_ASSERT(body >= 0 && body <= broad->count);
    if (body == broad->count) {
        if (!nc_broad_reserve(broad, body + 1))
            return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for the boxes of %d bodies", body + 1);
        change_count(broad, body + 1);
    }
    broad->boxes.data[body] = nc_broad_clean(box);
    const bool empty = nc_broad_is_empty(&broad->boxes.data[body]);
    if (broad->place.data[body] >= 0)
        nc_broad_refit_body(broad, body);
    else if (broad->place.data[body] != NOWHERE && empty)
        remove_loose(broad, body);
    else if (broad->place.data[body] == NOWHERE && !empty)
        add_loose(broad, body);
    return NC_OK;
}

// ---- at once ------------------------------------------------------------------------------------------------

nc_code nc_broad_overlaps_again(nc_broad **broad, const nc_box *boxes, int count, const nc_allocator *allocator,
                                nc_pairs *out, nc_error *err)
{
    out->count = 0;
    nc_code code = *broad == NULL ? nc_broad_create(allocator, 1, broad, err) : NC_OK;
    if (code == NC_OK)
        code = nc_broad_set(*broad, boxes, count, err);
    return code == NC_OK ? nc_broad_pairs(*broad, out, err) : code;
}

nc_code nc_broad_overlaps(const nc_box *boxes, int count, const nc_allocator *allocator, nc_pairs *out, nc_error *err)
{
    nc_broad *broad = NULL;
    const nc_code code = nc_broad_overlaps_again(&broad, boxes, count, allocator, out, err);
    nc_broad_destroy(broad);
    return code;
}

void nc_pairs_free(nc_pairs *pairs, const nc_allocator *allocator)
{
    nc_array_free(allocator, pairs);
}
