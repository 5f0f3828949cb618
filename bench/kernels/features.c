// Swept tests of two features: certificates against cubic roots, and true curves against straight paths.
#include "bench/kernels/queries.h"

#include "bench/bench.h"

#include <math.h>

enum {
    MADE_QUERIES = 4000, // where the public ones are not there
    PASSES = 20,         // over all queries in a round
    WORST_PASSES = 9,    // over all queries, each timed alone; its best time counts
    GROUPS = 200,        // pairs of bodies for the curved tests
    PER_GROUP = 16       // pairs of features of a pair of bodies
};

#define TOLERANCE 1e-6 // [m]

// ---- straight paths -----------------------------------------------------------------------------------------

typedef struct feature_bench {
    nc_swept_queries queries;
    int found, missed, false_hits;                   // by certificates
    int cubic_found, cubic_missed, cubic_false_hits; // by roots
} feature_bench;

static const nc_sweep_options sweep_options = {.gap = 0, .tolerance = TOLERANCE, .limit = 1000};

static bool certificate_collides(const nc_swept_query *q)
{
    return nc_sweep_linear(q->kind, q->start, q->end, &sweep_options).verdict != NC_CLEAR;
}

static nc_code sweep_all(void *ctx, nc_error *err)
{
    feature_bench *b = ctx;
    (void)err;
    b->found = 0;
    for (int pass = 0; pass < PASSES; pass++)
        for (int i = 0; i < b->queries.count; i++)
            b->found += certificate_collides(&b->queries.items[i]);
    return NC_OK;
}

static nc_code solve_all(void *ctx, nc_error *err)
{
    feature_bench *b = ctx;
    (void)err;
    b->cubic_found = 0;
    for (int pass = 0; pass < PASSES; pass++)
        for (int i = 0; i < b->queries.count; i++)
            b->cubic_found += nc_cubic_collides(&b->queries.items[i], TOLERANCE);
    return NC_OK;
}

static void judge(feature_bench *b)
{
    for (int i = 0; i < b->queries.count; i++) {
        const nc_swept_query *q = &b->queries.items[i];
        const bool ours = certificate_collides(q), cubic = nc_cubic_collides(q, TOLERANCE);
        b->missed += q->collides && !ours;
        b->false_hits += !q->collides && ours;
        b->cubic_missed += q->collides && !cubic;
        b->cubic_false_hits += !q->collides && cubic;
    }
}

// The slowest query [s]: of each the best of several times, so that an interruption does not count.
static double slowest(const feature_bench *b, bool (*collides)(const nc_swept_query *))
{
    double worst = 0;
    for (int i = 0; i < b->queries.count; i++) {
        double best = INFINITY;
        for (int pass = 0; pass < WORST_PASSES; pass++) {
            const double start = nc_clock();
            const volatile bool hit = collides(&b->queries.items[i]);
            (void)hit;
            best = fmin(best, nc_clock() - start);
        }
        worst = fmax(worst, best);
    }
    return worst;
}

static bool cubic_collides(const nc_swept_query *q)
{
    return nc_cubic_collides(q, TOLERANCE);
}

static void add_figures(nc_bench_result *r, const feature_bench *b)
{
    const double mean = 1e6 * r->ours_median / r->pair.items, worst = 1e6 * slowest(b, certificate_collides);
    nc_bench_add_figure(r, "mean_over_cubic_mean", 1 / r->ratio, "1");
    nc_bench_add_figure(r, "worst_query", worst, "us");
    nc_bench_add_figure(r, "worst_over_mean", worst / mean, "1");
    nc_bench_add_figure(r, "worst_query_of_cubic", 1e6 * slowest(b, cubic_collides), "us");
    nc_bench_add_figure(r, "missed", b->missed, "1");
    nc_bench_add_figure(r, "false_hits", b->false_hits, "1");
    nc_bench_add_figure(r, "missed_by_cubic", b->cubic_missed, "1");
    nc_bench_add_figure(r, "false_hits_of_cubic", b->cubic_false_hits, "1");
}

static nc_code compare_straight(const nc_bench_options *options, nc_bench_result *out, int *out_count, nc_error *err)
{
    feature_bench b = {0};
    nc_code code = options->queries != NULL ? nc_queries_load(options->queries, &b.queries, err)
                                            : nc_queries_make(MADE_QUERIES, &b.queries, err);
    if (code == NC_OK) {
        judge(&b);
        nc_bench_result *r = &out[(*out_count)++];
        const nc_bench_pair pair = {.name = "features, straight paths",
                                    .ours = {.name = "nacre, certificates", .work = sweep_all},
                                    .peer = {.name = "cubic roots", .work = solve_all},
                                    .ctx = &b,
                                    .peer_share = 1,
                                    .clock = NC_CLOCK_CPU,
                                    .items = (double)PASSES * b.queries.count};
        code = nc_bench_compare(&pair, options->rounds, r, err);
        add_figures(r, &b);
        snprintf(r->pair.note, sizeof r->pair.note, "%d queries (%s), %d collide; gap 0, tolerance 1e-6 m",
                 b.queries.count, options->queries != NULL ? "the public benchmark's" : "made here: no --queries given",
                 b.queries.colliding);
    }
    nc_queries_free(&b.queries);
    return code;
}

// ---- true curves --------------------------------------------------------------------------------------------

typedef struct curved_pair {
    nc_feature_pair features;
    nc_swept_query chords; // the same corners in straight lines from start to end
} curved_pair;

typedef struct curved_group {
    nc_path a, b;
    curved_pair pairs[PER_GROUP];
} curved_group;

typedef struct curved_bench {
    curved_group groups[GROUPS];
    nc_pair_motion motion;
    int curved_found, straight_found;
} curved_bench;

static nc_vec3 random_vector(nc_random *random, double size)
{
    const double x = nc_random_range(random, -size, size), y = nc_random_range(random, -size, size);
    return nc_v3(x, y, nc_random_range(random, -size, size));
}

// Turns by 0.01 to 0.5 rad, evenly in the logarithm, about any axis.
static nc_vec3 random_turn(nc_random *random)
{
    const nc_vec3 axis = random_vector(random, 1);
    const double angle = 0.01 * pow(50.0, nc_random_unit(random));
    return nc_scale(angle / (nc_norm(axis) + 1e-9), axis);
}

static nc_path random_path(nc_random *random, nc_vec3 place)
{
    const nc_pose pose = {place, nc_quat_from_rotation_vector(random_vector(random, 3))};
    const nc_vec3 travel = random_vector(random, 0.1);
    return nc_path_free(pose, travel, random_turn(random), nc_v3(0, 0, 0));
}

static nc_vec3 to_body(nc_pose pose, nc_vec3 world)
{
    return nc_mat3_tmul(nc_quat_matrix(pose.q), nc_sub(world, pose.x));
}

// Features of about 0.1 m around a place between the bodies at some time of the step: half of them meet there, half
// pass by at up to 0.1 m.
static curved_pair random_pair(nc_random *random, const curved_group *group, int i)
{
    curved_pair p = {.features = {.kind = i % 2 == 0 ? NC_HULL_TRIANGLE : NC_HULL_PARALLELOGRAM, .first_in_a = true}};
    const double t = nc_random_unit(random);
    const nc_pose at_a = nc_path_pose(&group->a, t), at_b = nc_path_pose(&group->b, t);
    const nc_vec3 place = random_vector(random, 0.2), off = random_vector(random, i / 2 % 2 == 0 ? 0 : 0.1);
    const int first = p.features.kind == NC_HULL_TRIANGLE ? 1 : 2;
    for (int k = 0; k < 4; k++) {
        nc_vec3 world = nc_add(place, random_vector(random, 0.1));
        if (k == 0 && first == 1)
            world = place;
        p.features.corner[k] = k < first ? to_body(at_a, nc_add(world, off)) : to_body(at_b, world);
    }
    p.chords.kind = p.features.kind;
    for (int k = 0; k < 4; k++) {
        const nc_path *path = k < first ? &group->a : &group->b;
        p.chords.start[k] = nc_pose_apply(nc_path_pose(path, 0), p.features.corner[k]);
        p.chords.end[k] = nc_pose_apply(nc_path_pose(path, 1), p.features.corner[k]);
    }
    return p;
}

static void make_groups(curved_bench *b)
{
    nc_random random = {2013};
    for (int g = 0; g < GROUPS; g++) {
        curved_group *group = &b->groups[g];
        group->a = random_path(&random, nc_v3(0.4, 0, 0));
        group->b = random_path(&random, nc_v3(-0.4, 0, 0));
        for (int i = 0; i < PER_GROUP; i++)
            group->pairs[i] = random_pair(&random, group, i);
    }
}

static nc_code sweep_curves(void *ctx, nc_error *err)
{
    static const nc_mesh_sweep_options options = {.gap = {0, 0, 0}, .tolerance = TOLERANCE, .limit = 1000};
    curved_bench *b = ctx;
    (void)err;
    b->curved_found = 0;
    for (int pass = 0; pass < PASSES / 2; pass++)
        for (int g = 0; g < GROUPS; g++) {
            const curved_group *group = &b->groups[g];
            nc_pair_begin(&b->motion, &group->a, 0.7, &group->b, 0.7, false);
            nc_pair_interval(&b->motion, 0, 1);
            for (int i = 0; i < PER_GROUP; i++) {
                double bound = INFINITY;
                b->curved_found +=
                    nc_sweep_curved(&b->motion, &group->pairs[i].features, 0, 1, &options, &bound).verdict != NC_CLEAR;
            }
        }
    return NC_OK;
}

static nc_code sweep_chords(void *ctx, nc_error *err)
{
    curved_bench *b = ctx;
    (void)err;
    b->straight_found = 0;
    for (int pass = 0; pass < PASSES / 2; pass++)
        for (int g = 0; g < GROUPS; g++)
            for (int i = 0; i < PER_GROUP; i++)
                b->straight_found += certificate_collides(&b->groups[g].pairs[i].chords);
    return NC_OK;
}

static nc_code compare_curved(const nc_bench_options *options, nc_bench_result *out, int *out_count, nc_error *err)
{
    static const char about[] =
        "%d pairs of features of %d pairs of bodies, turning by 0.01 to 0.5 rad and travelling "
        "up to 0.17 m per step, features of 0.1 m at arms up to 0.7 m; %d hits on the curves, %d on "
        "the chords; poses at in-between times are worked out once per pair of bodies and time";
    const nc_allocator allocator = nc_allocator_default();
    curved_bench *b = nc_alloc(&allocator, 1, sizeof *b);
    if (b == NULL)
        return nc_fail_memory(err, sizeof *b);
    make_groups(b);
    nc_bench_result *r = &out[(*out_count)++];
    const nc_bench_pair pair = {.name = "features, curved paths",
                                .ours = {.name = "nacre, true rigid motion", .work = sweep_curves},
                                .peer = {.name = "nacre, straight paths", .work = sweep_chords},
                                .ctx = b,
                                .peer_share = 1,
                                .clock = NC_CLOCK_CPU,
                                .items = (double)PASSES / 2 * GROUPS * PER_GROUP};
    const nc_code code = nc_bench_compare(&pair, options->rounds, r, err);
    nc_bench_add_figure(r, "curved_over_straight", 1 / r->ratio, "1");
    snprintf(r->pair.note, sizeof r->pair.note, about, GROUPS * PER_GROUP, GROUPS, b->curved_found / (PASSES / 2),
             b->straight_found / (PASSES / 2));
    nc_free(&allocator, b, 1, sizeof *b);
    return code;
}

nc_code nc_bench_features(const nc_bench_options *options, nc_bench_result *out, int *out_count, nc_error *err)
{
    const nc_code code = compare_straight(options, out, out_count, err);
    return code == NC_OK ? compare_curved(options, out, out_count, err) : code;
}
