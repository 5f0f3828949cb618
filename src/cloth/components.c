// Components: vertices that forces or edges connect, as far as physics moves them. Forces of two components have no
// free vertex in common, so their order among each other does not matter to the bit.
//
// Edges count even where they carry no spring: a contact examines the features next to its own
// (nc_cloth_contact_is_covered).
#include "cloth/world.h"

#include <string.h>

void nc_cloth_components_free(nc_cloth_elastic *e, const nc_allocator *allocator)
{
    const size_t count = (size_t)e->vertex_capacity;
    nc_free(allocator, e->part, count, sizeof *e->part);
    nc_free(allocator, e->component, count, sizeof *e->component);
    nc_free(allocator, e->free, count, sizeof *e->free);
    nc_free(allocator, e->vertices, count, sizeof *e->vertices);
    nc_array_free(allocator, &e->components);
    nc_array_free(allocator, &e->ranges);
    nc_array_free(allocator, &e->pushed);
    e->part = e->component = e->vertices = NULL;
    e->free = NULL;
    e->vertex_capacity = 0;
}

// ---- which vertices -----------------------------------------------------------------------------------------

// Trees of vertices: `component` holds each one's parent while they are joined.
// Joins the free ones of `count` vertices; the least is the root.
static void join(nc_cloth_elastic *e, const int *v, int count)
{
    int first = -1;
    for (int k = 0; k < count; k++)
        if (e->free[v[k]])
            first = nc_forest_join(e->component, first < 0 ? v[k] : first, v[k]);
}

// Components in order of their first vertices, and which one each vertex is of. False when out of memory.
static bool number_components(nc_cloth_world *world)
{
    nc_cloth_elastic *e = &world->elastic;
    const int count = world->model.vertex_count;
    e->components.count = 0;
    for (int v = 0; v < count; v++) {
        if (!e->free[v]) {
            e->component[v] = -1;
            continue;
        }
        if (e->component[v] == v) { // the root, and the first vertex that is met: others point to lower ones
            const nc_cloth_component one = {.ranges = -1};
            e->component[v] = e->components.count;
            if (!nc_array_push(&world->allocator, &e->components, one))
                return false;
        } else {
            e->component[v] = e->component[e->component[v]];
        }
        e->components.data[e->component[v]].vertex_count++;
    }
    return true;
}

static void list_vertices(nc_cloth_world *world)
{
    nc_cloth_elastic *e = &world->elastic;
    int first = 0;
    for (int c = 0; c < e->components.count; c++) {
        e->components.data[c].first_vertex = first;
        first += e->components.data[c].vertex_count;
        e->components.data[c].vertex_count = 0;
    }
    for (int v = 0; v < world->model.vertex_count; v++)
        if (e->free[v]) {
            nc_cloth_component *c = &e->components.data[e->component[v]];
            e->vertices[c->first_vertex + c->vertex_count++] = v;
        }
}

static bool find_components(nc_cloth_world *world)
{
    nc_cloth_elastic *e = &world->elastic;
    for (int v = 0; v < world->model.vertex_count; v++) {
        e->free[v] = world->states[v].inv_mass > 0;
        e->component[v] = v;
    }
    for (int i = 0; i < world->model.edges.count; i++)
        join(e, world->model.edges.data[i].v, 2);
    for (int i = 0; i < e->hinges.count; i++)
        join(e, e->hinges.data[i].v, 4);
    for (int v = 0; v < world->model.vertex_count; v++)
        e->component[v] = nc_forest_root(e->component, v);
    if (!number_components(world))
        return false;
    list_vertices(world);
    return true;
}

// ---- which forces -------------------------------------------------------------------------------------------

static int component_of(const nc_cloth_elastic *e, const int *v, int count)
{
    for (int k = 0; k < count; k++)
        if (e->component[v[k]] >= 0)
            return e->component[v[k]];
    return -1;
}

// By component, part, level and id: all ints, `count` of them.
static bool key_less(const int *p, const int *q, int count)
{
    int k = 0;
    while (k < count - 1 && p[k] == q[k])
        k++;
    return p[k] < q[k];
}

static bool spring_less(const void *a, const void *b, const void *ctx)
{
    const nc_cloth_spring *s = a, *t = b;
    const int p[4] = {s->component, s->part, s->level, s->id}, q[4] = {t->component, t->part, t->level, t->id};
    (void)ctx;
    return key_less(p, q, 4);
}

static bool hinge_less(const void *a, const void *b, const void *ctx)
{
    const nc_cloth_hinge *g = a, *h = b;
    const int p[4] = {g->component, g->part, g->level, g->id}, q[4] = {h->component, h->part, h->level, h->id};
    (void)ctx;
    return key_less(p, q, 4);
}

static bool sort_forces(nc_cloth_world *world)
{
    nc_cloth_elastic *e = &world->elastic;
    const nc_allocator *a = &world->allocator;
    for (int i = 0; i < e->springs.count; i++) {
        const int v[2] = {e->springs.data[i].a, e->springs.data[i].b};
        e->springs.data[i].component = component_of(e, v, 2);
    }
    for (int i = 0; i < e->hinges.count; i++)
        e->hinges.data[i].component = component_of(e, e->hinges.data[i].v, 4);
    return nc_sort(a, e->springs.data, (size_t)e->springs.count, sizeof *e->springs.data, spring_less, NULL) &&
           nc_sort(a, e->hinges.data, (size_t)e->hinges.count, sizeof *e->hinges.data, hinge_less, NULL);
}

// Where (part, level) begins among rows [*s, ...) of component c; moves on to the first of the next component.
static void find_ranges(const nc_cloth_elastic *e, int c, int *s, int *h, nc_cloth_ranges *out)
{
    for (int part = 0; part <= NC_CLOTH_PARTS + 1; part++)
        for (int level = 0; level <= NC_CLOTH_LEVELS; level++) {
            const nc_cloth_spring *spring = e->springs.data + *s;
            const nc_cloth_hinge *hinge = e->hinges.data + *h;
            for (; *s < e->springs.count && spring->component == c &&
                   (spring->part < part || (spring->part == part && spring->level < level));
                 spring++)
                ++*s;
            for (; *h < e->hinges.count && hinge->component == c &&
                   (hinge->part < part || (hinge->part == part && hinge->level < level));
                 hinge++)
                ++*h;
            out->spring[part][level] = *s;
            out->hinge[part][level] = *h;
        }
}

static bool list_ranges(nc_cloth_world *world)
{
    nc_cloth_elastic *e = &world->elastic;
    int s = 0, h = 0;
    e->ranges.count = 0;
    while (s < e->springs.count && e->springs.data[s].component < 0)
        s++;
    while (h < e->hinges.count && e->hinges.data[h].component < 0)
        h++;
    for (int c = 0; c < e->components.count; c++) {
        nc_cloth_component *one = &e->components.data[c];
        const int first_s = s, first_h = h;
        nc_cloth_ranges ranges;
        find_ranges(e, c, &s, &h, &ranges);
        if (s == first_s && h == first_h)
            continue;
        for (int i = first_s; i < s; i++)
            one->finest = e->springs.data[i].level > one->finest ? e->springs.data[i].level : one->finest;
        for (int i = first_h; i < h; i++)
            one->finest = e->hinges.data[i].level > one->finest ? e->hinges.data[i].level : one->finest;
        one->ranges = e->ranges.count;
        one->force_count = s - first_s + h - first_h;
        if (!nc_array_push(&world->allocator, &e->ranges, ranges))
            return false;
    }
    return true;
}

// ---- prescribed forces --------------------------------------------------------------------------------------

static bool pushed_less(const void *a, const void *b, const void *ctx)
{
    const nc_cloth_pushed *p = a, *q = b;
    (void)ctx;
    return p->component < q->component;
}

static bool list_pushed(nc_cloth_world *world)
{
    nc_cloth_elastic *e = &world->elastic;
    e->pushed.count = 0;
    for (int i = 0; i < world->pushes.count; i++)
        for (int k = 0; k < world->pushes.data[i].vertex_count; k++) {
            const int v = world->pushes.data[i].vertices[k];
            const nc_cloth_pushed row = {i, v, e->component[v]};
            if (row.component >= 0 && !nc_array_push(&world->allocator, &e->pushed, row))
                return false;
        }
    if (!nc_sort(&world->allocator, e->pushed.data, (size_t)e->pushed.count, sizeof *e->pushed.data, pushed_less, NULL))
        return false;
    for (int i = e->pushed.count - 1; i >= 0; i--) {
        nc_cloth_component *c = &e->components.data[e->pushed.data[i].component];
        c->first_push = i;
        c->push_count++;
    }
    return true;
}

bool nc_cloth_components_update(nc_cloth_world *world)
{
    const nc_cloth_elastic *e = &world->elastic;
    bool same = e->components.count > 0;
    for (int v = 0; same && v < world->model.vertex_count; v++)
        same = e->free[v] == (world->states[v].inv_mass > 0);
    if (same)
        return true;
    if (find_components(world) && sort_forces(world) && list_ranges(world) && list_pushed(world))
        return true;
    world->elastic.components.count = 0; // to be rebuilt
    return false;
}
