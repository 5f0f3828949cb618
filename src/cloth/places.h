// Inside acm: vertices by where they are, for cutting them into groups of neighbours.
#ifndef NC_CLOTH_PLACES_H
#define NC_CLOTH_PLACES_H

#include "cloth/cloth.h"

typedef struct nc_cloth_place {
    nc_vec3 x; // [m] at the start
    int vertex;
} nc_cloth_place;

// Sorts along the longest side of the box of all, ties by vertex. False when out of memory.
bool nc_cloth_places_sort(nc_cloth_place *places, int count, const nc_allocator *allocator);

#endif
