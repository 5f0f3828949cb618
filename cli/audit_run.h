// The exact intersection test on the frames of a run, stored ones and the present one.
#ifndef NC_CLI_AUDIT_RUN_H
#define NC_CLI_AUDIT_RUN_H

#include "reel.h"
#include "tracker.h"

// Two bodies of a run that share a point.
typedef struct nc_finding {
    int body_a, body_b; // ids of the run file
    nc_intersection where;
} nc_finding;

// Tests reel->frame. Writes up to `capacity` findings in (a, b) order; `*out_count` is how many there are in all.
nc_code nc_audit_frame(nc_reel *reel, int workers, nc_finding *out, int capacity, int *out_count, nc_error *err);

// Tests the world as it is, names what it finds on stderr (the first few), and counts it as `frame`.
nc_code nc_audit_present(const nc_world *world, int64_t frame, bool quiet, nc_tracker *tracker, nc_error *err);

// Tests the frames 0 .. last_frame of a run and counts them.
nc_code nc_audit_stored(nc_run *run, int64_t last_frame, int workers, nc_tracker *tracker, nc_error *err);

// "triangle 12" or "edge 3" or "point 0" into `out`; returns `out`.
const char *nc_element_text(nc_element kind, int element, char *out, size_t out_size);

#endif
