// The start of a run: free of intersections, and pairs that start inside the outermost layer get layers that fit.
#include "cloth/world.h"

// ---- pairs that start near ----------------------------------------------------------------------------------

static double start_distance(const nc_cloth_model *m, nc_cloth_pair pair)
{
    int v[4];
    nc_vec3 x[4] = {{0, 0, 0}};
    const int count = nc_cloth_pair_vertices(m, pair, v);
    for (int k = 0; k < count; k++)
        x[k] = m->start[v[k]];
    if (pair.kind == NC_CLOTH_POINT_POINT)
        return nc_norm(nc_sub(x[0], x[1]));
    return pair.kind == NC_CLOTH_VERTEX_TRIANGLE ? nc_distance_point_triangle(x[0], x + 1).lower_bound
                                                 : nc_distance_segment_segment(x, x + 2).lower_bound;
}

static nc_code touching(const nc_cloth_model *m, nc_cloth_pair pair, nc_error *err)
{
    int v[4];
    const int count = nc_cloth_pair_vertices(m, pair, v);
    const nc_vec3 at = m->start[v[0]];
    return nc_fail(err, NC_INTERSECTING, "\"%s\" and \"%s\" touch at the start, at (%.6g, %.6g, %.6g)",
                   m->objects.data[m->object[v[0]]].name, m->objects.data[m->object[v[count - 1]]].name, at.x, at.y,
                   at.z);
}

static nc_code record_near(nc_cloth_model *m, const nc_cloth_near_pairs *needs, nc_error *err)
{
    for (int i = 0; i < needs->count; i++) {
        const nc_cloth_pair pair = needs->data[i].pair;
        int v[4];
        double extent = 0;
        const int count = nc_cloth_pair_vertices(m, pair, v);
        for (int k = 0; k < count; k++)
            extent = fmax(extent, nc_max3(m->start[v[k]]));
        const double distance = start_distance(m, pair);
        if (!(distance > 0x1p-30 * extent)) // rounding must stay far below the thinnest layer
            return touching(m, pair, err);
        const double thickness = NC_CLOTH_START_FRACTION * distance;
        if (thickness >= nc_cloth_pair_thickness(m, pair))
            continue;
        const nc_cloth_near_start near = {pair, thickness};
        if (!nc_array_push(&m->allocator, &m->near_start, near))
            return nc_fail_memory(err, sizeof near);
    }
    return NC_OK;
}

// The search finds all pairs within their objects' thickness over 4/5, where nothing moves. A search of its own:
// the one that runs later knows the result.
static nc_code find_near(nc_cloth_world *world, nc_error *err)
{
    nc_cloth_model *m = &world->model;
    nc_cloth_search *search = NULL;
    nc_cloth_near_pairs needs = {0};
    double thickest = 0;
    for (int a = 0; a < m->objects.count; a++)
        for (int b = 0; b < m->objects.count; b++)
            thickest = fmax(thickest, nc_cloth_object_thickness(m, a, b));
    nc_cloth_trace_open(&world->trace, 0, 0);
    m->near_start.count = 0; // of a start that failed
    nc_free(&m->allocator, m->near_first, m->near_first != NULL ? (size_t)m->near_rows + 1 : 0, sizeof *m->near_first);
    m->near_first = NULL;
    nc_code code = nc_cloth_search_create(m, &search, err);
    if (code == NC_OK)
        code = nc_cloth_window_find(search, m, world->states, &world->trace,
                                    (1 / NC_CLOTH_START_FRACTION - 1) * thickest, &needs, err);
    if (code == NC_OK) // in the order of the needs, which is that of pairs
        code = record_near(m, &needs, err);
    if (code == NC_OK && !nc_cloth_near_index(m))
        code = nc_fail_memory(err, (size_t)m->vertex_count * sizeof(int));
    if (code != NC_OK)
        m->near_start.count = 0;
    nc_array_free(&m->allocator, &needs);
    nc_cloth_search_destroy(search);
    return code;
}

// ---- intersections ------------------------------------------------------------------------------------------

static nc_code check_start(const nc_cloth_world *world, nc_error *err)
{
    const nc_cloth_model *m = &world->model;
    nc_cloth_overlap first;
    int count = 0;
    const nc_code code = nc_cloth_audit_positions(m, m->start, &first, 1, &count, err);
    if (code != NC_OK || count == 0)
        return code;
    return nc_fail(err, NC_INTERSECTING,
                   "the start has %d intersecting pairs of triangles, the first of \"%s\" and \"%s\" at (%.6g, %.6g, "
                   "%.6g)",
                   count, m->objects.data[first.object_a].name, m->objects.data[first.object_b].name, first.place.x,
                   first.place.y, first.place.z);
}

// ---- arrays -------------------------------------------------------------------------------------------------

static bool take_arrays(nc_cloth_world *world)
{
    const size_t count = (size_t)world->model.vertex_count;
    const nc_allocator *a = &world->allocator;
    world->trace.last = nc_alloc(a, count, sizeof *world->trace.last);
    world->kicks = nc_alloc(a, count, sizeof *world->kicks);
    world->kept = nc_alloc(a, count, sizeof *world->kept);
    if (world->trace.last == NULL || world->kicks == NULL || world->kept == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        world->trace.last[i] = -1;
    return true;
}

void nc_cloth_start_undo(nc_cloth_world *world)
{
    const size_t count = (size_t)world->model.vertex_count;
    const nc_allocator *a = &world->allocator;
    nc_free(a, world->trace.last, count, sizeof *world->trace.last);
    nc_free(a, world->kicks, count, sizeof *world->kicks);
    nc_free(a, world->kept, count, sizeof *world->kept);
    nc_cloth_search_destroy(world->search);
    nc_cloth_surface_free(&world->model);
    world->trace.last = NULL;
    world->kicks = NULL;
    world->kept = NULL;
    world->search = NULL;
}

// One thread more than there are cores: OpenMP's threads then wait asleep, not spinning. What they do is short;
// spinning saves microseconds of it on an idle machine and costs milliseconds on a busy one. The same number
// everywhere: threads that are too many for one loop would be ended, and made again for the next.
static void set_workers(nc_cloth_world *world)
{
    const int workers = nc_worker_count(world->model.settings.workers);
    world->tick_workers = workers > 1 ? workers + 1 : 1;
    nc_cloth_search_set_workers(world->search, world->tick_workers);
}

nc_code nc_cloth_start(nc_cloth_world *world, nc_error *err)
{
    if (world->model.vertex_count == 0)
        return nc_fail(err, NC_BAD_ARGUMENT, "a cloth world without objects cannot be stepped");
    nc_code code = take_arrays(world) ? NC_OK : nc_fail_memory(err, sizeof *world->kept);
    if (code == NC_OK)
        code = check_start(world, err);
    if (code == NC_OK)
        code = find_near(world, err);
    if (code == NC_OK)
        code = nc_cloth_search_create(&world->model, &world->search, err);
    if (code == NC_OK)
        set_workers(world);
    if (code == NC_OK)
        code = nc_cloth_surface_build(&world->model, err);
    if (code == NC_OK) // last: it cannot be done twice
        code = nc_cloth_elastic_finish(world, err);
    if (code != NC_OK) {
        nc_cloth_start_undo(world);
        return code;
    }
    world->window_level = NC_CLOTH_SCRIPT_LEVEL;
    world->started = true;
    return NC_OK;
}
