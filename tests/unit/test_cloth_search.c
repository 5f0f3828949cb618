// Finding contacts of cloth, against every pair at many times: nothing that comes near is missed, by windows or by
// certificates, and the audit sees what crosses.
#include "check.h"

#include "cloth/contact_search.h"
#include "cloth/gap.h"
#include "cloth/world.h"

// ---- a crowd of small sheets, a triangle at rest, particles -------------------------------------------------

enum { SIDE = 3, SHEETS = 3, PARTICLES = 4 };

static nc_vec3 random_vector(nc_random *random, double size)
{
    const double x = nc_random_range(random, -size, size), y = nc_random_range(random, -size, size);
    return nc_v3(x, y, nc_random_range(random, -size, size));
}

static void add_sheet(nc_cloth_world *world, nc_random *random, nc_cloth_type type, nc_vec3 far)
{
    nc_vec3 x[SIDE * SIDE];
    int t[2 * (SIDE - 1) * (SIDE - 1)][3], count = 0;
    const nc_vec3 at = nc_add(far, random_vector(random, 0.4)), e = random_vector(random, 0.3),
                  f = random_vector(random, 0.3);
    for (int i = 0; i < SIDE * SIDE; i++)
        x[i] = nc_add(nc_madd(nc_madd(at, i / SIDE, e), i % SIDE, f), random_vector(random, 0.02));
    for (int i = 0; i < SIDE - 1; i++)
        for (int j = 0; j < SIDE - 1; j++) {
            const int a = i * SIDE + j, b = a + 1, c = a + SIDE, d = c + 1;
            memcpy(t[count++], (int[3]){a, b, c}, sizeof t[0]);
            memcpy(t[count++], (int[3]){b, d, c}, sizeof t[0]);
        }
    nc_cloth_def def = nc_cloth_def_default();
    nc_error err;
    int out;
    def.type = type;
    def.vertices = x;
    def.vertex_count = SIDE * SIDE;
    def.triangles = (const int(*)[3])t;
    def.triangle_count = count;
    def.contact.thickness = nc_random_range(random, 0.02, 0.1);
    check_ok(nc_cloth_add(world, &def, &out, &err), err);
}

static nc_cloth_world *make_crowd(nc_random *random, nc_vec3 far)
{
    nc_cloth_world_def settings = nc_cloth_world_def_default();
    nc_cloth_world *world;
    nc_error err;
    settings.frame_dt = 1;
    settings.workers = 1;
    check_ok(nc_cloth_world_create(&settings, &world, &err), err);
    for (int i = 0; i < SHEETS; i++)
        add_sheet(world, random, i == 2 ? NC_CLOTH_OBSTACLE : NC_CLOTH_SHEET, far);
    nc_vec3 x[PARTICLES];
    for (int i = 0; i < PARTICLES; i++)
        x[i] = nc_add(far, random_vector(random, 0.5));
    nc_cloth_def def = nc_cloth_def_default();
    int out;
    def.type = NC_CLOTH_PARTICLES;
    def.vertices = x;
    def.vertex_count = PARTICLES;
    def.particle_mass = 1;
    def.contact.thickness = 0.05;
    check_ok(nc_cloth_add(world, &def, &out, &err), err);
    for (int v = 0; v < world->model.vertex_count; v++)
        world->states[v].v = random_vector(random, 1);
    return world;
}

static bool next_pair(const nc_cloth_model *m, nc_cloth_pair *p)
{
    const int first = p->kind == NC_CLOTH_EDGE_EDGE ? m->edges.count : m->vertex_count;
    const int second = p->kind == NC_CLOTH_VERTEX_TRIANGLE ? m->triangles.count : first;
    if (++p->b >= second) {
        if (++p->a >= first) {
            if (p->kind == NC_CLOTH_POINT_POINT)
                return false;
            p->kind++;
            p->a = 0;
        }
        p->b = p->kind == NC_CLOTH_VERTEX_TRIANGLE ? 0 : p->a + 1;
    }
    return true;
}

// Every pair that applies, in order, into `out`; returns how many.
static int every_pair(const nc_cloth_model *m, nc_cloth_pair *out, int capacity)
{
    int count = 0;
    nc_cloth_pair p = {NC_CLOTH_VERTEX_TRIANGLE, 0, -1};
    while (next_pair(m, &p)) {
        const int second = p.kind == NC_CLOTH_VERTEX_TRIANGLE ? m->triangles.count
                           : p.kind == NC_CLOTH_EDGE_EDGE     ? m->edges.count
                                                              : m->vertex_count;
        if (p.b >= second ||
            (p.kind == NC_CLOTH_POINT_POINT && (m->object[p.a] != SHEETS || m->object[p.b] != SHEETS)) ||
            !nc_cloth_pair_applies(m, p))
            continue;
        assert_true(count < capacity);
        out[count++] = p;
    }
    return count;
}

enum { MAX_PAIRS = 8000 };

// ---- windows ------------------------------------------------------------------------------------------------

static void kick(nc_cloth_world *world, nc_cloth_trace *trace, int v, int64_t tick, nc_vec3 dv)
{
    nc_cloth_state *s = &world->states[v];
    trace->pieces[trace->count] = (nc_cloth_piece){s->x, s->v, s->t, v, trace->last[v]};
    trace->last[v] = trace->count++;
    s->x = nc_cloth_position_at(s, tick, world->model.unit);
    s->t = tick;
    s->v = nc_add(s->v, dv);
}

// Where the vertex was at a tick of the window.
static nc_vec3 place(const nc_cloth_world *world, const nc_cloth_trace *trace, int v, int64_t tick)
{
    nc_cloth_state s = world->states[v];
    for (int row = trace->last[v]; s.t > tick && row >= 0; row = trace->pieces[row].before)
        s = (nc_cloth_state){.x = trace->pieces[row].x, .v = trace->pieces[row].v, .t = trace->pieces[row].t};
    return nc_cloth_position_at(&s, tick, world->model.unit);
}

static double gap_at(const nc_cloth_world *world, const nc_cloth_trace *trace, nc_cloth_pair pair, int64_t tick)
{
    int v[4];
    nc_vec3 x[4] = {{0}};
    const int count = nc_cloth_pair_vertices(&world->model, pair, v);
    for (int i = 0; i < count; i++)
        x[i] = place(world, trace, v[i], tick);
    return nc_cloth_gap_of(pair.kind, x).distance;
}

static double gap_now(const nc_cloth_world *world, nc_cloth_pair pair, int64_t tick)
{
    int v[4];
    nc_vec3 x[4] = {{0}};
    const int count = nc_cloth_pair_vertices(&world->model, pair, v);
    for (int i = 0; i < count; i++)
        x[i] = nc_cloth_position_at(&world->states[v[i]], tick, world->model.unit);
    return nc_cloth_gap_of(pair.kind, x).distance;
}

enum { KICKS = 40, WINDOWS = 18, TIMES = 24 };
#define SPAN ((int64_t)1 << 34)

static int64_t tick_in(nc_random *random, int64_t begin, int64_t end)
{
    return begin + (int64_t)(nc_random_u64(random) % (uint64_t)(end - begin)) + 1;
}

static void run_random_window(nc_cloth_world *world, nc_cloth_trace *trace, nc_random *random, int64_t begin)
{
    int64_t now = begin;
    const double wild = begin / SPAN % 6 == 0 ? 0.1 : 0; // then lists last for some windows
    for (int v = 0; v < world->model.vertex_count; v++)
        trace->last[v] = -1;
    trace->count = 0;
    trace->begin = begin;
    trace->end = begin + SPAN;
    for (int i = 0; i < KICKS; i++) {
        now = tick_in(random, now, now + 2 * SPAN / KICKS);
        if (now > trace->end)
            break;
        const int v = (int)(nc_random_u64(random) % (uint64_t)world->model.vertex_count);
        kick(world, trace, v, now, random_vector(random, nc_random_unit(random) < wild ? 20 : 0.5));
    }
}

typedef struct tightness {
    long needs, near;
    double sum;
} tightness;

static void check_window(const nc_cloth_world *world, const nc_cloth_trace *trace, const nc_cloth_near_pairs *needs,
                         const nc_cloth_pair *pairs, int count, double reach, nc_random *random, tightness *tight)
{
    int at = 0;
    for (int i = 0; i < count; i++) {
        double least = INFINITY;
        for (int k = 0; k <= TIMES; k++)
            least = fmin(least, gap_at(world, trace, pairs[i],
                                       k == 0 ? trace->begin : tick_in(random, trace->begin, trace->end)));
        while (at < needs->count && nc_cloth_pair_less(needs->data[at].pair, pairs[i]))
            at++;
        const bool found = at < needs->count && !nc_cloth_pair_less(pairs[i], needs->data[at].pair);
        const double thickness = nc_cloth_pair_thickness(&world->model, pairs[i]) + reach;
        if (least < thickness && !(found && needs->data[at].distance <= least)) {
            print_error("pair %d %d %d comes within %.17g of %g: %s %.17g\n", pairs[i].kind, pairs[i].a, pairs[i].b,
                        least, thickness, found ? "bound" : "not found", found ? needs->data[at].distance : 0.0);
            fail();
        }
        tight->needs += found && needs->data[at].distance < thickness; // others are only foreseen
        tight->near += least < thickness;
        if (found && least < thickness)
            tight->sum += needs->data[at].distance / least;
    }
    for (int i = 1; i < needs->count; i++)
        assert_true(nc_cloth_pair_less(needs->data[i - 1].pair, needs->data[i].pair));
}

static void no_pair_that_came_near_in_a_window_is_missed(void **state)
{
    (void)state;
    nc_random random = {check_seed("windows", 821)};
    nc_cloth_pair pairs[MAX_PAIRS];
    tightness tight = {0};
    for (int round = 0; round < check_effort(12); round++) {
        const nc_vec3 far = round % 3 == 2 ? nc_v3(1e6, -3e5, 2e6) : nc_v3(0, 0, 0);
        nc_cloth_world *world = make_crowd(&random, far);
        const int n = world->model.vertex_count, count = every_pair(&world->model, pairs, MAX_PAIRS);
        nc_cloth_piece pieces[KICKS];
        int *last = calloc((size_t)n, sizeof *last);
        nc_cloth_trace trace = {.pieces = pieces, .capacity = KICKS, .last = last};
        nc_cloth_near_pairs needs = {0};
        nc_cloth_search *search;
        nc_error err;
        check_ok(nc_cloth_search_create(&world->model, &search, &err), err);
        for (int w = 0; w < WINDOWS; w++) {
            const double reach = w % 4 == 3 ? 0.02 : 0;
            nc_cloth_state before[100];
            memcpy(before, world->states, (size_t)n * sizeof *before);
            for (int run = 0; run <= w % 3; run++) { // some windows are run again
                memcpy(world->states, before, (size_t)n * sizeof *before);
                run_random_window(world, &trace, &random, w * SPAN);
                needs.count = 0;
                check_ok(nc_cloth_window_find(search, &world->model, world->states, &trace, reach, &needs, &err), err);
                check_window(world, &trace, &needs, pairs, count, reach, &random, &tight);
            }
        }
        free(last);
        nc_array_free(&world->model.allocator, &needs);
        nc_cloth_search_destroy(search);
        nc_cloth_world_destroy(world);
    }
    print_message("%ld needs, %ld near, bounds %.3f of distances\n", tight.needs, tight.near,
                  tight.sum / (double)tight.near);
    assert_true(tight.near > 1000);
    check_at_most((double)tight.needs, 1.5 * (double)tight.near);
    assert_true(tight.sum > 0.6 * (double)tight.near);
}

enum { CHANGED = 2 };

// The window that `random` gives, run again but for kicks that only a few vertices get; says who goes as before.
static void run_nearly_again(nc_cloth_world *world, nc_cloth_trace *trace, nc_random *random, int64_t begin, bool *same)
{
    nc_random as_before = *random;
    run_random_window(world, trace, &as_before, begin);
    nc_random_u64(random);
    for (int v = 0; v < world->model.vertex_count; v++)
        same[v] = true;
    for (int i = 0; i < CHANGED; i++) {
        const int v = (int)(nc_random_u64(random) % (uint64_t)world->model.vertex_count);
        const int64_t from = world->states[v].t > begin ? world->states[v].t : begin;
        if (from < trace->end) {
            kick(world, trace, v, tick_in(random, from, trace->end), random_vector(random, 20));
            same[v] = false;
        }
    }
    trace->same = same;
}

static void no_pair_is_missed_because_others_go_as_before(void **state)
{
    (void)state;
    nc_random random = {check_seed("again", 823)};
    nc_cloth_pair pairs[MAX_PAIRS];
    tightness tight = {0};
    for (int round = 0; round < check_effort(6); round++) {
        nc_cloth_world *world = make_crowd(&random, nc_v3(0, 0, 0));
        const int n = world->model.vertex_count, count = every_pair(&world->model, pairs, MAX_PAIRS);
        nc_cloth_piece pieces[KICKS + CHANGED];
        int last[100];
        bool same[100];
        nc_cloth_trace trace = {.pieces = pieces, .capacity = KICKS + CHANGED, .last = last};
        nc_cloth_near_pairs needs = {0};
        nc_cloth_search *search;
        nc_error err;
        check_ok(nc_cloth_search_create(&world->model, &search, &err), err);
        for (int w = 0; w < WINDOWS; w++) {
            nc_cloth_state before[100];
            nc_random first = random;
            memcpy(before, world->states, (size_t)n * sizeof *before);
            trace.same = NULL;
            run_random_window(world, &trace, &first, w * SPAN);
            needs.count = 0;
            check_ok(nc_cloth_window_find(search, &world->model, world->states, &trace, 0, &needs, &err), err);
            memcpy(world->states, before, (size_t)n * sizeof *before);
            run_nearly_again(world, &trace, &random, w * SPAN, same);
            needs.count = 0;
            check_ok(nc_cloth_window_find(search, &world->model, world->states, &trace, 0, &needs, &err), err);
            check_window(world, &trace, &needs, pairs, count, 0, &random, &tight);
        }
        nc_array_free(&world->model.allocator, &needs);
        nc_cloth_search_destroy(search);
        nc_cloth_world_destroy(world);
    }
    assert_true(tight.near > 500);
}

// A sheet that comes straight down on another uses up all that the lists allow, and no more. With `doubtful`, every
// window is first run upwards, then again downwards: what was seen of the first run must not count.
static void land(bool doubtful, nc_random *random)
{
    nc_cloth_world_def settings = nc_cloth_world_def_default();
    nc_cloth_world *world;
    nc_error err;
    settings.frame_dt = 1;
    check_ok(nc_cloth_world_create(&settings, &world, &err), err);
    const double thickness = 0.05, fall = 0.02; // [m] a window
    for (int k = 0; k < 2; k++) {
        const double x2 = 0.1 * nc_random_unit(random); // on slopes: their boxes overlap all the time
        const nc_vec3 x[3] = {{-1, k - 1, -1}, {1, k + 1, -1}, {x2, k + x2, 1}};
        const int t[1][3] = {{0, 1, 2}};
        nc_cloth_def def = nc_cloth_def_default();
        int out;
        def.vertices = x;
        def.vertex_count = 3;
        def.triangles = t;
        def.triangle_count = 1;
        def.contact.thickness = thickness;
        check_ok(nc_cloth_add(world, &def, &out, &err), err);
    }
    int last[6];
    const nc_cloth_trace empty = {.last = last};
    nc_cloth_search *search;
    nc_cloth_near_pairs needs = {0};
    check_ok(nc_cloth_search_create(&world->model, &search, &err), err);
    double height = 1;
    for (int w = 0; height - fall > 0; w++) {
        nc_cloth_trace trace = empty;
        trace.begin = w * SPAN;
        trace.end = trace.begin + SPAN;
        memset(last, -1, sizeof last);
        for (int run = doubtful ? 0 : 1; run < 2; run++) {
            for (int v = 3; v < 6; v++) {
                nc_cloth_state *s = &world->states[v];
                s->x = nc_cloth_position_at(s, trace.begin, world->model.unit);
                s->t = trace.begin;
                s->v = nc_v3(0, (run == 0 ? 3 : -1) * fall / ((double)SPAN * world->model.unit), 0);
            }
            needs.count = 0;
            check_ok(nc_cloth_window_find(search, &world->model, world->states, &trace, 0, &needs, &err), err);
        }
        height -= fall;
        int near = 0;
        for (int i = 0; i < needs.count; i++)
            near += needs.data[i].distance < thickness * (1 - 1e-6);
        assert_int_equal(near > 0, height < sqrt(2) * thickness);
    }
    nc_array_free(&world->model.allocator, &needs);
    nc_cloth_search_destroy(search);
    nc_cloth_world_destroy(world);
}

static void lists_are_used_up_to_their_end_and_not_beyond(void **state)
{
    (void)state;
    nc_random random = {check_seed("landing", 824)};
    for (int i = 0; i < 8; i++)
        land(i % 2 == 1, &random);
}

static void needs_are_the_same_for_any_number_of_workers(void **state)
{
    (void)state;
    nc_cloth_near_pairs needs[3] = {{0}};
    nc_error err;
    for (int w = 0; w < 3; w++) {
        nc_random random = {822};
        nc_cloth_world *world = make_crowd(&random, nc_v3(0, 0, 0));
        nc_cloth_search *search;
        nc_cloth_piece pieces[KICKS];
        int last[100];
        nc_cloth_trace trace = {.pieces = pieces, .capacity = KICKS, .last = last};
        world->model.settings.workers = w == 0 ? 1 : w == 1 ? 2 : 8;
        check_ok(nc_cloth_search_create(&world->model, &search, &err), err);
        for (int i = 0; i < 4; i++) {
            run_random_window(world, &trace, &random, i * SPAN);
            check_ok(nc_cloth_window_find(search, &world->model, world->states, &trace, 0.01, &needs[w], &err), err);
        }
        nc_cloth_search_destroy(search);
        nc_cloth_world_destroy(world);
        assert_int_equal(needs[w].count, needs[0].count);
        assert_true(needs[0].count > 100);
        for (int i = 0; i < needs[w].count; i++) {
            assert_int_equal(needs[w].data[i].pair.kind, needs[0].data[i].pair.kind);
            assert_int_equal(needs[w].data[i].pair.a, needs[0].data[i].pair.a);
            assert_int_equal(needs[w].data[i].pair.b, needs[0].data[i].pair.b);
            assert_memory_equal(&needs[w].data[i].distance, &needs[0].data[i].distance, sizeof(double));
        }
    }
    const nc_allocator plain = nc_allocator_or_default(NULL);
    for (int w = 0; w < 3; w++)
        nc_array_free(&plain, &needs[w]);
}

// ---- certificates -------------------------------------------------------------------------------------------

// What is certified of each pair: its thickness, or what the needs said.
static void learn(double *certified, const nc_cloth_pair *pairs, int count, const nc_cloth_near_pairs *needs)
{
    for (int n = 0; n < needs->count; n++)
        for (int i = 0; i < count; i++)
            if (!nc_cloth_pair_less(pairs[i], needs->data[n].pair) &&
                !nc_cloth_pair_less(needs->data[n].pair, pairs[i]))
                certified[i] = needs->data[n].distance;
}

static void check_certified(const nc_cloth_world *world, const nc_cloth_pair *pairs, const double *certified, int count,
                            int64_t tick, long *near)
{
    for (int i = 0; i < count; i++) {
        const double gap = gap_now(world, pairs[i], tick);
        if (!(gap >= certified[i])) {
            print_error("pair %d %d %d at %.17g, certified %.17g\n", pairs[i].kind, pairs[i].a, pairs[i].b, gap,
                        certified[i]);
            fail();
        }
        *near += certified[i] < nc_cloth_pair_thickness(&world->model, pairs[i]);
    }
}

static nc_cloth_kinetic *begin_kinetic(nc_cloth_world *world, const nc_cloth_pair *pairs, int count, double *certified,
                                       nc_cloth_near_pairs *needs)
{
    nc_cloth_kinetic *kinetic;
    nc_error err;
    for (int i = 0; i < count; i++)
        certified[i] = nc_cloth_pair_thickness(&world->model, pairs[i]);
    needs->count = 0;
    check_ok(nc_cloth_kinetic_create(&world->model, world->states, 0, needs, &kinetic, &err), err);
    learn(certified, pairs, count, needs);
    return kinetic;
}

static void handle_until(nc_cloth_world *world, nc_cloth_kinetic *kinetic, int64_t tick, const nc_cloth_pair *pairs,
                         int count, double *certified, nc_cloth_near_pairs *needs)
{
    nc_error err;
    while (nc_cloth_kinetic_next(kinetic) <= tick) {
        needs->count = 0;
        check_ok(nc_cloth_kinetic_handle(kinetic, world->states, nc_cloth_kinetic_next(kinetic), needs, &err), err);
        learn(certified, pairs, count, needs);
    }
}

static void no_certificate_outlives_its_truth(void **state)
{
    (void)state;
    nc_random random = {check_seed("certificates", 823)};
    nc_cloth_pair pairs[MAX_PAIRS];
    double certified[MAX_PAIRS];
    long near = 0;
    int64_t counts[3] = {0};
    for (int round = 0; round < check_effort(8); round++) {
        nc_cloth_world *world = make_crowd(&random, round % 3 == 2 ? nc_v3(1e5, -3e5, 2e5) : nc_v3(0, 0, 0));
        const int count = every_pair(&world->model, pairs, MAX_PAIRS);
        nc_cloth_near_pairs needs = {0};
        nc_cloth_kinetic *kinetic = begin_kinetic(world, pairs, count, certified, &needs);
        nc_error err;
        int64_t now = 0;
        for (int i = 0; i < 150; i++) {
            const int64_t then = tick_in(&random, now, now + SPAN / 8);
            for (int k = 0; k < 2; k++) {
                const int64_t between = k == 0 ? tick_in(&random, now, then) : then;
                handle_until(world, kinetic, between, pairs, count, certified, &needs);
                check_certified(world, pairs, certified, count, between, &near);
                now = between;
            }
            int moved[3];
            for (int k = 0; k < 3; k++) {
                moved[k] = (int)(nc_random_u64(&random) % (uint64_t)world->model.vertex_count);
                nc_cloth_state *s = &world->states[moved[k]];
                s->x = nc_cloth_position_at(s, now, world->model.unit);
                s->t = now;
                const double size = nc_random_unit(&random); // some kicks stay within the bounds of velocities
                s->v = nc_add(nc_scale(size < 0.5 ? 1 : 0.8, s->v), random_vector(&random, size < 0.5   ? 0.02
                                                                                           : size < 0.9 ? 1
                                                                                                        : 10));
            }
            check_ok(nc_cloth_kinetic_moved(kinetic, world->states, moved, 3, now, &err), err);
            // Whatever has left its thickness again is released.
            for (int p = 0; p < count; p++) {
                const double thickness = nc_cloth_pair_thickness(&world->model, pairs[p]);
                if (certified[p] >= thickness || gap_now(world, pairs[p], now) < 1.1 * thickness)
                    continue;
                check_ok(nc_cloth_kinetic_released(kinetic, world->states, pairs[p], now, &err), err);
                certified[p] = thickness;
            }
        }
        int64_t c[3];
        nc_cloth_kinetic_counts(kinetic, &c[0], &c[1], &c[2]);
        for (int k = 0; k < 3; k++)
            counts[k] += c[k];
        nc_array_free(&world->model.allocator, &needs);
        nc_cloth_kinetic_destroy(kinetic);
        nc_cloth_world_destroy(world);
    }
    print_message("%ld near, %lld failures, %lld times, %lld tree events\n", near, (long long)counts[0],
                  (long long)counts[1], (long long)counts[2]);
    assert_true(near > 1000 && counts[0] > 100 && counts[2] > 100);
}

// ---- the audit ----------------------------------------------------------------------------------------------

// A particle that flies at a triangle, and is turned back just before it, or not.
static int64_t crossings_of(double turn_at, double offset)
{
    nc_cloth_world_def settings = nc_cloth_world_def_default();
    nc_cloth_world *world;
    nc_error err;
    settings.frame_dt = 1;
    check_ok(nc_cloth_world_create(&settings, &world, &err), err);
    const nc_vec3 corners[3] = {{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}}, particle = {offset, 0, 1};
    const int triangle[1][3] = {{0, 1, 2}};
    nc_cloth_def def = nc_cloth_def_default();
    int out;
    def.vertices = corners;
    def.vertex_count = 3;
    def.triangles = triangle;
    def.triangle_count = 1;
    check_ok(nc_cloth_add(world, &def, &out, &err), err);
    def.type = NC_CLOTH_PARTICLES;
    def.vertices = &particle;
    def.vertex_count = 1;
    def.triangle_count = 0;
    def.particle_mass = 1;
    check_ok(nc_cloth_add(world, &def, &out, &err), err);
    world->states[3].v = nc_v3(0, 0, -2);
    nc_cloth_piece pieces[4];
    int last[4] = {-1, -1, -1, -1};
    nc_cloth_trace trace = {.pieces = pieces, .capacity = 4, .last = last, .begin = 0, .end = NC_CLOTH_TICKS_PER_FRAME};
    kick(world, &trace, 3, (int64_t)(turn_at * (double)NC_CLOTH_TICKS_PER_FRAME), nc_v3(0, 0, 4));
    nc_cloth_search *search;
    int64_t audited = 0, crossings = 0;
    nc_cloth_crossing first = {.tick = -1};
    check_ok(nc_cloth_search_create(&world->model, &search, &err), err);
    check_ok(nc_cloth_audit_window(search, &world->model, world->states, &trace, &audited, &crossings, &first, &err),
             err);
    assert_int_equal(audited, 5);
    if (crossings > 0) {
        assert_int_equal(first.pair.a, 3);
        assert_int_equal(first.pair.b, 0);
        assert_true(first.tick >= NC_CLOTH_TICKS_PER_FRAME / 2);
    }
    nc_cloth_search_destroy(search);
    nc_cloth_world_destroy(world);
    return crossings;
}

static void the_audit_tells_a_turn_before_from_one_behind(void **state)
{
    (void)state;
    assert_int_equal(crossings_of(0.5 - 1e-9, 0), 0);
    assert_int_equal(crossings_of(0.5 + 1e-9, 0), 1);
    assert_int_equal(crossings_of(0.25, 0), 0);
    assert_int_equal(crossings_of(0.9, 0), 1);
    assert_int_equal(crossings_of(0.9, 0.5 + 1e-9), 0); // past its side
    assert_int_equal(crossings_of(0.9, 0.5 - 1e-9), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_pair_that_came_near_in_a_window_is_missed),
        cmocka_unit_test(no_pair_is_missed_because_others_go_as_before),
        cmocka_unit_test(lists_are_used_up_to_their_end_and_not_beyond),
        cmocka_unit_test(needs_are_the_same_for_any_number_of_workers),
        cmocka_unit_test(no_certificate_outlives_its_truth),
        cmocka_unit_test(the_audit_tells_a_turn_before_from_one_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
