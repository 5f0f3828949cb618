// What this library is, for bug reports.
#include "base/base.h"

#ifndef NC_COMMIT
#define NC_COMMIT "unknown commit"
#endif

#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)

#if defined(__clang__)
#define COMPILER "clang " TEXT(__clang_major__) "." TEXT(__clang_minor__)
#elif defined(__GNUC__)
#define COMPILER "gcc " TEXT(__GNUC__) "." TEXT(__GNUC_MINOR__)
#else
#define COMPILER "unknown compiler"
#endif

#ifdef _OPENMP
#define THREADS "openmp"
#else
#define THREADS "serial"
#endif

const char *nc_version(void)
{
    return TEXT(NC_VERSION_MAJOR) "." TEXT(NC_VERSION_MINOR) "." TEXT(NC_VERSION_PATCH) " (" NC_COMMIT ", " COMPILER
                                                                                        ", " THREADS ")";
}
