// Meshes as OBJ with 17 significant digits, which give the same doubles back.
#include "geom/geom.h"
#include "io/file.h"

static void write_elements(nc_writer *writer, const nc_mesh_data *data)
{
    nc_writer_text(writer, "# %d vertices, %d triangles, %d edges, %d points\n", data->vertex_count,
                   data->triangle_count, data->edge_count, data->point_count);
    for (int i = 0; i < data->vertex_count; i++)
        nc_writer_text(writer, "v %.17g %.17g %.17g\n", data->vertices[i].x, data->vertices[i].y, data->vertices[i].z);
    for (int i = 0; i < data->triangle_count; i++)
        nc_writer_text(writer, "f %d %d %d\n", data->triangles[i][0] + 1, data->triangles[i][1] + 1,
                       data->triangles[i][2] + 1);
    for (int i = 0; i < data->edge_count; i++)
        if (data->edge_is_free[i])
            nc_writer_text(writer, "l %d %d\n", data->edges[i][0] + 1, data->edges[i][1] + 1);
    for (int i = 0; i < data->point_count; i++)
        nc_writer_text(writer, "p %d\n", data->points[i] + 1);
}

nc_code nc_mesh_save(const nc_mesh *mesh, const char *path, nc_error *err)
{
    const nc_allocator allocator = nc_mesh_allocator(mesh);
    const nc_mesh_data data = nc_mesh_view(mesh);
    nc_c_locale locale;
    if (!nc_c_locale_enter(&locale))
        return nc_fail_memory(err, sizeof locale);
    nc_writer writer;
    nc_code code = nc_writer_open(&writer, path, &allocator, err);
    if (code == NC_OK) {
        write_elements(&writer, &data);
        code = nc_writer_close(&writer, true, err);
    }
    nc_c_locale_leave(&locale);
    return code;
}
