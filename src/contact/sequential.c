// Epsilon-scaled sequential impulses (Guendelman et al. 2003, as English 4.3.2 describes them): contact after contact,
// the impulse of English 3.2 for the current velocities, scaled, applied at once and never taken back.
#include "contact/solver.h"

// Returns the violation it found [m/s].
static double update(nc_block *c, nc_slot *slots, double epsilon)
{
    const nc_vec3 u = nc_block_velocity(c, slots);
    const nc_vec3 local = nc_v3(nc_dot(u, c->n), nc_dot(u, c->t1), nc_dot(u, c->t2));
    if (!(local.x < c->target))
        return 0;
    nc_mat3 k;
    k.row[0] = nc_v3(c->knn, c->kn1, c->kn2);
    k.row[1] = nc_v3(c->kn1, c->k11, c->k12);
    k.row[2] = nc_v3(c->kn2, c->k12, c->k22);
    const nc_vec3 normal = {1, 0, 0};
    const nc_vec3 step = nc_scale(epsilon, nc_impulse_find(k, local, normal, c->target, c->friction));
    nc_block_push(c, slots, nc_block_vector(c, step));
    c->lambda = nc_add(c->lambda, step);
    return c->target - local.x;
}

void nc_sequential_sweeps(nc_sweeps *sweeps, double epsilon)
{
    const int limit = sweeps->iterations;
    for (sweeps->iterations = 1;; sweeps->iterations++) {
        double residual = 0;
        for (int i = 0; i < sweeps->count; i++)
            residual = fmax(residual, update(&sweeps->blocks[i], sweeps->slots, epsilon));
        sweeps->residual = residual;
        if (nc_sweeps_done(sweeps) || sweeps->iterations >= limit)
            return;
    }
}
