// Overrides: "world.timestep=1/60" changes the tree before anything is checked.
#include "scene/description.h"

#include <limits.h>
#include <string.h>

typedef struct override {
    nc_scene *scene;
    nc_error *err;
    const char *label; // what errors name as the file
    const char *text;
} override;

#define FAIL(o, at, ...) nc_fail_at((o)->err, NC_BAD_SCENE, (o)->label, 1, (int)((at) - (o)->text) + 1, __VA_ARGS__)

// Columns of a value count in the whole override.
static void shift_columns(nc_node *node, int by)
{
    if (node->line == 1)
        node->column += by;
    if (node->key_line == 1)
        node->key_column += by;
    for (nc_node *entry = node->first; entry != NULL; entry = entry->next)
        shift_columns(entry, by);
}

// A row number, or -1.
static int parse_index(const char *word)
{
    const size_t length = strlen(word);
    if (length == 0 || length > 7 || strspn(word, "0123456789") != length)
        return -1;
    int index = 0;
    for (const char *s = word; *s != '\0'; s++)
        index = 10 * index + (*s - '0');
    return index;
}

// An entry of a list, by number or by the name it gives itself.
static nc_node *find_in_list(const nc_node *list, const char *word)
{
    const int index = parse_index(word);
    if (index >= 0)
        return nc_node_at(list, index);
    for (nc_node *entry = list->first; entry != NULL; entry = entry->next) {
        const nc_node *name = nc_node_find(entry, "name");
        if (name != NULL && name->kind == NC_NODE_SCALAR && strcmp(name->text, word) == 0)
            return entry;
    }
    return NULL;
}

static nc_code enter(override *o, nc_node *parent, const char *at, const char *word, nc_node **out)
{
    char found[96];
    *out = NULL;
    if (parent->kind == NC_NODE_SCALAR)
        return FAIL(o, at, "\"%.80s\" cannot be entered: what is before it is %s, not a map or a list", word,
                    nc_node_describe(parent, found, sizeof found));
    *out = parent->kind == NC_NODE_MAP ? nc_node_find(parent, word) : find_in_list(parent, word);
    if (*out == NULL && parent->kind == NC_NODE_LIST)
        return FAIL(o, at, "\"%.80s\" is no entry of this list; allowed: 0 to %d, or the name of an entry", word,
                    parent->count - 1);
    return NC_OK;
}

static nc_code add_entry(override *o, nc_node *parent, const char *at, const char *word, nc_node *entry)
{
    entry->key = nc_pool_text(&o->scene->pool, word, strlen(word));
    if (entry->key == NULL)
        return nc_fail_memory(o->err, strlen(word));
    entry->key_line = 1;
    entry->key_column = (int)(at - o->text) + 1;
    nc_node_append(parent, entry);
    return NC_OK;
}

// Puts `value` (NULL: nothing) at the last word of the path.
static nc_code set_last(override *o, nc_node *parent, const char *at, const char *word, nc_node *value)
{
    nc_node *old = NULL;
    const nc_code code = enter(o, parent, at, word, &old);
    if (code != NC_OK)
        return code;
    if (value == NULL && old == NULL)
        return FAIL(o, at, "\"%.80s\" is not there, so it cannot be taken out", word);
    if (value == NULL) {
        nc_node_remove(parent, old);
        return NC_OK;
    }
    if (old == NULL)
        return add_entry(o, parent, at, word, value);
    value->key_line = 1;
    value->key_column = (int)(at - o->text) + 1;
    nc_node_replace(old, value);
    return NC_OK;
}

// One word on: the entry of that name, made when it is not there.
static nc_code descend(override *o, nc_node **node, const char *at, const char *word)
{
    nc_node *entry = NULL;
    nc_code code = enter(o, *node, at, word, &entry);
    if (code == NC_OK && entry == NULL) {
        entry = nc_node_create(&o->scene->pool, NC_NODE_MAP, o->label, 1, (int)(at - o->text) + 1);
        if (entry == NULL)
            return nc_fail_memory(o->err, sizeof *entry);
        code = add_entry(o, *node, at, word, entry);
    }
    *node = entry;
    return code;
}

static nc_code parse_value(override *o, const char *value, nc_node **out)
{
    if (value[strspn(value, " ")] == '\0')
        return NC_OK;
    const nc_code code = nc_node_parse(&o->scene->pool, o->label, value, strlen(value), out, o->err);
    if (code == NC_OK)
        shift_columns(*out, (int)(value - o->text));
    else if (o->err != NULL && o->err->line == 1)
        o->err->column += (int)(value - o->text);
    return code;
}

nc_code nc_scene_override(nc_scene *scene, const char *text, nc_error *err)
{
    const char *label = nc_pool_format(&scene->pool, "override \"%s\"", text);
    if (label == NULL)
        return nc_fail_memory(err, strlen(text));
    override o = {scene, err, label, text};
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text || strlen(text) > 100000)
        return FAIL(&o, text, "allowed: path.to.key=value, such as world.timestep=1/60");
    nc_node *value = NULL, *node = scene->root;
    nc_code code = parse_value(&o, equals + 1, &value);
    for (const char *at = text; code == NC_OK;) {
        char word[128];
        const size_t length = strcspn(at, ".=");
        if (length == 0 || length >= sizeof word)
            return FAIL(&o, at, "allowed: keys of 1 to 127 letters with dots between them, then =value");
        memcpy(word, at, length);
        word[length] = '\0';
        if (strcmp(word, "include") == 0 && at == text)
            return FAIL(&o, at, "include cannot be overridden: files are read before overrides are applied");
        if (strcmp(word, "units") == 0 && at == text)
            return FAIL(&o, at, "units cannot be overridden: lengths are in metres when overrides are applied");
        if (at[length] == '=')
            return set_last(&o, node, at, word, value);
        code = descend(&o, &node, at, word);
        at += length + 1;
    }
    return code;
}
