// The line that a run shows on a terminal while it is running.
#ifndef NC_CLI_PROGRESS_H
#define NC_CLI_PROGRESS_H

#include "eta.h"

#include "nacre/drive.h"

typedef struct nc_progress {
    bool shown;
    int64_t first_step, last_step;  // of this process; for a check 0 and the number of frames
    double start, drawn;            // [s] by nc_clock
    double seconds[NC_PHASE_COUNT]; // wall time spent in each phase so far
    nc_eta eta;                     // of the work of this process
} nc_progress;

// Shows nothing when `quiet` or when stderr is not a terminal.
nc_progress nc_progress_start(bool quiet, int64_t first_step, int64_t last_step);
// Draws at most ten times per second.
void nc_progress_update(nc_progress *progress, int64_t step, int bodies);
// The same for work that is counted in frames.
void nc_progress_update_frames(nc_progress *progress, int64_t frames);
// The same with `part` in [0, 1) of the next frame done.
void nc_progress_update_part(nc_progress *progress, int64_t frames, double part);
// Clears the line, so that messages start on a clean one.
void nc_progress_clear(nc_progress *progress);

#endif
