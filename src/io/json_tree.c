// JSON text as a tree of values. Not recursive: a value knows what it is in, so the reader can climb back.
#include "io/json_tree.h"

#include "io/file.h"

#include <string.h>

typedef struct json_reader {
    const char *path;
    const char *start, *at, *end; // *end is a zero byte
    nc_json_tree *tree;
    int open; // the list or map being read, -1 outside of all
    int depth;
    nc_error *err;
    const char *counted, *line_start; // lines are counted up to there
    int line;
} json_reader;

// ---- errors -------------------------------------------------------------------------------------------------

static nc_code complain(const json_reader *reader, const char *problem)
{
    int line = 1, column = 1;
    for (const char *c = reader->start; c < reader->at; c++) {
        column = *c == '\n' ? 1 : column + 1;
        line += *c == '\n';
    }
    return nc_fail_at(reader->err, NC_BAD_FILE, reader->path, line, column, "its JSON is wrong: %s", problem);
}

static nc_code out_of_memory(const json_reader *reader)
{
    return nc_fail_memory(reader->err, (size_t)(reader->end - reader->start));
}

// ---- texts --------------------------------------------------------------------------------------------------

static void skip_blanks(json_reader *reader)
{
    while (*reader->at == ' ' || *reader->at == '\t' || *reader->at == '\n' || *reader->at == '\r')
        reader->at++;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    const char lower = (char)(c | 32);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Four hex digits at `at`, or -1. Stops at the zero byte.
static int scan_hex(const char *at)
{
    int value = 0;
    for (int i = 0; i < 4; i++) {
        const int digit = hex_digit(at[i]);
        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

static bool push_utf8(nc_buffer *text, unsigned code)
{
    uint8_t bytes[4];
    size_t size = 0;
    if (code < 0x80) {
        bytes[size++] = (uint8_t)code;
    } else if (code < 0x800) {
        bytes[size++] = (uint8_t)(0xc0 | code >> 6);
        bytes[size++] = (uint8_t)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        bytes[size++] = (uint8_t)(0xe0 | code >> 12);
        bytes[size++] = (uint8_t)(0x80 | (code >> 6 & 0x3f));
        bytes[size++] = (uint8_t)(0x80 | (code & 0x3f));
    } else {
        bytes[size++] = (uint8_t)(0xf0 | code >> 18);
        bytes[size++] = (uint8_t)(0x80 | (code >> 12 & 0x3f));
        bytes[size++] = (uint8_t)(0x80 | (code >> 6 & 0x3f));
        bytes[size++] = (uint8_t)(0x80 | (code & 0x3f));
    }
    return nc_buffer_append(text, bytes, size);
}

// Reads what follows "\u", surrogate pairs included.
static nc_code read_code_point(json_reader *reader)
{
    int code = scan_hex(reader->at);
    if (code < 0)
        return complain(reader, "\\u wants four hexadecimal digits");
    reader->at += 4;
    if (code >= 0xd800 && code < 0xdc00) {
        const int low = reader->at[0] == '\\' && reader->at[1] == 'u' ? scan_hex(reader->at + 2) : -1;
        if (low < 0xdc00 || low > 0xdfff)
            return complain(reader, "half of a surrogate pair stands alone");
        code = 0x10000 + (code - 0xd800) * 0x400 + (low - 0xdc00);
        reader->at += 6;
    } else if (code >= 0xdc00 && code < 0xe000) {
        return complain(reader, "half of a surrogate pair stands alone");
    }
    if (code == 0)
        return complain(reader, "a text may not hold a zero character");
    return push_utf8(&reader->tree->text, (unsigned)code) ? NC_OK : out_of_memory(reader);
}

static nc_code read_escape(json_reader *reader)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    const char c = *reader->at;
    const char *found = c != '\0' ? strchr(letters, c) : NULL;
    if (found != NULL) {
        reader->at++;
        return nc_buffer_append(&reader->tree->text, &meanings[found - letters], 1) ? NC_OK : out_of_memory(reader);
    }
    if (c != 'u')
        return complain(reader, "there is no such escape in a text");
    reader->at++;
    return read_code_point(reader);
}

// Reads a text from its opening quote on; *out is where it begins in the tree's text.
static nc_code read_text(json_reader *reader, size_t *out)
{
    nc_buffer *text = &reader->tree->text;
    *out = text->size;
    reader->at++;
    for (;;) {
        const char *plain = reader->at;
        while ((unsigned char)*plain >= ' ' && *plain != '"' && *plain != '\\')
            plain++;
        if (plain > reader->at && !nc_buffer_append(text, reader->at, (size_t)(plain - reader->at)))
            return out_of_memory(reader);
        reader->at = plain;
        if (*plain == '"')
            break;
        if (*plain != '\\')
            return complain(reader, "a text does not end, or holds a control character");
        reader->at++;
        const nc_code code = read_escape(reader);
        if (code != NC_OK)
            return code;
    }
    reader->at++;
    return nc_buffer_append(text, "", 1) ? NC_OK : out_of_memory(reader);
}

// ---- numbers and words --------------------------------------------------------------------------------------

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// [-]digits without a needless 0, [.digits], [e[+-]digits]: NULL when it is something else.
static const char *number_end(const char *at)
{
    at += *at == '-';
    if (!is_digit(*at) || (*at == '0' && is_digit(at[1])))
        return NULL;
    while (is_digit(*at))
        at++;
    if (*at == '.') {
        at++;
        if (!is_digit(*at))
            return NULL;
        while (is_digit(*at))
            at++;
    }
    if ((*at | 32) == 'e') {
        at++;
        at += *at == '-' || *at == '+';
        if (!is_digit(*at))
            return NULL;
        while (is_digit(*at))
            at++;
    }
    return at;
}

static bool take_word(json_reader *reader, const char *word)
{
    const size_t length = strlen(word);
    if (strncmp(reader->at, word, length) != 0)
        return false;
    reader->at += length;
    return true;
}

static nc_code read_word(json_reader *reader, nc_json_value *value)
{
    if (take_word(reader, "null")) {
        value->kind = NC_JSON_NULL;
    } else if (take_word(reader, "true")) {
        value->kind = NC_JSON_FLAG;
        value->number = 1;
    } else if (take_word(reader, "false")) {
        value->kind = NC_JSON_FLAG;
    } else {
        const char *end = number_end(reader->at);
        if (end == NULL || nc_number_scan(reader->at, &value->number) != end)
            return complain(reader, "here should be a value");
        value->kind = NC_JSON_NUMBER;
        reader->at = end;
    }
    return NC_OK;
}

// ---- values -------------------------------------------------------------------------------------------------

// Adds a value at the end of the open list or map.
static nc_code add_value(json_reader *reader, nc_json_value value)
{
    nc_json_tree *tree = reader->tree;
    const int row = tree->values.count;
    value.parent = reader->open;
    value.first = value.last = value.next = -1;
    if (row == INT32_MAX || !nc_array_push(&tree->allocator, &tree->values, value))
        return out_of_memory(reader);
    if (reader->open >= 0) {
        nc_json_value *parent = &tree->values.data[reader->open];
        if (parent->last >= 0)
            tree->values.data[parent->last].next = row;
        else
            parent->first = row;
        parent->last = row;
        parent->count++;
    }
    return NC_OK;
}

// Reads the key and the colon of a member of a map.
static nc_code read_key(json_reader *reader, size_t *out)
{
    if (*reader->at != '"')
        return complain(reader, "here should be a key in quotes");
    const nc_code code = read_text(reader, out);
    if (code != NC_OK)
        return code;
    skip_blanks(reader);
    if (*reader->at != ':')
        return complain(reader, "here should be a colon");
    reader->at++;
    skip_blanks(reader);
    return NC_OK;
}

static void locate(json_reader *reader, nc_json_value *value)
{
    for (; reader->counted < reader->at; reader->counted++)
        if (*reader->counted == '\n') {
            reader->line++;
            reader->line_start = reader->counted + 1;
        }
    value->line = reader->line;
    value->column = (int)(reader->at - reader->line_start) + 1;
}

// Reads a value, or the beginning of a list or map, which is then open.
static nc_code read_value(json_reader *reader)
{
    nc_json_value value = {.kind = NC_JSON_NULL};
    locate(reader, &value);
    nc_code code = NC_OK;
    if (reader->open >= 0 && reader->tree->values.data[reader->open].kind == NC_JSON_MAP)
        code = read_key(reader, &value.key);
    if (code != NC_OK)
        return code;
    const char c = *reader->at;
    const bool opens = c == '{' || c == '[';
    if (opens) {
        value.kind = c == '{' ? NC_JSON_MAP : NC_JSON_LIST;
        reader->at++;
        if (++reader->depth > NC_JSON_MAX_DEPTH)
            return complain(reader, "more than 64 lists and maps in each other");
    } else if (c == '"') {
        value.kind = NC_JSON_TEXT;
        code = read_text(reader, &value.text);
    } else {
        code = read_word(reader, &value);
    }
    if (code == NC_OK)
        code = add_value(reader, value);
    if (code == NC_OK && opens)
        reader->open = reader->tree->values.count - 1;
    return code;
}

// After a value: closes what ends here, and takes the comma before the next one. Ends with `open` -1 at the end of all.
static nc_code read_between(json_reader *reader, bool just_opened)
{
    while (reader->open >= 0) {
        const nc_json_value *open = &reader->tree->values.data[reader->open];
        skip_blanks(reader);
        if (*reader->at == (open->kind == NC_JSON_MAP ? '}' : ']')) {
            reader->at++;
            reader->open = open->parent;
            reader->depth--;
            just_opened = false;
            continue;
        }
        if (just_opened)
            return NC_OK;
        if (*reader->at != ',')
            return complain(reader, open->kind == NC_JSON_MAP ? "here should be a comma or a }"
                                                              : "here should be a comma or a ]");
        reader->at++;
        skip_blanks(reader);
        return NC_OK;
    }
    return NC_OK;
}

static nc_code read_all(json_reader *reader)
{
    if (!nc_buffer_append(&reader->tree->text, "", 1)) // offset 0 is the empty text
        return out_of_memory(reader);
    skip_blanks(reader);
    do {
        nc_code code = read_value(reader);
        if (code == NC_OK) {
            const int newest = reader->tree->values.count - 1;
            code = read_between(reader, reader->open == newest);
        }
        if (code != NC_OK)
            return code;
    } while (reader->open >= 0);
    skip_blanks(reader);
    if (reader->at < reader->end)
        return complain(reader, "something follows the end");
    return NC_OK;
}

nc_code nc_json_parse(const char *json, size_t size, const char *path, const nc_allocator *allocator, nc_json_tree *out,
                      nc_error *err)
{
    memset(out, 0, sizeof *out);
    out->allocator = nc_allocator_or_default(allocator);
    out->text = nc_buffer_create(&out->allocator);
    json_reader reader = {path, json, json, json + size, out, -1, 0, err, json, json, 1};
    return read_all(&reader);
}

nc_code nc_json_load(const char *path, const nc_allocator *allocator, nc_json_tree *out, nc_error *err)
{
    nc_file_text text = {NULL, 0, *allocator};
    nc_c_locale locale;
    *out = (nc_json_tree){.allocator = *allocator};
    nc_code code = nc_file_read(path, allocator, &text, err);
    if (code != NC_OK)
        return code;
    if (!nc_c_locale_enter(&locale))
        code = nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for a locale");
    if (code == NC_OK) {
        code = nc_json_parse(text.data, text.size, path, allocator, out, err);
        nc_c_locale_leave(&locale);
    }
    nc_file_free(&text);
    return code;
}

void nc_json_free(nc_json_tree *tree)
{
    nc_array_free(&tree->allocator, &tree->values);
    nc_buffer_free(&tree->text);
}

// ---- asking -------------------------------------------------------------------------------------------------

bool nc_json_is(const nc_json_tree *tree, int value, nc_json_kind kind)
{
    return value >= 0 && tree->values.data[value].kind == kind;
}

const char *nc_json_key(const nc_json_tree *tree, int value)
{
    return (const char *)tree->text.data + tree->values.data[value].key;
}

const char *nc_json_string(const nc_json_tree *tree, int value)
{
    return (const char *)tree->text.data + tree->values.data[value].text;
}

int nc_json_member(const nc_json_tree *tree, int map, const char *key)
{
    if (!nc_json_is(tree, map, NC_JSON_MAP))
        return -1;
    for (int v = tree->values.data[map].first; v >= 0; v = tree->values.data[v].next)
        if (strcmp(nc_json_key(tree, v), key) == 0)
            return v;
    return -1;
}
