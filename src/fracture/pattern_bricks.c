// Bricks: layers along the normal (z), courses along y, bricks along x.
#include "fracture/pattern.h"

typedef struct span {
    double low, high; // [m]
} span;

static nc_code add_brick(nc_pattern_builder *builder, span x, span y, span z, nc_error *err)
{
    const nc_plane planes[6] = {{{-1, 0, 0}, -x.low}, {{1, 0, 0}, x.high},  {{0, -1, 0}, -y.low},
                                {{0, 1, 0}, y.high},  {{0, 0, -1}, -z.low}, {{0, 0, 1}, z.high}};
    return nc_pattern_add(builder, planes, 6, err);
}

// From one end of the box to the other; joints move by at most 0.2 of a brick.
static nc_code add_course(nc_pattern_builder *builder, double length, double shift, double jitter, span y, span z,
                          nc_error *err)
{
    span x = {.low = -1};
    nc_code code = NC_OK;
    for (int i = 0; x.low < 0.5 && code == NC_OK; i++) {
        const double wander = 0.4 * jitter * (nc_random_unit(&builder->random) - 0.5);
        x.high = -0.5 + length * (i + shift + wander);
        if (x.high > -0.5) {
            code = add_brick(builder, x, y, z, err);
            x.low = x.high;
        }
    }
    return code;
}

nc_code nc_pattern_make_bricks(nc_pattern_builder *builder, const double *values, nc_error *err)
{
    const double length = values[0], height = values[1], depth = values[2], bond = values[3], jitter = values[4];
    const double pieces = ceil(1 / length + 1) * ceil(1 / height) * ceil(1 / depth);
    if (pieces > NC_PATTERN_REGIONS_MAX)
        return nc_fail(err, NC_BAD_ARGUMENT, "bricks of %g x %g x %g make about %g regions, but %d is the most", length,
                       height, depth, pieces, NC_PATTERN_REGIONS_MAX);
    nc_code code = NC_OK;
    for (int k = 0; k < (int)ceil(1 / depth); k++)
        for (int j = 0; j < (int)ceil(1 / height) && code == NC_OK; j++) {
            const span y = {-0.5 + j * height, -0.5 + (j + 1) * height};
            const span z = {-0.5 + k * depth, -0.5 + (k + 1) * depth};
            const double shift = bond * j - floor(bond * j);
            code = add_course(builder, length, shift, jitter, y, z, err);
        }
    return code;
}
