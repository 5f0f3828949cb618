// Four numbers taken at once. (Vectors are an extension of gcc and clang; every operation works lane by lane.)
//
// Products are not fused, so lanes give the bits that one number after the other gives. Code that gains from registers
// wider than the compiler was told of is compiled once more with NC_AVX2, and what gains from more of them a third time
// with NC_AVX512, and chosen at run time; all give the same bits.
#ifndef NC_MATH_LANES_H
#define NC_MATH_LANES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#pragma GCC diagnostic ignored "-Wpsabi" // everything here is inlined: no vector is ever passed

#define NC_INLINE static inline __attribute__((always_inline))

#if defined(__x86_64__) && !defined(__AVX2__)
#define NC_AVX2       __attribute__((target("avx2"))) // of the second copy; undefined where one copy is enough
#define nc_has_avx2() (__builtin_cpu_supports("avx2") != 0)
#endif

// 32 registers instead of 16, so that four contacts or the two clouds of a search stay in them. Lanes are still four.
#if defined(__x86_64__) && !defined(__AVX512VL__)
#define NC_AVX512       __attribute__((target("avx512f,avx512vl,avx512dq"))) // of the third copy
#define nc_has_avx512() (__builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512dq") != 0)
#endif

// Copies of such code, for tests that compare them.
typedef enum nc_copy { NC_COPY_PLAIN, NC_COPY_AVX2, NC_COPY_AVX512, NC_COPIES } nc_copy;

// Is there such a copy, and can this processor run it?
static inline bool nc_has_copy(nc_copy copy)
{
#ifdef NC_AVX512
    if (copy == NC_COPY_AVX512)
        return nc_has_avx512();
#endif
#ifdef NC_AVX2
    if (copy == NC_COPY_AVX2)
        return nc_has_avx2();
#endif
    return copy == NC_COPY_PLAIN;
}

// The last one that it can run.
static inline nc_copy nc_best_copy(void)
{
    return nc_has_copy(NC_COPY_AVX512) ? NC_COPY_AVX512 : nc_has_copy(NC_COPY_AVX2) ? NC_COPY_AVX2 : NC_COPY_PLAIN;
}

#define NC_LANES 4

// ---- doubles --------------------------------------------------------------------------------------------------

typedef double nc_lanes __attribute__((vector_size(32)));
typedef int64_t nc_lane_mask __attribute__((vector_size(32))); // all bits or none, as comparisons give them

NC_INLINE nc_lanes nc_lanes_all(double x)
{
    return (nc_lanes){x, x, x, x};
}

NC_INLINE nc_lanes nc_lanes_load(const double *from)
{
    nc_lanes x;
    memcpy(&x, from, sizeof x);
    return x;
}

NC_INLINE void nc_lanes_store(double *to, nc_lanes x)
{
    memcpy(to, &x, sizeof x);
}

NC_INLINE nc_lanes nc_lanes_choose(nc_lane_mask mask, nc_lanes yes, nc_lanes no)
{
    return (nc_lanes)((mask & (nc_lane_mask)yes) | (~mask & (nc_lane_mask)no));
}

NC_INLINE nc_lanes nc_lanes_abs(nc_lanes x)
{
    const nc_lane_mask rest = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX}; // all bits but the sign's
    return (nc_lanes)((nc_lane_mask)x & rest);
}

// The larger of two; `a` where one is NaN.
NC_INLINE nc_lanes nc_lanes_max(nc_lanes a, nc_lanes b)
{
    return nc_lanes_choose(b > a, b, a);
}

NC_INLINE nc_lanes nc_lanes_sqrt(nc_lanes x)
{
#if defined(__SSE2__)
    const __m128d low = _mm_sqrt_pd((__m128d){x[0], x[1]}), high = _mm_sqrt_pd((__m128d){x[2], x[3]});
    return (nc_lanes){low[0], low[1], high[0], high[1]};
#else
    return (nc_lanes){sqrt(x[0]), sqrt(x[1]), sqrt(x[2]), sqrt(x[3])};
#endif
}

NC_INLINE bool nc_lanes_any(nc_lane_mask mask)
{
    return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
}

// Four dot products: component k of all vectors is in lanes k.
NC_INLINE nc_lanes nc_lanes_dot(const nc_lanes a[3], const nc_lanes b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Four rows of four become four columns.
NC_INLINE void nc_lanes_transpose(nc_lanes m[4])
{
    const nc_lanes p = __builtin_shufflevector(m[0], m[1], 0, 4, 2, 6),
                   q = __builtin_shufflevector(m[0], m[1], 1, 5, 3, 7);
    const nc_lanes r = __builtin_shufflevector(m[2], m[3], 0, 4, 2, 6),
                   s = __builtin_shufflevector(m[2], m[3], 1, 5, 3, 7);
    m[0] = __builtin_shufflevector(p, r, 0, 1, 4, 5);
    m[1] = __builtin_shufflevector(q, s, 0, 1, 4, 5);
    m[2] = __builtin_shufflevector(p, r, 2, 3, 6, 7);
    m[3] = __builtin_shufflevector(q, s, 2, 3, 6, 7);
}

// ---- two doubles ----------------------------------------------------------------------------------------------

typedef double nc_two_lanes __attribute__((vector_size(16)));

NC_INLINE nc_two_lanes nc_two_lanes_load(const double from[2])
{
    nc_two_lanes x;
    memcpy(&x, from, sizeof x);
    return x;
}

NC_INLINE void nc_two_lanes_store(double to[2], nc_two_lanes x)
{
    memcpy(to, &x, sizeof x);
}

// The first less b's first; the second of a as it is.
NC_INLINE nc_two_lanes nc_two_lanes_sub_first(nc_two_lanes a, nc_two_lanes b)
{
#if defined(__SSE2__)
    return _mm_sub_sd(a, b);
#else
    return (nc_two_lanes){a[0] - b[0], a[1]};
#endif
}

// ---- floats ---------------------------------------------------------------------------------------------------

typedef float nc_float_lanes __attribute__((vector_size(16)));
typedef int32_t nc_float_mask __attribute__((vector_size(16)));

NC_INLINE nc_float_lanes nc_float_lanes_all(float x)
{
    return (nc_float_lanes){x, x, x, x};
}

// The smaller of two; `b` where one is NaN.
NC_INLINE nc_float_lanes nc_float_lanes_min(nc_float_lanes a, nc_float_lanes b)
{
#if defined(__SSE2__)
    return _mm_min_ps(a, b);
#else
    const nc_float_mask mask = a < b;
    return (nc_float_lanes)((mask & (nc_float_mask)a) | (~mask & (nc_float_mask)b));
#endif
}

// The larger of two; `b` where one is NaN.
NC_INLINE nc_float_lanes nc_float_lanes_max(nc_float_lanes a, nc_float_lanes b)
{
#if defined(__SSE2__)
    return _mm_max_ps(a, b);
#else
    const nc_float_mask mask = a > b;
    return (nc_float_lanes)((mask & (nc_float_mask)a) | (~mask & (nc_float_mask)b));
#endif
}

NC_INLINE bool nc_float_lanes_any(nc_float_mask mask)
{
    typedef int64_t halves __attribute__((vector_size(16)));
    const halves h = (halves)mask;
    return (h[0] | h[1]) != 0;
}

#endif
