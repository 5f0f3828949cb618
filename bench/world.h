// A scene that is stepped and measured: what the comparison with other simulators and the paper's tables need.
#ifndef NC_BENCH_WORLD_H
#define NC_BENCH_WORLD_H

#include "bench/bench.h"

// ---- memory -------------------------------------------------------------------------------------------------

// An allocator that counts. Zero-initialised it holds nothing.
typedef struct nc_bench_memory {
    size_t now, peak; // [bytes]
} nc_bench_memory;
nc_allocator nc_bench_memory_allocator(nc_bench_memory *memory);

// ---- the scene ----------------------------------------------------------------------------------------------

// English's Fig. 13 with any number of boats: a pile of boats over a bowl on the ground, with the paper's settings
// (Fig. 20). Text of a scene into `out`, which holds NC_BENCH_SCENE_SIZE.
#define NC_BENCH_SCENE_SIZE 2048
void nc_bench_boats_text(int boats, char *out);
// The world of a scene of rigid bodies. NC_BAD_ARGUMENT for one of cloth; else as nc_scene_build.
nc_code nc_bench_build(const nc_scene *scene, const nc_scene_settings *settings, nc_world **out, nc_error *err);

// ---- stepping -----------------------------------------------------------------------------------------------

// What the columns of a step's report (docs/run-file.md) add up to over steps.
#define NC_BENCH_MAX_COLUMNS 128
typedef struct nc_bench_steps {
    int64_t steps;
    double cpu;  // [s] processor time of the steps, all threads
    double wall; // [s]
    double totals[NC_BENCH_MAX_COLUMNS];
} nc_bench_steps;

// Called after every step that nc_bench_step makes.
typedef void (*nc_bench_watch)(const nc_step_report *report, void *ctx);

// Takes `count` steps of `dt` [s]. `watch` may be NULL. Shows progress on a terminal.
nc_code nc_bench_step(nc_world *world, double dt, int64_t count, nc_bench_watch watch, void *ctx, nc_bench_steps *out,
                      nc_error *err);
// A column added up (its smallest or last value where that is what a frame would store); NAN: there is no such column.
double nc_bench_total(const nc_bench_steps *steps, const char *column);
// The columns of wall time, "seconds_collide" and so on, by number from 0; NULL past the last.
const char *nc_bench_phase(int index);

// ---- the end ------------------------------------------------------------------------------------------------

// How things lie in the end. A body has escaped when its centre is outside the bowl (the body of that name, if there
// is one) and below its rim, or outside the scene's bounds. The others are decided exactly.
typedef struct nc_bench_end {
    int escaped;
    int in_static;  // pairs of a dynamic body and a static one that share a point
    int in_dynamic; // pairs of dynamic bodies that share a point
} nc_bench_end;
// Where the world's bodies are, in the order of nc_world_bodies. `out` has room for all of them.
void nc_bench_poses(const nc_world *world, nc_pose *out);
// The world's bodies as if they were at `poses`.
nc_code nc_bench_judge(const nc_world *world, nc_box bounds, const nc_pose *poses, nc_bench_end *out, nc_error *err);

// ---- a world for others -------------------------------------------------------------------------------------

// Writes the world as a task of bench/peers/world.hpp. `margin` [m] is what the peer puts around shapes.
void nc_bench_write_world(const nc_world *world, double dt, double margin, FILE *file);

#endif
