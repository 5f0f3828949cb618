// Frames of a run as a clip: what all exporters of animations read.
#ifndef NC_EXPORT_REEL_CLIP_H
#define NC_EXPORT_REEL_CLIP_H

#include "io/io.h"
#include "reel/reel.h"

// Frames first, first + every, ... of a reel, `count` of them.
typedef struct nc_reel_selection {
    nc_reel *reel;
    int64_t first, every, count;
} nc_reel_selection;

// How far an export has come, counted in frames read: writers read some of them more than once.
typedef struct nc_export_watch {
    int64_t frames;                                 // that are exported
    int64_t read, to_read;                          // so far, and about how many in all
    void (*on_progress)(int64_t frames, void *ctx); // `frames` of them are done, more or less
    void *ctx;
} nc_export_watch;
void nc_export_watch_count(nc_export_watch *watch); // one frame more; NULL is allowed

typedef struct nc_reel_clip {
    nc_clip clip;           // what exporters take
    nc_export_watch *watch; // notified of every frame read; NULL: none
    nc_reel_selection chosen;
    nc_clip_body *bodies;
    double proximity;
    nc_clip_contact *contacts; // of the frame read last
    int contact_count, contact_capacity;
    bool out_of_memory;
} nc_reel_clip;

// Bodies that were not there in a frame are absent in the clip, too. `out` must stay where it is; close it in any case.
nc_code nc_reel_clip_open(const nc_reel_selection *chosen, nc_reel_clip *out, nc_error *err);
void nc_reel_clip_close(nc_reel_clip *clip);

#endif
