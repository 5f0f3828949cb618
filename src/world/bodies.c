// Tables of rows: growing and freeing all their columns together.
#include "world/world.h"

#include <string.h>

typedef struct column {
    size_t offset; // of the pointer in its table
    size_t size;   // of one item
} column;

#define COLUMN(table, field)                                                                                           \
    {                                                                                                                  \
        offsetof(table, field), sizeof *((table *)0)->field                                                            \
    }

static const column body_columns[] = {
    COLUMN(nc_bodies, generation),   COLUMN(nc_bodies, alive),       COLUMN(nc_bodies, type),
    COLUMN(nc_bodies, mesh),         COLUMN(nc_bodies, name),        COLUMN(nc_bodies, friction),
    COLUMN(nc_bodies, restitution),  COLUMN(nc_bodies, mass),        COLUMN(nc_bodies, inv_mass),
    COLUMN(nc_bodies, inertia),      COLUMN(nc_bodies, pose),        COLUMN(nc_bodies, v),
    COLUMN(nc_bodies, momentum),     COLUMN(nc_bodies, spin_energy), COLUMN(nc_bodies, spin),
    COLUMN(nc_bodies, force),        COLUMN(nc_bodies, torque),      COLUMN(nc_bodies, script_v),
    COLUMN(nc_bodies, script_spin),  COLUMN(nc_bodies, keys),        COLUMN(nc_bodies, key_count),
    COLUMN(nc_bodies, script_delay),
};
#define BODY_COLUMNS ((int)(sizeof body_columns / sizeof *body_columns))

static const column candidate_columns[] = {
    COLUMN(nc_candidates, path),     COLUMN(nc_candidates, pose),    COLUMN(nc_candidates, v),
    COLUMN(nc_candidates, momentum), COLUMN(nc_candidates, spin),    COLUMN(nc_candidates, spin_energy),
    COLUMN(nc_candidates, flags),    COLUMN(nc_candidates, cluster),
};
#define CANDIDATE_COLUMNS ((int)(sizeof candidate_columns / sizeof *candidate_columns))

// Every column is in its list: the tables are their counts, padded to a pointer, and their columns.
_Static_assert(sizeof(nc_bodies) == 2 * sizeof(void *) + BODY_COLUMNS * sizeof(void *), "a body column is not listed");
_Static_assert(sizeof(nc_candidates) == sizeof(void *) + CANDIDATE_COLUMNS * sizeof(void *),
               "a candidate column is not listed");

static void *get_column(const void *table, size_t offset)
{
    void *pointer;
    memcpy(&pointer, (const char *)table + offset, sizeof pointer);
    return pointer;
}

static void set_column(void *table, size_t offset, void *pointer)
{
    memcpy((char *)table + offset, &pointer, sizeof pointer);
}

// All columns are allocated anew first and swapped in together, so a failure changes nothing.
static bool grow_columns(void *table, int *capacity, int rows, const column *columns, int column_count,
                         const nc_allocator *allocator)
{
    void *fresh[32] = {0};
    const int wanted = rows > 2 * *capacity ? rows : 2 * *capacity;
    for (int i = 0; i < column_count; i++) {
        fresh[i] = nc_alloc(allocator, (size_t)wanted, columns[i].size);
        if (fresh[i] == NULL) {
            while (i-- > 0)
                nc_free(allocator, fresh[i], (size_t)wanted, columns[i].size);
            return false;
        }
    }
    for (int i = 0; i < column_count; i++) {
        void *old = get_column(table, columns[i].offset);
        if (old != NULL)
            memcpy(fresh[i], old, (size_t)*capacity * columns[i].size);
        nc_free(allocator, old, (size_t)*capacity, columns[i].size);
        set_column(table, columns[i].offset, fresh[i]);
    }
    *capacity = wanted;
    return true;
}

static void free_columns(void *table, int capacity, const column *columns, int column_count,
                         const nc_allocator *allocator)
{
    for (int i = 0; i < column_count; i++)
        nc_free(allocator, get_column(table, columns[i].offset), (size_t)capacity, columns[i].size);
}

bool nc_bodies_reserve(nc_bodies *bodies, int rows, const nc_allocator *allocator)
{
    return rows <= bodies->capacity ||
           grow_columns(bodies, &bodies->capacity, rows, body_columns, BODY_COLUMNS, allocator);
}

bool nc_candidates_reserve(nc_candidates *candidates, int rows, const nc_allocator *allocator)
{
    return rows <= candidates->capacity ||
           grow_columns(candidates, &candidates->capacity, rows, candidate_columns, CANDIDATE_COLUMNS, allocator);
}

void nc_candidates_free(nc_candidates *candidates, const nc_allocator *allocator)
{
    free_columns(candidates, candidates->capacity, candidate_columns, CANDIDATE_COLUMNS, allocator);
    memset(candidates, 0, sizeof *candidates);
}

void nc_body_row_free(nc_bodies *bodies, int row, const nc_allocator *allocator)
{
    if (bodies->name[row] != NULL)
        nc_free(allocator, bodies->name[row], strlen(bodies->name[row]) + 1, 1);
    nc_free(allocator, bodies->keys[row], (size_t)bodies->key_count[row], sizeof **bodies->keys);
    bodies->name[row] = NULL;
    bodies->keys[row] = NULL;
    bodies->key_count[row] = 0;
}

void nc_state_free(nc_state *state, const nc_allocator *allocator)
{
    for (int i = 0; i < state->bodies.count; i++)
        nc_body_row_free(&state->bodies, i, allocator);
    free_columns(&state->bodies, state->bodies.capacity, body_columns, BODY_COLUMNS, allocator);
    nc_free(allocator, state->exempt, (size_t)state->exempt_capacity, sizeof *state->exempt);
    nc_free(allocator, state->caps, (size_t)state->cap_capacity, sizeof *state->caps);
    nc_free(allocator, state->surfaces, (size_t)state->surface_capacity, sizeof *state->surfaces);
    for (int solve = 0; solve < NC_SOLVES; solve++)
        nc_array_free(allocator, &state->kept[solve]);
    memset(state, 0, sizeof *state);
}
