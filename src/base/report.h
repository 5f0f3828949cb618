// A reported number, described: what run files, expectations, summaries, exports, plots and documentation iterate over.
// The rows are in nacre/report.def and nacre/cloth_report.def, which explain the columns.
#ifndef NC_BASE_REPORT_H
#define NC_BASE_REPORT_H

#include "nacre/base.h"

typedef enum nc_field_kind { NC_FIELD_WHOLE, NC_FIELD_LONG, NC_FIELD_REAL, NC_FIELD_FAR } nc_field_kind;
typedef enum nc_field_rule {
    NC_FIELD_FIRST,
    NC_FIELD_LAST,
    NC_FIELD_SUM,
    NC_FIELD_LEAST,
    NC_FIELD_MOST,
    NC_FIELD_WITH,
    NC_FIELD_RULES
} nc_field_rule;
typedef enum nc_field_use { NC_FIELD_STORED, NC_FIELD_JUDGED, NC_FIELD_SUMMARY } nc_field_use;

typedef struct nc_report_field {
    const char *name, *unit, *about;
    size_t offset; // in the report
    nc_field_kind kind;
    nc_field_rule rule;
    nc_field_use use;
} nc_report_field;

// Not a double.
bool nc_field_is_whole(const nc_report_field *field);
// The field of `report`, which is the struct that the row describes. nc_field_whole is of fields that are whole.
double nc_field_value(const nc_report_field *field, const void *report);
int64_t nc_field_whole(const nc_report_field *field, const void *report);
// Writes it; a whole number is held to what the field has room for.
void nc_field_set(const nc_report_field *field, void *report, double value);
void nc_field_set_whole(const nc_report_field *field, void *report, int64_t value);
// Adds the next step's report to a sum by the rules of the fields.
void nc_report_add(const nc_report_field *list, int count, void *sum, const void *next);

#endif
