// Surfaces of level sets, as meshes that can be cut and as meshes.
#include "fracture/cut.h"

static bool take_triangles(const nc_allocator *allocator, const nc_level_surface *from, nc_cut_mesh *out)
{
    const int count = from->corners.count / 3;
    if (!nc_array_reserve(allocator, &out->triangles, count))
        return false;
    for (int i = 0; i < count; i++) {
        const int *v = from->corners.data + (ptrdiff_t)3 * i;
        out->triangles.data[i] = (nc_cut_triangle){{v[0], v[1], v[2]}, -1 - i};
    }
    out->triangles.count = count;
    return true;
}

bool nc_level_set_surface(const nc_level_set *set, bool sharp, const nc_allocator *allocator, nc_cut_mesh *out)
{
    const nc_allocator memory = nc_allocator_or_default(allocator);
    nc_level_surface surface = {0};
    if (!nc_level_surface_build(set, sharp, NULL, &memory, &surface))
        return false;
    const bool ok = take_triangles(&memory, &surface, out);
    if (ok) {
        // The vertices change hands.
        nc_array_free(&memory, &out->vertices);
        out->vertices.data = surface.vertices.data;
        out->vertices.count = surface.vertices.count;
        out->vertices.capacity = surface.vertices.capacity;
        surface.vertices.data = NULL;
        surface.vertices.count = surface.vertices.capacity = 0;
    }
    nc_level_surface_free(&memory, &surface);
    return ok;
}

nc_code nc_level_set_contour(const nc_level_set *set, bool sharp, const nc_allocator *allocator, nc_mesh **out,
                             nc_error *err)
{
    const nc_allocator memory = nc_allocator_or_default(allocator);
    nc_cut_mesh surface = {0};
    nc_code code = NC_OK;
    *out = NULL;
    if (!nc_level_set_surface(set, sharp, &memory, &surface))
        code = nc_fail_memory(err, nc_level_grid_bytes(set));
    else if (surface.triangles.count == 0)
        code = nc_fail(err, NC_BAD_ARGUMENT, "a level set without a sample below 0 has no surface");
    else
        code = nc_cut_mesh_finish(&memory, &surface, out, err);
    nc_cut_mesh_free(&memory, &surface);
    return code;
}
