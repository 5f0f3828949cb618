// A setting, described: what checks, snapshots and `nacre info` iterate over. The rows are in nacre/settings.def and
// nacre/cloth_settings.def, which explain the columns.
#ifndef NC_BASE_SETTING_H
#define NC_BASE_SETTING_H

#include "nacre/vec.h"

typedef enum nc_setting_kind {
    NC_SETTING_REAL,   // double
    NC_SETTING_ABOVE,  // double, `low` itself is not allowed
    NC_SETTING_AUTO,   // double, negative: derived from others
    NC_SETTING_WHOLE,  // int
    NC_SETTING_FLAG,   // bool
    NC_SETTING_CHOICE, // an enumeration
    NC_SETTING_VECTOR  // nc_vec3
} nc_setting_kind;

// Pipelines, as a set: bit k is the k-th of nc_pipeline_names.
enum {
    NC_READ_BY_SHELL = 1,
    NC_READ_BY_VSP = 2,
    NC_READ_BY_ISP = 4,
    NC_READ_BY_ACM = 8,
    NC_READ_BY_STACKS = NC_READ_BY_VSP | NC_READ_BY_ISP,
    NC_READ_BY_RIGID = NC_READ_BY_SHELL | NC_READ_BY_STACKS,
    NC_READ_BY_ALL = NC_READ_BY_RIGID | NC_READ_BY_ACM
};

typedef struct nc_setting {
    const char *name; // "friction", "vsp.weight"
    const char *unit;
    const char *about;
    const char *const *choices; // of a CHOICE
    size_t offset;              // in the struct of settings
    double low, high;           // allowed, ends included
    nc_setting_kind kind;
    unsigned pipelines;   // NC_READ_BY_... that read it
    bool derived;         // a scene that does not give it works it out
    bool changes_results; // false: the same bits with any value
} nc_setting;

// The field of `settings`, which is the struct that the row describes, as a number: of a FLAG 0 or 1, of a CHOICE its
// index, of a VECTOR its component `k` (0 for all others).
double nc_setting_value(const nc_setting *row, const void *settings, int k);
// The other way round. `value` is one that the field can hold.
void nc_setting_write(const nc_setting *row, void *settings, int k, double value);
// 3 for a VECTOR, else 1.
int nc_setting_parts(const nc_setting *row);
// Not a double.
bool nc_setting_is_whole(const nc_setting *row);
// NC_BAD_ARGUMENT, with a sentence that names the first field that is out of range.
nc_code nc_settings_check(const nc_setting *rows, int count, const void *settings, nc_error *err);

#endif
