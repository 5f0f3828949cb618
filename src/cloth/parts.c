// Parts: vertices in groups of neighbours. Forces whose vertices are all in one part have nothing in common with those
// of another, so parts may be run by several threads; what lies between parts is run after them. The parts depend on
// the model only, so what comes out is the same bits for any number of threads.
#include "cloth/places.h"
#include "cloth/world.h"

#include <string.h>

#define MIN_VERTICES 256 // of a part: smaller ones are not worth a thread

// Halves the places until there are `parts` groups, numbered from `first` on. False when out of memory.
static bool halve(nc_cloth_world *world, nc_cloth_place *places, int count, int first, int parts)
{
    if (parts == 1) {
        for (int i = 0; i < count; i++)
            world->elastic.part[places[i].vertex] = first;
        return true;
    }
    const int half = count / 2;
    return nc_cloth_places_sort(places, count, &world->allocator) && halve(world, places, half, first, parts / 2) &&
           halve(world, places + half, count - half, first + parts / 2, parts / 2);
}

static bool place_vertices(nc_cloth_world *world)
{
    nc_cloth_elastic *e = &world->elastic;
    const int count = world->model.vertex_count;
    memset(e->vertices_before, 0, sizeof e->vertices_before);
    e->parts = count >= NC_CLOTH_PARTS * MIN_VERTICES ? NC_CLOTH_PARTS : 1;
    if (e->parts == 1)
        return true;
    nc_cloth_place *places = nc_alloc(&world->allocator, (size_t)count, sizeof *places);
    if (places == NULL)
        return false;
    for (int v = 0; v < count; v++)
        places[v] = (nc_cloth_place){world->model.start[v], v};
    const bool done = halve(world, places, count, 0, e->parts);
    nc_free(&world->allocator, places, (size_t)count, sizeof *places);
    for (int v = 0; v < count; v++)
        e->vertices_before[e->part[v] + 1]++;
    for (int p = 0; p < NC_CLOTH_PARTS; p++)
        e->vertices_before[p + 1] += e->vertices_before[p];
    return done;
}

// The part of all of them, or the one between parts.
static int common_part(const nc_cloth_elastic *e, const int *v, int count)
{
    for (int k = 1; k < count; k++)
        if (e->part[v[k]] != e->part[v[0]])
            return e->parts;
    return e->part[v[0]];
}

bool nc_cloth_parts_build(nc_cloth_world *world)
{
    nc_cloth_elastic *e = &world->elastic;
    if (!place_vertices(world))
        return false;
    for (int i = 0; i < e->springs.count; i++) {
        const int v[2] = {e->springs.data[i].a, e->springs.data[i].b};
        e->springs.data[i].part = common_part(e, v, 2);
    }
    for (int i = 0; i < e->hinges.count; i++)
        e->hinges.data[i].part = common_part(e, e->hinges.data[i].v, 4);
    return true;
}
