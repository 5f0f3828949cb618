// Shapes of robots: generated ones, meshes of files, and several of them as one mesh.
#include "robot_shape.h"

#include <math.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define GHOST_SIZE     0.01 // [m] of a link that has a mass, no geometry and no inertia
#define FOLDERS_ABOVE  8    // that a package is looked for in
#define MAX_PATH_BYTES 2048

// How a mesh gets into a link: out of the axes that its reader made, by a scale, to a pose.
typedef struct placement {
    char up; // 'Y' for files that are taken as they are; else see undo_up
    const double *scale;
    nc_pose pose;
} placement;

typedef struct soup {
    nc_allocator memory;
    NC_ARRAY(nc_vec3) vertices;
    NC_ARRAY(struct { int v[3]; }) triangles;
    NC_ARRAY(struct { int v[2]; }) edges;
    NC_ARRAY(int) points;
} soup;

// ---- generated shapes ---------------------------------------------------------------------------------------

// Cylinders of Nacre are about y, those of robots about z.
static nc_pose stand_up(nc_pose pose)
{
    return nc_robot_below(pose, (nc_pose){nc_v3(0, 0, 0), nc_quat_normalize(nc_q4(1, 1, 0, 0))});
}

static void describe(nc_robot_part *part, const char *generate, int count, const char *const *names,
                     const double *values)
{
    part->generate = generate;
    part->parameter_count = count;
    for (int i = 0; i < count; i++)
        part->parameters[i] = (nc_shape_parameter){names[i], values[i]};
}

static void describe_primitive(const nc_robot_geometry *geometry, nc_robot_part *part)
{
    static const char *const box[] = {"width", "height", "depth"}, *const cylinder[] = {"radius", "height"};
    static const char *const capsule[] = {"radius", "length"}, *const size[] = {"size"};
    part->frame = geometry->origin;
    switch (geometry->shape) {
    case NC_ROBOT_BOX:
        describe(part, "box", 3, box, geometry->size);
        break;
    case NC_ROBOT_CYLINDER:
        describe(part, "cylinder", 2, cylinder, geometry->size);
        part->frame = stand_up(part->frame);
        break;
    case NC_ROBOT_CAPSULE:
        describe(part, "capsule", 2, capsule, geometry->size);
        part->frame = stand_up(part->frame);
        break;
    case NC_ROBOT_SPHERE:
        describe(part, "sphere", 1, capsule, geometry->size);
        break;
    case NC_ROBOT_PLANE:
        describe(part, "plane", 1, size, geometry->size);
        part->frame = stand_up(part->frame);
        break;
    default:
        break;
    }
}

static nc_code generate(const nc_robot *robot, int element, nc_robot_part *part, nc_error *err)
{
    nc_error cause = {0};
    const nc_code code =
        nc_shape_create(part->generate, part->parameters, part->parameter_count, NULL, &part->mesh, &cause);
    return code == NC_OK ? NC_OK : nc_xml_fail(&robot->xml, element, err, "%.400s", cause.text);
}

// A cube about the centre of mass, of about the size that the inertia has.
static nc_code make_ghost(const nc_robot *robot, const nc_robot_link *link, nc_robot_part *part, nc_error *err)
{
    static const char *const names[] = {"size"};
    const double trace = link->inertia.row[0].x + link->inertia.row[1].y + link->inertia.row[2].z;
    const double size = trace > 0 ? sqrt(2 * trace / link->mass) : GHOST_SIZE;
    part->frame = link->center;
    describe(part, "box", 1, names, &size);
    return generate(robot, link->element, part, err);
}

// ---- files --------------------------------------------------------------------------------------------------

// Tries FOLDER/PATH and FOLDER/PACKAGE/PATH in the robot's folder and those above it.
static bool find_in_package(const char *folder, const char *name, char *out)
{
    const char *slash = strchr(name, '/');
    char above[3 * FOLDERS_ABOVE + 1] = "";
    for (int i = 0; i < FOLDERS_ABOVE; i++) {
        snprintf(out, MAX_PATH_BYTES, "%s%s%s", folder, above, slash != NULL ? slash + 1 : name);
        if (access(out, R_OK) == 0)
            return true;
        snprintf(out, MAX_PATH_BYTES, "%s%s%s", folder, above, name);
        if (access(out, R_OK) == 0)
            return true;
        memcpy(above + (size_t)3 * (size_t)i, "../", 4);
    }
    return false;
}

static bool find_file(const nc_robot *robot, const char *name, char *out)
{
    char folder[MAX_PATH_BYTES / 2];
    const char *slash = strrchr(robot->xml.path, '/');
    const int length = slash != NULL ? (int)(slash + 1 - robot->xml.path) : 0;
    snprintf(folder, sizeof folder, "%.*s", length, robot->xml.path);
    if (strncmp(name, "package://", 10) == 0)
        return find_in_package(folder, name + 10, out);
    if (strncmp(name, "file://", 7) == 0)
        name += 7;
    snprintf(out, MAX_PATH_BYTES, "%s%s", name[0] == '/' ? "" : folder, name);
    return access(out, R_OK) == 0;
}

// The axis that a COLLADA file says is up: its reader turns that to y, and robots are made of what the file says.
static char up_axis(const char *path)
{
    static const char tag[] = "<up_axis>";
    char text[1 << 14];
    const size_t length = strlen(path);
    if (length < 4 || strcasecmp(path + length - 4, ".dae") != 0)
        return 'Y';
    FILE *file = fopen(path, "rb");
    const size_t count = file != NULL ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file != NULL)
        fclose(file);
    text[count] = '\0';
    const char *found = strstr(text, tag);
    const char *axis = found != NULL ? found + strlen(tag) : "Y";
    return axis[strspn(axis, " \t\r\n")];
}

static nc_code load(const nc_robot *robot, const nc_robot_geometry *geometry, char *out_up, nc_mesh **out,
                    nc_error *err)
{
    char path[MAX_PATH_BYTES];
    nc_error cause = {0};
    if (!find_file(robot, geometry->file, path))
        return nc_xml_fail(&robot->xml, geometry->element, err,
                           "<mesh> filename expects a file that is there, but '%.200s' was not found%s", geometry->file,
                           strncmp(geometry->file, "package://", 10) == 0
                               ? " in the robot's folder, in the package's folder there, or in a folder above"
                               : " (paths are relative to the robot's file)");
    *out_up = up_axis(path);
    if (nc_mesh_load(path, NULL, out, NULL, &cause) == NC_OK)
        return NC_OK;
    return nc_xml_fail(&robot->xml, geometry->element, err, "<mesh> '%.200s': %.300s", geometry->file, cause.text);
}

static nc_vec3 undo_up(char up, nc_vec3 v)
{
    if (up == 'Z')
        return nc_v3(v.x, -v.z, v.y);
    return up == 'X' ? nc_v3(v.y, -v.x, v.z) : v;
}

// ---- several as one -----------------------------------------------------------------------------------------

static bool add_vertices(soup *s, const nc_mesh_data *mesh, const placement *place)
{
    bool room = true;
    for (int i = 0; i < mesh->vertex_count && room; i++) {
        const nc_vec3 v = undo_up(place->up, mesh->vertices[i]);
        const double *scale = place->scale;
        const nc_vec3 placed = nc_pose_apply(place->pose, nc_v3(scale[0] * v.x, scale[1] * v.y, scale[2] * v.z));
        room = nc_array_push(&s->memory, &s->vertices, placed);
    }
    return room;
}

// A scale that mirrors turns the triangles over, so that a closed mesh stays the right way out.
static bool add_mesh(soup *s, const nc_mesh_data *mesh, const placement *place)
{
    const int base = s->vertices.count, mirrored = place->scale[0] * place->scale[1] * place->scale[2] < 0;
    bool room = add_vertices(s, mesh, place);
    for (int i = 0; i < mesh->triangle_count && room; i++) {
        room = nc_array_reserve(&s->memory, &s->triangles, s->triangles.count + 1);
        for (int k = 0; k < 3 && room; k++)
            s->triangles.data[s->triangles.count].v[mirrored ? 2 - k : k] = base + mesh->triangles[i][k];
        s->triangles.count += room;
    }
    for (int i = 0; i < mesh->edge_count && room; i++) {
        if (!mesh->edge_is_free[i])
            continue;
        room = nc_array_reserve(&s->memory, &s->edges, s->edges.count + 1);
        for (int k = 0; k < 2 && room; k++)
            s->edges.data[s->edges.count].v[k] = base + mesh->edges[i][k];
        s->edges.count += room;
    }
    for (int i = 0; i < mesh->point_count && room; i++)
        room = nc_array_push(&s->memory, &s->points, base + mesh->points[i]);
    return room;
}

static nc_code add_geometry(const nc_robot *robot, const nc_robot_geometry *geometry, nc_pose pose, soup *s,
                            nc_error *err)
{
    static const double one[3] = {1, 1, 1};
    nc_robot_part part = {.frame = pose};
    placement place = {'Y', geometry->shape == NC_ROBOT_MESH ? geometry->size : one, pose};
    nc_code code;
    if (geometry->shape == NC_ROBOT_MESH) {
        code = load(robot, geometry, &place.up, &part.mesh, err);
    } else {
        describe_primitive(geometry, &part);
        code = generate(robot, geometry->element, &part, err);
    }
    if (code != NC_OK)
        return code;
    const nc_mesh_data mesh = nc_mesh_view(part.mesh);
    place.pose = part.frame;
    if (!add_mesh(s, &mesh, &place))
        code = nc_fail_memory(err, sizeof(nc_vec3));
    nc_mesh_release(part.mesh);
    return code;
}

static nc_code finish(const nc_robot *robot, int element, const soup *s, nc_mesh **out, nc_error *err)
{
    nc_error cause = {0};
    const nc_mesh_def def = {.vertices = s->vertices.data,
                             .vertex_count = s->vertices.count,
                             .triangles = (const int(*)[3])(const void *)s->triangles.data,
                             .triangle_count = s->triangles.count,
                             .edges = (const int(*)[2])(const void *)s->edges.data,
                             .edge_count = s->edges.count,
                             .points = s->points.data,
                             .point_count = s->points.count};
    const nc_code code = nc_mesh_create(&def, NULL, out, &cause);
    return code == NC_OK ? NC_OK : nc_xml_fail(&robot->xml, element, err, "%.400s", cause.text);
}

static nc_code merge(const nc_robot *robot, int link, nc_robot_part *out, nc_error *err)
{
    soup s = {.memory = nc_allocator_default()};
    nc_code code = NC_OK;
    const nc_robot_link *l = &robot->links.data[link];
    out->frame = (nc_pose){nc_v3(0, 0, 0), nc_quat_identity()};
    for (int i = 0; i < robot->geometries.count && code == NC_OK; i++) {
        const nc_robot_geometry *geometry = &robot->geometries.data[i];
        if (geometry->link == link && geometry->visual == l->ghost)
            code = add_geometry(robot, geometry, geometry->origin, &s, err);
    }
    if (code == NC_OK)
        code = finish(robot, l->element, &s, &out->mesh, err);
    nc_array_free(&s.memory, &s.vertices);
    nc_array_free(&s.memory, &s.triangles);
    nc_array_free(&s.memory, &s.edges);
    nc_array_free(&s.memory, &s.points);
    return code;
}

nc_code nc_robot_make_part(const nc_robot *robot, int link, nc_robot_part *out, nc_error *err)
{
    *out = (nc_robot_part){.mesh = NULL};
    const nc_robot_link *l = &robot->links.data[link];
    if (l->geometries == 0)
        return make_ghost(robot, l, out, err);
    for (int i = 0; i < robot->geometries.count && l->geometries == 1; i++) {
        const nc_robot_geometry *geometry = &robot->geometries.data[i];
        if (geometry->link != link || geometry->visual != l->ghost || geometry->shape == NC_ROBOT_MESH)
            continue;
        describe_primitive(geometry, out);
        return generate(robot, geometry->element, out, err);
    }
    return merge(robot, link, out, err);
}
