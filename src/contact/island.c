// One island: its steps, in order.
//   1. load     its bodies into slots, its contacts into blocks
//   2. sweep    from the warm start, until nothing asks for more or velocities do not move any more
//   3. Newton   where a few sweeps did not do it and the island is small, or where all of them did not: then, and where
//               it fails, by turns with more sweeps; then a few sweeps on the exact cone
//   4. record   what each body was given; from here on this is the truth, V = V* + M^-1 (what was given)
//   5. clamp    if energy rose after a warm start or by acceleration: all again from 0 and without. Where it may rise:
//               again with less of the targets above 0 where these take too much work, and with more compliance where
//               energy rose past all reason
//   6. store    velocities and impulses
//   7. shock    if sweeps reached their limit far from a solution, and where it brings one nearer: a change of its own
//   on
//               top, clamped by itself, so that a push through layers that would add energy never costs what the sweeps
//               achieved
#include "contact/solver.h"

// ---- load ---------------------------------------------------------------------------------------------------

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

static void load_contact_range(int begin, int end, void *ctx)
{
    const nc_island_solve *solve = ctx;
    const nc_contact_work *work = solve->work;
    for (int k = solve->range.contact_begin + begin; k < solve->range.contact_begin + end; k++) {
        const nc_contact *contact = contact_at(solve, k);
        const nc_block_ends ends = {work->slot_of.data[contact->a], work->slot_of.data[contact->b], false, false};
        nc_block *block = &work->blocks.data[k];
        *block = nc_block_build(solve->bodies, contact, work->slots.data, ends, solve->settings->friction,
                                solve->compliance);
        block->target = block->target > 0 ? solve->ease * block->target : block->target;
    }
}

static void load_contacts(nc_island_solve *solve, bool warm)
{
    const nc_island *range = &solve->range;
    for (int k = range->contact_begin; k < range->contact_end && !warm; k++)
        contact_at(solve, k)->impulse = nc_v3(0, 0, 0);
    nc_parallel_for(solve->workers, range->contact_end - range->contact_begin, NC_EFFORT_BLOCK_GRAIN,
                    load_contact_range, solve);
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

// ---- sweep --------------------------------------------------------------------------------------------------

// Free-standing stacks and walls lean by errors that are small at each contact and add up over their L floors, so they
// are solved to the tolerance, and shock propagation helps them much. In a pile, which is wider than high, bodies hold
// each other up: it may stop at the floor, and sweeps bring more for the same time than shock propagation does, unless
// they have failed.
static bool is_tower(const nc_island_solve *solve)
{
    const int64_t floors = solve->layers.layer_count;
    return solve->range.contact_end - solve->range.contact_begin <= NC_TOWER_CONTACTS * floors * floors;
}

static bool may_newton(const nc_island_solve *solve)
{
    return solve->newton.plan.count > 0;
}

// Islands that get Newton after a few sweeps; others get it after all of them, if they were not enough.
static bool is_eager(const nc_island_solve *solve)
{
    return may_newton(solve) && solve->eager;
}

static bool is_done(const nc_sweeps *sweeps)
{
    return nc_sweeps_done(sweeps) || sweeps->quiet >= NC_PLATEAU_WINDOWS;
}

// Step 1. Towers, and what is small enough for Newton, are not content with the floor.
static void load(nc_island_solve *solve, bool warm, bool accelerate)
{
    const nc_contact_work *work = solve->work;
    const nc_island *range = &solve->range;
    solve->swept = 0;
    load_bodies(solve);
    load_contacts(solve, warm);
    nc_sweeps *sweeps = &solve->sweeps;
    *sweeps = (nc_sweeps){.slots = work->slots.data,
                          .blocks = work->blocks.data + range->contact_begin,
                          .count = range->contact_end - range->contact_begin,
                          .block_memos = accelerate ? work->block_memos.data + range->contact_begin : NULL,
                          .slot_memos = work->slot_memos.data,
                          .marks = solve->settings->plateau > 0 ? work->marks.data : NULL,
                          .slot_begin = range->slot_begin,
                          .slot_end = range->slot_end};
    nc_sweeps_stop(sweeps, solve->settings);
    solve->stop = solve->tower ? NC_TOWER_STOP_SHARE * sweeps->stop
                               : fmax(sweeps->stop, NC_NEWTON_STOP_FLOORS * solve->settings->floor);
    if (solve->tower) {
        sweeps->floor = sweeps->stop;
        sweeps->marks = NULL; // they lean by what creeps
    } else if (is_eager(solve)) {
        sweeps->stop = solve->stop;
        sweeps->floor = solve->stop;
    } else {
        solve->stop = fmax(sweeps->stop, fmin(sweeps->floor, NC_NEWTON_LATE_STOP));
    }
    if (warm)
        apply_warm(solve);
}

// So many sweeps at most, from the impulses in the blocks and the velocities in the slots.
static void sweep(nc_island_solve *solve, int limit, nc_solve_report *report)
{
    nc_sweeps *sweeps = &solve->sweeps;
    sweeps->iterations = limit;
    sweeps->left_out = 0;
    if (!nc_wide_run(solve, sweeps, sweeps->block_memos != NULL))
        nc_sweeps_run(sweeps, solve->settings);
    solve->swept += nc_sweeps_made(sweeps);
    report->iterations = solve->swept > report->iterations ? solve->swept : report->iterations;
    solve->updates += (int64_t)sweeps->iterations * sweeps->count - sweeps->left_out;
}

// ---- record -------------------------------------------------------------------------------------------------

// What bodies were given by the blocks' impulses, and the velocities that makes.
static void record(const nc_island_solve *solve)
{
    const nc_contact_work *work = solve->work;
    for (int s = solve->range.slot_begin; s < solve->range.slot_end; s++)
        work->changes.data[s].linear = work->changes.data[s].angular = nc_v3(0, 0, 0);
    for (int k = solve->range.contact_begin; k < solve->range.contact_end; k++)
        nc_block_record(&work->blocks.data[k], work->changes.data);
    for (int s = solve->range.slot_begin; s < solve->range.slot_end; s++)
        nc_velocity_change_part(&work->changes.data[s], 1, &work->slots.data[s].v, &work->slots.data[s].w);
}

// The largest violation by the velocities in the slots and the blocks' impulses, and who has it.
static double residual_of_blocks(const nc_island_solve *solve, int *worst)
{
    const nc_contact_work *work = solve->work;
    double residual = 0;
    *worst = solve->range.contact_begin;
    for (int k = solve->range.contact_begin; k < solve->range.contact_end; k++) {
        const nc_block *c = &work->blocks.data[k];
        const double here = nc_block_residual(c, nc_block_velocity(c, work->slots.data), solve->settings->friction);
        *worst = here > residual ? k : *worst;
        residual = here > residual ? here : residual;
    }
    return residual;
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

// ---- Newton -------------------------------------------------------------------------------------------------

static bool is_driven(const nc_solver_bodies *bodies, int row)
{
    return !(bodies->inv_mass[row] > 0) && nc_norm2(bodies->v[row]) + nc_norm2(bodies->w[row]) > 0;
}

// May targets above 0 wait? Not where something of infinite mass moves. And one body between two that do not give way
// is best in the middle, as compliance has it.
static bool may_ease(const nc_island_solve *solve)
{
    if (solve->range.slot_end - solve->range.slot_begin < 2)
        return false;
    for (int k = solve->range.contact_begin; k < solve->range.contact_end; k++) {
        const nc_contact *contact = contact_at(solve, k);
        if (is_driven(solve->bodies, contact->a) || is_driven(solve->bodies, contact->b))
            return false;
    }
    return true;
}

static void take_back(const nc_island_solve *solve)
{
    const nc_newton *newton = &solve->newton;
    for (int i = 0; i < newton->count; i++) {
        const double *l = newton->contacts[i].best;
        solve->sweeps.blocks[i].lambda = nc_v3(l[0], l[1], l[2]);
    }
}

// Sweeps on from what Newton found, and keeps it where that is better.
static void polish(nc_island_solve *solve, int limit, nc_block_memo *memos, nc_solve_report *report)
{
    nc_sweeps *sweeps = &solve->sweeps;
    const double before = sweeps->residual;
    int worst;
    sweeps->block_memos = memos;
    sweep(solve, limit, report);
    record(solve);
    sweeps->residual = residual_of_blocks(solve, &worst);
    if (sweeps->residual <= before) {
        for (int i = 0; i < solve->newton.count; i++) {
            const nc_vec3 l = sweeps->blocks[i].lambda;
            double *best = solve->newton.contacts[i].best;
            best[0] = l.x;
            best[1] = l.y;
            best[2] = l.z;
        }
        return;
    }
    take_back(solve);
    record(solve);
    sweeps->residual = before;
}

static bool newton(nc_island_solve *solve, nc_solve_report *report)
{
    nc_sweeps *sweeps = &solve->sweeps;
    nc_block_memo *memos = sweeps->block_memos;
    nc_newton_task task = {.compliance = solve->settings->compliance, .stop = solve->stop, .may_ease = may_ease(solve)};
    if (solve->newton.blocks == NULL || !nc_newton_run(&solve->newton, sweeps, solve->work->changes.data, &task))
        return false;
    solve->newtons += task.iterations;
    record(solve);
    sweeps->residual = task.residual;
    if (task.residual > solve->stop)
        polish(solve, NC_NEWTON_POLISH_SWEEPS, NULL, report);
    const int left = solve->settings->iterations - solve->swept;
    if (sweeps->residual > fmax(solve->stop, NC_RESIDUAL_SMALL) && left > 0)
        polish(solve, left, memos, report);
    return true;
}

// Sweeps on as long as that helps. True: it is solved.
static bool sweep_longer(nc_island_solve *solve, nc_solve_report *report)
{
    nc_sweeps *sweeps = &solve->sweeps;
    const int most = solve->swept + (int)(NC_LONGER_UPDATES / sweeps->count);
    const double floor = sweeps->floor;
    int failures = 0;
    sweeps->patience = 0;
    sweeps->floor = fmax(floor, NC_LONGER_RESIDUAL);
    while (solve->swept < most && failures < NC_LONGER_FAILURES && !nc_sweeps_done(sweeps)) {
        const double before = sweeps->residual;
        const int left = most - solve->swept;
        record(solve);
        sweep(solve, left < NC_LONGER_SWEEPS ? left : NC_LONGER_SWEEPS, report);
        failures += sweeps->residual > NC_LONGER_PROGRESS * before;
    }
    if (nc_sweeps_done(sweeps))
        return true;
    sweeps->floor = floor;
    return false;
}

// More sweeps and Newton, by turns. False: Newton cannot be used.
static bool take_turns(nc_island_solve *solve, nc_solve_report *report)
{
    nc_block_memo *memos = solve->sweeps.block_memos;
    for (int cycle = 0; cycle < NC_LONGER_CYCLES; cycle++) {
        solve->sweeps.block_memos = memos;
        if (sweep_longer(solve, report))
            return true;
        if (!newton(solve, report))
            return false;
        if (solve->sweeps.residual <= fmax(solve->stop, NC_RESIDUAL_SMALL))
            return true;
    }
    return true;
}

static bool rubs(const nc_island_solve *solve)
{
    for (int k = 0; k < solve->sweeps.count; k++)
        if (solve->sweeps.blocks[k].friction > 0)
            return true;
    return false;
}

// Sweeps bring piles on. So they do islands of many contacts with friction, whose factorisations are cheap, but which
// take many of them while they slide.
static bool is_pile(const nc_island_solve *solve)
{
    return may_newton(solve) && !solve->tower &&
           (!solve->eager || (solve->sweeps.count > NC_EAGER_MAX_RUBBING && rubs(solve)));
}

// Newton, and by turns with sweeps where it fails. Piles begin with sweeps.
static bool turn_to_newton(nc_island_solve *solve, nc_solve_report *report)
{
    nc_block_memo *memos = solve->sweeps.block_memos;
    if (is_pile(solve))
        return take_turns(solve, report);
    if (!newton(solve, report))
        return false;
    solve->sweeps.block_memos = memos;
    return solve->sweeps.residual <= fmax(solve->stop, NC_RESIDUAL_SMALL) || take_turns(solve, report);
}

// Steps 2 and 3, from the impulses in the blocks on.
static void go_on(nc_island_solve *solve, nc_solve_report *report)
{
    if (nc_sweeps_done(&solve->sweeps) || turn_to_newton(solve, report) || is_done(&solve->sweeps))
        return;
    const int left = solve->settings->iterations - solve->swept;
    record(solve);
    solve->sweeps.patience -= solve->swept;
    if (left > 0)
        sweep(solve, left, report);
}

// Step 4.
static nc_clamp conclude(const nc_island_solve *solve)
{
    const nc_contact_work *work = solve->work;
    record(solve);
    for (int k = solve->range.contact_begin; k < solve->range.contact_end; k++)
        nc_block_store(&work->blocks.data[k], contact_at(solve, k));
    return clamp_change(solve);
}

static nc_clamp attempt(nc_island_solve *solve, bool warm, bool accelerate, nc_solve_report *report)
{
    load(solve, warm, accelerate);
    const int all = solve->settings->iterations;
    const bool first = solve->newton.blocks != NULL && solve->eager && all > NC_NEWTON_FIRST_SWEEPS;
    sweep(solve, first ? NC_NEWTON_FIRST_SWEEPS : all, report);
    go_on(solve, report);
    return conclude(solve);
}

// ---- shock --------------------------------------------------------------------------------------------------

// The same by the velocities in the slots and the contacts' impulses.
static double residual_now(const nc_island_solve *solve, int *worst)
{
    const nc_contact_work *work = solve->work;
    for (int k = solve->range.contact_begin; k < solve->range.contact_end; k++) {
        nc_block *c = &work->blocks.data[k];
        const nc_contact *contact = contact_at(solve, k);
        const nc_vec3 impulse = nc_contact_impulse_vector(contact);
        c->lambda = nc_v3(contact->impulse.x, nc_dot(impulse, c->t1), nc_dot(impulse, c->t2));
    }
    return residual_of_blocks(solve, worst);
}

// Impulses as they were before.
static void forget_shock(const nc_island_solve *solve)
{
    for (int k = solve->range.contact_begin; k < solve->range.contact_end; k++)
        contact_at(solve, k)->impulse = base_of(solve, k);
}

// Step 7, on velocities and impulses as they were stored. What it does to a pile is for the velocities alone: heavy
// bodies come to rest on light ones that do not feel it. Impulses without their reactions would be a bad start for the
// next step, where those light ones would feel them first of all.
static void shock(nc_island_solve *solve, nc_solve_report *report)
{
    int worst;
    solve->shock = true;
    load_bodies(solve);
    for (int k = solve->range.contact_begin; k < solve->range.contact_end; k++)
        solve->work->block_memos.data[k].step = contact_at(solve, k)->impulse;
    const double before = residual_now(solve, &worst);
    if (!solve->tower)
        nc_island_split_layers(solve);
    nc_island_shock(solve);
    const double after = residual_now(solve, &worst);
    // Sequential impulses are never taken back, so their residual says nothing.
    const bool unknown = solve->tower && solve->settings->solver == NC_SOLVER_SEQUENTIAL;
    const double bound = solve->tower ? fmax(before, NC_SHOCK_TOWER_RESIDUAL * solve->sweeps.violation) : before;
    const bool helps = unknown || after < bound;
    if (helps) {
        store(solve, clamp_change(solve), report);
        report->residual = after;
        report->shocks = 1;
    }
    if (!helps || !solve->tower)
        forget_shock(solve);
}

// ---- the whole ----------------------------------------------------------------------------------------------

// [J] of a body before the change; 0 where it cannot be scaled.
static double energy_before(const nc_velocity_change *change)
{
    double c[6], y[6], sum = 0;
    if (!nc_body_scale(change, c, y))
        return 0;
    for (int i = 0; i < 6; i++)
        sum += 0.5 * y[i] * y[i];
    return sum;
}

// [m/s] the largest speed at which a contact is to open.
static double opening_speed(const nc_island_solve *solve)
{
    double speed = 0;
    for (int k = solve->range.contact_begin; k < solve->range.contact_end; k++)
        speed = fmax(speed, contact_at(solve, k)->target);
    return speed;
}

// Is there more than twice the energy that was there before, that infinite bodies gave, and that moving apart at the
// speeds asked for takes?
static bool is_absurd(const nc_island_solve *solve, nc_clamp clamp)
{
    const nc_contact_work *work = solve->work;
    const double speed = opening_speed(solve);
    double sum = fmax(0, clamp.work);
    for (int s = solve->range.slot_begin; s < solve->range.slot_end; s++) {
        const nc_velocity_change *change = &work->changes.data[s];
        sum += energy_before(change) + 0.5 * 4 * speed * speed / change->inv_mass;
    }
    return clamp.energy > sum;
}

// Does opening contacts take much more work than lifting every body of the island for itself would, against what it
// falls with? Islands that sweeps solve are not asked, nor are speeds that do not matter.
static bool is_lavish(const nc_island_solve *solve)
{
    const double speed = opening_speed(solve);
    double work = 0, lift = 0;
    if (solve->newtons == 0 || !(speed > solve->settings->floor))
        return false;
    for (int i = 0; i < solve->sweeps.count; i++)
        work += solve->sweeps.blocks[i].lambda.x * fmax(0, solve->sweeps.blocks[i].target);
    for (int s = solve->range.slot_begin; s < solve->range.slot_end; s++) {
        const nc_velocity_change *change = &solve->work->changes.data[s];
        lift += (nc_norm(change->v) + speed) * speed / change->inv_mass;
    }
    return work > NC_EASE_WORK * lift;
}

// What the report says is so: of the stored velocities and impulses.
static void judge(nc_island_solve *solve, nc_clamp clamp, nc_solve_report *report)
{
    const nc_sweeps *sweeps = &solve->sweeps;
    const bool met = nc_sweeps_done(sweeps) && !(clamp.factor < NC_CLAMPED);
    report->residual = sweeps->residual;
    report->worst_a = report->worst_b = -1;
    if (met && report->shocks == 0)
        return;
    int worst;
    load_bodies(solve);
    report->residual = residual_now(solve, &worst);
    report->worst_a = contact_at(solve, worst)->a;
    report->worst_b = contact_at(solve, worst)->b;
    const bool moves = sweeps->quiet < NC_PLATEAU_WINDOWS || clamp.factor < NC_CLAMPED;
    const double bound = solve->newtons > 0 ? solve->stop : sweeps->floor;
    if (report->residual > fmax(bound, NC_RESIDUAL_SMALL) && moves)
        report->unconverged = 1;
}

// Opening the joints of a straight taut chain by a micrometre throws its links up by millimetres, and they fall back.
// So less is requested, and in the end only that nothing comes nearer, which adds no energy. Each solve begins with the
// impulses of the one before.
static nc_clamp ask_for_less(nc_island_solve *solve, nc_clamp clamp, nc_solve_report *report)
{
    for (int k = 0; k < NC_EASE_ATTEMPTS && is_lavish(solve) && may_ease(solve); k++) {
        report->restarts = 1;
        solve->ease = k + 1 < NC_EASE_ATTEMPTS ? NC_EASE_SHARE * solve->ease : 0;
        clamp = attempt(solve, true, solve->settings->accelerate, report);
    }
    return clamp;
}

// What is absurd even then cannot be met: with more and more compliance.
static nc_clamp bring_to_reason(nc_island_solve *solve, nc_clamp clamp, nc_solve_report *report)
{
    const nc_solve_settings *settings = solve->settings;
    clamp = ask_for_less(solve, clamp, report);
    for (int k = 0; k < NC_SOFTEN_ATTEMPTS && is_absurd(solve, clamp); k++) {
        report->restarts = 1;
        solve->ease = 1;
        solve->compliance =
            fmax(NC_SOFTEN_FACTOR * solve->compliance, fmax(settings->compliance, NC_SOFTEN_MIN_COMPLIANCE));
        clamp = attempt(solve, false, settings->accelerate, report);
    }
    return clamp;
}

// Steps 5 to 7.
static void complete(nc_island_solve *solve, nc_clamp clamp, nc_solve_report *report)
{
    const nc_solve_settings *settings = solve->settings;
    if ((settings->warm || settings->accelerate) && clamp.factor < NC_CLAMPED) {
        report->restarts = 1;
        clamp = attempt(solve, false, false, report);
    }
    if (!settings->clamp && settings->newton > 0)
        clamp = bring_to_reason(solve, clamp, report);
    store(solve, clamp, report);
    const bool lost = solve->tower || solve->sweeps.residual > NC_SHOCK_MIN_RESIDUAL * solve->sweeps.violation;
    const bool failed = solve->newtons == 0 || solve->sweeps.residual > fmax(solve->stop, NC_RESIDUAL_SMALL);
    if (!is_done(&solve->sweeps) && lost && settings->shock && clamp.factor > 0 && failed)
        shock(solve, report);
    judge(solve, clamp, report);
    report->islands = 1;
    report->updates = solve->updates;
    report->newtons = solve->newtons;
    report->contacts = solve->range.contact_end - solve->range.contact_begin;
}

// Will the result have to be solved for once more?
static bool wants_more(const nc_island_solve *solve, nc_clamp clamp)
{
    const nc_solve_settings *settings = solve->settings;
    return settings->clamp ? clamp.factor < NC_CLAMPED
                           : is_absurd(solve, clamp) || (is_lavish(solve) && may_ease(solve));
}

void nc_island_begin(nc_island_solve *solve, nc_solve_report *report)
{
    *report = (nc_solve_report){.factor = 1};
    const nc_solve_settings *settings = solve->settings;
    const nc_sweeps *sweeps = &solve->sweeps;
    solve->layers = nc_island_layers(solve);
    solve->tower = is_tower(solve);
    solve->compliance = 0;
    solve->ease = 1;
    solve->newton.plan.count = 0;
    nc_newton_order(solve, false);
    load(solve, settings->warm, settings->accelerate);
    const bool first = is_eager(solve) && settings->iterations > NC_NEWTON_FIRST_SWEEPS;
    sweep(solve, first ? NC_NEWTON_FIRST_SWEEPS : settings->iterations, report);
    const bool quiet = sweeps->quiet >= NC_PLATEAU_WINDOWS;
    const bool rests = quiet && (!solve->eager || sweeps->residual <= NC_QUIET_RESIDUAL_FLOORS * settings->floor);
    const bool failed = !nc_sweeps_done(sweeps) && !rests;
    solve->waits = failed && (may_newton(solve) || nc_newton_order(solve, true));
    if (solve->waits)
        return;
    solve->waits = may_newton(solve) && wants_more(solve, conclude(solve));
}

void nc_island_go_on(nc_island_solve *solve, nc_solve_report *report)
{
    if (solve->waits)
        go_on(solve, report);
    complete(solve, conclude(solve), report);
}
