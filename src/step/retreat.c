// After dynamic contact that did not come to an end: what it proposed in vain is taken back.
#include "step/step.h"

// Row i goes back to what resting contact proposed. False when it never left that.
static bool take_back(nc_candidates *next, const nc_path *predicted, int i)
{
    if ((next->flags[i] & NC_STEP_DEFERRED) == 0)
        return false;
    next->flags[i] &= (uint8_t)~NC_STEP_DEFERRED;
    next->path[i] = predicted[i];
    return true;
}

static nc_code one_round(nc_step *step, int *taken, nc_error *err)
{
    nc_workspace *w = step->work;
    nc_code code = nc_certify_refresh(w->motions, err);
    const int count = code == NC_OK ? nc_collisions_read(&w->collisions, w->motions, &w->allocator) : 0;
    if (count < 0)
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for pairs of bodies that collide");
    for (int k = 0; code == NC_OK && k < count; k++) {
        const nc_collision *hit = &w->collisions.data[k];
        const int rows[2] = {hit->i, hit->j};
        for (int side = 0; hit->toi < NC_RETREAT_BEFORE && code == NC_OK && side < 2; side++)
            if (nc_row_is_free(w->role, rows[side]) && take_back(&step->world->candidates, w->predicted, rows[side])) {
                *taken += 1;
                code = nc_certify_change(w->motions, rows[side], err);
            }
    }
    return code;
}

nc_code nc_step_retreat(nc_step *step, nc_error *err)
{
    nc_code code = NC_OK;
    int taken = 1;
    for (int round = 0; code == NC_OK && taken > 0 && round < NC_RETREAT_ROUNDS; round++) {
        taken = 0;
        code = one_round(step, &taken, err);
    }
    return code;
}
