// What a mesh surrounds: the inside of a bin, a bowl or a funnel, which need not be closed.
#ifndef NC_SCENE_WALLS_H
#define NC_SCENE_WALLS_H

#include "nacre/mesh.h"
#include "nacre/vec.h"

// True when the mesh is hit in eight directions across `up` from a point: there are walls all around it.
bool nc_mesh_surrounds(const nc_mesh *mesh, nc_pose pose, nc_vec3 up, nc_vec3 point);

#endif
