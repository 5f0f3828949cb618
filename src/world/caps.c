// Rest distances of pairs: by the size of the smaller body, and of those that were put nearer, which are a sorted list.
#include "world/world.h"

#include <string.h>

// The first slot whose key is not below `key`.
static int lower_bound(const nc_state *state, uint64_t key)
{
    int begin = 0, end = state->cap_count;
    while (begin < end) {
        const int middle = begin + (end - begin) / 2;
        if (state->caps[middle].key < key)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

double nc_world_size_rest(const nc_world *world, double diagonal)
{
    const nc_world_def *settings = &world->settings;
    if (!(settings->rest_fraction > 0))
        return settings->rest_distance;
    const double least = NC_SIZE_REST_MIN_FLOORS * settings->floor_distance;
    return fmin(settings->rest_distance, fmax(least, settings->rest_fraction * diagonal));
}

double nc_world_body_rest(const nc_world *world, int i)
{
    if (!(world->settings.rest_fraction > 0))
        return world->settings.rest_distance;
    const nc_mesh *mesh = world->meshes.data[world->state.bodies.mesh[i]].mesh;
    return nc_world_size_rest(world, nc_mesh_diagonal(mesh));
}

double nc_world_common_rest(const nc_world *world, int i, int j)
{
    return fmin(nc_world_body_rest(world, i), nc_world_body_rest(world, j));
}

double nc_world_pair_proximity(const nc_world *world, int i, int j)
{
    const nc_world_def *settings = &world->settings;
    return settings->proximity * (nc_world_common_rest(world, i, j) / settings->rest_distance);
}

double nc_world_pair_rest(const nc_world *world, int i, int j)
{
    const nc_state *state = &world->state;
    const double rest = nc_world_common_rest(world, i, j);
    if (state->cap_count == 0 || !world->settings.cap_rest)
        return rest;
    const uint64_t key = nc_pair_key(i, j);
    const int slot = lower_bound(state, key);
    return slot < state->cap_count && state->caps[slot].key == key ? fmin(rest, state->caps[slot].distance) : rest;
}

bool nc_state_reserve_caps(nc_state *state, int more, const nc_allocator *allocator)
{
    return nc_grow(allocator, (void **)&state->caps, &state->cap_capacity, state->cap_count + more,
                   sizeof *state->caps);
}

void nc_state_add_cap(nc_state *state, nc_rest_cap cap)
{
    const int slot = lower_bound(state, cap.key);
    NC_ASSERT(state->cap_count < state->cap_capacity);
    memmove(state->caps + slot + 1, state->caps + slot, (size_t)(state->cap_count - slot) * sizeof *state->caps);
    state->caps[slot] = cap;
    state->cap_count++;
}

void nc_state_forget_caps(nc_state *state, int row)
{
    int kept = 0;
    for (int k = 0; k < state->cap_count; k++) {
        const uint64_t key = state->caps[k].key;
        if ((int)(key >> 32) != row && (int)(key & UINT32_MAX) != row)
            state->caps[kept++] = state->caps[k];
    }
    state->cap_count = kept;
}
