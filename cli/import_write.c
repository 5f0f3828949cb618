// The files of an import: one OBJ per shape, and the scene.
#include "import.h"
#include "out_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- meshes -------------------------------------------------------------------------------------------------

static void mesh_path(const nc_import *import, int shape, char *out)
{
    snprintf(out, NC_IMPORT_PATH, "%s%s/%s.obj", import->meshes[0] == '/' ? "" : import->folder, import->meshes,
             import->shape_names.name[import->shapes[shape].name]);
}

bool nc_import_finds_mesh(const nc_import *import, char *out)
{
    for (int i = 0; i < import->shape_count; i++) {
        mesh_path(import, i, out);
        if (access(out, F_OK) == 0)
            return true;
    }
    return false;
}

nc_code nc_import_make_folder(const nc_import *import, nc_error *err)
{
    char path[NC_IMPORT_PATH];
    struct stat found;
    snprintf(path, sizeof path, "%s%s", import->meshes[0] == '/' ? "" : import->folder, import->meshes);
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && stat(path, &found) == 0 && S_ISDIR(found.st_mode)))
        return NC_OK;
    return nc_fail(err, NC_IO, "cannot make the folder '%.400s': %s", path, strerror(errno));
}

static nc_code write_mesh(const nc_import *import, int shape, nc_error *err)
{
    char path[NC_IMPORT_PATH];
    nc_mesh *mesh = NULL;
    const nc_import_shape *s = &import->shapes[shape];
    nc_code code = nc_gltf_mesh_create(import->gltf, s->mesh, &s->placement.stretch, &mesh, err);
    if (code != NC_OK)
        return code;
    mesh_path(import, shape, path);
    code = nc_mesh_save(mesh, path, err);
    nc_mesh_release(mesh);
    return code;
}

// ---- the scene ----------------------------------------------------------------------------------------------

void nc_import_write_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if ((unsigned char)*text < ' ' || *text == 0x7f)
            fprintf(out, "\\u%04x", (unsigned)(unsigned char)*text);
        else
            fputc(*text, out);
    }
    fputc('"', out);
}

void nc_import_write_pose(FILE *out, nc_pose pose)
{
    const nc_quat q = nc_quat_normalize(pose.q);
    const double place[3] = {pose.x.x, pose.x.y, pose.x.z}, turn[4] = {q.w, q.x, q.y, q.z};
    char text[NC_IMPORT_LIST];
    fprintf(out, "position: %s", nc_import_list(place, 3, text));
    if (q.x != 0 || q.y != 0 || q.z != 0)
        fprintf(out, ", rotation: {quaternion: %s}", nc_import_list(turn, 4, text));
}

static bool same_pose(nc_pose a, nc_pose b)
{
    return a.x.x == b.x.x && a.x.y == b.x.y && a.x.z == b.x.z && a.q.w == b.q.w && a.q.x == b.q.x && a.q.y == b.q.y &&
           a.q.z == b.q.z;
}

static nc_gltf_transform place_at(const nc_import *import, int node, int key)
{
    nc_gltf_place(import->gltf, import->times[key], import->placed);
    return import->placed[node];
}

static nc_code bad_script(const nc_import *import, const nc_import_body *body, const char *problem, nc_error *err)
{
    return nc_fail_at(err, NC_BAD_FILE, import->source, 0, 0, "node \"%.64s\": %s",
                      nc_gltf_node_view(import->gltf, body->node).name, problem);
}

// Keys where the body has moved since the one before or will have at the next.
static nc_code write_keyframes(const nc_import *import, const nc_import_body *body, FILE *out, nc_error *err)
{
    const nc_import_shape *shape = &import->shapes[body->shape];
    nc_gltf_transform before, here = place_at(import, body->node, 0), next = here;
    char time[NC_IMPORT_NUMBER];
    fprintf(out, ", keyframes: [");
    for (int key = 0; key < import->time_count; key++) {
        before = here;
        here = next;
        next = key + 1 < import->time_count ? place_at(import, body->node, key + 1) : here;
        if (!nc_gltf_transform_same_stretch(&here, &shape->placement, NC_IMPORT_SAME))
            return bad_script(import, body, "its size changes in the animation, and a body has one size", err);
        if (import->times[key] < 0)
            return bad_script(import, body, "its animation has keys before the time 0", err);
        if (key > 0 && same_pose(before.pose, here.pose) && same_pose(here.pose, next.pose))
            continue;
        fprintf(out, "%s\n      {time: %s, ", key > 0 ? "," : "", nc_import_number(import->times[key], time));
        nc_import_write_pose(out, here.pose);
        fprintf(out, "}");
    }
    fprintf(out, "]");
    return NC_OK;
}

static nc_code write_body(const nc_import *import, const nc_import_body *body, FILE *out, nc_error *err)
{
    nc_code code = NC_OK;
    fprintf(out, "  - {name: \"%s\", shape: \"%s\", ", import->body_names.name[body->name],
            import->shape_names.name[import->shapes[body->shape].name]);
    if (!body->scripted)
        nc_import_write_pose(out, body->pose);
    else
        fprintf(out, "type: kinematic");
    for (int key = 0; key < NC_IMPORT_KEY_COUNT; key++)
        if (body->properties.value[key][0] != '\0' && !(body->scripted && key == NC_IMPORT_TYPE))
            fprintf(out, ", %s: %s", nc_import_keys[key], body->properties.value[key]);
    if (body->scripted)
        code = write_keyframes(import, body, out, err);
    fprintf(out, "}\n");
    return code;
}

void nc_import_write_look(FILE *out, const nc_appearance *appearance)
{
    char color[8];
    nc_color_print(appearance->color, color);
    if (appearance->has_color)
        fprintf(out, ", color: \"%s\"", color);
    if (appearance->material != NC_MATERIAL_NONE)
        fprintf(out, ", material: %s", nc_material_view(appearance->material)->name);
}

// Joints get the time step of Blender's own simulation, and its frames.
static void write_world(const nc_import *import, FILE *out)
{
    char step[NC_IMPORT_NUMBER];
    fprintf(out, "\nworld: {gravity: [0, -9.8, 0], ");
    if (import->constraints.count == 0) {
        fprintf(out, "timestep: 1/24, duration: 10}\n");
        return;
    }
    const nc_import_constraint *first = &import->constraints.data[0];
    const double rate = round(1 / first->substep);
    if (fabs(rate * first->substep - 1) < NC_IMPORT_SAME)
        fprintf(out, "timestep: 1/%.0f, ", rate);
    else
        fprintf(out, "timestep: %s, ", nc_import_number(first->substep, step));
    fprintf(out, "duration: 10, output: {every: %d}}\n", first->substeps);
}

static nc_code write_scene(const nc_import *import, FILE *out, nc_error *err)
{
    const char *slash = strrchr(import->source, '/'), *name = slash != NULL ? slash + 1 : import->source;
    nc_code code = NC_OK;
    fprintf(out, "# Made by `nacre import`; y is up. What the keys mean: docs/scene-format.md\nnacre: 1\ntitle: ");
    nc_import_write_text(out, name);
    write_world(import, out);
    fprintf(out, "shapes:\n");
    for (int i = 0; i < import->shape_count; i++) {
        char file[NC_IMPORT_PATH];
        const char *shape = import->shape_names.name[import->shapes[i].name];
        snprintf(file, sizeof file, "%s/%s.obj", import->meshes, shape);
        fprintf(out, "  \"%s\": {file: ", shape);
        nc_import_write_text(out, file);
        nc_import_write_look(out, &import->shapes[i].appearance);
        fprintf(out, "}\n");
    }
    fprintf(out, "bodies:\n");
    for (int i = 0; i < import->body_count && code == NC_OK; i++)
        code = write_body(import, &import->bodies[i], out, err);
    nc_import_write_joints(import, out);
    return code;
}

static nc_code write_scene_file(const nc_import *import, nc_error *err)
{
    nc_out_file file;
    const nc_code code = nc_out_open(&file, import->settings->output, err);
    return code == NC_OK ? nc_out_close(&file, write_scene(import, file.out, err), err) : code;
}

nc_code nc_import_write(nc_import *import, nc_error *err)
{
    int written = 0;
    nc_code code = nc_import_make_folder(import, err);
    for (; written < import->shape_count && code == NC_OK; written++)
        code = write_mesh(import, written, err);
    if (code == NC_OK)
        code = write_scene_file(import, err);
    for (int i = 0; i < written && code != NC_OK; i++) {
        char path[NC_IMPORT_PATH];
        mesh_path(import, i, path);
        unlink(path);
    }
    return code;
}
