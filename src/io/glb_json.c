// The JSON part of a .glb file. Arrays come in one fixed order, so accessor numbers follow from counting.
//
// Accessors: for each mesh its positions, those of its morph targets, then the indices of triangles, edges and points
// (those it has); then the times; the weights of morph targets; for each moving body translations, then for each
// rotations; for each body that comes or goes, times and scales. Scale 0 is how a body is not there.
#include "io/glb.h"

#include <stdio.h>
#include <string.h>

static void add_text(nc_glb *glb, const char *text, size_t size)
{
    if (!nc_buffer_append(&glb->json, text, size))
        glb->failed = true;
}

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
add(nc_glb *glb, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!nc_buffer_print_v(&glb->json, format, args))
        glb->failed = true;
    va_end(args);
}

// A JSON string; bytes that are not UTF-8 become '?'.
static void add_string(nc_glb *glb, const char *text)
{
    add_text(glb, "\"", 1);
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0';) {
        const size_t length = nc_utf8_length(c);
        if (length == 0)
            add_text(glb, "?", 1);
        else if (*c == '"' || *c == '\\')
            add(glb, "\\%c", *c);
        else if (*c < 32)
            add(glb, "\\u%04x", *c);
        else
            add_text(glb, (const char *)c, length);
        c += length > 0 ? length : 1;
    }
    add_text(glb, "\"", 1);
}

static const char *comma(bool first)
{
    return first ? "" : ",";
}

// ---- accessors ----------------------------------------------------------------------------------------------

// Buffer views are numbered without the sections that are empty; only the keys can be.
static void add_accessor(nc_glb *glb, nc_glb_section section, const char *type, int component, uint64_t count,
                         uint64_t size, const char *rest)
{
    add(glb, "%s{\"bufferView\":%d,\"byteOffset\":%llu,\"componentType\":%d,\"count\":%llu,\"type\":\"%s\"%s}",
        comma(glb->accessors == 0), (int)section, (unsigned long long)glb->at[section], component,
        (unsigned long long)count, type, rest);
    glb->at[section] += count * size;
    glb->accessors++;
}

// Which numbers an accessor of positions must name.
typedef struct extent {
    nc_float3 low, high;
} extent;

static void widen(extent *r, nc_float3 p)
{
    for (int k = 0; k < 3; k++) {
        r->low.v[k] = p.v[k] < r->low.v[k] ? p.v[k] : r->low.v[k];
        r->high.v[k] = p.v[k] > r->high.v[k] ? p.v[k] : r->high.v[k];
    }
}

static void add_points(nc_glb *glb, const extent *r, int count)
{
    const float *low = r->low.v, *high = r->high.v;
    char text[300];
    snprintf(text, sizeof text, ",\"min\":[%.17g,%.17g,%.17g],\"max\":[%.17g,%.17g,%.17g]", (double)low[0],
             (double)low[1], (double)low[2], (double)high[0], (double)high[1], (double)high[2]);
    add_accessor(glb, NC_GLB_POSITIONS, "VEC3", 5126, (uint64_t)count, 12, text);
}

static void add_positions(nc_glb *glb, const nc_mesh_data *data)
{
    const nc_float3 first = nc_to_float3(data->vertices[0]);
    extent r = {first, first};
    for (int i = 1; i < data->vertex_count; i++)
        widen(&r, nc_to_float3(data->vertices[i]));
    add_points(glb, &r, data->vertex_count);
}

static bool has_morphs(const nc_glb *glb)
{
    return glb->morphs.count > 0 && glb->tracks->frames > 1;
}

static void add_targets(nc_glb *glb, int mesh)
{
    const int row = glb->meshes.data[mesh].morph;
    for (int t = 0; row >= 0 && t < nc_glb_target_count(glb); t++) {
        const nc_glb_morph *morph = &glb->morphs.data[row];
        const nc_float3 first = nc_glb_target(glb, morph, t, 0);
        extent r = {first, first};
        for (int i = 1; i < morph->vertex_count; i++)
            widen(&r, nc_glb_target(glb, morph, t, i));
        add_points(glb, &r, morph->vertex_count);
    }
}

static void add_indices(nc_glb *glb, int count)
{
    if (count > 0)
        add_accessor(glb, NC_GLB_INDICES, "SCALAR", 5125, (uint64_t)count, 4, "");
}

static void add_times(nc_glb *glb, float first, float last, int count)
{
    char range[100];
    snprintf(range, sizeof range, ",\"min\":[%.17g],\"max\":[%.17g]", (double)first, (double)last);
    add_accessor(glb, NC_GLB_KEYS, "SCALAR", 5126, (uint64_t)count, 4, range);
}

static void add_accessors(nc_glb *glb)
{
    const nc_tracks *tracks = glb->tracks;
    const uint64_t frames = (uint64_t)tracks->frames;
    add(glb, ",\"accessors\":[");
    for (int m = 0; m < glb->meshes.count; m++) {
        const nc_mesh_data data = nc_mesh_view(glb->meshes.data[m].mesh);
        add_positions(glb, &data);
        add_targets(glb, m);
        add_indices(glb, 3 * data.triangle_count);
        add_indices(glb, 2 * nc_free_edge_count(&data));
        add_indices(glb, data.point_count);
    }
    if (tracks->moving > 0 || has_morphs(glb))
        add_times(glb, tracks->times[0], tracks->times[frames - 1], tracks->frames);
    if (has_morphs(glb))
        add_accessor(glb, NC_GLB_KEYS, "SCALAR", 5126, frames * (frames - 1), 4, "");
    for (int i = 0; i < tracks->moving; i++)
        add_accessor(glb, NC_GLB_KEYS, "VEC3", 5126, frames, 12, "");
    for (int i = 0; i < tracks->moving; i++)
        add_accessor(glb, NC_GLB_KEYS, "VEC4", 5126, frames, 16, "");
    for (int i = 0; i < glb->presences.count; i++) {
        const nc_glb_presence *p = &glb->presences.data[i];
        const int *keys = glb->presence_frames.data + p->first;
        add_times(glb, tracks->times[keys[0]], tracks->times[keys[p->count - 1]], p->count);
        add_accessor(glb, NC_GLB_KEYS, "VEC3", 5126, (uint64_t)p->count, 12, "");
    }
    add(glb, "]");
}

static void add_buffers(nc_glb *glb)
{
    static const char *const kinds[NC_GLB_SECTION_COUNT] = {",\"byteStride\":12,\"target\":34962", ",\"target\":34963",
                                                            ""};
    uint64_t offset = 0;
    add(glb, ",\"bufferViews\":[");
    for (int s = 0; s < NC_GLB_SECTION_COUNT; s++) {
        if (glb->section_size[s] > 0)
            add(glb, "%s{\"buffer\":0,\"byteOffset\":%llu,\"byteLength\":%llu%s}", comma(s == 0),
                (unsigned long long)offset, (unsigned long long)glb->section_size[s], kinds[s]);
        offset += glb->section_size[s];
    }
    add(glb, "],\"buffers\":[{\"byteLength\":%llu}]", (unsigned long long)offset);
}

// ---- meshes and nodes ---------------------------------------------------------------------------------------

static void add_primitive(nc_glb *glb, bool first, int positions, int *indices, int count, int mode,
                          const nc_glb_variant *variant)
{
    if (count == 0)
        return;
    add(glb, "%s{\"attributes\":{\"POSITION\":%d},\"indices\":%d,\"mode\":%d,\"material\":%d", comma(first), positions,
        (*indices)++, mode, variant->look);
    const int targets = glb->meshes.data[variant->mesh].morph >= 0 ? nc_glb_target_count(glb) : 0;
    for (int t = 0; t < targets; t++)
        add(glb, "%s{\"POSITION\":%d}", t == 0 ? ",\"targets\":[" : ",", positions + 1 + t);
    add(glb, targets > 0 ? "]}" : "}");
}

static void number_accessors(nc_glb *glb)
{
    int accessor = 0;
    for (int m = 0; m < glb->meshes.count; m++) {
        const nc_mesh_data data = nc_mesh_view(glb->meshes.data[m].mesh);
        glb->meshes.data[m].first_accessor = accessor;
        accessor += 1 + (glb->meshes.data[m].morph >= 0 ? nc_glb_target_count(glb) : 0);
        accessor += (data.triangle_count > 0) + (nc_free_edge_count(&data) > 0) + (data.point_count > 0);
    }
}

// Colours by mesh are dull plastic; the rest is as nacre/material.def has it.
static void add_material(nc_glb *glb, const nc_glb_look *look)
{
    char name[40];
    double c[3];
    const nc_material_info *info = nc_material_view(look->appearance.material);
    const int mesh = look->mesh >= 0 ? look->mesh : 0;
    if (!nc_appearance_light(&look->appearance, c))
        memcpy(c, nc_clip_colour(glb->meshes.data[mesh].colour), sizeof c);
    const bool none = nc_appearance_is_none(&look->appearance);
    if (none)
        snprintf(name, sizeof name, "mesh %d", look->mesh);
    else
        nc_appearance_name(&look->appearance, name, sizeof name);
    add(glb,
        "{\"name\":\"%s\",\"doubleSided\":true,\"pbrMetallicRoughness\":{\"baseColorFactor\":[%.6g,%.6g,%.6g,1],"
        "\"metallicFactor\":%g,\"roughnessFactor\":%g}",
        name, c[0], c[1], c[2], info->metallic, none ? 0.6 : info->roughness);
    if (info->transmission > 0)
        add(glb, ",\"extensions\":{\"KHR_materials_transmission\":{\"transmissionFactor\":%g}}", info->transmission);
    add(glb, "}");
}

static void add_materials(nc_glb *glb)
{
    bool clear = false;
    add(glb, "],\"materials\":[");
    for (int i = 0; i < glb->looks.count; i++) {
        add(glb, "%s", comma(i == 0));
        add_material(glb, &glb->looks.data[i]);
        clear = clear || nc_material_view(glb->looks.data[i].appearance.material)->transmission > 0;
    }
    add(glb, "]");
    if (clear)
        add(glb, ",\"extensionsUsed\":[\"KHR_materials_transmission\"]");
}

static void add_meshes(nc_glb *glb)
{
    number_accessors(glb);
    add(glb, ",\"meshes\":[");
    for (int i = 0; i < glb->variants.count; i++) {
        const nc_glb_variant *variant = &glb->variants.data[i];
        const nc_glb_mesh *mesh = &glb->meshes.data[variant->mesh];
        const nc_mesh_data data = nc_mesh_view(mesh->mesh);
        const int positions = mesh->first_accessor, edges = nc_free_edge_count(&data);
        int accessor = positions + 1 + (mesh->morph >= 0 ? nc_glb_target_count(glb) : 0);
        add(glb, "%s{\"name\":\"mesh %d\",\"primitives\":[", comma(i == 0), variant->mesh);
        add_primitive(glb, true, positions, &accessor, data.triangle_count, 4, variant);
        add_primitive(glb, data.triangle_count == 0, positions, &accessor, edges, 1, variant);
        add_primitive(glb, data.triangle_count == 0 && edges == 0, positions, &accessor, data.point_count, 0, variant);
        add(glb, "]}");
    }
    add_materials(glb);
}

// The pose at the first frame the body is in; of unit length and in single precision like the keys.
static void add_nodes(nc_glb *glb)
{
    add(glb, ",\"nodes\":[");
    for (int i = 0; i < glb->clip->body_count; i++) {
        const nc_pose pose = glb->tracks->rest[i];
        const nc_quat q = nc_quat_normalize(pose.q);
        const nc_float3 x = nc_to_float3(pose.x);
        add(glb, "%s{\"name\":", comma(i == 0));
        add_string(glb, nc_clip_name(glb->names, i));
        add(glb, ",\"mesh\":%d,\"translation\":[%.9g,%.9g,%.9g],\"rotation\":[%.9g,%.9g,%.9g,%.9g]}",
            glb->variant_of[i], (double)x.v[0], (double)x.v[1], (double)x.v[2], (double)(float)q.x, (double)(float)q.y,
            (double)(float)q.z, (double)(float)q.w);
    }
    add(glb, "],\"scene\":0,\"scenes\":[{\"name\":");
    add_string(glb, glb->clip->title != NULL ? glb->clip->title : "");
    add(glb, ",\"nodes\":[");
    for (int i = 0; i < glb->clip->body_count; i++)
        add(glb, "%s%d", comma(i == 0), i);
    add(glb, "]}]");
}

// ---- animation ----------------------------------------------------------------------------------------------

static int first_key_accessor(const nc_glb *glb)
{
    int count = 0;
    for (int m = 0; m < glb->meshes.count; m++) {
        const nc_mesh_data data = nc_mesh_view(glb->meshes.data[m].mesh);
        count += glb->meshes.data[m].morph >= 0 ? nc_glb_target_count(glb) : 0;
        count += 1 + (data.triangle_count > 0) + (nc_free_edge_count(&data) > 0) + (data.point_count > 0);
    }
    return count;
}

static void add_channel(nc_glb *glb, int *sampler, int node, const char *path)
{
    add(glb, "%s{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"%s\"}}", comma(*sampler == 0), *sampler, node, path);
    (*sampler)++;
}

static void add_channels(nc_glb *glb)
{
    int sampler = 0;
    add(glb, "\"channels\":[");
    for (int i = 0; i < glb->clip->body_count; i++)
        if (glb->tracks->slot[i] >= 0)
            add_channel(glb, &sampler, i, "translation");
    for (int i = 0; i < glb->clip->body_count; i++)
        if (glb->tracks->slot[i] >= 0)
            add_channel(glb, &sampler, i, "rotation");
    for (int i = 0; i < glb->presences.count; i++)
        add_channel(glb, &sampler, glb->presences.data[i].body, "scale");
    for (int i = 0; i < glb->morphs.count && has_morphs(glb); i++)
        add_channel(glb, &sampler, glb->morphs.data[i].body, "weights");
    add(glb, "]");
}

static void add_animation(nc_glb *glb)
{
    const int moving = glb->tracks->moving;
    if (moving == 0 && glb->presences.count == 0 && !has_morphs(glb))
        return;
    int accessor = first_key_accessor(glb);
    const int times = accessor, weights = accessor + 1;
    accessor += (moving > 0 || has_morphs(glb)) + has_morphs(glb);
    add(glb, ",\"animations\":[{\"name\":\"motion\",");
    add_channels(glb);
    add(glb, ",\"samplers\":[");
    for (int i = 0; i < 2 * moving; i++)
        add(glb, "%s{\"input\":%d,\"output\":%d,\"interpolation\":\"LINEAR\"}", comma(i == 0), times, accessor++);
    for (int i = 0; i < glb->presences.count; i++, accessor += 2)
        add(glb, "%s{\"input\":%d,\"output\":%d,\"interpolation\":\"STEP\"}", comma(i == 0 && moving == 0), accessor,
            accessor + 1);
    for (int i = 0; i < glb->morphs.count && has_morphs(glb); i++)
        add(glb, "%s{\"input\":%d,\"output\":%d,\"interpolation\":\"LINEAR\"}",
            comma(i == 0 && moving == 0 && glb->presences.count == 0), times, weights);
    add(glb, "]}]");
}

bool nc_glb_write_json(nc_glb *glb)
{
    add(glb, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"Nacre %d.%d.%d\"}", NC_VERSION_MAJOR, NC_VERSION_MINOR,
        NC_VERSION_PATCH);
    add_nodes(glb);
    add_meshes(glb);
    add_animation(glb);
    add_accessors(glb);
    add_buffers(glb);
    add(glb, "}");
    while (glb->json.size % 4 != 0 && !glb->failed)
        add(glb, " ");
    return !glb->failed;
}
