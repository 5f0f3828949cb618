// What the measurements of `nacre bench` share: two ways to do one thing, timed in turns.
#ifndef NC_CLI_BENCH_H
#define NC_CLI_BENCH_H

#include "cli.h"

#define NC_BENCH_MAX_ROUNDS 99

// One side of a comparison: what it does, and how. Everything that is not to be timed happens before.
typedef struct nc_bench_side {
    const char *name;
    nc_code (*work)(void *ctx, nc_error *err);
} nc_bench_side;

// Ours against a peer. `peer.work` is NULL when this build does not have the peer; `note` then says so.
typedef struct nc_bench_pair {
    const char *name;
    nc_bench_side ours, peer;
    void *ctx;
    double peer_share; // what part of the whole the peer did: its time is divided by this; 1: all of it
    char note[256];    // what a reader must know to judge the ratio
} nc_bench_pair;

typedef struct nc_bench_result {
    nc_bench_pair pair;
    int rounds;
    double ours[NC_BENCH_MAX_ROUNDS], peer[NC_BENCH_MAX_ROUNDS]; // [s] of each round
    double ours_median, peer_median;                             // [s]
    double ratio;                                                // peer's time / ours, the median of the rounds
    double ratio_low, ratio_high;                                // of the rounds
} nc_bench_result;

// Runs both sides `rounds` times in turns, first one first, then the other first, so that a machine that is busy with
// other things slows both. One round before that is not counted.
nc_code nc_bench_compare(const nc_bench_pair *pair, int rounds, nc_bench_result *out, nc_error *err);

// A comparison: fills up to NC_BENCH_PER_KIND results.
#define NC_BENCH_PER_KIND 3
typedef nc_code (*nc_bench_kind)(int rounds, nc_bench_result *out, int *out_count, nc_error *err);
nc_code nc_bench_obj(int rounds, nc_bench_result *out, int *out_count, nc_error *err);
nc_code nc_bench_tree(int rounds, nc_bench_result *out, int *out_count, nc_error *err);
nc_code nc_bench_audit(int rounds, nc_bench_result *out, int *out_count, nc_error *err);

#endif
