// Step 6: velocities at the end of the step.
#include "step/step.h"

static bool stays(const nc_candidates *next, int i)
{
    return (next->flags[i] & (NC_STEP_NOT_FINITE | NC_STEP_TOO_FAR)) != 0;
}

// v = v + dt a, L = L + dt torque. A body that had to stay, and one whose sum overflows, keeps what it had.
static void settle_dynamic(const nc_step *step, int i)
{
    const nc_world *world = step->world;
    const nc_bodies *bodies = &world->state.bodies;
    nc_candidates *next = &step->world->candidates;
    const nc_inertia *inertia = &bodies->inertia[i];
    const nc_vec3 a = nc_madd(world->settings.gravity, bodies->inv_mass[i], bodies->force[i]);
    const nc_vec3 v = nc_madd(bodies->v[i], step->dt, a);
    const nc_vec3 momentum = nc_madd(bodies->momentum[i], step->dt, bodies->torque[i]);
    const bool torque_free = bodies->torque[i].x == 0 && bodies->torque[i].y == 0 && bodies->torque[i].z == 0;
    const bool keep = stays(next, i) || !nc_finite3(v) || !nc_finite3(momentum);
    next->v[i] = keep ? bodies->v[i] : v;
    next->momentum[i] = keep ? bodies->momentum[i] : momentum;
    next->spin[i] = nc_inertia_spin(inertia, next->pose[i].q, next->momentum[i]);
    next->spin_energy[i] =
        keep || torque_free ? bodies->spin_energy[i] : nc_inertia_energy(inertia, next->pose[i].q, next->momentum[i]);
}

// What a scripted body really did, averaged over the step: contacts will see this velocity.
static void settle_scripted(const nc_step *step, int i)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    nc_candidates *next = &step->world->candidates;
    const nc_path *path = &next->path[i];
    const double rate = 1.0 / step->dt;
    next->v[i] = nc_scale(rate, nc_sub(next->pose[i].x, bodies->pose[i].x));
    next->momentum[i] = bodies->momentum[i];
    next->spin_energy[i] = 0;
    next->spin[i] =
        path->count == 1
            ? nc_scale(rate, path->segments[0].theta)
            : nc_scale(rate, nc_quat_rotation_vector(nc_quat_mul(next->pose[i].q, nc_quat_conj(bodies->pose[i].q))));
}

static void settle_range(int begin, int end, void *ctx)
{
    const nc_step *step = ctx;
    const nc_bodies *bodies = &step->world->state.bodies;
    for (int i = begin; i < end; i++) {
        if (!bodies->alive[i])
            continue;
        if (bodies->type[i] == NC_DYNAMIC)
            settle_dynamic(step, i);
        else
            settle_scripted(step, i);
    }
}

void nc_step_settle(nc_step *step)
{
    nc_parallel_for(step->world->settings.workers, step->world->state.bodies.count, NC_BODIES_A_BLOCK, settle_range,
                    step);
}
