// Contacts of cloth: the nest of layers, the order of events, restitution, friction, momentum, jams.
#include "check.h"

#include "cloth_scene.h"
#include "fail_allocator.h"

#include "cloth/contact.h"

#define PI 3.14159265358979323846

static nc_cloth_world *world_of(nc_vec3 gravity, nc_cloth_finder finder, int max_layer, double safety)
{
    nc_error err = {0};
    nc_cloth_world_def def = cloth_settings(1);
    nc_cloth_world *world = NULL;
    def.contact_safety = safety;
    def.gravity = gravity;
    def.finder = finder;
    def.max_layer = max_layer;
    check_ok(nc_cloth_world_create(&def, &world, &err), err);
    return world;
}

static nc_cloth_world *world_with(nc_vec3 gravity, nc_cloth_finder finder, int max_layer)
{
    return world_of(gravity, finder, max_layer, 0.25);
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

// A plate at height y that takes all contact numbers from what touches it.
static void add_plate(nc_cloth_world *world, double y, const nc_cloth_script *script)
{
    const nc_vec3 x[4] = {{-10, y, -10}, {10, y, -10}, {10, y, 10}, {-10, y, 10}};
    const int t[2][3] = {{0, 1, 2}, {0, 2, 3}};
    nc_cloth_def def = nc_cloth_def_default();
    def.type = NC_CLOTH_OBSTACLE;
    def.name = "plate";
    def.vertices = x;
    def.vertex_count = 4;
    def.triangles = t;
    def.triangle_count = 2;
    def.contact = (nc_cloth_contact){-1, -1, -1, -1};
    def.scripts = script;
    def.script_count = script != NULL ? 1 : 0;
    add(world, &def);
}

static int add_particle(nc_cloth_world *world, nc_vec3 x, nc_vec3 v, nc_cloth_contact contact, double mass)
{
    nc_cloth_def def = nc_cloth_def_default();
    def.type = NC_CLOTH_PARTICLES;
    def.name = "particle";
    def.vertices = &x;
    def.vertex_count = 1;
    def.velocity = v;
    def.particle_mass = mass;
    def.contact = contact;
    return add(world, &def);
}

// ---- the nest (Fig. 4) --------------------------------------------------------------------------------------

static void energy_of_the_nest_diverges(void **state)
{
    (void)state;
    nc_cloth_world *world = world_with(nc_v3(0, 0, 0), NC_FINDER_SPECULATIVE, 65536);
    add_plate(world, 0, NULL);
    add_particle(world, nc_v3(0.1, 1, 0.2), nc_v3(0, 0, 0), (nc_cloth_contact){1000, 0.1, 0, 0}, 0.1);
    const nc_cloth_pair pair = {NC_CLOTH_VERTEX_TRIANGLE, 4, 0};
    nc_cloth_active_contact c = nc_cloth_contact_make(&world->model, pair);
    c.limit = world->model.layers.group_count - 1;
    double before = 0;
    for (int k = 0; k < 8; k++) { // a fourth of the distance has 256 times the layers
        const double energy = nc_cloth_nest_energy(&world->model, &c, 0.1 * pow(0.75, k));
        assert_true(k == 0 ? energy == 0 : energy > 4 * before);
        before = energy;
    }
    // Layer by layer: r(l) = r(1) l^3, eta(l) = eta(1) l^(-1/4).
    double sum = 0;
    for (int l = 1; l <= 15; l++)
        sum += 0.5 * 1000 * l * l * l * pow(fmax(0.1 * pow(l, -0.25) - 0.051, 0), 2);
    check_near(nc_cloth_nest_energy(&world->model, &c, 0.051), sum, 1e-12 * sum);
    nc_cloth_world_destroy(world);
}

static void groups_hold_the_layers_whose_steps_they_can_take(void **state)
{
    (void)state;
    nc_error err = {0};
    nc_cloth_layers layers;
    const nc_allocator a = nc_allocator_default();
    check_ok(nc_cloth_layers_build(&a, 1000, &layers, &err), err);
    for (int g = 0; g < layers.group_count; g++) {
        const double step = pow(2, -g); // in units of h(1); h(l) = h(1) l^(-3/2)
        const int last = layers.last[g];
        assert_true(pow(last, -1.5) >= step * (1 - 1e-12));
        assert_true(last == 1000 || pow(last + 1, -1.5) < step);
    }
    assert_int_equal(layers.last[layers.group_count - 1], 1000);
    nc_cloth_layers_free(&a, &layers);
}

// ---- a particle and a floor (Fig. 6) ------------------------------------------------------------------------

// In order: gravity alone; from the first tick inside the outermost layer on, penalty kicks between those of gravity;
// in the end the two balance.
static void particle_and_floor_go_through_their_events_in_order(void **state)
{
    (void)state;
    for (int finder = 0; finder < 2; finder++) {
        nc_cloth_world *world = world_with(nc_v3(0, -9.8, 0), (nc_cloth_finder)finder, 4096);
        add_plate(world, 0, NULL);
        add_particle(world, nc_v3(0.1, 0.15, 0.2), nc_v3(0, 0, 0), (nc_cloth_contact){1000, 0.1, 0, 0}, 1e-3);
        const int64_t gravity = nc_cloth_step_ticks(6);
        int phase = 0; // 0: falls, 1: is pushed
        for (int f = 0; f < 8; f++) {
            step(world, 1);
            const nc_cloth_trace *t = &world->trace; // of the last window of the frame
            for (int i = 1; i < t->count; i++) {
                const nc_cloth_piece *p = &t->pieces[i - 1], *q = &t->pieces[i];
                const double change = q->v.y - p->v.y;
                const bool falls = q->t % gravity == 0;
                phase = change > 0 ? 1 : phase;
                if (phase == 0)
                    assert_true(falls && q->x.y > 0.1 - 0.02);
                if (change > 0)
                    assert_true(q->x.y < 0.1); // never before it is inside
                if (!falls)
                    assert_true(change > 0); // nothing but the penalty ticks between
            }
        }
        assert_int_equal(phase, 1);
        const nc_cloth_report r = step(world, 20);
        nc_vec3 x;
        nc_error err = {0};
        check_ok(nc_cloth_read(world, 1, &x, NULL, &err), err);
        assert_true(x.y < 0.1 && x.y > 0.1 * pow(3, -0.25)); // rests in one of the first layers
        check_at_most(r.kinetic, 1e-5);
        nc_cloth_world_destroy(world);
    }
}

// Fig. 5: whatever is skipped, impulses come at multiples of a step.
static void penalty_ticks_are_evenly_spaced(void **state)
{
    (void)state;
    nc_cloth_world *world = world_with(nc_v3(0, -9.8, 0), NC_FINDER_SPECULATIVE, 4096);
    add_plate(world, 0, NULL);
    add_particle(world, nc_v3(0.1, 0.12, 0.2), nc_v3(0, 0, 0), (nc_cloth_contact){1000, 0.1, 1, 0}, 0.1);
    const nc_cloth_active_contact c =
        nc_cloth_contact_make(&world->model, (nc_cloth_pair){NC_CLOTH_VERTEX_TRIANGLE, 4, 0});
    for (int f = 0; f < 24; f++) {
        const nc_cloth_report r = step(world, 1);
        const int deepest = r.deepest_layer > 0 ? r.deepest_layer : 1;
        int group = 0;
        while (world->model.layers.last[group] < deepest)
            group++;
        const int level = c.level + group > 6 ? c.level + group : 6;
        for (int i = 0; i < world->trace.count; i++)
            assert_int_equal(world->trace.pieces[i].t % nc_cloth_step_ticks(level), 0);
    }
    nc_cloth_world_destroy(world);
}

// ---- restitution and friction -------------------------------------------------------------------------------

static void dropped_patch_bounces_as_its_restitution_says(void **state)
{
    (void)state;
    const double wanted[3] = {1, 0.5, 0};
    for (int k = 0; k < 3; k++) {
        nc_cloth_world *world = world_with(nc_v3(0, 0, 0), NC_FINDER_SPECULATIVE, 4096);
        add_plate(world, 0, NULL);
        grid g = grid_make(4, 4, 0.2, 0.2);
        nc_cloth_def def = grid_cloth(&g);
        def.velocity = nc_v3(0, -2, 0);
        def.contact = (nc_cloth_contact){1000, 0.05, wanted[k], 0};
        const int id = add(world, &def);
        const nc_cloth_report r = step(world, 12);
        double mass = 0;
        for (int i = 0; i < g.vertex_count; i++)
            mass += world->model.mass[4 + i];
        check_near(r.momentum.y / mass, 2 * wanted[k], 0.06);
        nc_cloth_world_destroy(world);
        (void)id;
    }
}

// The kinks of layers, met at any time between two ticks, cost or give up to (omega h)^2 / 4 of the energy each time:
// the square of the step, and a random walk over many bounces.
static void elastic_bounces_keep_the_energy(void **state)
{
    (void)state;
    const double safety[2] = {0.25, 0.05}, off[2] = {0.005, 0.0003};
    for (int k = 0; k < 2; k++) {
        nc_cloth_world *world = world_of(nc_v3(0, -9.8, 0), NC_FINDER_SPECULATIVE, 4096, safety[k]);
        add_plate(world, 0, NULL);
        add_particle(world, nc_v3(0.1, 0.5, 0.2), nc_v3(0, 0, 0), (nc_cloth_contact){1000, 0.1, 1, 0}, 0.1);
        double least = INFINITY, most = 0;
        for (int f = 0; f < 24 * 60; f++) {
            const nc_cloth_report r = step(world, 1);
            const double energy = r.kinetic + r.gravity_energy + r.contact_energy;
            least = fmin(least, energy);
            most = fmax(most, energy);
        }
        print_message("safety %g: energy in [%.5f, %.5f] of m g h over a minute\n", safety[k], least / 0.49,
                      most / 0.49);
        check_at_most(most / 0.49, 1 + off[k]);
        check_at_most(-least / 0.49, -(1 - off[k]));
        nc_cloth_world_destroy(world);
    }
}

// Whoever asks for it sees the energy of the tick: half of the last kick is before it.
static void free_fall_keeps_the_energy_to_rounding(void **state)
{
    (void)state;
    nc_error err = {0};
    nc_cloth_world *world = world_of(nc_v3(0, -9.8, 0), NC_FINDER_SPECULATIVE, 4096, 0.25);
    add_particle(world, nc_v3(0.1, 0.5, 0.2), nc_v3(0.3, 2, 0), (nc_cloth_contact){1000, 0.1, 1, 0}, 0.1);
    const nc_cloth_report first = step(world, 1), last = step(world, 23);
    check_near(last.kinetic + last.gravity_energy, first.kinetic + first.gravity_energy, 1e-12);
    nc_vec3 v;
    check_ok(nc_cloth_read(world, 0, NULL, &v, &err), err);
    check_near(v.y, 2 - 9.8, 1e-9); // after the tick
    nc_cloth_world_destroy(world);
}

// Gravity leans instead of the plane.
static nc_vec3 slide(double degrees, double friction, double seconds)
{
    nc_error err = {0};
    const double angle = degrees * PI / 180;
    nc_cloth_world *world = world_with(nc_v3(9.8 * sin(angle), -9.8 * cos(angle), 0), NC_FINDER_SPECULATIVE, 4096);
    add_plate(world, 0, NULL);
    const int id =
        add_particle(world, nc_v3(0, 0.0999, 0.2), nc_v3(0, 0, 0), (nc_cloth_contact){1000, 0.1, 0, friction}, 0.1);
    step(world, (int)(seconds * 24));
    nc_vec3 v;
    check_ok(nc_cloth_read(world, id, NULL, &v, &err), err);
    nc_cloth_world_destroy(world);
    return v;
}

static void particle_on_an_incline_slides_or_stays_as_coulomb_says(void **state)
{
    (void)state;
    check_near(nc_norm(slide(20, 0.5, 1)), 0, 0.02); // tan 20 = 0.36
    const double angle = 40 * PI / 180;
    check_near(slide(40, 0.5, 1).x, 9.8 * (sin(angle) - 0.5 * cos(angle)), 0.1);
    check_near(slide(40, 0, 1).x, 9.8 * sin(angle), 0.02);
}

// The plate's two triangles meet along its diagonal: what slides across must not feel it.
static void edge_within_a_flat_plate_does_not_slow_what_slides(void **state)
{
    (void)state;
    nc_error err = {0};
    nc_cloth_world *world = world_with(nc_v3(0, -9.8, 0), NC_FINDER_SPECULATIVE, 4096);
    add_plate(world, 0, NULL);
    const int id =
        add_particle(world, nc_v3(-0.5, 0.0999, 0.2), nc_v3(1, 0, 0), (nc_cloth_contact){1000, 0.1, 0, 0}, 0.1);
    step(world, 36);
    nc_vec3 x, v;
    check_ok(nc_cloth_read(world, id, &x, &v, &err), err);
    assert_true(x.x > 0.9); // it has crossed x = z
    check_near(v.x, 1, 0.002);
    nc_cloth_world_destroy(world);
}

// Head on, of one mass, without loss: they swap velocities.
static void particles_bounce_off_each_other(void **state)
{
    (void)state;
    nc_error err = {0};
    nc_cloth_world *world = world_of(nc_v3(0, 0, 0), NC_FINDER_SPECULATIVE, 4096, 0.02);
    const nc_cloth_contact contact = {1000, 0.1, 1, 0.5};
    const int a = add_particle(world, nc_v3(-0.5, 0, 0), nc_v3(2, 0, 0), contact, 0.1);
    const int b = add_particle(world, nc_v3(0.5, 0, 0), nc_v3(-1, 0, 0), contact, 0.1);
    const nc_cloth_report r = step(world, 12);
    nc_vec3 va, vb;
    check_ok(nc_cloth_read(world, a, NULL, &va, &err), err);
    check_ok(nc_cloth_read(world, b, NULL, &vb, &err), err);
    check_near(va.x, -1, 0.02);
    check_near(vb.x, 2, 0.02);
    check_near(r.momentum.x, 0.1, 1e-15);
    nc_cloth_world_destroy(world);
}

// Two sheets that meet in mid-air, one across the other, sliding.
static nc_cloth_world *meeting_sheets(double friction, double restitution)
{
    nc_cloth_world *world = world_with(nc_v3(0, 0, 0), NC_FINDER_SPECULATIVE, 4096);
    grid g = grid_make(5, 5, 0.2, 0);
    nc_cloth_def def = grid_cloth(&g);
    def.contact = (nc_cloth_contact){1000, 0.05, restitution, friction};
    def.velocity = nc_v3(0.5, 1, -0.2);
    add(world, &def);
    for (int i = 0; i < g.vertex_count; i++)
        g.vertices[i] = nc_v3(g.vertices[i].x + 0.23, 0.15 + 0.2 * g.vertices[i].x, g.vertices[i].z + 0.31);
    def.velocity = nc_v3(-0.5, -1, 0.4);
    add(world, &def);
    return world;
}

static void contacts_keep_both_momenta_to_rounding(void **state)
{
    (void)state;
    nc_error err = {0};
    for (int k = 0; k < 4; k++) {
        nc_cloth_world *world = meeting_sheets((k & 1) != 0 ? 0.6 : 0, (k & 2) != 0 ? 0.7 : 0);
        nc_cloth_report a, b = {0};
        check_ok(nc_cloth_measure(world, &a, &err), err);
        int64_t kicks = 0;
        for (int f = 0; f < 12; f++) {
            b = step(world, 1);
            kicks += b.contact_kicks;
        }
        assert_true(kicks > 100);
        check_at_most(nc_norm(nc_sub(a.momentum, b.momentum)), 1e-14);
        check_at_most(nc_norm(nc_sub(a.angular_momentum, b.angular_momentum)), 1e-14);
        nc_cloth_world_destroy(world);
    }
}

// A kick never pulls and never adds energy beyond what the layers hold.
static void friction_only_takes_energy(void **state)
{
    (void)state;
    nc_error err = {0};
    nc_cloth_world *plain = meeting_sheets(0, 0), *rough = meeting_sheets(0.6, 0);
    nc_cloth_report start;
    check_ok(nc_cloth_measure(plain, &start, &err), err);
    const nc_cloth_report a = step(plain, 12), b = step(rough, 12);
    const double ea = a.kinetic + a.stretch_energy + a.bend_energy, eb = b.kinetic + b.stretch_energy + b.bend_energy;
    assert_true(ea < start.kinetic);
    assert_true(eb < start.kinetic);
    assert_true(fabs(a.momentum.x - b.momentum.x) < 1e-12);
    nc_cloth_world_destroy(plain);
    nc_cloth_world_destroy(rough);
}

// The gradient of the distance against differences, over all cases of nearest features.
static void gap_has_the_gradient_of_the_distance(void **state)
{
    (void)state;
    nc_random random = {check_seed("gap_has_the_gradient_of_the_distance", 5)};
    for (int n = 0; n < check_effort(3000); n++) {
        const nc_cloth_pair_kind kind = (nc_cloth_pair_kind)(n % 3);
        const int count = kind == NC_CLOTH_POINT_POINT ? 2 : 4;
        nc_vec3 x[4];
        for (int i = 0; i < 4; i++)
            x[i] = nc_v3(nc_random_range(&random, -1, 1), nc_random_range(&random, -1, 1),
                         nc_random_range(&random, -1, 1));
        const nc_cloth_gap gap = nc_cloth_gap_of(kind, x);
        const double slow = kind == NC_CLOTH_VERTEX_TRIANGLE ? nc_distance_point_triangle(x[0], x + 1).distance
                            : kind == NC_CLOTH_EDGE_EDGE     ? nc_distance_segment_segment(x, x + 2).distance
                                                             : nc_norm(nc_sub(x[0], x[1]));
        check_near(gap.distance, slow, 1e-13);
        if (gap.distance < 0.05)
            continue;
        for (int i = 0; i < count; i++) {
            const nc_vec3 d = nc_v3(nc_random_range(&random, -1, 1), nc_random_range(&random, -1, 1), 0.5);
            const double h = 1e-6;
            const nc_vec3 kept = x[i];
            x[i] = nc_madd(kept, h, d);
            const double up = nc_cloth_gap_of(kind, x).distance;
            x[i] = nc_madd(kept, -h, d);
            const double down = nc_cloth_gap_of(kind, x).distance;
            x[i] = kept;
            check_near(gap.w[i] * nc_dot(gap.n, d), (up - down) / (2 * h), 1e-4);
        }
    }
}

// ---- jams ---------------------------------------------------------------------------------------------------

static void walls_that_meet_end_the_run_where_they_do(void **state)
{
    (void)state;
    for (int finder = 0; finder < 2; finder++) {
        nc_error err = {0};
        nc_cloth_world *world = world_with(nc_v3(0, 0, 0), (nc_cloth_finder)finder, 64);
        const nc_cloth_script up = {.velocity = nc_v3(0, 1, 0)}, down = {.velocity = nc_v3(0, -1, 0)};
        add_plate(world, 0, &up);
        add_plate(world, 1, &down);
        add_particle(world, nc_v3(1, 0.5, -2), nc_v3(0, 0, 0), (nc_cloth_contact){1000, 0.1, 0, 0}, 0.1);
        nc_cloth_jam jam;
        assert_false(nc_cloth_jammed(world, &jam));
        nc_code code = NC_OK;
        uint64_t hash = 0;
        while (code == NC_OK && nc_cloth_frame(world) < 24) {
            hash = nc_cloth_hash(world);
            code = nc_cloth_step(world, NULL, &err);
        }
        assert_int_equal(code, NC_JAMMED);
        assert_true(nc_cloth_jammed(world, &jam));
        assert_int_equal(nc_cloth_frame(world), 11); // they would meet at 0.5 s, in the middle of frame 12
        assert_true(nc_cloth_hash(world) == hash);   // as the last good frame left it
        check_near(jam.time, 0.46, 0.04);
        check_near(jam.place.y, 0.5, 0.2);
        assert_true(jam.layer > 64);
        assert_non_null(strstr(err.text, "particle"));
        assert_non_null(strstr(err.text, "plate"));
        nc_cloth_world_destroy(world);
    }
}

// ---- memory -------------------------------------------------------------------------------------------------

// A scene with everything in it, for one frame. A refused request is an error and nothing else; the world can continue.
static nc_code small_run(const nc_allocator *allocator, void *ctx)
{
    nc_error err = {0};
    nc_cloth_world_def def = cloth_settings(1);
    nc_cloth_world *world = NULL;
    def.finder = *(const nc_cloth_finder *)ctx;
    def.allocator = *allocator;
    def.max_layer = 64;
    nc_code code = nc_cloth_world_create(&def, &world, &err);
    if (code != NC_OK)
        return code;
    grid g = grid_make(3, 3, 0.2, 0.06);
    const nc_vec3 x[4] = {{-10, 0, -10}, {10, 0, -10}, {10, 0, 10}, {-10, 0, 10}};
    const int t[2][3] = {{0, 1, 2}, {0, 2, 3}}, pin = 0;
    const nc_keyframe keys[2] = {{0, {0, 0, 0}, {1, 0, 0, 0}}, {1, {0, 1, 0}, {1, 0, 0, 0}}};
    const nc_cloth_script script = {.vertices = &pin, .vertex_count = 1, .keyframes = keys, .keyframe_count = 2};
    const nc_cloth_force force = {.force = {0, -0.1, 0}};
    nc_cloth_def floor = nc_cloth_def_default(), sheet = grid_cloth(&g);
    floor.type = NC_CLOTH_OBSTACLE;
    floor.vertices = x;
    floor.vertex_count = 4;
    floor.triangles = t;
    floor.triangle_count = 2;
    sheet.contact.thickness = 0.05;
    sheet.velocity = nc_v3(0, -2, 0);
    sheet.scripts = &script;
    sheet.forces = &force;
    sheet.script_count = sheet.force_count = 1;
    int id;
    code = nc_cloth_add(world, &floor, &id, &err);
    if (code == NC_OK)
        code = nc_cloth_add(world, &sheet, &id, &err);
    nc_cloth_trace_audit(world, true);
    nc_cloth_report report;
    if (code == NC_OK)
        code = nc_cloth_step(world, &report, &err);
    if (code == NC_OK)
        assert_true(report.contact_kicks > 0);
    nc_cloth_world_destroy(world);
    return code;
}

static void refused_memory_is_an_error_and_no_leak(void **state)
{
    (void)state;
    for (int finder = 0; finder < 2; finder++) {
        nc_cloth_finder which = (nc_cloth_finder)finder;
        fail_at_every_call(small_run, &which);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_of_the_nest_diverges),
        cmocka_unit_test(groups_hold_the_layers_whose_steps_they_can_take),
        cmocka_unit_test(particle_and_floor_go_through_their_events_in_order),
        cmocka_unit_test(penalty_ticks_are_evenly_spaced),
        cmocka_unit_test(dropped_patch_bounces_as_its_restitution_says),
        cmocka_unit_test(elastic_bounces_keep_the_energy),
        cmocka_unit_test(free_fall_keeps_the_energy_to_rounding),
        cmocka_unit_test(particle_on_an_incline_slides_or_stays_as_coulomb_says),
        cmocka_unit_test(edge_within_a_flat_plate_does_not_slow_what_slides),
        cmocka_unit_test(particles_bounce_off_each_other),
        cmocka_unit_test(contacts_keep_both_momenta_to_rounding),
        cmocka_unit_test(friction_only_takes_energy),
        cmocka_unit_test(gap_has_the_gradient_of_the_distance),
        cmocka_unit_test(walls_that_meet_end_the_run_where_they_do),
        cmocka_unit_test(refused_memory_is_an_error_and_no_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
