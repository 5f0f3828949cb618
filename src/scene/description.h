// What a scene holds once it is read: settings, shapes with their meshes, a flat list of bodies, exempt pairs.
#ifndef NC_SCENE_DESCRIPTION_H
#define NC_SCENE_DESCRIPTION_H

#include "nacre/fracture.h"
#include "nacre/joint.h"
#include "nacre/scene.h"

#include "scene/keys.h"

#define NC_SCENE_MAX_BODIES 1000000
#define NC_SCENE_MAX_PAIRS  4000000 // that filters exempt

typedef struct nc_scene_shape {
    const char *name;
    const nc_node *node;
    nc_mesh *mesh;
    nc_mass_keys mass;
    nc_vec3 ball_center; // [m] of a ball around the mesh, in its frame
    double ball_radius;  // [m]
    nc_appearance appearance;
    bool used; // by a dynamic body: its mass has been noted
    const nc_node *fracture;
} nc_scene_shape;

// What makes a body a cloth. Indices are of the shape's vertices.
typedef struct nc_scene_cloth {
    nc_cloth_keys keys;
    const nc_cloth_script *scripts; // keyframes in the world
    int script_count;
    const nc_cloth_force *forces;
    int force_count;
} nc_scene_cloth;

typedef struct nc_scene_body {
    const char *name;
    const nc_node *node; // the entry that made it
    int shape;
    nc_body_type type;
    nc_vec3 position, velocity, spin, force, torque; // [m], [m/s], [rad/s], [N], [N m] in the world
    nc_quat orientation;
    double friction, restitution;    // negative: the world's
    double max_force, max_torque;    // [N], [N m] of kinematic bodies; 0: no limit
    const nc_mass_def *mass;         // NULL unless dynamic or breakable
    const nc_fracture_def *fracture; // NULL: it does not break
    const nc_keyframe *keyframes;
    int keyframe_count;
    const nc_scene_cloth *cloth; // NULL: rigid
    nc_contact_keys contact;     // negative: the world's
    nc_appearance appearance;
    bool moved, turned; // by the list `moved`
} nc_scene_body;

typedef struct nc_emitter nc_emitter; // scene/emit.h

typedef struct nc_body_pair {
    int a, b;
} nc_body_pair;

// A friction and a restitution for all pairs of two patterns.
typedef struct nc_scene_surface {
    nc_body_pair pair;
    const nc_node *node;
    double friction, restitution; // negative: by the rule
} nc_scene_surface;

// A joint; of a gear the pair is that of its joints.
typedef struct nc_scene_joint {
    const nc_node *node;
    nc_joint_def def;  // bodies and joints aside
    nc_body_pair pair; // rows; b is -1: the world
} nc_scene_joint;

// Where joints stand: in a group, or in a generator.
typedef struct nc_joint_source {
    const nc_node *node; // a list of joints; with a `count` the joint between neighbours
    nc_pose frame;       // that anchors and axes are in
    const char *prefix;  // of names
    int first, count;    // rows of bodies in a chain
    bool closed;         // the first is joined to the last, too
} nc_joint_source;

// A `fracture` block that was read; its mass is left to the bodies.
typedef struct nc_scene_fracture {
    const nc_node *node;
    nc_fracture_def def; // what it points at is in the pool
} nc_scene_fracture;

struct nc_scene {
    nc_allocator allocator;
    nc_pool pool;
    nc_node *root; // includes and overrides applied
    nc_root_keys keys;
    nc_world_keys world;
    nc_expect_keys expect;
    nc_scene_settings settings;
    nc_buffer text; // canonical, ends in a zero
    const char *path;
    nc_acm_keys acm;
    int unit;       // nc_unit of the file that was loaded; -1: metres
    bool dry;       // a group that nothing places is only being checked
    int generators; // met so far: the default seed of the next one
    NC_ARRAY(nc_emitter *) emitters;
    NC_ARRAY(const struct nc_late_entry *) late; // entries that find room, to be placed after all others
    NC_ARRAY(const char *) notes;
    NC_ARRAY(nc_scene_shape) shapes;
    NC_ARRAY(nc_scene_body) bodies;
    NC_ARRAY(nc_body_pair) exempt;
    NC_ARRAY(nc_scene_surface) surfaces;     // in the order of the file
    NC_ARRAY(nc_scene_joint) joints;         // the same
    NC_ARRAY(nc_joint_source) joint_sources; // of groups and generators, which come before the list `joints`
    NC_ARRAY(nc_mesh *) tiles;               // of patterns from files
    NC_ARRAY(nc_scene_fracture) fractures;
    // Names of bodies as an open hash table of rows + 1; 0 is an empty slot.
    int *name_slots;
    int name_slot_count;
};

// ---- the stages of nc_scene_load, in order ------------------------------------------------------------------

// Reads a file (or def->text) and what it includes into one tree.
nc_code nc_scene_read_files(nc_scene *scene, const nc_scene_def *def, nc_error *err);
// Changes the tree as "path.to.key=value" says.
nc_code nc_scene_override(nc_scene *scene, const char *text, nc_error *err);
// world: settings but for the distances and bounds that bodies decide.
nc_code nc_scene_read_world(nc_scene *scene, nc_error *err);
// Entries that are mechanisms become groups of bodies and joints.
nc_code nc_scene_expand_mechanisms(nc_scene *scene, nc_error *err);
nc_code nc_scene_read_shapes(nc_scene *scene, nc_error *err);
nc_code nc_scene_read_bodies(nc_scene *scene, nc_error *err);
// Bodies that the list `moved` puts elsewhere.
nc_code nc_scene_read_moved(nc_scene *scene, nc_error *err);
nc_code nc_scene_read_filters(nc_scene *scene, nc_error *err);
nc_code nc_scene_read_pairs(nc_scene *scene, nc_error *err);
nc_code nc_scene_read_joints(nc_scene *scene, nc_error *err);
// Names settings that mean nothing to the chosen pipeline, in a scene that has its joints.
nc_code nc_scene_question_pipeline(nc_scene *scene, nc_error *err);
// Checks the keys of a source and nothing else.
nc_code nc_scene_check_joint_keys(const nc_joint_source *source, nc_error *err);
// The keys of a drive from the CSV file that a node names, relative to the file that the node is in.
nc_code nc_scene_read_drive_table(nc_scene *scene, const nc_node *node, nc_joint_drive *drive, nc_error *err);
nc_code nc_scene_read_camera(nc_scene *scene, nc_error *err);
// Distances and bounds that were not given.
nc_code nc_scene_settle_world(nc_scene *scene, nc_error *err);
nc_code nc_scene_read_expect(nc_scene *scene, nc_error *err);
// Its maps of a body, of a position and of an orientation, with defaults for what is not given.
nc_code nc_expect_read_body(const nc_node *map, nc_expect_body_keys *out, nc_error *err);
// "at most 3", "1 to 2" into `out`; returns `out`.
const char *nc_range_text(const nc_range *range, char *out, size_t out_size);
nc_code nc_expect_read_watch(const nc_node *map, nc_watch_keys *out, nc_error *err);
nc_code nc_expect_read_place(const nc_node *map, nc_place_keys *out, nc_error *err);
nc_code nc_expect_read_turn(const nc_node *map, nc_turn_keys *out, nc_error *err);

// Pipeline acm: what is not in it is refused.
nc_code nc_scene_check_cloth(nc_scene *scene, nc_error *err);

// ---- parts --------------------------------------------------------------------------------------------------

// The solid that a map of nc_solid_block describes.
struct nc_solid; // scene.h
nc_code nc_solid_read(const nc_node *map, struct nc_solid *out, nc_error *err);

// The row of a shape by name, or an error that suggests the nearest.
nc_code nc_scene_find_shape(const nc_scene *scene, const nc_node *node, const char *name, int *out, nc_error *err);
// The mesh that a map with the keys of a shape describes, to be released by the caller.
nc_code nc_scene_read_mesh(nc_scene *scene, const nc_node *node, nc_mesh **out, nc_error *err);
// Mass of a body: its own keys over its shape's. Checks that it makes sense, and notes what was taken.
nc_code nc_scene_mass(nc_scene *scene, int shape, const nc_body_keys *body, nc_mass_def *out, nc_error *err);

// Reads the cloth keys of an entry; `frame` is the list's frame in the world, in which keyframes are given. *out is
// NULL for bodies that are no cloth.
nc_code nc_scene_read_cloth(nc_scene *scene, const nc_body_keys *keys, nc_pose frame, int shape, nc_scene_body *out,
                            nc_error *err);
// Reads a list of keyframes given in `frame`.
nc_code nc_scene_read_keyframes(nc_scene *scene, const nc_node *list, nc_pose frame, const nc_keyframe **out,
                                int *out_count, nc_error *err);
// The keys of a knot, checked against the bodies there are.
nc_code nc_scene_read_knot(const nc_scene *scene, const nc_node *map, nc_knot_keys *out, nc_error *err);
// What is measured of a knot; NaN where it has no meaning.
typedef struct nc_knot_measures {
    int64_t determinant;
    double writhe, linking;
} nc_knot_measures;
nc_code nc_scene_measure_knot(const nc_scene *scene, const nc_knot_keys *keys, nc_model end, nc_knot_measures *out,
                              nc_error *err);
// The columns of a shape's rows of vertices (strips + 1); 0 when it is no ribbon and no sheet.
int nc_scene_ribbon_columns(const nc_scene *scene, int shape);
// How a body breaks whose own block is `own` (NULL: its shape's), with its mass in *mass; NULL in *out when it does
// not.
nc_code nc_scene_fracture_of(nc_scene *scene, int shape, const nc_node *own, const nc_mass_def *mass,
                             const nc_fracture_def **out, nc_error *err);

// ---- building (build.c, build_cloth.c) ----------------------------------------------------------------------

// Makes a body with its forces and fracture. Errors are the world's, and not yet at an entry.
nc_code nc_scene_create_body(const nc_scene *scene, const nc_scene_body *body, nc_world *world, nc_body_id *out,
                             nc_error *err);
// The scene's joints, in a world that has its bodies; ids in the order of the scene.
nc_code nc_scene_create_joints(const nc_scene *scene, nc_world *world, const nc_body_id *ids, nc_error *err);
// An error of the world, at the entry that made the body.
nc_code nc_scene_fail_at_body(nc_code code, const nc_scene_body *body, nc_error *err);
// A model of cloth, its start untested. What is in *out after a failure is the caller's to destroy, too.
nc_code nc_scene_build_cloth(const nc_scene *scene, const nc_cloth_world_def *settings, nc_model *out, nc_error *err);

// ---- more parts ---------------------------------------------------------------------------------------------

// Where a generator puts one copy, in the frame of its entry.
typedef struct nc_placement {
    nc_vec3 position, velocity, spin;
    nc_quat rotation;
    int shape; // row + 1 of the shape that a mix took; 0: the entry's
} nc_placement;
typedef NC_ARRAY(nc_placement) nc_placements;
// Appends the placements of generator `kind` in `map`.
nc_code nc_generator_run(nc_scene *scene, nc_generator kind, const nc_node *map, nc_placements *out, nc_error *err);

// The seed of the next generator that has none of its own.
uint64_t nc_scene_next_seed(nc_scene *scene);

// The frame that placements of an entry are in.
typedef struct nc_placing {
    nc_pose frame;            // of the list, in the world
    const nc_body_keys *keys; // of the entry: its position and rotation
    const char *prefix;       // of names in the list
} nc_placing;
// Where a copy is in the world.
nc_pose nc_placing_pose(const nc_placing *at, const nc_placement *copy);
// Appends placements that have room among the scene's bodies; `seed` unless the map has one. When the scene is dry, the
// keys are checked and nothing is placed.
nc_code nc_pour_run(nc_scene *scene, const nc_placing *at, const nc_node *map, uint64_t seed, nc_placements *out,
                    nc_error *err);
nc_code nc_scatter_run(nc_scene *scene, const nc_placing *at, const nc_node *map, uint64_t seed, nc_placements *out,
                       nc_error *err);
// Notes when balls around bodies of different copies overlap. starts[i] is the first body of copy i; starts[copies]
// is the end.
nc_code nc_scene_warn_overlap(nc_scene *scene, const nc_node *node, const int *starts, int copies, nc_error *err);

// Enters the name of row `row` of bodies. *out_taken is the row that has this name already, or -1.
nc_code nc_scene_claim_name(nc_scene *scene, int row, int *out_taken, nc_error *err);
// The row of the body of that name, or -1.
int nc_scene_find_body(const nc_scene *scene, const char *name);
// The same of the name that `node` holds, with `prefix` in front if there is one of that name; or an error that
// suggests the nearest name.
nc_code nc_scene_find_listed(const nc_scene *scene, const nc_node *node, const char *prefix, int *out, nc_error *err);
// True when `name` matches `pattern` (* any letters, ? any one letter).
bool nc_pattern_match(const char *pattern, const char *name);

// NC_INTERSECTING at the entry of a body: how many pairs of the world, made from the scene, overlap and touch, the
// deepest with its depth and the way out, and the command that repairs it. `also` is a sentence that is known already,
// or NULL.
nc_code nc_scene_refuse_start(const nc_scene *scene, const nc_world *world, const char *also, nc_error *err);

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
nc_code
nc_scene_add_note(nc_scene *scene, nc_error *err, const char *format, ...);

#endif
