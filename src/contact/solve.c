// Resting contact: islands, each solved alone, clamped, and perhaps pushed through layer by layer.
//
// An island's steps, in order:
//   1. load     its bodies into slots, its contacts into blocks
//   2. sweep    from the warm start, until nothing asks for more or the limit is reached
//   3. record   what each body was given; from here on this is the truth, V = V* + M^-1 (what was given)
//   4. clamp    if energy rose after a warm start or by acceleration: all again from 0 and without
//   5. store    velocities and impulses
//   6. shock    if the limit was reached far from a solution, and where it brings one nearer: a change of its own on
//               top, clamped by itself, so that a push through layers that would add energy never costs what the sweeps
//               achieved
// Islands share nothing they write, so they can run on any number of threads; one that has more than a thread's share
// of all contacts is swept by all of them (wide.c). Threads never show in the result.
#include "contact/solver.h"

static void load_bodies(const nc_island_solve *solve)
{
    const nc_contact_work *work = solve->work;
    for (int s = solve->range.slot_begin; s < solve->range.slot_end; s++)
        nc_slot_load(solve->bodies, work->body_of.data[s], &work->slots.data[s], &work->changes.data[s]);
}

static nc_contact *contact_at(const nc_island_solve *solve, int place)
{
    return &solve->contacts[solve->work->order.data[place]];
}

static void load_some_contacts(int begin, int end, void *ctx)
{
    const nc_island_solve *solve = ctx;
    const nc_contact_work *work = solve->work;
    for (int k = solve->range.contact_begin + begin; k < solve->range.contact_begin + end; k++) {
        const nc_contact *contact = contact_at(solve, k);
        const nc_block_ends ends = {work->slot_of.data[contact->a], work->slot_of.data[contact->b], false, false};
        work->blocks.data[k] =
            nc_block_build(solve->bodies, contact, work->slots.data, ends, solve->settings->friction);
    }
}

#define GRAIN 128 // contacts

static void load_contacts(nc_island_solve *solve, bool warm)
{
    const nc_island *range = &solve->range;
    for (int k = range->contact_begin; k < range->contact_end && !warm; k++)
        contact_at(solve, k)->impulse = nc_v3(0, 0, 0);
    nc_parallel_for(solve->workers, range->contact_end - range->contact_begin, GRAIN, load_some_contacts, solve);
}

// Brings warm impulses into their cones (normals and coefficients may have changed) and applies them.
static void apply_warm(const nc_island_solve *solve)
{
    const nc_contact_work *work = solve->work;
    for (int k = solve->range.contact_begin; k < solve->range.contact_end; k++) {
        nc_block *c = &work->blocks.data[k];
        c->start = nc_v3(0, 0, 0); // all of it counts as given by this solve
        if (!(c->lambda.x > 0) || !nc_finite3(c->lambda) || c->inv_nn == 0)
            c->lambda = nc_v3(0, 0, 0);
        const double size = sqrt(c->lambda.y * c->lambda.y + c->lambda.z * c->lambda.z);
        const double limit = c->friction * c->lambda.x;
        if (size > limit) {
            c->lambda.y *= limit / size;
            c->lambda.z *= limit / size;
        }
        if (c->lambda.x > 0)
            nc_block_push(c, work->slots.data, nc_block_vector(c, c->lambda));
    }
}

static void record(const nc_island_solve *solve)
{
    const nc_contact_work *work = solve->work;
    for (int k = solve->range.contact_begin; k < solve->range.contact_end; k++) {
        nc_block_record(&work->blocks.data[k], work->changes.data);
        nc_block_store(&work->blocks.data[k], contact_at(solve, k));
    }
    for (int s = solve->range.slot_begin; s < solve->range.slot_end; s++)
        nc_velocity_change_part(&work->changes.data[s], 1, &work->slots.data[s].v, &work->slots.data[s].w);
}

// The impulse a contact had before the change that is going on.
static nc_vec3 base_of(const nc_island_solve *solve, int place)
{
    return solve->shock ? solve->work->block_memos.data[place].step : nc_v3(0, 0, 0);
}

// What the change that stands in work->changes may do.
static nc_clamp clamp_change(const nc_island_solve *solve)
{
    const nc_velocity_change *changes = &solve->work->changes.data[solve->range.slot_begin];
    const int count = solve->range.slot_end - solve->range.slot_begin;
    double work = 0;
    for (int k = solve->range.contact_begin; k < solve->range.contact_end; k++) {
        nc_contact given = *contact_at(solve, k);
        given.impulse = nc_sub(given.impulse, base_of(solve, k));
        work += nc_contact_kinematic_work(solve->bodies, &given, nc_contact_impulse_vector(&given));
    }
    return solve->settings->clamp ? nc_clamp_find(changes, count, work) : nc_clamp_without(changes, count, work);
}

// Lets the part of the change happen that the clamp allows.
static void store(const nc_island_solve *solve, nc_clamp clamp, nc_solve_report *report)
{
    const nc_contact_work *work = solve->work;
    for (int s = solve->range.slot_begin; s < solve->range.slot_end; s++) {
        const int body = work->body_of.data[s];
        nc_velocity_change_part(&work->changes.data[s], clamp.factor, &solve->bodies->v[body], &solve->bodies->w[body]);
    }
    for (int k = solve->range.contact_begin; k < solve->range.contact_end && clamp.factor < 1; k++) {
        nc_contact *contact = contact_at(solve, k);
        const nc_vec3 base = base_of(solve, k);
        contact->impulse = clamp.factor > 0 ? nc_madd(base, clamp.factor, nc_sub(contact->impulse, base)) : base;
    }
    report->clamps += clamp.factor < NC_CLAMPED ? 1 : 0;
    report->factor = fmin(report->factor, clamp.factor);
    report->work += clamp.work;
    report->energy += clamp.energy;
}

// Steps 1 to 4.
static nc_clamp attempt(nc_island_solve *solve, bool warm, bool accelerate, nc_solve_report *report)
{
    const nc_contact_work *work = solve->work;
    const nc_island *range = &solve->range;
    load_bodies(solve);
    load_contacts(solve, warm);
    nc_sweeps sweeps = {.slots = work->slots.data,
                        .blocks = work->blocks.data + range->contact_begin,
                        .count = range->contact_end - range->contact_begin,
                        .iterations = solve->settings->iterations,
                        .block_memos = accelerate ? work->block_memos.data + range->contact_begin : NULL,
                        .slot_memos = work->slot_memos.data,
                        .slot_begin = range->slot_begin,
                        .slot_end = range->slot_end};
    nc_sweeps_stop(&sweeps, solve->settings);
    if (solve->tower)
        sweeps.floor = sweeps.stop;
    solve->stop = sweeps.stop;
    solve->violation = sweeps.violation;
    if (warm)
        apply_warm(solve);
    if (!nc_wide_run(solve, &sweeps, accelerate))
        nc_sweeps_run(&sweeps, solve->settings);
    record(solve);
    report->iterations = sweeps.iterations > report->iterations ? sweeps.iterations : report->iterations;
    solve->updates += (int64_t)sweeps.iterations * sweeps.count;
    report->residual = sweeps.residual;
    report->unconverged = nc_sweeps_done(&sweeps) ? 0 : 1;
    return clamp_change(solve);
}

// The largest violation by the velocities in the slots and the contacts' impulses.
static double residual_now(const nc_island_solve *solve)
{
    const nc_contact_work *work = solve->work;
    double residual = 0;
    for (int k = solve->range.contact_begin; k < solve->range.contact_end; k++) {
        nc_block *c = &work->blocks.data[k];
        const nc_contact *contact = contact_at(solve, k);
        const nc_vec3 impulse = nc_contact_impulse_vector(contact);
        c->lambda = nc_v3(contact->impulse.x, nc_dot(impulse, c->t1), nc_dot(impulse, c->t2));
        const double here = nc_block_residual(c, nc_block_velocity(c, work->slots.data), solve->settings->friction);
        residual = here > residual ? here : residual;
    }
    return residual;
}

// Free-standing stacks and walls lean by errors that are small at each contact and add up over their L floors, so they
// are solved to the tolerance, and shock propagation helps them much. In a pile, which is wider than high, bodies hold
// each other up: it may stop at the floor, and sweeps bring more for the same time than shock propagation does, unless
// they have failed, which leaves more than this part of the first violation.
#define SHOCK_FROM (1.0 / 16.0)

static bool is_tower(const nc_island_solve *solve)
{
    const int64_t floors = solve->layers.layer_count;
    return solve->range.contact_end - solve->range.contact_begin <= 16 * floors * floors;
}

// Impulses as they were before.
static void forget_shock(const nc_island_solve *solve)
{
    for (int k = solve->range.contact_begin; k < solve->range.contact_end; k++)
        contact_at(solve, k)->impulse = base_of(solve, k);
}

// What it does to a pile is for the velocities alone, and kept where it brings them nearer: heavy bodies come to rest
// on light ones that do not feel it. Impulses without their reactions would be a bad start for the next step, where
// those light ones would feel them first of all.
static void shock_pile(nc_island_solve *solve, nc_solve_report *report)
{
    const double before = residual_now(solve);
    nc_island_split_layers(solve);
    nc_island_shock(solve);
    const double after = residual_now(solve);
    if (after < before) {
        store(solve, clamp_change(solve), report);
        report->residual = after;
        report->shocks = 1;
    }
    forget_shock(solve);
}

static void shock_tower(nc_island_solve *solve, nc_solve_report *report)
{
    nc_island_shock(solve);
    store(solve, clamp_change(solve), report);
    report->shocks = 1;
}

// Step 6, on velocities and impulses as they were stored.
static void shock(nc_island_solve *solve, nc_solve_report *report)
{
    solve->shock = true;
    load_bodies(solve);
    for (int k = solve->range.contact_begin; k < solve->range.contact_end; k++)
        solve->work->block_memos.data[k].step = contact_at(solve, k)->impulse;
    if (solve->tower)
        shock_tower(solve, report);
    else
        shock_pile(solve, report);
}

static void solve_island(nc_island_solve *solve, nc_solve_report *report)
{
    *report = (nc_solve_report){.factor = 1};
    const nc_solve_settings *settings = solve->settings;
    solve->layers = nc_island_layers(solve);
    solve->tower = is_tower(solve);
    nc_clamp clamp = attempt(solve, settings->warm, settings->accelerate, report);
    if ((settings->warm || settings->accelerate) && clamp.factor < NC_CLAMPED) {
        report->restarts = 1;
        clamp = attempt(solve, false, false, report);
    }
    store(solve, clamp, report);
    const bool lost = solve->tower || report->residual > SHOCK_FROM * solve->violation;
    if (report->unconverged && lost && settings->shock && clamp.factor > 0)
        shock(solve, report);
    report->islands = 1;
    report->updates = solve->updates;
    report->contacts = solve->range.contact_end - solve->range.contact_begin;
}

static void solve_one(const nc_island_solve *all, int index, int workers)
{
    nc_island_solve solve = *all;
    solve.index = index;
    solve.range = solve.work->islands.data[index];
    solve.workers = workers;
    solve_island(&solve, &solve.work->reports.data[index]);
}

// An island that would keep one thread busy when the others have done all the rest is solved by all of them.
#define CREW_FROM 1024 // contacts

static bool wants_crew(const nc_island_solve *all, int index)
{
    const nc_island *range = &all->work->islands.data[index];
    const int contacts = range->contact_end - range->contact_begin;
    return contacts >= CREW_FROM && contacts > all->contact_count / nc_worker_count(all->settings->workers);
}

static void solve_islands(int begin, int end, void *ctx)
{
    const nc_island_solve *all = ctx;
    for (int i = begin; i < end; i++) {
        if (!wants_crew(all, i))
            solve_one(all, i, 1);
    }
}

static void solve_all(nc_island_solve *all, int islands)
{
    for (int i = 0; i < islands; i++) {
        if (wants_crew(all, i))
            solve_one(all, i, all->settings->workers);
    }
    nc_parallel_for(all->settings->workers, islands, 1, solve_islands, all);
}

static void add_report(nc_solve_report *sum, const nc_solve_report *island)
{
    sum->islands += island->islands;
    sum->contacts += island->contacts;
    sum->iterations = island->iterations > sum->iterations ? island->iterations : sum->iterations;
    sum->updates += island->updates;
    sum->unconverged += island->unconverged;
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
    solve_all(&all, islands);
    nc_solve_report sum = {0};
    sum.factor = 1;
    for (int i = 0; i < islands; i++)
        add_report(&sum, &work->reports.data[i]);
    if (report != NULL)
        *report = sum;
    return NC_OK;
}
