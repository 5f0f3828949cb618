// Models: rigid bodies and cloth answer the same questions, and nobody above has to ask which of them it is.
#include "check.h"
#include "scene_text.h"
#include "scratch.h"

#include "nacre/run.h"

#include "model/model.h"
#include "scene/scene.h"

#define DT (1.0 / 24)

static const char box_falls[] = "nacre: 1\n"
                                "world: {timestep: 1/24}\n"
                                "shapes: {ground: {generate: plane, size: 8}, box: {generate: box}}\n"
                                "bodies:\n"
                                "  - {name: ground, shape: ground, type: static}\n"
                                "  - {name: falling, shape: box, position: [0, 1, 0], spin: [1, 2, 3]}\n";

static const char sheet_falls[] =
    "nacre: 1\n"
    "world: {pipeline: acm, timestep: 1/24, acm: {thickness: 0.05}}\n"
    "shapes: {ground: {generate: plane, size: 8}, sheet: {generate: sheet, size: 1, columns: 3, rows: 3}}\n"
    "bodies:\n"
    "  - {name: ground, shape: ground, type: static}\n"
    "  - {name: falling, shape: sheet, type: cloth, position: [0, 0.6, 0]}\n";

static const char *const scenes[] = {box_falls, sheet_falls};
enum { SCENES = 2 };

static nc_model model_of(const char *text)
{
    nc_scene *scene = scene_of(text);
    nc_model model;
    nc_error err = {0};
    check_ok(nc_scene_build(scene, NULL, &model, &err), err);
    nc_scene_destroy(scene);
    return model;
}

static void step(nc_model model, int count)
{
    nc_error err = {0};
    for (int i = 0; i < count; i++)
        check_ok(nc_model_step(model, DT, NULL, &err), err);
}

static void both_models_step_and_report_alike(void **state)
{
    (void)state;
    static const char *const pipelines[SCENES] = {"shell", "acm"};
    for (int i = 0; i < SCENES; i++) {
        const nc_model model = model_of(scenes[i]);
        nc_model_report report, now;
        nc_error err = {0};
        assert_string_equal(nc_model_pipeline(model), pipelines[i]);
        assert_int_equal(nc_model_step_count(model), 0);
        const uint64_t before = nc_model_hash(model);
        step(model, 2);
        check_ok(nc_model_step(model, DT, &report, &err), err);
        assert_int_equal(nc_model_step_count(model), 3);
        assert_true(nc_model_hash(model) != before);
        check_near(nc_model_time(model), 3 * DT, 1e-15);
        assert_int_equal(report.common.step, 3);
        assert_int_equal(report.common.bodies, 2);
        check_near(report.common.time, nc_model_time(model), 0);
        check_near(report.common.dt, DT, 0);
        check_near(nc_model_gravity(model).y, -9.8, 0);
        assert_int_equal(report.has_cloth, i == 1);
        check_ok(nc_model_measure(model, &now, &err), err);
        check_near(now.common.kinetic, report.common.kinetic, 1e-12);
        check_near(now.common.potential, report.common.potential, 1e-12);
        assert_true(isinf(now.common.smallest_distance));
        nc_model_destroy(model);
    }
}

static void bodies_are_placed_by_a_pose_or_vertex_by_vertex(void **state)
{
    (void)state;
    for (int i = 0; i < SCENES; i++) {
        const nc_model model = model_of(scenes[i]);
        nc_body_id ids[3];
        nc_model_body ground, falling;
        nc_vec3 at[16], moving[16];
        nc_error err = {0};
        step(model, 1);
        assert_int_equal(nc_model_bodies(model, ids, 3), 2);
        check_ok(nc_model_read_body(model, ids[0], &ground, &err), err);
        check_ok(nc_model_read_body(model, ids[1], &falling, &err), err);
        assert_string_equal(ground.name, "ground");
        assert_string_equal(falling.name, "falling");
        assert_int_equal(ground.type, NC_STATIC);
        assert_int_equal(falling.type, NC_DYNAMIC);
        assert_true(!ground.cloth && falling.cloth == (i == 1));
        assert_int_equal(falling.vertex_count, i == 1 ? 16 : 0);
        const nc_code code = nc_model_read_vertices(model, ids[1], at, moving, &err);
        assert_int_equal(code, i == 1 ? NC_OK : NC_BAD_ARGUMENT);
        const double height = i == 1 ? at[5].y : falling.pose.x.y, speed = i == 1 ? moving[5].y : falling.velocity.y;
        assert_true(height < (i == 1 ? 0.6 : 1) && speed < -0.3);
        nc_model_destroy(model);
    }
}

static void a_model_goes_on_from_where_it_was_saved_with_the_same_bits(void **state)
{
    (void)state;
    for (int i = 0; i < SCENES; i++) {
        const nc_model model = model_of(scenes[i]);
        nc_buffer bytes = nc_buffer_create(NULL);
        nc_error err = {0};
        step(model, 4);
        const uint64_t saved = nc_model_hash(model);
        check_ok(nc_model_save(model, &bytes, &err), err);
        step(model, 6);
        const uint64_t wanted = nc_model_hash(model);
        check_ok(nc_model_restore(model, bytes.data, bytes.size, &err), err);
        assert_true(nc_model_hash(model) == saved && nc_model_step_count(model) == 4);
        step(model, 6);
        assert_true(nc_model_hash(model) == wanted);
        nc_buffer_free(&bytes);
        nc_model_destroy(model);
    }
}

static void a_model_of_a_world_is_that_world(void **state)
{
    (void)state;
    const nc_model rigid = model_of(box_falls), cloth = model_of(sheet_falls);
    assert_non_null(nc_model_world(rigid));
    assert_null(nc_model_cloth(rigid));
    assert_null(nc_model_world(cloth));
    assert_non_null(nc_model_cloth(cloth));
    assert_true(nc_model_hash(rigid) == nc_world_hash(nc_model_world(rigid)));
    assert_true(nc_model_hash(cloth) == nc_cloth_hash(nc_model_cloth(cloth)));
    assert_ptr_equal(nc_model_of_world(nc_model_world(rigid)).kind, rigid.kind);
    assert_ptr_equal(nc_model_of_cloth(nc_model_cloth(cloth)).self, cloth.self);
    const nc_model none = nc_model_of_world(NULL);
    assert_true(none.kind == NULL && nc_model_world(none) == NULL && nc_model_cloth(none) == NULL);
    nc_model_destroy(none);
    nc_model_destroy(rigid);
    nc_model_destroy(cloth);
}

// Two bodies in one place: listed by the audit with elements of their meshes, and refused by nc_scene_build.
static void a_start_in_which_bodies_cross_is_found_and_refused(void **state)
{
    (void)state;
    static const char *const crossed[SCENES] = {
        "nacre: 1\nshapes: {box: {generate: box}, far: {generate: box}}\n"
        "bodies:\n  - {name: far, shape: far, position: [9, 0, 0]}\n  - {name: a, shape: box}\n"
        "  - {name: b, shape: box, position: [0.5, 0.4, 0.3]}\n",
        "nacre: 1\nworld: {pipeline: acm}\n"
        "shapes: {sheet: {generate: sheet, size: 2, columns: 1, rows: 1}, far: {generate: sheet, size: 2}}\n"
        "bodies:\n  - {name: far, shape: far, type: cloth, position: [9, 9, 9]}\n  - {name: a, shape: sheet, type: "
        "cloth}\n"
        "  - {name: b, shape: sheet, type: cloth, rotation: {axis: [1, 0, 0], angle: 90}, position: [0.1, 0.1, 0]}\n"};
    for (int i = 0; i < SCENES; i++) {
        nc_scene *scene = scene_of(crossed[i]);
        nc_model model;
        nc_model_body a, b;
        nc_overlap found[64];
        nc_error err = {0};
        int count = 0;
        check_ok(nc_scene_build_unchecked(scene, NULL, &model, &err), err);
        check_ok(nc_model_audit(model, found, 64, &count, &err), err);
        assert_true(count > 0 && count <= 64);
        check_ok(nc_model_read_body(model, found[0].a, &a, &err), err);
        check_ok(nc_model_read_body(model, found[0].b, &b, &err), err);
        assert_string_equal(a.name, "a");
        assert_string_equal(b.name, "b");
        for (int k = 0; k < count; k++) // of the meshes of the two, not of the world
            assert_in_range(found[k].where.element_b, 0, 11);
        nc_model_destroy(model);
        assert_int_equal(nc_scene_build(scene, NULL, &model, &err), NC_INTERSECTING);
        assert_null(model.kind);
        assert_int_equal(err.line, i == 0 ? 6 : 7);
        assert_non_null(strstr(err.text, "the scene starts intersecting: triangle"));
        nc_scene_destroy(scene);
    }
}

static void cloth_steps_by_its_own_frames_only(void **state)
{
    (void)state;
    const nc_model model = model_of(sheet_falls);
    nc_error err = {0};
    const uint64_t before = nc_model_hash(model);
    assert_int_equal(nc_model_step(model, 1.0 / 30, NULL, &err), NC_BAD_ARGUMENT);
    assert_true(nc_model_hash(model) == before);
    step(model, 1);
    nc_model_destroy(model);
}

static void a_run_takes_no_model_of_another_kind(void **state)
{
    (void)state;
    const nc_model models[SCENES] = {model_of(box_falls), model_of(sheet_falls)};
    for (int i = 0; i < SCENES; i++) {
        const nc_run_def def = {
            .path = scratch_path("kind.nacre"), .overwrite = true, .timestep = DT, .output_every = 1};
        nc_run *run = NULL;
        nc_run_info info;
        nc_error err = {0};
        check_ok(nc_run_create(&def, models[i], &run, &err), err);
        assert_int_equal(nc_run_append(run, models[1 - i], NULL, 0, &err), NC_BAD_ARGUMENT);
        check_ok(nc_run_read_info(run, &info, &err), err);
        assert_int_equal(info.frame_count, 1);
        assert_true(info.needs_scene == (i == 1) && info.deforms == (i == 1) && info.has_cloth == (i == 1));
        check_ok(nc_run_close(run, &err), err);
    }
    for (int i = 0; i < SCENES; i++)
        nc_model_destroy(models[i]);
}

// Sums follow the rules of the rows, of both tables; what the two have in common stays so.
static void reports_of_several_steps_add_up_by_the_rules_of_their_rows(void **state)
{
    (void)state;
    const nc_model model = model_of(sheet_falls);
    nc_model_report sum, next;
    nc_error err = {0};
    check_ok(nc_model_step(model, DT, &sum, &err), err);
    const nc_model_report first = sum;
    check_ok(nc_model_step(model, DT, &next, &err), err);
    nc_model_report_add(&sum, &next);
    assert_int_equal(sum.common.step, 2);
    assert_int_equal(sum.cloth.frame, 2);
    assert_int_equal(sum.cloth.stretch_events, first.cloth.stretch_events + next.cloth.stretch_events);
    check_near(sum.common.seconds_total, first.common.seconds_total + next.common.seconds_total, 1e-15);
    check_near(sum.cloth.seconds_total, sum.common.seconds_total, 0);
    check_near(sum.cloth.kinetic, next.common.kinetic, 0);
    nc_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_models_step_and_report_alike),
        cmocka_unit_test(bodies_are_placed_by_a_pose_or_vertex_by_vertex),
        cmocka_unit_test(a_model_goes_on_from_where_it_was_saved_with_the_same_bits),
        cmocka_unit_test(a_model_of_a_world_is_that_world),
        cmocka_unit_test(a_start_in_which_bodies_cross_is_found_and_refused),
        cmocka_unit_test(cloth_steps_by_its_own_frames_only),
        cmocka_unit_test(a_run_takes_no_model_of_another_kind),
        cmocka_unit_test(reports_of_several_steps_add_up_by_the_rules_of_their_rows),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
