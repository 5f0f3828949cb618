// Pairs of bodies that may pass through each other: a sorted list of exemptions.
#include "world/world.h"

bool nc_state_pair_exempt(const nc_state *state, int i, int j)
{
    const int count = state->exempt_count;
    return count > 0 && nc_pair_map_find(state->exempt, count, sizeof *state->exempt, nc_pair_key(i, j)) >= 0;
}

bool nc_state_pair_matters(const nc_state *state, int i, int j)
{
    const nc_bodies *bodies = &state->bodies;
    if (i == j || (bodies->type[i] == NC_STATIC && bodies->type[j] == NC_STATIC))
        return false;
    return !nc_state_pair_exempt(state, i, j);
}

bool nc_world_pair_matters(const nc_world *world, nc_body_id a, nc_body_id b)
{
    const int i = nc_world_row(world, a), j = nc_world_row(world, b);
    return i >= 0 && j >= 0 && nc_state_pair_matters(&world->state, i, j);
}

nc_code nc_world_exempt_pair(nc_world *world, nc_body_id a, nc_body_id b, nc_error *err)
{
    const int i = nc_world_row(world, a), j = nc_world_row(world, b);
    if (i < 0 || j < 0 || i == j)
        return nc_fail(err, NC_BAD_ARGUMENT, "a pair needs two different living bodies");
    nc_state *state = &world->state;
    if (nc_state_pair_exempt(state, i, j))
        return NC_OK;
    if (!nc_grow(&world->settings.allocator, (void **)&state->exempt, &state->exempt_capacity, state->exempt_count + 1,
                 sizeof *state->exempt))
        return nc_fail_memory(err, sizeof *state->exempt);
    const uint64_t key = nc_pair_key(i, j);
    nc_pair_map_insert(state->exempt, &state->exempt_count, sizeof *state->exempt, &key);
    nc_state_wake(state, i);
    nc_state_wake(state, j);
    return NC_OK;
}

void nc_state_end_exemption(nc_state *state, int i, int j)
{
    const int slot = nc_pair_map_find(state->exempt, state->exempt_count, sizeof *state->exempt, nc_pair_key(i, j));
    if (slot >= 0)
        nc_pair_map_remove(state->exempt, &state->exempt_count, sizeof *state->exempt, slot);
}

void nc_state_forget_pairs(nc_state *state, int row)
{
    nc_pair_map_forget(state->exempt, &state->exempt_count, sizeof *state->exempt, row);
}
