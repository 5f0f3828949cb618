// What the reports of a run come to, by the rows of nacre/report.def and nacre/cloth_report.def.
#include "scene/scene.h"

#include "model/model.h"

#include <math.h>

// Where the rows' fields are in nc_run_summary, in their order, table after table.
static const size_t report_places[] = {
#define NC_REPORT(column, ...) offsetof(nc_run_summary, column),
#include "nacre/report.def"
};
static const size_t cloth_places[] = {
#define NC_CLOTH_REPORT(column, ...) offsetof(nc_run_summary, column),
#include "nacre/cloth_report.def"
};
static const size_t *const places[NC_REPORT_TABLES] = {report_places, cloth_places};

// Counts have more room in a summary than in a report.
static nc_report_field in_summary(const nc_report_field *row, size_t place)
{
    nc_report_field field = *row;
    field.offset = place;
    field.kind = nc_field_is_whole(row) ? NC_FIELD_LONG : row->kind;
    return field;
}

static void copy(const nc_report_field *to, nc_run_summary *summary, const nc_report_field *from, const void *report)
{
    if (nc_field_is_whole(from))
        nc_field_set_whole(to, summary, nc_field_whole(from, report));
    else
        nc_field_set(to, summary, nc_field_value(from, report));
}

// One row, and the next where that goes with it.
static void add_row(nc_run_summary *summary, const nc_report_field *row, const size_t *place, bool has_next, bool first,
                    const void *report)
{
    const nc_report_field field = in_summary(row, place[0]);
    const double before = nc_field_value(&field, summary), value = nc_field_value(row, report);
    if (has_next && row[1].rule == NC_FIELD_WITH && (first || value > before)) {
        const nc_report_field next = in_summary(&row[1], place[1]);
        copy(&next, summary, &row[1], report);
    }
    if (row->rule == NC_FIELD_WITH)
        return;
    const bool whole = nc_field_is_whole(row), unknown = row->rule == NC_FIELD_LEAST && before < 0;
    const bool fresh = first && (row->rule == NC_FIELD_FIRST || whole); // slots begin at -1
    const bool beyond = row->rule == NC_FIELD_MOST ? value > before : row->rule == NC_FIELD_LEAST && value < before;
    if (row->rule == NC_FIELD_SUM && whole)
        nc_field_set_whole(&field, summary, nc_field_whole(&field, summary) + nc_field_whole(row, report));
    else if (row->rule == NC_FIELD_SUM)
        nc_field_set(&field, summary, before + value);
    else if (row->rule == NC_FIELD_LAST || unknown || fresh || beyond)
        copy(&field, summary, row, report);
}

// -1: nothing was measured.
static void set_unknown(const nc_report_field *field, nc_run_summary *summary)
{
    if (nc_field_is_whole(field))
        nc_field_set_whole(field, summary, -1);
    else
        nc_field_set(field, summary, -1);
}

static void start_table(nc_run_summary *summary, int table, const nc_model_report *start)
{
    const nc_report_table rows = nc_report_table_of(table);
    for (int i = 0; i < rows.count; i++) {
        const nc_report_field field = in_summary(&rows.rows[i], places[table][i]);
        if (rows.rows[i].rule == NC_FIELD_LAST)
            copy(&field, summary, &rows.rows[i], nc_report_part(start, table));
        else if (rows.rows[i].rule == NC_FIELD_LEAST)
            set_unknown(&field, summary);
    }
}

nc_run_summary nc_run_summary_start(const nc_model_report *start)
{
    nc_run_summary summary = {.intersecting_pairs = -1,
                              .jam_time = NAN,
                              .has_cloth = start->has_cloth,
                              .kinetic_start = start->common.kinetic,
                              .potential_start = start->common.potential};
    for (int i = 0; i < NC_REPORT_TABLES; i++)
        start_table(&summary, i, start);
    return summary;
}

void nc_run_summary_add(nc_run_summary *summary, const nc_model_report *report)
{
    const bool first = summary->reports++ == 0;
    for (int k = 0; k < nc_report_table_count(report->has_cloth); k++) {
        const nc_report_table table = nc_report_table_of(k);
        for (int i = 0; i < table.count; i++)
            add_row(summary, &table.rows[i], &places[k][i], i + 1 < table.count, first, nc_report_part(report, k));
    }
}

nc_report_field nc_run_summary_field(int row, int *out_table)
{
    for (int k = 0; k < NC_REPORT_TABLES; k++) {
        const nc_report_table table = nc_report_table_of(k);
        if (out_table != NULL)
            *out_table = k;
        if (row < table.count)
            return in_summary(&table.rows[row], places[k][row]);
        row -= table.count;
    }
    return (nc_report_field){.name = NULL};
}
