// Rounds of collisions: one by one to the limit, as in English's Algorithm 1, or in batches that end sooner; how often
// one pair is resolved in a round; sweeps with and without acceleration.
#include "check.h"

#include "nacre/nacre.h"

#include "scene_text.h"

#define BOXES 70 // more than the 48 rounds after which batches end

typedef struct limits {
    int rounds, pair;
    bool batches;
} limits;

// A row of boxes with small gaps, of which the first one hits the second: every bounce makes the next one.
static nc_step_report hit_row(limits limit, double *last_speed)
{
    char text[512];
    nc_error err;
    nc_world *world;
    nc_step_report report;
    nc_body_state last;
    snprintf(text, sizeof text,
             "nacre: 1\nworld: {gravity: [0, 0, 0], friction: 0, restitution: 1, timestep: 1/24, rest_distance: 0.01}\n"
             "shapes: {box: {generate: box}}\n"
             "bodies:\n  - {shape: box, position: [-1.1, 0, 0], velocity: [100, 0, 0], name: first}\n"
             "  - {shape: box, name: row, grid: {count: [%d, 1, 1], spacing: 1.02, center: [%.17g, 0, 0]}}\n",
             BOXES, 0.51 * (BOXES - 1));
    nc_scene *scene = scene_of(text);
    nc_world_def def = nc_scene_view(scene).world;
    def.collision_iterations = limit.rounds;
    def.pair_collision_iterations = limit.pair;
    def.collide_in_batches = limit.batches;
    check_ok(scene_build_world(scene, &def, &world, &err), err);
    check_ok(nc_world_step(world, 1.0 / 24, &report, &err), err);
    snprintf(text, sizeof text, "row.%d", BOXES - 1);
    check_ok(nc_body_read(world, nc_world_find(world, text), &last, &err), err);
    *last_speed = last.velocity.x;
    nc_world_destroy(world);
    nc_scene_destroy(scene);
    return report;
}

static void one_by_one_goes_to_the_limit_and_batches_end_before(void **state)
{
    (void)state;
    double speed;
    const nc_step_report all = hit_row((limits){200, 4, false}, &speed);
    assert_int_equal(all.collision_passes, BOXES);
    assert_float_equal(speed, 100, 1e-6);
    const nc_step_report few = hit_row((limits){60, 4, false}, &speed);
    assert_int_equal(few.collision_passes, 60);
    const nc_step_report batches = hit_row((limits){200, 4, true}, &speed);
    assert_in_range(batches.collision_passes, 1, 48);
}

static void limits_of_a_pair_are_those_of_the_world(void **state)
{
    (void)state;
    nc_world_def def = nc_world_def_default();
    assert_int_equal(def.pair_collision_iterations, 4);
    assert_int_equal(def.pair_dynamic_iterations, 20);
    // A pair that bounces has one response in a round, however many are allowed: the row is the same.
    double one, four;
    const nc_step_report a = hit_row((limits){200, 1, false}, &one), b = hit_row((limits){200, 4, false}, &four);
    assert_int_equal(a.collisions, b.collisions);
    assert_true(one == four);
}

// Sweeps that a block of boxes needs in its first step, cold.
static int sweeps(bool accelerated)
{
    nc_scene *scene = scene_of(
        "nacre: 1\nworld: {restitution: 0, friction: 0.5, rest_distance: 0.005, contact_iterations: 3000}\n"
        "shapes: {ground: {generate: plane, size: 20}, box: {generate: box}}\n"
        "bodies:\n  - {shape: ground, type: static}\n"
        "  - {shape: box, grid: {count: [5, 6, 5], center: [0, 3.0175, 0], spacing: [1.005, 1.005, 1.005]}}\n");
    nc_error err;
    nc_world *world;
    nc_step_report report;
    nc_world_def def = nc_scene_view(scene).world;
    def.contact_acceleration = accelerated;
    check_ok(scene_build_world(scene, &def, &world, &err), err);
    check_ok(nc_world_step(world, 0.01, &report, &err), err);
    nc_world_destroy(world);
    nc_scene_destroy(scene);
    return report.contact_iterations;
}

static void plain_sweeps_are_more(void **state)
{
    (void)state;
    const int fast = sweeps(true), plain = sweeps(false);
    if (!(plain > fast))
        fail_msg("%d sweeps with acceleration, %d without", fast, plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_by_one_goes_to_the_limit_and_batches_end_before),
        cmocka_unit_test(limits_of_a_pair_are_those_of_the_world),
        cmocka_unit_test(plain_sweeps_are_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
