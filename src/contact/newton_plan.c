// Which islands get Newton's method: structure of their factorisations, and memory, before any of them begins.
#include "contact/solver.h"

#include <string.h>

static int body_count(const nc_island_solve *solve)
{
    return solve->range.slot_end - solve->range.slot_begin;
}

// An island's place, degree and first row: by slot, and one more an island.
static int *ints_of(const nc_island_solve *solve)
{
    return solve->work->newton_ints.data + 3 * solve->range.slot_begin + solve->index;
}

static uint64_t *bits_of(const nc_island_solve *solve)
{
    return solve->work->newton_bits.data + (size_t)NC_NEWTON_WORDS * (size_t)solve->range.slot_begin;
}

static void connect(const nc_island_solve *solve, uint64_t *bits)
{
    const int bodies = body_count(solve), first = solve->range.slot_begin;
    memset(bits, 0, nc_cholesky_bit_words(bodies) * sizeof *bits);
    for (int k = solve->range.contact_begin; k < solve->range.contact_end; k++) {
        const nc_contact *contact = &solve->contacts[solve->work->order.data[k]];
        const int a = solve->work->slot_of.data[contact->a], b = solve->work->slot_of.data[contact->b];
        if (a >= 0 && b >= 0)
            nc_cholesky_connect(bits, bodies, a - first, b - first);
    }
}

// [1] flops of islands that get it after a few sweeps.
static int64_t eager_flops(const nc_island_solve *solve)
{
    const int64_t wanted =
        (int64_t)NC_EAGER_FLOPS_PER_CONTACT * (solve->range.contact_end - solve->range.contact_begin);
    if (body_count(solve) > NC_EAGER_MAX_BODIES)
        return 0;
    return wanted > NC_EAGER_MIN_FLOPS ? wanted : NC_EAGER_MIN_FLOPS;
}

bool nc_newton_order(nc_island_solve *solve, bool failed)
{
    const int bodies = body_count(solve), contacts = solve->range.contact_end - solve->range.contact_begin;
    const int most = solve->settings->newton < NC_NEWTON_MOST ? solve->settings->newton : NC_NEWTON_MOST;
    const int64_t eager = eager_flops(solve),
                  limit = eager > (int64_t)NC_LATE_MAX_FLOPS ? eager : (int64_t)NC_LATE_MAX_FLOPS;
    uint64_t *bits = bits_of(solve);
    int *ints = ints_of(solve);
    if (bodies > NC_EAGER_MAX_BODIES && (!failed || contacts > NC_LATE_MAX_CONTACTS))
        return false;
    if (bodies > most || solve->settings->solver != NC_SOLVER_PGS)
        return false;
    connect(solve, bits);
    if (!nc_cholesky_order(bits, bodies, limit, ints, ints + bodies, &solve->newton.plan)) {
        solve->newton.plan.count = 0;
        return false;
    }
    solve->eager = solve->newton.plan.flops <= eager;
    return true;
}

static bool reserve(nc_contact_work *work, int64_t rows, int64_t doubles, int contacts)
{
    const nc_allocator *a = &work->allocator;
    return doubles <= INT32_MAX / 2 && nc_array_reserve(a, &work->newton_rows, (int)rows) &&
           nc_array_reserve(a, &work->newton_doubles, (int)doubles) &&
           nc_array_reserve(a, &work->newton_contacts, contacts);
}

// Gives one island its part of the memory, which begins at these places.
static void place(nc_island_solve *solve, int *rows, double *doubles, nc_newton_contact *contacts)
{
    nc_newton *newton = &solve->newton;
    const int bodies = body_count(solve);
    int *ints = ints_of(solve);
    nc_cholesky_rows(bits_of(solve), ints + bodies, &newton->plan, ints + 2 * bodies, rows);
    nc_newton_place(newton, doubles);
    newton->contacts = contacts;
    newton->count = solve->range.contact_end - solve->range.contact_begin;
    newton->friction = solve->settings->friction;
}

nc_code nc_newton_plan(nc_contact_work *work, int islands, nc_error *err)
{
    int64_t rows = 0, doubles = 0;
    int contacts = 0;
    for (int i = 0; i < islands; i++) {
        const nc_island_solve *solve = &work->solves.data[i];
        if (!solve->waits)
            continue;
        rows += solve->newton.plan.block_count - body_count(solve);
        doubles += (int64_t)nc_newton_doubles(body_count(solve), solve->newton.plan.block_count);
        contacts += solve->range.contact_end - solve->range.contact_begin;
    }
    if (!reserve(work, rows, doubles, contacts))
        return nc_fail_memory(err, (size_t)doubles * sizeof(double));
    rows = doubles = contacts = 0;
    for (int i = 0; i < islands; i++) {
        nc_island_solve *solve = &work->solves.data[i];
        if (!solve->waits)
            continue;
        place(solve, work->newton_rows.data + rows, work->newton_doubles.data + doubles,
              work->newton_contacts.data + contacts);
        rows += solve->newton.plan.block_count - body_count(solve);
        doubles += (int64_t)nc_newton_doubles(body_count(solve), solve->newton.plan.block_count);
        contacts += solve->newton.count;
    }
    return NC_OK;
}
