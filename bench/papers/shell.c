// Shell and Drumwright, section 3: what the precision epsilon costs. One torus in five representations (a soup of
// triangles, a solid, an implicit function, a level set, a parametric surface), which the corners of a tumbling box
// hit.
#include "bench/bench.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { MOTIONS = 16, FINEST = 8, SEGMENTS_FINEST = 5, REPRESENTATIONS = 5, REPEATS = 3 };

static const char *const names[REPRESENTATIONS] = {"soup", "solid", "implicit", "level set", "parametric"};

typedef struct cost {
    double queries; // of a motion
    double seconds; // [s] of a motion, the least of the repetitions
    int hits;
} cost;

typedef struct shell_bench {
    nc_allocator allocator;
    nc_motion body[MOTIONS], goal[MOTIONS];
    nc_vec3 corners[8];
    nc_csg_node node;
    nc_csg csg;
    nc_mesh *mesh;
    nc_implicit implicit;
    nc_level_set set;
    double *values;
    size_t value_count;
    nc_parametric surface;
    nc_target targets[REPRESENTATIONS];
    cost boxes[REPRESENTATIONS][FINEST], segments[REPRESENTATIONS][FINEST];
    int representation; // of what is timed
} shell_bench;

#define RING 0.6 // [m]
#define TUBE 0.2 // [m]
#define CELL 0.05

// ---- the torus ----------------------------------------------------------------------------------------------

static nc_vec3 torus_point(const void *ctx, double u, double v, nc_vec3 *du, nc_vec3 *dv)
{
    (void)ctx;
    double su, cu, sv, cv;
    nc_sincos(u, &su, &cu);
    nc_sincos(v, &sv, &cv);
    const double r = RING + TUBE * cv;
    if (du != NULL)
        *du = nc_v3(-r * su, r * cu, 0);
    if (dv != NULL)
        *dv = nc_v3(-TUBE * sv * cu, -TUBE * sv * su, TUBE * cv);
    return nc_v3(r * cu, r * su, TUBE * sv);
}

static double solid_value(const void *ctx, nc_vec3 p)
{
    return nc_csg_value(ctx, p);
}

static nc_code make_level_set(shell_bench *b, nc_error *err)
{
    const int across = (int)(2 * (RING + TUBE) / CELL) + 6, up = (int)(2 * TUBE / CELL) + 6;
    b->set =
        (nc_level_set){.origin = nc_v3(-0.5 * CELL * (across - 1), -0.5 * CELL * (across - 1), -0.5 * CELL * (up - 1)),
                       .spacing = CELL,
                       .count = {across, across, up}};
    b->value_count = (size_t)across * (size_t)across * (size_t)up;
    b->values = nc_alloc(&b->allocator, b->value_count, sizeof *b->values);
    if (b->values == NULL)
        return nc_fail_memory(err, b->value_count * sizeof *b->values);
    size_t row = 0;
    for (int k = 0; k < up; k++)
        for (int j = 0; j < across; j++)
            for (int i = 0; i < across; i++)
                b->values[row++] = nc_csg_value(&b->csg, nc_madd(b->set.origin, CELL, nc_v3(i, j, k)));
    b->set.values = b->values;
    return nc_target_level_set(&b->set, &b->targets[3], err);
}

static nc_code make_targets(shell_bench *b, nc_error *err)
{
    b->node = (nc_csg_node){.kind = NC_CSG_TORUS, .pose = {.q = {1, 0, 0, 0}}, .size = {RING, TUBE, 0}};
    b->csg = (nc_csg){&b->node, 1};
    b->implicit = (nc_implicit){.value = solid_value, .ctx = &b->csg, .slope = 1, .error = 1e-12, .step = 1e-6};
    const double round = 2 * 3.14159265358979312;
    b->surface = (nc_parametric){.point = torus_point,
                                 .u = {0, round},
                                 .v = {0, round},
                                 .slope_u = RING + TUBE,
                                 .slope_v = TUBE,
                                 .error = 1e-14};
    nc_code code = nc_csg_mesh(&b->csg, &(nc_csg_mesh_def){.cell = CELL}, &b->allocator, &b->mesh, NULL, err);
    if (code == NC_OK)
        code = nc_target_csg(&b->csg, &b->targets[1], err);
    if (code == NC_OK)
        code = nc_target_implicit(&b->implicit, &b->targets[2], err);
    if (code == NC_OK)
        code = make_level_set(b, err);
    if (code == NC_OK)
        code = nc_target_parametric(&b->surface, &b->targets[4], err);
    if (code == NC_OK)
        b->targets[0] = nc_target_mesh(b->mesh);
    return code;
}

// ---- motions ------------------------------------------------------------------------------------------------

static nc_vec3 random_vector(nc_random *random, double size)
{
    const double x = nc_random_range(random, -size, size), y = nc_random_range(random, -size, size);
    return nc_v3(x, y, nc_random_range(random, -size, size));
}

// From outside through the ring's middle and out again, both tumbling.
static void make_motions(shell_bench *b)
{
    nc_random random = {2009};
    for (int i = 0; i < MOTIONS; i++) {
        const nc_vec3 start = nc_v3(nc_random_range(&random, -0.3, 0.3), 2.5, nc_random_range(&random, -0.3, 0.3));
        b->body[i] = (nc_motion){{start, {1, 0, 0, 0}}, nc_v3(0, -5, 0), random_vector(&random, 6)};
        b->goal[i] = (nc_motion){.start = {.q = {1, 0, 0, 0}}, .rotation = random_vector(&random, 3)};
    }
    for (int i = 0; i < 8; i++)
        b->corners[i] = nc_v3(i & 1 ? 0.25 : -0.25, i & 2 ? 0.25 : -0.25, i & 4 ? 0.25 : -0.25);
}

static nc_code run(const shell_bench *b, int representation, double epsilon, bool segments, cost *out, nc_error *err)
{
    nc_trajectory_def def = nc_trajectory_def_default();
    def.epsilon = epsilon;
    def.segments = segments;
    def.limit = 10000000;
    *out = (cost){.seconds = INFINITY};
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        const double start = nc_cpu_clock();
        out->queries = 0;
        out->hits = 0;
        for (int i = 0; i < MOTIONS; i++) {
            nc_trajectory_result r;
            const nc_code code = nc_trajectory_contact(b->corners, 8, &b->body[i], &b->targets[representation],
                                                       &b->goal[i], &def, &r, err);
            if (code != NC_OK)
                return code;
            out->queries += (double)r.queries / MOTIONS;
            out->hits += r.verdict == NC_HIT;
        }
        out->seconds = fmin(out->seconds, (nc_cpu_clock() - start) / MOTIONS);
    }
    return NC_OK;
}

static nc_code measure_all(shell_bench *b, nc_error *err)
{
    nc_code code = NC_OK;
    for (int k = 0; k < REPRESENTATIONS; k++)
        for (int e = 0; e < FINEST && code == NC_OK; e++) {
            const double epsilon = pow(10, -1 - e);
            code = run(b, k, epsilon, false, &b->boxes[k][e], err);
            if (code == NC_OK && e < SEGMENTS_FINEST)
                code = run(b, k, epsilon, true, &b->segments[k][e], err);
        }
    return code;
}

// ---- the page -----------------------------------------------------------------------------------------------

static void write_table(FILE *page, const char *what, const cost costs[REPRESENTATIONS][FINEST], int rows)
{
    fprintf(page, "\n## %s\n\n| epsilon [m] |", what);
    for (int k = 0; k < REPRESENTATIONS; k++)
        fprintf(page, " %s |", names[k]);
    fputs("\n| --- | --- | --- | --- | --- | --- |\n", page);
    for (int e = 0; e < rows; e++) {
        fprintf(page, "| 1e-%d |", e + 1);
        for (int k = 0; k < REPRESENTATIONS; k++)
            fprintf(page, " %.0f, %.3g us, %d |", costs[k][e].queries, 1e6 * costs[k][e].seconds, costs[k][e].hits);
        fputc('\n', page);
    }
}

static nc_code write_page(const shell_bench *b, const char *folder, nc_error *err)
{
    char path[1100];
    const nc_machine m = nc_this_machine();
    snprintf(path, sizeof path, "%.1000s/shell.md", folder);
    FILE *page = fopen(path, "w");
    if (page == NULL)
        return nc_fail(err, NC_IO, "cannot write '%s': %s", path, strerror(errno));
    fprintf(
        page,
        "# Shell and Drumwright: what the precision costs\n\n"
        "The eight corners of a tumbling box against a tumbling torus in five representations, %d motions; each cell: "
        "queries of a motion, processor time of a motion, motions that hit. The soup has %d triangles, the level set "
        "cells of %g m, so these two are not quite the same torus, and the function of the level set is not quite a "
        "distance. A solid is touched from inside, too; its surface alone (soup, parametric) is not.\n\n"
        "Measured by `nacre bench shell` on %s (%d cores, %s), nacre %s.\n",
        MOTIONS, nc_mesh_view(b->mesh).triangle_count, CELL, m.processor, m.cores, m.system, nc_version());
    write_table(page, "Boxes around the curve (Algorithm 1): nothing is missed", b->boxes, FINEST);
    write_table(page, "Straight pieces (the variant): misses what is entered by less than epsilon", b->segments,
                SEGMENTS_FINEST);
    const bool failed = ferror(page) != 0;
    return fclose(page) != 0 || failed ? nc_fail(err, NC_IO, "cannot write '%s'", path) : NC_OK;
}

// ---- results ------------------------------------------------------------------------------------------------

static nc_code time_boxes(void *ctx, nc_error *err)
{
    const shell_bench *b = ctx;
    cost unused;
    return run(b, b->representation, 1e-4, false, &unused, err);
}

static nc_code time_segments(void *ctx, nc_error *err)
{
    const shell_bench *b = ctx;
    cost unused;
    return run(b, b->representation, 1e-4, true, &unused, err);
}

static nc_code compare(shell_bench *b, int rounds, nc_bench_result *out, nc_error *err)
{
    static const char *const keys[FINEST] = {"box_queries_1e_1", "box_queries_1e_2", "box_queries_1e_3",
                                             "box_queries_1e_4", "box_queries_1e_5", "box_queries_1e_6",
                                             "box_queries_1e_7", "box_queries_1e_8"};
    static const char *const titles[REPRESENTATIONS] = {"trajectory, soup", "trajectory, solid", "trajectory, implicit",
                                                        "trajectory, level set", "trajectory, parametric"};
    nc_bench_pair pair = {.name = titles[b->representation],
                          .ours = {.name = "boxes around the curve", .work = time_boxes},
                          .peer = {.name = "straight pieces", .work = time_segments},
                          .ctx = b,
                          .peer_share = 1,
                          .clock = NC_CLOCK_CPU,
                          .items = MOTIONS * REPEATS};
    snprintf(pair.note, sizeof pair.note, "epsilon 1e-4 m; figures: queries of a motion for each epsilon");
    const nc_code code = nc_bench_compare(&pair, rounds, out, err);
    for (int e = 0; e < FINEST && code == NC_OK; e++)
        nc_bench_add_figure(out, keys[e], b->boxes[b->representation][e].queries, "1");
    if (code == NC_OK) {
        nc_bench_add_figure(out, "hits", b->boxes[b->representation][FINEST - 1].hits, "1");
        nc_bench_add_figure(out, "segment_queries_1e_4", b->segments[b->representation][3].queries, "1");
    }
    return code;
}

nc_code nc_bench_shell(const nc_bench_options *options, nc_bench_result *out, int *out_count, nc_error *err)
{
    const nc_allocator allocator = nc_allocator_default();
    shell_bench *b = nc_alloc(&allocator, 1, sizeof *b);
    *out_count = 0;
    if (b == NULL)
        return nc_fail_memory(err, sizeof *b);
    b->allocator = allocator;
    make_motions(b);
    nc_code code = make_targets(b, err);
    if (code == NC_OK)
        code = measure_all(b, err);
    if (code == NC_OK)
        code = write_page(b, options->results, err);
    for (; *out_count < REPRESENTATIONS && code == NC_OK; ++*out_count) {
        b->representation = *out_count;
        code = compare(b, options->rounds, &out[*out_count], err);
    }
    nc_mesh_release(b->mesh);
    nc_free(&allocator, b->values, b->value_count, sizeof *b->values);
    nc_free(&allocator, b, 1, sizeof *b);
    return code;
}
