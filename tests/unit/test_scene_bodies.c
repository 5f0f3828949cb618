// Bodies of scenes: generators, groups, names, filters, starts that intersect.
#include "check.h"

#include "base/base.h"
#include "math/math.h"
#include "scene/description.h"
#include "scene_text.h"

#define HEAD                                                                                                           \
    "nacre: 1\nworld: {gravity: [0, 0, 0]}\nshapes: {crate: {generate: box}, ball: {generate: sphere, splits: 1}}\n"

typedef struct built {
    nc_scene *scene;
    nc_world *world;
    nc_body_id ids[4096];
    int count;
} built;

static built build(const char *text)
{
    built b = {.scene = scene_of(text)};
    b.world = world_of(b.scene);
    b.count = nc_world_bodies(b.world, b.ids, 4096);
    return b;
}

static void drop(built *b)
{
    nc_world_destroy(b->world);
    nc_scene_destroy(b->scene);
}

static nc_body_state body(const built *b, int i)
{
    nc_body_state state;
    nc_error err = {0};
    check_ok(nc_body_read(b->world, b->ids[i], &state, &err), err);
    return state;
}

static nc_body_state named(const built *b, const char *name)
{
    nc_body_state state;
    nc_error err = {0};
    const nc_code code = nc_body_read(b->world, nc_world_find(b->world, name), &state, &err);
    if (code != NC_OK)
        print_error("no body \"%s\"\n", name);
    check_ok(code, err);
    return state;
}

static void check_place(nc_vec3 x, double a, double b, double c)
{
    check_near(x.x, a, 1e-12);
    check_near(x.y, b, 1e-12);
    check_near(x.z, c, 1e-12);
}

static double length(nc_vec3 v)
{
    return sqrt(nc_dot(v, v));
}

static nc_vec3 axis_of(nc_body_state state, nc_vec3 axis)
{
    return nc_mat3_mul(nc_quat_matrix(state.pose.q), axis);
}

// ---- generators ---------------------------------------------------------------------------------------------

static void grid_is_centred_and_numbered_along_x_then_z_then_y(void **state)
{
    (void)state;
    built b = build(HEAD "bodies: [{shape: crate, name: c, position: [100, 0, 0], "
                         "grid: {count: [2, 3, 2], spacing: [2, 3, 4], center: [0, 10, 0]}}]");
    assert_int_equal(b.count, 12);
    check_place(named(&b, "c.0").pose.x, 99, 7, -2);
    check_place(named(&b, "c.1").pose.x, 101, 7, -2);
    check_place(named(&b, "c.2").pose.x, 99, 7, 2);
    check_place(named(&b, "c.4").pose.x, 99, 10, -2);
    check_place(named(&b, "c.11").pose.x, 101, 13, 2);
    drop(&b);
}

static void rotation_turns_copies_and_not_the_layout(void **state)
{
    (void)state;
    built b = build(HEAD "bodies: [{shape: crate, rotation: {axis: [0, 0, 1], angle: 90}, "
                         "grid: {count: [2, 1, 1], spacing: 4}}]");
    check_place(body(&b, 1).pose.x, 2, 0, 0);
    check_near(axis_of(body(&b, 1), nc_v3(1, 0, 0)).y, 1, 1e-15);
    drop(&b);
}

static void wall_shifts_odd_rows(void **state)
{
    (void)state;
    built b = build(HEAD "bodies: [{shape: crate, wall: {count: [3, 2], spacing: [1.5, 1.25], base: [0, 1, 0]}}]");
    assert_int_equal(b.count, 6);
    check_place(body(&b, 0).pose.x, -1.5, 1, 0);
    check_place(body(&b, 3).pose.x, -0.75, 2.25, 0);
    drop(&b);
}

static void tower_twists_on_its_way_up(void **state)
{
    (void)state;
    built b = build(HEAD "bodies: [{shape: crate, tower: {count: 4, spacing: 1.5, twist: 30}}]");
    check_place(body(&b, 3).pose.x, 0, 4.5, 0);
    check_near(axis_of(body(&b, 3), nc_v3(1, 0, 0)).z, -1, 1e-15);
    drop(&b);
}

static void pyramid_is_square_or_flat(void **state)
{
    (void)state;
    built b = build(HEAD "bodies: [{shape: crate, pyramid: {count: 3, spacing: 2}}]");
    assert_int_equal(b.count, 14);
    check_place(body(&b, 0).pose.x, -2, 0, -2);
    check_place(body(&b, 13).pose.x, 0, 4, 0);
    drop(&b);
    b = build(HEAD "bodies: [{shape: crate, pyramid: {count: 3, spacing: 2, flat: true}}]");
    assert_int_equal(b.count, 6);
    check_place(body(&b, 5).pose.x, 0, 4, 0);
    drop(&b);
}

// Rings of radius 1, half of it apart and each turned by a right angle, hang in each other without touching.
static void chain_of_rings_is_linked_and_does_not_intersect(void **state)
{
    (void)state;
    built b = build("nacre: 1\nshapes: {link: {generate: torus, radius: 1, tube: 0.1}}\n"
                    "bodies: [{shape: link, rotation: {euler: [90, 0, 0]}, "
                    "chain: {count: 6, spacing: 1.5, start: [0, 5, 0], direction: [0, -2, 0]}}]");
    assert_int_equal(b.count, 6);
    check_place(body(&b, 4).pose.x, 0, -1, 0);
    // Neighbours stand across each other.
    const nc_vec3 n0 = axis_of(body(&b, 0), nc_v3(0, 1, 0)), n1 = axis_of(body(&b, 1), nc_v3(0, 1, 0));
    check_near(nc_dot(n0, n1), 0, 1e-12);
    drop(&b);
}

static void ring_places_and_faces_its_copies(void **state)
{
    (void)state;
    built b = build(HEAD "bodies: [{shape: crate, ring: {count: 4, radius: 5, center: [0, 1, 0]}}]");
    check_place(body(&b, 0).pose.x, 5, 1, 0);
    for (int i = 0; i < 4; i++) {
        const nc_vec3 out = nc_sub(body(&b, i).pose.x, nc_v3(0, 1, 0)), x = axis_of(body(&b, i), nc_v3(1, 0, 0));
        check_near(length(out), 5, 1e-12);
        check_near(nc_dot(out, x), 5, 1e-12);
    }
    drop(&b);
    b = build(HEAD "bodies: [{shape: crate, ring: {count: 5, radius: 5, axis: [1, 0, 0], face: false}}]");
    for (int i = 0; i < 5; i++) {
        check_near(body(&b, i).pose.x.x, 0, 1e-12);
        check_near(axis_of(body(&b, i), nc_v3(1, 0, 0)).x, 1, 0);
    }
    drop(&b);
}

static void ring_places_copies_on_an_arc(void **state)
{
    (void)state;
    built b = build(HEAD "bodies: [{shape: crate, ring: {count: 3, radius: 5, axis: [0, 0, 1], arc: 180, from: 30}}]");
    check_place(body(&b, 0).pose.x, 5 * sqrt(0.75), 2.5, 0);
    check_place(body(&b, 1).pose.x, 0, 5, 0);
    check_place(body(&b, 2).pose.x, -5 * sqrt(0.75), 2.5, 0);
    drop(&b);
}

static void ring_stands_across_any_axis(void **state)
{
    (void)state;
    static const char *const axes[] = {"[0, 0, 1]", "[0, 0, -1]", "[1, 2, -3]", "[0, -1, 0]", "[1e-9, 0, -1]"};
    static const nc_vec3 vectors[] = {{0, 0, 1}, {0, 0, -1}, {1, 2, -3}, {0, -1, 0}, {1e-9, 0, -1}};
    for (int a = 0; a < 5; a++) {
        char text[400];
        snprintf(text, sizeof text, HEAD "bodies: [{shape: crate, ring: {count: 7, radius: 5, axis: %s}}]", axes[a]);
        built b = build(text);
        for (int i = 0; i < 7; i++) {
            check_near(nc_dot(body(&b, i).pose.x, vectors[a]), 0, 1e-13);
            check_near(length(body(&b, i).pose.x), 5, 1e-13);
            check_near(nc_dot(axis_of(body(&b, i), nc_v3(0, 1, 0)), vectors[a]), length(vectors[a]), 1e-13);
        }
        drop(&b);
    }
}

static void sphere_bursts_outwards(void **state)
{
    (void)state;
    built b = build(HEAD "bodies: [{shape: ball, velocity: [0, 1, 0], "
                         "sphere: {count: 40, radius: 6, burst: 3, spin_jitter: 2}}]");
    double nearest = 100;
    for (int i = 0; i < 40; i++) {
        const nc_body_state s = body(&b, i);
        const nc_vec3 burst = nc_sub(s.velocity, nc_v3(0, 1, 0));
        check_near(length(s.pose.x), 6, 1e-12);
        check_near(nc_dot(burst, s.pose.x), 18, 1e-12);
        check_near(length(burst), 3, 1e-12);
        check_at_most(length(s.spin), 2);
        assert_true(length(s.spin) > 0);
        for (int j = 0; j < i; j++)
            nearest = fmin(nearest, length(nc_sub(s.pose.x, body(&b, j).pose.x)));
    }
    // Even: forty caps of the sphere have a radius of about 6 * 2 / sqrt(40).
    assert_true(nearest > 1.5);
    drop(&b);
}

static void along_shares_straight_lines_by_their_length(void **state)
{
    (void)state;
    built b = build(HEAD "bodies: [{shape: ball, name: a, position: [0, 10, 0], along: {points: [[0, 0, 0], [3, 0, 0], "
                         "[3, 0, 9]], spacing: 2.5, skip: 1}}]");
    assert_int_equal(b.count, 5); // at 1, 3.5, 6, 8.5, 11 of 12 m
    check_place(named(&b, "a.0").pose.x, 1, 10, 0);
    check_place(named(&b, "a.1").pose.x, 3, 10, 0.5);
    check_place(named(&b, "a.4").pose.x, 3, 10, 8);
    check_near(axis_of(named(&b, "a.0"), nc_v3(1, 0, 0)).x, 1, 1e-15);
    check_near(axis_of(named(&b, "a.1"), nc_v3(1, 0, 0)).z, 1, 1e-15);
    check_near(axis_of(named(&b, "a.1"), nc_v3(0, 1, 0)).y, 1, 1e-15);
    drop(&b);
}

static void along_a_slope_copies_stand_upright_or_lean(void **state)
{
    (void)state;
    const char *const text = HEAD "bodies: [{shape: ball, along: {points: [[0, 0, 0], [40, 30, 0]], count: 6%s}}]";
    char scene[512];
    snprintf(scene, sizeof scene, text, "");
    built b = build(scene);
    check_place(body(&b, 5).pose.x, 40, 30, 0);
    check_near(axis_of(body(&b, 2), nc_v3(0, 1, 0)).y, 1, 1e-15);
    check_near(axis_of(body(&b, 2), nc_v3(1, 0, 0)).x, 1, 1e-15);
    drop(&b);
    snprintf(scene, sizeof scene, text, ", upright: false");
    b = build(scene);
    check_near(axis_of(body(&b, 2), nc_v3(1, 0, 0)).x, 0.8, 1e-15);
    check_near(axis_of(body(&b, 2), nc_v3(1, 0, 0)).y, 0.6, 1e-15);
    check_near(axis_of(body(&b, 2), nc_v3(0, 1, 0)).y, 0.8, 1e-15);
    drop(&b);
}

static void along_a_smooth_curve_goes_through_its_points_in_even_steps(void **state)
{
    (void)state;
    built b = build(HEAD "bodies: [{shape: ball, along: {points: [[0, 0, 0], [10, 0, 10], [20, 0, 0], [10, 0, -10]], "
                         "smooth: true, closed: true, count: 16}}]");
    // Four points of a square and of a curve with its symmetry: every fourth copy is on one of them.
    check_near(length(nc_sub(body(&b, 4).pose.x, nc_v3(10, 0, 10))), 0, 1e-6);
    check_near(length(nc_sub(body(&b, 8).pose.x, nc_v3(20, 0, 0))), 0, 1e-6);
    const double chord = length(nc_sub(body(&b, 1).pose.x, body(&b, 0).pose.x));
    for (int i = 0; i < 16; i++) {
        const double next = length(nc_sub(body(&b, (i + 1) % 16).pose.x, body(&b, i).pose.x));
        check_near(next, chord, 0.05 * chord);
    }
    drop(&b);
}

static void along_a_spiral_keeps_its_distance_on_the_curve(void **state)
{
    (void)state;
    built b = build(HEAD "bodies: [{shape: ball, name: c, along: {spiral: {radius: 10, center: [0, 1, 0]}, count: 8}}, "
                         "{shape: ball, name: h, along: {spiral: {radius: 10, turns: 2, rise: 30, center: [100, 0, 0]},"
                         " count: 3}}]");
    assert_int_equal(b.count, 11);
    for (int i = 0; i < 8; i++) { // the circle is closed: no second copy where it began
        check_near(length(nc_sub(body(&b, i).pose.x, nc_v3(0, 1, 0))), 10, 1e-4);
        check_near(length(nc_sub(body(&b, (i + 1) % 8).pose.x, body(&b, i).pose.x)), 20 * sin(NC_PI / 8), 1e-3);
    }
    check_place(named(&b, "h.0").pose.x, 110, 0, 0);
    check_near(named(&b, "h.1").pose.x.y, 15, 1e-9);
    check_near(length(nc_sub(named(&b, "h.2").pose.x, nc_v3(110, 30, 0))), 0, 1e-9);
    drop(&b);
}

static void random_numbers_come_from_seeds(void **state)
{
    (void)state;
    static const char *const texts[] = {
        HEAD "bodies: [{shape: crate, pile: {count: [3, 3, 3], spacing: 3, jitter: 0.2}}]",
        HEAD "seed: 1\nbodies: [{shape: crate, pile: {count: [3, 3, 3], spacing: 3, jitter: 0.2}}]",
        HEAD "bodies: [{shape: crate, pile: {count: [3, 3, 3], spacing: 3, jitter: 0.2, seed: 5}}]",
        HEAD "seed: 1\nbodies: [{shape: crate, pile: {count: [3, 3, 3], spacing: 3, jitter: 0.2, seed: 5}}]",
        HEAD "bodies: [{shape: crate, pile: {count: [3, 3, 3], spacing: 3, jitter: 0.2}}]",
    };
    uint64_t hashes[5];
    for (int i = 0; i < 5; i++) {
        built b = build(texts[i]);
        hashes[i] = nc_world_hash(b.world);
        drop(&b);
    }
    assert_true(hashes[0] == hashes[4]);
    assert_true(hashes[2] == hashes[3]);
    assert_true(hashes[0] != hashes[1] && hashes[1] != hashes[2] && hashes[0] != hashes[2]);
}

static void jitter_and_tumble_stay_within_what_was_asked(void **state)
{
    (void)state;
    built b = build(HEAD "bodies: [{shape: crate, grid: {count: [10, 10, 10], spacing: 3, jitter: [0.1, 0, 0.3], "
                         "tumble: 0.1, seed: 3}}]");
    double most = 0, turned = 0;
    for (int i = 0; i < b.count; i++) {
        const nc_body_state s = body(&b, i);
        const nc_vec3 place = nc_v3(3 * (i % 10) - 13.5, 3 * (i / 100) - 13.5, 3 * (i / 10 % 10) - 13.5);
        const nc_vec3 d = nc_sub(s.pose.x, place);
        check_at_most(fabs(d.x), 0.1 + 1e-9);
        check_at_most(fabs(d.y), 1e-9);
        check_at_most(fabs(d.z), 0.3 + 1e-9);
        most = fmax(most, fabs(d.z));
        turned = fmax(turned, length(nc_quat_rotation_vector(s.pose.q)));
    }
    assert_true(most > 0.29);
    check_at_most(turned, 0.1 * 3.1415926535898);
    assert_true(turned > 0.3);
    drop(&b);
}

// Of 1,728 random orientations, the mean of an axis is near 0 and its second moments near a third.
static void tumble_1_is_any_orientation(void **state)
{
    (void)state;
    built b = build(HEAD "bodies: [{shape: crate, pile: {count: [12, 12, 12], spacing: 3}}]");
    nc_vec3 mean = {0, 0, 0}, square = {0, 0, 0};
    for (int i = 0; i < b.count; i++) {
        const nc_vec3 a = nc_scale(1.0 / b.count, axis_of(body(&b, i), nc_v3(0, 0, 1)));
        mean = nc_add(mean, a);
        square = nc_add(square, nc_scale(b.count, nc_v3(a.x * a.x, a.y * a.y, a.z * a.z)));
    }
    check_at_most(length(mean), 0.06);
    check_near(square.x, 1.0 / 3, 0.04);
    check_near(square.y, 1.0 / 3, 0.04);
    check_near(square.z, 1.0 / 3, 0.04);
    drop(&b);
}

// ---- groups and names ---------------------------------------------------------------------------------------

static void a_group_moves_and_turns_what_is_in_it(void **state)
{
    (void)state;
    built b = build(HEAD "bodies:\n"
                         "  - name: g\n    position: [10, 0, 0]\n    rotation: {axis: [0, 0, 1], angle: 90}\n"
                         "    defaults: {friction: 0.7, velocity: [1, 0, 0]}\n"
                         "    bodies:\n"
                         "      - {shape: crate, position: [2, 0, 0]}\n"
                         "      - {name: x, shape: crate, position: [5, 0, 0], velocity: [0, 1, 0], friction: 0.2, "
                         "spin: [1, 0, 0]}\n"
                         "      - {name: in, position: [0, 10, 0], defaults: {friction: 0.5}, bodies: "
                         "[{shape: crate, position: [1, 0, 0]}]}\n");
    assert_int_equal(b.count, 3);
    check_place(named(&b, "g/crate").pose.x, 10, 2, 0);
    check_place(named(&b, "g/crate").velocity, 0, 1, 0);
    check_near(named(&b, "g/crate").friction, 0.7, 0);
    check_place(named(&b, "g/x").velocity, -1, 0, 0);
    check_place(named(&b, "g/x").spin, 0, 1, 0);
    check_near(named(&b, "g/x").friction, 0.2, 0);
    check_place(named(&b, "g/in/crate").pose.x, 0, 1, 0);
    check_near(named(&b, "g/in/crate").friction, 0.5, 0);
    drop(&b);
}

static void a_named_group_is_placed_as_often_as_wanted(void **state)
{
    (void)state;
    built b = build(HEAD "groups: {pair: {defaults: {type: static}, bodies: [{shape: crate}, "
                         "{shape: ball, position: [0, 3, 0]}]}}\n"
                         "bodies: [{group: pair}, {group: pair, name: p, position: [20, 0, 0], "
                         "ring: {count: 3, radius: 5}, defaults: {type: dynamic}}]");
    assert_int_equal(b.count, 8);
    assert_int_equal(named(&b, "pair/ball").type, NC_STATIC);
    assert_int_equal(named(&b, "p.2/crate").type, NC_DYNAMIC);
    check_place(named(&b, "p.0/ball").pose.x, 25, 3, 0);
    drop(&b);
}

static void names_that_were_not_given_are_made_unique(void **state)
{
    (void)state;
    built b = build(HEAD "bodies: [{shape: crate}, {shape: crate, position: [3, 0, 0]}, "
                         "{shape: crate, position: [6, 0, 0]}, "
                         "{shape: ball, tower: {count: 2, spacing: 3}, position: [9, 0, 0]}, "
                         "{shape: ball, tower: {count: 2, spacing: 3}, position: [12, 0, 0]}]");
    check_place(named(&b, "crate").pose.x, 0, 0, 0);
    check_place(named(&b, "crate~2").pose.x, 3, 0, 0);
    check_place(named(&b, "crate~3").pose.x, 6, 0, 0);
    check_place(named(&b, "ball.1~2").pose.x, 12, 3, 0);
    drop(&b);
}

// Enough names for the table to grow several times.
static void names_stay_unique_among_many(void **state)
{
    (void)state;
    built b = build(HEAD "bodies: [{shape: ball, tower: {count: 300, spacing: 3}}, "
                         "{shape: ball, tower: {count: 300, spacing: 3}, position: [12, 0, 0]}]");
    assert_int_equal(b.count, 600);
    for (int i = 0; i < 300; i++) {
        char name[32];
        snprintf(name, sizeof name, "ball.%d~2", i);
        assert_string_equal(nc_body_name(b.world, b.ids[i + 300]), name);
    }
    drop(&b);
}

// ---- crowding, filters, intersecting starts -----------------------------------------------------------------

static const char *crowding_note(const nc_scene *scene)
{
    for (int i = 0; i < nc_scene_note_count(scene); i++)
        if (strstr(nc_scene_note(scene, i), "bounding spheres") != NULL)
            return nc_scene_note(scene, i);
    return NULL;
}

static void a_crowded_generator_says_so(void **state)
{
    (void)state;
    nc_scene *scene = scene_of(HEAD "bodies:\n  - {shape: crate, tower: {count: 3, spacing: 1.1}}\n");
    assert_string_equal(crowding_note(scene),
                        "s.yaml:5: bounding spheres of copies overlap (2 pairs, first \"crate.0\" and \"crate.1\"): "
                        "the bodies may intersect; the start is checked exactly");
    nc_world *world = world_of(scene);
    nc_world_destroy(world);
    nc_scene_destroy(scene);
    scene = scene_of(HEAD "bodies:\n  - {shape: crate, tower: {count: 3, spacing: 1.8}}\n");
    assert_null(crowding_note(scene));
    nc_scene_destroy(scene);
}

// Members of one copy are the scene's own business; it is copies that crowd each other.
static void members_of_a_group_do_not_crowd_each_other(void **state)
{
    (void)state;
    nc_scene *scene = scene_of(HEAD "bodies: [{bodies: [{shape: crate}, {shape: crate, position: [0, 1.1, 0]}], "
                                    "grid: {count: [2, 1, 1], spacing: 9}}]");
    assert_null(crowding_note(scene));
    nc_scene_destroy(scene);
}

// The sweep counts what comparing every pair counts.
static void crowding_agrees_with_all_pairs(void **state)
{
    (void)state;
    nc_random random = {check_seed("crowding", 4)};
    for (int round = 0; round < check_effort(60); round++) {
        char text[600];
        snprintf(text, sizeof text,
                 HEAD
                 "bodies: [{shape: crate, type: static, pile: {count: [4, 3, 5], spacing: %.3f, jitter: 1, seed: %d}}]",
                 nc_random_range(&random, 1, 4), round);
        nc_scene *scene = scene_of(text);
        int pairs = 0, said = 0;
        for (int i = 0; i < scene->bodies.count; i++)
            for (int j = 0; j < i; j++) {
                const nc_vec3 d = nc_sub(scene->bodies.data[i].position, scene->bodies.data[j].position);
                pairs += length(d) < sqrt(3.0);
            }
        const char *note = crowding_note(scene);
        if (note != NULL)
            sscanf(strstr(note, "("), "(%d pairs", &said);
        assert_int_equal(said, pairs);
        nc_scene_destroy(scene);
    }
}

static void filters_exempt_pairs_by_pattern(void **state)
{
    (void)state;
    built b = build(HEAD "bodies: [{name: hand, shape: crate}, {name: boat, shape: ball, tower: {count: 3}}, "
                         "{name: boot, shape: ball, position: [9, 0, 0]}]\n"
                         "filters: [[hand, 'boat.*'], ['bo?t*', 'bo?t*']]");
    const nc_body_id hand = nc_world_find(b.world, "hand"), boot = nc_world_find(b.world, "boot");
    const nc_body_id boat = nc_world_find(b.world, "boat.1"), other = nc_world_find(b.world, "boat.2");
    assert_false(nc_world_pair_matters(b.world, hand, boat));
    assert_false(nc_world_pair_matters(b.world, boat, other));
    assert_false(nc_world_pair_matters(b.world, boot, other));
    assert_true(nc_world_pair_matters(b.world, hand, boot));
    drop(&b);
}

static bool match_slowly(const char *pattern, const char *name)
{
    if (*pattern == '*')
        return match_slowly(pattern + 1, name) || (*name != '\0' && match_slowly(pattern, name + 1));
    if (*pattern == '\0' || *name == '\0')
        return *pattern == *name;
    return (*pattern == '?' || *pattern == *name) && match_slowly(pattern + 1, name + 1);
}

static void patterns_match_like_their_definition(void **state)
{
    (void)state;
    nc_random random = {check_seed("patterns", 8)};
    int matches = 0;
    for (int round = 0; round < check_effort(20000); round++) {
        char pattern[8] = "", name[8] = "";
        for (int i = 0; i < (int)(nc_random_u64(&random) % 8); i++)
            pattern[i] = "ab*?"[nc_random_u64(&random) % 4];
        for (int i = 0; i < (int)(nc_random_u64(&random) % 8); i++)
            name[i] = "ab"[nc_random_u64(&random) % 2];
        assert_int_equal(nc_pattern_match(pattern, name), match_slowly(pattern, name));
        matches += match_slowly(pattern, name);
    }
    assert_true(matches > 100);
}

static void an_intersecting_start_is_refused_with_names_and_place(void **state)
{
    (void)state;
    const char *text = "nacre: 1\nshapes: {tri: {generate: triangle}}\nbodies:\n"
                       "  - {name: flat, shape: tri}\n"
                       "  - {name: upright, shape: tri, rotation: {euler: [90, 0, 0]}}\n";
    nc_scene *scene = scene_of(text);
    nc_world *world = NULL;
    nc_error err = {0};
    char found[1100];
    assert_int_equal(scene_build_world(scene, NULL, &world, &err), NC_INTERSECTING);
    assert_null(world);
    nc_error_format(&err, found, sizeof found);
    assert_non_null(strstr(found, "s.yaml:5:5: the scene starts intersecting: triangle 0 of \"flat\" and triangle 0 of "
                                  "\"upright\" intersect at ("));
    nc_scene_destroy(scene);
    char filtered[512];
    snprintf(filtered, sizeof filtered, "%sfilters: [[flat, upright]]\n", text);
    scene = scene_of(filtered);
    nc_world_destroy(world_of(scene));
    nc_scene_destroy(scene);
}

static void touching_bodies_intersect(void **state)
{
    (void)state;
    nc_scene *scene = scene_of(HEAD "bodies: [{shape: crate}, {shape: crate, position: [0, 1, 0]}, "
                                    "{shape: crate, position: [0, 2, 0]}]");
    nc_world *world = NULL;
    nc_error err = {0};
    assert_int_equal(scene_build_world(scene, NULL, &world, &err), NC_INTERSECTING);
    assert_non_null(strstr(err.text, "touching; apart when \"crate~2\" moves +y"));
    assert_non_null(strstr(err.text, "(2 pairs touch). To move them apart: nacre repair s.yaml"));
    nc_scene_destroy(scene);
}

static void default_bounds_hold_the_start_with_room_around_it(void **state)
{
    (void)state;
    nc_scene *scene = scene_of(HEAD "bodies: [{shape: crate}, {shape: crate, position: [0, 10, 0]}]");
    const nc_box box = nc_scene_view(scene).bounds;
    const double r = sqrt(0.75), wide = 2 * r, tall = 10 + 2 * r, grow = sqrt(2 * wide * wide + tall * tall);
    check_near(box.lo.x, -r - grow, 1e-12);
    check_near(box.hi.y, 10 + r + grow, 1e-12);
    nc_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grid_is_centred_and_numbered_along_x_then_z_then_y),
        cmocka_unit_test(rotation_turns_copies_and_not_the_layout),
        cmocka_unit_test(wall_shifts_odd_rows),
        cmocka_unit_test(tower_twists_on_its_way_up),
        cmocka_unit_test(pyramid_is_square_or_flat),
        cmocka_unit_test(chain_of_rings_is_linked_and_does_not_intersect),
        cmocka_unit_test(ring_places_and_faces_its_copies),
        cmocka_unit_test(ring_places_copies_on_an_arc),
        cmocka_unit_test(ring_stands_across_any_axis),
        cmocka_unit_test(sphere_bursts_outwards),
        cmocka_unit_test(along_shares_straight_lines_by_their_length),
        cmocka_unit_test(along_a_slope_copies_stand_upright_or_lean),
        cmocka_unit_test(along_a_smooth_curve_goes_through_its_points_in_even_steps),
        cmocka_unit_test(along_a_spiral_keeps_its_distance_on_the_curve),
        cmocka_unit_test(random_numbers_come_from_seeds),
        cmocka_unit_test(jitter_and_tumble_stay_within_what_was_asked),
        cmocka_unit_test(tumble_1_is_any_orientation),
        cmocka_unit_test(a_group_moves_and_turns_what_is_in_it),
        cmocka_unit_test(a_named_group_is_placed_as_often_as_wanted),
        cmocka_unit_test(names_that_were_not_given_are_made_unique),
        cmocka_unit_test(names_stay_unique_among_many),
        cmocka_unit_test(a_crowded_generator_says_so),
        cmocka_unit_test(members_of_a_group_do_not_crowd_each_other),
        cmocka_unit_test(crowding_agrees_with_all_pairs),
        cmocka_unit_test(filters_exempt_pairs_by_pattern),
        cmocka_unit_test(patterns_match_like_their_definition),
        cmocka_unit_test(an_intersecting_start_is_refused_with_names_and_place),
        cmocka_unit_test(touching_bodies_intersect),
        cmocka_unit_test(default_bounds_hold_the_start_with_room_around_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
