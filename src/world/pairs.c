// Pairs of bodies that may pass through each other: a sorted list of exemptions.
#include "world/world.h"

#include <string.h>

// The first slot whose key is not below `key`.
static int lower_bound(const nc_state *state, uint64_t key)
{
    int begin = 0, end = state->exempt_count;
    while (begin < end) {
        const int middle = begin + (end - begin) / 2;
        if (state->exempt[middle] < key)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

bool nc_state_pair_exempt(const nc_state *state, int i, int j)
{
    if (state->exempt_count == 0)
        return false;
    const uint64_t key = nc_pair_key(i, j);
    const int slot = lower_bound(state, key);
    return slot < state->exempt_count && state->exempt[slot] == key;
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
    const int slot = lower_bound(state, key);
    memmove(state->exempt + slot + 1, state->exempt + slot,
            (size_t)(state->exempt_count - slot) * sizeof *state->exempt);
    state->exempt[slot] = key;
    state->exempt_count++;
    return NC_OK;
}

void nc_state_forget_pairs(nc_state *state, int row)
{
    int kept = 0;
    for (int k = 0; k < state->exempt_count; k++) {
        const uint64_t key = state->exempt[k];
        if ((int)(key >> 32) != row && (int)(key & UINT32_MAX) != row)
            state->exempt[kept++] = key;
    }
    state->exempt_count = kept;
}
