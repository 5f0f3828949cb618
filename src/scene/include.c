// Files of a scene: reading them, and laying what a file says over what it includes.
#include "scene/description.h"
#include "scene/units.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_FILES    256
#define DEEPEST_FILE 16

// Files are distinguished by what they are, not by how they are spelt.
typedef struct file_identity {
    dev_t device;
    ino_t inode;
    bool open; // its includes are being read
} file_identity;

typedef struct reading {
    nc_scene *scene;
    nc_error *err;
    file_identity files[MAX_FILES];
    int file_count;
    int depth;
} reading;

static nc_code read_bytes(FILE *file, const char *path, nc_buffer *out, nc_error *err)
{
    char block[16384];
    size_t size;
    while ((size = fread(block, 1, sizeof block, file)) > 0) {
        if (out->size + size > NC_SCENE_MAX_BYTES)
            return nc_fail_at(err, NC_BAD_SCENE, path, 0, 0, "more than %d bytes; a scene file has at most that",
                              NC_SCENE_MAX_BYTES);
        if (!nc_buffer_append(out, block, size))
            return nc_fail_memory(err, out->size + size);
    }
    if (ferror(file))
        return nc_fail(err, NC_IO, "cannot read \"%s\": %s", path, strerror(errno));
    return NC_OK;
}

static nc_code open_failed(const char *path, nc_error *err)
{
    return nc_fail(err, errno == ENOENT ? NC_NOT_FOUND : NC_IO, "cannot read \"%s\": %s", path, strerror(errno));
}

static nc_code parse_file(reading *r, const char *path, nc_node **out)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return open_failed(path, r->err);
    nc_buffer bytes = nc_buffer_create(&r->scene->allocator);
    nc_code code = read_bytes(file, path, &bytes, r->err);
    fclose(file);
    if (code == NC_OK)
        code = nc_node_parse(&r->scene->pool, path, bytes.data != NULL ? (const char *)bytes.data : "", bytes.size, out,
                             r->err);
    nc_buffer_free(&bytes);
    return code;
}

// ---- merging ------------------------------------------------------------------------------------------------

static bool is_one_of(const char *key, const char *a, const char *b, const char *c, const char *d)
{
    return strcmp(key, a) == 0 || strcmp(key, b) == 0 || strcmp(key, c) == 0 || strcmp(key, d) == 0;
}

static void put(nc_node *map, nc_node *entry)
{
    nc_node *old = nc_node_find(map, entry->key);
    if (old == NULL)
        nc_node_append(map, entry);
    else
        nc_node_replace(old, entry);
}

// Lays `from` over `onto`: lists of bodies, filters, pairs, joints and moves are joined, maps of settings merged, the
// rest replaced.
static void overlay(nc_node *onto, nc_node *from)
{
    for (nc_node *entry = from->first, *next; entry != NULL; entry = next) {
        next = entry->next;
        nc_node *old = nc_node_find(onto, entry->key);
        const bool joined =
            is_one_of(entry->key, "bodies", "filters", "pairs", "moved") || strcmp(entry->key, "joints") == 0;
        const bool merged = is_one_of(entry->key, "world", "shapes", "groups", "expect");
        if (strcmp(entry->key, "include") == 0)
            continue;
        if (old == NULL || (!joined && !merged)) {
            put(onto, entry);
            continue;
        }
        for (nc_node *inner = entry->first, *after; inner != NULL; inner = after) {
            after = inner->next;
            if (joined)
                nc_node_append(old, inner);
            else
                put(old, inner);
        }
    }
}

// ---- paths --------------------------------------------------------------------------------------------------

static int directory_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? (int)(slash - path) + 1 : 0;
}

// `path` as seen from the directory of `from`.
static const char *join(nc_pool *pool, const char *from, const char *path)
{
    return nc_pool_format(pool, "%.*s%s", path[0] == '/' ? 0 : directory_length(from), from, path);
}

// Mesh paths of an included file, made relative to the file that includes it by `include`.
static nc_code rebase_meshes(reading *r, nc_node *root, const char *include)
{
    const nc_node *shapes = nc_node_find(root, "shapes");
    for (nc_node *shape = shapes != NULL ? shapes->first : NULL; shape != NULL; shape = shape->next) {
        nc_node *file = nc_node_find(shape, "file");
        if (file == NULL || file->kind != NC_NODE_SCALAR || file->text[0] == '\0')
            continue;
        file->text = join(&r->scene->pool, include, file->text);
        if (file->text == NULL)
            return nc_fail_memory(r->err, strlen(include));
    }
    return NC_OK;
}

// ---- includes -----------------------------------------------------------------------------------------------

// The row of a file, made when it was not met before; -1 when it does not exist.
static nc_code identify(reading *r, const char *path, const nc_node *at, int *out_row, bool *out_known)
{
    struct stat info;
    *out_known = false;
    *out_row = -1;
    if (stat(path, &info) != 0)
        return NC_OK;
    for (int i = 0; i < r->file_count; i++) {
        if (r->files[i].device == info.st_dev && r->files[i].inode == info.st_ino) {
            *out_row = i;
            *out_known = true;
            return NC_OK;
        }
    }
    if (r->file_count == MAX_FILES)
        return nc_node_fail(r->err, at, "more than %d files are included", MAX_FILES);
    r->files[r->file_count] = (file_identity){info.st_dev, info.st_ino, false};
    *out_row = r->file_count++;
    return NC_OK;
}

static nc_code expand(reading *r, nc_node *root, const char *path, nc_node **out);

// Reads one included file (once: a second include of it adds nothing) and lays it over `merged`.
static nc_code include_one(reading *r, const char *from, const nc_node *at, nc_node *merged)
{
    const char *path = join(&r->scene->pool, from, at->text);
    if (path == NULL)
        return nc_fail_memory(r->err, strlen(at->text));
    int row;
    bool known;
    nc_code code = identify(r, path, at, &row, &known);
    if (code != NC_OK)
        return code;
    if (known && r->files[row].open)
        return nc_node_fail(r->err, at, "\"%s\" includes itself, through the files in between", path);
    if (known)
        return NC_OK;
    if (++r->depth > DEEPEST_FILE)
        return nc_node_fail(r->err, at, "includes are nested deeper than %d files", DEEPEST_FILE);
    nc_node *root = NULL;
    code = parse_file(r, path, &root);
    if (code == NC_NOT_FOUND || code == NC_IO) {
        const nc_error cause = r->err != NULL ? *r->err : (nc_error){0};
        return nc_node_fail(r->err, at, "%.500s", cause.text);
    }
    if (row >= 0)
        r->files[row].open = true;
    if (code == NC_OK)
        code = expand(r, root, path, &root);
    if (code == NC_OK)
        code = rebase_meshes(r, root, at->text);
    if (row >= 0)
        r->files[row].open = false;
    r->depth--;
    if (code == NC_OK)
        overlay(merged, root);
    return code;
}

// A file with its includes applied.
static nc_code expand(reading *r, nc_node *root, const char *path, nc_node **out)
{
    nc_root_keys keys;
    nc_key_block_defaults(&nc_root_block, &keys);
    if (root == NULL || root->kind != NC_NODE_MAP)
        return nc_node_fail(r->err, root, "a scene is a map of keys, such as \"nacre: 1\"");
    nc_code code = nc_key_block_read(&nc_root_block, root, &keys, r->err);
    *out = root;
    if (code == NC_OK && r->depth == 0)
        r->scene->unit = keys.units;
    if (code == NC_OK)
        code = nc_units_convert(&r->scene->pool, root, r->err);
    if (code != NC_OK || keys.include == NULL)
        return code;
    nc_node *merged = nc_node_create(&r->scene->pool, NC_NODE_MAP, root->file, root->line, root->column);
    if (merged == NULL)
        return nc_fail_memory(r->err, sizeof *merged);
    if (keys.include->kind == NC_NODE_SCALAR)
        code = include_one(r, path, keys.include, merged);
    else
        for (const nc_node *at = keys.include->first; at != NULL && code == NC_OK; at = at->next)
            code = include_one(r, path, at, merged);
    overlay(merged, root);
    *out = merged;
    return code;
}

nc_code nc_scene_read_files(nc_scene *scene, const nc_scene_def *def, nc_error *err)
{
    reading r = {.scene = scene, .err = err};
    nc_node *root = NULL;
    int row;
    bool known;
    nc_code code = identify(&r, scene->path, NULL, &row, &known);
    if (code == NC_OK)
        code = def->text != NULL ? nc_node_parse(&scene->pool, scene->path, def->text, def->text_size, &root, err)
                                 : parse_file(&r, scene->path, &root);
    if (code != NC_OK)
        return code;
    if (row >= 0)
        r.files[row].open = true;
    return expand(&r, root, scene->path, &scene->root);
}
