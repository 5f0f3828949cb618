// When a solver's sweeps stop, and how far a state is from a solution.
#include "contact/solver.h"

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
    sweeps->stop = fmax(settings->tolerance * violation, NC_SPEED_ROUNDING * speed);
    sweeps->floor = fmax(sweeps->stop, settings->floor);
    sweeps->patience = settings->patience;
    sweeps->plateau = settings->plateau;
}

// ---- plateau ------------------------------------------------------------------------------------------------

static void stretch(nc_slot_mark *marks, int slot, nc_vec3 arm)
{
    if (slot >= 0)
        marks[slot].reach = fmax(marks[slot].reach, nc_norm(arm));
}

void nc_sweeps_mark(nc_sweeps *sweeps)
{
    sweeps->quiet = 0;
    if (sweeps->marks == NULL)
        return;
    for (int s = sweeps->slot_begin; s < sweeps->slot_end; s++)
        sweeps->marks[s] = (nc_slot_mark){sweeps->slots[s].v, sweeps->slots[s].w, 0};
    for (int i = 0; i < sweeps->count; i++) {
        stretch(sweeps->marks, sweeps->blocks[i].a, sweeps->blocks[i].arm_a);
        stretch(sweeps->marks, sweeps->blocks[i].b, sweeps->blocks[i].arm_b);
    }
}

bool nc_sweeps_rest(nc_sweeps *sweeps)
{
    double most = 0;
    for (int s = sweeps->slot_begin; s < sweeps->slot_end; s++) {
        nc_slot_mark *mark = &sweeps->marks[s];
        const nc_slot *slot = &sweeps->slots[s];
        most = fmax(most, nc_norm(nc_sub(slot->v, mark->v)) + mark->reach * nc_norm(nc_sub(slot->w, mark->w)));
        mark->v = slot->v;
        mark->w = slot->w;
    }
    sweeps->quiet = most <= sweeps->plateau ? sweeps->quiet + 1 : 0;
    return sweeps->quiet >= NC_PLATEAU_WINDOWS;
}

void nc_sweeps_run(nc_sweeps *sweeps, const nc_solve_settings *settings)
{
    if (settings->solver == NC_SOLVER_SEQUENTIAL)
        nc_sequential_sweeps(sweeps, settings->epsilon);
    else
        nc_pgs_sweeps(sweeps, settings->friction);
}

// How far the friction impulse is from the one its rows ask for [m/s].
static double friction_residual(const nc_block *c, double u1, double u2, nc_friction_model friction)
{
    double l1 = c->lambda.y, l2 = c->lambda.z;
    const double limit = c->friction * c->lambda.x;
    if (friction == NC_FRICTION_CONE) {
        nc_cone_project(c->k11, c->k22, limit, u1, u2, &l1, &l2);
    } else {
        l1 = fmin(fmax(l1 - u1 * c->inv_11, -limit), limit);
        l2 = fmin(fmax(l2 - u2 * c->inv_22, -limit), limit);
    }
    return fmax(fabs(l1 - c->lambda.y) * c->k11, fabs(l2 - c->lambda.z) * c->k22);
}

double nc_block_residual_parts(const nc_block *c, nc_vec3 u, nc_friction_model friction)
{
    if (c->inv_nn == 0)
        return 0;
    const double wanted = fmax(0, c->lambda.x - (u.x + c->soft_n * c->lambda.x - c->target) * c->inv_nn);
    const double normal = fabs(wanted - c->lambda.x) * c->knn;
    return c->friction > 0 ? fmax(normal, friction_residual(c, u.y, u.z, friction)) : normal;
}

double nc_block_residual(const nc_block *c, nc_vec3 u, nc_friction_model friction)
{
    return nc_block_residual_parts(c, nc_v3(nc_dot(u, c->n), nc_dot(u, c->t1), nc_dot(u, c->t2)), friction);
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
        const nc_block c = nc_block_build(bodies, &contacts[i], slots, ends, friction, 0);
        residual = fmax(residual, nc_block_residual(&c, nc_block_velocity(&c, slots), friction));
    }
    return residual;
}
