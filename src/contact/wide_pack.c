// A large island's bodies and contacts into groups of four, and back.
#include "contact/solver.h"

#include <string.h>

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

void nc_wide_velocity(const nc_wide_island *in, int slot, nc_vec3 *v, nc_vec3 *w)
{
    const nc_wide_slot *at = &in->wide.slots[in->wide_of[slot]];
    const double *c = in->factors[slot].c;
    *v = nc_scale(at->v[3], nc_v3(at->v[0], at->v[1], at->v[2]));
    *w = nc_v3(c[0] * at->w[0], c[1] * at->w[0] + c[2] * at->w[1], c[3] * at->w[0] + c[4] * at->w[1] + c[5] * at->w[2]);
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
    out->a[lane] = block->a >= 0 ? in->wide_of[block->a] : nobody;
    out->b[lane] = block->b >= 0 ? in->wide_of[block->b] : nobody;
    for (int r = 0; r < 3; r++) {
        pack_row(in, block, direction[r], &out->row[r], lane);
        out->row[r].k[lane] = k[r];
        out->row[r].inv[lane] = inv[r];
        out->row[r].lambda[lane] = lambda[r];
    }
    out->row[0].offset[lane] -= block->target;
    out->friction[lane] = block->friction;
    out->soft[lane] = block->soft_n;
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
            c->row[r].inv[lane] = 1 / (c->row[r].k[lane] + (r == 0 ? c->soft[lane] : 0));
    }
    c->carry[0][lane] += 3 * part_of(turn[0], turn[1], lane);
    c->carry[1][lane] += 3 * part_of(turn[0], turn[2], lane);
}

static void pack_group(const nc_wide_island *in, int index)
{
    const int nobody = in->range->slot_end - in->range->slot_begin;
    nc_wide *group = &in->wide.groups[index];
    memset(group, 0, sizeof *group);
    for (int l = 0; l < NC_LANES; l++) {
        const int place = in->block_at[NC_LANES * index + l];
        group->a[l] = group->b[l] = nobody;
        if (place < 0)
            continue;
        const nc_block *block = &in->sweeps->blocks[place];
        group->hub = nc_wide_hub_side(in->class_of[place]);
        pack_block(in, block, group, l);
        if (group->hub != NC_HUB_NONE)
            split_hub(group, l, in->sweeps->slots[group->hub == NC_HUB_A ? block->a : block->b].inv_mass);
    }
}

static void pack_groups(int begin, int end, void *ctx)
{
    for (int g = begin; g < end; g++)
        pack_group(ctx, g);
}

static int lane_of(const nc_wide_island *in, int block)
{
    return in->lane_of[block] - NC_LANES * in->range->group_begin;
}

bool nc_wide_pack(nc_wide_island *in)
{
    const int slots = in->range->slot_end - in->range->slot_begin, lanes = NC_LANES * in->wide.group_count;
    for (int s = in->range->slot_begin; s < in->range->slot_end; s++) {
        if (!pack_slot(&in->sweeps->slots[s], in->factors[s].c, &in->wide.slots[in->wide_of[s]]))
            return false;
    }
    memset(&in->wide.slots[slots], 0, sizeof *in->wide.slots);
    for (int l = 0; l < lanes; l++)
        in->block_at[l] = -1;
    for (int i = 0; i < in->sweeps->count; i++)
        in->block_at[lane_of(in, i)] = i;
    nc_parallel_for(in->workers, in->wide.group_count, NC_EFFORT_WIDE_GRAIN, pack_groups, in);
    return true;
}

void nc_wide_unpack(const nc_wide_island *in)
{
    for (int i = 0; i < in->sweeps->count; i++) {
        const int lane = lane_of(in, i) % NC_LANES;
        const nc_wide *group = &in->wide.groups[lane_of(in, i) / NC_LANES];
        in->sweeps->blocks[i].lambda =
            nc_v3(group->row[0].lambda[lane], group->row[1].lambda[lane], group->row[2].lambda[lane]);
    }
}
