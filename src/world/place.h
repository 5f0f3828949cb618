// Inside world and audit: how near bodies may be put to each other.
#ifndef NC_WORLD_PLACE_H
#define NC_WORLD_PLACE_H

#include "world/world.h"

typedef NC_ARRAY(nc_rest_cap) nc_near_caps;

// Examines a body at a pose before it is put there: NC_INTERSECTING, with both bodies named, when it shares a point
// with one that it must stay apart from, or touches it. On NC_OK `caps` (empty before) holds its pairs that are nearer
// than the rest distance, and the world has room for them: nc_place_take, which frees it, cannot fail.
// Cost: a look at the ball around every body, or, where it lies within the ball of `among` (which may be NULL), around
// those; and more for the few that are near.
nc_code nc_place_try(nc_world *world, const nc_neighbours *among, int row, nc_body_type type, const nc_mesh *mesh,
                     nc_pose pose, const char *label, nc_near_caps *caps, nc_error *err);
// Does all that is within `reach` [m] of x lie within the ball?
bool nc_neighbours_cover(const nc_neighbours *neighbours, nc_vec3 x, double reach);
void nc_place_take(nc_world *world, int row, nc_near_caps *caps);

#endif
