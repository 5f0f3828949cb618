// The step, in order.
#include "step/step.h"

#include "audit/audit.h"

// Phases write candidate rows only. Commit swaps them in, or leaves the world exactly as it was.
nc_code nc_world_step(nc_world *world, double dt, nc_step_report *report, nc_error *err)
{
    if (!(dt > 0) || !isfinite(dt))
        return nc_fail(err, NC_BAD_ARGUMENT, "the time step is %g s; it must be above 0 and finite", dt);
    nc_step step;
    const bool starts = !world->state.checked;
    nc_code code = nc_world_check(world, NULL, err); // once: nobody meets at the start
    if (code == NC_OK)
        code = nc_step_begin(&step, world, dt, err);
    const bool shell = world->settings.pipeline == NC_PIPELINE_SHELL;
    if (code == NC_OK && shell)
        code = nc_step_collide(&step, err); // 1    bounce: impulses with restitution
    if (code == NC_OK && shell)
        code = nc_step_predict(&step, err); // 2-4  forces, resting contact, proposed motions
    if (code == NC_OK && !shell)
        code = nc_step_vsp(&step, err); // instead of 1-4: velocities and proposals, stack layer by stack layer
    if (code == NC_OK)
        code = nc_step_separate(&step, err); // 5    dynamic contact, then certify: no two paths may cross
    if (code == NC_OK)
        code = nc_step_settle(&step, err); // 6-7  final velocities, resting contact
    if (code == NC_OK)
        code = nc_step_commit(&step, report, err);
    if (code != NC_OK && starts && world->state.checked)
        nc_world_uncheck(world);
    return code;
}
