// Memory that Python looks at without a copy.
#include "core.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// A block that arrays look at.
typedef struct pin {
    void *data;
    int refs;
    bool orphan; // the world has given it up: the last array frees it
    struct pin *next;
} pin;

struct core_heap {
    pthread_mutex_t lock; // a world allocates without the GIL while other threads drop arrays
    pin *pins;            // of blocks that the world still has
    int refs;             // guarded by the GIL
};

core_heap *core_heap_create(void)
{
    core_heap *heap = calloc(1, sizeof *heap);
    if (heap != NULL) {
        pthread_mutex_init(&heap->lock, NULL);
        heap->refs = 1;
    }
    return heap;
}

void core_heap_release(core_heap *heap)
{
    if (heap == NULL || --heap->refs > 0)
        return;
    pthread_mutex_destroy(&heap->lock);
    free(heap);
}

static pin **find_pin(core_heap *heap, const void *data)
{
    pin **at = &heap->pins;
    while (*at != NULL && (*at)->data != data)
        at = &(*at)->next;
    return at;
}

// Moves a pinned block: what arrays look at stays. With the lock.
static void *move_pinned(pin **at, size_t old_size, size_t new_size)
{
    void *copy = NULL;
    if (new_size > 0) {
        copy = malloc(new_size);
        if (copy == NULL)
            return NULL;
        memcpy(copy, (*at)->data, old_size < new_size ? old_size : new_size);
    }
    (*at)->orphan = true;
    *at = (*at)->next;
    return copy;
}

static void *resize(void *ctx, void *ptr, size_t old_size, size_t new_size)
{
    core_heap *heap = ctx;
    if (ptr != NULL) {
        pthread_mutex_lock(&heap->lock);
        pin **at = find_pin(heap, ptr);
        const bool pinned = *at != NULL;
        void *moved = pinned ? move_pinned(at, old_size, new_size) : NULL;
        pthread_mutex_unlock(&heap->lock);
        if (pinned)
            return moved;
    }
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    return realloc(ptr, new_size);
}

nc_allocator core_heap_allocator(core_heap *heap)
{
    return (nc_allocator){.resize = resize, .ctx = heap};
}

// ---- the buffer ---------------------------------------------------------------------------------------------

typedef struct core_memory {
    PyObject_HEAD
    PyObject *owner; // NULL: of a heap
    core_heap *heap;
    pin *pin; // NULL: nothing to show
    void *data;
    Py_ssize_t size;
} core_memory;

static PyTypeObject *memory_type;

static void memory_dealloc(PyObject *self)
{
    core_memory *memory = (core_memory *)self;
    PyTypeObject *type = Py_TYPE(self);
    if (memory->pin != NULL) {
        pthread_mutex_lock(&memory->heap->lock);
        pin *mine = memory->pin;
        const bool last = --mine->refs == 0;
        const bool orphan = mine->orphan;
        if (last && !orphan) {
            pin **at = find_pin(memory->heap, mine->data);
            *at = mine->next;
        }
        pthread_mutex_unlock(&memory->heap->lock);
        if (last && orphan)
            free(mine->data);
        if (last)
            free(mine);
    }
    core_heap_release(memory->heap);
    Py_XDECREF(memory->owner);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

static int memory_getbuffer(PyObject *self, Py_buffer *view, int flags)
{
    core_memory *memory = (core_memory *)self;
    static char nothing[8];
    return PyBuffer_FillInfo(view, self, memory->data != NULL ? memory->data : nothing, memory->size, 1, flags);
}

static PyType_Slot memory_slots[] = {
    {Py_tp_dealloc, (void *)memory_dealloc},
    {Py_bf_getbuffer, (void *)memory_getbuffer},
    {Py_tp_doc, (void *)"Read-only memory of the library."},
    {0, NULL},
};
static PyType_Spec memory_spec = {
    .name = "nacre._core.Memory",
    .basicsize = sizeof(core_memory),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = memory_slots,
};

static core_memory *memory_new(const void *data, Py_ssize_t size)
{
    if (memory_type == NULL)
        memory_type = (PyTypeObject *)PyType_FromSpec(&memory_spec);
    if (memory_type == NULL)
        return NULL;
    core_memory *memory = PyObject_New(core_memory, memory_type);
    if (memory == NULL)
        return NULL;
    memory->owner = NULL;
    memory->heap = NULL;
    memory->pin = NULL;
    memory->data = (void *)(uintptr_t)data;
    memory->size = size;
    return memory;
}

PyObject *core_memory_of_owner(PyObject *owner, const void *data, Py_ssize_t size)
{
    core_memory *memory = memory_new(data, size);
    if (memory != NULL) {
        Py_INCREF(owner);
        memory->owner = owner;
    }
    return (PyObject *)memory;
}

PyObject *core_memory_of_heap(core_heap *heap, const void *data, Py_ssize_t size)
{
    core_memory *memory = memory_new(data, data != NULL ? size : 0);
    if (memory == NULL || data == NULL)
        return (PyObject *)memory;
    pthread_mutex_lock(&heap->lock);
    pin **at = find_pin(heap, data);
    pin *mine = *at != NULL ? *at : calloc(1, sizeof *mine);
    if (mine != NULL) {
        mine->data = memory->data;
        mine->refs++;
        *at = mine;
    }
    pthread_mutex_unlock(&heap->lock);
    memory->pin = mine;
    if (mine == NULL) {
        Py_DECREF(memory);
        return PyErr_NoMemory();
    }
    memory->heap = heap;
    heap->refs++;
    return (PyObject *)memory;
}

bool core_memory_shows(PyObject *object, const void *data, Py_ssize_t size)
{
    const core_memory *memory = (const core_memory *)object;
    return memory != NULL && memory->data == data && memory->size == size &&
           (memory->pin == NULL || !memory->pin->orphan);
}
