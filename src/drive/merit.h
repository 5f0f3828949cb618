// The merit function of the contact solver, step by step and iteration by iteration.
#ifndef NC_DRIVE_MERIT_H
#define NC_DRIVE_MERIT_H

#include "nacre/model.h"

#include <stdio.h>

typedef struct nc_merit_file {
    FILE *out; // NULL: nobody asked for it
    double *values;
    int capacity;
    nc_allocator allocator;
} nc_merit_file;

// Opens the file, for a model that traces its merit function. With `append`, rows are added to what is there.
nc_code nc_merit_open(nc_merit_file *file, const char *path, bool append, const nc_allocator *allocator, nc_error *err);
// A row for every iteration of the last step.
nc_code nc_merit_write(nc_merit_file *file, nc_model model, nc_error *err);
nc_code nc_merit_close(nc_merit_file *file, nc_error *err);

#endif
