// Large islands in regions: bodies that lie in different ones meet in few contacts, so regions are swept at the same
// time, each by one thread whose cache holds it.
//
// Regions come from halving: the bodies of a region go to two, on both sides of a plane across its longest axis, with
// about as many contacts on both sides. The contacts between them are swept after both, by one thread (the tree of a
// nested dissection). Nothing here depends on threads.
#include "contact/solver.h"

#define MAX_REGIONS (1 << NC_REGION_MAX_LEVELS)

typedef struct halving {
    nc_vec3 low[MAX_REGIONS], high[MAX_REGIONS]; // [m] of centres of mass
    int axis[MAX_REGIONS];
    int weight[MAX_REGIONS][NC_REGION_BINS]; // contacts
    int cut[MAX_REGIONS];                    // the last bin of the first half
} halving;

static double along(nc_vec3 p, int axis)
{
    return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

static void find_boxes(const nc_contact_work *work, const nc_island *island, const nc_pose *pose, int regions,
                       halving *h)
{
    for (int r = 0; r < regions; r++) {
        h->low[r] = nc_v3(INFINITY, INFINITY, INFINITY);
        h->high[r] = nc_v3(-INFINITY, -INFINITY, -INFINITY);
    }
    for (int s = island->slot_begin; s < island->slot_end; s++) {
        nc_vec3 *low = &h->low[work->region_of.data[s]], *high = &h->high[work->region_of.data[s]];
        const nc_vec3 p = pose[work->body_of.data[s]].x;
        *low = nc_v3(fmin(low->x, p.x), fmin(low->y, p.y), fmin(low->z, p.z));
        *high = nc_v3(fmax(high->x, p.x), fmax(high->y, p.y), fmax(high->z, p.z));
    }
    for (int r = 0; r < regions; r++) {
        const nc_vec3 size = nc_sub(h->high[r], h->low[r]);
        h->axis[r] = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    }
}

static int bin_of(const halving *h, int region, nc_vec3 x)
{
    const int axis = h->axis[region];
    const double low = along(h->low[region], axis), high = along(h->high[region], axis);
    const double part = (along(x, axis) - low) / (high - low);
    return part >= 0 && part < 1 ? (int)(part * NC_REGION_BINS)
           : part >= 1           ? NC_REGION_BINS - 1
                                 : 0; // 0: also what is no number
}

static void find_cuts(const nc_contact_work *work, const nc_island *island, const nc_pose *pose, int regions,
                      halving *h)
{
    for (int r = 0; r < regions; r++)
        for (int i = 0; i < NC_REGION_BINS; i++)
            h->weight[r][i] = 0;
    for (int s = island->slot_begin; s < island->slot_end; s++) {
        const int r = work->region_of.data[s], weight = work->contacts_of.data[s];
        h->weight[r][bin_of(h, r, pose[work->body_of.data[s]].x)] +=
            weight < NC_REGION_MAX_WEIGHT ? weight : NC_REGION_MAX_WEIGHT;
    }
    for (int r = 0; r < regions; r++) {
        int64_t all = 0, before = 0;
        for (int i = 0; i < NC_REGION_BINS; i++)
            all += h->weight[r][i];
        h->cut[r] = 0;
        for (int i = 0; i < NC_REGION_BINS && 2 * before < all; i++) {
            before += h->weight[r][i];
            h->cut[r] = i;
        }
    }
}

static void count_contacts(nc_contact_work *work, const nc_contact *contacts, const nc_island *island)
{
    for (int s = island->slot_begin; s < island->slot_end; s++)
        work->contacts_of.data[s] = 0;
    for (int k = island->contact_begin; k < island->contact_end; k++) {
        const nc_contact *contact = &contacts[work->order.data[k]];
        const int a = work->slot_of.data[contact->a], b = work->slot_of.data[contact->b];
        if (a >= 0)
            work->contacts_of.data[a]++;
        if (b >= 0)
            work->contacts_of.data[b]++;
    }
}

int nc_wide_regions(nc_contact_work *work, const nc_solver_bodies *bodies, const nc_contact *contacts,
                    const nc_island *island)
{
    const int count = island->contact_end - island->contact_begin;
    int levels = 0;
    while (bodies->pose != NULL && levels < NC_REGION_MAX_LEVELS && count >> (levels + 1) >= NC_REGION_MIN_CONTACTS)
        levels++;
    for (int s = island->slot_begin; s < island->slot_end; s++)
        work->region_of.data[s] = 0;
    if (levels > 0)
        count_contacts(work, contacts, island);
    halving h;
    for (int level = 0; level < levels; level++) {
        find_boxes(work, island, bodies->pose, 1 << level, &h);
        find_cuts(work, island, bodies->pose, 1 << level, &h);
        for (int s = island->slot_begin; s < island->slot_end; s++) {
            const int r = work->region_of.data[s];
            work->region_of.data[s] = 2 * r + (bin_of(&h, r, bodies->pose[work->body_of.data[s]].x) > h.cut[r] ? 1 : 0);
        }
    }
    return levels;
}
