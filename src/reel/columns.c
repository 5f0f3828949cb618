// The columns of a run's reports by name: the rows of nacre/report.def and nacre/cloth_report.def.
#include "reel/columns.h"

#include "model/model.h"

#include <math.h>
#include <string.h>

const nc_column *nc_column_at(int index, bool has_cloth)
{
    for (int k = 0; k < nc_report_table_count(has_cloth); k++) {
        const nc_report_table table = nc_report_table_of(k);
        if (index < table.count)
            return table.rows + index;
        index -= table.count;
    }
    return NULL;
}

const nc_column *nc_column_find(const char *name)
{
    const nc_column *column;
    for (int i = 0; (column = nc_column_at(i, true)) != NULL; i++)
        if (strcmp(column->name, name) == 0)
            break;
    return column;
}

static int table_of(const nc_column *column)
{
    const nc_report_table table = nc_report_table_of(0);
    const uintptr_t at = (uintptr_t)column, begin = (uintptr_t)table.rows;
    return at >= begin && at < begin + (size_t)table.count * sizeof *table.rows ? 0 : 1;
}

bool nc_column_is_cloth(const nc_column *column)
{
    return table_of(column) == 1;
}

bool nc_column_is_sum(const nc_column *column)
{
    return column->rule == NC_FIELD_SUM;
}

const char *nc_column_unit(const nc_column *column)
{
    return strcmp(column->unit, "1") == 0 ? "" : column->unit;
}

double nc_column_value(const nc_column *column, const nc_model_report *report)
{
    const double value = nc_field_value(column, nc_report_part(report, table_of(column)));
    return isfinite(value) ? value : NAN;
}
