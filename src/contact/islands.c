// Islands: groups of bodies that touch, directly or through others. Infinite bodies join nobody.
//
// Numbered by their first contact; contacts keep their order inside one; bodies are in the order of their rows. So an
// island's result depends on nothing but its own bodies and contacts.
#include "contact/solver.h"

// A body of finite mass in the contact, or -1.
static int finite_body(const nc_solver_bodies *bodies, const nc_contact *contact)
{
    if (bodies->inv_mass[contact->a] > 0)
        return contact->a;
    return bodies->inv_mass[contact->b] > 0 ? contact->b : -1;
}

static void unite(nc_contact_work *work, const nc_solver_bodies *bodies, const nc_contact *contacts, int count)
{
    for (int i = 0; i < bodies->count; i++) {
        work->parent.data[i] = i;
        work->island_of.data[i] = -1;
        work->slot_of.data[i] = -1;
    }
    for (int k = 0; k < count; k++) {
        const int a = contacts[k].a, b = contacts[k].b;
        if (bodies->inv_mass[a] > 0 && bodies->inv_mass[b] > 0)
            nc_forest_join(work->parent.data, a, b);
    }
}

// Numbers the islands and counts their contacts (in contact_end) and bodies (in slot_end).
static int number(nc_contact_work *work, const nc_solver_bodies *bodies, const nc_contact *contacts, int count)
{
    int islands = 0;
    for (int k = 0; k < count; k++) {
        const int body = finite_body(bodies, &contacts[k]);
        if (body < 0)
            continue;
        int *island = &work->island_of.data[nc_forest_root(work->parent.data, body)];
        if (*island < 0) {
            *island = islands++;
            work->islands.data[*island] = (nc_island){0};
        }
        work->islands.data[*island].contact_end++;
    }
    for (int i = 0; i < bodies->count; i++) {
        const int island = work->island_of.data[nc_forest_root(work->parent.data, i)];
        if (island >= 0)
            work->islands.data[island].slot_end++;
    }
    return islands;
}

// Turns counts into ranges that are still empty.
static void open_ranges(nc_contact_work *work, int islands)
{
    int contact = 0, slot = 0;
    for (int i = 0; i < islands; i++) {
        nc_island *island = &work->islands.data[i];
        const int contacts = island->contact_end, slots = island->slot_end;
        *island = (nc_island){.slot_begin = slot, .slot_end = slot, .contact_begin = contact, .contact_end = contact};
        contact += contacts;
        slot += slots;
    }
}

int nc_islands_find(nc_contact_work *work, const nc_solver_bodies *bodies, const nc_contact *contacts, int count)
{
    unite(work, bodies, contacts, count);
    const int islands = number(work, bodies, contacts, count);
    open_ranges(work, islands);
    for (int k = 0; k < count; k++) {
        const int body = finite_body(bodies, &contacts[k]);
        if (body < 0)
            continue;
        const int island = work->island_of.data[nc_forest_root(work->parent.data, body)];
        work->order.data[work->islands.data[island].contact_end++] = k;
    }
    for (int i = 0; i < bodies->count; i++) {
        const int island = work->island_of.data[nc_forest_root(work->parent.data, i)];
        if (island < 0)
            continue;
        const int slot = work->islands.data[island].slot_end++;
        work->slot_of.data[i] = slot;
        work->body_of.data[slot] = i;
    }
    return islands;
}
