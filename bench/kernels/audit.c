// The exact audit of a heap of boats, against asking every triangle of every boat.
#include "bench/bench.h"

#include "audit/audit.h"
#include "geom/geom.h"

// The peer does one pair in PAIR_STRIDE: prime, so that no pattern of the heap repeats in what it does.
enum {
    BOATS = 1000,
    ALL_PAIRS = BOATS * (BOATS - 1) / 2,
    PAIR_STRIDE = 997,
    SAMPLED_PAIRS = (ALL_PAIRS + PAIR_STRIDE - 1) / PAIR_STRIDE
};

typedef struct audit_bench {
    nc_audit_item items[BOATS];
    int hits;    // intersecting pairs, as the audit found them
    int checked; // pairs on which both sides were compared
} audit_bench;

// Ten by ten by ten, each turned at random, so close that hulls reach into each other's boxes.
static void make_heap(audit_bench *b, const nc_mesh *boat)
{
    nc_random random = {2012};
    for (int i = 0; i < BOATS; i++) {
        const double x = nc_random_range(&random, -3, 3), y = nc_random_range(&random, -3, 3);
        const nc_vec3 turn = nc_v3(x, y, nc_random_range(&random, -3, 3));
        b->items[i].mesh = boat;
        const int column = i % 10, row = i / 10 % 10, layer = i / 100;
        b->items[i].pose.x = nc_scale(0.75, nc_v3(column, layer, row));
        b->items[i].pose.q = nc_quat_from_rotation_vector(turn);
    }
}

static nc_code audit_heap(void *ctx, nc_error *err)
{
    audit_bench *b = ctx;
    const nc_allocator allocator = nc_allocator_default();
    return nc_audit_poses(b->items, BOATS, NULL, NULL, NULL, &allocator, NULL, 0, &b->hits, err);
}

// Every triangle of A against every triangle of B, for one pair in PAIR_STRIDE.
static nc_code sample_by_brute_force(void *ctx, nc_error *err)
{
    audit_bench *b = ctx;
    int pair = 0;
    for (int i = 0; i < BOATS; i++)
        for (int j = i + 1; j < BOATS; j++, pair++) {
            bool hit;
            if (pair % PAIR_STRIDE != 0)
                continue;
            const nc_code code = nc_mesh_intersect_brute(b->items[i].mesh, b->items[i].pose, b->items[j].mesh,
                                                         b->items[j].pose, &hit, NULL, err);
            if (code != NC_OK)
                return code;
        }
    return NC_OK;
}

// Not timed: on neighbours, where both answers occur, tree and brute force must agree.
static nc_code compare_results(audit_bench *b, nc_error *err)
{
    for (int i = 0; i + 1 < BOATS; i += 7) {
        const nc_audit_item *p = &b->items[i], *q = &b->items[i + 1];
        bool slow, fast;
        nc_code code = nc_mesh_intersect_brute(p->mesh, p->pose, q->mesh, q->pose, &slow, NULL, err);
        if (code == NC_OK)
            code = nc_mesh_intersect(p->mesh, p->pose, q->mesh, q->pose, &fast, NULL, err);
        if (code != NC_OK)
            return code;
        if (slow != fast)
            return nc_fail(err, NC_BROKEN_PROMISE, "audit and brute force disagree on boats %d and %d", i, i + 1);
        b->checked++;
    }
    return NC_OK;
}

nc_code nc_bench_audit(const nc_bench_options *options, nc_bench_result *out, int *out_count, nc_error *err)
{
    static const char about[] =
        "%d boats of %d triangles in a heap, %d pairs intersect; brute force did %d of %d pairs, "
        "its time is scaled up; answers compared on %d pairs";
    const nc_allocator allocator = nc_allocator_default();
    nc_mesh *boat = NULL;
    *out_count = 0;
    audit_bench *b = nc_alloc(&allocator, 1, sizeof *b);
    if (b == NULL)
        return nc_fail_memory(err, sizeof *b);
    nc_code code = nc_shape_create("boat", NULL, 0, NULL, &boat, err);
    if (code == NC_OK) {
        make_heap(b, boat);
        code = compare_results(b, err);
    }
    if (code == NC_OK) {
        const nc_bench_pair pair = {.name = "audit",
                                    .ours = {.name = "nacre, boxes and trees", .work = audit_heap},
                                    .peer = {.name = "every triangle pair", .work = sample_by_brute_force},
                                    .ctx = b,
                                    .peer_share = (double)SAMPLED_PAIRS / ALL_PAIRS};
        code = nc_bench_compare(&pair, options->rounds, out, err);
        snprintf(out->pair.note, sizeof out->pair.note, about, BOATS, nc_mesh_view(boat).triangle_count, b->hits,
                 SAMPLED_PAIRS, ALL_PAIRS, b->checked);
        *out_count = code == NC_OK;
    }
    nc_free(&allocator, b, 1, sizeof *b);
    nc_mesh_release(boat);
    return code;
}
