// Inside plot: columns of one body.
#ifndef NC_PLOT_BODY_H
#define NC_PLOT_BODY_H

#include "plot/plot.h"

// The number of a column of a body, -1: it is none.
int nc_plot_body_column(const char *name);
const char *nc_plot_body_unit(int column);
const char *nc_plot_body_name(int column);
// Prints the names there are, with their units.
void nc_plot_body_list(FILE *out);
// Fills out->body, which is freed with the run. NC_NOT_FOUND when the run has no such body.
nc_code nc_plot_body_read(nc_run *run, const char *path, const char *name, int bodies, int64_t first, nc_plot_run *out,
                          nc_error *err);

#endif
