// Inside step only: the contacts of a step as nc_world_contacts has them. Nothing happens unless the world traces them.
#ifndef NC_STEP_RECORD_CONTACTS_H
#define NC_STEP_RECORD_CONTACTS_H

#include "certify/certify.h"
#include "world/world.h"

typedef struct nc_step nc_step;

// Records those of work->contacts that have an impulse, after a solve that changed velocities; `pose` is the column
// that their arms belong to. Contacts that bounced (nc_contact.impact) are of phase NC_CONTACT_IMPACT.
void nc_step_record_contacts(nc_step *step, nc_contact_phase phase, const nc_pose *pose);
// The same for the half of the impulses that islands got at the start of the step and carry to its end (carry.c).
void nc_step_record_carried(nc_step *step);
// The same for the response to one hit, before the flights of its bodies are changed.
void nc_step_record_hit(nc_step *step, const nc_collision *hit);
// Records contacts of bodies that slept through the step; before commit changes the state.
void nc_step_record_sleepers(nc_step *step);

#endif
