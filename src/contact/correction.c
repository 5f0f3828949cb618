// correction(): contacts inside the envelope are projected out of it (Erleben eq. 46).
#include "contact/ncp_rows.h"

#include <math.h>

// One call, for the threads that share its groups.
typedef struct correction {
    nc_ncp *ncp;
    const nc_ncp_world *world;
    const nc_layer *layer;
    const nc_ncp_settings *settings;
    double slack; // [m]
} correction;

static double gap_of(const nc_ncp_world *world, int k)
{
    return world->gap[k] + nc_ncp_closing(world, &world->contacts[k]);
}

static double deepest(const nc_ncp_world *world, const nc_layer *layer)
{
    double least = 0;
    for (int k = 0; k < nc_ncp_contact_count(world, layer); k++) {
        const double gap = gap_of(world, nc_ncp_contact(layer, k));
        least = gap < least ? gap : least;
    }
    return -least;
}

// Slots are displacements here: 0 for all, also for those that are held; what they moved before is in the gap.
static void clear_slots(const nc_ncp *ncp, const nc_ncp_world *world, int groups)
{
    for (int k = 0; k < ncp->contact_begin.data[groups]; k++) {
        const nc_contact *contact = &world->contacts[ncp->order.data[k]];
        ncp->slots.data[contact->a] = ncp->slots.data[contact->b] = (nc_ncp_slot){0};
    }
}

static void move_members(const correction *c, int group)
{
    for (int m = c->ncp->group_begin.data[group]; m < c->ncp->group_begin.data[group + 1]; m++) {
        const int i = c->ncp->members.data[m];
        const nc_vec3 moved = nc_ncp_first(&c->ncp->slots.data[i]), turned = nc_ncp_second(&c->ncp->slots.data[i]);
        if (!nc_finite3(moved) || !nc_finite3(turned))
            continue;
        c->world->travel[i] = nc_add(c->world->travel[i], moved);
        c->world->turn[i] = nc_add(c->world->turn[i], turned);
    }
}

static void solve_group(const correction *c, int group)
{
    nc_ncp *ncp = c->ncp;
    const int begin = ncp->contact_begin.data[group], end = ncp->contact_begin.data[group + 1];
    const nc_ncp_problem problem = {ncp->slots.data, &ncp->rows.data[begin], end - begin, 1};
    nc_ncp_fate *fate = &ncp->fates.data[group];
    double depth = 0;
    for (int k = begin; k < end; k++) {
        const nc_contact *contact = &c->world->contacts[ncp->order.data[k]];
        nc_ncp_row_build(&c->world->bodies, c->layer, contact, contact->normal, &ncp->rows.data[k]);
        ncp->rows.data[k].target = -gap_of(c->world, ncp->order.data[k]);
        depth = fmax(depth, ncp->rows.data[k].target);
    }
    *fate = (nc_ncp_fate){.factor = 1};
    if (!(depth > c->slack)) // whatever other groups need
        return;
    fate->stop = fmax(nc_ncp_stop(&problem, c->settings), c->slack);
    fate->iterations = nc_ncp_iterate(&problem, c->settings, fate->stop, &fate->residual, NULL);
    move_members(c, group);
}

static void solve_groups(int begin, int end, void *ctx)
{
    for (int group = begin; group < end; group++)
        solve_group(ctx, group);
}

void nc_correction(nc_ncp *ncp, const nc_ncp_world *world, const nc_layer *layer, double slack,
                   const nc_ncp_settings *settings, nc_ncp_report *report)
{
    correction c = {ncp, world, layer, settings, slack};
    if (!(deepest(world, layer) > slack))
        return;
    const int groups = nc_ncp_find_members(ncp, world, layer);
    clear_slots(ncp, world, groups);
    nc_parallel_for(nc_ncp_workers(ncp, groups, settings), groups, NC_EFFORT_NCP_GRAIN, solve_groups, &c);
    nc_ncp_add_report(ncp, groups, report);
    nc_ncp_forget_members(ncp);
}
