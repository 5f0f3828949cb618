// Closed solids of revolution about the y axis. Their vertices lie on the round surface, so volume and area are
// a little below those of the round thing and grow towards them with the resolution.
#include "geom/shape.h"

nc_code nc_shape_build_cylinder(nc_shape_builder *builder, const double *values, nc_error *err)
{
    (void)err;
    const double r = values[0], h = 0.5 * values[1];
    const nc_profile_point profile[4] = {{0, -h}, {r, -h}, {r, h}, {0, h}};
    nc_shape_lathe(builder, profile, 4, false, (int)values[2]);
    return NC_OK;
}

nc_code nc_shape_build_cone(nc_shape_builder *builder, const double *values, nc_error *err)
{
    (void)err;
    const double r = values[0], h = 0.5 * values[1];
    const nc_profile_point profile[3] = {{0, -h}, {r, -h}, {0, h}};
    nc_shape_lathe(builder, profile, 3, false, (int)values[2]);
    return NC_OK;
}

// The same surface as the cone, with a slender pyramid as its default.
nc_code nc_shape_build_spike(nc_shape_builder *builder, const double *values, nc_error *err)
{
    return nc_shape_build_cone(builder, values, err);
}

nc_code nc_shape_build_peg(nc_shape_builder *builder, const double *values, nc_error *err)
{
    const double r = values[0], h = 0.5 * values[1], tip = values[2], tip_radius = values[3] * r;
    if (!(tip < values[1]))
        return nc_fail(err, NC_BAD_ARGUMENT, "a peg's tip (%g m) must be shorter than its height (%g m)", tip,
                       values[1]);
    const nc_profile_point profile[5] = {{0, -h}, {tip_radius, -h}, {r, tip - h}, {r, h}, {0, h}};
    nc_shape_lathe(builder, profile, 5, false, (int)values[4]);
    return NC_OK;
}

// Two half circles of `rings` strips each, with the straight part between them.
nc_code nc_shape_build_capsule(nc_shape_builder *builder, const double *values, nc_error *err)
{
    const double r = values[0], h = 0.5 * values[1];
    const int segments = (int)values[2], rings = (int)values[3], count = 2 * rings + 2;
    nc_profile_point *profile = nc_alloc(&builder->allocator, (size_t)count, sizeof *profile);
    if (profile == NULL)
        return nc_fail_memory(err, (size_t)count * sizeof *profile);
    for (int i = 0; i <= rings; i++) {
        double sine, cosine;
        nc_sincos(0.5 * NC_PI * i / rings, &sine, &cosine);
        const nc_profile_point low = {i == 0 ? 0 : r * sine, -h - (i == rings ? 0 : r * cosine)};
        const nc_profile_point high = {low.r, -low.y};
        profile[i] = low;
        profile[count - 1 - i] = high;
    }
    nc_shape_lathe(builder, profile, count, false, segments);
    nc_free(&builder->allocator, profile, (size_t)count, sizeof *profile);
    return NC_OK;
}

nc_code nc_shape_build_torus(nc_shape_builder *builder, const double *values, nc_error *err)
{
    const double radius = values[0], tube = values[1];
    const int segments = (int)values[2], sides = (int)values[3];
    if (!(tube < radius))
        return nc_fail(err, NC_BAD_ARGUMENT, "a torus's tube (%g m) must be smaller than its radius (%g m)", tube,
                       radius);
    nc_profile_point *profile = nc_alloc(&builder->allocator, (size_t)sides, sizeof *profile);
    if (profile == NULL)
        return nc_fail_memory(err, (size_t)sides * sizeof *profile);
    for (int i = 0; i < sides; i++) {
        double sine, cosine;
        nc_sincos(2 * NC_PI * i / sides, &sine, &cosine);
        profile[i].r = radius + tube * cosine;
        profile[i].y = tube * sine;
    }
    nc_shape_lathe(builder, profile, sides, true, segments);
    nc_free(&builder->allocator, profile, (size_t)sides, sizeof *profile);
    return NC_OK;
}
