// Planar shards: the box is cut from side to side, again and again, by planes that are nearly upright on the pane.
#include "fracture/pattern.h"

#define DIRECTIONS 6 // tried for a cut; the one the piece is widest in is taken

typedef struct shard {
    NC_ARRAY(nc_plane) planes; // of the cuts that bound it
    double volume;             // [m^3]
    nc_vec3 center;            // [m]
} shard;

typedef struct shards {
    nc_pattern_builder *builder;
    double tilt, grading;
    shard *items;
    int count, capacity;
} shards;

// Cuts the shard out of the box, and forgets planes that do not bound it.
static bool settle(nc_pattern_builder *builder, shard *s)
{
    nc_polyhedron *piece = &builder->piece;
    if (!nc_polyhedron_box(piece, nc_unit_box()))
        return false;
    for (int i = 0; i < s->planes.count; i++)
        if (!nc_polyhedron_clip(piece, &s->planes.data[i], i))
            return false;
    s->volume = nc_polyhedron_volume(piece, &s->center);
    int kept = 0;
    for (int i = 0; i < s->planes.count; i++)
        for (int f = 0; f < piece->faces.count; f++)
            if (piece->faces.data[f].tag == i) {
                s->planes.data[kept++] = s->planes.data[i];
                break;
            }
    s->planes.count = kept;
    return true;
}

// How much a shard wants to be cut: its size, over its distance from the centre to the power of the grading, nearly.
static double urge(const shards *all, const shard *s)
{
    const double near = 0.05 + nc_norm(nc_v3(s->center.x, s->center.y, 0));
    const int whole = (int)floor(all->grading);
    double weight = 1.0 + (all->grading - whole) * (near - 1.0);
    for (int k = 0; k < 2 * whole; k++)
        weight *= near;
    return s->volume / weight;
}

static int most_urgent(const shards *all)
{
    int best = 0;
    for (int i = 1; i < all->count; i++)
        if (urge(all, &all->items[i]) > urge(all, &all->items[best]))
            best = i;
    return best;
}

static double width_along(const nc_polyhedron *piece, nc_vec3 direction)
{
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < piece->loops.count; i++) {
        const double at = nc_dot(direction, piece->corners.data[piece->loops.data[i]]);
        low = fmin(low, at);
        high = fmax(high, at);
    }
    return high - low;
}

// A plane near the middle of the shard, which the builder's piece is. Random numbers are drawn in a fixed order.
static nc_plane choose_cut(const shards *all, const shard *s)
{
    nc_random *random = &all->builder->random;
    nc_plane plane = {{1, 0, 0}, 0};
    double widest = -1;
    for (int k = 0; k < DIRECTIONS; k++) {
        double sine, cosine, up, flat;
        nc_sincos(nc_random_range(random, 0, NC_PI), &sine, &cosine);
        nc_sincos(all->tilt * nc_random_range(random, -1, 1), &up, &flat);
        const nc_vec3 normal = nc_unit(nc_v3(flat * cosine, flat * sine, up));
        const double width = width_along(&all->builder->piece, normal);
        if (width > widest) {
            widest = width;
            plane.normal = normal;
        }
    }
    plane.offset = nc_dot(plane.normal, s->center) + 0.2 * widest * (nc_random_unit(random) - 0.5);
    return plane;
}

// Cuts one shard in two; the other half is a new one.
static bool split(shards *all, int at)
{
    nc_pattern_builder *builder = all->builder;
    shard *s = &all->items[at], *other = &all->items[all->count];
    if (!settle(builder, s))
        return false;
    nc_plane plane = choose_cut(all, s);
    all->count++;
    for (int i = 0; i < s->planes.count; i++)
        if (!nc_array_push(&builder->allocator, &other->planes, s->planes.data[i]))
            return false;
    if (!nc_array_push(&builder->allocator, &s->planes, plane))
        return false;
    plane = (nc_plane){nc_neg(plane.normal), -plane.offset};
    return nc_array_push(&builder->allocator, &other->planes, plane) && settle(builder, s) && settle(builder, other);
}

static nc_code cut_shards(shards *all, nc_error *err)
{
    if (!settle(all->builder, &all->items[0]))
        return nc_fail_memory(err, sizeof(shard));
    all->count = 1;
    while (all->count < all->capacity)
        if (!split(all, most_urgent(all)))
            return nc_fail_memory(err, sizeof(shard));
    for (int i = 0; i < all->count; i++) {
        const nc_code code = nc_pattern_add(all->builder, all->items[i].planes.data, all->items[i].planes.count, err);
        if (code != NC_OK)
            return code;
    }
    return NC_OK;
}

nc_code nc_pattern_make_shards(nc_pattern_builder *builder, const double *values, nc_error *err)
{
    const nc_allocator *memory = &builder->allocator;
    shards all = {.builder = builder, .tilt = values[1], .grading = values[2], .capacity = (int)values[0]};
    all.items = nc_alloc(memory, (size_t)all.capacity, sizeof *all.items);
    if (all.items == NULL)
        return nc_fail_memory(err, (size_t)all.capacity * sizeof *all.items);
    const nc_code code = cut_shards(&all, err);
    for (int i = 0; i < all.capacity; i++)
        nc_array_free(memory, &all.items[i].planes);
    nc_free(memory, all.items, (size_t)all.capacity, sizeof *all.items);
    return code;
}
