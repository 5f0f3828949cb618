// Tables of rows: growing and freeing all their columns together.
#include "world/world.h"

#include <string.h>

static const nc_table_column body_columns[] = {
    NC_COLUMN(nc_bodies, generation),   NC_COLUMN(nc_bodies, alive),       NC_COLUMN(nc_bodies, type),
    NC_COLUMN(nc_bodies, mesh),         NC_COLUMN(nc_bodies, name),        NC_COLUMN(nc_bodies, friction),
    NC_COLUMN(nc_bodies, restitution),  NC_COLUMN(nc_bodies, mass),        NC_COLUMN(nc_bodies, inv_mass),
    NC_COLUMN(nc_bodies, inertia),      NC_COLUMN(nc_bodies, pose),        NC_COLUMN(nc_bodies, v),
    NC_COLUMN(nc_bodies, momentum),     NC_COLUMN(nc_bodies, spin_energy), NC_COLUMN(nc_bodies, spin),
    NC_COLUMN(nc_bodies, force),        NC_COLUMN(nc_bodies, torque),      NC_COLUMN(nc_bodies, script_v),
    NC_COLUMN(nc_bodies, script_spin),  NC_COLUMN(nc_bodies, keys),        NC_COLUMN(nc_bodies, key_count),
    NC_COLUMN(nc_bodies, script_delay), NC_COLUMN(nc_bodies, script_lag),  NC_COLUMN(nc_bodies, max_force),
    NC_COLUMN(nc_bodies, max_torque),   NC_COLUMN(nc_bodies, fracture),    NC_COLUMN(nc_bodies, cracks),
    NC_COLUMN(nc_bodies, held),         NC_COLUMN(nc_bodies, asleep),      NC_COLUMN(nc_bodies, rested),
    NC_COLUMN(nc_bodies, anchor),       NC_COLUMN(nc_bodies, sleep_gap),   NC_COLUMN(nc_bodies, appearance),
};
#define BODY_COLUMNS ((int)(sizeof body_columns / sizeof *body_columns))

static const nc_table_column candidate_columns[] = {
    NC_COLUMN(nc_candidates, path),     NC_COLUMN(nc_candidates, pose),         NC_COLUMN(nc_candidates, v),
    NC_COLUMN(nc_candidates, momentum), NC_COLUMN(nc_candidates, spin),         NC_COLUMN(nc_candidates, spin_energy),
    NC_COLUMN(nc_candidates, flags),    NC_COLUMN(nc_candidates, load),         NC_COLUMN(nc_candidates, cluster),
    NC_COLUMN(nc_candidates, blocker),  NC_COLUMN(nc_candidates, acceleration),
};
#define CANDIDATE_COLUMNS ((int)(sizeof candidate_columns / sizeof *candidate_columns))

// Every column is in its list: the tables are their counts, padded to a pointer, and their columns.
_Static_assert(BODY_COLUMNS <= NC_COLUMNS_MAX && CANDIDATE_COLUMNS <= NC_COLUMNS_MAX, "raise NC_COLUMNS_MAX");
_Static_assert(sizeof(nc_bodies) == 2 * sizeof(void *) + BODY_COLUMNS * sizeof(void *), "a body column is not listed");
_Static_assert(sizeof(nc_candidates) == sizeof(void *) + CANDIDATE_COLUMNS * sizeof(void *),
               "a candidate column is not listed");

bool nc_bodies_reserve(nc_bodies *bodies, int rows, const nc_allocator *allocator)
{
    return nc_columns_grow(bodies, &bodies->capacity, rows, body_columns, BODY_COLUMNS, allocator);
}

bool nc_candidates_reserve(nc_candidates *candidates, int rows, const nc_allocator *allocator)
{
    return nc_columns_grow(candidates, &candidates->capacity, rows, candidate_columns, CANDIDATE_COLUMNS, allocator);
}

void nc_candidates_free(nc_candidates *candidates, const nc_allocator *allocator)
{
    nc_columns_free(candidates, &candidates->capacity, candidate_columns, CANDIDATE_COLUMNS, allocator);
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
    nc_columns_free(&state->bodies, &state->bodies.capacity, body_columns, BODY_COLUMNS, allocator);
    nc_free(allocator, state->exempt, (size_t)state->exempt_capacity, sizeof *state->exempt);
    nc_free(allocator, state->caps, (size_t)state->cap_capacity, sizeof *state->caps);
    nc_free(allocator, state->surfaces, (size_t)state->surface_capacity, sizeof *state->surfaces);
    nc_array_free(allocator, &state->fractures);
    nc_array_free(allocator, &state->joints);
    nc_array_free(allocator, &state->drive_keys);
    for (int solve = 0; solve < NC_SOLVES; solve++) {
        nc_array_free(allocator, &state->kept[solve]);
        nc_array_free(allocator, &state->resting[solve]);
    }
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
    nc_columns_copy(to, from, from->count, body_columns, BODY_COLUMNS);
    to->count = from->count;
    to->alive_count = from->alive_count;
    return copy_owned(to, from, allocator);
}

static void copy_impulses(nc_kept_impulses *to, const nc_kept_impulses *from, const nc_allocator *allocator, bool *good)
{
    to->data = copy_items(from->data, from->count, sizeof *from->data, allocator, good);
    to->count = to->capacity = *good ? from->count : 0;
}

bool nc_state_copy(const nc_state *from, const nc_allocator *allocator, nc_state *out)
{
    *out = (nc_state){.checked = from->checked,
                      .woken = from->woken,
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
    out->joints.data = copy_items(from->joints.data, from->joints.count, sizeof *from->joints.data, allocator, &good);
    out->joints.count = out->joints.capacity = good ? from->joints.count : 0;
    out->drive_keys.data =
        copy_items(from->drive_keys.data, from->drive_keys.count, sizeof *from->drive_keys.data, allocator, &good);
    out->drive_keys.count = out->drive_keys.capacity = good ? from->drive_keys.count : 0;
    for (int k = 0; k < NC_SOLVES; k++) {
        copy_impulses(&out->kept[k], &from->kept[k], allocator, &good);
        copy_impulses(&out->resting[k], &from->resting[k], allocator, &good);
    }
    if (!good)
        nc_state_free(out, allocator);
    return good;
}
