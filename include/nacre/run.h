// Run files: SQLite databases that hold a scene, its meshes, and every committed frame. docs/run-file.md.
//
// A run is of a model (model.h). Of cloth, a step is a frame of its world, and every object is a body: sheets and
// particles of type "cloth", obstacles static, or kinematic when they are scripted.
//
// A run is used from one thread at a time. Errors carry the file's name in nc_error.file. SQLite and zstd allocate by
// malloc; everything else goes through the allocator.
#ifndef NACRE_RUN_H
#define NACRE_RUN_H

#include "fracture.h"
#include "joint.h"
#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nc_run nc_run;

// What a run stores beside poses, reports and clusters: where impulses acted, and the certified motion of every body in
// every step. Of rigid bodies only: NC_UNSUPPORTED for cloth.
enum { NC_STORE_CONTACTS = 1, NC_STORE_PATHS = 4 };

typedef struct nc_run_def {
    const char *path;
    bool overwrite;         // false: an existing file is refused; true: an existing run file is replaced
    const char *scene_text; // canonical scene text; "" for runs made by the API
    const char *scene_path; // where it came from; for information
    const char *title;
    double timestep;               // [s]
    int64_t steps_wanted;          // steps of the whole run; 0: open-ended
    int output_every;              // steps per frame, >= 1
    int checkpoint_every;          // frames between checkpoints, >= 1; 0: the default (24)
    unsigned store;                // NC_STORE_... flags; then nc_run_record_step is to be called
    const nc_allocator *allocator; // NULL: malloc
} nc_run_def;

// Creates the file and stores meshes, bodies and the state of `model` as frame 0 with a checkpoint. The file appears
// under its name when all that is on the disk; a failure leaves nothing behind, and a file to be replaced as it was.
// The model is only read, here and below, where it says no more.
nc_code nc_run_create(const nc_run_def *def, nc_model model, nc_run **out, nc_error *err);

typedef enum nc_run_mode { NC_RUN_READ, NC_RUN_APPEND } nc_run_mode;
// Opens a run. Reading works while another process writes. Appending is refused while another process appends.
// NC_NOT_FOUND when there is no such file; NC_BAD_FILE when it is not a run file, is damaged, or has a newer format.
// Opening for appending checks the structure of the whole file; opening for reading does not (nc_run_verify does).
nc_code nc_run_open(const char *path, nc_run_mode mode, const nc_allocator *allocator, nc_run **out, nc_error *err);
// Folds the write-ahead log in, so that one file is left (a reader that has it open keeps two small ones beside it
// alive). `run` is gone afterwards, also on error; after an error nothing that was stored is lost. NULL is allowed.
nc_code nc_run_close(nc_run *run, nc_error *err);

// Stores the model's present state and the reports of the steps since the last frame (none: energies and momenta are
// measured) as the next frame: one transaction. On return it is on the disk and no crash loses it; on an error it is
// not there, and may be tried again. When a frame of the same step is stored already (a resumed run re-does steps
// after its checkpoint), the bits must be equal: NC_BROKEN_PROMISE if not.
nc_code nc_run_append(nc_run *run, nc_model model, const nc_model_report *reports, int report_count, nc_error *err);
// Keeps contacts and paths of the model's last step, as far as the run stores them, for the frame that is appended
// next. To be called after every step, before bodies are made, destroyed or placed; nc_run_append calls it for the last
// step if it was not. Contacts need nc_world_trace_contacts: NC_BAD_ARGUMENT without; NC_NOT_FOUND when the motions of
// the step are gone.
nc_code nc_run_record_step(nc_run *run, nc_model model, nc_error *err);
// Stores a checkpoint of `model`, which must be in the state of the last frame, so that a resume starts there.
nc_code nc_run_checkpoint(nc_run *run, nc_model model, nc_error *err);
// Marks the run finished (steps_wanted reached), with a last checkpoint: the same condition.
nc_code nc_run_finish(nc_run *run, nc_model model, nc_error *err);
// Changes steps_wanted; the run is no longer finished when its last frame is before that step.
nc_code nc_run_extend(nc_run *run, int64_t steps_wanted, nc_error *err);
// Notes something that happened ("interrupted", "resumed", ...).
nc_code nc_run_log(nc_run *run, int64_t step, const char *kind, const char *text, nc_error *err);

// A model in the state of the last checkpoint that can be read, ready to be stepped; `workers` as in nc_world_def.
// Steps after it are to be done again and appended again. NC_UNSUPPORTED for runs that need their scene
// (nc_run_info.needs_scene).
nc_code nc_run_restore(nc_run *run, int workers, nc_model *out, nc_error *err);
// The same, into a model that has the bodies and settings that the run began with; of rigid bodies it may be empty.
// After an error the model's state is not to be used.
nc_code nc_run_restore_into(nc_run *run, nc_model model, nc_error *err);

typedef struct nc_run_info {
    char title[256]; // this and other texts of fixed size are cut to fit; the file has them whole
    char scene_path[1024];
    int format_version;
    double timestep;
    char pipeline[16]; // "shell", "vsp", "isp" or "acm": what the run began with
    bool needs_scene;  // checkpoints leave out what never changes: build the scene, then nc_run_restore_into
    bool deforms;      // bodies are placed vertex by vertex: frames have shapes
    bool has_cloth;    // reports have the rows of cloth, too (nc_model_report)
    int64_t steps_wanted;
    int output_every;
    int64_t frame_count, last_step, checkpoint_step;
    bool finished;
    int body_count, mesh_count;
    int64_t event_count, fracture_count;
    unsigned store; // NC_STORE_... flags
    int64_t contact_count, path_count;
    int64_t file_size; // [bytes] with the write-ahead log
} nc_run_info;
nc_code nc_run_read_info(nc_run *run, nc_run_info *out, nc_error *err);
// The scene text. Borrowed until the run is closed.
nc_code nc_run_scene_text(nc_run *run, const char **out, nc_error *err);

typedef struct nc_run_body {
    int id; // 0 .. body_count - 1, stable over the run
    char name[128];
    nc_body_type type;
    int mesh;    // 0 .. mesh_count - 1
    double mass; // [kg]
    double friction, restitution;
    int64_t born_step, gone_step; // gone_step -1: still there
    bool cloth;                   // a sheet or a set of particles; `type` is NC_DYNAMIC then
    bool deforms;                 // has shapes in frames: a cloth, or a scripted obstacle of cloth
    nc_appearance appearance;     // all zero: nothing was said
} nc_run_body;
nc_code nc_run_read_body(nc_run *run, int id, nc_run_body *out, nc_error *err);
// The mesh of a row; release it.
nc_code nc_run_read_mesh(nc_run *run, int row, nc_mesh **out, nc_error *err);
// True when the pair must stay apart (not both static, not exempt).
bool nc_run_pair_matters(nc_run *run, int body_a, int body_b);

typedef struct nc_run_pose {
    int body;
    nc_pose pose;
    nc_vec3 velocity, spin;
} nc_run_pose;
// Where the vertices of a body are that moves vertex by vertex. Its pose is the identity, its mesh is the first shape.
typedef struct nc_run_shape {
    int body;
    int vertex_count;
    nc_vec3 *vertices; // [m]
} nc_run_shape;
typedef struct nc_run_frame {
    int64_t frame, step;
    double time;
    uint64_t hash;      // nc_model_hash at this frame
    nc_run_pose *poses; // one a living body, by id
    int pose_count;
    int pose_capacity;
    nc_run_shape *shapes; // by body, of those that are not as their meshes have them; none in runs of rigid bodies
    int shape_count;
    int shape_capacity;
} nc_run_frame;
// Reads frame 0 .. frame_count - 1 into `out` (zero-initialised the first time; reused after; free it at the end).
nc_code nc_run_read_frame(nc_run *run, int64_t frame, nc_run_frame *out, nc_error *err);
void nc_run_frame_free(nc_run *run, nc_run_frame *frame);
// The report row of a frame: sums of counts, wall times, work and losses over its steps, the least smallest_distance,
// kinetic_before as the first step found it, and the rest as the last step left it: the rules of report.def and
// cloth_report.def.
nc_code nc_run_read_report(nc_run *run, int64_t frame, nc_model_report *out, nc_error *err);

// Bodies that were joined in the last step of a frame (nc_body_cluster); `cluster` is the lowest of their ids,
// their name. Writes up to `capacity` of them by body; `*out_count` is how many there are, 0 in most frames.
typedef struct nc_run_member {
    int body, cluster;
} nc_run_member;
nc_code nc_run_read_clusters(nc_run *run, int64_t frame, nc_run_member *out, int capacity, int *out_count,
                             nc_error *err);

// ---- contacts and paths (NC_STORE_...) ------------------------------------------------------------------------

// Where an impulse acted in a step between the frame before and this one (nc_contact_point); body_a < body_b.
typedef struct nc_run_contact {
    int64_t step;
    int body_a, body_b;
    nc_contact_phase phase;
    nc_feature_id feature;
    nc_vec3 place, normal;               // [m], [1] from B to A
    double distance;                     // [m]
    nc_vec3 impulse;                     // [N s] on A
    double normal_part, tangential_part; // [N s] of it: along the normal, and the length of what is across it
} nc_run_contact;
// Contacts of a frame in the order in which they were solved. Writes up to `capacity`; `*out_count` is how many there
// are: 0 in frame 0, and in runs that do not store them.
nc_code nc_run_read_contacts(nc_run *run, int64_t frame, nc_run_contact *out, int capacity, int *out_count,
                             nc_error *err);

// What two bodies gave each other from the frame before to this one, as a mean force over that time.
typedef struct nc_run_force {
    int body_a, body_b;        // body_a < body_b
    int contacts;              // rows that it is the sum of
    nc_vec3 force;             // [N] on A
    double normal, tangential; // [N] sums of the contacts' parts, which do not cancel
} nc_run_force;
// The pairs with contacts in a frame, by (body_a, body_b). As above.
nc_code nc_run_read_forces(nc_run *run, int64_t frame, nc_run_force *out, int capacity, int *out_count, nc_error *err);

// How the velocities of a body changed from the frame before to this one, divided by the time between them: the mean
// over the steps of the frame. With a frame for every step it is nc_body_acceleration.
typedef struct nc_run_acceleration {
    int body;
    nc_vec3 linear;  // [m/s^2]
    nc_vec3 angular; // [rad/s^2]
} nc_run_acceleration;
// The bodies that are in a frame and in the one before, in ascending order; none in frame 0. As above.
nc_code nc_run_read_accelerations(nc_run *run, int64_t frame, nc_run_acceleration *out, int capacity, int *out_count,
                                  nc_error *err);

// What a joint did up to a frame (nc_joint_state).
typedef struct nc_run_joint {
    int joint; // its slot
    char name[NC_JOINT_NAME];
    nc_joint_kind kind;
    int body_a, body_b; // body_b is -1: the world
    bool broken;
    double position[6], velocity[6], drive_force[6];
    nc_vec3 force, torque;            // [N], [N m] on A
    double error;                     // [m]
    double error_angle;               // [rad]
    nc_vec3 anchor_a, anchor_b, axis; // [m], [m], [1] in the world, as in nc_joint_state
    double lower[6], upper[6];        // [m] or [rad] limits; NaN of axes that have none
} nc_run_joint;
// Joints of a frame by their slots. Writes up to `capacity`; `*out_count` is how many there are.
nc_code nc_run_read_joints(nc_run *run, int64_t frame, nc_run_joint *out, int capacity, int *out_count, nc_error *err);

#define NC_RUN_MAX_SEGMENTS 8
// A segment of a path: y(t) = a + (t - t0) d + R((t - t0) eps) R((t - t0) theta) (y(t0) - a), t in [t0, t1] as a part
// of the step; R(v) turns by |v| about v. docs/theory/motion.md.
typedef struct nc_run_segment {
    double t0, t1;      // [1]
    nc_vec3 a, d;       // [m]
    nc_vec3 theta, eps; // [rad]
} nc_run_segment;
// The certified motion of a body over a step.
typedef struct nc_run_path {
    int body;
    nc_pose start;
    int segment_count;
    nc_run_segment segments[NC_RUN_MAX_SEGMENTS];
} nc_run_path;
// Paths that lead to step 1 .. last_step, by body; of static bodies there are none. As above: 0 of runs that do not
// store them.
nc_code nc_run_read_paths(nc_run *run, int64_t step, nc_run_path *out, int capacity, int *out_count, nc_error *err);
// The pose at t in [0, 1] of the step.
nc_pose nc_run_path_pose(const nc_run_path *path, double t);

typedef struct nc_run_event {
    int64_t step;
    char kind[64];
    char text[512];
} nc_run_event;
// Event 0 .. event_count - 1, in the order they were noted.
nc_code nc_run_read_event(nc_run *run, int64_t event, nc_run_event *out, nc_error *err);

// A body that broke, or should have (nc_fracture_event).
typedef struct nc_run_fracture {
    int64_t step;  // the first one with the pieces
    int64_t frame; // the first one with the pieces
    int body;      // -1: no frame has it
    char name[128];
    double impulse, threshold; // [N s]
    nc_vec3 place, normal;     // [m], [1]
    char pattern[32];          // "" for meshes
    int pieces;                // 0: it stayed whole
    char reason[256];          // why it stayed whole
} nc_run_fracture;
// Fracture 0 .. fracture_count - 1, in the order they happened.
nc_code nc_run_read_fracture(nc_run *run, int64_t fracture, nc_run_fracture *out, nc_error *err);
// The bodies that are its pieces, by number; those that broke before the next frame are in no frame and not listed.
// Writes up to `capacity`; `*out_count` is how many there are.
nc_code nc_run_read_pieces(nc_run *run, int64_t fracture, int *out, int capacity, int *out_count, nc_error *err);

// Reads everything there is and compares it with the checksums stored beside it: NC_BAD_FILE names the first damage.
// A flipped bit that this does not notice changes nothing that can be read.
nc_code nc_run_verify(nc_run *run, nc_error *err);

// About how many bytes a run of `model` with so many frames will take.
int64_t nc_run_estimate_size(nc_model model, int64_t frames);

#ifdef __cplusplus
}
#endif
#endif
