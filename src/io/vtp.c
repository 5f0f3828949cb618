// One .vtp file: an XML head that says where each array begins, and the arrays one after the other as raw bytes.
#include "io/vtk.h"

#include <limits.h>

// ---- raw numbers, little-endian whatever the machine is -------------------------------------------------------

static void write_bits(nc_vtp *vtp, uint64_t bits, int size)
{
    uint8_t bytes[8];
    nc_word_write(bits, (size_t)size, bytes);
    nc_writer_bytes(&vtp->writer, bytes, (size_t)size);
}

static void write_int(nc_vtp *vtp, int64_t value)
{
    write_bits(vtp, (uint64_t)value, 4);
}

static void write_real(nc_vtp *vtp, double value)
{
    write_bits(vtp, nc_double_bits(value), 8);
}

static void write_vec3(nc_vtp *vtp, nc_vec3 v)
{
    write_real(vtp, v.x);
    write_real(vtp, v.y);
    write_real(vtp, v.z);
}

// ---- arrays -------------------------------------------------------------------------------------------------

typedef enum element { INT32, FLOAT64 } element;

typedef struct array {
    const char *name;
    element type;
    int components;
    int64_t count; // tuples
} array;

static int64_t array_size(const array *a)
{
    return a->count * a->components * (a->type == INT32 ? 4 : 8);
}

// Announces an array; `*offset` moves on to the next.
static void announce(nc_vtp *vtp, const array *a, int64_t *offset)
{
    nc_writer_text(&vtp->writer,
                   "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" "
                   "offset=\"%lld\"/>\n",
                   a->type == INT32 ? "Int32" : "Float64", a->name, a->components, (long long)*offset);
    *offset += 8 + array_size(a);
}

static void begin_array(nc_vtp *vtp, const array *a)
{
    write_bits(vtp, (uint64_t)array_size(a), 8);
}

static void begin_file(nc_vtp *vtp)
{
    nc_writer_text(&vtp->writer,
                   "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
                   "header_type=\"UInt64\">\n<PolyData>\n<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" "
                   "NumberOfTuples=\"1\" format=\"ascii\">%.17g</DataArray>\n</FieldData>\n",
                   vtp->time);
}

static nc_code end_file(nc_vtp *vtp, nc_error *err)
{
    nc_writer_text(&vtp->writer, "\n</AppendedData>\n</VTKFile>\n");
    return nc_writer_close(&vtp->writer, true, err);
}

// ---- bodies -------------------------------------------------------------------------------------------------

// Elements of all bodies that are there.
typedef struct totals {
    int64_t vertices, points, edges, triangles;
} totals;

static nc_mesh_data mesh_of(const nc_vtp *vtp, int body)
{
    return nc_mesh_view(vtp->clip->meshes[vtp->clip->bodies[body].mesh]);
}

static int free_edges(const nc_mesh_data *data)
{
    int count = 0;
    for (int i = 0; i < data->edge_count; i++)
        count += data->edge_is_free[i];
    return count;
}

static totals add_up(const nc_vtp *vtp)
{
    totals t = {0};
    for (int i = 0; i < vtp->clip->body_count; i++) {
        if (!vtp->present[i])
            continue;
        const nc_mesh_data data = mesh_of(vtp, i);
        t.vertices += data.vertex_count;
        t.points += data.point_count;
        t.edges += free_edges(&data);
        t.triangles += data.triangle_count;
    }
    return t;
}

static void write_vertices(nc_vtp *vtp)
{
    for (int i = 0; i < vtp->clip->body_count; i++) {
        if (!vtp->present[i])
            continue;
        const nc_mesh_data data = mesh_of(vtp, i);
        const nc_frame frame = nc_pose_frame(vtp->poses[i]);
        for (int k = 0; k < data.vertex_count; k++)
            write_vec3(vtp, nc_frame_apply(frame, data.vertices[k]));
    }
}

// [m/s] of each vertex: the body turns, too.
static void write_velocities(nc_vtp *vtp)
{
    for (int i = 0; i < vtp->clip->body_count; i++) {
        if (!vtp->present[i])
            continue;
        const nc_mesh_data data = mesh_of(vtp, i);
        const nc_mat3 turn = nc_quat_matrix(vtp->poses[i].q);
        for (int k = 0; k < data.vertex_count; k++) {
            const nc_vec3 arm = nc_mat3_mul(turn, data.vertices[k]);
            write_vec3(vtp, nc_add(vtp->velocities[i], nc_cross(vtp->spins[i], arm)));
        }
    }
}

typedef enum cell_number { CELL_BODY, CELL_CONTACTS, CELL_SPEED } cell_number;

static void write_cell(nc_vtp *vtp, int body, cell_number what, int times)
{
    for (int k = 0; k < times; k++) {
        if (what == CELL_SPEED)
            write_real(vtp, nc_norm(vtp->velocities[body]));
        else
            write_int(vtp, what == CELL_BODY ? body : vtp->contacts_of[body]);
    }
}

// A number of a body for each of its cells: VTK has points first, then lines, then polygons.
static void write_cells(nc_vtp *vtp, cell_number what)
{
    for (int kind = 0; kind < 3; kind++)
        for (int i = 0; i < vtp->clip->body_count; i++) {
            if (!vtp->present[i])
                continue;
            const nc_mesh_data data = mesh_of(vtp, i);
            write_cell(vtp, i, what,
                       kind == 0   ? data.point_count
                       : kind == 1 ? free_edges(&data)
                                   : data.triangle_count);
        }
}

// The vertices of all cells of a kind, distinguished by their number of vertices.
static void write_connectivity(nc_vtp *vtp, int corners)
{
    int64_t first = 0;
    for (int i = 0; i < vtp->clip->body_count; i++) {
        if (!vtp->present[i])
            continue;
        const nc_mesh_data data = mesh_of(vtp, i);
        for (int k = 0; k < data.point_count && corners == 1; k++)
            write_int(vtp, first + data.points[k]);
        for (int k = 0; k < data.edge_count && corners == 2; k++)
            for (int c = 0; c < 2 && data.edge_is_free[k]; c++)
                write_int(vtp, first + data.edges[k][c]);
        for (int k = 0; k < data.triangle_count && corners == 3; k++)
            for (int c = 0; c < 3; c++)
                write_int(vtp, first + data.triangles[k][c]);
        first += data.vertex_count;
    }
}

static void write_offsets(nc_vtp *vtp, int64_t cells, int corners)
{
    for (int64_t i = 1; i <= cells; i++)
        write_int(vtp, corners * i);
}

// The arrays of the file, in the order in which they are announced and written.
enum { VELOCITY, BODY, CONTACTS, SPEED, POINTS, CELL_ARRAYS, ARRAY_COUNT = CELL_ARRAYS + 6 };

static void list_arrays(const nc_vtp *vtp, const totals *t, array *a)
{
    const int64_t cells = t->points + t->edges + t->triangles, by_kind[3] = {t->points, t->edges, t->triangles};
    const int64_t moving = vtp->velocities != NULL ? 1 : 0;
    a[VELOCITY] = (array){"velocity", FLOAT64, 3, moving * t->vertices};
    a[BODY] = (array){"body", INT32, 1, cells};
    a[CONTACTS] = (array){"contacts", INT32, 1, vtp->contacts_of != NULL ? cells : 0};
    a[SPEED] = (array){"speed", FLOAT64, 1, moving * cells};
    a[POINTS] = (array){"points", FLOAT64, 3, t->vertices};
    for (int kind = 0; kind < 3; kind++) {
        a[CELL_ARRAYS + 2 * kind] = (array){"connectivity", INT32, 1, (kind + 1) * by_kind[kind]};
        a[CELL_ARRAYS + 2 * kind + 1] = (array){"offsets", INT32, 1, by_kind[kind]};
    }
}

static void announce_bodies(nc_vtp *vtp, const totals *t, const array *a)
{
    static const char *const kinds[3] = {"Verts", "Lines", "Polys"};
    int64_t offset = 0;
    nc_writer_text(&vtp->writer,
                   "<Piece NumberOfPoints=\"%lld\" NumberOfVerts=\"%lld\" NumberOfLines=\"%lld\" NumberOfStrips=\"0\" "
                   "NumberOfPolys=\"%lld\">\n<PointData>\n",
                   (long long)t->vertices, (long long)t->points, (long long)t->edges, (long long)t->triangles);
    if (vtp->velocities != NULL)
        announce(vtp, &a[VELOCITY], &offset);
    nc_writer_text(&vtp->writer, "</PointData>\n<CellData Scalars=\"body\">\n");
    announce(vtp, &a[BODY], &offset);
    if (vtp->contacts_of != NULL)
        announce(vtp, &a[CONTACTS], &offset);
    if (vtp->velocities != NULL)
        announce(vtp, &a[SPEED], &offset);
    nc_writer_text(&vtp->writer, "</CellData>\n<Points>\n");
    announce(vtp, &a[POINTS], &offset);
    nc_writer_text(&vtp->writer, "</Points>\n");
    for (int kind = 0; kind < 3; kind++) {
        nc_writer_text(&vtp->writer, "<%s>\n", kinds[kind]);
        announce(vtp, &a[CELL_ARRAYS + 2 * kind], &offset);
        announce(vtp, &a[CELL_ARRAYS + 2 * kind + 1], &offset);
        nc_writer_text(&vtp->writer, "</%s>\n", kinds[kind]);
    }
    nc_writer_text(&vtp->writer, "</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_");
}

static void write_arrays(nc_vtp *vtp, const totals *t, const array *a)
{
    const int64_t by_kind[3] = {t->points, t->edges, t->triangles};
    if (vtp->velocities != NULL) {
        begin_array(vtp, &a[VELOCITY]);
        write_velocities(vtp);
    }
    begin_array(vtp, &a[BODY]);
    write_cells(vtp, CELL_BODY);
    if (vtp->contacts_of != NULL) {
        begin_array(vtp, &a[CONTACTS]);
        write_cells(vtp, CELL_CONTACTS);
    }
    if (vtp->velocities != NULL) {
        begin_array(vtp, &a[SPEED]);
        write_cells(vtp, CELL_SPEED);
    }
    begin_array(vtp, &a[POINTS]);
    write_vertices(vtp);
    for (int kind = 0; kind < 3; kind++) {
        begin_array(vtp, &a[CELL_ARRAYS + 2 * kind]);
        write_connectivity(vtp, kind + 1);
        begin_array(vtp, &a[CELL_ARRAYS + 2 * kind + 1]);
        write_offsets(vtp, by_kind[kind], kind + 1);
    }
}

nc_code nc_vtp_write_bodies(nc_vtp *vtp, const char *path, nc_error *err)
{
    const totals t = add_up(vtp);
    array arrays[ARRAY_COUNT];
    if (t.vertices > INT_MAX || 3 * t.triangles > INT_MAX || 2 * t.edges > INT_MAX)
        return nc_fail_at(err, NC_BAD_ARGUMENT, path, 0, 0, "%lld vertices are too many for one file",
                          (long long)t.vertices);
    const nc_code code = nc_writer_open(&vtp->writer, path, &vtp->allocator, err);
    if (code != NC_OK)
        return code;
    list_arrays(vtp, &t, arrays);
    begin_file(vtp);
    announce_bodies(vtp, &t, arrays);
    write_arrays(vtp, &t, arrays);
    return end_file(vtp, err);
}

// ---- contacts -----------------------------------------------------------------------------------------------

enum { CONTACT_ARRAYS = 7 };

static void write_contact_array(nc_vtp *vtp, const array *a, int which)
{
    begin_array(vtp, a);
    for (int i = 0; i < vtp->contact_count; i++) {
        const nc_clip_contact *c = &vtp->contacts[i];
        if (which == 0 || which == 1)
            write_int(vtp, which == 0 ? c->a : c->b);
        else if (which == 2)
            write_real(vtp, c->distance);
        else if (which == 3 || which == 4)
            write_vec3(vtp, which == 3 ? c->normal : c->point);
        else
            write_int(vtp, which == 5 ? i : i + 1);
    }
}

nc_code nc_vtp_write_contacts(nc_vtp *vtp, const char *path, nc_error *err)
{
    const int n = vtp->contact_count;
    const array arrays[CONTACT_ARRAYS] = {{"body_a", INT32, 1, n},     {"body_b", INT32, 1, n},
                                          {"distance", FLOAT64, 1, n}, {"normal", FLOAT64, 3, n},
                                          {"points", FLOAT64, 3, n},   {"connectivity", INT32, 1, n},
                                          {"offsets", INT32, 1, n}};
    const nc_code code = nc_writer_open(&vtp->writer, path, &vtp->allocator, err);
    int64_t offset = 0;
    if (code != NC_OK)
        return code;
    begin_file(vtp);
    nc_writer_text(&vtp->writer,
                   "<Piece NumberOfPoints=\"%d\" NumberOfVerts=\"%d\" NumberOfLines=\"0\" NumberOfStrips=\"0\" "
                   "NumberOfPolys=\"0\">\n<PointData Scalars=\"distance\" Normals=\"normal\">\n",
                   n, n);
    for (int i = 0; i < CONTACT_ARRAYS; i++) {
        if (i == 4)
            nc_writer_text(&vtp->writer, "</PointData>\n<Points>\n");
        if (i == 5)
            nc_writer_text(&vtp->writer, "</Points>\n<Verts>\n");
        announce(vtp, &arrays[i], &offset);
    }
    nc_writer_text(&vtp->writer, "</Verts>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_");
    for (int i = 0; i < CONTACT_ARRAYS; i++)
        write_contact_array(vtp, &arrays[i], i);
    return end_file(vtp, err);
}
