// Impulses: how bodies that touch change each other's velocities.
//
// Nothing here moves anything. Solvers get the arrays they touch (nc_solver_bodies), never a world.
#ifndef NC_CONTACT_CONTACT_H
#define NC_CONTACT_CONTACT_H

#include "narrow/narrow.h"

// Row i of every array is body i. Static and kinematic bodies have inv_mass 0 and inv_inertia 0; their velocities are
// read, never written.
typedef struct nc_solver_bodies {
    int count;
    const double *inv_mass;     // [1/kg]
    const nc_mat3 *inv_inertia; // [1/(kg m^2)] in world axes, at the orientation the arms belong to
    nc_vec3 *v;                 // [m/s]   of the centre of mass; written by solvers
    nc_vec3 *w;                 // [rad/s] angular velocity; written by solvers
} nc_solver_bodies;

// One contact point. The normal points from B to A: a positive impulse pushes A along it and B against it.
typedef struct nc_contact {
    int a, b;              // rows
    nc_vec3 arm_a, arm_b;  // [m] from the centres of mass to the point
    nc_vec3 normal;        // [1] unit, from B to A
    double distance;       // [m] between the surfaces
    double friction;       // [1]
    double restitution;    // [1]
    double target;         // [m/s] wanted lower bound of the normal relative velocity: n.(v_A - v_B) >= target (eq. 16)
    nc_feature_id feature; // for warm starts
    nc_vec3 impulse; // [N s] normal, and along two tangents (see nc_contact_tangents); in: warm start, out: result
} nc_contact;

// Two unit vectors that make (normal, t1, t2) right-handed; the same ones for the same normal.
void nc_contact_tangents(nc_vec3 normal, nc_vec3 *t1, nc_vec3 *t2);

#endif
