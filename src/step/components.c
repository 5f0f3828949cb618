// Components: bodies that are near each other or were seen to collide in this phase, directly or through others. Bodies
// of infinite mass connect nobody. Each component resolves its collisions for itself (rounds.c), so that what happens
// in a pile does not depend on what lies elsewhere.
#include "step/rounds.h"

void nc_components_free(nc_components *components, const nc_allocator *allocator)
{
    nc_array_free(allocator, &components->parent);
    nc_array_free(allocator, &components->ladders);
    nc_array_free(allocator, &components->scopes);
    nc_array_free(allocator, &components->batched);
}

// The state of two components that became one: as far as the farther one, and nothing is known to be done.
static nc_ladder merged(const nc_ladder *a, const nc_ladder *b)
{
    return (nc_ladder){.bodies = a->bodies + b->bodies,
                       .batched = a->batched + b->batched,
                       .rung = a->rung > b->rung ? a->rung : b->rung,
                       .passes = a->passes > b->passes ? a->passes : b->passes,
                       .solves = a->solves > b->solves ? a->solves : b->solves,
                       .scope = a->scope < b->scope ? a->scope : b->scope,
                       .done = a->done && b->done,
                       .driven = a->driven || b->driven,
                       .tight = (a->tight || b->tight) && !(a->jointed || b->jointed),
                       .jointed = a->jointed || b->jointed};
}

static bool is_free(const nc_components *components, int i)
{
    return components->role[i] == NC_ROLE_FREE;
}

void nc_components_unite(nc_components *components, int i, int j)
{
    int *parent = components->parent.data;
    nc_ladder *ladders = components->ladders.data;
    if (!is_free(components, i) || !is_free(components, j))
        return;
    const int a = nc_forest_root(parent, i), b = nc_forest_root(parent, j);
    if (a == b)
        return;
    const int low = a < b ? a : b, high = a < b ? b : a;
    parent[high] = low;
    ladders[low] = merged(&ladders[low], &ladders[high]);
}

nc_ladder *nc_components_ladder(const nc_components *components, int i, int j)
{
    return &components->ladders.data[nc_forest_root(components->parent.data, is_free(components, i) ? i : j)];
}

void nc_components_drive(nc_components *components, int i, int j)
{
    const uint8_t *role = components->role;
    if (role[i] == NC_ROLE_SCRIPTED || role[j] == NC_ROLE_SCRIPTED)
        nc_components_ladder(components, i, j)->driven = true;
}

static bool may_join_batch(const nc_components *components, int i)
{
    return components->batched.data[i] || !is_free(components, i);
}

bool nc_components_solves(const nc_components *components, int i, int j)
{
    const nc_ladder *ladder = nc_components_ladder(components, i, j);
    return ladder->collected &&
           (ladder->rung == NC_RUNG_WHOLE || (may_join_batch(components, i) && may_join_batch(components, j)));
}

static bool reserve(nc_components *components, int rows, const nc_allocator *allocator)
{
    return nc_array_reserve(allocator, &components->parent, rows) &&
           nc_array_reserve(allocator, &components->ladders, rows) &&
           nc_array_reserve(allocator, &components->scopes, rows) &&
           nc_array_reserve(allocator, &components->batched, rows);
}

nc_code nc_components_begin(nc_components *components, const uint8_t *role, int rows, const nc_near_table *near,
                            const nc_allocator *allocator, nc_error *err)
{
    if (!reserve(components, rows, allocator))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for the collisions of %d bodies", rows);
    components->role = role;
    components->rows = rows;
    for (int i = 0; i < rows; i++) {
        const bool free = is_free(components, i);
        components->parent.data[i] = i;
        components->ladders.data[i] = (nc_ladder){.bodies = free, .scope = NC_ALL_PAIRS, .done = !free};
        components->batched.data[i] = 0;
    }
    for (int k = 0; k < near->rows.count; k++)
        if (near->rows.data[k].count > 0)
            nc_components_unite(components, near->rows.data[k].i, near->rows.data[k].j);
    for (int k = 0; k < near->rows.count; k++)
        if (near->rows.data[k].count > 0)
            nc_components_drive(components, near->rows.data[k].i, near->rows.data[k].j);
    return NC_OK;
}
