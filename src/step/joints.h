// Inside step only: joints in a step. docs/theory/joints.md.
#ifndef NC_STEP_JOINTS_H
#define NC_STEP_JOINTS_H

#include "contact/contact.h"
#include "world/world.h"

typedef struct nc_step nc_step;

typedef enum nc_joint_rule {
    NC_RULE_EQUAL, // value is 0
    NC_RULE_LOWER, // value is not below 0
    NC_RULE_UPPER, // value is not above 0
    NC_RULE_SPRING,
    NC_RULE_FRICTION,
    NC_RULE_DRIVE
} nc_joint_rule;

// What a row is about. The rows of a joint are always made in the same order.
typedef struct nc_joint_demand {
    nc_joint_rule rule;
    int joint; // slot
    int axis;
    double value;  // [m] or [rad] where the step begins, or ends
    double aim;    // [m] or [rad] value that the proposal is to end with
    double end;    // [m] or [rad] value that it ended with
    double target; // [m/s] or [rad/s] of its row before targets were renewed
} nc_joint_demand;

// How well the proposals of an island end where its joints want them.
typedef struct nc_joint_aim {
    double now, least; // [m] or [rad] largest miss: of the last solve, of the best one so far
    bool settled;      // its targets stay as they are
    bool rough;        // the best one misses by too much: its velocities do not come from its motion
} nc_joint_aim;

// What the rows of a joint gave in the step so far.
typedef struct nc_joint_reaction {
    nc_vec3 force, torque; // [N], [N m] on A, about its anchor: impulses over dt
    double drive_force[6]; // [N] or [N m]
    bool breaks;           // one of them is above what the joint bears; by nc_step_strain_joints
} nc_joint_reaction;

typedef struct nc_row_pair {
    int i, j; // rows, both free
} nc_row_pair;

// Free bodies that joints connect: what bounds their proposals (bound.c). Numbers are those of the root's entry.
typedef struct nc_mechanism {
    int root;          // by row: the body whose entry is that of its mechanism
    double own;        // [m/s] fastest point that a body has, or could have without contact
    double scripted;   // [m/s] fastest point of scripted bodies that it is joined to
    double given;      // [m/s] by springs, friction and drives
    double mended;     // [m/s] largest speed with which a row removes an error
    double rest;       // [m]   rest distance of the largest body
    double speed;      // [m/s] fastest point of the proposals
    double mass;       // [kg]  of all
    double own_energy; // [J]   kinetic energy that its bodies have, or could have without contact
    double work;       // [J]   of springs, friction and drives
    double energy;     // [J]   kinetic energy of the proposals
    double part;       // [1]   of the proposals that is kept
} nc_mechanism;

// How much of the correction of its joints an island gets (joint_ease.c). By lowest row of an island.
typedef struct nc_joint_ease {
    double start; // [m] or [rad] largest error of a joint where the step begins
    double end;   // [m] or [rad] and where proposals end
    double kept;  // [1] part of the proposals that is no leap
    double part;  // [1] of the way that is gone
    bool open;    // not yet decided
} nc_joint_ease;

typedef struct nc_step_joints {
    bool on;                               // there is a joint with a free body
    NC_ARRAY(int) active;                  // slots of these
    NC_ARRAY(uint8_t) jointed;             // by row: it has one
    NC_ARRAY(uint8_t) skip;                // by row: its island is not to be solved
    NC_ARRAY(nc_row_pair) pairs;           // free rows that a joint connects
    NC_ARRAY(nc_mechanism) mechanisms;     // by row
    NC_ARRAY(int) parent;                  // by row: forest of the pairs
    NC_ARRAY(nc_joint_row) rows;           // of the solves that go on
    NC_ARRAY(nc_joint_demand) demand;      // of these
    NC_ARRAY(nc_joint_row) start;          // rows of predict, with the impulses that are carried
    NC_ARRAY(nc_joint_row) settled;        // rows of the last solve, while another one is made for lift.c
    NC_ARRAY(nc_pose) ends;                // by row: where a proposal ends
    NC_ARRAY(double) best;                 // targets of the rows, of the aim that missed least; impulses of a solve
    NC_ARRAY(nc_joint_aim) aims;           // by lowest row of an island
    NC_ARRAY(nc_joint_reaction) reactions; // by slot
    NC_ARRAY(nc_joint_ease) ease;          // by lowest row of an island
    NC_ARRAY(nc_vec3) eager, eager_turn;   // [m/s], [rad/s] by row: velocities that remove errors,
    NC_ARRAY(nc_vec3) plain, plain_turn;   // and that leave them
    nc_joint_rows view;
} nc_step_joints;
void nc_step_joints_free(nc_step_joints *joints, const nc_allocator *allocator);

// Which joints act in this step.
nc_code nc_step_begin_joints(nc_step *step, nc_error *err);
bool nc_step_is_jointed(const nc_step *step, int row);
// The lowest row of the island that a row of a joint belongs to.
int nc_step_joint_island(const nc_step *step, const nc_joint_row *row);
// Rows for collisions; for predict; for dynamic contact, from those of predict; for the last solve.
nc_code nc_step_joints_for_impacts(nc_step *step, nc_error *err);
nc_code nc_step_joints_for_start(nc_step *step, nc_error *err);
void nc_step_joints_for_proposals(nc_step *step);
// For what pushes bodies at rest: joints hold, nothing drives, islands without a contact are left alone. And back: what
// they bear is what the last solve found.
nc_code nc_step_begin_lifted_joints(nc_step *step, nc_error *err);
void nc_step_end_lifted_joints(nc_step *step);
nc_code nc_step_joints_for_end(nc_step *step, nc_error *err);
// Again, for marked islands that are not carried any more; the impulses of others stay.
nc_code nc_step_joints_for_released(nc_step *step, nc_error *err);
// Solves to come leave out islands that are not marked (or none, if `marked_only` is false).
void nc_step_skip_unmarked(nc_step *step, bool marked_only);
// Begins with the aims of a step.
nc_code nc_step_begin_aims(nc_step *step, nc_error *err);
// Renews the targets of islands whose proposals do not end where they should, and marks these. Returns how many rows
// have new targets. Where that made it worse, the targets before are taken for good.
int nc_step_aim_joints(nc_step *step);
// Are the velocities of a row's island not to come from its motion?
bool nc_step_aims_roughly(const nc_step *step, int row);
// Islands with joints whose energy rose by more than drives and springs gave are not carried any more: marks them,
// gives them the velocities before the last solve, and returns how many there are.
int nc_step_release_risen_joints(nc_step *step);
// Marks islands that are not carried and gained more than their drives and springs gave by force times way, for a solve
// without these: velocities are those before the last solve. *count: how many.
nc_code nc_step_mark_overdriven_joints(nc_step *step, int *count, nc_error *err);
// From what that solve found (contacts: in the batch) a part of the way to what there was with drives.
void nc_step_limit_drives(nc_step *step);
// Values of all demands where the velocities in the solver's columns lead go to their `end`.
void nc_step_find_joint_ends(nc_step *step);
// Marks islands that would end with larger errors of their joints than they begin with, or leap, because of what they
// do to remove them; keeps their velocities. Returns how many there are. They are to be solved again with targets that
// leave errors as they are; then nc_step_ease_joints goes from there as far towards the kept velocities as makes no
// error larger and no leap.
int nc_step_mark_strained_joints(nc_step *step);
void nc_step_ease_joints(nc_step *step);
// Until `correct` is true again, targets leave errors of joints as they are.
void nc_step_correct_joints(nc_step *step, bool correct);
// Keeps rows and impulses of predict.
nc_code nc_step_keep_joints(nc_step *step, nc_error *err);
// Is the impulse of a row of the start in the velocities at the end of the step?
bool nc_step_row_is_carried(const nc_step *step, const nc_joint_row *row);
// Does a drive of the joint move in this step?
bool nc_step_joint_is_driven(const nc_step *step, const nc_joint *joint);
// Bodies that joints connect fall asleep together; what hangs on something fixed is borne, and what is driven is awake.
void nc_step_join_resting(nc_step *step);
// Around a solve of collisions whose velocities count: what joints give in it is part of their reaction.
void nc_step_begin_joint_impacts(nc_step *step);
void nc_step_add_joint_impacts(nc_step *step);
// The phase that adds up what joints bear, and finds those that break by it.
nc_code nc_step_strain_joints(nc_step *step, nc_error *err);
// The event of a joint that breaks in this step.
nc_joint_break nc_step_joint_break(const nc_step *step, int slot);
// In commit, when nothing can fail any more: forces, errors, what breaks. The second one for a joint that acts.
void nc_step_measure_joints(nc_step *step);
void nc_step_commit_reaction(nc_step *step, int slot);

#endif
