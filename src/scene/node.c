// Trees of scene text: building them, finding in them, naming places in them.
#include "scene/node.h"

#include <stdio.h>
#include <string.h>

nc_node *nc_node_create(nc_pool *pool, nc_node_kind kind, const char *file, int line, int column)
{
    nc_node *node = nc_pool_take(pool, 1, sizeof *node);
    if (node == NULL)
        return NULL;
    node->kind = kind;
    node->file = file;
    node->line = line;
    node->column = column;
    node->text = "";
    return node;
}

nc_node *nc_node_find(const nc_node *map, const char *key)
{
    if (map == NULL || map->kind != NC_NODE_MAP)
        return NULL;
    for (nc_node *entry = map->first; entry != NULL; entry = entry->next)
        if (strcmp(entry->key, key) == 0)
            return entry;
    return NULL;
}

nc_node *nc_node_at(const nc_node *list, int index)
{
    if (list == NULL || list->kind != NC_NODE_LIST || index < 0)
        return NULL;
    nc_node *entry = list->first;
    for (int i = 0; entry != NULL && i < index; i++)
        entry = entry->next;
    return entry;
}

void nc_node_append(nc_node *parent, nc_node *child)
{
    child->parent = parent;
    child->next = NULL;
    if (parent->last == NULL)
        parent->first = child;
    else
        parent->last->next = child;
    parent->last = child;
    parent->count++;
}

static nc_node *before(const nc_node *parent, const nc_node *child)
{
    nc_node *entry = parent->first;
    while (entry != NULL && entry->next != child)
        entry = entry->next;
    return entry;
}

void nc_node_remove(nc_node *parent, nc_node *child)
{
    nc_node *previous = parent->first == child ? NULL : before(parent, child);
    if (previous == NULL)
        parent->first = child->next;
    else
        previous->next = child->next;
    if (parent->last == child)
        parent->last = previous;
    parent->count--;
    child->next = NULL;
    child->parent = NULL;
}

void nc_node_replace(nc_node *old, nc_node *child)
{
    nc_node *parent = old->parent;
    nc_node *previous = parent->first == old ? NULL : before(parent, old);
    child->key = old->key;
    child->parent = parent;
    child->next = old->next;
    if (previous == NULL)
        parent->first = child;
    else
        previous->next = child;
    if (parent->last == old)
        parent->last = child;
    old->parent = NULL;
    old->next = NULL;
}

static int index_in_parent(const nc_node *node)
{
    int index = 0;
    for (const nc_node *entry = node->parent->first; entry != NULL && entry != node; entry = entry->next)
        index++;
    return index;
}

const char *nc_node_path(const nc_node *node, char *out, size_t out_size)
{
    const nc_node *chain[NC_SCENE_MAX_DEPTH + 2];
    int depth = 0;
    for (; node != NULL && node->parent != NULL && depth < NC_SCENE_MAX_DEPTH + 2; node = node->parent)
        chain[depth++] = node;
    size_t used = 0;
    out[0] = '\0';
    while (depth-- > 0 && used + 1 < out_size) {
        const char *dot = used > 0 ? "." : "";
        const int wrote = chain[depth]->key != NULL
                              ? snprintf(out + used, out_size - used, "%s%.80s", dot, chain[depth]->key)
                              : snprintf(out + used, out_size - used, "%s%d", dot, index_in_parent(chain[depth]));
        used += wrote > 0 ? (size_t)wrote : 0;
    }
    return out;
}

const char *nc_node_describe(const nc_node *node, char *out, size_t out_size)
{
    if (node->kind == NC_NODE_LIST)
        snprintf(out, out_size, "a list of %d", node->count);
    else if (node->kind == NC_NODE_MAP)
        snprintf(out, out_size, "a map of %d", node->count);
    else if (node->text[0] == '\0')
        snprintf(out, out_size, "nothing");
    else if (node->given != NULL)
        snprintf(out, out_size, "\"%.60s\" %s", node->given, node->given_unit);
    else
        snprintf(out, out_size, "\"%.60s%s\"", node->text, strlen(node->text) > 60 ? "..." : "");
    return out;
}

nc_code nc_node_fail(nc_error *err, const nc_node *node, const char *format, ...)
{
    if (err == NULL)
        return NC_BAD_SCENE;
    char path[256], sentence[sizeof err->text];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    nc_node_path(node, path, sizeof path);
    return nc_fail_at(err, NC_BAD_SCENE, node->file, node->line, node->column, "%s%s%s", path,
                      path[0] != '\0' ? ": " : "", sentence);
}
