// One scene, stepped from its start in every round.
#include "bench/speed/speed.h"

#include <math.h>

static void watch_worst(const nc_step_report *report, void *ctx)
{
    nc_speed_run *run = ctx;
    run->worst = fmax(run->worst, report->seconds_total);
}

static nc_code step_scene(void *ctx, nc_error *err)
{
    nc_speed_run *run = ctx;
    nc_bench_memory memory = {0, 0};
    const nc_allocator allocator = nc_bench_memory_allocator(&memory);
    nc_scene *scene = NULL;
    nc_world *world = NULL;
    nc_scene_def def = run->def;
    def.allocator = &allocator;
    run->worst = 0;
    nc_code code = nc_scene_load(&def, &scene, err);
    nc_scene_settings settings = {0};
    if (code == NC_OK) {
        settings = nc_scene_view(scene);
        settings.world.workers = 1;
        settings.world.allocator = allocator;
        code = nc_bench_build(scene, &settings, &world, err);
    }
    if (code == NC_OK)
        code = nc_bench_step(world, settings.timestep, run->steps, watch_worst, run, &run->sum, err);
    run->bodies = code == NC_OK ? nc_world_body_count(world) : 0;
    run->bytes = (double)memory.peak;
    run->seconds = run->sum.cpu;
    nc_world_destroy(world);
    nc_scene_destroy(scene);
    return code;
}

static void add_figures(const nc_speed_run *run, nc_bench_result *r)
{
    static const char *const counts[] = {"pairs",       "sweeps", "collisions", "contacts", "contact_iterations",
                                         "unconverged", "sticks"};
    nc_bench_add_figure(r, "bodies_at_the_end", run->bodies, "1");
    nc_bench_add_figure(r, "milliseconds_per_step", 1e3 * r->ours_median / (double)run->steps, "ms");
    nc_bench_add_figure(r, "milliseconds_of_the_slowest_step", 1e3 * run->worst, "ms");
    nc_bench_add_figure(r, "megabytes", run->bytes / 1e6, "MB");
    for (int i = 0; nc_bench_phase(i) != NULL; i++)
        nc_bench_add_figure(r, nc_bench_phase(i), nc_bench_total(&run->sum, nc_bench_phase(i)), "s");
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        nc_bench_add_figure(r, counts[i], nc_bench_total(&run->sum, counts[i]), "1");
}

nc_code nc_speed_measure(nc_speed_run *run, int rounds, nc_bench_result *out, nc_error *err)
{
    nc_bench_pair pair = {.name = run->name,
                          .ours = {"nacre, a step on one thread", step_scene, &run->seconds},
                          .peer = {NC_BENCH_REFERENCE, nc_bench_reference, NULL},
                          .ctx = run,
                          .peer_share = 1,
                          .clock = NC_CLOCK_CPU,
                          .no_warm_up = true,
                          .items = (double)run->steps};
    const nc_code code = nc_bench_compare(&pair, rounds, out, err);
    if (code != NC_OK)
        return code;
    snprintf(out->pair.note, sizeof out->pair.note,
             "%d bodies at the end, %lld steps from the start, processor time; the peer is no simulator but %s, so "
             "that ratios of two runs can be compared",
             run->bodies, (long long)run->steps, NC_BENCH_REFERENCE);
    add_figures(run, out);
    nc_say(false, "%s: %.3f ms per step, %.1f ms the slowest, %.1f MB", run->name,
           1e3 * out->ours_median / (double)run->steps, 1e3 * run->worst, run->bytes / 1e6);
    return NC_OK;
}
