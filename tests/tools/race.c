// A program with a race: two workers add to one number. The thread sanitizer must say so (race.sh).
#include "base/base.h"

#include <stdio.h>

static void add_up(int begin, int end, void *ctx)
{
    double *sum = ctx;
    for (int i = begin; i < end; i++)
        *sum += i;
}

int main(void)
{
    double sum = 0;
    nc_parallel_for(2, 1000000, 100, add_up, &sum);
    printf("%g\n", sum);
    return 0;
}
