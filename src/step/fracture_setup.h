// Inside step only: what breaking needs, made once and kept with the workspace. Nothing of it decides a result: a world
// that was restored makes it again.
#ifndef NC_STEP_FRACTURE_SETUP_H
#define NC_STEP_FRACTURE_SETUP_H

#include "step/step.h"

nc_code nc_prepared_pattern_get(nc_world *world, const nc_fracture *how, const nc_pattern **out, nc_error *err);
// For meshes that several bodies may have; pieces, whose meshes are their own, make theirs when they break.
nc_code nc_prepared_mesh_get(nc_world *world, const nc_fracture *how, nc_mesh *mesh, const nc_breakable **out,
                             nc_error *err);
nc_breakable_def nc_fracture_breakable_def(const nc_world *world, const nc_fracture *how);

#endif
