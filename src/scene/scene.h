// What the rest may use of scene beyond nacre/scene.h: descriptions of the format itself.
#ifndef NC_SCENE_SCENE_H
#define NC_SCENE_SCENE_H

#include "nacre/query.h"
#include "nacre/scene.h"

#include "base/base.h"
#include "scene/keys.h"

// As nc_scene_build, without the test whether the scene starts intersecting: for `nacre check`, which names every pair,
// and for runs that are resumed.
nc_code nc_scene_build_unchecked(const nc_scene *scene, const nc_scene_settings *settings, nc_model *out,
                                 nc_error *err);

// True when `name` matches `pattern` (* any letters, ? any one letter).
bool nc_pattern_match(const char *pattern, const char *name);

// Row 0, 1, ... of nacre/report.def and then of nacre/cloth_report.def as a field of nc_run_summary; its name is NULL
// after the last. *out_table (may be NULL): 0 or 1, as in nc_report_table_of.
nc_report_field nc_run_summary_field(int row, int *out_table);

// ---- what bodies do during a run: `watch` of the expect block (watch.c) ------------------------------------------

typedef struct nc_watched_body {
    const char *name;
    bool there; // in this frame, and not static
    bool turns; // it has an orientation and a spin: it is no cloth
    const nc_mesh *mesh;
    nc_pose pose;           // of a cloth: the mean of its vertices
    nc_vec3 velocity, spin; // [m/s], [rad/s]
} nc_watched_body;

typedef struct nc_watched_frames {
    int64_t count;
    int body_count;
    bool complete;   // the run is at its end: what was not reached never will be
    double timestep; // [s]
    nc_vec3 gravity; // [m/s^2]
    // Fills out[0 .. body_count - 1] and the time [s] of a frame.
    nc_code (*read)(void *ctx, int64_t frame, double *out_time, nc_watched_body *out, nc_error *err);
    void *ctx;
} nc_watched_frames;

// Does the scene watch anything?
bool nc_scene_watches(const nc_scene *scene);
// Judges `watch`; *failed grows by what was not met, and `out` (may be NULL) by a line for each, as in nc_scene_judge.
// What lies after the last frame of a run that is not complete is not judged ("later"); else it fails.
nc_code nc_scene_judge_watch(const nc_scene *scene, const nc_watched_frames *frames, int *failed, nc_buffer *out,
                             nc_error *err);

// Appends the tables of keys in Markdown (docs/scene-format.md). False when out of memory.
bool nc_scene_write_key_tables(nc_buffer *out);

// ---- questions about two meshes, in the same text format as scenes: for `nacre query` ---------------------------

typedef enum nc_question_kind {
    NC_QUESTION_DISTANCE,
    NC_QUESTION_PROXIMITY,
    NC_QUESTION_SWEEP,
    NC_QUESTION_TRAJECTORY,
    NC_QUESTION_CONTACTS,
    NC_QUESTION_INTERSECTION,
    NC_QUESTION_COUNT
} nc_question_kind;
extern const char *const nc_question_names[NC_QUESTION_COUNT];

// What of B the points of A can touch.
typedef enum nc_target_kind {
    NC_TARGET_MESH,
    NC_TARGET_SOLID,     // its primitives
    NC_TARGET_IMPLICIT,  // its function, of which no more than the slope is known
    NC_TARGET_LEVEL_SET, // its function on a grid, trilinear in between
    NC_TARGET_PATCH,
    NC_TARGET_COUNT
} nc_target_kind;
extern const char *const nc_target_names[NC_TARGET_COUNT];

// A solid of primitives as a map describes it: rows for nc_csg.
typedef struct nc_solid {
    nc_csg_node nodes[NC_CSG_MAX];
    int count;
} nc_solid;

typedef struct nc_question {
    nc_question_kind ask;
    nc_mesh *a, *b;
    nc_motion motion_a, motion_b;
    nc_sweep_def sweep;           // sweep
    nc_trajectory_def trajectory; // trajectory, contacts: points of A against B
    nc_target_kind target;        // of these
    nc_solid *solid_a, *solid_b;  // of shapes that are solids; count 0: none
    nc_bezier_patch patch;        // when that is the target; then there is no b
    double cell;                  // [m] of a level set; NaN: the default
    double window;                // [1] contacts: after the first
    double spacing;               // [m] of those points; INFINITY: vertices only
    double within;                // [m] proximity
    double angle;                 // [rad] proximity
    bool every_pair;              // proximity
    nc_allocator allocator;
} nc_question;

// Reads a question; `file` is what errors name and what mesh files are relative to. Free it in any case.
nc_code nc_question_read(const char *file, const char *text, size_t size, const nc_allocator *allocator,
                         nc_question *out, nc_error *err);
void nc_question_free(nc_question *question);

#endif
