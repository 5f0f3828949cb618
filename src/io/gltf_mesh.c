// The meshes of a .glb: all primitives of one as one soup.
#include "io/gltf.h"
#include "io/soup.h"

typedef struct mesh_reader {
    const nc_gltf *gltf;
    int mesh;
    nc_mat3 stretch;
    bool mirrors;
    nc_soup soup;
    nc_gltf_numbers indices;
    bool has_indices;
    int first; // vertex of the soup that the primitive starts at
    int count; // corners: indices, or vertices when there are none
    nc_error *err;
} mesh_reader;

static nc_code complain(const mesh_reader *reader, const char *problem)
{
    return nc_fail_at(reader->err, NC_BAD_FILE, reader->gltf->path, 0, 0, "mesh %d (\"%.64s\"): %s", reader->mesh,
                      nc_gltf_mesh_name(reader->gltf, reader->mesh), problem);
}

static nc_code out_of_memory(const mesh_reader *reader)
{
    return nc_fail_memory(reader->err, (size_t)reader->soup.vertices.count * sizeof(nc_vec3));
}

static int corner(const mesh_reader *reader, int k)
{
    return reader->first + (reader->has_indices ? (int)nc_gltf_number(&reader->indices, k, 0) : k);
}

static nc_code read_positions(mesh_reader *reader, int accessor)
{
    nc_gltf_numbers positions;
    const nc_code code = nc_gltf_accessor(reader->gltf, accessor, &positions, reader->err);
    if (code != NC_OK)
        return code;
    if (positions.width != 3 || positions.count > INT32_MAX - reader->first)
        return complain(reader, "positions must be of type VEC3");
    if (!nc_array_reserve(&reader->soup.allocator, &reader->soup.vertices, reader->first + positions.count))
        return out_of_memory(reader);
    for (int i = 0; i < positions.count; i++) {
        nc_vec3 v =
            nc_v3(nc_gltf_number(&positions, i, 0), nc_gltf_number(&positions, i, 1), nc_gltf_number(&positions, i, 2));
        if (!nc_soup_legal_coordinate(&v.x) || !nc_soup_legal_coordinate(&v.y) || !nc_soup_legal_coordinate(&v.z))
            return complain(reader, "its coordinates must be finite and at most 2^100");
        reader->soup.vertices.data[reader->soup.vertices.count++] = v;
    }
    return NC_OK;
}

static nc_code read_indices(mesh_reader *reader, int accessor)
{
    const int vertices = reader->soup.vertices.count - reader->first;
    reader->has_indices = accessor >= 0;
    reader->count = vertices;
    if (accessor < 0)
        return NC_OK;
    const nc_code code = nc_gltf_accessor(reader->gltf, accessor, &reader->indices, reader->err);
    if (code != NC_OK)
        return code;
    const int component = reader->indices.component;
    if (reader->indices.width != 1 || (component != 5121 && component != 5123 && component != 5125))
        return complain(reader, "indices must be whole numbers of type SCALAR");
    reader->indices.normalized = false;
    reader->count = reader->indices.count;
    for (int i = 0; i < reader->count; i++)
        if (nc_gltf_number(&reader->indices, i, 0) >= vertices)
            return complain(reader, "an index is larger than the number of vertices");
    return NC_OK;
}

static bool add_triangle(mesh_reader *reader, int a, int b, int c)
{
    return reader->mirrors ? nc_soup_add_triangle(&reader->soup, a, c, b)
                           : nc_soup_add_triangle(&reader->soup, a, b, c);
}

// Triangles of modes 4 (a list), 5 (a strip) and 6 (a fan).
static bool add_triangles(mesh_reader *reader, int mode)
{
    bool good = true;
    for (int k = 0; k + 2 < reader->count && good; k += mode == 4 ? 3 : 1) {
        const int odd = mode == 5 ? k % 2 : 0;
        good = mode == 6
                   ? add_triangle(reader, corner(reader, 0), corner(reader, k + 1), corner(reader, k + 2))
                   : add_triangle(reader, corner(reader, k), corner(reader, k + 1 + odd), corner(reader, k + 2 - odd));
    }
    return good;
}

// Edges of modes 1 (a list), 2 (a loop) and 3 (a strip); points of mode 0.
static bool add_lines(mesh_reader *reader, int mode)
{
    bool good = true;
    if (mode == 0) {
        for (int k = 0; k < reader->count && good; k++)
            good = nc_array_push(&reader->soup.allocator, &reader->soup.points, corner(reader, k));
        return good;
    }
    for (int k = 0; k + 1 < reader->count && good; k += mode == 1 ? 2 : 1)
        good = nc_soup_add_edge(&reader->soup, corner(reader, k), corner(reader, k + 1));
    if (mode == 2 && good && reader->count > 2)
        good = nc_soup_add_edge(&reader->soup, corner(reader, reader->count - 1), corner(reader, 0));
    return good;
}

static nc_code read_primitive(mesh_reader *reader, int value)
{
    const nc_json_tree *json = &reader->gltf->json;
    int positions = -1, indices = -1;
    double mode = -1;
    nc_code code = nc_gltf_index(reader->gltf, nc_json_member(json, value, "attributes"), "POSITION", NC_GLTF_ACCESSORS,
                                 "mesh", reader->mesh, &positions, reader->err);
    if (code == NC_OK)
        code = nc_gltf_index(reader->gltf, value, "indices", NC_GLTF_ACCESSORS, "mesh", reader->mesh, &indices,
                             reader->err);
    if (code == NC_OK)
        code = nc_gltf_whole(reader->gltf, value, "mode", 7, "mesh", reader->mesh, &mode, reader->err);
    if (code == NC_OK && positions < 0)
        code = complain(reader, "a primitive has no positions");
    reader->first = reader->soup.vertices.count;
    if (code == NC_OK)
        code = read_positions(reader, positions);
    if (code == NC_OK)
        code = read_indices(reader, indices);
    if (code != NC_OK)
        return code;
    const int how = mode < 0 ? 4 : (int)mode;
    return (how >= 4 ? add_triangles(reader, how) : add_lines(reader, how)) ? NC_OK : out_of_memory(reader);
}

// Shapes that a mesh is mixed from may be there as long as nothing of them is mixed in.
static nc_code refuse_morphing(const mesh_reader *reader, int value)
{
    const nc_json_tree *json = &reader->gltf->json;
    const int weights = nc_json_member(json, value, "weights");
    if (!nc_json_is(json, weights, NC_JSON_LIST))
        return NC_OK;
    for (int v = json->values.data[weights].first; v >= 0; v = json->values.data[v].next)
        if (json->values.data[v].number != 0)
            return complain(reader, "it is bent by morph targets (shape keys): apply them before the export");
    return NC_OK;
}

static nc_code read_mesh(mesh_reader *reader, nc_mesh **out)
{
    const nc_json_tree *json = &reader->gltf->json;
    const int value = reader->gltf->lists[NC_GLTF_MESHES].data[reader->mesh];
    const int primitives = nc_json_member(json, value, "primitives");
    nc_code code = refuse_morphing(reader, value);
    for (int v = nc_json_is(json, primitives, NC_JSON_LIST) ? json->values.data[primitives].first : -1;
         v >= 0 && code == NC_OK; v = json->values.data[v].next)
        code = read_primitive(reader, v);
    if (code != NC_OK)
        return code;
    // vertices are split where normals or colours jump
    if (!nc_soup_weld(&reader->soup))
        return out_of_memory(reader);
    for (int i = 0; i < reader->soup.vertices.count; i++) {
        nc_vec3 *v = &reader->soup.vertices.data[i];
        *v = nc_mat3_mul(reader->stretch, *v);
        if (!nc_soup_legal_coordinate(&v->x) || !nc_soup_legal_coordinate(&v->y) || !nc_soup_legal_coordinate(&v->z))
            return complain(reader, "its coordinates must be finite and at most 2^100");
    }
    if (reader->soup.triangles.count + reader->soup.edges.count + reader->soup.points.count == 0)
        return complain(reader, "it has no triangle, no edge and no point");
    return nc_soup_mesh(&reader->soup, reader->gltf->path, out, reader->err);
}

nc_code nc_gltf_mesh_create(const nc_gltf *gltf, int mesh, const nc_mat3 *stretch, nc_mesh **out, nc_error *err)
{
    const nc_vec3 *row = stretch->row;
    *out = NULL;
    mesh_reader reader = {.gltf = gltf,
                          .mesh = mesh,
                          .stretch = *stretch,
                          .mirrors = nc_dot(row[0], nc_cross(row[1], row[2])) < 0,
                          .soup = nc_soup_create(&gltf->allocator),
                          .err = err};
    const nc_code code = read_mesh(&reader, out);
    nc_soup_free(&reader.soup);
    return code;
}
