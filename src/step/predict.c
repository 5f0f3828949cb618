// Steps 2 and 4: half-step velocities, proposed motions.
#include "step/step.h"

static nc_vec3 acceleration(const nc_world *world, int i)
{
    const nc_bodies *bodies = &world->state.bodies;
    return nc_madd(world->settings.gravity, bodies->inv_mass[i], bodies->force[i]);
}

static bool is_zero(nc_vec3 v)
{
    return v.x == 0 && v.y == 0 && v.z == 0;
}

// The free motion of a dynamic body: English eqs. 3 and 4 with half-step velocities, then Su's energy fix.
static nc_path predict_dynamic(const nc_step *step, int i, uint8_t *flags)
{
    const nc_world *world = step->world;
    const nc_bodies *bodies = &world->state.bodies;
    const nc_vec3 v_half = nc_madd(bodies->v[i], 0.5 * step->dt, acceleration(world, i));
    const nc_vec3 momentum = nc_madd(bodies->momentum[i], 0.5 * step->dt, bodies->torque[i]);
    const nc_quat q = bodies->pose[i].q;
    // Free flight keeps the energy it began with; a torque sets a new target in every step.
    const double energy =
        is_zero(bodies->torque[i]) ? bodies->spin_energy[i] : nc_inertia_energy(&bodies->inertia[i], q, momentum);
    const nc_free_turn turn =
        nc_free_turn_compute(&bodies->inertia[i], q, momentum, step->dt, world->settings.energy_fix, energy);
    *flags |= (uint8_t)((turn.fixes > 0 ? NC_STEP_FIXED : 0) | (turn.fallback ? NC_STEP_FALLBACK : 0));
    return nc_path_free(bodies->pose[i], nc_scale(step->dt, v_half), turn.theta, turn.eps);
}

static nc_path propose(const nc_step *step, int i, uint8_t *flags)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    switch ((nc_body_type)bodies->type[i]) {
    case NC_KINEMATIC:
        return nc_script_path(bodies, i, step->time, step->dt);
    case NC_DYNAMIC:
        return predict_dynamic(step, i, flags);
    case NC_STATIC:
        break;
    }
    return nc_path_still(bodies->pose[i]);
}

// A proposal that is not finite, or so far out that its rounding is not small against d_floor, is not carried out.
static uint8_t judge(const nc_step *step, int i, const nc_path *path)
{
    const nc_world *world = step->world;
    const nc_mesh *mesh = world->meshes.data[world->state.bodies.mesh[i]].mesh;
    if (!nc_path_finite(path))
        return NC_STEP_NOT_FINITE;
    const bool precise = nc_path_error(path, nc_mesh_view(mesh).radius) <= world->settings.floor_distance / 64;
    return precise ? 0 : NC_STEP_TOO_FAR;
}

static void predict_range(int begin, int end, void *ctx)
{
    const nc_step *step = ctx;
    nc_candidates *next = &step->world->candidates;
    const nc_bodies *bodies = &step->world->state.bodies;
    for (int i = begin; i < end; i++) {
        if (!bodies->alive[i])
            continue;
        next->flags[i] = 0;
        next->path[i] = propose(step, i, &next->flags[i]);
        next->flags[i] |= bodies->type[i] == NC_STATIC ? 0 : judge(step, i, &next->path[i]);
        if (next->flags[i] & (NC_STEP_NOT_FINITE | NC_STEP_TOO_FAR))
            next->path[i] = nc_path_still(bodies->pose[i]);
        next->pose[i] = nc_path_pose(&next->path[i], 1.0);
    }
}

void nc_step_predict(nc_step *step)
{
    const double begin = nc_wall_clock();
    nc_parallel_for(step->world->settings.workers, step->world->state.bodies.count, NC_BODIES_A_BLOCK, predict_range,
                    step);
    step->report.seconds_predict = nc_wall_clock() - begin;
}
