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

// What an audit of all living bodies works on: a row of `item_size` for each, and room for what is found.
typedef struct bench {
    living bodies;
    void *items, *hits;
    size_t item_size, hit_size, hit_room;
} bench;

static void clear(bench *b)
{
    nc_free(b->bodies.allocator, b->items, b->bodies.count, b->item_size);
    nc_free(b->bodies.allocator, b->hits, b->hit_room, b->hit_size);
    forget_living(&b->bodies);
}

// Makes room for all living bodies and `capacity` hits; on failure nothing is left.
static nc_code prepare(const nc_world *world, size_t item_size, size_t hit_size, int capacity, bench *out,
                       nc_error *err)
{
    *out = (bench){.item_size = item_size, .hit_size = hit_size, .hit_room = capacity > 0 ? (size_t)capacity : 1};
    const nc_code code = find_living(world, &out->bodies, err);
    if (code != NC_OK)
        return code;
    out->items = nc_alloc(out->bodies.allocator, out->bodies.count, item_size);
    out->hits = nc_alloc(out->bodies.allocator, out->hit_room, hit_size);
    if (out->items != NULL && out->hits != NULL)
        return NC_OK;
    clear(out);
    return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for an audit of %zu bodies",
                   (size_t)world->state.bodies.alive_count);
}

// ---- the present --------------------------------------------------------------------------------------------

nc_code nc_world_audit(const nc_world *world, nc_overlap *out, int capacity, int *out_count, nc_error *err)
{
    bench b;
    *out_count = 0;
    if (world->state.bodies.alive_count == 0)
        return NC_OK;
    nc_code code = prepare(world, sizeof(nc_audit_item), sizeof(nc_audit_hit), capacity, &b, err);
    if (code != NC_OK)
        return code;
    const int *rows = b.bodies.rows, count = (int)b.bodies.count;
    nc_audit_item *items = b.items;
    nc_audit_hit *hits = b.hits;
    for (int k = 0; k < count; k++)
        items[k] = (nc_audit_item){mesh_of(world, rows[k]), world->state.bodies.pose[rows[k]]};
    code = nc_audit_poses(items, count, pair_matters, &b.bodies, world->share, b.bodies.allocator, hits, capacity,
                          out_count, err);
    for (int k = 0; k < *out_count && k < capacity; k++)
        out[k] = (nc_overlap){nc_world_id(world, rows[hits[k].a]), nc_world_id(world, rows[hits[k].b]), hits[k].where};
    clear(&b);
    return code;
}

// ---- the last step ------------------------------------------------------------------------------------------

nc_code nc_world_audit_step(const nc_world *world, nc_crossing *out, int capacity, int *out_count, nc_error *err)
{
    bench b;
    *out_count = 0;
    if (!world->has_motions)
        return nc_fail(err, NC_NOT_FOUND, "there is no step to audit: none was made since the bodies last changed");
    if (world->state.bodies.alive_count == 0)
        return NC_OK;
    nc_code code = prepare(world, sizeof(nc_audit_mover), sizeof(nc_path_hit), capacity, &b, err);
    if (code != NC_OK)
        return code;
    const int *rows = b.bodies.rows, count = (int)b.bodies.count;
    nc_audit_mover *movers = b.items;
    nc_path_hit *hits = b.hits;
    for (int k = 0; k < count; k++)
        movers[k] = (nc_audit_mover){mesh_of(world, rows[k]), &world->candidates.path[rows[k]]};
    code = nc_audit_paths(movers, count, pair_matters, &b.bodies,
                          (nc_audit_workers){world->settings.workers, world->share}, b.bodies.allocator, hits, capacity,
                          out_count, err);
    for (int k = 0; k < *out_count && k < capacity; k++)
        out[k] = (nc_crossing){nc_world_id(world, rows[hits[k].a]), nc_world_id(world, rows[hits[k].b]), hits[k].t,
                               hits[k].where};
    clear(&b);
    return code;
}

// ---- before the first step ----------------------------------------------------------------------------------

// NC_INTERSECTING, with both bodies in `report`, when two bodies that must stay apart share a point.
static nc_code refuse_intersecting(const nc_world *world, nc_start_report *report, nc_error *err)
{
    nc_overlap first = {0};
    int count = 0;
    char a[96], b[96];
    const nc_code code = nc_world_audit(world, &first, 1, &count, err);
    if (code != NC_OK || count == 0)
        return code;
    report->a = first.a;
    report->b = first.b;
    nc_body_label(world, (int)first.a.index, a, sizeof a);
    nc_body_label(world, (int)first.b.index, b, sizeof b);
    return nc_refuse_intersecting("the world starts intersecting", a, b, &first.where, err);
}

nc_code nc_world_check(nc_world *world, nc_start_report *report, nc_error *err)
{
    nc_start_report found = {.nearest = INFINITY, .floor_asked = world->settings.floor_distance};
    const nc_code code = world->state.checked ? NC_OK : refuse_intersecting(world, &found, err);
    if (code == NC_OK)
        return nc_world_check_distances(world, report, err);
    if (report != NULL)
        *report = found;
    return code;
}
