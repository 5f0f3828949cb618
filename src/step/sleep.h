// Inside step only: bodies that sleep. See sleep.c.
#ifndef NC_STEP_SLEEP_H
#define NC_STEP_SLEEP_H

#include "certify/certify.h"
#include "world/world.h"

typedef struct nc_step nc_step;
typedef struct nc_workspace nc_workspace;

// Why bodies that near pairs connect do not sleep.
typedef struct nc_unrest {
    int bodies;     // of them
    int unrested;   // that have not stayed long enough where they are
    int borne;      // that something fixed holds
    bool disturbed; // one is too fast, something scripted that moves is near it, or something without friction
} nc_unrest;

typedef struct nc_sleep_work {
    NC_ARRAY(uint8_t) woken;              // by row: it was asleep when the step began, and something woke it
    bool disturbed;                       // something did in this start: the step is to be started again
    double seconds;                       // [s] of starts that ended so; by the runner
    bool recalls;                         // impulses of woken bodies are among `recalled`
    nc_kept_impulses recalled[NC_SOLVES]; // what solves start from then
    NC_ARRAY(double) rested;              // [s] by row: what commit takes over, of free rows
    NC_ARRAY(nc_pose) anchor;             // [m] by row: as above
    NC_ARRAY(int) asleep;                 // by row: as above
    NC_ARRAY(int) group;                  // by row: a lower row of those near it, or itself
    NC_ARRAY(nc_unrest) unrest;           // by row, then by lowest row of a group
    bool sorted;                          // `resting` and what is kept in this step are to become state
    nc_kept_impulses resting[NC_SOLVES];  // [N] of bodies that sleep after this step
} nc_sleep_work;
void nc_sleep_work_free(nc_sleep_work *sleep, const nc_allocator *allocator);

// Before the first start of a step: nobody was woken in it yet.
void nc_sleep_forget_woken(nc_workspace *work);
// Of each start, before roles are given: makes room, and finds the impulses that woken bodies start from.
nc_code nc_sleep_begin(nc_step *step, nc_error *err);
// Row i sleeps in this start of the step: it has the role of a fixed body.
bool nc_step_leaves_asleep(const nc_step *step, int i);
// What solves of this kind start from.
const nc_kept_impulses *nc_sleep_recalled(const nc_sleep_work *sleep, const nc_state *state, nc_solve_kind kind);
// Is there a body that sleeps in this start?
bool nc_step_anybody_sleeps(const nc_step *step);
// All bodies sleep or are static, and nobody woke.
bool nc_step_nothing_moves(const nc_step *step);
// Wakes sleeping bodies among those that collide; true when there are any.
bool nc_step_wake_colliding(nc_step *step, const nc_collision *collisions, int count);
// Commit: rows that fell asleep, woke or stayed awake, and their impulses.
void nc_sleep_commit_row(const nc_step *step, nc_bodies *bodies, int i);
void nc_sleep_commit_impulses(nc_sleep_work *sleep, nc_state *state);

#endif
