// Opening and closing run files.
#include "run/run.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

nc_run *nc_run_alloc(const nc_allocator *allocator, nc_run_mode mode)
{
    const nc_allocator chosen = nc_allocator_or_default(allocator);
    nc_run *run = nc_alloc(&chosen, 1, sizeof *run);
    if (run == NULL)
        return NULL;
    run->allocator = chosen;
    run->mode = mode;
    run->lock = -1;
    run->recorded_step = -1;
    return run;
}

void nc_run_free(nc_run *run)
{
    nc_run_pages_close(run);
    nc_sql_close(run);
    nc_run_unlock(run);
    nc_registry_free(run);
    nc_array_free(&run->allocator, &run->poses);
    nc_run_free_records(run);
    nc_run_forget_first(run);
    nc_array_free(&run->allocator, &run->first);
    nc_array_free(&run->allocator, &run->velocities);
    nc_free(&run->allocator, run->scene, run->scene_size, 1);
    const nc_allocator allocator = run->allocator;
    nc_free(&allocator, run, 1, sizeof *run);
}

// Asks SQLite for the structure of every page. What the pages say is checked by the sums, when it is read.
static nc_code check_structure(nc_run *run, nc_error *err)
{
    char answer[256];
    const nc_code code = nc_sql_query_text(run, "pragma quick_check(1)", answer, sizeof answer, err);
    if (code != NC_OK || strcmp(answer, "ok") == 0)
        return code;
    return nc_fail_at(err, NC_BAD_FILE, run->path, 0, 0, "it is damaged: %s", answer);
}

static nc_code use_write_ahead_log(nc_run *run, nc_error *err)
{
    char mode[32];
    nc_code code = nc_sql_query_text(run, "pragma journal_mode = wal", mode, sizeof mode, err);
    if (code != NC_OK)
        return code;
    if (strcmp(mode, "wal") != 0)
        return nc_fail_at(err, NC_IO, run->path, 0, 0, "its file system cannot do a write-ahead log (SQLite says %s)",
                          mode);
    // FULL: every commit waits for the disk. NORMAL would lose the last frames with the power.
    return nc_sql_exec(run, "pragma synchronous = full", "opening", err);
}

nc_code nc_run_connect_writer(nc_run *run, bool look_at_all, nc_error *err)
{
    nc_run_head head;
    nc_row row;
    nc_code code = nc_sql_open(run, run->path, SQLITE_OPEN_READWRITE, false, err);
    if (code == NC_OK)
        code = nc_schema_check(run, err);
    if (code == NC_OK && look_at_all)
        code = check_structure(run, err);
    if (code == NC_OK)
        code = use_write_ahead_log(run, err);
    if (code == NC_OK)
        code = nc_schema_add_appearances(run, err);
    if (code == NC_OK)
        code = nc_run_read_head(run, &row, &head, err);
    if (code != NC_OK)
        return code;
    run->checkpoint_every = head.checkpoint_every;
    run->store = (unsigned)head.store;
    nc_row_close(&row);
    return NC_OK;
}

// True when there is nothing in "<path><suffix>", or no such file.
static bool is_empty(const char *path, const char *suffix)
{
    char name[PATH_MAX];
    struct stat status;
    return nc_run_sibling(path, suffix, name) && (stat(name, &status) != 0 || status.st_size == 0);
}

static nc_code connect_as(nc_run *run, int flags, bool immutable, nc_error *err)
{
    const nc_code code = nc_sql_open(run, run->path, flags, immutable, err);
    return code == NC_OK ? nc_schema_check(run, err) : code;
}

static bool directory_is_writable(const char *path)
{
    char directory[PATH_MAX];
    snprintf(directory, sizeof directory, "%s", path);
    char *slash = strrchr(directory, '/');
    if (slash == NULL)
        snprintf(directory, sizeof directory, ".");
    else
        slash[slash == directory ? 1 : 0] = '\0';
    return access(directory, W_OK) == 0;
}

static nc_code connect_reader(nc_run *run, nc_error *err)
{
    nc_code code = connect_as(run, SQLITE_OPEN_READONLY, false, err);
    if (code != NC_IO)
        return code;
    const bool unfinished = run->db != NULL && (sqlite3_errcode(run->db) & 0xff) == SQLITE_READONLY;
    nc_sql_close(run);
    // In a directory that cannot be written SQLite cannot open a file in write-ahead mode, because it needs an index
    // beside it. Without a log and a journal there is no writer either, and the file can be read as it stands.
    if (is_empty(run->path, "-wal") && is_empty(run->path, "-journal") && !directory_is_writable(run->path))
        return connect_as(run, SQLITE_OPEN_READONLY, true, err);
    if (!unfinished)
        return code;
    // A writer that was killed while it closed left a journal that must be undone first, which takes a writer.
    code = connect_as(run, SQLITE_OPEN_READWRITE, false, err);
    nc_sql_close(run);
    return code == NC_OK ? connect_as(run, SQLITE_OPEN_READONLY, false, err) : code;
}

static nc_code open_existing(nc_run *run, nc_error *err)
{
    struct stat status;
    if (stat(run->path, &status) != 0)
        return nc_fail_at(err, errno == ENOENT ? NC_NOT_FOUND : NC_IO, run->path, 0, 0, "%s",
                          errno == ENOENT ? "there is no such run file" : strerror(errno));
    if (!S_ISREG(status.st_mode))
        return nc_fail_at(err, NC_BAD_FILE, run->path, 0, 0, "it is not a file");
    if (status.st_size == 0 && is_empty(run->path, "-wal"))
        return nc_fail_at(err, NC_BAD_FILE, run->path, 0, 0, "it is not a run file: it is empty");
    nc_run_progress progress;
    nc_code code = NC_OK;
    if (run->mode == NC_RUN_APPEND)
        code = nc_run_lock(run, err);
    if (code == NC_OK)
        code = run->mode == NC_RUN_APPEND ? nc_run_connect_writer(run, true, err) : connect_reader(run, err);
    return code == NC_OK ? nc_run_read_progress(run, &progress, err) : code;
}

nc_code nc_run_open(const char *path, nc_run_mode mode, const nc_allocator *allocator, nc_run **out, nc_error *err)
{
    *out = NULL;
    nc_run *run = nc_run_alloc(allocator, mode);
    if (run == NULL)
        return nc_fail_memory(err, sizeof *run);
    nc_code code = nc_run_resolve(run, path, err);
    if (code == NC_OK)
        code = open_existing(run, err);
    if (code != NC_OK) {
        nc_run_free(run);
        return code;
    }
    *out = run;
    return NC_OK;
}

// Leaves the one file, in rollback mode: it can then be read from a read-only medium, by anybody. A reader that has it
// open keeps it in write-ahead mode, which is no error.
static nc_code fold(nc_run *run, nc_error *err)
{
    for (int i = 0; i < NC_SQL_COUNT; i++) {
        sqlite3_finalize(run->statements[i]);
        run->statements[i] = NULL;
    }
    char mode[32];
    nc_error ignored;
    sqlite3_busy_handler(run->db, NULL, NULL);
    if (nc_sql_query_text(run, "pragma journal_mode = delete", mode, sizeof mode, &ignored) == NC_OK &&
        strcmp(mode, "delete") == 0)
        return NC_OK;
    const int result = sqlite3_wal_checkpoint_v2(run->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    if (result == SQLITE_OK || (result & 0xff) == SQLITE_BUSY)
        return NC_OK;
    return nc_fail_at(
        err, NC_IO, run->path, 0, 0,
        "folding the write-ahead log failed (%s); nothing is lost as long as the -wal file beside it is kept",
        sqlite3_errmsg(run->db));
}

nc_code nc_run_close(nc_run *run, nc_error *err)
{
    if (run == NULL)
        return NC_OK;
    const nc_code code = run->mode == NC_RUN_APPEND ? fold(run, err) : NC_OK;
    nc_run_free(run);
    return code;
}
