// Curves that copies stand along: flattened to short straight pieces, and measured by their length.
#ifndef NC_SCENE_CURVE_H
#define NC_SCENE_CURVE_H

#include "scene/keys.h"

typedef struct nc_curve {
    NC_ARRAY(nc_vec3) points;  // [m]
    NC_ARRAY(double) distance; // [m] from the first point, on the curve; as long as `points`
    bool closed;               // the last point is the first one
} nc_curve;

// The curve of generator `along`. Free it in any case.
nc_code nc_curve_read(const nc_generator_keys *keys, const nc_allocator *allocator, nc_curve *out, nc_error *err);
void nc_curve_free(nc_curve *curve, const nc_allocator *allocator);
double nc_curve_length(const nc_curve *curve);
// The point at a distance from the beginning, and the direction there (of length 1).
nc_vec3 nc_curve_at(const nc_curve *curve, double distance, nc_vec3 *out_direction);

#endif
