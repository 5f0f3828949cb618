// Points of a mesh: vertices, then edges, then faces.
#include "narrow/narrow.h"

#include <limits.h>

typedef struct samples {
    nc_vec3 *out;
    int64_t count, capacity;
} samples;

static void add(samples *s, nc_vec3 p)
{
    if (s->count < s->capacity)
        s->out[s->count] = p;
    s->count++;
}

static nc_vec3 blend(nc_vec3 a, nc_vec3 b, double s)
{
    return nc_add(nc_scale(1.0 - s, a), nc_scale(s, b));
}

// Into how many parts a length is cut; too many to count are cut short, and the caller sees it by their number.
static int64_t parts(double length, double spacing)
{
    const double n = ceil(length / spacing);
    return n > 1.0 ? (int64_t)fmin(n, 0x1p31) : 1;
}

static int64_t face_parts(const nc_vec3 c[3], double spacing)
{
    const double a = nc_norm(nc_sub(c[1], c[0])), b = nc_norm(nc_sub(c[2], c[1])), d = nc_norm(nc_sub(c[0], c[2]));
    return parts(1.2 * fmax(a, fmax(b, d)), spacing);
}

static void add_edges(samples *s, const nc_mesh_data *data, double spacing)
{
    for (int i = 0; i < data->edge_count; i++) {
        const nc_vec3 a = data->vertices[data->edges[i][0]], b = data->vertices[data->edges[i][1]];
        const int64_t n = parts(nc_norm(nc_sub(b, a)), spacing);
        if (s->count + n > INT_MAX || s->out == NULL) {
            s->count += n - 1;
            continue;
        }
        for (int64_t k = 1; k < n; k++)
            add(s, blend(a, b, (double)k / (double)n));
    }
}

// The inner points of a lattice of n parts along each side.
static void add_face(samples *s, const nc_vec3 c[3], int64_t n)
{
    for (int64_t i = 1; i + 1 < n; i++)
        for (int64_t j = 1; i + j < n; j++) {
            const double u = (double)i / (double)n, v = (double)j / (double)n;
            add(s, nc_add(nc_scale(1.0 - u - v, c[0]), nc_add(nc_scale(u, c[1]), nc_scale(v, c[2]))));
        }
}

static void add_faces(samples *s, const nc_mesh_data *data, double spacing)
{
    for (int i = 0; i < data->triangle_count; i++) {
        nc_vec3 c[3];
        for (int k = 0; k < 3; k++)
            c[k] = data->vertices[data->triangles[i][k]];
        const int64_t n = face_parts(c, spacing);
        const double inner = 0.5 * (double)(n - 1) * (double)(n - 2);
        if (inner > INT_MAX || s->count > INT_MAX || s->out == NULL)
            s->count += (int64_t)fmin(inner, 0x1p32);
        else
            add_face(s, c, n);
    }
}

nc_code nc_mesh_sample(const nc_mesh *mesh, double spacing, nc_vec3 *out, int capacity, int *out_count, nc_error *err)
{
    if (!(spacing > 0))
        return nc_fail(err, NC_BAD_ARGUMENT, "the spacing of samples is %g m; it must be above 0", spacing);
    if (capacity < 0 || (capacity > 0 && out == NULL))
        return nc_fail(err, NC_BAD_ARGUMENT, "there is no room for %d samples", capacity);
    const nc_mesh_data data = nc_mesh_view(mesh);
    samples s = {out, 0, capacity};
    for (int i = 0; i < data.vertex_count; i++)
        add(&s, data.vertices[i]);
    add_edges(&s, &data, spacing);
    add_faces(&s, &data, spacing);
    if (s.count > INT_MAX)
        return nc_fail(err, NC_BAD_ARGUMENT, "a spacing of %g m makes more than %d samples", spacing, INT_MAX);
    *out_count = (int)s.count;
    return NC_OK;
}
