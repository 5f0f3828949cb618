// Room among posed meshes: may a body be here, and how far does it go before it comes near another?
//
// Distances are those of the surfaces; what is accepted is tested by the exact test as well.
#ifndef NC_SCENE_ROOM_H
#define NC_SCENE_ROOM_H

#include "broad/broad.h"
#include "scene/description.h"

// How far bodies stay from each other.
typedef struct nc_room_gaps {
    double gap;           // [m] of all pairs; NaN: the rest distance of the pair
    double rest_distance; // [m] the most that a pair rests at; infinite: by size alone
    double rest_fraction; // [1] of the diagonal of the smaller body; 0: all rest at rest_distance
} nc_room_gaps;
// Those of a scene whose bodies are still being read; `gap` as above.
nc_room_gaps nc_scene_room_gaps(const nc_scene *scene, double gap);

typedef struct nc_room_item {
    const nc_mesh *mesh; // borrowed
    nc_pose pose;
    double diagonal; // [m]
} nc_room_item;

typedef struct nc_room {
    nc_allocator allocator;
    nc_room_gaps gaps;
    nc_broad *broad;
    NC_ARRAY(nc_room_item) items;
    NC_ARRAY(nc_box) boxes;
    nc_body_list near;       // of the last query
    NC_ARRAY(double) travel; // [m] that near item k allows for certain
} nc_room;

nc_code nc_room_create(const nc_allocator *allocator, const nc_room_gaps *gaps, nc_room *out, nc_error *err);
void nc_room_free(nc_room *room);
// Item number items.count - 1 is new.
nc_code nc_room_add(nc_room *room, const nc_mesh *mesh, nc_pose pose, nc_error *err);
// All bodies of a scene that are placed so far, where they start: item i is body i.
nc_code nc_room_add_scene(nc_room *room, const nc_scene *scene, nc_error *err);

// True when a mesh shares no point with any item, by the exact test, is no nearer to any than its gap, and is in no
// closed item, nor any item in it.
nc_code nc_room_is_free(nc_room *room, const nc_mesh *mesh, nc_pose pose, bool *out, nc_error *err);

typedef struct nc_room_move {
    bool blocked;  // already at the start
    double travel; // [m] at which it is a gap from item `stop`, or the limit
    int stop;      // -1: nothing stopped it
} nc_room_move;
// How far a mesh goes along `direction` (of length 1), at most `limit` [m], until its gap to an item is used up.
nc_code nc_room_push(nc_room *room, const nc_mesh *mesh, nc_pose pose, nc_vec3 direction, double limit,
                     nc_room_move *out, nc_error *err);

#endif
