// Custom properties of nodes as keys of a scene file's bodies.
#include "import.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *const nc_import_keys[NC_IMPORT_KEY_COUNT] = {"type",      "mass",   "density",  "area_density",
                                                         "thickness", "matter", "friction", "restitution",
                                                         "velocity",  "spin",   "force",    "torque"};

typedef enum value_kind { A_NUMBER, A_VECTOR, A_CHOICE } value_kind;

// What each may be: the ranges of docs/scene-format.md. The scene reader has the last word.
static const struct {
    value_kind kind;
    double low, high;
    bool above_low; // the low end itself is not allowed
    const char *allowed;
} rules[NC_IMPORT_KEY_COUNT] = {
    [NC_IMPORT_TYPE] = {A_CHOICE, 0, 0, false, "static, kinematic, dynamic"},
    [NC_IMPORT_MASS] = {A_NUMBER, 0, 1e15, true, "a number above 0, at most 1e15 [kg]"},
    [NC_IMPORT_DENSITY] = {A_NUMBER, 0, 1e12, true, "a number above 0, at most 1e12 [kg/m^3]"},
    [NC_IMPORT_AREA_DENSITY] = {A_NUMBER, 0, 1e12, true, "a number above 0, at most 1e12 [kg/m^2]"},
    [NC_IMPORT_THICKNESS] = {A_NUMBER, 0, 1e9, true, "a number above 0, at most 1e9 [m]"},
    [NC_IMPORT_MATTER] = {A_CHOICE, 0, 0, false, "auto, solid, shell, wire, dust"},
    [NC_IMPORT_FRICTION] = {A_NUMBER, 0, 100, false, "a number from 0 to 100"},
    [NC_IMPORT_RESTITUTION] = {A_NUMBER, 0, 1, false, "a number from 0 to 1"},
    [NC_IMPORT_VELOCITY] = {A_VECTOR, -1e9, 1e9, false, "a list of 3 numbers [m/s]"},
    [NC_IMPORT_SPIN] = {A_VECTOR, -1e9, 1e9, false, "a list of 3 numbers [rad/s]"},
    [NC_IMPORT_FORCE] = {A_VECTOR, -1e15, 1e15, false, "a list of 3 numbers [N]"},
    [NC_IMPORT_TORQUE] = {A_VECTOR, -1e15, 1e15, false, "a list of 3 numbers [N m]"},
};

typedef struct property_reader {
    const char *path, *node;
    bool z_up;
    nc_import_properties *out;
} property_reader;

// ---- numbers ------------------------------------------------------------------------------------------------

const char *nc_import_number(double x, char *out)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(out, NC_IMPORT_NUMBER, "%.*g", digits, x + 0.0); // -0 is 0
        if (strtod(out, NULL) == x)
            break;
    }
    return out;
}

const char *nc_import_list(const double *x, int count, char *out)
{
    char number[NC_IMPORT_NUMBER];
    int used = snprintf(out, NC_IMPORT_LIST, "[");
    for (int i = 0; i < count; i++)
        used += snprintf(out + used, NC_IMPORT_LIST - (size_t)used, "%s%s", i > 0 ? ", " : "",
                         nc_import_number(x[i], number));
    snprintf(out + used, NC_IMPORT_LIST - (size_t)used, "]");
    return out;
}

// ---- complaining --------------------------------------------------------------------------------------------

static const char *value_text(const nc_extra *extra, char *out, size_t size)
{
    switch (extra->kind) {
    case NC_EXTRA_NUMBER:
        snprintf(out, size, "%.6g", extra->numbers[0]);
        break;
    case NC_EXTRA_FLAG:
        snprintf(out, size, "%s", extra->numbers[0] != 0 ? "true" : "false");
        break;
    case NC_EXTRA_TEXT:
        snprintf(out, size, "\"%.60s\"", extra->text);
        break;
    case NC_EXTRA_LIST:
        snprintf(out, size, "a list of %d number%s", extra->count, extra->count == 1 ? "" : "s");
        break;
    case NC_EXTRA_OTHER:
        snprintf(out, size, "something else");
        break;
    }
    return out;
}

nc_code nc_import_refuse(const char *path, const char *node, const nc_extra *extra, const char *allowed, nc_error *err)
{
    char found[96];
    return nc_fail_at(err, NC_BAD_FILE, path, 0, 0, "node \"%.64s\": the custom property \"%.64s\" is %s; allowed: %s",
                      node, extra->key, value_text(extra, found, sizeof found), allowed);
}

// ---- reading ------------------------------------------------------------------------------------------------

static bool in_range(nc_import_key key, double x)
{
    return (rules[key].above_low ? x > rules[key].low : x >= rules[key].low) && x <= rules[key].high;
}

// The word of `allowed` (words with ", " between them) that the text is, whatever its case; copies it to `out`.
static bool find_choice(const char *allowed, const char *text, char *out, size_t size)
{
    const size_t length = strlen(text);
    while (*allowed != '\0') {
        const size_t word = strcspn(allowed, ",");
        if (word == length && strncasecmp(allowed, text, length) == 0) {
            snprintf(out, size, "%.*s", (int)word, allowed);
            return true;
        }
        allowed += word;
        allowed += strspn(allowed, ", ");
    }
    return false;
}

static bool read_vector(const property_reader *reader, const nc_extra *extra, nc_import_key key, char *out, size_t size)
{
    if (extra->kind != NC_EXTRA_LIST || extra->count != 3)
        return false;
    const double *v = extra->numbers;
    for (int k = 0; k < 3; k++)
        if (!in_range(key, v[k]))
            return false;
    // z up to y up: a turn by -90 degrees about x, as glTF exporters do it with positions (0 - y has no -0 for y = 0)
    const double turned[3] = {v[0], reader->z_up ? v[2] : v[1], reader->z_up ? 0 - v[1] : v[2]};
    char text[NC_IMPORT_LIST];
    snprintf(out, size, "%s", nc_import_list(turned, 3, text));
    return true;
}

static bool read_value(const property_reader *reader, const nc_extra *extra, nc_import_key key, char *out, size_t size)
{
    char number[NC_IMPORT_NUMBER];
    switch (rules[key].kind) {
    case A_NUMBER:
        if (extra->kind != NC_EXTRA_NUMBER || !in_range(key, extra->numbers[0]))
            return false;
        nc_import_number(extra->numbers[0], number);
        snprintf(out, size, "%s", number);
        return true;
    case A_VECTOR:
        return read_vector(reader, extra, key, out, size);
    case A_CHOICE:
        return extra->kind == NC_EXTRA_TEXT && find_choice(rules[key].allowed, extra->text, out, size);
    }
    return false;
}

static nc_code see_property(const nc_extra *extra, bool of_mesh, void *ctx, nc_error *err)
{
    const property_reader *reader = ctx;
    nc_import_properties *out = reader->out;
    for (int key = 0; key < NC_IMPORT_KEY_COUNT; key++) {
        if (strcmp(extra->key, nc_import_keys[key]) != 0)
            continue;
        if (of_mesh && out->value[key][0] != '\0')
            return NC_OK; // the node's own goes first
        if (!read_value(reader, extra, (nc_import_key)key, out->value[key], sizeof out->value[key]))
            return nc_import_refuse(reader->path, reader->node, extra, rules[key].allowed, err);
        return NC_OK;
    }
    const int nearest = nc_nearest_name(extra->key, nc_import_keys, NC_IMPORT_KEY_COUNT);
    if (nearest >= 0 && out->doubtful[0] == '\0') {
        snprintf(out->doubtful, sizeof out->doubtful, "%s", extra->key);
        out->meant = (nc_import_key)nearest;
    }
    return NC_OK;
}

nc_code nc_import_read_properties(const nc_gltf *gltf, int node, const char *path, bool z_up, nc_import_properties *out,
                                  nc_error *err)
{
    property_reader reader = {path, nc_gltf_node_view(gltf, node).name, z_up, out};
    memset(out, 0, sizeof *out);
    return nc_gltf_extras(gltf, node, see_property, &reader, err);
}
