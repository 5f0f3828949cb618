// Worlds made in C: bodies by shape, and steps that must succeed. Include after check.h.
#ifndef NC_TESTS_WORLD_BODIES_H
#define NC_TESTS_WORLD_BODIES_H

#include "check.h"

#include "nacre/nacre.h"

// Tests of joints are built once per pipeline (cmake/NacreTests.cmake).
#ifndef WORLD_PIPELINE
#define WORLD_PIPELINE NC_PIPELINE_SHELL
#endif

// Gravity [m/s^2] along -y.
static inline nc_world *new_world(double gravity, double friction, double restitution, int workers)
{
    nc_world_def def = nc_world_def_default();
    def.gravity = nc_v3(0, -gravity, 0);
    def.friction = friction;
    def.restitution = restitution;
    def.workers = workers;
    def.pipeline = WORLD_PIPELINE;
    nc_world *world = NULL;
    nc_error err;
    check_ok(nc_world_create(&def, &world, &err), err);
    return world;
}

// A body of a named shape; the mesh of `def` is that shape.
static inline nc_body_id add(nc_world *world, const char *name, const nc_shape_parameter *parameters, int count,
                             nc_body_def def)
{
    nc_body_id id = {0, 0};
    nc_error err;
    check_ok(nc_shape_create(name, parameters, count, NULL, &def.mesh, &err), err);
    check_ok(nc_body_create(world, &def, &id, &err), err);
    nc_mesh_release(def.mesh);
    return id;
}

// A static plane of 200 m.
static inline nc_body_id add_ground(nc_world *world, nc_quat orientation)
{
    const nc_shape_parameter size[] = {{"size", 200}};
    nc_body_def def = nc_body_def_default();
    def.type = NC_STATIC;
    def.orientation = orientation;
    return add(world, "plane", size, 1, def);
}

static inline nc_body_state read_body(const nc_world *world, nc_body_id id)
{
    nc_body_state body;
    nc_error err;
    check_ok(nc_body_read(world, id, &body, &err), err);
    return body;
}

#endif
