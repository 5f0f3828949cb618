// nacre bench su: steps per second of the figures of Su et al. that break things, and how their pieces lie about the
// impact.
#include "bench/world.h"

#include "nacre/fracture.h"

#include "plot/plot.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define MAX_PIECES 1024 // of a chart's series
#define END_PART   10   // the end of a run is its last tenth

// A row of the table. The paper's figures are steps per second on one core of 2009, as far as its text gives them.
typedef struct row {
    const char *figure, *name, *scene;
    double paper, wanted; // [1/s]; 0: not said
    bool at_end;          // the figure is that of the end of the run, when everything is broken
    bool charted;
} row;

static const row rows[] = {{"4", "wall, hit in the middle", "fig04_wall", 15, 30, false, true},
                           {"4", "wall, at the upper left", "fig04_left", 15, 30, false, true},
                           {"4", "wall, at the lower right", "fig04_right", 15, 30, false, true},
                           {"4", "the ball breaks instead", "fig04_ball", 15, 30, false, false},
                           {"5", "cylinder", "fig05_cylinder", 22, 30, false, false},
                           {"6", "animal", "fig06_animal", 4, 30, false, false},
                           {"7", "a piece broken again", "fig07_twice", 0, 30, false, false},
                           {"8", "25 spheres and a table", "fig08_25", 3, 30, true, false},
                           {"8", "100 spheres and a table", "fig08_100", 0.26, 10, true, false},
                           {"8", "1000 spheres and a table", "fig08_1000", 1.0 / 300, 0.5, true, false},
                           {"9", "a realistic pattern", "fig09_wall", 15, 30, false, false}};
#define ROWS (sizeof rows / sizeof *rows)

// Pieces of the first body that broke, by their distance from the impact.
typedef struct cloud {
    double distance[MAX_PIECES], mass[MAX_PIECES]; // [m], [kg]
    int count;
} cloud;

typedef struct measured {
    const nc_world *world;
    cloud *pieces; // NULL: not wanted
    int64_t steps, done;
    double seconds, slowest, breaking; // [s] wall time of all steps, of one, of making pieces
    double end_seconds;                // [s] of the steps at the end
    int64_t end_steps;
    int broken, unbroken, bodies;
    nc_bench_end end;
} measured;

// ---- a run --------------------------------------------------------------------------------------------------

static void read_pieces(const nc_world *world, cloud *out)
{
    nc_fracture_event event;
    nc_body_id ids[MAX_PIECES];
    if (nc_world_fractures(world, 0, &event, 1) < 1 || event.pieces == 0)
        return;
    const int all = nc_world_fracture_pieces(world, 0, ids, MAX_PIECES);
    for (int k = 0; k < all && k < MAX_PIECES; k++) {
        nc_body_state state;
        if (nc_body_read(world, ids[k], &state, NULL) != NC_OK)
            continue;
        out->distance[out->count] = nc_norm(nc_sub(state.pose.x, event.place));
        out->mass[out->count++] = state.mass;
    }
}

static void watch(const nc_step_report *report, void *ctx)
{
    measured *m = ctx;
    m->done++;
    m->seconds += report->seconds_total;
    m->breaking += report->seconds_fracture;
    m->slowest = fmax(m->slowest, report->seconds_total);
    m->broken += report->fractures;
    m->unbroken += report->unbroken;
    if (END_PART * (m->steps - m->done) < m->steps) {
        m->end_seconds += report->seconds_total;
        m->end_steps++;
    }
    if (m->pieces != NULL && m->pieces->count == 0 && report->fractures > 0)
        read_pieces(m->world, m->pieces);
}

static nc_code judge(const nc_scene_settings *settings, const nc_world *world, measured *m, nc_error *err)
{
    const nc_allocator allocator = nc_allocator_default();
    m->bodies = nc_world_body_count(world);
    nc_pose *poses = nc_alloc(&allocator, (size_t)m->bodies, sizeof *poses);
    if (poses == NULL)
        return nc_fail_memory(err, (size_t)m->bodies * sizeof *poses);
    nc_bench_poses(world, poses);
    const nc_code code = nc_bench_judge(world, settings->bounds, poses, &m->end, err);
    nc_free(&allocator, poses, (size_t)m->bodies, sizeof *poses);
    return code;
}

static nc_code run_scene(const nc_bench_options *options, const row *r, measured *m, nc_error *err)
{
    char path[1200];
    nc_scene *scene = NULL;
    nc_world *world = NULL;
    nc_bench_steps sums;
    snprintf(path, sizeof path, "%.1000s/%s.yaml", options->scenes, r->scene);
    const nc_scene_def def = {.path = path};
    nc_code code = nc_scene_load(&def, &scene, err);
    nc_scene_settings settings = {0};
    if (code == NC_OK) {
        settings = nc_scene_view(scene);
        code = nc_bench_build(scene, &settings, &world, err);
    }
    if (code == NC_OK) {
        m->world = world;
        m->steps = options->steps > 0 && options->steps < settings.steps ? options->steps : settings.steps;
        code = nc_bench_step(world, settings.timestep, m->steps, watch, m, &sums, err);
    }
    if (code == NC_OK)
        code = judge(&settings, world, m, err);
    nc_world_destroy(world);
    nc_scene_destroy(scene);
    return code;
}

// ---- telling ------------------------------------------------------------------------------------------------

static double rate_of(const row *r, const measured *m) // [1/s]
{
    return r->at_end ? (double)m->end_steps / fmax(m->end_seconds, 1e-9) : (double)m->done / fmax(m->seconds, 1e-9);
}

static void begin_page(FILE *page, const nc_bench_options *options)
{
    const nc_machine machine = nc_this_machine();
    fprintf(page,
            "# Su's figures; re-measured\n\nWritten by `nacre bench su` on %s, %d cores. Steps per second of wall "
            "time, steps that break things included: the mean of the run, and of Fig. 8 that of its last tenth. The "
            "scenes are those of `scenes/su/`. Solids are cut at the planes of the pattern, not contoured from level "
            "sets as in the paper; the paper's figures are frames per second on one core of 2009. Intersections are "
            "those at the end, exactly.\n",
            machine.processor, machine.cores);
    if (options->steps > 0)
        fprintf(page, "\nCut short: at most %d steps per run.\n", options->steps);
    fputs(
        "\n| Fig. | scene | bodies at the end | broke | stayed whole | steps | steps per second | the paper | slowest "
        "step, ms | making pieces, ms | intersections |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
        page);
}

static void write_row(FILE *page, const row *r, const measured *m)
{
    char paper[32] = "";
    if (r->paper > 0)
        snprintf(paper, sizeof paper, "%.3g", r->paper);
    fprintf(page, "| %s | %s | %d | %d | %d | %lld | %.3g | %s | %.1f | %.1f | %d |\n", r->figure, r->name, m->bodies,
            m->broken, m->unbroken, (long long)m->done, rate_of(r, m), paper, 1e3 * m->slowest, 1e3 * m->breaking,
            m->end.in_static + m->end.in_dynamic);
    fflush(page);
}

static void add_result(const row *r, const measured *m, nc_bench_result *out)
{
    const double ours = 1.0 / rate_of(r, m), paper = r->paper > 0 ? 1.0 / r->paper : NAN;
    *out = (nc_bench_result){.pair = {.name = r->name,
                                      .ours = {.name = "nacre, a step"},
                                      .peer = {.name = "the paper, a step in 2009"},
                                      .peer_share = 1},
                             .rounds = 1,
                             .ours = {ours},
                             .peer = {paper},
                             .ours_median = ours,
                             .peer_median = paper};
    out->ratio = out->ratio_low = out->ratio_high = paper / ours;
    snprintf(out->pair.note, sizeof out->pair.note, "Fig. %s, %lld steps%s", r->figure, (long long)m->done,
             r->at_end ? "; the times are those of the last tenth of them" : "");
    nc_bench_add_figure(out, "steps_a_second", rate_of(r, m), "1/s");
    nc_bench_add_figure(out, "steps_a_second_wanted", r->wanted, "1/s");
    nc_bench_add_figure(out, "bodies_at_the_end", m->bodies, "1");
    nc_bench_add_figure(out, "broke", m->broken, "1");
    nc_bench_add_figure(out, "stayed_whole", m->unbroken, "1");
    nc_bench_add_figure(out, "slowest_step", 1e3 * m->slowest, "ms");
    nc_bench_add_figure(out, "making_pieces", 1e3 * m->breaking, "ms");
    nc_bench_add_figure(out, "intersecting_pairs", m->end.in_static + m->end.in_dynamic, "1");
}

static nc_code save_chart(const nc_bench_options *options, const cloud *clouds, FILE *page, nc_error *err)
{
    nc_chart chart = {.title = "Fig. 4: one pattern, three places",
                      .x_title = "distance of a piece from the impact, m",
                      .y_title = "its mass, kg",
                      .log_y = true,
                      .dots = true};
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].charted && clouds[i].count > 0)
            chart.series[chart.count++] =
                (nc_chart_series){rows[i].name, clouds[i].distance, clouds[i].mass, clouds[i].count};
    if (chart.count == 0)
        return NC_OK;
    fputs("\nThe break is centred on the impact: pieces near it are small.\n\n![Pieces by distance](su-pieces.svg)\n",
          page);
    return nc_chart_save(&chart, options->results, "su-pieces.svg", err);
}

static bool is_requested(const nc_bench_options *options, const char *figure)
{
    for (int i = 0; i < options->figures->count; i++)
        if (strcmp(options->figures->items[i], figure) == 0)
            return true;
    return options->figures->count == 0;
}

static nc_code run_all(const nc_bench_options *options, FILE *page, cloud *clouds, nc_bench_result *out, int *out_count,
                       nc_error *err)
{
    nc_code code = NC_OK;
    begin_page(page, options);
    for (size_t i = 0; i < ROWS && code == NC_OK; i++) {
        measured m = {.pieces = rows[i].charted ? &clouds[i] : NULL};
        if (!is_requested(options, rows[i].figure))
            continue;
        code = run_scene(options, &rows[i], &m, err);
        if (code != NC_OK)
            break;
        write_row(page, &rows[i], &m);
        add_result(&rows[i], &m, &out[(*out_count)++]);
    }
    return code == NC_OK ? save_chart(options, clouds, page, err) : code;
}

nc_code nc_bench_su(const nc_bench_options *options, nc_bench_result *out, int *out_count, nc_error *err)
{
    char path[1200];
    const nc_allocator allocator = nc_allocator_default();
    snprintf(path, sizeof path, "%.1000s/su.md", options->results);
    cloud *clouds = nc_alloc(&allocator, ROWS, sizeof *clouds);
    if (clouds == NULL)
        return nc_fail_memory(err, ROWS * sizeof *clouds);
    FILE *page = fopen(path, "w");
    nc_code code = page != NULL ? run_all(options, page, clouds, out, out_count, err)
                                : nc_fail(err, NC_IO, "cannot write '%s': %s", path, strerror(errno));
    const bool broken = page != NULL && ferror(page) != 0;
    if (page != NULL && (fclose(page) != 0 || broken) && code == NC_OK)
        code = nc_fail(err, NC_IO, "cannot write '%s'", path);
    nc_free(&allocator, clouds, ROWS, sizeof *clouds);
    return code;
}
