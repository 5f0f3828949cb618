// Units of scenes: lengths of a file and of a shape, converted to metres.
#include "check.h"

#include "base/base.h"
#include "nacre/repair.h"
#include "scene/description.h"
#include "scene/scene.h"
#include "scene/units.h"
#include "scene_text.h"
#include "scratch.h"

static const nc_scene_body *body_of(const nc_scene *scene, const char *name)
{
    const int row = nc_scene_find_body(scene, name);
    assert_true(row >= 0);
    return &scene->bodies.data[row];
}

static nc_vec3 size_of(const nc_scene *scene, const char *shape)
{
    for (int i = 0; i < scene->shapes.count; i++)
        if (strcmp(scene->shapes.data[i].name, shape) == 0) {
            const nc_box box = nc_mesh_view(scene->shapes.data[i].mesh).box;
            return nc_sub(box.hi, box.lo);
        }
    fail();
    return nc_v3(0, 0, 0);
}

static void check_vector(nc_vec3 v, double x, double y, double z)
{
    assert_true(v.x == x && v.y == y && v.z == z);
}

// A scene with a length or a velocity in every kind of key, in millimetres and in metres.
#define SCENE(UNITS, A, B, C, D, E, F)                                                                                 \
    "nacre: 1\n" UNITS "world: {rest_distance: " A ", bounds: {low: [" B ", " B ", " B "], high: [" C ", " C ", " C    \
    "]}}\n"                                                                                                            \
    "shapes: {crate: {generate: box, width: " D ", height: " D ", depth: " D ", density: 700}, plate: {generate: "     \
    "box, size: " E ", thickness: " A ", matter: shell}}\n"                                                            \
    "groups: {g: {bodies: [{shape: crate, position: [0, " F ", 0]}]}}\n"                                               \
    "bodies:\n  - {shape: crate, name: a, position: [" D ", " E ", " F "], velocity: [" D ", 0, 0], spin: [1, 2, 3], " \
    "force: [4, 0, 0]}\n"                                                                                              \
    "  - {group: g, position: [" C ", 0, 0], grid: {count: [2, 1, 1], spacing: " C ", jitter: " A ", burst: " E "}}\n" \
    "  - {shape: plate, type: kinematic, keyframes: [{time: 0, position: [0, " B ", 0]}, {time: 1, position: [" F      \
    ", " B ", 0]}]}\n"                                                                                                 \
    "  - {shape: crate, name: row, position: [0, 0, " B "], along: {points: [[0, 0, 0], [" C ", 0, 0]], spacing: " E   \
    "}}\n"                                                                                                             \
    "camera: {position: [0, 0, " C "]}\n"                                                                              \
    "expect: {smallest_distance: {min: " A "}, bodies: {a: {height: {max: " C "}, speed: " D ", position: {near: [0, " \
    "0, " F "], within: " C "}}}}\n"

static void a_scene_in_millimetres_is_the_scene_in_metres(void **state)
{
    (void)state;
    nc_scene *m = scene_of(SCENE("", "0.001", "-10", "5", "0.02", "0.5", "0.7")),
             *mm = scene_of(SCENE("units: mm\n", "1", "-10000", "5e3", "20", "500", "700"));
    assert_int_equal(m->bodies.count, mm->bodies.count);
    for (int i = 0; i < m->bodies.count; i++) {
        const nc_scene_body *a = &m->bodies.data[i], *b = &mm->bodies.data[i];
        check_vector(b->position, a->position.x, a->position.y, a->position.z);
        check_vector(b->velocity, a->velocity.x, a->velocity.y, a->velocity.z);
        check_vector(b->spin, a->spin.x, a->spin.y, a->spin.z);
        check_vector(b->force, a->force.x, a->force.y, a->force.z);
        assert_int_equal(a->keyframe_count, b->keyframe_count);
        for (int k = 0; k < a->keyframe_count; k++)
            assert_true(a->keyframes[k].position.x == b->keyframes[k].position.x);
    }
    check_vector(size_of(mm, "crate"), 0.02, 0.02, 0.02);
    const nc_scene_settings a = nc_scene_view(m), b = nc_scene_view(mm);
    assert_true(a.world.rest_distance == b.world.rest_distance && a.bounds.lo.y == b.bounds.lo.y);
    assert_true(a.world.gravity.y == b.world.gravity.y);
    assert_true(m->expect.smallest_distance.min == mm->expect.smallest_distance.min);
    // The world of both is the same to the bit.
    nc_world *world_a = world_of(m), *world_b = world_of(mm);
    assert_true(nc_world_hash(world_a) == nc_world_hash(world_b));
    nc_world_destroy(world_a);
    nc_world_destroy(world_b);
    // The canonical text is in metres, and reading it again changes nothing.
    assert_null(strstr(b.text, "units"));
    nc_scene *again = scene_of(b.text);
    assert_string_equal(nc_scene_view(again).text, b.text);
    check_vector(body_of(again, "a")->position, 0.02, 0.5, 0.7);
    nc_scene_destroy(m);
    nc_scene_destroy(mm);
    nc_scene_destroy(again);
}

static void every_unit_has_its_length(void **state)
{
    (void)state;
    static const double metres[] = {250, 2.5, 0.25, 6.35, 76.2};
    for (int i = 0; i < NC_UNIT_COUNT; i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "nacre: 1\nunits: %s\nshapes: {s: {generate: box}}\nbodies: [{shape: s, position: "
                 "[250, 0, 0]}]",
                 nc_unit_names[i]);
        nc_scene *scene = scene_of(text);
        assert_true(scene->bodies.data[0].position.x == metres[i]);
        assert_true(nc_unit_from_metres(i, metres[i]) == 250);
        // A size that is not given is 1 m, whatever the unit.
        check_vector(size_of(scene, "s"), 1, 1, 1);
        nc_scene_destroy(scene);
    }
}

static void a_shape_has_a_unit_of_its_own(void **state)
{
    (void)state;
    const char *obj = "v 0 0 0\nv 10 0 0\nv 0 20 0\nv 0 0 30\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    scratch_text("part.obj", obj);
    scratch_text(
        "scene.yaml",
        "nacre: 1\nunits: cm\nshapes:\n  default: {file: part.obj}\n  own: {file: part.obj, unit: mm, scale: 2}\n"
        "  spread: {file: part.obj, unit: mm, scale: [1, 2, 3]}\n  metres: {file: part.obj, unit: m}\n"
        "  made: {generate: box, width: 3, unit: mm}\n  inches: {generate: box, width: 1, unit: in}\n");
    nc_scene *scene = NULL;
    nc_error err = {0};
    const nc_scene_def def = {.path = scratch_path("scene.yaml")};
    check_ok(nc_scene_load(&def, &scene, &err), err);
    check_near(size_of(scene, "default").z, 0.3, 1e-16);
    check_near(size_of(scene, "own").z, 0.06, 1e-16);
    check_near(size_of(scene, "spread").z, 0.09, 1e-16);
    check_near(size_of(scene, "spread").x, 0.01, 1e-16);
    check_near(size_of(scene, "metres").z, 30, 1e-14);
    check_near(size_of(scene, "made").x, 0.003, 1e-18);
    check_near(size_of(scene, "inches").x, 0.0254, 1e-17);
    assert_null(strstr(nc_scene_view(scene).text, "unit"));
    nc_scene_destroy(scene);
}

static void an_included_file_has_its_own_units(void **state)
{
    (void)state;
    scratch_text("parts.yaml",
                 "nacre: 1\nunits: mm\nshapes: {s: {generate: box, size: 100}}\nbodies: [{shape: s, name: "
                 "part, position: [2000, 0, 0]}]");
    scratch_text("top.yaml", "nacre: 1\ninclude: parts.yaml\nunits: ft\nbodies: [{shape: s, name: mine, position: [10, "
                             "0, 0]}]");
    scratch_text("plain.yaml", "nacre: 1\ninclude: parts.yaml\nbodies: [{shape: s, name: mine, position: [10, 0, 0]}]");
    nc_scene *scene = NULL;
    nc_error err = {0};
    nc_scene_def def = {.path = scratch_path("top.yaml")};
    check_ok(nc_scene_load(&def, &scene, &err), err);
    check_near(body_of(scene, "part")->position.x, 2, 0);
    check_near(body_of(scene, "mine")->position.x, 3.048, 1e-15);
    check_near(size_of(scene, "s").y, 0.1, 1e-17);
    nc_scene_destroy(scene);
    def.path = scratch_path("plain.yaml");
    check_ok(nc_scene_load(&def, &scene, &err), err);
    check_near(body_of(scene, "part")->position.x, 2, 0);
    check_near(body_of(scene, "mine")->position.x, 10, 0);
    nc_scene_destroy(scene);
}

// What repair writes for the file is in the file's unit.
static void a_repaired_scene_keeps_its_units(void **state)
{
    (void)state;
    const char *text =
        "nacre: 1\nunits: mm\nshapes: {crate: {generate: box, size: 100}}\nbodies:\n"
        "  - {shape: crate, name: a, type: static}\n  - {shape: crate, name: b, position: [0, 99.5, 0]}\n";
    nc_scene *scene = scene_of(text), *fixed;
    nc_repair repair;
    nc_error err = {0};
    const nc_repair_def def = nc_repair_def_default();
    nc_model model;
    check_ok(nc_scene_build_unchecked(scene, NULL, &model, &err), err);
    check_ok(nc_world_repair(nc_model_world(model), &def, &repair, &err), err);
    nc_model_destroy(model);
    assert_int_equal(repair.move_count, 1);
    nc_buffer whole = nc_buffer_create(NULL);
    assert_true(nc_buffer_append(&whole, text, strlen(text)));
    check_ok(nc_scene_write_moved(scene, &repair, &whole, NULL, &err), err);
    assert_true(nc_buffer_append(&whole, "", 1));
    fixed = scene_of((const char *)whole.data);
    check_near(body_of(fixed, "b")->position.y, 0.0995 + repair.moves[0].travel.y, 1e-16);
    check_near(body_of(fixed, "b")->position.y, 0.1, 0.001);
    nc_world_destroy(world_of(fixed));
    nc_repair_free(&repair);
    nc_buffer_free(&whole);
    nc_scene_destroy(scene);
    nc_scene_destroy(fixed);
}

static void mistakes_with_units_are_named(void **state)
{
    (void)state;
    check_refused("nacre: 1\nunits: km", "s.yaml:2:8: units: found \"km\"; allowed: m, cm, mm, in, ft");
    check_refused("nacre: 1\nshapes: {s: {generate: box, unit: mil}}",
                  "s.yaml:2:35: shapes.s.unit: found \"mil\"; allowed: m, cm, mm, in, ft");
    check_refused("nacre: 1\nunits: mm\nshapes: {s: {generate: box, size: -20}}",
                  "s.yaml:3:35: shapes.s.size: found \"-20\" mm; allowed: a number from 1e-06 to 1000000 [m]");
    check_refused("nacre: 1\nunits: mm\nshapes: {s: {generate: box, size: big}}",
                  "s.yaml:3:35: shapes.s.size: found \"big\"; allowed: a number from 1e-06 to 1000000 [m]");
    const char *text = "nacre: 1\nshapes: {s: {generate: box}}";
    check_override_refused(
        text, "units=mm",
        "override \"units=mm\":1:1: units cannot be overridden: lengths are in metres when overrides "
        "are applied");
    check_override_refused(
        text, "shapes.s.unit=mm",
        "override \"shapes.s.unit=mm\":1:15: shapes.s.unit: a unit cannot be overridden: lengths are "
        "in metres when overrides are applied; set scale");
}

static bool has_note(const nc_scene *scene, const char *words)
{
    for (int i = 0; i < nc_scene_note_count(scene); i++)
        if (strstr(nc_scene_note(scene, i), words) != NULL)
            return true;
    return false;
}

static void what_is_seldom_meant_gets_a_note(void **state)
{
    (void)state;
    nc_scene *scene = scene_of("nacre: 1\nworld: {units: mm}\nshapes: {cube: {generate: box, size: 40}}\nbodies: "
                               "[{shape: cube}]");
    assert_true(has_note(scene, "shape \"cube\": 6.4e+04 t and 69.3 m across: is that meant? If its lengths are in "
                                "another unit, say so in the shape, such as unit: mm"));
    assert_true(has_note(scene, "world.units is a remark and converts nothing; say units: mm at the top"));
    nc_scene_destroy(scene);
    scene = scene_of("nacre: 1\nunits: mm\nworld: {gravity: [0, -9810, 0]}\nshapes: {cube: {generate: box, size: 40}}\n"
                     "bodies: [{shape: cube}]");
    assert_false(has_note(scene, "is that meant? If"));
    assert_true(has_note(scene, "world.gravity is 9810 m/s^2: it is in m/s^2 whatever units says"));
    assert_true(nc_scene_view(scene).world.gravity.y == -9810);
    nc_scene_destroy(scene);
}

static void a_cad_file_gets_a_sentence_that_helps(void **state)
{
    (void)state;
    static const char *const names[] = {"part.step", "part.STP", "part.iges"};
    for (int i = 0; i < 3; i++) {
        nc_mesh *mesh = NULL;
        nc_error err = {0};
        const char *path = scratch_text(names[i], "ISO-10303-21;\nHEADER;\n");
        assert_int_equal(nc_mesh_load(path, NULL, &mesh, NULL, &err), NC_BAD_FILE);
        assert_non_null(strstr(err.text, "which Nacre does not read: export a mesh from the CAD program (STL, OBJ or "
                                         "glTF), and say in which unit it is, such as unit: mm in the shape"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scene_in_millimetres_is_the_scene_in_metres),
        cmocka_unit_test(every_unit_has_its_length),
        cmocka_unit_test(a_shape_has_a_unit_of_its_own),
        cmocka_unit_test(an_included_file_has_its_own_units),
        cmocka_unit_test(a_repaired_scene_keeps_its_units),
        cmocka_unit_test(mistakes_with_units_are_named),
        cmocka_unit_test(what_is_seldom_meant_gets_a_note),
        cmocka_unit_test(a_cad_file_gets_a_sentence_that_helps),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
