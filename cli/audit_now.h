// The exact test of a run on its way: what is stored, what is there now, the motion of the last step.
#ifndef NC_CLI_AUDIT_NOW_H
#define NC_CLI_AUDIT_NOW_H

#include "tracker.h"

// Tests frames 0 .. last_frame of a run that is being written; counts them in the tracker.
nc_code nc_audit_stored(nc_run *run, int64_t last_frame, int workers, nc_tracker *tracker, nc_error *err);

// Tests the world as it is, names what it finds on stderr (the first pairs of the whole run), counts it as `frame`.
nc_code nc_audit_present(const nc_world *world, int64_t frame, bool quiet, nc_tracker *tracker, nc_error *err);

// Tests the motion of the world's last step at many times and counts the step. NC_BROKEN_PROMISE names the first pair
// that meets on its way, and the time.
nc_code nc_audit_motion(const nc_world *world, nc_tracker *tracker, nc_error *err);

#endif
