// Prints the state hash of every step of scenes of rigid bodies: hash_scenes WORKERS (SCENE STEPS)...
// Built twice, once with other values of all numbers that only cost time, it must print the same (effort.sh).
#include "nacre/nacre.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static nc_code step_and_print(nc_model model, double dt, int steps, const char *path, nc_error *err)
{
    nc_code code = NC_OK;
    for (int k = 1; k <= steps && code == NC_OK; k++) {
        code = nc_model_step(model, dt, NULL, err);
        if (code == NC_OK)
            printf("%s step %d: %016" PRIx64 "\n", path, k, nc_model_hash(model));
    }
    return code;
}

static nc_code run_scene(const char *path, int steps, int workers, nc_error *err)
{
    nc_scene *scene = NULL;
    nc_model model = {NULL, NULL};
    nc_code code = nc_scene_load(&(nc_scene_def){.path = path}, &scene, err);
    if (code != NC_OK)
        return code;
    nc_scene_settings settings = nc_scene_view(scene);
    settings.world.workers = workers;
    code = nc_scene_build(scene, &settings, &model, err);
    if (code == NC_OK)
        code = step_and_print(model, settings.timestep, steps, path, err);
    nc_model_destroy(model);
    nc_scene_destroy(scene);
    return code;
}

int main(int argc, char **argv)
{
    nc_error err = {0};
    if (argc < 4 || argc % 2 != 0) {
        fprintf(stderr, "usage: hash_scenes WORKERS (SCENE STEPS)...\n");
        return 2;
    }
    for (int k = 2; k < argc; k += 2)
        if (run_scene(argv[k], atoi(argv[k + 1]), atoi(argv[1]), &err) != NC_OK) {
            fprintf(stderr, "%s: %s\n", argv[k], err.text);
            return 1;
        }
    return 0;
}
