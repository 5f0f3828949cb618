// Every key a scene may have, with unit, range, default and meaning: one table drives the reader, the error
// sentences, the JSON Schema and the tables of docs/scene-format.md.
#ifndef NC_SCENE_KEYS_H
#define NC_SCENE_KEYS_H

#include "nacre/mesh.h"

#include "scene/node.h"

// What a key takes, and the type of the field it fills.
typedef enum nc_key_kind {
    NC_KEY_NUMBER,   // double          a number
    NC_KEY_WHOLE,    // int64_t         a whole number
    NC_KEY_FLAG,     // bool            true or false
    NC_KEY_TEXT,     // const char *    any text
    NC_KEY_NAME,     // const char *    a name: letters, digits, "_", "-"
    NC_KEY_CHOICE,   // int             one of `choices`
    NC_KEY_VECTOR,   // nc_vec3         three numbers
    NC_KEY_SPREAD,   // nc_vec3         one number for all three axes, or three
    NC_KEY_PAIR,     // double[2]       two numbers
    NC_KEY_COUNTS,   // int64_t[3]      three whole numbers
    NC_KEY_COUNTS_2, // int64_t[2]      two whole numbers
    NC_KEY_QUAT,     // nc_quat         four numbers w, x, y, z
    NC_KEY_ROTATION, // nc_quat         a map: axis and angle, euler, or quaternion
    NC_KEY_INERTIA,  // double[6]       three moments, or xx, yy, zz, xy, xz, yz
    NC_KEY_RANGE,    // nc_range        a number (exactly that), or a map with min, max or both
    NC_KEY_BLOCK,    // const nc_node * a map of `block`
    NC_KEY_BLOCKS,   // const nc_node * a list of maps of `block`
    NC_KEY_TABLE,    // const nc_node * a map from names to maps of `block`
    NC_KEY_TEXTS,    // const nc_node * a text or a list of texts
    NC_KEY_PATTERNS, // const nc_node * a list of pairs of name patterns
    NC_KEY_BETWEEN,  // const nc_node * a pair of name patterns
    NC_KEY_WHOLES,   // const nc_node * a list of whole numbers
    NC_KEY_POINTS,   // const nc_node * a list of lists of three numbers
    NC_KEY_COLOR,    // nc_key_color    a name, "#rrggbb", or three numbers from 0 to 1
} nc_key_kind;

typedef struct nc_key_color {
    uint8_t rgb[3]; // sRGB
    bool given;
} nc_key_color;

typedef struct nc_range {
    bool given;
    double min, max; // -inf, inf where not given
} nc_range;

typedef struct nc_key {
    const char *name;
    const char *unit;     // "m", "1" for a pure number; "" where there is none
    double low, high;     // allowed, ends included
    const char *fallback; // read by the same reader when the key is absent; NULL: none, `about` says what happens
    const char *about;
    const char *const *choices;
    const struct nc_key_block *block;
    size_t offset; // of the field
    nc_key_kind kind;
    int choice_count;
    bool above; // `low` itself is not allowed
    bool required;
} nc_key;

typedef struct nc_key_block {
    const char *name;
    const char *about;
    const nc_key *keys;
    int key_count;
    // The struct it fills begins with `const nc_node *node`.
} nc_key_block;

// ---- the structs that blocks fill; numbers not given are NaN, pointers NULL ------------------------------------

typedef struct nc_root_keys {
    const nc_node *node;
    int64_t nacre, seed;
    const char *title;
    int units; // nc_unit, -1: not given
    const nc_node *include, *world, *shapes, *groups, *bodies, *moved, *filters, *pairs, *joints, *camera, *expect;
} nc_root_keys;

typedef struct nc_moved_keys {
    const nc_node *node;
    const char *body;
    nc_vec3 position;
    nc_quat rotation;
} nc_moved_keys;

typedef struct nc_pair_keys {
    const nc_node *node;
    const nc_node *between;
    double friction, restitution;
} nc_pair_keys;

// What moves along an axis of a joint, and how far.
typedef struct nc_axis_keys {
    const nc_node *node; // set by the reader
    nc_range limits;
    double restitution, friction, stiffness, damping, rest;
    const nc_node *drive;
} nc_axis_keys;

typedef struct nc_joint_keys {
    const nc_node *node;
    int kind; // nc_joint_kind
    const char *name, *body, *to, *chain, *first, *second;
    int frame; // 0: the world, 1: the body
    nc_vec3 anchor, anchor_b, axis, axis_y;
    nc_range length;
    nc_axis_keys own;
    const nc_node *axes;
    double cone;
    nc_range twist;
    double ratio, break_force, break_torque;
    int breaks;  // nc_joint_breaking
    int collide; // nc_joint_collide
} nc_joint_keys;

typedef struct nc_axes_keys {
    const nc_node *node;
    const nc_node *x, *y, *z, *turn_x, *turn_y, *turn_z;
} nc_axes_keys;

typedef struct nc_one_axis_keys {
    const nc_node *node;
    bool locked;
    nc_axis_keys own;
} nc_one_axis_keys;

typedef struct nc_drive_keys_of_scene {
    const nc_node *node;
    int mode; // nc_drive_mode - 1
    double target, amplitude, frequency, phase, stiffness, damping, max_force;
    const nc_node *keyframes;
    const char *table;
} nc_drive_keys_of_scene;

typedef struct nc_drive_key_keys {
    const nc_node *node;
    double time, value;
} nc_drive_key_keys;

// The field of a key that is a setting, by the kind of its row in nacre/settings.def.
#define NC_KEY_FIELD_REAL(name)   double name;
#define NC_KEY_FIELD_ABOVE(name)  double name;
#define NC_KEY_FIELD_AUTO(name)   double name;
#define NC_KEY_FIELD_WHOLE(name)  int64_t name;
#define NC_KEY_FIELD_FLAG(name)   bool name;
#define NC_KEY_FIELD_CHOICE(name) int name;
#define NC_KEY_FIELD_VECTOR(name) nc_vec3 name;

#define NC_IN_WORLD_WORLD(...) __VA_ARGS__
#define NC_IN_WORLD_VSP(...)
#define NC_IN_VSP_WORLD(...)
#define NC_IN_VSP_VSP(...) __VA_ARGS__
#define NC_IN_ACM_FRAME(...)
#define NC_IN_ACM_ACM(...) __VA_ARGS__

typedef struct nc_world_keys {
    const nc_node *node;
    double timestep, duration;
#define NC_SETTING(block, kind, name, ...) NC_IN_WORLD_##block(NC_KEY_FIELD_##kind(name))
#include "nacre/settings.def"
    const nc_node *bounds, *output, *vsp, *acm;
    const char *units;
} nc_world_keys;

typedef struct nc_vsp_keys {
    const nc_node *node;
#define NC_SETTING(block, kind, name, ...) NC_IN_VSP_##block(NC_KEY_FIELD_##kind(name))
#include "nacre/settings.def"
} nc_vsp_keys;

typedef struct nc_acm_keys {
    const nc_node *node;
    double thickness, stiffness;
#define NC_CLOTH_SETTING(block, kind, name, ...) NC_IN_ACM_##block(NC_KEY_FIELD_##kind(name))
#include "nacre/cloth_settings.def"
} nc_acm_keys;

typedef struct nc_cloth_keys {
    const nc_node *node;
#define NC_CLOTH_MATERIAL(kind, field, key, ...) NC_KEY_FIELD_##kind(key)
#include "nacre/cloth_material.def"
} nc_cloth_keys;

typedef struct nc_contact_keys {
    const nc_node *node;
    double thickness, stiffness;
} nc_contact_keys;

// Some vertices of a cloth, and what is done to them.
typedef struct nc_hold_keys {
    const nc_node *node;
    const nc_node *vertices, *keyframes;
    nc_vec3 low, high, velocity, force;
    double start, end;
} nc_hold_keys;

typedef struct nc_knot_keys {
    const nc_node *node;
    const nc_node *ribbons;
    nc_vec3 up;
    nc_range determinant, writhe, linking;
} nc_knot_keys;

typedef struct nc_bounds_keys {
    const nc_node *node;
    nc_vec3 low, high;
} nc_bounds_keys;

typedef struct nc_output_keys {
    const nc_node *node;
    int64_t every;
    double frame_rate;
} nc_output_keys;

typedef struct nc_camera_keys {
    const nc_node *node;
    nc_vec3 position, target;
    double azimuth, elevation, fov, zoom;
    double aperture, time; // time: of a keyframe
    nc_vec3 focus;
    const nc_node *keyframes;
} nc_camera_keys;

typedef struct nc_mass_keys {
    double thickness, density, area_density, mass;
    int matter; // -1: not given
    nc_vec3 center;
    double inertia[6];
} nc_mass_keys;

// How something looks.
typedef struct nc_look_keys {
    nc_key_color color;
    int material; // nc_material - 1; -1: not given
} nc_look_keys;
nc_appearance nc_look_appearance(const nc_look_keys *keys);

typedef struct nc_shape_keys {
    const nc_node *node;
    const char *generate, *file;
    const nc_node *csg;
    double cell; // [m]
    int unit;    // nc_unit, -1: not given
    nc_vec3 scale;
    nc_mass_keys mass;
    nc_look_keys look;
    const nc_node *fracture;
} nc_shape_keys;

// A solid of primitives, or an operation on solids.
typedef struct nc_solid_keys {
    const nc_node *node;
    int solid; // nc_csg_kind of a primitive; -1: an operation
    double radius, top, tube, height, period, level, blend;
    nc_vec3 size, position;
    nc_quat rotation;
    const nc_node *unite, *intersect, *subtract;
} nc_solid_keys;

// The type of a body that is no nc_body_type.
enum { NC_BODY_CLOTH = 3 };
typedef struct nc_fracture_keys {
    const nc_node *node;
    double threshold, gap, crumb;
    const char *pattern, *file;
    int64_t seed, cells, generations;
    nc_vec3 center, normal;
    int way; // nc_fracture_method
    bool aligned;
} nc_fracture_keys;

typedef enum nc_generator {
    NC_GRID,
    NC_PILE,
    NC_WALL,
    NC_TOWER,
    NC_PYRAMID,
    NC_CHAIN,
    NC_RING,
    NC_SPHERE,
    NC_ALONG,
    NC_POUR,
    NC_SCATTER,
    NC_EMIT,
    NC_GENERATOR_COUNT
} nc_generator;

// Groups that are made from parameters.
typedef enum nc_mechanism { NC_RAGDOLL, NC_DOOR, NC_WHEEL, NC_MECHANISM_COUNT } nc_mechanism;

typedef struct nc_ragdoll_keys {
    const nc_node *node;
    double height, mass, friction;
} nc_ragdoll_keys;

typedef struct nc_door_keys {
    const nc_node *node;
    double width, height, thickness, gap, mass, open, friction, stiffness, damping, bolt;
    int hinge; // 0: left, 1: right
    bool frame;
    const char *to;
} nc_door_keys;

typedef struct nc_wheel_keys {
    const nc_node *node;
    double radius, width, mass, travel, stiffness, damping, load, speed, max_torque;
    int64_t segments;
    const char *to;
} nc_wheel_keys;

// An entry of a list of bodies: a body, a group written in place (`bodies`), or a named one (`group`).
typedef struct nc_body_keys {
    const nc_node *node;
    const char *shape, *name, *group;
    int type; // nc_body_type
    nc_vec3 position, velocity, spin, force, torque;
    nc_quat rotation;
    double friction, restitution, max_force, max_torque;
    nc_mass_keys mass;
    nc_look_keys look;
    const nc_node *keyframes, *bodies, *joints, *defaults, *fracture;
    const nc_node *mechanisms[NC_MECHANISM_COUNT];
    const nc_node *cloth, *contact, *pins, *forces;
    const nc_node *generators[NC_GENERATOR_COUNT];
} nc_body_keys;

typedef struct nc_keyframe_keys {
    const nc_node *node;
    double time;
    nc_vec3 position;
    nc_quat rotation;
} nc_keyframe_keys;

typedef struct nc_rotation_keys {
    const nc_node *node;
    nc_vec3 axis, euler;
    double angle;
    nc_quat quaternion;
} nc_rotation_keys;

// What all generators fill; each uses its own part.
typedef struct nc_generator_keys {
    const nc_node *node;
    int64_t counts[3], count;
    nc_vec3 spacing, center, base, start, direction, axis, jitter;
    double spacing_2[2], gap, bond, twist, turn, radius, arc, from, tumble, burst, spin_jitter;
    bool flat, face;
    int64_t seed; // -1: not given
    // along
    const nc_node *points, *spiral;
    double skip;
    nc_vec3 up;
    bool smooth, closed, upright;
    const nc_node *joint; // between neighbours
} nc_generator_keys;

// Of a mix: a shape, and how often it is taken.
typedef struct nc_mix_keys {
    const nc_node *node;
    const char *shape;
    double weight;
} nc_mix_keys;

typedef struct nc_pour_keys {
    const nc_node *node;
    const nc_node *shapes, *box;
    const char *into;
    double gap;
    int64_t count, seed; // seed -1: not given
    int orient;          // nc_orient
    bool partial;
} nc_pour_keys;

typedef struct nc_scatter_keys {
    const nc_node *node;
    const nc_node *shapes;
    const char *on;
    double gap, spacing, slope;
    int64_t count, seed; // seed -1: not given
    int orient;          // nc_scatter_orient
    bool partial;
} nc_scatter_keys;

typedef struct nc_emit_keys {
    const nc_node *node;
    const nc_node *shapes, *box;
    double rate, start, until, gap;
    int64_t count, seed; // -1: not given
    int orient;          // nc_orient
} nc_emit_keys;

// A circle, a flat spiral or a helix.
typedef struct nc_spiral_keys {
    const nc_node *node;
    nc_vec3 center, axis;
    double radius, end_radius, turns, rise, from;
} nc_spiral_keys;

typedef struct nc_range_keys {
    const nc_node *node;
    double min, max;
} nc_range_keys;

// Of a row of nacre/report.def or nacre/cloth_report.def, by its column `use`: whether `expect` has it.
#define NC_IF_STORED(...)
#define NC_IF_JUDGED(...)  __VA_ARGS__
#define NC_IF_SUMMARY(...) __VA_ARGS__

typedef struct nc_expect_keys {
    const nc_node *node;
    bool separation;
    nc_range escaped, steps, frames, body_count, energy, energy_drift, kinetic_drift, momentum_drift, jammed, jam_time;
#define NC_REPORT(column, field, kind, rule, use, ...) NC_IF_##use(nc_range column;)
#include "nacre/report.def"
#define NC_CLOTH_REPORT(column, field, kind, rule, use, ...) NC_IF_##use(nc_range column;)
#include "nacre/cloth_report.def"
    const nc_node *bodies, *knots, *watch;
} nc_expect_keys;

// What is judged of a watch: every value, the largest or the smallest.
typedef enum nc_watch_over { NC_WATCH_ALL, NC_WATCH_MAX, NC_WATCH_MIN, NC_WATCH_OVERS } nc_watch_over;
extern const char *const nc_watch_over_names[NC_WATCH_OVERS];

typedef struct nc_watch_keys {
    const nc_node *node;
    const char *bodies;  // a name or a pattern
    double at, from, to; // [s] NaN: not given
    int over;            // nc_watch_over
    const nc_node *inside;
    const char *with; // the name of the other body of `linking` and `apart`, a name or a pattern of those of `links`
    nc_range speed, spin, height, x, y, z, moved, turned, drift, apart, linking, links, count;
} nc_watch_keys;

typedef struct nc_expect_body_keys {
    const nc_node *node;
    nc_range speed, spin, height, x, y, z, vx, vy, vz, wx, wy, wz, kinetic, lowest, highest;
    const nc_node *position, *orientation;
} nc_expect_body_keys;

typedef struct nc_place_keys {
    const nc_node *node;
    nc_vec3 near;
    double within;
} nc_place_keys;

typedef struct nc_turn_keys {
    const nc_node *node;
    nc_quat near;
    double within; // [degree]
} nc_turn_keys;

extern const nc_key_block nc_root_block, nc_world_block, nc_vsp_block, nc_pair_block, nc_moved_block, nc_bounds_block,
    nc_output_block, nc_camera_block, nc_camera_keyframe_block, nc_shape_block, nc_fracture_block, nc_body_block,
    nc_group_block, nc_named_group_block, nc_defaults_block, nc_keyframe_block, nc_rotation_block, nc_range_block,
    nc_expect_block, nc_expect_body_block, nc_place_block, nc_turn_block, nc_watch_block, nc_acm_block, nc_cloth_block,
    nc_contact_block, nc_pin_block, nc_force_block, nc_knot_block, nc_spiral_block, nc_mix_block, nc_joint_block,
    nc_axes_block, nc_axis_block, nc_drive_block, nc_drive_key_block, nc_solid_block;
extern const nc_key_block nc_generator_blocks[NC_GENERATOR_COUNT];
extern const nc_key_block nc_mechanism_blocks[NC_MECHANISM_COUNT];

// Does an entry of a list of bodies place several: has it bodies, a group or a mechanism?
bool nc_entry_is_group(const nc_node *entry);

// All blocks, for the schema and the documentation.
const nc_key_block *const *nc_key_block_list(int *out_count);

// ---- reading by table ---------------------------------------------------------------------------------------

// Sets every field of a block to its fallback, or to "not given".
void nc_key_block_defaults(const nc_key_block *block, void *out);
// Reads a map over what `out` holds already. Unknown keys, wrong kinds and values out of range are errors.
nc_code nc_key_block_read(const nc_key_block *block, const nc_node *map, void *out, nc_error *err);
// The same, with `extra` keys that are allowed but not read: the parameters of a procedural shape, none of which has
// the name of a key of the block.
nc_code nc_key_block_read_with(const nc_key_block *block, const nc_node *map, const char *const *extra, int extra_count,
                               void *out, nc_error *err);
// Reads one value; `field` is what the key's kind says.
nc_code nc_key_read(const nc_key *key, const nc_node *node, void *field, nc_error *err);
// "a number above 0, at most 10 [s]" into `out`. Returns `out`.
const char *nc_key_allowed(const nc_key *key, char *out, size_t out_size);
// "there is no such key here; did you mean ...? allowed: ..."
nc_code nc_fail_unknown_key(const nc_node *entry, const char *const *names, int count, nc_error *err);
// A value that is no name of a `kind` ("shape", "pattern"): says what is allowed, and the nearest name.
nc_code nc_fail_unknown_name(const nc_node *node, const char *kind, const char *const *names, int count, nc_error *err);
// A parameter of a shape or a pattern, by the same reader as every other key.
nc_code nc_parameter_read(const nc_shape_parameter_info *info, const nc_node *node, double *out, nc_error *err);
// NC_OK when `name` is a legal name: 1 to 64 letters, digits, "_" and "-".
nc_code nc_name_check(const nc_node *node, const char *name, nc_error *err);

#endif
