// Acceleration of the sweeps: nonsmooth nonlinear conjugate gradients (Silcowitz-Hansen, Niebe, Erleben 2010).
//
// A sweep moves the impulses by a step, which stands for minus a gradient. After it they also move along the direction
// of before, by beta = |step|^2 / |step before|^2 (Fletcher-Reeves), measured in energy; where beta > 1 the direction
// is forgotten. Velocities are linear in impulses, so they move along a direction of their own and no contact is
// visited twice. What this throws out of a cone, the next sweep brings back: the last thing that happens is always a
// sweep.
#include "contact/solver.h"

#include <string.h>

static void remember_velocities(const nc_sweeps *sweeps)
{
    for (int i = sweeps->slot_begin; i < sweeps->slot_end; i++) {
        sweeps->slot_memos[i].v = sweeps->slots[i].v;
        sweeps->slot_memos[i].w = sweeps->slots[i].w;
    }
}

static void forget_direction(const nc_sweeps *sweeps)
{
    memset(sweeps->block_memos, 0, (size_t)sweeps->count * sizeof *sweeps->block_memos);
    memset(sweeps->slot_memos + sweeps->slot_begin, 0,
           (size_t)(sweeps->slot_end - sweeps->slot_begin) * sizeof *sweeps->slot_memos);
    remember_velocities(sweeps);
}

void nc_momentum_start(const nc_sweeps *sweeps)
{
    forget_direction(sweeps);
}

static void move_impulses(const nc_sweeps *sweeps, double beta)
{
    for (int i = 0; i < sweeps->count; i++) {
        nc_block_memo *memo = &sweeps->block_memos[i];
        sweeps->blocks[i].lambda = nc_madd(sweeps->blocks[i].lambda, beta, memo->along);
        memo->along = nc_madd(memo->step, beta, memo->along);
    }
}

static void move_velocities(const nc_sweeps *sweeps, double beta)
{
    for (int i = sweeps->slot_begin; i < sweeps->slot_end; i++) {
        nc_slot_memo *memo = &sweeps->slot_memos[i];
        nc_slot *slot = &sweeps->slots[i];
        const nc_vec3 dv = nc_sub(slot->v, memo->v), dw = nc_sub(slot->w, memo->w);
        slot->v = nc_madd(slot->v, beta, memo->along_v);
        slot->w = nc_madd(slot->w, beta, memo->along_w);
        memo->along_v = nc_madd(dv, beta, memo->along_v);
        memo->along_w = nc_madd(dw, beta, memo->along_w);
        memo->v = slot->v;
        memo->w = slot->w;
    }
}

void nc_momentum_add(const nc_sweeps *sweeps, double gain, double gain_before)
{
    const double beta = gain_before > 0 ? gain / gain_before : 0;
    if (!(beta <= 1)) {
        forget_direction(sweeps);
        return;
    }
    move_impulses(sweeps, beta);
    move_velocities(sweeps, beta);
}
