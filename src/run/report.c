// Reports: one row of energies, momenta, counts and times for the steps of a frame, in a table of the run file for each
// table of rows that the model fills (nacre/report.def, nacre/cloth_report.def).
#include "run/run.h"

#include <math.h>
#include <string.h>

// The tables of the file, in the order of nc_report_table_of.
static const struct {
    nc_sql insert, select;
    const char *what;
    bool has_steps; // their number stands behind the frame's
} tables[NC_REPORT_TABLES] = {
    {NC_SQL_INSERT_REPORT, NC_SQL_SELECT_REPORT, "report of frame", true},
    {NC_SQL_INSERT_CLOTH, NC_SQL_SELECT_CLOTH, "report of cloth of frame", false},
};

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

static nc_code write_row(nc_run *run, int table, int64_t frame, int steps, const nc_model_report *report, nc_error *err)
{
    nc_row row;
    const nc_report_table rows = nc_report_table_of(table);
    const nc_code code = nc_row_open(run, tables[table].insert, &row, err);
    if (code != NC_OK)
        return code;
    nc_row_put_int(&row, frame);
    if (tables[table].has_steps)
        nc_row_put_int(&row, steps);
    for (int k = 0; k < rows.count; k++)
        put_field(&row, nc_report_part(report, table), &rows.rows[k]);
    return nc_row_write(&row, "storing a report", err);
}

nc_code nc_run_write_report(nc_run *run, nc_model model, int64_t frame, const nc_model_report *reports,
                            int report_count, nc_error *err)
{
    nc_model_report sum;
    nc_code code = NC_OK;
    if (report_count == 0)
        code = nc_model_measure(model, &sum, err);
    else
        sum = reports[0];
    for (int i = 1; i < report_count; i++)
        nc_model_report_add(&sum, &reports[i]);
    for (int i = 0; i < nc_report_table_count(model.kind->has_cloth) && code == NC_OK; i++)
        code = write_row(run, i, frame, report_count, &sum, err);
    return code;
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

static nc_code read_row(nc_run *run, int table, int64_t frame, nc_model_report *out, nc_error *err)
{
    nc_row row;
    bool found;
    const nc_report_table rows = nc_report_table_of(table);
    nc_code code = nc_row_open(run, tables[table].select, &row, err);
    if (code != NC_OK)
        return code;
    nc_row_bind(&row, frame);
    code = nc_row_next(&row, &found, "reading a report", err);
    if (code != NC_OK)
        return code;
    if (!found)
        return nc_fail_at(err, NC_NOT_FOUND, run->path, 0, 0, "it has no %s %lld", tables[table].what,
                          (long long)frame);
    (void)nc_row_take_int(&row);
    if (tables[table].has_steps)
        (void)nc_row_take_int(&row);
    for (int k = 0; k < rows.count; k++)
        take_field(&row, nc_report_part_to_fill(out, table), &rows.rows[k]);
    code = nc_row_check(&row, tables[table].what, frame, err);
    nc_row_close(&row);
    return code;
}

nc_code nc_run_read_report(nc_run *run, int64_t frame, nc_model_report *out, nc_error *err)
{
    memset(out, 0, sizeof *out);
    out->has_cloth = nc_run_kind(run)->has_cloth;
    nc_code code = NC_OK;
    for (int i = 0; i < nc_report_table_count(out->has_cloth) && code == NC_OK; i++)
        code = read_row(run, i, frame, out, err);
    nc_model_report_share(out);
    return code;
}
