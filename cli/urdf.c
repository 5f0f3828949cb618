// Reading URDF: robots of ROS.
#include "robot.h"

#include <string.h>

typedef struct urdf {
    nc_robot *robot;
    nc_xml *xml;
    nc_error *err;
} urdf;

// ---- values -------------------------------------------------------------------------------------------------

// Fixed axes: about x (roll), then y (pitch), then z (yaw).
static nc_quat turn_of(const double rpy[3])
{
    const nc_quat x = nc_quat_from_rotation_vector(nc_v3(rpy[0], 0, 0));
    const nc_quat y = nc_quat_from_rotation_vector(nc_v3(0, rpy[1], 0));
    const nc_quat z = nc_quat_from_rotation_vector(nc_v3(0, 0, rpy[2]));
    return nc_quat_normalize(nc_quat_mul(z, nc_quat_mul(y, x)));
}

// The <origin> of an element; the identity when there is none.
static nc_code read_origin(const urdf *u, int element, nc_pose *out)
{
    double xyz[3] = {0}, rpy[3] = {0};
    const int origin = nc_xml_child(u->xml, element, "origin");
    nc_code code = NC_OK;
    if (origin >= 0)
        code = nc_xml_numbers(u->xml, origin, "xyz", 3, xyz, u->err);
    if (origin >= 0 && code == NC_OK)
        code = nc_xml_numbers(u->xml, origin, "rpy", 3, rpy, u->err);
    *out = (nc_pose){nc_v3(xyz[0], xyz[1], xyz[2]), turn_of(rpy)};
    return code;
}

static nc_code read_above_zero(const urdf *u, int element, const char *name, int count, double *out)
{
    nc_code code = nc_xml_need_numbers(u->xml, element, name, count, out, u->err);
    for (int i = 0; i < count && code == NC_OK; i++)
        if (!(out[i] > 0))
            code = nc_xml_fail(u->xml, element, u->err, "<%s> %s expects numbers above 0, but %g was found",
                               u->xml->elements.data[element].name, name, out[i]);
    return code;
}

static int find_link(const nc_robot *robot, const char *name)
{
    for (int i = 0; i < robot->links.count; i++)
        if (strcmp(robot->links.data[i].name, name) == 0)
            return i;
    return -1;
}

static int find_joint(const nc_robot *robot, const char *name)
{
    for (int i = 0; i < robot->joints.count; i++)
        if (strcmp(robot->joints.data[i].name, name) == 0)
            return i;
    return -1;
}

// ---- geometry -----------------------------------------------------------------------------------------------

static nc_code read_box(const urdf *u, int element, nc_robot_geometry *out)
{
    return read_above_zero(u, element, "size", 3, out->size);
}

static nc_code read_round(const urdf *u, int element, nc_robot_geometry *out)
{
    const nc_code code = read_above_zero(u, element, "radius", 1, &out->size[0]);
    if (code != NC_OK || out->shape == NC_ROBOT_SPHERE)
        return code;
    return read_above_zero(u, element, "length", 1, &out->size[1]);
}

static nc_code read_mesh(const urdf *u, int element, nc_robot_geometry *out)
{
    for (int i = 0; i < 3; i++)
        out->size[i] = 1;
    nc_code code = nc_xml_need(u->xml, element, "filename", &out->file, u->err);
    if (code == NC_OK)
        code = nc_xml_numbers(u->xml, element, "scale", 3, out->size, u->err);
    if (code == NC_OK && (out->size[0] == 0 || out->size[1] == 0 || out->size[2] == 0))
        code = nc_xml_fail(u->xml, element, u->err, "<mesh> scale expects numbers other than 0");
    return code;
}

static const struct {
    const char *name;
    nc_code (*read)(const urdf *u, int element, nc_robot_geometry *out);
} shapes[NC_ROBOT_SHAPES] = {
    [NC_ROBOT_BOX] = {"box", read_box},           [NC_ROBOT_CYLINDER] = {"cylinder", read_round},
    [NC_ROBOT_CAPSULE] = {"capsule", read_round}, [NC_ROBOT_SPHERE] = {"sphere", read_round},
    [NC_ROBOT_MESH] = {"mesh", read_mesh},
};

static nc_code read_geometry(const urdf *u, int element, nc_robot_geometry *out)
{
    const int geometry = nc_xml_child(u->xml, element, "geometry");
    if (geometry < 0)
        return nc_xml_fail(u->xml, element, u->err, "<%s> needs a <geometry>", u->xml->elements.data[element].name);
    for (int i = 0; i < NC_ROBOT_SHAPES; i++) {
        if (shapes[i].read == NULL)
            continue;
        const int shape = nc_xml_child(u->xml, geometry, shapes[i].name);
        if (shape < 0)
            continue;
        out->shape = (nc_robot_shape)i;
        out->element = shape;
        return shapes[i].read(u, shape, out);
    }
    const int first = u->xml->elements.data[geometry].first;
    return nc_xml_fail(u->xml, first >= 0 ? first : geometry, u->err,
                       "<geometry> expects <box>, <cylinder>, <capsule>, <sphere> or <mesh>, but %s%.64s%s was found",
                       first >= 0 ? "<" : "", first >= 0 ? u->xml->elements.data[first].name : "nothing",
                       first >= 0 ? ">" : "");
}

// <collision> and <visual> elements of a link.
static nc_code read_geometries(const urdf *u, int link, const char *name, bool visual)
{
    nc_code code = NC_OK;
    const int element = u->robot->links.data[link].element;
    for (int e = nc_xml_child(u->xml, element, name); e >= 0 && code == NC_OK; e = nc_xml_next(u->xml, e, name)) {
        nc_robot_geometry geometry = {.link = link, .visual = visual};
        nc_xml_attribute_text(u->xml, e, "name"); // of no use in a scene
        code = read_origin(u, e, &geometry.origin);
        if (code == NC_OK)
            code = read_geometry(u, e, &geometry);
        if (code == NC_OK && !nc_array_push(&u->xml->memory, &u->robot->geometries, geometry))
            code = nc_fail_memory(u->err, sizeof geometry);
    }
    return code;
}

// ---- links --------------------------------------------------------------------------------------------------

static nc_code read_inertial(const urdf *u, nc_robot_link *link)
{
    static const char *const names[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    const int inertial = nc_xml_child(u->xml, link->element, "inertial");
    if (inertial < 0)
        return NC_OK;
    const int mass = nc_xml_child(u->xml, inertial, "mass"), tensor = nc_xml_child(u->xml, inertial, "inertia");
    double i[6] = {0};
    if (mass < 0)
        return nc_xml_fail(u->xml, inertial, u->err, "<inertial> needs a <mass>");
    nc_code code = nc_xml_need_numbers(u->xml, mass, "value", 1, &link->mass, u->err);
    if (code == NC_OK && link->mass < 0)
        code = nc_xml_fail(u->xml, mass, u->err, "<mass> value expects a number from 0, but %g was found", link->mass);
    if (code == NC_OK)
        code = read_origin(u, inertial, &link->center);
    for (int k = 0; k < 6 && tensor >= 0 && code == NC_OK; k++)
        code = nc_xml_numbers(u->xml, tensor, names[k], 1, &i[k], u->err);
    link->has_mass = link->mass > 0;
    link->inertia_element = tensor;
    link->inertia = (nc_mat3){{{i[0], i[3], i[4]}, {i[3], i[1], i[5]}, {i[4], i[5], i[2]}}};
    return code;
}

// The colour of a <material>, which may be defined at the top of the file under its name.
static nc_code read_material(const urdf *u, int material, nc_appearance *out)
{
    const char *name = nc_xml_attribute_text(u->xml, material, "name");
    int color = nc_xml_child(u->xml, material, "color");
    for (int m = nc_xml_child(u->xml, 0, "material"); color < 0 && m >= 0; m = nc_xml_next(u->xml, m, "material")) {
        const char *other = nc_xml_attribute_text(u->xml, m, "name");
        if (name != NULL && other != NULL && strcmp(name, other) == 0)
            color = nc_xml_child(u->xml, m, "color");
    }
    double rgba[4] = {0, 0, 0, 1};
    if (color < 0)
        return NC_OK;
    const nc_code code = nc_xml_need_numbers(u->xml, color, "rgba", 4, rgba, u->err);
    for (int k = 0; k < 3 && code == NC_OK; k++) {
        if (!(rgba[k] >= 0 && rgba[k] <= 1))
            return nc_xml_fail(u->xml, color, u->err, "<color> rgba expects numbers from 0 to 1, but %g was found",
                               rgba[k]);
        out->color[k] = (uint8_t)(rgba[k] * 255 + 0.5);
    }
    out->has_color = code == NC_OK;
    if (code == NC_OK && rgba[3] != 1)
        return nc_robot_note_at(u->robot, color, u->err, "<color> rgba: bodies are opaque");
    return code;
}

static nc_code read_look(const urdf *u, nc_robot_link *link)
{
    nc_code code = NC_OK;
    for (int v = nc_xml_child(u->xml, link->element, "visual"); v >= 0 && code == NC_OK;
         v = nc_xml_next(u->xml, v, "visual")) {
        const int material = nc_xml_child(u->xml, v, "material");
        nc_appearance look = {0};
        if (material >= 0)
            code = read_material(u, material, &look);
        if (!link->look.has_color)
            link->look = look;
    }
    return code;
}

static nc_code read_link(const urdf *u, int element)
{
    nc_robot_link link = {.element = element, .joint = -1, .body = -1, .center = {{0}, {1, 0, 0, 0}}};
    nc_code code = nc_xml_need(u->xml, element, "name", &link.name, u->err);
    if (code == NC_OK && find_link(u->robot, link.name) >= 0)
        code = nc_xml_fail(u->xml, element, u->err, "there are two links named '%.64s'", link.name);
    if (code == NC_OK)
        code = read_inertial(u, &link);
    if (code == NC_OK)
        code = read_look(u, &link);
    const int row = u->robot->links.count;
    if (code == NC_OK && !nc_array_push(&u->xml->memory, &u->robot->links, link))
        code = nc_fail_memory(u->err, sizeof link);
    if (code == NC_OK)
        code = read_geometries(u, row, "collision", false);
    return code == NC_OK ? read_geometries(u, row, "visual", true) : code;
}

// ---- joints -------------------------------------------------------------------------------------------------

static const char *const motions[NC_ROBOT_MOTIONS] = {"revolute", "continuous", "prismatic", "fixed",
                                                      "floating", "planar",     NULL};

static nc_code read_motion(const urdf *u, nc_robot_joint *joint)
{
    const char *type;
    const nc_code code = nc_xml_need(u->xml, joint->element, "type", &type, u->err);
    for (int i = 0; i <= NC_ROBOT_PLANAR && code == NC_OK; i++)
        if (strcmp(type, motions[i]) == 0) {
            joint->motion = (nc_robot_motion)i;
            return NC_OK;
        }
    return code != NC_OK
               ? code
               : nc_xml_fail(u->xml, joint->element, u->err,
                             "<joint> type expects revolute, continuous, prismatic, fixed, floating or planar, "
                             "but \"%.64s\" was found",
                             type);
}

// The link that <parent> or <child> names.
static nc_code read_end(const urdf *u, const nc_robot_joint *joint, const char *which, int *out)
{
    const int element = nc_xml_child(u->xml, joint->element, which);
    const char *name;
    if (element < 0)
        return nc_xml_fail(u->xml, joint->element, u->err, "joint '%.64s' needs a <%s>", joint->name, which);
    const nc_code code = nc_xml_need(u->xml, element, "link", &name, u->err);
    if (code != NC_OK)
        return code;
    *out = find_link(u->robot, name);
    return *out >= 0 ? NC_OK : nc_xml_fail(u->xml, element, u->err, "there is no link named '%.64s'", name);
}

static nc_code read_axis(const urdf *u, nc_robot_joint *joint)
{
    double xyz[3] = {1, 0, 0};
    const int axis = nc_xml_child(u->xml, joint->element, "axis");
    const nc_code code = axis >= 0 ? nc_xml_need_numbers(u->xml, axis, "xyz", 3, xyz, u->err) : NC_OK;
    joint->axis = nc_v3(xyz[0], xyz[1], xyz[2]);
    if (code == NC_OK && axis >= 0 && nc_dot(joint->axis, joint->axis) == 0)
        return nc_xml_fail(u->xml, axis, u->err, "<axis> xyz expects a direction, but it has no length");
    return code;
}

static bool turns_or_slides(nc_robot_motion motion)
{
    return motion == NC_ROBOT_REVOLUTE || motion == NC_ROBOT_CONTINUOUS || motion == NC_ROBOT_PRISMATIC;
}

// What a joint of another kind has of limits and dynamics is not read, and so listed.
static nc_code read_limit(const urdf *u, nc_robot_joint *joint)
{
    if (!turns_or_slides(joint->motion))
        return NC_OK;
    const int limit = nc_xml_child(u->xml, joint->element, "limit");
    joint->limited = joint->motion == NC_ROBOT_REVOLUTE || joint->motion == NC_ROBOT_PRISMATIC;
    if (limit < 0)
        return joint->limited ? nc_xml_fail(u->xml, joint->element, u->err, "joint '%.64s' is %s and needs a <limit>%s",
                                            joint->name, motions[joint->motion],
                                            joint->motion == NC_ROBOT_REVOLUTE ? "; without one it is continuous" : "")
                              : NC_OK;
    nc_code code = nc_xml_numbers(u->xml, limit, "effort", 1, &joint->effort, u->err);
    if (code == NC_OK && joint->effort < 0)
        code = nc_xml_fail(u->xml, limit, u->err, "<limit> effort expects a number from 0, but %g was found",
                           joint->effort);
    if (!joint->limited || code != NC_OK)
        return code; // lower and upper are listed as not read
    code = nc_xml_numbers(u->xml, limit, "lower", 1, &joint->lower, u->err);
    if (code == NC_OK)
        code = nc_xml_numbers(u->xml, limit, "upper", 1, &joint->upper, u->err);
    if (code == NC_OK && joint->lower > joint->upper)
        code = nc_xml_fail(u->xml, limit, u->err, "<limit> lower is %g, above upper, which is %g", joint->lower,
                           joint->upper);
    return code;
}

static nc_code read_dynamics(const urdf *u, nc_robot_joint *joint)
{
    if (!turns_or_slides(joint->motion))
        return NC_OK;
    const int dynamics = nc_xml_child(u->xml, joint->element, "dynamics");
    if (dynamics < 0)
        return NC_OK;
    nc_code code = nc_xml_numbers(u->xml, dynamics, "damping", 1, &joint->damping, u->err);
    if (code == NC_OK)
        code = nc_xml_numbers(u->xml, dynamics, "friction", 1, &joint->friction, u->err);
    if (code == NC_OK && (joint->damping < 0 || joint->friction < 0))
        code = nc_xml_fail(u->xml, dynamics, u->err, "<dynamics> damping and friction expect numbers from 0");
    return code;
}

static nc_code carry_child(const urdf *u, const nc_robot_joint *joint, int row)
{
    nc_robot_link *child = &u->robot->links.data[joint->child];
    if (child->joint >= 0)
        return nc_xml_fail(u->xml, joint->element, u->err,
                           "link '%.64s' is the child of two joints, '%.64s' and '%.64s'", child->name,
                           u->robot->joints.data[child->joint].name, joint->name);
    child->joint = row;
    return NC_OK;
}

static nc_code read_joint(const urdf *u, int element)
{
    nc_robot_joint joint = {.element = element, .mimic = -1};
    nc_code code = nc_xml_need(u->xml, element, "name", &joint.name, u->err);
    if (code == NC_OK && find_joint(u->robot, joint.name) >= 0)
        code = nc_xml_fail(u->xml, element, u->err, "there are two joints named '%.64s'", joint.name);
    if (code == NC_OK)
        code = read_motion(u, &joint);
    if (code == NC_OK)
        code = read_end(u, &joint, "parent", &joint.parent);
    if (code == NC_OK)
        code = read_end(u, &joint, "child", &joint.child);
    if (code == NC_OK)
        code = read_origin(u, element, &joint.origin);
    if (code == NC_OK)
        code = read_axis(u, &joint);
    if (code == NC_OK)
        code = read_limit(u, &joint);
    if (code == NC_OK)
        code = read_dynamics(u, &joint);
    if (code == NC_OK)
        code = carry_child(u, &joint, u->robot->joints.count);
    if (code == NC_OK && !nc_array_push(&u->xml->memory, &u->robot->joints, joint))
        code = nc_fail_memory(u->err, sizeof joint);
    return code;
}

// After all joints: the one that is followed may come later.
static nc_code read_mimic(const urdf *u, nc_robot_joint *joint)
{
    const int mimic = nc_xml_child(u->xml, joint->element, "mimic");
    const char *name;
    if (mimic < 0)
        return NC_OK;
    nc_code code = nc_xml_need(u->xml, mimic, "joint", &name, u->err);
    if (code != NC_OK)
        return code;
    const int other = find_joint(u->robot, name);
    if (other < 0)
        return nc_xml_fail(u->xml, mimic, u->err, "there is no joint named '%.64s'", name);
    joint->multiplier = 1;
    code = nc_xml_numbers(u->xml, mimic, "multiplier", 1, &joint->multiplier, u->err);
    if (code == NC_OK)
        code = nc_xml_numbers(u->xml, mimic, "offset", 1, &joint->offset, u->err);
    const nc_robot_joint *led = &u->robot->joints.data[other];
    const bool simple = led != joint && turns_or_slides(joint->motion) && turns_or_slides(led->motion) &&
                        nc_xml_child(u->xml, led->element, "mimic") < 0;
    if (code == NC_OK && !simple)
        return nc_robot_note_at(u->robot, mimic, u->err,
                                "<mimic> of joint '%.64s' is left out: it must follow another hinge or slider, which "
                                "itself follows none",
                                joint->name);
    joint->mimic = other;
    return code;
}

// ---- the file -----------------------------------------------------------------------------------------------

static nc_code check_root(const urdf *u)
{
    const nc_xml_element *root = &u->xml->elements.data[0];
    u->xml->elements.data[0].read = true;
    if (strcmp(root->name, "robot") != 0)
        return nc_xml_fail(u->xml, 0, u->err, "a URDF file is a <robot>, but <%.64s> was found", root->name);
    for (int i = 0; i < u->xml->elements.count; i++)
        if (strncmp(u->xml->elements.data[i].name, "xacro:", 6) == 0)
            return nc_xml_fail(u->xml, i, u->err,
                               "<%.64s> is a macro: make URDF of the file with the program xacro first",
                               u->xml->elements.data[i].name);
    for (int m = nc_xml_child(u->xml, 0, "material"); m >= 0; m = nc_xml_next(u->xml, m, "material")) {
        nc_appearance look = {0}; // that nobody uses it is no loss, that it is wrong is an error
        const nc_code code = read_material(u, m, &look);
        if (code != NC_OK)
            return code;
    }
    nc_xml_attribute_text(u->xml, 0, "version"); // all are read alike
    const char *name = nc_xml_attribute_text(u->xml, 0, "name");
    u->robot->name = name != NULL && name[0] != '\0' ? name : "robot";
    return NC_OK;
}

nc_code nc_robot_read_urdf(const char *path, nc_robot *out, nc_error *err)
{
    *out = (nc_robot){.gravity = {0, 0, -9.8}};
    const urdf u = {out, &out->xml, err};
    nc_code code = nc_xml_load(path, &out->xml, err);
    if (code == NC_OK)
        code = check_root(&u);
    if (code != NC_OK)
        return code;
    for (int e = nc_xml_child(u.xml, 0, "link"); e >= 0 && code == NC_OK; e = nc_xml_next(u.xml, e, "link"))
        code = read_link(&u, e);
    for (int e = nc_xml_child(u.xml, 0, "joint"); e >= 0 && code == NC_OK; e = nc_xml_next(u.xml, e, "joint"))
        code = read_joint(&u, e);
    for (int i = 0; i < out->joints.count && code == NC_OK; i++)
        code = read_mimic(&u, &out->joints.data[i]);
    if (code == NC_OK && out->links.count == 0)
        code = nc_xml_fail(u.xml, 0, err, "the robot has no <link>");
    return code;
}
