// Flat parts with holes, drawn out along z: bars with round holes.
#include "geom/shape.h"

nc_shape_outline nc_shape_outline_begin(const nc_shape_builder *builder)
{
    return (nc_shape_outline){.allocator = builder->allocator};
}

void nc_shape_loop_begin(nc_shape_outline *outline, int bridge)
{
    const nc_shape_loop loop = {outline->corners.count, 0, bridge};
    if (!nc_array_push(&outline->allocator, &outline->loops, loop))
        outline->failed = true;
}

void nc_shape_corner(nc_shape_outline *outline, double x, double y)
{
    if (outline->failed)
        return;
    if (nc_array_push(&outline->allocator, &outline->corners, nc_v3(x, y, 0)))
        outline->loops.data[outline->loops.count - 1].count++;
    else
        outline->failed = true;
}

void nc_shape_arc(nc_shape_outline *outline, double x, double y, double radius, const double angles[2], int corners,
                  int pieces)
{
    for (int i = 0; i < corners; i++) {
        double sine, cosine;
        nc_sincos(angles[0] + (angles[1] - angles[0]) * i / pieces, &sine, &cosine);
        nc_shape_corner(outline, x + radius * cosine, y + radius * sine);
    }
}

// One polygon of all loops: from the outline along a bridge into each hole, around it and back. `index` has the corners
// in order; returns how many.
static int join_loops(const nc_shape_outline *outline, int *index)
{
    int n = 0;
    for (int i = 0; i < outline->loops.data[0].count; i++) {
        index[n++] = i;
        for (int k = 1; k < outline->loops.count; k++) {
            const nc_shape_loop loop = outline->loops.data[k];
            if (loop.bridge != i)
                continue;
            for (int j = 0; j <= loop.count; j++)
                index[n++] = loop.first + j % loop.count;
            index[n++] = i;
        }
    }
    return n;
}

static void add_lids(nc_shape_builder *builder, const nc_shape_outline *outline, int front)
{
    const nc_allocator *allocator = &outline->allocator;
    const int count = outline->corners.count, most = count + 2 * outline->loops.count;
    const size_t items = (size_t)most;
    int *index = nc_alloc(allocator, items, sizeof *index);
    int *scratch = nc_alloc(allocator, NC_POLYGON_SCRATCH(items), sizeof *scratch);
    int(*cut)[3] = nc_alloc(allocator, items, sizeof *cut);
    nc_vec3 *polygon = nc_alloc(allocator, items, sizeof *polygon);
    if (index == NULL || scratch == NULL || cut == NULL || polygon == NULL) {
        builder->failed = true;
    } else {
        const int n = join_loops(outline, index);
        for (int i = 0; i < n; i++)
            polygon[i] = outline->corners.data[index[i]];
        nc_polygon_triangulate(polygon, n, cut, scratch);
        for (int i = 0; i < n - 2; i++) {
            const int a = front + index[cut[i][0]], b = front + index[cut[i][1]], c = front + index[cut[i][2]];
            nc_shape_triangle(builder, a, b, c);
            nc_shape_triangle(builder, a + count, c + count, b + count);
        }
    }
    nc_free(allocator, index, items, sizeof *index);
    nc_free(allocator, scratch, NC_POLYGON_SCRATCH(items), sizeof *scratch);
    nc_free(allocator, cut, items, sizeof *cut);
    nc_free(allocator, polygon, items, sizeof *polygon);
}

void nc_shape_extrude(nc_shape_builder *builder, nc_shape_outline *outline, double depth)
{
    const int front = builder->vertices.count, count = outline->corners.count;
    builder->failed = builder->failed || outline->failed;
    for (int i = 0; i < 2 * count; i++) {
        const nc_vec3 corner = outline->corners.data[i % count];
        nc_shape_vertex(builder, nc_v3(corner.x, corner.y, i < count ? 0.5 * depth : -0.5 * depth));
    }
    if (!builder->failed)
        add_lids(builder, outline, front);
    for (int k = 0; k < outline->loops.count; k++) {
        const nc_shape_loop loop = outline->loops.data[k];
        for (int i = 0; i < loop.count; i++) {
            const int a = front + loop.first + i, b = front + loop.first + (i + 1) % loop.count;
            nc_shape_quad(builder, a, a + count, b + count, b);
        }
    }
    nc_array_free(&outline->allocator, &outline->corners);
    nc_array_free(&outline->allocator, &outline->loops);
}

// ---- bar: round ends, round holes in a row along x --------------------------------------------------------------

// The right end, a corner above each hole between the ends, the left end.
static void bar_outline(nc_shape_outline *outline, double half, double width, int holes, int pieces)
{
    const double right[2] = {-0.5 * NC_PI, 0.5 * NC_PI}, left[2] = {0.5 * NC_PI, 1.5 * NC_PI};
    const int corners = half > 0 ? pieces + 1 : pieces; // one hole: the two ends share their corners
    nc_shape_loop_begin(outline, -1);
    nc_shape_arc(outline, half, 0, 0.5 * width, right, corners, pieces);
    for (int i = holes - 2; i > 0; i--)
        nc_shape_corner(outline, half * (2.0 * i / (holes - 1) - 1), 0.5 * width);
    nc_shape_arc(outline, -half, 0, 0.5 * width, left, corners, pieces);
}

nc_code nc_shape_build_flat_bar(nc_shape_builder *builder, const double *values, nc_error *err)
{
    const double length = values[0], width = values[1], hole = values[3];
    const int holes = (int)values[4], pieces = ((int)values[5] + 1) / 2;
    const double turn[2] = {0.5 * NC_PI, -1.5 * NC_PI}, half = holes > 1 ? 0.5 * length : 0;
    if (!(2 * hole < width))
        return nc_fail(err, NC_BAD_ARGUMENT, "the holes of a bar (radius %g m) must be smaller than the bar (%g m)",
                       hole, width);
    if (holes > 1 && !(2 * hole * (holes - 1) < length))
        return nc_fail(err, NC_BAD_ARGUMENT, "%d holes of radius %g m do not fit into a bar of %g m", holes, hole,
                       length);
    nc_shape_outline outline = nc_shape_outline_begin(builder);
    bar_outline(&outline, half, width, holes, pieces);
    // From the last hole, at +x, to the first; the corner above each comes in the same order.
    for (int i = 0; i < holes; i++) {
        nc_shape_loop_begin(&outline, pieces + i);
        nc_shape_arc(&outline, holes > 1 ? half * (1 - 2.0 * i / (holes - 1)) : 0, 0, hole, turn, 2 * pieces,
                     2 * pieces);
    }
    nc_shape_extrude(builder, &outline, values[2]);
    return NC_OK;
}
