// An island with joints: bodies, rows and contacts in one Newton method. Not for other folders.
#ifndef NC_CONTACT_JOINT_NEWTON_H
#define NC_CONTACT_JOINT_NEWTON_H

#include "contact/block_cholesky.h"
#include "contact/contact.h"

typedef enum nc_link_kind { NC_LINK_JOINT, NC_LINK_NORMAL, NC_LINK_TANGENT } nc_link_kind;

// One row in scaled velocities (newton_rows.h), in which the mass matrix is 1. A contact has three, its normal first.
typedef struct nc_link {
    nc_link_kind kind;
    int column[4];     // of the plan; -1: none or infinite
    double j[4][6];    // on the scaled velocities of these
    double still;      // [m/s]  speed of infinite ends
    double target;     // [m/s]
    double compliance; // [1/kg]
    double low, high;  // [N s]
    double friction;   // [1]    of a normal
    double limit;      // [N s]  of friction in this pass
    double k;          // [1/kg] J J^T
    double weight;     // [1/kg] of the proximal term in this pass
    double base;       // [N s]  what it pulls to
    double u, du;      // [m/s]  speed less target, and its change along the direction
    double lambda;     // [N s]
    double kept;       // [N s]  the same of the best pass
    double d;          // [kg]   -d lambda / d u
    double cross;      // [kg]   of a normal: between its tangents
    double slip[2];    // [kg]   and of friction that slides with the normal velocity
} nc_link;

typedef struct nc_joint_newton {
    nc_cholesky_plan plan;
    double *blocks, *y, *y0, *g, *step; // [36 plan.block_count], [6 plan.count]
    double *upper;                      // [36 plan.block_count] above the diagonal; `coulomb` only
    double *always, *always_upper;      // [36 plan.block_count] of both, what passes have in common; `coulomb` only
    double *change;                     // [6 plan.count] of velocities in this pass
    double *factors;                    // [6 plan.count] C of each body, see nc_body_scale
    nc_link *links;
    int count;
    nc_friction_model friction;
    bool coulomb; // some contact has friction in a cone: the law as it is (joint_coulomb.c)
    bool frozen;  // friction stays as it is
} nc_joint_newton;

typedef struct nc_joint_fate {
    int factorisations, passes;
    double joints, contacts; // [m/s] largest violation that is left
} nc_joint_fate;

// From the impulses in the links to better ones. Stops when joints are violated by no more than `joint_stop` and
// contacts by no more than `contact_stop` [m/s], or when that does not get better.
nc_joint_fate nc_joint_newton_run(const nc_joint_newton *newton, double joint_stop, double contact_stop);
// [m/s] what J y and the infinite ends make, before the target.
double nc_link_speed(const nc_link *link, const double *y);

#endif
