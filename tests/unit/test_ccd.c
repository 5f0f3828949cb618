// Swept features: queries that collide exactly by construction are never missed and never reported late.
#include "check.h"
#include "long_vec.h"

#include "narrow/narrow.h"

#include <dirent.h>

// ---- whole numbers, so that everything below is exact -------------------------------------------------------

static double whole(nc_random *random, double size)
{
    return floor(nc_random_range(random, -size, size + 1));
}

static nc_vec3 whole_vector(nc_random *random, double size)
{
    const double x = whole(random, size), y = whole(random, size);
    return nc_v3(x, y, whole(random, size));
}

typedef enum family {
    GENERIC,
    PLANAR,      // everything stays in one plane
    PARALLEL,    // edges parallel, or the vertex slides along the triangle's plane
    TRANSLATION, // each feature moves as one
    TOUCH_START, // t = 0
    TOUCH_END,   // t = 1
    STILL,       // one feature does not move
    POINTLIKE,   // repeated corners
    FAMILIES
} family;

static const char *family_names[FAMILIES] = {"generic",     "planar",    "parallel", "translation",
                                             "touch start", "touch end", "still",    "point-like"};

typedef struct query {
    nc_hull_kind kind;
    nc_vec3 start[4], end[4];
    double impact; // exactly colliding at this time
} query;

// Corners at impact: a point of the first feature is a point of the second. Weights are sixteenths, coordinates
// multiples of 16, so the point is exact.
static void meet_at_impact(nc_random *random, nc_hull_kind kind, family f, nc_vec3 at[4])
{
    nc_vec3 c[4];
    for (int i = 0; i < 4; i++) {
        c[i] = nc_scale(256, whole_vector(random, 64));
        if (f == PLANAR)
            c[i].z = 0;
    }
    if (f == POINTLIKE)
        c[2] = c[1];
    const double s = floor(nc_random_range(random, 0, 17)) / 16, r = floor(nc_random_range(random, 0, 17)) / 16;
    if (kind == NC_HULL_TRIANGLE) {
        const nc_vec3 ab = nc_sub(c[2], c[1]), ac = nc_sub(c[3], c[1]);
        at[1] = c[1], at[2] = c[2], at[3] = c[3];
        at[0] = nc_add(c[1], nc_add(nc_scale(s * (1 - r), ab), nc_scale(s * r, ac)));
    } else {
        const nc_vec3 p = nc_madd(c[0], s, nc_sub(c[1], c[0])); // on the first edge
        const nc_vec3 d = f == PARALLEL ? nc_sub(c[1], c[0]) : nc_sub(c[3], c[2]);
        at[0] = c[0], at[1] = c[1];
        at[2] = nc_madd(p, -r, d);
        at[3] = nc_madd(p, 1 - r, d);
    }
}

static query make_query(nc_random *random, nc_hull_kind kind, family f)
{
    query q = {.kind = kind};
    nc_vec3 at[4], travel[4];
    meet_at_impact(random, kind, f, at);
    q.impact = f == TOUCH_START ? 0 : f == TOUCH_END ? 1 : floor(nc_random_range(random, 0, 1025)) / 1024;
    const int first = kind == NC_HULL_TRIANGLE ? 1 : 2;
    for (int i = 0; i < 4; i++) {
        travel[i] = nc_scale(1024, whole_vector(random, 16));
        if (f == PLANAR)
            travel[i].z = 0;
        if (f == TRANSLATION)
            travel[i] = travel[i < first ? 0 : first];
        if (f == STILL && i < first)
            travel[i] = nc_v3(0, 0, 0);
        if (f == PARALLEL && kind == NC_HULL_TRIANGLE)
            travel[i] = i == 0 ? nc_sub(at[1], at[2]) : nc_v3(0, 0, 0);
    }
    for (int i = 0; i < 4; i++) {
        q.start[i] = nc_madd(at[i], -q.impact, travel[i]);
        q.end[i] = nc_madd(at[i], 1 - q.impact, travel[i]);
    }
    return q;
}

// Moves and scales a query exactly: far from the origin, tiny, huge.
static void place_query(nc_random *random, query *q, int how)
{
    const double scale = how == 2 ? 0x1p-90 : how == 3 ? 0x1p+70 : 1;
    const nc_vec3 shift = how == 1 ? nc_scale(0x1p+24, whole_vector(random, 0x1p+10)) : nc_v3(0, 0, 0);
    for (int i = 0; i < 4; i++) {
        q->start[i] = nc_add(nc_scale(scale, q->start[i]), shift);
        q->end[i] = nc_add(nc_scale(scale, q->end[i]), shift);
    }
}

static void exactly_colliding_features_are_never_missed(void **state)
{
    (void)state;
    nc_random random = {check_seed("colliding", 60)};
    const int cases = check_effort(500000);
    long undecided = 0, evaluations = 0;
    for (int i = 0; i < cases; i++) {
        const family f = (family)(i / 2 % FAMILIES);
        query q = make_query(&random, i % 2 == 0 ? NC_HULL_TRIANGLE : NC_HULL_PARALLELOGRAM, f);
        const int how = (int)(nc_random_u64(&random) % 4);
        place_query(&random, &q, how);
        const double tolerances[] = {1e-6, 1e-3, 1e-12};
        const nc_sweep_options options = {.gap = i % 5 == 0 ? 1e-3 : 0, .tolerance = tolerances[i % 3], .limit = 500};
        const nc_feature_sweep sweep = nc_sweep_linear(q.kind, q.start, q.end, &options);
        if (sweep.verdict == NC_CLEAR || !(sweep.toi <= q.impact)) {
            print_error("case %d, %s, placed %d: impact at %.17g, verdict %d at %.17g\n", i, family_names[f], how,
                        q.impact, (int)sweep.verdict, sweep.toi);
            fail();
        }
        undecided += sweep.verdict == NC_UNDECIDED;
        evaluations += sweep.evaluations;
    }
    print_message("%d queries: %.2f%% undecided, %.1f evaluations each\n", cases, 100.0 * (double)undecided / cases,
                  (double)evaluations / cases);
}

static void twofold_arithmetic_misses_nothing_either(void **state)
{
    (void)state;
    nc_random random = {check_seed("twofold", 66)};
    const int cases = check_effort(4000);
    for (int i = 0; i < cases; i++) {
        const family f = (family)(i / 2 % FAMILIES);
        query q = make_query(&random, i % 2 == 0 ? NC_HULL_TRIANGLE : NC_HULL_PARALLELOGRAM, f);
        place_query(&random, &q, (int)(nc_random_u64(&random) % 4));
        const nc_sweep_options options = {.gap = i % 5 == 0 ? 1e-3 : 0, .tolerance = 1e-6, .limit = 300, .exact = true};
        const nc_feature_sweep sweep = nc_sweep_linear(q.kind, q.start, q.end, &options);
        if (sweep.verdict == NC_CLEAR || !(sweep.toi <= q.impact))
            print_error("case %d, %s: impact at %.17g, verdict %d at %.17g\n", i, family_names[f], q.impact,
                        (int)sweep.verdict, sweep.toi);
        assert_true(sweep.verdict != NC_CLEAR && sweep.toi <= q.impact);
    }
}

// A vertex that passes a slanted edge one unit in the last place away: a hit for doubles, clear for twofolds.
static void twofold_arithmetic_tells_near_from_touching(void **state)
{
    (void)state;
    const nc_vec3 start[4] = {{0.5, 0.5 - 0x1p-54, 1}, {0, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    nc_vec3 end[4] = {start[0], start[1], start[2], start[3]};
    end[0].z = -1;
    nc_sweep_options options = {.gap = 0, .tolerance = 1e-6, .limit = 300};
    assert_int_equal(nc_sweep_linear(NC_HULL_TRIANGLE, start, end, &options).verdict, NC_HIT);
    options.exact = true;
    assert_int_equal(nc_sweep_linear(NC_HULL_TRIANGLE, start, end, &options).verdict, NC_CLEAR);
}

static void features_that_stay_apart_are_usually_clear(void **state)
{
    (void)state;
    nc_random random = {check_seed("apart", 61)};
    int clear = 0;
    const int cases = check_effort(20000);
    for (int i = 0; i < cases; i++) {
        query q = make_query(&random, i % 2 == 0 ? NC_HULL_TRIANGLE : NC_HULL_PARALLELOGRAM, TRANSLATION);
        // Push the first feature off along a direction in which it never comes back.
        const nc_vec3 off = nc_v3(0, 0, 1e5);
        for (int k = 0; k < (q.kind == NC_HULL_TRIANGLE ? 1 : 2); k++) {
            q.start[k] = nc_add(q.start[k], off);
            q.end[k] = nc_add(q.end[k], off);
        }
        const nc_sweep_options options = {.gap = 1, .tolerance = 1e-6, .limit = 100};
        clear += nc_sweep_linear(q.kind, q.start, q.end, &options).verdict == NC_CLEAR;
    }
    assert_int_equal(clear, cases);
}

// A hit is near: at toi the features really are within gap and tolerance.
static void hits_are_near(void **state)
{
    (void)state;
    nc_random random = {check_seed("near", 62)};
    int hits = 0;
    for (int i = 0; i < 20000; i++) {
        const query q = make_query(&random, i % 2 == 0 ? NC_HULL_TRIANGLE : NC_HULL_PARALLELOGRAM, GENERIC);
        const nc_sweep_options options = {.gap = 0.5, .tolerance = 0.01, .limit = 500};
        const nc_feature_sweep sweep = nc_sweep_linear(q.kind, q.start, q.end, &options);
        if (sweep.verdict != NC_HIT)
            continue;
        hits++;
        nc_vec3 at[4];
        for (int k = 0; k < 4; k++)
            at[k] = nc_madd(q.start[k], sweep.toi, nc_sub(q.end[k], q.start[k]));
        const nc_distance d = q.kind == NC_HULL_TRIANGLE ? nc_distance_point_triangle(at[0], at + 1)
                                                         : nc_distance_segment_segment(at, at + 2);
        check_at_most(d.lower_bound, 0.5 + 0.01 + 1e-9);
    }
    assert_true(hits > 19000);
}

// ---- bad numbers --------------------------------------------------------------------------------------------

static void bad_numbers_are_never_called_clear(void **state)
{
    (void)state;
    nc_random random = {check_seed("bad", 63)};
    const double bad[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300, 1e-300, 0x1p-1074, -0.0};
    const nc_sweep_options options = {.gap = 0, .tolerance = 1e-6, .limit = 200};
    for (int i = 0; i < 100000; i++) {
        query q = make_query(&random, i % 2 == 0 ? NC_HULL_TRIANGLE : NC_HULL_PARALLELOGRAM, (family)(i % FAMILIES));
        const int which = (int)(nc_random_u64(&random) % 8);
        nc_vec3 *v = nc_random_u64(&random) % 2 ? q.start : q.end;
        v += nc_random_u64(&random) % 4;
        *(i % 3 == 0 ? &v->x : i % 3 == 1 ? &v->y : &v->z) = bad[which];
        const nc_feature_sweep sweep = nc_sweep_linear(q.kind, q.start, q.end, &options);
        if (which < 3)
            assert_int_not_equal(sweep.verdict, NC_CLEAR);
        assert_true(sweep.toi >= 0 && sweep.toi <= 1);
    }
}

// ---- curved motion ------------------------------------------------------------------------------------------

// The arm of body point v at time t on a free path, from the centre.
static lvec arm_at(const nc_path *path, nc_vec3 v, double t)
{
    const nc_quat q = path->start.q;
    const lvec i = {q.x, q.y, q.z}, p = widen(v);
    const long double n = (long double)q.w * q.w + ldot(i, i);
    const lvec ip = lcross(i, p);
    const lvec y = ladd(ladd(p, 2 * (long double)q.w / n, ip), 2 / n, lcross(i, ip));
    return lturn(path->segments[0].eps, t, lturn(path->segments[0].theta, t, y));
}

static nc_vec3 random_vector(nc_random *random, double size)
{
    const double x = nc_random_range(random, -size, size), y = nc_random_range(random, -size, size);
    return nc_v3(x, y, nc_random_range(random, -size, size));
}

static nc_path random_spin(nc_random *random, double travel, double turn)
{
    const nc_pose pose = {random_vector(random, 1), nc_quat_from_rotation_vector(random_vector(random, 3))};
    return nc_path_free(pose, random_vector(random, travel), random_vector(random, turn), random_vector(random, 0.2));
}

// Where the two features touch, in the frames of their bodies; both are points of their features.
static void contact_points(const nc_feature_pair *f, double s, double r, nc_vec3 *first, nc_vec3 *second)
{
    if (f->kind == NC_HULL_TRIANGLE) {
        const nc_vec3 ab = nc_sub(f->corner[2], f->corner[1]), ac = nc_sub(f->corner[3], f->corner[1]);
        *first = f->corner[0];
        *second = nc_add(f->corner[1], nc_add(nc_scale(s * (1 - r), ab), nc_scale(s * r, ac)));
    } else {
        *first = nc_madd(f->corner[0], s, nc_sub(f->corner[1], f->corner[0]));
        *second = nc_madd(f->corner[2], r, nc_sub(f->corner[3], f->corner[2]));
    }
}

// Moves A's start so that the two points coincide at time t, to about 1e-16 of the sizes involved.
static void meet_at(nc_path *a, const nc_path *b, nc_vec3 in_a, nc_vec3 in_b, double t)
{
    const lvec pb = ladd(ladd(arm_at(b, in_b, t), 1, widen(b->start.x)), t, widen(b->segments[0].d));
    const lvec x = ladd(ladd(pb, -1, arm_at(a, in_a, t)), -t, widen(a->segments[0].d));
    a->start.x = nc_v3((double)x.x, (double)x.y, (double)x.z);
    a->segments[0].a = a->start.x;
}

static void curved_impacts_are_never_missed(void **state)
{
    (void)state;
    nc_random random = {check_seed("curved", 64)};
    const int cases = check_effort(100000);
    long undecided = 0, evaluations = 0;
    for (int i = 0; i < cases; i++) {
        const double turn = ldexp(1.0, (int)nc_random_range(&random, -6, 6));
        nc_path pa = random_spin(&random, 2, turn);
        const nc_path pb = random_spin(&random, 2, turn);
        nc_feature_pair f = {i % 2 == 0 ? NC_HULL_TRIANGLE : NC_HULL_PARALLELOGRAM, i % 4 < 3, {{0, 0, 0}}};
        f.first_in_a = f.first_in_a || f.kind == NC_HULL_PARALLELOGRAM;
        for (int k = 0; k < 4; k++)
            f.corner[k] = random_vector(&random, 1);
        const double impact = i % 7 == 0 ? 1.0 : i % 11 == 0 ? 0.0 : nc_random_unit(&random);
        nc_vec3 first, second;
        contact_points(&f, nc_random_unit(&random), nc_random_unit(&random), &first, &second);
        meet_at(&pa, &pb, f.first_in_a ? first : second, f.first_in_a ? second : first, impact);
        static nc_pair_motion pair;
        nc_pair_begin(&pair, &pa, 2, &pb, 2, false);
        nc_pair_interval(&pair, 0, 1);
        // They touch within 1e-14 at `impact`; a gap of 1e-12 must see it.
        const nc_mesh_sweep_options options = {
            .gap = {i % 3 == 0 ? 1e-12 : 1e-4, 0, 0}, .tolerance = 1e-6, .limit = 2000};
        double bound = INFINITY;
        const nc_feature_sweep sweep = nc_sweep_curved(&pair, &f, 0, 1, &options, &bound);
        if (sweep.verdict == NC_CLEAR || !(sweep.toi <= impact)) {
            print_error("case %d: impact at %.17g, verdict %d at %.17g\n", i, impact, (int)sweep.verdict, sweep.toi);
            fail();
        }
        undecided += sweep.verdict == NC_UNDECIDED;
        evaluations += sweep.evaluations;
    }
    print_message("%d curved impacts: %.2f%% undecided, %.1f evaluations each\n", cases,
                  100.0 * (double)undecided / cases, (double)evaluations / cases);
    assert_true(undecided < cases / 100);
}

// English's Figure 5: a rod swings past a point; along the chords of its ends it misses, along the circle it hits.
static void chords_miss_what_the_curve_hits(void **state)
{
    (void)state;
    const nc_vec3 zero = {0, 0, 0}, y = {0, 1, 0};
    // An edge along y, rho = 1, that turns by 2 rad about z; a spike parallel to z at (-sin 1, cos 1) r, r = 0.9.
    double s, c;
    nc_sincos(1.0, &s, &c);
    const nc_path rod = nc_path_free((nc_pose){zero, {1, 0, 0, 0}}, zero, nc_v3(0, 0, 2), zero);
    const nc_path spike = nc_path_still((nc_pose){{-0.9 * s, 0.9 * c, 0}, {1, 0, 0, 0}});
    const nc_vec3 start[4] = {{0, 0.5, 0}, y, {-0.9 * s, 0.9 * c, -1}, {-0.9 * s, 0.9 * c, 1}};
    nc_vec3 end[4] = {start[0], start[1], start[2], start[3]};
    end[0] = nc_pose_apply(nc_path_pose(&rod, 1), start[0]);
    end[1] = nc_pose_apply(nc_path_pose(&rod, 1), start[1]);
    const nc_sweep_options chord = {.gap = 0, .tolerance = 1e-6, .limit = 200};
    assert_int_equal(nc_sweep_linear(NC_HULL_PARALLELOGRAM, start, end, &chord).verdict, NC_CLEAR);
    const nc_feature_pair f = {NC_HULL_PARALLELOGRAM, true, {{0, 0.5, 0}, y, {0, 0, -1}, {0, 0, 1}}};
    static nc_pair_motion pair;
    nc_pair_begin(&pair, &rod, 1, &spike, 1, false);
    nc_pair_interval(&pair, 0, 1);
    const nc_mesh_sweep_options curve = {.gap = {0, 0, 0}, .tolerance = 1e-6, .limit = 200};
    double bound = INFINITY;
    const nc_feature_sweep sweep = nc_sweep_curved(&pair, &f, 0, 1, &curve, &bound);
    assert_int_equal(sweep.verdict, NC_HIT);
    check_near(sweep.toi, 0.5, 1e-5);
    assert_true(sweep.toi <= 0.5);
}

static void the_gap_leaves_room_and_never_wears_away(void **state)
{
    (void)state;
    const nc_gap_rule rule = {1e-3, 1e-3 / 16, 1e-9};
    check_near(nc_gap_for(&rule, 1.0), 1e-3, 0);
    check_near(nc_gap_for(&rule, 1.2e-3), 0.9e-3, 1e-18);
    nc_random random = {check_seed("gaps", 65)};
    for (int i = 0; i < 100000; i++) {
        const double d0 = nc_random_range(&random, 2e-9, 3e-3), g = nc_gap_for(&rule, d0);
        assert_true(g < d0 && g <= rule.floor);         // it can always part
        assert_true(d0 > rule.delta || g >= d0 - 2e-9); // below delta it loses at most sigma
    }
}

// ---- the public benchmark -----------------------------------------------------------------------------------

typedef struct benchmark {
    int queries, colliding, missed, false_hits, far_hits, exact_missed, exact_false_hits;
} benchmark;

static bool read_corner(FILE *file, nc_vec3 *v, int *truth)
{
    char line[2048];
    if (fgets(line, sizeof line, file) == NULL)
        return false;
    double number[6];
    char *cursor = line;
    for (int i = 0; i < 6; i++) {
        number[i] = strtod(cursor, &cursor);
        cursor += *cursor == ',';
    }
    *v = nc_v3(number[0] / number[1], number[2] / number[3], number[4] / number[5]);
    *truth = atoi(cursor);
    return true;
}

// A lower bound of the true smallest distance, by dense sampling less what can happen between samples.
static double smallest_distance(const query *q)
{
    double least = INFINITY, speed = 0;
    for (int k = 0; k < 4; k++)
        speed = fmax(speed, nc_norm(nc_sub(q->end[k], q->start[k])));
    const int samples = 20000;
    for (int i = 0; i <= samples; i++) {
        nc_vec3 at[4];
        for (int k = 0; k < 4; k++)
            at[k] = nc_madd(q->start[k], (double)i / samples, nc_sub(q->end[k], q->start[k]));
        const nc_distance d = q->kind == NC_HULL_TRIANGLE ? nc_distance_point_triangle(at[0], at + 1)
                                                          : nc_distance_segment_segment(at, at + 2);
        least = fmin(least, d.lower_bound);
    }
    return least - 2 * speed / samples / 2;
}

static void judge_query(const query *q, bool truth, benchmark *sum)
{
    nc_sweep_options options = {.gap = 0, .tolerance = 1e-6, .limit = 1000};
    const nc_feature_sweep sweep = nc_sweep_linear(q->kind, q->start, q->end, &options);
    options.exact = true;
    const bool exact_clear = nc_sweep_linear(q->kind, q->start, q->end, &options).verdict == NC_CLEAR;
    sum->exact_missed += truth && exact_clear;
    sum->exact_false_hits += !truth && !exact_clear;
    sum->queries++;
    sum->colliding += truth;
    if (truth && sweep.verdict == NC_CLEAR)
        sum->missed++;
    if (!truth && sweep.verdict != NC_CLEAR) {
        sum->false_hits++;
        sum->far_hits += smallest_distance(q) > 1e-6 + 1e-12;
    }
}

static void read_file(const char *path, nc_hull_kind kind, benchmark *sum)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    query q = {.kind = kind};
    int truth = 0;
    for (int row = 0; read_corner(file, row < 4 ? &q.start[row] : &q.end[row - 4], &truth); row = (row + 1) % 8)
        if (row == 7)
            judge_query(&q, truth != 0, sum);
    fclose(file);
}

static void read_folder(const char *path, nc_hull_kind kind, benchmark *sum)
{
    DIR *folder = opendir(path);
    if (folder == NULL)
        return;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char name[1024];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        read_file(name, kind, sum);
    }
    closedir(folder);
}

static void the_public_benchmark_shows_no_miss(void **state)
{
    (void)state;
    const char *root = getenv("NACRE_CCD_QUERIES");
    DIR *sets = root != NULL ? opendir(root) : NULL;
    if (sets == NULL) {
        print_message(
            "DATA ABSENT: the_public_benchmark_shows_no_miss: NACRE_CCD_QUERIES names no folder of queries\n");
        skip();
    }
    benchmark sum = {0};
    for (const struct dirent *entry; (entry = readdir(sets)) != NULL;) {
        char name[1024];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(name, sizeof name, "%s/%s/vertex-face", root, entry->d_name);
        read_folder(name, NC_HULL_TRIANGLE, &sum);
        snprintf(name, sizeof name, "%s/%s/edge-edge", root, entry->d_name);
        read_folder(name, NC_HULL_PARALLELOGRAM, &sum);
    }
    closedir(sets);
    print_message("%d queries, %d colliding: %d missed, %d false hits, %d of them farther than the tolerance; "
                  "with twofolds %d missed, %d false hits\n",
                  sum.queries, sum.colliding, sum.missed, sum.false_hits, sum.far_hits, sum.exact_missed,
                  sum.exact_false_hits);
    assert_true(sum.queries > 1000);
    assert_int_equal(sum.missed, 0);
    assert_int_equal(sum.far_hits, 0);
    assert_int_equal(sum.exact_missed, 0);
    assert_true(1000 * sum.exact_false_hits <= 2 * sum.queries);
}

// Edges of one straight crack, end to end: their parallelogram has no area, and the normal of it is rounding.
static void edges_in_one_line_are_as_far_apart_as_their_ends(void **state)
{
    (void)state;
    uint64_t dice = check_seed("edges_in_one_line_are_as_far_apart_as_their_ends", 5);
    for (int k = 0; k < 20000; k++) {
        double r[6];
        for (int i = 0; i < 6; i++) {
            dice = nc_hash_u64(dice, 1);
            r[i] = (double)(dice >> 11) * 0x1p-53;
        }
        const nc_vec3 u = nc_scale(1 / nc_norm(nc_v3(r[0], r[1], r[2])), nc_v3(r[0], r[1], r[2]));
        const double gap = 1e-3 * (1 + r[3]), ends[4] = {-r[4] - 0.01, 0, gap, gap + r[5] + 0.01};
        nc_vec3 w[4];
        for (int i = 0; i < 4; i++)
            w[i] = nc_sub(nc_scale(ends[i / 2], u), nc_scale(ends[2 + i % 2], u));
        check_near(nc_norm(nc_hull_nearest(NC_HULL_PARALLELOGRAM, w)), gap, 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_in_one_line_are_as_far_apart_as_their_ends),
        cmocka_unit_test(exactly_colliding_features_are_never_missed),
        cmocka_unit_test(twofold_arithmetic_misses_nothing_either),
        cmocka_unit_test(twofold_arithmetic_tells_near_from_touching),
        cmocka_unit_test(features_that_stay_apart_are_usually_clear),
        cmocka_unit_test(hits_are_near),
        cmocka_unit_test(bad_numbers_are_never_called_clear),
        cmocka_unit_test(curved_impacts_are_never_missed),
        cmocka_unit_test(chords_miss_what_the_curve_hits),
        cmocka_unit_test(the_gap_leaves_room_and_never_wears_away),
        cmocka_unit_test(the_public_benchmark_shows_no_miss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
