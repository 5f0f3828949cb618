// Cloth: deformable surfaces, particles and scripted obstacles that never cross (asynchronous contact mechanics).
//
// Every force has a clock of its own, vertices move in straight lines between kicks, and contact is an infinite nest of
// penalty layers (Harmon et al. 2009; docs/theory/acm.md). Safety depends on no parameter: when prescribed motion
// leaves no room, the step fails with NC_JAMMED and nothing of it is kept. Units as elsewhere: metres, kilograms,
// seconds.
#ifndef NACRE_CLOTH_H
#define NACRE_CLOTH_H

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nc_cloth_world nc_cloth_world;

// How contacts are found. Both activate the same forces at the same ticks: trajectories are equal to the bit.
typedef enum nc_cloth_finder {
    NC_FINDER_SPECULATIVE, // windows of time, swept tests, rollback of what missed a layer
    NC_FINDER_KINETIC      // separating slabs and a kinetic tree, event by event: the reference
} nc_cloth_finder;

// Settings of a world of cloth. Defaults and ranges: cloth_settings.def.
typedef struct nc_cloth_world_def {
    nc_vec3 gravity;   // [m/s^2] default (0, -9.8, 0)
    double frame_dt;   // [s] length of a frame, > 0; default 1/24. Clocks are frame_dt / 2^level
    int gravity_level; // [1] in [4, 20]: gravity, drag and prescribed forces tick 2^level times per frame; default 6
    double elastic_safety; // [1] in (0, 1]: part of the stability limit taken as a force's step; default 0.5
    double contact_safety; // [1] in (0, 1]: the same for penalty layers; default 0.25
    int max_layer;         // [1] in [1, 65536]: an active layer beyond it ends the run as jammed; default 4096
    nc_cloth_finder finder;
    int workers;            // threads; 0: as many as the machine has
    nc_allocator allocator; // all zero: malloc
} nc_cloth_world_def;
nc_cloth_world_def nc_cloth_world_def_default(void);

typedef enum nc_cloth_type {
    NC_CLOTH_SHEET,     // triangles with springs along edges and bending at hinges; vertices are unknowns
    NC_CLOTH_PARTICLES, // free points; `triangles` is empty
    NC_CLOTH_OBSTACLE   // a mesh of infinite mass, at rest or scripted; two obstacles may overlap
} nc_cloth_type;

// The outermost penalty layer and what a contact does besides. Negative: the other object's; between two objects that
// both name one, the mean.
typedef struct nc_cloth_contact {
    double stiffness;   // [N/m] r(1) > 0
    double thickness;   // [m] eta(1) > 0: nearer than this, two surfaces push each other
    double restitution; // [1] in [0, 1]
    double friction;    // [1] >= 0
} nc_cloth_contact;

// Moves vertices of an object as one rigid frame K(t): y(t) = K(t) K(0)^-1 y(0), sampled NC_CLOTH_SCRIPT_STEPS times
// per frame and joined by straight lines. Without keyframes: constant velocity (0: pinned). Later scripts win.
#define NC_CLOTH_SCRIPT_STEPS 16
typedef struct nc_cloth_script {
    const int *vertices; // of the object; NULL: all
    int vertex_count;
    const nc_keyframe *keyframes; // ascending times; before the first and after the last it rests
    int keyframe_count;
    nc_vec3 velocity; // [m/s] without keyframes
    double end;       // [s] from then on the vertices are free, with the velocity they had; 0 or infinite: never
} nc_cloth_script;

// A constant force on each of some vertices.
typedef struct nc_cloth_force {
    const int *vertices; // of the object; NULL: all
    int vertex_count;
    nc_vec3 force;     // [N] on each of them
    double start, end; // [s] acts in [start, end); end 0: for ever
} nc_cloth_force;

typedef struct nc_cloth_def {
    nc_cloth_type type;
    const char *name;        // NULL: none. Copied.
    const nc_vec3 *vertices; // [m] world positions at time 0
    int vertex_count;
    const int (*triangles)[3]; // sheets and obstacles
    int triangle_count;
    const nc_vec3 *rest;       // [m] shape without stress; NULL: `vertices`
    const nc_vec3 *velocities; // [m/s] NULL: `velocity` for all
    nc_vec3 velocity;          // [m/s]
    double density;            // [kg/m^2] of a sheet
    double particle_mass;      // [kg] of each particle
    double stretch_stiffness;  // [N/m] k of 1/2 k (|e| - |e0|)^2, each edge
    double stretch_damping;    // [N s/m] along each edge
    double bend_stiffness;     // [N m] k of k (theta - theta0)^2 3 |e0|^2 / (A1 + A2), each hinge
    double bend_damping;       // [N m s] of each hinge
    double drag;               // [1/s] velocities decay at this rate against still air
    nc_cloth_contact contact;
    const nc_cloth_script *scripts;
    int script_count;
    const nc_cloth_force *forces;
    int force_count;
    nc_appearance appearance;
} nc_cloth_def;
// A sheet of density 0.1, r(1) 1000, eta(1) 0.01, stretching 1000, bending 0.01, no damping, no friction.
nc_cloth_def nc_cloth_def_default(void);

nc_code nc_cloth_world_create(const nc_cloth_world_def *def, nc_cloth_world **out, nc_error *err);
void nc_cloth_world_destroy(nc_cloth_world *world); // NULL is allowed

// Adds an object before the first step; `*out` is its number, counting from 0. Copies everything.
// Errors: NC_BAD_ARGUMENT (the field is named), NC_OUT_OF_MEMORY.
nc_code nc_cloth_add(nc_cloth_world *world, const nc_cloth_def *def, int *out, nc_error *err);

int nc_cloth_count(const nc_cloth_world *world);

// What an object holds; pointers live until the next nc_cloth_add.
typedef struct nc_cloth_view {
    nc_cloth_type type;
    const char *name; // "" when it has none
    int first_vertex; // its vertices are rows [first_vertex, first_vertex + vertex_count) of the world
    int vertex_count;
    const int (*triangles)[3]; // world rows; subtract first_vertex for the object's own numbers
    int triangle_count;
    bool scripted; // a script moves or holds some of its vertices
    nc_appearance appearance;
} nc_cloth_view;
nc_code nc_cloth_view_object(const nc_cloth_world *world, int object, nc_cloth_view *out, nc_error *err);

int64_t nc_cloth_frame(const nc_cloth_world *world); // frames done
double nc_cloth_time(const nc_cloth_world *world);   // [s]
nc_cloth_world_def nc_cloth_settings(const nc_cloth_world *world);
// Positions and velocities (each may be NULL) of an object's vertices at the current frame.
nc_code nc_cloth_read(const nc_cloth_world *world, int object, nc_vec3 *out_positions, nc_vec3 *out_velocities,
                      nc_error *err);

// Where a run ended as jammed.
typedef struct nc_cloth_jam {
    double time; // [s]
    int object_a, object_b;
    int vertices[4]; // world rows: of a vertex and a triangle, or of two edges; -1 where there are fewer
    bool edges;      // two edges
    int layer;       // index of the layer that would have to act
    nc_vec3 place;   // [m]
} nc_cloth_jam;

// What a frame did.
typedef struct nc_cloth_report {
    int64_t frame; // frames done, this one included
    double time;   // [s] at its end
    int vertices;
    int64_t gravity_events, stretch_events, bend_events, contact_events; // force evaluations
    int64_t contact_kicks; // of the contact events, those that were not null
    int64_t script_events;
    int64_t windows, rollbacks;                     // speculative: windows run, and run again
    int64_t certificates, reschedules, tree_events; // kinetic: failures handled, failure times recomputed, tree
    int contacts;                                   // pairs with an active layer at the end
    int deepest_layer;                              // of any kick; 0: none
    double smallest_step;                           // [s] of an active clock
    double step_quantiles[5];                       // [s] 5, 25, 50, 75, 95% of the vertices' mean time between kicks
    double smallest_distance;                       // [m] at any contact kick; infinite when there was none
    double kinetic, gravity_energy, stretch_energy, bend_energy, contact_energy; // [J] at the end
    nc_vec3 momentum, angular_momentum; // [kg m/s], [kg m^2/s] about the origin, of free vertices
    double seconds_total, seconds_elastic, seconds_contact, seconds_find, seconds_audit; // wall time; in no hash
    int64_t audited_pieces, crossings;                                                   // with the audit on
} nc_cloth_report;

// Advances by one frame. A transaction: on any error the world is as it was. The first step checks that the start is
// free of intersections. Errors: NC_INTERSECTING, NC_JAMMED (see nc_cloth_jammed), NC_OUT_OF_MEMORY.
nc_code nc_cloth_step(nc_cloth_world *world, nc_cloth_report *report, nc_error *err);
// Where the last NC_JAMMED happened; false when there was none.
bool nc_cloth_jammed(const nc_cloth_world *world, nc_cloth_jam *out);

// From now on every linear piece between kicks is audited exactly: the report counts pieces and crossings.
void nc_cloth_trace_audit(nc_cloth_world *world, bool on);

// Energies and momenta of the current state, as a report of zero steps.
nc_code nc_cloth_measure(const nc_cloth_world *world, nc_cloth_report *report, nc_error *err);

// Pairs of triangles (rows of the world) that share a point now, exactly; self-intersection included. Particles are
// points. Writes up to `capacity`; `*out_count` is how many there are.
typedef struct nc_cloth_overlap {
    int object_a, object_b;
    int triangle_a, triangle_b; // of the world; -1 for a particle
    nc_vec3 place;              // [m]
} nc_cloth_overlap;
nc_code nc_cloth_audit(const nc_cloth_world *world, nc_cloth_overlap *out, int capacity, int *out_count, nc_error *err);

// The state as bytes, and back, into a world with the same objects and settings. Format version inside.
uint64_t nc_cloth_hash(const nc_cloth_world *world);
nc_code nc_cloth_save(const nc_cloth_world *world, nc_buffer *out, nc_error *err);
nc_code nc_cloth_restore(nc_cloth_world *world, const void *bytes, size_t size, nc_error *err);

#ifdef __cplusplus
}
#endif
#endif
