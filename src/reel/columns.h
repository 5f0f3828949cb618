// The columns of a run's reports by name: what tables, JSON lines and plots are made of.
#ifndef NC_REEL_COLUMNS_H
#define NC_REEL_COLUMNS_H

#include "nacre/nacre.h"

#include "base/base.h"

#include <stdio.h>

typedef enum nc_column_kind { NC_COLUMN_WHOLE, NC_COLUMN_LONG, NC_COLUMN_REAL, NC_COLUMN_FAR } nc_column_kind;

typedef struct nc_column {
    const char *name;
    size_t offset; // in nc_step_report; of columns of cloth, in nc_cloth_report
    nc_column_kind kind;
    bool summed; // a frame of several steps has their sum
    bool cloth;  // of the table `cloth`
} nc_column;

// All columns that the run file stores but for `frame` and `steps`, in its order.
const nc_column *nc_column_list(int *out_count);
// The further ones of runs of cloth, without `frame`.
const nc_column *nc_cloth_column_list(int *out_count);
const nc_column *nc_column_find(const char *name);   // NULL when there is none
const char *nc_column_unit(const nc_column *column); // "" for counts
// NaN where the run file has nothing: the distance of bodies of which no two were near.
// `report` is an nc_step_report, or for columns of cloth an nc_cloth_report.
double nc_column_value(const nc_column *column, const void *report);

#endif
