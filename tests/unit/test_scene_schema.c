// The JSON Schema, the documentation and the reader say the same. NACRE_UPDATE=1 writes the two files again.
#include "check.h"

#include "scene/keys.h"
#include "scene/scene.h"
#include "scene_text.h"

#include <glob.h>

#define SCHEMA   NACRE_SOURCE_DIR "/docs/scene.schema.json"
#define DOCUMENT NACRE_SOURCE_DIR "/docs/scene-format.md"
#define BEGIN    "<!-- keys: made from the tables in src/scene/keys.c -->\n"
#define END      "<!-- end of keys -->\n"

static bool updating(void)
{
    return getenv("NACRE_UPDATE") != NULL;
}

static char *read_all(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        fail_msg("cannot read %s", path);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const long size = ftell(file);
    rewind(file);
    char *text = calloc((size_t)size + 1, 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, file), size);
    fclose(file);
    return text;
}

static void write_all(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fputs(text, file) >= 0, 1);
    fclose(file);
}

static char *generated(bool (*write)(nc_buffer *))
{
    nc_buffer out = nc_buffer_create(NULL);
    assert_true(write(&out));
    char *text = calloc(out.size + 1, 1);
    assert_non_null(text);
    memcpy(text, out.data, out.size);
    nc_buffer_free(&out);
    return text;
}

static void the_schema_file_is_the_one_the_tables_give(void **state)
{
    (void)state;
    char *wanted = generated(nc_scene_write_schema);
    if (updating())
        write_all(SCHEMA, wanted);
    char *found = read_all(SCHEMA);
    if (strcmp(found, wanted) != 0)
        fail_msg("docs/scene.schema.json is out of date: run test_scene_schema with NACRE_UPDATE=1");
    free(found);
    free(wanted);
}

static void the_documented_keys_are_those_of_the_tables(void **state)
{
    (void)state;
    char *keys = generated(nc_scene_write_key_tables), *text = read_all(DOCUMENT);
    char *begin = strstr(text, BEGIN), *end = strstr(text, END);
    assert_non_null(begin);
    assert_non_null(end);
    begin += strlen(BEGIN);
    if (updating()) {
        const size_t size = strlen(text) + strlen(keys) + 1;
        char *fresh = calloc(size, 1);
        assert_non_null(fresh);
        snprintf(fresh, size, "%.*s%s%s", (int)(begin - text), text, keys, end);
        write_all(DOCUMENT, fresh);
        free(fresh);
    } else if (strlen(keys) != (size_t)(end - begin) || strncmp(begin, keys, strlen(keys)) != 0) {
        fail_msg("the tables in docs/scene-format.md are out of date: run test_scene_schema with NACRE_UPDATE=1");
    }
    free(text);
    free(keys);
}

// ---- reader against schema ----------------------------------------------------------------------------------

#define SHAPES "nacre: 1\nshapes: {s: {generate: box}}\n"
#define JOINT  SHAPES "bodies: [{shape: s, name: b}]\njoints: [{body: b, anchor: [0, 0, 0], "
#define CLOTH  SHAPES "world: {pipeline: acm}\nbodies: [{shape: s, type: cloth, "

// A scene with an unknown key "zzz" in each block: the reader's answer lists the keys that it allows there.
static const struct {
    const char *definition, *scene;
} probes[] = {
    {"scene", "nacre: 1\nzzz: 1"},
    {"world", "nacre: 1\nworld: {zzz: 1}"},
    {"bounds", "nacre: 1\nworld: {bounds: {zzz: 1}}"},
    {"solid", "nacre: 1\nshapes: {a: {csg: {zzz: 1}}}"},
    {"output", "nacre: 1\nworld: {output: {zzz: 1}}"},
    {"vsp", "nacre: 1\nworld: {vsp: {zzz: 1}}"},
    {"acm", "nacre: 1\nworld: {acm: {zzz: 1}}"},
    {"cloth", CLOTH "cloth: {zzz: 1}}]"},
    {"contact", CLOTH "contact: {zzz: 1}}]"},
    {"pin", CLOTH "pins: [{zzz: 1}]}]"},
    {"force", CLOTH "forces: [{zzz: 1}]}]"},
    {"knot", "nacre: 1\nexpect: {knots: [{zzz: 1}]}"},
    {"watch", "nacre: 1\nexpect: {watch: [{zzz: 1}]}"},
    {"pair", SHAPES "bodies: [{shape: s}]\npairs: [{zzz: 1}]"},
    {"joint", JOINT "zzz: 1}]"},
    {"axes", JOINT "kind: generic, axes: {zzz: 1}}]"},
    {"axis", JOINT "kind: generic, axes: {x: {zzz: 1}}}]"},
    {"drive", JOINT "drive: {zzz: 1}}]"},
    {"drive_keyframe", JOINT "drive: {keyframes: [{zzz: 1}]}}]"},
    {"body", SHAPES "bodies: [{zzz: 1}]"},
    {"rotation", SHAPES "bodies: [{shape: s, rotation: {zzz: 1}}]"},
    {"keyframe", SHAPES "bodies: [{shape: s, type: kinematic, keyframes: [{zzz: 1}]}]"},
    {"group", SHAPES "bodies: [{bodies: [], zzz: 1}]"},
    {"ragdoll", "nacre: 1\nbodies: [{ragdoll: {zzz: 1}}]"},
    {"door", "nacre: 1\nbodies: [{door: {zzz: 1}}]"},
    {"wheel", "nacre: 1\nbodies: [{wheel: {zzz: 1}}]"},
    {"named_group", SHAPES "groups: {g: {zzz: 1}}"},
    {"defaults", SHAPES "bodies: [{bodies: [{shape: s}], defaults: {zzz: 1}}]"},
    {"grid", SHAPES "bodies: [{shape: s, grid: {zzz: 1}}]"},
    {"pile", SHAPES "bodies: [{shape: s, pile: {zzz: 1}}]"},
    {"wall", SHAPES "bodies: [{shape: s, wall: {zzz: 1}}]"},
    {"tower", SHAPES "bodies: [{shape: s, tower: {zzz: 1}}]"},
    {"pyramid", SHAPES "bodies: [{shape: s, pyramid: {zzz: 1}}]"},
    {"chain", SHAPES "bodies: [{shape: s, chain: {zzz: 1}}]"},
    {"ring", SHAPES "bodies: [{shape: s, ring: {zzz: 1}}]"},
    {"sphere", SHAPES "bodies: [{shape: s, sphere: {zzz: 1}}]"},
    {"along", SHAPES "bodies: [{shape: s, along: {zzz: 1}}]"},
    {"spiral", SHAPES "bodies: [{shape: s, along: {spiral: {zzz: 1}}}]"},
    {"pour", SHAPES "bodies: [{shape: s, pour: {zzz: 1}}]"},
    {"scatter", SHAPES "bodies: [{shape: s, scatter: {zzz: 1}}]"},
    {"emit", SHAPES "bodies: [{shape: s, emit: {zzz: 1}}]"},
    {"mix", SHAPES "bodies: [{pour: {count: 1, shapes: [{zzz: 1}]}}]"},
    {"moved", SHAPES "bodies: [{shape: s}]\nmoved: [{body: s, zzz: 1}]"},
    {"camera", "nacre: 1\ncamera: {zzz: 1}"},
    {"camera_keyframe", "nacre: 1\ncamera: {keyframes: [{zzz: 1}]}"},
    {"expect", "nacre: 1\nexpect: {zzz: 1}"},
    {"expected_body", "nacre: 1\nexpect: {bodies: {a: {zzz: 1}}}"},
    {"place", "nacre: 1\nexpect: {bodies: {a: {position: {zzz: 1}}}}"},
    {"turn", "nacre: 1\nexpect: {bodies: {a: {orientation: {zzz: 1}}}}"},
    {"range", "nacre: 1\nexpect: {escaped: {zzz: 1}}"},
};

// The keys the reader allows, as ", a, b, c,".
static void allowed_by_reader(const char *scene_text, char *out, size_t size)
{
    nc_scene *scene = NULL;
    nc_error err;
    assert_int_equal(scene_try(scene_text, NULL, 0, &scene, &err), NC_BAD_SCENE);
    const char *list = strstr(err.text, "allowed: ");
    if (strstr(err.text, "zzz: there is no such key here") == NULL || list == NULL)
        fail_msg("%s", err.text);
    snprintf(out, size, ", %s,", list + strlen("allowed: "));
}

static bool list_has(const char *list, const char *key)
{
    char item[96];
    snprintf(item, sizeof item, ", %s,", key);
    return strstr(list, item) != NULL;
}

static int list_count(const char *list)
{
    int commas = 0;
    for (const char *s = list; *s != '\0'; s++)
        commas += *s == ',';
    return commas - 1;
}

// What is in the reader's list but not in this variant of the schema; the rest is NULL.
typedef struct exceptions {
    const char *names[3];
} exceptions;

static void compare(const char *name, const char *list, const nc_node *properties, exceptions except)
{
    assert_non_null(properties);
    for (const nc_node *key = properties->first; key != NULL; key = key->next)
        if (!list_has(list, key->key))
            fail_msg("%s: the schema has \"%s\", the reader refuses it", name, key->key);
    int left_out = 0;
    for (int i = 0; i < 3 && except.names[i] != NULL; i++, left_out++) {
        assert_true(list_has(list, except.names[i]));
        assert_null(nc_node_find(properties, except.names[i]));
    }
    if (list_count(list) != properties->count + left_out)
        fail_msg("%s: the reader allows %s the schema has %d keys", name, list, properties->count);
}

static const nc_node *load_definitions(nc_pool *pool, char *text)
{
    nc_node *root = NULL;
    nc_error err = {0};
    check_ok(nc_node_parse(pool, SCHEMA, text, strlen(text), &root, &err), err);
    const nc_node *definitions = nc_node_find(root, "$defs");
    assert_non_null(definitions);
    return definitions;
}

static void every_key_of_the_reader_is_in_the_schema_and_the_other_way_round(void **state)
{
    (void)state;
    nc_pool pool = {.allocator = nc_allocator_default()};
    char *text = read_all(SCHEMA), list[1024];
    const nc_node *definitions = load_definitions(&pool, text);
    const int probe_count = (int)(sizeof probes / sizeof probes[0]);
    // All but "shape", which the next test examines, and "fracture", whose parameters depend on its pattern.
    assert_int_equal(definitions->count, probe_count + 2);
    for (int i = 0; i < probe_count; i++) {
        allowed_by_reader(probes[i].scene, list, sizeof list);
        const nc_node *definition = nc_node_find(definitions, probes[i].definition);
        assert_non_null(definition);
        assert_string_equal(nc_node_find(definition, "additionalProperties")->text, "false");
        compare(probes[i].definition, list, nc_node_find(definition, "properties"), (exceptions){{NULL}});
    }
    nc_pool_free(&pool);
    free(text);
}

static void every_shape_of_the_reader_is_in_the_schema_and_the_other_way_round(void **state)
{
    (void)state;
    nc_pool pool = {.allocator = nc_allocator_default()};
    char *text = read_all(SCHEMA), list[1024], scene[128];
    int shape_count;
    nc_shape_list(&shape_count);
    const nc_node *variants = nc_node_find(nc_node_find(load_definitions(&pool, text), "shape"), "anyOf");
    assert_int_equal(variants->count, shape_count + 2);
    for (const nc_node *variant = variants->first; variant != NULL; variant = variant->next) {
        const nc_node *properties = nc_node_find(variant, "properties");
        const nc_node *generate = nc_node_find(properties, "generate");
        const bool csg = nc_node_find(properties, "csg") != NULL;
        const char *name = generate != NULL ? nc_node_find(generate, "const")->text : csg ? "csg" : "file";
        if (generate != NULL)
            snprintf(scene, sizeof scene, "nacre: 1\nshapes: {a: {generate: %s, zzz: 1}}", name);
        else
            snprintf(scene, sizeof scene, "nacre: 1\nshapes: {a: {%s: %s, zzz: 1}}", name,
                     csg ? "{solid: half_space}" : "x.obj");
        allowed_by_reader(scene, list, sizeof list);
        const exceptions of_procedure = {{"file", "csg", "cell"}}, of_file = {{"generate", "csg", "cell"}};
        const exceptions of_solid = {{"generate", "file"}};
        compare(name, list, properties, generate != NULL ? of_procedure : csg ? of_solid : of_file);
    }
    nc_pool_free(&pool);
    free(text);
}

static void no_parameter_of_a_shape_has_the_name_of_another_key(void **state)
{
    (void)state;
    int count;
    const nc_shape_info *list = nc_shape_list(&count);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < list[i].parameter_count; k++)
            for (int j = 0; j < nc_shape_block.key_count; j++)
                assert_string_not_equal(list[i].parameters[k].name, nc_shape_block.keys[j].name);
}

// ---- examples -----------------------------------------------------------------------------------------------

static void check_loads(const char *name, const char *text, size_t size)
{
    const nc_scene_def def = {.path = name, .text = text, .text_size = size};
    nc_scene *scene = NULL;
    nc_model model = {NULL, NULL};
    nc_error err = {0};
    char sentence[1200];
    nc_code code = nc_scene_load(&def, &scene, &err);
    if (code == NC_OK)
        code = nc_scene_build(scene, NULL, &model, &err);
    if (code != NC_OK)
        fail_msg("%s\n%.*s", nc_error_format(&err, sentence, sizeof sentence), (int)size, text);
    nc_model_destroy(model);
    nc_scene_destroy(scene);
}

// Every block of YAML or JSON in the documentation is a whole scene.
static void every_example_in_the_documentation_loads_and_builds(void **state)
{
    (void)state;
    char *text = read_all(DOCUMENT);
    int count = 0;
    for (char *at = text; (at = strstr(at, "\n```")) != NULL;) {
        at += 4;
        const bool example = strncmp(at, "yaml\n", 5) == 0 || strncmp(at, "json\n", 5) == 0;
        char *begin = strchr(at, '\n'), *end = strstr(at, "\n```");
        assert_non_null(begin);
        assert_non_null(end);
        if (example)
            check_loads(DOCUMENT, begin + 1, (size_t)(end - begin));
        count += example;
        at = end + 4;
    }
    print_message("%d examples\n", count);
    assert_true(count >= 8);
    free(text);
}

static void every_scene_of_the_repository_loads_builds_and_is_canonical(void **state)
{
    (void)state;
    glob_t files;
    assert_int_equal(glob(NACRE_SOURCE_DIR "/scenes/*/*.yaml", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        const nc_scene_def def = {.path = files.gl_pathv[i]};
        nc_scene *scene = NULL;
        nc_error err = {0};
        check_ok(nc_scene_load(&def, &scene, &err), err);
        const char *canonical = nc_scene_view(scene).text;
        check_loads(files.gl_pathv[i], canonical, strlen(canonical));
        nc_scene_destroy(scene);
    }
    assert_true(files.gl_pathc >= 4);
    globfree(&files);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_schema_file_is_the_one_the_tables_give),
        cmocka_unit_test(the_documented_keys_are_those_of_the_tables),
        cmocka_unit_test(every_key_of_the_reader_is_in_the_schema_and_the_other_way_round),
        cmocka_unit_test(every_shape_of_the_reader_is_in_the_schema_and_the_other_way_round),
        cmocka_unit_test(no_parameter_of_a_shape_has_the_name_of_another_key),
        cmocka_unit_test(every_example_in_the_documentation_loads_and_builds),
        cmocka_unit_test(every_scene_of_the_repository_loads_builds_and_is_canonical),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
