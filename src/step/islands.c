// Which bodies are connected by contacts: islands, as the step sees them.
#include "step/step.h"

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
        nc_forest_join(parent, contact->a, contact->b);
    }
    for (int i = 0; i < rows; i++)
        parent[i] = nc_forest_root(parent, i);
    return NC_OK;
}
