// Inside io: the two parts of a .glb file, its JSON and its binary data, in the making.
#ifndef NC_IO_GLB_H
#define NC_IO_GLB_H

#include "io/appearance.h"
#include "io/clip.h"

// Single precision as glTF stores it.
typedef struct nc_float3 {
    float v[3];
} nc_float3;

// The binary data, in this order; each section is a buffer view and starts at a multiple of 4.
typedef enum nc_glb_section { NC_GLB_POSITIONS, NC_GLB_INDICES, NC_GLB_KEYS, NC_GLB_SECTION_COUNT } nc_glb_section;

// A mesh that some body uses; equal meshes are written once.
typedef struct nc_glb_mesh {
    const nc_mesh *mesh;
    bool moves; // a moving body uses it
    int morph;  // row of `morphs`, -1: it does not deform
    int colour; // number of the colour of bodies that have none of their own
    int first_accessor;
} nc_glb_mesh;

// A material: that of bodies of a mesh that say no colour, or of all that look alike.
typedef struct nc_glb_look {
    int mesh; // row of `meshes`; its colour is by mesh; -1: by `appearance`
    nc_appearance appearance;
} nc_glb_look;

// A mesh as glTF has it: with a material. Several share the numbers of one nc_glb_mesh.
typedef struct nc_glb_variant {
    int mesh, look;
} nc_glb_variant;

// A body that deforms: its mesh in every frame but the first is a morph target, and at the time of a frame the weight
// of its target is 1 and that of all others 0.
typedef struct nc_glb_morph {
    int body, vertex_count;
    float *positions; // [(frame * vertex_count + vertex) * 3] m
} nc_glb_morph;

// Keys of a body that is not there all the time: when it comes or goes.
typedef struct nc_glb_presence {
    int body;
    int first; // of its keys in nc_glb.presence_frames
    int count;
} nc_glb_presence;

typedef struct nc_glb {
    const nc_clip *clip;
    const nc_clip_names *names;
    const nc_tracks *tracks;
    nc_allocator allocator;
    NC_ARRAY(nc_glb_mesh) meshes;
    NC_ARRAY(nc_glb_look) looks;
    NC_ARRAY(nc_glb_variant) variants;
    int *variant_of; // [body]
    int *mesh_of;    // [mesh of the clip] row of `meshes`, or -1 when no body uses it
    NC_ARRAY(nc_glb_morph) morphs;
    NC_ARRAY(nc_glb_presence) presences;
    NC_ARRAY(int) presence_frames;               // where a body comes or goes; the first key is at frame 0
    uint64_t section_size[NC_GLB_SECTION_COUNT]; // [bytes]
    nc_buffer json;
    bool failed;                       // out of memory
    int accessors;                     // written so far
    uint64_t at[NC_GLB_SECTION_COUNT]; // [bytes] where the next accessor of a section begins
} nc_glb;

// Targets of each morph: frames after the first.
int nc_glb_target_count(const nc_glb *glb);
// What a player adds to the first shape: exact but for one rounding.
nc_float3 nc_glb_target(const nc_glb *glb, const nc_glb_morph *morph, int target, int vertex);

// Fills glb->json. Call it in the C locale. False when out of memory.
bool nc_glb_write_json(nc_glb *glb);

nc_float3 nc_to_float3(nc_vec3 v);
int nc_free_edge_count(const nc_mesh_data *data);

#endif
