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

// ---- a world's present state --------------------------------------------------------------------------------

typedef struct living {
    const nc_state *state;
    const int *rows; // of the items
} living;

static bool pair_matters(int a, int b, void *ctx)
{
    const living *items = ctx;
    return nc_state_pair_matters(items->state, items->rows[a], items->rows[b]);
}

static void gather(const nc_world *world, nc_audit_item *items, int *rows)
{
    const nc_bodies *bodies = &world->state.bodies;
    int used = 0;
    for (int i = 0; i < bodies->count; i++) {
        if (!bodies->alive[i])
            continue;
        items[used] = (nc_audit_item){world->meshes.data[bodies->mesh[i]].mesh, bodies->pose[i]};
        rows[used++] = i;
    }
}

nc_code nc_world_audit(const nc_world *world, nc_overlap *out, int capacity, int *out_count, nc_error *err)
{
    *out_count = 0;
    const size_t count = (size_t)world->state.bodies.alive_count;
    if (count == 0)
        return NC_OK;
    const nc_allocator *allocator = &world->settings.allocator;
    const size_t room = capacity > 0 ? (size_t)capacity : 1;
    nc_audit_item *items = nc_alloc(allocator, count, sizeof *items);
    int *rows = nc_alloc(allocator, count, sizeof *rows);
    nc_audit_hit *hits = nc_alloc(allocator, room, sizeof *hits);
    nc_code code = NC_OUT_OF_MEMORY;
    if (items == NULL || rows == NULL || hits == NULL) {
        nc_fail(err, code, "out of memory for an audit of %zu bodies", count);
    } else {
        gather(world, items, rows);
        living ctx = {&world->state, rows};
        code = nc_audit_poses(items, (int)count, pair_matters, &ctx, allocator, hits, capacity, out_count, err);
        for (int k = 0; k < *out_count && k < capacity; k++)
            out[k] =
                (nc_overlap){nc_world_id(world, rows[hits[k].a]), nc_world_id(world, rows[hits[k].b]), hits[k].where};
    }
    nc_free(allocator, items, count, sizeof *items);
    nc_free(allocator, rows, count, sizeof *rows);
    nc_free(allocator, hits, room, sizeof *hits);
    return code;
}
