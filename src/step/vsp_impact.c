// Impacts in the pipelines of stack layers (docs/theory/fracture.md). They solve what hits together with what rests, so
// their impulses hold weight too. What a pair that hits would give each other alone, as in the shell step, is its
// impact.
#include "step/step.h"

bool nc_vsp_hits(const nc_solver_bodies *bodies, const nc_contact *contact, double gap, double rest_speed, double dt)
{
    const double speed = nc_dot(contact->normal, nc_contact_velocity(bodies, contact));
    return speed < -rest_speed && gap + speed * dt < 0;
}

static bool any_hits(const nc_solver_bodies *bodies, const nc_contact *contacts, const double *gaps, int count,
                     double rest_speed, double dt)
{
    for (int k = 0; k < count; k++)
        if (nc_vsp_hits(bodies, &contacts[k], gaps[k], rest_speed, dt))
            return true;
    return false;
}

// Resolves one pair, and undoes the response.
static nc_code try_pair(nc_step *step, const nc_solver_bodies *bodies, nc_contact *contacts, int count, nc_error *err)
{
    nc_workspace *w = step->work;
    const nc_pose *pose = step->world->state.bodies.pose;
    const int a = contacts[0].a, b = contacts[0].b;
    const nc_vec3 before[4] = {w->v[a], w->w[a], w->v[b], w->w[b]};
    nc_solve_settings settings = nc_solve_settings_default();
    nc_solve_report report;
    bool noted = false;
    settings.friction = step->world->settings.friction_model;
    settings.iterations = step->world->settings.vsp.iterations;
    nc_code code = nc_collide_patch(w->solver, bodies, contacts, count, &settings, &report, err);
    if (code == NC_OK)
        code = nc_step_record_impact(step, contacts, count, pose[a], pose[b], &noted, err);
    w->v[a] = before[0];
    w->w[a] = before[1];
    w->v[b] = before[2];
    w->w[b] = before[3];
    for (int k = 0; k < count; k++) {
        contacts[k].impulse = nc_v3(0, 0, 0);
        contacts[k].target = 0;
    }
    return code;
}

nc_code nc_step_vsp_record_impacts(nc_step *step, nc_error *err)
{
    const nc_workspace *w = step->work;
    const nc_solver_bodies bodies = nc_step_solver_bodies(step);
    const double rest_speed = nc_rest_speed(&step->world->settings, step->dt);
    nc_code code = NC_OK;
    for (int k = 0, end; k < w->contacts.count && code == NC_OK; k = end) {
        nc_contact *first = &w->contacts.data[k];
        for (end = k + 1; end < w->contacts.count; end++)
            if (w->contacts.data[end].a != first->a || w->contacts.data[end].b != first->b)
                break;
        if (nc_fracture_can_break(&w->fracture, &step->world->state, first->a, first->b) &&
            any_hits(&bodies, first, &w->vsp.gap.data[k], end - k, rest_speed, step->dt))
            code = try_pair(step, &bodies, first, end - k, err);
    }
    return code;
}
