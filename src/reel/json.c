// JSON out, by hand: a dozen kinds of lines need no library.
#include "reel/json.h"

#include "base/base.h"

#include <inttypes.h>
#include <math.h>

// A JSON string; bytes that are not UTF-8 (file names may hold any) become U+FFFD.
static void write_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *s = (const unsigned char *)text; *s != '\0';) {
        const size_t length = nc_utf8_length(s);
        if (length == 0)
            fputs("\\ufffd", out);
        else if (*s == '"' || *s == '\\')
            fprintf(out, "\\%c", *s);
        else if (*s < 0x20 || *s == 0x7f)
            fprintf(out, "\\u%04x", *s);
        else
            fwrite(s, 1, length, out);
        s += length == 0 ? 1 : length;
    }
    fputc('"', out);
}

static void start_item(nc_json *json, const char *key)
{
    if (json->depth > 0) {
        const bool first = !json->has_items[json->depth];
        json->has_items[json->depth] = true;
        if (json->one_line)
            fputs(first ? "" : ", ", json->out);
        else
            fprintf(json->out, "%s%*s", first ? "\n" : ",\n", 2 * json->depth, "");
    }
    if (key != NULL) {
        write_string(json->out, key);
        fputs(": ", json->out);
    }
}

void nc_json_begin(nc_json *json, const char *key, char bracket)
{
    start_item(json, key);
    fputc(bracket, json->out);
    json->depth++;
    json->has_items[json->depth] = false;
}

void nc_json_end(nc_json *json, char bracket)
{
    const bool had_items = json->has_items[json->depth];
    json->depth--;
    if (had_items && !json->one_line)
        fprintf(json->out, "\n%*s", 2 * json->depth, "");
    fputc(bracket, json->out);
    if (json->depth == 0)
        fputc('\n', json->out);
}

void nc_json_text(nc_json *json, const char *key, const char *value)
{
    start_item(json, key);
    write_string(json->out, value);
}

static void write_number(FILE *out, double value)
{
    if (isfinite(value))
        fprintf(out, "%.17g", value);
    else
        fputs("null", out);
}

void nc_json_number(nc_json *json, const char *key, double value)
{
    start_item(json, key);
    write_number(json->out, value);
}

void nc_json_whole(nc_json *json, const char *key, int64_t value)
{
    start_item(json, key);
    fprintf(json->out, "%" PRId64, value);
}

void nc_json_flag(nc_json *json, const char *key, bool value)
{
    start_item(json, key);
    fputs(value ? "true" : "false", json->out);
}

void nc_json_hash(nc_json *json, const char *key, uint64_t value)
{
    start_item(json, key);
    fprintf(json->out, "\"%016" PRIx64 "\"", value);
}

void nc_json_vec3(nc_json *json, const char *key, nc_vec3 value)
{
    start_item(json, key);
    const double v[3] = {value.x, value.y, value.z};
    for (int i = 0; i < 3; i++) {
        fputs(i == 0 ? "[" : ", ", json->out);
        write_number(json->out, v[i]);
    }
    fputc(']', json->out);
}
