// Solids made of primitives as a target. csg_field.c has their functions, all of slope at most 1.
#include "narrow/csg.h"

// ---- the target ---------------------------------------------------------------------------------------------

static bool csg_may_intersect_box(const void *ctx, const nc_oriented_box *box)
{
    return !(nc_csg_over_box(ctx, box).low > 0);
}

static double csg_value(const void *ctx, nc_vec3 p)
{
    const nc_oriented_box point = {.center = p};
    return nc_csg_over_box(ctx, &point).low;
}

static nc_verdict csg_intersect_segment(const void *ctx, nc_vec3 from, nc_vec3 to, double precision, double *s)
{
    const nc_field field = {csg_value, ctx, 1.0, 0};
    return nc_field_trace(&field, from, to, precision, s);
}

static nc_vec3 csg_normal(const void *ctx, nc_vec3 p)
{
    return nc_direction(nc_csg_at(ctx, p).gradient);
}

// ---- checks -------------------------------------------------------------------------------------------------

static nc_code check_primitive(const nc_csg_node *node, int row, nc_error *err)
{
    const double q2 = nc_quat_norm2(node->pose.q);
    if (!nc_finite3(node->pose.x) || nc_max3(node->pose.x) > NC_COORDINATE_MAX || !(q2 > 0x1p-200 && q2 < INFINITY))
        return nc_fail(err, NC_BAD_ARGUMENT, "the pose of solid %d is not finite, too far away or no rotation", row);
    const nc_vec3 s = node->size;
    const bool sized = node->kind != NC_CSG_HALF_SPACE, positive = node->kind == NC_CSG_GYROID;
    const bool low = s.x < 0 || s.y < 0 || s.z < 0 || (positive && !(s.x > 0));
    if (!nc_finite3(s) || nc_max3(s) > NC_COORDINATE_MAX || (sized && low))
        return nc_fail(err, NC_BAD_ARGUMENT, "solid %d has the size (%g, %g, %g) m; sizes are 0 to 2^100 m", row, s.x,
                       s.y, s.z);
    return NC_OK;
}

static nc_code check_node(const nc_csg *csg, int row, nc_error *err)
{
    const nc_csg_node *node = &csg->nodes[row];
    if ((int)node->kind < 0 || node->kind > NC_CSG_DIFFERENCE)
        return nc_fail(err, NC_BAD_ARGUMENT, "solid %d is of the unknown kind %d", row, (int)node->kind);
    if (node->kind < NC_CSG_UNION)
        return check_primitive(node, row, err);
    if (!nc_finite3(node->size) || node->size.x < 0 || node->size.x > NC_COORDINATE_MAX)
        return nc_fail(err, NC_BAD_ARGUMENT, "the blend of solid %d is %g m; it is 0 to 2^100 m", row, node->size.x);
    if (node->a < 0 || node->a >= row || node->b < 0 || node->b >= row)
        return nc_fail(err, NC_BAD_ARGUMENT, "solid %d is made of solids %d and %d; only earlier ones are allowed", row,
                       node->a, node->b);
    return NC_OK;
}

nc_code nc_target_csg(const nc_csg *csg, nc_target *out, nc_error *err)
{
    if (csg->count < 1 || csg->count > NC_CSG_MAX)
        return nc_fail(err, NC_BAD_ARGUMENT, "there are %d solids; 1 to %d are allowed", csg->count, NC_CSG_MAX);
    for (int i = 0; i < csg->count; i++) {
        const nc_code code = check_node(csg, i, err);
        if (code != NC_OK)
            return code;
    }
    *out = (nc_target){csg_may_intersect_box, csg_intersect_segment, csg_normal, csg};
    return NC_OK;
}
