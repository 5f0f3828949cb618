// OBJ in and out: what is kept, what is refused and where, and bits that survive the way through a file.
#include "check.h"
#include "fail_allocator.h"
#include "scratch.h"

#include "geom/geom.h"
#include "io/file.h"

#include <locale.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

static nc_mesh *load_text(const char *text, nc_mesh_file_info *info)
{
    nc_error err = {0};
    nc_mesh *mesh = NULL;
    check_ok(nc_mesh_load(scratch_text("mesh.obj", text), NULL, &mesh, info, &err), err);
    return mesh;
}

static nc_mesh_data view_text(const char *text)
{
    static nc_mesh *last;
    nc_mesh_release(last);
    last = text != NULL ? load_text(text, NULL) : NULL;
    return last != NULL ? nc_mesh_view(last) : (nc_mesh_data){0};
}

#define CORNERS "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"

static void faces_lines_and_points_are_kept(void **state)
{
    (void)state;
    const nc_mesh_data data = view_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 5 5 5\nv 6 6 6\nv 7 7 7\n"
                                        "f 1 2 3\nl 4 5 6\np 7\n");
    assert_int_equal(data.vertex_count, 7);
    assert_int_equal(data.triangle_count, 1);
    assert_int_equal(data.edge_count, 5);
    assert_int_equal(data.point_count, 1);
}

static void corners_may_be_written_in_every_form(void **state)
{
    (void)state;
    const char *faces[] = {"f 1 2 3",       "f 1/1 2/2 3/3",    "f 1//1 2//2 3//3", "f 1/1/1 2/2/2 3/3/3",
                           "f -4 -3 -2",    "f -4/-1 2/7 3//9", "f 1/ 2/ 3/",       "\tf  1\t2  3  ",
                           "f 1 2 3 # yes", "f 1 2\\\n3",       "f 1 2 \\\r\n 3",   "f 1 \\\n \\\n 2 3"};
    for (size_t i = 0; i < sizeof faces / sizeof faces[0]; i++) {
        char text[200];
        snprintf(text, sizeof text, CORNERS "%s\n", faces[i]);
        const nc_mesh_data data = view_text(text);
        assert_int_equal(data.triangle_count, 1);
        for (int k = 0; k < 3; k++)
            assert_int_equal(data.triangles[0][k], k);
    }
}

static void line_ends_comments_marks_and_other_statements_do_not_matter(void **state)
{
    (void)state;
    const char *texts[] = {
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3",
        "v 0 0 0\r\nv 1 0 0\r\nv 0 1 0\r\nf 1 2 3\r\n",
        "v 0 0 0\rv 1 0 0\rv 0 1 0\rf 1 2 3\r",
        "\xef\xbb\xbf# mark\n\n  v 0 0 0 #here\nv 1 0 0 1.0\nv 0 1 0 0.1 0.2 0.3\nf 1 2 3\n",
        ("mtllib a\\b.mtl\no thing\ng group\\\nv 9 9 9\ns off\nvn 0 0 1\nvt 0 0\nv 0 0 0\nv 1 0 0\nusemtl #f 1 1 1\n"
         "v 0 1 0\nvp 1\nf 1 2 3\n# f 9 9 9 \\\n"),
        "v +0 -0 0.\nv 1e0 .0 0E+5\nv 0 1.000 0e-3\nf 1 2 3\n",
    };
    const uint64_t hash = view_text(texts[0]).hash;
    for (size_t i = 1; i < sizeof texts / sizeof texts[0]; i++)
        if (view_text(texts[i]).hash != hash)
            fail_msg("text %zu gave another mesh", i);
}

static void polygons_become_triangles_and_concave_ones_are_cut_right(void **state)
{
    (void)state;
    assert_int_equal(view_text(CORNERS "f 1 2 3 4\n").triangle_count, 2);
    // an arrow whose second corner is reflex: a fan from the first would leave it
    const nc_mesh_data data = view_text("v 0 0 0\nv 2 0 1\nv 4 0 0\nv 2 0 4\nf 1 2 3 4\n");
    double area = 0;
    for (int t = 0; t < 2; t++) {
        const nc_vec3 a = data.vertices[data.triangles[t][0]];
        const nc_vec3 n =
            nc_cross(nc_sub(data.vertices[data.triangles[t][1]], a), nc_sub(data.vertices[data.triangles[t][2]], a));
        assert_true(n.y < 0);
        area += 0.5 * nc_norm(n);
    }
    check_near(area, 6, 1e-14);
}

static void degenerate_elements_are_dropped_and_counted(void **state)
{
    (void)state;
    nc_mesh_file_info info;
    nc_mesh *mesh = load_text(CORNERS "f 1 1 2\nf 1 2 3\nl 3 3 4\nf 1 2 2 3 3\nf 1 1 1 2\nf 1 2 1 2\n", &info);
    const nc_mesh_data data = nc_mesh_view(mesh);
    assert_int_equal(data.triangle_count, 2);
    assert_int_equal(info.dropped_elements, 5); // 1 1 2; 3 3; 1 1 1 2; the two of 1 2 1 2
    assert_string_equal(info.format, "obj");
    assert_false(info.single_precision);
    nc_mesh_release(mesh);
}

static void check_refused(const char *text, int line, int column, const char *words)
{
    nc_error err = {0};
    nc_mesh *mesh = NULL;
    const char *path = scratch_text("refused.obj", text);
    const nc_code code = nc_mesh_load(path, NULL, &mesh, NULL, &err);
    if (code != NC_BAD_FILE || err.line != line || (column > 0 && err.column != column) ||
        strstr(err.text, words) == NULL || strcmp(err.file, path) != 0)
        fail_msg("%s\ngave %s at %s:%d:%d: %s; wanted line %d column %d '%s'", text, nc_code_name(code), err.file,
                 err.line, err.column, err.text, line, column, words);
    assert_null(mesh);
}

static void the_reader_names_the_line_and_column_of_what_is_wrong(void **state)
{
    (void)state;
    check_refused(CORNERS "f 1 2 9\n", 5, 7, "found '9', but only 4 vertices exist");
    check_refused(CORNERS "f 1 2 -5\n", 5, 7, "only 4 vertices exist");
    check_refused(CORNERS "f 1 2 0\n", 5, 7, "count from 1");
    check_refused(CORNERS "f 1 2 99999999999999999999999\n", 5, 7, "only 4 vertices exist");
    check_refused(CORNERS "f 1 2 3x\n", 5, 7, "found '3x'");
    check_refused(CORNERS "f 1 2 3.0\n", 5, 7, "a corner is written");
    check_refused(CORNERS "f 1 2 3/x\n", 5, 7, "a corner is written");
    check_refused(CORNERS "f 1 2 3/1/2/3\n", 5, 7, "a corner is written");
    check_refused(CORNERS "f 1 2 3/7/\n", 5, 7, "a corner is written");
    check_refused(CORNERS "f 1 2\n", 5, 0, "at least three corners");
    check_refused(CORNERS "f\n", 5, 0, "at least three corners");
    check_refused(CORNERS "l 1\n", 5, 0, "at least two vertices");
    check_refused(CORNERS "p\n", 5, 0, "names no vertex");
    check_refused(CORNERS "p 5\n", 5, 3, "only 4 vertices exist");
    check_refused("v 0 0 0\nf 1 2 3\nv 1 0 0\nv 0 1 0\n", 2, 5, "only 1 vertices exist up to here");
    check_refused("v 0 0\n", 1, 0, "three coordinates");
    check_refused("v 0 nan 0\n", 1, 5, "finite");
    check_refused("v 0 -NaN 0\n", 1, 5, "finite");
    check_refused("v 0 inf 0\n", 1, 5, "finite");
    check_refused("v 0 -Infinity 0\n", 1, 5, "finite");
    check_refused("v 0 1e999 0\n", 1, 5, "2^100");
    check_refused("v 0 1e40 0\n", 1, 5, "2^100");
    check_refused("v 0 0x10 0\n", 1, 5, "must be a number");
    check_refused("v 0 1,5 0\n", 1, 5, "found '1,5'");
    check_refused("v 0 1e 0\n", 1, 5, "must be a number");
    check_refused("v 0 . 0\n", 1, 5, "must be a number");
    check_refused("v 0 0 0 red\n", 1, 9, "must be a number");
    check_refused("# x\r\nv 0 0 0\r\n\r\nv 1 \\\r\n a 0\r\n", 5, 2, "found 'a'");
    check_refused("v 0 0 0\nv \x01\xff 0 0\n", 2, 3, "found '\?\?'");
    check_refused("v 0 0 0\n", 0, 0, "no elements");
    check_refused("nothing here\n", 0, 0, "no elements");
    check_refused(CORNERS "f 1 1 2\n", 0, 0, "use a vertex twice");
}

static void zero_bytes_and_giant_faces_are_refused(void **state)
{
    (void)state;
    nc_mesh *mesh = NULL;
    nc_error err;
    const char zero[] = "v 0 0 0\nv 1 0\0 0\n";
    assert_int_equal(nc_mesh_load(scratch_write("zero.obj", zero, sizeof zero - 1), NULL, &mesh, NULL, &err),
                     NC_BAD_FILE);
    char *giant = malloc(100000);
    size_t at = (size_t)sprintf(giant, CORNERS "f");
    for (int i = 0; i < 4097; i++)
        at += (size_t)sprintf(giant + at, " %d", 1 + i % 4);
    check_refused(giant, 5, 0, "more than 4096 corners");
    free(giant);
}

static void files_that_cannot_be_read_say_so(void **state)
{
    (void)state;
    nc_mesh *mesh = NULL;
    nc_error err;
    assert_int_equal(nc_mesh_load(scratch_path("absent.obj"), NULL, &mesh, NULL, &err), NC_NOT_FOUND);
    assert_non_null(strstr(err.file, "absent.obj"));
    assert_int_equal(nc_mesh_load(scratch_folder, NULL, &mesh, NULL, &err), NC_IO);
    assert_int_equal(nc_mesh_load(scratch_text("empty.obj", ""), NULL, &mesh, NULL, &err), NC_BAD_FILE);
    assert_non_null(strstr(err.text, "empty"));
    const char *fifo = scratch_path("pipe.obj");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_int_equal(nc_mesh_load(fifo, NULL, &mesh, NULL, &err), NC_IO);
    assert_int_equal(nc_mesh_load(scratch_text("noname", "what is this\n"), NULL, &mesh, NULL, &err), NC_BAD_FILE);
    assert_int_equal(nc_mesh_load(scratch_text("noname", CORNERS "f 1 2 3\n"), NULL, &mesh, NULL, NULL), NC_OK);
    nc_mesh_release(mesh);
}

// ---- numbers ------------------------------------------------------------------------------------------------

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static void check_number(const char *text)
{
    double got = 0;
    const char *end = nc_number_scan(text, &got);
    assert_non_null(end);
    assert_int_equal(*end, '\0');
    const double wanted = strtod(text, NULL);
    if (bits_of(got) != bits_of(wanted))
        fail_msg("'%s' became %.17g, wanted %.17g", text, got, wanted);
}

static void numbers_are_rounded_like_the_c_library_rounds_them(void **state)
{
    (void)state;
    const uint64_t seed = check_seed("numbers", 72);
    nc_random random = {seed};
    const char *hard[] = {"0",
                          "-0",
                          "1",
                          "9007199254740993",
                          "9007199254740992.5",
                          "0.1",
                          "1e22",
                          "1e23",
                          "1e-22",
                          "9007199254740993e-1",
                          "4.35",
                          "2.2250738585072011e-308",
                          "4.9e-324",
                          "2e-324",
                          "1.7976931348623157e308",
                          "1e400",
                          "123456789012345678901234567890",
                          "0.000000000000000000000000001",
                          "1.00000000000000011102230246251565404",
                          "1.00000000000000011102230246251565405",
                          "18446744073709551615e-5",
                          "9999999999999999999e-21",
                          "1e-400",
                          "00000000000000000000001.5",
                          "0.00000000000000000000012345678901234567",
                          ".5",
                          "5.",
                          "-1.5E+3"};
    for (size_t i = 0; i < sizeof hard / sizeof hard[0]; i++)
        check_number(hard[i]);
    for (int i = 0; i < check_effort(300000); i++) {
        char text[64];
        const double x = ldexp(nc_random_range(&random, -1, 1), (int)(nc_random_u64(&random) % 140) - 70);
        snprintf(text, sizeof text, "%.*g", 1 + (int)(nc_random_u64(&random) % 19), x);
        check_number(text);
        // half way between two doubles, and just beside it
        snprintf(text, sizeof text, "%llu%s", (unsigned long long)((nc_random_u64(&random) >> 10) | 1),
                 i % 2 ? "e-3" : ".5");
        check_number(text);
    }
}

static void things_that_are_no_numbers_are_not_read(void **state)
{
    (void)state;
    double x;
    const char *texts[] = {"", ".", "+", "-.", "e5", "nan", "inf", "x1", " 1"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_null(nc_number_scan(texts[i], &x));
    assert_string_equal(nc_number_scan("1e+", &x), "e+");
    assert_string_equal(nc_number_scan("0x1p3", &x), "x1p3");
}

// Makes a German locale and puts the program into it; false when the tools or their data are not there.
static bool enter_comma_locale(void)
{
    char command[300];
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s > /dev/null 2>&1", scratch_path("de_DE.UTF-8"));
    setenv("LOCPATH", scratch_folder, 1);
    return system(command) == 0 && setlocale(LC_NUMERIC, "de_DE.UTF-8") != NULL &&
           strcmp(localeconv()->decimal_point, ",") == 0;
}

static void a_locale_with_a_comma_changes_nothing(void **state)
{
    (void)state;
    if (!enter_comma_locale()) {
        print_message("SKIPPED: no German locale can be made (package locales)\n");
        const char *required = getenv("NACRE_REQUIRE_ALL");
        assert_false(required != NULL && strcmp(required, "1") == 0);
        skip();
    }
    assert_true(strtod("0,5", NULL) == 0.5);
    // 20 digits and a large exponent: the way through strtod
    const nc_mesh_data data = view_text("v 0.5 0.12345678901234567890123 1.5e-30\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    assert_true(data.vertices[0].x == 0.5 && data.vertices[0].y == 0.12345678901234567890123);
    assert_true(data.vertices[0].z == 1.5e-30);
    nc_mesh *mesh = load_text("v 0.5 0.25 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", NULL);
    nc_error err;
    const char *path = scratch_path("comma.obj");
    check_ok(nc_mesh_save(mesh, path, &err), err);
    nc_mesh_release(mesh);
    FILE *file = fopen(path, "r");
    char line[200];
    while (fgets(line, sizeof line, file) != NULL)
        assert_true(line[0] == '#' || strchr(line, ',') == NULL);
    fclose(file);
    assert_string_equal(localeconv()->decimal_point, ",");
    setlocale(LC_NUMERIC, "C");
    unsetenv("LOCPATH");
}

// ---- writing ------------------------------------------------------------------------------------------------

static double wild_number(nc_random *random)
{
    if (nc_random_u64(random) % 8 == 0)
        return 0;
    return ldexp(nc_random_range(random, -1, 1), (int)(nc_random_u64(random) % 160) - 80);
}

static void saved_meshes_come_back_to_the_bit(void **state)
{
    (void)state;
    const uint64_t seed = check_seed("saved_meshes", 73);
    nc_random random = {seed};
    const char *path = scratch_path("round.obj");
    for (int trial = 0; trial < check_effort(100); trial++) {
        nc_vec3 vertices[50];
        int triangles[20][3], edges[10][2], points[5];
        for (int i = 0; i < 50; i++)
            vertices[i] = nc_v3(wild_number(&random), wild_number(&random), wild_number(&random));
        for (int i = 0; i < 20; i++)
            for (int k = 0; k < 3; k++)
                triangles[i][k] = (int)(nc_random_u64(&random) % 13) * 3 + k;
        for (int i = 0; i < 10; i++)
            for (int k = 0; k < 2; k++)
                edges[i][k] = 20 + (int)(nc_random_u64(&random) % 10) * 2 + k;
        for (int i = 0; i < 5; i++)
            points[i] = (int)(nc_random_u64(&random) % 50);
        const nc_mesh_def def = {vertices, 50, (const int(*)[3])triangles, 20, (const int(*)[2])edges, 10, points, 5};
        nc_mesh *mesh = NULL, *back = NULL;
        nc_error err;
        check_ok(nc_mesh_create(&def, NULL, &mesh, &err), err);
        check_ok(nc_mesh_save(mesh, path, &err), err);
        check_ok(nc_mesh_load(path, NULL, &back, NULL, &err), err);
        assert_true(nc_mesh_view(mesh).hash == nc_mesh_view(back).hash);
        nc_mesh_release(mesh);
        nc_mesh_release(back);
    }
}

static void tiny_coordinates_become_zero(void **state)
{
    (void)state;
    const nc_mesh_data data = view_text("v 1e-300 1e-31 7.9e-31\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    assert_true(data.vertices[0].x == 0 && data.vertices[0].y == 0 && data.vertices[0].z == 7.9e-31);
}

static void a_save_that_fails_leaves_the_old_file(void **state)
{
    (void)state;
    nc_error err;
    nc_mesh *mesh = NULL;
    check_ok(nc_shape_create("sphere", &(nc_shape_parameter){"splits", 40}, 1, NULL, &mesh, &err), err);
    assert_int_equal(nc_mesh_save(mesh, scratch_path("no/such/folder.obj"), &err), NC_IO);
    assert_int_equal(nc_mesh_save(mesh, "/dev/null", &err), NC_IO);
    const char *path = scratch_text("old.obj", "old");
    // a full disk, as far as this process can tell
    struct rlimit before, small = {200000, 200000};
    getrlimit(RLIMIT_FSIZE, &before);
    small.rlim_max = before.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    assert_int_equal(nc_mesh_save(mesh, path, &err), NC_IO);
    setrlimit(RLIMIT_FSIZE, &before);
    char text[4] = "";
    FILE *file = fopen(path, "r");
    assert_int_equal(fread(text, 1, 4, file), 3);
    fclose(file);
    char command[200];
    snprintf(command, sizeof command, "test -z \"$(ls %s | grep part)\"", scratch_folder);
    assert_int_equal(system(command), 0);
    nc_mesh_release(mesh);
}

// ---- memory -------------------------------------------------------------------------------------------------

static nc_code load_and_save(const nc_allocator *allocator, void *ctx)
{
    const char *const *paths = ctx;
    nc_mesh *mesh = NULL;
    nc_code code = nc_mesh_load(paths[0], allocator, &mesh, NULL, NULL);
    if (code == NC_OK)
        code = nc_mesh_save(mesh, paths[1], NULL);
    nc_mesh_release(mesh);
    return code;
}

static void every_failing_allocation_is_a_clean_error(void **state)
{
    (void)state;
    const char *paths[] = {scratch_text("memory.obj", CORNERS "v 2 2 2\nf 1 2 3 4\nl 1 5\np 5\n"),
                           scratch_path("memory-out.obj")};
    assert_true(fail_at_every_call(load_and_save, (void *)paths) > 10);
}

// Any bytes at all: an answer, no crash.
static void random_text_never_crashes_the_reader(void **state)
{
    (void)state;
    const uint64_t seed = check_seed("random_text", 74);
    nc_random random = {seed};
    static const char letters[] = "vvvffflp 0123456789.-+e/\\#\n\n\r\t    nx";
    for (int trial = 0; trial < check_effort(2000); trial++) {
        char text[400];
        const size_t size = 1 + nc_random_u64(&random) % (sizeof text - 1);
        for (size_t i = 0; i < size; i++)
            text[i] = letters[nc_random_u64(&random) % (sizeof letters - 1)];
        nc_mesh *mesh = NULL;
        nc_mesh_load(scratch_write("random.obj", text, size), NULL, &mesh, NULL, NULL);
        nc_mesh_release(mesh);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faces_lines_and_points_are_kept),
        cmocka_unit_test(corners_may_be_written_in_every_form),
        cmocka_unit_test(line_ends_comments_marks_and_other_statements_do_not_matter),
        cmocka_unit_test(polygons_become_triangles_and_concave_ones_are_cut_right),
        cmocka_unit_test(degenerate_elements_are_dropped_and_counted),
        cmocka_unit_test(the_reader_names_the_line_and_column_of_what_is_wrong),
        cmocka_unit_test(zero_bytes_and_giant_faces_are_refused),
        cmocka_unit_test(files_that_cannot_be_read_say_so),
        cmocka_unit_test(numbers_are_rounded_like_the_c_library_rounds_them),
        cmocka_unit_test(things_that_are_no_numbers_are_not_read),
        cmocka_unit_test(a_locale_with_a_comma_changes_nothing),
        cmocka_unit_test(saved_meshes_come_back_to_the_bit),
        cmocka_unit_test(tiny_coordinates_become_zero),
        cmocka_unit_test(a_save_that_fails_leaves_the_old_file),
        cmocka_unit_test(every_failing_allocation_is_a_clean_error),
        cmocka_unit_test(random_text_never_crashes_the_reader),
    };
    const int failed = cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
    view_text(NULL);
    return failed;
}
