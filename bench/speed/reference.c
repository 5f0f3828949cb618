// The fixed piece of work that stands for the machine.
#include "bench/speed/speed.h"

#define NUMBERS 32768 // 256 kB: more than the nearest cache, less than the next
#define PASSES  1000

// Sums of products in eight chains, over and over: arithmetic as in a sweep of contacts.
nc_code nc_bench_reference(void *ctx, nc_error *err)
{
    (void)ctx;
    (void)err;
    static double numbers[NUMBERS];
    double sums[8] = {0};
    for (int i = 0; i < NUMBERS; i++)
        numbers[i] = 1.0 / (i + 1);
    for (int pass = 0; pass < PASSES; pass++)
        for (int i = 0; i < NUMBERS; i += 8)
            for (int k = 0; k < 8; k++)
                sums[k] = 0.999 * sums[k] + numbers[i + k] * numbers[i + 7 - k];
    volatile double kept = 0;
    for (int k = 0; k < 8; k++)
        kept = kept + sums[k];
    return NC_OK;
}
