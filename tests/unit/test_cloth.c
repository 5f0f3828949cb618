// Cloth: clocks, elastic forces, momentum, energy, prescribed motion, snapshots.
#include "check.h"

#include "cloth_scene.h"

#include "cloth/forces.h"

static nc_cloth_world *world_of(nc_vec3 gravity, int gravity_level)
{
    nc_error err = {0};
    nc_cloth_world_def def = cloth_settings(1);
    nc_cloth_world *world = NULL;
    def.gravity_level = gravity_level;
    def.elastic_safety = 0.4;
    def.gravity = gravity;
    check_ok(nc_cloth_world_create(&def, &world, &err), err);
    return world;
}

static nc_cloth_world *world_make(nc_vec3 gravity)
{
    return world_of(gravity, 6);
}

static int add(nc_cloth_world *world, const nc_cloth_def *def)
{
    nc_error err = {0};
    int id = -1;
    check_ok(nc_cloth_add(world, def, &id, &err), err);
    return id;
}

static nc_cloth_report step(nc_cloth_world *world, int frames)
{
    nc_error err = {0};
    nc_cloth_report report = {0};
    for (int f = 0; f < frames; f++)
        check_ok(nc_cloth_step(world, &report, &err), err);
    return report;
}

static double total_energy(const nc_cloth_report *r)
{
    return r->kinetic + r->gravity_energy + r->stretch_energy + r->bend_energy + r->contact_energy;
}

// ---- free motion --------------------------------------------------------------------------------------------

static void patch_in_free_fall_falls_as_a_point_does(void **state)
{
    (void)state;
    nc_error err = {0};
    nc_cloth_world *world = world_make(nc_v3(0, -9.8, 0));
    grid g = grid_make(5, 5, 0.1, 0);
    const nc_cloth_def cloth = grid_cloth(&g);
    const int id = add(world, &cloth);
    step(world, 24);
    nc_vec3 x[25], v[25];
    check_ok(nc_cloth_read(world, id, x, v, &err), err);
    // Kicks at k h, k = 1 .. n: the fall is g h^2 n (n - 1) / 2.
    const double h = 1.0 / (24 * 64), n = 24 * 64;
    for (int i = 0; i < 25; i++) {
        check_near(v[i].y, -9.8, 1e-9);
        check_near(x[i].y - g.vertices[i].y, -9.8 * h * h * n * (n - 1) / 2, 1e-9);
    }
    nc_cloth_world_destroy(world);
}

// A sheet that is stretched, bent and spun.
static nc_cloth_world *wild_sheet(double damping)
{
    nc_cloth_world *world = world_make(nc_v3(0, 0, 0));
    grid g = grid_make(7, 7, 0.1, 0);
    nc_vec3 v[49], x[49];
    nc_random random = {7};
    for (int i = 0; i < g.vertex_count; i++) {
        x[i] = nc_add(nc_scale(1.05, g.vertices[i]), nc_v3(0, nc_random_range(&random, -0.01, 0.01), 0));
        v[i] = nc_add(nc_cross(nc_v3(0.3, 1, -0.5), g.vertices[i]), nc_v3(0.1, nc_random_unit(&random), -0.2));
    }
    nc_cloth_def def = grid_cloth(&g);
    def.vertices = x;
    def.rest = g.vertices;
    def.velocities = v;
    def.contact.thickness = 0.02;
    def.contact.restitution = 1;
    def.stretch_damping = def.bend_damping = damping;
    add(world, &def);
    return world;
}

static void momentum_is_kept_to_rounding(void **state)
{
    (void)state;
    for (int damped = 0; damped < 2; damped++) {
        nc_cloth_world *world = wild_sheet(damped == 1 ? 1e-3 : 0);
        nc_error err = {0};
        nc_cloth_report a;
        check_ok(nc_cloth_measure(world, &a, &err), err);
        const nc_cloth_report b = step(world, 12);
        check_at_most(nc_norm(nc_sub(a.momentum, b.momentum)), 1e-14);
        check_at_most(nc_norm(nc_sub(a.angular_momentum, b.angular_momentum)), 1e-14);
        assert_true(damped == 0 || total_energy(&b) < 0.99 * total_energy(&a));
        nc_cloth_world_destroy(world);
    }
}

static void energy_stays_bounded_over_a_million_events(void **state)
{
    (void)state;
    nc_cloth_world *world = wild_sheet(0);
    nc_error err = {0};
    nc_cloth_report r;
    check_ok(nc_cloth_measure(world, &r, &err), err);
    const double start = total_energy(&r);
    double least[2] = {INFINITY, INFINITY}, most[2] = {0, 0}; // of the first half, of the second
    int64_t events = 0;
    while (events < 1000000) {
        r = step(world, 1);
        events += r.stretch_events + r.bend_events + r.contact_events;
        const int half = events > 500000;
        least[half] = fmin(least[half], total_energy(&r));
        most[half] = fmax(most[half], total_energy(&r));
    }
    print_message("energy in [%.4f, %.4f] of what it was, then in [%.4f, %.4f]; %lld events\n", least[0] / start,
                  most[0] / start, least[1] / start, most[1] / start, (long long)events);
    for (int half = 0; half < 2; half++) {
        check_at_most(most[half], 1.015 * start);
        check_at_most(-least[half], -0.985 * start);
    }
    nc_cloth_world_destroy(world);
}

// Springs that tick far more slowly than hinges swing drive these: kicks come at multiples of half a period.
static void slow_clocks_do_not_drive_fast_modes(void **state)
{
    (void)state;
    for (int damped = 0; damped < 2; damped++) {
        nc_cloth_world *world = world_make(nc_v3(0, 0, 0));
        grid g = grid_make(4, 4, 0.1, 0);
        nc_vec3 x[16];
        nc_random random = {5};
        for (int i = 0; i < 16; i++)
            x[i] = nc_add(nc_scale(1.02, g.vertices[i]), nc_v3(0, nc_random_range(&random, -0.001, 0.001), 0));
        nc_cloth_def def = grid_cloth(&g);
        def.vertices = x;
        def.rest = g.vertices;
        def.bend_stiffness = 200;
        def.stretch_damping = damped == 1 ? 1e-3 : 0;
        def.contact.thickness = 0.02;
        add(world, &def);
        const nc_cloth_report first = step(world, 1);
        const nc_cloth_elastic *e = &world->elastic;
        const int springs = e->springs.data[0].level, hinges = e->hinges.data[e->hinges.count - 1].level;
        // omega h is at most 2 (3/4) 0.4 for hinges, so that of springs four times as long is below pi, and no longer.
        assert_true(damped == 1 ? hinges > springs + 2 : hinges == springs + 2);
        const nc_cloth_report last = step(world, damped == 1 ? 1 : 30);
        print_message("springs tick at level %d, hinges at %d; energy is %.4f of what it was\n", springs, hinges,
                      total_energy(&last) / total_energy(&first));
        check_at_most(total_energy(&last), 1.05 * total_energy(&first));
        nc_cloth_world_destroy(world);
    }
}

// ---- elastic forces -----------------------------------------------------------------------------------------

// The angle in long doubles, written differently: from the unit normals.
static long double slow_angle(long double x[4][3])
{
    long double e[3], a[3], b[3], n1[3], n2[3], c[3];
    for (int k = 0; k < 3; k++) {
        e[k] = x[1][k] - x[0][k];
        a[k] = x[2][k] - x[0][k];
        b[k] = x[3][k] - x[0][k];
    }
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        n1[k] = e[i] * a[j] - e[j] * a[i];
        n2[k] = b[i] * e[j] - b[j] * e[i];
    }
    long double dot = 0, along = 0, length = 0;
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        c[k] = n1[i] * n2[j] - n1[j] * n2[i];
        dot += n1[k] * n2[k];
        along += c[k] * e[k];
        length += e[k] * e[k];
    }
    return atan2l(along / sqrtl(length), dot);
}

static void gradient_of_a_hinge_is_that_of_its_angle(void **state)
{
    (void)state;
    nc_random random = {check_seed("gradient_of_a_hinge_is_that_of_its_angle", 3)};
    for (int n = 0; n < check_effort(2000); n++) {
        nc_vec3 x[4], gradient[4];
        long double at[4][3];
        for (int i = 0; i < 4; i++) {
            x[i] = nc_v3(nc_random_range(&random, -1, 1), nc_random_range(&random, -1, 1),
                         nc_random_range(&random, -1, 1));
            at[i][0] = x[i].x;
            at[i][1] = x[i].y;
            at[i][2] = x[i].z;
        }
        double angle;
        assert_true(nc_cloth_hinge_angle(x, &angle, gradient));
        check_near(angle, (double)slow_angle(at), 1e-13);
        double size = 0;
        for (int i = 0; i < 4; i++)
            size = fmax(size, nc_norm(gradient[i]));
        for (int i = 0; i < 4; i++) {
            const double exact[3] = {gradient[i].x, gradient[i].y, gradient[i].z};
            for (int k = 0; k < 3; k++) {
                const long double h = 1e-6L / size, kept = at[i][k];
                at[i][k] = kept + h;
                const long double up = slow_angle(at);
                at[i][k] = kept - h;
                const long double down = slow_angle(at);
                at[i][k] = kept;
                if (fabsl(up - down) < 1) // not across the cut at pi
                    check_near(exact[k], (double)((up - down) / (2 * h)), 1e-7 * size);
            }
        }
    }
}

// Two pinned corners and a third that hangs on two springs: sag and swing have closed forms.
static nc_cloth_world *pendulum(double tilt, double damping, double *arm)
{
    const double length = 1, half = 0.25;
    const nc_vec3 rest[3] = {{-half, 0, 0}, {half, 0, 0}, {0, -length, 0}};
    nc_vec3 x[3] = {rest[0], rest[1], {0, -length * cos(tilt), length * sin(tilt)}};
    const int triangle[1][3] = {{0, 1, 2}};
    const int pins[2] = {0, 1};
    const nc_cloth_script script = {.vertices = pins, .vertex_count = 2};
    nc_cloth_def def = nc_cloth_def_default();
    def.vertices = x;
    def.rest = rest;
    def.vertex_count = 3;
    def.triangles = triangle;
    def.triangle_count = 1;
    def.density = 10;
    def.stretch_stiffness = 1000;
    def.stretch_damping = damping;
    def.scripts = &script;
    def.script_count = 1;
    *arm = length;
    nc_cloth_world *world = world_of(nc_v3(0, -9.8, 0), 12); // often, so that springs feel a steady weight
    add(world, &def);
    return world;
}

// The depth at which two springs of stiffness k from (+-half, 0) hold m g.
static double sag_of(double mass, double k)
{
    const double half = 0.25, rest = sqrt(1 + half * half);
    double low = 1, high = 2;
    for (int i = 0; i < 100; i++) {
        const double y = 0.5 * (low + high), s = sqrt(y * y + half * half);
        if (2 * k * (s - rest) * y / s < mass * 9.8)
            low = y;
        else
            high = y;
    }
    return low;
}

static void pinned_sheet_sags_as_its_springs_say(void **state)
{
    (void)state;
    nc_error err = {0};
    double arm;
    nc_cloth_world *world = pendulum(0, 1, &arm);
    step(world, 120);
    nc_vec3 x[3];
    check_ok(nc_cloth_read(world, 0, x, NULL, &err), err);
    const double mass = 10 * 0.25 * arm / 3; // a third of the triangle's
    check_near(-x[2].y, sag_of(mass, 1000), 0.01 * (sag_of(mass, 1000) - arm));
    nc_cloth_world_destroy(world);
}

static void pinned_sheet_swings_with_the_period_of_a_pendulum(void **state)
{
    (void)state;
    nc_error err = {0};
    double arm;
    nc_cloth_world *world = pendulum(0.05, 0, &arm);
    const double length = sag_of(2.5 / 3, 1000);
    double crossings[8], before = 0;
    int count = 0;
    for (int f = 0; f < 24 * 8 && count < 8; f++) {
        step(world, 1);
        nc_vec3 x[3];
        check_ok(nc_cloth_read(world, 0, x, NULL, &err), err);
        if (f > 0 && before < 0 && x[2].z >= 0) // upwards through the middle, between two frames
            crossings[count++] = nc_cloth_time(world) - x[2].z / (x[2].z - before) / 24;
        before = x[2].z;
    }
    assert_true(count >= 3);
    const double period = (crossings[count - 1] - crossings[0]) / (count - 1);
    // Small swings: 2 pi sqrt(l / g) (1 + a^2 / 16).
    check_near(period, 2 * 3.14159265358979 * sqrt(length / 9.8) * (1 + 0.05 * 0.05 / 16), 0.003);
    nc_cloth_world_destroy(world);
}

// ---- clocks and stencils (Figs. 5 and 7, Table 1) -----------------------------------------------------------

static void clocks_tick_at_multiples_of_their_step(void **state)
{
    (void)state;
    for (int level = 0; level <= NC_CLOTH_LEVELS; level++) {
        const int64_t tick = nc_cloth_step_ticks(level);
        assert_int_equal(nc_cloth_level_at(tick), level);
        assert_int_equal(nc_cloth_level_at(3 * tick), level);
        assert_true(level == 0 || nc_cloth_level_at(2 * tick) == level - 1);
    }
    nc_cloth_world *world = wild_sheet(0);
    step(world, 1);
    // Every kick of the last window is at a tick of the clocks that the forces have.
    const nc_cloth_elastic *e = &world->elastic;
    const int finest = e->springs.data[e->springs.count - 1].level;
    assert_true(world->trace.count > 0);
    for (int i = 0; i < world->trace.count; i++)
        assert_int_equal(world->trace.pieces[i].t % nc_cloth_step_ticks(finest), 0);
    nc_cloth_world_destroy(world);
}

static void events_touch_their_stencils_only(void **state)
{
    (void)state;
    nc_cloth_world *world = wild_sheet(0);
    step(world, 1);
    const nc_cloth_elastic *e = &world->elastic;
    nc_cloth_state before[49];
    const int64_t now = NC_CLOTH_TICKS_PER_FRAME + 12345;
    nc_cloth_trace_open(&world->trace, NC_CLOTH_TICKS_PER_FRAME, 2 * NC_CLOTH_TICKS_PER_FRAME);
    const nc_cloth_tick run = {world->states, &world->trace, world->kicks, world->model.unit, now, false};
    for (int kind = 0; kind < 2; kind++) {
        memcpy(before, world->states, sizeof before);
        const nc_cloth_spring *s = &e->springs.data[e->springs.count / 2];
        const nc_cloth_hinge *h = &e->hinges.data[e->hinges.count / 2];
        if (kind == 0)
            nc_cloth_springs_kick(&run, s, 1);
        else
            nc_cloth_hinges_kick(&run, h, 1);
        for (int i = 0; i < 49; i++) {
            const bool inside =
                kind == 0 ? i == s->a || i == s->b : i == h->v[0] || i == h->v[1] || i == h->v[2] || i == h->v[3];
            assert_int_equal(memcmp(&before[i], &world->states[i], sizeof before[i]) != 0, inside);
        }
    }
    nc_cloth_world_destroy(world);
}

// One hinge, from nc_cloth_hinge_angle: the slow oracle of hinges that are run four at a time.
static void kick_hinge(const nc_cloth_tick *run, const nc_cloth_hinge *h)
{
    nc_vec3 x[4], gradient[4];
    double angle, rate = 0, weight = 0;
    for (int k = 0; k < 4; k++)
        x[k] = nc_cloth_position_at(&run->states[h->v[k]], run->now, run->unit);
    if (!nc_cloth_hinge_angle(x, &angle, gradient))
        return;
    double off = angle - h->rest;
    off += off > NC_PI ? -2 * NC_PI : off < -NC_PI ? 2 * NC_PI : 0;
    double impulse = -h->kick * off;
    for (int k = 0; k < 4; k++) {
        rate += nc_dot(gradient[k], run->states[h->v[k]].v);
        weight += run->states[h->v[k]].inv_mass * nc_norm2(gradient[k]);
    }
    if (h->damping > 0)
        impulse -= h->damping / (1 + h->damping * weight) * rate;
    for (int k = 0; k < 4; k++)
        nc_cloth_kick(run, h->v[k], x[k], nc_scale(run->states[h->v[k]].inv_mass * impulse, gradient[k]));
}

static void hinges_of_a_tick_are_those_one_by_one_to_the_bit(void **state)
{
    (void)state;
    for (int damped = 0; damped < 2; damped++) {
        nc_cloth_world *world = wild_sheet(damped == 1 ? 1e-3 : 0);
        step(world, 1);
        const nc_cloth_elastic *e = &world->elastic;
        nc_cloth_state start[49], one_by_one[49];
        world->states[e->hinges.data[5].v[2]].x = world->states[e->hinges.data[5].v[0]].x; // no triangle, no angle
        world->states[e->hinges.data[5].v[2]].v = world->states[e->hinges.data[5].v[0]].v;
        world->states[e->hinges.data[5].v[2]].t = world->states[e->hinges.data[5].v[0]].t;
        memcpy(start, world->states, sizeof start);
        nc_cloth_trace_open(&world->trace, NC_CLOTH_TICKS_PER_FRAME, 2 * NC_CLOTH_TICKS_PER_FRAME);
        const nc_cloth_tick run = {
            world->states, &world->trace, world->kicks, world->model.unit, NC_CLOTH_TICKS_PER_FRAME + 12345, false};
        for (int count = 1; count <= e->hinges.count; count += 1 + count / 3) {
            for (int i = 0; i < count; i++)
                kick_hinge(&run, &e->hinges.data[i]);
            memcpy(one_by_one, world->states, sizeof one_by_one);
            memcpy(world->states, start, sizeof start);
            nc_cloth_trace_open(&world->trace, NC_CLOTH_TICKS_PER_FRAME, 2 * NC_CLOTH_TICKS_PER_FRAME);
            nc_cloth_hinges_kick(&run, e->hinges.data, count);
            assert_memory_equal(one_by_one, world->states, sizeof one_by_one);
            memcpy(world->states, start, sizeof start);
            nc_cloth_trace_open(&world->trace, NC_CLOTH_TICKS_PER_FRAME, 2 * NC_CLOTH_TICKS_PER_FRAME);
        }
        nc_cloth_world_destroy(world);
    }
}

static void null_impulse_leaves_the_state_as_it_is(void **state)
{
    (void)state;
    nc_cloth_world *world = world_make(nc_v3(0, 0, 0));
    grid g = grid_make(3, 3, 0.1, 0);
    nc_cloth_def def = grid_cloth(&g);
    const int id = add(world, &def);
    const nc_cloth_report r = step(world, 3);
    assert_true(r.stretch_events > 100 && r.bend_events > 10);
    for (int i = 0; i < g.vertex_count; i++) {
        assert_int_equal(world->states[i].t, 0);
        assert_memory_equal(&world->states[i].x, &g.vertices[i], sizeof g.vertices[i]);
    }
    assert_int_equal(id, 0);
    nc_cloth_world_destroy(world);
}

// ---- what is prescribed -------------------------------------------------------------------------------------

static void scripted_vertices_are_where_their_keyframes_say(void **state)
{
    (void)state;
    nc_error err = {0};
    nc_cloth_world *world = world_make(nc_v3(0, -9.8, 0));
    grid g = grid_make(4, 4, 0.1, 0);
    const int rows[4] = {0, 1, 2, 3};
    const nc_keyframe keys[3] = {{0, {0, 0, 0}, {1, 0, 0, 0}},
                                 {0.5, {0, 0.5, 0}, {1, 0, 0, 0}},
                                 {1.0, {0, 0.5, 0}, {0.92387953251128674, 0, 0.38268343236508977, 0}}};
    const nc_cloth_script script = {
        .vertices = rows, .vertex_count = 4, .keyframes = keys, .keyframe_count = 3, .end = 1.5};
    nc_cloth_def def = grid_cloth(&g);
    def.scripts = &script;
    def.script_count = 1;
    add(world, &def);
    nc_vec3 x[16];
    step(world, 12);
    check_ok(nc_cloth_read(world, 0, x, NULL, &err), err);
    for (int i = 0; i < 4; i++)
        check_near(nc_norm(nc_sub(x[i], nc_v3(0.1 * i, 0.5, 0))), 0, 1e-12);
    step(world, 12);
    check_ok(nc_cloth_read(world, 0, x, NULL, &err), err);
    for (int i = 0; i < 4; i++) // turned by 45 degrees about y
        check_near(nc_norm(nc_sub(x[i], nc_v3(0.1 * i * sqrt(0.5), 0.5, -0.1 * i * sqrt(0.5)))), 0, 1e-12);
    step(world, 24);
    check_ok(nc_cloth_read(world, 0, x, NULL, &err), err);
    for (int i = 0; i < 4; i++) // let go at 1.5 s
        assert_true(x[i].y < 0);
    nc_cloth_world_destroy(world);
}

static void prescribed_force_accelerates_by_force_over_mass(void **state)
{
    (void)state;
    nc_error err = {0};
    nc_cloth_world *world = world_make(nc_v3(0, 0, 0));
    const nc_vec3 x = {0, 0, 0};
    const nc_cloth_force force = {.force = {2, 0, 0}, .start = 0.5, .end = 1};
    nc_cloth_def def = nc_cloth_def_default();
    def.type = NC_CLOTH_PARTICLES;
    def.vertices = &x;
    def.vertex_count = 1;
    def.particle_mass = 0.5;
    def.forces = &force;
    def.force_count = 1;
    add(world, &def);
    nc_vec3 v;
    step(world, 12);
    check_ok(nc_cloth_read(world, 0, NULL, &v, &err), err);
    check_near(v.x, 0, 0);
    step(world, 24);
    check_ok(nc_cloth_read(world, 0, NULL, &v, &err), err);
    check_near(v.x, 2 / 0.5 * 0.5, 1e-12);
    nc_cloth_world_destroy(world);
}

static void drag_slows_by_its_rate(void **state)
{
    (void)state;
    nc_error err = {0};
    nc_cloth_world *world = world_of(nc_v3(0, 0, 0), 12);
    const nc_vec3 x = {0, 0, 0};
    nc_cloth_def def = nc_cloth_def_default();
    def.type = NC_CLOTH_PARTICLES;
    def.vertices = &x;
    def.vertex_count = 1;
    def.velocity = nc_v3(3, 0, -1);
    def.drag = 2;
    add(world, &def);
    step(world, 24);
    nc_vec3 v;
    check_ok(nc_cloth_read(world, 0, NULL, &v, &err), err);
    check_near(v.x, 3 * exp(-2), 1e-4);
    check_near(v.z, -exp(-2), 1e-4);
    nc_cloth_world_destroy(world);
}

// ---- snapshots and errors -----------------------------------------------------------------------------------

static void restored_world_goes_on_to_the_same_bits(void **state)
{
    (void)state;
    nc_error err = {0};
    nc_cloth_world *a = wild_sheet(1e-4), *b = wild_sheet(1e-4);
    nc_buffer bytes = nc_buffer_create(NULL);
    step(a, 3);
    check_ok(nc_cloth_save(a, &bytes, &err), err);
    check_ok(nc_cloth_restore(b, bytes.data, bytes.size, &err), err);
    assert_true(nc_cloth_hash(a) == nc_cloth_hash(b));
    const nc_cloth_report ra = step(a, 3), rb = step(b, 3);
    assert_true(nc_cloth_hash(a) == nc_cloth_hash(b));
    assert_int_equal(nc_cloth_frame(b), 6);
    assert_true(ra.kinetic == rb.kinetic && ra.contact_energy == rb.contact_energy);
    // Back in time: what is measured is the present, not the past that is gone.
    nc_cloth_report early, late;
    check_ok(nc_cloth_restore(a, bytes.data, bytes.size, &err), err);
    check_ok(nc_cloth_measure(a, &early, &err), err);
    nc_cloth_world *fresh = wild_sheet(1e-4);
    check_ok(nc_cloth_restore(fresh, bytes.data, bytes.size, &err), err);
    check_ok(nc_cloth_measure(fresh, &late, &err), err);
    assert_true(early.kinetic == late.kinetic);
    nc_cloth_world_destroy(fresh);
    bytes.data[100] ^= 1;
    assert_int_equal(nc_cloth_restore(b, bytes.data, bytes.size, &err), NC_BAD_FILE);
    assert_int_equal(nc_cloth_restore(b, bytes.data, 7, &err), NC_BAD_FILE);
    nc_buffer_free(&bytes);
    nc_cloth_world_destroy(a);
    nc_cloth_world_destroy(b);
}

static void bad_definitions_are_named(void **state)
{
    (void)state;
    nc_error err = {0};
    nc_cloth_world *world = world_make(nc_v3(0, 0, 0));
    grid g = grid_make(3, 3, 0.1, 0);
    int id;
    nc_cloth_def def = grid_cloth(&g);
    def.density = 0;
    assert_int_equal(nc_cloth_add(world, &def, &id, &err), NC_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "density"));
    def = grid_cloth(&g);
    def.contact.thickness = 0;
    assert_int_equal(nc_cloth_add(world, &def, &id, &err), NC_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "thickness"));
    g.triangles[2][1] = 99;
    def = grid_cloth(&g);
    assert_int_equal(nc_cloth_add(world, &def, &id, &err), NC_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "vertex 99"));
    assert_int_equal(nc_cloth_step(world, NULL, &err), NC_BAD_ARGUMENT);
    assert_int_equal(nc_cloth_count(world), 0);
    nc_cloth_world_destroy(world);
}

static void crossing_start_is_refused(void **state)
{
    (void)state;
    nc_error err = {0};
    nc_cloth_world *world = world_make(nc_v3(0, 0, 0));
    grid g = grid_make(3, 3, 0.1, 0);
    nc_cloth_def def = grid_cloth(&g);
    def.name = "first";
    add(world, &def);
    for (int i = 0; i < g.vertex_count; i++)
        g.vertices[i] = nc_v3(g.vertices[i].x + 0.013, g.vertices[i].x - 0.09, g.vertices[i].z + 0.017);
    def.name = "second";
    add(world, &def);
    assert_int_equal(nc_cloth_step(world, NULL, &err), NC_INTERSECTING);
    assert_non_null(strstr(err.text, "first"));
    assert_non_null(strstr(err.text, "second"));
    nc_cloth_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patch_in_free_fall_falls_as_a_point_does),
        cmocka_unit_test(momentum_is_kept_to_rounding),
        cmocka_unit_test(energy_stays_bounded_over_a_million_events),
        cmocka_unit_test(slow_clocks_do_not_drive_fast_modes),
        cmocka_unit_test(gradient_of_a_hinge_is_that_of_its_angle),
        cmocka_unit_test(pinned_sheet_sags_as_its_springs_say),
        cmocka_unit_test(pinned_sheet_swings_with_the_period_of_a_pendulum),
        cmocka_unit_test(clocks_tick_at_multiples_of_their_step),
        cmocka_unit_test(events_touch_their_stencils_only),
        cmocka_unit_test(hinges_of_a_tick_are_those_one_by_one_to_the_bit),
        cmocka_unit_test(null_impulse_leaves_the_state_as_it_is),
        cmocka_unit_test(scripted_vertices_are_where_their_keyframes_say),
        cmocka_unit_test(prescribed_force_accelerates_by_force_over_mass),
        cmocka_unit_test(drag_slows_by_its_rate),
        cmocka_unit_test(restored_world_goes_on_to_the_same_bits),
        cmocka_unit_test(bad_definitions_are_named),
        cmocka_unit_test(crossing_start_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
