// nacre bench scenes: time per step of scenes of all kinds, from their starts.
#include "bench/speed/speed.h"

typedef struct row {
    const char *name, *path;
    int64_t steps;
} row;

// Long enough to reach what the scene is about, short enough for all of them to take a few minutes.
static const row rows[] = {
    {"stack of 25 boxes", "erleben/fig09_stack.yaml", 200},
    {"wall of 200 bricks", "erleben/fig10_wall.yaml", 100},
    {"tower and block", "erleben/fig20_tower.yaml", 40},
    {"triangles on pegs", "english/fig01_triangles.yaml", 120},
    {"100 boats", "english/fig13_boats_100.yaml", 200},
    {"1000 boats", "english/fig13_boats_1000.yaml", 120},
    {"2000 hanging rings", "english/fig10_chains.yaml", 20},
    {"silo", "erleben/fig01_silo.yaml", 60},
    {"letters", "erleben/fig17_letters.yaml", 30},
    {"cows", "erleben/fig15_cows.yaml", 30},
    {"25 spheres break a table", "su/fig08_25.yaml", 80},
    {"chain of 65 links", "tight/chain_sagging_65.yaml", 100},
    {"bolt in a nut", "tight/bolt.yaml", 10},
};
#define ROWS ((int)(sizeof rows / sizeof *rows))
_Static_assert(ROWS <= NC_BENCH_PER_KIND, "room for every scene");

nc_code nc_bench_scenes(const nc_bench_options *options, nc_bench_result *out, int *out_count, nc_error *err)
{
    nc_code code = NC_OK;
    for (int i = 0; i < ROWS && code == NC_OK; i++) {
        char path[1200];
        snprintf(path, sizeof path, "%.1000s/%s", options->scenes, rows[i].path);
        nc_speed_run run = {.name = rows[i].name, .def = {.path = path}, .steps = rows[i].steps};
        if (options->steps > 0 && options->steps < run.steps)
            run.steps = options->steps;
        code = nc_speed_measure(&run, options->rounds, &out[i], err);
        *out_count += code == NC_OK;
    }
    return code;
}
