// Exact intersection tests over all pairs of a frame.
#include "audit/audit.h"

static nc_code test_pairs(const nc_audit_item *items, const nc_pairs *pairs, nc_audit_filter filter, void *ctx,
                          nc_audit_hit *out, int capacity, int *out_count, nc_error *err)
{
    for (int k = 0; k < pairs->count; k++) {
        const int a = pairs->data[k].a, b = pairs->data[k].b;
        if (filter != NULL && !filter(a, b, ctx))
            continue;
        bool hit = false;
        nc_intersection where;
        const nc_code code =
            nc_mesh_intersect(items[a].mesh, items[a].pose, items[b].mesh, items[b].pose, &hit, &where, err);
        if (code != NC_OK)
            return code;
        if (hit && *out_count < capacity)
            out[*out_count] = (nc_audit_hit){a, b, where};
        *out_count += hit;
    }
    return NC_OK;
}

nc_code nc_audit_poses(const nc_audit_item *items, int count, nc_audit_filter filter, void *ctx,
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
        code = test_pairs(items, &pairs, filter, ctx, out, capacity, out_count, err);
    nc_pairs_free(&pairs, &memory);
    nc_free(&memory, boxes, (size_t)count, sizeof *boxes);
    return code;
}
