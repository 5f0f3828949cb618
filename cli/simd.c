// What vector instructions this build uses and this machine has.
#include "simd.h"

#include <stdio.h>
#include <string.h>

#if defined(__AVX512F__)
#define BUILT_FOR "AVX-512"
#elif defined(__AVX2__)
#define BUILT_FOR "AVX2"
#elif defined(__AVX__)
#define BUILT_FOR "AVX"
#elif defined(__SSE2__)
#define BUILT_FOR "SSE2"
#elif defined(__ARM_NEON)
#define BUILT_FOR "NEON"
#else
#define BUILT_FOR "no SIMD"
#endif

const char *nc_simd_text(char *out, size_t out_size)
{
    snprintf(out, out_size, "built for %s", BUILT_FOR);
#if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)
    const struct {
        const char *name;
        int there;
    } features[] = {
        {"SSE4.2", __builtin_cpu_supports("sse4.2")},   {"AVX", __builtin_cpu_supports("avx")},
        {"AVX2", __builtin_cpu_supports("avx2")},       {"FMA", __builtin_cpu_supports("fma")},
        {"AVX-512", __builtin_cpu_supports("avx512f")},
    };
    const char *separator = "; this machine has ";
    for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
        if (!features[i].there)
            continue;
        const size_t used = strlen(out);
        snprintf(out + used, out_size - used, "%s%s", separator, features[i].name);
        separator = ", ";
    }
#endif
    return out;
}
