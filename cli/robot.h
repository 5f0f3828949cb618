// A robot on its way to a scene file: links, which become bodies, and the joints between them.
#ifndef NC_CLI_ROBOT_H
#define NC_CLI_ROBOT_H

#include "xml_tree.h"

#include "nacre/joint.h"

typedef enum nc_robot_shape {
    NC_ROBOT_BOX,      // size: extents [m]
    NC_ROBOT_CYLINDER, // size: radius, length along z [m]
    NC_ROBOT_CAPSULE,  // size: radius, length of the straight part along z [m]
    NC_ROBOT_SPHERE,   // size: radius [m]
    NC_ROBOT_PLANE,    // size: extent in x and y [m]; the normal is z
    NC_ROBOT_MESH,     // size: factors on the coordinates of `file`
    NC_ROBOT_SHAPES
} nc_robot_shape;

typedef struct nc_robot_geometry {
    nc_robot_shape shape;
    double size[3];
    const char *file; // as the robot's file names it
    nc_pose origin;   // in the link
    int link, element;
    bool visual; // shown; it does not collide
} nc_robot_geometry;

typedef struct nc_robot_link {
    const char *name;
    int element;
    bool has_mass;
    double mass;     // [kg]
    nc_pose center;  // in the link: the centre of mass and the axes of the inertia
    nc_mat3 inertia; // [kg m^2]
    int inertia_element;
    bool mass_only; // centre and inertia are those of the shape
    double density; // [kg/m^3] of a link without mass; 0: not given
    nc_appearance look;
    int geometries; // that its body is made of
    bool ghost;     // they do not collide
    int joint;      // that carries it, -1 for a root
    nc_pose pose;   // in the world
    int body;       // the link whose body it is part of; -1: the world
    bool placed;
} nc_robot_link;

typedef enum nc_robot_motion {
    NC_ROBOT_REVOLUTE,
    NC_ROBOT_CONTINUOUS,
    NC_ROBOT_PRISMATIC,
    NC_ROBOT_FIXED,
    NC_ROBOT_FLOATING,
    NC_ROBOT_PLANAR,
    NC_ROBOT_BALL,
    NC_ROBOT_MOTIONS
} nc_robot_motion;

typedef struct nc_robot_joint {
    const char *name;
    int element;
    nc_robot_motion motion;
    int parent, child; // links
    nc_pose origin;    // of the child in the parent, at position 0
    nc_vec3 axis;      // in the child
    nc_vec3 anchor;    // [m] in the child
    bool limited;
    double lower, upper; // [rad] or [m]
    double effort;       // [N m] or [N]; 0: not given
    double damping, friction;
    double stiffness, rest; // of a spring; [rad] or [m]
    nc_joint_drive drive;   // NC_DRIVE_NONE: only what --hold makes
    int mimic;              // the joint that it follows, -1 for none: position = multiplier x its position + offset
    double multiplier, offset;
    double start; // [rad] or [m] its position where the links are placed
} nc_robot_joint;

// What is not kept of a file, or not as one would think.
typedef struct nc_robot_note {
    int element;
    char text[400];
} nc_robot_note;

typedef struct nc_robot {
    nc_xml xml;
    const char *name;
    nc_vec3 gravity; // [m/s^2]
    NC_ARRAY(nc_robot_link) links;
    NC_ARRAY(nc_robot_joint) joints;
    NC_ARRAY(nc_robot_geometry) geometries;
    NC_ARRAY(nc_robot_note) notes;
} nc_robot;

// Reads URDF. Errors name the place, what was found and what is allowed. Free the robot in any case.
nc_code nc_robot_read_urdf(const char *path, nc_robot *out, nc_error *err);
// The same of MJCF. The world is the first link.
nc_code nc_robot_read_mjcf(const char *path, nc_robot *out, nc_error *err);
void nc_robot_free(nc_robot *robot);
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
nc_code
nc_robot_note_at(nc_robot *robot, int element, nc_error *err, const char *format, ...);
// Notes of all elements and attributes that were not read.
nc_code nc_robot_note_unread(nc_robot *robot, nc_error *err);

// Places the links: joints are at position 0, or at the limit that is nearest to it. Finds which links are bodies.
// Roots stay in their place when `fixed`.
nc_code nc_robot_place(nc_robot *robot, bool fixed, nc_error *err);

nc_pose nc_robot_below(nc_pose parent, nc_pose child); // a pose in the parent, in the world

#endif
