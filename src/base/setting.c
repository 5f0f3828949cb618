// Settings by description: reading, writing and checking fields of a struct.
#include "base/base.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(nc_setting_kind) == sizeof(int), "enumerations are read and written as int");

int nc_setting_parts(const nc_setting *row)
{
    return row->kind == NC_SETTING_VECTOR ? 3 : 1;
}

bool nc_setting_is_whole(const nc_setting *row)
{
    return row->kind == NC_SETTING_WHOLE || row->kind == NC_SETTING_FLAG || row->kind == NC_SETTING_CHOICE;
}

double nc_setting_value(const nc_setting *row, const void *settings, int k)
{
    const unsigned char *field = (const unsigned char *)settings + row->offset;
    if (row->kind == NC_SETTING_FLAG)
        return *(const bool *)field;
    if (row->kind == NC_SETTING_WHOLE || row->kind == NC_SETTING_CHOICE) {
        int whole;
        memcpy(&whole, field, sizeof whole);
        return whole;
    }
    double real;
    memcpy(&real, field + (size_t)k * sizeof real, sizeof real);
    return real;
}

void nc_setting_write(const nc_setting *row, void *settings, int k, double value)
{
    unsigned char *field = (unsigned char *)settings + row->offset;
    if (row->kind == NC_SETTING_FLAG) {
        *(bool *)field = value != 0;
    } else if (row->kind == NC_SETTING_WHOLE || row->kind == NC_SETTING_CHOICE) {
        const int whole = (int)value;
        memcpy(field, &whole, sizeof whole);
    } else {
        memcpy(field + (size_t)k * sizeof value, &value, sizeof value);
    }
}

// False for NaN.
static bool in_range(const nc_setting *row, double value)
{
    if (row->kind == NC_SETTING_AUTO && value < 0 && isfinite(value))
        return true;
    return (row->kind == NC_SETTING_ABOVE ? value > row->low : value >= row->low) && value <= row->high;
}

static nc_code fail_range(const nc_setting *row, double value, nc_error *err)
{
    char range[96];
    snprintf(range, sizeof range, "%c%.9g, %.9g]", row->kind == NC_SETTING_ABOVE ? '(' : '[', row->low, row->high);
    if (row->kind == NC_SETTING_CHOICE)
        return nc_fail(err, NC_BAD_ARGUMENT, "%s is %g; it must be one of its enumeration's values, 0 to %g", row->name,
                       value, row->high);
    return nc_fail(err, NC_BAD_ARGUMENT, "%s is %g; it must lie in %s%s", row->name, value, range,
                   row->kind == NC_SETTING_AUTO ? ", or be negative to be derived" : "");
}

nc_code nc_settings_check(const nc_setting *rows, int count, const void *settings, nc_error *err)
{
    for (int i = 0; i < count; i++)
        for (int k = 0; k < nc_setting_parts(&rows[i]); k++) {
            const double value = nc_setting_value(&rows[i], settings, k);
            if (!in_range(&rows[i], value))
                return fail_range(&rows[i], value, err);
        }
    return NC_OK;
}
