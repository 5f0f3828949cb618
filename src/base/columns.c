// Columns of tables.
#include "base/base.h"

static void *get_column(const void *table, const nc_table_column *column)
{
    void *pointer;
    memcpy(&pointer, (const char *)table + column->offset, sizeof pointer);
    return pointer;
}

static void set_column(void *table, const nc_table_column *column, void *pointer)
{
    memcpy((char *)table + column->offset, &pointer, sizeof pointer);
}

// All columns are allocated again first and swapped in together, so a failure changes nothing.
bool nc_columns_grow(void *table, int *capacity, int rows, const nc_table_column *columns, int column_count,
                     const nc_allocator *allocator)
{
    void *fresh[NC_COLUMNS_MAX] = {0};
    const int wanted = rows > 2 * *capacity ? rows : 2 * *capacity;
    NC_ASSERT(column_count <= NC_COLUMNS_MAX);
    if (rows <= *capacity)
        return true;
    for (int i = 0; i < column_count; i++) {
        fresh[i] = nc_alloc(allocator, (size_t)wanted, columns[i].size);
        if (fresh[i] == NULL) {
            while (i-- > 0)
                nc_free(allocator, fresh[i], (size_t)wanted, columns[i].size);
            return false;
        }
    }
    for (int i = 0; i < column_count; i++) {
        void *old = get_column(table, &columns[i]);
        if (old != NULL)
            memcpy(fresh[i], old, (size_t)*capacity * columns[i].size);
        nc_free(allocator, old, (size_t)*capacity, columns[i].size);
        set_column(table, &columns[i], fresh[i]);
    }
    *capacity = wanted;
    return true;
}

bool nc_columns_renew(void *table, int *capacity, int rows, const nc_table_column *columns, int column_count,
                      const nc_allocator *allocator)
{
    if (rows <= *capacity)
        return true;
    nc_columns_free(table, capacity, columns, column_count, allocator);
    return nc_columns_grow(table, capacity, rows, columns, column_count, allocator);
}

void nc_columns_copy(void *to, const void *from, int rows, const nc_table_column *columns, int column_count)
{
    for (int i = 0; i < column_count; i++)
        memcpy(get_column(to, &columns[i]), get_column(from, &columns[i]), (size_t)rows * columns[i].size);
}

void nc_columns_free(void *table, int *capacity, const nc_table_column *columns, int column_count,
                     const nc_allocator *allocator)
{
    for (int i = 0; i < column_count; i++) {
        nc_free(allocator, get_column(table, &columns[i]), (size_t)*capacity, columns[i].size);
        set_column(table, &columns[i], NULL);
    }
    *capacity = 0;
}
