// Reading a subset of MJCF: models of MuJoCo.
#include "robot.h"

#include <math.h>
#include <string.h>

#define PLANE_SIZE 20.0 // [m] of a plane without end

typedef struct mjcf {
    nc_robot *robot;
    nc_xml *xml;
    nc_error *err;
    double angle; // [rad] of the file's unit
} mjcf;

static const char *name_of(const mjcf *m, int element)
{
    return m->xml->elements.data[element].name;
}

// ---- values -------------------------------------------------------------------------------------------------

static nc_quat turn_about(double x, double y, double z)
{
    return nc_quat_from_rotation_vector(nc_v3(x, y, z));
}

// pos, and quat, axisangle or euler.
static nc_code read_pose(const mjcf *m, int element, nc_pose *out)
{
    static const char *const others[] = {"xyaxes", "zaxis"};
    double pos[3] = {0}, q[4] = {1, 0, 0, 0}, a[4] = {0, 0, 1, 0}, e[3] = {0};
    nc_code code = nc_xml_numbers(m->xml, element, "pos", 3, pos, m->err);
    if (code == NC_OK)
        code = nc_xml_numbers(m->xml, element, "quat", 4, q, m->err);
    if (code == NC_OK)
        code = nc_xml_numbers(m->xml, element, "axisangle", 4, a, m->err);
    if (code == NC_OK)
        code = nc_xml_numbers(m->xml, element, "euler", 3, e, m->err);
    for (int i = 0; i < 2 && code == NC_OK; i++)
        if (nc_xml_attribute_text(m->xml, element, others[i]) != NULL)
            code = nc_xml_fail(m->xml, element, m->err, "<%s> %s is not supported; allowed: quat, axisangle, euler",
                               name_of(m, element), others[i]);
    const double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]),
                 norm = nc_quat_norm2(nc_q4(q[0], q[1], q[2], q[3]));
    if (code == NC_OK && (!(length > 0) || !(norm > 0)))
        code = nc_xml_fail(m->xml, element, m->err, "<%s>: its quat or axisangle has no length", name_of(m, element));
    if (code != NC_OK)
        return code;
    const double s = a[3] * m->angle / length;
    nc_quat turn =
        nc_quat_mul(nc_quat_normalize(nc_q4(q[0], q[1], q[2], q[3])), turn_about(s * a[0], s * a[1], s * a[2]));
    for (int i = 0; i < 3; i++)
        turn = nc_quat_mul(
            turn, turn_about(i == 0 ? e[0] * m->angle : 0, i == 1 ? e[1] * m->angle : 0, i == 2 ? e[2] * m->angle : 0));
    *out = (nc_pose){nc_v3(pos[0], pos[1], pos[2]), nc_quat_normalize(turn)};
    return NC_OK;
}

// The row of `words` that an attribute is; `fallback` when it is absent.
static nc_code read_choice(const mjcf *m, int element, const char *name, const char *const *words, int count,
                           int fallback, int *out)
{
    char allowed[256] = "";
    const char *text = nc_xml_attribute_text(m->xml, element, name);
    *out = fallback;
    if (text == NULL)
        return NC_OK;
    for (int i = 0, used = 0; i < count; i++) {
        if (strcmp(text, words[i]) == 0) {
            *out = i;
            return NC_OK;
        }
        used += snprintf(allowed + used, sizeof allowed - (size_t)used, "%s%s", i > 0 ? ", " : "", words[i]);
    }
    return nc_xml_fail(m->xml, element, m->err, "<%s> %s is \"%.64s\"; allowed: %s", name_of(m, element), name, text,
                       allowed);
}

// ---- geoms --------------------------------------------------------------------------------------------------

typedef enum geom_type {
    GEOM_PLANE,
    GEOM_SPHERE,
    GEOM_CAPSULE,
    GEOM_CYLINDER,
    GEOM_BOX,
    GEOM_MESH,
    GEOM_TYPES
} geom_type;
static const struct {
    nc_robot_shape shape;
    int sizes; // numbers of its size without fromto
} geoms[GEOM_TYPES] = {{NC_ROBOT_PLANE, 3},    {NC_ROBOT_SPHERE, 1}, {NC_ROBOT_CAPSULE, 2},
                       {NC_ROBOT_CYLINDER, 2}, {NC_ROBOT_BOX, 3},    {NC_ROBOT_MESH, 0}};

// Turns z to a direction.
static nc_quat turn_z(nc_vec3 d)
{
    const nc_quat q = nc_q4(nc_norm(d) + d.z, -d.y, d.x, 0);
    return nc_quat_norm2(q) > 1e-24 * nc_norm2(d) ? nc_quat_normalize(q) : nc_q4(0, 1, 0, 0);
}

// MJCF has half extents.
static nc_code read_size(const mjcf *m, int element, geom_type type, nc_robot_geometry *out)
{
    double ends[6] = {0}, *size = out->size;
    const bool from_to = nc_xml_attribute_text(m->xml, element, "fromto") != NULL;
    if (from_to && type != GEOM_CAPSULE && type != GEOM_CYLINDER)
        return nc_xml_fail(m->xml, element, m->err, "<geom> fromto is for capsules and cylinders");
    nc_code code = nc_xml_need_numbers(m->xml, element, "size", from_to ? 1 : geoms[type].sizes, size, m->err);
    if (code == NC_OK)
        code = nc_xml_numbers(m->xml, element, "fromto", 6, ends, m->err);
    if (code != NC_OK)
        return code;
    if (from_to) {
        const nc_vec3 a = nc_v3(ends[0], ends[1], ends[2]), b = nc_v3(ends[3], ends[4], ends[5]);
        size[1] = nc_norm(nc_sub(b, a)) / 2;
        out->origin = (nc_pose){nc_scale(0.5, nc_add(a, b)), turn_z(nc_sub(b, a))};
    }
    if (type == GEOM_PLANE) {
        size[0] = size[0] > size[1] ? 2 * size[0] : 2 * size[1];
        size[0] = size[0] > 0 ? size[0] : PLANE_SIZE;
        return nc_robot_note_at(m->robot, element, m->err, "the plane is a square of %g m", size[0]);
    }
    for (int i = 0; i < (from_to ? 2 : geoms[type].sizes); i++) {
        if (!(size[i] > 0))
            return nc_xml_fail(m->xml, element, m->err, "<geom> size expects numbers above 0, but %g was found",
                               size[i]);
        size[i] *= type == GEOM_BOX || i == 1 ? 2 : 1;
    }
    return NC_OK;
}

static nc_code find_mesh(const mjcf *m, int element, nc_robot_geometry *out)
{
    const char *wanted;
    const int asset = nc_xml_child(m->xml, 0, "asset");
    nc_code code = nc_xml_need(m->xml, element, "mesh", &wanted, m->err);
    for (int e = asset >= 0 ? nc_xml_child(m->xml, asset, "mesh") : -1; e >= 0 && code == NC_OK;
         e = nc_xml_next(m->xml, e, "mesh")) {
        const char *name = nc_xml_attribute_text(m->xml, e, "name");
        if (name == NULL || strcmp(name, wanted) != 0)
            continue;
        out->size[0] = out->size[1] = out->size[2] = 1;
        code = nc_xml_need(m->xml, e, "file", &out->file, m->err);
        return code == NC_OK ? nc_xml_numbers(m->xml, e, "scale", 3, out->size, m->err) : code;
    }
    return code != NC_OK ? code
                         : nc_xml_fail(m->xml, element, m->err, "there is no mesh named '%.64s' in <asset>", wanted);
}

static nc_code read_color(const mjcf *m, int element, nc_appearance *look)
{
    double rgba[4] = {0.5, 0.5, 0.5, 1};
    const bool given = nc_xml_attribute_text(m->xml, element, "rgba") != NULL;
    const nc_code code = nc_xml_numbers(m->xml, element, "rgba", 4, rgba, m->err);
    for (int k = 0; k < 3 && given && code == NC_OK && !look->has_color; k++)
        look->color[k] = (uint8_t)(fmin(fmax(rgba[k], 0), 1) * 255 + 0.5);
    look->has_color |= given;
    return code;
}

// The mass of a body without <inertial> is that of its geoms.
static nc_code read_matter(const mjcf *m, int element, nc_robot_link *link)
{
    double mass = 0, density = 1000;
    nc_code code = nc_xml_numbers(m->xml, element, "mass", 1, &mass, m->err);
    if (code == NC_OK)
        code = nc_xml_numbers(m->xml, element, "density", 1, &density, m->err);
    if (code != NC_OK || (link->has_mass && !link->mass_only))
        return code;
    if (!(mass >= 0) || !(density > 0))
        return nc_xml_fail(m->xml, element, m->err, "<geom> mass and density expect numbers above 0");
    const bool first = link->geometries++ == 0; // counted again when the robot is placed
    if (!first && ((mass > 0) != link->mass_only || (mass == 0 && density != link->density)))
        return nc_xml_fail(m->xml, element, m->err,
                           "the geoms of a body need a mass each, or one density; or give the body an <inertial>");
    link->mass += mass;
    link->mass_only = link->has_mass = mass > 0;
    link->density = mass > 0 ? 0 : density;
    return NC_OK;
}

static nc_code read_geom(const mjcf *m, int link, int element)
{
    static const char *const types[GEOM_TYPES] = {"plane", "sphere", "capsule", "cylinder", "box", "mesh"};
    nc_robot_geometry geometry = {.link = link, .element = element};
    const char *type = nc_xml_attribute_text(m->xml, element, "contype");
    const char *affinity = nc_xml_attribute_text(m->xml, element, "conaffinity");
    int row;
    nc_xml_attribute_text(m->xml, element, "name"); // of no use in a scene
    geometry.visual = type != NULL && affinity != NULL && strcmp(type, "0") == 0 && strcmp(affinity, "0") == 0;
    nc_code code = read_choice(m, element, "type", types, GEOM_TYPES, GEOM_SPHERE, &row);
    if (code == NC_OK)
        code = read_pose(m, element, &geometry.origin);
    geometry.shape = geoms[code == NC_OK ? row : 0].shape;
    if (code == NC_OK)
        code = row == GEOM_MESH ? find_mesh(m, element, &geometry) : read_size(m, element, (geom_type)row, &geometry);
    if (code == NC_OK)
        code = read_color(m, element, &m->robot->links.data[link].look);
    if (code == NC_OK && !geometry.visual)
        code = read_matter(m, element, &m->robot->links.data[link]);
    if (code == NC_OK && !nc_array_push(&m->xml->memory, &m->robot->geometries, geometry))
        code = nc_fail_memory(m->err, sizeof geometry);
    return code;
}

// ---- bodies -------------------------------------------------------------------------------------------------

static nc_code read_inertial(const mjcf *m, nc_robot_link *link)
{
    double d[3] = {0}, f[6] = {0};
    const int e = nc_xml_child(m->xml, link->element, "inertial");
    if (e < 0)
        return NC_OK;
    nc_code code = nc_xml_need_numbers(m->xml, e, "mass", 1, &link->mass, m->err);
    if (code == NC_OK && !(link->mass > 0))
        code = nc_xml_fail(m->xml, e, m->err, "<inertial> mass expects a number above 0, but %g was found", link->mass);
    if (code == NC_OK)
        code = read_pose(m, e, &link->center);
    if (code == NC_OK)
        code = nc_xml_numbers(m->xml, e, "diaginertia", 3, d, m->err);
    if (code == NC_OK)
        code = nc_xml_numbers(m->xml, e, "fullinertia", 6, f, m->err);
    link->has_mass = true;
    link->inertia_element = e;
    link->inertia = (nc_mat3){{{d[0] + f[0], f[3], f[4]}, {f[3], d[1] + f[1], f[5]}, {f[4], f[5], d[2] + f[2]}}};
    return code;
}

static nc_code read_range(const mjcf *m, nc_robot_joint *joint, double unit)
{
    static const char *const words[] = {"false", "true", "auto"};
    double range[2] = {0};
    int limited;
    const bool given = nc_xml_attribute_text(m->xml, joint->element, "range") != NULL;
    nc_code code = read_choice(m, joint->element, "limited", words, 3, 2, &limited);
    if (code == NC_OK)
        code = nc_xml_numbers(m->xml, joint->element, "range", 2, range, m->err);
    if (code == NC_OK && range[0] > range[1])
        code = nc_xml_fail(m->xml, joint->element, m->err, "<joint> range expects the lower number first");
    joint->limited = limited == 1 || (limited == 2 && given);
    joint->lower = range[0] * unit;
    joint->upper = range[1] * unit;
    return code;
}

// What a hinge or a slide has; balls have none of it, and so it is listed.
static nc_code read_axis(const mjcf *m, nc_robot_joint *joint)
{
    double axis[3] = {0, 0, 1}, reference = 0;
    const double unit = joint->motion == NC_ROBOT_PRISMATIC ? 1 : m->angle;
    nc_code code = nc_xml_numbers(m->xml, joint->element, "axis", 3, axis, m->err);
    if (code == NC_OK)
        code = nc_xml_numbers(m->xml, joint->element, "damping", 1, &joint->damping, m->err);
    if (code == NC_OK)
        code = nc_xml_numbers(m->xml, joint->element, "frictionloss", 1, &joint->friction, m->err);
    if (code == NC_OK)
        code = nc_xml_numbers(m->xml, joint->element, "stiffness", 1, &joint->stiffness, m->err);
    if (code == NC_OK)
        code = nc_xml_numbers(m->xml, joint->element, "springref", 1, &reference, m->err);
    joint->axis = nc_v3(axis[0], axis[1], axis[2]);
    joint->rest = reference * unit;
    if (code == NC_OK && !(nc_norm2(joint->axis) > 0))
        code = nc_xml_fail(m->xml, joint->element, m->err, "<joint> axis expects a direction, but it has no length");
    if (code == NC_OK && (joint->damping < 0 || joint->friction < 0 || joint->stiffness < 0))
        code = nc_xml_fail(m->xml, joint->element, m->err,
                           "<joint> damping, frictionloss and stiffness expect numbers from 0");
    return code == NC_OK ? read_range(m, joint, unit) : code;
}

static nc_code read_joint(const mjcf *m, int element, nc_robot_joint *joint)
{
    static const char *const types[] = {"hinge", "slide", "ball", "free"};
    static const nc_robot_motion motions[] = {NC_ROBOT_REVOLUTE, NC_ROBOT_PRISMATIC, NC_ROBOT_BALL, NC_ROBOT_FLOATING};
    double pos[3] = {0};
    int type;
    const char *name = nc_xml_attribute_text(m->xml, element, "name");
    joint->element = element;
    joint->name = name != NULL ? name : joint->name;
    nc_code code =
        read_choice(m, element, "type", types, 4, strcmp(name_of(m, element), "freejoint") == 0 ? 3 : 0, &type);
    if (code == NC_OK)
        code = nc_xml_numbers(m->xml, element, "pos", 3, pos, m->err);
    if (code != NC_OK)
        return code;
    joint->anchor = nc_v3(pos[0], pos[1], pos[2]);
    joint->motion = motions[type];
    return type < 2 ? read_axis(m, joint) : NC_OK;
}

// A body without joints is welded to its parent.
static nc_code join(const mjcf *m, int link, int parent, nc_pose origin)
{
    const int element = m->robot->links.data[link].element;
    nc_robot_joint joint = {.name = m->robot->links.data[link].name,
                            .element = element,
                            .motion = NC_ROBOT_FIXED,
                            .parent = parent,
                            .child = link,
                            .origin = origin,
                            .axis = {0, 0, 1},
                            .mimic = -1};
    const int hinge = nc_xml_child(m->xml, element, "joint"), freed = nc_xml_child(m->xml, element, "freejoint");
    const int second = hinge >= 0 ? nc_xml_next(m->xml, hinge, "joint") : -1, first = hinge >= 0 ? hinge : freed;
    if (second >= 0 || (freed >= 0 && first != freed))
        return nc_xml_fail(m->xml, second >= 0 ? second : freed, m->err,
                           "body '%.64s' has two joints; one is supported", m->robot->links.data[link].name);
    nc_code code = first >= 0 ? read_joint(m, first, &joint) : NC_OK;
    m->robot->links.data[link].joint = m->robot->joints.count;
    if (code == NC_OK && !nc_array_push(&m->xml->memory, &m->robot->joints, joint))
        code = nc_fail_memory(m->err, sizeof joint);
    return code;
}

// The link of a body; the world for <worldbody>.
static int find_link(const mjcf *m, int element)
{
    for (int i = m->robot->links.count - 1; i > 0; i--)
        if (m->robot->links.data[i].element == element)
            return i;
    return 0;
}

static nc_code read_body(const mjcf *m, int element, bool world)
{
    nc_robot_link link = {
        .element = element, .joint = -1, .body = -1, .center = {{0}, {1, 0, 0, 0}}, .inertia_element = -1};
    const int row = m->robot->links.count, parent = find_link(m, m->xml->elements.data[element].parent);
    const char *name = nc_xml_attribute_text(m->xml, element, "name");
    nc_pose origin = {{0}, {1, 0, 0, 0}};
    m->xml->elements.data[element].read = true;
    link.name = name != NULL ? name : world ? "world" : "body";
    nc_code code = world ? NC_OK : read_pose(m, element, &origin);
    if (code == NC_OK && !world)
        code = read_inertial(m, &link);
    if (code == NC_OK && !nc_array_push(&m->xml->memory, &m->robot->links, link))
        code = nc_fail_memory(m->err, sizeof link);
    if (code == NC_OK && !world)
        code = join(m, row, parent, origin);
    for (int e = nc_xml_child(m->xml, element, "geom"); e >= 0 && code == NC_OK; e = nc_xml_next(m->xml, e, "geom"))
        code = read_geom(m, row, e);
    if (code == NC_OK)
        m->robot->links.data[row].geometries = 0;
    return code;
}

// ---- actuators ----------------------------------------------------------------------------------------------

static nc_code read_actuator(const mjcf *m, int element, nc_drive_mode mode)
{
    const char *name;
    double kp = 1, kv = mode == NC_DRIVE_VELOCITY ? 1 : 0, range[2] = {0};
    nc_code code = nc_xml_need(m->xml, element, "joint", &name, m->err);
    nc_xml_attribute_text(m->xml, element, "name"); // of no use in a scene
    if (code == NC_OK && mode == NC_DRIVE_POSITION)
        code = nc_xml_numbers(m->xml, element, "kp", 1, &kp, m->err);
    if (code == NC_OK && mode != NC_DRIVE_FORCE)
        code = nc_xml_numbers(m->xml, element, "kv", 1, &kv, m->err);
    if (code == NC_OK)
        code = nc_xml_numbers(m->xml, element, "forcerange", 2, range, m->err);
    if (code == NC_OK && (kp < 0 || kv < 0))
        code = nc_xml_fail(m->xml, element, m->err, "<%s> kp and kv expect numbers from 0", name_of(m, element));
    for (int i = 0; i < m->robot->joints.count && code == NC_OK; i++) {
        nc_robot_joint *joint = &m->robot->joints.data[i];
        if (strcmp(joint->name, name) != 0 || joint->motion > NC_ROBOT_PRISMATIC)
            continue;
        joint->drive = (nc_joint_drive){.mode = mode,
                                        .stiffness = mode == NC_DRIVE_POSITION ? kp : 0,
                                        .damping = kv,
                                        .max_force = fmax(fabs(range[0]), fabs(range[1]))};
        return NC_OK;
    }
    return code != NC_OK ? code
                         : nc_xml_fail(m->xml, element, m->err, "there is no hinge or slide named '%.64s'", name);
}

static nc_code read_actuators(const mjcf *m)
{
    static const char *const names[] = {"motor", "position", "velocity"};
    static const nc_drive_mode modes[] = {NC_DRIVE_FORCE, NC_DRIVE_POSITION, NC_DRIVE_VELOCITY};
    const int actuator = nc_xml_child(m->xml, 0, "actuator");
    nc_code code = NC_OK;
    for (int k = 0; k < 3 && actuator >= 0; k++)
        for (int e = nc_xml_child(m->xml, actuator, names[k]); e >= 0 && code == NC_OK;
             e = nc_xml_next(m->xml, e, names[k]))
            code = read_actuator(m, e, modes[k]);
    return code;
}

// ---- the file -----------------------------------------------------------------------------------------------

static nc_code read_settings(mjcf *m)
{
    static const char *const angles[] = {"degree", "radian"}, *const locals[] = {"local"}, *const sequences[] = {"xyz"};
    static const char *const refused[] = {"default", "include"};
    int row = 0;
    double gravity[3] = {0, 0, -9.81};
    nc_code code = NC_OK;
    m->xml->elements.data[0].read = true;
    if (strcmp(name_of(m, 0), "mujoco") != 0)
        return nc_xml_fail(m->xml, 0, m->err, "an MJCF file is a <mujoco>, but <%.64s> was found", name_of(m, 0));
    for (int i = 0; i < 2; i++) {
        const int e = nc_xml_child(m->xml, 0, refused[i]);
        if (e >= 0)
            return nc_xml_fail(m->xml, e, m->err, "<%s> is not supported: write what it says where it is used",
                               refused[i]);
    }
    const int compiler = nc_xml_child(m->xml, 0, "compiler"), option = nc_xml_child(m->xml, 0, "option");
    if (compiler >= 0)
        code = read_choice(m, compiler, "coordinate", locals, 1, 0, &row);
    if (compiler >= 0 && code == NC_OK)
        code = read_choice(m, compiler, "eulerseq", sequences, 1, 0, &row);
    if (compiler >= 0 && code == NC_OK)
        code = read_choice(m, compiler, "angle", angles, 2, 0, &row);
    m->angle = row == 1 ? 1 : 0.017453292519943295;
    if (option >= 0 && code == NC_OK)
        code = nc_xml_numbers(m->xml, option, "gravity", 3, gravity, m->err);
    m->robot->gravity = nc_v3(gravity[0], gravity[1], gravity[2]);
    return code;
}

nc_code nc_robot_read_mjcf(const char *path, nc_robot *out, nc_error *err)
{
    *out = (nc_robot){0};
    mjcf m = {out, &out->xml, err, 1};
    nc_code code = nc_xml_load(path, &out->xml, err);
    if (code == NC_OK)
        code = read_settings(&m);
    if (code != NC_OK)
        return code;
    const char *name = nc_xml_attribute_text(m.xml, 0, "model");
    const int world = nc_xml_child(m.xml, 0, "worldbody");
    out->name = name != NULL ? name : "model";
    if (world < 0)
        return nc_xml_fail(m.xml, 0, err, "the model has no <worldbody>");
    code = read_body(&m, world, true);
    // Parents come before their children.
    for (int i = world + 1; i < m.xml->elements.count && code == NC_OK; i++) {
        const nc_xml_element *e = &m.xml->elements.data[i];
        if (strcmp(e->name, "body") == 0 && (e->parent == world || find_link(&m, e->parent) > 0))
            code = read_body(&m, i, false);
    }
    return code == NC_OK ? read_actuators(&m) : code;
}
