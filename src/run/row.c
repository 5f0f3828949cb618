// Rows with a checksum: every value that is stored or read passes through a hash that is the row's last column.
#include "run/run.h"

#include <math.h>
#include <string.h>

nc_code nc_row_open(nc_run *run, nc_sql which, nc_row *out, nc_error *err)
{
    *out = (nc_row){.run = run, .sum = NC_HASH_START};
    sqlite3_stmt **stmt = &run->statements[which];
    if (*stmt == NULL &&
        sqlite3_prepare_v3(run->db, nc_schema_sql(which), -1, SQLITE_PREPARE_PERSISTENT, stmt, NULL) != SQLITE_OK)
        return nc_sql_fail(run, "preparing a statement", err);
    sqlite3_reset(*stmt);
    out->stmt = *stmt;
    return NC_OK;
}

static void bound(nc_row *row, int result)
{
    if (result != SQLITE_OK && row->code == SQLITE_OK)
        row->code = result;
}

void nc_row_bind(nc_row *row, int64_t key)
{
    bound(row, sqlite3_bind_int64(row->stmt, ++row->column, key));
}

void nc_row_put_int(nc_row *row, int64_t value)
{
    nc_row_bind(row, value);
    row->sum = nc_hash_u64(row->sum, (uint64_t)value);
}

// REAL columns do not keep the sign of zero, and NaN becomes NULL: the hash must not see them either.
static uint64_t hash_real(uint64_t sum, double value)
{
    if (isnan(value))
        return nc_hash_u64(sum, UINT64_C(0x7ff8000000000000));
    return nc_hash_double(sum, value == 0 ? 0.0 : value);
}

void nc_row_put_real(nc_row *row, double value)
{
    bound(row, sqlite3_bind_double(row->stmt, ++row->column, value));
    row->sum = hash_real(row->sum, value);
}

void nc_row_put_text(nc_row *row, const char *text)
{
    const size_t size = strlen(text);
    bound(row, sqlite3_bind_text64(row->stmt, ++row->column, text, size, SQLITE_STATIC, SQLITE_UTF8));
    row->sum = nc_hash(row->sum, text, size);
}

void nc_row_put_blob(nc_row *row, const void *bytes, size_t size)
{
    const int column = ++row->column;
    bound(row, size == 0 ? sqlite3_bind_zeroblob(row->stmt, column, 0)
                         : sqlite3_bind_blob64(row->stmt, column, bytes, size, SQLITE_STATIC));
    row->sum = nc_hash(row->sum, bytes, size);
}

nc_code nc_row_write(nc_row *row, const char *doing, nc_error *err)
{
    nc_row_bind(row, (int64_t)row->sum);
    nc_code code = NC_OK;
    if (row->code == SQLITE_TOOBIG)
        code =
            nc_fail_at(err, NC_UNSUPPORTED, row->run->path, 0, 0, "%s failed: a value is above SQLite's 1 GB", doing);
    else if (row->code != SQLITE_OK || sqlite3_step(row->stmt) != SQLITE_DONE)
        code = nc_sql_fail(row->run, doing, err);
    nc_row_close(row);
    sqlite3_clear_bindings(row->stmt);
    return code;
}

nc_code nc_row_next(nc_row *row, bool *found, const char *doing, nc_error *err)
{
    const int result = row->code == SQLITE_OK ? sqlite3_step(row->stmt) : row->code;
    *found = result == SQLITE_ROW;
    row->column = 0;
    row->sum = NC_HASH_START;
    row->bad = false;
    if (*found)
        return NC_OK;
    const nc_code code = result == SQLITE_DONE ? NC_OK : nc_sql_fail(row->run, doing, err);
    nc_row_close(row);
    return code;
}

int64_t nc_row_take_int(nc_row *row)
{
    const int column = row->column++;
    if (sqlite3_column_type(row->stmt, column) != SQLITE_INTEGER)
        row->bad = true;
    const int64_t value = sqlite3_column_int64(row->stmt, column);
    row->sum = nc_hash_u64(row->sum, (uint64_t)value);
    return value;
}

double nc_row_take_real(nc_row *row)
{
    const int column = row->column++;
    const int type = sqlite3_column_type(row->stmt, column);
    if (type != SQLITE_FLOAT && type != SQLITE_NULL)
        row->bad = true;
    const double value = type == SQLITE_FLOAT ? sqlite3_column_double(row->stmt, column) : (double)NAN;
    row->sum = hash_real(row->sum, value);
    return value;
}

const char *nc_row_take_text(nc_row *row)
{
    const int column = row->column++;
    if (sqlite3_column_type(row->stmt, column) != SQLITE_TEXT)
        row->bad = true;
    const char *text = (const char *)sqlite3_column_text(row->stmt, column);
    const size_t size = text != NULL ? (size_t)sqlite3_column_bytes(row->stmt, column) : 0;
    row->sum = nc_hash(row->sum, text, size);
    if (text == NULL || strlen(text) != size)
        row->bad = true;
    return text != NULL ? text : "";
}

const void *nc_row_take_blob(nc_row *row, size_t *size)
{
    const int column = row->column++;
    if (sqlite3_column_type(row->stmt, column) != SQLITE_BLOB)
        row->bad = true;
    const void *bytes = sqlite3_column_blob(row->stmt, column);
    *size = bytes != NULL ? (size_t)sqlite3_column_bytes(row->stmt, column) : 0;
    row->sum = nc_hash(row->sum, bytes, *size);
    return bytes;
}

nc_code nc_row_check(nc_row *row, const char *what, int64_t number, nc_error *err)
{
    const int64_t stored = sqlite3_column_int64(row->stmt, row->column);
    if (!row->bad && (uint64_t)stored == row->sum)
        return NC_OK;
    if (sqlite3_errcode(row->run->db) == SQLITE_NOMEM)
        return nc_sql_fail(row->run, "reading", err);
    return nc_fail_at(err, NC_BAD_FILE, row->run->path, 0, 0, "%s %lld is damaged: its checksum does not fit", what,
                      (long long)number);
}

void nc_row_close(nc_row *row)
{
    if (row->stmt != NULL)
        sqlite3_reset(row->stmt);
}
