// Energies and momenta of the dynamic bodies.
#include "step/step.h"

#include <math.h>

static double spin_energy(const nc_bodies *bodies, int i)
{
    return nc_inertia_energy(&bodies->inertia[i], bodies->pose[i].q, bodies->momentum[i]);
}

void nc_measure_bodies(const nc_world *world, nc_step_report *report)
{
    const nc_bodies *bodies = &world->state.bodies;
    const nc_vec3 zero = {0, 0, 0};
    report->step = world->state.step_count;
    report->time = nc_state_time(&world->state);
    report->bodies = (int)bodies->alive_count;
    report->dynamic_bodies = report->sleeping = 0;
    report->kinetic = report->potential = 0;
    report->momentum = report->angular_momentum = zero;
    for (int i = 0; i < bodies->count; i++) {
        if (!bodies->alive[i] || bodies->type[i] != NC_DYNAMIC)
            continue;
        const nc_vec3 p = nc_scale(bodies->mass[i], bodies->v[i]);
        const nc_vec3 x = bodies->pose[i].x;
        report->dynamic_bodies++;
        report->potential -= bodies->mass[i] * nc_dot(world->settings.gravity, x);
        if (nc_row_sleeps(bodies, i)) {
            report->sleeping++;
            continue;
        }
        report->kinetic += 0.5 * nc_dot(p, bodies->v[i]) + spin_energy(bodies, i);
        report->momentum = nc_add(report->momentum, p);
        report->angular_momentum = nc_add(report->angular_momentum, nc_add(nc_cross(x, p), bodies->momentum[i]));
    }
}

nc_code nc_world_measure(const nc_world *world, nc_step_report *report, nc_error *err)
{
    if (world == NULL || report == NULL)
        return nc_fail(err, NC_BAD_ARGUMENT, "nc_world_measure needs a world and a report");
    *report = (nc_step_report){.smallest_distance = INFINITY,
                               .velocity_error_body = -1,
                               .stalled_body = -1,
                               .stalled_by = -1,
                               .left_body = -1};
    nc_measure_bodies(world, report);
    report->kinetic_before = report->kinetic_collided = report->kinetic_moved = report->kinetic;
    report->potential_before = report->potential;
    return NC_OK;
}
