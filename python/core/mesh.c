// Meshes and queries that need no world.
#include "core.h"

#include <string.h>

typedef struct core_mesh {
    PyObject_HEAD
    nc_mesh *mesh;
} core_mesh;
PyTypeObject *core_mesh_type;

PyObject *core_mesh_wrap(nc_mesh *mesh)
{
    core_mesh *self = PyObject_New(core_mesh, core_mesh_type);
    if (self == NULL)
        nc_mesh_release(mesh);
    else
        self->mesh = mesh;
    return (PyObject *)self;
}

nc_mesh *core_mesh_of(PyObject *object)
{
    if (PyObject_TypeCheck(object, core_mesh_type))
        return ((core_mesh *)object)->mesh;
    PyErr_SetString(PyExc_TypeError, "a mesh is expected");
    return NULL;
}

static void mesh_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    nc_mesh_release(((core_mesh *)self)->mesh);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

// ---- what it holds ------------------------------------------------------------------------------------------

static PyObject *mesh_arrays(PyObject *self, PyObject *unused)
{
    (void)unused;
    const nc_mesh_data d = nc_mesh_view(((core_mesh *)self)->mesh);
    return Py_BuildValue("(NNNNN)",
                         core_memory_of_owner(self, d.vertices, (Py_ssize_t)sizeof(nc_vec3) * d.vertex_count),
                         core_memory_of_owner(self, d.triangles, (Py_ssize_t)sizeof *d.triangles * d.triangle_count),
                         core_memory_of_owner(self, d.edges, (Py_ssize_t)sizeof *d.edges * d.edge_count),
                         core_memory_of_owner(self, d.edge_is_free, d.edge_count),
                         core_memory_of_owner(self, d.points, (Py_ssize_t)sizeof *d.points * d.point_count));
}

// (low, high, radius, closed, hash)
static PyObject *mesh_info(PyObject *self, PyObject *unused)
{
    (void)unused;
    const nc_mesh_data d = nc_mesh_view(((core_mesh *)self)->mesh);
    return Py_BuildValue("(NNdNK)", core_vec3(d.box.lo), core_vec3(d.box.hi), d.radius, PyBool_FromLong(d.closed),
                         (unsigned long long)d.hash);
}

// mass(matter, density, area_density, thickness, mass) -> (mass, center, inertia)
static PyObject *mesh_mass(PyObject *self, PyObject *args)
{
    int matter;
    nc_mass_def def = {0};
    if (!PyArg_ParseTuple(args, "idddd", &matter, &def.density, &def.area_density, &def.thickness, &def.mass))
        return NULL;
    def.matter = (nc_matter)matter;
    nc_mass out;
    nc_error err = {0};
    const nc_code code = nc_mesh_mass(((core_mesh *)self)->mesh, &def, &out, &err);
    if (code != NC_OK)
        return core_raise(code, &err);
    const nc_vec3 *r = out.inertia.row;
    return Py_BuildValue("(dN(NNN))", out.mass, core_vec3(out.center), core_vec3(r[0]), core_vec3(r[1]),
                         core_vec3(r[2]));
}

static PyObject *mesh_save(PyObject *self, PyObject *args)
{
    PyObject *path;
    if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path))
        return NULL;
    nc_error err = {0};
    const nc_code code = nc_mesh_save(((core_mesh *)self)->mesh, PyBytes_AsString(path), &err);
    Py_DECREF(path);
    return core_none_or_raise(code, &err);
}

static PyMethodDef mesh_methods[] = {
    {"arrays", mesh_arrays, METH_NOARGS, NULL},
    {"info", mesh_info, METH_NOARGS, NULL},
    {"mass", mesh_mass, METH_VARARGS, NULL},
    {"save", mesh_save, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot mesh_slots[] = {
    {Py_tp_dealloc, (void *)mesh_dealloc},
    {Py_tp_methods, mesh_methods},
    {0, NULL},
};
PyType_Spec core_mesh_spec = {
    .name = "nacre._core.Mesh",
    .basicsize = sizeof(core_mesh),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = mesh_slots,
};

// ---- making one ---------------------------------------------------------------------------------------------

// Columns of a buffer of 4-byte integers; false with an exception.
static bool count_items(const Py_buffer *buffer, size_t item, int *count, const char *what)
{
    if ((size_t)buffer->len % item != 0 || (size_t)buffer->len / item > INT32_MAX) {
        PyErr_Format(PyExc_ValueError, "%s do not fit into whole rows", what);
        return false;
    }
    *count = (int)((size_t)buffer->len / item);
    return true;
}

// mesh_create(vertices, triangles, edges, points): buffers of doubles and 32-bit integers
static PyObject *mesh_create(PyObject *module, PyObject *args)
{
    (void)module;
    Py_buffer b[4];
    if (!PyArg_ParseTuple(args, "y*y*y*y*", &b[0], &b[1], &b[2], &b[3]))
        return NULL;
    nc_mesh_def def = {.vertices = b[0].buf, .triangles = b[1].buf, .edges = b[2].buf, .points = b[3].buf};
    nc_mesh *mesh = NULL;
    nc_error err = {0};
    nc_code code = NC_BAD_ARGUMENT;
    const bool fits = count_items(&b[0], sizeof(nc_vec3), &def.vertex_count, "vertices") &&
                      count_items(&b[1], sizeof *def.triangles, &def.triangle_count, "triangles") &&
                      count_items(&b[2], sizeof *def.edges, &def.edge_count, "edges") &&
                      count_items(&b[3], sizeof *def.points, &def.point_count, "points");
    if (fits)
        code = nc_mesh_create(&def, NULL, &mesh, &err);
    for (int k = 0; k < 4; k++)
        PyBuffer_Release(&b[k]);
    if (!fits)
        return NULL;
    return code == NC_OK ? core_mesh_wrap(mesh) : core_raise(code, &err);
}

static PyObject *mesh_load(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *path;
    if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path))
        return NULL;
    const char *name = PyBytes_AsString(path);
    nc_mesh *mesh = NULL;
    nc_error err = {0};
    nc_code code;
    Py_BEGIN_ALLOW_THREADS
    code = nc_mesh_load(name, NULL, &mesh, NULL, &err);
    Py_END_ALLOW_THREADS
    Py_DECREF(path);
    return code == NC_OK ? core_mesh_wrap(mesh) : core_raise(code, &err);
}

enum { MAX_PARAMETERS = 64 };

// shape(name, ((key, value), ...))
static PyObject *shape(PyObject *module, PyObject *args)
{
    (void)module;
    const char *name;
    PyObject *pairs;
    if (!PyArg_ParseTuple(args, "sO!", &name, &PyTuple_Type, &pairs))
        return NULL;
    nc_shape_parameter parameters[MAX_PARAMETERS];
    const Py_ssize_t count = PyTuple_Size(pairs);
    if (count > MAX_PARAMETERS) {
        PyErr_SetString(PyExc_ValueError, "too many parameters");
        return NULL;
    }
    for (Py_ssize_t k = 0; k < count; k++) {
        PyObject *row = core_row(pairs, k);
        if (row == NULL || !PyArg_ParseTuple(row, "sd", &parameters[k].name, &parameters[k].value))
            return NULL;
    }
    nc_mesh *mesh = NULL;
    nc_error err = {0};
    const nc_code code = nc_shape_create(name, parameters, (int)count, NULL, &mesh, &err);
    return code == NC_OK ? core_mesh_wrap(mesh) : core_raise(code, &err);
}

static PyObject *parameter_row(const nc_shape_parameter_info *p)
{
    return Py_BuildValue("(sssdddN)", p->name, p->unit, p->about, p->fallback, p->low, p->high,
                         PyBool_FromLong(p->whole));
}

// [(name, about, [(parameter, unit, about, default, low, high, whole), ...]), ...]
PyObject *core_shapes(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    int count = 0;
    const nc_shape_info *shapes = nc_shape_list(&count);
    PyObject *list = PyList_New(count);
    for (int i = 0; list != NULL && i < count; i++) {
        PyObject *rows = PyList_New(shapes[i].parameter_count);
        for (int k = 0; rows != NULL && k < shapes[i].parameter_count; k++)
            PyList_SetItem(rows, k, parameter_row(&shapes[i].parameters[k]));
        PyList_SetItem(list, i, Py_BuildValue("(ssN)", shapes[i].name, shapes[i].about, rows));
    }
    return list;
}

// ---- queries ------------------------------------------------------------------------------------------------

#define POSE    "((ddd)(dddd))"
#define INTO(p) &(p).x.x, &(p).x.y, &(p).x.z, &(p).q.w, &(p).q.x, &(p).q.y, &(p).q.z
#define VEC(v)  &(v).x, &(v).y, &(v).z

// intersect(a, pose_a, b, pose_b) -> None or ((kind_a, element_a), (kind_b, element_b), point)
PyObject *core_intersect(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *a, *b;
    nc_pose p, q;
    if (!PyArg_ParseTuple(args, "O!" POSE "O!" POSE, core_mesh_type, &a, INTO(p), core_mesh_type, &b, INTO(q)))
        return NULL;
    const nc_mesh *mesh_a = core_mesh_of(a), *mesh_b = core_mesh_of(b);
    bool hit = false;
    nc_intersection out;
    nc_error err = {0};
    nc_code code;
    Py_BEGIN_ALLOW_THREADS
    code = nc_mesh_intersect(mesh_a, p, mesh_b, q, &hit, &out, &err);
    Py_END_ALLOW_THREADS
    if (code != NC_OK)
        return core_raise(code, &err);
    if (!hit)
        Py_RETURN_NONE;
    return Py_BuildValue("((ii)(ii)N)", (int)out.kind_a, out.element_a, (int)out.kind_b, out.element_b,
                         core_vec3(out.place));
}

// distance(a, pose_a, b, pose_b) -> (distance, lower_bound, on_a, on_b, normal, kind, feature_a, feature_b)
PyObject *core_distance(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *a, *b;
    nc_pose p, q;
    if (!PyArg_ParseTuple(args, "O!" POSE "O!" POSE, core_mesh_type, &a, INTO(p), core_mesh_type, &b, INTO(q)))
        return NULL;
    const nc_mesh *mesh_a = core_mesh_of(a), *mesh_b = core_mesh_of(b);
    nc_proximity out;
    nc_error err = {0};
    nc_code code;
    Py_BEGIN_ALLOW_THREADS
    code = nc_mesh_distance(mesh_a, p, mesh_b, q, &out, &err);
    Py_END_ALLOW_THREADS
    if (code != NC_OK)
        return core_raise(code, &err);
    return Py_BuildValue("(ddNNNiii)", out.distance, out.lower_bound, core_vec3(out.on_a), core_vec3(out.on_b),
                         core_vec3(out.normal), (int)out.feature.kind, out.feature.a, out.feature.b);
}

// sweep(a, pose, travel, rotation, b, pose, travel, rotation, gap, tolerance, t_max)
//   -> (verdict, toi, distance, kind, feature_a, feature_b, nearest)
PyObject *core_sweep(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *a, *b;
    nc_motion p, q;
    nc_sweep_def def = nc_sweep_def_default();
    if (!PyArg_ParseTuple(args, "O!" POSE "(ddd)(ddd)O!" POSE "(ddd)(ddd)ddd", core_mesh_type, &a, INTO(p.start),
                          VEC(p.travel), VEC(p.rotation), core_mesh_type, &b, INTO(q.start), VEC(q.travel),
                          VEC(q.rotation), &def.gap, &def.tolerance, &def.t_max))
        return NULL;
    const nc_mesh *mesh_a = core_mesh_of(a), *mesh_b = core_mesh_of(b);
    nc_sweep_result out;
    nc_error err = {0};
    nc_code code;
    Py_BEGIN_ALLOW_THREADS
    code = nc_mesh_sweep(mesh_a, &p, mesh_b, &q, &def, &out, &err);
    Py_END_ALLOW_THREADS
    if (code != NC_OK)
        return core_raise(code, &err);
    return Py_BuildValue("(iddiiiN)", (int)out.verdict, out.toi, out.distance, (int)out.feature.kind, out.feature.a,
                         out.feature.b, core_vec3(out.nearest));
}

PyMethodDef core_mesh_functions[] = {
    {"mesh_create", mesh_create, METH_VARARGS, NULL},
    {"mesh_load", mesh_load, METH_VARARGS, NULL},
    {"shape", shape, METH_VARARGS, NULL},
    {"shapes", core_shapes, METH_NOARGS, NULL},
    {"intersect", core_intersect, METH_VARARGS, NULL},
    {"distance", core_distance, METH_VARARGS, NULL},
    {"sweep", core_sweep, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
