// A table of texts: a hash table of rows.
#include "animation/names.h"

#include <stdlib.h>
#include <string.h>

// Where the text is in the table, or where it would go.
static int find_slot(const nc_names *names, const char *text)
{
    const uint64_t hash = nc_hash(NC_HASH_START, text, strlen(text));
    int slot = (int)(hash % (uint64_t)names->slot_count);
    while (names->slot[slot] != 0 && strcmp(names->name[names->slot[slot] - 1], text) != 0)
        slot = (slot + 1) % names->slot_count;
    return slot;
}

static bool grow(nc_names *names)
{
    if (names->count < names->capacity)
        return true;
    const int capacity = names->capacity > 0 ? 2 * names->capacity : 64, slots = 2 * capacity + 1;
    char **name = realloc(names->name, (size_t)capacity * sizeof *name);
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

int nc_names_find(const nc_names *names, const char *text)
{
    return names->slot_count > 0 ? names->slot[find_slot(names, text)] - 1 : -1;
}

nc_code nc_names_add(nc_names *names, const char *text, int *out_row, nc_error *err)
{
    const size_t size = strlen(text) + 1;
    *out_row = nc_names_find(names, text);
    if (*out_row >= 0)
        return NC_OK;
    char *copy = malloc(size);
    if (copy == NULL || !grow(names)) {
        free(copy);
        return nc_fail_memory(err, size);
    }
    memcpy(copy, text, size);
    *out_row = names->count;
    names->slot[find_slot(names, copy)] = names->count + 1;
    names->name[names->count++] = copy;
    return NC_OK;
}

void nc_names_free(nc_names *names)
{
    for (int i = 0; i < names->count; i++)
        free(names->name[i]);
    free(names->name);
    free(names->slot);
    *names = (nc_names){0};
}
