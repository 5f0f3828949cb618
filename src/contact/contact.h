// Impulses: how bodies that touch change each other's velocities. docs/theory/contact.md has the derivations.
//
// Nothing here moves anything. Solvers get the arrays they touch (nc_solver_bodies), never a world. A body of infinite
// mass (static, kinematic, halted) has inv_mass 0 and inv_inertia 0: its velocity is read, never written. Every result
// is the same bits for any number of workers. What is not finite is never applied: the velocities stay as they were.
#ifndef NC_CONTACT_CONTACT_H
#define NC_CONTACT_CONTACT_H

#include "nacre/world.h"

#include "narrow/narrow.h"

// One end of a row of a joint.
typedef struct nc_joint_end {
    int body;        // row; -1: none
    nc_vec3 linear;  // [1] or [m], of the body's velocity
    nc_vec3 angular; // [m] or [1], of its angular velocity
} nc_joint_end;
// A row of a joint: the speed s = sum of linear . v + angular . w over its ends. The solution has
// s + compliance * impulse = target, or the impulse is at a bound and the speed on the far side of the target.
typedef struct nc_joint_row {
    nc_joint_end end[4];
    double target;     // [m/s] or [rad/s]
    double compliance; // [1/kg] or [1/(kg m^2)] >= 0
    double low, high;  // [N s] or [N m s] bounds of the impulse; infinite: none
    double impulse;    // written by solvers
    bool drives;       // it may do work: a drive, a spring
    int joint, demand; // whose, and what for; solvers do not read it
} nc_joint_row;
typedef struct nc_joint_rows {
    nc_joint_row *rows;
    int count;
    bool touched_only;      // islands without a contact in a call are left alone by it
    const uint8_t *skip;    // by body: its island is left alone; NULL: none is
    const uint8_t *jointed; // by body: a row has an end there
} nc_joint_rows;

// Row i of every array is body i.
typedef struct nc_solver_bodies {
    int count;
    const double *inv_mass;      // [1/kg]
    const nc_mat3 *inv_inertia;  // [1/(kg m^2)] symmetric, in world axes, at the orientation the arms belong to
    nc_vec3 *v;                  // [m/s]   of the centre of mass; written by solvers
    nc_vec3 *w;                  // [rad/s] angular velocity; written by solvers
    const nc_pose *pose;         // [m]     about where they are, for who is near whom; NULL: not known
    const nc_joint_rows *joints; //        NULL: none
} nc_solver_bodies;

// One contact point. The normal points from B to A: a positive impulse pushes A along it and B against it.
// Relative velocities are those of A as seen from B.
typedef struct nc_contact {
    int a, b;              // rows
    nc_vec3 arm_a, arm_b;  // [m] from the centres of mass to the point
    nc_vec3 normal;        // [1] unit, from B to A
    double distance;       // [m] between the surfaces; solvers do not read it
    double friction;       // [1] >= 0
    double restitution;    // [1] in [0, 1]; read by nc_collide_patch only
    double target;         // [m/s] wanted lower bound of the normal relative velocity: n.(v_A - v_B) >= target (eq. 16)
    nc_feature_id feature; // for warm starts; solvers do not read it
    nc_vec3 impulse;       // [N s] on A: x along the normal, y and z along the tangents of nc_contact_tangents
    nc_vec3 bias; // [m/s] added to the relative velocity that rows are about: what the turning of the arms adds
                  // over the step (0: the velocity at one instant). The solvers of nc_ncp do not read it
    bool round;   // its place was moved to where a round surface would touch; solvers do not read it
    bool impact;  // it bounces: its impulse says nothing about the next step; solvers do not read it
} nc_contact;

// ---- one point (English 3.2) --------------------------------------------------------------------------------

// Two unit vectors that make (normal, t1, t2) right-handed; the same ones for the same normal.
void nc_contact_tangents(nc_vec3 normal, nc_vec3 *t1, nc_vec3 *t2);
// Between `impulse` as a contact stores it and the vector in the world.
nc_vec3 nc_contact_impulse_vector(const nc_contact *contact);
nc_vec3 nc_contact_impulse_parts(const nc_contact *contact, nc_vec3 vector);

// [m/s] the velocity of A's point as seen from B's, at this instant: without the bias.
nc_vec3 nc_contact_velocity(const nc_solver_bodies *bodies, const nc_contact *contact);
// K: an impulse l at the point changes that velocity by K l. Symmetric; positive definite if a body has finite mass.
nc_mat3 nc_contact_response(const nc_solver_bodies *bodies, const nc_contact *contact);
// Adds the impulse (on A; its opposite on B) to the velocities. Infinite bodies keep theirs, bit for bit.
void nc_contact_apply(const nc_solver_bodies *bodies, const nc_contact *contact, nc_vec3 impulse);

// The impulse on A that takes the relative velocity `velocity` to normal part `target` [m/s]: with static friction if
// that lies in the cone, else sliding against the tangential part of `velocity`. Zero when the normal part is not below
// `target`, and when nothing can move. The normal part is met to rounding, the friction cone always.
nc_vec3 nc_impulse_find(nc_mat3 response, nc_vec3 velocity, nc_vec3 normal, double target, double friction);

// ---- the one clamp (Su 3.2) ---------------------------------------------------------------------------------

// A body of finite mass, its velocities before, and all that was given to it since.
typedef struct nc_velocity_change {
    double inv_mass;     // [1/kg]
    nc_mat3 inv_inertia; // [1/(kg m^2)]
    nc_vec3 v, w;        // [m/s], [rad/s] before
    nc_vec3 linear;      // [N s]
    nc_vec3 angular;     // [N m s]
} nc_velocity_change;

typedef struct nc_clamp {
    double factor; // [1] s: the part of the change that may happen, in [0, 1]
    double work;   // [J] W s: what infinite bodies gave, of the part that happens
    double energy; // [J] change of the kinetic energy by the part that happens; at most `work`, to rounding
} nc_clamp;

// `work` [J]: the sum of impulses on finite bodies times the velocity of the infinite bodies' points that gave them.
// A change that is not finite gets the factor 0.
nc_clamp nc_clamp_find(const nc_velocity_change *changes, int count, double work);
// The same figures of the whole change, where energy may rise (factor 1; 0 if it is not finite).
nc_clamp nc_clamp_without(const nc_velocity_change *changes, int count, double work);
// That work, of one contact with the impulse `impulse` on A.
double nc_contact_kinematic_work(const nc_solver_bodies *bodies, const nc_contact *contact, nc_vec3 impulse);
// Velocities with the part `factor` of the change. Those before, bit for bit, when nothing was given.
void nc_velocity_change_part(const nc_velocity_change *change, double factor, nc_vec3 *v, nc_vec3 *w);

// ---- solvers ------------------------------------------------------------------------------------------------

typedef struct nc_solve_settings {
    nc_contact_solver solver;
    nc_friction_model friction;
    int iterations;   // [1]   sweeps over an island's contacts, at most; >= 1
    double tolerance; // [1]   stop when no contact asks for more than this part of the largest violation at the start
    double floor;     // [m/s] or, from sweep `patience` on, for no more than this
    int patience;     // [1]
    double epsilon;   // [1]   of the sequential solver: the part of an impulse that is applied, in (0, 1]
    bool accelerate;  // Gauss-Seidel with the momentum of nonlinear conjugate gradients: about a tenth of the sweeps
    bool warm;        // start from the contacts' impulses instead of 0
    bool clamp;       // no more energy than infinite bodies gave
    bool shock;       // shock propagation where the limit of sweeps was reached, and where it helps
    int workers;      // threads; 0: as many as the machine has
    nc_share *share;  // other ranks that solve the same, and have a part of the islands; NULL: none
    // Every row gives way by this part of its own K times its impulse [1]: targets that cannot all be reached then have
    // an answer, the nearest in the sense of least squares, with impulses that are bounded. 0: rigid.
    double compliance;
    // Islands of at most so many bodies that sweeps do not solve get Newton's method [1]: small ones after a few, and
    // they do not use `floor`; others after all of them, if it is not too expensive. 0: none.
    int newton;
    // Islands so small that `few_updates` updates of single contacts are more than `iterations` sweeps may make that
    // many, and stop at `few_tolerance` [1]. 0: none are.
    int few_updates;
    double few_tolerance;
    // Sweeps also stop when none of 8 in a row has moved a contact point's velocity by more than this [m/s]. 0: never.
    double plateau;
} nc_solve_settings;
// Cone, 500 sweeps, tolerance 1e-6, floor 0, patience 32, epsilon 0.1, accelerated, cold, clamped, with shock
// propagation, one worker, rigid, without Newton, no island counts as few, no plateau.
nc_solve_settings nc_solve_settings_default(void);

// What became of an island, or of all: then counts and energies are sums, the rest is the worst.
typedef struct nc_solve_report {
    int islands;
    int contacts;    // between bodies that can move
    int iterations;  // sweeps, of the island that took most
    int64_t updates; // contacts updated, in all sweeps of all islands, layers and second attempts included
    int newtons;     // factorisations of Newton's method, of all islands
    int unconverged; // islands whose residual is above the tolerance and above NC_RESIDUAL_SMALL, and that still moved
    double residual; // [m/s] largest violation by what was stored; of islands that met the tolerance: by the last sweep
    int worst_a;     // bodies of the contact with the largest residual among islands that did not meet the tolerance;
    int worst_b;     // -1: all did
    int shocks;      // islands with shock propagation
    int restarts;    // islands whose energy rose after a warm start or by acceleration, solved again without
    int clamps;      // changes (of an island, of its shock propagation) with a factor below NC_CLAMPED
    double factor;   // [1] smallest factor
    double work;     // [J] given by infinite bodies
    double energy;   // [J] change of the kinetic energy of finite bodies
} nc_solve_report;

// Memory of the solvers, kept between calls: a call whose numbers were reserved allocates nothing, except for islands
// of 64 contacts and more and for those that get Newton's method, and for these only what no call before it needed.
typedef struct nc_contact_work nc_contact_work;
nc_contact_work *nc_contact_work_create(const nc_allocator *allocator); // NULL: out of memory
void nc_contact_work_destroy(nc_contact_work *work);                    // NULL is allowed
// Room for calls with so many bodies and contacts. NC_OUT_OF_MEMORY: what was there before is still there.
nc_code nc_contact_work_reserve(nc_contact_work *work, int body_count, int contact_count, nc_error *err);

// Resting contact (English 4.3.2): changes velocities so that every contact's normal relative velocity is at least its
// target, with friction. Reads contacts' impulses when settings->warm, writes them always. Bodies that are in no
// contact, or only in contacts that need nothing, keep their bits. Cost: linear in contacts times sweeps.
// On an error no velocity was changed. `report` may be NULL.
nc_code nc_contact_solve(nc_contact_work *work, const nc_solver_bodies *bodies, nc_contact *contacts, int count,
                         const nc_solve_settings *settings, nc_solve_report *report, nc_error *err);

// What nc_contact_solve and the patches do where bodies have joints (joint_solve.c): islands with a joint are solved
// for contacts and rows together, by Newton's method with a sparse factorisation; other contacts as ever.
nc_code nc_jointed_solve(nc_contact_work *work, const nc_solver_bodies *bodies, nc_contact *contacts, int count,
                         const nc_solve_settings *settings, nc_solve_report *report, nc_error *err);

// The largest violation [m/s] of eq. 16-20 by velocities and impulses as they are: 0 for a solution. The slow twin of
// the residual in the report.
double nc_contact_residual(const nc_solver_bodies *bodies, const nc_contact *contacts, int count,
                           nc_friction_model friction);

// ---- a whole patch at once ----------------------------------------------------------------------------------

// A collision of one pair of bodies at all points where they touch: every point bounces with its restitution times its
// speed before (n.v' >= -e n.v), with friction. One point alone is English 3.2 to the letter. Always from 0: writes
// contacts' targets and impulses. All contacts have the same a and b. Of the settings it reads friction, iterations,
// tolerance and clamp. Cost does not depend on bodies->count. `report` may be NULL.
nc_code nc_collide_patch(nc_contact_work *work, const nc_solver_bodies *bodies, nc_contact *contacts, int count,
                         const nc_solve_settings *settings, nc_solve_report *report, nc_error *err);
// The same with targets as they stand in the contacts (dynamic contact, English 4.1).
nc_code nc_separate_patch(nc_contact_work *work, const nc_solver_bodies *bodies, nc_contact *contacts, int count,
                          const nc_solve_settings *settings, nc_solve_report *report, nc_error *err);

// ---- contact graph, stack layers, shock propagation (Erleben section 4) ------------------------------------

// Who touches whom, as indices, and how high above a fixed body everybody stands.
typedef struct nc_contact_graph {
    int body_count, layer_count;
    const int *height; // per body: 0 if fixed, else how many contacts away the nearest fixed body is; of bodies that
                       // reach none (free-floating): the largest height there is, at least 1
    const int *layer_begin; // [layer_count + 1] into `contacts`
    const int *contacts;    // indices of contacts, by layer, in their own order inside one. Layer i has those between
                            // bodies of height i and i + 1, and those among bodies of height i + 1
} nc_contact_graph;

// Built in `work`, and valid until the next call with it. Fixed bodies have inv_mass 0. Contacts of two fixed bodies
// are in no layer.
nc_code nc_contact_graph_build(nc_contact_work *work, const nc_solver_bodies *bodies, const nc_contact *contacts,
                               int count, nc_contact_graph *graph, nc_error *err);

// One layer's turn: bodies with height[] <= layer are to be treated as infinite.
typedef struct nc_layer {
    int index;           // from 0, the bottom
    const int *contacts; // indices
    int contact_count;
    const int *height;
} nc_layer;
typedef void (*nc_layer_algorithm)(const nc_layer *layer, void *ctx);
// Applies an algorithm to every layer from the bottom up (Erleben, Fig. 12). Both pipelines go through here.
void nc_shock_propagate(const nc_contact_graph *graph, nc_layer_algorithm algorithm, void *ctx);

#include "contact/ncp.h"

#endif
