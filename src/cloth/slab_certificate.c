// Separating slabs: certificates that two features are farther apart than a layer's thickness, and when they fail.
#include "cloth/contact_search.h"

// What rounding can do to n . w over a time dt is below ROUNDING |n|_1 (s + |v| dt), with s as in drift_pair.c: 12 u s
// from the corners, 6 u s from the product, and as much for the rate.
#define ROUNDING 0x1p-44

static double norm1(nc_vec3 v)
{
    return fabs(v.x) + fabs(v.y) + fabs(v.z);
}

static double fastest(const nc_drift_pair *pair)
{
    double speed = 0;
    for (int i = 0; i < 4; i++)
        speed = fmax(speed, norm1(pair->corner[i].v));
    return speed;
}

bool nc_slab_between(const nc_drift_pair *pair, double eta, double tolerance, double t, nc_slab *out)
{
    out->n = nc_drift_nearest(pair, t);
    return nc_norm(out->n) > eta + tolerance + 4 * nc_drift_rounding(pair, t, t);
}

// Each kick rounds the corner that it moves by 3 u s, so the difference of two corners is off by 6 u s times their
// kicks, 24,576 u s: 48 times ROUNDING, and once for the rest.
#define KICKED 64 // of what rounding does without kicks
_Static_assert(6 * NC_KICKS_PER_BOUND + 512 <= KICKED * 512, "rounding of kicks");

static double failure(const nc_drift_pair *pair, const double room[4], double rounding, const nc_slab *slab, double eta,
                      double from)
{
    double along[4], rate[4], first = INFINITY;
    const double n1 = norm1(slab->n), length = nc_norm(slab->n) * (1 + 0x1p-40);
    const double widest = fmax(fmax(room[0], room[1]), fmax(room[2], room[3]));
    const double lost = rounding * ROUNDING * n1 * (fastest(pair) + 3 * widest); // per second
    const double thick = eta * length + rounding * nc_drift_rounding(pair, from, from) * n1;
    for (int i = 0; i < 4; i++) {
        along[i] = nc_dot(slab->n, nc_drift_at(&pair->corner[i], from));
        rate[i] = nc_dot(slab->n, pair->corner[i].v);
    }
    for (int i = 0; i < (int)pair->kind; i++) {
        const int a = pair->kind == NC_HULL_TRIANGLE ? 0 : i / 2,
                  b = pair->kind == NC_HULL_TRIANGLE ? 1 + i : 2 + i % 2;
        const double margin = along[a] - along[b] - thick;
        const double closing = rate[b] - rate[a] + (room[a] + room[b]) * length + lost;
        if (!(margin > 0))
            return from;
        if (!(closing <= 0))
            first = fmin(first, margin / closing);
    }
    // Rounded down: the quotient is off by a few u of itself, the sum by u.
    const double t = from + first * (1 - 0x1p-48);
    return t < INFINITY ? fmax(from, t - 4 * NC_UNIT_ROUNDOFF * fabs(t)) : t;
}

double nc_slab_failure(const nc_drift_pair *pair, const nc_slab *slab, double eta, double from)
{
    const double none[4] = {0};
    return failure(pair, none, 1, slab, eta, from);
}

double nc_slab_failure_within(const nc_drift_pair *pair, const double room[4], const nc_slab *slab, double eta,
                              double from)
{
    return failure(pair, room, KICKED, slab, eta, from);
}
