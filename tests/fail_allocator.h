// An allocator for tests: it fails at the k-th call, counts what is alive, and checks what it is told.
//
//   fail_allocator memory;
//   const nc_allocator allocator = fail_allocator_start(&memory, 7); // the 7th request fails, all others succeed
//   ... use the allocator ...
//   fail_allocator_check_clean(&memory); // nothing leaked, every old_size was right, one thread only
//
// or, for every k at once, fail_at_every_call(trial, ctx).
//
// Blocks always move when they are resized and are filled with 0xa5 when they are new or gone, so a stale pointer or a
// read of fresh memory shows itself. Include after check.h.
#ifndef NC_TESTS_FAIL_ALLOCATOR_H
#define NC_TESTS_FAIL_ALLOCATOR_H

#include "check.h"

#include "nacre/base.h"

#include <pthread.h>

typedef struct fail_allocator {
    long calls;             // requests for memory so far (new blocks and resizes; frees do not count)
    long fail_at;           // the request that fails, counting from 1; 0: none
    bool keep_failing;      // every request from fail_at on fails, not only that one
    long failures;          // requests refused
    long live_blocks;       // blocks not freed yet
    size_t live_bytes;      // their size
    size_t peak_bytes;      // the largest live_bytes ever
    long wrong_sizes;       // calls whose old_size was not the block's size
    long wrong_pointers;    // calls with a pointer that is no live block of this allocator
    long overruns;          // blocks written past their end
    long other_thread_uses; // calls from a thread other than the one that started the allocator
    pthread_t thread;
} fail_allocator;

// Before each block, so that old_size can be checked; 16 bytes keep the block aligned.
typedef struct fail_header {
    size_t size;
    uint64_t mark;
} fail_header;
#define FAIL_LIVE  UINT64_C(0x6c697665626c6f63)
#define FAIL_GUARD 16 // bytes of 0xa5 after each block

static inline bool fail_refuses(fail_allocator *memory)
{
    memory->calls++;
    const bool refuse = memory->fail_at > 0 &&
                        (memory->keep_failing ? memory->calls >= memory->fail_at : memory->calls == memory->fail_at);
    memory->failures += refuse;
    return refuse;
}

static inline void *fail_new_block(fail_allocator *memory, size_t size)
{
    if (size > SIZE_MAX / 2)
        return NULL;
    fail_header *header = (fail_header *)malloc(sizeof *header + size + FAIL_GUARD);
    if (header == NULL)
        return NULL;
    header->size = size;
    header->mark = FAIL_LIVE;
    memset(header + 1, 0xa5, size + FAIL_GUARD);
    memory->live_blocks++;
    memory->live_bytes += size;
    if (memory->live_bytes > memory->peak_bytes)
        memory->peak_bytes = memory->live_bytes;
    return header + 1;
}

static inline void fail_drop_block(fail_allocator *memory, fail_header *header)
{
    const uint8_t *guard = (const uint8_t *)(header + 1) + header->size;
    for (int i = 0; i < FAIL_GUARD; i++)
        if (guard[i] != 0xa5) {
            memory->overruns++;
            break;
        }
    memory->live_blocks--;
    memory->live_bytes -= header->size;
    memset(header, 0xa5, sizeof *header + header->size);
    free(header);
}

static inline void *fail_resize(void *ctx, void *ptr, size_t old_size, size_t new_size)
{
    fail_allocator *memory = (fail_allocator *)ctx;
    memory->other_thread_uses += !pthread_equal(memory->thread, pthread_self());
    fail_header *header = ptr != NULL ? (fail_header *)ptr - 1 : NULL;
    if (header != NULL && header->mark != FAIL_LIVE) {
        memory->wrong_pointers++;
        return NULL;
    }
    memory->wrong_sizes += old_size != (header != NULL ? header->size : 0);
    void *fresh = NULL;
    if (new_size > 0) {
        fresh = fail_refuses(memory) ? NULL : fail_new_block(memory, new_size);
        if (fresh == NULL)
            return NULL;
        if (header != NULL)
            memcpy(fresh, ptr, header->size < new_size ? header->size : new_size);
    }
    if (header != NULL)
        fail_drop_block(memory, header);
    return fresh;
}

// Request number `fail_at` will fail (0: none). Start again only when nothing is alive.
static inline nc_allocator fail_allocator_start(fail_allocator *memory, long fail_at)
{
    memset(memory, 0, sizeof *memory);
    memory->fail_at = fail_at;
    memory->thread = pthread_self();
    nc_allocator allocator = {fail_resize, memory};
    return allocator;
}

// True when everything was freed and every call kept the allocator's contract.
static inline bool fail_allocator_is_clean(const fail_allocator *memory)
{
    return memory->live_blocks == 0 && memory->live_bytes == 0 && memory->wrong_sizes == 0 &&
           memory->wrong_pointers == 0 && memory->overruns == 0 && memory->other_thread_uses == 0;
}

static inline void fail_check_clean(const fail_allocator *memory, const char *file, int line)
{
    if (fail_allocator_is_clean(memory))
        return;
    print_error("request %ld refused of %ld: %ld blocks (%zu bytes) leaked, %ld wrong old sizes, %ld wrong pointers, "
                "%ld overruns, %ld calls from other threads\n",
                memory->fail_at, memory->calls, memory->live_blocks, memory->live_bytes, memory->wrong_sizes,
                memory->wrong_pointers, memory->overruns, memory->other_thread_uses);
    _fail(file, line);
}
// Fails the test, with the counts, unless fail_allocator_is_clean.
#define fail_allocator_check_clean(memory) fail_check_clean((memory), __FILE__, __LINE__)

// One try of something with an allocator. It frees whatever it made, whether or not it succeeded.
typedef nc_code (*fail_trial)(const nc_allocator *allocator, void *ctx);

static inline long fail_every_call(fail_trial trial, void *ctx, const char *file, int line)
{
    for (int keep = 0; keep < 2; keep++) {
        for (long k = 1;; k++) {
            fail_allocator memory;
            const nc_allocator allocator = fail_allocator_start(&memory, k);
            memory.keep_failing = keep != 0;
            const nc_code code = trial(&allocator, ctx);
            const nc_code wanted = memory.failures > 0 ? NC_OUT_OF_MEMORY : NC_OK;
            fail_check_clean(&memory, file, line);
            if (code != wanted) {
                print_error("request %ld refused of %ld: %s, wanted %s\n", k, memory.calls, nc_code_name(code),
                            nc_code_name(wanted));
                _fail(file, line);
            }
            if (memory.failures == 0 && keep == 1)
                return k - 1;
            if (memory.failures == 0)
                break;
        }
    }
    return 0;
}
// Runs `trial` with request 1 refused, then request 2, ... until it asks for no more; once with that request alone
// refused and once with all later ones too. Each refusal must come out as NC_OUT_OF_MEMORY and leave nothing behind;
// the last try, without a refusal, must be NC_OK. Returns how many requests there are.
#define fail_at_every_call(trial, ctx) fail_every_call((trial), (ctx), __FILE__, __LINE__)

#endif
