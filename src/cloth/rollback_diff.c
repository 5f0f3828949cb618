// Rollback diff: what a window was before it was rolled back. A new contact changes what happens around it; most
// vertices go again as they went before, to the bit, and what the search found of them holds.
#include "cloth/ticks.h"

#include <stddef.h>
#include <string.h>

void nc_cloth_rollback_diff_free(nc_cloth_rollback_diff *rollback_diff, const nc_allocator *allocator)
{
    const size_t count = (size_t)rollback_diff->vertex_capacity;
    nc_free(allocator, rollback_diff->pieces, (size_t)rollback_diff->capacity, sizeof *rollback_diff->pieces);
    nc_free(allocator, rollback_diff->last, count, sizeof *rollback_diff->last);
    nc_free(allocator, rollback_diff->states, count, sizeof *rollback_diff->states);
    nc_free(allocator, rollback_diff->same, count, sizeof *rollback_diff->same);
    *rollback_diff = (nc_cloth_rollback_diff){0};
}

static bool take_room(nc_cloth_world *world)
{
    nc_cloth_rollback_diff *rollback_diff = &world->rollback_diff;
    const nc_allocator *a = &world->allocator;
    const size_t count = (size_t)world->model.vertex_count;
    if (rollback_diff->vertex_capacity == world->model.vertex_count)
        return true;
    nc_cloth_rollback_diff_free(rollback_diff, a);
    rollback_diff->vertex_capacity = world->model.vertex_count;
    rollback_diff->last = nc_alloc(a, count, sizeof *rollback_diff->last);
    rollback_diff->states = nc_alloc(a, count, sizeof *rollback_diff->states);
    rollback_diff->same = nc_alloc(a, count, sizeof *rollback_diff->same);
    if (rollback_diff->last != NULL && rollback_diff->states != NULL && rollback_diff->same != NULL)
        return true;
    nc_cloth_rollback_diff_free(rollback_diff, a);
    return false;
}

void nc_cloth_rollback_diff_keep(nc_cloth_world *world)
{
    const size_t count = (size_t)world->model.vertex_count;
    world->rollback_diff.is_kept = take_room(world);
    if (!world->rollback_diff.is_kept)
        return;
    memcpy(world->rollback_diff.last, world->trace.last, count * sizeof *world->rollback_diff.last);
    memcpy(world->rollback_diff.states, world->states, count * sizeof *world->rollback_diff.states);
}

void nc_cloth_rollback_diff_take_pieces(nc_cloth_world *world)
{
    nc_cloth_rollback_diff *rollback_diff = &world->rollback_diff;
    nc_cloth_piece *pieces = rollback_diff->pieces;
    const int capacity = rollback_diff->capacity;
    if (!rollback_diff->is_kept)
        return;
    rollback_diff->pieces = world->trace.pieces;
    rollback_diff->capacity = world->trace.capacity;
    world->trace.pieces = pieces;
    world->trace.capacity = capacity;
}

// Positions, velocities and times of two pieces or states, which begin with them.
#define MOTION offsetof(nc_cloth_piece, vertex)
_Static_assert(offsetof(nc_cloth_piece, vertex) == offsetof(nc_cloth_state, inv_mass), "states and pieces begin alike");

static bool goes_as_before(const nc_cloth_world *world, int v)
{
    const nc_cloth_rollback_diff *rollback_diff = &world->rollback_diff;
    const nc_cloth_trace *t = &world->trace;
    if (memcmp(&rollback_diff->states[v], &world->states[v], MOTION) != 0)
        return false;
    int now = t->last[v], then = rollback_diff->last[v];
    while (now >= 0 && then >= 0) {
        if (memcmp(&t->pieces[now], &rollback_diff->pieces[then], MOTION) != 0)
            return false;
        now = t->pieces[now].before;
        then = rollback_diff->pieces[then].before;
    }
    return now == then;
}

static void compare(int begin, int end, void *ctx)
{
    const nc_cloth_world *world = ctx;
    for (int v = begin; v < end; v++)
        world->rollback_diff.same[v] = goes_as_before(world, v);
}

void nc_cloth_rollback_diff_compare(nc_cloth_world *world)
{
    world->trace.same = NULL;
    if (!world->rollback_diff.is_kept)
        return;
    nc_parallel_for(world->tick_workers, world->model.vertex_count, 512, compare, world);
    world->trace.same = world->rollback_diff.same;
}
