// The broad phase on a dense pile in a bowl a hundred times larger than its bodies, step by step: against Bullet's
// dynamic tree, and against looking at every pair.
#include "bench/bench.h"
#include "bench/peer.h"

#include "broad/broad.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#define PHASES    4
#define CYCLE     (2 * PHASES - 2) // steps
#define SEED      11
#define BOWL_HALF 50.0 // [m] half a side of the bowl; a body's is a half in the mean

typedef struct broad_bench {
    int count;
    double side; // [m] of the pile
    nc_box *boxes[PHASES];
    nc_broad *broad;
    nc_pairs pairs;
    nc_body_list partners;
    nc_peer bullet;
    double peer_seconds, peer_pairs;
    int64_t brute_pairs;
} broad_bench;

// ---- boxes --------------------------------------------------------------------------------------------------

static nc_vec3 random_vector(nc_random *random, double low, double high)
{
    nc_vec3 v;
    v.x = nc_random_range(random, low, high);
    v.y = nc_random_range(random, low, high);
    v.z = nc_random_range(random, low, high);
    return v;
}

// bench/peers/bullet_broad.cpp makes the same boxes.
static void make_boxes(broad_bench *b)
{
    nc_random random = {SEED};
    const nc_vec3 zero = {0, 0, 0};
    for (int i = 0; i < b->count; i++) {
        nc_vec3 c = random_vector(&random, 0, b->side), h = random_vector(&random, 0.25, 0.75);
        nc_vec3 v = random_vector(&random, -0.05, 0.05);
        if (i == b->count / 2) {
            c = nc_v3(b->side / 2, b->side / 2, b->side / 2);
            h = nc_v3(BOWL_HALF, BOWL_HALF, BOWL_HALF);
            v = zero;
        }
        for (int phase = 0; phase < PHASES; phase++) {
            const nc_vec3 at = nc_madd(c, phase, v);
            b->boxes[phase][i].lo = nc_add(nc_sub(at, h), nc_min_v3(zero, v));
            b->boxes[phase][i].hi = nc_add(nc_add(at, h), nc_max_v3(zero, v));
        }
    }
}

// ---- both sides ---------------------------------------------------------------------------------------------

// Through the phases, forth and back: Bullet does much in one step and little in the next, so whole cycles are
// compared.
static nc_code find_pairs(void *ctx, nc_error *err)
{
    broad_bench *b = ctx;
    nc_code code = NC_OK;
    for (int step = 1; step <= CYCLE && code == NC_OK; step++) {
        code = nc_broad_set(b->broad, b->boxes[step < PHASES ? step : CYCLE - step], b->count, err);
        if (code == NC_OK)
            code = nc_broad_pairs(b->broad, &b->pairs, err);
    }
    return code;
}

static nc_code ask_bullet(void *ctx, nc_error *err)
{
    broad_bench *b = ctx;
    return nc_peer_request(&b->bullet, "cycle", &b->peer_seconds, &b->peer_pairs, err);
}

// One body in BRUTE_STRIDE against all others.
#define BRUTE_STRIDE 100
static nc_code find_by_brute_force(void *ctx, nc_error *err)
{
    broad_bench *b = ctx;
    (void)err;
    const nc_box *boxes = b->boxes[0];
    b->brute_pairs = 0;
    for (int i = 0; i < b->count; i += BRUTE_STRIDE)
        for (int k = 0; k < b->count; k++)
            b->brute_pairs += i != k && nc_box_overlap(boxes[i], boxes[k]);
    return NC_OK;
}

// Every BRUTE_STRIDE-th body gets a new box and its partners are queried.
static nc_code move_range(void *ctx, nc_error *err)
{
    broad_bench *b = ctx;
    nc_code code = NC_OK;
    for (int i = 0; i < b->count && code == NC_OK; i += BRUTE_STRIDE) {
        code = nc_broad_move(b->broad, i, b->boxes[0][i], err);
        if (code == NC_OK)
            code = nc_broad_partners(b->broad, i, &b->partners, err);
    }
    return code;
}

static nc_code start_bullet(broad_bench *b, const char *folder, nc_error *err)
{
    char path[256];
    const char *temporary = getenv("TMPDIR");
    snprintf(path, sizeof path, "%.200s/nacre-bench-%ld.boxes", temporary != NULL ? temporary : "/tmp", (long)getpid());
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return nc_fail(err, NC_IO, "cannot write '%s'", path);
    fprintf(file, "%d %d %a %d %a\n", b->count, SEED, b->side, PHASES, BOWL_HALF);
    nc_code code = fclose(file) == 0 ? NC_OK : nc_fail(err, NC_IO, "cannot write '%s'", path);
    if (code == NC_OK)
        code = nc_peer_start(&b->bullet, folder, "bullet_broad", path, err);
    unlink(path); // it has read it when it is ready
    return code;
}

// ---- comparisons --------------------------------------------------------------------------------------------

static nc_code against_bullet(broad_bench *b, int rounds, nc_bench_result *r, nc_error *err)
{
    nc_bench_pair pair = {.name = b->count >= 100000 ? "broad phase, 100,000 bodies" : "broad phase, 10,000 bodies",
                          .ours = {"nacre, boxes in, ordered pairs out", find_pairs, NULL},
                          .peer = {"Bullet, btDbvtBroadphase", ask_bullet, &b->peer_seconds},
                          .ctx = b,
                          .peer_share = 1,
                          .clock = NC_CLOCK_CPU,
                          .items = CYCLE * (double)b->count};
    if (b->bullet.pid == 0)
        pair.peer.work = NULL;
    snprintf(pair.note, sizeof pair.note,
             "%s; a dense pile in a bowl, every box moves by up to a twentieth of its size per step; one thread; times "
             "are for "
             "one body and one step. Bullet keeps boxes with margins in floats and its pairs in no order",
             b->bullet.about);
    const nc_code code = nc_bench_compare(&pair, rounds, r, err);
    nc_bench_add_figure(r, "pairs", b->pairs.count, "1");
    if (b->bullet.pid != 0)
        nc_bench_add_figure(r, "pairs_of_bullet", b->peer_pairs, "1");
    return code;
}

static nc_code one_body(broad_bench *b, int rounds, nc_bench_result *r, nc_error *err)
{
    const nc_bench_pair pair = {.name = "broad phase, one body of 10,000",
                                .ours = {"nacre, a new box, its partners out", move_range, NULL},
                                .peer = {"every other box", find_by_brute_force, NULL},
                                .ctx = b,
                                .peer_share = 1,
                                .note = "the same pile; bodies one by one",
                                .clock = NC_CLOCK_CPU,
                                .items = b->count / (double)BRUTE_STRIDE};
    return nc_bench_compare(&pair, rounds, r, err);
}

static nc_code compare(broad_bench *b, const nc_bench_options *options, nc_bench_result *out, int *out_count,
                       nc_error *err)
{
    make_boxes(b);
    nc_code code = nc_broad_create(NULL, 1, &b->broad, err);
    if (code == NC_OK)
        code = start_bullet(b, options->peers, err);
    if (code == NC_OK)
        code = against_bullet(b, options->rounds, &out[(*out_count)++], err);
    if (code == NC_OK && b->count == 10000)
        code = one_body(b, options->rounds, &out[(*out_count)++], err);
    nc_peer_stop(&b->bullet);
    return code;
}

static nc_code bench_count(int count, const nc_bench_options *options, nc_bench_result *out, int *out_count,
                           nc_error *err)
{
    const nc_allocator allocator = nc_allocator_default();
    broad_bench b = {.count = count, .side = 0.75 * cbrt(count)};
    nc_code code = NC_OK;
    for (int phase = 0; phase < PHASES; phase++) {
        b.boxes[phase] = nc_alloc(&allocator, (size_t)count, sizeof(nc_box));
        if (b.boxes[phase] == NULL)
            code = nc_fail_memory(err, (size_t)count * sizeof(nc_box));
    }
    if (code == NC_OK)
        code = compare(&b, options, out, out_count, err);
    nc_broad_destroy(b.broad);
    nc_pairs_free(&b.pairs, &allocator);
    nc_body_list_free(&b.partners, &allocator);
    for (int phase = 0; phase < PHASES; phase++)
        nc_free(&allocator, b.boxes[phase], (size_t)count, sizeof(nc_box));
    return code;
}

nc_code nc_bench_broad(const nc_bench_options *options, nc_bench_result *out, int *out_count, nc_error *err)
{
    const nc_code code = bench_count(10000, options, out, out_count, err);
    return code == NC_OK ? bench_count(100000, options, out, out_count, err) : code;
}
