#include "cloth/forces.h"

static void spring_kick(const nc_cloth_tick *run, const nc_cloth_spring *s)
{
    const nc_cloth_state *a = &run->states[s->a], *b = &run->states[s->b];
    const nc_vec3 xa = nc_cloth_position_at(a, run->now, run->unit), xb = nc_cloth_position_at(b, run->now, run->unit);
    const nc_vec3 e = nc_sub(xb, xa);
    const double length = nc_norm(e), weight = a->inv_mass + b->inv_mass;
    if (!(length > 0) || weight == 0)
        return;
    const nc_vec3 n = nc_scale(1 / length, e);
    double impulse = s->kick * (length - s->rest);
    if (s->damping > 0) // implicit: never overshoots, however large
        impulse += s->damping / (1 + s->damping * weight) * nc_dot(nc_sub(b->v, a->v), n);
    if (impulse == 0)
        return;
    const double pull_a = a->inv_mass * impulse, pull_b = -b->inv_mass * impulse;
    if (pull_a != 0)
        nc_cloth_kick(run, s->a, xa, nc_scale(pull_a, n));
    if (pull_b != 0)
        nc_cloth_kick(run, s->b, xb, nc_scale(pull_b, n));
}

void nc_cloth_springs_kick(const nc_cloth_tick *run, const nc_cloth_spring *springs, int count)
{
    for (int i = 0; i < count; i++)
        spring_kick(run, &springs[i]);
}

// ---- parts --------------------------------------------------------------------------------------------------

// Springs before hinges, fine clocks after coarse ones.
static void kick_part(const nc_cloth_tick *run, const nc_cloth_elastic *e, const nc_cloth_ranges *r, int level,
                      int part)
{
    const int spring = r->spring[part][level], hinge = r->hinge[part][level];
    nc_cloth_springs_kick(run, e->springs.data + spring, r->spring[part + 1][0] - spring);
    nc_cloth_hinges_kick(run, e->hinges.data + hinge, r->hinge[part + 1][0] - hinge);
}

void nc_cloth_elastic_kick(const nc_cloth_tick *run, const nc_cloth_elastic *e, const nc_cloth_ranges *ranges,
                           int level)
{
    for (int part = 0; part < e->parts; part++)
        kick_part(run, e, ranges, level, part);
    if (e->parts > 1)
        kick_part(run, e, ranges, level, e->parts);
}

// Each part writes the pieces of its own vertices, into a stretch of the trace that has room for all of them.
typedef struct parts_run {
    const nc_cloth_tick *run;
    const nc_cloth_elastic *elastic;
    const nc_cloth_ranges *ranges;
    int level;
    nc_cloth_trace traces[NC_CLOTH_PARTS];
} parts_run;

static void kick_parts(int begin, int end, void *ctx)
{
    parts_run *p = ctx;
    for (int part = begin; part < end; part++) {
        nc_cloth_tick run = *p->run;
        run.trace = &p->traces[part];
        kick_part(&run, p->elastic, p->ranges, p->level, part);
    }
}

// The parts' pieces, one after the other.
static void join_traces(nc_cloth_trace *trace, const parts_run *p)
{
    for (int part = 0; part < p->elastic->parts; part++)
        for (int i = 0; i < p->traces[part].count; i++) {
            const nc_cloth_piece *piece = &p->traces[part].pieces[i];
            trace->last[piece->vertex] = trace->count;
            trace->pieces[trace->count++] = *piece;
        }
}

void nc_cloth_elastic_kick_wide(const nc_cloth_tick *run, const nc_cloth_elastic *e, const nc_cloth_ranges *ranges,
                                int level, int workers)
{
    parts_run p = {.run = run, .elastic = e, .ranges = ranges, .level = level};
    for (int part = 0; part < e->parts; part++) {
        p.traces[part] = *run->trace;
        p.traces[part].pieces += run->trace->count + e->vertices_before[part];
        p.traces[part].count = 0;
    }
    nc_parallel_for(workers, e->parts, 1, kick_parts, &p);
    join_traces(run->trace, &p);
    kick_part(run, e, ranges, level, e->parts);
}

// ---- what acts on all ---------------------------------------------------------------------------------------

static void push_vertices(const nc_cloth_tick *run, const nc_cloth_world *world, const nc_cloth_component *c,
                          double step)
{
    for (int i = c->first_push; i < c->first_push + c->push_count; i++) {
        const nc_cloth_pushed *row = &world->elastic.pushed.data[i];
        const nc_cloth_push *p = &world->pushes.data[row->push];
        if (run->now <= p->start || run->now > p->end)
            continue;
        const nc_cloth_state *s = &run->states[row->vertex];
        nc_cloth_kick(run, row->vertex, nc_cloth_position_at(s, run->now, run->unit),
                      nc_scale(step * s->inv_mass, p->force));
    }
}

void nc_cloth_gravity_kick(const nc_cloth_tick *run, const nc_cloth_world *world, const nc_cloth_component *c,
                           double step)
{
    const nc_cloth_model *m = &world->model;
    const nc_vec3 fall = nc_scale(step, m->settings.gravity);
    push_vertices(run, world, c, step);
    // A component is of one object.
    const double drag = m->objects.data[m->object[world->elastic.vertices[c->first_vertex]]].drag;
    const double slow = step * drag / (1 + step * drag); // implicit
    for (int k = c->first_vertex; k < c->first_vertex + c->vertex_count; k++) {
        const int i = world->elastic.vertices[k];
        const nc_cloth_state *s = &run->states[i];
        const nc_vec3 dv = nc_madd(fall, -slow, s->v);
        if (dv.x != 0 || dv.y != 0 || dv.z != 0)
            nc_cloth_kick(run, i, nc_cloth_position_at(s, run->now, run->unit), dv);
    }
}
