// The exact intersection test on frames: of a run, of another program's animation.
#ifndef NC_REEL_FRAMES_H
#define NC_REEL_FRAMES_H

#include "audit/audit.h"
#include "model/model.h"

// What the test of one frame found, in order of body ids. In hits, a and b are body ids.
typedef struct nc_frame_audit {
    int64_t frame;
    double time; // [s]
    const nc_audit_hit *hits;
    int hit_count;
} nc_frame_audit;

// One frame to be tested: which meshes are where.
typedef struct nc_audit_picture {
    double time;          // [s] NAN when it has none
    nc_audit_item *items; // room for body_count of the source
    int *ids;             // body ids of the items, ascending
    int count;
} nc_audit_picture;

// Where frames come from.
typedef struct nc_audit_source {
    int body_count;
    bool retains_meshes; // read retains the meshes of its items for the caller
    // Fills a picture, whose count is 0. Called from one thread, frame after frame.
    nc_code (*read)(void *ctx, int64_t frame, nc_audit_picture *out, nc_error *err);
    // False for two bodies that may be in each other. Called by several threads at once.
    bool (*can_intersect)(const void *ctx, int a, int b);
    // The same, called from one thread for pairs that do meet; NULL: they all matter.
    bool (*matters)(const void *ctx, int a, int b);
    void *ctx;
    // True for bodies that could meet themselves: cloth; NULL: none can.
    bool (*folds)(const void *ctx, int body);
} nc_audit_source;

// Tests frames first .. last on up to `workers` threads and calls `listener` for each of them, in order.
typedef void (*nc_audit_listener)(const nc_frame_audit *audit, void *ctx);
nc_code nc_audit_frames(const nc_audit_source *source, int64_t first, int64_t last, int workers,
                        nc_audit_listener listener, void *ctx, nc_error *err);

// When something was found.
typedef struct nc_moment {
    int64_t frame;
    double time;      // [s] NAN when it is not known
    const char *file; // of the frame, NULL for none
} nc_moment;
// "frame 3 (0.125 s): triangle 12 of boat.1 intersects triangle 7 of bowl at (1, 2, 3)" into `out`; returns `out`. A
// file is named instead of the time.
const char *nc_hit_text(const nc_moment *when, const char *const bodies[2], const nc_intersection *where, char *out,
                        size_t out_size);

#endif
