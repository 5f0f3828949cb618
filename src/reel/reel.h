// A run file opened for reading, with its meshes and bodies at hand, what describes it (columns of reports, contacts of
// a frame, JSON), and the exact test on its frames. What the rooms above and the commands work on.
#ifndef NC_REEL_REEL_H
#define NC_REEL_REEL_H

#include "nacre/nacre.h"

#include "io/io.h"
#include "reel/columns.h"
#include "reel/frames.h"
#include "reel/json.h"
#include "reel/near.h"
#include "reel/paths.h"

// Frames a to b, both included; negative ones count from the end (-1 is the last).
typedef struct nc_frame_range {
    int64_t first, last;
    bool given;
} nc_frame_range;
// Clips to a run of `count` frames: false when nothing of it is left.
bool nc_frame_range_resolve(const nc_frame_range *range, int64_t count, int64_t *first, int64_t *last);

// "3.4 MB" into `out`; returns `out`.
const char *nc_size_text(double bytes, char *out, size_t out_size);

typedef enum nc_file_kind { NC_FILE_SCENE, NC_FILE_MESH, NC_FILE_RUN } nc_file_kind;
// Examines the beginning of the file, then its name. NC_NOT_FOUND or NC_IO when it cannot be read.
nc_code nc_file_sniff(const char *path, nc_file_kind *out, nc_error *err);

// What a reader of single precision sees: vertices of meshes, and positions and unit quaternions of some bodies, are
// rounded to float32; positions after `origin` was subtracted.
typedef enum nc_rounded_poses { NC_ROUND_NO_POSES, NC_ROUND_MOVING, NC_ROUND_ALL } nc_rounded_poses;
typedef struct nc_rounding {
    nc_rounded_poses poses;
    nc_vec3 origin;
    bool morph; // what deforms is the first shape plus a difference, all in float32
} nc_rounding;

typedef struct nc_reel {
    nc_run *run;
    nc_allocator allocator;
    bool owns_run;
    nc_run_info info;
    nc_mesh **meshes;    // info.mesh_count
    nc_run_body *bodies; // info.body_count
    nc_run_frame frame;  // the one read last
    bool rounded;
    nc_rounding rounding;
    bool *hidden;    // [info.body_count] not to be drawn; NULL: none
    nc_mesh **first; // runs of cloth: meshes as they are stored; `meshes` are those of the frame read last. NULL: rigid
} nc_reel;

// On failure nothing is left open.
nc_code nc_reel_open(const char *path, nc_reel *out, nc_error *err);
// The same on a run that is open already and stays the caller's.
// What it needs comes from the allocator; NULL: malloc.
nc_code nc_reel_attach(nc_run *run, const nc_allocator *allocator, nc_reel *out, nc_error *err);
void nc_reel_close(nc_reel *reel);

// The bodies of these names, separated by commas, are not to be drawn. NC_BAD_ARGUMENT: there is none of that name.
nc_code nc_reel_hide(nc_reel *reel, const char *names, nc_error *err);
bool nc_reel_hides(const nc_reel *reel, int body);

// From here on the reel has the meshes and poses that are left after rounding.
nc_code nc_reel_round(nc_reel *reel, const nc_rounding *rounding, nc_error *err);

// Reads a frame into reel->frame.
nc_code nc_reel_seek(nc_reel *reel, int64_t frame, nc_error *err);

// Where the vertices of a body that deforms are in the frame read last, not rounded; NULL in runs of rigid bodies.
const nc_vec3 *nc_reel_shape(const nc_reel *reel, int body);

// Where a body is: the place of its pose, or of a body that deforms the mean of its vertices.
nc_vec3 nc_reel_place(const nc_reel *reel, const nc_run_pose *pose);

// A mesh with the elements of another and other vertices.
nc_code nc_mesh_with_vertices(const nc_mesh *like, const nc_vec3 *vertices, const nc_allocator *allocator,
                              nc_mesh **out, nc_error *err);

// "boat.3" or "body 3" into `out`; returns `out`.
const char *nc_reel_body_name(const nc_reel *reel, int body, char *out, size_t out_size);

// Its frames for the exact test.
nc_audit_source nc_reel_source(nc_reel *reel);

// Contacts and forces of pairs of a frame (nc_run_read_contacts, nc_run_read_forces): *out_count of them, to be freed
// with nc_free of reel->allocator, after a failure too; NULL when there are none.
nc_code nc_reel_contacts(nc_reel *reel, int64_t frame, nc_run_contact **out, int *out_count, nc_error *err);
nc_code nc_reel_joints(nc_reel *reel, int64_t frame, nc_run_joint **out, int *out_count, nc_error *err);
nc_code nc_reel_accelerations(nc_reel *reel, int64_t frame, nc_run_acceleration **out, int *out_count, nc_error *err);
nc_code nc_reel_forces(nc_reel *reel, int64_t frame, nc_run_force **out, int *out_count, nc_error *err);

// Gravity and distances, as the last checkpoint has them.
nc_world_def nc_run_world_settings(nc_run *run);

#endif
