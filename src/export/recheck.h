// What rounding to single precision did: the exact test again, on what a reader of the exported file sees.
#ifndef NC_EXPORT_RECHECK_H
#define NC_EXPORT_RECHECK_H

#include "export/reel_clip.h"

typedef struct nc_recheck {
    int64_t frames;      // that have such a pair
    int64_t pairs;       // over all frames
    int64_t first_frame; // where the first was found
    char first[600];     // that one, in words
} nc_recheck;

// Finds the pairs that share a point after rounding and did not before, in the chosen frames of the run at `path`.
// `watch` may be NULL.
nc_code nc_recheck_rounding(const char *path, const nc_reel_selection *chosen, const nc_rounding *rounding,
                            nc_export_watch *watch, nc_recheck *out, nc_error *err);

#endif
