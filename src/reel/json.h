// JSON as it is written: by the commands, the viewer and the tables of runs.
#ifndef NC_REEL_JSON_H
#define NC_REEL_JSON_H

#include "nacre/nacre.h"

#include <stdio.h>

// Writes JSON with two spaces of indent, or on one line. `key` is NULL inside arrays.
typedef struct nc_json {
    FILE *out;
    bool one_line;
    int depth;
    bool has_items[16]; // at each depth
} nc_json;
void nc_json_begin(nc_json *json, const char *key, char bracket); // '{' or '['
void nc_json_end(nc_json *json, char bracket);                    // '}' or ']'
void nc_json_text(nc_json *json, const char *key, const char *value);
void nc_json_number(nc_json *json, const char *key, double value); // null when not finite
void nc_json_whole(nc_json *json, const char *key, int64_t value);
void nc_json_flag(nc_json *json, const char *key, bool value);
void nc_json_hash(nc_json *json, const char *key, uint64_t value); // "0123456789abcdef"
void nc_json_vec3(nc_json *json, const char *key, nc_vec3 value);

#endif
