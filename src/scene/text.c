// A tree as JSON text: the canonical form of a scene. One line for each entry of the two outer levels.
#include "scene/node.h"

#include <stdio.h>
#include <string.h>

static bool put(nc_buffer *out, const char *text)
{
    return nc_buffer_append(out, text, strlen(text));
}

// Decodes one character of (valid) UTF-8; a broken byte stands for itself.
static uint32_t decode(const unsigned char *s, int *size)
{
    const int more = s[0] >= 0xf0 ? 3 : s[0] >= 0xe0 ? 2 : s[0] >= 0xc0 ? 1 : 0;
    uint32_t c = more == 3 ? s[0] & 7U : more == 2 ? s[0] & 15U : more == 1 ? s[0] & 31U : s[0];
    *size = 1;
    for (int i = 1; i <= more && (s[i] & 0xc0) == 0x80; i++, (*size)++)
        c = c << 6 | (s[i] & 63U);
    return c;
}

// Characters that libyaml would refuse, fold or take for a line break when they stand there as themselves.
static bool needs_escape(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029 || c == 0xfeff || (c & 0xfffe) == 0xfffe;
}

static bool put_quoted(nc_buffer *out, const char *text)
{
    bool ok = put(out, "\"");
    for (const unsigned char *s = (const unsigned char *)text; *s != '\0' && ok;) {
        int size;
        const uint32_t c = decode(s, &size);
        char escape[16] = "";
        if (c == '"' || c == '\\')
            snprintf(escape, sizeof escape, "\\%c", (int)c);
        else if (needs_escape(c))
            snprintf(escape, sizeof escape, c > 0xffff ? "\\U%08x" : "\\u%04x", (unsigned)c);
        ok = escape[0] != '\0' ? put(out, escape) : nc_buffer_append(out, s, (size_t)size);
        s += size;
    }
    return ok && put(out, "\"");
}

static const char *skip_digits(const char *s)
{
    while (*s >= '0' && *s <= '9')
        s++;
    return s;
}

// What JSON allows without quotes: its numbers, true and false.
static bool is_json_literal(const char *s)
{
    if (strcmp(s, "true") == 0 || strcmp(s, "false") == 0)
        return true;
    s += *s == '-';
    const char *digits = s;
    s = skip_digits(s);
    if (s == digits || (digits[0] == '0' && s > digits + 1))
        return false;
    if (*s == '.') {
        digits = ++s;
        s = skip_digits(s);
        if (s == digits)
            return false;
    }
    if (*s == 'e' || *s == 'E') {
        s += 1 + (s[1] == '+' || s[1] == '-');
        digits = s;
        s = skip_digits(s);
        if (s == digits)
            return false;
    }
    return *s == '\0';
}

static bool write_node(const nc_node *node, int level, nc_buffer *out)
{
    if (node->kind == NC_NODE_SCALAR)
        return is_json_literal(node->text) ? put(out, node->text) : put_quoted(out, node->text);
    const bool map = node->kind == NC_NODE_MAP, lines = level < 2 && node->count > 0;
    const char *indent = level == 0 ? "\n  " : "\n    ", *outdent = level == 0 ? "\n" : "\n  ";
    bool ok = put(out, map ? "{" : "[");
    for (const nc_node *entry = node->first; entry != NULL && ok; entry = entry->next) {
        ok = put(out, lines ? indent : "");
        if (map)
            ok = ok && put_quoted(out, entry->key) && put(out, ": ");
        ok = ok && write_node(entry, level + 1, out) && put(out, entry->next == NULL ? "" : lines ? "," : ", ");
    }
    return ok && put(out, lines ? outdent : "") && put(out, map ? "}" : "]");
}

bool nc_node_write(const nc_node *node, nc_buffer *out)
{
    return write_node(node, 0, out) && put(out, "\n");
}
