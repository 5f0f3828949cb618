// Stored paths of a run, judged: whether bodies stay apart between its frames.
#ifndef NC_REEL_PATHS_H
#define NC_REEL_PATHS_H

#include "nacre/nacre.h"

typedef struct nc_reel nc_reel;

typedef enum nc_path_finding_kind {
    NC_PATH_CROSSES,  // two bodies share a point at time t of a step: exact
    NC_PATH_UNPROVEN, // nothing was found at the times examined, and no proof that they stay apart either
    NC_PATH_JUMPS,    // a path does not begin where the body was, or does not lead to the next frame
    NC_PATH_MISSING   // a body that moves has no path
} nc_path_finding_kind;

typedef struct nc_path_finding {
    nc_path_finding_kind kind;
    int64_t frame, step;   // the step, and the first frame at or after it
    int a, b;              // bodies; b is -1 where only one is concerned
    double t;              // [1] part of the step
    nc_intersection where; // of NC_PATH_CROSSES
} nc_path_finding;
typedef void (*nc_path_listener)(const nc_path_finding *finding, void *ctx);

typedef struct nc_path_summary {
    int64_t steps;
    int64_t pairs;  // that came so near in a step that their swept boxes overlap
    int64_t proven; // of these, apart at every time of the step
} nc_path_summary;

// Judges the steps that lead from frame `first` to frame `last`. Every pair whose swept boxes overlap is examined at
// many times by the exact test (nc_audit_paths) and swept over the whole step (nc_sweep_meshes): a crossing is one
// without doubt, and what is proven holds for every time between, by induction from frame `first`, which the exact test
// of frames has to find free. Calls `listener` for each finding, in the order of steps. NC_BAD_ARGUMENT for a run that
// stores no paths. The result does not depend on `workers`.
nc_code nc_reel_check_paths(nc_reel *reel, int64_t first, int64_t last, int workers, nc_path_listener listener,
                            void *ctx, nc_path_summary *out, nc_error *err);

#endif
