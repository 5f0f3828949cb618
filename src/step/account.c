// The step's accounts for its report: energies between the phases, and how much of the wanted motion happened.
#include "step/step.h"

double nc_body_kinetic(const nc_bodies *bodies, int i, nc_pose pose, nc_vec3 v, nc_vec3 momentum)
{
    return 0.5 * bodies->mass[i] * nc_norm2(v) + nc_inertia_energy(&bodies->inertia[i], pose.q, momentum);
}

double nc_bodies_kinetic(const nc_bodies *bodies, const uint8_t *role, const nc_pose *pose, const nc_vec3 *v,
                         const nc_vec3 *momentum)
{
    double sum = 0;
    for (int i = 0; i < bodies->count; i++)
        if (nc_row_is_free(role, i))
            sum += nc_body_kinetic(bodies, i, pose[i], v[i], momentum[i]);
    return sum;
}

// What its force and its torque did to a body on its way [J]; of the torque by the mean of the spins before and after,
// over the `time` [s] that it ran. `momentum` is its angular momentum before.
static double work_of_forces(const nc_bodies *bodies, const nc_candidates *next, nc_vec3 momentum, double time, int i)
{
    const nc_vec3 torque = bodies->torque[i];
    const double work = nc_dot(bodies->force[i], nc_sub(next->pose[i].x, bodies->pose[i].x));
    if (!(nc_dot(torque, torque) > 0))
        return work;
    const nc_vec3 before = nc_inertia_spin(&bodies->inertia[i], bodies->pose[i].q, momentum);
    return work + 0.5 * time * nc_dot(torque, nc_add(before, next->spin[i]));
}

void nc_step_account_for_motion(nc_step *step)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    const nc_candidates *next = &step->world->candidates;
    const nc_workspace *w = step->work;
    nc_step_report *report = &step->report;
    double lift = 0, forces = 0;
    for (int i = 0; i < bodies->count; i++) {
        if (!nc_row_is_free(w->role, i))
            continue;
        const nc_vec3 way = nc_sub(next->pose[i].x, bodies->pose[i].x);
        lift -= bodies->mass[i] * nc_dot(step->world->settings.gravity, way);
        forces += work_of_forces(bodies, next, w->momentum[i], step->dt * w->fate[i].ran_until, i);
    }
    report->kinetic_moved = nc_bodies_kinetic(bodies, w->role, next->pose, next->v, next->momentum);
    report->force_work = forces;
    report->position_energy = report->kinetic_moved - report->kinetic_collided + lift - forces + report->turn_loss;
}

// ---- wanted and kept ----------------------------------------------------------------------------------------

// Travel of the centre [m], and rotation times the body's radius [m].
static nc_proposed_motion proposed_motion_of(const nc_mesh *mesh, nc_vec3 travel, nc_vec3 turn)
{
    return (nc_proposed_motion){travel, nc_scale(nc_mesh_radius(mesh), turn)};
}

// What a path does that ends at `end`: one segment about the body's centre what it says, others from where it stood to
// where it ended.
static nc_proposed_motion motion_along(const nc_mesh *mesh, const nc_path *path, nc_pose end)
{
    const nc_segment *s = &path->segments[0];
    const nc_vec3 own = nc_sub(s->a, path->start.x);
    if (path->count == 1 && nc_dot(own, own) <= 0)
        return proposed_motion_of(mesh, s->d, nc_add(s->theta, s->eps));
    const nc_vec3 turn = nc_quat_rotation_vector(nc_quat_mul(end.q, nc_quat_conj(path->start.q)));
    return proposed_motion_of(mesh, nc_sub(end.x, path->start.x), turn);
}

nc_code nc_step_record_proposals(nc_step *step, nc_error *err)
{
    nc_workspace *w = step->work;
    const nc_path *path = step->world->candidates.path;
    const int count = step->world->state.bodies.count;
    if (!nc_array_reserve(&w->allocator, &w->proposed, count))
        return nc_fail_memory(err, (size_t)count * sizeof *w->proposed.data);
    w->proposed.count = count;
    for (int i = 0; i < count; i++)
        if (nc_row_is_free(w->role, i)) {
            const nc_pose end = nc_path_is_free(&path[i]) ? path[i].start : nc_path_pose(&path[i], 1);
            w->proposed.data[i] = motion_along(w->mesh[i], &path[i], end);
        }
    return NC_OK;
}

void nc_step_account_for_proposals(nc_step *step)
{
    const nc_workspace *w = step->work;
    const nc_candidates *next = &step->world->candidates;
    for (int i = 0; i < w->proposed.count; i++) {
        if (!nc_row_is_free(w->role, i))
            continue;
        const nc_proposed_motion proposal = w->proposed.data[i],
                                 motion = motion_along(w->mesh[i], &next->path[i], next->pose[i]);
        const double size2 = nc_dot(proposal.travel, proposal.travel) + nc_dot(proposal.turn, proposal.turn);
        const double along = nc_dot(proposal.travel, motion.travel) + nc_dot(proposal.turn, motion.turn);
        if (!(size2 > 0))
            continue;
        step->report.wanted_motion += sqrt(size2);
        step->report.kept_motion += sqrt(size2) * fmin(1, fmax(0, along / size2));
    }
}

// ---- velocities and motion -----------------------------------------------------------------------------------

#define MEASURED_TURN 1.0 // [rad] a step's rotation vector tells the spin only while the step turns less

// How far p is from the segment between a and b.
static double segment_distance(nc_vec3 p, nc_vec3 a, nc_vec3 b)
{
    const nc_vec3 along = nc_sub(b, a), from = nc_sub(p, a);
    const double size2 = nc_dot(along, along);
    const double s = size2 > 0 ? fmin(1, fmax(0, nc_dot(from, along) / size2)) : 0;
    return nc_norm(nc_sub(from, nc_scale(s, along)));
}

// [m/s] of row i, of that radius [m]: how far its motion in this step is from every velocity between the stored ones,
// before and after.
static double velocity_error(const nc_bodies *bodies, const nc_candidates *next, double dt, double radius, int i)
{
    const double inv_dt = 1 / dt;
    const nc_vec3 way = nc_sub(next->pose[i].x, bodies->pose[i].x);
    const double error = segment_distance(nc_scale(inv_dt, way), bodies->v[i], next->v[i]);
    if (fmax(nc_norm(bodies->spin[i]), nc_norm(next->spin[i])) * dt > MEASURED_TURN)
        return error;
    const nc_vec3 turn = nc_quat_rotation_vector(nc_quat_mul(next->pose[i].q, nc_quat_conj(bodies->pose[i].q)));
    const double spin_error = segment_distance(nc_scale(inv_dt, turn), bodies->spin[i], next->spin[i]);
    return error + radius * spin_error;
}

void nc_step_account_for_velocities(nc_step *step)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    step->report.velocity_error = 0;
    step->report.velocity_error_body = -1;
    for (int i = 0; i < bodies->count; i++) {
        if (!nc_row_is_free(step->work->role, i))
            continue;
        const double error =
            velocity_error(bodies, &step->world->candidates, step->dt, nc_mesh_radius(step->work->mesh[i]), i);
        if (error > step->report.velocity_error) {
            step->report.velocity_error = error;
            step->report.velocity_error_body = i;
        }
    }
}
