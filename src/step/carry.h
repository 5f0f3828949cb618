// Inside step only: bodies whose velocity comes from their motion, see carry.c.
#ifndef NC_STEP_CARRY_H
#define NC_STEP_CARRY_H

#include "contact/contact.h"

typedef struct nc_step nc_step;

typedef struct nc_carry {
    NC_ARRAY(uint8_t) rows; // by row: not 0: its velocity does
    NC_ARRAY(nc_vec3) v, w; // [m/s], [rad/s] of these, by resting contact at the start of the step
} nc_carry;
void nc_carry_free(nc_carry *carry, const nc_allocator *allocator);

// Nobody is carried at the start of predict.
nc_code nc_carry_begin(nc_carry *carry, int rows, const nc_allocator *allocator, nc_error *err);
bool nc_carry_has(const nc_carry *carry, int i);
// What a row that is carried takes into the last solve: with the second half of the forces (and of the torque, where
// the first half is in it), before its turn in the step.
typedef struct nc_carried_velocity {
    nc_vec3 v;        // [m/s]
    nc_vec3 momentum; // [kg m^2/s]
} nc_carried_velocity;
nc_carried_velocity nc_carry_velocity(const nc_step *step, int i);
// Solves the marked islands of work->contacts again from the velocities before contact, without pushing apart.
typedef nc_code (*nc_resolve_marked)(nc_step *step, nc_error *err);
// Found after the solve of predict; dropped where work->contacts at the end of the step forbid it, before the last
// solve.
nc_code nc_step_find_carry(nc_step *step, nc_resolve_marked resolve, nc_error *err);
void nc_step_choose_carry(nc_step *step);

#endif
