// Files of others: meshes in, animations out. (nc_mesh_load and nc_mesh_save are declared in nacre/mesh.h.)
#ifndef NC_IO_IO_H
#define NC_IO_IO_H

#include "nacre/world.h"

#include "geom/geom.h"

// What exporters read: bodies on meshes, and poses frame by frame. The caller fills it, from a run file or a world.
typedef struct nc_clip_body {
    const char *name; // "" for none; made unique by the writers
    int mesh;
    bool moving; // false: its pose never changes
} nc_clip_body;

typedef struct nc_clip {
    const char *title;
    nc_mesh *const *meshes;
    int mesh_count;
    const nc_clip_body *bodies;
    int body_count;
    int64_t frame_count;
    // Fills time [s] and body_count poses of a frame; `present` (body_count flags) is 0 for bodies not there.
    nc_code (*read)(void *ctx, int64_t frame, double *time, nc_pose *poses, uint8_t *present, nc_error *err);
    void *ctx;
} nc_clip;

// glTF 2.0 binary: one mesh for each distinct mesh, one animated node a moving body. Written to a temporary name and
// renamed, so a failure leaves no half file. Coordinates are float32.
nc_code nc_export_glb(const nc_clip *clip, const char *path, const nc_allocator *allocator, nc_error *err);
// pattern has one %d-like field ("out/frame%04d.obj"); one file a frame with every body as an object.
nc_code nc_export_obj(const nc_clip *clip, const char *pattern, const nc_allocator *allocator, nc_error *err);

#endif
