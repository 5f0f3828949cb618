// Rigid-body constraints of Blender, read from the custom properties that scripts/blender_export.py gives their nodes.
#include "import.h"

#include <string.h>

#define SUBSTEP      (1.0 / 240) // [s] of Blender's default scene: 24 frames per second, 10 steps per frame
#define SUBSTEPS     10
#define SUBSTEPS_MAX 100000

const char *const nc_import_constraint_names[NC_CONSTRAINT_KINDS] = {"FIXED",  "POINT",   "HINGE",          "SLIDER",
                                                                     "PISTON", "GENERIC", "GENERIC_SPRING", "MOTOR"};

typedef struct constraint_reader {
    const char *path, *node;
    nc_import_constraint *out;
    bool found;
} constraint_reader;

static const char *const axis_names[6] = {"lin_x", "lin_y", "lin_z", "ang_x", "ang_y", "ang_z"};

// ---- values -------------------------------------------------------------------------------------------------

// Blender writes true as 1.
static bool read_flag(const nc_extra *extra, bool *out)
{
    if (extra->kind != NC_EXTRA_NUMBER && extra->kind != NC_EXTRA_FLAG)
        return false;
    *out = extra->numbers[0] != 0;
    return true;
}

// A number from `low` to 1e15.
static bool read_number(const nc_extra *extra, double low, double *out)
{
    if (extra->kind != NC_EXTRA_NUMBER || !(extra->numbers[0] >= low && extra->numbers[0] <= 1e15))
        return false;
    *out = extra->numbers[0];
    return true;
}

// Two numbers; each is at most 1e15 by amount, and the ones from `first` on are not below 0.
static bool read_two(const nc_extra *extra, int first, double *a, double *b)
{
    const double *x = extra->numbers;
    if (extra->kind != NC_EXTRA_LIST || extra->count != 2)
        return false;
    for (int k = 0; k < 2; k++)
        if (!(fabs(x[k]) <= 1e15) || (k >= first && x[k] < 0))
            return false;
    *a = x[0];
    *b = x[1];
    return true;
}

static bool read_name(const nc_extra *extra, char *out, size_t size)
{
    if (extra->kind != NC_EXTRA_TEXT || strlen(extra->text) >= size)
        return false;
    snprintf(out, size, "%s", extra->text);
    return true;
}

static bool read_kind(const nc_extra *extra, nc_import_constraint_kind *out)
{
    for (int kind = 0; extra->kind == NC_EXTRA_TEXT && kind < NC_CONSTRAINT_KINDS; kind++)
        if (strcmp(extra->text, nc_import_constraint_names[kind]) == 0) {
            *out = (nc_import_constraint_kind)kind;
            return true;
        }
    return false;
}

// ---- properties ---------------------------------------------------------------------------------------------

// The axis that the rest of a key names after a beginning, -1: it has another one.
static int axis_after(const char *key, const char *begin)
{
    const size_t length = strlen(begin);
    for (int k = 0; strncmp(key, begin, length) == 0 && k < 6; k++)
        if (strcmp(key + length, axis_names[k]) == 0)
            return k;
    return -1;
}

// What is allowed, where the property is wrong; NULL where it is right, or none of a constraint's axes.
static const char *see_axis(const char *key, const nc_extra *extra, nc_import_constraint *out)
{
    const int limit = axis_after(key, "limit_"), spring = axis_after(key, "spring_");
    if (limit >= 0) {
        nc_import_constraint_axis *axis = &out->axes[limit];
        axis->limited = read_two(extra, 2, &axis->lower, &axis->upper);
        return axis->limited ? NULL : "a list of 2 numbers, the lower and the upper limit";
    }
    if (spring >= 0) {
        nc_import_constraint_axis *axis = &out->axes[spring];
        axis->sprung = read_two(extra, 0, &axis->stiffness, &axis->damping);
        return axis->sprung ? NULL : "a list of 2 numbers from 0 on, stiffness and damping";
    }
    for (int k = 0; k < 2; k++)
        if (strcmp(key, k == 0 ? "motor_lin" : "motor_ang") == 0) {
            out->driven[k] = read_two(extra, 1, &out->speed[k], &out->force[k]);
            return out->driven[k] ? NULL
                                  : "a list of 2 numbers, a velocity and the largest force, which is not below 0";
        }
    return NULL;
}

static const char *see_step(const char *key, const nc_extra *extra, nc_import_constraint *out)
{
    double whole = 0;
    if (strcmp(key, "breaking_threshold") == 0) {
        out->breaks = read_number(extra, 0, &out->threshold);
        return out->breaks ? NULL : "a number from 0 on [N s]";
    }
    if (strcmp(key, "substep") == 0)
        return read_number(extra, 1e-9, &out->substep) ? NULL : "a number above 0 [s]";
    if (strcmp(key, "substeps") != 0)
        return NULL;
    if (!read_number(extra, 1, &whole) || whole != floor(whole) || whole > SUBSTEPS_MAX)
        return "a whole number from 1 to 100000";
    out->substeps = (int)whole;
    return NULL;
}

static const char *see_common(const char *key, const nc_extra *extra, nc_import_constraint *out)
{
    char type[16];
    for (int k = 0; k < 2; k++)
        if (strcmp(key, k == 0 ? "object1" : "object2") == 0)
            return read_name(extra, out->objects[k], sizeof out->objects[k]) ? NULL : "the name of an object";
    if (strcmp(key, "enabled") == 0)
        return read_flag(extra, &out->enabled) ? NULL : "true, false, 1, 0";
    if (strcmp(key, "disable_collisions") == 0)
        return read_flag(extra, &out->passes) ? NULL : "true, false, 1, 0";
    if (strcmp(key, "spring_type") == 0) {
        const bool good = read_name(extra, type, sizeof type);
        out->old_spring = good && strcmp(type, "SPRING1") == 0;
        return good && (out->old_spring || strcmp(type, "SPRING2") == 0) ? NULL : "SPRING1, SPRING2";
    }
    const char *allowed = see_axis(key, extra, out);
    return allowed != NULL ? allowed : see_step(key, extra, out);
}

static nc_code see_property(const nc_extra *extra, bool of_mesh, void *ctx, nc_error *err)
{
    static const char begin[] = "constraint_";
    constraint_reader *reader = ctx;
    const char *allowed = NULL;
    if (of_mesh)
        return NC_OK;
    if (strcmp(extra->key, "constraint") == 0) {
        reader->found = true;
        if (!read_kind(extra, &reader->out->kind))
            allowed = "FIXED, POINT, HINGE, SLIDER, PISTON, GENERIC, GENERIC_SPRING, MOTOR";
    } else if (strncmp(extra->key, begin, sizeof begin - 1) == 0) {
        allowed = see_common(extra->key + sizeof begin - 1, extra, reader->out);
    }
    return allowed == NULL ? NC_OK : nc_import_refuse(reader->path, reader->node, extra, allowed, err);
}

nc_code nc_import_read_constraint(const nc_gltf *gltf, int node, const char *path, nc_import_constraint *out,
                                  bool *out_found, nc_error *err)
{
    constraint_reader reader = {.path = path, .node = nc_gltf_node_view(gltf, node).name, .out = out};
    *out = (nc_import_constraint){.node = node, .enabled = true, .substep = SUBSTEP, .substeps = SUBSTEPS};
    const nc_code code = nc_gltf_extras(gltf, node, see_property, &reader, err);
    *out_found = reader.found;
    return code;
}
