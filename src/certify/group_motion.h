// Inside certify only: cutting and continuing paths, and the motion that a group has in common.
#ifndef NC_CERTIFY_GROUP_MOTION_H
#define NC_CERTIFY_GROUP_MOTION_H

#include "certify/state.h"

bool nc_segment_is_still(const nc_segment *segment);
// How many segments a path could be given from `now` on.
int nc_path_room(const nc_path *path, double now);
// No motion from `now` on.
void nc_path_halt(nc_path *path, double now);
// The segments of a path from `now` on, as one that another body can follow; returns how many.
int nc_path_rest(const nc_path *path, double now, nc_segment rest[NC_MAX_SEGMENTS]);
// Goes on with `rest` from `now` on. There must be room.
void nc_path_follow(nc_path *path, double now, const nc_segment *rest, int count);
// The rigid motion with the momentum and angular momentum that a group of free bodies has at `now` (English 5-8).
nc_segment nc_common_motion(const nc_certify_bodies *bodies, const nc_groups *groups, int root, double now);

// World inertia of a body at orientation q: R diag R^T.
nc_mat3 nc_world_inertia(const nc_inertia *inertia, nc_quat q);
// m (|r|^2 - r r^T): a point mass at r (English eq. 7).
nc_mat3 nc_point_inertia(double mass, nc_vec3 r);
void nc_mat3_add_to(nc_mat3 *sum, const nc_mat3 *m);

#endif
