// Verdicts of one beginning, for the next: a step in which bodies break is begun again with their pieces, and all other
// bodies propose what they proposed before.
#include "certify/state.h"

#include <string.h>

void nc_known_free(nc_known *known, const nc_allocator *allocator)
{
    nc_array_free(allocator, &known->bodies);
    nc_array_free(allocator, &known->records);
}

static nc_known_body describe(const nc_certify_bodies *bodies, int i)
{
    nc_known_body body = {.simple = false};
    if (bodies->role[i] == NC_ROLE_ABSENT)
        return body;
    const nc_path *path = &bodies->path[i];
    body.simple = path->count == 1;
    body.mesh = nc_mesh_hash(bodies->mesh[i]);
    body.start = path->start;
    body.segment = path->segments[0];
    return body;
}

nc_code nc_certify_remember(nc_certifier *c, nc_error *err)
{
    nc_known *known = &c->known;
    NC_ASSERT(c->last_version == 0 && c->todo.count == 0); // nothing has changed since the beginning
    known->bodies.count = known->records.count = 0;
    if (!nc_array_reserve(&c->allocator, &known->bodies, c->bodies->count) ||
        !nc_array_reserve(&c->allocator, &known->records, c->records.count))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for %d pairs of bodies", c->records.count);
    known->floor = c->options->floor;
    known->tolerance = c->options->tolerance;
    known->sweep_limit = c->options->sweep_limit;
    for (int i = 0; i < c->bodies->count; i++)
        known->bodies.data[known->bodies.count++] = describe(c->bodies, i);
    if (c->records.count > 0) // the first ones are made in the order of their pairs
        memcpy(known->records.data, c->records.data, (size_t)c->records.count * sizeof *c->records.data);
    known->records.count = c->records.count;
    return NC_OK;
}

static bool is_same_body(const nc_certifier *c, int i)
{
    if (i >= c->known.bodies.count)
        return false;
    const nc_known_body *then = &c->known.bodies.data[i], now = describe(c->bodies, i);
    return then->simple && now.simple && then->mesh == now.mesh &&
           memcmp(&then->start, &now.start, sizeof now.start) == 0 &&
           memcmp(&then->segment, &now.segment, sizeof now.segment) == 0;
}

const nc_record *nc_known_find(const nc_certifier *c, int i, int j, int *at)
{
    const nc_known *known = &c->known;
    const nc_record *record = known->records.data;
    while (*at < known->records.count && (record[*at].i < i || (record[*at].i == i && record[*at].j < j)))
        *at += 1;
    if (*at == known->records.count || record[*at].i != i || record[*at].j != j || known->floor != c->options->floor ||
        known->tolerance != c->options->tolerance || known->sweep_limit != c->options->sweep_limit)
        return NULL;
    // With another budget the verdict could be another one.
    if (record[*at].exhausted || (c->sweep_budget > 0 && record[*at].evaluations >= c->sweep_budget))
        return NULL;
    return is_same_body(c, i) && is_same_body(c, j) ? &record[*at] : NULL;
}
