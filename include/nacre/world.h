// The world: bodies, the time step, snapshots.
//
// Units: metres, kilograms, seconds, radians (or any consistent set). A world is used from one thread at a time;
// it starts its own workers. No call prints or exits; a call that fails leaves the world as it was.
#ifndef NACRE_WORLD_H
#define NACRE_WORLD_H

#include "query.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nc_world nc_world;

// A handle. It goes stale when its body is destroyed, and every call then returns NC_BAD_ARGUMENT. {0, 0} is no body.
typedef struct nc_body_id {
    uint32_t index;
    uint32_t generation;
} nc_body_id;

typedef enum nc_body_type { NC_STATIC, NC_KINEMATIC, NC_DYNAMIC } nc_body_type;

// How resting contacts are solved.
typedef enum nc_contact_solver {
    NC_SOLVER_PGS,       // projected Gauss-Seidel (English eq. 15-22)
    NC_SOLVER_SEQUENTIAL // scaled sequential impulses (Guendelman et al.): for comparison; what it holds may slip
} nc_contact_solver;

typedef enum nc_friction_model {
    NC_FRICTION_CONE,   // all tangent directions alike
    NC_FRICTION_PYRAMID // four-sided (English eq. 18-20)
} nc_friction_model;

// How a step is made. Whatever it is, positions are only proposed, and nothing crosses.
typedef enum nc_pipeline {
    NC_PIPELINE_SHELL, // English, Lentine and Fedkiw: bounces, resting contact, dynamic contact
    NC_PIPELINE_VSP,   // Erleben: velocity-based shock propagation, a few iterations and stack layers
    NC_PIPELINE_ISP    // impulse-based shock propagation (Guendelman et al.), for comparison with it
} nc_pipeline;

// Settings of the pipelines VSP and ISP (docs/theory/vsp.md). ISP reads `iterations` and `symmetric` alone.
typedef struct nc_vsp_def {
    double weight;             // [1] a in [0, 1]: the part of the step in which all bodies feel each other's weight
    int iterations;            // [1] of a solve for velocities, at most; >= 1
    int correction_iterations; // [1] of a solve for positions, at most; 0: positions are not corrected
    double damping;            // gamma >= 0 on the diagonal [1/kg]; with diagonal_scaling [1], a part of it
    bool damping_falls;        // to 0 in the last iteration
    bool diagonal_scaling;     // rows and columns divided by the root of the diagonal
    bool symmetric;            // every second iteration goes backwards; the paper's all go forwards
    bool warm_start;           // from the impulses of the step before; the paper starts from 0
} nc_vsp_def;

// What two surfaces make of their coefficients p and q.
typedef enum nc_combination {
    NC_COMBINE_AVERAGE,   // (p + q) / 2
    NC_COMBINE_GEOMETRIC, // sqrt(p q)
    NC_COMBINE_MINIMUM,
    NC_COMBINE_MAXIMUM,
    NC_COMBINE_MULTIPLY // p q
} nc_combination;

// What happens when a scripted body is blocked.
typedef enum nc_on_jam {
    NC_JAM_STALL, // it loses that part of its motion, and makes the rest of its script from where it is
    NC_JAM_STOP   // the step fails with NC_JAMMED
} nc_on_jam;

// What is proposed for bodies that still collide when dynamic contact has reached its limit (English 4.2). Whatever it
// is, nothing crosses.
typedef enum nc_failsafe {
    NC_FAILSAFE_NONE,      // nothing: bodies move together from the time they collide
    NC_FAILSAFE_KINEMATIC, // clusters whose members keep their motion against each other, where that resolves a pair
    NC_FAILSAFE_FULL       // clusters that move as one from the start of the step
} nc_failsafe;

#define NC_REST_FRACTION_MAX 0.5 // [1]

// Settings of a world. Get them from nc_world_def_default and change what you need. Defaults and ranges: settings.def.
typedef struct nc_world_def {
    nc_vec3 gravity;       // [m/s^2]  default (0, -9.8, 0)
    double rest_distance;  // [m] d_rest > 0; kept between bodies at rest, at most: see rest_fraction
    double proximity;      // [m] d_prox > d_rest; below it features are near, of pairs that rest at d_rest
    double floor_distance; // [m] d_floor < d_rest; separation that is certified
    // [1] in [0, NC_REST_FRACTION_MAX]: a pair rests at this part of the diagonal of its smaller body, where that is
    // less than rest_distance (and at 8 floor_distance at least), and its features are near in the same proportion. 0,
    // the default: all pairs rest at rest_distance.
    double rest_fraction;
    bool cap_rest;      // pairs that are put nearer than d_rest rest where they are put; else they are pushed apart
    double friction;    // [1] >= 0, of bodies that name none
    double restitution; // [1] in [0, 1], of bodies that name none
    bool energy_fix;    // Su's correction of free rotation; on by default
    // false, for comparison only: no correction and no limit on energy, of free rotation (energy_fix) or of contact
    bool energy_corrections;
    int collision_iterations;      // [1] rounds of bounces per step, at most
    int dynamic_iterations;        // [1] rounds of dynamic contact per step, at most
    int pair_collision_iterations; // [1] bounces of one pair in a round, at most
    int pair_dynamic_iterations;   // [1] responses of dynamic contact to one pair in a round, at most
    bool collide_in_batches;       // what still collides is solved together; false: one by one to the limits
    int contact_iterations;        // [1] sweeps of the resting contact solver, at most
    double contact_tolerance;      // [1] part of the largest violation at which it stops
    nc_contact_solver contact_solver;
    bool contact_acceleration; // pgs with the momentum of nonlinear conjugate gradients; false: plain Gauss-Seidel
    double sequential_scale;   // [1] in (0, 1]: the part of an impulse that the sequential solver applies at a time
    nc_friction_model friction_model;
    nc_combination friction_rule;    // of a pair, from the frictions of its bodies
    nc_combination restitution_rule; // of a pair, from the restitutions of its bodies
    bool shock_propagation;          // solve layer by layer where the limit of sweeps was reached
    double rest_speed;               // [m/s] pairs that approach slower rest, faster ones bounce; negative: 2 |g| dt
    nc_on_jam on_jam;
    nc_failsafe failsafe;
    nc_pipeline pipeline;
    nc_vsp_def vsp;
    int fracture_limit;     // [1] bodies that break in a step, at most; the others stay whole. docs/fracture.md
    bool sleep;             // bodies at rest are not moved or solved until something concerns them; on by default
    int workers;            // threads; 0: as many as the machine has
    nc_allocator allocator; // all zero: malloc
} nc_world_def;

nc_world_def nc_world_def_default(void);

// A pose in time, for scripted bodies.
typedef struct nc_keyframe {
    double time; // [s] ascending
    nc_vec3 position;
    nc_quat orientation;
} nc_keyframe;

typedef struct nc_body_def {
    nc_body_type type;
    const char *name;             // NULL: none. Copied.
    nc_mesh *mesh;                // retained. Its origin is what `position` places.
    nc_mass_def mass;             // dynamic bodies only
    nc_vec3 position;             // [m] of the mesh origin
    nc_quat orientation;          // of the mesh axes; any length but 0
    nc_vec3 velocity;             // [m/s] of the centre of mass (dynamic), of the mesh origin (kinematic)
    nc_vec3 spin;                 // [rad/s] angular velocity in world axes
    double friction;              // [1] negative: the world's
    double restitution;           // [1] negative: the world's
    const nc_keyframe *keyframes; // kinematic: positions of the mesh origin; copied. None: constant velocity and spin.
    int keyframe_count;
    // kinematic: where contacts and joints oppose its motion with more than max_force [N], or its turning with more
    // than max_torque [N m], it makes only the part of the motion that it has the force for, and waits with the rest of
    // its script. 0: no limit.
    double max_force, max_torque;
    nc_appearance appearance; // its fragments inherit it
} nc_body_def;

nc_body_def nc_body_def_default(void);

// What a body is and does now.
typedef struct nc_body_state {
    nc_body_type type;
    nc_pose pose;             // [m] centre of mass, orientation of the mesh axes: apply it to nc_body_mesh's vertices
    nc_vec3 velocity;         // [m/s] of the centre of mass
    nc_vec3 spin;             // [rad/s]
    nc_vec3 angular_momentum; // [kg m^2/s]
    double mass;              // [kg] 0 for static and kinematic bodies
    double kinetic;           // [J]
    double friction, restitution;
    nc_appearance appearance;
} nc_body_state;

nc_code nc_world_create(const nc_world_def *def, nc_world **out, nc_error *err);
void nc_world_destroy(nc_world *world); // NULL is allowed

// Errors: NC_BAD_ARGUMENT (a field out of range is named), NC_OUT_OF_MEMORY; in a world that was checked or stepped
// also NC_INTERSECTING, when the body would share a point with one that it must stay apart from, or touch it: both are
// named.
nc_code nc_body_create(nc_world *world, const nc_body_def *def, nc_body_id *out, nc_error *err);
nc_code nc_body_destroy(nc_world *world, nc_body_id body, nc_error *err);
nc_code nc_body_read(const nc_world *world, nc_body_id body, nc_body_state *out, nc_error *err);
// The mesh the body's pose applies to: recentred to the centre of mass for dynamic bodies. Borrowed; NULL if stale.
const nc_mesh *nc_body_mesh(const nc_world *world, nc_body_id body);
// "" when it has none; NULL when the handle is stale.
const char *nc_body_name(const nc_world *world, nc_body_id body);
// The first of the bodies that it was joined with in the last step: itself, when it is the first. Bodies are joined by
// certify, and then move on as one, or by the failsafe, which joins them in what they propose. {0, 0} when it was
// alone, or when a body was made, moved or removed since that step.
nc_body_id nc_body_cluster(const nc_world *world, nc_body_id body);
// Does the body sleep (nc_world_def.sleep)? Then it is where it was when it fell asleep, and its velocity is 0. It
// wakes, with all that it fell asleep with, when something that moves comes near, and when a body beside it or a
// setting is changed. False when stale.
bool nc_body_sleeps(const nc_world *world, nc_body_id body);
// Whom a scripted body waited for in the last step. {0, 0} when it did not wait, or when a body was made, moved or
// removed since that step.
nc_body_id nc_body_blocker(const nc_world *world, nc_body_id body);
// What a kinematic body with a maximum force or torque bore in the last step.
typedef struct nc_body_load {
    nc_vec3 force;                // [N] of contacts and joints on it, mean over the step
    nc_vec3 torque;               // [N m] the same, about its centre
    double pace;                  // [1] part of its script's motion that it made: below 1 it waited
    double lag;                   // [s] how much later than its keyframes it is, by waiting
    double max_force, max_torque; // [N], [N m] 0: no limit, and then force and torque are not measured
} nc_body_load;
nc_code nc_body_read_load(const nc_world *world, nc_body_id body, nc_body_load *out, nc_error *err);
// How the velocities of a body changed in the last step: after it less before it, divided by its length. An impact
// counts with its impulse over mass and step; half the step doubles that. What is set or applied between steps does not
// count. Of bodies that sleep, and of static ones, 0.
typedef struct nc_body_acceleration {
    bool known;      // false: no step was made since the world was created or restored, or since a body was created,
                     // moved or removed. Then the others are 0
    nc_vec3 linear;  // [m/s^2] of the centre of mass
    nc_vec3 angular; // [rad/s^2]
} nc_body_acceleration;
nc_code nc_body_read_acceleration(const nc_world *world, nc_body_id body, nc_body_acceleration *out, nc_error *err);
// Other limits for a kinematic body, as in nc_body_def, from the next step on.
nc_code nc_body_set_max_force(nc_world *world, nc_body_id body, double force, double torque, nc_error *err);
// Sets the pose (centre of mass, as in nc_body_state), whatever lies between the old one and the new. In a world that
// was checked or stepped NC_INTERSECTING, as with nc_body_create. Moving a scripted body shifts nothing but its present
// pose.
nc_code nc_body_move(nc_world *world, nc_body_id body, nc_pose pose, nc_error *err);
// Changes nothing but how the body is shown from now on. Snapshots do not have it: a restored body looks as the one
// that had its handle in this world before, or as nothing was said.
nc_code nc_body_set_appearance(nc_world *world, nc_body_id body, nc_appearance appearance, nc_error *err);
nc_code nc_body_set_velocity(nc_world *world, nc_body_id body, nc_vec3 velocity, nc_vec3 spin, nc_error *err);
// A force [N] through the centre of mass and a torque [N m], acting in every step until set again.
nc_code nc_body_set_force(nc_world *world, nc_body_id body, nc_vec3 force, nc_vec3 torque, nc_error *err);
// An impulse [N s] at a world point [m], at once.
nc_code nc_body_apply_impulse(nc_world *world, nc_body_id body, nc_vec3 impulse, nc_vec3 point, nc_error *err);

// Exempts a pair from separation: the two may pass through each other. Twice is as good as once.
nc_code nc_world_exempt_pair(nc_world *world, nc_body_id a, nc_body_id b, nc_error *err);
// Friction [1] and restitution [1] of one pair, instead of what the rules make of its bodies'. Negative: by the rule.
nc_code nc_world_set_pair(nc_world *world, nc_body_id a, nc_body_id b, double friction, double restitution,
                          nc_error *err);
// What the pair has: set for it, or by the rules. Either pointer may be NULL.
nc_code nc_world_read_pair(const nc_world *world, nc_body_id a, nc_body_id b, double *friction, double *restitution,
                           nc_error *err);
// True when the pair must stay apart: not exempt and not both static.
bool nc_world_pair_matters(const nc_world *world, nc_body_id a, nc_body_id b);

int nc_world_body_count(const nc_world *world);
// Bodies in creation-slot order; writes up to `capacity` handles, returns how many there are.
int nc_world_bodies(const nc_world *world, nc_body_id *out, int capacity);
// {0, 0} when there is none; the first in slot order when several share the name.
nc_body_id nc_world_find(const nc_world *world, const char *name);

// The columns of all rows, for programs that read many bodies at once: row `index` of a handle. A row that is not alive
// has been a body, or will be one. Borrowed: the pointers hold until a body is created, a snapshot is restored or a
// step breaks a body; steps change what they point at.
typedef struct nc_world_data {
    int count;                      // rows, dead ones included; the columns are NULL when there are none
    const uint8_t *alive;           // 1 or 0
    const uint32_t *generation;     // of the handle of a body that is alive
    const nc_pose *pose;            // [m] as in nc_body_state
    const nc_vec3 *velocity, *spin; // [m/s], [rad/s]
    const nc_vec3 *force, *torque;  // [N], [N m] as nc_body_set_force set them
    const double *mass;             // [kg] 0 for static and kinematic bodies
} nc_world_data;
nc_world_data nc_world_view(const nc_world *world);

double nc_world_time(const nc_world *world); // [s]
int64_t nc_world_step_count(const nc_world *world);
nc_world_def nc_world_settings(const nc_world *world);
// Changes all settings but the allocator. NC_BAD_ARGUMENT names a field that is out of range; nothing changed then.
nc_code nc_world_set_settings(nc_world *world, const nc_world_def *def, nc_error *err);
nc_code nc_world_set_gravity(nc_world *world, nc_vec3 gravity, nc_error *err);

// ---- the start ----------------------------------------------------------------------------------------------

// What nc_world_check found.
typedef struct nc_start_report {
    double nearest;        // [m] of the nearest pair; infinite when none is nearer than it rests
    nc_body_id a, b;       // that pair, if there is one
    double floor_asked;    // [m] floor_distance as it was set
    double floor_distance; // [m] as it is now: lowered to an eighth of `nearest` when that is less
    int capped_pairs;      // pairs nearer than their rest distance: they rest at the distance they start at
    double float_floor;    // [m] 2^-20 of the largest coordinate of what moves: with a lower floor, 32-bit exports may
                           // make things touch
} nc_start_report;

// Makes sure that the world starts well; the first step does so when this was not called before. NC_INTERSECTING, with
// both bodies named, when two that must stay apart share a point, or are too near for doubles to distinguish
// (2^10 times the rounding of their places). Pairs that start nearer than their rest distance will rest at the
// distance they have; floor_distance is lowered to an eighth of the smallest of these when it is above it.
// Until then bodies are created and moved without testing the others: a large world is checked once, and as a whole.
// From then on every nc_body_create and nc_body_move is checked at once, and this call only gives the report again.
// `report` may be NULL. On failure nothing changed but `report`, whose a and b are the two bodies.
nc_code nc_world_check(nc_world *world, nc_start_report *report, nc_error *err);

// ---- stepping -----------------------------------------------------------------------------------------------

// What a step did. Everything not solved to tolerance is counted here (promise G5).
typedef struct nc_step_report {
    int64_t step;           // steps done, this one included
    double time;            // [s] at the end of the step
    double dt;              // [s]
    double seconds_total;   // wall time of the step; not part of any hash
    double seconds_predict; // wall time
    double seconds_commit;  // wall time
    int bodies, dynamic_bodies;
    int sleeping;              // dynamic bodies that sleep at the end
    int wakings;               // bodies that woke in this step, by what came near them
    double kinetic, potential; // [J] of dynamic bodies at the end; potential relative to the origin
    double kinetic_before;     // [J] at the start of the step
    nc_vec3 momentum;          // [kg m/s]
    nc_vec3 angular_momentum;  // [kg m^2/s] about the origin
    nc_vec3 support;           // [N s] impulse of static and scripted bodies on the others in the last contact solve
    int energy_fixes;          // orientations turned to the exact energy
    int energy_fallbacks;      // of those, about a principal axis
    int not_finite;            // bodies whose proposal was not finite: they stayed where they were
    double seconds_collide, seconds_separate, seconds_settle; // wall time
    double seconds_respond; // of collide and separate, in the solver of pairs that collide
    double seconds_contact; // of predict and settle, in resting contact: its detection and its solver
    double seconds_solve;   // of that, in the solver
    int pairs;              // pairs of bodies with overlapping swept boxes
    int64_t sweeps;         // swept tests of pairs
    int collisions;         // bounces
    int contacts;           // resting contacts at the start
    int contact_iterations; // sweeps of the solver over them
    int unconverged;        // islands of contacts not solved to tolerance
    int dynamic_contacts;   // proposals changed by dynamic contact
    int sticks, halts, stalls, jams, undecided; // what certify had to do
    int clamps;                                 // changes of velocity held back for energy
    double kinematic_work;                      // [J] given by scripted bodies
    double turn_loss;                           // [J] rotational energy given up by bodies that contact turned
    double smallest_distance; // [m] certified lower bound of the distance of all pairs over the step, at most
                              // proximity; infinite when no two swept boxes came within it
    double kinetic_collided;  // [J] after the bounces, where the step began
    double kinetic_moved;     // [J] after motion and forces, before resting contact has its last word
    double potential_before;  // [J] at the start of the step
    double force_work;        // [J] by the forces and torques set for bodies
    double position_energy;   // [J] added between kinetic_collided and kinetic_moved by nothing but positions: contact
                              // that held bodies up or pushed them apart. See docs/theory/step.md
    double residual;          // [m/s] largest violation that the contact solver left
    int final_contacts;       // resting contacts at the end
    int final_iterations;     // sweeps of the solver over them
    int shocks;               // islands solved layer by layer; VSP and ISP: stack layers
    int collision_passes;     // rounds of bounces made
    int dynamic_passes;       // rounds of dynamic contact made
    int kinematic_clusters;   // clusters that the failsafe formed, members moving against each other
    int full_clusters;        // clusters that the failsafe formed, moving as one from the start of the step
    int too_far;              // bodies whose rounding budget is above d_floor / 64: they stayed where they were
    double wanted_motion;     // [m] travel and turn times radius of all dynamic bodies after dynamic contact
    double kept_motion;       // [m] the part of it that happened
    double depth;             // [m] most that a contact was inside the envelope (the rest distance) at the start
    int fractures;            // bodies that broke
    int pieces;               // fragments
    int unbroken;             // bodies hit above their threshold that stayed whole: nc_world_fractures has the reason
    double fracture_energy;   // [J] kinetic energy of the pieces less that of the bodies they were
    double seconds_fracture;  // wall time of breaking; in seconds_total, and in no other phase
    double velocity_error;   // [m/s] largest difference of a dynamic body's stored velocity and its motion in the step:
                             // how far its displacement / dt is from all velocities between the one stored before and
                             // the one stored after, and rotation likewise, times its radius. See docs/theory/step.md
    int velocity_error_body; // slot of that body; -1 when all errors are 0
    int bounded;             // proposals shortened: contact would have moved a body farther than its velocity explains
    int stalled_body;        // slot of the first scripted body that waited in this step; -1: none
    int stalled_by;          // slot of the body that blocked it; -1: none
    int left_body;           // slot of the first body that stayed because it was too_far or not_finite; -1: none
    int joints;              // that act on a body that moves
    double joint_error;      // [m] largest distance of anchors from where a joint holds them
    double joint_error_angle; // [rad] the same of rotations
    int joint_breaks;         // joints that broke
    int waits;                // scripted bodies that made a part of their motion only, because of their maximum force
    int64_t evaluations;      // of the sweeps: tests of tree nodes and of elements, evaluations of pairs of features
} nc_step_report;

// Advances by dt [s], 0 < dt. The first step checks the start (nc_world_check). A transaction: on any error the world
// is exactly as it was. `report` may be NULL.
nc_code nc_world_step(nc_world *world, double dt, nc_step_report *report, nc_error *err);

// From now on steps check whether they must end: every few thousand evaluations of a sweep, at events, and between
// phases. After the first true the step fails with NC_INTERRUPTED, and the world is exactly as it was. `asked` is
// called from several threads concurrently; once it has returned true it must keep doing so until the step has
// returned. While it returns false it changes nothing. NULL: no more. Not part of snapshots.
void nc_world_set_interrupt(nc_world *world, bool (*asked)(void *ctx), void *ctx);

// From now on, or no more, the steps of the VSP pipeline measure the merit function of their solve for velocities over
// all contacts (Erleben eq. 38). It changes no result and is not part of snapshots.
void nc_world_trace_merit(nc_world *world, bool on);
// Its values in the last step: before the first iteration and after each. Writes up to `capacity`; returns how many
// there are, 0 when they were not measured.
int nc_world_merit(const nc_world *world, double *out, int capacity);

// ---- contacts of a step -------------------------------------------------------------------------------------

typedef enum nc_contact_phase {
    NC_CONTACT_IMPACT, // a bounce
    NC_CONTACT_REST,   // holds or slides; with the pipelines vsp and isp, which solve all together, bounces too
    NC_CONTACT_ASLEEP  // both bodies slept, or one of them on what does not move: what it gave when they fell asleep
} nc_contact_phase;
const char *nc_contact_phase_name(nc_contact_phase phase); // "impact", "rest", "asleep"

// Where an impulse acted in a step. A pair may have several, and a point may be there twice: it bounced and then
// rested.
typedef struct nc_contact_point {
    nc_body_id a, b;
    nc_contact_phase phase;
    nc_feature_id feature;
    nc_vec3 place;   // [m]   halfway between the two surfaces
    nc_vec3 normal;  // [1]   from B to A
    double distance; // [m]   between the surfaces
    nc_vec3 impulse; // [N s] on A, in world axes; the opposite acts on B
} nc_contact_point;

// From now on, or no more, steps record the impulses that changed velocities. Divided by dt they are mean forces. What
// only changed proposed motions, and what limits of energy took back, is not among them (docs/run-file.md). It changes
// no result and is not part of snapshots.
void nc_world_trace_contacts(nc_world *world, bool on);
// Those of the last step, in the order in which they were solved: the same for any number of workers. Writes up to
// `capacity`; returns how many there are.
int nc_world_contacts(const nc_world *world, nc_contact_point *out, int capacity);

// The energies and momenta of the current state, as a report of zero steps.
nc_code nc_world_measure(const nc_world *world, nc_step_report *report, nc_error *err);

// ---- exact audit --------------------------------------------------------------------------------------------

typedef struct nc_overlap {
    nc_body_id a, b;
    nc_intersection where; // elements and position
} nc_overlap;

// Finds pairs that share a point now, exactly. Writes up to `capacity` of them in (a, b) order; `*out_count` is how
// many pairs there are in all. Exempt pairs and pairs of static bodies are not tested.
nc_code nc_world_audit(const nc_world *world, nc_overlap *out, int capacity, int *out_count, nc_error *err);

typedef struct nc_crossing {
    nc_body_id a, b;
    double t;              // [1] part of the step
    nc_intersection where; // elements and position
} nc_crossing;

// Examines the motion of the last step: every such pair whose swept boxes overlap is tested exactly at 64 times of the
// step, its end included, and at 64 more around the one at which the two are nearest. Writes up to `capacity` pairs
// in (a, b) order, each with the first time it was found to share a point; `*out_count` is how many there are in all.
// Cost: some microseconds per pair and time. Errors: NC_NOT_FOUND when the world has not been stepped since it was
// created, restored, or had bodies created, moved or destroyed.
nc_code nc_world_audit_step(const nc_world *world, nc_crossing *out, int capacity, int *out_count, nc_error *err);

// ---- snapshots ----------------------------------------------------------------------------------------------

// A hash of everything that decides the future: equal hashes, equal futures.
uint64_t nc_world_hash(const nc_world *world);
// Appends the whole state but for mesh geometry, which is named by table row and hash. Format version inside;
// little-endian; the same bytes on every machine.
nc_code nc_world_save(const nc_world *world, nc_buffer *out, nc_error *err);
// Replaces the world's state. The meshes that the snapshot names must be in the table, row by row with equal hash:
// either this world made the snapshot, or nc_world_add_mesh put them there. On failure nothing changed.
nc_code nc_world_restore(nc_world *world, const void *bytes, size_t size, nc_error *err);

// The meshes that bodies use (recentred), in order of first use.
int nc_world_mesh_count(const nc_world *world);
nc_mesh *nc_world_mesh(const nc_world *world, int row);                   // borrowed
int nc_body_mesh_row(const nc_world *world, nc_body_id body);             // -1 when stale
nc_code nc_world_add_mesh(nc_world *world, nc_mesh *mesh, nc_error *err); // retained; for restoring

#ifdef __cplusplus
}
#endif
#endif
