// What happens at a tick, in order of (kind, id): gravity and prescribed forces, springs, hinges, contacts.
#include "acm/ticks.h"

#define SAMPLE 13 // no power of two: ticks of all levels are met

int nc_acm_finest_level(const nc_cloth_world *world)
{
    int level = world->model.settings.gravity_level;
    const nc_acm_elastic *e = &world->elastic;
    if (e->springs.count > 0 && e->springs.data[e->springs.count - 1].level > level)
        level = e->springs.data[e->springs.count - 1].level;
    if (e->hinges.count > 0 && e->hinges.data[e->hinges.count - 1].level > level)
        level = e->hinges.data[e->hinges.count - 1].level;
    return world->contacts.finest > level ? world->contacts.finest : level;
}

// ---- the trace ----------------------------------------------------------------------------------------------

void nc_acm_trace_open(nc_cloth_world *world, int64_t begin, int64_t end)
{
    nc_acm_trace *t = &world->trace;
    for (int i = 0; i < t->count; i++)
        t->last[t->pieces[i].vertex] = -1;
    t->count = 0;
    t->begin = begin;
    t->end = end;
}

bool nc_acm_trace_reserve(nc_cloth_world *world)
{
    nc_acm_trace *t = &world->trace;
    const int need = t->count + 2 * world->model.vertex_count; // parts write theirs beyond what gravity wrote
    return need <= t->capacity ||
           nc_grow(&world->allocator, (void **)&t->pieces, &t->capacity, need, sizeof *t->pieces);
}

bool nc_acm_trace_is_long(const nc_cloth_world *world)
{
    return world->trace.count > (1 << 20) + 64 * world->model.vertex_count;
}

void nc_acm_trace_undo(nc_cloth_world *world)
{
    nc_acm_trace *t = &world->trace;
    for (int i = t->count - 1; i >= 0; i--) {
        const nc_acm_piece *p = &t->pieces[i];
        nc_acm_state *s = &world->states[p->vertex];
        s->x = p->x;
        s->v = p->v;
        s->t = p->t;
        world->kicks[p->vertex]--;
    }
    nc_acm_trace_open(world, t->begin, t->end);
}

// ---- a tick -------------------------------------------------------------------------------------------------

static void kick_contacts(nc_cloth_world *world, const nc_acm_run *run, int level, nc_acm_jam_note *jam)
{
    nc_acm_contacts *c = &world->contacts;
    const int from = level > c->coarsest ? level : c->coarsest;
    nc_acm_counts *n = &world->counts;
    for (int i = c->first[from]; i < c->first[from + 1]; i++) {
        nc_acm_contact *one = &c->data[c->order[i]];
        const nc_acm_kick_result r = nc_acm_contact_kick(run, &world->model, one, level);
        n->kicks += r.acted;
        // Of kicks only: whatever else is looked at depends on who looks.
        if (r.acted && r.layer > n->deepest_layer)
            n->deepest_layer = r.layer;
        if (r.acted && r.distance < n->smallest_distance)
            n->smallest_distance = r.distance;
        if (world->lets_go && r.separating && r.distance > one->thickness) {
            one->depth = -1;
            world->let_go++;
        }
        if (r.jammed && !jam->found)
            *jam = (nc_acm_jam_note){true, one->pair, r.layer, run->now};
    }
    n->contact += c->first[from + 1] - c->first[from];
}

static void kick_forces(nc_cloth_world *world, const nc_acm_run *run, int level)
{
    const int gravity_level = world->model.settings.gravity_level;
    const nc_acm_elastic *e = &world->elastic;
    if (gravity_level >= level) {
        nc_acm_gravity_kick(run, world, world->model.step[gravity_level]);
        world->counts.gravity++;
    }
    const int springs = e->springs.count - e->first_spring[level], hinges = e->hinges.count - e->first_hinge[level];
    if (springs + hinges > 0)
        nc_acm_elastic_kick(run, e, level, world->tick_workers);
    world->counts.stretch += springs;
    world->counts.bend += hinges;
}

// Coarse clocks tick at few of the multiples of the finest, fine ones at many: what ticks is the end of each array.
// One tick in SAMPLE is timed, for the report.
void nc_acm_tick_run(nc_cloth_world *world, int64_t now, nc_acm_jam_note *jam)
{
    const nc_acm_run run = {world->states, &world->trace, world->kicks, world->model.unit, now, world->lets_go};
    const int level = nc_acm_level_at(now);
    const bool timed = world->ticks++ % SAMPLE == 0;
    const double begin = timed ? nc_acm_seconds() : 0;
    kick_forces(world, &run, level);
    const double between = timed ? nc_acm_seconds() : 0;
    if (world->contacts.finest >= level)
        kick_contacts(world, &run, level, jam);
    if (timed) {
        world->seconds_elastic += SAMPLE * (between - begin);
        world->seconds_contact += SAMPLE * (nc_acm_seconds() - between);
    }
}
