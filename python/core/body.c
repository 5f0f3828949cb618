// Bodies of a world: handles are (index, generation).
#include "core.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define ID          "(II)"
#define INTO_ID(id) &(id).index, &(id).generation
#define VEC(v)      &(v).x, &(v).y, &(v).z

static PyObject *id_tuple(nc_body_id id)
{
    return Py_BuildValue("(II)", id.index, id.generation);
}

static PyObject *bodies(PyObject *self, PyObject *unused)
{
    (void)unused;
    core_world *world = (core_world *)self;
    if (!core_world_ready(world))
        return NULL;
    const int count = nc_model_bodies(world->model, NULL, 0);
    nc_body_id *ids = malloc(((size_t)count + 1) * sizeof *ids);
    if (ids == NULL)
        return PyErr_NoMemory();
    nc_model_bodies(world->model, ids, count);
    PyObject *list = PyList_New(count);
    for (int i = 0; list != NULL && i < count; i++)
        PyList_SetItem(list, i, id_tuple(ids[i]));
    free(ids);
    return list;
}

// describe(id) -> (name, type, cloth, vertex_count, mass, friction, restitution, x, q, v, w, kinetic, color, material)
static PyObject *describe(PyObject *self, PyObject *args)
{
    core_world *world = (core_world *)self;
    nc_body_id id;
    if (!PyArg_ParseTuple(args, ID, INTO_ID(id)) || !core_world_ready(world))
        return NULL;
    nc_model_body b;
    nc_error err = {0};
    const nc_code code = nc_model_read_body(world->model, id, &b, &err);
    if (code != NC_OK)
        return core_raise(code, &err);
    return Py_BuildValue("(siNidddNNNNdNs)", b.name, (int)b.type, PyBool_FromLong(b.cloth), b.vertex_count, b.mass,
                         b.friction, b.restitution, core_vec3(b.pose.x), core_quat(b.pose.q), core_vec3(b.velocity),
                         core_vec3(b.spin), b.kinetic, core_color(&b.appearance),
                         nc_material_view(b.appearance.material)->name);
}

// exists(id)
static PyObject *exists(PyObject *self, PyObject *args)
{
    core_world *world = (core_world *)self;
    nc_body_id id;
    if (!PyArg_ParseTuple(args, ID, INTO_ID(id)) || !core_world_ready(world))
        return NULL;
    nc_model_body b;
    return PyBool_FromLong(nc_model_read_body(world->model, id, &b, NULL) == NC_OK);
}

// vertices(id, positions, velocities): fills two buffers of vertex_count x 3 doubles
static PyObject *vertices(PyObject *self, PyObject *args)
{
    core_world *world = (core_world *)self;
    nc_body_id id;
    Py_buffer x, v;
    if (!core_world_ready(world) || !PyArg_ParseTuple(args, ID "w*w*", INTO_ID(id), &x, &v))
        return NULL;
    nc_model_body b = {0};
    nc_error err = {0};
    nc_code code = nc_model_read_body(world->model, id, &b, &err);
    const Py_ssize_t need = (Py_ssize_t)sizeof(nc_vec3) * b.vertex_count;
    const bool fits = x.len == need && v.len == need;
    if (code == NC_OK && fits)
        code = nc_model_read_vertices(world->model, id, x.buf, v.buf, &err);
    PyBuffer_Release(&x);
    PyBuffer_Release(&v);
    if (code == NC_OK && !fits) {
        PyErr_SetString(PyExc_ValueError, "the buffers have another size than the vertices");
        return NULL;
    }
    return core_none_or_raise(code, &err);
}

// create(type, name, mesh, (matter, density, area_density, thickness, mass), x, q, v, w, friction, restitution,
// keyframes, color, material, inertia, max_force, max_torque): color or None, material "" for none; inertia: centre and
// 9 numbers as buffer, or an empty one
static PyObject *create(PyObject *self, PyObject *args)
{
    core_world *world = (core_world *)self;
    nc_world *rigid = core_world_rigid(world);
    if (rigid == NULL)
        return NULL;
    nc_body_def def = nc_body_def_default();
    int type, matter;
    PyObject *mesh;
    Py_buffer keys, inertia;
    const char *color, *material;
    nc_mass_def *m = &def.mass;
    nc_quat *q = &def.orientation;
    if (!PyArg_ParseTuple(args, "izO!(idddd)(ddd)(dddd)(ddd)(ddd)ddy*zsy*dd", &type, &def.name, core_mesh_type, &mesh,
                          &matter, &m->density, &m->area_density, &m->thickness, &m->mass, VEC(def.position), &q->w,
                          &q->x, &q->y, &q->z, VEC(def.velocity), VEC(def.spin), &def.friction, &def.restitution, &keys,
                          &color, &material, &inertia, &def.max_force, &def.max_torque))
        return NULL;
    const bool looks = core_appearance(color, material, &def.appearance);
    m->has_inertia = inertia.len == sizeof m->center + sizeof m->inertia;
    if (m->has_inertia) {
        memcpy(&m->center, inertia.buf, sizeof m->center);
        memcpy(&m->inertia, (const char *)inertia.buf + sizeof m->center, sizeof m->inertia);
    }
    PyBuffer_Release(&inertia);
    def.type = (nc_body_type)type;
    def.mesh = core_mesh_of(mesh);
    m->matter = (nc_matter)matter;
    def.keyframe_count = (int)(keys.len / (Py_ssize_t)sizeof(nc_keyframe));
    def.keyframes = def.keyframe_count > 0 ? keys.buf : NULL;
    nc_body_id id = {0, 0};
    nc_error err = {0};
    const nc_code code = looks ? nc_body_create(rigid, &def, &id, &err) : NC_OK;
    PyBuffer_Release(&keys);
    if (!looks)
        return NULL;
    return code == NC_OK ? id_tuple(id) : core_raise(code, &err);
}

static PyObject *destroy(PyObject *self, PyObject *args)
{
    nc_world *rigid = core_world_rigid((core_world *)self);
    nc_body_id id;
    if (rigid == NULL || !PyArg_ParseTuple(args, ID, INTO_ID(id)))
        return NULL;
    nc_error err = {0};
    return core_none_or_raise(nc_body_destroy(rigid, id, &err), &err);
}

static PyObject *move(PyObject *self, PyObject *args)
{
    nc_world *rigid = core_world_rigid((core_world *)self);
    nc_body_id id;
    nc_pose pose;
    if (rigid == NULL ||
        !PyArg_ParseTuple(args, ID "(ddd)(dddd)", INTO_ID(id), VEC(pose.x), &pose.q.w, &pose.q.x, &pose.q.y, &pose.q.z))
        return NULL;
    nc_error err = {0};
    return core_none_or_raise(nc_body_move(rigid, id, pose, &err), &err);
}

typedef nc_code (*two_vectors)(nc_world *world, nc_body_id body, nc_vec3 a, nc_vec3 b, nc_error *err);

static PyObject *set_two(PyObject *self, PyObject *args, two_vectors set)
{
    nc_world *rigid = core_world_rigid((core_world *)self);
    nc_body_id id;
    nc_vec3 a, b;
    if (rigid == NULL || !PyArg_ParseTuple(args, ID "(ddd)(ddd)", INTO_ID(id), VEC(a), VEC(b)))
        return NULL;
    nc_error err = {0};
    return core_none_or_raise(set(rigid, id, a, b, &err), &err);
}
static PyObject *set_velocity(PyObject *self, PyObject *args)
{
    return set_two(self, args, nc_body_set_velocity);
}
static PyObject *set_force(PyObject *self, PyObject *args)
{
    return set_two(self, args, nc_body_set_force);
}
static PyObject *apply_impulse(PyObject *self, PyObject *args)
{
    return set_two(self, args, nc_body_apply_impulse);
}

// ---- what is known of it ------------------------------------------------------------------------------------

static PyObject *mesh(PyObject *self, PyObject *args)
{
    nc_world *rigid = core_world_rigid((core_world *)self);
    nc_body_id id;
    if (rigid == NULL || !PyArg_ParseTuple(args, ID, INTO_ID(id)))
        return NULL;
    const int row = nc_body_mesh_row(rigid, id);
    nc_body_state state;
    nc_error err = {0};
    if (row < 0)
        return core_none_or_raise(nc_body_read(rigid, id, &state, &err), &err);
    return core_mesh_wrap(nc_mesh_retain(nc_world_mesh(rigid, row)));
}

// state(id) -> (sleeps, cluster, blocker, threshold, angular momentum)
static PyObject *state(PyObject *self, PyObject *args)
{
    const nc_world *rigid = core_world_rigid((core_world *)self);
    nc_body_id id;
    if (rigid == NULL || !PyArg_ParseTuple(args, ID, INTO_ID(id)))
        return NULL;
    nc_body_state s;
    nc_error err = {0};
    const nc_code code = nc_body_read(rigid, id, &s, &err);
    if (code != NC_OK)
        return core_raise(code, &err);
    return Py_BuildValue("(NNNdN)", PyBool_FromLong(nc_body_sleeps(rigid, id)), id_tuple(nc_body_cluster(rigid, id)),
                         id_tuple(nc_body_blocker(rigid, id)), nc_body_threshold(rigid, id),
                         core_vec3(s.angular_momentum));
}

// load(id) -> (force, torque, pace, lag, max_force, max_torque)
static PyObject *load(PyObject *self, PyObject *args)
{
    const nc_world *rigid = core_world_rigid((core_world *)self);
    nc_body_id id;
    if (rigid == NULL || !PyArg_ParseTuple(args, ID, INTO_ID(id)))
        return NULL;
    nc_body_load l;
    nc_error err = {0};
    const nc_code code = nc_body_read_load(rigid, id, &l, &err);
    if (code != NC_OK)
        return core_raise(code, &err);
    return Py_BuildValue("(NNdddd)", core_vec3(l.force), core_vec3(l.torque), l.pace, l.lag, l.max_force, l.max_torque);
}

// acceleration(id) -> (linear, angular), or None where no step is known
static PyObject *acceleration(PyObject *self, PyObject *args)
{
    const nc_world *rigid = core_world_rigid((core_world *)self);
    nc_body_id id;
    if (rigid == NULL || !PyArg_ParseTuple(args, ID, INTO_ID(id)))
        return NULL;
    nc_body_acceleration a;
    nc_error err = {0};
    const nc_code code = nc_body_read_acceleration(rigid, id, &a, &err);
    if (code != NC_OK)
        return core_raise(code, &err);
    if (!a.known)
        Py_RETURN_NONE;
    return Py_BuildValue("(NN)", core_vec3(a.linear), core_vec3(a.angular));
}

// set_max_force(id, force, torque)
static PyObject *set_max_force(PyObject *self, PyObject *args)
{
    nc_world *rigid = core_world_rigid((core_world *)self);
    nc_body_id id;
    double force, torque;
    if (rigid == NULL || !PyArg_ParseTuple(args, ID "dd", INTO_ID(id), &force, &torque))
        return NULL;
    nc_error err = {0};
    return core_none_or_raise(nc_body_set_max_force(rigid, id, force, torque, &err), &err);
}

static PyObject *find(PyObject *self, PyObject *args)
{
    core_world *world = (core_world *)self;
    const char *name;
    if (!core_world_ready(world) || !PyArg_ParseTuple(args, "s", &name))
        return NULL;
    const nc_world *rigid = nc_model_world(world->model);
    if (rigid != NULL) {
        const nc_body_id id = nc_world_find(rigid, name);
        if (id.generation == 0)
            Py_RETURN_NONE;
        return id_tuple(id);
    }
    const nc_cloth_world *cloth = nc_model_cloth(world->model);
    nc_cloth_view view;
    for (int i = 0; i < nc_cloth_count(cloth); i++)
        if (nc_cloth_view_object(cloth, i, &view, NULL) == NC_OK && strcmp(view.name, name) == 0)
            return id_tuple((nc_body_id){(uint32_t)i, 0});
    Py_RETURN_NONE;
}

// cloth_triangles(object) -> (triangles as bytes of 32-bit integers, numbers of the object's own vertices)
static PyObject *cloth_triangles(PyObject *self, PyObject *args)
{
    core_world *world = (core_world *)self;
    int object;
    if (!core_world_ready(world) || !PyArg_ParseTuple(args, "i", &object))
        return NULL;
    const nc_cloth_world *cloth = nc_model_cloth(world->model);
    nc_cloth_view view;
    nc_error err = {.text = "a world of rigid bodies has no cloth"};
    const nc_code code = cloth != NULL ? nc_cloth_view_object(cloth, object, &view, &err) : NC_UNSUPPORTED;
    if (code != NC_OK)
        return core_raise(code, &err);
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(sizeof(int[3]) * (size_t)view.triangle_count));
    int *out = bytes != NULL ? (int *)(void *)PyBytes_AsString(bytes) : NULL;
    for (int t = 0; out != NULL && t < view.triangle_count; t++)
        for (int k = 0; k < 3; k++)
            out[3 * t + k] = view.triangles[t][k] - view.first_vertex;
    return bytes;
}

// ---- pairs --------------------------------------------------------------------------------------------------

static PyObject *exempt(PyObject *self, PyObject *args)
{
    nc_world *rigid = core_world_rigid((core_world *)self);
    nc_body_id a, b;
    if (rigid == NULL || !PyArg_ParseTuple(args, ID ID, INTO_ID(a), INTO_ID(b)))
        return NULL;
    nc_error err = {0};
    return core_none_or_raise(nc_world_exempt_pair(rigid, a, b, &err), &err);
}

static PyObject *set_pair(PyObject *self, PyObject *args)
{
    nc_world *rigid = core_world_rigid((core_world *)self);
    nc_body_id a, b;
    double friction, restitution;
    if (rigid == NULL || !PyArg_ParseTuple(args, ID ID "dd", INTO_ID(a), INTO_ID(b), &friction, &restitution))
        return NULL;
    nc_error err = {0};
    return core_none_or_raise(nc_world_set_pair(rigid, a, b, friction, restitution, &err), &err);
}

static PyObject *read_pair(PyObject *self, PyObject *args)
{
    nc_world *rigid = core_world_rigid((core_world *)self);
    nc_body_id a, b;
    double friction, restitution;
    if (rigid == NULL || !PyArg_ParseTuple(args, ID ID, INTO_ID(a), INTO_ID(b)))
        return NULL;
    nc_error err = {0};
    const nc_code code = nc_world_read_pair(rigid, a, b, &friction, &restitution, &err);
    return code == NC_OK ? Py_BuildValue("(dd)", friction, restitution) : core_raise(code, &err);
}

// ---- fracture -----------------------------------------------------------------------------------------------

enum { MAX_PARAMETERS = 16, MAX_PIECES = 1024 };

static bool take_parameters(PyObject *pairs, nc_shape_parameter *out, int *count)
{
    const Py_ssize_t given = PyTuple_Size(pairs);
    if (given > MAX_PARAMETERS) {
        PyErr_SetString(PyExc_ValueError, "too many parameters");
        return false;
    }
    for (*count = 0; *count < (int)given; ++*count) {
        PyObject *row = core_row(pairs, *count);
        if (row == NULL || !PyArg_ParseTuple(row, "sd", &out[*count].name, &out[*count].value))
            return false;
    }
    return true;
}

static bool take_meshes(PyObject *tuple, nc_mesh **out, int *count)
{
    const Py_ssize_t given = PyTuple_Size(tuple);
    if (given > MAX_PIECES) {
        PyErr_SetString(PyExc_ValueError, "too many meshes");
        return false;
    }
    for (*count = 0; *count < (int)given; ++*count) {
        out[*count] = core_mesh_of(PyTuple_GetItem(tuple, *count));
        if (out[*count] == NULL)
            return false;
    }
    return true;
}

// set_fracture(id, threshold, pattern or None, ((name, value), ...), seed, way, cells, gap, crumb, aligned,
// generations,
//              density, thickness, meshes, center, normal)
static PyObject *set_fracture(PyObject *self, PyObject *args)
{
    nc_world *rigid = core_world_rigid((core_world *)self);
    nc_body_id id;
    nc_fracture_def def = nc_fracture_def_default();
    nc_shape_parameter parameters[MAX_PARAMETERS];
    nc_mesh *meshes[MAX_PIECES];
    PyObject *pairs, *pieces;
    int way, aligned;
    unsigned long long seed;
    if (rigid == NULL ||
        !PyArg_ParseTuple(args, ID "dzO!KiiddpiddO!(ddd)(ddd)", INTO_ID(id), &def.threshold, &def.pattern,
                          &PyTuple_Type, &pairs, &seed, &way, &def.cells, &def.gap, &def.crumb, &aligned,
                          &def.generations, &def.mass.density, &def.mass.thickness, &PyTuple_Type, &pieces,
                          VEC(def.center), VEC(def.normal)) ||
        !take_parameters(pairs, parameters, &def.parameter_count) || !take_meshes(pieces, meshes, &def.mesh_count))
        return NULL;
    def.seed = seed;
    def.way = (nc_fracture_method)way;
    def.aligned = aligned != 0;
    def.parameters = parameters;
    def.meshes = meshes;
    nc_error err = {0};
    return core_none_or_raise(nc_body_set_fracture(rigid, id, &def, &err), &err);
}

// clear_fracture(id): it does not break any more
static PyObject *clear_fracture(PyObject *self, PyObject *args)
{
    nc_world *rigid = core_world_rigid((core_world *)self);
    nc_body_id id;
    if (rigid == NULL || !PyArg_ParseTuple(args, ID, INTO_ID(id)))
        return NULL;
    nc_error err = {0};
    return core_none_or_raise(nc_body_set_fracture(rigid, id, NULL, &err), &err);
}

static PyObject *piece_list(const nc_world *rigid, int event)
{
    const int count = nc_world_fracture_pieces(rigid, event, NULL, 0);
    nc_body_id *ids = malloc(((size_t)count + 1) * sizeof *ids);
    if (ids == NULL)
        return PyErr_NoMemory();
    nc_world_fracture_pieces(rigid, event, ids, count);
    PyObject *list = PyList_New(count);
    for (int i = 0; list != NULL && i < count; i++)
        PyList_SetItem(list, i, id_tuple(ids[i]));
    free(ids);
    return list;
}

// fractures(first) -> [(step, body, name, impulse, threshold, point, normal, pattern, pieces, reason), ...]
static PyObject *fractures(PyObject *self, PyObject *args)
{
    const nc_world *rigid = core_world_rigid((core_world *)self);
    int first;
    if (rigid == NULL || !PyArg_ParseTuple(args, "i", &first))
        return NULL;
    const int count = nc_world_fractures(rigid, 0, NULL, 0);
    PyObject *list = PyList_New(0);
    for (int k = first < 0 ? 0 : first; list != NULL && k < count; k++) {
        nc_fracture_event e;
        nc_world_fractures(rigid, k, &e, 1);
        PyObject *row =
            Py_BuildValue("(LNsddNNsNs)", (long long)e.step, id_tuple(e.body), e.name, e.impulse, e.threshold,
                          core_vec3(e.place), core_vec3(e.normal), e.pattern, piece_list(rigid, k), e.reason);
        if (row == NULL || PyList_Append(list, row) != 0)
            Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

// ---- contacts -----------------------------------------------------------------------------------------------

// The package describes this struct to NumPy (_world.py, _POINT).
_Static_assert(sizeof(nc_contact_point) == 112 && offsetof(nc_contact_point, b) == 8 &&
                   offsetof(nc_contact_point, phase) == 16 && offsetof(nc_contact_point, feature) == 20 &&
                   offsetof(nc_contact_point, place) == 32 && offsetof(nc_contact_point, normal) == 56 &&
                   offsetof(nc_contact_point, distance) == 80 && offsetof(nc_contact_point, impulse) == 88,
               "contacts have another layout than the package says");

static PyObject *trace_contacts(PyObject *self, PyObject *args)
{
    nc_world *rigid = core_world_rigid((core_world *)self);
    int on;
    if (rigid == NULL || !PyArg_ParseTuple(args, "p", &on))
        return NULL;
    nc_world_trace_contacts(rigid, on != 0);
    Py_RETURN_NONE;
}

// The contacts of the last step, as bytes.
static PyObject *contacts(PyObject *self, PyObject *unused)
{
    (void)unused;
    const nc_world *rigid = core_world_rigid((core_world *)self);
    if (rigid == NULL)
        return NULL;
    // After a restore there is no last step.
    const int count = ((core_world *)self)->reported ? nc_world_contacts(rigid, NULL, 0) : 0;
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(sizeof(nc_contact_point) * (size_t)count));
    if (bytes != NULL && count > 0)
        nc_world_contacts(rigid, (nc_contact_point *)(void *)PyBytes_AsString(bytes), count);
    return bytes;
}

// set_appearance(id, color or None, material)
static PyObject *set_appearance(PyObject *self, PyObject *args)
{
    nc_world *rigid = core_world_rigid((core_world *)self);
    nc_body_id id;
    const char *color, *material;
    nc_appearance appearance;
    if (rigid == NULL || !PyArg_ParseTuple(args, ID "zs", INTO_ID(id), &color, &material) ||
        !core_appearance(color, material, &appearance))
        return NULL;
    nc_error err = {0};
    return core_none_or_raise(nc_body_set_appearance(rigid, id, appearance, &err), &err);
}

PyMethodDef core_body_methods[] = {
    {"bodies", bodies, METH_NOARGS, NULL},
    {"describe", describe, METH_VARARGS, NULL},
    {"exists", exists, METH_VARARGS, NULL},
    {"vertices", vertices, METH_VARARGS, NULL},
    {"create", create, METH_VARARGS, NULL},
    {"destroy", destroy, METH_VARARGS, NULL},
    {"move", move, METH_VARARGS, NULL},
    {"set_velocity", set_velocity, METH_VARARGS, NULL},
    {"set_force", set_force, METH_VARARGS, NULL},
    {"apply_impulse", apply_impulse, METH_VARARGS, NULL},
    {"mesh", mesh, METH_VARARGS, NULL},
    {"state", state, METH_VARARGS, NULL},
    {"load", load, METH_VARARGS, NULL},
    {"acceleration", acceleration, METH_VARARGS, NULL},
    {"set_max_force", set_max_force, METH_VARARGS, NULL},
    {"find", find, METH_VARARGS, NULL},
    {"cloth_triangles", cloth_triangles, METH_VARARGS, NULL},
    {"exempt", exempt, METH_VARARGS, NULL},
    {"set_pair", set_pair, METH_VARARGS, NULL},
    {"read_pair", read_pair, METH_VARARGS, NULL},
    {"set_fracture", set_fracture, METH_VARARGS, NULL},
    {"fractures", fractures, METH_VARARGS, NULL},
    {"trace_contacts", trace_contacts, METH_VARARGS, NULL},
    {"contacts", contacts, METH_NOARGS, NULL},
    {"clear_fracture", clear_fracture, METH_VARARGS, NULL},
    {"set_appearance", set_appearance, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
