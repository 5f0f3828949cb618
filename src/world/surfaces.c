// Friction and restitution of pairs: rules for all, and a sorted list of pairs that do not go by them.
#include "world/world.h"

static const nc_pair_surface *find(const nc_state *state, int i, int j)
{
    const int count = state->surface_count;
    const int slot =
        count > 0 ? nc_pair_map_find(state->surfaces, count, sizeof *state->surfaces, nc_pair_key(i, j)) : -1;
    return slot >= 0 ? &state->surfaces[slot] : NULL;
}

static double combine(nc_combination rule, double p, double q)
{
    switch (rule) {
    case NC_COMBINE_AVERAGE:
        return 0.5 * (p + q);
    case NC_COMBINE_GEOMETRIC:
        return sqrt(p * q);
    case NC_COMBINE_MINIMUM:
        return fmin(p, q);
    case NC_COMBINE_MAXIMUM:
        return fmax(p, q);
    case NC_COMBINE_MULTIPLY:
        break;
    }
    return p * q;
}

static double own_or(double own, double worlds)
{
    return own < 0 ? worlds : own;
}

double nc_world_pair_friction(const nc_world *world, int i, int j)
{
    const nc_pair_surface *pair = find(&world->state, i, j);
    if (pair != NULL && pair->friction >= 0)
        return pair->friction;
    const double *own = world->state.bodies.friction, rest = world->settings.friction;
    return combine(world->settings.friction_rule, own_or(own[i], rest), own_or(own[j], rest));
}

double nc_world_pair_restitution(const nc_world *world, int i, int j)
{
    const nc_pair_surface *pair = find(&world->state, i, j);
    if (pair != NULL && pair->restitution >= 0)
        return pair->restitution;
    const double *own = world->state.bodies.restitution, rest = world->settings.restitution;
    return combine(world->settings.restitution_rule, own_or(own[i], rest), own_or(own[j], rest));
}

static nc_code insert(nc_world *world, const nc_pair_surface *surface, nc_error *err)
{
    nc_state *state = &world->state;
    if (!nc_grow(&world->settings.allocator, (void **)&state->surfaces, &state->surface_capacity,
                 state->surface_count + 1, sizeof *state->surfaces))
        return nc_fail_memory(err, sizeof *state->surfaces);
    nc_pair_map_insert(state->surfaces, &state->surface_count, sizeof *state->surfaces, surface);
    return NC_OK;
}

nc_code nc_world_set_pair(nc_world *world, nc_body_id a, nc_body_id b, double friction, double restitution,
                          nc_error *err)
{
    const int i = nc_world_row(world, a), j = nc_world_row(world, b);
    if (i < 0 || j < 0 || i == j)
        return nc_fail(err, NC_BAD_ARGUMENT, "a pair needs two different living bodies");
    if (!isfinite(friction) || !(restitution <= 1) || !isfinite(restitution))
        return nc_fail(err, NC_BAD_ARGUMENT, "friction %g or restitution %g of a pair is out of range", friction,
                       restitution);
    nc_state *state = &world->state;
    // One value for "by the rule", so that equal worlds have equal hashes.
    const nc_pair_surface surface = {nc_pair_key(i, j), own_or(friction, -1), own_or(restitution, -1)};
    const int slot = nc_pair_map_find(state->surfaces, state->surface_count, sizeof *state->surfaces, surface.key);
    const bool known = slot >= 0;
    nc_state_wake(state, i);
    nc_state_wake(state, j);
    const bool needed = surface.friction >= 0 || surface.restitution >= 0;
    if (known && needed)
        state->surfaces[slot] = surface;
    else if (known)
        nc_pair_map_remove(state->surfaces, &state->surface_count, sizeof *state->surfaces, slot);
    return known || !needed ? NC_OK : insert(world, &surface, err);
}

nc_code nc_world_read_pair(const nc_world *world, nc_body_id a, nc_body_id b, double *friction, double *restitution,
                           nc_error *err)
{
    const int i = nc_world_row(world, a), j = nc_world_row(world, b);
    if (i < 0 || j < 0 || i == j)
        return nc_fail(err, NC_BAD_ARGUMENT, "a pair needs two different living bodies");
    if (friction != NULL)
        *friction = nc_world_pair_friction(world, i, j);
    if (restitution != NULL)
        *restitution = nc_world_pair_restitution(world, i, j);
    return NC_OK;
}

void nc_state_forget_surfaces(nc_state *state, int row)
{
    nc_pair_map_forget(state->surfaces, &state->surface_count, sizeof *state->surfaces, row);
}
