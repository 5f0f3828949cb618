// Erleben's complementarity problem, and the two time steps that are made of it. docs/theory/vsp.md has the equations.
//
//   dynamics(h)    velocities with external forces over h, so that no contact closes; then positions (eq. 45)
//   correction()   positions only: contacts inside the envelope are pushed out of it (eq. 46)
//
// Both work on all contacts, or on one stack layer whose lower bodies are held as if infinite, so that either can be
// the algorithm of nc_shock_propagate. Contacts are found once; how distances change while bodies move is followed to
// first order. Nothing here moves a body: `travel` and `turn` are proposals.
#ifndef NC_CONTACT_NCP_H
#define NC_CONTACT_NCP_H

#include "contact/contact.h"

typedef struct nc_ncp_settings {
    nc_contact_solver solver; // sequential: impulses that are never taken back (the paper's 5.2)
    nc_friction_model friction;
    int iterations;     // [1] over all rows, at most; >= 1
    double tolerance;   // [1] stop when no row asks for more than this part of the largest violation at the start
    double damping;     // gamma >= 0 of eq. 41: A + gamma 1 [1/kg]; with `scaling` [1], A + gamma diag(A)
    bool damping_falls; // from gamma in the first iteration to 0 in the last of `iterations`
    bool scaling;       // rows and columns divided by the root of the diagonal (eq. 39, 40)
    bool symmetric;     // every second iteration goes backwards, so that errors have no favourite direction
    bool warm;          // start from the contacts' impulses
    bool clamp;         // no more energy than infinite bodies gave
    double epsilon;     // [1] of the sequential solver: the part of an impulse that is applied
    int workers;        // threads; 0: as many as the machine has
} nc_ncp_settings;
// Projected Gauss-Seidel on the pyramid, 10 iterations, tolerance 1e-6, no damping, forward, cold: the paper's;
// clamped.
nc_ncp_settings nc_ncp_settings_default(void);

// Values of the merit function (eq. 38), before the first iteration and after each. Asking for them changes no result.
typedef struct nc_merit_trace {
    double *values;
    int capacity;
    int count; // in: 0; out: how many there are, also beyond the capacity
} nc_merit_trace;

// What is stepped. Row i of an array by body is body i, entry k of one by contact is contact k.
typedef struct nc_ncp_world {
    nc_solver_bodies bodies; // velocities are written by dynamics
    const nc_vec3 *linear;   // [m/s^2]   acceleration by external forces; by body
    const nc_vec3 *angular;  // [rad/s^2] the same; by body
    nc_vec3 *travel, *turn;  // [m], [rad] since the contacts were found; written by both steps; by body
    const nc_vec3 *held_v;   // [m/s], [rad/s] how bodies move that a layer holds; NULL: as they do now; by body
    const nc_vec3 *held_w;   //
    nc_contact *contacts;    // impulses are written by dynamics
    int count;               //
    const double *gap;       // [m]   distance minus the distance of rest where contacts were found; by contact
    const double *bounce;    // [m/s] wanted lower bound of the normal relative velocity (eq. 21), 0: none; by contact
    const nc_vec3 *given;    // [N s] impulses of an earlier solve that velocities have already: dynamics continues from
                             //       them, and may take them back; NULL: none; by contact
    double moved;            // [s]   how long bodies travelled with that solve's velocities: dynamics makes it again
} nc_ncp_world;

// What became of one solve, or of several: then counts are sums, the rest is the worst.
typedef struct nc_ncp_report {
    int solves;
    int iterations;
    int unconverged; // solves that reached the limit
    double residual; // [m/s] or [m]: most that a row asked for in the last iteration
    int clamps;
    double work; // [J] given by infinite bodies
} nc_ncp_report;

// Memory, kept between calls. NULL: out of memory.
typedef struct nc_ncp nc_ncp;
nc_ncp *nc_ncp_create(const nc_allocator *allocator);
void nc_ncp_destroy(nc_ncp *ncp); // NULL is allowed
// Room for calls with so many bodies and contacts: the steps below then allocate nothing and cannot fail.
nc_code nc_ncp_reserve(nc_ncp *ncp, int body_count, int contact_count, nc_error *err);

// u += h M^-1 f + M^-1 J^T lambda, with lambda from ncp(A, b) for the targets max(bounce, -max(0, gap)/h): what is
// beyond the distance of rest may close to it, what is inside may not come nearer. Then travel and turn by h u. Acts on
// bodies of finite mass that have a contact in `layer` and are not held there. layer NULL: all contacts, nobody held.
// Where it continues an earlier solve, lambda begins with `given`, what is added to that acts, and bodies travel by
// (moved + h) u instead of what they travelled. Adds to *report; `trace` may be NULL.
void nc_dynamics(nc_ncp *ncp, const nc_ncp_world *world, const nc_layer *layer, double h,
                 const nc_ncp_settings *settings, nc_ncp_report *report, nc_merit_trace *trace);
// travel and turn by M^-1 J^T lambda, with lambda from lcp(A, gap): normals only, velocities stay. Nothing happens
// where no contact is deeper inside the envelope than `slack` [m]. `iterations` of the settings is read, `tolerance`
// too.
void nc_correction(nc_ncp *ncp, const nc_ncp_world *world, const nc_layer *layer, double slack,
                   const nc_ncp_settings *settings, nc_ncp_report *report);

// The one clamp for what dynamics did layer by layer without it, and for the solve that the layers continued: island by
// island, from the velocities before both, which are those of `v` and `w` and what external forces add in h. A layer
// cannot be clamped by itself: being carried along by a held body that moves adds to its energy, and what the held body
// would lose is dropped. Positions keep what they were given.
void nc_clamp_layers(nc_ncp *ncp, const nc_ncp_world *world, const nc_contact_graph *graph, const nc_vec3 *v,
                     const nc_vec3 *w, double h, nc_ncp_report *report);

// The change of a contact's distance [m] by travel and turn so far, to first order.
double nc_ncp_closing(const nc_ncp_world *world, const nc_contact *contact);

#endif
