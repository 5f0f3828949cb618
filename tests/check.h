// Assertions that cmocka lacks, and seeds that print themselves. Include this instead of cmocka.h.
#ifndef NC_TESTS_CHECK_H
#define NC_TESTS_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

// Fails with file, line and both values unless |value - wanted| <= tolerance.
#define check_near(value, wanted, tolerance)                                                                           \
    do {                                                                                                               \
        const double check_v = (value), check_w = (wanted), check_t = (tolerance);                                     \
        if (!(fabs(check_v - check_w) <= check_t)) {                                                                   \
            print_error("%s = %.17g, wanted %.17g within %g\n", #value, check_v, check_w, check_t);                    \
            _fail(__FILE__, __LINE__);                                                                                 \
        }                                                                                                              \
    } while (0)

// Fails unless value <= limit (false for NaN).
#define check_at_most(value, limit)                                                                                    \
    do {                                                                                                               \
        const double check_v = (value), check_l = (limit);                                                             \
        if (!(check_v <= check_l)) {                                                                                   \
            print_error("%s = %.17g, wanted at most %.17g\n", #value, check_v, check_l);                               \
            _fail(__FILE__, __LINE__);                                                                                 \
        }                                                                                                              \
    } while (0)

// Fails with the error's sentence unless the code is NC_OK. `err` is an nc_error.
#define check_ok(call, err)                                                                                            \
    do {                                                                                                               \
        const nc_code check_c = (call);                                                                                \
        if (check_c != NC_OK) {                                                                                        \
            print_error("%s: %s: %s\n", #call, nc_code_name(check_c), (err).text);                                     \
            _fail(__FILE__, __LINE__);                                                                                 \
        }                                                                                                              \
    } while (0)

// The seed of a random test: NACRE_SEED if set, else `fallback`. Printed, so that a failure can be repeated.
static inline uint64_t check_seed(const char *test, uint64_t fallback)
{
    const char *text = getenv("NACRE_SEED");
    const uint64_t seed = text != NULL ? strtoull(text, NULL, 0) : fallback;
    print_message("%s: seed %llu (NACRE_SEED)\n", test, (unsigned long long)seed);
    return seed;
}

// How many random cases: `quick` by default, times NACRE_EFFORT (make soak sets it); one at least.
static inline int check_effort(int quick)
{
    const char *text = getenv("NACRE_EFFORT");
    const double factor = text != NULL ? atof(text) : 1.0;
    const int cases = (int)(quick * (factor > 0 ? factor : 1.0));
    return cases > 0 ? cases : 1;
}

#endif
