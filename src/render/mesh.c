// Meshes for the ray tracer, and the normals that make facets of round things look round.
#include "render/render.h"

#ifdef NC_WITH_RENDER
#include "render/stage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CREASE     0.82F // cosine of the angle (35 degrees) above which an edge is seen as one
#define WIRE_PART  0.006 // radius of free edges and points, of the mesh's
#define FAR_CENTER 16.0  // times its own size: a mesh further from its origin than that is shifted

// ---- normals ------------------------------------------------------------------------------------------------

// Triangles at each vertex: rows first[v] .. first[v + 1] of `corners` hold 3 triangle + corner.
typedef struct fans {
    int *first, *corners;
    nc_vec3 *areas; // normal of each triangle, as long as twice its area
} fans;

static bool fans_build(const nc_mesh_data *data, fans *out)
{
    *out = (fans){.first = calloc((size_t)data->vertex_count + 2, sizeof(int)),
                  .corners = calloc((size_t)data->triangle_count * 3 + 1, sizeof(int)),
                  .areas = calloc((size_t)data->triangle_count + 1, sizeof(nc_vec3))};
    if (out->first == NULL || out->corners == NULL || out->areas == NULL)
        return false;
    int *next = out->first + 1; // becomes first[v + 1] while the rows are filled
    for (int t = 0; t < data->triangle_count; t++) {
        const nc_vec3 *v = data->vertices;
        const int *c = data->triangles[t];
        out->areas[t] = nc_cross(nc_sub(v[c[1]], v[c[0]]), nc_sub(v[c[2]], v[c[0]]));
        for (int k = 0; k < 3; k++)
            next[c[k] + 1]++;
    }
    for (int v = 0; v < data->vertex_count; v++)
        next[v + 1] += next[v];
    for (int t = 0; t < data->triangle_count; t++)
        for (int k = 0; k < 3; k++)
            out->corners[next[data->triangles[t][k]]++] = 3 * t + k;
    return true;
}

static void fans_free(fans *f)
{
    free(f->first);
    free(f->corners);
    free(f->areas);
}

// The mean over the triangles around a corner that meet its own at less than a crease, whichever way they run.
static nc_f3 corner_normal(const fans *f, int triangle, int vertex, double crease)
{
    const nc_vec3 own = f->areas[triangle];
    const double size = nc_norm(own);
    nc_vec3 sum = own;
    for (int i = f->first[vertex]; i < f->first[vertex + 1]; i++) {
        const nc_vec3 other = f->areas[f->corners[i] / 3];
        const double along = nc_dot(own, other);
        if (f->corners[i] / 3 != triangle && fabs(along) > crease * size * nc_norm(other))
            sum = nc_madd(sum, along > 0 ? 1 : -1, other);
    }
    const double length = nc_norm(sum);
    return length > 0 ? nc_f3_of(nc_scale(1 / length, sum)) : (nc_f3){0, 1, 0};
}

static bool make_normals(const nc_mesh_data *data, double crease, nc_stage_mesh *out)
{
    fans f;
    out->normals = calloc((size_t)data->triangle_count + 1, sizeof *out->normals);
    const bool done = fans_build(data, &f) && out->normals != NULL;
    for (int t = 0; done && t < data->triangle_count; t++)
        for (int k = 0; k < 3; k++)
            out->normals[t][k] = corner_normal(&f, t, data->triangles[t][k], crease);
    fans_free(&f);
    return done;
}

// ---- geometry -----------------------------------------------------------------------------------------------

static void *new_buffer(RTCGeometry geometry, enum RTCBufferType type, enum RTCFormat format, size_t size, int count)
{
    return rtcSetNewGeometryBuffer(geometry, type, 0, format, size, (size_t)count);
}

static void attach(nc_stage_mesh *out, RTCGeometry geometry, unsigned id)
{
    rtcCommitGeometry(geometry);
    rtcAttachGeometryByID(out->scene, geometry, id);
}

static void write_point(float *to, nc_vec3 v, nc_vec3 center)
{
    const nc_f3 p = nc_f3_of(nc_sub(v, center));
    memcpy(to, &p, sizeof p);
}

static bool add_triangles(RTCDevice device, const nc_mesh_data *data, nc_stage_mesh *out)
{
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    float *vertices = new_buffer(geometry, RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT3, 12, data->vertex_count);
    unsigned *indices = new_buffer(geometry, RTC_BUFFER_TYPE_INDEX, RTC_FORMAT_UINT3, 12, data->triangle_count);
    const bool done = vertices != NULL && indices != NULL;
    for (int i = 0; done && i < data->vertex_count; i++)
        write_point(vertices + 3 * (size_t)i, data->vertices[i], out->center);
    for (int i = 0; done && i < 3 * data->triangle_count; i++)
        indices[i] = (unsigned)data->triangles[i / 3][i % 3];
    if (done)
        attach(out, geometry, NC_PART_TRIANGLES);
    rtcReleaseGeometry(geometry);
    return done;
}

static bool add_edges(RTCDevice device, const nc_mesh_data *data, int count, float radius, nc_stage_mesh *out)
{
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_ROUND_LINEAR_CURVE);
    float *vertices = new_buffer(geometry, RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT4, 16, 2 * count);
    unsigned *indices = new_buffer(geometry, RTC_BUFFER_TYPE_INDEX, RTC_FORMAT_UINT, 4, count);
    const bool done = vertices != NULL && indices != NULL;
    for (int i = 0, k = 0; done && i < data->edge_count; i++) {
        if (!data->edge_is_free[i])
            continue;
        for (int end = 0; end < 2; end++) {
            write_point(vertices + 8 * (size_t)k + 4 * (size_t)end, data->vertices[data->edges[i][end]], out->center);
            vertices[8 * (size_t)k + 4 * (size_t)end + 3] = radius;
        }
        indices[k] = 2 * (unsigned)k;
        k++;
    }
    if (done)
        attach(out, geometry, NC_PART_EDGES);
    rtcReleaseGeometry(geometry);
    return done;
}

static bool add_points(RTCDevice device, const nc_mesh_data *data, float radius, nc_stage_mesh *out)
{
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_SPHERE_POINT);
    float *vertices = new_buffer(geometry, RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT4, 16, data->point_count);
    for (int i = 0; vertices != NULL && i < data->point_count; i++) {
        write_point(vertices + 4 * (size_t)i, data->vertices[data->points[i]], out->center);
        vertices[4 * (size_t)i + 3] = 2.5F * radius;
    }
    if (vertices != NULL)
        attach(out, geometry, NC_PART_POINTS);
    rtcReleaseGeometry(geometry);
    return vertices != NULL;
}

nc_code nc_stage_mesh_build(RTCDevice device, const nc_mesh *mesh, bool smooth, double wires, nc_stage_mesh *out,
                            nc_error *err)
{
    const nc_mesh_data data = nc_mesh_view(mesh);
    const nc_vec3 middle = nc_scale(0.5, nc_add(data.box.lo, data.box.hi));
    const double size = nc_norm(nc_sub(data.box.hi, data.box.lo));
    const float radius = (float)(WIRE_PART * fmax(wires, 1e-30));
    int free_edges = 0;
    *out = (nc_stage_mesh){.scene = rtcNewScene(device), .closed = data.closed};
    if (nc_norm(middle) > FAR_CENTER * size)
        out->center = middle;
    for (int i = 0; i < data.edge_count; i++)
        free_edges += data.edge_is_free[i] != 0;
    rtcSetSceneFlags(out->scene, RTC_SCENE_FLAG_ROBUST);
    bool done = make_normals(&data, smooth ? 0 : (double)CREASE, out);
    if (done && data.triangle_count > 0)
        done = add_triangles(device, &data, out);
    if (done && free_edges > 0)
        done = add_edges(device, &data, free_edges, radius, out);
    if (done && data.point_count > 0)
        done = add_points(device, &data, radius, out);
    if (!done)
        return nc_fail_memory(err, (size_t)data.triangle_count * sizeof *out->normals);
    rtcCommitScene(out->scene);
    return nc_stage_check(device, err);
}

void nc_stage_mesh_free(nc_stage_mesh *mesh)
{
    if (mesh->scene != NULL)
        rtcReleaseScene(mesh->scene);
    free(mesh->normals);
    *mesh = (nc_stage_mesh){0};
}
#endif
