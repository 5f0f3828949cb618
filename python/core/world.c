// Worlds: stepping, reports, settings, snapshots, columns.
#include "core.h"

#include <stdlib.h>
#include <string.h>

PyTypeObject *core_world_type;

static void world_dealloc(PyObject *self)
{
    core_world *world = (core_world *)self;
    PyTypeObject *type = Py_TYPE(self);
    for (int k = 0; k < CORE_COLUMNS; k++)
        Py_XDECREF(world->columns[k]);
    nc_model_destroy(world->model);
    core_heap_release(world->heap);
    Py_XDECREF((PyObject *)world->scene);
    free(world->interrupt);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

bool core_world_ready(core_world *world)
{
    if (!world->busy)
        return true;
    PyErr_SetString(PyExc_RuntimeError,
                    "another thread works with this world: a world belongs to one thread at a time");
    return false;
}

nc_world *core_world_rigid(core_world *world)
{
    if (!core_world_ready(world))
        return NULL;
    nc_world *rigid = nc_model_world(world->model);
    if (rigid == NULL) {
        const nc_error err = {.code = NC_UNSUPPORTED,
                              .text = "a world of cloth has no rigid bodies: this call needs some"};
        core_raise(NC_UNSUPPORTED, &err);
    }
    return rigid;
}

// A scene's world with all its bodies; or, `bare`, without any, and not checked yet: bodies may overlap until its first
// step.
static nc_code build_model(const nc_scene *scene, const nc_scene_settings *settings, bool bare, nc_model *out,
                           nc_error *err)
{
    if (bare && !settings->is_cloth) {
        nc_world *world = NULL;
        const nc_code code = nc_world_create(&settings->world, &world, err);
        *out = nc_model_of_world(world);
        return code;
    }
    const nc_code code = nc_scene_build(scene, settings, out, err);
    return code == NC_OK ? nc_scene_emit(scene, *out, NULL, NULL, err) : code;
}

// World(scene, workers, bare): workers below 0: as the scene says
static PyObject *world_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    (void)kwargs;
    core_scene *scene;
    int workers, bare;
    if (!PyArg_ParseTuple(args, "O!ip", core_scene_type, &scene, &workers, &bare))
        return NULL;
    core_heap *heap = core_heap_create();
    core_interrupt *interrupt = calloc(1, sizeof *interrupt);
    nc_scene_settings settings = nc_scene_view(scene->scene);
    nc_model model = {0};
    nc_error err = {0};
    nc_code code = NC_OUT_OF_MEMORY;
    if (heap != NULL && interrupt != NULL) {
        settings.world.allocator = core_heap_allocator(heap);
        if (workers >= 0)
            settings.world.workers = settings.cloth_world.workers = workers;
        Py_BEGIN_ALLOW_THREADS
        code = build_model(scene->scene, &settings, bare != 0, &model, &err);
        Py_END_ALLOW_THREADS
    }
    core_world *self = code == NC_OK ? PyObject_New(core_world, type) : NULL;
    if (self == NULL) {
        nc_model_destroy(model);
        core_heap_release(heap);
        free(interrupt);
        return code == NC_OK ? NULL : core_raise(code, &err);
    }
    memset((char *)self + sizeof(PyObject), 0, sizeof *self - sizeof(PyObject));
    self->model = model;
    self->heap = heap;
    self->interrupt = interrupt;
    Py_INCREF((PyObject *)scene);
    self->scene = scene;
    nc_world *rigid = nc_model_world(model);
    if (rigid != NULL)
        nc_world_set_interrupt(rigid, core_interrupt_asked, interrupt);
    return (PyObject *)self;
}

// ---- stepping -----------------------------------------------------------------------------------------------

nc_code core_world_advance(core_world *world, double dt, bool polls, nc_error *err)
{
    if (polls)
        core_interrupt_begin(world->interrupt, true);
    nc_code code = nc_model_step(world->model, dt, &world->report, err);
    world->reported = world->reported || code == NC_OK;
    if (code == NC_OK && nc_scene_emitter_count(world->scene->scene) > 0)
        code = nc_scene_emit(world->scene->scene, world->model, NULL, NULL, err);
    return code;
}

// step(dt, count)
static PyObject *world_step(PyObject *self, PyObject *args)
{
    core_world *world = (core_world *)self;
    double dt;
    int count;
    if (!PyArg_ParseTuple(args, "di", &dt, &count) || !core_world_ready(world))
        return NULL;
    nc_error err = {0};
    nc_code code = NC_OK;
    world->busy = true;
    for (int k = 0; k < count && code == NC_OK; k++) {
        Py_BEGIN_ALLOW_THREADS
        code = core_world_advance(world, dt, true, &err);
        Py_END_ALLOW_THREADS
        if (code == NC_OK && PyErr_CheckSignals() != 0)
            code = NC_INTERRUPTED;
    }
    world->busy = false;
    return core_none_or_raise(code, &err);
}

static bool put(PyObject *dict, const char *name, PyObject *value)
{
    const bool good = value != NULL && PyDict_SetItemString(dict, name, value) == 0;
    Py_XDECREF(value);
    return good;
}

#define PUT_WHOLE(v) PyLong_FromLong((long)(v))
#define PUT_LONG(v)  PyLong_FromLongLong((long long)(v))
#define PUT_REAL(v)  PyFloat_FromDouble(v)
#define PUT_FAR(v)   PyFloat_FromDouble(v)

static bool put_report(PyObject *dict, const nc_model_report *r)
{
    bool good = true;
#define NC_REPORT(name, field, kind, ...) good = good && put(dict, #name, PUT_##kind(r->common.field));
#include <nacre/report.def>
    if (!r->has_cloth)
        return good;
#define NC_CLOTH_REPORT(name, field, kind, ...) good = good && put(dict, #name, PUT_##kind(r->cloth.field));
#include <nacre/cloth_report.def>
    return good;
}

static PyObject *report_dict(const nc_model_report *report)
{
    PyObject *dict = PyDict_New();
    if (dict != NULL && !put_report(dict, report)) {
        Py_DECREF(dict);
        return NULL;
    }
    return dict;
}

// The report of the last step; before the first one what can be measured.
static PyObject *world_report(PyObject *self, PyObject *unused)
{
    (void)unused;
    core_world *world = (core_world *)self;
    if (!core_world_ready(world))
        return NULL;
    if (world->reported)
        return report_dict(&world->report);
    nc_model_report report = {0};
    nc_error err = {0};
    const nc_code code = nc_model_measure(world->model, &report, &err);
    return code == NC_OK ? report_dict(&report) : core_raise(code, &err);
}

static PyObject *world_measure(PyObject *self, PyObject *unused)
{
    (void)unused;
    core_world *world = (core_world *)self;
    if (!core_world_ready(world))
        return NULL;
    nc_model_report report = {0};
    nc_error err = {0};
    const nc_code code = nc_model_measure(world->model, &report, &err);
    return code == NC_OK ? report_dict(&report) : core_raise(code, &err);
}

// ---- the clock and the state --------------------------------------------------------------------------------

static PyObject *world_clock(PyObject *self, PyObject *unused)
{
    (void)unused;
    core_world *world = (core_world *)self;
    if (!core_world_ready(world))
        return NULL;
    return Py_BuildValue("(dLs)", nc_model_time(world->model), (long long)nc_model_step_count(world->model),
                         nc_model_pipeline(world->model));
}

static PyObject *world_hash(PyObject *self, PyObject *unused)
{
    (void)unused;
    core_world *world = (core_world *)self;
    return core_world_ready(world) ? PyLong_FromUnsignedLongLong(nc_model_hash(world->model)) : NULL;
}

static PyObject *world_save(PyObject *self, PyObject *unused)
{
    (void)unused;
    core_world *world = (core_world *)self;
    if (!core_world_ready(world))
        return NULL;
    nc_buffer out = nc_buffer_create(NULL);
    nc_error err = {0};
    const nc_code code = nc_model_save(world->model, &out, &err);
    PyObject *bytes = NULL;
    if (code == NC_OK)
        bytes = PyBytes_FromStringAndSize((const char *)out.data, (Py_ssize_t)out.size);
    nc_buffer_free(&out);
    return code == NC_OK ? bytes : core_raise(code, &err);
}

static PyObject *world_restore(PyObject *self, PyObject *args)
{
    core_world *world = (core_world *)self;
    Py_buffer bytes;
    if (!core_world_ready(world) || !PyArg_ParseTuple(args, "y*", &bytes))
        return NULL;
    nc_error err = {0};
    nc_code code;
    world->busy = true;
    Py_BEGIN_ALLOW_THREADS
    code = nc_model_restore(world->model, bytes.buf, (size_t)bytes.len, &err);
    Py_END_ALLOW_THREADS
    world->busy = false;
    PyBuffer_Release(&bytes);
    if (code == NC_OK)
        world->reported = false;
    return core_none_or_raise(code, &err);
}

static Py_ssize_t column_of(const nc_world_data *data, int k, const void **out)
{
    const struct {
        const void *data;
        size_t size;
    } all[CORE_COLUMNS] = {{data->pose, sizeof *data->pose},     {data->velocity, sizeof *data->velocity},
                           {data->spin, sizeof *data->spin},     {data->force, sizeof *data->force},
                           {data->torque, sizeof *data->torque}, {data->mass, sizeof *data->mass},
                           {data->alive, sizeof *data->alive},   {data->generation, sizeof *data->generation}};
    *out = all[k].data;
    return (Py_ssize_t)(all[k].size * (size_t)data->count);
}

// column(k): the memory of a column; the same object as long as it is the same memory
static PyObject *world_column(PyObject *self, PyObject *args)
{
    core_world *world = (core_world *)self;
    int k;
    if (!PyArg_ParseTuple(args, "i", &k))
        return NULL;
    const nc_world *rigid = core_world_rigid(world);
    if (rigid == NULL)
        return NULL;
    if (k < 0 || k >= CORE_COLUMNS) {
        PyErr_SetString(PyExc_IndexError, "no such column");
        return NULL;
    }
    const nc_world_data data = nc_world_view(rigid);
    const void *at;
    const Py_ssize_t size = column_of(&data, k, &at);
    if (!core_memory_shows(world->columns[k], at, size)) {
        PyObject *memory = core_memory_of_heap(world->heap, at, size);
        if (memory == NULL)
            return NULL;
        Py_XDECREF(world->columns[k]);
        world->columns[k] = memory;
    }
    Py_INCREF(world->columns[k]);
    return world->columns[k];
}

// ---- settings -----------------------------------------------------------------------------------------------

#define FIELD_WORLD(name)  def.name
#define FIELD_VSP(name)    def.vsp.name
#define PREFIX_WORLD(name) name
#define PREFIX_VSP(name)   "vsp." name
#define GET_REAL(f)        PyFloat_FromDouble(f)
#define GET_ABOVE(f)       PyFloat_FromDouble(f)
#define GET_AUTO(f)        PyFloat_FromDouble(f)
#define GET_WHOLE(f)       PyLong_FromLong((long)(f))
#define GET_FLAG(f)        PyBool_FromLong(f)
#define GET_CHOICE(f)      PyLong_FromLong((long)(f))
#define GET_VECTOR(f)      core_vec3(f)
#define SET_REAL(f, v)     f = PyFloat_AsDouble(v)
#define SET_ABOVE(f, v)    f = PyFloat_AsDouble(v)
#define SET_AUTO(f, v)     f = PyFloat_AsDouble(v)
#define SET_WHOLE(f, v)    f = (int)PyLong_AsLong(v)
#define SET_FLAG(f, v)     f = PyObject_IsTrue(v) == 1
#define SET_CHOICE(f, v)   f = (unsigned)PyLong_AsLong(v)
#define SET_VECTOR(f, v)   set_vector(v, &(f))

static void set_vector(PyObject *value, nc_vec3 *out)
{
    if (!PyTuple_Check(value))
        PyErr_SetString(PyExc_TypeError, "a tuple of three numbers is expected");
    else
        (void)PyArg_ParseTuple(value, "ddd", &out->x, &out->y, &out->z);
}

static PyObject *world_settings(PyObject *self, PyObject *unused)
{
    (void)unused;
    const nc_world *rigid = core_world_rigid((core_world *)self);
    PyObject *dict = rigid != NULL ? PyDict_New() : NULL;
    if (dict == NULL)
        return NULL;
    const nc_world_def def = nc_world_settings(rigid);
    bool good = put(dict, "workers", PyLong_FromLong(def.workers));
#define NC_SETTING(block, kind, name, ...)                                                                             \
    good = good && put(dict, PREFIX_##block(#name), GET_##kind(FIELD_##block(name)));
#include <nacre/settings.def>
    if (!good) {
        Py_DECREF(dict);
        return NULL;
    }
    return dict;
}

// set_settings({name: value}): choices as numbers, vectors as tuples
static PyObject *world_set_settings(PyObject *self, PyObject *dict)
{
    nc_world *rigid = core_world_rigid((core_world *)self);
    if (rigid == NULL)
        return NULL;
    if (!PyDict_Check(dict)) {
        PyErr_SetString(PyExc_TypeError, "a dict of settings is expected");
        return NULL;
    }
    nc_world_def def = nc_world_settings(rigid);
    PyObject *value = PyDict_GetItemString(dict, "workers");
    if (value != NULL)
        def.workers = (int)PyLong_AsLong(value);
#define NC_SETTING(block, kind, name, ...)                                                                             \
    value = PyDict_GetItemString(dict, PREFIX_##block(#name));                                                         \
    if (value != NULL && PyErr_Occurred() == NULL)                                                                     \
        SET_##kind(FIELD_##block(name), value);
#include <nacre/settings.def>
    if (PyErr_Occurred() != NULL)
        return NULL;
    nc_error err = {0};
    return core_none_or_raise(nc_world_set_settings(rigid, &def, &err), &err);
}

// ---- checks -------------------------------------------------------------------------------------------------

// {nearest, a, b, capped_pairs, floor_distance}
static PyObject *world_check(PyObject *self, PyObject *unused)
{
    (void)unused;
    core_world *world = (core_world *)self;
    nc_world *rigid = core_world_rigid(world);
    if (rigid == NULL)
        return NULL;
    nc_start_report r = {0};
    nc_error err = {0};
    nc_code code;
    world->busy = true;
    Py_BEGIN_ALLOW_THREADS
    code = nc_world_check(rigid, &r, &err);
    Py_END_ALLOW_THREADS
    world->busy = false;
    if (code != NC_OK)
        return core_raise(code, &err);
    return Py_BuildValue("{sds(II)s(II)sisd}", "nearest", r.nearest, "a", r.a.index, r.a.generation, "b", r.b.index,
                         r.b.generation, "capped_pairs", r.capped_pairs, "floor_distance", r.floor_distance);
}

enum { MAX_OVERLAPS = 1024 };

// [((index, generation), (index, generation), point), ...]: of at most 1024 pairs
static PyObject *world_audit(PyObject *self, PyObject *unused)
{
    (void)unused;
    core_world *world = (core_world *)self;
    if (!core_world_ready(world))
        return NULL;
    nc_overlap *found = malloc(MAX_OVERLAPS * sizeof *found);
    if (found == NULL)
        return PyErr_NoMemory();
    int count = 0;
    nc_error err = {0};
    nc_code code;
    world->busy = true;
    Py_BEGIN_ALLOW_THREADS
    code = nc_model_audit(world->model, found, MAX_OVERLAPS, &count, &err);
    Py_END_ALLOW_THREADS
    world->busy = false;
    if (count > MAX_OVERLAPS)
        count = MAX_OVERLAPS;
    PyObject *list = code == NC_OK ? PyList_New(count) : core_raise(code, &err);
    for (int k = 0; list != NULL && k < count; k++)
        PyList_SetItem(list, k,
                       Py_BuildValue("((II)(II)N)", found[k].a.index, found[k].a.generation, found[k].b.index,
                                     found[k].b.generation, core_vec3(found[k].where.place)));
    free(found);
    return list;
}

// ---- the type -----------------------------------------------------------------------------------------------

static PyMethodDef world_methods[] = {
    {"step", world_step, METH_VARARGS, NULL},        {"report", world_report, METH_NOARGS, NULL},
    {"measure", world_measure, METH_NOARGS, NULL},   {"clock", world_clock, METH_NOARGS, NULL},
    {"hash", world_hash, METH_NOARGS, NULL},         {"save", world_save, METH_NOARGS, NULL},
    {"restore", world_restore, METH_VARARGS, NULL},  {"column", world_column, METH_VARARGS, NULL},
    {"settings", world_settings, METH_NOARGS, NULL}, {"set_settings", world_set_settings, METH_O, NULL},
    {"check", world_check, METH_NOARGS, NULL},       {"audit", world_audit, METH_NOARGS, NULL},
};
enum { WORLD_METHODS = sizeof world_methods / sizeof *world_methods, MOST_METHODS = 64 };

static PyType_Slot world_slots[4];
PyType_Spec core_world_spec = {
    .name = "nacre._core.World",
    .basicsize = sizeof(core_world),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = world_slots,
};

// Joins the methods of world.c, body.c and judge.c.
bool core_world_prepare(void);
bool core_world_prepare(void)
{
    static PyMethodDef all[MOST_METHODS];
    int count = 0;
    for (int k = 0; k < (int)WORLD_METHODS; k++)
        all[count++] = world_methods[k];
    const PyMethodDef *const others[] = {core_body_methods, core_judge_methods, core_joint_methods};
    for (size_t f = 0; f < sizeof others / sizeof *others; f++)
        for (int k = 0; others[f][k].ml_name != NULL && count < MOST_METHODS - 1; k++)
            all[count++] = others[f][k];
    world_slots[0] = (PyType_Slot){Py_tp_new, (void *)world_new};
    world_slots[1] = (PyType_Slot){Py_tp_dealloc, (void *)world_dealloc};
    world_slots[2] = (PyType_Slot){Py_tp_methods, all};
    return count < MOST_METHODS - 1;
}
