// Oriented boxes against points, boxes and simplices: "apart" is always a proof.
#include "narrow/trajectory.h"

#define U    NC_UNIT_ROUNDOFF
#define UP   (1.0 + 64.0 * NC_UNIT_ROUNDOFF)
#define TINY 1e-290 // more than all that products lose by underflow

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

static double axes_size(const nc_oriented_box *box)
{
    return nc_max3(box->axis[0]) + nc_max3(box->axis[1]) + nc_max3(box->axis[2]);
}

// Is [low, high] of n.(x - centre), with x - centre of coordinates up to `size`, beyond the box on either side?
// Rounding: differences u, dot products 3 u, the box's extent 6 u, all of |n|_1 times sizes: 10 u. False for NaN.
static bool beyond(const nc_oriented_box *box, nc_vec3 n, double low, double high, double size)
{
    const double reach = extent(box, n) + (16.0 * U * size1(n) * (size + axes_size(box)) + TINY);
    return low > reach || high < -reach;
}

bool nc_oriented_box_apart(const nc_oriented_box *box, nc_vec3 n, const nc_vec3 *corners, int count)
{
    double low = INFINITY, high = -INFINITY, size = 0;
    for (int i = 0; i < count; i++) {
        const nc_vec3 w = nc_sub(corners[i], box->center);
        const double d = nc_dot(n, w);
        low = d < low ? d : low;
        high = d > high ? d : high;
        size += size1(w); // a sum, so that a NaN is not lost
    }
    return beyond(box, n, low, high, size);
}

static const nc_vec3 coordinate_axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static bool apart_from_box(const nc_oriented_box *box, nc_vec3 n, const nc_box *w)
{
    const double x0 = n.x * w->lo.x, x1 = n.x * w->hi.x, y0 = n.y * w->lo.y, y1 = n.y * w->hi.y;
    const double z0 = n.z * w->lo.z, z1 = n.z * w->hi.z;
    const double low = fmin(x0, x1) + fmin(y0, y1) + fmin(z0, z1);
    const double high = fmax(x0, x1) + fmax(y0, y1) + fmax(z0, z1);
    return beyond(box, n, low, high, size1(w->lo) + size1(w->hi));
}

bool nc_oriented_box_misses_box(const nc_oriented_box *box, nc_box other)
{
    const nc_box w = {nc_sub(other.lo, box->center), nc_sub(other.hi, box->center)};
    for (int i = 0; i < 3; i++)
        if (apart_from_box(box, coordinate_axes[i], &w) || apart_from_box(box, box->axis[i], &w))
            return true;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            if (apart_from_box(box, nc_cross(coordinate_axes[i], box->axis[k]), &w))
                return true;
    return false;
}

// The directions in which a box and a simplex that do not meet are apart: the faces' and those across two edges.
bool nc_oriented_box_misses_simplex(const nc_oriented_box *box, const nc_vec3 *corners, int count)
{
    for (int k = 0; k < 3; k++)
        if (nc_oriented_box_apart(box, box->axis[k], corners, count))
            return true;
    const int edges = count == 3 ? 3 : count - 1;
    nc_vec3 edge[3];
    for (int i = 0; i < edges; i++)
        edge[i] = nc_sub(corners[(i + 1) % count], corners[i]);
    if (count == 3 && nc_oriented_box_apart(box, nc_cross(edge[0], edge[1]), corners, count))
        return true;
    for (int i = 0; i < edges; i++)
        for (int k = 0; k < 3; k++)
            if (nc_oriented_box_apart(box, nc_cross(edge[i], box->axis[k]), corners, count))
                return true;
    return false;
}
