// Inside step only: proposals of several segments for islands whose arcs do not fit into their play, see arcs.c.
#ifndef NC_STEP_ARCS_H
#define NC_STEP_ARCS_H

#include "step/find_contacts.h"

typedef struct nc_step nc_step;

// A body whose motion is made in several segments, where one begins.
typedef struct nc_arc_body {
    nc_vec3 v;              // [m/s]
    nc_vec3 momentum;       // [kg m^2/s] angular
    nc_vec3 push_v, push_w; // [m/s], [rad/s] of the segment
    nc_vec3 free_v, free_w; // [m/s], [rad/s] the same without what only pushes bodies apart
    nc_vec3 mean_v, mean_w; // [m/s], [rad/s] over all segments as they were proposed
} nc_arc_body;

typedef struct nc_arcs {
    NC_ARRAY(uint8_t) parts;        // by row: how many segments its proposal has, 0: one
    NC_ARRAY(nc_arc_body) body;     // by row: of these, what they do between two segments
    NC_ARRAY(nc_pose) pose;         // by row: where bodies are then
    NC_ARRAY(const nc_mesh *) mesh; // by row: NULL where a body takes no part
    nc_near_table near;             // of those that do, then
    nc_kept_impulses kept;          // of the solve before that one
    double kept_dt;                 // [s] its time
} nc_arcs;
void nc_arcs_free(nc_arcs *arcs, const nc_allocator *allocator);

// Nobody has several segments at the start of predict.
nc_code nc_arcs_begin(nc_arcs *arcs, int rows, const nc_allocator *allocator, nc_error *err);
bool nc_arcs_has(const nc_arcs *arcs, int i);
// After all other proposals.
nc_code nc_step_follow_arcs(nc_step *step, nc_error *err);
// The same for islands that fit tightly and whose proposals collide; when work->motions has begun.
nc_code nc_step_split_colliding(nc_step *step, nc_error *err);
// The proposal `base` of several segments of row i, with v and w [m/s], [rad/s] as its mean velocities over `dt` [s].
nc_path nc_arcs_bend(const nc_arcs *arcs, int i, const nc_path *base, nc_vec3 v, nc_vec3 w, double dt);

#endif
