// One table of settings: every row of nacre/settings.def and nacre/cloth_settings.def is a field, a key of scenes, part
// of snapshots, checked, and read by the pipelines it names and no other.
#include "check.h"

#include "nacre/nacre.h"

#include "cloth/world.h"
#include "scene/keys.h"
#include "scene_text.h"
#include "world/world.h"

static size_t size_of(const nc_setting *row)
{
    return row->kind == NC_SETTING_VECTOR ? sizeof(nc_vec3)
           : row->kind == NC_SETTING_FLAG ? sizeof(bool)
           : nc_setting_is_whole(row)     ? sizeof(int)
                                          : sizeof(double);
}

// An allowed value that is not the one there.
static double other_value(const nc_setting *row, const void *settings, int k)
{
    const double value = nc_setting_value(row, settings, k);
    if (row->kind == NC_SETTING_FLAG)
        return value == 0;
    if (row->kind == NC_SETTING_CHOICE)
        return value == row->high ? 0 : value + 1;
    if (row->kind == NC_SETTING_WHOLE)
        return value + 1;
    if (row->kind == NC_SETTING_VECTOR)
        return value / 2 + 0.25;
    const double more = value > 0 ? 1.5 * value : 0.25;
    return more <= row->high ? more : 0.5 * value;
}

static void *changed(const nc_setting *row, void *settings)
{
    for (int k = 0; k < nc_setting_parts(row); k++)
        nc_setting_write(row, settings, k, other_value(row, settings, k));
    return settings;
}

static bool same(const nc_setting *row, const void *a, const void *b)
{
    bool equal = true;
    for (int k = 0; k < nc_setting_parts(row); k++)
        equal = equal && nc_setting_value(row, a, k) == nc_setting_value(row, b, k);
    return equal;
}

// The value as a scene writes it.
static const char *text_of(const nc_setting *row, const void *settings, char out[96])
{
    const double value = nc_setting_value(row, settings, 0);
    if (row->kind == NC_SETTING_VECTOR)
        snprintf(out, 96, "[%.17g, %.17g, %.17g]", value, nc_setting_value(row, settings, 1),
                 nc_setting_value(row, settings, 2));
    else if (row->kind == NC_SETTING_CHOICE)
        snprintf(out, 96, "%s", row->choices[(int)value]);
    else if (row->kind == NC_SETTING_FLAG)
        snprintf(out, 96, "%s", value != 0 ? "true" : "false");
    else
        snprintf(out, 96, "%.17g", value);
    return out;
}

// A scene with nothing but the setting: "vsp.weight" is a key of world.vsp, settings of cloth of world.acm.
static void scene_with(const nc_setting *row, bool cloth, const char *value, char out[256])
{
    const char *dot = strchr(row->name, '.');
    if (cloth)
        snprintf(out, 256, "nacre: 1\nworld: {pipeline: acm, acm: {%s: %s}}", row->name, value);
    else if (dot != NULL)
        snprintf(out, 256, "nacre: 1\nworld: {%.*s: {%s: %s}}", (int)(dot - row->name), row->name, dot + 1, value);
    else
        snprintf(out, 256, "nacre: 1\nworld: {%s: %s}", row->name, value);
}

// Of the rows of cloth, those that are keys of world.acm; gravity and frame_dt are world.gravity and world.timestep.
static bool is_frame(const nc_setting *row)
{
    return strcmp(row->name, "gravity") == 0 || strcmp(row->name, "frame_dt") == 0;
}

// ---- the structs --------------------------------------------------------------------------------------------

// Rows cover [0, end) of a struct: no field lies between them, only padding. (A field that hides in the padding at the
// end of nc_vsp_def is not seen.)
static void check_cover(const nc_setting *rows, int count, size_t end)
{
    size_t reached = 0;
    for (int i = 0; i < count; i++) {
        if (strchr(rows[i].name, '.') == NULL && i > 0 && strchr(rows[i - 1].name, '.') != NULL)
            reached = offsetof(nc_world_def, vsp) + sizeof(nc_vsp_def);
        if (rows[i].offset < reached || rows[i].offset - reached >= size_of(&rows[i]))
            fail_msg("between byte %zu and \"%s\" at byte %zu lies a field without a row, or the order is another",
                     reached, rows[i].name, rows[i].offset);
        reached = rows[i].offset + size_of(&rows[i]);
    }
    if (end < reached || end - reached >= sizeof(int))
        fail_msg("the rows end at byte %zu, the settings at byte %zu", reached, end);
}

static void every_field_of_the_structs_has_a_row(void **state)
{
    (void)state;
    int count;
    const nc_setting *rows = nc_world_setting_rows(&count);
    check_cover(rows, count, offsetof(nc_world_def, workers));
    rows = nc_cloth_setting_rows(&count);
    check_cover(rows, count, offsetof(nc_cloth_world_def, workers));
}

// ---- scenes -------------------------------------------------------------------------------------------------

static void every_row_is_a_key_of_scenes_and_reaches_the_world(void **state)
{
    (void)state;
    int count;
    char text[256], value[96];
    for (int cloth = 0; cloth < 2; cloth++) {
        const nc_setting *rows = cloth ? nc_cloth_setting_rows(&count) : nc_world_setting_rows(&count);
        for (int i = 0; i < count; i++) {
            if (cloth && is_frame(&rows[i]))
                continue;
            nc_world_def def = nc_world_def_default();
            nc_cloth_world_def cloth_def = nc_cloth_world_def_default();
            void *wanted = changed(&rows[i], cloth ? (void *)&cloth_def : (void *)&def);
            scene_with(&rows[i], cloth, text_of(&rows[i], wanted, value), text);
            nc_scene *scene = scene_of(text);
            const nc_scene_settings view = nc_scene_view(scene);
            if (!same(&rows[i], cloth ? (const void *)&view.cloth_world : (const void *)&view.world, wanted))
                fail_msg("%s does not reach the world", text);
            nc_scene_destroy(scene);
        }
    }
}

// Rows that a scene derives say so where users read it.
static void a_scene_that_gives_nothing_has_the_defaults_of_c_or_says_what_it_derives(void **state)
{
    (void)state;
    int count;
    nc_scene *scene = scene_of("nacre: 1");
    const nc_scene_settings view = nc_scene_view(scene);
    const nc_world_def def = nc_world_def_default();
    const nc_setting *rows = nc_world_setting_rows(&count);
    for (int i = 0; i < count; i++)
        if (rows[i].derived ? strstr(rows[i].about, "Default: ") == NULL : !same(&rows[i], &view.world, &def))
            fail_msg("%s: a scene and C have other defaults, and the row gives no reason", rows[i].name);
    const nc_cloth_world_def cloth_def = nc_cloth_world_def_default();
    rows = nc_cloth_setting_rows(&count);
    for (int i = 0; i < count; i++)
        if (!same(&rows[i], &view.cloth_world, &cloth_def))
            fail_msg("%s: a scene of cloth and C have other defaults", rows[i].name);
    nc_scene_destroy(scene);
}

// ---- checks -------------------------------------------------------------------------------------------------

static void check_refused_by_both(const nc_setting *row, bool cloth, double bad)
{
    nc_world_def def = nc_world_def_default();
    nc_cloth_world_def cloth_def = nc_cloth_world_def_default();
    nc_world *world = NULL;
    nc_cloth_world *cloth_world = NULL;
    nc_error err;
    void *settings = cloth ? (void *)&cloth_def : (void *)&def;
    nc_setting_write(row, settings, 0, bad);
    const nc_code code =
        cloth ? nc_cloth_world_create(&cloth_def, &cloth_world, &err) : nc_world_create(&def, &world, &err);
    if (code != NC_BAD_ARGUMENT || strstr(err.text, row->name) == NULL)
        fail_msg("%s = %g: %s", row->name, bad, code == NC_OK ? "accepted" : err.text);
    const bool derive = row->kind == NC_SETTING_AUTO && bad < 0;
    if (row->kind == NC_SETTING_CHOICE || derive || (cloth && is_frame(row)))
        return;
    char text[256], value[96];
    nc_scene *scene = NULL;
    scene_with(row, cloth, text_of(row, settings, value), text);
    if (scene_try(text, NULL, 0, &scene, &err) != NC_BAD_SCENE)
        fail_msg("accepted: %s", text);
}

static void values_out_of_range_are_refused_by_c_and_by_scenes(void **state)
{
    (void)state;
    int count;
    for (int cloth = 0; cloth < 2; cloth++) {
        const nc_setting *rows = cloth ? nc_cloth_setting_rows(&count) : nc_world_setting_rows(&count);
        for (int i = 0; i < count; i++) {
            if (rows[i].kind == NC_SETTING_FLAG)
                continue;
            const bool whole = nc_setting_is_whole(&rows[i]);
            check_refused_by_both(&rows[i], cloth, whole ? rows[i].high + 1 : 1.001 * rows[i].high);
            if (rows[i].kind == NC_SETTING_ABOVE)
                check_refused_by_both(&rows[i], cloth, rows[i].low);
            else if (rows[i].kind != NC_SETTING_AUTO)
                check_refused_by_both(&rows[i], cloth, rows[i].low - (whole ? 1 : 0.001));
            if (!whole)
                check_refused_by_both(&rows[i], cloth, NAN);
        }
    }
}

static void gravity_ticks_at_least_as_often_as_scripts(void **state)
{
    (void)state;
    int count;
    const nc_setting *rows = nc_cloth_setting_rows(&count);
    for (int i = 0; i < count; i++)
        if (strcmp(rows[i].name, "gravity_level") == 0)
            check_near(rows[i].low, NC_CLOTH_SCRIPT_LEVEL, 0);
}

// ---- materials of cloth -------------------------------------------------------------------------------------

#define CLOTH_SCENE(with)                                                                                              \
    "nacre: 1\nworld: {pipeline: acm}\nshapes: {s: {generate: sheet}}\nbodies: [{shape: s, type: cloth" with "}]"

static void materials_of_cloth_have_one_default_and_one_range(void **state)
{
    (void)state;
    const nc_cloth_def def = nc_cloth_def_default();
    nc_cloth_keys keys;
    nc_key_block_defaults(&nc_cloth_block, &keys);
#define NC_CLOTH_MATERIAL(kind, field, key, ...) check_near(keys.key, def.field, 0);
#include "nacre/cloth_material.def"
#define NC_CLOTH_MATERIAL(kind, field, key, of, unit, low, high, ...)                                                  \
    {                                                                                                                  \
        nc_cloth_def bad = def;                                                                                        \
        nc_scene *scene = NULL;                                                                                        \
        nc_error err;                                                                                                  \
        char text[256];                                                                                                \
        bad.type = strcmp(#of, "PARTICLES") == 0 ? NC_CLOTH_PARTICLES : NC_CLOTH_SHEET;                                \
        bad.field = (high)*1.001;                                                                                      \
        assert_int_equal(nc_cloth_check_material(&bad, &err), NC_BAD_ARGUMENT);                                        \
        assert_non_null(strstr(err.text, #field));                                                                     \
        snprintf(text, sizeof text, CLOTH_SCENE(", cloth: {" #key ": %.17g}"), bad.field);                             \
        assert_int_equal(scene_try(text, NULL, 0, &scene, &err), NC_BAD_SCENE);                                        \
        bad.field = (low)-1;                                                                                           \
        assert_int_equal(nc_cloth_check_material(&bad, &err), NC_BAD_ARGUMENT);                                        \
    }
#include "nacre/cloth_material.def"
    assert_int_equal(nc_cloth_check_material(&def, NULL), NC_OK);
}

// ---- state --------------------------------------------------------------------------------------------------

static void every_row_is_in_the_hash_and_comes_back_from_a_snapshot(void **state)
{
    (void)state;
    int count;
    nc_error err;
    const nc_setting *rows = nc_world_setting_rows(&count);
    for (int i = 0; i < count; i++) {
        nc_world_def def = nc_world_def_default();
        nc_world *plain = NULL, *world = NULL;
        check_ok(nc_world_create(&def, &plain, &err), err);
        changed(&rows[i], &def);
        check_ok(nc_world_create(&def, &world, &err), err);
        if (nc_world_hash(plain) == nc_world_hash(world))
            fail_msg("%s is not in the hash", rows[i].name);
        nc_buffer bytes = nc_buffer_create(NULL);
        check_ok(nc_world_save(world, &bytes, &err), err);
        check_ok(nc_world_restore(plain, bytes.data, bytes.size, &err), err);
        const nc_world_def back = nc_world_settings(plain);
        assert_true(same(&rows[i], &back, &def));
        assert_true(nc_world_hash(plain) == nc_world_hash(world));
        nc_buffer_free(&bytes);
        nc_world_destroy(plain);
        nc_world_destroy(world);
    }
}

static void settings_of_cloth_are_in_its_hash_when_they_change_results(void **state)
{
    (void)state;
    int count;
    const nc_setting *rows = nc_cloth_setting_rows(&count);
    for (int i = 0; i < count; i++) {
        nc_cloth_world_def def = nc_cloth_world_def_default();
        const uint64_t before = nc_cloth_hash_settings(NC_HASH_START, &def);
        changed(&rows[i], &def);
        assert_int_equal(nc_cloth_hash_settings(NC_HASH_START, &def) != before, rows[i].changes_results);
    }
}

// ---- pipelines ----------------------------------------------------------------------------------------------

#define STEPS 40
static const char pile[] = "nacre: 1\nworld: {timestep: 1/60}\nshapes: {box: {generate: box}, floor: {generate: box, "
                           "scale: [8, 1, 8]}}\nbodies:\n  - {shape: floor, type: static, position: [0, -0.5, 0]}\n"
                           "  - {shape: box, position: [0, 0.6, 0]}\n  - {shape: box, position: [0.3, 1.8, 0.2], spin: "
                           "[1, 2, 3]}\n  - {shape: box, position: [-0.2, 3, 0.1], velocity: [1, -3, 0]}\n";

// Where the bodies are after some steps.
static uint64_t motion_of(const nc_scene *scene, const nc_world_def *def)
{
    nc_world *world = NULL;
    nc_error err;
    check_ok(scene_build_world(scene, def, &world, &err), err);
    for (int i = 0; i < STEPS; i++)
        check_ok(nc_world_step(world, 1.0 / 60, NULL, &err), err);
    nc_body_id ids[8];
    uint64_t hash = NC_HASH_START;
    const int count = nc_world_bodies(world, ids, 8);
    for (int i = 0; i < count; i++) {
        nc_body_state body;
        check_ok(nc_body_read(world, ids[i], &body, &err), err);
        hash = nc_hash(hash, &body.pose, sizeof body.pose);
    }
    nc_world_destroy(world);
    return hash;
}

static void pipelines_do_not_read_what_their_rows_do_not_name(void **state)
{
    (void)state;
    int count, tried = 0;
    const nc_setting *rows = nc_world_setting_rows(&count);
    nc_scene *scene = scene_of(pile);
    for (int pipeline = 0; pipeline <= NC_PIPELINE_ISP; pipeline++) {
        nc_world_def def = nc_scene_view(scene).world;
        def.pipeline = (nc_pipeline)pipeline;
        const uint64_t plain = motion_of(scene, &def);
        for (int i = 0; i < count; i++) {
            if ((rows[i].pipelines & 1U << pipeline) != 0)
                continue;
            nc_world_def other = def;
            changed(&rows[i], &other);
            tried++;
            if (motion_of(scene, &other) != plain)
                fail_msg("the pipeline %s reads %s, and its row does not say so", nc_pipeline_names[pipeline],
                         rows[i].name);
        }
    }
    print_message("%d settings and pipelines\n", tried);
    assert_true(tried > 8);
    nc_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_of_the_structs_has_a_row),
        cmocka_unit_test(every_row_is_a_key_of_scenes_and_reaches_the_world),
        cmocka_unit_test(a_scene_that_gives_nothing_has_the_defaults_of_c_or_says_what_it_derives),
        cmocka_unit_test(values_out_of_range_are_refused_by_c_and_by_scenes),
        cmocka_unit_test(gravity_ticks_at_least_as_often_as_scripts),
        cmocka_unit_test(materials_of_cloth_have_one_default_and_one_range),
        cmocka_unit_test(every_row_is_in_the_hash_and_comes_back_from_a_snapshot),
        cmocka_unit_test(settings_of_cloth_are_in_its_hash_when_they_change_results),
        cmocka_unit_test(pipelines_do_not_read_what_their_rows_do_not_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
