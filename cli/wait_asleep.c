// Threads that wait for work and do not burn processor time.
#include "wait_asleep.h"

#ifdef __linux__

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#define SPINS "1000" // of libgomp, each a pause of the processor: 3 to 40 us

// Has somebody decided how threads wait? Then it is so.
static bool is_decided(void)
{
    return getenv("OMP_WAIT_POLICY") != NULL || getenv("GOMP_SPINCOUNT") != NULL;
}

void nc_wait_asleep(char **argv)
{
    char path[PATH_MAX];
    if (is_decided() || setenv("GOMP_SPINCOUNT", SPINS, 0) != 0)
        return;
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0)
        return;
    path[length] = '\0';
    execv(path, argv); // on failure this process goes on, and its threads spin
}

#else

void nc_wait_asleep(char **argv)
{
    (void)argv;
}

#endif
