// Inside step only: groups of bodies that contact acted between in a step, and their energy. See energy.c.
#ifndef NC_STEP_TIES_H
#define NC_STEP_TIES_H

#include "contact/contact.h"
#include "world/world.h"

typedef struct nc_step nc_step;

// Directions: an orthonormal basis of those that were added.
typedef struct nc_span {
    int count;
    nc_vec3 axis[3];
} nc_span;

// Sums over bodies that are one group.
typedef struct nc_tied_sum {
    double allowed, now; // [J]      energies: see energy.c and held.c
    double mass;         // [kg]
    nc_vec3 momentum;    // [kg m/s]
    double turning;      // [J]      what normals that turn within a step can account for (energy.c)
    int loose;           //          bodies whose velocities do not come from their motion (carry.c)
    int newly;           //          bodies that were not held for some steps before (held.c)
    bool lifted; //          it will be pushed to its rest distance (lift.c), or dynamic contact pushed it (climb.c)
    double push,
        mixed;       // [J]      energy of that push, and the products of its velocities and those of the group (lift.c)
    double work;     // [J]      of the push against gravity and forces (lift.c); of these on a proposal (climb.c)
    nc_vec3 force;   // [N]      gravity and forces on all (climb.c)
    double weight;   // [N]      the sum of their sizes (climb.c)
    double depth;    // [m]      how much too near contacts are, at most (climb.c)
    int members;     //          bodies (climb.c)
    double rounding; // [J]      of the work of gravity and forces (energy.c)
    double driven;   // [J]      work of drives and springs, without its sign (joint_energy.c)
    double inner;    // [J]      energy of the members' motion against each other (floating.c)
    nc_vec3 centre;  // [m]      of mass, times mass while it is summed up (floating.c)
    nc_vec3 spin;    // [kg m^2/s] angular momentum about it, then [rad/s] the spin of all as one (floating.c)
    nc_mat3 inertia; // [kg m^2] of all as one (floating.c)
} nc_tied_sum;

typedef struct nc_ties {
    NC_ARRAY(int) to;           // by row: a lower row of its group, or itself
    NC_ARRAY(uint8_t) marks;    // by row: what touched it in this step
    NC_ARRAY(nc_span) spans;    // by row: of impulses that fixed bodies gave it
    NC_ARRAY(int) drivers;      // by row: what of infinite mass acted on it last; -1: nothing
    NC_ARRAY(nc_tied_sum) sums; // by lowest row of a group
} nc_ties;
void nc_ties_free(nc_ties *ties, const nc_allocator *allocator);

// Begun with the step; told of every solve of work->contacts; limited at its end.
nc_code nc_ties_begin(nc_ties *ties, int rows, const nc_allocator *allocator, nc_error *err);
void nc_step_tie_contacts(nc_step *step, bool all); // all: also those without an impulse
void nc_step_limit_energy(nc_step *step);
// What touched members, and in which directions, goes to the lowest row of a group.
void nc_step_collect_ties(nc_step *step);
// Is the energy of a group (one of ties->sums) limited, by what was collected?
bool nc_ties_is_limited(const nc_ties *ties, const nc_tied_sum *sum);
// Did nothing of infinite mass act on a group (one of ties->sums)?
bool nc_ties_floats(const nc_ties *ties, const nc_tied_sum *sum);
// [m/s] velocity of what of infinite mass acts on the group of a row; 0 where nothing does. Energies of limited groups
// are those seen from there.
nc_vec3 nc_ties_frame(const nc_step *step, int row);
// The part of v across all impulses that fixed bodies gave a group (one of ties->sums).
nc_vec3 nc_ties_across(const nc_ties *ties, const nc_tied_sum *sum, nc_vec3 v);
// Limits groups that float, both of their momenta kept; by what nc_step_limit_energy added up. See floating.c.
void nc_step_limit_floating(nc_step *step);
// A group moving as one rigid body, with its momentum (sum->momentum, sum->mass) and its angular momentum: first the
// centre of every member of that mass [kg], then the spin of every member, then the end; then the velocity [m/s] at x
// is known, and sum->spin [rad/s]. See floating.c.
void nc_tied_add_centre(nc_tied_sum *sum, double mass, nc_vec3 x);
void nc_tied_add_spin(nc_tied_sum *sum, const nc_bodies *bodies, const nc_candidates *next, int i);
void nc_tied_end_spin(nc_tied_sum *sum);
nc_vec3 nc_tied_velocity(const nc_tied_sum *sum, nc_vec3 x);
// Two bodies had an impact: they came together faster than rest.
void nc_ties_strike(nc_ties *ties, int i, int j);
// [J] kinetic energy of a limited group at the end, after the limit.
double nc_ties_energy(const nc_tied_sum *sum);
// [J] what a group (one of ties->sums) with an impact lost in this step, after the limit; 0 where its energy is not
// limited.
double nc_ties_lost_in_impact(const nc_ties *ties, const nc_tied_sum *sum);
// Bodies that certify held in two steps in a row get the velocity of the motion they made, where something of infinite
// mass takes part and that has less energy; what sticks to each other only moves on as one. See held.c.
void nc_step_follow_held(nc_step *step);

#endif
