// Nacre: error codes, error sentences, allocators, byte buffers. Everything else builds on these.
#ifndef NACRE_BASE_H
#define NACRE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NC_VERSION_MAJOR 0
#define NC_VERSION_MINOR 2
#define NC_VERSION_PATCH 0

// What a call came to. Every function that can fail returns one; NC_OK is 0.
typedef enum nc_code {
    NC_OK = 0,
    NC_BAD_ARGUMENT,   // a value outside its stated range, a stale handle, a null pointer
    NC_OUT_OF_MEMORY,  // the allocator said no; nothing was changed
    NC_BAD_FILE,       // a mesh or another data file does not say what its format demands
    NC_BAD_SCENE,      // a scene text is wrong; the error names line and column
    NC_INTERSECTING,   // two bodies that must be apart are not
    NC_BROKEN_PROMISE, // a defect in Nacre: a guarantee does not hold; nothing was committed
    NC_IO,             // the disk, the file system or SQLite refused
    NC_NOT_FOUND,      // no such file, frame, body or name
    NC_UNSUPPORTED,    // not available in this build
    NC_JAMMED,         // a scripted body is blocked, and the world's on_jam is NC_JAM_STOP; nothing was committed
    NC_INTERRUPTED,    // the caller's interrupt requested the end; nothing was committed
    NC_CODE_COUNT
} nc_code;

// The sentence that goes with a code. `file`, `line` and `column` are empty or 0 where there are none.
// Passing NULL for an error is always allowed: the code is returned all the same.
typedef struct nc_error {
    nc_code code;
    int line;   // counts from 1
    int column; // counts from 1
    char file[256];
    char text[768]; // one sentence: what was found, what is allowed
} nc_error;

// The name of a code, such as "NC_IO". Never NULL.
const char *nc_code_name(nc_code code);

// "file:line:column: text" into `out`, leaving out what is not known. Returns `out`.
const char *nc_error_format(const nc_error *err, char *out, size_t out_size);

// All memory Nacre holds comes from one function that behaves like realloc:
//   resize(ctx, NULL, 0, n)  allocates n bytes, 16-byte aligned
//   resize(ctx, p, old, n)   moves or grows; on failure returns NULL and leaves p alone
//   resize(ctx, p, old, 0)   frees and returns NULL
// It may be called from the thread that called Nacre only, never from workers.
typedef struct nc_allocator {
    void *(*resize)(void *ctx, void *ptr, size_t old_size, size_t new_size);
    void *ctx;
} nc_allocator;

// How processes (ranks) that simulate one world together exchange results: by MPI, for example. All of them make the
// same calls in the same order.
typedef struct nc_exchange {
    int rank;  // of this process, from 0
    int count; // of processes
    // Gives `size` bytes to all ranks and gets what they give: *out has the bytes of rank 0, of rank 1, ..., sizes[r]
    // of rank r, until the next call. Returns when all have come, or with an error, after which it is not called again.
    nc_code (*gather)(void *ctx, const void *bytes, size_t size, const void **out, size_t *sizes, nc_error *err);
    double (*seconds)(void *ctx); // [s] processor time of this process, for statistics; NULL: none
    void *ctx;
} nc_exchange;

// malloc, realloc and free. The meaning of a NULL allocator.
nc_allocator nc_allocator_default(void);

// Bytes that grow. Zero-initialise all but the allocator; free with nc_buffer_free.
typedef struct nc_buffer {
    uint8_t *data;
    size_t size;
    size_t capacity;
    nc_allocator allocator;
} nc_buffer;

nc_buffer nc_buffer_create(const nc_allocator *allocator);
void nc_buffer_free(nc_buffer *buffer);

// "0.2.0 (commit, compiler, openmp|serial)" of the library linked.
const char *nc_version(void);

#ifdef __cplusplus
}
#endif
#endif
