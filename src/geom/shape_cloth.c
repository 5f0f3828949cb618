// What cloth meets: beds of nails, loose grains, and a soft animal that is a closed shell.
#include "geom/shape.h"

// ---- nails: pyramids of four slivers, points up ------------------------------------------------------------------

nc_code nc_shape_build_nails(nc_shape_builder *builder, const double *values, nc_error *err)
{
    const double spacing = values[2], height = values[3], radius = values[4];
    const int columns = (int)values[0], rows = (int)values[1];
    if (!(2 * radius < spacing))
        return nc_fail(err, NC_BAD_ARGUMENT, "nails of radius %g m that are %g m apart intersect", radius, spacing);
    for (int i = 0; i < columns; i++)
        for (int j = 0; j < rows; j++) {
            const double x = spacing * (i - 0.5 * (columns - 1)), z = spacing * (j - 0.5 * (rows - 1));
            const int first = builder->vertices.count;
            nc_shape_vertex(builder, nc_v3(x, height, z));
            nc_shape_vertex(builder, nc_v3(x + radius, 0, z));
            nc_shape_vertex(builder, nc_v3(x, 0, z - radius));
            nc_shape_vertex(builder, nc_v3(x - radius, 0, z));
            nc_shape_vertex(builder, nc_v3(x, 0, z + radius));
            for (int k = 0; k < 4; k++)
                nc_shape_triangle(builder, first, first + 1 + k, first + 1 + (k + 1) % 4);
        }
    return NC_OK;
}

// ---- grains: free points in the x-y plane ------------------------------------------------------------------------

nc_code nc_shape_build_grains(nc_shape_builder *builder, const double *values, nc_error *err)
{
    (void)err;
    const int columns = (int)values[0], rows = (int)values[1];
    const double spacing = values[2];
    // Every other row is shifted by a quarter: grains that fall find no column to stand in.
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < columns; i++)
            nc_shape_vertex(builder, nc_v3(spacing * (i - 0.5 * (columns - 1) + (j % 2 == 0 ? -0.125 : 0.125)),
                                           spacing * (j - 0.5 * (rows - 1)), 0));
    return NC_OK;
}

// ---- rabbit: a sphere whose points are pushed out to a blend of balls --------------------------------------------
//
// Every triangle keeps its own cone of directions from the origin, so whatever the blend is, the surface does not meet
// itself.

typedef struct blob {
    double x, y, z, radius; // as parts of the length
} blob;

static const blob rabbit_blobs[] = {
    {-0.12, -0.08, 0, 0.33},  // hindquarters
    {0.08, -0.04, 0, 0.27},   // chest
    {0.26, 0.14, 0, 0.2},     // head
    {0.4, 0.11, 0, 0.1},      // nose
    {-0.46, -0.02, 0, 0.09},  // tail
    {0.16, 0.38, 0.13, 0.09}, // ears, each of three
    {0.14, 0.5, 0.18, 0.08},  {0.12, 0.6, 0.22, 0.07},   {0.16, 0.38, -0.13, 0.09},
    {0.14, 0.5, -0.18, 0.08}, {0.12, 0.6, -0.22, 0.07},  {-0.1, -0.3, 0.2, 0.12}, // feet
    {-0.1, -0.3, -0.2, 0.12}, {0.22, -0.28, 0.12, 0.09}, {0.22, -0.28, -0.12, 0.09},
};

// Above 1 inside. Each ball adds (radius / distance)^6, so near ones flow into each other.
static double blend(nc_vec3 p)
{
    double sum = 0;
    for (size_t i = 0; i < sizeof rabbit_blobs / sizeof rabbit_blobs[0]; i++) {
        const blob *b = &rabbit_blobs[i];
        const nc_vec3 d = nc_sub(p, nc_v3(b->x, b->y, b->z));
        const double q = b->radius * b->radius / (nc_dot(d, d) + 1e-9);
        sum += q * q * q;
    }
    return sum;
}

// How far out the blend reaches in a direction: the last crossing on a ray, by bisection.
static double reach(nc_vec3 direction)
{
    enum { STEPS = 256, HALVINGS = 40 };
    double inside = 0.05, outside = 1;
    for (int k = 1; k <= STEPS; k++) {
        const double t = k * (1.0 / STEPS);
        if (blend(nc_scale(t, direction)) > 1) {
            inside = t;
            outside = t + 1.0 / STEPS;
        }
    }
    for (int k = 0; k < HALVINGS; k++) {
        const double middle = 0.5 * (inside + outside);
        if (blend(nc_scale(middle, direction)) > 1)
            inside = middle;
        else
            outside = middle;
    }
    return inside;
}

nc_code nc_shape_build_rabbit(nc_shape_builder *builder, const double *values, nc_error *err)
{
    const double sphere[2] = {1, values[1]};
    const nc_code code = nc_shape_build_sphere(builder, sphere, err);
    for (int i = 0; code == NC_OK && !builder->failed && i < builder->vertices.count; i++) {
        nc_vec3 *v = &builder->vertices.data[i];
        *v = nc_scale(values[0] * reach(*v), *v);
    }
    return code;
}
