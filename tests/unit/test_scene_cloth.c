// Scenes of cloth: what the keys become, what is refused, and knots that are distinguished.
#include "check.h"
#include "fail_allocator.h"
#include "scene_text.h"

#include "geom/geom.h"

#define PI 3.14159265358979323846

#define HEAD                                                                                                           \
    "nacre: 1\nworld: {pipeline: acm, timestep: 1/24, acm: {thickness: 0.1, stiffness: 500}}\n"                        \
    "shapes: {sheet: {generate: sheet, size: 2, columns: 4, rows: 4}, floor: {generate: plane, size: 9}, "             \
    "grain: {generate: grains, columns: 1, rows: 1}, bight: {generate: reef_bight, segments: 60, strips: 1}}\n"

static nc_scene *load(const char *text)
{
    nc_scene *scene = NULL;
    nc_error err = {0};
    check_ok(scene_try(text, NULL, 0, &scene, &err), err);
    return scene;
}

static nc_cloth_world *build(const nc_scene *scene)
{
    nc_model model;
    nc_error err = {0};
    check_ok(nc_scene_build(scene, NULL, &model, &err), err);
    assert_null(nc_model_world(model));
    return nc_model_cloth(model);
}

static void a_scene_of_cloth_becomes_objects(void **state)
{
    (void)state;
    nc_scene *scene =
        load(HEAD "bodies:\n"
                  "  - {name: ground, shape: floor, type: static, position: [0, -1, 0]}\n"
                  "  - {name: cloth, shape: sheet, type: cloth, position: [0, 1, 0], velocity: [1, 0, 0]}\n"
                  "  - {name: dot, shape: grain, type: cloth, position: [0, 3, 0]}\n");
    const nc_scene_settings view = nc_scene_view(scene);
    assert_true(view.is_cloth);
    check_near(view.cloth_world.frame_dt, 1.0 / 24, 1e-15);
    nc_cloth_world *world = build(scene);
    static const nc_cloth_type types[] = {NC_CLOTH_OBSTACLE, NC_CLOTH_SHEET, NC_CLOTH_PARTICLES};
    static const char *const names[] = {"ground", "cloth", "dot"};
    assert_int_equal(nc_cloth_count(world), 3);
    for (int i = 0; i < 3; i++) {
        nc_cloth_view object;
        nc_error err = {0};
        check_ok(nc_cloth_view_object(world, i, &object, &err), err);
        assert_int_equal(object.type, types[i]);
        assert_string_equal(object.name, names[i]);
    }
    nc_vec3 x[25], v[25];
    nc_error err = {0};
    check_ok(nc_cloth_read(world, 1, x, v, &err), err);
    for (int i = 0; i < 25; i++) {
        check_near(x[i].y, 1, 0);
        check_near(v[i].x, 1, 0);
    }
    nc_cloth_world_destroy(world);
    nc_scene_destroy(scene);
}

static void pins_hold_the_vertices_they_choose_and_no_others(void **state)
{
    (void)state;
    nc_scene *scene =
        load(HEAD "bodies:\n"
                  "  - name: cloth\n    shape: sheet\n    type: cloth\n    position: [5, 0, 0]\n"
                  "    pins: [{low: [-1, -1, -1], high: [-0.9, 1, 1]}, {vertices: [24], velocity: [0, 2, 0]}]\n");
    nc_cloth_world *world = build(scene);
    nc_error err = {0};
    nc_cloth_report report;
    nc_vec3 before[25], after[25];
    check_ok(nc_cloth_read(world, 0, before, NULL, &err), err);
    for (int i = 0; i < 2; i++)
        check_ok(nc_cloth_step(world, &report, &err), err);
    check_ok(nc_cloth_read(world, 0, after, NULL, &err), err);
    for (int i = 0; i < 25; i++) {
        const double fall = after[i].y - before[i].y;
        if (before[i].x - 5 < -0.9)
            check_near(fall, 0, 0);
        else if (i == 24)
            check_near(fall, 2 * 2.0 / 24, 1e-12);
        else if (i != 23 && i != 19)
            assert_true(fall < -1e-3);
    }
    nc_cloth_world_destroy(world);
    nc_scene_destroy(scene);
}

static void wrong_scenes_of_cloth_are_refused_with_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *bodies, *wanted;
    } rows[] = {
        {"bodies: [{shape: sheet}]", "a rigid body that physics moves cannot be in a scene of cloth; allowed with "
                                     "world.pipeline: acm: static, kinematic, cloth"},
        {"bodies: [{shape: floor, type: static, pins: [{vertices: [0]}]}]", "only a body of type cloth has them"},
        {"bodies: [{shape: sheet, type: cloth, spin: [1, 0, 0]}]",
         "a cloth has no such key; see cloth, contact, pins and forces"},
        {"bodies: [{shape: sheet, type: cloth, pins: [{vertices: [25]}]}]",
         "found \"25\"; allowed: a whole number from 0 to 24"},
        {"bodies: [{shape: sheet, type: cloth, pins: [{low: [5, 5, 5], high: [6, 6, 6]}]}]",
         "no vertex of the mesh is in this box"},
        {"bodies: [{shape: sheet, type: cloth, pins: [{low: [5, 5, 5]}]}]", "allowed: vertices, or low and high"},
        {"bodies: [{shape: sheet, type: cloth, forces: [{start: 2, end: 1}]}]", "found end 1 at or before start 2"},
        {"bodies: [{shape: floor, type: kinematic, spin: [0, 1, 0]}]", "turns by keyframes, not by spin"},
        {"bodies: [{shape: grain, type: static}]", "an obstacle needs triangles"},
        {"bodies: [{shape: sheet, type: cloth, cloth: {bend: -1}}]", "found \"-1\"; allowed: a number from 0 to"},
        {"bodies: [{shape: sheet, type: cloth}]\nfilters: [[sheet, sheet]]", "has no filters"},
        {"bodies: [{shape: sheet, type: cloth}]\nexpect: {knots: [{ribbons: a}]}", "there is no body \"a\""},
        {"bodies: [{shape: grain, type: cloth}]\nexpect: {knots: [{ribbons: grain}]}", "\"grain\" is no ribbon"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[2048];
        nc_scene *scene = NULL;
        nc_error err = {0};
        snprintf(text, sizeof text, HEAD "%s", rows[i].bodies);
        if (scene_try(text, NULL, 0, &scene, &err) != NC_BAD_SCENE || strstr(err.text, rows[i].wanted) == NULL ||
            err.line < 4)
            fail_msg("%s\nline %d: %s\nwanted: %s", rows[i].bodies, err.line, err.text, rows[i].wanted);
    }
    nc_scene *scene = NULL;
    nc_error err = {0};
    assert_int_equal(
        scene_try("nacre: 1\nshapes: {s: {generate: sheet}}\nbodies: [{shape: s, type: cloth}]", NULL, 0, &scene, &err),
        NC_BAD_SCENE);
    assert_non_null(strstr(err.text, "cloth needs world.pipeline: acm"));
}

// ---- knots --------------------------------------------------------------------------------------------------

// The torus knot (p, q): p times round the axis, q times round the tube.
static int torus_knot(int p, int q, nc_vec3 *out)
{
    enum { POINTS = 180 };
    for (int i = 0; i < POINTS; i++) {
        const double t = 2 * PI * i / POINTS;
        const double r = 2 + 0.7 * cos(q * t);
        out[i] = nc_v3(r * cos(p * t), r * sin(p * t), 0.7 * sin(q * t));
    }
    return POINTS;
}

static int64_t determinant(const nc_vec3 *points, int count)
{
    int64_t found = 0;
    nc_error err = {0};
    check_ok(nc_knot_determinant(points, count, NULL, &found, &err), err);
    return found;
}

static void determinants_tell_knots_apart(void **state)
{
    (void)state;
    nc_vec3 points[200];
    assert_int_equal(determinant(points, torus_knot(1, 3, points)), 1); // no knot
    assert_int_equal(determinant(points, torus_knot(2, 3, points)), 3); // trefoil
    assert_int_equal(determinant(points, torus_knot(2, 5, points)), 5);
    assert_int_equal(determinant(points, torus_knot(2, 7, points)), 7);
    assert_int_equal(determinant(points, torus_knot(3, 4, points)), 3); // 8_19
    for (int i = 0; i < 180; i++) {                                     // figure eight
        const double t = 2 * PI * i / 180;
        points[i] = nc_v3((2 + cos(2 * t)) * cos(3 * t), (2 + cos(2 * t)) * sin(3 * t), sin(4 * t));
    }
    assert_int_equal(determinant(points, 180), 5);
}

static void linking_numbers_are_whole_and_signed(void **state)
{
    (void)state;
    nc_vec3 a[60], b[60], c[60], d[60];
    for (int i = 0; i < 60; i++) {
        const double t = 2 * PI * i / 60;
        a[i] = nc_v3(cos(t), sin(t), 0);
        b[i] = nc_v3(1 + cos(t), 0, sin(t));
        c[59 - i] = b[i];
        d[i] = nc_v3(5 + cos(t), 0, sin(t));
    }
    const double link = nc_linking_number(a, 60, b, 60);
    check_near(fabs(link), 1, 1e-9);
    check_near(nc_linking_number(a, 60, c, 60), -link, 1e-9);
    check_near(nc_linking_number(a, 60, d, 60), 0, 1e-9);
    check_near(nc_polygon_writhe(a, 60), 0, 1e-9);
    nc_vec3 trefoil[200];
    const double writhe = nc_polygon_writhe(trefoil, torus_knot(2, 3, trefoil));
    assert_true(fabs(writhe) > 3 && fabs(writhe) < 4);
}

static void judge(const char *text, int wanted_failed)
{
    nc_scene *scene = load(text);
    nc_cloth_world *world = build(scene);
    nc_run_summary summary = {.jam_time = 1.5, .jammed = true, .contact_kicks = 7, .deepest_layer = 3};
    nc_buffer lines = nc_buffer_create(NULL);
    nc_error err = {0};
    int failed = -1;
    check_ok(nc_scene_judge(scene, &summary, nc_model_of_cloth(world), &failed, &lines, &err), err);
    if (failed != wanted_failed)
        fail_msg("%d failed, wanted %d:\n%.*s", failed, wanted_failed, (int)lines.size, (const char *)lines.data);
    nc_buffer_free(&lines);
    nc_cloth_world_destroy(world);
    nc_scene_destroy(scene);
}

#define REEF                                                                                                           \
    HEAD "bodies:\n  - {name: a, shape: bight, type: cloth}\n"                                                         \
         "  - {name: b, shape: bight, type: cloth, rotation: {axis: [0, 0, 1], angle: 180}}\n"

static void two_bights_make_a_reef_knot(void **state)
{
    (void)state;
    judge(REEF "expect: {knots: [{ribbons: [a, b], determinant: 9, writhe: {min: -1, max: 1}, linking: {min: -0.01, "
               "max: 0.01}}]}",
          0);
    judge(REEF "expect: {knots: [{ribbons: [a, b], determinant: 1}]}", 1);
    judge(REEF "expect: {knots: [{ribbons: a, determinant: 1}]}", 0);
}

static void expectations_of_cloth_can_be_met_and_can_fail(void **state)
{
    (void)state;
    judge(REEF "expect: {jammed: 1, jam_time: 1.5, contact_kicks: 7, deepest_layer: 3, crossings: 0, bodies: {a: "
               "{lowest: {min: -0.6}, highest: {max: 0.6}, x: {min: -10, max: 10}, speed: 0}}}",
          0);
    judge(REEF "expect: {jammed: 0, jam_time: 1, contact_kicks: 8, deepest_layer: 2, crossings: 1, bodies: {a: "
               "{lowest: {min: 0}, highest: {max: 0}, x: 3, speed: 1}, c: {x: 0}}}",
          10);
}

// ---- shapes -------------------------------------------------------------------------------------------------

static void shapes_for_cloth_do_not_meet_themselves(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        nc_shape_parameter parameters[4];
        int count;
    } rows[] = {
        {"bowline", {{"segments", 100}}, 1},
        {"bowline", {{"segments", 798}, {"strips", 4}, {"width", 1.2}}, 3},
        {"reef_bight", {{"segments", 40}, {"strips", 1}, {"width", 1.6}}, 3},
        {"reef_bight", {{"segments", 312}, {"strips", 16}}, 2},
        {"rabbit", {{"splits", 4}}, 1},
        {"rabbit", {{"splits", 16}}, 1},
        {"nails", {{"columns", 8}}, 1},
        {"sheet", {{"columns", 30}}, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        nc_mesh *mesh = NULL;
        nc_error err = {0};
        int64_t count = -1;
        check_ok(nc_shape_create(rows[i].name, rows[i].parameters, rows[i].count, NULL, &mesh, &err), err);
        const nc_mesh_data data = nc_mesh_view(mesh);
        const nc_element_set set = {.vertices = data.vertices,
                                    .vertex_count = data.vertex_count,
                                    .triangles = data.triangles,
                                    .triangle_count = data.triangle_count};
        check_ok(nc_elements_intersect(&set, NULL, 1, NULL, 0, &count, &err), err);
        if (count != 0)
            fail_msg("%s (row %d): %lld pairs", rows[i].name, (int)i, (long long)count);
        nc_mesh_release(mesh);
    }
}

// ---- memory -------------------------------------------------------------------------------------------------

static nc_code load_build_judge(const nc_allocator *allocator, void *ctx)
{
    const nc_scene_def def = {.path = "s.yaml", .text = ctx, .text_size = strlen(ctx), .allocator = allocator};
    nc_scene *scene = NULL;
    nc_model model = {NULL, NULL};
    nc_error err = {0};
    nc_code code = nc_scene_load(&def, &scene, &err);
    if (code == NC_OK) {
        nc_scene_settings settings = nc_scene_view(scene);
        settings.cloth_world.workers = 1;
        code = nc_scene_build(scene, &settings, &model, &err);
    }
    if (code == NC_OK) {
        const nc_run_summary summary = {0};
        nc_buffer lines = nc_buffer_create(allocator);
        int failed;
        code = nc_scene_judge(scene, &summary, model, &failed, &lines, &err);
        nc_buffer_free(&lines);
    }
    nc_model_destroy(model);
    nc_scene_destroy(scene);
    return code;
}

static void every_failed_allocation_ends_in_a_clean_error(void **state)
{
    (void)state;
    char text[] =
        "nacre: 1\nworld: {pipeline: acm}\n"
        "shapes: {sheet: {generate: sheet, columns: 2, rows: 2}, grain: {generate: grains, columns: 2, rows: 1}}\n"
        "bodies:\n"
        "  - {name: a, shape: sheet, type: cloth, pins: [{vertices: [0, 1]}, {low: [0, -1, 0], high: [1, 1, 1]}], "
        "forces: [{force: [1, 0, 0]}]}\n"
        "  - {shape: grain, type: cloth, position: [0, 1, 0]}\n"
        "  - {shape: sheet, type: kinematic, keyframes: [{time: 0, position: [0, 3, 0]}]}\n"
        "expect: {jammed: 0, bodies: {a: {x: 0}}, knots: [{ribbons: a, determinant: 1}]}\n";
    const long requests = fail_at_every_call(load_build_judge, text);
    print_message("%ld requests\n", requests);
    assert_true(requests > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scene_of_cloth_becomes_objects),
        cmocka_unit_test(pins_hold_the_vertices_they_choose_and_no_others),
        cmocka_unit_test(wrong_scenes_of_cloth_are_refused_with_their_place),
        cmocka_unit_test(determinants_tell_knots_apart),
        cmocka_unit_test(linking_numbers_are_whole_and_signed),
        cmocka_unit_test(two_bights_make_a_reef_knot),
        cmocka_unit_test(expectations_of_cloth_can_be_met_and_can_fail),
        cmocka_unit_test(shapes_for_cloth_do_not_meet_themselves),
        cmocka_unit_test(every_failed_allocation_ends_in_a_clean_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
