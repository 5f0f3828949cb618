// The columns of a run's reports by name.
#include "reel/columns.h"

#include "run/run.h"

#include <math.h>
#include <string.h>

#define KIND_WHOLE NC_COLUMN_WHOLE
#define KIND_LONG  NC_COLUMN_LONG
#define KIND_REAL  NC_COLUMN_REAL
#define KIND_FAR   NC_COLUMN_FAR
#define IS_SUM     true
#define IS_FIRST   false
#define IS_LAST    false
#define IS_LEAST   false
#define IS_MOST    false
#define IS_WITH    false

enum {
#define COUNT(column, field, kind, rule) INDEX_##column,
    NC_REPORT_FIELDS(COUNT)
#undef COUNT
        COLUMN_COUNT
};

// Units by column; the rest are counts.
#define JOULE           "J"
#define SECONDS         "s"
#define METRES          "m"
#define MOMENTUM        "kg m/s"
#define ANGULAR         "kg m²/s"
#define IMPULSE         "N s"
#define METRES_A_SECOND "m/s"
static const char *const units[COLUMN_COUNT] = {
    [INDEX_time] = SECONDS,
    [INDEX_dt] = SECONDS,
    [INDEX_seconds_total] = SECONDS,
    [INDEX_seconds_collide] = SECONDS,
    [INDEX_seconds_predict] = SECONDS,
    [INDEX_seconds_separate] = SECONDS,
    [INDEX_seconds_settle] = SECONDS,
    [INDEX_seconds_commit] = SECONDS,
    [INDEX_seconds_respond] = SECONDS,
    [INDEX_seconds_contact] = SECONDS,
    [INDEX_seconds_solve] = SECONDS,
    [INDEX_seconds_fracture] = SECONDS,
    [INDEX_kinetic] = JOULE,
    [INDEX_potential] = JOULE,
    [INDEX_kinetic_before] = JOULE,
    [INDEX_kinetic_collided] = JOULE,
    [INDEX_kinetic_moved] = JOULE,
    [INDEX_potential_before] = JOULE,
    [INDEX_force_work] = JOULE,
    [INDEX_position_energy] = JOULE,
    [INDEX_kinematic_work] = JOULE,
    [INDEX_turn_loss] = JOULE,
    [INDEX_fracture_energy] = JOULE,
    [INDEX_momentum_x] = MOMENTUM,
    [INDEX_momentum_y] = MOMENTUM,
    [INDEX_momentum_z] = MOMENTUM,
    [INDEX_angular_momentum_x] = ANGULAR,
    [INDEX_angular_momentum_y] = ANGULAR,
    [INDEX_angular_momentum_z] = ANGULAR,
    [INDEX_support_x] = IMPULSE,
    [INDEX_support_y] = IMPULSE,
    [INDEX_support_z] = IMPULSE,
    [INDEX_smallest_distance] = METRES,
    [INDEX_residual] = METRES_A_SECOND,
    [INDEX_wanted_motion] = METRES,
    [INDEX_kept_motion] = METRES,
    [INDEX_depth] = METRES,
    [INDEX_velocity_error] = METRES_A_SECOND,
};

static const nc_column columns[COLUMN_COUNT] = {
#define ROW(column, field, kind, rule) {#column, offsetof(nc_step_report, field), KIND_##kind, IS_##rule, false},
    NC_REPORT_FIELDS(ROW)
#undef ROW
};

static const nc_column cloth_columns[] = {
#define ROW(column, field, kind, rule) {#column, offsetof(nc_cloth_report, field), KIND_##kind, IS_##rule, true},
    NC_CLOTH_FIELDS(ROW)
#undef ROW
};
#define CLOTH_COUNT ((int)(sizeof cloth_columns / sizeof *cloth_columns))

const nc_column *nc_cloth_column_list(int *out_count)
{
    *out_count = CLOTH_COUNT;
    return cloth_columns;
}

const nc_column *nc_column_list(int *out_count)
{
    *out_count = COLUMN_COUNT;
    return columns;
}

const nc_column *nc_column_find(const char *name)
{
    for (int i = 0; i < COLUMN_COUNT; i++)
        if (strcmp(columns[i].name, name) == 0)
            return &columns[i];
    for (int i = 0; i < CLOTH_COUNT; i++)
        if (strcmp(cloth_columns[i].name, name) == 0)
            return &cloth_columns[i];
    return NULL;
}

// By what their names say.
static const char *cloth_unit(const char *name)
{
    static const struct {
        const char *part, *unit;
    } rules[] = {{"_energy", JOULE},
                 {"seconds_", SECONDS},
                 {"step_", SECONDS},
                 {"smallest_step", SECONDS},
                 {"_distance", METRES}};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (strstr(name, rules[i].part) != NULL)
            return rules[i].unit;
    return "";
}

const char *nc_column_unit(const nc_column *column)
{
    if (column->cloth)
        return cloth_unit(column->name);
    const char *unit = units[column - columns];
    return unit != NULL ? unit : "";
}

double nc_column_value(const nc_column *column, const void *report)
{
    const void *field = (const char *)report + column->offset;
    if (column->kind == NC_COLUMN_WHOLE)
        return *(const int *)field;
    if (column->kind == NC_COLUMN_LONG)
        return (double)*(const int64_t *)field;
    const double value = *(const double *)field;
    return isfinite(value) ? value : NAN;
}
