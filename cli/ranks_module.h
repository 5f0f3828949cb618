// What the program finds in the module that is linked with MPI (cli/mpi/ranks.c).
#ifndef NC_CLI_RANKS_MODULE_H
#define NC_CLI_RANKS_MODULE_H

#include "nacre/base.h"

#define NC_RANKS_MODULE       "nacre-ranks.so"
#define NC_RANKS_MODULE_OPEN  "nc_ranks_module_open_1" // with the version of this interface
#define NC_RANKS_MODULE_CLOSE "nc_ranks_module_close_1"

// Joins the MPI job. An exchange that takes longer than `wait` [s] fails.
typedef nc_code (*nc_ranks_module_open)(double wait, nc_exchange *out, nc_error *err);
// Leaves it; when an exchange has failed, ends all of it with this exit code.
typedef void (*nc_ranks_module_close)(int exit_code);

#endif
