// A world's present state and its last step, audited.
#include "audit/audit.h"

// The living bodies of a world: item k is row rows[k].
typedef struct living {
    const nc_world *world;
    const nc_allocator *allocator;
    size_t count;
    int *rows;
} living;

static bool pair_matters(int a, int b, void *ctx)
{
    const living *bodies = ctx;
    return nc_state_pair_matters(&bodies->world->state, bodies->rows[a], bodies->rows[b]);
}

static nc_code find_living(const nc_world *world, living *out, nc_error *err)
{
    const nc_bodies *bodies = &world->state.bodies;
    *out = (living){.world = world, .allocator = &world->settings.allocator, .count = (size_t)bodies->alive_count};
    out->rows = nc_alloc(out->allocator, out->count, sizeof *out->rows);
    if (out->rows == NULL)
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for an audit of %zu bodies", out->count);
    int used = 0;
    for (int i = 0; i < bodies->count; i++)
        if (bodies->alive[i])
            out->rows[used++] = i;
    return NC_OK;
}

static void forget_living(living *bodies)
{
    nc_free(bodies->allocator, bodies->rows, bodies->count, sizeof *bodies->rows);
}

static const nc_mesh *mesh_of(const nc_world *world, int row)
{
    return world->meshes.data[world->state.bodies.mesh[row]].mesh;
}

// ---- the present --------------------------------------------------------------------------------------------

static nc_code audit_poses(living *bodies, nc_audit_item *items, nc_audit_hit *hits, nc_overlap *out, int capacity,
                           int *out_count, nc_error *err)
{
    const nc_world *world = bodies->world;
    for (size_t k = 0; k < bodies->count; k++)
        items[k] = (nc_audit_item){mesh_of(world, bodies->rows[k]), world->state.bodies.pose[bodies->rows[k]]};
    const nc_code code = nc_audit_poses(items, (int)bodies->count, pair_matters, bodies, bodies->allocator, hits,
                                        capacity, out_count, err);
    for (int k = 0; k < *out_count && k < capacity; k++)
        out[k] = (nc_overlap){nc_world_id(world, bodies->rows[hits[k].a]), nc_world_id(world, bodies->rows[hits[k].b]),
                              hits[k].where};
    return code;
}

nc_code nc_world_audit(const nc_world *world, nc_overlap *out, int capacity, int *out_count, nc_error *err)
{
    living bodies;
    *out_count = 0;
    if (world->state.bodies.alive_count == 0)
        return NC_OK;
    nc_code code = find_living(world, &bodies, err);
    if (code != NC_OK)
        return code;
    const size_t room = capacity > 0 ? (size_t)capacity : 1;
    nc_audit_item *items = nc_alloc(bodies.allocator, bodies.count, sizeof *items);
    nc_audit_hit *hits = nc_alloc(bodies.allocator, room, sizeof *hits);
    if (items == NULL || hits == NULL)
        code = nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for an audit of %zu bodies", bodies.count);
    else
        code = audit_poses(&bodies, items, hits, out, capacity, out_count, err);
    nc_free(bodies.allocator, items, bodies.count, sizeof *items);
    nc_free(bodies.allocator, hits, room, sizeof *hits);
    forget_living(&bodies);
    return code;
}

// ---- the last step ------------------------------------------------------------------------------------------

static nc_code audit_paths(living *bodies, nc_audit_mover *movers, nc_path_hit *hits, nc_crossing *out, int capacity,
                           int *out_count, nc_error *err)
{
    const nc_world *world = bodies->world;
    for (size_t k = 0; k < bodies->count; k++)
        movers[k] = (nc_audit_mover){mesh_of(world, bodies->rows[k]), &world->candidates.path[bodies->rows[k]]};
    const nc_code code = nc_audit_paths(movers, (int)bodies->count, pair_matters, bodies, world->settings.workers,
                                        bodies->allocator, hits, capacity, out_count, err);
    for (int k = 0; k < *out_count && k < capacity; k++)
        out[k] = (nc_crossing){nc_world_id(world, bodies->rows[hits[k].a]), nc_world_id(world, bodies->rows[hits[k].b]),
                               hits[k].t, hits[k].where};
    return code;
}

nc_code nc_world_audit_step(const nc_world *world, nc_crossing *out, int capacity, int *out_count, nc_error *err)
{
    living bodies;
    *out_count = 0;
    if (!world->has_motions)
        return nc_fail(err, NC_NOT_FOUND, "there is no step to audit: none was made since the bodies last changed");
    if (world->state.bodies.alive_count == 0)
        return NC_OK;
    nc_code code = find_living(world, &bodies, err);
    if (code != NC_OK)
        return code;
    const size_t room = capacity > 0 ? (size_t)capacity : 1;
    nc_audit_mover *movers = nc_alloc(bodies.allocator, bodies.count, sizeof *movers);
    nc_path_hit *hits = nc_alloc(bodies.allocator, room, sizeof *hits);
    if (movers == NULL || hits == NULL)
        code = nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for an audit of %zu bodies", bodies.count);
    else
        code = audit_paths(&bodies, movers, hits, out, capacity, out_count, err);
    nc_free(bodies.allocator, movers, bodies.count, sizeof *movers);
    nc_free(bodies.allocator, hits, room, sizeof *hits);
    forget_living(&bodies);
    return code;
}
