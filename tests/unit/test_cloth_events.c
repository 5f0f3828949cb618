// Table 1 and Fig. 7 of Harmon et al.: what each kind of event reads, what it changes, and whose time depends on what.
#include "check.h"

#include "cloth_scene.h"

#include "cloth/kinetic.h"
#include "cloth/ticks.h"

#include <string.h>

// Two sheets of 3 by 3 above each other, one crooked so that nothing is parallel, and a particle above both.
enum { SIDE = 3, SHEET = SIDE * SIDE, PARTICLE = 2 * SHEET, COUNT = PARTICLE + 1 };

static nc_cloth_world *two_sheets(double restitution)
{
    nc_error err = {0};
    nc_cloth_world_def def = cloth_settings(1);
    nc_cloth_world *world = NULL;
    int id;
    check_ok(nc_cloth_world_create(&def, &world, &err), err);
    nc_random random = {11};
    for (int sheet = 0; sheet < 2; sheet++) {
        grid g = grid_make(SIDE, SIDE, 0.1, 0);
        nc_vec3 x[SHEET], v[SHEET];
        for (int i = 0; i < SHEET; i++) {
            x[i] = nc_add(g.vertices[i], nc_v3(0.033 * sheet, 0.05 * sheet, 0.021 * sheet));
            for (int k = 0; k < 2; k++) {
                const double a = nc_random_range(&random, -1, 1), b = nc_random_range(&random, -1, 1);
                const nc_vec3 any = nc_v3(a, b, nc_random_range(&random, -1, 1));
                if (k == 0)
                    x[i] = nc_madd(x[i], 0.002, any);
                else
                    v[i] = nc_scale(0.3, any);
            }
        }
        nc_cloth_def cloth = grid_cloth(&g);
        cloth.vertices = x;
        cloth.rest = g.vertices;
        cloth.velocities = v;
        cloth.stretch_damping = cloth.bend_damping = 1e-3;
        cloth.drag = 0.1;
        cloth.contact = (nc_cloth_contact){1000, 0.2, restitution, 0.3};
        check_ok(nc_cloth_add(world, &cloth, &id, &err), err);
    }
    const nc_vec3 above = nc_v3(0.09, 0.13, 0.08);
    nc_cloth_def grain = nc_cloth_def_default();
    grain.type = NC_CLOTH_PARTICLES;
    grain.vertices = &above;
    grain.vertex_count = 1;
    grain.particle_mass = 0.01;
    grain.velocity = nc_v3(0.1, -1, 0.05);
    grain.contact = (nc_cloth_contact){1000, 0.2, restitution, 0.3};
    check_ok(nc_cloth_add(world, &grain, &id, &err), err);
    check_ok(nc_cloth_start(world, &err), err);
    nc_cloth_trace *t = &world->trace;
    assert_true(nc_grow(&world->allocator, (void **)&t->pieces, &t->capacity, 2 * COUNT, sizeof *t->pieces));
    return world;
}

// ---- forces -------------------------------------------------------------------------------------------------

typedef enum event_kind { GRAVITY, SPRING, HINGE, CONTACT } event_kind;

typedef struct event {
    event_kind kind;
    int row; // of springs, hinges
    nc_cloth_active_contact contact;
    int stencil[COUNT], count; // as Table 1 says
} event;

// Runs the event at a time of no clock; the world is as it was, `after` is what it would be.
static void run_event(nc_cloth_world *world, const event *e, nc_cloth_state *after)
{
    nc_cloth_state before[COUNT];
    memcpy(before, world->states, sizeof before);
    nc_cloth_trace_open(&world->trace, 0, NC_CLOTH_TICKS_PER_FRAME);
    const nc_cloth_tick run = {
        world->states, &world->trace, world->kicks, world->model.unit, NC_CLOTH_TICKS_PER_FRAME / 4096, false};
    if (e->kind == GRAVITY)
        for (int i = 0; i < world->elastic.components.count; i++)
            nc_cloth_gravity_kick(&run, world, &world->elastic.components.data[i], 0.001);
    else if (e->kind == SPRING)
        nc_cloth_springs_kick(&run, &world->elastic.springs.data[e->row], 1);
    else if (e->kind == HINGE)
        nc_cloth_hinges_kick(&run, &world->elastic.hinges.data[e->row], 1);
    else {
        nc_cloth_active_contact contact = e->contact;
        contact.depth = contact.limit;
        contact.axis = nc_v3(0, 0, 0);
        (void)nc_cloth_contact_kick(&run, &world->model, &contact, contact.level);
    }
    memcpy(after, world->states, sizeof before);
    memcpy(world->states, before, sizeof before);
}

// Does it change anything?
static bool acts(nc_cloth_world *world, const event *e)
{
    nc_cloth_state after[COUNT];
    run_event(world, e, after);
    return memcmp(after, world->states, sizeof after) != 0;
}

static bool is_in(const int *rows, int count, int row)
{
    for (int i = 0; i < count; i++)
        if (rows[i] == row)
            return true;
    return false;
}

// Exactly the stencil is changed.
static void check_stencil(nc_cloth_world *world, const event *e)
{
    nc_cloth_state after[COUNT];
    run_event(world, e, after);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(memcmp(&after[i], &world->states[i], sizeof after[i]) != 0, is_in(e->stencil, e->count, i));
}

static bool same_vector(nc_vec3 a, nc_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

// Does any other vertex get another velocity when this one is elsewhere and moves otherwise?
static bool is_read(nc_cloth_world *world, const event *e, const nc_cloth_state *after, int row, nc_vec3 shift)
{
    nc_cloth_state moved[COUNT];
    const nc_cloth_state kept = world->states[row];
    bool read = false;
    world->states[row].x = nc_add(kept.x, shift);
    world->states[row].v = nc_madd(kept.v, 10, shift);
    run_event(world, e, moved);
    for (int i = 0; i < COUNT; i++)
        read = read || (i != row && !same_vector(moved[i].v, after[i].v));
    world->states[row] = kept;
    return read;
}

// Exactly the vertices of the stencil decide about what happens to it. Gravity: each about itself.
static void check_reads(nc_cloth_world *world, const event *e)
{
    nc_cloth_state after[COUNT];
    run_event(world, e, after);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(is_read(world, e, after, i, nc_v3(0.0011, -0.0007, 0.0009)),
                         e->kind != GRAVITY && is_in(e->stencil, e->count, i));
}

// ---- contacts -----------------------------------------------------------------------------------------------

// Of a pair of two objects, if its nearest points are inside both features, on no rim. The layers reach it: what starts
// near has thinner ones in the run.
static bool contact_event(const nc_cloth_world *world, nc_cloth_pair pair, event *e)
{
    nc_vec3 x[4];
    if (!nc_cloth_pair_applies(&world->model, pair))
        return false;
    *e = (event){.kind = CONTACT, .contact = nc_cloth_contact_make(&world->model, pair)};
    e->count = nc_cloth_pair_vertices(&world->model, pair, e->stencil);
    const int half = pair.kind == NC_CLOTH_EDGE_EDGE ? 2 : 1;
    if (world->model.object[e->stencil[0]] == world->model.object[e->stencil[half]])
        return false;
    for (int k = 0; k < e->count; k++)
        x[k] = nc_cloth_position_at(&world->states[e->stencil[k]], NC_CLOTH_TICKS_PER_FRAME / 4096, world->model.unit);
    const nc_cloth_gap gap = nc_cloth_gap_of(pair.kind, x);
    e->contact.thickness = 1.3 * gap.distance;
    for (int k = 0; k < e->count; k++)
        if (fabs(gap.w[k]) < 0.05)
            return false;
    return true;
}

// The next pair of a vertex and a triangle, then of two edges; false when there is none.
static bool next_pair(const nc_cloth_model *m, nc_cloth_pair *p)
{
    const bool edges = p->kind == NC_CLOTH_EDGE_EDGE;
    if (++p->b >= (edges ? m->edges.count : m->triangles.count)) {
        p->a++;
        p->b = edges ? p->a + 1 : 0;
    }
    if (!edges && p->a >= m->vertex_count)
        *p = (nc_cloth_pair){NC_CLOTH_EDGE_EDGE, 0, 1};
    return p->kind != NC_CLOTH_EDGE_EDGE || p->b < m->edges.count;
}

static bool is_neighbour(const nc_cloth_model *m, const int *stencil, int row)
{
    for (int i = 0; i < m->edges.count; i++) {
        const int *v = m->edges.data[i].v;
        if ((v[0] == row && is_in(stencil, 4, v[1])) || (v[1] == row && is_in(stencil, 4, v[0])))
            return true;
    }
    return false;
}

// ---- tests of forces ----------------------------------------------------------------------------------------

static void gravity_reads_nothing_and_changes_the_entire_mesh(void **state)
{
    (void)state;
    nc_cloth_world *world = two_sheets(1);
    event e = {.kind = GRAVITY, .count = COUNT};
    for (int i = 0; i < COUNT; i++)
        e.stencil[i] = i;
    check_stencil(world, &e);
    check_reads(world, &e);
    nc_cloth_world_destroy(world);
}

static void elastic_forces_read_and_change_their_edge_or_hinge(void **state)
{
    (void)state;
    nc_cloth_world *world = two_sheets(1);
    for (int i = 0; i < world->elastic.springs.count; i++) {
        const nc_cloth_spring *s = &world->elastic.springs.data[i];
        const event e = {.kind = SPRING, .row = i, .stencil = {s->a, s->b}, .count = 2};
        check_stencil(world, &e);
        check_reads(world, &e);
    }
    for (int i = 0; i < world->elastic.hinges.count; i++) {
        const int *v = world->elastic.hinges.data[i].v;
        const event e = {.kind = HINGE, .row = i, .stencil = {v[0], v[1], v[2], v[3]}, .count = 4};
        check_stencil(world, &e);
        check_reads(world, &e);
    }
    assert_int_equal(world->elastic.springs.count, 2 * 16);
    assert_int_equal(world->elastic.hinges.count, 2 * 8);
    nc_cloth_world_destroy(world);
}

// As in the paper where restitution is above 0.1.
static void penalty_forces_read_and_change_their_pair(void **state)
{
    (void)state;
    nc_cloth_world *world = two_sheets(1);
    int count[2] = {0, 0};
    nc_cloth_pair pair = {NC_CLOTH_VERTEX_TRIANGLE, 0, -1};
    while (next_pair(&world->model, &pair)) {
        event e;
        if (!contact_event(world, pair, &e) || !acts(world, &e))
            continue;
        check_stencil(world, &e);
        check_reads(world, &e);
        count[pair.kind]++;
    }
    print_message("%d contacts of vertices and triangles, %d of edges\n", count[0], count[1]);
    assert_true(count[NC_CLOTH_VERTEX_TRIANGLE] >= 5 && count[NC_CLOTH_EDGE_EDGE] >= 20);
    nc_cloth_world_destroy(world);
}

// Below that the features around may be nearer, and then it yields: neighbours are read. They are not changed.
static void penalty_forces_that_yield_read_neighbours_and_change_their_pair(void **state)
{
    (void)state;
    nc_cloth_world *world = two_sheets(0);
    int acted = 0, neighbours = 0;
    nc_cloth_pair pair = {NC_CLOTH_VERTEX_TRIANGLE, 0, -1};
    while (next_pair(&world->model, &pair)) {
        event e;
        nc_cloth_state after[COUNT];
        if (!contact_event(world, pair, &e))
            continue;
        run_event(world, &e, after);
        if (acts(world, &e)) {
            check_stencil(world, &e);
            acted++;
        }
        for (int i = 0; i < 2 * COUNT; i++) { // far up or down: edges become ridges or valleys
            const bool read = is_read(world, &e, after, i / 2, nc_v3(0, i % 2 == 0 ? 0.3 : -0.3, 0));
            if (!read || is_in(e.stencil, e.count, i / 2))
                continue;
            assert_true(is_neighbour(&world->model, e.stencil, i / 2));
            neighbours++;
        }
    }
    print_message("%d contacts acted, %d times a neighbour decided about one\n", acted, neighbours);
    assert_true(acted >= 5 && neighbours >= 5);
    nc_cloth_world_destroy(world);
}

// Clocks are regular: no state of any vertex supports the time of a force.
static void no_vertex_supports_the_time_of_a_force(void **state)
{
    (void)state;
    nc_error err = {0};
    nc_cloth_report first = {0};
    for (int row = -1; row < COUNT; row++) {
        nc_cloth_world *world = two_sheets(0);
        nc_cloth_report r;
        if (row >= 0)
            world->states[row].v = nc_add(world->states[row].v, nc_v3(0.5, -0.3, 0.4));
        check_ok(nc_cloth_step(world, &r, &err), err);
        if (row < 0)
            first = r;
        assert_int_equal(r.gravity_events, first.gravity_events);
        assert_int_equal(r.stretch_events, first.stretch_events);
        assert_int_equal(r.bend_events, first.bend_events);
        assert_true(row < 0 || r.kinetic != first.kinetic);
        nc_cloth_world_destroy(world);
    }
    assert_true(first.stretch_events > 100 && first.bend_events > 100);
}

// ---- certificates (Fig. 7b) ---------------------------------------------------------------------------------

typedef struct watch {
    nc_cloth_world *world;
    nc_cloth_kinetic *kinetic;
    nc_cloth_near_pairs needs;
    int64_t ticks[COUNT + 4096]; // of each certificate: of vertices, then of pairs
} watch;

static watch *watch_begin(void)
{
    nc_error err = {0};
    static watch w; // large
    w = (watch){.world = two_sheets(0)};
    check_ok(nc_cloth_kinetic_create(&w.world->model, w.world->states, 0, &w.needs, &w.kinetic, &err), err);
    assert_true(w.kinetic->pairs.count > 50 && w.kinetic->pairs.count < 4096);
    return &w;
}

static void watch_end(watch *w)
{
    nc_cloth_kinetic_destroy(w->kinetic);
    nc_array_free(&w->world->allocator, &w->needs);
    nc_cloth_world_destroy(w->world);
}

static void note_ticks(watch *w)
{
    for (int id = 0; id < COUNT + w->kinetic->pairs.count; id++)
        w->ticks[id] = w->kinetic->queue.tick.data[id];
}

// A kick of vertex v at time 0, told to the certificates. Returns how many failure times were recomputed.
static int64_t kick(watch *w, int v, nc_vec3 dv)
{
    nc_error err = {0};
    const int64_t before = w->kinetic->reschedules;
    w->world->states[v].v = nc_add(w->world->states[v].v, dv);
    check_ok(nc_cloth_kinetic_moved(w->kinetic, w->world->states, &v, 1, 0, &err), err);
    return w->kinetic->reschedules - before;
}

// Which certificates does a kick of v reschedule? The slabs of pairs that it is a corner of, its own k-DOP, no others.
static void a_kick_reschedules_the_certificates_it_supports_and_no_others(void **state)
{
    (void)state;
    watch *w = watch_begin();
    for (int v = 0; v < COUNT; v++) {
        int supported = 0;
        note_ticks(w);
        const int64_t times = kick(w, v, nc_v3(0.7, -0.4, 0.9));
        for (int row = 0; row < w->kinetic->pairs.count; row++) {
            const nc_kinetic_pair *p = &w->kinetic->pairs.data[row];
            const bool own = is_in(p->vertex, 4, v);
            supported += own;
            if (!own)
                assert_int_equal(w->kinetic->queue.tick.data[COUNT + row], w->ticks[COUNT + row]);
        }
        for (int other = 0; other < COUNT; other++) // k-DOPs stand: each is left by its vertex alone
            assert_int_equal(w->kinetic->queue.tick.data[other] != w->ticks[other], other == v);
        assert_int_equal(times, supported + 1);
        assert_true(supported > 0);
    }
    watch_end(w);
}

// Kicks that stay within the bound of the vertex's velocity change no failure time: all of them allow for it.
static void a_small_kick_reschedules_nothing(void **state)
{
    (void)state;
    watch *w = watch_begin();
    for (int v = 0; v < COUNT; v++) {
        const double room = w->kinetic->bound[v].room;
        if (!(room > 0))
            continue;
        note_ticks(w);
        assert_int_equal(kick(w, v, nc_v3(0.6 * room, 0, 0.6 * room)), 0);
        for (int id = 0; id < COUNT + w->kinetic->pairs.count; id++)
            assert_int_equal(w->kinetic->queue.tick.data[id], w->ticks[id]);
        assert_true(kick(w, v, nc_v3(0.6 * room, 0, 0.6 * room)) > 1);
    }
    watch_end(w);
}

// Every corner counts: one that is kicked across the slab makes it fail soon, whichever it is.
static void a_slab_is_supported_by_every_corner_of_its_pair(void **state)
{
    (void)state;
    watch *w = watch_begin();
    for (int row = 0; row < w->kinetic->pairs.count; row++) {
        const nc_kinetic_pair *p = &w->kinetic->pairs.data[row];
        const int half = p->pair.kind == NC_CLOTH_EDGE_EDGE ? 2 : 1;
        for (int k = 0; k < 4; k++) {
            const int v = p->vertex[k];
            const nc_vec3 kept = w->world->states[v].v;
            const double side = k < half ? -1e4 : 1e4; // [m/s] towards the other feature
            note_ticks(w);
            kick(w, v, nc_scale(side / nc_norm(p->slab.n), p->slab.n));
            assert_true(w->kinetic->queue.tick.data[COUNT + row] < w->ticks[COUNT + row]);
            const int64_t soon = w->kinetic->queue.tick.data[COUNT + row];
            w->world->states[v].v = kept;
            kick(w, v, nc_v3(0, 0, 0));
            assert_true(w->kinetic->queue.tick.data[COUNT + row] > soon);
        }
    }
    watch_end(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gravity_reads_nothing_and_changes_the_entire_mesh),
        cmocka_unit_test(elastic_forces_read_and_change_their_edge_or_hinge),
        cmocka_unit_test(penalty_forces_read_and_change_their_pair),
        cmocka_unit_test(penalty_forces_that_yield_read_neighbours_and_change_their_pair),
        cmocka_unit_test(no_vertex_supports_the_time_of_a_force),
        cmocka_unit_test(a_kick_reschedules_the_certificates_it_supports_and_no_others),
        cmocka_unit_test(a_small_kick_reschedules_nothing),
        cmocka_unit_test(a_slab_is_supported_by_every_corner_of_its_pair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
