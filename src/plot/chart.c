// Charts as SVG, and straight lines through points.
#include "plot/plot.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { WIDTH = 720, HEIGHT = 440, LEFT = 78, RIGHT = 20, TOP = 44, BOTTOM = 56 };

static const char *const colours[NC_CHART_SERIES_MAX] = {"#1b6ca8", "#c8553d", "#3a8f5c", "#8a5aa8",
                                                         "#b58900", "#4d4d4d", "#d3739f", "#2aa198"};

typedef struct frame {
    const nc_chart *chart;
    nc_plot_axis x, y;
    FILE *out;
} frame;

static bool is_drawn(const nc_chart *chart, double x, double y)
{
    return isfinite(x) && isfinite(y) && (!chart->log_y || y > 0);
}

static frame frame_of(const nc_chart *chart, FILE *out)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int s = 0; s < chart->count; s++)
        for (int i = 0; i < chart->series[s].count; i++) {
            const double p[2] = {chart->series[s].x[i], chart->series[s].y[i]};
            for (int k = 0; k < 2 && is_drawn(chart, p[0], p[1]); k++) {
                low[k] = fmin(low[k], p[k]);
                high[k] = fmax(high[k], p[k]);
            }
        }
    if (!(low[0] <= high[0])) // nothing to draw
        low[0] = low[1] = 1, high[0] = high[1] = 2;
    frame f = {.chart = chart, .out = out};
    f.x = nc_plot_axis_linear(fmin(0, low[0]), high[0], 8, false);
    f.y = chart->log_y ? nc_plot_axis_log(low[1], high[1]) : nc_plot_axis_linear(fmin(0, low[1]), high[1], 6, false);
    return f;
}

static double x_at(const frame *f, double x)
{
    return LEFT + nc_plot_axis_place(&f->x, x) * (WIDTH - LEFT - RIGHT);
}

static double y_at(const frame *f, double y)
{
    return HEIGHT - BOTTOM - nc_plot_axis_place(&f->y, y) * (HEIGHT - TOP - BOTTOM);
}

static void draw_text(const frame *f, double x, double y, const char *how, const char *text)
{
    fprintf(f->out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, how);
    nc_xml_text(text, f->out);
    fputs("</text>\n", f->out);
}

// "seconds, 10⁻³" where an axis has a power of ten of its own.
static const char *axis_title(const char *title, const nc_plot_axis *axis, char *out, size_t size)
{
    char power[24];
    if (axis->exponent == 0)
        snprintf(out, size, "%s", title);
    else
        snprintf(out, size, "%s, %s", title, nc_power_text(axis->exponent, power, sizeof power));
    return out;
}

static void draw_axes(const frame *f)
{
    const double bottom = HEIGHT - BOTTOM;
    for (int i = 0; i < f->y.count; i++) {
        const double y = y_at(f, f->y.ticks[i]);
        fprintf(f->out, "<path d=\"M%d %.1fH%d\" stroke=\"#ddd\"/>\n", LEFT, y, WIDTH - RIGHT);
        draw_text(f, LEFT - 8, y + 4, "text-anchor=\"end\"", f->y.labels[i]);
    }
    for (int i = 0; i < f->x.count; i++) {
        const double x = x_at(f, f->x.ticks[i]);
        fprintf(f->out, "<path d=\"M%.1f %.1fv5\" stroke=\"#444\"/>\n", x, bottom);
        draw_text(f, x, bottom + 19, "text-anchor=\"middle\"", f->x.labels[i]);
    }
    char title[160];
    fprintf(f->out, "<path d=\"M%d %dV%.1fH%d\" stroke=\"#444\" fill=\"none\"/>\n", LEFT, TOP, bottom, WIDTH - RIGHT);
    draw_text(f, 0.5 * (LEFT + WIDTH - RIGHT), HEIGHT - 14, "text-anchor=\"middle\"",
              axis_title(f->chart->x_title, &f->x, title, sizeof title));
    fprintf(f->out, "<g transform=\"translate(18 %.1f) rotate(-90)\">\n", 0.5 * (TOP + bottom));
    draw_text(f, 0, 0, "text-anchor=\"middle\"", axis_title(f->chart->y_title, &f->y, title, sizeof title));
    fputs("</g>\n", f->out);
}

static void draw_series(const frame *f, int s)
{
    const nc_chart_series *series = &f->chart->series[s];
    bool pen = false;
    if (!f->chart->dots)
        fprintf(f->out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\" d=\"", colours[s]);
    for (int i = 0; i < series->count; i++) {
        if (!is_drawn(f->chart, series->x[i], series->y[i])) {
            pen = false;
            continue;
        }
        const double x = x_at(f, series->x[i]), y = y_at(f, series->y[i]);
        if (f->chart->dots)
            fprintf(f->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"1.8\" fill=\"%s\" fill-opacity=\"0.55\"/>\n", x, y,
                    colours[s]);
        else
            fprintf(f->out, "%c%.1f %.1f", pen ? 'L' : 'M', x, y);
        pen = true;
    }
    if (!f->chart->dots)
        fputs("\"/>\n", f->out);
    const double y = TOP + 14 + 17 * s, x = WIDTH - RIGHT - 190;
    fprintf(f->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"12\" height=\"4\" fill=\"%s\"/>\n", x, y - 5, colours[s]);
    draw_text(f, x + 18, y, "", series->label);
}

nc_code nc_chart_save(const nc_chart *chart, const char *folder, const char *name, nc_error *err)
{
    char path[1200];
    snprintf(path, sizeof path, "%.1000s/%.180s", folder, name);
    FILE *out = fopen(path, "w");
    if (out == NULL)
        return nc_fail(err, NC_IO, "cannot write '%s': %s", path, strerror(errno));
    const frame f = frame_of(chart, out);
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    draw_text(&f, LEFT, 26, "font-size=\"15\" font-weight=\"bold\"", chart->title);
    draw_axes(&f);
    for (int s = 0; s < chart->count; s++)
        draw_series(&f, s);
    fputs("</svg>\n", out);
    const bool broken = ferror(out) != 0;
    return fclose(out) != 0 || broken ? nc_fail(err, NC_IO, "cannot write '%s'", path) : NC_OK;
}

nc_line_fit nc_fit_line(const double *x, const double *y, int count)
{
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, syy = 0;
    for (int i = 0; i < count; i++) {
        if (!isfinite(x[i]) || !isfinite(y[i]))
            continue;
        n += 1;
        sx += x[i];
        sy += y[i];
    }
    const double mx = sx / n, my = sy / n;
    for (int i = 0; i < count; i++) {
        if (!isfinite(x[i]) || !isfinite(y[i]))
            continue;
        sxx += (x[i] - mx) * (x[i] - mx);
        sxy += (x[i] - mx) * (y[i] - my);
        syy += (y[i] - my) * (y[i] - my);
    }
    const double b = sxy / sxx;
    return (nc_line_fit){my - b * mx, b, sxy * sxy / (sxx * syy)};
}
