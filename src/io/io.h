// Files of others: meshes, scenes and animations in, animations out. (nc_mesh_load and nc_mesh_save are declared in
// nacre/mesh.h.)
#ifndef NC_IO_IO_H
#define NC_IO_IO_H

#include "nacre/world.h"

#include "geom/geom.h"
#include "io/file.h"
#include "io/json_tree.h"

// What exporters read: bodies on meshes, and poses frame by frame. The caller fills it, from a run file or a world.
typedef struct nc_clip_body {
    const char *name; // "" for none; made unique by the writers
    int mesh;
    bool moving;                  // false: its pose never changes
    bool deforms;                 // not moving, but its mesh has other vertices after each `read`
    nc_body_type type;            // this and the rest: for formats that tell of physics
    double mass;                  // [kg] 0: not known
    double friction, restitution; // [1]
    nc_appearance appearance;     // all zero: a colour by mesh
} nc_clip_body;

// Two bodies that are near each other in a frame.
typedef struct nc_clip_contact {
    int a, b;
    nc_vec3 point, normal; // [m] between the two; of unit length, from b to a
    double distance;       // [m]
} nc_clip_contact;

typedef struct nc_clip {
    const char *title;
    nc_mesh *const *meshes; // those of bodies that deform are other ones after each `read`, and the old ones gone
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

// glTF 2.0 binary: one mesh for each distinct mesh, one animated node per moving body. Written to a temporary name and
// renamed, so a failure leaves no half file. Coordinates are float32.
nc_code nc_export_glb(const nc_clip *clip, const char *path, const nc_allocator *allocator, nc_error *err);
// pattern has one %d-like field ("out/frame%04d.obj"); one file per frame with every body as an object.
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
// folder beside it named like it without the extension; the folder is made when it is not there. Double precision.
nc_code nc_export_vtk(const nc_clip *clip, const char *path, const nc_allocator *allocator, nc_error *err);

// ---- OBJ files with several objects in --------------------------------------------------------------------------

// An object of an OBJ file. Its name is what `o` says, or `g` in a file without `o`; a name that comes again continues
// with the same object, and what comes before the first name has none. In a file without names an object is what hangs
// together by shared vertices, called "part 0", "part 1", ... in the order of the file.
typedef struct nc_obj_part {
    char *name;
    nc_mesh *mesh; // NULL when only hashes were requested
    uint64_t hash; // of its elements with their places: equal for objects that did not move
} nc_obj_part;

typedef struct nc_obj_parts {
    NC_ARRAY(nc_obj_part) parts;
    nc_allocator allocator;
} nc_obj_parts;

// Errors as of nc_mesh_load. Free the parts in any case.
nc_code nc_obj_parts_load(const char *path, bool with_meshes, const nc_allocator *allocator, nc_obj_parts *out,
                          nc_error *err);
void nc_obj_parts_free(nc_obj_parts *parts);

// ---- glTF 2.0 in (.glb) ---------------------------------------------------------------------------------------

// Where a node puts its mesh: y = pose.x + R(pose.q) (stretch v). What a file gives as translation, rotation and scale
// is kept apart: the stretch is diagonal unless a node is turned below one that scales unevenly.
typedef struct nc_gltf_transform {
    nc_pose pose;
    nc_mat3 stretch;
} nc_gltf_transform;
bool nc_gltf_transform_is_gone(const nc_gltf_transform *placement); // scaled to a point: not there
// Whether two stretches are one up to `tolerance` of the larger; 0: all numbers are equal.
bool nc_gltf_transform_same_stretch(const nc_gltf_transform *a, const nc_gltf_transform *b, double tolerance);
nc_gltf_transform nc_gltf_transform_below(const nc_gltf_transform *parent,
                                          const nc_gltf_transform *child); // a child's, in the world

typedef struct nc_gltf nc_gltf;

typedef struct nc_gltf_node {
    const char *name; // "" for none
    int parent;       // -1 for none
    int mesh;         // -1 for none
    bool shown;       // in the file's scene
    bool moves;       // an animation in use drives it or a node above it
} nc_gltf_node;

// Reads a .glb whole. Errors: NC_NOT_FOUND, NC_IO, NC_BAD_FILE with what is wrong, NC_OUT_OF_MEMORY. What Nacre cannot
// judge (skins, compressed meshes, ...) is NC_BAD_FILE too, with a sentence that says so.
nc_code nc_gltf_open(const char *path, const nc_allocator *allocator, nc_gltf **out, nc_error *err);
// The same from bytes in memory, which are copied; `path` is what errors name.
nc_code nc_gltf_read(const void *bytes, size_t size, const char *path, const nc_allocator *allocator, nc_gltf **out,
                     nc_error *err);
void nc_gltf_close(nc_gltf *gltf); // NULL is allowed

int nc_gltf_node_count(const nc_gltf *gltf);
int nc_gltf_mesh_count(const nc_gltf *gltf);
int nc_gltf_animation_count(const nc_gltf *gltf);
nc_gltf_node nc_gltf_node_view(const nc_gltf *gltf, int node);
const char *nc_gltf_mesh_name(const nc_gltf *gltf, int mesh);           // "" for none
const char *nc_gltf_animation_name(const nc_gltf *gltf, int animation); // "" for none
const char *nc_gltf_generator(const nc_gltf *gltf);                     // the program that wrote it, "" when unknown

// All primitives of a mesh as one, each vertex v at stretch v; vertices at one place are made one. A stretch that
// mirrors turns the triangles over, so that a closed mesh stays the right way out.
nc_code nc_gltf_mesh_create(const nc_gltf *gltf, int mesh, const nc_mat3 *stretch, nc_mesh **out, nc_error *err);

// The material that most of a mesh's triangles have; all zero when it has none. *out_weight is larger for more
// triangles.
nc_code nc_gltf_mesh_appearance(const nc_gltf *gltf, int mesh, nc_appearance *out, double *out_weight, nc_error *err);

// Uses one animation by its name, or all of them together (NULL). NC_NOT_FOUND names those there are. NC_BAD_FILE when
// keys are wrong, or two animations drive the same thing.
nc_code nc_gltf_animate(nc_gltf *gltf, const char *name, nc_error *err);
// All distinct times of keys in use, ascending, and with a rate above 0 [1/s] every k / rate between the first and the
// last too. *out belongs to the caller (nc_free with *out_count); NULL and 0 when nothing is animated.
nc_code nc_gltf_times(const nc_gltf *gltf, double rate, double **out, int *out_count, nc_error *err);
// Where all nodes are at a time [s]; NAN: as the file puts them, without animations. `out` has a row for each node.
void nc_gltf_place(const nc_gltf *gltf, double time, nc_gltf_transform *out);

// A custom property of a node or a mesh (glTF "extras"; custom properties in Blender).
typedef enum nc_extra_kind {
    NC_EXTRA_NUMBER,
    NC_EXTRA_FLAG,
    NC_EXTRA_TEXT,
    NC_EXTRA_LIST,
    NC_EXTRA_OTHER
} nc_extra_kind;
#define NC_EXTRA_MAX 16 // numbers of a list that are kept
typedef struct nc_extra {
    const char *key, *text; // `text` of a text
    nc_extra_kind kind;     // NC_EXTRA_LIST: of numbers only
    double numbers[NC_EXTRA_MAX];
    int count; // of a list, all of it; 1 for a number or a flag
} nc_extra;
// Calls `see` for each property of a node, and then for those of its mesh (of_mesh). Stops when it does not give NC_OK.
typedef nc_code (*nc_extra_visitor)(const nc_extra *extra, bool of_mesh, void *ctx, nc_error *err);
nc_code nc_gltf_extras(const nc_gltf *gltf, int node, nc_extra_visitor see, void *ctx, nc_error *err);

// ---- time -----------------------------------------------------------------------------------------------------

double nc_clock(void); // [s] wall time since some moment; monotonic: for deadlines and for what users read

#endif
