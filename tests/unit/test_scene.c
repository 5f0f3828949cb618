// Scenes: what is read, what is made of it, includes, overrides, canonical text.
#include "check.h"

#include "fail_allocator.h"
#include "scene_text.h"
#include "scratch.h"

#define CRATE "nacre: 1\nshapes: {crate: {generate: box}}\n"

static void an_empty_scene_has_the_documented_defaults(void **state)
{
    (void)state;
    nc_scene *scene = scene_of("nacre: 1");
    const nc_scene_settings view = nc_scene_view(scene);
    assert_string_equal(view.title, "");
    check_near(view.timestep, 1.0 / 24, 0);
    check_near(view.duration, 10, 0);
    assert_int_equal(view.steps, 240);
    assert_int_equal(view.output_every, 1);
    assert_int_equal(view.seed, 0);
    check_near(view.world.gravity.y, -9.8, 0);
    check_near(view.world.friction, 0.1, 0);
    check_near(view.world.restitution, 0.1, 0);
    assert_true(view.world.energy_fix);
    const nc_world_def def = nc_world_def_default();
    assert_int_equal(view.world.collision_iterations, def.collision_iterations);
    assert_int_equal(view.world.dynamic_iterations, def.dynamic_iterations);
    assert_int_equal(view.world.contact_iterations, def.contact_iterations);
    check_near(view.world.contact_tolerance, def.contact_tolerance, 0);
    assert_false(view.has_expectations);
    nc_world *world = world_of(scene);
    assert_int_equal(nc_world_body_count(world), 0);
    nc_world_destroy(world);
    nc_scene_destroy(scene);
    nc_scene_destroy(NULL);
}

static void every_world_setting_reaches_the_world(void **state)
{
    (void)state;
    nc_scene *scene =
        scene_of("nacre: 1\ntitle: All\nseed: 9\n"
                 "world: {gravity: [1, 2, 3], timestep: 1/60, duration: 2.5, friction: 0.3, "
                 "restitution: 0.4, rest_distance: 0.02, proximity: 0.05, floor_distance: 0.001, "
                 "energy_fix: false, collision_iterations: 0, dynamic_iterations: 7, contact_iterations: 8, "
                 "contact_tolerance: 1e-4, bounds: {low: [-1, -2, -3], high: [1, 2, 3]}, "
                 "output: {frame_rate: 30}, units: SI}\nexpect: {escaped: 0}\n");
    const nc_scene_settings view = nc_scene_view(scene);
    nc_world *world = world_of(scene);
    const nc_world_def def = nc_world_settings(world);
    assert_string_equal(view.title, "All");
    assert_int_equal(view.seed, 9);
    assert_int_equal(view.steps, 150);
    assert_int_equal(view.output_every, 2);
    assert_true(view.has_expectations);
    check_near(def.gravity.x, 1, 0);
    check_near(def.gravity.z, 3, 0);
    check_near(def.friction, 0.3, 0);
    check_near(def.restitution, 0.4, 0);
    check_near(def.rest_distance, 0.02, 0);
    check_near(def.proximity, 0.05, 0);
    check_near(def.floor_distance, 0.001, 0);
    assert_false(def.energy_fix);
    assert_int_equal(def.collision_iterations, 0);
    assert_int_equal(def.dynamic_iterations, 7);
    assert_int_equal(def.contact_iterations, 8);
    check_near(def.contact_tolerance, 1e-4, 0);
    check_near(view.bounds.lo.y, -2, 0);
    check_near(view.bounds.hi.z, 3, 0);
    nc_world_destroy(world);
    nc_scene_destroy(scene);
}

// Not 3 times the rounded 1/5, which is another number.
static void a_fraction_is_divided_once(void **state)
{
    (void)state;
    nc_scene *scene = scene_of("nacre: 1\nworld: {timestep: 3/5, restitution: 0.5/0.8}");
    check_near(nc_scene_view(scene).timestep, 3.0 / 5.0, 0);
    check_near(nc_scene_view(scene).world.restitution, 0.5 / 0.8, 0);
    nc_scene_destroy(scene);
}

static void steps_reach_the_duration_whatever_the_rounding(void **state)
{
    (void)state;
    static const struct {
        const char *world;
        int64_t steps;
    } rows[] = {{"{timestep: 0.1, duration: 0.3}", 3},  {"{timestep: 1/24, duration: 10}", 240},
                {"{timestep: 0.1, duration: 0.31}", 4}, {"{timestep: 1/3, duration: 1}", 3},
                {"{timestep: 1e-3, duration: 0}", 0},   {"{timestep: 1/60, duration: 1000}", 60000}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, "nacre: 1\nworld: %s", rows[i].world);
        nc_scene *scene = scene_of(text);
        assert_int_equal(nc_scene_view(scene).steps, rows[i].steps);
        nc_scene_destroy(scene);
    }
}

// Of three dynamic boxes the smallest has edges of 1 and the largest of 7. The static ones do not count.
static void distances_come_from_the_diagonals_of_dynamic_bodies(void **state)
{
    (void)state;
    nc_scene *scene =
        scene_of("nacre: 1\nshapes: {a: {generate: box}, b: {generate: box, size: 2}, "
                 "c: {generate: box, size: 7}}\n"
                 "bodies: [{shape: a}, {shape: b, position: [10, 0, 0]}, {shape: c, position: [20, 0, 0]}, "
                 "{shape: c, type: static, position: [40, 0, 0]}, "
                 "{shape: c, type: static, position: [60, 0, 0]}]\n");
    const nc_world_def world = nc_scene_view(scene).world;
    check_near(world.rest_fraction, 0.001, 0);
    check_near(world.rest_distance, 0.001 * 7 * sqrt(3.0), 1e-15);
    check_near(world.proximity, 4 * world.rest_distance, 0);
    check_near(world.floor_distance, 0.001 * sqrt(3.0) / 32, 1e-17);
    nc_scene_destroy(scene);
}

static nc_body_state state_of(const nc_world *world, const char *name)
{
    nc_body_state state;
    nc_error err = {0};
    const nc_code code = nc_body_read(world, nc_world_find(world, name), &state, &err);
    if (code != NC_OK)
        print_error("no body \"%s\"\n", name);
    check_ok(code, err);
    return state;
}

static void a_body_takes_every_key_it_is_given(void **state)
{
    (void)state;
    nc_scene *scene = scene_of(CRATE "world: {gravity: [0, 0, 0]}\n"
                                     "bodies: [{name: b, shape: crate, position: [1, 2, 3], velocity: [4, 5, 6], "
                                     "spin: [0.1, 0.2, 0.3], friction: 0.7, restitution: 0.6, density: 2, "
                                     "force: [2, 0, 0], torque: [0, 1, 0], rotation: {axis: [0, 0, 2], angle: 90}}]\n");
    nc_world *world = world_of(scene);
    nc_body_state body = state_of(world, "b");
    check_near(body.pose.x.y, 2, 1e-12);
    check_near(body.velocity.z, 6, 0);
    check_near(body.spin.y, 0.2, 1e-12);
    check_near(body.friction, 0.7, 0);
    check_near(body.restitution, 0.6, 0);
    check_near(body.mass, 2, 1e-12);
    const nc_vec3 x = nc_mat3_mul(nc_quat_matrix(body.pose.q), nc_v3(1, 0, 0));
    check_near(x.y, 1, 1e-15);
    nc_error err = {0};
    check_ok(nc_world_step(world, 0.5, NULL, &err), err);
    body = state_of(world, "b");
    check_near(body.velocity.x, 4.5, 1e-12);
    assert_true(body.angular_momentum.y > 0.5 * 0.2 / 3);
    nc_world_destroy(world);
    nc_scene_destroy(scene);
}

static void euler_turns_about_x_then_y_then_z(void **state)
{
    (void)state;
    nc_scene *scene = scene_of(CRATE "bodies: [{shape: crate, rotation: {euler: [90, 90, 0]}}]");
    nc_world *world = world_of(scene);
    const nc_mat3 r = nc_quat_matrix(state_of(world, "crate").pose.q);
    // y goes to z by the first turn and on to x by the second.
    check_near(nc_mat3_mul(r, nc_v3(0, 1, 0)).x, 1, 1e-15);
    nc_world_destroy(world);
    nc_scene_destroy(scene);
}

static void mass_keys_of_a_body_go_before_those_of_its_shape(void **state)
{
    (void)state;
    nc_scene *scene =
        scene_of("nacre: 1\nshapes: {s: {generate: box, mass: 5}, p: {generate: plane, area_density: 3}}\n"
                 "bodies: [{name: a, shape: s}, {name: b, shape: s, density: 2, position: [3, 0, 0]}, "
                 "{name: c, shape: s, mass: 7, position: [6, 0, 0]}, "
                 "{name: d, shape: p, position: [9, 0, 0]}, "
                 "{name: e, shape: p, density: 100, thickness: 0.5, position: [12, 0, 0]}, "
                 "{name: f, shape: s, matter: shell, area_density: 1, position: [15, 0, 0]}, "
                 "{name: g, shape: s, mass: 1, inertia: [1, 2, 3], position: [18, 0, 0], spin: [0, 1, 0]}]");
    nc_world *world = world_of(scene);
    check_near(state_of(world, "a").mass, 5, 1e-12);
    check_near(state_of(world, "b").mass, 2, 1e-12);
    check_near(state_of(world, "c").mass, 7, 1e-12);
    check_near(state_of(world, "d").mass, 3, 1e-12);
    check_near(state_of(world, "e").mass, 50, 1e-12);
    check_near(state_of(world, "f").mass, 6, 1e-12);
    check_near(state_of(world, "g").angular_momentum.y, 2, 1e-12);
    nc_world_destroy(world);
    nc_scene_destroy(scene);
}

static void scale_stretches_a_mesh(void **state)
{
    (void)state;
    nc_scene *scene =
        scene_of("nacre: 1\nshapes: {s: {generate: box, scale: [1, 2, 3]}, t: {generate: box, scale: 2}}\n"
                 "bodies: [{shape: s}, {shape: t, position: [9, 0, 0]}]");
    nc_world *world = world_of(scene);
    check_near(state_of(world, "s").mass, 6000, 1e-9);
    check_near(state_of(world, "t").mass, 8000, 1e-9);
    nc_world_destroy(world);
    nc_scene_destroy(scene);
}

static void notes_say_what_mass_was_taken(void **state)
{
    (void)state;
    nc_scene *scene = scene_of("nacre: 1\nworld: {rest_distance: 0.01}\n"
                               "shapes: {plate: {generate: plane, thickness: 0.02, density: 500}}\n"
                               "bodies: [{shape: plate}]");
    assert_int_equal(nc_scene_note_count(scene), 1);
    assert_string_equal(nc_scene_note(scene, 0),
                        "shape \"plate\": open, 2 triangles, shell: 500 kg/m^3, 0.02 m thick, 10 kg");
    assert_string_equal(nc_scene_note(scene, 1), "");
    nc_scene_destroy(scene);
}

// ---- text ---------------------------------------------------------------------------------------------------

static const char *const sample =
    "# comment\n"
    "nacre: 1\n"
    "title: \"quotes \\\" and \\\\ and a tab\\t, \xc3\xa9 \\u2028 \\u0085 \\x07 \\ufeff \xf0\x9f\x98\x80 \\n end\"\n"
    "seed: 12\n"
    "world: {timestep: 1/30, duration: 1, gravity: [0, -9.80, 0]}\n"
    "shapes:\n  crate: {generate: box, size: .5}\n  ball: {generate: sphere, splits: 2}\n"
    "groups: {pair: {bodies: [{shape: crate}, {shape: ball, position: [0, 2, 0]}]}}\n"
    "bodies:\n"
    "  - {shape: crate, pile: {count: [2, 2, 2], spacing: 2, jitter: 0.1, spin_jitter: 2}}\n"
    "  - {group: pair, name: left, position: [10, 0, 0], rotation: {euler: [10, 20, 30]}}\n"
    "filters: [['crate.*', left/ball]]\n"
    "expect: {escaped: 0, bodies: {'crate.*': {speed: {max: 3}}}}\n";

static uint64_t hash_of(const nc_scene *scene)
{
    nc_world *world = world_of(scene);
    const uint64_t hash = nc_world_hash(world);
    nc_world_destroy(world);
    return hash;
}

static void canonical_text_loads_to_the_same_scene_and_the_same_text(void **state)
{
    (void)state;
    nc_scene *first = scene_of(sample);
    const nc_scene_settings view = nc_scene_view(first);
    nc_scene *second = scene_of(view.text);
    assert_string_equal(nc_scene_view(second).text, view.text);
    assert_string_equal(nc_scene_view(second).title, view.title);
    assert_true(hash_of(first) == hash_of(second));
    assert_null(strstr(view.text, "comment"));
    nc_scene_destroy(first);
    nc_scene_destroy(second);
}

static void json_is_read_like_yaml(void **state)
{
    (void)state;
    nc_scene *yaml = scene_of(CRATE "bodies: [{shape: crate, position: [1, 2, 3]}]");
    nc_scene *json =
        scene_of("{\"nacre\":1,\n\t\"shapes\":{\"crate\":{\"generate\":\"box\"}},"
                 "\"bodies\":[{\"shape\":\"crate\",\"position\":[1,2.0,\"6/2\"]}],\"title\":\"a\\/\\u00e9\"}");
    assert_string_equal(nc_scene_view(json).title, "a/\xc3\xa9");
    assert_true(hash_of(yaml) == hash_of(json));
    nc_scene_destroy(yaml);
    nc_scene_destroy(json);
}

// The two things in which JSON is not libyaml's YAML, as the documentation says.
static void surrogate_pairs_and_keys_over_1024_letters_are_refused(void **state)
{
    (void)state;
    check_refused("{\"nacre\": 1, \"title\": \"\\ud83d\\ude00\"}",
                  "s.yaml:1:26: this is not YAML: found invalid Unicode character escape code while parsing a quoted "
                  "scalar");
    char text[1200] = "{\"nacre\": 1, \"";
    const size_t start = strlen(text);
    memset(text + start, 'k', 1030);
    snprintf(text + start + 1030, sizeof text - start - 1030, "\": 2}");
    nc_scene *scene = NULL;
    nc_error err;
    assert_int_equal(scene_try(text, NULL, 0, &scene, &err), NC_BAD_SCENE);
    assert_non_null(strstr(err.text, "this is not YAML"));
}

// ---- overrides ----------------------------------------------------------------------------------------------

static void overrides_change_add_and_take_out(void **state)
{
    (void)state;
    static const char *const overrides[] = {
        "world.timestep=1/50", "world.output.every=5",  "bodies.0.position=[7, 0, 0]",
        "bodies.b.mass=3",     "bodies.1.name=renamed", "expect=",
        "title='new: title'",  "shapes.crate.size= 2 ",
    };
    nc_scene *scene = NULL;
    nc_error err;
    const char *text = CRATE "expect: {escaped: 0}\nbodies: [{shape: crate, name: a}, "
                             "{shape: crate, name: b, position: [-9, 0, 0]}]";
    check_ok(scene_try(text, overrides, 8, &scene, &err), err);
    const nc_scene_settings view = nc_scene_view(scene);
    check_near(view.timestep, 0.02, 0);
    assert_int_equal(view.output_every, 5);
    assert_false(view.has_expectations);
    assert_string_equal(view.title, "new: title");
    nc_world *world = world_of(scene);
    check_near(state_of(world, "a").pose.x.x, 7, 1e-12);
    check_near(state_of(world, "a").mass, 8000, 1e-9);
    check_near(state_of(world, "renamed").mass, 3, 1e-12);
    nc_world_destroy(world);
    nc_scene *again = scene_of(view.text);
    assert_true(hash_of(again) == hash_of(scene));
    nc_scene_destroy(again);
    nc_scene_destroy(scene);
}

// ---- includes -----------------------------------------------------------------------------------------------

static nc_scene *load(const char *path)
{
    const nc_scene_def def = {.path = path};
    nc_scene *scene = NULL;
    nc_error err = {0};
    check_ok(nc_scene_load(&def, &scene, &err), err);
    return scene;
}

static void make_parts(void)
{
    char folder[128];
    snprintf(folder, sizeof folder, "mkdir -p '%s/parts/meshes'", scratch_folder);
    assert_int_equal(system(folder), 0);
    scratch_text("parts/meshes/tri.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    scratch_text("parts/shapes.yaml", "nacre: 1\nshapes: {tri: {file: meshes/tri.obj}, crate: {generate: box}}\n");
    scratch_text("parts/base.yaml",
                 "nacre: 1\ntitle: base\ninclude: shapes.yaml\nworld: {timestep: 1/10, duration: 1}\n"
                 "bodies: [{shape: crate, name: below}]\nexpect: {escaped: 0, steps: 10}\n");
}

static void what_a_file_says_goes_over_what_it_includes(void **state)
{
    (void)state;
    make_parts();
    nc_scene *scene =
        load(scratch_text("top.yaml", "nacre: 1\ninclude: [parts/base.yaml, parts/shapes.yaml]\nworld: {duration: 2}\n"
                                      "shapes: {crate: {generate: box, size: 2}}\n"
                                      "bodies: [{shape: tri, position: [0, 5, 0]}]\nexpect: {steps: 20}\n"));
    const nc_scene_settings view = nc_scene_view(scene);
    assert_string_equal(view.title, "base");
    assert_int_equal(view.steps, 20);
    nc_world *world = world_of(scene);
    assert_int_equal(nc_world_body_count(world), 2);
    check_near(state_of(world, "below").mass, 8000, 1e-9);
    assert_non_null(strstr(view.text, "\"file\": \"parts/meshes/tri.obj\""));
    assert_null(strstr(view.text, "include"));
    nc_world_destroy(world);
    // The canonical text stands alone, read under the same path.
    const char *path = scratch_path("top.yaml");
    const nc_scene_def def = {.path = path, .text = view.text, .text_size = strlen(view.text)};
    nc_scene *again = NULL;
    nc_error err = {0};
    check_ok(nc_scene_load(&def, &again, &err), err);
    assert_true(hash_of(again) == hash_of(scene));
    nc_scene_destroy(again);
    nc_scene_destroy(scene);
}

static void a_cycle_of_includes_is_named(void **state)
{
    (void)state;
    scratch_text("a.yaml", "nacre: 1\ninclude: b.yaml\n");
    scratch_text("b.yaml", "nacre: 1\ninclude:\n  - ./a.yaml\n");
    const nc_scene_def def = {.path = scratch_path("a.yaml")};
    nc_scene *scene = NULL;
    nc_error err = {0};
    assert_int_equal(nc_scene_load(&def, &scene, &err), NC_BAD_SCENE);
    assert_non_null(strstr(err.text, "a.yaml\" includes itself, through the files in between"));
    assert_non_null(strstr(err.file, "b.yaml"));
    assert_int_equal(err.line, 3);
    assert_int_equal(err.column, 5);
}

static void errors_of_an_included_file_name_that_file(void **state)
{
    (void)state;
    scratch_text("bad.yaml", "nacre: 1\nshapes:\n  a: {generate: box, sise: 1}\n");
    const nc_scene_def def = {.path = scratch_text("good.yaml", "nacre: 1\ninclude: bad.yaml\n")};
    nc_scene *scene = NULL;
    nc_error err = {0};
    assert_int_equal(nc_scene_load(&def, &scene, &err), NC_BAD_SCENE);
    assert_non_null(strstr(err.file, "/bad.yaml"));
    assert_int_equal(err.line, 3);
    assert_int_equal(err.column, 22);
}

static void errors_of_a_mesh_file_name_its_line(void **state)
{
    (void)state;
    scratch_text("broken.obj", "v 0 0 0\nf 1 2 3\n");
    const nc_scene_def def = {.path = scratch_text("mesh.yaml", "nacre: 1\nshapes: {a: {file: broken.obj}}\n")};
    nc_scene *scene = NULL;
    nc_error err = {0};
    assert_int_equal(nc_scene_load(&def, &scene, &err), NC_BAD_FILE);
    assert_non_null(strstr(err.file, "broken.obj"));
    assert_int_equal(err.line, 2);
}

// ---- memory -------------------------------------------------------------------------------------------------

static nc_code load_build_judge(const nc_allocator *allocator, void *ctx)
{
    const char *overrides[] = {"world.duration=1/2"};
    const nc_scene_def def = {.path = ctx, .overrides = overrides, .override_count = 1, .allocator = allocator};
    nc_scene *scene = NULL;
    nc_world *world = NULL;
    nc_error err = {0};
    nc_code code = nc_scene_load(&def, &scene, &err);
    if (code == NC_OK) {
        nc_world_def settings = nc_scene_view(scene).world;
        settings.workers = 1;
        code = scene_build_world(scene, &settings, &world, &err);
    }
    if (code == NC_OK) {
        const nc_run_summary summary = {0};
        nc_buffer lines = nc_buffer_create(allocator);
        int failed;
        code = nc_scene_judge(scene, &summary, nc_model_of_world(world), &failed, &lines, &err);
        nc_buffer_free(&lines);
    }
    nc_world_destroy(world);
    nc_scene_destroy(scene);
    return code;
}

static void every_failed_allocation_ends_in_a_clean_error(void **state)
{
    (void)state;
    make_parts();
    char path[160];
    snprintf(path, sizeof path, "%s",
             scratch_text("memory.yaml",
                          "nacre: 1\ninclude: parts/base.yaml\n"
                          "groups: {two: {bodies: [{shape: tri}]}}\n"
                          "bodies:\n  - {shape: crate, position: [9, 0, 0], grid: {count: [2, 1, 1], spacing: 3}}\n"
                          "  - {group: two, position: [0, 9, 0]}\n"
                          "  - {shape: crate, type: kinematic, keyframes: [{time: 0, position: [0, 20, 0]}]}\n"
                          "filters: [[below, 'crate.*']]\n"
                          "expect: {escaped: 0, bodies: {below: {speed: 0}}}\n"));
    const long requests = fail_at_every_call(load_build_judge, path);
    print_message("%ld requests\n", requests);
    assert_true(requests > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_scene_has_the_documented_defaults),
        cmocka_unit_test(every_world_setting_reaches_the_world),
        cmocka_unit_test(a_fraction_is_divided_once),
        cmocka_unit_test(steps_reach_the_duration_whatever_the_rounding),
        cmocka_unit_test(distances_come_from_the_diagonals_of_dynamic_bodies),
        cmocka_unit_test(a_body_takes_every_key_it_is_given),
        cmocka_unit_test(euler_turns_about_x_then_y_then_z),
        cmocka_unit_test(mass_keys_of_a_body_go_before_those_of_its_shape),
        cmocka_unit_test(scale_stretches_a_mesh),
        cmocka_unit_test(notes_say_what_mass_was_taken),
        cmocka_unit_test(canonical_text_loads_to_the_same_scene_and_the_same_text),
        cmocka_unit_test(json_is_read_like_yaml),
        cmocka_unit_test(surrogate_pairs_and_keys_over_1024_letters_are_refused),
        cmocka_unit_test(overrides_change_add_and_take_out),
        cmocka_unit_test(what_a_file_says_goes_over_what_it_includes),
        cmocka_unit_test(a_cycle_of_includes_is_named),
        cmocka_unit_test(errors_of_an_included_file_name_that_file),
        cmocka_unit_test(errors_of_a_mesh_file_name_its_line),
        cmocka_unit_test(every_failed_allocation_ends_in_a_clean_error),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
