// Turned machine parts about the y axis: a spool, which is also a pin with two heads, and the rings of a ball bearing.
#include "geom/shape.h"

nc_code nc_shape_build_spool(nc_shape_builder *builder, const double *values, nc_error *err)
{
    const double radius = values[0], half = 0.5 * values[1], flange = values[2], end = half + values[3];
    if (!(radius < flange))
        return nc_fail(err, NC_BAD_ARGUMENT, "the flanges of a spool (%g m) must be larger than its radius (%g m)",
                       flange, radius);
    const nc_profile_point profile[] = {{0, -end},      {flange, -end}, {flange, -half}, {radius, -half},
                                        {radius, half}, {flange, half}, {flange, end},   {0, end}};
    nc_shape_lathe(builder, profile, 8, false, (int)values[4]);
    return NC_OK;
}

#define MAX_RACE_PIECES 64

// One ring of a ball bearing: balls run in a groove of radius `groove` about the circle of radius `radius`. The outer
// ring has its groove inside, the inner ring (outer = 0) outside.
nc_code nc_shape_build_race(nc_shape_builder *builder, const double *values, nc_error *err)
{
    const double radius = values[0], groove = values[1], half = 0.5 * values[2], wall = values[3];
    const bool outer = values[4] > 0;
    const int segments = (int)values[5], pieces = (int)values[6], side = outer ? 1 : -1;
    const double back = radius + side * (groove + wall);
    if (!(half < 0.95 * groove) || !(back > 0))
        return nc_fail(
            err, NC_BAD_ARGUMENT,
            "a race %g m high with a groove of %g m must be flatter than the groove, and %g m of wall must leave "
            "a hole",
            values[2], groove, wall);
    nc_profile_point profile[MAX_RACE_PIECES + 3];
    const double edge = nc_atan2(half, sqrt(groove * groove - half * half)); // where the groove meets the faces
    int count = 0;
    for (int i = 0; i <= pieces; i++) { // up the groove of an inner ring, down that of an outer one: front outside
        double sine, cosine;
        nc_sincos(edge * (2.0 * i / pieces - 1), &sine, &cosine);
        profile[count++] = (nc_profile_point){radius + side * groove * cosine, -side * groove * sine};
    }
    profile[count++] = (nc_profile_point){back, -side * half};
    profile[count++] = (nc_profile_point){back, side * half};
    nc_shape_lathe(builder, profile, count, true, segments);
    return NC_OK;
}
