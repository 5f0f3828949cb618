// Scenes: text in, checked description out.
#include "core.h"

#include <string.h>

PyTypeObject *core_scene_type;

static void scene_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    nc_scene_destroy(((core_scene *)self)->scene);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

static PyObject *text_of(const char *text)
{
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

static PyObject *notes_of(const nc_scene *scene)
{
    const int count = nc_scene_note_count(scene);
    PyObject *list = PyList_New(count);
    for (int i = 0; list != NULL && i < count; i++)
        PyList_SetItem(list, i, text_of(nc_scene_note(scene, i)));
    return list;
}

// {text, title, timestep, duration, steps, output_every, is_cloth, notes}
static PyObject *scene_view(PyObject *self, PyObject *unused)
{
    (void)unused;
    const nc_scene *scene = ((core_scene *)self)->scene;
    const nc_scene_settings s = nc_scene_view(scene);
    return Py_BuildValue("{sNsNsdsdsLsisNsN}", "text", text_of(s.text), "title", text_of(s.title), "timestep",
                         s.timestep, "duration", s.duration, "steps", (long long)s.steps, "output_every",
                         s.output_every, "is_cloth", PyBool_FromLong(s.is_cloth), "notes", notes_of(scene));
}

// repair(limit): moves bodies that touch or overlap apart; returns how many were moved
static PyObject *scene_repair(PyObject *self, PyObject *args)
{
    core_scene *scene = (core_scene *)self;
    nc_repair_def def = nc_repair_def_default();
    if (!PyArg_ParseTuple(args, "d", &def.limit))
        return NULL;
    nc_repair done = {0};
    nc_error err = {0};
    const nc_code code = nc_scene_repair(&scene->scene, &def, &done, &err);
    const int moved = done.move_count;
    nc_repair_free(&done);
    return code == NC_OK ? PyLong_FromLong(moved) : core_raise(code, &err);
}

static PyMethodDef scene_methods[] = {
    {"repair", scene_repair, METH_VARARGS, NULL},
    {"view", scene_view, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

enum { MAX_OVERRIDES = 256 };

// Scene(path, text or None, (override, ...))
static PyObject *scene_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    (void)kwargs;
    PyObject *path, *list;
    const char *text = NULL;
    Py_ssize_t size = 0;
    if (!PyArg_ParseTuple(args, "O&z#O!", PyUnicode_FSConverter, &path, &text, &size, &PyTuple_Type, &list))
        return NULL;
    const char *overrides[MAX_OVERRIDES];
    const Py_ssize_t count = PyTuple_Size(list);
    bool good = count <= MAX_OVERRIDES;
    for (Py_ssize_t k = 0; good && k < count; k++) {
        overrides[k] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(list, k), NULL);
        good = overrides[k] != NULL;
    }
    core_scene *self = NULL;
    nc_scene *scene = NULL;
    nc_error err = {0};
    nc_code code = NC_OK;
    if (good) {
        const nc_scene_def def = {.path = PyBytes_AsString(path),
                                  .text = text,
                                  .text_size = (size_t)size,
                                  .overrides = overrides,
                                  .override_count = (int)count};
        Py_BEGIN_ALLOW_THREADS
        code = nc_scene_load(&def, &scene, &err);
        Py_END_ALLOW_THREADS
    } else if (PyErr_Occurred() == NULL) {
        PyErr_Format(PyExc_ValueError, "more than %d overrides", (int)MAX_OVERRIDES);
    }
    Py_DECREF(path);
    if (!good)
        return NULL;
    if (code != NC_OK)
        return core_raise(code, &err);
    self = PyObject_New(core_scene, type);
    if (self == NULL) {
        nc_scene_destroy(scene);
        return NULL;
    }
    self->scene = scene;
    return (PyObject *)self;
}

static PyType_Slot scene_slots[] = {
    {Py_tp_new, (void *)scene_new},
    {Py_tp_dealloc, (void *)scene_dealloc},
    {Py_tp_methods, scene_methods},
    {0, NULL},
};
PyType_Spec core_scene_spec = {
    .name = "nacre._core.Scene",
    .basicsize = sizeof(core_scene),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = scene_slots,
};

PyObject *core_schema(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    nc_buffer out = nc_buffer_create(NULL);
    PyObject *text = NULL;
    if (nc_scene_write_schema(&out))
        text = PyUnicode_DecodeUTF8((const char *)out.data, (Py_ssize_t)out.size, "strict");
    else
        PyErr_NoMemory();
    nc_buffer_free(&out);
    return text;
}
