// Two features whose corners move in straight lines: when do they first come within the gap?
#include "narrow/narrow.h"

typedef struct linear_motion {
    nc_hull_kind kind;
    nc_vec3 w0[4], w1[4]; // differences at t = 0 and 1, rounded once
    nc_box box;           // [m] of all of them
    double size;          // [m] largest coordinate of any of them; NaN if one is NaN
} linear_motion;

// The motion at one time.
typedef struct moment {
    double t;
    nc_vec3 w[4];
    nc_vec3 n; // from the origin to the nearest point of the hull
} moment;

static void differences(nc_hull_kind kind, const nc_vec3 corner[4], nc_vec3 *w)
{
    if (kind == NC_HULL_TRIANGLE) {
        for (int i = 0; i < 3; i++)
            w[i] = nc_sub(corner[0], corner[1 + i]);
    } else {
        for (int i = 0; i < 4; i++)
            w[i] = nc_sub(corner[i / 2], corner[2 + i % 2]);
    }
}

static linear_motion prepare(nc_hull_kind kind, const nc_vec3 start[4], const nc_vec3 end[4])
{
    linear_motion motion;
    motion.kind = kind;
    differences(kind, start, motion.w0);
    differences(kind, end, motion.w1);
    nc_box box = {motion.w0[0], motion.w0[0]};
    double sum = 0; // finite if all are; adding keeps NaN, which comparisons would lose
    for (int i = 0; i < (int)kind; i++) {
        box = nc_box_add(nc_box_add(box, motion.w0[i]), motion.w1[i]);
        sum += (motion.w0[i].x + motion.w0[i].y + motion.w0[i].z) + (motion.w1[i].x + motion.w1[i].y + motion.w1[i].z);
    }
    motion.box = box;
    motion.size = sum - sum == 0 ? fmax(nc_max3(box.lo), nc_max3(box.hi)) : NAN;
    return motion;
}

static void evaluate(const linear_motion *motion, double t, moment *out)
{
    out->t = t;
    const double r = 1.0 - t;
    for (int i = 0; i < (int)motion->kind; i++) {
        const nc_vec3 a = motion->w0[i], b = motion->w1[i];
        out->w[i] = t == 0 ? a : t == 1 ? b : nc_v3(r * a.x + t * b.x, r * a.y + t * b.y, r * a.z + t * b.z);
    }
    out->n = nc_hull_nearest(motion->kind, out->w);
}

// Is one coordinate enough to keep them apart all the time? The cheapest certificate: n along an axis. The corners'
// subtraction was rounded once, an error of u relatively.
static bool apart_on_an_axis(const linear_motion *motion, double gap)
{
    const double m = gap * (1.0 + 8.0 * NC_UNIT_ROUNDOFF) + 1e-300;
    const nc_vec3 lo = motion->box.lo, hi = motion->box.hi;
    return motion->size < INFINITY && (lo.x > m || lo.y > m || lo.z > m || hi.x < -m || hi.y < -m || hi.z < -m);
}

// How far towards `to` the plane across from->n alone keeps them apart, as a part of the way.
static double plane_lasts(const linear_motion *motion, const moment *from, const moment *to, double margin)
{
    const double length = nc_norm(from->n);
    double part = 1;
    for (int i = 0; i < (int)motion->kind; i++) {
        const double now = nc_dot(from->n, from->w[i]) - margin * length;
        const double then = nc_dot(from->n, to->w[i]) - margin * length;
        if (!(then > 0))
            part = fmin(part, now / (now - then));
    }
    return part;
}

static bool stays_clear(const linear_motion *motion, const moment *from, const moment *to, double gap)
{
    const nc_points hull = {from->w, to->w, (int)motion->kind};
    return nc_certificate_bound_hull(hull, from->n, to->n, motion->size, gap) > gap;
}

// Where the march stands: clear until from.t.
typedef struct march {
    moment from;
    moment later[NC_MARCH_MAX_LATER]; // ends of intervals that are not clear yet, the nearest last
    int later_count;
    int evaluations;
    int failures;          // at this `from`
    double rate, distance; // [m] at `from`, and by how much it fell a unit of time on the way there
} march;

// The end of the interval that is examined.
static const moment *next_end(const march *m)
{
    return &m->later[m->later_count - 1];
}

// A time in the interval that is worth trying next. Any time gives a verdict that holds: a clear one is proven, and no
// impact is earlier than a time of impact. Which double within the tolerance that time is depends on it.
static double propose_time(const linear_motion *motion, const march *m, double gap, double near)
{
    const double span = next_end(m)->t - m->from.t, lasts = plane_lasts(motion, &m->from, next_end(m), gap);
    const double jump = m->from.t + NC_MARCH_PLANE_SHARE * lasts * span, middle = m->from.t + 0.5 * span;
    double t = middle;
    if (m->failures == 0 && m->rate > 0) // where the distance would reach the tolerance at the rate of the last stretch
        t = fmin(m->from.t + NC_MARCH_RATE_SHARE * (m->distance - 0.5 * (gap + near)) / m->rate,
                 m->from.t + NC_MARCH_SPAN_SHARE * span);
    else if (m->failures >= 2)
        t = jump;
    return fmax(t, jump);
}

static nc_feature_sweep answer(nc_verdict verdict, const moment *at, int evaluations)
{
    nc_feature_sweep sweep = {verdict, at->t, at->n, evaluations, -1};
    return sweep;
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

static nc_feature_sweep sweep_doubles(nc_hull_kind kind, const nc_vec3 start[4], const nc_vec3 end[4],
                                      const nc_sweep_options *options)
{
    const linear_motion motion = prepare(kind, start, end);
    if (apart_on_an_axis(&motion, options->gap))
        return (nc_feature_sweep){NC_CLEAR, 1.0, {0, 0, 0}, 0, -1};
    const double near = options->gap + options->tolerance;
    march m;
    m.later_count = 1;
    m.evaluations = 2;
    m.failures = 0;
    m.rate = 0;
    evaluate(&motion, 0.0, &m.from);
    evaluate(&motion, 1.0, &m.later[0]);
    m.distance = nc_norm(m.from.n);
    while (m.later_count > 0) {
        if (stays_clear(&motion, &m.from, next_end(&m), options->gap)) {
            advance(&m);
            continue;
        }
        if (!(m.distance > near))
            return answer(NC_HIT, &m.from, m.evaluations);
        const double t = propose_time(&motion, &m, options->gap, near);
        if (!(m.from.t < t && t < next_end(&m)->t) || m.later_count == NC_MARCH_MAX_LATER ||
            m.evaluations >= options->limit)
            return answer(NC_UNDECIDED, &m.from, m.evaluations);
        evaluate(&motion, t, &m.later[m.later_count++]);
        m.evaluations++;
        m.failures++;
    }
    return answer(NC_CLEAR, &m.from, m.evaluations);
}

nc_feature_sweep nc_sweep_linear(nc_hull_kind kind, const nc_vec3 start[4], const nc_vec3 end[4],
                                 const nc_sweep_options *options)
{
    const nc_feature_sweep sweep = sweep_doubles(kind, start, end, options);
    if (sweep.verdict == NC_CLEAR || !options->exact)
        return sweep;
    const nc_feature_sweep exact = nc_sweep_linear_exact(kind, start, end, options);
    return exact.verdict == NC_CLEAR || exact.toi > sweep.toi ? exact : sweep;
}
