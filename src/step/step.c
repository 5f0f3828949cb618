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

// Are bodies to be broken, woken or slowed down before the step can be made?
static bool must_start_again(const nc_workspace *work)
{
    return work->fracture.impacts.count > 0 || work->sleep.disturbed || work->loads.exceeded;
}

// All phases, or up to the one that finds bodies to break or to wake.
static nc_code run_phases(nc_step *step, nc_error *err)
{
    const nc_phase_list phases = nc_step_phases(step->world->settings.pipeline, nc_step_nothing_moves(step));
    nc_code code = NC_OK;
    for (int k = 0; code == NC_OK && !must_start_again(step->work) && k < phases.count; k++) {
        code = check_interrupt(step->world, err);
        if (code == NC_OK) // what is committed is what all ranks have found
            code = nc_share_check(step->world->share, err);
        if (code == NC_OK)
            code = run_phase(&phases.data[k], step, err);
    }
    return code;
}

// One start of a step. *again when bodies broke or woke, or press too hard, and it is to be started again with their
// pieces, with them awake, or slower.
static nc_code start(nc_step *step, nc_world *world, double dt, nc_breaks *breaks, bool *again, nc_error *err)
{
    const double begin = nc_wall_clock();
    nc_code code = nc_step_begin(step, world, dt, err);
    step->again = breaks->starts > 0;
    if (code == NC_OK)
        code = run_phases(step, err);
    *again = code == NC_OK && must_start_again(step->work);
    const bool slower = *again && step->work->loads.exceeded;
    if (*again && !step->work->sleep.disturbed && !slower)
        code = nc_step_break(step, breaks, err); // bodies that do not stand an impact
    double *const seconds = !*again                       ? &step->report.seconds_total
                            : step->work->sleep.disturbed ? &step->work->sleep.seconds
                            : slower                      ? &step->work->loads.seconds
                                                          : &breaks->seconds;
    *seconds += nc_wall_clock() - begin;
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
    if (code == NC_OK)
        code = nc_workspace_ensure(world, err);
    if (code == NC_OK) {
        nc_sleep_forget_woken(world->workspace);
        nc_loads_forget(&((nc_workspace *)world->workspace)->loads);
    }
    while (code == NC_OK && again)
        code = start(&step, world, dt, &breaks, &again, err);
    if (code == NC_OK) {
        nc_breaks_report(&breaks, &step.report);
        step.report.seconds_total += step.work->sleep.seconds + step.work->loads.seconds;
        if (report != NULL)
            *report = step.report;
    } else if (nc_share_check(world->share, NULL) != NC_OK)
        code = nc_share_check(world->share, err); // the cause, whatever it looked like
    nc_breaks_end(world, &breaks, code);
    if (code != NC_OK && starts && world->state.checked)
        nc_world_uncheck(world);
    return code;
}
