// Loading a mesh: which format it is, and who reads it.
#include "io/appearance.h"
#include "io/soup.h"

#include <stdio.h>
#include <string.h>

#define FORMAT_SIZE sizeof((nc_mesh_file_info){0}.format)

// ---- telling the format -------------------------------------------------------------------------------------

// The extension in lower case, "" when there is none (or one no format has).
static void find_extension(const char *path, char *out)
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path, *dot = strrchr(name, '.');
    out[0] = '\0';
    if (dot == NULL || dot == name || strlen(dot + 1) >= FORMAT_SIZE)
        return;
    for (size_t i = 0; i <= strlen(dot + 1); i++) {
        const char c = dot[1 + i];
        out[i] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
}

static bool starts_with(const nc_file_head *head, const char *word)
{
    return head->count >= strlen(word) && memcmp(head->bytes, word, strlen(word)) == 0;
}

static bool contains(const nc_file_head *head, const char *word)
{
    const size_t length = strlen(word);
    for (size_t i = 0; i + length <= head->count; i++)
        if (memcmp(head->bytes + i, word, length) == 0)
            return true;
    return false;
}

// "OFF" with its optional prefixes (ST, C, N, 4, n), followed by a blank.
static bool looks_like_off(const nc_file_head *head)
{
    size_t i = 0;
    while (i < head->count && i < 6 && strchr("STCN4n", head->bytes[i]) != NULL)
        i++;
    return i + 3 < head->count && memcmp(head->bytes + i, "OFF", 3) == 0 && strchr(" \t\r\n", head->bytes[i + 3]);
}

static bool looks_like_stl(const nc_file_head *head)
{
    if (starts_with(head, "solid") && contains(head, "facet"))
        return true;
    return head->size > 84 && head->size == 84 + (size_t)50 * (size_t)nc_word_read(head->bytes + 80, 4);
}

// The format that the content shows beyond doubt; NULL when it does not.
static const char *find_signature(const nc_file_head *head)
{
    if (starts_with(head, "ply\n") || starts_with(head, "ply\r"))
        return "ply";
    if (starts_with(head, "glTF"))
        return "glb";
    if (looks_like_off(head))
        return "off";
    return looks_like_stl(head) ? "stl" : NULL;
}

// What the content says; else what the name says; else OBJ, when there are lines like its.
static nc_code find_format(const nc_file_head *head, char *format, bool *named_so, nc_error *err)
{
    char extension[FORMAT_SIZE];
    find_extension(head->path, extension);
    const char *content = find_signature(head);
    if (content == NULL && extension[0] == '\0' && (starts_with(head, "v ") || contains(head, "\nv ")))
        content = "obj";
    snprintf(format, FORMAT_SIZE, "%s", content != NULL ? content : extension);
    *named_so = strcmp(format, extension) == 0;
    if (format[0] == '\0')
        return nc_fail_at(err, NC_BAD_FILE, head->path, 0, 0,
                          "neither the file's name nor its content says which format it has");
    return NC_OK;
}

// Boundary representations of CAD programs: curves and surfaces without triangles.
static bool is_cad(const char *format)
{
    static const char *const formats[] = {"step",   "stp", "stpz", "iges", "igs",     "brep", "sat",  "x_t",
                                          "sldprt", "f3d", "ipt",  "3dm",  "catpart", "prt",  "fcstd"};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(format, formats[i]) == 0)
            return true;
    return false;
}

// ---- loading ------------------------------------------------------------------------------------------------

static nc_code read_obj(const char *path, nc_soup *soup, nc_appearance *look, nc_error *err)
{
    nc_file_text text;
    nc_code code = nc_file_read(path, &soup->allocator, &text, err);
    if (code != NC_OK)
        return code;
    code = nc_obj_parse(&text, path, soup, err);
    if (code == NC_OK)
        code = nc_obj_appearance(text.data, path, &soup->allocator, look, err);
    nc_file_free(&text);
    return code;
}

static nc_code check_coordinates(nc_soup *soup, const char *path, nc_error *err)
{
    for (int i = 0; i < soup->vertices.count; i++) {
        nc_vec3 *v = &soup->vertices.data[i];
        if (!nc_soup_legal_coordinate(&v->x) || !nc_soup_legal_coordinate(&v->y) || !nc_soup_legal_coordinate(&v->z))
            return nc_fail_at(err, NC_BAD_FILE, path, 0, 0,
                              "vertex %d is (%g, %g, %g), but coordinates must be finite and at most 2^100", i, v->x,
                              v->y, v->z);
    }
    return NC_OK;
}

static nc_code read_foreign(const nc_file_head *head, const char *format, bool named_so, nc_soup *soup, nc_error *err)
{
    nc_code code = nc_header_check(format, head, err);
    if (code == NC_OK)
        code = nc_foreign_read(head, format, named_so, soup, err);
    if (code == NC_OK)
        code = check_coordinates(soup, head->path, err);
    // these formats split vertices at seams, or have no shared vertices at all
    if (code == NC_OK && !nc_soup_weld(soup))
        code = nc_fail_memory(err, (size_t)soup->vertices.count * sizeof(int));
    return code;
}

static nc_code load(nc_file_head *head, const nc_allocator *allocator, nc_mesh **out, nc_mesh_file_info *info,
                    nc_error *err)
{
    nc_code code = nc_file_read_head(head->path, head->bytes, sizeof head->bytes, &head->count, &head->size, err);
    if (code != NC_OK)
        return code;
    if (head->size == 0)
        return nc_fail_at(err, NC_BAD_FILE, head->path, 0, 0, "is empty");
    bool named_so = false;
    code = find_format(head, info->format, &named_so, err);
    if (code != NC_OK)
        return code;
    if (is_cad(info->format))
        return nc_fail_at(err, NC_BAD_FILE, head->path, 0, 0,
                          "is a CAD file of exact surfaces (%s), which Nacre does not read: export a mesh from the CAD "
                          "program (STL, OBJ or glTF), and say in which unit it is, such as unit: mm in the shape",
                          info->format);
    const bool is_obj = strcmp(info->format, "obj") == 0;
    nc_soup soup = nc_soup_create(allocator);
    code = is_obj ? read_obj(head->path, &soup, &info->appearance, err)
                  : read_foreign(head, info->format, named_so, &soup, err);
    if (code == NC_OK && strcmp(info->format, "glb") == 0)
        code = nc_gltf_file_appearance(head->path, allocator, &info->appearance, err);
    if (code == NC_OK)
        code = nc_soup_mesh(&soup, head->path, out, err);
    info->single_precision = !is_obj;
    info->dropped_elements = soup.dropped;
    nc_soup_free(&soup);
    return code;
}

nc_code nc_mesh_load(const char *path, const nc_allocator *allocator, nc_mesh **out, nc_mesh_file_info *out_info,
                     nc_error *err)
{
    *out = NULL;
    const nc_allocator memory = nc_allocator_or_default(allocator);
    nc_mesh_file_info info = {0};
    nc_file_head *head = nc_alloc(&memory, 1, sizeof *head);
    if (head == NULL)
        return nc_fail_memory(err, sizeof *head);
    head->path = path;
    const nc_code code = load(head, &memory, out, &info, err);
    nc_free(&memory, head, 1, sizeof *head);
    if (out_info != NULL)
        *out_info = info;
    return code;
}
