// The kick of a contact.
#ifndef NC_CLOTH_CONTACT_H
#define NC_CLOTH_CONTACT_H

#include "cloth/forces.h"
#include "cloth/gap.h"

typedef struct nc_cloth_kick_result {
    double distance; // [m]
    int layer;       // how many layers are thicker than that
    bool acted;      // not null
    bool separating; // before the kick
    bool jammed;     // a layer beyond the last allowed one would have to act
} nc_cloth_kick_result;

// All layers of a contact that tick at run->now, whose coarsest ticking level is `level`. A pair that its axis shows to
// be too far apart for all that ticks has an infinite distance in the result, and does not separate.
nc_cloth_kick_result nc_cloth_contact_kick(const nc_cloth_tick *run, const nc_cloth_model *model,
                                           nc_cloth_active_contact *c, int level);

#define NC_CLOTH_COVER_RESTITUTION 0.1
// Is there a feature next to one of the pair's that is nearer to the other? Then that one acts instead of it.
bool nc_cloth_contact_is_covered(const nc_cloth_model *model, const nc_cloth_state *states, int64_t now,
                                 const nc_cloth_active_contact *c, const nc_vec3 *x, const nc_cloth_gap *gap);

// Potential energy [J] of the whole nest at a distance [m].
double nc_cloth_nest_energy(const nc_cloth_model *model, const nc_cloth_active_contact *c, double distance);

#endif
