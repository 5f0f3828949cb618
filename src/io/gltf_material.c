// Materials of a .glb as colours and materials of bodies.
#include "io/appearance.h"
#include "io/gltf.h"

#include <string.h>

// A number that is a member of a map; `fallback` when it is absent or something else.
static double number_of(const nc_json_tree *json, int map, const char *key, double fallback)
{
    const int value = nc_json_member(json, map, key);
    return nc_json_is(json, value, NC_JSON_NUMBER) ? json->values.data[value].number : fallback;
}

static nc_appearance read_material(const nc_gltf *gltf, int material)
{
    const nc_json_tree *json = &gltf->json;
    const int value = gltf->lists[NC_GLTF_MATERIALS].data[material];
    const int pbr = nc_json_member(json, value, "pbrMetallicRoughness");
    const int transmission =
        nc_json_member(json, nc_json_member(json, value, "extensions"), "KHR_materials_transmission");
    const int mode = nc_json_member(json, value, "alphaMode");
    const int factor = nc_json_member(json, pbr, "baseColorFactor");
    double color[4] = {1, 1, 1, 1}; // what glTF says when nothing is said
    int k = 0;
    for (int v = nc_json_is(json, factor, NC_JSON_LIST) ? json->values.data[factor].first : -1; v >= 0 && k < 4;
         v = json->values.data[v].next)
        color[k++] = json->values.data[v].number;
    const bool blends = nc_json_is(json, mode, NC_JSON_TEXT) && strcmp(nc_json_string(json, mode), "BLEND") == 0;
    // a texture multiplies the factor: with white alone nothing is known of the colour
    const bool textured = factor < 0 && nc_json_member(json, pbr, "baseColorTexture") >= 0;
    nc_surface surface = {.name = nc_gltf_name(gltf, value),
                          .has_color = !textured,
                          .light = {color[0], color[1], color[2]},
                          .metallic = nc_json_member(json, pbr, "metallicRoughnessTexture") >= 0
                                          ? 0
                                          : number_of(json, pbr, "metallicFactor", 1),
                          .clear = number_of(json, transmission, "transmissionFactor", blends ? 1 - color[3] : 0)};
    return nc_surface_appearance(&surface);
}

// Triangles (or other corners) of a primitive, as a weight.
static double weight_of(const nc_gltf *gltf, int primitive)
{
    const nc_json_tree *json = &gltf->json;
    int accessor = nc_json_member(json, primitive, "indices");
    if (accessor < 0)
        accessor = nc_json_member(json, nc_json_member(json, primitive, "attributes"), "POSITION");
    const double row = nc_json_is(json, accessor, NC_JSON_NUMBER) ? json->values.data[accessor].number : -1;
    if (!(row >= 0 && row < gltf->lists[NC_GLTF_ACCESSORS].count))
        return 0;
    return number_of(json, gltf->lists[NC_GLTF_ACCESSORS].data[(int)row], "count", 0);
}

nc_code nc_gltf_mesh_appearance(const nc_gltf *gltf, int mesh, nc_appearance *out, double *out_weight, nc_error *err)
{
    const nc_json_tree *json = &gltf->json;
    const int count = gltf->lists[NC_GLTF_MATERIALS].count;
    const int primitives = nc_json_member(json, gltf->lists[NC_GLTF_MESHES].data[mesh], "primitives");
    double *weights = count > 0 ? nc_alloc(&gltf->allocator, (size_t)count, sizeof *weights) : NULL;
    int most = -1;
    *out = (nc_appearance){.has_color = 0};
    *out_weight = 0;
    if (count > 0 && weights == NULL)
        return nc_fail_memory(err, (size_t)count * sizeof *weights);
    for (int v = nc_json_is(json, primitives, NC_JSON_LIST) && count > 0 ? json->values.data[primitives].first : -1;
         v >= 0; v = json->values.data[v].next) {
        const double row = number_of(json, v, "material", -1);
        if (!(row >= 0 && row < count))
            continue;
        weights[(int)row] += weight_of(gltf, v);
        if (most < 0 || weights[(int)row] > weights[most])
            most = (int)row;
    }
    if (most >= 0) {
        *out = read_material(gltf, most);
        *out_weight = weights[most];
    }
    nc_free(&gltf->allocator, weights, (size_t)count, sizeof *weights);
    return NC_OK;
}

nc_code nc_gltf_file_appearance(const char *path, const nc_allocator *allocator, nc_appearance *out, nc_error *err)
{
    nc_gltf *gltf = NULL;
    double most = 0;
    nc_error ignored;
    *out = (nc_appearance){.has_color = 0};
    nc_code code = nc_gltf_open(path, allocator, &gltf, &ignored);
    if (code != NC_OK) // assimp reads more than Nacre does; looks are not worth an error
        return code == NC_OUT_OF_MEMORY ? nc_fail_memory(err, 1) : NC_OK;
    for (int i = 0; i < nc_gltf_mesh_count(gltf) && code == NC_OK; i++) {
        nc_appearance each;
        double weight;
        code = nc_gltf_mesh_appearance(gltf, i, &each, &weight, err);
        if (code == NC_OK && weight > most) {
            most = weight;
            *out = each;
        }
    }
    nc_gltf_close(gltf);
    return code;
}
