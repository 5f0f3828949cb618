// What `nacre import --repair` uses of `nacre repair`.
#ifndef NC_CLI_REPAIRING_H
#define NC_CLI_REPAIRING_H

#include "cli.h"

// Repairs a scene file in place, with the defaults of `nacre repair`. The report is on the standard output unless
// `quiet`, errors on the standard error. What cannot be repaired stays as it is.
nc_exit nc_repair_in_place(const char *path, bool quiet);

#endif
