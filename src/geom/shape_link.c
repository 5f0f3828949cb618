// A link of a chain: a round bar bent into a closed oval.
#include "geom/shape.h"

// A circle of the bar about the point at `angle` of a bend with its centre at (middle, 0, 0). Returns its first vertex.
static int link_circle(nc_shape_builder *builder, double middle, double angle, const double *values)
{
    const double radius = values[1], bar = values[2];
    const int sides = (int)values[4], first = builder->vertices.count;
    double s, c;
    nc_sincos(angle, &s, &c);
    for (int k = 0; k < sides; k++) {
        double sine, cosine;
        nc_sincos(2 * NC_PI * k / sides, &sine, &cosine);
        const double r = radius + bar * cosine;
        nc_shape_vertex(builder, nc_v3(middle + r * c, bar * sine, -r * s));
    }
    return first;
}

static void link_strip(nc_shape_builder *builder, int a, int b, int sides)
{
    for (int k = 0; k < sides; k++) {
        const int next = (k + 1) % sides;
        nc_shape_quad(builder, a + k, b + k, b + next, a + next);
    }
}

// Along x, flat about the y axis like a torus: the bend at +x, then the one at -x, straight bars between them.
nc_code nc_shape_build_link(nc_shape_builder *builder, const double *values, nc_error *err)
{
    const double half = 0.5 * values[0];
    const int segments = (int)values[3], sides = (int)values[4];
    if (!(values[2] < values[1]))
        return nc_fail(err, NC_BAD_ARGUMENT, "a link's bar (%g m) must be smaller than the radius of its bends (%g m)",
                       values[2], values[1]);
    int first = -1, before = -1;
    for (int i = 0; i < 2 * (segments + 1); i++) {
        const int bend = i / (segments + 1), piece = i % (segments + 1);
        const double angle = NC_PI * (bend - 0.5 + (double)piece / segments);
        const int circle = link_circle(builder, bend == 0 ? half : -half, angle, values);
        if (i == 0)
            first = circle;
        else
            link_strip(builder, before, circle, sides);
        before = circle;
    }
    link_strip(builder, before, first, sides);
    return NC_OK;
}
