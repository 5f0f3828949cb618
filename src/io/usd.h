// Inside io: a .usda file in the making. docs/export.md says what is in it.
#ifndef NC_IO_USD_H
#define NC_IO_USD_H

#include "io/appearance.h"
#include "io/clip.h"

// What several bodies may share: a mesh with mass, friction and bounce.
typedef struct nc_usd_shape {
    int mesh; // row of `meshes`
    int body; // one that has it
} nc_usd_shape;

typedef struct nc_usd {
    const nc_clip *clip;
    nc_clip_names names;     // of the prims
    nc_clip_names own_names; // as the bodies are called
    nc_allocator allocator;
    nc_writer writer;
    int depth;                     // of the prim being written
    bool instancer;                // moving bodies are points of one PointInstancer
    bool references;               // meshes are written once and referred to; else each body has its own copy
    NC_ARRAY(int) meshes;          // rows of clip->meshes that some body uses, equal ones once
    int *mesh_of;                  // [mesh of the clip] row of `meshes`, or -1
    int *colour_of;                // [row of `meshes`] number of its colour
    NC_ARRAY(int) frictions;       // bodies, one for each distinct friction and restitution
    NC_ARRAY(int) looks;           // bodies, one for each distinct appearance that says something
    NC_ARRAY(nc_usd_shape) shapes; // of moving bodies; only with an instancer
    int *shape_of;                 // [body] row of `shapes`
    // one frame, and what was learned of all of them
    nc_pose *poses;
    uint8_t *present;
    nc_vec3 *velocities, *spins; // in the first frame; NULL: not known
    nc_pose *first;              // [body] pose when it was first there
    uint8_t *always;             // [body] it is there in every frame
    double *times;               // [frame] s
    int frames;
    double rate;  // [1/s] time codes per second
    nc_code code; // of the first frame that could not be read while bodies were written
    nc_error *err;
} nc_usd;

// ---- usd_text.c: lines, indented as deep as they are nested ---------------------------------------------------

void nc_usd_indent(nc_usd *usd);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void nc_usd_line(nc_usd *usd, const char *format, ...); // at most 500 characters
// `name = "text"`, escaped; bytes that are not UTF-8 become '?'.
void nc_usd_string(nc_usd *usd, const char *name, const char *text);
// `def Xform "name" (metadata)` and `{`; metadata may be "" and has its own line ends.
void nc_usd_open(nc_usd *usd, const char *kind, const char *name, const char *metadata);
void nc_usd_close(nc_usd *usd);
// "12" or "12.5" for a time.
const char *nc_usd_time_code(const nc_usd *usd, double time, char *out, size_t out_size);

// ---- usd_shape.c: what bodies look like and weigh ---------------------------------------------------------------

void nc_usd_write_materials(nc_usd *usd);
void nc_usd_write_meshes(nc_usd *usd); // the ones referred to
// The mesh of a body as a child of the prim that is open: a copy, or a reference.
void nc_usd_write_mesh_of(nc_usd *usd, int body);
// The mesh of a body that deforms, with its points in every frame. A frame that cannot be read sets usd->code.
void nc_usd_write_deforming(nc_usd *usd, int body);
// The applied schemas of a body as metadata of its prim, and their attributes.
const char *nc_usd_body_metadata(const nc_usd *usd, int body, char *out, size_t out_size);
void nc_usd_write_physics(nc_usd *usd, int body);

// ---- usd_motion.c -------------------------------------------------------------------------------------------------

// Reads a frame into usd->poses and usd->present.
nc_code nc_usd_read(nc_usd *usd, int frame, nc_error *err);
// A prim for each body that is not a point of the instancer, with its poses.
nc_code nc_usd_write_bodies(nc_usd *usd, nc_error *err);
nc_code nc_usd_write_instancer(nc_usd *usd, nc_error *err);

#endif
