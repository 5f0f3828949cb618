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
    COLUMN(nc_bodies, script_delay), COLUMN(nc_bodies, fracture),    COLUMN(nc_bodies, cracks),
    COLUMN(nc_bodies, held),
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

// All columns are allocated again first and swapped in together, so a failure changes nothing.
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
    nc_array_free(allocator, &state->fractures);
    for (int solve = 0; solve < NC_SOLVES; solve++)
        nc_array_free(allocator, &state->kept[solve]);
    memset(state, 0, sizeof *state);
}

// ---- a copy -------------------------------------------------------------------------------------------------

static void *copy_items(const void *from, int count, size_t size, const nc_allocator *allocator, bool *good)
{
    if (count == 0 || !*good)
        return NULL;
    void *copy = nc_alloc(allocator, (size_t)count, size);
    *good = copy != NULL;
    if (*good)
        memcpy(copy, from, (size_t)count * size);
    return copy;
}

// Names and keyframes: each row has its own.
static bool copy_owned(nc_bodies *to, const nc_bodies *from, const nc_allocator *allocator)
{
    bool good = true;
    for (int i = 0; i < from->count; i++)
        to->name[i] = NULL, to->keys[i] = NULL;
    for (int i = 0; i < from->count && good; i++) {
        if (from->name[i] != NULL)
            to->name[i] = copy_items(from->name[i], (int)strlen(from->name[i]) + 1, 1, allocator, &good);
        to->keys[i] = copy_items(from->keys[i], from->key_count[i], sizeof **from->keys, allocator, &good);
    }
    return good;
}

static bool copy_bodies(nc_bodies *to, const nc_bodies *from, const nc_allocator *allocator)
{
    if (from->count == 0)
        return true;
    if (!nc_bodies_reserve(to, from->count, allocator))
        return false;
    for (int i = 0; i < BODY_COLUMNS; i++)
        memcpy(get_column(to, body_columns[i].offset), get_column(from, body_columns[i].offset),
               (size_t)from->count * body_columns[i].size);
    to->count = from->count;
    to->alive_count = from->alive_count;
    return copy_owned(to, from, allocator);
}

bool nc_state_copy(const nc_state *from, const nc_allocator *allocator, nc_state *out)
{
    *out = (nc_state){.checked = from->checked,
                      .step_count = from->step_count,
                      .clock_step = from->clock_step,
                      .clock_base = from->clock_base,
                      .clock_dt = from->clock_dt};
    bool good = copy_bodies(&out->bodies, &from->bodies, allocator);
    out->exempt = copy_items(from->exempt, from->exempt_count, sizeof *from->exempt, allocator, &good);
    out->exempt_count = out->exempt_capacity = good ? from->exempt_count : 0;
    out->surfaces = copy_items(from->surfaces, from->surface_count, sizeof *from->surfaces, allocator, &good);
    out->surface_count = out->surface_capacity = good ? from->surface_count : 0;
    out->caps = copy_items(from->caps, from->cap_count, sizeof *from->caps, allocator, &good);
    out->cap_count = out->cap_capacity = good ? from->cap_count : 0;
    out->fractures.data =
        copy_items(from->fractures.data, from->fractures.count, sizeof *from->fractures.data, allocator, &good);
    out->fractures.count = out->fractures.capacity = good ? from->fractures.count : 0;
    for (int k = 0; k < NC_SOLVES; k++) {
        const nc_kept_impulses *kept = &from->kept[k];
        out->kept[k].data = copy_items(kept->data, kept->count, sizeof *kept->data, allocator, &good);
        out->kept[k].count = out->kept[k].capacity = good ? kept->count : 0;
    }
    if (!good)
        nc_state_free(out, allocator);
    return good;
}
