// Memory of the complementarity solver; who takes part in a solve.
#include "contact/ncp_rows.h"

nc_ncp *nc_ncp_create(const nc_allocator *allocator)
{
    const nc_allocator used = nc_allocator_or_default(allocator);
    nc_ncp *ncp = nc_alloc(&used, 1, sizeof *ncp);
    if (ncp != NULL)
        ncp->allocator = used;
    return ncp;
}

void nc_ncp_destroy(nc_ncp *ncp)
{
    if (ncp == NULL)
        return;
    const nc_allocator memory = ncp->allocator;
    nc_array_free(&memory, &ncp->slots);
    nc_array_free(&memory, &ncp->rows);
    nc_array_free(&memory, &ncp->changes);
    nc_array_free(&memory, &ncp->parent);
    nc_array_free(&memory, &ncp->place);
    nc_array_free(&memory, &ncp->members);
    nc_array_free(&memory, &ncp->found);
    nc_array_free(&memory, &ncp->group_of);
    nc_array_free(&memory, &ncp->group_begin);
    nc_array_free(&memory, &ncp->order);
    nc_array_free(&memory, &ncp->contact_begin);
    nc_array_free(&memory, &ncp->fates);
    nc_free(&memory, ncp, 1, sizeof *ncp);
}

static bool reserve_bodies(nc_ncp *ncp, int count)
{
    const nc_allocator *memory = &ncp->allocator;
    return nc_array_reserve(memory, &ncp->slots, count) && nc_array_reserve(memory, &ncp->changes, count) &&
           nc_array_reserve(memory, &ncp->parent, count) && nc_array_reserve(memory, &ncp->place, count) &&
           nc_array_reserve(memory, &ncp->members, count) && nc_array_reserve(memory, &ncp->found, count) &&
           nc_array_reserve(memory, &ncp->group_of, count) && nc_array_reserve(memory, &ncp->group_begin, count + 1) &&
           nc_array_reserve(memory, &ncp->contact_begin, count + 2) && nc_array_reserve(memory, &ncp->fates, count);
}

nc_code nc_ncp_reserve(nc_ncp *ncp, int body_count, int contact_count, nc_error *err)
{
    if (body_count < 0 || contact_count < 0 || body_count > INT32_MAX / 4 || contact_count > INT32_MAX / 4)
        return nc_fail(err, NC_BAD_ARGUMENT, "no room for %d bodies and %d contacts", body_count, contact_count);
    if (!reserve_bodies(ncp, body_count) || !nc_array_reserve(&ncp->allocator, &ncp->rows, 3 * contact_count) ||
        !nc_array_reserve(&ncp->allocator, &ncp->order, contact_count))
        return nc_fail_memory(err, (size_t)contact_count * 3 * sizeof(nc_ncp_row));
    for (int i = 0; i < body_count; i++)
        ncp->place.data[i] = -1;
    ncp->members.count = 0;
    return NC_OK;
}

static bool enter(nc_ncp *ncp, const nc_ncp_world *world, const nc_layer *layer, int body)
{
    if (!nc_ncp_moves(&world->bodies, layer, body))
        return false;
    if (ncp->place.data[body] < 0) {
        ncp->place.data[body] = ncp->found.count;
        ncp->found.data[ncp->found.count++] = body;
        ncp->parent.data[body] = body;
        ncp->group_of.data[body] = -1;
    }
    return true;
}

// A stable counting sort of the bodies found, by group; groups in the order of their first body.
static int sort_members(nc_ncp *ncp)
{
    int groups = 0;
    int *begin = ncp->group_begin.data;
    for (int k = 0; k < ncp->found.count; k++) {
        const int root = nc_forest_root(ncp->parent.data, ncp->found.data[k]);
        if (ncp->group_of.data[root] < 0) {
            ncp->group_of.data[root] = groups;
            begin[groups++] = 0;
        }
        begin[ncp->group_of.data[root]]++;
    }
    int sum = 0;
    for (int g = 0; g < groups; g++) {
        const int size = begin[g];
        begin[g] = sum;
        sum += size;
    }
    for (int k = 0; k < ncp->found.count; k++) {
        const int body = ncp->found.data[k], group = ncp->group_of.data[nc_forest_root(ncp->parent.data, body)];
        ncp->place.data[body] = begin[group];
        ncp->members.data[begin[group]++] = body;
    }
    for (int g = groups; g > 0; g--)
        begin[g] = begin[g - 1];
    begin[0] = 0;
    ncp->members.count = ncp->found.count;
    return groups;
}

static int group_of(nc_ncp *ncp, const nc_contact *contact)
{
    const int *place = ncp->place.data;
    const int body = place[contact->a] >= 0 ? contact->a : place[contact->b] >= 0 ? contact->b : -1;
    return body < 0 ? -1 : ncp->group_of.data[nc_forest_root(ncp->parent.data, body)];
}

// A stable counting sort of the contacts, by group.
static void sort_contacts(nc_ncp *ncp, const nc_ncp_world *world, const nc_layer *layer, int groups)
{
    const int count = nc_ncp_contact_count(world, layer);
    int *begin = ncp->contact_begin.data; // counts go two places up, ends one
    for (int g = 0; g < groups + 2; g++)
        begin[g] = 0;
    for (int k = 0; k < count; k++) {
        const int group = group_of(ncp, &world->contacts[nc_ncp_contact(layer, k)]);
        if (group >= 0)
            begin[group + 2]++;
    }
    for (int g = 2; g < groups + 2; g++)
        begin[g] += begin[g - 1];
    for (int k = 0; k < count; k++) {
        const int index = nc_ncp_contact(layer, k), group = group_of(ncp, &world->contacts[index]);
        if (group >= 0)
            ncp->order.data[begin[group + 1]++] = index;
    }
}

int nc_ncp_find_members(nc_ncp *ncp, const nc_ncp_world *world, const nc_layer *layer)
{
    ncp->found.count = 0;
    for (int k = 0; k < nc_ncp_contact_count(world, layer); k++) {
        const nc_contact *contact = &world->contacts[nc_ncp_contact(layer, k)];
        const bool moves_a = enter(ncp, world, layer, contact->a), moves_b = enter(ncp, world, layer, contact->b);
        if (moves_a && moves_b)
            nc_forest_join(ncp->parent.data, contact->a, contact->b);
    }
    const int groups = sort_members(ncp);
    sort_contacts(ncp, world, layer, groups);
    return groups;
}

void nc_ncp_forget_members(nc_ncp *ncp)
{
    for (int k = 0; k < ncp->members.count; k++)
        ncp->place.data[ncp->members.data[k]] = -1;
    ncp->members.count = 0;
}

void nc_ncp_add_report(const nc_ncp *ncp, int groups, nc_ncp_report *report)
{
    report->solves += groups;
    for (int g = 0; g < groups; g++) {
        const nc_ncp_fate *fate = &ncp->fates.data[g];
        report->iterations = fate->iterations > report->iterations ? fate->iterations : report->iterations;
        report->unconverged += fate->residual > fate->stop ? 1 : 0;
        report->residual = fate->residual > report->residual ? fate->residual : report->residual;
        report->clamps += fate->factor < NC_CLAMPED ? 1 : 0;
        report->work += fate->work;
    }
}

static nc_vec3 moved(const nc_ncp_world *world, int body, nc_vec3 arm)
{
    return nc_add(world->travel[body], nc_cross(world->turn[body], arm));
}

double nc_ncp_closing(const nc_ncp_world *world, const nc_contact *contact)
{
    return nc_dot(contact->normal,
                  nc_sub(moved(world, contact->a, contact->arm_a), moved(world, contact->b, contact->arm_b)));
}
