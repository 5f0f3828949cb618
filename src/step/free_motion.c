// Free motion of single bodies, and what the phases share.
#include "step/step.h"

#include <string.h>

nc_vec3 nc_outer_acceleration(const nc_world *world, int i)
{
    const nc_bodies *bodies = &world->state.bodies;
    return nc_madd(world->settings.gravity, bodies->inv_mass[i], bodies->force[i]);
}

nc_solver_bodies nc_step_solver_bodies(nc_step *step)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    const nc_step_joints *joints = &step->work->joints;
    return (nc_solver_bodies){bodies->count, step->work->inv_mass, step->work->inv_inertia,          step->work->v,
                              step->work->w, bodies->pose,         joints->on ? &joints->view : NULL};
}

nc_solve_settings nc_resting_settings(const nc_world_def *settings, double dt)
{
    nc_solve_settings solve = nc_solve_settings_default();
    solve.solver = settings->contact_solver;
    solve.epsilon = settings->sequential_scale;
    solve.friction = settings->friction_model;
    solve.iterations = settings->contact_iterations;
    solve.tolerance = settings->contact_tolerance;
    solve.accelerate = settings->contact_acceleration;
    solve.shock = settings->shock_propagation;
    solve.clamp = settings->energy_corrections;
    solve.floor = NC_SOLVE_FLOOR_RESTS * settings->rest_distance / dt;
    solve.newton = NC_NEWTON_MAX_BODIES;
    solve.compliance = NC_SOLVE_COMPLIANCE;
    solve.plateau = NC_SOLVE_PLATEAU_FLOORS * solve.floor;
    solve.warm = solve.solver == NC_SOLVER_PGS; // sequential impulses are never taken back
    solve.workers = settings->workers;
    return solve;
}

void nc_place_inertia(const nc_bodies *bodies, const uint8_t *role, const nc_pose *pose, nc_mat3 *inv_inertia)
{
    const nc_mat3 zero = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
    for (int i = 0; i < bodies->count; i++) {
        nc_mat3 *out = &inv_inertia[i];
        *out = zero;
        if (!nc_row_is_free(role, i))
            continue;
        const nc_inertia *inertia = &bodies->inertia[i];
        const nc_mat3 r = nc_quat_matrix(nc_quat_mul(pose[i].q, inertia->axes));
        const nc_vec3 m = inertia->moments;
        nc_mat3 scaled;
        for (int k = 0; k < 3; k++)
            scaled.row[k] = nc_v3(r.row[k].x / m.x, r.row[k].y / m.y, r.row[k].z / m.z);
        *out = nc_mat3_multiply(scaled, nc_mat3_transpose(r));
        // Symmetric to the bit, as the solvers want it.
        out->row[1].x = out->row[0].y;
        out->row[2].x = out->row[0].z;
        out->row[2].y = out->row[1].z;
    }
}

bool nc_step_fixes_turns(const nc_step *step)
{
    return step->world->settings.energy_fix && step->world->settings.energy_corrections;
}

nc_path nc_step_free_path(nc_step *step, int i, nc_vec3 v, nc_vec3 momentum, double energy, uint8_t *flags)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    if (step->work->plain[i]) {
        const nc_vec3 spin = nc_inertia_spin(&bodies->inertia[i], bodies->pose[i].q, momentum);
        return nc_path_free(bodies->pose[i], nc_scale(step->dt, v), nc_scale(step->dt, spin), nc_v3(0, 0, 0));
    }
    const nc_free_turn turn = nc_free_turn_compute(&bodies->inertia[i], bodies->pose[i].q, momentum, step->dt,
                                                   nc_step_fixes_turns(step), energy);
    *flags |= (uint8_t)((turn.fixes > 0 ? NC_STEP_FIXED : 0) | (turn.fallback ? NC_STEP_FALLBACK : 0));
    return nc_path_free(bodies->pose[i], nc_scale(step->dt, v), turn.theta, turn.eps);
}

void nc_stay(nc_path *path, const nc_pose *pose)
{
    if (!nc_path_stays(path) || memcmp(&path->start, pose, sizeof *pose) != 0)
        *path = nc_path_still(*pose);
}

void nc_judge_path(const nc_world *world, int i, nc_path *path, uint8_t *flags)
{
    if (world->state.bodies.type[i] == NC_STATIC)
        return;
    uint8_t fault = 0;
    if (!nc_path_finite(path))
        fault = NC_STEP_NOT_FINITE;
    else if (!(nc_path_error(path, nc_mesh_radius(world->meshes.data[world->state.bodies.mesh[i]].mesh)) <=
               NC_PATH_ERROR_FLOORS * world->settings.floor_distance))
        fault = NC_STEP_TOO_FAR;
    *flags |= fault;
    if (fault != 0)
        *path = nc_path_still(world->state.bodies.pose[i]);
}

void nc_step_remember_velocities(nc_step *step)
{
    nc_workspace *w = step->work;
    for (int i = 0; i < step->world->state.bodies.count; i++) {
        w->v_before[i] = w->v[i];
        w->w_before[i] = w->w[i];
    }
}

bool nc_step_velocity_changed(const nc_step *step, int i)
{
    const nc_workspace *w = step->work;
    return memcmp(&w->v[i], &w->v_before[i], sizeof w->v[i]) != 0 ||
           memcmp(&w->w[i], &w->w_before[i], sizeof w->w[i]) != 0;
}

double nc_rest_speed(const nc_world_def *settings, double dt)
{
    return settings->rest_speed >= 0 ? settings->rest_speed : NC_REST_SPEED_STEPS * nc_norm(settings->gravity) * dt;
}
