// The curve of a body's point in the frame of a moving target: where it is, how far it strays from its chords.
#include "narrow/trajectory.h"

#define U  NC_UNIT_ROUNDOFF
#define UP (1.0 + 64.0 * NC_UNIT_ROUNDOFF)

// docs/theory/trajectory.md, "Rounding": units of u of the sizes involved, and for each radian turned.
#define ERROR_OF_PLACE 256.0
#define ERROR_OF_ANGLE 8.0

void nc_relative_begin(nc_relative_motion *motion, const nc_path *body, const nc_path *target)
{
    nc_pair_begin(&motion->pair, body, 0, target, 0, false);
    const nc_segment *a = &body->segments[0], *b = &target->segments[0];
    motion->speed = nc_norm(nc_sub(a->d, b->d)) * UP;
    motion->reach = (nc_norm(nc_sub(body->start.x, target->start.x)) + motion->speed) * UP;
    motion->turn_body = nc_norm(a->theta) * UP;
    motion->turn_goal = nc_norm(b->theta) * UP;
}

// The distance of the arm's end from the axis. The arm in world axes is off by less than 48 u, the cross product and
// the length of the axis by less than 16 u.
static double lever_of(nc_relative_motion *motion, nc_vec3 place, double arm)
{
    const nc_vec3 theta = motion->pair.a->segments[0].theta, axis = nc_direction(theta);
    if (nc_max3(axis) == 0) // no rotation, or one too small to have a direction
        return arm;
    const nc_vec3 turned = nc_mat3_mul(nc_pair_at(&motion->pair, 0)->ra, place);
    return fmin(arm, (nc_norm(nc_cross(axis, turned)) + 64.0 * U * arm) * UP);
}

nc_tracked_point nc_tracked_point_make(nc_relative_motion *motion, nc_vec3 place)
{
    const double arm = nc_norm(place) * UP + 1e-150; // squares that vanish
    const double angle = motion->turn_body + motion->turn_goal;
    const nc_tracked_point point = {
        .place = place,
        .arm = arm,
        .lever = lever_of(motion, place, arm),
        .error = U * (ERROR_OF_PLACE + ERROR_OF_ANGLE * angle) * (motion->reach + arm) * UP,
    };
    return point;
}

nc_curve_point nc_relative_point(nc_relative_motion *motion, const nc_tracked_point *point, double t)
{
    const nc_pair_pose *placed = nc_pair_at(&motion->pair, t);
    const nc_vec3 from_target = nc_add(placed->x, nc_mat3_mul(placed->ra, point->place));
    const nc_curve_point knot = {
        .t = t,
        .at = nc_mat3_tmul(placed->rb, from_target),
        .distance = (nc_norm(placed->x) + 8.0 * U * motion->reach) * UP,
    };
    return knot;
}

// The curve is the centre's, R(-t theta_S) (c + t e), plus the arm's, R(-t theta_S) R(t theta_B) v. Each strays by at
// most h^2 / 8 times a bound of its second derivative, and by at most the diameter of the ball it stays in.
double nc_relative_deviation(const nc_relative_motion *motion, const nc_tracked_point *point,
                             const nc_curve_point *from, const nc_curve_point *to)
{
    const double h = (to->t - from->t) * UP, eighth = h * h / 8.0;
    const double goal = motion->turn_goal, body = motion->turn_body;
    const double far = fmax(from->distance, to->distance);
    const double centre = fmin(eighth * goal * (goal * far + 2.0 * motion->speed), 2.0 * far);
    const double bend = goal * goal * point->arm + (2.0 * goal + body) * body * point->lever;
    const double arm = fmin(eighth * bend, 2.0 * (goal > 0 ? point->arm : point->lever));
    return ((goal > 0 ? centre : 0.0) + arm) * UP;
}

// Three unit vectors, orthogonal to 16 u, the first along v; those of the coordinate axes when v has no direction.
static void basis_along(nc_vec3 v, nc_vec3 n[3])
{
    n[0] = nc_direction(v);
    if (nc_max3(n[0]) == 0) {
        n[0] = nc_v3(1, 0, 0);
        n[1] = nc_v3(0, 1, 0);
        n[2] = nc_v3(0, 0, 1);
        return;
    }
    // Across the smallest coordinate: nothing cancels, and the product with a coordinate axis is exact.
    const double x = fabs(n[0].x), y = fabs(n[0].y), z = fabs(n[0].z);
    const nc_vec3 least = x <= y && x <= z ? nc_v3(1, 0, 0) : y <= z ? nc_v3(0, 1, 0) : nc_v3(0, 0, 1);
    n[1] = nc_direction(nc_cross(n[0], least));
    n[2] = nc_cross(n[0], n[1]);
}

nc_oriented_box nc_box_around_segment(nc_vec3 a, nc_vec3 b, double spread)
{
    const nc_vec3 half = nc_scale(0.5, nc_sub(b, a));
    nc_oriented_box box = {.center = nc_madd(a, 0.5, nc_sub(b, a))};
    nc_vec3 n[3];
    basis_along(half, n);
    // The centre and the half chord are rounded: 4 u of the coordinates. The basis is off by 16 u in each product.
    const double length = nc_norm(half) * UP + 1e-150, size = nc_max3(a) + nc_max3(b);
    const double across = (spread + 8.0 * U * size + 128.0 * U * (length + spread)) * UP;
    box.axis[0] = nc_scale(length + across, n[0]);
    box.axis[1] = nc_scale(across, n[1]);
    box.axis[2] = nc_scale(across, n[2]);
    return box;
}
