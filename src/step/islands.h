// Inside step only: which bodies are connected by contacts, and what is to be done with an island.
#ifndef NC_STEP_ISLANDS_H
#define NC_STEP_ISLANDS_H

#include "step/find_contacts.h"
#include "step/joints.h"

typedef struct nc_islands {
    NC_ARRAY(int) of;         // by row: the lowest row of its island
    NC_ARRAY(int) size;       // by lowest row of an island: its bodies (active.c)
    NC_ARRAY(uint8_t) marked; // by lowest row of an island: it is to be solved again, or in so many parts
    NC_ARRAY(uint8_t) idle;   // by contact: it does not act in this solve (active.c)
    const nc_row_pair *pairs; // free rows that joints connect
    int pair_count;
    const uint8_t *jointed;      // by row: it has a joint; NULL: none has
    NC_ARRAY(uint8_t) mechanism; // by lowest row of an island: one of its bodies has a joint
} nc_islands;
void nc_islands_free(nc_islands *islands, const nc_allocator *allocator);

// The row of a contact that has a finite mass; B's when both have none. `role` is nc_role by row.
int nc_finite_row(const uint8_t *role, const nc_contact *contact);
// Bodies connected by contacts, bodies of infinite mass aside: fills `of`.
nc_code nc_islands_update(nc_islands *islands, const uint8_t *role, int rows, const nc_contact_list *contacts,
                          const nc_allocator *allocator, nc_error *err);
// The mark of a contact's island.
uint8_t *nc_islands_mark(const nc_islands *islands, const uint8_t *role, const nc_contact *contact);
void nc_islands_mark_all(nc_islands *islands, int rows, uint8_t mark);
// An island of so few bodies that it may be solved several times in a step.
bool nc_islands_is_small(const nc_islands *islands, const uint8_t *role, const nc_contact *contact);

#endif
