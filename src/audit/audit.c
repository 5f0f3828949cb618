// Exact intersection tests over all pairs of a frame.
#include "audit/audit.h"

// Of one pair.
typedef struct finding {
    nc_code code;
    bool hit;
    nc_intersection where;
} finding;

nc_code nc_audit_exchange(nc_share *share, void *found, int count, size_t size, nc_error *err)
{
    uint8_t *items = found;
    bool done = true;
    for (int k = 0; k < count && done; k++)
        if (nc_share_is_mine(share, k))
            done = nc_share_write(share, items + (size_t)k * size, size);
    done = done && nc_share_exchange(share, NC_SHARE_AUDIT, (uint64_t)count);
    for (int k = 0; k < count && done; k++)
        if (!nc_share_is_mine(share, k))
            done = nc_share_read(share, share->rank_of.data[k], items + (size_t)k * size, size);
    return done ? NC_OK : nc_share_check(share, err);
}

static finding test(const nc_audit_item *items, nc_pair pair, nc_error *err)
{
    finding found = {.hit = false};
    found.code = nc_mesh_intersect(items[pair.a].mesh, items[pair.a].pose, items[pair.b].mesh, items[pair.b].pose,
                                   &found.hit, &found.where, err);
    return found;
}

static void count_hit(nc_pair pair, const finding *found, nc_audit_hit *out, int capacity, int *out_count)
{
    if (found->hit && *out_count < capacity)
        out[*out_count] = (nc_audit_hit){pair.a, pair.b, found->where};
    *out_count += found->hit;
}

static nc_code test_pairs(const nc_audit_item *items, const nc_pairs *pairs, nc_audit_hit *out, int capacity,
                          int *out_count, nc_error *err)
{
    for (int k = 0; k < pairs->count; k++) {
        const finding found = test(items, pairs->data[k], err);
        if (found.code != NC_OK)
            return found.code;
        count_hit(pairs->data[k], &found, out, capacity, out_count);
    }
    return NC_OK;
}

// The same, of which this rank does its part.
static nc_code test_shared(const nc_audit_item *items, const nc_pairs *pairs, nc_share *share,
                           const nc_allocator *memory, nc_audit_hit *out, int capacity, int *out_count, nc_error *err)
{
    const size_t count = (size_t)pairs->count;
    finding *found = nc_alloc(memory, count, sizeof *found);
    if (found == NULL)
        return nc_fail_memory(err, count * sizeof *found);
    nc_code code = NC_OK;
    if (!nc_share_deal(share, pairs->count, false, NULL, NULL))
        code = nc_share_check(share, err);
    for (int k = 0; k < pairs->count && code == NC_OK; k++)
        if (nc_share_is_mine(share, k))
            found[k] = test(items, pairs->data[k], NULL);
    if (code == NC_OK)
        code = nc_audit_exchange(share, found, pairs->count, sizeof *found, err);
    for (int k = 0; k < pairs->count && code == NC_OK; k++) {
        if (found[k].code != NC_OK)
            code = test(items, pairs->data[k], err).code; // for the sentence
        else
            count_hit(pairs->data[k], &found[k], out, capacity, out_count);
    }
    nc_free(memory, found, count, sizeof *found);
    return code;
}

nc_code nc_audit_poses(const nc_audit_item *items, int count, nc_audit_filter filter, void *ctx, nc_share *share,
                       const nc_allocator *allocator, nc_audit_hit *out, int capacity, int *out_count, nc_error *err)
{
    *out_count = 0;
    if (count < 2)
        return NC_OK;
    const nc_allocator memory = nc_allocator_or_default(allocator);
    nc_box *boxes = nc_alloc(&memory, (size_t)count, sizeof *boxes);
    if (boxes == NULL)
        return nc_fail_memory(err, (size_t)count * sizeof *boxes);
    for (int i = 0; i < count; i++)
        boxes[i] = nc_mesh_world_box(items[i].mesh, items[i].pose);
    nc_pairs pairs = {NULL, 0, 0};
    nc_code code = nc_broad_overlaps(boxes, count, &memory, &pairs, err);
    if (code == NC_OK)
        nc_audit_keep_pairs(&pairs, filter, ctx);
    if (code == NC_OK && nc_share_is_on(share) && pairs.count >= NC_EFFORT_SHARE_TESTS)
        code = test_shared(items, &pairs, share, &memory, out, capacity, out_count, err);
    else if (code == NC_OK)
        code = test_pairs(items, &pairs, out, capacity, out_count, err);
    nc_pairs_free(&pairs, &memory);
    nc_free(&memory, boxes, (size_t)count, sizeof *boxes);
    return code;
}
