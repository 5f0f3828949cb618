// Components: bodies that are near each other or were seen to collide in this phase, directly or through others. Bodies
// of infinite mass connect nobody. Each component resolves its collisions for itself (rounds.c), so that what happens
// in a pile does not depend on what lies elsewhere.
#include "step/step.h"

static nc_code out_of_memory(int rows, nc_error *err)
{
    return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for the collisions of %d bodies", rows);
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
                       .done = a->done && b->done};
}

void nc_step_unite(nc_step *step, int i, int j)
{
    nc_workspace *w = step->work;
    if (w->role[i] != NC_ROLE_FREE || w->role[j] != NC_ROLE_FREE)
        return;
    const int a = nc_forest_root(w->component.data, i), b = nc_forest_root(w->component.data, j);
    if (a == b)
        return;
    const int low = a < b ? a : b, high = a < b ? b : a;
    w->component.data[high] = low;
    w->ladders.data[low] = merged(&w->ladders.data[low], &w->ladders.data[high]);
}

nc_ladder *nc_step_ladder(nc_step *step, int i, int j)
{
    nc_workspace *w = step->work;
    return &w->ladders.data[nc_forest_root(w->component.data, w->role[i] == NC_ROLE_FREE ? i : j)];
}

nc_code nc_step_begin_components(nc_step *step, nc_error *err)
{
    nc_workspace *w = step->work;
    const int rows = step->world->state.bodies.count;
    if (!nc_array_reserve(&w->allocator, &w->component, rows) || !nc_array_reserve(&w->allocator, &w->ladders, rows) ||
        !nc_array_reserve(&w->allocator, &w->scopes, rows))
        return out_of_memory(rows, err);
    const nc_code code = nc_step_find_near(step, step->world->state.bodies.pose, err);
    if (code != NC_OK)
        return code;
    for (int i = 0; i < rows; i++) {
        const bool free = w->role[i] == NC_ROLE_FREE;
        w->component.data[i] = i;
        w->ladders.data[i] = (nc_ladder){.bodies = free, .scope = NC_ALL_PAIRS, .done = !free};
        w->batched[i] = 0;
    }
    for (int k = 0; k < w->near.rows.count; k++)
        if (w->near.rows.data[k].count > 0)
            nc_step_unite(step, w->near.rows.data[k].i, w->near.rows.data[k].j);
    return NC_OK;
}
