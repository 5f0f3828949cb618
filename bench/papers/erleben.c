// nacre bench erleben: the figures of the paper re-measured, into a page with charts.
#include "bench/papers/erleben.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static nc_code build(const nc_scene_def *def, const nc_erleben *e, int64_t steps, int workers, nc_erleben_scene *out,
                     nc_error *err)
{
    *out = (nc_erleben_scene){.steps = steps};
    if (e->options->steps > 0 && e->options->steps < steps)
        out->steps = e->options->steps;
    nc_code code = nc_scene_load(def, &out->scene, err);
    if (code == NC_OK) {
        out->settings = nc_scene_view(out->scene);
        out->settings.world.workers = workers;
        code = nc_bench_build(out->scene, &out->settings, &out->world, err);
    }
    if (code != NC_OK)
        nc_erleben_close(out);
    return code;
}

static int count_of(const char *const *sets)
{
    int count = 0;
    while (sets != NULL && count < NC_ERLEBEN_SETS && sets[count] != NULL)
        count++;
    return count;
}

nc_code nc_erleben_open(const nc_erleben *e, const char *name, const char *const *sets, int64_t steps, int workers,
                        nc_erleben_scene *out, nc_error *err)
{
    char path[1200];
    snprintf(path, sizeof path, "%.1000s/%.100s.yaml", e->options->scenes, name);
    const nc_scene_def def = {.path = path, .overrides = sets, .override_count = count_of(sets)};
    return build(&def, e, steps, workers, out, err);
}

nc_code nc_erleben_open_text(const nc_erleben *e, const char *text, const char *const *sets, int64_t steps,
                             nc_erleben_scene *out, nc_error *err)
{
    const nc_scene_def def = {.path = "erleben",
                              .text = text,
                              .text_size = strlen(text),
                              .overrides = sets,
                              .override_count = count_of(sets)};
    return build(&def, e, steps, 1, out, err);
}

void nc_erleben_close(nc_erleben_scene *scene)
{
    nc_world_destroy(scene->world);
    nc_scene_destroy(scene->scene);
    *scene = (nc_erleben_scene){0};
}

static bool is_left_out(const char *name)
{
    return name != NULL && (strcmp(name, "roof") == 0 || strcmp(name, "ball") == 0);
}

#define DISPLACED 0.1 // of a body's diameter

nc_erleben_drift nc_erleben_measure(const nc_world *world, const nc_pose *start, const nc_pose *now)
{
    const nc_bodies *bodies = &world->state.bodies;
    nc_erleben_drift drift = {0};
    for (int i = 0, k = 0; i < bodies->count; i++) {
        if (!bodies->alive[i])
            continue;
        const nc_vec3 way = nc_sub(now[k].x, start[k].x);
        k++;
        if (bodies->type[i] != NC_DYNAMIC || is_left_out(bodies->name[i]))
            continue;
        drift.aside = fmax(drift.aside, hypot(way.x, way.z));
        drift.upright = fmax(drift.upright, fabs(way.y));
        drift.displaced += nc_norm(way) > DISPLACED * 2 * world->meshes.data[bodies->mesh[i]].radius;
    }
    return drift;
}

// ---- the page ---------------------------------------------------------------------------------------------------

static void begin_page(const nc_erleben *e)
{
    const nc_machine m = nc_this_machine();
    fprintf(
        e->page,
        "# Erleben's figures, re-measured\n\nWritten by `nacre bench erleben%s` on %s, %d cores. The pipeline is "
        "[velocity-based shock propagation](../theory/vsp.md) with the paper's settings (dt 0.01 s, 10 and 5 "
        "iterations) where nothing else is said, but for the [weight](../theory/vsp.md#weight) a, which is 1 here and "
        "0.01 there; scenes are those of `scenes/erleben/`.\n",
        e->options->spectra ? " --spectra" : "", m.processor, m.cores);
    if (e->options->steps > 0)
        fprintf(e->page, "\nCut short: at most %d steps per run.\n", e->options->steps);
}

static const struct {
    const char *figure; // for --figure
    nc_code (*run)(const nc_erleben *e, nc_error *err);
} parts[] = {{"5", nc_erleben_convergence}, {"9", nc_erleben_stack},   {"8", nc_erleben_spectra},
             {"20", nc_erleben_peers},      {"18", nc_erleben_frames}, {"30", nc_erleben_popcorn}};

static bool is_requested(const nc_bench_options *options, const char *figure)
{
    for (int i = 0; i < options->figures->count; i++)
        if (strcmp(options->figures->items[i], figure) == 0)
            return true;
    return options->figures->count == 0 && (options->spectra || strcmp(figure, "8") != 0);
}

nc_code nc_bench_erleben(const nc_bench_options *options, nc_bench_result *out, int *out_count, nc_error *err)
{
    char path[1200];
    snprintf(path, sizeof path, "%.1000s/erleben.md", options->results);
    FILE *page = fopen(path, "w");
    if (page == NULL)
        return nc_fail(err, NC_IO, "cannot write '%s': %s", path, strerror(errno));
    const nc_erleben e = {options, page, out, out_count};
    nc_code code = NC_OK;
    begin_page(&e);
    for (size_t i = 0; i < sizeof parts / sizeof *parts && code == NC_OK; i++) {
        if (is_requested(options, parts[i].figure))
            code = parts[i].run(&e, err);
        fflush(page); // a part that is done stays, whatever becomes of the next
    }
    const bool broken = ferror(page) != 0;
    if ((fclose(page) != 0 || broken) && code == NC_OK)
        code = nc_fail(err, NC_IO, "cannot write '%s'", path);
    return code;
}
