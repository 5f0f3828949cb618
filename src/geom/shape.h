// Inside geom: how procedural shapes are put together. nacre/mesh.h has what others see.
#ifndef NC_GEOM_SHAPE_H
#define NC_GEOM_SHAPE_H

#include "geom/geom.h"

typedef struct nc_corners {
    int v[3];
} nc_corners;

// A mesh in the making. Adding never fails visibly: when memory runs out, `failed` is set and stays set.
typedef struct nc_shape_builder {
    nc_allocator allocator;
    NC_ARRAY(nc_vec3) vertices; // [m]
    NC_ARRAY(nc_corners) triangles;
    bool failed;
} nc_shape_builder;

// A point of a profile that is turned about the y axis.
typedef struct nc_profile_point {
    double r; // [m] distance from the axis; exactly 0: a pole
    double y; // [m]
} nc_profile_point;

// Returns the new vertex's index.
int nc_shape_vertex(nc_shape_builder *builder, nc_vec3 position);
void nc_shape_triangle(nc_shape_builder *builder, int a, int b, int c);
// The quadrilateral a, b, c, d, counterclockwise seen from its front, cut along a-c.
void nc_shape_quad(nc_shape_builder *builder, int a, int b, int c, int d);
// Moves everything so that the middle of its bounding box is the origin.
void nc_shape_center(nc_shape_builder *builder);

// Turns a profile about the y axis. Seen along increasing y the front is outside. `loop` joins the last point with
// the first.
void nc_shape_lathe(nc_shape_builder *builder, const nc_profile_point *profile, int count, bool loop, int segments);
// A closed prism: the polygon in the x-y plane, counterclockwise seen from +z, between z = -depth/2 and depth/2.
// At most NC_PRISM_MAX_CORNERS corners.
void nc_shape_prism(nc_shape_builder *builder, const nc_vec3 *polygon, int count, double depth);
#define NC_PRISM_MAX_CORNERS 16

// A flat region: loops of corners in the x-y plane. The first is its outline, counterclockwise seen from +z; the others
// are holes, clockwise.
typedef struct nc_shape_loop {
    int first, count; // of the corners
    int bridge;       // of a hole: the outline's corner that sees the hole's first corner; each sees at most one hole
} nc_shape_loop;

typedef struct nc_shape_outline {
    nc_allocator allocator;
    NC_ARRAY(nc_vec3) corners; // [m]
    NC_ARRAY(nc_shape_loop) loops;
    bool failed; // out of memory
} nc_shape_outline;

nc_shape_outline nc_shape_outline_begin(const nc_shape_builder *builder);
void nc_shape_loop_begin(nc_shape_outline *outline, int bridge);
void nc_shape_corner(nc_shape_outline *outline, double x, double y);
// The first `corners` corners of an arc from angles[0] to angles[1] [rad] that is cut into `pieces`.
void nc_shape_arc(nc_shape_outline *outline, double x, double y, double radius, const double angles[2], int corners,
                  int pieces);
// A closed solid: the region between z = -depth/2 and depth/2. Frees the outline.
void nc_shape_extrude(nc_shape_builder *builder, nc_shape_outline *outline, double depth);

// Builds a shape from its parameter values, which are in range and in the order of its table.
// NC_BAD_ARGUMENT when they make no mesh together.
typedef nc_code nc_shape_build(nc_shape_builder *builder, const double *values, nc_error *err);

// shape_solid.c
nc_shape_build nc_shape_build_box, nc_shape_build_sphere;
// shape_round.c
nc_shape_build nc_shape_build_capsule, nc_shape_build_cone, nc_shape_build_cylinder, nc_shape_build_peg,
    nc_shape_build_spike, nc_shape_build_torus;
// shape_sheet.c
nc_shape_build nc_shape_build_band, nc_shape_build_bowl, nc_shape_build_plane, nc_shape_build_plate,
    nc_shape_build_ring, nc_shape_build_triangle, nc_shape_build_tube;
// shape_prism.c
nc_shape_build nc_shape_build_l_profile, nc_shape_build_t_handle, nc_shape_build_t_profile, nc_shape_build_u_profile,
    nc_shape_build_wedge;
// shape_animal.c
nc_shape_build nc_shape_build_animal;
// shape_boat.c
nc_shape_build nc_shape_build_boat;
// shape_figure.c
nc_shape_build nc_shape_build_cow, nc_shape_build_letters;
// shape_ribbon.c
nc_shape_build nc_shape_build_bowline, nc_shape_build_reef_bight, nc_shape_build_sheet;
// shape_cloth.c
nc_shape_build nc_shape_build_grains, nc_shape_build_nails, nc_shape_build_rabbit;
// shape_gear.c
nc_shape_build nc_shape_build_gear, nc_shape_build_ring_gear;
// shape_link.c
nc_shape_build nc_shape_build_link;
// shape_plate.c
nc_shape_build nc_shape_build_flat_bar;
// shape_sprocket.c
nc_shape_build nc_shape_build_sprocket;
// shape_thread.c
nc_shape_build nc_shape_build_bolt, nc_shape_build_nut;
// shape_turned.c
nc_shape_build nc_shape_build_race, nc_shape_build_spool;
// shape_site.c
nc_shape_build nc_shape_build_hook, nc_shape_build_rack, nc_shape_build_stone;

#endif
