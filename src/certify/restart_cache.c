// Restart cache: verdicts of one start of a step for the next. A step in which bodies break is restarted with its
// fragments, and all other bodies propose what they proposed before.
#include "certify/state.h"

#include <string.h>

void nc_restart_cache_free(nc_restart_cache *cache, const nc_allocator *allocator)
{
    nc_array_free(allocator, &cache->bodies);
    nc_array_free(allocator, &cache->records);
}

static nc_restart_body describe(const nc_certify_bodies *bodies, int i)
{
    nc_restart_body body = {.simple = false};
    if (bodies->role[i] == NC_ROLE_ABSENT)
        return body;
    const nc_path *path = &bodies->path[i];
    body.simple = path->count == 1;
    body.mesh = nc_mesh_hash(bodies->mesh[i]);
    body.start = path->start;
    body.segment = path->segments[0];
    return body;
}

nc_code nc_certify_store_verdicts(nc_certifier *c, nc_error *err)
{
    nc_restart_cache *cache = &c->restart_cache;
    NC_ASSERT(c->last_version == 0 && c->todo.count == 0); // nothing has changed since the beginning
    cache->bodies.count = cache->records.count = 0;
    if (!nc_array_reserve(&c->allocator, &cache->bodies, c->bodies->count) ||
        !nc_array_reserve(&c->allocator, &cache->records, c->records.count))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for %d pairs of bodies", c->records.count);
    cache->floor = c->options->floor;
    cache->tolerance = c->options->tolerance;
    cache->sweep_limit = c->options->sweep_limit;
    for (int i = 0; i < c->bodies->count; i++)
        cache->bodies.data[cache->bodies.count++] = describe(c->bodies, i);
    if (c->records.count > 0) // the first ones are made in the order of their pairs
        memcpy(cache->records.data, c->records.data, (size_t)c->records.count * sizeof *c->records.data);
    cache->records.count = c->records.count;
    return NC_OK;
}

static bool is_same_body(const nc_certifier *c, int i)
{
    if (i >= c->restart_cache.bodies.count)
        return false;
    const nc_restart_body *then = &c->restart_cache.bodies.data[i], now = describe(c->bodies, i);
    return then->simple && now.simple && then->mesh == now.mesh &&
           memcmp(&then->start, &now.start, sizeof now.start) == 0 &&
           memcmp(&then->segment, &now.segment, sizeof now.segment) == 0;
}

const nc_record *nc_restart_cache_find(const nc_certifier *c, int i, int j, int *at)
{
    const nc_restart_cache *cache = &c->restart_cache;
    const nc_record *record = cache->records.data;
    while (*at < cache->records.count && (record[*at].i < i || (record[*at].i == i && record[*at].j < j)))
        *at += 1;
    if (*at == cache->records.count || record[*at].i != i || record[*at].j != j || cache->floor != c->options->floor ||
        cache->tolerance != c->options->tolerance || cache->sweep_limit != c->options->sweep_limit)
        return NULL;
    // With another budget the verdict could be another one.
    if (record[*at].exhausted || (c->sweep_budget > 0 && record[*at].evaluations >= c->sweep_budget))
        return NULL;
    return is_same_body(c, i) && is_same_body(c, j) ? &record[*at] : NULL;
}
