// The time step (English section 2), as a transaction: phases write candidate rows only; commit swaps them in.
//
//   collide   1    v_hat from v: bounces along the free flight, impulses with restitution
//   predict   2-4  v_half = v_hat + dt/2 a; resting contact at x_n; proposed motions
//   separate  5    dynamic contact, then certify: no two paths may cross
//   settle    6-7  v = v_hat + dt a; resting contact at x_n+1
//   commit         poses, velocities and the clock, all or nothing
//
// The pipelines VSP and ISP solve stack layer by stack layer in the place of collide and predict, and have no last
// contact solve but of islands with joints (mechanisms.c); from separate on everything is the same. phases.c has both
// as tables; step.c runs them.
//
// docs/theory/step.md says where this differs from the paper and why.
#ifndef NC_STEP_STEP_H
#define NC_STEP_STEP_H

#include "certify/certify.h"
#include "contact/contact.h"
#include "step/account.h"
#include "step/arcs.h"
#include "step/carry.h"
#include "step/chord.h"
#include "step/failsafe.h"
#include "step/find_contacts.h"
#include "step/impact.h"
#include "step/islands.h"
#include "step/joints.h"
#include "step/load.h"
#include "step/mechanisms.h"
#include "step/record_contacts.h"
#include "step/rounds.h"
#include "step/sleep.h"
#include "step/ties.h"
#include "step/vsp.h"
#include "step/warm.h"
#include "world/world.h"

// Fewer bodies than this are not worth waking another thread for (about half a microsecond each).

enum nc_step_flag {
    NC_STEP_FIXED = 1,      // turned to its exact energy
    NC_STEP_FALLBACK = 2,   // that turn was about a principal axis
    NC_STEP_NOT_FINITE = 4, // the proposal was not finite: the body stays
    NC_STEP_TOO_FAR = 8,    // the rounding budget is too large there: the body stays
    NC_STEP_BOUNCED = 16,   // a collision changed its velocity
    NC_STEP_PUSHED = 32,    // contact changed its proposed motion
    NC_STEP_DEFERRED = 64,  // dynamic contact changed it; work->predicted has what was proposed before
    NC_STEP_SETTLED = 128   // v_hat and momentum are what it has at the end of the step, forces included
};

// Pairs that step 1 processed.
typedef struct nc_bounces {
    NC_ARRAY(uint64_t) pairs; // lower row << 32 | higher row; ascending at the end of step 1
    NC_ARRAY(uint64_t) spare; // for sorting them
} nc_bounces;

// What a solve did to an island with its true inertias (stiff.c).
typedef struct nc_stiff_sum {
    double first, second; // [J] <V, dV> and |dV|^2 in the norm of the masses
    double work;          // [J] that bodies of infinite mass gave
    int stiff;            // bodies whose inertia was raised
} nc_stiff_sum;

// What solves of components with little play begin with (tight.c).
typedef struct nc_tight_proposal {
    nc_vec3 v, w; // [m/s], [rad/s] before the first of them
    bool known;
} nc_tight_proposal;
typedef struct nc_tight {
    nc_contact_list sorted;               // while contacts are sorted
    nc_contact_list solved, merged;       // with their impulses: of the rounds before, and with this one's
    NC_ARRAY(nc_tight_proposal) proposed; // by row
} nc_tight;
void nc_tight_free(nc_tight *tight, const nc_allocator *allocator);

// Memory of the step, kept between steps: columns by body (row i belongs to body i), the lists that contacts go
// through, and what each concept keeps, described in its header.
typedef struct nc_workspace {
    nc_allocator allocator;
    int capacity;                 // of the columns
    uint8_t *role;                //                 nc_role
    const nc_mesh **mesh;         //
    double *inv_mass;             // [1/kg]          0 of rows that are not free
    nc_mat3 *inv_inertia;         // [1/(kg m^2)]    in world axes, at the orientation contacts are examined
    nc_vec3 *v, *w;               // [m/s], [rad/s]  what solvers work on
    nc_vec3 *v_before, *w_before; // [m/s], [rad/s] before a solve (nc_step_remember_velocities)
    nc_vec3 *v_hat;               // [m/s]           after collisions
    nc_vec3 *momentum;            // [kg m^2/s]      angular, after collisions (L_hat)
    double *energy;               // [J]             rotational energy that the flight after collisions keeps
    double *stiffness;            // [kg m^2]        what solvers see an inertia raised by (stiff.c)
    nc_stiff_sum *stiff_sums;     //                 by lowest row of an island (stiff.c)
    nc_path *flight;              //                 step 1: motion without forces; of scripted bodies the script's
    nc_path *predicted;           //                 what predict proposed, of rows with NC_STEP_DEFERRED
    nc_fate *fate;                //
    uint8_t *plain;               //                 turns about one axis at its velocity: see nc_step_free_path
    NC_ARRAY(nc_proposed_motion) proposed;

    nc_certifier *flights, *motions;
    nc_contact_work *solver;
    nc_contact_list contacts; // of the solve, or of the pair, that is under way
    nc_contact_list batch;    // of pairs, or of marked islands, that are solved together
    nc_collisions collisions;

    nc_near near;
    nc_islands islands;
    nc_components components;
    nc_bounces bounces;
    nc_carry carry;
    nc_arcs arcs;
    nc_tight tight;
    nc_ties ties;
    nc_warm warm;
    nc_failsafe_work failsafe;
    nc_vsp_work vsp;
    nc_mechanisms mechanisms;
    nc_fracture_work fracture;
    nc_sleep_work sleep;
    nc_step_joints joints;
    nc_loads loads;
} nc_workspace;

struct nc_step {
    nc_world *world;
    nc_workspace *work;
    double dt;         // [s]
    double time;       // [s] at the start
    const nc_pose *at; // a column: where resting contact of steps 2-4 is examined
    bool within;       // that is between two segments of proposals (arcs.c)
    int parts;         // [1] how many of them
    bool again;        // bodies broke when it was started before
    bool any_tight;    // a component with little play was solved as a whole in step 5 (tight.c)
    nc_certify_bodies flights, motions;
    nc_certify_options certify;
    nc_step_report report;
};

// Makes the world's workspace, if there is none.
nc_code nc_workspace_ensure(nc_world *world, nc_error *err);
nc_code nc_step_begin(nc_step *step, nc_world *world, double dt, nc_error *err);

// ---- the phases, in the order of phases.c -------------------------------------------------------------------

nc_code nc_step_stay(nc_step *step, nc_error *err);
nc_code nc_step_wake(nc_step *step, nc_error *err);
nc_code nc_step_collide(nc_step *step, nc_error *err);
nc_code nc_step_accelerate(nc_step *step, nc_error *err);
nc_code nc_step_rest_at_start(nc_step *step, nc_error *err);
nc_code nc_step_propose(nc_step *step, nc_error *err);
nc_code nc_step_mechanisms_collide(nc_step *step, nc_error *err);
nc_code nc_step_vsp_begin(nc_step *step, nc_error *err);
nc_code nc_step_vsp_solve(nc_step *step, nc_error *err);
nc_code nc_step_mechanisms_at_start(nc_step *step, nc_error *err);
nc_code nc_step_vsp_propose(nc_step *step, nc_error *err);
nc_code nc_step_separate(nc_step *step, nc_error *err);
nc_code nc_step_wake_held(nc_step *step, nc_error *err);
nc_code nc_step_settle(nc_step *step, nc_error *err);
nc_code nc_step_rest_at_end(nc_step *step, nc_error *err);
nc_code nc_step_mechanisms_at_end(nc_step *step, nc_error *err);
nc_code nc_step_wake_near(nc_step *step, nc_error *err);
nc_code nc_step_limit(nc_step *step, nc_error *err);
nc_code nc_step_lift(nc_step *step, nc_error *err);
nc_code nc_step_fall_asleep(nc_step *step, nc_error *err);
nc_code nc_step_commit(nc_step *step, nc_error *err);

// ---- shared by the phases -----------------------------------------------------------------------------------

// Have two bodies to be kept apart in this step? `ctx` is the step.
bool nc_step_pair_matters(int i, int j, const void *ctx);
// [m/s^2] of body i by gravity and its force.
nc_vec3 nc_outer_acceleration(const nc_world *world, int i);
nc_solver_bodies nc_step_solver_bodies(nc_step *step);
// Runs one of contact's solvers on the solver's columns. Its wall time [s] is added to *seconds, a column of the
// report.
typedef nc_code (*nc_solve_call)(nc_contact_work *work, const nc_solver_bodies *bodies, nc_contact *contacts, int count,
                                 const nc_solve_settings *settings, nc_solve_report *report, nc_error *err);
nc_code nc_step_run_solver(nc_step *step, nc_solve_call solver, nc_contact *contacts, int count,
                           const nc_solve_settings *settings, double *seconds, nc_solve_report *report, nc_error *err);
// Solver settings for resting contacts.
nc_solve_settings nc_resting_settings(const nc_world_def *settings, double dt);
// Inverse inertias [1/(kg m^2)] of all rows in world axes, at the orientations `pose` (a column); 0 of rows that are
// not free. `role` is nc_role by row.
void nc_place_inertia(const nc_bodies *bodies, const uint8_t *role, const nc_pose *pose, nc_mat3 *inv_inertia);
// Does free rotation keep its exact energy (energy_fix, energy_corrections)?
bool nc_step_fixes_turns(const nc_step *step);
// The free motion of a dynamic body with velocity v and angular momentum L; `energy` as in nc_free_turn_compute.
// A fast body's second-order turn and energy fix set off in another direction than its velocity says; where that makes
// it meet something that it does not approach, it is made plain: it turns by dt omega, and velocity and path agree.
nc_path nc_step_free_path(nc_step *step, int i, nc_vec3 v, nc_vec3 momentum, double energy, uint8_t *flags);
// Shortens the velocities in the solver's columns, of a dynamic body, where they would take it farther than its own
// velocity, its acceleration and the rest distance explain; to be called before they become a proposal.
void nc_step_bound_proposal(nc_step *step, int i);
// The same for all bodies with joints at once, which the function before leaves out; the joints' rows have the impulses
// of the solve that made the velocities.
void nc_step_bound_mechanisms(nc_step *step);
// The part of each mechanism's proposals that the function before would keep, to its entry.
void nc_step_judge_mechanisms(nc_step *step);
// A path that stays where the body is; costs little where it does already.
void nc_stay(nc_path *path, const nc_pose *pose);
// Checks a proposal and replaces it by staying where it is not fit (flags say why).
void nc_judge_path(const nc_world *world, int i, nc_path *path, uint8_t *flags);

// Can contact change anything about a collision? Not when nothing was decided or neither body is free.
bool nc_step_can_respond(const nc_step *step, const nc_collision *hit);

// What components solve together in this round: their near contacts at the start of the step with targets 0, then what
// they gathered (work->batch); *near is how many of the former. Replaces work->contacts.
nc_code nc_step_list_batch(nc_step *step, int *near, nc_error *err);
// [m/s] pairs that approach slower rest, faster ones bounce.
double nc_rest_speed(const nc_world_def *settings, double dt);
// Remembers the solver's velocities; then: did a solve change those of row i?
void nc_step_remember_velocities(nc_step *step);
bool nc_step_velocity_changed(const nc_step *step, int i);
// [N s] what bodies that contact does not move gave to those it does, by the contacts' impulses. `role` is nc_role by
// row.
nc_vec3 nc_contacts_support(const uint8_t *role, const nc_contact_list *contacts);

// Steps 2 to 4 and 7 for bodies, contacts and joints that are given: the velocity before contact of a free body;
// resting contact of work->contacts, found at step->at; a body's proposal; resting contact of work->contacts, found
// where bodies have come to be. Impulses are not kept for the next step.
void nc_step_accelerate_body(nc_step *step, int i);
nc_code nc_step_hold_at_start(nc_step *step, nc_error *err);
void nc_step_propose_body(nc_step *step, int i);
nc_code nc_step_hold_at_end(nc_step *step, nc_error *err);
// Solves work->contacts, found at step->at, with targets at the end of step->dt; then the same for marked islands
// without what only pushes bodies apart. Velocities before contact are those of the candidates.
nc_code nc_step_solve_resting(nc_step *step, nc_solve_report *report, nc_error *err);
nc_code nc_step_solve_without_pushing(nc_step *step, nc_error *err);
// Changes the solver's velocities so that work->contacts, with targets as they stand, are met.
nc_code nc_step_solve_targets(nc_step *step, nc_error *err);
// Which of work->contacts act in a solve, see active.c. Finds islands and idle contacts; lets idle ones act that come
// too near on the motion of the solver's velocities from `pose` (a column) on, marks their islands and returns how
// many; copies those that act (of marked islands only) to work->batch, and takes their impulses back from there.
nc_code nc_step_choose_idle(nc_step *step, const nc_pose *pose, nc_error *err);
int nc_step_activate(nc_step *step, const nc_pose *pose);
nc_code nc_step_gather_active(nc_step *step, bool marked_only, nc_error *err);
void nc_step_scatter_active(nc_step *step, bool marked_only);
// Raises inertias in work->inv_inertia where contact forces turn a body faster than the step. See stiff.c.
void nc_step_stiffen(nc_step *step, nc_solve_kind kind);
// Islands with such a body gained no more energy, with the inertias that bodies have, than what is of infinite mass
// gave: clamps the change since nc_step_remember_velocities and the impulses in work->contacts. Returns how many
// islands needed it.
int nc_step_clamp_stiff(nc_step *step);

// Targets of components with little play, see tight.c: of work->contacts, of a pair that collides at toi, and of one
// that is near at the start.
void nc_step_aim_tight(nc_step *step, const nc_solver_bodies *bodies, double toi);
double nc_step_near_target(nc_step *step, const nc_contact *contact);
// Before the first of their solves in a step.
void nc_step_begin_tight(nc_step *step);
// Puts the contacts of such components last in work->contacts; *loose is how many others there are. Then solves from
// there on, to the end: from the velocities before the first solve and the impulses of the last one.
nc_code nc_step_sort_tight(nc_step *step, int *loose, nc_error *err);
nc_code nc_step_solve_tight(nc_step *step, int loose, nc_error *err);
// After certify: what dynamic contact stopped has the velocity of its motion (carry.c).
void nc_step_carry_tight(nc_step *step);

// Targets of contacts found at time `toi` [1] of the step: the rest distance at its end, from where the contact was at
// its start.
void nc_aim_contacts(const nc_near *near, const nc_arcs *arcs, double dt, const nc_solver_bodies *bodies, double toi,
                     nc_contact_list *contacts);
// The velocity in the solver's columns becomes a dynamic body's proposal.
nc_code nc_step_take_proposal(nc_step *step, int i, nc_error *err);
// Dynamic contact treats pair after pair, and what it did last is what it did worst: in a pile that it did not resolve,
// pairs approach from the start on, and certify has to hold them where they are. The next step is then the same one
// again. So bodies that would be held at once go back to what resting contact proposed, which parts all near pairs to
// first order.
nc_code nc_step_retreat(nc_step *step, nc_error *err);
// Shortens the solver's velocities of groups that resting contact lifts by next to nothing, or nearly paid; to be
// called before they become proposals. See climb.c.
void nc_step_limit_lift(nc_step *step);
// Shortens proposals of groups that dynamic contact lifts higher than their kinetic energy does. See climb.c.
nc_code nc_step_limit_climb(nc_step *step, nc_error *err);

// The motion a script proposes for row i over [time, time + dt], or the part `pace` [1] of it, spread over all of dt.
nc_path nc_script_path(const nc_bodies *bodies, int i, double time, double whole, double pace);
// The same of the step, at the pace that the body's load lets it have (load.c).
nc_path nc_step_script_path(const nc_step *step, int i);

#endif
