// Plots of runs as SVG: columns of reports over time, panel by panel. docs/plot.md.
#ifndef NC_PLOT_PLOT_H
#define NC_PLOT_PLOT_H

#include "nacre/nacre.h"

#include "plot/chart.h"
#include "reel/reel.h"

#define NC_PLOT_LINES_MAX  8 // in a panel, of one run
#define NC_PLOT_PANELS_MAX 24
#define NC_PLOT_RUNS_MAX   2
enum { NC_PLOT_BODY_COLUMNS = 15 };

// ---- what is plotted ----------------------------------------------------------------------------------------

// The reports of a run, or of some of its frames.
typedef struct nc_plot_run {
    char label[256]; // the file's name
    char title[256];
    int bodies;
    int64_t frames;                       // rows
    nc_model_report *reports;             // [row]
    bool has_cloth;                       // nc_model_report.has_cloth
    double *steps;                        // [row] steps that the row sums up
    double (*body)[NC_PLOT_BODY_COLUMNS]; // [row] of one body: position, velocities, accelerations; NULL: of none
    nc_world_def settings;                // distances
} nc_plot_run;

// On failure nothing is left open. NC_NOT_FOUND when the run has none of the frames, or no body of the name `body`;
// NULL: no columns of a body.
nc_code nc_plot_run_read(const char *path, const nc_frame_range *frames, const char *body, nc_plot_run *out,
                         nc_error *err);
void nc_plot_run_free(nc_plot_run *run);

// A number for each row of a run: a column of its reports, or one made of several.
typedef struct nc_plot_series {
    const char *name;  // column: "kinetic", "momentum_x", or "energy", "momentum", "angular_momentum", "support"
    const char *label; // in the legend
} nc_plot_series;
// The value in a row; NaN when there is none. With `mean`, sums are divided by their steps.
double nc_plot_value(const char *name, const nc_plot_run *run, int64_t row, bool mean);
// Is it a column of one body?
bool nc_plot_is_of_body(const char *name);
// NULL when no such column is there.
const char *nc_plot_unit(const char *name);
// Up to `capacity` names of columns; how many there are.
int nc_plot_names(const char **out, int capacity);
// Prints the names there are, with their units.
void nc_plot_list(FILE *out);

typedef struct nc_plot_panel {
    const char *name;  // for --panels
    const char *title; // above it
    const char *unit;  // of what is drawn; "" for counts
    double scale;      // drawn = scale * value
    bool log, stacked, whole, mean;
    bool guides; // lines at the distances that the scene asks for
    nc_plot_series series[NC_PLOT_LINES_MAX];
    int count;
} nc_plot_panel;

// The panels of a plot without a selection. `*out_count` of them.
const nc_plot_panel *nc_plot_panels(int *out_count);
// The same for one body.
const nc_plot_panel *nc_plot_body_panels(int *out_count);
// The same for runs of cloth.
const nc_plot_panel *nc_plot_cloth_panels(int *out_count);

// ---- scales -------------------------------------------------------------------------------------------------

#define NC_TICKS_MAX 16

// An axis from `low` to `high`, with round numbers marked. In a logarithmic one low and high are powers of ten or
// 2 or 5 times that.
typedef struct nc_plot_axis {
    double low, high;
    bool log;
    int exponent; // labels are the values divided by 10^exponent
    double ticks[NC_TICKS_MAX];
    char labels[NC_TICKS_MAX][24];
    int count;
} nc_plot_axis;
// Chooses an axis for values from `low` to `high` with about `wanted` ticks. `whole`: no ticks between whole numbers.
nc_plot_axis nc_plot_axis_linear(double low, double high, int wanted, bool whole);
// The same for positive values.
nc_plot_axis nc_plot_axis_log(double low, double high);
// Where a value lies: 0 at the low end, 1 at the high one. NaN for what a logarithm has none of.
double nc_plot_axis_place(const nc_plot_axis *axis, double value);
// "10⁻³" into `out`; returns `out`.
const char *nc_power_text(int exponent, char *out, size_t out_size);

// ---- drawing ------------------------------------------------------------------------------------------------

typedef struct nc_plot {
    const nc_plot_run *runs;
    int run_count;
    const nc_plot_panel *panels;
    int panel_count;
    const char *title; // NULL: the run's
} nc_plot;

void nc_plot_draw(const nc_plot *plot, FILE *out);

// A panel at (x, y), `width` by `height`, all in pixels.
typedef struct nc_plot_box {
    double x, y, width, height;
} nc_plot_box;
void nc_plot_draw_panel(const nc_plot *plot, const nc_plot_panel *panel, nc_plot_box box, FILE *out);

// Text for XML: markup escaped, control characters and bytes that are not UTF-8 replaced.
void nc_xml_text(const char *text, FILE *out);
// About how wide a text of this size will be [pixels].
double nc_plot_text_width(const char *text, double size);

#endif
