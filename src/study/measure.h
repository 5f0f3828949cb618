// Where measurements come from.
#ifndef NC_STUDY_MEASURE_H
#define NC_STUDY_MEASURE_H

#include "study/study.h"

bool nc_study_is_sql(const char *source);
// Is the text of the node a source of a measurement? Names that no run reports are errors with a suggestion.
nc_code nc_study_check_measure(const nc_node *node, nc_error *err);

#endif
