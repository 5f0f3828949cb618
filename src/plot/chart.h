// A chart of numbers against numbers, as SVG: lines, or dots.
#ifndef NC_PLOT_CHART_H
#define NC_PLOT_CHART_H

#include "nacre/nacre.h"

#include "base/base.h"

#include <stdio.h>

#define NC_CHART_SERIES_MAX 8

typedef struct nc_chart_series {
    const char *label;
    const double *x, *y;
    int count;
} nc_chart_series;

typedef struct nc_chart {
    const char *title, *x_title, *y_title;
    bool log_y; // what is not above 0 is left out then
    bool dots;  // instead of lines
    nc_chart_series series[NC_CHART_SERIES_MAX];
    int count;
} nc_chart;

// Writes the chart to `folder`/`name`.
nc_code nc_chart_save(const nc_chart *chart, const char *folder, const char *name, nc_error *err);

// The straight line y = a + b x nearest to the points, and how much of y it explains.
typedef struct nc_line_fit {
    double a, b, r2;
} nc_line_fit;
nc_line_fit nc_fit_line(const double *x, const double *y, int count);

#endif
