// Scenes: text in, checked description, model out. The format: docs/scene-format.md.
#ifndef NACRE_SCENE_H
#define NACRE_SCENE_H

#include "model.h"
#include "repair.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nc_scene nc_scene;

typedef struct nc_scene_def {
    const char *path; // the file; also what errors name and what relative mesh paths start from
    const char *text; // NULL: read `path`. Else the text itself (`path` then only names it)
    size_t text_size;
    const char *const *overrides; // "world.timestep=1/60", "bodies.2.spin=[0, 1, 0]", "expect=" (takes it out);
                                  // applied before checking
    int override_count;
    const nc_allocator *allocator; // NULL: malloc
} nc_scene_def;

// Reads and checks a scene with its includes and meshes. Errors carry file, line, column, the key, what was found,
// what is allowed and the nearest key. NC_BAD_SCENE, NC_BAD_FILE (a mesh), NC_NOT_FOUND or NC_IO (the scene file
// itself), NC_OUT_OF_MEMORY.
nc_code nc_scene_load(const nc_scene_def *def, nc_scene **out, nc_error *err);
void nc_scene_destroy(nc_scene *scene); // NULL is allowed

// The camera of a scene: NaN where it is not given. docs/render.md.
// A camera at a time; NaN: as the camera itself has it.
typedef struct nc_camera_keyframe {
    double time; // [s]
    nc_vec3 position, target;
    double azimuth, elevation, fov, zoom;
} nc_camera_keyframe;
#define NC_CAMERA_KEYFRAMES 64

typedef struct nc_scene_camera {
    nc_vec3 position, target;  // [m]
    double azimuth, elevation; // [degree]
    double fov;                // [degree]
    double zoom;
    double aperture;                                   // [m] radius of the lens
    nc_vec3 focus;                                     // [m] a point at the distance that is sharp
    nc_camera_keyframe keyframes[NC_CAMERA_KEYFRAMES]; // ascending in time
    int keyframe_count;
} nc_scene_camera;

typedef struct nc_scene_settings {
    const char *title; // "" when there is none
    double timestep;   // [s]
    double duration;   // [s]
    int64_t steps;     // whole steps that reach the duration
    int output_every;  // steps per frame
    uint64_t seed;
    nc_world_def world; // distances already worked out
    const char *text;   // canonical text with includes and overrides applied: loading it gives the same scene
    nc_box bounds;      // [m] a body beyond these has escaped
    nc_scene_camera camera;
    bool has_expectations;
    bool is_cloth;                  // pipeline acm: the model is one of cloth
    nc_cloth_world_def cloth_world; // its settings then, instead of `world`
} nc_scene_settings;
nc_scene_settings nc_scene_view(const nc_scene *scene);

// Appends the JSON Schema of scene files (docs/scene.schema.json): every key, with its unit, range, default and
// meaning. False when out of memory.
bool nc_scene_write_schema(nc_buffer *out);

// The camera alone, of a scene's canonical text: nothing else is checked, and no mesh is read. `path` names it in
// errors.
nc_code nc_scene_camera_load(const char *path, const char *text, nc_scene_camera *out, nc_error *err);

// Things worth telling that are not errors ("shell: 80 triangles, 600 kg/m^3 x 0.01 m"), in order. Borrowed strings.
int nc_scene_note_count(const nc_scene *scene);
const char *nc_scene_note(const nc_scene *scene, int index);

// Makes the model with all bodies. NC_INTERSECTING when it starts intersecting: how many pairs touch and overlap, the
// deepest with bodies, elements, position, depth and direction; of cloth, the first pair.
// `settings` may be NULL (the scene's) or changed from nc_scene_view(scene): `world` or `cloth_world` is read.
nc_code nc_scene_build(const nc_scene *scene, const nc_scene_settings *settings, nc_model *out, nc_error *err);

// Bodies that appear during a run (`emit` in a scene). Puts those that are due at the model's time, and that have room,
// into the model; others wait. To be called after nc_scene_build and after every step. What has appeared is seen from
// names, so there is nothing to be saved besides the model, but a model that is to go on must be restored into one that
// was built from the scene (nc_run_restore_into), and bodies must not be renamed or destroyed. `on_event` (may be NULL)
// hears when bodies begin and cease to wait.
typedef void (*nc_emit_listener)(const char *text, void *ctx);
nc_code nc_scene_emit(const nc_scene *scene, nc_model model, nc_emit_listener on_event, void *ctx, nc_error *err);
typedef struct nc_emitter_state {
    const char *name;               // bodies are name.0, name.1, ...
    int64_t planned, due, appeared; // bodies: in all, by now, in the model or as fragments
} nc_emitter_state;
int nc_scene_emitter_count(const nc_scene *scene);
nc_emitter_state nc_scene_emitter(const nc_scene *scene, nc_model model, int index);

// Moves bodies that touch or overlap apart (nc_world_repair), and puts the scene with its list `moved` in the place of
// *scene; nothing changes when no body was moved. NC_INTERSECTING when that cannot be done: *scene is as it was, and
// out->left says what is left. Bodies of `out` are rows of the scene's bodies, in the order of nc_world_bodies. A scene
// of cloth is left alone. `def` may be NULL; free `out` with nc_repair_free in any case.
nc_code nc_scene_repair(nc_scene **scene, const nc_repair_def *def, nc_repair *out, nc_error *err);

// Appends the list `moved` that the moves of a repair come to, with what the scene moved before: as a block of YAML to
// `block`, and as part of the canonical text to `text`. Either may be NULL. `repair` is of a world that
// nc_scene_build, or nc_scene_repair, made of this scene.
nc_code nc_scene_write_moved(const nc_scene *scene, const nc_repair *repair, nc_buffer *block, nc_buffer *text,
                             nc_error *err);

// What a run showed, to be judged against the scene's `expect` block.
typedef struct nc_run_summary {
    int64_t frames;                        // audited frames
    int64_t steps;                         // of the run
    int64_t intersecting_pairs;            // summed over audited frames; -1: not audited
    int escaped;                           // bodies outside the bounds at the end
    double kinetic_start, potential_start; // [J]
    double energy_drift;   // [1] largest |E - E_start| over the run, relative to the larger of |E_start|, kinetic
    double momentum_drift; // [kg m^2/s] largest change of angular momentum about the origin, relative
    bool jammed;           // the run ended because nothing could ever continue
    double jam_time;       // [s] NaN unless jammed
    // What the reports of all steps come to: a field per row of report.def and, with has_cloth, of cloth_report.def, of
    // the row's name (`sticks`, `smallest_distance`, `contact_kicks` ...). Counts are int64_t, numbers double; the
    // least of something is negative where nothing was measured.
    int64_t reports; // how many there were
    bool has_cloth;  // nc_model_report.has_cloth
#define NC_SUMMARY_WHOLE(name)            int64_t name;
#define NC_SUMMARY_LONG(name)             int64_t name;
#define NC_SUMMARY_REAL(name)             double name;
#define NC_SUMMARY_FAR(name)              double name;
#define NC_REPORT(name, field, kind, ...) NC_SUMMARY_##kind(name)
#include "report.def"
#define NC_CLOTH_REPORT(name, field, kind, ...) NC_SUMMARY_##kind(name)
#include "cloth_report.def"
#undef NC_SUMMARY_WHOLE
#undef NC_SUMMARY_LONG
#undef NC_SUMMARY_REAL
#undef NC_SUMMARY_FAR
} nc_run_summary;

// A run before its first step: `start` is what nc_model_measure returns. Zero but for that, for what only a step
// measures, for intersecting_pairs, which are -1, and for jam_time.
nc_run_summary nc_run_summary_start(const nc_model_report *start);
// Adds the report of one step, or the row of a frame, which counts for all its steps. Steps, frames, drifts, audits and
// jams are the caller's.
void nc_run_summary_add(nc_run_summary *summary, const nc_model_report *report);

// Judges a finished run; `end` is its model at the end. `*out_failed` counts what was not met; `out` (may be NULL) gets
// one line for each key: "ok    escaped: 0  scene.yaml:7" or "FAIL  escaped: 3 (allowed: 0)  scene.yaml:7".
nc_code nc_scene_judge(const nc_scene *scene, const nc_run_summary *summary, nc_model end, int *out_failed,
                       nc_buffer *out, nc_error *err);

#ifdef __cplusplus
}
#endif
#endif
