// Two features whose corners drift: what rounding can do, and when they first come within a distance.
#include "cloth/contact_search.h"

// Let s bound |x| + |v| |t - t0| of all corners and coordinates. A computed corner is off by 3 u s in each coordinate.
// The sweep takes computed corners at ta and tb and goes linearly between them: what a force computes at a time between
// is within 6 u s of that, a difference of two corners within 12 u s, its length within 21 u s. A distance computed
// from corners is within 2^-46 of the largest difference, 2 sqrt(3) s, that is 444 u s. Together less than 512 u s.
#define ROUNDING 0x1p-44

#define NEAREST     (1 - 0x1p-20) // of its own length: what the direction of a nearest point proves
#define EVALUATIONS 256           // of one sweep, after which the earliest time not ruled out is taken for the answer

double nc_drift_rounding(const nc_drift_pair *pair, double ta, double tb)
{
    double size = 0;
    for (int i = 0; i < 4; i++) {
        const nc_drift *c = &pair->corner[i];
        const double time = fmax(fabs(ta - c->t0), fabs(tb - c->t0));
        size = fmax(size, nc_max3(c->x) + nc_max3(c->v) * time);
    }
    return ROUNDING * size;
}

void nc_corner_differences(nc_hull_kind kind, const nc_vec3 corner[4], nc_vec3 w[4])
{
    for (int i = 0; i < (int)kind; i++)
        w[i] = kind == NC_HULL_TRIANGLE ? nc_sub(corner[0], corner[1 + i]) : nc_sub(corner[i / 2], corner[2 + i % 2]);
}

// n is the nearest point of the hull when no point of it is nearer along n.
static bool is_nearest(nc_hull_kind kind, const nc_vec3 w[4], nc_vec3 n)
{
    double least = INFINITY;
    for (int i = 0; i < (int)kind; i++)
        least = nc_lesser_of(least, nc_dot(n, w[i]));
    return least > NEAREST * nc_norm2(n);
}

nc_vec3 nc_hull_nearest_checked(nc_hull_kind kind, const nc_vec3 w[4])
{
    const nc_vec3 n = nc_hull_nearest(kind, w);
    if (is_nearest(kind, w, n))
        return n;
    const nc_vec3 origin = {0, 0, 0};
    if (kind == NC_HULL_TRIANGLE)
        return nc_distance_point_triangle(origin, w).on_b;
    const nc_vec3 a[2] = {origin, nc_sub(w[2], w[0])}, b[2] = {nc_neg(w[0]), nc_neg(w[1])};
    const nc_distance d = nc_distance_segment_segment(a, b);
    return nc_sub(d.on_a, d.on_b);
}

nc_vec3 nc_drift_nearest(const nc_drift_pair *pair, double t)
{
    nc_vec3 at[4], w[4];
    for (int i = 0; i < 4; i++)
        at[i] = nc_drift_at(&pair->corner[i], t);
    nc_corner_differences(pair->kind, at, w);
    return nc_hull_nearest_checked(pair->kind, w);
}

double nc_drift_first_within(const nc_drift_pair *pair, double eta, double stray, double tolerance, double ta,
                             double tb)
{
    nc_vec3 start[4], end[4];
    for (int i = 0; i < 4; i++) {
        start[i] = nc_drift_at(&pair->corner[i], ta);
        end[i] = nc_drift_at(&pair->corner[i], tb);
    }
    const nc_sweep_options options = {
        .gap = (eta + stray) * (1 + 0x1p-40) + nc_drift_rounding(pair, ta, tb),
        .tolerance = tolerance,
        .limit = EVALUATIONS,
    };
    const nc_feature_sweep sweep = nc_sweep_linear(pair->kind, start, end, &options);
    if (sweep.verdict == NC_CLEAR)
        return INFINITY;
    // The sum is off by u of its size; what is clear until toi is clear until any time before.
    const double t = ta + sweep.toi * (tb - ta);
    return fmax(ta, fmin(t, tb) - 4 * NC_UNIT_ROUNDOFF * fabs(t));
}
