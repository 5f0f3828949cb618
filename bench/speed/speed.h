// How fast a world is stepped: scenes, sizes, and this program against what an earlier one measured.
#ifndef NC_BENCH_SPEED_H
#define NC_BENCH_SPEED_H

#include "bench/world.h"

// ---- reference.c --------------------------------------------------------------------------------------------

// A fixed piece of work, the peer of what has none. Load, another clock rate and another machine change its time about
// as they change Nacre's, so the ratio can be compared between runs.
nc_code nc_bench_reference(void *ctx, nc_error *err);
#define NC_BENCH_REFERENCE "a fixed sum of products"

// ---- run.c --------------------------------------------------------------------------------------------------

// A scene that is stepped from its start, on one thread, in every round.
typedef struct nc_speed_run {
    const char *name;
    nc_scene_def def;
    int64_t steps;      // that were asked for
    double seconds;     // [s] processor time of the steps of the last round
    double worst;       // [s] wall time of its slowest step
    double bytes;       // most memory of scene and world together
    int bodies;         // at the end
    nc_bench_steps sum; // of the last round
} nc_speed_run;
// Steps it in `rounds` rounds, in turns with the reference.
nc_code nc_speed_measure(nc_speed_run *run, int rounds, nc_bench_result *out, nc_error *err);

// ---- compare.c ----------------------------------------------------------------------------------------------

// What an earlier run of `nacre bench --json` measured.
typedef struct nc_speed_before nc_speed_before;
nc_code nc_speed_read(const char *path, nc_speed_before **out, nc_error *err);
void nc_speed_free(nc_speed_before *before);

typedef enum nc_speed_verdict { NC_SPEED_NEW, NC_SPEED_SAME, NC_SPEED_FASTER, NC_SPEED_SLOWER } nc_speed_verdict;
typedef struct nc_speed_change {
    nc_speed_verdict verdict;
    double factor; // [1] how many times as fast as before
    double noise;  // [1] factors nearer to 1 than this one say nothing
} nc_speed_change;
// Compares ratios to the same peer; where one of the two had no peer, times per item. The noise is that of the rounds
// of the two, the larger one: largest over smallest to the power of 1 + 1.5 / (rounds - 1), and no less than
// NC_SPEED_LEAST_NOISE; of a single round it is taken to be NC_SPEED_ONE_ROUND.
nc_speed_change nc_speed_compare(const nc_speed_before *before, const nc_bench_result *now);
#define NC_SPEED_ONE_ROUND   1.25
#define NC_SPEED_LEAST_NOISE 1.05

#endif
