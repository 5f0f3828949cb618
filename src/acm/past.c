// What a window was before it was rolled back. A new contact changes what happens around it; most vertices go again as
// they went before, to the bit, and what the search found of them holds.
#include "acm/ticks.h"

#include <stddef.h>
#include <string.h>

void nc_acm_past_free(nc_acm_past *past, const nc_allocator *allocator)
{
    const size_t count = (size_t)past->vertex_capacity;
    nc_free(allocator, past->pieces, (size_t)past->capacity, sizeof *past->pieces);
    nc_free(allocator, past->last, count, sizeof *past->last);
    nc_free(allocator, past->states, count, sizeof *past->states);
    nc_free(allocator, past->same, count, sizeof *past->same);
    *past = (nc_acm_past){0};
}

static bool take_room(nc_cloth_world *world)
{
    nc_acm_past *past = &world->past;
    const nc_allocator *a = &world->allocator;
    const size_t count = (size_t)world->model.vertex_count;
    if (past->vertex_capacity == world->model.vertex_count)
        return true;
    nc_acm_past_free(past, a);
    past->vertex_capacity = world->model.vertex_count;
    past->last = nc_alloc(a, count, sizeof *past->last);
    past->states = nc_alloc(a, count, sizeof *past->states);
    past->same = nc_alloc(a, count, sizeof *past->same);
    if (past->last != NULL && past->states != NULL && past->same != NULL)
        return true;
    nc_acm_past_free(past, a);
    return false;
}

void nc_acm_past_keep(nc_cloth_world *world)
{
    const size_t count = (size_t)world->model.vertex_count;
    world->past.is_kept = take_room(world);
    if (!world->past.is_kept)
        return;
    memcpy(world->past.last, world->trace.last, count * sizeof *world->past.last);
    memcpy(world->past.states, world->states, count * sizeof *world->past.states);
}

void nc_acm_past_take_pieces(nc_cloth_world *world)
{
    nc_acm_past *past = &world->past;
    nc_acm_piece *pieces = past->pieces;
    const int capacity = past->capacity;
    if (!past->is_kept)
        return;
    past->pieces = world->trace.pieces;
    past->capacity = world->trace.capacity;
    world->trace.pieces = pieces;
    world->trace.capacity = capacity;
}

// Positions, velocities and times of two pieces or states, which begin with them.
#define MOTION offsetof(nc_acm_piece, vertex)
_Static_assert(offsetof(nc_acm_piece, vertex) == offsetof(nc_acm_state, inv_mass), "states and pieces begin alike");

static bool goes_as_before(const nc_cloth_world *world, int v)
{
    const nc_acm_past *past = &world->past;
    const nc_acm_trace *t = &world->trace;
    if (memcmp(&past->states[v], &world->states[v], MOTION) != 0)
        return false;
    int now = t->last[v], then = past->last[v];
    while (now >= 0 && then >= 0) {
        if (memcmp(&t->pieces[now], &past->pieces[then], MOTION) != 0)
            return false;
        now = t->pieces[now].before;
        then = past->pieces[then].before;
    }
    return now == then;
}

static void compare(int begin, int end, void *ctx)
{
    const nc_cloth_world *world = ctx;
    for (int v = begin; v < end; v++)
        world->past.same[v] = goes_as_before(world, v);
}

void nc_acm_past_compare(nc_cloth_world *world)
{
    world->trace.same = NULL;
    if (!world->past.is_kept)
        return;
    nc_parallel_for(world->tick_workers, world->model.vertex_count, 512, compare, world);
    world->trace.same = world->past.same;
}
