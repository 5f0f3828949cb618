// Islands: components that the contacts of a window connect. They have nothing to do with each other while the window
// is run, so they run side by side, and only those that a new contact touches are run again. Which ones there are
// depends on the contacts only, so the bits do not depend on the number of threads.
#include "cloth/ticks.h"

#define MIN_WORK (1 << 12) // forces or pieces that are worth another thread

// ---- which components ---------------------------------------------------------------------------------------

// Joins two trees, of which -1 is none; the least row is the root.
static int join(int *parent, int a, int b)
{
    return a < 0 ? b : b < 0 ? nc_forest_root(parent, a) : nc_forest_join(parent, a, b);
}

// Calls `each` with the component of every free vertex whose state a contact reads: its own, and next to those that
// are not free the neighbours that may cover it.
typedef void (*component_visit)(int component, void *ctx);
static void visit_support(const nc_cloth_world *world, const nc_cloth_active_contact *c, component_visit each,
                          void *ctx)
{
    const nc_cloth_surface *s = &world->model.surface;
    const int *component = world->elastic.component;
    for (int k = 0; k < c->count; k++) {
        const int v = c->v[k];
        if (component[v] >= 0) {
            each(component[v], ctx);
            continue;
        }
        for (int i = s->first_neighbour[v]; i < s->first_neighbour[v + 1]; i++)
            if (component[s->neighbours[i]] >= 0)
                each(component[s->neighbours[i]], ctx);
    }
}

// The island of what a contact reads; the first when all of that is prescribed.
static void find_island(int component, void *ctx)
{
    *(int *)ctx = component;
}

static int island_of(const nc_cloth_world *world, const nc_cloth_active_contact *c)
{
    int component = -1;
    visit_support(world, c, find_island, &component);
    return component >= 0 ? world->islands.of[component] : 0;
}

// ---- lists --------------------------------------------------------------------------------------------------

static void free_room(nc_cloth_islands *n, const nc_allocator *a)
{
    nc_free(a, n->of, (size_t)n->component_capacity, sizeof *n->of);
    nc_free(a, n->components, (size_t)n->component_capacity, sizeof *n->components);
    nc_free(a, n->todo, (size_t)n->component_capacity, sizeof *n->todo);
    n->of = n->components = n->todo = NULL;
    n->component_capacity = 0;
}

// One more than there are components: there is an island even where nothing can move.
static bool take_room(nc_cloth_world *world)
{
    nc_cloth_islands *n = &world->islands;
    const nc_allocator *a = &world->allocator;
    const int need = world->elastic.components.count + 1;
    if (need <= n->component_capacity)
        return true;
    free_room(n, a);
    n->of = nc_alloc(a, (size_t)need, sizeof *n->of);
    n->components = nc_alloc(a, (size_t)need, sizeof *n->components);
    n->todo = nc_alloc(a, (size_t)need, sizeof *n->todo);
    n->component_capacity = need;
    if (n->of != NULL && n->components != NULL && n->todo != NULL)
        return true;
    free_room(n, a);
    return false;
}

// The components of each island, and what that says of it.
static void list_components(nc_cloth_world *world)
{
    nc_cloth_islands *n = &world->islands;
    const nc_cloth_elastic *e = &world->elastic;
    for (int i = 0; i < n->count; i++) {
        n->data[i].component_count = n->data[i].vertex_count = n->data[i].force_count = 0;
        n->data[i].finest_force = world->model.settings.gravity_level;
    }
    for (int c = 0; c < e->components.count; c++) {
        nc_cloth_island *one = &n->data[n->of[c]];
        const nc_cloth_component *component = &e->components.data[c];
        one->component_count++;
        one->vertex_count += component->vertex_count;
        one->force_count += component->force_count;
        one->finest_force = component->finest > one->finest_force ? component->finest : one->finest_force;
    }
    for (int i = 0, first = 0; i < n->count; i++) {
        n->data[i].first_component = first;
        first += n->data[i].component_count;
        n->data[i].component_count = 0;
        n->data[i].is_wide = e->parts > 1 && 2 * n->data[i].force_count > e->springs.count + e->hinges.count;
    }
    for (int c = 0; c < e->components.count; c++) {
        nc_cloth_island *one = &n->data[n->of[c]];
        n->components[one->first_component + one->component_count++] = c;
    }
}

// Where the rows of each level begin, from how many there are of it; returns where the next island's begin.
static int place_levels(nc_cloth_clockwork *c, int first)
{
    for (int level = c->finest; level > c->coarsest; level--)
        c->first[level - 1] += c->first[level];
    for (int level = c->coarsest; level <= c->finest; level++) {
        const int count = c->first[level];
        c->first[level] = c->next[level] = first;
        first += count;
    }
    c->first[c->finest + 1] = first;
    return first;
}

bool nc_cloth_islands_order(nc_cloth_world *world)
{
    nc_cloth_islands *n = &world->islands;
    nc_cloth_contacts *c = &world->contacts;
    if (!nc_grow(&world->allocator, (void **)&c->island, &c->island_capacity, c->count, sizeof *c->island))
        return false;
    for (int i = 0; i < n->count; i++)
        n->data[i].contacts = (nc_cloth_clockwork){.coarsest = NC_CLOTH_LEVELS, .finest = -1};
    for (int i = 0; i < c->count; i++) {
        const nc_cloth_active_contact *one = &c->data[i];
        c->island[i] = n->count > 1 ? island_of(world, one) : 0;
        nc_cloth_clockwork *k = &n->data[c->island[i]].contacts;
        if (one->depth < 0)
            continue;
        k->coarsest = one->level < k->coarsest ? one->level : k->coarsest;
        k->finest = one->level + one->depth > k->finest ? one->level + one->depth : k->finest;
        k->first[one->level + one->depth]++;
    }
    int total = 0;
    for (int i = 0; i < n->count; i++) {
        nc_cloth_island *one = &n->data[i];
        total = place_levels(&one->contacts, total);
        one->finest = one->contacts.finest > one->finest_force ? one->contacts.finest : one->finest_force;
    }
    if (!nc_grow(&world->allocator, (void **)&c->order, &c->order_capacity, total, sizeof *c->order))
        return false;
    for (int i = 0; i < c->count; i++) {
        nc_cloth_clockwork *k = &n->data[c->island[i]].contacts;
        const int finest = c->data[i].depth >= 0 ? c->data[i].level + c->data[i].depth : -1;
        for (int level = k->coarsest; level <= finest; level++)
            c->order[k->next[level]++] = i;
    }
    return true;
}

// ---- making them --------------------------------------------------------------------------------------------

static void reset(nc_cloth_island *one, int64_t begin)
{
    one->counts = (nc_cloth_counts){.smallest_distance = INFINITY};
    one->jam = (nc_cloth_jam_record){0};
    one->wants_run = true;
    one->is_full = one->is_long = false;
    one->done = begin;
}

// `count` islands for a window, with room for their components. False when out of memory.
static bool open_islands(nc_cloth_world *world, int count, int64_t begin, int64_t end)
{
    nc_cloth_islands *n = &world->islands;
    nc_cloth_trace *t = &world->trace;
    if (!nc_grow(&world->allocator, (void **)&n->data, &n->capacity, count, sizeof *n->data))
        return false;
    for (; n->made < count; n->made++)
        n->data[n->made] = (nc_cloth_island){0};
    n->count = count;
    nc_cloth_trace_forget(world, begin, end);
    for (int i = 0; i < count; i++) {
        nc_cloth_island *one = &n->data[i];
        reset(one, begin);
        one->own.count = 0;
        one->own.last = t->last;
        one->own.begin = begin;
        one->own.end = end;
        one->trace = count == 1 ? t : &one->own;
    }
    list_components(world);
    return true;
}

bool nc_cloth_islands_unite(nc_cloth_world *world)
{
    if (!take_room(world))
        return false;
    for (int c = 0; c < world->elastic.components.count; c++)
        world->islands.of[c] = 0;
    return open_islands(world, 1, world->trace.begin, world->trace.end) && nc_cloth_islands_order(world);
}

typedef struct joining {
    int *parent;
    int first; // -1: none yet
} joining;

static void join_component(int component, void *ctx)
{
    joining *j = ctx;
    j->first = join(j->parent, j->first, component);
}

bool nc_cloth_islands_begin(nc_cloth_world *world, int64_t begin, int64_t end)
{
    if (!take_room(world))
        return false;
    const int components = world->elastic.components.count;
    int *of = world->islands.of, count = 0;
    for (int c = 0; c < components; c++)
        of[c] = c;
    for (int i = 0; i < world->contacts.count; i++) {
        nc_cloth_active_contact *one = &world->contacts.data[i];
        joining j = {of, -1};
        one->changed = false;
        if (one->depth >= 0)
            visit_support(world, one, join_component, &j);
    }
    for (int c = 0; c < components; c++)
        of[c] = nc_forest_root(of, c);
    for (int c = 0; c < components; c++) // roots come before all others of their trees
        of[c] = of[c] == c ? count++ : of[of[c]];
    return open_islands(world, count > 0 ? count : 1, begin, end) && nc_cloth_islands_order(world);
}

// ---- running ------------------------------------------------------------------------------------------------

static void run_island(nc_cloth_world *world, nc_cloth_island *one)
{
    const int64_t step = nc_cloth_step_ticks(one->finest), begin = world->trace.begin, end = world->trace.end;
    const int room = nc_cloth_island_room(world, one);
    one->is_full = false;
    for (int64_t now = (one->done / step + 1) * step; now <= end; now += step) {
        if (one->trace->capacity - one->trace->count < room) {
            one->is_full = true;
            return;
        }
        nc_cloth_run_tick(world, one, now);
        one->done = now;
        if (end - begin > 1 && nc_cloth_trace_is_long(world, one)) {
            one->is_long = true;
            break;
        }
    }
    one->wants_run = false;
}

static void run_todo(int begin, int end, void *ctx)
{
    nc_cloth_world *world = ctx;
    for (int i = begin; i < end; i++) {
        nc_cloth_island *one = &world->islands.data[world->islands.todo[i]];
        if (one->wants_run)
            run_island(world, one);
    }
}

// Islands with room in their traces continue until they are done or have none: memory is taken between runs.
static bool grow_traces(nc_cloth_world *world, int first, int count, bool *grown)
{
    *grown = false;
    for (int i = first; i < count; i++) {
        const nc_cloth_island *one = &world->islands.data[world->islands.todo[i]];
        if (!one->is_full)
            continue;
        nc_cloth_trace *t = one->trace;
        if (!nc_grow(&world->allocator, (void **)&t->pieces, &t->capacity,
                     t->count + nc_cloth_island_room(world, one) + 256, sizeof *t->pieces))
            return false;
        *grown = true;
    }
    return true;
}

// Forces to be run, about.
static double work_of(const nc_cloth_world *world, const nc_cloth_island *one)
{
    const double ticks = (double)(world->trace.end - world->trace.begin) / (double)nc_cloth_step_ticks(one->finest);
    return ticks * (one->force_count + one->vertex_count);
}

// Is there enough to do beside the largest of them to wake other threads?
static int workers_for(const nc_cloth_world *world, int first, int count)
{
    double rest = 0;
    for (int i = first + 1; i < count; i++)
        rest += work_of(world, &world->islands.data[world->islands.todo[i]]);
    return rest > MIN_WORK ? world->tick_workers : 1;
}

static bool run_range(nc_cloth_world *world, int first, int count)
{
    const int workers = workers_for(world, first, count);
    bool again;
    world->islands.shared_runs += workers > 1;
    do {
        // The body gets rows from 0 on: those before `first` are done.
        nc_parallel_for(workers, count, 1, run_todo, world);
        if (!grow_traces(world, first, count, &again))
            return false;
    } while (again);
    return true;
}

static bool todo_less(const void *a, const void *b, const void *ctx)
{
    const nc_cloth_island *p = (const nc_cloth_island *)ctx + *(const int *)a,
                          *q = (const nc_cloth_island *)ctx + *(const int *)b;
    return p->force_count > q->force_count;
}

// Those that want to be run, the largest first. False when out of memory.
static bool list_todo(nc_cloth_world *world, int *out_count)
{
    nc_cloth_islands *n = &world->islands;
    *out_count = 0;
    for (int i = 0; i < n->count; i++)
        if (n->data[i].wants_run) {
            n->data[i].seconds_elastic = n->data[i].seconds_contact = 0;
            n->todo[(*out_count)++] = i;
        }
    return nc_sort(&world->allocator, n->todo, (size_t)*out_count, sizeof *n->todo, todo_less, n->data);
}

// Samples say how the wall time is shared out.
static void record_seconds(nc_cloth_world *world, int count, double seconds)
{
    double elastic = 0, contact = 0;
    for (int i = 0; i < count; i++) {
        elastic += world->islands.data[world->islands.todo[i]].seconds_elastic;
        contact += world->islands.data[world->islands.todo[i]].seconds_contact;
    }
    if (elastic + contact > 0) {
        world->seconds_elastic += seconds * elastic / (elastic + contact);
        world->seconds_contact += seconds * contact / (elastic + contact);
    }
}

// ---- one trace ----------------------------------------------------------------------------------------------

static void copy_trace(int begin, int end, void *ctx)
{
    nc_cloth_world *world = ctx;
    nc_cloth_trace *t = &world->trace;
    for (int i = begin; i < end; i++) {
        const nc_cloth_island *one = &world->islands.data[i];
        for (int k = 0, row = one->first_piece; k < one->own.count; k++, row++) {
            t->pieces[row] = one->own.pieces[k];
            t->pieces[row].before += t->pieces[row].before >= 0 ? one->first_piece : 0;
            t->last[t->pieces[row].vertex] = row;
        }
    }
}

// The islands' pieces, one after the other. False when out of memory.
static bool join_traces(nc_cloth_world *world)
{
    nc_cloth_islands *n = &world->islands;
    nc_cloth_trace *t = &world->trace;
    if (n->count == 1)
        return true;
    t->count = 0;
    for (int i = 0; i < n->count; i++) {
        n->data[i].first_piece = t->count;
        t->count += n->data[i].own.count;
    }
    if (!nc_grow(&world->allocator, (void **)&t->pieces, &t->capacity, t->count, sizeof *t->pieces))
        return false;
    nc_parallel_for(t->count > MIN_WORK ? world->tick_workers : 1, n->count, 1, copy_trace, world);
    return true;
}

nc_code nc_cloth_islands_run(nc_cloth_world *world, nc_error *err)
{
    const double begin = nc_wall_clock();
    int count = 0, wide = 0;
    bool done = list_todo(world, &count);
    if (done && count > 0 && world->islands.data[world->islands.todo[0]].is_wide) // it has more than half of all forces
        done = run_range(world, 0, wide = 1);
    done = done && run_range(world, wide, count);
    record_seconds(world, count, nc_wall_clock() - begin);
    return done && join_traces(world) ? NC_OK : nc_fail_memory(err, sizeof *world->trace.pieces);
}

// ---- rolling back -------------------------------------------------------------------------------------------

static void undo_island(nc_cloth_world *world, nc_cloth_island *one)
{
    nc_cloth_trace *t = one->trace;
    for (int i = t->count - 1; i >= 0; i--) {
        const nc_cloth_piece *p = &t->pieces[i];
        nc_cloth_state *s = &world->states[p->vertex];
        s->x = p->x;
        s->v = p->v;
        s->t = p->t;
        world->kicks[p->vertex]--;
        t->last[p->vertex] = -1;
    }
    t->count = 0;
    reset(one, world->trace.begin);
}

void nc_cloth_islands_undo(nc_cloth_world *world)
{
    for (int i = 0; i < world->islands.count; i++)
        undo_island(world, &world->islands.data[i]);
}

typedef struct touching {
    nc_cloth_islands *islands;
    int first; // -1: none yet
} touching;

static void touch_component(int component, void *ctx)
{
    touching *t = ctx;
    const int island = t->islands->of[component];
    t->islands->data[island].wants_run = true;
    t->first = join(t->islands->todo, t->first, island);
}

bool nc_cloth_islands_rerun(nc_cloth_world *world)
{
    nc_cloth_islands *n = &world->islands;
    int *parent = n->todo;
    for (int i = 0; i < n->count; i++)
        parent[i] = i;
    for (int i = 0; i < world->contacts.count; i++) {
        nc_cloth_active_contact *one = &world->contacts.data[i];
        touching t = {n, -1};
        if (!one->changed)
            continue;
        one->changed = false;
        visit_support(world, one, touch_component, &t);
        if (t.first < 0)
            n->data[0].wants_run = true;
    }
    for (int i = 0; i < n->count; i++) {
        if (!n->data[i].wants_run)
            continue;
        world->counts.island_reruns++;
        undo_island(world, &n->data[i]);
        n->data[i].wants_run = nc_forest_root(parent, i) == i;
    }
    for (int c = 0; c < world->elastic.components.count; c++)
        n->of[c] = nc_forest_root(parent, n->of[c]);
    list_components(world);
    return nc_cloth_islands_order(world);
}

void nc_cloth_islands_free(nc_cloth_islands *n, const nc_allocator *allocator)
{
    for (int i = 0; i < n->made; i++)
        nc_free(allocator, n->data[i].own.pieces, (size_t)n->data[i].own.capacity, sizeof *n->data[i].own.pieces);
    nc_free(allocator, n->data, (size_t)n->capacity, sizeof *n->data);
    free_room(n, allocator);
    *n = (nc_cloth_islands){0};
}
