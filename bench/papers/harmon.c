// nacre bench harmon: the timing table of Harmon et al. (6.4), with ours beside it, and what the time goes to.
#include "bench/bench.h"

#include <errno.h>
#include <math.h>
#include <string.h>

// A row of the paper's table: hours on one thread of a 3.06 GHz Xeon.
typedef struct row {
    const char *name, *scene;
    double events, rescheduling, hours;
} row;

static const row rows[] = {{"Reef knot", "reef_knot", 1.5, 16.7, 18.5},
                           {"Bowline knot", "bowline", 3.0, 141.1, 144.5},
                           {"Trash compactor", "compactor", 0.5, 53.0, 53.6},
                           {"Two sheets draped", "nails_draped", 4.5, 260.8, 265.5},
                           {"Two sheets pulled", "nails_pulled", 13.6, 310.5, 325.6}};

// What a run of a scene took and did.
typedef struct measured {
    int vertices;
    int64_t frames, wanted, all;           // done, to be done, of the whole scene
    double time;                           // [s] simulated
    double seconds, elastic, layers, find; // [s] wall time
    double processor;                      // [s] of all threads
    int64_t events, kicks;
    int deepest;
    int64_t overlaps; // in the last frame, exactly
    bool jammed;
} measured;

static void add(measured *m, const nc_cloth_report *r)
{
    m->frames++;
    m->vertices = r->vertices;
    m->time = r->time;
    m->elastic += r->seconds_elastic;
    m->layers += r->seconds_contact;
    m->find += r->seconds_find;
    m->events += r->gravity_events + r->stretch_events + r->bend_events + r->contact_events;
    m->kicks += r->contact_kicks;
    m->deepest = r->deepest_layer > m->deepest ? r->deepest_layer : m->deepest;
}

static nc_code step_all(nc_model model, double dt, measured *m, nc_error *err)
{
    nc_code code = NC_OK;
    const double start = nc_clock(), processor_start = nc_cpu_clock();
    while (m->frames < m->wanted && code == NC_OK) {
        nc_model_report report;
        code = nc_model_step(model, dt, &report, err);
        if (code == NC_OK)
            add(m, &report.cloth);
    }
    m->seconds = nc_clock() - start;
    m->processor = nc_cpu_clock() - processor_start;
    m->jammed = code == NC_JAMMED;
    return m->jammed ? NC_OK : code;
}

static nc_code run_scene(const nc_bench_options *options, const char *name, measured *m, nc_error *err)
{
    char path[1200];
    nc_scene *scene = NULL;
    nc_model model = {NULL, NULL};
    int overlaps = 0;
    snprintf(path, sizeof path, "%.1000s/%s.yaml", options->scenes, name);
    const nc_scene_def def = {.path = path};
    nc_code code = nc_scene_load(&def, &scene, err);
    if (code == NC_OK)
        code = nc_scene_build(scene, NULL, &model, err);
    if (code == NC_OK) {
        const int64_t all = nc_scene_view(scene).steps;
        *m = (measured){.all = all, .wanted = options->steps > 0 && options->steps < all ? options->steps : all};
        code = step_all(model, nc_scene_view(scene).timestep, m, err);
    }
    if (code == NC_OK)
        code = nc_model_audit(model, NULL, 0, &overlaps, err);
    m->overlaps = overlaps;
    nc_model_destroy(model);
    nc_scene_destroy(scene);
    return code;
}

// ---- telling ------------------------------------------------------------------------------------------------

static void begin_page(FILE *page, const nc_bench_options *options)
{
    const nc_machine m = nc_this_machine();
    fprintf(
        page,
        "# Harmon's timing table; re-measured\n\nWritten by `nacre bench harmon` on %s, %d cores. Scenes are those "
        "of "
        "`scenes/harmon/`, of the paper's size; knots and sheets are our own, so that times can be compared in kind, "
        "not to the second. The paper's hours are those of one thread of a 3.06 GHz Xeon; ours are seconds of wall "
        "time and of all "
        "threads together. Every last frame is free of "
        "intersections where the last column says 0, exactly.\n\nThe two rows of sheets are of our material, not of "
        "the paper's ([materials](harmon.md#materials)), so their hours compare different cloth.\n",
        m.processor, m.cores);
    if (options->steps > 0)
        fprintf(page, "\nCut short: at most %d frames per run.\n", options->steps);
    fputs("\n| example | vertices | frames | simulated s | paper, h | ours, s | of processors, s | elastic | layers | "
          "finding | events | "
          "impulses | deepest layer | intersections |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | "
          "--- | "
          "--- | --- | --- |\n",
          page);
}

static void write_row(FILE *page, const row *r, const measured *m)
{
    const double all = fmax(m->seconds, 1e-9);
    fprintf(page,
            "| %s%s | %d | %lld | %.3g | %.1f | %.4g | %.4g | %.1f%% | %.1f%% | %.1f%% | %.3g | %.3g | %d | %lld |\n",
            r->name, m->jammed ? " (jammed)" : "", m->vertices, (long long)m->frames, m->time, r->hours, m->seconds,
            m->processor, 100 * m->elastic / all, 100 * m->layers / all, 100 * m->find / all, (double)m->events,
            (double)m->kicks, m->deepest, (long long)m->overlaps);
    fflush(page); // a row that is done stays, whatever becomes of the next
}

static void add_result(const row *r, const measured *m, nc_bench_result *out)
{
    *out = (nc_bench_result){.pair = {.name = r->name,
                                      .ours = {.name = "nacre"},
                                      .peer = {.name = "the paper, one thread of a 3.06 GHz Xeon"},
                                      .peer_share = 1},
                             .rounds = 1,
                             .ours = {m->seconds},
                             .peer = {3600 * r->hours},
                             .ours_median = m->seconds,
                             .peer_median = 3600 * r->hours};
    // Of a run that was cut short there is nothing to compare.
    if (m->frames < m->all && !m->jammed)
        out->peer_median = NAN;
    out->ratio = out->ratio_low = out->ratio_high = out->peer_median / fmax(m->seconds, 1e-9);
    snprintf(out->pair.note, sizeof out->pair.note,
             "%lld frames (%.4g s) of ours; the paper's time is of its whole example", (long long)m->frames, m->time);
    nc_bench_add_figure(out, "vertices", m->vertices, "1");
    nc_bench_add_figure(out, "frames", (double)m->frames, "1");
    nc_bench_add_figure(out, "simulated", m->time, "s");
    nc_bench_add_figure(out, "processor", m->processor, "s");
    nc_bench_add_figure(out, "elastic", m->elastic, "s");
    nc_bench_add_figure(out, "layers", m->layers, "s");
    nc_bench_add_figure(out, "finding", m->find, "s");
    nc_bench_add_figure(out, "events", (double)m->events, "1");
    nc_bench_add_figure(out, "contact_kicks", (double)m->kicks, "1");
    nc_bench_add_figure(out, "deepest_layer", m->deepest, "1");
    nc_bench_add_figure(out, "intersections", (double)m->overlaps, "1");
}

static bool is_requested(const nc_bench_options *options, const char *scene)
{
    for (int i = 0; i < options->figures->count; i++)
        if (strcmp(options->figures->items[i], scene) == 0)
            return true;
    return options->figures->count == 0;
}

nc_code nc_bench_harmon(const nc_bench_options *options, nc_bench_result *out, int *out_count, nc_error *err)
{
    char path[1200];
    snprintf(path, sizeof path, "%.1000s/harmon-times.md", options->results);
    FILE *page = fopen(path, "w");
    if (page == NULL)
        return nc_fail(err, NC_IO, "cannot write '%s': %s", path, strerror(errno));
    nc_code code = NC_OK;
    begin_page(page, options);
    for (size_t i = 0; i < sizeof rows / sizeof *rows && code == NC_OK; i++) {
        measured m = {0};
        if (!is_requested(options, rows[i].scene))
            continue;
        code = run_scene(options, rows[i].scene, &m, err);
        if (code != NC_OK)
            break;
        write_row(page, &rows[i], &m);
        add_result(&rows[i], &m, &out[(*out_count)++]);
    }
    const bool broken = ferror(page) != 0;
    if ((fclose(page) != 0 || broken) && code == NC_OK)
        code = nc_fail(err, NC_IO, "cannot write '%s'", path);
    return code;
}
