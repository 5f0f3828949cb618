// Geometric questions about meshes and simplices that need no world, beside those of mesh.c.
#include "core.h"

#include <stddef.h>
#include <stdlib.h>

#define POSE    "((ddd)(dddd))"
#define INTO(p) &(p).x.x, &(p).x.y, &(p).x.z, &(p).q.w, &(p).q.x, &(p).q.y, &(p).q.z
#define VEC(v)  &(v).x, &(v).y, &(v).z

// The package describes this struct to NumPy (_mesh.py, PROXIMITY).
_Static_assert(sizeof(nc_proximity) == 104 && offsetof(nc_proximity, distance) == 16 &&
                   offsetof(nc_proximity, lower_bound) == 24 && offsetof(nc_proximity, on_a) == 32 &&
                   offsetof(nc_proximity, on_b) == 56 && offsetof(nc_proximity, normal) == 80,
               "proximities have another layout than the package says");

// proximity(a, pose_a, b, pose_b, distance, every_pair, angle, flat_too, local) -> (bytes, clearance)
static PyObject *proximity(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *a, *b;
    nc_pose p, q;
    double distance;
    int every, flat, local;
    nc_proximity_options options = nc_proximity_defaults();
    if (!PyArg_ParseTuple(args, "O!" POSE "O!" POSE "dpdpp", core_mesh_type, &a, INTO(p), core_mesh_type, &b, INTO(q),
                          &distance, &every, &options.angle, &flat, &local))
        return NULL;
    options.every_pair = every != 0, options.flat_too = flat != 0, options.local = local != 0;
    const nc_mesh *mesh_a = core_mesh_of(a), *mesh_b = core_mesh_of(b);
    const nc_allocator allocator = nc_allocator_default();
    nc_proximity_list list = {.allocator = &allocator};
    nc_error err = {0};
    nc_code code;
    Py_BEGIN_ALLOW_THREADS
    code = nc_proximity_find(mesh_a, p, mesh_b, q, distance, &options, &list, &err);
    Py_END_ALLOW_THREADS
    PyObject *result = NULL;
    if (code == NC_OK)
        result = Py_BuildValue("(y#d)", list.count > 0 ? (const char *)list.data : "",
                               (Py_ssize_t)(sizeof *list.data * (size_t)list.count), list.clearance);
    nc_proximity_list_free(&list);
    return code == NC_OK ? result : core_raise(code, &err);
}

// sample(mesh, spacing) -> bytes of points
static PyObject *sample(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *object;
    double spacing;
    if (!PyArg_ParseTuple(args, "O!d", core_mesh_type, &object, &spacing))
        return NULL;
    const nc_mesh *mesh = core_mesh_of(object);
    int count = 0;
    nc_error err = {0};
    const nc_code code = nc_mesh_sample(mesh, spacing, NULL, 0, &count, &err);
    if (code != NC_OK)
        return core_raise(code, &err);
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(sizeof(nc_vec3) * (size_t)count));
    if (bytes != NULL)
        nc_mesh_sample(mesh, spacing, (nc_vec3 *)(void *)PyBytes_AsString(bytes), count, &count, NULL);
    return bytes;
}

// trajectory(points, pose, travel, rotation, target, pose, travel, rotation, epsilon, t_max, limit, segments)
//   -> (verdict, toi, point, place, normal, queries)
static PyObject *trajectory(PyObject *module, PyObject *args)
{
    (void)module;
    Py_buffer points;
    PyObject *object;
    nc_motion p, q;
    nc_trajectory_def def = nc_trajectory_def_default();
    int segments;
    if (!PyArg_ParseTuple(args, "y*" POSE "(ddd)(ddd)O!" POSE "(ddd)(ddd)ddip", &points, INTO(p.start), VEC(p.travel),
                          VEC(p.rotation), core_mesh_type, &object, INTO(q.start), VEC(q.travel), VEC(q.rotation),
                          &def.epsilon, &def.t_max, &def.limit, &segments))
        return NULL;
    def.segments = segments != 0;
    const nc_target target = nc_target_mesh(core_mesh_of(object));
    nc_trajectory_result r;
    nc_error err = {0};
    nc_code code;
    Py_BEGIN_ALLOW_THREADS
    code = nc_trajectory_contact(points.buf, (int)(points.len / (Py_ssize_t)sizeof(nc_vec3)), &p, &target, &q, &def, &r,
                                 &err);
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&points);
    if (code != NC_OK)
        return core_raise(code, &err);
    return Py_BuildValue("(idiNNL)", (int)r.verdict, r.toi, r.point, core_vec3(r.place), core_vec3(r.normal),
                         (long long)r.queries);
}

// mesh_load_all(path) -> [mesh, ...]
static PyObject *load_all(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *path;
    if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path))
        return NULL;
    nc_mesh_list list = {0};
    nc_error err = {0};
    nc_code code;
    const char *name = PyBytes_AsString(path);
    Py_BEGIN_ALLOW_THREADS
    code = nc_mesh_load_all(name, NULL, &list, &err);
    Py_END_ALLOW_THREADS
    Py_DECREF(path);
    PyObject *result = code == NC_OK ? PyList_New(list.count) : core_raise(code, &err);
    for (int k = 0; result != NULL && k < list.count; k++)
        PyList_SetItem(result, k, core_mesh_wrap(nc_mesh_retain(list.meshes[k])));
    nc_mesh_list_free(&list);
    return result;
}

enum { SIMPLEX_BYTES = 4 * sizeof(nc_vec3) };

// simplices(kind, points): 0 point and segment, 1 point and triangle, 2 two segments -> (distance, lower_bound, on_a,
// on_b); `points` are four, the last of kind 0 unused
static PyObject *simplices(PyObject *module, PyObject *args)
{
    (void)module;
    int kind;
    Py_buffer buffer;
    if (!PyArg_ParseTuple(args, "iy*", &kind, &buffer))
        return NULL;
    nc_distance d = {0};
    const bool good = buffer.len == SIMPLEX_BYTES;
    const nc_vec3 *v = buffer.buf;
    if (good)
        d = kind == 0   ? nc_distance_point_segment(v[0], v + 1)
            : kind == 1 ? nc_distance_point_triangle(v[0], v + 1)
                        : nc_distance_segment_segment(v, v + 2);
    PyBuffer_Release(&buffer);
    if (!good) {
        PyErr_SetString(PyExc_ValueError, "four points are expected");
        return NULL;
    }
    return Py_BuildValue("(ddNN)", d.distance, d.lower_bound, core_vec3(d.on_a), core_vec3(d.on_b));
}

// moving_simplices(edges, start, end, gap, tolerance) -> (verdict, toi, distance): four points each, that move in
// straight lines
static PyObject *moving_simplices(PyObject *module, PyObject *args)
{
    (void)module;
    int edges;
    Py_buffer start, end;
    nc_sweep_def def = nc_sweep_def_default();
    if (!PyArg_ParseTuple(args, "py*y*dd", &edges, &start, &end, &def.gap, &def.tolerance))
        return NULL;
    nc_sweep_result r = {0};
    const bool good = start.len == SIMPLEX_BYTES && end.len == SIMPLEX_BYTES && def.gap >= 0 && def.tolerance > 0;
    if (good)
        r = (edges ? nc_ccd_edge_edge : nc_ccd_vertex_triangle)(start.buf, end.buf, &def);
    PyBuffer_Release(&start);
    PyBuffer_Release(&end);
    if (!good) {
        PyErr_SetString(PyExc_ValueError,
                        "four points at the start and the end, a gap >= 0 and a tolerance > 0 are expected");
        return NULL;
    }
    return Py_BuildValue("(idd)", (int)r.verdict, r.toi, r.distance);
}

PyMethodDef core_query_functions[] = {
    {"proximity", proximity, METH_VARARGS, NULL},
    {"sample", sample, METH_VARARGS, NULL},
    {"trajectory", trajectory, METH_VARARGS, NULL},
    {"mesh_load_all", load_all, METH_VARARGS, NULL},
    {"simplices", simplices, METH_VARARGS, NULL},
    {"moving_simplices", moving_simplices, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
