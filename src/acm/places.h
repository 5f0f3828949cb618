// Inside acm: vertices by where they are, for cutting them into groups of neighbours.
#ifndef NC_ACM_PLACES_H
#define NC_ACM_PLACES_H

#include "acm/acm.h"

typedef struct nc_acm_place {
    nc_vec3 x; // [m] at the start
    int vertex;
} nc_acm_place;

// Sorts along the longest side of the box of all, ties by vertex. False when out of memory.
bool nc_acm_places_sort(nc_acm_place *places, int count, const nc_allocator *allocator);

#endif
