// Parametric surfaces as targets. The points of a rectangle of parameters are within its slopes times half its sides of
// the middle one: a ball. Rectangles whose balls miss a box are ruled out, the others are quartered until their balls
// are small beside the box.
#include "narrow/trajectory.h"

#define U         NC_UNIT_ROUNDOFF
#define DEPTH_MAX 60   // quarterings of the whole rectangle
#define BALL      0.25 // [radius of the box] balls that are smaller are not quartered
#define NEAR_MAX  8192 // rectangles that are looked at for the nearest point

typedef struct rectangle {
    double u, v, half_u, half_v; // the middle and half the sides
    int depth;
} rectangle;

static rectangle whole_of(const nc_parametric *f)
{
    const rectangle r = {0.5 * (f->u[0] + f->u[1]), 0.5 * (f->v[0] + f->v[1]), 0.5 * (f->u[1] - f->u[0]),
                         0.5 * (f->v[1] - f->v[0]), 0};
    return r;
}

// The radius of the ball of a rectangle; parameters are rounded, too.
static double radius_of(const nc_parametric *f, const rectangle *r)
{
    const double size_u = fmax(fabs(f->u[0]), fabs(f->u[1])), size_v = fmax(fabs(f->v[0]), fabs(f->v[1]));
    const double u = r->half_u + 16.0 * U * size_u, v = r->half_v + 16.0 * U * size_v;
    return (f->slope_u * u + f->slope_v * v) * (1.0 + 16.0 * U) + f->error;
}

// The side that is longer on the surface is halved.
static void halve(const nc_parametric *f, const rectangle *r, rectangle out[2])
{
    const bool along_u = f->slope_u * r->half_u >= f->slope_v * r->half_v;
    for (int k = 0; k < 2; k++) {
        const double sign = k == 0 ? -1.0 : 1.0;
        out[k] = *r;
        out[k].depth++;
        if (along_u) {
            out[k].half_u = 0.5 * r->half_u;
            out[k].u = r->u + sign * out[k].half_u;
        } else {
            out[k].half_v = 0.5 * r->half_v;
            out[k].v = r->v + sign * out[k].half_v;
        }
    }
}

// For certain: no point of the box is within `radius` of p. Any direction n separates them if it can.
static bool separates(const nc_oriented_box *box, nc_vec3 p, double radius, nc_vec3 n)
{
    const nc_vec3 *a = box->axis, from = nc_sub(p, box->center);
    const double reach = fabs(nc_dot(n, a[0])) + fabs(nc_dot(n, a[1])) + fabs(nc_dot(n, a[2]));
    const double size = nc_max3(p) + nc_max3(box->center) + nc_max3(a[0]) + nc_max3(a[1]) + nc_max3(a[2]) + radius;
    return fabs(nc_dot(n, from)) > reach + radius + 64.0 * U * size;
}

static bool ball_misses(const nc_oriented_box *box, nc_vec3 p, double radius)
{
    nc_vec3 near = box->center;
    for (int k = 0; k < 3; k++) {
        const nc_vec3 n = nc_direction(box->axis[k]);
        const double length = nc_norm(box->axis[k]), s = nc_dot(n, nc_sub(p, box->center));
        if (nc_max3(n) > 0 && separates(box, p, radius, n))
            return true;
        near = nc_madd(near, fmax(-length, fmin(s, length)), n);
    }
    const nc_vec3 n = nc_direction(nc_sub(p, near));
    return nc_max3(n) > 0 && separates(box, p, radius, n);
}

static bool parametric_may_intersect_box(const void *ctx, const nc_oriented_box *box)
{
    const nc_parametric *f = ctx;
    const double small = BALL * nc_oriented_box_radius(box);
    rectangle stack[2 * DEPTH_MAX + 2] = {whole_of(f)};
    for (int count = 1; count > 0;) {
        const rectangle r = stack[--count];
        const double radius = radius_of(f, &r);
        if (ball_misses(box, f->point(f->ctx, r.u, r.v, NULL, NULL), radius))
            continue;
        if (radius <= small || r.depth >= 2 * DEPTH_MAX)
            return true;
        halve(f, &r, &stack[count]);
        count += 2;
    }
    return false;
}

// The first stretch as short as the precision that is not ruled out.
static nc_verdict parametric_intersect_segment(const void *ctx, nc_vec3 from, nc_vec3 to, double precision, double *s)
{
    const nc_vec3 way = nc_sub(to, from);
    const double length = nc_norm(way);
    double ends[DEPTH_MAX] = {1}, at = 0;
    for (int left = 1; left > 0;) {
        const double end = ends[left - 1], middle = at + 0.5 * (end - at);
        const nc_oriented_box box = nc_box_around_segment(nc_madd(from, at, way), nc_madd(from, end, way), 0);
        *s = at;
        if (!parametric_may_intersect_box(ctx, &box)) {
            at = ends[--left];
            continue;
        }
        if ((end - at) * length <= precision)
            return NC_HIT;
        if (left == DEPTH_MAX || !(middle > at && middle < end))
            return NC_UNDECIDED;
        ends[left++] = middle;
    }
    *s = 1;
    return NC_CLEAR;
}

// The parameters of a point about as near to p as any.
static rectangle nearest_of(const nc_parametric *f, nc_vec3 p)
{
    rectangle stack[2 * DEPTH_MAX + 2] = {whole_of(f)}, best = stack[0];
    double least = INFINITY;
    int looked = 0;
    for (int count = 1; count > 0 && looked < NEAR_MAX; looked++) {
        const rectangle r = stack[--count];
        const double distance = nc_norm(nc_sub(f->point(f->ctx, r.u, r.v, NULL, NULL), p)), radius = radius_of(f, &r);
        if (distance < least) {
            least = distance;
            best = r;
        }
        if (distance - radius > least || radius < 1e-3 * least || r.depth >= 2 * DEPTH_MAX)
            continue;
        rectangle halves[2];
        halve(f, &r, halves);
        const double d0 = nc_norm(nc_sub(f->point(f->ctx, halves[0].u, halves[0].v, NULL, NULL), p));
        const double d1 = nc_norm(nc_sub(f->point(f->ctx, halves[1].u, halves[1].v, NULL, NULL), p));
        stack[count++] = halves[d0 < d1 ? 1 : 0]; // the nearer one on top
        stack[count++] = halves[d0 < d1 ? 0 : 1];
    }
    return best;
}

static nc_vec3 parametric_normal(const void *ctx, nc_vec3 p)
{
    const nc_parametric *f = ctx;
    const rectangle r = nearest_of(f, p);
    nc_vec3 du, dv;
    const nc_vec3 away = nc_sub(p, f->point(f->ctx, r.u, r.v, &du, &dv));
    const nc_vec3 n = nc_direction(nc_cross(du, dv));
    return nc_dot(n, away) < 0 ? nc_neg(n) : n;
}

static bool is_size(double x)
{
    return x >= 0 && x <= NC_COORDINATE_MAX;
}

nc_code nc_target_parametric(const nc_parametric *f, nc_target *out, nc_error *err)
{
    if (f->point == NULL)
        return nc_fail(err, NC_BAD_ARGUMENT, "a parametric surface needs a function that gives its points");
    if (!(f->u[0] <= f->u[1] && f->v[0] <= f->v[1] && fabs(f->u[0]) + fabs(f->u[1]) <= NC_COORDINATE_MAX &&
          fabs(f->v[0]) + fabs(f->v[1]) <= NC_COORDINATE_MAX))
        return nc_fail(err, NC_BAD_ARGUMENT, "the parameters are in [%g, %g] and [%g, %g]; from low to high, finite",
                       f->u[0], f->u[1], f->v[0], f->v[1]);
    if (!is_size(f->slope_u) || !is_size(f->slope_v) || !is_size(f->error))
        return nc_fail(err, NC_BAD_ARGUMENT, "the slopes are %g and %g m, the error %g m; all are 0 to 2^100 m",
                       f->slope_u, f->slope_v, f->error);
    *out = (nc_target){parametric_may_intersect_box, parametric_intersect_segment, parametric_normal, f};
    return NC_OK;
}

// ---- Bezier patches -----------------------------------------------------------------------------------------

static void weights(double t, double b[4], double d[4])
{
    const double s = 1.0 - t;
    b[0] = s * s * s, b[1] = 3 * s * s * t, b[2] = 3 * s * t * t, b[3] = t * t * t;
    d[0] = -3 * s * s, d[1] = 3 * s * s - 6 * s * t, d[2] = 6 * s * t - 3 * t * t, d[3] = 3 * t * t;
}

static nc_vec3 sum_of(const nc_bezier_patch *patch, const double *u, const double *v)
{
    nc_vec3 p = {0, 0, 0};
    for (int i = 0; i < 16; i++)
        p = nc_madd(p, u[i / 4] * v[i % 4], patch->control[i]);
    return p;
}

static nc_vec3 patch_point(const void *ctx, double u, double v, nc_vec3 *du, nc_vec3 *dv)
{
    double bu[4], bv[4], cu[4], cv[4];
    weights(u, bu, cu);
    weights(v, bv, cv);
    if (du != NULL)
        *du = sum_of(ctx, cu, bv);
    if (dv != NULL)
        *dv = sum_of(ctx, bu, cv);
    return sum_of(ctx, bu, bv);
}

// The derivative is a mean of 3 times the differences of neighbouring control points.
nc_code nc_bezier_parametric(const nc_bezier_patch *patch, nc_parametric *out, nc_error *err)
{
    double size = 0, u = 0, v = 0;
    for (int i = 0; i < 16; i++) {
        const nc_vec3 p = patch->control[i];
        if (!nc_finite3(p) || nc_max3(p) > NC_COORDINATE_MAX)
            return nc_fail(err, NC_BAD_ARGUMENT, "control point %d is not finite or above 2^100 in size", i);
        size = fmax(size, nc_max3(p));
        u = i < 12 ? fmax(u, nc_norm(nc_sub(patch->control[i + 4], p))) : u;
        v = i % 4 < 3 ? fmax(v, nc_norm(nc_sub(patch->control[i + 1], p))) : v;
    }
    const double up = 3.0 * (1.0 + 16.0 * U);
    *out = (nc_parametric){.point = patch_point,
                           .ctx = patch,
                           .u = {0, 1},
                           .v = {0, 1},
                           .slope_u = up * u,
                           .slope_v = up * v,
                           .error = 64.0 * U * size};
    return NC_OK;
}
