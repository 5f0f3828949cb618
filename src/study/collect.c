// Results on their way from workers into the rows of the study file; what is running.
#include "study/study.h"

#include "io/io.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

// The number that a file's name begins with, 0 when it is none of `suffix`.
static int64_t number_of(const char *name, const char *suffix)
{
    char *end;
    const long long number = strtoll(name, &end, 10);
    return end > name && strcmp(end, suffix) == 0 && number > 0 ? number : 0;
}

static bool open_folder(const nc_study *study, const char *inner, DIR **out)
{
    char path[PATH_MAX];
    *out = nc_run_sibling(study->folder, inner, path) ? opendir(path) : NULL;
    return *out != NULL;
}

// ---- storing ------------------------------------------------------------------------------------------------

// "update run set status = ?, ... where number = ? and status = 'planned'": a row takes one result.
static nc_code prepare_update(nc_study *study, sqlite3_stmt **out, nc_error *err)
{
    int field_count;
    const nc_study_field *fields = nc_study_fields(&field_count);
    nc_buffer sql = nc_buffer_create(NULL);
    bool ok = nc_buffer_print(&sql, "update run set status = ?");
    for (int i = 2; i < field_count; i++)
        ok = ok && nc_buffer_print(&sql, ", %s = ?", fields[i].name);
    for (int i = 0; i < study->measure_count; i++)
        ok = ok && nc_buffer_print(&sql, ", \"%s\" = ?", study->measures[i].name);
    ok = ok && nc_buffer_print(&sql, " where number = ? and status = 'planned'") && nc_buffer_append(&sql, "", 1);
    *out = NULL;
    nc_code code = NC_OK;
    if (!ok)
        code = nc_fail_memory(err, sql.size);
    else if (sqlite3_prepare_v2(study->file.db, (const char *)sql.data, -1, out, NULL) != SQLITE_OK)
        code = nc_sql_fail(&study->file, "storing results", err);
    nc_buffer_free(&sql);
    return code;
}

static void bind_json(sqlite3_stmt *s, int index, const nc_json_tree *tree, int value)
{
    if (nc_json_is(tree, value, NC_JSON_NUMBER))
        sqlite3_bind_double(s, index, tree->values.data[value].number);
    else if (nc_json_is(tree, value, NC_JSON_TEXT))
        sqlite3_bind_text(s, index, nc_json_string(tree, value), -1, SQLITE_TRANSIENT);
    else
        sqlite3_bind_null(s, index);
}

// True when the file is a result of this study.
static bool bind_result(const nc_study *study, sqlite3_stmt *s, const nc_json_tree *tree, int64_t number)
{
    int field_count;
    const nc_study_field *fields = nc_study_fields(&field_count);
    const int id = nc_json_member(tree, 0, "study"), run = nc_json_member(tree, 0, "number");
    if (!nc_json_is(tree, id, NC_JSON_TEXT) || strcmp(nc_json_string(tree, id), study->id) != 0 ||
        !nc_json_is(tree, run, NC_JSON_NUMBER) || tree->values.data[run].number != (double)number)
        return false;
    int at = 1;
    for (int i = 1; i < field_count; i++)
        bind_json(s, at++, tree, nc_json_member(tree, 0, fields[i].name));
    const int measures = nc_json_member(tree, 0, "measurements");
    for (int i = 0; i < study->measure_count; i++)
        bind_json(s, at++, tree, nc_json_member(tree, measures, study->measures[i].name));
    sqlite3_bind_int64(s, at, number);
    return true;
}

// A file that is no result was cut short by the end of the machine: it is removed, and its run continued.
static nc_code store(nc_study *study, sqlite3_stmt *s, int64_t number, int *stored, nc_error *err)
{
    char path[PATH_MAX];
    nc_json_tree tree;
    nc_error ignored;
    const nc_allocator allocator = nc_allocator_or_default(NULL);
    const bool read =
        nc_json_load(nc_study_name(study, NC_STUDY_RESULT, number, path), &allocator, &tree, &ignored) == NC_OK;
    nc_code code = NC_OK;
    if (read && bind_result(study, s, &tree, number)) {
        code = sqlite3_step(s) == SQLITE_DONE ? NC_OK : nc_sql_fail(&study->file, "storing results", err);
        *stored += code == NC_OK ? sqlite3_changes(study->file.db) : 0;
        sqlite3_reset(s);
        sqlite3_clear_bindings(s);
    }
    nc_json_free(&tree);
    return code;
}

static nc_code list_results(const nc_study *study, int64_t **out, int *out_count, nc_error *err)
{
    DIR *folder;
    const nc_allocator allocator = nc_allocator_or_default(NULL);
    NC_ARRAY(int64_t) numbers = {0};
    bool ok = true;
    if (open_folder(study, "/results", &folder)) {
        // cppcheck-suppress readdirCalled; each folder has one reader
        for (const struct dirent *entry; ok && (entry = readdir(folder)) != NULL;) {
            const int64_t number = number_of(entry->d_name, ".json");
            ok = number == 0 || nc_array_push(&allocator, &numbers, number);
        }
        closedir(folder);
    }
    *out = numbers.data;
    *out_count = numbers.count;
    return ok ? NC_OK : nc_fail_memory(err, sizeof **out);
}

static void forget(const nc_study *study, int64_t number)
{
    static const nc_study_file gone[] = {NC_STUDY_RESULT, NC_STUDY_SUMMARY, NC_STUDY_LOCK};
    char path[PATH_MAX];
    for (int i = 0; i < 3; i++)
        unlink(nc_study_name(study, gone[i], number, path));
}

nc_code nc_study_collect(nc_study *study, int *out_stored, nc_error *err)
{
    int64_t *numbers = NULL;
    int count = 0;
    sqlite3_stmt *s = NULL;
    *out_stored = 0;
    nc_code code = list_results(study, &numbers, &count, err);
    if (code == NC_OK && count > 0) {
        code = nc_sql_begin(&study->file, err);
        if (code == NC_OK) {
            code = prepare_update(study, &s, err);
            for (int i = 0; i < count && code == NC_OK; i++)
                code = store(study, s, numbers[i], out_stored, err);
            sqlite3_finalize(s);
            code = nc_sql_end(&study->file, code, err);
        }
        for (int i = 0; i < count && code == NC_OK; i++)
            forget(study, numbers[i]);
    }
    free(numbers);
    return code;
}

// ---- counting -----------------------------------------------------------------------------------------------

// Whose lock is held is running.
static int64_t count_running(const nc_study *study)
{
    DIR *folder;
    int64_t running = 0;
    if (!open_folder(study, "/locks", &folder))
        return 0;
    // cppcheck-suppress readdirCalled; each folder has one reader
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (number_of(entry->d_name, ".lock") == 0)
            continue;
        const int lock = openat(dirfd(folder), entry->d_name, O_RDONLY | O_CLOEXEC);
        running += lock >= 0 && flock(lock, LOCK_SH | LOCK_NB) != 0;
        if (lock >= 0)
            close(lock);
    }
    closedir(folder);
    return running;
}

nc_code nc_study_count(nc_study *study, nc_study_counts *out, nc_error *err)
{
    nc_code code = nc_sql_query_int(&study->file, "select count(*) from run where status = 'done'", &out->done, err);
    if (code == NC_OK)
        code = nc_sql_query_int(&study->file, "select count(*) from run where status = 'failed'", &out->failed, err);
    out->planned = study->run_count;
    const int64_t left = out->planned - out->done - out->failed;
    out->running = left > 0 ? count_running(study) : 0;
    out->running = out->running < left ? out->running : left;
    out->waiting = left - out->running;
    return code;
}
