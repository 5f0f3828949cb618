// Models: rigid bodies (world.h) and cloth (cloth.h) behind one interface. Scenes build a model, run files store one,
// sessions step, audit and judge one; none of them depends on which kind it is. docs/architecture.md.
//
// A model is a handle of two pointers, passed by value. It refers to a world and is no copy of it: stepping the model
// steps the world. Used from one thread at a time.
#ifndef NACRE_MODEL_H
#define NACRE_MODEL_H

#include "cloth.h"
#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nc_model {
    const struct nc_model_kind *kind; // NULL: no model
    void *self;
} nc_model;

nc_model nc_model_of_world(nc_world *world);
nc_model nc_model_of_cloth(nc_cloth_world *world);
// The world that it refers to; NULL when it is of the other kind, or none.
nc_world *nc_model_world(nc_model model);
nc_cloth_world *nc_model_cloth(nc_model model);
// Destroys the world. {NULL, NULL} is allowed.
void nc_model_destroy(nc_model model);

// "shell", "vsp", "isp" or "acm", as in scenes and run files.
const char *nc_model_pipeline(nc_model model);
int64_t nc_model_step_count(nc_model model); // of cloth: frames
double nc_model_time(nc_model model);        // [s]
nc_vec3 nc_model_gravity(nc_model model);    // [m/s^2]

// ---- stepping -----------------------------------------------------------------------------------------------

// What a step did: the rows of report.def, which all models fill, and those that cloth has more.
typedef struct nc_model_report {
    nc_step_report common; // of cloth: find, elastic forces and layers are the phases collide, predict and separate
    bool has_cloth;        // `cloth` is filled, too
    nc_cloth_report cloth; // rows of cloth_report.def; its fields that `common` has, too, are equal
} nc_model_report;

// Advances by dt [s]. A transaction: on any error the model is as it was. `report` may be NULL. Errors: those of
// nc_world_step or nc_cloth_step; NC_BAD_ARGUMENT for a dt that is not the frame_dt of a world of cloth.
nc_code nc_model_step(nc_model model, double dt, nc_model_report *report, nc_error *err);
// Energies and momenta of the current state, as a report of zero steps.
nc_code nc_model_measure(nc_model model, nc_model_report *report, nc_error *err);
// Finds pairs that share a point now, exactly, a cloth with itself included. Writes up to `capacity`; `*out_count` is
// how many there are. Elements are those of the bodies' meshes; -1 for a particle.
nc_code nc_model_audit(nc_model model, nc_overlap *out, int capacity, int *out_count, nc_error *err);

// ---- bodies -------------------------------------------------------------------------------------------------

typedef struct nc_model_body {
    const char *name;  // "" when it has none. Borrowed until the next step
    nc_body_type type; // NC_DYNAMIC for cloth
    bool cloth;        // a sheet or a set of particles: it must stay apart from itself, too
    int mesh;          // the row of its mesh
    int vertex_count;  // of what is placed vertex by vertex (nc_model_read_vertices); 0: by its pose
    double mass;       // [kg] this and the next two: 0 for objects of a world of cloth
    double friction, restitution;
    nc_pose pose;     // the identity, where vertices are placed one by one; likewise velocities and energy are 0
    nc_vec3 velocity; // [m/s]
    nc_vec3 spin;     // [rad/s]
    double kinetic;   // [J]
    nc_appearance appearance;
} nc_model_body;

// Handles in creation order; of objects of cloth {number, 0}. Writes up to `capacity`, returns how many there are.
int nc_model_bodies(nc_model model, nc_body_id *out, int capacity);
// NC_BAD_ARGUMENT for a stale handle.
nc_code nc_model_read_body(nc_model model, nc_body_id body, nc_model_body *out, nc_error *err);
// Positions [m] and velocities [m/s] (each may be NULL) of the vertex_count vertices of a body.
// NC_BAD_ARGUMENT for a body that has none of its own.
nc_code nc_model_read_vertices(nc_model model, nc_body_id body, nc_vec3 *out_positions, nc_vec3 *out_velocities,
                               nc_error *err);

// ---- snapshots ----------------------------------------------------------------------------------------------

// A hash of everything that decides the future: equal hashes, equal futures.
uint64_t nc_model_hash(nc_model model);
// Appends the state, as nc_world_save or nc_cloth_save do.
nc_code nc_model_save(nc_model model, nc_buffer *out, nc_error *err);
// Puts the state back: nc_world_restore, nc_cloth_restore.
nc_code nc_model_restore(nc_model model, const void *bytes, size_t size, nc_error *err);

#ifdef __cplusplus
}
#endif
#endif
