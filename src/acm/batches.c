// Batches: forces of one level that share no vertex. In a batch the order does not matter, so it may be run by several
// threads; batches are run one after the other. What comes out is the same bits for any number of threads.
#include "acm/cloth.h"

#include <string.h>

#define MOST_COLOURS 63 // what finds none is left to the last batch, which is run in order

// ---- colours ------------------------------------------------------------------------------------------------

// The lowest colour that none of the vertices has yet.
static int take_colour(uint64_t *used, const int *v, int count)
{
    uint64_t taken = 0;
    int colour = 0;
    for (int k = 0; k < count; k++)
        taken |= used[v[k]];
    while (colour < MOST_COLOURS && (taken >> colour & 1) != 0)
        colour++;
    for (int k = 0; k < count && colour < MOST_COLOURS; k++)
        used[v[k]] |= UINT64_C(1) << colour;
    return colour;
}

static void clear_colours(uint64_t *used, const nc_acm_model *model)
{
    memset(used, 0, (size_t)model->vertex_count * sizeof *used);
}

// Forces are in order of levels.
static void colour_springs(nc_cloth_world *world, uint64_t *used)
{
    nc_acm_spring *s = world->elastic.springs.data;
    for (int i = 0; i < world->elastic.springs.count; i++) {
        const int v[2] = {s[i].a, s[i].b};
        if (i == 0 || s[i].level != s[i - 1].level)
            clear_colours(used, &world->model);
        s[i].batch = take_colour(used, v, 2);
    }
}

static void colour_hinges(nc_cloth_world *world, uint64_t *used)
{
    nc_acm_hinge *h = world->elastic.hinges.data;
    for (int i = 0; i < world->elastic.hinges.count; i++) {
        if (i == 0 || h[i].level != h[i - 1].level)
            clear_colours(used, &world->model);
        h[i].batch = take_colour(used, h[i].v, 4);
    }
}

static bool spring_less(const void *a, const void *b, const void *ctx)
{
    const nc_acm_spring *p = a, *q = b;
    (void)ctx;
    return p->level != q->level ? p->level < q->level : p->batch < q->batch;
}

static bool hinge_less(const void *a, const void *b, const void *ctx)
{
    const nc_acm_hinge *p = a, *q = b;
    (void)ctx;
    return p->level != q->level ? p->level < q->level : p->batch < q->batch;
}

// ---- batches ------------------------------------------------------------------------------------------------

// One force more at the end, in its batch or a new one.
static bool extend(const nc_allocator *allocator, nc_acm_batches *b, int row, int level, int colour)
{
    nc_acm_batch *last = b->count > 0 ? &b->data[b->count - 1] : NULL;
    if (last != NULL && last->level == level && last->colour == colour) {
        last->count++;
        return true;
    }
    const nc_acm_batch batch = {row, 1, level, colour, colour < MOST_COLOURS};
    return nc_array_push(allocator, b, batch);
}

static void find_first(nc_acm_batches *b)
{
    for (int level = 0, i = 0; level <= NC_ACM_LEVELS + 1; level++) {
        while (i < b->count && b->data[i].level < level)
            i++;
        b->first[level] = i;
    }
}

// The vertices that elastic forces hold, by the finest level of these.
static bool list_held(nc_cloth_world *world)
{
    nc_acm_elastic *e = &world->elastic;
    const size_t count = (size_t)world->model.vertex_count;
    int *finest = nc_alloc(&world->allocator, count, sizeof *finest);
    e->held = nc_alloc(&world->allocator, count, sizeof *e->held);
    e->held_capacity = world->model.vertex_count;
    if (finest == NULL || e->held == NULL) {
        nc_free(&world->allocator, finest, count, sizeof *finest);
        return count == 0;
    }
    for (size_t v = 0; v < count; v++)
        finest[v] = -1;
    for (int i = 0; i < e->springs.count; i++) // ascending levels: the last one stays
        finest[e->springs.data[i].a] = finest[e->springs.data[i].b] = e->springs.data[i].level;
    for (int i = 0; i < e->hinges.count; i++)
        for (int k = 0; k < 4; k++)
            if (finest[e->hinges.data[i].v[k]] < e->hinges.data[i].level)
                finest[e->hinges.data[i].v[k]] = e->hinges.data[i].level;
    int held = 0;
    for (int level = 0; level <= NC_ACM_LEVELS + 1; level++) {
        e->first_held[level] = held;
        for (int v = 0; v < world->model.vertex_count; v++)
            if (finest[v] == level)
                e->held[held++] = v;
    }
    e->held_count = held;
    nc_free(&world->allocator, finest, count, sizeof *finest);
    return true;
}

static bool sort_batches(nc_cloth_world *world)
{
    nc_acm_elastic *e = &world->elastic;
    const nc_allocator *a = &world->allocator;
    if (!nc_sort(a, e->springs.data, (size_t)e->springs.count, sizeof *e->springs.data, spring_less, NULL) ||
        !nc_sort(a, e->hinges.data, (size_t)e->hinges.count, sizeof *e->hinges.data, hinge_less, NULL))
        return false;
    e->spring_batches.count = e->hinge_batches.count = 0;
    for (int i = 0; i < e->springs.count; i++)
        if (!extend(a, &e->spring_batches, i, e->springs.data[i].level, e->springs.data[i].batch))
            return false;
    for (int i = 0; i < e->hinges.count; i++)
        if (!extend(a, &e->hinge_batches, i, e->hinges.data[i].level, e->hinges.data[i].batch))
            return false;
    find_first(&e->spring_batches);
    find_first(&e->hinge_batches);
    return true;
}

bool nc_acm_batches_build(nc_cloth_world *world)
{
    const size_t count = (size_t)world->model.vertex_count;
    uint64_t *used = nc_alloc(&world->allocator, count, sizeof *used);
    if (used == NULL)
        return count == 0;
    colour_springs(world, used);
    colour_hinges(world, used);
    nc_free(&world->allocator, used, count, sizeof *used);
    return sort_batches(world) && list_held(world);
}

void nc_acm_batches_free(nc_acm_elastic *elastic, const nc_allocator *allocator)
{
    nc_array_free(allocator, &elastic->spring_batches);
    nc_array_free(allocator, &elastic->hinge_batches);
    nc_free(allocator, elastic->held, (size_t)elastic->held_capacity, sizeof *elastic->held);
    elastic->held = NULL;
    elastic->held_capacity = elastic->held_count = 0;
}
