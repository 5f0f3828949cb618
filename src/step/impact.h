// Inside step only: bodies that break (docs/theory/fracture.md).
#ifndef NC_STEP_IMPACT_H
#define NC_STEP_IMPACT_H

#include "contact/contact.h"
#include "fracture/fracture.h"
#include "world/world.h"

typedef struct nc_step nc_step;

// The hardest impact on a body above its fracture threshold, or a joint that breaks it.
typedef struct nc_impact {
    int row;
    int joint;                   // slot of the joint that broke and breaks the body with it; -1: a collision does
    double impulse;              // [N s] along the normal; of a joint its reaction
    nc_vec3 place, normal;       // [m], [1] in the body's frame; the normal points into the body
    nc_vec3 at_place, at_normal; // [m], [1] in the world at the time of impact
} nc_impact;

// What breaking needs, made when a body is declared breakable, or when it is first needed.
typedef struct nc_prepared_pattern {
    nc_fracture how;
    nc_pattern *pattern;
} nc_prepared_pattern;
typedef struct nc_prepared_mesh {
    nc_breakable_def def;
    nc_breakable *breakable; // has the mesh
} nc_prepared_mesh;

typedef struct nc_fracture_work {
    NC_ARRAY(nc_impact) impacts; // of this start of the step; no body twice
    NC_ARRAY(uint8_t) spared;    // by row: it does not break (again) in this step
    NC_ARRAY(nc_prepared_pattern) patterns;
    NC_ARRAY(nc_prepared_mesh) breakable;
} nc_fracture_work;
void nc_fracture_work_free(nc_fracture_work *fracture, const nc_allocator *allocator);

// Are impacts on one of the two to be measured?
bool nc_fracture_can_break(const nc_fracture_work *fracture, const nc_state *state, int i, int j);
// Can any body break in this step?
bool nc_fracture_may_break(const nc_fracture_work *fracture, const nc_state *state);
// Examines the impulses in `contacts`, all of one pair, and records the impact for each body whose fracture threshold
// it exceeds; true when there is one. Arms are from `pose_i` and `pose_j`.
nc_code nc_step_record_impact(nc_step *step, const nc_contact *contacts, int count, nc_pose pose_i, nc_pose pose_j,
                              bool *noted, nc_error *err);

// Records that a joint breaks, for each body that breaks with it: at its anchor, with the force [N] and the torque
// [N m] on A.
nc_code nc_step_record_joint_break(nc_step *step, int slot, nc_vec3 force, nc_vec3 torque, nc_error *err);

// What breaking has done in a step, over all its starts.
typedef struct nc_breaks {
    int starts;                    // of the step, this one included
    bool taken;                    // `before` is the world's state at the start, and the world has a copy
    nc_state before;               //
    int meshes, events, pieces;    // that the world had then
    int joint_events;              // the same of joints that broke
    int joints;                    // that broke with a body, so far
    nc_step_report first;          // as the first start began it
    int fractures, born, unbroken; // so far
    double energy;                 // [J] so far
    double seconds;                // [s] of whole starts that ended in breaking; by the runner
} nc_breaks;

// Replaces the bodies in work->fracture.impacts by their pieces, or says why they stay whole. The step is then to be
// started again: nothing of it counts.
nc_code nc_step_break(nc_step *step, nc_breaks *breaks, nc_error *err);
nc_breaks nc_breaks_begin(nc_world *world);
// What a step of several starts reports: where it began, and what broke.
void nc_breaks_report(const nc_breaks *breaks, nc_step_report *report);
// Ends a step: `code` says whether it was committed; if not, the world becomes what it was.
void nc_breaks_end(nc_world *world, nc_breaks *breaks, nc_code code);

#endif
