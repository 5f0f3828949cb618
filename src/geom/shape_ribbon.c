// Ribbons swept along space curves: a bight of a reef knot, and a bowline.
//
// A knot lies in the x-z plane like its diagram, the ribbon flat, and rises and falls along y where it goes over and
// under. The curve is a uniform cubic B-spline; the ribbon's stations are evenly spaced along it.
#include "geom/shape.h"

// A control point in units of the shape's size: x, z, and the height above the plane.
typedef struct knot_point {
    double x, z, y;
} knot_point;

// One of the two bights of a reef knot, its upper half (z > 0) from the end to the turn: over the other's turn at
// x = -6, under its leg at x = 0, over both of its legs at x = 6. The other bight is this one turned about z by pi.
static const knot_point reef_half[] = {
    {-15, 1.2, 0},   {-12, 1.2, 0},  {-9, 1.2, 0}, {-7, 1.2, 0.5},  {-5, 1.2, 0.5},  {-3, 1.35, 0},
    {-1, 1.9, -0.5}, {1, 2.8, -0.5}, {3, 3.4, 0},  {4.6, 3.4, 0.5}, {6.3, 2.2, 0.5}, {6.5, 0, 0.5},
};

// The standing part comes down z and passes over the bight's turn at z = 11, makes the small ring, passes over itself
// at z = 6 and goes round the large loop; then the end comes up through the ring, round behind the standing part, and
// down through the ring again.
static const knot_point bowline_curve[] = {
    {0, 17, 0},        {0, 14, 0},        {0, 12, 0.6},       {0, 10, 0.6},       {0, 8, 0},          {0, 6.3, -0.9},
    {-0.5, 5, -1},     {-2.4, 4.2, -0.7}, {-3.6, 2.2, -0.5},  {-3, -0.2, 0},      {-1.5, -1.8, 0.5},  {0, -2.1, 0.5},
    {1.5, -1.8, 0.5},  {3, -0.2, 0},      {3.5, 2.2, -0.4},   {2.7, 4.2, -0.5},   {1, 5.8, -0.3},     {-1, 6.6, 0},
    {-3, 6.8, 0},      {-5, 6, 0},        {-6.8, 3.5, 0},     {-7.5, 0, 0},       {-7.3, -4, 0},      {-6, -8, 0},
    {-3, -11, 0},      {0, -12, 0},       {3, -11, 0},        {5, -8, 0},         {4.2, -5.5, -0.2},  {2.2, -3.5, -0.5},
    {1.3, -1.5, -0.5}, {1.2, 0.5, 0},     {1.4, 2.5, 0.5},    {1.7, 4.5, 0.7},    {2.2, 6.5, 0.7},    {2.3, 8.5, 0.3},
    {1.6, 10.6, 0},    {0, 11.6, -0.2},   {-1.6, 10.6, 0},    {-2.3, 8.5, 0.5},   {-2.1, 6.5, 0.8},   {-1.7, 4.5, 0.6},
    {-1.4, 2.5, 0.5},  {-1.2, 0.5, 0},    {-1.2, -1.5, -0.5}, {-1.2, -3.5, -0.5}, {-1.2, -5.5, -0.2}, {-1.2, -7.5, 0},
};

#define MAX_CONTROLS 64
#define FINENESS     32 // chords per piece of the spline

typedef struct ribbon {
    double size, width; // [m]
    int segments, strips;
    int count; // of controls
    nc_vec3 control[MAX_CONTROLS + 2];
} ribbon;

// The end points are mirrored, so that the curve goes through them.
static void set_ends(ribbon *r)
{
    nc_vec3 *c = r->control;
    c[0] = nc_sub(nc_scale(2, c[1]), c[2]);
    c[r->count + 1] = nc_sub(nc_scale(2, c[r->count]), c[r->count - 1]);
}

static void add_control(ribbon *r, knot_point p, double side)
{
    r->control[++r->count] = nc_scale(r->size, nc_v3(p.x, p.y, side * p.z));
}

// Point k of the fine polygon, 0 .. (count - 1) FINENESS.
static nc_vec3 curve_point(const ribbon *r, int k)
{
    int piece = k / FINENESS;
    double t = (double)(k % FINENESS) / FINENESS;
    if (piece > r->count - 2) {
        piece = r->count - 2;
        t = 1;
    }
    const nc_vec3 *c = &r->control[piece];
    const double u = 1 - t;
    const double weight[4] = {u * u * u / 6, (3 * t * t * t - 6 * t * t + 4) / 6, (3 * u * u * u - 6 * u * u + 4) / 6,
                              t * t * t / 6};
    nc_vec3 sum = nc_scale(weight[0], c[0]);
    for (int i = 1; i < 4; i++)
        sum = nc_madd(sum, weight[i], c[i]);
    return sum;
}

static double chord(const ribbon *r, int k)
{
    const nc_vec3 d = nc_sub(curve_point(r, k + 1), curve_point(r, k));
    return sqrt(nc_dot(d, d));
}

// Across the ribbon, in the plane of the diagram.
static nc_vec3 across(const nc_vec3 *stations, int i, int last)
{
    const nc_vec3 d = nc_sub(stations[i < last ? i + 1 : last], stations[i > 0 ? i - 1 : 0]);
    const double length = sqrt(d.x * d.x + d.z * d.z);
    return nc_v3(-d.z / length, 0, d.x / length);
}

static void find_stations(const ribbon *r, nc_vec3 *stations)
{
    const int chords = (r->count - 1) * FINENESS;
    double length = 0, before = 0;
    for (int k = 0; k < chords; k++)
        length += chord(r, k);
    int k = 0;
    for (int i = 0; i <= r->segments; i++) {
        const double at = length * i / r->segments;
        while (k < chords - 1 && before + chord(r, k) < at)
            before += chord(r, k++);
        const nc_vec3 a = curve_point(r, k), b = curve_point(r, k + 1);
        const double part = fmin(1, (at - before) / chord(r, k));
        stations[i] = nc_madd(a, part, nc_sub(b, a));
    }
}

// A grid of cells whose diagonals alternate, so that no direction is stiffer: row i starts at vertex i (columns + 1).
static void fill_grid(nc_shape_builder *builder, int rows, int columns)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            const int a = i * (columns + 1) + j, b = a + columns + 1;
            if ((i + j) % 2 == 0)
                nc_shape_quad(builder, a, a + 1, b + 1, b);
            else
                nc_shape_quad(builder, a + 1, b + 1, b, a);
        }
}

static nc_code sweep(nc_shape_builder *builder, ribbon *r, nc_error *err)
{
    const size_t count = (size_t)r->segments + 1;
    nc_vec3 *stations = nc_alloc(&builder->allocator, count, sizeof *stations);
    if (stations == NULL)
        return nc_fail_memory(err, count * sizeof *stations);
    set_ends(r);
    find_stations(r, stations);
    for (int i = 0; i <= r->segments; i++) {
        const nc_vec3 side = across(stations, i, r->segments);
        for (int j = 0; j <= r->strips; j++)
            nc_shape_vertex(builder, nc_madd(stations[i], r->width * ((double)j / r->strips - 0.5), side));
    }
    fill_grid(builder, r->segments, r->strips);
    nc_free(&builder->allocator, stations, count, sizeof *stations);
    return NC_OK;
}

static ribbon ribbon_of(const double *values)
{
    return (ribbon){.size = values[0], .width = values[1], .segments = (int)values[2], .strips = (int)values[3]};
}

nc_code nc_shape_build_reef_bight(nc_shape_builder *builder, const double *values, nc_error *err)
{
    ribbon r = ribbon_of(values);
    enum { HALF = (int)(sizeof reef_half / sizeof reef_half[0]) };
    if (!(r.width <= 1.6 * r.size))
        return nc_fail(err, NC_BAD_ARGUMENT,
                       "a reef_bight %g m wide of size %g m intersects the other bight: at most %g m", r.width, r.size,
                       1.6 * r.size);
    for (int i = 0; i < HALF; i++)
        add_control(&r, reef_half[i], 1);
    for (int i = HALF - 2; i >= 0; i--)
        add_control(&r, reef_half[i], -1);
    return sweep(builder, &r, err);
}

nc_code nc_shape_build_bowline(nc_shape_builder *builder, const double *values, nc_error *err)
{
    ribbon r = ribbon_of(values);
    if (!(r.width <= 1.2 * r.size))
        return nc_fail(err, NC_BAD_ARGUMENT, "a bowline %g m wide of size %g m intersects itself: at most %g m",
                       r.width, r.size, 1.2 * r.size);
    for (size_t i = 0; i < sizeof bowline_curve / sizeof bowline_curve[0]; i++)
        add_control(&r, bowline_curve[i], 1);
    return sweep(builder, &r, err);
}

nc_code nc_shape_build_sheet(nc_shape_builder *builder, const double *values, nc_error *err)
{
    (void)err;
    const double width = values[1] > 0 ? values[1] : values[0], depth = values[2] > 0 ? values[2] : values[0];
    const int columns = (int)values[3], rows = (int)values[4];
    for (int i = 0; i <= columns; i++)
        for (int j = 0; j <= rows; j++)
            nc_shape_vertex(builder, nc_v3(width * ((double)i / columns - 0.5), 0, depth * ((double)j / rows - 0.5)));
    fill_grid(builder, columns, rows);
    return NC_OK;
}
