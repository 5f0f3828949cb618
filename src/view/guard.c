// Who may ask the viewer's server, and how a question is read.
#include "view/guard.h"

#include "view/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

void nc_view_guard_open(nc_view_guard *guard, int port, bool wide)
{
    guard->wide = wide;
    if (gethostname(guard->name, sizeof guard->name - 1) != 0)
        guard->name[0] = '\0';
    atomic_store(&guard->port, port);
}

int nc_view_guard_port(const nc_view_guard *guard)
{
    return atomic_load(&guard->port);
}

bool nc_view_is_address(const char *text, size_t length)
{
    int parts = 0;
    size_t i = 0;
    while (i < length) {
        int value = 0, digits = 0;
        for (; i < length && text[i] >= '0' && text[i] <= '9' && digits < 4; i++, digits++)
            value = 10 * value + (text[i] - '0');
        if (digits == 0 || digits > 3 || value > 255)
            return false;
        parts++;
        if (i < length && text[i++] != '.')
            return false;
    }
    return parts == 4 && text[length - 1] != '.';
}

static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && length > 0 && strncasecmp(text, word, length) == 0;
}

static bool is_our_name(const nc_view_guard *guard, const char *text, size_t length)
{
    if (is_word(text, length, "localhost") || is_word(text, length, "127.0.0.1"))
        return true;
    return guard->wide && (nc_view_is_address(text, length) || is_word(text, length, guard->name));
}

static bool is_our_port(const nc_view_guard *guard, const char *colon)
{
    char wanted[16];
    const int port = nc_view_guard_port(guard);
    snprintf(wanted, sizeof wanted, ":%d", port);
    return strcmp(colon, wanted) == 0 || (port == 80 && colon[0] == '\0');
}

const char *nc_view_guard_refuses(const nc_view_guard *guard, const char *host, const char *origin)
{
    if (host == NULL || origin == NULL)
        return "A header was sent twice.";
    const size_t length = strcspn(host, ":");
    if (nc_view_guard_port(guard) == 0 || !is_our_name(guard, host, length) || !is_our_port(guard, host + length))
        return "This server does not go by that name.";
    if (origin[0] == '\0')
        return NULL;
    if (strncmp(origin, "http://", 7) != 0 || strcasecmp(origin + 7, host) != 0)
        return "Cross-origin requests are refused.";
    return NULL;
}

static bool read_value(const char **at, int64_t *out)
{
    int64_t value = 0;
    int digits = 0;
    for (; **at >= '0' && **at <= '9' && digits < 13; (*at)++, digits++)
        value = 10 * value + (**at - '0');
    *out = value;
    return digits > 0 && value < (int64_t)1 << 40;
}

bool nc_view_query_read(const char *text, nc_view_query *out)
{
    static const struct {
        const char *name;
        size_t offset;
    } names[] = {{"first=", offsetof(nc_view_query, first)},
                 {"count=", offsetof(nc_view_query, count)},
                 {"row=", offsetof(nc_view_query, row)},
                 {"depth=", offsetof(nc_view_query, depth)},
                 {"after=", offsetof(nc_view_query, after)}};
    const unsigned count = sizeof names / sizeof *names;
    unsigned seen = 0;
    *out = (nc_view_query){.count = 1};
    if (text == NULL || text[0] == '\0')
        return true;
    for (const char *at = text;; at++) {
        unsigned k = 0;
        while (k < count && strncmp(at, names[k].name, strlen(names[k].name)) != 0)
            k++;
        if (k == count || (seen & 1u << k) != 0)
            return false;
        seen |= 1u << k;
        at += strlen(names[k].name);
        if (!read_value(&at, (int64_t *)(void *)((char *)out + names[k].offset)))
            return false;
        if (*at == '\0')
            return true;
        if (*at != '&')
            return false;
    }
}
