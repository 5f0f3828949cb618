// The tools that shapes are made with: vertices, faces, turned profiles, prisms.
#include "geom/shape.h"

int nc_shape_vertex(nc_shape_builder *builder, nc_vec3 position)
{
    if (!nc_array_push(&builder->allocator, &builder->vertices, position)) {
        builder->failed = true;
        return 0;
    }
    return builder->vertices.count - 1;
}

void nc_shape_triangle(nc_shape_builder *builder, int a, int b, int c)
{
    const nc_corners corners = {{a, b, c}};
    if (!nc_array_push(&builder->allocator, &builder->triangles, corners))
        builder->failed = true;
}

void nc_shape_quad(nc_shape_builder *builder, int a, int b, int c, int d)
{
    nc_shape_triangle(builder, a, b, c);
    nc_shape_triangle(builder, a, c, d);
}

void nc_shape_center(nc_shape_builder *builder)
{
    nc_box box = nc_box_empty();
    for (int i = 0; i < builder->vertices.count; i++)
        box = nc_box_add(box, builder->vertices.data[i]);
    const nc_vec3 middle = nc_scale(0.5, nc_add(box.lo, box.hi));
    for (int i = 0; i < builder->vertices.count; i++)
        builder->vertices.data[i] = nc_sub(builder->vertices.data[i], middle);
}

// The circle of a profile point: `segments` vertices, or one when it is a pole. Returns the first.
static int lathe_circle(nc_shape_builder *builder, nc_profile_point point, int segments)
{
    if (point.r == 0)
        return nc_shape_vertex(builder, nc_v3(0, point.y, 0));
    const int first = builder->vertices.count;
    for (int k = 0; k < segments; k++) {
        double sine, cosine;
        nc_sincos(2 * NC_PI * k / segments, &sine, &cosine);
        nc_shape_vertex(builder, nc_v3(point.r * cosine, point.y, -point.r * sine));
    }
    return first;
}

// The strip between two circles that start at vertices a and b.
static void lathe_strip(nc_shape_builder *builder, int a, bool a_is_pole, int b, bool b_is_pole, int segments)
{
    for (int k = 0; k < segments; k++) {
        const int next = (k + 1) % segments;
        if (a_is_pole && b_is_pole)
            return;
        if (a_is_pole)
            nc_shape_triangle(builder, a, b + next, b + k);
        else if (b_is_pole)
            nc_shape_triangle(builder, a + k, a + next, b);
        else
            nc_shape_quad(builder, a + k, a + next, b + next, b + k);
    }
}

void nc_shape_lathe(nc_shape_builder *builder, const nc_profile_point *profile, int count, bool loop, int segments)
{
    const int first = lathe_circle(builder, profile[0], segments);
    int below = first;
    for (int i = 1; i < count; i++) {
        const int above = lathe_circle(builder, profile[i], segments);
        lathe_strip(builder, below, profile[i - 1].r == 0, above, profile[i].r == 0, segments);
        below = above;
    }
    if (loop)
        lathe_strip(builder, below, profile[count - 1].r == 0, first, profile[0].r == 0, segments);
}

void nc_shape_prism(nc_shape_builder *builder, const nc_vec3 *polygon, int count, double depth)
{
    NC_ASSERT(count <= NC_PRISM_MAX_CORNERS);
    const int front = builder->vertices.count, back = front + count;
    for (int i = 0; i < count; i++)
        nc_shape_vertex(builder, nc_v3(polygon[i].x, polygon[i].y, 0.5 * depth));
    for (int i = 0; i < count; i++)
        nc_shape_vertex(builder, nc_v3(polygon[i].x, polygon[i].y, -0.5 * depth));

    int caps[NC_PRISM_MAX_CORNERS][3], scratch[NC_POLYGON_SCRATCH(NC_PRISM_MAX_CORNERS)];
    nc_polygon_triangulate(polygon, count, caps, scratch);
    for (int i = 0; i < count - 2; i++) {
        nc_shape_triangle(builder, front + caps[i][0], front + caps[i][1], front + caps[i][2]);
        nc_shape_triangle(builder, back + caps[i][0], back + caps[i][2], back + caps[i][1]);
    }
    for (int i = 0; i < count; i++) {
        const int next = (i + 1) % count;
        nc_shape_quad(builder, front + i, back + i, back + next, front + next);
    }
}
