// Accessors: numbers in the binary data of a .glb.
#include "io/gltf.h"

#include <string.h>

#define MAX_COUNT 2000000000.0

typedef struct buffer_view {
    size_t offset, length, stride; // [bytes]; stride 0: items follow each other
} buffer_view;

static nc_code read_view(const nc_gltf *gltf, int view, buffer_view *out, nc_error *err)
{
    const int value = gltf->lists[NC_GLTF_BUFFER_VIEWS].data[view];
    double buffer, offset, length, stride;
    nc_code code = nc_gltf_whole(gltf, value, "buffer", 1e6, "buffer view", view, &buffer, err);
    if (code == NC_OK)
        code = nc_gltf_whole(gltf, value, "byteOffset", 0x1p40, "buffer view", view, &offset, err);
    if (code == NC_OK)
        code = nc_gltf_whole(gltf, value, "byteLength", 0x1p40, "buffer view", view, &length, err);
    if (code == NC_OK)
        code = nc_gltf_whole(gltf, value, "byteStride", 253, "buffer view", view, &stride, err);
    if (code != NC_OK)
        return code;
    if (buffer != 0 || gltf->binary == NULL)
        return nc_fail_at(err, NC_BAD_FILE, gltf->path, 0, 0,
                          "buffer view %d is not in the file's own binary data: export as one .glb file", view);
    out->offset = offset > 0 ? (size_t)offset : 0;
    out->length = length > 0 ? (size_t)length : 0;
    out->stride = stride > 0 ? (size_t)stride : 0;
    if (out->offset > gltf->binary_size || out->length > gltf->binary_size - out->offset)
        return nc_fail_at(err, NC_BAD_FILE, gltf->path, 0, 0, "buffer view %d goes beyond the end of the file", view);
    return NC_OK;
}

static size_t component_size(int component)
{
    switch (component) {
    case 5120: // signed byte
    case 5121:
        return 1;
    case 5122: // signed short
    case 5123:
        return 2;
    case 5125: // unsigned int
    case 5126: // float
        return 4;
    default:
        return 0;
    }
}

static int type_width(const char *type)
{
    static const char *const names[] = {"SCALAR", "VEC2", "VEC3", "VEC4"};
    for (int i = 0; i < 4; i++)
        if (strcmp(names[i], type) == 0)
            return i + 1;
    return 0;
}

// What the accessor says of itself; where its data is comes later.
static nc_code read_kind(const nc_gltf *gltf, int accessor, nc_gltf_numbers *out, nc_error *err)
{
    const nc_json_tree *json = &gltf->json;
    const int value = gltf->lists[NC_GLTF_ACCESSORS].data[accessor];
    double count, component;
    nc_code code = nc_gltf_whole(gltf, value, "count", MAX_COUNT, "accessor", accessor, &count, err);
    if (code == NC_OK)
        code = nc_gltf_whole(gltf, value, "componentType", 10000, "accessor", accessor, &component, err);
    if (code != NC_OK)
        return code;
    const int type = nc_json_member(json, value, "type"), normalized = nc_json_member(json, value, "normalized");
    out->width = nc_json_is(json, type, NC_JSON_TEXT) ? type_width(nc_json_string(json, type)) : 0;
    out->count = (int)count;
    out->component = (int)component;
    out->normalized = nc_json_is(json, normalized, NC_JSON_FLAG) && json->values.data[normalized].number != 0;
    if (out->count < 1 || out->width == 0 || component_size(out->component) == 0)
        return nc_fail_at(err, NC_BAD_FILE, gltf->path, 0, 0,
                          "accessor %d must have a count, a componentType and a type (SCALAR, VEC2, VEC3 or VEC4)",
                          accessor);
    if (nc_json_member(json, value, "sparse") >= 0)
        return nc_fail_at(err, NC_BAD_FILE, gltf->path, 0, 0,
                          "accessor %d is sparse, which Nacre does not read: export without", accessor);
    return NC_OK;
}

nc_code nc_gltf_accessor(const nc_gltf *gltf, int accessor, nc_gltf_numbers *out, nc_error *err)
{
    const int value = gltf->lists[NC_GLTF_ACCESSORS].data[accessor];
    int view = -1;
    double offset = -1;
    buffer_view bytes = {0, 0, 0};
    nc_code code = read_kind(gltf, accessor, out, err);
    if (code == NC_OK)
        code = nc_gltf_index(gltf, value, "bufferView", NC_GLTF_BUFFER_VIEWS, "accessor", accessor, &view, err);
    if (code == NC_OK)
        code = nc_gltf_whole(gltf, value, "byteOffset", 0x1p40, "accessor", accessor, &offset, err);
    if (code == NC_OK && view < 0)
        code = nc_fail_at(err, NC_BAD_FILE, gltf->path, 0, 0, "accessor %d has no data (no bufferView)", accessor);
    if (code == NC_OK)
        code = read_view(gltf, view, &bytes, err);
    if (code != NC_OK)
        return code;
    const size_t item = (size_t)out->width * component_size(out->component), start = offset > 0 ? (size_t)offset : 0;
    out->stride = bytes.stride > 0 ? bytes.stride : item;
    // counts are below 2^31, strides below 2^8: nothing overflows
    const size_t need = start + ((size_t)out->count - 1) * out->stride + item;
    if (out->stride < item || need > bytes.length)
        return nc_fail_at(err, NC_BAD_FILE, gltf->path, 0, 0, "accessor %d goes beyond the end of buffer view %d",
                          accessor, view);
    out->data = gltf->binary + bytes.offset + start;
    return NC_OK;
}

static double read_component(const uint8_t *at, int component)
{
    const uint32_t bits = (uint32_t)nc_word_read(at, component_size(component));
    switch (component) {
    case 5120:
        return bits < 128 ? (double)bits : (double)bits - 256;
    case 5122:
        return bits < 32768 ? (double)bits : (double)bits - 65536;
    case 5126:
        return (double)nc_float_of_bits(bits);
    default: // without a sign
        return (double)bits;
    }
}

double nc_gltf_number(const nc_gltf_numbers *numbers, int item, int k)
{
    const size_t size = component_size(numbers->component);
    const double raw =
        read_component(numbers->data + (size_t)item * numbers->stride + (size_t)k * size, numbers->component);
    if (!numbers->normalized || numbers->component >= 5125)
        return raw;
    // glTF 3.6.2.2: f = max(c / 127, -1) and the like
    const bool is_signed = numbers->component == 5120 || numbers->component == 5122;
    const double most = ldexp(1, (int)(8 * size) - (is_signed ? 1 : 0)) - 1;
    return fmax(raw / most, -1);
}
