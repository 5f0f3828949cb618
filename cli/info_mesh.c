// nacre info of a mesh file.
#include "info.h"

// [m^2]
static double area_of(const nc_mesh_data *mesh)
{
    double twice = 0;
    for (int i = 0; i < mesh->triangle_count; i++) {
        const int *t = mesh->triangles[i];
        const nc_vec3 a = mesh->vertices[t[0]];
        twice += nc_norm(nc_cross(nc_sub(mesh->vertices[t[1]], a), nc_sub(mesh->vertices[t[2]], a)));
    }
    return twice / 2;
}

// [m^3] by the divergence theorem; means something for closed meshes only. Negative: inside out.
static double volume_of(const nc_mesh_data *mesh)
{
    const nc_vec3 origin = mesh->vertices[0];
    double six = 0;
    for (int i = 0; i < mesh->triangle_count; i++) {
        const int *t = mesh->triangles[i];
        const nc_vec3 a = nc_sub(mesh->vertices[t[0]], origin), b = nc_sub(mesh->vertices[t[1]], origin);
        six += nc_dot(a, nc_cross(b, nc_sub(mesh->vertices[t[2]], origin)));
    }
    return six / 6;
}

static int count_free_edges(const nc_mesh_data *mesh)
{
    int count = 0;
    for (int i = 0; i < mesh->edge_count; i++)
        count += mesh->edge_is_free[i];
    return count;
}

static void print_geometry(nc_facts *facts, const nc_mesh_data *mesh)
{
    nc_fact_whole(facts, "vertices", mesh->vertex_count);
    nc_fact_whole(facts, "triangles", mesh->triangle_count);
    nc_fact_whole(facts, "edges", mesh->edge_count);
    nc_fact_whole(facts, "free_edges", count_free_edges(mesh));
    nc_fact_whole(facts, "points", mesh->point_count);
    nc_fact_flag(facts, "closed", mesh->closed);
    nc_fact_vec3(facts, "box_low", mesh->box.lo, "m");
    nc_fact_vec3(facts, "box_high", mesh->box.hi, "m");
    nc_fact_vec3(facts, "size", nc_sub(mesh->box.hi, mesh->box.lo), "m");
    nc_fact_number(facts, "area", area_of(mesh), "m^2");
    if (mesh->closed)
        nc_fact_number(facts, "volume", volume_of(mesh), "m^3");
    nc_fact_hash(facts, "hash", mesh->hash);
}

nc_exit nc_info_mesh(nc_facts *facts, const char *path)
{
    nc_error err = {0};
    nc_mesh *mesh = NULL;
    nc_mesh_file_info file = {0};
    if (nc_mesh_load(path, NULL, &mesh, &file, &err) != NC_OK)
        return nc_complain(&err);
    const nc_mesh_data data = nc_mesh_view(mesh);
    nc_facts_begin(facts, facts->as_json);
    nc_fact_text(facts, "kind", "mesh");
    nc_fact_text(facts, "file", path);
    nc_fact_text(facts, "format", file.format);
    nc_fact_text(facts, "precision",
                 file.single_precision ? "float32 (coordinates of this format pass through single precision)"
                                       : "float64");
    nc_fact_whole(facts, "dropped_elements", file.dropped_elements);
    print_geometry(facts, &data);
    nc_facts_end(facts);
    nc_mesh_release(mesh);
    return NC_EXIT_DONE;
}
