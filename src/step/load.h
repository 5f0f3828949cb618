// Inside step only: what scripted bodies with a maximum force press with. docs/theory/step.md#maximum-force.
#ifndef NC_STEP_LOAD_H
#define NC_STEP_LOAD_H

#include "certify/certify.h"
#include "contact/contact.h"
#include "world/world.h"

typedef struct nc_step nc_step;

// A scripted body with a maximum force or torque.
typedef struct nc_load {
    nc_vec3 impulse, moment;  // [N s], [N m s] on it in this start of the step, about its centre
    double pace;              // [1] part of the script's motion that this start makes
    double low, high;         // [1] paces between which the load passes what it may be
    double at_low, at_high;   // [1] the load there, as part of the maximum; negative: not known
    double higher, at_higher; // [1] the pace that was `high` before, and the load there
    int tries;                // paces that were tried
    bool decided;             // `pace` is final
} nc_load;

typedef struct nc_loads {
    bool on;                 // there is such a body
    bool exceeded;           // the step is to be started again with other paces
    int starts;              // of the step, for this reason
    double seconds;          // [s] that these took; by the runner
    NC_ARRAY(nc_load) rows;  // by row
    nc_contact_list carried; // contacts of the solve at the start whose velocities may be carried
} nc_loads;
void nc_loads_free(nc_loads *loads, const nc_allocator *allocator);

// Before the first start of a step; before each start.
void nc_loads_forget(nc_loads *loads);
nc_code nc_loads_begin(nc_step *step, nc_error *err);
// Impulses of work->contacts, after a solve that changed velocities, act on bodies with a maximum.
void nc_step_load_contacts(nc_step *step);
// The same of the rows of joints.
void nc_step_load_joints(nc_step *step);
// Keeps the contacts of the solve whose velocities are carried (work->batch).
nc_code nc_step_keep_carried_contacts(nc_step *step, nc_error *err);
// [1] the part of its script's motion that row i makes in this start.
double nc_step_pace(const nc_step *step, int i);
// The phase that compares loads with what they may be.
nc_code nc_step_weigh(nc_step *step, nc_error *err);
// In commit: paces become state.
void nc_step_commit_loads(nc_step *step);

#endif
