// Inside narrow: the functions of solids made of primitives (csg_field.c).
#ifndef NC_NARROW_CSG_H
#define NC_NARROW_CSG_H

#include "narrow/trajectory.h"

typedef struct nc_csg_bounds {
    double low, high; // [m]
} nc_csg_bounds;

// Over a box: each primitive gets a lower and an upper bound, and the operations are monotone in both.
nc_csg_bounds nc_csg_over_box(const nc_csg *csg, const nc_oriented_box *box);

// At a place, up to rounding: the value, and a gradient of length at most 1 (one of them where there are several).
typedef struct nc_csg_sample {
    double value; // [m]
    nc_vec3 gradient;
} nc_csg_sample;
nc_csg_sample nc_csg_at(const nc_csg *csg, nc_vec3 p);

// A box that holds the solid; infinite where it has no bounds.
nc_box nc_csg_box(const nc_csg *csg);

#endif
