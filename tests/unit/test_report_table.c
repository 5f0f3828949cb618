// One table of reported numbers: every row of nacre/report.def and nacre/cloth_report.def is a field, a column of run
// files, part of summaries, documented, and a key of `expect` where it says so. NACRE_UPDATE=1 writes docs/run-file.md
// again.
#include "check.h"

#include "nacre/nacre.h"

#include "cloth/cloth.h"
#include "run/run.h"
#include "scene/keys.h"
#include "scene/scene.h"
#include "scene_text.h"
#include "world/world.h"

#define DOCUMENT NACRE_SOURCE_DIR "/docs/run-file.md"

static size_t size_of(const nc_report_field *row)
{
    return row->kind == NC_FIELD_WHOLE ? sizeof(int) : sizeof(double);
}

// ---- the structs --------------------------------------------------------------------------------------------

static void cover(unsigned char *bytes, const nc_report_field *rows, int count)
{
    for (int i = 0; i < count; i++)
        for (size_t k = 0; k < size_of(&rows[i]); k++) {
            if (bytes[rows[i].offset + k]++ != 0)
                fail_msg("%s lies where another row lies", rows[i].name);
        }
}

// Bytes that no row covers are less than an int, which is padding.
static void check_covered(const unsigned char *bytes, size_t size)
{
    size_t bare = 0;
    for (size_t i = 0; i < size; i++) {
        bare = bytes[i] == 0 ? bare + 1 : 0;
        const bool padding = bare == sizeof(int) && i % sizeof(double) == sizeof(double) - 1;
        if (bare >= sizeof(int) && !padding)
            fail_msg("byte %zu of the struct is in no row", i);
    }
}

static void every_field_of_the_reports_has_a_row(void **state)
{
    (void)state;
    int count;
    unsigned char step[sizeof(nc_step_report)] = {0}, cloth[sizeof(nc_cloth_report)] = {0};
    const nc_report_field *rows = nc_report_rows(&count);
    cover(step, rows, count);
    check_covered(step, sizeof step);
    // What reports of cloth have in common with those of steps is stored as those are.
#define COMMON(name)                                                                                                   \
    {                                                                                                                  \
#name, "", "", offsetof(nc_cloth_report, name), NC_FIELD_REAL, NC_FIELD_LAST, NC_FIELD_STORED                  \
    }
    static const nc_report_field common[] = {COMMON(frame),
                                             COMMON(time),
                                             COMMON(kinetic),
                                             COMMON(momentum.x),
                                             COMMON(momentum.y),
                                             COMMON(momentum.z),
                                             COMMON(angular_momentum.x),
                                             COMMON(angular_momentum.y),
                                             COMMON(angular_momentum.z),
                                             COMMON(seconds_total)};
    rows = nc_cloth_report_rows(&count);
    cover(cloth, rows, count);
    cover(cloth, common, (int)(sizeof common / sizeof common[0]));
    check_covered(cloth, sizeof cloth);
}

static void no_two_columns_have_one_name(void **state)
{
    (void)state;
    for (int i = 0; nc_run_summary_field(i, NULL).name != NULL; i++)
        for (int k = 0; k < i; k++)
            assert_string_not_equal(nc_run_summary_field(i, NULL).name, nc_run_summary_field(k, NULL).name);
}

static void every_row_is_read_from_and_written_to_run_files_in_its_order(void **state)
{
    (void)state;
    for (int cloth = 0; cloth < 2; cloth++) {
        int count;
        const nc_report_field *rows = cloth ? nc_cloth_report_rows(&count) : nc_report_rows(&count);
        const char *select = strstr(nc_schema_sql(cloth ? NC_SQL_SELECT_CLOTH : NC_SQL_SELECT_REPORT), "frame, ");
        const char *insert = strstr(nc_schema_sql(cloth ? NC_SQL_INSERT_CLOTH : NC_SQL_INSERT_REPORT), "frame, ");
        for (int i = 0; i < count; i++) {
            char name[64];
            snprintf(name, sizeof name, ", %s, ", rows[i].name);
            select = strstr(select, name);
            insert = strstr(insert, name);
            if (select == NULL || insert == NULL)
                fail_msg("%s is no column, or not in its order", rows[i].name);
            select++;
            insert++;
        }
    }
}

// ---- what several steps come to -----------------------------------------------------------------------------

// The run's summary and a frame's row are made by different code from the same rules.
static void a_summary_of_steps_is_what_a_frame_of_them_stores(void **state)
{
    (void)state;
    nc_random random = {check_seed("summary", 5)};
    int count;
    const nc_report_field *rows = nc_report_rows(&count);
    for (int trial = 0; trial < check_effort(200); trial++) {
        const nc_model_report start = {0};
        nc_step_report sum = {0};
        nc_run_summary summary = nc_run_summary_start(&start);
        const int steps = 1 + (int)(nc_random_unit(&random) * 5);
        for (int k = 0; k < steps; k++) {
            nc_model_report next = {0};
            for (int i = 0; i < count; i++)
                if (nc_field_is_whole(&rows[i]))
                    nc_field_set_whole(&rows[i], &next.common, (int64_t)(nc_random_unit(&random) * 6) - 1);
                else
                    nc_field_set(&rows[i], &next.common, floor(nc_random_unit(&random) * 6));
            if (k == 0)
                sum = next.common;
            else
                nc_report_add(rows, count, &sum, &next.common);
            nc_run_summary_add(&summary, &next);
        }
        for (int i = 0; i < count; i++) {
            const nc_report_field field = nc_run_summary_field(i, NULL);
            if (nc_field_value(&field, &summary) != nc_field_value(&rows[i], &sum))
                fail_msg("%s after %d steps: %g in the summary, %g in a frame", rows[i].name, steps,
                         nc_field_value(&field, &summary), nc_field_value(&rows[i], &sum));
        }
        assert_int_equal(summary.reports, steps);
    }
}

static void counts_of_a_summary_do_not_overflow(void **state)
{
    (void)state;
    const nc_model_report start = {0}, many = {.common = {.contacts = INT_MAX}};
    nc_run_summary summary = nc_run_summary_start(&start);
    for (int i = 0; i < 3; i++)
        nc_run_summary_add(&summary, &many);
    assert_true(summary.contacts == 3 * (int64_t)INT_MAX);
    check_near(nc_run_summary_start(&start).smallest_distance, -1, 0);
}

// ---- expect -------------------------------------------------------------------------------------------------

static int judge(const char *key, double wanted, const nc_run_summary *summary)
{
    char text[128];
    snprintf(text, sizeof text, "nacre: 1\nexpect: {%s: %.17g}", key, wanted);
    nc_scene *scene = scene_of(text);
    nc_world *world = world_of(scene);
    nc_error err;
    int failed = -1;
    check_ok(nc_scene_judge(scene, summary, nc_model_of_world(world), &failed, NULL, &err), err);
    nc_world_destroy(world);
    nc_scene_destroy(scene);
    return failed;
}

static void rows_that_are_judged_are_keys_of_expect_and_the_others_are_not(void **state)
{
    (void)state;
    int judged = 0;
    nc_report_field field;
    for (int i = 0; (field = nc_run_summary_field(i, NULL)).name != NULL; i++) {
        bool is_key = false;
        for (int k = 0; k < nc_expect_block.key_count; k++)
            is_key = is_key || (nc_expect_block.keys[k].kind == NC_KEY_RANGE && // not "bodies", which are others
                                strcmp(nc_expect_block.keys[k].name, field.name) == 0);
        if (is_key != (field.use != NC_FIELD_STORED))
            fail_msg("%s: %s", field.name, is_key ? "a key, and the row does not say so" : "no key of expect");
        if (!is_key)
            continue;
        nc_run_summary summary = {.frames = 1};
        if (nc_field_is_whole(&field))
            nc_field_set_whole(&field, &summary, 17);
        else
            nc_field_set(&field, &summary, 17);
        if (judge(field.name, 17, &summary) != 0 || judge(field.name, 18, &summary) != 1)
            fail_msg("%s is judged by another number", field.name);
        judged++;
    }
    assert_true(judged >= 25);
}

// ---- documentation ------------------------------------------------------------------------------------------

static char *read_document(void)
{
    FILE *file = fopen(DOCUMENT, "rb");
    if (file == NULL)
        fail_msg("cannot read %s", DOCUMENT);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const long size = ftell(file);
    rewind(file);
    char *text = calloc((size_t)size + 1, 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, file), size);
    fclose(file);
    return text;
}

static void check_documented(bool cloth, const char *begin_mark, const char *end_mark)
{
    nc_buffer table = nc_buffer_create(NULL);
    assert_true(nc_run_write_column_table(&table, cloth));
    char *text = read_document(), *begin = strstr(text, begin_mark), *end = strstr(text, end_mark);
    assert_non_null(begin);
    assert_non_null(end);
    begin += strlen(begin_mark);
    if (getenv("NACRE_UPDATE") != NULL) {
        FILE *file = fopen(DOCUMENT, "wb");
        assert_non_null(file);
        fprintf(file, "%.*s%.*s%s", (int)(begin - text), text, (int)table.size, (const char *)table.data, end);
        assert_int_equal(fclose(file), 0);
    } else if (table.size != (size_t)(end - begin) || memcmp(begin, table.data, table.size) != 0) {
        fail_msg("a table in docs/run-file.md is out of date: run test_report_table with NACRE_UPDATE=1");
    }
    nc_buffer_free(&table);
    free(text);
}

static void the_documented_columns_are_those_of_the_tables(void **state)
{
    (void)state;
    check_documented(false, "<!-- report: made from include/nacre/report.def -->\n", "<!-- end of report -->");
    check_documented(true, "<!-- cloth: made from include/nacre/cloth_report.def -->\n", "<!-- end of cloth -->");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_of_the_reports_has_a_row),
        cmocka_unit_test(no_two_columns_have_one_name),
        cmocka_unit_test(every_row_is_read_from_and_written_to_run_files_in_its_order),
        cmocka_unit_test(a_summary_of_steps_is_what_a_frame_of_them_stores),
        cmocka_unit_test(counts_of_a_summary_do_not_overflow),
        cmocka_unit_test(rows_that_are_judged_are_keys_of_expect_and_the_others_are_not),
        cmocka_unit_test(the_documented_columns_are_those_of_the_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
