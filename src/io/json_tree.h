// JSON text (RFC 8259) as a tree of values.
#ifndef NC_IO_JSON_TREE_H
#define NC_IO_JSON_TREE_H

#include "base/base.h"

typedef enum nc_json_kind {
    NC_JSON_NULL,
    NC_JSON_FLAG,
    NC_JSON_NUMBER,
    NC_JSON_TEXT,
    NC_JSON_LIST,
    NC_JSON_MAP,
    NC_JSON_KIND_COUNT
} nc_json_kind;

#define NC_JSON_MAX_DEPTH 64

typedef struct nc_json_value {
    nc_json_kind kind;
    int parent, first, last, next; // values: where it is in, its first and last member, what follows it; -1 for none
    int count;                     // members of a list or a map
    size_t key;                    // in the tree's `text`; of a member of a map
    size_t text;                   // in the tree's `text`, with a zero byte after it; "" for what is no text
    double number;                 // a flag is 1 or 0
    int line, column;              // where it begins, or its key does
} nc_json_value;

typedef struct nc_json_tree {
    NC_ARRAY(nc_json_value) values; // value 0 is the root
    nc_buffer text;
    nc_allocator allocator;
} nc_json_tree;

// Reads `size` bytes; the byte after them must exist and be 0. Call it in the C locale. Texts keep their UTF-8; a zero
// character in one is refused. Errors name the file, and line and column in the JSON. Free the tree in any case.
nc_code nc_json_parse(const char *json, size_t size, const char *path, const nc_allocator *allocator, nc_json_tree *out,
                      nc_error *err);
// The same from a file, in any locale. NC_NOT_FOUND, NC_IO: it cannot be read.
nc_code nc_json_load(const char *path, const nc_allocator *allocator, nc_json_tree *out, nc_error *err);
void nc_json_free(nc_json_tree *tree);

// The member of a map by its key (the first of that name), -1 when there is none or `map` is -1 or no map.
int nc_json_member(const nc_json_tree *tree, int map, const char *key);
// Texts live as long as the tree.
const char *nc_json_key(const nc_json_tree *tree, int value);
const char *nc_json_string(const nc_json_tree *tree, int value);
// -1 stands for a value that is not there.
bool nc_json_is(const nc_json_tree *tree, int value, nc_json_kind kind);

#endif
