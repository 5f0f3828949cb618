// Inside step only: islands with joints in the pipelines of stack layers, see mechanisms.c.
#ifndef NC_STEP_MECHANISMS_H
#define NC_STEP_MECHANISMS_H

#include "step/find_contacts.h"

typedef struct nc_step nc_step;

typedef struct nc_mechanisms {
    NC_ARRAY(uint8_t) rows; // by row: a free body in an island with a joint; meaningless where no joint acts
    nc_contact_list apart;  // contacts that work->contacts does not have: those of such islands while layers are
                            // solved, then the others
} nc_mechanisms;
void nc_mechanisms_free(nc_mechanisms *mechanisms, const nc_allocator *allocator);

// Takes the contacts of islands with joints out of work->contacts.
nc_code nc_step_leave_mechanisms(nc_step *step, nc_error *err);
bool nc_step_in_mechanism(const nc_step *step, int row);

#endif
