// Many worlds on several threads. Worlds are independent: the result does not depend on the threads, and a thread that
// has taken a world makes all its steps before it takes the next one. Nothing is shared but the number of the next
// world.
#include "core.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum { INPUTS = 2, OUTPUTS = 4, MAX_THREADS = 64, POLL_NANOSECONDS = 20000000 };

typedef struct batch {
    core_world **worlds;
    int count, rows; // rows of an environment in the arrays
    int taken;       // worlds that are marked busy
    int steps;       // of each world
    double dt;
    const nc_vec3 *force, *torque;       // (count, rows); NULL: as they are
    nc_vec3 *position, *velocity, *spin; // (count, rows); NULL: not wanted
    nc_quat *orientation;
    core_interrupt *interrupt;
    pthread_mutex_t lock;
    pthread_cond_t done;
    int running; // helpers; with the lock
    int failed;  // the lowest number of a world that failed; -1
    nc_code code;
    nc_error err;
    _Alignas(64) _Atomic int next; // world; in a cache line of its own, which all threads write
} batch;

// Forces that are other than before: setting one wakes a body.
static nc_code apply_forces(const batch *b, int k, nc_error *err)
{
    nc_world *world = nc_model_world(b->worlds[k]->model);
    const nc_world_data d = nc_world_view(world);
    for (int i = 0; i < d.count && i < b->rows; i++) {
        if (!d.alive[i] || !(d.mass[i] > 0))
            continue;
        const size_t at = (size_t)k * (size_t)b->rows + (size_t)i;
        const nc_vec3 f = b->force != NULL ? b->force[at] : d.force[i];
        const nc_vec3 t = b->torque != NULL ? b->torque[at] : d.torque[i];
        if (nc_norm2(nc_sub(f, d.force[i])) == 0 && nc_norm2(nc_sub(t, d.torque[i])) == 0)
            continue;
        const nc_code code = nc_body_set_force(world, (nc_body_id){(uint32_t)i, d.generation[i]}, f, t, err);
        if (code != NC_OK)
            return code;
    }
    return NC_OK;
}

static void gather(const batch *b, int k)
{
    const nc_world_data d = nc_world_view(nc_model_world(b->worlds[k]->model));
    const size_t first = (size_t)k * (size_t)b->rows;
    for (int i = 0; i < d.count && i < b->rows; i++) {
        if (b->position != NULL)
            b->position[first + (size_t)i] = d.pose[i].x;
        if (b->orientation != NULL)
            b->orientation[first + (size_t)i] = d.pose[i].q;
        if (b->velocity != NULL)
            b->velocity[first + (size_t)i] = d.velocity[i];
        if (b->spin != NULL)
            b->spin[first + (size_t)i] = d.spin[i];
    }
}

static void fail(batch *b, int k, nc_code code, const nc_error *err)
{
    pthread_mutex_lock(&b->lock);
    if (b->failed < 0 || k < b->failed) {
        b->failed = k;
        b->code = code;
        b->err = *err;
    }
    pthread_mutex_unlock(&b->lock);
}

static nc_code advance(const batch *b, int k, nc_error *err)
{
    nc_code code = NC_OK;
    if (b->force != NULL || b->torque != NULL)
        code = apply_forces(b, k, err);
    for (int step = 0; step < b->steps && code == NC_OK; step++)
        code = core_world_advance(b->worlds[k], b->dt, false, err);
    return code;
}

static void *work(void *ctx)
{
    batch *b = ctx;
    for (int k = b->next++; k < b->count && !core_interrupt_asked(b->interrupt); k = b->next++) {
        nc_error err = {0};
        const nc_code code = advance(b, k, &err);
        if (code != NC_OK)
            fail(b, k, code, &err);
        gather(b, k);
    }
    return NULL;
}

static void *help(void *ctx)
{
    batch *b = ctx;
    work(b);
    pthread_mutex_lock(&b->lock);
    if (--b->running == 0)
        pthread_cond_signal(&b->done);
    pthread_mutex_unlock(&b->lock);
    return NULL;
}

// Until no helper runs; asks every 20 ms whether Ctrl-C was pressed, which ends their steps.
static void wait_for_helpers(batch *b)
{
    bool runs = true;
    while (runs) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += POLL_NANOSECONDS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_mutex_lock(&b->lock);
        if (b->running > 0)
            pthread_cond_timedwait(&b->done, &b->lock, &until);
        runs = b->running > 0;
        pthread_mutex_unlock(&b->lock);
        core_interrupt_asked(b->interrupt);
    }
}

// With the GIL released.
static void run_batch(batch *b, int threads)
{
    pthread_t helper[MAX_THREADS];
    int started = 0;
    bool more = true;
    while (more && started < threads - 1 && started < b->count - 1 && started < MAX_THREADS) {
        pthread_mutex_lock(&b->lock);
        more = pthread_create(&helper[started], NULL, help, b) == 0;
        b->running += more;
        pthread_mutex_unlock(&b->lock);
        started += more;
    }
    work(b);
    wait_for_helpers(b);
    for (int t = 0; t < started; t++)
        pthread_join(helper[t], NULL);
}

// Marks each world busy, so that one that is there twice is refused: the package has a better sentence for that.
static bool take_worlds(batch *b, PyObject *tuple)
{
    for (; b->taken < (int)PyTuple_Size(tuple); b->taken++) {
        core_world *world = (core_world *)PyTuple_GetItem(tuple, b->taken);
        if (!PyObject_TypeCheck((PyObject *)world, core_world_type)) {
            PyErr_SetString(PyExc_TypeError, "worlds are expected");
            return false;
        }
        nc_world *rigid = core_world_rigid(world);
        if (rigid == NULL)
            return false;
        b->worlds[b->taken] = world;
        world->busy = true;
        nc_world_set_interrupt(rigid, core_interrupt_asked, b->interrupt);
    }
    return true;
}

static void give_back(const batch *b)
{
    for (int k = 0; k < b->taken; k++) {
        b->worlds[k]->busy = false;
        nc_world_set_interrupt(nc_model_world(b->worlds[k]->model), core_interrupt_asked, b->worlds[k]->interrupt);
    }
}

static bool fits(const batch *b, const Py_buffer *buffer, size_t item)
{
    return buffer->obj == NULL || (size_t)buffer->len == (size_t)b->count * (size_t)b->rows * item;
}

// None or a buffer, which must be released when its obj is not NULL.
static bool take_buffer(PyObject *object, int flags, Py_buffer *out)
{
    out->obj = NULL;
    out->buf = NULL;
    return object == Py_None || PyObject_GetBuffer(object, out, flags) == 0;
}

static PyObject *finish(batch *b)
{
    if (PyErr_Occurred() != NULL)
        return NULL;
    if (b->failed < 0)
        Py_RETURN_NONE;
    nc_error err = b->err;
    PyOS_snprintf(err.text, sizeof err.text, "world %d: %s", b->failed, b->err.text);
    return core_raise(b->code, &err);
}

// step_many(worlds, dt, steps, threads, rows, force, torque, position, orientation, velocity, spin): arrays or None
PyObject *core_step_many(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *tuple, *object[INPUTS + OUTPUTS];
    int threads;
    core_interrupt interrupt;
    batch b = {.failed = -1, .interrupt = &interrupt};
    if (!PyArg_ParseTuple(args, "O!diiiOOOOOO", &PyTuple_Type, &tuple, &b.dt, &b.steps, &threads, &b.rows, &object[0],
                          &object[1], &object[2], &object[3], &object[4], &object[5]))
        return NULL;
    b.count = (int)PyTuple_Size(tuple);
    b.worlds = calloc((size_t)b.count + 1, sizeof *b.worlds);
    if (b.worlds == NULL)
        return PyErr_NoMemory();
    Py_buffer buffer[INPUTS + OUTPUTS];
    int taken = 0;
    bool good = take_worlds(&b, tuple);
    for (; good && taken < INPUTS + OUTPUTS; taken += good)
        good = take_buffer(object[taken], taken < INPUTS ? PyBUF_SIMPLE : PyBUF_WRITABLE, &buffer[taken]);
    for (int k = 0; good && k < taken; k++)
        if (!fits(&b, &buffer[k], k == INPUTS + 1 ? sizeof(nc_quat) : sizeof(nc_vec3))) {
            PyErr_SetString(PyExc_ValueError, "an array has another shape than (environments, bodies, 3 or 4)");
            good = false;
        }
    PyObject *result = NULL;
    if (good) {
        b.force = buffer[0].buf, b.torque = buffer[1].buf;
        b.position = buffer[2].buf, b.orientation = buffer[3].buf, b.velocity = buffer[4].buf, b.spin = buffer[5].buf;
        pthread_mutex_init(&b.lock, NULL);
        pthread_cond_init(&b.done, NULL);
        core_interrupt_begin(&interrupt, true);
        Py_BEGIN_ALLOW_THREADS
        run_batch(&b, threads);
        Py_END_ALLOW_THREADS
        pthread_cond_destroy(&b.done);
        pthread_mutex_destroy(&b.lock);
        result = finish(&b);
    }
    for (int k = 0; k < taken; k++)
        if (buffer[k].obj != NULL)
            PyBuffer_Release(&buffer[k]);
    give_back(&b);
    free(b.worlds);
    return result;
}
