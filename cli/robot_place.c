// Where the links of a robot are, and which of them are bodies.
#include "robot.h"

#include "math/math.h"

nc_pose nc_robot_below(nc_pose parent, nc_pose child)
{
    return (nc_pose){nc_pose_apply(parent, child.x), nc_quat_normalize(nc_quat_mul(parent.q, child.q))};
}

// ---- positions ----------------------------------------------------------------------------------------------

static nc_code start_joints(nc_robot *robot, nc_error *err)
{
    nc_code code = NC_OK;
    for (int pass = 0; pass < 2; pass++) // those that follow others come after them
        for (int i = 0; i < robot->joints.count; i++) {
            nc_robot_joint *joint = &robot->joints.data[i];
            if ((joint->mimic >= 0) != (pass == 1))
                continue;
            if (pass == 1)
                joint->start = joint->multiplier * robot->joints.data[joint->mimic].start + joint->offset;
            else if (joint->limited)
                joint->start = joint->lower > 0 ? joint->lower : joint->upper < 0 ? joint->upper : 0;
            if (joint->start != 0 && code == NC_OK)
                code =
                    nc_robot_note_at(robot, joint->element, err,
                                     "joint '%.64s' starts at %g, not at 0; the scene counts its position from there",
                                     joint->name, joint->start);
        }
    return code;
}

// The child in the parent's frame, at the joint's start.
static nc_pose pose_of_child(const nc_robot_joint *joint)
{
    const nc_vec3 along = nc_scale(joint->start / nc_norm(joint->axis), joint->axis);
    const bool slides = joint->motion == NC_ROBOT_PRISMATIC;
    nc_pose moved = {along, nc_quat_identity()};
    if (!slides) { // about the anchor
        moved = (nc_pose){nc_v3(0, 0, 0), nc_quat_from_rotation_vector(along)};
        moved.x = nc_sub(joint->anchor, nc_pose_apply(moved, joint->anchor));
    }
    return nc_robot_below(joint->origin, moved);
}

// Places every link whose parent is placed; true when there was one.
static bool place_more(nc_robot *robot)
{
    bool more = false;
    for (int i = 0; i < robot->links.count; i++) {
        nc_robot_link *link = &robot->links.data[i];
        if (link->placed)
            continue;
        const nc_robot_joint *joint = link->joint >= 0 ? &robot->joints.data[link->joint] : NULL;
        if (joint != NULL && !robot->links.data[joint->parent].placed)
            continue;
        link->pose = joint == NULL ? (nc_pose){nc_v3(0, 0, 0), nc_quat_identity()}
                                   : nc_robot_below(robot->links.data[joint->parent].pose, pose_of_child(joint));
        link->placed = more = true;
    }
    return more;
}

static nc_code place_links(nc_robot *robot, nc_error *err)
{
    while (place_more(robot)) {
    }
    for (int i = 0; i < robot->links.count; i++)
        if (!robot->links.data[i].placed)
            return nc_xml_fail(&robot->xml, robot->links.data[i].element, err,
                               "joints go round in a circle: link '%.64s' hangs on itself", robot->links.data[i].name);
    return NC_OK;
}

// ---- bodies -------------------------------------------------------------------------------------------------

static void count_geometries(nc_robot *robot)
{
    int count = robot->geometries.count;
    const nc_robot_geometry *geometries = robot->geometries.data;
    for (int i = 0; i < robot->links.count; i++)
        robot->links.data[i].ghost = true;
    for (int i = 0; i < count; i++)
        if (!geometries[i].visual)
            robot->links.data[geometries[i].link].ghost = false;
    for (int i = 0; i < count; i++) {
        nc_robot_link *link = &robot->links.data[geometries[i].link];
        link->geometries += geometries[i].visual == link->ghost;
    }
}

static bool is_body(const nc_robot_link *link)
{
    return link->geometries > 0 || link->has_mass;
}

// A body that is welded to a root without one, -1 for none.
static int welded_child(const nc_robot *robot, int root)
{
    for (int i = 0; i < robot->joints.count; i++) {
        const nc_robot_joint *joint = &robot->joints.data[i];
        if (joint->parent == root && joint->motion == NC_ROBOT_FIXED && is_body(&robot->links.data[joint->child]))
            return joint->child;
    }
    return -1;
}

// A link without geometry and mass is a frame of the body that it is welded to.
static nc_code find_body(nc_robot *robot, int link, bool fixed, int *out, nc_error *err)
{
    int at = link;
    while (!is_body(&robot->links.data[at])) {
        const int joint = robot->links.data[at].joint;
        if (joint < 0) {
            *out = fixed ? -1 : welded_child(robot, at);
            if (fixed || *out >= 0)
                return NC_OK;
        }
        if (joint < 0 || robot->joints.data[joint].motion != NC_ROBOT_FIXED)
            return nc_xml_fail(&robot->xml, robot->links.data[at].element, err,
                               "link '%.64s' moves, and has no geometry and no mass; a body needs one of them",
                               robot->links.data[at].name);
        at = robot->joints.data[joint].parent;
    }
    *out = at;
    return NC_OK;
}

nc_code nc_robot_place(nc_robot *robot, bool fixed, nc_error *err)
{
    nc_code code = start_joints(robot, err);
    if (code == NC_OK)
        code = place_links(robot, err);
    count_geometries(robot);
    for (int i = 0; i < robot->links.count && code == NC_OK; i++)
        code = find_body(robot, i, fixed, &robot->links.data[i].body, err);
    return code;
}
