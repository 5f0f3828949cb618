// A fixture of rigid-ipc (JSON) as a scene: how its keys are read is in docs/robots.md.
#include "import.h"
#include "out_file.h"

#include "math/math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define NOTES 64

typedef struct fixture_note {
    const char *key; // in the tree, or a sentence
    int line, column, count;
} fixture_note;

typedef struct fixture_mesh {
    char name[256]; // as the fixture names it
    char file[256]; // where it was found, seen from the fixture
    nc_mesh *mesh;
    int label; // row of shape_names
} fixture_mesh;

typedef struct fixture_body {
    int value;            // in the tree
    int mesh, label;      // rows
    const char *type;     // as the scene names it
    bool fixed[6];        // translations, rotations
    double scale[3];      // [1]
    double euler[3];      // [degree]
    nc_vec3 position;     // [m] of the mesh's origin
    double density;       //
    double vectors[4][3]; // linear_velocity [m/s], angular_velocity [rad/s], force [N], torque [N m]
    double group;
} fixture_body;

typedef struct fixture {
    nc_import *import;
    nc_json_tree json;
    NC_ARRAY(fixture_mesh) meshes;
    NC_ARRAY(fixture_body) bodies;
    fixture_note notes[NOTES];
    int note_count;
    int unnamed;   // notes beyond NOTES
    int made;      // mesh files that were written
    bool in_place; // the scene reads the meshes where the fixture has them
    double timestep, duration, friction;
    double gravity[3];
    nc_error *err;
} fixture;

static const char *const vector_keys[4] = {"linear_velocity", "angular_velocity", "force", "torque"};

// ---- places -------------------------------------------------------------------------------------------------

static nc_code wrong(const fixture *f, int value, const char *expects)
{
    const nc_json_value *v = &f->json.values.data[value];
    return nc_fail_at(f->err, NC_BAD_FILE, f->import->source, v->line, v->column, "\"%.64s\" expects %s",
                      nc_json_key(&f->json, value), expects);
}

// Once per text, with the first place and how often.
static void note(fixture *f, int value, const char *text)
{
    for (int i = 0; i < f->note_count; i++)
        if (strcmp(f->notes[i].key, text) == 0) {
            f->notes[i].count++;
            return;
        }
    if (f->note_count < NOTES)
        f->notes[f->note_count++] =
            (fixture_note){text, f->json.values.data[value].line, f->json.values.data[value].column, 1};
    else
        f->unnamed++;
}

static void print_notes(const fixture *f)
{
    for (int i = 0; i < f->note_count && !f->import->settings->quiet; i++) {
        const fixture_note *n = &f->notes[i];
        const bool sentence = strchr(n->key, ' ') != NULL;
        fprintf(stderr, "note: %s:%d:%d: %s%s%s%s", f->import->source, n->line, n->column, sentence ? "" : "\"", n->key,
                sentence ? "" : "\"", sentence ? "" : " is not supported and left out");
        if (n->count > 1)
            fprintf(stderr, "; %d times in all", n->count);
        fputc('\n', stderr);
    }
    if (f->unnamed > 0)
        nc_say(f->import->settings->quiet, "note: %s: %d more values are not supported and left out", f->import->source,
               f->unnamed);
}

// Keys of a map that nobody reads. Those that begin with '#' are comments.
static void note_others(fixture *f, int map, const char *const *known)
{
    for (int v = f->json.values.data[map].first; v >= 0; v = f->json.values.data[v].next) {
        const char *key = nc_json_key(&f->json, v);
        int k = 0;
        while (known[k] != NULL && strcmp(known[k], key) != 0)
            k++;
        if (known[k] == NULL && key[0] != '#')
            note(f, v, key);
    }
}

// ---- values -------------------------------------------------------------------------------------------------

static nc_code read_number(const fixture *f, int map, const char *key, double low, double *out)
{
    const int v = nc_json_member(&f->json, map, key);
    if (v < 0)
        return NC_OK;
    const double number = f->json.values.data[v].number;
    if (!nc_json_is(&f->json, v, NC_JSON_NUMBER) || !(number >= low) || !isfinite(number))
        return wrong(f, v, low >= 0 ? "a number that is not negative" : "a number");
    *out = number;
    return NC_OK;
}

// `count` numbers; what is not there keeps its value.
static nc_code read_list(const fixture *f, int v, int count, double *out)
{
    if (v < 0)
        return NC_OK;
    const bool list = nc_json_is(&f->json, v, NC_JSON_LIST) && f->json.values.data[v].count == count;
    int member = list ? f->json.values.data[v].first : -1;
    for (int i = 0; i < count; i++) {
        const bool flag = member >= 0 && count == 6 && nc_json_is(&f->json, member, NC_JSON_FLAG);
        if (member < 0 || (!flag && !nc_json_is(&f->json, member, NC_JSON_NUMBER)))
            return wrong(f, v,
                         count == 6 ? "true, false or a list of 6 of them"
                                    : "a list of 3 numbers (fixtures in 2D are not read)");
        out[i] = f->json.values.data[member].number;
        member = f->json.values.data[member].next;
    }
    return NC_OK;
}

static nc_code read_vector(const fixture *f, int map, const char *key, double *out)
{
    return read_list(f, nc_json_member(&f->json, map, key), 3, out);
}

// ---- meshes -------------------------------------------------------------------------------------------------

// Can a path of this length, which may have been cut, be read?
static bool is_there(const char *path, int length)
{
    return length < NC_IMPORT_PATH && access(path, R_OK) == 0;
}

// Beside the fixture, or in a folder `meshes` beside it or up to seven folders above.
static bool find_file(const fixture *f, const char *name, char *out)
{
    char up[32] = "";
    const char *source = f->import->source, *slash = strrchr(source, '/');
    const int folder = slash != NULL && name[0] != '/' ? (int)(slash - source) + 1 : 0;
    int length = snprintf(out, NC_IMPORT_PATH, "%.*s%s", folder, source, name);
    for (int k = 0; k < 8 && name[0] != '/' && !is_there(out, length); k++) {
        length = snprintf(out, NC_IMPORT_PATH, "%.*s%smeshes/%s", folder, source, up, name);
        memcpy(up + strlen(up), "../", 4);
    }
    return is_there(out, length);
}

static nc_code load_mesh(fixture *f, int value, int *out)
{
    char path[NC_IMPORT_PATH];
    fixture_mesh entry = {.mesh = NULL};
    const char *name = nc_json_string(&f->json, value), *slash = strrchr(name, '/');
    const char *source = f->import->source, *last = strrchr(source, '/');
    if (!nc_json_is(&f->json, value, NC_JSON_TEXT) || strlen(name) >= sizeof entry.name)
        return wrong(f, value, "the name of a file");
    for (*out = 0; *out < f->meshes.count; ++*out)
        if (strcmp(f->meshes.data[*out].name, name) == 0)
            return NC_OK;
    if (!find_file(f, name, path))
        return wrong(f, value,
                     "a file beside the fixture, or in a folder 'meshes' there or above: there is none of this name");
    const char *file = name[0] != '/' && last != NULL ? path + (last + 1 - source) : path;
    if (strlen(file) >= sizeof entry.file)
        return wrong(f, value, "a shorter path");
    memcpy(entry.name, name, strlen(name) + 1);
    memcpy(entry.file, file, strlen(file) + 1);
    nc_code code = nc_mesh_load(path, NULL, &entry.mesh, NULL, f->err);
    char stem[NC_IMPORT_NAME];
    snprintf(stem, sizeof stem, "%.*s", (int)strcspn(slash != NULL ? slash + 1 : name, "."),
             slash != NULL ? slash + 1 : name);
    if (code == NC_OK)
        code = nc_import_name(&f->import->shape_names, stem, "mesh", &entry.label, f->err);
    if (code == NC_OK && !nc_array_push(&f->json.allocator, &f->meshes, entry))
        code = nc_fail_memory(f->err, sizeof entry);
    if (code != NC_OK)
        nc_mesh_release(entry.mesh);
    return code;
}

// ---- bodies -------------------------------------------------------------------------------------------------

// `dimensions`, the size of the box of the vertices, goes before `scale`.
static nc_code read_scale(const fixture *f, fixture_body *b)
{
    const int scale = nc_json_member(&f->json, b->value, "scale");
    const int size = nc_json_member(&f->json, b->value, "dimensions");
    const nc_box box = nc_mesh_view(f->meshes.data[b->mesh].mesh).box;
    const double extent[3] = {box.hi.x - box.lo.x, box.hi.y - box.lo.y, box.hi.z - box.lo.z};
    nc_code code = NC_OK;
    if (scale >= 0 && nc_json_is(&f->json, scale, NC_JSON_NUMBER))
        b->scale[0] = b->scale[1] = b->scale[2] = f->json.values.data[scale].number;
    else
        code = read_list(f, scale, 3, b->scale);
    if (code == NC_OK && size >= 0) {
        code = read_list(f, size, 3, b->scale);
        for (int k = 0; k < 3; k++)
            b->scale[k] = extent[k] > 0 ? b->scale[k] / extent[k] : 1; // a flat mesh stays flat
    }
    for (int k = 0; k < 3 && code == NC_OK; k++)
        if (!(b->scale[k] > 0) || !isfinite(b->scale[k]))
            return wrong(f, size >= 0 ? size : scale, "positive numbers");
    return code;
}

static nc_code read_type(const fixture *f, fixture_body *b)
{
    static const char *const types[] = {"dynamic", "static", "kinematic"};
    double fixed[6] = {0};
    const int type = nc_json_member(&f->json, b->value, "type"),
              lock = nc_json_member(&f->json, b->value, "is_dof_fixed");
    b->type = types[0];
    if (type >= 0) {
        b->type = NULL;
        for (int k = 0; k < 3; k++)
            if (strcmp(nc_json_string(&f->json, type), types[k]) == 0)
                b->type = types[k];
        if (b->type == NULL)
            return wrong(f, type, "dynamic, static or kinematic");
    }
    const bool flag = lock >= 0 && nc_json_is(&f->json, lock, NC_JSON_FLAG);
    const nc_code code = flag ? NC_OK : read_list(f, lock, 6, fixed);
    bool all = true;
    for (int k = 0; k < 6; k++) {
        b->fixed[k] = flag ? f->json.values.data[lock].number != 0 : fixed[k] != 0;
        all = all && b->fixed[k];
    }
    if (all)
        b->type = types[1];
    return code;
}

static nc_code read_motion(const fixture *f, fixture_body *b)
{
    double position[3] = {0};
    nc_code code = read_vector(f, b->value, "position", position);
    b->position = nc_v3(position[0], position[1], position[2]);
    if (code == NC_OK)
        code = read_vector(f, b->value, "rotation", b->euler);
    for (int k = 0; k < 4 && code == NC_OK; k++) {
        code = read_vector(f, b->value, vector_keys[k], b->vectors[k]);
        for (int i = 0; i < 3; i++) {
            b->vectors[k][i] *= k % 2 == 1 ? NC_PI / 180 : 1;
            if (b->fixed[k % 2 == 1 ? 3 + i : i])
                b->vectors[k][i] = 0;
        }
    }
    return code;
}

static nc_code read_body(fixture *f, int value)
{
    static const char *const known[] = {
        "mesh",  "position", "rotation", "scale",        "dimensions", "linear_velocity", "angular_velocity",
        "force", "torque",   "density",  "is_dof_fixed", "type",       "group_id",        "enabled",
        NULL};
    fixture_body b = {.value = value, .scale = {1, 1, 1}, .density = 1000, .group = -1};
    const int mesh = nc_json_member(&f->json, value, "mesh"), enabled = nc_json_member(&f->json, value, "enabled");
    if (!nc_json_is(&f->json, value, NC_JSON_MAP))
        return wrong(f, value, "maps");
    if (enabled >= 0 && f->json.values.data[enabled].number == 0)
        return NC_OK;
    if (mesh < 0)
        return nc_fail_at(f->err, NC_BAD_FILE, f->import->source, f->json.values.data[value].line,
                          f->json.values.data[value].column,
                          "a body without \"mesh\": inline vertices are not supported");
    note_others(f, value, known);
    nc_code code = load_mesh(f, mesh, &b.mesh);
    if (code == NC_OK)
        code = nc_import_name(&f->import->body_names, f->import->shape_names.name[f->meshes.data[b.mesh].label], "body",
                              &b.label, f->err);
    if (code == NC_OK)
        code = read_scale(f, &b);
    if (code == NC_OK)
        code = read_type(f, &b);
    if (code == NC_OK)
        code = read_motion(f, &b);
    if (code == NC_OK)
        code = read_number(f, value, "density", 0, &b.density);
    if (code == NC_OK && !(b.density > 0) && strcmp(b.type, "dynamic") == 0)
        code = wrong(f, nc_json_member(&f->json, value, "density"), "a positive number");
    if (code == NC_OK)
        code = read_number(f, value, "group_id", -1e300, &b.group);
    if (code == NC_OK && !nc_array_push(&f->json.allocator, &f->bodies, b))
        code = nc_fail_memory(f->err, sizeof b);
    return code;
}

static nc_code read_fixture(fixture *f)
{
    static const char *const top[] = {"timestep", "max_time", "max_iterations", "rigid_body_problem", NULL};
    static const char *const inner[] = {"rigid_bodies", "gravity", "coefficient_friction", NULL};
    const int problem = nc_json_member(&f->json, 0, "rigid_body_problem");
    const int list = nc_json_member(&f->json, problem, "rigid_bodies");
    double time = -1, steps = -1;
    if (!nc_json_is(&f->json, list, NC_JSON_LIST)) {
        const nc_json_value *at = &f->json.values.data[list >= 0 ? list : problem >= 0 ? problem : 0];
        return nc_fail_at(f->err, NC_BAD_FILE, f->import->source, at->line, at->column,
                          "this is no fixture of rigid-ipc: rigid_body_problem.rigid_bodies is %s",
                          list >= 0 ? "no list" : "not there");
    }
    note_others(f, 0, top);
    note_others(f, problem, inner);
    nc_code code = read_number(f, 0, "timestep", 0, &f->timestep);
    if (code == NC_OK)
        code = read_number(f, 0, "max_time", -1e300, &time);
    if (code == NC_OK)
        code = read_number(f, 0, "max_iterations", -1e300, &steps);
    if (code == NC_OK)
        code = read_number(f, problem, "coefficient_friction", 0, &f->friction);
    if (code == NC_OK)
        code = read_vector(f, problem, "gravity", f->gravity);
    if (code == NC_OK && !(f->timestep > 0))
        return wrong(f, nc_json_member(&f->json, 0, "timestep"), "a positive number");
    steps = time >= 0 ? ceil(time / f->timestep - 1e-9) : steps >= 0 ? steps : 1000;
    f->duration = steps * f->timestep;
    for (int v = f->json.values.data[list].first; v >= 0 && code == NC_OK; v = f->json.values.data[v].next)
        code = read_body(f, v);
    return code;
}

// ---- writing ------------------------------------------------------------------------------------------------

static const char *name_of(const fixture *f, const fixture_body *b)
{
    return f->import->body_names.name[b->label];
}

static void mesh_path(const fixture *f, int mesh, char *out)
{
    snprintf(out, NC_IMPORT_PATH, "%s%s/%s.obj", f->import->meshes[0] == '/' ? "" : f->import->folder,
             f->import->meshes, f->import->shape_names.name[f->meshes.data[mesh].label]);
}

static nc_code write_meshes(fixture *f)
{
    nc_code code = f->meshes.count > 0 ? nc_import_make_folder(f->import, f->err) : NC_OK;
    for (int i = 0; i < f->meshes.count && code == NC_OK; i++) {
        char path[NC_IMPORT_PATH];
        mesh_path(f, i, path);
        if (!f->import->settings->force && access(path, F_OK) == 0)
            return nc_fail(f->err, NC_BAD_ARGUMENT,
                           "'%.400s' exists. Give another --meshes, or --force to overwrite it", path);
        code = nc_mesh_save(f->meshes.data[i].mesh, path, f->err);
        f->made = i + 1;
    }
    return code;
}

static void write_list(FILE *out, const char *key, const double *x)
{
    char text[NC_IMPORT_LIST];
    fprintf(out, ", %s: %s", key, nc_import_list(x, 3, text));
}

// As rigid-ipc weighs it: density times volume; area, length or 1 for what has no volume.
static void write_mass(fixture *f, const fixture_body *b, FILE *out)
{
    char number[NC_IMPORT_NUMBER];
    const nc_mesh_data data = nc_mesh_view(f->meshes.data[b->mesh].mesh);
    double length = 0;
    for (int i = 0; i < data.edge_count; i++) {
        const nc_vec3 d = nc_sub(data.vertices[data.edges[i][1]], data.vertices[data.edges[i][0]]);
        length += nc_norm(nc_v3(b->scale[0] * d.x, b->scale[1] * d.y, b->scale[2] * d.z));
    }
    if (data.closed && data.triangle_count > 0) {
        fprintf(out, ", density: %s, matter: solid", nc_import_number(b->density, number));
    } else if (data.triangle_count > 0) {
        fprintf(out, ", area_density: %s, matter: shell", nc_import_number(b->density, number));
        note(f, nc_json_member(&f->json, b->value, "mesh"),
             "the mesh is not closed: it weighs its density [kg/m^2] times its area");
    } else {
        const double mass = data.edge_count > 0 ? b->density * length : b->density * data.point_count;
        fprintf(out, ", mass: %s, matter: %s", nc_import_number(mass, number), data.edge_count > 0 ? "wire" : "dust");
    }
}

static void write_body(fixture *f, const fixture_body *b, FILE *out)
{
    static const char *const keys[4] = {"velocity", "spin", "force", "torque"};
    const double position[3] = {b->position.x, b->position.y, b->position.z};
    fprintf(out, "  - {name: \"%s\", shape: \"%s\", type: %s", name_of(f, b), name_of(f, b), b->type);
    write_list(out, "position", position);
    if (b->euler[0] != 0 || b->euler[1] != 0 || b->euler[2] != 0) {
        char text[NC_IMPORT_LIST];
        fprintf(out, ", rotation: {euler: %s}", nc_import_list(b->euler, 3, text));
    }
    if (strcmp(b->type, "dynamic") == 0)
        write_mass(f, b, out);
    for (int k = 0; k < (strcmp(b->type, "dynamic") == 0 ? 4 : strcmp(b->type, "kinematic") == 0 ? 2 : 0); k++)
        if (b->vectors[k][0] != 0 || b->vectors[k][1] != 0 || b->vectors[k][2] != 0)
            write_list(out, keys[k], b->vectors[k]);
    fprintf(out, "}\n");
}

static nc_vec3 center_of(const fixture *f, const fixture_body *b)
{
    nc_mass mass;
    const double degree = NC_PI / 180;
    if (nc_mesh_mass(f->meshes.data[b->mesh].mesh, &(nc_mass_def){.mass = 1}, &mass, NULL) != NC_OK)
        mass.center = nc_v3(0, 0, 0);
    nc_vec3 v = nc_v3(b->scale[0] * mass.center.x, b->scale[1] * mass.center.y, b->scale[2] * mass.center.z);
    v = nc_mat3_mul(nc_quat_matrix(nc_quat_from_rotation_vector(nc_v3(degree * b->euler[0], 0, 0))), v);
    v = nc_mat3_mul(nc_quat_matrix(nc_quat_from_rotation_vector(nc_v3(0, degree * b->euler[1], 0))), v);
    v = nc_mat3_mul(nc_quat_matrix(nc_quat_from_rotation_vector(nc_v3(0, 0, degree * b->euler[2]))), v);
    return nc_add(b->position, v);
}

static bool is_locked(const fixture_body *b)
{
    bool any = false;
    for (int k = 0; k < 6; k++)
        any = any || b->fixed[k];
    return any && strcmp(b->type, "dynamic") == 0;
}

// Locked axes of the world: a generic joint at the centre of mass, whose x axis is the rotation that is free.
static void write_lock(fixture *f, const fixture_body *b, FILE *out)
{
    static const char *const slides[3] = {"x", "y", "z"}, *const turns[3] = {"turn_x", "turn_y", "turn_z"};
    const nc_vec3 center = center_of(f, b);
    const double anchor[3] = {center.x, center.y, center.z};
    const int locked = b->fixed[3] + b->fixed[4] + b->fixed[5];
    int first = 0;
    for (int k = 0; k < 3 && locked == 2; k++)
        first = !b->fixed[3 + k] ? k : first;
    double axis[3] = {0}, axis_y[3] = {0};
    axis[first] = axis_y[(first + 1) % 3] = 1;
    fprintf(out, "  - {kind: generic, body: \"%s\"", name_of(f, b));
    write_list(out, "anchor", anchor);
    write_list(out, "axis", axis);
    write_list(out, "axis_y", axis_y);
    fprintf(out, ", axes: {");
    const char *comma = "";
    for (int k = 0; k < 6; k++) {
        const int world = (first + k % 3) % 3;
        if (!b->fixed[k < 3 ? world : 3 + world] || (k >= 3 && locked == 1))
            continue;
        fprintf(out, "%s%s: {locked: true}", comma, k < 3 ? slides[k] : turns[k - 3]);
        comma = ", ";
    }
    fprintf(out, "}}\n");
    if (locked == 1)
        note(f, nc_json_member(&f->json, b->value, "is_dof_fixed"),
             "a lock of one rotation beside two free ones is left out");
}

static bool only_one_turn(const fixture_body *b)
{
    return !b->fixed[0] && !b->fixed[1] && !b->fixed[2] && b->fixed[3] + b->fixed[4] + b->fixed[5] == 1;
}

// Bodies of one group do not collide, nor do kinematic ones with what is not dynamic.
static bool is_filtered(const fixture_body *a, const fixture_body *b)
{
    const bool a_moves = strcmp(a->type, "dynamic") == 0, b_moves = strcmp(b->type, "dynamic") == 0;
    const bool scripted = strcmp(a->type, "kinematic") == 0 || strcmp(b->type, "kinematic") == 0;
    return (a_moves || b_moves) ? a->group >= 0 && a->group == b->group : scripted;
}

static void write_shapes(const fixture *f, FILE *out)
{
    fprintf(out, "shapes:\n");
    for (int i = 0; i < f->bodies.count; i++) {
        char file[NC_IMPORT_PATH];
        const fixture_body *body = &f->bodies.data[i];
        const fixture_mesh *mesh = &f->meshes.data[body->mesh];
        if (f->in_place)
            snprintf(file, sizeof file, "%s", mesh->file);
        else
            snprintf(file, sizeof file, "%s/%s.obj", f->import->meshes, f->import->shape_names.name[mesh->label]);
        fprintf(out, "  \"%s\": {file: ", name_of(f, body));
        nc_import_write_text(out, file);
        write_list(out, "scale", body->scale);
        fprintf(out, "}\n");
    }
}

static void write_locks(fixture *f, FILE *out)
{
    int written = 0;
    for (int i = 0; i < f->bodies.count; i++) {
        const fixture_body *body = &f->bodies.data[i];
        if (is_locked(body) && only_one_turn(body))
            note(f, nc_json_member(&f->json, body->value, "is_dof_fixed"),
                 "a lock of one rotation beside two free ones is left out");
        else if (is_locked(body)) {
            fprintf(out, "%s", written++ == 0 ? "joints:\n" : "");
            write_lock(f, body, out);
        }
    }
}

static void write_filters(const fixture *f, FILE *out)
{
    int written = 0;
    for (int i = 0; i < f->bodies.count; i++)
        for (int k = 0; k < i; k++)
            if (is_filtered(&f->bodies.data[i], &f->bodies.data[k]))
                fprintf(out, "%s  - [\"%s\", \"%s\"]\n", written++ == 0 ? "filters:\n" : "",
                        name_of(f, &f->bodies.data[k]), name_of(f, &f->bodies.data[i]));
}

static void write_scene(fixture *f, FILE *out)
{
    char a[NC_IMPORT_NUMBER], b[NC_IMPORT_NUMBER], c[NC_IMPORT_NUMBER];
    fprintf(out,
            "# Made by `nacre import` of a fixture of rigid-ipc. What the keys mean: docs/scene-format.md\nnacre: 1\n");
    fprintf(out, "world: {timestep: %s, duration: %s, friction: %s, restitution: 0", nc_import_number(f->timestep, a),
            nc_import_number(f->duration, b), nc_import_number(f->friction, c));
    write_list(out, "gravity", f->gravity);
    fprintf(out, "}\n");
    write_shapes(f, out);
    fprintf(out, "bodies:\n");
    for (int i = 0; i < f->bodies.count; i++)
        write_body(f, &f->bodies.data[i], out);
    write_locks(f, out);
    write_filters(f, out);
}

static nc_code write_files(fixture *f)
{
    nc_out_file file;
    nc_code code = write_meshes(f);
    if (code == NC_OK)
        code = nc_out_open(&file, f->import->settings->output, f->err);
    if (code == NC_OK) {
        write_scene(f, file.out);
        code = nc_out_close(&file, NC_OK, f->err);
    }
    for (int i = 0; i < f->made && code != NC_OK; i++) {
        char path[NC_IMPORT_PATH];
        mesh_path(f, i, path);
        unlink(path);
    }
    return code;
}

static void forget(fixture *f)
{
    for (int i = 0; i < f->meshes.count; i++)
        nc_mesh_release(f->meshes.data[i].mesh);
    nc_array_free(&f->json.allocator, &f->meshes);
    nc_array_free(&f->json.allocator, &f->bodies);
    nc_names_free(&f->import->shape_names);
    nc_names_free(&f->import->body_names);
    nc_json_free(&f->json);
}

nc_code nc_import_fixture(nc_import *import, nc_error *err)
{
    fixture f = {.import = import, .timestep = 0.01, .err = err};
    const nc_allocator allocator = nc_allocator_or_default(NULL);
    nc_code code = nc_json_load(import->source, &allocator, &f.json, err);
    if (code == NC_OK)
        code = read_fixture(&f);
    if (code == NC_OK)
        code = write_files(&f);
    if (code == NC_OK) {
        print_notes(&f);
        nc_say(import->settings->quiet, "Wrote %s: %d bodies of %d meshes in %s%s", import->settings->output,
               f.bodies.count, f.meshes.count, import->meshes[0] == '/' ? "" : import->folder, import->meshes);
    }
    forget(&f);
    return code;
}

// ---- without files ------------------------------------------------------------------------------------------

static nc_code write_memory(fixture *f, char **out)
{
    size_t size = 0;
    FILE *file = open_memstream(out, &size);
    if (file == NULL)
        return nc_fail_memory(f->err, sizeof *f);
    write_scene(f, file);
    const bool failed = ferror(file) != 0;
    if (fclose(file) == 0 && !failed)
        return NC_OK;
    free(*out);
    *out = NULL;
    return nc_fail_memory(f->err, size);
}

static bool is_json(const char *path)
{
    const size_t length = strlen(path);
    return length > 5 && strcasecmp(path + length - 5, ".json") == 0;
}

nc_code nc_fixture_text(const char *path, bool quiet, char **out, nc_error *err)
{
    const nc_import_settings settings = {.quiet = quiet};
    nc_import import = {.settings = &settings, .source = path};
    fixture f = {.import = &import, .timestep = 0.01, .in_place = true, .err = err};
    const nc_allocator allocator = nc_allocator_or_default(NULL);
    nc_error not_json;
    *out = NULL;
    if (!is_json(path))
        return NC_OK;
    // What is no JSON, or no fixture, is for the scene reader, which says what is wrong.
    nc_code code = nc_json_load(path, &allocator, &f.json, &not_json);
    const bool is_fixture = code == NC_OK && nc_json_member(&f.json, 0, "rigid_body_problem") >= 0;
    code = is_fixture ? read_fixture(&f) : NC_OK;
    if (code == NC_OK && is_fixture)
        code = write_memory(&f, out);
    if (code == NC_OK && is_fixture)
        print_notes(&f);
    forget(&f);
    return code;
}
