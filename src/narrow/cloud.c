// Clouds of points: a direction along which all of one are beyond all of the other.
//
// Any direction proves; which one is tried next is a matter of speed: GJK looks for the point nearest the origin of the
// hull of all differences p - q. Compiled twice where the machine may have wider registers than the
// compiler was told of; products are not fused, so both give the same bits.
#include "narrow/narrow.h"

#include "narrow/simplex.h"

#include <string.h>

#pragma GCC diagnostic ignored "-Wpsabi" // everything here is inlined: no vector is ever passed

#define INLINE static inline __attribute__((always_inline))

#define SHORTEST 0x1p-500 // [m] squares of shorter vectors underflow, and their length is not known

typedef double lanes __attribute__((vector_size(32)));
typedef int64_t lane_mask __attribute__((vector_size(32)));

typedef struct extreme {
    double value; // [m] n . v
    nc_vec3 point;
} extreme;

INLINE lanes heights(const nc_four_points *four, nc_vec3 n)
{
    lanes x, y, z;
    memcpy(&x, four->x, sizeof x);
    memcpy(&y, four->y, sizeof y);
    memcpy(&z, four->z, sizeof z);
    return n.x * x + n.y * y + n.z * z;
}

INLINE lanes choose(lane_mask mask, lanes yes, lanes no)
{
    return (lanes)((mask & (lane_mask)yes) | (~mask & (lane_mask)no));
}

// The lowest point along n. NaN in `n` makes the value NaN: comparisons keep the first one.
INLINE extreme lowest(nc_cloud cloud, nc_vec3 n)
{
    lanes least = heights(&cloud.fours[0], n);
    lane_mask at = {0, 0, 0, 0};
    for (int64_t k = 1; k < cloud.count; k++) {
        const lanes value = heights(&cloud.fours[k], n);
        const lane_mask lower = value < least;
        least = choose(lower, value, least);
        at = (lower & (lane_mask){k, k, k, k}) | (~lower & at);
    }
    int lane = 0;
    for (int k = 1; k < 4; k++)
        lane = least[k] < least[lane] ? k : lane;
    const nc_four_points *four = &cloud.fours[at[lane]];
    return (extreme){least[lane], nc_v3(four->x[lane], four->y[lane], four->z[lane])};
}

// The difference p - q that is lowest along n at one end of the interval.
INLINE double lowest_difference(nc_cloud a, nc_cloud b, const nc_pair_pose *at, nc_vec3 n, nc_vec3 *difference)
{
    const extreme p = lowest(a, nc_mat3_tmul(at->ra, n)), q = lowest(b, nc_neg(nc_mat3_tmul(at->rb, n)));
    *difference = nc_sub(nc_add(at->x, nc_mat3_mul(at->ra, p.point)), nc_mat3_mul(at->rb, q.point));
    return nc_dot(n, at->x) + p.value + q.value;
}

// Is there nothing left to gain? The nearest point is reached, or all but the origin itself.
INLINE bool is_spent(nc_vec3 v, nc_vec3 s, double small)
{
    const double v2 = nc_norm2(v);
    return !(v2 > small * small) || !(v2 - nc_dot(v, s) > 0.02 * v2);
}

// Costs time only: a bound of less than so many times what is needed is worth another look, so that distances that are
// reported, and what a verdict has to spare, are not much below the truth.
#define WEAK  4 // [need]
#define LOOKS 3 // in all after a direction was found

// GJK over the differences at both ends. Both ends alike when `to` is `from`.
INLINE bool search(nc_cloud a, nc_cloud b, const nc_pair_pose *from, const nc_pair_pose *to, double need, int steps,
                   nc_vec3 *direction, double *bound)
{
    nc_vec3 v = *direction;
    nc_simplex simplex = {.count = 0};
    int looks = 0;
    for (int k = 0; k < steps; k++) {
        const double length = nc_norm(v);
        if (!(length > SHORTEST))
            break;
        const nc_vec3 n = nc_scale(1.0 / length, v);
        nc_vec3 s, other;
        const double first = lowest_difference(a, b, from, n, &s);
        double least = first;
        if (first > need && to != from) {
            const double last = lowest_difference(a, b, to, n, &other);
            s = last < first ? other : s;
            least = last > first ? first : last; // NaN stays NaN, and proves nothing
        }
        if (least > need && (looks == 0 || least > *bound)) {
            *direction = n;
            *bound = least;
        }
        looks += looks > 0 || least > need;
        if ((looks > 0 && *bound > WEAK * need) || looks == LOOKS)
            return true;
        if (k > 0 && is_spent(v, s, need)) // the first direction need not be a point of the hull
            break;
        simplex.p[simplex.count++] = s;
        const nc_vec3 nearest = nc_simplex_nearest(&simplex);
        if (simplex.count == 4) // the origin is inside
            break;
        v = nearest;
    }
    if (looks == 0)
        *direction = v;
    return looks > 0;
}

#if defined(__x86_64__) && !defined(__AVX2__)
#define TWICE
__attribute__((target("avx2"))) static bool search_avx2(nc_cloud a, nc_cloud b, const nc_pair_pose *from,
                                                        const nc_pair_pose *to, double need, int steps,
                                                        nc_vec3 *direction, double *bound)
{
    return search(a, b, from, to, need, steps, direction, bound);
}

__attribute__((target("avx2"))) static extreme lowest_avx2(nc_cloud cloud, nc_vec3 n)
{
    return lowest(cloud, n);
}
#endif

bool nc_clouds_stay_apart(nc_cloud a, nc_cloud b, const nc_pair_pose *from, const nc_pair_pose *to, double need,
                          int steps, nc_vec3 *direction, double *bound)
{
#ifdef TWICE
    if (__builtin_cpu_supports("avx2"))
        return search_avx2(a, b, from, to, need, steps, direction, bound);
#endif
    return search(a, b, from, to, need, steps, direction, bound);
}

double nc_cloud_lowest(nc_cloud cloud, nc_vec3 n)
{
#ifdef TWICE
    if (__builtin_cpu_supports("avx2"))
        return lowest_avx2(cloud, n).value;
#endif
    return lowest(cloud, n).value;
}
