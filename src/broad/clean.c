// Boxes of any doubles become boxes that a tree can hold.
#include "broad/tree.h"

static bool has_nan(nc_vec3 v)
{
    return isnan(v.x) || isnan(v.y) || isnan(v.z);
}

nc_box nc_broad_clean(nc_box box)
{
    if (has_nan(box.lo) || has_nan(box.hi))
        return (nc_box){nc_v3(-INFINITY, -INFINITY, -INFINITY), nc_v3(INFINITY, INFINITY, INFINITY)};
    const bool full = box.lo.x <= box.hi.x && box.lo.y <= box.hi.y && box.lo.z <= box.hi.z;
    return full ? box : nc_box_empty();
}

// Not NaN: x is not, and the origin and the scale are finite, the scale above 0.
static float round_coordinate(double x, double origin, double scale)
{
    const double limit = (double)FLOAT_LIMIT;
    double y = (x - origin) * scale;
    y = y < limit ? y : limit;
    y = y > -limit ? y : -limit;
    return (float)y;
}

tree_ref nc_broad_round(const float_frame *f, const nc_box *box)
{
    if (nc_broad_is_empty(box))
        return (tree_ref){{FLOAT_EMPTY, FLOAT_EMPTY, FLOAT_EMPTY, 0}, {-FLOAT_EMPTY, -FLOAT_EMPTY, -FLOAT_EMPTY, 0}};
    return (tree_ref){
        {round_coordinate(box->lo.x, f->origin.x, f->scale), round_coordinate(box->lo.y, f->origin.y, f->scale),
         round_coordinate(box->lo.z, f->origin.z, f->scale), 0},
        {round_coordinate(box->hi.x, f->origin.x, f->scale), round_coordinate(box->hi.y, f->origin.y, f->scale),
         round_coordinate(box->hi.z, f->origin.z, f->scale), 0}};
}

// ---- where floats are fine enough ---------------------------------------------------------------------------

static void insert_sorted(double *values, int count, double value)
{
    int i = count;
    for (; i > 0 && values[i - 1] > value; i--)
        values[i] = values[i - 1];
    values[i] = value;
}

static bool is_finite_box(const nc_box *box)
{
    return isfinite(box->lo.x) && isfinite(box->lo.y) && isfinite(box->lo.z) && isfinite(box->hi.x) &&
           isfinite(box->hi.y) && isfinite(box->hi.z);
}

// The origin is the median of the centres of a sample, the scale makes the distance of their quartiles about 1: a few
// huge or far boxes among many do not cost the others their digits.
float_frame nc_broad_choose_frame(const nc_box *boxes, int count)
{
    double center[3][NC_EFFORT_TREE_SAMPLES], size[NC_EFFORT_TREE_SAMPLES];
    const int stride = count / NC_EFFORT_TREE_SAMPLES + 1;
    int used = 0;
    for (int i = 0; i < count && used < NC_EFFORT_TREE_SAMPLES; i += stride) {
        const nc_box *box = &boxes[i];
        if (!is_finite_box(box))
            continue;
        insert_sorted(center[0], used, 0.5 * box->lo.x + 0.5 * box->hi.x);
        insert_sorted(center[1], used, 0.5 * box->lo.y + 0.5 * box->hi.y);
        insert_sorted(center[2], used, 0.5 * box->lo.z + 0.5 * box->hi.z);
        insert_sorted(size, used, nc_max3(nc_sub(nc_scale(0.5, box->hi), nc_scale(0.5, box->lo))));
        used++;
    }
    if (used == 0)
        return (float_frame){nc_v3(0, 0, 0), 1};
    double unit = size[used / 2];
    for (int k = 0; k < 3; k++)
        unit = fmax(unit, 0.5 * center[k][3 * used / 4] - 0.5 * center[k][used / 4]);
    int exponent = 0;
    frexp(unit, &exponent);
    exponent = exponent > 1000 ? 1000 : exponent < -1000 ? -1000 : exponent;
    return (float_frame){nc_v3(center[0][used / 2], center[1][used / 2], center[2][used / 2]),
                         unit > 0 ? ldexp(1, -exponent) : 1};
}
