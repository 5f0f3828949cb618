// A short run of the seed world, as a file.
#ifndef NC_FUZZ_SEED_RUN_H
#define NC_FUZZ_SEED_RUN_H

#include "seed_world.h"

// Writes the run to `path`; `world` ends two steps later.
static inline nc_code seed_run(const char *path, nc_world *world, nc_error *err)
{
    const nc_run_def def = {.path = path,
                            .overwrite = true,
                            .scene_text = "nacre: 1\n",
                            .scene_path = "seed.yaml",
                            .title = "a seed",
                            .timestep = 1.0 / 24,
                            .steps_wanted = 2,
                            .output_every = 1,
                            .checkpoint_every = 1};
    const nc_model model = nc_model_of_world(world);
    nc_run *run = NULL;
    nc_code code = nc_run_create(&def, model, &run, err);
    for (int i = 0; i < 2 && code == NC_OK; i++) {
        nc_model_report report;
        code = nc_model_step(model, 1.0 / 24, &report, err);
        if (code == NC_OK)
            code = nc_run_append(run, model, &report, 1, err);
    }
    if (code == NC_OK)
        code = nc_run_finish(run, model, err);
    return code == NC_OK ? nc_run_close(run, err) : code;
}

#endif
