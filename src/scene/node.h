// The text of a scene as a tree: maps, lists and scalars, each with the file, line and column it came from.
//
// Nodes and all strings live in a pool and vanish with it.
#ifndef NC_SCENE_NODE_H
#define NC_SCENE_NODE_H

#include "base/base.h"

// ---- pool: memory that is freed all at once -----------------------------------------------------------------

typedef struct nc_pool_block nc_pool_block;
typedef struct nc_pool {
    nc_allocator allocator;
    nc_pool_block *blocks; // newest first
    size_t used;           // bytes of the newest block that are taken
} nc_pool;

// Zeroed and 16-byte aligned; NULL when out of memory.
void *nc_pool_take(nc_pool *pool, size_t count, size_t item_size);
// A copy that ends in a zero; NULL when out of memory.
char *nc_pool_text(nc_pool *pool, const char *text, size_t size);
// printf into the pool; NULL when out of memory.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
char *
nc_pool_format(nc_pool *pool, const char *format, ...);
void nc_pool_free(nc_pool *pool);

// ---- tree ---------------------------------------------------------------------------------------------------

#define NC_SCENE_MAX_DEPTH 64                 // maps and lists inside each other
#define NC_SCENE_MAX_BYTES (16 * 1024 * 1024) // of one file
#define NC_SCENE_MAX_NODES 1000000            // of one file

typedef enum nc_node_kind { NC_NODE_SCALAR, NC_NODE_LIST, NC_NODE_MAP } nc_node_kind;

typedef struct nc_node nc_node;
struct nc_node {
    nc_node_kind kind;
    bool plain;       // a scalar without quotes
    const char *file; // what errors name
    int line, column; // of the value, from 1
    const char *key;  // in a map: its key, else NULL
    int key_line, key_column;
    const char *text;               // of a scalar; never NULL for one
    const char *given, *given_unit; // what the file says, where the text was converted to metres; else NULL
    nc_node *parent, *first, *last, *next;
    int count; // entries of a map or list
};

// Reads YAML (or JSON) text of one document. Aliases, anchors, tags, duplicate keys, keys that are not scalars, and
// more than NC_SCENE_MAX_DEPTH levels are errors.
nc_code nc_node_parse(nc_pool *pool, const char *file, const char *text, size_t size, nc_node **out, nc_error *err);

// The entry of a map, or NULL.
nc_node *nc_node_find(const nc_node *map, const char *key);
// The entry of a list, or NULL.
nc_node *nc_node_at(const nc_node *list, int index);
void nc_node_append(nc_node *parent, nc_node *child);
void nc_node_remove(nc_node *parent, nc_node *child);
// Puts `child` where `old` is, with old's key.
void nc_node_replace(nc_node *old, nc_node *child);
nc_node *nc_node_create(nc_pool *pool, nc_node_kind kind, const char *file, int line, int column);

// "bodies.2.position" into `out`; "" for the root. Returns `out`.
const char *nc_node_path(const nc_node *node, char *out, size_t out_size);
// What was found, for error sentences: "abc" in quotes, "a list of 3", "a map of 2", "nothing".
const char *nc_node_describe(const nc_node *node, char *out, size_t out_size);

// NC_BAD_SCENE at the value of a node: "<path>: <sentence>".
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
nc_code
nc_node_fail(nc_error *err, const nc_node *node, const char *format, ...);

// Appends the tree as JSON, which is YAML too: reading it gives an equal tree. False when out of memory.
bool nc_node_write(const nc_node *node, nc_buffer *out);

// Reads "3", "-0.5e3" or "1/24": the whole text must be one finite number. The same value in every locale.
bool nc_number_parse(const char *text, double *out);

#endif
