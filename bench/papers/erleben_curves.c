// Convergence of the iteration (Erleben Figs. 5-7), and the stack of 25 boxes without shock propagation (Fig. 9).
#include "bench/papers/erleben.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS = 500 };
#define SOLVER_ALONE "world.shock_propagation=false"
#define PYRAMID      "world.friction_model=pyramid"
#define UNTIL_DONE   "world.contact_tolerance=1e-14"

// The merit function over one solve.
typedef struct curve {
    const char *label;
    double x[ITERATIONS + 1], theta[ITERATIONS + 1];
    int count, contacts;
    double rate;    // [1] c of eq. 44 with p = 1: how the error |H| shrinks from iteration to iteration
    double carried; // [1] the part of its weight that the first step carried
} curve;

static double weight_of(const nc_world *world)
{
    const nc_bodies *bodies = &world->state.bodies;
    double mass = 0;
    for (int i = 0; i < bodies->count; i++)
        mass += bodies->alive[i] && bodies->type[i] == NC_DYNAMIC ? bodies->mass[i] : 0;
    return mass * nc_norm(world->settings.gravity);
}

// theta falls as c^(2k): the slope of its logarithm over the second half that is above rounding.
static double rate_of(const curve *c)
{
    double x[ITERATIONS + 1], y[ITERATIONS + 1];
    int last = 0, count = 0;
    while (last + 1 < c->count && c->theta[last + 1] > 1e-22 * c->theta[0])
        last++;
    for (int k = last / 2; k <= last; k++, count++) {
        x[count] = k;
        y[count] = log(c->theta[k]);
    }
    return count > 2 ? exp(0.5 * nc_fit_line(x, y, count).b) : NAN;
}

static nc_code measure(const nc_erleben *e, const char *scene, const char *vsp, curve *out, nc_error *err)
{
    const char *const sets[] = {SOLVER_ALONE, PYRAMID, UNTIL_DONE, vsp};
    nc_erleben_scene s;
    nc_step_report report;
    nc_code code = nc_erleben_open(e, scene, sets, 1, 1, &s, err);
    if (code != NC_OK)
        return code;
    nc_world_trace_merit(s.world, true);
    code = nc_world_step(s.world, s.settings.timestep, &report, err);
    out->count = nc_world_merit(s.world, out->theta, ITERATIONS + 1);
    out->contacts = report.contacts;
    for (int k = 0; k < out->count; k++)
        out->x[k] = k;
    out->rate = rate_of(out);
    out->carried = report.support.y / (weight_of(s.world) * s.settings.timestep);
    nc_erleben_close(&s);
    return code;
}

static double theta_at(const curve *c, int k)
{
    return c->theta[k < c->count ? k : c->count - 1];
}

static void write_curves(FILE *page, const char *head, const curve *curves, int count, bool carried)
{
    fprintf(page, "\n| %s | contacts | theta before | after 10 | 100 | %d | rate c |%s\n", head, ITERATIONS,
            carried ? " weight carried |" : "");
    fprintf(page, "| --- | --- | --- | --- | --- | --- | --- |%s\n", carried ? " --- |" : "");
    for (int i = 0; i < count; i++) {
        const curve *c = &curves[i];
        fprintf(page, "| %s | %d | %.3g | %.3g | %.3g | %.3g | %.4f |", c->label, c->contacts, c->theta[0],
                theta_at(c, 10), theta_at(c, 100), theta_at(c, ITERATIONS), c->rate);
        if (carried)
            fprintf(page, " %.1f%% |", 100 * c->carried);
        fputc('\n', page);
    }
}

static nc_code save_chart(const nc_erleben *e, const char *title, const char *name, const curve *curves, int count,
                          nc_error *err)
{
    nc_chart chart = {.title = title, .x_title = "iteration", .y_title = "merit theta", .log_y = true, .count = count};
    for (int i = 0; i < count; i++)
        chart.series[i] = (nc_chart_series){curves[i].label, curves[i].x, curves[i].theta, curves[i].count};
    fprintf(e->page, "\n![%s](%s)\n", title, name);
    return nc_chart_save(&chart, e->options->results, name, err);
}

#define COLD(more) "world.vsp={iterations: 500, correction_iterations: 0, warm_start: false" more "}"

static const struct {
    const char *label, *scene, *vsp;
} scenes[] = {{"stack of 25", "fig09_stack", COLD(", symmetric: false")},
              {"wall of 200", "fig10_wall", COLD(", symmetric: false")},
              {"tower of 320", "fig11_tower", COLD(", symmetric: false")},
              {"block of 150", "fig02_dense", COLD(", symmetric: false")},
              {"stack of 25, forth and back", "fig09_stack", COLD("")}},
  dampings[] = {
      {"gamma 0", "fig09_stack", COLD(", symmetric: false, diagonal_scaling: true")},
      {"gamma 0.001 diag(A)", "fig09_stack", COLD(", symmetric: false, diagonal_scaling: true, damping: 0.001")},
      {"gamma 0.01 diag(A)", "fig09_stack", COLD(", symmetric: false, diagonal_scaling: true, damping: 0.01")},
      {"gamma 0.1 diag(A)", "fig09_stack", COLD(", symmetric: false, diagonal_scaling: true, damping: 0.1")},
      {"gamma 0.1 diag(A), falling to 0", "fig09_stack",
       COLD(", symmetric: false, diagonal_scaling: true, damping: 0.1, damping_falls: true")}};
enum { CURVES = 5 };

nc_code nc_erleben_convergence(const nc_erleben *e, nc_error *err)
{
    curve *curves = calloc(CURVES, sizeof *curves);
    if (curves == NULL)
        return nc_fail_memory(err, CURVES * sizeof *curves);
    nc_code code = NC_OK;
    for (int i = 0; i < CURVES && code == NC_OK; i++) {
        curves[i].label = scenes[i].label;
        code = measure(e, scenes[i].scene, scenes[i].vsp, &curves[i], err);
    }
    fputs("\n## Convergence (Figs. 5 to 7)\n\nOne solve over all contacts, the first of a scene that starts at rest: "
          "cold, forwards, pyramid, "
          "no shock propagation. `c` is that of eq. 44 with p = 1, fitted to the second half of the curve: the error "
          "shrinks by it in "
          "an iteration. Convergence is linear, as the paper says.\n",
          e->page);
    write_curves(e->page, "scene", curves, CURVES, false);
    if (code == NC_OK)
        code = save_chart(e, "Convergence", "erleben-convergence.svg", curves, CURVES, err);
    for (int i = 0; i < CURVES && code == NC_OK; i++) {
        curves[i].label = dampings[i].label;
        code = measure(e, dampings[i].scene, dampings[i].vsp, &curves[i], err);
    }
    fputs("\nDamping on the stack of 25 (Figs. 6, 7), with diagonal scaling: gamma is a part of the diagonal. Damping "
          "makes the iteration "
          "fast, and the answer another one: the last column is what of its weight the stack's ground carries.\n",
          e->page);
    write_curves(e->page, "damping", curves, CURVES, true);
    if (code == NC_OK)
        code = save_chart(e, "Damping", "erleben-damping.svg", curves, CURVES, err);
    free(curves);
    return code;
}

// ---- the stack --------------------------------------------------------------------------------------------------

#define OFF "world.shock_propagation=false"
static const struct {
    const char *label;
    const char *sets[NC_ERLEBEN_SETS];
} stacks[] = {
    {"off, cold, 10 iterations", {OFF, "world.vsp={iterations: 10, warm_start: false, symmetric: false}"}},
    {"off, cold, 100", {OFF, "world.vsp={iterations: 100, warm_start: false, symmetric: false}"}},
    {"off, cold, 1000", {OFF, "world.vsp={iterations: 1000, warm_start: false, symmetric: false}"}},
    {"off, warm, 10", {OFF, "world.vsp={iterations: 10, symmetric: false}"}},
    {"off, warm, 100", {OFF, "world.vsp={iterations: 100, symmetric: false}"}},
    {"off, warm, 1000", {OFF, "world.vsp={iterations: 1000, symmetric: false}"}},
    {"on, cold, forwards, 10 (the paper, but for the weight)", {"world.vsp={warm_start: false, symmetric: false}"}},
    {"on, warm, forth and back, 10 (Nacre)", {NULL}},
    {"impulse-based (isp), 10", {"world.pipeline=isp"}},
    {"the shell pipeline, dt 0.01 s", {"world.pipeline=shell"}},
};

typedef struct stack_watch {
    double depth;
} stack_watch;

static void watch_depth(const nc_step_report *report, void *ctx)
{
    stack_watch *w = ctx;
    w->depth = fmax(w->depth, report->depth);
}

static nc_code run_stack(const nc_erleben *e, int row, int64_t steps, nc_error *err)
{
    nc_erleben_scene s;
    nc_pose start[64], end[64];
    stack_watch watch = {0};
    nc_bench_steps done;
    nc_code code = nc_erleben_open(e, "fig09_stack", stacks[row].sets, steps, 1, &s, err);
    if (code != NC_OK)
        return code;
    NC_ASSERT(nc_world_body_count(s.world) <= 64);
    nc_bench_poses(s.world, start);
    nc_world_trace_merit(s.world, true);
    code = nc_bench_step(s.world, s.settings.timestep, s.steps, watch_depth, &watch, &done, err);
    nc_bench_poses(s.world, end);
    static double theta[1001];
    const int count = nc_world_merit(s.world, theta, 1001);
    const nc_erleben_drift drift = nc_erleben_measure(s.world, start, end);
    char merit[24] = "-";
    if (count > 0)
        snprintf(merit, sizeof merit, "%.2g", theta[count - 1]);
    fprintf(e->page, "| %s | %s | %.3g mm | %.3g mm | %.3g mm | %d | %.2f ms |\n", stacks[row].label, merit,
            1e3 * watch.depth, 1e3 * drift.aside, 1e3 * drift.upright, drift.displaced,
            1e3 * done.cpu / (double)done.steps);
    nc_erleben_close(&s);
    return code;
}

nc_code nc_erleben_stack(const nc_erleben *e, nc_error *err)
{
    const int64_t steps = 400; // four seconds, as in Fig. 9
    nc_code code = NC_OK;
    fputs("\n## The stack of 25 boxes (Fig. 9)\n\nFour seconds. Boxes of 1 m are to be 8.66 mm apart. Depth is the "
          "largest part of that which was ever missing, "
          "drift how far the worst box ended from where it began, aside and along gravity; merit is that of the last "
          "step's solve "
          "over all contacts.\n\n| shock propagation | merit | depth | drift aside | upright | boxes displaced | a "
          "step |\n"
          "| --- | --- | --- | --- | --- | --- | --- |\n",
          e->page);
    for (size_t row = 0; row < sizeof stacks / sizeof *stacks && code == NC_OK; row++)
        code = run_stack(e, (int)row, steps, err);
    if (code == NC_OK) {
        fputs("\nSixty seconds:\n\n| shock propagation | merit | depth | drift aside | upright | boxes displaced | a "
              "step |\n"
              "| --- | --- | --- | --- | --- | --- | --- |\n",
              e->page);
        for (int row = 6; row < 8 && code == NC_OK; row++)
            code = run_stack(e, row, 6000, err);
    }
    return code;
}
