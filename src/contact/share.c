// Islands that ranks share: each solves its own, and gets the velocities, impulses and reports of the others.
#include "contact/solver.h"

static int64_t island_cost(int index, const void *ctx)
{
    const nc_island *range = &((const nc_contact_work *)ctx)->islands.data[index];
    return range->contact_end - range->contact_begin;
}

bool nc_islands_deal(const nc_island_solve *all, int islands)
{
    nc_share *share = all->settings->share;
    if (!nc_share_is_on(share) || islands < 2 || all->contact_count < NC_EFFORT_SHARE_CONTACTS)
        return false;
    if (!nc_share_deal(share, islands, false, island_cost, all->work))
        return false; // who commits looks at it
    for (int i = 0; i < islands; i++)
        all->work->solves.data[i].waits = false; // those of others need no memory here
    return true;
}

// An island's results, one after the other: into the message, or out of that of its rank.
static bool pass(const nc_island_solve *all, int index,
                 bool (*item)(nc_share *share, int rank, void *data, size_t size))
{
    const nc_contact_work *work = all->work;
    const nc_island *range = &work->islands.data[index];
    nc_share *share = all->settings->share;
    const int rank = share->rank_of.data[index];
    bool done = item(share, rank, &work->reports.data[index], sizeof *work->reports.data);
    for (int s = range->slot_begin; s < range->slot_end && done; s++) {
        const int body = work->body_of.data[s];
        done = item(share, rank, &all->bodies->v[body], sizeof(nc_vec3)) &&
               item(share, rank, &all->bodies->w[body], sizeof(nc_vec3));
    }
    for (int k = range->contact_begin; k < range->contact_end && done; k++)
        done = item(share, rank, &all->contacts[work->order.data[k]].impulse, sizeof(nc_vec3));
    return done;
}

static bool give(nc_share *share, int rank, void *data, size_t size)
{
    (void)rank;
    return nc_share_write(share, data, size);
}

static bool pass_all(const nc_island_solve *all, int islands, bool mine)
{
    bool done = true;
    for (int i = 0; i < islands && done; i++)
        if (nc_share_is_mine(all->settings->share, i) == mine)
            done = pass(all, i, mine ? give : nc_share_read);
    return done;
}

nc_code nc_islands_exchange(const nc_island_solve *all, int islands, nc_error *err)
{
    nc_share *share = all->settings->share;
    const bool done = pass_all(all, islands, true) &&
                      nc_share_exchange(share, NC_SHARE_SOLVE, (uint64_t)all->contact_count) &&
                      pass_all(all, islands, false);
    return done ? NC_OK : nc_share_check(share, err);
}
