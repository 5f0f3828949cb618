// Which four contacts of a large island make a group, and in which order groups are swept.
//
// A contact belongs to the smallest part of the island that has both of its bodies: a region, or two regions that were
// one before the last halving, and so on. Regions come first, then what is between two of them, and the contacts
// between the halves of the whole come last. Groups are made within a part.
#include "contact/solver.h"

// First fit: a contact takes the first colour that neither body has yet. What finds none of the 64 stands alone. Hubs
// have no colours; contacts of one hub, on one side of it, of one colour are a class of their own.
#define ALONE ((2 * NC_WIDE_MAX_HUBS + 1) * NC_WIDE_COLOURS)

// Contacts of a part, as places in work->order.
typedef struct contact_list {
    const nc_contact *contacts;
    const int *places;
    int count;
} contact_list;

static const nc_contact *contact_in(const nc_contact_work *work, const contact_list *list, int i)
{
    return &list->contacts[work->order.data[list->places[i]]];
}

static int first_free(uint64_t used)
{
    int colour = 0;
    while (colour < NC_WIDE_COLOURS && (used >> colour & 1) != 0)
        colour++;
    return colour;
}

static uint64_t colours_at(const nc_contact_work *work, int slot)
{
    return slot < 0 ? 0 : work->colours.data[slot];
}

static void add_colour(nc_contact_work *work, int slot, int colour)
{
    if (slot >= 0 && colour < NC_WIDE_COLOURS)
        work->colours.data[slot] |= UINT64_C(1) << colour;
}

// ---- classes ------------------------------------------------------------------------------------------------

static void forget_slot(nc_contact_work *work, int slot)
{
    if (slot < 0)
        return;
    work->colours.data[slot] = 0;
    work->hub_of.data[slot] = 0;
    work->contacts_of.data[slot] = 0;
}

// A body with more contacts than there are colours is a hub.
static void count_contact(nc_contact_work *work, int slot, int *hubs)
{
    if (slot >= 0 && ++work->contacts_of.data[slot] == NC_WIDE_COLOURS + 1 && *hubs < NC_WIDE_MAX_HUBS)
        work->hub_of.data[slot] = ++*hubs;
}

// Numbers the hubs of the list's contacts: hub_of is 0 for others.
static void find_hubs(nc_contact_work *work, const contact_list *list)
{
    int hubs = 0;
    for (int i = 0; i < list->count; i++) {
        forget_slot(work, work->slot_of.data[contact_in(work, list, i)->a]);
        forget_slot(work, work->slot_of.data[contact_in(work, list, i)->b]);
    }
    for (int i = 0; i < list->count; i++) {
        count_contact(work, work->slot_of.data[contact_in(work, list, i)->a], &hubs);
        count_contact(work, work->slot_of.data[contact_in(work, list, i)->b], &hubs);
    }
}

// The contact's class; its bodies have that colour from now on.
static int classify(nc_contact_work *work, const nc_contact *contact, const double *inv_mass)
{
    const int a = work->slot_of.data[contact->a], b = work->slot_of.data[contact->b];
    const int hub_a = a < 0 ? 0 : work->hub_of.data[a], hub_b = b < 0 ? 0 : work->hub_of.data[b];
    const int side = hub_a > 0 ? 2 * hub_a - 1 : 2 * hub_b; // 0: no hub
    const int colour = first_free(colours_at(work, a) | colours_at(work, b));
    if (colour == NC_WIDE_COLOURS ||
        (hub_a > 0 && inv_mass[contact->b] < NC_WIDE_HUB_MASS_RATIO * inv_mass[contact->a]) ||
        (hub_b > 0 && inv_mass[contact->a] < NC_WIDE_HUB_MASS_RATIO * inv_mass[contact->b]))
        return ALONE;
    if (hub_a == 0)
        add_colour(work, a, colour);
    if (hub_b == 0)
        add_colour(work, b, colour);
    return side * NC_WIDE_COLOURS + colour;
}

int nc_wide_hub_side(int class)
{
    const int side = class == ALONE ? 0 : class / NC_WIDE_COLOURS;
    return side == 0 ? NC_HUB_NONE : side % 2 == 1 ? NC_HUB_A : NC_HUB_B;
}

// ---- groups -------------------------------------------------------------------------------------------------

// Places contacts that have an impulse to start from, or those that have none: groups of the latter are often idle.
static void place_contact_range(nc_contact_work *work, const contact_list *list, bool pressed, int next[ALONE + 1])
{
    for (int i = 0; i < list->count; i++) {
        const int k = list->places[i], class = work->class_of.data[k];
        if ((contact_in(work, list, i)->impulse.x > 0) != pressed)
            continue;
        work->lane_of.data[k] = next[class];
        next[class] += class < ALONE ? 1 : NC_LANES;
    }
}

// Gives contacts their lanes, counted from `first_group` on. Returns how many groups there are.
static int place_contacts(nc_contact_work *work, const contact_list *list, const double *inv_mass, int first_group)
{
    int count[ALONE + 1] = {0}, next[ALONE + 1];
    find_hubs(work, list);
    for (int i = 0; i < list->count; i++) {
        const int class = classify(work, contact_in(work, list, i), inv_mass);
        work->class_of.data[list->places[i]] = class;
        count[class]++;
    }
    int groups = 0;
    for (int class = 0; class <= ALONE; class ++) {
        next[class] = NC_LANES * (first_group + groups);
        groups += class < ALONE ? (count[class] + NC_LANES - 1) / NC_LANES : count[class];
    }
    place_contact_range(work, list, true, next);
    place_contact_range(work, list, false, next);
    return groups;
}

// ---- parts --------------------------------------------------------------------------------------------------

#define MAX_NODES (2 * NC_MAX_PARTS)

// The tree of an island with 2^levels regions: its nodes are numbered level by level, regions first.
typedef struct part_tree {
    int levels;
    int begin[MAX_NODES + 1]; // of its contacts, in work->by_part
} part_tree;

static int node_of(const nc_contact_work *work, const nc_contact *contact, int levels)
{
    const int a = work->slot_of.data[contact->a], b = work->slot_of.data[contact->b];
    const int p = work->region_of.data[a >= 0 ? a : b], q = work->region_of.data[b >= 0 ? b : a];
    int level = 0;
    while (p >> level != q >> level)
        level++;
    return (2 << levels) - (2 << levels >> level) + (p >> level);
}

// Contacts node by node, in their own order within one.
static void sort_by_node(nc_contact_work *work, const nc_contact *contacts, const nc_island *island, part_tree *tree)
{
    const int nodes = (2 << tree->levels) - 1;
    int next[MAX_NODES + 1] = {0};
    for (int k = island->contact_begin; k < island->contact_end; k++) {
        work->class_of.data[k] = node_of(work, &contacts[work->order.data[k]], tree->levels);
        next[work->class_of.data[k]]++;
    }
    int begin = island->contact_begin;
    for (int n = 0; n < nodes; n++) {
        tree->begin[n] = begin;
        begin += next[n];
        next[n] = tree->begin[n];
    }
    tree->begin[nodes] = begin;
    for (int k = island->contact_begin; k < island->contact_end; k++)
        work->by_part.data[next[work->class_of.data[k]]++] = k;
}

// Bodies region by region: where each is among the island's, and which ones a region has.
static void place_slots(nc_contact_work *work, const nc_island *island, int regions)
{
    nc_wide_part *parts = work->wide_parts.data + island->part_begin; // those of the regions come first
    int place = 0;
    for (int r = 0; r < regions; r++) {
        parts[r].slot_begin = place;
        for (int s = island->slot_begin; s < island->slot_end; s++) {
            if (work->region_of.data[s] == r)
                work->wide_of.data[s] = place++;
        }
        parts[r].slot_end = place;
    }
}

static void place_island(nc_contact_work *work, const nc_contact *contacts, const nc_solver_bodies *bodies,
                         nc_island *island)
{
    part_tree tree;
    tree.levels = nc_wide_regions(work, bodies, contacts, island);
    sort_by_node(work, contacts, island, &tree);
    int node = 0, group = island->group_begin;
    island->part_end = island->part_begin;
    for (int level = 0; level <= tree.levels; level++) {
        for (int i = 0; i < 1 << (tree.levels - level); i++, node++) {
            const contact_list list = {contacts, work->by_part.data + tree.begin[node],
                                       tree.begin[node + 1] - tree.begin[node]};
            const int groups = place_contacts(work, &list, bodies->inv_mass, group);
            if (level > 0 && groups == 0)
                continue;
            work->wide_parts.data[island->part_end++] = (nc_wide_part){
                .begin = group - island->group_begin, .end = group - island->group_begin + groups, .phase = level};
            group += groups;
        }
    }
    island->group_end = group;
    place_slots(work, island, 1 << tree.levels);
}

// ---- plan ---------------------------------------------------------------------------------------------------

static bool suits(const nc_island *island, const nc_solve_settings *settings)
{
    return settings->solver == NC_SOLVER_PGS && settings->friction == NC_FRICTION_CONE &&
           island->contact_end - island->contact_begin >= NC_WIDE_MIN_CONTACTS;
}

nc_code nc_wide_plan(nc_contact_work *work, const nc_solver_bodies *bodies, const nc_contact *contacts,
                     int island_count, const nc_solve_settings *settings, nc_error *err)
{
    int groups = 0, parts = 0;
    for (int i = 0; i < island_count; i++) {
        nc_island *island = &work->islands.data[i];
        island->group_begin = island->group_end = groups;
        island->part_begin = island->part_end = parts;
        if (suits(island, settings))
            place_island(work, contacts, bodies, island);
        groups = island->group_end;
        parts = island->part_end;
    }
    if (groups == 0)
        return NC_OK;
    const size_t lines = (size_t)groups * sizeof(nc_wide) / sizeof(nc_line) + 2;
    if (lines <= INT32_MAX / 2 && nc_array_reserve(&work->allocator, &work->wides, (int)lines) &&
        nc_array_reserve(&work->allocator, &work->wide_chosen, groups) &&
        nc_array_reserve(&work->allocator, &work->block_at, NC_LANES * groups))
        return NC_OK;
    return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for %d groups of contacts", groups);
}
