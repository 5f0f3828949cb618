// Reading values by the tables of keys.c.
#include "scene/keys.h"
#include "scene/rotation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- what is allowed, in words ------------------------------------------------------------------------------

static void describe_range(const nc_key *key, char *out, size_t out_size)
{
    char unit[32] = "";
    if (key->unit[0] != '\0' && strcmp(key->unit, "1") != 0)
        snprintf(unit, sizeof unit, " [%s]", key->unit);
    const bool whole = key->kind == NC_KEY_WHOLE || key->kind == NC_KEY_COUNTS || key->kind == NC_KEY_COUNTS_2;
    const int digits = whole ? 16 : 7;
    if (key->low >= key->high)
        snprintf(out, out_size, "%.*g%s", digits, key->low, unit);
    else if (key->above)
        snprintf(out, out_size, "above %.*g, at most %.*g%s", digits, key->low, digits, key->high, unit);
    else
        snprintf(out, out_size, "from %.*g to %.*g%s", digits, key->low, digits, key->high, unit);
}

static const char *describe_choices(const nc_key *key, char *out, size_t out_size)
{
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < key->choice_count && used < out_size; i++)
        used += (size_t)snprintf(out + used, out_size - used, "%s%s", i > 0 ? ", " : "", key->choices[i]);
    return out;
}

const char *nc_key_allowed(const nc_key *key, char *out, size_t out_size)
{
    static const char *const words[] = {
        [NC_KEY_NUMBER] = "a number %s",
        [NC_KEY_WHOLE] = "a whole number %s",
        [NC_KEY_FLAG] = "true or false",
        [NC_KEY_TEXT] = "a text",
        [NC_KEY_NAME] = "a name of at most 64 letters, digits, \"_\" and \"-\"",
        [NC_KEY_VECTOR] = "a list of 3 numbers, each %s",
        [NC_KEY_SPREAD] = "a number, or a list of 3 numbers, each %s",
        [NC_KEY_PAIR] = "a list of 2 numbers, each %s",
        [NC_KEY_COUNTS] = "a list of 3 whole numbers, each %s",
        [NC_KEY_COUNTS_2] = "a list of 2 whole numbers, each %s",
        [NC_KEY_QUAT] = "a list of 4 numbers w, x, y, z, not all 0",
        [NC_KEY_ROTATION] = "a map with axis and angle, or euler, or quaternion",
        [NC_KEY_INERTIA] = "a list of 3 numbers (xx, yy, zz) or 6 (xx, yy, zz, xy, xz, yz), each %s",
        [NC_KEY_RANGE] = "a number, or a map with min, max or both",
        [NC_KEY_BLOCK] = "a map",
        [NC_KEY_BLOCKS] = "a list of maps",
        [NC_KEY_TABLE] = "a map from names to maps",
        [NC_KEY_TEXTS] = "a text or a list of texts",
        [NC_KEY_PATTERNS] = "a list of pairs of body names, such as [[hand, \"boat.*\"]]",
        [NC_KEY_BETWEEN] = "a pair of body names, such as [hand, \"boat.*\"]",
        [NC_KEY_WHOLES] = "a list of whole numbers",
        [NC_KEY_COLOR] = "a colour by name, such as red, \"#rrggbb\" in quotes, or a list of 3 numbers, each %s",
        [NC_KEY_POINTS] = "a list of points, such as [[0, 0, 0], [1, 0, 0]]",
    };
    if (key->kind == NC_KEY_CHOICE)
        return describe_choices(key, out, out_size);
    char range[96];
    describe_range(key, range, sizeof range);
    const char *text = words[key->kind], *slot = strstr(text, "%s");
    if (slot == NULL)
        snprintf(out, out_size, "%s", text);
    else
        snprintf(out, out_size, "%.*s%s%s", (int)(slot - text), text, range, slot + 2);
    // A version or another fixed value reads better without "a whole number".
    if (key->low >= key->high && slot != NULL)
        snprintf(out, out_size, "%s", range);
    return out;
}

static nc_code refuse(const nc_key *key, const nc_node *node, nc_error *err)
{
    char found[96], allowed[256];
    return nc_node_fail(err, node, "found %s; allowed: %s", nc_node_describe(node, found, sizeof found),
                        nc_key_allowed(key, allowed, sizeof allowed));
}

// What is allowed instead of an unknown word: a list of all names, and the nearest of them.
typedef struct suggestion {
    char list[900], hint[96];
} suggestion;

static void suggest(const char *word, const char *const *names, int count, suggestion *out)
{
    size_t used = 0;
    out->list[0] = out->hint[0] = '\0';
    for (int i = 0; i < count && used < sizeof out->list; i++)
        used += (size_t)snprintf(out->list + used, sizeof out->list - used, "%s%s", i > 0 ? ", " : "", names[i]);
    const int nearest = nc_nearest_name(word, names, count);
    if (nearest >= 0)
        snprintf(out->hint, sizeof out->hint, "did you mean \"%s\"? ", names[nearest]);
}

nc_code nc_fail_unknown_key(const nc_node *entry, const char *const *names, int count, nc_error *err)
{
    suggestion allowed;
    suggest(entry->key, names, count, &allowed);
    nc_node place = *entry;
    place.line = entry->key_line > 0 ? entry->key_line : entry->line;
    place.column = entry->key_column > 0 ? entry->key_column : entry->column;
    return nc_node_fail(err, &place, "there is no such key here; %sallowed: %s", allowed.hint, allowed.list);
}

nc_code nc_fail_unknown_name(const nc_node *node, const char *kind, const char *const *names, int count, nc_error *err)
{
    suggestion allowed;
    suggest(node->text, names, count, &allowed);
    return nc_node_fail(err, node, "there is no %s \"%.60s\"; %sallowed: %s", kind, node->text, allowed.hint,
                        allowed.list);
}

// ---- one value ----------------------------------------------------------------------------------------------

static bool in_range(const nc_key *key, double value)
{
    return (key->above ? value > key->low : value >= key->low) && value <= key->high;
}

static bool scalar_number(const nc_key *key, const nc_node *node, double *out)
{
    return node->kind == NC_NODE_SCALAR && nc_number_parse(node->text, out) && in_range(key, *out);
}

// `count` numbers in a list. The error is at the list when its length is wrong, else at the bad number.
static nc_code read_numbers(const nc_key *key, const nc_node *node, bool whole, int count, double *out, nc_error *err)
{
    if (node->kind != NC_NODE_LIST || node->count != count)
        return refuse(key, node, err);
    int i = 0;
    for (const nc_node *entry = node->first; entry != NULL; entry = entry->next, i++)
        if (!scalar_number(key, entry, &out[i]) || (whole && out[i] != floor(out[i]))) {
            nc_key one = *key;
            one.kind = whole ? NC_KEY_WHOLE : NC_KEY_NUMBER;
            return refuse(&one, entry, err);
        }
    return NC_OK;
}

static nc_code read_vector(const nc_key *key, const nc_node *node, nc_vec3 *out, nc_error *err)
{
    double v[3] = {0, 0, 0};
    if (key->kind == NC_KEY_SPREAD && node->kind == NC_NODE_SCALAR) {
        if (!scalar_number(key, node, &v[0]))
            return refuse(key, node, err);
        v[1] = v[2] = v[0];
    } else {
        const nc_code code = read_numbers(key, node, false, 3, v, err);
        if (code != NC_OK)
            return code;
    }
    *out = nc_v3(v[0], v[1], v[2]);
    return NC_OK;
}

static nc_code read_counts(const nc_key *key, const nc_node *node, int count, int64_t *out, nc_error *err)
{
    double v[3] = {0, 0, 0};
    NC_ASSERT(count <= 3);
    const nc_code code = read_numbers(key, node, true, count, v, err);
    for (int i = 0; i < count && code == NC_OK; i++)
        out[i] = (int64_t)v[i];
    return code;
}

static nc_code read_whole(const nc_key *key, const nc_node *node, int64_t *out, nc_error *err)
{
    double v;
    if (!scalar_number(key, node, &v) || v != floor(v))
        return refuse(key, node, err);
    *out = (int64_t)v;
    return NC_OK;
}

static nc_code read_flag(const nc_key *key, const nc_node *node, bool *out, nc_error *err)
{
    *out = strcmp(node->text, "true") == 0;
    if (node->kind != NC_NODE_SCALAR || (!*out && strcmp(node->text, "false") != 0))
        return refuse(key, node, err);
    return NC_OK;
}

static nc_code read_text(const nc_key *key, const nc_node *node, const char **out, nc_error *err)
{
    if (node->kind != NC_NODE_SCALAR || (node->plain && node->text[0] == '\0'))
        return refuse(key, node, err);
    *out = node->text;
    return key->kind == NC_KEY_NAME ? nc_name_check(node, node->text, err) : NC_OK;
}

nc_code nc_name_check(const nc_node *node, const char *name, nc_error *err)
{
    static const char legal[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    const size_t length = strlen(name);
    if (length == 0 || length > 64 || strspn(name, legal) != length)
        return nc_node_fail(err, node,
                            "found \"%.80s\"; allowed: a name of at most 64 letters, digits, \"_\" and \"-\"", name);
    return NC_OK;
}

static nc_code read_choice(const nc_key *key, const nc_node *node, int *out, nc_error *err)
{
    for (int i = 0; i < key->choice_count && node->kind == NC_NODE_SCALAR; i++) {
        if (strcmp(node->text, key->choices[i]) == 0) {
            *out = i;
            return NC_OK;
        }
    }
    return refuse(key, node, err);
}

static nc_code read_color(const nc_key *key, const nc_node *node, nc_key_color *out, nc_error *err)
{
    double v[3] = {0};
    out->given = true;
    if (node->kind == NC_NODE_SCALAR)
        return nc_color_read(node->text, out->rgb) ? NC_OK : refuse(key, node, err);
    const nc_code code = read_numbers(key, node, false, 3, v, err);
    for (int i = 0; i < 3 && code == NC_OK; i++)
        out->rgb[i] = (uint8_t)floor(255 * v[i] + 0.5);
    return code;
}

nc_appearance nc_look_appearance(const nc_look_keys *keys)
{
    nc_appearance out = {.has_color = keys->color.given, .material = (uint8_t)(keys->material + 1)};
    memcpy(out.color, keys->color.rgb, sizeof out.color);
    return out;
}

static nc_code read_quat(const nc_key *key, const nc_node *node, nc_quat *out, nc_error *err)
{
    double v[4] = {0, 0, 0, 0};
    const nc_code code = read_numbers(key, node, false, 4, v, err);
    if (code != NC_OK)
        return code;
    *out = nc_q4(v[0], v[1], v[2], v[3]);
    return nc_quat_norm2(*out) > 0 ? NC_OK : refuse(key, node, err);
}

// Three moments stand for a diagonal inertia.
static nc_code read_inertia(const nc_key *key, const nc_node *node, double *out, nc_error *err)
{
    out[3] = out[4] = out[5] = 0;
    return read_numbers(key, node, false, node->count == 6 ? 6 : 3, out, err);
}

static nc_code read_range(const nc_key *key, const nc_node *node, nc_range *out, nc_error *err)
{
    out->given = true;
    if (node->kind == NC_NODE_SCALAR) {
        if (!scalar_number(key, node, &out->min))
            return refuse(key, node, err);
        out->max = out->min;
        return NC_OK;
    }
    nc_range_keys keys = {0};
    nc_key_block_defaults(&nc_range_block, &keys);
    if (node->kind != NC_NODE_MAP || node->count == 0)
        return refuse(key, node, err);
    const nc_code code = nc_key_block_read(&nc_range_block, node, &keys, err);
    if (code != NC_OK)
        return code;
    if (keys.min > keys.max)
        return nc_node_fail(err, node, "found min %g above max %g; allowed: min at most max", keys.min, keys.max);
    out->min = isnan(keys.min) ? -INFINITY : keys.min;
    out->max = isnan(keys.max) ? INFINITY : keys.max;
    return NC_OK;
}

// The first entry that is not of a kind, or NULL.
static const nc_node *misfit(const nc_node *node, nc_node_kind kind)
{
    const nc_node *entry = node->first;
    while (entry != NULL && entry->kind == kind)
        entry = entry->next;
    return entry;
}

// Nodes that are read later: here only the kinds of the node and its entries are checked.
static nc_code read_node(const nc_key *key, const nc_node *node, const nc_node **out, nc_error *err)
{
    static const char *const words[] = {"a text", "a list", "a map"};
    const bool texts = key->kind == NC_KEY_TEXTS, lists = key->kind == NC_KEY_PATTERNS || key->kind == NC_KEY_POINTS;
    const bool between = key->kind == NC_KEY_BETWEEN, wholes = key->kind == NC_KEY_WHOLES;
    const bool map = key->kind == NC_KEY_BLOCK || key->kind == NC_KEY_TABLE;
    const nc_node_kind inner = texts || between || wholes ? NC_NODE_SCALAR : lists ? NC_NODE_LIST : NC_NODE_MAP;
    *out = node;
    if (between && node->kind == NC_NODE_LIST && node->count != 2)
        return nc_node_fail(err, node, "found a list of %d; allowed: a pair of body names", node->count);
    if (node->kind != (map ? NC_NODE_MAP : NC_NODE_LIST) && !(texts && node->kind == NC_NODE_SCALAR))
        return refuse(key, node, err);
    const nc_node *wrong = key->kind == NC_KEY_BLOCK ? NULL : misfit(node, inner);
    char found[96];
    if (wrong != NULL)
        return nc_node_fail(err, wrong, "found %s; allowed: %s", nc_node_describe(wrong, found, sizeof found),
                            words[inner]);
    return NC_OK;
}

nc_code nc_key_read(const nc_key *key, const nc_node *node, void *field, nc_error *err)
{
    switch (key->kind) {
    case NC_KEY_NUMBER:
        return scalar_number(key, node, field) ? NC_OK : refuse(key, node, err);
    case NC_KEY_WHOLE:
        return read_whole(key, node, field, err);
    case NC_KEY_FLAG:
        return read_flag(key, node, field, err);
    case NC_KEY_TEXT:
    case NC_KEY_NAME:
        return read_text(key, node, field, err);
    case NC_KEY_CHOICE:
        return read_choice(key, node, field, err);
    case NC_KEY_VECTOR:
    case NC_KEY_SPREAD:
        return read_vector(key, node, field, err);
    case NC_KEY_PAIR:
        return read_numbers(key, node, false, 2, field, err);
    case NC_KEY_COUNTS:
        return read_counts(key, node, 3, field, err);
    case NC_KEY_COUNTS_2:
        return read_counts(key, node, 2, field, err);
    case NC_KEY_QUAT:
        return read_quat(key, node, field, err);
    case NC_KEY_ROTATION:
        return node->kind == NC_NODE_MAP ? nc_rotation_read(node, field, err) : refuse(key, node, err);
    case NC_KEY_INERTIA:
        return read_inertia(key, node, field, err);
    case NC_KEY_RANGE:
        return read_range(key, node, field, err);
    case NC_KEY_COLOR:
        return read_color(key, node, field, err);
    default:
        return read_node(key, node, (const nc_node **)field, err);
    }
}

// ---- a map --------------------------------------------------------------------------------------------------

static const nc_key *find_key(const nc_key_block *block, const char *name)
{
    for (int i = 0; i < block->key_count; i++)
        if (strcmp(block->keys[i].name, name) == 0)
            return &block->keys[i];
    return NULL;
}

static bool is_one_of(const char *name, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

#define MAX_NAMES 96

static nc_code unknown_key(const nc_key_block *block, const nc_node *entry, const char *const *extra, int extra_count,
                           nc_error *err)
{
    const char *names[MAX_NAMES];
    int count = 0;
    for (int i = 0; i < extra_count && count < MAX_NAMES; i++)
        names[count++] = extra[i];
    for (int i = 0; i < block->key_count && count < MAX_NAMES; i++)
        names[count++] = block->keys[i].name;
    return nc_fail_unknown_key(entry, names, count, err);
}

static nc_code check_required(const nc_key_block *block, const nc_node *map, nc_error *err)
{
    char allowed[256];
    for (int i = 0; i < block->key_count; i++)
        if (block->keys[i].required && nc_node_find(map, block->keys[i].name) == NULL)
            return nc_node_fail(err, map, "the key \"%s\" is missing; it takes %s", block->keys[i].name,
                                nc_key_allowed(&block->keys[i], allowed, sizeof allowed));
    return NC_OK;
}

nc_code nc_key_block_read_with(const nc_key_block *block, const nc_node *map, const char *const *extra, int extra_count,
                               void *out, nc_error *err)
{
    *(const nc_node **)out = map;
    for (const nc_node *entry = map->first; entry != NULL; entry = entry->next) {
        if (is_one_of(entry->key, extra, extra_count))
            continue;
        const nc_key *key = find_key(block, entry->key);
        if (key == NULL)
            return unknown_key(block, entry, extra, extra_count, err);
        const nc_code code = nc_key_read(key, entry, (uint8_t *)out + key->offset, err);
        if (code != NC_OK)
            return code;
    }
    return check_required(block, map, err);
}

nc_code nc_key_block_read(const nc_key_block *block, const nc_node *map, void *out, nc_error *err)
{
    return nc_key_block_read_with(block, map, NULL, 0, out, err);
}

// ---- fallbacks ----------------------------------------------------------------------------------------------

// "0.5" or "[1, 2, 3]" into up to `count` numbers; a single number fills all of them.
static void fallback_numbers(const char *text, int count, double *out)
{
    char word[64];
    for (int i = 0; i < count; i++) {
        text += strspn(text, "[ ,");
        const size_t length = strcspn(text, "], ");
        if (length > 0 && length < sizeof word) {
            memcpy(word, text, length);
            word[length] = '\0';
            nc_number_parse(word, &out[i]);
            text += length;
        } else {
            out[i] = i > 0 ? out[i - 1] : NAN;
        }
    }
}

static void set_numbers(const nc_key *key, int count, double *out)
{
    for (int i = 0; i < count; i++)
        out[i] = NAN;
    if (key->fallback != NULL)
        fallback_numbers(key->fallback, count, out);
}

static int fallback_choice(const nc_key *key)
{
    for (int i = 0; i < key->choice_count && key->fallback != NULL; i++)
        if (strcmp(key->choices[i], key->fallback) == 0)
            return i;
    return -1;
}

static void set_fallback(const nc_key *key, void *field)
{
    double v[6];
    switch (key->kind) {
    case NC_KEY_NUMBER:
        set_numbers(key, 1, field);
        break;
    case NC_KEY_WHOLE:
        set_numbers(key, 1, v);
        *(int64_t *)field = isnan(v[0]) ? -1 : (int64_t)v[0];
        break;
    case NC_KEY_FLAG:
        *(bool *)field = key->fallback != NULL && strcmp(key->fallback, "true") == 0;
        break;
    case NC_KEY_CHOICE:
        *(int *)field = fallback_choice(key);
        break;
    case NC_KEY_VECTOR:
    case NC_KEY_SPREAD:
        set_numbers(key, 3, v);
        *(nc_vec3 *)field = nc_v3(v[0], v[1], v[2]);
        break;
    case NC_KEY_PAIR:
        set_numbers(key, 2, field);
        break;
    case NC_KEY_COUNTS:
    case NC_KEY_COUNTS_2:
        memset(field, 0, (key->kind == NC_KEY_COUNTS ? 3 : 2) * sizeof(int64_t));
        break;
    case NC_KEY_QUAT:
    case NC_KEY_ROTATION:
        *(nc_quat *)field = key->kind == NC_KEY_QUAT ? nc_q4(NAN, NAN, NAN, NAN) : nc_quat_identity();
        break;
    case NC_KEY_INERTIA:
        set_numbers(key, 6, field);
        break;
    case NC_KEY_COLOR:
        *(nc_key_color *)field = (nc_key_color){.given = false};
        break;
    case NC_KEY_RANGE:
        *(nc_range *)field = (nc_range){false, -INFINITY, INFINITY};
        break;
    default:
        *(const void **)field = NULL;
        break;
    }
}

void nc_key_block_defaults(const nc_key_block *block, void *out)
{
    *(const nc_node **)out = NULL;
    for (int i = 0; i < block->key_count; i++)
        set_fallback(&block->keys[i], (uint8_t *)out + block->keys[i].offset);
}

nc_code nc_parameter_read(const nc_shape_parameter_info *info, const nc_node *node, double *out, nc_error *err)
{
    const nc_key key = {.name = info->name,
                        .kind = info->whole ? NC_KEY_WHOLE : NC_KEY_NUMBER,
                        .unit = info->unit,
                        .low = info->low,
                        .high = info->high};
    if (!info->whole)
        return nc_key_read(&key, node, out, err);
    int64_t whole = 0;
    const nc_code code = nc_key_read(&key, node, &whole, err);
    *out = (double)whole;
    return code;
}
