// Writes a run file in which two boxes cross each other: crossed_run FILE
// Nacre makes no such run. This one is made by reaching into a world after its second step, and is what the tests of
// the audit's exit code and of its dump need: a step from there moves bodies that cross.
#include "nacre/nacre.h"

#include "world/world.h"

#include <stdio.h>

#define TIMESTEP (1.0 / 24)

static nc_code add_boxes(nc_world *world, nc_error *err)
{
    const nc_shape_parameter size = {"size", 1};
    nc_body_def def = nc_body_def_default();
    nc_code code = nc_shape_create("box", &size, 1, NULL, &def.mesh, err);
    for (int i = 0; i < 2 && code == NC_OK; i++) {
        def.name = i == 0 ? "left" : "right";
        def.position = nc_v3(3.0 * i, 0, 0);
        def.spin = nc_v3(0, 0.5, 0);
        code = nc_body_create(world, &def, NULL, err);
    }
    nc_mesh_release(def.mesh);
    return code;
}

static nc_code write_run(const char *path, nc_world *world, nc_error *err)
{
    const nc_run_def def = {.path = path,
                            .overwrite = true,
                            .scene_text = "nacre: 1\nexpect: {separation: true}\n",
                            .scene_path = "",
                            .title = "Two boxes that cross",
                            .timestep = TIMESTEP,
                            .steps_wanted = 20,
                            .output_every = 2};
    nc_run *run = NULL;
    const nc_code code = nc_run_create(&def, nc_model_of_world(world), &run, err);
    return code == NC_OK ? nc_run_close(run, err) : code;
}

static nc_code make(const char *path, nc_error *err)
{
    const nc_world_def def = nc_world_def_default();
    nc_world *world = NULL;
    nc_code code = nc_world_create(&def, &world, err);
    if (code == NC_OK)
        code = add_boxes(world, err);
    for (int i = 0; i < 2 && code == NC_OK; i++)
        code = nc_world_step(world, TIMESTEP, NULL, err);
    if (code == NC_OK) {
        world->state.bodies.pose[1].x.x = 0.7;
        world->state.bodies.pose[1].x.y += 0.3;
        code = write_run(path, world, err);
    }
    nc_world_destroy(world);
    return code;
}

int main(int argc, char **argv)
{
    nc_error err = {0};
    if (argc != 2 || make(argv[1], &err) != NC_OK) {
        fprintf(stderr, "crossed_run FILE: %s\n", err.text);
        return 1;
    }
    return 0;
}
