// Inside world: making rows.
#ifndef NC_WORLD_ROWS_H
#define NC_WORLD_ROWS_H

#include "world/world.h"

// Makes a body of a definition that was checked and a mass that was computed. With a pose (of its centre of mass) it is
// put there as it is, without a look at the others, and has no caps; without one the definition says where, and in a
// world that was checked there must be room. On failure nothing changed.
nc_code nc_row_insert(nc_world *world, const nc_body_def *def, const nc_mass *mass, const nc_pose *pose, int *out_row,
                      nc_error *err);

#endif
