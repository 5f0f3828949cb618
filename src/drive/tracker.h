// Gathers what a run showed, step by step, for the judgement of a scene's `expect` block.
#ifndef NC_DRIVE_TRACKER_H
#define NC_DRIVE_TRACKER_H

#include "nacre/drive.h"

// A scripted body that waited for another: the steps from the first to the last in which it did.
typedef struct nc_wait {
    int body, by;    // slots
    double from, to; // [s]
    int64_t steps;   // or frames, of a run that is resumed
} nc_wait;

typedef struct nc_tracker {
    nc_run_summary summary;
    double energy_start;         // [J]
    nc_vec3 angular_start;       // [kg m^2/s]
    int64_t intersecting_frames; // audited frames in which some pair intersects
    int64_t audited_frames;
    int64_t audited_steps;      // whose motion was tested
    int64_t first_intersecting; // frame number, -1: none
    nc_wait waits[NC_SESSION_WAITS];
    int wait_count;
    int left_body;      // slot of the first body that was left where it is because it is too far away; -1: none
    double left_time;   // [s] when it was first
    double steps_begin; // [s] of the step or frame under way
} nc_tracker;

// Starts from the state at time 0.
nc_tracker nc_tracker_start(const nc_model_report *start, bool audited);
// Adds the report of one step, or the row of a frame (which counts for all its steps).
void nc_tracker_add_report(nc_tracker *tracker, const nc_model_report *report);
// Who waited in the step just made, for whom; or in the steps of a stored frame, of which the first pair is known. To
// be called before nc_tracker_add_report.
nc_code nc_tracker_add_waits(nc_tracker *tracker, nc_model model, const nc_model_report *report,
                             const nc_allocator *allocator, nc_error *err);
void nc_tracker_add_stored_wait(nc_tracker *tracker, const nc_model_report *report);
// Adds the audit of one frame.
void nc_tracker_add_audit(nc_tracker *tracker, int64_t frame, int64_t pairs);
// Fills what is known at the end only: steps, and dynamic bodies whose centre, or one of whose own vertices, is outside
// `bounds`.
nc_code nc_tracker_finish(nc_tracker *tracker, nc_model model, nc_box bounds, const nc_allocator *allocator,
                          nc_error *err);

#endif
