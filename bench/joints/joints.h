// Joints beside another simulator: what is measured of a trajectory, and the task that the peer program gets.
#ifndef NC_BENCH_JOINTS_JOINTS_H
#define NC_BENCH_JOINTS_JOINTS_H

#include "bench/world.h"

#define NC_JOINTS_JUDGED 20 // frames of a run, evenly spaced and the last one among them, in which pairs are tested

// How well joints hold in one frame, or at worst in many.
typedef struct nc_joints_error {
    double distance; // [m] between anchors, across what the joint leaves free
    double angle;    // [rad] between the axes of hinges, and of all axes of sliders
    double limit;    // [rad] or [m] past a limit
} nc_joints_error;

// What came of a run, by Nacre's measures whoever made it.
typedef struct nc_joints_trace {
    nc_joints_error most, end;
    int judged;               // frames in which pairs were tested
    int bad;                  // of them: with pairs that intersect
    int most_pairs;           // pairs of bodies that intersect, in the worst of these frames
    nc_bench_end at_end;      //
    double height;            // [m] of the body that is watched, at the end; NAN: none is
    int64_t steps, all_steps; // seen, and of the run
} nc_joints_trace;

// The joints of a world as if its bodies were at `poses` (rows of the world: nothing was removed from it).
nc_joints_error nc_joints_measure(const nc_world *world, const nc_pose *poses);
// Adds the frame after one more step. `watched` is the name of a body, or NULL.
nc_code nc_joints_trace_add(nc_joints_trace *trace, const nc_world *world, nc_box bounds, const char *watched,
                            const nc_pose *poses, nc_error *err);

// The world and its joints as a task of bench/peers/bullet_joints.cpp. NC_BAD_ARGUMENT for joints that it does not
// have: all but hinges, balls and sliders, springs, drives that are not rigid ones of a slider towards a position, and
// twist limits that are not symmetric.
nc_code nc_joints_write_task(const nc_world *world, double dt, double margin, FILE *file, nc_error *err);

// Ragdolls over a bowl: text of a scene into `out`, which holds NC_BENCH_SCENE_SIZE.
void nc_joints_ragdolls_text(int ragdolls, char *out);

// One scene, done by both.
typedef struct nc_joints_row {
    const char *label;
    int bodies, joints;
    int ragdolls; // 0: not a scene of them
    int64_t steps;
    double timestep;   // [s]
    double ours, peer; // [s] processor time of a step; peer: NAN when it is not there
    nc_joints_trace nacre, other;
    char about[96]; // the peer
} nc_joints_row;
// Writes `folder`/joints.md.
nc_code nc_joints_write_page(const char *folder, const nc_joints_row *rows, int count, bool cut_short, nc_error *err);

#endif
