// Patterns of cracks as files.
#include "pattern_files.h"

#include "out_file.h"

#include "io/io.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

void nc_pattern_pieces_free(nc_pattern_pieces *pieces)
{
    for (int i = 0; i < pieces->meshes.count; i++)
        nc_mesh_release(pieces->meshes.data[i]);
    nc_array_free(&pieces->allocator, &pieces->meshes);
}

static bool ends_in(const char *path, const char *ending)
{
    const size_t length = strlen(path), n = strlen(ending);
    return length > n && strcasecmp(path + length - n, ending) == 0;
}

// Takes the mesh over.
static nc_code add_piece(nc_pattern_pieces *pieces, nc_mesh *mesh, nc_error *err)
{
    if (nc_array_push(&pieces->allocator, &pieces->meshes, mesh))
        return NC_OK;
    nc_mesh_release(mesh);
    return nc_fail_memory(err, sizeof(nc_mesh *));
}

nc_code nc_pattern_pieces_make(const nc_pattern *pattern, nc_pattern_pieces *out, nc_error *err)
{
    nc_code code = NC_OK;
    *out = (nc_pattern_pieces){.allocator = nc_allocator_default()};
    for (int i = 0; i < pattern->regions.count && code == NC_OK; i++) {
        nc_mesh *mesh = NULL;
        code = nc_region_mesh(pattern, i, &mesh, err);
        if (code == NC_OK)
            code = add_piece(out, mesh, err);
    }
    return code;
}

nc_code nc_pattern_pieces_load(const char *path, nc_pattern_pieces *out, nc_error *err)
{
    nc_mesh_list list;
    *out = (nc_pattern_pieces){.allocator = nc_allocator_default()};
    nc_code code = nc_mesh_load_all(path, NULL, &list, err);
    for (int i = 0; i < list.count && code == NC_OK; i++)
        code = add_piece(out, nc_mesh_retain(list.meshes[i]), err);
    nc_mesh_list_free(&list);
    return code;
}

// ---- writing ------------------------------------------------------------------------------------------------

// The mean of the corners is inside a convex piece. So two convex pieces that a plane parts move apart along its
// normal.
static nc_vec3 shift_of(const nc_mesh *mesh, nc_vec3 center, double explode)
{
    const nc_mesh_data data = nc_mesh_view(mesh);
    nc_vec3 sum = nc_v3(0, 0, 0);
    for (int i = 0; i < data.vertex_count; i++)
        sum = nc_add(sum, data.vertices[i]);
    return nc_scale(explode, nc_sub(nc_scale(1.0 / data.vertex_count, sum), center));
}

static nc_code save_obj(const nc_pattern_pieces *pieces, nc_vec3 center, double explode, const char *path,
                        nc_error *err)
{
    nc_out_file file;
    const nc_code code = nc_out_open(&file, path, err);
    if (code != NC_OK)
        return code;
    int before = 1;
    for (int i = 0; i < pieces->meshes.count; i++) {
        const nc_mesh_data data = nc_mesh_view(pieces->meshes.data[i]);
        const nc_vec3 shift = shift_of(pieces->meshes.data[i], center, explode);
        fprintf(file.out, "o piece_%d\n", i);
        for (int v = 0; v < data.vertex_count; v++) {
            const nc_vec3 p = nc_add(data.vertices[v], shift);
            fprintf(file.out, "v %.17g %.17g %.17g\n", p.x, p.y, p.z);
        }
        for (int t = 0; t < data.triangle_count; t++)
            fprintf(file.out, "f %d %d %d\n", data.triangles[t][0] + before, data.triangles[t][1] + before,
                    data.triangles[t][2] + before);
        before += data.vertex_count;
    }
    return nc_out_close(&file, NC_OK, err);
}

typedef struct still {
    const nc_pattern_pieces *pieces;
    nc_vec3 center;
    double explode;
} still;

static nc_code read_still(void *ctx, int64_t frame, double *time, nc_pose *poses, uint8_t *present, nc_error *err)
{
    const still *s = ctx;
    (void)frame;
    (void)err;
    *time = 0;
    for (int i = 0; i < s->pieces->meshes.count; i++) {
        poses[i] = (nc_pose){shift_of(s->pieces->meshes.data[i], s->center, s->explode), nc_quat_identity()};
        present[i] = 1;
    }
    return NC_OK;
}

static nc_code save_glb(const nc_pattern_pieces *pieces, nc_vec3 center, double explode, const char *path,
                        nc_error *err)
{
    const int count = pieces->meshes.count;
    still s = {pieces, center, explode};
    nc_clip_body *bodies = calloc((size_t)count, sizeof *bodies);
    if (bodies == NULL)
        return nc_fail_memory(err, (size_t)count * sizeof *bodies);
    for (int i = 0; i < count; i++)
        bodies[i] = (nc_clip_body){.name = "piece", .mesh = i, .moving = true, .type = NC_DYNAMIC};
    const nc_clip clip = {.title = "pattern",
                          .meshes = pieces->meshes.data,
                          .mesh_count = count,
                          .bodies = bodies,
                          .body_count = count,
                          .frame_count = 1,
                          .gravity = {0, -9.8, 0},
                          .read = read_still,
                          .ctx = &s};
    const nc_code code = nc_export_glb(&clip, path, NULL, err);
    free(bodies);
    return code;
}

bool nc_pattern_pieces_can_save(const char *path)
{
    return ends_in(path, ".glb") || ends_in(path, ".obj");
}

nc_code nc_pattern_pieces_save(const nc_pattern_pieces *pieces, nc_vec3 center, double explode, const char *path,
                               nc_error *err)
{
    return ends_in(path, ".glb") ? save_glb(pieces, center, explode, path, err)
                                 : save_obj(pieces, center, explode, path, err);
}
