// What is plotted: reports of a run, columns by name, the panels that are drawn when none are requested.
#include "plot/body.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- runs ---------------------------------------------------------------------------------------------------

static nc_code read_reports(nc_run *run, int64_t first, nc_plot_run *out, nc_error *err)
{
    nc_model_report before = {0};
    nc_code code = NC_OK;
    if (first > 0)
        code = nc_run_read_report(run, first - 1, &before, err);
    for (int64_t i = 0; i < out->frames && code == NC_OK; i++) {
        code = nc_run_read_report(run, first + i, &out->reports[i], err);
        const int64_t last = i > 0 ? out->reports[i - 1].common.step : before.common.step;
        out->steps[i] = first + i > 0 ? (double)(out->reports[i].common.step - last) : 0;
    }
    return code;
}

static nc_code read_run(nc_run *run, const char *path, const nc_frame_range *frames, const char *body, nc_plot_run *out,
                        nc_error *err)
{
    nc_run_info info;
    int64_t first = 0, last = -1;
    nc_code code = nc_run_read_info(run, &info, err);
    if (code != NC_OK)
        return code;
    if (!nc_frame_range_resolve(frames, info.frame_count, &first, &last))
        return nc_fail(err, NC_NOT_FOUND, "'%s' has frames 0 to %" PRId64 ": none in the requested range", path,
                       info.frame_count - 1);
    const char *slash = strrchr(path, '/');
    snprintf(out->label, sizeof out->label, "%s", slash != NULL ? slash + 1 : path);
    snprintf(out->title, sizeof out->title, "%s", info.title);
    out->bodies = info.body_count;
    out->frames = last - first + 1;
    out->reports = calloc((size_t)out->frames, sizeof *out->reports);
    out->steps = calloc((size_t)out->frames, sizeof *out->steps);
    out->has_cloth = info.has_cloth;
    if (out->reports == NULL || out->steps == NULL)
        return nc_fail_memory(err, (size_t)out->frames * sizeof *out->reports);
    out->settings = nc_run_world_settings(run);
    code = read_reports(run, first, out, err);
    return code == NC_OK && body != NULL ? nc_plot_body_read(run, path, body, info.body_count, first, out, err) : code;
}

nc_code nc_plot_run_read(const char *path, const nc_frame_range *frames, const char *body, nc_plot_run *out,
                         nc_error *err)
{
    nc_run *run = NULL;
    *out = (nc_plot_run){0};
    nc_code code = nc_run_open(path, NC_RUN_READ, NULL, &run, err);
    if (code != NC_OK)
        return code;
    code = read_run(run, path, frames, body, out, err);
    if (code != NC_OK)
        nc_plot_run_free(out);
    nc_run_close(run, NULL);
    return code;
}

void nc_plot_run_free(nc_plot_run *run)
{
    free(run->reports);
    free(run->steps);
    free(run->body);
    *run = (nc_plot_run){0};
}

// ---- columns ------------------------------------------------------------------------------------------------

// Columns that are made of others.
static const struct {
    const char *name, *unit, *about;
} made[] = {{"energy", "J", "kinetic + potential"},
            {"momentum", "kg m/s", "length of the vector"},
            {"angular_momentum", "kg m²/s", "length of the vector"},
            {"support", "N s", "length of the vector"}};
#define MADE_COUNT ((int)(sizeof made / sizeof *made))

static int find_made(const char *name)
{
    int i = 0;
    while (i < MADE_COUNT && strcmp(made[i].name, name) != 0)
        i++;
    return i;
}

static double made_value(int which, const nc_step_report *report)
{
    switch (which) {
    case 0:
        return report->kinetic + report->potential;
    case 1:
        return nc_norm(report->momentum);
    case 2:
        return nc_norm(report->angular_momentum);
    default:
        return nc_norm(report->support);
    }
}

double nc_plot_value(const char *name, const nc_plot_run *run, int64_t row, bool mean)
{
    const int which = find_made(name), of_body = nc_plot_body_column(name);
    if (of_body >= 0)
        return run->body != NULL ? run->body[row][of_body] : NAN;
    if (which < MADE_COUNT)
        return made_value(which, &run->reports[row].common);
    const nc_column *column = nc_column_find(name);
    if (column == NULL || (nc_column_is_sum(column) && run->steps[row] == 0)) // nothing happened before the first step
        return NAN;
    const bool cloth = nc_column_is_cloth(column);
    if (cloth && !run->has_cloth)
        return NAN;
    // A clock of 0 s is none.
    const double value = nc_column_value(column, &run->reports[row]);
    if (cloth && value == 0 && strcmp(nc_column_unit(column), "s") == 0)
        return NAN;
    return nc_column_is_sum(column) && mean ? value / run->steps[row] : value;
}

const char *nc_plot_unit(const char *name)
{
    const int which = find_made(name), of_body = nc_plot_body_column(name);
    const nc_column *column = nc_column_find(name);
    if (of_body >= 0)
        return nc_plot_body_unit(of_body);
    return which < MADE_COUNT ? made[which].unit : column != NULL ? nc_column_unit(column) : NULL;
}

int nc_plot_names(const char **out, int capacity)
{
    int used = 0;
    const nc_column *column;
    for (int i = 0; (column = nc_column_at(i, true)) != NULL && used < capacity; i++)
        out[used++] = column->name;
    for (int i = 0; i < MADE_COUNT && used < capacity; i++)
        out[used++] = made[i].name;
    for (int i = 0; i < NC_PLOT_BODY_COLUMNS && used < capacity; i++)
        out[used++] = nc_plot_body_name(i);
    return used;
}

void nc_plot_list(FILE *out)
{
    const nc_column *column;
    for (int i = 0; (column = nc_column_at(i, true)) != NULL; i++) {
        const bool cloth = nc_column_is_cloth(column), sum = nc_column_is_sum(column);
        fprintf(out, "%-20s %-8s %s%s%s\n", column->name, nc_column_unit(column), cloth ? "cloth" : "",
                cloth && sum ? ", " : "", sum ? "sum over the steps of a frame" : "");
    }
    for (int i = 0; i < MADE_COUNT; i++)
        fprintf(out, "%-20s %-8s %s\n", made[i].name, made[i].unit, made[i].about);
    nc_plot_body_list(out);
}

// ---- panels -------------------------------------------------------------------------------------------------

static const nc_plot_panel panels[] = {
    {.name = "energy",
     .title = "Energy",
     .unit = "J",
     .scale = 1,
     .series = {{"kinetic", "kinetic"}, {"potential", "potential"}, {"energy", "total"}},
     .count = 3},
    {.name = "momentum",
     .title = "Momentum",
     .unit = "kg m/s",
     .scale = 1,
     .series = {{"momentum_x", "x"}, {"momentum_y", "y"}, {"momentum_z", "z"}, {"momentum", "length"}},
     .count = 4},
    {.name = "angular",
     .title = "Angular momentum about the origin",
     .unit = "kg m²/s",
     .scale = 1,
     .series = {{"angular_momentum_x", "x"},
                {"angular_momentum_y", "y"},
                {"angular_momentum_z", "z"},
                {"angular_momentum", "length"}},
     .count = 4},
    {.name = "contacts",
     .title = "Contacts per step",
     .unit = "",
     .scale = 1,
     .whole = true,
     .mean = true,
     .series = {{"contacts", "resting"}, {"collisions", "bounces"}, {"dynamic_contacts", "dynamic"}},
     .count = 3},
    {.name = "merges",
     .title = "Merges per step",
     .unit = "",
     .scale = 1,
     .whole = true,
     .mean = true,
     .series = {{"sticks", "sticks"},
                {"halts", "halts"},
                {"stalls", "stalls"},
                {"kinematic_clusters", "kinematic clusters"},
                {"full_clusters", "full clusters"}},
     .count = 5},
    {.name = "time",
     .title = "Wall time per step, by phase",
     .unit = "ms",
     .scale = 1000,
     .stacked = true,
     .mean = true,
     .series = {{"seconds_collide", "collide"},
                {"seconds_predict", "predict"},
                {"seconds_separate", "separate"},
                {"seconds_settle", "settle"},
                {"seconds_commit", "commit"}},
     .count = 5},
    {.name = "distance",
     .title = "Smallest distance, certified",
     .unit = "m",
     .scale = 1,
     .log = true,
     .guides = true,
     .series = {{"smallest_distance", "smallest distance"}},
     .count = 1},
    {.name = "velocity",
     .title = "Largest difference of stored velocity and motion",
     .unit = "m/s",
     .scale = 1,
     .log = true,
     .series = {{"velocity_error", "velocity error"}},
     .count = 1},
    {.name = "limits",
     .title = "Limits reached per step",
     .unit = "",
     .scale = 1,
     .whole = true,
     .mean = true,
     .series = {{"unconverged", "not converged"}, {"undecided", "undecided"}, {"jams", "jams"}, {"clamps", "clamps"}},
     .count = 4},
};

const nc_plot_panel *nc_plot_panels(int *out_count)
{
    *out_count = (int)(sizeof panels / sizeof *panels);
    return panels;
}

static const nc_plot_panel cloth_panels[] = {
    {.name = "steps",
     .title = "Vertex time steps",
     .unit = "s",
     .scale = 1,
     .log = true,
     .series = {{"step_5", "5%"}, {"step_25", "25%"}, {"step_50", "50%"}, {"step_75", "75%"}, {"step_95", "95%"}},
     .count = 5},
    {.name = "cost",
     .title = "Wall time per frame",
     .unit = "s",
     .scale = 1,
     .stacked = true,
     .series = {{"seconds_elastic", "elastic"},
                {"seconds_layers", "layers"},
                {"seconds_find", "finding"},
                {"seconds_audit", "audit"}},
     .count = 4},
    {.name = "events",
     .title = "Forces evaluated per frame",
     .unit = "",
     .scale = 1,
     .log = true,
     .series = {{"stretch_events", "stretch"},
                {"bend_events", "bend"},
                {"gravity_events", "gravity"},
                {"contact_events", "contact"},
                {"contact_kicks", "of these not null"}},
     .count = 5},
    {.name = "layers",
     .title = "Pairs with an active layer",
     .unit = "",
     .scale = 1,
     .whole = true,
     .series = {{"active_contacts", "active pairs"}},
     .count = 1},
    {.name = "depth",
     .title = "Deepest layer that acted",
     .unit = "",
     .scale = 1,
     .whole = true,
     .series = {{"deepest_layer", "deepest layer"}},
     .count = 1},
    {.name = "nearest",
     .title = "Smallest distance of a contact",
     .unit = "m",
     .scale = 1,
     .log = true,
     .series = {{"contact_distance", "smallest distance"}},
     .count = 1},
    {.name = "elastic",
     .title = "Energy",
     .unit = "J",
     .scale = 1,
     .series = {{"kinetic", "kinetic"},
                {"gravity_energy", "gravity"},
                {"stretch_energy", "stretch"},
                {"bend_energy", "bend"},
                {"contact_energy", "contact"},
                {"energy", "total"}},
     .count = 6},
    {.name = "momentum",
     .title = "Momentum",
     .unit = "kg m/s",
     .scale = 1,
     .series = {{"momentum_x", "x"}, {"momentum_y", "y"}, {"momentum_z", "z"}, {"momentum", "length"}},
     .count = 4},
};

const nc_plot_panel *nc_plot_cloth_panels(int *out_count)
{
    *out_count = (int)(sizeof cloth_panels / sizeof *cloth_panels);
    return cloth_panels;
}
