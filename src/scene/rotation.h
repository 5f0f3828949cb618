// Rotations as scenes write them.
#ifndef NC_SCENE_ROTATION_H
#define NC_SCENE_ROTATION_H

#include "nacre/vec.h"

#include "scene/node.h"

// Reads a map with axis and angle, or euler, or quaternion. The result is of length 1 up to rounding.
nc_code nc_rotation_read(const nc_node *map, nc_quat *out, nc_error *err);
// The turn by `degrees` about `axis` (of any length but 0).
nc_quat nc_rotation_about(nc_vec3 axis, double degrees);
// A turn that takes the z axis to `axis` (of any length but 0).
nc_quat nc_rotation_z_to(nc_vec3 axis);
// A random turn: 0 none, 1 every orientation equally likely.
nc_quat nc_rotation_random(nc_random *random, double amount);
// A point of the unit sphere, every one equally likely.
nc_vec3 nc_direction_random(nc_random *random);

#endif
