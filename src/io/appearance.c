// Looks from and for files of others: the nearest material, OBJ's .mtl, names.
#include "io/appearance.h"

#include "io/file.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

// ---- surfaces -----------------------------------------------------------------------------------------------

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_letter(char c)
{
    return lower(c) >= 'a' && lower(c) <= 'z';
}

// A row whose name the text begins with, as a word.
static nc_material find_by_name(const char *text)
{
    for (int i = 1; i < NC_MATERIAL_COUNT; i++) {
        const char *name = nc_material_view(i)->name;
        size_t k = 0;
        while (name[k] != '\0' && lower(text[k]) == name[k])
            k++;
        if (name[k] == '\0' && !is_letter(text[k]))
            return (nc_material)i;
    }
    return NC_MATERIAL_NONE;
}

nc_appearance nc_surface_appearance(const nc_surface *surface)
{
    nc_appearance out = {.has_color = surface->has_color};
    for (int i = 0; i < 3 && surface->has_color; i++)
        out.color[i] = nc_color_byte(surface->light[i]);
    nc_material material = find_by_name(surface->name);
    if (material == NC_MATERIAL_NONE && surface->clear > 0.5)
        material = NC_MATERIAL_GLASS;
    if (material == NC_MATERIAL_NONE && surface->metallic > 0.5)
        material = NC_MATERIAL_METAL;
    out.material = (uint8_t)material;
    return out;
}

bool nc_appearance_light(const nc_appearance *appearance, double out[3])
{
    uint8_t rgb[3];
    if (!nc_appearance_color(appearance, rgb))
        return false;
    for (int i = 0; i < 3; i++)
        out[i] = nc_color_light(rgb[i] / 255.0);
    return true;
}

bool nc_appearance_is_none(const nc_appearance *appearance)
{
    return !appearance->has_color && appearance->material == NC_MATERIAL_NONE;
}

bool nc_appearance_same(const nc_appearance *a, const nc_appearance *b)
{
    return a->has_color == b->has_color && a->material == b->material &&
           (!a->has_color || memcmp(a->color, b->color, sizeof a->color) == 0);
}

const char *nc_appearance_name(const nc_appearance *appearance, char *out, size_t out_size)
{
    uint8_t rgb[3];
    char color[8] = "";
    const char *name = nc_material_view(appearance->material)->name;
    if (nc_appearance_color(appearance, rgb))
        nc_color_print(rgb, color);
    snprintf(out, out_size, "%s%s%s", name, name[0] != '\0' && color[0] != '\0' ? " " : "", color);
    return out;
}

// ---- OBJ ----------------------------------------------------------------------------------------------------

// A part of a text, without blanks at its ends.
typedef struct words {
    const char *text;
    size_t length;
} words;

static size_t line_length(const char *at)
{
    size_t n = 0;
    while (at[n] != '\0' && at[n] != '\n')
        n++;
    return n;
}

static const char *skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t')
        at++;
    return at;
}

// The rest of a line that begins with `key` and a blank; false when it does not.
static bool begins(const char *line, const char *key, words *out)
{
    const size_t n = strlen(key);
    line = skip_blanks(line);
    if (strncmp(line, key, n) != 0 || (line[n] != ' ' && line[n] != '\t'))
        return false;
    line = skip_blanks(line + n);
    size_t length = line_length(line);
    while (length > 0 && strchr(" \t\r", line[length - 1]) != NULL)
        length--;
    *out = (words){line, length};
    return true;
}

static bool same_words(words a, words b)
{
    return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

static int corner_count(words face)
{
    int count = 0;
    for (size_t i = 0; i < face.length; i++)
        count += strchr(" \t", face.text[i]) == NULL && (i == 0 || strchr(" \t", face.text[i - 1]) != NULL);
    return count;
}

typedef struct usage {
    words name;
    int triangles;
} usage;
typedef NC_ARRAY(usage) usages;

// How many triangles each material of the text has. False when out of memory.
static bool count_usages(const char *text, const nc_allocator *allocator, usages *out)
{
    int row = -1;
    words rest;
    for (const char *line = text; *line != '\0'; line += line_length(line), line += *line == '\n') {
        if (begins(line, "usemtl", &rest)) {
            for (row = 0; row < out->count && !same_words(out->data[row].name, rest);)
                row++;
            const usage fresh = {rest, 0};
            if (row == out->count && !nc_array_push(allocator, out, fresh))
                return false;
        } else if (row >= 0 && begins(line, "f", &rest)) {
            out->data[row].triangles += corner_count(rest) - 2;
        }
    }
    return true;
}

static double scan_or(const char *text, double fallback)
{
    double value;
    return nc_number_scan(text, &value) != NULL ? value : fallback;
}

// The material `name` of a .mtl text; false when it has none of that name. Kd is taken for linear, as Blender writes
// it.
static bool read_mtl(const char *text, words name, nc_appearance *out)
{
    char own[64];
    words rest;
    bool here = false, found = false;
    snprintf(own, sizeof own, "%.*s", (int)(name.length < 63 ? name.length : 63), name.text);
    nc_surface surface = {.name = own};
    for (const char *line = text; *line != '\0'; line += line_length(line), line += *line == '\n') {
        if (begins(line, "newmtl", &rest)) {
            here = same_words(rest, name);
            found = found || here;
        } else if (here && begins(line, "Kd", &rest)) {
            const char *at = rest.text;
            surface.has_color = true;
            for (int i = 0; i < 3 && surface.has_color; i++) {
                at = nc_number_scan(skip_blanks(at), &surface.light[i]);
                surface.has_color = at != NULL;
            }
        } else if (here && begins(line, "d", &rest)) {
            surface.clear = 1 - scan_or(rest.text, 1);
        } else if (here && begins(line, "Tr", &rest)) {
            surface.clear = scan_or(rest.text, 0);
        } else if (here && begins(line, "Pm", &rest)) {
            surface.metallic = scan_or(rest.text, 0);
        }
    }
    if (found)
        *out = nc_surface_appearance(&surface);
    return found;
}

// Looks for the material in one library, named as in the text.
static nc_code try_library(words library, const char *path, words name, const nc_allocator *allocator,
                           nc_appearance *out, nc_error *err)
{
    char file[PATH_MAX];
    nc_file_text mtl;
    nc_error ignored;
    nc_c_locale locale;
    const char *slash = strrchr(path, '/');
    const int folder = slash != NULL ? (int)(slash - path) + 1 : 0;
    if (library.length >= 256 || (size_t)folder + library.length >= sizeof file)
        return NC_OK;
    snprintf(file, sizeof file, "%.*s%.*s", folder, path, (int)library.length, library.text);
    const nc_code code = nc_file_read(file, allocator, &mtl, &ignored);
    if (code != NC_OK)
        return code == NC_OUT_OF_MEMORY ? nc_fail_memory(err, 1) : NC_OK;
    if (nc_c_locale_enter(&locale)) {
        read_mtl(mtl.data, name, out);
        nc_c_locale_leave(&locale);
    }
    nc_file_free(&mtl);
    return NC_OK;
}

nc_code nc_obj_appearance(const char *text, const char *path, const nc_allocator *allocator, nc_appearance *out,
                          nc_error *err)
{
    usages used = {NULL, 0, 0};
    words library;
    int most = 0;
    *out = (nc_appearance){.has_color = 0};
    if (strstr(text, "usemtl") == NULL) // most have none, and may be large
        return NC_OK;
    nc_code code = count_usages(text, allocator, &used) ? NC_OK : nc_fail_memory(err, sizeof(usage));
    for (int i = 1; i < used.count; i++)
        most = used.data[i].triangles > used.data[most].triangles ? i : most;
    for (const char *line = text; used.count > 0 && *line != '\0' && code == NC_OK;
         line += line_length(line), line += *line == '\n')
        if (begins(line, "mtllib", &library))
            code = try_library(library, path, used.data[most].name, allocator, out, err);
    nc_array_free(allocator, &used);
    return code;
}
