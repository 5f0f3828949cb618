// The module nacre._core.
#include "core.h"

extern PyType_Spec core_mesh_spec, core_scene_spec, core_world_spec, core_run_spec;
extern PyMethodDef core_run_functions[];
bool core_world_prepare(void);

PyTypeObject *core_make_type(PyObject *module, PyType_Spec *spec, const char *name)
{
    PyObject *type = PyType_FromSpec(spec);
    if (type == NULL || PyModule_AddObjectRef(module, name, type) != 0)
        return NULL;
    return (PyTypeObject *)type; // kept for ever
}

PyObject *core_row(PyObject *tuple, Py_ssize_t k)
{
    PyObject *item = PyTuple_GetItem(tuple, k);
    if (item == NULL || PyTuple_Check(item))
        return item;
    PyErr_SetString(PyExc_TypeError, "a tuple of tuples is expected");
    return NULL;
}

static PyObject *version(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return PyUnicode_FromString(nc_version());
}

static PyMethodDef functions[] = {
    {"version", version, METH_NOARGS, NULL},
    {"schema", core_schema, METH_NOARGS, NULL},
    {"set_error_factory", core_set_error_factory, METH_O, NULL},
    {"step_many", core_step_many, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "nacre._core", .m_doc = "The C library. Use the package nacre.",
    .m_size = -1,          .m_methods = functions,
};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (module == NULL || !core_world_prepare())
        return NULL;
    core_mesh_type = core_make_type(module, &core_mesh_spec, "Mesh");
    core_scene_type = core_make_type(module, &core_scene_spec, "Scene");
    core_world_type = core_make_type(module, &core_world_spec, "World");
    core_run_type = core_make_type(module, &core_run_spec, "Run");
    const bool good = core_mesh_type != NULL && core_scene_type != NULL && core_world_type != NULL &&
                      core_run_type != NULL && PyModule_AddFunctions(module, core_mesh_functions) == 0 &&
                      PyModule_AddFunctions(module, core_run_functions) == 0 &&
                      PyModule_AddFunctions(module, core_look_functions) == 0 &&
                      PyModule_AddFunctions(module, core_query_functions) == 0;
    if (!good)
        Py_CLEAR(module);
    return module;
}
