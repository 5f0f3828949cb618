// Inside step only: the pipelines as tables. The runner (step.c) walks them, and it alone takes the time of phases.
#ifndef NC_STEP_PHASES_H
#define NC_STEP_PHASES_H

#include "step/step.h"

#define NC_PHASE_COLUMNS 3

typedef struct nc_step_phase {
    const char *name;
    nc_code (*run)(nc_step *step, nc_error *err);
    size_t seconds[NC_PHASE_COLUMNS]; // offsets in nc_step_report: columns [s] its time is added to; 0 ends them
} nc_step_phase;

typedef struct nc_phase_list {
    int count;
    const nc_step_phase *data;
} nc_phase_list;

// In the order in which they run; a phase that finds bodies to break (work->fracture.impacts), to wake
// (work->sleep.disturbed) or to slow down (work->loads.exceeded) is the last of its start.
nc_phase_list nc_step_phases(nc_pipeline pipeline, bool nothing_moves);

#endif
