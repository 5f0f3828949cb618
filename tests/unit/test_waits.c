// Scripted bodies that wait: for whom, in every step, each of them by itself.
#include "check.h"

#include "nacre/nacre.h"

#include "scene_text.h"

// Two grips far from each other: jaws that close on a crate each; the second has one jaw and a wall.
static const char grips[] =
    "nacre: 1\n"
    "world: {gravity: [0, 0, 0], timestep: 1/60}\n"
    "shapes: {crate: {generate: box}, jaw: {generate: box, width: 0.2}}\n"
    "bodies:\n"
    "  - {name: cup, shape: crate}\n"
    "  - {name: left, shape: jaw, type: kinematic, position: [-0.7, 0, 0], velocity: [1, 0, 0]}\n"
    "  - {name: right, shape: jaw, type: kinematic, position: [0.7, 0, 0], velocity: [-1, 0, 0]}\n"
    "  - {name: can, shape: crate, position: [50, 0, 0]}\n"
    "  - {name: wall, shape: jaw, type: static, position: [49.3, 0, 0]}\n"
    "  - {name: piston, shape: jaw, type: kinematic, position: [50.7, 0, 0], velocity: [-1, 0, 0]}\n"
    "  - {name: free, shape: jaw, type: kinematic, position: [0, 20, 0], velocity: [1, 0, 0]}\n";
enum { CUP, LEFT, RIGHT, CAN, WALL, PISTON, FREE, BODIES };

static void check_blocker(const nc_world *world, const nc_body_id *ids, int body, int by)
{
    const nc_body_id found = nc_body_blocker(world, ids[body]);
    assert_int_equal(found.generation, by < 0 ? 0 : ids[by].generation);
    if (by >= 0)
        assert_int_equal(found.index, ids[by].index);
}

static void everybody_who_waits_is_told_with_whom_it_waits_for(void **state)
{
    (void)state;
    nc_scene *scene = scene_of(grips);
    nc_world *world = world_of(scene);
    nc_body_id ids[BODIES];
    nc_error err = {0};
    nc_step_report report = {0};
    assert_int_equal(nc_world_bodies(world, ids, BODIES), BODIES);
    for (int i = 0; i < BODIES; i++)
        check_blocker(world, ids, i, -1); // nothing was stepped
    check_ok(nc_world_step(world, 1.0 / 60, &report, &err), err);
    for (int i = 0; i < BODIES; i++)
        check_blocker(world, ids, i, -1); // there is still room
    int step = 0;
    while (step++ < 60 && report.stalls < 3)
        check_ok(nc_world_step(world, 1.0 / 60, &report, &err), err);
    assert_int_equal(report.stalls, 3);
    const int by[BODIES] = {-1, CUP, CUP, -1, -1, CAN, -1};
    for (int i = 0; i < BODIES; i++)
        check_blocker(world, ids, i, by[i]);
    // Handles that are stale wait for nobody, and a body that is made ends what is known of the last step.
    check_ok(nc_body_destroy(world, ids[FREE], &err), err);
    check_blocker(world, ids, FREE, -1);
    check_blocker(world, ids, LEFT, -1);
    nc_world_destroy(world);
    nc_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everybody_who_waits_is_told_with_whom_it_waits_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
