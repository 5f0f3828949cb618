// nacre plot: what a run's reports say, drawn over time.
#include "cli.h"
#include "out_file.h"

#include "plot/plot.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 256

typedef struct plot_settings {
    const char *output, *columns, *panels, *title, *body;
    nc_frame_range frames;
    bool log, list, quiet;
} plot_settings;

static const nc_option options[] = {
    {"output", 'o', NC_OPTION_TEXT, "FILE", offsetof(plot_settings, output), 0, 0,
     "The SVG file to write; '-' is the standard output. Default: the run's name with .svg, in the current directory."},
    {"panels", 'p', NC_OPTION_TEXT, "NAMES", offsetof(plot_settings, panels), 0, 0,
     "Only these panels, separated by commas: energy, momentum, angular, contacts, merges, time, distance, limits."},
    {"columns", 'c', NC_OPTION_TEXT, "NAMES", offsetof(plot_settings, columns), 0, 0,
     "These columns of the reports instead, separated by commas; those of one unit share a panel."},
    {"body", 'b', NC_OPTION_TEXT, "NAME", offsetof(plot_settings, body), 0, 0,
     "Of this body: position, speed, acceleration, spin and spin_rate, as panels or columns (see --list)."},
    {"log", 0, NC_OPTION_FLAG, NULL, offsetof(plot_settings, log), 0, 0,
     "Logarithmic scales; what is not positive is left out."},
    {"frames", 0, NC_OPTION_FRAMES, "A:B", offsetof(plot_settings, frames), 0, 0,
     "Only frames A to B, both included; either may be left out, negative ones count from the end."},
    {"title", 0, NC_OPTION_TEXT, "TEXT", offsetof(plot_settings, title), 0, 0,
     "The heading. Default: the run's title."},
    {"list", 0, NC_OPTION_FLAG, NULL, offsetof(plot_settings, list), 0, 0, "Print the columns with their units."},
    {"quiet", 'q', NC_OPTION_FLAG, NULL, offsetof(plot_settings, quiet), 0, 0, "No message when it is done."},
};

static int plot(const nc_command *command, int argc, char **argv);

const nc_command nc_command_plot = {
    .name = "plot",
    .arguments = "RUN [RUN]",
    .about = "Draws energies, momenta, contacts and times of a run, or of two.",
    .details =
        "Writes one SVG file with a panel for each: energy, momentum, angular momentum, contacts, merges, wall\n"
        "time by phase, the smallest distance, and limits that were reached. With two runs the second one\n"
        "has dashed lines. Counts and times are means over the steps of a frame; --columns shows what is stored.\n",
    .examples = "nacre plot first.nacre\n"
                "nacre plot before.nacre after.nacre -o compare.svg --panels energy,time\n"
                "nacre plot first.nacre --columns kinetic,turn_loss,contacts -o chosen.svg\n"
                "nacre plot first.nacre --body ball --panels acceleration",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .min_arguments = 0,
    .max_arguments = NC_PLOT_RUNS_MAX,
    .run = plot,
};

// ---- which panels -------------------------------------------------------------------------------------------

// The panels of a plot. Names of chosen columns point into `text`.
typedef struct choice {
    nc_plot_panel panels[NC_PLOT_PANELS_MAX];
    int count;
    char text[2048];
} choice;

// Cuts the next name off a list; NULL at its end.
static char *next_name(char **list)
{
    char *name = *list;
    if (name == NULL)
        return NULL;
    char *comma = strchr(name, ',');
    if (comma != NULL)
        *comma = '\0';
    *list = comma != NULL ? comma + 1 : NULL;
    return name;
}

static nc_exit unknown_name(const char *kind, const char *name, const char *const *names, int count)
{
    const int nearest = nc_nearest_name(name, names, count);
    if (nearest >= 0)
        return nc_complain_usage("there is no %s '%s'. Did you mean '%s'?", kind, name, names[nearest]);
    return nc_complain_usage("there is no %s '%s'. See: nacre plot --help and nacre plot --list", kind, name);
}

static nc_exit add_panel(choice *c, const char *name)
{
    const char *names[NC_PLOT_PANELS_MAX];
    int count;
    int cloth_count, body_count;
    const nc_plot_panel *rigid = nc_plot_panels(&count), *cloth = nc_plot_cloth_panels(&cloth_count);
    const nc_plot_panel *body = nc_plot_body_panels(&body_count);
    const int all = count + cloth_count + body_count;
    for (int i = 0; i < all; i++) {
        const nc_plot_panel *panel = i < count                 ? &rigid[i]
                                     : i < count + cloth_count ? &cloth[i - count]
                                                               : &body[i - count - cloth_count];
        names[i] = panel->name;
        if (strcmp(names[i], name) != 0)
            continue;
        for (int k = 0; k < c->count; k++)
            if (strcmp(c->panels[k].name, name) == 0)
                return nc_complain_usage("panel '%s' is given twice", name);
        c->panels[c->count++] = *panel;
        return NC_EXIT_DONE;
    }
    return unknown_name("panel", name, names, all);
}

static bool is_time(const char *name)
{
    return strncmp(name, "seconds_", 8) == 0;
}

static nc_exit unknown_column(const char *name)
{
    const char *names[COLUMNS_MAX];
    const int count = nc_plot_names(names, COLUMNS_MAX);
    return unknown_name("column", name, names, count);
}

// Into the panel of its unit, or a new one.
static nc_exit add_column(choice *c, const char *name)
{
    const char *unit = nc_plot_unit(name);
    if (unit == NULL)
        return unknown_column(name);
    if (is_time(name))
        unit = "ms";
    for (int i = 0; i < c->count; i++)
        for (int s = 0; s < c->panels[i].count; s++)
            if (strcmp(c->panels[i].series[s].name, name) == 0)
                return nc_complain_usage("column '%s' is given twice", name);
    int k = 0;
    while (k < c->count && (strcmp(c->panels[k].unit, unit) != 0 || c->panels[k].count == NC_PLOT_LINES_MAX))
        k++;
    if (k == NC_PLOT_PANELS_MAX)
        return nc_complain_usage("a plot has at most %d panels", NC_PLOT_PANELS_MAX);
    nc_plot_panel *panel = &c->panels[k];
    if (k == c->count) {
        *panel = (nc_plot_panel){.name = name, .title = name, .unit = unit, .scale = is_time(name) ? 1000 : 1};
        panel->whole = unit[0] == '\0';
        c->count++;
    } else if (panel->count > 0) {
        panel->title = panel->unit[0] == '\0' ? "Counts" : "Chosen columns";
    }
    panel->series[panel->count++] = (nc_plot_series){name, name};
    return NC_EXIT_DONE;
}

static nc_exit choose(const plot_settings *settings, choice *c)
{
    nc_exit code = NC_EXIT_DONE;
    const char *list = settings->columns != NULL ? settings->columns : settings->panels;
    if (settings->columns != NULL && settings->panels != NULL)
        return nc_complain_usage("--columns and --panels exclude each other");
    if (list == NULL) {
        const nc_plot_panel *all = settings->body != NULL ? nc_plot_body_panels(&c->count) : nc_plot_panels(&c->count);
        memcpy(c->panels, all, (size_t)c->count * sizeof *all);
    } else {
        if (strlen(list) >= sizeof c->text)
            return nc_complain_usage("--%s is too long", settings->columns != NULL ? "columns" : "panels");
        snprintf(c->text, sizeof c->text, "%s", list);
        char *rest = c->text;
        for (char *name = next_name(&rest); name != NULL && code == NC_EXIT_DONE; name = next_name(&rest))
            code = settings->columns != NULL ? add_column(c, name) : add_panel(c, name);
    }
    for (int i = 0; i < c->count && code == NC_EXIT_DONE && settings->body == NULL; i++)
        if (nc_plot_is_of_body(c->panels[i].series[0].name))
            return nc_complain_usage("'%s' is of one body: name it with --body", c->panels[i].name);
    for (int i = 0; i < c->count && settings->log; i++) {
        c->panels[i].log = true;
        c->panels[i].stacked = false;
    }
    return code;
}

// ---- the command --------------------------------------------------------------------------------------------

// "boats.svg" for "runs/boats.nacre".
static void default_output(const char *run, char *out, size_t out_size)
{
    const char *slash = strrchr(run, '/');
    const char *name = slash != NULL ? slash + 1 : run;
    const size_t length = strlen(name);
    const size_t stem = length > 6 && strcmp(name + length - 6, ".nacre") == 0 ? length - 6 : length;
    snprintf(out, out_size, "%.*s.svg", (int)stem, name);
}

static nc_exit read_runs(const nc_words *paths, const plot_settings *settings, nc_plot_run *runs)
{
    nc_error err = {0};
    nc_file_kind kind;
    for (int i = 0; i < paths->count; i++) {
        if (nc_file_sniff(paths->items[i], &kind, &err) != NC_OK)
            return nc_complain(&err);
        if (kind != NC_FILE_RUN)
            return nc_complain_usage("'%s' is not a run file. To make one: nacre run SCENE", paths->items[i]);
        const nc_code code = nc_plot_run_read(paths->items[i], &settings->frames, settings->body, &runs[i], &err);
        if (code != NC_OK)
            return code == NC_NOT_FOUND ? nc_complain_usage("%s", err.text) : nc_complain(&err);
    }
    return NC_EXIT_DONE;
}

static nc_exit write_plot(const nc_plot *what, const char *path, const plot_settings *settings)
{
    nc_error err = {0};
    nc_out_file file;
    nc_code code = nc_out_open(&file, path, &err);
    if (code == NC_OK) {
        nc_plot_draw(what, file.out);
        code = nc_out_close(&file, NC_OK, &err);
    }
    if (code != NC_OK)
        return nc_complain(&err);
    nc_say(settings->quiet || strcmp(path, "-") == 0, "Wrote %s: %d panel%s", path, what->panel_count,
           what->panel_count == 1 ? "" : "s");
    return NC_EXIT_DONE;
}

static nc_exit plot_runs(const nc_words *paths, const plot_settings *settings)
{
    nc_plot_run runs[NC_PLOT_RUNS_MAX] = {0};
    choice chosen = {.count = 0};
    char name[1024];
    nc_exit code = choose(settings, &chosen);
    if (code == NC_EXIT_DONE)
        code = read_runs(paths, settings, runs);
    if (code == NC_EXIT_DONE && runs[0].has_cloth && settings->panels == NULL && settings->columns == NULL &&
        settings->body == NULL) {
        const nc_plot_panel *all = nc_plot_cloth_panels(&chosen.count);
        memcpy(chosen.panels, all, (size_t)chosen.count * sizeof *all);
    }
    if (code == NC_EXIT_DONE) {
        const nc_plot what = {runs, paths->count, chosen.panels, chosen.count, settings->title};
        default_output(paths->items[0], name, sizeof name);
        code = write_plot(&what, settings->output != NULL ? settings->output : name, settings);
    }
    for (int i = 0; i < NC_PLOT_RUNS_MAX; i++)
        nc_plot_run_free(&runs[i]);
    return code;
}

static nc_exit plot_arguments(const nc_words *arguments, void *ctx)
{
    const plot_settings *settings = ctx;
    if (settings->list) {
        nc_plot_list(stdout);
        return NC_EXIT_DONE;
    }
    if (arguments->count == 0)
        return nc_complain_usage("plot needs a run. Usage: nacre plot RUN [RUN]");
    return plot_runs(arguments, settings);
}

static int plot(const nc_command *command, int argc, char **argv)
{
    plot_settings settings = {0};
    return nc_command_work(command, argc, argv, &settings, plot_arguments);
}
