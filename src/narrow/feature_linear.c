// Two features whose corners move in straight lines: when do they first come within the gap?
#include "narrow/march.h"

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

// What the march is about, and the motion at its times.
typedef struct linear_test {
    linear_motion motion;
    double gap, near;                 // [m] near: where it is as good as reached
    moment from;                      // clear until from.t
    moment later[NC_MARCH_MAX_LATER]; // at the ends of intervals that are not clear yet, the nearest last
} linear_test;

static bool is_clear(void *ctx, const nc_march *m)
{
    const linear_test *l = ctx;
    return stays_clear(&l->motion, &l->from, &l->later[m->count - 1], l->gap);
}

static double advance(void *ctx, nc_march *m)
{
    linear_test *l = ctx;
    l->from = l->later[m->count - 1];
    return nc_norm(l->from.n);
}

static bool is_hit(void *ctx, const nc_march *m)
{
    const linear_test *l = ctx;
    return !(m->distance > l->near);
}

// A time in the interval that is worth trying next. Any time gives a verdict that holds: a clear one is proven, and no
// impact is earlier than a time of impact. Which double within the tolerance that time is depends on it.
static double propose_time(const void *ctx, const nc_march *m)
{
    const linear_test *l = ctx;
    const moment *to = &l->later[m->count - 1];
    const double span = to->t - m->from, lasts = plane_lasts(&l->motion, &l->from, to, l->gap);
    const double jump = m->from + NC_MARCH_PLANE_SHARE * lasts * span, middle = m->from + 0.5 * span;
    double t = middle;
    if (m->failures == 0 && m->rate > 0) // where the distance would reach the tolerance at the rate of the last stretch
        t = fmin(m->from + NC_MARCH_RATE_SHARE * (m->distance - 0.5 * (l->gap + l->near)) / m->rate,
                 m->from + NC_MARCH_SPAN_SHARE * span);
    else if (m->failures >= 2)
        t = jump;
    return fmax(t, jump);
}

static void evaluate_end(void *ctx, const nc_march *m)
{
    linear_test *l = ctx;
    evaluate(&l->motion, nc_march_end(m), &l->later[m->count - 1]);
}

static nc_feature_sweep sweep_doubles(nc_hull_kind kind, const nc_vec3 start[4], const nc_vec3 end[4],
                                      const nc_sweep_options *options)
{
    static const nc_march_test test = {is_clear, advance, is_hit, propose_time, evaluate_end};
    linear_test l;
    l.motion = prepare(kind, start, end);
    if (apart_on_an_axis(&l.motion, options->gap))
        return (nc_feature_sweep){NC_CLEAR, 1.0, {0, 0, 0}, 0, -1};
    l.gap = options->gap;
    l.near = options->gap + options->tolerance;
    evaluate(&l.motion, 0.0, &l.from);
    evaluate(&l.motion, 1.0, &l.later[0]);
    nc_march m;
    nc_march_begin(&m, 0.0, 1.0, nc_norm(l.from.n), NC_MARCH_MAX_LATER, options->limit);
    const nc_verdict verdict = nc_march_run(&m, &test, &l);
    return (nc_feature_sweep){verdict, m.from, l.from.n, m.evaluations, -1};
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
