// Studies: samples, values of parameters, study files, and rows that take one result.
#include "check.h"
#include "scratch.h"

#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- samples ------------------------------------------------------------------------------------------------

static void the_first_sobol_points_are_those_of_the_tables(void **state)
{
    (void)state;
    // Joe and Kuo's generator prints these, in binary order instead of Gray code's.
    static const double wanted[4][3] = {{0, 0, 0}, {0.5, 0.5, 0.5}, {0.25, 0.75, 0.75}, {0.75, 0.25, 0.25}};
    for (uint32_t i = 0; i < 4; i++)
        for (int d = 0; d < 3; d++)
            assert_true(nc_sobol(i, d) * 0x1p-32 == wanted[i][d]);
}

static void every_part_of_every_axis_has_one_sobol_point(void **state)
{
    (void)state;
    enum { BITS = 10, COUNT = 1 << BITS };
    for (int d = 0; d < NC_SOBOL_DIMENSIONS; d++) {
        uint8_t seen[COUNT] = {0};
        for (uint32_t i = 0; i < COUNT; i++)
            seen[nc_sobol(i, d) >> (32 - BITS)]++;
        for (int k = 0; k < COUNT; k++)
            assert_int_equal(seen[k], 1);
    }
}

// Of a sequence of quality t in two dimensions, every box of side 1/4 has as many of the first 2^14 points as any other
// when t is at most 10.
static void pairs_of_sobol_dimensions_fill_the_square(void **state)
{
    (void)state;
    enum { BITS = 14, SIDE = 2, COUNT = 1 << BITS };
    static uint8_t part[NC_SOBOL_DIMENSIONS][COUNT];
    for (int d = 0; d < NC_SOBOL_DIMENSIONS; d++)
        for (uint32_t i = 0; i < COUNT; i++)
            part[d][i] = (uint8_t)(nc_sobol(i, d) >> (32 - SIDE));
    for (int a = 0; a < NC_SOBOL_DIMENSIONS; a++)
        for (int b = 0; b < a; b++) {
            int seen[1 << (2 * SIDE)] = {0};
            for (int i = 0; i < COUNT; i++)
                seen[part[a][i] << SIDE | part[b][i]]++;
            for (int k = 0; k < 1 << (2 * SIDE); k++)
                assert_int_equal(seen[k], COUNT >> (2 * SIDE));
        }
}

static void latin_samples_have_one_point_in_every_part(void **state)
{
    (void)state;
    enum { COUNT = 37, DIMENSIONS = 5 };
    double points[COUNT * DIMENSIONS];
    nc_error err;
    const uint64_t seed = check_seed("latin", 1);
    assert_int_equal(nc_study_sample(NC_STUDY_LATIN, (int64_t)(seed >> 12), COUNT, DIMENSIONS, points, &err), NC_OK);
    for (int d = 0; d < DIMENSIONS; d++) {
        int seen[COUNT] = {0};
        for (int i = 0; i < COUNT; i++)
            seen[(int)floor(points[i * DIMENSIONS + d] * COUNT)]++;
        for (int k = 0; k < COUNT; k++)
            assert_int_equal(seen[k], 1);
    }
}

static void samples_are_those_of_their_seed(void **state)
{
    (void)state;
    for (int method = 0; method < NC_STUDY_METHOD_COUNT; method++) {
        double a[40], b[40], c[40];
        nc_error err;
        assert_int_equal(nc_study_sample((nc_study_method)method, 7, 10, 4, a, &err), NC_OK);
        assert_int_equal(nc_study_sample((nc_study_method)method, 7, 10, 4, b, &err), NC_OK);
        assert_int_equal(nc_study_sample((nc_study_method)method, 8, 10, 4, c, &err), NC_OK);
        assert_memory_equal(a, b, sizeof a);
        assert_memory_not_equal(a, c, sizeof a);
        for (int i = 0; i < 40; i++)
            assert_true(a[i] >= 0 && a[i] < 1);
    }
}

static void the_shortest_text_reads_as_the_same_number(void **state)
{
    (void)state;
    nc_random random = {check_seed("text", 2)};
    char text[40];
    assert_string_equal(nc_shortest_text(0.1, text, sizeof text), "0.1");
    assert_string_equal(nc_shortest_text(3, text, sizeof text), "3");
    for (int i = 0; i < 1000; i++) {
        const double value = ldexp(nc_random_unit(&random) - 0.5, (int)(nc_random_u64(&random) % 200) - 100);
        assert_true(strtod(nc_shortest_text(value, text, sizeof text), NULL) == value);
    }
}

// ---- study files --------------------------------------------------------------------------------------------

static const char scene[] = "nacre: 1\nworld: {timestep: 1/24, duration: 1}\nshapes: {b: {generate: box}}\n"
                            "bodies: [{name: b, shape: b}]\n";

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static nc_code read_text(const char *text, nc_study_plan *out, nc_error *err)
{
    write_text("scene.yaml", scene);
    write_text("study.yaml", text);
    return nc_study_plan_read("study.yaml", out, err);
}

#define HEAD "nacre_study: 1\nscene: scene.yaml\n"

static void lists_form_a_grid_with_all_samples_and_seeds(void **state)
{
    (void)state;
    nc_study_plan plan;
    nc_error err = {0};
    const nc_code code = read_text(HEAD "parameters:\n  world.friction: [0.1, 0.2]\n"
                                        "  d: {set: world.duration, from: 1, to: 3, count: 3}\n"
                                        "  g: {set: world.restitution, low: 0, high: 1}\n"
                                        "sample: {method: sobol, count: 2}\nrepeat: {count: 2, first: 5}\n",
                                   &plan, &err);
    if (code != NC_OK)
        print_error("%s\n", err.text);
    assert_int_equal(code, NC_OK);
    assert_int_equal(plan.run_count, 2 * 3 * 2 * 2);
    // Every combination once.
    char seen[24][4][40] = {0};
    for (int n = 1; n <= 24; n++)
        for (int p = 0; p < 4; p++)
            nc_study_plan_value(&plan, n, p, seen[n - 1][p], sizeof seen[0][0]);
    for (int a = 0; a < 24; a++)
        for (int b = 0; b < a; b++)
            assert_memory_not_equal(seen[a], seen[b], sizeof seen[a]);
    assert_string_equal(seen[0][0], "0.1");
    assert_string_equal(seen[0][1], "1");
    assert_string_equal(seen[0][2], "0");
    assert_string_equal(seen[1][2], "0.5");
    assert_string_equal(seen[0][3], "5");
    assert_string_equal(seen[2][3], "6");
    assert_string_equal(seen[23][0], "0.2");
    assert_string_equal(seen[23][1], "3");
    nc_study_plan_free(&plan);
}

static void mistakes_have_a_line_and_a_sentence(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
        int line;
    } cases[] = {
        {"nacre_study: 2\nscene: scene.yaml\n", "1", 1},
        {HEAD "parametres: {}\n", "parameters", 3},
        {HEAD "parameters: {a: 3}\n", "a list of values", 3},
        {HEAD "parameters:\n  world.friction: []\n", "at least one", 4},
        {HEAD "parameters:\n  world.friction: {low: 0, high: 1}\n", "sample", 4},
        {HEAD "parameters:\n  world.friction: {low: 1, high: 1}\nsample: {method: latin, count: 2}\n", "below high", 4},
        {HEAD "parameters:\n  world.friction: {from: 0, to: 1}\n", "count", 4},
        {HEAD "parameters:\n  hash: {set: world.friction, values: [1]}\n", "another", 4},
        {HEAD "repeat: {count: 2}\nmeasure:\n  a: contcats\n", "did you mean \"contacts\"", 5},
        {HEAD "repeat: {count: 2}\nsample: {method: latin, count: 3}\n", "nothing to sample", 4},
        {HEAD "parameters:\n  seed: [1]\nrepeat: {count: 2}\n", "already", 5},
        {HEAD "parameters:\n  a: {set: world.friction, from: 1, to: 2, count: 1000000}\nrepeat: {count: 9}\n",
         "at most", 1},
        {HEAD "keep: some\nrepeat: {count: 2}\n", "all", 3},
        {HEAD, "parameters", 1},
        {HEAD "parameters:\n  world.frictoin: [1]\n", "friction", 1}, // of the override
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nc_study_plan plan;
        nc_error err = {0};
        assert_int_not_equal(read_text(cases[i].text, &plan, &err), NC_OK);
        if (strstr(err.text, cases[i].says) == NULL || err.line != cases[i].line)
            print_error("case %zu: line %d: %s\n", i, err.line, err.text);
        assert_non_null(strstr(err.text, cases[i].says));
        assert_int_equal(err.line, cases[i].line);
        nc_study_plan_free(&plan);
    }
}

// ---- rows ---------------------------------------------------------------------------------------------------

static void make_study(nc_study *out)
{
    nc_study_plan plan;
    nc_error err = {0};
    assert_int_equal(
        read_text(HEAD "parameters: {world.friction: [0.1, 0.2, 0.3]}\nmeasure: {k: kinetic}\n", &plan, &err), NC_OK);
    assert_int_equal(nc_study_create("a.nacre-study", &plan, &err), NC_OK);
    nc_study_plan_free(&plan);
    assert_int_equal(nc_study_open("a.nacre-study", true, out, &err), NC_OK);
}

static void leave_result(const nc_study *study, int64_t number, const char *hash)
{
    nc_study_result result = {.number = number, .attempts = 1};
    char value[1][NC_STUDY_VALUE_SIZE] = {"2.5"};
    nc_error err = {0};
    snprintf(result.hash, sizeof result.hash, "%s", hash);
    assert_int_equal(nc_study_write_result(study, &result, value, &err), NC_OK);
}

static void a_row_takes_one_result(void **state)
{
    (void)state;
    nc_study study;
    nc_error err = {0};
    nc_study_counts counts;
    int stored = 0;
    make_study(&study);
    leave_result(&study, 2, "first");
    assert_int_equal(nc_study_collect(&study, &stored, &err), NC_OK);
    assert_int_equal(stored, 1);
    leave_result(&study, 2, "second");
    assert_int_equal(nc_study_collect(&study, &stored, &err), NC_OK);
    assert_int_equal(stored, 0);
    char hash[32];
    assert_int_equal(
        nc_sql_query_text(&study.file, "select hash from run where number = 2 and k = 2.5", hash, sizeof hash, &err),
        NC_OK);
    assert_string_equal(hash, "first");
    assert_int_equal(nc_study_count(&study, &counts, &err), NC_OK);
    assert_int_equal(counts.done, 1);
    assert_int_equal(counts.waiting, 2);
    nc_study_close(&study);
}

static void a_result_that_was_cut_short_or_is_of_another_study_is_none(void **state)
{
    (void)state;
    nc_study study;
    nc_error err = {0};
    char path[PATH_MAX];
    int stored = 0;
    make_study(&study);
    write_text(nc_study_name(&study, NC_STUDY_RESULT, 1, path), "");
    write_text(nc_study_name(&study, NC_STUDY_RESULT, 3, path),
               "{\"study\": \"other\", \"number\": 3, \"status\": \"done\", \"measurements\": {}}");
    assert_int_equal(nc_study_collect(&study, &stored, &err), NC_OK);
    assert_int_equal(stored, 0);
    assert_int_not_equal(access(path, F_OK), 0); // gone, so that the run is made again
    nc_study_close(&study);
}

static void one_coordinator_at_a_time(void **state)
{
    (void)state;
    nc_study study, second;
    nc_error err = {0};
    make_study(&study);
    assert_int_equal(nc_study_open("a.nacre-study", true, &second, &err), NC_IO);
    assert_int_equal(nc_study_open("a.nacre-study", false, &second, &err), NC_OK);
    nc_study_close(&second);
    nc_study_close(&study);
}

static int enter_scratch(void **state)
{
    return scratch_setup(state) == 0 ? chdir(scratch_folder) : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_sobol_points_are_those_of_the_tables),
        cmocka_unit_test(every_part_of_every_axis_has_one_sobol_point),
        cmocka_unit_test(pairs_of_sobol_dimensions_fill_the_square),
        cmocka_unit_test(latin_samples_have_one_point_in_every_part),
        cmocka_unit_test(samples_are_those_of_their_seed),
        cmocka_unit_test(the_shortest_text_reads_as_the_same_number),
        cmocka_unit_test(lists_form_a_grid_with_all_samples_and_seeds),
        cmocka_unit_test(mistakes_have_a_line_and_a_sentence),
        cmocka_unit_test(a_row_takes_one_result),
        cmocka_unit_test(a_result_that_was_cut_short_or_is_of_another_study_is_none),
        cmocka_unit_test(one_coordinator_at_a_time),
    };
    return cmocka_run_group_tests(tests, enter_scratch, scratch_teardown);
}
