// Speculation: run a window with the contacts known so far, look over its whole motion for layers that were entered
// unannounced, add them and run again what they touch, until there are none. What is accepted is what would have
// happened with all layers active all the time (I3), and every distance in it is certified (I4).
#include "cloth/ticks.h"

#define MAX_RERUNS   4  // then the window is halved
#define CALM_WINDOWS 16 // without reruns: then it is doubled

// A part of the thickness: pairs within it are examined before they are needed.
static double search_reach(const nc_cloth_model *m)
{
    double most = 0;
    for (int a = 0; a < m->objects.count; a++)
        most = fmax(most, nc_cloth_object_thickness(m, a, a));
    return 0.1 * most;
}

static nc_code find_needs(nc_cloth_world *world, nc_cloth_contact_changes *demand, nc_error *err)
{
    const double begin = nc_wall_clock();
    world->needs.count = 0;
    nc_code code = nc_cloth_window_find(world->search, &world->model, world->states, &world->trace,
                                        search_reach(&world->model), &world->needs, err);
    if (code == NC_OK)
        code = nc_cloth_contacts_add_near(&world->model, &world->contacts, &world->needs, demand, err);
    world->seconds_find += nc_wall_clock() - begin;
    return code;
}

// The first of all islands' jams.
static nc_cloth_jam_record first_jam(const nc_cloth_islands *islands)
{
    nc_cloth_jam_record first = {0};
    for (int i = 0; i < islands->count; i++) {
        const nc_cloth_jam_record *jam = &islands->data[i].jam;
        if (jam->found && (!first.found || jam->tick < first.tick ||
                           (jam->tick == first.tick && nc_cloth_pair_less(jam->pair, first.pair))))
            first = *jam;
    }
    return first;
}

static void record_counts(nc_cloth_world *world, int64_t begin, int64_t end)
{
    const int64_t gravity = nc_cloth_step_ticks(world->model.settings.gravity_level);
    for (int i = 0; i < world->islands.count; i++) {
        nc_cloth_counts_add(&world->counts, &world->islands.data[i]);
        world->counts.islands += world->islands.data[i].component_count > 0;
    }
    world->counts.gravity += end / gravity - begin / gravity;
    world->counts.windows++;
}

// The window holds: nothing in it was missed.
static nc_code accept(nc_cloth_world *world, nc_error *err)
{
    const nc_cloth_jam_record jam = first_jam(&world->islands);
    if (jam.found)
        return nc_cloth_fail_jammed(world, jam.pair, jam.layer, jam.tick, err);
    record_counts(world, world->trace.begin, world->trace.end);
    if (++world->calm_windows >= CALM_WINDOWS && world->window_level > NC_CLOTH_SCRIPT_LEVEL) {
        world->window_level--;
        world->calm_windows = 0;
    }
    const nc_code code = nc_cloth_audit_trace(world, err);
    return code == NC_OK ? nc_cloth_contacts_settle(&world->model, &world->contacts, &world->needs, err) : code;
}

// Windows are aligned to their length, so that they end where those of another length begin.
static int64_t window_span(const nc_cloth_world *world, int64_t now)
{
    int64_t span = nc_cloth_step_ticks(world->window_level);
    while (now % span != 0)
        span /= 2;
    return span;
}

static int64_t halve(nc_cloth_world *world, int64_t span)
{
    if (span > 1 && world->window_level < NC_CLOTH_LEVELS)
        world->window_level++;
    return span > 1 ? span / 2 : 1;
}

static bool is_long(const nc_cloth_world *world)
{
    for (int i = 0; i < world->islands.count; i++)
        if (world->islands.data[i].is_long)
            return true;
    return false;
}

// Islands touched by what came run again; or, when the window is cut, all of them over what is left of it.
static bool run_again(nc_cloth_world *world, int64_t now, int64_t span, bool shorter)
{
    world->counts.rollbacks++;
    world->calm_windows = 0;
    world->rollback_diff.is_kept = false;
    if (shorter) {
        nc_cloth_islands_undo(world);
        return nc_cloth_islands_begin(world, now, now + span);
    }
    nc_cloth_rollback_diff_keep(world);
    const bool ready = nc_cloth_islands_rerun(world);
    nc_cloth_rollback_diff_take_pieces(world);
    return ready;
}

nc_code nc_cloth_speculate(nc_cloth_world *world, int64_t now, int64_t *out_end, nc_error *err)
{
    int64_t span = window_span(world, now);
    bool ready = nc_cloth_islands_begin(world, now, now + span);
    world->rollback_diff.is_kept = false;
    for (int run = 1;; run++) {
        nc_cloth_contact_changes demand = {0};
        nc_code code = ready ? nc_cloth_islands_run(world, err) : nc_fail_memory(err, sizeof *world->contacts.order);
        const bool too_long = is_long(world);
        if (code == NC_OK)
            nc_cloth_rollback_diff_compare(world);
        if (code == NC_OK && !too_long)
            code = find_needs(world, &demand, err);
        if (code != NC_OK)
            return code;
        *out_end = now + span;
        if (!too_long && demand.added == 0 && demand.too_deep == 0)
            return accept(world, err);
        if (demand.too_deep > 0 && demand.added == 0 && span == 1) {
            nc_cloth_islands_undo(world);
            return nc_cloth_fail_jammed(world, demand.pair, 0, now, err);
        }
        const bool shorter = too_long || demand.too_deep > 0 || run % MAX_RERUNS == 0;
        if (shorter)
            span = halve(world, span);
        ready = run_again(world, now, span, shorter);
    }
}
