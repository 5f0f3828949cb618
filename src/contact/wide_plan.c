// Which four contacts of a large island make a group, and which groups may be swept at the same time.
#include "contact/solver.h"

// First fit: a contact takes the first colour that neither body has yet. What finds none of the 64 stands alone. Hubs
// have no colours; contacts of one hub, on one side of it, of one colour are a class of their own. Classes of a colour
// follow each other, since no body but a hub is in two of its contacts.
#define COLOURS   64
#define MOST_HUBS 16 // an island
#define SIDES     (2 * MOST_HUBS + 1)
#define ALONE     (SIDES * COLOURS)

static int first_free(uint64_t used)
{
    int colour = 0;
    while (colour < COLOURS && (used >> colour & 1) != 0)
        colour++;
    return colour;
}

static uint64_t colours_at(const nc_contact_work *work, int slot)
{
    return slot < 0 ? 0 : work->colours.data[slot];
}

static void add_colour(nc_contact_work *work, int slot, int colour)
{
    if (slot >= 0 && colour < COLOURS)
        work->colours.data[slot] |= UINT64_C(1) << colour;
}

// Numbers the bodies with more contacts than there are colours: hub_of is 0 for others.
static void find_hubs(nc_contact_work *work, const nc_contact *contacts, const nc_island *island)
{
    int hubs = 0;
    for (int s = island->slot_begin; s < island->slot_end; s++)
        work->hub_of.data[s] = 0;
    for (int k = island->contact_begin; k < island->contact_end; k++) {
        const nc_contact *contact = &contacts[work->order.data[k]];
        const int a = work->slot_of.data[contact->a], b = work->slot_of.data[contact->b];
        if (a >= 0)
            work->hub_of.data[a]++;
        if (b >= 0)
            work->hub_of.data[b]++;
    }
    for (int s = island->slot_begin; s < island->slot_end; s++)
        work->hub_of.data[s] = work->hub_of.data[s] > COLOURS && hubs < MOST_HUBS ? ++hubs : 0;
}

// A quarter of a hub must still be heavy beside the other body, or steps would be much too short.
#define HEAVY 4

// The contact's class; its bodies have that colour from now on.
static int classify(nc_contact_work *work, const nc_contact *contact, const double *inv_mass)
{
    const int a = work->slot_of.data[contact->a], b = work->slot_of.data[contact->b];
    const int hub_a = a < 0 ? 0 : work->hub_of.data[a], hub_b = b < 0 ? 0 : work->hub_of.data[b];
    const int side = hub_a > 0 ? 2 * hub_a - 1 : 2 * hub_b; // 0: no hub
    const int colour = first_free(colours_at(work, a) | colours_at(work, b));
    if (colour == COLOURS || (hub_a > 0 && inv_mass[contact->b] < HEAVY * inv_mass[contact->a]) ||
        (hub_b > 0 && inv_mass[contact->a] < HEAVY * inv_mass[contact->b]))
        return ALONE;
    if (hub_a == 0)
        add_colour(work, a, colour);
    if (hub_b == 0)
        add_colour(work, b, colour);
    return colour * SIDES + side;
}

// Places contacts that have an impulse to start from, or those that have none: groups of the latter are often idle.
static void place_some(nc_contact_work *work, const nc_contact *contacts, const nc_island *island, bool pressed,
                       int next[ALONE + 1])
{
    for (int k = island->contact_begin; k < island->contact_end; k++) {
        const int class = work->class_of.data[k];
        if ((contacts[work->order.data[k]].impulse.x > 0) != pressed)
            continue;
        work->lane_of.data[k] = next[class];
        next[class] += class < ALONE ? 1 : NC_LANES;
    }
}

// ---- parts --------------------------------------------------------------------------------------------------

// Groups a part has at least, for the work to be more than the taking of it; and about how many parts a phase has at
// most.
#define PART_GROUPS 8
#define MOST_PARTS  32

// Parts as they are cut, from the first group on.
typedef struct cutter {
    nc_wide_part *parts;
    int count;
    int group; // the first that has no part yet
    int phase;
    bool one_by_one; // the phase going on has one part, whose groups may have bodies in common
} cutter;

static void begin_part(cutter *c)
{
    c->parts[c->count++] = (nc_wide_part){.begin = c->group, .end = c->group, .phase = c->phase};
}

static void extend_part(cutter *c, int groups)
{
    c->group += groups;
    c->parts[c->count - 1].end = c->group;
}

// Groups that may have bodies in common: a phase of one part, that of the groups before if those were few too.
static void add_in_turn(cutter *c, int groups)
{
    if (groups == 0)
        return;
    if (!c->one_by_one) {
        c->phase++;
        c->one_by_one = true;
        begin_part(c);
    }
    extend_part(c, groups);
}

// Groups that stay together, in a part of at least `size`.
static void add_together(cutter *c, int groups, int size)
{
    const nc_wide_part *last = c->count > 0 ? &c->parts[c->count - 1] : NULL;
    if (groups == 0)
        return;
    if (last == NULL || last->phase != c->phase || last->end - last->begin >= size)
        begin_part(c);
    extend_part(c, groups);
}

// One colour: a phase, in which all groups of a hub are in one part. `groups` are those of its classes.
static void cut_colour(cutter *c, const int groups[SIDES])
{
    int all = 0;
    for (int side = 0; side < SIDES; side++)
        all += groups[side];
    if (all <= PART_GROUPS) {
        add_in_turn(c, all);
        return;
    }
    const int size = all / MOST_PARTS > PART_GROUPS ? all / MOST_PARTS : PART_GROUPS;
    c->phase++;
    c->one_by_one = false;
    for (int left = groups[0]; left > 0; left -= size)
        add_together(c, left < size ? left : size, size);
    for (int hub = 1; hub <= MOST_HUBS; hub++)
        add_together(c, groups[2 * hub - 1] + groups[2 * hub], size);
}

// ---- plan ---------------------------------------------------------------------------------------------------

// Gives an island's contacts their lanes, counted from its first group on, and cuts the groups into parts.
static void place_island(nc_contact_work *work, const nc_contact *contacts, const double *inv_mass, nc_island *island)
{
    int groups[ALONE + 1] = {0}, next[ALONE + 1];
    find_hubs(work, contacts, island);
    for (int s = island->slot_begin; s < island->slot_end; s++)
        work->colours.data[s] = 0;
    for (int k = island->contact_begin; k < island->contact_end; k++) {
        const int class = classify(work, &contacts[work->order.data[k]], inv_mass);
        work->class_of.data[k] = class;
        groups[class]++;
    }
    int first = island->group_begin;
    for (int class = 0; class <= ALONE; class ++) {
        if (class < ALONE)
            groups[class] = (groups[class] + NC_LANES - 1) / NC_LANES;
        next[class] = NC_LANES * first;
        first += groups[class];
    }
    island->group_end = first;
    place_some(work, contacts, island, true, next);
    place_some(work, contacts, island, false, next);
    cutter c = {.parts = work->wide_parts.data + island->part_begin};
    for (int colour = 0; colour < COLOURS; colour++)
        cut_colour(&c, &groups[colour * SIDES]);
    add_in_turn(&c, groups[ALONE]);
    island->part_end = island->part_begin + c.count;
}

static bool suits(const nc_island *island, const nc_solve_settings *settings)
{
    return settings->solver == NC_SOLVER_PGS && settings->friction == NC_FRICTION_CONE &&
           island->contact_end - island->contact_begin >= NC_WIDE_FROM;
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
            place_island(work, contacts, bodies->inv_mass, island);
        groups = island->group_end;
        parts = island->part_end;
    }
    if (groups == 0)
        return NC_OK;
    const size_t lines = (size_t)groups * sizeof(nc_wide) / sizeof(nc_line) + 2;
    if (lines <= INT32_MAX / 2 && nc_array_reserve(&work->allocator, &work->wides, (int)lines) &&
        nc_array_reserve(&work->allocator, &work->block_at, NC_LANES * groups))
        return NC_OK;
    return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for %d groups of contacts", groups);
}

int nc_wide_hub_side(int class)
{
    const int side = class == ALONE ? 0 : class % SIDES;
    return side == 0 ? NC_HUB_NONE : side % 2 == 1 ? NC_HUB_A : NC_HUB_B;
}
