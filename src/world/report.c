// The rows of nacre/report.def.
#include "world/world.h"

static const nc_report_field rows[] = {
#define NC_REPORT(column, field, kind, rule, use, unit, about)                                                         \
    {#column, unit, about, offsetof(nc_step_report, field), NC_FIELD_##kind, NC_FIELD_##rule, NC_FIELD_##use},
#include "nacre/report.def"
};

const nc_report_field *nc_report_rows(int *out_count)
{
    *out_count = (int)(sizeof rows / sizeof rows[0]);
    return rows;
}
