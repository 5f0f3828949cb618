// correction(): contacts inside the envelope are projected out of it (Erleben eq. 46).
#include "contact/ncp_rows.h"

#include <math.h>

static double gap_of(const nc_ncp_world *world, int k)
{
    return world->gap[k] + nc_ncp_closing(world, &world->contacts[k]);
}

static double deepest(const nc_ncp_world *world, nc_ncp_list list)
{
    double least = 0;
    for (int k = 0; k < list.count; k++)
        least = fmin(least, gap_of(world, list.contacts[k]));
    return -least;
}

// Slots are displacements here: 0 for all, also for those that are held; what they moved before is in the gap.
static nc_ncp_problem build(nc_ncp *ncp, const nc_ncp_world *world, const nc_layer *layer, nc_ncp_list list)
{
    for (int k = 0; k < list.count; k++) {
        const nc_contact *contact = &world->contacts[list.contacts[k]];
        ncp->slots.data[contact->a] = ncp->slots.data[contact->b] = (nc_ncp_slot){{0, 0, 0}, {0, 0, 0}};
        ncp->rows.data[k] = nc_ncp_row_build(&world->bodies, layer, contact, contact->normal);
        ncp->rows.data[k].target = -gap_of(world, list.contacts[k]);
    }
    return (nc_ncp_problem){ncp->slots.data, ncp->rows.data, list.count, 1};
}

void nc_correction(nc_ncp *ncp, const nc_ncp_world *world, const nc_layer *layer, double slack,
                   const nc_ncp_settings *settings, nc_ncp_report *report)
{
    const nc_ncp_list list = nc_ncp_list_of(ncp, world, layer);
    if (!(deepest(world, list) > slack))
        return;
    nc_ncp_find_members(ncp, world, layer, list);
    const nc_ncp_problem problem = build(ncp, world, layer, list);
    const double stop = fmax(nc_ncp_stop(&problem, settings), slack);
    double residual = 0;
    const int iterations = nc_ncp_iterate(&problem, settings, stop, &residual, NULL);
    nc_ncp_add_report(report, iterations, residual, stop);
    for (int m = 0; m < ncp->members.count; m++) {
        const int i = ncp->members.data[m];
        const nc_ncp_slot moved = ncp->slots.data[i];
        if (!nc_finite3(moved.v) || !nc_finite3(moved.w))
            continue;
        world->travel[i] = nc_add(world->travel[i], moved.v);
        world->turn[i] = nc_add(world->turn[i], moved.w);
    }
    nc_ncp_forget_members(ncp);
}
