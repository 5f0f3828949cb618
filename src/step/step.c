// The step, in order.
#include "step/step.h"

#include "audit/audit.h"

// One start of a step, up to the proposals. *again when bodies broke, and it is to be started again with their pieces.
static nc_code propose(nc_step *step, nc_world *world, double dt, nc_breaks *breaks, bool *again, nc_error *err)
{
    const bool shell = world->settings.pipeline == NC_PIPELINE_SHELL;
    nc_code code = nc_step_begin(step, world, dt, err);
    *again = false;
    step->again = breaks->starts > 0;
    if (code == NC_OK && !shell)
        code = nc_step_vsp(step, err); // instead of 1-4: velocities and proposals, stack layer by stack layer
    else if (code == NC_OK)
        code = nc_step_collide(step, err); // 1    bounce: impulses with restitution
    if (code == NC_OK && step->work->blows.count > 0) {
        *again = true;
        return nc_step_break(step, breaks, err); //      bodies that do not stand a blow
    }
    return code == NC_OK && shell ? nc_step_predict(step, err) : code; // 2-4  forces, resting contact, proposed motions
}

void nc_world_set_interrupt(nc_world *world, bool (*asked)(void *ctx), void *ctx)
{
    world->interrupt = (nc_interrupt){asked, ctx};
}

static nc_code check_interrupt(const nc_world *world, nc_error *err)
{
    return nc_interrupt_asked(&world->interrupt) ? nc_fail_interrupted(err) : NC_OK;
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
        code = propose(&step, world, dt, &breaks, &again, err); // 1-4
    if (code == NC_OK)
        code = check_interrupt(world, err);
    if (code == NC_OK)
        code = nc_step_separate(&step, err); // 5    dynamic contact, then certify: no two paths may cross
    if (code == NC_OK)
        code = nc_step_settle(&step, err); // 6-7  final velocities, resting contact
    if (code == NC_OK)
        code = check_interrupt(world, err);
    if (code == NC_OK)
        code = nc_step_commit(&step, &breaks, report, err);
    nc_breaks_end(world, &breaks, code);
    if (code != NC_OK && starts && world->state.checked)
        nc_world_uncheck(world);
    return code;
}
