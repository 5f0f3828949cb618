// The runner: walks the phases of a step in order and takes their time.
#include "step/phases.h"

#include "audit/audit.h"

#include <string.h>

void nc_world_set_interrupt(nc_world *world, bool (*asked)(void *ctx), void *ctx)
{
    world->interrupt = (nc_interrupt){asked, ctx};
}

static nc_code check_interrupt(const nc_world *world, nc_error *err)
{
    return nc_interrupt_requested(&world->interrupt) ? nc_fail_interrupted(err) : NC_OK;
}

static nc_code run_phase(const nc_step_phase *phase, nc_step *step, nc_error *err)
{
    const double begin = nc_wall_clock();
    const nc_code code = phase->run(step, err);
    const double seconds = nc_wall_clock() - begin;
    for (int k = 0; k < NC_PHASE_COLUMNS && phase->seconds[k] != 0; k++) {
        char *at = (char *)&step->report + phase->seconds[k];
        double sum;
        memcpy(&sum, at, sizeof sum);
        sum += seconds;
        memcpy(at, &sum, sizeof sum);
    }
    return code;
}

// All phases, or up to the one that finds bodies to break.
static nc_code run_phases(nc_step *step, nc_error *err)
{
    const nc_phase_list phases = nc_step_phases(step->world->settings.pipeline);
    nc_code code = NC_OK;
    for (int k = 0; code == NC_OK && step->work->fracture.impacts.count == 0 && k < phases.count; k++) {
        code = check_interrupt(step->world, err);
        if (code == NC_OK)
            code = run_phase(&phases.data[k], step, err);
    }
    return code;
}

// One start of a step. *again when bodies broke, and it is to be started again with their pieces.
static nc_code start(nc_step *step, nc_world *world, double dt, nc_breaks *breaks, bool *again, nc_error *err)
{
    const double begin = nc_wall_clock();
    nc_code code = nc_step_begin(step, world, dt, err);
    step->again = breaks->starts > 0;
    if (code == NC_OK)
        code = run_phases(step, err);
    *again = code == NC_OK && step->work->fracture.impacts.count > 0;
    if (*again)
        code = nc_step_break(step, breaks, err); // bodies that do not stand an impact
    *(*again ? &breaks->seconds : &step->report.seconds_total) += nc_wall_clock() - begin;
    return code;
}

// Phases write candidate rows only. Commit swaps them in, or leaves the world exactly as it was.
nc_code nc_world_step(nc_world *world, double dt, nc_step_report *report, nc_error *err)
{
    if (!(dt > 0) || !isfinite(dt))
        return nc_fail(err, NC_BAD_ARGUMENT, "the time step is %g s; it must be above 0 and finite", dt);
    nc_step step;
    nc_breaks breaks = nc_breaks_begin(world);
    bool again = true;
    const bool starts = !world->state.checked;
    nc_code code = nc_world_check(world, NULL, err); // once: nobody meets at the start
    while (code == NC_OK && again)
        code = start(&step, world, dt, &breaks, &again, err);
    if (code == NC_OK) {
        nc_breaks_report(&breaks, &step.report);
        if (report != NULL)
            *report = step.report;
    }
    nc_breaks_end(world, &breaks, code);
    if (code != NC_OK && starts && world->state.checked)
        nc_world_uncheck(world);
    return code;
}
