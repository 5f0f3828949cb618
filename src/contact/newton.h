// A Newton method for islands on which sweeps make no progress. Not for other folders.
#ifndef NC_CONTACT_NEWTON_H
#define NC_CONTACT_NEWTON_H

#include "contact/block_cholesky.h"
#include "contact/contact.h"

// Largest island.
#define NC_NEWTON_MOST  1024 // bodies
#define NC_NEWTON_WORDS 16   // of bits, as many as bodies

// How a contact's impulse falls with its velocity, by Coulomb's law: rows and columns normal and tangents; those that
// are not here are 0, and 21 is 12.
typedef struct nc_coulomb_slope {
    double nn, n1, n2;    // [kg] of the normal impulse and of friction with the normal velocity
    double t11, t12, t22; // [kg]
} nc_coulomb_slope;

// A contact in scaled velocities: sqrt(m) v and C^-1 w with C C^T = I^-1, in which the mass matrix is 1. Three rows:
// the normal and two tangents.
typedef struct nc_newton_contact {
    int a, b;               // columns of the plan; -1: infinite
    double ja[3][6];        // rows on A's and B's velocity
    double jb[3][6];        //
    double offset[3];       // [m/s]  drift, less the target
    double k[2];            // [1/kg] K of the normal row, and the larger one of the tangents
    double weight[2];       // [1/kg] compliance and proximal term, in this pass
    double centre[3];       // [m/s]  what the proximal term adds: minus its weight times the impulse it is about
    double target;          // [m/s]  before it is eased
    double friction, limit; // [1], [N s] largest friction in this pass
    double u[3], du[3];     // [m/s]  at the current velocities, and along the direction
    double lambda[3];       // [N s]
    nc_coulomb_slope slope; //        at u
    double base[3];         // [N s]  before this pass
    double start[3];        // [N s]  at the beginning, in the cone
    double best[3];         // [N s]  of the pass with the smallest residual
    double rigid[3];        // [N s]  the same without compliance
    double soft[3];         // [N s]  and with it
} nc_newton_contact;

// An island's memory.
typedef struct nc_newton {
    nc_cholesky_plan plan;
    double *blocks;              // [36 plan.block_count]
    double *upper;               // [36 plan.block_count] above the diagonal, where the matrix is not symmetric
    double *y, *y0, *g, *d;      // [6 plan.count] velocities, those before, gradient, direction
    double *y_base;              // [6 plan.count] velocities before a step
    double *factors;             // [6 plan.count] C: c11, c21, c22, c31, c32, c33
    nc_newton_contact *contacts; // [count]
    int count;
    nc_friction_model friction;
} nc_newton;

// A body's scaled velocities y before the change, and C. False when it is too thin or too heavy for it.
bool nc_body_scale(const nc_velocity_change *before, double c[6], double y[6]);

struct nc_sweeps;
// Its input, and what it found.
typedef struct nc_newton_task {
    double compliance; // [1]   with which targets are met as far as they can be, if they cannot be met
    double stop;       // [m/s]
    bool may_ease;     //       less of targets above 0 will do
    int iterations;    //       out: factorisations
    double residual;   // [m/s] out
    bool stalled;      //       out: passes brought nothing any more
    bool soft;         //       out: the impulses, and this residual, are those of blocks with this compliance
} nc_newton_task;

// Doubles that an island of so many bodies and blocks needs for all but its contacts.
size_t nc_newton_doubles(int bodies, int blocks);
// Lays them out.
void nc_newton_place(nc_newton *newton, double *memory);
// From the blocks' impulses to better ones, in the blocks; all in their cones. `before`: by slot, what was before
// any impulse. Slots are not touched. False: nothing was done (a body cannot be scaled, or a number is not finite).
bool nc_newton_run(nc_newton *newton, const struct nc_sweeps *sweeps, const nc_velocity_change *before,
                   nc_newton_task *task);

#endif
