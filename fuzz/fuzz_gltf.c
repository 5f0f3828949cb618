// .glb files. Whatever is accepted gives meshes with good indices, times that ascend, and places that are numbers.
#include "fuzz.h"

#include "io/io.h"

#define MAX_FRAMES 64

static void check_meshes(const nc_gltf *gltf)
{
    const nc_mat3 stretch = {{{-1, 0, 0}, {0, 2, 0.5}, {0, 0, 1}}};
    for (int i = 0; i < nc_gltf_mesh_count(gltf); i++) {
        nc_error err;
        nc_mesh *mesh = NULL;
        const nc_code code = nc_gltf_mesh_create(gltf, i, &stretch, &mesh, &err);
        fuzz_honest(code, &err);
        if (code != NC_OK)
            continue;
        const nc_mesh_data data = nc_mesh_view(mesh);
        for (int t = 0; t < data.triangle_count; t++)
            for (int k = 0; k < 3; k++)
                FUZZ_PROMISE(data.triangles[t][k] >= 0 && data.triangles[t][k] < data.vertex_count);
        nc_mesh_release(mesh);
    }
}

static void check_frames(nc_gltf *gltf)
{
    const nc_allocator memory = nc_allocator_default();
    nc_error err;
    double *times = NULL;
    int count = 0;
    nc_code code = nc_gltf_animate(gltf, NULL, &err);
    if (code == NC_OK)
        code = nc_gltf_times(gltf, 3, &times, &count, &err);
    fuzz_honest(code, &err);
    const int nodes = nc_gltf_node_count(gltf);
    nc_gltf_transform *at = malloc(((size_t)nodes + 1) * sizeof *at);
    for (int i = 0; code == NC_OK && i < count && i < MAX_FRAMES; i++) {
        FUZZ_PROMISE(i == 0 || times[i] > times[i - 1]);
        nc_gltf_place(gltf, times[i], at);
    }
    nc_gltf_place(gltf, NAN, at);
    for (int i = 0; i < nodes; i++)
        FUZZ_PROMISE(nc_quat_norm2(at[i].pose.q) > 0);
    free(at);
    nc_free(&memory, times, (size_t)count, sizeof *times);
}

static nc_code see(const nc_extra *extra, bool of_mesh, void *ctx, nc_error *err)
{
    (void)of_mesh;
    (void)err;
    *(size_t *)ctx += strlen(extra->key) + strlen(extra->text);
    return NC_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nc_error err;
    nc_gltf *gltf = NULL;
    size_t letters = 0;
    const nc_code code = nc_gltf_read(data, size, "fuzz.glb", NULL, &gltf, &err);
    fuzz_honest(code, &err);
    if (code != NC_OK)
        return 0;
    check_meshes(gltf);
    check_frames(gltf);
    for (int i = 0; i < nc_gltf_node_count(gltf); i++)
        FUZZ_PROMISE(nc_gltf_extras(gltf, i, see, &letters, &err) == NC_OK);
    nc_gltf_close(gltf);
    return 0;
}
