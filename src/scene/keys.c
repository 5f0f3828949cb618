// The tables of keys. A row: name, kind, unit, lowest, highest, fallback, meaning.
#include "scene/keys.h"
#include "scene/placing.h"
#include "scene/units.h"

#include "cloth/cloth.h"
#include "world/world.h"

#include <stddef.h>

#define FAR         1e9 // [m] the largest coordinate or length a scene may name
#define ROWS(table) (table), (int)(sizeof(table) / sizeof((table)[0]))

#define KEY(type, key_, field, kind_, unit_, low_, high_, fallback_, about_, above_, required_)                        \
    {                                                                                                                  \
        .name = (key_), .kind = (kind_), .unit = (unit_), .low = (low_), .high = (high_), .above = (above_),           \
        .required = (required_), .fallback = (fallback_), .about = (about_), .offset = offsetof(type, field)           \
    }
#define ROW(type, field, kind, unit, low, high, fallback, about)                                                       \
    KEY(type, #field, field, kind, unit, low, high, fallback, about, false, false)
// The lowest value itself is not allowed.
#define ABOVE(type, field, kind, unit, low, high, fallback, about)                                                     \
    KEY(type, #field, field, kind, unit, low, high, fallback, about, true, false)
#define REQUIRED(type, field, kind, unit, low, high, about)                                                            \
    KEY(type, #field, field, kind, unit, low, high, NULL, about, false, true)
#define CHOICE(type, key_, field, names, fallback_, about_)                                                            \
    {                                                                                                                  \
        .name = (key_), .kind = NC_KEY_CHOICE, .unit = "", .fallback = (fallback_), .about = (about_),                 \
        .choices = (names), .choice_count = (int)(sizeof(names) / sizeof((names)[0])), .offset = offsetof(type, field) \
    }
#define NESTED(type, key_, field, kind_, block_, about_)                                                               \
    {                                                                                                                  \
        .name = (key_), .kind = (kind_), .unit = "", .about = (about_), .block = &(block_),                            \
        .offset = offsetof(type, field)                                                                                \
    }
#define PLAIN(type, field, kind_, about_)                                                                              \
    {                                                                                                                  \
        .name = #field, .kind = (kind_), .unit = "", .about = (about_), .offset = offsetof(type, field)                \
    }

static const nc_key root_table[] = {
    REQUIRED(nc_root_keys, nacre, NC_KEY_WHOLE, "", 1, 1, "Version of the format."),
    PLAIN(nc_root_keys, title, NC_KEY_TEXT, "One line that says what the scene is."),
    PLAIN(nc_root_keys, include, NC_KEY_TEXTS,
          "Scene files to start from, relative to this one. Keys of this file override theirs."),
    CHOICE(nc_root_keys, "units", units, nc_unit_names, NULL,
           "Unit of the lengths in this file: of all keys whose unit in these tables is m or m/s, and of mesh files "
           "except glTF. Default: m."),
    ROW(nc_root_keys, seed, NC_KEY_WHOLE, "", 0, 9007199254740992.0, "0",
        "Seed of generators that have none of their own."),
    NESTED(nc_root_keys, "world", world, NC_KEY_BLOCK, nc_world_block, "Settings of the world and the run."),
    NESTED(nc_root_keys, "shapes", shapes, NC_KEY_TABLE, nc_shape_block, "Meshes by name."),
    NESTED(nc_root_keys, "groups", groups, NC_KEY_TABLE, nc_named_group_block,
           "Lists of bodies by name, to be placed any number of times."),
    NESTED(nc_root_keys, "bodies", bodies, NC_KEY_BLOCKS, nc_body_block, "What is in the world, in order."),
    NESTED(nc_root_keys, "moved", moved, NC_KEY_BLOCKS, nc_moved_block,
           "Bodies that are elsewhere than their entries and generators put them: what nacre repair writes."),
    PLAIN(nc_root_keys, filters, NC_KEY_PATTERNS,
          "Pairs of body names that may pass through each other. * and ? stand for any letters, any one letter."),
    NESTED(nc_root_keys, "pairs", pairs, NC_KEY_BLOCKS, nc_pair_block,
           "Pairs of bodies with a friction or a restitution of their own; of two entries for a pair the later one "
           "counts."),
    NESTED(nc_root_keys, "joints", joints, NC_KEY_BLOCKS, nc_joint_block,
           "What connects bodies with each other or with the world. docs/joints.md."),
    NESTED(nc_root_keys, "camera", camera, NC_KEY_BLOCK, nc_camera_block,
           "The camera for pictures. Default: so that everything is visible."),
    NESTED(nc_root_keys, "expect", expect, NC_KEY_BLOCK, nc_expect_block, "What a run of this scene must show."),
};
const nc_key_block nc_root_block = {"scene", "The outermost map of a file.", ROWS(root_table)};

static const nc_key moved_table[] = {
    {.name = "body",
     .kind = NC_KEY_TEXT,
     .unit = "",
     .required = true,
     .about = "The name of the body, as the world has it: a copy is brick.3, a member of a group tower/brick.",
     .offset = offsetof(nc_moved_keys, body)},
    ROW(nc_moved_keys, position, NC_KEY_VECTOR, "m", -FAR, FAR, NULL,
        "In the world, instead of where it was. Default: where it was."),
    ROW(nc_moved_keys, rotation, NC_KEY_ROTATION, "", 0, 0, NULL,
        "In the world, instead of how it was turned. Default: as it was."),
};
const nc_key_block nc_moved_block = {
    "moved", "A body that is elsewhere than its entry puts it. Of two for a body the later one counts.",
    ROWS(moved_table)};

static const nc_key pair_table[] = {
    {.name = "between",
     .kind = NC_KEY_BETWEEN,
     .unit = "",
     .required = true,
     .about = "The two names; * and ? stand for any letters, any one letter.",
     .offset = offsetof(nc_pair_keys, between)},
    ROW(nc_pair_keys, friction, NC_KEY_NUMBER, "1", 0, 100, NULL, "Default: by world.friction_rule."),
    ROW(nc_pair_keys, restitution, NC_KEY_NUMBER, "1", 0, 1, NULL, "Default: by world.restitution_rule."),
};
const nc_key_block nc_pair_block = {"pair", "What the surfaces of a pair do to each other.", ROWS(pair_table)};

// ---- joints ---------------------------------------------------------------------------------------------------

// The keys of the axis `own` of a struct. Lengths are in metres whatever the scene's units are, since they may be
// angles.
#define AXIS_KEYS(type)                                                                                                \
    KEY(type, "limits", own.limits, NC_KEY_RANGE, "m or rad", -FAR, FAR, NULL,                                         \
        "How far it goes, from where it starts: a map with min and max. Default: any distance.", false, false),        \
        KEY(type, "restitution", own.restitution, NC_KEY_NUMBER, "1", 0, 1, NULL, "Of the limits. Default 0.", false,  \
            false),                                                                                                    \
        KEY(type, "friction", own.friction, NC_KEY_NUMBER, "N or N m", 0, 1e15, NULL,                                  \
            "Largest force of dry friction. Default 0.", false, false),                                                \
        KEY(type, "stiffness", own.stiffness, NC_KEY_NUMBER, "N/m or N m/rad", 0, 1e15, NULL,                          \
            "Of a spring. Default 0.", false, false),                                                                  \
        KEY(type, "damping", own.damping, NC_KEY_NUMBER, "N s/m or N m s/rad", 0, 1e15, NULL,                          \
            "Of a damper. Default 0.", false, false),                                                                  \
        KEY(type, "rest", own.rest, NC_KEY_NUMBER, "m or rad", -FAR, FAR, NULL,                                        \
            "Where the spring has no force. Default 0: where it starts.", false, false),                               \
        NESTED(type, "drive", own.drive, NC_KEY_BLOCK, nc_drive_block, "What moves it. Default: nothing.")

static const char *const drive_modes[] = {"position", "velocity", "force"};
static const char *const joint_frames[] = {"world", "body"};
static const char *const joint_collide_names[] = {"auto", "true", "false"};
static const nc_key joint_table[] = {
    CHOICE(nc_joint_keys, "kind", kind, nc_joint_kind_names, "hinge", "What it lets move."),
    PLAIN(nc_joint_keys, name, NC_KEY_TEXT,
          "For gears, sensors and messages. Joints of a pattern get a number: name.0."),
    PLAIN(nc_joint_keys, body, NC_KEY_TEXT,
          "The body that moves. A pattern with * and ? makes a joint for each body that has such a name."),
    PLAIN(nc_joint_keys, to, NC_KEY_TEXT, "The body that carries it. Default: the world."),
    PLAIN(nc_joint_keys, chain, NC_KEY_TEXT,
          "Instead of body and to: a pattern. Each of these bodies is joined to the one before it, half way between "
          "their origins if there is no anchor."),
    CHOICE(nc_joint_keys, "frame", frame, joint_frames, "world",
           "What anchor and axis are given in: the world, or the frame of the body that moves."),
    ROW(nc_joint_keys, anchor, NC_KEY_VECTOR, "m", -FAR, FAR, NULL, "Where the joint is. Required but for a chain."),
    ROW(nc_joint_keys, anchor_b, NC_KEY_VECTOR, "m", -FAR, FAR, NULL,
        "Of kind distance: the point of the other body. Default: the origin of that body."),
    ROW(nc_joint_keys, axis, NC_KEY_VECTOR, "1", -FAR, FAR, "[1, 0, 0]",
        "The axis x: of a hinge, a slider; the normal of a planar joint. Any length but 0."),
    ROW(nc_joint_keys, axis_y, NC_KEY_VECTOR, "1", -FAR, FAR, NULL,
        "What the axis y is nearest to; of kind universal the axis that the body carries. Default: chosen."),
    KEY(nc_joint_keys, "length", length, NC_KEY_RANGE, "m", 0, FAR, NULL,
        "Of kind distance: a number is a rod; a map with max is a rope. Default: the distance at the start.", false,
        false),
    AXIS_KEYS(nc_joint_keys),
    NESTED(nc_joint_keys, "axes", axes, NC_KEY_BLOCK, nc_axes_block,
           "The same for each axis, of joints that are no hinge and no slider."),
    ROW(nc_joint_keys, cone, NC_KEY_NUMBER, "rad", 0, 3.1415926, NULL,
        "Of kind ball: the largest angle between the axes of its two bodies. Default: any."),
    KEY(nc_joint_keys, "twist", twist, NC_KEY_RANGE, "rad", -3.1415926, 3.1415926, NULL,
        "Of kind ball: how far it turns about its axis: a map with min and max. Default: any angle.", false, false),
    PLAIN(nc_joint_keys, first, NC_KEY_TEXT, "Of kind gear: the name of a joint, a hinge or a slider."),
    PLAIN(nc_joint_keys, second, NC_KEY_TEXT, "Of kind gear: the name of the other one."),
    ROW(nc_joint_keys, ratio, NC_KEY_NUMBER, "1 or m/rad", -FAR, FAR, "1",
        "Of kind gear: the position of first plus ratio times that of second does not change."),
    ROW(nc_joint_keys, break_force, NC_KEY_NUMBER, "N", 0, 1e15, "0", "It breaks above this force. 0: it does not."),
    ROW(nc_joint_keys, break_torque, NC_KEY_NUMBER, "N m", 0, 1e15, "0",
        "It breaks above this torque. 0: it does not."),
    CHOICE(nc_joint_keys, "breaks", breaks, nc_joint_breaking_names, "joint",
           "What breaks when it does: the joint alone, or also body, to or both, where these have a fracture."),
    CHOICE(nc_joint_keys, "collide", collide, joint_collide_names, "auto",
           "Do the surfaces of its two bodies stay apart? auto: unless they share a point at the start."),
};
const nc_key_block nc_joint_block = {"joint", "A joint of two bodies, or of one and the world.", ROWS(joint_table)};

#define AXIS_ENTRY(field, about) NESTED(nc_axes_keys, #field, field, NC_KEY_BLOCK, nc_axis_block, about)
static const nc_key axes_table[] = {
    AXIS_ENTRY(x, "Along x, the axis of the joint."),
    AXIS_ENTRY(y, "Along y."),
    AXIS_ENTRY(z, "Along z."),
    AXIS_ENTRY(turn_x, "About x."),
    AXIS_ENTRY(turn_y, "About y."),
    AXIS_ENTRY(turn_z, "About z."),
};
const nc_key_block nc_axes_block = {"axes", "The six axes of a joint.", ROWS(axes_table)};

static const nc_key axis_table[] = {
    ROW(nc_one_axis_keys, locked, NC_KEY_FLAG, "", 0, 0, "false",
        "Of kind generic: no motion along it. Rotations: all are locked, none, or turn_y and turn_z."),
    AXIS_KEYS(nc_one_axis_keys),
};
const nc_key_block nc_axis_block = {"axis", "What a joint does along an axis, or about one.", ROWS(axis_table)};

static const nc_key drive_table[] = {
    CHOICE(nc_drive_keys_of_scene, "mode", mode, drive_modes, "position", "What the target is."),
    ROW(nc_drive_keys_of_scene, target, NC_KEY_NUMBER, "m, rad, m/s, rad/s, N or N m", -1e15, 1e15, "0",
        "A position, a velocity or a force."),
    ROW(nc_drive_keys_of_scene, amplitude, NC_KEY_NUMBER, "as target", -1e15, 1e15, "0",
        "Of a sine that is added to the target."),
    ROW(nc_drive_keys_of_scene, frequency, NC_KEY_NUMBER, "Hz", 0, 1e6, "0", "Of the sine."),
    ROW(nc_drive_keys_of_scene, phase, NC_KEY_NUMBER, "rad", -FAR, FAR, "0", "Of the sine at time 0."),
    ROW(nc_drive_keys_of_scene, stiffness, NC_KEY_NUMBER, "N/m or N m/rad", 0, 1e15, "0",
        "Force per distance from a position. With damping 0 too: as fast as max_force lets it."),
    ROW(nc_drive_keys_of_scene, damping, NC_KEY_NUMBER, "N s/m or N m s/rad", 0, 1e15, "0",
        "Force per difference from a velocity."),
    ROW(nc_drive_keys_of_scene, max_force, NC_KEY_NUMBER, "N or N m", 0, 1e15, "0", "Largest force. 0: no limit."),
    NESTED(nc_drive_keys_of_scene, "keyframes", keyframes, NC_KEY_BLOCKS, nc_drive_key_block,
           "Targets at times, linear in between. Default: target at all times."),
    PLAIN(nc_drive_keys_of_scene, table, NC_KEY_TEXT,
          "Instead of keyframes: a CSV file with a time [s] and a target in each line, relative to the scene file."),
};
const nc_key_block nc_drive_block = {"drive", "What moves an axis of a joint.", ROWS(drive_table)};

static const nc_key drive_key_table[] = {
    REQUIRED(nc_drive_key_keys, time, NC_KEY_NUMBER, "s", -1e12, 1e12, "Of the run."),
    REQUIRED(nc_drive_key_keys, value, NC_KEY_NUMBER, "as target", -1e15, 1e15, "Of the target."),
};
const nc_key_block nc_drive_key_block = {"drive keyframe", "A target at a time.", ROWS(drive_key_table)};

// ---- settings: the rows of nacre/settings.def and nacre/cloth_settings.def --------------------------------------

#define FALLBACK_SAME(text)    text
#define FALLBACK_DERIVED(text) NULL
#define READ_BY_ALL            ""
#define READ_BY_RIGID          ""
#define READ_BY_STACKS         ""
#define READ_BY_SHELL          " Read by the pipeline shell; by vsp and isp for islands with joints alone."
#define READ_BY_VSP            " Not read by isp."
// Parameters of macros over settings are in capitals: cppcheck would take the designators of nc_key for them.
// Of a kind: struct, field, unit, lowest, highest, fallback as text, column `scene`, meaning.
#define SETTING_NUMBER(type, field, unit, low, high, text, scene, about, above)                                        \
    KEY(type, #field, field, NC_KEY_NUMBER, unit, low, high, FALLBACK_##scene(text), about, above, false)
#define SETTING_REAL(type, field, unit, low, high, text, scene, about)                                                 \
    SETTING_NUMBER(type, field, unit, low, high, text, scene, about, false)
#define SETTING_AUTO(type, field, unit, low, high, text, scene, about)                                                 \
    SETTING_NUMBER(type, field, unit, low, high, text, scene, about, false)
#define SETTING_ABOVE(type, field, unit, low, high, text, scene, about)                                                \
    SETTING_NUMBER(type, field, unit, low, high, text, scene, about, true)
#define SETTING_WHOLE(type, field, unit, low, high, text, scene, about)                                                \
    ROW(type, field, NC_KEY_WHOLE, unit, low, high, FALLBACK_##scene(text), about)
#define SETTING_FLAG(type, field, unit, low, high, text, scene, about)                                                 \
    ROW(type, field, NC_KEY_FLAG, unit, 0, 0, FALLBACK_##scene(text), about)
#define SETTING_VECTOR(type, field, unit, low, high, text, scene, about)                                               \
    ROW(type, field, NC_KEY_VECTOR, unit, low, high, scene, about)
#define SETTING_CHOICE(type, field, unit, low, high, text, scene, about)                                               \
    CHOICE(type, #field, field, nc_##field##_names, scene, about)

static const nc_key world_table[] = {
    ABOVE(nc_world_keys, timestep, NC_KEY_NUMBER, "s", 0, 10, NULL,
          "Time of one step; with the pipeline acm, of one frame. Default: 1/24; 0.01 with the pipelines vsp and isp."),
    ROW(nc_world_keys, duration, NC_KEY_NUMBER, "s", 0, 1e6, "10", "Time of the whole run, rounded up to whole steps."),
#define NC_SETTING(BLOCK, KIND, NAME, UNIT, LOW, HIGH, FALLBACK, SCENE, PIPELINES, ABOUT)                              \
    NC_IN_WORLD_##BLOCK(                                                                                               \
        SETTING_##KIND(nc_world_keys, NAME, UNIT, LOW, HIGH, #FALLBACK, SCENE, ABOUT READ_BY_##PIPELINES), )
#include "nacre/settings.def"
    NESTED(nc_world_keys, "vsp", vsp, NC_KEY_BLOCK, nc_vsp_block, "Settings of the pipelines vsp and isp."),
    NESTED(nc_world_keys, "acm", acm, NC_KEY_BLOCK, nc_acm_block, "Settings of the pipeline acm."),
    NESTED(nc_world_keys, "bounds", bounds, NC_KEY_BLOCK, nc_bounds_block,
           "A body whose centre is outside has escaped. Default: the box of all bodies at the start, grown on every "
           "side by its diagonal."),
    NESTED(nc_world_keys, "output", output, NC_KEY_BLOCK, nc_output_block,
           "How often a frame is stored. Default: every step."),
    PLAIN(
        nc_world_keys, units, NC_KEY_TEXT,
        "A remark on the units, for readers; it converts nothing. To give lengths in millimetres say units: mm at the "
        "top of the file."),
};
const nc_key_block nc_world_block = {"world", "Settings of the world and the run.", ROWS(world_table)};

static const nc_key vsp_table[] = {
#define NC_SETTING(BLOCK, KIND, NAME, UNIT, LOW, HIGH, FALLBACK, SCENE, PIPELINES, ABOUT)                              \
    NC_IN_VSP_##BLOCK(SETTING_##KIND(nc_vsp_keys, NAME, UNIT, LOW, HIGH, #FALLBACK, SCENE, ABOUT READ_BY_##PIPELINES), )
#include "nacre/settings.def"
};
const nc_key_block nc_vsp_block = {"vsp", "Settings of the pipelines vsp and isp.", ROWS(vsp_table)};

static const nc_key acm_table[] = {
    ABOVE(nc_acm_keys, thickness, NC_KEY_NUMBER, "m", 0, FAR, "0.01",
          "eta(1): surfaces nearer than this push each other. For objects that have none of their own."),
    ABOVE(nc_acm_keys, stiffness, NC_KEY_NUMBER, "N/m", 0, 1e15, "1000",
          "r(1): of the outermost penalty layer. For objects that have none of their own."),
#define NC_CLOTH_SETTING(BLOCK, KIND, NAME, UNIT, LOW, HIGH, FALLBACK, SCENE, RESULTS, ABOUT)                          \
    NC_IN_ACM_##BLOCK(SETTING_##KIND(nc_acm_keys, NAME, UNIT, LOW, HIGH, #FALLBACK, SCENE, ABOUT), )
#include "nacre/cloth_settings.def"
};
const nc_key_block nc_acm_block = {"acm", "Settings of the pipeline acm.", ROWS(acm_table)};

static const nc_key cloth_table[] = {
#define NC_CLOTH_MATERIAL(KIND, field, key, of, UNIT, LOW, HIGH, FALLBACK, ABOUT)                                      \
    SETTING_##KIND(nc_cloth_keys, key, UNIT, LOW, HIGH, #FALLBACK, SAME, ABOUT),
#include "nacre/cloth_material.def"
};
const nc_key_block nc_cloth_block = {"cloth", "What a body of type cloth is made of.", ROWS(cloth_table)};

static const nc_key contact_table[] = {
    ABOVE(nc_contact_keys, thickness, NC_KEY_NUMBER, "m", 0, FAR, NULL,
          "eta(1); of a pair, the mean of its two objects. Default: world.acm.thickness."),
    ABOVE(nc_contact_keys, stiffness, NC_KEY_NUMBER, "N/m", 0, 1e15, NULL,
          "r(1); of a pair, the mean of its two objects. Default: world.acm.stiffness."),
};
const nc_key_block nc_contact_block = {"contact", "The outermost penalty layer, with the pipeline acm.",
                                       ROWS(contact_table)};

#define CHOSEN_ROWS                                                                                                    \
    PLAIN(nc_hold_keys, vertices, NC_KEY_WHOLES, "Vertices of the mesh by number, from 0."),                           \
        ROW(nc_hold_keys, low, NC_KEY_VECTOR, "m", -FAR, FAR, NULL,                                                    \
            "Lowest corner of a box in mesh coordinates: the vertices inside it, instead of vertices. Needs high."),   \
        ROW(nc_hold_keys, high, NC_KEY_VECTOR, "m", -FAR, FAR, NULL, "Its highest corner.")
static const nc_key pin_table[] = {
    CHOSEN_ROWS,
    ROW(nc_hold_keys, velocity, NC_KEY_VECTOR, "m/s", -1e9, 1e9, "[0, 0, 0]", "They move so, in straight lines."),
    NESTED(nc_hold_keys, "keyframes", keyframes, NC_KEY_BLOCKS, nc_keyframe_block,
           "Poses in time of a frame that they are fixed to, instead of velocity."),
    ROW(nc_hold_keys, end, NC_KEY_NUMBER, "s", 0, 1e6, NULL, "From then on they are free. Default: never."),
};
const nc_key_block nc_pin_block = {
    "pin", "Vertices of a cloth that the scene moves or holds; all when none are chosen.", ROWS(pin_table)};

static const nc_key force_table[] = {
    CHOSEN_ROWS,
    ROW(nc_hold_keys, force, NC_KEY_VECTOR, "N", -1e15, 1e15, "[0, 0, 0]", "On all of them together."),
    ROW(nc_hold_keys, start, NC_KEY_NUMBER, "s", 0, 1e6, "0", "It acts from then on."),
    ROW(nc_hold_keys, end, NC_KEY_NUMBER, "s", 0, 1e6, NULL, "Until then. Default: for ever."),
};
const nc_key_block nc_force_block = {"force", "A force on vertices of a cloth; on all when none are chosen.",
                                     ROWS(force_table)};

static const nc_key bounds_table[] = {
    REQUIRED(nc_bounds_keys, low, NC_KEY_VECTOR, "m", -FAR, FAR, "Lowest corner."),
    REQUIRED(nc_bounds_keys, high, NC_KEY_VECTOR, "m", -FAR, FAR, "Highest corner."),
};
const nc_key_block nc_bounds_block = {"bounds", "A box in the world.", ROWS(bounds_table)};

static const nc_key output_table[] = {
    ROW(nc_output_keys, every, NC_KEY_WHOLE, "1", 1, 1e9, NULL, "Steps from one frame to the next."),
    ABOVE(nc_output_keys, frame_rate, NC_KEY_NUMBER, "1/s", 0, 1e9, NULL,
          "Frames per second; 1 / (frame_rate x timestep) must be a whole number."),
};
const nc_key_block nc_output_block = {"output", "How often a frame is stored: one of the two.", ROWS(output_table)};

#define CAMERA_ROWS                                                                                                    \
    ROW(nc_camera_keys, position, NC_KEY_VECTOR, "m", -FAR, FAR, NULL,                                                 \
        "Where the camera is. Default: as near as shows everything."),                                                 \
        ROW(nc_camera_keys, target, NC_KEY_VECTOR, "m", -FAR, FAR, NULL,                                               \
            "What is in the middle of the picture. Default: the middle of what is shown."),                            \
        ROW(nc_camera_keys, azimuth, NC_KEY_NUMBER, "degree", -360, 360, NULL,                                         \
            "Direction of the camera about the vertical: 0 from z, 90 from x (with gravity along -y). Default 27."),   \
        ROW(nc_camera_keys, elevation, NC_KEY_NUMBER, "degree", -90, 90, NULL, "From how far above. Default 27."),     \
        ROW(nc_camera_keys, fov, NC_KEY_NUMBER, "degree", 1, 150, NULL,                                                \
            "Angle from the bottom to the top. Default 32."),                                                          \
        ABOVE(nc_camera_keys, zoom, NC_KEY_NUMBER, "1", 0, 1000, NULL,                                                 \
              "Factor by which everything is larger. Default 1.")

static const nc_key camera_table[] = {
    CAMERA_ROWS,
    ROW(nc_camera_keys, aperture, NC_KEY_NUMBER, "m", 0, FAR, NULL,
        "Radius of the lens: what is nearer or farther than focus is blurred. Default 0: all is sharp."),
    ROW(nc_camera_keys, focus, NC_KEY_VECTOR, "m", -FAR, FAR, NULL,
        "A point at the distance that is sharp. Default: what is in the middle of the picture."),
    NESTED(nc_camera_keys, "keyframes", keyframes, NC_KEY_BLOCKS, nc_camera_keyframe_block,
           "Cameras in time, for films: it moves smoothly from one to the next. At most 64."),
};
const nc_key_block nc_camera_block = {"camera", "The camera. The simulation does not depend on it.",
                                      ROWS(camera_table)};

static const nc_key camera_keyframe_table[] = {
    REQUIRED(nc_camera_keys, time, NC_KEY_NUMBER, "s", 0, 1e6, "Ascending from keyframe to keyframe."),
    CAMERA_ROWS,
};
const nc_key_block nc_camera_keyframe_block = {"camera keyframe",
                                               "A camera at a time. What it does not give is as the camera has it.",
                                               ROWS(camera_keyframe_table)};

static const char *const matters[] = {"auto", "solid", "shell", "wire", "dust"};

#define MASS_ROWS(type)                                                                                                \
    KEY(type, "thickness", mass.thickness, NC_KEY_NUMBER, "m", 0, FAR, NULL,                                           \
        "Of a shell; diameter of a wire or grain. Decides mass only: surfaces stay infinitely thin. Default 0.01.",    \
        true, false),                                                                                                  \
        KEY(type, "density", mass.density, NC_KEY_NUMBER, "kg/m^3", 0, 1e12, NULL, "Default 1000.", true, false),      \
        KEY(type, "area_density", mass.area_density, NC_KEY_NUMBER, "kg/m^2", 0, 1e12, NULL,                           \
            "Of a shell. Default: density x thickness.", true, false),                                                 \
        CHOICE(                                                                                                        \
            type, "matter", mass.matter, matters, NULL,                                                                \
            "Where the mass is. auto: solid when closed, shell when open, wire or dust when there is no triangle."),   \
        KEY(type, "mass", mass.mass, NC_KEY_NUMBER, "kg", 0, 1e15, NULL, "Total mass, instead of a density.", true,    \
            false),                                                                                                    \
        KEY(type, "center", mass.center, NC_KEY_VECTOR, "m", -FAR, FAR, NULL,                                          \
            "Centre of mass in mesh coordinates; needs inertia. Default: that of the geometry.", false, false),        \
        KEY(type, "inertia", mass.inertia, NC_KEY_INERTIA, "kg m^2", -1e24, 1e24, NULL,                                \
            "About the centre of mass in mesh axes; needs mass. Default: that of the geometry.", false, false)

static const char *const material_names[] = {
#define NC_MATERIAL(ID, NAME, ...) #NAME,
#include "nacre/material.def"
};
#define LOOK_ROWS(type)                                                                                                \
    KEY(type, "color", look.color, NC_KEY_COLOR, "", 0, 1, NULL,                                                       \
        "How it is shown. Default: that of its material, else one by body.", false, false),                            \
        CHOICE(type, "material", look.material, material_names, NULL,                                                  \
               "What it is shown to be made of; it changes no motion. Default: dull, or as its mesh file has it.")

static const nc_key shape_table[] = {
    PLAIN(nc_shape_keys, generate, NC_KEY_TEXT, "A procedural shape; its parameters are further keys."),
    PLAIN(nc_shape_keys, file, NC_KEY_TEXT, "A mesh file, relative to the scene file."),
    NESTED(nc_shape_keys, "csg", csg, NC_KEY_BLOCK, nc_solid_block,
           "A solid of primitives or an implicit function, made into a closed mesh."),
    ABOVE(nc_shape_keys, cell, NC_KEY_NUMBER, "m", 0, FAR, NULL,
          "Of csg: the side of the cubes that the mesh is made with. Default: 1/48 of the longest side."),
    CHOICE(nc_shape_keys, "unit", unit, nc_unit_names, NULL,
           "Unit of the lengths of this shape and of its file. Default: the file's units; m for glTF files."),
    ABOVE(nc_shape_keys, scale, NC_KEY_SPREAD, "1", 0, 1e9, "1", "Factor on coordinates, for all axes or for x, y, z."),
    MASS_ROWS(nc_shape_keys),
    LOOK_ROWS(nc_shape_keys),
    NESTED(nc_shape_keys, "fracture", fracture, NC_KEY_BLOCK, nc_fracture_block,
           "How bodies of this shape break. Default: they do not."),
};
const nc_key_block nc_shape_block = {"shape", "A mesh and its mass: generate, file or csg.", ROWS(shape_table)};

// In the order of nc_csg_kind.
static const char *const primitives[] = {"sphere",  "box",  "half_space", "cylinder",
                                         "capsule", "cone", "torus",      "gyroid"};

#define S nc_solid_keys
static const nc_key solid_table[] = {
    CHOICE(S, "solid", solid, primitives, NULL,
           "A primitive about the origin; round ones about y, and the half-space below y = 0."),
    NESTED(S, "union", unite, NC_KEY_BLOCKS, nc_solid_block, "What is in any of these solids."),
    NESTED(S, "intersection", intersect, NC_KEY_BLOCKS, nc_solid_block, "What is in all of these solids."),
    NESTED(S, "difference", subtract, NC_KEY_BLOCKS, nc_solid_block, "The first of these solids without the others."),
    ABOVE(S, blend, NC_KEY_NUMBER, "m", 0, FAR, NULL,
          "Of union: solids nearer than this grow together smoothly. Default: they do not."),
    ABOVE(S, radius, NC_KEY_NUMBER, "m", 0, FAR, NULL,
          "Of sphere, cylinder, capsule, of the base of a cone, of the ring of a torus."),
    ABOVE(S, size, NC_KEY_SPREAD, "m", 0, FAR, NULL, "Of a box: its sides."),
    ABOVE(S, height, NC_KEY_NUMBER, "m", 0, FAR, NULL, "Of cylinder and cone; of the straight part of a capsule."),
    ROW(S, top, NC_KEY_NUMBER, "m", 0, FAR, "0", "Of a cone: its radius at the top."),
    ABOVE(S, tube, NC_KEY_NUMBER, "m", 0, FAR, NULL, "Of a torus: the radius of the tube."),
    ABOVE(S, period, NC_KEY_NUMBER, "m", 0, FAR, NULL, "Of a gyroid: after this length it repeats."),
    ABOVE(S, level, NC_KEY_NUMBER, "1", 0, 1.5, "0.3",
          "Of a gyroid: it is where |sin x cos y + sin y cos z + sin z cos x| is at most this."),
    ROW(S, position, NC_KEY_VECTOR, "m", -FAR, FAR, "[0, 0, 0]", "Where its origin is, in the solid it is part of."),
    ROW(S, rotation, NC_KEY_ROTATION, "", 0, 0, NULL, "How it is turned. Default: not."),
};
#undef S
const nc_key_block nc_solid_block = {"solid", "A primitive, or an operation on solids.", ROWS(solid_table)};

static const char *const methods[] = {"auto", "cut", "level"};

#define F nc_fracture_keys
static const nc_key fracture_table[] = {
    REQUIRED(F, threshold, NC_KEY_NUMBER, "N s", 0, 1e15,
             "The body breaks when one collision gives it a larger impulse. 0: it does not break."),
    PLAIN(F, pattern, NC_KEY_TEXT,
          "A built-in pattern; its parameters are further keys. Default: graded, unless there is a file."),
    PLAIN(F, file, NC_KEY_TEXT,
          "Instead: closed meshes that tile a box, in a folder, an .obj with objects or a .glb; relative to the scene "
          "file."),
    ROW(F, seed, NC_KEY_WHOLE, "", 0, 9007199254740992.0, "0", "Of the pattern's random numbers."),
    ROW(F, center, NC_KEY_VECTOR, "1", -0.5, 0.5, "[0, 0, 0]", "Of a file: the point of impact in its box."),
    ROW(F, normal, NC_KEY_VECTOR, "1", -1e9, 1e9, "[0, 0, 1]",
        "Of a file: the direction of the impact; any length but 0."),
    CHOICE(F, "way", way, methods, "auto",
           "How the pieces of a solid are made: by cutting its mesh at the cracks, which must be planes, or by level "
           "sets; auto: by cutting where that can be done. Shells are always cut."),
    ROW(F, cells, NC_KEY_WHOLE, "1", 2, 1000, "55", "Of the level set, along the longest side of the body."),
    ABOVE(F, gap, NC_KEY_NUMBER, "m", 0, FAR, NULL,
          "Between pieces when they are born. Default: the rest distance of the body that breaks."),
    ROW(F, crumb, NC_KEY_NUMBER, "1", 0, 0.9, "1e-4", "Pieces with less than this part of the body go to a neighbour."),
    ROW(F, aligned, NC_KEY_FLAG, "", 0, 0, "false",
        "Level sets only: the pattern keeps the body's axes and is moved to its grid. Faster, and coarser."),
    ROW(F, generations, NC_KEY_WHOLE, "1", 1, 1000, "4", "Breaks in a row; 1: pieces do not break again."),
};
#undef F
const nc_key_block nc_fracture_block = {
    "fracture", "How a body breaks where it is hit; static and dynamic bodies only.", ROWS(fracture_table)};

#define PLACE_ROWS(type)                                                                                               \
    ROW(type, position, NC_KEY_VECTOR, "m", -FAR, FAR, "[0, 0, 0]", "Where the origin of the mesh or group goes."),    \
        ROW(type, rotation, NC_KEY_ROTATION, "", 0, 0, NULL, "How it is turned. Default: not.")

static const char *const body_types[] = {"static", "kinematic", "dynamic", "cloth"};

#define DEFAULT_ROWS                                                                                                   \
    PLAIN(nc_body_keys, shape, NC_KEY_NAME, "A name of shapes."),                                                      \
        CHOICE(nc_body_keys, "type", type, body_types, "dynamic",                                                      \
               "What moves it: nothing, the scene, or physics, as a rigid body or vertex by vertex."),                 \
        NESTED(nc_body_keys, "cloth", cloth, NC_KEY_BLOCK, nc_cloth_block, "What a cloth is made of."),                \
        NESTED(nc_body_keys, "contact", contact, NC_KEY_BLOCK, nc_contact_block,                                       \
               "Its penalty layer, with the pipeline acm."),                                                           \
        ROW(nc_body_keys, velocity, NC_KEY_VECTOR, "m/s", -1e9, 1e9, "[0, 0, 0]",                                      \
            "Of the centre of mass (dynamic) or the mesh origin (kinematic)."),                                        \
        ROW(nc_body_keys, spin, NC_KEY_VECTOR, "rad/s", -1e9, 1e9, "[0, 0, 0]", "Angular velocity."),                  \
        ROW(nc_body_keys, friction, NC_KEY_NUMBER, "1", 0, 100, NULL, "Default: the world's."),                        \
        ROW(nc_body_keys, restitution, NC_KEY_NUMBER, "1", 0, 1, NULL, "Default: the world's."),                       \
        ROW(nc_body_keys, force, NC_KEY_VECTOR, "N", -1e15, 1e15, "[0, 0, 0]", "Through the centre of mass, always."), \
        ROW(nc_body_keys, torque, NC_KEY_VECTOR, "N m", -1e15, 1e15, "[0, 0, 0]", "Acting always."),                   \
        ROW(nc_body_keys, max_force, NC_KEY_NUMBER, "N", 0, 1e15, "0",                                                 \
            "Of a kinematic body: where its motion is opposed with more, it waits. 0: no limit."),                     \
        ROW(nc_body_keys, max_torque, NC_KEY_NUMBER, "N m", 0, 1e15, "0", "The same of its turning."),                 \
        MASS_ROWS(nc_body_keys), LOOK_ROWS(nc_body_keys),                                                              \
        NESTED(nc_body_keys, "fracture", fracture, NC_KEY_BLOCK, nc_fracture_block,                                    \
               "How it breaks; overrides the fracture of its shape.")

#define GENERATOR_ROW(key_, index, about_)                                                                             \
    NESTED(nc_body_keys, key_, generators[index], NC_KEY_BLOCK, nc_generator_blocks[index], about_)
#define GENERATOR_ROWS                                                                                                 \
    GENERATOR_ROW("grid", NC_GRID, "Copies on a regular grid."),                                                       \
        GENERATOR_ROW("pile", NC_PILE, "Copies on a grid, shaken and tumbled, to be dropped."),                        \
        GENERATOR_ROW("wall", NC_WALL, "Copies in rows, odd rows shifted like bricks."),                               \
        GENERATOR_ROW("tower", NC_TOWER, "Copies above each other."),                                                  \
        GENERATOR_ROW("pyramid", NC_PYRAMID, "Copies in layers that get smaller."),                                    \
        GENERATOR_ROW("chain", NC_CHAIN, "Copies along a line, each turned about it: links of a chain."),              \
        GENERATOR_ROW("ring", NC_RING, "Copies around a circle."),                                                     \
        GENERATOR_ROW("sphere", NC_SPHERE, "Copies spread evenly over a sphere."),                                     \
        GENERATOR_ROW("along", NC_ALONG, "Copies along a curve: a row of dominoes.")

static const nc_key body_table[] = {
    PLAIN(nc_body_keys, name, NC_KEY_NAME, "Default: the name of the shape. Copies get .0, .1, ... after it."),
    PLACE_ROWS(nc_body_keys),
    DEFAULT_ROWS,
    NESTED(nc_body_keys, "keyframes", keyframes, NC_KEY_BLOCKS, nc_keyframe_block,
           "Poses in time of a kinematic body, instead of position, rotation, velocity and spin."),
    NESTED(nc_body_keys, "pins", pins, NC_KEY_BLOCKS, nc_pin_block,
           "Vertices of a cloth that the scene moves or holds; later ones win."),
    NESTED(nc_body_keys, "forces", forces, NC_KEY_BLOCKS, nc_force_block, "Forces on vertices of a cloth."),
    GENERATOR_ROWS,
    GENERATOR_ROW("pour", NC_POUR, "Bodies that find room in a box or a container, layer over layer."),
    GENERATOR_ROW("scatter", NC_SCATTER, "Bodies that find room on the surface of another."),
    GENERATOR_ROW("emit", NC_EMIT, "Bodies that appear during the run."),
};
const nc_key_block nc_body_block = {"body", "A body, or many copies of one by a generator.", ROWS(body_table)};

#define GROUP_JOINTS_ROW                                                                                               \
    NESTED(nc_body_keys, "joints", joints, NC_KEY_BLOCKS, nc_joint_block,                                              \
           "Joints of the members, in the group's frame; bodies are named as in the group, or outside it.")
#define MECHANISM_ROW(key_, index, about_)                                                                             \
    NESTED(nc_body_keys, key_, mechanisms[index], NC_KEY_BLOCK, nc_mechanism_blocks[index], about_)
static const nc_key group_table[] = {
    NESTED(nc_body_keys, "bodies", bodies, NC_KEY_BLOCKS, nc_body_block,
           "The members; positions in the group's frame."),
    PLAIN(nc_body_keys, group, NC_KEY_NAME, "A name of groups, instead of bodies."),
    MECHANISM_ROW("ragdoll", NC_RAGDOLL, "A figure of ten parts, instead of bodies."),
    MECHANISM_ROW("door", NC_DOOR, "A leaf on a hinge, instead of bodies."),
    MECHANISM_ROW("wheel", NC_WHEEL, "A wheel with its suspension, instead of bodies."),
    GROUP_JOINTS_ROW,
    PLAIN(nc_body_keys, name, NC_KEY_NAME, "Members are called name/member. Default: the group's name, or none."),
    PLACE_ROWS(nc_body_keys),
    NESTED(nc_body_keys, "defaults", defaults, NC_KEY_BLOCK, nc_defaults_block,
           "Keys for members that do not have them."),
    GENERATOR_ROWS,
};
const nc_key_block nc_group_block = {
    "group", "An entry of bodies that places several bodies: bodies, group, ragdoll, door or wheel.",
    ROWS(group_table)};

bool nc_entry_is_group(const nc_node *entry)
{
    bool found = nc_node_find(entry, "bodies") != NULL || nc_node_find(entry, "group") != NULL;
    for (int i = 0; i < NC_MECHANISM_COUNT && !found; i++)
        found = nc_node_find(entry, nc_mechanism_blocks[i].name) != NULL;
    return found;
}

static const nc_key named_group_table[] = {
    NESTED(nc_body_keys, "bodies", bodies, NC_KEY_BLOCKS, nc_body_block,
           "The members; positions in the group's frame."),
    GROUP_JOINTS_ROW,
    NESTED(nc_body_keys, "defaults", defaults, NC_KEY_BLOCK, nc_defaults_block,
           "Keys for members that do not have them."),
};
const nc_key_block nc_named_group_block = {"named group", "A list of bodies under a name of groups.",
                                           ROWS(named_group_table)};

static const nc_key defaults_table[] = {DEFAULT_ROWS};
const nc_key_block nc_defaults_block = {"defaults", "Keys for members of a group that do not have them.",
                                        ROWS(defaults_table)};

static const nc_key keyframe_table[] = {
    REQUIRED(nc_keyframe_keys, time, NC_KEY_NUMBER, "s", 0, 1e6, "Ascending from keyframe to keyframe."),
    PLACE_ROWS(nc_keyframe_keys),
};
const nc_key_block nc_keyframe_block = {"keyframe", "A pose in time.", ROWS(keyframe_table)};

static const nc_key rotation_table[] = {
    ROW(nc_rotation_keys, axis, NC_KEY_VECTOR, "1", -FAR, FAR, NULL, "Of a turn by angle; any length but 0."),
    ROW(nc_rotation_keys, angle, NC_KEY_NUMBER, "degree", -1e6, 1e6, NULL, "Counterclockwise about axis."),
    ROW(nc_rotation_keys, euler, NC_KEY_VECTOR, "degree", -1e6, 1e6, NULL,
        "A turn about the x, then the y, then the z axis of the world or group."),
    ROW(nc_rotation_keys, quaternion, NC_KEY_QUAT, "1", -1e9, 1e9, NULL, "w, x, y, z; any length but 0."),
};
const nc_key_block nc_rotation_block = {"rotation", "A turn: axis and angle, or euler, or quaternion.",
                                        ROWS(rotation_table)};

#define MAX_COPIES 1e6
#define MAX_PLACED 1e5 // by generators that find room: minutes
#define G          nc_generator_keys
#define RANDOM_ROWS(tumble_)                                                                                           \
    ROW(G, jitter, NC_KEY_SPREAD, "m", 0, FAR, "0", "Every copy is moved by up to this on each axis, at random."),     \
        ROW(G, tumble, NC_KEY_NUMBER, "1", 0, 1, tumble_, "Random turn: 0 none, 1 any orientation."),                  \
        ROW(G, spin_jitter, NC_KEY_NUMBER, "rad/s", 0, 1e9, "0", "Random spin of up to this, added to spin."),         \
        ROW(G, burst, NC_KEY_NUMBER, "m/s", -1e9, 1e9, "0", "Speed away from the generator's centre."),                \
        ROW(G, seed, NC_KEY_WHOLE, "", 0, 9007199254740992.0, NULL,                                                    \
            "Of its random numbers. Default: from the scene's seed and the position in the list.")

static const nc_key grid_table[] = {
    KEY(G, "count", counts, NC_KEY_COUNTS, "1", 1, MAX_COPIES, NULL, "Copies along x, y, z.", false, true),
    ROW(G, spacing, NC_KEY_SPREAD, "m", 0, FAR, "1", "From copy to copy."),
    ROW(G, center, NC_KEY_VECTOR, "m", -FAR, FAR, "[0, 0, 0]", "Middle of the grid."),
    RANDOM_ROWS("0"),
};
static const nc_key pile_table[] = {
    KEY(G, "count", counts, NC_KEY_COUNTS, "1", 1, MAX_COPIES, NULL, "Copies along x, y, z.", false, true),
    ROW(G, spacing, NC_KEY_SPREAD, "m", 0, FAR, "1", "From copy to copy."),
    ROW(G, center, NC_KEY_VECTOR, "m", -FAR, FAR, "[0, 0, 0]", "Middle of the pile."),
    RANDOM_ROWS("1"),
};
static const nc_key wall_table[] = {
    KEY(G, "count", counts, NC_KEY_COUNTS_2, "1", 1, MAX_COPIES, NULL, "Columns (along x), rows (up y).", false, true),
    KEY(G, "spacing", spacing_2, NC_KEY_PAIR, "m", 0, FAR, "[1, 1]", "Along x, up y.", false, false),
    ROW(G, base, NC_KEY_VECTOR, "m", -FAR, FAR, "[0, 0, 0]", "Middle of the lowest row."),
    ROW(G, bond, NC_KEY_NUMBER, "1", 0, 1, "0.5", "Shift of odd rows, as a part of the spacing."),
    RANDOM_ROWS("0"),
};
static const nc_key tower_table[] = {
    REQUIRED(G, count, NC_KEY_WHOLE, "1", 1, MAX_COPIES, "Copies."),
    KEY(G, "spacing", gap, NC_KEY_NUMBER, "m", 0, FAR, "1", "Up y from copy to copy.", false, false),
    ROW(G, base, NC_KEY_VECTOR, "m", -FAR, FAR, "[0, 0, 0]", "Place of the lowest copy."),
    ROW(G, twist, NC_KEY_NUMBER, "degree", -1e6, 1e6, "0", "Turn about y from copy to copy."),
    RANDOM_ROWS("0"),
};
static const nc_key pyramid_table[] = {
    REQUIRED(G, count, NC_KEY_WHOLE, "1", 1, 1000, "Layers; the lowest has count x count copies."),
    ROW(G, spacing, NC_KEY_SPREAD, "m", 0, FAR, "1", "From copy to copy."),
    ROW(G, base, NC_KEY_VECTOR, "m", -FAR, FAR, "[0, 0, 0]", "Middle of the lowest layer."),
    ROW(G, flat, NC_KEY_FLAG, "", 0, 0, "false", "One copy deep: layers are rows along x."),
    RANDOM_ROWS("0"),
};
static const nc_key chain_table[] = {
    REQUIRED(G, count, NC_KEY_WHOLE, "1", 1, MAX_COPIES, "Links."),
    KEY(G, "spacing", gap, NC_KEY_NUMBER, "m", 0, FAR, "1", "From link to link.", false, false),
    ROW(G, start, NC_KEY_VECTOR, "m", -FAR, FAR, "[0, 0, 0]", "Place of the first link."),
    ROW(G, direction, NC_KEY_VECTOR, "1", -FAR, FAR, "[1, 0, 0]", "Along which it runs; any length but 0."),
    ROW(G, turn, NC_KEY_NUMBER, "degree", -1e6, 1e6, "90", "About direction, from link to link."),
    NESTED(G, "joint", joint, NC_KEY_BLOCK, nc_joint_block,
           "Connects each copy with the one before it, half way between them if it has no anchor; no body, to, chain."),
    RANDOM_ROWS("0"),
};
static const nc_key ring_table[] = {
    REQUIRED(G, count, NC_KEY_WHOLE, "1", 1, MAX_COPIES, "Copies."),
    ROW(G, radius, NC_KEY_NUMBER, "m", 0, FAR, "1", "Of the circle."),
    ROW(G, center, NC_KEY_VECTOR, "m", -FAR, FAR, "[0, 0, 0]", "Of the circle."),
    ROW(G, axis, NC_KEY_VECTOR, "1", -FAR, FAR, "[0, 1, 0]", "Across the circle; any length but 0."),
    ROW(G, arc, NC_KEY_NUMBER, "degree", 0, 360, "360", "Part of the circle that is shared out to the copies."),
    ROW(G, from, NC_KEY_NUMBER, "degree", -360, 360, "0", "Where the first copy is on the circle, about axis."),
    ROW(G, face, NC_KEY_FLAG, "", 0, 0, "true", "Turn every copy with its position on the circle."),
    NESTED(G, "joint", joint, NC_KEY_BLOCK, nc_joint_block,
           "Connects each copy with the one before it, half way between them if it has no anchor; of a "
           "full circle the first with the last, too. No body, to, chain."),
    RANDOM_ROWS("0"),
};
static const nc_key sphere_table[] = {
    REQUIRED(G, count, NC_KEY_WHOLE, "1", 1, MAX_COPIES, "Copies."),
    ROW(G, radius, NC_KEY_NUMBER, "m", 0, FAR, "1", "Of the sphere."),
    ROW(G, center, NC_KEY_VECTOR, "m", -FAR, FAR, "[0, 0, 0]", "Of the sphere."),
    RANDOM_ROWS("0"),
};
static const nc_key along_table[] = {
    KEY(G, "points", points, NC_KEY_POINTS, "m", -FAR, FAR, NULL, "Of the curve, two or more.", false, false),
    NESTED(G, "spiral", spiral, NC_KEY_BLOCK, nc_spiral_block, "A circle, a spiral or a helix, instead of points."),
    ROW(G, smooth, NC_KEY_FLAG, "", 0, 0, "false",
        "true: through the points runs a smooth curve (centripetal Catmull-Rom), false: straight lines."),
    ROW(G, closed, NC_KEY_FLAG, "", 0, 0, "false", "true: from the last point back to the first."),
    KEY(G, "spacing", gap, NC_KEY_NUMBER, "m", 0, FAR, NULL,
        "From copy to copy, measured on the curve. Default: count copies share the curve evenly.", true, false),
    ROW(G, count, NC_KEY_WHOLE, "1", 1, MAX_COPIES, NULL, "Copies. Default: as many as the spacing gives."),
    ROW(G, skip, NC_KEY_NUMBER, "m", 0, FAR, "0", "Part of the curve before the first copy."),
    ROW(G, face, NC_KEY_FLAG, "", 0, 0, "true",
        "Turn every copy: its x axis goes along the curve, its y axis up. false: copies keep their orientation."),
    ROW(G, upright, NC_KEY_FLAG, "", 0, 0, "true",
        "Copies turn about `up` alone and stand upright on slopes. false: they lean with the curve."),
    ROW(G, up, NC_KEY_VECTOR, "1", -FAR, FAR, "[0, 1, 0]", "Where the y axis of copies points; any length but 0."),
    NESTED(G, "joint", joint, NC_KEY_BLOCK, nc_joint_block,
           "Connects each copy with the one before it, half way between them if it has no anchor; of a "
           "closed curve the first with the last, too. No body, to, chain."),
    RANDOM_ROWS("0"),
};
static const nc_key spiral_table[] = {
    REQUIRED(nc_spiral_keys, radius, NC_KEY_NUMBER, "m", 0, FAR, "Where it begins."),
    ROW(nc_spiral_keys, end_radius, NC_KEY_NUMBER, "m", 0, FAR, NULL, "Where it ends. Default: radius."),
    ROW(nc_spiral_keys, turns, NC_KEY_NUMBER, "1", -1000, 1000, "1", "About axis; negative: the other way round."),
    ROW(nc_spiral_keys, rise, NC_KEY_NUMBER, "m", -FAR, FAR, "0", "Along axis, from begin to end."),
    ROW(nc_spiral_keys, from, NC_KEY_NUMBER, "degree", -360, 360, "0", "Where it begins, about axis from x."),
    ROW(nc_spiral_keys, center, NC_KEY_VECTOR, "m", -FAR, FAR, "[0, 0, 0]", "Of its beginning."),
    ROW(nc_spiral_keys, axis, NC_KEY_VECTOR, "1", -FAR, FAR, "[0, 1, 0]", "Across the spiral; any length but 0."),
};
const nc_key_block nc_spiral_block = {"spiral", "A circle (one turn), a flat spiral or a helix.", ROWS(spiral_table)};
static const nc_key mix_table[] = {
    {.name = "shape",
     .kind = NC_KEY_NAME,
     .unit = "",
     .required = true,
     .about = "A name of shapes.",
     .offset = offsetof(nc_mix_keys, shape)},
    ABOVE(nc_mix_keys, weight, NC_KEY_NUMBER, "1", 0, 1e9, "1", "How often it is taken, against the others."),
};
const nc_key_block nc_mix_block = {"mix", "A shape of a mix.", ROWS(mix_table)};
#define PLACING_ROWS(type)                                                                                             \
    REQUIRED(type, count, NC_KEY_WHOLE, "1", 1, MAX_PLACED, "Bodies."),                                                \
        NESTED(type, "shapes", shapes, NC_KEY_BLOCKS, nc_mix_block,                                                    \
               "Shapes that are mixed at random, instead of the entry's shape."),                                      \
        ABOVE(type, gap, NC_KEY_NUMBER, "m", 0, FAR, NULL,                                                             \
              "The least distance from other bodies. Default: the rest distance of the two."),                         \
        ROW(type, partial, NC_KEY_FLAG, "", 0, 0, "false",                                                             \
            "true: as many as there is room for; false: it is an error when not all find room."),                      \
        ROW(type, seed, NC_KEY_WHOLE, "", 0, 9007199254740992.0, NULL,                                                 \
            "Of its random numbers. Default: from the scene's seed and the position in the list.")
static const nc_key pour_table[] = {
    NESTED(nc_pour_keys, "box", box, NC_KEY_BLOCK, nc_bounds_block,
           "Where they go: wholly inside this box, in the frame of the entry."),
    PLAIN(nc_pour_keys, into, NC_KEY_TEXT,
          "Instead of box: the name of a body, such as a bin; they sink in from above, and walls must be all around."),
    CHOICE(nc_pour_keys, "orient", orient, nc_orient_names, "random",
           "How they are turned: any orientation, about up alone, or not at all. The entry's rotation comes first."),
    PLACING_ROWS(nc_pour_keys),
};
static const nc_key scatter_table[] = {
    {.name = "on",
     .kind = NC_KEY_TEXT,
     .unit = "",
     .required = true,
     .about = "The name of the body whose surface they are put on.",
     .offset = offsetof(nc_scatter_keys, on)},
    CHOICE(nc_scatter_keys, "orient", orient, nc_scatter_orient_names, "upright",
           "Where the y axis of a body points: up, along the normal of the surface, anywhere, or as the entry has it."),
    ROW(nc_scatter_keys, spacing, NC_KEY_NUMBER, "m", 0, FAR, "0", "The least distance of the points they are put on."),
    ROW(nc_scatter_keys, slope, NC_KEY_NUMBER, "degree", 0, 180, "45",
        "Steepest faces that are used; 180: all, also those that face down."),
    PLACING_ROWS(nc_scatter_keys),
};
static const nc_key emit_table[] = {
    KEY(nc_emit_keys, "rate", rate, NC_KEY_NUMBER, "1/s", 0, 1e6, NULL, "Bodies per second.", true, true),
    ROW(nc_emit_keys, start, NC_KEY_NUMBER, "s", 0, 1e6, "0", "When the first body is due."),
    ROW(nc_emit_keys, until, NC_KEY_NUMBER, "s", 0, 1e6, NULL, "No body is due from then on. Default: world.duration."),
    ROW(nc_emit_keys, count, NC_KEY_WHOLE, "1", 0, MAX_COPIES, NULL,
        "At most so many bodies. Default: all that are due."),
    {.name = "box",
     .kind = NC_KEY_BLOCK,
     .unit = "",
     .required = true,
     .block = &nc_bounds_block,
     .about = "Where they appear: wholly inside this box, in the frame of the entry.",
     .offset = offsetof(nc_emit_keys, box)},
    CHOICE(nc_emit_keys, "orient", orient, nc_orient_names, "random",
           "How they are turned: any orientation, about up alone, or not at all. The entry's rotation comes first."),
    NESTED(nc_emit_keys, "shapes", shapes, NC_KEY_BLOCKS, nc_mix_block,
           "Shapes that are mixed at random, instead of the entry's shape."),
    ABOVE(nc_emit_keys, gap, NC_KEY_NUMBER, "m", 0, FAR, NULL,
          "The least distance from other bodies. Default: the rest distance of the two."),
    ROW(nc_emit_keys, seed, NC_KEY_WHOLE, "", 0, 9007199254740992.0, NULL,
        "Of its random numbers. Default: from the scene's seed and the position in the list."),
};
const nc_key_block nc_generator_blocks[NC_GENERATOR_COUNT] = {
    {"grid", "A regular grid.", ROWS(grid_table)},
    {"pile", "A grid that is shaken and tumbled.", ROWS(pile_table)},
    {"wall", "Rows of bricks along x, up y.", ROWS(wall_table)},
    {"tower", "Copies above each other, up y.", ROWS(tower_table)},
    {"pyramid", "Layers that get smaller, up y.", ROWS(pyramid_table)},
    {"chain", "Links along a line.", ROWS(chain_table)},
    {"ring", "Copies around a circle.", ROWS(ring_table)},
    {"sphere", "Copies over a sphere.", ROWS(sphere_table)},
    {"along", "Copies along a curve: points or spiral, with a spacing, a count or both.", ROWS(along_table)},
    {"pour",
     "Bodies dropped one by one, each to a low place a gap away from the others; when all other bodies are placed.",
     ROWS(pour_table)},
    {"scatter",
     "Bodies on the surface of another, at points that are random by area; when all other bodies are placed.",
     ROWS(scatter_table)},
    {"emit", "Bodies that appear during the run, at planned times, when there is room for them.", ROWS(emit_table)},
};

static const nc_key ragdoll_table[] = {
    ABOVE(nc_ragdoll_keys, height, NC_KEY_NUMBER, "m", 0, FAR, "1.75", "From the soles to the top of the head."),
    ABOVE(nc_ragdoll_keys, mass, NC_KEY_NUMBER, "kg", 0, 1e15, "75", "Of all parts."),
    ROW(nc_ragdoll_keys, friction, NC_KEY_NUMBER, "N m", 0, 1e15, "1", "Dry friction of elbows, hips and knees."),
};
static const char *const door_sides[] = {"left", "right"};
static const nc_key door_table[] = {
    ABOVE(nc_door_keys, width, NC_KEY_NUMBER, "m", 0, FAR, "0.9", "Of the leaf, along x."),
    ABOVE(nc_door_keys, height, NC_KEY_NUMBER, "m", 0, FAR, "2", "Of the leaf, along y."),
    ABOVE(nc_door_keys, thickness, NC_KEY_NUMBER, "m", 0, FAR, "0.05", "Of the leaf, along z."),
    ABOVE(nc_door_keys, mass, NC_KEY_NUMBER, "kg", 0, 1e15, "20", "Of the leaf."),
    CHOICE(nc_door_keys, "hinge", hinge, door_sides, "left", "The edge that the hinge is at: left is -x."),
    ROW(nc_door_keys, open, NC_KEY_NUMBER, "degree", 0, 180, "100", "How far it opens, either way."),
    ROW(nc_door_keys, friction, NC_KEY_NUMBER, "N m", 0, 1e15, "0.5", "Dry friction of the hinge."),
    ROW(nc_door_keys, stiffness, NC_KEY_NUMBER, "N m/rad", 0, 1e15, "0", "Of a spring that closes it."),
    ROW(nc_door_keys, damping, NC_KEY_NUMBER, "N m s/rad", 0, 1e15, "0", "Of the hinge."),
    ROW(nc_door_keys, bolt, NC_KEY_NUMBER, "N", 0, 1e15, "0",
        "A bolt at the other edge holds it closed up to this force. 0: none."),
    ROW(nc_door_keys, frame, NC_KEY_FLAG, "", 0, 0, "false", "true: two posts and a lintel stand around it, static."),
    ABOVE(nc_door_keys, gap, NC_KEY_NUMBER, "m", 0, FAR, "0.01",
          "Below the leaf, above it, and between its turning edge and the posts."),
    PLAIN(nc_door_keys, to, NC_KEY_TEXT, "The body that carries it. Default: the world."),
};
static const nc_key wheel_table[] = {
    ABOVE(nc_wheel_keys, radius, NC_KEY_NUMBER, "m", 0, FAR, "0.35", "Of the wheel, about its axle z."),
    ABOVE(nc_wheel_keys, width, NC_KEY_NUMBER, "m", 0, FAR, "0.2", "Along the axle."),
    ABOVE(nc_wheel_keys, mass, NC_KEY_NUMBER, "kg", 0, 1e15, "20", "Of the wheel."),
    ROW(nc_wheel_keys, segments, NC_KEY_WHOLE, "1", 3, 1024, "24", "Corners of its circle."),
    PLAIN(nc_wheel_keys, to, NC_KEY_TEXT, "The body that it carries, such as a chassis. Default: the world."),
    ROW(nc_wheel_keys, travel, NC_KEY_NUMBER, "m", 0, FAR, "0.1",
        "To the bump stops, up and down along y. 0: no suspension."),
    ABOVE(nc_wheel_keys, stiffness, NC_KEY_NUMBER, "N/m", 0, 1e15, "20000", "Of the spring."),
    ROW(nc_wheel_keys, damping, NC_KEY_NUMBER, "N s/m", 0, 1e15, "2000", "Of the damper."),
    ROW(nc_wheel_keys, load, NC_KEY_NUMBER, "N", 0, 1e15, "0", "What the spring carries where it starts."),
    ROW(nc_wheel_keys, speed, NC_KEY_NUMBER, "rad/s", -1e9, 1e9, "0", "Of its motor; above 0 it rolls towards +x."),
    ROW(nc_wheel_keys, max_torque, NC_KEY_NUMBER, "N m", 0, 1e15, "0",
        "Of its motor; with speed 0 it brakes. 0: no motor."),
};
const nc_key_block nc_mechanism_blocks[NC_MECHANISM_COUNT] = {
    {"ragdoll",
     "A figure of ten parts: torso, head, and two pieces of each limb; y is up, it faces +x, about its middle.",
     ROWS(ragdoll_table)},
    {"door", "A leaf on a hinge, in the plane z = 0; the origin is below its middle, on the floor.", ROWS(door_table)},
    {"wheel", "A wheel about z that moves along y on a spring with a damper, about its middle.", ROWS(wheel_table)},
};

static const nc_key range_table[] = {
    ROW(nc_range_keys, min, NC_KEY_NUMBER, "", -1e300, 1e300, NULL, "Lowest value allowed."),
    ROW(nc_range_keys, max, NC_KEY_NUMBER, "", -1e300, 1e300, NULL, "Highest value allowed."),
};
const nc_key_block nc_range_block = {"range", "What a measured value may be.", ROWS(range_table)};

#define LIMIT(type, field, unit_, about_) ROW(type, field, NC_KEY_RANGE, unit_, -1e300, 1e300, NULL, about_)
#define E                                 nc_expect_keys
// What the numbers of all steps come to.
#define OVER_THE_RUN_LAST  " (at the end)."
#define OVER_THE_RUN_SUM   " (over all steps)."
#define OVER_THE_RUN_LEAST " (the least of all steps)."
#define OVER_THE_RUN_MOST  " (the largest of all steps)."
static const nc_key expect_table[] = {
    ROW(E, separation, NC_KEY_FLAG, "", 0, 0, "false",
        "true: no two bodies intersect in any frame (the run must be audited)."),
    LIMIT(E, escaped, "1", "Bodies outside world.bounds at the end."),
    LIMIT(E, steps, "1", "Steps done."),
    LIMIT(E, frames, "1", "Frames stored, the start included."),
    LIMIT(E, body_count, "1", "Bodies at the end."),
    LIMIT(E, energy, "J", "Kinetic and potential energy at the end."),
    LIMIT(E, energy_drift, "1",
          "Largest change of total energy over the run, relative to the larger of its start and the kinetic energy."),
    LIMIT(E, kinetic_drift, "1", "Change of kinetic energy from start to end, relative to the start."),
    LIMIT(E, momentum_drift, "1", "Largest change of angular momentum about the origin over the run, relative."),
#define NC_REPORT(column, field, kind, rule, use, unit, about)                                                         \
    NC_IF_##use(LIMIT(E, column, unit, about OVER_THE_RUN_##rule), )
#include "nacre/report.def"
    LIMIT(E, jammed, "1", "1 when a run of cloth ended because it was jammed, else 0."),
    LIMIT(E, jam_time, "s", "When it did."),
#define NC_CLOTH_REPORT(column, field, kind, rule, use, unit, about)                                                   \
    NC_IF_##use(LIMIT(E, column, unit, about OVER_THE_RUN_##rule), )
#include "nacre/cloth_report.def"
    NESTED(E, "knots", knots, NC_KEY_BLOCKS, nc_knot_block, "Knots that ribbons make at the end."),
    NESTED(E, "watch", watch, NC_KEY_BLOCKS, nc_watch_block,
           "What bodies do during the run, frame by frame: moments, extremes, counts, rest."),
    NESTED(E, "bodies", bodies, NC_KEY_TABLE, nc_expect_body_block,
           "Bodies at the end, by name or pattern (* and ?); every match must pass, and there must be one."),
};
const nc_key_block nc_expect_block = {"expect", "What a run must show.", ROWS(expect_table)};

#define B nc_expect_body_keys
static const nc_key expect_body_table[] = {
    LIMIT(B, speed, "m/s", "Of the centre of mass."),
    LIMIT(B, spin, "rad/s", "Size of the angular velocity."),
    LIMIT(B, height, "m", "Of the centre of mass against gravity, from the origin; y where there is no gravity."),
    LIMIT(B, x, "m", "Of the centre of mass."),
    LIMIT(B, y, "m", "Of the centre of mass."),
    LIMIT(B, z, "m", "Of the centre of mass."),
    LIMIT(B, vx, "m/s", "Velocity of the centre of mass along x."),
    LIMIT(B, vy, "m/s", "Velocity of the centre of mass along y."),
    LIMIT(B, vz, "m/s", "Velocity of the centre of mass along z."),
    LIMIT(B, wx, "rad/s", "Angular velocity about x; not of a cloth."),
    LIMIT(B, wy, "rad/s", "Angular velocity about y; not of a cloth."),
    LIMIT(B, wz, "rad/s", "Angular velocity about z; not of a cloth."),
    LIMIT(B, kinetic, "J", "Kinetic energy."),
    LIMIT(B, lowest, "m", "Height of the lowest vertex of a cloth."),
    LIMIT(B, highest, "m", "Height of the highest vertex of a cloth."),
    NESTED(B, "position", position, NC_KEY_BLOCK, nc_place_block, "Of the centre of mass."),
    NESTED(B, "orientation", orientation, NC_KEY_BLOCK, nc_turn_block, "Of the mesh; not of a cloth."),
};
const nc_key_block nc_expect_body_block = {"expected body", "A body at the end.", ROWS(expect_body_table)};

const char *const nc_watch_over_names[NC_WATCH_OVERS] = {"all", "max", "min"};
#define W nc_watch_keys
static const nc_key watch_table[] = {
    PLAIN(
        W, bodies, NC_KEY_TEXT,
        "A name or a pattern (* and ?) of bodies that are not static; there must be one in the frames. Default: all."),
    ROW(W, at, NC_KEY_NUMBER, "s", 0, 1e12, NULL, "One moment: the stored frame of this time, to half a step."),
    ROW(W, from, NC_KEY_NUMBER, "s", 0, 1e12, NULL, "Frames from this time on. Default: all."),
    ROW(W, to, NC_KEY_NUMBER, "s", 0, 1e12, NULL, "Frames up to this time. Default: to the end."),
    CHOICE(W, "over", over, nc_watch_over_names, "all",
           "What is judged: all values, of every body in every frame, or the largest or smallest of them."),
    NESTED(W, "inside", inside, NC_KEY_BLOCK, nc_bounds_block,
           "With count: only bodies whose centre of mass is in this box."),
    PLAIN(W, with, NC_KEY_TEXT,
          "Of linking and apart: the name of the other body. Of links: a name or a pattern of the others."),
    LIMIT(W, speed, "m/s", "Of the centre of mass."),
    LIMIT(W, spin, "rad/s", "Size of the angular velocity."),
    LIMIT(W, height, "m", "Of the centre of mass against gravity, from the origin; y where there is no gravity."),
    LIMIT(W, x, "m", "Of the centre of mass."),
    LIMIT(W, y, "m", "Of the centre of mass."),
    LIMIT(W, z, "m", "Of the centre of mass."),
    LIMIT(W, moved, "m", "Distance of the centre of mass from where it was in the body's first frame."),
    LIMIT(W, turned, "degree", "Angle from the orientation in the body's first frame; not of a cloth."),
    LIMIT(W, drift, "m",
          "How far a point of the body is, at most, from where it was in the first of these frames: at rest since "
          "`from`. "
          "Of a cloth its mean."),
    LIMIT(W, apart, "m", "Distance of the centre of mass from that of the body `with`."),
    LIMIT(W, linking, "1",
          "How often a ring and the ring `with` go through each other: the size of the linking number of their middle "
          "lines."),
    LIMIT(W, links, "1",
          "With how many rings of `with` a ring is linked: those whose linking number with it is not 0."),
    LIMIT(W, count, "1",
          "How many bodies of a frame meet all that is given here; the other ranges then are conditions, and are not "
          "judged."),
};
const nc_key_block nc_watch_block = {"watch", "What bodies do during a run, in its stored frames.", ROWS(watch_table)};

static const nc_key knot_table[] = {
    {.name = "ribbons",
     .kind = NC_KEY_TEXTS,
     .unit = "",
     .required = true,
     .about = "Names of one cloth, or of two, made of shapes that are ribbons or sheets: their middle lines.",
     .offset = offsetof(nc_knot_keys, ribbons)},
    ROW(nc_knot_keys, up, NC_KEY_VECTOR, "1", -FAR, FAR, "[0, 0, 1]",
        "Where the line is closed, far away: over this side. Two ribbons are joined end to end, the ends on this side "
        "of "
        "each over this side, the others over the other one."),
    LIMIT(nc_knot_keys, determinant, "1",
          "Of the closed line: 1 for no knot, 3 for a trefoil, 9 for a reef or a granny knot."),
    LIMIT(nc_knot_keys, writhe, "1", "Of the closed line: its signed crossings, averaged over all directions."),
    LIMIT(nc_knot_keys, linking, "1", "Linking number of two lines, each closed in itself by a straight line."),
};
const nc_key_block nc_knot_block = {"knot", "What the middle lines of ribbons are tied into.", ROWS(knot_table)};

static const nc_key place_table[] = {
    REQUIRED(nc_place_keys, near, NC_KEY_VECTOR, "m", -FAR, FAR, "A place."),
    REQUIRED(nc_place_keys, within, NC_KEY_NUMBER, "m", 0, FAR, "Largest distance from it."),
};
const nc_key_block nc_place_block = {"place", "Near a point.", ROWS(place_table)};

static const nc_key turn_table[] = {
    REQUIRED(nc_turn_keys, near, NC_KEY_ROTATION, "", 0, 0, "An orientation."),
    REQUIRED(nc_turn_keys, within, NC_KEY_NUMBER, "degree", 0, 180, "Largest angle from it."),
};
const nc_key_block nc_turn_block = {"turn", "Near an orientation.", ROWS(turn_table)};

const nc_key_block *const *nc_key_block_list(int *out_count)
{
    static const nc_key_block *const list[] = {
        &nc_root_block,
        &nc_world_block,
        &nc_vsp_block,
        &nc_acm_block,
        &nc_pair_block,
        &nc_joint_block,
        &nc_axes_block,
        &nc_axis_block,
        &nc_drive_block,
        &nc_drive_key_block,
        &nc_moved_block,
        &nc_bounds_block,
        &nc_output_block,
        &nc_camera_block,
        &nc_camera_keyframe_block,
        &nc_shape_block,
        &nc_solid_block,
        &nc_fracture_block,
        &nc_body_block,
        &nc_rotation_block,
        &nc_keyframe_block,
        &nc_cloth_block,
        &nc_contact_block,
        &nc_pin_block,
        &nc_force_block,
        &nc_group_block,
        &nc_named_group_block,
        &nc_mechanism_blocks[NC_RAGDOLL],
        &nc_mechanism_blocks[NC_DOOR],
        &nc_mechanism_blocks[NC_WHEEL],
        &nc_defaults_block,
        &nc_generator_blocks[NC_GRID],
        &nc_generator_blocks[NC_PILE],
        &nc_generator_blocks[NC_WALL],
        &nc_generator_blocks[NC_TOWER],
        &nc_generator_blocks[NC_PYRAMID],
        &nc_generator_blocks[NC_CHAIN],
        &nc_generator_blocks[NC_RING],
        &nc_generator_blocks[NC_SPHERE],
        &nc_generator_blocks[NC_ALONG],
        &nc_spiral_block,
        &nc_generator_blocks[NC_POUR],
        &nc_generator_blocks[NC_SCATTER],
        &nc_generator_blocks[NC_EMIT],
        &nc_mix_block,
        &nc_expect_block,
        &nc_expect_body_block,
        &nc_place_block,
        &nc_turn_block,
        &nc_watch_block,
        &nc_knot_block,
        &nc_range_block,
    };
    *out_count = (int)(sizeof list / sizeof list[0]);
    return list;
}
