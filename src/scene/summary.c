// What the reports of a run come to, by the rows of nacre/report.def and nacre/cloth_report.def.
#include "scene/scene.h"

#include "acm/acm.h"
#include "world/world.h"

// Where the rows' fields are in nc_run_summary, in their order.
static const size_t places[] = {
#define NC_REPORT(column, ...) offsetof(nc_run_summary, column),
#include "nacre/report.def"
};
static const size_t cloth_places[] = {
#define NC_CLOTH_REPORT(column, ...) offsetof(nc_run_summary, column),
#include "nacre/cloth_report.def"
};

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

nc_run_summary nc_run_summary_start(const nc_step_report *start)
{
    nc_run_summary summary = {.intersecting_pairs = -1};
    int count;
    const nc_report_field *rows = nc_report_rows(&count);
    for (int i = 0; i < count; i++) {
        const nc_report_field field = in_summary(&rows[i], places[i]);
        if (rows[i].rule == NC_FIELD_LAST)
            copy(&field, &summary, &rows[i], start);
        else if (rows[i].rule == NC_FIELD_LEAST)
            set_unknown(&field, &summary);
    }
    rows = nc_acm_report_rows(&count);
    for (int i = 0; i < count; i++) {
        const nc_report_field field = in_summary(&rows[i], cloth_places[i]);
        if (rows[i].rule == NC_FIELD_LEAST)
            set_unknown(&field, &summary);
    }
    summary.kinetic_start = start->kinetic;
    summary.potential_start = start->potential;
    return summary;
}

void nc_run_summary_add(nc_run_summary *summary, const nc_step_report *report)
{
    int count;
    const nc_report_field *rows = nc_report_rows(&count);
    const bool first = summary->reports++ == 0;
    for (int i = 0; i < count; i++)
        add_row(summary, &rows[i], &places[i], i + 1 < count, first, report);
}

void nc_run_summary_add_cloth(nc_run_summary *summary, const nc_cloth_report *report)
{
    int count;
    const nc_report_field *rows = nc_acm_report_rows(&count);
    for (int i = 0; i < count; i++)
        add_row(summary, &rows[i], &cloth_places[i], i + 1 < count, false, report);
}

nc_report_field nc_run_summary_field(int row)
{
    int count;
    const nc_report_field *rows = nc_report_rows(&count);
    if (row < count)
        return in_summary(&rows[row], places[row]);
    row -= count;
    rows = nc_acm_report_rows(&count);
    return row < count ? in_summary(&rows[row], cloth_places[row]) : (nc_report_field){.name = NULL};
}
