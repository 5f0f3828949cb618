// Sleeping bodies: who wakes when something is changed between two steps. What happens within a step is in
// src/step/sleep.c.
//
// Bodies fall asleep and wake in groups: all that were connected by near pairs. A body that is static or scripted
// connects nobody, so changing one wakes every sleeping body that may be near it. Waking needs no memory: the
// impulses of woken contacts stay where they are until the next step takes them over.
#include "world/world.h"

void nc_row_begin_rest(nc_bodies *bodies, int row)
{
    bodies->asleep[row] = 0;
    bodies->rested[row] = 0;
    bodies->anchor[row] = bodies->pose[row];
    bodies->sleep_gap[row] = INFINITY;
}

void nc_state_wake(nc_state *state, int row)
{
    nc_bodies *bodies = &state->bodies;
    const int group = bodies->asleep[row];
    if (group == 0)
        return;
    state->woken = true;
    for (int i = 0; i < bodies->count; i++)
        if (bodies->alive[i] && bodies->asleep[i] == group)
            nc_row_begin_rest(bodies, i);
}

void nc_state_wake_all(nc_state *state)
{
    nc_bodies *bodies = &state->bodies;
    for (int i = 0; i < bodies->count; i++) {
        if (!bodies->alive[i])
            continue;
        state->woken = state->woken || nc_row_sleeps(bodies, i);
        nc_row_begin_rest(bodies, i);
    }
}

// May the two be so near each other that they have contacts? By the balls around them.
static bool may_be_near(const nc_world *world, int i, int j)
{
    const nc_bodies *bodies = &world->state.bodies;
    const double radii = world->meshes.data[bodies->mesh[i]].radius + world->meshes.data[bodies->mesh[j]].radius;
    const double reach = 1.01 * (radii + world->settings.proximity);
    return !(nc_norm2(nc_sub(bodies->pose[i].x, bodies->pose[j].x)) > reach * reach);
}

void nc_world_wake_around(nc_world *world, int row)
{
    nc_state *state = &world->state;
    nc_state_wake(state, row);
    for (int i = 0; i < state->bodies.count; i++)
        if (state->bodies.alive[i] && nc_row_sleeps(&state->bodies, i) && may_be_near(world, row, i))
            nc_state_wake(state, i);
}

void nc_world_wake_changed(nc_world *world, const nc_world_def *before)
{
    int count;
    const nc_setting *rows = nc_world_setting_rows(&count);
    for (int k = 0; k < count; k++)
        for (int part = 0; part < nc_setting_parts(&rows[k]); part++)
            if (nc_setting_value(&rows[k], before, part) != nc_setting_value(&rows[k], &world->settings, part)) {
                nc_state_wake_all(&world->state);
                return;
            }
}
