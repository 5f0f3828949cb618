// A table of texts, each once, with its row.
#ifndef NC_ANIMATION_NAMES_H
#define NC_ANIMATION_NAMES_H

#include "nacre/nacre.h"

#include "base/base.h"

#include <stdio.h>

// Zero-initialise; free with nc_names_free.
typedef struct nc_names {
    char **name; // [row]
    int *slot;   // of a hash table: row + 1, 0 for none
    int count, capacity, slot_count;
} nc_names;

int nc_names_find(const nc_names *names, const char *text); // its row, -1 when it is not there
// Adds a text that is not there yet, and gives the row of one that is.
nc_code nc_names_add(nc_names *names, const char *text, int *out_row, nc_error *err);
void nc_names_free(nc_names *names);

#endif
