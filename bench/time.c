// Timing two sides in turns.
#include "bench/bench.h"

#include <math.h>
#include <time.h>

double nc_cpu_clock(void)
{
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void nc_bench_add_figure(nc_bench_result *result, const char *name, double value, const char *unit)
{
    NC_ASSERT(result->figure_count < NC_BENCH_MAX_FIGURES);
    result->figures[result->figure_count++] = (nc_bench_figure){name, value, unit};
}

static nc_code time_once(const nc_bench_side *side, const nc_bench_pair *pair, double *seconds, nc_error *err)
{
    const bool cpu = pair->clock == NC_CLOCK_CPU;
    const double start = cpu ? nc_cpu_clock() : nc_clock();
    const nc_code code = side->work(pair->ctx, err);
    *seconds = side->own_seconds != NULL ? *side->own_seconds : (cpu ? nc_cpu_clock() : nc_clock()) - start;
    return code;
}

static bool double_less(const void *a, const void *b, const void *ctx)
{
    (void)ctx;
    return *(const double *)a < *(const double *)b;
}

// The middle value (the upper one of two); the array is sorted on the way.
static nc_code median(double *values, int count, double *out, nc_error *err)
{
    const nc_allocator allocator = nc_allocator_default();
    if (!nc_sort(&allocator, values, (size_t)count, sizeof *values, double_less, NULL))
        return nc_fail_memory(err, (size_t)count * sizeof *values);
    *out = values[count / 2];
    return NC_OK;
}

static nc_code summarize(nc_bench_result *r, nc_error *err)
{
    double ours[NC_BENCH_MAX_ROUNDS] = {0}, peer[NC_BENCH_MAX_ROUNDS] = {0}, ratios[NC_BENCH_MAX_ROUNDS] = {0};
    for (int i = 0; i < r->rounds; i++) {
        ours[i] = r->ours[i];
        peer[i] = r->peer[i];
        ratios[i] = r->peer[i] / r->ours[i];
    }
    nc_code code = median(ours, r->rounds, &r->ours_median, err);
    r->peer_median = r->ratio = r->ratio_low = r->ratio_high = NAN;
    if (code != NC_OK || r->pair.peer.work == NULL)
        return code;
    code = median(peer, r->rounds, &r->peer_median, err);
    if (code == NC_OK)
        code = median(ratios, r->rounds, &r->ratio, err);
    r->ratio_low = ratios[0];
    r->ratio_high = ratios[r->rounds - 1];
    return code;
}

nc_code nc_bench_compare(const nc_bench_pair *pair, int rounds, nc_bench_result *out, nc_error *err)
{
    nc_bench_result result = {.pair = *pair, .rounds = rounds};
    nc_code code = NC_OK;
    for (int round = pair->no_warm_up ? 0 : -1; round < rounds && code == NC_OK; round++) {
        double ours = 0, peer = NAN;
        const bool peer_first = round % 2 != 0 && pair->peer.work != NULL;
        if (peer_first)
            code = time_once(&pair->peer, pair, &peer, err);
        if (code == NC_OK)
            code = time_once(&pair->ours, pair, &ours, err);
        if (code == NC_OK && !peer_first && pair->peer.work != NULL)
            code = time_once(&pair->peer, pair, &peer, err);
        if (round >= 0) {
            result.ours[round] = ours;
            result.peer[round] = peer / pair->peer_share;
        }
    }
    if (code == NC_OK)
        code = summarize(&result, err);
    *out = result;
    return code;
}
