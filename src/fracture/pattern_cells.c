// Patterns of Voronoi cells: uniform, graded, splinters.
//
// The cell of a seed is cut out of the box by the planes half way to the other seeds, nearest first. A seed farther
// away than twice the cell's reach cannot cut it, nor can any after it. Two cells have their common plane from the same
// numbers, with opposite signs, so it is the same plane to the bit.
#include "fracture/pattern.h"

typedef struct neighbour {
    double distance2; // [m^2]
    int seed;
} neighbour;

static bool is_nearer(const void *a, const void *b, const void *ctx)
{
    const neighbour *n = a, *m = b;
    (void)ctx;
    return n->distance2 != m->distance2 ? n->distance2 < m->distance2 : n->seed < m->seed;
}

typedef struct cells {
    nc_pattern_builder *builder;
    const nc_vec3 *seeds; // [m] stretched
    int count;
    nc_vec3 metric;
    neighbour *neighbours; // [count]
    nc_plane *planes;      // [count] of the cell in work
    nc_polyhedron cell;    // stretched
} cells;

static nc_vec3 times(nc_vec3 a, nc_vec3 b)
{
    return nc_v3(a.x * b.x, a.y * b.y, a.z * b.z);
}

static nc_plane half_way(nc_vec3 from, nc_vec3 to)
{
    nc_plane plane;
    plane.normal = nc_unit(nc_sub(to, from));
    plane.offset = nc_dot(plane.normal, nc_scale(0.5, nc_add(from, to)));
    return plane;
}

// normal . (metric p) <= offset, as a plane of unit normal for p.
static nc_plane unstretched(nc_plane plane, nc_vec3 metric)
{
    const nc_vec3 normal = times(metric, plane.normal);
    const double length = nc_norm(normal);
    const nc_plane out = {nc_scale(1.0 / length, normal), plane.offset / length};
    return out;
}

static bool sort_neighbours(cells *c, int seed)
{
    for (int i = 0; i < c->count; i++)
        c->neighbours[i] = (neighbour){nc_norm2(nc_sub(c->seeds[i], c->seeds[seed])), i};
    return nc_sort(&c->builder->allocator, c->neighbours, (size_t)c->count, sizeof *c->neighbours, is_nearer, NULL);
}

static nc_code add_cell(cells *c, int seed, nc_error *err)
{
    const nc_box unit = nc_unit_box();
    const nc_box box = {times(c->metric, unit.lo), times(c->metric, unit.hi)};
    const nc_vec3 here = c->seeds[seed];
    int planes = 0;
    if (!sort_neighbours(c, seed) || !nc_polyhedron_box(&c->cell, box))
        return nc_fail_memory(err, (size_t)c->count * sizeof *c->neighbours);
    for (int i = 0; i < c->count; i++) {
        const neighbour *n = &c->neighbours[i];
        if (n->distance2 == 0)
            continue;
        const double reach = nc_polyhedron_reach(&c->cell, here);
        if (n->distance2 > 4.0 * (1 + 1e-9) * reach * reach)
            break;
        const nc_plane plane = half_way(here, c->seeds[n->seed]);
        if (!nc_polyhedron_clip(&c->cell, &plane, planes))
            return nc_fail_memory(err, sizeof plane);
        c->planes[planes++] = unstretched(plane, c->metric);
    }
    return nc_pattern_add(c->builder, c->planes, planes, err);
}

nc_code nc_pattern_add_cells(nc_pattern_builder *builder, const nc_vec3 *seeds, int count, nc_vec3 metric,
                             nc_error *err)
{
    const nc_allocator *memory = &builder->allocator;
    nc_vec3 *stretched = nc_alloc(memory, (size_t)count, sizeof *stretched);
    cells c = {.builder = builder, .seeds = stretched, .count = count, .metric = metric};
    c.neighbours = nc_alloc(memory, (size_t)count, sizeof *c.neighbours);
    c.planes = nc_alloc(memory, (size_t)count, sizeof *c.planes);
    c.cell = nc_polyhedron_create(memory);
    nc_code code = NC_OK;
    if (stretched == NULL || c.neighbours == NULL || c.planes == NULL)
        code = nc_fail_memory(err, (size_t)count * sizeof *c.neighbours);
    for (int i = 0; i < count && code == NC_OK; i++)
        stretched[i] = times(metric, seeds[i]);
    for (int i = 0; i < count && code == NC_OK; i++)
        code = add_cell(&c, i, err);
    nc_polyhedron_free(&c.cell);
    nc_free(memory, stretched, (size_t)count, sizeof *stretched);
    nc_free(memory, c.neighbours, (size_t)count, sizeof *c.neighbours);
    nc_free(memory, c.planes, (size_t)count, sizeof *c.planes);
    return code;
}

// ---- seeds --------------------------------------------------------------------------------------------------

#define CANDIDATES 8 // places tried for a seed; the one farthest from all others is taken

static double distance2_to_seeds(const nc_vec3 *seeds, int count, nc_vec3 metric, nc_vec3 p)
{
    double least = INFINITY;
    for (int i = 0; i < count; i++)
        least = fmin(least, nc_norm2(times(metric, nc_sub(seeds[i], p))));
    return least;
}

// Evenly spread seeds.
static void spread_seeds(nc_random *random, nc_vec3 metric, nc_vec3 *seeds, int count)
{
    for (int i = 0; i < count; i++) {
        double widest = -1;
        for (int k = 0; k < CANDIDATES; k++) {
            const nc_vec3 p = nc_random_in_box(random, nc_unit_box());
            const double distance2 = distance2_to_seeds(seeds, i, metric, p);
            if (distance2 > widest) {
                widest = distance2;
                seeds[i] = p;
            }
        }
    }
}

// Seeds as dense as (distance from the centre)^-k: by drawing a place toward the centre, by its distance to a power.
static void grade_seeds(nc_random *random, double grading, nc_vec3 *seeds, int count)
{
    spread_seeds(random, nc_v3(1, 1, 1), seeds, count);
    const int whole = (int)floor(grading);
    const double part = grading - whole;
    for (int i = 0; i < count; i++) {
        const double r = 2.0 * nc_max3(seeds[i]); // 0 at the centre, 1 at the box
        double pull = 1.0 + part * (r - 1.0);     // r^part, nearly: from 1 to r
        for (int k = 0; k < whole; k++)
            pull *= r;
        seeds[i] = nc_scale(pull, seeds[i]);
    }
}

static nc_code make_cells(nc_pattern_builder *builder, int count, double grading, nc_vec3 metric, nc_error *err)
{
    nc_vec3 *seeds = nc_alloc(&builder->allocator, (size_t)count, sizeof *seeds);
    if (seeds == NULL)
        return nc_fail_memory(err, (size_t)count * sizeof *seeds);
    if (grading > 0)
        grade_seeds(&builder->random, grading, seeds, count);
    else
        spread_seeds(&builder->random, metric, seeds, count);
    const nc_code code = nc_pattern_add_cells(builder, seeds, count, metric, err);
    nc_free(&builder->allocator, seeds, (size_t)count, sizeof *seeds);
    return code;
}

nc_code nc_pattern_make_voronoi(nc_pattern_builder *builder, const double *values, nc_error *err)
{
    return make_cells(builder, (int)values[0], 0, nc_v3(1, 1, 1), err);
}

nc_code nc_pattern_make_graded(nc_pattern_builder *builder, const double *values, nc_error *err)
{
    return make_cells(builder, (int)values[0], values[1], nc_v3(1, 1, 1), err);
}

nc_code nc_pattern_make_splinters(nc_pattern_builder *builder, const double *values, nc_error *err)
{
    return make_cells(builder, (int)values[0], 0, nc_v3(1.0 / values[1], 1, 1), err);
}
