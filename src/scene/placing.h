// Generators that find room: what they share. They run when all other bodies are placed, and take shapes from a mix.
#ifndef NC_SCENE_PLACING_H
#define NC_SCENE_PLACING_H

#include "scene/description.h"
#include "scene/room.h"

typedef struct nc_mix_part {
    int shape;     // row
    double weight; // [1]
} nc_mix_part;

typedef struct nc_mix {
    NC_ARRAY(nc_mix_part) parts;
    double total; // [1] of the weights
} nc_mix;
// The list `shapes`, or the entry's own shape. Free it in any case.
nc_code nc_mix_read(const nc_scene *scene, const nc_node *shapes, const nc_body_keys *entry, nc_mix *out,
                    nc_error *err);
void nc_mix_free(nc_mix *mix, const nc_allocator *allocator);
// A shape's row, at random by weight.
int nc_mix_take(const nc_mix *mix, nc_random *random);

// How a body that is placed is turned; the entry's rotation comes first.
typedef enum nc_orient { NC_ORIENT_RANDOM, NC_ORIENT_UPRIGHT, NC_ORIENT_FIXED, NC_ORIENT_COUNT } nc_orient;
extern const char *const nc_orient_names[NC_ORIENT_COUNT];
// A turn of that kind; `up` is the axis of NC_ORIENT_UPRIGHT.
nc_quat nc_orient_take(nc_orient orient, nc_vec3 up, nc_random *random);

typedef enum nc_scatter_orient {
    NC_SCATTER_UPRIGHT,
    NC_SCATTER_NORMAL,
    NC_SCATTER_RANDOM,
    NC_SCATTER_FIXED,
    NC_SCATTER_ORIENT_COUNT
} nc_scatter_orient;
extern const char *const nc_scatter_orient_names[NC_SCATTER_ORIENT_COUNT];

// Against gravity, of length 1; y where there is none.
nc_vec3 nc_scene_up(const nc_scene *scene);
// The box of a mesh that is turned by `q` about its origin.
nc_box nc_turned_box(const nc_mesh *mesh, nc_quat q);

#endif
