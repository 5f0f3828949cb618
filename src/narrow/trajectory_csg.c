// Solids made of primitives as a target. Every solid is where a function is at most 0:
//   sphere |x| - r, half-space z, box max(|x_k| - h_k), cylinder max(|(x, y)| - r, |z| - h),
//   a or b: min(f, g);  a and b: max(f, g);  a without the inside of b: max(f, -g).
// Over a box each primitive gets a lower and an upper bound; the operations are monotone in both. All these functions
// have slope 1.
#include "narrow/trajectory.h"

#define U  NC_UNIT_ROUNDOFF
#define UP (1.0 + 64.0 * NC_UNIT_ROUNDOFF)

typedef struct range {
    double low, high;
} range;

static range larger(range a, range b)
{
    const range r = {fmax(a.low, b.low), fmax(a.high, b.high)};
    return r;
}

static range smaller(range a, range b)
{
    const range r = {fmin(a.low, b.low), fmin(a.high, b.high)};
    return r;
}

static range negative(range a)
{
    const range r = {-a.high, -a.low};
    return r;
}

static range less(range a, double by)
{
    const range r = {a.low - by, a.high - by};
    return r;
}

// ---- primitives ---------------------------------------------------------------------------------------------

// A box in the frame of a primitive. What its rounding and that of all that follows comes to is in `slack`.
static nc_oriented_box in_frame(const nc_csg_node *node, const nc_oriented_box *box, double *slack)
{
    const nc_mat3 turn = nc_quat_matrix(node->pose.q);
    nc_oriented_box local = {.center = nc_mat3_tmul(turn, nc_sub(box->center, node->pose.x))};
    double size = nc_max3(box->center) + nc_max3(node->pose.x) + nc_max3(node->size);
    for (int k = 0; k < 3; k++) {
        local.axis[k] = nc_mat3_tmul(turn, box->axis[k]);
        size += nc_max3(box->axis[k]);
    }
    *slack = 512.0 * U * size + 1e-150;
    return local;
}

// Of |x| along an axis, where the centre is at c and the half axes reach to a0, a1, a2.
static range along(double c, double a0, double a1, double a2)
{
    const double reach = fabs(a0) + fabs(a1) + fabs(a2);
    const range r = {fmax(fabs(c) - reach, 0.0), fabs(c) + reach};
    return r;
}

// The point of the box nearest the origin, nearly (exactly so for orthogonal axes).
static nc_vec3 nearest_to_origin(const nc_oriented_box *box)
{
    nc_vec3 p = box->center;
    for (int k = 0; k < 3; k++) {
        const double square = nc_norm2(box->axis[k]);
        const double s = square > 0 ? -nc_dot(box->center, box->axis[k]) / square : 0;
        p = nc_madd(p, fmax(-1.0, fmin(s, 1.0)), box->axis[k]);
    }
    return p;
}

// Of the distance from the origin. Any unit vector n bounds it from below: |x| >= n.x >= n.c - sum of |n.a_k|.
static range distance(const nc_oriented_box *box)
{
    const double center = nc_norm(box->center), radius = nc_oriented_box_radius(box);
    range r = {center - radius, center + radius};
    const nc_vec3 n = nc_direction(nearest_to_origin(box)), *a = box->axis;
    if (nc_max3(n) > 0) {
        const double reach = fabs(nc_dot(n, a[0])) + fabs(nc_dot(n, a[1])) + fabs(nc_dot(n, a[2]));
        r.low = fmax(r.low, nc_dot(n, box->center) - reach);
    }
    r.low = fmax(r.low, 0.0);
    return r;
}

static range distance_from_z_axis(nc_oriented_box box)
{
    box.center.z = 0;
    for (int k = 0; k < 3; k++)
        box.axis[k].z = 0;
    return distance(&box);
}

static range primitive(const nc_csg_node *node, const nc_oriented_box *world)
{
    double slack;
    const nc_oriented_box box = in_frame(node, world, &slack);
    const nc_vec3 c = box.center, *a = box.axis;
    const range z = along(c.z, a[0].z, a[1].z, a[2].z);
    range r = {0, 0};
    if (node->kind == NC_CSG_SPHERE)
        r = less(distance(&box), node->size.x);
    if (node->kind == NC_CSG_HALF_SPACE) {
        const double reach = fabs(a[0].z) + fabs(a[1].z) + fabs(a[2].z);
        r = (range){c.z - reach, c.z + reach};
    }
    if (node->kind == NC_CSG_BOX) {
        const range x = along(c.x, a[0].x, a[1].x, a[2].x), y = along(c.y, a[0].y, a[1].y, a[2].y);
        r = larger(larger(less(x, node->size.x), less(y, node->size.y)), less(z, node->size.z));
    }
    if (node->kind == NC_CSG_CYLINDER)
        r = larger(less(distance_from_z_axis(box), node->size.x), less(z, node->size.z));
    r.low -= slack;
    r.high += slack;
    return r;
}

static range whole(const nc_csg *csg, const nc_oriented_box *box)
{
    range r[NC_CSG_MAX];
    for (int i = 0; i < csg->count; i++) {
        const nc_csg_node *node = &csg->nodes[i];
        if (node->kind < NC_CSG_UNION)
            r[i] = primitive(node, box);
        else if (node->kind == NC_CSG_UNION)
            r[i] = smaller(r[node->a], r[node->b]);
        else
            r[i] = larger(r[node->a], node->kind == NC_CSG_INTERSECTION ? r[node->b] : negative(r[node->b]));
    }
    return r[csg->count - 1];
}

// ---- the target ---------------------------------------------------------------------------------------------

static bool csg_may_intersect_box(const void *ctx, const nc_oriented_box *box)
{
    return !(whole(ctx, box).low > 0);
}

static double csg_value(const void *ctx, nc_vec3 p)
{
    const nc_oriented_box point = {.center = p};
    return whole(ctx, &point).low;
}

static nc_verdict csg_intersect_segment(const void *ctx, nc_vec3 from, nc_vec3 to, double precision, double *s)
{
    const nc_field field = {csg_value, ctx, 1.0, 0};
    return nc_field_trace(&field, from, to, precision, s);
}

static nc_vec3 axis_direction(nc_vec3 p, int k)
{
    const double x[3] = {p.x, p.y, p.z};
    const double sign = x[k] < 0 ? -1.0 : 1.0;
    return nc_v3(k == 0 ? sign : 0, k == 1 ? sign : 0, k == 2 ? sign : 0);
}

// The gradient of a primitive's function at p, in the primitive's frame.
static nc_vec3 gradient(const nc_csg_node *node, nc_vec3 p)
{
    const nc_vec3 h = node->size;
    if (node->kind == NC_CSG_SPHERE)
        return nc_direction(p);
    if (node->kind == NC_CSG_HALF_SPACE)
        return nc_v3(0, 0, 1);
    if (node->kind == NC_CSG_CYLINDER) {
        const double radial = sqrt(p.x * p.x + p.y * p.y) - h.x;
        return radial >= fabs(p.z) - h.z ? nc_direction(nc_v3(p.x, p.y, 0)) : axis_direction(p, 2);
    }
    const double x = fabs(p.x) - h.x, y = fabs(p.y) - h.y, z = fabs(p.z) - h.z;
    return axis_direction(p, x >= y && x >= z ? 0 : y >= z ? 1 : 2);
}

// Which primitive decides the value at a place, and with which sign.
typedef struct decider {
    double value;
    int row;
    double sign;
} decider;

static decider decide(const nc_csg_node *node, const decider *rows)
{
    const decider a = rows[node->a];
    decider b = rows[node->b];
    if (node->kind == NC_CSG_DIFFERENCE) {
        b.value = -b.value;
        b.sign = -b.sign;
    }
    const bool first = node->kind == NC_CSG_UNION ? a.value <= b.value : a.value >= b.value;
    return first ? a : b;
}

static nc_vec3 csg_normal(const void *ctx, nc_vec3 p)
{
    const nc_csg *csg = ctx;
    const nc_oriented_box point = {.center = p};
    decider rows[NC_CSG_MAX];
    for (int i = 0; i < csg->count; i++) {
        const nc_csg_node *node = &csg->nodes[i];
        if (node->kind < NC_CSG_UNION)
            rows[i] = (decider){primitive(node, &point).low, i, 1};
        else
            rows[i] = decide(node, rows);
    }
    const decider last = rows[csg->count - 1];
    const nc_csg_node *node = &csg->nodes[last.row];
    const nc_mat3 turn = nc_quat_matrix(node->pose.q);
    const nc_vec3 local = nc_mat3_tmul(turn, nc_sub(p, node->pose.x));
    return nc_direction(nc_scale(last.sign, nc_mat3_mul(turn, gradient(node, local))));
}

// ---- checks -------------------------------------------------------------------------------------------------

static nc_code check_primitive(const nc_csg_node *node, int row, nc_error *err)
{
    const double q2 = nc_quat_norm2(node->pose.q);
    if (!nc_finite3(node->pose.x) || nc_max3(node->pose.x) > NC_COORDINATE_MAX || !(q2 > 0x1p-200 && q2 < INFINITY))
        return nc_fail(err, NC_BAD_ARGUMENT, "the pose of solid %d is not finite, too far away or no rotation", row);
    const nc_vec3 s = node->size;
    const bool has_y = node->kind == NC_CSG_BOX, has_z = has_y || node->kind == NC_CSG_CYLINDER;
    const bool has_x = has_z || node->kind == NC_CSG_SPHERE;
    if (!nc_finite3(s) || nc_max3(s) > NC_COORDINATE_MAX || (has_x && s.x < 0) || (has_y && s.y < 0) ||
        (has_z && s.z < 0))
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
