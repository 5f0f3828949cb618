// Reports by description: reading and writing fields, and what several steps come to.
#include "base/base.h"

#include <limits.h>
#include <math.h>
#include <string.h>

bool nc_field_is_whole(const nc_report_field *field)
{
    return field->kind == NC_FIELD_WHOLE || field->kind == NC_FIELD_LONG;
}

int64_t nc_field_whole(const nc_report_field *field, const void *report)
{
    const unsigned char *at = (const unsigned char *)report + field->offset;
    int whole;
    int64_t longer;
    if (field->kind == NC_FIELD_WHOLE) {
        memcpy(&whole, at, sizeof whole);
        return whole;
    }
    memcpy(&longer, at, sizeof longer);
    return longer;
}

double nc_field_value(const nc_report_field *field, const void *report)
{
    if (nc_field_is_whole(field))
        return (double)nc_field_whole(field, report);
    double value;
    memcpy(&value, (const unsigned char *)report + field->offset, sizeof value);
    return value;
}

void nc_field_set(const nc_report_field *field, void *report, double value)
{
    memcpy((unsigned char *)report + field->offset, &value, sizeof value);
}

void nc_field_set_whole(const nc_report_field *field, void *report, int64_t value)
{
    unsigned char *at = (unsigned char *)report + field->offset;
    const int whole = value > INT_MAX ? INT_MAX : value < INT_MIN ? INT_MIN : (int)value;
    if (field->kind == NC_FIELD_WHOLE)
        memcpy(at, &whole, sizeof whole);
    else
        memcpy(at, &value, sizeof value);
}

static void add_whole(const nc_report_field *f, void *sum, int64_t before, int64_t next)
{
    if (f->rule == NC_FIELD_SUM)
        nc_field_set_whole(f, sum, before + next);
    else if (f->rule == NC_FIELD_LAST || (f->rule == NC_FIELD_MOST && next > before) ||
             (f->rule == NC_FIELD_LEAST && next < before))
        nc_field_set_whole(f, sum, next);
}

static void add_real(const nc_report_field *f, void *sum, double before, double next)
{
    if (f->rule == NC_FIELD_SUM)
        nc_field_set(f, sum, before + next);
    else if (f->rule == NC_FIELD_LAST)
        nc_field_set(f, sum, next);
    else if (f->rule == NC_FIELD_MOST)
        nc_field_set(f, sum, fmax(before, next));
    else if (f->rule == NC_FIELD_LEAST)
        nc_field_set(f, sum, fmin(before, next));
}

void nc_report_add(const nc_report_field *list, int count, void *sum, const void *next)
{
    for (int k = 0; k < count; k++) {
        const nc_report_field *f = &list[k];
        const double before = nc_field_value(f, sum), value = nc_field_value(f, next);
        if (k + 1 < count && f[1].rule == NC_FIELD_WITH && value > before)
            nc_field_set_whole(&f[1], sum, nc_field_whole(&f[1], next));
        if (nc_field_is_whole(f))
            add_whole(f, sum, nc_field_whole(f, sum), nc_field_whole(f, next));
        else
            add_real(f, sum, before, value);
    }
}
