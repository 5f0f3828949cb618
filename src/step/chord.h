// Inside step only: contacts of bodies that turn within a step.
#ifndef NC_STEP_CHORD_H
#define NC_STEP_CHORD_H

#include "step/find_contacts.h"

// [m/s] what the turning of both bodies adds to a contact's relative velocity, averaged over the `dt` [s] from `pose`
// (a column) on; 0 where it does not matter. See chord.c.
nc_vec3 nc_chord_bias(const nc_near *near, double dt, const nc_solver_bodies *bodies, const nc_contact *contact,
                      const nc_pose *pose);
// Where bodies roll, moves contacts to where round surfaces would touch; see docs/theory/step.md.
void nc_round_contacts(const nc_world *world, double dt, const nc_solver_bodies *bodies, nc_contact_list *contacts);

#endif
