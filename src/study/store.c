// The study file: its tables, its rows, and the folder beside it.
#define _XOPEN_SOURCE 700 // nftw
#include "study/study.h"

#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SUFFIX     ".nacre-study"
#define LOCK_TRIES 40 // 50 ms apart

// Of the table `run`, in this order, parameters after `status` and measurements after them.
static const nc_study_field fields[] = {
    {"number", "integer primary key", "from 1"},
    {"status", "text not null default 'planned'", "planned, done or failed"},
    {"hash", "text", "of the last state"},
    {"steps", "integer", "of the run"},
    {"time", "real", "[s] simulated"},
    {"seconds", "real", "wall time of the last attempt"},
    {"cpu_seconds", "real", "processor time of the last attempt"},
    {"megabytes", "real", "most memory in use"},
    {"attempts", "integer", "how often it was started"},
    {"host", "text", "where it ended"},
    {"finished", "text", "when, UTC"},
    {"exit_code", "integer", "of nacre run"},
    {"message", "text", "what it said when it failed"},
};
enum { FIELD_COUNT = sizeof fields / sizeof *fields };

const nc_study_field *nc_study_fields(int *out_count)
{
    *out_count = FIELD_COUNT;
    return fields;
}

// ---- names --------------------------------------------------------------------------------------------------

static const char *const folders[] = {"", "/logs", "/results", "/locks", "/lists"};

char *nc_study_name(const nc_study *study, nc_study_file file, int64_t number, char *out)
{
    static const char *const patterns[NC_STUDY_FILE_COUNT] = {"%s/%06lld.nacre",      "%s/logs/%06lld.log",
                                                              "%s/logs/%06lld.json",  "%s/results/%06lld.json",
                                                              "%s/locks/%06lld.lock", "%s/lists/%06lld.txt"};
    // Longer names were refused when the study was opened.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(out, PATH_MAX, patterns[file], study->folder, (long long)number);
#pragma GCC diagnostic pop
    return out;
}

// "a.runs" for "a.nacre-study".
static nc_code name_folder(const char *path, char *out, nc_error *err)
{
    const size_t length = strlen(path), suffix = strlen(SUFFIX);
    const bool ends = length > suffix && strcmp(path + length - suffix, SUFFIX) == 0;
    if (length > PATH_MAX - 100)
        return nc_fail_at(err, NC_IO, path, 0, 0, "the file name is too long");
    snprintf(out, PATH_MAX, "%.*s.runs", (int)(ends ? length - suffix : length), path);
    return NC_OK;
}

static nc_code make_folders(const char *folder, nc_error *err)
{
    char name[PATH_MAX];
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        if (!nc_run_sibling(folder, folders[i], name) || (mkdir(name, 0777) != 0 && errno != EEXIST))
            return nc_fail_at(err, NC_IO, folder, 0, 0, "cannot make the folder: %s", strerror(errno));
    }
    return NC_OK;
}

// Takes out what a study puts there, and no folder of others.
static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status;
    (void)where;
    if (kind == FTW_DP)
        rmdir(path);
    else if (strstr(path, ".nacre") != NULL || strstr(path, "/logs/") != NULL || strstr(path, "/results/") != NULL ||
             strstr(path, "/locks/") != NULL || strstr(path, "/lists/") != NULL)
        unlink(path);
    return 0;
}

bool nc_study_exists(const char *path, bool *out_is_study)
{
    struct stat status;
    unsigned char head[72] = {0};
    *out_is_study = false;
    if (stat(path, &status) != 0)
        return false;
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return true;
    if (fread(head, 1, sizeof head, file) == sizeof head && memcmp(head, "SQLite format 3", 16) == 0)
        *out_is_study = ((uint32_t)head[68] << 24 | (uint32_t)head[69] << 16 | (uint32_t)head[70] << 8 | head[71]) ==
                        NC_STUDY_APPLICATION_ID;
    fclose(file);
    return true;
}

// ---- statements ---------------------------------------------------------------------------------------------

static nc_code prepare(nc_study *study, const char *sql, sqlite3_stmt **out, nc_error *err)
{
    *out = NULL;
    return sqlite3_prepare_v2(study->file.db, sql, -1, out, NULL) == SQLITE_OK
               ? NC_OK
               : nc_sql_fail(&study->file, "reading", err);
}

// Runs a statement that returns no rows, and ends it.
static nc_code finish(nc_study *study, sqlite3_stmt *statement, const char *doing, nc_error *err)
{
    const int result = sqlite3_step(statement);
    const nc_code code = result == SQLITE_DONE || result == SQLITE_ROW ? NC_OK : nc_sql_fail(&study->file, doing, err);
    sqlite3_finalize(statement);
    return code;
}

// A number as a number, "" as NULL, anything else as text: so that SQL can compare and average.
static void bind_value(sqlite3_stmt *statement, int index, const char *text)
{
    char *end;
    const double value = strtod(text, &end);
    if (text[0] == '\0')
        sqlite3_bind_null(statement, index);
    else if (*end == '\0' && strpbrk(text, "xXnN") == NULL)
        sqlite3_bind_double(statement, index, value);
    else
        sqlite3_bind_text(statement, index, text, -1, SQLITE_TRANSIENT);
}

// ---- making -------------------------------------------------------------------------------------------------

static bool put_columns(nc_buffer *sql, const nc_study_plan *plan)
{
    bool ok = true;
    for (int i = 0; i < plan->parameter_count; i++)
        ok = ok && nc_buffer_print(sql, ", \"%s\"", plan->parameters[i].name);
    for (int i = 0; i < plan->measure_count; i++)
        ok = ok && nc_buffer_print(sql, ", \"%s\"", plan->measures[i].name);
    return ok;
}

static nc_code make_tables(nc_study *study, const nc_study_plan *plan, nc_error *err)
{
    nc_buffer sql = nc_buffer_create(NULL);
    bool ok = nc_buffer_print(&sql,
                              "pragma application_id = %d; pragma user_version = 1;"
                              "create table study (id text, title text, path text, study text, scene_path text, scene "
                              "text, arguments text, limit_seconds real, limit_megabytes real, keep integer, runs "
                              "integer, nacre text);"
                              "create table parameter (position integer primary key, name text, paths text);"
                              "create table measurement (position integer primary key, name text, source text);"
                              "create table run (number integer primary key, status text not null default 'planned'",
                              NC_STUDY_APPLICATION_ID) &&
              put_columns(&sql, plan);
    for (int i = 2; i < FIELD_COUNT; i++)
        ok = ok && nc_buffer_print(&sql, ", %s %s", fields[i].name, fields[i].type);
    ok = ok && nc_buffer_append(&sql, "); create index run_status on run (status);", 44);
    const nc_code code =
        ok ? nc_sql_exec(&study->file, (const char *)sql.data, "making tables", err) : nc_fail_memory(err, sql.size);
    nc_buffer_free(&sql);
    return code;
}

static nc_code insert_study(nc_study *study, const nc_study_plan *plan, nc_error *err)
{
    sqlite3_stmt *s;
    char id[20];
    uint64_t hash = nc_hash(NC_HASH_START, plan->text, strlen(plan->text));
    hash = nc_hash_u64(nc_hash_u64(hash, (uint64_t)time(NULL)), (uint64_t)getpid());
    snprintf(id, sizeof id, "%08llx", (unsigned long long)(hash >> 32));
    const nc_code code = prepare(study, "insert into study values (?,?,?,?,?,?,?,?,?,?,?,?)", &s, err);
    if (code != NC_OK)
        return code;
    const char *texts[] = {id, plan->title, plan->path, plan->text, plan->scene, plan->scene_text, plan->arguments};
    for (int i = 0; i < 7; i++)
        sqlite3_bind_text(s, i + 1, texts[i], -1, SQLITE_STATIC);
    sqlite3_bind_double(s, 8, plan->limit_seconds);
    sqlite3_bind_double(s, 9, plan->limit_megabytes);
    sqlite3_bind_int(s, 10, (int)plan->keep);
    sqlite3_bind_int64(s, 11, plan->run_count);
    sqlite3_bind_text(s, 12, nc_version(), -1, SQLITE_STATIC);
    return finish(study, s, "storing the study", err);
}

static nc_code insert_column(nc_study *study, const char *sql, int row, const char *name, const char *source,
                             nc_error *err)
{
    sqlite3_stmt *s;
    const nc_code code = prepare(study, sql, &s, err);
    if (code != NC_OK)
        return code;
    sqlite3_bind_int(s, 1, row);
    sqlite3_bind_text(s, 2, name, -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 3, source, -1, SQLITE_STATIC);
    return finish(study, s, "storing the study", err);
}

static nc_code insert_columns(nc_study *study, const nc_study_plan *plan, nc_error *err)
{
    nc_code code = NC_OK;
    for (int i = 0; i < plan->parameter_count && code == NC_OK; i++)
        code = insert_column(study, "insert into parameter values (?,?,?)", i, plan->parameters[i].name,
                             plan->parameters[i].paths, err);
    for (int i = 0; i < plan->measure_count && code == NC_OK; i++)
        code = insert_column(study, "insert into measurement values (?,?,?)", i, plan->measures[i].name,
                             plan->measures[i].source, err);
    return code;
}

static nc_code insert_runs(nc_study *study, const nc_study_plan *plan, nc_error *err)
{
    nc_buffer sql = nc_buffer_create(NULL);
    bool ok = nc_buffer_print(&sql, "insert into run (number");
    for (int i = 0; i < plan->parameter_count; i++)
        ok = ok && nc_buffer_print(&sql, ", \"%s\"", plan->parameters[i].name);
    ok = ok && nc_buffer_print(&sql, ") values (?");
    for (int i = 0; i < plan->parameter_count; i++)
        ok = ok && nc_buffer_print(&sql, ",?");
    ok = ok && nc_buffer_append(&sql, ")", 2);
    sqlite3_stmt *s = NULL;
    nc_code code = ok ? prepare(study, (const char *)sql.data, &s, err) : nc_fail_memory(err, sql.size);
    nc_buffer_free(&sql);
    for (int64_t n = 1; n <= plan->run_count && code == NC_OK; n++) {
        sqlite3_bind_int64(s, 1, n);
        for (int i = 0; i < plan->parameter_count; i++) {
            char value[NC_STUDY_VALUE_SIZE];
            bind_value(s, i + 2, nc_study_plan_value(plan, n, i, value, sizeof value));
        }
        if (sqlite3_step(s) != SQLITE_DONE)
            code = nc_sql_fail(&study->file, "planning runs", err);
        sqlite3_reset(s);
    }
    sqlite3_finalize(s);
    return code;
}

static nc_code fill(nc_study *study, const nc_study_plan *plan, nc_error *err)
{
    nc_code code = nc_sql_begin(&study->file, err);
    if (code != NC_OK)
        return code;
    code = make_tables(study, plan, err);
    if (code == NC_OK)
        code = insert_study(study, plan, err);
    if (code == NC_OK)
        code = insert_columns(study, plan, err);
    if (code == NC_OK)
        code = insert_runs(study, plan, err);
    return nc_sql_end(&study->file, code, err);
}

// The file is made under another name, so that a study is there as a whole or not at all.
nc_code nc_study_create(const char *path, const nc_study_plan *plan, nc_error *err)
{
    nc_study study = {.file = {.allocator = nc_allocator_or_default(NULL), .lock = -1}};
    char temporary[PATH_MAX];
    nc_code code = nc_run_resolve(&study.file, path, err);
    if (code == NC_OK)
        code = name_folder(study.file.path, study.folder, err);
    if (code == NC_OK)
        code = nc_run_lock(&study.file, err);
    if (code != NC_OK)
        return code;
    if (!nc_run_sibling(study.file.path, ".part", temporary))
        code = nc_fail_at(err, NC_IO, path, 0, 0, "the file name is too long");
    nc_run_remove(temporary);
    nftw(study.folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    if (code == NC_OK)
        code = make_folders(study.folder, err);
    if (code == NC_OK)
        code = nc_sql_open(&study.file, temporary, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, false, err);
    if (code == NC_OK)
        code = fill(&study, plan, err);
    nc_sql_close(&study.file);
    if (code == NC_OK)
        code = nc_run_publish(&study.file, temporary, err);
    else
        nc_run_remove(temporary);
    nc_run_unlock(&study.file);
    return code;
}

// ---- opening ------------------------------------------------------------------------------------------------

static char *copy_text(sqlite3_stmt *statement, int column)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return strdup(text != NULL ? text : "");
}

static nc_code read_head(nc_study *study, nc_error *err)
{
    sqlite3_stmt *s;
    const nc_code code = prepare(study,
                                 "select id, title, study, scene_path, scene, arguments, limit_seconds, "
                                 "limit_megabytes, keep, runs from study",
                                 &s, err);
    if (code != NC_OK)
        return code;
    if (sqlite3_step(s) != SQLITE_ROW) {
        sqlite3_finalize(s);
        return nc_fail_at(err, NC_BAD_FILE, study->file.path, 0, 0, "it has no study");
    }
    char **texts[] = {&study->id, &study->title, &study->text, &study->scene, &study->scene_text, &study->arguments};
    bool ok = true;
    for (int i = 0; i < 6; i++)
        ok = (*texts[i] = copy_text(s, i)) != NULL && ok;
    study->limit_seconds = sqlite3_column_double(s, 6);
    study->limit_megabytes = sqlite3_column_double(s, 7);
    study->keep = (nc_study_keep)sqlite3_column_int(s, 8);
    study->run_count = sqlite3_column_int64(s, 9);
    sqlite3_finalize(s);
    return ok ? NC_OK : nc_fail_memory(err, 1);
}

static nc_code read_columns(nc_study *study, const char *sql, nc_study_column **out, int *out_count, nc_error *err)
{
    sqlite3_stmt *s;
    const nc_code code = prepare(study, sql, &s, err);
    if (code != NC_OK)
        return code;
    *out = calloc(NC_STUDY_COLUMNS_MAX, sizeof **out);
    bool ok = *out != NULL;
    while (ok && *out_count < NC_STUDY_COLUMNS_MAX && sqlite3_step(s) == SQLITE_ROW) {
        nc_study_column *column = &(*out)[(*out_count)++];
        column->name = copy_text(s, 0);
        column->source = copy_text(s, 1);
        ok = column->name != NULL && column->source != NULL;
    }
    sqlite3_finalize(s);
    return ok ? NC_OK : nc_fail_memory(err, NC_STUDY_COLUMNS_MAX * sizeof **out);
}

static nc_code read_study(nc_study *study, nc_error *err)
{
    nc_code code = read_head(study, err);
    if (code == NC_OK)
        code = read_columns(study, "select name, paths from parameter order by position", &study->parameters,
                            &study->parameter_count, err);
    if (code == NC_OK)
        code = read_columns(study, "select name, source from measurement order by position", &study->measures,
                            &study->measure_count, err);
    return code;
}

// Somebody who only collects results holds the lock for a moment.
static nc_code wait_for_lock(nc_study *study, nc_error *err)
{
    nc_code code = nc_run_lock(&study->file, err);
    for (int tries = 0; tries < LOCK_TRIES && code != NC_OK; tries++) {
        const struct timespec pause = {0, 50 * 1000 * 1000};
        nanosleep(&pause, NULL);
        code = nc_run_lock(&study->file, err);
    }
    return code;
}

nc_code nc_study_open(const char *path, bool lock, nc_study *out, nc_error *err)
{
    bool is_study;
    *out = (nc_study){.file = {.allocator = nc_allocator_or_default(NULL), .lock = -1}};
    if (!nc_study_exists(path, &is_study))
        return nc_fail_at(err, NC_NOT_FOUND, path, 0, 0, "there is no such file");
    if (!is_study)
        return nc_fail_at(err, NC_BAD_FILE, path, 0, 0, "it is not a study with results (.nacre-study)");
    nc_code code = nc_run_resolve(&out->file, path, err);
    if (code == NC_OK)
        code = name_folder(out->file.path, out->folder, err);
    if (code == NC_OK && lock)
        code = wait_for_lock(out, err);
    if (code == NC_OK && lock)
        code = make_folders(out->folder, err);
    // Readers too: they may have to roll back what a killed coordinator left.
    if (code == NC_OK)
        code = nc_sql_open(&out->file, out->file.path, SQLITE_OPEN_READWRITE, false, err);
    if (code == NC_OK)
        code = read_study(out, err);
    if (code != NC_OK)
        nc_study_close(out);
    return code;
}

static void free_columns(nc_study_column *columns, int count)
{
    for (int i = 0; i < count; i++) {
        free(columns[i].name);
        free(columns[i].source);
    }
    free(columns);
}

void nc_study_close(nc_study *study)
{
    free_columns(study->parameters, study->parameter_count);
    free_columns(study->measures, study->measure_count);
    free(study->id);
    free(study->title);
    free(study->text);
    free(study->scene);
    free(study->scene_text);
    free(study->arguments);
    nc_sql_close(&study->file);
    nc_run_unlock(&study->file);
    *study = (nc_study){.file = {.lock = -1}};
}

nc_code nc_study_compare(const nc_study *study, const nc_study_plan *plan, nc_error *err)
{
    if (strcmp(study->text, plan->text) != 0)
        return nc_fail(err, NC_BAD_ARGUMENT, "'%s' has results of another study than '%s' is now", study->file.path,
                       plan->path);
    if (strcmp(study->scene_text, plan->scene_text) != 0)
        return nc_fail(err, NC_BAD_ARGUMENT, "'%s' has results of another scene than '%s' is now", study->file.path,
                       plan->scene);
    return NC_OK;
}

// ---- rows ---------------------------------------------------------------------------------------------------

nc_code nc_study_unfinished(nc_study *study, int64_t **out, int64_t *out_count, nc_error *err)
{
    sqlite3_stmt *s;
    *out_count = 0;
    *out = calloc((size_t)study->run_count + 1, sizeof **out);
    if (*out == NULL)
        return nc_fail_memory(err, (size_t)study->run_count * sizeof **out);
    const nc_code code = prepare(study, "select number from run where status = 'planned' order by number", &s, err);
    while (code == NC_OK && *out_count < study->run_count && sqlite3_step(s) == SQLITE_ROW)
        (*out)[(*out_count)++] = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    return code;
}

// Numbers as --set is to read them.
static void value_text(sqlite3_stmt *s, int column, char *out)
{
    const char *text = (const char *)sqlite3_column_text(s, column);
    if (sqlite3_column_type(s, column) == SQLITE_FLOAT)
        nc_shortest_text(sqlite3_column_double(s, column), out, NC_STUDY_VALUE_SIZE);
    else
        snprintf(out, NC_STUDY_VALUE_SIZE, "%s", text != NULL ? text : "");
}

nc_code nc_study_read_run(nc_study *study, int64_t number, char (**out)[NC_STUDY_VALUE_SIZE], bool *out_planned,
                          nc_error *err)
{
    sqlite3_stmt *s = NULL;
    nc_buffer sql = nc_buffer_create(NULL);
    bool ok = nc_buffer_print(&sql, "select status = 'planned'");
    for (int i = 0; i < study->parameter_count; i++)
        ok = ok && nc_buffer_print(&sql, ", \"%s\"", study->parameters[i].name);
    ok = ok && nc_buffer_print(&sql, " from run where number = %lld", (long long)number) &&
         nc_buffer_append(&sql, "", 1);
    nc_code code = ok ? prepare(study, (const char *)sql.data, &s, err) : nc_fail_memory(err, sql.size);
    nc_buffer_free(&sql);
    *out = calloc((size_t)study->parameter_count + 1, sizeof **out);
    if (code == NC_OK && *out == NULL)
        code = nc_fail_memory(err, (size_t)study->parameter_count * sizeof **out);
    if (code == NC_OK && sqlite3_step(s) != SQLITE_ROW)
        code = nc_fail_at(err, NC_NOT_FOUND, study->file.path, 0, 0, "it has no run %lld; runs are 1 to %lld",
                          (long long)number, (long long)study->run_count);
    for (int i = 0; code == NC_OK && i < study->parameter_count; i++)
        value_text(s, i + 1, (*out)[i]);
    if (code == NC_OK)
        *out_planned = sqlite3_column_int(s, 0) != 0;
    sqlite3_finalize(s);
    return code;
}

nc_code nc_study_replan(nc_study *study, int64_t number, int *out_count, nc_error *err)
{
    sqlite3_stmt *s;
    const nc_code code =
        prepare(study,
                number == 0 ? "update run set status = 'planned' where status = 'failed'"
                            : "update run set status = 'planned' where number = ? and status != 'planned'",
                &s, err);
    if (code != NC_OK)
        return code;
    if (number != 0)
        sqlite3_bind_int64(s, 1, number);
    const nc_code done = finish(study, s, "planning runs again", err);
    *out_count = sqlite3_changes(study->file.db);
    return done;
}
