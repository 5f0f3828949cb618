// The pipelines as tables: what the runner makes of them, and what a report says of their times.
#include "check.h"

#include "nacre/nacre.h"

#include "scene_text.h"
#include "step/phases.h"

#include <stddef.h>

static const nc_pipeline pipelines[] = {NC_PIPELINE_SHELL, NC_PIPELINE_VSP, NC_PIPELINE_ISP};
#define PIPELINES ((int)(sizeof pipelines / sizeof pipelines[0]))

static void every_pipeline_ends_in_commit_and_names_no_phase_twice(void **state)
{
    (void)state;
    for (int p = 0; p < 2 * PIPELINES; p++) {
        const nc_phase_list phases = nc_step_phases(pipelines[p / 2], p % 2 == 1);
        assert_true(phases.count > 0);
        assert_string_equal(phases.data[phases.count - 1].name, "commit");
        for (int i = 0; i < phases.count; i++)
            for (int j = 0; j < i; j++)
                assert_string_not_equal(phases.data[i].name, phases.data[j].name);
    }
}

// The first column of a phase is that of one of the five phases users know; others are parts of it.
static void every_phase_is_timed_in_one_of_the_five_columns(void **state)
{
    (void)state;
    const size_t five[] = {offsetof(nc_step_report, seconds_collide), offsetof(nc_step_report, seconds_predict),
                           offsetof(nc_step_report, seconds_separate), offsetof(nc_step_report, seconds_settle),
                           offsetof(nc_step_report, seconds_commit)};
    for (int p = 0; p < 2 * PIPELINES; p++) {
        const nc_phase_list phases = nc_step_phases(pipelines[p / 2], p % 2 == 1);
        for (int i = 0; i < phases.count; i++) {
            int found = 0;
            for (size_t k = 0; k < sizeof five / sizeof *five; k++)
                for (int c = 0; c < NC_PHASE_COLUMNS; c++)
                    found += phases.data[i].seconds[c] == five[k];
            assert_int_equal(found, 1);
        }
    }
}

static const char *const two_boxes =
    "nacre: 1\n"
    "shapes: {ground: {generate: plane, size: 10}, box: {generate: box, width: 1, height: 1, depth: 1}}\n"
    "bodies: [{shape: ground, type: static}, {shape: box, position: [0, 0.6, 0]}, "
    "{shape: box, position: [0.2, 1.8, 0]}]\n";

// Phases lie within the step, and the time of a part within that of its phase.
static void times_of_phases_add_up_to_no_more_than_that_of_the_step(void **state)
{
    (void)state;
    nc_scene *scene = scene_of(two_boxes);
    for (int p = 0; p < PIPELINES; p++) {
        nc_scene_settings settings = nc_scene_view(scene);
        nc_model model;
        nc_error err;
        settings.world.pipeline = pipelines[p];
        check_ok(nc_scene_build(scene, &settings, &model, &err), err);
        nc_world *world = nc_model_world(model);
        nc_step_report r;
        double collide = 0, solve = 0, total = 0;
        for (int k = 0; k < 60; k++) {
            check_ok(nc_world_step(world, 0.01, &r, &err), err);
            const double slack = 1e-6; // [s] sums are rounded, and a clock may be set
            check_at_most(r.seconds_collide + r.seconds_predict + r.seconds_separate + r.seconds_settle +
                              r.seconds_commit,
                          r.seconds_total + slack);
            check_at_most(r.seconds_contact, r.seconds_predict + r.seconds_settle + slack);
            check_at_most(r.seconds_solve, r.seconds_contact + slack);
            check_at_most(r.seconds_respond, r.seconds_collide + r.seconds_separate + slack);
            collide += r.seconds_collide;
            total += r.seconds_total;
            solve += r.seconds_solve;
        }
        assert_true(solve > 0);
        // Layers have a step 1 for islands with joints only: without any, it takes as long as looking at the clock.
        assert_true(pipelines[p] == NC_PIPELINE_SHELL ? collide > 0 : collide < 0.1 * total);
        nc_world_destroy(world);
    }
    nc_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pipeline_ends_in_commit_and_names_no_phase_twice),
        cmocka_unit_test(every_phase_is_timed_in_one_of_the_five_columns),
        cmocka_unit_test(times_of_phases_add_up_to_no_more_than_that_of_the_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
