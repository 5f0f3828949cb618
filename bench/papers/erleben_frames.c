// Frame times against contacts (Erleben Figs. 18, 19), and the worst frames beside the paper's.
#include "bench/papers/erleben.h"

#include <math.h>
#include <stdlib.h>

typedef struct frames {
    const char *label, *scene;
    int64_t steps;      // what the scene's figure shows
    double paper_worst; // [s] of the paper's, on a processor of 1.7 GHz; 0: not given
    int count, capacity;
    double *contacts, *solve, *rest; // [1], [s], [s] of each step
    double worst, mean;              // [s]
    double clock;                    // [s] processor time when the last step ended
    nc_line_fit solve_fit, rest_fit;
    nc_bench_steps done;
} frames;

static void watch(const nc_step_report *r, void *ctx)
{
    frames *f = ctx;
    const double now = nc_cpu_clock(), step = now - f->clock;
    f->clock = now;
    if (f->count == f->capacity)
        return;
    const double share = r->seconds_total > 0 ? r->seconds_solve / r->seconds_total : 0;
    f->contacts[f->count] = r->contacts;
    f->solve[f->count] = share * step;
    f->rest[f->count++] = (1 - share) * step;
    f->worst = fmax(f->worst, step);
}

static bool reserve(frames *f, int64_t steps)
{
    f->capacity = (int)steps;
    f->contacts = calloc((size_t)steps, sizeof(double));
    f->solve = calloc((size_t)steps, sizeof(double));
    f->rest = calloc((size_t)steps, sizeof(double));
    return f->contacts != NULL && f->solve != NULL && f->rest != NULL;
}

static void release(frames *f)
{
    free(f->contacts);
    free(f->solve);
    free(f->rest);
}

static nc_code run(const nc_erleben *e, frames *f, nc_error *err)
{
    nc_erleben_scene s;
    nc_code code = nc_erleben_open(e, f->scene, NULL, f->steps, 1, &s, err);
    if (code != NC_OK)
        return code;
    if (!reserve(f, s.steps))
        code = nc_fail_memory(err, 3 * (size_t)s.steps * sizeof(double));
    f->clock = nc_cpu_clock();
    if (code == NC_OK)
        code = nc_bench_step(s.world, s.settings.timestep, s.steps, watch, f, &f->done, err);
    if (code == NC_OK) {
        f->mean = f->done.cpu / (double)f->done.steps;
        f->solve_fit = nc_fit_line(f->contacts, f->solve, f->count);
        f->rest_fit = nc_fit_line(f->contacts, f->rest, f->count);
        nc_say(false, "%s: %lld steps, %.1f ms per step", f->label, (long long)f->done.steps, 1e3 * f->mean);
    }
    nc_erleben_close(&s);
    return code;
}

static double most(const double *values, int count)
{
    double m = 0;
    for (int i = 0; i < count; i++)
        m = fmax(m, values[i]);
    return m;
}

static void write_row(FILE *page, const frames *f)
{
    char paper[24] = "-";
    if (f->paper_worst > 0)
        snprintf(paper, sizeof paper, "%.2f s", f->paper_worst);
    fprintf(page, "| %s | %lld | %.0f | %.1f ms | %.0f ms | %s | %.2f us (%.3f) | %.2f us (%.3f) |\n", f->label,
            (long long)f->done.steps, most(f->contacts, f->count), 1e3 * f->mean, 1e3 * f->worst, paper,
            1e6 * f->solve_fit.b, f->solve_fit.r2, 1e6 * f->rest_fit.b, f->rest_fit.r2);
}

static nc_code save(const nc_erleben *e, const frames *all, int count, bool solve, nc_error *err)
{
    const char *name = solve ? "erleben-motion.svg" : "erleben-detection.svg";
    nc_chart chart = {.title =
                          solve ? "Time of the solver against contacts" : "All other time of a step against contacts",
                      .x_title = "contacts",
                      .y_title = "seconds",
                      .dots = true,
                      .count = count};
    for (int i = 0; i < count; i++)
        chart.series[i] =
            (nc_chart_series){all[i].label, all[i].contacts, solve ? all[i].solve : all[i].rest, all[i].count};
    fprintf(e->page, "\n![%s](%s)\n", chart.title, name);
    return nc_chart_save(&chart, e->options->results, name, err);
}

nc_code nc_erleben_frames(const nc_erleben *e, nc_error *err)
{
    frames all[] = {{.label = "letters, 1000 balls", .scene = "fig17_letters", .steps = 300, .paper_worst = 0.18},
                    {.label = "cows, 250", .scene = "fig15_cows", .steps = 200, .paper_worst = 1.2},
                    {.label = "falling roof, 640 bricks", .scene = "fig16_roof", .steps = 500, .paper_worst = 0.25},
                    {.label = "silo, 3000", .scene = "fig01_silo", .steps = 60, .paper_worst = 1.1}};
    const int count = (int)(sizeof all / sizeof *all);
    nc_code code = NC_OK;
    for (int i = 0; i < count && code == NC_OK; i++)
        code = run(e, &all[i], err);
    fputs(
        "\n## Frame time against contacts (Figs. 18, 19)\n\nProcessor time of whole steps on one thread; the paper's "
        "worst "
        "frames are of 2007 (1.7 GHz). The last columns are straight lines through all steps: time for one more "
        "contact, and "
        "R2 of the fit; first of the solver alone (the paper's Fig. 18), then of all else: detection, certify, dynamic "
        "contact (Fig. 19). Bodies here are triangle meshes and every step is proven; the paper had boxes, balls and "
        "distance maps.\n\n"
        "| scene | steps | contacts, most | per step | worst | paper's worst | solver per contact (R2) | rest per "
        "contact "
        "(R2) |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- |\n",
        e->page);
    for (int i = 0; i < count && code == NC_OK; i++)
        write_row(e->page, &all[i]);
    if (code == NC_OK)
        code = save(e, all, count, true, err);
    if (code == NC_OK)
        code = save(e, all, count, false, err);
    for (int i = 0; i < count; i++)
        release(&all[i]);
    return code;
}

// ---- popcorn ----------------------------------------------------------------------------------------------------

#define COW                                                                                                            \
    "nacre: 1\nworld: {pipeline: vsp, friction: 0.5, restitution: 0, rest_distance: 0.005}\nshapes: {ground: "         \
    "{generate: plane, "                                                                                               \
    "size: 20}, cow: {generate: cow, density: 900}}\nbodies:\n  - {shape: ground, type: static}\n"
#define STANDING COW "  - {shape: cow, position: [0, 0.5, 0]}\n"
#define PILE     COW "  - {shape: cow, pile: {count: [3, 3, 3], center: [0, 3.5, 0], spacing: 1.7, seed: 6}}\n"

// How high a body's potential energy went up and down, once it had come to rest.
typedef struct saw {
    double low, high; // [J]
    int teeth;        // falls after rises of more than a tenth of a percent of the energy of one rest distance
    double last, top;
} saw;

static void see(saw *s, double energy, double step)
{
    s->low = fmin(s->low, energy);
    s->high = fmax(s->high, energy);
    s->top = fmax(s->top, energy);
    if (energy < s->top - step) {
        s->teeth++;
        s->top = energy;
    }
    s->last = energy;
}

static double energy_of(const nc_world *world, int row)
{
    const nc_bodies *bodies = &world->state.bodies;
    return -bodies->mass[row] * nc_dot(world->settings.gravity, bodies->pose[row].x);
}

// Runs to `rest` seconds, then watches rows `a` and `b` for `seconds`.
static nc_code watch_cows(const nc_erleben *e, const char *text, double dt, double rest, double seconds,
                          const int rows[2], saw out[2], double *unit, nc_error *err)
{
    nc_erleben_scene s;
    nc_code code = nc_erleben_open_text(e, text, NULL, (int64_t)((rest + seconds) / dt + 0.5), &s, err);
    if (code != NC_OK)
        return code;
    *unit = energy_of(s.world, rows[0]) / s.world->state.bodies.pose[rows[0]].x.y * 0.005; // m g d_rest
    for (int k = 0; k < 2; k++)
        out[k] = (saw){.low = INFINITY, .high = -INFINITY, .top = -INFINITY};
    for (int64_t n = 0; n < s.steps && code == NC_OK; n++) {
        code = nc_world_step(s.world, dt, NULL, err);
        for (int k = 0; k < 2 && (double)n * dt >= rest; k++)
            see(&out[k], energy_of(s.world, rows[k]), 1e-3 * *unit);
    }
    nc_erleben_close(&s);
    return code;
}

static void write_saw(FILE *page, const char *what, double dt, const saw *s, double unit)
{
    fprintf(page, "| %s | %g s | %.3g J | %.3g%% | %d |\n", what, dt, s->high - s->low, 100 * (s->high - s->low) / unit,
            s->teeth);
}

nc_code nc_erleben_popcorn(const nc_erleben *e, nc_error *err)
{
    static const double steps[] = {0.01, 0.005, 0.001};
    static const int alone[2] = {1, 1}, two[2] = {5, 19};
    saw s[2];
    double unit = 1;
    nc_code code = NC_OK;
    fputs("\n## Popcorn (Figs. 28 to 30)\n\nThe paper's cows are pushed up slowly and drop at once, again and again: a "
          "saw-tooth of potential energy, by about the size of the "
          "envelope, smaller with smaller steps. Here: one standing cow, watched for 1 s after 1 s, and two cows of a "
          "pile of 27, "
          "for 2 s after 6 s. Up and down in joules, and as a part of what lifting the cow by the rest distance takes; "
          "teeth "
          "are falls of more than a thousandth of that.\n\n| cow | dt | up and down | of one rest distance | teeth |\n"
          "| --- | --- | --- | --- | --- |\n",
          e->page);
    for (int k = 0; k < 3 && code == NC_OK; k++) {
        code = watch_cows(e, STANDING, steps[k], 1, 1, alone, s, &unit, err);
        if (code == NC_OK)
            write_saw(e->page, "one, standing", steps[k], &s[0], unit);
    }
    if (code == NC_OK)
        code = watch_cows(e, PILE, 0.01, 6, 2, two, s, &unit, err);
    for (int k = 0; k < 2 && code == NC_OK; k++)
        write_saw(e->page, k == 0 ? "fifth of the pile" : "nineteenth of the pile", 0.01, &s[k], unit);
    return code;
}
