// Projected Gauss-Seidel on English eq. 15-22 (Erleben section 3), a contact's three rows at a time.
//
// A block update is what three row updates in a row do, but the bodies are touched once: inside the block the relative
// velocity is carried by K. The normal row comes first, so that friction knows its limit.
#include "contact/solver.h"

// Comparisons instead of fmin and fmax: faster, and the sign of a zero does not depend on the C library.
static inline double clamped(double value, double limit)
{
    return value > limit ? limit : (value >= -limit ? value : -limit);
}

static inline double larger(double a, double b)
{
    return b > a ? b : a;
}

// Eq. 18-20, row after row; u1 and u2 are the tangential velocities. Writes the new tangential impulses.
static void pyramid(const nc_block *c, double limit, double u1, double u2, nc_vec3 *lambda)
{
    lambda->y = clamped(c->lambda.y - u1 * c->inv_11, limit);
    u2 += c->k12 * (lambda->y - c->lambda.y);
    lambda->z = clamped(c->lambda.z - u2 * c->inv_22, limit);
}

// The cone, in principal tangents. Where the impulse that stops the slip lies in the disc, it is taken. Else a step
// that is equally long in both directions, back onto the disc along the radius: at its fixed point friction opposes
// sliding, as at that of the exact minimum (nc_cone_project), which takes as many sweeps and twice the time.
static inline void disc(const nc_block *c, double limit, double u1, double u2, nc_vec3 *lambda)
{
    double l1 = c->lambda.y - u1 * c->inv_11, l2 = c->lambda.z - u2 * c->inv_22;
    if (l1 * l1 + l2 * l2 > limit * limit) {
        const double inv = c->inv_11 < c->inv_22 ? c->inv_11 : c->inv_22;
        l1 = c->lambda.y - u1 * inv;
        l2 = c->lambda.z - u2 * inv;
        const double size = sqrt(l1 * l1 + l2 * l2);
        if (size > limit) {
            l1 *= limit / size;
            l2 *= limit / size;
        }
    }
    lambda->y = l1;
    lambda->z = l2;
}

// Moves one block's impulses to what its rows ask for; returns the step.
static inline nc_vec3 update(nc_block *c, nc_slot *slots, bool cone)
{
    const nc_vec3 u = nc_block_velocity(c, slots);
    nc_vec3 lambda = c->lambda;
    lambda.x = larger(0, lambda.x - (nc_dot(u, c->n) + c->soft_n * lambda.x - c->target) * c->inv_nn);
    if (c->friction > 0 && (lambda.x > 0 || lambda.y != 0 || lambda.z != 0)) {
        const double pressed = lambda.x - c->lambda.x, limit = c->friction * lambda.x;
        const double u1 = nc_dot(u, c->t1) + c->kn1 * pressed;
        const double u2 = nc_dot(u, c->t2) + c->kn2 * pressed;
        if (cone)
            disc(c, limit, u1, u2, &lambda);
        else
            pyramid(c, limit, u1, u2, &lambda);
    }
    const nc_vec3 step = nc_sub(lambda, c->lambda);
    if (step.x != 0 || step.y != 0 || step.z != 0)
        nc_block_push(c, slots, nc_block_vector(c, step));
    c->lambda = lambda;
    return step;
}

// One sweep. Returns the sum of K step^2, and the residual in *sweeps.
static inline double sweep(nc_sweeps *sweeps, bool cone)
{
    double residual = 0, gain = 0;
    for (int i = 0; i < sweeps->count; i++) {
        nc_block *c = &sweeps->blocks[i];
        const nc_vec3 step = update(c, sweeps->slots, cone);
        const nc_vec3 speed = nc_v3(step.x * c->knn, step.y * c->k11, step.z * c->k22);
        residual = larger(larger(residual, fabs(speed.x)), larger(fabs(speed.y), fabs(speed.z)));
        gain += nc_dot(speed, step);
        if (sweeps->block_memos != NULL)
            sweeps->block_memos[i].step = step;
    }
    sweeps->residual = residual;
    return gain;
}

void nc_pgs_sweeps(nc_sweeps *sweeps, nc_friction_model friction)
{
    const int limit = sweeps->iterations;
    double gain_before = 0;
    nc_sweeps_mark(sweeps);
    if (sweeps->block_memos != NULL)
        nc_momentum_start(sweeps);
    for (sweeps->iterations = 1;; sweeps->iterations++) {
        const double gain = friction == NC_FRICTION_CONE ? sweep(sweeps, true) : sweep(sweeps, false);
        if (nc_sweeps_done(sweeps) || sweeps->iterations >= limit)
            return;
        if (nc_sweeps_window(sweeps) && nc_sweeps_rest(sweeps))
            return;
        if (sweeps->block_memos != NULL)
            nc_momentum_add(sweeps, gain, gain_before);
        gain_before = gain;
    }
}
