// What the measurements of `nacre bench` share: two implementations of one task, timed in turns.
#ifndef NC_BENCH_BENCH_H
#define NC_BENCH_BENCH_H

#include "cli/cli.h"

#define NC_BENCH_MAX_ROUNDS 99

// What measurements were made on.
typedef struct nc_machine {
    char processor[128];
    char system[128];
    int cores;
} nc_machine;
nc_machine nc_this_machine(void);

// One side of a comparison: what it does, and how. Everything that is not to be timed happens before.
typedef struct nc_bench_side {
    const char *name;
    nc_code (*work)(void *ctx, nc_error *err);
    const double *own_seconds; // where the work leaves the time it took by its own clock; NULL: it is timed from here
} nc_bench_side;

typedef enum nc_bench_clock {
    NC_CLOCK_WALL, // for work on several threads
    NC_CLOCK_CPU   // time of this process on a processor: other load disturbs it less
} nc_bench_clock;
double nc_cpu_clock(void); // [s]

// Ours against a peer. `peer.work` is NULL when this build does not have the peer; `note` then says so.
typedef struct nc_bench_pair {
    const char *name;
    nc_bench_side ours, peer;
    void *ctx;
    double peer_share; // what part of the whole the peer did: its time is divided by this; 1: all of it
    char note[384];    // what a reader must know to judge the ratio
    nc_bench_clock clock;
    bool no_warm_up; // for work so long that a first round is negligible
    double items;    // how many things a round does: times are reported for one of them; 0: for the round
} nc_bench_pair;

// One more number of a measurement.
typedef struct nc_bench_figure {
    const char *name; // a key: lower case and underscores
    double value;
    const char *unit; // "us", "1"
} nc_bench_figure;
#define NC_BENCH_MAX_FIGURES 32

typedef struct nc_bench_result {
    nc_bench_pair pair;
    int rounds;
    double ours[NC_BENCH_MAX_ROUNDS], peer[NC_BENCH_MAX_ROUNDS]; // [s] of each round
    double ours_median, peer_median;                             // [s]
    double ratio;                                                // peer's time / ours, the median of the rounds
    double ratio_low, ratio_high;                                // of the rounds
    nc_bench_figure figures[NC_BENCH_MAX_FIGURES];
    int figure_count;
} nc_bench_result;
void nc_bench_add_figure(nc_bench_result *result, const char *name, double value, const char *unit);

// Runs both sides `rounds` times in turns, first one first, then the other first, so that a machine that is busy with
// other things slows both. One round before that is not counted, unless the pair says that there is none.
nc_code nc_bench_compare(const nc_bench_pair *pair, int rounds, nc_bench_result *out, nc_error *err);

// What the command line says of how to measure.
typedef struct nc_bench_options {
    int rounds;
    const char *queries;     // folder of the public benchmark's swept queries; NULL: none
    const char *peers;       // folder of the peer programs; "": none
    const char *peer;        // boats: the simulator to compare with, "bullet"
    const char *scene;       // boats: another scene than the one made for it; NULL: none
    int boats;               // boats, joints (ragdolls): how many; english and scale: at most; 0: its own number
    int steps;               // the same
    const char *scenes;      // scenes, english, su, erleben, harmon, joints: folder of the scenes
    const char *results;     // the same: folder for the tables
    const nc_words *figures; // the same: which; none: all
    bool spectra;            // erleben: eigenvalues too
} nc_bench_options;

// A comparison: fills up to NC_BENCH_PER_KIND results.
#define NC_BENCH_PER_KIND 32
typedef nc_code (*nc_bench_kind)(const nc_bench_options *options, nc_bench_result *out, int *out_count, nc_error *err);
nc_code nc_bench_obj(const nc_bench_options *options, nc_bench_result *out, int *out_count, nc_error *err);
nc_code nc_bench_tree(const nc_bench_options *options, nc_bench_result *out, int *out_count, nc_error *err);
nc_code nc_bench_audit(const nc_bench_options *options, nc_bench_result *out, int *out_count, nc_error *err);
nc_code nc_bench_trajectory(const nc_bench_options *options, nc_bench_result *out, int *out_count, nc_error *err);
// The kernels of detection.
nc_code nc_bench_features(const nc_bench_options *options, nc_bench_result *out, int *out_count, nc_error *err);
nc_code nc_bench_meshes(const nc_bench_options *options, nc_bench_result *out, int *out_count, nc_error *err);
nc_code nc_bench_english(const nc_bench_options *options, nc_bench_result *out, int *out_count, nc_error *err);
nc_code nc_bench_erleben(const nc_bench_options *options, nc_bench_result *out, int *out_count, nc_error *err);
nc_code nc_bench_su(const nc_bench_options *options, nc_bench_result *out, int *out_count, nc_error *err);
nc_code nc_bench_harmon(const nc_bench_options *options, nc_bench_result *out, int *out_count, nc_error *err);
nc_code nc_bench_shell(const nc_bench_options *options, nc_bench_result *out, int *out_count, nc_error *err);
nc_code nc_bench_boats(const nc_bench_options *options, nc_bench_result *out, int *out_count, nc_error *err);
nc_code nc_bench_joints(const nc_bench_options *options, nc_bench_result *out, int *out_count, nc_error *err);
// Time per step of scenes, and of more and more bodies.
nc_code nc_bench_scenes(const nc_bench_options *options, nc_bench_result *out, int *out_count, nc_error *err);
nc_code nc_bench_scale(const nc_bench_options *options, nc_bench_result *out, int *out_count, nc_error *err);
nc_code nc_bench_broad(const nc_bench_options *options, nc_bench_result *out, int *out_count, nc_error *err);

#endif
