// Mesh formats other than OBJ: what comes out of good files, and how little bad ones can do.
#include "check.h"
#include "fail_allocator.h"
#include "scratch.h"

#include "geom/geom.h"

#include <sys/stat.h>
#include <time.h>

static double seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// ---- writers of small test files ----------------------------------------------------------------------------

typedef struct bytes {
    char data[1 << 16];
    size_t size;
} bytes;

static void put(bytes *out, const void *data, size_t size)
{
    assert_true(out->size + size <= sizeof out->data);
    memcpy(out->data + out->size, data, size);
    out->size += size;
}

static void put_text(bytes *out, const char *text)
{
    put(out, text, strlen(text));
}

static void put_u32(bytes *out, uint32_t value)
{
    put(out, &value, sizeof value);
}

static void put_float(bytes *out, double value)
{
    const float single = (float)value;
    put(out, &single, sizeof single);
}

static nc_mesh *make_box(void)
{
    nc_mesh *mesh = NULL;
    nc_error err;
    check_ok(nc_shape_create("box", NULL, 0, NULL, &mesh, &err), err);
    return mesh;
}

// The unit box as binary STL; `claimed` triangles in its header.
static void make_binary_stl(bytes *out, uint32_t claimed)
{
    nc_mesh *mesh = make_box();
    const nc_mesh_data data = nc_mesh_view(mesh);
    out->size = 0;
    char title[80] = "solid is a poor name for a binary file";
    put(out, title, sizeof title);
    put_u32(out, claimed);
    for (int t = 0; t < data.triangle_count; t++) {
        for (int k = 0; k < 3; k++)
            put_float(out, 0);
        for (int k = 0; k < 3; k++) {
            const nc_vec3 v = data.vertices[data.triangles[t][k]];
            put_float(out, v.x);
            put_float(out, v.y);
            put_float(out, v.z);
        }
        put(out, "\0\0", 2);
    }
    nc_mesh_release(mesh);
}

static void make_text_stl(bytes *out)
{
    nc_mesh *mesh = make_box();
    const nc_mesh_data data = nc_mesh_view(mesh);
    out->size = 0;
    put_text(out, "solid box\n");
    for (int t = 0; t < data.triangle_count; t++) {
        put_text(out, "facet normal 0 0 0\n outer loop\n");
        for (int k = 0; k < 3; k++) {
            char line[100];
            const nc_vec3 v = data.vertices[data.triangles[t][k]];
            snprintf(line, sizeof line, "  vertex %g %g %g\n", v.x, v.y, v.z);
            put_text(out, line);
        }
        put_text(out, " endloop\nendfacet\n");
    }
    put_text(out, "endsolid box\n");
    nc_mesh_release(mesh);
}

// The unit box as text, PLY or OFF, with quadrilaterals.
static void make_text_quads(bytes *out, const char *header)
{
    out->size = 0;
    put_text(out, header);
    for (int i = 0; i < 8; i++) {
        char line[60];
        snprintf(line, sizeof line, "%g %g %g\n", (i & 1) - 0.5, (i >> 1 & 1) - 0.5, (i >> 2 & 1) - 0.5);
        put_text(out, line);
    }
    put_text(out, "4 0 2 3 1\n4 4 5 7 6\n4 0 1 5 4\n4 2 6 7 3\n4 0 4 6 2\n4 1 3 7 5\n");
}

#define PLY_HEADER                                                                                                     \
    "ply\nformat ascii 1.0\ncomment a box\nelement vertex 8\nproperty float x\nproperty float y\nproperty float z\n"   \
    "element face 6\nproperty list uchar int vertex_indices\nend_header\n"

static void make_binary_ply(bytes *out)
{
    out->size = 0;
    put_text(out,
             "ply\r\nformat binary_little_endian 1.0\r\nelement vertex 3\r\nproperty float x\r\nproperty float y\r\n"
             "property float z\r\nelement face 1\r\nproperty list uchar int vertex_indices\r\nend_header\r\n");
    const double xyz[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    for (int i = 0; i < 9; i++)
        put_float(out, xyz[i]);
    put(out, "\3", 1);
    for (uint32_t i = 0; i < 3; i++)
        put_u32(out, i);
}

// ---- loading ------------------------------------------------------------------------------------------------

static bool assimp_is_there(void)
{
    bytes out;
    make_binary_stl(&out, 12);
    nc_mesh *mesh = NULL;
    nc_error err;
    const nc_code code = nc_mesh_load(scratch_write("probe.stl", out.data, out.size), NULL, &mesh, NULL, &err);
    nc_mesh_release(mesh);
    if (code == NC_UNSUPPORTED)
        assert_non_null(strstr(err.text, "without assimp"));
    return code != NC_UNSUPPORTED;
}

static void check_box(const char *path, const char *format)
{
    nc_mesh *mesh = NULL;
    nc_mesh_file_info info;
    nc_error err = {0};
    check_ok(nc_mesh_load(path, NULL, &mesh, &info, &err), err);
    const nc_mesh_data data = nc_mesh_view(mesh);
    assert_string_equal(info.format, format);
    assert_true(info.single_precision);
    assert_int_equal(info.dropped_elements, 0);
    assert_int_equal(data.vertex_count, 8);
    assert_int_equal(data.triangle_count, 12);
    assert_true(data.closed);
    nc_mass mass;
    check_ok(nc_mesh_mass(mesh, &(nc_mass_def){.density = 1}, &mass, &err), err);
    check_near(mass.mass, 1, 1e-14);
    nc_mesh_release(mesh);
}

static void a_box_is_the_same_in_every_format(void **state)
{
    (void)state;
    bytes out;
    make_binary_stl(&out, 12);
    check_box(scratch_write("box.stl", out.data, out.size), "stl");
    make_text_stl(&out);
    check_box(scratch_write("text.STL", out.data, out.size), "stl");
    make_text_quads(&out, PLY_HEADER);
    check_box(scratch_write("box.ply", out.data, out.size), "ply");
    make_text_quads(&out, "OFF\n# a comment\n8 6 12\n");
    check_box(scratch_write("box.off", out.data, out.size), "off");
}

static void the_content_counts_more_than_the_name(void **state)
{
    (void)state;
    bytes out;
    make_text_quads(&out, PLY_HEADER);
    check_box(scratch_write("really-ply.obj", out.data, out.size), "ply");
    check_box(scratch_write("really-ply.stl", out.data, out.size), "ply");
    check_box(scratch_write("really-ply", out.data, out.size), "ply");
    make_binary_stl(&out, 12);
    check_box(scratch_write("really-stl.obj", out.data, out.size), "stl");
    make_text_quads(&out, "OFF\n8 6 12\n");
    check_box(scratch_write("really-off.ply", out.data, out.size), "off");
}

static void binary_ply_with_windows_line_ends_is_read(void **state)
{
    (void)state;
    bytes out;
    make_binary_ply(&out);
    nc_mesh *mesh = NULL;
    nc_error err = {0};
    check_ok(nc_mesh_load(scratch_write("binary.ply", out.data, out.size), NULL, &mesh, NULL, &err), err);
    assert_int_equal(nc_mesh_view(mesh).triangle_count, 1);
    nc_mesh_release(mesh);
}

// A glTF file that places one triangle twice: at (10, 0, 0); and in a node within a node, turned about y by 90 degrees,
// at (0, 3 + 2, 0).
static void nodes_place_their_meshes(void **state)
{
    (void)state;
    const char *text =
        "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0,1]}],"
        "\"nodes\":[{\"mesh\":0,\"translation\":[10,0,0]},"
        "{\"translation\":[0,3,0],\"children\":[2]},{\"mesh\":0,\"translation\":[0,2,0],\"rotation\":[0,0."
        "70710678118654757,0,0.70710678118654757]}],"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
        "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":"
        "[1,1,0]}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],"
        "\"buffers\":[{\"byteLength\":36,\"uri\":\"data:application/octet-stream;base64,"
        "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA\"}]}";
    nc_mesh *mesh = NULL;
    nc_error err = {0};
    nc_mesh_file_info info;
    check_ok(nc_mesh_load(scratch_text("two.gltf", text), NULL, &mesh, &info, &err), err);
    const nc_mesh_data data = nc_mesh_view(mesh);
    assert_string_equal(info.format, "gltf");
    assert_int_equal(data.triangle_count, 2);
    assert_int_equal(data.vertex_count, 6);
    check_near(data.box.hi.x, 11, 1e-6);
    check_near(data.box.hi.y, 6, 1e-6);
    check_near(data.box.lo.z, -1, 1e-6);
    nc_mesh_release(mesh);
}

// ---- lies and damage ----------------------------------------------------------------------------------------

static void check_refused_at_once(const char *name, const char *data, size_t size, const char *words)
{
    nc_mesh *mesh = NULL;
    nc_error err = {0};
    fail_allocator memory;
    const nc_allocator allocator = fail_allocator_start(&memory, 0);
    const double start = seconds();
    const nc_code code = nc_mesh_load(scratch_write(name, data, size), &allocator, &mesh, NULL, &err);
    const double took = seconds() - start;
    if (code != NC_BAD_FILE || strstr(err.text, words) == NULL)
        fail_msg("%s gave %s: %s; wanted '%s'", name, nc_code_name(code), err.text, words);
    check_at_most(took, 0.25);
    check_at_most((double)memory.peak_bytes, 100000);
    fail_allocator_check_clean(&memory);
}

static void a_header_that_lies_about_counts_costs_nothing(void **state)
{
    (void)state;
    const char *ply = "ply\nformat binary_little_endian 1.0\nelement vertex 2000000000\nproperty float x\n"
                      "property float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\n"
                      "end_header\n1234567890";
    check_refused_at_once("lie.ply", ply, strlen(ply), "claims 2000000000 rows, but the file has only");
    const char *faces = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
                        "property float z\nelement face 99999999999999999999\nproperty list uchar int vertex_indices\n"
                        "end_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
    check_refused_at_once("faces.ply", faces, strlen(faces), "rows, but the file has only");
    const char *few = "ply\nformat binary_little_endian 1.0\nelement vertex 100\nproperty double x\nproperty double y\n"
                      "property double z\nend_header\n0123456789012345678901234567890123456789";
    check_refused_at_once("few.ply", few, strlen(few), "claims 100 rows");
    const char *off = "OFF\n2000000000 5 0\n0 0 0\n";
    check_refused_at_once("lie.off", off, strlen(off), "claims 2000000005");
    bytes out;
    make_binary_stl(&out, 4000000000U);
    out.data[0] = 'x';
    check_refused_at_once("lie.stl", out.data, out.size, "claims 4000000000 triangles");
    out.size = 0;
    put_text(&out, "glTF");
    put_u32(&out, 2);
    put_u32(&out, 4000000000U);
    put_u32(&out, 100);
    put_text(&out, "JSON{}");
    check_refused_at_once("lie.glb", out.data, out.size, "claims 4000000000 bytes");
}

static void headers_that_make_no_sense_are_refused_at_once(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *words;
    } cases[] = {
        {"a.ply", "plywood", "does not start with 'ply'"},
        {"b.ply", "ply\nformat ascii 1.0\nelement vertex 1\n", "does not end"},
        {"c.ply", "ply\nformat morse 1.0\nend_header\n", "none of a PLY header's"},
        {"d.ply", "ply\nformat\nend_header\n", "none of a PLY header's"},
        {"e.ply", "ply\nelement vertex many\nend_header\n", "none of a PLY header's"},
        {"f.ply", "ply\nelement vertex 1\nproperty quaternion q\nend_header\n", "none of a PLY header's"},
        {"g.ply", "ply\nproperty\nend_header\n", "none of a PLY header's"},
        {"h.ply", "ply\nproperty list\nend_header\n", "none of a PLY header's"},
        {"a.off", "OFF\n", "counts are missing"},
        {"b.off", "OFF\nsome more\n", "not numbers"},
        {"c.off", "OFF BINARY\n0000", "binary OFF"},
        {"a.stl", "short", "shorter"},
        {"a.glb", "short", "does not start with 'glTF'"},
        {"a.unknown", "short", "assimp"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_refused_at_once(cases[i].name, cases[i].text, strlen(cases[i].text), cases[i].words);
}

static void damaged_files_are_refused_or_read_but_never_crash(void **state)
{
    (void)state;
    const uint64_t seed = check_seed("damaged_files", 75);
    nc_random random = {seed};
    const char *names[] = {"damaged.stl", "damaged.ply", "damaged.off"};
    for (int trial = 0; trial < check_effort(60); trial++) {
        bytes out;
        if (trial % 3 == 0)
            make_binary_stl(&out, 12);
        else
            make_text_quads(&out, trial % 3 == 1 ? PLY_HEADER : "OFF\n8 6 12\n");
        for (int k = 0; k < 3; k++)
            out.data[nc_random_u64(&random) % out.size] = (char)nc_random_u64(&random);
        if (trial % 2)
            out.size = 1 + nc_random_u64(&random) % out.size;
        nc_mesh *mesh = NULL;
        nc_mesh_load(scratch_write(names[trial % 3], out.data, out.size), NULL, &mesh, NULL, NULL);
        nc_mesh_release(mesh);
    }
}

static void coordinates_that_are_not_finite_are_refused(void **state)
{
    (void)state;
    bytes out;
    make_binary_stl(&out, 12);
    const float bad[2] = {NAN, INFINITY};
    for (int i = 0; i < 2; i++) {
        memcpy(out.data + 84 + 12, &bad[i], 4);
        nc_mesh *mesh = NULL;
        nc_error err = {0};
        assert_int_equal(nc_mesh_load(scratch_write("bad.stl", out.data, out.size), NULL, &mesh, NULL, &err),
                         NC_BAD_FILE);
        assert_non_null(strstr(err.text, "finite"));
    }
}

static void degenerate_triangles_are_dropped_and_counted(void **state)
{
    (void)state;
    bytes out;
    make_binary_stl(&out, 12);
    // the second corner of the first triangle falls on its first
    memcpy(out.data + 84 + 24, out.data + 84 + 12, 12);
    nc_mesh *mesh = NULL;
    nc_mesh_file_info info;
    nc_error err = {0};
    check_ok(nc_mesh_load(scratch_write("flat.stl", out.data, out.size), NULL, &mesh, &info, &err), err);
    assert_int_equal(info.dropped_elements, 1);
    assert_int_equal(nc_mesh_view(mesh).triangle_count, 11);
    nc_mesh_release(mesh);
}

static void a_mesh_without_elements_is_refused(void **state)
{
    (void)state;
    const char *ply = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
                      "end_header\n0 0 0\n1 0 0\n0 1 0\n";
    nc_mesh *mesh = NULL;
    assert_int_equal(nc_mesh_load(scratch_text("cloud.ply", ply), NULL, &mesh, NULL, NULL), NC_BAD_FILE);
    assert_null(mesh);
}

// Sanitizers need more address space than the child's limit, so it has none under them.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

// 5600 nodes that each place 3750 vertices: 150 kB of text that stand for 21 million vertices.
static void a_file_that_asks_for_too_much_memory_is_refused(void **state)
{
    (void)state;
#ifdef SANITIZED
    skip();
#endif
    char *text = malloc(300000);
    size_t at = (size_t)sprintf(text, "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"nodes\":[");
    for (int i = 0; i < 5600; i++)
        at += (size_t)sprintf(text + at, "%s{\"mesh\":0}", i > 0 ? "," : "");
    at += (size_t)sprintf(text + at, "],\"scenes\":[{\"nodes\":[");
    for (int i = 0; i < 5600; i++)
        at += (size_t)sprintf(text + at, "%s%d", i > 0 ? "," : "", i);
    at += (size_t)sprintf(text + at, "]}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
                                     "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3750,"
                                     "\"type\":\"VEC3\"}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":45000}],"
                                     "\"buffers\":[{\"byteLength\":45000,"
                                     "\"uri\":\"data:application/octet-stream;base64,");
    memset(text + at, 'A', 60000);
    strcpy(text + at + 60000, "\"}]}");
    nc_mesh *mesh = NULL;
    nc_error err = {0};
    const double start = seconds();
    assert_int_equal(nc_mesh_load(scratch_text("bomb.gltf", text), NULL, &mesh, NULL, &err), NC_BAD_FILE);
    free(text);
    print_message("bomb.gltf: %s (%.2f s)\n", err.text, seconds() - start);
    assert_non_null(strstr(err.text, "memory"));
}

// 100,000 nodes, each within the one before: assimp's own recursion runs out of stack. It must be its stack, not ours.
static void a_reader_that_crashes_is_an_error_of_the_file(void **state)
{
    (void)state;
    enum { NODES = 100000 };
    char *text = malloc(NODES * 32 + 200);
    size_t at = (size_t)sprintf(text, "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
                                      "\"nodes\":[{\"children\":[1]}");
    for (int i = 2; i < NODES; i++)
        at += (size_t)sprintf(text + at, ",{\"children\":[%d]}", i);
    sprintf(text + at, ",{}]}");
    nc_mesh *mesh = NULL;
    nc_error err = {0};
    const nc_code code = nc_mesh_load(scratch_text("deep.gltf", text), NULL, &mesh, NULL, &err);
    free(text);
    print_message("deep.gltf: %s\n", err.text);
    assert_int_equal(code, NC_BAD_FILE);
}

// The file's data is in a named pipe that nobody writes to.
static void a_reader_that_hangs_is_ended(void **state)
{
    (void)state;
    if (check_effort(10) <= 10) {
        print_message("only with more effort (make soak): this takes 20 s\n");
        return;
    }
    const char *text =
        "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}],"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],\"accessors\":[{\"bufferView\":0,"
        "\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],\"bufferViews\":[{\"buffer\":0,"
        "\"byteLength\":36}],\"buffers\":[{\"byteLength\":36,\"uri\":\"pipe.bin\"}]}";
    assert_int_equal(mkfifo(scratch_path("pipe.bin"), 0600), 0);
    nc_mesh *mesh = NULL;
    nc_error err = {0};
    assert_int_equal(nc_mesh_load(scratch_text("hangs.gltf", text), NULL, &mesh, NULL, &err), NC_BAD_FILE);
    assert_non_null(strstr(err.text, "within 20 s"));
}

static nc_code load_and_release(const nc_allocator *allocator, void *ctx)
{
    nc_mesh *mesh = NULL;
    const nc_code code = nc_mesh_load(ctx, allocator, &mesh, NULL, NULL);
    nc_mesh_release(mesh);
    return code;
}

static void every_failing_allocation_is_a_clean_error(void **state)
{
    (void)state;
    bytes out;
    make_binary_stl(&out, 12);
    char path[160];
    snprintf(path, sizeof path, "%s", scratch_write("memory.stl", out.data, out.size));
    assert_true(fail_at_every_call(load_and_release, path) > 5);
}

int main(void)
{
    const struct CMUnitTest always[] = {
        cmocka_unit_test(a_header_that_lies_about_counts_costs_nothing),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_is_the_same_in_every_format),
        cmocka_unit_test(the_content_counts_more_than_the_name),
        cmocka_unit_test(binary_ply_with_windows_line_ends_is_read),
        cmocka_unit_test(nodes_place_their_meshes),
        cmocka_unit_test(headers_that_make_no_sense_are_refused_at_once),
        cmocka_unit_test(damaged_files_are_refused_or_read_but_never_crash),
        cmocka_unit_test(coordinates_that_are_not_finite_are_refused),
        cmocka_unit_test(degenerate_triangles_are_dropped_and_counted),
        cmocka_unit_test(a_mesh_without_elements_is_refused),
        cmocka_unit_test(a_file_that_asks_for_too_much_memory_is_refused),
        cmocka_unit_test(a_reader_that_crashes_is_an_error_of_the_file),
        cmocka_unit_test(a_reader_that_hangs_is_ended),
        cmocka_unit_test(every_failing_allocation_is_a_clean_error),
    };
    int failed = cmocka_run_group_tests(always, scratch_setup, scratch_teardown);
    scratch_setup(NULL);
    const bool there = assimp_is_there();
    scratch_teardown(NULL);
    if (there)
        failed += cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
    else
        print_message("SKIPPED: this build was made without assimp\n");
    return failed;
}
