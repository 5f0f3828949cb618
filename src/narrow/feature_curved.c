// Two features of rigid bodies on their true, curved paths: when do they first come within the gap?
//
// On each interval the corners' chords stand for their curves, and the certificate's bound is lowered by how far the
// curves can stray and by both rounding budgets.
#include "narrow/narrow.h"

#define MOST_LATER 64

// The features at one time.
typedef struct moment {
    double t;
    nc_vec3 w[4];
    nc_box box;  // [m] of w
    double size; // [m] largest coordinate of w; NaN if one is NaN
    nc_vec3 n;   // nearest point of the hull
} moment;

typedef struct march {
    nc_pair_motion *pair;
    const nc_feature_pair *features;
    double reach_a, reach_b;  // [m] of the features from their bodies' centres
    moment from;              // clear until from.t
    moment later[MOST_LATER]; // ends of intervals that are not clear yet, the nearest last
    int later_count;
    int evaluations, failures;
    double rate, distance; // [m] at `from`, and how fast it fell on the way there
    double start_distance; // [m] at the start of the step; -1 when it was not looked at
} march;

double nc_gap_for(const nc_gap_rule *rule, double start_distance)
{
    const double most = fmin(rule->floor, 0.75 * start_distance);
    return fmax(most, fmin(rule->delta, start_distance - rule->sigma));
}

static nc_vec3 place_a(const nc_pair_pose *at, nc_vec3 v)
{
    return nc_add(at->x, nc_mat3_mul(at->ra, v));
}

static void place(const nc_feature_pair *f, const nc_pair_pose *at, nc_vec3 *w)
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

static double larger(double a, double b)
{
    return a > b ? a : b;
}

// All but the nearest point.
static void locate(nc_pair_motion *pair, const nc_feature_pair *features, double t, moment *out)
{
    out->t = t;
    place(features, nc_pair_at(pair, t), out->w);
    nc_box box = {out->w[0], out->w[0]};
    double sum = out->w[0].x + out->w[0].y + out->w[0].z;
    for (int i = 1; i < (int)features->kind; i++) {
        box = nc_box_add(box, out->w[i]);
        sum += out->w[i].x + out->w[i].y + out->w[i].z;
    }
    out->box = box;
    const double x = larger(-box.lo.x, box.hi.x), y = larger(-box.lo.y, box.hi.y), z = larger(-box.lo.z, box.hi.z);
    out->size = sum - sum == 0 ? larger(larger(x, y), z) : NAN;
}

static void evaluate(nc_pair_motion *pair, const nc_feature_pair *features, double t, moment *out)
{
    locate(pair, features, t, out);
    out->n = nc_hull_nearest(features->kind, out->w);
}

static double hull_bound(const nc_feature_pair *features, const moment *from, const moment *to, double enough)
{
    const nc_points hull = {from->w, to->w, (int)features->kind};
    const double size = from->size > to->size ? from->size : to->size;
    const bool known = from->size + to->size == from->size + to->size;
    return nc_certificate_bound_hull(hull, from->n, to->n, known ? size : NAN, enough);
}

double nc_feature_distance(nc_pair_motion *pair, const nc_feature_pair *features, double t)
{
    moment now;
    evaluate(pair, features, t, &now);
    const double bound = hull_bound(features, &now, &now, 0) - pair->error;
    return bound > 0 ? bound : 0;
}

// The end of the interval that is looked at.
static const moment *next_end(const march *m)
{
    return &m->later[m->later_count - 1];
}

static double deviation(const march *m, double h)
{
    return nc_pair_deviation(m->pair, m->reach_a, m->reach_b, h);
}

// Certifies [from, to]; the certified distance is in *bound.
static bool stays_clear(const march *m, double gap, double *bound)
{
    const moment *to = next_end(m);
    const double off = deviation(m, to->t - m->from.t) + m->pair->error;
    *bound = hull_bound(m->features, &m->from, to, gap + off) - off;
    return *bound > gap;
}

// How far towards `to` the plane across from.n alone keeps the chords apart, as a part of the way.
static double plane_lasts(const march *m, double margin)
{
    const moment *to = next_end(m);
    const double off = margin * nc_norm(m->from.n);
    double part = 1;
    for (int i = 0; i < (int)m->features->kind; i++) {
        const double now = nc_dot(m->from.n, m->from.w[i]) - off, then = nc_dot(m->from.n, to->w[i]) - off;
        if (!(then > 0))
            part = fmin(part, now / (now - then));
    }
    return part;
}

// A time worth trying next. Only the cost depends on it.
static double propose_time(const march *m, double gap, double near)
{
    const double span = next_end(m)->t - m->from.t, middle = m->from.t + 0.5 * span;
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

// The cheapest certificate: a direction along an axis. Its coefficients are the coordinates themselves, each off by at
// most 4 u of the size, and by less than 1e-300 where they underflow. Negative when no axis separates.
static double axis_bound(const moment *from, const moment *to)
{
    const nc_box box = nc_box_union(from->box, to->box);
    const double x = larger(box.lo.x, -box.hi.x), y = larger(box.lo.y, -box.hi.y), z = larger(box.lo.z, -box.hi.z);
    return larger(larger(x, y), z) - 8.0 * NC_UNIT_ROUNDOFF * (from->size + to->size) - 1e-300;
}

// Places the features at both ends. True when an axis alone keeps them apart; else the march can start.
static bool begin(march *m, nc_pair_motion *pair, const nc_feature_pair *features, double t0, double t1, double gap,
                  double *bound)
{
    const int first = features->kind == NC_HULL_TRIANGLE ? 1 : 2;
    const double one = reach(features->corner, first), other = reach(features->corner + first, 4 - first);
    const bool in_a = features->kind != NC_HULL_TRIANGLE || features->first_in_a;
    m->pair = pair;
    m->features = features;
    m->reach_a = in_a ? one : other;
    m->reach_b = in_a ? other : one;
    m->later_count = 1;
    m->failures = 0;
    m->rate = 0;
    m->start_distance = -1;
    m->evaluations = 2;
    locate(pair, features, t0, &m->from);
    locate(pair, features, t1, &m->later[0]);
    *bound = axis_bound(&m->from, &m->later[0]) - deviation(m, t1 - t0) - pair->error;
    if (*bound > gap)
        return true;
    m->from.n = nc_hull_nearest(features->kind, m->from.w);
    m->later[0].n = nc_hull_nearest(features->kind, m->later[0].w);
    m->distance = nc_norm(m->from.n);
    return false;
}

static void advance(march *m)
{
    const moment *to = next_end(m);
    const double distance = nc_norm(to->n);
    m->rate = (m->distance - distance) / (to->t - m->from.t);
    m->distance = distance;
    m->from = *to;
    m->failures = 0;
    m->later_count--;
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
    double bound;
    march m;
    if (begin(&m, pair, features, t0, t1, gap, &bound)) {
        *distance_bound = fmin(*distance_bound, bound);
        return (nc_feature_sweep){NC_CLEAR, t1, {0, 0, 0}, 2, -1};
    }
    while (m.later_count > 0) {
        if (stays_clear(&m, gap, &bound)) {
            *distance_bound = fmin(*distance_bound, bound);
            advance(&m);
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
        if (!(m.from.t < t && t < next_end(&m)->t) || m.later_count == MOST_LATER || m.evaluations >= options->limit)
            return answer(NC_UNDECIDED, &m);
        evaluate(pair, features, t, &m.later[m.later_count++]);
        m.evaluations++;
        m.failures++;
    }
    return answer(NC_CLEAR, &m);
}
