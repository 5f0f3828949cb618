// What is measured of a run: numbers of its summary, or SQL on its file.
#include "study/measure.h"

#include "io/io.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

// What `nacre run --json` prints outside of `report` that is a number.
static const char *const summary_names[] = {"bodies",         "steps",        "frames",           "time",
                                            "seconds",        "kinetic",      "potential",        "energy_drift",
                                            "momentum_drift", "energy_fixes", "energy_fallbacks", "not_finite",
                                            "too_far",        "expect"};
enum { SUMMARY_COUNT = sizeof summary_names / sizeof *summary_names };

bool nc_study_is_sql(const char *source)
{
    char word[8] = "";
    for (int i = 0; i < 7 && isalpha((unsigned char)source[i]) != 0; i++)
        word[i] = (char)tolower((unsigned char)source[i]);
    return strcmp(word, "select") == 0 || strcmp(word, "with") == 0;
}

nc_code nc_study_check_measure(const nc_node *node, nc_error *err)
{
    const char *names[512];
    int count = 0;
    if (nc_study_is_sql(node->text) || strchr(node->text, '.') != NULL)
        return NC_OK;
    for (; count < SUMMARY_COUNT; count++)
        names[count] = summary_names[count];
    nc_report_field field;
    for (int i = 0; (field = nc_run_summary_field(i, NULL)).name != NULL && count < 512; i++)
        names[count++] = field.name;
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], node->text) == 0)
            return NC_OK;
    const int nearest = nc_nearest_name(node->text, names, count);
    return nc_node_fail(err, node,
                        "no run reports \"%.80s\"%s%s%s; allowed: a reported number (docs/run-file.md), SQL that "
                        "begins with select or with, or a path such as audit.intersecting_frames",
                        node->text, nearest >= 0 ? "; did you mean \"" : "", nearest >= 0 ? names[nearest] : "",
                        nearest >= 0 ? "\"?" : "");
}

// ---- the summary --------------------------------------------------------------------------------------------

// "a.b" from the root, else from `report`; -1 when it is not there.
static int find_name(const nc_json_tree *tree, const char *name)
{
    char word[128];
    const int roots[] = {0, nc_json_member(tree, 0, "report")};
    if (strcmp(name, "expect") == 0)
        name = "expect.failed";
    for (int i = 0; i < 2; i++) {
        int at = roots[i];
        for (const char *rest = name; at >= 0 && *rest != '\0';) {
            const int length = (int)strcspn(rest, ".");
            snprintf(word, sizeof word, "%.*s", length, rest);
            at = nc_json_member(tree, at, word);
            rest += length + (rest[length] == '.');
        }
        if (at >= 0)
            return at;
    }
    return -1;
}

static void take_value(const nc_json_tree *tree, int value, char *out)
{
    out[0] = '\0';
    if (nc_json_is(tree, value, NC_JSON_NUMBER) || nc_json_is(tree, value, NC_JSON_FLAG))
        nc_shortest_text(tree->values.data[value].number, out, NC_STUDY_VALUE_SIZE);
    else if (nc_json_is(tree, value, NC_JSON_TEXT))
        snprintf(out, NC_STUDY_VALUE_SIZE, "%s", nc_json_string(tree, value));
}

static double number_at(const nc_json_tree *tree, const char *name)
{
    const int value = nc_json_member(tree, 0, name);
    return nc_json_is(tree, value, NC_JSON_NUMBER) ? tree->values.data[value].number : 0;
}

// ---- SQL ----------------------------------------------------------------------------------------------------

static nc_code ask_sql(nc_run *run, const nc_study_column *measure, char *out, nc_error *err)
{
    sqlite3_stmt *s = NULL;
    nc_code code = NC_OK;
    int result = sqlite3_prepare_v2(run->db, measure->source, -1, &s, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_step(s);
    out[0] = '\0';
    if (result != SQLITE_ROW && result != SQLITE_DONE)
        code = nc_fail(err, NC_BAD_ARGUMENT, "the measurement %s: %s", measure->name, sqlite3_errmsg(run->db));
    else if (result == SQLITE_ROW && sqlite3_column_type(s, 0) == SQLITE_FLOAT && isfinite(sqlite3_column_double(s, 0)))
        nc_shortest_text(sqlite3_column_double(s, 0), out, NC_STUDY_VALUE_SIZE);
    else if (result == SQLITE_ROW && sqlite3_column_text(s, 0) != NULL)
        snprintf(out, NC_STUDY_VALUE_SIZE, "%s", (const char *)sqlite3_column_text(s, 0));
    sqlite3_finalize(s);
    return code;
}

static nc_code ask_all(const nc_study *study, const char *path, char (*values)[NC_STUDY_VALUE_SIZE], nc_error *err)
{
    nc_run run = {.allocator = nc_allocator_or_default(NULL), .lock = -1};
    nc_code code = nc_run_resolve(&run, path, err);
    if (code == NC_OK)
        code = nc_sql_open(&run, run.path, SQLITE_OPEN_READONLY, false, err);
    for (int i = 0; i < study->measure_count && code == NC_OK; i++)
        if (nc_study_is_sql(study->measures[i].source))
            code = ask_sql(&run, &study->measures[i], values[i], err);
    nc_sql_close(&run);
    return code;
}

nc_code nc_study_measure_run(const nc_study *study, const char *run, const char *summary, nc_study_result *result,
                             char (*values)[NC_STUDY_VALUE_SIZE], nc_error *err)
{
    nc_json_tree tree;
    bool any_sql = false;
    const nc_allocator allocator = nc_allocator_or_default(NULL);
    nc_code code = nc_json_load(summary, &allocator, &tree, err);
    if (code == NC_OK) {
        const int hash = nc_json_member(&tree, 0, "hash");
        snprintf(result->hash, sizeof result->hash, "%.19s", hash >= 0 ? nc_json_string(&tree, hash) : "");
        result->steps = (int64_t)number_at(&tree, "steps");
        result->time = number_at(&tree, "time");
        for (int i = 0; i < study->measure_count; i++) {
            take_value(&tree, find_name(&tree, study->measures[i].source), values[i]);
            any_sql = any_sql || nc_study_is_sql(study->measures[i].source);
        }
    }
    nc_json_free(&tree);
    return code == NC_OK && any_sql ? ask_all(study, run, values, err) : code;
}
