// Which islands get Newton's method: structure of their factorisations, and memory, before any of them begins.
#include "contact/solver.h"

#include <string.h>

// Changes results. What hangs, leans or turns in a bearing has chains of bodies: 25 to 470 (arches, taut chains, gears,
// houses of cards). Piles, for which sweeps are better, have 900 (chainmail) and more (100 boats 1,170).
#define FLOPS_PER_CONTACT 640 // [1] of one factorisation

static int body_count(const nc_island_solve *solve)
{
    return solve->range.slot_end - solve->range.slot_begin;
}

// Orders one island's bodies. False: too expensive.
static bool order(nc_contact_work *work, nc_island_solve *solve, uint64_t *bits, int *ints)
{
    const int bodies = body_count(solve), first = solve->range.slot_begin;
    memset(bits, 0, nc_cholesky_bit_words(bodies) * sizeof *bits);
    for (int k = solve->range.contact_begin; k < solve->range.contact_end; k++) {
        const nc_block *c = &work->blocks.data[k];
        if (c->a >= 0 && c->b >= 0)
            nc_cholesky_connect(bits, bodies, c->a - first, c->b - first);
    }
    const int64_t limit = (int64_t)FLOPS_PER_CONTACT * (solve->range.contact_end - solve->range.contact_begin);
    return nc_cholesky_order(bits, bodies, limit, ints, ints + bodies, &solve->newton.plan);
}

// What all islands that wait need.
typedef struct nc_newton_need {
    int64_t bits, ints, rows, doubles, contacts;
} nc_newton_need;

static bool reserve(nc_contact_work *work, const nc_newton_need *need)
{
    const nc_allocator *a = &work->allocator;
    const int64_t most = INT32_MAX / 2;
    return need->bits <= most && need->ints <= most && need->rows <= most && need->doubles <= most &&
           nc_array_reserve(a, &work->newton_bits, (int)need->bits) &&
           nc_array_reserve(a, &work->newton_ints, (int)need->ints) &&
           nc_array_reserve(a, &work->newton_rows, (int)need->rows) &&
           nc_array_reserve(a, &work->newton_doubles, (int)need->doubles) &&
           nc_array_reserve(a, &work->newton_contacts, (int)need->contacts);
}

// Gives one island its part of the memory, which begins at `at`.
static void place(nc_contact_work *work, nc_island_solve *solve, nc_newton_need *at)
{
    nc_newton *newton = &solve->newton;
    const int bodies = body_count(solve);
    int *ints = work->newton_ints.data + at->ints;
    newton->plan.place = ints;
    nc_cholesky_rows(work->newton_bits.data + at->bits, ints + bodies, &newton->plan, ints + 2 * bodies,
                     work->newton_rows.data + at->rows);
    nc_newton_place(newton, work->newton_doubles.data + at->doubles);
    newton->contacts = work->newton_contacts.data + at->contacts;
    newton->count = solve->range.contact_end - solve->range.contact_begin;
    newton->friction = solve->settings->friction;
    at->rows += newton->plan.block_count - bodies;
    at->doubles += (int64_t)nc_newton_doubles(bodies, newton->plan.block_count);
    at->contacts += newton->count;
}

void nc_newton_plan(nc_contact_work *work, int islands)
{
    nc_newton_need need = {0}, at = {0};
    for (int i = 0; i < islands; i++) {
        const nc_island_solve *solve = &work->solves.data[i];
        need.bits += solve->waits ? (int64_t)nc_cholesky_bit_words(body_count(solve)) : 0;
        need.ints += solve->waits ? 3 * body_count(solve) + 1 : 0;
    }
    if (!reserve(work, &need))
        return;
    for (int i = 0; i < islands; i++) {
        nc_island_solve *solve = &work->solves.data[i];
        if (!solve->waits)
            continue;
        if (order(work, solve, work->newton_bits.data + at.bits, work->newton_ints.data + at.ints)) {
            need.rows += solve->newton.plan.block_count - body_count(solve);
            need.doubles += (int64_t)nc_newton_doubles(body_count(solve), solve->newton.plan.block_count);
            need.contacts += solve->range.contact_end - solve->range.contact_begin;
        } else {
            solve->newton.plan.count = 0;
        }
        at.bits += (int64_t)nc_cholesky_bit_words(body_count(solve));
        at.ints += 3 * body_count(solve) + 1;
    }
    if (!reserve(work, &need))
        return;
    at = (nc_newton_need){0};
    for (int i = 0; i < islands; i++) {
        nc_island_solve *solve = &work->solves.data[i];
        if (!solve->waits)
            continue;
        if (solve->newton.plan.count > 0)
            place(work, solve, &at);
        at.bits += (int64_t)nc_cholesky_bit_words(body_count(solve));
        at.ints += 3 * body_count(solve) + 1;
    }
}
