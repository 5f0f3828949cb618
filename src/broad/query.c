// What overlaps one box.
#include "broad/lanes.h"

#define STACK_MAX 128 // a level leaves at most one node behind, and the deepest tree has 79 levels

static void visit_leaf(const nc_broad *broad, const tree_leaf *leaf, const tree_ref *ref, const nc_box *box,
                       visit_body visit, void *ctx)
{
    const nc_float_lanes lo[3] = {nc_float_lanes_all(ref->lo[0]), nc_float_lanes_all(ref->lo[1]),
                                  nc_float_lanes_all(ref->lo[2])};
    const nc_float_lanes hi[3] = {nc_float_lanes_all(ref->hi[0]), nc_float_lanes_all(ref->hi[1]),
                                  nc_float_lanes_all(ref->hi[2])};
    lane_overlap m = overlap_lanes(leaf, lo, hi);
    if (nc_float_lanes_any(m.edge))
        m.touch = settle(broad, leaf, box, m);
    for (int k = 0; k < NC_LANES; k++)
        if (m.touch[k] != 0)
            visit(ctx, leaf->body[k]);
}

void nc_broad_walk(const nc_broad *broad, const nc_box *box, visit_body visit, void *ctx)
{
    const tree_ref ref = nc_broad_round(&broad->frame, box);
    tree_node probe = {.is_leaf = 1};
    int stack[STACK_MAX], waiting = 0;
    for (int k = 0; k < 3; k++) {
        probe.lo[k] = ref.lo[k];
        probe.hi[k] = ref.hi[k];
    }
    if (broad->nodes.count > 0)
        stack[waiting++] = 0;
    while (waiting > 0) {
        const tree_node *node = &broad->nodes.data[stack[--waiting]];
        if (!nodes_overlap(node, &probe))
            continue;
        if (node->is_leaf) {
            visit_leaf(broad, &broad->leaves.data[node->child], &ref, box, visit, ctx);
        } else {
            stack[waiting++] = node->child + 1;
            stack[waiting++] = node->child;
        }
    }
}

// ---- lists --------------------------------------------------------------------------------------------------

typedef struct collector {
    const nc_broad *broad;
    nc_body_list *out;
    int skip; // a body not wanted, or -1
    bool full;
} collector;

static void collect(void *ctx, int body)
{
    collector *c = ctx;
    if (body != c->skip && !c->full && !nc_array_push(&c->broad->allocator, c->out, body))
        c->full = true;
}

// The second half of the list's memory is room for sorting the first.
static nc_code list_overlaps(const nc_broad *broad, nc_box clean_box, int skip, nc_body_list *out, nc_error *err)
{
    collector c = {broad, out, skip, false};
    out->count = 0;
    if (nc_broad_is_empty(&clean_box)) // nc_box_overlap would find it in an infinite box
        return NC_OK;
    nc_broad_walk(broad, &clean_box, collect, &c);
    for (int k = 0; k < broad->loose.count; k++)
        if (nc_box_overlap(clean_box, broad->boxes.data[broad->loose.data[k]]))
            collect(&c, broad->loose.data[k]);
    if (c.full || !nc_array_reserve(&broad->allocator, out, 2 * out->count)) {
        out->count = 0;
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for the partners of a body");
    }
    if (out->count > 0)
        nc_broad_sort_numbers(out->data, out->data + out->count, out->count, broad->count);
    return NC_OK;
}

nc_code nc_broad_partners(const nc_broad *broad, int body, nc_body_list *out, nc_error *err)
{
    NC_ASSERT(body >= 0 && body < broad->count);
    return list_overlaps(broad, broad->boxes.data[body], body, out, err);
}

nc_code nc_broad_query(const nc_broad *broad, nc_box box, nc_body_list *out, nc_error *err)
{
    return list_overlaps(broad, nc_broad_clean(box), -1, out, err);
}

void nc_body_list_free(nc_body_list *list, const nc_allocator *allocator)
{
    nc_array_free(allocator, list);
}
