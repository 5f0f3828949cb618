// Speculation: run a window with the contacts known so far, look over its whole motion for layers that were entered
// unannounced, add them and run it again, until there are none. What is accepted is what would have happened with all
// layers active all the time (I3), and every distance in it is certified (I4).
#include "acm/ticks.h"

#define MAX_RERUNS   4  // then the window is halved
#define CALM_WINDOWS 16 // without reruns: then it is doubled

// Every tick of (begin, end], or until the trace is long.
static nc_code run_window(nc_cloth_world *world, int64_t begin, int64_t end, nc_acm_jam_note *jam, nc_error *err)
{
    if (!nc_acm_contacts_arrange(&world->allocator, &world->contacts))
        return nc_fail_memory(err, (size_t)world->contacts.count * sizeof *world->contacts.order);
    nc_acm_trace_open(world, begin, end);
    const int64_t step = nc_acm_step_ticks(nc_acm_finest_level(world));
    *jam = (nc_acm_jam_note){0};
    for (int64_t now = (begin / step + 1) * step; now <= end; now += step) {
        if (!nc_acm_trace_reserve(world))
            return nc_fail_memory(err, (size_t)world->trace.count * sizeof *world->trace.pieces);
        nc_acm_tick_run(world, now, jam);
        if (nc_acm_trace_is_long(world) && end - begin > 1)
            break;
    }
    return NC_OK;
}

// A part of the thickness: pairs within it are looked at before they are needed.
static double search_reach(const nc_acm_model *m)
{
    double most = 0;
    for (int a = 0; a < m->objects.count; a++)
        most = fmax(most, nc_acm_object_thickness(m, a, a));
    return 0.1 * most;
}

static nc_code find_needs(nc_cloth_world *world, nc_acm_demand *demand, nc_error *err)
{
    const double begin = nc_acm_seconds();
    world->needs.count = 0;
    nc_code code = nc_acm_window_find(world->search, &world->model, world->states, &world->trace,
                                      search_reach(&world->model), &world->needs, err);
    if (code == NC_OK)
        code = nc_acm_contacts_meet(&world->model, &world->contacts, &world->needs, demand, err);
    world->seconds_find += nc_acm_seconds() - begin;
    return code;
}

// The window holds: nothing in it was missed.
static nc_code accept(nc_cloth_world *world, const nc_acm_jam_note *jam, nc_error *err)
{
    if (jam->found)
        return nc_acm_jam(world, jam->pair, jam->layer, jam->tick, err);
    world->counts.windows++;
    if (++world->calm_windows >= CALM_WINDOWS && world->window_level > NC_ACM_SCRIPT_LEVEL) {
        world->window_level--;
        world->calm_windows = 0;
    }
    const nc_code code = nc_acm_audit(world, err);
    return code == NC_OK ? nc_acm_contacts_settle(&world->model, &world->contacts, &world->needs, err) : code;
}

// Windows are aligned to their length, so that they end where those of another length begin.
static int64_t window_span(const nc_cloth_world *world, int64_t now)
{
    int64_t span = nc_acm_step_ticks(world->window_level);
    while (now % span != 0)
        span /= 2;
    return span;
}

// The window did not hold: back to its start.
static void undo(nc_cloth_world *world, const nc_acm_counts *before)
{
    const int64_t rollbacks = world->counts.rollbacks + 1;
    nc_acm_trace_undo(world);
    world->counts = *before;
    world->counts.rollbacks = rollbacks;
    world->calm_windows = 0;
}

static int64_t halve(nc_cloth_world *world, int64_t span)
{
    if (span > 1 && world->window_level < NC_ACM_LEVELS)
        world->window_level++;
    return span > 1 ? span / 2 : 1;
}

nc_code nc_acm_speculate(nc_cloth_world *world, int64_t now, int64_t *out_end, nc_error *err)
{
    int64_t span = window_span(world, now);
    const nc_acm_counts before = world->counts;
    for (int run = 1;; run++) {
        nc_acm_jam_note jam;
        nc_acm_demand demand = {0};
        nc_code code = run_window(world, now, now + span, &jam, err);
        const bool too_long = nc_acm_trace_is_long(world) && span > 1;
        if (code == NC_OK && !too_long)
            code = find_needs(world, &demand, err);
        if (code != NC_OK)
            return code;
        *out_end = now + span;
        if (!too_long && demand.added == 0 && demand.too_deep == 0)
            return accept(world, &jam, err);
        undo(world, &before);
        if (demand.too_deep > 0 && demand.added == 0 && span == 1)
            return nc_acm_jam(world, demand.pair, 0, now, err);
        if (too_long || demand.too_deep > 0 || run % MAX_RERUNS == 0)
            span = halve(world, span);
    }
}
