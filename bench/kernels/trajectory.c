// First contact of points on their trajectories: boxes around the curve against straight pieces of it.
#include "bench/bench.h"

#include "geom/geom.h"

enum { MOTIONS = 8, POINTS_MAX = 4096 };

typedef struct trajectory_bench {
    nc_motion body[MOTIONS], target[MOTIONS];
    nc_vec3 points[POINTS_MAX];
    int point_count;
    nc_mesh *soup;
    double epsilon;
    int64_t queries[2]; // of the last run: boxes, segments
    int hits[2];
} trajectory_bench;

static nc_vec3 random_vector(nc_random *random, double size)
{
    const double x = nc_random_range(random, -size, size), y = nc_random_range(random, -size, size);
    return nc_v3(x, y, nc_random_range(random, -size, size));
}

// Bodies that tumble towards a torus that tumbles as well: a few turns per step.
static void make_motions(trajectory_bench *b)
{
    nc_random random = {2009};
    for (int i = 0; i < MOTIONS; i++) {
        const nc_vec3 start = random_vector(&random, 3);
        b->body[i] = (nc_motion){{start, nc_quat_from_rotation_vector(random_vector(&random, 3))},
                                 nc_madd(random_vector(&random, 1), -1.5, start),
                                 random_vector(&random, 12)};
        b->target[i] =
            (nc_motion){{random_vector(&random, 0.5), nc_quat_from_rotation_vector(random_vector(&random, 3))},
                        random_vector(&random, 1),
                        random_vector(&random, 6)};
    }
}

static nc_code run(trajectory_bench *b, bool segments, nc_error *err)
{
    nc_trajectory_def def = nc_trajectory_def_default();
    def.epsilon = b->epsilon;
    def.segments = segments;
    def.limit = 1000000;
    const nc_target target = nc_target_mesh(b->soup);
    b->queries[segments] = 0;
    b->hits[segments] = 0;
    for (int i = 0; i < MOTIONS; i++) {
        nc_trajectory_result r;
        const nc_code code =
            nc_trajectory_contact(b->points, b->point_count, &b->body[i], &target, &b->target[i], &def, &r, err);
        if (code != NC_OK)
            return code;
        b->queries[segments] += r.queries;
        b->hits[segments] += r.verdict == NC_HIT;
    }
    return NC_OK;
}

static nc_code run_boxes(void *ctx, nc_error *err)
{
    return run(ctx, false, err);
}

static nc_code run_segments(void *ctx, nc_error *err)
{
    return run(ctx, true, err);
}

// One measurement: how fine, how many points, how many triangles.
typedef struct trajectory_case {
    const char *name;
    double epsilon; // [m]
    double spacing; // [m] of the points of a box; infinite: its eight corners
    double around;  // of the torus: its triangles grow with the square
} trajectory_case;

static const trajectory_case cases[] = {
    {"trajectory, epsilon 1e-2", 1e-2, INFINITY, 32},    {"trajectory, epsilon 1e-4", 1e-4, INFINITY, 32},
    {"trajectory, epsilon 1e-6", 1e-6, INFINITY, 32},    {"trajectory, many points", 1e-2, 0.1, 32},
    {"trajectory, many triangles", 1e-2, INFINITY, 128},
};
enum { CASES = sizeof cases / sizeof *cases };

static nc_code prepare(const trajectory_case *c, trajectory_bench *b, nc_error *err)
{
    const nc_shape_parameter fine[2] = {{"sides", c->around}, {"segments", c->around}};
    nc_mesh *body = NULL;
    nc_code code = nc_shape_create("torus", fine, 2, NULL, &b->soup, err);
    if (code == NC_OK)
        code = nc_shape_create("box", NULL, 0, NULL, &body, err);
    if (code == NC_OK)
        code = nc_mesh_sample(body, c->spacing, b->points, POINTS_MAX, &b->point_count, err);
    nc_mesh_release(body);
    if (code == NC_OK && b->point_count > POINTS_MAX)
        code = nc_fail(err, NC_BROKEN_PROMISE, "%d points are more than were foreseen", b->point_count);
    b->epsilon = c->epsilon;
    return code;
}

static nc_code compare(const trajectory_case *c, trajectory_bench *b, int rounds, nc_bench_result *out, nc_error *err)
{
    nc_bench_pair pair = {.name = c->name,
                          .ours = {.name = "boxes around the curve", .work = run_boxes},
                          .peer = {.name = "straight pieces", .work = run_segments},
                          .ctx = b,
                          .peer_share = 1,
                          .clock = NC_CLOCK_CPU,
                          .items = MOTIONS};
    snprintf(
        pair.note, sizeof pair.note,
        "one of %d motions; %d points, a torus of %d triangles, both tumble; boxes never miss, straight pieces may "
        "by epsilon",
        MOTIONS, b->point_count, nc_mesh_view(b->soup).triangle_count);
    const nc_code code = nc_bench_compare(&pair, rounds, out, err);
    if (code != NC_OK)
        return code;
    nc_bench_add_figure(out, "epsilon", c->epsilon, "m");
    nc_bench_add_figure(out, "box_queries", (double)b->queries[0] / MOTIONS, "1");
    nc_bench_add_figure(out, "segment_queries", (double)b->queries[1] / MOTIONS, "1");
    nc_bench_add_figure(out, "hits_of_boxes", b->hits[0], "1");
    nc_bench_add_figure(out, "hits_of_segments", b->hits[1], "1");
    return NC_OK;
}

static nc_code measure(const trajectory_case *c, int rounds, nc_bench_result *out, nc_error *err)
{
    const nc_allocator allocator = nc_allocator_default();
    trajectory_bench *b = nc_alloc(&allocator, 1, sizeof *b);
    if (b == NULL)
        return nc_fail_memory(err, sizeof *b);
    make_motions(b);
    nc_code code = prepare(c, b, err);
    if (code == NC_OK)
        code = compare(c, b, rounds, out, err);
    nc_mesh_release(b->soup);
    nc_free(&allocator, b, 1, sizeof *b);
    return code;
}

nc_code nc_bench_trajectory(const nc_bench_options *options, nc_bench_result *out, int *out_count, nc_error *err)
{
    nc_code code = NC_OK;
    for (*out_count = 0; *out_count < CASES && code == NC_OK; ++*out_count)
        code = measure(&cases[*out_count], options->rounds, &out[*out_count], err);
    return code;
}
