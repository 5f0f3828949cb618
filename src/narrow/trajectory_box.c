// Oriented boxes against points, boxes and simplices: "apart" is always a proof.
#include "narrow/trajectory.h"

#define U    NC_UNIT_ROUNDOFF
#define UP   (1.0 + 64.0 * NC_UNIT_ROUNDOFF)
#define TINY 1e-290 // more than all that products lose by underflow

// Of |n|_1 and the sizes involved: differences and halves 3 u, dot products 3 u, extents 6 u, their sums 2 u.
#define ROUNDING (24.0 * U)

nc_vec3 nc_direction(nc_vec3 v)
{
    const double size = nc_max3(v);
    if (!(size > 1e-290 && size < INFINITY))
        return nc_v3(0, 0, 0);
    const nc_vec3 scaled = nc_v3(v.x / size, v.y / size, v.z / size);
    const double length = nc_norm(scaled);
    return nc_v3(scaled.x / length, scaled.y / length, scaled.z / length);
}

nc_box nc_oriented_box_bounds(const nc_oriented_box *box)
{
    const nc_vec3 c = box->center, *a = box->axis;
    nc_vec3 e = nc_v3(fabs(a[0].x) + fabs(a[1].x) + fabs(a[2].x), fabs(a[0].y) + fabs(a[1].y) + fabs(a[2].y),
                      fabs(a[0].z) + fabs(a[1].z) + fabs(a[2].z));
    const double slack = 8.0 * U * (nc_max3(c) + nc_max3(e)) + TINY;
    e = nc_add(e, nc_v3(slack, slack, slack));
    const nc_box bounds = {nc_sub(c, e), nc_add(c, e)};
    return bounds;
}

// |sum of s_k a_k|^2 is at most the sum of |a_k|^2 and of 2 |a_j . a_k|.
double nc_oriented_box_radius(const nc_oriented_box *box)
{
    const nc_vec3 *a = box->axis;
    const double squares = nc_norm2(a[0]) + nc_norm2(a[1]) + nc_norm2(a[2]);
    const double products = fabs(nc_dot(a[0], a[1])) + fabs(nc_dot(a[1], a[2])) + fabs(nc_dot(a[2], a[0]));
    // The dot products are off by 3 u of the sizes, which the squares bound.
    return sqrt(squares * (1.0 + 32.0 * U) + 2.0 * products) * UP + 1e-150;
}

static double size1(nc_vec3 n)
{
    return fabs(n.x) + fabs(n.y) + fabs(n.z);
}

// The largest n.x over the box about its centre.
static double extent(const nc_oriented_box *box, nc_vec3 n)
{
    return fabs(nc_dot(n, box->axis[0])) + fabs(nc_dot(n, box->axis[1])) + fabs(nc_dot(n, box->axis[2]));
}

// The coordinate axes, the box's axes, and across one of each: enough to tell two boxes apart.
void nc_box_test_prepare(nc_box_test *test, const nc_oriented_box *box)
{
    static const nc_vec3 coordinate[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    test->box = *box;
    test->size = nc_max3(box->axis[0]) + nc_max3(box->axis[1]) + nc_max3(box->axis[2]);
    for (int i = 0; i < 3; i++) {
        test->direction[i] = coordinate[i];
        test->direction[3 + i] = box->axis[i];
        for (int k = 0; k < 3; k++)
            test->direction[6 + 3 * i + k] = nc_cross(coordinate[i], box->axis[k]);
    }
    for (int i = 0; i < NC_BOX_DIRECTIONS; i++) {
        test->extent[i] = extent(box, test->direction[i]) + TINY;
        test->slack[i] = ROUNDING * size1(test->direction[i]);
    }
}

// With t and h the middle and half the size of the other box, relative to the centre: apart along n if |n.t| exceeds
// the box's extent and |n|.h.
bool nc_box_test_misses_box(const nc_box_test *test, nc_box other)
{
    const nc_vec3 low = nc_sub(other.lo, test->box.center), high = nc_sub(other.hi, test->box.center);
    const nc_vec3 t = nc_scale(0.5, nc_add(low, high)), h = nc_scale(0.5, nc_sub(high, low));
    const double size = size1(low) + size1(high) + test->size; // sums, so that a NaN is not lost
    for (int i = 0; i < NC_BOX_DIRECTIONS; i++) {
        const nc_vec3 n = test->direction[i];
        const double reach = fabs(n.x) * h.x + fabs(n.y) * h.y + fabs(n.z) * h.z;
        if (fabs(nc_dot(n, t)) > reach + test->extent[i] + test->slack[i] * size)
            return true;
    }
    return false;
}

// Is every w on one side of the box, along n? False for NaN.
static bool beyond(nc_vec3 n, double reach, const nc_vec3 *w, int count)
{
    bool above = true, below = true;
    for (int i = 0; i < count; i++) {
        const double d = nc_dot(n, w[i]);
        above = above && d > reach;
        below = below && d < -reach;
    }
    return above || below;
}

static bool apart_along(const nc_box_test *test, nc_vec3 n, double size, const nc_vec3 *w, int count)
{
    return beyond(n, extent(&test->box, n) + (ROUNDING * size1(n) * size + TINY), w, count);
}

// Besides the coordinate axes, which are cheap: the faces' normals and those across two edges, which are enough.
bool nc_box_test_misses_simplex(const nc_box_test *test, const nc_vec3 *corners, int count)
{
    nc_vec3 w[3], edge[3];
    double size = test->size;
    for (int i = 0; i < count; i++) {
        w[i] = nc_sub(corners[i], test->box.center);
        size += size1(w[i]);
    }
    for (int i = 0; i < 6; i++)
        if (beyond(test->direction[i], test->extent[i] + test->slack[i] * size, w, count))
            return true;
    const int edges = count == 3 ? 3 : count - 1;
    for (int i = 0; i < edges; i++)
        edge[i] = nc_sub(w[(i + 1) % count], w[i]);
    if (count == 3 && apart_along(test, nc_cross(edge[0], edge[1]), size, w, count))
        return true;
    for (int i = 0; i < edges; i++)
        for (int k = 0; k < 3; k++)
            if (apart_along(test, nc_cross(edge[i], test->box.axis[k]), size, w, count))
                return true;
    return false;
}
