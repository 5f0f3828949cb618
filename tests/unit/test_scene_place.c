// Generators that find room: pour. Whatever they place is free of intersections by the exact test.
#include "check.h"
#include "fail_allocator.h"

#include "base/base.h"
#include "geom/geom.h"
#include "scene/description.h"
#include "scene_text.h"

// A mix of a thin rod, a ring, a ball and an open sheet.
#define SHAPES                                                                                                         \
    "shapes: {rod: {generate: box, width: 0.05, height: 0.5, depth: 0.05}, ring: {generate: torus, radius: 0.15, "     \
    "tube: 0.04}, ball: {generate: sphere, radius: 0.12, splits: 1}, sheet: {generate: plane, size: 0.3}, "            \
    "floor: {generate: box, width: 4, height: 0.2, depth: 4}, bowl: {generate: bowl}, post: {generate: box, "          \
    "width: 0.2, height: 2, depth: 0.2}}\n"
#define MIX  "shapes: [{shape: rod, weight: 2}, {shape: ring}, {shape: ball, weight: 0.5}, {shape: sheet}]"
#define HEAD "nacre: 1\n" SHAPES

static nc_pose pose_of(const nc_scene *scene, int i)
{
    return (nc_pose){scene->bodies.data[i].position, scene->bodies.data[i].orientation};
}

static const nc_mesh *mesh_of(const nc_scene *scene, int i)
{
    return scene->shapes.data[scene->bodies.data[i].shape].mesh;
}

// The slow way of knowing: every pair, by the exact test and by its distance.
static void check_all_pairs(const nc_scene *scene, double fraction)
{
    nc_error err = {0};
    for (int i = 0; i < scene->bodies.count; i++)
        for (int k = 0; k < i; k++) {
            bool hit = true;
            nc_proximity nearest;
            const nc_mesh *a = mesh_of(scene, i), *b = mesh_of(scene, k);
            check_ok(nc_mesh_intersect(a, pose_of(scene, i), b, pose_of(scene, k), &hit, NULL, &err), err);
            check_ok(nc_mesh_distance(a, pose_of(scene, i), b, pose_of(scene, k), &nearest, &err), err);
            const double rest = fraction * fmin(nc_mesh_diagonal(a), nc_mesh_diagonal(b));
            if (hit || !(nearest.distance >= rest))
                fail_msg("%s and %s: %s, %g m apart, rest %g m", scene->bodies.data[i].name, scene->bodies.data[k].name,
                         hit ? "intersect" : "apart", nearest.distance, rest);
        }
}

static uint64_t hash_of(const nc_scene *scene)
{
    uint64_t hash = NC_HASH_START;
    for (int i = 0; i < scene->bodies.count; i++) {
        const nc_pose p = pose_of(scene, i);
        const double numbers[] = {p.x.x, p.x.y, p.x.z, p.q.w, p.q.x, p.q.y, p.q.z};
        for (int k = 0; k < 7; k++)
            hash = nc_hash_double(hash, numbers[k]);
    }
    return hash;
}

static nc_scene *scene_with_seed(const char *format, uint64_t seed)
{
    char text[2048];
    snprintf(text, sizeof text, format, (unsigned long long)seed);
    return scene_of(text);
}

// ---- pour ---------------------------------------------------------------------------------------------------

#define POUR_BOX                                                                                                       \
    HEAD "bodies: [{name: p, pour: {count: 60, " MIX ", box: {low: [-0.8, 0, -0.8], high: [0.8, 3, 0.8]}, "            \
         "seed: %llu}}, {shape: floor, type: static, position: [0, -0.1, 0]}, {shape: post, type: static, "            \
         "position: [0, 1.01, 0]}]"

static void poured_bodies_are_apart_by_their_rest_distance(void **state)
{
    (void)state;
    const uint64_t seed = check_seed("pour", 1) % 1000000;
    for (int i = 0; i < check_effort(6); i++) {
        nc_scene *scene = scene_with_seed(POUR_BOX, seed + (uint64_t)i);
        assert_int_equal(scene->bodies.count, 62);
        check_all_pairs(scene, 0.001);
        nc_world_destroy(world_of(scene)); // the start is not refused
        nc_scene_destroy(scene);
    }
}

static void poured_bodies_are_in_their_box(void **state)
{
    (void)state;
    nc_scene *scene = scene_with_seed(POUR_BOX, 3);
    for (int i = 2; i < scene->bodies.count; i++) {
        const nc_box box = nc_mesh_world_box(mesh_of(scene, i), pose_of(scene, i));
        assert_true(box.lo.x > -0.8001 && box.lo.y > -0.0001 && box.lo.z > -0.8001);
        assert_true(box.hi.x < 0.8001 && box.hi.y < 3.0001 && box.hi.z < 0.8001);
    }
    nc_scene_destroy(scene);
}

// Layer over layer: what is poured is much denser than balls around the bodies would be.
static void thin_bodies_are_packed_by_their_surfaces_and_not_by_balls(void **state)
{
    (void)state;
    nc_scene *scene =
        scene_of(HEAD "bodies: [{shape: rod, pour: {count: 100, box: {low: [0, 0, 0], high: [1, 9, 1]}}}]");
    double top = 0;
    for (int i = 0; i < scene->bodies.count; i++)
        top = fmax(top, nc_mesh_world_box(mesh_of(scene, i), pose_of(scene, i)).hi.y);
    const double r = 0.5 * nc_mesh_diagonal(mesh_of(scene, 0));
    print_message("top %g m, balls %g m\n", top, 100 * 4.19 * r * r * r);
    assert_true(top < 0.5 * 100 * 4.19 * r * r * r); // of balls that fill all of the box
    nc_scene_destroy(scene);
}

static void equal_seeds_pour_equal_bits_and_others_do_not(void **state)
{
    (void)state;
    nc_scene *a = scene_with_seed(POUR_BOX, 7), *b = scene_with_seed(POUR_BOX, 7), *c = scene_with_seed(POUR_BOX, 8);
    assert_true(hash_of(a) == hash_of(b));
    assert_true(hash_of(a) != hash_of(c));
    nc_scene_destroy(a);
    nc_scene_destroy(b);
    nc_scene_destroy(c);
}

static void a_mix_has_its_weights(void **state)
{
    (void)state;
    nc_scene *scene = scene_of(HEAD "bodies: [{name: p, pour: {count: 400, shapes: [{shape: ball, weight: 3}, {shape: "
                                    "rod}], box: {low: [0, 0, 0], high: [3, 9, 3]}}}]");
    int balls = 0;
    for (int i = 0; i < scene->bodies.count; i++)
        balls += strcmp(scene->shapes.data[scene->bodies.data[i].shape].name, "ball") == 0;
    assert_true(balls > 270 && balls < 330); // 300 +- 3.5 sigma
    nc_scene_destroy(scene);
}

static void poured_bodies_are_inside_a_bowl(void **state)
{
    (void)state;
    nc_scene *scene = scene_of(HEAD "bodies: [{name: p, pour: {count: 40, " MIX ", into: bowl}}, "
                                    "{name: bowl, shape: bowl, type: static, position: [5, 1, 0]}]");
    const nc_box bowl = nc_mesh_world_box(mesh_of(scene, 0), pose_of(scene, 0));
    assert_string_equal(scene->bodies.data[0].name, "bowl");
    check_all_pairs(scene, 0.001);
    for (int i = 1; i < scene->bodies.count; i++) {
        // The bowl is a part of a sphere of radius 1 about its origin.
        const nc_scene_shape *shape = &scene->shapes.data[scene->bodies.data[i].shape];
        const nc_vec3 x = nc_pose_apply(pose_of(scene, i), shape->ball_center);
        assert_true(nc_norm(nc_sub(x, nc_v3(5, 1, 0))) < 1);
        assert_true(x.y < bowl.hi.y);
    }
    nc_scene_destroy(scene);
}

static void a_group_turns_what_is_poured_in_it(void **state)
{
    (void)state;
    nc_scene *scene = scene_of("nacre: 1\nworld: {gravity: [-9.8, 0, 0]}\n" SHAPES
                               "bodies: [{name: g, position: [10, 0, 0], rotation: {axis: [0, 0, 1], angle: -90}, "
                               "bodies: [{shape: rod, name: p, position: [0, 1, 0], pour: {count: 20, orient: upright, "
                               "box: {low: [0, 0, 0], high: [1, 2, 1]}}}]}]");
    assert_int_equal(scene->bodies.count, 20);
    check_all_pairs(scene, 0.001);
    for (int i = 0; i < 20; i++) {
        const nc_box box = nc_mesh_world_box(mesh_of(scene, i), pose_of(scene, i));
        // y of the group is x of the world.
        assert_true(box.lo.x > 10.9999 && box.hi.x < 13.0001 && box.lo.y > -1.0001 && box.hi.y < 0.0001);
        check_near(box.hi.x - box.lo.x, 0.5, 1e-9); // upright
    }
    assert_string_equal(scene->bodies.data[0].name, "g/p.0");
    nc_scene_destroy(scene);
}

static void without_room_the_error_says_how_many_fitted(void **state)
{
    (void)state;
    nc_scene *scene = NULL;
    nc_error err;
    char found[1200];
    int fitted = 0;
    const char *text = HEAD "bodies:\n  - {shape: ball, pour: {count: 500, box: {low: [0, 0, 0], high: [1, 1, 1]}%s}}";
    char full[1200];
    snprintf(full, sizeof full, text, "");
    assert_int_equal(scene_try(full, NULL, 0, &scene, &err), NC_BAD_SCENE);
    nc_error_format(&err, found, sizeof found);
    assert_int_equal(sscanf(found, "s.yaml:4:25: bodies.0.pour: %d of 500", &fitted), 1);
    assert_true(fitted > 20 && fitted < 70); // 0.64 of 138 balls of this volume would be a dense random packing
    assert_non_null(strstr(found, " bodies found room in the box; make the box larger or higher, the count or the gap "
                                  "smaller, or say partial: true for as many as there is room for"));
    snprintf(full, sizeof full, text, ", partial: true");
    scene = scene_of(full);
    assert_int_equal(scene->bodies.count, fitted);
    assert_non_null(strstr(nc_scene_note(scene, 0), "bodies found room in the box"));
    check_all_pairs(scene, 0.001);
    nc_scene_destroy(scene);
}

static void nothing_is_poured_into_a_solid(void **state)
{
    (void)state;
    check_refused(HEAD
                  "bodies:\n  - {shape: floor, type: static, name: block}\n"
                  "  - {shape: ball, pour: {count: 1, gap: 0.001, box: {low: [-1, -0.09, -1], high: [1, 0.09, 1]}}}",
                  "s.yaml:5:25: bodies.1.pour: 0 of 1 bodies found room in the box; make the box larger or higher, the "
                  "count or the gap smaller, or say partial: true for as many as there is room for");
    check_refused(
        "nacre: 1\nshapes: {big: {generate: box, size: 4}, ball: {generate: sphere, radius: 0.1}}\n"
        "bodies: [{shape: big}, {shape: ball, pour: {count: 3, partial: false, box: {low: [-1, -1, -1], high: "
        "[1, 1, 1]}}}]",
        "s.yaml:3:44: bodies.1.pour: 0 of 3 bodies found room in the box; make the box larger or higher, the "
        "count or the gap smaller, or say partial: true for as many as there is room for");
}

static void mistakes_in_a_pour_are_named(void **state)
{
    (void)state;
    check_refused(HEAD "bodies: [{shape: ball, pour: {count: 3}}]",
                  "s.yaml:3:30: bodies.0.pour: allowed: one of box (a region) and into (the name of a body)");
    check_refused(HEAD "bodies: [{shape: ball, pour: {count: 3, into: bowle}}, {shape: bowl, type: static}]",
                  "s.yaml:3:47: bodies.0.pour.into: there is no body \"bowle\"; did you mean \"bowl\"?");
    check_refused(HEAD "bodies: [{name: p, pour: {count: 3, box: {low: [0, 0, 0], high: [1, 1, 1]}}}]",
                  "s.yaml:3:10: bodies.0: allowed: one of shape (bodies of one shape) and shapes (a mix, in the "
                  "generator)");
    check_refused(HEAD
                  "bodies: [{shape: ball, pour: {count: 3, shapes: [{shape: rod}], box: {low: [0, 0, 0], high: [1, "
                  "1, 1]}}}]",
                  "s.yaml:3:10: bodies.0: allowed: one of shape (bodies of one shape) and shapes (a mix, in the "
                  "generator)");
    check_refused(HEAD "bodies: [{pour: {count: 3, shapes: [{shape: rood}], box: {low: [0, 0, 0], high: [1, 1, 1]}}}]",
                  "s.yaml:3:45: bodies.0.pour.shapes.0.shape: there is no shape \"rood\" under shapes; did you mean "
                  "\"rod\"?");
    check_refused(HEAD "bodies: [{shape: ball, pour: {count: 3, box: {low: [0, 0, 0], high: [1, 0, 1]}}}]",
                  "s.yaml:3:46: bodies.0.pour.box: low is not below high on every axis");
    // A group that nothing places is checked as well.
    check_refused(HEAD "groups: {g: {bodies: [{shape: ball, pour: {count: 3, shapes: []}}]}}",
                  "s.yaml:3:23: groups.g.bodies.0: allowed: one of shape (bodies of one shape) and shapes (a mix, in "
                  "the generator)");
}

// ---- scatter ------------------------------------------------------------------------------------------------

#define SCATTER                                                                                                        \
    HEAD "bodies: [{name: s, scatter: {count: 50, " MIX ", on: floor, spacing: 0.2, seed: %llu}}, "                    \
         "{shape: floor, type: static, position: [1, 2, 3], rotation: {euler: [20, 0, 10]}}, "                         \
         "{shape: post, type: static, position: [1, 3.2, 3]}]"

static void scattered_bodies_are_apart_and_at_the_surface(void **state)
{
    (void)state;
    const uint64_t seed = check_seed("scatter", 1) % 1000000;
    nc_error err = {0};
    for (int i = 0; i < check_effort(6); i++) {
        nc_scene *scene = scene_with_seed(SCATTER, seed + (uint64_t)i),
                 *again = scene_with_seed(SCATTER, seed + (uint64_t)i);
        assert_int_equal(scene->bodies.count, 52);
        check_all_pairs(scene, 0.001);
        assert_true(hash_of(scene) == hash_of(again));
        for (int k = 2; k < 52; k++) {
            nc_proximity nearest;
            check_ok(nc_mesh_distance(mesh_of(scene, k), pose_of(scene, k), mesh_of(scene, 0), pose_of(scene, 0),
                                      &nearest, &err),
                     err);
            assert_true(nearest.distance < 0.0012 * nc_mesh_diagonal(mesh_of(scene, k)));
            const nc_vec3 y = nc_mat3_mul(nc_quat_matrix(pose_of(scene, k).q), nc_v3(0, 1, 0));
            check_near(y.y, 1, 1e-12);
        }
        nc_world_destroy(world_of(scene));
        nc_scene_destroy(scene);
        nc_scene_destroy(again);
    }
}

static void bodies_stand_along_the_normals_of_a_ball(void **state)
{
    (void)state;
    nc_scene *scene =
        scene_of("nacre: 1\nworld: {gravity: [0, 0, -9.8]}\nshapes: {ball: {generate: sphere, radius: 2, splits: 5}, "
                 "pin: {generate: box, width: 0.05, height: 0.4, depth: 0.05}}\n"
                 "bodies: [{shape: ball, type: static, position: [5, 0, 0]}, "
                 "{shape: pin, scatter: {count: 60, on: ball, orient: normal, slope: 180, spacing: 0.3}}]");
    int below = 0;
    for (int i = 1; i < scene->bodies.count; i++) {
        const nc_vec3 x = nc_sub(pose_of(scene, i).x, nc_v3(5, 0, 0));
        const nc_vec3 y = nc_mat3_mul(nc_quat_matrix(pose_of(scene, i).q), nc_v3(0, 1, 0));
        assert_true(nc_norm(x) > 2.17 && nc_norm(x) < 2.21); // the faces are up to 0.024 m inside of the ball
        assert_true(nc_dot(x, y) > 0.99 * nc_norm(x));
        below += x.z < 0;
        for (int k = 1; k < i; k++)
            assert_true(nc_norm(nc_sub(pose_of(scene, i).x, pose_of(scene, k).x)) > 0.3);
    }
    assert_int_equal(scene->bodies.count, 61);
    assert_true(below > 15 && below < 45);
    check_all_pairs(scene, 0.001);
    nc_scene_destroy(scene);
}

static void mistakes_in_a_scatter_are_named(void **state)
{
    (void)state;
    check_refused(HEAD "bodies: [{shape: ball, scatter: {count: 3}}]",
                  "s.yaml:3:33: bodies.0.scatter: the key \"on\" is missing; it takes a text");
    check_refused(HEAD "bodies: [{shape: ball, scatter: {count: 300, on: floor}}, {shape: bowl, type: static}]",
                  "s.yaml:3:50: bodies.0.scatter.on: there is no body \"floor\"");
    check_refused(
        HEAD "bodies: [{shape: ball, scatter: {count: 3, on: floor, slope: 10}}, {shape: floor, rotation: {euler: [45, "
             "0, 0]}}]",
        "s.yaml:3:33: bodies.0.scatter: \"floor\" has no face with a slope of at most 10 degrees; give a larger slope");
    nc_scene *scene = NULL;
    nc_error err;
    assert_int_equal(
        scene_try(HEAD
                  "bodies: [{shape: ball, scatter: {count: 300, on: floor, spacing: 1}}, {shape: floor, type: static}]",
                  NULL, 0, &scene, &err),
        NC_BAD_SCENE);
    assert_non_null(
        strstr(err.text, " of 300 bodies found room on \"floor\"; make the count, the spacing or the gap smaller"));
}

static nc_code load_with(const nc_allocator *allocator, void *ctx)
{
    const char *text = ctx;
    const nc_scene_def def = {.path = "s.yaml", .text = text, .text_size = strlen(text), .allocator = allocator};
    nc_scene *scene = NULL;
    const nc_code code = nc_scene_load(&def, &scene, NULL);
    nc_scene_destroy(scene);
    return code;
}

static void every_failed_allocation_ends_in_a_clean_error(void **state)
{
    (void)state;
    char text[] =
        "nacre: 1\nshapes: {rod: {generate: box}, plate: {generate: box, width: 9, depth: 9}}\n"
        "bodies: [{shape: plate, name: p, type: static}, {shape: rod, pour: {count: 3, box: {low: [-4, 1, -4], "
        "high: [4, 5, 4]}}}, {shape: rod, name: s, scatter: {count: 2, on: p}}]";
    fail_at_every_call(load_with, text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poured_bodies_are_apart_by_their_rest_distance),
        cmocka_unit_test(poured_bodies_are_in_their_box),
        cmocka_unit_test(thin_bodies_are_packed_by_their_surfaces_and_not_by_balls),
        cmocka_unit_test(equal_seeds_pour_equal_bits_and_others_do_not),
        cmocka_unit_test(a_mix_has_its_weights),
        cmocka_unit_test(poured_bodies_are_inside_a_bowl),
        cmocka_unit_test(a_group_turns_what_is_poured_in_it),
        cmocka_unit_test(without_room_the_error_says_how_many_fitted),
        cmocka_unit_test(nothing_is_poured_into_a_solid),
        cmocka_unit_test(mistakes_in_a_pour_are_named),
        cmocka_unit_test(scattered_bodies_are_apart_and_at_the_surface),
        cmocka_unit_test(bodies_stand_along_the_normals_of_a_ball),
        cmocka_unit_test(mistakes_in_a_scatter_are_named),
        cmocka_unit_test(every_failed_allocation_ends_in_a_clean_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
