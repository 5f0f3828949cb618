// Large islands: contacts into groups of four without a common body, and back.
#include "contact/solver.h"

#include <string.h>

// ---- groups -------------------------------------------------------------------------------------------------

// First fit: a contact takes the first colour that neither body has yet. What finds none of the 64 stands alone. Hubs
// have no colours; contacts of one hub, on one side of it, of one colour are a class of their own.
#define COLOURS   64
#define MOST_HUBS 16 // an island
#define ALONE     ((2 * MOST_HUBS + 1) * COLOURS)

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
    return side * COLOURS + colour;
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

// Gives an island's contacts their lanes, counted from `first_group` on. Returns how many groups there are.
static int place_island(nc_contact_work *work, const nc_contact *contacts, const double *inv_mass,
                        const nc_island *island, int first_group)
{
    int count[ALONE + 1] = {0}, next[ALONE + 1];
    find_hubs(work, contacts, island);
    for (int s = island->slot_begin; s < island->slot_end; s++)
        work->colours.data[s] = 0;
    for (int k = island->contact_begin; k < island->contact_end; k++) {
        const int class = classify(work, &contacts[work->order.data[k]], inv_mass);
        work->class_of.data[k] = class;
        count[class]++;
    }
    int groups = 0;
    for (int class = 0; class <= ALONE; class ++) {
        next[class] = NC_LANES * (first_group + groups);
        groups += class < ALONE ? (count[class] + NC_LANES - 1) / NC_LANES : count[class];
    }
    place_some(work, contacts, island, true, next);
    place_some(work, contacts, island, false, next);
    return groups;
}

static bool suits(const nc_island *island, const nc_solve_settings *settings)
{
    return settings->solver == NC_SOLVER_PGS && settings->friction == NC_FRICTION_CONE &&
           island->contact_end - island->contact_begin >= NC_WIDE_FROM;
}

nc_code nc_wide_plan(nc_contact_work *work, const nc_solver_bodies *bodies, const nc_contact *contacts,
                     int island_count, const nc_solve_settings *settings, nc_error *err)
{
    int groups = 0;
    for (int i = 0; i < island_count; i++) {
        nc_island *island = &work->islands.data[i];
        island->group_begin = groups;
        if (suits(island, settings))
            groups += place_island(work, contacts, bodies->inv_mass, island, groups);
        island->group_end = groups;
    }
    if (groups == 0)
        return NC_OK;
    const size_t lines = (size_t)groups * sizeof(nc_wide) / sizeof(nc_line) + 2;
    if (lines <= INT32_MAX / 2 && nc_array_reserve(&work->allocator, &work->wides, (int)lines))
        return NC_OK;
    return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for %d groups of contacts", groups);
}

// ---- packing ------------------------------------------------------------------------------------------------

// An island on its way into groups and back.
typedef struct nc_wide_island {
    const nc_sweeps *sweeps; // one contact at a time
    const nc_island *range;
    const int *lane_of, *class_of; // by block
    nc_factor *factors;            // by slot
    nc_wide_sweeps wide;
} nc_wide_island;

// By Cholesky.
static void find_factor(const nc_mat3 *m, double c[6])
{
    c[0] = sqrt(m->row[0].x);
    c[1] = m->row[1].x / c[0];
    c[2] = sqrt(m->row[1].y - c[1] * c[1]);
    c[3] = m->row[2].x / c[0];
    c[4] = (m->row[2].y - c[3] * c[1]) / c[2];
    c[5] = sqrt(m->row[2].z - c[3] * c[3] - c[4] * c[4]);
}

// False when the body is too thin or too heavy for it.
static bool pack_slot(const nc_slot *slot, double c[6], nc_wide_slot *out)
{
    find_factor(&slot->inv_inertia, c);
    const double root = sqrt(slot->inv_mass), scale = 1.0 / root;
    const double x = slot->w.x / c[0], y = (slot->w.y - c[1] * x) / c[2];
    const double z = (slot->w.z - c[3] * x - c[4] * y) / c[5];
    out->v = (nc_lanes){scale * slot->v.x, scale * slot->v.y, scale * slot->v.z, root};
    out->w = (nc_lanes){x, y, z, 0};
    bool finite = isfinite(x) && isfinite(y) && isfinite(z);
    for (int i = 0; i < 4; i++)
        finite = finite && isfinite(out->v[i]);
    for (int i = 0; i < 6; i++)
        finite = finite && isfinite(c[i]);
    return finite;
}

static void pack_turn(const double *c, nc_vec3 arm, nc_vec3 direction, double sign, nc_lanes turn[3], int lane)
{
    const nc_vec3 t = nc_scale(sign, nc_cross(arm, direction));
    turn[0][lane] = c[0] * t.x + c[1] * t.y + c[3] * t.z;
    turn[1][lane] = c[2] * t.y + c[4] * t.z;
    turn[2][lane] = c[5] * t.z;
}

static void pack_row(const nc_wide_island *in, const nc_block *block, nc_vec3 direction, nc_wide_row *out, int lane)
{
    out->direction[0][lane] = direction.x;
    out->direction[1][lane] = direction.y;
    out->direction[2][lane] = direction.z;
    out->offset[lane] = nc_dot(block->drift, direction);
    if (block->a >= 0)
        pack_turn(in->factors[block->a].c, block->arm_a, direction, 1, out->turn_a, lane);
    if (block->b >= 0)
        pack_turn(in->factors[block->b].c, block->arm_b, direction, -1, out->turn_b, lane);
}

static void pack_block(const nc_wide_island *in, const nc_block *block, nc_wide *out, int lane)
{
    const nc_vec3 direction[3] = {block->n, block->t1, block->t2};
    const double k[3] = {block->knn, block->k11, block->k22}, inv[3] = {block->inv_nn, block->inv_11, block->inv_22};
    const double lambda[3] = {block->lambda.x, block->lambda.y, block->lambda.z};
    const int nobody = in->range->slot_end - in->range->slot_begin;
    out->a[lane] = block->a >= 0 ? block->a - in->range->slot_begin : nobody;
    out->b[lane] = block->b >= 0 ? block->b - in->range->slot_begin : nobody;
    for (int r = 0; r < 3; r++) {
        pack_row(in, block, direction[r], &out->row[r], lane);
        out->row[r].k[lane] = k[r];
        out->row[r].inv[lane] = inv[r];
        out->row[r].lambda[lane] = lambda[r];
    }
    out->row[0].offset[lane] -= block->target;
    out->friction[lane] = block->friction;
    out->carry[0][lane] = block->kn1;
    out->carry[1][lane] = block->kn2;
}

static double part_of(const nc_lanes p[3], const nc_lanes q[3], int lane)
{
    return p[0][lane] * q[0][lane] + p[1][lane] * q[1][lane] + p[2][lane] * q[2][lane];
}

// A lane of a hub's group has a quarter of it: K grows by three times the hub's part. What then is between the tangents
// is added to both of their diagonals, which keeps steps on the short side.
static void split_hub(nc_wide *c, int lane, double inv_mass)
{
    nc_lanes *turn[3];
    double more[3];
    for (int r = 0; r < 3; r++) {
        turn[r] = c->hub == NC_HUB_A ? c->row[r].turn_a : c->row[r].turn_b;
        more[r] = 3 * (inv_mass + part_of(turn[r], turn[r], lane));
    }
    const double between = 3 * fabs(part_of(turn[1], turn[2], lane));
    for (int r = 0; r < 3; r++) {
        c->row[r].k[lane] += more[r] + (r > 0 ? between : 0);
        if (c->row[r].inv[lane] > 0)
            c->row[r].inv[lane] = 1 / c->row[r].k[lane];
    }
    c->carry[0][lane] += 3 * part_of(turn[0], turn[1], lane);
    c->carry[1][lane] += 3 * part_of(turn[0], turn[2], lane);
}

static int side_of(int class)
{
    const int side = class == ALONE ? 0 : class / COLOURS;
    return side == 0 ? NC_HUB_NONE : side % 2 == 1 ? NC_HUB_A : NC_HUB_B;
}

static bool pack(const nc_wide_island *in)
{
    const int slots = in->range->slot_end - in->range->slot_begin;
    for (int s = 0; s < slots; s++) {
        const int slot = in->range->slot_begin + s;
        if (!pack_slot(&in->sweeps->slots[slot], in->factors[slot].c, &in->wide.slots[s]))
            return false;
    }
    memset(&in->wide.slots[slots], 0, sizeof *in->wide.slots);
    memset(in->wide.groups, 0, (size_t)in->wide.group_count * sizeof *in->wide.groups);
    for (int g = 0; g < in->wide.group_count; g++)
        for (int l = 0; l < NC_LANES; l++)
            in->wide.groups[g].a[l] = in->wide.groups[g].b[l] = slots;
    for (int i = 0; i < in->sweeps->count; i++) {
        const int lane = in->lane_of[i] - NC_LANES * in->range->group_begin;
        const nc_block *block = &in->sweeps->blocks[i];
        nc_wide *group = &in->wide.groups[lane / NC_LANES];
        group->hub = side_of(in->class_of[i]);
        pack_block(in, block, group, lane % NC_LANES);
        if (group->hub != NC_HUB_NONE)
            split_hub(group, lane % NC_LANES, in->sweeps->slots[group->hub == NC_HUB_A ? block->a : block->b].inv_mass);
    }
    return true;
}

static void unpack(const nc_wide_island *in)
{
    for (int i = 0; i < in->sweeps->count; i++) {
        const int place = in->lane_of[i] - NC_LANES * in->range->group_begin, lane = place % NC_LANES;
        const nc_wide *group = &in->wide.groups[place / NC_LANES];
        in->sweeps->blocks[i].lambda =
            nc_v3(group->row[0].lambda[lane], group->row[1].lambda[lane], group->row[2].lambda[lane]);
    }
}

// ---- sweeps -------------------------------------------------------------------------------------------------

// As momentum.c does it: velocities move along with the impulses.
static void move_velocities(const nc_wide_sweeps *wide)
{
    const double beta = wide->beta, keep = wide->keep;
    for (int s = 0; s < wide->slot_count; s++) {
        nc_wide_slot *slot = &wide->slots[s];
        nc_wide_memo *memo = &wide->memos[s];
        const nc_wide_slot change = {slot->v - memo->before.v, slot->w - memo->before.w};
        slot->v += beta * memo->along.v;
        slot->w += beta * memo->along.w;
        memo->along.v = keep * (change.v + beta * memo->along.v);
        memo->along.w = keep * (change.w + beta * memo->along.w);
        memo->before = *slot;
    }
}

static void run(nc_wide_sweeps *wide, nc_sweeps *sweeps, bool accelerate)
{
    const int limit = sweeps->iterations;
    double gain_before = 0;
    memset(wide->memos, 0, (size_t)wide->slot_count * sizeof *wide->memos);
    for (int s = 0; s < wide->slot_count; s++)
        wide->memos[s].before = wide->slots[s];
    for (sweeps->iterations = 1;; sweeps->iterations++) {
        nc_wide_sweep(wide);
        sweeps->residual = wide->residual;
        if (nc_sweeps_done(sweeps) || sweeps->iterations >= limit)
            return;
        if (!accelerate)
            continue;
        const double beta = gain_before > 0 ? wide->gain / gain_before : 0;
        wide->keep = beta <= 1 ? 1 : 0; // else the direction is forgotten
        wide->beta = beta <= 1 ? beta : 0;
        move_velocities(wide);
        gain_before = wide->gain;
    }
}

bool nc_wide_run(nc_contact_work *work, int island, nc_sweeps *sweeps, bool accelerate)
{
    const nc_island *range = &work->islands.data[island];
    if (range->group_begin == range->group_end)
        return false;
    nc_wide_island in = {.sweeps = sweeps,
                         .range = range,
                         .lane_of = work->lane_of.data + range->contact_begin,
                         .class_of = work->class_of.data + range->contact_begin,
                         .factors = work->factors.data};
    in.wide.groups = (nc_wide *)nc_lines_begin(work->wides.data) + range->group_begin;
    in.wide.group_count = range->group_end - range->group_begin;
    in.wide.slots = (nc_wide_slot *)nc_lines_begin(work->wide_slots.data) + range->slot_begin + island;
    in.wide.memos = (nc_wide_memo *)nc_lines_begin(work->wide_memos.data) + range->slot_begin + island;
    in.wide.slot_count = range->slot_end - range->slot_begin;
    if (!pack(&in))
        return false;
    run(&in.wide, sweeps, accelerate);
    unpack(&in);
    return true;
}
