// What every other folder may use of base: errors, memory, sorting, hashing, parallel loops.
#ifndef NC_BASE_BASE_H
#define NC_BASE_BASE_H

#include "nacre/base.h"

#include "base/columns.h"
#include "base/effort_constants.h"
#include "base/model_constants.h"
#include "base/pair_map.h"
#include "base/report.h"
#include "base/setting.h"
#include "base/words.h"

#include <stdarg.h>

// ---- errors -------------------------------------------------------------------------------------------------

// Fills `err` (may be NULL) and returns `code`, so that `return nc_fail(...)` reads as one thought.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
nc_code
nc_fail(nc_error *err, nc_code code, const char *format, ...);

// The same with a place in a file. `file` may be NULL; line and column count from 1, 0 is unknown.
#if defined(__GNUC__)
__attribute__((format(printf, 6, 7)))
#endif
nc_code
nc_fail_at(nc_error *err, nc_code code, const char *file, int line, int column, const char *format, ...);

nc_code nc_fail_memory(nc_error *err, size_t size);

// The static analyzer cannot see into error.c: this tells it that a failure is never NC_OK.
#ifdef __clang_analyzer__
#define nc_fail(err, code, ...)    ((void)(nc_fail)((err), (code), __VA_ARGS__), (code))
#define nc_fail_at(err, code, ...) ((void)(nc_fail_at)((err), (code), __VA_ARGS__), (code))
#define nc_fail_memory(err, size)  ((void)(nc_fail_memory)((err), (size)), NC_OUT_OF_MEMORY)
#endif

// A programmer's mistake. Compiled in for debug and test builds only.
#ifdef NC_ASSERTS
_Noreturn void nc_assert_failed(const char *condition, const char *file, int line);
#define NC_ASSERT(condition) ((condition) ? (void)0 : nc_assert_failed(#condition, __FILE__, __LINE__))
#else
#define NC_ASSERT(condition) ((void)0)
#endif

// ---- memory -------------------------------------------------------------------------------------------------

// Every allocation of the library goes through these. They return NULL for size 0 and on failure.
void *nc_alloc(const nc_allocator *allocator, size_t count, size_t item_size); // zeroed; checks for overflow
void *nc_realloc(const nc_allocator *allocator, void *ptr, size_t old_count, size_t new_count, size_t item_size);
void nc_free(const nc_allocator *allocator, void *ptr, size_t count, size_t item_size);
// The default allocator for NULL, else a copy.
nc_allocator nc_allocator_or_default(const nc_allocator *allocator);

// Grows `*ptr` so that it holds `need` items: by as much as it holds while it is small, by a quarter from 64 KiB on, or
// to what is needed if that is more; new items are zeroed. False when out of memory, and then nothing changed.
// `*capacity` counts items.
bool nc_grow(const nc_allocator *allocator, void **ptr, int *capacity, int need, size_t item_size);

// A typed array: NC_ARRAY(nc_vec3) points; then nc_array_push(&alloc, &points, value) in an `if`.
#define NC_ARRAY(type)                                                                                                 \
    struct {                                                                                                           \
        type *data;                                                                                                    \
        int count;                                                                                                     \
        int capacity;                                                                                                  \
    }
// True when room for `n` items in all is there.
#define nc_array_reserve(allocator, array, n)                                                                          \
    nc_grow((allocator), (void **)&(array)->data, &(array)->capacity, (n), sizeof *(array)->data)
// Appends; false when out of memory.
#define nc_array_push(allocator, array, value)                                                                         \
    (nc_array_reserve((allocator), (array), (array)->count + 1) ? ((array)->data[(array)->count++] = (value), true)    \
                                                                : false)
#define nc_array_free(allocator, array)                                                                                \
    (nc_free((allocator), (array)->data, (size_t)(array)->capacity, sizeof *(array)->data), (array)->data = NULL,      \
     (array)->count = 0, (array)->capacity = 0)

// Appends bytes; false when out of memory.
bool nc_buffer_append(nc_buffer *buffer, const void *bytes, size_t size);

// ---- order, hashes ------------------------------------------------------------------------------------------

// Stable merge sort; `less(a, b, ctx)` must be a strict weak order. False when out of memory (array untouched).
typedef bool (*nc_less)(const void *a, const void *b, const void *ctx);
bool nc_sort(const nc_allocator *allocator, void *items, size_t count, size_t item_size, nc_less less, const void *ctx);
// The same with the caller's memory: `spare` has room for as many items.
void nc_sort_in(void *items, void *spare, size_t count, size_t item_size, nc_less less, const void *ctx);

// 64-bit hash of bytes; chain by passing the previous value. Start with NC_HASH_START.
#define NC_HASH_START UINT64_C(0xcbf29ce484222325)
uint64_t nc_hash(uint64_t state, const void *bytes, size_t size);
uint64_t nc_hash_u64(uint64_t state, uint64_t value);
// By bit pattern, so -0.0 and 0.0 differ.
uint64_t nc_hash_double(uint64_t state, double value);

// A small deterministic random generator (splitmix64): the same numbers for the same seed everywhere.
typedef struct nc_random {
    uint64_t state;
} nc_random;
uint64_t nc_random_u64(nc_random *random);
double nc_random_unit(nc_random *random);                           // [0, 1)
double nc_random_range(nc_random *random, double low, double high); // [low, high)

// The edit distance used to suggest the nearest name; returns the index of the nearest of `names`, or -1 when
// none is near enough (distance above a third of the length, at least 2).
int nc_nearest_name(const char *word, const char *const *names, int count);

// The length [bytes] of the well-formed UTF-8 character at `s`; 0 for anything else: overlong forms, surrogates, what
// is beyond the last plane. `s` ends with a zero byte, which is a character of length 1.
size_t nc_utf8_length(const unsigned char *s);

// Appends formatted text of at most 1023 bytes; false when it is longer, or out of memory.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
bool nc_buffer_print(nc_buffer *buffer, const char *format, ...);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 0)))
#endif
bool nc_buffer_print_v(nc_buffer *buffer, const char *format, va_list args);

// ---- connected things ----------------------------------------------------------------------------------------

// A forest of parents by row (union-find); a root is its own parent. Joining makes the lower root that of both, so the
// root of a tree is its lowest row, whatever was joined in which order.
static inline int nc_forest_root(int *parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

// Returns the common root.
static inline int nc_forest_join(int *parent, int i, int j)
{
    const int a = nc_forest_root(parent, i), b = nc_forest_root(parent, j), low = a < b ? a : b;
    parent[a > b ? a : b] = low;
    return low;
}

// ---- interrupts ---------------------------------------------------------------------------------------------

// Asks whether long work is to end. Called from any thread, often: it reads a flag.
typedef struct nc_interrupt {
    bool (*requested)(void *ctx);
    void *ctx;
} nc_interrupt;

static inline bool nc_interrupt_requested(const nc_interrupt *interrupt)
{
    return interrupt != NULL && interrupt->requested != NULL && interrupt->requested(interrupt->ctx);
}

nc_code nc_fail_interrupted(nc_error *err);

// ---- time -----------------------------------------------------------------------------------------------------

// Wall clock [s]. For reports only; nothing that is computed depends on it.
double nc_wall_clock(void);

// ---- parallel loops -----------------------------------------------------------------------------------------

#define NC_MAX_WORKERS 64
// Calls body(begin, end, ctx) on blocks that cover [0, count), on up to `workers` threads. Blocks are of fixed size
// `grain`, so their boundaries do not depend on `workers`. The body writes by index only, allocates nothing.
typedef void (*nc_range_body)(int begin, int end, void *ctx);
void nc_parallel_for(int workers, int count, int grain, nc_range_body body, void *ctx);
// Phase after phase, each of up to 32 parts. `next` says how many parts the next phase has, 0: that was all; one thread
// calls it, when all parts of the phase before have ended. `part` does one of them, on any of up to `workers` threads
// and in any order: what it writes, no other part of its phase may touch. A thread takes the same parts in every phase
// of as many, if it is there in time, so that they are in its cache. For phases of microseconds: who finds no part left
// looks again at once. A thread that the machine does not run delays no other, unless it was stopped within a part.
#define NC_MAX_PARTS 32
typedef struct nc_phases {
    int (*next)(void *ctx);
    void (*part)(int index, void *ctx);
    void *ctx;
} nc_phases;
void nc_parallel_phases(int workers, const nc_phases *phases);
// How many threads nc_parallel_for would use when asked for `wanted` (0: as many as the machine has).
int nc_worker_count(int wanted);

#include "base/share.h"

#endif
