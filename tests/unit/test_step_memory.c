// What a step asks its allocator for: nothing, once it has seen as many bodies, pairs and contacts as there will be.
#include "check.h"

#include "nacre/nacre.h"

#include "fail_allocator.h"
#include "step/step.h"

#define ROOT NACRE_SOURCE_DIR "/scenes/"

// Twenty-seven boxes, dropped on each other.
static const char *const pile =
    "nacre: 1\n"
    "world: {friction: 0.5, restitution: 0, timestep: 1/60}\n"
    "shapes: {ground: {generate: plane, size: 40}, box: {generate: box, width: 1, height: 0.6, depth: 0.8}}\n"
    "bodies:\n"
    "  - {shape: ground, type: static}\n"
    "  - {shape: box, position: [0, 2, 0], pile: {count: [3, 3, 3], spacing: 1.3}}\n";

typedef struct memory_case {
    const char *name;
    const char *path; // of a scene; NULL: the text
    const char *text;
    int warm_up; // [steps] until contacts have come to as many as there will be
    int steps;   // [steps] that are counted
    bool arcs;   // proposals of several segments are made
    bool sleep;  // bodies may, and do
} memory_case;

static nc_scene *load(const memory_case *c)
{
    const nc_scene_def def = {.path = c->path != NULL ? c->path : "s.yaml",
                              .text = c->text,
                              .text_size = c->text != NULL ? strlen(c->text) : 0};
    nc_scene *scene = NULL;
    nc_error err;
    check_ok(nc_scene_load(&def, &scene, &err), err);
    return scene;
}

// Requests of the steps after the warm-up; the world is of the allocator that counts.
static long requests_of(const memory_case *c, bool *touched)
{
    nc_scene *scene = load(c);
    const double dt = nc_scene_view(scene).timestep;
    fail_allocator memory;
    nc_scene_settings settings = nc_scene_view(scene);
    nc_model model;
    nc_error err;
    settings.world.allocator = fail_allocator_start(&memory, 0);
    settings.world.workers = 1;
    settings.world.sleep = c->sleep;
    check_ok(nc_scene_build(scene, &settings, &model, &err), err);
    nc_world *world = nc_model_world(model);
    for (int k = 0; k < c->warm_up; k++)
        check_ok(nc_world_step(world, dt, NULL, &err), err);
    const long before = memory.calls;
    assert_true(before > 0);
    *touched = false;
    for (int k = 0; k < c->steps; k++) {
        nc_step_report report;
        check_ok(nc_world_step(world, dt, &report, &err), err);
        *touched = *touched || report.final_contacts > 0 || report.sleeping > 0;
    }
    const long requests = memory.calls - before;
    assert_true(((const nc_workspace *)world->workspace)->arcs.near.made == c->arcs);
    nc_world_destroy(world);
    nc_scene_destroy(scene);
    fail_allocator_check_clean(&memory);
    return requests;
}

static void a_step_that_breaks_nothing_allocates_nothing_after_warm_up(void **state)
{
    (void)state;
    const memory_case cases[] = {
        {"a pile of boxes at rest", NULL, pile, 240, 60, false, false},
        {"a pile of boxes that sleeps", NULL, pile, 240, 60, false, true},
        {"a chain", ROOT "tight/chain_sagging_4.yaml", NULL, 60, 100, false, false},
        {"a stack, layer by layer", ROOT "erleben/fig09_stack.yaml", NULL, 60, 100, false, false},
        {"a scale and a crank beside a stack", ROOT "joints/layers.yaml", NULL, 60, 100, false, false},
        {"a scissor lift, advanced in parts", ROOT "tight/scissor_lift.yaml", NULL, 240, 60, true, false},
        {"gears", ROOT "tight/gears.yaml", NULL, 60, 60, false, false},
        {"a gripper of scripted fingers", ROOT "tight/gripper_friction.yaml", NULL, 200, 100, false, false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        bool touched;
        const long requests = requests_of(&cases[k], &touched);
        print_message("%-34s %ld requests in %d steps\n", cases[k].name, requests, cases[k].steps);
        assert_true(touched);
        assert_int_equal(requests, 0);
    }
}

// What a pipeline keeps for the end of its step is of that step alone: after a change of the pipeline the rows of the
// last step, which were fewer, are not read.
static void a_step_begins_without_the_carried_rows_of_another_pipeline(void **state)
{
    (void)state;
    const memory_case c = {.text = pile};
    nc_scene *scene = load(&c);
    nc_model model;
    nc_error err;
    check_ok(nc_scene_build(scene, NULL, &model, &err), err);
    nc_world *world = nc_model_world(model);
    check_ok(nc_world_step(world, 1.0 / 60, NULL, &err), err);
    const nc_workspace *work = world->workspace;
    assert_true(work->carry.rows.count > 0);
    nc_world_def settings = nc_world_settings(world);
    settings.pipeline = NC_PIPELINE_VSP;
    check_ok(nc_world_set_settings(world, &settings, &err), err);
    check_ok(nc_world_step(world, 1.0 / 60, NULL, &err), err);
    work = world->workspace;
    assert_int_equal(work->carry.rows.count, 0);
    nc_model_destroy(model);
    nc_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_begins_without_the_carried_rows_of_another_pipeline),
        cmocka_unit_test(a_step_that_breaks_nothing_allocates_nothing_after_warm_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
