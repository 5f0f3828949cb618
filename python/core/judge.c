// What can be asked of a world, and repaired in it: conflicts at the start, crossings in a step, the solver's merit.
#include "core.h"

#include <stdlib.h>

#define ID          "(II)"
#define INTO_ID(id) &(id).index, &(id).generation

static PyObject *conflict_row(const nc_conflict *c)
{
    return Py_BuildValue("((II)(II)iNdNN)", c->a.index, c->a.generation, c->b.index, c->b.generation, (int)c->kind,
                         PyBool_FromLong(c->a_is_inside), c->depth, core_vec3(c->direction), core_vec3(c->where.place));
}

static PyObject *conflict_list(const nc_conflict *rows, int count)
{
    PyObject *list = PyList_New(count);
    for (int k = 0; list != NULL && k < count; k++)
        PyList_SetItem(list, k, conflict_row(&rows[k]));
    return list;
}

static PyObject *move_list(const nc_repair *repair)
{
    PyObject *list = PyList_New(repair->move_count);
    for (int k = 0; list != NULL && k < repair->move_count; k++) {
        const nc_repair_move *m = &repair->moves[k];
        PyList_SetItem(
            list, k,
            Py_BuildValue("((II)NN)", m->body.index, m->body.generation, core_vec3(m->travel), core_vec3(m->rotation)));
    }
    return list;
}

// conflicts(limit) -> [(a, b, kind, a_is_inside, depth, direction, point), ...]
static PyObject *conflicts(PyObject *self, PyObject *args)
{
    core_world *world = (core_world *)self;
    const nc_world *rigid = core_world_rigid(world);
    nc_repair_def def = nc_repair_def_default();
    if (rigid == NULL || !PyArg_ParseTuple(args, "d", &def.limit))
        return NULL;
    nc_repair found = {0};
    nc_error err = {0};
    nc_code code;
    world->busy = true;
    Py_BEGIN_ALLOW_THREADS
    code = nc_world_find_conflicts(rigid, &def, -1, &found, &err);
    Py_END_ALLOW_THREADS
    world->busy = false;
    PyObject *list = code == NC_OK ? conflict_list(found.conflicts, found.conflict_count) : core_raise(code, &err);
    nc_repair_free(&found);
    return list;
}

static nc_body_id *take_ids(PyObject *tuple, int *count)
{
    *count = (int)PyTuple_Size(tuple);
    nc_body_id *ids = calloc((size_t)*count + 1, sizeof *ids);
    if (ids == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    for (int k = 0; k < *count; k++) {
        PyObject *row = core_row(tuple, k);
        if (row == NULL || !PyArg_ParseTuple(row, "II", INTO_ID(ids[k]))) {
            free(ids);
            return NULL;
        }
    }
    return ids;
}

// repair(limit, rounds, pinned) -> [(body, travel, rotation), ...]
static PyObject *repair(PyObject *self, PyObject *args)
{
    core_world *world = (core_world *)self;
    nc_world *rigid = core_world_rigid(world);
    nc_repair_def def = nc_repair_def_default();
    PyObject *pinned;
    if (rigid == NULL || !PyArg_ParseTuple(args, "diO!", &def.limit, &def.rounds, &PyTuple_Type, &pinned))
        return NULL;
    nc_body_id *ids = take_ids(pinned, &def.pinned_count);
    if (ids == NULL)
        return NULL;
    def.pinned = ids;
    nc_repair done = {0};
    nc_error err = {0};
    nc_code code;
    world->busy = true;
    Py_BEGIN_ALLOW_THREADS
    code = nc_world_repair(rigid, &def, &done, &err);
    Py_END_ALLOW_THREADS
    world->busy = false;
    free(ids);
    PyObject *list = code == NC_OK ? move_list(&done) : core_raise(code, &err);
    nc_repair_free(&done);
    return list;
}

enum { MAX_CROSSINGS = 1024 };

// audit_step() -> [(a, b, t, point), ...]: of at most 1024 pairs
static PyObject *audit_step(PyObject *self, PyObject *unused)
{
    (void)unused;
    core_world *world = (core_world *)self;
    const nc_world *rigid = core_world_rigid(world);
    nc_crossing *found = rigid != NULL ? calloc(MAX_CROSSINGS, sizeof *found) : NULL;
    if (found == NULL)
        return rigid != NULL ? PyErr_NoMemory() : NULL;
    int count = 0;
    nc_error err = {0};
    nc_code code;
    world->busy = true;
    Py_BEGIN_ALLOW_THREADS
    code = nc_world_audit_step(rigid, found, MAX_CROSSINGS, &count, &err);
    Py_END_ALLOW_THREADS
    world->busy = false;
    count = count < MAX_CROSSINGS ? count : MAX_CROSSINGS;
    PyObject *list = code == NC_OK ? PyList_New(count) : core_raise(code, &err);
    for (int k = 0; list != NULL && k < count; k++)
        PyList_SetItem(list, k,
                       Py_BuildValue("((II)(II)dN)", found[k].a.index, found[k].a.generation, found[k].b.index,
                                     found[k].b.generation, found[k].t, core_vec3(found[k].where.place)));
    free(found);
    return list;
}

static PyObject *trace_merit(PyObject *self, PyObject *args)
{
    nc_world *rigid = core_world_rigid((core_world *)self);
    int on;
    if (rigid == NULL || !PyArg_ParseTuple(args, "p", &on))
        return NULL;
    nc_world_trace_merit(rigid, on != 0);
    Py_RETURN_NONE;
}

// The merit before the first iteration and after each, as bytes of doubles.
static PyObject *merit(PyObject *self, PyObject *unused)
{
    (void)unused;
    const nc_world *rigid = core_world_rigid((core_world *)self);
    if (rigid == NULL)
        return NULL;
    const int count = nc_world_merit(rigid, NULL, 0);
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(sizeof(double) * (size_t)count));
    if (bytes != NULL && count > 0)
        nc_world_merit(rigid, (double *)(void *)PyBytes_AsString(bytes), count);
    return bytes;
}

static PyObject *pair_matters(PyObject *self, PyObject *args)
{
    const nc_world *rigid = core_world_rigid((core_world *)self);
    nc_body_id a, b;
    if (rigid == NULL || !PyArg_ParseTuple(args, ID ID, INTO_ID(a), INTO_ID(b)))
        return NULL;
    return PyBool_FromLong(nc_world_pair_matters(rigid, a, b));
}

// emitters() -> [(name, planned, due, appeared), ...]
static PyObject *emitters(PyObject *self, PyObject *unused)
{
    (void)unused;
    core_world *world = (core_world *)self;
    if (!core_world_ready(world))
        return NULL;
    const nc_scene *scene = world->scene->scene;
    const int count = nc_scene_emitter_count(scene);
    PyObject *list = PyList_New(count);
    for (int k = 0; list != NULL && k < count; k++) {
        const nc_emitter_state e = nc_scene_emitter(scene, world->model, k);
        PyList_SetItem(list, k,
                       Py_BuildValue("(sLLL)", e.name, (long long)e.planned, (long long)e.due, (long long)e.appeared));
    }
    return list;
}

// trace_audit(on): every linear piece of the vertices of cloth is tested exactly
static PyObject *trace_audit(PyObject *self, PyObject *args)
{
    core_world *world = (core_world *)self;
    int on;
    if (!PyArg_ParseTuple(args, "p", &on) || !core_world_ready(world))
        return NULL;
    nc_cloth_world *cloth = nc_model_cloth(world->model);
    if (cloth == NULL) {
        const nc_error err = {.code = NC_UNSUPPORTED,
                              .text = "only worlds of cloth trace an audit; rigid bodies have audit_step"};
        return core_raise(NC_UNSUPPORTED, &err);
    }
    nc_cloth_trace_audit(cloth, on != 0);
    Py_RETURN_NONE;
}

PyMethodDef core_judge_methods[] = {
    {"conflicts", conflicts, METH_VARARGS, NULL},
    {"repair", repair, METH_VARARGS, NULL},
    {"audit_step", audit_step, METH_NOARGS, NULL},
    {"trace_merit", trace_merit, METH_VARARGS, NULL},
    {"merit", merit, METH_NOARGS, NULL},
    {"pair_matters", pair_matters, METH_VARARGS, NULL},
    {"emitters", emitters, METH_NOARGS, NULL},
    {"trace_audit", trace_audit, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
