// YAML text to a tree, by libyaml's events. Its marks count from 0, ours from 1.
//
// libyaml allocates by malloc on its own while it parses; what is kept is in the pool.
#include "scene/node.h"

#include <limits.h>
#include <string.h>

#include <yaml.h>

typedef struct parsing {
    nc_pool *pool;
    nc_error *err;
    const char *file;
    nc_node *root;
    nc_node *open;        // the innermost map or list that has not ended
    const char *key;      // in an open map: the key whose value comes next
    yaml_mark_t key_mark; // where that key is
    int depth, nodes, documents;
} parsing;

static int from_1(size_t count_from_0)
{
    return count_from_0 < INT_MAX ? (int)count_from_0 + 1 : INT_MAX;
}

#define FAIL(p, mark, ...)                                                                                             \
    nc_fail_at((p)->err, NC_BAD_SCENE, (p)->file, from_1((mark).line), from_1((mark).column), __VA_ARGS__)

// Makes a node, and hangs it into the open map or list under the key that waits for it.
static nc_code add_node(parsing *p, nc_node_kind kind, yaml_mark_t mark, nc_node **out)
{
    if (++p->nodes > NC_SCENE_MAX_NODES)
        return FAIL(p, mark, "more than %d values in one file", NC_SCENE_MAX_NODES);
    nc_node *node = nc_node_create(p->pool, kind, p->file, from_1(mark.line), from_1(mark.column));
    if (node == NULL)
        return nc_fail_memory(p->err, sizeof *node);
    if (p->open == NULL)
        p->root = node;
    else
        nc_node_append(p->open, node);
    node->key = p->key;
    node->key_line = from_1(p->key_mark.line);
    node->key_column = from_1(p->key_mark.column);
    p->key = NULL;
    *out = node;
    return NC_OK;
}

static bool wants_key(const parsing *p)
{
    return p->open != NULL && p->open->kind == NC_NODE_MAP && p->key == NULL;
}

static nc_code refuse_decoration(parsing *p, const yaml_event_t *event, const yaml_char_t *anchor,
                                 const yaml_char_t *tag)
{
    if (anchor != NULL)
        return FAIL(p, event->start_mark, "anchors (&%.60s) are not allowed in a scene; use shapes, groups or include",
                    (const char *)anchor);
    if (tag != NULL)
        return FAIL(p, event->start_mark, "tags (%.60s) are not allowed in a scene", (const char *)tag);
    return NC_OK;
}

static nc_code on_scalar(parsing *p, const yaml_event_t *event)
{
    const char *value = (const char *)event->data.scalar.value;
    const size_t size = event->data.scalar.length;
    nc_code code = refuse_decoration(p, event, event->data.scalar.anchor, event->data.scalar.tag);
    if (code != NC_OK)
        return code;
    if (memchr(value, 0, size) != NULL)
        return FAIL(p, event->start_mark, "a text must not hold a zero byte");
    char *text = nc_pool_text(p->pool, value, size);
    if (text == NULL)
        return nc_fail_memory(p->err, size + 1);
    if (wants_key(p)) {
        p->key = text;
        p->key_mark = event->start_mark;
        return NC_OK;
    }
    nc_node *node = NULL;
    code = add_node(p, NC_NODE_SCALAR, event->start_mark, &node);
    if (code == NC_OK) {
        node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
        node->text = text;
    }
    return code;
}

static nc_code on_start(parsing *p, const yaml_event_t *event, nc_node_kind kind)
{
    const bool map = kind == NC_NODE_MAP;
    nc_code code =
        refuse_decoration(p, event, map ? event->data.mapping_start.anchor : event->data.sequence_start.anchor,
                          map ? event->data.mapping_start.tag : event->data.sequence_start.tag);
    if (code != NC_OK)
        return code;
    if (wants_key(p))
        return FAIL(p, event->start_mark, "a key must be a text, found a %s", map ? "map" : "list");
    if (++p->depth > NC_SCENE_MAX_DEPTH)
        return FAIL(p, event->start_mark, "maps and lists are nested deeper than %d", NC_SCENE_MAX_DEPTH);
    nc_node *node = NULL;
    code = add_node(p, kind, event->start_mark, &node);
    if (code == NC_OK)
        p->open = node;
    return code;
}

static bool key_less(const void *a, const void *b, const void *ctx)
{
    (void)ctx;
    return strcmp((*(nc_node *const *)a)->key, (*(nc_node *const *)b)->key) < 0;
}

// Sorted (stably) by key, equal keys are neighbours, the later one second.
static nc_code refuse_duplicates(parsing *p, const nc_node *map)
{
    if (map->count < 2)
        return NC_OK;
    const nc_allocator *allocator = &p->pool->allocator;
    const size_t count = (size_t)map->count;
    nc_node **sorted = nc_alloc(allocator, count, sizeof *sorted);
    if (sorted == NULL)
        return nc_fail_memory(p->err, count * sizeof *sorted);
    size_t filled = 0;
    for (nc_node *entry = map->first; entry != NULL; entry = entry->next)
        sorted[filled++] = entry;
    nc_code code = NC_OK;
    if (!nc_sort(allocator, sorted, count, sizeof *sorted, key_less, NULL))
        code = nc_fail_memory(p->err, count * sizeof *sorted);
    for (size_t i = 1; i < count && code == NC_OK; i++)
        if (strcmp(sorted[i - 1]->key, sorted[i]->key) == 0)
            code = nc_fail_at(p->err, NC_BAD_SCENE, p->file, sorted[i]->key_line, sorted[i]->key_column,
                              "the key \"%.80s\" is there twice, first in line %d", sorted[i]->key,
                              sorted[i - 1]->key_line);
    nc_free(allocator, sorted, count, sizeof *sorted);
    return code;
}

static nc_code on_end(parsing *p)
{
    const nc_node *ended = p->open;
    if (ended == NULL)
        return NC_OK; // never: libyaml's events are balanced
    p->open = ended->parent;
    p->depth--;
    return ended->kind == NC_NODE_MAP ? refuse_duplicates(p, ended) : NC_OK;
}

static nc_code on_event(parsing *p, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (++p->documents > 1)
            return FAIL(p, event->start_mark, "a second document starts here; a scene is one document");
        return NC_OK;
    case YAML_ALIAS_EVENT:
        return FAIL(p, event->start_mark, "aliases (*%.60s) are not allowed in a scene; use shapes, groups or include",
                    (const char *)event->data.alias.anchor);
    case YAML_SCALAR_EVENT:
        return on_scalar(p, event);
    case YAML_SEQUENCE_START_EVENT:
        return on_start(p, event, NC_NODE_LIST);
    case YAML_MAPPING_START_EVENT:
        return on_start(p, event, NC_NODE_MAP);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return on_end(p);
    default:
        return NC_OK;
    }
}

// Line and column of a byte, for errors that come without a mark (text that is not UTF-8).
static yaml_mark_t mark_of_offset(const char *text, size_t size, size_t offset)
{
    yaml_mark_t mark = {0, 0, 0};
    for (size_t i = 0; i < offset && i < size; i++) {
        mark.column = text[i] == '\n' ? 0 : mark.column + 1;
        mark.line += text[i] == '\n';
    }
    return mark;
}

static nc_code yaml_failed(parsing *p, const yaml_parser_t *parser, const char *text, size_t size)
{
    if (parser->error == YAML_MEMORY_ERROR)
        return nc_fail(p->err, NC_OUT_OF_MEMORY, "out of memory while reading YAML");
    const yaml_mark_t mark =
        parser->error == YAML_READER_ERROR ? mark_of_offset(text, size, parser->problem_offset) : parser->problem_mark;
    return FAIL(p, mark, "this is not YAML: %s%s%s", parser->problem != NULL ? parser->problem : "it cannot be read",
                parser->context != NULL ? " " : "", parser->context != NULL ? parser->context : "");
}

static nc_code run_parser(parsing *p, yaml_parser_t *parser, const char *text, size_t size)
{
    for (bool more = true; more;) {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event))
            return yaml_failed(p, parser, text, size);
        const nc_code code = on_event(p, &event);
        more = event.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
        if (code != NC_OK)
            return code;
    }
    return NC_OK;
}

nc_code nc_node_parse(nc_pool *pool, const char *file, const char *text, size_t size, nc_node **out, nc_error *err)
{
    parsing p = {.pool = pool, .err = err, .file = file};
    if (size > NC_SCENE_MAX_BYTES)
        return nc_fail_at(err, NC_BAD_SCENE, file, 0, 0, "%zu bytes; a scene file has at most %d", size,
                          NC_SCENE_MAX_BYTES);
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory while reading YAML");
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    const nc_code code = run_parser(&p, &parser, text, size);
    yaml_parser_delete(&parser);
    if (code != NC_OK)
        return code;
    if (p.root == NULL)
        return nc_fail_at(err, NC_BAD_SCENE, file, 1, 1, "there is nothing in this file");
    *out = p.root;
    return NC_OK;
}
