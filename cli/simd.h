// What vector instructions this build uses and this machine has.
#ifndef NC_CLI_SIMD_H
#define NC_CLI_SIMD_H

#include <stddef.h>

// "built for SSE2; this machine also has AVX2, FMA" into `out`; returns `out`.
const char *nc_simd_text(char *out, size_t out_size);

#endif
