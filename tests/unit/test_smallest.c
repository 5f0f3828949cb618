// What a step reports as the smallest distance: never above the true one, and there for bodies at rest.
#include "check.h"

#include "nacre/nacre.h"

#include "base/base.h"
#include "scene_text.h"

#define MOST 64

// [m] of the nearest pair of bodies that must stay apart.
static double nearest_pair(const nc_world *world)
{
    nc_body_id ids[MOST];
    const int count = nc_world_bodies(world, ids, MOST);
    double nearest = INFINITY;
    nc_error err;
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++) {
            nc_body_state a, b;
            nc_proximity found;
            if (!nc_world_pair_matters(world, ids[i], ids[j]))
                continue;
            check_ok(nc_body_read(world, ids[i], &a, &err), err);
            check_ok(nc_body_read(world, ids[j], &b, &err), err);
            check_ok(nc_mesh_distance(nc_body_mesh(world, ids[i]), a.pose, nc_body_mesh(world, ids[j]), b.pose, &found,
                                      &err),
                     err);
            nearest = fmin(nearest, found.distance);
        }
    return nearest;
}

typedef struct tally {
    int steps, finite;
    double worst; // [1] the least part of the true distance that was reported for a world at rest
} tally;

// Steps the world; checks each report against the distances at the start and at the end of its step.
static void run(const char *text, int steps, tally *sum)
{
    nc_scene *scene = scene_of(text);
    nc_world *world = world_of(scene);
    const double reach = nc_world_settings(world).proximity;
    double before = nearest_pair(world);
    for (int k = 0; k < steps; k++) {
        nc_step_report report;
        nc_error err;
        check_ok(nc_world_step(world, 1.0 / 60, &report, &err), err);
        const double after = nearest_pair(world), true_distance = fmin(before, after);
        sum->steps++;
        if (isinf(report.smallest_distance)) {
            assert_true(true_distance >= reach);
        } else {
            sum->finite++;
            check_at_most(report.smallest_distance, true_distance);
            assert_true(report.smallest_distance > 0);
        }
        if (report.kinetic < 1e-9 && true_distance < reach)
            sum->worst = fmin(sum->worst, report.smallest_distance / true_distance);
        before = after;
    }
    nc_world_destroy(world);
    nc_scene_destroy(scene);
}

static void piles_of_random_bodies_report_no_more_than_the_true_distance(void **state)
{
    (void)state;
    nc_random random = {check_seed("piles", 16071)};
    tally sum = {0, 0, 1};
    const int cases = check_effort(6);
    static const char *const shapes[] = {"boat", "ring", "crate", "ball"};
    for (int k = 0; k < cases; k++) {
        char text[8192];
        int used = snprintf(text, sizeof text,
                            "nacre: 1\nworld: {pipeline: %s, dynamic_iterations: %d}\n"
                            "shapes: {ground: {generate: plane, size: 30}, crate: {generate: box}, "
                            "ball: {generate: sphere, splits: 1, radius: 0.5}, boat: {generate: boat}, "
                            "ring: {generate: ring}}\nbodies:\n  - {shape: ground, type: static}\n",
                            k % 3 == 2 ? "vsp" : "shell", k % 2 == 0 ? 10 : 1);
        for (int i = 0; i < 12; i++)
            used += snprintf(
                text + used, sizeof text - (size_t)used,
                "  - {shape: %s, position: [%.6f, %.6f, %.6f], velocity: [%.3f, %.3f, 0], spin: [%.3f, 1, 0]}\n",
                shapes[nc_random_u64(&random) % 4], nc_random_range(&random, -0.8, 0.8), 1.5 + 2.6 * i,
                nc_random_range(&random, -0.8, 0.8), nc_random_range(&random, -1, 1), nc_random_range(&random, -20, 0),
                nc_random_range(&random, -4, 4));
        run(text, 60, &sum);
    }
    print_message("%d of %d steps had bodies near each other\n", sum.finite, sum.steps);
    assert_true(2 * sum.finite > sum.steps);
}

static void bodies_at_rest_have_a_smallest_distance(void **state)
{
    (void)state;
    tally sum = {0, 0, 1};
    run("nacre: 1\nshapes: {ground: {generate: plane, size: 30}, crate: {generate: box}}\n"
        "bodies: [{shape: ground, type: static}, {shape: crate, position: [0, 0.501, 0]}]\n",
        120, &sum);
    run("nacre: 1\nshapes: {ground: {generate: plane, size: 30}, domino: {generate: box, width: 0.1, height: 1, depth: "
        "0.5}}\n"
        "bodies:\n  - {shape: ground, type: static}\n"
        "  - {shape: domino, wall: {count: [6, 1], spacing: [0.4, 1], base: [0, 0.501, 0]}}\n",
        120, &sum);
    print_message("%d of %d steps; at rest at least %.3f of the true distance is reported\n", sum.finite, sum.steps,
                  sum.worst);
    assert_int_equal(sum.finite, sum.steps);
    assert_true(sum.worst > 0.9 && sum.worst < 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(piles_of_random_bodies_report_no_more_than_the_true_distance),
        cmocka_unit_test(bodies_at_rest_have_a_smallest_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
