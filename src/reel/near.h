// What is near what in a frame, found from its poses the way the step finds it: features nearer than the scene's
// `proximity` (nc_proximity_find), for every pair that must stay apart and in which something can move.
#ifndef NC_REEL_NEAR_H
#define NC_REEL_NEAR_H

#include "nacre/nacre.h"

#include "base/base.h"

#include <stdio.h>

// A body of the frame.
typedef struct nc_near_body {
    int id; // in the run
    nc_body_type type;
    const nc_mesh *mesh;
    nc_pose pose;
} nc_near_body;

typedef void (*nc_near_listener)(int id_a, int id_b, const nc_proximity *contact, void *ctx);

// Calls `listener` for every contact, by pairs in the order of `bodies`.
nc_code nc_near_find(nc_run *run, const nc_near_body *bodies, int count, double proximity, nc_near_listener listener,
                     void *ctx, nc_error *err);

#endif
