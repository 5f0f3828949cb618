// Inside io: what the exporters share about clips.
#ifndef NC_IO_CLIP_H
#define NC_IO_CLIP_H

#include "io/file.h"
#include "io/io.h"

// One name per body, none twice: its own, with its number where it has none or another body has the same.
typedef struct nc_clip_names {
    char *text; // all names one after another, each with a zero byte
    size_t text_size;
    size_t *start; // [body] where its name begins in `text`
    int count;
    bool identifiers;
    nc_allocator allocator;
} nc_clip_names;
nc_code nc_clip_names_create(const nc_clip *clip, const nc_allocator *allocator, nc_clip_names *out, nc_error *err);
// The same of letters, digits and '_' alone, no digit first.
nc_code nc_clip_identifiers_create(const nc_clip *clip, const nc_allocator *allocator, nc_clip_names *out,
                                   nc_error *err);
void nc_clip_names_free(nc_clip_names *names);
const char *nc_clip_name(const nc_clip_names *names, int body);

// Colours by number: 0 is for what never moves. Linear red, green, blue.
const double *nc_clip_colour(int number);

// Meshes with the same vertices, triangles and edges look alike.
bool nc_meshes_are_equal(const nc_mesh *a, const nc_mesh *b);

// NC_BAD_ARGUMENT when there is nothing to export or a body has no mesh in the table.
nc_code nc_clip_check(const nc_clip *clip, nc_error *err);

// All poses of a clip in single precision, for formats that store a body's keys together.
typedef struct nc_tracks {
    int bodies, frames;
    int moving;          // bodies with a slot
    int *slot;           // [body] 0 .. moving - 1, or -1 for one that never moves
    nc_pose *rest;       // [body] pose when it was first there
    uint8_t *present;    // [body * frames + frame]
    float *times;        // [frame] s, strictly ascending
    float *translations; // [(slot * frames + frame) * 3] m; held while the body is not there
    float *rotations;    // [(slot * frames + frame) * 4] x y z w, of unit length, no sign flips from frame to frame
    nc_allocator allocator;
} nc_tracks;
// NC_BAD_ARGUMENT for times or poses that single precision cannot tell apart or hold.
nc_code nc_tracks_create(const nc_clip *clip, const nc_allocator *allocator, nc_tracks *out, nc_error *err);
void nc_tracks_free(nc_tracks *tracks);

#endif
