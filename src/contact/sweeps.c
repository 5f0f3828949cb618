// When a solver's sweeps stop, and how far a state is from a solution.
#include "contact/solver.h"

// Rounding leaves about this part of the speeds that cancel in a relative velocity.
#define SPEED_ROUNDING 0x1p-46

static double reach_speed(const nc_slot *slots, int slot, nc_vec3 arm)
{
    return slot < 0 ? 0 : nc_norm(slots[slot].v) + nc_norm(slots[slot].w) * nc_norm(arm);
}

void nc_sweeps_stop(nc_sweeps *sweeps, const nc_solve_settings *settings)
{
    double violation = 0, speed = 0;
    for (int i = 0; i < sweeps->count; i++) {
        const nc_block *c = &sweeps->blocks[i];
        const nc_vec3 u = nc_block_velocity(c, sweeps->slots);
        violation = fmax(violation, c->target - nc_dot(u, c->n));
        speed = fmax(speed, nc_norm(c->drift) + fabs(c->target));
        speed = fmax(speed, reach_speed(sweeps->slots, c->a, c->arm_a));
        speed = fmax(speed, reach_speed(sweeps->slots, c->b, c->arm_b));
    }
    sweeps->violation = violation;
    sweeps->stop = fmax(settings->tolerance * violation, SPEED_ROUNDING * speed);
    sweeps->floor = fmax(sweeps->stop, settings->floor);
    sweeps->patience = settings->patience;
}

void nc_sweeps_run(nc_sweeps *sweeps, const nc_solve_settings *settings)
{
    if (settings->solver == NC_SOLVER_SEQUENTIAL)
        nc_sequential_sweeps(sweeps, settings->epsilon);
    else
        nc_pgs_sweeps(sweeps, settings->friction);
}

// How far the friction impulse is from the one its rows ask for [m/s].
static double friction_residual(const nc_block *c, nc_vec3 u, nc_friction_model friction)
{
    double l1 = c->lambda.y, l2 = c->lambda.z;
    const double limit = c->friction * c->lambda.x;
    const double u1 = nc_dot(u, c->t1), u2 = nc_dot(u, c->t2);
    if (friction == NC_FRICTION_CONE) {
        nc_cone_project(c->k11, c->k22, limit, u1, u2, &l1, &l2);
    } else {
        l1 = fmin(fmax(l1 - u1 * c->inv_11, -limit), limit);
        l2 = fmin(fmax(l2 - u2 * c->inv_22, -limit), limit);
    }
    return fmax(fabs(l1 - c->lambda.y) * c->k11, fabs(l2 - c->lambda.z) * c->k22);
}

double nc_block_residual(const nc_block *c, nc_vec3 u, nc_friction_model friction)
{
    if (c->inv_nn == 0)
        return 0;
    const double wanted = fmax(0, c->lambda.x - (nc_dot(u, c->n) - c->target) * c->inv_nn);
    const double normal = fabs(wanted - c->lambda.x) * c->knn;
    return c->friction > 0 ? fmax(normal, friction_residual(c, u, friction)) : normal;
}

double nc_contact_residual(const nc_solver_bodies *bodies, const nc_contact *contacts, int count,
                           nc_friction_model friction)
{
    double residual = 0;
    for (int i = 0; i < count; i++) {
        nc_slot slots[2];
        nc_velocity_change unused;
        nc_slot_load(bodies, contacts[i].a, &slots[0], &unused);
        nc_slot_load(bodies, contacts[i].b, &slots[1], &unused);
        const nc_block_ends ends = {slots[0].inv_mass > 0 ? 0 : -1, slots[1].inv_mass > 0 ? 1 : -1, false, false};
        const nc_block c = nc_block_build(bodies, &contacts[i], slots, ends, friction);
        residual = fmax(residual, nc_block_residual(&c, nc_block_velocity(&c, slots), friction));
    }
    return residual;
}
