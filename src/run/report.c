// Reports: one row of energies, momenta, counts and times for the steps of a frame, by the list NC_REPORT_FIELDS.
#include "run/run.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define FIELD(column, field_, kind_, rule_) {offsetof(nc_step_report, field_), NC_FIELD_##kind_, NC_FIELD_##rule_},

static const nc_report_field fields[] = {NC_REPORT_FIELDS(FIELD)};
enum { FIELD_COUNT = (int)(sizeof fields / sizeof fields[0]) };

static void *at(void *report, const nc_report_field *f)
{
    return (unsigned char *)report + f->offset;
}

static const void *at_const(const void *report, const nc_report_field *f)
{
    return (const unsigned char *)report + f->offset;
}

static int64_t whole_of(const void *report, const nc_report_field *f)
{
    const void *value = at_const(report, f);
    return f->kind == NC_FIELD_WHOLE ? *(const int *)value : *(const int64_t *)value;
}

static void set_whole(void *report, const nc_report_field *f, int64_t value)
{
    if (f->kind == NC_FIELD_WHOLE)
        *(int *)at(report, f) = value > INT_MAX ? INT_MAX : value < INT_MIN ? INT_MIN : (int)value;
    else
        *(int64_t *)at(report, f) = value;
}

static double real_of(const void *report, const nc_report_field *f)
{
    return *(const double *)at_const(report, f);
}

static bool is_whole(const nc_report_field *f)
{
    return f->kind == NC_FIELD_WHOLE || f->kind == NC_FIELD_LONG;
}

// ---- writing ------------------------------------------------------------------------------------------------

// Adds the next step to a field that is a sum, an extreme or the last.
static void add_field(void *sum, const void *next, const nc_report_field *f)
{
    const bool whole = is_whole(f);
    if (f->rule == NC_FIELD_LEAST)
        *(double *)at(sum, f) = fmin(real_of(sum, f), real_of(next, f));
    else if (f->rule == NC_FIELD_MOST && whole)
        set_whole(sum, f, whole_of(sum, f) > whole_of(next, f) ? whole_of(sum, f) : whole_of(next, f));
    else if (f->rule == NC_FIELD_MOST)
        *(double *)at(sum, f) = fmax(real_of(sum, f), real_of(next, f));
    else if (f->rule == NC_FIELD_SUM && whole)
        set_whole(sum, f, whole_of(sum, f) + whole_of(next, f));
    else if (f->rule == NC_FIELD_SUM)
        *(double *)at(sum, f) += real_of(next, f);
    else if (f->rule == NC_FIELD_LAST && whole)
        set_whole(sum, f, whole_of(next, f));
    else if (f->rule == NC_FIELD_LAST)
        *(double *)at(sum, f) = real_of(next, f);
}

void nc_report_add(const nc_report_field *list, int count, void *sum, const void *next)
{
    for (int k = 0; k < count; k++) {
        if (k + 1 < count && list[k + 1].rule == NC_FIELD_WITH && real_of(next, &list[k]) > real_of(sum, &list[k]))
            set_whole(sum, &list[k + 1], whole_of(next, &list[k + 1]));
        add_field(sum, next, &list[k]);
    }
}

static void put_field(nc_row *row, const void *report, const nc_report_field *f)
{
    if (is_whole(f)) {
        nc_row_put_int(row, whole_of(report, f));
        return;
    }
    const double value = real_of(report, f);
    nc_row_put_real(row, f->kind == NC_FIELD_FAR && isinf(value) ? (double)NAN : value);
}

void nc_report_put(nc_row *row, const nc_report_field *list, int count, const void *report)
{
    for (int k = 0; k < count; k++)
        put_field(row, report, &list[k]);
}

nc_code nc_run_write_report_row(nc_run *run, int64_t frame, int steps, const nc_step_report *report, nc_error *err)
{
    nc_row row;
    const nc_code code = nc_row_open(run, NC_SQL_INSERT_REPORT, &row, err);
    if (code != NC_OK)
        return code;
    nc_row_put_int(&row, frame);
    nc_row_put_int(&row, steps);
    nc_report_put(&row, fields, FIELD_COUNT, report);
    return nc_row_write(&row, "storing a report", err);
}

nc_code nc_run_write_report(nc_run *run, const nc_world *world, int64_t frame, const nc_step_report *reports,
                            int report_count, nc_error *err)
{
    nc_step_report report;
    if (report_count == 0) {
        const nc_code code = nc_world_measure(world, &report, err);
        return code == NC_OK ? nc_run_write_report_row(run, frame, 0, &report, err) : code;
    }
    report = reports[0];
    for (int i = 1; i < report_count; i++)
        nc_report_add(fields, FIELD_COUNT, &report, &reports[i]);
    return nc_run_write_report_row(run, frame, report_count, &report, err);
}

// ---- reading ------------------------------------------------------------------------------------------------

static void take_field(nc_row *row, void *report, const nc_report_field *f)
{
    if (is_whole(f)) {
        set_whole(report, f, nc_row_take_int(row));
        return;
    }
    const double value = nc_row_take_real(row);
    *(double *)at(report, f) = f->kind == NC_FIELD_FAR && isnan(value) ? (double)INFINITY : value;
}

void nc_report_take(nc_row *row, const nc_report_field *list, int count, void *report)
{
    for (int k = 0; k < count; k++)
        take_field(row, report, &list[k]);
}

nc_code nc_run_read_report(nc_run *run, int64_t frame, nc_step_report *out, nc_error *err)
{
    nc_row row;
    bool found;
    nc_code code = nc_row_open(run, NC_SQL_SELECT_REPORT, &row, err);
    if (code != NC_OK)
        return code;
    nc_row_bind(&row, frame);
    code = nc_row_next(&row, &found, "reading a report", err);
    if (code != NC_OK)
        return code;
    if (!found)
        return nc_fail_at(err, NC_NOT_FOUND, run->path, 0, 0, "it has no report of frame %lld", (long long)frame);
    memset(out, 0, sizeof *out);
    (void)nc_row_take_int(&row);
    (void)nc_row_take_int(&row);
    nc_report_take(&row, fields, FIELD_COUNT, out);
    code = nc_row_check(&row, "report", frame, err);
    nc_row_close(&row);
    return code;
}
