// Kinetic finding: certificates fail, are renewed, or give way to an active layer (Harmon et al. 4 and 5).
#include "cloth/kinetic.h"

#define MARGIN         0.5         // of a vertex's k-DOP, in thicknesses
#define AHEAD          (1.0 / 256) // and in frames of its present speed
#define NOT_WORTHWHILE (1.0 / 256) // of eta: a slab thinner than this on top is not renewed, the layer is activated
#define ROUNDING       0x1p-39     // of the coordinates' size: 32 times that of drift_pair.c, for kicks on the way
#define LEAST_ROOM     (1.0 / 8)   // of velocities, in thicknesses per frame
#define MOST_ROOM      64.0        // likewise: larger kicks are accounted for one by one

// ---- times --------------------------------------------------------------------------------------------------

// `from` plus so many seconds, rounded down.
static int64_t tick_after(const nc_cloth_kinetic *kinetic, int64_t from, double seconds)
{
    const double ticks = floor(seconds / kinetic->model->unit * (1 - 0x1p-48));
    return ticks < 0x1p61 ? from + (int64_t)ticks : INT64_MAX;
}

// The pair as it drifts at the velocities of its bounds, with `from` as the origin of time.
static nc_drift_pair drift_from(const nc_cloth_kinetic *kinetic, const nc_kinetic_pair *p, const nc_cloth_state *states,
                                int64_t from)
{
    nc_drift_pair d = {.kind = p->hull};
    for (int i = 0; i < 4; i++) {
        const int v = p->vertex[i];
        const nc_vec3 x = nc_cloth_position_at(&states[v], from, kinetic->model->unit);
        d.corner[i] = (nc_drift){x, kinetic->bound[v].v, 0};
    }
    return d;
}

// The tick at which the pair's slab may fail, whatever kicks within the bounds of its vertices do.
static int64_t failure_of(const nc_cloth_kinetic *kinetic, const nc_kinetic_pair *p, const nc_drift_pair *d,
                          int64_t from)
{
    double room[4];
    for (int i = 0; i < 4; i++)
        room[i] = kinetic->bound[p->vertex[i]].room;
    return tick_after(kinetic, from, nc_slab_failure_within(d, room, &p->slab, p->eta, 0));
}

static void schedule_pair(nc_cloth_kinetic *kinetic, int row, int64_t tick)
{
    nc_queue_set(&kinetic->queue, kinetic->model->vertex_count + row, tick);
    kinetic->reschedules++;
}

static void schedule_vertex(nc_cloth_kinetic *kinetic, const nc_cloth_state *states, int v, int64_t from)
{
    const nc_cloth_state *s = &states[v];
    const nc_vec3 x = nc_cloth_position_at(s, from, kinetic->model->unit);
    const double rounding = ROUNDING * fmax(nc_max3(x), nc_max3(s->x));
    nc_queue_set(
        &kinetic->queue, v,
        tick_after(kinetic, from,
                   nc_dop_exit(&kinetic->vertices.rows[v], x, kinetic->bound[v].v, kinetic->bound[v].room, rounding)));
    kinetic->reschedules++;
}

// ---- certificates of pairs ----------------------------------------------------------------------------------

// A slab for the pair's eta that lasts beyond `from`, scheduled. False when there is none.
static bool certify(nc_cloth_kinetic *kinetic, const nc_cloth_state *states, int row, double tolerance, int64_t from)
{
    nc_kinetic_pair *p = &kinetic->pairs.data[row];
    const nc_drift_pair d = drift_from(kinetic, p, states, from);
    if (!nc_slab_between(&d, p->eta, tolerance, 0, &p->slab))
        return false;
    const int64_t tick = failure_of(kinetic, p, &d, from);
    if (tick <= from)
        return false;
    schedule_pair(kinetic, row, tick);
    return true;
}

// The least distance at which the layers up to this group are enough, rounding of depths included; at the last group
// that is the floor.
static double enough_for(const nc_cloth_model *model, const nc_cloth_active_contact *contact, int group)
{
    const double least =
        group < contact->limit ? contact->thickness * model->layers.eta[model->layers.last[group] + 1] : contact->floor;
    return least * (1 + 0x1p-18);
}

static bool append(const nc_cloth_kinetic *kinetic, nc_cloth_near_pairs *out, nc_cloth_pair pair, double distance)
{
    const nc_cloth_near_pair need = {pair, distance, distance};
    return nc_array_push(&kinetic->allocator, out, need);
}

// Activates as many more groups as it takes for a slab to hold. False when out of memory.
static bool activate(nc_cloth_kinetic *kinetic, const nc_cloth_state *states, int row, int64_t from,
                     nc_cloth_near_pairs *out)
{
    nc_kinetic_pair *p = &kinetic->pairs.data[row];
    const nc_cloth_active_contact contact = nc_cloth_contact_make(kinetic->model, p->pair);
    while (p->group < contact.limit) {
        p->group++;
        p->eta = enough_for(kinetic->model, &contact, p->group);
        if (certify(kinetic, states, row, NOT_WORTHWHILE * p->eta, from))
            return append(kinetic, out, p->pair, p->eta);
    }
    schedule_pair(kinetic, row, INT64_MAX); // a jam
    return append(kinetic, out, p->pair, 0);
}

static bool renew(nc_cloth_kinetic *kinetic, const nc_cloth_state *states, int row, int64_t from,
                  nc_cloth_near_pairs *out)
{
    return certify(kinetic, states, row, NOT_WORTHWHILE * kinetic->pairs.data[row].eta, from) ||
           activate(kinetic, states, row, from, out);
}

static bool fail_pair(nc_cloth_kinetic *kinetic, const nc_cloth_state *states, int row, int64_t at,
                      nc_cloth_near_pairs *out)
{
    kinetic->certificates++;
    if (kinetic->pairs.data[row].group < 0 && !nc_kinetic_pair_near(kinetic, kinetic->pairs.data[row].pair)) {
        nc_kinetic_pair_remove(kinetic, row);
        return true;
    }
    return renew(kinetic, states, row, at, out);
}

// ---- new pairs ----------------------------------------------------------------------------------------------

typedef struct question {
    nc_cloth_kinetic *kinetic;
    const nc_cloth_state *states;
    int64_t now;
    nc_cloth_near_pairs *out;
    nc_cloth_pair_kind kind;
    int row;         // that asks
    bool asks_first; // it is the pair's a; edges and points: whichever is lower
} question;

static nc_cloth_pair asked_pair(const question *q, int other)
{
    const bool swap = q->kind == NC_CLOTH_VERTEX_TRIANGLE ? !q->asks_first : other < q->row;
    return (nc_cloth_pair){q->kind, swap ? other : q->row, swap ? q->row : other};
}

// Marks what `row` already has certificates with; they are in the list of its vertex v.
static void mark_known(const question *q, int v)
{
    nc_cloth_kinetic *k = q->kinetic;
    k->mark++;
    for (int at = k->list[v]; at >= 0; at = k->pairs.data[at / 4].next[at % 4]) {
        const nc_cloth_pair *p = &k->pairs.data[at / 4].pair;
        if (p->kind != q->kind)
            continue;
        const bool either = q->kind != NC_CLOTH_VERTEX_TRIANGLE;
        if (p->a == q->row && (either || q->asks_first))
            k->seen[p->b] = k->mark;
        else if (p->b == q->row && (either || !q->asks_first))
            k->seen[p->a] = k->mark;
    }
}

static bool overlap(int other, void *ctx)
{
    const question *q = ctx;
    nc_cloth_kinetic *k = q->kinetic;
    const nc_cloth_pair pair = asked_pair(q, other);
    if (k->seen[other] == k->mark || (q->kind != NC_CLOTH_VERTEX_TRIANGLE && other == q->row) ||
        !nc_cloth_pair_applies(k->model, pair))
        return true;
    const int row = nc_kinetic_pair_add(k, pair);
    return row >= 0 && renew(k, q->states, row, q->now, q->out);
}

static bool ask(question *q, nc_cloth_pair_kind kind, int row, bool asks_first, const nc_dop_tree *among)
{
    const nc_cloth_kinetic *k = q->kinetic;
    const nc_dop_tree *own = kind == NC_CLOTH_EDGE_EDGE                   ? &k->edges
                             : kind == NC_CLOTH_POINT_POINT || asks_first ? &k->vertices
                                                                          : &k->triangles;
    const int v = kind == NC_CLOTH_EDGE_EDGE                   ? k->model->edges.data[row].v[0]
                  : kind == NC_CLOTH_POINT_POINT || asks_first ? row
                                                               : k->model->triangles.data[row].v[0];
    q->kind = kind;
    q->row = row;
    q->asks_first = asks_first;
    mark_known(q, v);
    return nc_dop_tree_find(among, &own->rows[row], k->thickness[v], overlap, q);
}

static bool is_particle(const nc_cloth_model *model, int v)
{
    return model->objects.data[model->object[v]].type == NC_CLOTH_PARTICLES;
}

// ---- certificates of vertices -------------------------------------------------------------------------------

static nc_dop dop_of_vertex(const nc_cloth_kinetic *kinetic, const nc_cloth_state *states, int v, int64_t now)
{
    const nc_cloth_model *model = kinetic->model;
    const nc_vec3 x = nc_cloth_position_at(&states[v], now, model->unit);
    const double margin = MARGIN * kinetic->thickness[v] + AHEAD * model->settings.frame_dt * nc_norm(states[v].v);
    return nc_dop_around(x, fmax(margin, 16 * ROUNDING * nc_max3(x)));
}

static nc_dop dop_of(const nc_cloth_kinetic *kinetic, const int *v, int count)
{
    nc_dop dop = kinetic->vertices.rows[v[0]];
    for (int i = 1; i < count; i++)
        dop = nc_dop_union(&dop, &kinetic->vertices.rows[v[i]]);
    return dop;
}

// Moves the vertex's k-DOP and those of the features around it.
static void move_dops(nc_cloth_kinetic *kinetic, const nc_cloth_state *states, int v, int64_t now)
{
    const nc_cloth_model *model = kinetic->model;
    nc_dop dop = dop_of_vertex(kinetic, states, v, now);
    nc_dop_tree_set(&kinetic->vertices, v, &dop);
    for (int i = kinetic->triangle_start[v]; i < kinetic->triangle_start[v + 1]; i++) {
        const int t = kinetic->triangle_of[i];
        dop = dop_of(kinetic, model->triangles.data[t].v, 3);
        nc_dop_tree_set(&kinetic->triangles, t, &dop);
    }
    for (int i = kinetic->edge_start[v]; i < kinetic->edge_start[v + 1]; i++) {
        const int e = kinetic->edge_of[i];
        dop = dop_of(kinetic, model->edges.data[e].v, 2);
        nc_dop_tree_set(&kinetic->edges, e, &dop);
    }
}

static void drop_far_pairs(nc_cloth_kinetic *kinetic, int v)
{
    for (int at = kinetic->list[v]; at >= 0;) {
        const nc_kinetic_pair *p = &kinetic->pairs.data[at / 4];
        const int row = at / 4;
        at = p->next[at % 4];
        if (p->group < 0 && !nc_kinetic_pair_near(kinetic, p->pair))
            nc_kinetic_pair_remove(kinetic, row);
    }
}

// The vertex leaves its k-DOP. False when out of memory.
static bool leave_dop(nc_cloth_kinetic *kinetic, const nc_cloth_state *states, int v, int64_t at,
                      nc_cloth_near_pairs *out)
{
    question q = {.kinetic = kinetic, .states = states, .now = at, .out = out};
    kinetic->tree_events++;
    move_dops(kinetic, states, v, at);
    drop_far_pairs(kinetic, v);
    schedule_vertex(kinetic, states, v, at);
    if (!ask(&q, NC_CLOTH_VERTEX_TRIANGLE, v, true, &kinetic->triangles))
        return false;
    if (is_particle(kinetic->model, v) && !ask(&q, NC_CLOTH_POINT_POINT, v, true, &kinetic->vertices))
        return false;
    for (int i = kinetic->triangle_start[v]; i < kinetic->triangle_start[v + 1]; i++)
        if (!ask(&q, NC_CLOTH_VERTEX_TRIANGLE, kinetic->triangle_of[i], false, &kinetic->vertices))
            return false;
    for (int i = kinetic->edge_start[v]; i < kinetic->edge_start[v + 1]; i++)
        if (!ask(&q, NC_CLOTH_EDGE_EDGE, kinetic->edge_of[i], true, &kinetic->edges))
            return false;
    return true;
}

// ---- what the run asks --------------------------------------------------------------------------------------

// ---- bounds of velocities ---------------------------------------------------------------------------------------

static bool is_within(const nc_velocity_bound *bound, nc_vec3 v, double room)
{
    return nc_norm(nc_sub(v, bound->v)) <= room * (1 - 0x1p-40);
}

// Counts a kick; true when the vertex needs a new bound.
static bool is_left(nc_velocity_bound *bound, nc_vec3 v)
{
    return ++bound->kicks > NC_KICKS_PER_BOUND || !is_within(bound, v, bound->room); // NaN too
}

// About its velocity now, with room for kicks like the one that left the last bound.
static void set_bound(nc_cloth_kinetic *kinetic, int v, nc_vec3 velocity, int64_t mark)
{
    nc_velocity_bound *b = &kinetic->bound[v];
    const double unit = kinetic->thickness[v] / kinetic->model->settings.frame_dt;
    const double wanted = fmax(2 * nc_norm(nc_sub(velocity, b->v)), b->kicks > NC_KICKS_PER_BOUND ? b->room / 2 : 0);
    *b = (nc_velocity_bound){velocity, fmax(LEAST_ROOM * unit, fmin(wanted, MOST_ROOM * unit)), 0, mark};
}

nc_code nc_cloth_kinetic_moved(nc_cloth_kinetic *kinetic, const nc_cloth_state *states, const int *vertices, int count,
                               int64_t now, nc_error *err)
{
    (void)err;
    const int64_t mark = ++kinetic->mark;
    // all bounds before any failure time: a pair has several vertices
    for (int i = 0; i < count; i++)
        if (is_left(&kinetic->bound[vertices[i]], states[vertices[i]].v))
            set_bound(kinetic, vertices[i], states[vertices[i]].v, mark);
    for (int i = 0; i < count; i++) {
        if (kinetic->bound[vertices[i]].mark != mark)
            continue;
        schedule_vertex(kinetic, states, vertices[i], now);
        for (int at = kinetic->list[vertices[i]]; at >= 0; at = kinetic->pairs.data[at / 4].next[at % 4]) {
            nc_kinetic_pair *p = &kinetic->pairs.data[at / 4];
            if (p->mark == mark)
                continue;
            p->mark = mark;
            const nc_drift_pair d = drift_from(kinetic, p, states, now);
            schedule_pair(kinetic, at / 4, failure_of(kinetic, p, &d, now));
        }
    }
    return NC_OK;
}

int64_t nc_cloth_kinetic_next(const nc_cloth_kinetic *kinetic)
{
    const int id = nc_queue_first(&kinetic->queue);
    return id >= 0 ? kinetic->queue.tick.data[id] : INT64_MAX;
}

nc_code nc_cloth_kinetic_handle(nc_cloth_kinetic *kinetic, const nc_cloth_state *states, int64_t now,
                                nc_cloth_near_pairs *out, nc_error *err)
{
    const int vertices = kinetic->model->vertex_count;
    for (int id = nc_queue_first(&kinetic->queue); id >= 0; id = nc_queue_first(&kinetic->queue)) {
        const int64_t at = kinetic->queue.tick.data[id];
        if (at > now)
            break;
        const bool done = id < vertices ? leave_dop(kinetic, states, id, at, out)
                                        : fail_pair(kinetic, states, id - vertices, at, out);
        if (!done)
            return nc_fail_memory(err, sizeof(nc_kinetic_pair));
    }
    return NC_OK;
}

nc_code nc_cloth_kinetic_released(nc_cloth_kinetic *kinetic, const nc_cloth_state *states, nc_cloth_pair pair,
                                  int64_t now, nc_error *err)
{
    (void)err;
    const int row = nc_kinetic_pair_find(kinetic, pair);
    if (row < 0)
        return NC_OK;
    nc_kinetic_pair *p = &kinetic->pairs.data[row];
    p->group = -1;
    p->eta = p->thickness;
    if (!certify(kinetic, states, row, 0, now))
        schedule_pair(kinetic, row, now);
    return NC_OK;
}

void nc_cloth_kinetic_counts(const nc_cloth_kinetic *kinetic, int64_t *certificates, int64_t *reschedules,
                             int64_t *tree_events)
{
    *certificates = kinetic->certificates;
    *reschedules = kinetic->reschedules;
    *tree_events = kinetic->tree_events;
}

// ---- making one ---------------------------------------------------------------------------------------------

// Rows around each vertex: `corners` vertices a row, `stride` ints apart.
static bool list_around(const nc_cloth_kinetic *kinetic, const int *rows, int count, int corners, int **out_start,
                        int **out_of)
{
    const int n = kinetic->model->vertex_count;
    int *start = nc_alloc(&kinetic->allocator, (size_t)n + 2, sizeof *start);
    int *of = nc_alloc(&kinetic->allocator, (size_t)(corners * count) + 1, sizeof *of);
    *out_start = start;
    *out_of = of;
    if (start == NULL || of == NULL)
        return false;
    for (int i = 0; i < corners * count; i++)
        start[rows[i] + 2]++;
    for (int v = 0; v < n; v++)
        start[v + 2] += start[v + 1];
    for (int i = 0; i < corners * count; i++)
        of[start[rows[i] + 1]++] = i / corners;
    return true;
}

static bool take_room(nc_cloth_kinetic *k)
{
    const nc_cloth_model *m = k->model;
    const size_t n = (size_t)m->vertex_count + 1;
    const size_t triangles = (size_t)m->triangles.count, edges = (size_t)m->edges.count;
    k->thickness = nc_alloc(&k->allocator, n, sizeof *k->thickness);
    k->bound = nc_alloc(&k->allocator, n, sizeof *k->bound);
    k->list = nc_alloc(&k->allocator, n, sizeof *k->list);
    k->seen = nc_alloc(&k->allocator, n + triangles + edges, sizeof *k->seen);
    return k->thickness != NULL && k->bound != NULL && k->list != NULL && k->seen != NULL &&
           list_around(k, (const int *)m->triangles.data, m->triangles.count, 3, &k->triangle_start, &k->triangle_of) &&
           list_around(k, (const int *)m->edges.data, m->edges.count, 2, &k->edge_start, &k->edge_of) &&
           nc_queue_reserve(&k->queue, &k->allocator, m->vertex_count);
}

static bool build_trees(nc_cloth_kinetic *k, const nc_cloth_state *states, int64_t now)
{
    const nc_cloth_model *m = k->model;
    const nc_allocator *a = &k->allocator;
    const int n = m->vertex_count, triangles = m->triangles.count, edges = m->edges.count;
    nc_dop *rows = nc_alloc(a, (size_t)n, sizeof *rows);
    for (int v = 0; rows != NULL && v < n; v++)
        rows[v] = dop_of_vertex(k, states, v, now);
    if (rows == NULL || !nc_dop_tree_build(&k->vertices, a, rows, n))
        return n == 0;
    rows = nc_alloc(a, (size_t)triangles, sizeof *rows);
    for (int i = 0; rows != NULL && i < triangles; i++)
        rows[i] = dop_of(k, m->triangles.data[i].v, 3);
    if (triangles > 0 && (rows == NULL || !nc_dop_tree_build(&k->triangles, a, rows, triangles)))
        return false;
    rows = nc_alloc(a, (size_t)edges, sizeof *rows);
    for (int i = 0; rows != NULL && i < edges; i++)
        rows[i] = dop_of(k, m->edges.data[i].v, 2);
    return edges == 0 || (rows != NULL && nc_dop_tree_build(&k->edges, a, rows, edges));
}

// Every pair that is near, asked for once: a known one is marked.
static bool find_all(nc_cloth_kinetic *k, const nc_cloth_state *states, int64_t now, nc_cloth_near_pairs *out)
{
    question q = {.kinetic = k, .states = states, .now = now, .out = out};
    for (int v = 0; v < k->model->vertex_count; v++) {
        k->list[v] = -1;
        schedule_vertex(k, states, v, now);
    }
    for (int v = 0; v < k->model->vertex_count; v++) {
        if (!ask(&q, NC_CLOTH_VERTEX_TRIANGLE, v, true, &k->triangles))
            return false;
        if (is_particle(k->model, v) && !ask(&q, NC_CLOTH_POINT_POINT, v, true, &k->vertices))
            return false;
    }
    for (int e = 0; e < k->model->edges.count; e++)
        if (!ask(&q, NC_CLOTH_EDGE_EDGE, e, true, &k->edges))
            return false;
    return true;
}

// What nothing kicks needs no room.
static void set_first_bounds(nc_cloth_kinetic *k, const nc_cloth_state *states)
{
    for (int v = 0; v < k->model->vertex_count; v++) {
        const double unit = k->thickness[v] / k->model->settings.frame_dt;
        k->bound[v] = (nc_velocity_bound){.v = states[v].v, .room = states[v].inv_mass > 0 ? LEAST_ROOM * unit : 0};
    }
}

nc_code nc_cloth_kinetic_create(const nc_cloth_model *model, const nc_cloth_state *states, int64_t now,
                                nc_cloth_near_pairs *out, nc_cloth_kinetic **out_kinetic, nc_error *err)
{
    nc_cloth_kinetic *k = nc_alloc(&model->allocator, 1, sizeof *k);
    *out_kinetic = NULL;
    if (k == NULL)
        return nc_fail_memory(err, sizeof *k);
    k->allocator = model->allocator;
    k->model = model;
    bool done = take_room(k);
    if (done) {
        nc_cloth_thicknesses(k->model, k->thickness);
        set_first_bounds(k, states);
        done = build_trees(k, states, now) && find_all(k, states, now, out);
    }
    if (!done) {
        nc_cloth_kinetic_destroy(k);
        return nc_fail_memory(err, (size_t)model->vertex_count * sizeof(nc_dop));
    }
    *out_kinetic = k;
    return NC_OK;
}

void nc_cloth_kinetic_destroy(nc_cloth_kinetic *kinetic)
{
    if (kinetic == NULL)
        return;
    const nc_allocator a = kinetic->allocator;
    const size_t n = (size_t)kinetic->model->vertex_count + 1;
    const size_t triangles = (size_t)kinetic->model->triangles.count, edges = (size_t)kinetic->model->edges.count;
    nc_free(&a, kinetic->thickness, n, sizeof *kinetic->thickness);
    nc_free(&a, kinetic->bound, n, sizeof *kinetic->bound);
    nc_free(&a, kinetic->list, n, sizeof *kinetic->list);
    nc_free(&a, kinetic->seen, n + triangles + edges, sizeof *kinetic->seen);
    nc_free(&a, kinetic->triangle_start, n + 1, sizeof(int));
    nc_free(&a, kinetic->triangle_of, 3 * triangles + 1, sizeof(int));
    nc_free(&a, kinetic->edge_start, n + 1, sizeof(int));
    nc_free(&a, kinetic->edge_of, 2 * edges + 1, sizeof(int));
    nc_dop_tree_free(&kinetic->vertices, &a);
    nc_dop_tree_free(&kinetic->triangles, &a);
    nc_dop_tree_free(&kinetic->edges, &a);
    nc_array_free(&a, &kinetic->pairs);
    nc_array_free(&a, &kinetic->unused);
    nc_queue_free(&kinetic->queue, &a);
    nc_free(&a, kinetic, 1, sizeof *kinetic);
}
