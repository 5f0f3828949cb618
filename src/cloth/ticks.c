// What happens at a tick, in order of (kind, id): gravity and prescribed forces, springs, hinges, contacts.
#include "cloth/ticks.h"

#define SAMPLE 13 // no power of two: ticks of all levels are met

// ---- the trace ----------------------------------------------------------------------------------------------

void nc_cloth_trace_open(nc_cloth_trace *t, int64_t begin, int64_t end)
{
    for (int i = 0; i < t->count; i++)
        t->last[t->pieces[i].vertex] = -1;
    t->count = 0;
    t->same = NULL;
    t->begin = begin;
    t->end = end;
}

void nc_cloth_trace_forget(nc_cloth_world *world, int64_t begin, int64_t end)
{
    world->trace.count = 0;
    world->trace.same = NULL;
    world->trace.begin = begin;
    world->trace.end = end;
    for (int v = 0; v < world->model.vertex_count; v++)
        world->trace.last[v] = -1;
}

// Parts write theirs beyond what gravity wrote.
int nc_cloth_island_room(const nc_cloth_world *world, const nc_cloth_island *island)
{
    return island->is_wide ? 2 * world->model.vertex_count : island->vertex_count;
}

// A share of the whole, however many islands there are.
bool nc_cloth_trace_is_long(const nc_cloth_world *world, const nc_cloth_island *island)
{
    const double all = (1 << 20) + 64.0 * world->model.vertex_count;
    const double share = (island->vertex_count + 1.0) / (world->model.vertex_count + 1.0);
    return island->trace->count > (world->islands.count > 1 ? 4096 + share * all : all);
}

void nc_cloth_counts_add(nc_cloth_counts *counts, const nc_cloth_island *island)
{
    const nc_cloth_counts *n = &island->counts;
    counts->stretch += n->stretch;
    counts->bend += n->bend;
    counts->contact += n->contact;
    counts->kicks += n->kicks;
    counts->deepest_layer = n->deepest_layer > counts->deepest_layer ? n->deepest_layer : counts->deepest_layer;
    counts->smallest_distance = fmin(counts->smallest_distance, n->smallest_distance);
}

// ---- a tick -------------------------------------------------------------------------------------------------

static void kick_contacts(nc_cloth_world *world, nc_cloth_island *island, const nc_cloth_tick *run, int level)
{
    const nc_cloth_clockwork *c = &island->contacts;
    const int from = level > c->coarsest ? level : c->coarsest;
    nc_cloth_counts *n = &island->counts;
    for (int i = c->first[from]; i < c->first[from + 1]; i++) {
        nc_cloth_active_contact *one = &world->contacts.data[world->contacts.order[i]];
        const nc_cloth_kick_result r = nc_cloth_contact_kick(run, &world->model, one, level);
        n->kicks += r.acted;
        // Of kicks only: whatever else is examined depends on who looks.
        if (r.acted && r.layer > n->deepest_layer)
            n->deepest_layer = r.layer;
        if (r.acted && r.distance < n->smallest_distance)
            n->smallest_distance = r.distance;
        if (world->lets_go && r.separating && r.distance > one->thickness) {
            one->depth = -1;
            world->let_go++;
        }
        if (r.jammed && !island->jam.found)
            island->jam = (nc_cloth_jam_record){true, one->pair, r.layer, run->now};
    }
    n->contact += c->first[from + 1] - c->first[from];
}

static void kick_forces(const nc_cloth_world *world, nc_cloth_island *island, const nc_cloth_tick *run, int level)
{
    const int gravity_level = world->model.settings.gravity_level;
    const nc_cloth_elastic *e = &world->elastic;
    for (int i = 0; i < island->component_count; i++) {
        const nc_cloth_component *c = &e->components.data[world->islands.components[island->first_component + i]];
        if (gravity_level >= level)
            nc_cloth_gravity_kick(run, world, c, world->model.step[gravity_level]);
        if (c->finest < level || c->ranges < 0)
            continue;
        const nc_cloth_ranges *r = &e->ranges.data[c->ranges];
        if (island->is_wide && world->tick_workers > 1)
            nc_cloth_elastic_kick_wide(run, e, r, level, world->tick_workers);
        else
            nc_cloth_elastic_kick(run, e, r, level);
        for (int part = 0; part <= e->parts; part++) {
            island->counts.stretch += r->spring[part + 1][0] - r->spring[part][level];
            island->counts.bend += r->hinge[part + 1][0] - r->hinge[part][level];
        }
    }
}

// Coarse clocks tick at few of the multiples of the finest, fine ones at many: what ticks is the end of each array.
// One tick in SAMPLE is timed, for the report.
void nc_cloth_run_tick(nc_cloth_world *world, nc_cloth_island *island, int64_t now)
{
    const nc_cloth_tick run = {world->states, island->trace, world->kicks, world->model.unit, now, world->lets_go};
    const int level = nc_cloth_level_at(now);
    const bool timed = island->ticks++ % SAMPLE == 0;
    const double begin = timed ? nc_wall_clock() : 0;
    kick_forces(world, island, &run, level);
    const double between = timed ? nc_wall_clock() : 0;
    if (island->contacts.finest >= level)
        kick_contacts(world, island, &run, level);
    if (timed) {
        island->seconds_elastic += SAMPLE * (between - begin);
        island->seconds_contact += SAMPLE * (nc_wall_clock() - between);
    }
}
