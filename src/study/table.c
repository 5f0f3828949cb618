// Results as a table, CSV or JSON.
#include "study/study.h"

#include "export/export.h"
#include "reel/reel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const nc_study_format_names[NC_STUDY_FORMAT_COUNT] = {"table", "csv", "json"};

#define CELL_SIZE 48 // [bytes] of a cell of the table for people

// ---- which columns ------------------------------------------------------------------------------------------

// "select number, status, parameters, measurements, the rest"; for people what is about the run, not the machine.
static bool put_query(const nc_study *study, bool all, nc_buffer *sql)
{
    static const char *const brief[] = {"hash", "seconds", "exit_code", "message"};
    int count;
    const nc_study_field *fields = nc_study_fields(&count);
    bool ok = nc_buffer_print(sql, "select number, status");
    for (int i = 0; i < study->parameter_count; i++)
        ok = ok && nc_buffer_print(sql, ", \"%s\"", study->parameters[i].name);
    for (int i = 0; i < study->measure_count; i++)
        ok = ok && nc_buffer_print(sql, ", \"%s\"", study->measures[i].name);
    for (int i = 2; i < count && all; i++)
        ok = ok && nc_buffer_print(sql, ", %s", fields[i].name);
    for (int i = 0; i < 4 && !all; i++)
        ok = ok && nc_buffer_print(sql, ", %s", brief[i]);
    return ok && nc_buffer_print(sql, " from run order by number") && nc_buffer_append(sql, "", 1);
}

static nc_code open_rows(nc_study *study, bool all, sqlite3_stmt **out, nc_error *err)
{
    nc_buffer sql = nc_buffer_create(NULL);
    nc_code code = NC_OK;
    *out = NULL;
    if (!put_query(study, all, &sql))
        code = nc_fail_memory(err, sql.size);
    else if (sqlite3_prepare_v2(study->file.db, (const char *)sql.data, -1, out, NULL) != SQLITE_OK)
        code = nc_sql_fail(&study->file, "reading results", err);
    nc_buffer_free(&sql);
    return code;
}

// ---- CSV and JSON -------------------------------------------------------------------------------------------

static void put_csv_cell(sqlite3_stmt *s, int column, FILE *out)
{
    char number[40];
    const char *text = (const char *)sqlite3_column_text(s, column);
    if (sqlite3_column_type(s, column) == SQLITE_FLOAT)
        fputs(nc_shortest_text(sqlite3_column_double(s, column), number, sizeof number), out);
    else if (text != NULL)
        nc_csv_text(out, text);
}

static void print_csv(sqlite3_stmt *s, FILE *out)
{
    const int columns = sqlite3_column_count(s);
    for (int i = 0; i < columns; i++) {
        nc_csv_text(out, sqlite3_column_name(s, i));
        fputc(i + 1 < columns ? ',' : '\n', out);
    }
    while (sqlite3_step(s) == SQLITE_ROW)
        for (int i = 0; i < columns; i++) {
            put_csv_cell(s, i, out);
            fputc(i + 1 < columns ? ',' : '\n', out);
        }
}

static void put_json_cell(nc_json *json, sqlite3_stmt *s, int column)
{
    const char *name = sqlite3_column_name(s, column);
    switch (sqlite3_column_type(s, column)) {
    case SQLITE_INTEGER:
        nc_json_whole(json, name, sqlite3_column_int64(s, column));
        break;
    case SQLITE_FLOAT:
        nc_json_number(json, name, sqlite3_column_double(s, column));
        break;
    case SQLITE_NULL:
        nc_json_number(json, name, (double)NAN);
        break;
    default:
        nc_json_text(json, name, (const char *)sqlite3_column_text(s, column));
    }
}

static void print_json(const nc_study *study, sqlite3_stmt *s, FILE *out)
{
    nc_json json = {.out = out};
    nc_json_begin(&json, NULL, '{');
    nc_json_text(&json, "title", study->title);
    nc_json_begin(&json, "runs", '[');
    while (sqlite3_step(s) == SQLITE_ROW) {
        nc_json_begin(&json, NULL, '{');
        for (int i = 0; i < sqlite3_column_count(s); i++)
            put_json_cell(&json, s, i);
        nc_json_end(&json, '}');
    }
    nc_json_end(&json, ']');
    nc_json_end(&json, '}');
}

// ---- for people ---------------------------------------------------------------------------------------------

static void cell_text(sqlite3_stmt *s, int column, char *out)
{
    const char *text = (const char *)sqlite3_column_text(s, column);
    if (sqlite3_column_type(s, column) == SQLITE_FLOAT)
        snprintf(out, CELL_SIZE, "%.6g", sqlite3_column_double(s, column));
    else
        snprintf(out, CELL_SIZE, "%.47s", text != NULL ? text : "");
}

static int *measure_widths(sqlite3_stmt *s)
{
    const int columns = sqlite3_column_count(s);
    int *widths = calloc((size_t)columns, sizeof *widths);
    char cell[CELL_SIZE];
    for (int i = 0; i < columns && widths != NULL; i++)
        widths[i] = (int)strlen(sqlite3_column_name(s, i));
    while (widths != NULL && sqlite3_step(s) == SQLITE_ROW)
        for (int i = 0; i < columns; i++) {
            cell_text(s, i, cell);
            const int length = (int)strlen(cell);
            widths[i] = length > widths[i] ? length : widths[i];
        }
    sqlite3_reset(s);
    return widths;
}

// The last column, the message, is whole and not padded.
static nc_code print_table(sqlite3_stmt *s, FILE *out, nc_error *err)
{
    const int columns = sqlite3_column_count(s);
    int *widths = measure_widths(s);
    char cell[CELL_SIZE];
    if (widths == NULL)
        return nc_fail_memory(err, (size_t)columns * sizeof *widths);
    for (int i = 0; i < columns - 1; i++)
        fprintf(out, "%s%-*s", i > 0 ? "  " : "", i + 2 < columns ? widths[i] : 0, sqlite3_column_name(s, i));
    fputc('\n', out);
    while (sqlite3_step(s) == SQLITE_ROW) {
        const char *message = (const char *)sqlite3_column_text(s, columns - 1);
        for (int i = 0; i < columns - 1; i++) {
            cell_text(s, i, cell);
            fprintf(out, "%s%-*s", i > 0 ? "  " : "", i + 2 < columns || message != NULL ? widths[i] : 0, cell);
        }
        fprintf(out, "%s%s\n", message != NULL ? "  " : "", message != NULL ? message : "");
    }
    free(widths);
    return NC_OK;
}

nc_code nc_study_print(nc_study *study, nc_study_format format, FILE *out, nc_error *err)
{
    sqlite3_stmt *s;
    nc_code code = open_rows(study, format != NC_STUDY_TABLE, &s, err);
    if (code != NC_OK)
        return code;
    if (format == NC_STUDY_CSV)
        print_csv(s, out);
    else if (format == NC_STUDY_JSON)
        print_json(study, s, out);
    else
        code = print_table(s, out, err);
    sqlite3_finalize(s);
    return code;
}
