// Contact's solvers, as the phases call them.
#include "step/step.h"

nc_code nc_step_run_solver(nc_step *step, nc_solve_call solver, nc_contact *contacts, int count,
                           const nc_solve_settings *settings, double *seconds, nc_solve_report *report, nc_error *err)
{
    const nc_solver_bodies bodies = nc_step_solver_bodies(step);
    const double begin = nc_wall_clock();
    nc_solve_settings shared = *settings;
    shared.share = step->world->share;
    const nc_code code = solver(step->work->solver, &bodies, contacts, count, &shared, report, err);
    *seconds += nc_wall_clock() - begin;
    return code;
}
