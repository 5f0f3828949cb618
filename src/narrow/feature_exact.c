// The march of feature_linear.c in twofold arithmetic: for the few queries that doubles cannot settle.
//
// The differences of corners are exact as twofolds, times are doubles, directions are whatever twofolds they are. What
// rounds is the motion between the ends and the coefficients; ROUNDING bounds both (docs/theory/detection.md).
#include "narrow/march.h"

#define ROUNDING 0x1p-98
#define ABSOLUTE 1e-290
#define NEAR     0x1p-90 // of the features' size: what counts as touching

typedef struct vec {
    twofold x, y, z;
} vec;

static vec difference(nc_vec3 a, nc_vec3 b)
{
    return (vec){two_sum(a.x, -b.x), two_sum(a.y, -b.y), two_sum(a.z, -b.z)};
}

static vec add(vec a, vec b)
{
    return (vec){twofold_add(a.x, b.x), twofold_add(a.y, b.y), twofold_add(a.z, b.z)};
}

static vec subtract(vec a, vec b)
{
    return (vec){twofold_subtract(a.x, b.x), twofold_subtract(a.y, b.y), twofold_subtract(a.z, b.z)};
}

static vec scale(double s, vec a)
{
    return (vec){twofold_scale(s, a.x), twofold_scale(s, a.y), twofold_scale(s, a.z)};
}

static vec multiply(twofold s, vec a)
{
    return (vec){twofold_multiply(s, a.x), twofold_multiply(s, a.y), twofold_multiply(s, a.z)};
}

static twofold dot(vec a, vec b)
{
    return twofold_add(twofold_add(twofold_multiply(a.x, b.x), twofold_multiply(a.y, b.y)), twofold_multiply(a.z, b.z));
}

static twofold minor(twofold a, twofold d, twofold b, twofold c)
{
    return twofold_subtract(twofold_multiply(a, d), twofold_multiply(b, c));
}

static vec cross(vec a, vec b)
{
    return (vec){minor(a.y, b.z, a.z, b.y), minor(a.z, b.x, a.x, b.z), minor(a.x, b.y, a.y, b.x)};
}

static double length(vec a)
{
    return sqrt(dot(a, a).hi);
}

// ---- the nearest point, as in hull.c ------------------------------------------------------------------------

static vec on_segment(vec p, vec d)
{
    const twofold along = twofold_negate(dot(p, d)), length2 = dot(d, d);
    if (!(along.hi > 0))
        return p;
    if (!(twofold_subtract(length2, along).hi > 0))
        return add(p, d);
    return add(p, multiply(twofold_divide(along, length2), d));
}

static vec shorter(vec a, vec b)
{
    return dot(b, b).hi < dot(a, a).hi ? b : a;
}

static vec on_plane(vec p, vec n)
{
    return multiply(twofold_divide(dot(p, n), dot(n, n)), n);
}

static vec on_triangle(const vec *w)
{
    const vec ab = subtract(w[1], w[0]), ac = subtract(w[2], w[0]), bc = subtract(w[2], w[1]);
    const vec n = cross(ab, ac);
    if (dot(cross(ab, n), w[0]).hi > 0 && dot(cross(bc, n), w[1]).hi > 0 && dot(cross(ac, n), w[2]).hi < 0)
        return on_plane(w[0], n);
    return shorter(shorter(on_segment(w[0], ab), on_segment(w[1], bc)), on_segment(w[0], ac));
}

static vec on_parallelogram(const vec *w)
{
    const vec e = subtract(w[2], w[0]), f = subtract(w[1], w[0]), n = cross(e, f);
    const twofold n2 = dot(n, n), s = dot(cross(f, w[0]), n), t = dot(cross(w[0], e), n);
    if (s.hi > 0 && t.hi > 0 && twofold_subtract(n2, s).hi > 0 && twofold_subtract(n2, t).hi > 0)
        return on_plane(w[0], n);
    return shorter(shorter(on_segment(w[0], e), on_segment(w[1], e)),
                   shorter(on_segment(w[0], f), on_segment(w[2], f)));
}

// ---- the march ----------------------------------------------------------------------------------------------

typedef struct exact_motion {
    nc_hull_kind kind;
    vec w0[4], travel[4];
    double size; // [m] largest coordinate
} exact_motion;

typedef struct moment {
    double t;
    vec w[4], n;
    double distance;
} moment;

static double largest(vec a)
{
    return fmax(fmax(fabs(a.x.hi), fabs(a.y.hi)), fabs(a.z.hi));
}

static exact_motion prepare(nc_hull_kind kind, const nc_vec3 start[4], const nc_vec3 end[4])
{
    exact_motion motion = {.kind = kind};
    for (int i = 0; i < (int)kind; i++) {
        const int a = kind == NC_HULL_TRIANGLE ? 0 : i / 2, b = kind == NC_HULL_TRIANGLE ? 1 + i : 2 + i % 2;
        const vec w1 = difference(end[a], end[b]);
        motion.w0[i] = difference(start[a], start[b]);
        motion.travel[i] = subtract(w1, motion.w0[i]);
        motion.size = fmax(motion.size, fmax(largest(motion.w0[i]), largest(w1)));
    }
    return motion;
}

static void evaluate(const exact_motion *motion, double t, moment *out)
{
    out->t = t;
    for (int i = 0; i < (int)motion->kind; i++)
        out->w[i] = add(motion->w0[i], scale(t, motion->travel[i]));
    out->n = motion->kind == NC_HULL_TRIANGLE ? on_triangle(out->w) : on_parallelogram(out->w);
    out->distance = length(out->n);
}

static double norm1(vec a)
{
    return fabs(a.x.hi) + fabs(a.y.hi) + fabs(a.z.hi);
}

static bool direction_separates(const exact_motion *motion, const moment *from, const moment *to, vec n_a, vec n_b,
                                double gap)
{
    const double n1 = fmax(norm1(n_a), norm1(n_b)), n2 = fmax(length(n_a), length(n_b));
    const double threshold = (gap * n2 + ROUNDING * n1 * motion->size) * (1 + 0x1p-48) + ABSOLUTE;
    bool apart = motion->size < 1e120 && n1 < 1e120;
    for (int i = 0; i < (int)motion->kind; i++) {
        const twofold middle = twofold_add(dot(n_a, to->w[i]), dot(n_b, from->w[i]));
        apart = apart && dot(n_a, from->w[i]).hi > threshold && dot(n_b, to->w[i]).hi > threshold &&
                0.5 * middle.hi > threshold;
    }
    return apart;
}

static bool stays_clear(const exact_motion *motion, const moment *from, const moment *to, double gap)
{
    return direction_separates(motion, from, to, from->n, to->n, gap) ||
           direction_separates(motion, from, to, from->n, from->n, gap);
}

// What the march is about, and the motion at both ends of its interval. Moments are large: those of later ends are
// computed again when their turn comes, and count as evaluations.
typedef struct exact_test {
    exact_motion motion;
    double gap, near; // [m] near: where it counts as reached
    moment from, to;
} exact_test;

static bool is_clear(void *ctx, const nc_march *m)
{
    const exact_test *e = ctx;
    return m->evaluations <= m->limit && stays_clear(&e->motion, &e->from, &e->to, e->gap);
}

static double advance(void *ctx, nc_march *m)
{
    exact_test *e = ctx;
    e->from = e->to;
    if (m->count > 1) {
        evaluate(&e->motion, m->ends[m->count - 2], &e->to);
        m->evaluations++;
    }
    return e->from.distance;
}

static bool is_hit(void *ctx, const nc_march *m)
{
    const exact_test *e = ctx;
    return !(m->distance > e->near);
}

// Where the distance would reach the gap at the rate of the last stretch, or the middle.
static double propose_time(const void *ctx, const nc_march *m)
{
    const exact_test *e = ctx;
    const double span = nc_march_end(m) - m->from, reach = NC_MARCH_RATE_SHARE * (m->distance - e->gap) / m->rate;
    return m->from + (m->failures == 0 && m->rate > 0 && reach < NC_MARCH_SPAN_SHARE * span ? reach : 0.5 * span);
}

static void evaluate_end(void *ctx, const nc_march *m)
{
    exact_test *e = ctx;
    evaluate(&e->motion, nc_march_end(m), &e->to);
}

nc_feature_sweep nc_sweep_linear_exact(nc_hull_kind kind, const nc_vec3 start[4], const nc_vec3 end[4],
                                       const nc_sweep_options *options)
{
    static const nc_march_test test = {is_clear, advance, is_hit, propose_time, evaluate_end};
    exact_test e = {.motion = prepare(kind, start, end), .gap = options->gap};
    e.near = options->gap * (1 + 0x1p-40) + NEAR * e.motion.size;
    evaluate(&e.motion, 0, &e.from);
    evaluate(&e.motion, 1, &e.to);
    nc_march m;
    nc_march_begin(&m, 0, 1, e.from.distance, NC_MARCH_EXACT_ENDS, 4 * options->limit);
    nc_verdict verdict = nc_march_run(&m, &test, &e);
    // No double between the two times, or the limit: near enough for the caller's tolerance is a hit all the same.
    if (verdict == NC_UNDECIDED && m.distance <= options->gap + options->tolerance)
        verdict = NC_HIT;
    const nc_vec3 nearest = {e.from.n.x.hi, e.from.n.y.hi, e.from.n.z.hi};
    return (nc_feature_sweep){verdict, m.from, nearest, m.evaluations, -1};
}
