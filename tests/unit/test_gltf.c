// Scenes and animations in: JSON, .glb files, OBJ files with several objects.
#include "check.h"
#include "fail_allocator.h"
#include "scratch.h"

#include "io/file.h"
#include "io/io.h"
#include "io/json_tree.h"

// ---- JSON ---------------------------------------------------------------------------------------------------

static nc_code parse(const char *text, nc_json_tree *out, nc_error *err)
{
    return nc_json_parse(text, strlen(text), "a.json", NULL, out, err);
}

static void json_keeps_keys_texts_numbers_and_order(void **state)
{
    (void)state;
    nc_json_tree tree;
    nc_error err;
    check_ok(
        parse(" {\"a\" : [1, -2.5e3, true,false , null], \"b\":{\"c\":\"x\\n\\u00e9\\ud83d\\ude00/\\/\"}, \"\":[]} ",
              &tree, &err),
        err);
    const nc_json_value *v = tree.values.data;
    const int a = nc_json_member(&tree, 0, "a"), c = nc_json_member(&tree, nc_json_member(&tree, 0, "b"), "c");
    assert_int_equal(v[0].count, 3);
    assert_int_equal(v[a].count, 5);
    const int first = v[a].first, second = v[first].next, third = v[second].next;
    check_near(v[first].number, 1, 0);
    check_near(v[second].number, -2500, 0);
    assert_true(nc_json_is(&tree, third, NC_JSON_FLAG) && v[third].number == 1);
    assert_true(nc_json_is(&tree, v[a].last, NC_JSON_NULL) && v[v[a].last].next == -1);
    assert_string_equal(nc_json_string(&tree, c), "x\n\xc3\xa9\xf0\x9f\x98\x80//");
    assert_int_equal(v[nc_json_member(&tree, 0, "")].count, 0);
    assert_int_equal(nc_json_member(&tree, 0, "x"), -1);
    assert_int_equal(nc_json_member(&tree, a, "a"), -1);
    assert_int_equal(nc_json_member(&tree, -1, "a"), -1);
    nc_json_free(&tree);
}

static void json_refuses_what_is_none_and_names_the_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
        int line, column;
    } cases[] = {
        {"", "here should be a value", 1, 1},      {"{\"a\":1,}", "here should be a key", 1, 8},
        {"[1 2]", "a comma or a ]", 1, 4},         {"{\"a\" 1}", "a colon", 1, 6},
        {"[1]x", "follows the end", 1, 4},         {"[\n  01]", "here should be a value", 2, 3},
        {"[.5]", "here should be a value", 1, 2},  {"[1.]", "here should be a value", 1, 2},
        {"[+1]", "here should be a value", 1, 2},  {"[1e]", "here should be a value", 1, 2},
        {"[nan]", "here should be a value", 1, 2}, {"{\"a\":[}", "here should be a value", 1, 7},
        {"\"\\q\"", "no such escape", 1, 3},       {"\"\\u12g4\"", "four hexadecimal digits", 1, 4},
        {"\"\\ud800x\"", "surrogate", 1, 8},       {"\"\\udc00\"", "surrogate", 1, 8},
        {"\"\\u0000\"", "zero character", 1, 8},   {"\"a\nb\"", "does not end", 1, 3},
        {"[\"abc", "does not end", 1, 6},          {"]", "here should be a value", 1, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nc_json_tree tree;
        nc_error err = {0};
        assert_int_equal(parse(cases[i].text, &tree, &err), NC_BAD_FILE);
        if (strstr(err.text, cases[i].says) == NULL || err.line != cases[i].line || err.column != cases[i].column)
            fail_msg("%s: %d:%d %s", cases[i].text, err.line, err.column, err.text);
        nc_json_free(&tree);
    }
}

static void json_goes_64_deep_and_no_deeper(void **state)
{
    (void)state;
    for (int depth = 63; depth <= 66; depth++) {
        char text[160] = "";
        for (int i = 0; i < depth; i++)
            strcat(text, "[");
        for (int i = 0; i < depth; i++)
            strcat(text, "]");
        nc_json_tree tree;
        nc_error err;
        assert_int_equal(parse(text, &tree, &err), depth <= NC_JSON_MAX_DEPTH ? NC_OK : NC_BAD_FILE);
        nc_json_free(&tree);
    }
}

static void json_cut_anywhere_is_refused(void **state)
{
    (void)state;
    const char *whole = "{\"a\":[1,{\"b\":\"\\u00e9\"},null],\"c\":-1.5e-3}";
    for (size_t size = 0; size < strlen(whole); size++) {
        char text[64];
        nc_json_tree tree;
        nc_error err;
        memcpy(text, whole, size);
        text[size] = '\0';
        assert_int_equal(parse(text, &tree, &err), NC_BAD_FILE);
        nc_json_free(&tree);
    }
}

// ---- making .glb files ----------------------------------------------------------------------------------------

#define GLB_ROOM 65536

typedef struct glb {
    uint8_t bytes[GLB_ROOM];
    size_t size;
} glb;

static void put_u32(glb *g, uint32_t x)
{
    for (int i = 0; i < 4; i++)
        g->bytes[g->size++] = (uint8_t)(x >> (8 * i));
}

// A file of a JSON text and of floats.
static void make_glb(glb *g, const char *json, const float *floats, size_t float_count)
{
    const size_t text = strlen(json), padded = (text + 3) / 4 * 4, data = 4 * float_count;
    g->size = 0;
    assert_true(28 + padded + data <= GLB_ROOM);
    put_u32(g, 0x46546c67);
    put_u32(g, 2);
    put_u32(g, (uint32_t)(28 + padded + data));
    put_u32(g, (uint32_t)padded);
    put_u32(g, 0x4e4f534a);
    memset(g->bytes + g->size, ' ', padded);
    memcpy(g->bytes + g->size, json, text);
    g->size += padded;
    put_u32(g, (uint32_t)data);
    put_u32(g, 0x004e4942);
    for (size_t i = 0; i < float_count; i++) {
        uint32_t bits;
        memcpy(&bits, &floats[i], 4);
        put_u32(g, bits);
    }
}

// A tetrahedron under a turned parent, with keys of every kind. Floats: 4 corners, then 3 times, then values.
static const char film_json[] =
    "{\"asset\":{\"version\":\"2.0\",\"generator\":\"test\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
    "\"nodes\":[{\"name\":\"top\",\"children\":[1,2],\"translation\":[1,2,3]},"
    "{\"name\":\"body\",\"mesh\":0,\"extras\":{\"mass\":2.5,\"velocity\":[1,2,3],\"type\":\"static\",\"odd\":{}}},"
    "{\"name\":\"steps\",\"mesh\":0}],"
    "\"meshes\":[{\"name\":\"tetra\",\"primitives\":[{\"attributes\":{\"POSITION\":0},\"mode\":5}],\"extras\":{"
    "\"density\":7}}],"
    "\"buffers\":[{\"byteLength\":184}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":72},"
    "{\"buffer\":0,\"byteOffset\":72,\"byteLength\":12},{\"buffer\":0,\"byteOffset\":84,\"byteLength\":32},"
    "{\"buffer\":0,\"byteOffset\":116,\"byteLength\":24},{\"buffer\":0,\"byteOffset\":140,\"byteLength\":72}],"
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":6,\"type\":\"VEC3\"},"
    "{\"bufferView\":1,\"componentType\":5126,\"count\":2,\"type\":\"SCALAR\",\"byteOffset\":4},"
    "{\"bufferView\":2,\"componentType\":5126,\"count\":2,\"type\":\"VEC4\"},"
    "{\"bufferView\":3,\"componentType\":5126,\"count\":2,\"type\":\"VEC3\"},"
    "{\"bufferView\":4,\"componentType\":5126,\"count\":6,\"type\":\"VEC3\"}],"
    "\"animations\":[{\"name\":\"all\",\"samplers\":[{\"input\":1,\"output\":2},{\"input\":1,\"output\":3,"
    "\"interpolation\":\"STEP\"},"
    "{\"input\":1,\"output\":4,\"interpolation\":\"CUBICSPLINE\"}],\"channels\":["
    "{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"rotation\"}},{\"sampler\":1,\"target\":{\"node\":2,\"path\":"
    "\"scale\"}},"
    "{\"sampler\":2,\"target\":{\"node\":1,\"path\":\"translation\"}}]}]}";

static const float film_floats[] = {
    0,  0, 0, 0,  1, 0, 1,           0,           0,
    0,  0, 1, 0,  0, 0, 0,           1,           0, // a strip around a tetrahedron
    -1, 1, 3,                                        // times: 1 and 3 (from byte 4 on)
    0,  0, 0, 1,  0, 0, 0.70710678f, 0.70710678f,    // a quarter turn about z
    1,  1, 1, 2,  3, 4,                              // scales
    9,  9, 9, 0,  0, 0, 1,           0,           0,
    -2, 0, 0, 10, 0, 0, 9,           9,           9, // tangent in, value, tangent out, twice
};

static nc_gltf *open_film(const nc_allocator *allocator, nc_error *err)
{
    static glb g;
    nc_gltf *gltf = NULL;
    make_glb(&g, film_json, film_floats, sizeof film_floats / sizeof *film_floats);
    if (nc_gltf_read(g.bytes, g.size, "film.glb", allocator, &gltf, err) != NC_OK)
        return NULL;
    return gltf;
}

// ---- keys -----------------------------------------------------------------------------------------------------

static void keys_are_followed_as_gltf_says(void **state)
{
    (void)state;
    nc_error err = {0};
    nc_gltf *gltf = open_film(NULL, &err);
    nc_gltf_transform at[3];
    if (gltf == NULL)
        fail_msg("%s", err.text);
    check_ok(nc_gltf_animate(gltf, NULL, &err), err);
    assert_true(nc_gltf_node_view(gltf, 1).moves && nc_gltf_node_view(gltf, 1).parent == 0);
    for (int k = 0; k <= 60; k++) {
        const double t = 0.1 * k, u = fmin(fmax((t - 1) / 2, 0), 1), angle = u * 0.5 * 3.14159265358979323846;
        double sine, cosine;
        nc_sincos(angle, &sine, &cosine);
        nc_gltf_place(gltf, t, at);
        // a slerp turns at constant speed: a chord would be 0.9 degrees off
        const nc_vec3 x = nc_pose_apply(at[0].pose, nc_v3(1, 0, 0));
        check_near(x.x, 1 + cosine, 1e-7);
        check_near(x.y, 2 + sine, 1e-7);
        // Hermite with tangents 1 and -2 per second, 2 s apart
        const double h =
            2 * (u * u * u - 2 * u * u + u) * 1 + (3 * u * u - 2 * u * u * u) * 10 + 2 * (u * u * u - u * u) * -2;
        check_near(at[1].pose.x.x, 1 + cosine * h, 1e-6);
        check_near(at[1].pose.x.y, 2 + sine * h, 1e-6);
        // a step holds until the next key
        check_near(at[2].stretch.row[2].z, t < 3 ? 1 : 4, 0);
    }
    nc_gltf_place(gltf, NAN, at);
    check_near(at[1].pose.x.x, 1, 0);
    nc_gltf_close(gltf);
}

static void times_are_those_of_keys_and_of_the_rate(void **state)
{
    (void)state;
    const nc_allocator memory = nc_allocator_default();
    nc_error err = {0};
    nc_gltf *gltf = open_film(NULL, &err);
    double *times = NULL;
    int count = -1;
    check_ok(nc_gltf_times(gltf, 0, &times, &count, &err), err);
    assert_int_equal(count, 0); // nothing is animated yet
    check_ok(nc_gltf_animate(gltf, "all", &err), err);
    check_ok(nc_gltf_times(gltf, 0, &times, &count, &err), err);
    assert_true(count == 2 && times[0] == 1 && times[1] == 3);
    nc_free(&memory, times, (size_t)count, sizeof *times);
    check_ok(nc_gltf_times(gltf, 1.5, &times, &count, &err), err);
    assert_int_equal(count, 5); // 1, 4/3, 2, 8/3, 3
    check_near(times[1], 4.0 / 3, 1e-15);
    check_near(times[3], 8.0 / 3, 1e-15);
    nc_free(&memory, times, (size_t)count, sizeof *times);
    assert_int_equal(nc_gltf_times(gltf, 1e9, &times, &count, &err), NC_BAD_FILE); // two thousand million frames
    assert_int_equal(nc_gltf_times(gltf, 1e12, &times, &count, &err), NC_BAD_ARGUMENT);
    assert_int_equal(nc_gltf_animate(gltf, "none", &err), NC_NOT_FOUND);
    assert_non_null(strstr(err.text, "\"all\""));
    nc_gltf_close(gltf);
}

// ---- hierarchies ----------------------------------------------------------------------------------------------

static nc_vec3 random_vector(nc_random *random, double low, double high)
{
    return nc_v3(nc_random_range(random, low, high), nc_random_range(random, low, high),
                 nc_random_range(random, low, high));
}

// Against plain products of matrices: points go through one node after the other.
static void placements_compose_like_matrices(void **state)
{
    (void)state;
    nc_random random = {check_seed("placements", 7)};
    for (int trial = 0; trial < check_effort(2000); trial++) {
        nc_gltf_transform world = {.pose.q = {1, 0, 0, 0}, .stretch = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
        nc_gltf_transform chain[5];
        const int depth = 1 + (int)(5 * nc_random_unit(&random));
        for (int i = 0; i < depth; i++) {
            nc_vec3 s = random_vector(&random, -2, 2);
            if (nc_random_unit(&random) < 0.5)
                s = nc_v3(s.x, s.x, s.x); // even
            const nc_vec3 axis = random_vector(&random, -3, 3);
            chain[i] = (nc_gltf_transform){{random_vector(&random, -5, 5), nc_quat_from_rotation_vector(axis)},
                                           {{{s.x, 0, 0}, {0, s.y, 0}, {0, 0, s.z}}}};
            world = nc_gltf_transform_below(&world, &chain[i]);
        }
        const nc_vec3 v = random_vector(&random, -1, 1);
        nc_vec3 wanted = v;
        for (int i = depth; i-- > 0;)
            wanted = nc_pose_apply(chain[i].pose, nc_mat3_mul(chain[i].stretch, wanted));
        const nc_vec3 found = nc_pose_apply(world.pose, nc_mat3_mul(world.stretch, v));
        check_near(nc_norm(nc_sub(found, wanted)), 0, 1e-11 * (1 + nc_norm(wanted)));
    }
}

static void even_scales_leave_the_parts_apart(void **state)
{
    (void)state;
    const nc_gltf_transform top = {{{1, 0, 0}, {0.5, 0.5, 0.5, 0.5}}, {{{2, 0, 0}, {0, 2, 0}, {0, 0, 2}}}};
    const nc_gltf_transform child = {{{0, 1, 0}, {0.5, -0.5, 0.5, 0.5}}, {{{1, 0, 0}, {0, 3, 0}, {0, 0, 1}}}};
    const nc_gltf_transform below = nc_gltf_transform_below(&top, &child);
    const nc_gltf_transform wanted = {.stretch = {{{2, 0, 0}, {0, 6, 0}, {0, 0, 2}}}};
    assert_true(nc_gltf_transform_same_stretch(&below, &wanted, 0));
    assert_false(nc_gltf_transform_same_stretch(&below, &top, 0.1));
    assert_false(nc_gltf_transform_is_gone(&below));
    const nc_gltf_transform gone = {.stretch = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}}};
    const nc_gltf_transform under = nc_gltf_transform_below(&gone, &child);
    assert_true(nc_gltf_transform_is_gone(&gone) && nc_gltf_transform_is_gone(&under));
}

// ---- meshes and properties --------------------------------------------------------------------------------------

static double volume(const nc_mesh *mesh)
{
    nc_mass mass;
    nc_error err;
    const nc_mass_def def = {.matter = NC_MATTER_SOLID, .density = 1};
    check_ok(nc_mesh_mass(mesh, &def, &mass, &err), err);
    return mass.mass;
}

static void a_mesh_is_stretched_and_a_mirror_keeps_it_the_right_way_out(void **state)
{
    (void)state;
    nc_error err = {0};
    nc_gltf *gltf = open_film(NULL, &err);
    const nc_mat3 stretches[3] = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                                  {{{2, 0, 0}, {0, 3, 0}, {0, 0, 1}}},
                                  {{{-1, 0, 0}, {0, 1, 0.5}, {0, 0, 2}}}};
    const double wanted[3] = {1.0 / 6, 1, 1.0 / 3};
    for (int i = 0; i < 3; i++) {
        nc_mesh *mesh = NULL;
        check_ok(nc_gltf_mesh_create(gltf, 0, &stretches[i], &mesh, &err), err);
        const nc_mesh_data data = nc_mesh_view(mesh);
        assert_true(data.closed && data.vertex_count == 4 && data.triangle_count == 4);
        check_near(volume(mesh), wanted[i], 1e-14);
        nc_mesh_release(mesh);
    }
    nc_gltf_close(gltf);
}

typedef struct seen {
    int count, of_mesh;
    nc_extra extras[8];
} seen;

static nc_code see(const nc_extra *extra, bool of_mesh, void *ctx, nc_error *err)
{
    seen *s = ctx;
    (void)err;
    s->of_mesh += of_mesh;
    s->extras[s->count++] = *extra;
    return NC_OK;
}

static void properties_keep_their_kind_and_lists_their_numbers(void **state)
{
    (void)state;
    nc_error err = {0};
    nc_gltf *gltf = open_film(NULL, &err);
    seen s = {0};
    check_ok(nc_gltf_extras(gltf, 1, see, &s, &err), err);
    assert_int_equal(s.count, 5);
    assert_int_equal(s.of_mesh, 1);
    assert_true(strcmp(s.extras[0].key, "mass") == 0 && s.extras[0].kind == NC_EXTRA_NUMBER &&
                s.extras[0].numbers[0] == 2.5);
    assert_true(s.extras[1].kind == NC_EXTRA_LIST && s.extras[1].count == 3 && s.extras[1].numbers[2] == 3);
    assert_true(s.extras[2].kind == NC_EXTRA_TEXT && strcmp(s.extras[2].text, "static") == 0);
    assert_true(s.extras[3].kind == NC_EXTRA_OTHER);
    assert_true(strcmp(s.extras[4].key, "density") == 0);
    assert_string_equal(nc_gltf_generator(gltf), "test");
    assert_string_equal(nc_gltf_mesh_name(gltf, 0), "tetra");
    nc_gltf_close(gltf);
}

// ---- damage and no memory -----------------------------------------------------------------------------------------

// Everything that can be asked of a file.
static nc_code use_all(const void *bytes, size_t size, const nc_allocator *allocator, nc_error *err)
{
    const nc_mat3 one = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    const nc_allocator memory = nc_allocator_or_default(allocator);
    nc_gltf *gltf = NULL;
    double *times = NULL;
    int count = 0;
    nc_code code = nc_gltf_read(bytes, size, "film.glb", allocator, &gltf, err);
    if (code == NC_OK)
        code = nc_gltf_animate(gltf, NULL, err);
    if (code == NC_OK)
        code = nc_gltf_times(gltf, 2, &times, &count, err);
    for (int i = 0; code == NC_OK && i < nc_gltf_mesh_count(gltf); i++) {
        nc_mesh *mesh = NULL;
        code = nc_gltf_mesh_create(gltf, i, &one, &mesh, err);
        nc_mesh_release(mesh);
    }
    nc_gltf_transform *at = code == NC_OK ? calloc((size_t)nc_gltf_node_count(gltf) + 1, sizeof *at) : NULL;
    for (int i = 0; at != NULL && i < count; i++)
        nc_gltf_place(gltf, times[i], at);
    free(at);
    nc_free(&memory, times, (size_t)count, sizeof *times);
    nc_gltf_close(gltf);
    return code;
}

static nc_code trial(const nc_allocator *allocator, void *ctx)
{
    const glb *g = ctx;
    nc_error err = {0};
    return use_all(g->bytes, g->size, allocator, &err);
}

static void a_file_survives_every_refused_allocation(void **state)
{
    (void)state;
    static glb g;
    make_glb(&g, film_json, film_floats, sizeof film_floats / sizeof *film_floats);
    assert_true(fail_at_every_call(trial, &g) > 10);
}

static void a_damaged_file_is_read_or_refused_with_a_sentence(void **state)
{
    (void)state;
    static glb g, damaged;
    nc_random random = {check_seed("damage", 3)};
    int refused = 0;
    make_glb(&g, film_json, film_floats, sizeof film_floats / sizeof *film_floats);
    for (int i = 0; i < check_effort(20000); i++) {
        nc_error err = {0};
        damaged = g;
        for (int k = 1 + (int)(3 * nc_random_unit(&random)); k > 0; k--)
            damaged.bytes[(size_t)((double)g.size * nc_random_unit(&random))] =
                (uint8_t)(nc_random_unit(&random) < 0.5 ? '0' + nc_random_u64(&random) % 10 : nc_random_u64(&random));
        const nc_code code = use_all(damaged.bytes, damaged.size, NULL, &err);
        assert_true(code == NC_OK || (code == NC_BAD_FILE && err.text[0] != '\0'));
        refused += code != NC_OK;
    }
    for (size_t size = 0; size < g.size; size++) {
        nc_error err = {0};
        assert_int_equal(use_all(g.bytes, size, NULL, &err), NC_BAD_FILE);
    }
    assert_true(refused > 1000);
}

// ---- OBJ files with several objects ---------------------------------------------------------------------------------

static const char two_objects[] =
    "v 9 9 9\nf 1 1 1\no a b  \nv 0 0 0\nv 1 0 0\nv 0 1 0\ng skin\nf 2 3 4\no c # rest\nv 0 0 5\nv 1 0 5\n"
    "l 5 6\np 5\no a b\nf 4 3 2\n";

static void objects_are_told_by_o_then_g_then_connection(void **state)
{
    (void)state;
    static const struct {
        const char *text, *names[4];
        int triangles[4];
    } cases[] = {
        {two_objects, {"a b", "c"}, {2, 0}},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\ng one\nf 3 2 1\ng two\nf 1 2 3\n", {"", "one", "two"}, {1, 1, 1}},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 5 0 0\nv 6 0 0\nv 5 1 0\nf 5 6 7\nf 1 2 3\nf 3 2 4\n",
         {"part 0", "part 1"},
         {1, 2}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nc_obj_parts parts;
        nc_error err;
        check_ok(nc_obj_parts_load(scratch_text("parts.obj", cases[i].text), true, NULL, &parts, &err), err);
        int count = 0;
        for (; count < 4 && cases[i].names[count] != NULL; count++) {
            assert_true(count < parts.parts.count);
            assert_string_equal(parts.parts.data[count].name, cases[i].names[count]);
            assert_int_equal(nc_mesh_view(parts.parts.data[count].mesh).triangle_count, cases[i].triangles[count]);
        }
        assert_int_equal(parts.parts.count, count);
        nc_obj_parts_free(&parts);
    }
}

static nc_code parts_trial(const nc_allocator *allocator, void *ctx)
{
    nc_obj_parts parts;
    nc_error err = {0};
    const nc_code code = nc_obj_parts_load(ctx, true, allocator, &parts, &err);
    nc_obj_parts_free(&parts);
    return code;
}

static void objects_survive_every_refused_allocation(void **state)
{
    (void)state;
    static const char no_names[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 4 5 6\n";
    char path[200];
    snprintf(path, sizeof path, "%s", scratch_text("names.obj", two_objects));
    assert_true(fail_at_every_call(parts_trial, path) > 5);
    snprintf(path, sizeof path, "%s", scratch_text("parts.obj", no_names));
    assert_true(fail_at_every_call(parts_trial, path) > 5);
}

static void the_hash_of_an_object_tells_whether_it_moved(void **state)
{
    (void)state;
    uint64_t hash[2][2];
    for (int i = 0; i < 2; i++) {
        nc_obj_parts parts;
        nc_error err;
        char text[200];
        snprintf(text, sizeof text,
                 "%so a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\no b\nv 0 0 %d\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\n",
                 i == 0 ? "" : "v 7 7 7\n", i);
        check_ok(nc_obj_parts_load(scratch_text("hash.obj", text), false, NULL, &parts, &err), err);
        for (int k = 0; k < 2; k++) {
            hash[i][k] = parts.parts.data[k].hash;
            assert_null(parts.parts.data[k].mesh);
        }
        nc_obj_parts_free(&parts);
    }
    assert_true(hash[0][0] == hash[1][0]); // though its vertices have other numbers
    assert_true(hash[0][1] != hash[1][1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_keeps_keys_texts_numbers_and_order),
        cmocka_unit_test(json_refuses_what_is_none_and_names_the_place),
        cmocka_unit_test(json_goes_64_deep_and_no_deeper),
        cmocka_unit_test(json_cut_anywhere_is_refused),
        cmocka_unit_test(keys_are_followed_as_gltf_says),
        cmocka_unit_test(times_are_those_of_keys_and_of_the_rate),
        cmocka_unit_test(placements_compose_like_matrices),
        cmocka_unit_test(even_scales_leave_the_parts_apart),
        cmocka_unit_test(a_mesh_is_stretched_and_a_mirror_keeps_it_the_right_way_out),
        cmocka_unit_test(properties_keep_their_kind_and_lists_their_numbers),
        cmocka_unit_test(a_file_survives_every_refused_allocation),
        cmocka_unit_test(a_damaged_file_is_read_or_refused_with_a_sentence),
        cmocka_unit_test(objects_are_told_by_o_then_g_then_connection),
        cmocka_unit_test(objects_survive_every_refused_allocation),
        cmocka_unit_test(the_hash_of_an_object_tells_whether_it_moved),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
