// Meshes that are being cut: taken from a mesh, copied, put together, made a mesh again.
#include "fracture/cut.h"

#include <string.h>

void nc_cut_mesh_free(const nc_allocator *allocator, nc_cut_mesh *mesh)
{
    nc_array_free(allocator, &mesh->vertices);
    nc_array_free(allocator, &mesh->triangles);
}

bool nc_cut_mesh_copy(const nc_allocator *allocator, nc_cut_mesh *to, const nc_cut_mesh *from)
{
    if (!nc_array_reserve(allocator, &to->vertices, from->vertices.count) ||
        !nc_array_reserve(allocator, &to->triangles, from->triangles.count))
        return false;
    to->vertices.count = from->vertices.count;
    to->triangles.count = from->triangles.count;
    if (from->triangles.count == 0)
        return true;
    memcpy(to->vertices.data, from->vertices.data, (size_t)from->vertices.count * sizeof *to->vertices.data);
    memcpy(to->triangles.data, from->triangles.data, (size_t)from->triangles.count * sizeof *to->triangles.data);
    return true;
}

bool nc_cut_mesh_take(const nc_allocator *allocator, nc_cut_mesh *to, const nc_mesh_data *from)
{
    if (!nc_array_reserve(allocator, &to->vertices, from->vertex_count) ||
        !nc_array_reserve(allocator, &to->triangles, from->triangle_count))
        return false;
    to->vertices.count = from->vertex_count;
    to->triangles.count = from->triangle_count;
    for (int i = 0; i < from->vertex_count; i++)
        to->vertices.data[i] = from->vertices[i];
    for (int i = 0; i < from->triangle_count; i++) {
        const int *v = from->triangles[i];
        to->triangles.data[i] = (nc_cut_triangle){{v[0], v[1], v[2]}, -1 - i};
    }
    return true;
}

bool nc_cut_mesh_append(const nc_allocator *allocator, nc_cut_mesh *to, const nc_cut_mesh *from, const int *label,
                        int wanted, nc_vec3 center, int *row_of)
{
    for (int i = 0; i < from->vertices.count; i++)
        row_of[i] = -1;
    for (int i = 0; i < from->triangles.count; i++) {
        nc_cut_triangle t = from->triangles.data[i];
        if (label != NULL && label[i] != wanted)
            continue;
        for (int k = 0; k < 3; k++) {
            int *row = &row_of[t.v[k]];
            if (*row < 0) {
                const nc_vec3 moved = nc_sub(from->vertices.data[t.v[k]], center);
                *row = to->vertices.count;
                if (!nc_array_push(allocator, &to->vertices, moved))
                    return false;
            }
            t.v[k] = *row;
        }
        if (!nc_array_push(allocator, &to->triangles, t))
            return false;
    }
    return true;
}

nc_box nc_cut_mesh_box(const nc_cut_mesh *mesh)
{
    nc_box box = nc_box_empty();
    for (int i = 0; i < mesh->vertices.count; i++)
        box = nc_box_add(box, mesh->vertices.data[i]);
    return box;
}

// Coordinates that are nothing but rounding become 0: meshes take no smaller ones than NC_COORDINATE_MIN.
static double settled(double x)
{
    return fabs(x) < NC_COORDINATE_MIN ? 0.0 : x;
}

nc_code nc_cut_mesh_finish(const nc_allocator *allocator, const nc_cut_mesh *mesh, nc_mesh **out, nc_error *err)
{
    const size_t vertices = (size_t)mesh->vertices.count, triangles = (size_t)mesh->triangles.count;
    nc_vec3 *v = nc_alloc(allocator, vertices, sizeof *v);
    int(*t)[3] = nc_alloc(allocator, triangles, sizeof *t);
    nc_code code = NC_OK;
    *out = NULL;
    if (v == NULL || t == NULL) {
        code = nc_fail_memory(err, vertices * sizeof *v);
    } else {
        for (size_t i = 0; i < vertices; i++) {
            const nc_vec3 p = mesh->vertices.data[i];
            v[i] = nc_v3(settled(p.x), settled(p.y), settled(p.z));
        }
        for (size_t i = 0; i < triangles; i++)
            memcpy(t[i], mesh->triangles.data[i].v, sizeof t[i]);
        const nc_mesh_def def = {.vertices = v,
                                 .vertex_count = (int)vertices,
                                 .triangles = (const int(*)[3])t,
                                 .triangle_count = (int)triangles};
        code = nc_mesh_create(&def, allocator, out, err);
    }
    nc_free(allocator, v, vertices, sizeof *v);
    nc_free(allocator, t, triangles, sizeof *t);
    return code;
}
