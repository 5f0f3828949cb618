// Projected Gauss-Seidel on English eq. 15-22 (Erleben section 3), a contact's three rows at a time.
//
// A block update is what three row updates in a row do, but the bodies are touched once: inside the block the relative
// velocity is carried by K. The normal row comes first, so that friction knows its limit.
#include "contact/solver.h"

static double clamped(double value, double limit)
{
    return fmin(fmax(value, -limit), limit);
}

// Eq. 18-20, row after row; u1 and u2 are the tangential velocities. Writes the new tangential impulses.
static void pyramid(const nc_block *c, double limit, double u1, double u2, nc_vec3 *lambda)
{
    lambda->y = clamped(c->lambda.y - u1 * c->inv_11, limit);
    u2 += c->k12 * (lambda->y - c->lambda.y);
    lambda->z = clamped(c->lambda.z - u2 * c->inv_22, limit);
}

// Returns the most that a row asked for [m/s].
static double update(nc_block *c, nc_slot *slots, bool cone)
{
    const nc_vec3 u = nc_block_velocity(c, slots);
    nc_vec3 lambda = c->lambda;
    lambda.x = fmax(0, lambda.x - (nc_dot(u, c->n) - c->target) * c->inv_nn);
    const double pressed = lambda.x - c->lambda.x;
    if (c->friction > 0 && (lambda.x > 0 || c->lambda.x > 0)) {
        const double u1 = nc_dot(u, c->t1) + c->kn1 * pressed;
        const double u2 = nc_dot(u, c->t2) + c->kn2 * pressed;
        if (cone)
            nc_cone_project(c->k11, c->k22, c->friction * lambda.x, u1, u2, &lambda.y, &lambda.z);
        else
            pyramid(c, c->friction * lambda.x, u1, u2, &lambda);
    }
    const nc_vec3 step = nc_sub(lambda, c->lambda);
    if (step.x == 0 && step.y == 0 && step.z == 0)
        return 0;
    nc_block_push(c, slots, nc_block_vector(c, step));
    c->lambda = lambda;
    return fmax(fabs(step.x) * c->knn, fmax(fabs(step.y) * c->k11, fabs(step.z) * c->k22));
}

void nc_pgs_sweeps(nc_sweeps *sweeps, nc_friction_model friction)
{
    const bool cone = friction == NC_FRICTION_CONE;
    const int limit = sweeps->iterations;
    for (sweeps->iterations = 0; sweeps->iterations < limit;) {
        double residual = 0;
        for (int i = 0; i < sweeps->count; i++)
            residual = fmax(residual, update(&sweeps->blocks[i], sweeps->slots, cone));
        sweeps->iterations++;
        sweeps->residual = residual;
        if (residual <= sweeps->stop)
            return;
    }
}
