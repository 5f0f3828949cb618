// The time step (English section 2), as a transaction: phases write candidate rows only; commit swaps them in.
//
//   collide   1    v_hat from v: bounces along the free flight, impulses with restitution
//   predict   2-4  v_half = v_hat + dt/2 a; resting contact at x_n; proposed motions
//   separate  5    dynamic contact, then certify: no two paths may cross
//   settle    6-7  v = v_hat + dt a; resting contact at x_n+1
//   commit         poses, velocities and the clock, all or nothing
//
// The pipelines VSP and ISP put nc_step_vsp in the place of collide and predict, and have no last contact solve; from
// separate on everything is the same.
//
// docs/theory/step.md says where this differs from the paper and why.
#ifndef NC_STEP_STEP_H
#define NC_STEP_STEP_H

#include "certify/certify.h"
#include "contact/contact.h"
#include "fracture/fracture.h"
#include "step/near.h"
#include "world/world.h"

// Fewer bodies than this are not worth waking another thread for (about half a microsecond each).

enum nc_step_flag {
    NC_STEP_FIXED = 1,      // turned to its exact energy
    NC_STEP_FALLBACK = 2,   // that turn was about a principal axis
    NC_STEP_NOT_FINITE = 4, // the proposal was not finite: the body stays
    NC_STEP_TOO_FAR = 8,    // the rounding budget is too large there: the body stays
    NC_STEP_BOUNCED = 16,   // a collision changed its velocity
    NC_STEP_PUSHED = 32,    // contact changed its proposed motion
    NC_STEP_DEFERRED = 64,  // dynamic contact changed it; work->flight has what was proposed before
    NC_STEP_SETTLED = 128   // v_hat and momentum are what it has at the end of the step, forces included
};

// What a body was to do after dynamic contact.
typedef struct nc_wish {
    nc_vec3 travel; // [m] of its centre
    nc_vec3 turn;   // [m] rotation times radius
} nc_wish;

// What the pipelines VSP and ISP need besides.
typedef struct nc_vsp_work {
    nc_ncp *ncp;
    NC_ARRAY(nc_vec3) linear, angular; // [m/s^2], [rad/s^2] by row: accelerations by external forces
    NC_ARRAY(nc_vec3) travel, turn;    // [m], [rad] by row: proposed
    NC_ARRAY(nc_vec3) held_v, held_w;  // [m/s], [rad/s] by row: how a body moves while a layer holds it
    NC_ARRAY(uint8_t) touched;         // by row: it has a contact
    NC_ARRAY(double) gap;              // [m] by contact: beyond the rest distance
    NC_ARRAY(double) bounce;           // [m/s] by contact
} nc_vsp_work;

// The hardest blow that a body got which it does not stand.
typedef struct nc_blow {
    int row;
    double impulse;              // [N s] along the normal
    nc_vec3 place, normal;       // [m], [1] in the body's frame; the normal points into the body
    nc_vec3 at_place, at_normal; // [m], [1] in the world at the time of impact
} nc_blow;

// What breaking needs, made when a body is declared breakable, or when it is first needed.
typedef struct nc_ready_pattern {
    nc_fracture how;
    nc_pattern *pattern;
} nc_ready_pattern;
typedef struct nc_ready_mesh {
    nc_brittle_def def;
    nc_brittle *brittle; // has the mesh
} nc_ready_mesh;

// What breaking has done in a step, over all its starts.
typedef struct nc_breaks {
    int starts;                    // of the step, this one included
    bool taken;                    // `before` is the world's state at the start, and the world has a copy
    nc_state before;               //
    int meshes, events, pieces;    // that the world had then
    double clock_begin;            // [s] of the first start
    nc_step_report first;          // as the first start began it
    int fractures, born, unbroken; // so far
    double energy, seconds;        // [J], [s] so far
} nc_breaks;

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
} nc_tied_sum;

// How far a component has come in resolving its collisions (rounds.c); at its lowest row.
typedef enum nc_rung { NC_RUNG_SINGLE, NC_RUNG_BATCH, NC_RUNG_WHOLE } nc_rung;
typedef struct nc_ladder {
    int bodies;             // of finite mass
    int batched;            // of them, that were seen to collide since the first rung
    nc_rung rung;           //
    int passes;             // rounds that changed something
    int solves;             // rounds on this rung, but the first one
    nc_certify_scope scope; // of its pairs that the next round, or the one under way, looks at
    bool done;              //
    int colliding;          // pairs in this round
    int stubborn;           // of them, that were resolved before
    int changed;            // responses in this round that changed a body
    bool gathered;          // there is something to be solved together in this round
    bool waits;             // for the next round
} nc_ladder;

// A body whose motion is made in several segments, where one begins: see arcs.c.
typedef struct nc_arc_body {
    nc_vec3 v;              // [m/s]
    nc_vec3 momentum;       // [kg m^2/s] angular
    nc_vec3 push_v, push_w; // [m/s], [rad/s] of the segment
    nc_vec3 free_v, free_w; // [m/s], [rad/s] the same without what only pushes bodies apart
    nc_vec3 mean_v, mean_w; // [m/s], [rad/s] over all segments as they were proposed
} nc_arc_body;

// Memory of the step, kept between steps. Row i belongs to body i.
typedef struct nc_workspace {
    nc_allocator allocator;
    int capacity;
    uint8_t *role;        //                 nc_role
    const nc_mesh **mesh; //
    nc_mat3 *inv_inertia; // [1/(kg m^2)]    in world axes, at the orientation contacts are looked at
    nc_vec3 *v, *w;       // [m/s], [rad/s]  what solvers work on
    nc_vec3 *v_hat;       // [m/s]           after collisions
    nc_vec3 *momentum;    // [kg m^2/s]      angular, after collisions (L_hat)
    double *energy;       // [J]             rotational energy that the flight after collisions keeps
    nc_path *flight;      //                 step 1: motion without forces; step 5: see NC_STEP_DEFERRED
    nc_fate *fate;        //
    uint8_t *plain;       //                 turns about one axis at its velocity: see nc_step_free_path
    nc_certifier *flights, *motions;
    nc_contact_work *solver;
    nc_near_table near;       // at the start of the step, then at its end
    NC_ARRAY(double) rest;    // [m]             by row of that table: where the pair rests (play.c)
    NC_ARRAY(int) rest_first; //                by body: its first row with a body of infinite mass, -1: none
    NC_ARRAY(int) rest_next;  //                by row: the next one of that body, -1: none
    nc_proximity_list patch;  // of one pair
    NC_ARRAY(nc_contact) contacts;
    NC_ARRAY(nc_contact) crowd; // of pairs that are solved together
    NC_ARRAY(int) island;       //                 by row: the lowest row of its island (islands.c)
    NC_ARRAY(uint8_t) marked;   //                 by row: it is the lowest of an island that is to be solved again
    NC_ARRAY(int) island_size;  //                 by lowest row of an island: its bodies
    NC_ARRAY(uint8_t) idle;     //                 by contact: it does not act in this solve (active.c)
    NC_ARRAY(double) stiffness; // [N m s]         by row: of contact forces against turning, times the step (stiff.c)
    NC_ARRAY(uint8_t) carried;  //                 by row: its velocity comes from its motion (carry.c)
    NC_ARRAY(nc_vec3) carry_v, carry_w; // [m/s], [rad/s] of these, by resting contact at the start of the step
    NC_ARRAY(uint8_t) arced;            //                 by row: its proposal has several segments (arcs.c)
    NC_ARRAY(nc_arc_body) arc;          //                 by row: of these, what they do between two segments
    NC_ARRAY(nc_pose) arc_pose;         //                 by row: where bodies are then
    NC_ARRAY(const nc_mesh *) arc_mesh; //                 by row: NULL where a body takes no part
    nc_near_table arc_near;             // of those that do, then
    nc_kept_impulses arc_kept;          // of the solve before that one
    double arc_kept_dt;                 // [s] its time
    NC_ARRAY(int) tied_to;              //                 by row: a lower row of its group, or itself (energy.c)
    NC_ARRAY(uint8_t) ties;             //                 by row: what touched it in this step (energy.c)
    NC_ARRAY(nc_span) spans;            //                 by row: of impulses that fixed bodies gave it (energy.c)
    NC_ARRAY(nc_tied_sum) tied_sums;    //                 by lowest row of a group (energy.c)
    uint8_t *batched;                   //                 by row: it is in one of them
    NC_ARRAY(int) component;            //                 by row: a lower row of its component, or itself
    NC_ARRAY(nc_ladder) ladders;        //                 by lowest row of a component
    NC_ARRAY(uint8_t) scopes;           //                 by row: nc_certify_scope of a round
    nc_vec3 *v_before, *w_before;       // [m/s], [rad/s] of that solve
    NC_ARRAY(nc_meeting) meetings;
    nc_kept_impulses kept[NC_SOLVES]; // of this step's solves
    NC_ARRAY(uint8_t) recalled;       // by kept impulse of the last step: a contact started from it
    NC_ARRAY(nc_wish) wishes;         // of each row
    nc_clusters *clusters;            // of the failsafe; made when it is first needed
    NC_ARRAY(nc_meeting) due;         // of one pass of the failsafe
    NC_ARRAY(uint8_t) busy;           // of each row: its cluster was worked on in this pass
    NC_ARRAY(uint64_t) bounced;       // pairs that step 1 processed, ascending at its end
    nc_vsp_work vsp;                  // of the pipelines VSP and ISP
    NC_ARRAY(nc_blow) blows;          // of this start of the step; no body twice
    NC_ARRAY(uint8_t) spared;         // by row: it does not break (again) in this step
    NC_ARRAY(nc_ready_pattern) patterns;
    NC_ARRAY(nc_ready_mesh) brittle;
} nc_workspace;

typedef struct nc_step {
    nc_world *world;
    nc_workspace *work;
    double dt;          // [s]
    double time;        // [s] at the start
    double clock_begin; // wall clock [s]
    const nc_pose *at;  // a column: where resting contact of steps 2-4 is looked at
    bool within;        // that is between two segments of proposals (arcs.c)
    int parts;          // [1] how many of them
    bool again;         // bodies broke when it was started before
    nc_certify_bodies flights, motions;
    nc_certify_options certify;
    nc_step_report report;
} nc_step;

// Makes the world's workspace, if there is none.
nc_code nc_workspace_ensure(nc_world *world, nc_error *err);
nc_code nc_step_begin(nc_step *step, nc_world *world, double dt, nc_error *err);
nc_code nc_step_collide(nc_step *step, nc_error *err);
nc_code nc_step_predict(nc_step *step, nc_error *err);
nc_code nc_step_vsp(nc_step *step, nc_error *err);
nc_code nc_step_separate(nc_step *step, nc_error *err);
nc_code nc_step_settle(nc_step *step, nc_error *err);
nc_code nc_step_commit(nc_step *step, const nc_breaks *breaks, nc_step_report *report, nc_error *err);

// ---- shared by the phases -----------------------------------------------------------------------------------

nc_solver_bodies nc_step_solver_bodies(nc_step *step);
// How the world wants resting contacts solved.
nc_solve_settings nc_step_solve_settings(const nc_step *step);
// Fills inv_inertia at the orientations `pose` (a column).
void nc_step_place_inertia(nc_step *step, const nc_pose *pose);
// The free motion of a dynamic body with velocity v and angular momentum L; `energy` as in nc_free_turn_compute.
// A fast body's second-order turn and energy fix set off in another direction than its velocity says; where that makes
// it meet something that it does not approach, it is made plain: it turns by dt omega, and velocity and path agree.
nc_path nc_step_free_path(nc_step *step, int i, nc_vec3 v, nc_vec3 momentum, double energy, uint8_t *flags);
// Shortens the velocities in the solver's columns, of a dynamic body, where they would take it farther than its own
// velocity, its acceleration and the rest distance explain; to be called before they become a proposal.
void nc_step_bound_proposal(nc_step *step, int i);
// Checks a proposal and replaces it by staying where it is not fit (flags say why).
void nc_step_judge(const nc_step *step, int i, nc_path *path, uint8_t *flags);

// False for pairs so far apart that distances have no meaning (NC_COORDINATE_MAX): they have no contacts. Bodies there
// stay where they are, and certify keeps them apart.
bool nc_step_within_reach(nc_pose pose_i, nc_pose pose_j);
// Can contact change anything about a meeting? Not when nothing was decided or neither body is free.
bool nc_step_can_respond(const nc_step *step, const nc_meeting *hit);

// Makes the table of near pairs at `pose` (a column), unless it is there already.
nc_code nc_step_find_near(nc_step *step, const nc_pose *pose, nc_error *err);
// Contacts of all near pairs at `pose`; targets are 0. Appends to work->contacts.
nc_code nc_step_find_contacts(nc_step *step, const nc_pose *pose, nc_error *err);
// What components solve together in this round: their near contacts at the start of the step with targets 0, then what
// they gathered (work->crowd); *near is how many of the former. Replaces work->contacts.
nc_code nc_step_list_batch(nc_step *step, int *near, nc_error *err);
// [m/s] pairs that approach slower rest, faster ones bounce.
double nc_step_rest_speed(const nc_step *step);
// Remembers the solver's velocities; then: did a solve change those of row i?
void nc_step_remember_velocities(nc_step *step);
bool nc_step_velocity_changed(const nc_step *step, int i);
// A lower bound [m] of the distance of two bodies' features at the poses of the table; 0 when nothing is known.
double nc_step_clearance(const nc_step *step, int i, int j);
// The contact patch of a pair at the poses of its hit: what is not more than `slack` farther apart than the features
// that met; at least those.
nc_code nc_step_find_patch(nc_step *step, const nc_meeting *hit, nc_pose pose_i, nc_pose pose_j, double slack,
                           nc_error *err);

// Impulses of the last step's solve of that kind, or of the part before (arcs.c), and the time [s] that they are of.
const nc_kept_impulses *nc_step_kept(const nc_step *step, nc_solve_kind kind, double *dt);
// Gives work->contacts the impulses they had in the last step's solve of that kind, 0 if they were not there.
nc_code nc_step_recall(nc_step *step, nc_solve_kind kind, nc_error *err);
// Keeps the impulses of work->contacts for the next step, if this one is committed.
nc_code nc_step_keep(nc_step *step, nc_solve_kind kind, nc_error *err);

// The one contact of the features that met, along the line between them. Nothing where they touch.
nc_code nc_step_find_feature(nc_step *step, const nc_meeting *hit, nc_pose pose_i, nc_pose pose_j, nc_error *err);

// [N s] what bodies that contact does not move gave to those it does, by the impulses in work->contacts.
nc_vec3 nc_step_support(const nc_step *step);
void nc_vsp_work_free(nc_vsp_work *vsp, const nc_allocator *allocator);

// Rest distances of the pairs in the table of near pairs, limited by the play they have. Part of nc_step_find_near.
nc_code nc_step_find_rest(nc_step *step, nc_error *err);
// [m] the distance at which rows i and j rest, by the table of near pairs as it is now.
double nc_step_pair_rest(const nc_step *step, int i, int j);
// [m] the least sum of the distances of two of a pair's near features with opposite normals; infinite: there are none.
double nc_step_play_among(const nc_proximity *features, int count);
// The velocity [m/s] along a contact's normal that takes it from `distance` [m] to where its pair rests in one step.
double nc_step_to_rest(const nc_step *step, const nc_contact *contact, double distance);
// Bodies connected by work->contacts, bodies of infinite mass aside: fills work->island.
nc_code nc_step_find_islands(nc_step *step, nc_error *err);
// The row of a contact that has a finite mass; B's when both have none.
int nc_step_finite_row(const nc_step *step, const nc_contact *contact);
// Solves the marked islands of work->contacts again from the velocities before contact, without pushing apart.
typedef nc_code (*nc_resolve_marked)(nc_step *step, nc_error *err);
// Velocities that come from the motion, see carry.c. Reserved at the start of predict; found after its solve; dropped
// where work->contacts at the end of the step forbid it, before the last solve.
nc_code nc_step_reserve_carry(nc_step *step, nc_error *err);
nc_code nc_step_find_carry(nc_step *step, nc_resolve_marked resolve, nc_error *err);
bool nc_step_is_carried(const nc_step *step, int i);
void nc_step_choose_carry(nc_step *step);
// Solves work->contacts, found at step->at, with targets at the end of step->dt; then the same for marked islands
// without what only pushes bodies apart. Velocities before contact are those of the candidates.
nc_code nc_step_solve_resting(nc_step *step, nc_solve_report *report, nc_error *err);
nc_code nc_step_solve_without_pushing(nc_step *step, nc_error *err);
// Changes the solver's velocities so that work->contacts, with targets as they stand, are met.
nc_code nc_step_solve_targets(nc_step *step, nc_error *err);
// Proposals of several segments for islands whose arcs do not fit into their play, see arcs.c. After all others.
nc_code nc_step_reserve_arcs(nc_step *step, nc_error *err);
nc_code nc_step_follow_arcs(nc_step *step, nc_error *err);
// The same for islands that fit tightly and whose proposals meet; when work->motions has begun.
nc_code nc_step_split_meeting(nc_step *step, nc_error *err);
bool nc_step_is_arced(const nc_step *step, int i);
// The proposal `base` of several segments with the solver's present velocities as its mean.
nc_path nc_step_bend_path(const nc_step *step, int i, const nc_path *base);
// Groups of bodies that contact acted between in this step, and their energy: see energy.c. Begun with the step; told
// of every solve of work->contacts; limited at its end.
nc_code nc_step_begin_ties(nc_step *step, nc_error *err);
void nc_step_tie_contacts(nc_step *step, bool all); // all: also those without an impulse
void nc_step_limit_energy(nc_step *step);
// The velocities of bodies that certify held in two steps in a row become the motion they made, where a body of
// infinite mass takes part and that has less energy. See held.c.
void nc_step_follow_held(nc_step *step);
// Which of work->contacts act in a solve, see active.c. Finds islands and idle contacts; lets idle ones act that come
// too near on the motion of the solver's velocities from `pose` (a column) on, marks their islands and returns how
// many; copies those that act (of marked islands only) to work->crowd, and takes their impulses back from there.
nc_code nc_step_choose_idle(nc_step *step, nc_error *err);
// An island of so few bodies that it may be solved several times in a step.
bool nc_step_in_small_island(const nc_step *step, const nc_contact *contact);
int nc_step_activate(nc_step *step, const nc_pose *pose);
nc_code nc_step_gather_active(nc_step *step, bool marked_only, nc_error *err);
void nc_step_scatter_active(nc_step *step, bool marked_only);
// Raises inertias in work->inv_inertia where contact forces turn a body faster than the step. See stiff.c.
void nc_step_stiffen(nc_step *step, nc_solve_kind kind);
// The two edges of a contact of kind NC_EDGE_EDGE in the world.
void nc_step_contact_edges(const nc_step *step, const nc_contact *contact, nc_pose pose_a, nc_pose pose_b,
                           nc_vec3 edge_a[2], nc_vec3 edge_b[2]);
// [m/s] what the turning of both bodies adds to a contact's relative velocity, averaged over the step from `pose` (a
// column) on; 0 where it does not matter. See chord.c.
nc_vec3 nc_step_chord_bias(const nc_step *step, const nc_solver_bodies *bodies, const nc_contact *contact,
                           const nc_pose *pose);
// Where bodies roll, moves work->contacts to where round surfaces would touch; see docs/theory/step.md.
void nc_step_round_contacts(nc_step *step, const nc_solver_bodies *bodies);

// Answers a pair that meets; *done (false before) when that changed a body: then its path is a new one, and certify
// knows.
typedef nc_code (*nc_respond)(nc_step *step, const nc_meeting *hit, bool *done, nc_error *err);
// Appends what is to be solved for a pair that meets to work->crowd; *done as above when a body changed instead.
typedef nc_code (*nc_gather)(nc_step *step, const nc_meeting *hit, bool *done, nc_error *err);
// Solves what components gathered and the near contacts with it together; counts the bodies that have new paths in the
// ladders of their components.
typedef nc_code (*nc_solve_crowd)(nc_step *step, nc_error *err);
typedef struct nc_rounds {
    int limit;      // passes
    int pair_limit; // responses to one pair in a pass
    nc_respond respond;
    nc_gather gather;
    nc_solve_crowd solve_crowd;
} nc_rounds;
// Passes of responses until none changes anything, component by component. Pairs are resolved one by one, in the order
// of their times, as long as that brings them to an end. Then those that collide are solved together with the near
// contacts among their bodies or, when they are many, with all near contacts of their component.
nc_code nc_step_rounds(nc_step *step, nc_certifier *certifier, const nc_rounds *rounds, nc_error *err);

// Components of bodies that are near each other, each on the first rung; pairs that collide are united later. The
// ladder of a pair's component: that of i, or of j if i is of infinite mass.
nc_code nc_step_begin_components(nc_step *step, nc_error *err);
void nc_step_unite(nc_step *step, int i, int j);
nc_ladder *nc_step_ladder(nc_step *step, int i, int j);

// Fills work->meetings with the pairs that are not clear now, by time; returns how many, -1 when out of memory.
int nc_step_read_meetings(nc_step *step, const nc_certifier *certifier);
// Targets of work->contacts: the rest distance at the end of the step, from where the contact was at its start.
void nc_step_aim(nc_step *step, const nc_solver_bodies *bodies, double toi);
// The velocity in the solver's columns becomes a dynamic body's proposal.
nc_code nc_step_take_proposal(nc_step *step, int i, nc_error *err);
// Dynamic contact treats pair after pair, and what it did last is what it did worst: in a pile that it did not resolve,
// pairs approach from the start on, and certify has to hold them where they are. The next step is then the same one
// again. So bodies that would be held at once go back to what resting contact proposed, which parts all near pairs to
// first order.
nc_code nc_step_retreat(nc_step *step, nc_error *err);

// English's failsafe (4.2), if the world wants it: better proposals for pairs that dynamic contact left meeting.
nc_code nc_step_failsafe(nc_step *step, nc_error *err);
// Writes candidates.cluster, once certify is done.
void nc_step_note_clusters(nc_step *step);

// ---- bodies that break (docs/theory/fracture.md) --------------------------------------------------------------

// Are blows on one of the two to be measured?
bool nc_step_can_break(const nc_step *step, int i, int j);
// Can any body break in this step?
bool nc_step_may_break(const nc_step *step);
// Looks at the impulses in `contacts`, all of one pair, and notes the blow for each body that does not stand it; true
// when there is one. Arms are from `pose_i` and `pose_j`.
nc_code nc_step_note_blow(nc_step *step, const nc_contact *contacts, int count, nc_pose pose_i, nc_pose pose_j,
                          bool *noted, nc_error *err);
// In the pipelines VSP and ISP: does a contact, `gap` [m] beyond the rest distance, hit in this step? It does when it
// approaches faster than rest and will be nearer than the rest distance.
bool nc_step_vsp_hits(const nc_step *step, const nc_solver_bodies *bodies, const nc_contact *contact, double gap);
// Notes the blows of pairs that hit, each taken by itself. Velocities and contacts are left as they were.
nc_code nc_step_vsp_blows(nc_step *step, nc_error *err);
// Replaces the bodies in work->blows by their pieces, or says why they stay whole. The step is then to be started
// again: nothing of it counts.
nc_code nc_step_break(nc_step *step, nc_breaks *breaks, nc_error *err);
nc_breaks nc_breaks_begin(nc_world *world);
// What a step of several starts reports: where it began, and what broke.
void nc_breaks_report(const nc_breaks *breaks, nc_step_report *report);
// Ends a step: `code` says whether it was committed; if not, the world becomes what it was.
void nc_breaks_end(nc_world *world, nc_breaks *breaks, nc_code code);
void nc_ready_free(nc_workspace *work);

// The motion a script proposes for row i over [time, time + dt].
nc_path nc_script_path(const nc_bodies *bodies, int i, double time, double whole);

// Sums over dynamic bodies, in row order.
void nc_measure_bodies(const nc_world *world, nc_step_report *report);

// ---- accounts, for the report --------------------------------------------------------------------------------

// Kinetic energy [J] of one body, and of the dynamic bodies for columns of orientations, velocities and angular
// momenta.
double nc_step_body_kinetic(const nc_step *step, int i, nc_pose pose, nc_vec3 v, nc_vec3 momentum);
double nc_step_kinetic(const nc_step *step, const nc_pose *pose, const nc_vec3 *v, const nc_vec3 *momentum);
// kinetic_moved, force_work and position_energy: to be called when candidates have their velocities after forces.
void nc_step_account_for_motion(nc_step *step);
// Notes what proposals want; later, when candidates have their poses, adds up what of it happened.
nc_code nc_step_note_wishes(nc_step *step, nc_error *err);
void nc_step_account_for_wishes(nc_step *step);
// velocity_error and its body: to be called when candidates have their last velocities and the state is the old one.
void nc_step_account_for_velocities(nc_step *step);

// Wall clock [s]. For reports only; nothing that is computed depends on it.
double nc_wall_clock(void);

#endif
