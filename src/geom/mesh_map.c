// A mesh with its vertices elsewhere.
#include "geom/geom.h"

nc_code nc_mesh_map(const nc_mesh *mesh, nc_vec3 (*map)(nc_vec3 p, const void *ctx), const void *ctx,
                    const nc_allocator *allocator, nc_mesh **out, nc_error *err)
{
    const nc_mesh_data data = nc_mesh_view(mesh);
    nc_vec3 *vertices = nc_alloc(allocator, (size_t)data.vertex_count, sizeof *vertices);
    if (vertices == NULL)
        return nc_fail_memory(err, (size_t)data.vertex_count * sizeof *vertices);
    for (int i = 0; i < data.vertex_count; i++)
        vertices[i] = map(data.vertices[i], ctx);
    const nc_mesh_def def = {.vertices = vertices,
                             .vertex_count = data.vertex_count,
                             .triangles = data.triangles,
                             .triangle_count = data.triangle_count};
    const nc_code code = nc_mesh_create(&def, allocator, out, err);
    nc_free(allocator, vertices, (size_t)data.vertex_count, sizeof *vertices);
    return code;
}
