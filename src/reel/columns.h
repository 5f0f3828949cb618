// The columns of a run's reports by name: what tables, JSON lines and plots are made of.
#ifndef NC_REEL_COLUMNS_H
#define NC_REEL_COLUMNS_H

#include "nacre/nacre.h"

#include "base/base.h"

#include <stdio.h>

typedef nc_report_field nc_column;

// Column 0, 1, ... that run files store but for `frame` and `steps`: those of the table `report`, and then, with
// `has_cloth`, those of the table `cloth`. NULL after the last.
const nc_column *nc_column_at(int index, bool has_cloth);
const nc_column *nc_column_find(const char *name);   // NULL when there is none
const char *nc_column_unit(const nc_column *column); // "" for counts
bool nc_column_is_cloth(const nc_column *column);    // of the table `cloth`
bool nc_column_is_sum(const nc_column *column);      // a frame of several steps has their sum
// NaN where the run file has nothing: the distance of bodies of which no two were near.
double nc_column_value(const nc_column *column, const nc_model_report *report);

#endif
