// A column of the results against another, as a chart.
#include "study/study.h"

#include "plot/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct point {
    double x, y;
    char by[NC_STUDY_VALUE_SIZE];
} point;

typedef struct drawing {
    nc_study *study;
    nc_study_plot what;
    nc_error *err;
    point *points;
    int count;
    char labels[NC_CHART_SERIES_MAX][NC_STUDY_VALUE_SIZE];
    double *x[NC_CHART_SERIES_MAX], *y[NC_CHART_SERIES_MAX];
    nc_chart chart;
} drawing;

// ---- reading ------------------------------------------------------------------------------------------------

static nc_code check_column(const drawing *d, const char *name)
{
    const char *names[2 * NC_STUDY_COLUMNS_MAX + 32];
    int count = 0, field_count;
    const nc_study_field *fields = nc_study_fields(&field_count);
    for (int i = 0; i < d->study->parameter_count; i++)
        names[count++] = d->study->parameters[i].name;
    for (int i = 0; i < d->study->measure_count; i++)
        names[count++] = d->study->measures[i].name;
    for (int i = 0; i < field_count; i++)
        names[count++] = fields[i].name;
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return NC_OK;
    const int nearest = nc_nearest_name(name, names, count);
    return nc_fail(d->err, NC_BAD_ARGUMENT, "the study has no column '%s'%s%s%s", name,
                   nearest >= 0 ? ". Did you mean '" : "", nearest >= 0 ? names[nearest] : "",
                   nearest >= 0 ? "'?" : "");
}

static nc_code choose(drawing *d)
{
    const nc_study *study = d->study;
    if (d->what.x == NULL)
        d->what.x = study->parameters[0].name;
    if (d->what.y == NULL && study->measure_count == 0)
        return nc_fail(d->err, NC_BAD_ARGUMENT, "the study measures nothing; give --y a column, such as seconds");
    if (d->what.y == NULL)
        d->what.y = study->measures[0].name;
    nc_code code = check_column(d, d->what.x);
    if (code == NC_OK)
        code = check_column(d, d->what.y);
    return code == NC_OK && d->what.by != NULL ? check_column(d, d->what.by) : code;
}

static nc_code read_points(drawing *d)
{
    sqlite3_stmt *s = NULL;
    nc_buffer sql = nc_buffer_create(NULL);
    const char *by = d->what.by != NULL ? d->what.by : d->what.x;
    const bool ok =
        nc_buffer_print(&sql,
                        "select \"%s\", \"%s\", \"%s\" from run where status != 'planned' and \"%s\" is not "
                        "null order by \"%s\", \"%s\", number",
                        d->what.x, d->what.y, by, d->what.y, by, d->what.x) &&
        nc_buffer_append(&sql, "", 1);
    nc_code code = NC_OK;
    d->points = calloc((size_t)d->study->run_count + 1, sizeof *d->points);
    if (!ok || d->points == NULL)
        code = nc_fail_memory(d->err, (size_t)d->study->run_count * sizeof *d->points);
    else if (sqlite3_prepare_v2(d->study->file.db, (const char *)sql.data, -1, &s, NULL) != SQLITE_OK)
        code = nc_sql_fail(&d->study->file, "reading results", d->err);
    while (code == NC_OK && d->count < d->study->run_count && sqlite3_step(s) == SQLITE_ROW) {
        point *p = &d->points[d->count++];
        p->x = sqlite3_column_double(s, 0);
        p->y = sqlite3_column_double(s, 1);
        snprintf(p->by, sizeof p->by, "%s", d->what.by != NULL ? (const char *)sqlite3_column_text(s, 2) : "");
    }
    sqlite3_finalize(s);
    nc_buffer_free(&sql);
    return code;
}

// ---- series -------------------------------------------------------------------------------------------------

// The mean of points of equal x, which are neighbours; how many there are.
static int take_mean(const point *points, int count, double *x, double *y)
{
    int n = 0;
    double sum = 0;
    for (; n < count && points[n].x == points[0].x; n++)
        sum += points[n].y;
    *x = points[0].x;
    *y = sum / n;
    return n;
}

static nc_code add_series(drawing *d, int first, int end)
{
    const int s = d->chart.count, count = end - first;
    if (s == NC_CHART_SERIES_MAX)
        return nc_fail(d->err, NC_BAD_ARGUMENT, "'%s' has more than %d values: too many lines for one chart",
                       d->what.by, NC_CHART_SERIES_MAX);
    d->x[s] = calloc((size_t)count, sizeof(double));
    d->y[s] = calloc((size_t)count, sizeof(double));
    if (d->x[s] == NULL || d->y[s] == NULL)
        return nc_fail_memory(d->err, (size_t)count * sizeof(double));
    int used = 0;
    for (int i = first; i < end; used++)
        i += d->what.mean ? take_mean(&d->points[i], end - i, &d->x[s][used], &d->y[s][used])
                          : take_mean(&d->points[i], 1, &d->x[s][used], &d->y[s][used]);
    if (d->what.by != NULL)
        snprintf(d->labels[s], sizeof d->labels[s], "%.60s = %.200s", d->what.by, d->points[first].by);
    else
        snprintf(d->labels[s], sizeof d->labels[s], "%s%.120s", d->what.mean ? "mean " : "", d->what.y);
    d->chart.series[s] = (nc_chart_series){d->labels[s], d->x[s], d->y[s], used};
    d->chart.count++;
    return NC_OK;
}

static nc_code split(drawing *d)
{
    nc_code code = NC_OK;
    for (int first = 0, end; first < d->count && code == NC_OK; first = end) {
        end = first + 1;
        while (end < d->count && strcmp(d->points[end].by, d->points[first].by) == 0)
            end++;
        code = add_series(d, first, end);
    }
    return code;
}

static nc_code save(drawing *d)
{
    const char *path = d->what.path, *slash = strrchr(path, '/');
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%.*s", slash != NULL ? (int)(slash - path) : 1, slash != NULL ? path : ".");
    return nc_chart_save(&d->chart, folder[0] != '\0' ? folder : "/", slash != NULL ? slash + 1 : path, d->err);
}

nc_code nc_study_draw(nc_study *study, const nc_study_plot *plot, int *out_points, nc_error *err)
{
    drawing *d = calloc(1, sizeof *d);
    if (d == NULL)
        return nc_fail_memory(err, sizeof *d);
    *d = (drawing){.study = study, .what = *plot, .err = err};
    nc_code code = choose(d);
    d->chart = (nc_chart){.title = study->title, .x_title = d->what.x, .y_title = d->what.y, .dots = !plot->mean};
    if (code == NC_OK)
        code = read_points(d);
    if (code == NC_OK && d->count == 0)
        code = nc_fail(err, NC_NOT_FOUND, "no run has a value of '%s' yet", d->what.y);
    if (code == NC_OK)
        code = split(d);
    if (code == NC_OK)
        code = save(d);
    *out_points = d->count;
    for (int i = 0; i < NC_CHART_SERIES_MAX; i++) {
        free(d->x[i]);
        free(d->y[i]);
    }
    free(d->points);
    free(d);
    return code;
}
