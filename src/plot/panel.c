// One panel of a plot: axes, grid, legend, lines or a stack of areas.
#include "plot/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEFT        62.0 // [pixels] around the area in which lines are drawn
#define RIGHT       12.0
#define BOTTOM      36.0
#define TITLE_ROOM  24.0
#define LEGEND_ROW  18.0
#define AREA_GAP    8.0
#define LEGEND_TEXT 11.0

// Told apart by people who see red and green alike too (Okabe and Ito); the last is for what sums up the others.
static const char *const colours[NC_PLOT_LINES_MAX] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                       "#e69f00", "#56b4e9", "#7f6000", "#444444"};

// What a panel is drawn with: its area on the page, its axes.
typedef struct canvas {
    const nc_plot *plot;
    const nc_plot_panel *panel;
    nc_plot_box area;
    nc_plot_axis x, y;
    bool stacked;
    FILE *out;
} canvas;

static double value_of(const canvas *c, int run, int series, int64_t row)
{
    return c->panel->scale * nc_plot_value(c->panel->series[series].name, &c->plot->runs[run], row, c->panel->mean);
}

// ---- axes ---------------------------------------------------------------------------------------------------

typedef struct range {
    double low, high, least; // least: of the positive ones
} range;

static void widen(range *r, double value)
{
    if (!isfinite(value))
        return;
    r->low = fmin(r->low, value);
    r->high = fmax(r->high, value);
    if (value > 0)
        r->least = fmin(r->least, value);
}

static range range_of(const canvas *c)
{
    range r = {INFINITY, -INFINITY, INFINITY};
    for (int run = 0; run < c->plot->run_count; run++)
        for (int64_t i = 0; i < c->plot->runs[run].frames; i++) {
            double sum = 0;
            for (int s = 0; s < c->panel->count; s++) {
                const double value = value_of(c, run, s, i);
                sum += isfinite(value) ? value : 0;
                widen(&r, c->stacked ? sum : value);
            }
        }
    return r;
}

// Zero belongs to the picture unless all values are far from it.
static nc_plot_axis linear_axis(range r, const nc_plot_panel *panel)
{
    if (r.low > 0 && (r.low < 0.5 * r.high || panel->stacked || panel->whole))
        r.low = 0;
    if (r.high < 0 && r.high > 0.5 * r.low)
        r.high = 0;
    return nc_plot_axis_linear(r.low, r.high, 5, panel->whole);
}

static nc_plot_axis time_axis(const nc_plot *plot)
{
    double low = INFINITY, high = -INFINITY;
    for (int run = 0; run < plot->run_count; run++) {
        low = fmin(low, plot->runs[run].reports[0].common.time);
        high = fmax(high, plot->runs[run].reports[plot->runs[run].frames - 1].common.time);
    }
    nc_plot_axis axis = nc_plot_axis_linear(low, high, 6, false);
    if (high > low) { // time ends where the runs do
        axis.low = low;
        axis.high = high;
    }
    return axis;
}

static double at_x(const canvas *c, double value)
{
    return c->area.x + c->area.width * nc_plot_axis_place(&c->x, value);
}

static double at_y(const canvas *c, double value)
{
    return c->area.y + c->area.height * (1 - nc_plot_axis_place(&c->y, value));
}

static void draw_text(const canvas *c, double x, double y, const char *class, const char *text)
{
    fprintf(c->out, "<text class=\"%s\" x=\"%.2f\" y=\"%.2f\">", class, x, y);
    nc_xml_text(text, c->out);
    fputs("</text>\n", c->out);
}

static void draw_x_axis(const canvas *c)
{
    const double bottom = c->area.y + c->area.height;
    for (int i = 0; i < c->x.count; i++) {
        const double x = at_x(c, c->x.ticks[i]);
        if (x < c->area.x - 0.01 || x > c->area.x + c->area.width + 0.01)
            continue;
        fprintf(c->out, "<path class=\"tick\" d=\"M%.2f %.2fv4\"/>\n", x, bottom);
        draw_text(c, x, bottom + 16, "n mid", c->x.labels[i]);
    }
    char name[64] = "time [s]", power[32];
    if (c->x.exponent != 0)
        snprintf(name, sizeof name, "time [%s s]", nc_power_text(c->x.exponent, power, sizeof power));
    draw_text(c, c->area.x + c->area.width, bottom + 31, "u end", name);
}

static void draw_y_axis(const canvas *c)
{
    for (int i = 0; i < c->y.count; i++) {
        const double y = at_y(c, c->y.ticks[i]);
        fprintf(c->out, "<path class=\"%s\" d=\"M%.2f %.2fh%.2f\"/>\n",
                c->y.ticks[i] == 0 && c->y.low < 0 ? "zero" : "grid", c->area.x, y, c->area.width);
        draw_text(c, c->area.x - 6, y + 3.5, "n end", c->y.labels[i]);
    }
}

// "Energy [10³ J]"
static void draw_title(const canvas *c, nc_plot_box box)
{
    char unit[64] = "", power[32];
    if (c->y.exponent != 0)
        snprintf(unit, sizeof unit, "[%s%s%s]", nc_power_text(c->y.exponent, power, sizeof power),
                 c->panel->unit[0] != '\0' ? " " : "", c->panel->unit);
    else if (c->panel->unit[0] != '\0')
        snprintf(unit, sizeof unit, "[%s]", c->panel->unit);
    fprintf(c->out, "<text class=\"h\" x=\"%.2f\" y=\"%.2f\">", c->area.x, box.y + 15);
    nc_xml_text(c->panel->title, c->out);
    fputs("<tspan class=\"u\" dx=\"6\">", c->out);
    nc_xml_text(unit, c->out);
    fputs("</tspan></text>\n", c->out);
}

// ---- legend -------------------------------------------------------------------------------------------------

// Sets the entries in rows; draws them when `out` is not NULL. Returns the number of rows: none for a single line,
// which is what the title says.
static int set_legend(const nc_plot_panel *panel, nc_plot_box area, double y, bool stacked, FILE *out)
{
    double x = area.x;
    int rows = panel->count > 1 ? 1 : 0;
    for (int s = 0; s < panel->count && rows > 0; s++) {
        const double width = 24 + nc_plot_text_width(panel->series[s].label, LEGEND_TEXT) + 12;
        if (x + width > area.x + area.width + 12 && s > 0) {
            x = area.x;
            rows++;
        }
        if (out != NULL) {
            const double middle = y + LEGEND_ROW * (rows - 1) + 8;
            fprintf(out, "<path class=\"%s\" d=\"M%.2f %.2fh18\" style=\"stroke:%s\"/>", stacked ? "patch" : "key", x,
                    middle, colours[s]);
            fprintf(out, "<text class=\"l\" x=\"%.2f\" y=\"%.2f\">", x + 23, middle + 4);
            nc_xml_text(panel->series[s].label, out);
            fputs("</text>\n", out);
        }
        x += width;
    }
    return rows;
}

// ---- lines --------------------------------------------------------------------------------------------------

// Puts one point of a line; a point between two gaps is a dot.
typedef struct pen {
    const canvas *canvas;
    bool down;
} pen;

static void pen_to(pen *p, double x, double y)
{
    if (!isfinite(y)) {
        p->down = false;
        return;
    }
    fprintf(p->canvas->out, "%s%.2f %.2f", p->down ? "L" : "M", x, y);
    if (!p->down)
        fputs("h.01", p->canvas->out); // seen even when nothing follows
    p->down = true;
}

static double clip_y(const canvas *c, double value)
{
    const double y = at_y(c, value);
    return isfinite(y) ? fmin(fmax(y, c->area.y - 1), c->area.y + c->area.height + 1) : NAN;
}

// Rows of one run that fall on about one pixel: more of them than can be seen are drawn by their extremes.
static int64_t rows_per_bucket(const canvas *c, int run)
{
    const int64_t rows = c->plot->runs[run].frames, pixels = (int64_t)c->area.width;
    return rows > 2 * pixels && pixels > 0 ? 1 + (2 * rows - 1) / pixels : 1;
}

// The rows of the least and of the largest value, in order. -1 twice when there is none.
static void extremes(const canvas *c, int run, int series, int64_t first, int64_t last, int64_t out[2])
{
    double low = INFINITY, high = -INFINITY;
    out[0] = out[1] = -1;
    int64_t least = -1, most = -1;
    for (int64_t i = first; i < last; i++) {
        const double value = value_of(c, run, series, i);
        if (value < low) {
            low = value;
            least = i;
        }
        if (value > high) {
            high = value;
            most = i;
        }
    }
    out[0] = least < most ? least : most;
    out[1] = least < most ? most : least;
}

static void draw_line(const canvas *c, int run, int series)
{
    const nc_plot_run *r = &c->plot->runs[run];
    const int64_t bucket = rows_per_bucket(c, run);
    pen p = {c, false};
    fprintf(c->out, "<path class=\"line%s\" style=\"stroke:%s\" d=\"", run > 0 ? " other" : "", colours[series]);
    for (int64_t first = 0; first < r->frames; first += bucket) {
        const int64_t last = first + bucket < r->frames ? first + bucket : r->frames;
        int64_t at[2] = {first, first};
        if (bucket > 1)
            extremes(c, run, series, first, last, at);
        for (int k = 0; k < (at[0] == at[1] ? 1 : 2); k++)
            pen_to(&p, at_x(c, r->reports[at[k] < 0 ? first : at[k]].common.time),
                   at[k] < 0 ? NAN : clip_y(c, value_of(c, run, series, at[k])));
    }
    fputs("\"/>\n", c->out);
}

static double sum_up_to(const canvas *c, int series, int64_t row)
{
    double sum = 0;
    for (int s = 0; s <= series; s++) {
        const double value = value_of(c, 0, s, row);
        sum += isfinite(value) ? value : 0;
    }
    return sum;
}

// The mean of a bucket of rows.
static double height_at(const canvas *c, int series, int64_t first, int64_t last)
{
    double sum = 0;
    for (int64_t i = first; i < last; i++)
        sum += sum_up_to(c, series, i);
    return sum / (double)(last - first);
}

// The area between the sums up to one series and up to the one before. Nothing can be said of a run's first row.
static void draw_layer(const canvas *c, int series)
{
    const nc_plot_run *r = &c->plot->runs[0];
    const int64_t start = r->frames > 1 && r->steps[0] == 0 ? 1 : 0, bucket = rows_per_bucket(c, 0);
    int64_t end = start;
    fprintf(c->out, "<path class=\"layer\" style=\"fill:%s\" d=\"", colours[series]);
    for (int64_t first = start; first < r->frames; first += bucket) {
        const int64_t last = first + bucket < r->frames ? first + bucket : r->frames;
        end = first;
        fprintf(c->out, "%s%.2f %.2f", first == start ? "M" : "L", at_x(c, r->reports[first].common.time),
                clip_y(c, height_at(c, series, first, last)));
    }
    for (int64_t first = end; first >= start; first -= bucket) {
        const int64_t last = first + bucket < r->frames ? first + bucket : r->frames;
        fprintf(c->out, "L%.2f %.2f", at_x(c, r->reports[first].common.time),
                clip_y(c, series > 0 ? height_at(c, series - 1, first, last) : 0));
    }
    fputs("Z\"/>\n", c->out);
}

// ---- guides -------------------------------------------------------------------------------------------------

static void draw_guide(const canvas *c, double value, const char *name)
{
    const double y = at_y(c, value);
    if (!(value > 0) || !(y >= c->area.y && y <= c->area.y + c->area.height))
        return;
    fprintf(c->out, "<path class=\"guide\" d=\"M%.2f %.2fh%.2f\"/>\n", c->area.x, y, c->area.width);
    draw_text(c, c->area.x + c->area.width - 4, y - 4, "g end", name);
}

// ---- the panel ----------------------------------------------------------------------------------------------

// NULL, or why there is nothing to draw.
static const char *choose_axes(canvas *c)
{
    range r = range_of(c);
    const nc_world_def *settings = &c->plot->runs[0].settings;
    const char *note = NULL;
    if (c->panel->log ? !isfinite(r.least) : !(r.low <= r.high))
        note = c->panel->guides ? "no close approaches" : "nothing to show";
    else if (c->panel->whole && r.low == 0 && r.high == 0)
        note = "none";
    if (note != NULL)
        r = (range){0, 1, 0.1};
    if (c->panel->guides && note == NULL && settings->floor_distance > 0) {
        widen(&r, settings->rest_distance);
        widen(&r, 0.9 * settings->floor_distance); // a line that lies on the axis is not seen
    }
    c->x = time_axis(c->plot);
    c->y = c->panel->log ? nc_plot_axis_log(r.least, r.high) : linear_axis(r, c->panel);
    return note;
}

static void draw_content(const canvas *c)
{
    const nc_world_def *settings = &c->plot->runs[0].settings;
    for (int s = c->panel->count - 1; s >= 0 && c->stacked; s--)
        draw_layer(c, s);
    for (int run = c->plot->run_count - 1; run >= 0 && !c->stacked; run--)
        for (int s = 0; s < c->panel->count; s++)
            draw_line(c, run, s);
    if (c->panel->guides) {
        draw_guide(c, settings->rest_distance, "rest distance");
        draw_guide(c, settings->floor_distance, "floor distance");
    }
}

void nc_plot_draw_panel(const nc_plot *plot, const nc_plot_panel *panel, nc_plot_box box, FILE *out)
{
    canvas c = {.plot = plot, .panel = panel, .stacked = panel->stacked && plot->run_count == 1, .out = out};
    c.area = (nc_plot_box){box.x + LEFT, box.y, box.width - LEFT - RIGHT, 0};
    const int rows = set_legend(panel, c.area, 0, c.stacked, NULL);
    c.area.y += TITLE_ROOM + rows * LEGEND_ROW + AREA_GAP;
    c.area.height = box.y + box.height - BOTTOM - c.area.y;
    const char *note = choose_axes(&c);
    fprintf(out, "<g id=\"%s\">\n", panel->name);
    draw_title(&c, box);
    set_legend(panel, c.area, box.y + TITLE_ROOM, c.stacked, out);
    draw_y_axis(&c);
    draw_x_axis(&c);
    if (note == NULL)
        draw_content(&c);
    else
        draw_text(&c, c.area.x + 0.5 * c.area.width, c.area.y + 0.5 * c.area.height, "g mid", note);
    fprintf(out, "<path class=\"frame\" d=\"M%.2f %.2fh%.2f\"/>\n</g>\n", c.area.x, c.area.y + c.area.height,
            c.area.width);
}
