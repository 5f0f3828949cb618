// Sweeps over the groups of a large island, on several threads: phase after phase, the parts of each at the same time.
#include "contact/solver.h"

#include <string.h>

// The sweeps of one island while they continue.
typedef struct nc_wide_run_state {
    const nc_wide_island *in;
    nc_wide_sweeps wide;
    nc_sweeps *sweeps;
    int limit; // [sweeps]
    bool accelerate;
    double gain_before; // [J] of the sweep before
    int first, end;     // parts of the phase going on
    int left_out;       // contacts that sweeps do not visit now, since they ask for little
    int left;           // sweeps until groups are chosen again
} nc_wide_run_state;

// As momentum.c does it: velocities move along with the impulses.
static void move_velocities(const nc_wide_sweeps *wide, const nc_wide_part *part)
{
    const double beta = wide->beta, keep = wide->keep;
    for (int i = part->slot_begin; i < part->slot_last; i++) {
        nc_wide_slot *slot = &wide->slots[wide->moving[i]];
        nc_wide_memo *memo = &wide->memos[wide->moving[i]];
        const nc_wide_slot change = {slot->v - memo->before.v, slot->w - memo->before.w};
        slot->v += beta * memo->along.v;
        slot->w += beta * memo->along.w;
        memo->along.v = keep * (change.v + beta * memo->along.v);
        memo->along.w = keep * (change.w + beta * memo->along.w);
        memo->before = *slot;
    }
}

static void run_part(int index, void *ctx)
{
    const nc_wide_run_state *run = ctx;
    nc_wide_part *part = &run->wide.parts[run->first + index];
    if (run->accelerate && run->sweeps->iterations > 1)
        move_velocities(&run->wide, part);
    nc_wide_sweep(&run->wide, part);
}

// The parts of the phase that begins at part run->end; 0 when all have been.
static int next_parts(nc_wide_run_state *run)
{
    const nc_wide_sweeps *wide = &run->wide;
    run->first = run->end;
    while (run->end < wide->part_count && wide->parts[run->end].phase == wide->parts[run->first].phase)
        run->end++;
    return run->end - run->first;
}

// What a sweep over all parts came to; in the order of the parts, so that threads do not show. Returns the gain.
static double sum_up(const nc_wide_run_state *run)
{
    double gain = 0;
    run->sweeps->residual = 0;
    for (int p = 0; p < run->wide.part_count; p++) {
        run->sweeps->residual = fmax(run->sweeps->residual, run->wide.parts[p].residual);
        gain += run->wide.parts[p].gain;
    }
    return gain;
}

static bool is_at_rest(const nc_wide_run_state *run)
{
    for (int s = run->sweeps->slot_begin; s < run->sweeps->slot_end; s++)
        nc_wide_velocity(run->in, s, &run->sweeps->slots[s].v, &run->sweeps->slots[s].w);
    return nc_sweeps_rest(run->sweeps);
}

// Other groups from here on: what was remembered of the direction is not theirs.
static void start_again(nc_wide_run_state *run, int left_out, int sweeps)
{
    run->left_out = left_out;
    run->left = sweeps;
    run->gain_before = 0;
    run->wide.beta = run->wide.keep = 0;
}

// Which groups the next sweep visits: all, if it is the last. Where velocities rest in sweeps over some, sweeps over
// all must have the time to show the same.
static void choose_groups(nc_wide_run_state *run)
{
    nc_sweeps *sweeps = run->sweeps;
    const bool last = nc_sweeps_made(sweeps) + 1 >= run->limit, rests = sweeps->quiet >= NC_PLATEAU_WINDOWS;
    run->left--;
    if (run->left_out > 0 && (last || rests || run->left <= 0)) {
        nc_wide_choose_all(&run->wide);
        start_again(run, 0, rests ? NC_PLATEAU_SWEEPS * (NC_PLATEAU_WINDOWS + 1) : NC_LOCAL_FULL_SWEEPS);
        sweeps->quiet = 0;
    } else if (run->left_out == 0 && !last && run->left <= 0 && run->wide.group_count >= NC_LOCAL_MIN_GROUPS) {
        const int left_out = nc_wide_choose_busy(&run->wide, NC_LOCAL_MIN_ASKED * nc_sweeps_enough(sweeps));
        if (left_out > 0)
            start_again(run, left_out, NC_LOCAL_SWEEPS);
        else
            run->left = NC_LOCAL_FULL_SWEEPS;
    }
}

// Sweeps over some groups never end a solve before its limit: they know nothing of the others.
static bool is_over(const nc_wide_run_state *run)
{
    if (nc_sweeps_made(run->sweeps) >= run->limit || (run->left_out == 0 && nc_sweeps_done(run->sweeps)))
        return true;
    return nc_sweeps_window(run->sweeps) && is_at_rest(run) && run->left_out == 0;
}

static int next_phase(void *ctx)
{
    nc_wide_run_state *run = ctx;
    const int parts = next_parts(run);
    if (parts > 0)
        return parts;
    const double gain = sum_up(run);
    run->sweeps->left_out += run->left_out;
    if (is_over(run))
        return 0;
    if (run->accelerate) {
        const double beta = run->gain_before > 0 ? gain / run->gain_before : 0;
        run->wide.keep = beta <= 1 ? 1 : 0; // else the direction is forgotten
        run->wide.beta = beta <= 1 ? beta : 0;
        run->gain_before = gain;
    }
    choose_groups(run);
    run->sweeps->iterations++;
    run->end = 0;
    return next_parts(run);
}

static void run_sweeps(const nc_wide_island *in, nc_sweeps *sweeps, bool accelerate)
{
    nc_wide_run_state run = {
        .in = in, .wide = in->wide, .sweeps = sweeps, .limit = sweeps->iterations, .accelerate = accelerate};
    run.left = NC_LOCAL_FIRST_SWEEP;
    const nc_wide_sweeps *wide = &run.wide;
    memset(wide->memos, 0, (size_t)wide->slot_count * sizeof *wide->memos);
    for (int s = 0; s < wide->slot_count; s++)
        wide->memos[s].before = wide->slots[s];
    sweeps->iterations = 1;
    nc_wide_choose_all(wide);
    nc_sweeps_mark(sweeps);
    const nc_phases phases = {next_phase, run_part, &run};
    nc_parallel_phases(in->workers, &phases);
}

bool nc_wide_run(const nc_island_solve *solve, nc_sweeps *sweeps, bool accelerate)
{
    const nc_contact_work *work = solve->work;
    const nc_island *range = &solve->range;
    if (range->group_begin == range->group_end)
        return false;
    nc_wide_island in = {.sweeps = sweeps,
                         .range = range,
                         .lane_of = work->lane_of.data + range->contact_begin,
                         .class_of = work->class_of.data + range->contact_begin,
                         .block_at = work->block_at.data + NC_LANES * range->group_begin,
                         .wide_of = work->wide_of.data,
                         .factors = work->factors.data,
                         .workers = solve->workers};
    in.wide.groups = (nc_wide *)nc_lines_begin(work->wides.data) + range->group_begin;
    in.wide.group_count = range->group_end - range->group_begin;
    in.wide.parts = work->wide_parts.data + range->part_begin;
    in.wide.part_count = range->part_end - range->part_begin;
    in.wide.slots = (nc_wide_slot *)nc_lines_begin(work->wide_slots.data) + range->slot_begin + solve->index;
    in.wide.memos = (nc_wide_memo *)nc_lines_begin(work->wide_memos.data) + range->slot_begin + solve->index;
    in.wide.slot_count = range->slot_end - range->slot_begin;
    in.wide.chosen = work->wide_chosen.data + range->group_begin;
    in.wide.moving = work->wide_moving.data + range->slot_begin + solve->index;
    if (!nc_wide_pack(&in))
        return false;
    run_sweeps(&in, sweeps, accelerate);
    nc_wide_unpack(&in);
    return true;
}
