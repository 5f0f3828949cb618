// `nacre run` as one rank of an MPI job. MPI is in a module that is loaded when the environment says that there are
// several ranks; the program itself is not linked with it.
#ifndef NC_CLI_RANKS_H
#define NC_CLI_RANKS_H

#include "cli.h"

typedef struct nc_ranks {
    nc_exchange exchange; // count 1: no other rank
    void *module;         // NULL: MPI is not in use
} nc_ranks;

// Finds the other ranks, if there are any. They are waited for `wait` [s] in each exchange. The message is on stderr.
nc_exit nc_ranks_open(double wait, nc_ranks *out);
// Works for rank 0 until its run ends.
nc_exit nc_ranks_follow(const nc_ranks *ranks, int threads);
// The end; when ranks are lost, that of all others, too.
void nc_ranks_close(nc_ranks *ranks, nc_exit code);

#endif
