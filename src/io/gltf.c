// .glb files: the container, the JSON in it, its lists.
//
// A file may come from anywhere: every number of its JSON is examined before it is used, and numbers of the binary
// part are reached through nc_gltf_accessor only, which proves that they are there.
#include "io/gltf.h"

#include <stdio.h>
#include <string.h>

#define MAX_ROWS 10000000 // of a list

static const char *const list_names[NC_GLTF_LIST_COUNT] = {"accessors", "animations", "bufferViews", "materials",
                                                           "meshes",    "nodes",      "scenes"};

// ---- numbers of the JSON ------------------------------------------------------------------------------------

nc_code nc_gltf_whole(const nc_gltf *gltf, int value, const char *key, double limit, const char *what, int row,
                      double *out, nc_error *err)
{
    const int member = nc_json_member(&gltf->json, value, key);
    *out = -1;
    if (member < 0)
        return NC_OK;
    const nc_json_value *number = &gltf->json.values.data[member];
    if (number->kind != NC_JSON_NUMBER || !(number->number >= 0) || !(number->number < limit) ||
        number->number != floor(number->number))
        return nc_fail_at(err, NC_BAD_FILE, gltf->path, 0, 0,
                          "%s %d: \"%s\" must be a whole number from 0 to below %.0f", what, row, key, limit);
    *out = number->number;
    return NC_OK;
}

nc_code nc_gltf_index(const nc_gltf *gltf, int value, const char *key, nc_gltf_list list, const char *what, int row,
                      int *out, nc_error *err)
{
    double number = -1;
    const int count = gltf->lists[list].count;
    const nc_code code = nc_gltf_whole(gltf, value, key, MAX_ROWS, what, row, &number, err);
    *out = -1;
    if (code != NC_OK)
        return code;
    if (number >= count)
        return nc_fail_at(err, NC_BAD_FILE, gltf->path, 0, 0, "%s %d: \"%s\" is %.0f, but there are only %d %s", what,
                          row, key, number, count, list_names[list]);
    *out = (int)number;
    return NC_OK;
}

nc_code nc_gltf_vector(const nc_gltf *gltf, int value, const char *key, int count, const char *what, int row,
                       double *out, bool *out_found, nc_error *err)
{
    const int member = nc_json_member(&gltf->json, value, key);
    const nc_json_value *values = gltf->json.values.data;
    *out_found = member >= 0;
    if (member < 0)
        return NC_OK;
    bool good = values[member].kind == NC_JSON_LIST && values[member].count == count;
    int v = good ? values[member].first : -1;
    for (int i = 0; good && i < count; i++, v = values[v].next) {
        out[i] = values[v].number;
        good = values[v].kind == NC_JSON_NUMBER && fabs(out[i]) <= NC_COORDINATE_MAX;
    }
    if (!good)
        return nc_fail_at(err, NC_BAD_FILE, gltf->path, 0, 0, "%s %d: \"%s\" must be a list of %d finite numbers", what,
                          row, key, count);
    return NC_OK;
}

const char *nc_gltf_name(const nc_gltf *gltf, int value)
{
    const int name = nc_json_member(&gltf->json, value, "name");
    return nc_json_is(&gltf->json, name, NC_JSON_TEXT) ? nc_json_string(&gltf->json, name) : "";
}

// ---- the container ------------------------------------------------------------------------------------------

static nc_code bad_file(const nc_gltf *gltf, const char *problem, nc_error *err)
{
    return nc_fail_at(err, NC_BAD_FILE, gltf->path, 0, 0, "%s", problem);
}

// Finds the JSON and the binary data: a header of 12 bytes, then chunks of length, kind and data.
static nc_code find_chunks(nc_gltf *gltf, char **out_json, size_t *out_size, nc_error *err)
{
    static const uint32_t json_kind = 0x4e4f534a, binary_kind = 0x004e4942;
    const size_t size = gltf->size;
    if (size < 20 || memcmp(gltf->bytes, "glTF", 4) != 0)
        return bad_file(gltf, "is no .glb file: it does not begin with \"glTF\" (export as glTF Binary)", err);
    if (nc_word_read(gltf->bytes + 4, 4) != 2)
        return bad_file(gltf, "is not glTF version 2", err);
    if (nc_word_read(gltf->bytes + 8, 4) > size)
        return bad_file(gltf, "is cut short: it is smaller than its header says", err);
    *out_json = NULL;
    for (size_t at = 12; at + 8 <= size;) {
        const size_t length = (size_t)nc_word_read(gltf->bytes + at, 4);
        const uint32_t kind = (uint32_t)nc_word_read(gltf->bytes + at + 4, 4);
        at += 8;
        if (length > size - at)
            return bad_file(gltf, "is cut short: a chunk goes beyond its end", err);
        if (kind == json_kind && *out_json == NULL) {
            *out_json = gltf->bytes + at;
            *out_size = length;
        } else if (kind == binary_kind && gltf->binary == NULL) {
            gltf->binary = (const uint8_t *)gltf->bytes + at;
            gltf->binary_size = length;
        }
        at += length;
    }
    return *out_json != NULL ? NC_OK : bad_file(gltf, "has no JSON in it", err);
}

static nc_code read_json(nc_gltf *gltf, nc_error *err)
{
    char *json = NULL;
    size_t size = 0;
    nc_code code = find_chunks(gltf, &json, &size, err);
    if (code != NC_OK)
        return code;
    nc_c_locale locale;
    if (!nc_c_locale_enter(&locale))
        return nc_fail_memory(err, sizeof locale);
    // the reader wants a zero byte after the text: what follows is the next chunk's length, or the byte we added
    const char after = json[size];
    json[size] = '\0';
    code = nc_json_parse(json, size, gltf->path, &gltf->allocator, &gltf->json, err);
    json[size] = after;
    nc_c_locale_leave(&locale);
    if (code == NC_OK && !nc_json_is(&gltf->json, 0, NC_JSON_MAP))
        code = bad_file(gltf, "its JSON is no map", err);
    return code;
}

// ---- lists --------------------------------------------------------------------------------------------------

static nc_code read_list(nc_gltf *gltf, nc_gltf_list list, nc_error *err)
{
    const nc_json_tree *json = &gltf->json;
    const int value = nc_json_member(json, 0, list_names[list]);
    if (value < 0)
        return NC_OK;
    const nc_json_value *values = json->values.data;
    if (values[value].kind != NC_JSON_LIST || values[value].count > MAX_ROWS)
        return nc_fail_at(err, NC_BAD_FILE, gltf->path, 0, 0, "\"%s\" must be a list", list_names[list]);
    if (values[value].count > 0 && !nc_array_reserve(&gltf->allocator, &gltf->lists[list], values[value].count))
        return nc_fail_memory(err, (size_t)values[value].count * sizeof(int));
    for (int v = values[value].first; v >= 0; v = values[v].next) {
        if (values[v].kind != NC_JSON_MAP)
            return nc_fail_at(err, NC_BAD_FILE, gltf->path, 0, 0, "\"%s\" must be a list of maps", list_names[list]);
        gltf->lists[list].data[gltf->lists[list].count++] = v;
    }
    return NC_OK;
}

// True for extensions that change looks and not places.
static bool is_harmless(const char *name)
{
    static const char *const harmless[] = {"KHR_materials_", "KHR_texture_", "EXT_texture_", "KHR_lights_",
                                           "KHR_xmp",        "MSFT_texture", "KHR_audio"};
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (strncmp(name, harmless[i], strlen(harmless[i])) == 0)
            return true;
    return false;
}

static nc_code check_extensions(const nc_gltf *gltf, nc_error *err)
{
    const nc_json_tree *json = &gltf->json;
    const int required = nc_json_member(json, 0, "extensionsRequired");
    if (!nc_json_is(json, required, NC_JSON_LIST))
        return NC_OK;
    for (int v = json->values.data[required].first; v >= 0; v = json->values.data[v].next)
        if (nc_json_is(json, v, NC_JSON_TEXT) && !is_harmless(nc_json_string(json, v)))
            return nc_fail_at(err, NC_BAD_FILE, gltf->path, 0, 0,
                              "needs the glTF extension %.100s, which Nacre does not read: export without it",
                              nc_json_string(json, v));
    return NC_OK;
}

static nc_code read_parts(nc_gltf *gltf, nc_error *err)
{
    nc_code code = read_json(gltf, err);
    if (code == NC_OK)
        code = check_extensions(gltf, err);
    for (int list = 0; list < NC_GLTF_LIST_COUNT && code == NC_OK; list++)
        code = read_list(gltf, (nc_gltf_list)list, err);
    if (code == NC_OK)
        code = nc_gltf_read_nodes(gltf, err);
    return code;
}

// ---- opening ------------------------------------------------------------------------------------------------

nc_code nc_gltf_read(const void *bytes, size_t size, const char *path, const nc_allocator *allocator, nc_gltf **out,
                     nc_error *err)
{
    const nc_allocator memory = nc_allocator_or_default(allocator);
    *out = NULL;
    nc_gltf *gltf = nc_alloc(&memory, 1, sizeof *gltf);
    if (gltf == NULL)
        return nc_fail_memory(err, sizeof *gltf);
    gltf->allocator = memory;
    gltf->json.allocator = memory;
    gltf->json.text = nc_buffer_create(&memory);
    gltf->size = size;
    gltf->path_size = strlen(path) + 1;
    gltf->path = nc_alloc(&memory, gltf->path_size, 1);
    gltf->bytes = nc_alloc(&memory, size + 1, 1);
    nc_code code = NC_OK;
    if (gltf->path == NULL || gltf->bytes == NULL) {
        code = nc_fail_memory(err, size);
    } else {
        memcpy(gltf->path, path, gltf->path_size);
        if (size > 0)
            memcpy(gltf->bytes, bytes, size);
        code = read_parts(gltf, err);
    }
    if (code == NC_OK)
        *out = gltf;
    else
        nc_gltf_close(gltf);
    return code;
}

nc_code nc_gltf_open(const char *path, const nc_allocator *allocator, nc_gltf **out, nc_error *err)
{
    nc_file_text file;
    *out = NULL;
    nc_code code = nc_file_read(path, allocator, &file, err);
    if (code != NC_OK)
        return code;
    code = nc_gltf_read(file.data, file.size, path, allocator, out, err);
    nc_file_free(&file);
    return code;
}

void nc_gltf_close(nc_gltf *gltf)
{
    if (gltf == NULL)
        return;
    const nc_allocator memory = gltf->allocator;
    for (int list = 0; list < NC_GLTF_LIST_COUNT; list++)
        nc_array_free(&memory, &gltf->lists[list]);
    nc_array_free(&memory, &gltf->nodes);
    nc_array_free(&memory, &gltf->order);
    nc_array_free(&memory, &gltf->channels);
    nc_json_free(&gltf->json);
    nc_free(&memory, gltf->path, gltf->path_size, 1);
    nc_free(&memory, gltf->bytes, gltf->size + 1, 1);
    nc_free(&memory, gltf, 1, sizeof *gltf);
}

// ---- asking -------------------------------------------------------------------------------------------------

int nc_gltf_node_count(const nc_gltf *gltf)
{
    return gltf->nodes.count;
}

int nc_gltf_mesh_count(const nc_gltf *gltf)
{
    return gltf->lists[NC_GLTF_MESHES].count;
}

int nc_gltf_animation_count(const nc_gltf *gltf)
{
    return gltf->lists[NC_GLTF_ANIMATIONS].count;
}

nc_gltf_node nc_gltf_node_view(const nc_gltf *gltf, int node)
{
    return gltf->nodes.data[node].node;
}

const char *nc_gltf_mesh_name(const nc_gltf *gltf, int mesh)
{
    return nc_gltf_name(gltf, gltf->lists[NC_GLTF_MESHES].data[mesh]);
}

const char *nc_gltf_animation_name(const nc_gltf *gltf, int animation)
{
    return nc_gltf_name(gltf, gltf->lists[NC_GLTF_ANIMATIONS].data[animation]);
}

const char *nc_gltf_generator(const nc_gltf *gltf)
{
    const int asset = nc_json_member(&gltf->json, 0, "asset");
    const int generator = nc_json_member(&gltf->json, asset, "generator");
    return nc_json_is(&gltf->json, generator, NC_JSON_TEXT) ? nc_json_string(&gltf->json, generator) : "";
}

// ---- properties ---------------------------------------------------------------------------------------------

static nc_extra read_extra(const nc_json_tree *json, int value)
{
    static const nc_extra_kind kinds[NC_JSON_KIND_COUNT] = {NC_EXTRA_OTHER, NC_EXTRA_FLAG, NC_EXTRA_NUMBER,
                                                            NC_EXTRA_TEXT,  NC_EXTRA_LIST, NC_EXTRA_OTHER};
    const nc_json_value *values = json->values.data;
    nc_extra extra = {.key = nc_json_key(json, value), .text = "", .kind = kinds[values[value].kind], .count = 1};
    extra.numbers[0] = values[value].number;
    if (extra.kind == NC_EXTRA_TEXT)
        extra.text = nc_json_string(json, value);
    if (extra.kind != NC_EXTRA_LIST)
        return extra;
    extra.count = values[value].count;
    int k = 0;
    for (int v = values[value].first; v >= 0; v = values[v].next, k++) {
        if (values[v].kind != NC_JSON_NUMBER)
            extra.kind = NC_EXTRA_OTHER;
        if (k < NC_EXTRA_MAX)
            extra.numbers[k] = values[v].number;
    }
    return extra;
}

static nc_code visit_extras(const nc_gltf *gltf, int owner, bool of_mesh, nc_extra_visitor see, void *ctx,
                            nc_error *err)
{
    const nc_json_tree *json = &gltf->json;
    const int extras = nc_json_member(json, owner, "extras");
    if (!nc_json_is(json, extras, NC_JSON_MAP))
        return NC_OK;
    for (int v = json->values.data[extras].first; v >= 0; v = json->values.data[v].next) {
        const nc_extra extra = read_extra(json, v);
        const nc_code code = see(&extra, of_mesh, ctx, err);
        if (code != NC_OK)
            return code;
    }
    return NC_OK;
}

nc_code nc_gltf_extras(const nc_gltf *gltf, int node, nc_extra_visitor see, void *ctx, nc_error *err)
{
    const int mesh = gltf->nodes.data[node].node.mesh;
    nc_code code = visit_extras(gltf, gltf->lists[NC_GLTF_NODES].data[node], false, see, ctx, err);
    if (code == NC_OK && mesh >= 0)
        code = visit_extras(gltf, gltf->lists[NC_GLTF_MESHES].data[mesh], true, see, ctx, err);
    return code;
}
