// The step, in order.
#include "step/step.h"

static nc_step begin_step(nc_world *world, double dt)
{
    nc_step step = {.world = world, .dt = dt, .time = nc_world_time(world), .clock_begin = nc_wall_clock()};
    nc_measure_bodies(world, &step.report);
    step.report.kinetic_before = step.report.kinetic;
    return step;
}

// Phases write candidate rows only. Commit swaps them in, or leaves the world exactly as it was.
nc_code nc_world_step(nc_world *world, double dt, nc_step_report *report, nc_error *err)
{
    if (!(dt > 0) || !isfinite(dt))
        return nc_fail(err, NC_BAD_ARGUMENT, "the time step is %g s; it must be above 0 and finite", dt);
    nc_step step = begin_step(world, dt);
    nc_step_predict(&step); // 2-4  forces, proposed motions
    nc_step_settle(&step);  // 6    final velocities
    return nc_step_commit(&step, report, err);
}
