// Clouds of points: a direction along which all of one are beyond all of the other.
//
// Any direction proves; which one is tried next is a matter of speed: GJK searches for the point nearest the origin of
// the hull of all differences p - q. Compiled three times where the machine may have wider or more
// registers than the compiler was told of; products are not fused, so all give the same bits.
#include "narrow/narrow.h"

#include "narrow/simplex.h"

#define SHORTEST 0x1p-500 // [m] squares of shorter vectors underflow, and their length is not known

typedef struct extreme {
    double value; // [m] n . v
    nc_vec3 point;
} extreme;

NC_INLINE nc_lanes heights(const nc_four_points *four, nc_vec3 n)
{
    return n.x * nc_lanes_load(four->x) + n.y * nc_lanes_load(four->y) + n.z * nc_lanes_load(four->z);
}

// The lowest point along n. NaN in `n` makes the value NaN: comparisons keep the first one.
NC_INLINE extreme lowest(nc_cloud cloud, nc_vec3 n)
{
    nc_lanes least = heights(&cloud.fours[0], n);
    nc_lane_mask at = {0, 0, 0, 0};
    for (int64_t k = 1; k < cloud.count; k++) {
        const nc_lanes value = heights(&cloud.fours[k], n);
        const nc_lane_mask lower = value < least;
        least = nc_lanes_choose(lower, value, least);
        at = (lower & (nc_lane_mask){k, k, k, k}) | (~lower & at);
    }
    int lane = 0;
    for (int k = 1; k < 4; k++)
        lane = least[k] < least[lane] ? k : lane;
    const nc_four_points *four = &cloud.fours[at[lane]];
    return (extreme){least[lane], nc_v3(four->x[lane], four->y[lane], four->z[lane])};
}

// The difference p - q that is lowest along n at one end of the interval.
NC_INLINE double lowest_difference(nc_cloud a, nc_cloud b, const nc_pair_pose *at, nc_vec3 n, nc_vec3 *difference)
{
    const extreme p = lowest(a, nc_mat3_tmul(at->ra, n)), q = lowest(b, nc_neg(nc_mat3_tmul(at->rb, n)));
    *difference = nc_sub(nc_add(at->x, nc_mat3_mul(at->ra, p.point)), nc_mat3_mul(at->rb, q.point));
    return nc_dot(n, at->x) + p.value + q.value;
}

// Is there nothing left to gain? The nearest point is reached, or all but the origin itself.
NC_INLINE bool is_spent(nc_vec3 v, nc_vec3 s, double small)
{
    const double v2 = nc_norm2(v);
    return !(v2 > small * small) || !(v2 - nc_dot(v, s) > NC_CLOUD_MIN_GAIN * v2);
}

// GJK over the differences at both ends. Both ends alike when `to` is `from`.
NC_INLINE bool search(nc_cloud a, nc_cloud b, const nc_pair_pose *from, const nc_pair_pose *to, double need, int steps,
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
        if ((looks > 0 && *bound > NC_CLOUD_WEAK_NEEDS * need) || looks == NC_CLOUD_MAX_SEARCHES)
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

#ifdef NC_AVX2
NC_AVX2 static bool search_avx2(nc_cloud a, nc_cloud b, const nc_pair_pose *from, const nc_pair_pose *to, double need,
                                int steps, nc_vec3 *direction, double *bound)
{
    return search(a, b, from, to, need, steps, direction, bound);
}

NC_AVX2 static extreme lowest_avx2(nc_cloud cloud, nc_vec3 n)
{
    return lowest(cloud, n);
}
#endif

#ifdef NC_AVX512
NC_AVX512 static bool search_avx512(nc_cloud a, nc_cloud b, const nc_pair_pose *from, const nc_pair_pose *to,
                                    double need, int steps, nc_vec3 *direction, double *bound)
{
    return search(a, b, from, to, need, steps, direction, bound);
}
#endif

bool nc_clouds_stay_apart_by(nc_copy copy, nc_cloud a, nc_cloud b, const nc_pair_pose *from, const nc_pair_pose *to,
                             double need, int steps, nc_vec3 *direction, double *bound)
{
#ifdef NC_AVX512
    if (copy == NC_COPY_AVX512)
        return search_avx512(a, b, from, to, need, steps, direction, bound);
#endif
#ifdef NC_AVX2
    if (copy == NC_COPY_AVX2)
        return search_avx2(a, b, from, to, need, steps, direction, bound);
#endif
    (void)copy;
    return search(a, b, from, to, need, steps, direction, bound);
}

bool nc_clouds_stay_apart(nc_cloud a, nc_cloud b, const nc_pair_pose *from, const nc_pair_pose *to, double need,
                          int steps, nc_vec3 *direction, double *bound)
{
    return nc_clouds_stay_apart_by(nc_best_copy(), a, b, from, to, need, steps, direction, bound);
}

double nc_cloud_lowest(nc_cloud cloud, nc_vec3 n)
{
#ifdef NC_AVX2
    if (nc_has_avx2())
        return lowest_avx2(cloud, n).value;
#endif
    return lowest(cloud, n).value;
}
