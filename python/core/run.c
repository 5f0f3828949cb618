// Run files: reading frames into arrays, writing them from a world, and sessions.
#include "core.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct core_run {
    PyObject_HEAD
    nc_run *run; // NULL: closed
    nc_run_frame frame;
    bool busy;
} core_run;
PyTypeObject *core_run_type;

static bool run_ready(core_run *self)
{
    if (self->run != NULL && !self->busy)
        return true;
    PyErr_SetString(self->run == NULL ? PyExc_ValueError : PyExc_RuntimeError,
                    self->run == NULL ? "the run is closed" : "another thread works with this run");
    return false;
}

static void run_dealloc(PyObject *object)
{
    core_run *self = (core_run *)object;
    PyTypeObject *type = Py_TYPE(object);
    if (self->run != NULL) {
        nc_run_frame_free(self->run, &self->frame);
        nc_run_close(self->run, NULL);
    }
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

static PyObject *run_wrap(PyTypeObject *type, nc_run *run)
{
    core_run *self = PyObject_New(core_run, type);
    if (self == NULL) {
        nc_run_close(run, NULL);
        return NULL;
    }
    self->run = run;
    self->busy = false;
    self->frame = (nc_run_frame){0};
    return (PyObject *)self;
}

// Run(path): for reading
static PyObject *run_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    (void)kwargs;
    PyObject *path;
    if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path))
        return NULL;
    nc_run *run = NULL;
    nc_error err = {0};
    const nc_code code = nc_run_open(PyBytes_AsString(path), NC_RUN_READ, NULL, &run, &err);
    Py_DECREF(path);
    return code == NC_OK ? run_wrap(type, run) : core_raise(code, &err);
}

static PyObject *run_close(PyObject *object, PyObject *unused)
{
    (void)unused;
    core_run *self = (core_run *)object;
    if (self->run == NULL)
        Py_RETURN_NONE;
    if (!run_ready(self))
        return NULL;
    nc_run_frame_free(self->run, &self->frame);
    nc_run *run = self->run;
    self->run = NULL;
    nc_error err = {0};
    return core_none_or_raise(nc_run_close(run, &err), &err);
}

static PyObject *text_of(const char *text)
{
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

static PyObject *run_info(PyObject *object, PyObject *unused)
{
    (void)unused;
    core_run *self = (core_run *)object;
    if (!run_ready(self))
        return NULL;
    nc_run_info i;
    nc_error err = {0};
    const nc_code code = nc_run_read_info(self->run, &i, &err);
    if (code != NC_OK)
        return core_raise(code, &err);
    return Py_BuildValue("{sNsNsdsssNsNsNsLsisLsLsLsNsisisIsL}", "title", text_of(i.title), "scene_path",
                         text_of(i.scene_path), "timestep", i.timestep, "pipeline", i.pipeline, "deforms",
                         PyBool_FromLong(i.deforms), "has_cloth", PyBool_FromLong(i.has_cloth), "needs_scene",
                         PyBool_FromLong(i.needs_scene), "steps_wanted", (long long)i.steps_wanted, "output_every",
                         i.output_every, "frame_count", (long long)i.frame_count, "last_step", (long long)i.last_step,
                         "checkpoint_step", (long long)i.checkpoint_step, "finished", PyBool_FromLong(i.finished),
                         "body_count", i.body_count, "mesh_count", i.mesh_count, "store", i.store, "file_size",
                         (long long)i.file_size);
}

static PyObject *run_scene_text(PyObject *object, PyObject *unused)
{
    (void)unused;
    core_run *self = (core_run *)object;
    if (!run_ready(self))
        return NULL;
    const char *text = "";
    nc_error err = {0};
    const nc_code code = nc_run_scene_text(self->run, &text, &err);
    return code == NC_OK ? text_of(text) : core_raise(code, &err);
}

// body(id) -> (name, type, mesh, mass, friction, restitution, born_step, gone_step, cloth, deforms, color, material)
static PyObject *run_body(PyObject *object, PyObject *args)
{
    core_run *self = (core_run *)object;
    int id;
    if (!PyArg_ParseTuple(args, "i", &id) || !run_ready(self))
        return NULL;
    nc_run_body b;
    nc_error err = {0};
    const nc_code code = nc_run_read_body(self->run, id, &b, &err);
    if (code != NC_OK)
        return core_raise(code, &err);
    return Py_BuildValue("(NiidddLLNNNs)", text_of(b.name), (int)b.type, b.mesh, b.mass, b.friction, b.restitution,
                         (long long)b.born_step, (long long)b.gone_step, PyBool_FromLong(b.cloth),
                         PyBool_FromLong(b.deforms), core_color(&b.appearance),
                         nc_material_view(b.appearance.material)->name);
}

static PyObject *run_mesh(PyObject *object, PyObject *args)
{
    core_run *self = (core_run *)object;
    int row;
    if (!PyArg_ParseTuple(args, "i", &row) || !run_ready(self))
        return NULL;
    nc_mesh *mesh = NULL;
    nc_error err = {0};
    const nc_code code = nc_run_read_mesh(self->run, row, &mesh, &err);
    return code == NC_OK ? core_mesh_wrap(mesh) : core_raise(code, &err);
}

// ---- frames -------------------------------------------------------------------------------------------------

// Arrays by frame: (frames,) and (frames, bodies, n); NaN where a body does not exist.
typedef struct frame_arrays {
    int64_t *step;
    double *time;
    uint64_t *hash;
    nc_vec3 *x, *v, *w;
    nc_quat *q;
} frame_arrays;

static void take_frame(const nc_run_frame *frame, frame_arrays out, size_t k, int bodies)
{
    out.step[k] = frame->step;
    out.time[k] = frame->time;
    out.hash[k] = frame->hash;
    const size_t first = k * (size_t)bodies;
    const nc_vec3 none = {NAN, NAN, NAN};
    for (size_t i = first; frame->pose_count < bodies && i < first + (size_t)bodies; i++) {
        out.x[i] = out.v[i] = out.w[i] = none;
        out.q[i] = (nc_quat){NAN, NAN, NAN, NAN};
    }
    for (int p = 0; p < frame->pose_count; p++) {
        const nc_run_pose *pose = &frame->poses[p];
        if (pose->body < 0 || pose->body >= bodies)
            continue;
        const size_t i = first + (size_t)pose->body;
        out.x[i] = pose->pose.x;
        out.q[i] = pose->pose.q;
        out.v[i] = pose->velocity;
        out.w[i] = pose->spin;
    }
}

// A reader takes 0.1 us per pose, and a connection as long as some thousand of them.
enum { ARRAYS = 7, MAX_READERS = 4, POSES_PER_READER = 100000 };

// Frames that one thread reads, with a connection of its own.
typedef struct reader {
    const char *path; // NULL: by `run`
    nc_run *run;
    nc_run_frame *frame;
    frame_arrays out;
    int64_t first;  // frame of row 0 of the arrays
    int begin, end; // rows
    int bodies;
    nc_code code;
    nc_error err;
} reader;

static void *read_rows(void *ctx)
{
    reader *r = ctx;
    for (int k = r->begin; k < r->end && r->code == NC_OK; k++) {
        r->code = nc_run_read_frame(r->run, r->first + k, r->frame, &r->err);
        if (r->code == NC_OK)
            take_frame(r->frame, r->out, (size_t)k, r->bodies);
    }
    return NULL;
}

static void *read_alone(void *ctx)
{
    reader *r = ctx;
    nc_run_frame frame = {0};
    r->code = nc_run_open(r->path, NC_RUN_READ, NULL, &r->run, &r->err);
    if (r->code != NC_OK)
        return NULL;
    r->frame = &frame;
    read_rows(r);
    nc_run_frame_free(r->run, &frame);
    nc_run_close(r->run, NULL);
    return NULL;
}

// Without the GIL. The first error in the order of frames.
static nc_code read_all(reader whole, int threads, nc_error *err)
{
    reader part[MAX_READERS];
    pthread_t helper[MAX_READERS];
    bool started[MAX_READERS] = {false};
    for (int t = 0; t < threads; t++) {
        part[t] = whole;
        part[t].begin = (int)((int64_t)whole.end * t / threads);
        part[t].end = (int)((int64_t)whole.end * (t + 1) / threads);
        started[t] = t > 0 && pthread_create(&helper[t], NULL, read_alone, &part[t]) == 0;
    }
    nc_code code = NC_OK;
    for (int t = 0; t < threads; t++) {
        if (started[t])
            pthread_join(helper[t], NULL);
        else
            read_rows(&part[t]);
        if (code == NC_OK && part[t].code != NC_OK) {
            code = part[t].code;
            *err = part[t].err;
        }
    }
    return code;
}

static int reader_count(size_t poses, int frames)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const size_t full = poses / POSES_PER_READER;
    const int useful = full > (size_t)frames ? frames : (int)full;
    const int most = cores < MAX_READERS ? (int)cores : MAX_READERS;
    return useful < 1 || most < 1 ? 1 : useful < most ? useful : most;
}

// frames(path, first, count, bodies, step, time, hash, x, q, v, w): fills arrays
static PyObject *run_frames(PyObject *object, PyObject *args)
{
    core_run *self = (core_run *)object;
    PyObject *path;
    long long first;
    int count, bodies;
    Py_buffer b[ARRAYS];
    if (!run_ready(self) || !PyArg_ParseTuple(args, "O!Liiw*w*w*w*w*w*w*", &PyBytes_Type, &path, &first, &count,
                                              &bodies, &b[0], &b[1], &b[2], &b[3], &b[4], &b[5], &b[6]))
        return NULL;
    const size_t frames = (size_t)count, cells = frames * (size_t)bodies;
    const size_t need[ARRAYS] = {8 * frames, 8 * frames, 8 * frames, 24 * cells, 32 * cells, 24 * cells, 24 * cells};
    bool good = count >= 0 && bodies >= 0;
    for (int k = 0; k < ARRAYS; k++)
        good = good && (size_t)b[k].len == need[k];
    const reader whole = {.path = PyBytes_AsString(path),
                          .run = self->run,
                          .frame = &self->frame,
                          .out = {b[0].buf, b[1].buf, b[2].buf, b[3].buf, b[5].buf, b[6].buf, b[4].buf},
                          .first = first,
                          .end = count,
                          .bodies = bodies};
    nc_error err = {0};
    nc_code code = NC_OK;
    self->busy = true;
    if (good) {
        Py_BEGIN_ALLOW_THREADS
        code = read_all(whole, reader_count(cells, count), &err);
        Py_END_ALLOW_THREADS
    }
    self->busy = false;
    for (int k = 0; k < ARRAYS; k++)
        PyBuffer_Release(&b[k]);
    if (!good) {
        PyErr_SetString(PyExc_ValueError, "the arrays have other sizes than the frames");
        return NULL;
    }
    return core_none_or_raise(code, &err);
}

// shape(frame, body) -> vertices as bytes of doubles, or None: as its mesh has them
static PyObject *run_shape(PyObject *object, PyObject *args)
{
    core_run *self = (core_run *)object;
    long long frame;
    int body;
    if (!PyArg_ParseTuple(args, "Li", &frame, &body) || !run_ready(self))
        return NULL;
    nc_error err = {0};
    nc_code code;
    self->busy = true;
    Py_BEGIN_ALLOW_THREADS
    code = nc_run_read_frame(self->run, frame, &self->frame, &err);
    Py_END_ALLOW_THREADS
    self->busy = false;
    if (code != NC_OK)
        return core_raise(code, &err);
    for (int k = 0; k < self->frame.shape_count; k++) {
        const nc_run_shape *shape = &self->frame.shapes[k];
        if (shape->body == body)
            return PyBytes_FromStringAndSize((const char *)shape->vertices,
                                             (Py_ssize_t)(sizeof(nc_vec3) * (size_t)shape->vertex_count));
    }
    Py_RETURN_NONE;
}

static PyObject *run_verify(PyObject *object, PyObject *unused)
{
    (void)unused;
    core_run *self = (core_run *)object;
    if (!run_ready(self))
        return NULL;
    nc_error err = {0};
    nc_code code;
    self->busy = true;
    Py_BEGIN_ALLOW_THREADS
    code = nc_run_verify(self->run, &err);
    Py_END_ALLOW_THREADS
    self->busy = false;
    return core_none_or_raise(code, &err);
}

// ---- writing ------------------------------------------------------------------------------------------------

// run_create(path, world, scene_text, title, timestep, output_every, overwrite, store)
static PyObject *run_create(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *path;
    core_world *world;
    int overwrite;
    nc_run_def def = {0};
    if (!PyArg_ParseTuple(args, "O&O!ssdipI", PyUnicode_FSConverter, &path, core_world_type, &world, &def.scene_text,
                          &def.title, &def.timestep, &def.output_every, &overwrite, &def.store))
        return NULL;
    nc_run *run = NULL;
    nc_error err = {0};
    nc_code code = NC_OK;
    const bool ready = core_world_ready(world);
    if (ready) {
        def.path = PyBytes_AsString(path);
        def.scene_path = "";
        def.overwrite = overwrite != 0;
        code = nc_run_create(&def, world->model, &run, &err);
    }
    Py_DECREF(path);
    if (!ready)
        return NULL;
    return code == NC_OK ? run_wrap(core_run_type, run) : core_raise(code, &err);
}

// append(world): a frame with the report of the last step
static PyObject *run_append(PyObject *object, PyObject *args)
{
    core_run *self = (core_run *)object;
    core_world *world;
    int finish;
    if (!PyArg_ParseTuple(args, "O!p", core_world_type, &world, &finish) || !run_ready(self) ||
        !core_world_ready(world))
        return NULL;
    nc_error err = {0};
    nc_code code;
    self->busy = world->busy = true;
    Py_BEGIN_ALLOW_THREADS
    code = finish ? nc_run_checkpoint(self->run, world->model, &err)
                  : nc_run_append(self->run, world->model, &world->report, world->reported ? 1 : 0, &err);
    Py_END_ALLOW_THREADS
    self->busy = world->busy = false;
    return core_none_or_raise(code, &err);
}

// restore_into(world): the state of the last checkpoint
static PyObject *run_restore_into(PyObject *object, PyObject *args)
{
    core_run *self = (core_run *)object;
    core_world *world;
    if (!PyArg_ParseTuple(args, "O!", core_world_type, &world) || !run_ready(self) || !core_world_ready(world))
        return NULL;
    nc_error err = {0};
    nc_code code;
    self->busy = world->busy = true;
    Py_BEGIN_ALLOW_THREADS
    code = nc_run_restore_into(self->run, world->model, &err);
    Py_END_ALLOW_THREADS
    self->busy = world->busy = false;
    world->reported = false;
    return core_none_or_raise(code, &err);
}

// path_poses(step, t) -> [(body, x, q), ...]: on the certified paths that lead to the step
static PyObject *run_path_poses(PyObject *object, PyObject *args)
{
    core_run *self = (core_run *)object;
    long long step;
    double t;
    if (!PyArg_ParseTuple(args, "Ld", &step, &t) || !run_ready(self))
        return NULL;
    int count = 0;
    nc_error err = {0};
    nc_code code = nc_run_read_paths(self->run, step, NULL, 0, &count, &err);
    nc_run_path *paths = code == NC_OK ? calloc((size_t)count + 1, sizeof *paths) : NULL;
    if (code == NC_OK && paths == NULL)
        return PyErr_NoMemory();
    if (code == NC_OK)
        code = nc_run_read_paths(self->run, step, paths, count, &count, &err);
    PyObject *list = code == NC_OK ? PyList_New(count) : core_raise(code, &err);
    for (int k = 0; paths != NULL && list != NULL && k < count; k++) {
        const nc_pose pose = nc_run_path_pose(&paths[k], t);
        PyList_SetItem(list, k, Py_BuildValue("(iNN)", paths[k].body, core_vec3(pose.x), core_quat(pose.q)));
    }
    free(paths);
    return list;
}

static PyObject *run_piece_list(nc_run *run, int64_t fracture)
{
    int count = 0;
    if (nc_run_read_pieces(run, fracture, NULL, 0, &count, NULL) != NC_OK)
        count = 0;
    int *ids = calloc((size_t)count + 1, sizeof *ids);
    if (ids == NULL)
        return PyErr_NoMemory();
    nc_run_read_pieces(run, fracture, ids, count, &count, NULL);
    PyObject *list = PyList_New(count);
    for (int k = 0; list != NULL && k < count; k++)
        PyList_SetItem(list, k, PyLong_FromLong(ids[k]));
    free(ids);
    return list;
}

// fractures() -> [(step, frame, body, name, impulse, threshold, point, normal, pattern, pieces, reason), ...]
static PyObject *run_fractures(PyObject *object, PyObject *unused)
{
    (void)unused;
    core_run *self = (core_run *)object;
    if (!run_ready(self))
        return NULL;
    nc_run_info info;
    nc_error err = {0};
    nc_code code = nc_run_read_info(self->run, &info, &err);
    PyObject *list = code == NC_OK ? PyList_New(0) : NULL;
    for (int64_t k = 0; list != NULL && k < info.fracture_count; k++) {
        nc_run_fracture f;
        code = nc_run_read_fracture(self->run, k, &f, &err);
        PyObject *row = code != NC_OK ? NULL
                                      : Py_BuildValue("(LLiNddNNNNN)", (long long)f.step, (long long)f.frame, f.body,
                                                      text_of(f.name), f.impulse, f.threshold, core_vec3(f.place),
                                                      core_vec3(f.normal), text_of(f.pattern),
                                                      run_piece_list(self->run, k), text_of(f.reason));
        if (row == NULL || PyList_Append(list, row) != 0)
            Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return code == NC_OK ? list : core_raise(code, &err);
}

static PyMethodDef run_methods[] = {
    {"fractures", run_fractures, METH_NOARGS, NULL},
    {"restore_into", run_restore_into, METH_VARARGS, NULL},
    {"path_poses", run_path_poses, METH_VARARGS, NULL},
    {"close", run_close, METH_NOARGS, NULL},
    {"info", run_info, METH_NOARGS, NULL},
    {"scene_text", run_scene_text, METH_NOARGS, NULL},
    {"body", run_body, METH_VARARGS, NULL},
    {"mesh", run_mesh, METH_VARARGS, NULL},
    {"frames", run_frames, METH_VARARGS, NULL},
    {"shape", run_shape, METH_VARARGS, NULL},
    {"verify", run_verify, METH_NOARGS, NULL},
    {"append", run_append, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot run_slots[] = {
    {Py_tp_new, (void *)run_new},
    {Py_tp_dealloc, (void *)run_dealloc},
    {Py_tp_methods, run_methods},
    {0, NULL},
};
PyType_Spec core_run_spec = {
    .name = "nacre._core.Run",
    .basicsize = sizeof(core_run),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = run_slots,
};

// ---- sessions -----------------------------------------------------------------------------------------------

typedef struct session_ctx {
    core_interrupt interrupt;
    PyObject *messages; // a list
} session_ctx;

static void on_message(nc_message_kind kind, const char *text, void *ctx)
{
    session_ctx *session = ctx;
    const PyGILState_STATE state = PyGILState_Ensure();
    PyObject *row = Py_BuildValue("(iN)", (int)kind, text_of(text));
    if (row == NULL || PyList_Append(session->messages, row) != 0)
        PyErr_Clear(); // a lost message is no reason to end a run
    Py_XDECREF(row);
    PyGILState_Release(state);
}

static bool stops(void *ctx)
{
    return core_interrupt_asked(&((session_ctx *)ctx)->interrupt);
}

// Without the GIL: opens, runs, judges, closes.
static nc_code run_session(nc_session_def *def, nc_session_summary *summary, int *failed, nc_error *err)
{
    nc_session *session = NULL;
    nc_code code = nc_session_open(def, &session, NULL, err);
    if (code != NC_OK)
        return code;
    code = nc_session_run(session, err);
    nc_session_summarize(session, summary);
    if (code == NC_OK && summary->status == NC_SESSION_FINISHED && def->expect)
        code = nc_session_judge(session, failed, NULL, err);
    nc_error last = {0};
    const nc_code closed = nc_session_close(session, &last);
    if (code == NC_OK && closed != NC_OK)
        *err = last, code = closed;
    return code;
}

// session(input, output, overrides, workers, steps, until, every, resume, overwrite, audit, expect, repair, store)
//   -> (status, steps, frames, time, hash, intersecting_frames, failed, messages)
PyObject *core_session(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *input, *output, *list;
    long long steps, every;
    int resume, overwrite, audit, expect, repair;
    nc_session_def def = nc_session_def_default();
    if (!PyArg_ParseTuple(args, "O&O&O!iLdLpppppI", PyUnicode_FSConverter, &input, PyUnicode_FSConverter, &output,
                          &PyTuple_Type, &list, &def.workers, &steps, &def.until, &every, &resume, &overwrite, &audit,
                          &expect, &repair, &def.store))
        return NULL;
    const Py_ssize_t count = PyTuple_Size(list);
    const char **overrides = calloc((size_t)count + 1, sizeof *overrides);
    session_ctx ctx = {.messages = PyList_New(0)};
    bool good = overrides != NULL && ctx.messages != NULL;
    for (Py_ssize_t k = 0; good && k < count; k++) {
        overrides[k] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(list, k), NULL);
        good = overrides[k] != NULL;
    }
    def.input = PyBytes_AsString(input), def.output = PyBytes_AsString(output);
    def.overrides = overrides, def.override_count = (int)count;
    def.steps = steps, def.every = every;
    def.resume = resume, def.overwrite = overwrite, def.audit = audit, def.expect = expect, def.repair = repair;
    def.on_message = on_message, def.stops = stops, def.ctx = &ctx;
    nc_session_summary *summary = calloc(1, sizeof *summary);
    int failed = -1;
    nc_error err = {0};
    nc_code code = NC_OUT_OF_MEMORY;
    if (good && summary != NULL) {
        core_interrupt_begin(&ctx.interrupt, true);
        Py_BEGIN_ALLOW_THREADS
        code = run_session(&def, summary, &failed, &err);
        Py_END_ALLOW_THREADS
    }
    PyObject *result = NULL;
    if (PyErr_Occurred() != NULL)
        result = NULL;
    else if (code != NC_OK)
        result = core_raise(code, &err);
    else
        result = Py_BuildValue("(sLLdKLiO)", nc_session_status_name(summary->status), (long long)summary->steps,
                               (long long)summary->frames, summary->time, (unsigned long long)summary->hash,
                               (long long)summary->intersecting_frames, failed, ctx.messages);
    Py_XDECREF(ctx.messages);
    Py_DECREF(input);
    Py_DECREF(output);
    free(overrides);
    free(summary);
    return result;
}

PyMethodDef core_run_functions[] = {
    {"run_create", run_create, METH_VARARGS, NULL},
    {"session", core_session, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
