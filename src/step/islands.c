// Which bodies are connected by contacts: islands, as the step sees them.
#include "step/islands.h"

#include "certify/certify.h"

void nc_islands_free(nc_islands *islands, const nc_allocator *allocator)
{
    nc_array_free(allocator, &islands->of);
    nc_array_free(allocator, &islands->size);
    nc_array_free(allocator, &islands->marked);
    nc_array_free(allocator, &islands->idle);
    nc_array_free(allocator, &islands->mechanism);
}

int nc_finite_row(const uint8_t *role, const nc_contact *contact)
{
    return role[contact->a] == NC_ROLE_FREE ? contact->a : contact->b;
}

uint8_t *nc_islands_mark(const nc_islands *islands, const uint8_t *role, const nc_contact *contact)
{
    return &islands->marked.data[islands->of.data[nc_finite_row(role, contact)]];
}

void nc_islands_mark_all(nc_islands *islands, int rows, uint8_t mark)
{
    for (int i = 0; i < rows; i++)
        islands->marked.data[i] = mark;
}

nc_code nc_islands_update(nc_islands *islands, const uint8_t *role, int rows, const nc_contact_list *contacts,
                          const nc_allocator *allocator, nc_error *err)
{
    if (!nc_array_reserve(allocator, &islands->of, rows) || !nc_array_reserve(allocator, &islands->marked, rows) ||
        !nc_array_reserve(allocator, &islands->mechanism, rows))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for the islands of %d bodies", rows);
    int *parent = islands->of.data;
    for (int i = 0; i < rows; i++)
        parent[i] = i;
    for (int k = 0; k < contacts->count; k++) {
        const nc_contact *contact = &contacts->data[k];
        if (role[contact->a] != NC_ROLE_FREE || role[contact->b] != NC_ROLE_FREE)
            continue;
        nc_forest_join(parent, contact->a, contact->b);
    }
    for (int k = 0; k < islands->pair_count; k++)
        nc_forest_join(parent, islands->pairs[k].i, islands->pairs[k].j);
    for (int i = 0; i < rows; i++)
        parent[i] = nc_forest_root(parent, i);
    for (int i = 0; i < rows; i++)
        islands->mechanism.data[i] = 0;
    for (int i = 0; islands->jointed != NULL && i < rows; i++)
        islands->mechanism.data[parent[i]] |= islands->jointed[i];
    return NC_OK;
}
