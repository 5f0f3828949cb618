// The end of a programmer's mistake, in builds that check for them (NC_ASSERTS). Release builds have no such call.
#include "base/base.h"

#ifdef NC_ASSERTS
#include <stdio.h>
#include <stdlib.h>

_Noreturn void nc_assert_failed(const char *condition, const char *file, int line)
{
    fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
    abort();
}
#else
typedef int nc_assert_is_off; // ISO C wants something in a file
#endif
