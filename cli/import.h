// What the parts of `nacre import` share: a scene of another program on its way to a scene file.
#ifndef NC_CLI_IMPORT_H
#define NC_CLI_IMPORT_H

#include "cli.h"

#include "animation/animation.h"
#include "io/io.h"

#define NC_IMPORT_NAME 65   // a name of a scene file with its zero byte
#define NC_IMPORT_PATH 2300 // the path of a mesh
#define NC_IMPORT_SAME 1e-6 // stretches so near each other (relative) are one

// A number with as many digits as it takes to read it back, and a list of up to 4: "[1, 0.5, 0]". Return `out`.
#define NC_IMPORT_NUMBER 32
#define NC_IMPORT_LIST   144
const char *nc_import_number(double x, char *out);
const char *nc_import_list(const double *x, int count, char *out);

typedef struct nc_import_settings {
    const char *output, *meshes, *animation, *up, *base;
    double rate;
    bool no_animation, force, quiet, repair, hold;
} nc_import_settings;

// ---- properties: what the user gave a node for Nacre ----------------------------------------------------------

// In the order of the scene file.
typedef enum nc_import_key {
    NC_IMPORT_TYPE,
    NC_IMPORT_MASS,
    NC_IMPORT_DENSITY,
    NC_IMPORT_AREA_DENSITY,
    NC_IMPORT_THICKNESS,
    NC_IMPORT_MATTER,
    NC_IMPORT_FRICTION,
    NC_IMPORT_RESTITUTION,
    NC_IMPORT_VELOCITY,
    NC_IMPORT_SPIN,
    NC_IMPORT_FORCE,
    NC_IMPORT_TORQUE,
    NC_IMPORT_KEY_COUNT
} nc_import_key;

extern const char *const nc_import_keys[NC_IMPORT_KEY_COUNT];

typedef struct nc_import_properties {
    char value[NC_IMPORT_KEY_COUNT][NC_IMPORT_LIST]; // as the scene file writes it, "" for what was not given
    char doubtful[NC_IMPORT_NAME];                   // a key that looks like a misspelt one, "" for none
    nc_import_key meant;                             // the key it looks like
} nc_import_properties;

// Reads the properties of a node, and those of its mesh that the node does not give. Vectors are turned from z up to y
// up when `z_up`. NC_BAD_FILE names the node, the property, what was found and what is allowed.
nc_code nc_import_read_properties(const nc_gltf *gltf, int node, const char *path, bool z_up, nc_import_properties *out,
                                  nc_error *err);

// ---- rigid-body constraints of Blender --------------------------------------------------------------------------

// In the order of nc_import_constraint_names.
typedef enum nc_import_constraint_kind {
    NC_CONSTRAINT_FIXED,
    NC_CONSTRAINT_POINT,
    NC_CONSTRAINT_HINGE,
    NC_CONSTRAINT_SLIDER,
    NC_CONSTRAINT_PISTON,
    NC_CONSTRAINT_GENERIC,
    NC_CONSTRAINT_SPRING,
    NC_CONSTRAINT_MOTOR,
    NC_CONSTRAINT_KINDS
} nc_import_constraint_kind;
// As Blender writes them.
extern const char *const nc_import_constraint_names[NC_CONSTRAINT_KINDS];

// One axis of a constraint, in Blender's signs, which docs/blender.md lists.
typedef struct nc_import_constraint_axis {
    bool limited, sprung;
    double lower, upper;       // [m] or [rad]
    double stiffness, damping; // [N/m] or [N m/rad], [N s/m] or [N m s/rad]
} nc_import_constraint_axis;

// A constraint as scripts/blender_export.py writes it: custom properties of a node.
typedef struct nc_import_constraint {
    int node;
    int name; // row of nc_import.joint_names
    nc_import_constraint_kind kind;
    char objects[2][256];              // names of nodes; "" for none
    int bodies[2];                     // rows of nc_import.bodies
    bool enabled, passes;              // passes: its two bodies may pass through each other
    bool breaks, old_spring;           // old_spring: damping of springs is a factor, not [N s/m]
    bool driven[2];                    // along x, about x
    double speed[2], force[2];         // [m/s] [N], [rad/s] [N m]
    double threshold;                  // [N s] or [N m s] in a step of Blender
    double substep;                    // [s] such a step
    int substeps;                      // of them in a frame
    nc_import_constraint_axis axes[6]; // along x, y, z and about them
} nc_import_constraint;

// Reads the constraint of a node; false in *out_found when it has none. NC_BAD_FILE names the node, the property, what
// was found and what is allowed.
nc_code nc_import_read_constraint(const nc_gltf *gltf, int node, const char *path, nc_import_constraint *out,
                                  bool *out_found, nc_error *err);
// NC_BAD_FILE for a property: the node, what was found, and what is allowed.
nc_code nc_import_refuse(const char *path, const char *node, const nc_extra *extra, const char *allowed, nc_error *err);

// ---- names ----------------------------------------------------------------------------------------------------

// Adds a name that scene files allow, and that is not there yet, made of any text; `fallback` stands for no text.
nc_code nc_import_name(nc_names *names, const char *text, const char *fallback, int *out_row, nc_error *err);

// ---- the scene ------------------------------------------------------------------------------------------------

typedef struct nc_import_shape {
    int mesh;                    // of the glTF file
    nc_gltf_transform placement; // its stretch is in the mesh
    int name;
    nc_appearance appearance;
} nc_import_shape;

typedef struct nc_import_body {
    int node, shape, name;
    nc_pose pose;
    bool scripted; // its animation becomes keyframes
    nc_import_properties properties;
} nc_import_body;

typedef struct nc_import {
    const nc_import_settings *settings;
    const char *source;
    nc_gltf *gltf;
    nc_import_shape *shapes;
    nc_import_body *bodies;
    nc_names shape_names, body_names, joint_names;
    NC_ARRAY(nc_import_constraint) constraints;
    int shape_count, body_count;
    nc_gltf_transform *rest;   // [node] without animations
    nc_gltf_transform *placed; // [node] for work
    double *times;             // [s] of keyframes
    int time_count;
    char folder[1024]; // of the scene file, with a '/' at its end, or ""
    char meshes[1024]; // the folder of the meshes as the scene file names it
} nc_import;

// True when a mesh would be written over a file; its path into `out`, which has room for NC_IMPORT_PATH.
bool nc_import_finds_mesh(const nc_import *import, char *out);
// Makes the folder of the meshes when it is not there.
nc_code nc_import_make_folder(const nc_import *import, nc_error *err);
// A text in quotes, as YAML and JSON read it; position and rotation; colour and material, after a comma.
void nc_import_write_text(FILE *out, const char *text);
void nc_import_write_pose(FILE *out, nc_pose pose);
void nc_import_write_look(FILE *out, const nc_appearance *appearance);
// The constraints of the nodes: gather them once bodies are known, and write them as `joints`. What becomes no joint is
// named in a note, and so is what a joint leaves out.
nc_code nc_import_gather_constraints(nc_import *import, nc_error *err);
void nc_import_write_joints(const nc_import *import, FILE *out);
// Makes the files of a robot (URDF) whose path is `source`.
nc_code nc_import_robot(nc_import *import, nc_error *err);
// The same of a fixture of rigid-ipc (JSON).
nc_code nc_import_fixture(nc_import *import, nc_error *err);
// The same in memory: the text of the scene that a fixture stands for, which reads the meshes where the fixture has
// them. NULL when the file is none (another scene, or no JSON). What is not supported is listed on stderr. To be freed.
nc_code nc_fixture_text(const char *path, bool quiet, char **out, nc_error *err);
// Writes the meshes and then the scene file. On failure neither is left.
nc_code nc_import_write(nc_import *import, nc_error *err);

#endif
