// Run files that a careful liar made: SQLite finds nothing wrong, the checksum of every row fits, but values in it are
// not what Nacre would have stored. The input is a list of cells to change in a good run.
//
// An edit: table, row, column, kind (one byte each), then 8 bytes of a number, or a length byte and so many bytes.
// Checksums are not mended but not examined: nc_row_check is wrapped by the linker (cmake/NacreFuzz.cmake).
#include "read_run.h"
#include "seed_run.h"

#include "run/run.h"

#include <sqlite3.h>

nc_code __wrap_nc_row_check(nc_row *row, const char *what, int64_t number, nc_error *err); // NOLINT: ld's name
nc_code __wrap_nc_row_check(nc_row *row, const char *what, int64_t number, nc_error *err)  // NOLINT
{
    if (!row->bad)
        return NC_OK;
    return nc_fail(err, NC_BAD_FILE, "%s %lld has a value of the wrong type", what, (long long)number);
}

typedef struct cursor {
    const uint8_t *next;
    size_t left;
} cursor;

static size_t take(cursor *c, void *out, size_t size)
{
    const size_t taken = size < c->left ? size : c->left;
    memset(out, 0, size);
    memcpy(out, c->next, taken);
    c->next += taken;
    c->left -= taken;
    return taken;
}

// Binds a value of one of six kinds: whole number, number, text, bytes, many zero bytes, nothing.
static void bind_value(sqlite3_stmt *stmt, uint8_t kind, cursor *c)
{
    uint8_t bytes[256], length = 0;
    int64_t whole;
    double real;
    switch (kind % 6) {
    case 0:
        take(c, &whole, sizeof whole);
        sqlite3_bind_int64(stmt, 1, whole);
        break;
    case 1:
        take(c, &real, sizeof real);
        sqlite3_bind_double(stmt, 1, real);
        break;
    case 2:
    case 3:
        take(c, &length, 1);
        take(c, bytes, length);
        if (kind % 6 == 2)
            sqlite3_bind_text(stmt, 1, (const char *)bytes, length, SQLITE_TRANSIENT);
        else
            sqlite3_bind_blob(stmt, 1, bytes, length, SQLITE_TRANSIENT);
        break;
    case 4:
        take(c, &length, 1);
        sqlite3_bind_zeroblob(stmt, 1, length * 24);
        break;
    default:
        sqlite3_bind_null(stmt, 1);
        break;
    }
}

static void edit_cell(sqlite3 *db, cursor *c)
{
    static const char *const tables[] = {"run",  "progress", "mesh",  "body",       "exempt", "frame",
                                         "pose", "report",   "event", "checkpoint", "cluster"};
    uint8_t head[4];
    char sql[256];
    sqlite3_stmt *stmt = NULL;
    take(c, head, sizeof head);
    const char *table = tables[head[0] % (sizeof tables / sizeof *tables)];
    snprintf(sql, sizeof sql, "select name from pragma_table_info('%s') limit 1 offset %d", table, head[2] % 26);
    if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK || sqlite3_step(stmt) != SQLITE_ROW) {
        sqlite3_finalize(stmt);
        return;
    }
    const char *column = (const char *)sqlite3_column_text(stmt, 0);
    const bool has_rowid = strcmp(table, "exempt") != 0 && strcmp(table, "pose") != 0 && strcmp(table, "cluster") != 0;
    snprintf(sql, sizeof sql, "update %s set \"%s\" = ?1", table, column);
    if (has_rowid)
        snprintf(sql + strlen(sql), sizeof sql - strlen(sql), " where rowid = %d", head[1] % 4);
    sqlite3_finalize(stmt);
    stmt = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK) {
        bind_value(stmt, head[3], c);
        sqlite3_step(stmt); // what the table's own types refuse stays as it was
    }
    sqlite3_finalize(stmt);
}

// The bytes of a good run, made once.
static const nc_buffer *good_run(void)
{
    static nc_buffer bytes;
    if (bytes.data != NULL)
        return &bytes;
    const char *path = scratch_path();
    nc_world *world = seed_world();
    FUZZ_PROMISE(seed_run(path, world, NULL) == NC_OK);
    nc_world_destroy(world);
    bytes = nc_buffer_create(NULL);
    FILE *file = fopen(path, "rb");
    char block[4096];
    for (size_t n; file != NULL && (n = fread(block, 1, sizeof block, file)) > 0;)
        FUZZ_PROMISE(nc_buffer_append(&bytes, block, n));
    FUZZ_PROMISE(file != NULL && bytes.size > 0 && fclose(file) == 0);
    return &bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const nc_buffer *good = good_run();
    const char *path = scratch_path();
    write_file(path, good->data, good->size);
    sqlite3 *db = NULL;
    cursor c = {data, size};
    FUZZ_PROMISE(sqlite3_open(path, &db) == SQLITE_OK);
    sqlite3_exec(db, "pragma journal_mode = off; pragma synchronous = off", NULL, NULL, NULL);
    for (int i = 0; i < 8 && c.left > 0; i++)
        edit_cell(db, &c);
    sqlite3_close(db);
    read_run(path);
    unlink(path);
    return 0;
}
