// Open sheets of zero thickness: flat ones in the x-z plane with their front up, and turned ones about the y axis.
#include "geom/shape.h"

nc_code nc_shape_build_plane(nc_shape_builder *builder, const double *values, nc_error *err)
{
    (void)err;
    const double width = values[1] > 0 ? values[1] : values[0], depth = values[2] > 0 ? values[2] : values[0];
    const int n = (int)values[3];
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= n; j++)
            nc_shape_vertex(builder, nc_v3(width * ((double)i / n - 0.5), 0, depth * ((double)j / n - 0.5)));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const int a = i * (n + 1) + j, b = a + n + 1;
            nc_shape_quad(builder, a, a + 1, b + 1, b);
        }
    return NC_OK;
}

// A regular polygon without a middle vertex, cut in strips: 0 1 n-1, n-1 1 2, n-1 2 n-2, ...
nc_code nc_shape_build_plate(nc_shape_builder *builder, const double *values, nc_error *err)
{
    (void)err;
    const double radius = values[0];
    const int sides = (int)values[1];
    for (int k = 0; k < sides; k++) {
        double sine, cosine;
        nc_sincos(2 * NC_PI * k / sides, &sine, &cosine);
        nc_shape_vertex(builder, nc_v3(radius * cosine, 0, -radius * sine));
    }
    for (int low = 0, high = sides - 1; high - low >= 2;) {
        nc_shape_triangle(builder, high, low, low + 1);
        low++;
        if (high - low < 2)
            break;
        nc_shape_triangle(builder, high, low, high - 1);
        high--;
    }
    return NC_OK;
}

nc_code nc_shape_build_triangle(nc_shape_builder *builder, const double *values, nc_error *err)
{
    const double plate[2] = {values[0] / sqrt(3.0), 3};
    return nc_shape_build_plate(builder, plate, err);
}

nc_code nc_shape_build_ring(nc_shape_builder *builder, const double *values, nc_error *err)
{
    const double radius = values[0], width = values[1];
    if (!(width < radius))
        return nc_fail(err, NC_BAD_ARGUMENT, "a ring's width (%g m) must be smaller than its radius (%g m)", width,
                       radius);
    const nc_profile_point profile[2] = {{radius, 0}, {radius - width, 0}};
    nc_shape_lathe(builder, profile, 2, false, (int)values[2]);
    return NC_OK;
}

nc_code nc_shape_build_tube(nc_shape_builder *builder, const double *values, nc_error *err)
{
    const double radius = values[0], half = 0.5 * values[1];
    const int segments = (int)values[2], rings = (int)values[3];
    nc_profile_point *profile = nc_alloc(&builder->allocator, (size_t)rings + 1, sizeof *profile);
    if (profile == NULL)
        return nc_fail_memory(err, ((size_t)rings + 1) * sizeof *profile);
    for (int i = 0; i <= rings; i++) {
        profile[i].r = radius;
        profile[i].y = half * (2.0 * i / rings - 1);
    }
    nc_shape_lathe(builder, profile, rings + 1, false, segments);
    nc_free(&builder->allocator, profile, (size_t)rings + 1, sizeof *profile);
    return NC_OK;
}

// A short tube.
nc_code nc_shape_build_band(nc_shape_builder *builder, const double *values, nc_error *err)
{
    const double tube[4] = {values[0], values[1], values[2], 1};
    return nc_shape_build_tube(builder, tube, err);
}

// The part of a sphere about the origin below the rim, front inside: the profile runs from the rim to the bottom.
nc_code nc_shape_build_bowl(nc_shape_builder *builder, const double *values, nc_error *err)
{
    const double radius = values[0], angle = values[1];
    const int segments = (int)values[2], rings = (int)values[3];
    nc_profile_point *profile = nc_alloc(&builder->allocator, (size_t)rings + 1, sizeof *profile);
    if (profile == NULL)
        return nc_fail_memory(err, ((size_t)rings + 1) * sizeof *profile);
    for (int i = 0; i <= rings; i++) {
        double sine, cosine;
        nc_sincos(angle * (rings - i) / rings, &sine, &cosine);
        profile[i].r = i == rings ? 0 : radius * sine;
        profile[i].y = -radius * cosine;
    }
    nc_shape_lathe(builder, profile, rings + 1, false, segments);
    nc_free(&builder->allocator, profile, (size_t)rings + 1, sizeof *profile);
    return NC_OK;
}
