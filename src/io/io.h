// Files of others: meshes in, animations out. (nc_mesh_load and nc_mesh_save are declared in nacre/mesh.h.)
#ifndef NC_IO_IO_H
#define NC_IO_IO_H

#include "nacre/world.h"

#include "geom/geom.h"

// What exporters read: bodies on meshes, and poses frame by frame. The caller fills it, from a run file or a world.
typedef struct nc_clip_body {
    const char *name; // "" for none; made unique by the writers
    int mesh;
    bool moving;                  // false: its pose never changes
    nc_body_type type;            // this and the rest: for formats that tell of physics
    double mass;                  // [kg] 0: not known
    double friction, restitution; // [1]
} nc_clip_body;

// Two bodies that are near each other in a frame.
typedef struct nc_clip_contact {
    int a, b;
    nc_vec3 point, normal; // [m] between the two; of unit length, from b to a
    double distance;       // [m]
} nc_clip_contact;

typedef struct nc_clip {
    const char *title;
    nc_mesh *const *meshes;
    int mesh_count;
    const nc_clip_body *bodies;
    int body_count;
    int64_t frame_count;
    nc_vec3 gravity; // [m/s^2]; tells which way is up
    // Fills time [s] and body_count poses of a frame; `present` (body_count flags) is 0 for bodies not there.
    nc_code (*read)(void *ctx, int64_t frame, double *time, nc_pose *poses, uint8_t *present, nc_error *err);
    // Velocities [m/s] of the centres and spins [rad/s] of the bodies that were there in the frame read last. NULL: not
    // known.
    nc_code (*read_motion)(void *ctx, nc_vec3 *velocities, nc_vec3 *spins, nc_error *err);
    // The contacts of the frame read last, borrowed until the next call. NULL: not known.
    nc_code (*read_contacts)(void *ctx, const nc_clip_contact **out, int *out_count, nc_error *err);
    void *ctx;
} nc_clip;

// glTF 2.0 binary: one mesh for each distinct mesh, one animated node a moving body. Written to a temporary name and
// renamed, so a failure leaves no half file. Coordinates are float32.
nc_code nc_export_glb(const nc_clip *clip, const char *path, const nc_allocator *allocator, nc_error *err);
// pattern has one %d-like field ("out/frame%04d.obj"); one file a frame with every body as an object.
nc_code nc_export_obj(const nc_clip *clip, const char *pattern, const nc_allocator *allocator, nc_error *err);

// USD as text: each moving body has a time-sampled matrix, in double precision; from `instancer_from` moving bodies on
// they are points of one PointInstancer, in single precision. Meshes are single precision. Bodies have rigid-body, mass
// and collision attributes of UsdPhysics.
#define NC_USD_INSTANCER_FROM 1000
typedef struct nc_usd_options {
    int instancer_from; // moving bodies; 0: NC_USD_INSTANCER_FROM
} nc_usd_options;
nc_code nc_export_usd(const nc_clip *clip, const nc_usd_options *options, const char *path,
                      const nc_allocator *allocator, nc_error *err);
// True when the poses of moving bodies will be in single precision.
bool nc_usd_uses_instancer(const nc_clip *clip, const nc_usd_options *options);

// For ParaView: `path` (.pvd) names a .vtp file for each frame, and one with its contacts where they are known, in a
// folder beside it called as it is without its ending; the folder is made when it is not there. Double precision.
nc_code nc_export_vtk(const nc_clip *clip, const char *path, const nc_allocator *allocator, nc_error *err);

#endif
