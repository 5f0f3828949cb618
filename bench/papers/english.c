// nacre bench english: the paper's tables and the data of its plot, re-measured.
#include "bench/papers/english.h"

#include "plot/plot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAPER_STEPS = 200, PLOT_STEPS = 240, MAX_ROWS = 16 }; // Fig. 16 shows ten seconds
#define PLOT_SCENE "fig13_boats_1000.yaml"
#define PLOT_FILE  "english-fig16.csv"

nc_english_times nc_english_measured(const nc_english_run *run)
{
    const nc_bench_steps *s = &run->steps;
    // One thread: its processor time is what other load disturbs least. Phases are known as shares of the wall time.
    const double step = s->cpu / (double)s->steps, share = step / s->wall;
    nc_english_times t = {.step = step,
                          .respond = share * nc_bench_total(s, "seconds_respond"),
                          .solve = share * nc_bench_total(s, "seconds_solve")};
    t.near_pairs = share * nc_bench_total(s, "seconds_contact") - t.solve;
    // Sweeping is all the rest; bookkeeping goes with it.
    t.swept = t.step - t.respond - t.near_pairs - t.solve;
    return t;
}

// ---- one run ------------------------------------------------------------------------------------------------

// Overrides of a row, and the smaller pile that --boats asks for.
typedef struct changes {
    const char *items[4];
    int count;
    char pile[64];
} changes;

static void collect_changes(const nc_english_row *row, int boats, changes *out)
{
    out->count = 0;
    for (int i = 0; i < 3 && row->set[i] != NULL; i++)
        out->items[out->count++] = row->set[i];
    if (boats > 0 && boats < row->boats) {
        const int side = (int)floor(cbrt(boats) + 1e-9);
        snprintf(out->pile, sizeof out->pile, "bodies.2.pile.count=[%d, %d, %d]", side, boats / (side * side), side);
        out->items[out->count++] = out->pile;
    }
}

static nc_code step_and_judge(const nc_scene_settings *settings, nc_world *world, int64_t steps, FILE *plot,
                              nc_english_run *out, nc_error *err);

// Loads the row's scene and steps it. With `plot`, a line per step goes there.
static nc_code run_row(const nc_english_row *row, const nc_bench_options *options, FILE *plot, nc_english_run *out,
                       nc_error *err)
{
    char path[1100];
    changes set;
    nc_bench_memory memory = {0, 0};
    const nc_allocator allocator = nc_bench_memory_allocator(&memory);
    nc_scene *scene = NULL;
    nc_world *world = NULL;
    *out = (nc_english_run){.row = row};
    collect_changes(row, options->boats, &set);
    snprintf(path, sizeof path, "%.1000s/%s", options->scenes, row->scene);
    const nc_scene_def def = {
        .path = path, .overrides = set.items, .override_count = set.count, .allocator = &allocator};
    nc_code code = nc_scene_load(&def, &scene, err);
    nc_scene_settings settings = {0};
    if (code == NC_OK) {
        settings = nc_scene_view(scene);
        settings.world.workers = 1;
        settings.world.allocator = allocator;
        code = nc_bench_build(scene, &settings, &world, err);
    }
    if (code == NC_OK) {
        int64_t steps = plot != NULL ? PLOT_STEPS : PAPER_STEPS;
        if (row->seconds > 0)
            steps = (int64_t)ceil(row->seconds / settings.timestep - 1e-9);
        if (options->steps > 0 && options->steps < steps)
            steps = options->steps;
        code = step_and_judge(&settings, world, steps, plot, out, err);
    }
    out->bytes = (double)memory.peak;
    nc_world_destroy(world);
    nc_scene_destroy(scene);
    if (code == NC_OK)
        nc_say(false, "%s: %d steps, %.3f ms per step", row->name, (int)out->steps.steps,
               1e3 * out->steps.cpu / (double)out->steps.steps);
    return code;
}

static void plot_step(const nc_step_report *r, void *ctx)
{
    FILE *plot = ctx;
    if (plot != NULL)
        fprintf(plot, "%.9g,%.6g,%d,%d\n", r->time, r->seconds_total, r->collisions, r->contacts);
}

static nc_code step_and_judge(const nc_scene_settings *settings, nc_world *world, int64_t steps, FILE *plot,
                              nc_english_run *out, nc_error *err)
{
    const nc_allocator allocator = nc_allocator_default();
    out->bodies = nc_world_body_count(world);
    nc_pose *poses = nc_alloc(&allocator, (size_t)out->bodies, sizeof *poses);
    if (poses == NULL)
        return nc_fail_memory(err, (size_t)out->bodies * sizeof *poses);
    nc_code code = nc_bench_step(world, settings->timestep, steps, plot_step, plot, &out->steps, err);
    if (code == NC_OK) {
        nc_bench_poses(world, poses);
        code = nc_bench_judge(world, settings->bounds, poses, &out->end, err);
    }
    nc_free(&allocator, poses, (size_t)out->bodies, sizeof *poses);
    return code;
}

// ---- results ------------------------------------------------------------------------------------------------

// The paper is the peer here.
static nc_bench_result result_of(const nc_english_table *table, const nc_english_run *run)
{
    const nc_english_row *row = run->row;
    const double steps = (double)run->steps.steps, paper = row->paper.step > 0 ? row->paper.step * steps : NAN;
    nc_bench_result r = {.pair = {.name = row->name,
                                  .ours = {.name = "nacre, a step on one thread"},
                                  .peer = {.name = "the paper, a step in 2012"},
                                  .peer_share = 1,
                                  .clock = NC_CLOCK_CPU,
                                  .items = steps},
                         .rounds = 1,
                         .ours = {run->steps.cpu},
                         .peer = {paper},
                         .ours_median = run->steps.cpu,
                         .peer_median = paper};
    r.ratio = r.ratio_low = r.ratio_high = paper / run->steps.cpu;
    snprintf(r.pair.note, sizeof r.pair.note, "English Fig. %s; %s: %d bodies, %d steps", table->figure, row->scene,
             run->bodies, (int)run->steps.steps);
    nc_bench_add_figure(&r, "megabytes", run->bytes / 1e6, "MB");
    nc_bench_add_figure(&r, "escaped", run->end.escaped, "1");
    nc_bench_add_figure(&r, "intersecting_pairs", run->end.in_dynamic + run->end.in_static, "1");
    nc_bench_add_figure(&r, "collisions", nc_bench_total(&run->steps, "collisions"), "1");
    nc_bench_add_figure(&r, "contacts", nc_bench_total(&run->steps, "contacts"), "1");
    nc_bench_add_figure(&r, "smallest_distance", nc_bench_total(&run->steps, "smallest_distance"), "m");
    const double wanted = nc_bench_total(&run->steps, "wanted_motion");
    nc_bench_add_figure(&r, "motion_kept", nc_bench_total(&run->steps, "kept_motion") / wanted, "1");
    return r;
}

static bool is_wanted(const nc_words *figures, const char *figure)
{
    for (int i = 0; i < figures->count; i++)
        if (strcmp(figures->items[i], figure) == 0)
            return true;
    return figures->count == 0;
}

static nc_code measure_table(const nc_english_table *table, const nc_bench_options *options, const char *limits,
                             nc_bench_result *out, int *out_count, nc_error *err)
{
    nc_english_run runs[MAX_ROWS];
    nc_code code = NC_OK;
    NC_ASSERT(table->row_count <= MAX_ROWS);
    for (int i = 0; i < table->row_count && code == NC_OK; i++) {
        code = run_row(&table->rows[i], options, NULL, &runs[i], err);
        if (code == NC_OK)
            out[(*out_count)++] = result_of(table, &runs[i]);
    }
    return code == NC_OK ? nc_english_write(table, runs, options->results, limits, err) : code;
}

// Fig. 16: time, collisions and contacts of each step.
// ---- Fig. 16 as a picture -----------------------------------------------------------------------------------------

enum { PLOT_TIME, PLOT_SECONDS, PLOT_COLLISIONS, PLOT_CONTACTS, PLOT_COLUMNS };

typedef struct plot_columns {
    double at[PLOT_COLUMNS][PLOT_STEPS];
    int count;
} plot_columns;

static void read_plot(FILE *file, plot_columns *out)
{
    char line[256];
    out->count = 0;
    while (out->count < PLOT_STEPS && fgets(line, sizeof line, file) != NULL) {
        char *cell = line;
        double row[PLOT_COLUMNS];
        int k = 0;
        for (char *end; k < PLOT_COLUMNS; k++, cell = end + (*end == ',')) {
            row[k] = strtod(cell, &end);
            if (end == cell)
                break; // the line of heads
        }
        for (int i = 0; k == PLOT_COLUMNS && i < k; i++)
            out->at[i][out->count] = row[i];
        out->count += k == PLOT_COLUMNS;
    }
}

// The paper's two graphs, from the lines of `path`: time of each step, and collisions and contacts in it.
static nc_code draw_plot(const char *path, const char *folder, nc_error *err)
{
    plot_columns *c = calloc(1, sizeof *c);
    FILE *file = c == NULL ? NULL : fopen(path, "r");
    if (file == NULL) {
        free(c);
        return nc_fail(err, NC_IO, "cannot read '%s'", path);
    }
    read_plot(file, c);
    fclose(file);
    const nc_chart time = {.title = "Time of each step, 1000 boats",
                           .x_title = "simulated time [s]",
                           .y_title = "seconds",
                           .series = {{"one step", c->at[PLOT_TIME], c->at[PLOT_SECONDS], c->count}},
                           .count = 1};
    const nc_chart counts = {.title = "Collisions and resting contacts of each step, 1000 boats",
                             .x_title = "simulated time [s]",
                             .y_title = "number",
                             .series = {{"collisions", c->at[PLOT_TIME], c->at[PLOT_COLLISIONS], c->count},
                                        {"contacts", c->at[PLOT_TIME], c->at[PLOT_CONTACTS], c->count}},
                             .count = 2};
    nc_code code = nc_chart_save(&time, folder, "english-fig16-time.svg", err);
    if (code == NC_OK)
        code = nc_chart_save(&counts, folder, "english-fig16-counts.svg", err);
    free(c);
    return code;
}

static nc_code measure_plot(const nc_bench_options *options, nc_bench_result *out, int *out_count, nc_error *err)
{
    static const nc_english_row row = {.name = "boats, ten seconds", .scene = PLOT_SCENE, .boats = 1000};
    static const nc_english_table table = {.figure = "16"};
    char path[1100];
    snprintf(path, sizeof path, "%.1000s/%s", options->results, PLOT_FILE);
    FILE *plot = fopen(path, "w");
    if (plot == NULL)
        return nc_fail(err, NC_IO, "cannot write '%s': %s", path, strerror(errno));
    nc_english_run run;
    fputs("time,seconds,collisions,contacts\n", plot);
    const nc_code code = run_row(&row, options, plot, &run, err);
    if (code == NC_OK)
        out[(*out_count)++] = result_of(&table, &run);
    const bool broken = ferror(plot) != 0;
    if ((fclose(plot) != 0 || broken) && code == NC_OK)
        return nc_fail(err, NC_IO, "cannot write '%s': %s", path, strerror(errno));
    return code == NC_OK ? draw_plot(path, options->results, err) : code;
}

nc_code nc_bench_english(const nc_bench_options *options, nc_bench_result *out, int *out_count, nc_error *err)
{
    char limits[128] = "";
    int table_count, length = 0;
    const nc_english_table *tables = nc_english_tables(&table_count);
    if (options->steps > 0)
        length = snprintf(limits, sizeof limits, "\nCut short: at most %d steps per run.\n", options->steps);
    if (options->boats > 0)
        snprintf(limits + length, sizeof limits - (size_t)length, "\nMade small: at most %d boats.\n", options->boats);
    nc_code code = NC_OK;
    for (int i = 0; i < table_count && code == NC_OK; i++)
        if (is_wanted(options->figures, tables[i].figure))
            code = measure_table(&tables[i], options, limits, out, out_count, err);
    if (code == NC_OK && is_wanted(options->figures, "16"))
        code = measure_plot(options, out, out_count, err);
    return code;
}
