// nacre bench erleben: what the parts of the measurement share. Each part adds a section to docs/results/erleben.md.
#ifndef NC_BENCH_ERLEBEN_H
#define NC_BENCH_ERLEBEN_H

#include "bench/world.h"

#include "plot/plot.h"
#include "world/world.h"

typedef struct nc_erleben {
    const nc_bench_options *options;
    FILE *page; // erleben.md
    nc_bench_result *results;
    int *result_count;
} nc_erleben;

// A scene of the folder with some keys set, ready to be stepped.
typedef struct nc_erleben_scene {
    nc_scene *scene;
    nc_scene_settings settings;
    nc_world *world;
    int64_t steps; // wanted, or what --steps allows
} nc_erleben_scene;
#define NC_ERLEBEN_SETS 4
// `sets`: up to NC_ERLEBEN_SETS overrides, then NULL. `workers`: threads.
nc_code nc_erleben_open(const nc_erleben *e, const char *name, const char *const *sets, int64_t steps, int workers,
                        nc_erleben_scene *out, nc_error *err);
// The same for a scene given as text.
nc_code nc_erleben_open_text(const nc_erleben *e, const char *text, const char *const *sets, int64_t steps,
                             nc_erleben_scene *out, nc_error *err);
void nc_erleben_close(nc_erleben_scene *scene);

// Where dynamic bodies were at the start, and how far they have come since.
typedef struct nc_erleben_drift {
    double aside;   // [m] most that a body moved across gravity
    double upright; // [m] most along it
    int displaced;  // bodies farther from their start than a tenth of their size
} nc_erleben_drift;
// `start` and `now`: poses in the order of nc_world_bodies. Bodies named roof or ball are left out.
nc_erleben_drift nc_erleben_measure(const nc_world *world, const nc_pose *start, const nc_pose *now);

nc_code nc_erleben_convergence(const nc_erleben *e, nc_error *err); // Figs. 5-7
nc_code nc_erleben_stack(const nc_erleben *e, nc_error *err);       // Fig. 9
nc_code nc_erleben_spectra(const nc_erleben *e, nc_error *err);     // Figs. 3, 4, 8
nc_code nc_erleben_frames(const nc_erleben *e, nc_error *err);      // Figs. 18, 19
nc_code nc_erleben_popcorn(const nc_erleben *e, nc_error *err);     // Figs. 29, 30
nc_code nc_erleben_peers(const nc_erleben *e, nc_error *err);       // Figs. 20-27

#endif
