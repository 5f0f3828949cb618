// Which bodies are connected by contacts: islands, as the step sees them.
#include "step/step.h"

int nc_step_root(int *parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

int nc_step_finite_row(const nc_step *step, const nc_contact *contact)
{
    return step->work->role[contact->a] == NC_ROLE_FREE ? contact->a : contact->b;
}

nc_code nc_step_find_islands(nc_step *step, nc_error *err)
{
    nc_workspace *w = step->work;
    const int rows = step->world->state.bodies.count;
    if (!nc_array_reserve(&w->allocator, &w->island, rows) || !nc_array_reserve(&w->allocator, &w->marked, rows))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for the islands of %d bodies", rows);
    int *parent = w->island.data;
    for (int i = 0; i < rows; i++)
        parent[i] = i;
    for (int k = 0; k < w->contacts.count; k++) {
        const nc_contact *contact = &w->contacts.data[k];
        if (w->role[contact->a] != NC_ROLE_FREE || w->role[contact->b] != NC_ROLE_FREE)
            continue;
        const int a = nc_step_root(parent, contact->a), b = nc_step_root(parent, contact->b);
        parent[a > b ? a : b] = a < b ? a : b;
    }
    for (int i = 0; i < rows; i++)
        parent[i] = nc_step_root(parent, i);
    return NC_OK;
}
