// Rest distances of pairs: by the size of the smaller body, and of those that were put nearer, which are a sorted list.
#include "world/world.h"

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
    const int slot = nc_pair_map_find(state->caps, state->cap_count, sizeof *state->caps, nc_pair_key(i, j));
    return slot >= 0 ? fmin(rest, state->caps[slot].distance) : rest;
}

bool nc_state_reserve_caps(nc_state *state, int more, const nc_allocator *allocator)
{
    return nc_grow(allocator, (void **)&state->caps, &state->cap_capacity, state->cap_count + more,
                   sizeof *state->caps);
}

void nc_state_add_cap(nc_state *state, nc_rest_cap cap)
{
    NC_ASSERT(state->cap_count < state->cap_capacity);
    nc_pair_map_insert(state->caps, &state->cap_count, sizeof *state->caps, &cap);
}

void nc_state_forget_caps(nc_state *state, int row)
{
    nc_pair_map_forget(state->caps, &state->cap_count, sizeof *state->caps, row);
}
