// The files of an imported robot: a scene with bodies and joints, and an OBJ for each shape that is not generated.
#include "import.h"
#include "out_file.h"
#include "robot_shape.h"

#include "math/math.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

typedef struct robot_import {
    nc_import *import;
    nc_robot robot;
    nc_robot_part *parts; // [link]
    nc_mass_def *masses;  // [link] in the axes of the mesh
    int *body_names, *joint_names;
    nc_names joints;
} robot_import;

static bool is_body(const robot_import *r, int link)
{
    return r->robot.links.data[link].body == link;
}

static bool is_fixed_base(const robot_import *r)
{
    return r->import->settings->base == NULL || strcmp(r->import->settings->base, "fixed") == 0;
}

// The root of a fixed robot, and what is welded to it, does not move.
static bool is_static(const robot_import *r, int link)
{
    while (r->robot.links.data[link].joint >= 0) {
        const nc_robot_joint *joint = &r->robot.joints.data[r->robot.links.data[link].joint];
        if (joint->motion != NC_ROBOT_FIXED)
            return false;
        link = joint->parent;
    }
    return is_fixed_base(r);
}

static const char *body_name(const robot_import *r, int link)
{
    return r->import->body_names.name[r->body_names[link]];
}

// ---- gathering ----------------------------------------------------------------------------------------------

// The mass and the inertia of a link in the axes of its mesh.
static nc_mass_def mass_of(const nc_robot_link *link, nc_pose frame)
{
    const nc_mat3 mesh = nc_quat_matrix(frame.q);
    const nc_mat3 turn = nc_mat3_multiply(nc_mat3_transpose(mesh), nc_quat_matrix(link->center.q));
    nc_mat3 inertia = nc_mat3_multiply(nc_mat3_multiply(turn, link->inertia), nc_mat3_transpose(turn));
    inertia.row[1].x = inertia.row[0].y; // rounding made it a little unsymmetric
    inertia.row[2].x = inertia.row[0].z;
    inertia.row[2].y = inertia.row[1].z;
    return (nc_mass_def){.mass = link->mass,
                         .has_inertia = true,
                         .center = nc_mat3_tmul(mesh, nc_sub(link->center.x, frame.x)),
                         .inertia = inertia};
}

// Takes the inertia of the shape, about the link's centre of mass.
static nc_code take_inertia_of_shape(robot_import *r, int link, const char *cause, nc_error *err)
{
    nc_mass mass;
    nc_error problem = {0};
    const nc_robot_link *l = &r->robot.links.data[link];
    const nc_mass_def plain = {.mass = l->mass};
    if (nc_mesh_mass(r->parts[link].mesh, &plain, &mass, &problem) != NC_OK)
        return nc_xml_fail(&r->robot.xml, l->element, err, "link '%.64s': %.300s", l->name, problem.text);
    r->masses[link].inertia = mass.inertia;
    if (l->inertia_element < 0)
        return nc_robot_note_at(&r->robot, l->element, err, "link '%.64s' has no <inertia>: it gets that of its shape",
                                l->name);
    return nc_robot_note_at(&r->robot, l->inertia_element, err,
                            "<inertia> of link '%.64s' is not taken, that of its shape is: %.200s", l->name, cause);
}

static nc_code weigh(robot_import *r, int link, nc_error *err)
{
    nc_error cause = {0};
    nc_mass mass;
    const nc_robot_link *l = &r->robot.links.data[link];
    if (is_static(r, link))
        return NC_OK;
    r->masses[link] = (nc_mass_def){.mass = l->mass, .density = l->density};
    if (l->mass_only || l->density > 0)
        return NC_OK;
    if (!l->has_mass)
        return nc_robot_note_at(&r->robot, l->element, err, "link '%.64s' has no mass: it gets 1000 kg/m^3", l->name);
    r->masses[link] = mass_of(l, r->parts[link].frame);
    if (l->inertia_element >= 0 && nc_mesh_mass(r->parts[link].mesh, &r->masses[link], &mass, &cause) == NC_OK)
        return NC_OK;
    return take_inertia_of_shape(r, link, cause.text, err);
}

static bool same_geometry(const nc_robot_geometry *a, const nc_robot_geometry *b)
{
    return a->link == b->link && a->shape == b->shape && memcmp(a->size, b->size, sizeof a->size) == 0 &&
           memcmp(&a->origin, &b->origin, sizeof a->origin) == 0 && (a->file == NULL || strcmp(a->file, b->file) == 0);
}

// What is shown in a file and not in the scene.
static nc_code note_visuals(robot_import *r, nc_error *err)
{
    nc_code code = NC_OK;
    const int count = r->robot.geometries.count;
    for (int i = 0; i < count && code == NC_OK; i++) {
        const nc_robot_geometry *g = &r->robot.geometries.data[i];
        bool kept = !g->visual || r->robot.links.data[g->link].ghost;
        for (int k = 0; k < count && !kept; k++)
            kept = !r->robot.geometries.data[k].visual && same_geometry(g, &r->robot.geometries.data[k]);
        if (!kept)
            code = nc_robot_note_at(&r->robot, g->element, err,
                                    "geometry that is only shown is left out: a body looks like what collides");
    }
    return code;
}

static nc_code note_bodies(robot_import *r, nc_error *err)
{
    nc_code code = NC_OK;
    for (int i = 0; i < r->robot.links.count && code == NC_OK; i++) {
        const nc_robot_link *link = &r->robot.links.data[i];
        if (is_body(r, i) && link->ghost)
            code = nc_robot_note_at(&r->robot, link->element, err,
                                    "link '%.64s' has nothing that collides: it is %s, and passes through all others",
                                    link->name,
                                    link->geometries > 0 ? "what is shown" : "a cube about its centre of mass");
    }
    for (int i = 0; i < r->robot.joints.count && code == NC_OK; i++)
        if (r->robot.joints.data[i].effort > 0 && !r->import->settings->hold)
            code = nc_robot_note_at(&r->robot, r->robot.joints.data[i].element, err,
                                    "<limit> effort: nothing drives the joint without --hold");
    return code;
}

static nc_code make_bodies(robot_import *r, nc_error *err)
{
    nc_code code = NC_OK;
    for (int i = 0; i < r->robot.links.count && code == NC_OK; i++) {
        if (!is_body(r, i))
            continue;
        code = nc_import_name(&r->import->body_names, r->robot.links.data[i].name, "link", &r->body_names[i], err);
        if (code == NC_OK)
            code = nc_robot_make_part(&r->robot, i, &r->parts[i], err);
        if (code == NC_OK)
            code = weigh(r, i, err);
        r->import->body_count += code == NC_OK;
    }
    if (code == NC_OK && r->import->body_count == 0)
        code = nc_xml_fail(&r->robot.xml, 0, err, "no link of the robot has geometry or mass");
    for (int i = 0; i < r->robot.joints.count && code == NC_OK; i++)
        code = nc_import_name(&r->joints, r->robot.joints.data[i].name, "joint", &r->joint_names[i], err);
    return code;
}

static nc_code gather(robot_import *r, nc_error *err)
{
    const char *dot = strrchr(r->import->source, '.');
    const bool mjcf = dot != NULL && strcasecmp(dot, ".xml") == 0;
    nc_code code = mjcf ? nc_robot_read_mjcf(r->import->source, &r->robot, err)
                        : nc_robot_read_urdf(r->import->source, &r->robot, err);
    if (code == NC_OK)
        code = nc_robot_note_unread(&r->robot, err);
    if (code == NC_OK)
        code = nc_robot_place(&r->robot, is_fixed_base(r), err);
    if (code != NC_OK)
        return code;
    const size_t links = (size_t)r->robot.links.count, joints = (size_t)r->robot.joints.count + 1;
    r->parts = calloc(links, sizeof *r->parts);
    r->masses = calloc(links, sizeof *r->masses);
    r->body_names = calloc(links, sizeof *r->body_names);
    r->joint_names = calloc(joints, sizeof *r->joint_names);
    if (r->parts == NULL || r->masses == NULL || r->body_names == NULL || r->joint_names == NULL)
        return nc_fail_memory(err, links * sizeof *r->parts);
    code = make_bodies(r, err);
    if (code == NC_OK)
        code = note_bodies(r, err);
    return code == NC_OK ? note_visuals(r, err) : code;
}

static void forget(robot_import *r)
{
    for (int i = 0; i < r->robot.links.count && r->parts != NULL; i++)
        nc_mesh_release(r->parts[i].mesh);
    free(r->parts);
    free(r->masses);
    free(r->body_names);
    free(r->joint_names);
    nc_names_free(&r->joints);
    nc_names_free(&r->import->body_names);
    nc_robot_free(&r->robot);
}

// ---- meshes -------------------------------------------------------------------------------------------------

static bool has_file(const robot_import *r, int link)
{
    return is_body(r, link) && r->parts[link].generate == NULL;
}

static void mesh_path(const robot_import *r, int link, char *out)
{
    snprintf(out, NC_IMPORT_PATH, "%s%s/%s.obj", r->import->meshes[0] == '/' ? "" : r->import->folder,
             r->import->meshes, body_name(r, link));
}

static nc_code check_files(const robot_import *r, nc_error *err)
{
    char path[NC_IMPORT_PATH];
    for (int i = 0; i < r->robot.links.count && !r->import->settings->force; i++) {
        if (!has_file(r, i))
            continue;
        mesh_path(r, i, path);
        if (access(path, F_OK) == 0)
            return nc_fail(err, NC_BAD_ARGUMENT, "'%.400s' exists. Give another --meshes, or --force to overwrite it",
                           path);
    }
    return NC_OK;
}

// Writes the meshes of the links before *count, which says how far it came.
static nc_code write_meshes(robot_import *r, int *count, nc_error *err)
{
    nc_code code = NC_OK;
    for (*count = 0; *count < r->robot.links.count && code == NC_OK; ++*count) {
        char path[NC_IMPORT_PATH];
        if (!has_file(r, *count))
            continue;
        mesh_path(r, *count, path);
        code = r->import->shape_count++ == 0 ? nc_import_make_folder(r->import, err) : NC_OK;
        if (code == NC_OK)
            code = nc_mesh_save(r->parts[*count].mesh, path, err);
    }
    return code;
}

// ---- the scene ----------------------------------------------------------------------------------------------

static void write_key(FILE *out, const char *key, double value)
{
    char number[NC_IMPORT_NUMBER];
    fprintf(out, ", %s: %s", key, nc_import_number(value, number));
}

static void write_vector(FILE *out, const char *key, nc_vec3 v)
{
    const double x[3] = {v.x, v.y, v.z};
    char text[NC_IMPORT_LIST];
    fprintf(out, ", %s: %s", key, nc_import_list(x, 3, text));
}

static void write_shape(const robot_import *r, int link, FILE *out)
{
    const nc_robot_part *part = &r->parts[link];
    fprintf(out, "  \"%s\": {", body_name(r, link));
    if (part->generate != NULL) {
        fprintf(out, "generate: %s", part->generate);
        for (int i = 0; i < part->parameter_count; i++)
            write_key(out, part->parameters[i].name, part->parameters[i].value);
    } else {
        char file[NC_IMPORT_PATH];
        snprintf(file, sizeof file, "%s/%s.obj", r->import->meshes, body_name(r, link));
        fprintf(out, "file: ");
        nc_import_write_text(out, file);
    }
    nc_import_write_look(out, &r->robot.links.data[link].look);
    fprintf(out, "}\n");
}

static void write_mass(const nc_mass_def *mass, FILE *out)
{
    if (mass->mass > 0)
        write_key(out, "mass", mass->mass);
    else if (mass->density > 0)
        write_key(out, "density", mass->density);
    if (!mass->has_inertia)
        return;
    const nc_vec3 *i = mass->inertia.row;
    const double x[6] = {i[0].x, i[1].y, i[2].z, i[0].y, i[0].z, i[1].z};
    write_vector(out, "center", mass->center);
    fprintf(out, ", inertia: [");
    for (int k = 0; k < 6; k++) {
        char number[NC_IMPORT_NUMBER];
        fprintf(out, "%s%s", k > 0 ? ", " : "", nc_import_number(x[k], number));
    }
    fprintf(out, "]");
}

static void write_body(const robot_import *r, int link, FILE *out)
{
    fprintf(out, "  - {name: \"%s\", shape: \"%s\", ", body_name(r, link), body_name(r, link));
    nc_import_write_pose(out, nc_robot_below(r->robot.links.data[link].pose, r->parts[link].frame));
    if (is_static(r, link))
        fprintf(out, ", type: static");
    else
        write_mass(&r->masses[link], out);
    fprintf(out, "}\n");
}

static void write_motion(const robot_import *r, const nc_robot_joint *joint, FILE *out)
{
    const bool driven = r->import->settings->hold && joint->mimic < 0 && joint->motion <= NC_ROBOT_PRISMATIC;
    if (joint->limited) {
        char lower[NC_IMPORT_NUMBER], upper[NC_IMPORT_NUMBER];
        fprintf(out, ", limits: {min: %s, max: %s}", nc_import_number(joint->lower - joint->start, lower),
                nc_import_number(joint->upper - joint->start, upper));
    }
    if (joint->damping > 0)
        write_key(out, "damping", joint->damping);
    if (joint->friction > 0)
        write_key(out, "friction", joint->friction);
    if (joint->stiffness > 0) {
        write_key(out, "stiffness", joint->stiffness);
        write_key(out, "rest", joint->rest - joint->start);
    }
    if (joint->drive.mode != NC_DRIVE_NONE) {
        fprintf(out, ", drive: {mode: %s, target: 0", nc_drive_mode_names[joint->drive.mode]);
        write_key(out, "stiffness", joint->drive.stiffness);
        write_key(out, "damping", joint->drive.damping);
        write_key(out, "max_force", joint->drive.max_force);
        fprintf(out, "}");
    } else if (driven) {
        fprintf(out, ", drive: {mode: position, target: 0");
        if (joint->effort > 0)
            write_key(out, "max_force", joint->effort);
        fprintf(out, "}");
    }
}

// Nothing is written for a joint inside a body, one that leaves all free, and one between bodies that do not move.
static bool is_written(const robot_import *r, const nc_robot_joint *joint)
{
    const int a = r->robot.links.data[joint->child].body, b = r->robot.links.data[joint->parent].body;
    return a != b && a >= 0 && joint->motion != NC_ROBOT_FLOATING && !is_static(r, a);
}

static void write_joint(const robot_import *r, int row, FILE *out)
{
    static const char *const kinds[NC_ROBOT_MOTIONS] = {"hinge", "hinge", "slider", "fixed", NULL, "planar", "ball"};
    const nc_robot_joint *joint = &r->robot.joints.data[row];
    const nc_robot_link *child = &r->robot.links.data[joint->child];
    const int parent = r->robot.links.data[joint->parent].body;
    fprintf(out, "  - {kind: %s, name: \"%s\", body: \"%s\"", kinds[joint->motion], r->joints.name[r->joint_names[row]],
            body_name(r, child->body));
    if (parent >= 0)
        fprintf(out, ", to: \"%s\"", body_name(r, parent));
    write_vector(out, "anchor", nc_pose_apply(child->pose, joint->anchor));
    if (joint->motion != NC_ROBOT_FIXED && joint->motion != NC_ROBOT_BALL)
        write_vector(out, "axis", nc_mat3_mul(nc_quat_matrix(child->pose.q), joint->axis));
    write_motion(r, joint, out);
    fprintf(out, "}\n");
}

// position = multiplier x that of the joint it follows: a gear.
static void write_gear(const robot_import *r, int row, FILE *out)
{
    const nc_robot_joint *joint = &r->robot.joints.data[row];
    fprintf(out, "  - {kind: gear, first: \"%s\", second: \"%s\"", r->joints.name[r->joint_names[row]],
            r->joints.name[r->joint_names[joint->mimic]]);
    write_key(out, "ratio", -joint->multiplier);
    fprintf(out, "}\n");
}

static void write_joints(const robot_import *r, FILE *out)
{
    int written = 0;
    for (int i = 0; i < r->robot.joints.count; i++)
        if (is_written(r, &r->robot.joints.data[i])) {
            fprintf(out, "%s", written++ == 0 ? "joints:\n" : "");
            write_joint(r, i, out);
        }
    for (int i = 0; i < r->robot.joints.count; i++) {
        const nc_robot_joint *joint = &r->robot.joints.data[i];
        if (joint->mimic >= 0 && is_written(r, joint) && is_written(r, &r->robot.joints.data[joint->mimic]))
            write_gear(r, i, out);
    }
}

static void write_filters(const robot_import *r, FILE *out)
{
    int written = 0;
    for (int i = 0; i < r->robot.links.count; i++)
        if (is_body(r, i) && r->robot.links.data[i].ghost)
            fprintf(out, "%s  - [\"%s\", \"*\"]\n", written++ == 0 ? "filters:\n" : "", body_name(r, i));
}

static void write_scene(const robot_import *r, FILE *out)
{
    fprintf(out, "# Made by `nacre import`; z is up. What the keys mean: docs/scene-format.md\nnacre: 1\ntitle: ");
    nc_import_write_text(out, r->robot.name);
    fprintf(out, "\nworld: {timestep: 1/240, duration: 10");
    write_vector(out, "gravity", r->robot.gravity);
    fprintf(out, "}\nshapes:\n");
    for (int i = 0; i < r->robot.links.count; i++)
        if (is_body(r, i))
            write_shape(r, i, out);
    fprintf(out, "bodies:\n");
    for (int i = 0; i < r->robot.links.count; i++)
        if (is_body(r, i))
            write_body(r, i, out);
    write_joints(r, out);
    write_filters(r, out);
}

static nc_code write_files(robot_import *r, nc_error *err)
{
    nc_out_file file;
    int written = 0;
    nc_code code = check_files(r, err);
    if (code != NC_OK)
        return code;
    code = write_meshes(r, &written, err);
    if (code == NC_OK)
        code = nc_out_open(&file, r->import->settings->output, err);
    if (code == NC_OK) {
        write_scene(r, file.out);
        code = nc_out_close(&file, NC_OK, err);
    }
    for (int i = 0; i < written && code != NC_OK; i++) {
        char path[NC_IMPORT_PATH];
        mesh_path(r, i, path);
        if (has_file(r, i))
            unlink(path);
    }
    return code;
}

// ---- notes --------------------------------------------------------------------------------------------------

static int line_of(const nc_robot *robot, int note)
{
    return robot->xml.elements.data[robot->notes.data[note].element].line;
}

static bool was_said(const nc_robot *robot, int note)
{
    for (int i = 0; i < note; i++)
        if (strcmp(robot->notes.data[i].text, robot->notes.data[note].text) == 0)
            return true;
    return false;
}

// A note that several places have is said once, with all lines.
static void say_notes(const robot_import *r)
{
    const nc_robot *robot = &r->robot;
    for (int i = 0; i < robot->notes.count; i++) {
        char also[512] = "";
        int used = 0;
        if (was_said(robot, i))
            continue;
        for (int k = i + 1; k < robot->notes.count && used < (int)sizeof also - 16; k++)
            if (strcmp(robot->notes.data[i].text, robot->notes.data[k].text) == 0)
                used += snprintf(also + used, sizeof also - (size_t)used, "%s%d", used > 0 ? ", " : "; also in line ",
                                 line_of(robot, k));
        nc_say(r->import->settings->quiet, "note: %s:%d: %s%s", robot->xml.path, line_of(robot, i),
               robot->notes.data[i].text, also);
    }
}

nc_code nc_import_robot(nc_import *import, nc_error *err)
{
    robot_import r = {.import = import};
    int joints = 0;
    nc_code code = gather(&r, err);
    if (code == NC_OK)
        code = write_files(&r, err);
    for (int i = 0; i < r.robot.joints.count; i++)
        joints += code == NC_OK && is_written(&r, &r.robot.joints.data[i]);
    if (code == NC_OK) {
        say_notes(&r);
        nc_say(import->settings->quiet, "Wrote %s: %d bod%s and %d joint%s", import->settings->output,
               import->body_count, import->body_count == 1 ? "y" : "ies", joints, joints == 1 ? "" : "s");
    }
    forget(&r);
    return code;
}
