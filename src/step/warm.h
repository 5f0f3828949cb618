// Inside step only: impulses of the last step, which resting contacts begin with. See warm.c.
#ifndef NC_STEP_WARM_H
#define NC_STEP_WARM_H

#include "world/world.h"

typedef struct nc_step nc_step;

typedef struct nc_warm {
    nc_kept_impulses kept[NC_SOLVES]; // of this step's solves; state at commit
    nc_kept_impulses spare;           // for sorting them
    NC_ARRAY(uint8_t) recalled;       // by kept impulse of the last step: a contact started from it
} nc_warm;
void nc_warm_free(nc_warm *warm, const nc_allocator *allocator);

// Impulses of the last step's solve of that kind, or of the part before (arcs.c), and the time [s] that they are of.
const nc_kept_impulses *nc_step_kept(const nc_step *step, nc_solve_kind kind, double *dt);
// Gives work->contacts the impulses they had in the last step's solve of that kind, 0 if they were not there.
nc_code nc_step_recall(nc_step *step, nc_solve_kind kind, nc_error *err);
// Keeps the impulses of work->contacts for the next step, if this one is committed.
nc_code nc_step_keep(nc_step *step, nc_solve_kind kind, nc_error *err);
// The same beside those that are kept of that kind already, which are of other pairs.
nc_code nc_step_keep_too(nc_step *step, nc_solve_kind kind, nc_error *err);

#endif
