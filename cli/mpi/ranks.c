// nacre-ranks.so: exchanges between the ranks of an MPI job, for `mpirun -n N nacre run`.
//
// MPI is called by one thread. A rank that waits yields its processor, so that ranks that share one continue, and what
// it waits is not counted as time that it worked.
#include "ranks_module.h"

#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// A module has one job, as the process has.
static struct {
    double wait;   // [s]
    double waited; // [s] processor time inside exchanges
    bool broken;
    int count;
    uint64_t *sizes;
    int *counts, *begins;
    unsigned char *received;
    size_t capacity;
} job;

static double now(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double seconds(void *ctx)
{
    (void)ctx;
    return now(CLOCK_PROCESS_CPUTIME_ID) - job.waited;
}

static nc_code fail(nc_error *err, nc_code code, const char *text)
{
    job.broken = true;
    if (err != NULL) {
        *err = (nc_error){.code = code};
        snprintf(err->text, sizeof err->text, "%s", text);
    }
    return code;
}

// Until the request is done, or for too long.
static nc_code complete(int started, MPI_Request *request, nc_error *err)
{
    const double limit = now(CLOCK_MONOTONIC) + job.wait;
    int done = 0;
    while (started == MPI_SUCCESS && (started = MPI_Test(request, &done, MPI_STATUS_IGNORE)) == MPI_SUCCESS && !done) {
        if (now(CLOCK_MONOTONIC) > limit) {
            char text[128];
            snprintf(text, sizeof text, "a rank has not answered for %g s (--rank-wait)", job.wait);
            return fail(err, NC_IO, text);
        }
        sched_yield();
    }
    return started == MPI_SUCCESS ? NC_OK : fail(err, NC_IO, "MPI could not exchange results: a rank may be lost");
}

static nc_code reserve(size_t size, nc_error *err)
{
    if (size <= job.capacity)
        return NC_OK;
    unsigned char *grown = realloc(job.received, size + size / 2);
    if (grown == NULL)
        return fail(err, NC_OUT_OF_MEMORY, "out of memory for the results of other ranks");
    job.received = grown;
    job.capacity = size + size / 2;
    return NC_OK;
}

// NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker): complete() tests requests until they are done.
static nc_code exchange(const void *bytes, size_t size, size_t *sizes, nc_error *err)
{
    MPI_Request request;
    const uint64_t mine = size;
    nc_code code = complete(
        MPI_Iallgather(&mine, 1, MPI_UINT64_T, job.sizes, 1, MPI_UINT64_T, MPI_COMM_WORLD, &request), &request, err);
    uint64_t sum = 0;
    for (int r = 0; r < job.count && code == NC_OK; r++) {
        job.counts[r] = (int)job.sizes[r];
        job.begins[r] = (int)sum;
        sizes[r] = (size_t)job.sizes[r];
        sum += job.sizes[r];
        if (sum > INT_MAX)
            code = fail(err, NC_UNSUPPORTED, "ranks exchange at most 2 GB at a time");
    }
    if (code == NC_OK)
        code = reserve((size_t)sum, err);
    if (code == NC_OK)
        code = complete(MPI_Iallgatherv(bytes, (int)size, MPI_BYTE, job.received, job.counts, job.begins, MPI_BYTE,
                                        MPI_COMM_WORLD, &request),
                        &request, err);
    return code;
}
// NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker)

static nc_code gather(void *ctx, const void *bytes, size_t size, const void **out, size_t *sizes, nc_error *err)
{
    (void)ctx;
    const double begin = now(CLOCK_PROCESS_CPUTIME_ID);
    const nc_code code = exchange(bytes, size, sizes, err);
    job.waited += now(CLOCK_PROCESS_CPUTIME_ID) - begin;
    *out = job.received;
    return code;
}

nc_code nc_ranks_module_open_1(double wait, nc_exchange *out, nc_error *err);
nc_code nc_ranks_module_open_1(double wait, nc_exchange *out, nc_error *err)
{
    int given, rank = 0;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given) != MPI_SUCCESS)
        return fail(err, NC_IO, "MPI could not be started");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &job.count);
    const size_t ranks = (size_t)job.count;
    job.wait = wait;
    job.sizes = calloc(ranks, sizeof *job.sizes);
    job.counts = calloc(ranks, sizeof *job.counts);
    job.begins = calloc(ranks, sizeof *job.begins);
    if (job.sizes == NULL || job.counts == NULL || job.begins == NULL)
        return fail(err, NC_OUT_OF_MEMORY, "out of memory for the ranks of an MPI job");
    *out = (nc_exchange){rank, job.count, gather, seconds, NULL};
    job.waited = now(CLOCK_PROCESS_CPUTIME_ID); // of the start
    return NC_OK;
}

void nc_ranks_module_close_1(int exit_code);
void nc_ranks_module_close_1(int exit_code)
{
    if (job.broken)
        MPI_Abort(MPI_COMM_WORLD, exit_code != 0 ? exit_code : 6);
    MPI_Finalize();
    free(job.sizes);
    free(job.counts);
    free(job.begins);
    free(job.received);
}
