// The rows of nacre/cloth_report.def.
#include "cloth/cloth.h"

static const nc_report_field rows[] = {
#define NC_CLOTH_REPORT(column, field, kind, rule, use, unit, about)                                                   \
    {#column, unit, about, offsetof(nc_cloth_report, field), NC_FIELD_##kind, NC_FIELD_##rule, NC_FIELD_##use},
#include "nacre/cloth_report.def"
};

const nc_report_field *nc_cloth_report_rows(int *out_count)
{
    *out_count = (int)(sizeof rows / sizeof rows[0]);
    return rows;
}
