// Joints as data: what nc_state holds of them, and their geometry. The step makes rows of it (src/step/joint_rows.c).
#ifndef NC_WORLD_JOINT_H
#define NC_WORLD_JOINT_H

#include "nacre/joint.h"

#include "motion/motion.h"

struct nc_state;

// A joint of the state: no pointers, so that a copy is a copy of bytes.
typedef struct nc_joint {
    uint32_t generation; // counts the lives of the slot; part of handles
    bool alive, broken;
    bool exempted; // this joint exempted its bodies from separation
    nc_joint_kind kind;
    nc_joint_collide collide;
    nc_joint_breaking breaks;
    char name[NC_JOINT_NAME];
    int a, b;                       // rows; b is -1: the world. Gears: of their first joint
    nc_vec3 anchor_a, anchor_b;     // [m] from the centres of mass, in the bodies' axes; of the world: a place
    nc_quat frame_a, frame_b;       // from the joint's axes to the bodies' axes
    double length_min, length_max;  // [m] distance
    nc_joint_axis axes[6];          // drive.keys is NULL
    int key_first[6], key_count[6]; // into the state's keys
    int joint_1, joint_2;           // slots, gear
    double ratio, offset;           // q1 + ratio q2 = offset
    double break_force, break_torque;
    double turns; // [rad] of axis 3 when it was measured last: an angle within half a turn of it is the same motion
    nc_vec3 force, torque; // of the last step, as in nc_joint_state; by commit
    double drive_force[6]; //
} nc_joint;
typedef NC_ARRAY(nc_joint) nc_joints;
typedef NC_ARRAY(nc_drive_key) nc_drive_keys;

// Where a joint's frames are in the world, given poses of its bodies (columns by row).
typedef struct nc_joint_place {
    nc_vec3 x_a, x_b;  // [m] centres of mass; of the world: the origin
    nc_vec3 p_a, p_b;  // [m] anchors
    nc_vec3 axis_a[3]; // x, y, z of A's frame in the world
    nc_vec3 axis_b[3]; //
    nc_quat turn;      // of A's frame as seen from B's
} nc_joint_place;
nc_joint_place nc_joint_find_place(const nc_joint *joint, const nc_pose *pose);

typedef enum nc_joint_lock {
    NC_LOCK_NONE,  // rotation is free
    NC_LOCK_SWING, // about y and z: the x axes coincide
    NC_LOCK_ALL,
    NC_LOCK_CROSS // x of B at a right angle to y of A
} nc_joint_lock;
nc_joint_lock nc_joint_rotation(const nc_joint *joint);
// Is a translation (0 to 2) locked? Can an axis be driven, limited or measured?
bool nc_joint_locks(const nc_joint *joint, int axis);
bool nc_joint_measures(const nc_joint *joint, int axis);
// Is it the angle between the two x axes, which has no direction and is not below 0?
bool nc_joint_axis_is_swing(const nc_joint *joint, int axis);

// [m] or [rad] coordinates of an axis that is measured. `turns` is that of the joint, or what it was last.
double nc_joint_coordinate(const nc_joint *joint, const nc_joint_place *place, int axis, double turns);
// What the drive of an axis aims at, and how fast that changes, at a time [s]. Whether it moves at all is for sleep.
double nc_drive_target(const nc_joint_drive *drive, const nc_drive_key *keys, int key_count, double time);
bool nc_drive_moves(const nc_joint_drive *drive, const nc_drive_key *keys, int key_count, double time);

// One end of a derivative: the rate is the sum of linear . v + angular . w.
typedef struct nc_joint_arm {
    int body; // row; -1: none
    nc_vec3 linear, angular;
} nc_joint_arm;
// The derivative of a coordinate of an axis: two arms.
void nc_joint_axis_arms(const nc_joint *joint, const nc_joint_place *place, int axis, nc_joint_arm arms[2]);

// How far a joint that is no gear is from what it locks.
typedef struct nc_joint_errors {
    double distance; // [m]
    double angle;    // [rad]
} nc_joint_errors;
nc_joint_errors nc_joint_find_errors(const nc_joint *joint, const nc_joint_place *place);
// The axis of a joint that gears couple, or -1.
int nc_joint_geared_axis(const nc_joint *joint);

// Joints of a row go with it.
void nc_state_forget_joints(struct nc_state *state, int row);
// Wakes the bodies of a joint.
void nc_state_wake_joint(struct nc_state *state, const nc_joint *joint);

#endif
