// The exact intersection test on the frames of a run, stored ones and the present one.
#ifndef NC_CLI_AUDIT_RUN_H
#define NC_CLI_AUDIT_RUN_H

#include "audit/audit.h"

#include "reel.h"
#include "tracker.h"

// What the test of one frame found, in order of body ids. In hits, a and b are body ids of the run file.
typedef struct nc_frame_audit {
    int64_t frame;
    double time; // [s]
    const nc_audit_hit *hits;
    int hit_count;
} nc_frame_audit;

// Tests frames first .. last on up to `workers` threads and calls `tell` for each of them, in order.
typedef void (*nc_audit_listener)(const nc_frame_audit *audit, void *ctx);
nc_code nc_audit_frames(nc_reel *reel, int64_t first, int64_t last, int workers, nc_audit_listener tell, void *ctx,
                        nc_error *err);

// The same for frames 0 .. last_frame of a run that is being written; counts them in the tracker.
nc_code nc_audit_stored(nc_run *run, int64_t last_frame, int workers, nc_tracker *tracker, nc_error *err);

// Tests the world as it is, names what it finds on stderr (the first pairs of the whole run), counts it as `frame`.
nc_code nc_audit_present(const nc_world *world, int64_t frame, bool quiet, nc_tracker *tracker, nc_error *err);

// Tests the motion of the world's last step at many times and counts the step. NC_BROKEN_PROMISE names the first pair
// that meets on its way, and the time.
nc_code nc_audit_motion(const nc_world *world, nc_tracker *tracker, nc_error *err);

// "triangle 12" or "edge 3" or "point 0" into `out`; returns `out`.
const char *nc_element_text(nc_element kind, int element, char *out, size_t out_size);
// "frame 3 (0.125 s): triangle 12 of boat.1 meets triangle 7 of bowl near (1, 2, 3)" with a line end.
void nc_hit_print(FILE *out, int64_t frame, double time, const char *const bodies[2], const nc_intersection *where);

#endif
