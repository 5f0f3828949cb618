// Rest distances by the size of the bodies of a pair: rest_fraction, from scenes and from C.
#include "check.h"
#include "scene_text.h"

#include "nacre/nacre.h"

#include "base/base.h"
#include "world/world.h"

#define STEP (1.0 / 100)

static const double root3 = 1.7320508075688772; // diagonal of a cube, per edge

static void step_times(nc_world *world, int count)
{
    nc_error err;
    for (int k = 0; k < count; k++)
        check_ok(nc_world_step(world, STEP, NULL, &err), err);
}

static double height(const nc_world *world, const char *name)
{
    nc_body_state body;
    nc_error err;
    check_ok(nc_body_read(world, nc_world_find(world, name), &body, &err), err);
    return body.pose.x.y;
}

// ---- where bodies come to rest ---------------------------------------------------------------------------------

#define SMALL 0.05 // [m] edge
#define LARGE 1.0  // [m] edge

// A small box on the ground, a large one beside it, and another small box upon that; all dropped by some millimetres.
// `world` is the inside of the scene's world block.
static nc_world *drop(const char *world_keys, nc_scene **scene)
{
    char text[1200];
    snprintf(text, sizeof text,
             "nacre: 1\n"
             "world: {restitution: 0, %s}\n"
             "shapes: {ground: {generate: plane, size: 40}, small: {generate: box, size: %g}, "
             "large: {generate: box, size: %g}}\n"
             "bodies: [{shape: ground, type: static}, "
             "{name: small, shape: small, position: [-2, 0.035, 0]}, "
             "{name: large, shape: large, position: [0, 0.51, 0]}, "
             "{name: upper, shape: small, position: [0, 1.055, 0]}]\n",
             world_keys, SMALL, LARGE);
    *scene = scene_of(text);
    nc_world *world = world_of(*scene);
    step_times(world, 100);
    return world;
}

// [m] distances at rest: small and ground, large and ground, upper and large.
static void check_drop(const char *world_keys, double small, double large, double upper)
{
    nc_scene *scene;
    nc_world *world = drop(world_keys, &scene);
    const double on_large = height(world, "upper") - height(world, "large") - 0.5 * (LARGE + SMALL);
    print_message("{%s}: %.4g, %.4g, %.4g mm\n", world_keys, 1e3 * (height(world, "small") - 0.5 * SMALL),
                  1e3 * (height(world, "large") - 0.5 * LARGE), 1e3 * on_large);
    check_near(height(world, "small") - 0.5 * SMALL, small, 0.02 * small);
    check_near(height(world, "large") - 0.5 * LARGE, large, 0.02 * large);
    check_near(on_large, upper, 0.02 * upper);
    nc_world_destroy(world);
    nc_scene_destroy(scene);
}

static void a_pair_rests_at_a_thousandth_of_its_smaller_body(void **state)
{
    (void)state;
    check_drop("friction: 0.3", 0.001 * root3 * SMALL, 0.001 * root3 * LARGE, 0.001 * root3 * SMALL);
    check_drop("rest_fraction: 0.002", 0.002 * root3 * SMALL, 0.002 * root3 * LARGE, 0.002 * root3 * SMALL);
}

static void a_rest_distance_that_is_given_is_that_of_all_pairs(void **state)
{
    (void)state;
    check_drop("rest_distance: 0.003", 0.003, 0.003, 0.003);
    check_drop("rest_distance: 0.003, rest_fraction: 0", 0.003, 0.003, 0.003);
}

static void the_smaller_of_distance_and_fraction_counts(void **state)
{
    (void)state;
    check_drop("rest_distance: 0.001, rest_fraction: 0.002", 0.002 * root3 * SMALL, 0.001, 0.002 * root3 * SMALL);
}

// The fraction of the small box would be 0.087 mm.
static void no_pair_rests_below_eight_floor_distances(void **state)
{
    (void)state;
    check_drop("floor_distance: 0.00005", 8 * 0.00005, 0.001 * root3 * LARGE, 8 * 0.00005);
}

// ---- distances of pairs ----------------------------------------------------------------------------------------

static double pair_rest(const nc_world *world, const char *a, const char *b)
{
    return nc_world_pair_rest(world, (int)nc_world_find(world, a).index, (int)nc_world_find(world, b).index);
}

// Features are near in the proportion of the world's distances, and a size alone says where a body rests.
static void proximity_follows_the_rest_distance_of_a_pair(void **state)
{
    (void)state;
    nc_scene *scene;
    nc_world *world = drop("friction: 0.3", &scene);
    const nc_world_def def = nc_world_settings(world);
    const int small = (int)nc_world_find(world, "small").index, large = (int)nc_world_find(world, "large").index;
    check_near(def.rest_distance, 0.001 * root3 * LARGE, 1e-12);
    check_near(def.floor_distance, 0.001 * root3 * SMALL / 32, 1e-12);
    check_near(pair_rest(world, "small", "large"), 0.001 * root3 * SMALL, 1e-12);
    check_near(pair_rest(world, "large", "small"), 0.001 * root3 * SMALL, 1e-12);
    check_near(nc_world_pair_proximity(world, small, large), 0.004 * root3 * SMALL, 1e-12);
    check_near(nc_world_pair_proximity(world, 0, large), 0.004 * root3 * LARGE, 1e-12);
    check_near(nc_world_size_rest(world, 0.3), 0.0003, 1e-15);
    check_near(nc_world_size_rest(world, 1000), def.rest_distance, 0);
    check_near(nc_world_size_rest(world, 0), 8 * def.floor_distance, 0);
    nc_world_destroy(world);
    nc_scene_destroy(scene);
}

// The largest moving body decides what the world rests at, at most; the ground does not.
static void a_large_fixed_body_changes_no_distance(void **state)
{
    (void)state;
    static const double sizes[] = {5, 500};
    double rest[2], floors[2];
    for (int k = 0; k < 2; k++) {
        char text[400];
        snprintf(text, sizeof text,
                 "nacre: 1\nshapes: {ground: {generate: plane, size: %g}, box: {generate: box, size: 0.2}}\n"
                 "bodies: [{shape: ground, type: static}, {shape: box, position: [0, 1, 0]}]\n",
                 sizes[k]);
        nc_scene *scene = scene_of(text);
        const nc_world_def def = nc_scene_view(scene).world;
        rest[k] = def.rest_distance;
        floors[k] = def.floor_distance;
        nc_scene_destroy(scene);
    }
    check_near(rest[0], 0.001 * root3 * 0.2, 1e-15);
    check_near(rest[1], rest[0], 0);
    check_near(floors[1], floors[0], 0);
}

// A pair that starts nearer than it rests by its size stays there, however small its bodies are.
static void a_cap_is_below_the_rest_distance_of_its_pair(void **state)
{
    (void)state;
    nc_scene *scene = scene_of("nacre: 1\n"
                               "shapes: {ground: {generate: plane, size: 40}, small: {generate: box, size: 0.05}, "
                               "large: {generate: box, size: 1}}\n"
                               "bodies: [{name: ground, shape: ground, type: static}, "
                               "{name: far, shape: small, position: [-2, 0.0252, 0]}, "
                               "{name: near, shape: small, position: [-4, 0.02504, 0]}, "
                               "{name: large, shape: large, position: [0, 0.501, 0]}]\n");
    nc_world *world = world_of(scene);
    nc_start_report report;
    nc_error err;
    check_ok(nc_world_check(world, &report, &err), err);
    assert_int_equal(report.capped_pairs, 2); // near, and large: 0.2 mm are enough for a small box
    check_near(pair_rest(world, "ground", "far"), 0.001 * root3 * 0.05, 1e-12);
    check_near(pair_rest(world, "ground", "near"), 0.00004, 1e-9);
    check_near(pair_rest(world, "ground", "large"), 0.001, 1e-9);
    nc_world_destroy(world);
    nc_scene_destroy(scene);
}

// ---- C, snapshots, errors --------------------------------------------------------------------------------------

// A box of 1 m and one of 0.1 m above the ground.
static nc_world *make(double rest_fraction)
{
    nc_world_def def = nc_world_def_default();
    nc_world *world = NULL;
    nc_error err;
    def.rest_fraction = rest_fraction;
    def.restitution = 0;
    def.workers = 1;
    check_ok(nc_world_create(&def, &world, &err), err);
    static const struct {
        const char *shape, *name;
        double size;
        nc_vec3 at;
    } bodies[] = {
        {"plane", "ground", 20, {0, 0, 0}}, {"box", "large", 1, {0, 0.52, 0}}, {"box", "small", 0.1, {2, 0.07, 0}}};
    for (int k = 0; k < 3; k++) {
        nc_body_def body = nc_body_def_default();
        const nc_shape_parameter size = {"size", bodies[k].size};
        check_ok(nc_shape_create(bodies[k].shape, &size, 1, NULL, &body.mesh, &err), err);
        body.type = k == 0 ? NC_STATIC : NC_DYNAMIC;
        body.name = bodies[k].name;
        body.position = bodies[k].at;
        check_ok(nc_body_create(world, &body, NULL, &err), err);
        nc_mesh_release(body.mesh);
    }
    return world;
}

static void without_a_fraction_all_pairs_rest_at_the_same_distance(void **state)
{
    (void)state;
    check_near(nc_world_def_default().rest_fraction, 0, 0);
    nc_world *world = make(0), *sized = make(0.002);
    check_near(pair_rest(world, "ground", "small"), 0.005, 0);
    check_near(nc_world_pair_proximity(world, 0, 2), 0.01, 0);
    check_near(nc_world_size_rest(world, 1e-6), 0.005, 0);
    step_times(world, 60);
    step_times(sized, 60);
    check_near(height(world, "large"), 0.505, 1e-5);
    check_near(height(world, "small"), 0.055, 1e-5);
    check_near(height(sized, "large"), 0.5 + 0.002 * root3, 1e-5);
    check_near(height(sized, "small"), 0.05 + 8 * 0.00005, 1e-5); // more than 0.002 of its diagonal
    nc_world_destroy(world);
    nc_world_destroy(sized);
}

static void a_snapshot_keeps_the_fraction(void **state)
{
    (void)state;
    nc_world *world = make(0.002), *other = make(0);
    nc_error err;
    nc_buffer bytes = nc_buffer_create(NULL);
    assert_true(nc_world_hash(world) != nc_world_hash(other)); // it decides the future
    step_times(world, 5);
    check_ok(nc_world_save(world, &bytes, &err), err);
    check_ok(nc_world_restore(other, bytes.data, bytes.size, &err), err);
    check_near(nc_world_settings(other).rest_fraction, 0.002, 0);
    assert_true(nc_world_hash(world) == nc_world_hash(other));
    step_times(world, 20);
    step_times(other, 20);
    assert_true(nc_world_hash(world) == nc_world_hash(other));
    nc_buffer_free(&bytes);
    nc_world_destroy(world);
    nc_world_destroy(other);
}

// What is known about near pairs was found with other distances: it counts no more. Two boxes stand 0.8 mm apart, which
// is near with four times the fraction only.
static void a_fraction_that_changes_counts_at_once(void **state)
{
    (void)state;
    nc_scene *scene = scene_of("nacre: 1\nworld: {restitution: 0}\n"
                               "shapes: {ground: {generate: plane, size: 4}, box: {generate: box, size: 0.05}}\n"
                               "bodies: [{shape: ground, type: static}, {shape: box, position: [0, 0.0250866, 0]}, "
                               "{shape: box, position: [0.0508, 0.0250866, 0]}]\n");
    nc_world *world = world_of(scene);
    nc_world_def settings = nc_world_settings(world);
    nc_step_report before, after;
    nc_error err;
    step_times(world, 20);
    check_ok(nc_world_step(world, STEP, &before, &err), err);
    settings.rest_fraction *= 4;
    settings.rest_distance *= 4;
    settings.proximity *= 4;
    check_ok(nc_world_set_settings(world, &settings, &err), err);
    check_ok(nc_world_step(world, STEP, &after, &err), err);
    assert_int_equal(before.contacts, 8); // corners on the ground
    assert_true(after.contacts > 8);
    settings.rest_fraction /= 4; // the proximity of the world stays
    check_ok(nc_world_set_settings(world, &settings, &err), err);
    check_ok(nc_world_step(world, STEP, &after, &err), err);
    assert_int_equal(after.contacts, 8);
    nc_world_destroy(world);
    nc_scene_destroy(scene);
}

// Scenes and C have the same range.
static void a_fraction_out_of_range_is_refused_by_the_world(void **state)
{
    (void)state;
    const double wrong[] = {-1e-9, 0.6, NAN, INFINITY};
    for (int k = 0; k < 4; k++) {
        nc_world_def def = nc_world_def_default();
        nc_world *world = NULL;
        nc_error err;
        def.rest_fraction = wrong[k];
        assert_int_equal(nc_world_create(&def, &world, &err), NC_BAD_ARGUMENT);
        assert_non_null(strstr(err.text, "rest_fraction is "));
        assert_non_null(strstr(err.text, "; it must lie in [0, 0.5]"));
    }
}

static void a_fraction_out_of_range_is_refused_with_its_line(void **state)
{
    (void)state;
    check_refused("nacre: 1\nworld:\n  rest_fraction: 0.6",
                  "s.yaml:3:18: world.rest_fraction: found \"0.6\"; allowed: a number from 0 to 0.5");
    check_refused("nacre: 1\nworld:\n  friction: 0\n  rest_fraction: -0.001",
                  "s.yaml:4:18: world.rest_fraction: found \"-0.001\"; allowed: a number from 0 to 0.5");
    check_refused("nacre: 1\nworld: {rest_fraction: small}",
                  "s.yaml:2:24: world.rest_fraction: found \"small\"; allowed: a number from 0 to 0.5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pair_rests_at_a_thousandth_of_its_smaller_body),
        cmocka_unit_test(a_rest_distance_that_is_given_is_that_of_all_pairs),
        cmocka_unit_test(the_smaller_of_distance_and_fraction_counts),
        cmocka_unit_test(no_pair_rests_below_eight_floor_distances),
        cmocka_unit_test(proximity_follows_the_rest_distance_of_a_pair),
        cmocka_unit_test(a_large_fixed_body_changes_no_distance),
        cmocka_unit_test(a_cap_is_below_the_rest_distance_of_its_pair),
        cmocka_unit_test(without_a_fraction_all_pairs_rest_at_the_same_distance),
        cmocka_unit_test(a_snapshot_keeps_the_fraction),
        cmocka_unit_test(a_fraction_that_changes_counts_at_once),
        cmocka_unit_test(a_fraction_out_of_range_is_refused_by_the_world),
        cmocka_unit_test(a_fraction_out_of_range_is_refused_with_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
