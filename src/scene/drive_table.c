// Targets of a drive from a table: lines of a time and a value, separated by a comma, a semicolon or white space.
#include "scene/description.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define LONGEST_LINE   512     // letters
#define MAX_TABLE_ROWS 1000000 // rows of a table

typedef NC_ARRAY(nc_drive_key) nc_drive_rows;

// Splits a line in place into up to three words. Returns how many there are.
static int split(char *line, char *words[3])
{
    int count = 0;
    for (char *p = line; *p != '\0' && count < 3;) {
        while (*p != '\0' && (isspace((unsigned char)*p) || *p == ',' || *p == ';'))
            *p++ = '\0';
        if (*p == '\0')
            break;
        words[count++] = p;
        while (*p != '\0' && !isspace((unsigned char)*p) && *p != ',' && *p != ';')
            p++;
    }
    return count;
}

// A line of the table. The first one may be a heading; empty lines and those that begin with # say nothing.
static nc_code read_line(nc_scene *scene, const char *path, int number, char *line, nc_drive_rows *rows, nc_error *err)
{
    char *words[3];
    nc_drive_key key;
    const bool comment = line[strspn(line, " \t")] == '#';
    const int count = comment ? 0 : split(line, words);
    if (count == 0)
        return NC_OK;
    const bool good = count == 2 && nc_number_parse(words[0], &key.time) && nc_number_parse(words[1], &key.value);
    if (!good && number == 1 && count == 2)
        return NC_OK;
    if (!good)
        return nc_fail_at(err, NC_BAD_FILE, path, number, 1, "allowed: a time [s] and a value, two numbers");
    if (rows->count > 0 && !(key.time > rows->data[rows->count - 1].time))
        return nc_fail_at(err, NC_BAD_FILE, path, number, 1,
                          "the time %g s does not come after %g s; allowed: ascending times", key.time,
                          rows->data[rows->count - 1].time);
    if (rows->count >= MAX_TABLE_ROWS)
        return nc_fail_at(err, NC_BAD_FILE, path, number, 1, "a table has at most %d rows", MAX_TABLE_ROWS);
    return nc_array_push(&scene->allocator, rows, key) ? NC_OK : nc_fail_memory(err, sizeof key);
}

static nc_code read_rows(nc_scene *scene, FILE *file, const char *path, nc_drive_rows *rows, nc_error *err)
{
    char line[LONGEST_LINE];
    nc_code code = NC_OK;
    for (int number = 1; code == NC_OK && fgets(line, sizeof line, file) != NULL; number++) {
        if (strlen(line) + 1 == sizeof line)
            return nc_fail_at(err, NC_BAD_FILE, path, number, 1, "the line has more than %d letters", LONGEST_LINE - 2);
        code = read_line(scene, path, number, line, rows, err);
    }
    if (code == NC_OK && ferror(file))
        return nc_fail(err, NC_IO, "cannot read %s: %s", path, strerror(errno));
    if (code == NC_OK && rows->count == 0)
        return nc_fail_at(err, NC_BAD_FILE, path, 1, 1, "the table has no rows");
    return code;
}

nc_code nc_scene_read_drive_table(nc_scene *scene, const nc_node *node, nc_joint_drive *drive, nc_error *err)
{
    const char *slash = strrchr(node->file, '/');
    const int directory = node->text[0] == '/' || slash == NULL ? 0 : (int)(slash - node->file) + 1;
    const char *path = nc_pool_format(&scene->pool, "%.*s%s", directory, node->file, node->text);
    if (path == NULL)
        return nc_fail_memory(err, strlen(node->text));
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return nc_node_fail(err, node, "\"%.200s\": %s", path, strerror(errno));
    nc_drive_rows rows = {0};
    nc_code code = read_rows(scene, file, path, &rows, err);
    fclose(file);
    nc_drive_key *keys = code == NC_OK ? nc_pool_take(&scene->pool, (size_t)rows.count, sizeof *keys) : NULL;
    if (code == NC_OK && keys == NULL)
        code = nc_fail_memory(err, (size_t)rows.count * sizeof *keys);
    if (code == NC_OK) {
        memcpy(keys, rows.data, (size_t)rows.count * sizeof *keys);
        drive->keys = keys;
        drive->key_count = rows.count;
    }
    nc_array_free(&scene->allocator, &rows);
    return code;
}
