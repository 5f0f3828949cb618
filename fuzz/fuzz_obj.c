// OBJ text. What loads must be a mesh whose every index is good, and must survive being made again from its own data;
// its objects together must have its elements.
#include "fuzz.h"

#include "io/soup.h"

static void check_mesh(const nc_mesh *mesh)
{
    const nc_mesh_data data = nc_mesh_view(mesh);
    FUZZ_PROMISE(data.triangle_count + data.edge_count + data.point_count > 0);
    for (int i = 0; i < data.vertex_count; i++)
        FUZZ_PROMISE(nc_max3(data.vertices[i]) <= NC_COORDINATE_MAX);
    for (int i = 0; i < data.triangle_count; i++)
        for (int k = 0; k < 3; k++)
            FUZZ_PROMISE(data.triangles[i][k] >= 0 && data.triangles[i][k] < data.vertex_count);
    for (int i = 0; i < data.edge_count; i++)
        FUZZ_PROMISE(data.edges[i][0] < data.edges[i][1] && data.edges[i][1] < data.vertex_count);
    nc_mesh_def def = {data.vertices, data.vertex_count, data.triangles, data.triangle_count, NULL, 0,
                       data.points,   data.point_count};
    int(*free_edges)[2] = malloc(((size_t)data.edge_count + 1) * sizeof *free_edges);
    for (int i = 0; i < data.edge_count; i++)
        if (data.edge_is_free[i])
            memcpy(free_edges[def.edge_count++], data.edges[i], sizeof *free_edges);
    def.edges = (const int(*)[2])free_edges;
    nc_mesh *again = NULL;
    FUZZ_PROMISE(nc_mesh_create(&def, NULL, &again, NULL) == NC_OK && nc_mesh_view(again).hash == data.hash);
    nc_mesh_release(again);
    free(free_edges);
}

static void check_parts(const nc_file_text *text, const nc_soup *soup)
{
    nc_obj_parts parts = {.allocator = nc_allocator_default()};
    nc_error err;
    const nc_code code = nc_obj_parts_read(text, "fuzz.obj", true, &parts, &err);
    int elements = 0;
    fuzz_honest(code, &err);
    for (int i = 0; code == NC_OK && i < parts.parts.count; i++)
        elements += nc_mesh_view(parts.parts.data[i].mesh).triangle_count;
    FUZZ_PROMISE(code != NC_OK || elements == soup->triangles.count);
    nc_obj_parts_free(&parts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nc_error err;
    nc_mesh *mesh = NULL;
    nc_file_text text = {malloc(size + 1), size, nc_allocator_default()};
    memcpy(text.data, data, size);
    text.data[size] = '\0';
    nc_soup soup = nc_soup_create(NULL);
    nc_code code = nc_obj_parse(&text, "fuzz.obj", &soup, &err);
    if (code == NC_OK)
        code = nc_soup_mesh(&soup, "fuzz.obj", &mesh, &err);
    fuzz_honest(code, &err);
    if (code == NC_OK)
        check_mesh(mesh);
    if (code == NC_OK)
        check_parts(&text, &soup);
    nc_mesh_release(mesh);
    nc_soup_free(&soup);
    free(text.data);
    return 0;
}
