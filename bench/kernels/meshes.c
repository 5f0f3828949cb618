// Distance, proximity and sweep of two boats: against brute force over all features, FCL and Bullet.
#include "bench/bench.h"
#include "bench/peer.h"

#include "narrow/narrow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Brute force does one case in BRUTE_STRIDE, from BRUTE_FIRST on; both answers occur among them.
enum { CASES = 64, BRUTE_FIRST = 5, BRUTE_STRIDE = 8, BRUTE_CASES = CASES / BRUTE_STRIDE };

#define PROXIMITY 0.01 // [m] features nearer than this are near: a hundredth of a boat

typedef struct boat_case {
    nc_motion a, b;
} boat_case;

typedef struct mesh_bench {
    nc_mesh *boat;
    nc_mesh_data data;
    boat_case cases[CASES];
    nc_proximity_list near;
    nc_pair_motion motion; // for brute force
    // What came out, for comparing answers.
    double distances, peer_result;
    int hits, contacts, near_pairs;
    int near_sample, brute_pairs;  // over the cases that brute force does
    double toi_sum, brute_toi_sum; // the same
    nc_peer fcl, bullet;
    double peer_seconds;
} mesh_bench;

// ---- cases --------------------------------------------------------------------------------------------------

static nc_vec3 random_direction(nc_random *random)
{
    nc_vec3 v = {0, 0, 0};
    do {
        v.x = nc_random_range(random, -1, 1);
        v.y = nc_random_range(random, -1, 1);
        v.z = nc_random_range(random, -1, 1);
    } while (nc_norm2(v) > 1 || nc_norm2(v) < 0.01);
    return nc_scale(1 / nc_norm(v), v);
}

// Turned at random, and brought together along a random line until they are `gap` [m] apart.
static nc_code bring_together(const nc_mesh *boat, nc_random *random, double gap, boat_case *out, nc_error *err)
{
    nc_sweep_def def = nc_sweep_def_default();
    def.gap = gap;
    for (;;) {
        const nc_vec3 line = random_direction(random);
        nc_sweep_result met;
        *out = (boat_case){{{{0, 0, 0}, {1, 0, 0, 0}}, {0, 0, 0}, {0, 0, 0}},
                           {{{0, 0, 0}, {1, 0, 0, 0}}, {0, 0, 0}, {0, 0, 0}}};
        out->a.start.q = nc_quat_from_rotation_vector(nc_scale(3, random_direction(random)));
        out->b.start.q = nc_quat_from_rotation_vector(nc_scale(3, random_direction(random)));
        out->a.start.x = nc_scale(2, line);
        out->a.travel = nc_scale(-2, line);
        const nc_code code = nc_mesh_sweep(boat, &out->a, boat, &out->b, &def, &met, err);
        if (code != NC_OK)
            return code;
        if (met.verdict == NC_HIT) {
            out->a.start.x = nc_madd(out->a.start.x, met.toi, out->a.travel);
            return NC_OK;
        }
    }
}

// A step of 1/24 s at up to 2 m/s and 12 rad/s: up to 0.08 m and 0.5 rad each.
static void set_moving(nc_random *random, nc_motion *motion)
{
    motion->travel = nc_scale(0.08 * nc_random_unit(random), random_direction(random));
    motion->rotation = nc_scale(0.01 * pow(50.0, nc_random_unit(random)), random_direction(random));
}

static nc_code make_cases(mesh_bench *b, nc_error *err)
{
    nc_random random = {1204};
    nc_code code = NC_OK;
    for (int i = 0; i < CASES && code == NC_OK; i++) {
        const double gap = 0.001 * pow(30.0, nc_random_unit(&random));
        code = bring_together(b->boat, &random, gap, &b->cases[i], err);
        set_moving(&random, &b->cases[i].a);
        set_moving(&random, &b->cases[i].b);
    }
    return code;
}

// ---- Nacre --------------------------------------------------------------------------------------------------

static nc_code find_distances(void *ctx, nc_error *err)
{
    mesh_bench *b = ctx;
    nc_code code = NC_OK;
    b->distances = 0;
    for (int i = 0; i < CASES && code == NC_OK; i++) {
        nc_proximity nearest;
        code = nc_mesh_distance(b->boat, b->cases[i].a.start, b->boat, b->cases[i].b.start, &nearest, err);
        b->distances += nearest.distance;
    }
    return code;
}

static nc_code sweep_boats(void *ctx, nc_error *err)
{
    mesh_bench *b = ctx;
    const nc_sweep_def def = nc_sweep_def_default();
    nc_code code = NC_OK;
    b->hits = 0;
    b->toi_sum = 0;
    for (int i = 0; i < CASES && code == NC_OK; i++) {
        nc_sweep_result result;
        code = nc_mesh_sweep(b->boat, &b->cases[i].a, b->boat, &b->cases[i].b, &def, &result, err);
        b->hits += result.verdict != NC_CLEAR;
        b->toi_sum += i % BRUTE_STRIDE == BRUTE_FIRST ? result.toi : 0;
    }
    return code;
}

static nc_code find_near(mesh_bench *b, const nc_proximity_options *options, int *out_count, nc_error *err)
{
    nc_code code = NC_OK;
    *out_count = b->near_sample = 0;
    for (int i = 0; i < CASES && code == NC_OK; i++) {
        b->near.count = 0;
        code = nc_proximity_find(b->boat, b->cases[i].a.start, b->boat, b->cases[i].b.start, PROXIMITY, options,
                                 &b->near, err);
        *out_count += b->near.count;
        b->near_sample += i % BRUTE_STRIDE == BRUTE_FIRST ? b->near.count : 0;
    }
    return code;
}

static nc_code find_contacts(void *ctx, nc_error *err)
{
    mesh_bench *b = ctx;
    const nc_proximity_options options = nc_proximity_defaults();
    return find_near(b, &options, &b->contacts, err);
}

static nc_code find_near_pairs(void *ctx, nc_error *err)
{
    mesh_bench *b = ctx;
    nc_proximity_options options = nc_proximity_defaults();
    options.every_pair = true;
    return find_near(b, &options, &b->near_pairs, err);
}

// ---- brute force --------------------------------------------------------------------------------------------

typedef void (*pair_visitor)(mesh_bench *b, void *ctx, const nc_feature_pair *pair);

// Every vertex with every triangle of the other, every edge with every edge.
static void visit_all_pairs(mesh_bench *b, pair_visitor visit, void *ctx)
{
    const nc_mesh_data *d = &b->data;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < d->vertex_count; i++)
            for (int j = 0; j < d->triangle_count; j++) {
                const int *t = d->triangles[j];
                const nc_feature_pair pair = {
                    NC_HULL_TRIANGLE,
                    side == 0,
                    {d->vertices[i], d->vertices[t[0]], d->vertices[t[1]], d->vertices[t[2]]}};
                visit(b, ctx, &pair);
            }
    for (int i = 0; i < d->edge_count; i++)
        for (int j = 0; j < d->edge_count; j++) {
            const int *e = d->edges[i], *f = d->edges[j];
            const nc_feature_pair pair = {NC_HULL_PARALLELOGRAM,
                                          true,
                                          {d->vertices[e[0]], d->vertices[e[1]], d->vertices[f[0]], d->vertices[f[1]]}};
            visit(b, ctx, &pair);
        }
}

static void sweep_pair(mesh_bench *b, void *ctx, const nc_feature_pair *pair)
{
    static const nc_mesh_sweep_options options = {.gap = {0, 0, 0}, .tolerance = 1e-6, .limit = 1000};
    double *toi = ctx; // the earliest so far
    double bound = INFINITY;
    if (!(*toi > 0))
        return;
    const nc_feature_sweep sweep = nc_sweep_curved(&b->motion, pair, 0, *toi, &options, &bound);
    if (sweep.verdict != NC_CLEAR)
        *toi = sweep.toi;
}

static nc_code sweep_by_brute_force(void *ctx, nc_error *err)
{
    mesh_bench *b = ctx;
    (void)err;
    b->brute_toi_sum = 0;
    for (int i = BRUTE_FIRST; i < CASES; i += BRUTE_STRIDE) {
        const nc_path path_a = nc_motion_path(&b->cases[i].a), path_b = nc_motion_path(&b->cases[i].b);
        double toi = 1;
        nc_pair_begin(&b->motion, &path_a, b->data.radius, &path_b, b->data.radius, false);
        nc_pair_interval(&b->motion, 0, 1);
        visit_all_pairs(b, sweep_pair, &toi);
        b->brute_toi_sum += toi;
    }
    return NC_OK;
}

typedef struct brute_near {
    nc_frame a, b;
    int count;
} brute_near;

static void measure_pair(mesh_bench *b, void *ctx, const nc_feature_pair *pair)
{
    brute_near *near = ctx;
    nc_vec3 x[4];
    const int first = pair->kind == NC_HULL_TRIANGLE ? 1 : 2;
    (void)b;
    for (int k = 0; k < 4; k++)
        x[k] = nc_frame_apply((k < first) == pair->first_in_a ? near->a : near->b, pair->corner[k]);
    const nc_distance d = pair->kind == NC_HULL_TRIANGLE ? nc_distance_point_triangle(x[0], x + 1)
                                                         : nc_distance_segment_segment(x, x + 2);
    near->count += d.lower_bound < PROXIMITY;
}

static nc_code find_near_by_brute_force(void *ctx, nc_error *err)
{
    mesh_bench *b = ctx;
    (void)err;
    b->brute_pairs = 0;
    for (int i = BRUTE_FIRST; i < CASES; i += BRUTE_STRIDE) {
        brute_near near = {nc_pose_frame(b->cases[i].a.start), nc_pose_frame(b->cases[i].b.start), 0};
        visit_all_pairs(b, measure_pair, &near);
        b->brute_pairs += near.count;
    }
    return NC_OK;
}

// ---- peers --------------------------------------------------------------------------------------------------

static void write_pose(FILE *file, nc_pose p)
{
    fprintf(file, "%a %a %a %a %a %a %a\n", p.x.x, p.x.y, p.x.z, p.q.w, p.q.x, p.q.y, p.q.z);
}

static void write_motion(FILE *file, const nc_motion *motion)
{
    const nc_path path = nc_motion_path(motion);
    write_pose(file, nc_path_pose(&path, 0));
    write_pose(file, nc_path_pose(&path, 1));
}

// The task as bench/peers/task.hpp reads it.
static nc_code write_task(const mesh_bench *b, const char *path, nc_error *err)
{
    const nc_mesh_data *d = &b->data;
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return nc_fail(err, NC_IO, "cannot write '%s'", path);
    fprintf(file, "%a %d %d %d\n", PROXIMITY, d->vertex_count, d->triangle_count, CASES);
    for (int i = 0; i < d->vertex_count; i++)
        fprintf(file, "%a %a %a\n", d->vertices[i].x, d->vertices[i].y, d->vertices[i].z);
    for (int i = 0; i < d->triangle_count; i++)
        fprintf(file, "%d %d %d\n", d->triangles[i][0], d->triangles[i][1], d->triangles[i][2]);
    for (int i = 0; i < CASES; i++) {
        write_motion(file, &b->cases[i].a);
        write_motion(file, &b->cases[i].b);
    }
    return fclose(file) == 0 ? NC_OK : nc_fail(err, NC_IO, "cannot write '%s'", path);
}

static nc_code start_peers(mesh_bench *b, const char *folder, nc_error *err)
{
    char path[256];
    const char *temporary = getenv("TMPDIR");
    snprintf(path, sizeof path, "%.200s/nacre-bench-%ld.task", temporary != NULL ? temporary : "/tmp", (long)getpid());
    nc_code code = write_task(b, path, err);
    if (code == NC_OK)
        code = nc_peer_start(&b->fcl, folder, "fcl_meshes", path, err);
    if (code == NC_OK)
        code = nc_peer_start(&b->bullet, folder, "bullet_meshes", path, err);
    unlink(path); // they have read it when they are ready
    return code;
}

static nc_code ask_fcl_distance(void *ctx, nc_error *err)
{
    mesh_bench *b = ctx;
    return nc_peer_request(&b->fcl, "distance", &b->peer_seconds, &b->peer_result, err);
}
static nc_code ask_fcl_sweep(void *ctx, nc_error *err)
{
    mesh_bench *b = ctx;
    return nc_peer_request(&b->fcl, "sweep", &b->peer_seconds, &b->peer_result, err);
}
static nc_code ask_fcl_samples(void *ctx, nc_error *err)
{
    mesh_bench *b = ctx;
    return nc_peer_request(&b->fcl, "sweep-naive", &b->peer_seconds, &b->peer_result, err);
}
static nc_code ask_bullet_contacts(void *ctx, nc_error *err)
{
    mesh_bench *b = ctx;
    return nc_peer_request(&b->bullet, "contacts", &b->peer_seconds, &b->peer_result, err);
}

// ---- comparisons --------------------------------------------------------------------------------------------

typedef struct comparison {
    const char *name;
    nc_bench_side ours, peer;
    size_t peer_offset; // of the nc_peer in mesh_bench; 0: brute force
    const char *note;
    const char *ours_figure, *peer_figure; // names of what came out of both
} comparison;

static const comparison comparisons[] = {
    {"boats, distance",
     {"nacre, nc_mesh_distance", find_distances, NULL},
     {"FCL, distance with OBBRSS", ask_fcl_distance, NULL},
     offsetof(mesh_bench, fcl),
     "nearest points of both; the two sums of distances should agree",
     "sum_of_distances",
     "sum_of_distances_by_fcl"},
    {"boats, sweep",
     {"nacre, nc_mesh_sweep", sweep_boats, NULL},
     {"FCL, conservative advancement", ask_fcl_sweep, NULL},
     offsetof(mesh_bench, fcl),
     "true curved motion on both sides; FCL's error in time 1e-5, at most 100 iterations",
     "hits",
     "hits_by_fcl"},
    {"boats, sweep against samples",
     {"nacre, nc_mesh_sweep", sweep_boats, NULL},
     {"FCL, naive: poses on the way", ask_fcl_samples, NULL},
     offsetof(mesh_bench, fcl),
     "FCL tests up to 100 poses for intersection, which can miss",
     "hits",
     "hits_by_fcl"},
    {"boats, contacts",
     {"nacre, nc_proximity_find", find_contacts, NULL},
     {"Bullet, GImpact contacts", ask_bullet_contacts, NULL},
     offsetof(mesh_bench, bullet),
     "nearer than 0.01 m; Bullet in floats, with half of that as margin of each mesh; the two count contacts "
     "differently",
     "contacts",
     "contacts_by_bullet"},
    {"boats, proximity",
     {"nacre, every near pair of features", find_near_pairs, NULL},
     {"all pairs of features", find_near_by_brute_force, NULL},
     0,
     "nearer than 0.01 m; brute force did one case in 8, its time is scaled up",
     "near_pairs_in_those_cases",
     "near_pairs_by_brute_force"},
    {"boats, sweep against brute force",
     {"nacre, nc_mesh_sweep", sweep_boats, NULL},
     {"all pairs of features", sweep_by_brute_force, NULL},
     0,
     "the same certificates without trees; brute force did one case in 8, its time is scaled up; sums over its cases",
     "sum_of_times",
     "sum_of_times_by_brute_force"},
};
#define COMPARISON_COUNT ((int)(sizeof comparisons / sizeof *comparisons))

// What came out of both sides of comparison k.
static void outcomes(const mesh_bench *b, int k, double *ours, double *peer)
{
    const double results[COMPARISON_COUNT][2] = {
        {b->distances, b->peer_result}, {b->hits, b->peer_result},        {b->hits, b->peer_result},
        {b->contacts, b->peer_result},  {b->near_sample, b->brute_pairs}, {b->toi_sum, b->brute_toi_sum},
    };
    *ours = results[k][0];
    *peer = results[k][1];
}

static nc_code compare(mesh_bench *b, int k, int rounds, nc_bench_result *r, nc_error *err)
{
    const comparison *c = &comparisons[k];
    const nc_peer *peer =
        c->peer_offset != 0 ? (const nc_peer *)(const void *)((const char *)b + c->peer_offset) : NULL;
    const bool there = peer == NULL || peer->pid != 0;
    nc_bench_pair pair = {.name = c->name,
                          .ours = c->ours,
                          .peer = c->peer,
                          .ctx = b,
                          .peer_share = peer == NULL ? (double)BRUTE_CASES / CASES : 1,
                          .clock = NC_CLOCK_CPU,
                          .items = CASES};
    pair.peer.own_seconds = peer != NULL ? &b->peer_seconds : NULL;
    if (!there)
        pair.peer.work = NULL;
    const nc_code code = nc_bench_compare(&pair, rounds, r, err);
    double ours, peers;
    outcomes(b, k, &ours, &peers);
    nc_bench_add_figure(r, c->ours_figure, ours, "1");
    if (there)
        nc_bench_add_figure(r, c->peer_figure, peers, "1");
    snprintf(r->pair.note, sizeof r->pair.note, "%s%s%d pairs of boats of %d triangles, 1 to 30 mm apart; %s",
             peer != NULL ? peer->about : "", peer != NULL ? "; " : "", CASES, b->data.triangle_count, c->note);
    return code;
}

static nc_code compare_all(mesh_bench *b, const nc_bench_options *options, nc_bench_result *out, int *out_count,
                           nc_error *err)
{
    b->data = nc_mesh_view(b->boat);
    nc_code code = make_cases(b, err);
    if (code == NC_OK)
        code = start_peers(b, options->peers, err);
    for (int k = 0; k < COMPARISON_COUNT && code == NC_OK; k++)
        code = compare(b, k, options->rounds, &out[(*out_count)++], err);
    nc_peer_stop(&b->fcl);
    nc_peer_stop(&b->bullet);
    return code;
}

nc_code nc_bench_meshes(const nc_bench_options *options, nc_bench_result *out, int *out_count, nc_error *err)
{
    const nc_allocator allocator = nc_allocator_default();
    mesh_bench *b = nc_alloc(&allocator, 1, sizeof *b);
    if (b == NULL)
        return nc_fail_memory(err, sizeof *b);
    b->near.allocator = &allocator;
    nc_code code = nc_shape_create("boat", NULL, 0, NULL, &b->boat, err);
    if (code == NC_OK)
        code = compare_all(b, options, out, out_count, err);
    nc_proximity_list_free(&b->near);
    nc_mesh_release(b->boat);
    nc_free(&allocator, b, 1, sizeof *b);
    return code;
}
