// Inside step only: English's failsafe (4.2), if the world wants it. See failsafe.c and record_clusters.c.
#ifndef NC_STEP_FAILSAFE_H
#define NC_STEP_FAILSAFE_H

#include "certify/certify.h"

typedef struct nc_step nc_step;

typedef struct nc_failsafe_work {
    nc_clusters *clusters;      // made when they are first needed
    NC_ARRAY(nc_collision) due; // of one pass
    NC_ARRAY(uint8_t) busy;     // of each row: its cluster was worked on in this pass
} nc_failsafe_work;
void nc_failsafe_free(nc_failsafe_work *failsafe, const nc_allocator *allocator);

// Better proposals for pairs that dynamic contact left colliding.
nc_code nc_step_failsafe(nc_step *step, nc_error *err);
// Writes candidates.cluster, once certify is done.
void nc_step_record_clusters(nc_step *step);

#endif
