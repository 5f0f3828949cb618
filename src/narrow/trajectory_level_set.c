// A level set on a grid as a target. Within a cell the function is trilinear: it lies between the least and the largest
// of its eight samples, and its slope along an axis between those along the four edges.
#include "narrow/trajectory.h"

#define U         NC_UNIT_ROUNDOFF
#define CELLS_MAX 8 // cells along an axis that are examined one by one; larger boxes go by the slope

static size_t row_of(const nc_level_set *set, int i, int j, int k)
{
    return (size_t)i + (size_t)set->count[0] * ((size_t)j + (size_t)set->count[1] * (size_t)k);
}

static nc_vec3 far_corner(const nc_level_set *set)
{
    const double h = set->spacing;
    return nc_madd(set->origin, h, nc_v3(set->count[0] - 1, set->count[1] - 1, set->count[2] - 1));
}

// More than the rounding of places against the grid: of its far corner, of a place's index.
static double slack_of(const nc_level_set *set)
{
    return 16.0 * U * (nc_max3(set->origin) + nc_max3(far_corner(set)));
}

// ---- values -------------------------------------------------------------------------------------------------

typedef struct cell {
    int index[3];
    double part[3]; // [1] within the cell, 0 to 1
} cell;

// The cell of a place, which is moved into the grid.
static cell cell_of(const nc_level_set *set, nc_vec3 p)
{
    const nc_vec3 from = nc_sub(p, set->origin);
    const double place[3] = {from.x / set->spacing, from.y / set->spacing, from.z / set->spacing};
    cell c;
    for (int k = 0; k < 3; k++) {
        const double inside = fmax(0.0, fmin(place[k], set->count[k] - 1));
        c.index[k] = (int)fmin(floor(inside), set->count[k] - 2);
        c.part[k] = inside - c.index[k];
    }
    return c;
}

static double between(double a, double b, double s)
{
    return (1.0 - s) * a + s * b;
}

// The function of a place within the grid; that of the nearest such place elsewhere.
static double value_of(const nc_level_set *set, nc_vec3 p)
{
    const cell c = cell_of(set, p);
    double plane[2];
    for (int k = 0; k < 2; k++) {
        double line[2];
        for (int j = 0; j < 2; j++) {
            const double *v = &set->values[row_of(set, c.index[0], c.index[1] + j, c.index[2] + k)];
            line[j] = between(v[0], v[1], c.part[0]);
        }
        plane[k] = between(line[0], line[1], c.part[1]);
    }
    return between(plane[0], plane[1], c.part[2]);
}

// What the computed value is off at most: 12 u of the samples for the sums, and the slope times the place's rounding.
static double error_at(const nc_level_set *set, nc_vec3 p)
{
    return 32.0 * U * set->size + set->slope * (slack_of(set) + 8.0 * U * nc_max3(p));
}

static double outside_by(const nc_level_set *set, nc_vec3 p)
{
    const nc_vec3 inside = nc_max_v3(set->origin, nc_min_v3(far_corner(set), p));
    return nc_norm(nc_sub(p, inside));
}

// As nc_field wants it: outside the grid, what the distance from the grid allows.
static double field_value(const void *ctx, nc_vec3 p)
{
    const nc_level_set *set = ctx;
    const double outside = outside_by(set, p) - 2.0 * slack_of(set);
    const double value = value_of(set, p) - error_at(set, p);
    return outside > 0 ? fmax(value, outside * set->slope) : value;
}

// ---- the target ---------------------------------------------------------------------------------------------

typedef struct cells {
    int first[3], last[3]; // of samples
    bool few;
} cells;

// The samples of all cells that a box can reach; false when it does not reach the grid.
static bool cells_of(const nc_level_set *set, nc_box box, cells *out)
{
    const nc_vec3 low = nc_sub(box.lo, set->origin), high = nc_sub(box.hi, set->origin);
    const double lo[3] = {low.x, low.y, low.z}, hi[3] = {high.x, high.y, high.z};
    const double slack = slack_of(set) + 4.0 * U * (nc_max3(box.lo) + nc_max3(box.hi));
    out->few = true;
    for (int k = 0; k < 3; k++) {
        // The slack is at least 16 u of the grid's extent: it pays for the division as well.
        const double from = floor((lo[k] - slack) / set->spacing), end = set->count[k] - 1;
        const double to = ceil((hi[k] + slack) / set->spacing);
        if (to < 0 || from > end)
            return false;
        out->first[k] = (int)fmax(from, 0.0);
        out->last[k] = (int)fmin(to, end);
        out->few = out->few && out->last[k] - out->first[k] <= CELLS_MAX;
    }
    return true;
}

static bool all_above_zero(const nc_level_set *set, const cells *c)
{
    for (int k = c->first[2]; k <= c->last[2]; k++)
        for (int j = c->first[1]; j <= c->last[1]; j++)
            for (int i = c->first[0]; i <= c->last[0]; i++)
                if (!(set->values[row_of(set, i, j, k)] > 0))
                    return false;
    return true;
}

static bool level_set_may_intersect_box(const void *ctx, const nc_oriented_box *box)
{
    const nc_level_set *set = ctx;
    cells reached;
    if (!cells_of(set, nc_oriented_box_bounds(box), &reached))
        return false;
    // Moving the centre into the grid brings it no farther from any place of the grid.
    const double fall = (set->slope * nc_oriented_box_radius(box) + error_at(set, box->center)) * (1.0 + 8.0 * U);
    if (value_of(set, box->center) > fall)
        return false;
    return !(reached.few && all_above_zero(set, &reached));
}

static nc_verdict level_set_intersect_segment(const void *ctx, nc_vec3 from, nc_vec3 to, double precision, double *s)
{
    const nc_level_set *set = ctx;
    const nc_field field = {field_value, set, set->slope, 0};
    return nc_field_trace(&field, from, to, precision, s);
}

// The gradient of the trilinear function in the cell of p.
static nc_vec3 level_set_normal(const void *ctx, nc_vec3 p)
{
    const nc_level_set *set = ctx;
    const cell c = cell_of(set, p);
    double g[3] = {0, 0, 0};
    for (int corner = 0; corner < 8; corner++) {
        const int at[3] = {corner & 1, (corner >> 1) & 1, corner >> 2};
        const double v = set->values[row_of(set, c.index[0] + at[0], c.index[1] + at[1], c.index[2] + at[2])];
        for (int k = 0; k < 3; k++) {
            const int a = (k + 1) % 3, b = (k + 2) % 3;
            const double wa = at[a] ? c.part[a] : 1.0 - c.part[a], wb = at[b] ? c.part[b] : 1.0 - c.part[b];
            g[k] += (at[k] ? 1.0 : -1.0) * wa * wb * v;
        }
    }
    return nc_direction(nc_v3(g[0], g[1], g[2]));
}

// ---- bounds of the grid -------------------------------------------------------------------------------------

// The largest size of the differences along one axis (of given stride) over the four edges of a cell.
static double edge_slope(const double *v, const size_t stride[3], int axis)
{
    const size_t a = stride[(axis + 1) % 3], b = stride[(axis + 2) % 3], along = stride[axis];
    const double d0 = fabs(v[along] - v[0]), d1 = fabs(v[a + along] - v[a]);
    const double d2 = fabs(v[b + along] - v[b]), d3 = fabs(v[a + b + along] - v[a + b]);
    return fmax(fmax(d0, d1), fmax(d2, d3));
}

static void measure(nc_level_set *set)
{
    const size_t stride[3] = {1, (size_t)set->count[0], (size_t)set->count[0] * (size_t)set->count[1]};
    double largest = 0;
    for (int k = 0; k + 1 < set->count[2]; k++)
        for (int j = 0; j + 1 < set->count[1]; j++)
            for (int i = 0; i + 1 < set->count[0]; i++) {
                const double *v = &set->values[row_of(set, i, j, k)];
                const nc_vec3 d = nc_v3(edge_slope(v, stride, 0), edge_slope(v, stride, 1), edge_slope(v, stride, 2));
                largest = fmax(largest, nc_norm(d));
            }
    set->slope = fmax(largest / set->spacing * (1.0 + 32.0 * U), 1e-100);
}

nc_code nc_target_level_set(nc_level_set *set, nc_target *out, nc_error *err)
{
    if (!(set->spacing > 0 && set->spacing <= NC_COORDINATE_MAX) || !(nc_max3(set->origin) <= NC_COORDINATE_MAX) ||
        !nc_finite3(set->origin))
        return nc_fail(err, NC_BAD_ARGUMENT, "the grid of a level set has a spacing of %g m or an origin out of range",
                       set->spacing);
    for (int k = 0; k < 3; k++)
        if (set->count[k] < 2)
            return nc_fail(err, NC_BAD_ARGUMENT, "the grid of a level set has %d samples along an axis; it needs 2",
                           set->count[k]);
    if (set->values == NULL)
        return nc_fail(err, NC_BAD_ARGUMENT, "the grid of a level set has no values");
    const size_t total = row_of(set, set->count[0] - 1, set->count[1] - 1, set->count[2] - 1) + 1;
    set->size = 0;
    for (size_t i = 0; i < total; i++) {
        if (!(fabs(set->values[i]) <= NC_COORDINATE_MAX))
            return nc_fail(err, NC_BAD_ARGUMENT, "value %zu of a level set is %g; it must be at most 2^100 in size", i,
                           set->values[i]);
        set->size = fmax(set->size, fabs(set->values[i]));
    }
    measure(set);
    *out = (nc_target){level_set_may_intersect_box, level_set_intersect_segment, level_set_normal, set};
    return NC_OK;
}
