// Loops on several threads. Blocks have fixed boundaries and write by index, so the bits do not depend on threads.
#include "base/base.h"

#ifdef _OPENMP
#include <omp.h>
#endif

int nc_worker_count(int wanted)
{
#ifdef _OPENMP
    const int available = omp_get_num_procs();
#else
    const int available = 1;
#endif
    const int workers = wanted > 0 ? wanted : available;
    return workers > NC_MAX_WORKERS ? NC_MAX_WORKERS : workers;
}

void nc_parallel_for(int workers, int count, int grain, nc_range_body body, void *ctx)
{
    if (count <= 0)
        return;
    const int blocks = (count - 1) / grain + 1;
#ifdef _OPENMP
    const int threads = nc_worker_count(workers);
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) if (threads > 1 && blocks > 1)
#else
    (void)workers;
#endif
    for (int b = 0; b < blocks; b++) {
        const int begin = b * grain;
        const int end = b == blocks - 1 ? count : begin + grain;
        body(begin, end, ctx);
    }
}
