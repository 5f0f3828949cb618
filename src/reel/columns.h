// The columns of a run's reports by name: what tables, JSON lines and plots are made of.
#ifndef NC_REEL_COLUMNS_H
#define NC_REEL_COLUMNS_H

#include "nacre/nacre.h"

#include "base/base.h"

#include <stdio.h>

#include "base/base.h"

typedef nc_report_field nc_column;

// All columns that the run file stores but for `frame` and `steps`, in its order.
const nc_column *nc_column_list(int *out_count);
// The further ones of runs of cloth, without `frame`.
const nc_column *nc_cloth_column_list(int *out_count);
const nc_column *nc_column_find(const char *name);   // NULL when there is none
const char *nc_column_unit(const nc_column *column); // "" for counts
bool nc_column_is_cloth(const nc_column *column);    // of the table `cloth`
bool nc_column_is_sum(const nc_column *column);      // a frame of several steps has their sum
// NaN where the run file has nothing: the distance of bodies of which no two were near.
// `report` is an nc_step_report, or for columns of cloth an nc_cloth_report.
double nc_column_value(const nc_column *column, const void *report);

#endif
