// Inside step only: the step's accounts for its report. See account.c and measure.c.
#ifndef NC_STEP_ACCOUNT_H
#define NC_STEP_ACCOUNT_H

#include "world/world.h"

typedef struct nc_step nc_step;

// The motion proposed for a body after dynamic contact.
typedef struct nc_proposed_motion {
    nc_vec3 travel; // [m] of its centre
    nc_vec3 turn;   // [m] rotation times radius
} nc_proposed_motion;

// Sums over dynamic bodies, in row order.
void nc_measure_bodies(const nc_world *world, nc_step_report *report);
// Kinetic energy [J] of one body, and of the dynamic bodies for columns of orientations, velocities and angular
// momenta.
double nc_body_kinetic(const nc_bodies *bodies, int i, nc_pose pose, nc_vec3 v, nc_vec3 momentum);
double nc_bodies_kinetic(const nc_bodies *bodies, const uint8_t *role, const nc_pose *pose, const nc_vec3 *v,
                         const nc_vec3 *momentum);
// kinetic_moved, force_work and position_energy: to be called when candidates have their velocities after forces.
void nc_step_account_for_motion(nc_step *step);
// Records the proposed motions; later, when candidates have their poses, sums up how much of them happened.
nc_code nc_step_record_proposals(nc_step *step, nc_error *err);
void nc_step_account_for_proposals(nc_step *step);
// velocity_error and its body: to be called when candidates have their last velocities and the state is the old one.
void nc_step_account_for_velocities(nc_step *step);

#endif
