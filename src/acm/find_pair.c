// Two features whose corners drift: what rounding can do, and when they first come within a distance.
#include "acm/find.h"

// Let s bound |x| + |v| |t - t0| of all corners and coordinates. A computed corner is off by 3 u s in each coordinate.
// The sweep takes computed corners at ta and tb and goes linearly between them: what a force computes at a time between
// is within 6 u s of that, a difference of two corners within 12 u s, its length within 21 u s. A distance computed
// from corners is within 2^-46 of the largest difference, 2 sqrt(3) s, that is 444 u s. Together less than 512 u s.
#define ROUNDING 0x1p-44

#define EVALUATIONS 256 // of one sweep, after which the earliest time not ruled out is taken for the answer

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

nc_vec3 nc_drift_nearest(const nc_drift_pair *pair, double t)
{
    nc_vec3 at[4], w[4];
    for (int i = 0; i < 4; i++)
        at[i] = nc_drift_at(&pair->corner[i], t);
    for (int i = 0; i < (int)pair->kind; i++)
        w[i] = pair->kind == NC_HULL_TRIANGLE ? nc_sub(at[0], at[1 + i]) : nc_sub(at[i / 2], at[2 + i % 2]);
    return nc_hull_nearest(pair->kind, w);
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
