// The kick of a contact.
#ifndef NC_ACM_CONTACT_H
#define NC_ACM_CONTACT_H

#include "acm/forces.h"
#include "acm/gap.h"

typedef struct nc_acm_kick_result {
    double distance; // [m]
    int layer;       // how many layers are thicker than that
    bool acted;      // not null
    bool separating; // before the kick
    bool jammed;     // a layer beyond the last allowed one would have to act
} nc_acm_kick_result;

// All layers of a contact that tick at run->now, whose coarsest ticking level is `level`. A pair that its axis shows to
// be too far apart for all that ticks has an infinite distance in the result, and does not separate.
nc_acm_kick_result nc_acm_contact_kick(const nc_acm_run *run, const nc_acm_model *model, nc_acm_contact *c, int level);

#define NC_ACM_COVER_RESTITUTION 0.1
// Is there a feature next to one of the pair's that is nearer to the other? Then that one acts instead of it.
bool nc_acm_contact_is_covered(const nc_acm_model *model, const nc_acm_state *states, int64_t now,
                               const nc_acm_contact *c, const nc_vec3 *x, const nc_acm_gap *gap);

// Potential energy [J] of the whole nest at a distance [m].
double nc_acm_nest_energy(const nc_acm_model *model, const nc_acm_contact *c, double distance);

#endif
