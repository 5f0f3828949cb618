// The columns of a run's reports by name: the rows of nacre/report.def and nacre/cloth_report.def.
#include "reel/columns.h"

#include "acm/acm.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

const nc_column *nc_cloth_column_list(int *out_count)
{
    return nc_acm_report_rows(out_count);
}

const nc_column *nc_column_list(int *out_count)
{
    return nc_report_rows(out_count);
}

static const nc_column *find(const nc_column *list, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return &list[i];
    return NULL;
}

const nc_column *nc_column_find(const char *name)
{
    int count;
    const nc_column *list = nc_column_list(&count), *found = find(list, count, name);
    if (found != NULL)
        return found;
    list = nc_cloth_column_list(&count);
    return find(list, count, name);
}

bool nc_column_is_cloth(const nc_column *column)
{
    int count;
    const nc_column *list = nc_cloth_column_list(&count);
    for (int i = 0; i < count; i++)
        if (column == &list[i])
            return true;
    return false;
}

bool nc_column_is_sum(const nc_column *column)
{
    return column->rule == NC_FIELD_SUM;
}

const char *nc_column_unit(const nc_column *column)
{
    return strcmp(column->unit, "1") == 0 ? "" : column->unit;
}

double nc_column_value(const nc_column *column, const void *report)
{
    const double value = nc_field_value(column, report);
    return isfinite(value) ? value : NAN;
}
