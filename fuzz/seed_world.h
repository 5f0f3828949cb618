// A small world with one body of each type, a script and an exempt pair: where snapshots and run files come from.
#ifndef NC_FUZZ_SEED_WORLD_H
#define NC_FUZZ_SEED_WORLD_H

#include "fuzz.h"

static inline nc_body_id seed_body(nc_world *world, nc_body_type type, nc_mesh *mesh, const char *name, double height)
{
    static const nc_keyframe keys[2] = {{0, {0, 3, 0}, {1, 0, 0, 0}}, {1, {1, 3, 0}, {0, 1, 0, 0}}};
    nc_body_def def = nc_body_def_default();
    nc_body_id id = {0, 0};
    def.type = type;
    def.mesh = mesh;
    def.name = name;
    def.position = nc_v3(0, height, 0);
    def.mass.mass = type == NC_DYNAMIC ? 2 : 0;
    def.spin = type == NC_DYNAMIC ? nc_v3(1, 2, 3) : nc_v3(0, 0, 0);
    if (type == NC_KINEMATIC) {
        def.keyframes = keys;
        def.keyframe_count = 2;
    }
    FUZZ_PROMISE(nc_body_create(world, &def, &id, NULL) == NC_OK);
    return id;
}

static inline nc_world *seed_world(void)
{
    nc_world_def def = nc_world_def_default();
    def.workers = 1;
    nc_world *world = NULL;
    nc_mesh *box = NULL, *triangle = NULL;
    FUZZ_PROMISE(nc_world_create(&def, &world, NULL) == NC_OK);
    FUZZ_PROMISE(nc_shape_create("box", NULL, 0, NULL, &box, NULL) == NC_OK);
    FUZZ_PROMISE(nc_shape_create("triangle", NULL, 0, NULL, &triangle, NULL) == NC_OK);
    const nc_body_id a = seed_body(world, NC_STATIC, box, "ground", -5);
    seed_body(world, NC_KINEMATIC, box, "pusher", 3);
    const nc_body_id b = seed_body(world, NC_DYNAMIC, triangle, "leaf", 9);
    FUZZ_PROMISE(nc_world_exempt_pair(world, a, b, NULL) == NC_OK);
    nc_mesh_release(box);
    nc_mesh_release(triangle);
    return world;
}

#endif
