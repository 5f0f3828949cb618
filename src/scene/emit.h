// Emitters: bodies that appear during a run, at planned times, when there is room for them.
//
// An emitter has no state of its own. Which bodies have appeared is seen from their names in the world, so a run that
// is resumed goes on with the same bits; where a body is put depends on the emitter's seed, its number and the step.
#ifndef NC_SCENE_EMIT_H
#define NC_SCENE_EMIT_H

#include "scene/placing.h"

struct nc_emitter {
    const nc_node *node;          // its map
    const char *name;             // bodies are name.0, name.1, ...
    nc_placing at;                // the frame of its box
    nc_body_keys keys;            // what `at` points at
    double lo[3], hi[3];          // [m] the box
    double start, rate;           // [s], [1/s] body n is due at start + n / rate
    int64_t planned;              // bodies
    double gap;                   // [m] NaN: rest distances
    nc_orient orient;             //
    uint64_t seed;                //
    nc_mix mix;                   // its parts are the scene's allocator's
    const nc_scene_body *commons; // by part of the mix: what bodies of its shape have in common
};

// The box that its bodies appear in, in the world: a box around it.
nc_box nc_emitter_world_box(const nc_emitter *emitter);
// Reads the map of an emitter, but for `commons`. When the scene is dry, *out is only checked.
nc_code nc_emitter_read(nc_scene *scene, const nc_placing *at, const nc_node *map, uint64_t seed, nc_emitter *out,
                        nc_error *err);
// No body has a name that an emitter will give, and no two emitters give the same.
nc_code nc_scene_check_emitters(const nc_scene *scene, nc_error *err);
// Enters the meshes of emitters, so that the mesh table of a world is the same whenever bodies appear.
nc_code nc_scene_enter_emitters(const nc_scene *scene, nc_world *world, nc_error *err);

#endif
