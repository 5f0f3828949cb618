// Names of scene files out of any texts, none twice.
#include "import.h"

#include <stdlib.h>
#include <string.h>

#define MOST_LETTERS (NC_IMPORT_NAME - 1)

static bool is_allowed(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

// Letters that are not allowed become '_'; one for a whole letter of several bytes.
static void clean(const char *text, char *out)
{
    int length = 0;
    for (; *text != '\0' && length < MOST_LETTERS; text++)
        if (((unsigned char)*text & 0xc0) != 0x80)
            out[length++] = is_allowed(*text) ? *text : '_';
    out[length] = '\0';
}

// Where the name is in the table, or where it would go.
static int find_slot(const nc_import_names *names, const char *name)
{
    const uint64_t hash = nc_hash(NC_HASH_START, name, strlen(name));
    int slot = (int)(hash % (uint64_t)names->slot_count);
    while (names->slot[slot] != 0 && strcmp(names->name[names->slot[slot] - 1], name) != 0)
        slot = (slot + 1) % names->slot_count;
    return slot;
}

static bool grow(nc_import_names *names)
{
    if (names->count < names->capacity)
        return true;
    const int capacity = names->capacity > 0 ? 2 * names->capacity : 64, slots = 2 * capacity + 1;
    char(*name)[NC_IMPORT_NAME] = realloc(names->name, (size_t)capacity * sizeof *name);
    if (name == NULL)
        return false;
    names->name = name;
    int *slot = calloc((size_t)slots, sizeof *slot);
    if (slot == NULL)
        return false;
    free(names->slot);
    names->slot = slot;
    names->slot_count = slots;
    names->capacity = capacity;
    for (int i = 0; i < names->count; i++)
        names->slot[find_slot(names, names->name[i])] = i + 1;
    return true;
}

nc_code nc_import_names_add(nc_import_names *names, const char *text, const char *fallback, int *out_row, nc_error *err)
{
    char wanted[NC_IMPORT_NAME], name[NC_IMPORT_NAME];
    if (!grow(names))
        return nc_fail_memory(err, (size_t)names->capacity * sizeof *names->name);
    clean(text[0] != '\0' ? text : fallback, wanted);
    snprintf(name, sizeof name, "%s", wanted);
    for (int number = 2; names->slot[find_slot(names, name)] != 0; number++) {
        char ending[16];
        const int length = snprintf(ending, sizeof ending, "-%d", number);
        snprintf(name, sizeof name, "%.*s%s", MOST_LETTERS - length, wanted, ending);
    }
    *out_row = names->count;
    names->slot[find_slot(names, name)] = names->count + 1;
    memcpy(names->name[names->count++], name, sizeof name);
    return NC_OK;
}

void nc_import_names_free(nc_import_names *names)
{
    free(names->name);
    free(names->slot);
    *names = (nc_import_names){0};
}
