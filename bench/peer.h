// A peer program: another library's code in a process of its own, asked over pipes (bench/peers).
#ifndef NC_BENCH_PEER_H
#define NC_BENCH_PEER_H

#include "cli/cli.h"

typedef struct nc_peer {
    long pid; // 0: not running
    FILE *to, *from;
    char about[96]; // name and version, as the peer says them; why it is not there when it is not running
} nc_peer;

// Starts `folder`/`program` with the name of a task file. A program that is not there is no error: pid stays 0.
nc_code nc_peer_start(nc_peer *peer, const char *folder, const char *program, const char *task, nc_error *err);
// Has the peer do a job: the processor time it took by its own clock [s], and the number that came out.
nc_code nc_peer_request(nc_peer *peer, const char *job, double *seconds, double *result, nc_error *err);
// Sends a job without reading what it answers.
void nc_peer_send(nc_peer *peer, const char *job);
// Reads a line of numbers that a peer prints after its answer.
nc_code nc_peer_numbers(nc_peer *peer, double *out, int count, nc_error *err);
void nc_peer_stop(nc_peer *peer);

// The folder `peers` beside this program into `out`; "" when it cannot be determined.
const char *nc_peer_folder(char *out, size_t out_size);

#endif
