// Bodies with joints, made in C. Include after check.h.
#ifndef NC_TESTS_JOINT_BODIES_H
#define NC_TESTS_JOINT_BODIES_H

#include "world_bodies.h"

#define PI 3.14159265358979323846

static inline nc_body_id add_box(nc_world *world, nc_vec3 size, nc_vec3 at, double mass)
{
    const nc_shape_parameter sides[] = {{"width", size.x}, {"height", size.y}, {"depth", size.z}};
    nc_body_def def = nc_body_def_default();
    def.type = NC_DYNAMIC;
    def.position = at;
    def.mass.mass = mass;
    return add(world, "box", sides, 3, def);
}

static inline nc_joint_id join(nc_world *world, const nc_joint_def *def)
{
    nc_joint_id id = {0, 0};
    nc_error err;
    check_ok(nc_joint_create(world, def, &id, &err), err);
    return id;
}

static inline nc_joint_state read_joint(const nc_world *world, nc_joint_id id)
{
    nc_joint_state state;
    nc_error err;
    check_ok(nc_joint_read(world, id, &state, &err), err);
    return state;
}

static inline nc_step_report step(nc_world *world, double dt)
{
    nc_step_report report;
    nc_error err;
    check_ok(nc_world_step(world, dt, &report, &err), err);
    return report;
}

// A joint of a body and the world.
static inline nc_joint_def hold(nc_joint_kind kind, nc_body_id body, nc_vec3 anchor, nc_vec3 axis)
{
    nc_joint_def def = nc_joint_def_default(kind);
    def.body_a = body;
    def.anchor = anchor;
    def.axis = axis;
    return def;
}

#endif
