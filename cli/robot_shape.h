// The shape of a robot's body: one generated shape, or a mesh.
#ifndef NC_CLI_ROBOT_SHAPE_H
#define NC_CLI_ROBOT_SHAPE_H

#include "robot.h"

typedef struct nc_robot_part {
    nc_pose frame;        // of the mesh in the link
    const char *generate; // NULL: the mesh goes into a file
    nc_shape_parameter parameters[3];
    int parameter_count;
    nc_mesh *mesh; // retained
} nc_robot_part;

// The shape of the body of a link. Mesh files are looked for beside `robot->xml.path`; package://NAME/PATH is PATH in
// that folder, in its folder NAME, or in one of those above. Release the mesh in any case.
nc_code nc_robot_make_part(const nc_robot *robot, int link, nc_robot_part *out, nc_error *err);

#endif
