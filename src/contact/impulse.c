// The impulse of a single contact with restitution and friction, as derived in English 3.2.
#include "contact/contact.h"

// Solves K x = b for a symmetric positive definite K by Cholesky. False when K is not that.
static bool solve_spd(nc_mat3 k, nc_vec3 b, nc_vec3 *x)
{
    const double l11 = sqrt(k.row[0].x);
    const double l21 = k.row[1].x / l11, l31 = k.row[2].x / l11;
    const double l22 = sqrt(k.row[1].y - l21 * l21);
    const double l32 = (k.row[2].y - l31 * l21) / l22;
    const double l33 = sqrt(k.row[2].z - l31 * l31 - l32 * l32);
    const double y1 = b.x / l11;
    const double y2 = (b.y - l21 * y1) / l22;
    const double y3 = (b.z - l31 * y1 - l32 * y2) / l33;
    x->z = y3 / l33;
    x->y = (y2 - l32 * x->z) / l22;
    x->x = (y1 - l21 * x->y - l31 * x->z) / l11;
    return nc_finite3(*x); // a pivot that is not positive gives NaN or infinity
}

// Sliding: l = (n - mu t) lambda with n.K l = change. Where friction along t works against the normal so much that the
// impulse would grow past all measure (the denominator nears 0), only as much friction as leaves a sixteenth of K_nn.
static nc_vec3 slide(nc_mat3 k, nc_vec3 tangential, nc_vec3 normal, double change, double friction)
{
    const nc_vec3 kn = nc_mat3_mul(k, normal);
    const double knn = nc_dot(kn, normal);
    const double speed = nc_norm(tangential);
    if (!(speed > 0))
        return nc_scale(change / knn, normal);
    const nc_vec3 t = nc_scale(1.0 / speed, tangential);
    const double knt = nc_dot(kn, t);
    double mu = friction;
    if (knn - mu * knt < knn / 16.0)
        mu = knn * (15.0 / 16.0) / knt;
    const double lambda = change / (knn - mu * knt);
    return nc_scale(lambda, nc_madd(normal, -mu, t));
}

nc_vec3 nc_impulse_find(nc_mat3 response, nc_vec3 velocity, nc_vec3 normal, double target, double friction)
{
    const nc_vec3 none = {0, 0, 0};
    const double approach = nc_dot(velocity, normal);
    const double knn = nc_dot(nc_mat3_mul(response, normal), normal);
    if (!(approach < target) || !(knn > 0) || !isfinite(knn))
        return none;
    const nc_vec3 tangential = nc_madd(velocity, -approach, normal);
    if (!(friction > 0))
        return nc_scale((target - approach) / knn, normal);

    nc_vec3 stick;
    if (solve_spd(response, nc_sub(nc_scale(target, normal), velocity), &stick)) {
        const double pressure = nc_dot(stick, normal);
        if (nc_norm(nc_madd(stick, -pressure, normal)) <= friction * pressure)
            return stick;
    }
    const nc_vec3 impulse = slide(response, tangential, normal, target - approach, friction);
    return nc_finite3(impulse) ? impulse : none;
}
