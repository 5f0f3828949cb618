// Loops and phases on several threads. Blocks have fixed boundaries and write by index, so the bits do not depend on
// threads.
#include "base/base.h"

#ifdef _OPENMP
#include <omp.h>
#include <stdatomic.h>
#include <threads.h>
#endif

// Asking for the number of processors is a system call: only where it matters.
int nc_worker_count(int wanted)
{
#ifdef _OPENMP
    const int workers = wanted > 0 ? wanted : omp_get_num_procs();
#else
    const int workers = wanted > 0 ? wanted : 1;
#endif
    return workers > NC_MAX_WORKERS ? NC_MAX_WORKERS : workers;
}

static void run_block(int b, int count, int grain, nc_range_body body, void *ctx)
{
    const int begin = b * grain;
    body(begin, count - begin < grain ? count : begin + grain, ctx);
}

void nc_parallel_for(int workers, int count, int grain, nc_range_body body, void *ctx)
{
    if (count <= 0)
        return;
    const int blocks = (count - 1) / grain + 1;
#ifdef _OPENMP
    const int threads = blocks > 1 ? nc_worker_count(workers) : 1;
    if (threads > 1) { // a parallel region costs system calls, also with one thread
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
        for (int b = 0; b < blocks; b++)
            run_block(b, count, grain, body, ctx);
        return;
    }
#else
    (void)workers;
#endif
    for (int b = 0; b < blocks; b++)
        run_block(b, count, grain, body, ctx);
}

// ---- phases -------------------------------------------------------------------------------------------------

static void run_alone(const nc_phases *phases)
{
    for (int parts = phases->next(phases->ctx); parts > 0; parts = phases->next(phases->ctx))
        for (int i = 0; i < parts; i++)
            phases->part(i, phases->ctx);
}

#ifdef _OPENMP

#define SPINS_BEFORE_YIELD 1000 // before the processor is yielded

// `open` has the parts of the phase going on that no thread has taken yet, as bits, and above them the number of the
// phase, so that who was late takes none of another.
typedef struct crew {
    _Alignas(64) _Atomic uint64_t open;
    _Atomic int parts;              // of the phase; where a thread begins to look, no more
    _Alignas(64) _Atomic int going; // parts of the phase that have not ended
    _Alignas(64) _Atomic bool over;
    const nc_phases *phases;
    int threads;
} crew;

// Opens the next phase of more than one part; those of one are done at once. By one thread, when nothing goes on.
static void open_next(crew *c)
{
    int parts = c->phases->next(c->phases->ctx);
    while (parts == 1) {
        c->phases->part(0, c->phases->ctx);
        parts = c->phases->next(c->phases->ctx);
    }
    if (parts <= 0) {
        atomic_store_explicit(&c->over, true, memory_order_release);
        return;
    }
    const uint64_t phase = (atomic_load_explicit(&c->open, memory_order_relaxed) >> 32) + 1;
    atomic_store_explicit(&c->parts, parts, memory_order_relaxed);
    atomic_store_explicit(&c->going, parts, memory_order_relaxed);
    atomic_store_explicit(&c->open, phase << 32 | UINT32_MAX >> (NC_MAX_PARTS - parts), memory_order_release);
}

// The first open part from this thread's own on, or from 0 on.
static int choose_part(uint32_t open, int parts, int thread, int threads)
{
    const uint32_t mine = open & UINT32_MAX << thread * parts / threads;
    return __builtin_ctz(mine != 0 ? mine : open);
}

static void look_again(int *looks)
{
    if (++*looks == SPINS_BEFORE_YIELD) {
        *looks = 0;
        thrd_yield();
        return;
    }
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

// Takes a part; -1 when there is none.
static int take_part(crew *c, int thread)
{
    uint64_t open = atomic_load_explicit(&c->open, memory_order_acquire);
    while ((uint32_t)open != 0) {
        const int part =
            choose_part((uint32_t)open, atomic_load_explicit(&c->parts, memory_order_relaxed), thread, c->threads);
        if (atomic_compare_exchange_weak_explicit(&c->open, &open, open & ~(UINT64_C(1) << part), memory_order_acquire,
                                                  memory_order_acquire))
            return part;
    }
    return -1;
}

static void join_in(crew *c, int thread)
{
    int looks = 0;
    while (!atomic_load_explicit(&c->over, memory_order_acquire)) {
        const int part = take_part(c, thread);
        if (part < 0) {
            look_again(&looks);
            continue;
        }
        looks = 0;
        c->phases->part(part, c->phases->ctx);
        if (atomic_fetch_sub_explicit(&c->going, 1, memory_order_acq_rel) == 1)
            open_next(c);
    }
}

void nc_parallel_phases(int workers, const nc_phases *phases)
{
    const int threads = nc_worker_count(workers);
    if (threads == 1) {
        run_alone(phases);
        return;
    }
    crew c = {.phases = phases, .threads = threads};
    open_next(&c);
#pragma omp parallel num_threads(threads)
    join_in(&c, omp_get_thread_num());
}

#else

void nc_parallel_phases(int workers, const nc_phases *phases)
{
    (void)workers;
    run_alone(phases);
}

#endif
