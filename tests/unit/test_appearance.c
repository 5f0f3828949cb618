// Colours and materials: read from scenes, kept in run files, inherited by fragments, and without any effect on motion.
#include "run_fixture.h"
#include "scene_text.h"

static nc_appearance of(const char *color, nc_material material)
{
    nc_appearance out = {.material = (uint8_t)material};
    out.has_color = color != NULL && nc_color_read(color, out.color) ? 1 : 0;
    return out;
}

static void assert_looks(nc_appearance is, const char *color, nc_material material)
{
    const nc_appearance wanted = of(color, material);
    assert_memory_equal(&is, &wanted, sizeof is);
}

static nc_appearance look_of(const nc_world *world, const char *name)
{
    nc_error err;
    nc_body_state state;
    check_ok(nc_body_read(world, nc_world_find(world, name), &state, &err), err);
    return state.appearance;
}

static void colours_are_read_by_name_and_by_digits(void **state)
{
    (void)state;
    uint8_t rgb[3] = {1, 2, 3};
    char text[8];
    int count;
    assert_true(nc_color_read("#FF8001", rgb) && rgb[0] == 255 && rgb[1] == 128 && rgb[2] == 1);
    assert_true(nc_color_read("0a0B0c", rgb) && rgb[0] == 10 && rgb[1] == 11 && rgb[2] == 12);
    for (const char *const *bad = (const char *const[]){"", "#", "#12345", "#1234567", "reddish", "#12345g", NULL};
         *bad != NULL; bad++) {
        assert_false(nc_color_read(*bad, rgb));
        assert_true(rgb[0] == 10 && rgb[1] == 11 && rgb[2] == 12);
    }
    const nc_color_name *list = nc_color_list(&count);
    for (int i = 0; i < count; i++) {
        assert_true(nc_color_read(list[i].name, rgb));
        nc_color_print(rgb, text);
        assert_string_equal(text, list[i].color);
        assert_true(i == 0 || strcmp(list[i - 1].name, list[i].name) < 0);
    }
}

static void every_byte_of_srgb_is_the_nearest_to_its_own_light(void **state)
{
    (void)state;
    for (int i = 0; i < 256; i++) {
        assert_int_equal(nc_color_byte(nc_color_light(i / 255.0)), i);
        assert_true(i == 0 || nc_color_light(i / 255.0) > nc_color_light((i - 1) / 255.0));
    }
    check_near(nc_color_light(0.5), 0.21404114048223255, 1e-12); // IEC 61966-2-1
    assert_int_equal(nc_color_byte(-1), 0);
    assert_int_equal(nc_color_byte(7), 255);
}

static void materials_are_found_by_the_names_of_their_rows(void **state)
{
    (void)state;
    uint8_t rgb[3];
    for (int i = 1; i < NC_MATERIAL_COUNT; i++) {
        const nc_material_info *row = nc_material_view(i);
        assert_int_equal(nc_material_find(row->name), i);
        assert_true(row->color[0] == '\0' || nc_color_read(row->color, rgb));
        const nc_appearance alone = of(NULL, (nc_material)i);
        assert_int_equal(nc_appearance_color(&alone, rgb), row->color[0] != '\0');
    }
    assert_int_equal(nc_material_find(""), NC_MATERIAL_NONE);
    assert_int_equal(nc_material_find("cheese"), NC_MATERIAL_NONE);
    assert_string_equal(nc_material_view(NC_MATERIAL_COUNT)->name, "");
}

#define SCENE                                                                                                          \
    "nacre: 1\n"                                                                                                       \
    "shapes: {plain: {generate: box}, vase: {generate: box, material: glass, color: teal}}\n"                          \
    "bodies:\n"                                                                                                        \
    "  - {name: bare, shape: plain}\n"                                                                                 \
    "  - {name: vase, shape: vase, position: [3, 0, 0]}\n"                                                             \
    "  - {name: blue, shape: vase, position: [6, 0, 0], color: '#0000ff'}\n"                                           \
    "  - {name: part, shape: plain, position: [9, 0, 0], color: [1, 0.5, 0]}\n"                                        \
    "  - {name: group, defaults: {material: metal}, position: [0, 9, 0], bodies: [{name: a, shape: vase}]}\n"

static void a_body_looks_as_its_keys_then_its_shape_say(void **state)
{
    (void)state;
    nc_error err;
    nc_world *world;
    nc_scene *scene = scene_of(SCENE);
    check_ok(scene_build_world(scene, NULL, &world, &err), err);
    assert_looks(look_of(world, "bare"), NULL, NC_MATERIAL_NONE);
    assert_looks(look_of(world, "vase"), "teal", NC_MATERIAL_GLASS);
    assert_looks(look_of(world, "blue"), "#0000ff", NC_MATERIAL_GLASS);
    assert_looks(look_of(world, "part"), "#ff8000", NC_MATERIAL_NONE);
    assert_looks(look_of(world, "group/a"), "teal", NC_MATERIAL_METAL);
    nc_world_destroy(world);
    nc_scene_destroy(scene);
}

static void what_is_no_colour_is_refused_with_its_place(void **state)
{
    (void)state;
    static const char *const bad[] = {"color: '#12'",    "color: [1, 2, 0]",   "color: [1, 0]",
                                      "color: {red: 1}", "color: #ff0000\n  ", "material: cheese"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[256];
        nc_scene *scene = NULL;
        nc_error err;
        snprintf(text, sizeof text, "nacre: 1\nshapes:\n  b: {generate: box, %s}\nbodies: [{shape: b}]\n", bad[i]);
        assert_int_equal(scene_try(text, NULL, 0, &scene, &err), NC_BAD_SCENE);
        assert_non_null(strstr(err.text, i < 5 ? "\"#rrggbb\" in quotes" : "matte, metal, glass") != NULL ||
                                strstr(err.text, "from 0 to 1") != NULL
                            ? err.text
                            : NULL);
        assert_int_equal(err.line,
                         i == 4 ? 4 : 3); // YAML takes the bare # for a comment, and the value is where it ends
    }
}

static void looks_change_no_hash_and_no_snapshot(void **state)
{
    (void)state;
    nc_error err;
    nc_world *plain = fixture_world(4, 5), *painted = fixture_world(4, 5);
    nc_body_id ids[8];
    const int count = nc_world_bodies(painted, ids, 8);
    for (int i = 0; i < count; i++)
        check_ok(nc_body_set_appearance(painted, ids[i], of("red", NC_MATERIAL_WOOD), &err), err);
    for (int step = 0; step < 3; step++) {
        assert_true(nc_world_hash(plain) == nc_world_hash(painted));
        check_ok(nc_world_step(plain, FIXTURE_DT, NULL, &err), err);
        check_ok(nc_world_step(painted, FIXTURE_DT, NULL, &err), err);
    }
    nc_buffer a = nc_buffer_create(NULL), b = nc_buffer_create(NULL);
    check_ok(nc_world_save(plain, &a, &err), err);
    check_ok(nc_world_save(painted, &b, &err), err);
    assert_true(a.size == b.size && memcmp(a.data, b.data, a.size) == 0);
    check_ok(nc_world_restore(painted, a.data, a.size, &err), err); // the bodies of this world keep theirs
    assert_looks(look_of(painted, "tumbler 1"), "red", NC_MATERIAL_WOOD);
    assert_int_equal(nc_body_set_appearance(painted, ids[0], (nc_appearance){.material = 99}, &err), NC_BAD_ARGUMENT);
    assert_int_equal(nc_body_set_appearance(painted, (nc_body_id){77, 1}, of("red", NC_MATERIAL_WOOD), &err),
                     NC_BAD_ARGUMENT);
    nc_buffer_free(&a);
    nc_buffer_free(&b);
    nc_world_destroy(plain);
    nc_world_destroy(painted);
}

// ---- run files ----------------------------------------------------------------------------------------------

static nc_world *painted_world(void)
{
    nc_error err;
    nc_world *world = fixture_world(3, 1);
    check_ok(nc_body_set_appearance(world, nc_world_find(world, "tumbler 0"), of("#123456", NC_MATERIAL_METAL), &err),
             err);
    check_ok(nc_body_set_appearance(world, nc_world_find(world, "tumbler 1"), of(NULL, NC_MATERIAL_PAPER), &err), err);
    check_ok(nc_body_set_appearance(world, nc_world_find(world, "ground"), of("sand", NC_MATERIAL_NONE), &err), err);
    return world;
}

static void assert_stored(nc_run *run, const char *name, const char *color, nc_material material)
{
    nc_error err;
    const int count = fixture_info(run).body_count;
    int found = 0;
    for (int i = 0; i < count; i++) {
        nc_run_body body;
        check_ok(nc_run_read_body(run, i, &body, &err), err);
        if (strcmp(body.name, name) != 0)
            continue;
        assert_looks(body.appearance, color, material);
        found++;
    }
    assert_int_equal(found, 1);
}

static void a_run_keeps_looks_and_gives_them_back_to_a_resumed_world(void **state)
{
    (void)state;
    nc_error err;
    const fixture f = fixture_enter();
    nc_world *world = painted_world(), *resumed;
    nc_run *run = fixture_create(f.path, world);
    fixture_step(world, run);
    fixture_close(run);
    nc_world_destroy(world);
    run = fixture_open(f.path, NC_RUN_APPEND);
    assert_stored(run, "tumbler 0", "#123456", NC_MATERIAL_METAL);
    assert_stored(run, "tumbler 1", NULL, NC_MATERIAL_PAPER);
    assert_stored(run, "tumbler 2", NULL, NC_MATERIAL_NONE);
    assert_stored(run, "ground", "sand", NC_MATERIAL_NONE);
    check_ok(nc_run_verify(run, &err), err);
    check_ok(fixture_restore(run, &resumed, &err), err);
    assert_looks(look_of(resumed, "tumbler 0"), "#123456", NC_MATERIAL_METAL);
    assert_looks(look_of(resumed, "tumbler 1"), NULL, NC_MATERIAL_PAPER);
    assert_looks(look_of(resumed, "tumbler 2"), NULL, NC_MATERIAL_NONE);
    nc_world_destroy(resumed);
    fixture_close(run);
    fixture_leave(&f);
}

static void change(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void a_file_from_before_looks_is_read_and_appended_to(void **state)
{
    (void)state;
    nc_error err;
    const fixture f = fixture_enter();
    nc_world *world = painted_world(), *resumed;
    fixture_close(fixture_create(f.path, world));
    nc_world_destroy(world);
    change(f.path, "drop table appearance");
    nc_run *run = fixture_open(f.path, NC_RUN_READ);
    assert_stored(run, "tumbler 0", NULL, NC_MATERIAL_NONE);
    check_ok(nc_run_verify(run, &err), err);
    fixture_close(run);
    run = fixture_open(f.path, NC_RUN_APPEND); // gets the table
    check_ok(fixture_restore(run, &resumed, &err), err);
    fixture_step(resumed, run);
    assert_stored(run, "tumbler 0", NULL, NC_MATERIAL_NONE);
    nc_world_destroy(resumed);
    fixture_close(run);
    fixture_leave(&f);
}

static void a_changed_look_is_noticed(void **state)
{
    (void)state;
    nc_error err;
    nc_run_body body;
    const fixture f = fixture_enter();
    nc_world *world = painted_world();
    fixture_close(fixture_create(f.path, world));
    nc_world_destroy(world);
    change(f.path, "update appearance set color = '#654321' where color = '#123456'");
    nc_run *run = fixture_open(f.path, NC_RUN_READ);
    assert_int_equal(nc_run_read_body(run, 2, &body, &err), NC_BAD_FILE);
    assert_int_equal(nc_run_verify(run, &err), NC_BAD_FILE);
    fixture_close(run);
    fixture_leave(&f);
}

// ---- fragments ----------------------------------------------------------------------------------------------

#define BREAKS                                                                                                         \
    "nacre: 1\n"                                                                                                       \
    "world: {gravity: [0, 0, 0]}\n"                                                                                    \
    "shapes: {slab: {generate: box, width: 2, height: 0.2, depth: 2}, ball: {generate: box, size: 0.2}}\n"             \
    "bodies:\n"                                                                                                        \
    "  - {name: slab, shape: slab, material: glass, color: cyan, fracture: {threshold: 1, count: 6}}\n"                \
    "  - {name: ball, shape: ball, position: [0.1, 0.4, 0.1], velocity: [0, -9, 0]}\n"

static void fragments_look_as_what_they_came_from(void **state)
{
    (void)state;
    nc_error err;
    nc_world *world;
    nc_step_report report = {0};
    nc_body_id pieces[64];
    nc_scene *scene = scene_of(BREAKS);
    check_ok(scene_build_world(scene, NULL, &world, &err), err);
    for (int i = 0; i < 8 && report.fractures == 0; i++)
        check_ok(nc_world_step(world, FIXTURE_DT, &report, &err), err);
    assert_int_equal(report.fractures, 1);
    const int count = nc_world_fracture_pieces(world, 0, pieces, 64);
    assert_true(count > 1);
    for (int i = 0; i < count; i++) {
        nc_body_state piece;
        check_ok(nc_body_read(world, pieces[i], &piece, &err), err);
        assert_looks(piece.appearance, "cyan", NC_MATERIAL_GLASS);
    }
    nc_world_destroy(world);
    nc_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_are_read_by_name_and_by_digits),
        cmocka_unit_test(every_byte_of_srgb_is_the_nearest_to_its_own_light),
        cmocka_unit_test(materials_are_found_by_the_names_of_their_rows),
        cmocka_unit_test(a_body_looks_as_its_keys_then_its_shape_say),
        cmocka_unit_test(what_is_no_colour_is_refused_with_its_place),
        cmocka_unit_test(looks_change_no_hash_and_no_snapshot),
        cmocka_unit_test(a_run_keeps_looks_and_gives_them_back_to_a_resumed_world),
        cmocka_unit_test(a_file_from_before_looks_is_read_and_appended_to),
        cmocka_unit_test(a_changed_look_is_noticed),
        cmocka_unit_test(fragments_look_as_what_they_came_from),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
