// A text file in the making: under its name only when it is complete, or the standard output.
#ifndef NC_CLI_OUT_FILE_H
#define NC_CLI_OUT_FILE_H

#include "cli.h"

typedef struct nc_out_file {
    FILE *out;        // write here
    const char *path; // borrowed
    char temporary[1200];
} nc_out_file;

// '-' is the standard output. On failure nothing is left.
nc_code nc_out_open(nc_out_file *file, const char *path, nc_error *err);
// Moves the file to its place when `code` is NC_OK and nothing failed, else removes it. Returns `code`, or NC_IO.
nc_code nc_out_close(nc_out_file *file, nc_code code, nc_error *err);

#endif
