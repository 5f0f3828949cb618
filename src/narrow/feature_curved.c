// Two features of rigid bodies on their true, curved paths: when do they first come within the gap?
//
// On each interval the corners' chords stand for their curves, and the certificate's bound is lowered by how far the
// curves can stray and by both rounding budgets.
#include "narrow/narrow.h"

#define MOST_PENDING 64

// The features at one time.
typedef struct moment {
    double t;
    nc_vec3 w[4];
    nc_vec3 n;   // nearest point of the hull
    double size; // [m] largest coordinate of w; NaN if one is NaN
} moment;

typedef struct march {
    nc_pair_motion *pair;
    const nc_feature_pair *features;
    double reach_a, reach_b; // [m] of the features from their bodies' centres
    moment from, to;         // clear until from.t
    double pending[MOST_PENDING];
    int pending_count;
    int evaluations, failures;
    double rate, distance; // [m] at `from`, and how fast it fell on the way there
    double start_distance; // [m] at the start of the step; -1 when it was not looked at
} march;

double nc_gap_for(const nc_gap_rule *rule, double start_distance)
{
    const double most = fmin(rule->floor, 0.75 * start_distance);
    return fmax(most, fmin(rule->delta, start_distance - rule->sigma));
}

static nc_vec3 place_a(const nc_placement *at, nc_vec3 v)
{
    return nc_add(at->x, nc_mat3_mul(at->ra, v));
}

static void place(const nc_feature_pair *f, const nc_placement *at, nc_vec3 *w)
{
    if (f->kind == NC_HULL_TRIANGLE) {
        const nc_vec3 p = f->first_in_a ? place_a(at, f->corner[0]) : nc_mat3_mul(at->rb, f->corner[0]);
        for (int i = 0; i < 3; i++) {
            const nc_vec3 v = f->corner[1 + i];
            w[i] = nc_sub(p, f->first_in_a ? nc_mat3_mul(at->rb, v) : place_a(at, v));
        }
    } else {
        const nc_vec3 a[2] = {place_a(at, f->corner[0]), place_a(at, f->corner[1])};
        const nc_vec3 b[2] = {nc_mat3_mul(at->rb, f->corner[2]), nc_mat3_mul(at->rb, f->corner[3])};
        for (int i = 0; i < 4; i++)
            w[i] = nc_sub(a[i / 2], b[i % 2]);
    }
}

static void evaluate(nc_pair_motion *pair, const nc_feature_pair *features, double t, moment *out)
{
    out->t = t;
    place(features, nc_pair_at(pair, t), out->w);
    nc_vec3 size = {0, 0, 0};
    double sum = 0;
    for (int i = 0; i < (int)features->kind; i++) {
        size = nc_max_v3(size, nc_v3(fabs(out->w[i].x), fabs(out->w[i].y), fabs(out->w[i].z)));
        sum += out->w[i].x + out->w[i].y + out->w[i].z;
    }
    out->size = sum - sum == 0 ? nc_max3(size) : NAN;
    out->n = nc_hull_nearest(features->kind, out->w);
}

static double hull_bound(const nc_feature_pair *features, const moment *from, const moment *to, nc_vec3 n_a,
                         nc_vec3 n_b)
{
    const nc_vec3 origin = {0, 0, 0};
    const nc_points hull = {from->w, to->w, (int)features->kind}, zero = {&origin, &origin, 1};
    const double size = from->size > to->size ? from->size : to->size;
    return nc_certificate_bound(hull, zero, n_a, n_b, from->size + to->size == from->size + to->size ? size : NAN);
}

double nc_feature_distance(nc_pair_motion *pair, const nc_feature_pair *features, double t)
{
    moment now;
    evaluate(pair, features, t, &now);
    const double bound = hull_bound(features, &now, &now, now.n, now.n) - pair->error;
    return bound > 0 ? bound : 0;
}

static double deviation(const march *m, double h)
{
    return nc_pair_deviation(m->pair, m->reach_a, m->reach_b, h);
}

// Certifies [from, to]; the certified distance is in *bound.
static bool stays_clear(const march *m, double gap, double *bound)
{
    const double off = deviation(m, m->to.t - m->from.t) + m->pair->error;
    *bound = hull_bound(m->features, &m->from, &m->to, m->from.n, m->to.n) - off;
    if (*bound > gap)
        return true;
    *bound = hull_bound(m->features, &m->from, &m->to, m->from.n, m->from.n) - off;
    return *bound > gap;
}

// How far towards `to` the plane across from.n alone keeps the chords apart, as a part of the way.
static double plane_lasts(const march *m, double margin)
{
    const double off = margin * nc_norm(m->from.n);
    double part = 1;
    for (int i = 0; i < (int)m->features->kind; i++) {
        const double now = nc_dot(m->from.n, m->from.w[i]) - off, then = nc_dot(m->from.n, m->to.w[i]) - off;
        if (!(then > 0))
            part = fmin(part, now / (now - then));
    }
    return part;
}

// A time worth trying next. Only the cost depends on it.
static double propose_time(const march *m, double gap, double near)
{
    const double span = m->to.t - m->from.t, middle = m->from.t + 0.5 * span;
    const double spare = m->distance - gap - m->pair->error;
    // So short that straying takes a third of what there is; it grows with the square of the time.
    const double off = deviation(m, span);
    const double straight = off > 0.3 * spare ? span * sqrt(0.3 * spare / off) : span;
    const double jump = m->from.t + 0.99 * span * plane_lasts(m, gap + m->pair->error + 0.3 * fmax(spare, 0));
    double t = middle;
    if (m->failures == 0 && m->rate > 0)
        t = fmin(m->from.t + 0.95 * (m->distance - 0.5 * (gap + near)) / m->rate, m->from.t + 0.75 * span);
    else if (m->failures >= 2)
        t = jump;
    return fmin(fmax(t, jump), m->from.t + fmin(straight, 0.75 * span));
}

static double reach(const nc_vec3 *corners, int count)
{
    double most = 0;
    for (int i = 0; i < count; i++)
        most = fmax(most, nc_norm2(corners[i]));
    return sqrt(most) * (1.0 + 8.0 * NC_UNIT_ROUNDOFF);
}

static void begin(march *m, nc_pair_motion *pair, const nc_feature_pair *features, double t0, double t1)
{
    const int first = features->kind == NC_HULL_TRIANGLE ? 1 : 2;
    const double one = reach(features->corner, first), other = reach(features->corner + first, 4 - first);
    const bool in_a = features->kind != NC_HULL_TRIANGLE || features->first_in_a;
    m->pair = pair;
    m->features = features;
    m->reach_a = in_a ? one : other;
    m->reach_b = in_a ? other : one;
    m->pending_count = m->failures = 0;
    m->rate = 0;
    m->start_distance = -1;
    m->evaluations = 2;
    evaluate(pair, features, t0, &m->from);
    evaluate(pair, features, t1, &m->to);
    m->distance = nc_norm(m->from.n);
}

static void advance(march *m)
{
    const double distance = nc_norm(m->to.n);
    m->rate = (m->distance - distance) / (m->to.t - m->from.t);
    m->distance = distance;
    m->from = m->to;
    m->failures = 0;
    if (m->pending_count > 0)
        evaluate(m->pair, m->features, m->pending[--m->pending_count], &m->to);
}

static nc_feature_sweep answer(nc_verdict verdict, const march *m)
{
    nc_feature_sweep sweep = {verdict, m->from.t, m->from.n, m->evaluations, m->start_distance};
    return sweep;
}

// How near to its gap a pair counts as hit. A pair that starts near it must come nearer first: else whatever parts only
// after a moment would be hit where it stands.
static double hit_tolerance(const nc_mesh_sweep_options *options, const march *m, double gap)
{
    return m->start_distance < 0 ? options->tolerance : fmin(options->tolerance, 0.25 * (m->start_distance - gap));
}

nc_feature_sweep nc_sweep_curved(nc_pair_motion *pair, const nc_feature_pair *features, double t0, double t1,
                                 const nc_mesh_sweep_options *options, double *distance_bound)
{
    double gap = options->gap.floor;
    bool gap_is_known = !(options->gap.delta > 0);
    march m;
    for (begin(&m, pair, features, t0, t1);; m.evaluations++) {
        double bound;
        if (stays_clear(&m, gap, &bound)) {
            const bool last = m.pending_count == 0;
            *distance_bound = fmin(*distance_bound, bound);
            advance(&m);
            if (last)
                return answer(NC_CLEAR, &m);
            continue;
        }
        if (!gap_is_known) {
            m.start_distance = nc_feature_distance(pair, features, 0.0);
            gap = nc_gap_for(&options->gap, m.start_distance);
            gap_is_known = true;
            continue;
        }
        const double near = gap + hit_tolerance(options, &m, gap) + pair->error;
        if (!(m.distance > near))
            return answer(NC_HIT, &m);
        const double t = propose_time(&m, gap, near);
        if (!(m.from.t < t && t < m.to.t) || m.pending_count == MOST_PENDING || m.evaluations >= options->limit)
            return answer(NC_UNDECIDED, &m);
        m.pending[m.pending_count++] = m.to.t;
        m.failures++;
        evaluate(pair, features, t, &m.to);
    }
}
