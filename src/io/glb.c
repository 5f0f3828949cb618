// Clips as glTF 2.0 binary (.glb): a header, the JSON (glb_json.c), and the numbers it speaks of.
#include "io/glb.h"

#include <string.h>

nc_float3 nc_to_float3(nc_vec3 v)
{
    const nc_float3 f = {{(float)v.x, (float)v.y, (float)v.z}};
    return f;
}

int nc_free_edge_count(const nc_mesh_data *data)
{
    int count = 0;
    for (int i = 0; i < data->edge_count; i++)
        count += data->edge_is_free[i];
    return count;
}

// ---- which meshes, which bodies come and go -----------------------------------------------------------------

// The row of an equal mesh; a new one when there is none; -1 when out of memory.
static int find_mesh(nc_glb *glb, const nc_mesh *mesh)
{
    for (int i = 0; i < glb->meshes.count; i++)
        if (nc_meshes_are_equal(glb->meshes.data[i].mesh, mesh))
            return i;
    const nc_glb_mesh row = {mesh, false, -1, 0, 0};
    return nc_array_push(&glb->allocator, &glb->meshes, row) ? glb->meshes.count - 1 : -1;
}

static bool collect_meshes(nc_glb *glb)
{
    const nc_clip *clip = glb->clip;
    glb->mesh_of = nc_alloc(&glb->allocator, (size_t)clip->mesh_count, sizeof *glb->mesh_of);
    if (glb->mesh_of == NULL)
        return false;
    for (int i = 0; i < clip->mesh_count; i++)
        glb->mesh_of[i] = -1;
    for (int i = 0; i < clip->body_count; i++) {
        int *row = &glb->mesh_of[clip->bodies[i].mesh];
        if (*row < 0)
            *row = find_mesh(glb, clip->meshes[clip->bodies[i].mesh]);
        if (*row < 0)
            return false;
        glb->meshes.data[*row].moves |= clip->bodies[i].moving || clip->bodies[i].deforms;
    }
    for (int i = 0; i < glb->morphs.count && glb->tracks->frames > 1; i++)
        glb->meshes.data[glb->mesh_of[clip->bodies[glb->morphs.data[i].body].mesh]].morph = i;
    return true;
}

// The row of a look, or of a mesh with a look; a new one when there is none; -1 when out of memory.
static int find_look(nc_glb *glb, int mesh, const nc_appearance *appearance)
{
    double unused[3];
    const nc_glb_look row = {nc_appearance_light(appearance, unused) ? -1 : mesh, *appearance};
    for (int i = 0; i < glb->looks.count; i++)
        if (glb->looks.data[i].mesh == row.mesh && nc_appearance_same(&glb->looks.data[i].appearance, appearance))
            return i;
    return nc_array_push(&glb->allocator, &glb->looks, row) ? glb->looks.count - 1 : -1;
}

static int find_variant(nc_glb *glb, int mesh, int look)
{
    for (int i = 0; i < glb->variants.count; i++)
        if (glb->variants.data[i].mesh == mesh && glb->variants.data[i].look == look)
            return i;
    const nc_glb_variant row = {mesh, look};
    return nc_array_push(&glb->allocator, &glb->variants, row) ? glb->variants.count - 1 : -1;
}

static bool collect_variants(nc_glb *glb)
{
    const nc_clip *clip = glb->clip;
    glb->variant_of = nc_alloc(&glb->allocator, (size_t)clip->body_count, sizeof *glb->variant_of);
    if (glb->variant_of == NULL)
        return false;
    for (int i = 0; i < clip->body_count; i++) {
        const int mesh = glb->mesh_of[clip->bodies[i].mesh];
        const int look = find_look(glb, mesh, &clip->bodies[i].appearance);
        glb->variant_of[i] = look < 0 ? -1 : find_variant(glb, mesh, look);
        if (glb->variant_of[i] < 0)
            return false;
    }
    for (int m = 0, colour = 0; m < glb->meshes.count; m++)
        glb->meshes.data[m].colour = glb->meshes.data[m].moves ? ++colour : 0;
    return true;
}

// ---- bodies that deform -------------------------------------------------------------------------------------

int nc_glb_target_count(const nc_glb *glb)
{
    return glb->tracks->frames - 1;
}

nc_float3 nc_glb_target(const nc_glb *glb, const nc_glb_morph *morph, int target, int vertex)
{
    (void)glb;
    nc_float3 out;
    const float *base = morph->positions + 3 * (size_t)vertex;
    const float *at = base + 3 * ((size_t)target + 1) * (size_t)morph->vertex_count;
    for (int k = 0; k < 3; k++)
        out.v[k] = at[k] - base[k];
    return out;
}

static bool make_morphs(nc_glb *glb)
{
    const nc_clip *clip = glb->clip;
    for (int i = 0; i < clip->body_count; i++) {
        if (!clip->bodies[i].deforms)
            continue;
        const int vertices = nc_mesh_view(clip->meshes[clip->bodies[i].mesh]).vertex_count;
        const size_t count = (size_t)glb->tracks->frames * (size_t)vertices;
        const nc_glb_morph morph = {i, vertices, nc_alloc(&glb->allocator, count, 3 * sizeof(float))};
        if (morph.positions == NULL || !nc_array_push(&glb->allocator, &glb->morphs, morph)) {
            nc_free(&glb->allocator, morph.positions, count, 3 * sizeof(float));
            return false;
        }
    }
    return true;
}

static void keep_shapes(nc_glb *glb, int frame)
{
    for (int i = 0; i < glb->morphs.count; i++) {
        const nc_glb_morph *morph = &glb->morphs.data[i];
        const nc_mesh_data data = nc_mesh_view(glb->clip->meshes[glb->clip->bodies[morph->body].mesh]);
        float *out = morph->positions + 3 * (size_t)frame * (size_t)morph->vertex_count;
        for (int v = 0; v < morph->vertex_count; v++)
            memcpy(out + 3 * (size_t)v, nc_to_float3(data.vertices[v]).v, 3 * sizeof(float));
    }
}

// Reads the shapes of all frames, the first one last: its meshes are the ones that are written.
static nc_code gather_morphs(nc_glb *glb, nc_error *err)
{
    const nc_clip *clip = glb->clip;
    const size_t bodies = (size_t)clip->body_count;
    bool any = false;
    for (int i = 0; i < clip->body_count; i++)
        any = any || clip->bodies[i].deforms;
    if (!any)
        return NC_OK;
    nc_pose *poses = nc_alloc(&glb->allocator, bodies, sizeof *poses);
    uint8_t *present = nc_alloc(&glb->allocator, bodies, 1);
    nc_code code =
        poses != NULL && present != NULL && make_morphs(glb) ? NC_OK : nc_fail_memory(err, bodies * sizeof *poses);
    double time;
    for (int k = glb->tracks->frames - 1; k >= 0 && code == NC_OK; k--) {
        code = clip->read(clip->ctx, k, &time, poses, present, err);
        if (code == NC_OK)
            keep_shapes(glb, k);
    }
    nc_free(&glb->allocator, poses, bodies, sizeof *poses);
    nc_free(&glb->allocator, present, bodies, 1);
    return code;
}

static void free_morphs(nc_glb *glb)
{
    for (int i = 0; i < glb->morphs.count; i++)
        nc_free(&glb->allocator, glb->morphs.data[i].positions,
                (size_t)glb->tracks->frames * (size_t)glb->morphs.data[i].vertex_count, 3 * sizeof(float));
    nc_array_free(&glb->allocator, &glb->morphs);
}

static bool collect_presences(nc_glb *glb)
{
    const nc_tracks *tracks = glb->tracks;
    for (int i = 0; i < tracks->bodies; i++) {
        const uint8_t *present = tracks->present + (size_t)i * (size_t)tracks->frames;
        nc_glb_presence presence = {i, glb->presence_frames.count, 0};
        for (int k = 0; k < tracks->frames; k++) {
            // a body that is always there needs no keys
            if (k > 0 ? present[k] == present[k - 1] : memchr(present, 0, (size_t)tracks->frames) == NULL)
                continue;
            if (!nc_array_push(&glb->allocator, &glb->presence_frames, k))
                return false;
            presence.count++;
        }
        if (presence.count > 0 && !nc_array_push(&glb->allocator, &glb->presences, presence))
            return false;
    }
    return true;
}

static void measure_sections(nc_glb *glb)
{
    for (int i = 0; i < glb->meshes.count; i++) {
        const nc_mesh_data data = nc_mesh_view(glb->meshes.data[i].mesh);
        const uint64_t shapes = glb->meshes.data[i].morph >= 0 ? (uint64_t)glb->tracks->frames : 1;
        glb->section_size[NC_GLB_POSITIONS] += 12 * shapes * (uint64_t)data.vertex_count;
        glb->section_size[NC_GLB_INDICES] += 12 * (uint64_t)data.triangle_count +
                                             8 * (uint64_t)nc_free_edge_count(&data) + 4 * (uint64_t)data.point_count;
    }
    const uint64_t frames = (uint64_t)glb->tracks->frames, moving = (uint64_t)glb->tracks->moving;
    const uint64_t morphs = frames > 1 ? (uint64_t)glb->morphs.count : 0;
    glb->section_size[NC_GLB_KEYS] = (moving > 0 || morphs > 0 ? 4 * frames : 0) +
                                     (morphs > 0 ? 4 * frames * (frames - 1) : 0) + 28 * frames * moving +
                                     16 * (uint64_t)glb->presence_frames.count;
}

// ---- writing ------------------------------------------------------------------------------------------------

static void write_u32(nc_writer *writer, uint64_t value)
{
    uint8_t bytes[4];
    nc_word_write(value, sizeof bytes, bytes);
    nc_writer_bytes(writer, bytes, sizeof bytes);
}

// glTF is little-endian, whatever the machine is.
static void write_floats(nc_writer *writer, const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        write_u32(writer, nc_float_bits(values[i]));
}

static void write_positions(nc_writer *writer, const nc_glb *glb)
{
    for (int m = 0; m < glb->meshes.count; m++) {
        const nc_mesh_data data = nc_mesh_view(glb->meshes.data[m].mesh);
        for (int i = 0; i < data.vertex_count; i++)
            write_floats(writer, nc_to_float3(data.vertices[i]).v, 3);
        const int morph = glb->meshes.data[m].morph;
        for (int t = 0; morph >= 0 && t < nc_glb_target_count(glb); t++)
            for (int i = 0; i < data.vertex_count; i++)
                write_floats(writer, nc_glb_target(glb, &glb->morphs.data[morph], t, i).v, 3);
    }
}

// At frame k the target k - 1 has the weight 1. All morphs share these keys.
static void write_weights(nc_writer *writer, const nc_glb *glb)
{
    const int targets = nc_glb_target_count(glb);
    for (int k = 0; k < glb->tracks->frames; k++)
        for (int t = 0; t < targets; t++) {
            const float weight = t == k - 1 ? 1 : 0;
            write_floats(writer, &weight, 1);
        }
}

static void write_indices(nc_writer *writer, const nc_glb *glb)
{
    for (int m = 0; m < glb->meshes.count; m++) {
        const nc_mesh_data data = nc_mesh_view(glb->meshes.data[m].mesh);
        for (int i = 0; i < data.triangle_count; i++)
            for (int k = 0; k < 3; k++)
                write_u32(writer, (uint64_t)data.triangles[i][k]);
        for (int i = 0; i < data.edge_count; i++)
            for (int k = 0; k < 2 && data.edge_is_free[i]; k++)
                write_u32(writer, (uint64_t)data.edges[i][k]);
        for (int i = 0; i < data.point_count; i++)
            write_u32(writer, (uint64_t)data.points[i]);
    }
}

static void write_keys(nc_writer *writer, const nc_glb *glb)
{
    const nc_tracks *tracks = glb->tracks;
    const size_t frames = (size_t)tracks->frames, keys = (size_t)tracks->moving * frames;
    const bool morphs = glb->morphs.count > 0 && frames > 1;
    write_floats(writer, tracks->times, tracks->moving > 0 || morphs ? frames : 0);
    if (morphs)
        write_weights(writer, glb);
    write_floats(writer, tracks->translations, 3 * keys);
    write_floats(writer, tracks->rotations, 4 * keys);
    for (int i = 0; i < glb->presences.count; i++) {
        const nc_glb_presence *p = &glb->presences.data[i];
        const int *at = glb->presence_frames.data + p->first;
        for (int k = 0; k < p->count; k++)
            write_floats(writer, &tracks->times[at[k]], 1);
        for (int k = 0; k < p->count; k++) {
            const float there = tracks->present[(size_t)p->body * frames + (size_t)at[k]] ? 1 : 0;
            const float scale[3] = {there, there, there};
            write_floats(writer, scale, 3);
        }
    }
}

static nc_code write_file(const nc_glb *glb, const char *path, nc_error *err)
{
    const uint64_t json = glb->json.size;
    const uint64_t binary = glb->section_size[0] + glb->section_size[1] + glb->section_size[2];
    const uint64_t total = 12 + 8 + json + 8 + binary;
    if (total > UINT32_MAX)
        return nc_fail_at(err, NC_BAD_ARGUMENT, path, 0, 0,
                          "the clip takes %.1f GB, but a .glb file holds at most 4.2 GB: export fewer frames",
                          1e-9 * (double)total);
    nc_writer writer;
    const nc_code code = nc_writer_open(&writer, path, &glb->allocator, err);
    if (code != NC_OK)
        return code;
    nc_writer_bytes(&writer, "glTF", 4);
    write_u32(&writer, 2);
    write_u32(&writer, total);
    write_u32(&writer, json);
    nc_writer_bytes(&writer, "JSON", 4);
    nc_writer_bytes(&writer, glb->json.data, glb->json.size);
    write_u32(&writer, binary);
    nc_writer_bytes(&writer, "BIN\0", 4);
    write_positions(&writer, glb);
    write_indices(&writer, glb);
    write_keys(&writer, glb);
    return nc_writer_close(&writer, true, err);
}

// ---- the whole ----------------------------------------------------------------------------------------------

static bool compose(nc_glb *glb)
{
    if (!collect_meshes(glb) || !collect_variants(glb) || !collect_presences(glb))
        return false;
    measure_sections(glb);
    nc_c_locale locale;
    if (!nc_c_locale_enter(&locale))
        return false;
    const bool made = nc_glb_write_json(glb);
    nc_c_locale_leave(&locale);
    return made;
}

static nc_code export_tracks(const nc_clip *clip, const nc_tracks *tracks, const char *path, nc_error *err)
{
    const nc_allocator *allocator = &tracks->allocator;
    nc_clip_names names;
    nc_code code = nc_clip_names_create(clip, allocator, &names, err);
    if (code != NC_OK)
        return code;
    nc_glb glb = {.clip = clip, .names = &names, .tracks = tracks, .allocator = *allocator};
    glb.json = nc_buffer_create(allocator);
    code = gather_morphs(&glb, err);
    if (code == NC_OK)
        code = compose(&glb)
                   ? write_file(&glb, path, err)
                   : nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for the .glb of %d bodies", clip->body_count);
    free_morphs(&glb);
    nc_array_free(allocator, &glb.meshes);
    nc_array_free(allocator, &glb.looks);
    nc_array_free(allocator, &glb.variants);
    nc_free(allocator, glb.variant_of, (size_t)clip->body_count, sizeof *glb.variant_of);
    nc_array_free(allocator, &glb.presences);
    nc_array_free(allocator, &glb.presence_frames);
    nc_free(allocator, glb.mesh_of, (size_t)clip->mesh_count, sizeof *glb.mesh_of);
    nc_buffer_free(&glb.json);
    nc_clip_names_free(&names);
    return code;
}

// Said before the poses are gathered, which takes as much memory.
static nc_code check_size(const nc_clip *clip, const char *path, nc_error *err)
{
    uint64_t moving = 0;
    for (int i = 0; i < clip->body_count; i++)
        moving += clip->bodies[i].moving;
    if (moving > 0 && (uint64_t)clip->frame_count > UINT32_MAX / (28 * moving))
        return nc_fail_at(err, NC_BAD_ARGUMENT, path, 0, 0,
                          "%lld frames of %llu moving bodies take more than the 4.2 GB that a .glb file holds: export "
                          "fewer frames",
                          (long long)clip->frame_count, (unsigned long long)moving);
    return NC_OK;
}

nc_code nc_export_glb(const nc_clip *clip, const char *path, const nc_allocator *allocator, nc_error *err)
{
    nc_code code = nc_clip_check(clip, err);
    if (code == NC_OK)
        code = check_size(clip, path, err);
    nc_tracks tracks;
    if (code == NC_OK)
        code = nc_tracks_create(clip, allocator, &tracks, err);
    if (code != NC_OK)
        return code;
    code = export_tracks(clip, &tracks, path, err);
    nc_tracks_free(&tracks);
    return code;
}
