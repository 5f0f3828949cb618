// The thin layer over SQLite: connections, statements, errors in sentences.
#include "run/run.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

// How often a lock held by another program is tried again, 10 ms apart: a count, never a clock.
#define BUSY_TRIES 300

static nc_code code_of(int result)
{
    switch (result & 0xff) {
    case SQLITE_NOMEM:
        return NC_OUT_OF_MEMORY;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_ERROR: // our statements are right, so the tables are not
    case SQLITE_SCHEMA:
    case SQLITE_MISMATCH:
    case SQLITE_CONSTRAINT:
        return NC_BAD_FILE;
    default:
        return result == SQLITE_IOERR_SHORT_READ ? NC_BAD_FILE : NC_IO;
    }
}

static const char *sentence_of(sqlite3 *db, int result)
{
    switch (result & 0xff) {
    case SQLITE_IOERR:
        return sqlite3_system_errno(db) != 0 ? strerror(sqlite3_system_errno(db)) : "the disk failed";
    case SQLITE_FULL:
        return "the disk is full; what was stored before is safe";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return "another program holds a lock on it";
    case SQLITE_NOTADB:
        return "it is not a run file (no SQLite database)";
    case SQLITE_CORRUPT:
        return "it is damaged";
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return "it cannot be written";
    case SQLITE_CANTOPEN:
        return "it cannot be opened";
    case SQLITE_ERROR:
        return "its tables are not those of a run file";
    default:
        return "SQLite refused";
    }
}

nc_code nc_sql_fail(nc_run *run, const char *doing, nc_error *err)
{
    const int result = run->db != NULL ? sqlite3_extended_errcode(run->db) : SQLITE_NOMEM;
    const char *text = run->db != NULL ? sqlite3_errmsg(run->db) : "out of memory";
    return nc_fail_at(err, code_of(result), run->path, 0, 0, "%s failed: %s (%s)", doing, sentence_of(run->db, result),
                      text);
}

static int wait_when_busy(void *ctx, int tries)
{
    (void)ctx;
    if (tries >= BUSY_TRIES)
        return 0;
    const struct timespec pause = {0, 10 * 1000 * 1000};
    nanosleep(&pause, NULL);
    return 1;
}

// A file name as a URI, so that names such as ":memory:" or "file:x" mean files too. False when it does not fit.
static bool make_uri(const char *path, bool immutable, char *out, size_t out_size)
{
    static const char hex[] = "0123456789abcdef";
    size_t n = (size_t)snprintf(out, out_size, "file:%s", path[0] == '/' ? "" : "./");
    for (const char *c = path; *c != '\0'; c++) {
        if (n + 4 > out_size)
            return false;
        const unsigned char byte = (unsigned char)*c;
        if (byte == '%' || byte == '?' || byte == '#' || byte < 0x20 || byte >= 0x7f) {
            out[n++] = '%';
            out[n++] = hex[byte >> 4];
            out[n++] = hex[byte & 15];
        } else {
            out[n++] = *c;
        }
    }
    const int tail = snprintf(out + n, out_size - n, "%s", immutable ? "?immutable=1" : "");
    return (size_t)tail < out_size - n;
}

nc_code nc_sql_open(nc_run *run, const char *path, int flags, bool immutable, nc_error *err)
{
    char *uri = nc_alloc(&run->allocator, 3 * PATH_MAX + 32, 1);
    if (uri == NULL)
        return nc_fail_memory(err, 3 * PATH_MAX + 32);
    nc_code code = NC_OK;
    if (!make_uri(path, immutable, uri, 3 * PATH_MAX + 32))
        code = nc_fail_at(err, NC_IO, path, 0, 0, "the file name is too long");
    else if (sqlite3_open_v2(uri, &run->db, flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        code = nc_sql_fail(run, "opening", err);
    nc_free(&run->allocator, uri, 3 * PATH_MAX + 32, 1);
    if (code != NC_OK) {
        nc_sql_close(run);
        return code;
    }
    sqlite3_extended_result_codes(run->db, 1);
    sqlite3_busy_handler(run->db, wait_when_busy, NULL);
    // The file may come from anywhere: its schema gets no power over the reader.
    sqlite3_db_config(run->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(run->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(run->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    return nc_sql_exec(run, "pragma cell_size_check = on", "opening", err);
}

nc_code nc_sql_exec(nc_run *run, const char *sql, const char *doing, nc_error *err)
{
    return sqlite3_exec(run->db, sql, NULL, NULL, NULL) == SQLITE_OK ? NC_OK : nc_sql_fail(run, doing, err);
}

static nc_code ask(nc_run *run, const char *sql, sqlite3_stmt **out, nc_error *err)
{
    *out = NULL;
    if (sqlite3_prepare_v2(run->db, sql, -1, out, NULL) == SQLITE_OK && sqlite3_step(*out) == SQLITE_ROW)
        return NC_OK;
    const nc_code code = nc_sql_fail(run, "reading", err);
    sqlite3_finalize(*out);
    return code;
}

nc_code nc_sql_query_int(nc_run *run, const char *sql, int64_t *out, nc_error *err)
{
    sqlite3_stmt *stmt;
    const nc_code code = ask(run, sql, &stmt, err);
    if (code != NC_OK)
        return code;
    *out = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return NC_OK;
}

nc_code nc_sql_query_text(nc_run *run, const char *sql, char *out, size_t out_size, nc_error *err)
{
    sqlite3_stmt *stmt;
    const nc_code code = ask(run, sql, &stmt, err);
    if (code != NC_OK)
        return code;
    const unsigned char *text = sqlite3_column_text(stmt, 0);
    snprintf(out, out_size, "%s", text != NULL ? (const char *)text : "");
    sqlite3_finalize(stmt);
    return NC_OK;
}

nc_code nc_sql_begin(nc_run *run, nc_error *err)
{
    return nc_sql_exec(run, "begin immediate", "starting a transaction", err);
}

nc_code nc_sql_end(nc_run *run, nc_code code, nc_error *err)
{
    if (code == NC_OK)
        code = nc_sql_exec(run, "commit", "committing", err);
    if (code != NC_OK && sqlite3_get_autocommit(run->db) == 0)
        sqlite3_exec(run->db, "rollback", NULL, NULL, NULL);
    return code;
}

void nc_sql_close(nc_run *run)
{
    for (int i = 0; i < NC_SQL_COUNT; i++) {
        sqlite3_finalize(run->statements[i]);
        run->statements[i] = NULL;
    }
    sqlite3_close(run->db);
    run->db = NULL;
}
