// Reports: one row of energies, momenta, counts and times for the steps of a frame, by the rows of nacre/report.def.
#include "run/run.h"

#include "world/world.h"

#include <math.h>
#include <string.h>

// ---- writing ------------------------------------------------------------------------------------------------

static void put_field(nc_row *row, const void *report, const nc_report_field *f)
{
    if (nc_field_is_whole(f)) {
        nc_row_put_int(row, nc_field_whole(f, report));
        return;
    }
    const double value = nc_field_value(f, report);
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
    int count;
    const nc_report_field *fields = nc_report_rows(&count);
    const nc_code code = nc_row_open(run, NC_SQL_INSERT_REPORT, &row, err);
    if (code != NC_OK)
        return code;
    nc_row_put_int(&row, frame);
    nc_row_put_int(&row, steps);
    nc_report_put(&row, fields, count, report);
    return nc_row_write(&row, "storing a report", err);
}

nc_code nc_run_write_report(nc_run *run, const nc_world *world, int64_t frame, const nc_step_report *reports,
                            int report_count, nc_error *err)
{
    nc_step_report report;
    int count;
    const nc_report_field *fields = nc_report_rows(&count);
    if (report_count == 0) {
        const nc_code code = nc_world_measure(world, &report, err);
        return code == NC_OK ? nc_run_write_report_row(run, frame, 0, &report, err) : code;
    }
    report = reports[0];
    for (int i = 1; i < report_count; i++)
        nc_report_add(fields, count, &report, &reports[i]);
    return nc_run_write_report_row(run, frame, report_count, &report, err);
}

// ---- reading ------------------------------------------------------------------------------------------------

static void take_field(nc_row *row, void *report, const nc_report_field *f)
{
    if (nc_field_is_whole(f)) {
        nc_field_set_whole(f, report, nc_row_take_int(row));
        return;
    }
    const double value = nc_row_take_real(row);
    nc_field_set(f, report, f->kind == NC_FIELD_FAR && isnan(value) ? (double)INFINITY : value);
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
    int count;
    const nc_report_field *fields = nc_report_rows(&count);
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
    nc_report_take(&row, fields, count, out);
    code = nc_row_check(&row, "report", frame, err);
    nc_row_close(&row);
    return code;
}
