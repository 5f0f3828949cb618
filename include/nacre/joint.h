// Joints: what connects two bodies, or a body and the world, beside contact. docs/joints.md is the guide.
//
// Body A is what moves in a joint, body B is what carries it: another body, or the world. Both have a frame of the
// joint: an anchor and three axes. Six axes say how A may move as seen from B:
//   0, 1, 2  translation of A's anchor along the x, y and z axis of B's frame [m]
//   3, 4, 5  rotation of A's frame about these axes [rad]
// A kind of joint locks some of them. x is `axis` of the definition.
//
// The guarantee is above the joints: where certify has to hold a body, the joint has an error, which is measured
// (nc_joint_state.error, nc_step_report.joint_error) and removed in the following steps.
#ifndef NACRE_JOINT_H
#define NACRE_JOINT_H

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

// A handle. It goes stale when its joint is destroyed, or one of its bodies. {0, 0} is no joint.
typedef struct nc_joint_id {
    uint32_t index;
    uint32_t generation;
} nc_joint_id;

typedef enum nc_joint_kind {
    NC_JOINT_FIXED,       // A is welded to B: all axes locked
    NC_JOINT_HINGE,       // turns about x (axis 3)
    NC_JOINT_SLIDER,      // slides along x (axis 0)
    NC_JOINT_BALL,        // anchors coincide; turns freely
    NC_JOINT_UNIVERSAL,   // anchors coincide; x of B stays at a right angle to y of A: a cross
    NC_JOINT_CYLINDRICAL, // slides along x and turns about it (axes 0 and 3)
    NC_JOINT_PLANAR,      // slides in the plane across x and turns about x (axes 1, 2 and 3)
    NC_JOINT_DISTANCE,    // anchors are between `length_min` and `length_max` apart: a rod, a rope
    NC_JOINT_GENERIC,     // axes are locked as `axes[].locked` says
    NC_JOINT_GEAR,        // couples two joints: q1 + ratio q2 stays what it is; hinges, sliders (a rack), cylinders
    NC_JOINT_KINDS
} nc_joint_kind;
// Names as scenes write them, by kind.
extern const char *const nc_joint_kind_names[NC_JOINT_KINDS];

typedef enum nc_drive_mode {
    NC_DRIVE_NONE,
    NC_DRIVE_POSITION, // to a target [m] or [rad]: with stiffness and damping, or as fast as max_force lets it
    NC_DRIVE_VELOCITY, // to a target [m/s] or [rad/s]: with damping, or as fast as max_force lets it
    NC_DRIVE_FORCE,    // a force [N] or torque [N m]
    NC_DRIVE_MODES
} nc_drive_mode;
extern const char *const nc_drive_mode_names[NC_DRIVE_MODES];

typedef struct nc_drive_key {
    double time;  // [s] ascending
    double value; // of the target; linear in between, constant before the first and after the last
} nc_drive_key;

// What moves an axis. The target at time t is `target` (or what the keys say) + amplitude sin(2 pi frequency t +
// phase).
typedef struct nc_joint_drive {
    nc_drive_mode mode;
    double target;            // unit: see the mode
    double amplitude;         // the same unit
    double frequency;         // [Hz]
    double phase;             // [rad]
    double stiffness;         // [N/m] or [N m/rad]; 0, and damping 0: rigid
    double damping;           // [N s/m] or [N m s/rad]
    double max_force;         // [N] or [N m]; 0: no limit
    const nc_drive_key *keys; // copied; NULL: none
    int key_count;
} nc_joint_drive;

// One axis. What is said of a locked one is ignored.
typedef struct nc_joint_axis {
    bool locked;          // of NC_JOINT_GENERIC
    bool limited;         // between lower and upper [m] or [rad]
    double lower, upper;  //
    double restitution;   // [1] of the limits, in [0, 1]
    double friction;      // [N] or [N m] largest force of dry friction
    double stiffness;     // [N/m] or [N m/rad] of a spring
    double damping;       // [N s/m] or [N m s/rad] of a damper
    double rest;          // [m] or [rad] where the spring has no force
    nc_joint_drive drive; //
} nc_joint_axis;

typedef enum nc_joint_collide {
    NC_JOINT_COLLIDE_AUTO, // the two bodies collide, unless they share a point when the world is checked
    NC_JOINT_COLLIDE_YES,
    NC_JOINT_COLLIDE_NO
} nc_joint_collide;

// What breaks with a joint. A body breaks only if it has a fracture (nc_body_set_fracture); the pattern is centred at
// the joint's anchor, along its reaction.
typedef enum nc_joint_breaking {
    NC_JOINT_BREAKS_ALONE,
    NC_JOINT_BREAKS_BODY,
    NC_JOINT_BREAKS_TO,
    NC_JOINT_BREAKS_BOTH,
    NC_JOINT_BREAKINGS
} nc_joint_breaking;
// Names as scenes write them.
extern const char *const nc_joint_breaking_names[NC_JOINT_BREAKINGS];

#define NC_JOINT_NAME 64 // letters, the end included

typedef struct nc_joint_def {
    nc_joint_kind kind;
    const char *name;              // NULL: none. Copied; shorter than NC_JOINT_NAME
    nc_body_id body_a;             //
    nc_body_id body_b;             // {0, 0}: the world
    nc_vec3 anchor;                // [m] in the world, where bodies are now
    nc_vec3 anchor_b;              // [m] of NC_JOINT_DISTANCE: where B is held
    nc_vec3 axis;                  // x in the world; any length but 0
    nc_vec3 axis_y;                // what y is nearest to; {0, 0, 0}: chosen. Universal: the axis that A carries
    double length_min, length_max; // [m] of NC_JOINT_DISTANCE; negative: the distance there is now
    nc_joint_axis axes[6];
    nc_joint_id joint_1, joint_2; // of NC_JOINT_GEAR
    double ratio;                 // of NC_JOINT_GEAR: [1], or [m/rad] where q1 is a slider and q2 a hinge
    double break_force;           // [N] of the reaction; 0: does not break
    double break_torque;          // [N m]
    nc_joint_breaking breaks;     // what breaks with it
    nc_joint_collide collide;
} nc_joint_def;
// Axis (1, 0, 0), no limits, no drive, unbreakable.
nc_joint_def nc_joint_def_default(nc_joint_kind kind);

// What a joint is and did in the last step.
typedef struct nc_joint_state {
    nc_joint_kind kind;
    nc_body_id body_a, body_b; // {0, 0}: the world
    bool broken;
    bool exempts; // when it was made, it exempted its two bodies from separation
    nc_joint_collide collide;
    nc_vec3 anchor_a, anchor_b; // [m] in the world
    nc_vec3 axis;               // [1] x of B's frame in the world
    double position[6];    // [m] or [rad]; a hinge counts its turns. 0 where it has no meaning. Of a ball, and of a
                           // generic joint that is free to turn, [3] is the twist about x and [4] the swing: the angle
                           // between the x axes. Universal: [3] about x of B, [4] about y of A.
                           // Distance: position[0] is the distance [m]. Gear: position[0] is q1 + ratio q2
    double velocity[6];    // [m/s] or [rad/s]
    nc_vec3 force;         // [N] of the joint on A: the impulse of the last step, impacts and drives included, over dt
    nc_vec3 torque;        // [N m] the same, about A's anchor
    double drive_force[6]; // [N] or [N m] of the drive
    double error;          // [m] how far anchors are from where they should be
    double error_angle;    // [rad] the same of rotations
    nc_joint_axis axes[6]; // with limits and drives; keys are NULL
} nc_joint_state;

// NC_BAD_ARGUMENT, with what is wrong, where a field is out of range. In a world that was checked or stepped, two
// bodies that must collide keep doing so.
nc_code nc_joint_create(nc_world *world, const nc_joint_def *def, nc_joint_id *out, nc_error *err);
// If it exempted its two bodies from separation and no other joint connects them, they have to stay apart from now on,
// provided that their surfaces are apart by the distance that they rest at, or more; else the pair stays exempt.
nc_code nc_joint_destroy(nc_world *world, nc_joint_id joint, nc_error *err);
nc_code nc_joint_read(const nc_world *world, nc_joint_id joint, nc_joint_state *out, nc_error *err);
// Another drive for an axis in [0, 5], from the next step on. Wakes its bodies.
nc_code nc_joint_set_drive(nc_world *world, nc_joint_id joint, int axis, const nc_joint_drive *drive, nc_error *err);
// "" when it has none; NULL when the handle is stale.
const char *nc_joint_name(const nc_world *world, nc_joint_id joint);

int nc_world_joint_count(const nc_world *world);
// Joints in the order of slots, broken ones included; writes up to `capacity` handles, returns how many there are.
int nc_world_joints(const nc_world *world, nc_joint_id *out, int capacity);
// {0, 0} when there is none.
nc_joint_id nc_world_find_joint(const nc_world *world, const char *name);

// A joint that broke. If one of its bodies broke with it, it is gone: its handle is stale.
typedef struct nc_joint_break {
    nc_joint_id joint;
    nc_joint_kind kind;
    char name[NC_JOINT_NAME]; // "": none
    int64_t step;             // in which it broke
    double time;              // [s] at its end
    double force, torque;     // [N], [N m] that it bore
} nc_joint_break;
// Since the world was created or restored. Writes up to `capacity`; returns how many there are.
int nc_world_joint_breaks(const nc_world *world, nc_joint_break *out, int capacity);

#ifdef __cplusplus
}
#endif

#endif
