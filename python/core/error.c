// Errors become exceptions: the package gives a function that makes one of a code and its sentence.
#include "core.h"

#include <pythread.h>
#include <string.h>
#include <time.h>

static PyObject *error_factory; // a Python function; set once, when the package is imported

PyObject *core_set_error_factory(PyObject *module, PyObject *factory)
{
    (void)module;
    Py_XINCREF(factory);
    Py_XDECREF(error_factory);
    error_factory = factory;
    Py_RETURN_NONE;
}

PyObject *core_raise(nc_code code, const nc_error *err)
{
    if (PyErr_Occurred() != NULL) // KeyboardInterrupt inside a step
        return NULL;
    if (error_factory == NULL) {
        PyErr_SetString(PyExc_RuntimeError, err->text);
        return NULL;
    }
    PyObject *text = PyUnicode_DecodeUTF8(err->text, (Py_ssize_t)strlen(err->text), "replace");
    PyObject *file = PyUnicode_DecodeFSDefault(err->file);
    PyObject *exception = NULL;
    if (text != NULL && file != NULL)
        exception = PyObject_CallFunction(error_factory, "isOOii", (int)code, nc_code_name(code), text, file, err->line,
                                          err->column);
    Py_XDECREF(text);
    Py_XDECREF(file);
    if (exception != NULL) {
        PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
        Py_DECREF(exception);
    }
    return NULL;
}

PyObject *core_none_or_raise(nc_code code, const nc_error *err)
{
    if (code != NC_OK)
        return core_raise(code, err);
    Py_RETURN_NONE;
}

PyObject *core_vec3(nc_vec3 v)
{
    return Py_BuildValue("(ddd)", v.x, v.y, v.z);
}

PyObject *core_quat(nc_quat q)
{
    return Py_BuildValue("(dddd)", q.w, q.x, q.y, q.z);
}

// ---- Ctrl-C -------------------------------------------------------------------------------------------------

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void core_interrupt_begin(core_interrupt *interrupt, bool polls)
{
    interrupt->stop = false;
    interrupt->polls = polls;
    interrupt->thread = PyThread_get_thread_ident();
    interrupt->next = polls ? now() + 20000000 : 0;
}

bool core_interrupt_asked(void *ctx)
{
    core_interrupt *interrupt = ctx;
    if (interrupt->stop)
        return true;
    if (!interrupt->polls || PyThread_get_thread_ident() != interrupt->thread || now() < interrupt->next)
        return false;
    const PyGILState_STATE state = PyGILState_Ensure();
    const bool raised = PyErr_CheckSignals() != 0; // what was raised is kept until the GIL is taken again
    PyGILState_Release(state);
    interrupt->next = now() + 20000000;
    if (raised)
        interrupt->stop = true;
    return raised;
}
