#include "cloth/gap.h"

static void point_triangle(const nc_vec3 x[4], double w[4])
{
    double b[3];
    nc_nearest_on_triangle(x[0], x + 1, b);
    w[0] = 1;
    for (int k = 0; k < 3; k++)
        w[k + 1] = -b[k];
}

static void segment_segment(const nc_vec3 x[4], double w[4])
{
    double s, t;
    nc_nearest_on_segments(x, x + 2, &s, &t);
    w[0] = 1 - s;
    w[1] = s;
    w[2] = t - 1;
    w[3] = -t;
}

nc_cloth_gap nc_cloth_gap_of(nc_cloth_pair_kind kind, const nc_vec3 x[4])
{
    nc_cloth_gap gap = {.w = {1, -1, 0, 0}};
    nc_vec3 d;
    if (kind == NC_CLOTH_VERTEX_TRIANGLE) {
        point_triangle(x, gap.w);
        // Relative to the vertex: far from the origin that keeps the digits.
        d = nc_scale(-gap.w[1], nc_sub(x[0], x[1]));
        d = nc_madd(d, -gap.w[2], nc_sub(x[0], x[2]));
        d = nc_madd(d, -gap.w[3], nc_sub(x[0], x[3]));
    } else if (kind == NC_CLOTH_EDGE_EDGE) {
        segment_segment(x, gap.w);
        d = nc_sub(x[0], x[2]);
        d = nc_madd(d, gap.w[1], nc_sub(x[1], x[0]));
        d = nc_madd(d, gap.w[3], nc_sub(x[3], x[2]));
    } else {
        d = nc_sub(x[0], x[1]);
    }
    gap.distance = nc_norm(d);
    gap.n = nc_scale(1 / gap.distance, d);
    return gap;
}
