// The time step (English section 2), as a transaction: phases write candidate rows only; commit swaps them in.
//
//   predict   2-4  forces at half step, proposed motions
//   settle    6    final velocities
//   commit         poses, velocities and the clock, all or nothing
//
// Collisions, contact and certification (steps 1, 3, 5, 7) are not in this version: bodies fly freely.
#ifndef NC_STEP_STEP_H
#define NC_STEP_STEP_H

#include "world/world.h"

// Fewer bodies than this are not worth waking another thread for (about half a microsecond each).
#define NC_BODIES_A_BLOCK 512

enum nc_step_flag {
    NC_STEP_FIXED = 1,      // turned to its exact energy
    NC_STEP_FALLBACK = 2,   // that turn was about a principal axis
    NC_STEP_NOT_FINITE = 4, // the proposal was not finite: the body stays
    NC_STEP_TOO_FAR = 8     // the rounding budget is too large there: the body stays
};

typedef struct nc_step {
    nc_world *world;
    double dt;          // [s]
    double time;        // [s] at the start
    double clock_begin; // wall clock [s]
    nc_step_report report;
} nc_step;

void nc_step_predict(nc_step *step);
void nc_step_settle(nc_step *step);
nc_code nc_step_commit(nc_step *step, nc_step_report *report, nc_error *err);

// The motion a script proposes for row i over [time, time + dt].
nc_path nc_script_path(const nc_bodies *bodies, int i, double time, double dt);

// Sums over dynamic bodies, in row order.
void nc_measure_bodies(const nc_world *world, nc_step_report *report);

// Wall clock [s]. For reports only; nothing that is computed depends on it.
double nc_wall_clock(void);

#endif
