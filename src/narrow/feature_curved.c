// Two features of rigid bodies on their true, curved paths: when do they first come within the gap?
//
// On each interval the corners' chords stand for their curves, and the certificate's bound is lowered by how far the
// curves can stray and by both rounding budgets.
#include "narrow/march.h"

// The features at one time.
typedef struct moment {
    double t;
    nc_vec3 w[4];
    nc_box box;  // [m] of w
    double size; // [m] largest coordinate of w; NaN if one is NaN
    nc_vec3 n;   // nearest point of the hull
} moment;

// What the march is about, and the features at its times.
typedef struct curved_test {
    nc_pair_motion *pair;
    const nc_feature_pair *features;
    const nc_mesh_sweep_options *options;
    double reach_a, reach_b;          // [m] of the features from their bodies' centres
    moment from;                      // clear until from.t
    moment later[NC_MARCH_MAX_LATER]; // at the ends of intervals that are not clear yet, the nearest last
    double gap;                       // [m] the floor as long as that is enough
    bool gap_is_known;
    double start_distance; // [m] at the start of the step; -1 when it was not examined
    double bound;          // [m] certified over the intervals that are clear
} curved_test;

double nc_gap_for(const nc_gap_rule *rule, double start_distance)
{
    const double most = fmin(rule->floor, NC_GAP_START_SHARE * start_distance);
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

static double deviation(const curved_test *c, double h)
{
    return nc_pair_deviation(c->pair, c->reach_a, c->reach_b, h);
}

// Certifies [from, to]; the certified distance is in *bound.
static bool stays_clear(const curved_test *c, const moment *to, double *bound)
{
    const double off = deviation(c, to->t - c->from.t) + c->pair->error;
    *bound = hull_bound(c->features, &c->from, to, c->gap + off) - off;
    return *bound > c->gap;
}

static bool is_clear(void *ctx, const nc_march *m)
{
    curved_test *c = ctx;
    const moment *to = &c->later[m->count - 1];
    double bound;
    bool clear = stays_clear(c, to, &bound);
    if (!clear && !c->gap_is_known) {
        c->start_distance = nc_feature_distance(c->pair, c->features, 0.0);
        c->gap = nc_gap_for(&c->options->gap, c->start_distance);
        c->gap_is_known = true;
        clear = stays_clear(c, to, &bound);
    }
    if (clear)
        c->bound = fmin(c->bound, bound);
    return clear;
}

// How far towards `to` the plane across from.n alone keeps the chords apart, as a part of the way.
static double plane_lasts(const curved_test *c, const moment *to, double margin)
{
    const double off = margin * nc_norm(c->from.n);
    double part = 1;
    for (int i = 0; i < (int)c->features->kind; i++) {
        const double now = nc_dot(c->from.n, c->from.w[i]) - off, then = nc_dot(c->from.n, to->w[i]) - off;
        if (!(then > 0))
            part = fmin(part, now / (now - then));
    }
    return part;
}

// How near to its gap a pair counts as hit. A pair that starts near it must come nearer first: else whatever parts only
// after a moment would be hit where it stands.
static double near_distance(const curved_test *c)
{
    const double tolerance = c->options->tolerance;
    const double own =
        c->start_distance < 0 ? tolerance : fmin(tolerance, NC_HIT_START_SHARE * (c->start_distance - c->gap));
    return c->gap + own + c->pair->error;
}

static bool is_hit(void *ctx, const nc_march *m)
{
    return !(m->distance > near_distance(ctx));
}

// A time worth trying next. Any time gives a verdict that holds: a clear one is proven, and no impact is earlier than a
// time of impact. Which double within the tolerance that time is depends on it (docs/theory/detection.md).
static double propose_time(const void *ctx, const nc_march *m)
{
    const curved_test *c = ctx;
    const moment *to = &c->later[m->count - 1];
    const double gap = c->gap, near = near_distance(c), span = to->t - m->from, middle = m->from + 0.5 * span;
    const double spare = m->distance - gap - c->pair->error;
    // So short that straying takes a third of what there is; it grows with the square of the time.
    const double off = deviation(c, span);
    const double straight = off > NC_MARCH_STRAY_SHARE * spare ? span * sqrt(NC_MARCH_STRAY_SHARE * spare / off) : span;
    const double jump = m->from + NC_MARCH_PLANE_SHARE * span *
                                      plane_lasts(c, to, gap + c->pair->error + NC_MARCH_STRAY_SHARE * fmax(spare, 0));
    double t = middle;
    if (m->failures == 0 && m->rate > 0)
        t = fmin(m->from + NC_MARCH_RATE_SHARE * (m->distance - 0.5 * (gap + near)) / m->rate,
                 m->from + NC_MARCH_SPAN_SHARE * span);
    else if (m->failures >= 2)
        t = jump;
    return fmin(fmax(t, jump), m->from + fmin(straight, NC_MARCH_SPAN_SHARE * span));
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

static double advance(void *ctx, nc_march *m)
{
    curved_test *c = ctx;
    c->from = c->later[m->count - 1];
    return nc_norm(c->from.n);
}

static void evaluate_end(void *ctx, const nc_march *m)
{
    curved_test *c = ctx;
    evaluate(c->pair, c->features, nc_march_end(m), &c->later[m->count - 1]);
}

static void set_features(curved_test *c, nc_pair_motion *pair, const nc_feature_pair *features)
{
    const int first = features->kind == NC_HULL_TRIANGLE ? 1 : 2;
    const double one = reach(features->corner, first), other = reach(features->corner + first, 4 - first);
    const bool in_a = features->kind != NC_HULL_TRIANGLE || features->first_in_a;
    c->pair = pair;
    c->features = features;
    c->reach_a = in_a ? one : other;
    c->reach_b = in_a ? other : one;
}

// Places the features at both ends. True when an axis alone keeps them apart; else the march can start.
static bool begin(curved_test *c, double t0, double t1)
{
    locate(c->pair, c->features, t0, &c->from);
    locate(c->pair, c->features, t1, &c->later[0]);
    c->bound = axis_bound(&c->from, &c->later[0]) - deviation(c, t1 - t0) - c->pair->error;
    if (c->bound > c->gap)
        return true;
    c->from.n = nc_hull_nearest(c->features->kind, c->from.w);
    c->later[0].n = nc_hull_nearest(c->features->kind, c->later[0].w);
    return false;
}

nc_feature_sweep nc_sweep_curved(nc_pair_motion *pair, const nc_feature_pair *features, double t0, double t1,
                                 const nc_mesh_sweep_options *options, double *distance_bound)
{
    static const nc_march_test test = {is_clear, advance, is_hit, propose_time, evaluate_end};
    curved_test c;
    c.options = options;
    c.gap = options->gap.floor;
    c.gap_is_known = !(options->gap.delta > 0);
    c.start_distance = -1;
    set_features(&c, pair, features);
    if (begin(&c, t0, t1)) {
        *distance_bound = fmin(*distance_bound, c.bound);
        return (nc_feature_sweep){NC_CLEAR, t1, {0, 0, 0}, 2, -1};
    }
    c.bound = *distance_bound;
    nc_march m;
    nc_march_begin(&m, t0, t1, nc_norm(c.from.n), NC_MARCH_MAX_LATER, options->limit);
    const nc_verdict verdict = nc_march_run(&m, &test, &c);
    *distance_bound = c.bound;
    return (nc_feature_sweep){verdict, m.from, c.from.n, m.evaluations, c.start_distance};
}
