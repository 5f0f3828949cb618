// The stage from the inside: what mesh.c, stage.c and shade.c share. Needs Embree.
#ifndef NC_RENDER_STAGE_H
#define NC_RENDER_STAGE_H

#include "render/render.h"

#include <embree3/rtcore.h>

typedef struct nc_f3 {
    float x, y, z;
} nc_f3;

static inline nc_f3 nc_f3_of(nc_vec3 v)
{
    return (nc_f3){(float)v.x, (float)v.y, (float)v.z};
}
static inline nc_f3 nc_f3_add(nc_f3 a, nc_f3 b)
{
    return (nc_f3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline nc_f3 nc_f3_scale(float s, nc_f3 a)
{
    return (nc_f3){s * a.x, s * a.y, s * a.z};
}
static inline nc_f3 nc_f3_madd(nc_f3 a, float s, nc_f3 b)
{
    return (nc_f3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline float nc_f3_dot(nc_f3 a, nc_f3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline nc_f3 nc_f3_unit(nc_f3 a)
{
    const float size = sqrtf(nc_f3_dot(a, a));
    return size > 0 ? nc_f3_scale(1 / size, a) : (nc_f3){0, 1, 0};
}

// ---- meshes (mesh.c) ---------------------------------------------------------------------------------

// Geometry 0 of a mesh's scene has the triangles, 1 the free edges, 2 the points.
enum { NC_PART_TRIANGLES, NC_PART_EDGES, NC_PART_POINTS };

typedef struct nc_stage_mesh {
    RTCScene scene;
    nc_vec3 center;      // [m] subtracted from the vertices: not 0 where a mesh is far from its origin
    nc_f3 (*normals)[3]; // at the corners of each triangle, of the surface as it would be without facets
    bool closed;         // it has an inside
} nc_stage_mesh;
// `smooth`: no edge is seen as one, as is right for cloth. Free edges and points are as thick as suits a mesh whose box
// has a diagonal of `wires` [m].
nc_code nc_stage_mesh_build(RTCDevice device, const nc_mesh *mesh, bool smooth, double wires, nc_stage_mesh *out,
                            nc_error *err);
void nc_stage_mesh_free(nc_stage_mesh *mesh);

// ---- ropes (ropes.c) ---------------------------------------------------------------------------------

// Whole joints of kind distance, as straight round lines between their anchors, which move straight while the shutter
// is open. `radius` [m]: of each joint of the shot. A mesh of free edges only, in the coordinates of `origin`; its
// scene is NULL when there is nothing to draw.
nc_code nc_stage_ropes_build(RTCDevice device, const nc_shot *shot, const float *radius, nc_vec3 origin,
                             nc_stage_mesh *out, nc_error *err);

// ---- bodies (stage.c) --------------------------------------------------------------------------------

typedef struct nc_stage_body {
    const nc_stage_mesh *mesh;
    RTCGeometry instance;
    int id; // of the run; -1: ropes
    nc_rgb colour;
    nc_material material;
    bool has_look;     // the scene says its colour or its material
    float rotation[9]; // by rows; of a body that moves while the shutter is open, ask the instance
    nc_mesh_data rest; // its mesh as it was first, which the patterns of wood and fabric follow
    nc_f3 grain;       // their direction in it,
    float grain_size;  // [m] their scale,
    float seed;        // [1] and where in the tree it was
    bool moves;
    bool holds;   // others are inside it: its outside is seen through
    nc_f3 middle; // of its box, in the ray tracer's coordinates
} nc_stage_body;

struct nc_stage {
    RTCDevice device;
    const nc_reel *reel;
    nc_stage_mesh *meshes; // reel->info.mesh_count
    RTCScene scene;        // the bodies of the frame on the stage
    RTCScene opaque;       // what stops light: `scene` without glass; the same scene when there is none
    RTCScene open;         // `opaque` without those that hold others; NULL when there are none of them
    RTCScene clear;        // glass alone; NULL when there is none
    nc_stage_body *bodies; // the same, by the number of their instance; the last one is that of the ropes
    int body_count;
    nc_stage_mesh ropes; // of the frame on the stage
    nc_vec3 origin;      // [m] of the ray tracer's coordinates in the world
};

// What the ray tracer complains about, as an error.
nc_code nc_stage_check(RTCDevice device, nc_error *err);
// Where a point of a triangle was in the mesh as it was first, from the middle of its box.
nc_f3 nc_stage_rest(const nc_stage_body *body, unsigned triangle, float u, float v);
// A direction of a body's own axes in the world's, at `time` in [0, 1] of the shutter.
nc_f3 nc_stage_turn(const nc_stage_body *body, float time, nc_f3 v);

#endif
