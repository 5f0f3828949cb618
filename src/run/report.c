// Reports: one row of energies, momenta, counts and times for the steps of a frame, by the list NC_REPORT_FIELDS.
#include "run/run.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

typedef enum kind { WHOLE, LONG, REAL, FAR } kind;
typedef enum rule { FIRST, LAST, SUM, LEAST, MOST } rule;

typedef struct field {
    size_t offset; // in nc_step_report
    kind kind;
    rule rule;
} field;

#define FIELD(column, field_, kind_, rule_) {offsetof(nc_step_report, field_), kind_, rule_},

static const field fields[] = {NC_REPORT_FIELDS(FIELD)};
enum { FIELD_COUNT = (int)(sizeof fields / sizeof fields[0]) };

static void *at(nc_step_report *report, const field *f)
{
    return (unsigned char *)report + f->offset;
}

static const void *at_const(const nc_step_report *report, const field *f)
{
    return (const unsigned char *)report + f->offset;
}

static int64_t whole_of(const nc_step_report *report, const field *f)
{
    const void *value = at_const(report, f);
    return f->kind == WHOLE ? *(const int *)value : *(const int64_t *)value;
}

static void set_whole(nc_step_report *report, const field *f, int64_t value)
{
    if (f->kind == WHOLE)
        *(int *)at(report, f) = value > INT_MAX ? INT_MAX : value < INT_MIN ? INT_MIN : (int)value;
    else
        *(int64_t *)at(report, f) = value;
}

static double real_of(const nc_step_report *report, const field *f)
{
    return *(const double *)at_const(report, f);
}

static bool is_whole(const field *f)
{
    return f->kind == WHOLE || f->kind == LONG;
}

// ---- writing ------------------------------------------------------------------------------------------------

// Adds the next step to a field that is a sum or a minimum.
static void add_field(nc_step_report *sum, const nc_step_report *next, const field *f)
{
    if (f->rule == LEAST)
        *(double *)at(sum, f) = fmin(real_of(sum, f), real_of(next, f));
    else if (f->rule == MOST)
        *(double *)at(sum, f) = fmax(real_of(sum, f), real_of(next, f));
    else if (f->rule == SUM && is_whole(f))
        set_whole(sum, f, whole_of(sum, f) + whole_of(next, f));
    else if (f->rule == SUM)
        *(double *)at(sum, f) += real_of(next, f);
    else if (f->rule == LAST && is_whole(f))
        set_whole(sum, f, whole_of(next, f));
    else if (f->rule == LAST)
        *(double *)at(sum, f) = real_of(next, f);
}

static nc_step_report sum_of(const nc_step_report *reports, int count)
{
    nc_step_report sum = reports[0];
    for (int i = 1; i < count; i++)
        for (int k = 0; k < FIELD_COUNT; k++)
            add_field(&sum, &reports[i], &fields[k]);
    return sum;
}

static void put_field(nc_row *row, const nc_step_report *report, const field *f)
{
    if (is_whole(f)) {
        nc_row_put_int(row, whole_of(report, f));
        return;
    }
    const double value = real_of(report, f);
    nc_row_put_real(row, f->kind == FAR && isinf(value) ? (double)NAN : value);
}

nc_code nc_run_write_report(nc_run *run, const nc_world *world, int64_t frame, const nc_step_report *reports,
                            int report_count, nc_error *err)
{
    nc_step_report report;
    nc_row row;
    nc_code code = NC_OK;
    if (report_count > 0)
        report = sum_of(reports, report_count);
    else
        code = nc_world_measure(world, &report, err);
    if (code == NC_OK)
        code = nc_row_open(run, NC_SQL_INSERT_REPORT, &row, err);
    if (code != NC_OK)
        return code;
    nc_row_put_int(&row, frame);
    nc_row_put_int(&row, report_count);
    for (int k = 0; k < FIELD_COUNT; k++)
        put_field(&row, &report, &fields[k]);
    return nc_row_write(&row, "storing a report", err);
}

// ---- reading ------------------------------------------------------------------------------------------------

static void take_field(nc_row *row, nc_step_report *report, const field *f)
{
    if (is_whole(f)) {
        set_whole(report, f, nc_row_take_int(row));
        return;
    }
    const double value = nc_row_take_real(row);
    *(double *)at(report, f) = f->kind == FAR && isnan(value) ? (double)INFINITY : value;
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
    for (int k = 0; k < FIELD_COUNT; k++)
        take_field(&row, out, &fields[k]);
    code = nc_row_check(&row, "report", frame, err);
    nc_row_close(&row);
    return code;
}
