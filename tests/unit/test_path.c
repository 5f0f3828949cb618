// Paths: evaluation and every bound, against the same formulas in long double and dense sampling in time.
#include "check.h"
#include "long_vec.h"

#include "motion/motion.h"

// The exact meaning of a path (motion.h), for the point that is `v` in the body's frame.
static lvec exact_point(const nc_path *path, nc_vec3 v, double t)
{
    const nc_quat q = path->start.q;
    const lvec i = {q.x, q.y, q.z}, p = widen(v);
    const long double n = (long double)q.w * q.w + ldot(i, i);
    const lvec ip = lcross(i, p), iip = lcross(i, ip);
    lvec y = ladd(ladd(p, 2 * (long double)q.w / n, ip), 2 / n, iip);
    y = ladd(y, 1, widen(path->start.x));
    for (int k = 0; k < path->count; k++) {
        const nc_segment *s = &path->segments[k];
        const double end = k + 1 < path->count ? path->segments[k + 1].begin : 1.0;
        const long double h = (long double)(t < end ? t : end) - s->begin;
        if (h <= 0)
            break;
        const lvec arm = lturn(s->eps, h, lturn(s->theta, h, ladd(y, -1, widen(s->a))));
        y = ladd(ladd(widen(s->a), h, widen(s->d)), 1, arm);
    }
    return y;
}

static nc_vec3 random_vector(nc_random *random, double size)
{
    return nc_v3(nc_random_range(random, -size, size), nc_random_range(random, -size, size),
                 nc_random_range(random, -size, size));
}

static double random_size(nc_random *random)
{
    return ldexp(1.0, (int)nc_random_range(random, -8, 8));
}

static nc_path random_path(nc_random *random)
{
    nc_pose pose = {random_vector(random, random_size(random)), {0, 0, 0, 0}};
    pose.q = nc_quat_normalize(nc_q4(nc_random_range(random, -1, 1), nc_random_range(random, -1, 1),
                                     nc_random_range(random, -1, 1), nc_random_range(random, 0.1, 1)));
    nc_path path = nc_path_free(pose, random_vector(random, random_size(random)),
                                random_vector(random, random_size(random)), random_vector(random, 1));
    if (nc_random_unit(random) < 0.5)
        return path;
    const int count = 1 + (int)nc_random_range(random, 0, NC_MAX_SEGMENTS);
    path.count = 0;
    for (int k = 0; k < count; k++) {
        nc_segment s = {.begin = (double)k / count};
        s.a = nc_add(pose.x, random_vector(random, random_size(random)));
        s.d = random_vector(random, random_size(random));
        s.theta = random_vector(random, random_size(random));
        assert_true(nc_path_extend(&path, s));
    }
    return path;
}

static nc_vec3 random_arm(nc_random *random, double radius)
{
    const nc_vec3 v = random_vector(random, 1);
    return nc_scale(0.999999 * radius / fmax(nc_norm(v), 1e-9), v);
}

static double distance_to(lvec exact, nc_vec3 computed)
{
    return (double)ldistance(exact, widen(computed));
}

static void evaluation_stays_within_the_rounding_budget(void **state)
{
    (void)state;
    nc_random random = {check_seed("evaluation", 21)};
    double tightest = 0;
    const int cases = check_effort(60000);
    for (int i = 0; i < cases; i++) {
        const nc_path path = random_path(&random);
        const double radius = random_size(&random), t = i % 4 == 0 ? 1.0 : nc_random_unit(&random);
        const nc_vec3 arm = random_arm(&random, radius);
        const double error = distance_to(exact_point(&path, arm, t), nc_pose_apply(nc_path_pose(&path, t), arm));
        const double bound = nc_path_error(&path, radius);
        if (!(error <= bound))
            print_error("case %d, %d segments\n", i, path.count);
        check_at_most(error, bound);
        tightest = fmax(tightest, error / bound);
    }
    print_message("largest error: %.3f of the bound\n", tightest);
    assert_true(tightest > 1e-3); // a bound a thousand times too large would be useless
}

// Largest distance from the chord, and length of the curve, at `samples` times of [t0, t1].
static void sample_curve(const nc_path *path, nc_vec3 arm, double t0, double t1, double *deviation, double *length)
{
    const int samples = 64;
    const lvec begin = exact_point(path, arm, t0), end = exact_point(path, arm, t1);
    lvec last = begin;
    for (int k = 1; k <= samples; k++) {
        const double part = (double)k / samples;
        const lvec y = exact_point(path, arm, t0 + part * (t1 - t0));
        const lvec chord = ladd(begin, part, ladd(end, -1, begin));
        *deviation = fmax(*deviation, (double)ldistance(y, chord));
        *length += (double)ldistance(y, last);
        last = y;
    }
}

static void travel_and_chord_bounds_are_never_violated(void **state)
{
    (void)state;
    nc_random random = {check_seed("bounds", 22)};
    double travel_tight = 0, chord_tight = 0;
    const int cases = check_effort(6000);
    for (int i = 0; i < cases; i++) {
        const nc_path path = random_path(&random);
        const double radius = random_size(&random);
        const nc_vec3 arm = random_arm(&random, radius);
        const int k = (int)nc_random_range(&random, 0, path.count);
        const double begin = path.segments[k].begin, end = k + 1 < path.count ? path.segments[k + 1].begin : 1.0;
        const double t0 = begin + (end - begin) * 0.5 * nc_random_unit(&random);
        const double t1 = t0 + (end - t0) * nc_random_unit(&random);
        double deviation = 0, length = 0;
        sample_curve(&path, arm, t0, t1, &deviation, &length);
        const double slack = 1e-12 * (1 + nc_norm(path.start.x)); // rounding of the sampled times
        check_at_most(length, nc_path_travel(&path, radius, t0, t1) + slack);
        check_at_most(deviation, nc_path_chord_deviation(&path, radius, t0, t1) + slack);
        travel_tight = fmax(travel_tight, length / nc_path_travel(&path, radius, t0, t1));
        if (deviation > 1e-6)
            chord_tight = fmax(chord_tight, deviation / nc_path_chord_deviation(&path, radius, t0, t1));
    }
    print_message("largest travel: %.3f of its bound; largest chord deviation: %.3f of its bound\n", travel_tight,
                  chord_tight);
    assert_true(travel_tight > 0.5 && chord_tight > 0.4);
}

static nc_path random_free_path(nc_random *random, nc_pose start)
{
    return nc_path_free(start, random_vector(random, random_size(random)), random_vector(random, 4),
                        random_vector(random, 0.5));
}

static nc_path nudged(nc_random *random, const nc_path *path)
{
    const double size = ldexp(1.0, (int)nc_random_range(random, -20, 1));
    nc_path other = *path;
    other.segments[0].d = nc_add(other.segments[0].d, random_vector(random, size));
    other.segments[0].theta = nc_add(other.segments[0].theta, random_vector(random, size));
    other.segments[0].eps = nc_add(other.segments[0].eps, random_vector(random, size));
    return other;
}

// Two points on free paths: how their distance changes over the step, and from one pair of paths to another.
static void approach_and_difference_bound_the_distance_of_two_points(void **state)
{
    (void)state;
    nc_random random = {check_seed("approach", 16)};
    double tight = 0;
    for (int i = 0; i < check_effort(4000); i++) {
        const nc_pose start_a = {random_vector(&random, 2), nc_quat_identity()};
        const nc_pose start_b = {random_vector(&random, 2), nc_quat_identity()};
        const nc_path a = random_free_path(&random, start_a), b = random_free_path(&random, start_b);
        const nc_path other_a = nudged(&random, &a), other_b = nudged(&random, &b);
        const double ra = random_size(&random), rb = random_size(&random);
        const nc_vec3 p = random_arm(&random, ra), q = random_arm(&random, rb);
        const double approach = nc_path_approach(&a, ra, &b, rb);
        const double difference = nc_path_difference(&other_a, &a.segments[0], ra, &other_b, &b.segments[0], rb);
        const double before = (double)ldistance(exact_point(&a, p, 0), exact_point(&b, q, 0));
        for (int k = 1; k <= 8; k++) {
            const double t = k / 8.0;
            const double here = (double)ldistance(exact_point(&a, p, t), exact_point(&b, q, t));
            const double there = (double)ldistance(exact_point(&other_a, p, t), exact_point(&other_b, q, t));
            assert_true(fabs(here - before) <= approach);
            assert_true(fabs(there - here) <= difference);
            tight = fmax(tight, fabs(there - here) / difference);
        }
    }
    print_message("largest share of the bound: %.2f\n", tight);
    assert_true(tight > 0.3);
}

static void swept_box_holds_every_point_at_every_time(void **state)
{
    (void)state;
    nc_random random = {check_seed("boxes", 23)};
    const int cases = check_effort(4000);
    for (int i = 0; i < cases; i++) {
        const nc_path path = random_path(&random);
        const double radius = random_size(&random);
        const double t0 = 0.5 * nc_random_unit(&random), t1 = t0 + (1 - t0) * nc_random_unit(&random);
        const nc_box box = nc_path_swept_box(&path, radius, t0, t1);
        for (int k = 0; k < 64; k++) {
            const double t = k == 0 ? t0 : k == 1 ? t1 : t0 + nc_random_unit(&random) * (t1 - t0);
            const lvec y = exact_point(&path, random_arm(&random, radius), t);
            assert_true(y.x >= box.lo.x && y.y >= box.lo.y && y.z >= box.lo.z);
            assert_true(y.x <= box.hi.x && y.y <= box.hi.y && y.z <= box.hi.z);
        }
    }
}

static void swept_box_of_a_box_holds_its_points_and_is_tight(void **state)
{
    (void)state;
    nc_random random = {check_seed("boxes of boxes", 25)};
    double loosest = 0;
    const int cases = check_effort(4000);
    for (int i = 0; i < cases; i++) {
        nc_path path = random_path(&random);
        if (i % 2 == 0) // a small turn, as in most steps: here the box must be tight
            path = nc_path_free(path.start, random_vector(&random, 1), random_vector(&random, 0.1), nc_v3(0, 0, 0));
        const nc_vec3 half = {1, nc_random_unit(&random), 0.01};
        const double radius = nc_norm(half);
        const double t0 = i % 2 == 0 ? 0 : 0.5 * nc_random_unit(&random), t1 = t0 + (1 - t0) * nc_random_unit(&random);
        const nc_box box = nc_path_swept_box_of(&path, (nc_box){nc_neg(half), half}, radius, t0, t1);
        nc_box seen = nc_box_empty();
        for (int k = 0; k < 64; k++) {
            const nc_vec3 v = {k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z};
            const double t = k < 8 ? t0 : k < 16 ? t1 : t0 + nc_random_unit(&random) * (t1 - t0);
            const lvec y = exact_point(&path, v, t);
            assert_true(y.x >= box.lo.x && y.y >= box.lo.y && y.z >= box.lo.z);
            assert_true(y.x <= box.hi.x && y.y <= box.hi.y && y.z <= box.hi.z);
            seen = nc_box_add(seen, nc_v3((double)y.x, (double)y.y, (double)y.z));
        }
        if (i % 2 == 0)
            loosest = fmax(loosest, (box.hi.x - box.lo.x) / (seen.hi.x - seen.lo.x));
    }
    print_message("with small turns a swept box is at most %.3f times as wide as what it holds\n", loosest);
    check_at_most(loosest, 1.5);
}

static void a_body_that_does_not_move_keeps_its_bits(void **state)
{
    (void)state;
    nc_random random = {check_seed("still", 24)};
    for (int i = 0; i < 1000; i++) {
        const nc_pose pose = random_path(&random).start;
        const nc_path still = nc_path_still(pose);
        const nc_pose now = nc_path_pose(&still, nc_random_unit(&random));
        assert_memory_equal(&now, &pose, sizeof pose);
        // A group that halts: zero motion about a point that is not the body's centre.
        nc_path halted = still;
        halted.segments[0].a = random_vector(&random, 10);
        const nc_pose end = nc_path_pose(&halted, 1.0);
        assert_memory_equal(&end, &pose, sizeof pose);
    }
}

static void many_turns_are_real(void **state)
{
    (void)state;
    const double turns = 1000.25;
    const nc_path path = nc_path_free((nc_pose){{0, 0, 0}, {1, 0, 0, 0}}, nc_v3(0, 0, 0),
                                      nc_v3(0, 0, 2 * NC_PI * turns), nc_v3(0, 0, 0));
    const nc_vec3 end = nc_pose_apply(nc_path_pose(&path, 1.0), nc_v3(1, 0, 0));
    check_near(end.x, 0, 1e-11);
    check_near(end.y, 1, 1e-11);
    check_near(nc_path_travel(&path, 1, 0, 1), 2 * NC_PI * turns, 1e-9);
    check_near(nc_path_chord_deviation(&path, 1, 0, 1), 2, 1e-9);
}

static void a_chord_across_a_segment_end_has_no_bound(void **state)
{
    (void)state;
    nc_path path = nc_path_still((nc_pose){{0, 0, 0}, {1, 0, 0, 0}});
    assert_true(nc_path_extend(&path, (nc_segment){.begin = 0.5, .d = {1, 0, 0}}));
    assert_true(isinf(nc_path_chord_deviation(&path, 1, 0.25, 0.75)));
    assert_true(nc_path_chord_deviation(&path, 1, 0.5, 0.75) == 0);
    for (int k = 2; k < NC_MAX_SEGMENTS; k++)
        assert_true(nc_path_extend(&path, (nc_segment){.begin = 0.5 + 0.05 * k}));
    assert_false(nc_path_extend(&path, (nc_segment){.begin = 0.99}));
}

static void a_path_with_a_bad_number_is_not_finite(void **state)
{
    (void)state;
    nc_path path = nc_path_still((nc_pose){{0, 0, 0}, {1, 0, 0, 0}});
    assert_true(nc_path_finite(&path));
    path.segments[0].eps.y = NAN;
    assert_false(nc_path_finite(&path));
    path.segments[0].eps.y = 0;
    path.start.q.w = INFINITY;
    assert_false(nc_path_finite(&path));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evaluation_stays_within_the_rounding_budget),
        cmocka_unit_test(travel_and_chord_bounds_are_never_violated),
        cmocka_unit_test(approach_and_difference_bound_the_distance_of_two_points),
        cmocka_unit_test(swept_box_holds_every_point_at_every_time),
        cmocka_unit_test(swept_box_of_a_box_holds_its_points_and_is_tight),
        cmocka_unit_test(a_body_that_does_not_move_keeps_its_bits),
        cmocka_unit_test(many_turns_are_real),
        cmocka_unit_test(a_chord_across_a_segment_end_has_no_bound),
        cmocka_unit_test(a_path_with_a_bad_number_is_not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
