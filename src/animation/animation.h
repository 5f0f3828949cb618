// A run, or somebody else's animation, to be judged: bodies with names, and frames.
#ifndef NC_ANIMATION_ANIMATION_H
#define NC_ANIMATION_ANIMATION_H

#include "animation/names.h"
#include "reel/reel.h"

typedef struct nc_animation {
    nc_audit_source source;
    int64_t frame_count;
    char note[200]; // something worth saying, "" for nothing
    // The name of a body, in `out` or somewhere that lives as long as the animation.
    const char *(*body_name)(const void *ctx, int body, char *out, size_t out_size);
    // The file of a frame; NULL where frames are no files of their own.
    const char *(*frame_file)(const void *ctx, int64_t frame);
    void (*close)(void *ctx);
} nc_animation;

nc_code nc_animation_open_run(const char *path, nc_animation *out, nc_error *err);

// An animated .glb: every distinct time of a key is a frame, and with a rate above 0 [1/s] every k / rate too. Bodies
// are the nodes with a mesh; one that is scaled to nothing is not there. Two nodes that never move may be in each
// other. Without any animation there is one frame, and all pairs count. `name`: only that animation; NULL: all
// together.
nc_code nc_animation_open_glb(const char *path, const char *name, double rate, nc_animation *out, nc_error *err);

// OBJ files, one per frame: a pattern ("frames/%04d.obj") or a folder, in the order of the numbers in their names.
// Bodies are objects (nc_obj_parts_load) of one name. Two that never move may be in each other.
nc_code nc_animation_open_obj(const char *path, nc_animation *out, nc_error *err);
// True for a folder, or a pattern that is no file itself.
bool nc_animation_is_sequence(const char *path);

#endif
