// Parts to build scenes with: stones of an arch, a rack with slots, a hook.
#include "geom/shape.h"

// A side of the stone turned by `half` from its middle: the corner at distance r, moved inward by half of the gap.
static nc_vec3 stone_corner(double r, double half, double gap)
{
    double sine, cosine;
    nc_sincos(half, &sine, &cosine);
    return nc_v3(r * cosine + 0.5 * gap * sine, r * sine - 0.5 * gap * cosine, 0);
}

// A trapezoid prism. Two stones `angle` apart on the circle have parallel faces `gap` apart.
nc_code nc_shape_build_stone(nc_shape_builder *builder, const double *values, nc_error *err)
{
    const double radius = values[0], wall = values[1], height = values[2], angle = values[3], gap = values[4];
    const double inner = radius - 0.5 * wall;
    if (!(inner > 0))
        return nc_fail(err, NC_BAD_ARGUMENT, "a stone's wall (%g m) must be less than twice its radius (%g m)", wall,
                       radius);
    const nc_vec3 in = stone_corner(inner, 0.5 * angle, gap), out = stone_corner(radius + 0.5 * wall, 0.5 * angle, gap);
    if (!(in.y > 0))
        return nc_fail(err, NC_BAD_ARGUMENT, "a stone of %g rad at radius %g m is not wider than its gap, %g m", angle,
                       radius, gap);
    const nc_vec3 polygon[4] = {nc_v3(in.x - radius, -in.y, 0), nc_v3(out.x - radius, -out.y, 0),
                                nc_v3(out.x - radius, out.y, 0), nc_v3(in.x - radius, in.y, 0)};
    nc_shape_prism(builder, polygon, 4, height);
    for (int i = 0; i < builder->vertices.count; i++) { // drawn out along z; about the y axis it shall stand
        const nc_vec3 v = builder->vertices.data[i];
        builder->vertices.data[i] = nc_v3(v.x, v.z, -v.y);
    }
    return NC_OK;
}

// A floor from fin to fin, and the fins upright on it. Floor and fins share their vertices.
nc_code nc_shape_build_rack(nc_shape_builder *builder, const double *values, nc_error *err)
{
    (void)err;
    const int slots = (int)values[0];
    const double pitch = values[1], height = values[2], half = 0.5 * values[3];
    for (int i = 0; i <= slots; i++) {
        const double x = pitch * (i - 0.5 * slots);
        const int low = nc_shape_vertex(builder, nc_v3(x, 0, -half));
        nc_shape_vertex(builder, nc_v3(x, 0, half));
        nc_shape_vertex(builder, nc_v3(x, height, half));
        nc_shape_vertex(builder, nc_v3(x, height, -half));
        nc_shape_quad(builder, low, low + 1, low + 2, low + 3);
        if (i > 0)
            nc_shape_quad(builder, low - 4, low - 3, low + 1, low);
    }
    return NC_OK;
}

// A circle of the bar about `center`, in the plane of z and `across`. Returns its first vertex.
static int bar_circle(nc_shape_builder *builder, nc_vec3 center, nc_vec3 across, double bar, int sides)
{
    const int first = builder->vertices.count;
    for (int k = 0; k < sides; k++) {
        double sine, cosine;
        nc_sincos(2 * NC_PI * k / sides, &sine, &cosine);
        const nc_vec3 out = nc_add(nc_scale(bar * cosine, across), nc_v3(0, 0, bar * sine));
        nc_shape_vertex(builder, nc_add(center, out));
    }
    return first;
}

static void bar_strip(nc_shape_builder *builder, int a, int b, int sides)
{
    for (int k = 0; k < sides; k++) {
        const int next = (k + 1) % sides;
        nc_shape_quad(builder, a + k, a + next, b + next, b + k);
    }
}

static void bar_lid(nc_shape_builder *builder, int circle, nc_vec3 center, bool first, int sides)
{
    const int middle = nc_shape_vertex(builder, center);
    for (int k = 0; k < sides; k++) {
        const int next = (k + 1) % sides;
        nc_shape_triangle(builder, middle, circle + (first ? next : k), circle + (first ? k : next));
    }
}

// From the upper end of the shank down, around the bend, up to the tip.
nc_code nc_shape_build_hook(nc_shape_builder *builder, const double *values, nc_error *err)
{
    const double radius = values[0], bar = values[1], length = values[2], angle = values[3];
    const int segments = (int)values[4], sides = (int)values[5];
    if (!(bar < radius))
        return nc_fail(err, NC_BAD_ARGUMENT, "a hook's bar (%g m) must be smaller than its radius (%g m)", bar, radius);
    const nc_vec3 top = nc_v3(radius, length, 0);
    int before = bar_circle(builder, top, nc_v3(1, 0, 0), bar, sides);
    const int first = before;
    nc_vec3 end = top;
    for (int i = 0; i <= segments; i++) {
        double sine, cosine;
        nc_sincos(angle * i / segments, &sine, &cosine);
        end = nc_v3(radius * cosine, -radius * sine, 0);
        const int circle = bar_circle(builder, end, nc_v3(cosine, -sine, 0), bar, sides);
        bar_strip(builder, before, circle, sides);
        before = circle;
    }
    bar_lid(builder, first, top, true, sides);
    bar_lid(builder, before, end, false, sides);
    return NC_OK;
}
