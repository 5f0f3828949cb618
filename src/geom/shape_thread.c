// Screw threads about the y axis: a bolt, and the nut for it. Right-handed, with nearly square flanks.
//
// Rows of vertices follow the helix: column k is row by row higher than column 0 by pitch k / segments, and column
// `segments` is column 0 itself, one turn of rows further up. So every edge of the thread is one unbroken line. At both
// ends the surface is a ramp of one turn and, above column 0, a step.
#include "geom/shape.h"

#define TURN_ROWS   4   // root, crest, crest, root
#define FLANK_SLOPE 0.1 // [1] height of a flank along y, as a part of the depth: 6 degrees
#define CAP_HEIGHT  0.3 // [pitch] of the point on the axis from which a bolt's step is seen without overlap

typedef struct thread {
    int segments, rows; // rows of every column but column 0, which has TURN_ROWS more
    double pitch;       // [m]
    double root, crest; // [m] radii
    double width;       // [m] along y, at the crest
    double flank;       // [m] height along y
    double low;         // [m] half a pitch below the middle of the first crest, in column 0
    int first;          // its first vertex
} thread;

static double row_height(const thread *t, int row)
{
    const double edge = 0.5 * (t->pitch - t->width) - t->flank,
                 at[TURN_ROWS] = {edge, edge + t->flank, edge + t->flank + t->width, edge + 2 * t->flank + t->width};
    return t->low + t->pitch * (row / TURN_ROWS) + at[row % TURN_ROWS];
}

static nc_vec3 on_helix(const thread *t, int column, double radius, double height)
{
    double sine, cosine;
    nc_sincos(2 * NC_PI * column / t->segments, &sine, &cosine);
    return nc_v3(radius * cosine, height + t->pitch * column / t->segments, -radius * sine);
}

// The vertex of a row; column `segments` is column 0.
static int thread_vertex(const thread *t, int column, int row)
{
    if (column == t->segments)
        return t->first + row + TURN_ROWS;
    return t->first + column * t->rows + row + (column > 0 ? TURN_ROWS : 0);
}

static void add_rows(nc_shape_builder *builder, thread *t)
{
    t->first = builder->vertices.count;
    for (int k = 0; k < t->segments; k++)
        for (int j = 0; j < t->rows + (k == 0 ? TURN_ROWS : 0); j++) {
            const int phase = j % TURN_ROWS;
            nc_shape_vertex(builder, on_helix(t, k, phase == 1 || phase == 2 ? t->crest : t->root, row_height(t, j)));
        }
}

// The surface between the rows, its front away from the axis or, inside a nut, towards it.
static void add_surface(nc_shape_builder *builder, const thread *t, bool inward)
{
    for (int k = 0; k < t->segments; k++)
        for (int j = 0; j + 1 < t->rows; j++) {
            const int a = thread_vertex(t, k, j), b = thread_vertex(t, k + 1, j);
            const int c = thread_vertex(t, k + 1, j + 1), d = thread_vertex(t, k, j + 1);
            if (inward)
                nc_shape_quad(builder, a, d, c, b);
            else
                nc_shape_quad(builder, a, b, c, d);
        }
}

// The thread with `turns` turns. The middle of a crest is at y = 0 in column 0, whatever their number.
static thread make_thread(const double *values, double turns)
{
    const double radius = values[0], depth = values[1], pitch = values[2], flank = FLANK_SLOPE * depth;
    thread t = {.pitch = pitch, .root = radius - depth, .crest = radius, .flank = flank};
    t.rows = (int)turns * TURN_ROWS + 1;
    t.width = 0.5 * pitch - flank;
    t.low = -pitch * (floor(0.5 * turns) + 0.5);
    return t;
}

static nc_code check_thread(const double *values, nc_error *err)
{
    if (!(values[1] < values[0]) || !(values[1] * FLANK_SLOPE < 0.2 * values[2]))
        return nc_fail(err, NC_BAD_ARGUMENT,
                       "a thread %g m deep needs a larger radius than that, and a pitch of more than half of it",
                       values[1]);
    return NC_OK;
}

// ---- bolt -------------------------------------------------------------------------------------------------------

// One end: a fan about a point of the axis.
static void add_fan(nc_shape_builder *builder, const thread *t, int row, bool top)
{
    const double height = row_height(t, row) + CAP_HEIGHT * t->pitch;
    const int middle = nc_shape_vertex(builder, nc_v3(0, height, 0));
    for (int k = 0; k < t->segments + TURN_ROWS; k++) { // along the ramp, then down the step
        const int step = k - t->segments;
        const int a = step < 0 ? thread_vertex(t, k, row) : t->first + row + TURN_ROWS - step;
        const int b = step < 0 ? thread_vertex(t, k + 1, row) : a - 1;
        nc_shape_triangle(builder, middle, top ? a : b, top ? b : a);
    }
}

nc_code nc_shape_build_bolt(nc_shape_builder *builder, const double *values, nc_error *err)
{
    const nc_code code = check_thread(values, err);
    if (code != NC_OK)
        return code;
    thread t = make_thread(values, values[3]);
    t.segments = (int)values[4];
    add_rows(builder, &t);
    add_surface(builder, &t, false);
    add_fan(builder, &t, 0, false);
    add_fan(builder, &t, t.rows - 1, true);
    return NC_OK;
}

// ---- nut --------------------------------------------------------------------------------------------------------

// The round outside: a row per turn. Its columns are numbered like those of the thread.
typedef struct rim {
    int first, rows;
} rim;

static int rim_vertex(const rim *r, int segments, int column, int row)
{
    if (column == segments)
        return r->first + row + 1;
    return r->first + column * r->rows + row + (column > 0);
}

static rim add_rim(nc_shape_builder *builder, const thread *t, double radius)
{
    const rim r = {builder->vertices.count, (t->rows - 1) / TURN_ROWS + 1};
    for (int k = 0; k < t->segments; k++)
        for (int j = 0; j < r.rows + (k == 0); j++)
            nc_shape_vertex(builder, on_helix(t, k, radius, row_height(t, j * TURN_ROWS)));
    for (int k = 0; k < t->segments; k++)
        for (int j = 0; j + 1 < r.rows; j++)
            nc_shape_quad(builder, rim_vertex(&r, t->segments, k, j), rim_vertex(&r, t->segments, k + 1, j),
                          rim_vertex(&r, t->segments, k + 1, j + 1), rim_vertex(&r, t->segments, k, j + 1));
    return r;
}

// The triangle a, b, c, turned over unless `as_it_is`.
static void add_face(nc_shape_builder *builder, bool as_it_is, int a, int b, int c)
{
    nc_shape_triangle(builder, a, as_it_is ? b : c, as_it_is ? c : b);
}

// One end of the nut between the thread's row and the rim's: the ramp, and the step over column 0.
static void add_nut_end(nc_shape_builder *builder, const thread *t, const rim *r, int turn)
{
    const bool top = turn > 0;
    const int n = t->segments, row = turn * TURN_ROWS;
    for (int k = 0; k < n; k++) {
        const int a = thread_vertex(t, k, row), b = thread_vertex(t, k + 1, row);
        const int c = rim_vertex(r, n, k + 1, turn), d = rim_vertex(r, n, k, turn);
        add_face(builder, top, a, d, c);
        add_face(builder, top, a, c, b);
    }
    const int low = rim_vertex(r, n, 0, turn), high = rim_vertex(r, n, n, turn), in = t->first + row;
    add_face(builder, !top, low, high, in + 2);
    add_face(builder, !top, low, in + 2, in + 1);
    add_face(builder, !top, low, in + 1, in);
    add_face(builder, !top, high, in + 4, in + 3);
    add_face(builder, !top, high, in + 3, in + 2);
}

nc_code nc_shape_build_nut(nc_shape_builder *builder, const double *values, nc_error *err)
{
    const double gap = values[4], clearance = values[5], wall = values[6];
    const nc_code code = check_thread(values, err);
    if (code != NC_OK)
        return code;
    thread t = make_thread(values, values[3]);
    // `gap` along y between flanks, also where the flanks have moved out with the clearance
    t.width += 2 * (gap - FLANK_SLOPE * clearance);
    t.root += clearance;
    t.crest += clearance;
    t.segments = (int)values[7];
    if (!(t.width > 0) || !(t.width + 2 * t.flank < t.pitch))
        return nc_fail(err, NC_BAD_ARGUMENT, "gaps of %g m and %g m leave no thread of pitch %g m", gap, clearance,
                       values[2]);
    add_rows(builder, &t);
    add_surface(builder, &t, true);
    const rim r = add_rim(builder, &t, t.crest + wall);
    add_nut_end(builder, &t, &r, 0);
    add_nut_end(builder, &t, &r, (t.rows - 1) / TURN_ROWS);
    return NC_OK;
}
