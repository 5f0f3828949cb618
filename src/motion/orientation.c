// How a free body turns: English eq. 4, then Su's turn to the exact kinetic energy (their sections 2.2 to 2.4).
#include "motion/motion.h"

static nc_mat3 principal_frame(const nc_inertia *inertia, nc_quat q)
{
    return nc_quat_matrix(nc_quat_mul(q, inertia->axes));
}

// I^-1 v in world axes, for a body whose principal axes are the columns of `frame`.
static nc_vec3 apply_inverse(const nc_inertia *inertia, nc_mat3 frame, nc_vec3 v)
{
    const nc_vec3 p = nc_mat3_tmul(frame, v);
    const nc_vec3 m = inertia->moments;
    return nc_mat3_mul(frame, nc_v3(p.x / m.x, p.y / m.y, p.z / m.z));
}

static double energy_in_frame(const nc_inertia *inertia, nc_mat3 frame, nc_vec3 momentum)
{
    const nc_vec3 p = nc_mat3_tmul(frame, momentum);
    const nc_vec3 m = inertia->moments;
    return 0.5 * (p.x * p.x / m.x + p.y * p.y / m.y + p.z * p.z / m.z);
}

nc_vec3 nc_inertia_spin(const nc_inertia *inertia, nc_quat q, nc_vec3 angular_momentum)
{
    return apply_inverse(inertia, principal_frame(inertia, q), angular_momentum);
}

nc_vec3 nc_inertia_momentum(const nc_inertia *inertia, nc_quat q, nc_vec3 spin)
{
    const nc_mat3 frame = principal_frame(inertia, q);
    const nc_vec3 p = nc_mat3_tmul(frame, spin);
    const nc_vec3 m = inertia->moments;
    return nc_mat3_mul(frame, nc_v3(p.x * m.x, p.y * m.y, p.z * m.z));
}

double nc_inertia_energy(const nc_inertia *inertia, nc_quat q, nc_vec3 angular_momentum)
{
    return energy_in_frame(inertia, principal_frame(inertia, q), angular_momentum);
}

// The smallest rotation about a unit vector orthogonal to L that takes the energy from KE to KE - k, as a signed
// angle. With x and y its cosine and sine: k = a x y + c y^2 (Su eq. 4 and 5), solved in the forms of Su 2.3.
// False when no rotation about this axis does it; with `clamp` that is taken to be rounding.
static bool solve_angle(double a, double c, double k, bool clamp, double *angle)
{
    double g = a * a + 4.0 * k * (c - k);
    if (g < 0 && !clamp)
        return false;
    g = fmax(g, 0);
    const double root = fabs(a) + sqrt(g);
    const double p = root * root;
    const double n = c - 2.0 * k;
    const double y_scale = sqrt(p + (c - n) * (c - n));
    const double r = sqrt(c * c + a * a);
    if (!(y_scale > 0) || !(r > 0))
        return false;
    const double x = sqrt(p + (c + n) * (c + n)) / (2.0 * r);
    const double y = 2.0 * fabs(k) / y_scale;
    // x > 0 and a x y = k - c y^2, so y has the sign of (k - c y^2) / a; the paper prints it without a's sign.
    const bool negative = (k - c * y * y < 0) != (a < 0);
    *angle = nc_atan2(negative ? -y : y, x);
    return true;
}

// Su's coefficients for the axis s: a = (s x L) . omega, b = 1/2 (s x L) . I^-1 (s x L), c = KE - b.
static bool turn_about(const nc_inertia *inertia, nc_mat3 frame, nc_vec3 momentum, nc_vec3 s, double energy, bool clamp,
                       nc_vec3 *out)
{
    const double kinetic = energy_in_frame(inertia, frame, momentum);
    const nc_vec3 arm = nc_cross(s, momentum);
    const double a = nc_dot(arm, apply_inverse(inertia, frame, momentum));
    const double b = 0.5 * nc_dot(arm, apply_inverse(inertia, frame, arm));
    double angle;
    if (!solve_angle(a, kinetic - b, kinetic - energy, clamp, &angle))
        return false;
    *out = nc_scale(angle, s);
    return true;
}

// The unit vector along L x v; false when its length is not above `least`.
static bool axis_across(nc_vec3 momentum, nc_vec3 v, double least, nc_vec3 *s)
{
    const nc_vec3 cross = nc_cross(momentum, v);
    const double length = nc_norm(cross);
    if (!(length > least))
        return false;
    *s = nc_scale(1.0 / length, cross);
    return true;
}

nc_vec3 nc_energy_fix(const nc_inertia *inertia, nc_quat q, nc_vec3 angular_momentum, double energy, nc_fix_axis *axis)
{
    const nc_mat3 frame = principal_frame(inertia, q);
    const double kinetic = energy_in_frame(inertia, frame, angular_momentum);
    // What this body can have with this L: least when L is along the axis of largest inertia.
    const double l2 = nc_norm2(angular_momentum);
    energy = fmin(fmax(energy, 0.5 * l2 / inertia->moments.z), 0.5 * l2 / inertia->moments.x);
    *axis = NC_FIX_NONE;
    nc_vec3 s, turn = {0, 0, 0};
    if (!(fabs(kinetic - energy) > NC_SPIN_ENERGY_TOLERANCE * energy))
        return turn;
    const nc_vec3 spin = apply_inverse(inertia, frame, angular_momentum);
    if (axis_across(angular_momentum, spin, NC_SPIN_AXIS_TOLERANCE * kinetic, &s) &&
        turn_about(inertia, frame, angular_momentum, s, energy, false, &turn)) {
        *axis = NC_FIX_LOCAL;
        return turn;
    }
    // Too much energy: turn the axis of largest inertia (the last) towards L. Too little: that of the smallest.
    const bool too_much = kinetic > energy;
    const nc_vec3 principal = too_much ? nc_v3(frame.row[0].z, frame.row[1].z, frame.row[2].z)
                                       : nc_v3(frame.row[0].x, frame.row[1].x, frame.row[2].x);
    if (axis_across(angular_momentum, principal, 1e-12 * nc_norm(angular_momentum), &s) &&
        turn_about(inertia, frame, angular_momentum, s, energy, true, &turn))
        *axis = too_much ? NC_FIX_MAX : NC_FIX_MIN;
    return turn;
}

// English eq. 4: dt omega + dt^2/2 I^-1 (L x omega). Where the second term is longer than the first, the series means
// nothing and would only whirl an ill-conditioned body through countless turns, so it is cut to that length.
static nc_vec3 second_order_turn(const nc_inertia *inertia, nc_quat q, nc_vec3 momentum, double dt)
{
    const nc_mat3 frame = principal_frame(inertia, q);
    const nc_vec3 spin = apply_inverse(inertia, frame, momentum);
    const nc_vec3 first = nc_scale(dt, spin);
    const nc_vec3 change = apply_inverse(inertia, frame, nc_cross(momentum, spin));
    const nc_vec3 second = nc_scale(0.5 * dt * dt, change);
    const double limit = nc_norm(first), length = nc_norm(second);
    return length > limit ? nc_madd(first, limit / length, second) : nc_add(first, second);
}

nc_free_turn nc_free_turn_compute(const nc_inertia *inertia, nc_quat q, nc_vec3 angular_momentum, double dt, bool fix,
                                  double energy)
{
    nc_free_turn turn = {.theta = second_order_turn(inertia, q, angular_momentum, dt)};
    if (!fix)
        return turn;
    nc_quat total = nc_quat_identity();
    const nc_quat turned = nc_quat_mul(nc_quat_from_rotation_vector(turn.theta), q);
    for (int i = 0; i < NC_SPIN_CORRECTIONS; i++) {
        nc_fix_axis axis;
        const nc_quat now = nc_quat_normalize(nc_quat_mul(nc_quat_from_rotation_vector(turn.eps), turned));
        const nc_vec3 correction = nc_energy_fix(inertia, now, angular_momentum, energy, &axis);
        if (axis == NC_FIX_NONE)
            break;
        total = nc_quat_mul(nc_quat_from_rotation_vector(correction), total);
        turn.eps = nc_quat_rotation_vector(total);
        turn.fixes++;
        turn.fallback = turn.fallback || axis != NC_FIX_LOCAL;
    }
    return turn;
}
