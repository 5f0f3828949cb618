// Meshes in a run file: little-endian blobs that any program can read.
//   vertices   3 doubles per vertex          triangles  3 int32 a triangle
//   edges      2 int32 a free edge         points     1 int32 a free point
#include "run/run.h"

#include <string.h>

static bool put_bits(nc_buffer *out, uint64_t bits, size_t size)
{
    uint8_t bytes[8];
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(bits >> (8 * i));
    return nc_buffer_append(out, bytes, size);
}

static bool put_double(nc_buffer *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return put_bits(out, bits, 8);
}

static uint64_t get_bits(const uint8_t *bytes, size_t size)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++)
        bits |= (uint64_t)bytes[i] << (8 * i);
    return bits;
}

static double get_double(const uint8_t *bytes)
{
    const uint64_t bits = get_bits(bytes, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool put_ints(nc_buffer *out, const int *values, int count)
{
    for (int i = 0; i < count; i++)
        if (!put_bits(out, (uint32_t)values[i], 4))
            return false;
    return true;
}

// The four blobs of a mesh.
typedef struct blobs {
    nc_buffer vertices, triangles, edges, points;
    int free_edges;
} blobs;

static void blobs_free(blobs *b)
{
    nc_buffer_free(&b->vertices);
    nc_buffer_free(&b->triangles);
    nc_buffer_free(&b->edges);
    nc_buffer_free(&b->points);
}

static bool blobs_fill(blobs *b, const nc_mesh_data *mesh)
{
    bool ok = true;
    for (int i = 0; i < mesh->vertex_count && ok; i++)
        ok = put_double(&b->vertices, mesh->vertices[i].x) && put_double(&b->vertices, mesh->vertices[i].y) &&
             put_double(&b->vertices, mesh->vertices[i].z);
    for (int i = 0; i < mesh->triangle_count && ok; i++)
        ok = put_ints(&b->triangles, mesh->triangles[i], 3);
    for (int i = 0; i < mesh->edge_count && ok; i++)
        if (mesh->edge_is_free[i]) {
            ok = put_ints(&b->edges, mesh->edges[i], 2);
            b->free_edges++;
        }
    return ok && put_ints(&b->points, mesh->points, mesh->point_count);
}

static nc_code write_row(nc_run *run, int64_t id, const nc_mesh_data *mesh, const blobs *b, nc_error *err)
{
    nc_row row;
    const nc_code code = nc_row_open(run, NC_SQL_INSERT_MESH, &row, err);
    if (code != NC_OK)
        return code;
    nc_row_put_int(&row, id);
    nc_row_put_int(&row, mesh->vertex_count);
    nc_row_put_int(&row, mesh->triangle_count);
    nc_row_put_int(&row, b->free_edges);
    nc_row_put_int(&row, mesh->point_count);
    nc_row_put_blob(&row, b->vertices.data, b->vertices.size);
    nc_row_put_blob(&row, b->triangles.data, b->triangles.size);
    nc_row_put_blob(&row, b->edges.data, b->edges.size);
    nc_row_put_blob(&row, b->points.data, b->points.size);
    nc_row_put_int(&row, (int64_t)mesh->hash);
    return nc_row_write(&row, "storing a mesh", err);
}

nc_code nc_run_write_mesh(nc_run *run, const nc_mesh *mesh, int64_t row, nc_error *err)
{
    const nc_mesh_data data = nc_mesh_view(mesh);
    const nc_buffer empty = nc_buffer_create(&run->allocator);
    blobs b = {empty, empty, empty, empty, 0};
    const nc_code code =
        blobs_fill(&b, &data) ? write_row(run, row, &data, &b, err) : nc_fail_memory(err, b.vertices.size);
    blobs_free(&b);
    return code;
}

// ---- reading ------------------------------------------------------------------------------------------------

// A mesh as it is in the file; pointers borrowed from the statement.
typedef struct stored {
    int64_t counts[4]; // vertices, triangles, free edges, points
    const uint8_t *bytes[4];
    uint64_t hash;
} stored;

// Takes the row; the sizes of the blobs fit the counts when it returns NC_OK.
static nc_code take_row(nc_row *row, int id, stored *out, nc_error *err)
{
    static const size_t item_sizes[4] = {24, 12, 8, 4};
    (void)nc_row_take_int(row);
    for (int i = 0; i < 4; i++)
        out->counts[i] = nc_row_take_int(row);
    for (int i = 0; i < 4; i++) {
        size_t size;
        out->bytes[i] = nc_row_take_blob(row, &size);
        if (out->counts[i] < 0 || out->counts[i] > INT_MAX / 4 || (uint64_t)out->counts[i] * item_sizes[i] != size)
            row->bad = true;
    }
    out->hash = (uint64_t)nc_row_take_int(row);
    return nc_row_check(row, "mesh", id, err);
}

static nc_vec3 *decode_vertices(nc_run *run, const stored *from)
{
    nc_vec3 *vertices = nc_alloc(&run->allocator, (size_t)from->counts[0], sizeof *vertices);
    for (int64_t i = 0; i < from->counts[0] && vertices != NULL; i++) {
        const uint8_t *bytes = from->bytes[0] + 24 * i;
        vertices[i] = nc_v3(get_double(bytes), get_double(bytes + 8), get_double(bytes + 16));
    }
    return vertices;
}

static size_t index_count(const stored *from)
{
    return 3 * (size_t)from->counts[1] + 2 * (size_t)from->counts[2] + (size_t)from->counts[3];
}

// Triangles, edges and points one after the other.
static int *decode_indices(nc_run *run, const stored *from)
{
    static const int corners[4] = {0, 3, 2, 1};
    int *indices = nc_alloc(&run->allocator, index_count(from), sizeof *indices), *next = indices;
    for (int kind = 1; kind < 4 && indices != NULL; kind++)
        for (int64_t i = 0; i < corners[kind] * from->counts[kind]; i++)
            *next++ = (int)(uint32_t)get_bits(from->bytes[kind] + 4 * i, 4);
    return indices;
}

static nc_code build(nc_run *run, int id, const stored *from, nc_mesh **out, nc_error *err)
{
    nc_vec3 *vertices = decode_vertices(run, from);
    int *indices = decode_indices(run, from);
    const size_t edges_at = 3 * (size_t)from->counts[1], points_at = edges_at + 2 * (size_t)from->counts[2];
    nc_code code = NC_OK;
    nc_error why = {0};
    if ((vertices == NULL && from->counts[0] > 0) || (indices == NULL && index_count(from) > 0)) {
        code = nc_fail_memory(err, (size_t)from->counts[0] * sizeof *vertices);
    } else {
        const nc_mesh_def def = {vertices,
                                 (int)from->counts[0],
                                 (const int(*)[3])indices,
                                 (int)from->counts[1],
                                 indices != NULL ? (const int(*)[2])(indices + edges_at) : NULL,
                                 (int)from->counts[2],
                                 indices != NULL ? indices + points_at : NULL,
                                 (int)from->counts[3]};
        code = nc_mesh_create(&def, &run->allocator, out, &why);
        if (code == NC_OUT_OF_MEMORY)
            code = nc_fail(err, code, "%s", why.text);
        else if (code != NC_OK)
            code = nc_fail_at(err, NC_BAD_FILE, run->path, 0, 0, "mesh %d is damaged: %s", id, why.text);
    }
    nc_free(&run->allocator, vertices, (size_t)from->counts[0], sizeof *vertices);
    nc_free(&run->allocator, indices, index_count(from), sizeof *indices);
    return code;
}

nc_code nc_run_read_mesh(nc_run *run, int row, nc_mesh **out, nc_error *err)
{
    nc_row cursor;
    stored from;
    bool found;
    *out = NULL;
    nc_code code = nc_row_open(run, NC_SQL_SELECT_MESH, &cursor, err);
    if (code != NC_OK)
        return code;
    nc_row_bind(&cursor, row);
    code = nc_row_next(&cursor, &found, "reading a mesh", err);
    if (code == NC_OK && !found)
        return nc_fail_at(err, NC_NOT_FOUND, run->path, 0, 0, "it has no mesh %d", row);
    if (code == NC_OK)
        code = take_row(&cursor, row, &from, err);
    if (code == NC_OK)
        code = build(run, row, &from, out, err);
    if (code == NC_OK && nc_mesh_view(*out).hash != from.hash) {
        nc_mesh_release(*out);
        *out = NULL;
        code = nc_fail_at(err, NC_BAD_FILE, run->path, 0, 0, "mesh %d is damaged: its content hash does not fit", row);
    }
    nc_row_close(&cursor);
    return code;
}
