// Resting contact: islands, each solved alone (island.c has the steps).
//
// Islands share nothing they write, so they can run on any number of threads; one that has more than a thread's share
// of all contacts is swept by all of them (wide.c). Threads never show in the result. Between the two halves of the
// islands, one thread plans Newton's method for those that wait for it (newton_plan.c).
#include "contact/solver.h"

static bool wants_crew(const nc_island_solve *all, int index)
{
    const nc_island *range = &all->work->islands.data[index];
    const int contacts = range->contact_end - range->contact_begin;
    return contacts >= NC_EFFORT_CREW_CONTACTS &&
           contacts > all->contact_count / nc_worker_count(all->settings->workers);
}

// Is the island solved by this rank?
static bool is_own(const nc_island_solve *all, int index)
{
    return !all->shared || nc_share_is_mine(all->settings->share, index);
}

// A small island may be swept more often, and to a smaller tolerance.
static void choose_settings(nc_island_solve *solve, int contacts)
{
    const nc_solve_settings *all = solve->settings;
    if ((int64_t)contacts * all->iterations >= all->few_updates)
        return;
    solve->own = *all;
    solve->own.iterations = all->few_updates / contacts;
    solve->own.tolerance = all->few_tolerance;
    solve->settings = &solve->own;
}

static void begin_one(const nc_island_solve *all, int index, int workers)
{
    nc_island_solve *solve = &all->work->solves.data[index];
    *solve = *all;
    solve->index = index;
    solve->range = solve->work->islands.data[index];
    solve->workers = workers;
    choose_settings(solve, solve->range.contact_end - solve->range.contact_begin);
    nc_island_begin(solve, &solve->work->reports.data[index]);
}

static void begin_islands(int begin, int end, void *ctx)
{
    const nc_island_solve *all = ctx;
    for (int i = begin; i < end; i++) {
        if (is_own(all, i) && !wants_crew(all, i))
            begin_one(all, i, 1);
    }
}

static void go_on_with_islands(int begin, int end, void *ctx)
{
    const nc_island_solve *all = ctx;
    for (int i = begin; i < end; i++) {
        if (is_own(all, i) && !wants_crew(all, i))
            nc_island_go_on(&all->work->solves.data[i], &all->work->reports.data[i]);
    }
}

static nc_code solve_all(nc_island_solve *all, int islands, nc_error *err)
{
    const int workers = all->settings->workers;
    all->shared = nc_islands_deal(all, islands);
    for (int i = 0; i < islands; i++) {
        if (is_own(all, i) && wants_crew(all, i))
            begin_one(all, i, workers);
    }
    nc_parallel_for(workers, islands, 1, begin_islands, all);
    const nc_code code = nc_newton_plan(all->work, islands, err);
    if (code != NC_OK)
        return code;
    for (int i = 0; i < islands; i++) {
        if (is_own(all, i) && wants_crew(all, i))
            nc_island_go_on(&all->work->solves.data[i], &all->work->reports.data[i]);
    }
    nc_parallel_for(workers, islands, 1, go_on_with_islands, all);
    return all->shared ? nc_islands_exchange(all, islands, err) : NC_OK;
}

// `worst` [m/s]: the residual that worst_a and worst_b belong to.
static void add_report(nc_solve_report *sum, const nc_solve_report *island, double *worst)
{
    sum->islands += island->islands;
    sum->contacts += island->contacts;
    sum->iterations = island->iterations > sum->iterations ? island->iterations : sum->iterations;
    sum->updates += island->updates;
    sum->unconverged += island->unconverged;
    if (island->worst_a >= 0 && (sum->worst_a < 0 || island->residual > *worst)) {
        *worst = island->residual;
        sum->worst_a = island->worst_a;
        sum->worst_b = island->worst_b;
    }
    sum->newtons += island->newtons;
    sum->residual = fmax(sum->residual, island->residual);
    sum->shocks += island->shocks;
    sum->restarts += island->restarts;
    sum->clamps += island->clamps;
    sum->factor = fmin(sum->factor, island->factor);
    sum->work += island->work;
    sum->energy += island->energy;
}

// Contacts that nobody can answer carry nothing.
static void clear_contacts_of_infinite_bodies(const nc_solver_bodies *bodies, nc_contact *contacts, int count)
{
    for (int k = 0; k < count; k++) {
        if (!(bodies->inv_mass[contacts[k].a] > 0) && !(bodies->inv_mass[contacts[k].b] > 0))
            contacts[k].impulse = nc_v3(0, 0, 0);
    }
}

nc_code nc_contact_solve(nc_contact_work *work, const nc_solver_bodies *bodies, nc_contact *contacts, int count,
                         const nc_solve_settings *settings, nc_solve_report *report, nc_error *err)
{
    return bodies->joints != NULL && bodies->joints->count > 0
               ? nc_jointed_solve(work, bodies, contacts, count, settings, report, err)
               : nc_unjointed_solve(work, bodies, contacts, count, settings, report, err);
}

nc_code nc_unjointed_solve(nc_contact_work *work, const nc_solver_bodies *bodies, nc_contact *contacts, int count,
                           const nc_solve_settings *settings, nc_solve_report *report, nc_error *err)
{
    nc_code code = nc_contact_work_reserve(work, bodies->count, count, err);
    if (code != NC_OK)
        return code;
    const int islands = nc_islands_find(work, bodies, contacts, count);
    code = nc_wide_plan(work, bodies, contacts, islands, settings, err);
    if (code != NC_OK)
        return code;
    clear_contacts_of_infinite_bodies(bodies, contacts, count);
    nc_island_solve all = {
        .work = work, .bodies = bodies, .contacts = contacts, .contact_count = count, .settings = settings};
    code = solve_all(&all, islands, err);
    if (code != NC_OK)
        return code;
    nc_solve_report sum = {.factor = 1, .worst_a = -1, .worst_b = -1};
    double worst = 0;
    for (int i = 0; i < islands; i++)
        add_report(&sum, &work->reports.data[i], &worst);
    if (report != NULL)
        *report = sum;
    return NC_OK;
}
