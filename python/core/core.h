// The extension module nacre._core: the C library for Python, by the limited C API (one binary for Python 3.11 and
// later). It is thin: handles, buffers and errors. What users see is in python/nacre.
//
// The GIL is held by every function but while the library works for long; a world, a run or a scene that a thread works
// with is marked busy meanwhile, and other threads get an error.
#ifndef NACRE_PYTHON_CORE_H
#define NACRE_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <nacre/nacre.h>

// ---- errors (error.c) ---------------------------------------------------------------------------------------

// Raises what the package makes of a failed call, or keeps what a signal handler has raised. Returns NULL.
PyObject *core_raise(nc_code code, const nc_error *err);
// None, or core_raise.
PyObject *core_none_or_raise(nc_code code, const nc_error *err);
PyObject *core_set_error_factory(PyObject *module, PyObject *factory);

// ---- memory (memory.c) --------------------------------------------------------------------------------------

// Memory of a world. Blocks that NumPy arrays look at are pinned: when the world frees or moves such a block, it stays
// where it is until the last array is gone.
typedef struct core_heap core_heap;
core_heap *core_heap_create(void); // NULL: out of memory
void core_heap_release(core_heap *heap);
nc_allocator core_heap_allocator(core_heap *heap);

// A read-only buffer. One of `owner` lives as long as it holds the owner; one of `heap` is pinned.
PyObject *core_memory_of_owner(PyObject *owner, const void *data, Py_ssize_t size);
PyObject *core_memory_of_heap(core_heap *heap, const void *data, Py_ssize_t size);
// Does it show exactly this block?
bool core_memory_shows(PyObject *memory, const void *data, Py_ssize_t size);

// ---- meshes (mesh.c) ----------------------------------------------------------------------------------------

extern PyTypeObject *core_mesh_type;
PyObject *core_mesh_wrap(nc_mesh *mesh); // takes the reference over
nc_mesh *core_mesh_of(PyObject *object); // NULL with an exception when it is no mesh
PyObject *core_shapes(PyObject *module, PyObject *unused);
PyObject *core_intersect(PyObject *module, PyObject *args);
PyObject *core_distance(PyObject *module, PyObject *args);
PyObject *core_sweep(PyObject *module, PyObject *args);
extern PyMethodDef core_mesh_functions[]; // of the module

// ---- scenes (scene.c) ---------------------------------------------------------------------------------------

extern PyTypeObject *core_scene_type;
typedef struct core_scene {
    PyObject_HEAD
    nc_scene *scene;
} core_scene;
PyObject *core_schema(PyObject *module, PyObject *unused);

// ---- worlds (world.c, body.c) -------------------------------------------------------------------------------

enum { CORE_COLUMNS = 8 };

typedef struct core_world {
    PyObject_HEAD
    nc_model model;
    core_heap *heap;
    core_scene *scene; // emitters; NULL: none
    bool busy;         // a thread works with it; read and written with the GIL
    nc_model_report report;
    bool reported;
    PyObject *columns[CORE_COLUMNS]; // memory that was given out last
    struct core_interrupt *interrupt;
} core_world;
extern PyTypeObject *core_world_type;
// False with an exception: busy, or closed.
bool core_world_ready(core_world *world);
// The world of rigid bodies; NULL with an exception: cloth, busy, closed.
nc_world *core_world_rigid(core_world *world);
extern PyMethodDef core_body_methods[];                                              // joined with those of world.c
extern PyMethodDef core_judge_methods[];                                             // likewise (judge.c)
extern PyMethodDef core_joint_methods[];                                             // likewise (joint.c)
nc_code core_world_advance(core_world *world, double dt, bool polls, nc_error *err); // without the GIL
PyObject *core_step_many(PyObject *module, PyObject *args);

// ---- appearance (look.c) ------------------------------------------------------------------------------------

// From a colour or NULL, and the name of a material or "". False with an exception for what is neither.
bool core_appearance(const char *color, const char *material, nc_appearance *out);
PyObject *core_color(const nc_appearance *appearance); // "#rrggbb", or None
extern PyMethodDef core_look_functions[];              // of the module
extern PyMethodDef core_query_functions[];             // of the module (query.c)

// ---- run files (run.c) --------------------------------------------------------------------------------------

extern PyTypeObject *core_run_type;
PyObject *core_session(PyObject *module, PyObject *args);

// ---- small things -------------------------------------------------------------------------------------------

PyTypeObject *core_make_type(PyObject *module, PyType_Spec *spec, const char *name);
PyObject *core_row(PyObject *tuple, Py_ssize_t k); // borrowed: item k, a tuple; NULL with an exception when it is none
PyObject *core_vec3(nc_vec3 v);                    // (x, y, z)
PyObject *core_quat(nc_quat q);                    // (w, x, y, z)
// Asks Python, from the thread that holds no GIL, whether a signal handler raised; at most every 20 ms.
typedef struct core_interrupt {
    _Atomic bool stop;
    bool polls;           // the thread below asks Python
    unsigned long thread; // PyThread_get_thread_ident
    int64_t next;         // [ns] when it asks again
} core_interrupt;
void core_interrupt_begin(core_interrupt *interrupt, bool polls);
bool core_interrupt_asked(void *interrupt);

#endif
