// Tables of rows, stored by column: growing and freeing all columns together.
#ifndef NC_BASE_COLUMNS_H
#define NC_BASE_COLUMNS_H

#include "nacre/base.h"

#include <stddef.h>

// One column of a table: a pointer in its struct.
typedef struct nc_table_column {
    size_t offset; // of the pointer in the struct
    size_t size;   // of one item
} nc_table_column;

#define NC_COLUMN(table, field)                                                                                        \
    {                                                                                                                  \
        offsetof(table, field), sizeof *((table *)0)->field                                                            \
    }
#define NC_COLUMNS_MAX 64 // of one table

// Room for `rows` rows, at least doubled; rows that were there are kept, new ones are zeroed. False when out of memory,
// and then nothing changed. `*capacity` counts rows.
bool nc_columns_grow(void *table, int *capacity, int rows, const nc_table_column *columns, int column_count,
                     const nc_allocator *allocator);
// Room for `rows` rows, of which nothing is kept when the table has to grow: zeroed then. False when out of memory, and
// then it has no rows.
bool nc_columns_renew(void *table, int *capacity, int rows, const nc_table_column *columns, int column_count,
                      const nc_allocator *allocator);
// Rows [0, rows) of one table into another that has room for them.
void nc_columns_copy(void *to, const void *from, int rows, const nc_table_column *columns, int column_count);
// All pointers become NULL, the capacity 0.
void nc_columns_free(void *table, int *capacity, const nc_table_column *columns, int column_count,
                     const nc_allocator *allocator);

#endif
